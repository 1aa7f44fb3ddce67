"""Ready studies: what they tell of an arm is what its models tell, one case at a time; files and the command."""

from __future__ import annotations

import json
from inspect import Parameter
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import manipula as mp
from manipula.errors import UnsetError
from manipula.studies.catalogue import workspace
from manipula.studies.catalogue.entry import Kind
from manipula.studies.catalogue.registry import READY
from manipula.studies.results.table import NUMBER
from manipula.studies.study_file import schema_text
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused

__all__ = ["folder"]  # every test in an empty folder

pytestmark = pytest.mark.usefixtures("kept_functions")

FLAT = mp.load("planar2r").with_parameters(l1=0.5, l2=0.3, m1=1, m2=1, g=10)


def by_hand(arm: mp.Arm, place: Any, directions: int) -> dict[str, Any]:
    """One voxel, answer by answer."""
    robot, reached, most, w, torque = arm.robot, 0, 0, list[Any](), list[Any]()
    weighs = robot.name != "stanford"
    for z in workspace.directions_of(directions):
        if robot.dof < 6:
            q = arm.inverse_kinematics(place, task="position").q
        else:
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = workspace.rotation_to(z), place
            q = arm.inverse_kinematics(T).q
        reached, most = reached + (len(q) > 0), max(most, len(q))
        w += [(arm.manipulability(x).translation if robot.dof < 6 else arm.manipulability(x).w) for x in q]
        torque += [np.abs(arm.gravity(x)) for x in q] if weighs else []
    worst = max(torque, key=max) if torque else None
    found: dict[str, Any] = {
        "reach": reached / directions, "answers": most, "manipulability": max(w, default=np.nan),
        "torque": np.nan if worst is None else worst.max(), "joint": 0 if worst is None else int(worst.argmax()) + 1,
    }  # fmt: skip
    return found if weighs else {name: found[name] for name in ("reach", "answers", "manipulability")}


@pytest.mark.turn
@pytest.mark.drawn("name", "directions")
@pytest.mark.parametrize(
    ("name", "directions"), [("planar2r", 1), ("stanford", 2), pytest.param("puma560", 3, marks=pytest.mark.slow)]
)
def test_a_map_is_what_inverse_kinematics_says(name: str, directions: int) -> None:
    robot = FLAT if name == "planar2r" else mp.load(name)
    words = {} if robot.dof < 6 else {"directions": directions}
    found = mp.studies.workspace(robot, voxels=6 if robot.dof >= 6 else 5, **words)
    rng, rows, arm = np.random.default_rng(1), found.rows, mp.Arm(robot)
    reached = np.flatnonzero(found.table["reach"] > 0)
    assert len(reached) > 4
    for k in [*rng.choice(reached, 4), *rng.integers(0, found.count, 3)]:
        row = rows[int(k)]
        assert ("torque" in row) == (name != "stanford")
        wanted = by_hand(arm, [row[axis] for axis in "xyz"], directions)
        for column, value in wanted.items():
            assert row[column] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), (column, row)


@pytest.mark.turn
def test_a_map_of_an_arm_in_a_plane_has_one_layer() -> None:
    found = mp.studies.workspace(FLAT, voxels=8)
    assert set(found.table["z"]) == {0.0}
    r = np.hypot(found.table["x"], found.table["y"])
    assert np.array_equal(found.table["reach"] == 1, (r <= 0.8) & (r >= 0.2))
    picture = found.map("torque", "x", "y")
    assert len(picture.values) == len(picture.y) == 8 and picture.svg().startswith("<svg")
    assert np.isnan(picture.values[0][0]) and np.nanmax(np.array(picture.values)) == np.nanmax(found.table["torque"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"voxels": 0}, "voxels: expected a whole number, or three of them, found 0"),
        ({"voxels": [3, 3]}, "voxels: expected a whole number, or three of them"),
        ({"voxels": "many"}, "voxels: expected"),
        ({"voxels": 10**6}, "are more than a study can go through"),
        ({"directions": 0}, "directions: expected how many, 1 to 1000, found 0"),
        ({"box": [[0, 1], [1, 0], [0, 1]]}, "box: expected"),
        ({"box": 3}, "box: expected"),
        ({"voxles": 3}, "no setting of the study workspace is called 'voxles'; did you mean 'voxels'"),
    ],
)
def test_settings_that_are_none(words: dict[str, Any], told: str, whole: Sentences) -> None:
    with whole.raises(mp.ManipulaError, match=told):
        mp.studies.workspace("puma560", **{"box": [[0, 1]] * 3, **words})


