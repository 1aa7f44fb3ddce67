"""The gradient of many steps by the adjoint: the steps are gone through again, chunk by chunk, and then back in time.

A run keeps the states at the beginning of every chunk. Its gradient begins with the last chunk: from those states the
chunk's own are computed again, and they drive the step back, which is a function with states like any other and runs
in the same machine code. Memory is that of one chunk, time about three runs for each gradient, however many gains.

Arrays may be NumPy's or those of a device: NumPy's functions hand the work to the library whose arrays they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import ceil, prod, sqrt
from typing import Any, NamedTuple, Protocol, Unpack

import numpy as np

from manipula.algebra.run.batch import DType, Floats
from manipula.algebra.run.repeated import ENTRIES, Repeated, Rolling
from manipula.algebra.run.stepping import Memory
from manipula.algebra.tape import Port
from manipula.errors import InputError


class Code(Protocol):
    """A compiled function with states, on the processor or on a device."""

    @property
    def memory(self) -> Memory: ...
    @property
    def dtype(self) -> DType: ...
    def run(self, state: Any, steps: int, *variables: Any, **how: Unpack[Rolling]) -> Repeated: ...
    def to(self, device: str) -> Any: ...


class AdjointStep(Protocol):
    """The adjoint of a step, compiled, and what its ports are called; see `generation.reverse_product`."""

    @property
    def adjoint(self) -> Mapping[str, str]: ...
    @property
    def weights(self) -> Mapping[str, str]: ...
    @property
    def recorded(self) -> Mapping[str, str]: ...
    @property
    def gradients(self) -> Mapping[str, str]: ...
    @property
    def sums(self) -> str: ...


@dataclass(frozen=True)
class RolloutRequest:
    """One request for many steps: everything but the arrays that gradients are taken by."""

    count: int
    every: int = 1
    along: frozenset[str] = frozenset()  # the variables that are given for every step
    p: Mapping[str, Any] = field(default_factory=dict)  # parameters and settings without gradients, by entry
    names: tuple[str, ...] = ()  # of the parameters and settings with gradients, by entry
    seed: int = 0
    rollout: Any = None
    first: int = 0
    chunk: int = 0  # steps; 0: as many as memory allows
    threads: int = 1


class Given(NamedTuple):
    """The arrays of a run: states, variables, and a table (…, k) of parameters, each with leading axes of its own."""

    states: Sequence[Floats]
    variables: Sequence[Floats]
    table: Floats  # on the processor


class Went(NamedTuple):
    """After the steps: the last states, records of states and outputs, and the states where each chunk begins."""

    last: tuple[Floats, ...]
    states: tuple[Floats, ...]
    outputs: tuple[Floats, ...]
    marks: Floats  # (…, chunks, all states)


class Slopes(NamedTuple):
    """Gradients of every row: by the first states, by variables (None where not wanted), by the table."""

    states: tuple[Floats, ...]
    variables: tuple[Floats | None, ...]
    table: Floats | None


Tracer = Callable[[], Code]
BackMaker = Callable[[tuple[str, ...], tuple[str, ...], tuple[str, ...], bool], tuple[AdjointStep, Code]]


class Rollouts:
    """Many steps of a function and their gradient. `back` makes a compiled step back of what is wanted."""

    def __init__(self, code: Code, tracer: Tracer, back: BackMaker) -> None:
        self.code, self._tracer, self._back = code, cache(tracer), cache(back)  # each is compiled once
        self.memory = code.memory
        self.sizes = [port.shape[0] for port in self.memory.states]
        self.outputs = [port.name for port in self.memory.outputs]

    def on(self, device: str) -> Rollouts:
        """The same on a device."""

        def tracer() -> Code:
            return self._tracer().to(device)  # type: ignore[no-any-return]

        def back(*wanted: Any) -> tuple[AdjointStep, Code]:
            names, code = self._back(*wanted)
            return names, code.to(device)

        return Rollouts(self.code.to(device), tracer, back)

    def run(self, steps: RolloutRequest, given: Given) -> Went:
        """All steps; what a gradient needs is kept beside."""
        memory, chunk = self.memory, self.chunk(steps, given)
        state, marks, states, outputs = list(given.states), [], [], []
        for begin in range(0, steps.count, chunk) or (0,):
            marks.append(state)
            found = self._go(self.code, steps, given, state, begin, min(chunk, steps.count - begin), steps.every)
            state = list(found.state)
            states.append(tuple(found.states))
            outputs.append(found.outputs if len(self.outputs) != 1 else (found.outputs,))
        lead = state[0].shape[:-1]
        kept = [np.concatenate([np.broadcast_to(x, (*lead, x.shape[-1])) for x in mark], axis=-1) for mark in marks]
        return Went(
            tuple(state),
            tuple(_joined(parts, -2) for parts in zip(*states, strict=True)),
            tuple(_joined(parts, -1 - len(x.shape)) for x, parts in zip(memory.outputs, zip(*outputs, strict=True))),
            np.stack(kept, axis=-2),
        )

    def chunk(self, steps: RolloutRequest, given: Given) -> int:
        """Steps between two marks: whole distances between records, and a chunk's states fit in memory."""
        if steps.chunk:
            most = steps.chunk
        else:
            leads = [x.shape[:-1] for x in (*given.states, given.table)]
            rows = int(np.prod(np.broadcast_shapes(*leads))) if leads else 1
            width = sum(self.sizes) + sum(port.shape[0] for port in self.memory.driven)
            most = max(ceil(sqrt(steps.count)), ENTRIES // max(1, rows * width))
        unit = max(1, steps.every)
        return max(unit, most // unit * unit)

    def _go(
        self,
        code: Code,
        steps: RolloutRequest,
        given: Given,
        state: Sequence[Floats],
        begin: int,
        count: int,
        every: int,
    ) -> Any:
        found = code.run(
            state, count, *self._slices(steps, given, begin, count), p=self._parameters(steps, given), every=every,
            threads=steps.threads, along=steps.along, seed=steps.seed, rollout=steps.rollout, first=steps.first + begin,
        )  # fmt: skip
        if found.steps < count:
            # a part of a run has no gradient
            raise KeyboardInterrupt
        return found

    def _slices(self, steps: RolloutRequest, given: Given, begin: int, count: int) -> list[Floats]:
        return [
            x[..., begin : begin + count, :] if port.name in steps.along else x
            for port, x in zip(self.memory.driven, given.variables, strict=True)
        ]

    def _parameters(self, steps: RolloutRequest, given: Given) -> Mapping[str, Any] | None:
        own = {name: given.table[..., i] for i, name in enumerate(steps.names)}
        return {**steps.p, **own} or None

    def slopes(
        self,
        steps: RolloutRequest,
        given: Given,
        marks: Floats,
        weights: tuple[Sequence[Any], Sequence[Any], Sequence[Any]],
        by: tuple[Sequence[bool], bool],
    ) -> Slopes:
        """The gradient of the weighted sum of what a run gave: of last states, recorded states and outputs.

        `by`: which variables, and whether the table, are asked for.
        """
        last, recorded, out = weights
        # an output may be a matrix; its weights are one row
        out = [
            w if w is None else w.reshape(*w.shape[: w.ndim - len(x.shape)], prod(x.shape))
            for x, w in self._by_output(out)
        ]
        variables = tuple(x.name for x, asked in zip(self.memory.driven, by[0], strict=True) if asked)
        outputs = tuple(name for name, w in zip(self.outputs, out, strict=True) if w is not None)
        of_states = any(w is not None for w in recorded)
        names, code = self._back(steps.names if by[1] else (), variables, outputs, of_states)
        lead, chunk = marks.shape[:-2], self.chunk(steps, given)
        state: dict[str, Any] = {
            names.adjoint[port.name]: np.zeros_like(marks, shape=(*lead, size)) if w is None else w
            for port, size, w in zip(self.memory.states, self.sizes, last, strict=True)
        }
        if names.sums:
            state[names.sums] = np.zeros_like(marks, shape=(*lead, len(steps.names)))
        gathered: dict[str, list[Floats]] = {name: [] for name in variables}
        for number in reversed(range(marks.shape[-2] if steps.count else 0)):
            begin = number * chunk
            count = min(chunk, steps.count - begin)
            drive = self._trace(steps, given, marks[..., number, :], begin, count)
            drive |= self._weights(steps, names, recorded, out, begin, count, marks)
            ports = [x.name for x in code.memory.driven]
            # back in time
            given_back = [drive[name][..., ::-1, :] if name in drive else None for name in ports]
            along = [name for name, x in zip(ports, given_back, strict=True) if x is not None]
            held = dict(zip((x.name for x in self.memory.driven), given.variables, strict=True))
            inputs = [held[name] if x is None else x for name, x in zip(ports, given_back, strict=True)]
            found = code.run(
                state, count, *inputs, p=self._parameters(steps, given), every=1 if variables else 0,
                threads=steps.threads, along=along,
            )  # fmt: skip
            if found.steps < count:
                raise KeyboardInterrupt
            state = found.state._asdict()
            if variables:
                parts = dict(zip([x.name for x in code.memory.outputs], _several(found.outputs, code), strict=True))
                for name in variables:
                    gathered[name].insert(0, parts[names.gradients[name]][..., ::-1, :])
        shape = {port.name: port.shape for port in self.memory.driven}
        return Slopes(
            tuple(state[names.adjoint[port.name]] for port in self.memory.states),
            tuple(
                self._gathered(steps, port.name, gathered[port.name], (*lead, *shape[port.name]), marks)
                if asked
                else None
                for port, asked in zip(self.memory.driven, by[0], strict=True)
            ),
            state[names.sums] if names.sums else None,
        )

    def _by_output(self, out: Sequence[Any]) -> Iterator[tuple[Port, Any]]:
        return zip(self.memory.outputs, out, strict=True)

    def _gathered(
        self, steps: RolloutRequest, name: str, parts: list[Floats], shape: tuple[int, ...], like: Floats
    ) -> Floats:
        if not parts:
            empty = (*shape[:-1], 0, shape[-1]) if name in steps.along else shape
            return np.zeros_like(like, shape=empty)
        whole: Floats = np.concatenate(parts, axis=-2)
        return whole if name in steps.along else whole.sum(axis=-2)

    def _trace(self, steps: RolloutRequest, given: Given, mark: Floats, begin: int, count: int) -> dict[str, Floats]:
        """States and noise of every step of a chunk, and the variables that change."""
        cuts = np.cumsum(self.sizes)[:-1]
        code = self._tracer()
        found = self._go(code, steps, given, np.split(mark, cuts, axis=-1), begin, count, 1)
        drive = dict(zip((port.name for port in self.memory.states), found.states, strict=True))
        noise = [x.name.removesuffix("_drawn") for x in code.memory.outputs]
        drive |= dict(zip(noise, _several(found.outputs, code), strict=True))
        slices = zip(self.memory.driven, self._slices(steps, given, begin, count), strict=True)
        return drive | {port.name: x for port, x in slices if port.name in steps.along}

    def _weights(
        self,
        steps: RolloutRequest,
        names: AdjointStep,
        recorded: Sequence[Any],
        out: Sequence[Any],
        begin: int,
        count: int,
        like: Floats,
    ) -> dict[str, Floats]:
        """Weights of the results of a chunk, by step: zero where nothing was recorded."""
        places = {names.weights[name]: w for name, w in zip(self.outputs, out, strict=True) if w is not None}
        places |= {
            names.recorded[port.name]: w
            for port, w in zip(self.memory.states, recorded, strict=True)
            if port.name in names.recorded and w is not None
        }
        found = {}
        for name, w in places.items():
            spread = np.zeros_like(w, shape=(*w.shape[:-2], count, w.shape[-1]))
            if steps.every:
                samples = -(-count // steps.every)
                at = begin // steps.every
                spread[..., :: steps.every, :] = w[..., at : at + samples, :]
            found[name] = spread
        for port, size in zip(self.memory.states, self.sizes, strict=True):
            if port.name in names.recorded and names.recorded[port.name] not in found:
                found[names.recorded[port.name]] = np.zeros_like(like, shape=(count, size))
        return found


def _joined(parts: Sequence[Floats], axis: int) -> Floats:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)


def _several(outputs: Any, code: Code) -> tuple[Floats, ...]:
    return (outputs,) if len(code.memory.outputs) == 1 else tuple(outputs)


def check_chunk(name: str, chunk: object) -> int:
    """Whole steps; None leaves the choice to the memory that there is."""
    if chunk is None:
        return 0
    if isinstance(chunk, bool) or not isinstance(chunk, int | np.integer) or chunk < 1:
        raise InputError(
            "{name}: {what}: expected a whole number, at least {least}, found {value!r:.60}", name, "chunk", 1, chunk
        )
    return int(chunk)
