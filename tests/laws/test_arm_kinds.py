"""An arm is solved by its kind, which is data: what its class is called, and why, is for people alone."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.ik import inverse
from manipula.ik.inverse import InverseSolver
from manipula.mechanics.models.inverse import classify as classifying
from manipula.mechanics.models.inverse.plan import ArmKind, Plan
from tests.laws.test_descent import odd_arm

WORDS = {"RRRRRR": ArmKind.SIX, "RRRR": ArmKind.FEWER, "RRPRRR": ArmKind.NUMERIC, "RRRRRRRR": ArmKind.NUMERIC}


@pytest.mark.parametrize("word", WORDS)
def test_odd_arms_have_the_kind_of_their_joints(word: str) -> None:
    plan = classifying.classify(numeric_chain(odd_arm(random.Random(word), word)))
    assert plan.kind is WORDS[word] and not plan.has_closed_form and plan.has_code == (plan.kind is ArmKind.SIX)


@pytest.mark.parametrize("name", ["puma560", "ur5", "scara", "panda", "planar2r", "pucrio"])
def test_named_arms_are_closed(name: str) -> None:
    plan = classifying.classify(numeric_chain(mp.load(name)))
    assert plan.kind is ArmKind.CLOSED and plan.has_code
    assert len(plan.settings) == 2 ** len(plan.roles) and list(plan.settings) == plan.branch_names


TITLES = {"RRRRRRR": "7 joints, one held, general 6R", "PRRRRRR": "7 joints, numeric", "RRRRRRRR": "redundant"}


@pytest.mark.parametrize("word", [*TITLES, "RRPRRR", "RRRR", "HRRRRR", "puma560", "scara", "panda", "planar2r"])
def test_a_plan_says_its_title_its_branches_and_its_reason(word: str) -> None:
    """The title is a heading, the reason a sentence of its own."""
    robot = mp.load(word) if word in mp.robots() else odd_arm(random.Random(word), word)
    plan = classifying.classify(numeric_chain(robot))
    assert plan.title == TITLES.get(word, plan.title) and len(plan.title) < len(plan.sentence)
    count = len(plan.branch_names)
    form = f"closed form, {count} branch{'es' * (count > 1)}" if plan.has_closed_form else "no closed form"
    told = re.fullmatch(r"<inverse kinematics, ([^:]+): ([^;]+); (.+)>", repr(plan))
    assert told is not None and told.groups() == (plan.title, form, plan.sentence)
    assert (f"the arm has {robot.dof} joints" in plan.sentence) == (robot.dof > 7)
    if not plan.has_closed_form:
        assert "numeric" in plan.sentence or "elimination" in plan.sentence


@pytest.mark.turn
@pytest.mark.drawn("word")
@pytest.mark.parametrize("word", ["RRRRRR", "RRRR", "ur5", "stanford"])
def test_no_words_decide(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same answers where every title and every sentence is another."""
    robot = mp.load(word) if word in mp.robots() else odd_arm(random.Random(word), word)
    chain, q = numeric_chain(robot), np.linspace(-0.7, 0.9, robot.dof)
    told = InverseSolver(chain)
    T = told.pose(q)

    def silent(*given: Any) -> Plan:
        return replace(classifying.classify(*given), title="general 6R", sentence="", placing="")

    monkeypatch.setattr(inverse, "classify", silent)
    mute = InverseSolver(chain)
    assert (mute.general is None) == (told.general is None)
    assert len(told(T).q) and np.array_equal(mute(T, q).q, told(T, q).q)


def test_a_path_tells_the_roles_that_change() -> None:
    """By the signs of the branches, not by their names."""
    plan = Plan("x", "", "", "", ("elbow, left", "wrist"))
    assert plan.branch_names[1] == "elbow, left +, wrist −"
    assert plan.settings["elbow, left +, wrist −"] == ("+", "−")
