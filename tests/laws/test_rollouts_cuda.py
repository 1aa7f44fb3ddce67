"""Rollouts as CUDA: the kernel that keeps its states in registers, compiled for the host, goes the steps of `run`."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.split import split
from tests.languages import CXX, SHIM, host_text, sh
from tests.laws.test_noise import watched
from tests.laws.test_rollouts import drawn, loads, loop_on, starts

NEEDS = pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine: the kernel is not compiled")


def kernel(loop: mp.System, folder: Path) -> Any:
    """int go(n, steps, states …, variables …, parameters …): the launcher behind a plain C function."""
    folder.mkdir(exist_ok=True)
    for path in loop.emit("cuda", folder):
        path.write_text(host_text(path.read_text()))
    name, parted = loop.name, split(loop.tape, Namer(()))
    live, fixed = [x.name for x in parted.variables], [x.name for x in parted.parameters]
    states = [x for x in live if x in {port.name for port in loop.function.states}]
    free = [x for x in live if x not in states]
    given = ", ".join([*(f"double* {x}" for x in states), *(f"const double* {x}" for x in (*free, *fixed))])
    lines = [f'#include "{name}_rollout.cuh"', f'extern "C" int go(long long n, long long steps, {given})', "{"]
    lines += [
        f"    {name}_work<double> work;",
        f"    if ({name}_prepare<double>({', '.join(fixed)}, work.k)) return 1;",
    ]
    lines += [f"    return {name}_launch_rollout<double>(n, steps, {', '.join([*states, *free])}, work);", "}"]
    (folder / "shim.hpp").write_text(SHIM)
    (folder / "go.cpp").write_text("\n".join(lines))
    words = ("-std=c++17", "-O1", "-fPIC", "-shared", "-pthread", "-w", "-include", "shim.hpp", "go.cpp", "-o", "go.so")
    done = sh(folder, str(CXX), *words)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "go.so")).go


@NEEDS
@pytest.mark.parametrize("case", [(3, "R", "pid", "rk4", False), (4, "PR", "computed_torque", "semi-implicit", True)])
def test_the_kernel_goes_the_same_steps(case: Any, tmp_path: Path) -> None:
    loop, rng, rows, n = loop_on(*case), np.random.default_rng(1), 70, 15
    state, load, given = starts(loop, rng, rows), loads(rng), drawn(loop, rng, rows)
    true = loop.run(state, n, *given, p=load, every=0).state
    columns = [np.ascontiguousarray(x.T) for x in (*state, *given)]
    fixed = [np.array(loop.settings[x.name]) for x in loop.function.inputs if x.role == "setting"]
    fixed.append(np.array([load[name] for name in loop.inputs["p"]]))
    places = [ctypes.c_void_p(x.ctypes.data) for x in (*columns, *fixed)]
    assert kernel(loop, tmp_path)(ctypes.c_longlong(rows), ctypes.c_longlong(n), *places) == 0
    for found, wanted in zip(columns, true):
        np.testing.assert_allclose(found.T, wanted, rtol=1e-11, atol=1e-12)


def test_noise_is_the_callers(tmp_path: Path) -> None:
    """A kernel would have to draw it anew in every step; without that there is none."""
    assert not any("rollout" in path.name for path in watched(q=1e-3, qd=1e-2).emit("cuda", tmp_path))
