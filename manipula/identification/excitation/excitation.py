"""A motion that makes an arm's parameters visible, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from manipula.errors import InputError, UnknownNameError
from manipula.identification.excitation.information import CRITERIA, Information, Told, information_of
from manipula.identification.excitation.motions import (
    FAMILIES,
    SHARE,
    Basis,
    Family,
    Kept,
    kept_limits,
    refuse_harmonics,
    room_from,
)
from manipula.identification.excitation.penalties import Between, Watch, watches_of
from manipula.identification.filters import RecordedMotion
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.pages.plots import blank, plainly
from manipula.support.progress import Tell, silent
from manipula.support.text import plain
from manipula.trajectories.trajectory import Floats, Trajectory, positive

# The search: from the best of some random motions by BFGS, first past the limits a little, then within them.
#
# Limits are penalties on the samples of the search; what it finds is made to keep them on ten times as many samples:
# every coordinate alone around its centre, then all together as far as torques and boxes ask for.

SAMPLES, A_HARMONIC = 100, 20  # of the search, at least; of the highest harmonic
DENSER = 10
DRAWS = 20  # random motions, of which the best is the start
POSTURES = 400  # to find some in which the arm may rest
CENTRES = 0.6  # of the reach: where random centres are
PENALTIES = ((10.0, 200), (100.0, 100), (1000.0, 60))  # weight, iterations
FLAT = 1e-4  # a gradient at which a search ends
SMALLER, LEAST = 0.97, 1e-3  # steps in which a motion shrinks until it keeps what is watched
EXACT = 1e-9  # relative


@dataclass(frozen=True)
class Attempt:
    """What one seed came to: its measure and condition number."""

    seed: int
    value: float
    condition: float


@dataclass(frozen=True, eq=False)
class Design:
    """What is to be designed: coefficients x (functions, n) of a family, within limits."""

    family: Family
    seconds: float
    harmonics: int
    limits: Kept
    watches: Sequence[Watch]
    information: Information
    notes: tuple[str, ...] = ()

    @property
    def samples(self) -> int:
        return max(SAMPLES, A_HARMONIC * self.harmonics)

    @cached_property
    def coarse(self) -> Basis:
        """The samples of the search; a last row is the arm at rest in the centre."""
        basis = self.family.basis(np.linspace(0.0, self.seconds, self.samples + 1))
        rest = np.zeros((3, 1, self.family.functions))
        rest[0, 0, 0] = 1.0
        return Basis(*(np.vstack([part, row]) for part, row in zip(basis, rest, strict=True)))

    @cached_property
    def dense(self) -> Basis:
        return self.family.basis(np.linspace(0.0, self.seconds, DENSER * self.samples + 1))

    @cached_property
    def scale(self) -> Floats:
        """(functions, n): the coefficient with which a function alone comes to a limit."""
        peaks = [np.abs(part[:, 1:]).max(axis=0)[:, None] for part in self.dense]
        rooms = (self.limits.reach, SHARE * self.limits.velocity, SHARE * self.limits.acceleration)
        alone = np.min([room / peak for room, peak in zip(rooms, peaks, strict=True)], axis=0)
        return np.vstack([self.limits.reach, alone])

    def motion(self, x: Floats, basis: Basis) -> Motion:
        return Motion(*(part @ x for part in basis))

    def information_value(self, x: Floats, criterion: str) -> Told:
        return CRITERIA[criterion](self.information, self.motion(x, _without_rest(self.coarse)))

    def conditions(self, x: Floats) -> tuple[float, float]:
        return self.information.conditions(self.motion(x, _without_rest(self.coarse)))

    # limits

    def within(self, x: Floats) -> Floats:
        """The centre inside its range and the rest scaled, joint by joint, so that the limits hold at the dense
        samples."""
        middle, reach = self.limits.middle, self.limits.reach
        centre = np.clip(x[0], middle - CENTRES * reach, middle + CENTRES * reach)
        q, qd, qdd = (part[:, 1:] @ x[1:] for part in self.dense)
        top, bottom = reach - (centre - middle), reach + (centre - middle)
        uses = [q.max(0) / top, -q.min(0) / bottom, np.abs(qd).max(0) / (SHARE * self.limits.velocity)]
        uses += [np.abs(qdd).max(0) / (SHARE * self.limits.acceleration), np.ones(len(centre))]
        return np.vstack([centre, x[1:] / np.max(uses, axis=0)])

    def scale_to_limits(self, x: Floats) -> Floats | None:
        """The motion made so small that everything holds; None where even its centre does not."""
        x = self.within(x)
        share = 1.0
        while share > LEAST:
            smaller = np.vstack([x[:1], share * x[1:]])
            motion = self.motion(smaller, self.dense)
            if all(watch.excess(motion) <= EXACT for watch in self.watches):
                return smaller
            share *= SMALLER
        return None

    # the search

    @cached_property
    def centres(self) -> Floats:
        """Postures in which the arm may rest, (count, n)."""
        rng = np.random.default_rng(0)
        spread = rng.uniform(-CENTRES, CENTRES, (POSTURES, len(self.limits.lower)))
        found = np.vstack([self.limits.middle, self.limits.middle + self.limits.reach * spread])
        for watch in self.watches:
            good = [watch.excess(_motion_at_rest(q[None])) <= EXACT for q in found]
            if not any(good):
                raise InputError("excite: {sentence}", watch.sentence(_motion_at_rest(found)))
            found = found[good]
        return found

    def sample_motion(self, rng: np.random.Generator) -> Floats | None:
        """A random motion at the limits."""
        x = self.scale * rng.normal(size=self.scale.shape)
        x[0] = self.centres[rng.integers(len(self.centres))]
        x[1:] *= 10.0  # until a limit stops it
        return self.scale_to_limits(x)

    def search_motion(self, seed: int, criterion: str) -> Floats:
        """The best motion found from a seed."""
        rng = np.random.default_rng(seed)
        draws = [x for x in (self.sample_motion(rng) for _ in range(DRAWS)) if x is not None]
        if not draws:
            raise InputError("excite: no motion around a permitted posture keeps all limits; widen them, or the box")
        best = max(draws, key=lambda x: self.information_value(x, criterion).value)
        x = best
        for name in dict.fromkeys(("logdet", criterion)):  # the determinant first: it has no flat places
            for weight, iterations in PENALTIES:
                x = self._minimise(x, name, weight, iterations)
                found = self.scale_to_limits(x)
                if (
                    found is not None
                    and self.information_value(found, criterion).value > self.information_value(best, criterion).value
                ):
                    best = found
            x = best
        return best

    def _minimise(self, x: Floats, criterion: str, weight: float, iterations: int) -> Floats:
        # BFGS: so few unknowns have a whole matrix; the limited-memory one of the same library shares tiny systems out
        # to threads, which takes thirty times as long as the search where other programs run
        given = {"maxiter": iterations, "gtol": FLAT}
        cost = self.cost(criterion, weight)
        found = minimize(cost, (x / self.scale).ravel(), jac=True, method="BFGS", options=given).x
        return np.asarray(found.reshape(x.shape) * self.scale)

    def cost(self, criterion: str, weight: float) -> Callable[[Floats], tuple[float, Floats]]:
        """What is made small, and its gradient, over coefficients in units of `scale`, flat."""
        measure, inner = CRITERIA[criterion], _without_rest(self.coarse)
        bounds = [*_bounds(self.limits), *self.watches]

        def cost(z: Floats) -> tuple[float, Floats]:
            x = z.reshape(self.scale.shape) * self.scale
            motion = self.motion(x, self.coarse)
            seen = Motion(*(part[:-1] for part in motion))
            told = measure(self.information, seen)
            slopes = Motion(*(np.zeros_like(part) for part in motion))
            total = sum(watch.penalty(motion, slopes) for watch in bounds)
            pulled = self.information.pull(seen, told.slope)
            gradient = sum(weight * a.T @ b for a, b in zip(self.coarse, slopes, strict=True))
            gradient = gradient - sum(a.T @ b for a, b in zip(inner, pulled, strict=True))
            return weight * total - told.value, (gradient * self.scale).ravel()

        return cost


def _bounds(limits: Kept) -> list[Watch]:
    """The coordinates' own limits, as a search sees them."""
    n = len(limits.lower)
    one, none = np.eye(n), np.zeros(n)
    ends = (limits.reach, SHARE * limits.velocity, SHARE * limits.acceleration)
    middles = (limits.middle, none, none)
    return [Between(k, one, none, mid - end, mid + end) for k, (mid, end) in enumerate(zip(middles, ends))]


