"""General 6R arms: nothing lost, nothing false, and the count says so."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.run.routines import compile_text
from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.general6r import roots
from manipula.ik.general6r.arm import newton, wanted
from manipula.ik.general6r.elimination import Arm6R, Elimination, lift_motion, readings, wrap_angles
from manipula.ik.general6r.pencil import pencil
from manipula.ik.general6r.solutions import off_square, solve_poses, taken
from manipula.ik.general6r.solver import (
    General6R,
    GeneralAnswer,
    Info,
    arm_table,
    reading_shape,
    reading_table,
    solve_poses_dense,
    study_targets,
)
from manipula.ik.numeric.arrays import Floats, Kinematics, jacobian_of, pose_of
from manipula.ik.numeric.tolerances import RootTolerance
from manipula.mechanics.robot.tree import Tree
from tests.laws.test_descent import drawn, odd_arm, solver_of

Rows = Sequence[tuple[float, float, float, float]]
BENT = 0.0741 / 3**0.5

# theta, d, a, alpha in degrees
ARMS: dict[str, tuple[Rows, int]] = {
    "all non-zero": (
        [(10, 0.31, 0.22, 67), (-35, 0.17, 0.45, -38), (80, 0.24, 0.33, 104),
         (55, 0.38, 0.12, -73), (-20, 0.15, 0.27, 51), (30, 0.21, 0.09, -29)], 16),
    "bent wrist": (
        [(0, 0.2755, 0, 90), (0, 0, 0.41, 180), (0, -0.0098, 0, 90),
         (0, -0.2073 - BENT, 0, 60), (0, -2 * BENT, 0, 60), (0, -0.16 - BENT, 0, 180)], 16),
    "twists of 1°": (
        [(0, 0.2, 0.3, 1), (0, 0.1, 0.5, 1), (0, 0.3, 0.4, 1),
         (0, 0.15, 0.35, 1), (0, 0.2, 0.25, 1), (0, 0.1, 0.1, 1)], 16),
    "twists of 90° and 1°": (
        [(0, 0, 0.3, 90), (0, 0, 1, 1), (0, 0.2, 0, 90), (0, 0, 1.5, 1), (0, 0, 0, 90), (0, 0.4, 0.8, 1)], 16),
    "spherical wrist": (
        [(0, 0.3, 0.1, 70), (0, 0.2, 0.4, 25), (0, 0.1, 0.2, -80), (0, 0.4, 0, 90), (0, 0, 0, -90), (0, 0.1, 0, 0)], 8),
    "three parallel": (
        [(0, 0.1, 0.4, 0), (0, 0.2, 0.35, 0), (0, 0.15, 0.1, 75),
         (0, 0.2, 0.25, -60), (0, 0.3, 0.15, 85), (0, 0.1, 0.05, 0)], 8),
}  # fmt: skip


@cache
def chain_of(name: str, convention: str = "standard") -> Tree:
    if name == "j2s6s200":
        return numeric_chain(mp.load(name))
    rows = ARMS[name][0]
    kind: Any = convention
    robot = mp.Robot.from_dh(rows, convention=kind, angle="deg", name="arm", columns="theta d a alpha")
    held = robot.with_base([0.3, -0.2, 0.5], [0.4, 0.2, -1.0]).with_tool([0.1, 0.05, 0.2], [1, -0.3, 0.2])
    return numeric_chain(held)


@cache
def general_solver(chain: Tree) -> General6R:
    return General6R(chain)


def solve_general(chain: Tree, pose: Floats) -> GeneralAnswer:
    return general_solver(chain).solve(pose)


def answers(chain: Tree, poses: Floats) -> list[GeneralAnswer]:
    return general_solver(chain).solve_many(poses)


def random_q(count: int, seed: int = 5) -> Floats:
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, 6))


def off(answer: GeneralAnswer, q: Floats) -> Floats:
    """How far each answer is from q."""
    return np.asarray(np.abs(wrap_angles(answer.q - q)).max(-1, initial=0.0))


def check(answer: GeneralAnswer, pose: Floats, fk: Kinematics) -> None:
    """No false answer, no answer twice, angles in (−π, π], residuals as stated."""
    residual = np.abs(fk(answer.q) - pose).max((-1, -2))
    assert residual.max() <= 1e-10
    np.testing.assert_allclose(answer.residual, residual, atol=1e-13)
    assert (answer.q > -np.pi).all() and (answer.q <= np.pi).all()
    for i, q in enumerate(answer.q):
        assert (np.delete(off(answer, q), i) > 1e-6).all()


def study(name: str, count: int, convention: str = "standard") -> None:
    chain = chain_of(name, convention)
    fk, q = pose_of(chain), random_q(count)
    poses = fk(q)
    for x, pose, answer in zip(q, poses, answers(chain, poses), strict=True):
        assert off(answer, x).min() < 1e-6
        assert answer.info.complete
        check(answer, pose, fk)


@pytest.mark.drawn("name", few=2)
@pytest.mark.parametrize("name", [*ARMS, "j2s6s200"])
def test_the_original_is_among_the_answers_and_the_count_is_full(name: str) -> None:
    study(name, 60)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["all non-zero", "twists of 1°", "three parallel"])
def test_the_other_convention(name: str) -> None:
    study(name, 20, "modified")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ARMS, "j2s6s200"])
def test_a_thousand_poses(name: str) -> None:
    study(name, 1000)


@pytest.mark.parametrize("name", [*ARMS, "j2s6s200"])
def test_every_count_on_random_poses_is_full(name: str) -> None:
    chain = chain_of(name)
    report = solve_poses_dense(general_solver(chain).tables, pose_of(chain)(random_q(200, 9))).report
    assert (report[:, 2] == 1).all()
    assert (report[:, 0] > 0).all()


@pytest.mark.parametrize("name", list(ARMS))
def test_bounds(name: str) -> None:
    assert general_solver(chain_of(name)).bound == ARMS[name][1]


@cache
def singular_points(name: str, count: int) -> list[tuple[Floats, Floats]]:
    """Configurations with det J = 0, each with the direction in which the tool stands still."""
    arm = Arm6R(chain_of(name))
    rng, found = np.random.default_rng(3), []

    def J(q: Floats) -> Floats:
        return np.asarray(arm.derivative(arm.angles(q)) * arm.direction)

    while len(found) < count:
        a, b = rng.uniform(-np.pi, np.pi, (2, 6))
        t = np.linspace(0, 1, 30)
        d = np.linalg.det(J(a + (b - a) * t[:, None]))
        for i in np.flatnonzero(d[:-1] * d[1:] < 0)[:1]:
            low, high = t[i], t[i + 1]
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if np.linalg.det(J(a + (b - a) * middle)) * d[i] > 0 else (low, middle)
            at = a + (b - a) * low
            found.append((at, np.linalg.svd(J(at))[2][5]))
    return found


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["all non-zero", "bent wrist", "twists of 1°"])
@pytest.mark.parametrize("away", [1e-2, 1e-3, 1e-4, 1e-5, 1e-7, 0])
def test_near_double_roots_are_kept_and_flagged(name: str, away: float) -> None:
    chain = chain_of(name)
    q = np.array([at + away * still for at, still in singular_points(name, 12)])
    for x, answer in zip(q, answers(chain, pose_of(chain)(q)), strict=True):
        near = np.sort(off(answer, x))
        assert near[0] < 1e-6
        assert answer.info.complete
        assert answer.info.double[off(answer, x).argmin()] == (away <= 1e-4)
        if away >= 1e-5:
            assert near[1] < 5 * away  # the twin
        assert answer.residual.max() <= 1e-10


def test_sixteen_real_solutions() -> None:
    """Twists of 90° and nearly none in turn, as in the arm of Manseur and Doty (1989): some poses have all 16."""
    chain = chain_of("twists of 90° and 1°")
    found = [len(answer.q) for answer in general_solver(chain).solve_many(pose_of(chain)(random_q(60)))]
    assert max(found) == 16


@pytest.mark.parametrize("name", list(ARMS))
def test_special_poses_never_pass_for_complete(name: str) -> None:
    """Angles that are multiples of 45°: many are singular. What is regular is found; a full count is never wrong."""
    chain = chain_of(name)
    q = np.random.default_rng(11).integers(-2, 3, (60, 6)) * (np.pi / 4)
    least = np.linalg.svd(jacobian_of(chain)(q), compute_uv=False)[:, -1]
    for x, sigma, answer in zip(q, least, answers(chain, pose_of(chain)(q)), strict=True):
        there = len(answer.q) > 0 and off(answer, x).min() < (1e-6 if sigma > 1e-7 else 1e-4)
        assert there or (sigma < 1e-7 and not answer.info.complete)


@pytest.mark.drawn("name", few=2)
@pytest.mark.parametrize("name", list(ARMS))
def test_a_full_count_is_never_wrong(name: str) -> None:
    """Many special poses have several solutions with one and the same eigenvalue, whose vectors mean nothing."""
    chain = chain_of(name)
    q = np.random.default_rng(11).integers(-2, 3, (1500, 6)) * (np.pi / 4)
    found = solve_poses_dense(general_solver(chain).tables, pose_of(chain)(q))
    for x, rows, (n, _, full, _) in zip(q, found.q, found.report, strict=True):
        assert not full or np.abs(wrap_angles(rows[:n] - x)).max(-1).min(initial=9.0) < 1e-5


def test_a_family_is_told() -> None:
    """Axes 4 and 6 of a spherical wrist in line: only their sum is fixed."""
    chain = chain_of("spherical wrist")
    answer = solve_general(chain, pose_of(chain)(np.array([0.3, -0.8, 1.1, 0.4, 0, 0.9])))
    assert answer.info.family.any() and not answer.info.complete
    assert answer.residual.max() <= 1e-10


def test_a_pose_out_of_reach_has_no_answer_and_a_full_count() -> None:
    chain = chain_of("all non-zero")
    pose = np.eye(4)
    pose[:3, 3] = 30, 10, 5
    answer = solve_general(chain, pose)
    assert answer.q.shape == (0, 6)
    assert answer.info.complete


def test_single_and_batch_agree() -> None:
    chain = chain_of("bent wrist")
    poses = pose_of(chain)(random_q(10))
    for pose, answer in zip(poses, answers(chain, poses), strict=True):
        np.testing.assert_array_equal(solve_general(chain, pose).q, answer.q)


def test_a_pose_with_rounding_is_made_exact() -> None:
    chain = chain_of("all non-zero")
    q = random_q(1)
    pose = pose_of(chain)(q)[0]
    rough = pose + np.pad(np.random.default_rng(4).uniform(-1e-8, 1e-8, (3, 3)), ((0, 1), (0, 1)))
    for answer in answers(chain, rough[None]):
        assert off(answer, q[0]).min() < 1e-6 and answer.residual.max() < 1e-12


def test_the_pose_that_is_wrong_is_named() -> None:
    chain = chain_of("bent wrist")
    poses = pose_of(chain)(random_q(3))
    poses[1, 0, 0] += 0.1
    with pytest.raises(InputError, match="pose 2 of 3 is not a rotation"):
        answers(chain, poses)


def test_every_joint_as_eigenvalue_gives_the_same_solutions() -> None:
    """Each reading alone has all sixteen, and its eigenvalues are near them before any polish."""
    chain = chain_of("all non-zero")
    arm = Arm6R(chain)
    target = arm.frames(random_q(4))[5]
    gaps = np.concatenate([arm.gaps, np.eye(4)[None]])
    seen = set()
    for reading in readings():
        ahead = [gaps[j] if reading.sense == 1 else np.linalg.inv(gaps[j - 1]) for j in reading.joints]
        one = Elimination(reading, np.array(ahead), (0.3, -0.7, 1.1))
        found = study_targets(arm_table(arm, 1e-10, np.inf), reading_shape(one), reading_table(one), target)
        assert (found.counts == 16).all()
        assert ((found.steps < 1e-5).sum(1) >= 8).all() and found.steps[found.steps < 1e100].max() < 1e-3
        seen.add(reading.eigenvalue_joint)
    assert seen == set(range(6))


def test_the_fourteen_quantities_move_linearly() -> None:
    rng = np.random.default_rng(0)
    p, l, t = rng.normal(size=(3, 3))
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, t

    def quantities(p: Floats, l: Floats) -> Floats:
        return np.array([1, *l, *p, p @ p, p @ l, *np.cross(p, l), *((p @ p) * l - 2 * (p @ l) * p)])

    np.testing.assert_allclose(lift_motion(T) @ quantities(p, l), quantities(R @ p + t, R @ l), atol=1e-12)


def test_frames_anywhere_along_their_axes() -> None:
    """The same arm with frames far out on its axes (and back again) has the same answers."""
    rows = list(ARMS["all non-zero"][0])
    chain = numeric_chain(mp.Robot.from_dh(rows, convention="standard", angle="deg", name="arm"))
    first = Arm6R(chain)
    assert np.linalg.norm(first.gaps[:, :3, 3], axis=1).sum() == pytest.approx(3)
    q = random_q(5)
    np.testing.assert_allclose(first.poses(first.angles(q)), pose_of(chain)(q), atol=1e-14)


def test_what_is_not_six_turning_joints_is_refused() -> None:
    with pytest.raises(InputError, match="six revolute joints"):
        general_solver(numeric_chain(mp.load("stanford")))
    with pytest.raises(InputError, match="singular everywhere"):
        general_solver(chain_of("bent wrist", "modified"))  # its axes 5 and 6 are then one
    with pytest.raises(InputError, match="not a rotation"):
        solve_general(chain_of("bent wrist"), np.diag([2.0, 1, 1, 1]))
    with pytest.raises(InputError, match="not finite"):
        solve_general(chain_of("bent wrist"), np.full((4, 4), np.nan))


@pytest.mark.parametrize("away", [0, 1e-12, 1e-10, 1e-4])
def test_a_root_at_infinity_is_counted_from_elsewhere(away: float) -> None:
    """The eigenvalue is the tangent of a half angle: at half a turn from its origin M₂ is singular."""
    solver = general_solver(chain_of("all non-zero"))
    first = solver.eliminations[0]
    joint, sense = first.reading.eigenvalue_joint, first.reading.sense
    angles = random_q(1, 12)
    angles[0, joint] = sense * (first.origin[0] + np.pi + away)
    target = solver.arm.frames(angles)[5][0]
    back = (target if sense == 1 else np.linalg.inv(target))[:3].ravel()
    _, sizes, shapes, tables = solver.tables
    work = [np.empty(n) for n in (504, 162, 24, 24)]
    assert (pencil(tables[: sizes[2]], shapes[:12], back, *work) > 0) == (away < 1e-9)
    answer = solver.solve(solver.arm.poses(angles)[0])
    assert answer.info.complete and len(answer.info.readings) == 1
    assert off(answer, solver.arm.positions(angles)[0]).min() < 1e-6


@pytest.mark.parametrize("name", ["all non-zero", "bent wrist", "three parallel"])
def test_a_rough_root_is_kept_once_wherever_it_comes_from(name: str) -> None:
    """As Python runs the text: from beside a root, real or complex, near or far, and from its other turns."""
    solver, dice = general_solver(chain_of(name)), np.random.default_rng(3)
    arm, q = solver.tables[0], random_q(1, seed=4)[0]
    target, root = np.empty(12), solver.arm.angles(q)
    wanted(arm, pose_of(chain_of(name))(q)[:3].ravel(), target)
    count, rows, about = np.zeros(4, dtype=int), np.empty(6 * roots.MOST), np.empty(2 * roots.MOST)
    for aside in (0, 1e-9j, 1e-4, 0.03j, -0.03j, 0.03 + 0.03j):
        begin = (root + aside * dice.uniform(0.5, 1, 6)).astype(complex) + 2 * np.pi * dice.integers(-1, 2, 6)
        alone = np.zeros(4, dtype=int)
        for kept in (alone, count):
            roots.settle(arm, target, begin, kept, rows, about, np.empty(6 * roots.MOST, dtype=complex))
        assert alone.tolist() == count.tolist() == [1, 0, 0, 0], aside
        np.testing.assert_allclose(rows[:6], wrap_angles(root), atol=1e-9)
        assert about[0] < 1e-12
    met = 0
    for _ in range(12):  # far from the real axis: where Newton's method comes to rest there all the same
        begin = root + 0.3j * dice.uniform(-1, 1, 6)
        z, count = begin.copy(), np.zeros(4, dtype=int)
        if newton(arm, target, z, roots.LONG) >= 0 and np.abs(z.imag).max() < 1e-9:
            roots.settle(arm, target, begin, count, rows, about, np.empty(6 * roots.MOST, dtype=complex))
            assert apart_from(rows[: 6 * count[roots.REAL]].reshape(-1, 6), z.real).min() < 1e-9
            met += 1
    assert met


@pytest.mark.parametrize("seed", range(5))
def test_how_far_numbers_are_from_a_rotation_is_the_worst_entry(seed: int) -> None:
    """As Python runs the text, for matrices near rotations and far from them."""
    dice, G = np.random.default_rng(seed), np.empty(9)
    turn = pose_of(chain_of("bent wrist"))(random_q(1, seed)[0])
    for far in (0.0, 1e-9, 1e-3, 1.0):
        T = turn + far * dice.normal(size=(4, 4))
        square = T[:3, :3].T @ T[:3, :3]
        assert off_square(T.ravel(), G) == pytest.approx(np.abs(square - np.eye(3)).max(), abs=1e-15)
        np.testing.assert_allclose(G.reshape(3, 3), square, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_numbers_that_are_no_pose_are_not_taken(seed: int) -> None:
    """Any of sixteen that is not finite, a last row that is off, a reflection; rotations that are nearly so are made
    exact, and the place is left to the last bit."""
    dice, pose = np.random.default_rng(seed), np.empty(12)
    exact = pose_of(chain_of("bent wrist"))(random_q(1, seed)[0])
    exact[seed, 3] = 0.0
    slack, compiled = RootTolerance.SLACK, compile_text(taken)
    assert compiled(exact.ravel(), pose)
    for T in (exact, exact * np.where(np.arange(4) < 3, 1 + 0.4 * slack, 1)[None, :]):
        assert taken(T.ravel().tolist(), pose)
        found = pose.reshape(3, 4)
        np.testing.assert_array_equal(found[:, 3], T[:3, 3])
        np.testing.assert_allclose(found[:, :3] @ found[:, :3].T, np.eye(3), atol=1e-15)
        np.testing.assert_allclose(found[:, :3], exact[:3, :3], atol=slack)
    for i in range(16):
        for bad in (np.nan, np.inf, -np.inf):
            T = exact.ravel().tolist()
            T[i] = bad
            assert not taken(T, pose) and not compiled(np.array(T), pose), (i, bad)
    for i in range(12, 16):
        for step, well in ((0.9 * slack, True), (1.1 * slack, False)):
            T = exact.ravel().tolist()
            T[i] += dice.choice([-1, 1]) * step
            assert taken(T, pose) == well
    for way in np.eye(3):
        mirror = exact.copy()
        mirror[:3, :3] @= np.eye(3) - 2 * np.outer(way, way)
        assert not taken(mirror.ravel().tolist(), pose)


# a root that is missing is missed


def apart_from(rows: Floats, root: Floats) -> Floats:
    """How far rows of angles, complex ones too, are from a root."""
    gap = rows - root
    return np.asarray((np.abs(wrap_angles(gap.real)) + np.abs(gap.imag)).max(-1, initial=0.0))


def test_the_text_with_loops_that_loses_one_root_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python runs it: the text is the same."""
    chain, keep = chain_of("spherical wrist"), roots.add_real
    q = random_q(1, seed=12)
    pose, solver = pose_of(chain)(q), General6R(chain)
    root = solver.arm.angles(q[0])

    def solved() -> list[int]:
        report = np.empty(4, dtype=np.int64)
        solve_poses(1, *solver.tables, pose.ravel(), np.empty(6 * roots.MOST), np.empty(2 * roots.MOST), report)
        return report.tolist()

    def without(arm: Any, target: Any, angles: Any, *rest: Any) -> None:
        if apart_from(np.array(angles[:6]), root) > 0.05:
            keep(arm, target, angles, *rest)

    whole = solved()
    monkeypatch.setattr(roots, "add_real", without)
    short = solved()
    assert whole[1:3] == [solver.bound, 1]
    assert short[:3] == [whole[0] - 1, solver.bound - 1, 0]


