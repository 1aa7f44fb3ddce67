"""Recorded numbers into those of the joints: t ← p t, q ← Q q + q0, τ(t) ← T τ(t + delay). From a file of motors, or to
undo a slip of a log.

Motors turn with  q_m = G (K q) + q_0,  G the gear ratios and K the coupling of the wrist; virtual work gives the joints
τ = (G K)ᵀ τ_m, and a motor gives its torque constant times its current.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.recordings.log import Log

Array = NDArray[np.float64]
WORDS = ("gear_ratio", "coupling", "zero_offset", "torque_constant", "angle")
ANGLES = {"rad": 1.0, "deg": np.pi / 180}


@dataclass(frozen=True, eq=False)
class Conversion:
    """Of all joints at once; `apply` changes every position, velocity, acceleration and torque of a log."""

    Q: Array
    q0: Array
    T: Array
    delay: float = 0.0  # s: torques were recorded so much later than positions
    pace: float = 1.0  # s for each recorded one

    @classmethod
    def identity(cls, joints: int) -> Conversion:
        return cls(np.eye(joints), np.zeros(joints), np.eye(joints))

    @property
    def is_identity(self) -> bool:
        one = np.eye(len(self.q0))
        same = (one == self.Q).all() and (one == self.T).all() and not self.q0.any()
        return bool(same and not self.delay and self.pace == 1)

    def then(self, after: Conversion) -> Conversion:
        """This one first, the other behind it."""
        return Conversion(
            after.Q @ self.Q, after.Q @ self.q0 + after.q0, after.T @ self.T,
            after.pace * self.delay + after.delay, after.pace * self.pace,
        )  # fmt: skip

    def apply(self, log: Log) -> Log:
        if self.is_identity:
            return log
        if log.dof != len(self.q0):
            raise InputError(
                "motors: are {count}, and the recording has {dof} joints", len(self.q0), log.dof
            )  # fmt: skip
        changed: dict[str, Any] = {}
        for name in ("q", "qd", "qdd", "q_ref", "qd_ref", "qdd_ref"):
            if (given := getattr(log, name)) is not None:
                order = name.removesuffix("_ref").count("d")  # of the derivative
                changed[name] = given @ self.Q.T / self.pace**order + (0.0 if order else self.q0)
        tau = None if log.tau is None else log.tau @ self.T.T
        mixed = np.count_nonzero(self.T, axis=1).max() > 1  # a joint's limit is then the limit of no motor
        found = replace(log, t=self.pace * log.t, tau=tau, effort_limits=() if mixed else log.effort_limits, **changed)
        return shift_torques(found, self.delay) if self.delay and tau is not None else found

    def apply_within(self, log: Log) -> Log:
        """The same, without the times whose torques were not recorded."""
        found = self.apply(log)
        late, early = max(self.delay, 0.0), max(-self.delay, 0.0)
        return found.between(found.t[0] + early, found.t[-1] - late) if self.delay else found


def shift_torques(log: Log, seconds: float) -> Log:
    """The log with the torques of so much later."""
    assert log.tau is not None
    return replace(log, tau=np.stack([np.interp(log.t + seconds, log.t, x) for x in log.tau.T], axis=1))


def read_motors(path: str | Path, joints: int) -> Conversion:
    """A TOML file with, of every motor, `gear_ratio` (turns of the motor for one of the joint), `zero_offset` (its
    angle where the joint is at zero), `torque_constant` (N·m for a unit of what was recorded: 1 of torques, N·m/A of
    currents), and the matrix `coupling`, row by motor: [0, 1, 1] is a motor that turns with joints 2 and 3."""
    given = _table(Path(path))
    for word in given:
        if word not in WORDS:
            raise UnknownNameError("entry of a file of motors", word, WORDS)
    gear = _row(path, given, "gear_ratio", joints, 1.0)
    if not gear.all():
        raise InputError("{path}: gear_ratio: expected numbers other than 0", path)
    K = _matrix(path, given, joints)
    turn = gear[:, None] * K
    angle = given.get("angle", "rad")
    if angle not in ANGLES:
        raise InputError('{path}: angle: expected "rad" or "deg", found {angle!r:.60}', path, angle)
    back = np.asarray(np.linalg.inv(turn), float)
    offset = ANGLES[angle] * _row(path, given, "zero_offset", joints, 0.0)
    constant = _row(path, given, "torque_constant", joints, 1.0)
    return Conversion(back, -back @ offset, turn.T * constant)


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("{path}: cannot be read: {reason}", path, error.strerror or error) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("{path}: is not a TOML file: {error}", path, error) from error


def _row(path: str | Path, given: dict[str, Any], word: str, joints: int, usual: float) -> Array:
    value = given.get(word, usual)
    numbers = [value] * joints if _is_number(value) else value
    if not isinstance(numbers, Iterable) or isinstance(numbers, str) or not all(map(_is_number, numbers)):
        raise InputError("{path}: {word}: expected numbers, found {value!r:.60}", path, word, value)
    found = np.array(list(numbers), float)
    if len(found) != joints:
        raise InputError("{path}: {word}: expected {joints} numbers, found {count}", path, word, joints, len(found))
    return found


def _matrix(path: str | Path, given: dict[str, Any], joints: int) -> Array:
    rows = given.get("coupling", np.eye(joints).tolist())
    try:
        K = np.array(rows, float)
    except (TypeError, ValueError):
        K = np.zeros((0, 0))
    if K.shape != (joints, joints) or not np.isfinite(K).all():
        raise InputError("{path}: coupling: expected {joints} rows of {joints} numbers", path, joints)
    if abs(np.linalg.det(K)) < 1e-9:
        raise InputError("{path}: coupling: the rows are dependent: no joint angles follow from the motors'", path)
    return K


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))
