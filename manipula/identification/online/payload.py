"""`PayloadEstimator`: what an arm holds in its tool, learnt while it moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from manipula.algebra.expr.function import Function
from manipula.errors import InputError, UnsetError, caution, some_of
from manipula.generation.settings import refuse_time
from manipula.identification.columns import COUPLING, INERTIAL, Column, number_of
from manipula.identification.filters import Filter, Smoother, cutoff_for, motion_of
from manipula.identification.fit.result import Found
from manipula.identification.fit.to_robot import Terms, in_file, links_of, robot_with
from manipula.identification.joint_model import JointModel
from manipula.identification.online.estimator import OnlineEstimator
from manipula.identification.torque_columns import Columns
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.estimation.spread import ALONE, DRIVES, LEFT_OUT, least_squares_with_spread
from manipula.mechanics.models.estimation.unknowns import CENTRE, checked_columns, load_unknowns
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import seen_at
from manipula.mechanics.spatial.floats import FloatMaths
from manipula.messages import Message
from manipula.recordings.log import Log
from manipula.robot import RobotLike, as_robot
from manipula.scalar import Maths
from manipula.simulation.exact.mechanism import frictionless, motorless
from manipula.support.text import plain

# An arm as an estimator knows it: its robot, and torques that a robot's own equations cannot hold beside it.
#
# These are the terms of a fit for which a robot file has no word, and friction that follows the load, in which torques
# are not linear. Without accelerations what a joint bears is not known: terms that need it, or accelerations, are left
# out with a warning; a robot whose friction follows the load is refused.

Array = NDArray[np.float64]
STOPS_BEGUN = PortKind(
    "stops_begun", "1", "0 before the first sample of stop operators, then 1", ("stops_begun",), "state"
)


class ExtraTorque:
    """Terms as an estimator takes them; stop operators begin relaxed where the first sample is."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    @property
    def depends_on_load(self) -> bool:
        return any(column.loaded for column in self.terms.columns)

    @property
    def ports(self) -> tuple[PortKind, ...]:
        return (*self.terms.ports, STOPS_BEGUN) if self.terms.ports else ()

    def torque(self, maths: Maths[Any], x: Given, load: Sequence[Any] | None) -> list[Any]:
        return self.terms.torque(maths, x, self._stops(maths, x), load)

    def after(self, maths: Maths[Any], x: Given) -> dict[str, Any]:
        return {**self.terms.after(x, self._stops(maths, x)), "stops_begun_next": [1]} if self.ports else {}

    def _stops(self, maths: Maths[Any], x: Given) -> Any:
        begun = {port.name: x["q"] if port.name == "q_before" else [0] * len(x["q"]) for port in self.terms.ports}
        before = {
            name: [maths.select(x[STOPS_BEGUN.name][0], kept, first) for kept, first in zip(x[name], row, strict=True)]
            for name, row in begun.items()
        }
        return self.terms.stops(maths, {**x, **before})


@dataclass(frozen=True)
class ArmWithExtra:
    """`links`, without motors and friction, are there where what the joints bear is asked for."""

    robot: RobotDescription
    extra: ExtraTorque | None = None
    links: RobotDescription | None = None


def arm_with_extra(given: RobotLike | Found, accelerations: bool) -> ArmWithExtra:
    """The arm that a robot or a fit stands for."""
    return _of_fit(given, accelerations) if isinstance(given, Found) else _of_robot(as_robot(given), accelerations)


def _of_fit(found: Found, accelerations: bool) -> ArmWithExtra:
    source, columns, theta = found.data.source.columns, found.columns, found.theta
    own = np.array([said and not _follows(c) for c, said in zip(columns, in_file(columns))])
    usable = np.array([accelerations or not (c.loaded or c.family == COUPLING) for c in columns])
    if lost := [c.name for c, held, used in zip(columns, own, usable) if not held and not used]:
        caution(
            "PayloadEstimator leaves out {some_of} of the fit, which need accelerations: give no sample=", some_of(lost)
        )
    robot = robot_with(source, [c for c, held in zip(columns, own) if held], theta[own])
    rest = ~own & usable
    terms = Terms(source, [c for c, more in zip(columns, rest) if more], theta[rest])
    return _arm_with_extra(robot, terms, links_of(source, columns, theta))


