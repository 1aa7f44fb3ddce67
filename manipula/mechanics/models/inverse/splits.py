"""How the sums of parallel angles are split, and what slides: the position, one equation after the other.

    Σ Z(a) w  +  Σ x d  =  m        over the splits a, seen from the first axis of their run, and the slides x

Each way is for one mixture of runs and slides (see `runs`); it finds every root, always in the same order.

Derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from manipula.mechanics.models.inverse.loop import Loop, quotient
from manipula.mechanics.models.inverse.runs import Runs, Seated, Slider, Sums, left_of, settings_of
from manipula.mechanics.models.inverse.slides import ONE, Placed, amounts
from manipula.mechanics.models.inverse.solving import Subproblems, unknowns
from manipula.mechanics.models.inverse.subproblems import Motion, Shift, Turn
from manipula.mechanics.spatial.vector import NULL, Vector, Z, add, cross, dot, neg, scale, sub
from manipula.scalar import Scalar

Split = tuple[dict[int, Motion], Scalar]  # motions by axis, fit


def by_runs(loop: Loop, runs: Runs, case: str, by: Subproblems) -> list[Placed]:
    """Every branch: settings of the sums, then the ways to split them."""
    arm, found = Seated(loop, runs), []
    for psi, fit in settings_of(arm, by):
        sums = Sums(arm, psi, left_of(arm, psi), by)
        whole: dict[int, Motion] = {run[0]: turn for run, turn in zip(runs, psi, strict=True) if len(run) == 1}
        for motions, rest in WAYS[case](sums):
            by_axis = whole | motions
            found.append(Placed(tuple(by_axis[k] for k in range(loop.size)), by.maths.minimum(fit, rest)))
    return found


def _of_two(x: Sums) -> list[int]:
    return [i for i, run in enumerate(x.arm.runs) if len(run) == 2]


def _of_three(x: Sums) -> int:
    return next(i for i, run in enumerate(x.arm.runs) if len(run) == 3)


def _known_slide(x: Sums, slider: Slider, by: Scalar) -> Shift:
    return x.by.note_known(unknowns(slider.axis)[0], Shift(by))


def nothing_to_split(x: Sums) -> list[Split]:
    """Σ x d = m"""
    sliders = x.arm.sliders
    if not sliders:
        return [({}, x.by.maths.number(ONE))]
    found = zip(sliders, amounts([x.along(s) for s in sliders], x.m), strict=True)
    return [({s.axis: _known_slide(x, s, by) for s, by in found}, x.by.maths.number(ONE))]


def one_split(x: Sums) -> list[Split]:
    """Z w = m"""
    (i,) = _of_two(x)
    first = x.by.turn(unknowns(x.arm.runs[i][0])[0], x.link(i)[0], x.to_run(x.m, i))
    return [(x.seconds(i, first), x.by.maths.number(ONE))]


def one_split_slide_leaning(x: Sums) -> list[Split]:
    """Z (w + x d) = m, or Z w = m − x d: along the run's own direction the slide is alone."""
    (i,), (slider,), one = _of_two(x), x.arm.sliders, x.by.maths.number(ONE)
    w, m, d = _sides(x, i, slider)
    along = _known_slide(x, slider, quotient(m[2] - w[2], d[2]))
    return [_split_after_slide(x, i, slider, along, one)]


def one_split_slide_flat(x: Sums) -> list[Split]:
    """The slide is square to the run: the distance from the axis gives it."""
    (i,), (slider,) = _of_two(x), x.arm.sliders
    w, m, d = _sides(x, i, slider)
    moved, still = (w, m) if x.arm.is_inner(slider) else (m, w)
    e = d if x.arm.is_inner(slider) else neg(d)
    slides, fit = _quadratic(x, slider, moved, e, still)
    return [_split_after_slide(x, i, slider, slide, fit) for slide in slides]


def _quadratic(x: Sums, slider: Slider, v: Vector, e: Vector, still: Vector, length: Scalar = 1) -> Any:
    """|v + x e| = |still|, across the axis"""
    flat = (quotient(e[0], length), quotient(e[1], length), 0)
    square = still[0] * still[0] + still[1] * still[1]
    return x.by.quadratic(unknowns(slider.axis)[0], (v[0], v[1], 0), flat, square, length)


def _sides(x: Sums, i: int, slider: Slider) -> tuple[Vector, Vector, Vector]:
    """w, m and d as run i sees them; an inner slide's direction is the run's own."""
    d = slider.along if x.arm.is_inner(slider) else x.to_run(x.along(slider), i)
    return x.link(i)[0], x.to_run(x.m, i), d


def _split_after_slide(x: Sums, i: int, slider: Slider, along: Shift, fit: Scalar, m: Vector | None = None) -> Split:
    """The split of run i once a slide is known."""
    w, seen, d = _sides(x, i, slider)
    m = seen if m is None else m
    if x.arm.is_inner(slider):
        w = add(w, scale(along.by, d))
    else:
        m = sub(m, scale(along.by, d))
    first = x.by.turn(unknowns(x.arm.runs[i][0])[0], w, m)
    return x.seconds(i, first) | {slider.axis: along}, fit


