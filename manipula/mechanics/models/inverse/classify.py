"""Which closed form an arm has, from its axes alone: floats within rounding, or exact scalars exactly (see `view`).

Source: Pieper, "The kinematics of manipulators under computer control", dissertation, Stanford 1968, for three axes
that meet or are parallel. The other classes are derived here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.entry import FRAMES, Given, ModelEntry, Outputs
from manipula.mechanics.models.inverse.candidates import few_plans, six_plans
from manipula.mechanics.models.inverse.loop import defect, loop_from_chain, quotient
from manipula.mechanics.models.inverse.plan import SNAP, ArmKind, Mask, Pad, Plan, Slide, branches, entries, read
from manipula.mechanics.models.inverse.view import LoopView, somewhere
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import ROUNDED
from manipula.mechanics.spatial.placement import Placement
from manipula.messages import Message
from manipula.scalar import Judge, Scalar

# Whether a plan solves an arm: it is tried at configurations that are known.
#
# A closed form for few joints may fit an arm's axes and yet say nothing about one of its joints (a point that is to be
# placed may lie on the very axis that should move it). That is seen at once when it is run: the configuration a pose
# was
# made from must be among the answers. What is tried are floats; no answer depends on them, only which way is taken.
# One that is calm there is better: it says so where two branches meet, and nowhere else.

TRIALS = 12
MISSES = 1  # a configuration close to a special one may be lost to rounding
SAME = 1e-6
CALM = 1e-8
STEPS = (0.7548776662, 0.5698402910, 0.8191725134, 0.6710436067, 0.4497443410, 0.3819660113)  # spread evenly


def configurations(dof: int) -> list[list[float]]:
    """Evenly spread, the same in every run."""
    return [[math.tau * ((0.37 + k * step) % 1) - math.pi for step in STEPS[:dof]] for k in range(1, TRIALS + 1)]


def solves(plan: Plan, chain: Tree, calm: bool) -> bool:
    """Whether the plan finds the configurations of an arm over floats, and calmly where that is asked."""
    left = MISSES
    for q in configurations(chain.dof):
        left -= not _finds(plan, chain, q, calm)
        if left < 0:
            return False
    return True


def _finds(plan: Plan, chain: Tree, q: Sequence[float], calm: bool) -> bool:
    T = [x for row in pose(chain, q).rows() for x in row]
    try:
        found = branches(plan, chain, [float(x) for x in T], None if plan.fixed_joint is None else q[plan.fixed_joint])
    except ZeroDivisionError:  # a plan that divides by what is nothing in this arm
        return False
    if calm and not found.calm(chain.maths) > CALM:
        return False
    return any(valid == 1 and _same(x, q, chain) for x, valid in zip(found.q, found.valid, strict=True))


def _same(x: Sequence[float], q: Sequence[float], chain: Tree) -> bool:
    away = [a - b for a, b in zip(x, q, strict=True)]
    turns = (link.kind.pivots for link in chain.links)
    return all(abs(math.remainder(a, math.tau) if turn else a) < SAME for a, turn in zip(away, turns, strict=True))


NO_STRUCTURE = "no three neighbouring axes meet, nor are three parallel beside two that cross"
HELD = (Fraction("0.734"), Fraction("-1.219"))  # of a held joint: what is zero for both is zero by structure
FREE = 1e-9  # a pivot of the Jacobian that is nothing


def classify(chain: Tree, judge: Judge = ROUNDED, trials: Sequence[Tree] = ()) -> Plan:
    """The plan for an arm with fixed joints merged. `trials`: the arm in floats, where the chain is not."""
    screws = [k for k, link in enumerate(chain.links, 1) if link.kind.turns and link.kind.slides]
    if screws:
        return _none(
            "screws",
            (
                Message(
                    "joint {screws} turns and slides at once, of which no closed form is known; numeric solution",
                    screws[0],
                )
                if len(screws) == 1
                else Message(
                    "joints {listed} turn and slide at once, of which no closed form is known; numeric solution",
                    enumerate_numbers(screws),
                )
            ),
        )
    plan = _plan_by_joint_count(
        LoopView(loop_from_chain(chain, somewhere(chain.maths)), judge), chain, trials or (chain,)
    )
    return plan if not plan.has_closed_form else replace(plan, masks=_masks(plan, chain, judge))


def _plan_by_joint_count(view: LoopView, chain: Tree, trials: Sequence[Tree]) -> Plan:
    n = chain.dof
    if n > 7:
        return _none("redundant", Message("the arm has {dof} joints; numeric solution", n))
    if n == 7:
        return _seven(view, chain)
    return next(_six(view)) if n == 6 else _few(view, chain, trials)


def enumerate_numbers(numbers: Sequence[int]) -> str:
    """`1, 2 and 5`"""
    *first, last = map(str, numbers)
    return Message("{first} and {last}", ", ".join(first), last) if first else last


def _none(title: str, sentence: str, kind: ArmKind = ArmKind.NUMERIC) -> Plan:
    return Plan("none", "", title, sentence, kind=kind)


def _six(view: LoopView) -> Iterator[Plan]:
    """Best first."""
    yield from six_plans(view)
    if "P" in view.kinds:
        yield _none(
            "numeric",
            Message("no closed form is known for axes {kinds} placed like this; numeric solution", view.kinds),
        )
    meet = any(view.meet(axis) for axis in range(4))
    why = "three axes meet, but no two of the others cross or are parallel" if meet else NO_STRUCTURE
    yield _none("general 6R", Message("{why}; elimination and eigenvalues", why), ArmKind.SIX)


# fewer than six


def _few(view: LoopView, chain: Tree, trials: Sequence[Tree]) -> Plan:
    n, free = chain.dof, chain.dof - _rank(jacobian(chain, _anywhere(chain)), view.judge)
    if free:
        return _redundant(view, chain, trials, free)
    return _first_that_solves(few_plans(view), chain, view.judge, trials) or _numeric_plan(view, n)


def _first_that_solves(plans: Iterable[Plan], chain: Tree, judge: Judge, trials: Sequence[Tree]) -> Plan | None:
    whole = [replace(plan, masks=_masks(plan, chain, judge)) for plan in plans]
    tried = ((plan, calm) for calm in (True, False) for plan in whole)
    return next((plan for plan, calm in tried if all(solves(plan, arm, calm) for arm in trials)), None)


def _numeric_plan(view: LoopView, n: int) -> Plan:
    if n >= 4 and view.turns(*range(n)):
        said = Message("no closed form is known for these {n} axes; with axes added, elimination and eigenvalues", n)
        return replace(_none(f"general {n}R", said, ArmKind.FEWER), pad=Pad(6 - n))
    return _none("numeric", Message("no closed form is known for these {n} axes; numeric solution", n))


def _redundant(view: LoopView, chain: Tree, trials: Sequence[Tree], free: int) -> Plan:
    """The joints can move with the tool at rest: where one is given, the others may have a closed form."""
    n, still = chain.dof, Message("the arm can move with its tool at rest")
    for joint in reversed(range(n)) if free == 1 else ():
        held = view.of(view.loop.with_fixed(joint, _fixed_motion(chain, joint)))
        plans = (replace(plan, fixed_joint=joint) for plan in few_plans(held))
        plan = _first_that_solves(plans, chain, view.judge, trials)
        if plan is not None:
            held_plan = _with_fixed_joint(plan, joint, n)
            return replace(held_plan, sentence=Message("{still}; {sentence}", still, held_plan.sentence), free=free)
    return replace(_none("redundant", Message("{still}; numeric solution", still)), free=free)


def _with_fixed_joint(plan: Plan, joint: int, n: int) -> Plan:
    said = Message("with joint {number} given, {sentence}", joint + 1, plan.sentence)
    title = Message("{n} joints, one held, {title}", n, Message(plan.title))
    return replace(plan, sentence=said, title=title, fixed_joint=joint, parameter=Message("joint {name}", joint + 1))


def _anywhere(chain: Tree) -> list[Scalar]:
    """A configuration of no special meaning."""
    return [chain.maths.number(Fraction(37 + 61 * k, 100)) for k in range(chain.dof)]


def _rank(rows: Sequence[Sequence[Scalar]], judge: Judge) -> int:
    """By elimination, the largest pivot first."""
    left, rank = [list(row) for row in rows], 0
    for k in range(len(rows[0])):
        pivots = [row for row in left if not judge.zero(row[k], FREE)]
        if not pivots:
            continue
        pivot = max(pivots, key=lambda row: judge.length(row[k]))
        left = [_eliminate_row(row, pivot, k) for row in left if row is not pivot]
        rank += 1
    return rank


def _eliminate_row(row: list[Scalar], pivot: list[Scalar], k: int) -> list[Scalar]:
    share = quotient(row[k], pivot[k])  # of two integers exactly
    return [x - share * y for x, y in zip(row, pivot, strict=True)]


def _fixed_motion(chain: Tree, joint: int, which: int = 0) -> Placement:
    return chain.links[joint].motion(chain.maths.number(HELD[which]), chain.maths)


# seven


def _seven(view: LoopView, chain: Tree) -> Plan:
    if view.turns(*range(7)) and view.meet(0) and view.meet(4):
        said = Message("axes 1, 2 and 3 meet at the shoulder, 5, 6 and 7 at the wrist: solved by the arm angle")
        slides = (Slide(1, True, True), Slide(2, False, True), Slide(5, True, True), Slide(6, False, True))
        roles = ("elbow", "shoulder", "wrist")
        return Plan(
            "arm angle", "", "spherical-revolute-spherical", said, roles, 0, slides, parameter=Message("arm angle")
        )
    for joint in (6, 0, 2, 4, 3, 5, 1):
        for plan in six_plans(view.of(view.loop.with_fixed(joint, _fixed_motion(chain, joint)))):
            return _with_fixed_joint(plan, joint, 7)
    if not view.turns(*range(7)):
        return _none("7 joints, numeric", Message("no joint, when held, leaves a closed form; numeric solution"))
    said = Message(
        "no joint, when held, leaves a closed form; with joint 7 given, elimination and eigenvalues for axes 1 to 6"
    )
    return replace(_none("7 joints, one held, general 6R", said, ArmKind.HELD), fixed_joint=6, parameter="joint 7")


# structure


def _masks(plan: Plan, chain: Tree, judge: Judge) -> dict[int, Mask]:
    """What of a plan's gaps is 0 or ±1, whatever the held joint."""
    values: tuple[Any, ...] = (None,) if plan.fixed_joint is None else tuple(map(chain.maths.number, HELD))
    loops = [read(plan, chain, somewhere(chain.maths), value) for value in values]
    gaps = [gap for gap in range(loops[0].size) if gap != loops[0].pose_gap]
    return {gap: _common_mask([_mask(loop.gaps[gap].there, judge) for loop in loops]) for gap in gaps}


