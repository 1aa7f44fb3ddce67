"""Malformed robots: each gives one line that names the file, the joint and the field, and says what would be right."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from manipula.errors import InputError, ManipulaWarning, RobotFileError
from manipula.mechanics.robot.formats.checks import check_robot
from manipula.mechanics.robot.formats.dh.read import robot_from_dh_text, robot_from_rows
from manipula.mechanics.robot.formats.source import text_from_bytes
from manipula.mechanics.robot.formats.toml.read import OTHER_KEYS, robot_from_raw, robot_from_toml
from manipula.mechanics.robot.formats.toml.schema import JointTable, RobotTable
from tests.golden.sentences import Sentences

GOOD = """\
format = 1
name = "two"
convention = "standard"
angle = "deg"
length = "m"
gravity = [0, 0, -9.81]
[values]
L1 = 0.4
[[joint]]
name = "shoulder"
type = "revolute"
theta = 0
d = 0
a = "L1"
alpha = -90
limits = [-160, 160]
mass = 2.5
com = [0.1, 0, 0]
inertia = { xx = 0.1, yy = 0.2, zz = 0.2, xy = 0, xz = 0, yz = 0 }
[[joint]]
name = "elbow"
type = "revolute"
theta = 0
d = 0
a = 0.3
alpha = 0
mass = "m2"
"""

# what is wrong: (text to find, text to put in its place, fragments of the message)
TOML_CASES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "misspelt key": ("alpha = -90", "alfa = -90", ("joint 1 'shoulder'", "alfa", "did you mean 'alpha'")),
    "unknown top key": ("gravity =", "gravty =", ("gravty", "did you mean 'gravity'")),
    "unknown inertia key": ("zz = 0.2", "zx = 0.2", ("joint 1 'shoulder'", "inertia.zx", "unknown key")),
    "missing alpha": ("alpha = 0\n", "", ("joint 2 'elbow'", "alpha", "missing")),
    "missing a": ("a = 0.3\n", "", ("joint 2 'elbow'", "a: is missing")),
    "missing d": ("d = 0\na = 0.3", "a = 0.3", ("joint 2 'elbow'", "d: is missing", "revolute")),
    "missing type": ('type = "revolute"\ntheta = 0\nd = 0\na = 0.3', "d = 0\na = 0.3", ("joint 2 'elbow'", "type")),
    "missing format": ("format = 1\n", "", ("format", "missing", "format = 1")),
    "missing name": ('name = "two"\n', "", ("name", "missing")),
    "missing convention": ('convention = "standard"\n', "", ("convention", "modified")),
    "missing angle": ('angle = "deg"\n', "", ("angle", "missing", "rad")),
    "newer format": ("format = 1", "format = 2", ("format", "found 2", "expected 1")),
    "empty name": ('name = "elbow"', 'name = ""', ("joint 2", "name", "expected a name")),
    "name is a number": ('name = "elbow"', "name = 3", ("joint 2", "name", "found 3", "text in quotes")),
    "unknown convention": ('"standard"', '"craig"', ("convention", "'craig'", "'modified'")),
    "unknown angle": ('angle = "deg"', 'angle = "degrees"', ("angle", "'degrees'", "'deg' or 'rad'")),
    "unknown length": ('length = "m"', 'length = "inch"', ("length", "'inch'", "'mm'")),
    "unknown type": ('"revolute"', '"rotary"', ("joint 1 'shoulder'", "type", "'rotary'", "'prismatic'")),
    "boolean": ("a = 0.3", "a = true", ("joint 2 'elbow'", "a: found true", "a number")),
    "date": ("a = 0.3", "a = 2024-01-01", ("joint 2 'elbow'", "a: found a date")),
    "list": ("a = 0.3", "a = [0.3]", ("joint 2 'elbow'", "a: found a list")),
    "not a number": ("a = 0.3", "a = nan", ("joint 2 'elbow'", "a: found NaN", "finite")),
    "infinite": ("a = 0.3", "a = -inf", ("joint 2 'elbow'", "a: found -Infinity", "finite")),
    "too large": ("a = 0.3", "a = 1e999999999", ("joint 2 'elbow'", "a: found", "1e300")),
    "too large in text": ("a = 0.3", 'a = "1e999999999"', ("joint 2 'elbow'", "a: '1e999999999'", "1e300")),
    "degree sign behind a name": ("alpha = -90", 'alpha = "A1º"', ("joint 1 'shoulder'", "alpha", "A1º", "pi/2")),
    "degree sign bare": ("alpha = -90", "alpha = -90º", ("line 15", "alpha", "degree sign")),
    "decimal comma": ("a = 0.3", "a = 0,3", ("line 25", "a:", "decimal point")),
    "name without quotes": ("a = 0.3", "a = L2", ("line 25", "a:", "quotes")),
    "unclosed string": ('name = "elbow"', 'name = "elbow', ("line 21", "not valid TOML")),
    "key twice": ("d = 0\na = 0.3", "d = 0\nd = 1\na = 0.3", ("line 25", "not valid TOML")),
    "empty expression": ("a = 0.3", 'a = ""', ("joint 2 'elbow'", "a: found an empty string")),
    "bad expression": ("a = 0.3", 'a = "2*(L1"', ("joint 2 'elbow'", "a:", "2*(L1", "expected")),
    "code": ("a = 0.3", "a = \"__import__('os')\"", ("joint 2 'elbow'", "a:", "only numbers")),
    "hexadecimal": ("a = 0.3", 'a = "0x10"', ("joint 2 'elbow'", "a:", "0x10", "expected")),
    "divides by zero": ("a = 0.3", 'a = "1/0"', ("joint 2 'elbow'", "a:", "divides by zero")),
    "no real value": ("a = 0.3", 'a = "sqrt(L1-1)"', ("joint 2 'elbow'", "a:", "no finite real value")),
    "nested too deeply": ("a = 0.3", f'a = "{"-" * 480}L1"', ("joint 2 'elbow'", "a:", "too deeply")),
    "tower of powers": ("a = 0.3", 'a = "(((9**99)**99)**99)**99"', ("joint 2 'elbow'", "a:", "too large")),
    "accented name": ("a = 0.3", 'a = "comprimento_ã"', ("joint 2 'elbow'", "a:", "without accents")),
    "another joint's variable": ("theta = 0", 'theta = "q2"', ("joint 1 'shoulder'", "theta", "another joint", "q1")),
    "value defined by itself": ("L1 = 0.4", 'L1 = "L2"\nL2 = "2*L1"', ("values.L1", "defined through itself")),
    "value of a wrong type": ("L1 = 0.4", "L1 = [0.4]", ("values.L1", "found a list")),
    "value without a real number": ("L1 = 0.4", 'L1 = "sqrt(-1)"', ("values.L1", "no finite real value")),
    "bad value name": ("L1 = 0.4", '"L 1" = 0.4', ("values", "'L 1' cannot be a name")),
    "automatic name taken": ("d = 0\na = 0.3", 'd = "a2"\na = 0.3', ("joint 2 'elbow'", "a2", "automatic name")),
    "unknown mass as a length": ("d = 0\na = 0.3", 'd = "m2"\na = 0.3', ("joint 2", "d2", "another name")),
    "value and number": ("L1 = 0.4", "L1 = 0.4\na2 = 0.5", ("values.a2", "holds a number already")),
    "same name twice": ('name = "elbow"', 'name = "shoulder"', ("joint 2 'shoulder'", "name", "joint 1")),
    "limits reversed": ("[-160, 160]", "[160, -160]", ("joint 1 'shoulder'", "limits", "above the upper")),
    "one limit": ("[-160, 160]", "[160]", ("joint 1 'shoulder'", "limits", "too short")),
    "three limits": ("[-160, 160]", "[0, 1, 2]", ("joint 1 'shoulder'", "limits", "list of 3", "2 entries")),
    "negative velocity limit": ("limits = [-160, 160]", "velocity_limit = -1", ("joint 1", "velocity_limit")),
    "direction": ("limits = [-160, 160]", "direction = 2", ("joint 1 'shoulder'", "direction", "found 2", "1 or -1")),
    "negative mass": ("mass = 2.5", "mass = -2.5", ("joint 1 'shoulder'", "mass", "negative: -2.5")),
    "negative mass by name": ("mass = 2.5", 'mass = "-L1"', ("joint 1 'shoulder'", "mass", "negative: -0.4")),
    "negative motor inertia": ("mass = 2.5", "motor_inertia = -1", ("joint 1 'shoulder'", "motor_inertia")),
    "impossible inertia": ("xx = 0.1", "xx = -0.1", ("joint 1 'shoulder'", "inertia", "not positive", "-0.1")),
    "impossible products": ("xy = 0,", "xy = 0.5,", ("joint 1 'shoulder'", "inertia", "principal moments")),
    "impossible second moments": ("inertia = { xx = 0.1, yy = 0.2", "second_moment = { xx = 1, yy = -2",
                                  ("joint 1 'shoulder'", "second_moment", "not positive")),
    "short com": ("com = [0.1, 0, 0]", "com = [0.1, 0]", ("joint 1 'shoulder'", "com", "too short")),
    "com is a number": ("com = [0.1, 0, 0]", "com = 0.1", ("joint 1 'shoulder'", "com", "found 0.1", "a list")),
    "two centres": ("mass = 2.5", "mass = 2.5\nfirst_moment = [0, 0, 0]", ("joint 1", "first_moment", "both com")),
    "inertia as a list": ("inertia = { xx = 0.1, yy = 0.2, zz = 0.2, xy = 0, xz = 0, yz = 0 }", "inertia = [1, 2, 3]",
                          ("joint 1 'shoulder'", "inertia", "found a list of 3", "a table")),
    "fixed with limits": ('"revolute"', '"fixed"', ("joint 1 'shoulder'", "limits", "belong to a fixed joint")),
    "gravity a number": ("[0, 0, -9.81]", "9.81", ("gravity", "found 9.81", "a list")),
    "joint not a list": ("[[joint]]", "[joint]", ("joint", "TOML")),
}  # fmt: skip

WHOLE_CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "empty": ("", ("the file is empty", "joint")),
    "blank": (" \n\n", ("the file is empty",)),
    "binary": ("\x7fELF\x02\x01\x00\x00", ("binary file", ".toml")),
    "no joints": (GOOD.split("[[joint]]", maxsplit=1)[0], ("joint", "is missing", "at least one")),
    "empty joint list": ('joint = []\nformat = 1\nname = "x"\nconvention = "standard"\nangle = "deg"', ("no joints",)),
    "only fixed": (
        GOOD.replace('"revolute"', '"fixed"').replace("limits = [-160, 160]\n", ""),
        ("joint.type", "no joint moves"),
    ),
    "joint is one table": (
        'format = 1\nname = "x"\nconvention = "standard"\nangle = "rad"\n[joint]\ntype = "revolute"',
        ("joint", "found a table", "a list"),
    ),
    "deep nesting": ("a = " + "[" * 5000, ("not valid TOML",)),
    "not TOML at all": ("<robot name='x'/>", ("line 1", "not valid TOML")),
}

SHARDS = ('"', "[", "]", "{", "=", "\n", ";", "|", "-", "1e9", "nan", "[[joint]]", "°", "q1", "**9", "\\", "#")
HEAD = "joint;type;theta;d;a;alpha\n"
DH_CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "empty": ("", ("the file is empty",)),
    "binary": ("PK\x03\x04\x00", ("binary file",)),
    "only comments": ("# nothing here\n", ("there is no table", "header")),
    "no header": ("one, two, six, ten\n0, 0, 0.3, 0", ("header", "first line is not a header", "theta, d, a, alpha")),
    "no rows": (HEAD, ("joint", "no rows")),
    "missing column": ("theta;d;alpha\n0;0;0", ("header", "no column a")),
    "misspelt column": ("tetha;d;a;alpha\n0;0;0;0", ("header", "'tetha'", "did you mean 'theta'")),
    "unknown column": ("theta;d;a;alpha;wheels\n0;0;0;0;4", ("header", "unknown column 'wheels'")),
    "column r": ("theta;d;r;alpha\n0;0;0;0", ("header", "'r' means a to some")),
    "column twice": ("theta;d;a;a;alpha\n0;0;0;0;0", ("header", "two columns 'a'")),
    "ragged": (HEAD + "1;R;q1;0;0\n", ("joint 1", "has 5 cells, the header has 6")),
    "empty cell": (HEAD + "1;R;q1;0;;0\n", ("joint 1", "a: is empty", "write 0")),
    "unknown type": (HEAD + "1;X;q1;0;0;0\n", ("joint 1", "type", "'X'", "prismatic")),
    "variable of another joint": (HEAD + "1;R;q2;0;0;0\n", ("joint 1", "theta", "another joint", "expected q1")),
    "no variable": ("theta;d;a;alpha\nq1;0;1;0\n0;0;1;0", ("joint 2", "theta", "no entry is marked")),
    "bad cell": (HEAD + "shoulder;R;q1;0;2*(;0\n", ("joint 1 'shoulder'", "a:", "2*(")),
    "word": (HEAD + "1;R;q1;0;0,3 braças;0\n", ("joint 1", "a:", "0.3 braças")),
    "degrees in a length": (HEAD + "1;R;q1;0;90°;0\n", ("joint 1", "a:", "value in deg", "a length")),
    "millimetres in an angle": (HEAD + "1;R;q1;0;0;90 mm\n", ("joint 1", "alpha", "an angle")),
    "decimal comma in commas": ('theta,d,a,alpha\nq1,0,0,3,0', ("joint 1", "has 5 cells")),
    "two offsets": ("theta;d;a;alpha;offset\nq1+90°;0;1;0°;45°", ("joint 1", "offset", "two offsets")),
    "direction": ("theta;d;a;alpha;direction\nq1;0;1;0;2", ("joint 1", "direction", "'2'", "1 or -1")),
    "same name twice": (HEAD + "arm;R;q1;0;1;0\narm;R;q2;0;1;0\n", ("joint 2 'arm'", "name")),
    "fixed only": (HEAD + "1;F;0;0;1;0\n", ("no joint moves",)),
    "bad setting": ("# L = 2*(\n" + HEAD + "1;R;q1;0;L;0\n", ("values.L", "2*(")),
    "unknown convention": ("# convention = craig\n" + HEAD + "1;R;q1;0;1;0\n", ("convention", "'craig'")),
}  # fmt: skip


def refusal(text: str, file: str) -> str:
    """The message with which the text is refused; anything but a one-line RobotFileError fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        with pytest.raises(RobotFileError) as caught:
            robot_from_toml(text, file) if file.endswith(".toml") else robot_from_dh_text(text, file=file)
    message = str(caught.value)
    assert isinstance(caught.value, InputError)
    assert "\n" not in message and message.startswith(f"{file}: ")
    assert caught.value.problem
    return message


