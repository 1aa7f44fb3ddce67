"""A motion that makes an arm's parameters visible, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.identification.excitation.information import CRITERIA, information_of
from manipula.identification.excitation.limits import Kept, kept_limits, room_from
from manipula.identification.excitation.motions import FAMILIES, refuse_harmonics
from manipula.identification.excitation.search import Attempt, Design
from manipula.identification.excitation.watching import watches_of
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.pages.plots.canvas import blank, plainly
from manipula.simulation.paths.numbers import Floats, positive
from manipula.simulation.paths.trajectory import Trajectory
from manipula.support.plain import plain
from manipula.support.progress import Tell, silent

RATE = 100.0  # rows a second of a saved motion
DRAWN = 1000  # points of a plot
NEARLY = 0.05  # of the errors on the average, log det being −2 Σ log σ: motions that are as good as each other


@dataclass(frozen=True, eq=False, repr=False)
class Excitation(Trajectory):
    """A motion that begins and ends at rest at `start`, within `limits`.

    `condition`: of the matrix that a least squares of the rigid arm's base parameters has along it, SI; `scaled`: the
    same with friction, motor inertia and offset of every joint, columns of unit length. `attempts`: what every seed
    came to; `parameters`: the unknowns by name; `notes`: what was assumed.
    """

    robot: str
    joints: tuple[str, ...] = field(repr=False)
    criterion: str
    condition: float
    scaled: float
    attempts: tuple[Attempt, ...] = field(repr=False)
    parameters: tuple[str, ...] = field(repr=False)
    limits: Kept = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    rate: float = RATE

    @property
    def start(self) -> Floats:
        """Where the robot must be before it begins."""
        return np.asarray(self(0.0).q)

    def save(self, path: str | Path, step: float | None = None) -> Path:
        """Write a table for the robot, `rate` rows a second unless a step is given: t, q1 …, qd1 …, qdd1 …"""
        return super().save(path, 1 / self.rate if step is None else step)

    def peaks(self) -> list[dict[str, Any]]:
        """Of every joint the range it goes through, its largest velocity and acceleration."""
        q, qd, qdd = self(np.linspace(0.0, self.duration, DRAWN + 1))
        speed, pull = np.abs(qd).max(0), np.abs(qdd).max(0)
        rows = zip(self.joints, q.min(0).tolist(), q.max(0).tolist(), speed.tolist(), pull.tolist(), strict=True)
        return [dict(zip(("joint", "lowest", "highest", "velocity", "acceleration"), row, strict=True)) for row in rows]

    def plot(self) -> Any:
        """Positions, velocities and accelerations of all joints, as a figure of matplotlib."""
        figure = blank("motion.plot", (8.0, 6.5))
        t = np.linspace(0.0, self.duration, DRAWN + 1)
        words = ("position [rad or m]", "velocity [rad/s or m/s]", "acceleration [rad/s² or m/s²]")
        for axes, values, word in zip(figure.subplots(3, 1, sharex=True), self(t), words, strict=True):
            axes.plot(t, values, linewidth=1.3, label=list(map(plainly, self.joints)))
            axes.set_ylabel(word, fontsize=9)
            axes.grid(alpha=0.3)
        figure.axes[0].legend(fontsize=7, ncols=4)
        figure.axes[-1].set_xlabel("time [s]")
        figure.suptitle(plainly(f"{self.robot}: condition number {self.condition:.3g}"), fontsize=11)
        return figure

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what JSON can hold. `settings` are the coefficients of the motion's formula."""
        words = ("robot", "name", "duration", "criterion", "condition", "scaled", "rate")
        told = {word: getattr(self, word) for word in words} | {
            "joints": list(self.joints), "start": self.start.tolist(), "parameters": list(self.parameters),
            "attempts": [vars(x) for x in self.attempts], "limits": self.limits.as_dict(), "peaks": self.peaks(),
            "notes": list(self.notes), "settings": {name: list(x) for name, x in self.settings.items()},
        }  # fmt: skip
        found: dict[str, Any] = plain(told)
        return found

    def __repr__(self) -> str:
        told = f"{self.dof} joints, {self.duration:g} s, condition number {self.condition:.3g}, by {self.criterion}"
        return f"<exciting motion of {self.robot}: {told}>"

    def __str__(self) -> str:
        lines = [f"{self.robot}: {self.duration:g} s, condition number {self.condition:.3g} ({self.scaled:.3g} scaled)"]
        return "\n".join([*lines, *self.notes])


def excited(
    robot: RobotDescription,
    *,
    seconds: float = 10.0,
    harmonics: int = 5,
    criterion: str = "logdet",
    limits: Mapping[str, Any] | None = None,
    seeds: int | Sequence[int] = 3,
    box: Any = None,
    motion: str = "fourier",
    rate: float = RATE,
    tell: Tell = silent,
) -> Excitation:
    """The best motion of all seeds by the criterion; of those that differ by little the best conditioned."""
    design = design_of(robot, seconds, harmonics, limits, box, motion)
    if criterion not in CRITERIA:
        raise UnknownNameError("criterion", criterion, CRITERIA)
    rows, numbers = positive(rate, "excite: rate", Message("rows a second")), _seeds(seeds)
    attempts: list[tuple[Attempt, Floats]] = []
    for seed in numbers:
        x = design.searched(seed, criterion)
        found = Attempt(seed, design.told(x, criterion).value, design.conditions(x)[0])
        attempts.append((found, x))
        tell(f"seed {len(attempts)} of {len(numbers)}: condition number {found.condition:.3g}")
    best = _best(attempts, 2 * len(design.information.names) * NEARLY if criterion == "logdet" else 0.0)
    condition, scaled = design.conditions(best)
    made = design.family.trajectory(best)
    return Excitation(
        **{x.name: getattr(made, x.name) for x in fields(made)}, robot=robot.name, joints=tuple(robot.joint_names),
        criterion=criterion, condition=condition, scaled=scaled, attempts=tuple(x for x, _ in attempts),
        parameters=tuple(design.information.names), limits=design.limits, notes=design.notes, rate=rows,
    )  # fmt: skip


def _best(attempts: Sequence[tuple[Attempt, Floats]], slack: float) -> Floats:
    """Of the motions that are nearly the best, the best conditioned."""
    most = max(found.value for found, _ in attempts)
    near = [pair for pair in attempts if pair[0].value >= most - slack]
    return min(near, key=lambda pair: pair[0].condition)[1]


def design_of(robot: RobotDescription, seconds: Any, harmonics: Any, limits: Any, box: Any, motion: str) -> Design:
    """What is to be designed, from what a person says."""
    time, count = positive(seconds, "excite: seconds", "seconds"), refuse_harmonics(harmonics)
    if motion not in FAMILIES:
        raise UnknownNameError("motion", motion, FAMILIES)
    kept, room = kept_limits(robot, limits), room_from(box)
    information = information_of(robot, kept)
    watches, notes = watches_of(robot, kept, room)
    return Design(FAMILIES[motion](time, count), time, count, kept, watches, information, (*kept.notes, *notes))


def _seeds(value: Any) -> list[int]:
    """A count, or the seeds themselves."""

    def whole(x: Any) -> bool:
        return isinstance(x, int | np.integer) and not isinstance(x, bool) and bool(x >= 0)

    if whole(value) and value > 0:
        return list(range(value))
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) and all(map(whole, value)):
        return [int(x) for x in value]
    raise InputError("excite: seeds: expected a count above 0, or a list of whole numbers, found {value!r:.60}", value)