def _common_mask(masks: Sequence[Mask]) -> Mask:
    return tuple(x[0] if len(set(x)) == 1 else None for x in zip(*masks, strict=True))


def _mask(at: Placement, judge: Judge) -> Mask:
    return tuple(next((n for n in (0, 1, -1) if judge.zero(x - n, SNAP)), None) for x in entries(at))


def _closed_form(plan: Plan, chain: Tree, x: Given) -> Outputs:
    solved = branches(plan, chain, x["T"], x["parameter"][0] if plan.parameter else None)
    checks = {"calm": solved.calm(chain.maths), "defect": defect(x["T"], chain.maths)}
    return {"q": solved.q, "valid": solved.valid, "fit": solved.fit, **checks}


def _inverse(model: ModelEntry, plan: Plan) -> ModelEntry:
    """Inverse kinematics in the closed form of the arm's class."""
    if not plan.has_closed_form:
        raise InputError("inverse_kinematics has no closed form here: {sentence}", plan.sentence)
    inputs = ("T", "parameter") if plan.parameter else ("T",)
    order = "; ".join(f"{i}: {name}" for i, name in enumerate(plan.branch_names, 1))
    outputs = {**model.outputs, "q": (model.outputs["q"][0], f"one row a branch, always in this order ({order})")}
    return replace(model, inputs=inputs, outputs=outputs, methods={"closed-form": partial(_closed_form, plan)})


ENTRIES = (
    ModelEntry(
        "inverse_kinematics", "every joint vector that reaches a pose, in closed form", ("T",),
        {
            "q": ("rad or m", "one row a branch, always in the same order"),
            "valid": ("1", "1 where the branch reaches the pose, else 0"),
            "fit": ("1", "how far a branch is from being lost: 0 where two meet, negative out of reach"),
            "calm": ("1", "the smallest |fit|: near 0 some branches want a closer look"),
            "defect": ("1", "how far the input is from a pose"),
        },
        {"closed-form": lambda c, x: _closed_form(classify(c), c, x)}, FRAMES, inverts=_inverse,
    ),
)  # fmt: skip
