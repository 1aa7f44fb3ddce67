"""The choice among branches: one text, the same bits in plain Python, machine code and C; winding against trying."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.run.routines import compile_text
from manipula.ik.branch_selection import BLOCK, accepted_branches, closed_rows, order_branches, prefer_twins
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import limit_rows, wound
from manipula.ik.numeric.branches import (
    SETTLED,
    UNSETTLED,
    Row,
    Table,
    choose,
    choose_each,
    gather,
    prefer,
    rank,
    seat,
    wind_each,
)
from tests.emitted import needs_cc
from tests.texts import alike, text_folder

pytestmark = pytest.mark.usefixtures("without_search")

ARMS = ("puma560", "stanford", "cobra600")


@lru_cache
def arm_of(name: str) -> mp.Arm:
    return mp.Arm(name)


def random_table(rng: np.random.Generator, dof: int) -> Any:
    """Tolerances wide enough for every path, and joints of both kinds with and without limits."""
    turning = rng.random(dof) < 0.7
    low, high = np.sort(rng.uniform(-7, 7, (2, dof)), axis=0)
    free = rng.random(dof) < 0.3
    low, high = np.where(free, -np.inf, low), np.where(free, np.inf, high)
    numbers = np.zeros(Table.ROWS)
    numbers[[Table.CLEAN, Table.GOOD, Table.FAMILY, Table.SAME]] = 1e-3, 1e-3, 0.05, 0.1
    numbers[[Table.MARGIN, Table.ALMOST, Table.BESIDE, Table.MAYBE, Table.BLURRED]] = 0.5, -0.9, 2e-3, 0.11, 0.4
    numbers[Table.SINGULAR] = 0.3
    return np.concatenate([numbers, limit_rows(turning, low, high)])


def random_branches(rng: np.random.Generator, poses: int, branches: int, dof: int) -> list[Any]:
    """What a closed form may say: branches that reach, nearly reach and miss; equal ones; some that are no numbers."""
    T = rng.normal(size=(poses, 16))
    q = rng.uniform(-np.pi, np.pi, (poses, branches, dof))
    again = rng.random((poses, branches)) < 0.4
    q = np.where(again[..., None], q[:, :1] + 2 * np.pi * rng.integers(-1, 2, (poses, branches, dof)), q)
    off = rng.choice([1e-4, 1.5e-3, 1.0], (poses, branches, 1), p=[0.8, 0.02, 0.18])
    there = T[:, None] + off * rng.uniform(-1, 1, (poses, branches, 16))
    lost = rng.random((poses, branches)) < 0.1
    q[lost], there[lost] = np.nan, np.nan
    margin = rng.choice([0.01, 0.2, 1.0, np.nan], poses, p=[0.1, 0.4, 0.45, 0.05])
    pose_error = rng.choice([0.0, 1.0], poses, p=[0.95, 0.05])
    discriminant = np.where(there[..., 0] == there[..., 0], rng.uniform(-1, -0.89, (poses, branches)), -1.0)
    return [T, q, discriminant, margin, pose_error, there]


@needs_cc
@pytest.mark.parametrize("case", range(6))
def test_three_ways_choose_alike(case: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    rng, folder = np.random.default_rng(case), text_folder(tmp_path_factory)
    poses, branches, dof = 20, int(rng.integers(1, 9)), int(rng.integers(1, 8))
    table = random_table(rng, dof)
    T, *branch = random_branches(rng, poses, branches, dof)
    seed = rng.uniform(-2, 2, dof)
    marks, open_ = np.zeros((poses, branches), dtype=np.int64), np.zeros(poses, dtype=np.int64)
    flat = [x.ravel() for x in (marks, open_)]
    settled = 0
    for seeded in (False, True):
        seed_there = (T[0] if rng.random() < 0.5 else rng.normal(size=16)).copy()
        given = [poses, branches, dof, T.ravel(), 16, *(x.ravel() for x in branch)]
        *_, mark, unsettled, _ = alike(choose_each, folder, *given, seeded, seed, seed_there, table, *flat)
        assert set(np.unique(mark)) <= {0, 1} and not mark.reshape(poses, branches)[unsettled != SETTLED].any()
        settled += int((unsettled == SETTLED).sum())
    assert 0 < settled < 2 * poses


@needs_cc
@pytest.mark.parametrize("case", range(6))
def test_three_ways_wind_and_rank_alike(case: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    rng, folder = np.random.default_rng(100 + case), text_folder(tmp_path_factory)
    n, dof = int(rng.integers(1, 12)), int(rng.integers(1, 8))
    rows = random_table(rng, dof)[Table.ROWS :]
    q, seed = rng.uniform(-np.pi, np.pi, (n, dof)), rng.uniform(-8, 8, dof)
    q[rng.random(n) < 0.3] = q[0]  # ties keep their order
    mark = (rng.random(n) < 0.7).astype(np.int64)
    for seeded in (False, True):
        alike(wind_each, folder, n, dof, q.ravel(), seeded, seed, rows)
        order, gaps = np.zeros(n, dtype=np.int64), np.zeros(n)
        found = alike(rank, folder, n, dof, q.ravel(), mark, seeded, seed, order, gaps)
        places, count = found[6], found[-1]
        away = ((q - seed) ** 2).sum(1) if seeded else np.zeros(n)
        own = np.flatnonzero(mark)
        np.testing.assert_array_equal(places[:count], own[np.argsort(away[own], kind="stable")])
        taken = alike(gather, folder, count, dof, q.ravel(), places, np.zeros(n * dof))[4]
        np.testing.assert_array_equal(taken.reshape(n, dof)[:count], q[places[:count]])
        twin = np.array([int(rng.integers(-1, i)) if i else -1 for i in range(n)], dtype=np.int64)
        alike(prefer, folder, n, dof, q.ravel(), mark, seeded, seed, twin)


@pytest.mark.parametrize("case", range(20))
def test_the_turn_is_the_best_of_all_that_are_inside(case: int) -> None:
    """Against trying them all."""
    rng = np.random.default_rng(200 + case)
    dof = int(rng.integers(1, 8))
    turning, free = rng.random(dof) < 0.7, rng.random(dof) < 0.3
    low, high = np.sort(rng.uniform(-9, 9, (2, dof)), axis=0)
    low, high = np.where(free, -np.inf, low), np.where(free, np.inf, high)
    q = rng.uniform(-np.pi, np.pi, (5, dof))
    q[0], q[1] = np.where(np.isfinite(low) & (low > -np.pi) & (low < np.pi), low, q[0]), q[1]  # on a limit is inside
    for seed in (None, rng.uniform(-8, 8, dof)):
        found = wound(q, turning, low, high, seed)
        for i in range(5):
            for j in range(dof):
                turns = q[i, j] + 2 * np.pi * np.arange(-4, 5) if turning[j] else q[i, j : j + 1]
                inside = turns[(turns >= low[j] - 1e-11) & (turns <= high[j] + 1e-11)]
                aim = q[i, j] if seed is None else seed[j]
                least = np.abs(inside - aim).min() if inside.size and turning[j] else abs(q[i, j] - aim)
                assert abs(found[i, j] - aim) == pytest.approx(least, abs=1e-9)
                assert np.abs(turns - found[i, j]).min() < 1e-9


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_an_arm_is_solved_alike_in_plain_python(name: str) -> None:
    arm = arm_of(name)
    solver, rng = arm.inverse_solver, np.random.default_rng(3)
    reach = np.where(solver.turning, 2.8, 0.4)
    q = rng.uniform(np.maximum(solver.low, -reach), np.minimum(solver.high, reach), (8, arm.dof))
    T = arm.pose(q).reshape(-1, 16)
    raw = closed_rows(solver, T, None)
    n, branches, dof = raw.q.shape
    for seeded, seed in ((False, q[0]), (True, q[1])):
        found = []
        for way in (
            choose_each,
            compile_text(choose_each, rounded=True),
            compile_text(choose_each, True, branches=branches),
        ):
            own, mark, unsettled = raw.q.copy(), np.zeros((n, branches), dtype=np.int64), np.zeros(n, dtype=np.int64)
            there = solver.pose(raw.q).ravel()
            numbers = (
                raw.discriminant.ravel(),
                raw.margin,
                raw.pose_error,
                there,
                seeded,
                seed,
                solver.pose(seed).ravel(),
            )
            way(n, branches, dof, T.ravel(), 16, own.ravel(), *numbers, solver.table, mark.ravel(), unsettled)
            found.append((own[mark == 1], mark, unsettled))
        assert not found[0][2].any() and found[0][1].any(1).all()
        for other in found[1:]:
            for a, b in zip(found[0], other, strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("more", [0, 1, BLOCK + 3])
def test_many_poses_are_chosen_block_by_block(more: int) -> None:
    arm = arm_of("cobra600")
    solver, rng = arm.inverse_solver, np.random.default_rng(8)
    q = rng.uniform(np.maximum(solver.low, -3), np.minimum(solver.high, 3), (BLOCK + more, 4))
    T = arm.pose(q).reshape(-1, 16)
    whole = accepted_branches(solver, T, None, q[0])
    for at in (slice(0, 7), slice(BLOCK - 3, BLOCK + 4), slice(-5, None)):
        for x, part in zip(whole, accepted_branches(solver, T[at], None, q[0]), strict=True):
            np.testing.assert_array_equal(x[at], part)
    assert whole.valid.any(1).all() and len(whole.q) == len(q)


def plain_table(dof: int) -> Any:
    """Turning joints without limits; tolerances as in `random_table`."""
    free = np.full(dof, np.inf)
    numbers = random_table(np.random.default_rng(0), 1)[: Table.ROWS]
    return np.concatenate([numbers, limit_rows(np.ones(dof, dtype=bool), -free, free)])


@pytest.mark.parametrize(("apart", "turn"), [(0.09, 0), (0.105, 0), (0.2, 0), (0.09, 1), (0.105, -1)])
def test_branches_that_meet_count_once_and_doubtful_ones_are_left_open(apart: float, turn: int) -> None:
    table, T, seed = plain_table(2), np.zeros(16), np.zeros(2)
    q = np.array([[0.3, 1.0], [0.3, 1.0 + apart + 2 * np.pi * turn]]).ravel()
    for margin in (0.45, 0.6):  # below and above what lets branches meet
        mark = np.zeros(2, dtype=np.int64)
        given = (2, 2, T, q.copy(), np.ones(2), margin, 0.0, np.zeros(32), False, seed, table, mark)
        doubtful = margin < table[Table.MARGIN] and table[Table.SAME] <= apart < table[Table.MAYBE]
        assert choose(*given) == (UNSETTLED if doubtful else SETTLED)
        if not doubtful:
            one = margin < table[Table.MARGIN] and apart < table[Table.SAME]
            assert mark.tolist() == ([1, 0] if one else [1, 1])


@pytest.mark.parametrize("miss", [0.5e-3, 1.5e-3])
def test_a_seed_takes_a_place_only_where_it_stands_at_the_pose(miss: float) -> None:
    table, T, seed = plain_table(2), np.zeros(16), np.array([0.9, -0.9])
    q, mark = np.array([0.0, 0.0, 1.0, -1.0, 0.91, -0.91]), np.array([1, 1, 0])
    there = np.zeros(16)
    there[7] = miss
    state = seat(3, 2, T, there, q, seed, table, mark)
    assert state == SETTLED
    assert q.tolist() == [0.0, 0.0, *((0.9, -0.9) if miss < table[Table.GOOD] else (1.0, -1.0)), 0.91, -0.91]
    alone = seat(3, 2, T, there, q, seed, table, np.zeros(3, dtype=np.int64))
    assert alone == (UNSETTLED if miss < table[Table.GOOD] else SETTLED)


def test_of_branches_that_are_one_the_one_inside_comes_first() -> None:
    q, inside = np.array([[3.2], [-3.1], [1.0], [-3.0]]), np.array([False, True, True, True])
    twin = np.array([-1, 0, -1, 0])
    np.testing.assert_array_equal(prefer_twins(twin, inside, q, None), [1, -1, -1, 1])
    np.testing.assert_array_equal(prefer_twins(twin, inside, q, np.array([-2.9])), [1, 3, -1, -1])
    np.testing.assert_array_equal(order_branches(q, inside, np.array([-2.9])), [3, 1, 2])


def test_the_layout_has_a_place_for_every_number() -> None:
    places = {v for k, v in vars(Table).items() if k.isupper() and k != "ROWS"}
    assert places == set(range(Table.ROWS))
    assert {v for k, v in vars(Row).items() if k.isupper() and k != "COUNT"} == set(range(Row.COUNT))


def array_solver(arm: mp.Arm) -> InverseSolver:
    """The same arm, its closed form compiled, the choice on arrays."""
    closed, chain = arm.model("inverse_kinematics"), arm.inverse_solver.chain
    return InverseSolver(chain, arm.limits, closed=closed, pose=arm.pose, jacobian=arm.jacobian)


def drawn_poses(arm: mp.Arm, rng: np.random.Generator, count: int) -> Any:
    """(count, 16): inside and outside the limits, locked wrists, out of reach, no rotations, no numbers."""
    reach = np.where(arm.inverse_solver.turning, 3.1, 0.5)
    q = rng.uniform(-reach, reach, (count, arm.dof))
    q[rng.random(count) < 0.2, -2] = 0.0
    T = arm.pose(q)
    T[rng.random(count) < 0.1, :3, 3] *= 5
    T[rng.random(count) < 0.05, 0, 0] += 1e-5
    T[rng.random(count) < 0.05, 1, 3] = np.nan
    return T.reshape(-1, 16)


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", [*ARMS, "iiwa14"])
def test_machine_code_for_many_poses_chooses_as_arrays_do(name: str) -> None:
    """Bit by bit, in whole blocks and parts of one; a parameter and a pose may stand for all."""
    arm, rng = arm_of(name), np.random.default_rng(9)
    native, arrays = arm.inverse_solver.native, array_solver(arm)
    assert native is not None and arrays.native is None
    for count in (1, 2, 15, 16, 17, 50):
        T, seed = drawn_poses(arm, rng, count), rng.uniform(-2, 2, arm.dof)
        values = rng.uniform(-2, 2, count) if arm.inverse_plan.parameter else None
        cases = [(T, values)] if values is None else [(T, values), (T[:1], values), (T, values[:1])]
        for near in (None, seed):
            for poses, value in cases:
                for a, b in zip(native(poses, value, near), accepted_branches(arrays, poses, value, near), strict=True):
                    np.testing.assert_array_equal(a, b)


def test_poses_that_do_not_lie_densely_are_chosen_alike() -> None:
    arm, rng = arm_of("puma560"), np.random.default_rng(10)
    native = arm.inverse_solver.native
    assert native is not None
    T, seeds = drawn_poses(arm, rng, 20), rng.uniform(-2, 2, (6, 6))
    for other in (T[::2], np.asfortranarray(T), T[::-1]):
        dense = native(np.array(other, order="C"), None, seeds[:, 2].copy())
        for a, b in zip(native(other, None, seeds[:, 2]), dense, strict=True):
            np.testing.assert_array_equal(a, b)
    assert [x.shape for x in native(T[:0], None, None)] == [(0, 8, 6), (0, 8), (0,)]
