"""Control laws: each against its formula in NumPy on random arms, what it promises of the motion, and its C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.algebra.emit.backend import emit
from manipula.mechanics.models.control.laws import LAWS, law_block
from manipula.simulation.loops.sampling import spectral_radius
from tests.emitted import c_function, needs_cc
from tests.random_robots import random_robot, with_laws

KINDS = ("R", "P", "RP", "PRR", "RRR", "RPRR", "RRRRR", "RRPRRR", "RRRRRRR")
FEW = {"resolved_acceleration", "operational_space"}  # whose pose takes six joints: of these the position is asked
H = 1e-3


def arm_of(seed: int, kinds: str, **about: Any) -> mp.Robot:
    return mp.Robot.of(random_robot(seed, joints=kinds, **about))


def settings_of(law: str, robot: mp.Robot, seed: int, sample: float | None = H, **more: Any) -> dict[str, Any]:
    """A value for every setting that has none of its own."""
    rng, block = np.random.default_rng(seed), law_block(law, sampled=sample is not None)
    if law in FEW:
        more, block = {"task": "position", **more}, law_block(law, sampled=True, options={"task": "position"})
    ports = [port for port in block.inputs if port.role == "setting" and port.default is None and port.name != "sample"]
    found = {port.name: float(rng.uniform(0.4, 1.2)) for port in ports}
    return found | ({"ki": 0.1} if "ki" in found else {}) | more  # ki < kp kd, else no sample holds an arm


def law_of(
    law: str, robot: mp.Robot, seed: int = 0, sample: float | None = H, optimise: str = "fast", **more: Any
) -> mp.Law:
    given = settings_of(law, robot, seed, sample, **more)
    return mp.controller(robot, law, sample=sample, optimise=optimise, **given)


def drawn(law: mp.Law, seed: int) -> dict[str, Any]:
    """A value of every variable and state."""
    rng = np.random.default_rng(seed)
    return {port.name: rng.uniform(-1, 1, len(port.symbols)) for port in law.function.inputs if port.online}


def outputs(law: mp.Law, x: Mapping[str, Any], p: Mapping[str, float]) -> dict[str, Any]:
    found = law._code(*x.values(), p={**law._set, **p} or None)
    return found._asdict() if hasattr(found, "_asdict") else {law.function.outputs[0].name: found}


def parts_for(drives: bool, sample: float | None) -> dict[str, Any]:
    """An observer has no torque to limit or to delay."""
    return ({"limit": 7.0} | ({"delay": 2} if sample else {})) if drives else {}


# every law, those too that are not born yet


BOTH = [(name, H) for name in LAWS] + [(name, None) for name, x in LAWS.items() if x.continuous is not x.sampled]


@needs_cc
@pytest.mark.parametrize("name, sample", BOTH)
def test_one_step_in_c_is_the_step_in_python(name: str, sample: float | None, tmp_path: Path) -> None:
    """To 1e-13 of the row's largest entry, with a payload of symbols, a limit, and in samples a delay."""
    seed = sum(map(ord, name)) + (sample is None)
    kinds = ("PRR", "RRR") if name in FEW else ("R", "RP", "PRR")
    robot = arm_of(seed, kinds[seed % len(kinds)]).with_payload("mL", ("rLx", "rLy", "rLz"))
    drives = "tau" in LAWS[name].sampled.outputs
    law = law_of(name, robot, seed, sample, **parts_for(drives, sample))
    run = c_function(law.tape, emit(law.tape, "c", "0"), tmp_path)
    p = dict(zip(law.inputs.get("p", ()), (0.7, 0.05, -0.03, 0.11)))
    for i in range(3):
        x = drawn(law, seed + i)
        settings = {**law.settings, "p": tuple(p.values())}
        got = run({**x, **settings})
        for port, value in outputs(law, x, p).items():
            scale = max(1.0, float(np.abs(value).max(initial=0)))
            np.testing.assert_allclose(got[port], value.ravel(), rtol=0, atol=1e-13 * scale, err_msg=port)
        if "tau" in got:
            assert np.abs(got["tau"]).max() <= 7.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("name", LAWS)
def test_every_law_is_proved_of_arms_of_every_kind(name: str, seed: int) -> None:
    """Of one to seven joints, sliding, helical; the test above has one small arm a law."""
    kinds = KINDS[3:] if name in FEW else KINDS[1:]
    robot = arm_of(40 + seed, kinds[seed % len(kinds)], screws=seed % 2 == 1)
    law = law_of(name, robot, seed, None if seed % 3 == 0 else H)
    assert "chance of error below" in law.provenance.proof
    assert all(np.isfinite(value).all() for value in outputs(law, drawn(law, seed), {}).values())


