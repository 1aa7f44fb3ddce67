"""`CudaFunction`: a tape as a callable on device arrays, compiled for the GPU by CuPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from math import prod
from types import ModuleType
from typing import Any, NamedTuple, Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.emit.cuda import BLOCK, source
from manipula.algebra.run import batch
from manipula.algebra.run.cuda_rollouts import REAL, DeviceArray, Rollouts
from manipula.algebra.run.repeated import Reader, Repeated, Rolling, RunRequest, complete_options
from manipula.algebra.run.stepping import Memory, to_lanes
from manipula.algebra.tape import Port, Tape
from manipula.errors import InputError
from manipula.messages import Message

# Arguments of a function on a GPU: device arrays checked, broadcast and described by their steps, copied only at need.
#
# A kernel finds entry j of configuration i at [i·row + j·column]. Three layouts have a kernel each: columns (row = 1:
# neighbouring threads read neighbouring entries), rows (dense, one configuration after the other), and any steps.
# All of this follows from shapes and strides alone, so it is worked out once for each combination and remembered.

_ALIGNED = 16  # bytes: the widest access of the kernel that reads rows
_REMEMBERED = 256


class Steps(NamedTuple):
    """From one configuration to the next and from one entry to the next, in entries; of the kernel's own type."""

    row: np.int64
    column: np.int64


class ArrayPlan(NamedTuple):
    """What shapes and strides decide: leading axes and their product, steps (None: to be copied), layout if aligned."""

    lead: batch.Shape
    rows: int
    steps: tuple[Steps | None, ...]
    columns: bool  # fresh results lie so
    layout: str


class DeviceCall(NamedTuple):
    """One call: number of configurations, layout, arrays of the ports that have entries, what goes back."""

    rows: int
    layout: str
    inputs: list[tuple[DeviceArray, Steps]]
    outputs: list[tuple[DeviceArray, Steps]]
    results: list[DeviceArray]


class LaunchNeeds(NamedTuple):
    """What a launch needs besides arrays."""

    driver: Any
    kernel: Any
    work: tuple[batch.Floats, ...]  # what depends on parameters alone


