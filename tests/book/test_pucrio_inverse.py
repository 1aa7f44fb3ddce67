"""Inverse kinematics of the PUC-Rio arm (dissertation, chapter 6), against the closed form printed there, corrected.

The text gives one branch: θ1 by an arc tangent, θ3 = asin(κ1/κ2), θ5 = acos(…). Here its formulas are evaluated as they
stand, with both values of θ1, θ3 and θ5, and compared with the eight branches found from the axes alone.
"""

from __future__ import annotations

from itertools import product
from math import asin, atan2, cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import distances

A1, A2, D4, D6 = 0.10, 0.25, 0.16, 0.05


def printed(T: Any, shoulder: int, elbow: int, flip: int) -> list[float] | None:
    """Equations 6.21–6.51 for one choice of each root; None where the elbow does not reach."""
    (ux, vx, wx, qx), (uy, vy, wy, qy), (uz, vz, wz, qz) = T[:3].tolist()
    px, py, pz = qx - D6 * wx, qy - D6 * wy, qz - D6 * wz  # 6.22
    t1 = atan2(py, px) + (pi if shoulder else 0)  # 6.30
    c1, s1 = cos(t1), sin(t1)
    k1 = px**2 + py**2 + pz**2 - 2 * A1 * (px * c1 + py * s1) + A1**2 - A2**2 - D4**2
    k2 = 2 * A2 * D4
    if abs(k1) > k2:
        return None
    t3 = pi - asin(k1 / k2) if elbow else asin(k1 / k2)  # 6.32
    m1, m2 = A2 + D4 * sin(t3), -D4 * cos(t3)
    g1, g2 = px * c1 + py * s1 - A1, pz
    t2 = atan2(m1 * g2 - m2 * g1, m1 * g1 + m2 * g2)  # 6.35–6.37
    c23, s23 = cos(t2 + t3), sin(t2 + t3)
    c5 = wx * c1 * s23 + wy * s1 * s23 - wz * c23  # 6.41
    s5 = sqrt(max(0.0, 1 - c5 * c5)) * (-1 if flip else 1)
    t4 = atan2((wx * s1 - wy * c1) / s5, (wx * c1 * c23 + wy * s1 * c23 + wz * s23) / s5)  # 6.43–6.46
    c6 = -(ux * c1 * s23 + uy * s1 * s23 - uz * c23) / s5  # 6.48
    s6 = (vx * c1 * s23 + vy * s1 * s23 - vz * c23) / s5  # 6.50
    return [t1, t2, t3, t4, atan2(s5, c5), atan2(s6, c6)]


def test_the_branches_are_those_of_the_printed_formulas() -> None:
    solver = InverseSolver(numeric_chain(mp.load("pucrio")))
    for q in np.random.default_rng(1).uniform(-np.pi, np.pi, (25, 6)):
        T = solver.pose(q)
        roots = [root for signs in product((0, 1), repeat=3) if (root := printed(T, *signs)) is not None]
        answers = solver(T).q
        assert len(answers) == len(roots)
        for root in roots:
            assert distances(answers, np.array(root), solver.turning).min() < 1e-9


def test_the_structure_is_found_from_the_axes() -> None:
    solver = InverseSolver(numeric_chain(mp.load("pucrio")))
    assert solver.explanation == (
        "spherical wrist: axes 4, 5 and 6 meet in one point (a spherical wrist); axes 2 and 3 are parallel"
    )
    assert solver.plan.roles == ("shoulder", "elbow", "wrist")


@pytest.mark.parametrize("c", [-1.3, 0.4, 2.2])
def test_with_the_wrist_straight_only_the_sum_is_determined(c: float) -> None:
    """The text says the difference θ4 − θ6; its own matrices give the sum."""
    solver = InverseSolver(numeric_chain(mp.load("pucrio")))
    one, other = (solver.pose(np.array([0.3, 0.5, 0.2, t, 0.0, c - t])) for t in (0.1, 0.9))
    np.testing.assert_allclose(one, other, atol=1e-15)
    families = {family.text for family in solver(one).families if family is not None}
    assert families == {"θ4 + θ6 = c"}
