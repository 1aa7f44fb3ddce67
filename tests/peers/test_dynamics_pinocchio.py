"""Every model of dynamics against Pinocchio, on random arms: both conventions, URDF shapes, R, P, fixed joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from manipula.mechanics.models.dynamics import articulated_bodies, composite, energy, inertia_inverse, torque
from manipula.mechanics.models.dynamics.friction import friction
from manipula.mechanics.models.lagrange import christoffel, jacobian_dynamics
from manipula.mechanics.models.lagrange import terms as lagrange
from manipula.mechanics.models.linear import regressor
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed, without_actuators
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from tests.pinocchio_oracle import Oracle, pin
from tests.random_robots import random_robot, random_state

QUICK, REST = range(40), range(40, 300)
TOLERANCE = 1e-10


@dataclass(frozen=True)
class Case:
    chain: Tree
    peer: Oracle
    q: list[float]
    qd: list[float]
    qdd: list[float]
    wrench: list[float]


@cache
def case(seed: int) -> Case:
    robot = random_robot(seed)
    chain = merge_fixed(bind(robot, FLOATS, {}))
    return Case(chain, Oracle(chain), *random_state(robot, seed))


def same(ours: Any, theirs: Any) -> None:
    """Equal to 1e-10 of the largest entry (or of 1, where all are small)."""
    a, b = np.array(ours, dtype=float), np.array(theirs, dtype=float)
    assert a.shape == b.shape
    assert np.abs(a - b).max(initial=0) <= TOLERANCE * max(1, np.abs(b).max(initial=0))


def torques(x: Case) -> Iterator[tuple[Any, Any]]:
    """Every way to the torque; friction is ours alone."""
    state = x.q, x.qd, x.qdd
    peer = x.peer.inverse_dynamics(*state, x.wrench) + np.array(friction(x.chain, x.qd))
    yield torque.inverse_dynamics(x.chain, *state, x.wrench), peer
    yield jacobian_dynamics.inverse_dynamics_jacobian(x.chain, *state, x.wrench), peer
    for terms in lagrange.METHODS.values():
        yield lagrange.inverse_dynamics_lagrange(x.chain, *state, x.wrench, terms), peer
    free = x.peer.inverse_dynamics(*state) + np.array(friction(x.chain, x.qd))
    yield torque.inverse_dynamics(x.chain, *state), free
    yield torque.wrench_torque(x.chain, x.q, x.wrench), -x.peer.jacobian(x.q).reshape(6, -1).T @ x.wrench
    yield np.array(torque.wrench_torque(x.chain, x.q, None)), np.zeros(x.chain.dof)


def parts(x: Case) -> Iterator[tuple[Any, Any]]:
    M = x.peer.inertia_matrix(x.q)
    yield composite.inertia_matrix(x.chain, x.q), M
    yield jacobian_dynamics.inertia_matrix_jacobian(x.chain, x.q), M
    yield torque.gravity(x.chain, x.q), x.peer.gravity(x.q)
    yield jacobian_dynamics.gravity_jacobian(x.chain, x.q), x.peer.gravity(x.q)
    yield composite.gravity_composite(x.chain, x.q), x.peer.gravity(x.q)
    yield torque.coriolis(x.chain, x.q, x.qd), x.peer.coriolis(x.q, x.qd)
    yield jacobian_dynamics.coriolis_jacobian(x.chain, x.q, x.qd), x.peer.coriolis(x.q, x.qd)
    yield christoffel.coriolis_matrix(x.chain, x.q, x.qd), x.peer.coriolis_matrix(x.q, x.qd)
    yield christoffel.coriolis_matrix_carried(x.chain, x.q, x.qd), x.peer.coriolis_matrix(x.q, x.qd)
    # Pinocchio's kinetic energy has no motor inertia in it for some joints, so its M speaks for ours
    rates = np.array(x.qd)
    yield energy.energy(x.chain, x.q, x.qd), (rates @ M @ rates / 2, x.peer.energy(x.q, x.qd)[1])
    bare = without_actuators(x.chain)
    yield energy.energy(bare, x.q, x.qd), Oracle(bare).energy(x.q, x.qd)


def motions(x: Case) -> Iterator[tuple[Any, Any]]:
    """Forward dynamics under the torques of a motion, and under others."""
    lost = np.array(friction(x.chain, x.qd))
    tau = [round(3 * np.sin(i + 1), 3) for i in range(x.chain.dof)]
    for forward_dynamics in (articulated_bodies.forward_dynamics, inertia_inverse.forward_dynamics):
        peer = x.peer.forward_dynamics(x.q, x.qd, tau - lost, x.wrench)
        yield forward_dynamics(x.chain, x.q, x.qd, tau, x.wrench), peer
        yield forward_dynamics(x.chain, x.q, x.qd, tau), x.peer.forward_dynamics(x.q, x.qd, tau - lost)
        given = torque.inverse_dynamics(x.chain, x.q, x.qd, x.qdd, x.wrench)
        yield forward_dynamics(x.chain, x.q, x.qd, given, x.wrench), x.qdd


def loads(x: Case) -> Iterator[tuple[Any, Any]]:
    state = x.q, x.qd, x.qdd
    yield torque.joint_wrenches(x.chain, *state, x.wrench), x.peer.joint_wrenches(*state, x.wrench)
    yield torque.joint_wrenches(x.chain, *state), x.peer.joint_wrenches(*state)


def regressors(x: Case) -> Iterator[tuple[Any, Any]]:
    """Pinocchio's columns are about the joint (m, s, xx xy yy xz yz zz); ours about each body's own frame."""
    theirs = pin.computeJointTorqueRegressor(x.peer.model, x.peer.data, *map(np.array, (x.q, x.qd, x.qdd)))
    theirs = theirs.reshape(x.chain.dof, -1)  # a single joint's comes as a vector
    Y = np.array(regressor.regressor(x.chain, x.q, x.qd, x.qdd), dtype=float)
    ours = dict(zip(regressor.columns(x.chain), Y.T, strict=True))
    for l, (link, parts) in enumerate(zip(x.chain.links, regressor.parts_of(x.chain))):
        for part in parts:
            units = [unit.seen_from(link.after @ part.at) for unit in regressor.UNIT_BODIES]
            seen = np.array(list(map(_pinocchio_order, units)), dtype=float)
            named = [ours[f"{name}{part.suffix}"] for name in regressor.BODY_NAMES]
            yield np.array(named).T, theirs[:, 10 * l : 10 * l + 10] @ seen.T
    for name, column in zip(("Ia", "fv", "fc", "fo"), (x.qdd, x.qd, np.sign(x.qd), np.ones(x.chain.dof))):
        yield np.array([ours[f"{name}{i + 1}"] for i in range(x.chain.dof)]), np.diag(column)


def _pinocchio_order(body: Any) -> list[Any]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.I
    return [body.m, *body.s, xx, xy, yy, xz, yz, zz]


CHECKS = (torques, parts, motions, loads, regressors)


@pytest.mark.drawn("check", few=3)
@pytest.mark.parametrize("check", CHECKS)
def test_forty_random_arms(check: Any) -> None:
    for seed in QUICK:
        for ours, theirs in check(case(seed)):
            same(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
def test_the_rest_of_three_hundred_random_arms(check: Any) -> None:
    for seed in REST:
        for ours, theirs in check(case(seed)):
            same(ours, theirs)


def test_the_arms_are_of_every_kind() -> None:
    """The forty have both joint kinds, both directions, motors, friction, a base and a tool."""
    links = [link for seed in QUICK for link in case(seed).chain.links]
    assert {(link.kind.name, link.direction) for link in links} == {
        (kind, way) for kind in ("revolute", "prismatic") for way in (1, -1)
    }
    assert any(all(link.actuator.parameters_by_letter().values()) for link in links)
    assert {case(seed).chain.dof for seed in QUICK} >= {1, 2, 3, 4, 5, 6, 7}
