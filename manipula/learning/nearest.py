"""Of the answers of a redundant arm to a pose the one nearest to a seed, over the arrays of a framework.

    s* = argmin |q(T, s) − seed|²        s: the joint that is free, or the arm angle

Values of s are tried all over its range, and those of the seed and of the member of the family beside it; the best is
narrowed by parabolas through three of them. Every evaluation is one kernel over all rows, as is the gradient.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from manipula.algebra.expr.function import Function
from manipula.algebra.run.gradients.frameworks import compile_alone, import_framework
from manipula.generation.reverse_product import transposed_product
from manipula.learning.kernels import Differentiable, Inputs, as_row, check_shapes, inputs_in_order
from manipula.learning.pytorch import NAMESPACE, Operator, TorchFunction, number
from manipula.learning.torch_launch import check_tensors
from manipula.learning.xla import JaxFunction, RowFunction, checked_arrays

if TYPE_CHECKING:
    from torch import Tensor

FAN = 24  # values that are tried first
STEPS = 6  # from the seed to the pose
ROUNDS = 10  # of narrowing
FIRST, SHORTER = 0.6, 0.5  # the first step, of the distance of two values, and each next one: together they reach it
FAR = 1e9  # the gap of what is no answer is larger

Rows = Callable[..., Any]


class Arrays(NamedTuple):
    """A framework, and the functions of rows that are compiled for it."""

    library: Any  # torch, jax.numpy
    constant: Callable[[Any, Any], Any]  # numbers as an array like another one
    gap: Rows  # (pose, free, seed) → squared distance of the answer from the seed
    answer: Rows  # (pose, free, seed) → q, valid
    step: Rows  # (pose, q, seed) → q nearer to the answer beside the seed
    jacobian: Rows


class Search(NamedTuple):
    """What is free, and where it is searched."""

    arrays: Arrays
    joint: int | None
    senses: Sequence[int]
    ends: tuple[float, float]

    def nearest(self, pose: Any, seed: Any) -> tuple[Any, Any]:
        """q and valid of every row."""
        q, valid = self.arrays.answer(pose, self._free(pose, seed), seed)
        return q, valid

    def _free(self, pose: Any, seed: Any) -> Any:
        """The best value of each row, (…, 1)."""
        where = self.arrays.library.where
        low, high = self.ends
        width = (high - low) / FAN
        values = [low + (k + 0.5) * width for k in range(FAN)]
        # sums spread the leading axes of both
        best = pose[..., :1] * 0 + seed[..., :1] * 0 + values[0]
        least = self.arrays.gap(pose, best, seed)

        def offer(value: Any, found: Any) -> None:
            nonlocal best, least
            nearer = found < least
            best, least = where(nearer[..., None], value, best), where(nearer, found, least)

        q = seed + best * 0
        starts = [self._value_at(q)]
        for _ in range(STEPS):
            q = self.arrays.step(pose, q, seed)
        starts.append(self._value_at(q))
        for tried in (*starts, *(best * 0 + value for value in values[1:])):
            offer(tried, self.arrays.gap(pose, tried, seed))
        step = FIRST * width
        for _ in range(ROUNDS):
            middle, at = best, least
            below, above = (self.arrays.gap(pose, x, seed) for x in (middle - step, middle + step))
            bend = below - 2 * at + above
            # no parabola where one of the three is no answer
            smooth = (bend > 0) & (below < FAR) & (above < FAR)
            share = where(smooth, (below - above) / where(smooth, bend, bend * 0 + 1), bend * 0)
            shift = (0.5 * share[..., None]).clip(-1.0, 1.0)
            vertex = middle + step * shift
            offer(middle - step, below)
            offer(middle + step, above)
            offer(vertex, self.arrays.gap(pose, vertex, seed))
            step *= SHORTER
        return best

    def _value_at(self, q: Any) -> Any:
        """Of what is free, in configurations."""
        if self.joint is not None:
            return q[..., self.joint : self.joint + 1]
        J, where = self.arrays.jacobian(q), self.arrays.library.where
        v, w = ([J[..., i + k, :] for i in range(3)] for k in (0, 3))
        # a point of each axis, from the tool, and its direction
        p = _cross(w, v)
        z = [self.arrays.constant(self.senses, q) * x for x in w]
        shoulder, wrist = _meeting_point(p, z, 0), _meeting_point(p, z, 4)
        s = [b - a for a, b in zip(shoulder, wrist, strict=True)]
        first, third = (_cross([x[..., k] for x in z], s) for k in (0, 2))
        triple = _dot(s, _cross(first, third)) / _dot(s, s) ** 0.5
        angle = self.arrays.library.arctan2(triple, _dot(first, third))
        # where a plane is not sure any angle will do
        sure = ~self.arrays.library.isnan(angle)
        return where(sure, angle, self.arrays.constant(0.0, q))[..., None]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _meeting_point(p: Sequence[Any], z: Sequence[Any], k: int) -> list[Any]:
    """Where axis k and the next meet: p + x u with x = ((r − p) × v)·n / n·n,  n = u × v."""
    (a, b), (u, v) = ([[x[..., i] for x in of] for i in (k, k + 1)] for of in (p, z))
    n = _cross(u, v)
    x = _dot(_cross([j - i for i, j in zip(a, b, strict=True)], v), n) / _dot(n, n)
    return [i + x * j for i, j in zip(a, u, strict=True)]


class NearestFamily(Protocol):
    """How the answers of a redundant arm are searched."""

    @property
    def gap(self) -> Function: ...
    @property
    def step(self) -> Function: ...
    @property
    def slopes(self) -> Function: ...
    @property
    def jacobian(self) -> Function: ...
    @property
    def joint(self) -> int | None: ...
    @property
    def senses(self) -> Sequence[int]: ...
    @property
    def ends(self) -> tuple[float, float]: ...


class ImplicitSlopes:
    """The derivatives of the answer, whose products take the answer as one more input behind pose and seed."""

    def __init__(self, name: str, sizes: dict[str, int], answer: dict[str, tuple[int, ...]], slopes: Function) -> None:
        self.name, self.sizes, self.shapes = name, sizes, answer
        self.product = Differentiable(slopes, 0, 1)

    @cached_property
    def tangent(self) -> Differentiable:
        return Differentiable(transposed_product(self.product.function), 0, 1)


class Nearest:
    """f(pose, seed): a named tuple of q, the answer nearest to the seed, and valid."""

    def __init__(self, answer: Function, family: NearestFamily) -> None:
        self.name, self.parameters, self.outputs = answer.name, (), {port.name: port.shape for port in answer.outputs}
        sizes = {port.name: len(port.symbols) for port in (answer.inputs[0], answer.inputs[-1])}
        self.inputs, self._ports = tuple(sizes), Inputs(answer.name, sizes)
        self._family = family
        self._rows = Differentiable(answer, 0), Differentiable(family.gap, 0), Differentiable(family.step, 0)
        moved = {name: shape for name, shape in self.outputs.items() if name != "valid"}
        self._slopes = ImplicitSlopes(self.name, sizes, moved, family.slopes)
        self._jacobian = Differentiable(family.jacobian, 0)
        self._result = namedtuple(f"{answer.name}_result", list(self.outputs))  # type: ignore[misc]

    def _search(self, arrays: Arrays) -> Search:
        family = self._family
        return Search(arrays, family.joint, family.senses, family.ends)


class TorchNearest(Nearest):
    """Of PyTorch tensors."""

    def __init__(self, answer: Function, family: NearestFamily) -> None:
        super().__init__(answer, family)
        torch = self._torch = import_framework("torch", "PyTorch", "manipula[torch]")
        solved, gap, step = (Operator(torch, own) for own in self._rows)
        slopes, jacobian = (Operator(torch, own) for own in (self._slopes.product, self._jacobian))
        search = self._search(Arrays(torch, _torch_constant, gap.call, solved.call, step.call, jacobian.call))

        def forward(pose: Tensor, seed: Tensor) -> tuple[Tensor, Tensor]:
            return search.nearest(pose, seed)

        def save(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
            ctx.mark_non_differentiable(output[1])
            ctx.save_for_backward(*inputs, *output)
            ctx.save_for_forward(*inputs, *output)

        def backward(ctx: Any, weights: Tensor, _: object) -> tuple[Tensor, ...]:
            pose, seed, q, valid = ctx.saved_tensors
            found = slopes.call(pose, seed, q, weights)
            # what was broadcast gathers the gradients of all its rows
            return tuple(
                torch.where(valid[..., None] > 0, g, g.new_zeros(())).sum_to_size(x.shape)
                for g, x in zip(found, (pose, seed), strict=True)
            )

        def carried(ctx: Any, *rates: Tensor | None) -> tuple[Tensor, None]:
            pose, seed, q, valid = ctx.saved_tensors
            given = [x.new_zeros(()).expand_as(x) if y is None else y for x, y in zip((pose, seed), rates, strict=True)]
            found = self._tangent.call(pose, seed, q, *given)
            return torch.where(valid[..., None] > 0, found, found.new_zeros(())), None

        methods: dict[str, Any] = {"forward": forward, "setup_context": save, "backward": backward, "jvp": carried}
        own = {key: staticmethod(x) for key, x in methods.items()}
        made: Any = type(self.name, (torch.autograd.Function,), {**own, "generate_vmap_rule": True})
        self._call = made.apply
        # PyTorch's compiler cannot look into the search: to it the whole is one operator
        label = f"{NAMESPACE}::{self.name}_{next(number)}"
        register = torch.library.custom_op(label, mutates_args=(), schema="(Tensor T, Tensor seed) -> (Tensor, Tensor)")
        self._registered = register(forward)
        self._registered.register_fake(self._fake)
        self._registered.register_autograd(
            backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs, *output)
        )
        compile_alone(self)

    def __call__(self, *tensors: Tensor, **named: Any) -> Any:
        if named:
            tensors = inputs_in_order(self._ports, tensors, named)
        tensors = (*map(as_row, tensors[:1]), *tensors[1:])
        check_tensors(self._torch, self._ports, tensors)
        if self._torch.compiler.is_compiling():
            return self._result(*self._registered(*tensors))
        return self._result(*self._call(*tensors))

    @cached_property
    def _tangent(self) -> Operator:
        return Operator(self._torch, self._slopes.tangent)

    def _fake(self, pose: Tensor, seed: Tensor) -> tuple[Tensor, Tensor]:
        lead = check_shapes(self._ports, (pose, seed))
        return seed.new_empty((*lead, seed.shape[-1])), seed.new_empty(lead)


def _torch_constant(values: object, like: Tensor) -> Tensor:
    return like.new_tensor(values)


class JaxNearest(Nearest):
    """Of JAX arrays."""

    def __init__(self, answer: Function, family: NearestFamily) -> None:
        super().__init__(answer, family)
        jax = self._jax = import_framework("jax", "JAX", "manipula[jax]")
        numbers = jax.numpy
        slopes = RowFunction(jax, self._slopes)

        def only(own: Differentiable) -> Rows:
            rows = RowFunction(jax, own)
            return lambda *x: rows.call(*x)[0]

        kernel, gap, step = self._rows
        solved = RowFunction(jax, kernel).call
        search = self._search(
            Arrays(
                numbers, lambda values, like: numbers.asarray(values, like.dtype), only(gap), solved, only(step),
                only(self._jacobian),
            )
        )  # fmt: skip
        call = jax.custom_jvp(search.nearest)

        def carried(given: Sequence[Any], rates: Sequence[Any]) -> tuple[Any, Any]:
            q, valid = call(*given)
            moved = slopes.rates(*given, q, *rates)[0]
            return (q, valid), (numbers.where(valid[..., None] > 0, moved, 0), numbers.zeros_like(valid))

        call.defjvp(carried)
        self._call = jax.jit(call)

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        if named:
            arrays = inputs_in_order(self._ports, arrays, named)
        return self._result(*self._call(*checked_arrays(self._jax, self._ports, arrays)))


def torch_nearest(answer: Function, family: NearestFamily | None) -> Callable[..., Any]:
    """The answer nearest to a seed, as a function of tensors."""
    return TorchNearest(answer, family) if family else TorchFunction(Differentiable(answer))


def jax_nearest(answer: Function, family: NearestFamily | None) -> Callable[..., Any]:
    """The same of arrays."""
    return JaxNearest(answer, family) if family else JaxFunction(Differentiable(answer))
