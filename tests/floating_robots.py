"""Random robots whose base moves, in numbers: a tree of random joints, or a chain, on a base with two bodies."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.floating.forms import floating_form
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import BaseMotion, Mounted, RobotDescription
from manipula.mechanics.robot.reduce import frames_on_joints, merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import _body, _placement, random_robot, random_state, random_tree

Array = Any  # numpy arrays, whatever their shape


def floating_robot(seed: int, joints: int | str | None = None, moving: BaseMotion = "free", **kind: Any) -> Any:
    """A tree, or where `joints` says kinds a chain."""
    made = random_robot(seed, joints=joints, **kind) if isinstance(joints, str) else random_tree(seed, joints, **kind)
    return on_base(made, seed, moving)


def on_base(robot: RobotDescription, seed: int, moving: BaseMotion = "free") -> Any:
    """The robot on a base of two bodies that moves."""
    rng = random.Random(f"base {seed}")
    ground = (Mounted((), _body(rng, "_trunk"), "trunk"), Mounted(_placement(rng, "box"), _body(rng, "_box"), "box"))
    return replace(robot, ground=ground, moving=moving, origin=replace(robot.origin, base_link="trunk"))


def rotation(rng: np.random.Generator) -> Array:
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class State(dict[str, Any]):
    """Inputs of every model by name; `rate` and `rise` are (v0, w0, qd) and their rates."""

    def __init__(self, robot: RobotDescription, seed: int) -> None:
        rng = np.random.default_rng(seed)
        q, qd, qdd, _ = map(np.array, random_state(robot, seed))
        R, p = rotation(rng), rng.normal(size=3)
        v0, w0, vd0, wd0 = rng.normal(size=(4, 3))
        g = np.array([float(bind(robot, FLOATS, {}).gravity[k]) for k in range(3)])
        super().__init__(
            q=q, qd=qd, qdd=qdd, tau=rng.normal(size=len(q)), R0=R.ravel(), v0=v0, w0=w0, wd0=wd0,
            a0=vd0 + np.cross(w0, v0) - R.T @ g, T0=np.block([[R, p[:, None]], [0, 0, 0, 1]]).ravel(),
        )  # fmt: skip
        self.R, self.p, self.g, self.vd0 = R, p, g, vd0
        self.rate, self.rise = np.r_[v0, w0, qd], np.r_[vd0, wd0, qdd]


def tree_of(robot: RobotDescription) -> Tree:
    return merge_fixed(bind(robot, FLOATS, {}))


def run(robot: RobotDescription, model: str, given: Mapping[str, Any], method: str = "") -> dict[str, Array]:
    """A method of a model in floats, the plain one unless another is named."""
    form = floating_form(MODELS[model], robot)
    text = form.methods[method] if method else next(iter(form.methods.values()))
    tree = tree_of(robot)
    tree = frames_on_joints(tree) if method == "composite-runs" else tree
    inputs = {name: [float(x) for x in given[name]] for name in form.inputs}
    return {name: floats(value) for name, value in text(tree, inputs).items()}


def floats(value: Any) -> Array:
    nested = [floats(x) for x in value] if isinstance(value, Sequence) else value
    return np.array(nested, dtype=float)


def near(one: Any, other: Any, share: float = 1e-10) -> None:
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    np.testing.assert_allclose(one, other, rtol=0, atol=share * max(1.0, np.abs(other).max(initial=0)))
