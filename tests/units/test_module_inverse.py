"""Inverse kinematics in a robot's JavaScript module: against Python's answers, its sentences, and by dragging."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.api import robot_data
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.inverse import InverseSolver
from manipula.ik.module.step import stepped_towards
from manipula.ik.numeric.arrays import limits_of, pose_of
from manipula.ik.position_tasks import PartialSolver
from manipula.mechanics.robot.default_values import with_stand_ins
from manipula.mechanics.robot.values.parameter import Deg, number
from tests.module_states import follower, module_of
from tests.node import needs_node, run_node
from tests.random_robots import random_robot

Array = Any
KINEMATICS = ["pose", "jacobian", "inverse_kinematics"]
Answered = tuple[Any, Array, dict[str, Any]]
OWN, COMPARED = 1000, 10
RUN = """
import { readFileSync, writeFileSync } from "node:fs";
const { names, own, task } = JSON.parse(readFileSync("asked.json", "utf8"));
for (const name of names) {
  const { pose, inverse_kinematics } = await import(`./${name}.mjs`);
  const found = [];
  let lost = 0, worst = 0;
  JSON.parse(readFileSync(`${name}.json`, "utf8")).forEach((q, i) => {
    const T = pose(q);
    const told = inverse_kinematics(T, undefined, { near: q, task });
    const answer = told.branches[told.nearest];
    const off = answer ? Math.max(...answer.q.map((x, j) => Math.abs(x - q[j]))) : Infinity;
    lost += off < 1e-6 ? 0 : 1;
    for (const { q, valid, residual } of told.branches) {
      const at = pose(q);
      const first = task === "pose" ? 0 : 3;
      const miss = Math.max(...[0, 1, 2].flatMap((r) => T[r].map((x, c) => (c < first ? 0 : Math.abs(x - at[r][c])))));
      if (miss !== residual) throw new Error(`${name}: a residual of ${miss} is told as ${residual}`);
      if (valid) worst = Math.max(worst, residual);
    }
    if (i < own) found.push(told);
  });
  writeFileSync(`${name}.found.json`, JSON.stringify({ found, lost, worst }));
}
"""
QUICK = ("planar2r", "scara", "panda")
SLOW = ("stanford", "puma560", "iiwa14", "ur5e", "stanford3", "rp", "lwr4", "cobra600")


def solver_of(robot: mp.Robot, task: str) -> Any:
    """Python's solver on arrays: nothing is compiled."""
    whole = with_stand_ins(robot)[0]
    chain, limits = numeric_chain(whole), limits_of(whole)
    return InverseSolver(chain, limits) if task == "pose" else PartialSolver(task, chain, limits)


def inside(solver: Any, count: int) -> Array:
    span = np.maximum(solver.low, -3.0), np.minimum(solver.high, 3.0)
    return np.random.default_rng(solver.chain.dof).uniform(*span, (count, solver.chain.dof))


def answered(robots: dict[str, mp.Robot], folder: Path, task: str = "pose") -> dict[str, Answered]:
    made = {}
    for name, robot in robots.items():
        solver = solver_of(robot, task)
        made[name] = solver, inside(solver, OWN)
        (folder / f"{name}.mjs").write_text(module_of(robot, models=KINEMATICS))
        (folder / f"{name}.json").write_text(json.dumps(made[name][1].tolist()))
    (folder / "asked.json").write_text(json.dumps({"names": list(robots), "own": COMPARED, "task": task}))
    run_node(RUN, folder)
    return {name: (*made[name], json.loads((folder / f"{name}.found.json").read_text())) for name in robots}


def assert_same_places(found: Array, wanted: Array, turning: Array) -> None:
    """But for whole turns: of an angle half a turn away from the seed either is as near."""
    apart = np.asarray(found) - wanted
    apart -= np.where(turning, 2 * np.pi * np.rint(apart / (2 * np.pi)), 0.0)
    np.testing.assert_allclose(apart, 0, atol=1e-9)


def compare(solver: Any, q: Array, told: dict[str, Any]) -> None:
    assert told["lost"] == 0 and told["worst"] <= 1e-12 * solver.size
    redundant = isinstance(solver, InverseSolver) and solver.parameter.exists
    for x, found in zip(q, told["found"]):
        given = {"parameter": solver.parameter_of(x)} if redundant else {}
        wanted = solver(pose_of(solver.chain)(x), seed=x, **given)
        assert [b["reason"] for b in found["branches"]] == wanted.why
        assert [b["name"] for b in found["branches"]] == wanted.branch
        kept = [b["q"] for b in found["branches"] if b["valid"]]
        assert_same_places(kept, wanted.all[wanted.valid], solver.turning)
        np.testing.assert_allclose(found["branches"][found["nearest"]]["q"], wanted.q[0], atol=1e-9)
        if given:
            assert found["parameter"] == pytest.approx(given["parameter"], abs=1e-9)


