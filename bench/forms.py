"""Known ways to the models, as plain recursions over CasADi's expressions: what a careful user would write down.

Where there are several ways the fastest stands for the best generated code that existed before this package:

    torques        the text of this package's plain model; Newton–Euler in frames that sit on the joints
    derivatives    CasADi's own derivative of the latter; the closed form of Singh, Russo and Wensing (2022), world axes
    of accelerations   −M⁻¹ times those of the torques, M factored as L·D·Lᵀ
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import casadi
import numpy as np
from joints import Joint, numeric_chain

import manipula as mp
from manipula.mechanics.models.dynamics import articulated_bodies, composite, torque
from manipula.mechanics.models.kinematics import jacobian, pose
from manipula.mechanics.models.linear import regressor
from manipula.mechanics.robot.tree import map_tree

SX = casadi.SX


class CasadiMaths:
    """`Maths` over CasADi's SX."""

    def number(self, value: Any) -> Any:
        return SX(float(value))

    def degrees(self, value: Any) -> Any:
        return SX(np.deg2rad(float(value)))

    def sin(self, x: Any) -> Any:
        return casadi.sin(x)

    def cos(self, x: Any) -> Any:
        return casadi.cos(x)

    def sqrt(self, x: Any) -> Any:
        return casadi.sqrt(x)

    def sign(self, x: Any) -> Any:
        return casadi.sign(x)


class Symbols(NamedTuple):
    """The arm and its state."""

    chain: Any
    joints: list[Joint]
    q: Any
    v: Any
    a: Any

    @property
    def state(self) -> list[Any]:
        return [casadi.vertsplit(x) for x in (self.q, self.v, self.a)]


def symbols_of(robot: mp.Robot, joints: list[Joint]) -> Symbols:
    chain = map_tree(numeric_chain(robot), lambda x: x if x else 0, CasadiMaths())
    return Symbols(chain, joints, *(SX.sym(name, robot.dof) for name in ("q", "v", "a")))


def column(value: Any) -> Any:
    flat: list[Any] = []

    def walk(x: Any) -> None:
        if isinstance(x, list | tuple):
            for item in x:
                walk(item)
        else:
            flat.append(SX(x))

    walk(value)
    return casadi.vertcat(*flat)


# torques


def text(model: Callable[..., Any]) -> Callable[[Symbols], list[Any]]:
    """A plain model of this package, run on CasADi's expressions."""
    return lambda s: [column(model(s.chain, *s.state))]


def newton_euler(s: Symbols, a: Any = None) -> Any:
    """Rates and accelerations outward, forces inward; every vector in the axes of its own joint."""
    q, v, qdd = casadi.vertsplit(s.q), casadi.vertsplit(s.v), casadi.vertsplit(s.a if a is None else a)
    z, w, dw, p = SX([0, 0, 1]), SX(3, 1), SX(3, 1), SX([0, 0, 9.81])
    turns, forces, moments = [], [], []
    for j, angle, rate, change in zip(s.joints, q, v, qdd):
        R = casadi.mtimes(casadi.sparsify(SX(j.R)), turn(angle))
        at = p + casadi.cross(dw, j.p) + casadi.cross(w, casadi.cross(w, j.p))
        before = casadi.mtimes(R.T, w)
        dw = casadi.mtimes(R.T, dw) + z * change + casadi.cross(before, z * rate)
        w, p = before + z * rate, casadi.mtimes(R.T, at)
        I = casadi.sparsify(SX(j.I))
        forces.append(j.m * (p + casadi.cross(dw, j.c) + casadi.cross(w, casadi.cross(w, j.c))))
        moments.append(casadi.mtimes(I, dw) + casadi.cross(w, casadi.mtimes(I, w)))
        turns.append(R)
    return _inward(s.joints, turns, forces, moments)


