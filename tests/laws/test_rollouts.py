"""Loops that run by themselves: with the reference inside, many steps in one call, many arms side by side."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.block import Block, Call, Result
from manipula.mechanics.models.control.ports import Q_REF, QD_REF, QDD_REF
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PortKind
from manipula.scalar import Maths
from tests.random_robots import random_robot

PLANAR = mp.load("planar2r").with_parameters(l1=1, l2=0.7, m1=2, m2=1, g=9.81)


def _swing(maths: Maths[Any], call: Call, x: Given) -> dict[str, Any]:
    """q = A sin(t)"""
    sine, cosine = maths.sin(x["t"][0]), maths.cos(x["t"][0])
    return {
        "q_ref": [a * sine for a in x["swing"]],
        "qd_ref": [a * cosine for a in x["swing"]],
        "qdd_ref": [-a * sine for a in x["swing"]],
    }


SWING = Block(
    "swing",
    "a sine of every joint",
    (PortKind("t", "s", "time", ("t",)), PortKind("swing", "rad or m", "amplitudes", role="setting")),
    {kind.name: Result(kind.unit, kind.doc) for kind in (Q_REF, QD_REF, QDD_REF)},
    _swing,
)


@dataclass(frozen=True)
class Swing:
    """A motion to follow, as a loop asks for one."""

    swing: tuple[float, ...]
    block: Block | None = field(default=SWING)

    @property
    def dof(self) -> int:
        return len(self.swing)

    @property
    def settings(self) -> dict[str, tuple[float, ...]]:
        return {"swing": self.swing}

    def __call__(self, t: float) -> Any:
        return np.array([np.multiply(self.swing, x) for x in (np.sin(t), np.cos(t), -np.sin(t))])


REF = Swing((0.4, -0.7))


def law_of(robot: mp.Robot, sample: float | None, law: str = "computed_torque") -> mp.Law:
    return mp.controller(robot, law, kp=120, kd=21, sample=sample)


# the reference inside


def test_a_sampled_loop_follows_its_own_clock() -> None:
    """Step by step the loop that has the reference inside is the one that is told it."""
    law = law_of(PLANAR, 1e-3)
    inside, told = mp.closed_loop(PLANAR, law, REF), mp.closed_loop(PLANAR, law)
    a, b = inside.start(q=[0.1, 0.2]), told.start(q=[0.1, 0.2])
    assert a._fields == ("q", "qd", "clock")
    for k in range(20):
        a, out = inside.step(a)
        b, tau = told.step(b, *REF(k * 1e-3))
        np.testing.assert_allclose(out.tau, tau, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(out.qdd_ref, REF(k * 1e-3)[2], rtol=1e-14, atol=1e-16)
        np.testing.assert_allclose(a.qd, b.qd, rtol=1e-12, atol=1e-14)
    assert a.clock == 20


def test_every_stage_has_its_own_time() -> None:
    """With the law in every stage and the exact model the error is the integrator's: of the fourth order."""
    law = law_of(PLANAR, None)

    def error(steps: int) -> float:
        loop = mp.closed_loop(PLANAR, law, REF, step=0.4 / steps)
        state = loop.start(q=REF(0.0)[0], qd=REF(0.0)[1])
        for _ in range(steps):
            state = loop.step(state).state
        return float(np.abs(state.q - REF(0.4)[0]).max())

    assert abs(np.log2(error(10) / error(20)) - 4) < 0.5


def test_laws_that_ask_for_less_of_a_reference() -> None:
    robot = mp.Robot.of(random_robot(5, joints="P", actuators=False))
    loop = mp.closed_loop(robot, law_of(robot, 1e-2, "pd_gravity"), Swing((0.3,)), method="semi-implicit")
    _, out = loop.step(loop.start(clock=50))
    np.testing.assert_allclose(
        out.tau, mp.Arm(robot).gravity([0.0]) + 120 * REF(0.5)[0][:1] * 0.75 + 21 * REF(0.5)[1][:1] * 0.75
    )


def test_references_that_do_not_fit() -> None:
    law = law_of(PLANAR, 1e-3)
    with pytest.raises(mp.InputError, match="drives 2 joints; the reference has 3"):
        mp.closed_loop(PLANAR, law, Swing((1.0, 2.0, 3.0)))
    with pytest.raises(mp.InputError, match="no formula of the time"):
        mp.closed_loop(PLANAR, law, replace(REF, block=None))
