"""S-functions: what Simulink would call gives what Python gives, step by step; the `.m` is read by Octave's parser."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.emitted import CC, STRICT
from tests.languages import S_FUNCTION, sh

PID = {"kp": [400, 250.0], "ki": 150.0, "kd": 40.0, "limit": 60.0, "tracking": 20.0, "filter": 2e-3}
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler: the S-function is not compiled")
OCTAVE = shutil.which("octave-cli")


NUMBERS = ctypes.POINTER(ctypes.c_double)
COUNTS = ("parameters", "given", "inputs", "outputs", "continuous", "discrete", "work", "times")


class Port(ctypes.Structure):
    _fields_ = [("values", NUMBERS), *((x, ctypes.c_int) for x in ("rows", "columns", "contiguous", "feeds"))]


class Array(ctypes.Structure):
    _fields_ = [("values", NUMBERS), ("size", ctypes.c_size_t),
                ("is_double", ctypes.c_int), ("is_complex", ctypes.c_int)]  # fmt: skip


class Sim(ctypes.Structure):
    """SimStruct of tests/s_function/simstruc.h."""

    _fields_ = [
        *((x, ctypes.c_int) for x in COUNTS),
        ("parameter", Array * 24), ("tunable", ctypes.c_int * 24), ("input", Port * 24), ("output", Port * 24),
        ("states", NUMBERS), ("numbers", NUMBERS),
        ("sample", ctypes.c_double), ("offset", ctypes.c_double), ("error", ctypes.c_char_p),
    ]  # fmt: skip


class Block:
    """A block of an S-function, and Simulink."""

    def __init__(self, files: list[Path], *parameters: Any, is_double: bool = True) -> None:
        folder = files[0].parent
        source = next(path for path in files if path.name.endswith("_sfun.c"))
        model = source.with_name(source.name.replace("_sfun.c", ".c"))
        words = (*STRICT, "-ffp-contract=off", "-shared", "-fPIC", "-I", S_FUNCTION, source, model)
        done = sh(folder, str(CC), *words, "-o", "block.so", "-lm")
        assert done.returncode == 0 and not done.stderr, done.stderr
        self.code = ctypes.CDLL(str(folder / "block.so"))
        self.code.unit_new.restype = ctypes.POINTER(Sim)
        self.sim = self.code.unit_new()
        for values in parameters:
            row = _row(values)
            self.code.unit_parameter(self.sim, row, len(row), int(is_double))
        self.code.unit_begin(self.sim)

    @property
    def about(self) -> Any:
        return self.sim.contents

    @property
    def error(self) -> str:
        return (self.about.error or b"").decode()

    def outputs(self, *inputs: Any) -> list[Any]:
        """Matrices as they stand in Simulink, by columns."""
        for i, values in enumerate(inputs):
            self.code.unit_input(self.sim, i, _row(np.ravel(values, order="F")))
        self.code.unit_outputs(self.sim)
        ports = (self.about.output[i] for i in range(self.about.outputs))
        sizes = [((port.rows, port.columns), port.values) for port in ports]
        return [np.reshape(values[: rows * columns], (rows, columns), order="F") for (rows, columns), values in sizes]

    def update(self) -> None:
        self.code.unit_update(self.sim)


def _row(values: Any) -> Any:
    flat = [float(x) for x in np.atleast_1d(np.asarray(values, dtype=float)).ravel()]
    return (ctypes.c_double * len(flat))(*flat)


def planar() -> mp.Robot:
    return mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)


def settings(law: Any) -> list[Any]:
    return list(law.settings.values())


@needs_cc
def test_a_law_with_memory_steps_as_in_python(tmp_path: Path) -> None:
    law = mp.controller(planar(), "pid", sample=2e-3, **PID)
    rng = np.random.default_rng(4)
    q, q_ref, qd_ref = rng.uniform(-1, 1, (3, 2))
    begin = {"integral": [0.1, -0.2], "filtered": q.tolist()}
    block = Block(law.emit("simulink", tmp_path), *settings(law), begin["integral"], begin["filtered"])
    assert (block.error, block.about.sample, block.about.discrete) == ("", 2e-3, 4)
    assert all(block.about.input[i].feeds and block.about.input[i].contiguous for i in range(block.about.inputs))
    state, gains = law.start(**begin), {}
    for i in range(8):
        if i == 4:
            block.code.unit_change(block.sim, list(law.settings).index("kp"), _row([250, 80.0]))
            gains = {"kp1": 250.0, "kp2": 80.0}
        q = q + 0.01
        twice = [block.outputs(q, q_ref, qd_ref)[0], block.outputs(q, q_ref, qd_ref)[0]]
        np.testing.assert_array_equal(*twice, err_msg="outputs are asked for more than once a step")
        block.update()
        state, tau = law.step(state, q, q_ref, qd_ref, p=gains)
        np.testing.assert_allclose(twice[0].ravel(), tau, rtol=1e-12)
        np.testing.assert_allclose(block.about.states[:4], np.concatenate(list(state)), rtol=1e-12)


@needs_cc
@pytest.mark.parametrize("model", ["pose", "inertia_matrix", "frames"])
def test_matrices_stand_by_columns(model: str, tmp_path: Path) -> None:
    robot = mp.load("planar2r")
    made = mp.generate(robot, model)
    values = {"l1": 0.5, "l2": 0.4, "m1": 3.0, "m2": 2.0, "g": 9.81}
    block = Block(made.emit("simulink", tmp_path), [values[x] for x in made.inputs["p"]], -1)
    q = np.array([0.3, -0.7])
    wanted = getattr(mp.Arm(planar()), model)(q)
    (found,) = block.outputs(q)
    assert block.about.sample == -1 and block.about.discrete == 0
    # three dimensions are a vector, row by row
    np.testing.assert_allclose(found if wanted.ndim == 2 else found.reshape(wanted.shape), wanted, atol=1e-12)


@needs_cc
def test_a_matrix_goes_in_by_columns(tmp_path: Path) -> None:
    arm = mp.Arm("puma560")
    made = mp.generate("puma560", "inverse_kinematics")
    block = Block(made.emit("simulink", tmp_path), -1)
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.9, 0.1])
    found = dict(zip(made.outputs, block.outputs(arm.pose(q)), strict=True))
    wanted = made.compile()(arm.pose(q).ravel())
    np.testing.assert_array_equal(found["valid"].ravel(), wanted.valid)
    np.testing.assert_allclose(found["q"][wanted.valid > 0], wanted.q[wanted.valid > 0], atol=1e-12)


@needs_cc
def test_bad_parameters_stop_the_simulation_with_words(tmp_path: Path) -> None:
    law = mp.controller(planar(), "pid", sample=2e-3, **PID)
    files, given = law.emit("simulink", tmp_path), [*settings(law), [0, 0], [0, 0]]
    at = list(law.settings).index("kp")
    short = [*given[:at], [1.0], *given[at + 1 :]]
    assert Block(files, *short).error == "planar2r_pid: kp must be 2 real numbers (kp1, kp2)"
    assert Block(files, *given, is_double=False).error.endswith("real numbers (kp1, kp2)")
    place = list(law.settings).index("sample")
    for step in (0.0, -1.0, float("nan")):
        block = Block(files, *given[:place], [step], *given[place + 1 :])
        assert block.error == "planar2r_pid: sample must be positive"
    assert Block(files, *given[:-1]).about.inputs == 0  # Simulink says how many it expects


@needs_cc
def test_a_broken_condition_is_the_error(tmp_path: Path) -> None:
    from manipula.algebra.emit.backend import emit
    from tests.emitted import written
    from tests.golden import planar as golden

    files = written(emit(golden.servo(), "simulink", "1"), tmp_path)
    block = Block(files, [3.0, 0.25], [0.0], [0, 0], 0.1)
    assert block.error == "planar_servo holds only where l1 != 0"


@pytest.mark.skipif(OCTAVE is None, reason="no octave-cli: the .m is not parsed")
def test_the_m_file_is_read_by_a_parser(tmp_path: Path) -> None:
    law = mp.controller(planar(), "pid", sample=2e-3, **PID)
    (path,) = [x for x in law.emit("simulink", tmp_path) if x.suffix == ".m"]
    assert "'Value', '[400.0 250.0]', 'Tunable', 'on'" in path.read_text(encoding="utf-8")
    words = ("--no-init-file", "--quiet", "--eval", f"__parse_file__('{path}')")
    done = sh(tmp_path, str(OCTAVE), *words)
    # on leaving, some versions of Octave complain of themselves
    assert done.returncode == 0 and "parse error" not in done.stderr, done.stderr
    path.write_text(path.read_text(encoding="utf-8").replace("mask.Display =", "mask.Display = ("), encoding="utf-8")
    assert "parse error" in sh(tmp_path, str(OCTAVE), *words).stderr
