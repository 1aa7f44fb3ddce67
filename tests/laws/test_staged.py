"""A function in Python asked in every stage: the run has the order of its method, whatever the plant does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences


def law(t: float, q: Any, qd: Any) -> Any:
    return -np.array([40.0, 20.0]) * (q - 0.3 * np.sin(3 * t)) - np.array([4.0, 2.0]) * qd


def arm(**friction: Any) -> Any:
    return mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81).with_friction(**friction)


def test_the_order_is_that_of_the_method_where_a_held_torque_has_order_one() -> None:
    plant, given = mp.Plant(arm(), effort=None), {"start": [0.3, 0.2], "until": 0.4}
    true = mp.simulate(plant, law, method="dop853", **given).q[-1]

    def far(step: float, stages: bool) -> float:
        return float(np.abs(mp.simulate(plant, law, step=step, stages=stages, **given).q[-1] - true).max())

    assert 1.7 < far(4e-2, False) / far(2e-2, False) < 2.6
    assert 12 < far(2e-2, True) / far(1e-2, True) < 22


def test_friction_and_a_wrench_and_efforts_go_with_it() -> None:
    plant = mp.Plant(arm(theta1={"coulomb": 1.0, "viscous": 0.2}), effort=12.0)
    given = {"start": [0.3, 0.2], "until": 0.3, "wrench": [3.0, -2.0, 0, 0, 0, 0.5]}
    true = mp.simulate(plant, law, method="dop853", **given)
    run = mp.simulate(plant, law, step=1e-3, stages=True, **given)
    np.testing.assert_allclose(run.q, true.q, rtol=0, atol=2e-4)
    np.testing.assert_allclose(run.tau[5], np.clip(law(run.t[5], run.q[5], run.qd[5]), -12, 12), rtol=0, atol=1e-12)
    assert run.balance < 1e-4 and run.q.shape == (301, 2)


def test_stages_see_their_own_times_and_the_same_law_by_name_is_met() -> None:
    """A law of the package in continuous time acts in every stage as well: the same run."""
    robot = arm()
    plant = mp.Plant(robot, effort=None)
    made = mp.controller(robot, "pd_gravity", kp=100, kd=20)
    code, times = made.compile(), list[float]()

    def own(t: float, q: Any, qd: Any) -> Any:
        times.append(t)
        zero = np.zeros(2)
        gains = dict.fromkeys(("kp1", "kp2"), 100.0) | dict.fromkeys(("kd1", "kd2"), 20.0)
        return code(q, qd, np.array([0.5, 0.1]), zero, p=gains)

    ref = {"q_ref": [0.5, 0.1], "qd_ref": [0.0, 0.0]}
    mine = mp.simulate(plant, own, start=[0.3, 0.2], until=0.01, step=5e-4, stages=True)
    theirs = mp.simulate(plant, made, ref, start=[0.3, 0.2], until=0.01, step=5e-4)
    np.testing.assert_allclose(mine.q, theirs.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(times[:4], [0.0, 2.5e-4, 2.5e-4, 5e-4], rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"law": lambda q, qd: q}, r"law: is asked with \(t, q, qd\); <lambda>\(q, qd\) does not take these three"),
        ({"law": lambda t, q, qd, x: q}, r"<lambda>\(t, q, qd, x\) does not take"),
        ({"law": lambda t, q, qd: q, "method": "gauss4", "stages": True}, "gauss4 needs slopes of the law"),
        ({"law": [1.0, 2.0], "stages": True}, "stages: is of a law that is a function"),
        ({"law": lambda t, q, qd: q, "start": np.zeros((3, 2)), "stages": True}, "stages: one arm at a time"),
        ({"law": lambda t, q, qd: q[:1], "stages": True}, r"law: gave shape \(1,\) at 0 s, expected \(…, 2\)"),
        ({"law": lambda t, q, qd: q * np.nan, "stages": True}, "law: gave nan at 0 s, expected finite torques"),
        ({"law": lambda t, q, qd: "much", "stages": True}, "law: gave 'much' at 0 s, expected 2 torques"),
    ],
)
def test_a_law_that_cannot_be_asked_is_one_sentence(given: dict[str, Any], said: str, whole: Sentences) -> None:
    asked = {"start": [0.1, 0.2], "until": 0.01, **given}
    with whole.raises(mp.InputError, match=said):
        mp.simulate(mp.Plant(arm(), effort=None), asked.pop("law"), **asked)
