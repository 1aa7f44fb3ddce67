"""References through points, from tables, and as Fourier series."""

from __future__ import annotations

from dataclasses import replace
from math import factorial, pi
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.motion import fourier as fourier_text
from manipula.mechanics.models.motion import spline as spline_text
from manipula.mechanics.models.motion.ports import Motion
from manipula.messages import Message
from manipula.simulation.paths.numbers import Floats, configuration, numbers, positive, settings
from manipula.simulation.paths.trajectory import Trajectory, formula, remembered

MOST_SEGMENTS = 20  # of a spline that is a formula; more are a table
ENDS = ("rest", "natural")


@remembered
def fourier(a: ArrayLike, b: ArrayLike, base: float, *, q0: ArrayLike | None = None) -> Trajectory:
    """A periodic motion: q̇ = Σ_k a_k cos(k base t) + b_k sin(k base t), around q0.

    `a` and `b` are velocities, (harmonics, dof); `base` is in rad/s, so that one period takes 2π/base seconds.
    """
    cosine, sine = (
        numbers(x, f"fourier: {name}", 2, Message("an array (harmonics, dof)")) for name, x in (("a", a), ("b", b))
    )
    if cosine.shape != sine.shape:
        raise InputError(
            "fourier: a is of shape {shape} and b of {shape2}; expected (harmonics, dof) both", cosine.shape, sine.shape
        )
    count, dof = cosine.shape
    centre = np.zeros(dof) if q0 is None else configuration(q0, "fourier: q0")
    if len(centre) != dof:
        raise InputError("fourier: q0 is of {count} joints, a and b of {dof}", len(centre), dof)
    pace = positive(base, "fourier: base", "rad/s")
    waves = {f"{way}{k + 1}": x[k] for way, x in (("cosine", cosine), ("sine", sine)) for k in range(count)}
    given = settings(centre=centre, base=pace, **waves)
    return formula(fourier_text.fourier(count), dof, 2 * pi / pace, given)


@remembered
def spline(
    points: ArrayLike,
    times: ArrayLike | None = None,
    *,
    duration: float = 1.0,
    degree: int = 3,
    ends: str = "rest",
) -> Trajectory:
    """Through points (count, dof) at these times, the first of which is the start.

    Without times they are spaced as the points are, over `duration`. Of degree 3 the acceleration is continuous, of
    degree 5 the jerk and its slope too. `ends="rest"`: no velocity at both ends, of degree 5 no acceleration either;
    "natural": no acceleration, and the velocity as it comes (of degree 5 no jerk either).
    """
    through = numbers(points, "spline: points", 2, Message("an array (points, dof)"))
    if len(through) < 2:
        raise InputError("spline: expected at least two points, found one")
    knots = _spaced(through, positive(duration, "spline: duration", "seconds")) if times is None else rising(times)
    if len(knots) != len(through):
        raise InputError("spline: {count} times for {count2} points", len(knots), len(through))
    if ends not in ENDS:
        raise UnknownNameError("way to end a spline", ends, ENDS)
    if degree not in (3, 5):
        raise InputError("spline: degree: expected 3 or 5, found {degree!r:.60}", degree)
    still = (degree - 1) // 2  # derivatives that vanish at either end
    first = 1 if ends == "rest" else 2
    bound = [(first + k, np.zeros(through.shape[1])) for k in range(still)]
    curve = scipy.interpolate.make_interp_spline(knots, through, degree, bc_type=(bound, bound))
    # Taylor's coefficients at the start of each piece
    c = [curve(knots[:-1], nu=power) / factorial(power) for power in range(degree + 1)]
    return piecewise("spline", scipy.interpolate.PPoly(np.stack(c[::-1]), knots), through)


def _spaced(points: Floats, duration: float) -> Floats:
    """Times as far apart as the points are."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not steps.any():
        steps = np.ones(len(steps))
    if not steps.all():
        at = int(np.argmin(steps)) + 1
        raise InputError("spline: point {at} is point {at2} again; say at which times= to be there", at + 1, at)
    return np.asarray(np.concatenate([[0.0], np.cumsum(steps)]) * (duration / steps.sum()))


def rising(times: Any) -> Floats:
    """Times that increase, counted from the first."""
    found = numbers(times, "times", 1, Message("one time a point, increasing"))
    late = np.flatnonzero(np.diff(found) <= 0)
    if late.size:
        at = int(late[0])
        raise InputError(
            "times: must increase; {found:g} is followed by {found2:g} (time {at})", found[at], found[at + 1], at + 2
        )
    return np.asarray(found - found[0])


def piecewise(name: str, curve: scipy.interpolate.PPoly, points: Floats) -> Trajectory:
    """A piecewise polynomial from time 0 on, with these values at its knots: a formula where it has few pieces."""
    c, knots, end = curve.c[::-1].copy(), curve.x, points[-1]
    c[0] = points[:-1]  # as given, without the rounding of whoever found the curve
    powers, count, dof = c.shape
    made = Trajectory(name, dof, float(knots[-1]), None, {}, _Pieces(scipy.interpolate.PPoly(c[::-1], knots), end))
    if count > MOST_SEGMENTS:
        return made
    coefficients = {
        spline_text.coefficient(k, p).removeprefix("ref_"): c[p, k] for k in range(count) for p in range(powers)
    }
    given = settings(goal=end, knot=knots[1:], **coefficients)
    return replace(made, block=spline_text.spline(count, powers - 1), settings=given)


class _Pieces:
    """The same motion as the text of a spline has, for as many pieces as there are, and quicker on arrays."""

    def __init__(self, curve: scipy.interpolate.PPoly, end: Floats) -> None:
        self.curves = (curve, curve.derivative(), curve.derivative(2))
        self.knots, self.end = curve.x, end

    def __call__(self, t: Floats) -> Motion:
        last = self.knots[-1]
        q, qd, qdd = (curve(np.clip(t, 0.0, last)) for curve in self.curves)
        gone = ((t < 0) | (t > last))[..., None]
        return Motion(np.where((t >= last)[..., None], self.end, q), np.where(gone, 0.0, qd), np.where(gone, 0.0, qdd))
