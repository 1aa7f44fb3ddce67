"""The pose as a product of transforms, the Jacobian column by column, and where it loses rank.

Sources: Craig, "Introduction to Robotics", 3rd ed. (2005), eqs. (3.6), (3.8); Spong, Hutchinson, Vidyasagar, "Robot
Modeling and Control" (2006), eqs. (3.10), (4.64): J_i = (z × (p − p_i), z) of a joint that turns, (z, 0) of one that
slides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manipula.algebra.expr.maths import free_symbols
from manipula.algebra.show.notation import Grid, Letter, Notation
from manipula.algebra.simplify.tree import ZERO, operations, without_sign
from manipula.derivations.board import LONGEST, DerivationBoard
from manipula.derivations.proof import Reference, matrix_product
from manipula.ik.singularities import singularities_of
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.tree import Link
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vec3, add, column, cross, neg, scale, sub
from manipula.messages import Message
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, LessonStep, Quoted, Sentence, sentence
from manipula.scalar import Scalar

COLUMNS = {"noa": ("n", "o", "a"), "xyz": ("x", "y", "z"), "nsa": ("n", "s", "a")}
ROWS = "xyz"
HEADING = 14  # operations of a formula that a heading has room for


def _t(i: int | str) -> Letter:
    return Letter("T", str(i), before="0")


def _grid(*rows: str) -> Grid:
    """A matrix typed row by row, entries with blanks between."""
    return Grid(tuple(tuple(_entry(word) for word in row.split()) for row in rows))


_LETTERS = {"θ": "theta", "α": "alpha"}


def _entry(word: str) -> Notation:
    """cθ·sα, −a: cosine and sine of an index's angle, as tables have them."""
    parts: list[Notation] = []
    for piece in word.replace("−", " − ").replace("·", " ").split():
        if piece == "−":
            parts.append("−")
        elif piece[0] in "cs" and len(piece) > 1:
            below = "i" if piece[1] == "θ" else "i−1" if piece.endswith("'") else "i"
            beside = " " if parts and parts[-1] != "−" else ""
            parts += [beside + ("cos " if piece[0] == "c" else "sin "), Letter(_LETTERS[piece[1]], below)]
        elif piece[0].isalpha():
            parts.append(Letter(piece[0], "i−1" if piece.endswith("'") else "i"))
        else:
            parts.append(piece)
    return tuple(parts)


GENERAL = {
    "standard": _grid("cθ −sθ·cα sθ·sα a·cθ", "sθ cθ·cα −cθ·sα a·sθ", "0 sα cα d", "0 0 0 1"),
    "modified": _grid("cθ −sθ 0 a'", "sθ·cα' cθ·cα' −sα' −d·sα'", "sθ·sα' cθ·sα' cα' d·cα'", "0 0 0 1"),
}
ROW_SENTENCE = {
    "standard": "Each row of the table (standard convention) gives one transform: a turn by {theta} about z, a shift "
    "by {d} along z, a shift by {a} along the new x, a turn by {alpha} about it.",
    "modified": "Each row of the table (modified convention) gives one transform: a turn by {alpha} about x, a shift "
    "by {a} along x, a turn by {theta} about the new z, a shift by {d} along it.",
}


