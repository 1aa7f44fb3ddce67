"""Whatever a verb gives back can be plain data: JSON without NaN, the same when read again."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import app
from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.general6r.solver import General6R
from manipula.ik.path import follow
from manipula.support.text import plain
from tests.laws.test_excitation import QUICK, planar
from tests.laws.test_motor_loads import GEARS, MOTORS
from tests.linkages import five_bar
from tests.random_robots import random_robot
from tests.recordings import recording, two_joints

pytestmark = pytest.mark.usefixtures("kept_functions")

ROBOT = "planar2r"


@cache
def numeric() -> mp.Robot:
    return mp.load(ROBOT).with_parameters(l1=1, l2=0.7, m1=3, m2=2, g=9.81)


def law() -> mp.Law:
    return mp.controller(ROBOT, "pd_gravity", kp=100, kd=20, sample=1e-3, optimise="none")


@cache
def run() -> Any:
    return mp.simulate(mp.Plant(numeric(), effort=None), None, start=[0.1, 0.2], until=0.01)


def chosen_drives(place: Path) -> Any:
    (place / "motors.csv").write_text(MOTORS, encoding="utf-8")
    (place / "gears.csv").write_text(GEARS, encoding="utf-8")
    demand = mp.loads(numeric(), mp.trajectory.quintic([0, 0], [0.1, 0.1], 5.0))
    return mp.choose_drives(demand, place / "motors.csv", place / "gears.csv")


def motions() -> mp.Motions:
    return mp.Motions.within([(-1, 1), (-2, 2)], 1.0, 2.0, samples=64)


def doubled(case: dict[str, Any], rng: Any) -> dict[str, Any]:
    return {"twice": 2 * case["a"]}


def reported() -> str:
    """Where the page is built, which needs node."""
    hidden = ("arm", "equations", "inverse", "motion", "counts", "check", "base", "code")
    try:
        return mp.report(ROBOT, hidden=hidden, optimise="none")
    except mp.ManipulaError as error:
        pytest.skip(str(error))


Q = np.random.default_rng(0).uniform(-2, 2, (20, 2))


def spring(arm: Any, q: Any, kp: Any) -> Any:
    return -kp * q


VERBS: dict[str, Callable[[Path], Any]] = {
    "base_parameters": lambda place: mp.base_parameters(ROBOT),
    "calibrate": lambda place: mp.calibrate(numeric(), Q, mp.Arm(numeric()).pose(Q)),
    "check": lambda place: mp.check(ROBOT),
    "check_base_parameters": lambda place: mp.check_base_parameters(ROBOT),
    "choose_drives": chosen_drives,
    "closed_forms": lambda place: mp.closed_forms(five_bar()),
    "closed_loop": lambda place: mp.closed_loop(ROBOT, law(), optimise="none"),
    "controller": lambda place: law(),
    "convert": lambda place: mp.convert(mp.load(ROBOT), "modified"),
    "count": lambda place: mp.count(ROBOT, ["pose", "gravity"]),
    "count_orders": lambda place: mp.count_orders(ROBOT),
    "check_answer": lambda place: mp.check_answer(ROBOT, "T14 = l1*c1 + l2*c12"),
    "derive": lambda place: mp.derive(ROBOT, "pose"),
    "law": lambda place: mp.law(spring, settings={"kp": "n"}),
    "where": lambda place: {"x": mp.where([True, False], 1, 2).tolist()},
    "worksheet": lambda place: mp.worksheet(ROBOT, topics=["pose"], seed=1),
    "dossier": lambda place: mp.dossier(ROBOT, place),
    "drawing": lambda place: mp.drawing(ROBOT),
    "excite": lambda place: mp.excite(planar(), **QUICK),
    "generate": lambda place: mp.generate("puma560_symbolic", "inverse_dynamics"),
    "identify": lambda place: mp.identify(
        two_joints(), recording(two_joints(), 3), model=mp.JointModel(), filter=None, prior=None, method="wls"
    ),
    "inverse_derivation": lambda place: mp.inverse_derivation(ROBOT),
    "languages": lambda place: mp.languages(),
    "load": lambda place: mp.load("panda"),
    "loads": lambda place: mp.loads(numeric(), mp.trajectory.quintic([0, 0], [1, 1], 1.0)),
    "methods": lambda place: mp.methods("pose"),
    "models": lambda place: mp.models(),
    "picture": lambda place: mp.picture(ROBOT),
    "reach": lambda place: mp.reach(numeric()),
    "read_log": lambda place: mp.read_log(run().save(place / "run.csv")),
    "report": lambda place: reported(),
    "robot_module": lambda place: mp.robot_module(ROBOT, models=["pose"], optimise="none"),
    "robots": lambda place: mp.robots(),
    "save": lambda place: mp.save(mp.load(ROBOT), place / "arm.toml"),
    "screws": lambda place: mp.screws(numeric()),
    "simulate": lambda place: run(),
    "singularities": lambda place: mp.singularities("stanford3"),
    "significance": lambda place: mp.significance(numeric(), motions()),
    "study": lambda place: mp.study(doubled, {"a": [1, 2]}),
    "tables": lambda place: mp.tables(mp.load(ROBOT)),
}


def assert_plain(value: Any) -> Any:
    """JSON can hold it as it is, without a number that JSON has no word for, and gives the same back."""
    data = value.as_dict() if hasattr(value, "as_dict") else plain(value)
    again = json.loads(json.dumps(data, allow_nan=False))
    assert again == plain(data) and again
    return again


def assert_told_in_short(found: Any) -> None:
    """At a prompt a line or two, not the inside; in a notebook a table whose text is only text."""
    if isinstance(found, str | Path | dict) or (type(found) is list and all(isinstance(x, str | Path) for x in found)):
        return
    told = repr(found)
    assert told.count("\n") < 5 and len(told) <= 400 and " object at 0x" not in told, told[:500]
    for item in found if isinstance(found, tuple) else [found]:
        if hasattr(item, "_repr_html_") and (page := item._repr_html_()):
            Balanced().feed(page)


DRAWN = ["svg", "title", "defs", "lineargradient", "radialgradient", "stop", "path", "ellipse", "circle"]

# derivations: formulas, and steps that fold
TYPESET = [
    "style",
    "section",
    "article",
    "div",
    "span",
    "details",
    "summary",
    "h1",
    "h2",
    "h3",
    "ol",
    "li",
    "em",
    "math",
]
TYPESET += ["mrow", "mi", "mn", "mo", "mtext", "msub", "msup", "msubsup", "mfrac", "msqrt", "mover", "mtable", "mtr"]
TYPESET += ["mtd", "mspace", "mstyle", "mpadded", "munder", "munderover", "mmultiscripts", "mprescripts", "mfenced"]


class Balanced(HTMLParser):
    """Every mark that is opened is closed, in order, and only marks of tables, paragraphs, formulas and pictures are
    there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td", "p", "h4", *DRAWN, *TYPESET), tag
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def feed(self, data: str) -> None:
        super().feed(data)
        assert not self.open and data.strip()


