"""Ten problems of textbooks: what is printed has the book's terms, each once and no other, up to their order.

Craig: J. J. Craig, Introduction to Robotics, 3rd edition, Pearson 2005.
Spong: M. W. Spong, S. Hutchinson, M. Vidyasagar, Robot Modeling and Control, Wiley 2006.
Siciliano: B. Siciliano, L. Sciavicco, L. Villani, G. Oriolo, Robotics, Springer 2009.
Ogata: K. Ogata, Modern Control Engineering, Prentice Hall.
"""

from __future__ import annotations

from typing import Any

import pytest

import manipula as mp
from tests.book.printed_terms import assert_printed

NOTHING: dict[str, Any] = {"xx": 0, "yy": 0, "zz": 0, "xy": 0, "xz": 0, "yz": 0}


def standard(*rows: tuple[Any, ...]) -> mp.Robot:
    """Rows theta, d, a, alpha in degrees; a third joint that slides is marked by its kind."""
    keys = ("theta", "d", "a", "alpha", "type")
    return mp.Robot.from_dh([dict(zip(keys, row)) for row in rows], convention="standard", angle="deg")


def pose(robot: mp.Robot) -> mp.Model:
    return mp.generate(robot, "pose")


def matrix(*rows: str) -> dict[str, str]:
    """Rows of a book's matrix, entries between bars."""
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    return {f"T[{i},{j}]": cell for i, row in enumerate(cells, 1) for j, cell in enumerate(row, 1)}


def test_planar_two_links() -> None:
    """Spong, example 3.1, the planar elbow manipulator."""
    book = matrix("c12 | -s12 | 0 | a1*c1 + a2*c12", "s12 | c12 | 0 | a1*s1 + a2*s12", "0 | 0 | 1 | 0", "0 | 0 | 0 | 1")
    assert_printed(pose(standard((0, 0, "a1", 0), (0, 0, "a2", 0))), book)


def test_planar_three_links() -> None:
    """Craig, eq. 4.6: the wrist of the three-link planar arm, in his convention and his columns."""
    rows = [(0, 0, 0, "theta1"), (0, "l1", 0, "theta2"), (0, "l2", 0, "theta3")]
    robot = mp.Robot.from_dh(rows, convention="modified", columns="alpha a d theta")
    book = matrix("c123 | -s123 | 0 | l1*c1 + l2*c12", "s123 | c123 | 0 | l1*s1 + l2*s12", "0 | 0 | 1 | 0")
    assert_printed(pose(robot), book)


def test_scara() -> None:
    """Spong, example 3.6. The book multiplies the last turn out: c12*c4 + s12*s4 is c12m4 here, in one letter."""
    robot = standard((0, 0, "a1", 0), (0, 0, "a2", 180), (0, 0, 0, 0, "prismatic"), (0, "d4", 0, 0))
    book = matrix(
        "c12m4 | s12m4 | 0 | a1*c1 + a2*c12", "s12m4 | -c12m4 | 0 | a1*s1 + a2*s12", "0 | 0 | -1 | -d3 - d4",
        "0 | 0 | 0 | 1",
    )  # fmt: skip
    assert_printed(pose(robot), book, names="book")


def test_cylindrical() -> None:
    """Spong, example 3.2, the three-link cylindrical robot."""
    robot = standard((0, "d1", 0, 0), (0, 0, 0, -90, "prismatic"), (0, 0, 0, 0, "prismatic"))
    book = matrix("c1 | 0 | -s1 | -s1*d3", "s1 | 0 | c1 | c1*d3", "0 | -1 | 0 | d1 + d2", "0 | 0 | 0 | 1")
    assert_printed(pose(robot), book, names="book")


WRIST = (
    "c4*c5*c6 - s4*s6 | -c4*c5*s6 - s4*c6 | c4*s5 | c4*s5*d6",
    "s4*c5*c6 + c4*s6 | -s4*c5*s6 + c4*c6 | s4*s5 | s4*s5*d6",
    "-s5*c6 | s5*s6 | c5 | c5*d6",
)


