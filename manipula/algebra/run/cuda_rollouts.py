"""Many steps of many rollouts on a GPU: one a thread, what is remembered in its registers.

Arrays stay where they are. The kernel finds an entry of an input at a fixed distance from step to step, from entry to
entry and from row to row, so the records of one run drive another, forwards or back in time, without a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np

from manipula.algebra.emit.cuda import BLOCK, CudaSource
from manipula.algebra.run.batch import DType, Floats, Shape
from manipula.algebra.run.repeated import NEVER, Repeated, RunRequest
from manipula.algebra.run.stepping import Memory
from manipula.algebra.tape import Port

REAL = {"float64": "double", "float32": "float"}


class DeviceMemory(Protocol):
    ptr: int
    device_id: int


class DeviceArray(Protocol):
    """An array of CuPy: what this package does with one."""

    @property
    def shape(self) -> Shape: ...
    @property
    def strides(self) -> Shape: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def data(self) -> DeviceMemory: ...
    @property
    def flags(self) -> Any: ...
    @property
    def T(self) -> DeviceArray: ...
    def copy(self) -> DeviceArray: ...
    def reshape(self, *shape: int) -> DeviceArray: ...
    def transpose(self, *axes: int) -> DeviceArray: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: slice) -> DeviceArray: ...


class Drive(NamedTuple):
    """What the steps of a launch are driven by: (steps or 1, V, rows or 1), evenly spaced, and its first entry."""

    array: DeviceArray
    strides: tuple[int, int, int]  # in entries: from step to step, entry to entry, row to row

    @property
    def arguments(self) -> tuple[Any, ...]:
        return (self.array, *map(np.int64, self.strides))


class Rollouts:
    """The kernels of one function, compiled on first use."""

    def __init__(self, cupy: ModuleType, code: CudaSource, memory: Memory, dtype: DType) -> None:
        self._cupy, self._code, self._memory, self._dtype = cupy, code, memory, dtype
        self._kernels: dict[bool, Any] = {}

    def __call__(self, request: RunRequest, kept: Floats) -> Repeated:
        """`kept`: (rows or 1, K), on the processor: what depends on parameters alone."""
        cupy = self._cupy
        # a column an entry: neighbouring threads then read neighbouring memory
        columns = [cupy.broadcast_to(x, (*request.lead, x.shape[-1])) for x in request.states]
        states = cupy.concatenate([x.reshape(request.rows, x.shape[-1]).T for x in columns])
        width = len(states) + sum(prod(port.shape) for port in self._memory.outputs)
        samples = -(-request.steps // request.every) if request.every else 0
        record = cupy.empty((samples, width, request.rows), self._dtype)
        if request.rows:
            self._launch(request, kept, states, record)
        return self._pack_records(request, states, record)

    def _launch(self, request: RunRequest, kept: Floats, states: DeviceArray, record: DeviceArray) -> None:
        drive = self._drive(request)
        own = len(kept) > 1
        work: tuple[Any, ...] = ()
        if kept.shape[1]:
            # a null pointer where all rows share one set: the kernel takes it by value
            columns = self._cupy.asarray(np.ascontiguousarray(kept.T)) if own else np.uintp(0)
            work = (kept[0].copy().view([("k", self._dtype, (kept.shape[1],))]), columns)
        times = (request.rows, request.steps, request.every, 0 if request.every else NEVER)
        arguments = (*map(np.int64, times), states, *drive.arguments, *work, record, *self._noise(request))
        self._kernel(own and bool(work))((-(-request.rows // BLOCK),), (BLOCK,), arguments)

    def _drive(self, request: RunRequest) -> Drive:
        parts = [self._turned(x, request, moves) for x, moves in zip(request.inputs, request.moving)]
        lying = _lying_together(parts)
        return _packed(self._cupy, parts, self._dtype) if lying is None else lying

    def _turned(self, x: DeviceArray, request: RunRequest, moves: bool) -> DeviceArray:
        """(steps or 1, size, rows or 1), where it lies if its rows are evenly spaced."""
        own = 2 if moves else 1
        if x.ndim > own:
            x = self._cupy.broadcast_to(x, (*request.lead, *x.shape[-own:]))
        tail = x.shape[-own:] if moves else (1, *x.shape[-1:])
        rows = request.rows if x.ndim > own else 1
        return x.reshape(rows, *tail).transpose(1, 2, 0)

    def _noise(self, request: RunRequest) -> tuple[Any, ...]:
        """Seed, numbers of the rows, number of the first step; nothing where none is drawn."""
        if not self._code.noisy:
            return ()
        numbers = self._cupy.asarray(np.ascontiguousarray(request.row_numbers.astype(np.int64)))
        return np.int64(request.seed), numbers, np.int64(request.first)

    def _kernel(self, own: bool) -> Any:
        if own not in self._kernels:
            name = self._code.run_kernel(REAL[str(self._dtype)], own)
            text = f"{self._code.text}\n{self._code.rollouts}"
            module = self._cupy.RawModule(code=text, options=("-std=c++17",), name_expressions=(name,))
            self._kernels[own] = module.get_function(name)
        return self._kernels[own]

    def _pack_records(self, request: RunRequest, states: DeviceArray, record: DeviceArray) -> Repeated:
        """As on the processor, on the device."""
        memory = self._memory
        state = [x.T.reshape(*request.lead, *port.shape) for port, x in _parts(memory.states, states, 0)]
        samples = (*request.lead, record.shape[0])
        recorded = [
            x.transpose(2, 1, 0).reshape(*samples, *port.shape)
            for port, x in _parts((*memory.states, *memory.outputs), record.transpose(1, 0, 2), 0)
        ]
        count = len(memory.states)
        return Repeated(
            memory.states_of(state), memory.states_of(recorded[:count]), memory.out(recorded[count:]), request.steps
        )


def _lying_together(parts: Sequence[DeviceArray]) -> Drive | None:
    """The parts as one array, where each begins behind the last entry of the one before, at equal distances."""
    if not parts or not all(x.size for x in parts):
        return None
    first, steps, rows = parts[0], max(len(x) for x in parts), max(x.shape[2] for x in parts)
    step, column, row = (stride // first.itemsize for stride in first.strides)
    at = first.data.ptr
    for x in parts:
        if (len(x), x.shape[2]) != (steps, rows) or x.strides != first.strides or x.data.ptr != at:
            return None
        at += x.shape[1] * first.strides[1]
    return Drive(first, (step if steps > 1 else 0, column, row if rows > 1 else 0))


def _packed(cupy: ModuleType, parts: Sequence[DeviceArray], dtype: DType) -> Drive:
    """The parts copied side by side."""
    steps = max((len(x) for x in parts), default=1)
    width, rows = sum(x.shape[1] for x in parts), max((x.shape[2] for x in parts), default=1)
    whole, at = cupy.empty((steps, width, rows), dtype), 0
    for x in parts:
        whole[:, at : at + x.shape[1]] = x
        at += x.shape[1]
    return Drive(whole, (width * rows if steps > 1 else 0, rows, 1 if rows > 1 else 0))


def _parts(ports: Sequence[Port], table: DeviceArray, first: int) -> list[tuple[Port, DeviceArray]]:
    """The entries of every port, along the first axis."""
    parts = []
    for port in ports:
        size = prod(port.shape)
        parts.append((port, table[first : first + size]))
        first += size
    return parts
