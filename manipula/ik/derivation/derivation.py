"""Robot → derivation: the closed form of its class run once on letters, written down, simplified, proved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import free_symbols, rebuilt
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.simplify import factor_function
from manipula.algebra.simplify import tree as formula
from manipula.errors import InputError
from manipula.generation.arm_structure import ArmStructure
from manipula.ik.derivation.draft import (
    Block,
    Definition,
    Draft,
    Drafter,
    DraftLine,
    Notebook,
    Phrase,
    final_names,
    needed_symbols,
    strip_sign,
)
from manipula.ik.derivation.printer import DerivationStep, InverseDerivation, InverseLine, InverseSentence, Label
from manipula.ik.derivation.sentences import Words
from manipula.mechanics.models.inverse.loop import Axis, Gap, Loop, pose_from_entries
from manipula.mechanics.models.inverse.plan import Plan, read, solve_plan
from manipula.mechanics.models.inverse.position_task import PositionPlan, position_plan
from manipula.mechanics.models.inverse.recording import Recording
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import road_of, with_frame
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import Vector, transpose
from manipula.messages import Message

# √((a + b)·(a − b)) is read more easily as √(a² − b²), and costs no more.


def with_squares(tree: formula.FormulaTree) -> formula.FormulaTree:
    """The tree with the differences of squares under its roots written so."""
    match tree:
        case formula.FormulaProduct(factors):
            return formula.product_of(map(with_squares, factors))
        case formula.Sum(terms):
            return formula.sum_of(map(with_squares, terms))
        case formula.FormulaCall("sqrt", (formula.FormulaProduct((formula.Sum() as one, formula.Sum() as other)),)):
            return formula.FormulaCall("sqrt", (_difference(one, other) or tree.args[0],))
        case formula.FormulaCall(op, args):
            return formula.FormulaCall(op, tuple(map(with_squares, args)))
    return tree


def _difference(one: formula.Sum, other: formula.Sum) -> formula.FormulaTree | None:
    """a² − b², where the two are a + b and a − b."""
    shared = [term for term in one.terms if term in other.terms]
    if len(one.terms) != 2 or len(other.terms) != 2 or len(shared) != 1:
        return None
    (a,), (b,) = shared, [term for term in one.terms if term not in shared]
    if formula.product_of([formula.MINUS, b]) not in other.terms:
        return None
    return formula.sum_of([_square(a), formula.product_of([formula.MINUS, _square(b)])])


def _square(tree: formula.FormulaTree) -> formula.FormulaTree:
    return formula.power_of(formula.without_sign(tree)[1], 2)


COLUMNS = "uvwq"  # symbols of the pose: the tool's axes and its position
SHOWN = "noat"  # their letters: q is a joint variable, and p the point that the steps use


def derivation_of(robot: RobotDescription, symbolic: Symbolic = "all", task: str | None = None) -> InverseDerivation:
    """The derivation, of the arm to the tool; `InputError` where it has no closed form.

    `task`: "pose", or "position" of the tool's origin alone; None chooses by the number of joints: for two
    or three the position, where that has a closed form.
    """
    if task not in (None, "pose", "position"):
        raise InputError("task: a derivation is of the pose or the position, found {task!r}", task)
    robot = road_of(with_frame(robot))
    structure = ArmStructure(robot, symbolic)
    placed = None if task == "pose" else _position_plan(structure)
    if placed is not None:
        try:
            return _of_position(structure, placed)
        except ZeroDivisionError:  # joints that move the point in fewer ways than they are: nothing to solve for
            placed = None
    if task == "position":
        raise InputError(
            "{name}: no derivation of the tool's position: two or three joints place a point by a closed "
            "form, if their axes allow it; this arm has {dof}",
            robot.name,
            robot.dof,
        )
    plan = structure.plan
    if not plan.has_closed_form:
        raise InputError("{name}: no derivation, there is no closed form: {sentence}", robot.name, plan.sentence)
    notebook = Notebook()
    parameters = {name: notebook.graph.symbol(name) for name in _free_names(structure)}
    chain = structure.bound_tree(notebook.maths, parameters)
    free = _symbol(notebook, "psi" if plan.fixed_joint is None else f"q{plan.fixed_joint + 1}")
    loop = read(plan, chain, _pose(notebook), free)
    q = [_symbol(notebook, name) for name in _joint_names(loop.axes, chain)]
    words = Words(plan, loop, chain.dof)
    loop = _name_pose_entries(loop, notebook)
    solve_plan(plan, loop, free, Recording(chain, loop, q, notebook.name, notebook.note))
    drafts = Drafter(notebook, words, plan.roles).run()
    return _finish_derivation(robot, plan, chain, notebook, [_opening_draft(loop, notebook, words, drafts), *drafts])


def _position_plan(structure: ArmStructure) -> PositionPlan | None:
    """How a point is reached, if every draw of the letters says the same."""
    drawn = [position_plan(structure.in_floats(f"position {draw}")) for draw in range(2)]
    plans = [x.plan for x in drawn if x is not None]
    return drawn[0] if len(plans) == 2 and plans[0] == plans[1] and plans[0].masks == plans[1].masks else None


def _of_position(structure: ArmStructure, placed: PositionPlan) -> InverseDerivation:
    """The same for a point: the joints of a planar arm, or those under a wrist that is not there."""
    notebook, plan = Notebook(), placed.plan
    parameters = {name: notebook.graph.symbol(name) for name in _free_names(structure)}
    chain = structure.bound_tree(notebook.maths, parameters)
    arm, point = placed.of(chain), _pose(notebook).p
    loop = arm.loop(point)
    q = [_symbol(notebook, name) for name in _joint_names(loop.axes, arm.chain)]
    ends: list[Expr] = []

    def named_point(p: Vector) -> Vector:
        named = tuple(notebook.name("p", axis, x) for axis, x in zip("xyz", p))
        ends.extend(map(notebook.graph.expr, named))
        return named

    words = Words(plan, loop, chain.dof)
    arm.solve(point, Recording(arm.chain, loop, q, notebook.name, notebook.note), named_point)
    drafts = Drafter(notebook, words, plan.roles, position=True).run()
    own = {x.symbol for x in notebook.log if isinstance(x, Definition)}
    # where every component has a name the point itself needs no line
    plain = any(strip_sign(x) not in own for x in ends)
    opening = Draft(Phrase(Message("The tool's origin, seen from axis 1: the point {letter}", "p")))
    opening.blocks = [Phrase("p = ({0}, {1}, {2})" if plain else "", tuple(ends))]
    made = _finish_derivation(structure.robot, plan, chain, notebook, [opening, *drafts])
    return replace(made, task="position")


def _free_names(structure: ArmStructure) -> tuple[str, ...]:
    """The parameters that stay letters; none may have a letter of the pose."""
    names, own = structure.free, {"psi", *(f"{x}{axis}" for x in COLUMNS + SHOWN for axis in "xyz")}
    clash = [name for name in names if name in own]
    if clash:
        name = structure.robot.name
        raise InputError("{name}: parameter {clash!r} is called like a letter of the pose; rename it", name, clash[0])
    return names


def _symbol(notebook: Notebook, name: str) -> Expr:
    return notebook.graph.symbol(name, online=True)


def _pose(notebook: Notebook) -> Placement:
    """T = [u v w q], row by row"""
    rows = [[_symbol(notebook, f"{letter}{axis}") for letter in COLUMNS] for axis in "xyz"]
    return pose_from_entries([entry for row in rows for entry in row])


def _joint_names(axes: Sequence[Axis], chain: Tree) -> list[str]:
    """q1 … qn, in the order of the loop; axes added to it count on from there."""
    added = iter(range(chain.dof + 1, chain.dof + len(axes) + 1))
    return [f"q{axis.joint + 1 if axis.joint is not None else next(added)}" for axis in axes]


def _name_pose_entries(loop: Loop, notebook: Notebook) -> Loop:
    """The loop with letters for what the pose gives, points p and the axes r, where they are not the pose's own."""
    gap = loop.gaps[loop.pose_gap]
    R = tuple(
        tuple(notebook.name("r", f"{i + 1}{j + 1}", x) for j, x in enumerate(row)) for i, row in enumerate(gap.back.R)
    )
    behind, ahead = (tuple(notebook.name("p", axis, x) for axis, x in zip("xyz", at.p)) for at in (gap.back, gap.there))
    named = Gap(Placement(transpose(R), ahead), Placement(R, behind))  # type: ignore[arg-type]
    return replace(loop, gaps=(*loop.gaps[: loop.pose_gap], named, *loop.gaps[loop.pose_gap + 1 :]))


