"""The screw axes of an arm, and its pose as a product of exponentials, step by step.

Source: Lynch and Park, "Modern Robotics" (2017), section 4.1: the home pose M, the screw axes S_i, eq. (4.14).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.maths import free_symbols, rebuilt, topological
from manipula.algebra.expr.node import Expr
from manipula.algebra.show.notation import Grid, Letter, Notation
from manipula.algebra.show.printer import Printer
from manipula.derivations.board import LONGEST, DerivationBoard, refuse_unfit
from manipula.derivations.kinematics import pose_columns
from manipula.derivations.proof import matrix_product
from manipula.errors import SizeError
from manipula.mechanics.models.kinematics.screws import exponentials, home_screws
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.precise import NEGLIGIBLE
from manipula.mechanics.robot.values.angles import Angles
from manipula.mechanics.robot.values.parameter import parameter_from_text, text_of
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.inertia import Twist
from manipula.mechanics.spatial.placement import HERE
from manipula.mechanics.spatial.screw import pitch_of, screw_from_frame
from manipula.mechanics.spatial.vector import cross
from manipula.messages import Message
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, LessonStep, Quoted, sentence
from manipula.scalar import Scalar

CALLS = ("sin", "cos", "sqrt")
TINY = 1e-15  # of a sine or cosine
LONG_NUMBER = re.compile(r"\d+\.\d{15,}")
Entries = NDArray[Any]  # floats, or text where letters are left


@dataclass(frozen=True, eq=False)
class ScrewAxes:
    """The screw axes (ω, v) of an arm at q = 0, a row for each joint, and the pose of the tool there.

    `space` sees them from the world, T = e^{[S1]q1} … e^{[Sn]qn} M, `body` from the tool, T = M e^{[B1]q1} …;
    `pitches` are ω·v in m/rad. Arrays of numbers, or of text where the arm has letters: `Robot.from_screws` reads both.
    """

    robot: str
    joints: tuple[str, ...]
    kinds: tuple[str, ...]
    space: Entries
    body: Entries
    home: Entries
    pitches: Entries

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return {
            "robot": self.robot, "joints": list(self.joints), "kinds": list(self.kinds), "space": self.space.tolist(),
            "body": self.body.tolist(), "home": self.home.tolist(), "pitches": self.pitches.tolist(),
        }  # fmt: skip

    def tables(self) -> list[tuple[Message, list[list[str]]]]:
        """Titles, and rows with their names in front."""
        named: list[tuple[Message, Entries]] = [
            (Message("screw axes in the world frame: joint, ω, v"), self.space),
            (Message("screw axes in the tool frame: joint, ω, v"), self.body),
        ]
        rows = [(title, [[name, *map(_text, row)] for name, row in zip(self.joints, table)]) for title, table in named]
        return [*rows, (Message("home pose of the tool"), [list(map(_text, row)) for row in self.home])]

    def __str__(self) -> str:
        lines: list[str] = []
        for title, rows in self.tables():
            wide = [max(map(len, column)) for column in zip(*rows)]
            lines += ["", str(title)] if lines else [str(title)]
            lines += ["  ".join(f"{x:<{w}}" for x, w in zip(row, wide)).rstrip() for row in rows]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<screw axes of {self.robot}: {len(self.joints)} joints; print(…) shows them>"


def _text(x: Any) -> str:
    return str(x) if isinstance(x, str) else f"{0.0 if abs(x) < 5e-13 else x:.6g}"


def screws_of_robot(robot: RobotDescription, symbolic: Symbolic = "auto") -> ScrewAxes:
    """The axes and the home pose, in the parameters that stay letters."""
    board = DerivationBoard(refuse_unfit(robot, "pose"), symbolic, 30.0)
    screws, home = home_screws(board.chain)
    body = [screw_from_frame(home.inverse(), screw) for screw in screws]
    rows = [[*screw.w, *screw.v] for screw in (*screws, *body)]
    flat = [x for row in (*rows, *home.rows()) for x in row] + [pitch_of(screw) for screw in screws]
    entries, n = np.array(_entries(board, flat)), len(screws)
    table = entries[: 12 * n].reshape(2, n, 6)
    pose, pitches = entries[12 * n : 12 * n + 16].reshape(4, 4), entries[12 * n + 16 :]
    names = tuple(link.name for link in board.chain.links)
    return ScrewAxes(
        robot.name, names, tuple(x.kind.name for x in board.chain.links), table[0], table[1], pose, pitches
    )


def _entries(board: DerivationBoard, flat: list[Scalar]) -> list[Any]:
    exprs = _with_numbers([board.graph.expr(x) for x in flat], board)
    if not free_symbols(exprs):  # masses may be letters
        return [x + 0.0 for x in evaluate(exprs, {}, FLOATS)]  # −0 is 0
    trees = [board.write(x, LONGEST) for x in exprs]
    if any(tree is None for tree in trees):
        raise SizeError(
            "{name}: its screw axes are too long to be written; give values to some letters", board.robot.name
        )
    plain = Printer(board.taken)
    return [_short_text(plain.text(tree)) for tree in trees if tree is not None]


def _short_text(text: str) -> str:
    """Numbers in fifteen digits; terms that only rounding left are gone. What is short already stays as it is."""
    if not LONG_NUMBER.search(text):
        return text
    short = LONG_NUMBER.sub(lambda found: f"{float(found[0]):.15g}", text)
    return text_of(Angles({}).collect(parameter_from_text(short), NEGLIGIBLE))


def _with_numbers(exprs: list[Expr], board: DerivationBoard) -> list[Expr]:
    """Sines, cosines and roots of numbers as numbers: a direction is read as such."""
    still = {x: evaluate([x], {}, FLOATS)[0] for x in topological(exprs) if x.op in CALLS and not free_symbols([x])}
    return rebuilt(exprs, board.graph, {x: board.graph.const(_rounded(value)) for x, value in still.items()})


def _rounded(value: float) -> Fraction:
    """What rounding leaves of nothing is 0."""
    return Fraction(0) if abs(value) < TINY else Fraction(repr(value))


# step by step


def screw_derivation(board: DerivationBoard, axes: str) -> Derivation:
    """M, S_1 … S_n, their exponentials, the product."""
    chain, n, robot = board.chain, board.dof, board.robot
    screws, home = home_screws(chain)
    M = home.rows()
    says = sentence("At {q} = 0 the pose of the tool in the world is {M}, the home pose.", "q", "M")
    steps = [LessonStep(sentence("The home pose"), (says,), (board.equation("M", None, M, lambda at: at.home),))]
    steps.append(_axes_step(board, screws))
    E = [at.rows() for at in exponentials(chain, screws, board.q)]
    steps.append(_exponentials_step(board, E))
    products: list[Equation] = []
    total: Any = HERE.rows()
    for i in range(n):
        total = matrix_product(total, E[i])
        if i:
            products.append(_product_equation(board, total, i))
    total = matrix_product(total, M)
    whole: tuple[Notation, ...] = (*(Letter("E", str(k + 1)) for k in range(n)), "M")
    products.append(board.equation("T", whole, total, lambda at: at.frames[-1], longest=LONGEST))
    says = sentence("Each exponential moves everything beyond its joint, so they multiply in the order of joints.")
    steps.append(LessonStep(sentence("The product of exponentials"), (says,), tuple(products)))
    steps.append(pose_columns(board, total, "T", axes))
    title = sentence("{robot}: the pose of the tool by screw axes", Quoted(robot.name))
    return board.finish(Derivation(robot.name, "pose", title, (), tuple(steps), {}))


def _product_equation(board: DerivationBoard, total: Scalar, i: int) -> Equation:
    letters: tuple[Notation, ...] = tuple(Letter("E", str(k + 1)) for k in range(i + 1))
    return board.equation(letters, None, total, lambda at: at.moved_from_home(range(i + 1)), longest=LONGEST)


def _axes_step(board: DerivationBoard, screws: list[Twist]) -> LessonStep:
    lines: list[Equation] = []
    for i, (link, screw) in enumerate(zip(board.chain.links, screws, strict=True)):
        w, v, p = (Letter(letter, str(i + 1)) for letter in ("omega", "v", "p"))
        bottom: Notation = v
        if link.kind.turns:
            foot = cross(screw.w, screw.v)
            lines.append(board.equation(p, None, [[x] for x in foot], lambda at, i=i: _foot(at.home_slopes[i])))
            bottom = ("−", w, " × ", p) if not link.kind.slides else ("−", w, " × ", p, " + h", w)
        grid = Grid(((w,), (bottom,))) if link.kind.turns else Grid((("0",), (v,)))
        S = [[x] for x in (*screw.w, *screw.v)]
        lines.append(board.equation(Letter("S", str(i + 1)), grid, S, lambda at, i=i: [[x] for x in at.home_slopes[i]]))
    says = (
        sentence(
            "A joint that turns has the screw axis {S}: {w} is the unit vector of its axis at home, and {p} the point "
            "of that axis nearest to the origin.",
            (Letter("S", "i"), " = (", Letter("omega", "i"), ", −", Letter("omega", "i"), " × ", Letter("p", "i"), ")"),
            Letter("omega", "i"),
            Letter("p", "i"),
        ),
        sentence(
            "One that slides has {S}, with the unit vector {v} along its axis.",
            (Letter("S", "i"), " = (0, ", Letter("v", "i"), ")"),
            Letter("v", "i"),
        ),
    )
    kinds = {link.kind.turns for link in board.chain.links}
    chosen = tuple(one for one, turns in zip(says, (True, False)) if turns in kinds)
    return LessonStep(sentence("The screw axes"), chosen, tuple(lines))


def _foot(S: list[Scalar]) -> list[list[Scalar]]:
    """ω × v: the point of the axis nearest to the origin."""
    return [[x] for x in cross((S[0], S[1], S[2]), (S[3], S[4], S[5]))]


def _exponentials_step(board: DerivationBoard, E: list[Any]) -> LessonStep:
    w, v, q, S = (Letter(letter, "i") for letter in ("omega", "v", "q", "S"))
    R, u = Letter("R", "i"), Letter("u", "i")
    lines: list[Equation] = [Equation((Letter("E", "i"), " = exp([", S, "]", q, ")"), Grid(((R, u), ("0", "1"))))]
    slides = sentence("A joint that slides has {R} = 1 and {u}.", R, (u, " = ", q, v))
    says = [slides] if not all(link.kind.turns for link in board.chain.links) else []
    kinds = [link.kind for link in board.chain.links]
    if any(kind.turns for kind in kinds):
        advance: Notation = (" + h(", q, " − sin(", q, "))", w) if any(x.turns and x.slides for x in kinds) else ""
        turn = ("1 + sin(", q, ") [", w, "]× + (1 − cos(", q, ")) [", w, "]×²")
        lines += [
            Equation(R, turn),
            Equation(u, ("sin(", q, ") ", v, " + (1 − cos(", q, ")) ", w, " × ", v, advance)),
        ]
    for i, value in enumerate(E):
        check = lambda at, i=i: at.moved_from_home([i])  # noqa: E731
        formula = ("exp([", Letter("S", str(i + 1)), "]", board.symbol(i), ")")
        lines.append(board.equation(Letter("E", str(i + 1)), formula, value, check, longest=LONGEST))
    if any(kind.turns for kind in kinds):
        turned = sentence(
            "{R} is the rotation about {w} by Rodrigues' formula, {u} the shift that goes with it.", R, w, u
        )
        says = [turned, *says]
    return LessonStep(sentence("The exponentials"), tuple(says), tuple(lines))
