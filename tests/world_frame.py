"""Mechanics of an arm once more, in world axes and straight from the description: the judge of the models.

Nothing of the package's own binding, merging, spatial algebra or models is used. Every body, those of fixed rows,
carried branches and payloads too, is followed by itself; velocities are Jacobians of points, torques are d'Alembert's
sums Σ Jᵥᵀ·m(a − g) + J_wᵀ(Iα + w×Iw), derivatives are complex steps. Slow, and short enough to be read.

Sources: J. J. Craig, Introduction to Robotics, ch. 5 (Jacobians) and 6.10 (Lagrange); R. M. Murray, Z. Li and
S. S. Sastry, A Mathematical Introduction to Robotic Manipulation, eq. 4.23 (Christoffel symbols).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.mechanics.robot.description import Body, Cell, Joint, RobotDescription, Steps
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, ParameterOp

Array = NDArray[Any]  # complex numbers pass through: no abs, no conjugate
STEP = 1e-30


@dataclass(frozen=True)
class Axis:
    """A moving joint at a configuration: unit vector along increasing q, and the joint's point (moving side).

    `turns` and `slides` are how much of either a unit of q makes: 1 and 0, 0 and 1, 1 and the pitch of a screw.
    """

    turns: float
    slides: float
    z: Array
    o: Array


@dataclass(frozen=True)
class Mass:
    """A body at a configuration: how many joints move it, its centre, its tensor about that, world axes."""

    joints: int
    m: Any
    c: Array
    I: Array


@dataclass(frozen=True)
class Snapshot:
    """The arm at one configuration, world axes."""

    axes: list[Axis]
    links: list[Array]  # 4×4, frame of every moving link
    tool: Array
    masses: list[Mass]


def number(parameter: Parameter, values: dict[str, Parameter]) -> float:
    match parameter:
        case Num(value):
            return float(value)
        case Deg(value):
            return float(value) * pi / 180
        case Name(name):
            return number(values[name], values)
        case ParameterOp(op, args):
            parts = [number(arg, values) for arg in args]
            return float(_OPS[op](*parts))
    raise TypeError(parameter)


_OPS: dict[str, Any] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y,
    "**": lambda x, y: x**y, "neg": lambda x: -x, "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt,
}  # fmt: skip


class World:
    """The arm of a description whose every name has a value."""

    def __init__(self, robot: RobotDescription, free: Mapping[str, float] | None = None) -> None:
        """`free`: values of names the robot leaves open, in place of those it gives."""
        given = {name: Num(Fraction(value)) for name, value in (free or {}).items()}
        self.robot, self.values = robot, {**dict(robot.values), **given}
        self.moving = [joint for joint in robot.joints if joint.kind != "fixed"]
        self.dof = len(self.moving)
        self.g = np.array([self.of(cell) for cell in robot.gravity])
        self.motor = np.array([self.of(joint.motor_inertia) for joint in self.moving])

    def of(self, cell: Cell) -> float:
        return number(cell.parameter, self.values)

    # geometry

    def at(self, q: Sequence[Any]) -> Snapshot:
        T, found, done = self.steps(self.robot.base), Snapshot([], [], np.eye(4), []), 0
        for joint in self.robot.joints:
            T = T @ self.steps(joint.before)
            if joint.kind == "fixed":
                T = T @ self.steps(joint.after)
            else:
                x, turns, slides = joint.direction * q[done], *self.shares(joint)
                start = turn("z", self.of(joint.offset)) if turns else shift("z", self.of(joint.offset))
                T = T @ start @ turn("z", turns * x) @ shift("z", slides * x)
                found.axes.append(Axis(turns, slides, joint.direction * T[:3, 2], T[:3, 3]))
                T, done = T @ self.steps(joint.after), done + 1
                found.links.append(T)
            if joint.body is not None:
                found.masses.append(self.mass(T, joint.body, done))
            for held in joint.carries:
                found.masses.append(self.mass(T @ self.steps(held.at), held.body, done))
        tool = T @ self.steps(self.robot.tool)
        loads = [self.mass(tool, body, done) for body in self.robot.payload]
        return Snapshot(found.axes, found.links, tool, found.masses + loads)

    def shares(self, joint: Joint) -> tuple[float, float]:
        """How far the joint turns and slides as q grows by 1."""
        if joint.kind == "helical":
            return 1.0, self.of(joint.of_kind[0])
        return {"revolute": (1.0, 0.0), "prismatic": (0.0, 1.0)}[joint.kind]

    def steps(self, steps: Steps) -> Array:
        T: Array = np.eye(4)
        for step in steps:
            T = T @ (turn if step.kind[0] == "r" else shift)(step.kind[1], self.of(step.amount))
        return T

    def mass(self, T: Array, body: Body, joints: int) -> Mass:
        """From whatever the file gives to mass, centre and tensor about the centre."""
        m, first = self.of(body.mass), np.array([self.of(cell) for cell in body.centre])
        c = first if body.centre_is == "com" else first / m if m else first * 0
        xx, xy, xz, yy, yz, zz = (self.of(cell) for cell in body.inertia)
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if body.inertia_is == "second_moment":
            I = np.trace(I) * np.eye(3) - I
        if body.inertia_is != "com":
            I = I - m * (c @ c * np.eye(3) - np.outer(c, c))  # Steiner
        R = T[:3, :3]
        return Mass(joints, m, T[:3, 3] + R @ c, R @ I @ R.T)

    # motion of a point that the first k joints move

    def columns(self, s: Snapshot, p: Array, k: int) -> tuple[Array, Array]:
        """Jᵥ, J_w (3, n): J_j = (z×(p − o), z) for a turn, (z, 0) for a slide, their sum for a screw."""
        Jv, Jw = np.zeros((2, 3, self.dof), dtype=p.dtype)
        for j, axis in enumerate(s.axes[:k]):
            Jv[:, j] = axis.turns * np.cross(axis.z, p - axis.o) + axis.slides * axis.z
            Jw[:, j] = axis.turns * axis.z
        return Jv, Jw

    def column_rates(self, s: Snapshot, p: Array, k: int, qd: Array) -> tuple[Array, Array]:
        """d/dt of `columns`: ż = w×z with w of the link before, ȯ the speed of the joint's point."""
        Jv, Jw = self.columns(s, p, k)
        v, (Av, Aw) = Jv @ qd, np.zeros((2, 3, self.dof), dtype=(p[0] * qd[0]).dtype)
        for j, axis in enumerate(s.axes[:k]):
            zd = np.cross(Jw[:, :j] @ qd[:j], axis.z)
            od = self.columns(s, axis.o, j)[0] @ qd  # the point on link j − 1 under the joint
            Av[:, j] = axis.turns * (np.cross(zd, p - axis.o) + np.cross(axis.z, v - od)) + axis.slides * zd
            Aw[:, j] = axis.turns * zd
        return Av, Aw

    def motion(self, s: Snapshot, p: Array, k: int, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """(acceleration of the point, w, ẇ)"""
        (Jv, Jw), (Av, Aw) = self.columns(s, p, k), self.column_rates(s, p, k, qd)
        return Jv @ qdd + Av @ qd, Jw @ qd, Jw @ qdd + Aw @ qd

    def pushes(self, s: Snapshot, qd: Array, qdd: Array) -> list[tuple[Mass, Array, Array]]:
        """For every body m(a − g) and Iẇ + w×Iw."""
        found = []
        for b in s.masses:
            a, w, wd = self.motion(s, b.c, b.joints, qd, qdd)
            found.append((b, b.m * (a - self.g), b.I @ wd + np.cross(w, b.I @ w)))
        return found

    # the models

    def jacobian(self, q: Array) -> Array:
        s = self.at(q)
        return np.vstack(self.columns(s, s.tool[:3, 3], self.dof))

    def jacobian_dot(self, q: Array, qd: Array) -> Array:
        s = self.at(q)
        return np.vstack(self.column_rates(s, s.tool[:3, 3], self.dof, qd))

    def friction(self, qd: Array, loads: Array) -> Array:
        """Joint by joint, law by law."""
        return np.array([sum(self.laws(joint, *at)) for joint, *at in zip(self.moving, qd, loads)])

    def laws(self, joint: Joint, rate: Any, load: Any) -> list[Any]:
        return [FRICTION[law.key](rate, load, *map(self.of, law.values)) for law in joint.actuator.laws]

    def mechanism(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques without motors and friction."""
        s, tau = self.at(q), 0
        for b, F, N in self.pushes(s, qd, qdd):
            Jv, Jw = self.columns(s, b.c, b.joints)
            tau = tau + Jv.T @ F + Jw.T @ N
        return tau + np.zeros(self.dof)

    def recursion(self, q: Array, qd: Array, qdd: Array, wrench: Any = None) -> dict[str, Array]:
        """w wd vd F N f n (n, 3) of every link in its own frame, moments about its origin, gravity as −g upwards."""
        s, given = self.at(q), np.zeros(6) if wrench is None else np.asarray(wrench)
        pushes, rows = self.pushes(s, qd, qdd), []
        for i, link in enumerate(s.links, 1):
            R, o = link[:3, :3], link[:3, 3]
            a, w, wd = self.motion(s, o, i, qd, qdd)
            forces = [(b.joints, np.array([F, N + np.cross(b.c - o, F)])) for b, F, N in pushes]
            own = sum((x for joints, x in forces if joints == i), np.zeros((2, 3)))
            beyond = sum((x for joints, x in forces if joints >= i), np.zeros((2, 3)))
            lost = np.array([given[:3], given[3:] + np.cross(s.tool[:3, 3] - o, given[:3])])
            rows.append([x @ R for x in (w, wd, a - self.g, *own, *(beyond - lost))])
        return dict(zip(["w", "wd", "vd", "F", "N", "f", "n"], np.array(rows).transpose(1, 0, 2)))

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array, wrench: Any = None) -> Array:
        bare = self.mechanism(q, qd, qdd)
        bare = bare if wrench is None else bare - self.jacobian(q).T @ wrench
        return bare + self.motor * qdd + self.friction(qd, bare)

    def gravity(self, q: Array) -> Array:
        return self.mechanism(q, np.zeros(self.dof), np.zeros(self.dof))

    def coriolis(self, q: Array, qd: Array) -> Array:
        return self.mechanism(q, qd, np.zeros(self.dof)) - self.gravity(q)

    def inertia_matrix(self, q: Array) -> Array:
        s, M = self.at(q), np.diag(self.motor).astype(complex)
        for b in s.masses:
            Jv, Jw = self.columns(s, b.c, b.joints)
            M = M + b.m * Jv.T @ Jv + Jw.T @ b.I @ Jw
        return M if np.iscomplexobj(q) else M.real

    def coriolis_matrix(self, q: Array, qd: Array) -> Array:
        """C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_kj/∂q_i) q̇_k"""
        dM = slope(self.inertia_matrix, q)  # (i, j, k)
        return 0.5 * (dM @ qd + np.einsum("ikj,k->ij", dM, qd) - np.einsum("kji,k->ij", dM, qd))

    def energy(self, q: Array, qd: Array) -> tuple[float, float]:
        potential = -sum(b.m * self.g @ b.c for b in self.at(q).masses)
        return 0.5 * qd @ self.inertia_matrix(q) @ qd, float(potential)

    def joint_wrenches(self, q: Array, qd: Array, qdd: Array, wrench: Any = None) -> Array:
        """Of link i − 1 on link i, at the joint's point, in link i's axes."""
        s, given = self.at(q), np.zeros(6) if wrench is None else np.asarray(wrench)
        pushes, rows = self.pushes(s, qd, qdd), []
        for i, (axis, link) in enumerate(zip(s.axes, s.links), 1):
            beyond = [(F, N + np.cross(b.c - axis.o, F)) for b, F, N in pushes if b.joints >= i]
            tip = np.cross(s.tool[:3, 3] - axis.o, given[:3]) + given[3:]
            f = sum((F for F, _ in beyond), np.zeros(3)) - given[:3]
            n = sum((N for _, N in beyond), np.zeros(3)) - tip
            rows.append(np.concatenate([link[:3, :3].T @ f, link[:3, :3].T @ n]))
        return np.array(rows)

    def inverse_dynamics_derivatives(self, q: Array, qd: Array, qdd: Array, wrench: Any = None) -> tuple[Array, ...]:
        """∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈"""
        return (
            slope(lambda x: self.inverse_dynamics(x, qd, qdd, wrench), q),
            slope(lambda x: self.inverse_dynamics(q, x, qdd, wrench), qd),
            self.inertia_matrix(q),
        )


def _asymmetric(rate: Any, load: Any, fcp: float, fcm: float, fvp: float, fvm: float) -> Any:
    if np.real(rate) == 0:
        return 0 * rate
    return fcp + fvp * rate if np.real(rate) > 0 else -fcm + fvm * rate


FRICTION: dict[str, Any] = {  # by key, of the rate, the load and the parameters in the order of the file
    "viscous": lambda rate, load, fv: fv * rate,
    "coulomb": lambda rate, load, fc: fc * np.sign(np.real(rate)),
    "offset": lambda rate, load, fo: fo,
    "asymmetric": _asymmetric,
    "stribeck": lambda rate, load, fs, vs: fs * np.exp(-((rate / vs) ** 2)) * np.sign(np.real(rate)),
    "load": lambda rate, load, fl: fl * load * np.sign(np.real(load)) * np.sign(np.real(rate)),
}


def slope(f: Any, x: Array) -> Array:
    """∂f/∂x, last axis x, by complex steps: exact to rounding."""
    return np.stack([np.imag(f(x + 1j * STEP * e)) / STEP for e in np.eye(len(x))], axis=-1)


def turn(axis: str, x: Any) -> Array:
    T: Array = np.eye(4, dtype=np.asarray(x).dtype if np.iscomplexobj(x) else float)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    T[i, i] = T[j, j] = np.cos(x)
    T[j, i] = np.sin(x)
    T[i, j] = -T[j, i]
    return T


def shift(axis: str, x: Any) -> Array:
    T: Array = np.eye(4, dtype=np.asarray(x).dtype if np.iscomplexobj(x) else float)
    T["xyz".index(axis), 3] = x
    return T
