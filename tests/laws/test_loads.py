"""Loads of joints: statics by hand, Jᵀ at the base, peaks between samples, a run beside the reference it follows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

import manipula as mp
from manipula.simulation.balance import Energies, error_of
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot

pytestmark = pytest.mark.usefixtures("without_search")

ARM = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=10)


def test_statics_by_hand() -> None:
    """Both links stretched out: 5 kg hang on the first joint, 2 kg on the second; masses at the links' ends."""
    found = mp.loads(ARM, mp.trajectory.quintic([0, 0], [0, 0], 1.0))
    assert found["theta1"].torque == pytest.approx(10 * (3 * 0.5 + 2 * 0.9))
    assert found["theta2"].torque == pytest.approx(10 * 2 * 0.4)
    assert [x.force for x in found] == pytest.approx([50, 20])
    assert [x.torque_rms for x in found] == pytest.approx([33, 8])
    assert [x.duty for x in found] == [0, 0] and [x.power for x in found] == [0, 0]


def test_a_wrench_is_carried_by_every_joint() -> None:
    """An upward push on the tool: τ = gravity − Jᵀw, and the bearings carry what is left."""
    push = np.array([0, 5, 0, 0, 0, 2.0])
    rest = mp.trajectory.quintic([0.4, -0.2], [0.4, -0.2], 1.0)
    arm, found = mp.Arm(ARM), mp.loads(ARM, rest, wrench=push)
    tau = arm.gravity([0.4, -0.2]) - arm.jacobian([0.4, -0.2]).T @ push
    np.testing.assert_allclose([x.torque for x in found], np.abs(tau), rtol=1e-12)
    assert [x.force for x in found] == pytest.approx([45, 15])