def test_the_good_one_is_good() -> None:
    assert robot_from_toml(GOOD).dof == 2
    assert len(TOML_CASES) + len(WHOLE_CASES) + len(DH_CASES) >= 40


@pytest.mark.parametrize("case", TOML_CASES)
def test_toml_entry(case: str, whole: Sentences) -> None:
    old, new, fragments = TOML_CASES[case]
    assert old in GOOD
    message = whole.compare(refusal(GOOD.replace(old, new, 1), "arm.toml"))
    assert [part for part in fragments if part not in message] == [], message


@pytest.mark.parametrize("case", WHOLE_CASES)
def test_toml_file(case: str, whole: Sentences) -> None:
    text, fragments = WHOLE_CASES[case]
    message = whole.compare(refusal(text, "arm.toml"))
    assert [part for part in fragments if part not in message] == [], message


@pytest.mark.parametrize("case", DH_CASES)
def test_dh_text(case: str, whole: Sentences) -> None:
    text, fragments = DH_CASES[case]
    message = whole.compare(refusal(text, "arm.csv"))
    assert [part for part in fragments if part not in message] == [], message


@pytest.mark.parametrize(
    ("row", "fragment"),
    [
        ((0, 0, 1), "joint 1: row: found a list of 3"),
        (5, "joint 1: row: found 5"),
        ((0, 0, 1, 0, "rolling"), "joint 1: type: found 'rolling'"),
        ((0, 0, float("nan"), 0), "joint 1: a: found nan"),
        ({"a": 1, "d": 0}, "joint 1: alpha: is missing"),
        ({"a": 1, "d": 0, "alpha": 0, "name": "x", "lenght": 1}, "joint 1 'x': lenght: unknown key"),
        ((0, 0, 1, None), "joint 1: alpha: is missing"),
        ((0, 0, 1 + 2j, 0), "joint 1: a: found a complex"),
    ],
)
def test_python_rows(row: object, fragment: str, whole: Sentences) -> None:
    with whole.raises(RobotFileError) as caught:
        robot_from_rows([row])  # type: ignore[list-item]
    assert str(caught.value).startswith(fragment)


