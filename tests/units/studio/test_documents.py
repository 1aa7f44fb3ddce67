"""Documents: what an editor holds reads as the file that says the same, mistakes too, each at its cell."""

from __future__ import annotations

import copy
import json
import random
import warnings
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula import api
from manipula.errors import InputError, RobotFileError
from tests.random_robots import random_robot, random_tree, with_laws
from tests.units.studio.files import file_from_document

# right, wrong, odd; none that an editor reads and a file does not
TEXTS = (
    "0", "-90", "0.25", "1e-3", "l9", "2*l9", "pi/2", "-pi/2 + l9", "sqrt(2)/2", "(q)", "", "nan", "inf", "-inf",
    "1e999", "q1", "q7", "90º", "abc def", "1/0", "import os", "__import__('os')", "é1", "l1**l2", "2**5000", "'", '"',
    "<script>alert(1)</script>", "\\", "a.b", "[1]", "{}", "true", "pi", "sin", "0x1f", "+".join(["x"] * 10_000),
    "(" * 100 + "1" + ")" * 100, "1" * 600, "cos(pi/3)", "m1", "Ixx1", "revolute", "prismatic", "fixed", "-1", "1",
    "2", "\x7f", "☃", "a2", "x" * 101, "--1", "1..2", "5 kg", "elbow", "joint",
)  # fmt: skip
KINDS = [text for text in TEXTS if text not in ("0", "1", "2")]  # which Khalil has for revolute, prismatic, fixed
ROBOTS = ("planar2r", "scara", "puma560", "rp", "panda")


