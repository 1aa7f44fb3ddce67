"""The derivatives of a tape as further tapes: Jacobian, directional derivative, adjoint product.

    jac    ∂y/∂x, a block for every output and input, its entries that are not always zero
    fwd1   ẏ = Σ ∂y/∂x ẋ
    adj1   x̄ = Σ (∂y/∂x)ᵀ ȳ

The tape is written once more on expressions, which differentiate themselves and share what is equal in value; each
result is then compared with the slopes of the operation table, carried along the tape, at fresh points of the prime
field. Entries of matrices follow each other as CasADi has them, column by column.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite, prod
from typing import Any, NamedTuple

from manipula.algebra.emit.ports import Namer, identifier
from manipula.algebra.emit.reference import with_square_poses
from manipula.algebra.expr.field import WIDE, FieldMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths, jacobian, pullback, tangents
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.tape import Line, Port, Tape, tape_from_function
from manipula.errors import InputError, ProofError
from manipula.scalar import OPS, Maths

DRAWS = 2  # of the field with 2¹²⁷ − 1 elements: a wrong derivative passes one with a chance below 1e-30


@dataclass(frozen=True)
class SparseMatrix:
    """An argument of CasADi: its size, and the places of its entries, column by column."""

    name: str
    rows: int
    columns: int
    entries: tuple[tuple[int, int], ...]

    @property
    def is_dense(self) -> bool:
        return len(self.entries) == self.rows * self.columns

    @property
    def starts(self) -> list[int]:
        """Where each column begins among the entries, and where the last one ends."""
        return [sum(column < j for _, column in self.entries) for j in range(self.columns + 1)]

    @property
    def pattern(self) -> list[int]:
        """As `casadi.external` reads it: the size, then 1 where nothing is left out, else starts and rows."""
        if self.is_dense:
            return [self.rows, self.columns, 1]
        return [self.rows, self.columns, *self.starts, *(row for row, _ in self.entries)]


def _dense(name: str, rows: int, columns: int) -> SparseMatrix:
    return SparseMatrix(name, rows, columns, tuple((i, j) for j in range(columns) for i in range(rows)))


@dataclass(frozen=True)
class External:
    """A function as CasADi calls it: a tape, a port for every matrix that has entries."""

    name: str
    tape: Tape
    inputs: tuple[SparseMatrix, ...]
    outputs: tuple[SparseMatrix, ...]


def value_of(tape: Tape, name: str) -> External:
    """The tape itself, its entries column by column; ports without entries are left out."""
    tape, namer = with_square_poses(tape), Namer(())
    ports: dict[bool, list[Port]] = {True: [], False: []}
    matrices: dict[bool, list[SparseMatrix]] = {True: [], False: []}
    for is_input, port in [*((True, x) for x in tape.inputs), *((False, x) for x in tape.outputs)]:
        if not port.slots:
            continue
        wish = port.name if is_input or identifier(port.name) not in namer.taken else f"{port.name}_out"
        matrix = _dense(namer.name(wish), *_size(port.shape))
        order = [row * matrix.columns + column for row, column in matrix.entries]
        names = tuple(port.names[i] for i in order) if port.names else ()
        slots = tuple(port.slots[i] for i in order)
        ports[is_input].append(replace(port, name=matrix.name, shape=(len(slots),), slots=slots, names=names))
        matrices[is_input].append(matrix)
    flat = replace(tape, inputs=tuple(ports[True]), outputs=tuple(ports[False]))
    return External(name, flat, tuple(matrices[True]), tuple(matrices[False]))


def _size(shape: Sequence[int]) -> tuple[int, int]:
    """A vector is a column; of more than two axes the last are the columns, the others the rows."""
    return (prod(shape[:-1]), shape[-1]) if len(shape) > 1 else (prod(shape), 1)


class _Drafted(NamedTuple):
    """A derivative before it is a tape: what it takes besides the inputs, and the entries of its results."""

    word: str
    seeds: Sequence[Input]
    seeded: Sequence[SparseMatrix]
    outputs: Sequence[tuple[SparseMatrix, Sequence[Expr]]]


class Derivatives:
    """The derivatives of a function, each proved."""

    def __init__(self, of: External) -> None:
        self.of, self.graph = of, Graph()
        self.inputs = [self._letters(x) for x in of.tape.inputs]
        self.symbols = [symbol for port in self.inputs for symbol in port.symbols]
        given = dict(zip(_slots(of.tape.inputs), self.symbols, strict=True))
        values = _values(of.tape, given, ExprMaths(self.graph))
        self.results: list[Expr] = [values[slot] for slot in _slots(of.tape.outputs)]
        self.plain = replace(
            of.tape,
            offline=tuple(_in_order(line, values) for line in of.tape.offline),
            online=tuple(_in_order(line, values) for line in of.tape.online),
        )

    def jacobian(self) -> External:
        """jac_F: blocks in the order of outputs, then of inputs."""
        slopes = jacobian(self.results, self.symbols)
        blocks: list[tuple[SparseMatrix, Sequence[Expr]]] = []
        for y, row in _with_starts(self.of.outputs):
            for x, column in _with_starts(self.of.inputs):
                m, n = len(y.entries), len(x.entries)
                places = [(i, j) for j in range(n) for i in range(m) if slopes[row + i][column + j].value]
                entries = [slopes[row + i][column + j] for i, j in places]
                blocks.append((SparseMatrix(f"jac_{y.name}_{x.name}", m, n, tuple(places)), entries))
        return self._finish(_Drafted("jac", (), (), blocks))

    def tangent(self) -> External:
        """fwd1_F: the rates of the outputs, from those of the inputs."""
        seeds = [self._letters(x, "fwd_") for x in self.of.tape.inputs]
        rates = [symbol for port in seeds for symbol in port.symbols]
        found = iter(tangents(self.results, dict(zip(self.symbols, rates, strict=True))))
        outputs = [(replace(y, name=f"fwd_{y.name}"), [next(found) for _ in y.entries]) for y in self.of.outputs]
        return self._finish(_Drafted("fwd1", seeds, self.of.inputs, outputs))

    def adjoint(self) -> External:
        """adj1_F: the product of the transposed Jacobian with weights of the outputs."""
        seeds = [self._letters(y, "adj_") for y in self.of.tape.outputs]
        weights = [symbol for port in seeds for symbol in port.symbols]
        found = iter(pullback(self.results, weights, self.symbols))
        outputs = [(replace(x, name=f"adj_{x.name}"), [next(found) for _ in x.entries]) for x in self.of.inputs]
        return self._finish(_Drafted("adj1", seeds, self.of.outputs, outputs))

    def _letters(self, port: Port, word: str = "") -> Input:
        """Symbols for the entries of a port, or for their rates or weights."""
        symbols = tuple(self.graph.symbol(f"{word}{x}", online=bool(word) or port.online) for x in _entries(port))
        return Input(f"{word}{port.name}", symbols, port.unit, port.doc, "variable" if word else port.role)

    def _finish(self, draft: _Drafted) -> External:
        of, name = self.of, f"{draft.word}_{self.of.name}"
        ports = tuple(Output(x.name, (len(exprs),), tuple(exprs)) for x, exprs in draft.outputs if exprs)
        origin = replace(of.tape.provenance, model=f"{name}: derivative of {of.tape.provenance.model}", parts=())
        function = Function(name, self.graph, (*self.inputs, *draft.seeds), ports, provenance=origin)
        self._prove(function, draft)
        # CasADi hands the results over, too; nobody reads them
        results = [replace(x, name=f"out_{x.name}", entries=()) for x in of.outputs]
        rates = [replace(x, name=f"{draft.word[:3]}_{x.name}") for x in draft.seeded]
        outputs = tuple(x for x, _ in draft.outputs)
        return External(name, tape_from_function(function), (*of.inputs, *results, *rates), outputs)

    def _prove(self, function: Function, draft: _Drafted) -> None:
        """ȳ·ẏ at random places, directions ẋ and weights ȳ: by the derivative, and by slopes carried along the tape."""
        tape = self.plain
        for _ in range(DRAWS):
            maths = FieldMaths(secrets.token_hex(16), WIDE)
            at = {str(x.data): maths.symbol(str(x.data)) for x in self.symbols}
            rates, weights = (
                [maths.symbol(f"{word}{x}") for port in ports for x in _entries(port)]
                for word, ports in (("fwd_", tape.inputs), ("adj_", tape.outputs))
            )
            seeds = {str(x.data): maths.symbol(str(x.data)) for port in draft.seeds for x in port.symbols}
            outputs = function({**at, **seeds}, maths)
            carried = _carried_rates(tape, list(at.values()), rates, maths)
            true = _dot(weights, carried)
            if maths.differs(self._bilinear(draft, outputs, rates, weights), true):
                raise ProofError("{name} is not the derivative of {function}", function.name, self.of.name)

    def _bilinear(
        self, draft: _Drafted, outputs: Mapping[str, Any], rates: Sequence[Any], weights: Sequence[Any]
    ) -> Any:
        values = {x.name: outputs[x.name] if exprs else [] for x, exprs in draft.outputs}
        if draft.word == "fwd1":
            return _dot(weights, [x for y in values.values() for x in y])
        if draft.word == "adj1":
            return _dot(rates, [x for y in values.values() for x in y])
        total: Any = 0
        blocks = {x.name: x for x, _ in draft.outputs}
        for y, row in _with_starts(self.of.outputs):
            for x, column in _with_starts(self.of.inputs):
                name = f"jac_{y.name}_{x.name}"
                for (i, j), slope in zip(blocks[name].entries, values[name], strict=True):
                    total = total + weights[row + i] * slope * rates[column + j]
        return total


def externals(tape: Tape, name: str) -> tuple[External, ...]:
    """F, jac_F, fwd1_F and adj1_F."""
    of = value_of(tape, name)
    derivatives = Derivatives(of)
    return of, derivatives.jacobian(), derivatives.tangent(), derivatives.adjoint()


def _entries(port: Port) -> tuple[str, ...]:
    return port.names or tuple(f"{port.name}_{i + 1}" for i in range(len(port.slots)))


def _slots(ports: Sequence[Port]) -> list[int]:
    return [slot for port in ports for slot in port.slots]


def _with_starts(matrices: Sequence[SparseMatrix]) -> Iterator[tuple[SparseMatrix, int]]:
    """Each with the number of entries before it."""
    start = 0
    for matrix in matrices:
        yield matrix, start
        start += len(matrix.entries)


def _values(tape: Tape, given: Mapping[int, Any], maths: Maths[Any]) -> dict[int, Any]:
    """Every slot over a scalar whose numbers are exact; the constants are taken as their decimals."""
    if not all(isfinite(value) for _, value in tape.constants):
        raise InputError("{name}: its results contain NaN or infinity, which have no derivative for CasADi", tape.name)
    values: dict[int, Any] = {slot: maths.number(Fraction(repr(value))) for slot, value in tape.constants}
    values |= given
    for line in tape.lines:
        values[line.slot] = OPS[line.op].value(maths, *(values[arg] for arg in line.args))
    return values


def _in_order(line: Line, values: Mapping[int, Expr]) -> Line:
    """The arguments of min and max as the expression orders them: where both are equal, the order decides the slope."""
    swapped = OPS[line.op].commutative and values[line.slot].args[0] is not values[line.args[0]]
    return replace(line, args=line.args[::-1]) if swapped else line


def _carried_rates(tape: Tape, at: Sequence[Any], rates: Sequence[Any], maths: Maths[Any]) -> list[Any]:
    """The rates of the outputs: ẏ = Σ ∂op/∂arg · rate of the argument, line by line."""
    inputs = _slots(tape.inputs)
    values = _values(tape, dict(zip(inputs, at, strict=True)), maths)
    rate: dict[int, Any] = dict(zip(inputs, rates, strict=True))
    for line in tape.lines:
        slopes = OPS[line.op].slopes(maths, values[line.slot], *(values[arg] for arg in line.args))
        rate[line.slot] = _dot(
            [0 if slope is None else slope for slope in slopes], [rate.get(arg, 0) for arg in line.args]
        )
    return [rate.get(slot, 0) for slot in _slots(tape.outputs)]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
