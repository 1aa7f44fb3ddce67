"""Tape → LLVM assembly: the functions of a compiled tape, written as text.

    void prepare(const double *p, double *k)                                  what depends on parameters alone
    int32 broken(const double *p)                                             the condition they break, from 1; else 0
    void one(const double *q, …, const double *k, double *out, …)             one configuration
    void run(const double *q, int64 q_step, …, const double *k, double *out, …, int64 n)

`run` computes n configurations, one a lane of the machine's vectors: an input's next row lies `step` entries further
(0: the same row again), rows of outputs are dense. The last block is moved back to end with the last row, and lanes
past the end of a short array repeat its last row, so what is written twice is the same. Outputs may not overlap inputs.
A NaN that goes in comes out (see `scalar.Maths`). With kind "float" every `double` reads `float`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from manipula.algebra.llvm import rows
from manipula.algebra.llvm.arctangent import Ratio, arctangents
from manipula.algebra.llvm.exponential import Arithmetic, exponential, hyperbolic_tangent, logarithm, power
from manipula.algebra.llvm.order import GROUPED, LONG, Detour, arrange_lines, seldom_wanted
from manipula.algebra.llvm.sincos import MEND, rooms, sines
from manipula.algebra.llvm.writer import Host, Kind, Writer, declarations
from manipula.algebra.tape import Line, Tape, kept_slots, parameters_of, variables_of

# texts of our own, of any width; an operation without one is the system's function, lane by lane
_TEXTS: dict[str, Callable[..., str]] = {
    "exp": exponential, "log": logarithm, "tanh": hyperbolic_tangent, "pow": power,
}  # fmt: skip
MANY = 64  # so many numbers among the results, the zeros of a regressor, are written in the widest vectors


def _reads(tape: Tape) -> set[int]:
    return {arg for line in tape.online for arg in line.args} | set(results_of(tape))


def results_of(tape: Tape) -> list[int]:
    return [slot for port in tape.outputs for slot in port.slots]


def single_module(tape: Tape, scalar: str, host: Host, more: str = "") -> str:
    """`prepare`, `broken` and `one`; `more` is text that calls them."""
    return module_of(tape, straight_functions(tape, host, scalar), more)


def batch_module(tape: Tape, scalar: str, host: Host) -> str:
    """`run`."""
    return module_of(tape, [_run(tape, Kind(scalar, host.lanes(scalar)), host)])


def straight_functions(tape: Tape, host: Host, scalar: str = "double") -> list[Writer]:
    """`prepare`, `broken` (where there are conditions) and `one`."""
    kind = Kind(scalar)
    return [
        _prepare(tape, kind, host),
        *([_condition_writer(tape, kind, host)] if tape.checks else []),
        _one(tape, kind, host),
    ]


def lanes_function(tape: Tape, lanes: int, host: Host) -> Writer:
    """`lanes`: as `one`, every entry of every array being a vector of so many doubles."""
    kind = Kind("double", lanes)
    w, variables = Writer(tape, kind, host), variables_of(tape)
    # not noalias: a caller may give one array for two inputs
    inputs = [f"ptr readonly %.in{i}" for i in range(len(variables))]
    taken = [f"ptr noalias %.out{i}" for i in range(len(tape.outputs))]
    w.lines += [f"define void @one({', '.join([*inputs, 'ptr noalias readonly %.k', *taken])}) nounwind {{", "entry:"]
    w.lines += rooms(w, widest(kind, host))
    for slots, base in [(kept_slots(tape), "%.k"), *((port.slots, f"%.in{i}") for i, port in enumerate(variables))]:
        rows.load_vectors(w, slots, base)
    units = [u for i, port in enumerate(tape.outputs) for u in rows.vector_units(w, port.slots, f"%.out{i}")]
    compute(w, arrange_lines(tape.online, results_of(tape), w.inner), units)
    w.lines.append("  ret void\n}\n")
    return w


def module_of(tape: Tape, functions: Sequence[Writer], more: str = "") -> str:
    bodies = ["\n".join(w.lines) for w in functions]
    known = MEND.splitlines()
    # `MEND` brings its own declarations along
    extra = [text for text in declarations(*functions) if text not in known]
    return "\n".join([f"; {tape.name}", *bodies, more, *extra, MEND])


# functions


def _prepare(tape: Tape, kind: Kind, host: Host) -> Writer:
    w, parameters = Writer(tape, kind, host), parameters_of(tape)
    w.lines += ["define void @prepare(ptr noalias readonly %.p, ptr noalias %.k) nounwind {", "entry:"]
    w.lines += rooms(w, widest(kind, host))
    rows.load_row(w, parameters.slots if parameters else (), "%.p")
    w.products, w.turned, w.inner = {}, {}, {}
    compute(w, tape.offline, rows.row_units(w, kept_slots(tape), "%.k"))
    w.lines.append("  ret void\n}\n")
    return w


def _condition_writer(tape: Tape, kind: Kind, host: Host) -> Writer:
    """NaN breaks nothing."""
    w, parameters = Writer(tape, kind, host), parameters_of(tape)
    w.lines += ["define i32 @broken(ptr noalias readonly %.p) nounwind {", "entry:"]
    w.lines += rooms(w, widest(kind, host))
    rows.load_row(w, parameters.slots if parameters else (), "%.p")
    w.products, w.turned, w.inner = {}, {}, {}
    compute(w, _condition_lines(tape), ())
    broken = "0"
    # from the last to the first, so that the first broken one has the last word
    for number, check in reversed(list(enumerate(tape.checks, 1))):
        small = w.let(f"fcmp ole {kind.text} {w.at(check.magnitude)}, {w.at(check.bound)}")
        broken = w.let(f"select i1 {small}, i32 {number}, i32 {broken}")
    w.lines.append(f"  ret i32 {broken}\n}}\n")
    return w


def _condition_lines(tape: Tape) -> list[Line]:
    """The lines that the conditions need."""
    makers = {line.slot: line for line in (*tape.offline, *tape.guard)}
    return _cone([slot for check in tape.checks for slot in (check.magnitude, check.bound)], makers, set())


def _one(tape: Tape, kind: Kind, host: Host) -> Writer:
    w, variables = Writer(tape, kind, host), variables_of(tape)
    inputs = [f"ptr readonly %.in{i}" for i in range(len(variables))]
    taken = [f"ptr noalias %.out{i}" for i in range(len(tape.outputs))]
    numbers = sum(slot in w.literals for slot in results_of(tape))
    # scalar code stays narrow: wide instructions slow some processors down for everything after them
    wide = f'"prefer-vector-width"="{8 * host.vector_bytes}" ' if numbers >= MANY else ""
    signature = ", ".join([*inputs, "ptr noalias readonly %.k", *taken])
    w.lines += [f"define void @one({signature}) nounwind {wide}{{", "entry:"]
    w.lines += rooms(w, widest(kind, host))
    rows.load_row(w, kept_slots(tape), "%.k")
    for i, port in enumerate(variables):
        rows.load_row(w, port.slots, f"%.in{i}")
    table = rows.Numbers(w)
    w.number = table.at
    units = [u for i, port in enumerate(tape.outputs) for u in rows.row_units(w, port.slots, f"%.out{i}")]
    compute(w, arrange_lines(tape.online, results_of(tape), w.inner), units)
    w.lines.append("  ret void\n}\n")
    w.declared["@numbers"] = table.text()
    return w


def _run(tape: Tape, kind: Kind, host: Host) -> Writer:
    w, variables = Writer(tape, kind, host), variables_of(tape)
    inputs = [f"ptr readonly %.in{i}, i64 %.step{i}" for i in range(len(variables))]
    taken = [f"ptr noalias %.out{i}" for i in range(len(tape.outputs))]
    signature = ", ".join([*inputs, "ptr noalias readonly %.k", *taken, "i64 %.n"])
    wide = f'"prefer-vector-width"="{8 * host.vector_bytes}" "min-legal-vector-width"="{8 * host.vector_bytes}"'
    w.lines += [f"define void @run({signature}) nounwind {wide} {{", "entry:", *rooms(w, kind.lanes)]
    _splat_kept(w, kept_slots(tape))
    steps = [f"%.step{i}" for i in range(len(variables))] + [str(len(port.slots)) for port in tape.outputs]
    offsets = _lane_offsets(w, steps)
    w.emit("%.some = icmp sgt i64 %.n, 0")
    w.emit("br i1 %.some, label %loop, label %done")
    w.start_block("loop")
    w.emit("%.i = phi i64 [ 0, %entry ], [ %.next, %again ]")
    bases = [f"%.in{i}" for i in range(len(variables))] + [f"%.out{i}" for i in range(len(tape.outputs))]
    starts = [w.gep(base, w.let(f"mul nsw i64 %.i, {step}")) for base, step in zip(bases, steps)]
    needed = _reads(tape)
    for port, start, offset in zip(variables, starts, offsets):
        rows.load_block(w, port.slots, [start, *(w.gep(start, x) for x in offset)], needed)
    units: list[rows.Unit] = []
    for port, start, offset in zip(tape.outputs, starts[len(variables) :], offsets[len(variables) :]):
        units += rows.block_units(w, port.slots, [start, *(w.gep(start, x) for x in offset)])
    # results wait here until their neighbours are known: long code gains nothing by bringing them forward
    compute(w, tape.online if len(tape.online) > LONG else arrange_lines(tape.online, results_of(tape), w.inner), units)
    _advance(w)
    return w


def _splat_kept(w: Writer, slots: Sequence[int]) -> None:
    k = w.kind
    zeros = f"<{k.lanes} x i32> zeroinitializer"
    for position, slot in enumerate(slots):
        value = w.let(f"load {k.scalar}, ptr {w.gep('%.k', position)}, align {k.size}")
        first = w.let(f"insertelement {k.text} poison, {k.scalar} {value}, i64 0")
        w.aliases[slot] = w.let(f"shufflevector {k.text} {first}, {k.text} poison, {zeros}")


def _lane_offsets(w: Writer, steps: Sequence[str]) -> list[list[str]]:
    """For each port, how far beyond lane 0 the other lanes' rows start."""
    w.declared["@llvm.smin.i64"] = "declare i64 @llvm.smin.i64(i64, i64)"
    w.declared["@llvm.smax.i64"] = "declare i64 @llvm.smax.i64(i64, i64)"
    last = w.let("sub nsw i64 %.n, 1")
    # lanes past the last row read it again, so nothing outside the arrays is touched
    rows = [w.let(f"call i64 @llvm.smin.i64(i64 {lane}, i64 {last})") for lane in range(1, w.kind.lanes)]
    return [[w.let(f"mul nsw i64 {row}, {step}") for row in rows] for step in steps]


