"""Inverse dynamics as a matrix times the parameters: τ = Y(q, q̇, q̈) π.

Per joint: Lxx Lxy Lxz Lyy Lyz Lzz mx my mz m of the link's own body about its frame's origin, the same ten of every
body that rides on it about the origin of that body's own frame, then Ia fv fc fo and those of the further friction laws
it has. So a column has one body's parameter, as the file has that body. It is the torque of an arm in which that
parameter is 1 and all others are 0, and is found from a unit body: the force and moment it takes to move it, felt along
the unit motion of every joint before it.

Source: Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links", International
Journal of Robotics Research 5 (1986); Khalil, Dombre, "Modeling, Identification and Control of Robots" (2002), chapter
12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manipula.mechanics.models.dynamics.bodies import link_twists
from manipula.mechanics.models.dynamics.friction import NO_COLUMNS, refuse_loaded, slips
from manipula.mechanics.models.dynamics.newton_euler import Moving, euler, newton, newton_euler
from manipula.mechanics.robot.reduce import massless
from manipula.mechanics.robot.tree import FileBody, Link, Tree
from manipula.mechanics.spatial.inertia import InertiaTensor, RigidBody, Wrench, power
from manipula.mechanics.spatial.placement import HERE
from manipula.mechanics.spatial.vector import X, Y, Z, symmetric
from manipula.scalar import Scalar

BODY_NAMES = ("Lxx", "Lxy", "Lxz", "Lyy", "Lyz", "Lzz", "mx", "my", "mz", "m")


def _unit_tensor(which: int) -> RigidBody:
    xx, xy, xz, yy, yz, zz = (int(which == k) for k in range(6))
    return RigidBody(second=InertiaTensor(symmetric(xx, xy, xz, yy, yz, zz)))


UNIT_BODIES = (*map(_unit_tensor, range(6)), RigidBody(0, X), RigidBody(0, Y), RigidBody(0, Z), RigidBody(1))


def parts_of(chain: Tree) -> list[tuple[FileBody, ...]]:
    """The bodies of every link, its own first."""
    return [link.parts or (FileBody(str(n), HERE, link.inertia),) for n, link in enumerate(chain.links, 1)]


def columns(chain: Tree) -> list[str]:
    """The parameter of every column: of its body, or of its joint."""
    names: list[str] = []
    for link, parts in zip(chain.links, parts_of(chain), strict=True):
        names += [f"{name}{part.suffix}" for part in parts for name in BODY_NAMES]
        names += [f"{name}{parts[0].suffix}" for name in link.actuator.linear()]
    return names


def parameter_vector(chain: Tree) -> list[Scalar]:
    """π: the chain's own parameters in the order of the columns."""
    values: list[Scalar] = []
    for link, parts in zip(chain.links, parts_of(chain), strict=True):
        values += [entry for part in parts for entry in body_numbers(part.inertia)] + motor_numbers(link)
    return values


def motor_numbers(link: Link) -> list[Scalar]:
    """Those of a joint's actuator: Ia fv fc fo, and of the further friction laws it has."""
    return list(link.actuator.linear().values())


def unit_in_link(body: RigidBody, part: FileBody) -> RigidBody:
    """A unit body of a part's frame as the link has it."""
    return body if part.at is HERE else body.seen_from(part.at)


def body_numbers(body: RigidBody) -> list[Scalar]:
    """A body's ten, in the order of the columns."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.I
    return [xx, xy, xz, yy, yz, zz, *body.s, body.m]


def regressor(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[list[Scalar]]:
    """Y (dof, 14·dof and 10 for every rider)"""
    motion = newton_euler(massless(chain), q, qd, qdd).motion
    forces = [
        [unit_force(unit_in_link(body, part), state) for part in parts for body in UNIT_BODIES]
        for state, parts in zip(motion, parts_of(chain), strict=True)
    ]
    blocks = [
        {i: [chain.links[i].along_z(power(twist, force)) for force in unit] for i, twist in twists.items()}
        for unit, twists in zip(forces, link_twists(chain, q))
    ]
    return with_motors(chain, blocks, qd, qdd)


def with_motors(
    chain: Tree, blocks: Sequence[Mapping[int, Sequence[Scalar]]], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Y of its blocks: of every link, ten entries a body in the row of each joint that moves it. A motor is felt by its
    joint."""
    motors = actuator_columns(chain, qd, qdd)
    rows: list[list[Scalar]] = []
    for i in range(chain.dof):
        row: list[Scalar] = []
        for l, (block, motor) in enumerate(zip(blocks, motors, strict=True)):
            row += [*block.get(i, [0] * len(block[l])), *(x if l == i else 0 for x in motor.values())]
        rows.append(row)
    return rows


def actuator_columns(chain: Tree, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[dict[str, Any]]:
    """What a unit of each parameter of an actuator asks of its own joint, by its letters; nobody else feels it."""
    refuse_loaded(chain, NO_COLUMNS)
    slipping = slips(chain, qd)
    return [link.actuator.columns(slip, a) for link, slip, a in zip(chain.links, slipping, qdd, strict=True)]


def unit_force(body: RigidBody, state: Moving) -> Wrench:
    """The force and moment that move a unit body with its link."""
    return Wrench(newton(body, state), euler(body, state))
