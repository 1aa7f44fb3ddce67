"""The unknowns of an identification: ten a moving link from the compiled regressor, coupled motors, counterbalances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, UnsetError, some_of
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.models.linear.joint_families import At, Formula
from manipula.mechanics.models.linear.regressor import BODY_NAMES
from manipula.mechanics.robot.actuator import Spring, spring_torque
from manipula.mechanics.robot.bodies import (
    JointBodies,
    bodies_of_base,
    body_from_inertia,
    moved_bodies,
    standard_parameters,
    together,
)
from manipula.mechanics.robot.description import (
    AnyRobot,
    Body,
    Cell,
    Joint,
    Mounted,
    RobotDescription,
    Steps,
    cell_with_value,
)
from manipula.mechanics.robot.exact import with_values
from manipula.mechanics.robot.values.parameter import DAMPING, INERTIA, TORQUE, Parameter, float_of, names_of, number
from manipula.messages import Message

# One unknown of an identification.


@dataclass(frozen=True)
class Column:
    """`joint` is the coordinate it belongs to, None where it belongs to none; `link` the moving link whose body it is
    about; `lower` the least value that makes sense, None where any does. `rows` are the joints that feel it.

    `words` are the parameters of the joint in a robot file, by letters, that a unit of it adds to; `widths` those that
    are fixed beside them.
    """

    name: str
    family: str
    joint: int | None
    unit: str
    lower: float | None = None
    link: int | None = None
    rows: tuple[int, ...] = ()
    loaded: bool = False
    words: Mapping[str, int] = field(default_factory=dict)
    widths: Mapping[str, Fraction] = field(default_factory=dict)


# The columns of the links' inertia: ten a moving link, from the compiled regressor.
#
# What is welded to a link (bodies of fixed rows, carried bodies, payload) moves with it: no torque separates their
# masses
# apart. So the bodies are added up, in the frame of the link, and the robot that stands behind the columns has them
# there: its `standard_parameters` are the unknowns by name, torque = columns · these.

Array = NDArray[np.float64]
GRAVITY = ("gx", "gy", "gz")
INERTIAL = "inertial"
UNITS = ("kg·m²",) * 6 + ("kg·m",) * 3 + ("kg",)  # in the order of BODY_NAMES


class Inertial:
    """Y (time, rows, 10 a body), compiled once; gravity is given, for a base may be tilted. Of a robot with loops it is
    that of the tree; of one whose base moves six rows of the `wrench` on it stand behind those of the joints."""

    def __init__(self, robot: RobotDescription, wrench: bool = False) -> None:
        self.robot, self.wrench = merge_riders(robot), wrench
        self.gravity = np.array([_number(self.robot, cell, "gravity") for cell in self.robot.gravity])
        self._code, listed = _regressor(_bare(self.robot))
        self._refuse_symbols()
        self.columns = _columns(self.robot, wrench)
        self._places = np.array([listed.index(column.name) for column in self.columns])

    def _refuse_symbols(self) -> None:
        missing = [name for name in self._code.parameters if name not in GRAVITY]
        if missing:
            raise UnsetError(
                Message(
                    "{name}: to be identified its geometry must have numbers, and {some_of} has no value",
                    self.robot.name,
                    some_of(missing),
                ),
                missing,
            )

    def __call__(self, q: Array, qd: Array, qdd: Array, gravity: Array | None = None) -> Array:
        return self.regressor(q, qd, qdd, gravity)[..., self._places]

    def regressor(
        self, q: Array, qd: Array, qdd: Array, gravity: Array | None = None, base: Array | None = None
    ) -> Array:
        """All columns as compiled, those of motors among them: `of_joint` and `torque` pick without a copy of all.
        `base` is w0, wd0, a0 of a base that moves."""
        values = dict(zip(GRAVITY, map(float, self.gravity if gravity is None else gravity)))
        read = {name: values[name] for name in self._code.parameters}
        moved = () if base is None else (base[:, :3], base[:, 3:6], base[:, 6:])
        found: Array = self._code(q, qd, qdd, *moved, p=read or None)
        if base is None:
            return found
        return np.concatenate([found[:, 6:], found[:, : 6 if self.wrench else 0]], axis=1)

    def of_joint(self, found: Array, j: int, places: NDArray[np.intp]) -> Array:
        """Of one joint these of the columns, (time, places)."""
        return np.asarray(np.take(found[:, j], self._places[places], axis=1))

    def torque(self, found: Array, theta: Array) -> Array:
        """What the bodies of these parameters ask of every joint, (time, n)."""
        whole = np.zeros(found.shape[-1])
        whole[self._places] = theta
        return np.asarray(found @ whole)

    def still(self, q: Array, gravity: Array, theta: Array) -> Array:
        """The same of an arm that stands still."""
        rest = np.zeros_like(q)
        return self.torque(self.regressor(q, rest, rest, gravity), theta)


@lru_cache(maxsize=16)
def _regressor(bare: RobotDescription) -> tuple[Any, list[str]]:
    """Compiled, and the names of its columns; the same for every direction of gravity."""
    made = generate_function(prepare(Request(bare, "regressor", symbolic=GRAVITY)))
    return compile_tape(tape_from_function(made)), list(made.provenance.columns)


@lru_cache(maxsize=16)
def inertial_of(robot: RobotDescription, wrench: bool = False) -> Inertial:
    """Made once for a robot: an identification asks for it with every log."""
    return Inertial(robot, wrench)


def _columns(robot: RobotDescription, wrench: bool) -> tuple[Column, ...]:
    felt = rows_of_links(robot)
    on_base = tuple(range(robot.dof, robot.dof + 6)) if wrench else ()
    bodies = [(x.suffix, felt[link][-1], link, felt[link]) for link, x in enumerate(moved_bodies(robot))]
    of_base = [(suffix, None, None, ()) for suffix, _ in bodies_of_base(robot)] if wrench else []
    return tuple(
        Column(f"{name}{suffix}", INERTIAL, joint, unit, None, link, (*rows, *on_base))
        for suffix, joint, link, rows in (*bodies, *of_base)
        for name, unit in zip(BODY_NAMES, UNITS)
    )


def rows_of_links(robot: RobotDescription) -> list[tuple[int, ...]]:
    """Of every moving link the coordinates that move it, those of its own joint last."""
    rows = {row.joint: row.terms for row in robot.coordinates.rows}
    moves: dict[int, tuple[int, ...]] = {-1: ()}
    found: list[tuple[int, ...]] = []
    for row, joint in enumerate(robot.joints):
        moves[row] = moves[robot.parents[row]]
        if joint.name in rows:
            moves[row] = tuple(dict.fromkeys((*moves[row], *(c for c, _ in rows[joint.name]))))
            found.append(moves[row])
    return found


def known_values(robot: RobotDescription, columns: tuple[Column, ...]) -> Array:
    """What the file says of every unknown, by its name; NaN where it says nothing."""
    given, values = standard_parameters(robot), dict(robot.values)
    return np.array([number_of(given.get(column.name), values) for column in columns])


def number_of(parameter: Parameter | None, values: dict[str, Parameter]) -> float:
    """NaN where a name in it has no value."""
    whole = None if parameter is None else with_values(parameter, values).parameter
    return np.nan if whole is None or any(True for _ in names_of(whole)) else float_of(whole, {})


def _number(robot: RobotDescription, cell: Cell, what: str) -> float:
    found = number_of(cell.parameter, dict(robot.values))
    if not np.isfinite(found):
        raise InputError(
            "{name}: to be identified its {what} must have numbers, and {name2} has no value",
            robot.name,
            what,
            cell.name,
        )
    return found


def _bare(robot: RobotDescription) -> RobotDescription:
    """Without friction and springs, which have their own columns; gravity as plain numbers that are made symbols; its
    loops cut."""
    idle = (x.actuator.without_friction(lambda cell: cell_with_value(cell.name)) for x in robot.joints)
    joints = (replace(x, actuator=actuator, springs=()) for x, actuator in zip(robot.joints, idle))
    gx, gy, gz = (Cell(name, number(1.0)) for name in GRAVITY)
    return replace(robot, joints=tuple(joints), gravity=(gx, gy, gz), loops=(), motors=())


# what is welded to a link


def merge_riders(robot: AnyRobot) -> AnyRobot:
    """The same robot, every body that rides on a moving link counted to that link's own."""
    riders = _riders(robot)
    if not any(riders.values()):
        return robot
    values = dict(robot.values)
    bodies = {x.joint.name: _sum(x, riders[x.joint.name], values) for x in moved_bodies(robot) if riders[x.joint.name]}
    movers = _movers(robot)

    def row(joint: Joint, place: int) -> Joint:
        if movers[place] is None:
            return joint  # it stands still: no torque feels it
        body = bodies.get(joint.name, joint.body) if joint.kind != "fixed" else None
        return replace(joint, body=body, carries=())

    held = robot.payload if movers[robot.tool_row] is None else ()
    return replace(robot, joints=tuple(map(row, robot.joints, range(len(robot.joints)))), payload=held)


