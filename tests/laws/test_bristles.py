"""LuGre friction: in the steady state it is the joint's own laws; below breakaway it bends; it never gives energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from tests.golden.sentences import Sentences
from tests.laws.test_elastic import motored, planar, plant, slide
from tests.laws.test_reference import gently_loaded
from tests.random_robots import random_robot, random_state, with_laws

COULOMB = {"coulomb": 2.0, "viscous": 0.3}


def rubbed(seed: int, kinds: str, keys: tuple[str, ...]) -> mp.Robot:
    """Coulomb friction of every joint, and further laws."""
    arm = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False)).without("payload")
    arm = arm.with_friction({name: {"coulomb": 1.5 + i, "viscous": 0.2} for i, name in enumerate(arm.joint_names)})
    return motored(gently_loaded(with_laws(arm, seed, keys)))


def lugre(arm: mp.Robot, **options: Any) -> mp.Plant:
    return mp.Plant(arm, **{"friction": "lugre", "effort": None, "stops": False, **options})


@pytest.mark.parametrize(
    "seed, kinds, keys, elastic",
    [
        (51, "R", ("stribeck", "load"), False),
        (52, "P", ("asymmetric",), 2e3),
        pytest.param(53, "RP", ("load",), False, marks=pytest.mark.slow),
    ],
)
def test_at_a_steady_velocity_friction_is_that_of_the_joints_own_laws(
    seed: int, kinds: str, keys: tuple[str, ...], elastic: Any
) -> None:
    arm = rubbed(seed, kinds, keys)
    made, h, rng = lugre(arm, elastic=elastic), 1e-4, np.random.default_rng(seed)
    system = mp.closed_loop(made, None, step=h)
    assert made.bristles is not None
    for _ in range(6):
        q, _, _, _ = (np.array(x) for x in random_state(arm, int(rng.integers(1000))))
        v = rng.uniform(0.02, 2, arm.dof) * rng.choice([-1, 1], arm.dof)
        parts = mp.Arm(arm).friction_parts(q, v, 0 * q, np.sign(v))
        # a spring that is relaxed loads nothing; rigid joints bear the motion at the accelerations of the step before
        z = np.asarray(parts.dry) / made.bristles.stiffness
        given = {"q": q, "qd": v, "bristle": z} | ({"motor": q, "motor_rate": v} if elastic else {})
        new, out = system.step(system.start(**given), 0 * q)
        told = out.friction if hasattr(out, "friction") else out
        np.testing.assert_allclose(told, np.asarray(parts.smooth) + np.asarray(parts.dry), rtol=1e-9)
        assert np.abs(new.bristle - z).max() < 1e-2 * h * np.abs(v).max()  # but for what v changes in the step


@pytest.mark.turn
def test_bristles_bend_under_a_load_and_give_way_at_breakaway() -> None:
    arm = slide(2.0, 0.5, **COULOMB, stribeck={"torque": 1.0, "velocity": 0.05})
    bend = 1e-4  # of a slide at breakaway, 3 N
    # three arms side by side, at 0.3, 0.9 and 1.2 of breakaway
    shares = np.array([0.3, 0.9, 1.2])
    run = mp.simulate(lugre(arm), np.broadcast_to(3.0 * shares[:, None, None], (3, 4000, 1)), start=np.zeros((3, 1)),
                      until=2.0, step=5e-4)  # fmt: skip
    bent = run.state["bristle"][:2, -1, 0]
    assert np.abs(bent - shares[:2] * bend).max() < 0.02 * bend and np.abs(run.qd[:2, -1]).max() < 1e-5
    assert run.balance.max() < 1e-5
    assert run.qd[2, -1, 0] > 0.1 and run.q[2, -1, 0] > 100 * bend
    soft = mp.simulate(lugre(arm, sigma0=3e3, sigma1=30.0), np.array([1.0]), start=[0.0], until=2.0)
    assert abs(soft.state["bristle"][-1, 0] - 1.0 / 3e3) < 0.02 / 3e3


@pytest.mark.turn
@pytest.mark.parametrize("elastic", [False, pytest.param(900.0, marks=pytest.mark.slow)])
def test_fixed_steps_come_near_to_the_reference_integrator(elastic: Any) -> None:
    made = lugre(slide(1.0, 0.4, **COULOMB), elastic=elastic, sigma0=2e3, sigma1=20.0)

    def pushed(t: float, q: Any, qd: Any) -> Any:
        return np.array([4.0 * np.sin(20 * t)])

    options: dict[str, Any] = {"start": ([0.0], [0.3]), "until": 0.3}
    table = np.array([pushed(k * 1e-3, None, None) for k in range(300)])
    exact = mp.simulate(made, table, **options, method="dop853")
    assert exact.balance < 1e-9
    far = []
    for step in (1e-3, 1e-3 / 4):
        rows = np.repeat(table, round(1e-3 / step), axis=0)
        run = mp.simulate(made, rows, **options, step=step, every=round(1e-3 / step))
        far.append(float(np.abs(run.q - exact.q).max()))
    assert far[0] < 2e-5 and far[1] < far[0] / 3


def test_a_fast_joint_is_braked_by_its_laws_though_bristles_are_faster_than_steps() -> None:
    """Under Coulomb and viscous friction alone: m v̇ = −fc − fv v, in closed form."""
    m, fc, fv, v = 2.5, 2.0, 0.3, 8.0  # with its motor's half a kilogram
    run = mp.simulate(
        lugre(slide(2.0, 0.5, coulomb=fc, viscous=fv)), start={"q": [0.0], "qd": [v], "bristle": [1e-4]}, until=1.0
    )
    speed = (v + fc / fv) * np.exp(-fv / m * run.t) - fc / fv
    assert np.abs(run.qd[:, 0] - speed).max() < 1e-6 and run.balance < 1e-6


@pytest.mark.turn
def test_nothing_is_gained_from_bristles() -> None:
    """E + ½ σ0 z² of an arm left alone never grows."""
    arm = planar(theta1=COULOMB, theta2={"coulomb": 0.7})
    made = lugre(arm)
    assert made.bristles is not None
    run = mp.simulate(made, start=([0.5, 0.4], [1.0, -2.0]), until=0.6, step=5e-4)
    kinetic, potential = mp.Arm(arm).energy(run.q, run.qd)
    total = kinetic + potential + (0.5 * made.bristles.stiffness * run.state["bristle"] ** 2).sum(axis=-1)
    assert np.diff(total).max() < 1e-6 * np.ptp(total) and total[-1] < total[0] - 1


def test_a_joint_without_dry_friction_has_no_bristles() -> None:
    made = lugre(planar(theta1=COULOMB, theta2={"viscous": 0.4}))
    assert made.bristles is not None and made.bristles.bent == (True, False)
    run = mp.simulate(made, start=[0.5, 0.4], until=0.05)
    assert (run.state["bristle"][:, 1] == 0).all() and np.abs(run.state["bristle"][:, 0]).max() > 0


@pytest.mark.parametrize(
    "friction, told",
    [
        ({"stribeck": {"torque": 1.0, "velocity": 0.1}}, "its dry friction goes down to 0 in one way of moving"),
        ({"asymmetric": {"coulomb_plus": 1.0, "coulomb_minus": 0.0}}, "its dry friction goes down to 0"),
        ({"load": 0.1}, "bristles have nothing to bend against"),
    ],
)
def test_bristles_need_something_to_bend_against(friction: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        lugre(slide(2.0, 0.5, **friction))


def test_settings_that_cannot_be_are_told(whole: Sentences) -> None:
    arm = slide(2.0, 0.5, **COULOMB)
    for options, told in (
        ({"sigma0": 0.0}, "sigma0: expected one number above 0"),
        ({"sigma1": -1.0}, "sigma1: expected one number at least 0"),
        ({"sigma0": [1.0, 2.0]}, "sigma0: expected one number above 0, or 1"),
        ({"sigma0": 1e4, "friction": "stick"}, 'are of friction="lugre"'),
    ):
        with whole.raises(InputError, match=told):
            lugre(arm, **options)
    with whole.raises(InputError, match="its drive swings faster than 'rk4' follows in steps of"):
        mp.simulate(lugre(arm, sigma0=1e9, sigma1=0.0), start=[0.0], until=0.1)
    assert plant(arm).bristles is None
