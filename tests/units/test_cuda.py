"""CUDA: what is emitted groups its sines, compiles for a device, and computes right on the host."""

from __future__ import annotations

import ctypes
import ctypes.util
import shutil
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import emit, emit_program
from manipula.algebra.emit.cuda import source
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.program.reader import program
from manipula.algebra.tape import Tape, tape_from_function
from tests import random_texts
from tests.emitted import written
from tests.golden import planar
from tests.languages import CXX, SHIM, host_text, sh


def waves() -> Tape:
    """sin and cos of one angle, and the sine of an angle that needs them."""
    graph = Graph()
    maths, q = ExprMaths(graph), [graph.symbol(f"q{i}", online=True) for i in (1, 2)]
    both = Output("both", (2,), (maths.sin(q[0]), maths.cos(q[0])))
    late = maths.sin(q[0]) * q[1]
    return tape_from_function(
        Function("waves", graph, (Input("q", tuple(q)),), (both, Output("late", (), (maths.sin(late),))))
    )


SIZES = (1, 7, 36, 150, 301, 1601)  # the last does not fit into shared memory
LAYOUTS = ("columns", "rows", "strides")


def wide() -> Tape:
    """Results of many entries a state: 1, 2, 3, … times the input."""
    graph = Graph()
    q = graph.symbol("q1", online=True)
    outputs = tuple(Output(f"out{size}", (size,), tuple(q * (j + 1) for j in range(size))) for size in SIZES)
    return tape_from_function(Function("wide", graph, (Input("q", (q,)),), outputs))


# the text


def test_sines_and_cosines_come_together() -> None:
    text = emit(planar.tip(), "cuda", "1")["planar_tip.cuh"]
    assert text.count("planar_tip_sincos(angle, sine, cosine);") == 1
    assert "planar_tip_sin(" not in text
    assert "const Real angle[2] = {" in text


def test_an_angle_that_must_wait_makes_a_second_group() -> None:
    text = emit(waves(), "cuda", "1")["waves.cuh"]
    assert "const Real angle[1] = {q1};" in text
    assert "waves_sincos(angle2, sine2, cosine2);" in text


def test_the_sines_of_an_arm_share_one_test() -> None:
    made = source(mp.generate("puma560", "gravity").tape, "1")
    assert made.text.count(f"    {made.name}_sincos(") == 1
    assert made.kernel("float", "rows") == "puma560_gravity_kernel<float, puma560_gravity_by_rows>"


# compiled for a device


@pytest.mark.turn
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc: the emitted CUDA is not compiled for a device")
def test_nvcc_takes_the_package(tmp_path: Path) -> None:
    written(emit(planar.torque(), "cuda", "1"), tmp_path)
    words = ("-c", "-O1", "-arch=sm_90", "-Werror", "all-warnings", "planar_torque_test.cu", "-o", "test.o")
    done = sh(tmp_path, "nvcc", *words)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.turn
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc: programs in CUDA are not compiled for a device")
def test_nvcc_takes_programs(tmp_path: Path) -> None:
    """Loops, structs, words, complex numbers and the calls of a tape, from a kernel."""
    names = ["everything", "waves"]
    text = emit_program(program(random_texts.everything, random_texts.waves), "cuda", names, wide=True)
    taken = "long long n, double *x, long long *k, unsigned long long *w, Store *s"
    calls = " ".join(f"x[{i}] = {name}(n, x, k, w, s);" for i, name in enumerate(names))
    (tmp_path / "both.cu").write_text(f'{text}\nextern "C" __global__ void both({taken}) {{ {calls} }}\n')
    done = sh(tmp_path, "nvcc", "-ptx", "-arch=sm_90", "-Werror", "all-warnings", "both.cu", "-o", "both.ptx")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ".entry both" in (tmp_path / "both.ptx").read_text()


@cache
def nvrtc() -> ctypes.CDLL | None:
    """The system's library, or the one of the wheel nvidia-cuda-nvrtc."""
    found = find_spec("nvidia")
    wheels = [
        path
        for place in (found.submodule_search_locations or () if found else ())
        for path in Path(place).glob("*/lib/libnvrtc.so.*")
    ]
    for name in (ctypes.util.find_library("nvrtc"), "/usr/local/cuda/lib64/libnvrtc.so", *wheels):
        if name:
            try:
                return ctypes.CDLL(str(name))
            except OSError:
                continue
    return None


def ptx(text: str, kernels: Sequence[str]) -> str:
    """What CuPy does with the text of a header; the compiler's log is the assertion's message."""
    library, program, size = nvrtc(), ctypes.c_void_p(), ctypes.c_size_t()
    assert library is not None
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None) == 0
    for kernel in kernels:
        assert library.nvrtcAddNameExpression(program, kernel.encode()) == 0
    options = (ctypes.c_char_p * 1)(b"-std=c++17")
    code = library.nvrtcCompileProgram(program, 1, options)
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    assert code == 0, log.value.decode()
    library.nvrtcGetPTXSize(program, ctypes.byref(size))
    made = ctypes.create_string_buffer(size.value)
    library.nvrtcGetPTX(program, made)
    return made.value.decode()


needs_nvrtc = pytest.mark.skipif(
    nvrtc() is None, reason="no NVRTC (pip install nvidia-cuda-nvrtc): nothing is compiled"
)


