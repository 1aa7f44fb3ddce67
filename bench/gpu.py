"""Inverse dynamics on a GPU beside a plain copy of the same bytes: `python bench/gpu.py [--rows N] [robot …]`.

Runs where CuPy finds a device. Every function is measured on arrays of columns (one array an entry) and of rows (one
configuration after the other), in double and single precision, at 2²⁴ configurations. "of a copy" is the time of a copy
from device to device that reads and writes as many bytes in all, over the time of the function: 1 means that computing
costs nothing on top of moving the numbers. Times are medians, taken by the device; the last line is what a call costs
besides, in Python. The worst error is relative
to the largest result of its state, over 10,000 random states, against extended precision (and 40 digits on some).

"puma" is the PUMA 560 with every geometric and inertial parameter general, given values when it is called; the others
are robots of the library.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import arms
import mpmath
import numpy as np
from accuracy import drawn

import manipula as mp
from manipula.algebra.expr.evaluate import ARRAYS, MPMATH

STATES, PRECISE, REPEATED, TOGETHER = 10_000, 20, 15, 5
HEAD = ["function", "dtype", "layout", "ns each", "GB/s", "of a copy", "worst error"]


class Subject(NamedTuple):
    """A model and the values of its parameters, if it has any."""

    name: str
    model: mp.Model
    p: list[float] | None


def subject(robot: str, model: str) -> Subject:
    """A generic arm with drawn parameters, or a robot of the library."""
    made = mp.generate(arms.generic(robot) if robot in arms.TABLES else robot, model)
    names = list(made.inputs.get("p", ()))
    values = drawn(names, random.Random(1))
    return Subject(f"{robot} {model}", made, [values[name] for name in names] or None)


def seconds(cupy: Any, call: Callable[[], Any]) -> float:
    """Of one call: the median of short runs of calls, each run between two events, so that the device never waits."""
    call(), call()
    spent = []
    for _ in range(REPEATED):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(TOGETHER):
            call()
        end.record()
        end.synchronize()
        spent.append(cupy.cuda.get_elapsed_time(start, end) / 1000 / TOGETHER)
    return sorted(spent)[len(spent) // 2]


def copying(cupy: Any, moved: int) -> Callable[[], Any]:
    """A copy that moves as many bytes: half of them read, half written."""
    source, target = (cupy.random.random(moved // 8, dtype=cupy.float32) for _ in range(2))
    stream = cupy.cuda.get_current_stream()
    return lambda: target.data.copy_from_device_async(source.data, source.nbytes, stream)


def states(model: mp.Model, rows: int, dtype: str) -> list[Any]:
    draw = np.random.default_rng(2)
    ports = [port for port in model.tape.inputs if port.online]
    return [draw.uniform(-3, 3, size=(rows, *port.shape)).astype(dtype) for port in ports]


def worst_error(cupy: Any, what: Subject, dtype: str) -> float:
    """Over all states against extended precision, over some against 40 digits; parameters as the function sees them."""
    given = states(what.model, STATES, dtype)
    found = what.model.compile(dtype=dtype).to("cuda")(*map(cupy.asarray, given), p=what.p)
    results = [cupy.asnumpy(x).reshape(STATES, -1) for x in (found if isinstance(found, tuple) else [found])]
    got = np.concatenate(results, axis=1)
    p = [] if what.p is None else np.asarray(what.p, dtype=dtype).astype(np.longdouble)
    columns = [list(x.T.astype(np.longdouble)) for x in given] + [list(p)]
    values = dict(zip((port.name for port in what.model.tape.inputs), columns))
    with np.errstate(all="ignore"):
        outputs = what.model.tape.evaluate(values, ARRAYS)
    true = np.stack([np.broadcast_to(x, STATES) for port in outputs.values() for x in port], axis=1)
    return max(_off(got, true), *(_precise(what, given, p, got, i) for i in range(PRECISE)))


def _off(got: Any, true: Any) -> float:
    scale = np.abs(true).max(axis=1, keepdims=True)
    return float((np.abs(got - true) / np.where(scale == 0, 1, scale)).max())


def _precise(what: Subject, given: list[Any], p: Any, got: Any, i: int) -> float:
    """One state, the model itself with its constants unrounded."""
    numbers = [float(x) for row in given for x in row[i]] + [float(x) for x in p]
    names = [name for port in what.model.function.inputs for name in port.names]
    with mpmath.workdps(40):
        found = what.model.function(dict(zip(names, map(mpmath.mpf, numbers))), MPMATH)
        true = [x for port in found.values() for x in port]
        scale = max(map(abs, true)) or 1
        return float(max(abs(mpmath.mpf(float(a)) - b) for a, b in zip(got[i], true)) / scale)


def measured(cupy: Any, what: Subject, rows: int) -> list[list[str]]:
    lines = []
    for dtype in ("float64", "float32"):
        function, error = what.model.compile(dtype=dtype).to("cuda"), worst_error(cupy, what, dtype)
        entries = sum(len(port.slots) for port in (*function.inputs, *function.outputs))
        moved = rows * entries * function.dtype.itemsize
        copy = seconds(cupy, copying(cupy, moved))
        for layout in ("columns", "rows"):
            spent = _spent(cupy, function, layout, rows, what.p)
            figures = f"{spent / rows * 1e9:.4f}", f"{moved / spent / 1e9:.0f}", f"{copy / spent:.2f}", f"{error:.1e}"
            lines.append([what.name, dtype, layout, *figures])
    return lines


def _spent(cupy: Any, function: Any, layout: str, rows: int, p: Any) -> float:
    given = [_random(cupy, layout, (rows, *port.shape), function.dtype) for port in function.inputs]
    out = function(*given, p=p)
    return seconds(cupy, lambda: function(*given, p=p, out=out))


def _random(cupy: Any, layout: str, shape: tuple[int, ...], dtype: Any) -> Any:
    if layout == "rows":
        return cupy.random.random(shape, dtype=dtype) * 6 - 3
    return (cupy.random.random(shape[::-1], dtype=dtype) * 6 - 3).T


def host_seconds(cupy: Any) -> float:
    """Between the starts of successive calls of a small task."""
    function = mp.generate("puma560", "inverse_dynamics").compile().to("cuda")
    q, out = cupy.zeros((32, 6)), cupy.zeros((32, 6))
    return seconds(cupy, lambda: [function(q, q, q, out=out) for _ in range(100)]) / 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=["puma", "panda", "iiwa14"], help="generic arms or library robots")
    parser.add_argument("--rows", type=int, default=1 << 24, help="configurations")
    parser.add_argument("--models", default="inverse_dynamics", help="models, separated by commas")
    options = parser.parse_args()
    try:
        mp.generate("planar2r", "pose").compile().to("cuda")
    except mp.InputError as problem:
        print(f"nothing is measured: {problem}")
        return 0
    import cupy

    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}, CuPy {cupy.__version__}, {options.rows} configurations")
    lines = [HEAD]
    for robot in options.robots:
        for model in options.models.split(","):
            lines += measured(cupy, subject(robot, model), options.rows)
            cupy.get_default_memory_pool().free_all_blocks()
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        cells = [cell.ljust(width) if i < 3 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells))
    print(f"a call of few configurations takes {host_seconds(cupy) * 1e6:.0f} µs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
