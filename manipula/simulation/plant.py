"""The plant: an arm as it is, with what a model of rigid links leaves out: friction that sticks, limits, stops, springs
and play between motors and joints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property, partial
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.function import Function
from manipula.errors import InputError, UnknownNameError, caution
from manipula.generation.compose import generate_block
from manipula.generation.prepare import Prepared, Request, prepare
from manipula.generation.results.system import Law
from manipula.mechanics.models.control.user_law import UserLaw
from manipula.mechanics.models.entry import Block
from manipula.mechanics.models.floating.frames import holds_from
from manipula.mechanics.models.integrate.discretisation import discretise
from manipula.mechanics.models.integrate.elastic import BEARS, ElasticDrive, elastic, motors_resting
from manipula.mechanics.models.integrate.flight import FLIGHT, FRAMES_HELD, flight_step, hold_frames
from manipula.mechanics.models.integrate.motion import MOTION, add_forces, add_wrench
from manipula.mechanics.models.integrate.sliding_motion import (
    RUBS,
    BristleParameters,
    Rubbing,
    StepLimits,
    add_bristles,
    bent_friction,
    dry_friction,
    eased_friction,
    no_friction,
    sliding_block,
)
from manipula.mechanics.models.integrate.stick import stick_slip_step
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import Cell, Joint, RobotDescription
from manipula.mechanics.robot.friction import FrictionLaw
from manipula.mechanics.robot.topology import refuse_loops, refuse_moving
from manipula.mechanics.robot.values.parameter import Parameter, float_of, names_of
from manipula.robot import Robot, RobotLike, as_robot
from manipula.simulation.exact.drives import Bristles, Springs, amounts, bristles_of, springs_of
from manipula.simulation.exact.mechanism import frictionless, motorless
from manipula.simulation.forces import Pushing, pushing_of
from manipula.support.progress import Tell, silent
from manipula.support.text import plain

Array = NDArray[np.float64]
FRICTION = {
    "stick": "dry friction holds a joint at rest and brakes one that moves",
    "smooth": "tanh(q̇/width) in place of the sign: nothing is held, everything creeps",
    "lugre": "bristles bend before they give way: friction of its own state, which holds but for what they bend",
    "none": "no friction at all",
}


@dataclass(frozen=True)
class Plant:
    """An arm to be simulated: a robot, its name, an arm, or what `identify` found.

    `friction`: "stick" (dry friction holds and brakes), "smooth" (tanh(q̇/width) in place of the sign; a joint under
    load creeps), "lugre" (bristles that bend, of stiffness `sigma0` and damping `sigma1`), "none". `effort`: "limits"
    clips torques to the robot's effort limits, None clips nothing, numbers are the limits, one a joint or one for all.
    `stops`: joints end, without bouncing, at their limits.

    `elastic`: a spring stands between every motor and its joint, True as stiff as the robot says, numbers as stiff as
    these; a law then sees the motors, friction and effort limits are theirs, stops are the joints'. `backlash` is the
    play in these springs, from end to end, as the robot says unless given. Everything is at the joint, gears taken in.

    `forces`: what else pushes the arm, a spring or a fluid: a function of `mp.law` of q and q̇ that gives torques at the
    joints, or what `mp.controller` makes of one with its settings.

    >>> import manipula as mp
    >>> Plant(mp.load("panda")).efforts[:4].tolist()
    [87.0, 87.0, 87.0, 87.0]
    """

    robot: Robot
    friction: Literal["stick", "smooth", "lugre", "none"] = "stick"
    effort: Literal["limits"] | float | Sequence[float] | None = "limits"
    stops: bool = True
    width: float = 1e-2  # of smooth friction, rad/s or m/s
    elastic: bool | float | Sequence[float] = False  # N·m/rad or N/m
    backlash: float | Sequence[float] | None = None  # rad or m
    sigma0: float | Sequence[float] | None = None  # of bristles, N·m/rad or N/m
    sigma1: float | Sequence[float] | None = None  # of bristles, N·m·s/rad or N·s/m
    forces: UserLaw | Law | None = field(default=None, hash=False)  # a law's settings are no key

    if TYPE_CHECKING:  # the first is taken in any form; the field is a robot

        def __init__(
            self,
            robot: RobotLike,
            friction: Literal["stick", "smooth", "lugre", "none"] = ...,
            effort: Literal["limits"] | float | Sequence[float] | None = ...,
            stops: bool = ...,
            width: float = ...,
            elastic: bool | float | Sequence[float] = ...,
            backlash: float | Sequence[float] | None = ...,
            sigma0: float | Sequence[float] | None = ...,
            sigma1: float | Sequence[float] | None = ...,
            forces: UserLaw | Law | None = ...,
        ) -> None: ...

    def __repr__(self) -> str:
        told = {x.name: getattr(self, x.name) for x in fields(self) if x.name != "robot"}
        others = [f"{x.name}={told[x.name]!r}" for x in fields(self) if x.name in told and told[x.name] != x.default]
        return f"<plant {self.robot.name}: {', '.join([f'{self.friction} friction', *others])}>"

    def as_dict(self) -> dict[str, object]:
        """The robot by its name, and what it is simulated with."""
        told = {x.name: getattr(self, x.name) for x in fields(self)} | {"robot": self.robot.name}
        found: dict[str, object] = plain(told)
        return found

    def __post_init__(self) -> None:
        object.__setattr__(self, "robot", as_robot(self.robot))
        refuse_moving(self.robot, "a plant")
        refuse_loops(self.robot, "Plant")
        if self.friction not in FRICTION:
            raise UnknownNameError("friction of a plant", str(self.friction), FRICTION)
        if not isinstance(self.stops, bool):
            raise InputError("stops: expected True or False, found {stops!r:.60}", self.stops)
        if not _is_number(self.width) or not 0 < self.width < inf:
            raise InputError("width: expected a velocity above 0, found {width!r:.60}", self.width)
        if self.effort is not None and not isinstance(self.effort, str):  # so that a plant may be a key
            object.__setattr__(self, "effort", tuple(self.efforts.tolist()))
        self._check_drives()
        if isinstance(self.effort, str) and not np.isfinite(self.efforts).any():
            caution(
                "{name}: no joint has an effort limit, so no torque is too large; effort=None says so", self.robot.name
            )

    def _check_drives(self) -> None:
        for name in ("elastic", "backlash", "sigma0", "sigma1"):
            given = getattr(self, name)
            if name == "elastic" and isinstance(given, np.bool_):
                object.__setattr__(self, name, bool(given))
            elif given is not None and not isinstance(given, bool):
                above = name in ("elastic", "sigma0")
                object.__setattr__(self, name, tuple(amounts(name, given, self.robot.dof, above=above)))
        if self.elastic is False and self.backlash is not None:
            raise InputError("backlash: is play in a spring: give elastic=True, or stiffnesses, beside it")
        if self.friction != "lugre" and (self.sigma0 is not None or self.sigma1 is not None):
            raise InputError('sigma0, sigma1: are of friction="lugre", found friction={friction!r}', self.friction)
        _ = self.springs, self.bristles, self.push  # a missing part is refused now

    @cached_property
    def springs(self) -> Springs | None:
        """Of an arm whose joints are elastic."""
        if self.elastic is False:
            return None
        return springs_of(self.robot, self._number, self.elastic, self.backlash)

    @cached_property
    def bristles(self) -> Bristles | None:
        """Of LuGre friction."""
        return (
            bristles_of(self.robot, _as_list(self.sigma0), _as_list(self.sigma1)) if self.friction == "lugre" else None
        )

    @cached_property
    def push(self) -> Pushing | None:
        """The forces as a block, and its settings."""
        return None if self.forces is None else pushing_of(self.robot, self.forces)

    @cached_property
    def efforts(self) -> Array:
        """The largest torque or force of every joint; infinite where there is no limit."""
        if isinstance(self.effort, str):
            if self.effort != "limits":
                raise InputError("effort: expected 'limits', None or numbers, found {effort!r:.60}", self.effort)
            return self._of_joints("effort_limit", lambda joint: joint.effort_limit, inf)
        return np.full(self.robot.dof, inf) if self.effort is None else self._effort_values()

    def _effort_values(self) -> Array:
        try:
            found = np.asarray(self.effort, dtype=float)
            found = np.array(np.broadcast_to(found, self.robot.dof)) if found.ndim < 2 else found
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != (self.robot.dof,) or not (found > 0).all():
            raise InputError(
                "effort: expected 'limits', None or one number above 0, or {dof}, one a joint; found {effort!r:.60}",
                self.robot.dof,
                self.effort,
            )
        return found

    @cached_property
    def dry(self) -> frozenset[str]:
        """The joints that have friction that can hold them, by name: of an unknown one it is believed."""
        return frozenset(x.name for x in self.robot.joints if any(law.dry for law in self._laws(x)))

    @cached_property
    def depends_on_load(self) -> bool:
        """Does friction follow the load somewhere?"""
        return any(law.loaded for joint in self.robot.joints for law in self._laws(joint))

    def _laws(self, joint: Joint) -> list[FrictionLaw[Cell]]:
        """The laws that are not plainly zero."""
        entries = {law: [law[x.letters] for x in law.entries if x.linear] for law in joint.actuator.laws}
        return [law for law, cells in entries.items() if any(self._matters(cell.parameter) for cell in cells)]

    def _matters(self, entry: Parameter) -> bool:
        return any(name not in self._values for name in names_of(entry)) or float_of(entry, self._values) != 0

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Where every joint stops, (lower, upper); infinite where it does not."""
        if not self.stops:
            return np.full(self.robot.dof, -inf), np.full(self.robot.dof, inf)
        lower = self._of_joints("limits", lambda joint: None if joint.limits is None else joint.limits[0], -inf)
        return lower, self._of_joints("limits", lambda joint: None if joint.limits is None else joint.limits[1], inf)

    def _of_joints(self, field: str, entry: Any, otherwise: float) -> Array:
        rows = [joint for joint in self.robot.joints if joint.name in self.robot.joint_names]
        return np.array([self._number(joint, field, entry(joint), otherwise) for joint in rows])

    def _number(self, joint: Joint, field: str, entry: Parameter | None, otherwise: float) -> float:
        if entry is None:
            return otherwise
        missing = [name for name in names_of(entry) if name not in self._values]
        if missing:
            raise InputError(
                "joint {name!r}: {field}: {missing} has no value, so no plant can be made",
                joint.name,
                field,
                ", ".join(missing),
            )
        return float_of(entry, self._values)

    @cached_property
    def _values(self) -> dict[str, float]:
        """The named values that are numbers."""
        found: dict[str, float] = {}
        pending = dict(self.robot.values)
        while ready := [name for name, value in pending.items() if all(x in found for x in names_of(value))]:
            found.update({name: float_of(pending.pop(name), found) for name in ready})
        return found