def _movers(robot: RobotDescription) -> dict[int, str | None]:
    """Of every row the joint whose link it is part of; None: it stands still."""
    found: dict[int, str | None] = {-1: None}
    for row, joint in enumerate(robot.joints):
        found[row] = joint.name if joint.kind != "fixed" else found[robot.parents[row]]
    return found


def _riders(robot: RobotDescription) -> dict[str, list[Mounted]]:
    """Of every moving joint what its link carries, seen from the link's frame."""
    movers, gaps = _movers(robot), dict[int, Steps]({-1: ()})
    found: dict[str, list[Mounted]] = {joint.name: [] for joint in robot.joints if joint.kind != "fixed"}
    for row, joint in enumerate(robot.joints):
        mover, welded = movers[row], joint.kind == "fixed"
        gaps[row] = (*gaps[robot.parents[row]], *joint.before, *joint.after) if welded else ()
        if mover is None:
            continue
        if welded and joint.body is not None:
            found[mover].append(Mounted(gaps[row], joint.body))
        found[mover] += [Mounted((*gaps[row], *x.at), x.body) for x in joint.carries]
    holder = movers[robot.tool_row]
    if holder is not None:
        found[holder] += [Mounted((*gaps[robot.tool_row], *robot.tool), body) for body in robot.payload]
    return found


