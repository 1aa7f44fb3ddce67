"""Seams solved as a whole: no way has fewer jumps, and of those with as few none is shorter or has a larger margin."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.errors import InputError, UnknownNameError
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import TURN
from manipula.ik.path import follow
from manipula.ik.path_search import CROWDED, KNOTS, BranchGraph, least_singular_values
from manipula.ik.without_closed_form import paired_solutions
from manipula.trajectories.seam import read_poses

pytestmark = pytest.mark.usefixtures("without_search")

LOW, HIGH = np.array([-2 * np.pi, -np.pi, -1.0]), np.array([2 * np.pi, 1.3 * np.pi, 1.0])
TURNING = np.array([True, True, False])


def turns(q: Any, turning: Any, low: Any, high: Any) -> list[Any]:
    """A configuration on every turn inside the limits."""
    each = [
        [x + TURN * k for k in (range(-3, 4) if turns else (0,)) if low[j] - 1e-9 <= x + TURN * k <= high[j] + 1e-9]
        for j, (x, turns) in enumerate(zip(q, turning, strict=True))
    ]
    return [np.array(choice) for choice in itertools.product(*each)]


def best_of_all(layers: list[list[Any]], max_step: float, margins: Any = None) -> tuple[int, float]:
    """Jumps, and travel or −margin, of the best of all sequences."""
    found = []
    for choice in itertools.product(*(range(len(layer)) for layer in layers)):
        q = np.array([layer[i] for layer, i in zip(layers, choice, strict=True)])
        steps = np.abs(np.diff(q, axis=0))
        worst = steps.sum() if margins is None else max(-margins[k][i] for k, i in enumerate(choice))
        found.append((int((steps.max(1) > max_step).sum()), float(worst)))
    return min(found)


@pytest.mark.parametrize("seed", range(40))
def test_the_way_is_the_best_of_all_sequences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 3, 4)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    q = rng.uniform(-3, 3, (first[-1], 3)) / [1, 1, 4]
    own, max_step = rng.uniform(0.2, 2.0, len(q)), float(rng.uniform(0.3, 3.0))
    rows = [
        [(x, own[r]) for r in range(a, b) for x in turns(q[r], TURNING, LOW, HIGH)]
        for a, b in itertools.pairwise(first)
    ]
    layers = [[x for x, _ in layer] for layer in rows]
    graph = BranchGraph(q, first, TURNING, LOW, HIGH)
    way = graph.best(max_step)
    jumps, travel = best_of_all(layers, max_step)
    assert way.jumps == jumps and way.cost == pytest.approx(travel, abs=1e-9)
    steps = np.abs(np.diff(way.q, axis=0))
    assert (steps.max(1) > max_step).sum() == jumps and steps.sum() == pytest.approx(travel, abs=1e-9)
    for j in np.flatnonzero(TURNING):  # no other turn of the whole way is further from the limits
        at = way.q[:, j, None] + TURN * np.arange(-2, 3)
        room = np.minimum(at - LOW[j], HIGH[j] - at).min(0)
        assert room[2] >= room.max() - 1e-9
    margins = [[min(m, *(x - LOW), *(HIGH - x)) for x, m in layer] for layer in rows]
    wide = graph.best(max_step, own)
    assert (wide.jumps, wide.cost) == pytest.approx(best_of_all(layers, max_step, margins), abs=1e-9)


def least_of_all_states(layers: list[Any], max_step: float) -> tuple[int, float]:
    """Jumps and travel of the best way through states (k, dof), by comparing every two."""
    jumps, travel = np.zeros(len(layers[0])), np.zeros(len(layers[0]))
    for a, b in itertools.pairwise(layers):
        step = np.abs(b[None] - a[:, None])
        counts = jumps[:, None] + (step.max(-1) > max_step)
        sums = np.where(counts == counts.min(0), travel[:, None] + step.sum(-1), np.inf)
        jumps, travel = counts.min(0), sums.min(0)
    return int(jumps.min()), float(travel[jumps == jumps.min()].min())


@pytest.mark.parametrize("seed", range(28))
def test_many_rows_in_order_lose_no_step(seed: int) -> None:
    """So many rows that they are compared by windows, across the ends of a turn as well, with jumps and without."""
    rng = np.random.default_rng(seed)
    max_step = float(rng.uniform(0.1, 1.5))
    counts = rng.integers(2, 5, 6) * CROWDED // 2
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    q = rng.uniform(-3.5, 3.5, (first[-1], 3)) / [1, 1, 4]
    if seed % 2:  # a way without jumps, through the end of a turn
        along = np.cumsum(np.full((6, 3), 0.9 * max_step) * [1, 1, 0], axis=0)
        q[first[:-1] + 1] = along + np.array([2.6, -3.0, 0.1])
    graph = BranchGraph(q, first, TURNING, LOW, HIGH)
    assert graph.period == TURN and (np.diff(graph.keys[first[0] : first[1]]) >= 0).all()
    layers = [
        np.array([x for row in q[a:b] for x in turns(row, TURNING, LOW, HIGH)]) for a, b in itertools.pairwise(first)
    ]
    way = graph.best(max_step)
    assert (way.jumps, way.cost) == pytest.approx(least_of_all_states(layers, max_step), abs=1e-9)
    # the rows that are named are the given ones, on whole turns
    off = (way.q - q[way.rows])[:, TURNING] / TURN
    np.testing.assert_allclose(off, np.rint(off), atol=1e-9)


def swiveling_seam(arm: mp.Arm, seed: int, count: int) -> Any:
    """Poses of a random motion inside the limits, which no knot knows of."""
    rng = np.random.default_rng(seed)
    low, high = np.array(arm.limits).T
    ends = rng.uniform(0.6 * low + 0.4 * high, 0.4 * low + 0.6 * high, (2, arm.dof))
    s = np.linspace(0, 1, count)[:, None]
    swing = 0.1 * np.sin(2 * np.pi * rng.integers(1, 4) * s) * rng.uniform(-1, 1, arm.dof)
    return ends[0] + s * (ends[1] - ends[0]) * 0.5 + swing


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("name", ["iiwa14", "panda", "xarm7"])
def test_a_long_seam_of_a_redundant_arm_is_as_good_as_one_that_samples_every_pose(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = mp.Arm(name)
    q = swiveling_seam(arm, seed, 4 * KNOTS)
    poses = arm.pose(q)
    if seed % 2:
        poses[30:33, 0, 3] += 5.0
    path = arm.follow(poses, max_step=0.5)
    monkeypatch.setattr("manipula.ik.path_search.KNOTS", len(q))
    every = arm.follow(poses, max_step=0.5)
    assert path.unreached == every.unreached == ([30, 31, 32] if seed % 2 else [])
    assert len(path.jumps) == len(every.jumps)
    assert np.nanmax(path.steps) <= 0.5 or path.jumps
    assert path.cost <= 1.05 * every.cost + 0.02
    reached = path.reached
    np.testing.assert_allclose(arm.pose(path.q[reached]), poses[reached], atol=1e-9)


def test_poses_without_order_are_sampled_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between knots nothing is known of them: as many are reached, with as few jumps, as without knots."""
    arm = mp.Arm("iiwa14")
    low, high = np.array(arm.limits).T
    poses = arm.pose(np.random.default_rng(5).uniform(0.9 * low, 0.9 * high, (4 * KNOTS, 7)))
    path = arm.follow(poses, max_step=0.5)
    monkeypatch.setattr("manipula.ik.path_search.KNOTS", len(poses))
    every = arm.follow(poses, max_step=0.5)
    assert path.jumps == every.jumps and path.unreached == every.unreached and path.cost == every.cost


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("name", ["puma560", "ur5e"])
def test_a_long_seam_with_a_free_spin_is_no_worse_than_one_that_keeps_the_tool(name: str, seed: int) -> None:
    arm = mp.Arm(name)
    q = np.linspace(*np.random.default_rng(seed).uniform(-1.2, 1.2, (2, 6)), 4 * KNOTS)
    q = np.clip(q, *np.array(arm.limits).T)
    poses = arm.pose(q)
    bound, free = arm.follow(poses, q[0], max_step=0.3), arm.follow(poses, q[0], free="spin", max_step=0.3)
    assert (len(free.jumps), free.cost) <= (len(bound.jumps), 1.02 * bound.cost + 0.02)
    assert free.reached.sum() >= bound.reached.sum()
    reached = free.reached
    np.testing.assert_allclose(arm.pose(free.q[reached])[:, :3, 2:], poses[reached, :3, 2:], atol=1e-9)