# each by its formula


def numbers(law: mp.Law) -> dict[str, Any]:
    return {name: np.array(values) for name, values in law.settings.items()}


def rub(arm: mp.Arm, bare: mp.Arm, qd: Any, way: Any) -> Any:
    """fv q̇ + fc way + fo, from the friction at the rate and just off rest."""
    still, hair = np.zeros_like(qd), np.full_like(qd, 1e-300)

    def f(rate: Any) -> Any:
        return arm.inverse_dynamics(still, rate, still) - bare.inverse_dynamics(still, rate, still)

    return f(qd) - f(hair * np.sign(qd)) + f(still) + way * (f(hair) - f(-hair)) / 2


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 9))])
def test_laws_of_joints_by_hand(seed: int) -> None:
    robot = arm_of(seed, KINDS[seed])
    arm, bare = (mp.Arm(x, optimise="none") for x in (robot, robot.without("friction")))
    for name in ("feedforward", "friction_compensation", "computed_torque", "computed_torque_pid", "sliding"):
        law = law_of(name, robot, seed, optimise="none", limit=9.0, smoothing=0.3)
        x, s = drawn(law, seed), numbers(law)
        e, ed = x["q_ref"] - x["q"], x["qd_ref"] - x["qd"]
        way = np.clip(x["qd_ref"] / 0.3, -1, 1)
        if name == "sliding":
            push = s["lam"] * ed + s["gain"] * np.clip((ed + s["lam"] * e) / s["layer"], -1, 1)
        else:
            push = s["kp"] * e + s["kd"] * ed
        if name == "feedforward":
            motion = (x["q_ref"], x["qd_ref"], x["qdd_ref"])
            v = bare.inverse_dynamics(*motion) + rub(arm, bare, x["qd_ref"], way) + push
        elif name == "friction_compensation":
            v = push + arm.gravity(x["q"]) + rub(arm, bare, x["qd"], way)
        else:
            a = x["qdd_ref"] + push + x.get("integral", 0)
            v = bare.inverse_dynamics(x["q"], x["qd"], a) + rub(arm, bare, x["qd"], way)
        got = outputs(law, x, {})
        np.testing.assert_allclose(got["tau"], np.clip(v, -9, 9), rtol=1e-10, atol=1e-10)
        if "integral" in x:
            waits = (np.abs(v) > 9) & (e * v >= 0)
            np.testing.assert_allclose(got["integral_next"], x["integral"] + H * np.where(waits, 0, s["ki"] * e))


@pytest.mark.parametrize("seed", range(3))
def test_every_friction_law_takes_the_sign_that_is_given(seed: int) -> None:
    """Far from rest it is the sign, and the model is inverse dynamics; at rest nothing with a sign is left."""
    robot = mp.Robot.of(
        with_laws(random_robot(seed, joints=("RP", "PR", "RRR")[seed]), seed, ["asymmetric", "stribeck", "load"])
    )
    arm, n = mp.Arm(robot, optimise="none"), robot.dof
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, n))
    true = arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(arm.inverse_dynamics_smooth(q, qd, qdd, 40 * np.sign(qd)), true, rtol=1e-12, atol=1e-12)
    still = np.zeros(n)
    held = arm.inverse_dynamics_smooth(q, still, qdd, still)
    np.testing.assert_allclose(held, arm.inverse_dynamics(q, still, qdd), rtol=1e-12, atol=1e-12)
    bare = mp.Arm(robot.without("friction"), optimise="none").inverse_dynamics(q, still, still)
    weight = arm.inverse_dynamics_smooth(q, still, still, 40 * np.sign(qd)) - bare
    np.testing.assert_allclose(arm.friction(q, still, 40 * np.sign(qd)), weight, rtol=1e-11, atol=1e-11)


# what they promise


@cache
def damped_arm() -> mp.Robot:
    """Two joints, one of them sliding, with viscous friction: what has a sign no law can know exactly."""
    robot = arm_of(11, "RP")
    return robot.without("friction").with_friction(**{name: {"viscous": 0.4} for name in robot.joint_names})


