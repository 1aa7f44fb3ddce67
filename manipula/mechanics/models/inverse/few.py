"""Plans for fewer than six axes, best first. An arm may look like several: which of them holds is tried (`trial`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from manipula.mechanics.models.inverse.plan import Pad, Plan, Slide, padded
from manipula.mechanics.models.inverse.six import six_plans
from manipula.mechanics.models.inverse.slide_plans import slide_plans
from manipula.mechanics.models.inverse.solutions import meeting
from manipula.mechanics.models.inverse.solutions.runs import Runs, Seated
from manipula.mechanics.models.inverse.solutions.splits import WAY_ROLES, ways_of
from manipula.mechanics.models.inverse.view import LoopView, list_text, moving, number_text
from manipula.messages import Message, in_a_row, joined

CROSSES = (Slide(1, True, True), Slide(2, False, True))  # axes 0, 1 and 2 of a loop: their frames where they meet


def few_plans(view: LoopView) -> Iterator[Plan]:
    """Of one to five axes."""
    n = view.loop.size
    if n == 1:
        kind = view.loop.axes[0].kind
        yield Plan("one axis", kind, "one joint", Message("one {kind} joint", kind))
    if n == 2 and view.turns(0, 1):
        yield _two(view)
    if n == 3 and view.turns(0, 1, 2):
        yield from _three(view)
    if n in (2, 3):
        yield from slide_plans(view)
    if n == 4:
        yield from _scara(view)
    if n >= 3:
        yield from _by_runs(view)
    if n >= 4:
        yield from _meeting(view)
        yield from _padded(view)


def _two(view: LoopView) -> Plan:
    word = "parallel" if view.parallel(1) else "not parallel"
    return Plan("two axes", word, "two axes", Message("axes {joints} are {word}", _joints(view), word))


def _joints(view: LoopView) -> str:
    return list_text([axis.joint for axis in view.loop.axes])


def _three(view: LoopView) -> Iterator[Plan]:
    if view.same_direction(0, 3):
        said = Message("axes {joints} are parallel", _joints(view))
        yield Plan("planar", "", "planar arm", said, ("elbow",), flips=view.flips((0, 1, 2)))
    if view.meet(0):
        said = Message("axes {joints} meet in one point: they orient, and place nothing", _joints(view))
        yield Plan("pointing", "", "three axes that meet", said, ("wrist",), 0, CROSSES)


def _scara(view: LoopView) -> Iterator[Plan]:
    if view.kinds.count("P") != 1 or not view.same_direction(0, 4):
        return
    slide = view.kinds.index("P")
    turning = [axis.joint for axis in view.loop.axes if axis.kind == "revolute"]
    said = Message(
        "axes {list_text} are parallel, {number_text} slides along them",
        list_text(turning),
        number_text(view.loop.axes[slide].joint),
    )
    yield Plan("scara", "", "SCARA", said, ("elbow",), flips=view.flips((0, 1, 2, 3)), carried=slide)


# the orientation first


def _by_runs(view: LoopView) -> Iterator[Plan]:
    runs = runs_of(view)
    if len(runs) > 3:
        return
    flips = tuple(axis for run in runs for axis in view.flips(run))
    roles = ("shoulder",) if len(runs) == 3 else ()
    for way in ways_of(Seated(view.loop, runs)):
        said = _runs_text(view, runs)
        yield Plan("runs", way, "orientation first", said, (*roles, *WAY_ROLES[way]), flips=flips, runs=runs)


def runs_of(view: LoopView) -> Runs:
    """Rows of turning axes that are parallel."""
    runs: list[tuple[int, ...]] = []
    for axis in (k for k, kind in enumerate(view.kinds) if kind == "R"):
        if runs and view.along(view.from_to(runs[-1][-1], axis)):
            runs[-1] = (*runs[-1], axis)
        else:
            runs.append((axis,))
    return tuple(runs)


def _runs_text(view: LoopView, runs: Runs) -> str:
    joints = [[view.loop.axes[axis].joint for axis in run] for run in runs]
    sums = [Message("the sum of the parallel axes {list_text}", list_text(run)) for run in joints if len(run) > 1]
    alone = [run[0] for run in joints if len(run) == 1]
    one = len(alone) == 1
    alone_text = [Message("axis {list_text}" if one else "axes {list_text}", list_text(alone))] if alone else []
    slides = [axis.joint for axis in view.loop.axes if axis.kind != "revolute"]
    rest = Message("the position gives the rest" if sums or slides else "the position has no say")
    turned = in_a_row(alone_text + sums)
    said = Message("the orientation gives {turned}", turned) if runs else Message("nothing turns")
    slid = Message(", {listed} slides" if len(slides) == 1 else ", {listed} slide", list_text(slides)) if slides else ""
    return joined("", (said, "; ", rest, slid))


def _meeting(view: LoopView) -> Iterator[Plan]:
    for d in range(view.loop.size - 2):
        if view.meet(d):
            yield from _meeting_plans(view.of(view.loop.from_axis(d)), d)


def _meeting_plans(turned: LoopView, d: int) -> Iterator[Plan]:
    numbers, kinds = [axis.joint for axis in turned.loop.axes], turned.kinds[3:]
    parallel = kinds == "RR" and turned.parallel(4)
    for case in meeting.CASES[kinds]:
        if kinds == "RR" and (case == "R∥R") is not parallel:
            continue
        said = Message(
            (
                "axes {list_text} meet in one point; axis {list_text2} place it"
                if len(kinds) == 1
                else "axes {list_text} meet in one point; axes {list_text2} place it"
            ),
            list_text(numbers[:3]),
            list_text(sorted(moving(numbers[3:]))),
        )
        roles = (*meeting.ROLES.get(case, ()), "wrist")
        yield Plan("meeting", case, "three axes that meet", said, roles, d, CROSSES, group=moving(numbers[:3]))


# axes added


def _padded(view: LoopView) -> Iterator[Plan]:
    """Solved as an arm of six whose added axes stay at zero. They may stand at the tool or at the base.

    All that is asked of them is to meet the last axis in one point. Four joints may choose the point: where the axis
    before crosses the last, or comes nearest, sums are short; but a point on that axis would not be moved by it.
    """
    n = view.loop.size
    for from_base in (False, True):
        loop = view.loop.backwards() if from_base else view.loop
        nearest = view.of(loop).turns(n - 1, n - 2) and not view.of(loop).parallel(n - 1)
        shifts = (0, 1) if n == 4 else (0,)
        for shift in shifts if nearest else (1,):
            pad = Pad(6 - n, from_base, nearest, shift)
            for plan in six_plans(view.of(padded(view.loop, pad))):
                at_base = "with axes added at the base, {sentence}"
                added = at_base if from_base else "with axes added at the tool, {sentence}"
                yield replace(plan, pad=pad, sentence=Message(added, plan.sentence))
