"""What stands between two joint axes, written as a Denavit–Hartenberg table can hold it.

    lead: Rz Tz about the axis behind      across: Tx Rx along the common normal      trail: Rz Tz about the axis ahead

Steps that have this form already are only sorted, so symbols stay. Any other placement is decomposed in numbers: the
common normal of two lines always exists (for parallel axes: one of many, the one without a shift ahead).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manipula.mechanics.robot.description import Cell, Step, StepKind, Steps
from manipula.mechanics.robot.exact import gathered
from manipula.mechanics.robot.precise import MP, angle, length, placement
from manipula.mechanics.robot.values.parameter import ZERO, Parameter

PARALLEL = MP.mpf(10) ** -12


@dataclass(frozen=True)
class Zone:
    lead: Steps
    across: Steps
    trail: Steps


def take(steps: Steps, axis: str) -> tuple[Steps, Steps]:
    """(the steps along this axis at the front, the rest)"""
    count = 0
    while count < len(steps) and steps[count].kind[1] == axis:
        count += 1
    return steps[:count], steps[count:]


def take_last(steps: Steps, axis: str) -> tuple[Steps, Steps]:
    """(the rest, the steps along this axis at the end)"""
    ahead, rest = take(steps[::-1], axis)
    return rest[::-1], ahead[::-1]


def zone_from_steps(steps: Steps) -> Zone | None:
    """Sorted, if the steps have the form."""
    lead, rest = take(gathered(steps), "z")
    across, rest = take(rest, "x")
    trail, rest = take(rest, "z")
    return None if rest else Zone(lead, across, trail)


def zone_in_numbers(steps: Steps, values: Mapping[str, Any]) -> Zone:
    """Decomposed: R = Rz(θ) Rx(α) Rz(θ'),  Rz(−θ) p = (a, −sin α·d', d + cos α·d')."""
    at = placement(steps, values)
    R, p = at.R, at.p
    sine = MP.sqrt(R[0][2] * R[0][2] + R[1][2] * R[1][2])
    parallel = sine < PARALLEL
    theta = _upright(MP.atan2(p[1], p[0]) if parallel else MP.atan2(R[0][2], -R[1][2])) if not _on_axis(at, sine) else 0
    c, s = MP.cos(theta), MP.sin(theta)
    a, y, z = c * p[0] + s * p[1], c * p[1] - s * p[0], p[2]
    sin_alpha = s * R[0][2] - c * R[1][2]
    alpha = MP.atan2(0 if parallel else sin_alpha, R[2][2])
    ahead = 0 if parallel else -y / sin_alpha
    # Rz(−θ)R has the first row (cos θ', −sin θ', 0)
    turn = MP.atan2(-(c * R[0][1] + s * R[1][1]), c * R[0][0] + s * R[1][0])
    return Zone(
        _steps(("rz", "theta", angle(theta)), ("tz", "d", length(z - R[2][2] * ahead))),
        _steps(("tx", "a", length(a)), ("rx", "alpha", angle(alpha))),
        _steps(("rz", "theta", angle(turn)), ("tz", "d", length(ahead))),
    )


def _on_axis(at: Any, sine: Any) -> bool:
    """The same axis continued: nothing says where its normal points."""
    return bool(sine < PARALLEL and MP.sqrt(at.p[0] ** 2 + at.p[1] ** 2) < PARALLEL)


def _upright(theta: Any) -> Any:
    """A normal may point either way: the choice within a quarter turn, so that most tables show zeros."""
    if abs(theta) <= MP.pi / 2 + PARALLEL:
        return theta
    return theta - MP.pi if theta > 0 else theta + MP.pi


def _steps(*parts: tuple[StepKind, str, Parameter]) -> Steps:
    return tuple(Step(kind, Cell(name, amount)) for kind, name, amount in parts if amount != ZERO)
