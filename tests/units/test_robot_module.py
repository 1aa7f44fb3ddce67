"""A robot as one JavaScript module: data and models, against the plain text of the models."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.api import robot_data as data_of
from manipula.cli.app import app
from manipula.errors import InputError, UnknownNameError
from manipula.generation.module import USUAL
from manipula.mechanics.robot.description import RobotDescription
from tests.module_states import assert_close, follower, module_of, module_values, plain_values, states_of
from tests.node import needs_node, run_node
from tests.random_robots import random_robot, random_tree

STATES = 1000
HOSTILE = "</script><!-- \"quoted\" 'single' `back` ${x} \\ */ é π \u2028 \n end"


def hostile() -> RobotDescription:
    robot = random_robot(4, joints="RP")
    rows = tuple(replace(joint, name=f"{HOSTILE}{i}") for i, joint in enumerate(robot.joints))
    return replace(robot, joints=rows, name=HOSTILE)


ROBOTS = {
    "planar2r": lambda: mp.load("planar2r"),
    "stanford3": lambda: mp.load("stanford3"),
    "scara": lambda: mp.load("scara"),
    "one": lambda: mp.Robot.of(random_robot(3, joints="R")),
    "slide_first": lambda: mp.Robot.of(random_robot(7, joints="PRR")),
    "fixed_first": lambda: mp.Robot.of(random_robot(8, joints="FRR")),
    "screw": lambda: mp.Robot.of(random_robot(9, joints="HR")),
    "tree": lambda: mp.Robot.of(replace(random_tree(5, "RRR"), tool_on=None)),
    "follower": lambda: mp.Robot.of(follower()),
    "hostile": lambda: mp.Robot.of(hostile()),
}
MODELS = [name for name in USUAL if name != "inverse_kinematics"]
WHOLE = ("planar2r", "follower", "hostile")  # of the others every second model, in turn


@needs_node
def test_ten_robots_compute_what_the_plain_models_say(tmp_path: Path) -> None:
    asked = {}
    for turn, (name, made) in enumerate(ROBOTS.items()):
        models = MODELS if name in WHOLE else MODELS[turn % 2 :: 2]
        text = module_of(made(), models=models)
        data = data_of(text)
        assert set(data["models"]) | {x["model"] for x in data["missing"]} == set(models)
        assert len(data["missing"]) <= 2, data["missing"]
        asked[name] = text, list(data["models"]), states_of(made(), STATES)
    found = module_values(asked, tmp_path)
    for name, (_, models, states) in asked.items():
        robot = ROBOTS[name]()
        for model in models:
            assert_close(model, found[name][model], plain_values(robot, model, states))


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "puma560", "ur5e", "twelve"])
def test_large_robots_compute_what_the_plain_models_say(name: str, tmp_path: Path) -> None:
    robot = mp.Robot.of(random_robot(12, joints="RRRRPRRRRRRR")) if name == "twelve" else mp.load(name)
    models = MODELS[:6] if name == "twelve" else MODELS
    states = states_of(robot, STATES)
    found = module_values({name: (mp.robot_module(robot, models=models), models, states)}, tmp_path)
    for model in models:
        assert_close(model, found[name][model], plain_values(robot, model, states))


@needs_node
def test_parameters_may_be_given_changed_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "arm.mjs").write_text(module_of("planar2r", models=["pose", "gravity"]))
    script = """
    import { pose, gravity, robot, values } from "./arm.mjs";
    const q = [0.3, -0.4], names = robot.parameters.map((x) => x.name);
    const x = (p) => pose(q, p)[0][3];
    const want = (l1, l2) => l1 * Math.cos(0.3) + l2 * Math.cos(-0.1);
    const near = (a, b) => { if (!(Math.abs(a - b) < 1e-15)) throw new Error(`${a} is not ${b}`); };
    near(x(), want(0.3, 0.3));
    const p = [...values];
    p[names.indexOf("l1")] = 2;
    near(x(p), want(2, 0.3));
    p[names.indexOf("l1")] = 3;       // the same array, changed
    near(x(p), want(3, 0.3));
    near(x(Float64Array.from(p)), want(3, 0.3));
    near(x(null), want(0.3, 0.3));
    near(x(), want(0.3, 0.3));
    near(gravity(q, p)[1], 9.81 * 0.3 * Math.cos(-0.1));
    for (const wrong of [() => pose([1]), () => pose(q, [1]), () => pose()]) {
      try { wrong(); } catch (error) { if (error instanceof RangeError) { console.log(error.message); } }
    }
    """
    assert run_node(script, tmp_path).splitlines() == ["q needs 2 numbers", "p needs 5 numbers", "q needs 2 numbers"]


def test_the_text_is_harmless_in_a_page_and_the_same_every_time() -> None:
    robot = mp.Robot.of(hostile()).with_poses({"__proto__": [0, 0], "</script>": [0.1, 0]})
    text = module_of(robot, models=["pose", "gravity"])
    assert text == module_of(robot, models=["gravity", "pose"])
    assert "</" not in text and "<!--" not in text and text.isascii()
    code = text[text.index("\n};") :]
    assert code.count("*/") == code.count("/*")
    assert "import" not in text.replace("No imports", "") and "eval(" not in text
    assert data_of(text)["name"] == HOSTILE


@needs_node
def test_names_arrive_as_they_are(tmp_path: Path) -> None:
    robot = mp.Robot.of(hostile()).with_poses({"__proto__": [0, 0.1]})
    (tmp_path / "arm.mjs").write_text(module_of(robot, models=["pose"]))
    script = """
    import { robot } from "./arm.mjs";
    console.log(JSON.stringify([robot.name, robot.joints[1].name, Object.keys(robot.poses)]));
    """
    assert json.loads(run_node(script, tmp_path)) == [HOSTILE, f"{HOSTILE}1", ["__proto__"]]


def test_the_data_say_what_the_robot_is() -> None:
    data = data_of(module_of("panda", models=["pose", "gravity"]))
    assert (data["format"], data["name"], data["dof"]) == (1, "panda", 7)
    first = data["joints"][0]
    assert (first["kind"], first["unit"]) == ("revolute", "rad") and first["limits"] == pytest.approx([-2.8973, 2.8973])
    assert data["parameters"] == [] and data["missing"] == []
    pose = data["models"]["pose"]
    assert pose["inputs"] == [{"name": "q", "size": [7], "unit": "rad"}]
    assert pose["outputs"] == [{"name": "T", "size": [4, 4], "unit": "1, m"}]
    cost = mp.generate("panda", "pose", optimise="none").cost
    assert pose["cost"] == {"mul": cost.mul, "add": cost.add, "trig": cost.trig, "total": cost.total}


def test_numbers_of_the_table_can_stay_parameters() -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5)
    told = {x["name"]: x for x in data_of(module_of(robot, models=["pose"], symbolic="all"))["parameters"]}
    assert (told["l1"]["value"], told["l1"]["default"], told["l1"]["stand_in"]) == (0.5, 0.5, False)
    assert (told["l2"]["value"], told["l2"]["default"], told["l2"]["stand_in"]) == (None, 0.3, True)
    assert "l1" not in {x["name"] for x in data_of(module_of(robot, models=["pose"]))["parameters"]}


def test_what_cannot_be_made_is_named() -> None:
    tree = mp.Robot.of(replace(random_tree(5, "RRR"), tool_on=None, tool=(), frames=()))
    missing = {x["model"]: x["why"] for x in data_of(module_of(tree, models=["frames", "pose"]))["missing"]}
    assert not missing or ("pose" in missing and "say which frame" in missing["pose"])
    late = data_of(module_of("planar2r", models=["frames", "gravity"], seconds=-1.0))
    assert late["models"] == {} and [x["model"] for x in late["missing"]] == ["frames", "gravity"]
    with pytest.raises(UnknownNameError, match="gravty"):
        module_of("planar2r", models=["gravty"])
    with pytest.raises(InputError, match="a list of names"):
        module_of("planar2r", models="pose")  # type: ignore[arg-type]


def test_a_path_gets_the_text(tmp_path: Path) -> None:
    text = mp.robot_module("planar2r", tmp_path / "sub" / "arm.mjs", ["pose"], optimise="none")
    assert (tmp_path / "sub" / "arm.mjs").read_text() == text
    assert np.all([word in text for word in ("export const robot", "export function pose(q, p)")])


def test_the_command_writes_the_module(tmp_path: Path) -> None:
    asked = ["generate", "planar2r", "--whole", "-m", "pose,gravity", "-o", str(tmp_path)]
    done = CliRunner().invoke(app, [*asked, "-l", "js"])
    assert done.exit_code == 0, done.output
    assert list(data_of((tmp_path / "planar2r.mjs").read_text())["models"]) == ["pose", "gravity"]
    for odd in (["--wrench"], ["-l", "rust"], ["--method", "newton-euler"]):
        refused = CliRunner().invoke(app, ["generate", "planar2r", "--whole", *odd, "-o", str(tmp_path)])
        assert refused.exit_code == 2 and "--whole" in refused.output


def test_types_lie_beside_the_module(tmp_path: Path) -> None:
    mp.robot_module("planar2r", tmp_path / "arm.mjs", ["pose", "energy", "inverse_kinematics"], optimise="none")
    mp.robot_module("planar2r", tmp_path / "arm.js", ["pose"], optimise="none")
    types, module = (tmp_path / "arm.d.mts").read_text(), (tmp_path / "arm.mjs").read_text()
    assert "export declare function pose(q: Numbers, p?: Parameters): number[][];" in types
    assert "energy(q: Numbers, qd: Numbers, p?: Parameters): { kinetic: number; potential: number };" in types
    exported = re.findall(r"export (?:function|const) (\w+)", module)
    assert sorted(exported) == sorted(re.findall(r"export declare (?:function|const) (\w+)", types))
    assert (tmp_path / "arm.d.ts").exists()
