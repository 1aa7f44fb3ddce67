"""Steps of a compiled function with states: what is remembered is a named tuple of arrays, the caller's own."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.run.batch import DType, Floats, Shaped, rows_from_value
from manipula.algebra.tape import Port, Tape, variables_of
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.scalar import Next

State = Mapping[str, ArrayLike] | Sequence[ArrayLike]  # by name, or in their order
Places = Mapping[str, Floats] | Sequence[Floats]  # the same, to be written into
V = TypeVar("V")
N = TypeVar("N", bound=np.generic)


class Stepped(NamedTuple):
    """After a step: the states, and what went out: an array, several as a named tuple, none as an empty one."""

    state: Any
    outputs: Any


@lru_cache(maxsize=256)
def result_type(name: str, fields: tuple[str, ...]) -> Any:
    """The named tuple of a function's outputs; it pickles by its name and fields."""
    # made at run time, so pickle finds no module for it: `__reduce__` makes it anew
    base = namedtuple("Result", fields)  # type: ignore[misc]

    def __reduce__(self: Any) -> tuple[Any, ...]:
        return result_from_parts, (name, fields, tuple(self))

    return type(f"{name}_result", (base,), {"__slots__": (), "__reduce__": __reduce__})


def result_from_parts(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return result_type(name, fields)(*values)


class Memory:
    """How the inputs and outputs of a tape divide into what is remembered and the rest."""

    def __init__(self, tape: Tape, dtype: DType) -> None:
        self.name, self.dtype, self.inputs = tape.name, dtype, variables_of(tape)
        self.states = tuple(port for port in self.inputs if port.role == "state")
        self.following = {x.gives.state: x.name for x in tape.outputs if isinstance(x.gives, Next)}
        if not self.states:
            raise InputError("{name}: has no states; it does not go step by step", tape.name)
        self.steps = self.following.keys() == {port.name for port in self.states}
        self.free = tuple(port for port in self.inputs if port.role != "state")
        self.driven = tuple(port for port in self.inputs if port.role == "variable")  # `run` draws the noise itself
        self.outputs = [x for x in tape.outputs if x.name not in self.following.values()]
        self._state = result_type(f"{tape.name}_state", tuple(port.name for port in self.states))
        self._outputs = result_type(f"{tape.name}_outputs", tuple(port.name for port in self.outputs))

    def start(self, given: Mapping[str, ArrayLike]) -> Any:
        """The states by name; those not given are zero. Leading axes broadcast."""
        for name in given:
            if name not in self._state._fields:
                raise UnknownNameError(Message("state of {name}", self.name), name, self._state._fields)
        arrays = [self._array(port, given.get(port.name)) for port in self.states]
        try:
            lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        except ValueError:
            shapes = ", ".join(f"{port.name} {x.shape}" for port, x in zip(self.states, arrays) if x.ndim > 1)
            raise InputError("{name}: rows of the states do not go together: {told}", self.name, shapes) from None
        return self._state(*(np.array(np.broadcast_to(x, (*lead, x.shape[-1]))) for x in arrays))

    def _array(self, port: Port, value: ArrayLike | None) -> Floats:
        values = np.zeros(port.shape, self.dtype) if value is None else value
        rows = rows_from_value(self.name, port, values, self.dtype)
        # a state of NaN would stay NaN for ever, and nobody would see where it began
        if not np.isfinite(rows).all():
            bad = np.argwhere(~np.isfinite(rows))[0]
            entry = port.names[bad[-1]] if port.names else port.name
            raise InputError("{name}: {names} cannot start at {rows}", self.name, entry, float(rows[tuple(bad)]))
        return rows

    def arguments(self, state: State, variables: Sequence[ArrayLike]) -> list[ArrayLike]:
        """In the order of the function."""
        values = dict(zip((port.name for port in self.free), self.check_variables(variables, self.free)))
        values |= dict(zip(self._state._fields, self.state_arrays(state, "state")))
        return [values[port.name] for port in self.inputs]

    def check_variables(self, variables: Sequence[ArrayLike], ports: Sequence[Port]) -> Sequence[ArrayLike]:
        """One for each of the inputs."""
        if not self.steps:
            raise InputError(
                "{name}: gives the rates of its states, in continuous time; it does not go step by step", self.name
            )
        if len(variables) != len(ports):
            names = ", ".join(port.name for port in ports) or "none"
            raise InputError(
                "{name}: a step takes {count} inputs ({told}), found {count2}",
                self.name,
                len(ports),
                names,
                len(variables),
            )
        return variables

    def state_arrays(self, state: Mapping[str, V] | Sequence[V], what: str) -> list[V]:
        """The arrays of a state, from a mapping or in their order."""
        names = self._state._fields
        if isinstance(state, Mapping):
            if state.keys() != set(names):
                raise InputError(
                    "{name}: {what}: expected {names}, found {state}",
                    self.name,
                    what,
                    ", ".join(names),
                    ", ".join(state),
                )
            return [state[name] for name in names]
        if not isinstance(state, Sequence) or len(state) != len(names):
            raise InputError(
                "{name}: {what}: expected {names}, as `start` gives them", self.name, what, ", ".join(names)
            )
        return list(state)

    def split_results(self, results: Mapping[str, Floats]) -> Stepped:
        state = self._state(*(results[self.following[port.name]] for port in self.states))
        outputs = [results[port.name] for port in self.outputs]
        return Stepped(state, self.out(outputs))

    def states_of(self, arrays: Sequence[Shaped]) -> Any:
        return self._state(*arrays)

    def out(self, outputs: Sequence[Shaped]) -> Any:
        """What goes out, as a step returns it."""
        return outputs[0] if len(outputs) == 1 else self._outputs(*outputs)

    def store_state(self, state: Sequence[Floats], out: Places) -> Any:
        """The new states in the arrays of `out`, which may be the old ones."""
        places = self.state_arrays(out, "out")
        for port, new, place in zip(self.states, state, places):
            if not isinstance(place, np.ndarray) or place.shape != new.shape or place.dtype != new.dtype:
                kind = f"{place.dtype} {place.shape}" if isinstance(place, np.ndarray) else type(place).__name__
                raise InputError(
                    "{name}: out: {name2}: expected {dtype} {shape}, found {name3}",
                    self.name,
                    port.name,
                    new.dtype,
                    new.shape,
                    kind,
                )
        for new, place in zip(state, places):
            place[...] = new
        return self._state(*places)


# Rows ↔ blocks of lanes: arrays as repeated machine code has them (see `machine.repeat`).

_ALIGN = 64  # bytes of a line of the cache, and of the widest vector


def aligned_array(shape: tuple[int, ...], dtype: DType) -> NDArray[Any]:
    """Memory that begins where a vector may."""
    count = int(np.prod(shape))
    # numpy promises no alignment for vectors of 64 bytes
    raw = np.empty(count * dtype.itemsize + _ALIGN, np.uint8)
    first = -raw.ctypes.data % _ALIGN
    return raw[first : first + count * dtype.itemsize].view(dtype).reshape(shape)


def blocks_of(rows: int, lanes: int) -> int:
    return -(-rows // lanes)


def to_lanes(table: NDArray[N], lanes: int, dtype: DType) -> NDArray[N]:
    """(rows, …, n) → (blocks, …, n, lanes); lanes past the last row repeat it."""
    rows = table.shape[0]
    blocks = blocks_of(rows, lanes)
    laned = aligned_array((blocks, *table.shape[1:], lanes), dtype)
    whole = rows // lanes
    if whole:
        laned[:whole] = np.moveaxis(table[: whole * lanes].reshape(whole, lanes, *table.shape[1:]), 1, -1)
    if blocks > whole:
        # idle lanes repeat the last row: they cost nothing, and cannot raise a NaN of their own
        rest = table[np.minimum(np.arange(whole * lanes, blocks * lanes), rows - 1)]
        laned[whole] = np.moveaxis(rest, 0, -1)
    return laned


def from_lanes(blocks: Floats, rows: int, into: Floats) -> None:
    """The inverse: (blocks, …, n, lanes) → (rows, …, n)."""
    lanes = blocks.shape[-1]
    whole = rows // lanes
    if whole:
        shape = (whole, lanes, *into.shape[1:])
        into[: whole * lanes].reshape(shape)[...] = np.moveaxis(blocks[:whole], -1, 1)
    if rows > whole * lanes:
        into[whole * lanes :] = np.moveaxis(blocks[whole], -1, 0)[: rows - whole * lanes]