def test_every_verb_is_here() -> None:
    assert set(VERBS) == {name for name in mp.__all__ if inspect.isfunction(getattr(mp, name))}


@pytest.mark.parametrize("verb", VERBS)
def test_what_a_verb_gives_back(verb: str, tmp_path: Path) -> None:
    found = VERBS[verb](tmp_path)
    assert_told_in_short(found)
    for item in found if isinstance(found, list | tuple) else [found]:
        bare = isinstance(item, str | Path | dict)
        assert bare or hasattr(item, "as_dict"), f"{verb} gives {type(item).__name__}, which has no as_dict()"
        assert_plain(item)


@pytest.mark.turn
def test_every_public_class_of_results() -> None:
    classes = {name: x for name in mp.__all__ if inspect.isclass(x := getattr(mp, name))}
    results = {name for name, x in classes.items() if not issubclass(x, BaseException) and name != "Arm"}
    assert {name for name in results if not hasattr(classes[name], "as_dict")} == set()
    assert_plain(motions())
    assert_told_in_short(motions())
    for thing in (
        mp.Plant(numeric(), effort=5),
        mp.Event(t=1, payload=2.0),
        mp.Sensors(noise={"q": [1e-5, 2e-5]}, delay=2),
        mp.JointModel(coupling={("q5", "q6"): 1.0}),
    ):
        assert_plain(thing)
        assert_told_in_short(thing)
    made = mp.generate(ROBOT, "gravity")
    estimators = mp.OnlineEstimator(numeric()), mp.PayloadEstimator(numeric())
    for thing in (mp.Arm(numeric()), *estimators, made.function, made.tape, made.compile(), made.cost, motions()):
        assert_told_in_short(thing)
    told = {type(x).__name__ for x in (*estimators, law(), run(), made, numeric(), motions())}
    told |= {"Plant", "Event", "Sensors", "JointModel", "System", "Arm", "Log"}
    assert told >= results | {"Arm"}


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(6))
def test_a_robot_and_its_arm_in_a_line(seed: int) -> None:
    """However many joints and symbols, and whatever its name."""
    robot = mp.Robot.of(random_robot(seed, joints=1 + 3 * seed))
    robot = replace(robot, name="<b>α & ω</b>")
    told = f"{robot.dof} joint{'s' * (robot.dof > 1)}"
    assert told in repr(robot) and told in repr(mp.Arm(robot))
    assert_told_in_short(robot)
    assert_told_in_short(mp.Arm(robot))
    assert_told_in_short(mp.tables(robot))
    assert_told_in_short(mp.check(robot) if seed < 2 else robot)


