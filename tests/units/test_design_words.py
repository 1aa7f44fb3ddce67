"""The study of designs as it is asked for: what cannot be is told before anything is started; files, the command,
pages, engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.robot.values.parameter import number
from manipula.studies.catalogue.design import FORM
from manipula.studies.catalogue.entry import settings_from
from tests.design_arms import (
    BOTH,
    FLAT,
    HOLD,
    MOTORS,
    NEAR,
    SWING,
)
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused

__all__ = ["folder"]  # every test in an empty folder


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "nothing varies": ({"vary": {}}, "vary: expected ranges by name"),
    "vary no table": ({"vary": ["l1"]}, "vary: expected ranges by name"),
    "unknown": ({"vary": {"l3": [0, 1]}}, "no parameter is called 'l3'"),
    "reversed": ({"vary": {"l1": [0.5, 0.2]}}, "reversed or empty: from 0.5 to 0.2"),
    "nan": ({"vary": {"l1": [0.5, float("nan")]}}, "expected a finite number, found nan"),
    "one end": ({"vary": {"l1": [0.5]}}, "expected the two ends of a range"),
    "words": ({"vary": {"l1": ["a", "b"]}, "sample": "product"}, "vary: l1: expected numbers"),
    "negative mass": ({"vary": {"m2": [-1, 2]}}, "mass: is negative: -1"),
    "sample": ({"sample": "sobel"}, "no sample is called 'sobel'; did you mean 'sobol'"),
    "count": ({"count": 0}, "count: expected a whole number of 1 or more, found 0"),
    "no task": ({"tasks": []}, "tasks: expected what the arm is to do"),
    "task no table": ({"tasks": [3]}, "tasks: expected tables"),
    "task of nothing": ({"tasks": {}}, "task 1: expected places of the tool, or joints, one of them"),
    "task of both": ({"tasks": {"places": [1, 0, 0], "joints": [0, 0]}}, "or joints, one of them"),
    "task misspelt": ({"tasks": {"place": [1, 0, 0]}}, "'place'; did you mean 'places'"),
    "no place": ({"tasks": {"places": []}}, "places: expected one or several"),
    "two numbers": ({"tasks": {"places": [1, 0]}}, "place 1: expected three numbers"),
    "place nan": ({"tasks": {"places": [1, 0, float("nan")]}}, "place 1: expected three numbers"),
    "no direction": ({"tasks": {"places": {"xyz": [1, 0, 0], "axis": [0, 0, 0]}}}, "axis: expected a direction"),
    "both directions": ({"tasks": {"places": {"xyz": [1, 0, 0], "axis": [0, 0, 1], "rpy": [0, 0, 0]}}}, "rpy or axis"),
    "no pose": ({"tasks": {"places": np.ones((4, 4))}}, "place 1: expected a pose"),
    "joints short": ({"tasks": {"joints": [0]}}, "expected 2 numbers, one a joint of planar2r"),
    "no such pose": ({"tasks": {"joints": "home"}}, "no pose of planar2r is called 'home'"),
    "no duration": ({"tasks": {"joints": [[0, 0], [1, 1]]}}, "duration: expected how many seconds its 1 legs take"),
    "duration": ({"tasks": {"joints": [0, 0], "duration": -1}}, "duration: expected a number of zero or more"),
    "payload": ({"tasks": {"joints": [0, 0], "payload": "2"}}, "payload: expected a number of zero or more, found '2'"),
    "motor no table": ({"motors": "S"}, "motors: expected tables"),
    "motor nameless": ({"motors": {"torque": 1, "speed": 1}}, "motor 1: name: is missing"),
    "motor misspelt": ({"motors": {"name": "A", "torqe": 1, "speed": 1}}, "'torqe'; did you mean 'torque'"),
    "motor weak": ({"motors": {"name": "A", "torque": 0, "speed": 1}}, "torque: expected a number above zero"),
    "gear": ({"motors": {"name": "A", "torque": 1, "speed": 1, "ratio": []}}, "ratio: expected one or several"),
    "better than whole": ({"motors": {"name": "A", "torque": 1, "speed": 1, "efficiency": 2}}, "of at most 1, found 2"),
    "twice": ({"motors": [{"name": "A", "torque": 1, "speed": 1}] * 2}, "motors: 'A' is there twice"),
    "for whom": ({"motors": {"name": "A", "torque": 1, "speed": 1, "joints": [3]}}, "expected some of theta1, theta2"),
    "for one": ({"motors": {"name": "A", "torque": 1, "speed": 1, "joints": [1]}}, "none is for joint 2 .theta2."),
    "choose": ({"choose": "colour"}, "choose: expected mass, price or power, found 'colour'"),
    "power of tables": ({"choose": "power", "motors": MOTORS}, "choose: power is that of motors in a table"),
    "gears alone": ({"gears": "gears.csv"}, "gears: a table of gears stands beside a table of motors"),
    "gears no file": ({"motors": "motors.csv", "gears": [3]}, "gears: expected a table, FILE.csv, found"),
    "ratio alone": ({"inertia_ratio": 5}, "inertia_ratio: needs the rotors of a table of motors"),
    "no such file": ({"motors": "motors.csv"}, "motors.csv: cannot be read"),
    "objective": ({"objectives": ["masses"]}, "no objective is called 'masses'; did you mean 'mass'"),
    "no objective": ({"objectives": []}, "objectives: expected some of mass, length"),
    "no price": ({"objectives": ["price"]}, "price: no motor has a price"),
    "no limit": ({"objectives": ["use"]}, "use: planar2r has no limits"),
    "at rest": ({"objectives": ["energy"], "tasks": HOLD}, "energy: no task moves"),
    "beam of another": ({"beam": {"l9": 2}}, "no length that varies is called 'l9'"),
    "beam of a mass": ({"vary": {"m1": [1, 2]}, "beam": {"m1": 2}}, "no row of planar2r has this length"),
    "beam of nothing": ({"vary": {"l1": [0, 2]}, "beam": {"l1": 2}}, "a beam is longer than zero"),
    "beam weightless": ({"beam": {"l1": 0}}, "beam: l1: expected a number above zero"),
    "setting": ({"task": HOLD}, "no setting of the study design is called 'task'; did you mean 'tasks'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_told(name: str, whole: Sentences) -> None:
    words, told = BAD[name]
    with whole.raises(mp.InputError, match=told):
        mp.studies.design(FLAT.with_parameters(l1=0.4, l2=0.4), **{"vary": {"l1": [0.2, 0.5]}, "tasks": SWING, **words})


def test_a_form_names_no_file(whole: Sentences) -> None:
    with whole.raises(mp.InputError, match="motors: expected tables; a file is named in a study file alone"):
        settings_from(FORM, {"motors": 'motors = "motors.csv"'})


def test_letters_that_do_nothing_and_names_of_results(whole: Sentences) -> None:
    plain = mp.Robot.from_dh([("q1", 0, "mass", 0)], name="odd")
    robot = replace(plain, values=(("free", number(1)),))
    task = {"joints": [[0], [1]], "duration": 1}
    with whole.raises(mp.InputError, match="vary: free: nothing in odd depends on it"):
        mp.studies.design(robot.with_parameters(mass=1), vary={"free": [1, 2]}, tasks=task)
    assert mp.studies.design(robot, vary={"mass": [1, 2]}, tasks=task, count=2).count == 2  # masses unknown: no column
    with whole.raises(mp.InputError, match="vary: Ia1: nothing in planar2r depends on it"):  # motors replace it
        mp.studies.design(FLAT.with_parameters(l1=1, l2=1), vary={"Ia1": [1, 2]}, tasks=SWING, motors=MOTORS)
    with whole.raises(mp.InputError, match="inverse_dynamics needs a value for"):
        mp.studies.design(robot, vary={"mass": [1, 2]}, tasks=task, motors=MOTORS)


@pytest.mark.turn
def test_where_nothing_is_said_there_is_a_first_look() -> None:
    found = mp.studies.design(FLAT.with_parameters(l1=0.4, l2=0.3), count=8)
    assert found.given == ("l1", "l2") and list(found.shared["objectives"]) == ["length", "energy"]
    assert 0.32 <= found.table["l1"].min() <= found.table["l1"].max() <= 0.48 and (found.table["feasible"] == 1).any()
    with pytest.raises(mp.InputError, match="no length of planar2r has a value"):
        mp.studies.design(FLAT)


FILE = """format = 1
study = "design"
robot = "arm.toml"

