"""Base parameters of a robot: an exact rank in the prime field, and the combinations as formulas.

`mechanics` hands the inertias down to the candidates and says how the torques depend on them; here the columns that
still depend on each other are found by elimination in GF(2⁶¹−1) on the regressor stacked over random states. That the
columns kept are independent is then certain (a minor that is not zero at one point); that nothing is lost with the
others, and that the combinations are the ones written, is proved at fresh random points, up to a stated error.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log10
from random import Random
from typing import Any, Literal

from manipula.algebra.expr.elimination import Dependency, dependencies, reduced_rows, solved
from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.field import Element, FieldMaths, P, rational
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.rational_angles import RationalAngleMaths, rational_angle
from manipula.algebra.expr.walk import free_symbols
from manipula.algebra.optimise.prove import degree_of
from manipula.algebra.show.equations import Equations, equations
from manipula.errors import InputError, ProofError
from manipula.mechanics.models.base_parameters import (
    Slot,
    candidate_slots,
    grouping,
    own_moment,
    reduced_regressor,
    standard_slots,
    standard_values,
)
from manipula.mechanics.models.regressor import columns, regressor
from manipula.mechanics.robot.bind import Symbolic, bind, free_parameters
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.robot.description import Robot
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS

Class = Literal["not identifiable", "alone", "in combinations"]
STATES = 16  # joint n alone must tell its own link's parameters apart: seven, and four of its actuator
DRAWS = 2
Y = list[list[Any]]


@dataclass(frozen=True)
class BaseParameters:
    """The parameters the torques can tell, each a combination of the standard ones.

    `formulas` has an output for every name; its inputs are the geometry and the standard parameters of every link,
    Ixx … m about the origin of the link's frame, Ia fv fc fo where the file gives them.
    """

    robot: str
    names: tuple[str, ...]
    slots: tuple[Slot, ...]
    classes: dict[str, Class]
    values: tuple[float | None, ...]
    formulas: Function
    matrix: Function
    error_exponent: int

    def __len__(self) -> int:
        return len(self.names)

    def of_class(self, wanted: Class) -> list[str]:
        """The standard parameters of one class."""
        return [name for name, found in self.classes.items() if found == wanted]

    @cached_property
    def by_name(self) -> dict[str, float | None]:
        """Name → value; None is symbolic."""
        return dict(zip(self.names, self.values))

    def equations(self, style: str = "text") -> Equations:
        """One line for every base parameter; style "text", "unicode" or "latex"."""
        return equations(self.formulas, "factored", style)

    def latex(self) -> str:
        return str(self.equations("latex"))

    def as_dict(self) -> dict[str, Any]:
        texts = [right for _, right in self.equations()]
        rows = zip(self.names, self.values, texts, strict=True)
        return {
            "robot": self.robot,
            "count": len(self),
            "base": [{"name": name, "value": value, "formula": text} for name, value, text in rows],
            "classes": self.classes,
            "proof": self.proof,
        }

    @property
    def proof(self) -> str:
        return (
            f"independent for certain; torques kept at {DRAWS} random points of GF(2^61-1), "
            f"chance of error below 1e{self.error_exponent}"
        )

    def __str__(self) -> str:
        listed = {name: ", ".join(self.of_class(name)) or "none" for name in ("not identifiable", "alone")}
        lines = [f"{self.robot}: {len(self)} base parameters of {len(self.classes)} standard ones", ""]
        lines += [str(self.equations("text")), ""]
        lines += [f"{name}: {text}" for name, text in listed.items()]
        lines += [f"in combinations: {', '.join(self.of_class('in combinations')) or 'none'}", f"proof: {self.proof}"]
        return "\n".join(lines)


def base_parameters_of(robot: Robot, symbolic: Symbolic = "auto") -> BaseParameters:
    """The base parameters of a robot, proved."""
    slots, kept, dropped = _ranked(robot, symbolic)
    graph = Graph()
    geometry = {name: graph.symbol(name) for name in free_parameters(robot, symbolic)}
    chain = merge_fixed(bind(robot, ExprMaths(graph), geometry, symbolic))
    C = _combined([[graph.expr(x) for x in row] for row in grouping(chain)], kept, _coefficients(chain, graph, dropped))
    standard = [slot.name for slot in standard_slots(chain)]
    names = [_name(_renamed(slots[k], slots, dropped), row, standard) for k, row in zip(kept, C)]
    matrix = _matrix_function(robot, graph, C)
    values = [_value(_dot(row, standard_values(chain), graph)) for row in C]
    return BaseParameters(
        robot.name,
        tuple(names),
        tuple(slots[k] for k in kept),
        _classes(C, standard),
        tuple(values),
        _formulas(matrix, names, standard, C),
        matrix,
        _proved(robot, symbolic, matrix, [slots[k] for k in kept]),
    )


def base_columns(robot: Robot, symbolic: Symbolic = "auto") -> list[int]:
    """Which of the candidates (`candidate_slots`) are base parameters."""
    return _ranked(robot, symbolic)[1]


# the rank


def _field_chain(robot: Robot, symbolic: Symbolic, seed: str) -> Chain:
    maths = FieldMaths(seed)
    symbols = {name: maths.symbol(name) for name in free_parameters(robot, symbolic)}
    return merge_fixed(bind(robot, maths, symbols, symbolic))


def _field_state(chain: Chain, tag: str) -> tuple[list[Element], list[Element], list[Element]]:
    """q, q̇, q̈: names no parameter can have."""
    q, qd, qdd = ([chain.maths.symbol(f"{tag} {x}{i}") for i in range(chain.dof)] for x in ("q", "qd", "qdd"))  # type: ignore[attr-defined]
    return q, qd, qdd


def _ranked(robot: Robot, symbolic: Symbolic) -> tuple[list[Slot], list[int], dict[int, Dependency]]:
    """The candidates, the independent ones of them, and of what the others are combinations."""
    chain = _field_chain(robot, symbolic, "base parameters 1")
    stacked = [
        [integer(x) for x in row]
        for state in range(STATES)
        for row in reduced_regressor(chain, *_field_state(chain, f"state {state}"))
    ]
    return candidate_slots(chain), *dependencies(stacked)


def integer(x: Any) -> int:
    """A scalar of the field as an integer."""
    return x.value if isinstance(x, Element | Expr) else rational(x)


# the formulas


def _coefficients(chain: Chain, graph: Graph, dropped: dict[int, Dependency]) -> dict[int, dict[int, Expr]]:
    """Every dependent column's coefficients as expressions of the geometry.

    They hold at every state, so states with rational sines and no variables give them, from small linear systems.
    """
    wanted = {k: list(parts) for k, parts in dropped.items() if parts}
    if not wanted:
        return {}
    still = replace(chain, links=tuple(replace(link, offset=0) for link in chain.links), maths=RationalAngleMaths(graph))
    rng, stacked = Random(1), list[list[Expr]]()
    found: dict[int, dict[int, Expr]] = {}
    for _ in range(STATES):
        stacked += [[graph.expr(x) for x in row] for row in reduced_regressor(still, *_rational_state(still, rng))]
        for k in wanted.keys() - found.keys():
            solution = solved([[row[c] for c in wanted[k]] for row in stacked], [row[k] for row in stacked])
            if solution is not None:
                found[k] = dict(zip(wanted[k], solution))
        if len(found) == len(wanted):
            return found
    raise ProofError("the combinations of the base parameters could not be solved for")


def _rational_state(chain: Chain, rng: Random) -> tuple[list[Any], list[int], list[int]]:
    turning = [link.kind.name == "revolute" for link in chain.links]
    q = [rational_angle(rng) if turns else rng.randint(2, 9) for turns in turning]
    return q, [rng.choice((-5, -3, -2, 1, 2, 3, 7)) for _ in turning], [rng.randint(-9, 9) for _ in turning]


def _combined(B: list[list[Expr]], kept: Sequence[int], D: dict[int, dict[int, Expr]]) -> list[list[Expr]]:
    """C = B of the columns kept, and what the others give to them."""
    rows = {k: list(B[k]) for k in kept}
    for other, parts in D.items():
        for k, factor in parts.items():
            rows[k] = [x + factor * y if y.value else x for x, y in zip(rows[k], B[other])]
    return list(rows.values())


def _renamed(slot: Slot, slots: Sequence[Slot], dropped: dict[int, Dependency]) -> Slot:
    """Where Kxx and Kyy count only together, their sum is Izz."""
    twin = Slot("Kyy", slot.link)
    together = slot.kind == "Kxx" and dropped.get(slots.index(twin)) == {slots.index(slot): 1}
    return Slot("Izz", slot.link) if together else slot


def _name(slot: Slot, row: Sequence[Expr], standard: Sequence[str]) -> str:
    """mx4 or Kxy4 for the link's own, Kxx2_R for what has more in it."""
    own = {part.name: rational(weight) for part, weight in own_moment(slot).items()}
    found = {name: x.value for name, x in zip(standard, row) if x.value}
    return slot.name if own == found else f"{slot.name}_R"


