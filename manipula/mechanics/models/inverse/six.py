"""Plans for six axes: three that meet, or three that are parallel beside two that cross.

The structure may stand at the tool, at the base or in between, whatever the convention.

Source: Pieper, dissertation, Stanford 1968.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from manipula.mechanics.models.inverse.plan import Plan, Slide
from manipula.mechanics.models.inverse.view import LoopView, list_text, moving, number_text
from manipula.messages import Message, places_of


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
    title, group = Message("spherical {place}", Message(place)), moving(numbers[:3])
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
            (p_ab and v.leans(v.direction(5)[2]), "R∥RP", "axes {0} and {1} are parallel, {2} slides", ()),
            (x_ab, "R×RP", "axes {0} and {1} cross, {2} slides", both[0]),
        ],
        "PRR": [
            (p_bc and v.leans(v.direction(4)[2]), "PR∥R", "{0} slides, axes {1} and {2} are parallel", ()),
            (x_bc, "PR×R", "{0} slides, axes {1} and {2} cross", both[1]),
        ],
        "RPR": [(_parallel_over(v, 4), "R∥PR", "axes {0} and {2} are parallel, {1} slides", ())],
        "RPP": [(_slides_turn(v, 4, 5), "RPP", "{1} and {2} slide", ())],
        "PPR": [(_slides_turn(v, 5, 4, True), "PPR", "{0} and {1} slide", ())],
        "PRP": [
            (p_ab and not p_bc, "P∥RP", "{0} slides along axis {1}, {2} slides", ()),
            (p_bc and not p_ab, "PR∥P", "{2} slides along axis {1}, {0} slides", ()),
        ],
        "PPP": [(v.leans(_volume(v)), "PPP", "{0}, {1} and {2} slide", ())],
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


def _volume(v: LoopView) -> Any:
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
    return replace(plan, flips=v.flips((0, 1, 2)), backwards=backwards, group=moving(numbers[:3]))