@pytest.mark.parametrize(
    ("old", "new", "fragment"),
    [
        ('angle = "deg"', 'angle = "rad"', "joint 1 'shoulder': alpha: -90 radians looks like degrees"),
        ("alpha = -90", "alpha = 1.5708", "joint 1 'shoulder': alpha: 1.5708 degrees looks like radians"),
        ("a = 0.3", "a = 300", "joint 2 'elbow': a: 300 m looks like millimetres"),
        ("com = [0.1, 0, 0]", "com = [100, 0, 0]", "joint 1 'shoulder': com: 100 m looks like millimetres"),
        ("[0, 0, -9.81]", "[0, -3000, -9810]", "gravity: 10258.5 m/s² is more than on any planet"),
        ('length = "m"', 'length = "mm"', "length: the longest link is 0.3 mm, which looks like metres"),
        ("yy = 0.2", "yy = 0.05", "joint 1 'shoulder': inertia: breaks the triangle inequality"),
        ("L1 = 0.4", "L1 = 0.4\nL11 = 0.5", "values.L11: no entry of the table uses this name; did you mean 'L1'?"),
        ("mass = 2.5", "mass = 2.5\nfriction = { viscous = -1 }", "joint 1 'shoulder': friction.viscous: is negative"),
        ("mass = 2.5", 'mass = 2.5\ninertia_about = "origin"\nfirst_moment = [2, 0, 0]', "no positive inertia about"),
    ],
)
def test_suspicious_entries_are_warnings_and_errors_when_strict(
    old: str, new: str, fragment: str, whole: Sentences
) -> None:
    text = GOOD.replace(old, new, 1)
    text = text.replace("com = [0.1, 0, 0]\n", "") if "first_moment" in new else text
    text = text.replace('a = "L1"', 'a = "L1*0"') if 'length = "mm"' in new else text
    with pytest.warns(ManipulaWarning) as seen:
        robot = robot_from_toml(text, "arm.toml")
    assert any(str(one.message).startswith("arm.toml: ") and fragment in str(one.message) for one in seen)
    with whole.raises(RobotFileError) as caught:
        check_robot(robot, strict=True)
    assert "arm.toml: " in str(caught.value) and fragment in str(caught.value)
    if place := re.match(r"(?:(joint \d '\w+'): )?([\w.]+): ", fragment):
        assert (caught.value.where or None, caught.value.field) == place.groups()


