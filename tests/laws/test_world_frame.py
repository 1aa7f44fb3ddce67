"""Every model of random arms, at the default level, against the world-frame text that shares nothing with it.

`make test` asks for every model once, some of them of each of a dozen drawn arms; `make test-all` the whole study:
1,700 arms of up to four joints and 300 of up to eight, every model, base parameters and their regressor included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state
from tests.world_frame import Array, World, slope

TOLERANCE = 1e-9
SMALL, LARGE = range(1700), range(1700, 2000)
SURE = 40.0  # held within ±1 it is 1
SHARES, ARMS = 12, 5  # the models in so many shares, so many arms for each; one of these is drawn
QUICK = [*SMALL[::33], *LARGE[::37]][-SHARES * ARMS :]  # odd steps: every number of joints is among them


@dataclass(frozen=True)
class Case:
    """An arm with values, its judge, a state, and some directions."""

    robot: mp.Robot
    world: World
    q: Array
    qd: Array
    qdd: Array
    wrench: Array
    other: Array  # (4, n): P, dq, dqd, dqdd or weights

    @property
    def tau(self) -> Array:
        return self.world.inverse_dynamics(self.q, self.qd, self.qdd, self.wrench)

    @property
    def ports(self) -> dict[str, Array]:
        named = dict(zip(("P", "dq", "dqd", "dqdd"), self.other))
        named |= {"dtau": self.other[3], "weights": self.other[0]}
        named |= {"qd_r": self.other[1], "qdd_r": self.other[2], "slip": SURE * np.sign(self.other[1])}
        named["way"] = np.sign(self.other[2])
        return {"q": self.q, "qd": self.qd, "qdd": self.qdd, "wrench": self.wrench, "tau": self.tau, **named}


def case(seed: int) -> Case:
    joints = 1 + seed % 4 if seed in SMALL else 1 + seed % 8
    robot = mp.Robot.of(random_robot(seed, joints=joints))
    q, qd, qdd, wrench = map(np.array, random_state(robot, seed))
    other = np.random.default_rng(seed).uniform(-1, 1, (4, robot.dof))
    return Case(robot, World(robot), q, qd, qdd, wrench, other)


# what the world-frame text says; the outputs of a model, in order


def _frames(c: Case) -> list[Array]:
    s = c.world.at(c.q)
    return [np.array([*s.links, s.tool])]


def _transforms(c: Case) -> list[Array]:
    s = c.world.at(c.q)
    before = [c.world.steps(c.robot.base), *s.links[:-1]]
    return [np.array([np.linalg.inv(a) @ b for a, b in zip(before, s.links)])]


def _tool_jacobian(c: Case) -> list[Array]:
    R = c.world.at(c.q).tool[:3, :3]
    return [np.vstack([R.T @ half for half in np.split(c.world.jacobian(c.q), 2)])]


def _recursion(c: Case) -> list[Array]:
    tau = c.world.mechanism(c.q, c.qd, c.qdd) - c.world.jacobian(c.q).T @ c.wrench
    return [*c.world.recursion(c.q, c.qd, c.qdd, c.wrench).values(), tau]


def _lagrange(c: Case) -> list[Array]:
    w, n = c.world, c.robot.dof
    A, g = w.inertia_matrix(c.q) - np.diag(w.motor), w.gravity(c.q)
    dM = np.stack([w.coriolis_matrix(c.q, e) for e in np.eye(n)], axis=-1)  # c_ijk of C_ij = Σ c_ijk q̇_k
    pairs = [(j, k) for j in range(n) for k in range(j + 1, n)]
    COR = np.array([[dM[i, j, k] for j, k in pairs] for i in range(n)]).reshape(n, len(pairs))
    CEN = np.array([[dM[i, j, j] for j in range(n)] for i in range(n)])
    FCOR, FCEN = 2 * COR @ np.array([c.qd[j] * c.qd[k] for j, k in pairs]), CEN @ c.qd**2
    P = c.other[0]
    return [A, COR, CEN, -g, A @ c.qdd, FCOR, FCEN, -g, P, A @ c.qdd + FCOR + FCEN + g + P]


def _forward_slopes(c: Case) -> list[Array]:
    """From τ = ID(q, q̇, q̈(q, q̇, τ)): ∂q̈ = −M⁻¹ ∂ID, M⁻¹ for the torques."""
    dq, dqd, M = c.world.inverse_dynamics_derivatives(c.q, c.qd, c.qdd, c.wrench)
    return [-np.linalg.solve(M, dq), -np.linalg.solve(M, dqd), np.linalg.inv(M)]


def _two_velocities(c: Case) -> list[Array]:
    """M q̈_r + C(q, q̇) q̇_r + g, and the friction of q̇_r: what its torques have beside those of the mechanism."""
    w, (_, qd_r, qdd_r, _) = c.world, c.other
    friction = w.inverse_dynamics(c.q, qd_r, 0 * qd_r) - w.coriolis(c.q, qd_r) - w.gravity(c.q)
    return [w.inertia_matrix(c.q) @ qdd_r + w.coriolis_matrix(c.q, c.qd) @ qd_r + w.gravity(c.q) + friction]


def _mobility(c: Case) -> Array:
    J = c.world.jacobian(c.q)
    return J @ np.linalg.solve(c.world.inertia_matrix(c.q), J.T)  # type: ignore[no-any-return]


def _friction(c: Case) -> Array:
    """fv q̇ + fc sat(slip) + fo, from the friction at the rate and just off rest."""
    rub, hair = lambda rate: c.world.friction(rate, 0 * rate), np.full(c.robot.dof, 1e-300)
    viscous = rub(c.qd) - rub(hair * np.sign(c.qd))
    return viscous + rub(0 * hair) + np.clip(c.ports["slip"], -1, 1) * (rub(hair) - rub(-hair)) / 2  # type: ignore[no-any-return]


def _momenta(c: Case) -> list[Array]:
    M, C = c.world.inertia_matrix(c.q), c.world.coriolis_matrix(c.q, c.qd)
    return [M @ c.qd, C.T @ c.qd - c.world.gravity(c.q)]


def _friction_parts(c: Case) -> list[Array]:
    """Just off rest friction is fo ± fc: half the difference of both ways is dry, what the velocity adds is viscous."""
    rub, hair = lambda rate: c.world.friction(rate, 0 * rate), np.full(c.robot.dof, 1e-300)
    viscous = rub(c.qd) - rub(hair * np.sign(c.qd))
    return [viscous + rub(0 * hair), c.ports["way"] * (rub(hair) - rub(-hair)) / 2]


def _smooth(c: Case) -> Array:
    return c.world.mechanism(c.q, c.qd, c.qdd) + c.world.motor * c.qdd + _friction(c)  # type: ignore[no-any-return]


def _inverse_slopes(c: Case) -> list[Array]:
    return list(c.world.inverse_dynamics_derivatives(c.q, c.qd, c.qdd, c.wrench))


def _untouched_slopes(c: Case) -> list[Array]:
    """Nothing at the tool."""
    return list(c.world.inverse_dynamics_derivatives(c.q, c.qd, c.qdd, 0 * c.wrench))


def _energy_of_what_moves(c: Case) -> list[Any]:
    """What stands still has no column: its potential energy is a constant."""
    kinetic, potential = c.world.energy(c.q, c.qd)
    still = [-b.m * c.world.g @ b.c for b in c.world.at(c.q).masses if not b.joints]
    return [kinetic, potential - sum(still)]


def _centroidal(c: Case) -> list[Array]:
    """Σ m v and Σ I w + (r − com) × m v, by columns; and the sum of the forces that the velocities ask for."""
    s, com = c.world.at(c.q), _centre(c, c.q)
    A, bias = np.zeros((6, c.world.dof)), np.zeros(6)
    for b, F, N in c.world.pushes(s, c.qd, 0 * c.qd):
        Jv, Jw = c.world.columns(s, b.c, b.joints)
        A += np.vstack([b.m * Jv, b.I @ Jw + b.m * np.cross(b.c - com, Jv, axis=0)])
        bare = F + b.m * c.world.g
        bias += np.r_[bare, N + np.cross(b.c - com, bare)]
    return [A @ c.qd, A, bias]


def _centre(c: Case, q: Array) -> Array:
    masses = c.world.at(q).masses
    return sum(b.m * b.c for b in masses) / sum(b.m for b in masses)  # type: ignore[no-any-return]


def _along(slopes: Callable[[Case], list[Array]]) -> Callable[[Case], list[Array]]:
    return lambda c: [sum(d @ x for d, x in zip(slopes(c), c.other[1:]))]  # type: ignore[list-item]


def _weighted(slopes: Callable[[Case], list[Array]]) -> Callable[[Case], list[Array]]:
    return lambda c: [c.other[0] @ d for d in slopes(c)]


Want = Callable[[Case], Sequence[Any]]
DYNAMIC: dict[str, Want] = {
    "inverse_dynamics": lambda c: [c.tau],
    "inverse_dynamics_smooth": lambda c: [_smooth(c)],
    "friction": lambda c: [_friction(c)],
    "momentum": _momenta,
    "friction_parts": _friction_parts,
    "newton_euler": _recursion,
    "lagrange_terms": _lagrange,
    "inertia_matrix": lambda c: [c.world.inertia_matrix(c.q)],
    "coriolis": lambda c: [c.world.coriolis(c.q, c.qd)],
    "coriolis_matrix": lambda c: [c.world.coriolis_matrix(c.q, c.qd)],
    "gravity": lambda c: [c.world.gravity(c.q)],
    "two_velocity_dynamics": _two_velocities,
    "energy": lambda c: c.world.energy(c.q, c.qd),
    "centroidal_momentum": _centroidal,
    "centre_of_mass": lambda c: [_centre(c, c.q)],
    "centre_of_mass_jacobian": lambda c: [slope(lambda q: _centre(c, q), c.q)],
    "joint_wrenches": lambda c: [c.world.joint_wrenches(c.q, c.qd, c.qdd, c.wrench)],
    "inverse_dynamics_derivatives": _inverse_slopes,
    "inverse_dynamics_jvp": _along(_inverse_slopes),
    "inverse_dynamics_vjp": _weighted(_inverse_slopes),
}
DIVIDING: dict[str, Want] = {  # by the inertia a joint feels
    "forward_dynamics": lambda c: [c.qdd],
    "inertia_matrix_inverse": lambda c: [np.linalg.inv(c.world.inertia_matrix(c.q))],
    "operational_mobility": lambda c: [_mobility(c)],
    "forward_dynamics_derivatives": _forward_slopes,
    "forward_dynamics_jvp": _along(_forward_slopes),
    "forward_dynamics_vjp": _weighted(_forward_slopes),
}
GEOMETRY: dict[str, Want] = {
    "pose": lambda c: [c.world.at(c.q).tool],
    "frames": _frames,
    "transforms": _transforms,
    "jacobian": lambda c: [c.world.jacobian(c.q)],
    "jacobian_tool": _tool_jacobian,
    "tool_bias": lambda c: [c.world.jacobian_dot(c.q, c.qd) @ c.qd],
    "tool_velocity": lambda c: [c.world.jacobian(c.q) @ c.qd],
    "tool_acceleration": lambda c: [c.world.jacobian(c.q) @ c.qdd + c.world.jacobian_dot(c.q, c.qd) @ c.qd],
    "jacobian_dot": lambda c: [c.world.jacobian_dot(c.q, c.qd)],
}
LINEAR: dict[str, Want] = {  # times the parameters, by name
    "regressor": lambda c: [c.world.inverse_dynamics(c.q, c.qd, c.qdd)],
    "base_regressor": lambda c: [c.world.inverse_dynamics(c.q, c.qd, c.qdd)],
    "two_velocity_regressor": _two_velocities,
    "energy_regressor": _energy_of_what_moves,
}
PULLED: dict[str, Want] = {  # weights λᵢ θⱼ of the entries: that of λᵀ Y θ = λᵀ τ
    "regressor_vjp": _weighted(_untouched_slopes),
    "base_regressor_vjp": _weighted(_untouched_slopes),
}
EVERY = GEOMETRY | DYNAMIC | DIVIDING | LINEAR | PULLED
# their own files: laws/test_orientation, laws/test_inverse, laws/test_operational, laws/test_adaptive,
# laws/test_manipulability, laws/test_axes
BARE = {"orientation", "inverse_kinematics", "operational_inertia", "two_velocity_products"}
BARE |= {"loaded_dynamics", "base_inertia_matrix", "manipulability", "axes"}
TAKE_WRENCH = {name for name, model in MODELS.items() if model.takes_wrench}


def outputs(c: Case, name: str, symbolic: str) -> list[Array]:
    model = mp.generate(c.robot, name, symbolic=symbolic, wrench=name in TAKE_WRENCH)
    given = {**c.ports, "p": np.array([c.robot.parameters[p] for p in model.inputs.get("p", ())])}
    if name in PULLED:
        given["cotangent"] = np.outer(c.other[0], parameters_of(c, name, model)).ravel()
    values = {s: float(x) for port, names in model.inputs.items() for s, x in zip(names, given[port], strict=True)}
    found = model.function(values, FLOATS)
    arrays = [np.array(found[port.name], dtype=float).reshape(port.shape) for port in model.function.outputs]
    if name not in LINEAR:
        return arrays
    return [rows @ parameters_of(c, name, model) for rows in arrays]


def parameters_of(c: Case, name: str, model: mp.Model) -> Array:
    """One a column of the regressor."""
    known = c.robot.base_parameters if MODELS[name].ranked else c.robot.standard_parameters
    return np.array([known[column] for column in model.columns])


def check(c: Case, name: str, symbolic: str) -> None:
    if name in DIVIDING and np.linalg.cond(c.world.inertia_matrix(c.q)) > 1e9:
        with pytest.raises(mp.ManipulaError, match="inertia"):
            mp.generate(c.robot, name, symbolic=symbolic)
        return
    for mine, true in zip(outputs(c, name, symbolic), EVERY[name](c), strict=True):
        scale = max(1.0, float(np.max(np.abs(true), initial=0)))
        np.testing.assert_allclose(mine, true, rtol=0, atol=TOLERANCE * scale, err_msg=f"{name}, symbolic={symbolic}")


def test_every_model_has_a_judge() -> None:
    assert set(EVERY) | BARE == set(MODELS)


@pytest.mark.parametrize("seed", range(ARMS))
@pytest.mark.parametrize("share", range(SHARES))
def test_a_share_of_the_models(share: int, seed: int) -> None:
    asked = case(QUICK[ARMS * share + seed])
    for name in list(EVERY)[share::SHARES]:
        check(asked, name, "all" if seed % 3 == 0 else "auto")


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(start, start + 10) for start in range(0, 2000, 10)], ids=str)
def test_every_model(seeds: range) -> None:
    for seed in seeds:
        for name in EVERY:
            check(case(seed), name, "all" if seed % 3 == 0 else "auto")


@pytest.mark.parametrize("joints", ["FR", "FFRP", "FPFR", "RFF"])
def test_heavy_ground(joints: str) -> None:
    """What stands before the first moving joint has potential energy, too."""
    for seed in range(4):
        robot = mp.Robot.of(random_robot(seed, joints=joints))
        q, qd, qdd, wrench = map(np.array, random_state(robot, seed))
        check(Case(robot, World(robot), q, qd, qdd, wrench, np.zeros((4, robot.dof))), "energy", "auto")
