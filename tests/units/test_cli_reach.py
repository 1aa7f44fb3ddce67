"""`manipula singularities` and `manipula reach`: what Python says, at the prompt and as JSON."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused

pytestmark = pytest.mark.usefixtures("kept_functions")

__all__ = ["folder"]  # each test in an empty folder
LENGTHS = ("--set", "l1=0.5", "--set", "l2=0.3")


@pytest.mark.parametrize("robot", ["planar2r", "stanford3"])
def test_singularities_are_those_of_python(robot: str) -> None:
    found = mp.singularities(robot)
    assert done("singularities", robot).strip() == str(found)
    assert as_json("singularities", robot) == found.as_dict()
    assert done("singularities", robot, "--latex").strip() == found.latex()


def test_values_take_the_place_of_letters_where_they_are_asked_to() -> None:
    letters, numbers = (
        as_json("singularities", "planar2r", *LENGTHS, *more)["determinants"]["det J"]
        for more in ((), ("--symbolic", "auto"))
    )
    assert "l1" in letters and "l1" not in numbers and "s2" in numbers


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(3))
def test_reach_is_that_of_two_links(seed: int, folder: Path) -> None:
    rng = np.random.default_rng(seed)
    l1, l2 = (round(float(x), 3) for x in rng.uniform(0.1, 1, 2))
    lengths = ("--set", f"l1={l1}", "--set", f"l2={l2}", "--seed", str(seed))
    told = as_json("reach", "planar2r", *lengths)
    assert np.allclose([told["outer"], told["inner"]], [l1 + l2, abs(l1 - l2)], atol=1e-6)
    for q, distance in ((told["q_outer"], told["outer"]), (told["q_inner"], told["inner"])):
        tool = l1 * np.exp(1j * q[0]) + l2 * np.exp(1j * (q[0] + q[1]))
        assert abs(tool) == pytest.approx(distance, abs=1e-9)
    text = done("reach", "planar2r", *lengths)
    assert f"{l1 + l2:.4g} m from the first joint" in text and "farthest at q = (" in text


@pytest.mark.parametrize(
    "words, told",
    [
        (("singularities", "panda"), "up to three joints"),
        (("singularities", "planar2"), "no robot is called 'planar2'"),
        (("singularities", "planar2r", "--latex", "--json"), "choose one of --latex and --json"),
        (("singularities", "planar2r", "--symbolic", "l9"), "l9"),
        (("reach", "planar2r"), "needs a value for l1, l2; --set l1=VALUE"),
        (("reach", "rp"), "slides without limits|needs a value"),
        (("reach", "planar2r", *LENGTHS, "--seed", "-1"), "seed"),
        (("reach", "planar2r", *LENGTHS, "--lock", "q9=0"), "q9"),
    ],
)
def test_what_is_wrong_is_told(words: tuple[str, ...], told: str, whole: Sentences) -> None:
    assert re.search(told, whole.compare(refused(*words)))
