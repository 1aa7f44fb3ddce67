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

from manipula.algebra.llvm.exponential import Arithmetic, plain_logarithm
from manipula.algebra.llvm.ir import compute, module_of, results_of, widest
from manipula.algebra.llvm.order import LONG, arrange_lines
from manipula.algebra.llvm.rows import Numbers, load_vectors, vector_units
from manipula.algebra.llvm.sincos import Pair, quadrant, rooms, sines
from manipula.algebra.llvm.writer import Host, Kind, Writer, library
from manipula.algebra.program.primitives import EACH, FIRST, GOLDEN, HALF, LAST, LOW, ROOT, ROUNDS, SECOND, TWO_PI
from manipula.algebra.tape import Tape, kept_slots, layout_of, parameters_of

# Entries of an array read where they are used, not before: a value that waits in a register pushes another one out.
#
# Left to itself the compiler reads all of them first, and saves on the stack what it has no registers for; but values
# in memory need not be saved again. It also takes two reads of one place for the same value, kept in between;
# so
# the pointer is renewed every some lines, by a step that the compiler cannot look into and the processor does not see.

SOON = 24  # lines of assembly; what is read again within these stays in its register


class Late:
    """The rows of vectors (see `rows.load_vectors`) at one pointer. They must not change before the last read."""

    def __init__(self, w: Writer, slots: Sequence[int], base: str) -> None:
        self._w, self._base = w, base
        self._position = {slot: i for i, slot in enumerate(slots)}
        self._pointer = ("", -SOON, base)  # block, line, value
        self._last: dict[int, tuple[str, int, str]] = {}
        w.stored |= dict.fromkeys(slots, self.at)

    def at(self, slot: int) -> str:
        w = self._w
        block, line, value = self._last.get(slot, ("", -SOON, ""))
        if block != w.block or len(w.lines) - line > SOON:
            place = w.gep(self._renew_pointer(), self._position[slot] * w.kind.lanes)
            value = w.let(f"load {w.kind.text}, ptr {place}, align {w.kind.size}")
        self._last[slot] = w.block, len(w.lines), value
        return value

    def _renew_pointer(self) -> str:
        w = self._w
        block, line, _ = self._pointer
        if block != w.block or len(w.lines) - line > SOON:
            self._pointer = w.block, len(w.lines), w.let(f'call ptr asm "", "=r,0"(ptr {self._base})')
        return self._pointer[2]


# Normal deviates of all lanes at once, in LLVM assembly: the words of `program.philox`, and the same formula on them.
#
# A lane's rollout is its own, seed, step and channel are common. The upper halves of words that only go into products
# of
# 32 bits are not cleared: the product does not look at them.

# sin 2πr = r·S(r²), cos 2πr = C(r²) at Chebyshev's points of |r| ≤ 1/8, errors below 3e-16 and 2e-17
_SIN = (
    6.283185307179586, -41.341702240399634, 81.60524927594804, -76.70585970427454, 42.058685020160894,
    -15.093804209987114, 3.7808689593022957,
)  # fmt: skip
_COS = (
    1.0, -19.739208802178716, 64.93939402266795, -85.45681720652271, 60.244641328867296, -26.426250908622137,
    7.903091687751697, -1.6968494702918826,
)  # fmt: skip