@needs_node
def test_the_answers_names_and_reasons_are_those_of_python(tmp_path: Path) -> None:
    for each in answered({name: mp.load(name) for name in QUICK}, tmp_path).values():
        compare(*each)
    held = robot_data((tmp_path / "panda.mjs").read_text())["redundancy"]
    assert (held["name"], held["unit"], held["joint"]) == ("joint 7", "rad", 6)
    assert held["range"] == pytest.approx([-2.8973, 2.8973])


@pytest.mark.turn
@needs_node
def test_few_joints_answer_for_the_place_of_the_tool(tmp_path: Path) -> None:
    """Elbow up and elbow down of letters, and three joints in space."""
    spatial = mp.Robot.from_dh([(0, 0.4, 0.1, 90), (0, 0.05, 0.5, 0), (0, 0, 0.3, 0)], angle="deg", name="spatial")
    robots = {"planar2r": mp.load("planar2r"), "spatial": spatial}
    for each in answered(robots, tmp_path, "position").values():
        compare(*each)
    data = robot_data((tmp_path / "planar2r.mjs").read_text())
    assert data["tasks"] == ["position", "pose"] and [x["name"] for x in data["branches"]] == ["elbow +", "elbow −"]


@needs_node
@pytest.mark.slow
def test_a_slide_answers_for_the_place_of_the_tool(tmp_path: Path) -> None:
    compare(*answered({"stanford3": mp.load("stanford3")}, tmp_path, "position")["stanford3"])


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_further_arms_answer_as_python_does(name: str, tmp_path: Path) -> None:
    compare(*answered({name: mp.load(name)}, tmp_path)[name])


LIMITED = """
import { robot, pose, inverse_kinematics } from "./arm.mjs";
const T = pose([0.3, 0.9, 0.1, 0.2]);
const far = T.map((row, i) => row.map((x, j) => (j === 3 && i === 0 ? x + 5 : x)));
const tell = (T, options) => {
  const { branches, nearest } = inverse_kinematics(T, undefined, options);
  return { nearest, told: branches.map(({ valid, inside, reason }) => [valid, inside, reason]) };
};
console.log(JSON.stringify([
  tell(T, { near: [0.3, 0.9, 0.1, 0.2] }),
  tell(T, { limits: false }),
  tell(far),
  tell(T.flat()),
  tell(T.map((row, i) => row.map((x) => (i === 3 ? 2 : x)))),
  tell(T.map((row) => row.map(() => NaN))),
  inverse_kinematics(T, undefined, { near: [0.3 + 2 * Math.PI, 0.9, 0.1, 0.2], limits: false }).branches[0].q[0],
]));
"""


@needs_node
def test_limits_reach_and_what_is_no_pose(tmp_path: Path) -> None:
    robot = mp.load("scara").with_parameters(a1=0.4, a2=0.3, d4=0.1)
    joints = list(robot.joints)
    joints[1] = replace(joints[1], limits=(Deg(Fraction(-20)), Deg(Fraction(120))))
    joints[2] = replace(joints[2], limits=(number(0), number("0.05")))
    (tmp_path / "arm.mjs").write_text(module_of(replace(robot, joints=tuple(joints)), models=KINEMATICS))
    own, free, far, flat, none, nan, turned = json.loads(run_node(LIMITED, tmp_path))
    assert own["nearest"] == -1
    assert own["told"][0] == [
        False, False, "joint 3 at 0.1 m is outside its limits [0 m, 0.05 m] by 50 mm",
    ]  # fmt: skip
    assert own["told"][1][2].startswith("joint 2 at -51.5662° is outside its limits [-20°, 120°] by 31.57°; joint 3")
    assert free["nearest"] == 0 and [x[0] for x in free["told"]] == [True, True]
    assert [x[1] for x in free["told"]] == [False, False]
    assert far["nearest"] == -1 and all(x[2].startswith("out of reach: this branch ends") for x in far["told"])
    assert flat["told"][0][2] == own["told"][0][2]
    for odd in (none, nan):
        assert odd["nearest"] == -1
        assert {x[2] for x in odd["told"]} == {"T is not a pose, or one of its numbers is not finite"}
    assert turned == pytest.approx(0.3 + 2 * np.pi, abs=1e-12)