def _without_rest(basis: Basis) -> Basis:
    return Basis(*(part[:-1] for part in basis))


def _motion_at_rest(q: Floats) -> Motion:
    return Motion(q, np.zeros_like(q), np.zeros_like(q))


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

    def as_dict(self) -> dict[str, object]:
        """Plain data: what JSON can hold. `settings` are the coefficients of the motion's formula."""
        words = ("robot", "name", "duration", "criterion", "condition", "scaled", "rate")
        told = {word: getattr(self, word) for word in words} | {
            "joints": list(self.joints), "start": self.start.tolist(), "parameters": list(self.parameters),
            "attempts": [vars(x) for x in self.attempts], "limits": self.limits.as_dict(), "peaks": self.peaks(),
            "notes": list(self.notes), "settings": {name: list(x) for name, x in self.settings.items()},
        }  # fmt: skip
        found: dict[str, object] = plain(told)
        return found

    def __repr__(self) -> str:
        told = f"{self.dof} joints, {self.duration:g} s, condition number {self.condition:.3g}, by {self.criterion}"
        return f"<exciting motion of {self.robot}: {told}>"

    def __str__(self) -> str:
        lines = [f"{self.robot}: {self.duration:g} s, condition number {self.condition:.3g} ({self.scaled:.3g} scaled)"]
        return "\n".join([*lines, *self.notes])


