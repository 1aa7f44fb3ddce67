"""Verbs about recordings: what they tell of a robot."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from manipula.api.robot_verbs import loaded

if TYPE_CHECKING:
    from manipula.identification.fitting.found import Found
    from manipula.identification.joint_model import JointModel
    from manipula.robot import Robot
    from manipula.simulation.records.logs import Log


def identify(
    robot: Robot | str,
    logs: Log | Iterable[Log],
    *,
    validate: Log | Iterable[Log] = (),
    model: JointModel | str = "auto",
    prior: str | None = "robot",
    method: str = "entropic",
    filter: float | str | None = "auto",
    tell: Callable[[str], None] = lambda text: None,
) -> Found:
    """A robot's inertia, motor inertia and friction from recordings of it: positions and torques along time.

    `model` says which columns the torque is made of, `JointModel(…)`; "auto" starts from inertia, motor inertia,
    viscous and Coulomb friction and offsets, and takes more families where cross-validation asks for them. `prior` is
    what is believed before: the bodies of the robot's file where they could exist ("robot"), equal balls ("spheres"),
    or nothing (None). `method`: "entropic" (least squares under that prior; every body possible), "wls", "ols", "irls",
    "ridge", "tls", "lmi", "log_cholesky". `filter` is a cut-off in Hz for positions, torques and columns alike, "auto":
    where the motion's spectrum meets its noise, or None. The logs in `validate` are not touched before the fit ends.

    >>> import numpy as np
    >>> from manipula import Arm, Log, load
    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    >>> t = np.arange(0, 6, 0.01)[:, None]
    >>> k = np.array([2.0, 3.1])
    >>> q = np.sin(k * t)
    >>> log = Log(t[:, 0], q, Arm(arm).inverse_dynamics(q, k * np.cos(k * t), -k * k * q))
    >>> found = identify(arm, log)
    >>> found.consistent, found.error(log) < 2
    (True, True)
    """
    from manipula.identification.fitting.identifying import identified

    return identified(loaded(robot), logs, validate, model, prior, method, filter, tell)
