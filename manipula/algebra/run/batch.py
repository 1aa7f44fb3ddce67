"""The arguments of a compiled function: what the caller gave becomes rows of floats, broadcast over leading axes.

Kernels see every input as a `RowsView`: n rows of contiguous entries, a fixed step apart; a step of 0 repeats one row.
Arrays that already lie so are used where they are; only the others are copied.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from math import prod
from threading import Thread
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.tape import Port
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message

Floats = NDArray[np.floating[Any]]  # float64 or float32, as the function was compiled
DType = np.dtype[Any]
Shape = tuple[int, ...]
Parameters = ArrayLike | Mapping[str, ArrayLike] | None
Out = Floats | Sequence[Floats] | None  # the caller's arrays for the results


class Shaped(Protocol):
    """An array of numpy, CuPy or another library, as far as its axes go."""

    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> Shape: ...
    def reshape(self, shape: int, /) -> Any: ...


A = TypeVar("A", bound=Shaped)
T = TypeVar("T")


class RowsView(NamedTuple):
    """Rows in memory: `array` owns them, row i starts `step`·i entries after its first one."""

    array: Floats
    step: int


class Arranged(NamedTuple):
    """The inputs of one call: leading shape, number of configurations, one view a port."""

    lead: Shape
    rows: int
    views: tuple[RowsView, ...]


def join_named(
    function: str, names: Sequence[str], given: Sequence[T], named: Mapping[str, T], options: Sequence[str] = ()
) -> tuple[T, ...]:
    """Inputs given by name behind the others: f(q, qdd=…, qd=…). `options` are named with them when one is unknown."""
    for name in named:
        if name not in names:
            raise UnknownNameError(Message("input of {name}", function), name, [*names, *options])
    left = names[len(given) :]
    if set(left) != set(named):
        raise InputError("{name}: expected each of {names} once, in order or by name", function, ", ".join(names))
    return (*given, *(named[name] for name in left))


def arrange_inputs(function: str, ports: Sequence[Port], values: Sequence[ArrayLike], dtype: DType) -> Arranged:
    """Check, convert and broadcast the variables of a call."""
    check_count(function, ports, values)
    arrays = [rows_from_value(function, port, value, dtype) for port, value in zip(ports, values)]
    lead = common_lead(function, ports, arrays)
    views = tuple(view_of_rows(array, lead) for array in arrays)
    return Arranged(lead, prod(lead), views)


def check_count(function: str, ports: Sequence[Port], values: Sequence[object]) -> None:
    if len(values) != len(ports):
        names = ", ".join(port.name for port in ports) or "none"
        raise InputError(
            "{function}: expected {count} inputs ({names}), found {count2}", function, len(ports), names, len(values)
        )


def rows_from_value(function: str, port: Port, value: ArrayLike, dtype: DType) -> Floats:
    """Floats of shape (..., size)."""
    return rows_of_array(function, port, floats_from_value(function, port.name, value, dtype))


def rows_of_array(function: str, port: Port, array: A) -> A:
    """The array, its last axis checked; a single number stands for a vector of one entry."""
    if array.ndim == 0 and port.shape == (1,):
        array = array.reshape(1)
    if array.shape[-1:] != port.shape:
        raise InputError(
            "{function}: {name}: expected shape {pattern}, found {found}",
            function,
            port.name,
            pattern(port.shape),
            _shape_text(array),
        )
    return array


def floats_from_value(function: str, name: str, value: ArrayLike, dtype: DType) -> Floats:
    """Anything numeric as floats; a sentence for the rest."""
    # exactly ndarray: subclasses may mask or rename entries
    if type(value) is np.ndarray and value.dtype == dtype:
        return value
    what = f"{function}: {name}"
    # NumPy loads its masked arrays when they are named: lists and numbers need not wait for them
    if isinstance(value, np.ndarray) and isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise InputError(
            "{what}: {np} entries are masked; fill them or leave their rows out",
            what,
            int(np.sum(np.ma.getmaskarray(value))),
        )
    try:
        array = np.asarray(value)
        # objects with __float__ (Fraction, mpmath) convert; text with digits in it must not
        if array.dtype.kind in "biuf" or (array.dtype.kind == "O" and all(hasattr(x, "__float__") for x in array.flat)):
            return array.astype(dtype)
    except InputError:  # a position of loops that do not close says why itself
        raise
    except (ValueError, TypeError) as problem:
        raise InputError("{name}: expected numbers, found {value}", what, value_text(value)) from problem
    raise InputError(
        "{what}: expected real numbers, found {told} (dtype {dtype})", what, value_text(value), array.dtype
    )


def view_of_rows(array: Floats, lead: Shape) -> RowsView:
    """The array broadcast to the leading shape, in place where its rows are evenly spaced."""
    size = array.shape[-1]
    if array.shape[:-1] == lead and array.flags.c_contiguous and array.flags.aligned:
        return RowsView(array, size)
    # broadcasting gives strides of 0, which the kernels read as one row for all
    wide = np.broadcast_to(array, (*lead, size))
    step = even_step(wide.shape[:-1], wide.strides[:-1], array.itemsize)
    if step is None or not array.flags.aligned or (size > 1 and array.strides[-1] != array.itemsize):
        return RowsView(np.ascontiguousarray(wide), size)
    return RowsView(array, step)


def even_step(shape: Shape, strides: Shape, itemsize: int) -> int | None:
    """The distance in entries between successive elements of these axes, if it is the same everywhere."""
    step, rows = 0, 1
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length == 1:
            continue
        if rows == 1:
            step = stride
        elif stride != step * rows:
            return None
        rows *= length
    return step // itemsize if step % itemsize == 0 else None


def results_for(function: str, ports: Sequence[Port], lead: Shape, out: Out, dtype: DType) -> list[Floats]:
    """Fresh arrays for the outputs, or the caller's own, checked."""
    if out is None:
        return [np.empty(lead + port.shape, dtype=dtype) for port in ports]
    arrays = out_arrays(function, ports, out)
    for port, array in zip(ports, arrays):
        _check_out(function, port, lead + port.shape, array, dtype)
    for (one, a), (other, b) in combinations(zip(ports, arrays), 2):
        # by the ends of their memory: quick, and wrong only on the safe side
        if np.may_share_memory(a, b):
            raise InputError(
                "{function}: out: the arrays for {name} and {name2} share memory", function, one.name, other.name
            )
    return arrays


