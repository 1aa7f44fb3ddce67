"""References through points, from tables, and as Fourier series."""

from __future__ import annotations

from dataclasses import replace
from math import factorial, pi
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.motion import profiles
from manipula.mechanics.models.motion.ports import Motion
from manipula.messages import Message
from manipula.trajectories.trajectory import (
    Floats,
    Trajectory,
    configuration,
    formula,
    numbers,
    positive,
    remember_call,
    settings,
)

MOST_SEGMENTS = 20  # of a spline that is a formula; more are a table
ENDS = ("rest", "natural")


@remember_call
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
    return formula(profiles.fourier(count), dof, 2 * pi / pace, given)


@remember_call
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
    knots = (
        _times_by_distance(through, positive(duration, "spline: duration", "seconds"))
        if times is None
        else increasing_times(times)
    )
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


def _times_by_distance(points: Floats, duration: float) -> Floats:
    """Times as far apart as the points are."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not steps.any():
        steps = np.ones(len(steps))
    if not steps.all():
        at = int(np.argmin(steps)) + 1
        raise InputError("spline: point {at} is point {at2} again; say at which times= to be there", at + 1, at)
    return np.asarray(np.concatenate([[0.0], np.cumsum(steps)]) * (duration / steps.sum()))


def increasing_times(times: object) -> Floats:
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
    c[0] = points[:-1]  # as given, without the rounding of the interpolation
    powers, count, dof = c.shape
    made = Trajectory(name, dof, float(knots[-1]), None, {}, _Pieces(scipy.interpolate.PPoly(c[::-1], knots), end))
    if count > MOST_SEGMENTS:
        return made
    coefficients = {
        profiles.coefficient(k, p).removeprefix("ref_"): c[p, k] for k in range(count) for p in range(powers)
    }
    given = settings(goal=end, knot=knots[1:], **coefficients)
    return replace(made, block=profiles.spline(count, powers - 1), settings=given)


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


# References from tables: a file as `Trajectory.save` writes one, or arrays.

PORTS = ("q", "qd", "qdd")
LARGEST = 1e200  # of a coefficient: its curve and both slopes are finite then


@remember_call
def table(
    source: str | Path | ArrayLike,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
) -> Trajectory:
    """A reference through samples: `table("ref.csv")`, or `table(times, q)`; times are counted from the first.

    With velocities and accelerations each piece is of degree five and has them at both ends; without, a cubic spline
    of continuous acceleration goes through the positions, its velocities at the ends those of `qd` where given.
    """
    if isinstance(source, str | Path):
        if q is not None:
            raise InputError("table: expected the path of a file, or times and positions, found both")
        read = _read(Path(source))
        try:
            return table(*read)
        except InputError as error:
            raise InputError("{place}: {text}", source, error) from error
    times = increasing_times(source)
    places, *slopes = (_columns(x, name, len(times)) for x, name in ((q, "q"), (qd, "qd"), (qdd, "qdd")))
    if places is None:
        raise InputError("table: expected positions q, an array (times, dof), beside the times")
    if any(x is not None and x.shape != places.shape for x in slopes):
        raise InputError("table: q is of {shape} joints, and qd or qdd is not", places.shape[1])
    if len(times) < 2:
        raise InputError("table: expected at least two samples, found one")
    with np.errstate(all="ignore"):
        curve = _interpolate(times, places, *slopes)
    if not np.abs(curve.c).max() < LARGEST:
        raise InputError("table: the numbers are too large, or the times too close, for a curve through them")
    return piecewise("table", curve, places)


def _interpolate(times: Floats, q: Floats, qd: Floats | None, qdd: Floats | None) -> scipy.interpolate.PPoly:
    if qd is not None and qdd is not None:
        return scipy.interpolate.PPoly.from_bernstein_basis(
            scipy.interpolate.BPoly.from_derivatives(times, np.stack([q, qd, qdd], axis=1))
        )
    ends: Any = "not-a-knot" if len(times) > 3 else "natural"
    if qd is not None:
        ends = ((1, qd[0]), (1, qd[-1]))
    return scipy.interpolate.CubicSpline(times, q, bc_type=ends)


def _columns(value: object, name: str, count: int) -> Floats | None:
    if value is None:
        return None
    found = numbers(value, f"table: {name}", 2, Message("an array (times, dof)"))
    if len(found) != count:
        raise InputError("table: {name} has {count} rows, and there are {count2} times", name, len(found), count)
    return found


def _read(path: Path) -> tuple[Any, ...]:
    """Times and the columns of each port, by the names in the first line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("{path}: cannot be read as a table of text ({error})", path, error) from None
    names = [name.split("[")[0].strip() for name in lines[0].split(",")] if lines else []
    rows = [_row(path, i, line, len(names)) for i, line in enumerate(lines[1:], 2) if line.strip()]
    wanted = [name for port in PORTS for name in _of(names, port)]
    if "t" not in names or "q1" not in names or sorted(["t", *wanted]) != sorted(names):
        found = ", ".join(names) or Message("nothing")
        raise InputError(
            "{path}: line 1: expected the columns t, q1 …, and qd1 …, qdd1 … or none, found {found:.120}", path, found
        )
    if not rows:
        raise InputError("{path}: no row of numbers", path)
    values = dict(zip(names, np.array(rows).T, strict=True))
    parts = ([values[name] for name in _of(names, port)] for port in PORTS)
    return (values["t"], *(np.stack(part, axis=1) if part else None for part in parts))


def _of(names: list[str], port: str) -> list[str]:
    """q1, q2, … as far as they go."""
    found: list[str] = []
    while f"{port}{len(found) + 1}" in names:
        found.append(f"{port}{len(found) + 1}")
    return found


def _row(path: Path, number: int, line: str, count: int) -> list[float]:
    cells = line.split(",")
    try:
        found = [float(cell) for cell in cells]
    except ValueError:
        raise InputError("{path}: line {number}: expected numbers, found {line!r:.60}", path, number, line) from None
    if len(found) != count:
        raise InputError(
            "{path}: line {number}: {count} cells, and line 1 names {count2}", path, number, len(found), count
        )
    return found
