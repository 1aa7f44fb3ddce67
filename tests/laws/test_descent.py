"""Laws of the search: what machine code finds is what arrays find, inside limits where asked, the original among it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.algebra.run.routines import compile_text
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.descent import TASKS, Descent, descend, fill_jacobian, lacking, locate_axes, normal, stepped
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import distances
from manipula.ik.without_closed_form import _by_arrays, distinct, starts, unclosed_result, unique_solutions

FINITE = ["RRPR", "RRPRR", "PRRPR", "RRRRP", "RRPRRR", "PRRRRR", "RRRPRP"]
REDUNDANT = ["PRRRRRR", "RRRRRRRR", "PRRRRRRRRP"]


def odd_arm(rng: random.Random, word: str, limited: bool = False) -> mp.Robot:
    """Nothing parallel, nothing square, nothing crossing."""
    rows = []
    for letter in word:
        row = {"theta": rng.uniform(-90, 90), "d": rng.uniform(-0.4, 0.4), "a": rng.uniform(-0.5, 0.5)}
        row["alpha"] = rng.uniform(-170, 170)
        kind = "revolute" if letter == "R" else "prismatic"
        ends = {"limits": [-120, 120] if letter == "R" else [-0.4, 0.4]} if limited else {}
        rows.append({**{name: round(x, 3) for name, x in row.items()}, "type": kind, **ends})
    robot = mp.Robot.from_dh(rows, angle="deg").with_tool(xyz=[0.1, 0.05, 0.2], rpy=[0.3, 0.2, 0.1])
    return robot.with_base(xyz=[0.1, -0.2, 0.3], rpy=[0.4, 0.1, -0.6])


def solver_of(robot: mp.Robot) -> InverseSolver:
    return InverseSolver(numeric_chain(robot), mp.Arm(robot).limits)


def drawn(solver: InverseSolver, rng: random.Random, part: float = 1.0) -> Any:
    return np.array([rng.uniform(-span, span) for span in part * np.where(solver.turning, 2.0, 0.4)])


@pytest.mark.turn
@pytest.mark.drawn("word", few=2)
@pytest.mark.parametrize("word", FINITE)
def test_every_solution_that_arrays_find_is_found(word: str) -> None:
    rng = random.Random(word)
    for _ in range(2):
        solver = solver_of(odd_arm(rng, word))
        q = drawn(solver, rng)
        T = solver.pose(q)
        found = unique_solutions(solver, T, None)
        assert np.abs(solver.pose(found) - T).max() < 1e-12 * solver.size
        assert distances(found, q, solver.turning).min() < 1e-6
        assert len(distinct(found, solver.turning)) == len(found) <= 16
        for other in _by_arrays(solver, T, starts(solver, None, 24), solver.tolerances.exact):
            assert distances(found, other, solver.turning).min() < 1e-5


@pytest.mark.parametrize("task", TASKS)
def test_axes_through_one_point_have_no_length_and_are_turned_all_the_same(task: str) -> None:
    robot = mp.Robot.from_dh([{"theta": 0, "d": 0, "a": 0, "alpha": alpha} for alpha in (50, -70, 30)], angle="deg")
    solver, aim = solver_of(robot), np.array([0.3, -0.4, 0.5])
    found = Descent(solver.chain, solver.low, solver.high)(np.zeros((1, 3)), solver.pose(aim), task)
    assert np.isfinite(found.q).all() and found.miss.max() < 1e-9
    wanted, met = solver.pose(aim), solver.pose(found.q[0])
    np.testing.assert_allclose(met[:3, 3], 0, atol=1e-12)
    if task == "pose":
        np.testing.assert_allclose(met, wanted, atol=1e-9)


@pytest.mark.drawn("word")
@pytest.mark.parametrize("word", REDUNDANT)
def test_a_redundant_arm_is_solved_inside_its_limits(word: str) -> None:
    rng = random.Random(word)
    for _ in range(3):
        solver = solver_of(odd_arm(rng, word, limited=True))
        q = drawn(solver, rng)
        result = solver(solver.pose(q), seed=drawn(solver, rng))
        assert len(result.q)
        assert (result.q >= solver.low - 1e-9).all() and (result.q <= solver.high + 1e-9).all()
        assert np.abs(solver.pose(result.q) - solver.pose(q)).max() < 1e-12 * solver.size
        assert distances(solver(solver.pose(q), seed=q).q[0], q, solver.turning) < 1e-9


@pytest.mark.parametrize("task", TASKS)
def test_the_text_itself_and_its_machine_code_end_alike(task: str) -> None:
    chain = numeric_chain(odd_arm(random.Random(4), "RRPRR"))
    solver = InverseSolver(chain)
    low, high = np.full(5, -2.5), np.full(5, 2.5)
    q = np.random.default_rng(2).uniform(-1, 1, (3, 5))
    T = solver.pose(np.array([0.5, -0.4, 0.2, 1.1, -0.7]))
    plain, native = (
        Descent(chain, low, high, run)(q, T, task, bounded=True) for run in (descend, compile_text(descend))
    )
    assert np.allclose(plain.q, native.q, atol=1e-6) and np.allclose(plain.miss, native.miss, atol=1e-9)
    assert ((native.q >= low) & (native.q <= high)).all()


@pytest.mark.parametrize("task", TASKS)
def test_what_a_tool_lacks_is_its_way_and_its_turn(task: str) -> None:
    """Against rotation vectors: the whole turn of a pose, of an axis the turn that carries one onto the other."""
    dice, e = np.random.default_rng(5), np.empty(6)
    for _ in range(20):
        end, target = Rotation.random(2, random_state=dice)
        here, there = dice.normal(size=(2, 3))
        way = there - here if task != "direction" else np.zeros(3)
        a, b = (x.as_matrix()[:, 2] for x in (end, target))
        about = np.cross(a, b) / np.linalg.norm(np.cross(a, b)) * np.arccos(a @ b)
        turn = {"pose": (target * end.inv()).as_rotvec(), "position": np.zeros(3)}.get(task, about)
        entries = [np.concatenate([x.as_matrix().ravel(), p]) for x, p in ((end, here), (target, there))]
        total = lacking(TASKS.index(task), *entries, e)
        np.testing.assert_allclose(e, [*way, *turn], atol=1e-9)
        assert total == pytest.approx(way @ way + turn @ turn)


@pytest.mark.turn
def test_rounded_poses_of_few_joints_are_met_as_nearly_as_they_can_be() -> None:
    rng = random.Random(6)
    for word in ("RRPRR", "RRRRP"):
        solver = solver_of(odd_arm(rng, word))
        q = drawn(solver, rng)
        for digits, tolerance in ((6, None), (3, 5e-3)):
            result = solver(solver.pose(q).round(digits), tolerance=tolerance)
            assert len(result.q) == 1 and distances(result.q, q, solver.turning).max() < 30 * 10.0**-digits
        with pytest.warns(mp.ManipulaWarning, match="a few digits"):
            assert not len(solver(solver.pose(q).round(3)).q)


@pytest.mark.parametrize("word", ["RRPRRR", "PRRRRR", "RRRPRP"])
def test_where_two_solutions_meet_there_is_one(word: str) -> None:
    rng = random.Random(word)
    solver = solver_of(odd_arm(rng, word))
    for _ in range(3):
        q = singular(solver, rng)
        found = solver(solver.pose(q)).q
        assert (distances(found, q, solver.turning) < 1e-3).sum() == 1


def singular(solver: InverseSolver, rng: random.Random) -> Any:
    """A configuration where the Jacobian has lost a direction, between two of unlike determinants."""
    a, b = drawn(solver, rng), drawn(solver, rng)
    while det(solver, a) * det(solver, b) > 0:
        a, b = b, drawn(solver, rng)
    return a + brentq(lambda t: det(solver, a + t * (b - a)), 0, 1, xtol=1e-15) * (b - a)


def det(solver: InverseSolver, q: Any) -> float:
    return float(np.linalg.det(solver.jacobian(q)))


def test_what_was_found_without_the_closed_form_is_not_named_by_it() -> None:
    """A redundant arm whose fan of values misses the pose is searched: its answers are no branches of the form."""
    solver = InverseSolver(numeric_chain(mp.load("iiwa14")))
    result = unclosed_result(solver, solver.pose(np.full(7, 0.4)), None, None, None)
    assert len(result.branch) == len(result.all) == len(result.valid)
    assert result.branch[0] == "solution 1"


@pytest.mark.parametrize("task", TASKS)
def test_what_a_descent_leaves_is_what_the_task_lacks(task: str) -> None:
    """A target that is met in what counts alone is met."""
    solver = solver_of(odd_arm(random.Random(9), "RRRRRR"))
    q = np.array([0.3, -0.8, 0.5, 1.2, -0.4, 0.9])
    T = solver.pose(q)
    other = {"pose": np.eye(3), "position": turned(0, 1.0), "axis": turned(2, 1.0), "direction": turned(2, 0.5)}[task]
    T[:3, :3] = T[:3, :3] @ other
    T[:3, 3] += [0.05, 0.02, 0.01] if task == "direction" else [0.0, 0.0, 0.0]
    assert solver.descent is not None
    ends = solver.descent(starts(solver, None), T, task)
    best = int(np.argmin(ends.miss))
    there = solver.pose(ends.q[best])
    assert ends.miss[best] < 1e-12
    assert task == "direction" or np.abs(there[:3, 3] - T[:3, 3]).max() < 1e-11
    assert task == "position" or np.abs(there[:3, 2] - T[:3, 2]).max() < 1e-11
    assert task != "pose" or np.abs(there - T).max() < 1e-11


def turned(axis: int, angle: float) -> Any:
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(angle * np.eye(3)[axis]).as_matrix()


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", "ur5", "stanford"])
def test_the_nearest_is_as_near_as_arrays_find(name: str) -> None:
    robot = mp.load(name)
    chain, limits = numeric_chain(robot), mp.Arm(robot).limits
    with_code, without = InverseSolver(chain, limits), InverseSolver(chain, limits)
    without.descent = None
    T = with_code.pose(np.full(6, 0.4))
    T[:3, 3] *= 2.5
    a, b = with_code.nearest(T), without.nearest(T)
    assert a.distance <= b.distance * (1 + 1e-9)
    assert a.distance == pytest.approx(float(np.linalg.norm(with_code.pose(a.q) - T)))


@pytest.mark.parametrize("n", [1, 4, 7])
def test_a_step_is_that_of_damped_least_squares(n: int) -> None:
    """(JᵀJ + λ) s = Jᵀe by arrays; a joint at a limit that is pushed out has no column."""
    dice = np.random.default_rng(n)
    for _ in range(5):
        J, e, damping = dice.normal(size=(n, 6)), dice.normal(size=6), float(dice.uniform(1e-3, 1))
        x, at = dice.uniform(-1, 1, n), dice.integers(3, size=n)  # at the lower limit, at the upper one, at neither
        limits = np.concatenate([np.where(at == 0, x, -2), np.where(at == 1, x, 2)])
        pushed = J @ e
        held = ((at == 0) & (pushed < 0)) | ((at == 1) & (pushed > 0))
        free = np.where(held[:, None], 0.0, J)
        rows, H, g, step = J.ravel().copy(), np.zeros(n * n), np.zeros(n), np.zeros(n)
        normal(n, rows, e, x, limits, H, g)
        np.testing.assert_allclose(rows.reshape(n, 6), free, atol=0)
        np.testing.assert_allclose(np.tril(H.reshape(n, n)), np.tril(free @ free.T), atol=1e-12)
        np.testing.assert_allclose(g, free @ e, atol=1e-12)
        stepped(n, H, g, damping, step)
        np.testing.assert_allclose(step, np.linalg.solve(free @ free.T + damping * np.eye(n), free @ e), atol=1e-9)


@pytest.mark.parametrize("task", TASKS)
def test_rows_of_the_task_are_slopes_of_what_it_lacks(task: str) -> None:
    """Near the target, where a turn and its rotation vector have the same slope."""
    chain = numeric_chain(odd_arm(random.Random(6), "RPRR"))
    descent = Descent(chain, np.full(4, -9.0), np.full(4, 9.0), descend)
    what, n, x = TASKS.index(task), 4, np.array([0.4, 0.1, -0.8, 1.3])
    axes, points, end, target = np.zeros(12), np.zeros(12), np.zeros(12), np.zeros(12)
    J, ahead, behind, h = np.zeros(24), np.zeros(6), np.zeros(6), 1e-6
    arm, kinds = descent._free, descent._kinds
    locate_axes(n, arm, kinds, x, axes, points, target)
    fill_jacobian(n, what, arm, kinds, axes, points, target, J)
    for k in range(n):
        for sign, e in ((1, ahead), (-1, behind)):
            locate_axes(n, arm, kinds, x + sign * h * np.eye(n)[k], axes, points, end)
            lacking(what, end, target, e)
        np.testing.assert_allclose(J[6 * k : 6 * k + 6], (behind - ahead) / (2 * h), atol=1e-8)
