"""Six joints or more that move the tool in fewer than six ways: poses as files have them are met, as by few joints."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import ManipulaWarning
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.tolerances import BranchTolerance

WAYS = {
    "float32": lambda T: T.astype(np.float32).astype(float),
    "six decimals": lambda T: np.round(T, 6),
    "all digits": lambda T: T,
}


def row(rng: random.Random, kind: str = "revolute", alpha: float = 0) -> dict[str, Any]:
    return {"theta": 0, "d": 0, "a": round(rng.uniform(0.1, 0.4), 3), "alpha": alpha, "type": kind}


def planar(rng: random.Random) -> list[dict[str, Any]]:
    return [row(rng) for _ in range(rng.randint(6, 8))]


def level(rng: random.Random) -> list[dict[str, Any]]:
    """Axes all vertical, turning or sliding."""
    kinds = ("revolute", "revolute", "prismatic")
    return [row(rng, rng.choice(kinds), rng.choice((0, 180))) for _ in range(rng.randint(6, 7))]


def gantry(rng: random.Random) -> list[dict[str, Any]]:
    """Slides along lines of which two or three are one, and two turns."""
    slides = [{"theta": 90, "d": 0, "a": 0, "alpha": rng.choice((90, -90)), "type": "prismatic"} for _ in range(3)]
    return [*slides, row(rng, alpha=90), row(rng), {**slides[0], "alpha": 0}]


def column(rng: random.Random) -> list[dict[str, Any]]:
    """Two turns about one line, then a planar arm."""
    return [{**row(rng), "a": 0}, {**row(rng, alpha=90), "a": 0}, *(row(rng) for _ in range(4))]


@pytest.mark.parametrize("kind", [planar, level, gantry, column])
def test_a_pose_with_few_digits_is_met_and_one_beside_it_is_not(kind: Any) -> None:
    rng = random.Random(f"freedoms {kind.__name__}")
    rows = kind(rng)
    solver = InverseSolver(numeric_chain(mp.Robot.from_dh(rows, angle="deg")))
    assert solver.freedoms < 6 <= solver.chain.dof
    for way in WAYS.values():
        q = [rng.uniform(-2, 2) if row["type"] == "revolute" else rng.uniform(-0.4, 0.6) for row in rows]
        exact = solver.pose(np.array(q))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)  # that the rotation was made exact
            found, many = solver(way(exact)), solver(way(exact)[None])
        assert len(found.q) and many.valid.any()
        assert np.abs(solver.pose(found.q) - way(exact)).max() <= BranchTolerance.FEW * solver.size + 1e-6
    tilted = exact.copy()
    tilted[:3, :3] = tilted[:3, :3] @ np.array([[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    assert kind in (gantry, column) or not len(solver(tilted).q)


@pytest.mark.turn
def test_where_a_closed_form_has_no_branch_left_the_pose_is_searched() -> None:
    """Three axes that meet, a turn and two slides; 2 and 8 of these poses are out of reach of every branch."""
    turns = [(45, 0, 0, -90), (-90, 0, 0, 30), (90, 0, 0, 90), (90, 0.259, 0, 33.6)]
    rows = [*turns, (45, 0.3, 0.3, -90, "P"), (97.2, 0, 0, 106.6, "P")]
    solver = InverseSolver(numeric_chain(mp.Robot.from_dh(rows, angle="deg")))
    rng = np.random.default_rng(0)
    q = [np.concatenate([rng.uniform(-2, 2, 4), rng.uniform(-0.4, 0.6, 2)]) for _ in range(9)]
    poses = np.round(solver.pose(np.array([q[2], q[8]])), 6)
    assert solver.closed is not None and len(solver(poses[0]).q) and solver(poses).valid.any(-1).all()


def test_an_arm_of_six_freedoms_is_asked_for_all_digits() -> None:
    rows = [(0, 0.3, 0, 90), (0, 0, 0.4, 0), (0, 0, 0.1, 90), (0, 0.4, 0, -90), (0, 0, 0, 90), (0, 0.1, 0, 0)]
    solver = InverseSolver(numeric_chain(mp.Robot.from_dh(rows, angle="deg")))
    assert solver.freedoms == 6 and solver.tolerances.exact <= 10 * BranchTolerance.EXACT * solver.size