def _advance(w: Writer) -> None:
    """To the next block; the last one ends with the last row."""
    w.emit("br label %again")
    w.start_block("again")
    w.emit(f"%.after = add nsw i64 %.i, {w.kind.lanes}")
    w.emit(f"%.last = sub nsw i64 %.n, {w.kind.lanes}")
    w.emit("%.next = call i64 @llvm.smin.i64(i64 %.after, i64 %.last)")
    w.emit("%.more = icmp slt i64 %.after, %.n")
    w.emit("br i1 %.more, label %loop, label %done")
    w.start_block("done")
    w.lines.append("  ret void\n}\n")


def widest(kind: Kind, host: Host) -> int:
    return max(kind.lanes, host.lanes("double"))


# lines


def compute(w: Writer, lines: Sequence[Line], units: Sequence[rows.Unit]) -> None:
    """The lines; sines, cosines and arc tangents of all that is known at a time are computed together."""
    stores = rows.Stores(units, (line.slot for line in lines))
    stores.store_constants()
    grouped = [line for line in lines if line.op in GROUPED]
    makers = {line.slot: line for line in lines}
    levels = _levels(lines)
    done: set[int] = set()
    for level in sorted({levels[line.slot] for line in grouped}):
        # level by level: what is inside a sine must be known before the sines of its level are packed
        stage = [line for line in grouped if levels[line.slot] == level]
        _plain(w, _cone([arg for line in stage for arg in line.args], makers, done), done, stores)
        for slot, value in (*_sines(w, stage), *_arctangents(w, stage)):
            w.aliases[slot] = value
            done.add(slot)
            stores.mark_computed(slot)
    _rest(w, lines, done, stores, {slot for unit in units for slot in unit.slots})


