"""Robots whose chains close: what they are in a file, where they close, and the laws that their models keep."""

from __future__ import annotations

import ctypes
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.errors import InputError, ManipulaWarning
from manipula.generation.arm_structure import ArmStructure
from manipula.generation.column_ranking import _independent, _stacked
from manipula.mechanics.models.closure import rounding
from manipula.mechanics.models.closure.assembly import NumericLinkage
from manipula.mechanics.models.closure.constraint import closure_bias, closure_rows, seen_from_first, seen_from_world
from manipula.mechanics.models.closure.elimination import Elimination, PivotBlock
from manipula.mechanics.models.closure.position import STRIDE, Closing, mechanism_of
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.loops import ClosedLoop, is_free_word
from manipula.mechanics.robot.reduce import frames_on_joints, merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.emitted import cc
from tests.linkages import ALL, Linkage, five_bar, four_bar, slider_crank, straight_line, three_cranks

Array = Any


def closed_at(robot: mp.Robot, seed: int, spread: float = 0.25) -> tuple[Array, Array, Array]:
    """A closed position, rates and accelerations of the motors."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        at = robot.close(rng.uniform(-spread, spread, len(robot.motors)))
        if at.ok:
            return (at.q, *rng.normal(size=(2, len(robot.motors))))
    raise AssertionError("it does not close")


# files


@pytest.mark.parametrize("name", ALL)
def test_a_robot_file_keeps_loops_and_motors(name: str, tmp_path: Path) -> None:
    robot = ALL[name](0).with_poses(closed=[0.0] * ALL[name](0).dof)
    again = mp.load(mp.save(robot, tmp_path / "linkage.toml"), exact=True)  # three cranks are parallelograms
    assert (again.loops, again.motors, again.frames) == (robot.loops, robot.motors, robot.frames)
    assert again.digest == robot.digest
    assert again.close([0.0] * len(robot.motors), near="closed").ok


def test_a_joint_may_be_passive_instead_and_a_pose_may_name_joints() -> None:
    text = file_text(four_bar(0)).replace('drive = ["crank"]', "")
    text = text.replace("[motors]\n", "[poses]\nclosed = { crank = 0.1 }\n")
    for name in ("coupler", "rocker"):
        text = text.replace(f'name = "{name}"\n', f'name = "{name}"\npassive = true\n')
    robot = mp.Robot.from_text(text)
    assert robot.motors == ("crank",)
    assert robot.poses["closed"] == (0.1, 0.0, 0.0)
    assert robot.close([0.1]).ok


def file_text(robot: mp.Robot) -> str:
    from manipula.mechanics.robot.formats.toml.write import toml_from_robot

    return toml_from_robot(robot)


def test_a_robot_shows_its_loops_and_motors() -> None:
    shown = str(five_bar(0))
    assert "loop tip" in shown and "tip_a and tip_b, free: z" in shown and "left, right" in shown


def test_robots_without_loops_are_what_they_were() -> None:
    assert mp.load("puma560").digest == "2450189be9e5ab64"
    assert mp.load("panda").motor_coordinates == tuple(range(7))


@pytest.mark.parametrize(
    ("word", "right"),
    [("z", 1), ("x", 1), ("slide y", 1), ("ball", 1), ("universal xz", 1), ("", 1), ("slide", 0), ("universal xx", 0),
     ("zz", 0), ("Z", 0), ("universal x", 0), (" slide  z ", 1)],
)  # fmt: skip
def test_words_of_a_cut_joint(word: str, right: int) -> None:
    assert is_free_word(word) == bool(right)


CHANGES = [
    ('joins = ["pin_a"', 'joins = ["nowhere"', "loop 'pin': joins: the robot has no frame 'nowhere'"),
    ('joins = ["pin_a", "pin_b"]', 'joins = ["pin_a", "coupler"]', "both frames are on 'coupler'"),
    ('free = "z"', 'free = "about z"', "loop 'pin': free: found 'about z'"),
    ('drive = ["crank"]', 'drive = ["motor"]', "motors: drive: 'motor' has no coordinate of its own"),
    ('drive = ["crank"]', 'drive = ["crank", "crank"]', "'crank' is named twice"),
    ('drive = ["crank"]', 'driven = ["crank"]', "unknown key"),
]


@pytest.mark.parametrize(("old", "new", "said"), CHANGES)
def test_a_wrong_file_is_one_sentence(old: str, new: str, said: str) -> None:
    text = file_text(four_bar(0))
    assert old in text
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        mp.Robot.from_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("motors", "said"),
    [
        (("crank", "coupler"), "its loops leave 1 freedoms, and 2 joints are driven"),
        ((), "its loops leave 1 freedoms, and 0 joints are driven .*: crank, coupler, rocker can move"),
    ],
)
def test_motors_that_do_not_fit_are_one_sentence(motors: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        replace(four_bar(0), motors=motors).close([0.0] * len(motors))


def test_idle_motors_are_told() -> None:
    x = Linkage("idle", 0)
    x.joint("turn", "base", (0.0, 0.0, 0.0))
    x.joint("crank", "turn", (0.1, 0.0, 0.0), motor=True)
    x.joint("coupler", "crank", (0.1, 0.2, 0.0))
    x.joint("rocker", "turn", (0.5, 0.0, 0.0), motor=True)
    x.loop("pin", "coupler", "rocker", (0.5, 0.3, 0.0))
    with pytest.raises(InputError, match="do not move it as a whole: turn"):
        x.robot().close([0, 0])


def test_a_loop_that_does_not_close_says_by_how_much() -> None:
    end = 'name = "pin_b"\non = "rocker"\nxyz = ['
    head, tail = file_text(four_bar(0)).split(end)
    text = f"{head}{end}3, 0, 0]{tail.partition(']')[2]}"
    with pytest.raises(InputError, match=r"do not close: the frames stay \d"):
        mp.Robot.from_text(text).close([0.0])


@pytest.mark.parametrize("model", ["coriolis_matrix", "inverse_dynamics_derivatives", "momentum"])
def test_models_that_know_no_loops_refuse(model: str) -> None:
    with pytest.raises(InputError, match=r"is not made for robots with loops; inverse and forward dynamics, .* are"):
        mp.generate(four_bar(0), model)


def test_uses_that_know_no_loops_refuse(tmp_path: Path) -> None:
    robot = four_bar(0)
    arm = mp.Arm(robot, frame="pin_a")
    for ask in (
        lambda: mp.Plant(robot), lambda: arm.inverse_kinematics(np.eye(4)), lambda: robot.locked(crank=0.1),
        lambda: mp.save(robot, tmp_path / "a.urdf"), lambda: mp.excite(robot), lambda: mp.significance(robot, []),
        lambda: mp.convert(robot, "standard"), lambda: mp.reach(arm),
    ):  # fmt: skip
        with pytest.raises(InputError, match="loops"):
            ask()


@pytest.mark.parametrize("given", [[0.0, 0.1], ["a"], [np.nan], [[0.0]], {"coupler": 0.1}, {}, None])
def test_bad_positions_of_motors_are_one_sentence(given: Any) -> None:
    with pytest.raises(InputError):
        four_bar(0).close(given)
    with pytest.raises(InputError, match="has no loops"):
        mp.load("planar2r").close([0.1])


# where loops close


@pytest.mark.parametrize("seed", range(14))
@pytest.mark.parametrize("name", ALL)
def test_starts_around_a_pose_close_in_its_assembly_or_say_why(name: str, seed: int) -> None:
    robot = ALL[name](seed)
    mechanism, plan = mechanism_of(robot)
    rng = np.random.default_rng(seed)
    motors, near = 0.2 * rng.uniform(-1, 1, len(robot.motors)), 0.2 * rng.uniform(-1, 1, robot.dof)
    signs = np.sign(mechanism.divisors(near, plan))
    at = robot.close(motors, near=near)
    if at.ok:
        assert at.error <= 1e-12
        np.testing.assert_array_equal(at.q[list(robot.motor_coordinates)], motors)
        np.testing.assert_array_equal(np.sign(mechanism.divisors(at.q, plan)), signs)
    else:
        with pytest.raises(InputError, match="motors at"):
            np.asarray(at)


def test_whatever_the_start_its_assembly_is_kept_or_a_status_says_so() -> None:
    robot = five_bar(2)
    mechanism, plan = mechanism_of(robot)
    closed = 0
    for start in np.random.default_rng(1).uniform(-2.5, 2.5, (40, 4)):
        at = robot.close(start[[0, 2]], near=start)
        closed += at.ok
        if at.ok:
            assert np.sign(mechanism.divisors(at.q, plan)) == np.sign(mechanism.divisors(start, plan))
    assert closed > 10


def test_the_way_back_leads_to_the_start() -> None:
    robot = five_bar(1)
    there = robot.close([0.4, -0.3])
    back = robot.close([0.0, 0.0], near=there.q)
    np.testing.assert_allclose(back.q, np.zeros(4), atol=1e-11)


@pytest.mark.parametrize("way", [0.1, 1.0, 2.0])
def test_motors_go_no_further_in_a_step_than_the_stride_and_a_short_way_at_once(
    way: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, steps = five_bar(1), [np.zeros(2)]
    plain = Closing._step

    def step(self: Closing, q: Any, motors: Any, signs: Any) -> Any:
        found = plain(self, q, motors, signs)
        steps.extend([motors] if found[1] == "closed" else [])
        return found

    monkeypatch.setattr(Closing, "_step", step)
    there = robot.close([0.4 * way, -0.3 * way])
    assert there.ok and steps[-1].tolist() == [0.4 * way, -0.3 * way]
    longest = np.abs(np.diff(steps, axis=0)).max()
    assert longest <= STRIDE * (1 + 1e-9)
    if 0.4 * way <= STRIDE:
        assert len(steps) == 2


def test_positions_out_of_reach_have_a_status() -> None:
    robot = drawn_five_bar(rods=(0.3, 0.3))  # 0.6 m; the elbows are 0.8 m apart there
    at = robot.close([np.pi, 0.0])
    assert at.status in ("open", "singular", "other assembly")
    assert np.isfinite(at.q).all() and at.error < 1e-11  # the last closed position on the way


def test_the_other_assembly_is_closed_from_its_own_pose() -> None:
    robot = five_bar(2)
    mechanism, plan = mechanism_of(robot)
    other = next(
        q
        for q in (mechanism.newton(start, plan.passive) for start in np.random.default_rng(0).uniform(-3, 3, (80, 4)))
        if mechanism.is_closed(q) and mechanism.divisors(q, plan)[0] * mechanism.divisors(np.zeros(4), plan)[0] < 0
    )
    at = robot.close(other[[0, 2]], near=other)
    assert at.ok and np.sign(mechanism.divisors(at.q, plan)[0]) == np.sign(mechanism.divisors(other, plan)[0])


def test_a_redundant_crank_has_its_rank_where_it_closes() -> None:
    robot = three_cranks(0)
    mechanism, plan = mechanism_of(robot)
    anywhere = mechanism.J(np.random.default_rng(0).uniform(-1, 1, 4))
    assert np.linalg.matrix_rank(anywhere, 1e-6) == 4
    assert mechanism.rank(robot.close([0.3]).q) == len(plan.rows) == 3


# texts


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("name", ALL)
def test_both_texts_give_the_same_rows_closed_or_not(name: str, seed: int) -> None:
    rng, tree = np.random.default_rng(seed), merge_fixed(bind(ALL[name](seed), FLOATS, {}))
    q, qd = rng.normal(size=(2, tree.dof)).tolist()
    for chain in (tree, frames_on_joints(tree)):
        one, other = (closure_rows(chain, q, text) for text in (seen_from_world, seen_from_first))
        np.testing.assert_allclose(one, other, atol=1e-12)
        one, other = (closure_bias(chain, q, qd, text) for text in (seen_from_world, seen_from_first))
        np.testing.assert_allclose(one, other, atol=1e-11)


@pytest.mark.parametrize("seed", range(7))
def test_elimination_solves_and_solves_transposed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for n, rest in ((1, 1), (2, 2), (3, 3), (4, 3), (5, 1), (6, 0)):
        A, b = rng.normal(size=(n, n)), rng.normal(size=n)
        rows, columns = (tuple(map(int, rng.permutation(n))) for _ in range(2))
        made = Elimination([PivotBlock(rows, columns, rest)], A.tolist())
        np.testing.assert_allclose(A @ made.solve(b.tolist()), b, atol=1e-9)
        np.testing.assert_allclose(A.T @ made.solve_transposed(b.tolist()), b, atol=1e-9)
    A = np.tril(rng.normal(size=(3, 3))) + np.eye(3)
    made = Elimination([PivotBlock((k,), (k,), 1) for k in range(3)], A.tolist())
    np.testing.assert_allclose(A @ made.solve([1.0, 2.0, 3.0]), [1, 2, 3], atol=1e-9)
    np.testing.assert_allclose(A.T @ made.solve_transposed([1.0, 2.0, 3.0]), [1, 2, 3], atol=1e-9)


# laws


QUICK = ["five-bar", "slide", "three cranks"]
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ALL if name not in QUICK]


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_models_of_a_closed_robot_agree_with_each_other(name: str, seed: int) -> None:
    robot = ALL[name](seed)
    arm, (q, qd, qdd) = mp.Arm(robot, optimise="none"), closed_at(robot, seed)
    tau, M = arm.inverse_dynamics(q, qd, qdd), arm.inertia_matrix(q)
    np.testing.assert_allclose(arm.forward_dynamics(q, qd, tau), qdd, atol=1e-9)
    bare = mp.Arm(robot.without("friction"), optimise="none")
    whole = M @ qdd + arm.coriolis(q, qd) + arm.gravity(q)
    np.testing.assert_allclose(bare.inverse_dynamics(q, qd, qdd), whole, atol=1e-9)
    np.testing.assert_allclose(M @ arm.inertia_matrix_inverse(q), np.eye(len(qd)), atol=1e-8)
    pi = np.array([float(x or 0) for x in robot.standard_parameters.values()])
    np.testing.assert_allclose(arm.regressor(q, qd, qdd) @ pi, tau, atol=1e-9)
    # power: ½ q̇ᵀ M q̇ is the kinetic energy
    np.testing.assert_allclose(qd @ M @ qd / 2, arm.energy(q, qd).kinetic, atol=1e-10)


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_the_power_of_the_motors_is_the_rate_of_the_energy(name: str, seed: int) -> None:
    robot = ALL[name](seed).without("friction")
    arm, (q, qd, qdd), h = mp.Arm(robot, optimise="none"), closed_at(robot, seed), 2e-4
    energies = []
    for t in (h, -h):
        motors = q[list(robot.motor_coordinates)] + t * qd + t * t / 2 * qdd
        there = robot.close(motors, near=q)
        energies.append(sum(arm.energy(there.q, qd + t * qdd)))
    rate, power = (energies[0] - energies[1]) / (2 * h), arm.inverse_dynamics(q, qd, qdd) @ qd
    assert abs(rate - power) < 2e-5 * (1 + abs(power))


def test_a_wrench_does_the_work_of_the_tool() -> None:
    robot = five_bar(0).without("friction")
    arm, (q, qd, qdd), w = mp.Arm(robot, frame="tip_a", optimise="none"), closed_at(robot, 0), np.arange(1.0, 7.0)
    change = arm.inverse_dynamics(q, qd, qdd, w) - arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(change, -arm.jacobian(q).T @ w, atol=1e-10)
    np.testing.assert_allclose(arm.tool_velocity(q, qd), arm.jacobian(q) @ qd, atol=1e-12)


def test_a_singular_closure_gives_nan_and_a_warning() -> None:
    robot = five_bar(0)
    mechanism, plan = mechanism_of(robot)
    arm = mp.Arm(robot, optimise="none")
    good = robot.close([0.1, 0.0]).q
    low, high = good.copy(), good.copy()
    high[3] += np.pi  # beyond it the determinant has the other sign
    for _ in range(80):
        middle = (low + high) / 2
        same = mechanism.divisors(middle, plan)[0] * mechanism.divisors(good, plan)[0] > 0
        low, high = (middle, high) if same else (low, middle)
    with pytest.warns(ManipulaWarning, match="singular at 1 of 2 positions"):
        tau = arm.inverse_dynamics(np.array([good, low]), [1.0, 0.5], [0.0, 0.0])
    assert np.isfinite(tau[0]).all() and np.isnan(tau[1]).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm.inverse_dynamics(good, [1.0, 0.5], [0.0, 0.0])


@pytest.mark.parametrize("free", ["x", "y", "z", "slide x", "slide y", "slide z", "ball", "universal xz", ""])
def test_a_cut_that_meets_but_for_rounding_is_wanted_where_it_is(free: str) -> None:
    """What it leaves free stays as it is, the rest becomes exact."""
    cut = ClosedLoop("loop", ("a", "b"), free).cut
    off = Rotation.from_rotvec([3e-8, -2e-8, 1e-8])
    axis = np.eye(3)["xyz".index(free[-1])] if free and free not in ("ball", "universal xz") else np.zeros(3)
    turn = Rotation.from_rotvec((0.0 if free.startswith("slide") else 2.2) * axis)
    p = 0.7 * axis * free.startswith("slide") + [1e-8, -3e-8, 2e-8]
    R, shift = rounding._wanted(cut, (off * turn).as_matrix(), p)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(R, turn.as_matrix(), atol=1e-7)
    np.testing.assert_allclose(shift, 0.7 * axis * free.startswith("slide"), atol=1e-7)
    if len(cut.turns) == 2:
        np.testing.assert_allclose(R @ axis, axis, atol=1e-15)


def test_what_is_asked_into_an_array_is_in_it() -> None:
    """Of models with one result and with several."""
    robot = five_bar(0)
    arm, (q, qd, qdd) = mp.Arm(robot, optimise="none"), closed_at(robot, 0)
    tau, energy = np.full(2, 7.0), (np.full((), 7.0), np.full((), 7.0))
    arm.inverse_dynamics(q, qd, qdd, out=tau)
    arm.energy(q, qd, out=energy)
    assert tau.tolist() == arm.inverse_dynamics(q, qd, qdd).tolist()
    assert [float(x) for x in energy] == [float(x) for x in arm.energy(q, qd)]


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["four-bar", "five-bar", "slider-crank", "six-bar", "delta", "spatial ball"])
@pytest.mark.usefixtures("without_search")
def test_positions_that_leave_loops_open_are_told(name: str) -> None:
    """As many as there are, by how much; closed ones, and such as were measured well, are not."""
    robot = ALL[name](2)
    arm, rng, mechanism = mp.Arm(robot), np.random.default_rng(3), mechanism_of(robot)[0]
    good, still = closed_at(robot, 2)[0], np.zeros(len(robot.motors))
    rows = good + np.array([0, 1e-5, 0.2])[:, None] * rng.uniform(0.5, 1, robot.dof) * mechanism.units[1]
    far = np.abs(mechanism.error(rows[2])).max()
    with pytest.warns(ManipulaWarning, match=f"open at 1 of 3 positions, by up to {far:.2g} of its size"):
        told = arm.gravity(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(arm.gravity(rows[:2]), told[:2])
        arm.inverse_dynamics(good, still, still)


def test_letters_stay_letters_where_loops_close() -> None:
    text = file_text(five_bar(0)).replace("mass = ", "#", 1).replace("[motors]", "[values]\n[motors]")
    robot = mp.Robot.from_text(text)
    made = mp.generate(robot, "gravity", optimise="none")
    assert made.inputs["p"] == ("m1",)


def test_emitted_code_gives_torques_and_the_pivot(tmp_path: Path) -> None:
    robot = five_bar(0)
    made = mp.generate(robot, "inverse_dynamics")
    assert list(made.inputs) == ["q", "qd", "qdd"] and made.inputs["qd"] == ("qd1", "qd3")
    paths = made.emit("c", tmp_path)
    source = next(path for path in paths if path.suffix == ".c" and "test" not in path.name)
    library = tmp_path / "lib.so"
    if cc("-shared", "-fPIC", "-O1", source, "-o", library, "-lm").returncode:
        pytest.skip("no compiler")
    q, qd, qdd = closed_at(robot, 3)
    tau, pivot = (ctypes.c_double * 2)(), (ctypes.c_double * 1)()
    given = [(ctypes.c_double * len(x))(*x) for x in (q, qd, qdd)]
    getattr(ctypes.CDLL(str(library)), made.name)(*given, tau, pivot)
    wanted = made.compile()(q, qd, qdd)
    np.testing.assert_allclose(list(tau), wanted.tau, rtol=1e-12)
    np.testing.assert_allclose(pivot[0], wanted.pivot, rtol=1e-12)


# counts


def test_the_five_bar_of_the_literature_costs_no_more_than_it_did() -> None:
    robot = drawn_five_bar()
    assert mp.generate(robot, "inverse_dynamics").cost.total <= 123
    assert mp.generate(robot, "forward_dynamics").cost.total <= 143
    assert len(robot.base_parameters) == 11


def drawn_five_bar(rods: tuple[float, float] = (0.4, 0.42)) -> mp.Robot:
    """In a vertical plane, links along x, in numbers."""
    lengths, masses = (0.25, rods[0], 0.25, rods[1]), (1.2, 0.7, 1.1, 0.8)
    rows = zip(("m1", "p1", "m2", "p2"), ("base", "m1", "base", "m2"), lengths, masses, (0, 0.25, 0.3, 0.25))
    parts = [
        f'[[joint]]\nname="{name}"\ntype="revolute"\nparent="{on}"\nxyz=[{x},0,0]\nmass={m}\ncom=[{l / 2},0.01,0]\n'
        f"inertia={{xx=0.002,yy={m * l * l / 10},zz={m * l * l / 11},xy=0.0003,xz=0,yz=0}}\n"
        for name, on, l, m, x in rows
    ]
    ends = (("a", "p1", rods[0]), ("b", "p2", rods[1]))
    frames = [f'[[frame]]\nname="{a}"\non="{on}"\nxyz=[{x},0,0]\n' for a, on, x in ends]
    head = 'format=1\nname="fivebar"\nconvention="urdf"\nangle="rad"\n[base]\nrpy=["pi/2",0,0]\n'
    loop = '[[loop]]\nname="tip"\njoins=["a","b"]\n[motors]\ndrive=["m1","m2"]\n'
    loop += "[poses]\nclosed={m1=1.8,p1=-1,m2=1.2,p2=1}\n"
    return mp.Robot.from_text(head + "".join(parts + frames) + loop)


@pytest.mark.turn
@pytest.mark.parametrize("places", [4, 5, 6, 12])
@pytest.mark.drawn("places")
def test_base_parameters_of_one_motor_are_as_many_as_motions_tell_apart(places: int) -> None:
    """All columns are smooth functions of one angle, and nearly dependent: as many as the rank before its gap."""
    robot = straight_line(places, places).without("friction")
    base, structure = robot.base_parameters, ArmStructure(robot)
    plan, tree = structure.closure_and_tree
    rows = _stacked(robot, tree, plan, 150, 7, 1.0)
    lengths = np.linalg.norm(rows, axis=0)
    s = np.linalg.svd(rows / np.where(lengths > 1e-12, lengths, 1), compute_uv=False)
    assert s[len(base) - 1] > 1e4 * s[len(base)]
    arm, (q, qd, qdd) = mp.Arm(robot, optimise="none"), closed_at(robot, 1, 0.1)
    told = arm.base_regressor(q, qd, qdd) @ list(base.values())
    np.testing.assert_allclose(told, arm.inverse_dynamics(q, qd, qdd), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("seed", range(14))
def test_a_column_counts_where_it_is_far_above_what_is_dropped(seed: int) -> None:
    """Columns of which ever less is left, some of them sums of others but for an error: the rank is clear where the
    error is far below the last, and where it is near, the answer is what is left of the last."""
    rng = np.random.default_rng(seed)
    basis, n = np.linalg.qr(rng.normal(size=(60, 8)))[0], int(rng.integers(4, 8))
    sizes = np.geomspace(1, 10.0 ** rng.uniform(-8.5, -7.5), n)
    own = basis[:, :n] * sizes + basis[:, :1] * np.sqrt(1 - sizes**2)
    for error, clear in ((1e-15, True), (3e-12, False)):
        sums = own @ rng.normal(size=(n, 3)) / n
        sums = sums / np.linalg.norm(sums, axis=0) + error * basis[:, 7:]
        kept, unclear = _independent(np.hstack([own, sums]))
        assert kept == list(range(n))
        assert unclear == 0 if clear else unclear == pytest.approx(sizes[-1], rel=1e-3)


def test_a_mechanism_knows_its_size() -> None:
    tree = merge_fixed(bind(four_bar(0), FLOATS, {}))
    assert NumericLinkage("four", tree, (0,)).size == pytest.approx(
        sum(float(np.linalg.norm(x)) for x in [tree.links[1].before.p, *(at.p for at in tree.cuts[0].at)])
    )


# in time


def test_a_run_keeps_its_loops_closed_and_its_energy() -> None:
    robot = drawn_five_bar()
    run: Any = mp.simulate(robot, start=([1.8, 1.2], [0.3, -0.2]), until=0.3)
    assert run.whole and run.q.shape == run.qd.shape == run.tau.shape == (301, 4)
    assert run.gap.max() < 1e-12 and run.balance < 1e-8
    np.testing.assert_allclose(run.q[0], robot.close([1.8, 1.2]).q, atol=1e-12)
    assert not run.tau.any() and "fivebar" in repr(run)


def test_rk8_has_its_order() -> None:
    runs: list[Any] = [
        mp.simulate(drawn_five_bar(), start=([1.8, 1.2], [2.0, -1.0]), until=0.32, step=step, method=method)
        for method, step in (("rk4", 0.01), ("rk8", 0.01), ("rk8", 0.005))
    ]
    coarse, fine, finer = (run.balance for run in runs)
    assert fine < coarse / 20 and finer < fine / 100 and runs[1].about["method"] == "rk8"
    assert max(run.gap.max() for run in runs) < 1e-10


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("driven", ["rocker", "slider"])
@pytest.mark.usefixtures("without_search")
def test_a_run_ends_before_a_dead_centre_and_says_so(driven: str, seed: int) -> None:
    """The motor is at the rocker or the slide: behind a dead centre of the crank the mechanism could fold either way,
    and the run would be of another assembly."""
    robot = replace((four_bar if driven == "rocker" else slider_crank)(seed), motors=(driven,))
    mechanism, plan = mechanism_of(robot)
    signs = np.sign(mechanism.divisors(np.zeros(robot.dof), plan))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run: Any = mp.simulate(robot, start=(np.zeros(robot.dof), [1.0]), until=1.0, step=0.004)
    assert all((np.sign(mechanism.divisors(q, plan)) == signs).all() for q in run.q)
    assert run.gap.max() < 1e-9 and np.isfinite(run.energy).all()
    assert run.whole == (run.t[-1] == 1.0) == (not [x for x in told if "the run ends at" in str(x.message)])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rk4", "rk8"])
def test_a_minute_keeps_loops_and_energy(method: str) -> None:
    robot = drawn_five_bar().with_gravity(0, 0, 9.81)  # it hangs
    run: Any = mp.simulate(robot, start=([1.8, 1.2], [0.2, -0.1]), until=60.0, every=100, method=method)
    assert run.whole and run.gap.max() < 1e-9 and run.balance < 1e-8


def test_torques_do_work_in_a_run() -> None:
    robot = drawn_five_bar()
    held = mp.Arm(robot).gravity(robot.close([1.8, 1.2]))
    rest: Any = mp.simulate(robot, held, start=[1.8, 1.2], until=0.2, every=50)
    np.testing.assert_allclose(rest.q - rest.q[0], 0, atol=1e-6)
    push = np.array([0.5, 0.0])
    pushed: Any = mp.simulate(robot, lambda t, q, qd: held + push, start=[1.8, 1.2], until=0.2)
    assert abs(pushed.work[-1]) > 1e-4 and pushed.balance < 1e-8
    assert pushed.tau[:, [1, 3]].any() == 0


@pytest.mark.parametrize(
    "given", [{"until": None}, {"law": [1.0]}, {"start": [0.1]}, {"method": "euler"}, {"every": 0}]
)
def test_bad_runs_of_closed_robots_are_one_sentence(given: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        mp.simulate(drawn_five_bar(), **{"until": 0.1, **given})


# loops beside a URDF


def _urdf(robot: mp.Robot, folder: Path) -> Path:
    """The tree of a robot; its loops' frames stay frames, its joints get another order."""
    with pytest.warns(ManipulaWarning, match="the order of the joints"):
        return mp.save(replace(robot, loops=(), motors=()), folder / "tree.urdf")


