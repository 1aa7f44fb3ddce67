"""The inverse kinematics of the PUC-Rio arm (dissertation, chapter 6), derived from the axes alone.

Equations 6.21–6.51, corrected, are compared with the steps that the program writes: the same quantities, number for
number, on random poses and every branch. Only the naming of the branches is the program's own.
"""

from __future__ import annotations

from math import acos, atan2, cos, pi, sin
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.derived import Example, Followed, all_signs, solver_branches, turned_apart
from tests.latex_steps import assert_well_formed, values_from_latex

A1, A2, D4, D6 = 0.10, 0.25, 0.16, 0.05
POSES = 6


@pytest.fixture(scope="module")
def example() -> Example:
    return Example(mp.load("pucrio"), seed=3)


@pytest.fixture(scope="module")
def derivation() -> Any:
    return mp.inverse_derivation("pucrio")


@pytest.fixture(scope="module")
def followed(example: Example, derivation: Any) -> list[tuple[Any, Followed]]:
    """(pose, what the derivation gives) of every branch that is there."""
    found = []
    for _ in range(POSES):
        T = example.pose(example.configuration())
        valid = solver_branches(example, T)[1]
        signs = [signs for signs, there in zip(all_signs(derivation), valid, strict=True) if there]
        found += [(T, Followed(derivation, T, example.numbers(), choice)) for choice in signs]
    assert len(found) > 4 * POSES
    return found


def close(a: float, b: float) -> bool:
    return abs(a - b) < 1e-9


def same_angle(a: float, b: float) -> bool:
    return abs((a - b + pi) % (2 * pi) - pi) < 1e-9


def columns(T: Any) -> Any:
    """u, v, w, q"""
    return T[:3].T.tolist()


def test_wrist_centre(followed: list[tuple[Any, Followed]]) -> None:
    """6.21–6.22"""
    for T, at in followed:
        _, _, w, q = columns(T)
        assert all(close(at.values[f"p{axis}"], q[i] - D6 * w[i]) for i, axis in enumerate("xyz"))


def test_first_joint(followed: list[tuple[Any, Followed]]) -> None:
    """6.29–6.30: the arc tangent, or half a turn from it."""
    for _, at in followed:
        x = at.values
        assert close(x["px"] * sin(x["q1"]) - x["py"] * cos(x["q1"]), 0)
        printed = atan2(x["py"], x["px"])
        assert same_angle(x["q1"], printed) or same_angle(x["q1"], printed + pi)


def test_the_equations_of_the_plane(followed: list[tuple[Any, Followed]]) -> None:
    """6.27, and 6.28 with its sign corrected"""
    for _, at in followed:
        x, q1, q2, q23 = at.values, at.values["q1"], at.values["q2"], at.values["q2"] + at.values["q3"]
        assert close(x["px"] * cos(q1) + x["py"] * sin(q1) - A1, A2 * cos(q2) + D4 * sin(q23))
        assert close(x["pz"], A2 * sin(q2) - D4 * cos(q23))


def test_third_joint(followed: list[tuple[Any, Followed]]) -> None:
    """6.31–6.32"""
    for _, at in followed:
        x = at.values
        px, py, pz, c1, s1 = x["px"], x["py"], x["pz"], cos(x["q1"]), sin(x["q1"])
        kappa1 = px**2 + py**2 + pz**2 - 2 * A1 * px * c1 - 2 * A1 * py * s1 + A1**2 - A2**2 - D4**2
        assert close(x["kappa1"], kappa1) and close(x["kappa2"], 2 * A2 * D4)
        assert close(sin(x["q3"]), kappa1 / (2 * A2 * D4))