@pytest.mark.parametrize("style", ["text", "unicode", "latex"])
@pytest.mark.parametrize("form", ["auxiliary", "factored", "expanded"])
def test_equations_and_conditions(form: str, style: str) -> None:
    model = mp.generate(ROBOT, "gravity")
    told = assert_plain(model.equations(form, style))
    assert [(x["left"], x["right"]) for x in told["equations"]] == list(model.equations(form, style))
    for condition in mp.generate("puma560_symbolic", "inverse_dynamics").conditions:
        assert assert_plain(condition)["condition"] == str(condition)


@pytest.mark.parametrize("seed", range(5))
def test_a_model_tells_its_numbers(seed: int) -> None:
    robot = mp.Robot.of(random_robot(seed, joints=1 + seed % 3))
    model = mp.generate(robot, ("inverse_dynamics", "pose", "regressor", "energy", "jacobian")[seed], optimise="none")
    told = assert_plain(model)
    assert told["cost"]["total"] == model.cost.total and told["provenance"]["robot"] == robot.name
    assert {port: tuple(names) for port, names in told["inputs"].items()} == model.inputs
    assert {port: tuple(shape) for port, shape in told["outputs"].items()} == model.outputs
    assert_plain(robot)


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["ur5", "panda", ROBOT])
def test_answers_of_inverse_kinematics(name: str) -> None:
    arm = mp.Arm(numeric() if name == ROBOT else name)
    q = np.linspace(-0.4, 0.6, arm.dof)
    q = np.clip(q, [low + 0.01 for low, _ in arm.limits], [high - 0.01 for _, high in arm.limits])
    here, far = arm.pose(q), arm.pose(q) + np.array([[0, 0, 0, 9.0]] * 3 + [[0, 0, 0, 0]])
    near, lost, many = (arm.inverse_kinematics(x) for x in (here, far, np.stack([here, far])))
    for answer in (near, lost, many):
        assert_told_in_short(answer)
    told = assert_plain(near)
    assert told["answers"] == near.q.tolist() and told["nearest"] is None
    assert sum(row["kept"] for row in told["branches"]) == len(near.q)
    assert assert_plain(lost)["nearest"]["reason"] == lost.nearest.reason
    assert_plain(many)
    assert assert_plain(arm.inverse_plan)["closed_form"] and assert_plain(arm.inverse_plan)["kind"] == "closed form"
    path = follow(arm.inverse_solver, np.stack([here, far, here]), q)
    assert assert_plain(path)["unreached"] == [1] and assert_plain(path)["q"][1] == [None] * arm.dof