[settings]
vary = { l1 = [0.2, 0.6], l2 = [0.2, 0.6] }
beam = { l1 = 2.5, l2 = 1.5 }
count = 16

[[settings.tasks]]
places = [[0.5, 0.1, 0], [0.2, 0.4, 0]]
duration = 0.8
payload = 1.0

[[settings.motors]]
name = "M"
torque = 0.9
speed = 400
inertia = 5e-5
mass = 0.9
ratio = [30, 80]

[output]
results = "designs.csv"
report = "designs.html"
designs = "front"
"""


@pytest.mark.turn
def test_from_a_file_at_the_command_line() -> None:
    mp.save(FLAT, "arm.toml")
    Path("design.toml").write_text(FILE, encoding="utf-8")
    told = as_json("study", "design.toml")
    front = told["front"]["front"]
    assert front and told["front"]["objectives"] == {"mass": "least", "energy": "least"}
    assert sorted(Path(x).name for x in told["files"] if x.endswith(".toml")) == sorted(
        f"planar2r_{row['case']}.toml" for row in front
    )
    robot = mp.load(f"front/planar2r_{front[0]['case']}.toml")
    assert robot.parameters["l1"] == front[0]["l1"]
    page = Path("designs.html").read_text(encoding="utf-8")
    assert "energy over mass" in page and "why others do not do" in page
    assert "front of" in done("study", "design.toml", "--force")
    Path("odd.toml").write_text('format = 1\nstudy = "workspace"\nrobot = "rp"\n[output]\ndesigns = "x"\n')
    assert "designs: are written by the study design alone" in refused("study", "odd.toml")
    assert "--designs: robots are written by the study design alone" in refused(
        "study", "payload", "rp", "--designs", "x"
    )


def test_nothing_feasible_says_what_fails_most() -> None:
    found = mp.studies.design(
        FLAT, vary=NEAR, count=8, tasks=[{"name": "shelf", "places": [[0.45, 0, 0], [5, 0, 0]], "duration": 1}, HOLD]
    )
    front = found.front()
    assert str(front) == "none of 8 cases is feasible; most often (8): task shelf, place 2: not reached"
    assert not front.rows and not front.charts() and np.isnan(found.table["energy"]).all()
    with pytest.raises(mp.InputError, match="none of 8 cases is feasible"):
        front.picture()
    with pytest.raises(mp.InputError, match="the front has 0 rows"):
        front.robot(0)
    assert found.robot(3).parameters["l1"] == found.table["l1"][3]
    assert "none of 8 cases is feasible" in Path(found.report("none.html")).read_text(encoding="utf-8")


@pytest.mark.slow
def test_designs_that_all_fail_say_why() -> None:
    """Where a formula divides by a length, that length is not zero."""
    robot = mp.load("puma560").without("friction")
    found = mp.studies.design(robot, vary={"a2": [0.0]}, tasks={"joints": [0.1] * 6}, sample="product")
    with pytest.raises(mp.InputError, match=r"front: every case failed; the first says: .* \|a2\| > .*, found a2 = 0"):
        found.front()
    assert not found.has_front and found.report("failed.html").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("kept_functions")
def test_the_same_bytes_on_two_engines(tmp_path: Path) -> None:
    words: dict[str, Any] = {
        "vary": BOTH,
        "tasks": {"places": [[0.5, 0.1, 0], [0.2, 0.4, 0]], "duration": 1},
        "motors": MOTORS,
    }
    one = mp.studies.design(FLAT, count=64, **words)
    two = mp.studies.design(FLAT, count=64, engine="local", workers=2, resume=tmp_path / "kept", **words)
    assert one.path.read_bytes() == two.path.read_bytes()
    assert mp.studies.design(FLAT, count=64, resume=tmp_path / "kept", **words).computed == 0