def ridden(law: mp.Law, arm: mp.Arm, x: dict[str, Any], wanted: Any, h: float, steps: int) -> list[dict[str, Any]]:
    """The law in continuous time and the arm by Runge and Kutta, stage by stage; `wanted(t)` gives the references."""
    states = [port.name for port in law.function.inputs if port.role == "state"]
    names = [port.name for port in law.function.inputs if port.online]

    def rate(t: float, x: dict[str, Any]) -> dict[str, Any]:
        given = {**x, **wanted(t)}
        out = outputs(law, {name: given[name] for name in names}, {})
        own = {name: out[f"{name}_rate"] for name in states}
        return {"q": x["qd"], "qd": arm.forward_dynamics(x["q"], x["qd"], out["tau"]), **own}

    def along(x: dict[str, Any], h: float, k: dict[str, Any]) -> dict[str, Any]:
        return {name: x[name] + h * k[name] for name in x}

    found = [x]
    for i in range(steps):
        k1 = rate(i * h, x)
        k2 = rate((i + 0.5) * h, along(x, h / 2, k1))
        k3 = rate((i + 0.5) * h, along(x, h / 2, k2))
        k4 = rate((i + 1) * h, along(x, h, k3))
        x = along(x, h / 6, {name: k1[name] + 2 * k2[name] + 2 * k3[name] + k4[name] for name in x})
        found.append(x)
    return found


@cache
def plain_arm() -> mp.Arm:
    return mp.Arm(damped_arm(), optimise="none")


def run(loop: mp.System, state: Any, refs: Any) -> list[Any]:
    found = [state]
    for ref in refs:
        state = loop.step(state, *ref).state
        found.append(state)
    return found


def sines(t: float, n: int) -> tuple[Any, Any, Any]:
    w, phase = 1.3 + 0.4 * np.arange(n), np.arange(n)
    return 0.3 * np.sin(w * t + phase), 0.3 * w * np.cos(w * t + phase), -0.3 * w**2 * np.sin(w * t + phase)


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


# laws of the tool


def tool_of(arm: mp.Arm, q: Any) -> tuple[Any, Any]:
    T = arm.pose(q)
    return T[:3, 3], T[:3, :3]


def error_of(arm: mp.Arm, q: Any, x_ref: Any) -> Any:
    """Position, and twice the vector of the quaternion of R_ref Rᵀ, by SciPy."""
    p, R = tool_of(arm, q)
    if len(x_ref) == 3:
        return x_ref - p
    left = Rotation.from_quat(np.roll(x_ref[3:], -1)) * Rotation.from_matrix(R).inv()
    e = left.as_quat(canonical=True)
    return np.concatenate([x_ref[:3] - p, 2 * e[:3]])