@pytest.mark.turn
def test_answers_to_a_part_and_at_a_singular_pose() -> None:
    arm = mp.Arm("puma560")
    assert assert_plain(arm.inverse_kinematics([0.4, 0.2, 0.3], task="position"))["note"]
    singular = arm.inverse_kinematics(arm.pose([0.3, -0.6, 0.4, 0.2, 0, 0.5]))
    families = [x for x in singular.families if x is not None]
    assert families and all(assert_plain(x)["text"] == x.text for x in families)


def test_how_elimination_went() -> None:
    rows = [
        (0.1, 0.2, 0.3, 40),
        (0.2, 0.1, 0.2, 70),
        (0, 0.3, 0.1, 35),
        (0.3, 0.2, 0.2, 80),
        (0, 0.1, 0.1, 25),
        (0, 0.2, 0.1, 55),
    ]
    robot = mp.Robot.from_dh([dict(zip(("theta", "d", "a", "alpha"), row)) for row in rows], angle="deg", name="odd")
    chain = numeric_chain(robot)
    info = General6R(chain).solve(np.asarray(mp.Arm(robot).pose(np.linspace(-1, 1, 6)))).info
    assert assert_plain(info)["complete"] is info.complete


def test_no_number_is_none_and_what_has_no_form_is_refused() -> None:
    assert plain([np.nan, np.inf, np.float64(1.5), np.int64(2), np.bool_(True), (1, 2)]) == [
        None,
        None,
        1.5,
        2,
        True,
        [1, 2],
    ]
    with pytest.raises(TypeError, match="has no plain form"):
        plain(object())


COMMANDS = [
    ("show", ROBOT), ("count", ROBOT, "-m", "gravity"), ("check", ROBOT), ("equations", ROBOT, "gravity"),
    ("base-parameters", ROBOT), ("ik", ROBOT, "--q", "0.1 0.2", "--set", "l1=1", "--set", "l2=0.7"),
    ("ik", ROBOT, "--derive"), ("robots",),
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_command_line_writes_the_same(command: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*command, "--json"])
    assert done.exit_code == 0, done.output

    def refuse(word: str) -> None:
        raise InputError(word)

    assert json.loads(done.stdout, parse_constant=refuse)


def test_show_and_check_are_the_objects_own_data() -> None:
    own = {"show": mp.load(ROBOT), "check": mp.check(ROBOT), "base-parameters": mp.base_parameters(ROBOT)}
    for command, wanted in own.items():
        done = CliRunner().invoke(app, [command, ROBOT, "--json"])
        assert json.loads(done.stdout) == plain(wanted)


@pytest.mark.parametrize("robot", ["planar2r", "puma560", "stanford3"])
def test_a_model_is_told_in_a_line(robot: str) -> None:
    for name in ("pose", "gravity", "inertia_matrix"):
        told = repr(mp.generate(robot, name, optimise="none"))
        assert "\n" not in told
        assert len(told) < 200
        assert name in told
        assert "proved" in told
    law = mp.controller(robot, "pid", sample=1e-3, kp=1, ki=1, kd=1, limit=1, tracking=1, filter=1e-3)
    assert "a step every 0.001 s" in repr(law)
    assert len(repr(law)) < 300


def test_what_comes_of_a_run_is_told_in_a_line(tmp_path: Path) -> None:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    run = mp.simulate(mp.Plant(arm, effort=None), [1.0, 0.0], start=[0, 0], until=0.01)
    run.save(tmp_path / "run.csv")
    for thing in (run, mp.read_log(tmp_path / "run.csv"), mp.loads(arm, run)):
        assert "\n" not in repr(thing)
        assert len(repr(thing)) < 160
