"""Arms in time obey mechanics: energy, power balance, one step from equal states, one arm and a row of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.random_robots import random_robot, random_state

pytestmark = pytest.mark.usefixtures("without_search")

KINDS = [(40, "R"), (41, "PF"), (42, "RP"), pytest.param(43, "RPR", marks=pytest.mark.slow)]


def arm_of(seed: int, kinds: str, friction: float = 0.0) -> mp.Robot:
    arm = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False)).without("payload")
    if not friction:
        return arm
    return arm.with_friction({name: {"viscous": friction * (1 + i)} for i, name in enumerate(arm.joint_names)})


def free_of_limits(arm: mp.Robot) -> mp.Plant:
    """Random arms have no effort limits, which would be warned of."""
    return mp.Plant(arm, effort=None)


def start_of(arm: mp.Robot, seed: int) -> tuple[Any, Any]:
    q, qd, *_ = random_state(arm, seed)
    return np.array(q), np.array(qd)


@pytest.mark.parametrize("seed, kinds", KINDS)
def test_a_free_swing_keeps_its_energy(seed: int, kinds: str) -> None:
    arm = arm_of(seed, kinds)
    run = mp.simulate(arm, start=start_of(arm, seed), until=0.2)
    kinetic, potential = mp.Arm(arm).energy(run.q, run.qd)
    total = kinetic + potential
    assert np.abs(total - total[0]).max() < 1e-7 * kinetic.max()
    assert run.balance < 1e-7 and run.whole


@pytest.mark.parametrize("seed, kinds", [KINDS[1], pytest.param(42, "RP", marks=pytest.mark.slow), KINDS[3]])
def test_power_balance_with_friction_torque_wrench_and_another_payload(seed: int, kinds: str) -> None:
    arm, n = arm_of(seed, kinds, friction=0.3), sum(x != "F" for x in kinds)
    rng = np.random.default_rng(seed)
    events = [mp.Event(0.1, payload={"mass": 0.4, "com": [0.1, 0, 0.05]}), mp.Event(0.15, wrench=rng.normal(size=6))]
    tau = np.sin(np.arange(200)[:, None] / 30 + np.arange(n))
    run = mp.simulate(
        free_of_limits(arm), tau, start=start_of(arm, seed), until=0.2, wrench=rng.normal(size=6), events=events
    )
    assert run.balance < 1e-6  # torques jump from step to step, so what friction takes has corners
    assert np.array_equal(run.tau[:-1], tau)
    # every one of them changes the motion from its time on
    free = mp.simulate(free_of_limits(arm), tau, start=start_of(arm, seed), until=0.2)
    assert np.abs(free.q[50] - run.q[50]).max() > 1e-9


@pytest.mark.parametrize("seed, kinds", [(61, "FRP"), pytest.param(62, "RPR", marks=pytest.mark.slow)])
def test_accelerations_are_those_of_the_models(seed: int, kinds: str) -> None:
    arm = arm_of(seed, kinds, friction=0.2)
    wrench = np.array([1.0, -2, 0.5, 0.1, 0.2, -0.3])
    run = mp.simulate(
        free_of_limits(arm),
        lambda t, q, qd: np.sin(q) - qd + t,
        start=start_of(arm, seed),
        until=0.05,
        wrench=wrench,
    )
    found = mp.Arm(arm).inverse_dynamics(run.q, run.qd, run.qdd, np.broadcast_to(wrench, (len(run.t), 6)))
    np.testing.assert_allclose(found, run.tau, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(run.tau, np.sin(run.q) - run.qd + run.t[:, None], rtol=1e-12)
    # central differences of the velocities
    slope = (run.qd[2:] - run.qd[:-2]) / 2e-3
    np.testing.assert_allclose(slope, run.qdd[1:-1], atol=1e-3 * (1 + np.abs(run.qdd).max()))


@pytest.mark.drawn("law", "sample")
@pytest.mark.parametrize("law, sample", [("pid", None), ("pd_gravity", 1e-3), ("pid", 2e-3)])
def test_a_row_of_a_batch_has_the_bits_of_one_arm(law: str, sample: float | None) -> None:
    arm = arm_of(71, "RP", friction=0.1)
    gains: dict[str, Any] = {"kp": 50, "kd": 9}
    gains |= {"ki": 5, "tracking": 3, "limit": np.inf, "filter": 5e-3} if law == "pid" else {}
    made = mp.controller(arm, law, sample=sample, **gains)
    ref = mp.trajectory.quintic([0.1, 0.2], [0.4, -0.1], 0.04)
    start = np.array([[0.1, 0.2], [0.3, -0.2], [-0.4, 0.1]])
    many = mp.simulate(free_of_limits(arm), made, ref, start=start)
    assert many.q.shape == (3, 41, 2) and many.balance.shape == (3,)
    for row, q in list(enumerate(start))[1:2]:
        one = mp.simulate(free_of_limits(arm), made, ref, start=q)
        for name in ("q", "qd", "tau"):
            assert getattr(one, name).tobytes() == getattr(many, name)[row].tobytes(), name
        for name, values in one.state.items():
            assert values.tobytes() == many.state[name][row].tobytes()


@pytest.mark.turn
def test_payloads_by_rows_are_the_arms_with_these_payloads() -> None:
    arm = arm_of(73, "R")
    loads = np.array([0.0, 0.7])
    held = arm.with_payload("mL", (0.1, 0, 0))
    many = mp.simulate(held, start=[0.3], until=0.1, parameters={"mL": loads})
    for row, mass in enumerate(loads):
        one = mp.simulate(arm.with_payload(mass, (0.1, 0, 0)), start=[0.3], until=0.1)
        np.testing.assert_allclose(many.q[row], one.q, rtol=1e-11, atol=1e-12)
    assert (many.balance < 1e-8).all()


@pytest.mark.turn
def test_a_payload_taken_on_the_way_is_the_arm_that_has_it_from_there() -> None:
    arm = arm_of(75, "P")
    run = mp.simulate(arm, start=[0.3], until=0.1, events=[mp.Event(0.04, payload=1.5)])
    assert run.about["events"] == ["0.04 s: payload"]
    before, after = run.q[40], run.qd[40]
    rest = mp.simulate(arm.with_payload(1.5), start=(before, after), until=0.06)
    np.testing.assert_array_equal(run.q[40:], rest.q)
    np.testing.assert_array_equal(run.qdd[40:], rest.qdd)
    empty = mp.simulate(arm.with_payload(1.5), start=[0.3], until=0.04, events=[mp.Event(0.0, payload=None)])
    np.testing.assert_array_equal(empty.q, run.q[:41])


def test_another_law_takes_over_where_the_first_one_leaves() -> None:
    arm = arm_of(77, "R")
    law = mp.controller(arm, "pd_gravity", kp=80, kd=10, sample=1e-3)
    run = mp.simulate(free_of_limits(arm), law, start=([0.3], [0.5]), until=0.1, events=[mp.Event(0.05, law=None)])
    assert (run.tau[:50] != 0).all() and (run.tau[50:] == 0).all()
    free = mp.simulate(arm, start=(run.q[50], run.qd[50]), until=0.05)
    np.testing.assert_array_equal(run.q[50:], free.q)


@pytest.mark.turn
def test_a_law_of_a_longer_sample_holds_its_torque() -> None:
    arm = arm_of(79, "R")
    slow = mp.controller(arm, "pd_gravity", kp=80, kd=10, sample=4e-3)
    run = mp.simulate(free_of_limits(arm), slow, start=([0.3], [0.2]), until=0.04)
    blocks = run.tau[:40].reshape(10, 4, 1)
    assert (blocks == blocks[:, :1]).all() and (np.diff(blocks[:, 0], axis=0) != 0).any()
    # the held torques, given as an array, move the arm the same way
    again = mp.simulate(free_of_limits(arm), run.tau[:-1], start=([0.3], [0.2]), until=0.04)
    np.testing.assert_array_equal(run.q, again.q)


@pytest.mark.turn
def test_an_event_falls_on_a_step_that_is_kept() -> None:
    arm, events = arm_of(79, "P"), [mp.Event(0.006, payload=1.0)]
    fine, coarse = (mp.simulate(arm, start=[0.3], until=0.02, events=events, every=k) for k in (1, 2))
    np.testing.assert_array_equal(fine.q[::2], coarse.q)
    with pytest.raises(mp.InputError, match=r"event at 0\.006 s: no whole number of every = 4 steps, 0\.004 s"):
        mp.simulate(arm, start=[0.3], until=0.02, events=events, every=4)


PID: dict[str, Any] = {"kp": 50, "kd": 9, "ki": 5, "tracking": 3, "limit": 40, "filter": 2e-2}
TUNING: dict[str, Any] = {"kp": 50, "kd": 9, "covariance": 1, "forgetting": 0.1, "filter": 0.02,
    "excitation": 1e-6, "trace": 10}  # fmt: skip
LONG = [  # robot, law, its settings, steps to a sample, samples of delay before the sensors' reading
    ("R", "pid", PID, 2, 0),
    ("P", "pd_gravity", {"kp": 80, "kd": 10, "delay": 1}, 3, 2),
    ("P", "self_tuning", TUNING, 5, 0),
    pytest.param("RPR", "slotine_li", {"lam": 5, "kd": 4, "gamma": 0.01}, 7, 1, marks=pytest.mark.slow),
]


@pytest.mark.drawn("kinds", "name", "gains", "several", "late")
@pytest.mark.parametrize("kinds, name, gains, several, late", LONG)
def test_a_law_of_several_steps_by_hand(kinds: str, name: str, gains: Any, several: int, late: int) -> None:
    """The law asked at every so many steps, its sensors late, a payload taken between two samples."""
    arm, n, steps, taken = arm_of(91, kinds), len(kinds), 31, 11
    law = mp.controller(arm, name, sample=several * 1e-3, **gains)
    ref = mp.trajectory.quintic(np.full(n, 0.1), np.linspace(0.3, 0.2, n), 1.0)
    sensors, event = mp.Sensors(delay=late) if late else None, mp.Event(taken * 1e-3, payload=0.3)
    given: dict[str, Any] = {"until": steps * 1e-3, "events": [event], "sensors": sensors}
    with pytest.warns(UserWarning, match="before the reference does"):
        run = mp.simulate(free_of_limits(arm), law, ref, **given)

    alone = [mp.closed_loop(free_of_limits(x), None) for x in (arm, arm.with_payload(0.3))]
    q = np.asarray(ref(0.0).q)
    moved, memory = alone[0].start(q=q), law.start(**({"filtered": q} if name == "pid" else {}))
    seen, tau = [(q, np.zeros(n))] * late, np.zeros(n)
    for k in range(steps):
        if k % several == 0:
            seen.append((np.array(moved.q), np.array(moved.qd)))
            told = dict(zip(("q", "qd", "q_ref", "qd_ref", "qdd_ref"), (*seen[-1 - late], *ref(k * 1e-3))))
            memory, out = law.step(memory, *(told[x] for x in law.inputs if x in told))
            tau = np.array(getattr(out, "tau", out))
        np.testing.assert_allclose(run.tau[k], tau, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(run.q[k], moved.q, rtol=1e-11, atol=1e-12)
        moved, _ = alone[k >= taken].step(moved, tau)
    assert set(run.state) == {port.name for port in law.function.inputs if port.role == "state"}


@pytest.mark.turn
def test_a_row_under_a_law_of_several_steps_has_the_bits_of_one_arm() -> None:
    """Noise and gains of its own in every row; a reference that is a table goes along time."""
    arm, starts, kp = arm_of(93, "R"), np.array([[0.1], [0.3], [0.0]]), np.array([[20.0], [30], [40]])
    law = mp.controller(arm, "pd_gravity", kp=30, kd=9, sample=3e-3)
    ref = mp.trajectory.table(np.linspace(0, 0.03, 200), np.linspace([0.1], [0.2], 200))
    assert ref.block is None
    given: dict[str, Any] = {"sensors": mp.Sensors(noise={"q": 1e-4}, delay=1), "events": [mp.Event(0.01, payload=0.2)]}
    plant = free_of_limits(arm)
    many = mp.simulate(plant, law, ref, start=starts, parameters={"kp": kp}, **given)
    first = mp.simulate(plant, law, ref, start=starts[0], parameters={"kp": kp[0]}, **given)
    assert first.q.tobytes() == many.q[0].tobytes() and first.tau.tobytes() == many.tau[0].tobytes()
    again = mp.simulate(plant, law, ref, start=starts, parameters={"kp": kp}, threads=2, **given)
    assert again.q.tobytes() == many.q.tobytes()


@pytest.mark.turn
def test_a_continuous_law_with_the_true_model_follows_its_reference() -> None:
    arm = arm_of(81, "RP")
    law = mp.controller(arm, "computed_torque", kp=400, kd=40)
    ref = mp.trajectory.quintic([0.1, 0.2], [0.5, -0.1], 0.5)
    run = mp.simulate(free_of_limits(arm), law, ref)
    assert np.abs(run.error).max() < 1e-9
    assert run.t[-1] == 0.5 and run.ref.q.shape == run.q.shape


def test_friction_holds_clips_and_stops_are_told() -> None:
    """A prismatic joint on a slope: held by friction, let go by a push, stopped at its end."""
    row = {"theta": 0, "d": "q1", "a": 0, "alpha": 0, "type": "prismatic", "mass": 2, "com": [0, 0, 0],
           "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0), "limits": [-1, 0.05],
           "friction": {"coulomb": 25, "viscous": 1}, "effort_limit": 40}  # fmt: skip
    arm = mp.Robot.from_dh([row]).with_gravity(0, 0, -9.81)
    tau = np.where(np.arange(300) < 100, 0.0, 60.0)[:, None]
    run = mp.simulate(arm, tau, start=[0.0], until=0.3)
    assert (run.q[:101] == 0).all() and (run.qdd[:100] == 0).all()  # 19.6 N of weight, 25 N of friction
    assert run.tau.max() == 40 and (run.q == 0).all()
    # 40 N − 19.62 N − 25 N is less than nothing: it does not even start; with more room in the motor it does
    strong = mp.simulate(mp.Plant(arm, effort=None), tau, start=[0.0], until=0.3)
    slides = strong.qd[:, 0] > 0
    first = int(np.argmax(slides))
    assert first == 101 and strong.qdd[100, 0] == pytest.approx((60 - 19.62 - 25) / 2)
    assert strong.q[-1] == 0.05 and strong.qd[-1] == 0 and strong.balance < 1e-3
    assert [x.joint for x in strong.modes] == [0, 0] and strong.modes[0].since == 0 and strong.modes[1].until == 0.3


@pytest.mark.turn
@pytest.mark.parametrize("sample", [pytest.param(None, marks=pytest.mark.slow), 3e-3])
def test_the_reference_integrator_is_what_fixed_steps_come_near_to(sample: float | None) -> None:
    """The same law with memory, a wrench and another payload on the way, by both roads."""
    arm = arm_of(83, "RP")
    gains: dict[str, Any] = {"kp": 50, "kd": 9, "ki": 5, "tracking": 3, "limit": np.inf, "filter": 2e-2}
    law = mp.controller(arm, "pid", sample=sample, **gains)
    ref = mp.trajectory.quintic([0.1, 0.2], [0.3, 0.1], 0.04)
    options: dict[str, Any] = {"wrench": [1, 2, 0, 0, 0.3, 0], "events": [mp.Event(0.02, payload=0.3)]}
    near, exact = (mp.simulate(free_of_limits(arm), law, ref, method=method, **options) for method in ("rk4", "dop853"))
    np.testing.assert_allclose(near.q, exact.q, atol=1e-8)
    np.testing.assert_allclose(near.tau[:-1], exact.tau[:-1], atol=1e-4)
    assert exact.balance < 1e-12
    assert set(near.state) == {"integral", "filtered"}
    for name in near.state if sample is None else ():
        np.testing.assert_allclose(near.state[name], exact.state[name], atol=1e-7)


def test_the_reference_integrator_follows_one_arm() -> None:
    with pytest.raises(mp.InputError, match="dop853 simulates one arm"):
        mp.simulate(arm_of(83, "R"), start=[[0], [1]], until=0.1, method="dop853")


@pytest.mark.turn
def test_measured_positions_have_the_noise_of_their_seed() -> None:
    arm = arm_of(85, "R")
    law = mp.controller(arm, "pd_gravity", kp=80, kd=10, sample=1e-3)
    seen: dict[str, Any] = {"sensors": mp.Sensors(noise={"q": 1e-3}), "start": [0.2], "until": 0.03}
    plant = free_of_limits(arm)
    first, again, other = (mp.simulate(plant, law, seed=seed, **seen).tau for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes() != other.tobytes()
    with pytest.raises(mp.InputError, match="sensors need a law"):
        mp.simulate(plant, None, **seen)


@pytest.mark.parametrize("method", ["rk4", pytest.param("dop853", marks=pytest.mark.slow)])
def test_a_table_along_time_goes_on_after_an_event(method: str) -> None:
    """An event that changes nothing cuts the run in two; the rows of wrench and torques are those of the whole run."""
    arm, rng = arm_of(42, "RP"), np.random.default_rng(5)
    wrench, tau = rng.normal(size=(21, 6)), rng.normal(size=(21, 2))
    given: dict[str, Any] = {"start": start_of(arm, 42), "until": 0.02, "wrench": wrench, "method": method}
    whole = mp.simulate(free_of_limits(arm), tau, **given)
    cut = mp.simulate(free_of_limits(arm), tau, **given, events=[mp.Event(0.007, payload=None)])
    np.testing.assert_allclose(cut.q, whole.q, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(cut.tau, whole.tau)
    # a table that comes with an event is of the whole run, too
    late = wrench.copy()
    late[:7] = 0
    push = mp.simulate(free_of_limits(arm), tau, **given | {"wrench": None}, events=[mp.Event(0.007, wrench=wrench)])
    same = mp.simulate(free_of_limits(arm), tau, **given | {"wrench": late})
    np.testing.assert_allclose(push.q, same.q, rtol=0, atol=1e-9)
    assert np.abs(push.q - whole.q).max() > 1e-7