def _as_list(given: float | Sequence[float] | None) -> Sequence[float] | None:
    return [given] if isinstance(given, int | float) else given


def states_of(plant: Plant, q: Array, qd: Array, given: Mapping[str, object]) -> dict[str, Array]:
    """What motors and bristles begin with, by name: as given, or where springs and bristles are relaxed."""
    relaxed = {} if plant.springs is None else {"motor": q, "motor_rate": qd}
    relaxed |= {} if plant.bristles is None else {"bristle": np.zeros_like(q)}
    for name in given:
        if name not in relaxed:
            raise UnknownNameError("state of the arm", str(name), ["q", "qd", *relaxed])
    return {name: _finite(name, given.get(name, x), np.shape(x)) for name, x in relaxed.items()}


def _finite(name: str, value: object, shape: tuple[int, ...]) -> Array:
    try:
        found = np.array(np.broadcast_to(np.asarray(value, dtype=float), shape))
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if not np.isfinite(found).all():
        raise InputError("start: {name}: expected {n} finite numbers, found {value!r:.60}", name, shape[-1], value)
    return found


def _is_number(x: object) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


# One fixed step of a plant as a block: the arm in continuous time, and how a block around it goes one step.
#
# A robot alone is the rigid arm of its models, its friction as a sign. A plant sticks, clips and stops, and its
# joints may be elastic. Either is
#
#     arm      a block: rates of the states q, q̇ (and of motors, of bristles) under the variable tau
#     step     block → block: one step of the arm, or of what is wired around it; beside the next states a plant's gives
#              its `friction` at the start of the step and the `residual` of its velocities


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
    hold: Mapping[str, object] | None = None,
) -> Stepping:
    """`wrench` makes that on the tool an input, held over the step; `hold` frames of a robot whose base moves."""
    robot = plant.robot if isinstance(plant, Plant) else plant
    asked = Request(robot, "inverse_dynamics", symbolic=symbolic, optimise=optimise)
    if robot.moving == "free" and not wrench:
        return _flying(asked, partial(flight_step, method=method), hold)
    if hold is not None:
        raise InputError("{name}: hold= is for a base that moves freely", robot.name)
    refuse_moving(robot, "a plant" if robot.moving == "given" else "a wrench on the tool of a simulation")
    if isinstance(plant, Plant) and plant.push is not None:
        found = stepping_of(replace(plant, forces=None), method, symbolic, optimise, wrench=wrench)
        return found._replace(arm=add_forces(found.arm, *plant.push))
    if not isinstance(plant, Plant):
        return Stepping(_arm(robot, MOTION, wrench), partial(discretise, method=method), prepare(asked), {})
    limits = limits_of(plant)
    if plant.springs is not None:
        return _elastic(plant, limits, asked, method, wrench)
    smooth = plant.friction == "none" or (plant.friction == "stick" and not plant.dry)
    if not limits.matter and smooth:  # nothing sticks, clips or stops: the rigid arm
        bare = replace(asked, robot=frictionless(robot)) if plant.friction == "none" else asked
        return Stepping(_arm(robot, MOTION, wrench), partial(discretise, method=method), prepare(bare), {})
    arm, step = sliding_block(limits, _friction_model(plant)), partial(stick_slip_step, limits=limits, method=method)
    arm = arm if plant.bristles is None else add_bristles(arm)
    rigid = replace(asked, robot=frictionless(robot))
    return Stepping(_arm(robot, arm, wrench), step, prepare(rigid), {RUBS: prepare(asked)})


