"""Many steps of many rows as a function of PyTorch tensors, with gradients through time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from manipula.algebra.run.compiled_function import Compiled
from manipula.algebra.run.gradients.adjoint import BackMaker, Given, Rollouts, Steps, check_chunk
from manipula.algebra.run.gradients.frameworks import check_kinds, check_types, import_framework, word_of
from manipula.algebra.run.repeated import Repeated
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message

Maker = Callable[[str], tuple[Compiled, Callable[[], Compiled], BackMaker]]


class Layout(NamedTuple):
    """How many tensors of each kind a call of the operator has."""

    states: int
    variables: int


class TorchRollouts:
    """f(state, steps, *variables, p=…): the steps of a system on tensors; what it returns is that of `System.run`.

    Gradients go to the first state, to the variables and to every tensor of `p`, by the adjoint: of first order.
    `torch.func` transforms it; `torch.compile` calls it as it is. On a CUDA device the arrays go over the host.
    """

    def __init__(self, name: str, make: Maker, settings: Mapping[str, float], initial: Mapping[str, Any]) -> None:
        self._torch = import_framework("torch", "PyTorch", "manipula[torch]")
        self.name, self._make, self._settings, self._initial = name, make, settings, initial
        self._made: dict[str, Rollouts] = {}
        first = self._rollouts("float64")
        self._memory, self._entries = first.memory, _settings_of(first.code)
        # a graph of PyTorch's compiler breaks here, and goes on behind
        self._call = self._torch.compiler.disable(self._differentiable)

    def _rollouts(self, dtype: str) -> Rollouts:
        if dtype not in self._made:
            self._made[dtype] = Rollouts(*self._make(dtype))
        return self._made[dtype]

    def start(self, **states: Any) -> Any:
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
        *variables: Any,
        p: Mapping[str, Any] | None = None,
        every: int = 1,
        along: Collection[str] | str = (),
        seed: int = 0,
        rollout: Any = None,
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
        threads = self._torch.get_num_threads()
        asked = Steps(
            self._whole("steps", steps, 0), every, moving, fixed, tuple(tensors), self._whole("seed", seed, 0),
            None if rollout is None else np.asarray(rollout), first, check_chunk(self.name, chunk), threads,
        )  # fmt: skip
        found: Repeated = self._call(asked, states, variables, table)
        return found

    def _differentiable(self, asked: Steps, states: Sequence[Any], variables: Sequence[Any], table: Any) -> Repeated:
        memory, count = self._memory, len(states)
        found = self._operator.apply(asked, Layout(count, len(variables)), *states, *variables, table)
        last, recorded, out = found[:count], found[count : 2 * count], found[2 * count : -1]
        return Repeated(memory.states_of(last), memory.states_of(recorded), memory.out(out), asked.count)

    # what is asked for

    def _whole(self, what: str, value: Any, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(
                "{name}: {what}: expected a whole number, at least {least}, found {value!r:.60}",
                self.name, what, least, value,
            )  # fmt: skip
        return int(value)

    def _parameters(self, p: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is without a gradient, by entry, and tensors by entry."""
        torch, fixed, tensors = self._torch, dict[str, Any](self._settings), dict[str, Any]()
        known = [*self._entries, *(x for x in self._rollouts("float64").code.parameters)]
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

    def _table(self, tensors: Mapping[str, Any], like: Any) -> Any:
        """(…, k): a column for each entry."""
        if not tensors:
            return like.new_zeros((0,))
        lead = self._common([x.shape for x in tensors.values()])
        return self._torch.stack([x.expand(lead) for x in tensors.values()], dim=-1)

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
        methods = {
            "forward": self._forward, "setup_context": self._save, "vmap": self._mapped,
            "backward": self._torch.autograd.function.once_differentiable(self._backward),
        }  # fmt: skip
        return type(self.name, (self._torch.autograd.Function,), {key: staticmethod(x) for key, x in methods.items()})

    def _given(self, layout: Layout, tensors: Sequence[Any]) -> Given:
        arrays = [x.numpy(force=True) for x in tensors]
        cut = layout.states
        return Given(arrays[:cut], arrays[cut:-1], arrays[-1])

    def _forward(self, asked: Steps, layout: Layout, *tensors: Any) -> tuple[Any, ...]:
        went = self._rollouts(word_of(tensors[0].dtype)).run(asked, self._given(layout, tensors))
        back = self._tensors(tensors[0])
        return tuple(map(back, (*went.last, *went.states, *went.outputs, went.marks)))

    def _tensors(self, like: Any) -> Callable[[Any], Any]:
        return lambda x: self._torch.from_numpy(np.ascontiguousarray(x)).to(like.device)

    def _save(self, ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
        ctx.asked, ctx.layout, *tensors = inputs
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(output[-1])
        ctx.save_for_backward(*tensors, output[-1])

    def _backward(self, ctx: Any, *weights: Any) -> tuple[Any, ...]:
        *tensors, marks = ctx.saved_tensors
        count, layout = ctx.layout.states, ctx.layout
        arrays = [None if w is None else w.numpy(force=True) for w in weights[:-1]]
        asked_by = ctx.needs_input_grad[2:]
        rollouts = self._rollouts(word_of(tensors[0].dtype))
        slopes = rollouts.slopes(
            ctx.asked, self._given(layout, tensors), marks.numpy(force=True),
            (arrays[:count], arrays[count : 2 * count], arrays[2 * count :]),
            (asked_by[count:-1], asked_by[-1]),
        )  # fmt: skip
        back = self._tensors(tensors[0])
        rows = [*slopes.states, *slopes.variables, slopes.table]
        # what was shared gathers the gradients of all its rows
        return (
            None,
            None,
            *(
                back(g).sum_to_size(x.shape) if g is not None and asked else None
                for g, x, asked in zip(rows, tensors, asked_by, strict=True)
            ),
        )

    def _mapped(
        self, info: Any, in_dims: tuple[Any, ...], asked: Steps, layout: Layout, *tensors: Any
    ) -> tuple[Any, Any]:
        """The mapped axis becomes the first of the leading axes."""
        moving = [port.name in asked.along for port in self._memory.driven]
        own = [1] * layout.states + [1 + x for x in moving] + [1]
        axes = in_dims[2:]
        rank = max(x.ndim - (axis is not None) - y for x, axis, y in zip(tensors, axes, own, strict=True))
        moved = []
        for x, axis, inner in zip(tensors, axes, own, strict=True):
            if axis is not None:
                x = x.movedim(axis, 0)
                x = x.reshape((x.shape[0], *(1,) * (rank + 1 + inner - x.ndim), *x.shape[1:]))
            moved.append(x)
        found = self._operator.apply(asked, layout, *moved)
        return found, (0,) * len(found)

    def __repr__(self) -> str:
        states = ", ".join(f"{port.name}({port.shape[0]})" for port in self._memory.states)
        return f"<{self.name} in PyTorch: steps of {states}>"


def _settings_of(code: Compiled) -> dict[str, tuple[str, ...]]:
    """Setting → its entries."""
    return {port.name: port.names for port in code.tape.inputs if port.role == "setting"}
