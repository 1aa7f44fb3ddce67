"""Arms whose axes miss each other by next to nothing are solved as what they are meant to be, everywhere."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from bench.inverse_offsets import AWAY, TABLES, Offset, alike, configurations, explained, judged
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.branch_selection import accepted_branches
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import distances

pytestmark = pytest.mark.usefixtures("without_search")

KINDS = ("wrist", "elbow", "shoulder")


@lru_cache
def subject(name: str, offset: float, seed: int = 0) -> Offset:
    return Offset(name, offset, seed)


@pytest.mark.turn
@pytest.mark.drawn("name", "offset")
@pytest.mark.parametrize(("name", "offset"), [("ur5e", 2e-11), ("wrist", 2e-11), ("ur5e", -1e-9)])
def test_offsets_lose_no_answer_and_no_seed(name: str, offset: float) -> None:
    arm, clean = subject(name, offset), subject(name, 0.0)
    assert arm.arm.inverse_solver.plan.title == clean.arm.inverse_solver.plan.title
    assert arm.arm.inverse_solver.defect > abs(offset)  # the offset is there
    for kind in KINDS:
        for away in AWAY:
            verdict = judged(arm, clean, configurations(arm, kind, away, 2), away, time=False)
            assert (verdict.solved, verdict.seeds, verdict.sets) == (2, 2, 2), (kind, away)
            assert verdict.worst <= arm.arm.inverse_solver.tolerances.exact
    verdict = judged(arm, clean, configurations(arm, "regular", 1.0, 10), 1.0, time=False)
    assert (verdict.solved, verdict.seeds, verdict.sets) == (10, 10, 10)


@pytest.mark.parametrize("name", ["ur5e", "wrist"])
def test_a_regular_pose_needs_no_closer_look(name: str) -> None:
    """So that the call costs what it costs without offsets."""
    solver = subject(name, 2e-11).arm.inverse_solver
    q = configurations(subject(name, 2e-11), "regular", 1.0, 50)
    assert not accepted_branches(solver, solver.pose(q).reshape(-1, 16), None, None).unsettled.any()


def test_an_arm_without_offsets_has_no_defect() -> None:
    for name in ("ur5e", "wrist"):
        assert subject(name, 0.0).arm.inverse_solver.defect == 0
    for name in ("puma560", "stanford", "iiwa14", "panda", "cobra600"):
        assert InverseSolver(numeric_chain(mp.load(name))).defect == 0, name


@lru_cache
def random_arm(kind: str, draw: int, spoilt: bool) -> InverseSolver:
    """Random lengths, and every place that should hold nothing holds up to 1e-9 m."""
    rng = np.random.default_rng([draw, len(kind)])
    rows, places = TABLES["wrist" if kind == "wrist" else "ur5e"]
    table = [[theta, d and rng.uniform(0.05, 0.5), a and rng.uniform(0.1, 0.6), alpha] for theta, d, a, alpha in rows]
    sizes = 10 ** rng.uniform(-12, -9, len(places)) * rng.choice([-1, 0, 1], len(places), p=[0.4, 0.2, 0.4])
    for (row, column), size in zip(places, sizes, strict=True):
        table[row][column] += size if spoilt else 0.0
    robot = mp.Robot.from_dh(table, convention="standard", angle="deg", name="arm", exact=True)
    return InverseSolver(numeric_chain(robot))


@pytest.mark.parametrize("kind", ["parallel", "wrist"])
@pytest.mark.parametrize("draw", range(3))
def test_random_arms_with_random_offsets(kind: str, draw: int) -> None:
    solver, clean = random_arm(kind, draw, True), random_arm(kind, draw, False)
    rng = np.random.default_rng(draw)
    assert solver.plan.title == clean.plan.title and solver.defect < 1e-7
    for q in rng.uniform(-3, 3, (1, 6)):
        for bend in (None, 1e-7, 1e-5):
            q[4] = q[4] if bend is None else bend
            found, meant = solver(solver.pose(q), seed=q).q, clean(clean.pose(q), seed=q).q
            assert distances(found[0], q, solver.turning) < 1e-6
            assert np.abs(solver.pose(found) - solver.pose(q)).max() <= solver.tolerances.exact
            assert alike(found, meant, solver.turning, explained(1e-9, 1.0 if bend is None else bend))


def test_a_batch_accepts_what_one_pose_does() -> None:
    arm: Any = subject("ur5e", 2e-11).arm
    q = configurations(subject("ur5e", 2e-11), "wrist", 1e-5, 8)
    batch = arm.inverse_kinematics(arm.pose(q))
    assert [len(arm.inverse_kinematics(T).q) for T in arm.pose(q)] == batch.valid.sum(1).tolist()
    assert batch.residual[batch.valid].max() <= arm.inverse_solver.tolerances.exact
