"""`names="book"`: θ where a joint turns, d where it slides, with their dots, and nothing else is changed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import app
from manipula.errors import InputError, UnknownNameError
from tests.random_robots import random_robot


def renamed(text: str, letters: dict[str, str]) -> str:
    """What the plain text becomes: qdd3 → ddd3, q1 → theta1."""
    return re.sub(r"\bq(d{0,2})(\d+)\b", lambda m: f"{letters[m[2]]}{m[1]}{m[2]}" if m[2] in letters else m[0], text)


@pytest.mark.parametrize("seed", range(12))
def test_only_the_variables_have_other_names(seed: int) -> None:
    """Any mixture of joints, fixed rows between them, models of positions, rates and several at once."""
    robot = mp.Robot.of(random_robot(seed, joints=3 if seed % 6 in (1, 2) else 1 + seed % 2))
    model: Any = ("gravity", "pose", "jacobian", "coriolis", ["pose", "gravity"], "inertia_matrix")[seed % 6]
    made = mp.generate(robot, model, optimise="none", symbolic="all" if seed % 4 == 0 else "auto")
    made = made if seed % 5 else made.only(next(iter(made.outputs)))
    form = ("auxiliary", "factored")[seed % 2]
    kinds = {joint.name: joint.turns for joint in robot.joints}
    letters = {str(i): "theta" if kinds[name] else "d" for i, name in enumerate(robot.joint_names, 1)}
    taken = {name for names in made.inputs.values() for name in names}
    free = {
        i: letter for i, letter in letters.items() if taken.isdisjoint(letter + dots + i for dots in ("", "d", "dd"))
    }
    plain, book = made.equations(form), made.equations(form, names="book")
    assert [(left, renamed(right, free)) for left, right in plain] == list(book)
    assert {x: renamed(y, free) for x, y in plain.legend("text")} == dict(book.legend("text"))


@pytest.mark.turn
def test_a_parameter_keeps_its_name_and_the_variable_q() -> None:
    """An offset d1 beside a slide q1: two things, two names."""
    slide = {"theta": 0, "a": 0, "alpha": 0, "type": "prismatic"}
    turn = {"theta": 0, "a": "l", "alpha": 0}
    robot = mp.Robot.from_dh([{**slide, "d": "h"}, {**turn, "d": "d1"}])
    text = str(mp.generate(robot, "pose").equations("factored", names="book"))
    assert "d1 + h + q1" in text and "cos(theta2)" in text
    free = mp.Robot.from_dh([{**slide, "d": "h"}, {**turn, "d": 0}])
    assert "h + d1" in str(mp.generate(free, "pose").equations("factored", names="book"))


def test_dots_in_every_style() -> None:
    made = mp.generate("planar2r", "inverse_dynamics")
    written = {"text": ("thetadd1", "thetad2"), "unicode": ("θ̈₁", "θ̇₂"), "latex": (r"\ddot{\theta}_{1}",)}
    for style, words in written.items():
        text = str(made.equations("factored", style, names="book"))
        assert all(word in text for word in words) and "q" not in text.replace("quad", "")


def test_units_are_told_at_the_end() -> None:
    made = mp.generate("planar2r", "inverse_dynamics")
    last = str(made.equations("factored", units=True)).splitlines()[-1]
    assert last.startswith("in tau [N·m") and "qdd [rad/s²" in last
    assert r"&\text{in } \tau\ [\text{N·m" in made.latex(units=True)
    assert "in tau" not in str(made.equations("factored"))
    assert made.equations("factored", units=True).as_dict()["units"]["tau"].startswith("N·m")


def test_other_names_and_models_without_joints_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="book"):
        mp.generate("planar2r", "pose").equations(names="booklet")
    with pytest.raises(InputError, match="whose joints turn or slide"):
        mp.trajectory.quintic([0], [1], 1.0).model.equations(names="book")


def test_on_the_command_line() -> None:
    done = CliRunner().invoke(app, ["equations", "scara", "pose", "--form", "factored", "--names", "book", "--units"])
    assert done.exit_code == 0 and "-(d4 + d3)" in done.output and "in T [1, m], theta [rad], d [m]" in done.output
