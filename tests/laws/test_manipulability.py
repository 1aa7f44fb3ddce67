"""Manipulability is the product of the Jacobian's singular values; determinants are right where they vanish."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.kinematics.jacobian import determinant, jacobian, manipulability, moving_rows
from tests.laws.test_coupled import in_floats
from tests.random_robots import random_robot, random_state, random_tree


@pytest.mark.parametrize("size", range(7))
def test_determinants(size: int) -> None:
    A = np.random.default_rng(size).normal(size=(size, size))
    np.testing.assert_allclose(determinant(A.tolist()), np.linalg.det(A), rtol=1e-11, atol=1e-13)  # type: ignore[arg-type]
    if size > 1:
        A[0] = A[1]
        assert abs(determinant(A.tolist())) < 1e-12  # type: ignore[arg-type]


def volume(J: Any, spans: Any) -> float:
    """Of as many singular values as the rows have freedoms, or as there are joints."""
    freedoms = np.linalg.matrix_rank(np.hstack(spans), tol=1e-9) if J.size else 0
    sizes = np.linalg.svd(J, compute_uv=False)
    return float(np.prod(sizes[: min(freedoms, J.shape[1])])) if freedoms else 0.0


@pytest.mark.parametrize("seed", range(24))
def test_it_is_the_product_of_the_singular_values(seed: int) -> None:
    """On drawn arms, which move in all the ways that their number of joints allows."""
    robot = random_tree(seed) if seed % 3 == 2 else random_robot(seed, screws=seed % 2 == 0)
    tree = in_floats(robot)
    if not tree.support(tree.holder):
        pytest.skip("its tool stands on the base")
    q = random_state(robot, seed)[0]
    road = tree.support(tree.holder)
    J = np.array(jacobian(tree, q), dtype=float)[:, road]
    rng = np.random.default_rng(seed)
    spans = [np.array(jacobian(tree, rng.uniform(-2, 2, tree.dof).tolist()), dtype=float)[:, road] for _ in range(8)]
    found = manipulability(tree, q, moving_rows(tree))
    # where it is nothing, the root makes 1e-8 of what rounding leaves
    for name, rows in (("w", slice(0, 6)), ("translation", slice(0, 3)), ("rotation", slice(3, 6))):
        np.testing.assert_allclose(
            float(found[name]), volume(J[rows], [x[rows] for x in spans]), rtol=1e-9, atol=1e-7, err_msg=name
        )


def test_of_a_planar_arm_the_rows_in_which_it_moves() -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=1, m2=1, g=9.81)
    assert float(mp.Arm(robot, optimise="none").manipulability([0.3, 0.0]).translation) < 1e-16
    for base in ((0, 0, 0), ("pi/2", 0.3, 1)):
        tree = in_floats(robot.with_base([1, 2, 3], base))
        found = manipulability(tree, [0.3, 0.9], moving_rows(tree))
        assert float(found["translation"]) == pytest.approx(0.5 * 0.4 * np.sin(0.9), abs=1e-15)


def test_joints_that_follow_are_refused() -> None:
    rows: list[dict[str, Any]] = [{"a": 1, "d": 0, "alpha": 0, "name": f"j{i}"} for i in range(3)]
    rows[2]["coordinate"] = "j0"
    with pytest.raises(mp.InputError, match="manipulability is not made for robots in which joints follow others"):
        mp.generate(mp.Robot.from_dh(rows), "manipulability")
