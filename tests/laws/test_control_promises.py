"""What control laws of the joints promise of the motion: linear errors, a layer that is reached, a residual."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import manipula as mp
from tests.control_laws import (
    H,
    arm_of,
    damped_arm,
    outputs,
    plain_arm,
    ridden,
    run,
    sines,
)

pytestmark = pytest.mark.usefixtures("without_search")


@pytest.mark.parametrize("ki", [0.0, 150.0])
def test_the_error_follows_its_linear_equation(ki: float) -> None:
    """Computed torque of the exact arm, acting in every stage: e(t) = exp(A t) e(0), whatever the damping."""
    robot, n, steps = damped_arm(), 2, 150
    kp, kd = np.array([60.0, 25.0]), np.array([6.0, 30.0])  # light, heavy damping
    name, more = ("computed_torque_pid", {"ki": ki}) if ki else ("computed_torque", {})
    law = mp.controller(robot, name, kp=kp, kd=kd, **more)
    loop = mp.closed_loop(robot, law, step=H)
    rest = (0.2 * np.ones(n), np.zeros(n), np.zeros(n))
    e0, v0 = np.array([0.3, -0.2]), np.array([-0.5, 0.4])
    end = run(loop, loop.start(q=rest[0] - e0, qd=-v0), [rest] * steps)[-1]
    for i in range(n):
        A = np.array([[0, 1, 0], [-kp[i], -kd[i], -1], [ki, 0, 0]])
        e, v, _ = expm(A * H * steps) @ [e0[i], v0[i], 0]
        np.testing.assert_allclose([0.2 - end.q[i], -end.qd[i]], [e, v], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["computed_torque", "computed_torque_pid", "feedforward"])
def test_no_error_from_an_exact_start(name: str) -> None:
    """The reference of each stage at its own time: what is left is the integrator's error."""
    robot, n, h = damped_arm(), 2, 4e-3
    law = mp.controller(robot, name, optimise="none", kp=100, kd=20, **({"ki": 50} if "pid" in name else {}))
    start = dict(zip(("q", "qd"), sines(0.0, n))) | ({"integral": np.zeros(n)} if "pid" in name else {})
    wanted = lambda t: dict(zip(("q_ref", "qd_ref", "qdd_ref"), sines(t, n)))  # noqa: E731
    end = ridden(law, plain_arm(), start, wanted, h, 40)[-1]
    np.testing.assert_allclose(end["q"], sines(40 * h, n)[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kinds, delay", [("R", 0), ("P", 0), ("R", 2), ("P", 3)])
def test_a_sampled_law_has_the_exact_solution_of_the_held_double_integrator(kinds: str, delay: int) -> None:
    """One joint whose own inertia is all there is: e⁺ = e + h ė + h²/2 a, ė⁺ = ė + h a, a held and late."""
    robot = arm_of(5, kinds, actuators=False, surroundings=False).with_gravity([0, 0, 0])
    kp, kd, h = 90.0, 14.0, 5e-3
    law = mp.controller(robot, "computed_torque", kp=kp, kd=kd, sample=h, delay=delay)
    loop = mp.closed_loop(robot, law)
    states = run(loop, loop.start(q=[-0.4], qd=[0.3]), [([0.0], [0.0], [0.0])] * 120)
    e, v, late = -0.4, 0.3, [0.0] * delay
    for state in states[1:]:
        late.append(-kp * e - kd * v)
        a = late.pop(0)
        e, v = e + h * v + h * h / 2 * a, v + h * a
        np.testing.assert_allclose([state.q[0], state.qd[0]], [e, v], rtol=0, atol=1e-12)


@pytest.mark.turn
def test_sliding_reaches_its_layer_in_time_and_stays() -> None:
    """Exactly after (|s| − φ)/K with the true model; with a load it does not know no later than (|s| − φ)/(K − η)."""
    robot, n, h = damped_arm(), 2, 5e-4
    lam, gain, layer = np.array([6.0, 4.0]), np.array([9.0, 14.0]), 0.05
    law = mp.controller(robot, "sliding", lam=lam, gain=gain, layer=layer, sample=h)
    start, wanted = np.array([0.1, -0.2]), (np.zeros(n), np.zeros(n), np.zeros(n))
    for plant in (robot, robot.with_payload(0.4)):
        loop, arm = mp.closed_loop(plant, law, method="semi-implicit"), mp.Arm(plant, optimise="none")
        states = run(loop, loop.start(q=start), [wanted] * 500)
        q, qd = np.array([x.q for x in states]), np.array([x.qd for x in states])
        s = -qd - lam * q
        tau = law._code(q, qd, *np.broadcast_arrays(*wanted, q)[:3], p=law._set)
        pull = lam * -qd + gain * np.clip(s / layer, -1, 1)
        wrong = np.abs(arm.forward_dynamics(q, qd, tau) - pull).max(axis=0)  # η, along the motion
        assert (wrong < gain).all()
        latest = (np.abs(s[0]) - layer) / (gain - wrong)
        inside = np.abs(s) <= layer * (1 + 1e-9) + (wrong > 1e-6) * 0.02 * layer
        for i in range(n):
            entered = int(np.argmax(inside[:, i]))
            assert inside[entered:, i].all() and 0 < entered * h <= latest[i] + 2 * h
            assert plant is not robot or entered * h == pytest.approx(latest[i], abs=2 * h)


@pytest.mark.parametrize("kinds", ["RP", pytest.param("RRP", marks=pytest.mark.slow)])
def test_the_residual_is_the_external_torque_through_a_low_pass(kinds: str) -> None:
    """To the integrator's tolerance, in fast motion, payload known; and nothing of it where nothing pushes."""
    robot = arm_of(len(kinds) + 2, kinds, actuators=False).with_payload(0.8, (0.1, 0.0, 0.05))
    robot = robot.with_friction(**{name: {"viscous": 0.3} for name in robot.joint_names})
    n, K = robot.dof, np.linspace(20.0, 45.0, robot.dof)
    arm, law = (
        mp.Arm(robot, optimise="none"),
        mp.controller(robot, "momentum_observer", optimise="none", gain=K),
    )

    def seen(x: Any, tau: Any) -> Any:
        return outputs(law, {"q": x[0], "qd": x[1], "tau": tau, "integral": x[2]}, {})

    def tau_of(t: float) -> Any:
        return 6 * np.sin(9 * t + np.arange(n))

    def rate(t: float, flat: Any, push: Any) -> Any:
        x, tau, ext = flat.reshape(4, n), tau_of(t), push * np.cos(7 * t)
        true = K * (ext - x[3])  # ṙ = K (τ_ext − r)
        pace = arm.forward_dynamics(x[0], x[1], tau + ext)
        return np.concatenate([x[1], pace, seen(x, tau)["integral_rate"], true])

    for push in (np.zeros(n), np.linspace(-2, 3, n)):
        q, qd = np.full(n, 0.2), np.linspace(1.0, -2.0, n)
        start = np.array([q, qd, arm.inertia_matrix(q) @ qd, np.zeros(n)]).ravel()
        found = solve_ivp(rate, (0, 0.4), start, args=(push,), method="DOP853", rtol=1e-11, atol=1e-12)
        ended = found.y[:, -1].reshape(4, n)
        residual = seen(ended, tau_of(0.4))["residual"]
        np.testing.assert_allclose(residual, ended[3], rtol=0, atol=1e-9)
        assert np.abs(residual).max() > 0.3 or not push.any()


def test_a_sampled_residual_settles_at_any_gain() -> None:
    """A constant push on an arm that a strong brake holds: the residual is the push, at K h of 0.05 and of 50."""
    robot = arm_of(5, "RP", actuators=False)
    arm, push, h = mp.Arm(robot), np.array([1.5, -0.7]), 1e-3
    for gain in (50.0, 5e4):
        law = mp.controller(robot, "momentum_observer", gain=gain, sample=h)
        state, q, still = law.start(), np.array([0.3, 0.1]), np.zeros(2)
        tau = arm.gravity(q) - push  # what holds it against the push
        for _ in range(400):
            state, residual = law.step(state, q, still, tau)
        np.testing.assert_allclose(residual, push, rtol=1e-6)


def test_an_observer_drives_no_arm() -> None:
    law = mp.controller("planar2r", "momentum_observer", gain=50, sample=1e-3)
    with pytest.raises(mp.InputError, match=r"momentum_observer: gives residual, .* no torque"):
        mp.closed_loop("planar2r", law)