def _of_robot(robot: RobotDescription, accelerations: bool) -> ArmWithExtra:
    laws = dict.fromkeys(law.key for joint in robot.joints for law in joint.actuator.laws if law.loaded)
    if not laws or not accelerations or robot.coordinates.followers or None in free_parameters(robot).values():
        return ArmWithExtra(robot)  # what is missing is named where its model is made
    source = Columns(robot, JointModel(motor_inertia=False, friction=tuple(laws), offset=False))
    columns, values = [c for c in source.columns if c.family != INERTIAL], dict(robot.values)
    theta = np.array([_in_file(source, column, values) for column in columns])
    kept = ([law for law in joint.actuator.laws if not law.loaded] for joint in robot.joints)
    joints = (replace(x, actuator=replace(x.actuator, laws=tuple(own))) for x, own in zip(robot.joints, kept))
    bare = replace(robot, joints=tuple(joints))
    return _arm_with_extra(bare, Terms(source, columns, theta), motorless(frictionless(robot)))


def _in_file(source: Columns, column: Column, values: Any) -> float:
    assert column.joint is not None
    named = source.joints[column.joint].actuator.parameters_by_letter()
    return sum(number_of(named[x].parameter, values) for x in column.words if x in named)


def _arm_with_extra(robot: RobotDescription, terms: Terms, links: RobotDescription) -> ArmWithExtra:
    extra = ExtraTorque(terms) if terms.columns else None
    return ArmWithExtra(robot, extra, links if extra is not None and extra.depends_on_load else None)


def _follows(column: Column) -> bool:
    """Friction that a robot file can say, and that follows the load."""
    return column.loaded and bool(column.words)


# What the model of the arm is wrong by. Errors of drives and of friction differ from joint to joint: the estimates with
# the torques of one joint left out scatter as these errors do (the jackknife, B. Efron, "The Jackknife, the Bootstrap
# and Other Resampling Plans", 1982, chapter 3). They are made beside the estimate, as the same step with another noise.
# Where few joints feel the load they may agree by chance: no drive is known better than to `DRIVES`.

OFF = 0.05  # of the mass: a joint that moves it by so much is named
SURE = 5.0  # standard deviations of the noise


@dataclass(frozen=True)
class JointInfluence:
    """What a joint does to the estimates: `without` are those that leave its torque out, `share` how much of what is
    known comes from it."""

    joint: str
    without: Array
    share: Array


def model_variance(theta: Array, found: Sequence[JointInfluence]) -> Array:
    """Of every estimate."""
    usable = np.array([x.share < 1 - 1 / ALONE for x in found])
    moved = np.array([x.without - theta for x in found]) * usable
    joints = np.maximum(usable.sum(0), 2)
    scattered = (joints - 1) / joints * (moved**2).sum(0)
    shares = np.array([x.share for x in found])
    whole = np.maximum(shares.sum(0), 1e-300)
    return np.asarray(np.maximum(scattered, (DRIVES * theta) ** 2 * ((shares / whole) ** 2).sum(0)), float)


LENGTH = 0.5  # m: how far from the tool's origin the centre of mass of a load may be at first