def _inward(joints: list[Joint], turns: list[Any], forces: list[Any], moments: list[Any]) -> Any:
    f, n, tau = SX(3, 1), SX(3, 1), []
    for j, R, F, N in zip(joints[::-1], turns[::-1], forces[::-1], moments[::-1]):
        n, f = N + n + casadi.cross(j.c, F), F + f
        tau.append(n[2])
        f = casadi.mtimes(R, f)
        n = casadi.mtimes(R, n) + casadi.cross(j.p, f)
    return casadi.vertcat(*tau[::-1])


def turn(angle: Any) -> Any:
    c, s, R = casadi.cos(angle), casadi.sin(angle), SX(3, 3)
    R[0, 0], R[0, 1], R[1, 0], R[1, 1], R[2, 2] = c, -s, s, c, 1
    return R


# derivatives of torques


def by_tool(s: Symbols, a: Any = None) -> list[Any]:
    """CasADi's derivative of the torques."""
    tau = newton_euler(s, a)
    return [casadi.jacobian(tau, x) for x in (s.q, s.v, s.a if a is None else a)]


def closed_form(s: Symbols, a: Any = None) -> list[Any]:
    """Motions are (angular, linear) at the world's origin. With S, v, a, I, f of each joint, composites inward of it:

    Ψ' = v₋ × S    Ψ" = a₋ × S + v₋ × Ψ'    B = ½ (v ×* I − I v× + (I v)×̄*)
    """
    q, rates, changes = casadi.vertsplit(s.q), casadi.vertsplit(s.v), casadi.vertsplit(s.a if a is None else a)
    place_R, place_p = SX.eye(3), SX(3, 1)
    v, acc = SX(6, 1), SX([0, 0, 0, 0, 0, 9.81])
    S, dS, first, second, I, B, f = [], [], [], [], [], [], []
    for j, angle, rate, change in zip(s.joints, q, rates, changes):
        place_p = place_p + casadi.mtimes(place_R, j.p)
        place_R = casadi.mtimes(place_R, casadi.mtimes(casadi.sparsify(SX(j.R)), turn(angle)))
        axis = casadi.vertcat(place_R[:, 2], casadi.cross(place_p, place_R[:, 2]))
        first.append(moved(v, axis))
        second.append(moved(acc, axis) + moved(v, first[-1]))
        v = v + axis * rate
        dS.append(moved(v, axis))
        acc = acc + axis * change + dS[-1] * rate
        body = world_inertia(j, place_R, place_p)
        h = casadi.mtimes(body, v)
        S.append(axis)
        I.append(body)
        B.append(casadi.mtimes(wrench_cross(v), body) - casadi.mtimes(body, motion_cross(v)) + barred(h))
        f.append(casadi.mtimes(body, acc) + casadi.mtimes(wrench_cross(v), h))
    return _assembled(S, dS, first, second, I, B, f)


def _assembled(S: Any, dS: Any, first: Any, second: Any, I: Any, B: Any, f: Any) -> list[Any]:
    n = len(S)
    dq, dv, da = SX(n, n), SX(n, n), SX(n, n)
    for i in reversed(range(n)):
        if i + 1 < n:
            I[i], B[i], f[i] = I[i] + I[i + 1], B[i] + B[i + 1], f[i] + f[i + 1]
        heavy = casadi.mtimes(I[i], S[i])
        sideways = casadi.mtimes(B[i].T, S[i])
        by_q = casadi.mtimes(B[i], first[i]) + casadi.mtimes(I[i], second[i]) + casadi.mtimes(barred(f[i]), S[i])
        by_v = casadi.mtimes(B[i], S[i]) + casadi.mtimes(I[i], first[i] + dS[i])
        for j in range(i + 1):
            da[i, j] = da[j, i] = casadi.dot(S[j], heavy)
            dq[i, j] = casadi.dot(sideways, first[j]) + casadi.dot(heavy, second[j])
            dv[i, j] = casadi.dot(sideways, S[j]) + casadi.dot(heavy, first[j] + dS[j])
            if j < i:
                dq[j, i], dv[j, i] = casadi.dot(S[j], by_q), casadi.dot(S[j], by_v)
    return [dq, dv, da]