YAML = [
    "closed_loop: [[tip_a, tip_b]]\ntype: [3d]\nname_mot: [left, right]\n",
    "---\n# a comment\nclosed_loop:\n  - ['tip_a', \"tip_b\"]\nname_mot:\n- right  # out of order\n- left\ntype: 3d\n",
    "closed_loop: [[tip_a,\n   tip_b]]\ntype:\n  - 3d\nname_mot:\n  - left\n  - right\n",
    "closed_loop: [tip_a, tip_b]\ntype: 3d\nname_mot: [left, right]\n",
]


@pytest.mark.parametrize("text", YAML)
def test_loops_of_a_file_beside_a_urdf_are_those_of_the_robot(text: str, tmp_path: Path) -> None:
    robot = five_bar(0)
    (tmp_path / "loops.yaml").write_text(text)
    read = mp.load(_urdf(robot, tmp_path), loops=tmp_path / "loops.yaml")
    assert read.motors == ("left", "right") and [loop.free for loop in read.loops] == ["ball"]
    q = closed_at(robot, 5)[0]
    there = q[[robot.joint_names.index(name) for name in read.joint_names]]
    np.testing.assert_allclose(read.close(q[[0, 2]]).q, there, atol=1e-9)
    one, other = (mp.Arm(x, optimise="none").gravity(at) for x, at in ((robot, q), (read, there)))
    np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name_mot: [left]\n", "closed_loop: is missing"),
        ("closed_loop: [[tip_a, nowhere]]\nname_mot: [left, right]\n", "the robot has no frame 'nowhere'"),
        ("closed_loop: [[tip_a]]\nname_mot: [left]\n", "expected two frames"),
        ("closed_loop: [[tip_a, tip_b]]\n", "name_mot: is missing"),
        ("closed_loop: [[tip_a, tip_b]]\ntype: [5d]\nname_mot: [left]\n", "type: found 5d"),
        ("closed_loop: [[tip_a, tip_b]]\nmotors: [left]\n", "motors: unknown key"),
        ("closed_loop: [[tip_a, tip_b]]]\n", "a bracket is not opened"),
        ("closed_loop [[tip_a, tip_b]]\n", "expected lines such as"),
        ("closed_loop: [[tip_a, tip_b]]\nname_mot: [elbow]\n", "'elbow' has no coordinate of its own"),
    ],
)
def test_a_wrong_file_of_loops_is_one_sentence(text: str, said: str) -> None:
    from manipula.mechanics.robot.formats.loop_file import with_loops_from_text

    tree = replace(five_bar(0), loops=(), motors=())
    with pytest.raises(InputError, match=said):
        with_loops_from_text(tree, text)
    with pytest.raises(InputError, match="cannot be read"):
        mp.load("planar2r", loops="no such file.yaml")