def one_split_slides_outer(x: Sums) -> list[Split]:
    """Z w = m − x d − y e: square to both slides only the split moves, n·Z w = n·m."""
    (i,), sliders = _of_two(x), x.arm.sliders
    w, m, d = _sides(x, i, sliders[0])
    e = _sides(x, i, sliders[1])[2]
    n = cross(d, e)
    roots, fit = _solve_tilt(x, i, n, w, dot(n, m))
    found = []
    for first in roots:
        sizes = zip(sliders, amounts([d, e], sub(m, first.ahead(w))), strict=True)
        found.append((x.seconds(i, first) | {s.axis: _known_slide(x, s, by) for s, by in sizes}, fit))
    return found


def one_split_slides_inner(x: Sums) -> list[Split]:
    """Z (w + x d + y e) = m:  n·Zᵀ m = n·w"""
    (i,), sliders = _of_two(x), x.arm.sliders
    w, m, d = _sides(x, i, sliders[0])
    e = _sides(x, i, sliders[1])[2]
    n = cross(d, e)
    A, B = n[0] * m[0] + n[1] * m[1], n[0] * m[1] - n[1] * m[0]
    roots, fit = x.by.linear(unknowns(x.arm.runs[i][0])[0], A, B, dot(n, w) - n[2] * m[2])
    found = []
    for first in roots:
        sizes = zip(sliders, amounts([d, e], sub(first.back(m), w)), strict=True)
        found.append((x.seconds(i, first) | {s.axis: _known_slide(x, s, by) for s, by in sizes}, fit))
    return found


def _solve_tilt(x: Sums, i: int, n: Vector, w: Vector, height: Scalar) -> tuple[Sequence[Turn], Scalar]:
    """n·Z w = height"""
    A, B = n[0] * w[0] + n[1] * w[1], n[1] * w[0] - n[0] * w[1]
    return x.by.linear(unknowns(x.arm.runs[i][0])[0], A, B, height - n[2] * w[2])


def _inner_and_outer(x: Sums) -> tuple[int, Slider, Slider]:
    (i,), sliders = _of_two(x), x.arm.sliders
    inner = [s for s in sliders if x.arm.is_inner(s)]
    outer = [s for s in sliders if not x.arm.is_inner(s)]
    return i, inner[0], outer[0]


def inner_slide_flat(x: Sums) -> list[Split]:
    """Z (w + x d) = m − y e, d square to the run: the height gives y, the distance x."""
    i, inner, outer = _inner_and_outer(x)
    w, m, d = _sides(x, i, inner)
    e = _sides(x, i, outer)[2]
    y = _known_slide(x, outer, quotient(m[2] - w[2], e[2]))
    m = sub(m, scale(y.by, e))
    slides, fit = _quadratic(x, inner, w, d, m)
    found = [_split_after_slide(x, i, inner, slide, fit, m) for slide in slides]
    return [(motions | {outer.axis: y}, rest) for motions, rest in found]


def inner_slide_along(x: Sums) -> list[Split]:
    """Z (w + x d) = m − y e, d along the run: the distance gives y, the height x."""
    i, inner, outer = _inner_and_outer(x)
    w, m, d = _sides(x, i, inner)
    e = _sides(x, i, outer)[2]
    slides, fit = _quadratic(x, outer, m, neg(e), w, _flat_length(x, e))
    found = []
    for y in slides:
        rest = sub(m, scale(y.by, e))
        along = _known_slide(x, inner, quotient(rest[2] - w[2], d[2]))
        motions, _ = _split_after_slide(x, i, inner, along, fit, rest)
        found.append((motions | {outer.axis: y}, fit))
    return found


def outer_slide_along(x: Sums) -> list[Split]:
    """Z (w + x d) = m − y e, e along the run: the distance gives x, the height y."""
    i, inner, outer = _inner_and_outer(x)
    w, m, d = _sides(x, i, inner)
    e = _sides(x, i, outer)[2]
    slides, fit = _quadratic(x, inner, w, d, m, _flat_length(x, d))
    found = []
    for along in slides:
        y = _known_slide(x, outer, quotient(m[2] - w[2] - along.by * d[2], e[2]))
        motions, _ = _split_after_slide(x, i, inner, along, fit, sub(m, scale(y.by, e)))
        found.append((motions | {outer.axis: y}, fit))
    return found


def _flat_length(x: Sums, e: Vector) -> Scalar:
    square = e[0] * e[0] + e[1] * e[1]
    return 1 if isinstance(square, int) and square == 1 else x.by.maths.sqrt(square)


def three_parallel_axes(x: Sums) -> list[Split]:
    """Z₁ (w₁ + R Z₂ w₂) = m: a planar arm of two links"""
    return _two_links(x, _of_three(x), x.to_run(x.m, _of_three(x)))