def deviates(w: Writer, count: int, seed: str, rollouts: str, step: str) -> list[str]:
    """So many values, four a channel. `seed`, `step`: words; `rollouts`: one word a lane."""
    kind = w.kind.wide()
    a = Arithmetic(w, kind)
    words = [x for channel in range(-(-count // EACH)) for x in _words(a, seed, rollouts, step, channel)]
    pairs = list(zip(words[::2], words[1::2]))[: (count + 1) // 2]
    radii = [_radius(a, u) for u, _ in pairs]
    turned = _sines_and_cosines(a, [v for _, v in pairs])
    normals = [a.mul(r, x) for r, (s, c) in zip(radii, turned) for x in (c, s)]
    if w.kind.scalar == "float":
        normals = [w.let(f"fptrunc {kind.text} {x} to {w.kind.text}") for x in normals]
    return normals[:count]


def _sines_and_cosines(a: Arithmetic, words: Sequence[str]) -> list[Pair]:
    """sin and cos of 2πv, v = word/2³², in double precision."""
    if a.w.host.fused:
        return [_sines_of_turn(a, word) for word in words]
    own, a.w.kind = a.w.kind, a.k
    pairs = sines(a.w, [a.mul(TWO_PI, a.mul(_number(a, word), LAST)) for word in words])
    a.w.kind = own
    return pairs


def _sines_of_turn(a: Arithmetic, word: str) -> Pair:
    """The nearest quarter n of a turn and the rest are whole numbers: nothing is lost, nothing out of range."""
    # 2³² v = n 2³⁰ + rest, |rest| ≤ 2²⁹;  r = rest/2³²
    n = a.whole("lshr", a.whole("add", word, 1 << 29), 30)
    rest = a.whole("sub", word, a.whole("shl", n, 30))
    r = a.mul(a.w.let(f"sitofp {a.k.bits} {rest} to {a.k.text}"), LAST)
    z = a.mul(r, r)
    return quadrant(a.w, a.k, n, a.mul(r, a.polynomial(z, _SIN)), a.polynomial(z, _COS))


def _radius(a: Arithmetic, word: str) -> str:
    """√(−2 log u), u = (word + 1)/2³²"""
    own, a.w.kind = a.w.kind, a.k
    # + 1 keeps u from 0, which has no logarithm
    u = a.mul(a.add(_number(a, word), 1.0), LAST)
    value = plain_logarithm(a, u) if a.w.host.fused else library(a.w, "log", u)
    root = a.w.let(a.w.intrinsic("sqrt", a.k, a.mul(-2.0, value)))
    a.w.kind = own
    return root


def _words(a: Arithmetic, seed: str, rollouts: str, step: str, channel: int) -> list[str]:
    """Four, of 32 bits."""
    low = a.w.let(f"and i64 {step}, {LOW}")
    high = a.w.let(f"lshr i64 {step}, {HALF}")
    counter = [_spread(a, low), _spread(a, high), a.k.whole(channel), a.k.whole(0)]
    return _rounds(a, counter, _spread(a, seed), rollouts)


def _rounds(a: Arithmetic, c: Sequence[str], k0: str, k1: str) -> list[str]:
    c0, c1, c2, c3 = c
    for turn in range(ROUNDS):
        # Philox 4×32: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011)
        first = a.whole("mul", a.whole("and", c0, LOW), FIRST)
        second = a.whole("mul", a.whole("and", c2, LOW), SECOND)
        key0, key1 = (a.whole("add", k, turn * step & LOW) for k, step in ((k0, GOLDEN), (k1, ROOT)))
        c0 = a.whole("xor", a.whole("xor", a.whole("lshr", second, HALF), c1), key0)
        c2 = a.whole("xor", a.whole("xor", a.whole("lshr", first, HALF), c3), key1)
        c1, c3 = second, first
    return [a.whole("and", x, LOW) for x in (c0, c1, c2, c3)]


def _number(a: Arithmetic, word: str) -> str:
    return a.w.let(f"sitofp {a.k.bits} {word} to {a.k.text}")


def _spread(a: Arithmetic, word: str) -> str:
    if a.k.lanes == 1:
        return word
    first = a.w.let(f"insertelement {a.k.bits} poison, i64 {word}, i64 0")
    zeros = f"<{a.k.lanes} x i32> zeroinitializer"
    return a.w.let(f"shufflevector {a.k.bits} {first}, {a.k.bits} poison, {zeros}")


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
    compute(w, tape.online if long else arrange_lines(tape.online, results_of(tape), w.inner), units)
    _ends(w, len(layout.states) + len(layout.outputs))
    if table is not None:
        w.declared["@numbers"] = table.text()
    return w


def _draw(w: Writer, slots: Sequence[int]) -> None:
    """The noise of this step and block."""
    if not slots:
        return
    # 64-bit words, one a lane, also where the numbers are single
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
    w.emit("%.some = icmp sgt i64 %.steps, 0")
    w.emit("br i1 %.some, label %chunk, label %done")
    w.start_block("chunk")
    w.emit("%.from = phi i64 [ 0, %entry ], [ %.to, %chunk.end ]")
    w.emit("%.beyond = add nsw i64 %.from, %.chunk")
    w.emit("%.to = call i64 @llvm.smin.i64(i64 %.beyond, i64 %.blocks)")
    w.emit("br label %step")
    w.start_block("step")
    w.emit("%.s = phi i64 [ 0, %chunk ], [ %.s.next, %step.end ]")
    w.emit("%.here = phi i64 [ 0, %chunk ], [ %.there, %step.end ]")
    w.emit("%.wait = phi i64 [ %.left, %chunk ], [ %.wait.next, %step.end ]")
    w.emit("%.sample = phi i64 [ 0, %chunk ], [ %.sample.next, %step.end ]")
    # the halves change roles at every step
    w.emit("%.there = sub nsw i64 %.half, %.here")
    w.emit("%.now = icmp eq i64 %.wait, 0")
    w.emit("br label %block")
    w.start_block("block")
    w.emit("%.b = phi i64 [ %.from, %step ], [ %.b.next, %block.end ]")
    w.emit(f"%.x.row = mul nsw i64 %.b, {states * lanes}")
    w.emit("%.x.at = add nsw i64 %.x.row, %.here")
    w.emit("%.z.at = add nsw i64 %.x.row, %.there")
    w.emit("%.k.at = mul nsw i64 %.b, %.kept.block")
    w.emit("%.u.row = mul nsw i64 %.b, %.drive.block")
    w.emit("%.u.step = mul nsw i64 %.s, %.drive.step")
    w.emit("%.u.at = add nsw i64 %.u.row, %.u.step")
    w.emit("%.r.row = mul nsw i64 %.b, %.record.block")
    w.emit("%.r.at = add nsw i64 %.r.row, %.sample")
    for name, base in (("x", "states"), ("z", "states"), ("k", "kept"), ("u", "drive"), ("r", "record")):
        w.emit(f"%.{name} = getelementptr inbounds {scalar}, ptr %.{base}, i64 %.{name}.at")
    w.emit(f"%.r.out = getelementptr inbounds {scalar}, ptr %.r, i64 {states * lanes}")
    # always stored, somewhere: a branch around every output would cost more
    w.emit("%.y = select i1 %.now, ptr %.r.out, ptr %.scratch")
    w.emit("br i1 %.now, label %keep, label %body")
    w.start_block("keep")
    for position in range(states):
        place, to = (w.gep(base, position * lanes) for base in ("%.x", "%.r"))
        value = w.let(f"load {w.kind.text}, ptr {place}, align {w.kind.size}")
        w.emit(f"store {w.kind.text} {value}, ptr {to}, align {w.kind.size}")
    w.emit("br label %body")
    w.start_block("body")


def _ends(w: Writer, entries: int) -> None:
    w.emit("br label %block.end")
    w.start_block("block.end")
    w.emit("%.b.next = add nsw i64 %.b, 1")
    w.emit("%.more.blocks = icmp slt i64 %.b.next, %.to")
    w.emit("br i1 %.more.blocks, label %block, label %step.end")
    w.start_block("step.end")
    w.emit("%.s.next = add nsw i64 %.s, 1")
    w.emit("%.waiting = select i1 %.now, i64 %.every, i64 %.wait")
    w.emit("%.wait.next = sub nsw i64 %.waiting, 1")
    w.emit(f"%.sample.beyond = add nsw i64 %.sample, {entries * w.kind.lanes}")
    w.emit("%.sample.next = select i1 %.now, i64 %.sample.beyond, i64 %.sample")
    w.emit("%.more.steps = icmp slt i64 %.s.next, %.steps")
    w.emit("br i1 %.more.steps, label %step, label %chunk.end")
    w.start_block("chunk.end")
    w.emit("%.more.chunks = icmp slt i64 %.to, %.blocks")
    w.emit("br i1 %.more.chunks, label %chunk, label %done")
    w.start_block("done")
    w.lines.append("  ret void\n}\n")


def _prepare_rows(tape: Tape, kind: Kind, host: Host) -> Writer:
    """Rounded as `prepare` rounds: no product is fused with a sum."""
    w, parameters = Writer(tape, kind, host), parameters_of(tape)
    own, kept = parameters.slots if parameters else (), kept_slots(tape)
    signature = "ptr noalias readonly %.ps, ptr noalias %.ks, i64 %.blocks"
    w.lines += [f"define void @prepare_rows({signature}) nounwind {_wide(host)} {{", "entry:"]
    w.lines += rooms(w, widest(kind, host))
    w.emit("%.some = icmp sgt i64 %.blocks, 0")
    w.emit("br i1 %.some, label %block, label %done")
    w.start_block("block")
    w.emit("%.b = phi i64 [ 0, %entry ], [ %.b.next, %block.end ]")
    for name, size in (("p", len(own)), ("k", len(kept))):
        w.emit(f"%.{name}.at = mul nsw i64 %.b, {size * kind.lanes}")
        w.emit(f"%.{name} = getelementptr inbounds {kind.scalar}, ptr %.{name}s, i64 %.{name}.at")
    load_vectors(w, own, "%.p")
    w.products, w.turned, w.inner = {}, {}, {}
    compute(w, tape.offline, vector_units(w, kept, "%.k"))
    w.emit("br label %block.end")
    w.start_block("block.end")
    w.emit("%.b.next = add nsw i64 %.b, 1")
    w.emit("%.more = icmp slt i64 %.b.next, %.blocks")
    w.emit("br i1 %.more, label %block, label %done")
    w.start_block("done")
    w.lines.append("  ret void\n}\n")
    return w
