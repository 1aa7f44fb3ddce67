"""Where a derivation is written: an arm over expressions, its letters, formulas as a book has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd
from time import monotonic
from typing import Any

from manipula.algebra.expr.function import flatten_nested, tree_cost_of
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.show.notation import Letter, Notation, script_of
from manipula.algebra.show.printer import NameParts, book_names
from manipula.algebra.simplify import shortest
from manipula.algebra.simplify.simplifier import Simplifier
from manipula.algebra.simplify.terms import Terms, tree_from_monomial, tree_from_terms
from manipula.algebra.simplify.tree import (
    FormulaTree,
    Inverse,
    Symbol,
    operations,
    product_of,
    sum_of,
    symbol_names,
)
from manipula.derivations.proof import prover_of
from manipula.errors import InputError, SizeError
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.topology import (
    refuse_elements,
    refuse_loops,
    refuse_moving,
    road_of,
    serial_fault,
    with_frame,
)
from manipula.mechanics.robot.values.parameter import names_of
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, Quoted, Result, is_narrow, sentence
from manipula.scalar import Entries, Scalar

FEW = 24  # terms of a sum that is written without brackets, as a book has it
WHOLE = 4  # 2·θ̈1 + θ̈2 stays in one bracket
LONG = 130  # operations of a result that still helps a reader
HOPELESS = 8000  # operations, everything substituted, of what no simplification makes short
NARROW = 68  # columns of a matrix that every place, the terminal among them, sets as one
PITCH = "{h} is the pitch of joint {i}: its advance in a turn of one radian."
LONGEST = 400  # of what is requested by name: an entry of M, a Christoffel symbol


def refuse_unfit(robot: RobotDescription, topic: str) -> RobotDescription:
    """The serial arm that is derived; what is no such arm is refused."""
    refuse_moving(robot, "derive")
    refuse_loops(robot, "derive")
    if topic == "dynamics":
        refuse_elements(robot, "derive")
    if followers := robot.coordinates.followers:
        raise InputError(
            "{name}: derive needs independent joints; joint {follower} follows others", robot.name, followers[0]
        )
    if topic == "dynamics" and (fault := serial_fault(robot)):
        raise InputError("{name}: the dynamics are derived of serial arms, and {fault}", robot.name, fault)
    found = road_of(with_frame(robot))
    if not found.dof:
        raise InputError("{name}: nothing to derive: no joint moves", robot.name)
    return found


class FormulaBoard:
    """Expressions of some letters, and what is written of them: each as short as it gets, within the time."""

    def __init__(self, taken: Sequence[str], seconds: float, masses: frozenset[str] = frozenset()) -> None:
        self.graph, self.taken, self.masses = Graph(), tuple(taken), masses
        self.maths = ExprMaths(self.graph)
        self.aliases: dict[str, NameParts] = {}
        self.end, self.seconds = monotonic() + seconds, seconds
        self.written: dict[Expr, FormulaTree | None] = {}
        self.left_out = 0  # results too long to read

    # writing

    def write(self, x: Scalar, longest: int = LONG) -> FormulaTree | None:
        """The value as a book writes it; nothing where that is too long, or the time is up."""
        x = self.graph.expr(x)
        # written only to be thrown away, it would take the time of what comes after it
        if tree_cost_of([x]).grand_total > HOPELESS:
            return None
        if x not in self.written:
            self.written[x] = self._tree(x) if monotonic() < self.end else None
        tree = self.written[x]
        return tree if tree is not None and operations(tree) <= longest else None

    def _tree(self, x: Expr) -> FormulaTree | None:
        simplifier = Simplifier()
        try:
            terms, atoms = simplifier.terms(x)
            if len(terms) <= FEW:
                return self._collected(terms, atoms)
            return shortest(x, simplifier)
        except SizeError:
            return None

    def _collected(self, terms: Terms, atoms: Sequence[FormulaTree]) -> FormulaTree:
        """l1²·(m1 + m2)·θ̈1, l2·s12·(θ̇1 + θ̇2): a sum of products; masses, and rates, of one factor are gathered."""
        if any(isinstance(atom, Inverse) for atom in atoms):
            return tree_from_terms(terms, atoms)
        weights: dict[Any, list[Any]] = {}
        for monomial, value in terms.items():
            own = tuple(x for x in monomial if self._is_mass(atoms[x[0]]))
            weights.setdefault((tuple(x for x in monomial if x not in own), value), []).append(own)
        rates: dict[Any, list[Any]] = {}
        for (rest, value), masses in weights.items():
            linear = [x for x in rest if _is_rate(atoms[x[0]])]
            one = linear[0] if len(linear) == 1 and linear[0][1] == 1 else None
            key = (tuple(x for x in rest if x != one), tuple(sorted(masses)), _size(value) if one else value)
            rates.setdefault(key if one else (rest, key[1], value), []).append((value, one))
        parts = []
        for (rest, masses, size), values in rates.items():
            weight = sum_of(tree_from_monomial(x, Fraction(1), atoms) for x in masses)
            sign = -1 if all(value < 0 for value, _ in values) else 1
            if values[0][1]:
                size *= _common([value / size for value, _ in values])
            rate = sum_of(tree_from_monomial((one,), value / (sign * abs(size)), atoms) for value, one in values if one)
            factor = tree_from_monomial(rest, sign * abs(size) if values[0][1] else size, atoms)
            parts.append(product_of([factor, weight, *((rate,) if values[0][1] else ())]))
        return sum_of(parts)

    def _is_mass(self, atom: FormulaTree) -> bool:
        return isinstance(atom, Symbol) and atom.name in self.masses

    def equation(
        self, left: Notation, formula: Notation | None, value: Any, check: Callable[..., object],
        names: Sequence[str] = (), longest: int = LONG,
    ) -> Equation:  # fmt: skip
        """`value` is an expression or nested rows of them; a result too long to read is left out, its formula stays."""
        result = self.result(value, longest)
        self.left_out += result is None
        return Equation(left, formula, result, check if result is not None else None, tuple(names))

    def matrix(self, left: str, value: Sequence[Sequence[Scalar]], check: Callable[..., object]) -> Equation | None:
        """The matrix, where all of it is short enough to be set as one."""
        rows = self.result(value)
        if not isinstance(rows, tuple) or not is_narrow(rows, script_of("text", self.taken, self.aliases), NARROW):
            return None
        return Equation(left, None, rows, check)

    def result(self, value: Entries, longest: int = LONG) -> Result | None:
        shape, flat = flatten_nested(value)
        trees = [self.write(x, longest) for x in flat]
        if any(tree is None for tree in trees):
            return None
        known = [tree for tree in trees if tree is not None]
        if not shape:
            return known[0]
        wide = shape[1] if len(shape) > 1 else 1
        return tuple(tuple(known[k : k + wide]) for k in range(0, len(known), wide))

    def finish_with(self, derivation: Derivation, prover: Callable[[Derivation], str]) -> Derivation:
        """With the letters of this board, proved."""
        if self.left_out:
            more = sentence(
                "{count} results are too long to read, or took longer than {seconds} s, and are left out; their "
                "formulas remain.",
                Quoted(str(self.left_out)),
                Quoted(f"{self.seconds:g}"),
            )
            derivation = replace(derivation, says=(*derivation.says, more))
        return replace(derivation, aliases=self.aliases, taken=self.taken, prover=prover).with_proof()


class DerivationBoard(FormulaBoard):
    """An arm with letters q, q̇, q̈ over expressions, and what is written of it."""

    def __init__(self, robot: RobotDescription, symbolic: Symbolic, seconds: float) -> None:
        self.structure, self.robot = ArmStructure(robot, symbolic), robot
        super().__init__(self.structure.free, seconds, _masses(robot))
        self.chain = self.structure.bound_tree(self.maths, self.structure.symbols(self.graph.symbol))
        numbers = range(1, self.chain.dof + 1)
        self.q, self.qd, self.qdd = (
            [self.graph.symbol(f"{rate}{i}", online=True) for i in numbers] for rate in ("q", "qd", "qdd")
        )
        fields = [KINDS[link.kind.name].field for link in self.chain.links]
        self.offsets = frozenset(joint.offset.name for joint in robot.joints) & frozenset(self.taken)
        self.aliases = dict(book_names(fields, frozenset(self.taken), self.offsets))
        self.pitches = self._pitches()
        self.aliases |= {name: ("h", number, 0) for name, number in self.pitches.items()}
        self.given: dict[str, Expr] = {}  # what a step takes for known: the pose of inverse kinematics

    @property
    def dof(self) -> int:
        return self.chain.dof

    # letters

    def _pitches(self) -> dict[str, str]:
        """screw2 → 2, where a screw's pitch has the name that a file gives it: it is set as h₂."""
        found = {
            str(self.graph.expr(link.kind.parameters[0]).data): str(i)
            for i, link in enumerate(self.chain.links, 1) if link.kind.name == "helical"
        }  # fmt: skip
        return {name: i for name, i in found.items() if name.startswith("screw") and f"h{i}" not in self.taken}

    def symbol(self, i: int, dots: int = 0) -> Symbol:
        """q_i, q̇_i, q̈_i as a tree: set as θ̇₂ or ḋ₃."""
        return Symbol(f"q{'d' * dots}{i + 1}", True)

    @property
    def turns_from_zero(self) -> bool:
        """Axes are counted from 0 in the standard convention: joint i moves about z of frame i − 1."""
        return self.robot.origin.convention == "standard"

    def axis_number(self, i: int) -> str:
        return str(i if self.turns_from_zero else i + 1)

    def finish(self, derivation: Derivation) -> Derivation:
        """With the letters of this arm, proved."""
        used = symbol_names(tree for _, one in derivation.equations() for tree in one.entries)
        added = [joint.offset.name for joint in self.robot.joints if joint.offset.name in self.aliases.keys() & used]
        for name in added:
            letter, place, _ = self.aliases[name]
            own = Letter(letter, place[1:])
            words = sentence("{offset} is the offset of {own} in the table.", Symbol(name, False), own)
            derivation = replace(derivation, says=(*derivation.says, words))
        for name, i in self.pitches.items():
            if name in used:
                words = sentence(PITCH, Symbol(name, False), Quoted(i))
                derivation = replace(derivation, says=(*derivation.says, words))
        return self.finish_with(derivation, prover_of(self.structure, dict(self.given)))


def _masses(robot: RobotDescription) -> frozenset[str]:
    bodies = [body for joint in robot.joints for body in (joint.body, *(x.body for x in joint.carries)) if body]
    cells = [body.mass for body in (*bodies, *robot.payload)]
    return frozenset(name for cell in cells for name in (cell.name, *names_of(cell.parameter)))


def _is_rate(atom: FormulaTree) -> bool:
    return isinstance(atom, Symbol) and atom.online and atom.name.startswith("qd")


def _common(values: Sequence[Fraction]) -> int:
    """2 of 2·θ̈1 + 4·θ̈2: what all whole numbers of a bracket share; 1 where one is not whole."""
    return gcd(*(x.numerator for x in values)) if all(x.denominator == 1 for x in values) else 1


def _size(value: Fraction) -> Fraction:
    """What may stand before a bracket of rates: 1 of whole numbers, which stay inside, else the number itself."""
    return Fraction(1) if value.denominator == 1 and abs(value) <= WHOLE else abs(value)