DRAG = """
import { readFileSync } from "node:fs";
const told = {};
for (const [name, start] of Object.entries(JSON.parse(readFileSync("starts.json", "utf8")))) {
  const { pose, drag, tool_step } = await import(`./${name}.mjs`);
  const T0 = pose(start);
  let q = start, step = 0, off = 0, unplaced = 0;
  for (let i = 0; i <= 120; i++) {
    const T = pose(start.map((x, j) => x + 0.2 * (Math.sin((2 * Math.PI * i) / 120 + j) - Math.sin(j))));
    const next = drag(q, T);
    step = Math.max(step, ...next.q.map((x, j) => Math.abs(x - q[j])));
    q = next.q;
    const at = pose(q);
    off = Math.max(off, Math.hypot(at[0][3] - T[0][3], at[1][3] - T[1][3], at[2][3] - T[2][3]));
    unplaced += next.placed ? 0 : 1;
  }
  const away = T0.map((row, i) => row.map((x, j) => (i < 3 && j === 3 ? x + 9 : x)));
  const stretched = drag(q, away);
  const reach = (q) => Math.hypot(...[0, 1, 2].map((i) => pose(q)[i][3] - away[i][3]));
  const nearer = reach(stretched.q) < reach(q) + 1e-9;
  for (const odd of [T0.map((row) => row.map(() => NaN)), T0.map((row) => row.map((x) => x / 0))]) {
    if (drag(q, odd).q.some((x, j) => x !== q[j])) throw new Error(`${name} goes where no pose is`);
  }
  told[name] = { step, off, unplaced, q, stretched: stretched.placed, nearer, one: tool_step(start, T0) };
}
console.log(JSON.stringify(told));
"""


@needs_node
def test_a_tool_can_be_dragged_and_does_not_jump(tmp_path: Path) -> None:
    """With a closed form and without, redundant, planar, of one joint, with slides and with a follower."""
    arms = {
        "planar2r": ("planar2r", [0.3, 0.9]),
        "panda": ("panda", [0.1, 0.6, 0.1, -1.8, 0.1, 2.0, 0.3]),
        "general": (mp.Robot.of(random_robot(2, joints="RRRRRR", surroundings=False)), [0.3, 0.9, -0.7, 0.8, 0.9, 0.4]),
        "follower": (mp.Robot.of(follower()), [0.4, 0.8]),
        "one": (mp.Robot.of(random_robot(3, joints="R")), [0.4]),
        "slides": (mp.Robot.of(random_robot(7, joints="PRP")), [0.1, 0.5, 0.2]),
    }
    for name, (robot, _) in arms.items():
        (tmp_path / f"{name}.mjs").write_text(module_of(robot, models=KINEMATICS))
    (tmp_path / "starts.json").write_text(json.dumps({name: start for name, (_, start) in arms.items()}))
    for name, told in json.loads(run_node(DRAG, tmp_path)).items():
        assert told["unplaced"] == 0 and told["off"] < 1e-6, (name, told)
        assert told["step"] < 0.1, (name, told)  # the path itself takes steps of 0.0105
        assert not told["stretched"] and told["nearer"] and np.isfinite(told["q"]).all(), (name, told)
        np.testing.assert_allclose(told["one"], arms[name][1], atol=1e-9)  # where it is, there is no step to take


def test_a_joint_at_its_limit_stays_and_the_others_go_on() -> None:
    """The text itself, in Python: three planar joints, the first of them stopped."""
    arm = mp.Arm(mp.Robot.from_dh([(0, 0, 0.4, 0), (0, 0, 0.3, 0), (0, 0, 0.2, 0)]), optimise="none")
    T = arm.pose([0.6, 1.2, 0.9])
    q, low, high = np.array([0.2, 0.4, 0.6]), np.full(3, -3.0), np.array([0.5, 3.0, 3.0])

    def ends(at: Array) -> Array:
        return np.concatenate([at[:3, :3].ravel(), at[:3, 3]])

    for _ in range(60):
        J = arm.jacobian(q).ravel().copy()
        stepped_towards(3, 1.0, J, ends(arm.pose(q)), ends(T), np.ones(3, dtype=np.int64), low, high, q)
        assert (q <= high + 1e-15).all()
    assert q[0] == 0.5
    np.testing.assert_allclose(arm.pose(q)[:3, 3], T[:3, 3], atol=1e-9)