def test_spherical_wrist() -> None:
    """Spong, example 3.3; the wrist's joints are 4, 5, 6 there and 1, 2, 3 in a robot that is a wrist alone."""
    numbers = str.maketrans("456", "123")
    own = [row.replace("d6", "D").translate(numbers).replace("D", "d6") for row in WRIST]
    assert_printed(pose(standard((0, 0, 0, -90), (0, 0, 0, 90), (0, "d6", 0, 0))), matrix(*own, "0 | 0 | 0 | 1"))


def test_stanford() -> None:
    """Spong, example 3.5. (Where the book prints d2 before the bracket of r11 and r12, s1 is meant.)"""
    robot = standard(
        (0, 0, 0, -90), (0, "d2", 0, 90), (0, 0, 0, 0, "prismatic"), (0, 0, 0, -90), (0, 0, 0, 90), (0, "d6", 0, 0)
    )
    book = matrix(
        "c1*(c2*(c4*c5*c6 - s4*s6) - s2*s5*c6) - s1*(s4*c5*c6 + c4*s6)"
        " | c1*(-c2*(c4*c5*s6 + s4*c6) + s2*s5*s6) - s1*(-s4*c5*s6 + c4*c6)"
        " | c1*(c2*c4*s5 + s2*c5) - s1*s4*s5 | c1*s2*d3 - s1*d2 + d6*(c1*c2*c4*s5 + c1*c5*s2 - s1*s4*s5)",
        "s1*(c2*(c4*c5*c6 - s4*s6) - s2*s5*c6) + c1*(s4*c5*c6 + c4*s6)"
        " | -s1*(c2*(c4*c5*s6 + s4*c6) - s2*s5*s6) + c1*(-s4*c5*s6 + c4*c6)"
        " | s1*(c2*c4*s5 + s2*c5) + c1*s4*s5 | s1*s2*d3 + c1*d2 + d6*(c1*s4*s5 + c2*c4*s1*s5 + c5*s1*s2)",
        "-s2*(c4*c5*c6 - s4*s6) - c2*s5*c6 | s2*(c4*c5*s6 + s4*c6) + c2*s5*s6 | -s2*c4*s5 + c2*c5"
        " | c2*d3 + d6*(c2*c5 - c4*s2*s5)",
    )
    assert_printed(pose(robot), book, names="book")


ELBOW = (
    "c1*c23 | -c1*s23 | s1 | c1*(a2*c2 + a3*c23)", "s1*c23 | -s1*s23 | -c1 | s1*(a2*c2 + a3*c23)",
    "s23 | c23 | 0 | d1 + a2*s2 + a3*s23", "0 | 0 | 0 | 1",
)  # fmt: skip


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_elbow_arm(convention: str) -> None:
    """Siciliano, section 2.9, the anthropomorphic arm, on a column of height d1. In the modified convention a3 is in no
    row of the three joints: the hand is a fixed row."""
    upright = standard((0, "d1", 0, 90), (0, 0, "a2", 0), (0, 0, "a3", 0))
    rows: list[dict[str, Any]] = [
        {"alpha": 0, "a": 0, "d": "d1", "theta": 0},
        {"alpha": 90, "a": 0, "d": 0, "theta": 0},
        {"alpha": 0, "a": "a2", "d": 0, "theta": 0},
        {"alpha": 0, "a": "a3", "d": 0, "theta": 0, "type": "fixed"},
    ]
    craigs = mp.Robot.from_dh(rows, convention="modified", angle="deg")
    assert_printed(pose(upright if convention == "standard" else craigs), matrix(*ELBOW))