class Arguments:
    """Checks the arrays of one function."""

    def __init__(
        self, cupy: ModuleType, function: str, dtype: batch.DType, ports: tuple[Sequence[Port], Sequence[Port]]
    ) -> None:
        self.cupy, self.function, self.dtype = cupy, function, dtype
        self.inputs, self.outputs = ports
        self._plans: dict[tuple[Any, ...], ArrayPlan] = {}

    def arrange(self, values: Sequence[DeviceArray], out: DeviceArray | Sequence[DeviceArray] | None) -> DeviceCall:
        """Inputs and outputs of a call."""
        batch.check_count(self.function, self.inputs, values)
        # a kernel runs on the device in use, and cannot read another one's memory
        here = self.cupy.cuda.runtime.getDevice()
        arrays = [self._own(port.name, x, here) for port, x in zip(self.inputs, values)]
        if out is None:
            results = self._fresh(self._plan(arrays, ()))
        else:
            places = batch.out_arrays(self.function, self.outputs, out)
            names = [Message("out for {name}", port.name) for port in self.outputs]
            results = [self._own(name, x, here) for name, x in zip(names, places)]
            arrays = apart(arrays, results)
        plan = self._plan(arrays, results)
        if None in plan.steps:
            arrays = [self._dense(x, plan.lead) if steps is None else x for x, steps in zip(arrays, plan.steps)]
            plan = self._plan(arrays, results)
        return self._call(plan, arrays, results)

    def _call(self, plan: ArrayPlan, arrays: Sequence[DeviceArray], results: list[DeviceArray]) -> DeviceCall:
        ports = (*self.inputs, *self.outputs)
        parts = [(x, steps) for x, steps, port in zip((*arrays, *results), plan.steps, ports) if steps and port.slots]
        cut = sum(1 for port in self.inputs if port.slots)
        # an address, unlike a stride, differs from call to call: looked at each time
        aligned = plan.layout != "rows" or not any(x.data.ptr % _ALIGNED for x, _ in parts)
        return DeviceCall(plan.rows, plan.layout if aligned else "strides", parts[:cut], parts[cut:], results)

    def _own(self, name: str, value: DeviceArray, here: int) -> DeviceArray:
        """A CuPy array of the right type, on the device in use; other libraries' device arrays become one, uncopied."""
        if not isinstance(value, self.cupy.ndarray):
            if not hasattr(value, "__cuda_array_interface__"):
                kind = Message("{kind}; cupy.asarray({name}) copies it to the device", _kind(value), name)
                raise InputError("{function}: {name}: expected a CuPy array, found {found}", self.function, name, kind)
            value = self.cupy.asarray(value)
        if value.dtype != self.dtype:
            other = f'; compile(dtype="{value.dtype}") makes the function of that type' * (value.dtype.kind == "f")
            raise InputError(
                "{function}: {name}: expected dtype {dtype}, found {dtype2}{other}",
                self.function, name, self.dtype, value.dtype, other,
            )  # fmt: skip
        if value.data.device_id != here:
            raise InputError(
                "{function}: {name}: expected an array on device {here}, the one in use, found one on {device_id}",
                self.function, name, here, value.data.device_id,
            )  # fmt: skip
        return value

    def _plan(self, arrays: Sequence[DeviceArray], results: Sequence[DeviceArray]) -> ArrayPlan:
        key = tuple((x.shape, x.strides) for x in (*arrays, *results))
        plan = self._plans.get(key)
        if plan is None:
            # all at once: keeping the latest would cost more than it saves
            if len(self._plans) >= _REMEMBERED:
                self._plans.clear()
            plan = self._plans[key] = self._new_plan(arrays, results)
        return plan

    def _new_plan(self, arrays: Sequence[DeviceArray], results: Sequence[DeviceArray]) -> ArrayPlan:
        arrays = [batch.rows_of_array(self.function, port, x) for port, x in zip(self.inputs, arrays)]
        lead = batch.common_lead(self.function, self.inputs, arrays)
        read = [steps_of(x, lead, x.shape[-1:]) for x in arrays]
        taken = [self._out_steps(port, x, lead) for port, x in zip(self.outputs, results)]
        sizes = [len(port.slots) for port in (*self.inputs, *self.outputs)]
        # of an array that is the same for all rows nothing can be learned
        first = next((steps for steps, size in zip(read, sizes) if size > 1 and steps and steps.row), None)
        rows, steps = prod(lead), (*read, *taken)
        known = [(x, size) for x, size in zip(steps, sizes) if x is not None and size]
        return ArrayPlan(lead, rows, steps, first is not None and first.row == 1, layout_of(rows, known))

    def _out_steps(self, port: Port, array: DeviceArray, lead: batch.Shape) -> Steps:
        what, shape = Message("{function}: out for {port}", self.function, port.name), (*lead, *port.shape)
        if array.shape != shape:
            raise InputError("{what}: expected shape {shape}, found {shape2}", what, shape, array.shape)
        steps = steps_of(array, lead, port.shape) if array.size else Steps(np.int64(0), np.int64(0))
        if steps is None or (
            array.size and any(length > 1 and stride == 0 for length, stride in zip(shape, array.strides))
        ):
            raise InputError(
                "{what}: expected evenly spaced rows and entries, found array.strides={strides!r}", what, array.strides
            )
        return steps

    def _dense(self, array: DeviceArray, lead: batch.Shape) -> DeviceArray:
        dense: DeviceArray = self.cupy.ascontiguousarray(self.cupy.broadcast_to(array, (*lead, array.shape[-1])))
        return dense

    def _fresh(self, plan: ArrayPlan) -> list[DeviceArray]:
        """New arrays for the results, which lie as the first input does that is not the same for all."""
        return [self._empty(plan.lead, port.shape, plan.columns) for port in self.outputs]

    def _empty(self, lead: batch.Shape, shape: batch.Shape, columns: bool) -> DeviceArray:
        made: DeviceArray = self.cupy.empty((*shape, *lead) if columns else (*lead, *shape), dtype=self.dtype)
        order = (*range(len(shape), len(shape) + len(lead)), *range(len(shape)))
        return made.transpose(*order) if columns else made


