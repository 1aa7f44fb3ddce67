"""Tables as other programs write them, and numbers in the wrong unit: read as meant, or said."""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
import sympy

import manipula as mp
from manipula.errors import ManipulaWarning, RobotFileError

COLUMNS = ("theta", "d", "a", "alpha")


@pytest.mark.parametrize("seed", range(30))
def test_quotes_and_marks_behind_the_last_column_change_nothing(seed: int) -> None:
    rng = random.Random(seed)
    rows = [[rng.choice(("0", "0.25", "-1.5", "L1")) for _ in range(3)] + ["90"] for _ in range(rng.randint(1, 4))]
    mark, end = rng.choice((",", ";", "\t")), rng.choice(("\n", "\r\n"))
    header = rng.random() < 0.5

    def written(quote: str, last: str) -> str:
        lines = [COLUMNS, *rows] if header else rows
        return end.join(mark.join(f"{quote}{cell}{quote}" for cell in line) + last for line in lines)

    given: dict[str, Any] = {"convention": "standard", "angle": "deg", "columns": None if header else " ".join(COLUMNS)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        plain, *others = (
            mp.Robot.from_text(written(quote, last), "dh", **given) for quote, last in (("", ""), ('"', ""), ("", mark))
        )
    assert all(robot == plain for robot in others)


@pytest.mark.parametrize("word", ["nan", "NaN", "inf", "-inf", "Infinity", "2*nan", "NAN+L"])
def test_what_is_no_number_is_no_name(word: str) -> None:
    with pytest.raises(RobotFileError, match="expected a finite number"):
        mp.Robot.from_text(f"theta d a alpha\n0 0 {word} 90\n", "dh", convention="standard", angle="deg")
    with pytest.raises(RobotFileError, match="expected a finite number"):
        mp.Robot.from_dh([(0, 0, word, 0)])


@pytest.mark.parametrize("text", ["q1", "q1 + pi/2", "-q1", "pi - q1", "-q1 + L"])
@pytest.mark.parametrize("kind", ["R", "P"])
def test_a_joint_variable_of_sympy_is_that_of_the_text(text: str, kind: str) -> None:
    names = {name: sympy.Symbol(name) for name in ("q1", "L")}

    def arm(entry: Any) -> mp.Robot:
        row = {"theta": 0, "d": 0, "a": 1, "alpha": 0, "type": kind, "theta" if kind == "R" else "d": entry}
        return mp.Robot.from_dh([row])

    assert arm(sympy.sympify(text, names)) == arm(str(sympy.sympify(text, names)))


@pytest.mark.parametrize(
    ("field", "entry", "said"),
    [
        ("a", "L+20", ""),
        ("d", "2*L-431.8", "431.8 m looks like millimetres"),
        ("alpha", "A+30", "30 radians looks like degrees"),
        ("theta", "-(A-90)", "90 radians looks like degrees"),
        ("a", "L+0.02", ""),
        ("alpha", "A+pi/6", ""),
        ("alpha", "2*A", ""),
    ],
)
def test_a_number_added_to_a_name_is_held_to_its_size(field: str, entry: str, said: str) -> None:
    """It has the unit of its column: odd as radians or metres, right as degrees or millimetres."""
    row = {"theta": 0, "d": 0, "a": 300, "alpha": 0} | {field: entry}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mp.Robot.from_dh([row], angle="deg", length="mm")
    assert not [sentence for warning in caught if "looks like" in (sentence := str(warning.message))]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mp.Robot.from_dh([row | {"a": row["a"] if field == "a" else 1}], angle="rad", length="m")
    told = [str(warning.message) for warning in caught if "looks like" in str(warning.message)]
    assert len(told) == (said != "") and all(re.search(said, sentence) for sentence in told)


@pytest.mark.parametrize(
    ("units", "value", "hint"),
    [
        (("deg", "mm"), {"A": 90}, 'a name has its value in SI; write "90 deg"'),
        (("rad", "m"), {"A": 90}, 'write angle = "deg", or an expression such as "pi/2"'),
        (("deg", "mm"), {"L": 400}, 'a name has its value in SI; write "400 mm"'),
        (("rad", "m"), {"L": 400}, 'write length = "mm", or the length in metres'),
    ],
)
def test_a_hint_does_not_ask_for_what_the_file_says(units: tuple[Any, Any], value: dict[str, int], hint: str) -> None:
    angle, length = units
    rows = [{"theta": 0, "d": 0, "a": "L", "alpha": "A"}]
    with pytest.warns(mp.ManipulaWarning, match=re.escape(f"({hint})")):
        mp.Robot.from_dh(rows, angle=angle, length=length).with_parameters(**value)


@pytest.mark.parametrize("name", ["#1", "% a", "//x", "a,b", 'a"b', "a;b", "a|b", "a & b", "x#", "-", "theta", "日本"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_no_row_is_lost_by_its_name(name: str, place: int, tmp_path: Path) -> None:
    names = ["first", "second", "third"]
    names[place] = name
    rows = [{"theta": 0, "d": 0.5, "a": k, "alpha": 90, "name": own} for k, own in enumerate(names)]
    arm = mp.Robot.from_dh(rows, angle="deg")
    assert mp.load(mp.save(arm, tmp_path / "arm.csv")).joints == arm.joints


def test_a_csv_says_what_it_has_no_place_for(tmp_path: Path) -> None:
    plain = mp.Robot.from_dh([(0, 0.5, 1, 0)])
    full = plain.with_tool([0.1, 0, 0]).with_base([0, 0, 1]).with_payload(2).with_gravity(0, -9.81, 0)
    full = full.with_parameters(m1=3, fv1=0.1)
    text = [mp.save(plain, tmp_path / "arm.csv").read_text(encoding="utf-8")]
    with pytest.warns(ManipulaWarning, match="a table cannot hold the base, tool, masses and 3 more"):
        text.append(mp.save(full, tmp_path / "arm.csv").read_text(encoding="utf-8"))
    assert "not in this table" not in text[0]
    assert "# not in this table: base, tool, masses, payload, motors and friction, gravity\n" in text[1]
    assert mp.load(tmp_path / "arm.csv").joints == plain.joints


@pytest.mark.parametrize("seed", range(12))
def test_a_variable_that_is_only_called_one(seed: int) -> None:
    """`var`, `variable + 90°`, a star, in any order of the columns, below a caption, units behind the headings."""
    rng = random.Random(f"called variable {seed}")
    word = rng.choice(("var", "Var.", "variable", "variável", "*"))
    order = rng.sample(range(4), 4)
    heads = rng.choice((("θ / °", "d / mm", "a / mm", "α / °"), ("theta, deg", "d, mm", "a, mm", "alpha, deg")))
    heads = rng.choice((heads, ("θ in °", "d in mm", "a in mm", "α in °"), ("θ (°)", "d (mm)", "a (mm)", "α (°)")))
    rows = [["Gelenk", *(heads[k] for k in order)]]
    plain = ["type " + " ".join(("theta", "d", "a", "alpha")[k] for k in order)]
    for row in range(1, 5):
        cells = [str(rng.choice((0, 90, -45))), str(rng.randint(-300, 300)), "120", str(rng.choice((0, 90)))]
        slides = int(rng.random() < 0.4)
        plain.append("RP"[slides] + " " + " ".join(cells[k] for k in order))
        offset = cells[slides]
        sign = "" if offset.startswith("-") else "+"
        cells[slides] = word if offset == "0" else rng.choice((f"{word} {sign} {offset}", f"{offset} + {word}"))
        cells[slides] = cells[slides].replace("  -", " -")
        rows.append([str(row), *(cells[k] for k in order)])
    text = "\n".join([*["Table 2. The arm", ""][: rng.randint(0, 2)], *("; ".join(row) for row in rows)])
    given: dict[str, Any] = {"convention": "standard"}
    meant = mp.Robot.from_text("\n".join(plain), "dh", angle="deg", length="mm", **given)
    found = mp.Robot.from_text(text, "dh", **given)
    assert [joint.kind for joint in found.joints] == [joint.kind for joint in meant.joints]
    assert [(joint.before, joint.offset, joint.after) for joint in found.joints] == [
        (joint.before, joint.offset, joint.after) for joint in meant.joints
    ], text


@pytest.mark.parametrize("count", [1, 2, 4])
def test_slides_that_nobody_marks_are_told_of(count: int) -> None:
    rows = [f"{30 * row} d{row} 0 90" for row in range(1, count + 1)]
    with pytest.warns(ManipulaWarning, match="d1.* taken as lengths of revolute joints"):
        mp.Robot.from_text("\n".join(["theta d a alpha", *rows]), "dh", convention="standard", angle="deg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        more = [*rows, "0 0 0.3 0"]  # one length that is a number: those with names are lengths, too
        mp.Robot.from_text("\n".join(["theta d a alpha", *more]), "dh", convention="standard", angle="deg")


@pytest.mark.parametrize("variable", ["θ2", "t2 + 30", "q2", "var"])
@pytest.mark.parametrize("blank", ["-", "—", ""])
def test_a_dash_beside_a_turning_variable_is_no_slide(blank: str, variable: str) -> None:
    """An empty d may be a zero or the variable: where theta has the variable, somebody must say which."""
    with pytest.raises(RobotFileError, match=r"joint 2: d: is empty \(write 0 if the entry is zero\)"):
        mp.Robot.from_text(f"theta;d;a;alpha\nq1;0;1;90\n{variable};{blank};1;90\n", "dh", convention="standard")
    given: dict[str, Any] = {"convention": "standard", "angle": "deg"}
    with pytest.raises(RobotFileError, match=r"joint 2: theta: is empty \(write 0 if the entry is zero\)"):
        mp.Robot.from_text(f"theta;d;a;alpha\n{variable.replace('2', '1')};0;1;90\n{blank};d2;1;90\n", "dh", **given)
    slides = mp.Robot.from_text(f"theta;d;a;alpha\nq1;0;1;90\n30;{blank};1;90\n", "dh", **given)
    assert [joint.kind for joint in slides.joints] == ["revolute", "prismatic"]