def _opening_draft(loop: Loop, notebook: Notebook, words: Words, drafts: list[Draft]) -> Draft:
    """The points that the steps use: one or both ends of the gap with the pose in it."""
    gap = loop.gaps[loop.pose_gap]
    ends = [tuple(map(notebook.graph.expr, at.p)) for at in (gap.back, gap.there)]
    definitions = [entry for entry in notebook.log if isinstance(entry, Definition)]
    needed, own = needed_symbols(definitions, _roots(drafts)), {x.symbol for x in definitions}
    sides = [behind for behind in (True, False) if needed & own & set(map(strip_sign, ends[not behind]))] or [True]
    titles = [words.point(behind, letter) for behind, letter in zip(sides, "pk")]
    blocks: list[Block] = []
    for behind, letter, title in zip(sides, "pk", titles):
        blocks += [Phrase(title)] if blocks else []
        plain = any(strip_sign(x) not in own for x in ends[not behind])
        blocks.append(Phrase(f"{letter} = ({{0}}, {{1}}, {{2}})" if plain else "", ends[not behind]))
    return Draft(Phrase(titles[0]), blocks=blocks)


# the fair copy


def _finish_derivation(
    robot: RobotDescription, plan: Plan, chain: Tree, notebook: Notebook, drafts: list[Draft]
) -> InverseDerivation:
    definitions = [entry for entry in notebook.log if isinstance(entry, Definition)]
    needed = needed_symbols(definitions, _roots(drafts))
    kept = [definition for definition in definitions if definition.symbol in needed]
    _place(kept, drafts)
    plain = {str(x.data) for x in needed} - {str(x.symbol.data) for x in kept}
    names = final_names(kept, plain)
    trees = _trees(robot, list(_roots(drafts)), names)
    labels = {letter + index: Label(letter, index) for letter, index in names.values()} | _own_labels(
        robot, chain, plain
    )
    steps = tuple(_step(draft, trees) for draft in drafts)
    said = robot.name, plan.title, plan.sentence, plan.roles, plan.parameter
    return InverseDerivation(*said, chain.dof, plan.pad.count if plan.pad else 0, steps, labels)