def _rest(w: Writer, lines: Sequence[Line], done: set[int], stores: rows.Stores, results: set[int]) -> None:
    """What is left; a part that is seldom wanted stands behind a branch."""
    # after sines, which are grouped by level and must not stand behind a branch
    part = seldom_wanted(lines, results)
    if part is None:
        _plain(w, lines, done, stores)
        return
    _plain(w, part.before, done, stores)
    detour = Detour(w, part)
    _plain(w, part.lines, done, stores)
    detour.close()
    for line in part.choices:
        done.add(line.slot)
        stores.mark_computed(line.slot)
    _plain(w, part.after, done, stores)


def _sines(w: Writer, stage: Sequence[Line]) -> list[tuple[int, str]]:
    """Each angle's sine and cosine at once."""
    lines = [line for line in stage if line.op != "atan2"]
    angles = list(dict.fromkeys(line.args[0] for line in lines))
    pairs = dict(zip(angles, sines(w, [w.at(angle) for angle in angles]) if angles else ()))
    return [(line.slot, getattr(pairs[line.args[0]], line.op)) for line in lines]


def _arctangents(w: Writer, stage: Sequence[Line]) -> list[tuple[int, str]]:
    lines = [line for line in stage if line.op == "atan2"]
    angles = arctangents(w, [Ratio(*map(w.at, line.args)) for line in lines]) if lines else ()
    return [(line.slot, value) for line, value in zip(lines, angles)]


