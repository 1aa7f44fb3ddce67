"""Base parameters of a robot: an exact rank in the prime field, and the combinations as formulas.

`mechanics` hands the inertias down to the candidates; `ranking` says which of them are independent. Here the others are
expressed by these, every base parameter is written as a combination of the standard parameters, and it is proved at
fresh random points, up to a stated error, that no torque is lost.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import log10
from random import Random
from typing import Any, Literal

import mpmath
import numpy as np

from manipula.algebra.expr import elimination
from manipula.algebra.expr.evaluate import MPMATH, evaluate
from manipula.algebra.expr.field import FieldMaths, P
from manipula.algebra.expr.function import Function, Input, Output, moved_to
from manipula.algebra.expr.maths import ExprMaths, free_symbols, rebuilt, topological
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.algebra.optimise.prove import degree_of
from manipula.algebra.show.equations import Equations, equations
from manipula.errors import InputError, ProofError
from manipula.generation.arm_structure import ArmStructure
from manipula.generation.column_ranking import (
    Ranking,
    State,
    field_state,
    integer,
    standard_rows,
    states_of,
    told_rows,
)
from manipula.mechanics.models.floating.dynamics import motion_of
from manipula.mechanics.models.linear.base_parameters import Slot, grouping_matrix, standard_slots, standard_values
from manipula.mechanics.models.linear.regressor import BODY_NAMES
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.bodies import refuse_ambiguous
from manipula.mechanics.robot.coordinates import Coordinates
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.vector import sum_of
from manipula.messages import Message
from manipula.support.text import html_table

Class = Literal["not identifiable", "alone", "in combinations"]
DRAWS = 2
LONG = 1000  # operations, written out
RIDERS = 8  # bodies beside the links whose ten parameters each stand in the formulas; more would hide the links'
TINY = 1e-9  # a pivot below leaves no digits
DIGITS, DUST = 45, 1e-30  # of numbers for print: no length or angle that was written down leads below
Y = list[list[Any]]


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """The identifiable parameters, each a combination of the standard ones.

    `formulas` has an output for every name; its inputs are the geometry and the standard parameters: of every link and
    every body that rides on one Lxx … m about the origin of its own frame, Ia fv fc fo where the file gives them.
    """

    robot: str
    names: tuple[str, ...]
    slots: tuple[Slot, ...]
    classes: dict[str, Class]
    values: tuple[float | None, ...]
    formulas: Function
    matrix: Function
    error_exponent: int
    folded: int = 0  # bodies that ride on links and enter the formulas as numbers
    residual: float | None = None  # of a robot with loops: decided in numbers, this much of the torques is lost

    def __len__(self) -> int:
        return len(self.names)

    @property
    def standard(self) -> int:
        """How many standard parameters there are."""
        return len(self.classes) + len(BODY_NAMES) * self.folded

    def of_class(self, wanted: Class) -> list[str]:
        """The standard parameters of one class."""
        return [name for name, found in self.classes.items() if found == wanted]

    @cached_property
    def by_name(self) -> dict[str, float | None]:
        """Name → value; None is symbolic."""
        return dict(zip(self.names, self.values))

    def equations(self, style: str = "text") -> Equations:
        """A line for every base parameter, with auxiliary ones where the arm's angles would make it too long."""
        shown = _in_numbers(self.formulas)
        long = shown.tree_cost.grand_total > LONG
        return equations(shown, "auxiliary" if long else "factored", style)

    def latex(self) -> str:
        return str(self.equations("latex"))

    def as_dict(self) -> dict[str, object]:
        return {
            "robot": self.robot,
            "count": len(self),
            "base": self.by_name,
            "formulas": [f"{left} = {right}" for left, right in self.equations()],
            "classes": self.classes,
            "proof": self.proof,
        }

    @property
    def proof(self) -> str:
        if self.residual is not None:
            return Message(
                "in numbers, where the loops close; torques at further closed positions kept to {residual:.0e}",
                self.residual,
            )
        return Message(
            "independent for certain; torques kept at {draws} random points of GF(2^61-1), chance of error below "
            "1e{exponent}", DRAWS, self.error_exponent,
        )  # fmt: skip

    def rows(self, style: str = "text") -> list[tuple[str, str, str]]:
        """(name, value, combination), and auxiliary ones where there are such."""
        values = {name: "" if value is None else f"{value:.6g}" for name, value in self.by_name.items()}
        names = (printed for printed, _ in self.equations("text"))
        return [(left, values.get(name, ""), right) for name, (left, right) in zip(names, self.equations(style))]

    def __repr__(self) -> str:
        names = ", ".join(self.names[:6]) + (", …" if len(self) > 6 else "")
        return f"<{len(self)} base parameters of {self.robot}, out of {self.standard} standard ones: {names}>"

    def _repr_html_(self) -> str:
        title = f"{len(self)} base parameters of {self.robot}, out of {self.standard} standard ones"
        return html_table(("name", "value", "combination"), self.rows("unicode"), title)

    def __str__(self) -> str:
        listed = {name: ", ".join(self.of_class(name)) or "none" for name in ("not identifiable", "alone")}
        lines = [f"{self.robot}: {len(self)} base parameters of {self.standard} standard ones", ""]
        lines += [str(self.equations("text")), ""]
        lines += [f"{name}: {text}" for name, text in listed.items()]
        lines += [f"in combinations: {', '.join(self.of_class('in combinations')) or 'none'}"]
        lines += [f"as numbers: {self.folded} bodies that ride on the links"] if self.folded else []
        lines += [f"proof: {self.proof}"]
        return "\n".join(lines)