def pose_derivation(board: DerivationBoard, axes: str) -> Derivation:
    """A_1 … A_n, their products, the tool's axes and position."""
    robot, chain, n = board.robot, board.chain, board.dof
    A = [at.rows() for at in chain.elementary(board.q)]
    shape = robot.origin.convention
    rows: list[Equation] = [Equation(Letter("A", "i"), GENERAL[shape])] if shape in GENERAL else []
    says = (
        [_row_sentence(shape), *_table_angles(board)]
        if shape in GENERAL
        else [sentence("Each joint gives one transform: where the file places it, then its own motion.")]
    )
    rows += [
        board.equation(Letter("A", str(i + 1)), None, A[i], lambda at, i=i: at.neighbours[i + 1]) for i in range(n)
    ]
    steps = [LessonStep(sentence("The transform of each joint"), tuple(says), tuple(rows))]
    total: Any = chain.base.rows()
    products: list[Equation] = []
    says_base: tuple[Sentence, ...] = ()
    if chain.base != HERE:
        products.append(board.equation(_t(0), Letter("A", "0"), total, lambda at: at.frames[0]))
        says_base = (sentence("The base stands at {A0} in the world.", Letter("A", "0")),)
    for i in range(n):
        total = matrix_product(total, A[i])
        factors: tuple[Notation, ...] = tuple(Letter("A", str(k + 1)) for k in range(i + 1))
        lead: tuple[Notation, ...] = (_t(0),) if chain.base != HERE else ()
        formula = (*lead, *factors) if i < 2 else (_t(i), Letter("A", str(i + 1)), " = ", *lead, *factors)
        products.append(board.equation(_t(i + 1), formula, total, lambda at, i=i: at.frames[i + 1], longest=LONGEST))
    if chain.tool != HERE:
        tool = chain.tool.rows()
        total = matrix_product(total, tool)
        products.append(board.equation(Letter("A", "t"), None, tool, lambda at: at.neighbours[-1]))
        products.append(
            board.equation(_t("t"), (_t(n), Letter("A", "t")), total, lambda at: at.frames[-1], longest=LONGEST)
        )
    steps.append(LessonStep(sentence("The product, link by link"), says_base, tuple(products)))
    steps.append(pose_columns(board, total, _t("t" if chain.tool != HERE else n), axes))
    title = sentence("{robot}: the pose of the tool", Quoted(robot.name))
    return board.finish(Derivation(robot.name, "pose", title, (), tuple(steps), {}))


def _table_angles(board: DerivationBoard) -> Iterator[Sentence]:
    """What the table has in place of θ₂ or d₃: an offset in numbers, another direction; and fixed rows."""
    for i, link in enumerate(board.chain.links):
        offset = board.graph.expr(link.offset)
        tree = board.write(offset)
        if tree is None or free_symbols([offset]) or (offset.value == 0 and link.direction == 1):
            continue
        negative, size = without_sign(tree)
        own = ("−" if link.direction < 0 else "", board.symbol(i))
        added = () if offset.value == 0 else (" − " if negative else " + ", size)
        yield sentence(IN_TABLE[link.kind.field], Quoted(str(i + 1)), (*own, *added))
    last = max(i for i, joint in enumerate(board.robot.joints) if joint.kind != "fixed")
    if any(joint.kind == "fixed" for joint in board.robot.joints[:last]):
        yield sentence("A fixed row is part of the next transform.")


IN_TABLE = {
    "theta": "The angle of joint {i} in the table is {angle}.",
    "d": "The slide of joint {i} in the table is {slide}.",
}


def _row_sentence(shape: str) -> Any:
    back = "i" if shape == "standard" else "i−1"
    letters = {
        "theta": Letter("theta", "i"),
        "d": Letter("d", "i"),
        "a": Letter("a", back),
        "alpha": Letter("alpha", back),
    }
    order = ("theta", "d", "a", "alpha") if shape == "standard" else ("alpha", "a", "theta", "d")
    return sentence(ROW_SENTENCE[shape], *(letters[name] for name in order))


def pose_columns(board: DerivationBoard, total: Any, name: Notation, axes: str) -> LessonStep:
    """T = [n o a p]"""
    n, o, a = COLUMNS[axes]
    head = Equation(name, Grid(((n, o, a, "p"), ("0", "0", "0", "1"))))
    parts = [
        board.equation(
            letter,
            None,
            [[total[i][j]] for i in range(3)],
            lambda at, j=j: [[at.frames[-1][i][j]] for i in range(3)],
            longest=LONGEST,
        )
        for j, letter in enumerate((n, o, a, "p"))
    ]
    says = sentence(
        "The columns are the axes {n}, {o}, {a} of the tool and its position {p}, in the world.", n, o, a, "p"
    )
    return LessonStep(sentence("Axes and position of the tool"), (says,), (head, *parts))


# The Jacobian.


def joint_axes(board: DerivationBoard) -> tuple[list[Vec3], list[Vec3], Placement]:
    """z and a point of every joint's axis, signed by the joint's direction, and the tool, in the world."""
    chain = board.chain
    *links, tool = frames(chain, board.q)
    parents = [chain.base, *links[:-1]]
    feet = [parent @ link.before for parent, link in zip(parents, chain.links, strict=True)]
    z = [_signed(link, column(foot.R, 2)) for link, foot in zip(chain.links, feet, strict=True)]
    # the origin of frame i lies on axis i where nothing stands behind the joint
    on_axis = all(link.after == HERE for link in chain.links)
    points = [Vec3(at.p) for at in (links if on_axis else feet)]
    return z, points, tool


