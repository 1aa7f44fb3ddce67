"""Control laws: each against its formula in NumPy on random arms, its proof, and its C."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import emit
from manipula.mechanics.models.control.laws import LAWS
from tests.control_laws import (
    FEW,
    KINDS,
    H,
    arm_of,
    drawn,
    law_of,
    numbers,
    outputs,
    parts_for,
    rub,
)
from tests.emitted import c_function, needs_cc
from tests.random_robots import random_robot, with_laws

# every law, those too that are not born yet


BOTH = [(name, H) for name in LAWS] + [(name, None) for name, x in LAWS.items() if x.continuous is not x.sampled]


@pytest.mark.drawn("sample")
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


@pytest.mark.turn
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
