"""Many steps of many rows as a function of PyTorch tensors, with gradients through time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from manipula.algebra.run.compiled_function import Compiled
from manipula.algebra.run.cuda import cupy_with_device
from manipula.algebra.run.gradients.adjoint import BackMaker, Given, RolloutRequest, Rollouts, check_chunk
from manipula.algebra.run.gradients.frameworks import check_kinds, check_types, import_framework, mapped_first, word_of
from manipula.algebra.run.repeated import Repeated
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message

if TYPE_CHECKING:
    from torch import Tensor

Maker = Callable[[str], tuple[Compiled, Callable[[], Compiled], BackMaker]]


class Layout(NamedTuple):
    """How many tensors of each kind a call of the operator has."""

    states: int
    variables: int


class Side(NamedTuple):
    """Tensors as arrays, and arrays as tensors, in the same memory where the array can stay as it lies."""

    array: Callable[[Tensor], Any]
    tensor: Callable[[Any], Tensor]

    def tensors(self, arrays: Iterable[Any]) -> tuple[Tensor, ...]:
        return tuple(map(self.tensor, arrays))


class Back(NamedTuple):
    """Which gradients a walk back must give, and which results have weights."""

    by: tuple[bool, ...]
    weights: tuple[bool, ...]


class TorchRollouts:
    """f(state, steps, *variables, p=…): the steps of a system on tensors; what it returns is that of `System.run`.

    Gradients go to the first state, to the variables and to every tensor of `p`, by the adjoint: of first order.
    `torch.func` transforms it; `torch.compile` calls it as it is. On a CUDA device states, records and gradients stay
    there; parameters are prepared on the host.
    """

    def __init__(self, name: str, make: Maker, settings: Mapping[str, float], initial: Mapping[str, Any]) -> None:
        self._torch = import_framework("torch", "PyTorch", "manipula[torch]")
        self.name, self._make, self._settings, self._initial = name, make, settings, initial
        self._made: dict[tuple[str, str], Rollouts] = {}
        code, *_ = make("float64")
        self._memory, self._entries, self._parameters_known = code.memory, _settings_of(code), code.parameters
        # a graph of PyTorch's compiler breaks here, and goes on behind
        self._call = self._torch.compiler.disable(self._differentiable)

    def _rollouts(self, like: Tensor) -> Rollouts:
        """Compiled for a tensor's number type and device."""
        dtype, device = word_of(like.dtype), like.device.type
        if (dtype, "cpu") not in self._made:
            self._made[dtype, "cpu"] = Rollouts(*self._make(dtype))
        if (dtype, device) not in self._made:
            self._made[dtype, device] = self._made[dtype, "cpu"].on(device)
        return self._made[dtype, device]

    def start(self, **states: Tensor) -> Any:
        """The states to begin with, tensors; what is not given is as the system has it, or zero."""
        torch, names = self._torch, [port.name for port in self._memory.states]
        for name in states:
            if name not in names:
                raise UnknownNameError(Message("state of {name}", self.name), name, names)
        check_types(torch, self.name, states.items())
        check_kinds(torch, self.name, states.items())
        kind = next(iter(states.values()), torch.zeros(0))
        usual = self._memory.start(dict(self._initial))._asdict()
        tensors = [
            states[name] if name in states else torch.tensor(x, dtype=kind.dtype, device=kind.device)
            for name, x in usual.items()
        ]
        self._check_sizes("start", zip(names, tensors), [port.shape[0] for port in self._memory.states])
        lead = self._common([x.shape[:-1] for x in tensors])
        return self._memory.states_of([x.expand((*lead, x.shape[-1])) for x in tensors])

    def __call__(
        self,
        state: Any,
        steps: int,
        *variables: Tensor,
        p: Mapping[str, Any] | None = None,
        every: int = 1,
        along: Collection[str] | str = (),
        seed: int = 0,
        rollout: object = None,
        first: int = 0,
        chunk: int | None = None,
    ) -> Repeated:
        """Many steps in one call: as `System.run`, of tensors.

        `p` has settings and parameters by name, tensors or numbers, of all rows or of each. `chunk` is the number of
        steps whose states a gradient holds at a time; without it, as many as fit into about 100 MB.
        """
        memory = self._memory
        states = memory.state_arrays(state, "state")
        memory.check_variables(variables, memory.driven)
        moving = frozenset([along] if isinstance(along, str) else along)
        known = [port.name for port in memory.driven]
        for name in sorted(moving.difference(known)):
            raise UnknownNameError(Message("input of {name}", self.name), name, known)
        every, first = self._whole("every", every, 0), self._whole("first", first, 0)
        fixed, tensors = self._parameters(p or {})
        named = [
            *zip((port.name for port in memory.states), states),
            *zip(known, variables),
            *tensors.items(),
        ]
        check_types(self._torch, self.name, named)
        check_kinds(self._torch, self.name, named)
        self._check_sizes("state", zip([x.name for x in memory.states], states), [x.shape[0] for x in memory.states])
        for port, x in zip(memory.driven, variables, strict=True):
            shape = (steps, *port.shape) if port.name in moving else port.shape
            if tuple(x.shape[x.ndim - len(shape) :]) != shape or x.ndim < len(shape):
                pattern = f"(…, {', '.join(map(str, shape))})"
                raise InputError(
                    "{function}: {name}: expected shape {pattern}, found {found}",
                    self.name, port.name, pattern, tuple(x.shape),
                )  # fmt: skip
        table = self._table(tensors, states[0])
        self._common(
            [
                *(x.shape[:-1] for x in states),
                *(x.shape[: x.ndim - 1 - (y.name in moving)] for x, y in zip(variables, memory.driven)),
                table.shape[:-1],
            ]
        )
        threads, count = self._torch.get_num_threads(), self._whole("steps", steps, 0)
        # under no_grad nothing goes back in time: one chunk, whose states nobody keeps
        part = check_chunk(self.name, chunk) or (0 if self._torch.is_grad_enabled() else count)
        asked = RolloutRequest(
            count, every, moving, fixed, tuple(tensors), self._whole("seed", seed, 0),
            None if rollout is None else np.asarray(rollout), first, part, threads,
        )  # fmt: skip
        found: Repeated = self._call(asked, states, variables, table)
        return found

    def _differentiable(
        self, asked: RolloutRequest, states: Sequence[Tensor], variables: Sequence[Tensor], table: Tensor
    ) -> Repeated:
        memory, count = self._memory, len(states)
        found = self._operator.apply(asked, Layout(count, len(variables)), *states, *variables, table)
        last, recorded, out = found[:count], found[count : 2 * count], found[2 * count : -1]
        return Repeated(memory.states_of(last), memory.states_of(recorded), memory.out(out), asked.count)

    # what is requested

    def _whole(self, what: str, value: object, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(
                "{name}: {what}: expected a whole number, at least {least}, found {value!r:.60}",
                self.name, what, least, value,
            )  # fmt: skip
        return int(value)

    def _parameters(self, p: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is without a gradient, by entry, and tensors by entry."""
        torch, fixed, tensors = self._torch, dict[str, Any](self._settings), dict[str, Any]()
        known = list(dict.fromkeys([*self._entries, *self._parameters_known]))
        for name, value in p.items():
            if name not in known:
                raise UnknownNameError(Message("parameter of {function}", self.name), str(name), known)
            entries, is_tensor = self._entries.get(name), isinstance(value, torch.Tensor)
            array = value if is_tensor else np.asarray(value)
            if entries is not None and array.ndim and array.shape[-1] != len(entries):
                raise InputError(
                    "{system}: {port}: expected a number or shape (..., {count}), found {shape}",
                    self.name, name, len(entries), tuple(array.shape),
                )  # fmt: skip
            of_all = entries is None or not array.ndim
            own = {x: array if of_all else array[..., i] for i, x in enumerate(entries or (name,))}
            fixed = {x: y for x, y in fixed.items() if x not in own}
            (tensors if is_tensor else fixed).update(own)
        return fixed, tensors

    def _table(self, tensors: Mapping[str, Tensor], like: Tensor) -> Tensor:
        """(…, k): a column for each entry."""
        if not tensors:
            return like.new_zeros((0,))
        lead = self._common([x.shape for x in tensors.values()])
        table: Tensor = self._torch.stack([x.expand(lead) for x in tensors.values()], dim=-1)
        return table

    def _check_sizes(self, what: str, named: Any, sizes: Sequence[int]) -> None:
        for (name, x), size in zip(named, sizes, strict=True):
            if tuple(x.shape[-1:]) != (size,):
                raise InputError(
                    "{function}: {name}: expected shape {pattern}, found {found}",
                    self.name, name, f"(…, {size})", tuple(x.shape),
                )  # fmt: skip

    def _common(self, leads: Sequence[Any]) -> tuple[int, ...]:
        try:
            return tuple(self._torch.broadcast_shapes(*leads))
        except RuntimeError:
            shapes = ", ".join(str(tuple(x)) for x in dict.fromkeys(leads))
            raise InputError(
                "{name}: the leading axes of states, variables and parameters do not broadcast: {found}",
                self.name, shapes,
            ) from None  # fmt: skip

    # the operator

    @cached_property
    def _operator(self) -> Any:
        return self._function(
            "", forward=self._forward, setup_context=self._save, backward=self._backward, vmap=self._mapped
        )

    @cached_property
    def _gradient(self) -> Any:
        """A function of its own, so that `torch.func` can map it, too."""
        return self._function(
            "_adjoint",
            forward=self._slopes,
            setup_context=lambda *x: None,
            backward=self._refuse,
            vmap=self._mapped_back,
        )

    def _function(self, more: str, **methods: Callable[..., Any]) -> Any:
        """An `autograd.Function`, which wants static methods."""
        own = {key: staticmethod(x) for key, x in {**methods, "jvp": self._refuse_forward}.items()}
        return type(f"{self.name}{more}", (self._torch.autograd.Function,), own)

    def _forward(self, asked: RolloutRequest, layout: Layout, *tensors: Tensor) -> tuple[Any, ...]:
        with self._beside(tensors[0]) as side:
            went = self._rollouts(tensors[0]).run(asked, _given(layout, tensors, side))
            return side.tensors((*went.last, *went.states, *went.outputs, went.marks))

    @contextmanager
    def _beside(self, like: Tensor) -> Iterator[Side]:
        """How tensors become arrays where they lie; what runs meanwhile runs in PyTorch's stream."""
        torch = self._torch
        if not like.is_cuda:
            yield Side(lambda x: x.numpy(force=True), lambda x: torch.from_numpy(np.ascontiguousarray(x)))
            return
        cupy = cupy_with_device(self.name)
        stream = cupy.cuda.ExternalStream(torch.cuda.current_stream(like.device).cuda_stream)
        with torch.cuda.device(like.device), cupy.cuda.Device(like.device.index), stream:
            yield Side(lambda x: cupy.asarray(x.detach()), torch.from_dlpack)

    def _save(self, ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
        ctx.asked, ctx.layout, *tensors = inputs
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(output[-1])
        ctx.save_for_backward(*tensors, output[-1])

    def _backward(self, ctx: Any, *weights: Tensor) -> tuple[Any, ...]:
        *tensors, marks = ctx.saved_tensors
        wanted = ctx.needs_input_grad[2:]
        back = Back(wanted, tuple(w is not None for w in weights[:-1]))
        there = [w for w in weights[:-1] if w is not None]
        rows = iter(self._gradient.apply(ctx.asked, ctx.layout, back, *there, *tensors, marks))
        found = [next(rows) if x else None for x in wanted]
        # what was shared gathers the gradients of all its rows
        return (
            None,
            None,
            *(
                g if g is None or g.shape == x.shape else g.sum_to_size(x.shape)
                for g, x in zip(found, tensors, strict=True)
            ),
        )

    def _slopes(self, asked: RolloutRequest, layout: Layout, back: Back, *tensors: Tensor) -> tuple[Any, ...]:
        flow, count = iter(tensors), layout.states
        with self._beside(tensors[-1]) as side:
            weights = [side.array(next(flow)) if x else None for x in back.weights]
            *given, marks = flow
            slopes = self._rollouts(marks).slopes(
                asked, _given(layout, given, side), side.array(marks),
                (weights[:count], weights[count : 2 * count], weights[2 * count :]),
                (back.by[count:-1], back.by[-1]),
            )  # fmt: skip
            rows = zip((*slopes.states, *slopes.variables, slopes.table), back.by, strict=True)
            return side.tensors(g for g, wanted in rows if wanted)

    def _refuse(self, ctx: Any, *weights: Tensor) -> Any:
        raise InputError("{name}: derivatives of higher order than {orders} are not offered", self.name, 1)

    def _refuse_forward(self, ctx: Any, *rates: Tensor) -> Any:
        raise InputError("{name}: derivatives are carried backward only, not forward", self.name)

    def _mapped(
        self, info: object, in_dims: tuple[int | None, ...], asked: RolloutRequest, layout: Layout, *tensors: Tensor
    ) -> tuple[Any, Any]:
        moved = mapped_first(in_dims[2:], tensors, self._ranks(asked))
        found = self._operator.apply(asked, layout, *moved)
        return found, (0,) * len(found)

    def _mapped_back(
        self,
        info: object,
        in_dims: tuple[int | None, ...],
        asked: RolloutRequest,
        layout: Layout,
        back: Back,
        *tensors: Tensor,
    ) -> tuple[Any, Any]:
        memory = self._memory
        of_results = [1 for _ in memory.states] + [2 for _ in memory.states]
        of_results += [1 + len(port.shape) for port in memory.outputs]
        ranks = [x for x, there in zip(of_results, back.weights, strict=True) if there] + [*self._ranks(asked), 2]
        found = self._gradient.apply(asked, layout, back, *mapped_first(in_dims[3:], tensors, ranks))
        return found, (0,) * len(found)

    def _ranks(self, asked: RolloutRequest) -> list[int]:
        """Axes of states, variables and the table that are no leading ones."""
        moving = [1 + (port.name in asked.along) for port in self._memory.driven]
        return [1 for _ in self._memory.states] + moving + [1]

    def __reduce__(self) -> tuple[Any, ...]:
        return TorchRollouts, (self.name, self._make, self._settings, self._initial)

    def __repr__(self) -> str:
        states = ", ".join(f"{port.name}({port.shape[0]})" for port in self._memory.states)
        return f"<{self.name} in PyTorch: steps of {states}>"


def _given(layout: Layout, tensors: Sequence[Tensor], side: Side) -> Given:
    *moved, table = tensors
    arrays = [side.array(x) for x in moved]
    # parameters are prepared on the host
    return Given(arrays[: layout.states], arrays[layout.states :], table.numpy(force=True))


def _settings_of(code: Compiled) -> dict[str, tuple[str, ...]]:
    """Setting → its entries."""
    return {port.name: port.names for port in code.tape.inputs if port.role == "setting"}