def _flying(asked: Request, step: Callable[[Block], Block], hold: Mapping[str, object] | None) -> Stepping:
    """A robot on a base that moves freely."""
    if hold is None:
        return Stepping(_arm(asked.robot, FLIGHT, False), step, prepare(asked), {})
    names, how = holds_from(asked.robot, hold)
    held = replace(asked, model="constrained_dynamics", frames=names, hold=how)
    feet = {FRAMES_HELD: prepare(replace(asked, model="frame_jacobians", frames=names))}
    return Stepping(_arm(asked.robot, hold_frames(how), False), step, prepare(held), feet)


def _elastic(plant: Plant, limits: StepLimits, asked: Request, method: str, wrench: bool) -> Stepping:
    """Stops are the links', friction and efforts the motors'."""
    n, drive = plant.robot.dof, ElasticDrive(*(tuple(map(Fraction, x.tolist())) for x in plant.springs or ()))
    stops = replace(limits, dry=(False,) * n, efforts=(None,) * n, loaded=False)
    arm = elastic(drive, limits, _friction_model(plant), plant.bristles is not None)

    def step(block: Block) -> Block:
        moved = stick_slip_step(block, stops, method) if stops.matter else discretise(block, method=method)
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
    hold: Mapping[str, object] | None = None,
    tell: Tell = silent,
) -> Function:
    """One step of the arm alone, proved, its torques held."""
    arm, step, asked, others = stepping_of(plant, method, symbolic, optimise, wrench=wrench, hold=hold)
    return generate_block(replace(step(arm), name="arm"), asked, tell, others)


