"""Models as PyTorch operators: autograd, `torch.compile`, `torch.func.vmap`, on the processor and on CUDA devices.

An operator takes tensors (…, n) whose leading axes broadcast. Its gradient is a second operator, the vector–Jacobian
product, which has a gradient of its own. On the processor the compiled function reads the tensors where they are; on
a device the kernel of `algebra.run.cuda` runs in the caller's stream.

PyTorch's dispatcher takes longer than a kernel of thousands of rows. It is asked only where it has something to do:
under `torch.compile`, `torch.func`, modes, forward derivatives, and for tensors of other kinds. Plain tensors whose
types, devices, shapes and strides were met before go to the machine code by the plan of that time.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import cached_property, partial, reduce
from itertools import count
from math import prod
from operator import or_
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from manipula.algebra.run.cuda import CudaFunction, Steps, layout_of
from manipula.algebra.run.gradients.frameworks import compile_alone, import_framework, mapped_first, word_of
from manipula.generation.results.model import Model
from manipula.learning.kernels import POSE, Differentiable, as_row, check_shapes, differentiable, inputs_in_order
from manipula.learning.torch_launch import (
    SHARED,
    Arranged,
    DevicePlan,
    Launch,
    Plan,
    ProcessorPlan,
    at_once,
    check_tensors,
    evenly_spaced,
    watch,
)

if TYPE_CHECKING:
    from torch import Tensor

NAMESPACE = "manipula"
number = count()  # operators are registered for the life of the process, so each name is used once
_ALIGNED = 16  # bytes: the widest access of the kernel that reads rows
_REMEMBERED = 256  # plans an operator; then it begins anew


class TorchFunction:
    """f(q, qd, …): tensors of float32 or float64 on one device; several outputs are a named tuple."""

    def __init__(self, own: Differentiable, parameters: Sequence[str] = ()) -> None:
        self._torch = import_framework("torch", "PyTorch", "manipula[torch]")
        self.name, self.parameters = own.name, tuple(parameters)
        self._own, self._operator = own, Operator(self._torch, own)
        self.inputs, self.outputs = tuple(own.sizes), own.shapes
        self._result = namedtuple(f"{own.name}_result", list(own.shapes))  # type: ignore[misc]
        self._poses = [i for i, size in enumerate(own.sizes.values()) if size == POSE]
        compile_alone(self)

    def __call__(self, *tensors: Tensor, **named: Any) -> Any:
        if named:
            tensors = inputs_in_order(self._own, tensors, named)
        if self._poses:
            tensors = tuple(as_row(x) if i in self._poses else x for i, x in enumerate(tensors))
        found = self._operator.call(*tensors)
        return found if len(self.outputs) == 1 else self._result(*found)

    def __reduce__(self) -> tuple[Any, ...]:
        return TorchFunction, (self._own, self.parameters)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}({size})" for name, size in self._own.sizes.items())
        outputs = ", ".join(f"{name}({', '.join(map(str, shape))})" for name, shape in self.outputs.items())
        return f"<{self.name} in PyTorch: {inputs} → {outputs}>"


class Operator:
    """One function registered with PyTorch: what runs, its shapes, its gradient, its batching rule."""

    def __init__(self, torch: ModuleType, own: Differentiable) -> None:
        self._torch, self._own = torch, own
        self._cuda: dict[str, CudaFunction] = {}
        self._plans: dict[Any, Any] = {}
        self._codes: dict[Any, Callable[..., Any]] = {}  # NumPy's dtype → machine code, from the first plan on
        self._single, self._lock = len(own.shapes) == 1, Lock()
        self._at_once = at_once(torch, len(own.sizes), self._single, self._codes)
        self._plain_types = (torch.Tensor, torch.nn.Parameter)
        self._is_watched, self._functions = watch(torch), torch._C._functorch.peek_interpreter_stack
        functorch = torch._C._functorch
        # by PyTorch's first vmap, or by a transform that has ended: the function of torch.func.vjp keeps such tensors
        mapped, derived = functorch.is_legacy_batchedtensor, functorch.is_functorch_wrapped_tensor
        self._is_wrapped: Callable[[Tensor], bool] = lambda x: mapped(x) or derived(x)
        self._gathers, self._forward_ad = torch.is_grad_enabled, torch.autograd.forward_ad
        names = ", ".join(f"Tensor x{i}" for i in range(len(own.sizes)))
        results = ", ".join("Tensor" for _ in own.shapes)
        results = f"({results})" if len(own.shapes) > 1 else results
        label = f"{NAMESPACE}::{own.name}_{next(number)}"
        register = torch.library.custom_op(label, mutates_args=(), schema=f"({names}) -> {results}")
        self._registered = register(self._run)
        self._registered.register_fake(self._fake)
        self._registered.register_autograd(self._backward, setup_context=self._save)
        self._registered.register_vmap(self._vmap)
        if own.orders > 1:
            # made now: a compiler that traces the backward pass must find it registered
            self.gradient = Operator(torch, own.product)

    def call(self, *tensors: Tensor) -> Any:
        """The only result, or a tuple of results."""
        torch = self._torch
        if torch.compiler.is_compiling():
            check_tensors(torch, self._own, tensors)
            # inside of torch.func the compiler breaks here, and all of it runs as it does without
            torch._C._functorch.maybe_current_level()
            return self._registered(*tensors)
        functions = self._functions()
        if functions is None and not self._is_watched():
            found = self._at_once(tensors)
            if found is not None:
                return found
            plan = self._plan_of(tensors)
            if plan is not None:
                # a list is made in less time than a generator is begun
                wanting = [x for x in tensors if x.requires_grad]
                if (wanting and self._gathers()) or self._forward_ad._current_level >= 0:
                    return self._recorded.apply(*tensors)
                return self._direct(plan, [x.detach() for x in tensors] if wanting else tensors)
        check_tensors(torch, self._own, tensors)
        # operators of torch.library have no rule for torch.func's gradients, and drop what is carried forward without a
        # word; a Function has rules, and none for fullgraph
        is_derived = functions is not None or self._forward_ad._current_level >= 0
        return self._transformed.apply(*tensors) if is_derived else self._registered(*tensors)

    def _plan_of(self, tensors: Sequence[Tensor]) -> Plan | None:
        """That made when such tensors came first; None for those that the dispatcher must see."""
        is_wrapped = self._is_wrapped
        try:
            of = [(type(x), x.dtype, x.device, x.shape, x.stride(), x.is_neg(), is_wrapped(x)) for x in tensors]
            key = (*of, *[x._is_zerotensor() for x in tensors])
            plan: Any = self._plans.get(key, self)
        except (AttributeError, RuntimeError, TypeError):
            return None  # no tensors, or without strides, or with sizes that are no numbers
        if plan is self:
            plan = None
            if self._are_plain(tensors):
                check_tensors(self._torch, self._own, tensors)
                plan = self._plan(tensors)
            if len(self._plans) >= _REMEMBERED:
                self._plans.clear()
            self._plans[key] = plan
        return plan  # type: ignore[no-any-return]

    def _are_plain(self, tensors: Sequence[Tensor]) -> bool:
        """Tensors whose memory holds their entries: no classes of users, nothing sparse, no signs kept apart, no
        zeros without memory."""
        strided, types = self._torch.strided, self._plain_types
        return all(
            type(x) in types and x.layout is strided and not (x.is_neg() or x._is_zerotensor() or self._is_wrapped(x))
            for x in tensors
        )

    def _direct(self, plan: Plan, tensors: Sequence[Tensor]) -> Any:
        if isinstance(plan, DevicePlan):
            return self._launched(plan, tensors)
        arrays = [x.numpy() for x in tensors]
        threads = self._torch.get_num_threads() if plan.many else 1
        # without threads the call is a thin one
        found = plan.run(*arrays, threads=threads) if threads > 1 else plan.run(*arrays)
        tensor = self._torch.from_numpy
        return tensor(found) if self._single else tuple(map(tensor, found))

    def _plan(self, tensors: Sequence[Tensor]) -> Plan | None:
        """None where the operator itself must look: no rows, rows that are copied first, an unusual device."""
        results, first = self._fresh(tensors), tensors[0]
        if first.device.type not in ("cpu", "cuda") or not all(x.ndim and x.numel() for x in results):
            return None
        call = self._arranged(tensors, results)
        if not first.is_cuda:
            code = self._own.compile_for(word_of(first.dtype))
            if code.backend == "llvm":
                self._codes[code.dtype] = code.thin
            return ProcessorPlan(code.thin, call.rows >= SHARED)
        if call.copied:
            return None
        with self._torch.cuda.device(first.device):
            needs = self._on_cuda(word_of(first.dtype)).launch_needs(call.layout)
        kernel = Launch(needs, call.rows, call.inputs, call.outputs)
        fresh: list[Callable[[], Tensor]] = [
            partial(self._torch.empty_strided, x.shape, x.stride(), dtype=x.dtype, device=x.device) for x in results
        ]
        return DevicePlan(kernel, fresh, first.device.index, call.layout == "rows")

    def _launched(self, plan: DevicePlan, tensors: Sequence[Tensor]) -> Any:
        torch = self._torch
        if plan.device != torch._C._cuda_getDevice():
            with torch.cuda.device(plan.device):
                return self._launched(plan, tensors)
        results = [make() for make in plan.fresh]
        addresses = [x.data_ptr() for x in tensors] + [x.data_ptr() for x in results]
        if plan.aligned and reduce(or_, addresses) % _ALIGNED:
            self._on_device(tensors, results)
        else:
            # one list of arguments serves all calls: the driver copies it before it returns
            with self._lock:
                plan.launch(addresses, torch._C._cuda_getCurrentRawStream(plan.device))
        return self._pack(results)

    @cached_property
    def _recorded(self) -> Any:
        """For gradients of plain tensors."""

        # one method for both steps: with `setup_context` PyTorch reads the signature at every call, for 60 µs
        def forward(ctx: Any, *tensors: Tensor) -> Any:
            ctx.save_for_backward(*tensors)
            if self._forward_ad._current_level >= 0:
                ctx.save_for_forward(*tensors)  # takes half as long as all the rest
            plan = self._plan_of(tensors)
            if plan is None:
                return self._registered(*tensors)
            # kernels read addresses; NumPy takes no tensor that wants a gradient
            return self._direct(plan, tensors if isinstance(plan, DevicePlan) else [x.detach() for x in tensors])

        return self._function(forward=forward)

    @cached_property
    def _transformed(self) -> Any:
        """For `torch.func`."""
        return self._function(forward=self._registered, setup_context=self._save, vmap=self._vmap_transformed)

    def _function(self, **methods: Callable[..., Any]) -> Any:
        """An `autograd.Function`, which wants static methods."""
        methods |= {"backward": self._backward, "jvp": self._carried}
        return type(
            self._own.name, (self._torch.autograd.Function,), {key: staticmethod(x) for key, x in methods.items()}
        )

    def _vmap_transformed(self, info: object, in_dims: tuple[int | None, ...], *tensors: Tensor) -> tuple[Any, Any]:
        found = self.call(*mapped_first(in_dims, tensors, [1] * len(tensors)))
        return found, 0 if self._single else (0,) * len(self._own.shapes)

    def _pack(self, results: Sequence[Tensor]) -> Any:
        return results[0] if len(results) == 1 else tuple(results)

    def _fresh(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        lead = check_shapes(self._own, tensors)
        return [tensors[0].new_empty((*lead, *shape)) for shape in self._own.shapes.values()]

    def _fake(self, *tensors: Tensor) -> Any:
        return self._pack(self._fresh(tensors))

    def _run(self, *tensors: Tensor) -> Any:
        results = self._fresh(tensors)
        if results[0].numel() or any(x.numel() for x in results):
            run = self._on_device if tensors[0].is_cuda else self._on_processor
            run(tensors, results)
        return self._pack(results)

    def _on_processor(self, tensors: Sequence[Tensor], results: Sequence[Tensor]) -> None:
        code = self._own.compile_for(word_of(tensors[0].dtype))
        # arrays over the tensors' own memory; `general` copies only rows that are not evenly spaced
        arrays, places = ([x.numpy(force=True) for x in side] for side in (tensors, results))
        code.general(
            *arrays, out=tuple(places) if len(places) > 1 else places[0], threads=self._torch.get_num_threads()
        )

    def _on_device(self, tensors: Sequence[Tensor], results: Sequence[Tensor]) -> None:
        torch, device = self._torch, tensors[0].device
        call = self._arranged(tensors, results)
        layout = call.layout
        if layout == "rows" and any(x.data_ptr() % _ALIGNED for x in call.arrays):
            layout = "strides"
        with torch.cuda.device(device):
            needs = self._on_cuda(word_of(tensors[0].dtype)).launch_needs(layout)
            launch = Launch(needs, call.rows, call.inputs, call.outputs)
            launch([x.data_ptr() for x in call.arrays], torch.cuda.current_stream(device).cuda_stream)

    def _on_cuda(self, dtype: str) -> CudaFunction:
        if dtype not in self._cuda:
            self._cuda[dtype] = CudaFunction(self._own.compile_for(dtype))
        return self._cuda[dtype]

    def _arranged(self, tensors: Sequence[Tensor], results: Sequence[Tensor]) -> Arranged:
        """Every array with its steps; copies where rows are not evenly spaced."""
        first = next(iter(self._own.shapes.values()))
        lead = tuple(results[0].shape[: results[0].ndim - len(first)])
        sizes = [*self._own.sizes.values(), *map(prod, self._own.shapes.values())]
        evenly = [evenly_spaced(x, lead) for x in tensors]
        arrays = [*(x for x, _ in evenly), *results]
        steps = [
            *(steps for _, steps in evenly), *(Steps(np.int64(size), np.int64(1)) for size in sizes[len(tensors) :]),
        ]  # fmt: skip
        layout = layout_of(prod(lead), [(x, size) for x, size in zip(steps, sizes, strict=True) if size])
        copied = any(x.data_ptr() != y.data_ptr() for x, y in zip(arrays, tensors))
        given = [x if size else None for x, size in zip(steps, sizes, strict=True)]
        cut = len(tensors)
        return Arranged(prod(lead), layout, arrays, given[:cut], given[cut:], copied)

    # gradients

    def _save(self, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs)
        if hasattr(ctx, "save_for_forward"):  # an operator of torch.library lacks it
            ctx.save_for_forward(*inputs)

    @cached_property
    def gradient(self) -> Operator:
        """The vector–Jacobian product as an operator."""
        return Operator(self._torch, self._own.product)

    @cached_property
    def tangent(self) -> Operator:
        """The Jacobian–vector product as an operator."""
        return Operator(self._torch, self._own.tangent)

    def _carried(self, ctx: Any, *rates: Tensor) -> Any:
        """ẏ = J ẋ"""
        own, inputs, lead = self._own, ctx.saved_tensors, check_shapes(self._own, ctx.saved_tensors)
        given = [self._torch.zeros_like(x) if rate is None else rate for x, rate in zip(inputs, rates, strict=True)]
        found = self.tangent.call(*inputs, *given)
        found = [found] if self._single else found
        return self._pack([x.reshape((*lead, *shape)) for x, shape in zip(found, own.shapes.values(), strict=True)])

    def _backward(self, ctx: Any, *weights: Tensor) -> tuple[Any, ...]:
        own, inputs = self._own, ctx.saved_tensors
        pairs = list(zip(weights, own.shapes.values(), strict=True))
        lead = next((w.shape[: w.ndim - len(shape)] for w, shape in pairs if w is not None), ())
        flat = [
            inputs[0].new_zeros((*lead, prod(shape))) if w is None
            else w if len(shape) == 1 else w.reshape((*lead, prod(shape)))
            for w, shape in pairs
        ]  # fmt: skip
        found = self.gradient.call(*inputs, *flat)
        # what was broadcast gathers the gradients of all its rows
        return tuple(
            g if g.shape == x.shape else g.sum_to_size(x.shape)
            for g, x in zip([found] if len(inputs) == 1 else found, inputs, strict=True)
        )

    def _vmap(self, info: object, in_dims: tuple[int | None, ...], *tensors: Tensor) -> tuple[Any, Any]:
        found = self._registered(*mapped_first(in_dims, tensors, [1] * len(tensors)))
        return found, 0 if len(self._own.shapes) == 1 else (0,) * len(self._own.shapes)


def torch_function(models: Sequence[Model], parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """The models as a function of tensors."""
    return TorchFunction(differentiable(models, parameters), parameters)