def test_robots_that_a_map_cannot_be_of(whole: Sentences) -> None:
    with whole.raises(mp.InputError, match="directions: planar2r has 2 joints, and only positions are searched"):
        mp.studies.workspace(FLAT, directions=2)
    with whole.raises(mp.InputError, match=r"needs a value for"):
        mp.studies.workspace("planar2r")
    with whole.raises(mp.UnknownNameError, match="'pmua560'"):
        mp.studies.workspace("pmua560")
    with whole.raises(mp.InputError, match="found 3, expected the name of a library robot"):
        mp.studies.workspace(3)


def test_a_robot_that_branches_is_asked_which_tool_is_meant() -> None:
    """Whatever a study tells of a tool or of a load in the hand, it tells of the frame that was meant."""
    rows = "".join(
        f'[[joint]]\nname = "{name}"\nparent = "{parent}"\ntype = "revolute"\ntheta = 0\nd = 0\na = {a}\nalpha = 0\n'
        f"mass = 1\ncom = [-0.1, 0, 0]\ninertia = {{ zz = 0.02 }}\n"
        for name, parent, a in (("a", "base", 0.5), ("b", "a", 0.4), ("c", "a", 0.3))
    )
    head = 'format = 1\nname = "fork"\nconvention = "standard"\nangle = "rad"\ngravity = [0, -9.81, 0]\n'
    fork = mp.Robot.from_text(head + "inertia_default = 0\n" + rows)
    hands = {"goal": [0.5] * 3, "limits": [10] * 3, "payloads": [1], "speeds": np.array([1.0])}
    rolls = {"gains": {"kp": [9, 10], "kd": np.float32(6)}, "goal": [0.5] * 3, "count": np.int64(1), "payload": 1}
    asks: list[tuple[Any, dict[str, Any]]] = [
        (mp.studies.tolerances, {"count": 2}),
        (mp.studies.payload, hands),
        (mp.studies.gains, rolls),
    ]
    for ask, words in asks:
        with pytest.raises(mp.InputError, match="fork branches at 'a'; say which frame is meant: 'b', 'c'"):
            ask(fork, **words)
    one, other = (mp.studies.tolerances(fork.at(frame), count=2).table["position"] for frame in "bc")
    assert (one != other).all()
    one, other = (mp.studies.payload(fork.at(frame), **hands).table["use"] for frame in "bc")
    assert one > other  # held further out
    for robot in (fork, fork.at("b")):
        for box in (None, [[0, 1], [0, 1], [0, 0]]):
            with pytest.raises(mp.InputError, match="fork: a map is that of a serial arm, and it branches at 'a'"):
                mp.studies.workspace(robot, box=box)
    assert mp.studies.workspace(fork.road("b"), voxels=np.int64(3)).table["reach"].max() == 1


def test_gains_of_an_arm_with_symbols_are_refused_before_the_first_case() -> None:
    symbols = mp.load("planar2r").with_parameters(l1=0.5)
    with pytest.raises(UnsetError, match="planar2r: computed_torque needs a value for m1, l2, m2, g; "):
        mp.studies.gains(symbols, gains={"kp": [9, 10], "kd": 6}, goal=[1, 1], count=1, duration=0.05)


@pytest.mark.turn
def test_an_arm_without_an_end_is_looked_at_in_a_box() -> None:
    """A joint that slides without limits, and no masses."""
    robot = mp.load("rp")
    with pytest.raises(mp.InputError, match="so its reach has no end; box= says where to look"):
        mp.studies.workspace(robot)
    found = mp.studies.workspace(robot, voxels=3, box=[[-1, 1], [-1, 1], [0, 0]])
    assert found.count == 9 and not found.why and found.table["reach"].max() == 1


