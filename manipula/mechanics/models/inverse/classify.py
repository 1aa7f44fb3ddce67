"""Which closed form an arm has, from its axes alone.

Numbers decide: two axes are parallel when the sine between them is below `STRAIGHT`, they cross when they pass within
`CLOSE` of the arm's size. The structure may stand at the tool, at the base or in between, whatever the convention.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from manipula.mechanics.models.inverse.loop import Loop, crossing, loop_from_chain
from manipula.mechanics.models.inverse.plan import SNAP, Mask, Plan, Slide, entries, read
from manipula.mechanics.models.inverse.slide_plans import slide_plans
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.spatial.placement import Placement, shift_along, turn_about

STRAIGHT = 1e-9
CLOSE = 1e-9
PARALLEL_SLIDES = 1e-6

SOMEWHERE = reduce(
    Placement.__matmul__,
    [turn_about("z", math.cos(0.7), math.sin(0.7)), turn_about("x", math.cos(1.1), math.sin(1.1)),
     turn_about("z", math.cos(0.4), math.sin(0.4)), shift_along("x", 0.31), shift_along("y", 0.17)],
)  # fmt: skip
NO_STRUCTURE = "no three neighbouring axes meet, nor are three parallel beside two that cross"
HELD = (0.734, -1.219)  # values of a held joint: what is zero for both is zero by structure


@dataclass(frozen=True)
class _View:
    """A loop in numbers, and what is true of its neighbours."""

    loop: Loop
    size: float

    def constant(self, gap: int) -> bool:
        return gap % self.loop.size != self.loop.pose_gap

    def turns(self, *axes: int) -> bool:
        return all(self.kind(axis) == "R" for axis in axes)

    def kind(self, axis: int) -> str:
        return "R" if self.loop.axes[axis % self.loop.size].kind == "revolute" else "P"

    def direction(self, gap: int) -> tuple[float, float, float]:
        R = self.loop.gaps[gap % self.loop.size].there.R
        return R[0][2], R[1][2], R[2][2]

    def parallel(self, gap: int) -> bool:
        """The axes before and after the gap."""
        x, y, _ = self.direction(gap)
        return self.constant(gap) and math.hypot(x, y) < STRAIGHT

    def cross(self, gap: int) -> bool:
        x, y, _ = self.direction(gap)
        p = self.loop.gaps[gap % self.loop.size].there.p
        sine = math.hypot(x, y)
        return self.constant(gap) and sine > STRAIGHT and abs(p[1] * x - p[0] * y) < CLOSE * self.size * sine

    def meet(self, axis: int) -> bool:
        """Axes `axis`, +1, +2 in one point."""
        first, second = axis + 1, axis + 2
        if not (self.turns(axis, first, second) and self.cross(first) and self.cross(second)):
            return False
        n = self.loop.size
        end, start = crossing(self.loop.gaps[first % n].there)[1], crossing(self.loop.gaps[second % n].there)[0]
        return bool(abs(end - start) < CLOSE * self.size)

    def same_direction(self, axis: int, count: int) -> bool:
        return all(self.parallel(gap) for gap in range(axis + 1, axis + count))


def classify(chain: Chain) -> Plan:
    """The plan for an arm over floats, with fixed joints merged."""
    n = chain.dof
    if n > 7:
        return _none("redundant", f"the arm has {n} joints; numeric solution")
    plan = _seven(chain) if n == 7 else _first(_plans(_view(loop_from_chain(chain, SOMEWHERE)), n))
    return plan if not plan.closed else _masked(plan, chain)


def _none(title: str, sentence: str) -> Plan:
    return Plan("none", "", title, sentence)


def _first(plans: Iterator[Plan]) -> Plan:
    return next(plans)


def _view(loop: Loop) -> _View:
    lengths = [math.hypot(*gap.there.p) for i, gap in enumerate(loop.gaps) if i != loop.pose_gap]
    return _View(loop, max([*lengths, 1e-3]))


def _plans(view: _View, n: int) -> Iterator[Plan]:
    """Best first."""
    if n == 6:
        yield from _six(view)
        kinds = "".join(view.kind(axis) for axis in range(6))
        if "P" in kinds:
            yield _none("numeric", f"no closed form is known for axes {kinds} placed like this; numeric solution")
        meet = any(view.meet(axis) for axis in range(4))
        why = "three axes meet, but no two of the others cross or are parallel" if meet else NO_STRUCTURE
        yield _none("general 6R", f"{why}; elimination and eigenvalues")
    yield from _few(view, n)
    yield _none("numeric", f"no closed form is known for these {n} axes; numeric solution")


# six axes


def _six(view: _View) -> Iterator[Plan]:
    yield from _spherical(view)
    yield from _three_parallel(view)


def _spherical(view: _View) -> Iterator[Plan]:
    for d in (3, 0, 1, 2):
        if not view.meet(d):
            continue
        turned = _view(view.loop.from_axis(d))
        case = _position_case(turned)
        if case is None:
            continue
        name, why, slides = case
        numbers = [axis.joint for axis in turned.loop.axes]
        place = {3: "wrist", 0: "shoulder"}.get(d, "middle")
        said = why.format(*(_named(number) for number in numbers[3:]))
        sentence = f"axes {_list(numbers[:3])} meet in one point (a spherical {place}); {said}"
        crosses = (Slide(1, True, True), Slide(2, False, True), *slides)
        own, far = {3: ("wrist", "shoulder"), 0: ("shoulder", "wrist")}.get(d, ("middle", "shoulder"))
        roles = (*(far if role == "shoulder" else role for role in POSITION_ROLES[name]), own)
        yield Plan("spherical", name, f"spherical {place}", sentence, roles, d, crosses, group=_moving(numbers[:3]))


# roles of the two binary choices of each position case, in the order of its roots, where it stands at the base
POSITION_ROLES: dict[str, tuple[str, ...]] = {
    "2∥3": ("shoulder", "elbow"), "1∥2": ("shoulder", "elbow"),
    "1×2": ("elbow", "shoulder"), "2×3": ("elbow", "shoulder"),
    "R×RP": ("slide", "shoulder"), "PR×R": ("slide", "shoulder"), "PR∥R": ("elbow",), "R∥RP": ("elbow",),
    "R∥PR": ("elbow",), "RPP": ("shoulder",), "PPR": ("shoulder",), "P∥RP": ("slide",), "PR∥P": ("slide",), "PPP": (),
}  # fmt: skip


def _position_case(v: _View) -> tuple[str, str, tuple[Slide, ...]] | None:
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
            (p_ab and _leans(v, 5, 2), "R∥RP", "axes {0} and {1} are parallel, {2} slides", ()),
            (x_ab, "R×RP", "axes {0} and {1} cross, {2} slides", both[0]),
        ],
        "PRR": [
            (p_bc and _leans(v, 4, 2), "PR∥R", "{0} slides, axes {1} and {2} are parallel", ()),
            (x_bc, "PR×R", "{0} slides, axes {1} and {2} cross", both[1]),
        ],
        "RPR": [(_parallel_over(v, 4), "R∥PR", "axes {0} and {2} are parallel, {1} slides", ())],
        "RPP": [(_slides_turn(v, 4, 5), "RPP", "{1} and {2} slide", ())],
        "PPR": [(_slides_turn(v, 5, 4, True), "PPR", "{0} and {1} slide", ())],
        "PRP": [
            (p_ab and not p_bc, "P∥RP", "{0} slides along axis {1}, {2} slides", ()),
            (p_bc and not p_ab, "PR∥P", "{2} slides along axis {1}, {0} slides", ()),
        ],
        "PPP": [(abs(_volume(v)) > PARALLEL_SLIDES, "PPP", "{0}, {1} and {2} slide", ())],
    }
    usable = v.constant(4) and v.constant(5)
    for fits, name, why, slides in table[kinds]:
        if fits and (usable or kinds == "RRR"):
            return name, why, slides
    return None


def _leans(v: _View, gap: int, entry: int) -> bool:
    """A slide beside two parallel axes moves along their direction, at least a little."""
    return abs(v.direction(gap)[entry]) > PARALLEL_SLIDES


def _parallel_over(v: _View, gap: int) -> bool:
    """Axes 3 and 5, over the slide between them, are parallel and the slide leans on them."""
    z = _through(v, gap)
    return v.constant(gap) and v.constant(gap + 1) and math.hypot(z[0], z[1]) < STRAIGHT and _leans(v, gap, 2)


def _through(v: _View, gap: int) -> tuple[float, float, float]:
    """The direction of the axis after the next gap, seen from the axis before this one."""
    R = (v.loop.gaps[gap].there @ v.loop.gaps[gap + 1].there).R
    return R[0][2], R[1][2], R[2][2]


def _slides_turn(v: _View, near: int, far: int, back: bool = False) -> bool:
    """The plane of two slides is not square to the turning axis beside them."""
    if not (v.constant(near) and v.constant(far)):
        return False
    first, second = v.loop.gaps[near], v.loop.gaps[far]
    one, two = (first.back, second.back) if back else (first.there, second.there)
    e, R = one.R, (one @ two).R
    a, b = [row[2] for row in e], [row[2] for row in R]
    n = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2])
    return math.hypot(*n) > PARALLEL_SLIDES


def _volume(v: _View) -> float:
    b, c = v.direction(4), _through(v, 4)
    return b[0] * c[1] - b[1] * c[0]


def _three_parallel(view: _View) -> Iterator[Plan]:
    for backwards in (False, True):
        loop = view.loop.backwards() if backwards else view.loop
        for d in range(6):
            v = _view(loop.from_axis(d))
            if v.turns(*range(6)) and v.same_direction(0, 3) and v.cross(4) and not v.parallel(3):
                yield _three_parallel_plan(v, d, backwards)


def _three_parallel_plan(v: _View, d: int, backwards: bool) -> Plan:
    numbers = [axis.joint for axis in v.loop.axes]
    said = f"axes {_list(numbers[:3])} are parallel, {_list(numbers[3:5])} cross"
    roles = ("shoulder", "wrist", "elbow")
    plan = Plan("three parallel", "", "three parallel axes", said, roles, d, (Slide(4, True, True),))
    return replace(plan, flips=_flips(v, (0, 1, 2)), backwards=backwards, group=_moving(numbers[:3]))


def _flips(v: _View, axes: Sequence[int]) -> tuple[int, ...]:
    """The axes to count from their other end so that all point alike."""
    flips, up = [], 1.0
    for axis in axes[1:]:
        up *= v.direction(axis)[2]
        if up < 0:
            flips.append(axis)
    return tuple(flips)


# fewer than six


def _few(view: _View, n: int) -> Iterator[Plan]:
    if n == 1:
        kind = view.loop.axes[0].kind
        yield Plan("one axis", kind, "one joint", f"one {kind} joint")
    if n == 2 and view.turns(0, 1):
        yield _two(view)
    if n == 3 and view.turns(0, 1, 2):
        yield from _three(view)
    if n in (2, 3):
        yield from slide_plans(view.loop)
    if n == 4:
        yield from _scara(view)
    if n >= 3:
        yield from _padded(view, n)


def _two(view: _View) -> Plan:
    word = "parallel" if view.parallel(1) else "not parallel"
    return Plan("two axes", word, "two axes", f"axes 1 and 2 are {word}")


def _three(view: _View) -> Iterator[Plan]:
    if view.same_direction(0, 3):
        said = "axes 1, 2 and 3 are parallel"
        yield Plan("planar", "", "planar arm", said, ("elbow",), flips=_flips(view, (0, 1, 2)))
    if view.meet(0):
        said = "axes 1, 2 and 3 meet in one point: they orient, and place nothing"
        slides = (Slide(1, True, True), Slide(2, False, True))
        yield Plan("pointing", "", "three axes that meet", said, ("wrist",), 0, slides)


def _scara(view: _View) -> Iterator[Plan]:
    kinds = "".join(view.kind(axis) for axis in range(4))
    if kinds.count("P") != 1 or not view.same_direction(0, 4):
        return
    slide = kinds.index("P")
    turning = [axis.joint for axis in view.loop.axes if axis.kind == "revolute"]
    said = f"axes {_list(turning)} are parallel, {slide + 1} slides along them"
    yield Plan("scara", "", "SCARA", said, ("elbow",), flips=_flips(view, (0, 1, 2, 3)), carried=slide)


def _padded(view: _View, n: int) -> Iterator[Plan]:
    """Solved as an arm of six whose last axes stay at zero."""
    last = n - 1
    slide = view.turns(last, last - 1) and not view.parallel(last)
    loop = view.loop.slid(last, crossing(view.loop.gaps[last].there)[1]) if slide else view.loop
    reach = 1 if n == 3 else 0
    for plan in _six(_view(loop.padded(6 - n, reach))):
        words = plan.sentence.replace("axes", "with axes added at the tool, axes", 1)
        yield replace(plan, pad=6 - n, reach=reach, pad_slide=slide, sentence=words)


# seven


def _seven(chain: Chain) -> Plan:
    view = _view(loop_from_chain(chain, SOMEWHERE))
    if view.turns(*range(7)) and view.meet(0) and view.meet(4):
        said = "axes 1, 2 and 3 meet at the shoulder, 5, 6 and 7 at the wrist: solved by the arm angle"
        slides = (Slide(1, True, True), Slide(2, False, True), Slide(5, True, True), Slide(6, False, True))
        roles = ("elbow", "shoulder", "wrist")
        return Plan("arm angle", "", "spherical-revolute-spherical", said, roles, 0, slides, parameter="arm angle")
    for joint in (6, 0, 2, 4, 3, 5, 1):
        held = view.loop.held(joint, chain.links[joint].motion(HELD[0], chain.maths))
        for plan in _six(_view(held)):
            said = f"with joint {joint + 1} given, {plan.sentence}"
            title = f"7 joints, one held, {plan.title}"
            return replace(plan, sentence=said, title=title, held=joint, parameter=f"joint {joint + 1}")
    if not view.turns(*range(7)):
        return _none("7 joints, numeric", "no joint, when held, leaves a closed form; numeric solution")
    said = "no joint, when held, leaves a closed form; with joint 7 given, elimination and eigenvalues for axes 1 to 6"
    return replace(_none("7 joints, one held, general 6R", said), held=6, parameter="joint 7")


# words and structure


def _named(joint: int | None) -> str:
    return "(added)" if joint is None else str(joint + 1)


def _moving(joints: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(joint for joint in joints if joint is not None)


def _list(joints: Sequence[int | None]) -> str:
    names = [_named(joint) for joint in joints]
    return ", ".join(names[:-1]) + f" and {names[-1]}"


def _masked(plan: Plan, chain: Chain) -> Plan:
    """With what the numbers show to be 0 or ±1, whatever the held joint."""
    values: tuple[Any, ...] = HELD if plan.held is not None else (None,)
    loops = [read(plan, chain, SOMEWHERE, value) for value in values]
    masks: dict[int, Mask] = {}
    for gap in range(loops[0].size):
        if gap != loops[0].pose_gap:
            seen = [_mask(loop.gaps[gap].there) for loop in loops]
            masks[gap] = tuple(x[0] if len(set(x)) == 1 else None for x in zip(*seen))
    return replace(plan, masks=masks)


def _mask(at: Placement) -> Mask:
    return tuple(next((n for n in (0, 1, -1) if abs(float(x) - n) < SNAP), None) for x in entries(at))
