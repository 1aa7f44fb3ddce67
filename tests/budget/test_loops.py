"""What a step of a closed loop costs: joining shares what its parts have in common, and may not forget how."""

from __future__ import annotations

import pytest

import manipula as mp

GAINS = {"kp": 100, "kd": 20}


@pytest.mark.parametrize("plant, most", [("puma560", 559), ("puma560 and a load", 3936)])
def test_runge_kutta_around_computed_torque(plant: str, most: int) -> None:
    """Of the arm the law believes in, M⁻¹(M a) is a: four stages cost two inverse dynamics (289 each).

    With a load that it does not know, they are four forward and four inverse dynamics.
    """
    robot = mp.load("puma560")
    law = mp.controller(robot, "computed_torque", **GAINS)
    driven = robot.with_payload("mL", ("rLx", "rLy", "rLz")) if "load" in plant else robot
    assert mp.closed_loop(driven, law, step=1e-3).cost.total <= most
