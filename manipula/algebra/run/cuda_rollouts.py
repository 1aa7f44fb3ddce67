"""Many steps of many rollouts on a GPU: one a thread, what is remembered in its registers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from manipula.algebra.emit.cuda import BLOCK, CudaSource
from manipula.algebra.run.batch import DType, Shape
from manipula.algebra.run.repeated import NEVER, Repeated, Task
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


class Rollouts:
    """The kernels of one function, compiled on first use."""

    def __init__(self, cupy: ModuleType, code: CudaSource, memory: Memory, dtype: DType) -> None:
        self._cupy, self._code, self._memory, self._dtype = cupy, code, memory, dtype
        self._kernels: dict[bool, Any] = {}

    def __call__(self, task: Task) -> Repeated:
        cupy = self._cupy
        # a column an entry: neighbouring threads then read neighbouring memory
        states = cupy.asarray(np.ascontiguousarray(task.states.T))
        width = len(states) + sum(prod(port.shape) for port in self._memory.outputs)
        samples = -(-task.steps // task.every) if task.every else 0
        record = cupy.empty((samples, width, task.rows), self._dtype)
        if task.rows:
            self._launch(task, states, record)
        return self._pack_records(task, states, record)

    def _launch(self, task: Task, states: DeviceArray, record: DeviceArray) -> None:
        held = task.held[:, None] if task.along is None else task.along  # (rows or 1, steps or 1, V)
        drive = self._cupy.asarray(np.ascontiguousarray(held.transpose(1, 2, 0)))  # (steps or 1, V, rows or 1)
        several = drive.shape[2] > 1
        strides = (drive.shape[1] * drive.shape[2] if len(drive) > 1 else 0, drive.shape[2], 1 if several else 0)
        kept, own = task.kept[..., 0], len(task.kept) > 1
        work: tuple[Any, ...] = ()
        if kept.shape[1]:
            # a null pointer where all rows share one set: the kernel takes it by value
            columns = self._cupy.asarray(np.ascontiguousarray(kept.T)) if own else np.uintp(0)
            work = (kept[0].copy().view([("k", self._dtype, (kept.shape[1],))]), columns)
        times = (task.rows, task.steps, task.every, 0 if task.every else NEVER)
        arguments = (*map(np.int64, times), states, drive, *map(np.int64, strides), *work, record, *self._noise(task))
        self._kernel(own and bool(work))((-(-task.rows // BLOCK),), (BLOCK,), arguments)

    def _noise(self, task: Task) -> tuple[Any, ...]:
        """Seed, numbers of the rows, number of the first step; nothing where none is drawn."""
        if not self._code.noisy:
            return ()
        numbers = self._cupy.asarray(np.ascontiguousarray(task.noise.rollouts.ravel()[: task.rows]))
        return np.int64(task.noise.seed), numbers, np.int64(task.first)

    def _kernel(self, own: bool) -> Any:
        if own not in self._kernels:
            name = self._code.run_kernel(REAL[str(self._dtype)], own)
            text = f"{self._code.text}\n{self._code.rollouts}"
            module = self._cupy.RawModule(code=text, options=("-std=c++17",), name_expressions=(name,))
            self._kernels[own] = module.get_function(name)
        return self._kernels[own]

    def _pack_records(self, task: Task, states: DeviceArray, record: DeviceArray) -> Repeated:
        """As on the processor, on the device."""
        memory, rows = self._memory, record.transpose(2, 0, 1)  # (rows, samples, width)
        state = [x.T.reshape(*task.lead, *port.shape) for port, x in _parts(memory.states, states, 0)]
        samples = (*task.lead, record.shape[0])
        recorded = [
            x.transpose(1, 2, 0).reshape(*samples, *port.shape)
            for port, x in _parts((*memory.states, *memory.outputs), rows.transpose(2, 0, 1), 0)
        ]
        count = len(memory.states)
        return Repeated(
            memory.states_of(state), memory.states_of(recorded[:count]), memory.out(recorded[count:]), task.steps
        )


def _parts(ports: Sequence[Port], table: DeviceArray, first: int) -> list[tuple[Port, DeviceArray]]:
    """The entries of every port, along the first axis."""
    parts = []
    for port in ports:
        size = prod(port.shape)
        parts.append((port, table[first : first + size]))
        first += size
    return parts
