"""Control laws at the motors of robots with loops: the formulas by hand, and the motion they lead to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.api.time_verbs import law_settings
from manipula.errors import InputError
from tests.linkages import ALL, five_bar, slider_crank

pytestmark = pytest.mark.usefixtures("without_search")

GAINS = {
    "pd_gravity": {"kp": 200, "kd": 20}, "computed_torque": {"kp": 400, "kd": 40},
    "pid": {"kp": 200, "ki": 50, "kd": 20, "limit": 1e3, "tracking": 10, "filter": 1e-3},
}  # fmt: skip


@pytest.mark.drawn("name")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [x for x in ALL if x not in ("delta", "palletiser")])
def test_laws_are_their_formulas_at_the_motors(name: str, seed: int) -> None:
    robot = ALL[name](seed)
    arm, m, rng = mp.Arm(robot, optimise="none"), list(robot.motor_coordinates), np.random.default_rng(seed)
    at = robot.close(np.full(len(m), 0.05)).q
    qd, there, fast, far = rng.normal(size=(4, len(m)))
    pd = mp.controller(robot, "pd_gravity", kp=3, kd=2, sample=1e-3, optimise="none")
    wanted = 3 * (there - at[m]) + 2 * (fast - qd) + arm.gravity(at)
    np.testing.assert_allclose(pd.step((), at, qd, there, fast)[1], wanted, rtol=1e-9)
    law = mp.controller(robot, "computed_torque", kp=3, kd=2, sample=1e-3, optimise="none")
    wanted = arm.inverse_dynamics(at, qd, far + 2 * (fast - qd) + 3 * (there - at[m]))
    np.testing.assert_allclose(law.step((), at, qd, there, fast, far)[1], wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.drawn("law")
@pytest.mark.parametrize("law", GAINS)
def test_a_reference_of_the_motors_is_followed(law: str) -> None:
    robot = five_bar(1)
    made = mp.controller(robot, law, sample=1e-3, **GAINS[law])
    ref = mp.trajectory.quintic([0, 0], [0.3, -0.2], 0.2)
    run = mp.simulate(robot, made, ref, start=[0.0, 0.0], until=0.4)
    wrong = np.abs(run.q[-1, list(robot.motor_coordinates)] - [0.3, -0.2]).max()
    assert wrong < (2e-2 if law == "pid" else 5e-3) and run.gap.max() < 1e-12


def test_a_law_at_the_motors_is_emitted(tmp_path: Path) -> None:
    made = mp.controller(slider_crank(0), "computed_torque", sample=1e-3, kp=1, kd=1)
    assert [path.name for path in made.emit("c", tmp_path)]
    assert made.inputs["q"] == ("q1", "q2", "q3") and made.inputs["q_ref"] == ("q_ref1",)


@pytest.mark.parametrize("law", ["feedforward", "slotine_li", "impedance"])
def test_laws_that_want_more_refuse(law: str) -> None:
    settings: dict[str, Any] = {name: 1.0 for name in law_settings(law) if name not in ("lower", "upper")}
    with pytest.raises(InputError, match=r"is not made for robots with loops; the laws pid, .* are|say which frame"):
        mp.controller(five_bar(0), law, sample=1e-3, **settings)


def test_a_law_without_a_reference_is_told() -> None:
    robot = five_bar(0)
    made = mp.controller(robot, "pd_gravity", kp=1, kd=1, sample=1e-3)
    for keys in ({"until": 0.1}, {"ref": mp.trajectory.quintic([0, 0], [0, 0.1], 0.1), "step": 2e-3}):
        with pytest.raises(InputError, match="needs ref="):
            mp.simulate(robot, made, start=[0.0, 0.0], **keys)
