"""Plans for fewer than six axes, best first. An arm may look like several: which of them holds is tried (`trial`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from manipula.mechanics.models.inverse.plan import Pad, Plan, Slide, pad_loop
from manipula.mechanics.models.inverse.runs import Runs, Seated
from manipula.mechanics.models.inverse.splits import WAY_ROLES, ways_of
from manipula.mechanics.models.inverse.structures import MEETING_CASES, MEETING_ROLES
from manipula.mechanics.models.inverse.view import LoopView, list_text, moving_joints, number_text
from manipula.messages import Message, in_a_row, join_messages, places_of
from manipula.scalar import Scalar

# Plans for six axes: three that meet, or three that are parallel beside two that cross.
#
# The structure may stand at the tool, at the base or in between, whatever the convention.
#
# Source: Pieper, dissertation, Stanford 1968.


def six_plans(view: LoopView) -> Iterator[Plan]:
    yield from _spherical(view)
    yield from _three_parallel(view)


def _spherical(view: LoopView) -> Iterator[Plan]:
    for d in (3, 0, 1, 2):
        if not view.meet(d):
            continue
        turned = view.of(view.loop.from_axis(d))
        for name, why, slides in _position_cases(turned):
            yield _spherical_plan(turned, d, name, why, slides)


def _spherical_plan(turned: LoopView, d: int, name: str, why: str, slides: tuple[Slide, ...]) -> Plan:
    numbers = [axis.joint for axis in turned.loop.axes]
    place = {3: "wrist", 0: "shoulder"}.get(d, "middle")
    said = Message(why, *(number_text(numbers[3 + int(place)]) for place in places_of(why)))
    sentence = Message(
        "axes {list_text} meet in one point (a spherical {place}); {said}", list_text(numbers[:3]), Message(place), said
    )
    crosses = (Slide(1, True, True), Slide(2, False, True), *slides)
    own, far = {3: ("wrist", "shoulder"), 0: ("shoulder", "wrist")}.get(d, ("middle", "shoulder"))
    roles = (*(far if role == "shoulder" else role for role in POSITION_ROLES[name]), own)
    title, group = Message("spherical {place}", Message(place)), moving_joints(numbers[:3])
    return Plan("spherical", name, title, sentence, roles, d, crosses, group=group, placing=said)


# roles of the two binary choices of each position case, in the order of its roots, where it stands at the base
POSITION_ROLES: dict[str, tuple[str, ...]] = {
    "2∥3": ("shoulder", "elbow"), "1∥2": ("shoulder", "elbow"),
    "1×2": ("elbow", "shoulder"), "2×3": ("elbow", "shoulder"),
    "R×RP": ("slide", "shoulder"), "PR×R": ("slide", "shoulder"), "PR∥R": ("elbow",), "R∥RP": ("elbow",),
    "R∥PR": ("elbow",), "RPP": ("shoulder",), "PPR": ("shoulder",), "P∥RP": ("slide",), "PR∥P": ("slide",), "PPP": (),
}  # fmt: skip


def _position_cases(v: LoopView) -> Iterator[tuple[str, str, tuple[Slide, ...]]]:
    """Of axes 3, 4, 5, which place the point where 0, 1, 2 meet: (case, why, slides)."""
    kinds = "".join(v.kind(axis) for axis in (3, 4, 5))
    p_ab, p_bc, x_ab, x_bc = v.parallel(4), v.parallel(5), v.cross(4), v.cross(5)
    both = (Slide(4, True, True),), (Slide(5, True, True),)
    table: dict[str, list[tuple[bool, str, str, tuple[Slide, ...]]]] = {
        "RRR": [
            (p_bc and not p_ab, "2∥3", "axes {1} and {2} are parallel", ()),
            (p_ab and not p_bc, "1∥2", "axes {0} and {1} are parallel", ()),
            (x_ab, "1×2", "axes {0} and {1} cross", both[0]),
            (x_bc, "2×3", "axes {1} and {2} cross", both[1]),
        ],
        "RRP": [
            (p_ab and v.leans(v.direction(5)[2]), "R∥RP", "axes {0} and {1} are parallel, joint {2} slides", ()),
            (x_ab, "R×RP", "axes {0} and {1} cross, joint {2} slides", both[0]),
        ],
        "PRR": [
            (p_bc and v.leans(v.direction(4)[2]), "PR∥R", "joint {0} slides, axes {1} and {2} are parallel", ()),
            (x_bc, "PR×R", "joint {0} slides, axes {1} and {2} cross", both[1]),
        ],
        "RPR": [(_parallel_over(v, 4), "R∥PR", "axes {0} and {2} are parallel, joint {1} slides", ())],
        "RPP": [(_slides_turn(v, 4, 5), "RPP", "joints {1} and {2} slide", ())],
        "PPR": [(_slides_turn(v, 5, 4, True), "PPR", "joints {0} and {1} slide", ())],
        "PRP": [
            (p_ab and not p_bc, "P∥RP", "joint {0} slides along axis {1}, joint {2} slides", ()),
            (p_bc and not p_ab, "PR∥P", "joint {2} slides along axis {1}, joint {0} slides", ()),
        ],
        "PPP": [(v.leans(_volume(v)), "PPP", "joints {0}, {1} and {2} slide", ())],
    }
    usable = v.constant(4) and v.constant(5)
    for fits, name, why, slides in table[kinds]:
        if fits and (usable or kinds == "RRR"):
            yield name, why, slides


def _parallel_over(v: LoopView, gap: int) -> bool:
    """Axes 3 and 5, over the slide between them, are parallel and the slide leans on them."""
    if not (v.constant(gap) and v.constant(gap + 1)):
        return False
    return v.along(v.from_to(gap - 1, gap + 1)) and v.leans(v.direction(gap)[2])


def _slides_turn(v: LoopView, near: int, far: int, back: bool = False) -> bool:
    """The plane of two slides is not square to the turning axis beside them."""
    if not (v.constant(near) and v.constant(far)):
        return False
    first, second = v.loop.gaps[near], v.loop.gaps[far]
    one, two = (first.back, second.back) if back else (first.there, second.there)
    e, R = one.R, (one @ two).R
    a, b = [row[2] for row in e], [row[2] for row in R]
    n = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2])
    return any(map(v.leans, n))


def _volume(v: LoopView) -> Scalar:
    b, c = v.direction(4), v.from_to(3, 5)
    return b[0] * c[1] - b[1] * c[0]


def _three_parallel(view: LoopView) -> Iterator[Plan]:
    for backwards in (False, True):
        loop = view.loop.backwards() if backwards else view.loop
        for d in range(6):
            v = view.of(loop.from_axis(d))
            if v.turns(*range(6)) and v.same_direction(0, 3) and v.cross(4) and not v.parallel(3):
                yield _three_parallel_plan(v, d, backwards)


def _three_parallel_plan(v: LoopView, d: int, backwards: bool) -> Plan:
    numbers = [axis.joint for axis in v.loop.axes]
    said = Message("axes {list_text} are parallel, {list_text2} cross", list_text(numbers[:3]), list_text(numbers[3:5]))
    roles = ("shoulder", "wrist", "elbow")
    plan = Plan("three parallel", "", "three parallel axes", said, roles, d, (Slide(4, True, True),))
    return replace(plan, flips=v.flips((0, 1, 2)), backwards=backwards, group=moving_joints(numbers[:3]))


# Plans for two or three joints with slides among them: which of the ways of `slides` an arm has.


def slide_plans(view: LoopView) -> Iterator[Plan]:
    """None without a slide, and none where slides are parallel: such an arm can move with its tool at rest."""
    kinds = view.kinds
    if "P" not in kinds:
        return
    title, turning = Message("{n} joints with slides", len(kinds)), [k for k, kind in enumerate(kinds) if kind == "R"]
    if len(turning) == 2 and view.along(view.from_to(*turning)):
        if len(kinds) > 2:
            leans = view.leans(view.from_to(*sorted((kinds.index("P"), turning[0])))[2])
            case, words = (
                (f"{kinds} leaning", Message("leans on them"))
                if leans
                else (f"{kinds} flat", Message("is square to them"))
            )
            said = Message(
                "axes {turning} and {turning2} are parallel; {sliding} and {words}",
                turning[0] + 1,
                turning[1] + 1,
                _slides_text(kinds),
                words,
            )
            yield Plan("with slides", case, title, said, () if leans else ("slide",))
    elif _independent(view, kinds):
        slide = _slides_text(kinds)
        sentence = Message("the orientation gives the turning joints; {sliding}", slide) if turning else slide
        yield Plan("with slides", "", title, sentence)


def _slides_text(kinds: str) -> str:
    *most, last = (str(k + 1) for k, kind in enumerate(kinds) if kind == "P")
    return (
        Message("joints {most} and {last} slide", ", ".join(most), last)
        if most
        else Message("joint {last} slides", last)
    )


def _independent(view: LoopView, kinds: str) -> bool:
    """Whether no slide repeats what others do, but for single configurations of what turns between them."""
    sliding = [k for k, kind in enumerate(kinds) if kind == "P"]
    if len(sliding) < 2:
        return True
    if len(sliding) == 3:
        b, c = view.from_to(0, 1), view.from_to(0, 2)
        return view.leans(b[0] * c[1] - b[1] * c[0])
    if sliding == [0, 2]:  # an axis turns between them: they are one only if both slide along it
        return not all(view.along(view.from_to(k, k + 1)) for k in (0, 1))
    return any(map(view.leans, view.from_to(*sliding)[:2]))


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
        yield from _plans_of_meeting_axes(view)
        yield from _plans_with_added_axes(view)


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
    slid = (
        Message(", joint {listed} slides" if len(slides) == 1 else ", joints {listed} slide", list_text(slides))
        if slides
        else ""
    )
    return join_messages("", (said, "; ", rest, slid))


def _plans_of_meeting_axes(view: LoopView) -> Iterator[Plan]:
    for d in range(view.loop.size - 2):
        if view.meet(d):
            yield from _meeting_plans(view.of(view.loop.from_axis(d)), d)


def _meeting_plans(turned: LoopView, d: int) -> Iterator[Plan]:
    numbers, kinds = [axis.joint for axis in turned.loop.axes], turned.kinds[3:]
    parallel = kinds == "RR" and turned.parallel(4)
    for case in MEETING_CASES[kinds]:
        if kinds == "RR" and (case == "R∥R") is not parallel:
            continue
        said = Message(
            (
                "axes {list_text} meet in one point; axis {list_text2} place it"
                if len(kinds) == 1
                else "axes {list_text} meet in one point; axes {list_text2} place it"
            ),
            list_text(numbers[:3]),
            list_text(sorted(moving_joints(numbers[3:]))),
        )
        roles = (*MEETING_ROLES.get(case, ()), "wrist")
        yield Plan("meeting", case, "three axes that meet", said, roles, d, CROSSES, group=moving_joints(numbers[:3]))


# axes added


def _plans_with_added_axes(view: LoopView) -> Iterator[Plan]:
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
            for plan in six_plans(view.of(pad_loop(view.loop, pad))):
                at_base = "with axes added at the base, {sentence}"
                added = at_base if from_base else "with axes added at the tool, {sentence}"
                yield replace(plan, pad=pad, sentence=Message(added, plan.sentence))
