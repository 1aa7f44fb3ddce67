"""Derivatives: forward and reverse agree with each other, with differences, and with Pinocchio."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models import articulated
from manipula.mechanics.models.derivatives import forward, forward_plain, inverse_plain, reverse
from manipula.mechanics.models.torque import inverse_dynamics
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.adjoint import Traced, TracedMaths, gradient, variables
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

SEEDS = [seed for seed in range(14) if random_robot(seed).dof][:10]
SMALL_FIRST = [seed if random_robot(seed).dof <= 3 else pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS]


def arm_and_state(seed: int) -> tuple[Chain, dict[str, Any]]:
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


@pytest.mark.parametrize("seed", SEEDS)
def test_reverse_is_forward(seed: int) -> None:
    chain, x = arm_and_state(seed)

    def torques(c: Chain, y: Any) -> Any:
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
        (forward_plain, ("q", "qd", "tau"), articulated.forward_dynamics),
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


@pytest.mark.parametrize("seed", SMALL_FIRST)
def test_the_generated_models_against_the_plain_ones(seed: int) -> None:
    """Friction, motor inertia and a wrench included; the optimised functions are proved on the way."""
    robot = mp.Robot.of(random_robot(seed))
    chain, x = arm_and_state(seed)
    arm = mp.Arm(robot)
    mine = arm.inverse_dynamics_derivatives(x["q"], x["qd"], x["qdd"], x["wrench"])
    for name, rows in inverse_plain(chain, x).items():
        close(getattr(mine, name), np.array(rows, dtype=float))
    mine = arm.forward_dynamics_derivatives(x["q"], x["qd"], x["tau"])
    free = {name: x[name] for name in ("q", "qd", "tau")}
    for name, rows in forward_plain(chain, free).items():
        close(getattr(mine, name), np.array(rows, dtype=float), 1e-7)