def _dot(row: Sequence[Expr], values: Sequence[Any], graph: Graph) -> Expr:
    total = graph.zero
    for factor, value in zip(row, values, strict=True):
        if factor.value:
            total = total + factor * value
    return total


def _value(expr: Expr) -> float | None:
    return None if free_symbols([expr]) else float(evaluate([expr], {}, FLOATS)[0])


def _matrix_function(robot: Robot, graph: Graph, C: list[list[Expr]]) -> Function:
    flat = [x for row in C for x in row]
    symbols = tuple(free_symbols(flat))
    inputs = (Input("p", symbols, "SI", "geometry", online=False),) if symbols else ()
    shape = (len(C), len(C[0]) if C else 0)
    output = Output("C", shape, tuple(flat), "SI", "base parameters = C · standard parameters")
    return Function("base_parameters", graph, inputs, (output,), notes={"robot": robot.name})


def _formulas(matrix: Function, names: Sequence[str], standard: Sequence[str], C: list[list[Expr]]) -> Function:
    """An output for every base parameter, in symbols of the standard ones."""
    taken = {name for port in matrix.inputs for name in port.names}
    for name in standard:
        if name in taken:
            robot = matrix.notes["robot"]
            raise InputError(f"{robot}: the length or angle {name!r} has the name of an inertial parameter; rename it")
    symbols = [matrix.graph.symbol(name) for name in standard]
    outputs = [
        Output(name, (), (_dot(row, symbols, matrix.graph),), "SI", "base parameter") for name, row in zip(names, C)
    ]
    inputs = (*matrix.inputs, Input("x", tuple(symbols), "SI", "standard parameters", online=False))
    return replace(matrix, inputs=inputs, outputs=tuple(outputs))


