"""A reference, a law, the arm it drives and an integrator as one proved function of one step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from manipula.algebra.expr.function import Function
from manipula.errors import InputError
from manipula.generation.joining.together import generate_block
from manipula.generation.prepare import prepare
from manipula.generation.request import Request
from manipula.generation.settings import Settings, refuse_impossible, refuse_time, settings_from
from manipula.mechanics.models.block import Block, about
from manipula.mechanics.models.control.laws import law_block
from manipula.mechanics.models.drives.elastic import at_motors
from manipula.mechanics.models.integrate.driven import driven, joined
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import Robot
from manipula.simulation.loops.sensors import Sensors
from manipula.simulation.plant import Plant
from manipula.simulation.plant_step import arm_function, stepping_of
from manipula.support.progress import Tell, silent

STEP = 1e-3  # s, of an arm alone, where nobody says another


class Reference(Protocol):
    """What a loop asks of a motion to follow: a formula of the time, and the values of its settings."""

    @property
    def dof(self) -> int: ...
    @property
    def block(self) -> Block | None: ...
    @property
    def settings(self) -> Mapping[str, tuple[float, ...]]: ...


class Driving(NamedTuple):
    """A law as it is to drive an arm: its name, the robot it believes in, its gains, the time between its steps, and
    which variant of it."""

    law: str
    request: Request
    settings: Mapping[str, tuple[float, ...]]
    sample: float | None  # None: in continuous time
    options: Mapping[str, Any] = MappingProxyType({})

    @property
    def block(self) -> Block:
        """Its formula."""
        return law_block(self.law, sampled=self.sample is not None, options=self.options)


class Loop(NamedTuple):
    """The function of one step with the values of its settings."""

    function: Function
    request: Request
    settings: Settings
    sample: float


def loop_function(
    arm: Plant | Robot,
    law: Driving,
    ref: Reference | None = None,
    method: str = "rk4",
    step: float | None = None,
    symbolic: Symbolic = "auto",
    optimise: str = "fast",
    tell: Tell = silent,
    *,
    wrench: bool = False,
    sensors: Sensors | None = None,
) -> Loop:
    """Built, optimised as one and proved call by call."""
    sample = _sample(law, step)
    if ref is not None and not hasattr(ref, "block"):
        raise InputError("ref: expected a trajectory, as mp.trajectory.quintic(…) makes one, found {ref!r:.60}", ref)
    if sensors is not None and not isinstance(sensors, Sensors):
        raise InputError("sensors: expected mp.Sensors(noise=…, resolution=…, delay=…), found {sensors!r:.60}", sensors)
    if sensors is not None and sensors.delay and law.sample is None:
        raise InputError("sensors: delay counts samples; a law in continuous time (sample=None) has none")
    _refuse_strangers(arm.robot if isinstance(arm, Plant) else arm, law, ref)
    held = law.sample is not None
    motion, make, asked, others = stepping_of(arm, method, symbolic, optimise, wrench=wrench)
    seen = None if sensors is None else sensors.block
    block = driven(
        _seeing(about("law", law.block), motion) if seen is None else about("law", law.block),
        make(motion) if held else motion,
        None if ref is None else ref.block,
        make,
        None if seen is None else _seeing(seen, motion),
        1 if law.sample is None else whole_steps(law.law, law.sample, sample),
    )
    function = generate_block(block, asked, tell, {**others, "law": prepare(law.request)})
    more = {} if sensors is None else sensors.settings
    known = {**law.settings, **({} if ref is None else ref.settings), **more, "sample": sample}
    settings = settings_from(function, known)
    refuse_impossible(function.name, [x for x in block.inputs if ref is None or x.name not in ref.settings], settings)
    return Loop(function, asked.request, settings, sample)


def rates_function(
    arm: Plant | Robot, law: Driving | None, ref: Reference | None, tell: Tell = silent, *, wrench: bool = False
) -> tuple[Function, Settings]:
    """In continuous time: the rates of all states, of a law and the arm it drives or of an arm under given torques."""
    motion, _, asked, others = stepping_of(arm, "rk4", wrench=wrench)
    if law is None:
        return generate_block(replace(motion, name="arm_rates"), asked, tell, others), {}
    block = joined(_seeing(about("law", law.block), motion), motion, None if ref is None else ref.block)
    function = generate_block(block, asked, tell, {**others, "law": prepare(law.request)})
    return function, settings_from(function, {**law.settings, **({} if ref is None else ref.settings)})


def _seeing(who: Block, arm: Block) -> Block:
    """Where joints are elastic, laws and sensors see the motors."""
    return at_motors(who) if "motor" in arm.states else who


def arm_alone(
    arm: Plant | Robot,
    ref: Reference | None,
    method: str,
    step: float | None,
    symbolic: Symbolic = "auto",
    optimise: str = "fast",
    tell: Tell = silent,
    *,
    wrench: bool = False,
    sensors: Sensors | None = None,
) -> tuple[Function, float]:
    """One step of the arm under torques that are held, and its time: nobody drives it, so nobody follows or sees."""
    for name, given in (("ref", ref), ("sensors", sensors)):
        if given is not None:
            raise InputError("{name}: an arm alone is driven by the torques it is given; {name}= needs a law", name)
    refuse_time("step", step)
    sample = STEP if step is None else float(step)
    return arm_function(arm, method, symbolic, optimise, wrench=wrench, tell=tell), sample


def _sample(law: Driving, step: float | None) -> float:
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


def _refuse_strangers(arm: Robot, law: Driving, ref: Reference | None) -> None:
    joints = law.request.robot.dof
    if "tau" not in law.block.outputs:
        raise InputError(
            "{law}: gives {outputs} and no torque, so it drives no arm", law.law, ", ".join(law.block.outputs)
        )
    if arm.dof != joints:
        raise InputError("{name}: drives {dof} joints; {name2} has {dof2}", law.law, joints, arm.name, arm.dof)
    if ref is not None and ref.dof != joints:
        raise InputError("{law}: drives {dof} joints; the reference has {dof2}", law.law, joints, ref.dof)
    if ref is not None and ref.block is None:
        raise InputError(
            "the reference is no formula of the time: leave it out, and give the loop its samples along time"
        )