def test_maps_that_are_none(whole: Sentences) -> None:
    found = mp.study(
        lambda case, rng: {"s": case["a"] + case["b"], "v": [1, 2]}, {"a": [1, 2], "b": [3, 4], "c": ["u", "v"]}
    )
    assert found.map("s", "a", "b", c="v").values == [[4, 5], [5, 6]]
    # words at no level that is named: at the first of them, as the title says
    assert found.map("s", "a", "b").title == "s at c = u" and found.map("s", "a", "b", c="v").title == "s at c = v"
    for call, told in {
        ("s", "a", "a"): "expected two that differ",
        ("s", "a", "d"): "no column of the cases is called 'd'",
        ("v", "a", "b"): "column v is not numeric",
        ("s", "a", "c"): "column c is not numeric",
        ("t", "a", "b"): "no column of the study is called 't'",
    }.items():
        with whole.raises(mp.InputError, match=told):
            found.map(*call)
    with whole.raises(mp.UnknownNameError, match="level of c is called 'w'"):
        found.map("s", "a", "b", c="w")


# files and the command

FILE = """
format = 1
function = "beside:area"
[cases]
a = { from = 0, to = 3, count = 4 }
b = [1, 2]
[shared]
k = 2
[output]
results = "area.csv"
report = "area.html"
"""
BESIDE = "def area(case, rng):\n    return {'area': case['k'] * case['a'] * case['b'], 'n': rng.normal()}\n"


@pytest.fixture
def written(folder: Path) -> Path:
    (folder / "beside.py").write_text(BESIDE)
    (folder / "area.toml").write_text(FILE)
    return folder / "area.toml"


def test_a_study_file_runs(written: Path) -> None:
    told = as_json("study", "area.toml", "--resume", "kept")
    assert told["cases"] == told["computed"] == 8 and told["files"] == ["area.csv", "area.html"]
    assert (written.parent / "area.csv").read_text().splitlines()[8].startswith("3.0,2,12.0,")
    again = as_json("study", "area.toml", "--resume", "kept", "--force")
    assert again["computed"] == 0 and again["summary"] == told["summary"]
    assert np.load(again["file"])["area"].mean() == next(x for x in again["summary"] if x["result"] == "area")["mean"]
    assert "area" in done("study", "area.toml", "--seed", "4", "--force")
    assert "holds another study" in refused("study", "area.toml", "--resume", "kept", "--seed", "4", "--force")


def test_a_ready_study_runs(folder: Path) -> None:
    words = [f"--set={name}" for name in ("l1=0.5", "l2=0.3", "m1=1", "m2=1", "g=10")]
    told = as_json("study", "workspace", "planar2r", *words, "--with", "voxels=[3,3,1]", "--report", "map.html")
    assert told["cases"] == 9 and "Maps" in (folder / "map.html").read_text()
    assert "workspace" in done("study")
    assert [x["name"] for x in as_json("study")] == list(READY)
    (folder / "map.toml").write_text('format = 1\nstudy = "workspace"\nrobot = "planar2r"\n[settings]\nvoxels = 3\n')
    assert as_json("study", "map.toml", *words)["summary"] == told["summary"]
    assert "needs a value for" in refused("study", "map.toml")


