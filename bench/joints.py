"""An arm of revolute joints as plain numbers, joint by joint, for libraries that want it so; random arms; MJCF.

A joint's frame sits on its axis, z along it, so that joint i is placed at after(i−1) · before(i) · motion(offset) and
its link is seen from there. Offsets and constant turns are in the placements: a joint's angle is its coordinate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import manipula as mp
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.placement import Placement

Array = Any


class Joint(NamedTuple):
    R: Array  # (3, 3) and (3,): its frame seen from the joint before
    p: Array
    m: float
    c: Array  # centre of mass of the link, seen from the joint
    I: Array  # (3, 3) about the centre of mass


def numeric_chain(robot: mp.Robot) -> Tree:
    return merge_fixed(bind(robot, FLOATS, {}))


def joints_of(robot: mp.Robot) -> list[Joint]:
    chain = numeric_chain(robot)
    road, joints = _numbers(chain.base), []
    for link in chain.links:
        if link.kind.name != "revolute" or link.direction != 1:
            raise ValueError(f"{robot.name}: {link.name}: only joints that turn about +z are compared")
        before, after = _numbers(link.before), _numbers(link.after)
        at = road @ before @ _numbers(link.kind.motion(float(link.offset), chain.maths))
        m, s, I = float(link.inertia.m), np.array(link.inertia.s, float), np.array(link.inertia.I, float)
        c = s / m if m else 0 * s
        about_com = I - m * (c @ c * np.eye(3) - np.outer(c, c))
        R, p = after[:3, :3], after[:3, 3]
        joints.append(Joint(snapped(at[:3, :3]), at[:3, 3], m, R @ c + p, R @ about_com @ R.T))
        road = after
    return joints


def _numbers(at: Placement) -> Array:
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = np.array(at.R, float), np.array(at.p, float)
    return whole


def snapped(R: Array) -> Array:
    """Without the rounding of right angles: a generator may then see the zeros."""
    whole = np.round(R)
    return np.where(abs(R - whole) < 1e-12, whole, R)


def packed(joints: list[Joint]) -> Array:
    """(n, 22), as `drivers/arm.h` lays it out."""
    upper = np.triu_indices(3)
    return np.array([[*j.R.ravel(), *j.p, j.m, *j.c, *j.I[upper]] for j in joints])


def random_chain(joints: int) -> mp.Robot:
    """Nothing parallel, nothing perpendicular, bodies without symmetry but physical; the same arm every time."""
    draw = np.random.default_rng(joints)

    def number(low: float, high: float) -> float:
        return round(float(draw.uniform(low, high)), 6)

    rows = []
    for _ in range(joints):
        A = draw.normal(size=(3, 3))
        P = 0.01 * (A @ A.T + np.eye(3))  # second moments
        I = np.round(np.trace(P) * np.eye(3) - P, 6).tolist()
        inertia = {"xx": I[0][0], "yy": I[1][1], "zz": I[2][2], "xy": I[0][1], "xz": I[0][2], "yz": I[1][2]}
        table = {"theta": number(-180, 180), "d": number(-0.3, 0.3), "a": number(-0.3, 0.3), "alpha": number(-180, 180)}
        com = [number(-0.1, 0.1) for _ in range(3)]
        rows.append({**table, "mass": number(0.5, 4), "com": com, "inertia": inertia})
    return mp.Robot.from_dh(rows, convention="standard", angle="deg", name=f"random{joints}")


def mjcf(joints: list[Joint]) -> str:
    """The arm in MuJoCo's own format. It refuses inertias no body can have, such as some published of the PUMA 560."""
    opening, closing = [], []
    for i, j in enumerate(joints):
        I = j.I
        full = _text([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        inertial = f'<inertial pos="{_text(j.c)}" mass="{max(j.m, 1e-9)!r}" fullinertia="{full}"/>'
        place = f'pos="{_text(j.p)}" quat="{_text(quaternion(j.R))}"'
        opening.append(f'<body name="link{i}" {place}>{inertial}<joint type="hinge" axis="0 0 1" armature="0"/>')
        closing.append("</body>")
    compiler = '<compiler balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/>'
    body = "\n".join([*opening, *closing])
    return f'<mujoco>{compiler}<option gravity="0 0 -9.81"/><worldbody>{body}</worldbody></mujoco>'


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def quaternion(R: Array) -> Array:
    """(w, x, y, z) of the rotation: the eigenvector of the largest eigenvalue of Davenport's matrix."""
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    K = np.zeros((4, 4))
    K[0, 0], K[0, 1:], K[1:, 0] = np.trace(R), (x, y, z), (x, y, z)
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    return np.linalg.eigh(K)[1][:, -1]