def _signed(link: Link, z: Vec3) -> Vec3:
    return z if link.direction == 1 else neg(z)


def _row(v: Any) -> list[list[Scalar]]:
    return [[x] for x in v]


def jacobian_derivation(board: DerivationBoard) -> Derivation:
    z, points, tool = joint_axes(board)
    p: Vec3 = Vec3(tool.p)
    n, number = board.dof, board.axis_number
    first = [board.equation("p", None, _row(p), lambda at: [[at.frames[-1][i][3]] for i in range(3)], longest=LONGEST)]
    for i in range(n):
        zi, oi = Letter("z", number(i)), Letter("p", number(i))
        first.append(board.equation(zi, None, _row(z[i]), lambda at, i=i: _row(_axis_of(at, i)), longest=LONGEST))
        if board.chain.links[i].kind.name != "prismatic":
            first.append(
                board.equation(oi, None, _row(points[i]), lambda at, i=i: _row(_point_of(at, i)), longest=LONGEST)
            )
    says = sentence(
        "{z} is the axis of joint i and {o} a point of it; {p} is the tool's position. All come from the "
        "transforms of the pose.",
        Letter("z", "i−1" if board.turns_from_zero else "i"),
        Letter("p", "i−1" if board.turns_from_zero else "i"),
        "p",
    )
    steps = [LessonStep(sentence("Axes and points"), (says,), tuple(first))]
    columns = [_column_step(board, i, z[i], points[i], p) for i in range(n)]
    steps.append(
        LessonStep(
            sentence("The columns"),
            (
                sentence(
                    "A joint that turns moves the tool by {turn}; one that slides moves it along {z}.",
                    (Letter("z", "i"), " × (p − ", Letter("p", "i"), ")"),
                    Letter("z", "i"),
                ),
            ),
            substeps=tuple(step for step, _ in columns),
        )
    )
    J = [[columns[j][1][i] for j in range(n)] for i in range(6)]

    def check(at: Reference) -> list[list[Scalar]]:
        return [[_slope_column(at, j)[i] for j in range(n)] for i in range(6)]

    whole = [board.equation("J", Grid((tuple(Letter("J", str(i + 1)) for i in range(n)),)), J, check, longest=LONGEST)]
    kept = [i for i in range(6) if whole[0].result is None or any(x != ZERO for x in whole[0].result[i])]  # type: ignore[index]
    if len(kept) < 6 and kept:
        some = [J[i] for i in kept]
        whole.append(
            board.equation(Letter("J", "r"), None, some, lambda at: [check(at)[i] for i in kept], longest=LONGEST)
        )
    steps.append(
        LessonStep(
            sentence("The Jacobian"),
            (
                sentence(
                    "Rows 1 to 3 are the linear velocity of the tool, rows 4 to 6 the angular velocity, in the world."
                ),
                *((sentence("{J} has the rows that are not zero.", Letter("J", "r")),) if len(whole) > 1 else ()),
            ),
            tuple(whole),
        )
    )
    title = sentence("{robot}: the Jacobian of the tool, column by column", Quoted(board.robot.name))
    return board.finish(Derivation(board.robot.name, "jacobian", title, (), tuple(steps), {}))


def _column_step(board: DerivationBoard, i: int, z: Vec3, point: Vec3, p: Vec3) -> tuple[LessonStep, list[Scalar]]:
    link, number = board.chain.links[i], board.axis_number(i)
    zi, oi, Ji = Letter("z", number), Letter("p", number), Letter("J", str(i + 1))
    turn, slide = link.kind.turn(1), link.kind.slide(1)
    swing = cross(z, sub(p, point))
    linear = add(scale(turn, swing), scale(slide, z))
    angular = scale(turn, z)
    check = lambda at: [[x] for x in _slope_column(at, i)]  # noqa: E731
    kind = link.kind.name
    lever = board.equation(
        ("p − ", oi),
        None,
        _row(sub(p, point)),
        lambda at: _row([at.frames[-1][k][3] - x for k, x in enumerate(_point_of(at, i))]),
        longest=LONGEST,
    )
    top: tuple[Notation, ...] = (zi, " × (p − ", oi, ")")
    if kind == "prismatic":
        formula, lines = Grid(((zi,), ("0",))), []
    elif kind == "revolute":
        formula, lines = Grid(((top,), (zi,))), [lever]
    else:  # a screw: it slides by its pitch while it turns
        formula, lines = Grid((((*top, " + ", Letter("h", str(i + 1)), " ", zi),), (zi,))), [lever]
    J = [*linear, *angular]
    lines.append(board.equation(Ji, formula, _row(J), check, longest=LONGEST))
    letters = (Quoted(str(i + 1)), *((Letter("h", str(i + 1)),) if kind == "helical" else ()))
    return LessonStep(sentence(COLUMN_TITLES[kind], *letters), (), tuple(lines)), J


