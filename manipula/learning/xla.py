"""Models as JAX functions: `jit`, `vmap` and reverse-mode gradients, the latter by the vector–Jacobian product.

On the processor the compiled function is called back by XLA; on other devices XLA compiles the emitted text, whose
shapes are checked here first.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from manipula.algebra.emit import backend
from manipula.algebra.emit.ports import Namer
from manipula.errors import InputError
from manipula.generation.results.model import Model
from manipula.learning.kernels import DTYPES, Differentiable, check_shapes, differentiable, import_framework
from manipula.version import __version__


class JaxFunction:
    """f(q, qd, …): arrays (…, n) whose leading axes broadcast; several outputs are a named tuple."""

    def __init__(self, model: Model, parameters: Sequence[str] = ()) -> None:
        self._jax = import_framework("jax", "JAX", "manipula[jax]")
        own = self._own = differentiable(model, parameters)
        self.name, self.parameters = model.name, tuple(parameters)
        self.inputs, self.outputs = tuple(own.sizes), own.shapes
        self._result = namedtuple(f"{model.name}_result", list(own.shapes))  # type: ignore[misc]
        self._call = with_gradient(self._jax, own)

    def __call__(self, *arrays: Any) -> Any:
        results = self._call(*checked_arrays(self._jax, self._own, arrays))
        return results[0] if len(self.outputs) == 1 else self._result(*results)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}({size})" for name, size in self._own.sizes.items())
        return f"<{self.name} in JAX: {inputs} → {', '.join(self.outputs)}>"


def checked_arrays(jax: Any, own: Differentiable, arrays: Sequence[Any]) -> list[Any]:
    """Arrays of one floating type, the widest of those given; numbers that are no floats become such."""
    jnp = jax.numpy
    given = [jnp.asarray(x) for x in arrays]
    check_shapes(own, given)
    wide = jnp.result_type(*given, jnp.float32) if given else jnp.float32
    if str(wide) not in DTYPES:
        raise InputError("{function}: expected dtype {wanted}, found {found}", own.name, " or ".join(DTYPES), str(wide))
    return [x.astype(wide) for x in given]


def with_gradient(jax: Any, own: Differentiable) -> Callable[..., tuple[Any, ...]]:
    """The function with its vector–Jacobian product; results are a tuple."""
    plain: Any = jax.custom_vjp(lambda *x: evaluate_rows(jax, own, x))

    def gradients(*x: Any) -> tuple[Any, ...]:
        return with_gradient(jax, own.product)(*x) if own.orders > 1 else evaluate_rows(jax, own.product, x)

    def forward(*x: Any) -> tuple[Any, Any]:
        return plain(*x), x

    def backward(x: Any, weights: Any) -> tuple[Any, ...]:
        lead = check_shapes(own, x)
        flat = [w.reshape((*lead, prod(shape))) for w, shape in zip(weights, own.shapes.values(), strict=True)]
        found = gradients(*x, *flat)
        return tuple(_sum_to(jax, g, y.shape) for g, y in zip(found, x, strict=True))

    plain.defvjp(forward, backward)
    call: Callable[..., tuple[Any, ...]] = plain
    return call


def _sum_to(jax: Any, g: Any, shape: tuple[int, ...]) -> Any:
    """What was broadcast gathers the gradients of all its rows."""
    extra = g.ndim - len(shape)
    axes = [*range(extra), *(i + extra for i, size in enumerate(shape) if size == 1 and g.shape[i + extra] != 1)]
    return jax.numpy.sum(g, axis=tuple(axes)).reshape(shape) if axes else g


def evaluate_rows(jax: Any, own: Differentiable, x: Sequence[Any]) -> tuple[Any, ...]:
    if jax.default_backend() == "cpu":
        return _called_back(jax, own, x)
    return tuple(jax.lax.platform_dependent(*x, cpu=lambda *y: _called_back(jax, own, y), default=_text(own)))


def _called_back(jax: Any, own: Differentiable, x: Sequence[Any]) -> tuple[Any, ...]:
    """The compiled function on the arrays of the processor."""
    lead, dtype = check_shapes(own, x), np.dtype(x[0].dtype)
    shapes = tuple(jax.ShapeDtypeStruct((*lead, *shape), dtype) for shape in own.shapes.values())

    def run(*arrays: Any) -> tuple[Any, ...]:
        found = own.compiled(str(dtype)).general(*map(np.asarray, arrays), threads=0)
        return (found,) if len(shapes) == 1 else tuple(found)

    # of one rank, so that a mapped axis stands first in each; "expand_dims" keeps what is not mapped as it is
    even = [y.reshape((*(1,) * (len(lead) + 1 - y.ndim), *y.shape)) for y in x]
    return tuple(jax.pure_callback(run, shapes, *even, vmap_method="expand_dims"))


def _text(own: Differentiable) -> Callable[..., tuple[Any, ...]]:
    """The emitted module of the function, as it would be written to a file."""
    from manipula.algebra.emit.jax import LANGUAGE

    name = Namer(LANGUAGE.reserved).name(own.name)
    module: dict[str, Any] = {"__name__": f"{name}_jax"}
    exec(compile(backend.emit(own.tape, "jax", __version__)[f"{name}_jax.py"], f"{name}_jax.py", "exec"), module)
    function = module[name]
    return lambda *x: (function(*x),) if len(own.shapes) == 1 else tuple(function(*x))


def jax_function(model: Model, parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """The model as a function of JAX arrays."""
    return JaxFunction(model, parameters)
