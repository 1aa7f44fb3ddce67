"""Functions moved to a GPU, run there and compared with the processor; without one, the sentences that say so."""

from __future__ import annotations

import pickle
import sys
from functools import cache
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp

# moving there


@cache
def gravity(dtype: str = "float64") -> Any:
    return mp.generate("puma560", "gravity").compile(dtype=dtype)


def test_the_processor_is_where_it_is() -> None:
    f = gravity()
    assert f.to("cpu") is f
    with pytest.raises(mp.UnknownNameError, match="no device is called 'tpu'"):
        f.to("tpu")


def test_without_cupy_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(mp.InputError, match=r"needs CuPy, which is not installed here \(pip install cupy-cuda12x"):
        gravity().to("cuda")


@pytest.mark.parametrize("answer", [0, RuntimeError("no driver")])
def test_without_a_device_a_sentence_says_so(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def count() -> int:
        if isinstance(answer, Exception):
            raise answer
        return int(answer)

    runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=RuntimeError)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    with pytest.raises(mp.InputError, match="CuPy finds no CUDA device here"):
        gravity().to("cuda")


# on a device


def device() -> Any:
    if find_spec("cupy") is None:
        pytest.skip("no CuPy: nothing is run on a GPU")
    import cupy

    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no CUDA device: nothing is run on a GPU")
    return cupy


def close(got: Any, want: Any) -> bool:
    limit = 1e-12 if want.dtype == np.float64 else 1e-4
    return (
        got.shape == want.shape
        and got.dtype == want.dtype
        and float(np.abs(got - want).max()) <= limit * float(np.abs(want).max())
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("model", ["inverse_dynamics", "forward_dynamics", "regressor", "energy"])
@pytest.mark.parametrize("robot", ["puma560", "panda"])
def test_the_device_agrees_with_the_processor(robot: str, model: str, dtype: str) -> None:
    cupy = device()
    f = mp.generate(robot, model).compile(dtype=dtype)
    g = f.to("cuda")
    draw = np.random.default_rng(4)
    given = [draw.uniform(-3, 3, size=(1001, *x.shape)).astype(dtype) for x in f.inputs]
    want = f(*given)
    for order in "CF":
        moved = [cupy.asarray(x, order=order) for x in given]
        for rows in (slice(None), slice(0, 1), slice(3, 900, 7), slice(0, 0)):
            got = g(*(x[rows] for x in moved))
            parts = zip(got, want) if isinstance(want, tuple) else [(got, want)]
            for a, b in parts:
                assert a.shape == b[rows].shape and (not b[rows].size or close(cupy.asnumpy(a), b[rows]))
    assert type(got) is type(want) or not isinstance(want, tuple)
    assert g.to("cpu") is f and g.to("cuda") is g


def test_broadcasting_out_parameters_and_pickles_on_the_device() -> None:
    cupy = device()
    f = mp.generate("planar2r", "inverse_dynamics").compile()
    g = f.to("cuda")
    values = {"l1": 1, "l2": 0.8, "m1": 3, "m2": 2, "g": 9.81}
    draw = np.random.default_rng(5)
    q, qd, qdd = draw.uniform(-3, 3, (4, 1, 2)), draw.uniform(-3, 3, (5, 2)), draw.uniform(-3, 3, 2)
    want = f(q, qd, qdd, p=values)
    moved = [cupy.asarray(x) for x in (q, qd, qdd)]
    out = cupy.full((4, 5, 2), np.nan)
    assert g(*moved, p=values, out=out) is out
    assert close(cupy.asnumpy(out), want)
    assert close(cupy.asnumpy(g(*moved, cupy.asarray([values[name] for name in g.parameters]))), want)
    assert close(cupy.asnumpy(pickle.loads(pickle.dumps(g))(*moved, p=values)), want)
    row = cupy.asarray(draw.uniform(-3, 3, (7, 2)))
    want = f(*3 * [cupy.asnumpy(row)], p=values)
    assert close(cupy.asnumpy(g(row, row, row, p=values, out=row)), want)  # an input that is overwritten
    with pytest.raises(mp.InputError, match="5 parameters need values"):
        g(row, row, row)
    with pytest.raises(mp.InputError, match="expected a CuPy array, found a numpy ndarray of shape"):
        g(cupy.asnumpy(row), row, row, p=values)


def test_large_angles_on_the_device() -> None:
    cupy = device()
    for dtype in ("float64", "float32"):
        f = gravity(dtype)
        q = np.random.default_rng(6).uniform(-1, 1, (1000, 6)) * 10.0 ** np.arange(0, 12, 2)
        q[7, 3] = np.nan
        q = q.astype(dtype)
        got, want = cupy.asnumpy(f.to("cuda")(cupy.asarray(q))), f(q)
        assert np.isnan(got[7]).any() and (np.isnan(got) == np.isnan(want)).all()
        assert close(np.nan_to_num(got), np.nan_to_num(want))


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("every", [0, 3])
def test_rollouts_agree_with_the_processor(own: bool, every: int) -> None:
    device()
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    gains = {"kp": 100.0, "ki": 50.0, "kd": 20.0, "limit": 40.0, "tracking": 5.0, "filter": 2e-3}
    law = mp.controller(robot, "pid", sample=1e-3, **gains)
    loop = mp.closed_loop(robot.with_payload("mL", ("rL", 0, 0)), law)
    draw = np.random.default_rng(0)
    state = loop.start(q=draw.uniform(-1, 1, (100, 2)))
    p = {"mL": draw.uniform(0, 2, 100) if own else 1.0, "rL": 0.1}
    drive = draw.uniform(-1, 1, (20, 2))
    want = loop.run(state, 20, drive, [0, 0], p=p, every=every, along="q_ref")
    got = loop.run(state, 20, drive, [0, 0], p=p, every=every, along="q_ref", device="cuda")
    for mine, true in zip((*got.state, *got.states), (*want.state, *want.states)):
        np.testing.assert_allclose(mine.get(), true, rtol=1e-10, atol=1e-12)
