"""Models as PyTorch operators: autograd, `torch.compile`, `torch.func.vmap`, on the processor and on CUDA devices.

An operator takes tensors (…, n) whose leading axes broadcast. Its gradient is a second operator, the vector–Jacobian
product, which has a gradient of its own. On the processor the compiled function reads the tensors where they are; on
a device the kernel of `algebra.run.cuda` runs in the caller's stream.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import count
from math import prod
from typing import Any

import numpy as np

from manipula.algebra.run import batch
from manipula.algebra.run.cuda import CudaFunction, Steps, layout_of
from manipula.errors import InputError
from manipula.generation.results.model import Model
from manipula.learning.kernels import DTYPES, Differentiable, check_shapes, differentiable, import_framework

NAMESPACE = "manipula"
_number = count()  # operators are registered for the life of the process, so each name is used once
_ALIGNED = 16  # bytes: the widest access of the kernel that reads rows


class TorchFunction:
    """f(q, qd, …): tensors of float32 or float64 on one device; several outputs are a named tuple."""

    def __init__(self, model: Model, parameters: Sequence[str] = ()) -> None:
        self._torch = import_framework("torch", "PyTorch", "manipula[torch]")
        self.name, self.parameters = model.name, tuple(parameters)
        own = differentiable(model, parameters)
        self._own, self._operator = own, Operator(self._torch, own)
        self.inputs, self.outputs = tuple(own.sizes), own.shapes
        self._result = namedtuple(f"{model.name}_result", list(own.shapes))  # type: ignore[misc]

    def __call__(self, *tensors: Any) -> Any:
        check_tensors(self._torch, self._own, tensors)
        results = self._operator.call(*tensors)
        return results[0] if len(self.outputs) == 1 else self._result(*results)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}({size})" for name, size in self._own.sizes.items())
        outputs = ", ".join(f"{name}({', '.join(map(str, shape))})" for name, shape in self.outputs.items())
        return f"<{self.name} in PyTorch: {inputs} → {outputs}>"


def check_tensors(torch: Any, own: Differentiable, tensors: Sequence[Any]) -> None:
    """One device, one of two number types, fitting shapes: each wrong one is named."""
    for name, x in zip(own.sizes, tensors):
        if not isinstance(x, torch.Tensor):
            kind = type(x).__name__
            raise InputError("{function}: {name}: expected a torch tensor, found {kind}", own.name, name, kind)
    check_shapes(own, tensors)
    if not tensors:
        return
    first, head = tensors[0], next(iter(own.sizes))
    for name, x in zip(own.sizes, tensors, strict=True):
        if _word(x.dtype) not in DTYPES or x.dtype != first.dtype:
            wanted = _word(first.dtype) if _word(first.dtype) in DTYPES else " or ".join(DTYPES)
            raise InputError(
                "{function}: {name}: expected dtype {wanted}, found {found}", own.name, name, wanted, _word(x.dtype)
            )
        if x.device != first.device:
            raise InputError(
                "{function}: {name}: expected a tensor on {device}, where {head} is, found one on {found}",
                own.name, name, first.device, head, x.device,
            )  # fmt: skip
        if x.device.type not in ("cpu", "cuda", "meta"):
            raise InputError(
                "{function}: {name}: expected a tensor on cpu or cuda, found one on {found}", own.name, name, x.device
            )


def _word(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


class Operator:
    """One function registered with PyTorch: what runs, its shapes, its gradient, its batching rule."""

    def __init__(self, torch: Any, own: Differentiable) -> None:
        self._torch, self._own = torch, own
        self._gradient: Operator | None = None
        self._cuda: dict[str, CudaFunction] = {}
        names = ", ".join(f"Tensor x{i}" for i in range(len(own.sizes)))
        results = ", ".join("Tensor" for _ in own.shapes)
        results = f"({results})" if len(own.shapes) > 1 else results
        label = f"{NAMESPACE}::{own.name}_{next(_number)}"
        register = torch.library.custom_op(label, mutates_args=(), schema=f"({names}) -> {results}")
        self._registered = register(self._run)
        self._registered.register_fake(self._fake)
        self._registered.register_autograd(self._backward, setup_context=self._save)
        self._registered.register_vmap(self._vmap)
        if own.orders > 1:
            # made now: a compiler that traces the backward pass must find it registered
            self._gradient = Operator(torch, own.product)

    def call(self, *tensors: Any) -> tuple[Any, ...]:
        torch = self._torch
        # operators of torch.library have no rule for torch.func's gradients; a Function has, and none for fullgraph
        inside = not torch.compiler.is_compiling() and torch._C._functorch.peek_interpreter_stack() is not None
        found = self._transformed.apply(*tensors) if inside else self._registered(*tensors)
        return (found,) if len(self._own.shapes) == 1 else tuple(found)

    @cached_property
    def _transformed(self) -> Any:
        """The same for `torch.func`: it wants static methods."""
        methods: dict[str, Any] = {
            "forward": self._registered,
            "setup_context": self._save,
            "backward": self._backward,
            "vmap": self._vmap_transformed,
        }
        return type(
            self._own.name, (self._torch.autograd.Function,), {key: staticmethod(x) for key, x in methods.items()}
        )

    def _vmap_transformed(self, info: Any, in_dims: tuple[Any, ...], *tensors: Any) -> tuple[Any, Any]:
        found = self.call(*_mapped_first(in_dims, tensors))
        return self._pack(found), 0 if len(found) == 1 else (0,) * len(found)

    def _pack(self, results: Sequence[Any]) -> Any:
        return results[0] if len(results) == 1 else tuple(results)

    def _fresh(self, tensors: Sequence[Any]) -> list[Any]:
        lead = check_shapes(self._own, tensors)
        return [tensors[0].new_empty((*lead, *shape)) for shape in self._own.shapes.values()]

    def _fake(self, *tensors: Any) -> Any:
        return self._pack(self._fresh(tensors))

    def _run(self, *tensors: Any) -> Any:
        results = self._fresh(tensors)
        if results[0].numel() or any(x.numel() for x in results):
            run = self._on_device if tensors[0].is_cuda else self._on_processor
            run(tensors, results)
        return self._pack(results)

    def _on_processor(self, tensors: Sequence[Any], results: Sequence[Any]) -> None:
        code = self._own.compiled(_word(tensors[0].dtype))
        # arrays over the tensors' own memory; `general` copies only rows that are not evenly spaced
        arrays, places = ([x.numpy(force=True) for x in side] for side in (tensors, results))
        code.general(
            *arrays, out=tuple(places) if len(places) > 1 else places[0], threads=self._torch.get_num_threads()
        )

    def _on_device(self, tensors: Sequence[Any], results: Sequence[Any]) -> None:
        torch, dtype, device = self._torch, _word(tensors[0].dtype), tensors[0].device
        if dtype not in self._cuda:
            self._cuda[dtype] = CudaFunction(self._own.compiled(dtype))
        lead = tuple(results[0].shape[: results[0].ndim - len(next(iter(self._own.shapes.values())))])
        rows = prod(lead)
        arrays: list[tuple[Any, Steps, int]] = []
        for x, size in zip(tensors, self._own.sizes.values(), strict=True):
            own, steps = _evenly_spaced(x, lead)
            arrays.append((own, steps, size))
        for x, shape in zip(results, self._own.shapes.values(), strict=True):
            arrays.append((x, Steps(np.int64(prod(shape)), np.int64(1)), prod(shape)))
        arrays = [x for x in arrays if x[2]]
        layout = layout_of(rows, [(steps, size) for _, steps, size in arrays])
        if layout == "rows" and any(x.data_ptr() % _ALIGNED for x, _, _ in arrays):
            layout = "strides"
        cut = sum(1 for size in self._own.sizes.values() if size)
        flat = [[y for x, steps, _ in part for y in (np.int64(x.data_ptr()), *steps)] for part in _cut(arrays, cut)]
        with torch.cuda.device(device):
            stream = torch.cuda.current_stream(device).cuda_stream
            self._cuda[dtype].launch(rows, layout, flat[0], flat[1], stream)

    # gradients

    def _save(self, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def _backward(self, ctx: Any, *weights: Any) -> tuple[Any, ...]:
        own, inputs = self._own, ctx.saved_tensors
        if self._gradient is None:
            self._gradient = Operator(self._torch, own.product)
        lead = check_shapes(own, inputs)
        flat = [
            w.reshape((*lead, prod(shape))) if w is not None else inputs[0].new_zeros((*lead, prod(shape)))
            for w, shape in zip(weights, own.shapes.values(), strict=True)
        ]
        # what was broadcast gathers the gradients of all its rows
        return tuple(g.sum_to_size(x.shape) for g, x in zip(self._gradient.call(*inputs, *flat), inputs, strict=True))

    def _vmap(self, info: Any, in_dims: tuple[Any, ...], *tensors: Any) -> tuple[Any, Any]:
        found = self._registered(*_mapped_first(in_dims, tensors))
        return found, 0 if len(self._own.shapes) == 1 else (0,) * len(self._own.shapes)


def _mapped_first(in_dims: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
    """The mapped axis becomes the first of the leading axes."""
    rank = max(x.ndim - (axis is not None) for x, axis in zip(tensors, in_dims, strict=True))
    moved = []
    for x, axis in zip(tensors, in_dims, strict=True):
        if axis is not None:
            x = x.movedim(axis, 0)
            x = x.reshape((x.shape[0], *(1,) * (rank + 1 - x.ndim), *x.shape[1:]))
        moved.append(x)
    return moved


def _cut(arrays: Sequence[Any], at: int) -> tuple[Sequence[Any], Sequence[Any]]:
    return arrays[:at], arrays[at:]


def _evenly_spaced(x: Any, lead: tuple[int, ...]) -> tuple[Any, Steps]:
    """The tensor, copied only where its rows are not the same distance apart, and its steps."""
    wide = x.expand((*lead, x.shape[-1]))
    step = batch.even_step(lead, tuple(wide.stride()[:-1]), 1)
    if step is None:
        wide = wide.contiguous()
        step = wide.shape[-1]
    return wide, Steps(np.int64(step), np.int64(wide.stride(-1)))


def torch_function(model: Model, parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """The model as a function of tensors."""
    return TorchFunction(model, parameters)
