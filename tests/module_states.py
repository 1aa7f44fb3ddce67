"""A robot's JavaScript module beside the plain text of its models: the same states through both."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import manipula as mp
from manipula.generation.prepare import Request, prepare
from manipula.ik.numeric.arrays import over_arrays, stack_rows
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.default_values import with_stand_ins
from manipula.mechanics.robot.description import RobotDescription
from tests.node import run_node
from tests.random_robots import random_robot

Array = Any
RUN = """
import { readFileSync, writeFileSync } from "node:fs";
for (const [file, models, states] of JSON.parse(readFileSync("states.json", "utf8"))) {
  const module = await import(`./${file}.mjs`);
  for (const name of models) {
    const { inputs } = module.robot.models[name];
    const found = [];
    for (const state of states) {
      const result = module[name](...inputs.map((port) => state[port.name]));
      found.push(...[Array.isArray(result) ? result : Object.values(result)].flat(Infinity));
    }
    writeFileSync(`${file}.${name}.bin`, Buffer.from(Float64Array.from(found).buffer));
  }
}
"""


def states_of(robot: RobotDescription, count: int, seed: int = 5) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return {port: rng.uniform(-2.0, 2.0, (count, robot.dof)) for port in ("q", "qd", "qdd", "tau")}


def plain_values(robot: RobotDescription, model: str, states: dict[str, Array]) -> Array:
    """The model's first text on floats, on the robot as its file has it; one row a state."""
    asked = prepare(Request(with_stand_ins(robot)[0], model))
    method = asked.model.methods[asked.model.method_names[0]]
    chain = over_arrays(asked.structure.in_floats("numeric"))
    given = {port: list(states[port].T) for port in asked.model.inputs}
    lead = states["q"].shape[:1]
    found = method(chain, given)
    return np.concatenate([stack_rows(found[port], lead).reshape(lead[0], -1) for port in asked.model.outputs], axis=1)


def module_values(
    robots: dict[str, tuple[str, list[str], dict[str, Array]]], folder: Path
) -> dict[str, dict[str, Array]]:
    """Modules by file name, with models and states; all in one process."""
    told = []
    for name, (text, models, states) in robots.items():
        (folder / f"{name}.mjs").write_text(text, encoding="utf-8")
        rows = [dict(zip(states, row)) for row in zip(*(x.tolist() for x in states.values()), strict=True)]
        told.append([name, models, rows])
    (folder / "states.json").write_text(json.dumps(told))
    run_node(RUN, folder)
    return {
        name: {m: _read(folder / f"{name}.{m}.bin", told) for m in models} for name, (_, models, told) in robots.items()
    }


def _read(path: Path, states: dict[str, Array]) -> Array:
    return np.fromfile(path).reshape(len(states["q"]), -1)


def assert_close(model: str, found: Array, wanted: Array, tolerance: float = 1e-12) -> None:
    """Relative to the largest entry of each row; where all are nothing but rounding, to a thousandth."""
    assert found.shape == wanted.shape
    if model == "manipulability":  # a root: where it is small, rounding of what is under it shows as its own root
        found, wanted = found**2, wanted**2
    scale = np.maximum(np.abs(wanted).max(axis=1), 1e-3)
    assert (np.abs(found - wanted).max(axis=1) / scale).max() <= tolerance


def module_of(robot: mp.Robot | str, **options: Any) -> str:
    return mp.robot_module(robot, optimise="none", **options)


def follower() -> RobotDescription:
    """A gripper's finger: the third row goes where the second does, twice as far and the other way."""
    robot = random_robot(21, joints="RRR", surroundings=False, actuators=False)
    rows = list(robot.joints)
    rows[2] = replace(rows[2], coordinate=Coordinate(((rows[1].name, Fraction(-2)),), Fraction(1, 10)))
    return replace(robot, joints=tuple(rows))
