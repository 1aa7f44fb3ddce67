"""Several frames: their Jacobians and biases, wrenches on them, and motion while some of them are held."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.floating import frames
from manipula.mechanics.robot.bind import Binding
from manipula.mechanics.robot.description import Frame, RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from tests.floating_robots import Array, State, floating_robot, floats, near, run
from tests.laws.test_floating import FOLLOWER
from tests.laws.test_trees import heavy
from tests.random_robots import _placement, random_tree

LEG = FOLLOWER.format(coordinate="") + '[[frame]]\nname = "foot"\non = "knee"\nxyz = [0, 0, -0.4]\n'
POINT, POSE, ROLLING = ("point", Fraction(0)), ("pose", Fraction(0)), ("rolling", Fraction(1, 8))


def marked(seed: int, moving: bool, count: int = 2) -> tuple[RobotDescription, Tree, State]:
    """A robot with frames on its last links, one of which is on a fixed row, perhaps."""
    import random

    robot = heavy(floating_robot(seed, 6) if moving else random_tree(seed, 6))
    rng = random.Random(seed)
    rows = [joint.name for joint in robot.joints][-count:]
    marks = tuple(Frame(f"mark{k}", row, _placement(rng, f"mark{k}")) for k, row in enumerate(rows))
    robot = replace(robot, frames=marks)
    return robot, merge_fixed(Binding(robot, "auto", marks).over(FLOATS, {})), State(robot, seed)


def inputs(state: State, **more: Any) -> dict[str, list[float]]:
    return {name: [float(x) for x in value] for name, value in {**state, **more}.items()}


def jacobian(robot: RobotDescription, tree: Tree, x: State) -> Array:
    return floats(frames.frame_jacobians(tree, inputs(x)))


@pytest.mark.parametrize("moving", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_each_frame_is_the_tool_of_its_own(seed: int, moving: bool) -> None:
    robot, tree, x = marked(seed, moving)
    found, biases = jacobian(robot, tree, x), floats(frames.frame_biases(tree, inputs(x)))
    for k, frame in enumerate(robot.frames):
        alone = replace(robot, tool=frame.at, tool_on=frame.on, payload=())
        if moving:
            near(found[k], run(alone, "jacobian", x)["J"])
            near(biases[k], run(alone, "tool_bias", x)["a"])
        else:
            near(found[k], mp_jacobian(alone, x))


def mp_jacobian(robot: RobotDescription, x: State) -> Array:
    from manipula.mechanics.models.kinematics.jacobian import jacobian as fixed
    from tests.floating_robots import tree_of

    return floats(fixed(tree_of(robot), [float(q) for q in x["q"]]))


@pytest.mark.parametrize("moving", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_wrenches_do_work_along_the_frames(seed: int, moving: bool) -> None:
    robot, tree, x = marked(seed, moving, 3)
    J, f = jacobian(robot, tree, x), np.random.default_rng(seed).normal(size=(3, 6))
    tau, base = map(np.array, frames.push_torques(tree, inputs(x)["q"], f.ravel().tolist()))
    # of a base that moves, wrenches are in its axes
    turned = f @ np.kron(np.eye(2), x.R).T if moving else f
    work = -np.einsum("kij,ki->j", J, turned)
    near(np.r_[base, tau] if moving else tau, work)


@pytest.mark.parametrize("moving", [True, False])
@pytest.mark.parametrize("hold", [(POINT,), (ROLLING,), (POSE,), (POINT, ROLLING)])
@pytest.mark.parametrize("seed", range(4))
def test_held_rows_stay_and_forces_hold_them(seed: int, hold: Any, moving: bool) -> None:
    robot, tree, x = marked(seed, moving, len(hold))
    rows = sum(frames.ROWS[kind] for kind, _ in hold)
    rng = np.random.default_rng(seed)
    drift, kp, kd = rng.normal(size=rows), 3.0, 0.5
    given = inputs(x, drift=drift, baumgarte=[kp, kd])
    J = np.concatenate([frames.held_rows(J.tolist(), how) for J, how in zip(jacobian(robot, tree, x), hold)])
    if np.linalg.matrix_rank(J, tol=1e-6) < rows:
        pytest.skip("too few joints move the frames")
    found = {name: floats(value) for name, value in frames.constrained_dynamics(tree, given, hold).items()}
    rise = np.r_[found["base_acceleration"], found["qdd"]] if moving else found["qdd"]
    rates = x.rate if moving else x["qd"]
    biases = floats(frames.frame_biases(tree, inputs(x)))
    bias = np.concatenate([frames.held_rows(b.tolist(), how) for b, how in zip(biases, hold)])
    near(J @ rise + bias, -kd * J @ rates - kp * drift, 1e-6)
    M, right, _ = frames._equations(tree, given)
    near(floats(M) @ rise, floats(right) + J.T @ found["forces"], 1e-6)


def test_a_wheel_that_rolls_goes_by_its_radius() -> None:
    """A wheel on an axle that slides along x: one turn takes it 2πr along."""
    text = """
