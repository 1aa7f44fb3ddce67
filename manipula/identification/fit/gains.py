"""Drive gains against the masses of the robot's file: is a joint's torque recorded too large or too small?

Of every joint alone,  τ_j = c Y_j θ_file + F_j f,  the joint's friction and offset f being free. A factor c is believed
only where it explains: where, in every joint, the file's bodies times one number leave hardly more than the joint's own
least squares with all its columns. A file whose masses are wrong mostly has another shape; and where the joints of an
arm, fitted together, agree better as recorded than with the factor taken out of one, it is the masses that are off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data, Grams
from manipula.identification.estimators.normal import Normal, normal_from, solve_normal, weights_from
from manipula.identification.estimators.prior import INERTIAL
from manipula.messages import Message

Array = NDArray[np.float64]
OFF = 0.05  # drives are known to a few per cent
SURE = 5.0  # standard deviations
FAR, CLEAR = 2.0, 0.2  # times, or a part, that all joints are off; the standard deviation of such a factor, in parts
ALIKE = (1.3, 0.01)  # times what least squares leaves, and parts of the torque beside it
NOISY = 0.3  # of a joint's torque left by least squares: nothing is known of its shape
MOTOR = "motor_inertia"


@dataclass(frozen=True)
class Gain:
    """The factor of a joint with its standard deviation; is the file's shape right?"""

    factor: float
    sigma: float
    alike: bool

    @property
    def off(self) -> bool:
        return bool(self.factor > 0 and abs(self.factor - 1) > max(OFF, SURE * self.sigma))


def gain_doubts(data: Data, time: float) -> Iterator[str]:
    """Sentences; `time` is τ_int."""
    found = gains_of(data, time)
    other = _other_unit(found, len(data.rows))
    if other is not None:
        yield other
        return
    if not all(gain.alike for gain in found.values()):
        return
    for j, gain in found.items():
        if gain.off and not _agree(data, j, gain.factor, time):
            name = data.rows[j]
            yield Message(
                "{name}: its torque is {factor:.3g} times what the file's masses ask for: its drive gain (torque "
                "constant, gear ratio) may be off, or those masses; "
                'JointModel(gains={{"{name}": {gain:.3g}}}) takes it for the gain',
                name, gain.factor, 1 / gain.factor,
            )  # fmt: skip


def _other_unit(found: dict[int, Gain], joints: int) -> Message | None:
    """Torques that are far off, all in one direction: currents, N·mm, torques of motors; or a file of other masses."""
    sure = [gain.factor for gain in found.values() if gain.sigma < CLEAR * gain.factor]
    if 2 * len(sure) <= joints or not (min(sure) > FAR or max(sure) < 1 / FAR):
        return None
    usual = float(np.median(sure))
    every = [f"{1 / factor:.2g}" for factor in sure] if len(sure) == joints else []
    return Message(
        "torques are {factor:.2g} times what the masses of the robot's file ask for (by joint {least:.2g} to "
        "{most:.2g} times): are they in N·m (N), of the joints and not of motors? If those masses are right, "
        "scale={{'tau': {scale}}} brings them near",
        usual, min(sure), max(sure), f"[{', '.join(every)}]" if every else f"{1 / usual:.2g}",
    )  # fmt: skip


def gains_of(data: Data, time: float) -> dict[int, Gain]:
    """Of the joints that move and feel bodies whose numbers the file has; none where gains are fitted themselves."""
    if any(column.family == "gain" for column in data.columns):
        return {}
    found = {j: _gain(data, j, time) for j in range(data.robot.dof)}
    return {j: gain for j, gain in found.items() if gain is not None}


def _gain(data: Data, j: int, time: float) -> Gain | None:
    """With the motor's inertia of the file if that explains, too; it is free else."""
    gram, rows = data.fit.gram[:, j].sum(0), int(data.fit.rows[:, j].sum())
    felt = np.diag(gram)[:-1] > 0
    free = solve_normal(_normal(gram, rows))
    left = max(_normal(gram, rows).cost(free.theta), 0.0)
    if rows <= 2 * free.rank or left > NOISY**2 * gram[-1, -1]:
        return None
    enough = (ALIKE[0] * np.sqrt(left) + ALIKE[1] * np.sqrt(gram[-1, -1])) ** 2
    tried = [_against(data, gram, rows, felt, families, time, enough) for families in ((INERTIAL, MOTOR), (INERTIAL,))]
    return next((gain for gain in tried if gain is not None and gain.alike), tried[-1])


def _against(
    data: Data, gram: Array, rows: int, felt: NDArray[np.bool_], families: tuple[str, ...], time: float, enough: float
) -> Gain | None:
    """The factor of the file's columns of these families; None where it lacks a number, or they make no torque."""
    of_file = felt & np.array([column.family in families for column in data.columns])
    if not np.isfinite(data.file_values[of_file]).all():
        return None
    whole = np.zeros(len(felt))
    whole[of_file] = data.file_values[of_file]
    T = np.zeros((len(felt) + 1, 2 + int((felt & ~of_file).sum())))
    T[:-1, 0], T[-1, -1] = whole, 1.0
    T[np.flatnonzero(felt & ~of_file), np.arange(1, T.shape[1] - 1)] = 1.0
    normal = _normal(T.T @ gram @ T, rows)
    found = solve_normal(normal)
    if not found.seen[0, 0] > 1 - 1e-9:
        return None
    left = max(normal.cost(found.theta), 0.0)
    sigma = np.sqrt(time * left / rows * found.inverse[0, 0])
    return Gain(float(found.theta[0]), float(sigma), left <= enough)


def _agree(data: Data, j: int, factor: float, time: float) -> bool:
    """Do the masses that the joints ask for agree as recorded, and no longer when a joint's torque is divided by the
    factor? Where no other joint feels the same bodies neither is better."""
    grams = data.fit
    weights = weights_from(
        grams, solve_normal(normal_from(grams, weights_from(grams, np.zeros(len(data.columns))))).theta
    )
    other, theirs = grams.gram.copy(), weights.copy()
    other[:, j, -1, :] /= factor
    other[:, j, :, -1] /= factor
    theirs[j] *= factor**2  # noise is divided, too
    as_recorded, changed = (
        _left(x) for x in (normal_from(grams, weights), normal_from(Grams(other, grams.rows), theirs))
    )
    return changed - as_recorded > SURE**2 * time


def _left(normal: Normal) -> float:
    return max(normal.cost(solve_normal(normal).theta), 0.0)


def _normal(gram: Array, rows: int) -> Normal:
    return Normal(gram[:-1, :-1], gram[:-1, -1], float(gram[-1, -1]), rows)