@pytest.mark.parametrize("seed", range(7))
def test_a_held_joint_of_many_poses_is_solved_as_one_by_one(seed: int) -> None:
    """An arm of seven joints that no held joint leaves a closed form: sawyer's kind, with limits."""
    arm = mp.Arm("sawyer")
    rng = np.random.default_rng(seed)
    solver = InverseSolver(arm.inverse_solver.chain, [(-2.5, 2.5)] * 7)
    assert solver.closed is None and solver.general is not None
    q = rng.uniform(-2.4, 2.4, (5, 7))
    poses, values = solver.pose(q), np.where(rng.random(5) < 0.5, q[:, 6], rng.uniform(-2.4, 2.4, 5))
    near = q[2] if seed % 2 else None
    found = paired_solutions(solver.general, solver, poses, values, near)
    for T, x, own in zip(poses, values, found, strict=True):
        alone = solver(T, near, [x]).q
        assert len(alone) == len(own)
        apart = np.abs(alone[:, None] - own[None]).max(-1)
        assert apart.size == 0 or apart.min(1).max() < 1e-9


@pytest.mark.parametrize("seed", range(14))
@pytest.mark.parametrize("name", ["puma560", "ur5e"])
def test_a_seam_of_an_arm_is_the_best_of_all_sequences(name: str, seed: int) -> None:
    arm, rng = mp.Arm(name), np.random.default_rng(seed)
    low, high = np.array(arm.limits).T
    # narrow about the seam, so that there are few turns
    poses = arm.pose(np.cumsum(rng.uniform(-0.5, 0.5, (3, 6)), axis=0) + rng.uniform(-1.0, 1.0, 6))
    path = arm.follow(poses, max_step=0.8)
    batch = arm.inverse_kinematics_batch(poses)
    if not batch.valid.any(1).all():
        assert path.unreached == np.flatnonzero(~batch.valid.any(1)).tolist()
        return
    solver = arm.inverse_solver
    layers = [
        np.array([x for q in own[valid] for x in turns(q, solver.turning, low, high)])
        for own, valid in zip(batch.q, batch.valid, strict=True)
    ]
    # two steps: all pairs of pairs at once
    step = [np.abs(b[None] - a[:, None]) for a, b in itertools.pairwise(layers)]
    jump = [(x.max(-1) > 0.8).astype(int) for x in step]
    jumps = jump[0][:, :, None] + jump[1][None]
    travel = step[0].sum(-1)[:, :, None] + step[1].sum(-1)[None]
    fewest = int(jumps.min())
    assert len(path.jumps) == fewest and path.cost == pytest.approx(float(travel[jumps == fewest].min()), abs=1e-8)
    np.testing.assert_allclose(arm.pose(path.q), poses, atol=1e-9)


