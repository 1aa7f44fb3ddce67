"""The emitted C of arms without a closed form finds what Python finds."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.arm.inverse_model import SolverModel
from manipula.ik.general6r.elimination import wrap_angles
from manipula.ik.general6r.roots import MOST
from manipula.ik.numeric.arrays import Floats, pose_of
from tests.emitted import cc, needs_cc, shared
from tests.laws.test_general6r import ARMS, random_q, singular_points

NAME = "arm_inverse_kinematics"
QUICK = ("all non-zero", "bent wrist")
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ARMS if name not in QUICK]


def robot(name: str) -> mp.Robot:
    made = mp.Robot.from_dh(ARMS[name][0], convention="standard", angle="deg", name="arm")
    return made.with_base([0.3, -0.2, 0.5], [0.4, 0.2, -1.0]).with_tool([0.1, 0.05, 0.2], [1, -0.3, 0.2])


@cache
def model(name: str) -> SolverModel:
    made = mp.generate(robot(name), "inverse_kinematics")
    assert isinstance(made, SolverModel)
    return made


class Answer(ctypes.Structure):
    """As the header has it."""

    _fields_ = [
        *((name, ctypes.c_int) for name in ("count", "roots", "complete", "readings")),
        ("q", ctypes.c_double * 6 * MOST), ("residual", ctypes.c_double * MOST), ("apart", ctypes.c_double * MOST),
    ]  # fmt: skip


def solved(library: ctypes.CDLL, pose: Floats) -> tuple[Any, Floats]:
    answer = Answer()
    library[NAME](np.ascontiguousarray(pose).ctypes.data_as(ctypes.c_void_p), ctypes.byref(answer))
    return answer, np.array(answer.q)[: max(answer.count, 0)]


@cache
def library_of(name: str) -> ctypes.CDLL:
    """The emitted C, compiled once."""
    with TemporaryDirectory() as folder:
        model(name).emit("c", folder)
        return shared(Path(folder) / f"{NAME}.c")


@cache
def single_library_of(name: str) -> ctypes.CDLL:
    """The same with `float` where a caller sees numbers."""
    with TemporaryDirectory() as folder:
        model(name).emit("c", folder)
        out = Path(folder) / "single.so"
        cc("-shared", "-fPIC", "-O0", "-DMANIPULA_FLOAT", Path(folder) / f"{NAME}.c", "-lm", "-o", out)
        return ctypes.CDLL(str(out))


def nearest(name: str, T: Floats, now: Floats, max_step: float = 0.0, single: bool = False) -> tuple[int, Floats]:
    real = np.float32 if single else np.float64
    arrays = [np.ascontiguousarray(x, dtype=real) for x in (T, now)]
    out, step = np.full(6, np.nan, dtype=real), (ctypes.c_float if single else ctypes.c_double)(max_step)
    library = single_library_of(name) if single else library_of(name)
    places = [ctypes.c_void_p(x.ctypes.data) for x in (*arrays, out)]
    return int(library[f"{NAME}_nearest{'_f32' if single else ''}"](*places[:2], step, places[2])), out


def distance(found: Floats, q: Floats) -> float:
    return float(np.abs(wrap_angles(found - q)).max(-1).min(initial=9.0))


@pytest.mark.turn
@needs_cc
@pytest.mark.drawn("name", few=1)
@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_the_same_solutions_as_python(name: str) -> None:
    library, q = library_of(name), random_q(50, 21)
    poses = pose_of(numeric_chain(robot(name)))(q)
    for x, pose, known in zip(q, poses, model(name)._solver.solver.solve_many(poses), strict=True):
        answer, found = solved(library, pose)
        assert (
            answer.complete == 1 and answer.count == len(known.q) and answer.roots >= model(name)._solver.solver.bound
        )
        assert max(answer.residual[: answer.count]) <= 1e-10
        assert distance(found, x) < 1e-6
        assert all(distance(found, other) < 1e-6 for other in known.q)
        assert (found > -np.pi).all() and (found <= np.pi).all()


@needs_cc
@pytest.mark.turn
@pytest.mark.parametrize("single", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_nearest_solution_is_the_one_python_chooses(single: bool) -> None:
    arm, rng = mp.Arm(robot("bent wrist")), np.random.default_rng(4)
    for x in random_q(12, 23):
        T, now = arm.pose(x), x + rng.uniform(-0.4, 0.4, 6) + 2 * np.pi * rng.integers(-1, 2, 6)
        want = arm.inverse_kinematics(T, seed=now).q[0]
        status, q = nearest("bent wrist", T, now, single=single)
        assert status == 0
        np.testing.assert_allclose(q, want, rtol=0, atol=2e-3 if single else 1e-9)
        step = float(np.abs(want - now).max())
        assert nearest("bent wrist", T, now, step + 1e-2, single)[0] == 0
        status, left = nearest("bent wrist", T, now, step - 1e-2, single)
        assert status == 4 and np.isnan(left).all()
        rounded, q = nearest("bent wrist", T.round(4), now, single=single)
        assert rounded == 0 and np.abs(arm.pose(q) - T).max() < 2e-4
    far = T.copy()
    far[:3, 3] += 100
    assert nearest("bent wrist", far, now, single=single)[0] == 1
    for wrong in (np.diag([1.0, 1, -1, 1]), np.full((4, 4), np.nan), np.eye(4) + 0.01):
        assert nearest("bent wrist", wrong, now, single=single)[0] == 3
    assert nearest("bent wrist", T, np.full(6, np.nan), single=single)[0] == 3


@needs_cc
def test_the_package_passes_its_own_test(tmp_path: Path) -> None:
    paths = model("all non-zero").emit("c", tmp_path)
    program = tmp_path / "self_test"
    cc(*(path for path in paths if path.suffix == ".c"), "-o", program)
    done = subprocess.run([str(program)], check=False, capture_output=True, text=True)
    assert done.returncode == 0 and "passed, 6 poses" in done.stdout
    assert "answer.complete" in (tmp_path / f"README_{NAME}_c.md").read_text()


@pytest.mark.turn
@needs_cc
def test_the_self_test_sees_a_wrong_number(tmp_path: Path) -> None:
    model("all non-zero").emit("c", tmp_path)
    source = tmp_path / f"{NAME}.c"
    text = source.read_text()
    at = text.index("arm_table[123] = {")
    place = text.index("0.", at)
    source.write_text(text[:place] + "1." + text[place + 2 :])
    program = tmp_path / "self_test"
    cc("-O0", source, tmp_path / f"{NAME}_test.c", "-o", program)
    done = subprocess.run([str(program)], check=False, capture_output=True, text=True)
    assert done.returncode == 1 and "FAILED" in done.stdout


@needs_cc
def test_near_double_roots_and_what_is_no_pose() -> None:
    library = library_of("all non-zero")
    fk = pose_of(numeric_chain(robot("all non-zero")))
    for away in (1e-3, 1e-5, 0.0):
        for at, still in singular_points("all non-zero", 12):
            answer, found = solved(library, fk(at + away * still))
            assert answer.complete == 1 and distance(found, at + away * still) < 1e-6
    for wrong in (np.diag([1.0, 1, -1, 1]), np.full((4, 4), np.nan), np.eye(4) + 0.01):
        assert solved(library, wrong)[0].count == -1


def test_only_c_and_only_numbers() -> None:
    with pytest.raises(InputError, match="written in C only"):
        model("all non-zero").emit("rust")
    with pytest.raises(InputError, match="no closed form, so no equations"):
        model("all non-zero").equations()
    with pytest.raises(InputError, match="needs a value for"):
        mp.generate(robot("all non-zero"), "inverse_kinematics", symbolic="all")
    with pytest.raises(InputError, match="this arm has one only"):
        mp.generate(robot("all non-zero"), "inverse_kinematics", method="closed-form")