def test_puma_by_craig() -> None:
    """Craig, eq. 3.14: the pose of the PUMA 560's last frame, in his columns."""
    rows = [(0, 0, 0, 0), (-90, 0, 0, 0), (0, "a2", "d3", 0), (-90, "a3", "d4", 0), (90, 0, 0, 0), (-90, 0, 0, 0)]
    robot = mp.Robot.from_dh(rows, convention="modified", columns="alpha a d theta", angle="deg")
    book = matrix(
        "c1*(c23*(c4*c5*c6 - s4*s6) - s23*s5*c6) + s1*(s4*c5*c6 + c4*s6)"
        " | c1*(c23*(-c4*c5*s6 - s4*c6) + s23*s5*s6) + s1*(c4*c6 - s4*c5*s6)"
        " | -c1*(c23*c4*s5 + s23*c5) - s1*s4*s5 | c1*(a2*c2 + a3*c23 - d4*s23) - d3*s1",
        "s1*(c23*(c4*c5*c6 - s4*s6) - s23*s5*c6) - c1*(s4*c5*c6 + c4*s6)"
        " | s1*(c23*(-c4*c5*s6 - s4*c6) + s23*s5*s6) - c1*(c4*c6 - s4*c5*s6)"
        " | -s1*(c23*c4*s5 + s23*c5) + c1*s4*s5 | s1*(a2*c2 + a3*c23 - d4*s23) + d3*c1",
        "-s23*(c4*c5*c6 - s4*s6) - c23*s5*c6 | -s23*(-c4*c5*s6 - s4*c6) + c23*s5*s6 | s23*c4*s5 - c23*c5"
        " | -a3*s23 - a2*s2 - d4*c23",
    )
    assert_printed(pose(robot), book)


def two_links() -> mp.Robot:
    """Centres of mass at lc1 and lc2 along the links, moments of inertia I1 and I2 about them; gravity along −y."""

    def link(n: int) -> dict[str, Any]:
        frame = {"theta": 0, "d": 0, "a": f"l{n}", "alpha": 0}
        return {**frame, "mass": f"m{n}", "com": [f"lc{n} - l{n}", 0, 0], "inertia": {**NOTHING, "zz": f"I{n}"}}

    return mp.Robot.from_dh([link(1), link(2)], convention="standard").with_gravity(0, "-g", 0)


D11 = "m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*c2) + I1 + I2"
D12 = "m2*(lc2^2 + l1*lc2*c2) + I2"
D22 = "m2*lc2^2 + I2"
H = "-m2*l1*lc2*s2"


@pytest.mark.turn
def test_two_link_dynamics() -> None:
    """Spong, section 7.4, the planar elbow manipulator: d11, d12, d22, the Christoffel symbol h, and the weights."""
    robot = two_links()
    weights = {"g1": "(m1*lc1 + m2*l1)*g*c1 + m2*lc2*g*c12", "g2": "m2*lc2*g*c12"}
    inertia = {"M[1,1]": D11, "M[1,2]": D12, "M[2,1]": D12, "M[2,2]": D22}
    assert_printed(mp.generate(robot, "inertia_matrix"), inertia)
    assert_printed(mp.generate(robot, "gravity"), weights)
    torques = {
        "tau1": f"({D11})*qdd1 + ({D12})*qdd2 + ({H})*(2*qd1*qd2 + qd2^2) + {weights['g1']}",
        "tau2": f"({D12})*qdd1 + ({D22})*qdd2 - ({H})*qd1^2 + {weights['g2']}",
    }
    assert_printed(mp.generate(robot, "inverse_dynamics"), torques)


def test_pendulum_on_a_cart() -> None:
    """Ogata, the inverted pendulum on a cart before it is linearised, a mass m at the end of a rod l: a slide along the
    track, then a turn about an axis across it, by the angle from the vertical."""
    cart = {"theta": 0, "d": 0, "a": 0, "alpha": 90, "type": "prismatic", "mass": "M", "com": [0, 0, 0]}
    rod = {"theta": 0, "d": 0, "a": "l", "alpha": 0, "mass": "m", "com": [0, 0, 0]}
    rows = [{**cart, "inertia": NOTHING}, {**rod, "inertia": NOTHING}]
    robot = mp.Robot.from_dh(rows, convention="standard", angle="deg").with_gravity("-g", 0, 0)
    book = {
        "tau1": "(M + m)*qdd1 + m*l*c2*qdd2 - m*l*s2*qd2^2",
        "tau2": "m*l*c2*qdd1 + m*l^2*qdd2 - m*g*l*s2",
    }
    assert_printed(mp.generate(robot, "inverse_dynamics"), book)