def base_parameters_of(robot: RobotDescription, symbolic: Symbolic = "auto") -> BaseParameters:
    """The base parameters of a robot, proved."""
    return base_parameters_from(ArmStructure(robot, symbolic))


def base_parameters_from(structure: ArmStructure) -> BaseParameters:
    """The same, of a robot whose structure is at hand."""
    robot = structure.robot
    refuse_ambiguous(robot)
    if robot.loops:
        return _closed_parameters(structure)
    found = structure.column_ranking
    graph = Graph()
    chain = structure.bound_tree(ExprMaths(graph), structure.symbols(graph.symbol))
    standard, values = standard_slots(chain), standard_values(chain)
    B = [[graph.expr(x) for x in row] for row in grouping_matrix(chain, standard)]
    weights = _coefficients(chain, robot.coordinates, graph, found.dropped)
    _refuse_tiny_pivots(robot, [x for parts in weights.values() for x in parts.values()])
    C = _combination_matrix(B, found, weights)
    matrix = _matrix_function(robot, graph, C)
    folded = _numeric_rider_values(standard, values)
    return BaseParameters(
        robot.name,
        found.names,
        found.base,
        {slot.name: each for slot, each in zip(standard, _classes(C)) if slot not in folded},
        tuple(_value(_dot(row, values, graph)) for row in C),
        _formulas(matrix, found.names, {slot: folded.get(slot) for slot in standard}, C),
        matrix,
        _prove_grouping(structure, matrix),
        len({slot.rider for slot in folded}),
    )


def _closed_parameters(structure: ArmStructure) -> BaseParameters:
    """Of a robot with loops, whose lengths must have values: the combinations are numbers."""
    robot, found, graph = structure.robot, structure.closed_ranking, Graph()
    chain = structure.bound_tree(ExprMaths(graph), structure.symbols(graph.symbol))
    standard, values = standard_slots(chain), standard_values(chain)
    C = [[graph.const(Fraction(f"{x:.13g}")) for x in row] for row in found.combinations]
    matrix = _matrix_function(robot, graph, C)
    # a parameter is identifiable alone where it is a combination of the base parameters
    basis = np.linalg.svd(found.combinations, full_matrices=False)[2]
    left = np.linalg.norm(np.eye(len(standard)) - basis.T @ basis, axis=0)
    felt = np.abs(found.combinations).max(axis=0) > 0
    classes: list[Class] = [
        "alone" if x < 1e-7 else "in combinations" if y else "not identifiable" for x, y in zip(left, felt)
    ]
    return BaseParameters(
        robot.name, found.ranking.names, found.ranking.base, {x.name: y for x, y in zip(standard, classes)},
        tuple(_value(_dot(row, values, graph)) for row in C),
        _formulas(matrix, found.ranking.names, dict.fromkeys(standard), C), matrix, 0, residual=found.residual,
    )  # fmt: skip


# the formulas


def _coefficients(
    chain: Tree, moves: Coordinates, graph: Graph, dropped: dict[int, elimination.Dependency]
) -> dict[int, dict[int, Expr]]:
    """Every dependent column's coefficients as expressions of the geometry.

    They hold at every state, so states with rational sines and no variables give them, from small linear systems.
    """
    wanted = {k: list(parts) for k, parts in dropped.items() if parts}
    if not wanted:
        return {}
    still = replace(chain, links=tuple(_links_from_zero(chain)), maths=elimination.RationalAngleMaths(graph))
    rng, stacked = Random(1), list[list[Expr]]()
    found: dict[int, dict[int, Expr]] = {}
    for _ in range(states_of(chain)):
        stacked += [[graph.expr(x) for x in row] for row in told_rows(still, _rational_state(still, moves, rng))]
        for k in wanted.keys() - found.keys():
            columns, right = [[row[c] for c in wanted[k]] for row in stacked], [row[k] for row in stacked]
            solution = elimination.solve_in_field(columns, right)
            if solution is not None:
                found[k] = dict(zip(wanted[k], solution))
        if len(found) == len(wanted):
            return found
    raise ProofError("the combinations of the base parameters could not be solved for")