@needs_nvrtc
@pytest.mark.parametrize(
    ("name", "real"), [("planar", "double"), ("waves", "float"), ("pose", "float"), ("inverse_dynamics", "double")]
)
def test_nvrtc_takes_every_layout(name: str, real: str) -> None:
    tapes = {"planar": planar.torque, "waves": waves}
    made = source(tapes[name]() if name in tapes else mp.generate("puma560", name).tape, "1")
    text = ptx(made.text, [made.kernel(real, layout) for layout in LAYOUTS])
    assert text.count(".entry") == len(LAYOUTS)
    moved = {"double": "ld.global.nc.v2.f64", "float": "ld.global.nc.v2.f32"}[real]
    assert moved in text or "ld.global.nc.v2.b" in text  # rows of an even number of entries are read two at a time


# computed on the host, one thread after the other


LAUNCHED = {"rows": "launch_rows", "columns": "launch"}
KINDS = tuple((real, layout) for real in ("double", "float") for layout in LAUNCHED)


def compiled(tape: Tape, outputs: Sequence[str], folder: Path, kinds: Sequence[tuple[str, str]] = KINDS) -> ctypes.CDLL:
    """double_rows(n, q, …), float_columns(n, q, …) and so on."""
    if CXX is None:
        pytest.skip("no C++ compiler to run CUDA on the host")
    (folder / "shim.hpp").write_text(SHIM)
    (folder / "kernel.cuh").write_text(host_text(source(tape, "1").text))
    lines = [
        f'extern "C" int {real}_{layout}(long long n, const {real}* q, {", ".join(f"{real}* {x}" for x in outputs)})\n'
        f"{{ return {tape.name}_{LAUNCHED[layout]}<{real}>(n, q, {', '.join(outputs)}); }}\n"
        for real, layout in kinds
    ]
    (folder / "all.cpp").write_text('#include "shim.hpp"\n#include "kernel.cuh"\n' + "".join(lines))
    done = sh(folder, str(CXX), "-std=c++17", "-pthread", "-shared", "-fPIC", "all.cpp", "-o", "all.so")
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "all.so"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return compiled(waves(), ["both", "late"], tmp_path_factory.mktemp("waves"))


def waved(library: ctypes.CDLL, layout: str, angles: Any) -> Any:
    """(n, 2): sine and cosine as the kernel computes them."""
    real, n = {"float64": "double", "float32": "float"}[str(angles.dtype)], len(angles)
    order = "C" if layout == "rows" else "F"
    q = np.asarray(np.stack([angles, np.ones_like(angles)], -1), order=order)
    both, late = np.empty((n, 2), dtype=angles.dtype, order=order), np.empty(n, dtype=angles.dtype)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (q, both, late)]
    assert getattr(library, f"{real}_{layout}")(ctypes.c_longlong(n), *pointers) == 0
    return both


def steps_off(got: Any, true: Sequence[Any], dtype: Any) -> float:
    """The largest error in units of the last place."""
    rounded = np.array([float(x) for x in true]).astype(dtype)
    return max(
        float(abs(mpmath.mpf(float(a)) - b) / float(np.spacing(np.abs(c)))) for a, b, c in zip(got, true, rounded)
    )


def angles(dtype: Any) -> Any:
    """Ordinary ones, ones close to multiples of π/2, and the edge of the fast way."""
    draw = np.random.default_rng(3)
    close = np.pi / 2 * draw.integers(-63_000, 63_000, 1500)
    found = [draw.uniform(-4, 4, 2000), draw.uniform(-1e5, 1e5, 1500), close, [0.0, 1e-300, np.pi / 4, 99999.99, 1e5]]
    return np.concatenate(found).astype(dtype)


@pytest.mark.turn
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sine_and_cosine_to_the_last_place(dtype: Any, library: ctypes.CDLL) -> None:
    given = angles(dtype)
    got = waved(library, "rows", given)
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(x)) for x in given]
        assert steps_off(got[:, 0], [mpmath.sin(x) for x in exact], dtype) < 1.6
        assert steps_off(got[:, 1], [mpmath.cos(x) for x in exact], dtype) < 1.6


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_angles_out_of_range_and_their_neighbours(dtype: Any, library: ctypes.CDLL) -> None:
    given = np.array([1.0, 2e5, -3e8, 1e30, np.inf, np.nan, -1e5, 0.5], dtype=dtype)
    got = waved(library, "columns", given)
    finite = np.isfinite(given)
    with mpmath.workdps(80):
        exact = [mpmath.mpf(float(x)) for x in given[finite]]
        assert steps_off(got[finite, 0], [mpmath.sin(x) for x in exact], dtype) < 2
    assert np.isnan(got[~finite]).all()
    assert (waved(library, "rows", given[:1])[0] == got[0]).all()


@pytest.mark.turn
def test_rows_of_any_length_leave_whole(tmp_path: Path) -> None:
    """The last warp and the last block are not full, and nothing is written behind the end."""
    n = 128 + 45
    q = np.random.default_rng(7).uniform(-3, 3, n)
    outputs = [np.full(n * size + 2, np.nan) for size in SIZES]
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (q, *outputs)]
    assert (
        compiled(wide(), [f"out{size}" for size in SIZES], tmp_path).double_rows(ctypes.c_longlong(n), *pointers) == 0
    )
    for size, found in zip(SIZES, outputs):
        assert (found[:-2].reshape(n, size) == q[:, None] * np.arange(1, size + 1)).all()
        assert np.isnan(found[-2:]).all()
