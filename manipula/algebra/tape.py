"""`Tape`: a function as one flat list of lines, which counting, evaluating, printing and compiling all walk.

Slots are numbered: inputs, constants, then one slot a line. Off-line lines (parameters alone) come first. What depends
on numbers alone is computed here once, with 60 digits, and rounded once. −(x − y), where nobody else reads x − y, is
one line, y − x: an instruction less, and the same number, but for the sign of a zero, which nothing promises.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import mpmath
import numpy as np

from manipula.algebra.expr.condition import ConditionWords, conditions_of
from manipula.algebra.expr.evaluate import ARRAYS, MPMATH, SINGLE_MPMATH, evaluate
from manipula.algebra.expr.function import Cost, Function, is_online
from manipula.algebra.expr.maths import topological
from manipula.algebra.expr.node import Expr, angle_terms
from manipula.algebra.expr.provenance import NOWHERE, Provenance
from manipula.scalar import APART, OPS, Maths, Next, Rate, Role

DIGITS = 60


@dataclass(frozen=True)
class Line:
    """slot = op(args)"""

    slot: int
    op: str
    args: tuple[int, ...]


@dataclass(frozen=True)
class Port:
    """A named array: the slots of its entries, row-major. `names` are the entries' own (inputs only)."""

    name: str
    shape: tuple[int, ...]
    slots: tuple[int, ...]
    unit: str = ""
    doc: str = ""
    role: Role = "variable"
    names: tuple[str, ...] = ()
    gives: Rate | Next | None = None  # outputs only: of which state

    @property
    def online(self) -> bool:
        return is_online(self.role)


@dataclass(frozen=True)
class Check:
    """One slot must be larger than another, or the function does not hold; NaN breaks nothing: it comes out as NaN."""

    magnitude: int
    bound: int
    words: ConditionWords
    names: tuple[str, ...]  # the parameters it speaks of


@dataclass(frozen=True, repr=False)
class Tape:
    """Branch-free: every line is computed, in order."""

    name: str
    inputs: tuple[Port, ...]
    constants: tuple[tuple[int, float], ...]  # slot, value rounded once
    offline: tuple[Line, ...]
    online: tuple[Line, ...]
    outputs: tuple[Port, ...]
    names: tuple[str, ...]  # a readable, unique name for every slot
    provenance: Provenance = NOWHERE
    guard: tuple[Line, ...] = ()  # what the checks alone read, from parameters and off-line lines
    checks: tuple[Check, ...] = ()
    cost: Cost = field(default_factory=Cost)
    single: tuple[tuple[int, float], ...] = ()  # constants that are other numbers in single precision

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.offline + self.online

    def __repr__(self) -> str:
        return f"<tape {self.name}: {len(self.offline)} lines off line, {len(self.online)} on line>"

    def last_use(self) -> dict[int, int]:
        """slot → position of the last line that reads it; outputs live to the end."""
        used = {arg: at for at, line in enumerate(self.lines) for arg in line.args}
        return used | {slot: len(self.lines) for port in self.outputs for slot in port.slots}

    def evaluate(self, inputs: Mapping[str, Sequence[Any]], maths: Maths[Any]) -> dict[str, list[Any]]:
        """Run over any scalar that takes floats (the constants are rounded already)."""
        values: dict[int, Any] = dict(self.constants)
        for port in self.inputs:
            values.update(zip(port.slots, inputs[port.name], strict=True))
        for line in self.lines:
            values[line.slot] = OPS[line.op].value(maths, *(values[arg] for arg in line.args))
        return {port.name: [values[slot] for slot in port.slots] for port in self.outputs}

    def broken_condition(self, parameters: Mapping[str, Sequence[float]], single: bool = False) -> Check | None:
        """The first condition these parameters break, with the bounds of double or single precision."""
        constants = dict(self.constants) | (dict(self.single) if single else {})
        values: dict[int, Any] = {slot: np.float64(value) for slot, value in constants.items()}
        for port in self.inputs:
            values.update(zip(port.slots, map(np.float64, parameters.get(port.name, ()))))
        with np.errstate(all="ignore"):
            for line in (*self.offline, *self.guard):
                values[line.slot] = OPS[line.op].value(ARRAYS, *(values[arg] for arg in line.args))
        return next((x for x in self.checks if values[x.magnitude] <= values[x.bound]), None)

    def digest(self) -> str:
        content = (self.name, self.inputs, self.constants, self.lines, self.outputs, self.names)
        guard = (self.guard, self.checks, self.single)
        return blake2b(repr((content, guard)).encode(), digest_size=16).hexdigest()