def limits_of(plant: Plant) -> StepLimits:
    """As exact numbers."""
    sticks = plant.friction == "stick"
    dry = tuple(sticks and joint in plant.dry for joint in plant.robot.joint_names)
    lower, upper = plant.ends
    efforts = tuple(_exact(x) for x in plant.efforts.tolist())
    ends = tuple((_exact(low), _exact(high)) for low, high in zip(lower.tolist(), upper.tolist()))
    return StepLimits(dry, efforts, ends, plant.friction != "none" and plant.depends_on_load)


def _arm(robot: RobotDescription, arm: Block, wrench: bool) -> Block:
    """The block of this robot, its positions those of the robot's coordinates."""
    return replace(add_wrench(arm) if wrench else arm, coordinates=robot.coordinates)


def _exact(x: float) -> Fraction | None:
    return Fraction(x) if isfinite(x) else None


def _friction_model(plant: Plant) -> Rubbing:
    kinds = {"stick": dry_friction, "none": no_friction}
    if plant.bristles is not None:
        sigma0, sigma1, bent = plant.bristles
        return bent_friction(BristleParameters(tuple(map(Fraction, sigma0)), tuple(map(Fraction, sigma1)), bent))
    return kinds[plant.friction] if plant.friction in kinds else eased_friction(Fraction(plant.width))
