"""Inverse kinematics in C that picks the answer nearest to where the arm is, against Python's choice."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.ik.controller.nearest import LIMITS, NO_POSE, OK, SINGULAR, UNREACHABLE
from manipula.ik.numeric.tolerances import BranchTolerance
from tests.emitted import cc, needs_cc, self_test, shared

Floats = Any
QUICK = ("puma560",)
ARMS = (
    *QUICK,
    "cobra600",
    "ur5",
    "stanford",
    "pucrio",
    "irb140",
    "kr5",
    "ur10e",
    "lrmate200id",
    "irb120",
    "panda",
    "iiwa14",
)
SIMPLE = {
    "planar": [("R", 0.5, 0, 0), ("R", 0.4, 0, 0)],
    "cylindrical": [("R", 0.1, 0.3, 0), ("P", 0, 0, -90), ("P", 0, 0, 0)],
    "gantry": [("P", 0, 0, 90), ("P", 0, 0, 90), ("P", 0, 0, 0)],
    "slide": [("P", 0, 0, 90)],
    "hinge": [("R", 0.3, 0.1, 90)],
    "elbow": [("R", 0, 0.4, 90), ("R", 0.5, 0, 0), ("R", 0.3, 0, 0)],
}

FEW = ("cylindrical",)


def simple(name: str) -> mp.Robot:
    rows = [(0, d, a, alpha, *(["P"] if kind == "P" else [])) for kind, a, d, alpha in SIMPLE[name]]
    return mp.Robot.from_dh(rows, convention="standard", angle="deg", name=name)


@cache
def arm_of(name: str) -> mp.Arm:
    return mp.Arm(simple(name) if name in SIMPLE else name)


@cache
def library_of(name: str, dtype: str = "float64") -> Any:
    """The emitted function, compiled once."""
    arm = arm_of(name)
    model = mp.generate(arm.robot, "inverse_kinematics")
    with TemporaryDirectory() as folder:
        model.emit("c", folder, dtype=dtype, batch=False)
        return shared(Path(folder) / f"{model.name}_nearest.c")[f"{model.name}_nearest"]


def nearest(name: str, T: Floats, now: Floats, dtype: str = "float64") -> tuple[int, Floats]:
    arm, real = arm_of(name), np.dtype(dtype)
    solver = arm.inverse_solver
    values = [np.array([solver.parameter_of(now)])] if solver.parameter.exists else []
    out = np.full(arm.dof, np.nan, dtype=real)
    arrays = [np.ascontiguousarray(x, dtype=real) for x in (T, *values, now)]
    status = library_of(name, dtype)(*(ctypes.c_void_p(x.ctypes.data) for x in (*arrays, out)))
    return int(status), out


def python_nearest(name: str, T: Floats, now: Floats) -> Any:
    solver = arm_of(name).inverse_solver
    given = {"parameter": solver.parameter_of(now)} if solver.parameter.exists else {}
    return arm_of(name).inverse_kinematics(T, seed=now, **given)


def drawn(name: str, count: int, seed: int) -> tuple[Floats, Floats]:
    """Configurations inside the limits, and others, some of them turns away."""
    solver, rng = arm_of(name).inverse_solver, np.random.default_rng(seed)
    low, high = np.maximum(solver.low, -3.0), np.minimum(solver.high, 3.0)
    q, now = rng.uniform(low, high, (2, count, len(low)))
    return q, now + rng.integers(-1, 2, now.shape) * 2 * np.pi * solver.turning


@needs_cc
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(x, marks=pytest.mark.slow) for x in ARMS[len(QUICK) :])])
def test_the_same_answer_as_python(name: str) -> None:
    q, nows = drawn(name, 60, 4)
    agreed = 0
    for x, now in zip(q, nows, strict=True):
        T = arm_of(name).pose(x)
        status, found = nearest(name, T, now)
        true = python_nearest(name, T, now).q
        assert (status in (OK, SINGULAR)) == bool(len(true)), (status, x, now)
        if status == OK:
            np.testing.assert_allclose(found, true[0], rtol=0, atol=1e-9)
            agreed += 1
    assert agreed > (12 if arm_of(name).inverse_solver.parameter.exists else 57)


@needs_cc
@pytest.mark.parametrize("name", [x if x in FEW else pytest.param(x, marks=pytest.mark.slow) for x in SIMPLE])
def test_few_joints_and_slides(name: str) -> None:
    q, nows = drawn(name, 40, 7)
    for x, now in zip(q, nows, strict=True):
        T = arm_of(name).pose(x)
        status, found = nearest(name, T, now)
        assert status == OK
        np.testing.assert_allclose(found, python_nearest(name, T, now).q[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(arm_of(name).pose(found), T, atol=1e-9)


@needs_cc
def test_why_there_is_no_answer() -> None:
    q, nows = drawn("puma560", 1, 3)
    T = arm_of("puma560").pose(q[0])
    far, sheared, unknown = T.copy(), T.copy(), T.copy()
    far[0, 3] += 10
    sheared[0, 0] += 0.01
    unknown[1, 2] = np.nan
    for pose, why in ((far, UNREACHABLE), (sheared, NO_POSE), (unknown, NO_POSE)):
        status, found = nearest("puma560", pose, nows[0])
        assert status == why
        assert np.isnan(found).all()  # untouched
    for odd in (np.nan, np.inf):
        assert nearest("puma560", T, np.where(np.arange(6) == 3, odd, nows[0]))[0] == NO_POSE


@needs_cc
def test_limits_are_told_from_reach() -> None:
    solver, rng = arm_of("puma560").inverse_solver, np.random.default_rng(2)
    seen = set()
    for _ in range(200):
        T, now = arm_of("puma560").pose(rng.uniform(-np.pi, np.pi, 6)), rng.uniform(-1, 1, 6)
        status, found = nearest("puma560", T, now)
        true = python_nearest("puma560", T, now)
        assert status == (OK if len(true.q) else LIMITS)
        if status == OK:
            assert (found >= solver.low - 1e-8).all()
            assert (found <= solver.high + 1e-8).all()
        seen.add(status)
    assert seen == {OK, LIMITS}


@needs_cc
def test_where_the_arm_stands_it_stays() -> None:
    q, _ = drawn("puma560", 30, 9)
    q[10:20, 4] = 0.0  # a locked wrist
    q[20:, 2] = np.arctan2(0.0203, 0.4318) - np.pi / 2  # stretched
    for x in q:
        status, found = nearest("puma560", arm_of("puma560").pose(x), x)
        assert status == OK
        np.testing.assert_allclose(found, x, rtol=0, atol=1e-6)


@needs_cc
@pytest.mark.parametrize("name", ["puma560", pytest.param("ur5", marks=pytest.mark.slow)])
def test_a_singular_pose_is_reached_and_said_to_be_one(name: str) -> None:
    q, nows = drawn(name, 30, 11)
    q[:, 4] = 0.0
    for x, now in zip(q, nows, strict=True):
        T = arm_of(name).pose(x)
        status, found = nearest(name, T, now)
        assert status in (OK, SINGULAR)
        np.testing.assert_allclose(arm_of(name).pose(found), T, atol=4e-7)


@needs_cc
@pytest.mark.parametrize("off", [1e-12, 1e-9, 1e-7])
def test_a_pose_that_is_a_little_off_is_met_to_what_it_is_off(off: float) -> None:
    q, nows = drawn("puma560", 40, 13)
    noise = np.random.default_rng(1).uniform(-off, off, (40, 3, 4))
    for x, now, by in zip(q, nows, noise, strict=True):
        T = arm_of("puma560").pose(x)
        T[:3] += by
        status, found = nearest("puma560", T, now)
        assert status in (OK, SINGULAR)
        np.testing.assert_allclose(arm_of("puma560").pose(found), T, atol=2e-7 + 30 * off)


@needs_cc
@pytest.mark.slow
@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5"])
def test_single_precision_chooses_alike(name: str) -> None:
    q, nows = drawn(name, 100, 5)
    missed = 0
    for x, now in zip(q, nows, strict=True):
        T = arm_of(name).pose(x)
        status, found = nearest(name, T, now, "float32")
        true = python_nearest(name, T, now).q[0]
        missed += not (status == OK and np.abs(found - true).max() < 5e-3)
    assert missed <= 4  # beside a limit or where two answers are as near it may go either way


OPTIONS = [{"dtype": "float32", "single_file": True}, {}, {"dtype": "float32"}, {"single_file": True, "prefix": "left"}]


@needs_cc
@pytest.mark.parametrize("chosen", [OPTIONS[0], *(pytest.param(x, marks=pytest.mark.slow) for x in OPTIONS[1:])])
def test_it_tests_itself(chosen: dict[str, Any], tmp_path: Path) -> None:
    files = mp.generate("pucrio", "inverse_kinematics").emit("c", tmp_path / "all", batch=False, **chosen)
    texts = {path.name: path.read_text() for path in files}
    own = {name: text for name, text in texts.items() if name.endswith(".h") or "_nearest" in name}
    done = self_test(own, tmp_path)
    assert done.returncode == 0, done.stdout
    if not chosen:
        sources = [tmp_path / name for name in own if name.endswith(".c")]
        cc("-DMANIPULA_FLOAT", *sources, "-o", tmp_path / "single")


def test_an_arm_with_letters_has_none(tmp_path: Path) -> None:
    files = mp.generate("scara", "inverse_kinematics").emit("c", tmp_path)
    assert not [path for path in files if "nearest" in path.name]


def test_the_tolerances_of_the_text_are_in_their_order() -> None:
    assert BranchTolerance.GOOD < BranchTolerance.EXACT < BranchTolerance.LOOSE < BranchTolerance.NEARBY