def _plain(w: Writer, lines: Iterable[Line], done: set[int], stores: rows.Stores) -> None:
    for line in lines:
        if line.slot not in done:
            _line(w, line)
            done.add(line.slot)
            stores.mark_computed(line.slot)


def _line(w: Writer, line: Line) -> None:
    """Our texts need fused products: without them the rounding errors would be lost."""
    text = _TEXTS.get(line.op) if w.host.fused else None
    if text is None:
        w.line(line)
        return
    k = w.kind
    args = [w.read(arg) for arg in line.args]
    if k.scalar == "double":
        w.aliases[line.slot] = text(Arithmetic(w, k), *args)
        return
    # single precision by way of double: one text for both, correctly rounded but for rare halves
    wide = [w.let(f"fpext {k.text} {x} to {k.wide().text}") for x in args]
    value = text(Arithmetic(w, k.wide()), *wide)
    w.aliases[line.slot] = w.let(f"fptrunc {k.wide().text} {value} to {k.text}")


def _levels(lines: Sequence[Line]) -> dict[int, int]:
    """How many sines, cosines and arc tangents lie, one within the other, on the way to a slot."""
    levels: dict[int, int] = {}
    for line in lines:
        inside = max((levels.get(arg, 0) for arg in line.args), default=0)
        levels[line.slot] = inside + (line.op in GROUPED)
    return levels


def _cone(slots: Sequence[int], makers: dict[int, Line], done: set[int]) -> list[Line]:
    """The lines that compute the slots, in order."""
    needed: set[int] = set()
    stack = [slot for slot in slots if slot in makers]
    while stack:
        slot = stack.pop()
        if slot not in needed and slot not in done:
            needed.add(slot)
            stack += [arg for arg in makers[slot].args if arg in makers]
    return [line for slot, line in makers.items() if slot in needed]
