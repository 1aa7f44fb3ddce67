"""How one call of a function of tensors runs: checks, arrays and their steps in memory, the launch of a kernel, plans.

A plan is made when tensors of some types, devices, shapes and strides come first, and serves all that are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from manipula.algebra.emit.cuda import BLOCK
from manipula.algebra.run import batch
from manipula.algebra.run.cuda import LaunchNeeds, Steps
from manipula.algebra.run.gradients.frameworks import check_kinds, check_types
from manipula.errors import InputError
from manipula.learning.kernels import Ports, check_shapes

if TYPE_CHECKING:
    from torch import Tensor

SHARED = 2 * batch.LEAST  # rows; fewer are not shared out among threads


def watch(torch: ModuleType) -> Callable[[], bool]:
    """Asks whether something of PyTorch's looks at every operator: a mode, a tracer."""
    # bound once: names in modules of modules take longer to look up than they take to answer
    dispatch, function = torch._C._len_torch_dispatch_stack, torch._C._len_torch_function_stack
    tracing = torch._C._get_tracing_state
    return lambda: bool(dispatch() or function() or tracing() is not None)


def check_tensors(torch: ModuleType, own: Ports, tensors: Sequence[Tensor]) -> None:
    """One device, one of two number types, fitting shapes: each wrong one is named."""
    check_types(torch, own.name, zip(own.sizes, tensors))
    check_shapes(own, tensors)
    check_kinds(torch, own.name, zip(own.sizes, tensors))


class Launch:
    """A kernel and its arguments but for addresses: `launch(addresses, stream)`, a few microseconds of Python."""

    def __init__(
        self, needs: LaunchNeeds, rows: int, inputs: Sequence[Steps | None], outputs: Sequence[Steps | None]
    ) -> None:
        steps = (*inputs, *outputs)
        driver, kernel, work = needs
        self._kernel, self._function = kernel, kernel.kernel.ptr
        self._blocks = -(-rows // BLOCK)
        self._used = [i for i, x in enumerate(steps) if x is not None]
        count = len(self._used)
        # addresses first, then steps, then the number of rows: the driver is given where each of them stands
        self._cells = np.zeros(3 * count + 1, dtype=np.int64)
        numbers: list[int] = [int(y) for x in steps if x is not None for y in x]
        self._cells[count:] = [*numbers, rows]
        place = self._cells.ctypes.data
        arrays = [place + 8 * y for i in range(count) for y in (i, count + 2 * i, count + 2 * i + 1)]
        cut = 3 * sum(x is not None for x in inputs)
        self._work = work
        places = [place + 24 * count, *arrays[:cut], *(x.ctypes.data for x in work), *arrays[cut:]]
        self._places = np.array(places, dtype=np.int64)
        self._arguments = self._places.ctypes.data
        self._write, self._memory = Struct(f"{count}q").pack_into, memoryview(self._cells.data)
        self._all = count == len(steps)
        self._launch = driver.launchKernel

    def __call__(self, addresses: Sequence[int], stream: int) -> None:
        # Struct writes a few numbers four times as fast as NumPy
        self._write(self._memory, 0, *(addresses if self._all else [addresses[i] for i in self._used]))
        self._launch(self._function, self._blocks, 1, 1, BLOCK, 1, 1, 0, stream, self._arguments, 0)


class ProcessorPlan(NamedTuple):
    """How tensors of known types and strides are computed: the machine code, and whether rows are shared out."""

    run: Callable[..., Any]
    many: bool


class DevicePlan(NamedTuple):
    """How tensors on a device are computed: the launch, what makes results, whether addresses must be aligned."""

    launch: Launch
    fresh: list[Callable[[], Tensor]]
    device: int
    aligned: bool


Plan = ProcessorPlan | DevicePlan


def at_once(
    torch: ModuleType, count: int, single: bool, codes: Mapping[Any, Callable[..., Any]]
) -> Callable[[Sequence[Tensor]], Any]:
    """A call of plain tensors on the processor, of one leading axis at most, computed where they are; None for others.

    No plan is looked up: to ask tensors for all that a plan depends on takes longer than to compute a row.
    """
    # bound once: names in modules of modules take longer to look up than they take to answer
    plain, tensor, forward = torch.Tensor, torch.from_numpy, torch.autograd.forward_ad

    def call(tensors: Sequence[Tensor]) -> Any:
        if forward._current_level >= 0 or len(tensors) != count:
            return None
        arrays = []
        for x in tensors:
            if type(x) is not plain or x.requires_grad or not x.is_cpu:
                return None
            try:
                array = x.numpy()
            except (RuntimeError, TypeError):  # sparse, with signs kept apart, mapped by a transform
                return None
            if array.ndim > 1 and (array.ndim > 2 or len(array) >= SHARED):
                return None
            arrays.append(array)
        dtype = arrays[0].dtype
        code = codes.get(dtype)
        for array in arrays:
            if code is None or array.dtype is not dtype:
                return None
        try:
            found = code(*arrays)  # type: ignore[misc]
        except InputError:
            return None  # the check of tensors says what does not fit
        return tensor(found) if single else tuple(map(tensor, found))

    return call


class Arranged(NamedTuple):
    """Arrays of one launch; steps are None for a port without entries, which the kernel does not take."""

    rows: int
    layout: str
    arrays: list[Any]
    inputs: list[Steps | None]
    outputs: list[Steps | None]
    copied: bool


def evenly_spaced(x: Tensor, lead: tuple[int, ...]) -> tuple[Any, Steps]:
    """The tensor, copied only where its rows are not the same distance apart, and its steps."""
    wide = x.expand((*lead, x.shape[-1]))
    step = batch.even_step(lead, tuple(wide.stride()[:-1]), 1)
    if step is None:
        wide = wide.contiguous()
        step = wide.shape[-1]
    return wide, Steps(np.int64(step), np.int64(wide.stride(-1)))