def tape_from_function(function: Function) -> Tape:
    """Order the nodes, fold what is numeric, name every slot."""
    ports = [symbol for port in function.inputs for symbol in port.symbols]
    nodes = topological([*ports, *function.roots])
    main = _order_nodes(nodes, function.roots, set(ports))
    conditions = function.conditions or conditions_of(function.roots)
    sides = [(function.graph.apply("abs", x.divisor), x.bound) for x in conditions]
    further = [side for pair in sides for side in pair]
    guard = _order_nodes(topological(further), further, {*ports, *main.constants, *main.lines})
    constants = [*main.constants, *guard.constants]
    # after both are ordered: a difference that a check reads must stay
    turned = _find_turned_signs(function, [*main.lines, *guard.lines])
    inside = {node.args[0] for node in turned}
    offline, online = ([x for x in main.lines if x.online == live and x.op != APART] for live in (False, True))
    named = [*ports, *main.constants, *offline, *online, *guard.constants, *guard.lines]
    names = dict(zip(named, _names(function, named), strict=True))
    ordered = [x for x in named if x not in inside]
    slot = {node: i for i, node in enumerate(ordered)}
    slot |= {node: slot[_itself(node)] for node in main.lines if node.op == APART}
    rounded, single = _values(constants, MPMATH), _values(constants, SINGLE_MPMATH)

    def code(lines: Sequence[Expr]) -> tuple[Line, ...]:
        return tuple(_line(x, slot, x in turned) for x in lines if x not in inside)

    def at(nodes: Sequence[Expr]) -> tuple[int, ...]:
        return tuple(slot[x] for x in nodes)

    inputs = [Port(p.name, (len(p.symbols),), at(p.symbols), p.unit, p.doc, p.role, p.names) for p in function.inputs]
    outputs = [Port(p.name, p.shape, at(p.exprs), p.unit, p.doc, gives=p.gives) for p in function.outputs]
    checks = [Check(slot[a], slot[b], x.words, x.names) for x, (a, b) in zip(conditions, sides, strict=True)]
    others = [x for x, double in zip(zip(at(constants), single), rounded, strict=True) if x[1] != double]
    tape = Tape(
        function.name, tuple(inputs), tuple(zip(at(constants), rounded, strict=True)), code(offline), code(online),
        tuple(outputs), tuple(names[node] for node in ordered), function.provenance, code(guard.lines), tuple(checks),
        function.cost, tuple(others),
    )  # fmt: skip
    verify(tape)
    return tape


def _line(node: Expr, slot: Mapping[Expr, int], turned: bool) -> Line:
    op, args = ("sub", node.args[0].args[::-1]) if turned else (node.op, node.args)
    return Line(slot[node], op, tuple(slot[a] for a in args))


def _find_turned_signs(function: Function, lines: Sequence[Expr]) -> set[Expr]:
    """The signs before differences that nobody else reads, and that have no name of their own."""
    # an output is a reader: −(x − y) and x − y may both be requested
    read = Counter([*(arg for node in lines for arg in node.args), *function.roots])
    return {
        node
        for node in lines
        if node.op == "neg" and node.args[0].op == "sub" and read[node.args[0]] == 1
        if node.args[0] not in function.labels
    }


def constants_of(function: Function) -> list[tuple[Expr, float]]:
    """The numbers of a function's tape: what each is exactly, and its value rounded once."""
    ports = {symbol for port in function.inputs for symbol in port.symbols}
    constants = _order_nodes(topological([*ports, *function.roots]), function.roots, ports).constants
    return list(zip(constants, _values(constants, MPMATH), strict=True))


def _itself(node: Expr) -> Expr:
    """What is apart, as the value it is."""
    while node.op == APART:
        node = node.args[0]
    return node


class _Order(NamedTuple):
    constants: list[Expr]  # numbers that something reads
    lines: list[Expr]


def _order_nodes(nodes: Sequence[Expr], roots: Sequence[Expr], known: set[Expr]) -> _Order:
    """What has to be computed for the roots besides what is known."""
    numeric = _numeric(nodes)
    needed = _needed_numerics(nodes, roots, numeric)
    constants = [x for x in nodes if x in numeric and x in needed and x not in known]
    # numbers between numbers get no slot: they are folded before anything runs
    return _Order(constants, [x for x in nodes if x not in numeric and x not in known])


def _values(constants: Sequence[Expr], maths: Maths[Any]) -> list[float]:
    # far more digits than a double has: the one rounding at the end is then the only one
    with mpmath.workdps(DIGITS):
        return [float(value) for value in evaluate(constants, {}, maths)]


def _numeric(nodes: Sequence[Expr]) -> set[Expr]:
    """Nodes with no symbol below them."""
    numeric: set[Expr] = set()
    for node in nodes:
        if node.op in ("const", "angle", "tolerance") or (node.args and all(arg in numeric for arg in node.args)):
            numeric.add(node)
    return numeric


