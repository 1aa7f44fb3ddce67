"""Control laws of the tool: by hand, their errors, the null space, singular poses, passivity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import manipula as mp
from tests.control_laws import (
    FEW,
    H,
    arm_of,
    drawn,
    law_of,
    numbers,
    outputs,
    ridden,
    rub,
)


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


@pytest.mark.drawn("name", "kinds", "task", few=2)
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


@pytest.mark.turn
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


@pytest.mark.turn
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


@pytest.mark.turn
@pytest.mark.drawn("kinds", "task")
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