def steps_of(array: DeviceArray, lead: batch.Shape, entries: batch.Shape) -> Steps | None:
    """The steps of an array broadcast to leading axes; None if they are not the same everywhere."""
    cut = array.ndim - len(entries)
    own = tuple(0 if length == 1 else stride for length, stride in zip(array.shape[:cut], array.strides))
    row = batch.even_step(lead, (0,) * (len(lead) - cut) + own, array.itemsize)
    column = batch.even_step(entries, array.strides[cut:], array.itemsize)
    return None if row is None or column is None else Steps(np.int64(row), np.int64(column))


def layout_of(rows: int, arrays: Sequence[tuple[Steps, int]]) -> str:
    """ "columns", "rows" or "strides", from the steps and the numbers of entries."""
    if rows == 1 or all(steps.row == 1 for steps, _ in arrays):
        return "columns"
    dense = all(steps.row == size and (steps.column == 1 or size == 1) for steps, size in arrays)
    return "rows" if dense else "strides"


def apart(arrays: Sequence[DeviceArray], results: Sequence[DeviceArray]) -> list[DeviceArray]:
    """Inputs that no result overwrites while they are still being read: the ends of their memory decide."""
    # ends that meet may still be apart: then it is one copy too many
    written = [_ends(x) for x in results]

    def overlaps(array: DeviceArray) -> bool:
        first, last = _ends(array)
        return any(first < end and start < last for start, end in written)

    return [x.copy() if overlaps(x) else x for x in arrays]


def _ends(array: DeviceArray) -> tuple[int, int]:
    """The first byte and the one past the last."""
    first: int = array.data.ptr
    if array.flags.c_contiguous:
        return first, first + array.nbytes
    reach = [stride * (length - 1) for length, stride in zip(array.shape, array.strides)]
    return first + sum(x for x in reach if x < 0), first + sum(x for x in reach if x > 0) + array.itemsize


def _kind(value: object) -> str:
    """a numpy ndarray of shape (3, 6); or the thing itself"""
    if not hasattr(value, "shape"):
        return batch.value_text(value)
    package, name = type(value).__module__.partition(".")[0], type(value).__name__
    return Message("a {partition} {name} of shape {tuple}", package, name, tuple(value.shape))


