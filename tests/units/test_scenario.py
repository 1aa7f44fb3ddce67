"""Scenario files: what they describe is what `simulate` makes, and what is broken is told by table, row and key."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula import api
from manipula.cli.app import app
from manipula.simulation.scenario import ReferenceTable, joints_from, motion_from, read_scenario, schema_text
from tests.golden.sentences import Sentences

pytestmark = pytest.mark.usefixtures("kept_functions")

TEXT = """
format = 1
robot = "planar2r"
angle = "deg"
wrench = [1, 0, 0, 0, 0, 0]
[plant]
parameters = { l1 = 0.5, l2 = 0.4, m1 = 3, m2 = 2, g = 9.81 }
payload = { mass = 0.5, com = [0, 0.1, 0] }
effort = "none"
[law]
name = "pd_gravity"
sample = 1e-3
kp = [400, 250]
kd = 40
[reference]
start = [0, 10]
goal = [40, -20]
duration = 0.03
[run]
until = 0.04
[[event]]
t = 0.01
payload = "none"
[[event]]
t = 0.02
wrench = [0, 5, 0, 0, 0, 0]
[output]
log = "run.csv"
report = "run.html"
"""


@pytest.mark.turn
def test_a_scenario_is_the_run_it_describes(tmp_path: Path) -> None:
    file = tmp_path / "pick.toml"
    file.write_text(TEXT, encoding="utf-8")
    run, written = api.simulate_file(file)
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    law = mp.controller(arm, "pd_gravity", sample=1e-3, kp=[400, 250], kd=40)
    same = mp.simulate(
        mp.Plant(arm.with_payload(0.5, (0, 0.1, 0)), effort=None), law,
        mp.trajectory.quintic(np.radians([0, 10]), np.radians([40, -20]), 0.03), until=0.04, wrench=[1, 0, 0, 0, 0, 0],
        events=[mp.Event(0.01, payload=None), mp.Event(0.02, wrench=[0, 5, 0, 0, 0, 0])],
    )  # fmt: skip
    np.testing.assert_array_equal(run.q, same.q)
    np.testing.assert_array_equal(run.tau, same.tau)
    assert [path.name for path in written] == ["run.csv", "run.html"]
    np.testing.assert_array_equal(mp.read_log(written[0]).q, run.q)


@pytest.mark.turn
def test_elastic_joints_play_and_bristles_stand_in_the_table_of_the_plant(tmp_path: Path) -> None:
    file = tmp_path / "soft.toml"
    drives = 'elastic = [2000, 900]\nbacklash = 0.002\nfriction = "lugre"\nsigma0 = 1500\nsigma1 = 4\n'
    text = TEXT.partition("[[event]]")[0].replace("wrench = [1, 0, 0, 0, 0, 0]\n", "")
    text = text.replace('effort = "none"\n', f'effort = "none"\n{drives}')
    text = text.replace("g = 9.81 }", "g = 9.81, Ia1 = 0.3, Ia2 = 0.2, fc1 = 1.5, fc2 = 0.5 }")
    file.write_text(text, encoding="utf-8")
    run, _ = api.simulate_file(file)
    values = {"l1": 0.5, "l2": 0.4, "m1": 3, "m2": 2, "g": 9.81, "Ia1": 0.3, "Ia2": 0.2, "fc1": 1.5, "fc2": 0.5}
    arm = mp.load("planar2r").with_parameters(**values)
    plant = mp.Plant(
        arm.with_payload(0.5, (0, 0.1, 0)), "lugre", None, elastic=[2000, 900], backlash=0.002, sigma0=1500, sigma1=4
    )
    law = mp.controller(arm, "pd_gravity", sample=1e-3, kp=[400, 250], kd=40)
    ref = mp.trajectory.quintic(np.radians([0, 10]), np.radians([40, -20]), 0.03)
    same = mp.simulate(plant, law, ref, until=0.04)
    assert sorted(run.state) == ["bristle", "motor", "motor_rate"]
    np.testing.assert_array_equal(run.q, same.q)
    np.testing.assert_array_equal(run.state["motor"], same.state["motor"])


BROKEN = [
    ('effort = "none"', "elastic = -1", "plant: elastic"),
    ('effort = "none"', "elastic = true", "joint 'theta1' has no stiffness and no motor_inertia"),
    ('effort = "none"', "backlash = 0.1", "backlash: is play in a spring"),
    ('effort = "none"', 'friction = "rough"', "plant: friction: found 'rough'"),
    ("format = 1", "", "format: is missing"),
    ("format = 1", "format = 2", "format: found 2; input should be 1"),
    ('robot = "planar2r"', "", "robot: is missing"),
    ('robot = "planar2r"', 'robot = "planar3r"', "no robot in the library .and no file. is called 'planar3r'"),
    ('angle = "deg"', 'angle = "grad"', "angle: found 'grad'"),
    ("[run]", "[rum]", "rum: no such key"),
    ("duration = 0.03", "duration = -1", "reference: duration: found -1"),
    ("duration = 0.03", "duration = nan", "reference: duration: found nan"),
    ("duration = 0.03", "", "reference: quintic needs duration"),
    ("duration = 0.03", "duration = 0.03\njerk = 2", "reference: quintic has no jerk"),
    ("start = [0, 10]", "start = [0]", "reference: start: expected 2 numbers"),
    ("start = [0, 10]", 'kind = "cubic"\nstart = [0, 10]', "reference: kind: found 'cubic'"),
    ("until = 0.04", "until = 0.04\nstep = 0", "run: step: found 0"),
    ("until = 0.04", 'until = 0.04\nmethod = "rk5"', "no method is called 'rk5'"),
    ('name = "pd_gravity"', 'name = "pd_gravty"', "no control law is called 'pd_gravty'"),
    ("kd = 40", "kd = -40", "kd .*expected at least 0, found -40"),
    ("kd = 40", "kd = 40\nki = 3", "'ki'"),
    ("kp = [400, 250]", "kp = [400, 250, 3]", "kp: expected a number or 2 numbers"),
    ("mass = 0.5", "mass = -0.5", "plant: payload: mass: found -0.5"),
    ('payload = "none"', 'payload = "all"', "event: row 1: payload: found 'all'"),
    ("wrench = [0, 5, 0, 0, 0, 0]", "wrench = [0, 5]", "event: row 2: wrench: found"),
    ("t = 0.02", "", "event: row 2: t: is missing"),
    ("t = 0.02", "t = 7", "event at 7 s: the run ends at 0.04 s"),
    ("l1 = 0.5", "l9 = 0.5", "no parameter is called 'l9'"),
    ('log = "run.csv"', 'log = "run.xls"', "output: log: found 'run.xls'; string should match pattern"),
    ("[run]", "[run", "is no TOML"),
    ("until = 0.04", "until = true", "run: until: found True; input should be a valid number"),
    ("until = 0.04", 'until = "0.04"', "run: until: found '0.04'"),
    ("until = 0.04", "until = 0.04\nevery = 41", "every: keeps one step in 41 of a run of 40"),
    ("until = 0.04", "until = 0.04\n[sensors]\nnoise = { q = -1 }", "sensors: noise: q: found -1"),
    ('effort = "none"', "effort = -1", "plant: effort: found -1"),
    (", g = 9.81 }", " }", r"planar2r: .* needs a value for g; .plant. parameters = \{ g = … \} gives one"),
    (
        "start = [0, 10]\ngoal = [40, -20]\nduration = 0.03",
        'kind = "spline"\npoints = [[0, 1], [2]]',
        "reference: points: row 2: expected 2 numbers, one a joint, found 1",
    ),
    (
        "duration = 0.03",
        'kind = "trapezoid"\nvelocity = [1, 2, 3]\nacceleration = 3',
        "reference: velocity: expected 2 numbers",
    ),
]


@pytest.mark.parametrize("old, new, sentence", BROKEN, ids=[sentence[:40] for *_, sentence in BROKEN])
def test_a_broken_row_is_told_by_file_table_and_key(
    old: str, new: str, sentence: str, tmp_path: Path, whole: Sentences
) -> None:
    assert old in TEXT
    file = tmp_path / "broken.toml"
    file.write_text(TEXT.replace(old, new), encoding="utf-8")
    with whole.raises(mp.InputError, match=sentence) as told:
        api.simulate_file(file)
    assert str(file) in str(told.value)


def test_the_published_schema_is_up_to_date_and_agrees_with_the_reader() -> None:
    published = files("manipula.simulation").joinpath("scenario.schema.json").read_text(encoding="utf-8")
    assert published == schema_text()
    check = jsonschema.Draft202012Validator(json.loads(published))
    check.validate(json.loads(json.dumps(tomllib.loads(TEXT))))
    for old, new in (("[run]", "[rum]"), ("format = 1", "format = 3"), ("t = 0.02", "t = -1")):
        with pytest.raises(jsonschema.ValidationError):
            check.validate(json.loads(json.dumps(tomllib.loads(TEXT.replace(old, new)))))


def test_files_that_are_not_there() -> None:
    with pytest.raises(mp.InputError, match=r"nowhere.toml: cannot be read"):
        read_scenario("nowhere.toml")


def test_degrees_are_of_joints_that_turn() -> None:
    np.testing.assert_allclose(joints_from([90, 0.5], [True, False], True, "q"), [np.pi / 2, 0.5])


@pytest.mark.parametrize("seed", range(4))
def test_rates_of_a_reference_are_in_the_angle_of_the_file(seed: int) -> None:
    """So the same motion takes the same time, in degrees and in radians, whichever joints turn."""
    rng = np.random.default_rng(seed)
    turns = [bool(x) for x in rng.integers(0, 2, 3)]
    unit = np.where(turns, 180 / np.pi, 1.0)
    goal, top = rng.uniform(0.2, 1, 3), rng.uniform(1, 3, (3, 3))
    rates = dict(zip(("velocity", "acceleration", "jerk"), top))
    for kind in ("trapezoid", "jerk_limited"):
        given = {name: x for name, x in rates.items() if kind == "jerk_limited" or name != "jerk"}
        made = []
        for scale, degrees in ((np.ones(3), False), (unit, True)):
            told = {name: (x * scale).tolist() for name, x in given.items()}
            table = ReferenceTable(kind=kind, start=[0, 0, 0], goal=(goal * scale).tolist(), **told)
            made.append(motion_from(table, turns, degrees, Path()))
        assert made[0].duration == pytest.approx(made[1].duration, rel=1e-12)


def test_one_rate_for_all_joints_is_in_degrees_too() -> None:
    table = ReferenceTable(kind="trapezoid", start=[0, 0], goal=[90, 0.0], velocity=90, acceleration=360)
    assert motion_from(table, [True, True], True, Path()).duration == pytest.approx(1 + 90 / 360)


def test_an_editor_of_windows_may_mark_the_file_and_one_effort_is_for_all(tmp_path: Path) -> None:
    file = tmp_path / "marked.toml"
    file.write_text("\ufeff" + TEXT.replace('effort = "none"', "effort = 80"), encoding="utf-8")
    assert read_scenario(file).plant.effort == 80


VALUES = ["--set", "l1=0.5", "--set", "l2=0.4", "--set", "m1=3", "--set", "m2=2", "--set", "g=9.81"]


def ran(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(app, list(words))
    assert found.exception is None or isinstance(found.exception, SystemExit)
    return found.exit_code, found.output


def test_the_common_case_needs_no_file(tmp_path: Path) -> None:
    log = tmp_path / "run.csv"
    words = "simulate planar2r computed_torque --to 40,20 --degrees --duration 0.05 --json --csv"
    code, text = ran(*words.split(), str(log), *VALUES)
    told = json.loads(text[text.index("{") :])
    assert code == 0 and told["about"]["law"] == "computed_torque" and told["files"] == [str(log)]
    assert mp.read_log(log).q_ref[-1] == pytest.approx(np.radians([40, 20]))


@pytest.mark.parametrize(
    "words, sentence",
    [
        ("simulate planar2r pidd --to 1,1", "no control law is called 'pidd'"),
        ("simulate planar2r pd_gravity --to 1,1", "no value for kp"),
        ("simulate planar2r pd_gravity --gain kp --to 1,1", "--gain: expected NAME=VALUE, found 'kp'"),
        ("simulate planar2r --to 1", "--to: expected 2 numbers, one a joint, found 1"),
        ("simulate planar2r", "give a motion, --to Q, or the end of the run in seconds, --until 2"),
        ("simulate planar2r --until 0.1 --method rk5", "no method is called 'rk5'"),
        ("loads planar2r", "give a motion: --to Q, or --table"),
        ("loads planar2r --to 1,x", "--to: expected numbers"),
    ],
)
def test_bad_options_end_with_code_2_and_a_sentence(words: str, sentence: str, whole: Sentences) -> None:
    code, text = ran(*words.split(), *VALUES)
    assert code == 2 and sentence in text.replace("\n", " ")
    whole.compare(text.replace("\n", " "))


def test_loads_as_a_table_and_as_data() -> None:
    code, text = ran(*["loads", "planar2r", "--to", "1,0.5", "--duration", "0.5", "--payload", "1"], *VALUES)
    assert code == 0 and "theta2" in text and "moment [N·m]" in text
    code, text = ran(*["loads", "planar2r", "--to", "1,0.5", "--duration", "0.5", "--json"], *VALUES)
    assert code == 0 and [x["joint"] for x in json.loads(text)["joints"]] == ["theta1", "theta2"]


@pytest.mark.turn
@pytest.mark.parametrize("limit", [None, 2.0])
def test_only_an_effort_that_the_file_limits_is_clipped(limit: float | None, tmp_path: Path) -> None:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    text = api.to_text(arm)
    if limit is not None:
        text = text.replace('type = "revolute"', f'type = "revolute"\neffort_limit = {limit}')
    (tmp_path / "arm.toml").write_text(text, encoding="utf-8")
    log = tmp_path / "run.csv"
    words = f"simulate {tmp_path / 'arm.toml'} computed_torque --to 40,20 --degrees --duration 0.05 --csv"
    code, told = ran(*words.split(), str(log))
    assert code == 0, told
    largest = np.abs(mp.read_log(log).tau).max()
    assert largest > 20 if limit is None else largest == limit
