"""The inertia coefficients of the Stanford arm's first three joints worked by hand (Lopes da Silva, UNICAMP 1990)."""

from __future__ import annotations

from math import cos, sin

import pytest

from manipula.mechanics.models.lagrange.terms import METHODS
from manipula.mechanics.robot import library
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS

NAMES = ("I1 J1 K1 Y1 Z1 M1", "I2 J2 K2 Y2 M2 d2", "I3 J3 K3 Z3 M3 gz")
VALUES = {name: 0.3 + 0.17 * k for k, name in enumerate(" ".join(NAMES).split())}


def printed(q2: float, d3: float, p: dict[str, float]) -> list[list[float]]:
    """The 25-operation form; a13 without the Y3 of a matrix printed unsymmetric."""
    s2, c2, d2, M3, Z3 = sin(q2), cos(q2), p["d2"], p["M3"], p["Z3"]
    a11 = p["I1"] + p["K1"] + p["J2"] + p["J3"] + 2 * p["Y2"] * d2 + (p["M2"] + M3) * d2**2
    a11 += (p["K2"] + p["K3"]) * s2**2 + (p["I2"] + p["I3"]) * c2**2 + s2**2 * d3 * (2 * Z3 + M3 * d3)
    a22 = p["I2"] + p["K2"] + p["I3"] + p["K3"] + 2 * Z3 * d3 + M3 * d3**2
    a12, a13 = -c2 * d2 * (Z3 + M3 * d3), -s2 * d2 * M3
    return [[a11, a12, a13], [a12, a22, 0], [a13, 0, M3]]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("q", [(0.4, 1.1, 0.6), (-1.3, -2.2, 0.35)])
def test_inertia_coefficients(method: str, q: tuple[float, float, float]) -> None:
    chain = merge_fixed(bind(robot_from_toml(library.text_of("stanford3"), "stanford3.toml"), FLOATS, VALUES))
    found = METHODS[method](chain, q).A
    for row, expected in zip(found, printed(q[1], q[2], VALUES), strict=True):
        assert row == pytest.approx(expected, rel=1e-12, abs=1e-12)
