"""One fixed step of a plant as a block: the arm in continuous time, and how a block around it goes one step.

A robot by itself is the rigid arm of its models, its friction as a sign. A plant sticks, clips and stops, and its
joints may be elastic. Either is

    arm      a block: rates of the states q, q̇ (and of motors, of bristles) under the variable tau
    step     block → block: one step of the arm, or of what is wired around it; beside the next states a plant's gives
             its `friction` at the start of the step and the `residual` of its velocities

"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import NamedTuple

from manipula.algebra.expr.function import Function
from manipula.generation.joining.together import generate_block
from manipula.generation.prepare import Prepared, prepare
from manipula.generation.request import Request
from manipula.mechanics.models.block import Block
from manipula.mechanics.models.drives.bristles import BristleParameters, bent_friction, bristled
from manipula.mechanics.models.drives.elastic import BEARS, ElasticDrive, elastic, motors_resting
from manipula.mechanics.models.integrate.discretised import discretised
from manipula.mechanics.models.integrate.motion import MOTION
from manipula.mechanics.models.integrate.pushed import pushed
from manipula.mechanics.models.integrate.sliding import (
    RUBS,
    Rubbing,
    StepLimits,
    dry_friction,
    eased_friction,
    no_friction,
    sliding,
)
from manipula.mechanics.models.integrate.stick import sticking
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import RobotDescription
from manipula.simulation.exact.mechanism import frictionless, motorless
from manipula.simulation.plant import Plant
from manipula.support.progress import Tell, silent


class Stepping(NamedTuple):
    """The arm, its step, whose models it calls, and the others it calls by name."""

    arm: Block
    step: Callable[[Block], Block]
    asked: Prepared
    others: Mapping[str, Prepared]


def stepping_of(
    plant: Plant | RobotDescription,
    method: str,
    symbolic: Symbolic = "auto",
    optimise: str = "fast",
    *,
    wrench: bool = False,
) -> Stepping:
    """`wrench` makes that on the tool an input, held over the step."""
    robot = plant.robot if isinstance(plant, Plant) else plant
    asked = Request(robot, "inverse_dynamics", symbolic=symbolic, optimise=optimise)
    if not isinstance(plant, Plant):
        return Stepping(_arm(robot, MOTION, wrench), partial(discretised, method=method), prepare(asked), {})
    limits = limits_of(plant)
    if plant.springs is not None:
        return _elastic(plant, limits, asked, method, wrench)
    smooth = plant.friction == "none" or (plant.friction == "stick" and not plant.dry)
    if not limits.matter and smooth:  # nothing sticks, clips or stops: the rigid arm
        bare = replace(asked, robot=frictionless(robot)) if plant.friction == "none" else asked
        return Stepping(_arm(robot, MOTION, wrench), partial(discretised, method=method), prepare(bare), {})
    arm, step = sliding(limits, _rubbing(plant)), partial(sticking, limits=limits, method=method)
    arm = arm if plant.bristles is None else bristled(arm)
    rigid = replace(asked, robot=frictionless(robot))
    return Stepping(_arm(robot, arm, wrench), step, prepare(rigid), {RUBS: prepare(asked)})


def _elastic(plant: Plant, limits: StepLimits, asked: Request, method: str, wrench: bool) -> Stepping:
    """Stops are the links', friction and efforts the motors'."""
    n, drive = plant.robot.dof, ElasticDrive(*(tuple(map(Fraction, x.tolist())) for x in plant.springs or ()))
    stops = replace(limits, dry=(False,) * n, efforts=(None,) * n, loaded=False)
    arm = elastic(drive, limits, _rubbing(plant), plant.bristles is not None)

    def step(block: Block) -> Block:
        moved = sticking(block, stops, method) if stops.matter else discretised(block, method=method)
        return motors_resting(moved, limits, drive.inertia)

    links = prepare(replace(asked, robot=motorless(frictionless(plant.robot))))
    return Stepping(_arm(plant.robot, arm, wrench), step, links, {RUBS: prepare(asked), BEARS: links})


def arm_function(
    plant: Plant | RobotDescription,
    method: str,
    symbolic: Symbolic = "auto",
    optimise: str = "fast",
    *,
    wrench: bool = False,
    tell: Tell = silent,
) -> Function:
    """One step of the arm alone, proved, its torques held."""
    arm, step, asked, others = stepping_of(plant, method, symbolic, optimise, wrench=wrench)
    return generate_block(replace(step(arm), name="arm"), asked, tell, others)


def limits_of(plant: Plant) -> StepLimits:
    """As exact numbers."""
    sticks = plant.friction == "stick"
    dry = tuple(sticks and joint in plant.dry for joint in plant.robot.joint_names)
    lower, upper = plant.ends
    efforts = tuple(_exact(x) for x in plant.efforts.tolist())
    ends = tuple((_exact(low), _exact(high)) for low, high in zip(lower.tolist(), upper.tolist()))
    return StepLimits(dry, efforts, ends, plant.friction != "none" and plant.loaded)


def _arm(robot: RobotDescription, arm: Block, wrench: bool) -> Block:
    """The block of this robot, its positions those of the robot's coordinates."""
    return replace(pushed(arm) if wrench else arm, coordinates=robot.coordinates)


def _exact(x: float) -> Fraction | None:
    return Fraction(x) if isfinite(x) else None


def _rubbing(plant: Plant) -> Rubbing:
    kinds = {"stick": dry_friction, "none": no_friction}
    if plant.bristles is not None:
        sigma0, sigma1, bent = plant.bristles
        return bent_friction(BristleParameters(tuple(map(Fraction, sigma0)), tuple(map(Fraction, sigma1)), bent))
    return kinds[plant.friction] if plant.friction in kinds else eased_friction(Fraction(plant.width))