def _classes(C: list[list[Expr]], standard: Sequence[str]) -> dict[str, Class]:
    """A parameter can be told alone when it is, by itself, a combination of the base parameters."""
    rows, pivots = reduced_rows([[x.value for x in row] for row in C])
    alone = {standard[p] for p, row in zip(pivots, rows) if sum(map(bool, row)) == 1}
    felt = {name for k, name in enumerate(standard) if any(row[k] for row in rows)}
    return {
        name: "alone" if name in alone else "in combinations" if name in felt else "not identifiable"
        for name in standard
    }


# the proof


def _proved(robot: Robot, symbolic: Symbolic, matrix: Function, kept: Sequence[Slot]) -> int:
    """Y of all parameters = Y of the base parameters · C, at fresh points; log10 of the chance that it is wrong."""
    entries = 0
    for _ in range(DRAWS):
        chain = _field_chain(robot, symbolic, f"base parameters {secrets.token_hex(16)}")
        wrong, entries = _mismatches(chain, matrix, kept)
        if wrong:
            raise ProofError(f"{robot.name}: the base parameters found do not give all torques ({wrong} entries differ)")
    degree = degree_of(matrix) + 8 * robot.dof + 6  # each angle and each twist at most twice, rates, lengths
    return int(DRAWS * (log10(degree) + log10(max(entries, 1)) - log10(P)))


def _mismatches(chain: Chain, matrix: Function, kept: Sequence[Slot]) -> tuple[int, int]:
    state = _field_state(chain, "proof")
    symbols = {name: chain.maths.symbol(name) for port in matrix.inputs for name in port.names}  # type: ignore[attr-defined]
    flat = [integer(x) for x in matrix(symbols, chain.maths)["C"]]
    width = matrix.outputs[0].shape[1]
    C = [flat[i : i + width] for i in range(0, len(flat), width)]
    full = picked(regressor(chain, *state), columns(chain), [slot.name for slot in standard_slots(chain)])
    base = picked(reduced_regressor(chain, *state), candidate_slots(chain), kept)
    wrong = sum(
        integer(true) != sum(integer(y) * row[k] for y, row in zip(base_row, C)) % P
        for full_row, base_row in zip(full, base)
        for k, true in enumerate(full_row)
    )
    return wrong, chain.dof * width


def picked(rows: Y, names: Sequence[Any], wanted: Sequence[Any]) -> Y:
    """Some columns by name."""
    at = {name: k for k, name in enumerate(names)}
    return [[row[at[name]] for name in wanted] for row in rows]
