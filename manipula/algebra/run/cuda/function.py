"""`CudaFunction`: a tape as a callable on device arrays, compiled for the GPU by CuPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol, Unpack

import numpy as np

from manipula.algebra.emit.cuda import BLOCK, source
from manipula.algebra.run.batch.shapes import DType, Floats
from manipula.algebra.run.cuda.arrays import Arguments, Steps
from manipula.algebra.run.cuda.rollouts import Rollouts
from manipula.algebra.run.steps.repeated import Repeated, Task
from manipula.algebra.run.steps.stepping import Memory
from manipula.algebra.run.steps.task import Rolling, completed
from manipula.algebra.tape import Port, Tape
from manipula.errors import InputError

_REAL = {"float64": "double", "float32": "float"}


class HostFunction(Protocol):
    """The function on the processor: the one that knows its parameters."""

    name: str
    tape: Tape

    @property
    def dtype(self) -> DType: ...
    @property
    def inputs(self) -> tuple[Port, ...]: ...
    @property
    def outputs(self) -> tuple[Port, ...]: ...
    @property
    def parameters(self) -> tuple[str, ...]: ...
    def kept(self, p: Any = None) -> Floats: ...
    def packed(self, results: Sequence[Any]) -> Any: ...
    @property
    def memory(self) -> Memory: ...
    def task(self, state: Any, steps: int, variables: Sequence[Any], lanes: int, how: Rolling) -> Task: ...
    def to(self, device: str) -> Any: ...


class CudaFunction:
    """f(q, qd, …, p=None, out=None): as on the processor, with CuPy arrays of the function's dtype.

    Leading axes broadcast. Arrays stay where they are and may lie in any way; the fastest is one column an entry
    (`cupy.empty((6, rows)).T`), and whole rows come close. Results lie as the first input does. The parameters `p` come
    from the host; what depends on them alone is computed there when they change. The call returns at once and runs in
    CuPy's current stream; `threads` is taken, so that a caller need not know where the function runs, and unused.
    """

    backend = "cuda"

    def __init__(self, host: HostFunction) -> None:
        self._cupy = cupy_with_device(host.name)
        self._host, self._code = host, source(host.tape, "at run time")
        self._arguments = Arguments(self._cupy, host.name, host.dtype, (host.inputs, host.outputs))
        self._kernels: dict[str, Any] = {}
        self.name, self.tape, self.dtype = host.name, host.tape, host.dtype
        self.inputs, self.outputs, self.parameters = host.inputs, host.outputs, host.parameters

    def __call__(self, *variables: Any, p: Any = None, out: Any = None, threads: int = 1) -> Any:
        if p is None and self.parameters and len(variables) == len(self.inputs) + 1:
            variables, p = variables[:-1], variables[-1]
        call = self._arguments.arranged(variables, out)
        work = self._work(p)
        if call.rows:
            arguments = (np.int64(call.rows), *_flat(call.inputs), *work, *_flat(call.outputs))
            self._kernel(call.layout)((-(-call.rows // BLOCK),), (BLOCK,), arguments)
        return self._host.packed(call.results)

    def run(
        self,
        state: Any,
        steps: int,
        *variables: Any,
        **how: Unpack[Rolling],
    ) -> Repeated:
        """Many steps in one launch, one row a thread: as on the processor. Arrays may lie on either side; results stay
        on the device."""
        here = self._cupy.asnumpy
        states, given = tuple(map(here, state)), tuple(map(here, variables))
        return self._rollouts(self._host.task(states, steps, given, 1, completed(how)))

    @cached_property
    def _rollouts(self) -> Rollouts:
        return Rollouts(self._cupy, self._code, self._host.memory, self.dtype)

    def _work(self, p: Any) -> tuple[Any, ...]:
        """What depends on parameters alone, as the structure the kernel takes by value; nothing where there is none."""
        kept = self._host.kept(self._cupy.asnumpy(p) if isinstance(p, self._cupy.ndarray) else p)
        return (kept.view([("k", self.dtype, (kept.size,))]),) if kept.size else ()

    def _kernel(self, layout: str) -> Any:
        """Compiled on first use; CuPy keeps the machine code on disk."""
        if layout not in self._kernels:
            name = self._code.kernel(_REAL[str(self.dtype)], layout)
            module = self._cupy.RawModule(code=self._code.text, options=("-std=c++17",), name_expressions=(name,))
            self._kernels[layout] = module.get_function(name)
        return self._kernels[layout]

    def to(self, device: str) -> Any:
        """The same function on a device: "cpu" gives back the one this came from."""
        return self if device == "cuda" else self._host.to(device)

    @property
    def source(self) -> str:
        """The CUDA text the kernels are made from."""
        return self._code.text

    def __reduce__(self) -> tuple[Any, ...]:
        return CudaFunction, (self._host,)

    def __repr__(self) -> str:
        return f"<{self.name} on the GPU, {self.dtype}: {', '.join(port.name for port in self.inputs)}>"


def _flat(arrays: Sequence[tuple[Any, Steps]]) -> list[Any]:
    """array, row, column, array, row, …: as the kernel takes them."""
    return [x for array, steps in arrays for x in (array, *steps)]


def cupy_with_device(function: str) -> Any:
    """CuPy, when it is installed and finds a device; else a sentence that says what is missing."""
    try:
        cupy = import_module("cupy")
    except ImportError as problem:
        raise InputError(
            "{function}: a function on the GPU needs CuPy, which is not installed here (pip install "
            "cupy-cuda12x, or cupy-cuda13x for CUDA 13)",
            function,
        ) from problem
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as problem:
        raise InputError("{function}: CuPy finds no CUDA device here ({problem})", function, problem) from problem
    if not count:
        raise InputError("{function}: CuPy finds no CUDA device here", function)
    return cupy