@pytest.mark.parametrize("seed, kinds", [(90, "RP"), (91, "RRF")])
def test_peaks_are_found_between_samples(seed: int, kinds: str) -> None:
    robot = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False))
    n = robot.dof
    ref = mp.trajectory.quintic(np.linspace(-0.5, 0.3, n), np.linspace(1.0, -0.4, n), 0.7)
    found, arm = mp.loads(robot, ref), mp.Arm(robot)
    t = np.linspace(0, 0.7, 70_001)
    q, qd, qdd = ref(t)
    tau, wrench = arm.inverse_dynamics(q, qd, qdd), arm.joint_wrenches(q, qd, qdd)
    want = {
        "torque": tau, "speed": qd, "power": tau * qd, "force": np.linalg.norm(wrench[..., :3], axis=-1),
        "moment": np.linalg.norm(wrench[..., 3:], axis=-1),
    }  # fmt: skip
    for name, values in want.items():
        dense = np.abs(values).max(axis=0)
        ours = np.array([getattr(x, name) for x in found])
        assert (ours >= dense * (1 - 1e-12)).all(), name
        np.testing.assert_allclose(ours, dense, rtol=1e-7, err_msg=name)
    for i, x in enumerate(found):
        np.testing.assert_allclose(x.forces, np.abs(wrench[:, i, :3]).max(axis=0), rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(x.moments, np.abs(wrench[:, i, 3:]).max(axis=0), rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(x.torque_rms, np.sqrt((tau[:, i] ** 2).mean()), rtol=1e-3)
        assert np.abs(arm.inverse_dynamics(*ref(x.torque_at))[i]) == pytest.approx(x.torque, rel=1e-12)


@pytest.mark.turn
def test_a_run_with_the_true_model_carries_what_its_reference_asks_for() -> None:
    ref = mp.trajectory.quintic([0, 0], [1.0, -0.8], 0.4)
    law = mp.controller(ARM, "computed_torque", kp=400, kd=40)
    asked, had = mp.loads(ARM, ref), mp.loads(ARM, mp.simulate(mp.Plant(ARM, effort=None), law, ref))
    for a, b in zip(asked, had):
        for name in ("torque", "torque_rms", "speed", "power", "force", "moment"):  # torques are known by samples
            assert getattr(b, name) == pytest.approx(getattr(a, name), rel=2e-3), name
        assert b.speed == pytest.approx(a.speed, rel=1e-8)  # between the samples, too
    law = mp.controller(ARM, "pd_gravity", kp=400, kd=40, sample=1e-3)
    many = mp.simulate(mp.Plant(ARM, effort=None), law, ref, start=[[0, 0], [0.3, 0.3]])
    rows = [np.abs(many.tau[row]).max(axis=0) for row in range(2)]
    np.testing.assert_array_equal([x.torque for x in mp.loads(ARM, many)], np.maximum(*rows))


@pytest.mark.turn
def test_limits_are_told_beside_the_loads() -> None:
    ref = mp.trajectory.quintic(np.zeros(7), np.full(7, -0.1), 1.0)
    first = mp.loads("panda", ref)[0]
    assert first.effort_limit == 87 and first.torque_use == first.torque / 87
    assert "%" in str(mp.loads("panda", ref)) and "joint1" in mp.loads("panda", ref)._repr_html_()


@pytest.mark.parametrize(
    "motion, sentence",
    [
        (3, "expected a run or a trajectory, found 3"),
        (mp.trajectory.quintic([0], [1], 1.0), "not one of 2 joints"),
    ],
)
def test_what_is_no_motion_is_refused(motion: object, sentence: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=sentence):
        mp.loads(ARM, motion)
    with whole.raises(mp.InputError, match="wrench: expected a force and a moment"):
        mp.loads(ARM, mp.trajectory.quintic([0, 0], [1, 1], 1.0), wrench=[1, 2])


@pytest.mark.parametrize("way", [1, -1])
def test_what_is_largest_is_so_whichever_way_a_joint_goes(way: int) -> None:
    """A motion that only goes backwards has the speeds and the peaks of the one that only goes forwards."""
    q0, q1 = way * np.array([-0.4, -0.7]), way * np.array([0.5, 0.2])
    ref = mp.trajectory.quintic(q0, q1, 0.5)
    t = np.linspace(0, 0.5, 20_001)
    assert (way * ref(t).qd >= 0).all()
    # the largest speed of a quintic is 15/8 of the mean one
    want = 15 / 8 * np.abs(q1 - q0) / 0.5
    np.testing.assert_allclose([x.speed for x in mp.loads(ARM, ref)], want, rtol=1e-12)
    run = mp.simulate(
        mp.Plant(ARM, effort=None), mp.controller(ARM, "computed_torque", kp=400, kd=40, sample=1e-3), ref
    )
    for peak, q, qd, tau, error in zip(run.peaks(), run.q.T, run.qd.T, run.tau.T, run.error.T, strict=True):
        assert peak["speed"] == max(map(abs, qd.tolist())) and peak["torque"] == max(map(abs, tau.tolist()))
        assert (peak["lowest"], peak["highest"]) == (min(q.tolist()), max(q.tolist()))
        assert peak["error"] == max(map(abs, error.tolist()))
    np.testing.assert_allclose([peak["speed"] for peak in run.peaks()], want, rtol=1e-2)


@pytest.mark.parametrize("sample", [None, 1e-3])
@pytest.mark.parametrize("elastic", [False, True])
def test_every_load_of_a_batch_is_that_of_its_worst_row(sample: float | None, elastic: bool) -> None:
    """Rows that move and pull by turns the most: every number recomputed, and printed so."""
    rng = np.random.default_rng(5)
    t = np.linspace(0.0, 0.8, 201)
    refs = [mp.trajectory.quintic([0.1, -0.2], goal, 0.5) for goal in ([1.0, 0.3], [-0.4, 0.9], [0.2, -1.5])]
    motion = [np.array([ref(t)[k] for ref in refs]) for k in range(3)]
    peaks = rng.permuted(np.tile([[2.0], [7.0], [4.0]], 2), axis=0)
    tau = peaks[:, None] * np.cos(rng.uniform(6, 9, (3, 1, 2)) * (t[:, None] - rng.uniform(0.2, 0.6, (3, 1, 2))))
    rate = rng.uniform(0.5, 2.0, (3, 201, 2))
    state = {"motor": motion[0], "motor_rate": rate} if elastic else {}
    run = mp.Run(ARM, t, *motion, tau, None, state, 0.0, True, {"sample": sample})
    found, spin = mp.loads(ARM, run), rate if elastic else motion[1]
    assert found.duration == pytest.approx(0.8) and found.robot == ARM.name
    power = np.abs(tau * spin)
    if sample is not None:
        power = np.maximum(power, np.abs(tau * np.roll(spin, -1, axis=1)))[:, :-1]
    for j, x in enumerate(found):
        row = int(np.abs(tau[:, :, j]).max(axis=1).argmax())
        assert x.torque == np.abs(tau[row, :, j]).max()
        assert x.torque_at == t[np.abs(tau[row, :, j]).argmax()]
        assert x.power == power[..., j].max()
        mean = trapezoid(np.abs(tau * spin)[..., j], t, axis=1).max() / 0.8
        assert x.power_mean == pytest.approx(mean, rel=2e-3 if not elastic else 2e-2)
        assert x.torque_rms == pytest.approx(np.sqrt(trapezoid(tau[..., j] ** 2, t, axis=1).max() / 0.8), rel=1e-3)
        # the largest speed of a quintic is 15/8 of the mean one; it rests after 0.5 s
        assert x.speed == pytest.approx(15 / 8 * np.ptp(motion[0][..., j], axis=1).max() / 0.5, rel=1e-6)
        assert x.duty == pytest.approx(0.5 / 0.8, abs=0.02)
    heads, rows = found.table()
    assert heads[0] == "joint" and heads[-1] == "duty"
    for x, cells in zip(found, rows, strict=True):
        numbers = (x.torque, x.torque_at, x.torque_rms, x.speed, x.power, x.power_mean, x.force, x.moment)
        assert cells == (x.joint, *(f"{y:.4g}" for y in numbers), f"{round(100 * x.duty)} %")
    assert str(found).splitlines()[0] == f"{ARM.name}, 0.8 s" and repr(found).endswith("2 joints along 0.8 s>")


def test_a_run_of_few_samples_has_the_peaks_of_the_motion_between_them() -> None:
    """Positions, velocities and accelerations of a sample and the next make a quintic: of one that was, the same."""
    ref = mp.trajectory.quintic([0.1, -0.2], [1.0, 0.6], 0.7)
    t = np.linspace(0, 0.7, 13)
    motion = ref(t)
    torques = mp.Arm(ARM).inverse_dynamics(*motion)
    run = mp.Run(ARM, t, *motion, torques, None, {}, 0.0, True, {"sample": None})
    for mine, theirs in zip(mp.loads(ARM, run), mp.loads(ARM, ref), strict=True):
        for name in ("speed", "force", "moment", "forces", "moments", "load_inertia"):
            assert getattr(mine, name) == pytest.approx(getattr(theirs, name), rel=1e-6, abs=1e-9), name


@pytest.mark.parametrize("potential", [1e-3, 1.0, 1e6])
def test_the_balance_of_an_arm_that_is_held_is_no_more_than_rounding(potential: float) -> None:
    """What is missing is set beside the largest energy that took part, or beside a part of what rounding moves."""
    still = np.zeros(5)
    noise = np.spacing(potential) * np.array([0, 1, -1, 1, 1])
    held = Energies(still, still, still, potential + noise, still)
    assert 0 < error_of([held]) <= 1e-6
    # a thousandth of what a motor gave is missing, in either of two parts of a run
    moved = held._replace(motors=np.linspace(0, potential, 5), potential=np.linspace(0, 0.999, 5) * potential)
    assert error_of([moved]) == pytest.approx(1e-3)
    assert error_of([moved, held]) == pytest.approx(1e-3)
    assert error_of([moved, moved]) == pytest.approx(2e-3)
    for part in ("wrench", "lost"):
        sign = -1 if part == "lost" else 1
        other = held._replace(**{part: sign * np.linspace(0, potential, 5)}, potential=potential + still)
        assert error_of([other]) == pytest.approx(1.0)
    assert error_of([Energies(*[still] * 5)]) == 0
