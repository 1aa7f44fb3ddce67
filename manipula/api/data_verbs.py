"""Verbs about recordings: the motion to record, and what recordings tell of a robot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from manipula.api.robot_verbs import robot_from

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from manipula.identification.calibration.result import Calibration
    from manipula.identification.excitation.excitation import Excitation
    from manipula.identification.fit.result import Found
    from manipula.identification.joint_model import JointModel
    from manipula.recordings.log import Log
    from manipula.robot import RobotLike


def calibrate(
    robot: RobotLike,
    q: object,
    measured: object,
    *,
    kind: str = "pose",
    parameters: str | Iterable[str] = "all",
    loss: str = "linear",
    sigma: object = None,
    validate: tuple[object, object] | None = None,
) -> Calibration:
    """A robot's geometry from measurements of its tool, in the world: `q` (N, joints) and, of every row, `measured`.

    `kind` is "pose": (N, 4, 4); "points": positions of one point on the tool (N, 3), or of several (N, points, 3),
    whose places on it need not be known; "distance": (N,), from a place that stands still to a point on the tool,
    neither known. Where the world of the measurements is another than the robot's, its base is laid under them first.

    `parameters` is "all" or names some entries (`["theta2", "a2"]`) or groups: "offsets", "lengths", "angles", "base",
    "tool". Entries that are not identifiable, by any motion or by the one measured, are left as they were, and
    `dropped` says why; between parallel axes stands Hayati's angle `beta`. `loss` ("huber", "soft_l1", "cauchy") lets
    outliers count less. `sigma` is what a measurement is uncertain by, metres or (metres, radians); else it is found.
    `validate` are measurements (q, measured) kept apart to judge the result.

    >>> import numpy as np
    >>> from manipula import Arm, load
    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=1, m2=1, g=9.81)
    >>> built = arm.with_parameters(l1=0.502)
    >>> q = np.random.default_rng(1).uniform(-2, 2, (30, 2))
    >>> found = calibrate(arm, q, Arm(built).pose(q)[:, :3, 3], kind="points", parameters=["a1", "theta2"])
    >>> [f"{one.name} {one.value:.4f}" for one in found.parameters if one.name == "a1"]
    ['a1 0.5020']
    """
    from manipula.identification.calibration.fit import calibrate_robot
    from manipula.mechanics.robot.topology import refuse_moving

    refuse_moving(robot_from(robot), "calibrate")
    return calibrate_robot(robot_from(robot), q, measured, kind, parameters, loss, sigma, validate)


def read_measured(robot: RobotLike, path: str | Path) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """`q`, `measured` and `kind` from a table: a row a configuration, headed `q1 … qn`, then `x y z`, with `qw qx qy
    qz` or `roll pitch yaw` for poses, `x1 y1 z1 x2 …` for several points, or `distance`; units in brackets (`[deg]`,
    `[mm]`), else radians and metres."""
    from manipula.identification.calibration.measurements import measurements

    return measurements(robot_from(robot), path)


def excite(
    robot: RobotLike,
    *,
    seconds: float = 10.0,
    harmonics: int = 5,
    criterion: str = "logdet",
    limits: Mapping[str, Any] | None = None,
    seeds: int | Sequence[int] = 3,
    box: object = None,
    motion: str = "fourier",
    rate: float = 100.0,
    after: Found | Log | Iterable[Log] | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Excitation:
    """A motion that makes the arm's parameters visible, to be recorded and identified from: a trajectory, from rest
    to rest, with its `.condition`, to be saved for the robot.

    `criterion` is "logdet" (the smallest errors on the whole) or "condition" (no direction much worse than others).
    `motion` is "fourier", a periodic motion of so many `harmonics`, or "spline" through 2·harmonics + 1 points.
    `limits` are those of the robot's file unless given here, {"position": (low, high) or one pair a joint, "velocity":
    …, "acceleration": …, "effort": …}; 95 % of them are used, between samples too. `box` keeps the tool's origin out
    of ((x, x), (y, y), (z, z)), metres in the world; {"keep_in": …, "keep_out": …} says both. `seeds` is how many
    searches are made, or from which seeds; the best is kept. `rate` is how many rows a second `save` writes. `after`
    are recordings made before, or what `identify` found from them: the motion then shows what these show least.

    Only geometry is read, unless efforts are limited: masses need not be known.

    >>> from manipula import load
    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, g=9.81)
    >>> excite(arm, seconds=5, seeds=1).condition < 15
    True
    """
    from manipula.identification.excitation.excitation import optimise_excitation
    from manipula.identification.excitation.motions import recorded_before
    from manipula.mechanics.robot.topology import refuse_loops, refuse_moving

    refuse_moving(robot_from(robot), "excite")
    refuse_loops(robot_from(robot), "excite")

    subject = robot_from(robot)
    return optimise_excitation(
        subject, seconds=seconds, harmonics=harmonics, criterion=criterion, limits=limits, seeds=seeds, box=box,
        motion=motion, rate=rate, after=recorded_before(subject, after), tell=tell,
    )  # fmt: skip


def identify(
    robot: RobotLike,
    logs: Log | Iterable[Log],
    *,
    validate: Log | Iterable[Log] = (),
    model: JointModel | str = "auto",
    prior: str | None = "robot",
    method: str = "entropic",
    filter: float | str | None = "auto",
    tell: Callable[[str], None] = lambda text: None,
    repair: bool = False,
    coupling: Mapping[tuple[str, str], float] | None = None,
    motors: str | Path | None = None,
) -> Found:
    """A robot's inertia, motor inertia and friction from recordings of it: positions and torques along time.

    `model` says which columns the torque is made of, `JointModel(…)`; "auto" starts from inertia, motor inertia,
    viscous and Coulomb friction and offsets, and takes more families where cross-validation asks for them. `prior` is
    what is believed before: the file's bodies where they are physically consistent ("robot"), equal balls ("spheres"),
    or nothing (None). `method`: "entropic" (least squares under that prior; every body possible), "wls", "ols", "irls",
    "ridge", "tls", "lmi", "log_cholesky", "iv" (instruments along the log's `q_ref`, which encoder noise does not
    bias), "output_error" (the motion that recorded torques let the model make, in short windows, is compared with the
    recorded one; no controller need be known). `filter` is a cut-off in Hz for positions, torques and columns alike,
    "auto": chosen by how well blocks of the recording left out are predicted, or None. The logs in `validate` are not
    touched before the fit ends.

    Where much of the torque is left unexplained, slips of the recording are tried: signs, order, zeros and units of
    joints, mounting, coupled motors. The one that explains is a warning; `repair=True` undoes it, in the logs of
    `validate` too, and `found.repairs` says so. `coupling={("q5", "q6"): 1.0}` declares a motor of q6 that turns with
    q̇6 + 1.0·q̇5, beside "auto" or a JointModel. `motors` is a TOML file where positions and torques (or currents) are
    those of motors: `gear_ratio`, `coupling`, `zero_offset`, `torque_constant`.

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
    from manipula.identification.fit.identification import identify_robot

    return identify_robot(
        robot_from(robot), logs, validate, model, prior, method, filter, tell, repair=repair, coupling=coupling,
        motors=motors,
    )  # fmt: skip
