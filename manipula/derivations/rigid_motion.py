"""Rotations and rigid motions of letters: elementary matrices, their product step by step, every result proved.

A motion is a product of factors: a turn about x, y or z, a turn about any axis, a unit quaternion, a shift, a matrix.
The steps multiply matrices; the proof moves points, from the last factor to the first, by the vector forms

    v cos θ + (u × v) sin θ + u (u·v)(1 − cos θ)        v + 2 w (e × v) + 2 e × (e × v)        v + p

which share no line with the matrices. Source: Craig, "Introduction to Robotics", 3rd ed. (2005), section 2.8; Lynch
and Park, "Modern Robotics" (2017), eq. (3.51) and appendix B.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from manipula.algebra.show.notation import Letter, Notation, script_of
from manipula.algebra.show.printer import Printer
from manipula.algebra.simplify.tree import FormulaTree
from manipula.derivations.board import LONGEST, FormulaBoard
from manipula.derivations.proof import matrix_product, prover_against
from manipula.errors import InputError
from manipula.mechanics.models.kinematics.orientation import matrix_from_quaternion
from manipula.mechanics.robot.values.parameter import Parameter, names_of, negate, scalar_from_parameter
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.placement import Placement, turn_about
from manipula.mechanics.spatial.screw import rotation_about
from manipula.mechanics.spatial.vector import Matrix, Vec3, add, cross, dot, outer, scale, skew, transpose
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, LessonStep, Sentence, sentence, text_equation
from manipula.scalar import Scalar

Three = tuple[Parameter, Parameter, Parameter]
SECONDS = 30.0
UNITS = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


class LetterValues:
    """Letters over one scalar: what a factor computes with."""

    def __init__(self, maths: Any, symbol: Callable[[str], Scalar], letters: Sequence[str]) -> None:
        self.maths, self.symbols = maths, {name: symbol(name) for name in letters}

    def __call__(self, x: Parameter) -> Any:
        return scalar_from_parameter(x, self.symbols, self.maths)

    def three(self, x: Three) -> tuple[Scalar, Scalar, Scalar]:
        a, b, c = map(self, x)
        return a, b, c


@dataclass(frozen=True)
class MotionFactor:
    """One factor of a product. `place` gives its matrix, `move` what it does to a point, each over any scalar."""

    entries: tuple[Parameter, ...]
    shifts: ClassVar[bool] = False

    def place(self, bound: LetterValues) -> Placement:
        raise NotImplementedError

    def move(self, bound: LetterValues, v: Vec3) -> Vec3:
        """Where it takes the point v."""
        raise NotImplementedError

    def inverse(self) -> MotionFactor:
        raise NotImplementedError

    def letter(self, board: FormulaBoard) -> Notation:
        """How the factor is written in a product."""
        raise NotImplementedError

    def steps(self, board: FormulaBoard, bound: LetterValues) -> tuple[Equation, ...]:
        """What comes before its matrix."""
        return ()


@dataclass(frozen=True)
class ElementaryTurn(MotionFactor):
    """About x, y or z."""

    axis: str = "z"

    def place(self, bound: LetterValues) -> Placement:
        angle = bound(self.entries[0])
        return turn_about(self.axis, bound.maths.cos(angle), bound.maths.sin(angle))

    def move(self, bound: LetterValues, v: Vec3) -> Vec3:
        return _turned(bound, UNITS["xyz".index(self.axis)], self.entries[0], v)

    def inverse(self) -> MotionFactor:
        return replace(self, entries=(negate(self.entries[0]),))

    def letter(self, board: FormulaBoard) -> Notation:
        return (Letter("R", self.axis), "(", _tree(board, self.entries[0]), ")")


@dataclass(frozen=True)
class AxisTurn(MotionFactor):
    """About a unit vector u: entries u_x, u_y, u_z and the angle."""

    def parts(self, bound: LetterValues) -> tuple[Any, Scalar]:
        x, y, z, angle = map(bound, self.entries)
        return Vec3((x, y, z)), angle

    def place(self, bound: LetterValues) -> Placement:
        u, angle = self.parts(bound)
        return Placement(rotation_about(u, bound.maths.cos(angle), bound.maths.sin(angle)))

    def move(self, bound: LetterValues, v: Vec3) -> Vec3:
        return _turned(bound, self.parts(bound)[0], self.entries[3], v)

    def inverse(self) -> MotionFactor:
        return replace(self, entries=(*self.entries[:3], negate(self.entries[3])))

    def letter(self, board: FormulaBoard) -> Notation:
        return (Letter("R", "u"), "(", _tree(board, self.entries[3]), ")")

    def steps(self, board: FormulaBoard, bound: LetterValues) -> tuple[Equation, ...]:
        u, _ = self.parts(bound)
        axis: Callable[[LetterValues], Vec3] = lambda at: self.parts(at)[0]  # noqa: E731
        turn = ("(", _tree(board, self.entries[3]), ")")
        rodrigues = ("cos", *turn, " 1 + sin", *turn, " [u]× + (1 − cos", *turn, ") u", Letter("u", above="T"))
        return (
            board.equation("[u]×", None, skew(u), lambda at: _columns(lambda v: cross(axis(at), v))),
            board.equation(
                ("u", Letter("u", above="T")), None, outer(u, u), lambda at: _columns(lambda v: _along(axis(at), v))
            ),
            Equation(self.letter(board), rodrigues),
        )


@dataclass(frozen=True)
class QuaternionTurn(MotionFactor):
    """A unit quaternion: entries w, x, y, z, the scalar first."""

    def place(self, bound: LetterValues) -> Placement:
        return Placement(matrix_from_quaternion([bound(x) for x in self.entries]))

    def move(self, bound: LetterValues, v: Vec3) -> Vec3:
        w, *part = map(bound, self.entries)
        e = Vec3((part[0], part[1], part[2]))
        once = cross(e, v)
        return Vec3(add(v, add(scale(2 * w, once), scale(2, cross(e, once)))))

    def inverse(self) -> MotionFactor:
        w, x, y, z = self.entries
        return replace(self, entries=(w, negate(x), negate(y), negate(z)))

    def letter(self, board: FormulaBoard) -> Notation:
        return "R"


@dataclass(frozen=True)
class PointShift(MotionFactor):
    """By a vector."""

    shifts: ClassVar[bool] = True

    def place(self, bound: LetterValues) -> Placement:
        x, y, z = map(bound, self.entries)
        return Placement(p=(x, y, z))

    def move(self, bound: LetterValues, v: Vec3) -> Vec3:
        x, y, z = map(bound, self.entries)
        return add(v, (x, y, z))

    def inverse(self) -> MotionFactor:
        return replace(self, entries=tuple(map(negate, self.entries)))

    def letter(self, board: FormulaBoard) -> Notation:
        return ("D(p)",)


@dataclass(frozen=True)
class GivenRotation(MotionFactor):
    """A rotation matrix: nine entries, row by row."""

    def rows(self, bound: LetterValues) -> Matrix:
        a, b, c, d, e, f, g, h, i = map(bound, self.entries)
        return ((a, b, c), (d, e, f), (g, h, i))

    def place(self, bound: LetterValues) -> Placement:
        return Placement(self.rows(bound))

    def move(self, bound: LetterValues, v: Vec3) -> Vec3:
        """A sum of columns."""
        x, y, z = (scale(part, row) for part, row in zip(v, transpose(self.rows(bound))))
        return x + y + z

    def inverse(self) -> MotionFactor:
        return replace(self, entries=tuple(self.entries[3 * j + i] for i in range(3) for j in range(3)))

    def letter(self, board: FormulaBoard) -> Notation:
        return "R"


def _turned(bound: LetterValues, u: Any, angle: Parameter, v: Vec3) -> Vec3:
    amount = bound(angle)
    c, s = bound.maths.cos(amount), bound.maths.sin(amount)
    return scale(c, v) + scale(s, cross(u, v)) + scale((1 - c) * dot(u, v), u)


def _along(u: Any, v: Vec3) -> Vec3:
    """u uᵀ v"""
    return scale(dot(u, v), u)


def _columns(move: Callable[[Vec3], Vec3]) -> list[list[Scalar]]:
    """The matrix whose columns are what x, y and z become."""
    columns = [move(Vec3(unit)) for unit in UNITS]
    return [[column[i] for column in columns] for i in range(3)]


def _tree(board: FormulaBoard, x: Parameter) -> FormulaTree:
    found = board.write(LetterValues(board.maths, board.graph.symbol, board.taken)(x))
    if found is None:
        raise InputError("an angle is too long to be written")
    return found


@dataclass(frozen=True)
class MotionFormula:
    """A rotation matrix (3×3), or a rigid motion (4×4), whose entries are formulas.

    Prints itself, a notebook shows it typeset; `rows` are its entries as text, `latex()` and `typst()` set it,
    `derivation` is the product of its elementary matrices step by step, proved. `a @ b` and `a.inverse()` give others,
    `at(alpha=0.3)` its numbers.
    """

    factors: tuple[MotionFactor, ...]
    title: Sentence
    says: tuple[Sentence, ...] = ()

    @property
    def letters(self) -> tuple[str, ...]:
        """The names in it, each once."""
        return tuple(dict.fromkeys(name for x in self.factors for entry in x.entries for name in names_of(entry)))

    @property
    def shape(self) -> tuple[int, int]:
        return (4, 4) if any(x.shifts for x in self.factors) else (3, 3)

    @cached_property
    def derivation(self) -> Derivation:
        """The steps, proved on first use."""
        return motion_derivation(self)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The entries as text that a robot file, or another call, reads."""
        plain = Printer(self.letters)
        return tuple(tuple(plain.text(x) for x in row) for row in self._trees)

    @property
    def _trees(self) -> tuple[tuple[FormulaTree, ...], ...]:
        *_, (_, last) = self.derivation.equations()
        if not isinstance(last.result, tuple):
            raise InputError("the entries are too long to be written; its steps stand in .derivation")
        return last.result

    def __matmul__(self, other: MotionFormula) -> MotionFormula:
        if not isinstance(other, MotionFormula):
            return NotImplemented
        title = sentence("A product of rigid motions")
        return MotionFormula((*self.factors, *other.factors), title, self.says + other.says)

    def inverse(self) -> MotionFormula:
        """The inverse of a product is the product of the inverses in the other order."""
        says = sentence("The inverse of a product is the product of the inverses in the other order.")
        return MotionFormula(tuple(x.inverse() for x in self.factors[::-1]), sentence("An inverse"), (says,))

    def at(self, values: Mapping[str, float] | None = None, /, **named: float) -> Scalar:
        """The matrix as an array, all letters replaced by numbers (rad, m)."""
        import numpy as np

        given = {**(values or {}), **named}
        if missing := [name for name in self.letters if name not in given]:
            raise InputError("these letters have no value: {listed}", ", ".join(missing))
        size = self.shape[0]
        return np.array(_product(self.factors, LetterValues(FLOATS, lambda x: float(given[x]), self.letters)))[
            :size, :size
        ]

    def __str__(self) -> str:
        *_, (_, last) = self.derivation.equations()
        return "\n".join(
            text_equation(replace(last, left=self.derivation.robot, formula=None), self.derivation.script("text"))
        )

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<{height}×{width} matrix of {', '.join(self.letters)}; print(…) shows it, .derivation its steps>"

    def latex(self) -> str:
        script = script_of("latex", self.letters, {})
        return script.grid([[script.text(x) for x in row] for row in self._trees])

    def typst(self) -> str:
        script = script_of("typst", self.letters, {})
        return script.grid([[script.text(x) for x in row] for row in self._trees])

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


