"""Branches on a base that stands still: a robot costs what its branches cost alone, and is proved as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.branches import branch_robot, branches_of
from manipula.generation.prepare import Request, prepare

HEAD = 'format = 1\nname = "hand"\nconvention = "urdf"\nangle = "rad"\ninertia_default = 0\ngravity = [0, 1, -9.81]\n'


def joint(name: str, parent: str, k: int, kind: str = "revolute", **more: Any) -> str:
    """A joint of numbers that are nobody's."""
    axis = [(0, 1, 0), (0, -1, 0), (1, 0, 0)][k % 3]
    rows = {
        "name": name, "type": kind, "parent": parent, "xyz": [0.1 * k + 0.07, 0.2, -0.03 * k], "axis": list(axis),
        "mass": 1 + 0.3 * k, "com": [0.02, 0.05 * k + 0.01, -0.2], "limits": [0.2 + k, 1.0 + k], **more,
    }  # fmt: skip
    lines = [f"{key} = {value!r}".replace("'", '"') for key, value in rows.items()]
    return "[[joint]]\n" + "\n".join(lines) + "\ninertia = { xx = 0.01, yy = 0.02, zz = 0.03, xy = 0.004 }\n"


def hand(*, friction: str = "") -> mp.Robot:
    """Two fingers, their rows in turn, on a palm that is fixed; limits leave out 0."""
    palm = '[[joint]]\nname = "palm"\ntype = "fixed"\nparent = "base"\nxyz = [0, 0, 0.1]\nmass = 2\ncom = [0, 0, 0]\n'
    rows = joint("a1", "palm", 0) + friction + joint("b1", "palm", 1) + joint("a2", "a1", 2, "prismatic")
    return mp.Robot.from_text(HEAD + palm + rows + joint("b2", "b1", 3))


@pytest.mark.parametrize("model", ["inverse_dynamics", "gravity"])
def test_a_robot_costs_what_its_branches_cost(model: str) -> None:
    robot = hand()
    asked = prepare(Request(robot, model))
    assert branches_of(asked) == [(0, 2), (1, 3)]
    whole = mp.generate(robot, model)
    alone = [mp.generate(mp.Robot.of(branch_robot(robot, branch)), model).cost for branch in ((0, 2), (1, 3))]
    assert whole.cost.total == sum(cost.total for cost in alone)
    rng = np.random.default_rng(1)
    given = rng.normal(size=(len(whole.inputs), 4))
    plain = mp.generate(robot, model, optimise="none").compile()
    np.testing.assert_allclose(whole.compile()(*given), plain(*given), atol=1e-12)
    assert {answer.link for answer in whole.function.provenance.answers} <= {0, 1, 2, 3, 4}


def test_friction_stays_with_its_joint() -> None:
    robot = hand(friction="friction = { viscous = 0.5, coulomb = 0.2 }\n")
    found = mp.generate(robot, "inverse_dynamics").compile()
    still, moved = np.zeros(4), np.array([1e-9, 0, 0, 0])
    change = found(still, moved, still) - found(still, still, still)
    np.testing.assert_allclose(change, [0.2, 0, 0, 0], atol=1e-6)


@pytest.mark.parametrize("wrench", [False, True])
def test_what_is_not_independent_stays_one_function(wrench: bool) -> None:
    robot = hand()
    assert branches_of(prepare(Request(robot, "inertia_matrix"))) == []
    assert not wrench or branches_of(prepare(Request(robot.at("a2"), "inverse_dynamics", wrench=True))) == []
    letters = mp.Robot.from_text(HEAD + joint("a", "base", 0, mass="ma") + joint("b", "base", 1))
    assert branches_of(prepare(Request(letters, "inverse_dynamics"))) == []
    assert branches_of(prepare(Request(mp.load("puma560"), "inverse_dynamics"))) == []