# loops of an MJCF


BODY = '<inertial pos=".1 0 0" mass="1" diaginertia=".01 .01 .01"/>'
FIVE = f"""<mujoco model="five"><compiler angle="radian"/><worldbody>
<body name="l1"><joint name="m1" axis="0 0 1"/>{BODY}<body name="l2" pos=".25 .05 0"><joint name="p1" axis="0 0 1"/>
{BODY}<site name="a" pos=".1 .3 0"/></body></body><body name="l3" pos=".5 0 0" euler="0 0 .3">
<joint name="m2" axis="0 0 1"/>{BODY}<body name="l4" pos=".05 .2 0">
<joint name="p2" axis="0 0 -1"/>{BODY}</body></body></worldbody>
<equality>EQUALITY</equality><actuator><motor joint="m1"/><motor joint="m2"/></actuator></mujoco>"""


def _mjcf(equality: str, folder: Path) -> mp.Robot:
    path = folder / "five.xml"
    path.write_text(FIVE.replace("EQUALITY", equality))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)  # without loops= the chain is open there
        return mp.load(path, loops=path)


def test_points_that_an_mjcf_connects_close_as_in_mujoco(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    equality = '<connect name="tip" body1="l2" body2="l4" anchor=".1 .3 0"/>'
    robot = _mjcf(equality, tmp_path)
    assert robot.motors == ("m1", "m2") and robot.loops[0].free == "ball"
    off = '<connect name="off" active="false" body1="l1" body2="l3" anchor="0 0 0"/>'
    assert [loop.joins for loop in _mjcf(off + equality, tmp_path).loops] == [("tip_first", "tip_second")]
    at = robot.close([0.1, 0.2])
    model = mujoco.MjModel.from_xml_string(FIVE.replace("EQUALITY", equality))
    data = mujoco.MjData(model)
    data.qpos[:] = [at.q[robot.joint_names.index(model.joint(k).name)] for k in range(model.njnt)]
    mujoco.mj_forward(model, data)
    assert at.ok and np.abs(data.efc_pos).max() < 1e-12


@pytest.mark.parametrize(
    ("equality", "said"),
    [
        ("", "has no <connect> or <weld>"),
        ('<connect body1="l2" body2="l9" anchor="0 0 0"/>', "'l9' is no body of the robot"),
        ('<weld body1="l2" body2="l4" relpose="0 0 0 1 0 0 0"/>', "a relpose is not read"),
        ('<connect site1="a" site2="b"/>', "the robot has no frame 'b'"),
    ],
)
def test_wrong_equalities_of_an_mjcf_are_one_sentence(equality: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        _mjcf(equality, tmp_path)


# rounded files


def _off_plane(free: str, off: float, exact: bool = False) -> mp.Robot:
    """A five-bar whose frames miss each other across the plane."""
    text = five_bar_text(free)
    head, tail = text.split('name="tip_b"')
    row = tail.split("xyz=[")[1].split("]")[0]
    x, y, z = map(float, row.split(","))
    return mp.Robot.from_text(f'{head}name="tip_b"' + tail.replace(f"xyz=[{row}]", f"xyz=[{x}, {y}, {z + off!r}]", 1),
                              exact=exact)  # fmt: skip


def five_bar_text(free: str) -> str:
    x = Linkage("fivebar", 2)
    O, A, B, C, D = (x.point(*p) for p in ((0, 0), (-0.15, 0.2), (0.15, 0.5), (0.5, 0.25), (0.3, 0)))
    x.joint("left", "base", O, motor=True)
    x.joint("left_rod", "left", A)
    x.joint("right", "base", D, motor=True)
    x.joint("right_rod", "right", C)
    x.loop("tip", "left_rod", "right_rod", B, free)
    return x.text()


@pytest.mark.drawn("free")
@pytest.mark.parametrize("free", ["z", "ball"])
def test_what_rounding_leaves_open_is_closed(free: str) -> None:
    """Only what no position closes, only up to rounding, and everywhere the mechanism goes."""
    with pytest.warns(ManipulaWarning, match=r"loops \(tip\) stay 3e-08 m or rad apart, as rounded"):
        robot = _off_plane(free, 3e-8)
    even = mp.Robot.from_text(five_bar_text(free))
    for motors in ([0.0, 0.0], [0.3, -0.2]):
        at, wanted = robot.close(motors), even.close(motors)
        assert at.ok and wanted.ok
        np.testing.assert_allclose(at.q, wanted.q, atol=1e-12)
    for off, exact in ((3e-8, True), (3e-4, False)):
        with pytest.raises(InputError, match="do not close"):
            _off_plane(free, off, exact).close([0.0, 0.0])


@pytest.mark.parametrize("seed", range(3))
def test_bars_drawn_in_line_are_a_singular_position(seed: int) -> None:
    """Coupler and rocker lie in line: two assemblies meet there, and neither is chosen."""
    x = Linkage("line", seed)
    x.joint("crank", "base", (0.0, 0.0, 0.0), motor=True)
    x.joint("coupler", "crank", (0.0, 0.3, 0.0))
    x.joint("rocker", "base", (0.7, 0.3, 0.0))
    x.loop("pin", "coupler", "rocker", (0.4, 0.3, 0.0))
    robot = x.robot()
    at = robot.close([0.0])
    assert at.status == "singular"
    with pytest.raises(InputError, match="the closure is singular there, or on the way there"):
        mp.Arm(robot, optimise="none").gravity(at)
    sense = -1.0 if robot.joints[0].direction > 0 else 1.0  # the way on which the crank comes nearer to the rocker
    sides = [robot.close([0.1 * sense], near=[0.1 * sense, s * 0.5, s * 0.7]) for s in (1, -1)]
    sides += [robot.close([0.1 * sense], near=[0.1 * sense, s * 0.5, -s * 0.7]) for s in (1, -1)]
    found = {tuple(np.round(x.q, 6)) for x in sides if x.ok}
    assert len(found) == 2 and robot.close([-0.1 * sense], near=[0.1 * sense, 0.5, 0.7]).status != "closed"