def _product(factors: Sequence[MotionFactor], bound: LetterValues) -> Any:
    total: Any = factors[0].place(bound).rows()
    for factor in factors[1:]:
        total = matrix_product(total, factor.place(bound).rows())
    return total


def _moved(factors: Sequence[MotionFactor], bound: LetterValues) -> list[list[Scalar]]:
    """The 4×4 matrix by what the factors do to the origin and to the ends of the axes, the last factor first."""

    def move(v: Vec3) -> Vec3:
        for factor in reversed(factors):
            v = factor.move(bound, v)
        return v

    origin = move(Vec3((0, 0, 0)))
    ends = [move(Vec3(unit)) - origin for unit in UNITS]
    return [*([*(end[i] for end in ends), origin[i]] for i in range(3)), [0, 0, 0, 1]]


def motion_derivation(motion: MotionFormula, seconds: float = SECONDS) -> Derivation:
    """The elementary matrices, then their product from left to right."""
    board, size, factors = FormulaBoard(motion.letters, seconds), motion.shape[0], motion.factors
    bound = LetterValues(board.maths, board.graph.symbol, motion.letters)

    def equation(left: Notation, formula: Notation | None, value: Any, part: Sequence[MotionFactor]) -> Equation:
        cut = [row[:size] for row in value[:size]]
        check = lambda at: [row[:size] for row in _moved(part, at)[:size]]  # noqa: E731
        return board.equation(left, formula, cut, check, longest=LONGEST)

    letters = [factor.letter(board) for factor in factors]
    first: list[Equation] = []
    for factor, letter in zip(factors, letters):
        first += factor.steps(board, bound)
        first.append(equation(letter, None, factor.place(bound).rows(), [factor]))
    name = "T" if size == 4 else "R"
    steps = [LessonStep(sentence("The elementary matrices"), motion.says, tuple(first))]
    if len(factors) > 1:
        total: Any = factors[0].place(bound).rows()
        lines: list[Equation] = []
        for k in range(1, len(factors)):
            total = matrix_product(total, factors[k].place(bound).rows())
            so_far: Notation = tuple(letters[: k + 1])
            last = k == len(factors) - 1
            lines.append(equation(name if last else so_far, so_far if last else None, total, factors[: k + 1]))
        steps.append(LessonStep(sentence("The product, factor by factor"), (), tuple(lines)))
    found = Derivation(name, "matrix", motion.title, (), tuple(steps), {})
    known = motion.letters
    return board.finish_with(found, prover_against(lambda maths, symbol: LetterValues(maths, symbol, known), known))
