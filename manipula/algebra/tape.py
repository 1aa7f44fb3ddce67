"""`Tape`: a function as one flat list of lines, which counting, evaluating, printing and compiling all walk.

Slots are numbered: inputs, constants, then one slot a line. Off-line lines (parameters alone) come first. What depends
on numbers alone is computed here once, with 60 digits, and rounded once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import mpmath

from manipula.algebra.expr.cost import Cost
from manipula.algebra.expr.evaluate import MPMATH, evaluate
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import Expr, angle_terms
from manipula.algebra.expr.ops import OPS
from manipula.algebra.expr.walk import topological
from manipula.scalar import Maths

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
    online: bool = True
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tape:
    """Branch-free: every line is computed, in order."""

    name: str
    inputs: tuple[Port, ...]
    constants: tuple[tuple[int, float], ...]  # slot, value rounded once
    offline: tuple[Line, ...]
    online: tuple[Line, ...]
    outputs: tuple[Port, ...]
    names: tuple[str, ...]  # a readable, unique name for every slot
    notes: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    cost: Cost = field(default_factory=Cost)

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.offline + self.online

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

    def digest(self) -> str:
        content = (self.name, self.inputs, self.constants, self.lines, self.outputs, self.names, self.conditions)
        return blake2b(repr(content).encode(), digest_size=16).hexdigest()


def tape_from_function(function: Function) -> Tape:
    """Order the nodes, fold what is numeric, name every slot."""
    ports = [symbol for port in function.inputs for symbol in port.symbols]
    given = set(ports)
    nodes = [node for node in topological([*ports, *function.roots]) if node not in given]
    numeric = _numeric(nodes)
    needed = _needed(function.roots, numeric)
    constants = [node for node in nodes if node in numeric and node in needed]
    lines = [node for node in nodes if node not in numeric]
    ordered = [*ports, *constants, *(x for x in lines if not x.online), *(x for x in lines if x.online)]
    slot = {node: i for i, node in enumerate(ordered)}
    with mpmath.workdps(DIGITS):
        rounded = [float(value) for value in evaluate(constants, {}, MPMATH)]

    def code(online: bool) -> tuple[Line, ...]:
        return tuple(Line(slot[x], x.op, tuple(slot[a] for a in x.args)) for x in lines if x.online == online)

    inputs = tuple(
        Port(p.name, (len(p.symbols),), tuple(slot[x] for x in p.symbols), p.unit, p.doc, p.online, p.names)
        for p in function.inputs
    )
    outputs = tuple(Port(p.name, p.shape, tuple(slot[x] for x in p.exprs), p.unit, p.doc) for p in function.outputs)
    tape = Tape(
        function.name,
        inputs,
        tuple((slot[node], value) for node, value in zip(constants, rounded, strict=True)),
        code(online=False),
        code(online=True),
        outputs,
        _names(function, ordered),
        function.notes,
        function.conditions,
        function.cost,
    )
    verify(tape)
    return tape


def _numeric(nodes: Sequence[Expr]) -> set[Expr]:
    """Nodes with no symbol below them."""
    numeric: set[Expr] = set()
    for node in nodes:
        if node.op in ("const", "angle") or (node.args and all(arg in numeric for arg in node.args)):
            numeric.add(node)
    return numeric


def _needed(roots: Sequence[Expr], numeric: set[Expr]) -> set[Expr]:
    """Numeric nodes that something symbolic, or an output, reads."""
    readers = (arg for node in topological(roots) if node not in numeric for arg in node.args)
    return {node for node in [*readers, *roots] if node in numeric}


def _names(function: Function, ordered: Sequence[Expr]) -> tuple[str, ...]:
    """Symbols keep their names; sines are s1, c23; labelled nodes their label; the rest D1, D2, …"""
    taken = {str(node.data) for node in ordered if node.op == "symbol"}
    names: list[str] = []
    count = 0
    for node in ordered:
        wish = str(node.data) if node.op == "symbol" else trig_name(node) or function.labels.get(node, "")
        if node.op != "symbol" and (not wish or wish in taken):
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
    joiner = "_" if len(parts) > 1 and parts[-1][0] > 9 else ""
    text = joiner.join(("m" if times < 0 else "") + str(joint) for joint, times in parts)
    return node.op[0] + text


def verify(tape: Tape) -> None:
    """What a legal tape is: every slot is filled once, before it is read; names are unique identifiers."""
    filled = {slot for port in tape.inputs for slot in port.slots} | {slot for slot, _ in tape.constants}
    for line in tape.lines:
        assert len(line.args) == OPS[line.op].arity, f"{line}: wrong number of arguments"
        assert filled.issuperset(line.args), f"{line}: reads a slot not yet filled"
        assert line.slot not in filled, f"{line}: fills a slot twice"
        filled.add(line.slot)
    for port in tape.outputs:
        assert filled.issuperset(port.slots), f"output {port.name} is not computed"
    assert len(set(tape.names)) == len(tape.names), "names are not unique"


def offline_needed(tape: Tape) -> list[int]:
    """Off-line slots that on-line lines or outputs read: what `prepare` must keep."""
    own = {line.slot for line in tape.offline}
    reads = {arg for line in tape.online for arg in line.args} | {s for port in tape.outputs for s in port.slots}
    return sorted(own & reads)


def slots_by_use(tape: Tape) -> Iterator[tuple[int, int]]:
    """(slot, number of reads), for emitters that inline what is read once."""
    counts: dict[int, int] = {}
    for line in tape.lines:
        for arg in line.args:
            counts[arg] = counts.get(arg, 0) + 1
    yield from sorted(counts.items())