def told(call: Any, *arguments: Any) -> Any:
    """The robot, or the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mp.ManipulaWarning)
        try:
            return call(*arguments)
        except RobotFileError as error:
            return error


def cells(document: dict[str, Any]) -> list[tuple[Any, str | int, int | None, str]]:
    """Where every cell is: its table and key, its row and the name of its column."""
    found: list[tuple[Any, str | int, int | None, str]] = [(document, "name", None, "name")]
    found += [(document["gravity"], k, None, f"gravity[{k + 1}]") for k in range(3)]
    for number, (row, body) in enumerate(zip(document["rows"], document["dynamics"])):
        for key, value in {**row, **body}.items():
            owner = row if key in row else body
            if isinstance(value, str) and key != "extra_toml":
                found.append((owner, key, number, key))
            elif isinstance(value, list):
                found += [(value, k, number, f"{key}[{k + 1}]") for k in range(len(value))]
            elif isinstance(value, dict):
                found += [(value, name, number, f"{key}.{name}") for name in value]
    return found


@pytest.mark.parametrize("name", mp.robots())
def test_every_robot_comes_back(name: str) -> None:
    robot = mp.load(name)
    document = json.loads(json.dumps(api.document(robot)))
    again = told(api.from_document, document)
    parts = ("name", "joints", "gravity", "base", "tool", "payload", "values", "frames", "named_poses")
    assert [getattr(again, part) for part in parts] == [getattr(robot, part) for part in parts]
    assert api.document(again) == document


@pytest.mark.parametrize("seed", range(24))
def test_any_robot_comes_back(seed: int) -> None:
    """Serial arms and trees in any convention, screws, fixed rows, laws of friction, further frames."""
    made = random_tree(seed, screws=True) if seed % 2 else random_robot(seed)
    robot = mp.Robot.of(with_laws(made, seed) if seed % 4 < 2 else made)
    text = api.to_text(robot)
    document = json.loads(json.dumps(api.document_from_file(text)))
    again = told(api.from_document, document)
    read = told(mp.Robot.from_text, text)
    assert not isinstance(again, RobotFileError), again
    parts = ("name", "joints", "gravity", "base", "tool", "tool_on", "payload", "values", "frames", "named_poses")
    assert [getattr(again, part) for part in parts] == [getattr(read, part) for part in parts]
    drawn = api.drawing(again)
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn


def test_a_file_is_shown_as_it_is_written() -> None:
    """Digits, names and expressions stay as they were typed; what has no cell stays beside it."""
    text = """
        format = 1
        name = "arm"
        convention = "modified"
        angle = "deg"
        length = "mm"
        notes = ["by hand"]
        [tool]
        xyz = [0, 0, 10.50]
        [[joint]]
        type = "revolute"
        theta = "1.5"
        d = 400.00
        a = "0.25 m"
        alpha = "-pi/2"
        friction = { viscous = 0.10, asymmetric = { coulomb_plus = 1.50 } }
    """
    document = api.document_from_file(text)
    row = document["rows"][0]
    assert [row[x] for x in ("theta", "d", "a", "alpha")] == ["1.5", "400.00", "0.25 m", "-pi/2"]
    assert document["dynamics"][0]["friction"]["viscous"] == "0.10"
    assert "1.50" in row["extra_toml"]
    assert "10.50" in document["extra_toml"]
    assert document["gravity"] == ["", "", ""]
    read = told(mp.Robot.from_text, text)
    assert told(api.from_document, document).joints == read.joints


@pytest.mark.parametrize("seed", range(64))
def test_a_cell_has_the_sentence_of_the_file(seed: int, tmp_path: Path) -> None:
    """One to three cells of a robot get any text: the editor says what `load` says of the file, at its cell."""
    rng = random.Random(seed)
    document = copy.deepcopy(api.document(rng.choice(ROBOTS)))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        owner, key, _, _ = rng.choice(cells(document))
        owner[key] = rng.choice(KINDS if key == "type" else TEXTS)
    path = tmp_path / "robot.toml"
    path.write_text(file_from_document(document), encoding="utf-8")
    by_file, by_cells = told(mp.load, path), told(api.from_document, document)
    if not isinstance(by_file, RobotFileError):
        assert not isinstance(by_cells, RobotFileError), by_cells
        assert by_cells.joints == by_file.joints
        return
    if "too many digits" in str(by_file):  # TOML itself is refused there, and knows of no cells
        assert isinstance(by_cells, RobotFileError)
        return
    assert f"{path}: {by_cells}" == str(by_file)


@pytest.mark.parametrize("seed", range(24))
def test_a_mistake_is_marked_at_its_cell(seed: int) -> None:
    rng = random.Random(seed)
    document = copy.deepcopy(api.document(rng.choice(ROBOTS)))
    places = [x for x in cells(document) if x[3] not in ("name", "type", "direction") and x[3] != "pitch"]
    owner, key, row, column = rng.choice(places)
    before = copy.deepcopy(owner)
    owner[key] = "import os"
    error = told(api.from_document, document)
    if isinstance(before, list) and row is not None and not any(before):
        column = error.field  # the neighbours of the list are empty, and told first
    assert isinstance(error, RobotFileError), (owner, key)
    assert error.row == (None if row is None else row + 1)
    assert error.field in (column, column.partition("[")[0], column.partition(".")[0])


@pytest.mark.parametrize(
    ("typed", "where"),
    [
        ({(0, "a"): "m2"}, (1, "a")),
        ({(0, "d"): "m1"}, (1, "d")),
        ({(1, "a"): "d2", (1, "d"): "0.5"}, (2, "d")),
        ({(1, "alpha"): "10**9*beta"}, (2, "alpha")),
    ],
)
def test_a_mistake_told_by_a_name_has_its_cell(typed: dict[tuple[int, str], str], where: tuple[int, str]) -> None:
    document = api.document("planar2r")
    for (row, column), text in typed.items():
        document["rows"][row][column] = text
    error = told(api.from_document, document)
    assert isinstance(error, RobotFileError), error
    assert (error.row, error.column) == where, error


def test_a_doubt_has_its_cell() -> None:
    document = api.document("planar2r")
    document["angle"], document["rows"][1]["alpha"] = "rad", "90"
    with pytest.warns(mp.ManipulaWarning) as caught:
        api.from_document(document)
    said = [warning.message for warning in caught]
    assert [(x.row, x.column) for x in said if isinstance(x, mp.ManipulaWarning)] == [(2, "alpha")]


def test_every_mistake_is_told() -> None:
    document = api.document("planar2r")
    document["rows"][0]["a"] = "90º"
    document["rows"][1]["alpha"] = "import os"
    error = told(api.from_document, document)
    assert [(x.row, x.field) for x in (error, *error.others)] == [(1, "a"), (2, "alpha")]


@pytest.mark.parametrize(
    ("column", "text", "same"),
    [
        ("theta", "q1", ("theta", "0")), ("theta", "θ1 + 90°", ("theta", "90")), ("theta", "90°", ("theta", "90")),
        ("alpha", "1,5", ("alpha", "1.5")), ("alpha", "−90", ("alpha", "-90")), ("a", "430 mm", ("a", "0.43")),
        ("alpha", "1.5 rad", ("alpha", '"1.5"')), ("type", "R", ("type", "revolute")), ("d", "L_{1}", ("d", "L_1")),
        ("theta", "-q1", ("direction", "-1")),
    ],
)  # fmt: skip
def test_cells_as_people_type_them(column: str, text: str, same: tuple[str, str]) -> None:
    typed, meant = api.document("planar2r"), api.document("planar2r")
    typed["rows"][0][column] = text
    meant["rows"][0][same[0]] = "1.5 rad" if same[1] == '"1.5"' else same[1]
    assert told(api.from_document, typed).joints == told(api.from_document, meant).joints


@pytest.mark.parametrize("digits", [3999, 4001, 9000])
def test_a_number_of_thousands_of_digits_is_refused_in_a_sentence(digits: int) -> None:
    typed = api.document("planar2r")
    typed["rows"][0]["a"] = "7" * digits
    with pytest.raises(RobotFileError) as caught:
        api.from_document(typed)
    assert (caught.value.field, len(str(caught.value)) < 500) == ("a", True)


def test_a_name_like_the_variable_keeps_its_meaning() -> None:
    rows = [{"type": "prismatic", "theta": 0, "d": "d1", "a": 0, "alpha": 0}]
    text = mp.Robot.from_dh([{**rows[0], "d": 0}], angle="deg")
    document = api.document(text)
    document["rows"][0]["d"] = "(d1)"
    robot = told(api.from_document, document)
    assert "d1" in robot.parameters
    again = api.document(robot)
    assert again["rows"][0]["d"] == "(d1)"
    document["rows"][0]["d"] = "d1"
    assert "d1" not in told(api.from_document, document).parameters


@pytest.mark.parametrize(
    "data", [None, [], "x", {"rows": 3}, {"rows": [{"a": 1}]}, {"rows": [None]}, {"x": 1}, {"values": [{"name": 1}]}]
)
def test_what_is_no_document_is_refused_in_a_sentence(data: object) -> None:
    with pytest.raises(InputError, match=r"expected|should|not permitted|required"):
        api.from_document(data)


def test_what_has_no_cell_is_kept_and_not_given_twice() -> None:
    document = api.document("planar2r")
    document["rows"][0]["extra_toml"] = "theta = 3"
    error = told(api.from_document, document)
    assert (error.row, error.field) == (1, "extra_toml")
    document["rows"][0]["extra_toml"] = "springs = ["
    error = told(api.from_document, document)
    assert (error.row, error.field) == (1, "extra_toml")
    document["rows"][0]["extra_toml"] = ""
    document["extra_toml"] = "joint = []"
    assert told(api.from_document, document).field == "extra_toml"
