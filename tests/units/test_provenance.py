"""Where a function comes from is data: written to files and read back whole, printed last, read back from no text."""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import replace
from typing import Any

import pytest

import manipula as mp
from manipula.algebra.expr.provenance import NOWHERE, Answered, Provenance, Share, provenance_from_dict
from manipula.algebra.optimise.search.ways import function_from_text, text_from_function
from manipula.generation.build import build_function
from manipula.generation.prepare import Formulation, Request, prepare
from manipula.mechanics.models.dynamics.choices import Component, Mass
from manipula.mechanics.models.entry import FIELD
from tests.random_robots import random_robot

ODD = ("", "a b", "x; y: z", "1: 2, 3", "é", '"', "\n", "joint 1, joint 2")


def drawn(seed: int, deep: bool = True) -> Provenance:
    """Every field may be there or not, and names hold whatever our own texts use to separate."""
    draw = random.Random(seed)

    def words(most: int = 3) -> tuple[str, ...]:
        return tuple(draw.choice(ODD) for _ in range(draw.randint(0, most)))

    answers = tuple(Answered(draw.choice(ODD), draw.randint(0, 9), draw.choice(ODD)) for _ in range(draw.randint(0, 3)))
    values = tuple((name, draw.uniform(-1, 1)) for name in words())
    some: dict[str, Any] = {
        "robot": draw.choice(ODD), "model": draw.choice(ODD), "method": draw.choice(ODD), "answers": answers,
        "joints": words(), "columns": words(), "parameters": draw.choice((None, (), words())),
        "proof": draw.choice(ODD),
        "search": draw.choice(("", "limited", "interrupted")),
        "approximate": draw.choice((None, Share(draw.randint(0, 9), 9))), "values": values,
        "parts": tuple(drawn(seed + k, False) for k in (1, 2)) if deep and draw.random() < 0.5 else (),
    }  # fmt: skip
    return Provenance(**{name: value for name, value in some.items() if draw.random() < 0.7})


@pytest.mark.parametrize("seed", range(60))
def test_plain_data_and_back(seed: int) -> None:
    origin = drawn(seed)
    assert provenance_from_dict(json.loads(json.dumps(origin.as_dict()))) == origin
    assert all(isinstance(text, str) for text in origin.texts().values())


@pytest.mark.parametrize("seed", range(6))
def test_stored_and_pickled_functions_keep_it(seed: int) -> None:
    function = replace(mp.generate("planar2r", "gravity", optimise="none").function, provenance=drawn(seed))
    assert function_from_text(text_from_function(function)) == function
    assert pickle.loads(pickle.dumps(function)) == function


WRONG: list[Any] = [
    None, [], "robot", {"robt": "x"}, {"robot": 1}, {"joints": "abc"}, {"joints": [1]}, {"search": "maybe"},
    {"answers": [["slide", "4", "back"]]}, {"answers": [["slide", 4]]}, {"answers": [["slide", True, "back"]]},
    {"approximate": [1]}, {"approximate": [1.5, 2]}, {"values": [["x", "1"]]},
    {"parts": [{"robot": 2}]}, {"parts": ["x"]},
]  # fmt: skip


@pytest.mark.parametrize("said", WRONG, ids=str)
def test_other_data_is_refused(said: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        provenance_from_dict(said)
    text = text_from_function(mp.generate("planar2r", "gravity", optimise="none").function)
    raw = json.loads(text)
    raw["provenance"] = said
    with pytest.raises(ValueError):
        function_from_text(json.dumps(raw))


def test_nothing_said_is_nothing() -> None:
    assert NOWHERE.as_dict() == {} and NOWHERE.texts() == {}


@pytest.mark.parametrize("seed", range(8))
def test_what_was_asked_is_what_is_noted(seed: int) -> None:
    """Names with commas and blanks in them stay one name; every answer drawn is the answer noted."""
    draw, robot = random.Random(seed), mp.Robot.of(random_robot(seed, joints=2 + seed % 3))
    joints = tuple(replace(x, name=f"{x.name}, {k}; a: b") for k, x in enumerate(robot.joints))
    robot = mp.Robot.of(replace(robot, joints=joints, name="arm; no: 2"))
    asked = prepare(Request(robot, "inverse_dynamics"))
    questions = draw.sample(asked.questions(FIELD), 3)
    picked = {question.topic: draw.choice(question.answers) for question in questions}
    try:
        function = build_function(asked, Formulation(FIELD, tuple(picked.items())))
    except ZeroDivisionError:
        pytest.skip("measured in a lever that is none")
    origin = function.provenance
    assert origin.joints == tuple(robot.joint_names) and len(origin.joints) == robot.dof
    assert {(x.question, x.link): x.answer for x in origin.answers} == {
        (topic.kind, topic.link): str(answer) for topic, answer in picked.items()
    }


def test_answers_print_as_people_write_them() -> None:
    assert [str(Component(4, 1)), str(Component(12, 2)), str(Mass(3))] == ["4y", "12z", "3m"]
    assert str(Answered("slide", 12, "back")) == "slide 12: back" and str(Answered("unit", 0, "4y")) == "unit: 4y"


def test_a_joined_function_says_where_each_part_comes_from() -> None:
    joined = mp.generate("planar2r", ["pose", "gravity"], optimise="none")
    assert [part.model for part in joined.provenance.parts] == ["pose", "gravity"]
    lines = joined.explain().splitlines()
    assert [line for line in lines if line.startswith("method: ")] == [
        f"method: {part.model} by {part.method}" for part in joined.provenance.parts
    ]