class PayloadEstimator(OnlineEstimator):
    """The mass and centre of mass of what the arm holds, by recursive least squares: `update(q, qd, qdd, tau)`.

    What the arm itself needs, by the robot's own parameters, is taken off the torques; of what `identify` found all is,
    the terms that no robot file can say too. With `sample`, the seconds
    between updates, no accelerations are needed (qdd=None): the equations go through a low-pass of time constant
    `filter`. Without it accelerations are given. `columns` are those of a body to learn, of Kxx Kxy Kxz Kyy Kyz Kzz mx
    my mz m; `frame` the frame they are about, the tool's unless named. `forgetting` below 1 follows loads that change.
    `sigma` is how far from 0 each may be, from the arm's own mass unless given; `noise` is that of a joint's torque.

    `weigh.sigma` counts noise, how long residuals remember themselves, and the model's own error, by the estimates that
    leave one joint out (`weigh.joints`); `weigh.interval` is the half-width of 95 %. A recording without accelerations
    is filtered, as `identify` does.

    >>> import manipula as mp
    >>> arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    >>> held, weigh = arm.with_payload(1.5), mp.PayloadEstimator(arm, columns=("mx", "my", "m"))
    >>> torque = mp.Arm(held).inverse_dynamics
    >>> for q in ([0.1, 0.2], [0.5, -1.0], [1.0, 1.5], [-0.7, 0.3]):
    ...     weigh.update(q, [0, 0], [0, 0], torque(q, [0, 0], [0, 0]))
    >>> round(weigh.mass, 2)
    1.5
    """

    def __init__(
        self,
        robot: RobotLike | Found,
        frame: str = "",
        columns: Sequence[str] = CENTRE,
        forgetting: float = 1.0,
        sample: float | None = None,
        *,
        filter: float = 0.05,
        sigma: float | Sequence[float] | None = None,
        noise: float | Sequence[float] = 1.0,
        guard: float = 1.0,
        smoothing: float = 0.01,
    ) -> None:
        refuse_time("sample", sample)
        self.columns, self.sample = checked_columns(columns), sample
        whole = arm_with_extra(robot, accelerations=sample is None)
        held = seen_at(whole.robot, frame) if frame else whole.robot
        given: dict[str, Any] = {"forgetting": forgetting, "guard": guard, "noise": noise, "smoothing": smoothing}
        usual = first_sigmas(whole.robot, self.columns)
        given["sigma"] = usual if sigma is None else sigma
        given |= {} if sample is None else {"sample": sample, "filter": filter}
        unknowns = load_unknowns(self.columns, accelerations=sample is None, extra=whole.extra)
        self._filter: Filter = robot.asked_filter if isinstance(robot, Found) else "auto"
        self._make(held, unknowns, "least_squares", given, whole.links)

    def reset(self) -> None:
        """Forget everything that was learnt."""
        super().reset()
        self._without = [self._state] * self.robot.dof
        self._without_variance = [self._variance] * self.robot.dof

    def _settings_without(self, joint: int, own: Mapping[str, Any]) -> dict[str, Any]:
        name = next(x for x in self.function.inputs if x.name == "noise").names[joint]
        return {**own, name: LEFT_OUT * own[name]}

    def _learn(self, given: Mapping[str, object]) -> None:
        values = [self._row(name, given[name]) for name in self._variables]
        for j, state in enumerate(self._without):
            stepped = self._code.step(state, *values, p=self._settings_without(j, self._set))
            self._without[j], self._without_variance[j] = stepped.state, np.array(stepped.outputs.variance)
        super()._learn(given)

    def update(self, q: object, qd: object, qdd: object = None, tau: object = None) -> None:
        """Learn from one sample."""
        if self.sample is not None and qdd is not None:
            raise InputError("qdd: expected None, for sample= was given; without sample= accelerations are used")
        self._learn({"q": q, "qd": qd, "qdd": qdd, "tau": tau})

    def run(self, log: Log) -> Array:
        """Learn from a whole recording, in machine code; the estimates after every sample, a row each."""
        if not isinstance(log, Log) or log.tau is None or log.dof != self.robot.dof:
            found = f"{log!r:.80}" if isinstance(log, Log) else type(log).__name__
            raise InputError(
                "{name}: expected a log of its {dof} joints with torques, found {log}",
                self.robot.name,
                self.robot.dof,
                found,
            )
        return np.vstack([self._part(part) for part in log.parts()])

    def _part(self, part: Log) -> Array:
        given = {"q": part.q, "qd": part.qd, "qdd": part.qdd, "tau": part.tau}
        if part.qdd is None and self.sample is None:
            given = self._filtered(part)
        elif part.qd is None:
            given["qd"] = np.gradient(part.q, part.t, axis=0)
        rows = [np.asarray(given[name]) for name in self._variables]
        for name, row in zip(self._variables, rows, strict=True):
            if not np.isfinite(row).all():
                raise InputError(
                    "{source}: {name}: expected finite numbers, found NaN or infinity",
                    part.source or Message("log"),
                    name,
                )
        return self._many(rows, self._set if self.sample is None else self._set | {"sample": 1 / part.rate})

    def _filtered(self, part: Log) -> dict[str, Any]:
        """Rates by differences of filtered positions; torques through the same filter."""
        assert part.tau is not None
        cut = cutoff_for([part], self._filter)
        smoother = Smoother(part.rate, cut.frequency, cut.reason, cut.motion)
        motion = motion_of(part, part.tau, smoother, {})
        inside = slice(smoother.ends, len(motion) - smoother.ends if smoother.ends else None)
        rows = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd, "tau": smoother(motion.tau)}
        return {name: x[inside] if len(x) > 4 * smoother.ends else x for name, x in rows.items()}

    def _many(self, rows: Sequence[Array], own: dict[str, float]) -> Array:
        self._interrupt()
        for j, state in enumerate(self._without):
            without = self._settings_without(j, own)
            done = self._code.run(state, len(rows[0]), *rows, p=without, along=self._variables)
            self._without[j], self._without_variance[j] = done.state, np.array(np.atleast_2d(done.outputs.variance)[-1])
        done = self._code.run(self._state, len(rows[0]), *rows, p=own, along=self._variables)
        self._take(done.state, done.outputs, len(rows[0]))
        self._interrupt()
        found: Array = np.vstack([done.states.load[1:], done.state.load])
        return found

    def _interrupt(self) -> None:
        """Nobody knows what was before a recording, or how long after it the next sample comes."""
        begun = {name: np.zeros(1) for name in ("begun", STOPS_BEGUN.name) if name in self._state._fields}
        self._state = self._state._replace(**begun)
        self._without = [state._replace(**begun) for state in self._without]

    @property
    def joints(self) -> tuple[JointInfluence, ...]:
        """What every joint does to the estimates."""
        states = zip(self.robot.joint_names, self._without, self._without_variance)
        return tuple(
            JointInfluence(
                name,
                np.array(getattr(state, self._memory), float),
                np.clip(1 - self._variance / np.maximum(variance, 1e-300), 0, 1),
            )
            for name, state, variance in states
        )

    @property
    def sigma(self) -> dict[str, float]:
        """Standard deviations: by the noise of the torques, as long as residuals remember it, and by the errors of the
        arm's own model, joint by joint."""
        return {name: float(np.sqrt(a + b)) for name, (a, b) in self._variances().items()}

    @property
    def interval(self) -> dict[str, float]:
        """Half-widths of 95 %; the errors of a few joints are known by few numbers, for which Student's t is wider."""
        count, found = max(self.robot.dof - 1, 1), {}
        for name, (noise, model) in self._variances().items():
            whole = noise + model
            freedoms = count * (whole / model) ** 2 if model > 1e-12 * whole else np.inf
            found[name] = float(student.ppf(0.975, freedoms) * np.sqrt(whole)) if whole > 0 else 0.0
        return found

    def _variances(self) -> dict[str, tuple[float, float]]:
        """(noise, model) of every estimate."""
        theta = np.array(list(self.theta.values()))
        model = model_variance(theta, self.joints) if self.samples else 0 * theta
        return {name: (float(a), float(b)) for name, a, b in zip(self.names, self._variance * self._scale**2, model)}

    @property
    def is_empty(self) -> bool:
        """Is the mass zero within its interval?"""
        return bool(abs(self.mass) <= self.interval["m"])

    @property
    def doubts(self) -> tuple[Message, ...]:
        """Sentences on joints whose torques do not agree with the others about the mass."""
        if "m" not in self.columns or not self.samples:
            return ()
        place, found = self.names.index("m"), []
        least = max(OFF * abs(self.mass), SURE * self._variances()["m"][0] ** 0.5)
        for one in self.joints:
            other = float(one.without[place])
            if abs(other - self.mass) > least and one.share[place] < 1 - 1 / ALONE:
                told = Message(
                    "without the torque of {joint} the mass is {other:.4g} kg, with it {mass:.4g}: its drive gain "
                    "or its friction may be off", one.joint, other, self.mass,
                )  # fmt: skip
                found.append(told)
        return tuple(found)

    @cached_property
    def emitted_step(self) -> Function:
        """The step that `emit` writes: beside the estimates, `sigma_now` and `identifiable` (1, else 0)."""
        return self._generate(least_squares_with_spread(self._unknowns, self.robot.dof))

    def as_dict(self) -> dict[str, object]:
        """The same with mass and centre of mass, where they are among the columns."""
        weighed: dict[str, Any] = {"interval": self.interval}
        if "m" in self.columns:
            weighed |= {"mass": self.mass, "com": self.com, "empty": self.is_empty, "doubts": list(self.doubts)}
        found: dict[str, object] = plain({**super().as_dict(), **weighed})
        return found

    @property
    def mass(self) -> float:
        """kg"""
        if "m" not in self.columns:
            raise InputError("mass: is not among the columns; columns=('mx', 'my', 'mz', 'm') has it")
        return self.theta["m"]

    @property
    def com(self) -> Array:
        """The centre of mass in the frame, m; NaN where it is not learnt, and where the mass is none within its
        interval."""
        theta, mass, known = self.theta, self.mass, self.mass > 0 and not self.is_empty
        return np.array([theta[x] / mass if x in theta and known else np.nan for x in ("mx", "my", "mz")])


def first_sigmas(robot: RobotDescription, columns: Sequence[str]) -> list[float]:
    """A load as heavy as the arm, half a metre long, is nothing to be surprised at."""
    mass, size = mass_of(robot), {"K": LENGTH**2, "m": LENGTH}
    return [mass * (1.0 if name == "m" else size[name[0]]) for name in columns]


def mass_of(robot: RobotDescription) -> float:
    """Of all that moves."""
    missing = [name for name, value in free_parameters(robot).items() if value is None]
    if missing:
        raise UnsetError(Message("{name}: has no value for {some_of}", robot.name, some_of(missing)), missing)
    masses: list[Any] = [link.inertia.m for link in bind(robot, FloatMaths(), {}, "none").links]
    if not sum(masses) > 0:
        raise InputError(
            "{name}: has no masses; a payload is estimated only if the arm's own masses are known", robot.name
        )
    return float(sum(masses))
