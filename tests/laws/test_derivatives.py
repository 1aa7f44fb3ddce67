"""Derivatives: closed form, forward and reverse agree with each other and with differences; products with the whole."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.derivatives import analytic as derivatives_analytic
from manipula.mechanics.models.derivatives.dual import forward, forward_plain, inverse_plain, reverse
from manipula.mechanics.models.derivatives.products import forward_vjp
from manipula.mechanics.models.dynamics import articulated_bodies
from manipula.mechanics.models.dynamics.choices import Topic
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.energy import energy
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver, invert_inertia
from manipula.mechanics.models.dynamics.torque import gravity, inverse_dynamics
from manipula.mechanics.models.lagrange import christoffel
from manipula.mechanics.models.linear import regressor_carried
from manipula.mechanics.models.linear.regressor import parameter_vector
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import frames_on_joints, merge_fixed, regroup
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.adjoint import Traced, TracedMaths, gradient, pullback, variables
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.inertia import RigidBody
from tests.random_robots import random_robot, random_state

SLOW = pytest.mark.slow
SEEDS = [seed for seed in range(14) if random_robot(seed).dof][:10]
SMALL_FIRST = [seed if random_robot(seed).dof <= 3 else pytest.param(seed, marks=SLOW) for seed in SEEDS]


def arm_and_state(seed: int) -> tuple[Tree, dict[str, Any]]:
    robot = random_robot(seed)
    q, qd, qdd, wrench = random_state(robot, seed)
    chain = merge_fixed(bind(robot, FLOATS, {}))
    tau = inverse_dynamics(chain, q, qd, qdd, wrench)
    return chain, {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "wrench": wrench}


def close(mine: Any, theirs: Any, within: float = 1e-9) -> None:
    scale = max(1.0, float(np.max(np.abs(theirs))))
    np.testing.assert_allclose(np.array(mine, dtype=float), theirs, rtol=0, atol=within * scale)


def test_a_gradient_by_hand() -> None:
    m, (x, y) = TracedMaths(FLOATS), variables([0.5, 2.0])
    root = m.sin(x) * y + 3 / y - m.sqrt(x * y) + m.atan2(y, x) - m.abs(-x) + m.select(m.less(x, y), x * x, y) - 7
    dx = math.cos(0.5) * 2 - 2 / (2 * math.sqrt(1)) - 2 / 4.25 - 1 + 2 * 0.5
    dy = math.sin(0.5) - 3 / 4 - 0.5 / (2 * math.sqrt(1)) + 0.5 / 4.25
    assert gradient(root, [x, y]) == pytest.approx([dx, dy], rel=1e-14)


def test_constants_have_no_gradient() -> None:
    (x,) = variables([2.0])
    assert gradient(Traced(3.0) * 2 + 1, [x]) == [0]
    assert gradient(5, [x]) == [0]
    assert gradient(x, [x]) == [1]
    assert gradient(TracedMaths(FLOATS).sign(x) * 4 + x, [x]) == [1]


def test_a_variable_met_twice_counts_twice() -> None:
    x, y = variables([3.0, 3.0])  # equal values, different variables
    assert gradient(x * x * y + x, [x, y]) == [2 * 9 + 1, 9]


def test_a_pullback_is_the_gradient_of_the_weighted_sum() -> None:
    x, y = variables([3.0, 2.0])
    assert pullback([(x * y, 5), (x, 7), (4.0, 9), (Traced(1.0), 2)], [x, y]) == [5 * 2 + 7, 5 * 3]


@pytest.mark.parametrize("seed", SEEDS)
def test_reverse_is_forward(seed: int) -> None:
    chain, x = arm_and_state(seed)

    def torques(c: Tree, y: Any) -> Any:
        return inverse_dynamics(c, y["q"], y["qd"], y["qdd"], y["wrench"])

    names = ("q", "qd", "qdd")
    for a, b in zip(forward(torques, chain, x, names), reverse(torques, chain, x, names)):
        close(a, np.array(b, dtype=float))


@pytest.mark.parametrize("seed", SEEDS)
def test_small_steps(seed: int) -> None:
    """Central differences of the models themselves."""
    chain, x = arm_and_state(seed)
    kinds = {"dq": "q", "dqd": "qd", "dqdd": "qdd", "dtau": "tau"}
    for plain, inputs, model in (
        (inverse_plain, ("q", "qd", "qdd"), inverse_dynamics),
        (forward_plain, ("q", "qd", "tau"), articulated_bodies.forward_dynamics),
    ):
        given = {name: x[name] for name in (*inputs, "wrench")}
        for output, rows in plain(chain, given).items():
            name, step = kinds[output], 1e-6
            for k in range(chain.dof):
                high, low = ({**given, name: list(given[name])} for _ in range(2))
                high[name][k] += step
                low[name][k] -= step
                up, down = (np.array(model(chain, *(y[i] for i in inputs), y["wrench"])) for y in (high, low))
                close([row[k] for row in rows], (up - down) / (2 * step), 2e-5)


@pytest.mark.turn
@pytest.mark.parametrize("seed", SMALL_FIRST)
def test_the_generated_models_against_the_plain_ones(seed: int) -> None:
    """Friction, motor inertia and a wrench included; the optimised functions are proved on the way."""
    robot = mp.Robot.of(random_robot(seed))
    chain, x = arm_and_state(seed)
    arm = mp.Arm(robot, optimise="fast" if robot.dof < 2 else "none")
    mine = arm.inverse_dynamics_derivatives(x["q"], x["qd"], x["qdd"], x["wrench"])
    for name, rows in inverse_plain(chain, x).items():
        close(getattr(mine, name), np.array(rows, dtype=float))
    mine = arm.forward_dynamics_derivatives(x["q"], x["qd"], x["tau"])
    free = {name: x[name] for name in ("q", "qd", "tau")}
    for name, rows in forward_plain(chain, free).items():
        close(getattr(mine, name), np.array(rows, dtype=float), 1e-7)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("reduced", [frames_on_joints, lambda chain: regroup(frames_on_joints(chain))])
def test_the_closed_form_is_the_differentiated_recursion(seed: int, reduced: Any) -> None:
    """Turning and sliding joints, friction, motors, a tilted base and a wrench on the tool."""
    chain, x = arm_and_state(seed)
    for plain, closed in (
        (inverse_plain, derivatives_analytic.inverse),
        (forward_plain, derivatives_analytic.forward),
    ):
        whole, mine = plain(chain, x), closed(reduced(chain), x)
        for name, rows in whole.items():
            close(mine[name], np.array(rows, dtype=float))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_closed_form_gives_besides(seed: int) -> None:
    """Christoffel's matrix is half of ∂τ/∂q̇; gravity is the work of a joint's unit acceleration."""
    chain, x = arm_and_state(seed)
    on_joints = frames_on_joints(chain)
    C = np.array(christoffel.coriolis_matrix(chain, x["q"], x["qd"]), dtype=float)
    close(derivatives_analytic.coriolis_matrix(on_joints, x["q"], x["qd"]), C)
    close(derivatives_analytic.partials(on_joints, x["q"], x["qd"], x["qdd"]).dqd, 2 * C)
    close(derivatives_analytic.gravity(on_joints, x["q"]), np.array(gravity(chain, x["q"]), dtype=float))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_inverse_of_the_inertia_matrix(seed: int) -> None:
    chain, x = arm_and_state(seed)
    M = np.array(inertia_matrix(chain, x["q"]), dtype=float)
    close(invert_inertia(M.tolist()), np.linalg.inv(M))
    close(InertiaSolver(M.tolist())(x["qd"]), np.linalg.solve(M, x["qd"]))


@pytest.mark.parametrize("seed", SEEDS)
def test_energies_are_rows_times_the_parameters(seed: int) -> None:
    chain, x = arm_and_state(seed)
    kinetic, potential = energy(replace(chain, ground=RigidBody()), x["q"], x["qd"])  # what stands still has no column
    pi = np.array(parameter_vector(chain), dtype=float)
    close(np.array(regressor_carried.kinetic_row(chain, x["q"], x["qd"]), dtype=float) @ pi, kinetic)
    close(np.array(regressor_carried.potential_row(chain, x["q"]), dtype=float) @ pi, potential)


@pytest.mark.turn
@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=SLOW) for seed in SEEDS if seed > 2)])
def test_products_are_those_with_the_matrices(seed: int) -> None:
    """Along a change: D u; weighted: λᵀ D. Friction, motors and a wrench included."""
    arm = mp.Arm(mp.Robot.of(random_robot(seed)), optimise="none")
    _, x = arm_and_state(seed)
    u, v, w, weights = np.random.default_rng(seed).uniform(-1, 1, size=(4, arm.dof))
    for name, state in (("inverse_dynamics", "qdd"), ("forward_dynamics", "tau")):
        at = (x["q"], x["qd"], x[state])
        whole = getattr(arm, f"{name}_derivatives")(*at, x["wrench"])
        along = getattr(arm, f"{name}_jvp")(*at, u, v, w, x["wrench"])
        close(along, whole[0] @ u + whole[1] @ v + whole[2] @ w, 1e-8)
        for part, matrix in zip(getattr(arm, f"{name}_vjp")(*at, weights, x["wrench"]), whole, strict=True):
            close(part, weights @ matrix, 1e-8)


@pytest.mark.turn
@pytest.mark.parametrize("model", ["regressor", "base_regressor"])
@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_gradient_of_a_weighted_regressor(seed: int, model: str) -> None:
    """Against differences of the model itself, along a direction; every method says the same."""
    robot, rng = mp.Robot.of(random_robot(seed, joints=2)), np.random.default_rng(seed)
    q, qd, qdd = (rng.uniform(-1, 1, robot.dof) for _ in range(3))
    Y = mp.generate(robot, model, optimise="none").compile()
    weights, way = rng.normal(size=Y(q, qd, qdd).shape), rng.normal(size=(3, robot.dof))
    step = 1e-6
    ends = [np.sum(weights * Y(q + h * way[0], qd + h * way[1], qdd + h * way[2])) for h in (step, -step)]
    for method in MODELS[f"{model}_vjp"].method_names:
        pull = mp.generate(robot, f"{model}_vjp", method=method, optimise="none").compile()
        found = sum(d @ u for d, u in zip(pull(q, qd, qdd, weights.ravel()), way, strict=True))
        close(found, (ends[0] - ends[1]) / (2 * step), 2e-6)


def test_an_acceleration_made_of_the_positions_is_held_where_torques_are_followed_back() -> None:
    """q̈ of forward dynamics may be any expression of q: what looks like a product of positions then is none."""
    graph = Graph()
    chain = merge_fixed(bind(random_robot(0), ExprMaths(graph), {}))
    q, weight = graph.symbol("q"), graph.symbol("w")
    given = {"q": [q], "qd": [graph.symbol("qd")], "tau": [q], "weights": [weight]}

    def torques(_: Any, x: Any) -> list[Any]:
        return [x["q"][0] * x["qdd"][0] + x["q"][0] * x["q"][0] * x["qdd"][0]]

    (found,) = forward_vjp(torques, chain, given, lambda *_: [[1]])["dq"]  # so that q̈ is q
    assert evaluate([graph.expr(found)], {"q": 3.0, "w": 0.5, "qd": 0.0}, FLOATS) == [-0.5 * (3 + 2 * 9)]


@pytest.mark.turn
def test_products_broadcast_and_know_that_the_inertia_matrix_is_symmetric() -> None:
    arm = mp.Arm("puma560", optimise="none")
    q, qd, qdd, u, v = np.random.default_rng(5).uniform(-2, 2, size=(5, 9, arm.dof))
    by_u, by_v = arm.inverse_dynamics_vjp(q, qd, qdd, u).dqdd, arm.inverse_dynamics_vjp(q, qd, qdd, v).dqdd
    np.testing.assert_allclose(np.sum(by_u * v, -1), np.sum(by_v * u, -1), rtol=1e-12)
    still = np.zeros(arm.dof)
    np.testing.assert_allclose(arm.inverse_dynamics_jvp(q, qd, qdd, still, still, u), by_u, rtol=1e-10, atol=1e-12)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["planar2r", "rp", "stanford3", pytest.param("puma560", marks=SLOW)])
@pytest.mark.parametrize("model", [name for name in mp.models() if name.endswith(("derivatives", "jvp", "vjp"))])
def test_every_method_is_proved(name: str, model: str) -> None:
    """Also with the wrench as an input and the parameters as symbols."""
    assert mp.methods(model)[0] == "dual"
    for method in mp.methods(model):
        wrench = MODELS[model].takes_wrench
        made = mp.generate(name, model, method=method, symbolic="all", wrench=wrench, optimise="none")
        assert "identical to the plain model" in made.provenance.proof
        assert made.provenance.method == method


@pytest.mark.turn
@pytest.mark.parametrize("name", ["scara", *(pytest.param(name, marks=SLOW) for name in ("puma560", "ur5", "panda"))])
def test_what_derivatives_cost(name: str) -> None:
    """Products take at most four times the model; the closed form less than what is differentiated; best is best."""

    def cost(model: str, method: str = "best") -> int:
        return mp.generate(name, model, method=method, optimise="none").cost.total

    for model in ("inverse_dynamics", "forward_dynamics"):
        for product in ("jvp", "vjp"):
            assert cost(f"{model}_{product}") <= 4 * cost(model)
    for model in ("regressor", "base_regressor"):
        assert cost(f"{model}_vjp") <= 3 * cost(model)
    best = cost("inverse_dynamics_derivatives")
    for method in ("analytic", "acceleration-field", "automatic"):
        assert best <= cost("inverse_dynamics_derivatives", method)


@pytest.mark.turn
def test_the_cheapest_method_is_taken() -> None:
    differing = 0
    for robot in ("rp", "scara"):
        costs = [
            mp.generate(robot, "inverse_dynamics_derivatives", method=method).cost.total
            for method in ("analytic", "acceleration-field", "automatic")
        ]
        assert mp.generate(robot, "inverse_dynamics_derivatives").cost.total <= min(costs)
        differing += min(costs) < max(costs)
    assert differing  # else this test could not fail


def test_frames_stand_together_where_axes_meet() -> None:
    """The first three axes of this arm meet in one point, its third frame stands away from it."""
    assert ArmStructure(mp.load("panda")).slides == {Topic("slide", 3): "back"}