COLUMN_TITLES = {
    "revolute": "Column {i}: the joint turns",
    "prismatic": "Column {i}: the joint slides",
    "helical": "Column {i}: the joint turns, and slides by its pitch {h}",
}


def _foot(at: Reference, i: int) -> Any:
    """The frame before joint i's motion, by the recursion of the tree."""
    links = [at.chain.base, *frames(at.chain, at.q)[:-1]]
    return links[i] @ at.chain.links[i].before


def _axis_of(at: Reference, i: int) -> Any:
    """The axis that the tool's rotation turns about where joint i moves: from ∂R Rᵀ; of a slide from ∂p."""
    v = _slope_column(at, i)
    return v[:3] if at.chain.links[i].kind.name == "prismatic" else v[3:]


def _point_of(at: Reference, i: int) -> list[Scalar]:
    """The origin of a frame from the second reading: its own where nothing stands behind the joints, else the foot."""
    if all(link.after == HERE for link in at.chain.links):
        return [at.frames[i + 1][k][3] for k in range(3)]
    return list(_foot(at, i).p)


def _slope_column(at: Reference, i: int) -> list[Scalar]:
    """(∂p/∂q_i, the vector of ∂R/∂q_i Rᵀ)"""
    slope, R = at.slopes[i], at.frames[-1]
    spin = matrix_product([row[:3] for row in slope[:3]], [list(column) for column in zip(*(row[:3] for row in R[:3]))])
    return [slope[0][3], slope[1][3], slope[2][3], spin[2][1], spin[0][2], spin[1][0]]


# Singular configurations.


def singular_derivation(board: DerivationBoard) -> Derivation:
    """det J in factors, each factor solved."""
    found = singularities_of(board.robot, board.structure.symbolic)
    first = []
    for piece, tree in zip(found.pieces, found.determinants, strict=True):
        function = piece.function
        name: Notation = ("det ", Letter("J", piece.name[1:])) if piece.name != "JᵀJ" else "det JᵀJ"
        first.append(Equation(name, None, tree, lambda r, f=function: r.of_function(f)))
    says = [sentence("{name}: {says}.", Quoted(piece.name), Quoted(Message(piece.says))) for piece in found.pieces]
    steps = [LessonStep(sentence("The determinant"), tuple(says), tuple(first))]
    for place, case in enumerate(found.cases, 1):
        lines: list[Equation] = [Equation(case.factor, "0")]
        if case.solution is not None:
            unknown, values = case.solution
            lines += [Equation(unknown, value) for value in values if (unknown, value) != (case.factor, ZERO)]
        called = [Quoted(case.name)] if case.name else []
        if operations(case.factor) <= HEADING:
            zero = (case.factor, " = 0")
            title = sentence("Singular where {factor}: {name}" if called else "Singular where {factor}", zero, *called)
        else:
            title = sentence(
                "Singular where factor {place} is zero: {name}" if called else "Singular where factor {place} is zero",
                Quoted(str(place)),
                *called,
            )
        missed = () if case.reached else (sentence("No such configuration was found."),)
        steps.append(LessonStep(title, missed, tuple(lines)))
    if not found.cases:
        steps.append(LessonStep(sentence("Never singular"), (sentence("No joint changes the determinant."),)))
    title = sentence("{robot}: singular configurations", Quoted(board.robot.name))
    says_all = (sentence("The arm is singular where the determinant of its Jacobian is zero."),)
    return board.finish(Derivation(board.robot.name, "singularities", title, says_all, tuple(steps), {}))