def test_radians_near_a_quarter_turn_are_told() -> None:
    text = GOOD.replace('"deg"', '"rad"').replace("-90", "-1.5708").replace("limits = [-160, 160]\n", "")
    with pytest.warns(
        ManipulaWarning, match=r"joint 1 'shoulder': alpha -1\.5708 rad as -90° \(exact=True, --exact in a shell, keeps"
    ):
        robot_from_toml(text)


@pytest.mark.parametrize("data", [b"\x00\x01\x02", b"\x89PNG\r\n\x1a\n\x00", b"\xff\xfe\x00", b"\x81\x8d\x00"])
def test_binary_files(data: bytes) -> None:
    with pytest.raises(RobotFileError, match=r"^photo\.toml: this is a binary file"):
        text_from_bytes(data, "photo.toml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_of_spreadsheets(encoding: str) -> None:
    assert text_from_bytes("ligação;90º".encode(encoding)) == "ligação;90º"


@pytest.mark.turn
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_file_never_shows_a_traceback(data: st.DataObject) -> None:
    """Cut, doubled and overwritten pieces of good files: read, or refused by a one-line RobotFileError."""
    file, text = data.draw(
        st.sampled_from([("arm.toml", GOOD), ("arm.csv", HEAD + "1;R;q1;0;a1;90°\n2;P;0;q2;0,5;pi\n")])
    )
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 12, len(text))))
        text = text[:start] + data.draw(st.one_of(st.text(max_size=4), st.sampled_from(SHARDS))) + text[end:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        try:
            robot_from_toml(text, file) if file.endswith(".toml") else robot_from_dh_text(text, file=file)
        except RobotFileError as error:
            assert str(error).startswith(f"{file}: ") and "\n" not in str(error)


@pytest.mark.parametrize(("table", "ours"), [(table, ours) for table in OTHER_KEYS for ours in OTHER_KEYS[table]])
def test_keys_that_people_try_are_met_with_ours(table: type[BaseModel], ours: str) -> None:
    assert ours in table.model_fields
    for theirs in OTHER_KEYS[table][ours].split():
        assert theirs not in table.model_fields
        row = {"a": 1, "d": 0, "alpha": 0} | ({theirs: 1} if table is JointTable else {})
        raw = {"format": 1, "name": "x", "convention": "standard", "angle": "deg", "joint": [row]}
        with pytest.raises(RobotFileError) as caught:
            robot_from_raw(raw | ({theirs: 1} if table is RobotTable else {}), "x.toml", "toml")
        meant = 'units stand at the top: angle = "deg"' if ours == "angle" else f"did you mean '{ours}'?"
        assert f"{theirs}: unknown key" in str(caught.value) and meant in str(caught.value)
