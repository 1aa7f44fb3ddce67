"""Loops on a base that moves: the motors feel the open tree through the closure, and so does the base."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.closure.constraint import closure_bias, closure_rows, seen_from_world
from tests.floating_robots import State, near, on_base, run, tree_of
from tests.laws.test_loops import closed_at
from tests.linkages import ALL

NAMES = ("four-bar", "delta", "spatial z")


class Closed:
    """A linkage on a base that moves, at a closed position, and the same robot cut open."""

    def __init__(self, name: str, seed: int) -> None:
        made = ALL[name](seed)
        self.robot = mp.Robot.of(on_base(made, seed))
        self.open = replace(on_base(made, seed), loops=(), motors=(), origin=self.robot.origin)
        self.q, self.qd, self.qdd = closed_at(made, seed)
        whole = self.whole = State(self.open, seed)
        whole["q"] = self.q
        tree = tree_of(made)
        of = tree.coordinates
        at = of.spread(list(map(float, self.q)))
        J = np.array(of.gather_columns(closure_rows(tree, at, seen_from_world)), dtype=float)
        driven = list(made.motor_coordinates)
        rest = [k for k in range(made.dof) if k not in driven]
        self.G = np.zeros((made.dof, len(driven)))
        self.G[driven] = np.eye(len(driven))
        self.G[rest] = -np.linalg.lstsq(J[:, rest], J[:, driven], rcond=None)[0]
        rates = self.G @ self.qd
        bias = np.array(closure_bias(tree, at, of.spread(list(map(float, rates))), seen_from_world), dtype=float)
        self.rest = np.zeros(made.dof)
        self.rest[rest] = -np.linalg.lstsq(J[:, rest], bias, rcond=None)[0]
        whole["qd"], whole["qdd"] = rates, self.G @ self.qdd + self.rest

    def base(self, *ports: str) -> Any:
        shapes = {"R0": (3, 3), "T0": (4, 4)}
        return tuple(self.whole[port].reshape(shapes.get(port, -1)) for port in ports)


@pytest.fixture(scope="module", params=NAMES)
def linkage(request: pytest.FixtureRequest) -> Closed:
    return Closed(request.param, 1)


@pytest.mark.drawn("linkage")
def test_inverse_dynamics(linkage: Closed) -> None:
    arm = mp.Arm(linkage.robot, optimise="none")
    found = arm.inverse_dynamics(linkage.q, linkage.qd, linkage.qdd, base=linkage.base("w0", "wd0", "a0"))
    tree = run(linkage.open, "inverse_dynamics", linkage.whole)
    near(found.base_wrench, tree["base_wrench"], 1e-9)
    near(found.tau, linkage.G.T @ tree["tau"], 1e-9)


@pytest.mark.drawn("linkage")
def test_forward_dynamics_and_inertia(linkage: Closed) -> None:
    arm, x = mp.Arm(linkage.robot, optimise="none"), linkage.whole
    spread = np.block([[np.eye(6), np.zeros((6, len(linkage.qd)))], [np.zeros((len(linkage.q), 6)), linkage.G]])
    M = spread.T @ run(linkage.open, "inertia_matrix", x)["M"] @ spread
    near(arm.inertia_matrix(linkage.q), M, 1e-9)
    tau = np.random.default_rng(4).normal(size=len(linkage.qd))
    found = arm.forward_dynamics(linkage.q, linkage.qd, tau, base=linkage.base("R0", "v0", "w0"))
    # back: the accelerations that were found need these torques and no wrench
    a0 = found.base_acceleration[:3] + np.cross(x["w0"], x["v0"]) - x.R.T @ x.g
    motion = {**x, "qdd": linkage.G @ found.qdd + linkage.rest, "a0": a0, "wd0": found.base_acceleration[3:]}
    felt = run(linkage.open, "inverse_dynamics", motion)
    size = max(1.0, np.abs(tau).max(), np.linalg.cond(M) * 1e-3)
    near(felt["base_wrench"] / size, np.zeros(6), 1e-8)
    near(linkage.G.T @ felt["tau"] / size, tau / size, 1e-8)


@pytest.mark.drawn("linkage")
def test_energy_and_momentum_are_those_of_the_open_tree(linkage: Closed) -> None:
    arm, x = mp.Arm(linkage.robot, optimise="none"), linkage.whole
    found = arm.centroidal_momentum(linkage.q, linkage.qd, base=linkage.base("v0", "w0"))
    wanted = run(linkage.open, "centroidal_momentum", x)
    near(found.h, wanted["h"], 1e-9)
    near(arm.energy(linkage.q, linkage.qd, base=linkage.base("T0", "v0", "w0")).kinetic,
         run(linkage.open, "energy", x)["kinetic"], 1e-9)  # fmt: skip


@pytest.mark.drawn("model")
@pytest.mark.parametrize("model", ["inverse_dynamics", "forward_dynamics", "inertia_matrix", "momentum"])
def test_every_way_is_proved(model: str) -> None:
    assert "identical" in mp.generate(Closed(NAMES[0], 2).robot, model).function.provenance.proof


@pytest.mark.drawn("linkage")
def test_a_base_whose_motion_is_given(linkage: Closed) -> None:
    arm, x = mp.Arm(mp.Robot.of(replace(linkage.robot, moving="given")), optimise="none"), linkage.whole
    tau, base = np.ones(len(linkage.qd)), linkage.base("w0", "wd0", "a0")
    qdd = arm.forward_dynamics(linkage.q, linkage.qd, tau, base=base)
    felt = run(linkage.open, "inverse_dynamics", {**x, "qdd": linkage.G @ qdd + linkage.rest})
    near(linkage.G.T @ felt["tau"], tau, 1e-7)
    near(arm.joint_motion(linkage.q, linkage.qd, qdd).rates, arm.robot.coordinates.spread(list(x["qd"])), 1e-8)


def test_what_is_not_made_for_them_says_so() -> None:
    robot, q = Closed(NAMES[0], 2).robot, Closed(NAMES[0], 2).q
    for call in (lambda: mp.simulate(robot, start=q, until=0.1), lambda: mp.base_parameters(robot)):
        with pytest.raises(mp.InputError, match=r"is not made for loops on a base that moves; .* momentum"):
            call()


@pytest.mark.parametrize("model", ["base_regressor", "inverse_dynamics_derivatives", "joint_wrenches"])
def test_what_has_no_form_is_refused(model: str) -> None:
    with pytest.raises(mp.InputError, match="loops"):
        mp.generate(Closed(NAMES[0], 2).robot, model)
