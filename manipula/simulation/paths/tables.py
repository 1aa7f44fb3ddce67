"""References from tables: a file as `Trajectory.save` writes one, or arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.messages import Message
from manipula.simulation.paths.numbers import Floats, numbers
from manipula.simulation.paths.series import piecewise, rising
from manipula.simulation.paths.trajectory import Trajectory, remembered

PORTS = ("q", "qd", "qdd")
LARGEST = 1e200  # of a coefficient: its curve and both slopes are finite then


@remembered
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
    times = rising(source)
    places, *slopes = (_columns(x, name, len(times)) for x, name in ((q, "q"), (qd, "qd"), (qdd, "qdd")))
    if places is None:
        raise InputError("table: expected positions q, an array (times, dof), beside the times")
    if any(x is not None and x.shape != places.shape for x in slopes):
        raise InputError("table: q is of {shape} joints, and qd or qdd is not", places.shape[1])
    if len(times) < 2:
        raise InputError("table: expected at least two samples, found one")
    with np.errstate(all="ignore"):
        curve = _interpolated(times, places, *slopes)
    if not np.abs(curve.c).max() < LARGEST:
        raise InputError("table: the numbers are too large, or the times too close, for a curve through them")
    return piecewise("table", curve, places)


def _interpolated(times: Floats, q: Floats, qd: Floats | None, qdd: Floats | None) -> scipy.interpolate.PPoly:
    if qd is not None and qdd is not None:
        return scipy.interpolate.PPoly.from_bernstein_basis(
            scipy.interpolate.BPoly.from_derivatives(times, np.stack([q, qd, qdd], axis=1))
        )
    ends: Any = "not-a-knot" if len(times) > 3 else "natural"
    if qd is not None:
        ends = ((1, qd[0]), (1, qd[-1]))
    return scipy.interpolate.CubicSpline(times, q, bc_type=ends)


def _columns(value: Any, name: str, count: int) -> Floats | None:
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
