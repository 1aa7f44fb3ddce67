"""The singular configurations of an arm: determinants in factors, each factor an equation, solved where it can be.

Every one is tried first: at configurations on it the Jacobian of the arm in numbers loses rank, at others
it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from manipula.algebra.show.equations import Equations
from manipula.algebra.show.layout import legend_lines
from manipula.algebra.show.paper import Latex
from manipula.algebra.show.printer import NameParts, Printer, book_names
from manipula.algebra.simplify import prove_trees
from manipula.algebra.simplify.half_angles import trigonometric_factors
from manipula.algebra.simplify.tree import FormulaTree, evaluate_tree
from manipula.errors import InputError, ProofError
from manipula.generation.arm_structure import ArmStructure
from manipula.ik.numeric.tolerances import SingularTolerance
from manipula.ik.singular_factors import Piece, Pieces, Solved, moving_factors, pieces_of, solve_factor, variables
from manipula.mechanics.robot.bind import Symbolic, free_parameters
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.topology import road_of, with_frame
from manipula.mechanics.robot.values.parameter import Parameter, float_of, floats_of, names_of
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message, in_front

_TRIES, _SCAN = 12, 61
_SHORT = 200  # signs of equations that a prompt shows


@dataclass(frozen=True)
class Singularity:
    """One factor that is zero there. `solution`: what it is solved for, and the values; None where it is no single
    formula. `reached` is False where every value is known and no configuration on it was found."""

    name: str  # elbow, shoulder, wrist, arm; "" of arms with up to three joints
    factor: FormulaTree
    solution: Solved | None
    reached: bool

    @property
    def joints(self) -> tuple[str, ...]:
        """The coordinates it depends on."""
        return tuple(variables(self.factor))

    def texts(self, printer: Printer) -> tuple[str, str]:
        """(`s2 = 0`, `q2 = 0 or pi`)"""
        zero = f"{printer.text(self.factor)} = 0"
        if self.solution is None:
            return zero, ""
        values = [printer.text(value) for value in self.solution[1]]
        between = r" \text{ or } " if isinstance(printer, Latex) else " or "
        solution = f"{printer.text(self.solution[0])} = {between.join(values)}"
        return zero, "" if solution == zero else solution


@dataclass(frozen=True, repr=False)
class Singularities:
    """Prints itself; shows itself set in a notebook; iterates over its cases."""

    robot: str
    pieces: tuple[Piece, ...]
    determinants: tuple[FormulaTree, ...]
    cases: tuple[Singularity, ...]
    letters: tuple[str, ...] = ()  # of the joint variables in a book, one each: theta, d
    offsets: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Singularity]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def _input_names(self) -> frozenset[str]:
        return frozenset(name for port in self.pieces[0].function.inputs for name in port.names)

    @property
    def _legend(self) -> Equations:
        return self._legend_with({})

    def _legend_with(self, aliases: Mapping[str, NameParts]) -> Equations:
        lines = [(("", ()), tree) for tree in (*self.determinants, *(case.factor for case in self.cases))]
        return Equations("factored", "text", tuple(lines), self._input_names, aliases)

    def __str__(self) -> str:
        return "\n".join(self.text_lines())

    def text_lines(self) -> list[str]:
        """What it says, line by line."""
        printer = Printer(self._input_names)
        whole = " · ".join(f"det {piece.name}" for piece in self.pieces)
        lines: list[str] = [Message("{robot}: singular where {determinants} = 0", self.robot, whole)]
        lines += [in_front(piece.name, Message(piece.says)) for piece in self.pieces]
        lines += [f"det {x.name} = {printer.text(tree)}" for x, tree in zip(self.pieces, self.determinants)]
        lines += ["never: no joint changes it"] if not self.cases else []
        for case in self.cases:
            zero, solution = case.texts(printer)
            never = "" if case.reached else "   (no such configuration was found)"
            lines.append(f"{case.name + ': ' if case.name else ''}{zero}{': ' + solution if solution else ''}{never}")
        short = [f"{name} = {long}" for name, long in self._legend.legend("text")]
        return [*lines, *legend_lines(short, "with")]

    def __repr__(self) -> str:
        """The equations alone, where they are short."""
        said = "; ".join(case.texts(Printer(self._input_names))[0] for case in self.cases) or "never"
        shown = said if len(said) < _SHORT else f"{len(self.cases)} equations; print(…) shows them"
        return f"<singular configurations of {self.robot}: {shown}>"

    def latex(self) -> str:
        r"""An `aligned` block: the determinants, then every equation with its solutions."""
        return "\\begin{aligned}\n" + " \\\\\n".join(self.latex_rows) + "\n\\end{aligned}"

    @property
    def latex_rows(self) -> list[str]:
        """Its lines, in the letters of books: those of the derivation that stands beside them."""
        own = {f"q{number}" for number in range(1, len(self.letters) + 1)}
        aliases = book_names(self.letters, self._input_names - own, self.offsets)
        printer, rows = Latex(self._input_names, aliases), []
        for piece, tree in zip(self.pieces, self.determinants):
            name = "J^{T}J" if piece.name == "JᵀJ" else f"J_{{{piece.name[1:]}}}" if piece.name[1:] else "J"
            rows.append(rf"\det {name} &= {printer.text(tree)}")
        for case in self.cases:
            zero, solution = case.texts(printer)
            said = rf"\quad \text{{({case.name})}}" if case.name else ""
            rows.append(
                zero.replace(" = 0", " &= 0") + (rf"\quad\Rightarrow\quad {solution}" if solution else "") + said
            )
        return rows + [f"{name} &= {long}" for name, long in self._legend_with(aliases).legend("latex")]

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def as_dict(self) -> dict[str, object]:
        """Plain data, formulas as text."""
        printer = Printer(self._input_names)
        names = (f"det {piece.name}" for piece in self.pieces)
        return {
            "robot": self.robot,
            "determinants": dict(zip(names, map(printer.text, self.determinants))),
            "singularities": [
                dict(zip(("name", "equation", "solution", "reached"), (case.name, *case.texts(printer), case.reached)))
                for case in self.cases
            ],
            "where": dict(self._legend.legend("text")),
        }


def singularities_of(robot: RobotDescription, symbolic: Symbolic) -> Singularities:
    """Those of the arm to the robot's tool."""
    framed = with_frame(robot)
    if framed.coordinates.followers:
        raise InputError(
            "{name}: joints follow others, and singular configurations are those of free joints", robot.name
        )
    structure = ArmStructure(road_of(framed), symbolic)
    pieces = pieces_of(structure)
    trial, determinants, cases = _Trial(pieces), list[FormulaTree](), list[Singularity]()
    for piece in pieces.pieces:
        [output] = piece.function.outputs
        tree, factors = moving_factors(iter(trigonometric_factors(output.exprs[0])))
        # the factors are found by rules: that their product is the determinant is proved
        prove_trees(piece.function, {output.name: [tree]})
        determinants.append(tree)
        cases += [trial.case(_name(piece, factor), factor) for factor in factors]
    trial.elsewhere(cases)
    letters = tuple(KINDS[link.kind.name].field for link in structure.tree.links)
    offsets = frozenset(joint.offset.name for joint in structure.robot.joints)
    return Singularities(robot.name, pieces.pieces, tuple(determinants), tuple(cases), letters, offsets)