def test_every_case_that_fails_is_exit_code_1(folder: Path) -> None:
    (folder / "always.py").write_text("def fails(case, rng):\n    raise ValueError('no')\n")
    (folder / "f.toml").write_text('format = 1\nfunction = "always:fails"\n[cases]\na = [1, 2]\n')
    from tests.units.test_cli import run

    result = run("study", "f.toml")
    assert result.exit_code == 1 and "every case failed; the first says: ValueError: no" in result.stderr


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("format = 1", "", "format: is missing"),
        ("format = 1", "format = 2", "format: found 2"),
        ("format = 1", "format = 1\nsede = 3", "sede: no such key; see the reference of study files"),
        ("format = 1", "format = 1\nseed = -1", "seed: found -1"),
        ("format = 1", 'format = 1\nseed = "1"', "seed: found '1'"),
        ("format = 1", "format = 1\nseed = 1.5", "seed: found 1.5"),
        ("format = 1", 'format = 1\nstudy = "workspace"', "expected study .a ready one. or function"),
        ("format = 1", 'format = 1\nrobot = "pmua"', "no robot"),
        ('function = "beside:area"', "", "expected study .a ready one. or function"),
        ('function = "beside:area"', "function = 3", "function: found 3"),
        ('function = "beside:area"', 'function = "besides:area"', "no module is called 'besides'"),
        ('function = "beside:area"', 'function = "beside:arae"', "is not there"),
        ('function = "beside:area"', 'study = "workspace"', "cases: a ready study plans its own"),
        ("count = 4", "count = 0", "expected a count of 2 or more levels, found 0"),
        ("from = 0, to = 3", "from = 3, to = 0", "the range is reversed"),
        ("a = {", "a = [] #", "a: has no level"),
        ("[cases]", "[case]", "case: no such key"),
        ("[shared]", "[settings]", "settings: are a ready study's"),
        ("k = 2", "a = 2", "'a' is a column of the cases, too"),
        ("area.csv", "area.xls", "output: results: found 'area.xls'"),
        ("report =", "repport =", "output: repport: no such key"),
        ("[cases]", '[sample]\nkind = "sobolo"\ncount = 3\n[cases]', "sample: kind: found 'sobolo'"),
        ("[cases]", '[sample]\nkind = "sobol"\ncount = 3\n[cases]', "expected from, to"),
        ("[cases]", "[cases", "is no TOML"),
    ],
)
def test_a_file_that_cannot_be(before: str, after: str, told: str, written: Path, whole: Sentences) -> None:
    import re

    assert before in FILE
    written.write_text(FILE.replace(before, after, 1))
    said = refused("study", "area.toml")
    assert "area.toml" in said and re.search(told, said), said
    whole.compare(said)
    assert sorted(path.name for path in written.parent.iterdir() if path.name != "__pycache__") == [
        "area.toml",
        "beside.py",
    ]


def test_commands_that_cannot_be(written: Path, whole: Sentences) -> None:
    assert "nowhere.toml: cannot be read" in whole.compare(refused("study", "nowhere.toml"))
    assert "no ready study is called 'wrokspace'; did you mean 'workspace'" in whole.compare(
        refused("study", "wrokspace", "puma560")
    )
    assert "needs a robot" in whole.compare(refused("study", "workspace"))
    assert "expected NAME=VALUE" in whole.compare(refused("study", "workspace", "puma560", "--with", "voxels"))
    assert "says all itself; drop --with" in whole.compare(refused("study", "area.toml", "--with", "a=1"))
    assert "no engine is called 'fast'" in whole.compare(refused("study", "area.toml", "--engine", "fast"))
    assert "names no robot for --set" in whole.compare(refused("study", "area.toml", "--set", "a=1"))


def test_the_published_schema_is_that_of_the_reader() -> None:
    published = (Path(mp.__file__).parent / "studies" / "study.schema.json").read_text(encoding="utf-8")
    assert published == schema_text() and json.loads(published)["title"] == "StudyFile"


UNITS = {"", "1", NUMBER, "SI", "m", "s", "J", "kg", "kg/m", "rad", "rad/s", "rad or m", "N·m", "N·m or N"}


@pytest.mark.parametrize("name", READY)
def test_every_column_has_a_unit_and_a_line_about_it(name: str) -> None:
    """In a table, a form, a figure: a unit stands where a unit stands, and words where words do."""
    for key, column in READY[name].columns.items():
        assert column.unit in UNITS, f"{key}: {column.unit}"
        assert len(column.about) > 2 and column.about not in UNITS, f"{key}: {column.about}"
        assert (column.unit == NUMBER) == column.about.startswith("number of the"), key

    assert Parameter.empty not in READY[name].settings.values()  # a study runs as it stands
    for setting in READY[name].form:
        assert setting.kind in get_args(Kind), setting
        assert len(setting.about.split()) >= 1 and setting.about not in get_args(Kind), setting


def test_the_number_of_a_joint_has_no_mean() -> None:
    """It is in the table, and neither in the statistics nor beside an axis as a unit."""
    found = mp.studies.workspace(mp.load("planar2r").with_parameters(l1=1, l2=0.5, m1=1, m2=1, g=9.81), voxels=3)
    assert "joint" in found.table and found.label("joint") == "joint"
    assert "torque" in found.figures() and "joint" not in found.figures()