format = 1
name = "cart"
convention = "urdf"
angle = "rad"
inertia_default = 0
[[joint]]
name = "slide"
type = "prismatic"
xyz = [0, 0, 0.25]
axis = [1, 0, 0]
mass = 2
[[joint]]
name = "wheel"
type = "revolute"
xyz = [0, 0, 0]
axis = [0, 1, 0]
mass = 1
inertia = { yy = 0.05 }
"""
    robot = mp.Robot.from_text(text)
    hold = (("rolling", Fraction(1, 4)),)
    tree = merge_fixed(Binding(robot, "auto", (Frame("wheel", "wheel"),)).over(FLOATS, {}))
    rows = frames.held_rows(floats(frames.frame_jacobians(tree, {"q": [0.3, 0.2]}))[0].tolist(), hold[0])
    near(rows, [[1, -0.25], [0, 0], [0, 0]])  # ẋ − r ω


@pytest.mark.usefixtures("without_search")
def test_the_calls_of_an_arm() -> None:
    arm, rng = mp.Arm(mp.Robot.from_text(LEG), optimise="none"), np.random.default_rng(3)
    q, qd, qdd, tau = rng.normal(size=(4, 2))
    w0, wd0, a0, v0 = rng.normal(size=(4, 3))
    J = arm.frame_jacobians(q, ["foot", "base"], base=np.eye(3))
    assert J.shape == (2, 6, 8)
    near(J[0], arm.jacobian(q, "foot", base=np.eye(3)))
    near(J[1], np.eye(6, 8))
    f = rng.normal(size=6)
    bare = arm.inverse_dynamics(q, qd, qdd, base=(w0, wd0, a0))
    found = arm.inverse_dynamics(q, qd, qdd, base=(w0, wd0, a0), wrenches={"foot": f, "base": 2 * f})
    work = J[0].T @ f + J[1].T @ (2 * f)
    near(np.r_[found.base_wrench, found.tau], np.r_[bare.base_wrench, bare.tau] - work)
    held = arm.constrained_dynamics(q, qd, tau, hold={"foot": "point"}, base=(np.eye(3), v0, w0))
    biases = arm.frame_biases(q, qd, ["foot"], base=(np.eye(3), v0, w0))
    near(J[0][:3] @ np.r_[held.base_acceleration, held.qdd] + biases[0, :3], np.zeros(3), 1e-8)
    assert list(mp.generate(arm, "constrained_dynamics", hold={"foot": "point"}, optimise="none").inputs) == [
        "q", "qd", "tau", "drift", "baumgarte", "R0", "v0", "w0",
    ]  # fmt: skip


def test_what_cannot_be_held_is_refused_in_a_sentence() -> None:
    arm, fixed = mp.Arm(mp.Robot.from_text(LEG), optimise="none"), mp.Arm("puma560", optimise="none")
    q, six = [0.1, 0.2], [0.0] * 6
    base = (np.eye(3), np.zeros(3), np.zeros(3))
    cases = {
        "no frame is called 'feet'": lambda: arm.frame_jacobians(q, ["feet"], base=np.eye(3)),
        "frames: expected a list of names, found 'foot'": lambda: arm.frame_jacobians(q, "foot", base=np.eye(3)),
        "no way to hold frame 'foot' is called 'glued'": lambda: arm.constrained_dynamics(
            q, q, q, {"foot": "glued"}, base=base
        ),
        "hold: foot: expected \"point\"": lambda: arm.constrained_dynamics(q, q, q, {"foot": "rolling"}, base=base),
        "leg: 12 rows are held, and it has 8 freedoms": lambda: arm.constrained_dynamics(
            q, q, q, {"foot": "pose", "base": "pose"}, base=base
        ),
        "hold: expected frames and how each is held": lambda: arm.constrained_dynamics(q, q, q, {}, base=base),
        "puma560: frame 'pedestal' stands on a base that does not move": lambda: mp.Arm(
            fixed.robot.with_frame("pedestal", "base"), optimise="none"
        ).constrained_dynamics(six, six, six, {"pedestal": "point"}),
        "inverse_dynamics: give wrench_tool or wrenches, not both": lambda: arm.inverse_dynamics(
            q, q, q, six, wrenches={"foot": six}
        ),
        "wrenches: foot: expected shape (…, 6), found (3,)": lambda: arm.inverse_dynamics(
            q, q, q, wrenches={"foot": [0, 0, 1]}
        ),
        "frame_jacobians is about several frames; name them": lambda: mp.generate(arm, "frame_jacobians"),
        "gravity has no use for several frames": lambda: mp.generate(arm, "gravity", frames=["foot"]),
    }  # fmt: skip
    for said, call in cases.items():
        with pytest.raises(mp.ManipulaError) as caught:
            call()
        assert said in str(caught.value), str(caught.value)