def test_second_joint(followed: list[tuple[Any, Followed]]) -> None:
    """6.33–6.37"""
    for _, at in followed:
        x = at.values
        mu1, mu2 = A2 + D4 * sin(x["q3"]), -D4 * cos(x["q3"])
        gamma1, gamma2 = x["px"] * cos(x["q1"]) + x["py"] * sin(x["q1"]) - A1, x["pz"]
        assert close(x["mu1"], mu1) and close(x["mu2"], mu2) and close(x["gamma1"], gamma1)
        s2 = (mu1 * gamma2 - mu2 * gamma1) / (mu1**2 + mu2**2)
        c2 = (mu1 * gamma1 + mu2 * gamma2) / (mu1**2 + mu2**2)
        assert same_angle(x["q2"], atan2(s2, c2))


def test_fifth_joint(followed: list[tuple[Any, Followed]]) -> None:
    """6.41, whose arc cosine hides the flip of the wrist"""
    for T, at in followed:
        (wx, wy, wz), x = columns(T)[2], at.values
        c1, s1, c23, s23 = cos(x["q1"]), sin(x["q1"]), cos(x["q2"] + x["q3"]), sin(x["q2"] + x["q3"])
        c5 = wx * c1 * s23 + s1 * s23 * wy - c23 * wz
        assert close(x["m33"], c5)
        assert close(abs(x["q5"]), acos(c5))


def test_fourth_joint(followed: list[tuple[Any, Followed]]) -> None:
    """6.43–6.46"""
    for T, at in followed:
        (wx, wy, wz), x = columns(T)[2], at.values
        c1, s1, c23, s23 = cos(x["q1"]), sin(x["q1"]), cos(x["q2"] + x["q3"]), sin(x["q2"] + x["q3"])
        c4 = (wx * c1 * c23 + wy * s1 * c23 + wz * s23) / sin(x["q5"])
        s4 = (wx * s1 - wy * c1) / sin(x["q5"])
        assert same_angle(x["q4"], atan2(s4, c4))
        assert close(c4, x["m13"] / sin(x["q5"])) and close(s4, x["m23"] / sin(x["q5"]))


def test_sixth_joint(followed: list[tuple[Any, Followed]]) -> None:
    """6.47–6.51"""
    for T, at in followed:
        (u, v, *_), x = columns(T), at.values
        c1, s1, c23, s23 = cos(x["q1"]), sin(x["q1"]), cos(x["q2"] + x["q3"]), sin(x["q2"] + x["q3"])
        c6 = -(u[0] * c1 * s23 + u[1] * s1 * s23 - u[2] * c23) / sin(x["q5"])
        s6 = (v[0] * c1 * s23 + v[1] * s1 * s23 - v[2] * c23) / sin(x["q5"])
        assert same_angle(x["q6"], atan2(s6, c6))
        assert close(c6, -x["m31"] / sin(x["q5"])) and close(s6, x["m32"] / sin(x["q5"]))


def test_every_equation_holds_and_every_branch_reaches_the_pose(
    example: Example, followed: list[tuple[Any, Followed]]
) -> None:
    for T, at in followed:
        assert max(at.checks) < 1e-12
        assert np.abs(example.pose(at.joints(6)) - T).max() < 1e-12


# the text writes u, v, w, q where n, o, a, t stand here
COMPACT = """
px = tx − d₆·ax
s₁·px − c₁·py = 0
γ₁ = a₂·c₂ + d₄·s₂₃
pz = a₂·s₂ − d₄·c₂₃
κ₂ = 2·a₂·d₄
κ₁ = κ₂·s₃
μ₁ = a₂ + d₄·s₃
μ₂ = −d₄·c₃
s₂ = (μ₁·pz − γ₁·μ₂)/(μ₁² + μ₂²)
m₃₃ = s₂₃·(c₁·ax + s₁·ay) − c₂₃·az
m₁₃ = c₄·s₅
m₂₃ = s₄·s₅
s₅ = ±√(m₁₃² + m₂₃²)
c₄ = m₁₃/s₅
m₃₁ = −s₅·c₆
c₆ = −m₃₁/s₅
s₆ = m₃₂/s₅
"""


def test_the_forms_are_the_compact_ones_of_the_text(derivation: Any) -> None:
    lines = [line.strip() for line in str(derivation).splitlines()]
    assert not [line for line in COMPACT.split("\n") if line and line not in lines]