def optimise_excitation(
    robot: RobotDescription,
    *,
    seconds: float = 10.0,
    harmonics: int = 5,
    criterion: str = "logdet",
    limits: Mapping[str, Any] | None = None,
    seeds: int | Sequence[int] = 3,
    box: object = None,
    motion: str = "fourier",
    rate: float = RATE,
    after: Sequence[RecordedMotion] = (),
    tell: Tell = silent,
) -> Excitation:
    """The best motion of all seeds by the criterion; of those that differ by little the best conditioned. It is to be
    recorded beside the motions `after`."""
    design = design_of(robot, seconds, harmonics, limits, box, motion)
    if after:
        length = sum(float(one.t[-1] - one.t[0]) for one in after)
        seen = [Motion(*(x[one.kept] for x in (one.q, one.qd, one.qdd))) for one in after]
        design = replace(design, information=design.information.after(seen, length / design.seconds))
    if criterion not in CRITERIA:
        raise UnknownNameError("criterion", criterion, CRITERIA)
    rows, numbers = positive(rate, "excite: rate", Message("rows a second")), _seeds(seeds)
    attempts: list[tuple[Attempt, Floats]] = []
    for seed in numbers:
        x = design.search_motion(seed, criterion)
        found = Attempt(seed, design.information_value(x, criterion).value, design.conditions(x)[0])
        attempts.append((found, x))
        tell(f"seed {len(attempts)} of {len(numbers)}: condition number {found.condition:.3g}")
    best = _best(attempts, 2 * len(design.information.names) * NEARLY if criterion == "logdet" else 0.0)
    condition, scaled = design.conditions(best)
    made = design.family.trajectory(best)
    return Excitation(
        **{x.name: getattr(made, x.name) for x in fields(made)}, robot=robot.name, joints=tuple(robot.joint_names),
        criterion=criterion, condition=condition, scaled=scaled, attempts=tuple(x for x, _ in attempts),
        parameters=tuple(design.information.names), limits=design.limits, rate=rows,
        notes=(*design.notes, *_doubts(design, best, condition)),
    )  # fmt: skip


UNUSABLE = 1e4  # condition number of a motion that cannot identify
NARROW = 0.2  # rad or m of range on each side: too little to show a link's inertia


def _doubts(design: Design, x: Floats, condition: float) -> list[str]:
    """Why the motion cannot identify, where it cannot."""
    if not condition > UNUSABLE:
        return []
    reach, names = design.limits.reach, design.information.joints
    narrow = [name for name, room in zip(names, reach) if room < NARROW]
    least = design.information.weakest(design.motion(x, _without_rest(design.coarse)))
    reason = (
        Message("the limits are too narrow for {joints}", ", ".join(narrow))
        if narrow
        else Message("limits, box or length leave no motion that separates them")
    )
    return [
        Message(
            "the motion cannot identify the arm (condition number {condition:.2g}): {parameters} are hardly visible; "
            "{reason}",
            condition,
            ", ".join(least),
            reason,
        )
    ]


def _best(attempts: Sequence[tuple[Attempt, Floats]], slack: float) -> Floats:
    """Of the motions that are nearly the best, the best conditioned."""
    most = max(found.value for found, _ in attempts)
    near = [pair for pair in attempts if pair[0].value >= most - slack]
    return min(near, key=lambda pair: pair[0].condition)[1]


def design_of(
    robot: RobotDescription, seconds: object, harmonics: Any, limits: Any, box: object, motion: str
) -> Design:
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

    def whole(x: object) -> bool:
        return isinstance(x, int | np.integer) and not isinstance(x, bool) and bool(x >= 0)

    if whole(value) and value > 0:
        return list(range(value))
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) and all(map(whole, value)):
        return [int(x) for x in value]
    raise InputError("excite: seeds: expected a count above 0, or a list of whole numbers, found {value!r:.60}", value)