def _refuse_tiny_pivots(robot: RobotDescription, factors: Sequence[Expr]) -> None:
    """A factor of 1e15 is the inverse of what should be zero: a table kept exactly, whose axes almost meet a rule."""
    numbers = [x for x in factors if not free_symbols([x])]
    largest = max((abs(float(x)) for x in evaluate(numbers, {}, FLOATS)), default=0.0)
    if not largest * TINY <= 1:
        raise InputError(
            "{name}: the base parameters would divide by {told:.1e}: some angle is not quite a multiple of "
            "90°, or some length not quite zero (load the robot without exact=True, or write what is meant)",
            robot.name,
            1 / largest,
        )


def _links_from_zero(chain: Tree) -> Iterator[Link]:
    """Where a joint counts from does not matter, unless another one follows it."""
    free = not chain.coordinates.followers
    for link in chain.links:
        offset = 0 if free else elimination.known_angle(link.offset, chain.maths) if link.kind.turns else link.offset
        yield replace(link, offset=offset)


def _rational_state(chain: Tree, moves: Coordinates, rng: Random) -> State:
    """Positions and rates of the joints. A coordinate that only slides is a number, every other one an angle."""
    of, turning = moves.in_parts, [link.kind.turns for link in chain.links]
    turned = {c for row, turns in zip(of.rows, turning, strict=True) if turns for c, _ in row.terms}
    parts = [elimination.rational_angle(rng) if c in turned else rng.randint(2, 9) for c in range(len(of))]
    rates = [rng.choice((-5, -3, -2, 1, 2, 3, 7)) for _ in parts]
    accelerations = [rng.randint(-9, 9) for _ in parts]
    slides = [x.amount if isinstance(x, elimination.RationalAngle) else x for x in parts]
    rows = zip(of.rows, turning, strict=True)
    q = [sum_of(times * (parts if turns else slides)[c] for c, times in row.terms) for row, turns in rows]
    state: State = (q, of.spread(rates), of.spread(accelerations))
    if chain.moving:
        state += (motion_of({x: [rng.randint(-9, 9) for _ in range(3)] for x in ("w0", "wd0", "a0")}),)
    return state


def _combination_matrix(B: list[list[Expr]], found: Ranking, D: dict[int, dict[int, Expr]]) -> list[list[Expr]]:
    """C = B of the columns kept, and what the others give to them."""
    rows = {k: list(B[k]) for k in found.kept}
    for other, parts in D.items():
        for k, factor in parts.items():
            rows[k] = [x + factor * y if y.value else x for x, y in zip(rows[k], B[other])]
    return [[x if sign > 0 else -x for x in row] for row, sign in zip(rows.values(), found.signs)]


def _dot(row: Sequence[Expr], values: Sequence[Any], graph: Graph) -> Expr:
    total = graph.zero
    for factor, value in zip(row, values, strict=True):
        if factor.value:
            total = total + factor * value
    return total


def _value(expr: Expr) -> float | None:
    return None if free_symbols([expr]) else float(evaluate([expr], {}, FLOATS)[0])


def _matrix_function(robot: RobotDescription, graph: Graph, C: list[list[Expr]]) -> Function:
    flat = [x for row in C for x in row]
    symbols = tuple(free_symbols(flat))
    inputs = (Input("p", symbols, "SI", "geometry", role="parameter"),) if symbols else ()
    shape = (len(C), len(C[0]) if C else 0)
    output = Output("C", shape, tuple(flat), "SI", "base parameters = C · standard parameters")
    return Function("base_parameters", graph, inputs, (output,), provenance=Provenance(robot.name))


def _numeric_rider_values(standard: Sequence[Slot], values: Sequence[object]) -> dict[Slot, Any]:
    """The riders' parameters that enter the formulas as numbers: of those in numbers, where riders are many."""
    riders = dict.fromkeys(slot.rider for slot in standard if slot.rider)
    if len(riders) <= RIDERS:
        return {}
    exprs = [x for x in values if isinstance(x, Expr)]
    open_ones = {x for x in exprs if free_symbols([x])}
    named = {slot.rider for slot, x in zip(standard, values) if isinstance(x, Expr) and x in open_ones}
    return {slot: x for slot, x in zip(standard, values) if slot.rider and slot.rider not in named}


