"""What follows from a request is worked out once, and for that request alone."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import manipula as mp
from manipula.algebra.optimise.passes import run_passes
from manipula.algebra.optimise.search.ways import text_from_function
from manipula.generation import arm_structure as structures
from manipula.generation import column_ranking
from manipula.generation import prepare as preparing
from manipula.generation.build import Ground, build_function
from manipula.generation.prepare import Formulation, Prepared, Request, prepare
from manipula.mechanics.models.dynamics import moving_bodies
from manipula.mechanics.models.dynamics.choices import UNIT
from manipula.mechanics.models.entry import FIELD
from manipula.mechanics.models.inverse import classify
from tests.random_robots import random_robot

ROOM = Path(structures.__file__).parent


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the costly studies of an arm are made, from now on."""
    counted: Counter[str] = Counter()
    monkeypatch.setenv("MANIPULA_CACHE", "off")

    def count(module: Any, name: str) -> None:
        right: Callable[..., Any] = getattr(module, name)

        def noted(*given: Any) -> Any:
            counted[name] += 1
            return right(*given)

        monkeypatch.setattr(module, name, noted)

    for module, name in (
        (classify, "classify"),
        (column_ranking, "ranking_of"),
        (moving_bodies, "slid_back"),
        (structures, "frames_on_joints"),
    ):
        count(module, name)
    for name in ("questions", "field_questions"):
        count(preparing, name)
    return counted


def test_one_model_studies_its_arm_once(calls: Counter[str]) -> None:
    mp.generate("stanford3", "inverse_dynamics")
    methods = prepare(Request(mp.load("stanford3"), "inverse_dynamics")).methods
    assert calls["questions"] == len(methods) and calls["field_questions"] <= 1
    assert calls["frames_on_joints"] == 1 and calls["classify"] == calls["ranking_of"] == 0


@pytest.mark.parametrize(("robot", "draws"), [("ur5", 1), ("planar2r", 2)])
def test_inverse_kinematics_classifies_once(calls: Counter[str], robot: str, draws: int) -> None:
    """Letters are drawn twice, because two draws must agree."""
    mp.generate(robot, "inverse_kinematics")
    assert calls["classify"] == draws


def test_a_regressor_ranks_once(calls: Counter[str]) -> None:
    mp.generate("stanford3", ["base_regressor", "gravity"])
    assert calls["ranking_of"] == 1


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_shared_between_robots(seed: int) -> None:
    """Two robots of one name, one after the other, in both orders: each has the answers it has alone."""
    kinds = ("RRR", "RPR", "RRRR", "FRRP", "RRRRRR", "PRF")
    robots = [random_robot(seed + k, joints=kinds[(seed + k) % len(kinds)]) for k in (0, 1)]
    pair = [mp.Robot.of(replace(robot, name="twin")) for robot in robots]
    alone = [_answers(prepare(Request(robot, "inverse_dynamics"))) for robot in pair]
    again = [_answers(prepare(Request(robot, "inverse_dynamics"))) for robot in reversed(pair)]
    assert alone == again[::-1] and alone[0] != alone[1]


def _answers(asked: Prepared) -> tuple[Any, ...]:
    structure = asked.structure
    return (
        structure.free,
        structure.plan,
        structure.slides,
        structure.column_ranking,
        asked.questions(FIELD),
        asked.inputs,
    )


def test_another_question_about_the_same_robot_has_its_own_answers() -> None:
    asked = prepare(Request(mp.load("puma560_symbolic"), "inverse_dynamics"))
    pushed = asked.with_request(wrench=True)
    assert pushed.structure is asked.structure
    assert UNIT in {x.topic for x in asked.questions(FIELD)} - {x.topic for x in pushed.questions(FIELD)}
    assert "wrench" in pushed.inputs and "wrench" not in asked.inputs
    assert asked.with_request(model="pose").name == "puma560_symbolic_pose"
    assert asked.with_request(parameters="full").questions(FIELD) != asked.questions(FIELD)


def test_no_table_of_robots_outlives_a_request() -> None:
    """Answers live in the request's own values, so a program that makes thousands of robots keeps none of them."""
    for path in ROOM.rglob("*.py"):
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        taken = {
            x.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module == "functools"
            for x in node.names
        }
        whole = {x.name for node in nodes if isinstance(node, ast.Import) for x in node.names}
        assert not taken & {"lru_cache", "cache"} and "functools" not in whole, path


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(4))
def test_drafts_on_one_ground_are_those_on_their_own(seed: int) -> None:
    """In any order, whatever was drafted and optimised before: the same nodes in the same places."""
    model = ("inverse_dynamics", "pose", "forward_dynamics", "inertia_matrix")[seed % 4]
    asked = prepare(Request(mp.Robot.of(random_robot(seed, joints=1 + seed % 4, screws=seed % 3 == 0)), model))
    draw = Random(seed)
    choices = []
    for method in asked.methods:
        questions = {question.topic: question.answers for question in asked.questions(method)}
        for _ in range(3):
            answers = {topic: draw.choice(list(found)) for topic, found in questions.items() if draw.random() < 0.5}
            choices.append(Formulation(method, tuple(answers.items())))
    ground = Ground(asked)
    for choice in draw.sample(choices, len(choices)) * 2:
        try:
            alone = build_function(asked, choice)
        except ZeroDivisionError:
            with pytest.raises(ZeroDivisionError):
                build_function(asked, choice, ground.clear())
            continue
        shared = build_function(asked, choice, ground.clear())
        assert text_from_function(shared) == text_from_function(alone)
        assert text_from_function(run_passes(shared)) == text_from_function(run_passes(alone))


def test_parameters_are_listed_in_the_order_of_the_file() -> None:
    """The same sentence in every process: sets of texts have another order in each."""
    with pytest.raises(mp.InputError) as said:
        mp.generate("puma560", "gravity", symbolic=["mass of link 3"])
    listed = str(said.value).partition("Known: ")[2].rstrip(".").split(", ")
    for letter in ("m", "rx", "fv"):
        assert [name for name in listed if name.rstrip("123456") == letter] == [f"{letter}{i + 1}" for i in range(6)]