@pytest.mark.turn
@needs_node
def test_branches_of_a_tree_leave_the_other_joints_where_they_are(tmp_path: Path) -> None:
    rows = [
        {"name": "turn", "d": 0.3, "a": 0, "alpha": 90}, {"name": "lift", "d": 0, "a": 0.4, "alpha": 0},
        {"name": "bend", "d": 0, "a": 0.3, "alpha": 0, "parent": "lift"},
        {"name": "side", "d": 0, "a": 0.2, "alpha": 0, "parent": "turn"},
    ]  # fmt: skip
    robot = mp.Robot.from_dh(rows, angle="deg").at("bend")
    text = module_of(robot, models=KINEMATICS)
    (tmp_path / "arm.mjs").write_text(text)
    script = """
    import { pose, inverse_kinematics } from "./arm.mjs";
    const q = [0.3, 0.7, -0.9, 1.1];
    const { branches, nearest } = inverse_kinematics(pose(q), undefined, { near: q });
    console.log(JSON.stringify([branches[nearest].q, branches.filter((x) => x.valid).map((x) => x.q[3])]));
    """
    nearest, side = json.loads(run_node(script, tmp_path))
    np.testing.assert_allclose(nearest, [0.3, 0.7, -0.9, 1.1], atol=1e-9)
    assert side and set(side) == {1.1}


def test_what_is_known_of_branches_and_of_a_redundant_arm() -> None:
    data = robot_data(module_of("iiwa14", models=KINEMATICS))
    assert len(data["branches"]) == 8 and data["branches"][0] == {
        "name": "elbow +, shoulder +, wrist +", "elbow": "+", "shoulder": "+", "wrist": "+",
    }  # fmt: skip
    assert data["redundancy"]["name"] == "arm angle" and data["redundancy"]["joint"] is None


def test_an_arm_without_a_closed_form_says_so_and_can_be_dragged() -> None:
    text = module_of("gen3", models=KINEMATICS)
    data = robot_data(text)
    assert [x["model"] for x in data["missing"]] == ["inverse_kinematics"]
    assert "no closed form" in data["missing"][0]["why"]
    assert "export function drag(" in text and "export function tool_step(" in text
    assert "export function inverse_kinematics(" not in text and data["branches"] == []


GENERAL = """
import { readFileSync } from "node:fs";
import { pose, inverse_kinematics, drag } from "./arm.mjs";
const told = JSON.parse(readFileSync("q.json", "utf8")).map((q) => {
  const T = pose(q);
  const far = T.map((row, i) => row.map((x, j) => (i === 0 && j === 3 ? x + 50 : x)));
  const none = inverse_kinematics(T.map((row) => row.map(() => NaN)));
  const { branches, nearest } = inverse_kinematics(T, undefined, { near: q });
  return { branches, nearest, far: inverse_kinematics(far).branches.length, none: none.branches.length + none.nearest };
});
console.log(JSON.stringify(told));
"""


def six_joints() -> mp.Robot:
    rows = [(0, 0.3, 0.1, 50), (0, 0.1, 0.4, -70), (0, 0.2, 0.3, 40), (0, 0.15, 0.1, 80), (0, 0.1, 0.2, -60)]
    return mp.Robot.from_dh([*rows, (0, 0.1, 0.05, 30)], angle="deg", name="general")


@needs_node
@pytest.mark.slow
def test_six_joints_in_general_are_solved_by_elimination(tmp_path: Path) -> None:
    robot = six_joints()
    data = robot_data(mp.robot_module(robot, tmp_path / "arm.mjs", KINEMATICS))
    assert data["tasks"] == ["pose"] and data["missing"] == []
    arm = mp.Arm(robot)
    q = np.random.default_rng(6).uniform(-3, 3, (20, 6))
    (tmp_path / "q.json").write_text(json.dumps(q.tolist()))
    for x, told in zip(q, json.loads(run_node(GENERAL, tmp_path))):
        wanted = arm.inverse_kinematics(arm.pose(x), seed=x)
        assert len(told["branches"]) == len(wanted.q) and (told["far"], told["none"]) == (0, -1)
        assert [b["name"] for b in told["branches"]] == [f"solution {i + 1}" for i in range(len(wanted.q))]
        np.testing.assert_allclose(told["branches"][told["nearest"]]["q"], x, atol=1e-7)
        assert max(b["residual"] for b in told["branches"]) < 1e-9


def test_elimination_is_prepared_when_there_is_time() -> None:
    data = robot_data(module_of(six_joints(), models=KINEMATICS))
    assert "optimise='fast'" in data["missing"][0]["why"] and data["tasks"] == []
