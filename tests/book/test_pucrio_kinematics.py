"""Direct kinematics of the six-joint arm of a PUC-Rio dissertation (chapter 6), equations 6.9 to 6.20.

Standard Denavit–Hartenberg: a = 0.10, 0.25 m on the first two links, d4 = 0.16, d6 = 0.05 m, α = 90, 0, 90, −90, 90, 0.
As printed, three of the twelve closed forms contradict that table and are corrected here: in 6.14 the first product of
the parenthesis ends in s6, 6.15 ends in s5, 6.16 begins with s1 (what the product of the table's matrices gives, and
what makes the frame orthonormal). The table is right; 6.4 and 6.5, which exchange the signs of α4 and α5, are not.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from manipula.mechanics.models.kinematics.pose_ways import FURTHER_WAYS, WAYS
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import Joint, RobotDescription, Step, actuator_of, cell_with_value
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.parameter import Deg, number
from manipula.mechanics.spatial.floats import FLOATS

A1, A2, D4, D6 = 0.10, 0.25, 0.16, 0.05
TABLE = ((A1, 0, 90), (A2, 0, 0), (0, 0, 90), (0, D4, -90), (0, 0, 90), (0, D6, 0))
CONFIGURATIONS = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.3, -0.5, 0.8, 1.1, -0.7, 0.2],
    [-2.1, 1.3, -0.4, 2.9, 1.6, -2.2],
    [1.57, 0.9, 2.4, -1.2, 0.05, 3.0],
]


@pytest.fixture(scope="module")
def chain() -> Tree:
    rows = [
        Joint(
            name=f"joint{row}", kind="revolute", before=(), offset=cell_with_value("theta"), direction=1,
            after=(
                Step("tz", cell_with_value(f"d{row}", number(d))),
                Step("tx", cell_with_value(f"a{row}", number(a))),
                Step("rx", cell_with_value(f"alpha{row}", Deg(Fraction(alpha)))),
            ),
            body=None, actuator=actuator_of(str(row)),
        )
        for row, (a, d, alpha) in enumerate(TABLE, 1)
    ]  # fmt: skip
    robot = RobotDescription(
        "pucrio", tuple(rows), (cell_with_value("gx"), cell_with_value("gy"), cell_with_value("gz"))
    )
    return bind(robot, FLOATS, {})


def closed_form(q: list[float]) -> Any:
    """Rows of [u v w q]."""
    (c1, c2, _, c4, c5, c6), (s1, s2, _, s4, s5, s6) = [math.cos(x) for x in q], [math.sin(x) for x in q]
    c23, s23 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    along = c23 * (c4 * c5 * c6 - s4 * s6) - s23 * s5 * c6
    across = -c23 * (c4 * c5 * s6 + s4 * c6) + s23 * s5 * s6
    reach = c23 * c4 * s5 + s23 * c5
    out = A1 + A2 * c2 + D4 * s23 + D6 * reach
    return np.array(
        [
            [
                c1 * along + s1 * (s4 * c5 * c6 + c4 * s6),  # 6.9
                c1 * across + s1 * (-s4 * c5 * s6 + c4 * c6),  # 6.12
                c1 * reach + s1 * s4 * s5,  # 6.15
                c1 * out + D6 * s1 * s4 * s5,  # 6.18
            ],
            [
                s1 * along - c1 * (s4 * c5 * c6 + c4 * s6),  # 6.10
                s1 * across - c1 * (-s4 * c5 * s6 + c4 * c6),  # 6.13
                s1 * reach - c1 * s4 * s5,  # 6.16
                s1 * out - D6 * c1 * s4 * s5,  # 6.19
            ],
            [
                s23 * (c4 * c5 * c6 - s4 * s6) + c23 * s5 * c6,  # 6.11
                -s23 * (c4 * c5 * s6 + s4 * c6) - c23 * s5 * s6,  # 6.14
                s23 * c4 * s5 - c23 * c5,  # 6.17
                A2 * s2 - D4 * c23 + D6 * (s23 * c4 * s5 - c23 * c5),  # 6.20
            ],
        ]
    )


@pytest.mark.parametrize("way", [*WAYS, *FURTHER_WAYS])
@pytest.mark.parametrize("q", CONFIGURATIONS)
def test_equations_6_9_to_6_20(chain: Tree, way: str, q: list[float]) -> None:
    at = (WAYS | FURTHER_WAYS)[way](chain, q)
    np.testing.assert_allclose(np.array(at.rows(), dtype=float)[:3], closed_form(q), atol=1e-15)


def test_stretched_out(chain: Tree) -> None:
    """θ3 = 90° puts the forearm in line with the upper arm: a1 + a2 + d4 + d6 from the first axis, at its height."""
    at = WAYS["forward"](chain, [0, 0, math.pi / 2, 0, 0, 0])
    assert at.p == pytest.approx((A1 + A2 + D4 + D6, 0, 0))
    assert closed_form([0, 0, math.pi / 2, 0, 0, 0])[:, 3] == pytest.approx(at.p)


def test_the_signs_of_the_table_matter(chain: Tree) -> None:
    """With α4 and α5 exchanged, as 6.4 and 6.5 print them, the closed forms do not follow."""
    links = list(chain.links)
    links[3], links[4] = (
        replace(links[i], after=replace(links[i].after, R=links[j].after.R)) for i, j in ((3, 4), (4, 3))
    )
    wrong = WAYS["forward"](replace(chain, links=tuple(links)), CONFIGURATIONS[1])
    assert np.abs(np.array(wrong.rows(), dtype=float)[:3] - closed_form(CONFIGURATIONS[1])).max() > 0.1
