"""Random arms with structure, from a seed, and their forward kinematics written out from the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import manipula as mp

Row = dict[str, Any]


def random_rows(rng: np.random.Generator, joints: int, slides: float = 0.0) -> list[Row]:
    """a and d zero or not, α 0, ±90° or any, θ 0, 90° or any; a share of the joints slides."""
    return [_row(rng, slides) for _ in range(joints)]


def _row(rng: np.random.Generator, slides: float) -> Row:
    kind = "prismatic" if rng.random() < slides else "revolute"
    theta, d, a, alpha = rng.uniform(-180, 180), rng.uniform(0.1, 0.5), rng.uniform(0.1, 0.5), rng.uniform(-180, 180)
    return {
        "theta": round(float(rng.choice([0, 90, theta])), 1), "d": round(float(rng.choice([0, d])), 3),
        "a": round(float(rng.choice([0, a])), 3), "alpha": round(float(rng.choice([0, 90, -90, alpha])), 1),
        "type": kind,
    }  # fmt: skip


def robot_of(rows: Sequence[Row], convention: str) -> mp.Robot:
    return mp.Robot.from_dh(list(rows), convention=convention, angle="deg", name="arm")


def pose_from_table(rows: Sequence[Row], q: Any, convention: str, values: Mapping[str, float] | None = None) -> Any:
    """The tool's pose straight from a Denavit–Hartenberg table; what is no number is computed from the values."""
    T = np.eye(4)
    for row, x in zip(rows, q, strict=True):
        theta, d, a, alpha = (_number(row[key], values or {}) for key in ("theta", "d", "a", "alpha"))
        theta, alpha = math.radians(theta), math.radians(alpha)
        theta, d = (theta, d + x) if row["type"] == "prismatic" else (theta + x, d)
        screw_z, screw_x = _screw(2, theta, d), _screw(0, alpha, a)
        T = T @ (screw_z @ screw_x if convention == "standard" else screw_x @ screw_z)
    return T


def _number(cell: Any, values: Mapping[str, float]) -> float:
    return float(eval(cell, {}, dict(values))) if isinstance(cell, str) else float(cell)


def _screw(axis: int, angle: float, along: float) -> Any:
    """A turn about a coordinate axis and a shift along it."""
    T, (i, j) = np.eye(4), ((1, 2), (2, 0), (0, 1))[axis]
    T[i, i] = T[j, j] = math.cos(angle)
    T[j, i], T[i, j], T[axis, 3] = math.sin(angle), -math.sin(angle), along
    return T


def apart(one: Any, other: Any, rows: Sequence[Row]) -> Any:
    """The largest difference of configurations (…, n), whole turns aside."""
    away = np.asarray(one) - np.asarray(other)
    turns = np.array([row["type"] == "revolute" for row in rows])
    return np.abs(np.where(turns, np.remainder(away + np.pi, 2 * np.pi) - np.pi, away)).max(-1)
