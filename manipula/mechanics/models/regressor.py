"""Inverse dynamics as a matrix times the parameters: τ = Y(q, q̇, q̈) π.

Per link: Ixx Ixy Ixz Iyy Iyz Izz mx my mz m about the link frame's origin, then Ia fv fc fo. A column is the torque of
an arm in which that parameter is 1 and all others are 0, so each is found from a unit body: the force and moment it
takes to move it, felt along the unit motion of every joint before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.bodies import Screw, felt, link_twists
from manipula.mechanics.models.newton_euler import Moving, euler, newton, newton_euler
from manipula.mechanics.robot.chain import Chain, Link
from manipula.mechanics.robot.reduce import massless
from manipula.mechanics.spatial.inertia import Inertia
from manipula.mechanics.spatial.vector import NULL, X, Y, Z, symmetric

BODY_NAMES = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "mx", "my", "mz", "m")
MOTOR_NAMES = ("Ia", "fv", "fc", "fo")
NAMES = BODY_NAMES + MOTOR_NAMES


def _unit_tensor(which: int) -> Inertia:
    xx, xy, xz, yy, yz, zz = (int(which == k) for k in range(6))
    return Inertia(0, NULL, symmetric(xx, xy, xz, yy, yz, zz))


UNIT_BODIES = (*map(_unit_tensor, range(6)), Inertia(0, X), Inertia(0, Y), Inertia(0, Z), Inertia(1))


def columns(chain: Chain) -> list[str]:
    """The parameter of every column, by link number."""
    return [f"{name}{number}" for number in range(1, chain.dof + 1) for name in NAMES]


def parameter_vector(chain: Chain) -> list[Any]:
    """π: the chain's own parameters in the order of the columns."""
    return [entry for link in chain.links for entry in link_parameters(link)]


def link_parameters(link: Link) -> list[Any]:
    """One link's fourteen."""
    return [*body_numbers(link.inertia), link.motor_inertia, link.viscous, link.coulomb, link.friction_offset]


def body_numbers(body: Inertia) -> list[Any]:
    """A body's ten, in the order of the columns."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.I
    return [xx, xy, xz, yy, yz, zz, *body.s, body.m]


def regressor(chain: Chain, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> list[list[Any]]:
    """Y (dof, 14·dof)"""
    motion = newton_euler(massless(chain), q, qd, qdd).motion
    forces = [[unit_force(body, state) for body in UNIT_BODIES] for state in motion]
    blocks = [
        [[link.signed(felt(twist, force)) for force in unit] for link, twist in zip(chain.links, twists)]
        for unit, twists in zip(forces, link_twists(chain, q))
    ]
    return with_motors(chain, blocks, qd, qdd)


def with_motors(
    chain: Chain, blocks: Sequence[Sequence[Sequence[Any]]], qd: Sequence[Any], qdd: Sequence[Any]
) -> list[list[Any]]:
    """Y of its blocks: of every link, ten entries a row for each joint up to its own. A motor is felt by its joint."""
    rows: list[list[Any]] = []
    for i in range(chain.dof):
        row: list[Any] = []
        motor = [qdd[i], qd[i], chain.maths.sign(qd[i]), 1]
        for l, block in enumerate(blocks):
            row += [*(block[i] if l >= i else [0] * len(BODY_NAMES)), *(motor if l == i else [0] * len(MOTOR_NAMES))]
        rows.append(row)
    return rows


def unit_force(body: Inertia, state: Moving) -> Screw:
    """The force and moment that move a unit body with its link."""
    return Screw(newton(body, state), euler(body, state))