def test_class_roots_and_singular_poses_are_told(derivation: Any) -> None:
    text = str(derivation)
    assert "Axes 4, 5 and 6 meet in one point (a spherical wrist); axes 2 and 3 are parallel." in text
    assert "8 branches: shoulder ±, elbow ±, wrist ±" in text
    assert "Roots: two where κ₁² ≤ κ₂²" in text
    assert "px = py = 0: p lies on axis 1, so θ₁ is arbitrary." in text
    assert "m₁₃ = m₂₃ = 0: axes 4 and 6 are in line; only θ₄ + θ₆ is determined where they point alike" in text


def mirror_rows() -> list[dict[str, Any]]:
    """The arm held by its tool: A⁻¹ = Rx(−α) Tx(−a) Rz(−θ) Tz(−d), so the rows are those of modified DH."""
    a, d, alpha = (A1, A2, 0, 0, 0, 0), (0, 0, 0, D4, 0, D6), (90, 0, 90, -90, 90, 0)
    return [{"theta": 0, "d": -d[i], "a": -a[i], "alpha": -alpha[i]} for i in reversed(range(6))]


def test_the_mirror_image_is_derived_as_well() -> None:
    robot = mp.Robot.from_dh(mirror_rows(), convention="modified", columns="theta d a alpha", angle="deg")
    derived = mp.inverse_derivation(robot)
    assert "Axes 1, 2 and 3 meet in one point" in str(derived)
    assert [step.role for step in derived.steps if step.role] == ["wrist", "elbow", "shoulder"]
    own, mirrored = Example(mp.load("pucrio"), seed=4), Example(robot)
    q = own.configuration()
    T = np.linalg.inv(own.pose(q))
    answers = [
        Followed(derived, T, mirrored.numbers(), signs).joints(6)
        for signs, there in zip(all_signs(derived), solver_branches(mirrored, T)[1], strict=True)
        if there
    ]
    assert all(np.abs(own.pose([-x for x in reversed(found)]) - np.linalg.inv(T)).max() < 1e-12 for found in answers)
    assert min(turned_apart([-x for x in reversed(found)], q, own.chain) for found in answers) < 1e-9


def test_the_other_convention_gives_the_same_steps(example: Example, derivation: Any) -> None:
    robot = mp.convert(mp.load("pucrio"), "modified")
    modified, other = mp.inverse_derivation(robot), Example(robot)
    T = example.pose([0.4, 0.7, -0.3, 1.1, 0.8, -0.5])
    signs = (-1, -1, 1)
    one = Followed(derivation, T, example.numbers(), signs)
    two = Followed(modified, T, other.numbers(), signs)
    for ours, theirs in zip(derivation.steps, modified.steps, strict=True):
        pairs = zip(ours.equations, theirs.equations, strict=True)
        assert max(abs(one.value(a.left) - two.value(b.left)) for a, b in pairs) < 1e-12


def test_the_latex_alone_leads_to_the_joints(example: Example, derivation: Any) -> None:
    latex = derivation.latex()
    assert_well_formed(latex)
    assert derivation._repr_latex_() == latex
    given = {"a_{1}": A1, "a_{2}": A2, "d_{4}": D4, "d_{6}": D6}
    q = example.configuration()
    T = example.pose(q)
    for j, letter in enumerate("noat"):
        given |= {f"{letter}_{{{axis}}}": T[i][j] for i, axis in enumerate("xyz")}
    away = []
    for signs, there in zip(all_signs(derivation), solver_branches(example, T)[1], strict=True):
        if there:
            values, misses = values_from_latex(latex, given, signs)
            found = [values[f"H_{{{i}}}"] for i in range(1, 7)]
            assert max(misses) < 1e-12
            assert np.abs(example.pose(found) - T).max() < 1e-12
            away.append(turned_apart(found, q, example.chain))
    assert min(away) < 1e-9
