"""A tape with states, many steps of many rows in one call, as LLVM assembly.

    void repeat(states, states_half, drive, drive_block, drive_step, kept, kept_block, scratch,
                record, record_block, every, left, blocks, chunk, steps, seed, rollouts, first)
    void prepare_rows(p, k, blocks)                                           the off-line part, row by row

A block is as many rows as the machine has lanes, and every entry of a row is a vector with one row a lane:

    states   [2][blocks][S]         a step reads one half and writes the other; the last are in half `steps` mod 2
    drive    [blocks][steps][V]     the other variables; a distance of 0 repeats one block, or holds one step
    kept     [blocks][K]            what depends on parameters alone; 0: the same for all
    record   [blocks][samples][S+O] states before, and outputs of, every `every`-th step; the first is `left` steps away
    scratch  [O]                    where outputs go that nobody records
    rollouts [blocks]               words: the numbers of the rows, for their noise; `first` is that of the first step

Distances are in scalars. A chunk of blocks goes through all steps before the next one begins, so its states stay in the
nearest cache; within a step its blocks are independent of each other, which keeps the processor busy where one row
alone would wait for its own results.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.machine.ir import compute, module_of, results_of, widest
from manipula.algebra.machine.late import Late
from manipula.algebra.machine.numbers import Numbers
from manipula.algebra.machine.order import LONG, arranged
from manipula.algebra.machine.philox import deviates
from manipula.algebra.machine.rows import load_vectors, vector_units
from manipula.algebra.machine.sincos import rooms
from manipula.algebra.machine.writer import Host, Kind, Writer
from manipula.algebra.tape import Tape, kept_slots, layout_of, parameters_of


def repeat_module(tape: Tape, scalar: str, host: Host, lanes: int) -> str:
    """`repeat` and `prepare_rows`."""
    kind = Kind(scalar, lanes)
    return module_of(tape, [_repeat(tape, kind, host), _prepare_rows(tape, kind, host)])


_GIVEN = (
    "ptr noalias %.states", "i64 %.half", "ptr noalias readonly %.drive", "i64 %.drive.block", "i64 %.drive.step",
    "ptr noalias readonly %.kept", "i64 %.kept.block", "ptr noalias %.scratch", "ptr noalias %.record",
    "i64 %.record.block", "i64 %.every", "i64 %.left", "i64 %.blocks", "i64 %.chunk", "i64 %.steps",
    "i64 %.seed", "ptr noalias readonly %.rollouts", "i64 %.first",
)  # fmt: skip


def _repeat(tape: Tape, kind: Kind, host: Host) -> Writer:
    w, layout = Writer(tape, kind, host), layout_of(tape)
    w.declared["@llvm.smin.i64"] = "declare i64 @llvm.smin.i64(i64, i64)"
    w.lines += [f"define void @repeat({', '.join(_GIVEN)}) nounwind {_wide(host)} {{", "entry:"]
    w.lines += rooms(w, widest(kind, host))
    table = Numbers(w) if kind.lanes == 1 else None
    _loops(w, len(layout.states), len(layout.outputs))
    for slots, base in ((layout.states, "%.x"), (layout.drive, "%.u"), (kept_slots(tape), "%.k")):
        Late(w, slots, base)
    _draw(w, layout.noise)
    if table is not None:
        w.number = table.at
    units = [*vector_units(w, layout.following, "%.z"), *vector_units(w, layout.outputs, "%.y")]
    long = kind.lanes > 1 and len(tape.online) > LONG
    compute(w, tape.online if long else arranged(tape.online, results_of(tape), w.inner), units)
    _ends(w, len(layout.states) + len(layout.outputs))
    if table is not None:
        w.declared["@numbers"] = table.text()
    return w


def _draw(w: Writer, slots: Sequence[int]) -> None:
    """The noise of this step and block."""
    if not slots:
        return
    words = w.kind.wide()
    place = w.gep("%.rollouts", w.let(f"mul nsw i64 %.b, {words.lanes}"), "i64")
    rollouts = w.let(f"load {words.bits}, ptr {place}, align 8")
    step = w.let("add i64 %.first, %.s")
    w.aliases |= dict(zip(slots, deviates(w, len(slots), "%.seed", rollouts, step)))


def _wide(host: Host) -> str:
    bits = 8 * host.vector_bytes
    return f'"prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'


def _loops(w: Writer, states: int, outputs: int) -> None:
    """Down to one step of one block: %.x, %.u, %.k are its rows, %.y is where outputs go."""
    lanes, scalar = w.kind.lanes, w.kind.scalar
    w.put("%.some = icmp sgt i64 %.steps, 0")
    w.put("br i1 %.some, label %chunk, label %done")
    w.start_block("chunk")
    w.put("%.from = phi i64 [ 0, %entry ], [ %.to, %chunk.end ]")
    w.put("%.beyond = add nsw i64 %.from, %.chunk")
    w.put("%.to = call i64 @llvm.smin.i64(i64 %.beyond, i64 %.blocks)")
    w.put("br label %step")
    w.start_block("step")
    w.put("%.s = phi i64 [ 0, %chunk ], [ %.s.next, %step.end ]")
    w.put("%.here = phi i64 [ 0, %chunk ], [ %.there, %step.end ]")
    w.put("%.wait = phi i64 [ %.left, %chunk ], [ %.wait.next, %step.end ]")
    w.put("%.sample = phi i64 [ 0, %chunk ], [ %.sample.next, %step.end ]")
    w.put("%.there = sub nsw i64 %.half, %.here")
    w.put("%.now = icmp eq i64 %.wait, 0")
    w.put("br label %block")
    w.start_block("block")
    w.put("%.b = phi i64 [ %.from, %step ], [ %.b.next, %block.end ]")
    w.put(f"%.x.row = mul nsw i64 %.b, {states * lanes}")
    w.put("%.x.at = add nsw i64 %.x.row, %.here")
    w.put("%.z.at = add nsw i64 %.x.row, %.there")
    w.put("%.k.at = mul nsw i64 %.b, %.kept.block")
    w.put("%.u.row = mul nsw i64 %.b, %.drive.block")
    w.put("%.u.step = mul nsw i64 %.s, %.drive.step")
    w.put("%.u.at = add nsw i64 %.u.row, %.u.step")
    w.put("%.r.row = mul nsw i64 %.b, %.record.block")
    w.put("%.r.at = add nsw i64 %.r.row, %.sample")
    for name, base in (("x", "states"), ("z", "states"), ("k", "kept"), ("u", "drive"), ("r", "record")):
        w.put(f"%.{name} = getelementptr inbounds {scalar}, ptr %.{base}, i64 %.{name}.at")
    w.put(f"%.r.out = getelementptr inbounds {scalar}, ptr %.r, i64 {states * lanes}")
    w.put("%.y = select i1 %.now, ptr %.r.out, ptr %.scratch")
    w.put("br i1 %.now, label %keep, label %body")
    w.start_block("keep")
    for position in range(states):
        place, to = (w.gep(base, position * lanes) for base in ("%.x", "%.r"))
        value = w.let(f"load {w.kind.text}, ptr {place}, align {w.kind.size}")
        w.put(f"store {w.kind.text} {value}, ptr {to}, align {w.kind.size}")
    w.put("br label %body")
    w.start_block("body")


def _ends(w: Writer, entries: int) -> None:
    w.put("br label %block.end")
    w.start_block("block.end")
    w.put("%.b.next = add nsw i64 %.b, 1")
    w.put("%.more.blocks = icmp slt i64 %.b.next, %.to")
    w.put("br i1 %.more.blocks, label %block, label %step.end")
    w.start_block("step.end")
    w.put("%.s.next = add nsw i64 %.s, 1")
    w.put("%.waiting = select i1 %.now, i64 %.every, i64 %.wait")
    w.put("%.wait.next = sub nsw i64 %.waiting, 1")
    w.put(f"%.sample.beyond = add nsw i64 %.sample, {entries * w.kind.lanes}")
    w.put("%.sample.next = select i1 %.now, i64 %.sample.beyond, i64 %.sample")
    w.put("%.more.steps = icmp slt i64 %.s.next, %.steps")
    w.put("br i1 %.more.steps, label %step, label %chunk.end")
    w.start_block("chunk.end")
    w.put("%.more.chunks = icmp slt i64 %.to, %.blocks")
    w.put("br i1 %.more.chunks, label %chunk, label %done")
    w.start_block("done")
    w.lines.append("  ret void\n}\n")


def _prepare_rows(tape: Tape, kind: Kind, host: Host) -> Writer:
    """Rounded as `prepare` rounds: no product is fused with a sum."""
    w, parameters = Writer(tape, kind, host), parameters_of(tape)
    given, kept = parameters.slots if parameters else (), kept_slots(tape)
    signature = "ptr noalias readonly %.ps, ptr noalias %.ks, i64 %.blocks"
    w.lines += [f"define void @prepare_rows({signature}) nounwind {_wide(host)} {{", "entry:"]
    w.lines += rooms(w, widest(kind, host))
    w.put("%.some = icmp sgt i64 %.blocks, 0")
    w.put("br i1 %.some, label %block, label %done")
    w.start_block("block")
    w.put("%.b = phi i64 [ 0, %entry ], [ %.b.next, %block.end ]")
    for name, size in (("p", len(given)), ("k", len(kept))):
        w.put(f"%.{name}.at = mul nsw i64 %.b, {size * kind.lanes}")
        w.put(f"%.{name} = getelementptr inbounds {kind.scalar}, ptr %.{name}s, i64 %.{name}.at")
    load_vectors(w, given, "%.p")
    w.products, w.turned, w.inner = {}, {}, {}
    compute(w, tape.offline, vector_units(w, kept, "%.k"))
    w.put("br label %block.end")
    w.start_block("block.end")
    w.put("%.b.next = add nsw i64 %.b, 1")
    w.put("%.more = icmp slt i64 %.b.next, %.blocks")
    w.put("br i1 %.more, label %block, label %done")
    w.start_block("done")
    w.lines.append("  ret void\n}\n")
    return w