@pytest.mark.parametrize("name", ["all non-zero", "spherical wrist"])
def test_machine_code_that_finds_one_root_too_few_says_so(name: str) -> None:
    """An arm that is said to have one root more than it has."""
    chain = chain_of(name)
    solver, poses = general_solver(chain), pose_of(chain)(random_q(5))
    tables = solver.tables
    assert tables.sizes[0] == solver.bound
    assert (solve_poses_dense(tables, poses).report[:, 2] == 1).all()
    more = tables._replace(sizes=tables.sizes + np.eye(len(tables.sizes), dtype=int)[0])
    assert (solve_poses_dense(more, poses).report[:, 2] == 0).all()


@pytest.mark.parametrize(("roots", "family", "complete"), [(16, False, True), (15, False, False), (16, True, False)])
def test_complete_is_every_root_and_each_alone(roots: int, family: bool, complete: bool) -> None:
    info = Info(roots, 16, np.array([False]), np.array([family]), ())
    assert info.complete == complete


def test_answers_without_limits_are_on_the_turn_of_the_seed() -> None:
    rng = random.Random("turns")
    solver = solver_of(odd_arm(rng, "RRRRRR"))
    q, turns = drawn(solver, rng), 2 * np.pi * np.arange(2, 8)
    found = solver(solver.pose(q), seed=q + turns).q
    assert len(found) and np.abs(found - q - turns).max(1).min() < 1e-6
    assert np.abs(found - q - turns).max() <= np.pi + 1e-6