def _needed_numerics(nodes: Sequence[Expr], roots: Sequence[Expr], numeric: set[Expr]) -> set[Expr]:
    """Numeric nodes that something symbolic, or a root, reads."""
    readers = (arg for node in nodes if node not in numeric for arg in node.args)
    return {node for node in [*readers, *roots] if node in numeric}


def _names(function: Function, ordered: Sequence[Expr]) -> tuple[str, ...]:
    """Symbols keep their names; sines are s1, c23; labelled nodes their label; the rest D1, D2, …"""
    taken = {str(node.data) for node in ordered if node.op == "symbol"}
    names: list[str] = []
    count = 0
    for node in ordered:
        wish = str(node.data) if node.op == "symbol" else trig_name(node) or function.labels.get(node, "")
        if node.op != "symbol" and (not wish or wish in taken):
            # a label may repeat another, or be the name of a symbol
            count, wish = _fresh(count, taken)
        taken.add(wish)
        names.append(wish)
    return tuple(names)


def _fresh(count: int, taken: set[str]) -> tuple[int, str]:
    count += 1
    while f"D{count}" in taken:
        count += 1
    return count, f"D{count}"


def trig_name(node: Expr) -> str:
    """c2 for cos(q2), s23 for sin(q2 + q3), c2m3 for cos(q2 − q3); c1_12 past nine joints; else nothing."""
    if node.op not in ("sin", "cos"):
        return ""
    parts = []
    for term, times in angle_terms(node.args[0]):
        match = re.fullmatch(r"q(\d+)", str(term.data)) if term.op == "symbol" and abs(times) == 1 else None
        if match is None:
            return ""
        parts.append((int(match[1]), times))
    parts.sort()
    # c112 could be c1_12 or c11_2
    joiner = "_" if len(parts) > 1 and parts[-1][0] > 9 else ""
    text = joiner.join(("m" if times < 0 else "") + str(joint) for joint, times in parts)
    return node.op[0] + text


def verify(tape: Tape) -> None:
    """What a legal tape is: every slot is filled once, before it is read; names are unique identifiers."""
    filled = {slot for port in tape.inputs for slot in port.slots} | {slot for slot, _ in tape.constants}
    for line in (*tape.lines, *tape.guard):
        assert len(line.args) == OPS[line.op].arity, f"{line}: wrong number of arguments"
        assert filled.issuperset(line.args), f"{line}: reads a slot not yet filled"
        assert line.slot not in filled, f"{line}: fills a slot twice"
        filled.add(line.slot)
    for port in tape.outputs:
        assert filled.issuperset(port.slots), f"output {port.name} is not computed"
    assert all(filled.issuperset((x.magnitude, x.bound)) for x in tape.checks), "a check is not computed"
    assert len(set(tape.names)) == len(tape.names), "names are not unique"


def offline_needed(tape: Tape) -> list[int]:
    """Off-line slots that on-line lines or outputs read: what `prepare` must keep."""
    own = {line.slot for line in tape.offline}
    reads = {arg for line in tape.online for arg in line.args} | {s for port in tape.outputs for s in port.slots}
    return sorted(own & reads)


def parameters_of(tape: Tape) -> Port | None:
    """Parameters and settings, if there are any, as one port."""
    ports = [port for port in tape.inputs if not port.online]
    if len(ports) < 2:
        return ports[0] if ports else None
    slots = tuple(slot for port in ports for slot in port.slots)
    names = tuple(name for port in ports for name in port.names)
    return Port("p", (len(slots),), slots, role="parameter", names=names)


def variables_of(tape: Tape) -> tuple[Port, ...]:
    return tuple(port for port in tape.inputs if port.online)


def kept_slots(tape: Tape) -> list[int]:
    """What `prepare` hands on: parameters and off-line results that are read on line."""
    parameters = parameters_of(tape)
    reads = {arg for line in tape.online for arg in line.args} | {s for port in tape.outputs for s in port.slots}
    return [slot for slot in (parameters.slots if parameters else ()) if slot in reads] + offline_needed(tape)


@dataclass(frozen=True)
class Layout:
    """How the entries of a tape with states lie in a row of each array, by slots."""

    states: tuple[int, ...]
    drive: tuple[int, ...]
    noise: tuple[int, ...]
    following: tuple[int, ...]  # slots of the next states, in the order of the states
    outputs: tuple[int, ...]


def layout_of(tape: Tape) -> Layout:
    variables = variables_of(tape)
    states = [port for port in variables if port.role == "state"]
    following = {port.gives.state: port for port in tape.outputs if isinstance(port.gives, Next)}
    return Layout(
        _slots(states),
        _slots([port for port in variables if port.role == "variable"]),
        _slots([port for port in variables if port.role == "noise"]),
        _slots([following[port.name] for port in states]),
        _slots([port for port in tape.outputs if not isinstance(port.gives, Next)]),
    )


def _slots(ports: list[Port]) -> tuple[int, ...]:
    return tuple(slot for port in ports for slot in port.slots)
