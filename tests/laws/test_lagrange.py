"""Lagrange's coefficients: the three algorithms agree entry by entry, and have the meaning they are defined by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from manipula.errors import UnknownNameError
from manipula.mechanics.models.dynamics import composite, torque
from manipula.mechanics.models.lagrange.christoffel import pairs
from manipula.mechanics.models.lagrange.terms import METHODS, lagrange_forces, lagrange_terms
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree, over_duals
from manipula.mechanics.spatial.dual import partial, variables
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

SEEDS = range(15)


def arm(seed: int) -> tuple[Tree, list[float], list[float], list[float]]:
    robot = random_robot(seed)
    q, qd, qdd, _ = random_state(robot, seed)
    return merge_fixed(bind(robot, FLOATS, {})), q, qd, qdd


def christoffel_by_derivative(chain: Tree, q: list[float]) -> Any:
    """½(∂a_ij/∂q_k + ∂a_ik/∂q_j − ∂a_jk/∂q_i) of the composite-body matrix, differentiated exactly."""
    M = composite.mechanism_inertia(over_duals(chain), variables(q))
    n = range(chain.dof)
    slope = np.array([[[partial(M[i][j], k) for k in n] for j in n] for i in n], dtype=float)
    return (slope + slope.transpose(0, 2, 1) - slope.transpose(2, 0, 1)) / 2


@pytest.mark.parametrize("method", METHODS)
def test_coefficients_are_what_they_are_defined_as(method: str) -> None:
    for seed in SEEDS:
        chain, q, _, _ = arm(seed)
        found, b = METHODS[method](chain, q), christoffel_by_derivative(chain, q)
        columns = pairs(chain.dof)
        close(found.A, composite.mechanism_inertia(chain, q))
        close(found.GRA, -np.array(torque.gravity(chain, q)))
        close(found.CEN, np.einsum("ijj->ij", b))
        close(found.COR, np.array([[row[j, k] for j, k in columns] for row in b]).reshape(chain.dof, len(columns)))


def close(ours: Any, theirs: Any) -> None:
    a, b = np.array(ours, dtype=float), np.array(theirs, dtype=float)
    assert a.shape == b.shape
    assert np.abs(a - b).max(initial=0) <= 1e-10 * max(1, np.abs(b).max(initial=0))


def test_the_columns_run_as_the_source_has_them() -> None:
    assert [f"{j + 1}{k + 1}" for j, k in pairs(4)] == ["12", "13", "14", "23", "24", "34"]


def test_the_forces_are_the_effects_one_by_one() -> None:
    for seed in SEEDS:
        chain, q, qd, qdd = arm(seed)
        P = [round(0.1 * i - 0.2, 1) for i in range(chain.dof)]
        x = lagrange_terms(chain, q, qd, qdd, P)
        still, bare = [0.0] * chain.dof, composite.mechanism_inertia(chain, q)
        close(x.FIN, np.array(bare) @ qdd)
        close(np.array(x.TIN), np.array(bare) * qdd)
        close(np.array(x.FCOR) + x.FCEN, torque.coriolis(chain, q, qd))
        close(x.FGRA, -np.array(torque.gravity(chain, q)))
        close(np.array(x.FGEN), np.array(x.FIN) + x.FCOR + x.FCEN - np.array(x.FGRA) + P)
        for j in range(chain.dof):  # a single joint moving has no Coriolis effect, only a centrifugal one
            alone = [rate if i == j else 0.0 for i, rate in enumerate(qd)]
            forces = lagrange_forces(METHODS["lagrange-megahed"](chain, q), alone, still, still)
            assert not any(forces.FCOR)
            close(forces.FCEN, torque.coriolis(chain, q, alone))


def test_an_unknown_method_is_named() -> None:
    chain, q, qd, qdd = arm(0)
    with pytest.raises(UnknownNameError, match="lagrange-efficient"):
        lagrange_terms(chain, q, qd, qdd, qd, "lagrange-eficient")
