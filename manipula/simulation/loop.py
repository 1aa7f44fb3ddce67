"""A reference, a law, the arm it drives and an integrator as one proved function of one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import floor, inf, log10
from numbers import Real
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.generation.compose import generate_block
from manipula.generation.prepare import Request, prepare
from manipula.generation.results.system import Law, System
from manipula.generation.settings import Settings, refuse_impossible, refuse_time, settings_from
from manipula.mechanics.models.control.laws import law_block, law_named
from manipula.mechanics.models.control.user_law import RobotLaw, UserLaw
from manipula.mechanics.models.entry import Block, about
from manipula.mechanics.models.integrate.driven_arm import UNITS, drive_block, sensor_block
from manipula.mechanics.models.integrate.elastic import at_motors
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import refuse_moving
from manipula.messages import Message
from manipula.parameters.base import base_parameters_of
from manipula.simulation.plant import Plant, arm_function, stepping_of
from manipula.support.progress import Tell, silent
from manipula.support.text import plain
from manipula.trajectories.trajectory import Trajectory

# Sensors between an arm and its law: noise, the steps of an encoder, samples of delay.

LONGEST = 64  # samples of delay: each is a state of its own


@dataclass(frozen=True)
class Sensors:
    """What a law sees of an arm. A number is for all joints, several are one for each.

    `noise`: standard deviations of positions and velocities, `dict(q=1e-5, qd=1e-3)`. `resolution`: positions are whole
    steps of it. `delay`: samples between the arm and what is seen. The noise is drawn in every step from the seed and
    the number of the rollout, so a rollout has the same one alone and in a batch, in Python and in C.
    """

    noise: Mapping[str, object] = field(default_factory=dict)
    resolution: object = None
    delay: int = 0

    def as_dict(self) -> dict[str, object]:
        found: dict[str, object] = plain({"noise": self.noise, "resolution": self.resolution, "delay": self.delay})
        return found

    def __post_init__(self) -> None:
        if not isinstance(self.noise, Mapping):
            raise InputError(
                "sensors: noise: expected standard deviations by name, q and qd, found {noise!r:.60}", self.noise
            )
        for name, sigma in self.noise.items():
            if name not in UNITS:
                raise UnknownNameError("measured quantity", str(name), UNITS)
            _refuse_unless(sigma, Message("noise of {name}", name), Message("at least 0"), least=0.0)
        if self.resolution is not None:
            _refuse_unless(self.resolution, "resolution", Message("more than 0"), least=np.nextafter(0, 1))
        if isinstance(self.delay, bool) or not isinstance(self.delay, int) or not 0 <= self.delay <= LONGEST:
            raise InputError(
                "sensors: delay: expected whole samples, 0 to {longest}, found {delay!r:.60}", LONGEST, self.delay
            )

    @property
    def block(self) -> Block:
        return sensor_block([name for name in UNITS if name in self.noise], self.resolution is not None, self.delay)

    @property
    def settings(self) -> dict[str, object]:
        """Of the block."""
        found = {f"{name}_sigma": _plain(sigma) for name, sigma in self.noise.items()}
        return found | ({} if self.resolution is None else {"resolution": _plain(self.resolution)})


def _refuse_unless(value: Any, what: str, wanted: str, *, least: float) -> None:
    found = [value] if isinstance(value, Real) else value
    fine = isinstance(found, list | tuple | np.ndarray) and len(found) > 0
    if not fine or not all(isinstance(x, Real) and least <= float(x) < inf for x in found):
        raise InputError(
            "sensors: {what}: expected numbers, {wanted}, one for all joints or one for each: {value!r:.60}",
            what,
            wanted,
            value,
        )


def _plain(value: Any) -> object:
    return value if isinstance(value, Real) else tuple(map(float, value))


STEP = 1e-3  # s, of an arm alone, where nobody says another


def loop_system(
    arm: Plant | RobotDescription,
    law: Law | None,
    ref: Trajectory | None = None,
    *,
    method: str = "rk4",
    step: float | None = None,
    symbolic: Symbolic = "auto",
    optimise: str = "fast",
    wrench: bool = False,
    sensors: Sensors | None = None,
    hold: Mapping[str, object] | None = None,
    tell: Tell = silent,
) -> System:
    """Built, optimised as one and proved call by call; without a law it is the arm under torques that are held."""
    robot = arm.robot if isinstance(arm, Plant) else arm
    level = {"quaternion": (1.0, 0.0, 0.0, 0.0)} if robot.moving else {}
    if law is None:
        _refuse_followers(ref, sensors)
        sample = _own_step(step)
        request = Request(robot, "arm", symbolic=symbolic, optimise=optimise)
        function = arm_function(arm, method, symbolic, optimise, wrench=wrench, hold=hold, tell=tell)
        settings = {"sample": (sample,), **_pull(hold, sample)}
        return System(request.describe(function), request, settings=settings, sample=sample, initial=level)
    if not isinstance(law, Law):
        found = law.name if isinstance(law, UserLaw) else repr(law)[:60]
        raise InputError("law: expected what mp.controller makes, or None for the arm alone, found {found}", found)
    if _block(law).calls:
        refuse_moving(robot, str(law.law))
    sample = _sample(law, step)
    _refuse_unfit(law, ref, sensors)
    _refuse_strangers(robot, law, ref)
    formula, held = _formula(law), law.sample is not None
    motion, make, asked, others = stepping_of(arm, method, symbolic, optimise, wrench=wrench, hold=hold)
    seen = None if sensors is None else sensors.block
    block = drive_block(
        _motor_side(formula, motion) if seen is None else formula,
        make(motion) if held else motion,
        None if ref is None else ref.block,
        make,
        None if seen is None else _motor_side(seen, motion),
        1 if law.sample is None else whole_steps(str(law.law), law.sample, sample),
    )
    function = generate_block(block, asked, tell, {**others, "law": prepare(law.request)})
    more = {} if sensors is None else sensors.settings
    known = {**law.settings, **({} if ref is None else ref.settings), **more, **_pull(hold, sample), "sample": sample}
    settings = settings_from(function, known)
    refuse_impossible(function.name, [x for x in block.inputs if ref is None or x.name not in ref.settings], settings)
    request = replace(asked.request, robot=robot)  # with the friction that its step computes apart
    described = request.describe(function)
    return System(described, request, settings=settings, sample=sample, initial={**level, **law.initial})


STEPS_OF_DRIFT = 20  # in which what pulls held frames back makes their drift e times smaller


def _pull(hold: Mapping[str, object] | None, step: float) -> dict[str, tuple[float, float]]:
    """kp = 1/T², kd = 2/T: no overshoot, and slow beside a step"""
    rate = 1 / (STEPS_OF_DRIFT * step)
    return {} if hold is None else {"baumgarte": (rate * rate, 2 * rate)}


def _motor_side(who: Block, arm: Block) -> Block:
    """Where joints are elastic, laws and sensors see the motors."""
    return at_motors(who) if "motor" in arm.states else who


def _formula(law: Law) -> Block:
    return about("law", _block(law))


def _block(law: Law) -> Block:
    return law_block(law.law, sampled=law.sample is not None, options=law.options)


def _refuse_followers(ref: Trajectory | None, sensors: Sensors | None) -> None:
    """Nobody drives an arm alone, so nobody follows or sees."""
    for name, given in (("ref", ref), ("sensors", sensors)):
        if given is not None:
            raise InputError("{name}: an arm alone is driven by the torques it is given; {name}= needs a law", name)


def _refuse_unfit(law: Law, ref: Trajectory | None, sensors: Sensors | None) -> None:
    """What is no reference, or what this law cannot see by."""
    if ref is not None and not hasattr(ref, "block"):
        raise InputError("ref: expected a trajectory, as mp.trajectory.quintic(…) makes one, found {ref!r:.60}", ref)
    if sensors is not None and not isinstance(sensors, Sensors):
        raise InputError("sensors: expected mp.Sensors(noise=…, resolution=…, delay=…), found {sensors!r:.60}", sensors)
    if sensors is not None and sensors.delay and law.sample is None:
        raise InputError("sensors: delay counts samples; a law in continuous time (sample=None) has no samples")


def _own_step(step: float | None) -> float:
    refuse_time("step", step)
    return STEP if step is None else float(step)


def _sample(law: Law, step: float | None) -> float:
    """The time of a step: that of the law, unless it is said."""
    refuse_time("step", step)
    found = law.sample if step is None else step
    if found is None:
        raise InputError("{law}: step= is needed for a law in continuous time: the time of a step in seconds", law.law)
    return float(found)


def whole_steps(law: str, sample: float, step: float) -> int:
    """How many steps a sample of the law takes."""
    count = round(sample / step)
    if count < 1 or abs(count * step - sample) > 1e-9 * sample:
        raise InputError(
            "{law}: its sample time of {sample:g} s is no whole multiple of step={step:g} s", law, sample, step
        )
    return count


def _refuse_strangers(arm: RobotDescription, law: Law, ref: Trajectory | None) -> None:
    joints = law.request.robot.dof
    outputs = _block(law).outputs
    if "tau" not in outputs:
        raise InputError("{law}: gives {outputs} and no torque, so it drives no arm", law.law, ", ".join(outputs))
    if arm.dof != joints:
        raise InputError("{name}: drives {dof} joints; {name2} has {dof2}", law.law, joints, arm.name, arm.dof)
    if ref is not None and ref.dof != joints:
        raise InputError("{law}: drives {dof} joints; the reference has {dof2}", law.law, joints, ref.dof)
    if ref is not None and ref.block is None:
        raise InputError(
            "the reference is no formula of the time: leave it out, and give the loop its samples along time"
        )


# What a law knows of its robot before it has moved: the states it starts from where nobody says others, and the bounds
# that these lie in.

Start = Mapping[str, tuple[float, ...]]  # state → its entries


def first_states(kinds: Sequence[PortKind], robot: RobotDescription) -> Start:
    """Estimates of the base parameters begin with those of the robot, where each has a value; all else begins at 0."""
    estimates = [kind.name for kind in kinds if kind.role == "state" and kind.size == "base"]
    values = list(base_parameters_of(robot).by_name.values()) if estimates else []
    known = tuple(float(x) for x in values if x is not None)
    return dict.fromkeys(estimates, known) if len(known) == len(values) else {}


def refuse_bounds(name: str, settings: Settings, initial: Start) -> None:
    """Estimates begin within their bounds, and a lower one is not above its upper one."""
    for low in [x for x in settings if x.startswith("lower")]:
        state = low.removeprefix("lower").removeprefix("_") or "theta"
        rows = zip(settings[low], settings[low.replace("lower", "upper")], strict=True)
        begun = initial.get(state, (0.0,) * len(settings[low]))
        for i, ((lower, upper), value) in enumerate(zip(rows, begun, strict=True), start=1):
            if not lower <= upper:
                raise InputError(
                    "{name}: {low}: entry {i} is {lower:g}, above its upper bound {upper:g}", name, low, i, lower, upper
                )
            if not lower <= value <= upper:
                raise InputError(
                    "{name}: entry {i} of {removeprefix} begins at {value:g}, outside its bounds {lower:g} … {upper:g}",
                    name,
                    i,
                    state,
                    value,
                    lower,
                    upper,
                )


# Gains that cannot hold an arm: sampled and late, a law that is stable in continuous time may throw it about.
#
# A law that makes the error of each joint linear leaves a double integrator, whose acceleration is held over the
# sample:
#
#     e⁺ = e + h ė + h²/2 a,    ė⁺ = ė + h a,    I⁺ = I + h ki e,    a_k = −(kp e + kd ė + I)_{k−d}
#
# Its largest eigenvalue says whether errors die out. Source: Åström, Wittenmark, "Computer-Controlled Systems", 3rd
# ed. (1997), chapter 2 (sampling a system with a delay; the double integrator).

BISECTIONS = 60
SHORTEST = 1e-6  # of the sample requested: what is not stable then is not for want of samples


def refuse_unstable(
    name: str,
    law: str | RobotLaw,
    joints: Sequence[str],
    settings: Settings,
    sample: float | None,
    options: Mapping[str, Any],
) -> None:
    """Raises where the errors of a joint would grow from step to step; of laws alone whose errors are linear."""
    gains = None if isinstance(law, RobotLaw) else law_named(law).error
    delay = int(options.get("delay", 0))
    if gains is None or sample is None:
        return
    for i, joint in enumerate(joints):
        own = {port: values[i] for port, values in settings.items() if len(values) == len(joints)}
        found = gains(own)
        if spectral_radius(*found, sample, delay) >= 1:
            told = ", ".join(f"{port} = {own[port]:g}" for port in ("kp", "ki", "kd", "lam", "gain") if port in own)
            late = Message(" and a delay of {delay}", delay) if delay else ""
            raise InputError(
                "{name}: joint {joint!r}: {told} is unstable at a sample of {sample:g} s{late}; {remedy}",
                name,
                joint,
                told,
                sample,
                late,
                _remedy(found, sample, delay),
            )


def spectral_radius(ki: float, kp: float, kd: float, sample: float, delay: int = 0) -> float:
    """The factor by which the error of a joint grows in a step, in the long run; 0 where nothing is fed back.

    What no gain looks at is no state: a law without kp may leave the position where it is.
    """
    if not any((ki, kp, kd)):
        return 0.0
    h, weights = sample, {"v": kd, **({"e": kp} if kp or ki else {}), **({"i": 1.0} if ki else {})}
    row = {name: k for k, name in enumerate([*weights, *range(delay)])}
    unit = np.eye(len(row))
    A = np.diag([float(name in weights) for name in row])
    # a = −(kp e + kd ė + I), or the one that has waited longest
    asked = -sum(weight * unit[row[name]] for name, weight in weights.items())
    line = [unit[row[k]] for k in range(delay)] + [asked]
    for k in range(delay):
        A[row[k]] = line[k + 1]
    # e⁺ = e + h ė + h²/2 a,  ė⁺ = ė + h a,  I⁺ = I + h ki e
    A[row["v"]] += h * line[0]
    if "e" in row:
        A[row["e"]] += h * unit[row["v"]] + h * h / 2 * line[0]
    if "i" in row:
        A[row["i"]] += h * ki * unit[row["e"]]
    return float(np.abs(np.linalg.eigvals(A)).max())


def _remedy(gains: tuple[float, float, float], sample: float, delay: int) -> str:
    short, long = sample * SHORTEST, sample
    if spectral_radius(*gains, short, delay) >= 1:
        return Message("no sample is short enough for these gains: more kd is needed")
    for _ in range(BISECTIONS):
        middle = (short * long) ** 0.5
        short, long = (middle, long) if spectral_radius(*gains, middle, delay) < 1 else (short, middle)
    digit = 10 ** (floor(log10(short)) - 1)
    return Message("samples of at most {floor:.2g} s hold it, or smaller gains", floor(short / digit) * digit)
