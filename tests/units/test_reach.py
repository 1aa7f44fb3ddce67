"""How far an arm gets: closed answers of planar arms, and nothing drawn at random lies outside of what was found."""

from __future__ import annotations

import random
from math import cos, pi, sqrt
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.numeric.arrays import pose_of
from manipula.ik.numeric.reach import reach_bound, reach_of
from manipula.mechanics.models.kinematics import jacobian as columns
from manipula.mechanics.models.kinematics import pose as places
from tests.random_robots import random_robot


def reach(robot: mp.Robot) -> Any:
    """With the plain models in place of compiled ones."""
    chain = numeric_chain(robot)

    def pose(q: Any) -> Any:
        rows = np.atleast_2d(q)
        found = np.array([places.pose(chain, row.tolist()).rows() for row in rows], dtype=float)
        return found if np.ndim(q) > 1 else found[0]

    def jacobian(q: Any) -> Any:
        return np.array(columns.jacobian(chain, q.tolist()), dtype=float)

    return reach_of(robot, pose, jacobian, 0)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manipula.ik.numeric.reach._DRAWN", 120)


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(6))
def test_two_links_in_a_plane(seed: int) -> None:
    """|p|² = l1² + l2² + 2 l1 l2 cos q2, the smaller the further the elbow is bent."""
    rng = random.Random(seed)
    l1, l2 = rng.uniform(0.2, 1), rng.uniform(0.2, 1)
    low, high = sorted((rng.uniform(0, pi), rng.uniform(0, pi))) if seed % 2 else (-pi, pi)
    limits = {"limits": [low, high]} if seed % 2 else {}
    rows = [{"d": 0.3, "a": l1, "alpha": 0}, {"d": 0, "a": l2, "alpha": 0, **limits}]
    found = reach(mp.Robot.from_dh(rows).with_base([0.1, 0.2, 0.5], [0, 0, seed]))
    nearest, farthest = (sqrt(l1**2 + l2**2 + 2 * l1 * l2 * cos(q) + 0.09) for q in (high, low if seed % 2 else 0))
    assert found.outer == pytest.approx(farthest, abs=1e-7)
    assert found.inner == pytest.approx(nearest, abs=1e-4)
    assert found.centre == pytest.approx((0.1, 0.2, 0.5))
    flat = sqrt(farthest**2 - 0.09)
    assert found.box[0] == pytest.approx((0.1 - flat, 0.1 + flat), abs=1e-6)
    assert found.box[2] == pytest.approx((0.8, 0.8), abs=1e-9)


@pytest.mark.parametrize("last", ["revolute", "prismatic"])
def test_nothing_drawn_is_outside(last: str) -> None:
    rows: list[dict[str, Any]] = [
        {"d": 0.4, "a": 0.1, "alpha": "pi/2", "limits": [-2, 2.5]},
        {"d": 0.1, "a": 0.5, "alpha": 0 if last == "revolute" else "pi/2", "limits": [-0.5, 1.9]},
        {"type": last, "theta": 0, "d": 0, "a": 0.3, "alpha": 0, "limits": [0.2, 0.9]},
    ]
    robot = mp.Robot.from_dh(rows)
    found, arm = reach(robot), numeric_chain(robot)
    rng = np.random.default_rng(5)
    low, high = np.array(mp.Arm(robot).limits).T
    for q in rng.uniform(low, high, (300, robot.dof)):
        p = np.array(places.pose(arm, q.tolist()).p, dtype=float)
        assert found.inner - 1e-9 <= np.linalg.norm(p - found.centre) <= found.outer + 1e-9
        assert all(a - 1e-9 <= x <= b + 1e-9 for x, (a, b) in zip(p, found.box))
    at = np.array(places.pose(arm, list(found.q_outer)).p, dtype=float)
    assert np.linalg.norm(at - found.centre) == pytest.approx(found.outer)


def test_what_has_no_reach_is_said() -> None:
    with pytest.raises(mp.InputError, match="joint 'joint1' slides without limits, so its reach has no end"):
        mp.reach(mp.Robot.from_dh([(0, 0, 1, 0, "P")]))
    with pytest.raises(mp.InputError, match="reach needs a value for l1, l2"):
        mp.reach("planar2r")


@pytest.mark.parametrize("seed", range(28))
@pytest.mark.parametrize("screws", [False, True])
def test_no_configuration_passes_the_bound(seed: int, screws: bool) -> None:
    rng = np.random.default_rng(seed)
    chain = numeric_chain(random_robot(seed, joints=int(rng.integers(1, 8)), screws=screws)).road()
    low, high = -rng.uniform(0, 3, chain.dof), rng.uniform(0, 3, chain.dof)
    bound = reach_bound(chain, low, high)
    q = rng.uniform(low, high, (200, chain.dof))
    T = pose_of(chain)(q)
    assert np.isfinite(bound.most) and bound.may_hold(T).all()
    away = np.linalg.norm(T[:, :3, :3] @ bound.last + T[:, :3, 3] - bound.first, axis=-1)
    beyond = T.copy()
    beyond[:, :3, 3] += 2.01 * (bound.most + away.max() + 1e-3) * rng.permutation(np.eye(3))[0]
    assert not bound.may_hold(beyond).any()


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_of_arms_in_a_plane_and_of_shoulders_is_their_reach(seed: int) -> None:
    """Lengths along an axis are not walked, they are beside the way: √((a₁+a₂)²) in the plane, whatever d is."""
    rng = np.random.default_rng(seed)
    a1, a2, a3 = rng.uniform(0.2, 1.0, 3)
    rows = [{"d": rng.uniform(-1, 1), "a": a1, "alpha": 0}, {"d": rng.uniform(-1, 1), "a": a2, "alpha": 0},
            {"d": rng.uniform(-1, 1), "a": a3, "alpha": 0}]  # fmt: skip
    bound = reach_bound(numeric_chain(mp.Robot.from_dh(rows)), np.full(3, -np.inf), np.full(3, np.inf))
    # the last point is on the last axis: what the last link adds turns about it
    assert bound.most == pytest.approx(a1 + a2, rel=1e-4)
    sliding = [*rows, {"type": "prismatic", "theta": 0, "a": 0, "alpha": 0}]
    chain = numeric_chain(mp.Robot.from_dh(sliding))
    ends = np.full(4, np.inf)
    assert reach_bound(chain, -ends, ends).most == np.inf
