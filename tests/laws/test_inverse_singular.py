"""Singular poses, poses out of reach and paths: nothing false, nothing lost, families named, least squares least."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from bench import singular
from bench.singular import ARMS, KINDS, OFFSETS, OUT_OF_REACH, Subject, configurations, far_poses, judged, least
from manipula.errors import InputError
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import distances
from manipula.ik.numeric.newton import bends, difference, slopes
from manipula.ik.numeric.walk import STEP
from manipula.ik.path import follow

FREE = {  # where there is a family: its name
    ("pucrio", "shoulder"): "θ1 free, θ4, θ5 and θ6 follow",
    ("kr6", "shoulder"): "θ1 free, θ4, θ5 and θ6 follow",
    ("rx90", "shoulder"): "θ1 free, θ4, θ5 and θ6 follow",
    ("ur5", "wrist"): "θ6 free, θ2, θ3 and θ4 follow",
    ("stanford", "elbow"): "θ2 free, θ4, θ5 and θ6 follow",
    ("stanford", "wrist"): "θ4 + θ6 = c and θ4 − θ6 = c",
    **{(name, "wrist"): "θ4 + θ6 = c" for name in ("puma560", "pucrio", "kr6", "rx90")},
}


@lru_cache
def subject(name: str, limited: bool = False) -> Subject:
    return Subject(name, limited, compiled=False)


def assert_sound(name: str, kind: str, offset: float, count: int) -> None:
    verdict = judged(subject(name), configurations(subject(name), kind, offset, count))
    assert (verdict.false, verdict.lost, verdict.poses) == (0, 0, count)
    assert verdict.worst <= 1e-12
    called = FREE.get((name, kind), "double root" if offset < 1e-6 else "separate")
    assert verdict.named.most_common(1)[0][0] == called


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_and_nothing_false_at_a_singular_pose(name: str, kind: str) -> None:
    for offset in OFFSETS:
        assert_sound(name, kind, offset, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("offset", OFFSETS)
def test_nor_at_many(name: str, kind: str, offset: float) -> None:
    assert_sound(name, kind, offset, 100)


@pytest.mark.parametrize("bend", [1e-12, 1e-10, 1e-8])
def test_a_lock_beside_a_stretched_elbow_loses_no_branch(bend: float) -> None:
    """There rounding turns the undetermined sum of angles by more than the elbow has to spare."""
    rng, solver = np.random.default_rng(1), subject("ur5").solver
    for _ in range(4):
        q = rng.uniform(-np.pi, np.pi, 6)
        q[4], q[2] = bend, 10 ** rng.uniform(-4, -2)
        result = solver(solver.pose(q), seed=q)
        assert np.abs(solver.pose(result.q) - result.pose).max() <= 1e-12
        assert distances(result.q, q, solver.turning).min() < 1e-2


def test_no_family_is_seen_where_branches_only_meet() -> None:
    for name, kind in (("puma560", "elbow"), ("puma560", "shoulder"), ("ur5", "elbow"), ("stanford", "shoulder")):
        solver = subject(name).solver
        for q in configurations(subject(name), kind, 0.0, 4):
            assert not any(solver(solver.pose(q)).families)


# families


@pytest.mark.parametrize(("name", "kind"), [("ur5", "wrist"), ("pucrio", "shoulder"), ("stanford", "elbow")])
def test_a_curved_family_slides_to_the_seed(name: str, kind: str) -> None:
    solver = subject(name).solver
    for q in configurations(subject(name), kind, 0.0, 2):
        result = solver(solver.pose(q), seed=q)
        assert distances(result.q[0], q, solver.turning) < 1e-7
        family = result.families[int(result.order[0])]
        assert family is not None and not family.straight and family.constant is None
        members = family.members(9)
        assert np.abs(solver.pose(members) - result.pose).max() < 1e-10
        assert np.ptp(members, axis=0).max() > 0.05
        aim = q + 0.1 * family.still.tangent(q, family.direction) + 0.05 * np.cos(np.arange(6))
        assert np.linalg.norm(family.still.gap(family.nearest(aim), aim)) < np.linalg.norm(aim - q)


@pytest.mark.parametrize(("name", "kind"), [("ur5", "wrist"), ("pucrio", "shoulder"), ("stanford", "elbow")])
def test_no_member_of_a_family_is_nearer_than_the_nearest(name: str, kind: str) -> None:
    solver, rng = subject(name).solver, np.random.default_rng(3)
    for q in configurations(subject(name), kind, 0.0, 2):
        family = next(family for family in solver(solver.pose(q)).families if family)
        members = family.members(720)
        assert np.abs(solver.pose(members) - solver.pose(q)).max() < 1e-10
        steps = np.abs(family.still.gap(members[1:], members[:-1])).max(-1)
        assert steps.max() < 0.05  # the curve is whole
        assert np.abs(family.still.gap(members[0], members[-1])).max() < STEP  # and closed
        for seed in rng.uniform(-np.pi, np.pi, (4, 6)):
            best = np.linalg.norm(family.still.gap(family.nearest(seed), seed))
            assert best <= np.linalg.norm(family.still.gap(members, seed), axis=1).min() + 1e-9


def test_a_straight_family_knows_its_constant() -> None:
    solver, q = subject("pucrio").solver, np.array([0.3, 0.4, -0.2, 1.1, 0.0, -0.6])
    family = next(family for family in solver(solver.pose(q)).families if family)
    assert family.constant == pytest.approx(0.5) and str(family) == "θ4 + θ6 = 0.5 rad"
    assert np.abs(solver.pose(family.members()) - solver.pose(q)).max() < 1e-14
    np.testing.assert_allclose(family.nearest(q), q, atol=1e-12)


def test_an_upright_arm_has_two_free_parameters() -> None:
    """Axes 1, 4 and 6 in line, and the elbow stretched besides."""
    solver, q = subject("rx90").solver, np.array([0.4, np.pi / 2, -np.pi / 2, 0.3, 0.0, -0.2])
    q[2] = singular._stretched(subject("rx90"), q)
    q[1] = singular._on_first_axis(subject("rx90"), q) or 0.0
    result = solver(solver.pose(q), seed=q)
    families = {family.text for family in result.families if family and len(family.directions) == 2}
    assert families & {"θ1 + θ4 + θ6 = c", "θ1 − θ4 − θ6 = c"}
    assert distances(result.q, q, solver.turning).min() < 1e-6


def test_a_family_keeps_inside_the_limits() -> None:
    wide, q = subject("pucrio").solver, np.array([0.3, 0.4, -0.2, 1.1, 0.0, -0.6])
    limits = [(-np.pi, np.pi)] * 3 + [(0.8, 1.2), (-2.0, 2.0), (-np.pi, np.pi)]
    solver = InverseSolver(wide.chain, limits, closed=wide.closed, pose=wide.pose, jacobian=wide.jacobian)
    for seed in (None, np.zeros(6)):
        result = solver(solver.pose(q), seed=seed)
        straight = [x for x in result.q if abs(x[4]) < 1e-9]
        assert straight and all(0.8 <= x[3] <= 1.2 for x in straight)


# out of reach


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", OUT_OF_REACH)
def test_the_nearest_pose_is_that_of_least_squares(name: str) -> None:
    solver, rng = subject(name, name == "stanford").solver, np.random.default_rng(4)
    for T in far_poses(solver, 2, rng):
        assert not len(solver(T).q)
        found = solver.nearest(T)
        assert abs(found.distance - np.linalg.norm(solver.pose(found.q) - T)) < 1e-12
        assert found.distance < least(solver, T, rng, starts=6) + 1e-6 and "mm away" in found.reason


@pytest.mark.slow
@pytest.mark.parametrize("name", OUT_OF_REACH)
def test_and_no_other_start_leads_nearer(name: str) -> None:
    words = singular.unreachable(subject(name, name == "stanford"), 200).split()
    assert int(words[0]) > 100 and float(words[1]) < 1e-6 and words[3] == "0"


def test_slopes_and_bends_are_derivatives() -> None:
    solver, rng = subject("stanford").solver, np.random.default_rng(8)
    q, T, h = rng.normal(size=6), solver.pose(rng.normal(size=6)), 1e-6

    def down(x: Any) -> Any:
        return slopes(solver.pose(x), solver.jacobian(x)).T @ difference(solver.pose(x), T)

    def half_square(x: Any) -> Any:
        return 0.5 * (difference(solver.pose(x), T) ** 2).sum()

    at, J, eye = solver.pose(q), solver.jacobian(q), np.eye(6)
    A, e = slopes(at, J), difference(at, T)
    first = [(half_square(q + h * d) - half_square(q - h * d)) / (2 * h) for d in eye]
    np.testing.assert_allclose(A.T @ e, first, atol=1e-8)
    second = [(down(q + h * d) - down(q - h * d)) / (2 * h) for d in eye]
    np.testing.assert_allclose(A.T @ A + bends(at, J, e), second, atol=1e-8)


# paths


def line(start: list[float], end: list[float], count: int = 25) -> Any:
    return np.linspace(start, end, count)


@pytest.mark.parametrize("end", [-0.6, -0.61])  # with a pose exactly at the singularity, and without
def test_a_path_passes_a_singular_pose(end: float) -> None:
    solver = subject("pucrio").solver
    q = line([0.3, 0.4, 0.2, 0.5, 0.6, 0.1], [0.3, 0.5, 0.1, 0.6, end, 0.2])
    path = follow(solver, solver.pose(q), q[0])
    np.testing.assert_allclose(path.q, q, atol=0.02 if end == -0.6 else 1e-9)
    (change,) = path.changes
    assert change in (12, 13) and not path.jumps
    assert path.branch[change - 1].endswith("wrist +") and path.branch[change].endswith("wrist −")
    (reason,) = [reason for reason in path.reasons if reason.first == reason.last == change and reason.step]
    assert reason.kind == "singular" and reason.step < 0.1
    assert reason.text == "passes a singular pose, where the two settings of the wrist meet"
    assert any(reason.kind == "singular" and reason.first <= 12 <= reason.last for reason in path.reasons)


def test_a_path_leaves_the_limits() -> None:
    solver = subject("puma560", True).solver
    q = line([2.0, 0.5, -1.2, 0.4, 0.5, 0.5], [3.4, 0.5, -1.2, 0.4, 0.5, 0.5], 21)
    path = follow(solver, solver.pose(q), q[0])
    (jump,) = path.jumps
    # the way is free to jump before it must; then it stays where it is
    assert path.changes == path.jumps and jump <= int(np.argmax(q[:, 0] > solver.high[0])) and not path.unreached
    np.testing.assert_allclose(path.q[:jump], q[:jump], atol=1e-9)
    assert ((path.q >= solver.low - 1e-9) & (path.q <= solver.high + 1e-9)).all() and path.steps[jump] > 1


def test_a_path_ends_where_every_branch_breaks_a_limit() -> None:
    solver = subject("puma560", True).solver
    q = line([0.3, 0.5, -1.2, 0.4, 0.5, 0.5], [0.3, 0.5, -1.2, 0.4, 2.1, 0.5], 21)
    path = follow(solver, solver.pose(q), q[0])
    first = int(np.argmax(q[:, 4] > solver.high[4]))
    assert path.unreached == list(range(first, 21)) and np.isnan(path.q[first:]).all()
    assert path.branch[first] == "out of reach" and path.reached.tolist() == [i < first for i in range(21)]
    lost = [reason for reason in path.reasons if reason.kind in ("limit", "out of reach")]
    assert [(reason.kind, reason.first, reason.last) for reason in lost] == [("limit", first, 20)]
    assert "joint 5 at 10" in lost[0].text


def test_lost_poses_are_answered_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = subject("puma560", True).solver
    q = line([0.3, 0.5, -1.2, 0.4, 1.6, 0.5], [0.3, 0.5, -1.2, 0.4, 2.1, 0.5], 6)
    monkeypatch.setattr(InverseSolver, "nearest", None)
    path = follow(solver, np.concatenate([solver.pose(q), solver.pose(q) + 9 * np.eye(4, k=3)]), q[0])
    assert len(path.unreached) > 9 and [reason.kind for reason in path.reasons][-2:] == ["limit", "out of reach"]
    assert path.as_dict()["reasons"][-1]["first"] == 6 and path.reasons[-1].last == 11


def test_a_joint_at_its_limit_has_to_turn_back() -> None:
    wide = subject("ur5").solver
    limits = [(0.0, 1.0), (-2.0, 0.0), (0.0, 2.0), (0.0, 1.0), (0.0, 3.0), (-2 * np.pi, 2 * np.pi)]
    solver = InverseSolver(wide.chain, limits, closed=wide.closed, pose=wide.pose, jacobian=wide.jacobian)
    q = line([0.3, -1.0, 1.2, 0.4, 0.9, 5.0], [0.5, -1.2, 1.0, 0.5, 0.8, 7.5], 21)
    path = follow(solver, solver.pose(q), q[0])
    (change,) = path.changes
    (reason,) = path.reasons
    assert len(set(path.branch)) == 1 and abs(path.steps[change] - 2 * np.pi) < 0.2
    assert (
        reason.kind == "limit" and reason.text == "joint 6 comes to its limit 360°; to go on it must turn back by 360°"
    )
    np.testing.assert_allclose(path.q[change:], q[change:] - 2 * np.pi * np.eye(6)[5], atol=1e-9)
    free = follow(solver, solver.pose(q))
    # from a start of its own choice the joint has a turn to spare
    assert not free.jumps and abs(free.q[0, 5] - (5.0 - 2 * np.pi)) < 1e-9


# bad input


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda T: T[:, :3], r"expected an array of shape \(…, 4, 4\), found \(3, 3, 4\)"),
        (lambda T: np.where(np.arange(48).reshape(3, 4, 4) == 23, np.nan, T), "pose 2 of 3 .*row 2, column 4 is nan"),
        (lambda T: T * [[[1.0]], [[1.0]], [[1.01]]], "pose 3 of 3 has the last row"),
        (lambda T: T @ np.diag([1.01, 1, 1, 1]), "pose 1 of 3 is not a rotation: RᵀR differs from 1 by 0.02"),
    ],
)
def test_what_is_no_pose_is_found_among_many(spoil: Any, words: str) -> None:
    solver = subject("ur5").solver
    with pytest.raises(InputError, match=words):
        solver(spoil(solver.pose(np.full((3, 6), 0.5))))


def test_a_path_of_one_pose_is_refused() -> None:
    solver = subject("pucrio").solver
    with pytest.raises(InputError, match=r"poses: expected an array of shape \(n, 4, 4\), found \(4, 4\)"):
        follow(solver, np.eye(4), np.zeros(6))


# paths: plain ones


def test_a_path_is_followed_and_its_branches_reported() -> None:
    solver = subject("ur5").solver
    q = np.linspace([0.3, -1.0, 1.2, 0.4, 0.9, 0.5], [0.9, -0.4, 0.6, 0.8, 1.6, 4.5], 25)
    path = follow(solver, solver.pose(q), q[0])
    np.testing.assert_allclose(distances(path.q, q, solver.turning), 0, atol=1e-9)
    assert len(set(path.branch)) == 1 and not path.changes and not path.unreached


def test_a_change_of_branch_is_reported() -> None:
    solver = subject("pucrio").solver
    q = np.linspace([0.3, 0.4, 1.2, 0.2, 0.7, 0.1], [0.3, 0.4, 2.0, 0.2, 0.7, 0.1], 21)
    path = follow(solver, solver.pose(q), q[0])
    assert path.changes and "elbow" in path.branch[path.changes[0]]