def hat(x: Any) -> Any:
    return casadi.skew(x)


def moved(v: Any, m: Any) -> Any:
    """v × m"""
    w, u = v[:3], v[3:]
    return casadi.vertcat(casadi.cross(w, m[:3]), casadi.cross(w, m[3:]) + casadi.cross(u, m[:3]))


def motion_cross(v: Any) -> Any:
    return casadi.blockcat([[hat(v[:3]), SX(3, 3)], [hat(v[3:]), hat(v[:3])]])


def wrench_cross(v: Any) -> Any:
    return -motion_cross(v).T


def barred(f: Any) -> Any:
    """The matrix with (f×̄*) v = v ×* f."""
    return casadi.blockcat([[-hat(f[:3]), -hat(f[3:])], [-hat(f[3:]), SX(3, 3)]])


def world_inertia(j: Joint, R: Any, p: Any) -> Any:
    c = hat(p + casadi.mtimes(R, j.c))
    I = casadi.mtimes(casadi.mtimes(R, casadi.sparsify(SX(j.I))), R.T) + j.m * casadi.mtimes(c, c.T)
    return casadi.blockcat([[I, j.m * c], [j.m * c.T, j.m * SX.eye(3)]])


# derivatives of accelerations


def by_torques(derivatives: Callable[[Symbols, Any], list[Any]]) -> Callable[[Symbols], list[Any]]:
    """∂q̈/∂x = −M⁻¹ ∂τ/∂x where q̈ belongs to the torque."""

    def form(s: Symbols) -> list[Any]:
        held = SX.sym("held", s.a.shape[0])
        dq, dv, M = derivatives(s, held)
        inverse = inverted(M)
        found = column(articulated_bodies.forward_dynamics(s.chain, *s.state))
        dq, dv = (casadi.substitute(x, held, found) for x in (dq, dv))
        return [-casadi.mtimes(inverse, dq), -casadi.mtimes(inverse, dv), inverse]

    return form


def inverted(M: Any) -> Any:
    """M⁻¹ by M = L·D·Lᵀ, from the lower triangle."""
    n = M.shape[0]
    L, D = SX.eye(n), [SX(0)] * n
    for j in range(n):
        D[j] = M[j, j] - sum((L[j, k] * L[j, k] * D[k] for k in range(j)), SX(0))
        for i in range(j + 1, n):
            L[i, j] = (M[i, j] - sum((L[i, k] * L[j, k] * D[k] for k in range(j)), SX(0))) / D[j]
    U = SX.eye(n)  # L⁻¹
    for j in range(n):
        for i in range(j + 1, n):
            U[i, j] = -sum((L[i, k] * U[k, j] for k in range(j, i)), SX(0))
    rows = [[sum((U[k, i] * U[k, j] / D[k] for k in range(max(i, j), n)), SX(0)) for j in range(n)] for i in range(n)]
    return casadi.vertcat(*(casadi.horzcat(*row) for row in rows))


Form = Callable[[Symbols], Sequence[Any]]
FORMS: dict[str, dict[str, Form]] = {
    "inverse_dynamics": {"text": text(torque.inverse_dynamics), "on_joints": lambda s: [newton_euler(s)]},
    "frames": {"text": text(lambda c, q, v, a: [at.rows() for at in pose.frames(c, q)])},
    "jacobian": {"text": text(lambda c, q, v, a: jacobian.jacobian(c, q))},
    "gravity": {"text": text(lambda c, q, v, a: torque.gravity(c, q))},
    "inertia_matrix": {"text": text(lambda c, q, v, a: composite.inertia_matrix(c, q))},
    "forward_dynamics": {"text": text(articulated_bodies.forward_dynamics)},
    "regressor": {"text": text(regressor.regressor)},
    "inverse_dynamics_derivatives": {
        "ad": by_tool,
        "closed": closed_form,
    },
    "forward_dynamics_derivatives": {"by_ad": by_torques(by_tool), "by_closed": by_torques(closed_form)},
}
