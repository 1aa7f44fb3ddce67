"""Closed forms of textbooks, number for number: every model against the printed equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, pi, sin
from typing import Any

import pytest

from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.lagrange.jacobian_dynamics import inverse_dynamics_jacobian
from manipula.mechanics.models.lagrange.terms import METHODS, inverse_dynamics_lagrange
from manipula.mechanics.robot import library
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS

Torque = Callable[..., list[Any]]


def by_lagrange(name: str) -> Torque:
    return lambda chain, q, qd, qdd, wrench: inverse_dynamics_lagrange(chain, q, qd, qdd, wrench, METHODS[name])


WAYS: dict[str, Torque] = {
    "newton-euler": inverse_dynamics,
    "jacobian": inverse_dynamics_jacobian,
    **{name: by_lagrange(name) for name in METHODS},
}
STATES = [
    ((0.3, 0.7), (1.1, -0.4), (0.9, 2.3)),
    ((-2.1, 1.4), (-0.6, 1.7), (-3.1, 0.2)),
    ((pi / 2, 0.25), (0.0, 2.0), (1.0, 0.0)),
]


def arm(name: str, **values: float) -> Tree:
    return merge_fixed(bind(robot_from_toml(library.text_of(name), f"{name}.toml"), FLOATS, values))


def planar2r(
    q: Sequence[float], qd: Sequence[float], qdd: Sequence[float], m1: float, m2: float, l1: float, l2: float, g: float
) -> list[float]:
    """Craig, Introduction to Robotics, section 6.7: two links, point masses at their ends."""
    c1, c2, s2, c12 = cos(q[0]), cos(q[1]), sin(q[1]), cos(q[0] + q[1])
    (w1, w2), (a1, a2) = qd, qdd
    tau1 = m2 * l2**2 * (a1 + a2) + m2 * l1 * l2 * c2 * (2 * a1 + a2) + (m1 + m2) * l1**2 * a1
    tau1 += -m2 * l1 * l2 * s2 * w2**2 - 2 * m2 * l1 * l2 * s2 * w1 * w2 + m2 * l2 * g * c12 + (m1 + m2) * l1 * g * c1
    tau2 = m2 * l1 * l2 * c2 * a1 + m2 * l1 * l2 * s2 * w1**2 + m2 * l2 * g * c12 + m2 * l2**2 * (a1 + a2)
    return [tau1, tau2]


def revolute_prismatic(
    q: Sequence[float], qd: Sequence[float], qdd: Sequence[float], F: float, p: dict[str, float]
) -> list[float]:
    """The disc and sliding rod of the exercise the library cites, with I1z in the place of its last line's I2z."""
    (th, d2), (w, v), (a, dd), r = q, qd, qdd, q[1] - p["l"]
    m2, g = p["m2"], p["g"]
    tau1 = F * sin(th) * d2 + m2 * r**2 * a + 2 * m2 * r * w * v + m2 * g * cos(th) * r + (p["I2y"] + p["I1z"]) * a
    tau2 = -F * cos(th) - m2 * r * w**2 + m2 * dd + m2 * g * sin(th)
    return [tau1, tau2]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("state", STATES)
def test_planar_two_link_arm(way: str, state: Any) -> None:
    q, qd, qdd = state
    values = {"m1": 4.6, "m2": 2.3, "l1": 0.5, "l2": 0.35, "g": 9.81}
    found = WAYS[way](arm("planar2r", **values), q, qd, qdd, None)
    assert found == pytest.approx(planar2r(q, qd, qdd, **values), rel=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("state", STATES)
def test_revolute_prismatic_arm(way: str, state: Any) -> None:
    q, qd, qdd = state
    values = {"m1": 3.0, "m2": 1.7, "l": 0.21, "g": 9.81, "I1x": 0.3, "I1y": 0.4, "I1z": 0.5}
    values |= {"I2x": 0.11, "I2y": 0.12, "I2z": 0.013}
    F = 7.5
    found = WAYS[way](arm("rp", **values), q, qd, qdd, [F, 0, 0, 0, 0, 0])
    assert found == pytest.approx(revolute_prismatic(q, qd, qdd, F, values), rel=1e-12)