def _place(definitions: list[Definition], drafts: list[Draft]) -> None:
    """Every definition before the block that uses it first."""
    left = list(definitions)
    for draft in drafts:
        placed: list[Block] = []
        for block in draft.blocks:
            needed = needed_symbols(definitions, _parts(block))
            placed.append(tuple(DraftLine(x.symbol, x.value, "definition") for x in left if x.symbol in needed))
            placed.append(block)
            left = [x for x in left if x.symbol not in needed]
        draft.blocks = [block for block in placed if block]


def _parts(block: Block) -> Iterable[Expr]:
    return block.parts if isinstance(block, Phrase) else [x for line in block for x in (line.left, line.right)]


def _roots(drafts: Iterable[Draft]) -> Iterable[Expr]:
    """Every expression that is printed."""
    for draft in drafts:
        for block in [draft.title, *draft.blocks, *filter(None, (draft.roots, draft.singular))]:
            yield from _parts(block)
        if draft.finds is not None:
            yield draft.finds


def _trees(
    robot: RobotDescription, roots: list[Expr], names: dict[Expr, tuple[str, str]]
) -> dict[Expr, formula.FormulaTree]:
    """Every expression as it is written, under its final names, proved equal to what was recorded."""
    graph = Graph()
    unique = list(dict.fromkeys(roots))
    renamed = {x: graph.symbol("".join(name), online=x.online) for x, name in names.items()}
    moved = rebuilt(unique, graph, renamed)
    inputs = (Input("x", tuple(free_symbols(moved))),)
    function = Function(robot.name, graph, inputs, (Output("y", (len(moved),), tuple(moved)),))
    return dict(zip(unique, map(with_squares, factor_function(function)["y"]), strict=True))


def _own_labels(robot: RobotDescription, chain: Tree, taken: Iterable[str]) -> dict[str, Label]:
    """θ for angles and d for slides, or q where the table has these letters; n o a t for the pose."""
    labels = {f"{name}{axis}": Label(letter, axis) for name, letter in zip(COLUMNS, SHOWN) for axis in "xyz"}
    slides = [n for n, link in enumerate(chain.links, 1) if link.kind.name == "prismatic"]
    turns = [n for n in range(1, chain.dof + 7) if n not in slides]
    offsets = {joint.offset.name for joint in robot.joints}
    for letter, numbers in (("theta", turns), ("d", slides)):
        used = {f"{letter}{number}": Label(letter, f"0{number}") for number in numbers if f"{letter}{number}" in taken}
        # a table with parameters called d1 keeps them: the joint is q then; what it adds to θ1 is θ01
        own = letter if used.keys() <= offsets else "q"
        labels |= {f"q{number}": Label(own, str(number)) for number in numbers} | (used if own == letter else {})
    return labels | {"psi": Label("psi", "")}


def _step(draft: Draft, trees: dict[Expr, formula.FormulaTree]) -> DerivationStep:
    def sentence(phrase: Phrase) -> InverseSentence:
        return InverseSentence(phrase.words, tuple(trees[x] for x in phrase.parts))

    lines: list[InverseLine | InverseSentence] = []
    for block in draft.blocks:
        if isinstance(block, Phrase):
            lines += [sentence(block)] if block.words else []
        else:
            lines += [_positive_equation(trees[line.left], trees[line.right], line.kind) for line in block]
    roots, singular = (None if x is None else sentence(x) for x in (draft.roots, draft.singular))
    finds = None if draft.finds is None else trees[draft.finds]
    return DerivationStep(sentence(draft.title), finds, draft.role, tuple(lines), roots, singular)


def _positive_equation(left: formula.FormulaTree, right: formula.FormulaTree, kind: str) -> InverseLine:
    """−x = 0 is x = 0, and −x = −y is x = y"""
    (minus, positive), (other_minus, other) = formula.without_sign(left), formula.without_sign(right)
    if kind == "equation" and minus and (other_minus or right == formula.ZERO):
        return InverseLine(positive, other, kind)
    return InverseLine(left, right, kind)
