"""What a calibration found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.calibration.geometry import Geometry
from manipula.identification.calibration.measurements import Measured, configurations, measured_from
from manipula.messages import Message
from manipula.robot import Robot
from manipula.support.text import plain

# Which entries of a geometry can be found: one after another is taken if it moves what is measured in a way that
# those taken before cannot. Once over configurations drawn at random, where what is left out could be found by no
# motion;
# once over those that were measured, where another motion would show it.
#
# A complete, minimal set has 4 entries for every joint that turns, 2 for every one that slides, and 6: Everett, Driels,
# Mooring, "Kinematic modelling for robot calibration", IEEE International Conference on Robotics and Automation (1987).

Array = NDArray[np.float64]
ZERO = 1e-8  # of columns of length 1: dependences leave 1e-13, what is really there much more
FAINT = 1e-4  # of what the measured configurations show: below it noise would be multiplied by 10⁴


@dataclass(frozen=True)
class Dropped:
    """An entry that is left as it was, and why."""

    name: str
    why: str


def independent(J: Array, order: Sequence[int], least: float) -> tuple[list[int], dict[int, Array]]:
    """The columns taken, going in `order`; of every other its combination of those."""
    lengths = np.linalg.norm(J, axis=0)
    unit = J / np.where(lengths > 0, lengths, 1)
    taken, basis, left = list[int](), np.zeros((len(J), 0)), dict[int, Array]()
    for k in order:
        rest = unit[:, k] - basis @ (basis.T @ unit[:, k])
        rest -= basis @ (basis.T @ rest)  # once more: the first sweep loses digits where little is left
        size = np.linalg.norm(rest)
        if lengths[k] > 0 and size > least:
            taken.append(k)
            basis = np.hstack([basis, (rest / size)[:, None]])
        else:
            shares = np.linalg.lstsq(J[:, taken], J[:, k], rcond=None)[0] if taken else np.zeros(0)
            left[k] = np.asarray(shares, dtype=float)
    return taken, left


def why(taken: Sequence[int], shares: Array, names: Sequence[str], motion: str) -> str:
    """The sentence: with which of those taken it goes together."""
    partners = [names[k] for k, share in zip(taken, shares) if abs(share) > 1e-6]
    if not partners:
        return Message("moves nothing that is measured {motion}", motion).strip()
    return Message(
        ("does the same as {partners} … {motion}" if len(partners) > 4 else "does the same as {partners} {motion}"),
        ", ".join(partners[:4]),
        motion,
    ).strip()


WORDS = {"pose": "poses", "points": "points", "distance": "distances"}


@dataclass(frozen=True)
class CalibratedEntry:
    """One entry: as the file had it, as it is now, and how sure that is."""

    name: str
    nominal: float
    value: float
    sigma: float
    unit: str

    @property
    def error(self) -> float:
        return self.value - self.nominal


@dataclass(frozen=True)
class Misfit:
    """How far an arm is from what was measured: lengths in metres, angles in radians (None where none was)."""

    mean: float
    rms: float
    largest: float
    mean_angle: float | None = None
    largest_angle: float | None = None

    def __str__(self) -> str:
        told = f"mean {self.mean * 1e3:.3g} mm, rms {self.rms * 1e3:.3g} mm, largest {self.largest * 1e3:.3g} mm"
        if self.mean_angle is None or self.largest_angle is None:
            return told
        return f"{told}; mean {np.degrees(self.mean_angle):.3g}°, largest {np.degrees(self.largest_angle):.3g}°"


@dataclass(frozen=True, eq=False)
class Calibration:
    """`robot` is the corrected one. `before` and `after` are the misfits of the measurements it was found from, a
    base laid under them and points found in both; `validation` those of measurements kept apart."""

    robot: Robot
    parameters: tuple[CalibratedEntry, ...]
    dropped: tuple[Dropped, ...]
    before: Misfit
    after: Misfit
    validation: tuple[Misfit, Misfit] | None
    condition: float
    kind: str
    warnings: tuple[str, ...]
    besides: Mapping[str, float]  # points on the tool, the place distances are measured from

    @property
    def rank(self) -> int:
        """How many unknowns were found, those besides the geometry too."""
        return len(self.parameters)

    def error(self, q: object, measured: object) -> Misfit:
        """Of the corrected robot against other measurements of the same kind."""
        geometry = Geometry.of(self.robot)
        rows = configurations(q, self.robot.dof, self.robot.name)
        taken = measured_from(measured, self.kind, len(rows))
        return misfit(taken, taken.residual(geometry, rows, np.zeros(len(geometry.entries)), self._besides))

    @property
    def _besides(self) -> Array:
        return np.array(list(self.besides.values()))

    def as_dict(self) -> dict[str, object]:
        told: dict[str, object] = plain(
            {
                "robot": self.robot.name, "kind": self.kind, "rank": self.rank, "condition": self.condition,
                "parameters": [vars(found) for found in self.parameters],
                "dropped": [vars(one) for one in self.dropped], "before": vars(self.before), "after": vars(self.after),
                "validation": None if self.validation is None else [vars(one) for one in self.validation],
                "besides": dict(self.besides), "warnings": list(self.warnings),
            }
        )  # fmt: skip
        return told

    def __repr__(self) -> str:
        return f"<calibration of {self.robot.name}: {self.rank} found, {len(self.dropped)} dropped; {self.after}>"

    def __str__(self) -> str:
        lines = [
            f"{self.robot.name}: {self.rank} entries found from {WORDS[self.kind]}, condition {self.condition:.3g}"
        ]
        lines += [f"  before   {self.before}", f"  after    {self.after}"]
        if self.validation is not None:
            lines += [f"  kept apart, before   {self.validation[0]}", f"  kept apart, after    {self.validation[1]}"]
        lines += ["", f"  {'entry':<12} {'was':>12} {'is':>12} {'change':>11} {'± σ':>9}"]
        for one in self.parameters:
            scale, unit = (1e3, "mm") if one.unit == "m" else (180 / np.pi, "°")
            was, now, change, sigma = (x * scale for x in (one.nominal, one.value, one.error, one.sigma))
            lines.append(f"  {one.name:<12} {was:>12.4f} {now:>12.4f} {change:>+11.4f} {sigma:>9.2g} {unit}")
        lines += ["", "  left as it was:"] if self.dropped else []
        lines += [f"  {one.name}: {one.why}" for one in self.dropped]
        return "\n".join([*lines, *(f"  warning: {text}" for text in self.warnings)])


def misfit(measured: Measured, residual: Array) -> Misfit:
    """Of points the distance of each, of poses the position and the angle."""
    lengths = residual[:, [unit == "m" for unit in measured.units]]
    if measured.kind == "distance":
        off = np.abs(lengths).ravel()
    else:
        off = np.linalg.norm(lengths.reshape(len(residual), -1, 3), axis=-1).ravel()
    told = (float(off.mean()), float(np.sqrt((off**2).mean())), float(off.max()))
    if measured.kind != "pose":
        return Misfit(*told)
    angles = np.linalg.norm(residual[:, 3:], axis=1)
    return Misfit(*told, float(angles.mean()), float(angles.max()))
