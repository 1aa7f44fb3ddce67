"""What a step of a closed loop costs: joining shares what its parts have in common, and may not forget how."""

from __future__ import annotations

import pytest

import manipula as mp

GAINS = {"kp": 100, "kd": 20}


@pytest.mark.drawn("robot", "load", "most")
@pytest.mark.parametrize(
    "robot, load, most",
    [("puma560 without friction", False, 539), ("puma560 without friction", True, 3699),
     ("puma560", False, 3070), ("puma560", True, 3952)],
)  # fmt: skip
def test_runge_kutta_around_computed_torque(robot: str, load: bool, most: int) -> None:
    """Of the arm the law believes in, M⁻¹(M a) is a: four stages cost two inverse dynamics.

    With a load that it does not know, or with friction, which the law takes at the velocity wanted and the arm at its
    own, they are four forward and four inverse dynamics.
    """
    name, _, less = robot.partition(" without ")
    arm = mp.load(name).without("friction") if less else mp.load(name)
    law = mp.controller(arm, "computed_torque", **GAINS)
    driven = arm.with_payload("mL", ("rLx", "rLy", "rLz")) if load else arm
    assert mp.closed_loop(driven, law, step=1e-3).cost.total <= most
