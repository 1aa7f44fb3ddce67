"""Models as JAX functions: `jit`, `vmap` and gradients in both modes, by the proved products with the Jacobian.

XLA calls the compiled function itself, through its foreign function interface: machine code on the processor, a kernel
on CUDA devices. Elsewhere, and where the interface is another one than we know, XLA compiles the emitted text, whose
shapes are checked here first.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module
from inspect import signature
from math import prod
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np

from manipula.algebra.emit import backend
from manipula.algebra.emit.ports import Namer
from manipula.algebra.run.cuda import CudaFunction
from manipula.algebra.run.gradients.frameworks import DTYPES, import_framework
from manipula.algebra.run.xla_call import XlaHandler, device_table, host_table
from manipula.algebra.run.xla_layout import XlaLayout, layout_from_header
from manipula.errors import InputError, caution
from manipula.generation.results.model import Model
from manipula.learning.kernels import POSE, Differentiable, Ports, as_row, check_shapes, differentiable, inputs_in_order
from manipula.version import __version__

_HEADER = "xla/ffi/api/c_api.h"
_lock = Lock()
_handlers: dict[tuple[str, str], XlaHandler] = {}  # XLA knows a target for the life of the process


class JaxFunction:
    """f(q, qd, …): arrays (…, n) whose leading axes broadcast; several outputs are a named tuple."""

    def __init__(self, own: Differentiable, parameters: Sequence[str] = ()) -> None:
        self._jax = import_framework("jax", "JAX", "manipula[jax]")
        self._own = own
        self.name, self.parameters = own.name, tuple(parameters)
        self.inputs, self.outputs = tuple(own.sizes), own.shapes
        self._result = namedtuple(f"{own.name}_result", list(own.shapes))  # type: ignore[misc]
        # compiled as a whole, so that a call outside of `jit` costs little more than one inside
        self._call = self._jax.jit(RowFunction(self._jax, own).call)

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        if named:
            arrays = inputs_in_order(self._own, arrays, named)
        results = self._call(*cast_alike(self._jax, checked_arrays(self._jax, self._own, arrays)))
        return results[0] if len(self.outputs) == 1 else self._result(*results)

    def __reduce__(self) -> tuple[Any, ...]:
        return JaxFunction, (self._own, self.parameters)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}({size})" for name, size in self._own.sizes.items())
        return f"<{self.name} in JAX: {inputs} → {', '.join(self.outputs)}>"


def checked_arrays(jax: Any, own: Ports, arrays: Sequence[Any]) -> list[Any]:
    """Arrays of one floating type, the widest of those given; numbers that are no floats become such."""
    jnp = jax.numpy
    given = [x if isinstance(x, jax.Array) else _array(jnp, own, i, x) for i, x in enumerate(arrays)]
    if POSE in own.sizes.values() and len(given) == len(own.sizes):
        given = [as_row(x) if size == POSE else x for x, size in zip(given, own.sizes.values(), strict=True)]
    check_shapes(own, given)
    types = {x.dtype for x in given}
    if len(types) == 1 and str(*types) in DTYPES:  # nothing to join: joining takes longer than the call
        return given
    # whole numbers alone become JAX's own floats, which are of double precision where it computes in that
    floats = any(jnp.issubdtype(x.dtype, jnp.inexact) for x in given)
    wide = jnp.result_type(*given, jnp.float32 if floats else float)
    if str(wide) not in DTYPES:
        raise InputError("{function}: expected dtype {wanted}, found {found}", own.name, " or ".join(DTYPES), str(wide))
    return [x.astype(wide) for x in given]


def _array(jnp: Any, own: Ports, place: int, value: object) -> Any:
    """What JAX makes of a list, a NumPy array, a number; other values are named."""
    try:
        return jnp.asarray(value)
    except (TypeError, ValueError) as problem:
        name = [*own.sizes][place] if place < len(own.sizes) else str(place + 1)
        raise InputError(
            "{function}: {name}: expected numbers, found {value!r:.60}", own.name, name, value
        ) from problem


class Derivable(Protocol):
    """Values by rows and their two derivatives, Jᵀ w of weights and J ẋ of rates, each linear in its last inputs."""

    @property
    def name(self) -> str: ...
    @property
    def sizes(self) -> dict[str, int]: ...
    @property
    def shapes(self) -> dict[str, tuple[int, ...]]: ...
    @property
    def product(self) -> Differentiable: ...
    @property
    def tangent(self) -> Differentiable: ...


class RowFunction:
    """A function of arrays (…, n) with its derivatives in both modes; its results are a tuple."""

    def __init__(self, jax: Any, own: Derivable) -> None:
        self._jax, self._own = jax, own

    def call(self, *x: Any) -> tuple[Any, ...]:
        return _bind(self._jax, x, self._own, VALUES)

    def rates(self, *x: Any) -> tuple[Any, ...]:
        """J ẋ, of inputs and their rates: one vector an output."""
        return _bind(self._jax, x, self._own, RATES)


VALUES, RATES, WEIGHTS = "values", "rates", "weights"  # what a call of the primitive computes: f(x), J ẋ, Jᵀ w


def _bind(jax: Any, x: Sequence[Any], of: Derivable, way: str) -> tuple[Any, ...]:
    return tuple(_primitive(jax).bind(*cast_alike(jax, x), of=of, way=way))


def _kernel(of: Any, way: str) -> Any:
    """What computes it; made when XLA compiles the call, since a derivative may be traced for the other one alone."""
    return {VALUES: lambda: of, RATES: lambda: of.tangent, WEIGHTS: lambda: of.product}[way]()


def _result_sizes(of: Derivable, way: str) -> list[tuple[int, ...]]:
    if way == VALUES:
        return list(of.shapes.values())
    return [(prod(x),) for x in of.shapes.values()] if way == RATES else [(x,) for x in of.sizes.values()]


@lru_cache(maxsize=1)
def _primitive(jax: Any) -> Any:
    """A function of rows as an operation of JAX: how it is differentiated, transposed, mapped and compiled.

    J ẋ and Jᵀ w are each other's transposed, so JAX gets its reverse mode from the forward one.
    """
    ad, batching, mlir = (import_module(f"jax.interpreters.{name}") for name in ("ad", "batching", "mlir"))
    rows = import_module("jax.extend.core").Primitive("manipula_rows")
    rows.multiple_results = True

    def evaluate(*x: Any, of: Derivable, way: str) -> list[Any]:
        return list(_evaluate(jax, _kernel(of, way), x))

    def shapes(*x: Any, of: Derivable, way: str) -> list[Any]:
        lead = jax.numpy.broadcast_shapes(*(y.shape[:-1] for y in x))
        return [_shaped(jax, x, lead, shape) for shape in _result_sizes(of, way)]

    def differentiate(x: Sequence[Any], rates: Sequence[Any], *, of: Derivable, way: str) -> tuple[Any, Any]:
        found, kernel = _bind(jax, x, of, way), _kernel(of, way)
        kernel.check_order()
        moved = _bind(jax, [*x, *map(ad.instantiate_zeros, rates)], kernel, RATES)
        return found, [y.reshape(z.shape) for y, z in zip(moved, found, strict=True)]

    def transpose(weights: Sequence[Any], *x: Any, of: Derivable, way: str) -> list[Any]:
        fixed = len(x) - len(of.sizes if way == RATES else of.shapes)
        given = [ad.instantiate_zeros(w) for w in weights]
        found = _bind(jax, [*x[:fixed], *given], of, WEIGHTS if way == RATES else RATES)
        linear = zip(found, x[fixed:], strict=True)
        return [None] * fixed + [sum_to(jax, g, y.aval.shape) if ad.is_undefined_primal(y) else None for g, y in linear]

    def map_rows(x: Sequence[Any], axes: Sequence[int | None], *, of: Derivable, way: str) -> tuple[Any, Any]:
        rank = max(y.ndim - (axis is not None) for y, axis in zip(x, axes, strict=True))
        first = [y if axis is None else jax.numpy.moveaxis(y, axis, 0) for y, axis in zip(x, axes, strict=True)]
        wide = [
            y if axis is None else y.reshape((y.shape[0], *(1,) * (rank + 1 - y.ndim), *y.shape[1:]))
            for y, axis in zip(first, axes, strict=True)
        ]
        found = _bind(jax, wide, of, way)
        return found, [0] * len(found)

    rows.def_impl(evaluate)
    rows.def_abstract_eval(shapes)
    ad.primitive_jvps[rows], ad.primitive_transposes[rows] = differentiate, transpose
    batching.primitive_batchers[rows] = map_rows
    mlir.register_lowering(rows, mlir.lower_fun(evaluate, multiple_results=True))
    with suppress(ImportError, AttributeError):  # no public name: what is partitioned is compiled for known devices
        import_module("jax._src.dispatch").prim_requires_devices_during_lowering.add(rows)
    return rows


def _shaped(jax: Any, x: Sequence[Any], lead: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """What JAX knows of a result before it is computed: like the inputs, with other axes."""
    like = max(x, key=lambda y: y.ndim)
    sharding = getattr(like, "sharding", None)
    if sharding is None:
        return like.update(shape=(*lead, *shape), weak_type=False)
    axes = (*tuple(sharding.spec)[:-1], *(None,) * len(shape))
    spread = jax.sharding.NamedSharding(sharding.mesh, jax.sharding.PartitionSpec(*axes))
    return like.update(shape=(*lead, *shape), weak_type=False, sharding=spread)


def sum_to(jax: Any, g: Any, shape: tuple[int, ...]) -> Any:
    """What was broadcast gathers the gradients of all its rows."""
    extra = g.ndim - len(shape)
    axes = [*range(extra), *(i + extra for i, size in enumerate(shape) if size == 1 and g.shape[i + extra] != 1)]
    return jax.numpy.sum(g, axis=tuple(axes)).reshape(shape) if axes else g


def _evaluate(jax: Any, own: Differentiable, x: Sequence[Any]) -> tuple[Any, ...]:
    """By the handlers of this process, or by the emitted text on platforms without one."""
    platforms = _platforms(jax)
    lead, dtype = check_shapes(own, x), str(x[0].dtype)
    single = all(length == 1 for length in lead)
    targets = {platform: _target(own, dtype, platform, single) for platform in platforms}
    if None not in targets.values():
        return _foreign_call(jax, own, targets["cpu"], x)
    ways = {
        platform: lambda *y, target=target: _foreign_call(jax, own, target, y)
        for platform, target in targets.items()
        if target
    }
    return tuple(jax.lax.platform_dependent(*x, **ways, default=_text(own)) if ways else _text(own)(*x))


def _foreign_call(jax: Any, own: Differentiable, target: Any, x: Sequence[Any]) -> tuple[Any, ...]:
    lead = check_shapes(own, x)
    # the handler takes as many rows, or one for all; only inputs between these two cases are copied
    even = [y if y.shape[:-1] == lead else _row_or_rows(jax, y, lead) for y in x]
    call: Callable[..., Any] = partial(_rows_of_device, jax, own, target)
    if lead and jax.device_count() > 1:
        call = _partitioned(jax, own, call, [y.ndim > 1 for y in even])
    found = call(*even)
    return tuple(cast_alike(jax, [*found, *x])[: len(found)])


def _row_or_rows(jax: Any, x: Any, lead: tuple[int, ...]) -> Any:
    if all(length == 1 for length in x.shape[:-1]):
        return x.reshape(x.shape[-1:])
    return jax.numpy.broadcast_to(x, (*lead, x.shape[-1]))


def _rows_of_device(jax: Any, own: Differentiable, target: str, *x: Any) -> tuple[Any, ...]:
    """All rows, or the part of them that this device has."""
    lead = check_shapes(own, x)
    shapes = [jax.ShapeDtypeStruct((*lead, *shape), x[0].dtype) for shape in own.shapes.values()]
    # "sequential" is never met: the mapped axis has been moved before
    return tuple(_interface().ffi_call(target, shapes, vmap_method="sequential")(*x))


def _partitioned(jax: Any, own: Differentiable, call: Callable[..., Any], wide: Sequence[bool]) -> Callable[..., Any]:
    """The same call where arrays are spread over devices: each computes its rows, nothing is gathered."""
    custom_partitioning = import_module("jax.experimental.custom_partitioning").custom_partitioning
    sharding, spec = jax.sharding.NamedSharding, jax.sharding.PartitionSpec

    def spread(mesh: Any, lead: Sequence[Any]) -> tuple[list[Any], tuple[Any, ...]]:
        taken = [sharding(mesh, spec(*lead, None) if full else spec(None)) for full in wide]
        return taken, tuple(sharding(mesh, spec(*lead, *(None,) * len(shape))) for shape in own.shapes.values())

    def lead_of(shaped: Any, entries: int) -> Sequence[Any]:
        rank = len(shaped.shape) - entries
        known = tuple(getattr(shaped.sharding, "spec", ()))[:rank]
        return (*known, *(None,) * (rank - len(known)))

    def partition(mesh: Any, arguments: Any, results: Any) -> tuple[Any, ...]:
        taken, made = spread(mesh, lead_of(results[0], len(next(iter(own.shapes.values())))))
        return mesh, call, made, tuple(taken)

    def infer(mesh: Any, arguments: Any, results: Any) -> Any:
        first = next(x for x, full in zip(arguments, wide, strict=True) if full)
        return spread(mesh, lead_of(first, 1))[1]

    made: Any = custom_partitioning(call)
    letters = iter("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    rule = [f"... {next(letters)}" if full else next(letters) for full in wide]
    ends = [" ".join(["...", *(next(letters) for _ in shape)]) for shape in own.shapes.values()]
    # releases without rules know the other way only
    known = "sharding_rule" in signature(made.def_partition).parameters
    rules = {"sharding_rule": f"{', '.join(rule)} -> {', '.join(ends)}"} if known else {}
    made.def_partition(partition, infer_sharding_from_operands=infer, **rules)
    found: Callable[..., Any] = made
    return found


def cast_alike(jax: Any, arrays: Sequence[Any]) -> list[Any]:
    """Inside of `shard_map`: all of them different on each device along the same axes of the mesh.

    XLA's foreign calls have no rule for axes that some arrays vary along and others do not.
    """
    if not any(isinstance(x, jax.core.Tracer) for x in arrays):
        return list(arrays)
    varying = [_varying_axes(jax, x) for x in arrays]
    joined = frozenset().union(*varying)
    cast = getattr(jax.lax, "pcast", None) or (lambda x, axes, to: jax.lax.pvary(x, axes))
    return [
        cast(x, tuple(sorted(joined - own)), to="varying") if own != joined else x
        for x, own in zip(arrays, varying, strict=True)
    ]


def _varying_axes(jax: Any, x: Any) -> frozenset[str]:
    kind = jax.typeof(x) if hasattr(jax, "typeof") else None  # before, there were no such axes
    axes = getattr(getattr(kind, "mat", None), "varying", None)
    return frozenset(getattr(kind, "vma", ()) if axes is None else axes)


def _platforms(jax: Any) -> tuple[str, ...]:
    """What a function may be called on in this process."""
    backend = jax.default_backend()
    if backend == "cpu":
        return ("cpu",)
    cuda = backend == "gpu" and "cuda" in str(getattr(jax.devices()[0].client, "platform_version", "")).lower()
    return ("cpu", "cuda" if cuda else backend)


def _target(own: Differentiable, dtype: str, platform: str, single: bool) -> str | None:
    """The name under which XLA knows the function; None where XLA cannot call it.

    Of the function's content: a program that JAX kept on disk calls the same function in another process.
    """
    layout, code = _layout(), own.compile_for(dtype)
    if layout is None or code.address_of_one is None or platform not in ("cpu", "cuda"):
        return None
    name = f"manipula_{own.name}_{dtype}_{own.tape.digest()}"
    with _lock:
        handler = _handlers.get((name, platform))
        if handler is None:
            handler = XlaHandler(layout, own.tape, np.dtype(dtype).itemsize, platform)
            if platform == "cuda" and not _fill_device(handler, own, dtype):
                return None
            interface = _interface()
            interface.register_ffi_target(
                name, interface.pycapsule(handler.address), platform="CUDA" if platform == "cuda" else platform
            )
            _handlers[name, platform] = handler
        if platform == "cpu" and not handler.complete:
            # many programs never have more than one configuration
            kept, run = code.kept(), 0 if single else code.address or 0
            handler.fill(host_table(kept, code.address_of_one, run), (code, kept), complete=bool(run))
    return name


def _fill_device(handler: XlaHandler, own: Differentiable, dtype: str) -> bool:
    """Kernels of every device; a warning where nothing compiles them here."""
    try:
        kernels = CudaFunction(own.compile_for(dtype))
    except InputError as problem:
        caution("{name}: JAX runs it on the GPU as compiled by XLA, several times slower: {problem}", own.name, problem)
        return False
    handler.fill(*device_table(kernels), complete=True)
    return True


@lru_cache(maxsize=1)
def _interface() -> Any:
    """JAX's module for foreign calls, under its name of this release; None where it lacks one that we know."""
    for name in ("jax.ffi", "jax.extend.ffi"):
        with suppress(ImportError):
            module = import_module(name)
            if all(hasattr(module, x) for x in ("ffi_call", "include_dir", "pycapsule", "register_ffi_target")):
                return module
    return None


@lru_cache(maxsize=1)
def _layout() -> XlaLayout | None:
    """Of the interface that JAX brings along; None without one that handlers can be written for."""
    try:
        return layout_from_header(Path(_interface().include_dir(), _HEADER).read_text(encoding="utf-8"))
    except (AttributeError, OSError, RuntimeError):
        return None


def _text(own: Differentiable) -> Callable[..., tuple[Any, ...]]:
    """The emitted module of the function, as it would be written to a file."""
    from manipula.algebra.emit.jax import LANGUAGE

    name = Namer(LANGUAGE.reserved).name(own.name)
    module: dict[str, Any] = {"__name__": f"{name}_jax"}
    exec(compile(backend.emit(own.tape, "jax", __version__)[f"{name}_jax.py"], f"{name}_jax.py", "exec"), module)
    function = module[name]
    return lambda *x: (function(*x),) if len(own.shapes) == 1 else tuple(function(*x))


def jax_function(models: Sequence[Model], parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """The models as a function of JAX arrays."""
    return JaxFunction(differentiable(models, parameters), parameters)
