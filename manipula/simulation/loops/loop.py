"""A reference, a law, the arm it drives and an integrator as one proved function of one step."""

from __future__ import annotations

from dataclasses import replace

from manipula.errors import InputError
from manipula.generation.joining.together import generate_block
from manipula.generation.prepare import prepare
from manipula.generation.request import Request
from manipula.generation.results.system import Law, System
from manipula.generation.settings import refuse_impossible, refuse_time, settings_from
from manipula.mechanics.models.block import Block, about
from manipula.mechanics.models.control.laws import law_block
from manipula.mechanics.models.drives.elastic import at_motors
from manipula.mechanics.models.integrate.driven import driven
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import RobotDescription
from manipula.simulation.loops.sensors import Sensors
from manipula.simulation.paths.trajectory import Trajectory
from manipula.simulation.plant import Plant
from manipula.simulation.plant_step import arm_function, stepping_of
from manipula.support.progress import Tell, silent

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
    tell: Tell = silent,
) -> System:
    """Built, optimised as one and proved call by call; without a law it is the arm under torques that are held."""
    robot = arm.robot if isinstance(arm, Plant) else arm
    if law is None:
        _refuse_followers(ref, sensors)
        sample = _own_step(step)
        request = Request(robot, "arm", symbolic=symbolic, optimise=optimise)
        function = arm_function(arm, method, symbolic, optimise, wrench=wrench, tell=tell)
        return System(request.described(function), request, settings={"sample": (sample,)}, sample=sample)
    if not isinstance(law, Law):
        raise InputError("law: expected what mp.controller makes, or None for the arm alone, found {law!r:.60}", law)
    sample = _sample(law, step)
    _refuse_unfit(law, ref, sensors)
    _refuse_strangers(robot, law, ref)
    formula, held = _formula(law), law.sample is not None
    motion, make, asked, others = stepping_of(arm, method, symbolic, optimise, wrench=wrench)
    seen = None if sensors is None else sensors.block
    block = driven(
        _seeing(formula, motion) if seen is None else formula,
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
    request = replace(asked.request, robot=robot)  # with the friction that its step computes apart
    described = request.described(function)
    return System(described, request, settings=settings, sample=sample, initial=law.initial)


def _seeing(who: Block, arm: Block) -> Block:
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
        raise InputError("sensors: delay counts samples; a law in continuous time (sample=None) has none")


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