def _sum(moved: JointBodies, riders: list[Mounted], values: dict[str, Parameter]) -> Body:
    """The bodies of a link in one; an entry that has no number is unknown as a whole."""
    body = body_from_inertia(together(moved.joint.body, riders), moved.suffix)

    def cell(own: Cell) -> Cell:
        whole = with_values(own.parameter, values).parameter
        return Cell(own.name, None if any(True for _ in names_of(whole)) else number(float_of(whole, {})))

    x, y, z = map(cell, body.centre)
    xx, xy, xz, yy, yz, zz = map(cell, body.inertia)
    return replace(body, mass=cell(body.mass), centre=(x, y, z), inertia=(xx, xy, xz, yy, yz, zz))


# Motors that turn together, as in wrists: that of joint b turns with ω = q̇_b + c·q̇_a.
#
# It asks  T = I·ω̇ + fv·ω + fc·sign(ω)  of joint b, and c·T of joint a. What of I and fv is felt with a joint's own
# rates
# is in Ia and fv of that joint already; the columns here are the rest.

COUPLING = "coupling"
LETTERS = (("Ia", INERTIA), ("fv", DAMPING), ("fc", TORQUE))


@dataclass(frozen=True)
class Coupling:
    """Of joints a and b by their places, the factor c."""

    a: int
    b: int
    factor: Fraction

    def columns(self, ends: list[str], turns: bool) -> Iterator[tuple[Column, Formula]]:
        rows = tuple(sorted((self.a, self.b)))
        formulas = (self._inertia, self._viscous, self._dry)
        for (letters, unit), formula in zip(LETTERS, formulas, strict=True):
            name = f"{letters}{ends[self.a]}_{ends[self.b]}"
            yield Column(name, COUPLING, self.b, unit[not turns], None, None, rows), formula

    def _other(self, row: int) -> int:
        return self.a if row == self.b else self.b

    def _inertia(self, at: At, row: int) -> object:
        return at.maths.number(self.factor) * at.qdd[self._other(row)]

    def _viscous(self, at: At, row: int) -> object:
        return at.maths.number(self.factor) * at.qd[self._other(row)]

    def _dry(self, at: At, row: int) -> object:
        factor = at.maths.number(self.factor)
        way = At(at.maths, at.q, [at.qd[self.b] + factor * at.qd[self.a]], at.qdd, [at.pace[self.b]]).way(0)
        return factor * way if row == self.a else way


# A column for every counterbalance of the robot's file, the size of each being unknown.

FAMILY = "spring"


def spring_columns(joint: Joint, j: int, end: str, values: Mapping[str, Parameter]) -> Iterator[tuple[Column, Formula]]:
    """Named ks2, ks2_2 …"""
    for place, spring in enumerate(joint.springs, 1):
        unit = "N/m" if spring.stroke is None else "N"
        name = f"ks{end}" if place == 1 else f"ks{end}_{place}"
        yield Column(name, FAMILY, j, unit, 0.0, None, (j,)), partial(_torque, _floats(spring, values, joint.name))


def _torque(spring: Spring[float], at: At, row: int) -> Any:
    return spring_torque(spring, at.q[row], at.maths)


def _floats(spring: Spring[Parameter], values: Mapping[str, Parameter], joint: str) -> Spring[float]:
    def number(entry: Parameter) -> float:
        whole = with_values(entry, values).parameter
        if missing := list(names_of(whole)):
            raise InputError("springs of joint {joint!r}: {missing} has no value", joint, missing[0])
        return float_of(whole, {})

    first, second = map(number, spring.radii)
    stroke = None if spring.stroke is None else number(spring.stroke)
    return Spring((first, second), number(spring.angle), number(spring.length), stroke)