def _formulas(matrix: Function, names: Sequence[str], standard: Mapping[Slot, Any], C: list[list[Expr]]) -> Function:
    """An output for every base parameter, in symbols of the standard ones; some have numbers in their place."""
    symbols = {slot: matrix.graph.symbol(slot.name) for slot, number in standard.items() if number is None}
    numbers = [0 if number is None else number for number in standard.values()]
    own = [symbols.get(slot, 0) for slot in standard]
    outputs = [
        Output(name, (), (_dot(row, own, matrix.graph) + _dot(row, numbers, matrix.graph),), "SI", "base parameter")
        for name, row in zip(names, C)
    ]
    inputs = (*matrix.inputs, Input("x", tuple(symbols.values()), "SI", "standard parameters", role="parameter"))
    return replace(matrix, inputs=inputs, outputs=tuple(outputs))


def _in_numbers(function: Function) -> Function:
    """For print: what has no symbol in it, the sine of a number or a product of such, as its decimal."""
    nodes = topological(function.roots)
    symbolic: set[Expr] = set()
    for node in nodes:
        if node.op == "symbol" or any(arg in symbolic for arg in node.args):
            symbolic.add(node)
    numeric = [node for node in nodes if node not in symbolic and node.args]
    with mpmath.workdps(DIGITS):
        decimals = [_decimal(x) for x in evaluate(numeric, {}, MPMATH)]
    graph = Graph()
    given = {node: graph.const(x) for node, x in zip(numeric, decimals)}
    moved = moved_to(function.with_roots([function.graph.zero] * len(function.roots), labels={}), graph)
    return moved.with_roots(rebuilt(function.roots, graph, given))


def _decimal(x: Any) -> Fraction:
    """Fifteen digits; what only rounding keeps from zero, as in 2·cos²45° − 1, is zero."""
    return Fraction(0) if abs(x) < DUST else Fraction(mpmath.nstr(x, 15))


def _classes(C: list[list[Expr]]) -> list[Class]:
    """A parameter is identifiable alone when it is a combination of the base parameters."""
    rows, pivots = elimination.reduced_rows([[x.value for x in row] for row in C])
    alone = {p for p, row in zip(pivots, rows) if sum(map(bool, row)) == 1}
    felt = {k for row in rows for k, x in enumerate(row) if x}
    width = len(C[0]) if C else 0
    return ["alone" if k in alone else "in combinations" if k in felt else "not identifiable" for k in range(width)]


# the proof


def _prove_grouping(structure: ArmStructure, matrix: Function) -> int:
    """Y of all parameters = Y of the base parameters · C, at fresh points; log10 of the chance that it is wrong."""
    robot, moves, entries = structure.robot, structure.robot.coordinates, 0
    for _ in range(DRAWS):
        chain = structure.in_field(f"base parameters {secrets.token_hex(16)}")
        wrong, entries = _mismatches(chain, moves, matrix, structure.column_ranking)
        if wrong:
            raise ProofError(
                "{name}: the base parameters found lose torque ({wrong} entries differ)", robot.name, wrong
            )
    multiples = sum(abs(times) for row in moves.in_parts.rows for _, times in row.terms)
    degree = degree_of(matrix) + 8 * multiples + 6  # each angle and each twist at most twice, rates, lengths
    return int(DRAWS * (log10(degree) + log10(max(entries, 1)) - log10(P)))


def _mismatches(chain: Tree, moves: Coordinates, matrix: Function, found: Ranking) -> tuple[int, int]:
    chain, state = field_state(chain, moves, "proof")
    assert isinstance(chain.maths, FieldMaths)
    symbols = {name: chain.maths.symbol(name) for port in matrix.inputs for name in port.names}
    flat = [integer(x) for x in matrix(symbols, chain.maths)["C"]]
    width = matrix.outputs[0].shape[1]
    C = [flat[i : i + width] for i in range(0, len(flat), width)]
    full = select_columns(*standard_rows(chain, state), [slot.name for slot in standard_slots(chain)])
    base = [found.columns(row) for row in told_rows(chain, state)]
    wrong = sum(
        integer(true) != sum(integer(y) * row[k] for y, row in zip(base_row, C)) % P
        for full_row, base_row in zip(full, base)
        for k, true in enumerate(full_row)
    )
    return wrong, len(full) * width


def select_columns(rows: Y, names: Sequence[object], wanted: Sequence[object]) -> Y:
    """Some columns by name."""
    at = {name: k for k, name in enumerate(names)}
    return [[row[at[name]] for name in wanted] for row in rows]