class HostFunction(Protocol):
    """The function on the processor: the one that knows its parameters."""

    name: str
    tape: Tape

    @property
    def dtype(self) -> batch.DType: ...
    @property
    def inputs(self) -> tuple[Port, ...]: ...
    @property
    def outputs(self) -> tuple[Port, ...]: ...
    @property
    def parameters(self) -> tuple[str, ...]: ...
    def kept(self, p: batch.Parameters = None) -> batch.Floats: ...
    def pack_results(self, results: Sequence[Any]) -> Any: ...
    @property
    def memory(self) -> Memory: ...
    def request(self, state: Any, steps: int, variables: Sequence[Any], how: Rolling, floats: Reader) -> RunRequest: ...
    def kept_blocks(self, table: batch.Floats, blocks: batch.Floats) -> batch.Floats: ...
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
        self._streams: dict[int, Any] = {}
        self.name, self.tape, self.dtype = host.name, host.tape, host.dtype
        self.inputs, self.outputs, self.parameters = host.inputs, host.outputs, host.parameters

    def __call__(self, *variables: Any, p: batch.Parameters = None, out: Any = None, threads: int = 1) -> Any:
        if p is None and self.parameters and len(variables) == len(self.inputs) + 1:
            variables, p = variables[:-1], variables[-1]
        call = self._arguments.arrange(variables, out)
        work = self._work(p)
        if call.rows:
            arguments = (np.int64(call.rows), *_flat(call.inputs), *work, *_flat(call.outputs))
            self._kernel(call.layout)((-(-call.rows // BLOCK),), (BLOCK,), arguments)
        return self._host.pack_results(call.results)

    def launch_needs(self, layout: str) -> LaunchNeeds:
        """For launches on other libraries' memory, on the device now in use."""
        return LaunchNeeds(self._cupy.cuda.driver, self._kernel(layout), self._work(None))

    def kernel_addresses(self, *layouts: str) -> NDArray[np.uint64]:
        """The driver's handles of these kernels on every device, (devices, layouts). They live as long as this."""
        found = []
        for number in range(self._cupy.cuda.runtime.getDeviceCount()):
            with self._cupy.cuda.Device(number):
                # CuPy keeps a kernel for each device
                found.append([self._kernel(layout).kernel.ptr for layout in layouts])
        return np.array(found, dtype=np.uint64)

    def kept(self) -> batch.Floats:
        """What depends on parameters alone, where the function has no such part."""
        return self._host.kept()

    def run(self, state: Any, steps: int, *variables: object, **how: Unpack[Rolling]) -> Repeated:
        """Many steps in one launch, one row a thread: as on the processor. States and variables may lie on either
        side; results stay on the device. Parameters come from the host."""
        options = complete_options(how)
        p = options["p"]
        if p is not None:
            here = self._cupy.asnumpy
            options["p"] = {name: here(x) for name, x in p.items()} if isinstance(p, Mapping) else here(p)
        request = self._host.request(state, steps, variables, options, self._floats)
        table, lead = request.parameters, request.lead
        own = np.broadcast_to(table, (*lead, table.shape[-1])) if table.ndim > 1 else table
        # a row is a block of one lane
        blocks = to_lanes(own.reshape(request.rows if table.ndim > 1 else 1, table.shape[-1]), 1, self.dtype)
        return self._rollouts(request, self._host.kept_blocks(table, blocks)[..., 0])

    def _floats(self, function: str, name: str, value: Any, dtype: batch.DType) -> Any:
        """On the device."""
        if not hasattr(value, "__cuda_array_interface__"):
            value = batch.floats_from_value(function, name, value, dtype)
        return self._cupy.asarray(value, dtype)

    @property
    def memory(self) -> Memory:
        """What is remembered from step to step."""
        return self._host.memory

    @cached_property
    def _rollouts(self) -> Rollouts:
        return Rollouts(self._cupy, self._code, self._host.memory, self.dtype)

    def _work(self, p: batch.Parameters) -> tuple[batch.Floats, ...]:
        """What depends on parameters alone, as the structure the kernel takes by value; nothing where it is missing."""
        kept = self._host.kept(self._cupy.asnumpy(p) if isinstance(p, self._cupy.ndarray) else p)
        # by value: constants of a launch are read from the fastest memory, and no copy has to be waited for
        return (kept.view([("k", self.dtype, (kept.size,))]),) if kept.size else ()

    def _kernel(self, layout: str) -> Any:
        """Compiled on first use; CuPy keeps the machine code on disk."""
        if layout not in self._kernels:
            name = self._code.kernel(REAL[str(self.dtype)], layout)
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

    def __reduce__(self) -> tuple[object, ...]:
        return CudaFunction, (self._host,)

    def __repr__(self) -> str:
        return f"<{self.name} on the GPU, {self.dtype}: {', '.join(port.name for port in self.inputs)}>"


def _flat(arrays: Sequence[tuple[DeviceArray, Steps]]) -> list[Any]:
    """array, row, column, array, row, …: as the kernel takes them."""
    return [x for array, steps in arrays for x in (array, *steps)]


def cupy_with_device(function: str) -> ModuleType:
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