@pytest.mark.parametrize("seed", range(14))
def test_poses_of_few_joints_are_reached_where_one_by_one_they_are(seed: int) -> None:
    """Axes in line included, which a closed form for few joints may miss."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            0,
            rng.choice([0, 0.2]),
            rng.choice([0, 0.3]),
            float(rng.choice([0, 90, -90])),
            *(["P"] * (rng.random() < 0.2)),
        )
        for _ in range(int(rng.integers(2, 5)))
    ]
    arm = mp.Arm(mp.Robot.from_dh(rows, convention="standard", angle="deg", name="few"))
    q = rng.uniform(-1.5, 1.5, (6, len(rows)))
    q[3:] = np.rint(q[3:] * 2 / np.pi) * np.pi / 2
    poses = np.concatenate([arm.pose(q)] * 2)
    poses[6:, :3, 3] += rng.normal(size=(6, 3)) * rng.choice([1e-9, 0.3, 2.0], size=(6, 1))
    reached = arm.follow(poses).reached
    assert reached[:6].all()
    assert reached.tolist() == [len(arm.inverse_kinematics(T).q) > 0 for T in poses]


def test_a_free_spin_travels_less_and_keeps_point_and_axis() -> None:
    arm = mp.Arm("irb120")
    q = np.linspace([0.3, 0.4, 0.2, 0.5, 0.9, -1.0], [0.8, 0.5, 0.1, 0.6, 0.6, 1.5], 40)
    poses = arm.pose(q)
    bound, free = arm.follow(poses, q[0]), arm.follow(poses, free="spin")
    assert free.cost < bound.cost - 1.0 and not free.jumps and np.abs(free.spin).max() > 0.5
    np.testing.assert_allclose(arm.pose(free.q)[:, :3, 2:], poses[:, :3, 2:], atol=1e-9)
    np.testing.assert_allclose(arm.pose(free.q), free.pose, atol=1e-9)


def test_a_redundant_arm_swivels() -> None:
    arm = mp.Arm("iiwa14")
    q = np.linspace([0.1, 0.6, -0.3, -1.2, 0.4, 0.9, 0.2], [0.5, 0.9, 0.2, -1.5, -0.2, 0.6, 0.6], 25)
    path = arm.follow(arm.pose(q), max_step=0.4)
    assert path.reached.all() and not path.jumps and path.cost <= np.abs(np.diff(q, axis=0)).sum() + 1e-9
    np.testing.assert_allclose(arm.pose(path.q), arm.pose(q), atol=1e-9)


def test_the_margin_is_that_of_the_worst_pose() -> None:
    arm = mp.Arm("puma560")
    q = np.linspace([0.3, 0.4, 0.2, 0.5, 0.9, 0.1], [0.8, 0.5, 0.1, 0.6, 0.3, 0.2], 30)
    wide, short = arm.follow(arm.pose(q), cost="margin"), arm.follow(arm.pose(q))
    low, high = np.array(arm.limits).T

    def least(path: Any) -> float:
        limits = np.minimum(path.q - low, high - path.q).min()
        return float(min(limits, least_singular_values(arm.inverse_solver, path.q).min()))

    assert wide.cost == pytest.approx(least(wide), abs=1e-9) and least(wide) >= least(short) - 1e-12


@pytest.mark.parametrize("side", [1, -1])
def test_a_joint_with_one_limit_keeps_it(side: int) -> None:
    """Where a turn further would be nearer, but beyond."""
    q, first, turning = side * np.array([[0.0], [-0.9], [5.0]]), np.arange(4), np.array([True])
    ends = (np.array([-1.0]), np.array([np.inf])) if side > 0 else (np.array([-np.inf]), np.array([1.0]))
    way = BranchGraph(q, first, turning, *ends).best(10.0)
    np.testing.assert_allclose(np.diff(way.q, axis=0), np.diff(q, axis=0), atol=1e-12)
    assert (way.q >= ends[0] - 1e-9).all() and (way.q <= ends[1] + 1e-9).all()


def test_endless_joints_go_on_turning() -> None:
    arm = mp.Arm("pucrio")
    q = np.linspace([0.3, 0.4, 0.2, 0.5, 0.9, -4.0], [0.8, 0.5, 0.1, 0.6, 0.6, 9.0], 60)
    solver = arm.inverse_solver
    free = type(solver)(solver.chain, None, closed=solver.closed, pose=solver.pose, jacobian=solver.jacobian)
    path = follow(free, arm.pose(q), q[0])
    np.testing.assert_allclose(path.q, q, atol=1e-8)
    assert not path.jumps and path.cost == pytest.approx(np.abs(np.diff(q, axis=0)).sum(), abs=1e-6)


def test_a_start_that_is_elsewhere_is_told() -> None:
    arm = mp.Arm("puma560")
    q = np.linspace([0.3, 0.4, 0.2, 0.5, 0.9, 0.1], [0.8, 0.5, 0.1, 0.6, 0.3, 0.2], 5)
    path = arm.follow(arm.pose(q), q[0] + [1.2, 0, 0, 0, 0, 0])
    assert path.jumps == path.changes == [0] and path.reasons[0].kind == "another branch"
    assert path.steps[0] > 1.0 and str(path).splitlines()[0] == "5 of 5 poses reached; 1 changes of branch, 1 jumps"


def test_a_seam_has_a_time_law_where_it_has_no_gap() -> None:
    arm = mp.Arm("puma560")
    q = np.linspace([0.3, 0.4, 0.2, 0.5, 0.9, 0.1], [0.8, 0.5, 0.1, 0.6, 0.3, 0.2], 30)
    poses = arm.pose(q)
    law = arm.follow(poses, q[0]).time_law(velocity=0.5, acceleration=2.0, torque=500, grid=60)
    np.testing.assert_allclose(law(law.duration).q, q[-1], atol=1e-6)
    assert np.abs(law(np.linspace(0, law.duration, 50)).qd).max() <= 0.5 * 1.001
    # the way from where the arm stands to the seam is no part of it
    beside = arm.follow(poses, q[0] + 0.5, max_step=0.3)
    assert beside.jumps == [0]
    assert beside.time_law(velocity=0.5, acceleration=2.0, torque=500, grid=60).duration == law.duration
    poses[3, 0, 3] += 9
    with pytest.raises(InputError, match="time_law: pose 3 is not reached"):
        arm.follow(poses).time_law()


def test_a_seam_is_saved(tmp_path: Any) -> None:
    arm = mp.Arm("puma560")
    q = np.linspace([0.3, 0.4, 0.2, 0.5, 0.9, 0.1], [0.8, 0.5, 0.1, 0.6, 0.3, 0.2], 4)
    poses = arm.pose(q)
    poses[2, 0, 3] += 9
    path = arm.follow(poses)
    lines = path.save(tmp_path / "path.csv").read_text().splitlines()
    assert lines[0] == "pose,q1,q2,q3,q4,q5,q6,spin,branch,note" and len(lines) == 5
    assert [float(x) for x in lines[1].split(",")[1:7]] == path.q[0].tolist()
    assert lines[3].startswith("2,,,,,,,,out of reach,out of reach: no configuration")


def test_no_poses_are_no_path() -> None:
    path = mp.Arm("puma560").follow(np.empty((0, 4, 4)))
    assert path.q.shape == (0, 6) and path.reasons == [] and path.steps.shape == (0,)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_step": 4.0}, "max_step: expected a positive number below π"),
        ({"max_step": float("nan")}, "max_step: expected a positive number"),
        ({"start": "home"}, 'start: expected "best" or 6 joint positions'),
        ({"start": [0, 1]}, "seed: expected 6 joint positions"),
    ],
)
def test_bad_input_is_refused(options: Any, words: str) -> None:
    arm = mp.Arm("puma560")
    with pytest.raises(InputError, match=words):
        arm.follow(np.eye(4)[None], **options)
    for name in ("free", "cost"):
        with pytest.raises(UnknownNameError, match=name):
            arm.follow(np.eye(4)[None], **{name: "roll"})


def test_poses_are_read_from_a_table(tmp_path: Any) -> None:
    file = tmp_path / "poses.csv"
    file.write_text("yaw [deg],x [mm],y [mm],z,roll [deg],pitch\n90,100,-200,0.3,0,0\n\n0,0,0,0,90,0\n")
    T = read_poses(file)
    np.testing.assert_allclose(T[0], [[0, -1, 0, 0.1], [1, 0, 0, -0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(T[1, :3, :3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-15)
    for count in (12, 16):
        file.write_text("\n".join(";".join(map(repr, t.ravel()[:count].tolist())) for t in T))
        np.testing.assert_array_equal(read_poses(file), T)


def test_a_table_of_poses_as_programs_write_it(tmp_path: Any) -> None:
    """Decimal commas, tabs, blanks of `np.savetxt`, comments, round brackets, quaternions: the same poses."""
    rng = np.random.default_rng(3)
    turn, places = Rotation.random(5, random_state=7), rng.uniform(-0.4, 0.4, (5, 3))
    wanted = np.tile(np.eye(4), (5, 1, 1))
    wanted[:, :3, :3], wanted[:, :3, 3] = turn.as_matrix(), places
    angles = np.degrees(turn.as_euler("xyz"))
    rows = np.column_stack([1000 * places, angles]).tolist()
    head = ["X (mm)", "Y (mm)", "Z (mm)", "Roll (deg)", "Pitch (°)", "Yaw [deg]"]
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0])  # q and −q are one rotation
    quaternions = turn.as_quat() * signs[:, None]
    texts = {
        mark: "# tool frames\n" + "\n".join(mark.join(map(str, row)).replace(".", decimal) for row in [head, *rows])
        for mark, decimal in ((",", "."), (";", ","), ("\t", ","), ("; ", "."))
    }
    file = tmp_path / "poses.csv"
    for text in texts.values():
        file.write_text(text + "\n\n", encoding="utf-8-sig")
        np.testing.assert_allclose(read_poses(file), wanted, atol=1e-14)
    for head, order in (("x y z qx qy qz qw", [0, 1, 2, 3]), ("x y z qw qx qy qz", [3, 0, 1, 2])):
        np.savetxt(file, np.column_stack([places, quaternions[:, order]]), header=head, comments="")
        np.testing.assert_allclose(read_poses(file), wanted, atol=1e-14)
    np.savetxt(file, wanted.reshape(5, 16), fmt="%.17g")
    np.testing.assert_array_equal(read_poses(file), wanted)
    assert mp.Arm("puma560").follow(str(file)).q.shape == mp.Arm("puma560").follow(wanted).q.shape == (5, 6)


def test_poses_in_millimetres_without_a_unit_are_asked_about() -> None:
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3, 3] = [[400, 0, 300], [0.1, 0, 9.0], [0, 410, 300]]
    reasons = mp.Arm("puma560").follow(poses).reasons
    assert [reason.text.startswith("the pose is 5") for reason in reasons] == [True, False, True]
    assert "500 m away" in reasons[0].text and reasons[1].text == "no configuration reaches the pose"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no rows"),
        ("# x y z\n", "has no rows"),
        ("x,y,z,roll,pitch,yaw\n.1,.2,.3,180,0,0\n", "column roll: 180 rad is more than a turn; for degrees name"),
        (".1 .2 .3 1 0 -90\n", "row 1, column yaw: -90 rad is more than a turn"),
        (".1 .2 .3 1 0 0 0\n", "7 numbers a row are a place and a quaternion"),
        ("x y z qw qx qy qz\n.1 .2 .3 1 1 0 0\n", "row 2: a quaternion of length 1.41, expected 1"),
        ("x,y,z,rx,ry,rz\n1,2,3,0,0,0\n", "rx ry rz may be angles or a vector along the axis"),
        ("x;y;z;roll;pitch;yaw\n1,5;2;3;0;0,1,2;0\n", "row 2, column pitch: expected a finite number"),
        ("1,2,3,0,zero,0\n", "row 1, column pitch: expected a finite number"),
        ("1,2,3\n", "found 3 columns; expected x y z roll pitch yaw, x y z qx qy qz qw"),
        ("x,y,z,roll,pitch,yaw\n1,2,3,4,5,6\n1,2,3,4,five,6\n", "row 3, column pitch: expected a finite number"),
        ("1,2,3,4,5,6\n1,2,3\n", "row 2: expected 6 columns, found 3"),
        ("x [foot],y,z,roll,pitch,yaw\n", "row 1, column x: unknown unit 'foot'"),
        ("x,y,z,a,b,c\n", "row 1: found the columns x y z a b c"),
        ("1,2,3,4,5,6\n1,2,nan,4,5,6\n", "row 2, column z: expected a finite number"),
    ],
)  # fmt: skip
def test_a_bad_table_is_named_by_row_and_column(tmp_path: Any, text: str, words: str) -> None:
    file = tmp_path / "poses.csv"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_poses(file)
    assert "poses.csv: " in str(caught.value) and words in str(caught.value)