def three_parallel_slide(x: Sums) -> list[Split]:
    """The same beside a slide that leans on the axes: the height gives it."""
    i, (slider,) = _of_three(x), x.arm.sliders
    inner, m = x.arm.is_inner(slider), x.to_run(x.m, i)
    d = slider.along if inner else x.to_run(x.along(slider), i)
    along = _known_slide(x, slider, quotient(m[2] - x.link(i)[0][2] - x.link(i, 1)[0][2], d[2]))
    shift = scale(along.by, d)
    found = _two_links(x, i, m, slider.level, shift) if inner else _two_links(x, i, sub(m, shift))
    return [(motions | {slider.axis: along}, fit) for motions, fit in found]


def _two_links(x: Sums, i: int, m: Vector, level: int = 0, shift: Vector = NULL) -> list[Split]:
    """`shift`: what a slide adds to the link of that level."""
    axes = unknowns(*x.arm.runs[i])
    (p, R), (w, S) = x.link(i), x.link(i, 1)
    p, w = (add(p, shift), w) if level == 1 else (p, add(w, shift)) if level == 2 else (p, w)
    roots, fit = x.by.pair(axes[0], axes[1], p, R, w, m)
    found = []
    for one, two in roots:
        last = x.by.remaining_turn(axes, one, R, two, S, x.psi[i])
        motions: dict[int, Motion] = dict(zip(x.arm.runs[i], (one, two, last), strict=True))
        found.append((motions, fit))
    return found


def two_splits(x: Sums) -> list[Split]:
    """Z w + Z' w' = m: along the first run's direction only the second split moves."""
    i, k = _of_two(x)
    return _split_by_height(x, i, k, lambda rest, fit: [(x.seconds(i, _first(x, i, rest)), fit)], x.link(i)[0][2])


def _first(x: Sums, i: int, m: Vector) -> Turn:
    return x.by.turn(unknowns(x.arm.runs[i][0])[0], x.link(i)[0], m)


def two_links_and_split(x: Sums) -> list[Split]:
    """A run of three beside one of two: the height over the three gives the two, then a planar arm is left."""
    i, (k,) = _of_three(x), _of_two(x)

    def rest(m: Vector, fit: Scalar) -> list[Split]:
        return [(motions, x.by.maths.minimum(fit, more)) for motions, more in _two_links(x, i, m)]

    return _split_by_height(x, i, k, rest, x.link(i)[0][2] + x.link(i, 1)[0][2])


def _split_by_height(
    x: Sums, i: int, k: int, rest: Callable[[Vector, Scalar], list[Split]], height: Scalar
) -> list[Split]:
    """The split of run k from the height over run i; `rest` then solves run i."""
    w, m = x.link(k)[0], x.to_run(x.m, i)
    n = x.to_run(x.from_run(Z, i), k)
    roots, fit = _solve_tilt(x, k, n, w, m[2] - height)
    found = []
    for first in roots:
        moved = x.to_run(x.from_run(first.ahead(w), k), i)
        found += [(x.seconds(k, first) | motions, more) for motions, more in rest(sub(m, moved), fit)]
    return found


Way = Callable[[Sums], list[Split]]
WAYS: dict[str, Way] = {
    "whole": nothing_to_split,
    "split": one_split,
    "split, leaning slide": one_split_slide_leaning,
    "split, flat slide": one_split_slide_flat,
    "split, two slides outside": one_split_slides_outer,
    "split, two slides inside": one_split_slides_inner,
    "split, flat slide inside": inner_slide_flat,
    "split, slide along inside": inner_slide_along,
    "split, slide along outside": outer_slide_along,
    "elbow": three_parallel_axes,
    "elbow, leaning slide": three_parallel_slide,
    "two splits": two_splits,
    "elbow and split": two_links_and_split,
}
# the two-way choices of each, in their order
WAY_ROLES: dict[str, tuple[str, ...]] = {
    "whole": (), "split": (), "split, leaning slide": (), "split, flat slide": ("slide",),
    "split, two slides outside": ("plane",), "split, two slides inside": ("plane",),
    "split, flat slide inside": ("slide",), "split, slide along inside": ("slide",),
    "split, slide along outside": ("slide",), "elbow": ("elbow",), "elbow, leaning slide": ("elbow",),
    "two splits": ("side",), "elbow and split": ("side", "elbow"),
}  # fmt: skip


def ways_of(arm: Seated) -> list[str]:
    """The cases that may fit, best first."""
    splits = tuple(sorted(len(run) for run in arm.runs if len(run) > 1))
    if not splits:
        return ["whole"] if len(arm.sliders) <= 3 else []
    if splits == (2,) and len(arm.sliders) == 2:
        return TWO_SLIDES[sum(map(arm.is_inner, arm.sliders))]
    return FEW_SLIDES.get((splits, len(arm.sliders)), [])


FEW_SLIDES: dict[tuple[tuple[int, ...], int], list[str]] = {
    ((2,), 0): ["split"],
    ((2,), 1): ["split, leaning slide", "split, flat slide"],
    ((3,), 0): ["elbow"],
    ((3,), 1): ["elbow, leaning slide"],
    ((2, 2), 0): ["two splits"],
    ((2, 3), 0): ["elbow and split"],
}
TWO_SLIDES = (  # by how many stand inside the run
    ["split, two slides outside"],
    ["split, flat slide inside", "split, slide along inside", "split, slide along outside"],
    ["split, two slides inside"],
)
