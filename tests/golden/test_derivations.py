"""Derivations, word for word: what is said of an arm changes only when that is meant; that its formulas hold is proved
in `tests/laws/test_derivation.py`. `pytest tests/golden/test_derivations.py --update` accepts the texts of today."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import manipula as mp
from tests.laws.test_derivation import ARMS, FEW, POSITIONS, mirrored, rows_of, rows_of_case

TEXTS = Path(__file__).parent / "derivations"
ON_PAPER = ("puma560", "ur5", "iiwa14", "planar2r", "RR")  # in LaTeX, Typst and as data too
PLAIN = str.maketrans({" ": "_", ",": "", "×": "x", "∥": "-"})  # what every file system takes
POINTS = [case for case in POSITIONS if case not in ("1×2", "2×3")]  # theirs take long
CASES = (*ARMS, *FEW, *(f"point {case}" for case in POINTS), "wrist RPP")


def robot_of(case: str) -> mp.Robot:
    if case in ARMS:
        return mp.load(case)
    if case in FEW:
        keys = ("alpha", "a", "d", "type")
        rows = [dict(zip(keys, (*row, "revolute")[:4], strict=True)) | {"theta": 0} for row in FEW[case]]
        return mp.Robot.from_dh(rows, angle="deg", convention="standard")
    what, _, place = case.partition(" ")
    rows = rows_of_case(place)
    return mp.Robot.from_dh(rows[:3]).with_tool(xyz=(0.1, 0.2, 0.3)) if what == "point" else mp.Robot.from_dh(rows)


def assert_golden(name: str, text: str, update: bool) -> None:
    file = TEXTS / f"{name.translate(PLAIN)}.txt"
    if update:
        TEXTS.mkdir(exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8", newline="\n")
    assert text + "\n" == file.read_text(encoding="utf-8"), "if the change is meant: --update, and read the diff"


@pytest.mark.parametrize("case", CASES)
def test_the_words_of_a_derivation(case: str, request: pytest.FixtureRequest) -> None:
    derivation, update = mp.inverse_derivation(robot_of(case)), request.config.getoption("--update")
    assert_golden(case, f"{derivation!r}\n\n{derivation}", update)
    if case in ON_PAPER:
        told = [json.dumps(derivation.as_dict(latex), indent=1, ensure_ascii=False) for latex in (False, True)]
        paper = [derivation.latex(), derivation.typst(), derivation._repr_markdown_(), *told]
        assert_golden(f"{case} on paper", "\n\n%%\n\n".join(paper), update)


@pytest.mark.parametrize("name", ["puma560", "scara"])
def test_the_words_of_a_mirror_image(name: str, request: pytest.FixtureRequest) -> None:
    derivation = mp.inverse_derivation(mirrored(rows_of(name)))
    assert_golden(f"mirrored {name}", str(derivation), request.config.getoption("--update"))


@pytest.mark.parametrize("name", ["stanford3", "planar2r", "rp"])
def test_the_words_of_a_pose_of_few_joints(name: str, request: pytest.FixtureRequest) -> None:
    derivation = mp.inverse_derivation(mp.load(name), task="pose")
    assert_golden(f"pose of {name}", str(derivation), request.config.getoption("--update"))