def _name(piece: Piece, factor: FormulaTree) -> str:
    if not piece.names:
        return ""
    return piece.names[0] if variables(factor) == ["q3"] else piece.names[1]


def _number(given: Parameter | None, values: Mapping[str, float], otherwise: float) -> float:
    unknown = given is None or any(name not in values for name in names_of(given))
    return otherwise if unknown or given is None else float_of(given, values)


class _Trial:
    """The arm in numbers, letters drawn, to see whether it loses rank where it should."""

    def __init__(self, pieces: Pieces) -> None:
        structure = pieces.structure
        self.pieces, self.rng = pieces, np.random.default_rng(1)
        values = floats_of(dict(structure.robot.values))
        parameters = free_parameters(structure.robot, structure.symbolic)
        # lengths of an ordinary arm: neither zero, which is another arm, nor far from each other
        self.letters = {name: _number(x, values, self.rng.uniform(0.2, 0.9)) for name, x in parameters.items()}
        self.drawn = any(x is None or not set(names_of(x)) <= set(values) for x in parameters.values())
        self.chain = structure.bound_tree(FLOATS, self.letters)
        self.free = [f"q{i + 1}" for i in range(self.chain.dof)]

    def rank(self, q: dict[str, float]) -> float:
        """The smallest singular value of the rows over the largest."""
        sizes = np.linalg.svd(
            np.array(self.pieces.matrix(self.chain, [q[name] for name in self.free])), compute_uv=False
        )
        # a ratio: an arm of a millimetre is no nearer to a singularity
        return float(sizes[-1] / max(sizes[0], SingularTolerance.NOTHING))

    def value(self, tree: FormulaTree, q: dict[str, float]) -> float:
        return float(evaluate_tree(tree, {**self.letters, **q, "pi": np.pi}, FLOATS))

    def anywhere(self) -> dict[str, float]:
        return dict(zip(self.free, self.rng.uniform(-2.5, 2.5, len(self.free)).tolist()))

    def case(self, name: str, factor: FormulaTree) -> Singularity:
        """The factor as a case, tried at configurations on it."""
        solution, reached = solve_factor(factor), False
        # not reached at one configuration may be chance; at all of them it is a factor without real roots
        for _ in range(_TRIES):
            q = self.anywhere()
            for there in self._solutions(solution, q) if solution else self._roots(factor, q):
                reached = True
                if not self.rank(there) < SingularTolerance.LOST:
                    raise ProofError(
                        "{name}: full rank where {text} = 0", self.pieces.structure.robot.name, Printer().text(factor)
                    )
        return Singularity(name, factor, solution, reached or self.drawn)

    def _solutions(self, solution: Solved, q: dict[str, float]) -> Iterator[dict[str, float]]:
        """The configuration with the unknown put where a formula says; none where that is not a number."""
        unknown, values = solution
        name = variables(unknown)[0]
        for value in values:
            with np.errstate(all="ignore"):
                try:
                    wanted = self.value(value, q)
                except (ValueError, ZeroDivisionError):  # the root of a negative number
                    continue
            # the unknown is a sum of joints, linear in each: two points give its slope
            slope = self.value(unknown, {**q, name: 1.0}) - self.value(unknown, {**q, name: 0.0})
            there = q[name] + (wanted - self.value(unknown, q)) / slope
            if np.isfinite(there):
                yield {**q, name: float(there)}

    def _roots(self, factor: FormulaTree, q: dict[str, float]) -> Iterator[dict[str, float]]:
        """Along each of its joints, where the factor changes its sign."""
        for name in variables(factor):
            places = np.linspace(-np.pi, np.pi, _SCAN)
            sizes = [self.value(factor, {**q, name: float(x)}) for x in places]
            for a, b, f, g in zip(places, places[1:], sizes, sizes[1:]):
                # only changes of sign: a double root is missed, and then the case counts as not reached
                if f * g < 0:
                    root = brentq(
                        lambda x, name=name: self.value(factor, {**q, name: x}), a, b, xtol=SingularTolerance.ROOT
                    )
                    yield {**q, name: float(root)}

    def elsewhere(self, cases: list[Singularity]) -> None:
        """Off all of them no rank is lost."""
        for _ in range(_TRIES):
            q = self.anywhere()
            if (
                all(abs(self.value(case.factor, q)) > SingularTolerance.OFF for case in cases)
                and not self.rank(q) > SingularTolerance.KEPT
            ):
                raise ProofError("{name}: its Jacobian loses rank off every factor", self.pieces.structure.robot.name)