@pytest.mark.parametrize(
    "name, kinds, task",
    [
        ("resolved_acceleration", "RPRR", "position"),
        ("operational_space", "RRPR", "position"),
        ("impedance", "RR", "pose"),
        pytest.param("impedance", "RPR", "position", marks=pytest.mark.slow),
        pytest.param("resolved_acceleration", "RRR", "position", marks=pytest.mark.slow),
        pytest.param("operational_space", "RRR", "position", marks=pytest.mark.slow),
        pytest.param("resolved_acceleration", "RRRRRR", "pose", marks=pytest.mark.slow),
        pytest.param("operational_space", "RRPRRR", "pose", marks=pytest.mark.slow),
        pytest.param("operational_space", "RRRRRRR", "pose", marks=pytest.mark.slow),
    ],
)
def test_laws_of_the_tool_by_hand(name: str, kinds: str, task: str) -> None:
    robot = arm_of(len(kinds) + 7, kinds)
    arm, bare = (mp.Arm(x, optimise="none") for x in (robot, robot.without("friction")))
    apart = {"resolved_acceleration": {"singular": 1e-5}, "operational_space": {"heaviest": 1e9}, "impedance": {}}
    law = law_of(name, robot, 1, optimise="none", task=task, **apart[name], null=0.7)
    x, s = drawn(law, 1), numbers(law)
    J, size = arm.jacobian(x["q"])[: 6 if task == "pose" else 3], 6 if task == "pose" else 3
    kp, kd = (np.repeat(s[k], [1, 1, 1, 3] if size == 6 else 1) for k in ("kp", "kd"))
    lag = x["xd_ref"] - J @ x["qd"]
    push = kp * error_of(arm, x["q"], x["x_ref"]) + kd * lag
    if name == "impedance":
        true = J.T @ push - 0.7 * x["qd"] + arm.gravity(x["q"])
    else:
        own = -0.7 * x["qd"]
        left = x["xdd_ref"] + push - (arm.jacobian_dot(x["q"], x["qd"]) @ x["qd"])[:size] - J @ own
        W = np.eye(robot.dof) if name == "resolved_acceleration" else np.linalg.inv(arm.inertia_matrix(x["q"]))
        inverse = W @ J.T @ np.linalg.inv(J @ W @ J.T)
        way = np.clip(inverse @ x["xd_ref"] / s["smoothing"], -1, 1)
        torque = bare.inverse_dynamics(x["q"], x["qd"], own + inverse @ left)
        true = torque + rub(arm, bare, x["qd"], way)
    got = outputs(law, x, {})
    np.testing.assert_allclose(got["tau"], true, rtol=1e-7, atol=1e-7)
    assert name == "impedance" or got["damped"][0] == 0
    longer = {**x, "x_ref": np.concatenate([x["x_ref"][:3], -3 * x["x_ref"][3:]])}
    np.testing.assert_allclose(outputs(law, longer, {})["tau"], got["tau"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", sorted(FEW))
def test_the_tool_follows_its_linear_equation(name: str) -> None:
    """The exact arm, the law in every stage: each axis of the position obeys x̃̈ + kd x̃̇ + kp x̃ = 0."""
    robot = arm_of(22, "RRRR", surroundings=False).without("friction")
    arm, steps = mp.Arm(robot, optimise="none"), 60
    apart = {"singular": 1e-3} if "resolved" in name else {"heaviest": 1e5}
    given: dict[str, Any] = {"kp": [90, 60, 30], "kd": [20, 8, 12], "null": 2, **apart}
    law = mp.controller(robot, name, optimise="none", task="position", **given)
    q0 = np.array([0.4, 0.7, -0.9, 0.5])
    goal = tool_of(arm, q0)[0] + [0.02, -0.03, 0.025]
    wanted = {"x_ref": goal, "xd_ref": np.zeros(3), "xdd_ref": np.zeros(3)}
    states = ridden(law, arm, {"q": q0, "qd": np.zeros(4)}, lambda t: wanted, 2 * H, steps)
    assert all(outputs(law, {**x, **wanted}, {})["damped"][0] == 0 for x in states)
    e0 = goal - tool_of(arm, q0)[0]
    for i, (kp, kd) in enumerate([(90, 20), (60, 8), (30, 12)]):
        e, _ = expm(np.array([[0, 1], [-kp, -kd]]) * 2 * H * steps) @ [e0[i], 0]
        np.testing.assert_allclose(goal[i] - tool_of(arm, states[-1]["q"])[0][i], e, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", sorted(FEW))
def test_torques_of_the_null_space_do_not_accelerate_the_tool(name: str) -> None:
    robot = arm_of(23, "RRRR", surroundings=False).without("friction")
    arm, found = mp.Arm(robot, optimise="none"), []
    q, qd = np.array([0.4, 0.7, -0.9, 0.5]), np.array([1.0, -0.5, 0.8, 2.0])
    made = mp.controller(robot, name, optimise="none", task="position", kp=50, kd=10)
    for null in (0.0, 40.0):
        law = replace(made, settings={**made.settings, "null": (null,) * 4})
        tau = law.step((), q, qd, [0.3, 0.2, 0.1], np.zeros(3), np.zeros(3)).outputs.tau
        found.append((tau, arm.jacobian(q)[:3] @ arm.forward_dynamics(q, qd, tau)))
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-9)
    assert np.abs(found[0][0] - found[1][0]).max() > 1


@pytest.mark.parametrize("name", sorted(FEW))
def test_through_a_singularity_torques_stay_finite_and_it_is_said(name: str) -> None:
    """An arm stretched out, exactly, nearly, and on the way: the damping grows, and is never more than all of it."""
    rows = [{"theta": 0, "d": 0, "a": a, "alpha": t, "mass": 1, "com": [0, 0, 0]} for a, t in ((0, 90), (1, 0), (1, 0))]
    inertia = {"inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1, "xy": 0, "xz": 0, "yz": 0}}
    robot = mp.Robot.from_dh([{**row, **inertia} for row in rows], convention="standard", angle="deg")
    given = {"kp": 100, "kd": 20, **({} if "res" in name else {"heaviest": 100})}
    law = mp.controller(robot, name, optimise="none", task="position", **given)
    shares, torques = [], []
    for bent in (1.0, 0.3, 0.1, 3e-2, 1e-3, 1e-6, 1e-12, 0.0):
        out = law.step((), [0.2, 0.3, bent], np.zeros(3), [3.0, 0, 0], np.zeros(3), np.zeros(3)).outputs
        shares.append(out.damped[0])
        torques.append(np.abs(out.tau).max())
    assert shares[0] == 0 and (np.diff(shares) > -1e-8).all() and 0.99 < shares[-1] <= 1
    assert np.isfinite(torques).all() and max(torques) < 1e5
    if "resolved" in name:  # in the singularity λ is the `damping`, no more and no less
        arm, q = mp.Arm(robot, optimise="none"), np.array([0.2, 0.3, 0.0])
        J = arm.jacobian(q)[:3]
        pull = 100 * (np.array([3.0, 0, 0]) - tool_of(arm, q)[0])
        qdd = J.T @ np.linalg.solve(J @ J.T + shares[-1] * 0.04**2 * np.eye(3), pull)
        np.testing.assert_allclose(out.tau, arm.inverse_dynamics(q, np.zeros(3), qdd), rtol=1e-6)


@pytest.mark.parametrize("kinds, task", [("RRR", "pose"), ("RP", "position")])
def test_an_arm_under_impedance_is_passive(kinds: str, task: str) -> None:
    """What is stored and what the damper ate stay the same, to the integrator's error, from a turn of two radians."""
    robot = arm_of(31, kinds, surroundings=False).without("friction")
    arm, n, h = mp.Arm(robot, optimise="none"), robot.dof, 5e-4
    kp, kd = (np.array([30.0, 50.0, 40.0, 6.0]), np.array([20.0, 30.0, 10.0, 2.0])) if task == "pose" else (60.0, 2.0)
    law = mp.controller(robot, "impedance", optimise="none", task=task, kp=kp, kd=kd, null=0.05)
    q0 = np.linspace(0.3, 0.9, n)
    p, R = tool_of(arm, q0 + 0.7)
    goal = np.concatenate([p, np.roll(Rotation.from_matrix(R).as_quat(), 1)]) if task == "pose" else p
    still = np.zeros(6 if task == "pose" else 3)
    wanted = {"x_ref": goal, "xd_ref": still}
    states = ridden(law, arm, {"q": q0, "qd": np.zeros(n)}, lambda t: wanted, h, 400)
    kp, kd = (np.repeat(law.settings[k], [1, 1, 1, 3] if task == "pose" else 1) for k in ("kp", "kd"))

    def stored(q: Any, qd: Any) -> float:
        e = error_of(arm, q, goal)
        eta = np.sqrt(1 - (e[3:] / 2) @ (e[3:] / 2))
        turned = 4 * kp[3] * (1 - eta) if task == "pose" else 0.0
        return float(qd @ arm.inertia_matrix(q) @ qd / 2 + kp[:3] @ e[:3] ** 2 / 2 + turned)

    def eaten(q: Any, qd: Any) -> float:
        v = arm.jacobian(q)[: len(still)] @ qd
        return float(kd @ v**2 + 0.05 * qd @ qd)

    power = np.array([eaten(x["q"], x["qd"]) for x in states])
    lost = h / 3 * (power[0:-1:2] + 4 * power[1::2] + power[2::2]).sum()  # Simpson
    first, last = (stored(x["q"], x["qd"]) for x in (states[0], states[-1]))
    assert lost > 0.04 * first
    np.testing.assert_allclose(last + lost, first, rtol=1e-6)


def test_too_few_joints_for_a_task_are_told() -> None:
    robot = arm_of(3, "RP")
    for name in FEW:
        with pytest.raises(mp.InputError, match=f"{name}: 2 joints cannot follow a pose, .* task='position' asks"):
            mp.controller(robot, name, optimise="none", kp=1, kd=1)
    with pytest.raises(mp.InputError, match="2 joints cannot follow a position"):
        mp.controller(robot, "resolved_acceleration", optimise="none", task="position", kp=1, kd=1)
    for wrong in ("Pose", 3, None, ["pose"]):
        with pytest.raises(mp.InputError, match="task: expected 'pose' or 'position', found"):
            mp.controller(robot, "impedance", task=wrong, kp=1, kd=1)


# gains that cannot be


@pytest.mark.parametrize("seed", range(25))
def test_what_is_called_unstable_grows_and_what_is_called_stable_dies_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kp, kd, delay = 10 ** rng.uniform(0, 5), 10 ** rng.uniform(0, 3), int(rng.integers(0, 4))
    ki, h = float(rng.choice([0, kp * kd * 10 ** rng.uniform(-3, 1)])), 10 ** rng.uniform(-4, -2)
    radius = spectral_radius(ki, kp, kd, h, delay)
    e, v, total, late, size = 1.0, 0.0, 0.0, [0.0] * delay, []
    for _ in range(4000):
        late.append(-kp * e - kd * v - total)
        a = late.pop(0)
        e, v, total = e + h * v + h * h / 2 * a, v + h * a, total + h * ki * e
        size.append(abs(e) + h * abs(v))
        if not 1e-200 < size[-1] < 1e200:
            break
    grown = np.log(size[-1] / size[len(size) // 2]) / (len(size) - len(size) // 2)
    assert abs(grown - np.log(radius)) < 0.02 + 0.05 * abs(np.log(radius)), (ki, kp, kd, h, delay)


def test_unstable_gains_are_answered_with_a_sample_that_would_do() -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    gains: dict[str, Any] = {"kp": [100.0, 1e4], "kd": [20.0, 200.0]}
    told = r"joint 'theta2': kp = 10000, kd = 200 is unstable at a sample of 0.002 s and a delay of 5; .* ([\d.e-]+) s"
    with pytest.raises(mp.InputError, match=told) as found:
        mp.controller(robot, "computed_torque", **gains, sample=2e-3, delay=5)
    sample = float(str(found.value).split("at most ")[1].split()[0])
    mp.controller(robot, "computed_torque", **gains, sample=sample, delay=5)
    with pytest.raises(mp.InputError, match="unstable"):
        mp.controller(robot, "computed_torque", **gains, sample=1.1 * sample, delay=5)
    with pytest.raises(mp.InputError, match="no sample is short enough"):
        mp.controller(robot, "computed_torque", kp=100, kd=0, sample=1e-3)
    mp.controller(robot, "computed_torque", kp=0, kd=0, sample=1e-3)  # feedforward alone: nothing to be unstable
    mp.controller(robot, "computed_torque", kp=0, kd=5, sample=1e-3)  # a law of velocities


@pytest.mark.parametrize("delay", [-1, 1.5, "2", True, None, 65, float("nan")])
def test_a_delay_is_whole_samples(delay: Any) -> None:
    with pytest.raises(mp.InputError, match="delay: expected whole samples, 0 to 64, found"):
        mp.controller("planar2r", "pd_gravity", kp=1, kd=1, sample=1e-3, delay=delay)


def test_a_law_in_continuous_time_has_no_delay() -> None:
    with pytest.raises(mp.InputError, match="delay= counts samples"):
        mp.controller("planar2r", "pd_gravity", kp=1, kd=1, delay=1)


@pytest.mark.parametrize("name", LAWS)
def test_wrong_settings_of_every_law_are_told(name: str) -> None:
    robot = arm_of(3, "RRR" if name in FEW else "RP")
    given = settings_of(name, robot, 0)
    first = next(x for x in given if x != "task")
    for wrong, told in ((float("nan"), "found NaN"), (-1.0, "found -1"), ([1.0] * 11, "expected"), ("1", "expected")):
        with pytest.raises(mp.InputError, match=rf"{first}.*{told}"):
            mp.controller(robot, name, sample=H, **{**given, first: wrong})
    with pytest.raises(mp.InputError, match=rf"no value for {first}|{first}"):
        mp.controller(robot, name, sample=H, **{k: v for k, v in given.items() if k != first})
    with pytest.raises(mp.UnknownNameError, match=rf"did you mean '{first}'"):
        mp.controller(robot, name, sample=H, **given, **{f"{first}_": 1.0})
    for part in ("limit", "delay"):
        with pytest.raises(mp.InputError, match=part):
            mp.controller(robot, name, sample=H, **{**given, part: -1})


def test_an_integral_waits_while_the_torque_is_at_its_limit() -> None:
    """Bounded however long the joint is held off its goal; without a limit it grows on."""
    robot = arm_of(5, "R", actuators=False, surroundings=False)
    ended = {}
    for limit in (0.5, float("inf")):
        law = mp.controller(robot, "computed_torque_pid", kp=50, ki=200, kd=20, sample=H, limit=limit)
        state = law.start()
        for _ in range(3000):
            state, _ = law.step(state, [0.0], [0.0], [1.0], [0.0], [0.0])
        ended[limit] = float(state.integral[0])
    assert ended[float("inf")] == pytest.approx(600) and abs(ended[0.5]) < 1