def out_arrays(function: str, ports: Sequence[Port], out: object) -> list[Any]:
    """What the caller gave for the outputs, one each."""
    arrays = [out] if len(ports) == 1 else list(out) if isinstance(out, tuple | list) else [out]
    if len(arrays) != len(ports):
        names = ", ".join(port.name for port in ports)
        raise InputError(
            "{function}: out: expected {count} arrays ({names}), found {count2}",
            function,
            len(ports),
            names,
            len(arrays),
        )
    return arrays


def _check_out(function: str, port: Port, shape: Shape, array: object, dtype: DType) -> None:
    what = Message("{function}: out for {port}", function, port.name)
    if not isinstance(array, np.ndarray):
        raise InputError(
            "{what}: expected a numpy array of shape {shape}, found {told}", what, shape, value_text(array)
        )
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise InputError(
            "{what}: expected a C-contiguous {dtype} array, found dtype {dtype2}, array.strides={strides!r}",
            what,
            dtype,
            array.dtype,
            array.strides,
        )
    if not array.flags.aligned:
        raise InputError(
            "{what}: the array is not aligned in memory; its address must be a multiple of {itemsize}",
            what,
            dtype.itemsize,
        )
    if array.shape != shape:
        raise InputError("{what}: expected shape {shape}, found {shape2}", what, shape, array.shape)
    if not array.flags.writeable:
        raise InputError("{what}: the array is read-only", what)


def apart(view: RowsView, count: int, results: Sequence[Floats]) -> RowsView:
    """A view that no result overwrites while it is still being read."""
    if any(np.may_share_memory(view.array, result) for result in results):
        return RowsView(matrix_of_view(view, count).copy(), view.array.shape[-1])
    return view


def matrix_of_view(view: RowsView, count: int) -> Floats:
    """The same rows as a numpy matrix, without a copy."""
    size, width = view.array.shape[-1], view.array.itemsize
    strides = (width * view.step, width)
    # read-only: with a step of 0 several rows are the same memory
    return np.lib.stride_tricks.as_strided(view.array, (count, size), strides, writeable=False)


def pattern(shape: Shape) -> str:
    """(..., 6)"""
    return f"({', '.join(['...', *map(str, shape)])})"


def common_lead(function: str, ports: Sequence[Port], arrays: Sequence[Shaped]) -> Shape:
    """The leading axes of all, broadcast; arrays of any kind that have a shape."""
    leads = [array.shape[:-1] for array in arrays]
    if all(lead == leads[0] for lead in leads):
        return leads[0] if leads else ()
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        listed = ", ".join(f"{port.name} {array.shape}" for port, array in zip(ports, arrays))
        raise InputError(
            "{function}: the leading axes of the inputs do not broadcast: {listed}", function, listed
        ) from None


def _shape_text(array: Shaped) -> str:
    return Message("a single number") if array.ndim == 0 else str(array.shape)


def value_text(value: object) -> str:
    """What was found, not too long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__} {text[:40]}…"


# Many configurations shared out among threads: the caller's own, and others started for the call.
#
# They are not kept: a thread that slept is woken where it slept, often on the very processor the caller is busy on, and
# stays there for milliseconds; a new one is started where there is room. Nor would a pool outlive a fork. Started
# without the comforts of an executor, a thread costs some fifty microseconds.

LEAST = 8192  # configurations that are worth a thread


def shared_out(run: Callable[[range], None], count: int, threads: int, lanes: int, least: int = LEAST) -> None:
    """Call `run` on ranges that cover 0 … count, whole blocks of lanes each, in as many threads."""
    workers = min(_workers(threads), count // least)
    if workers <= 1:
        run(range(count))
        return
    blocks = -(-count // lanes)
    # shares end between blocks, so that no two threads write one row
    ends = [min(count, lanes * (blocks * i // workers)) for i in range(workers + 1)]
    own, *rest = (range(a, b) for a, b in pairwise(ends))
    others = [_Share(run, part) for part in rest]
    for other in others:
        other.start()
    run(own)
    for other in others:
        other.result()


class _Share(Thread):
    """A part of the work; what went wrong in it is raised where the result is requested."""

    def __init__(self, run: Callable[[range], None], part: range) -> None:
        super().__init__(daemon=True)
        self._work, self._part = run, part
        self._problem: BaseException | None = None

    def run(self) -> None:
        try:
            self._work(self._part)
        # KeyboardInterrupt too: it is raised again in the caller's thread
        except BaseException as problem:
            self._problem = problem

    def result(self) -> None:
        self.join()
        if self._problem is not None:
            raise self._problem


def _workers(threads: int) -> int:
    if not isinstance(threads, int) or threads < 0:
        raise InputError("threads: expected a number of threads (0 for all processors), found {threads!r}", threads)
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
