"""`manipula ik`: classes in words, every branch on the screen and in JSON, mistakes in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, refused

pytestmark = pytest.mark.usefixtures("kept_functions")  # every command is a program of its own
Q = {
    "pucrio": [0.3, 0.5, 0.2, 0.4, 0.8, -0.6],
    "puma560": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    "ur5": [0.3, -1.1, 0.9, 0.4, 0.8, -0.6],
    "iiwa14": [0.1, 0.6, -0.3, -1.2, 0.4, 0.9, 0.2],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MANIPULA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(numbers: Any) -> str:
    return " ".join(map(repr, np.ravel(numbers).tolist()))


def distance(answer: Any, q: Any) -> float:
    return float(np.abs(np.array(answer["answers"]) - q).max(1).min())


# the class


def test_without_a_pose_it_tells_the_class_and_how_to_emit() -> None:
    text = done("ik", "pucrio")
    assert "axes 4, 5 and 6 meet in one point" in text
    assert "8 branches: shoulder ±, elbow ±, wrist ±" in text
    assert "manipula generate pucrio -m inverse_kinematics -l c -o out/" in text


@pytest.mark.turn
def test_what_it_says_can_be_run() -> None:
    told = as_json("ik", "cobra600")
    done(*told["emit"].split()[1:])
    assert "atan2" in done(*told["formulas"].split()[1:])
    assert list(Path("out").glob("*.c"))


@pytest.mark.turn
@pytest.mark.parametrize(
    ("name", "title", "count"),
    [("puma560", "spherical wrist", 8), ("ur5", "three parallel axes", 8), ("cobra600", "SCARA", 2)],
)
def test_the_class_in_json(name: str, title: str, count: int) -> None:
    told = as_json("ik", name)
    assert (told["class"], told["branch_count"], told["closed_form"]) == (title, count, True)
    assert mp.Arm(name).inverse_solver.explanation == f"{told['class']}: {told['why']}"


def test_a_redundant_arm_names_its_parameter() -> None:
    assert as_json("ik", "iiwa14")["free"] == "arm angle"
    assert "for each value of the free parameter (arm angle)" in done("ik", "iiwa14")


@pytest.mark.turn
def test_an_arm_without_closed_form_says_so(folder: Path) -> None:
    rows = "\n".join(f"0.{i}3,0.{i}1,{20 + 10 * i},0" for i in range(1, 7))
    (folder / "odd.csv").write_text(f"a,d,alpha,theta\n{rows}\n", encoding="utf-8")
    done("new", "odd", "--from", "odd.csv", "--convention", "standard", "--angle", "deg", "--length", "m")
    told = as_json("ik", "odd")
    assert (told["class"], told["emit"]) == ("general 6R", "manipula generate odd -m inverse_kinematics -l c -o out/")
    assert "no closed form" in done("ik", "odd")
    q = [0.3, 0.5, 0.2, 0.4, 0.8, -0.6]
    assert distance(as_json("ik", "odd", "--q", words(q)), q) < 1e-8


# answers


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", Q)
def test_the_original_configuration_is_among_the_answers(name: str) -> None:
    answer = as_json("ik", name, "--q", words(Q[name]))
    assert distance(answer, Q[name]) < 1e-9
    kept = [row for row in answer["branches"] if row["kept"]]
    assert len(kept) == len(answer["answers"])
    assert all(row["residual"] < 1e-12 and not row["why"] for row in kept)
    assert all(row["why"] for row in answer["branches"] if not row["kept"])
    for row in kept:
        assert row["q"] == answer["answers"][row["answer"] - 1]


@pytest.mark.turn
@pytest.mark.parametrize("nested", [True, False])
def test_a_pose_from_a_file_and_from_numbers(folder: Path, nested: bool) -> None:
    T = mp.Arm("ur5").pose(Q["ur5"])
    (folder / "pose.json").write_text(json.dumps({"pose": T.tolist()} if nested else T.ravel().tolist()))
    filed, written = as_json("ik", "ur5", "--pose", "pose.json"), as_json("ik", "ur5", "--pose", words(T))
    assert filed == written
    assert distance(filed, Q["ur5"]) < 1e-9


def test_what_json_prints_can_be_given_again(folder: Path) -> None:
    answer = as_json("ik", "pucrio", "--q", words(Q["pucrio"]))
    (folder / "again.json").write_text(json.dumps(answer))
    assert as_json("ik", "pucrio", "--pose", "again.json") == answer


def test_a_seed_puts_the_nearest_first() -> None:
    answer = as_json("ik", "pucrio", "--q", words(Q["pucrio"]), "--seed", words(Q["pucrio"]))
    np.testing.assert_allclose(answer["answers"][0], Q["pucrio"], atol=1e-9)


def test_the_table_has_every_branch_and_every_reason() -> None:
    text = done("ik", "pucrio", "--q", words(Q["pucrio"]))
    assert "4 answers of 8 branches" in text
    for row in as_json("ik", "pucrio", "--q", words(Q["pucrio"]))["branches"]:
        assert row["name"] in text and row["why"] in text
    assert "# 1, 2, 3, 4 rejected: out of reach" in text
    assert "q1 (rad)" in text and "0.300000" in text


@pytest.mark.turn
def test_degrees_are_read_and_shown() -> None:
    text = done("ik", "stanford", "--q", "10 20 0.5 30 40 50", "--degrees")
    for part in ("q1 (deg)", "q3 (m)", "10.000000", "20.000000", "0.500000", "50.000000"):
        assert part in text
    answer = as_json("ik", "stanford", "--q", "10 20 0.5 30 40 50", "--degrees")
    assert distance(answer, [*np.radians([10, 20]), 0.5, *np.radians([30, 40, 50])]) < 1e-9


@pytest.mark.turn
def test_limits_reject_with_a_reason_and_a_margin() -> None:
    rows = as_json("ik", "puma560", "--q", "10 20 30 40 0 60", "--degrees")["branches"]
    outside = [row for row in rows if "is outside its limits" in row["why"]]
    assert outside and all(min(row["margin"]) < 0 for row in outside)
    assert all(min(row["margin"]) >= 0 for row in rows if row["kept"])


def test_a_singular_pose_names_its_family() -> None:
    q = [0.1, 0.2, 0.3, 0.4, 0.0, 0.6]
    assert "one of infinitely many: θ4 + θ6 = c" in done("ik", "puma560", "--q", words(q))
    seeded = as_json("ik", "puma560", "--q", words(q), "--seed", words(q))
    np.testing.assert_allclose(seeded["answers"][0], q, atol=1e-9)


@pytest.mark.turn
def test_out_of_reach_tells_how_far() -> None:
    T = np.eye(4)
    T[0, 3] = 3.0
    answer = as_json("ik", "ur5", "--pose", words(T))
    assert answer["answers"] == []
    near = answer["nearest"]
    assert near["distance"] == pytest.approx(np.linalg.norm(mp.Arm("ur5").pose(near["q"]) - T), rel=1e-6)
    text = done("ik", "ur5", "--pose", words(T))
    assert "Out of reach: the nearest pose is" in text and "Nearest configuration" in text


def test_the_parameter_of_a_redundant_arm() -> None:
    fixed = as_json("ik", "iiwa14", "--q", words(Q["iiwa14"]))["parameter"]
    assert fixed == pytest.approx(mp.Arm("iiwa14").inverse_solver.parameter_of(Q["iiwa14"]))
    T = mp.Arm("iiwa14").pose(Q["iiwa14"])
    given = as_json("ik", "iiwa14", "--pose", words(T), "--parameter", str(np.degrees(fixed)), "--degrees")
    assert distance(given, Q["iiwa14"]) < 1e-9
    assert len(as_json("ik", "iiwa14", "--pose", words(T))["branches"]) == 16 * 8


# the derivation


@pytest.mark.turn
def test_the_derivation_is_printed_step_by_step() -> None:
    text = done("ik", "pucrio", "--derive")
    assert text == f"{mp.inverse_derivation('pucrio')}\n"
    assert as_json("ik", "pucrio")["derivation"] == "manipula ik pucrio --derive"


@pytest.mark.turn
def test_the_derivation_as_latex_and_as_json() -> None:
    derivation = mp.inverse_derivation("rx90")
    assert done("ik", "rx90", "--derive", "--latex") == f"{derivation.latex()}\n"
    assert as_json("ik", "rx90", "--derive") == derivation.as_dict()
    assert as_json("ik", "rx90", "--derive", "--latex")["latex"] == derivation.latex()


def test_a_derivation_needs_no_numbers_but_a_closed_form() -> None:
    assert "c₂ = κ₁/κ₂" in done("ik", "scara", "--derive")
    assert "gen3: no derivation, there is no closed form" in refused("ik", "gen3", "--derive")
    assert "has no use for a pose" in refused("ik", "ur5", "--derive", "--q", "0 0 0 0 0 0")


# mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pose", "1 2 3"], "--pose: expected 16 numbers"),
        (["--pose", words(np.diag([2, 1, 1, 1]))], "is not a rotation: RᵀR differs from 1 by 3"),
        (["--pose", words(np.diag([-1, 1, 1, 1]))], "is a reflection"),
        (["--pose", "nan " * 16], "--pose: nan is not a finite number"),
        (["--pose", "missing.json"], "missing.json: No such file"),
        (["--pose", "text.json"], "text.json: not a JSON file"),
        (["--pose", "short.json"], "short.json: expected a pose as 4 rows of 4 numbers"),
        (["--q", "1 2"], "--q: expected 6 joint positions, found 2 numbers"),
        (["--q", "1 2 3 4 5 x"], "found 'x'"),
        (["--q", "0 0 0 0 0 0", "--seed", "1"], "--seed: expected 6 joint positions"),
        (["--q", "0 0 0 0 0 0", "--pose", "1"], "choose one of --q and --pose"),
        (["--q", "0 0 0 0 0 0", "--parameter", "1"], "not redundant"),
        (["--seed", "0 0 0 0 0 0"], "need a pose"),
        (["--tolerance", "1e-3"], "need a pose"),
        (["--q", "0 0 0 0 0 0", "--tolerance", "-1"], "tolerance: expected a positive number"),
    ],
)
def test_mistakes_are_told_in_a_sentence(folder: Path, arguments: list[str], message: str, whole: Sentences) -> None:
    (folder / "text.json").write_text("not json")
    (folder / "short.json").write_text("[[1, 2], [3]]")
    said = refused("ik", "pucrio", *arguments)
    assert message in said
    whole.compare(said)


def test_an_arm_without_numbers_is_refused() -> None:
    assert "needs a value for l1, l2" in refused("ik", "planar2r", "--q", "0 0")


def test_help_teaches_by_example() -> None:
    text = done("ik", "--help")
    assert "Examples:" in text and "manipula ik puma560" in text


# a part of the pose


def test_a_class_needs_no_numbers() -> None:
    assert as_json("ik", "scara")["class"] == "SCARA"
    assert as_json("ik", "planar2r")["closed_form"]


@pytest.mark.turn
def test_two_links_by_position() -> None:
    lengths = ("--set", "l1=0.4", "--set", "l2=0.3")
    answer = as_json("ik", "planar2r", *lengths, "--position", "0.3,0.4")
    assert [row["name"] for row in answer["branches"]] == ["elbow +", "elbow −"]
    assert np.allclose(np.cos(np.array(answer["answers"])[:, 1]), 0)
    told = done("ik", "planar2r", *lengths, "--position", "0.3,0.4,0.1")
    assert "the tool moves in a plane, 100 mm from the target" in told
    assert "needs a value for l1, l2" in refused("ik", "planar2r", "--position", "0.3,0.4")
    assert "2 branches" in done("ik", "planar2r", *lengths, "--task", "position")


def test_free_joints_are_named_and_may_be_given() -> None:
    told = done(
        "ik", "puma560", "--task", "position", "--q", words(Q["puma560"]), "--parameter", "10,20,30", "--degrees"
    )
    assert "Joints 4, 5 and 6 do not move the tool's origin: free, at 10°, 20°, 30°." in told
    answer = as_json("ik", "puma560", "--task", "axis", "--q", words(Q["puma560"]))
    assert distance(answer, Q["puma560"]) < 1e-9 and answer["free"] == "joint 6"


def test_what_does_not_go_together_is_refused() -> None:
    assert "choose one of --q and --position" in refused("ik", "puma560", "--q", "0 0 0 0 0 0", "--position", "1,2,3")
    assert "drop --task axis" in refused("ik", "puma560", "--task", "axis", "--position", "1,2,3")
    assert "expected one of pose, position, axis" in refused("ik", "puma560", "--task", "place")
