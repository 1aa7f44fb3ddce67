"""Many steps of a function with states, in machine code: in slices of time, short enough that Ctrl-C is seen between.

Rows go side by side in the lanes of vectors, and blocks of them in threads; each has the bits that it would have alone.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from threading import current_thread, main_thread
from time import perf_counter
from types import FrameType
from typing import Any, NamedTuple, Protocol, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.program.primitives import LOW
from manipula.algebra.run.batch import (
    DType,
    Floats,
    Parameters,
    Shape,
    pattern,
    rows_of_array,
    shared_out,
)
from manipula.algebra.run.stepping import Memory, State, aligned_array, from_lanes, to_lanes
from manipula.algebra.tape import Port
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message

# Ctrl-C while machine code runs in slices: noted, and acted on between two of them, where the results are whole.


class Asked:
    """Was the end asked for?"""

    def __init__(self) -> None:
        self.now = False

    def note(self, number: int, frame: FrameType | None) -> None:
        self.now = True


@contextmanager
def interruption() -> Iterator[Asked]:
    """Python's own answer to Ctrl-C is replaced meanwhile; any other that somebody has set stays."""
    end = Asked()
    # Python hands signals to the main thread only; a handler that somebody has set is his business
    ours = current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ours:
        yield end
        return
    signal.signal(signal.SIGINT, end.note)
    try:
        yield end
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


SLICE = 0.1  # seconds of machine code between two looks for Ctrl-C
ENTRIES = 2**22  # numbers that a slice may record, or be driven by: bounds the memory beside the results
FIRST = 2**15  # steps of rows in the first slice, before their time is known
LEAST = 2**13  # steps of rows that are worth a thread
NEVER = 2**62


class Repeated(NamedTuple):
    """After many steps: the states, the records of every so many-th step, and the number of steps gone.

    `states` and `outputs` are as `step` has them, with one more axis in front of the last: the states before a recorded
    step, and what went out in it. `steps` is what was asked for, less where Ctrl-C ended it.
    """

    state: Any
    states: Any
    outputs: Any
    steps: int


class Noise(NamedTuple):
    """What noise is drawn from: see `program.philox`."""

    seed: int
    rollouts: NDArray[np.int64]  # (blocks, lanes) of int64: the number of each row


class Frames(NamedTuple):
    """Everything in blocks of lanes: see `machine.repeat`."""

    states: Floats  # (2, blocks, S, lanes): a step reads one half and writes the other, in turn
    drive: Floats  # (blocks or 1, steps or 1, V, lanes)
    kept: Floats  # (blocks or 1, K, lanes)
    record: Floats  # (blocks, samples, S + O, lanes)
    noise: Noise


class Repeater(Protocol):
    """Machine code of so many lanes: all blocks of the range, so many steps; the first record is `left` steps away.

    `first` is the number of the first step, which its noise depends on.
    """

    def __call__(self, frames: Frames, blocks: range, steps: int, every: int, left: int, first: int) -> None: ...


class Task(NamedTuple):
    """One call: arrays of rows, checked and broadcast."""

    lead: Shape
    rows: int
    lanes: int
    steps: int
    every: int  # 0: nothing is recorded
    states: Floats  # (rows, S)
    held: Floats  # (rows or 1, V): the other variables, where they do not change
    along: Floats | None  # (rows or 1, steps, V): all of them, where one changes
    kept: Floats  # (blocks or 1, K, lanes)
    noise: Noise
    first: int  # the number of the first step


def repeat(task: Task, memory: Memory, code: Repeater, threads: int, dtype: DType) -> Repeated:
    lanes, rows = task.lanes, task.rows
    states = to_lanes(task.states, lanes, dtype)
    halves = aligned_array((2, *states.shape), dtype)
    held = to_lanes(np.broadcast_to(task.held, (rows, task.held.shape[1])), lanes, dtype)[:, None]
    width = task.states.shape[1] + sum(prod(port.shape) for port in memory.outputs)
    samples = -(-task.steps // task.every) if task.every else 0
    records = np.empty((rows, samples, width), dtype)
    done, kept_samples, pace = 0, 0, FIRST // max(rows, 1)
    with interruption() as end:
        while done < task.steps and not end.now:
            steps = _slice(task, width, done, pace)
            # steps from here to the next record
            left = -done % task.every if task.every else NEVER
            count = len(range(left, steps, task.every)) if task.every else 0
            record = aligned_array((len(states), count, width, lanes), dtype)
            drive = held if task.along is None else _drive(task, done, steps, dtype)
            frames = Frames(halves, drive, task.kept, record, task.noise)
            halves[0] = states
            begun = perf_counter()
            _share(code, frames, (steps, task.every, left, task.first + done), threads, rows)
            states[...] = halves[steps % 2]
            # the next slice is as long as this one's speed allows
            pace = max(1, int(steps * SLICE / max(perf_counter() - begun, 1e-9)))
            if count:
                from_lanes(record, rows, records[:, kept_samples : kept_samples + count])
            done, kept_samples = done + steps, kept_samples + count
    final = np.empty_like(task.states)
    from_lanes(states, rows, final)
    recorded = np.ascontiguousarray(records[:, :kept_samples])
    return _pack_records(task.lead, memory, final, recorded, done)


def _slice(task: Task, width: int, done: int, pace: int) -> int:
    """Steps of the next slice."""
    recorded = width / task.every if task.every else 0
    driven = 0 if task.along is None else task.along.shape[2]
    # records of a slice live beside the results: bounded, or a long run would need twice its memory
    most = int(ENTRIES / max(task.rows * (recorded + driven), 1e-9))
    return max(1, min(task.steps - done, pace, most))


def _drive(task: Task, done: int, steps: int, dtype: DType) -> Floats:
    assert task.along is not None
    part = task.along[:, done : done + steps]
    if len(part) == 1:
        # one block serves all rows: the kernel reads it again with a distance of 0
        part = np.broadcast_to(part, (min(task.rows, task.lanes), *part.shape[1:]))
    return to_lanes(part, task.lanes, dtype)


def _share(code: Repeater, frames: Frames, counts: tuple[int, int, int, int], threads: int, rows: int) -> None:
    """Blocks among threads, each with work enough."""
    blocks = frames.states.shape[1]
    # in blocks, as they are what is shared out
    least = max(1, LEAST * blocks // max(1, rows * counts[0]))
    shared_out(lambda part: code(frames, part, *counts), blocks, threads, 1, least)


def _pack_records(lead: Shape, memory: Memory, final: Floats, records: Floats, done: int) -> Repeated:
    samples = records.shape[1]

    def take_part(table: Floats, first: int, shape: Shape, more: Shape) -> Floats:
        part = table[..., first : first + prod(shape)]
        return np.ascontiguousarray(part).reshape(*lead, *more, *shape)

    state, states, outputs, at = [], [], [], 0
    for port in memory.states:
        state.append(take_part(final, at, port.shape, ()))
        states.append(take_part(records, at, port.shape, (samples,)))
        at += prod(port.shape)
    for port in memory.outputs:
        outputs.append(take_part(records, at, port.shape, (samples,)))
        at += prod(port.shape)
    return Repeated(memory.states_of(state), memory.states_of(states), memory.out(outputs), done)


# Many steps as a caller asks for them: states, variables held or along time, parameters of every row, as one task.

Reader = Callable[[str, str, Any, DType], Floats]  # of function, name, value, number type: the value as floats
Kept = Callable[[Floats], Floats]  # parameters in blocks of lanes → what is kept of them, in the same blocks


class Rolling(TypedDict, total=False):
    """How many steps are asked for in one call; what is left out is as in `USUAL`."""

    p: Parameters  # parameters, by rows or of all rows
    every: int  # how many steps from record to record; 0: no records
    threads: int
    along: Collection[str] | str  # the variables that are given for every step
    seed: int  # of the noise
    rollout: ArrayLike | None  # the numbers of the rows, for the noise; None counts them
    first: int  # the number of the first step, for the noise


USUAL: Rolling = {"p": None, "every": 1, "threads": 1, "along": (), "seed": 0, "rollout": None, "first": 0}


def complete_options(how: Rolling) -> Rolling:
    """With what is left out."""
    if odd := next((name for name in how if name not in USUAL), None):
        raise UnknownNameError("option of run", odd, USUAL)
    return {**USUAL, **how}


class RunRequest(NamedTuple):
    """One call: arrays checked, each with leading axes of its own, on the processor or on a device."""

    lead: Shape
    steps: int
    every: int  # 0: nothing is recorded
    states: Sequence[Any]  # (…, size)
    inputs: Sequence[Any]  # (…, size), or (…, steps, size)
    moving: Sequence[bool]  # which inputs change from step to step
    parameters: Floats  # (…, n); without leading axes they are those of all rows
    rollouts: NDArray[np.int64] | None  # (rows,): the number of each row; None: they count from the first
    seed: int
    first: int  # the number of the first step

    @property
    def rows(self) -> int:
        return prod(self.lead)

    @property
    def row_numbers(self) -> NDArray[np.int64]:
        """For noise alone: of a million rows they take longer to write than a GPU takes for the steps."""
        return np.arange(self.rows) if self.rollouts is None else self.rollouts


def request_from(
    memory: Memory, state: State, steps: int, variables: Sequence[Any], parameters: Floats, how: Rolling, floats: Reader
) -> RunRequest:
    """Checked; `floats` reads an array where it lies."""
    name, dtype = memory.name, memory.dtype

    def rows(port: Port, value: Any) -> Floats:
        return rows_of_array(name, port, floats(name, port.name, value, dtype))

    count = _whole(name, "steps", steps, 0)
    along = _driven_inputs(memory, how["along"])
    states = [rows(x, y) for x, y in zip(memory.states, memory.state_arrays(state, "state"))]
    inputs = [
        _along(name, port, floats(name, port.name, value, dtype), count) if port.name in along else rows(port, value)
        for port, value in zip(memory.driven, memory.check_variables(variables, memory.driven))
    ]
    leads = [x.shape[:-1] for x in (*states, parameters)]
    leads += [x.shape[: -2 if port.name in along else -1] for x, port in zip(inputs, memory.driven)]
    lead = _common(name, leads)
    return RunRequest(
        lead,
        count,
        _whole(name, "every", how["every"], 0),
        states,
        inputs,
        [port.name in along for port in memory.driven],
        parameters,
        _rollouts(name, how["rollout"], lead),
        _whole(name, "seed", how["seed"], 0) & LOW,
        _whole(name, "first", how["first"], 0),
    )


def task_from(request: RunRequest, dtype: DType, lanes: int, kept: Kept) -> Task:
    """Broadcast, in blocks of lanes."""
    lead, rows, inputs, moves = request.lead, request.rows, request.inputs, any(request.moving)
    # one row alone would leave all lanes but one idle
    wide = lanes if rows > 1 else 1
    held = [_rows(x, lead, 1) for x in inputs] if not moves else []
    driven = [_rows(x if moving else x[..., None, :], lead, 2) for x, moving in zip(inputs, request.moving)]
    states = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(rows, x.shape[-1]) for x in request.states]
    return Task(
        lead,
        rows,
        wide,
        request.steps,
        request.every,
        np.concatenate(states, axis=1),
        _beside(held, dtype),
        _beside(driven, dtype) if moves else None,
        kept(to_lanes(_rows(request.parameters, lead, 1), wide, dtype)),
        Noise(request.seed, to_lanes(request.row_numbers, wide, np.dtype(np.int64))),
        request.first,
    )


def _rollouts(name: str, rollout: ArrayLike | None, lead: Shape) -> NDArray[np.int64] | None:
    """(rows,): the numbers of the rows, where they are given."""
    if rollout is None:
        return None
    numbers = np.asarray(rollout)
    if numbers.dtype.kind not in "iu" or (numbers < 0).any() or (numbers > LOW).any():
        raise InputError(
            "{name}: rollout: expected whole numbers from 0 to {low}, found {rollout!r:.60}", name, LOW, rollout
        )
    try:
        return np.broadcast_to(numbers, lead).reshape(prod(lead))
    except ValueError:
        raise InputError("{name}: rollout: expected shape {lead}, found {shape}", name, lead, numbers.shape) from None


def _whole(name: str, what: str, value: int, least: int) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(
            "{name}: {what}: expected a whole number, at least {least}, found {value!r:.60}", name, what, least, value
        )
    return int(value)


def _driven_inputs(memory: Memory, along: Collection[str] | str) -> set[str]:
    names = {along} if isinstance(along, str) else set(along)
    known = [port.name for port in memory.driven]
    for name in sorted(names.difference(known)):
        raise UnknownNameError(Message("input of {name}", memory.name), name, known)
    return names


def _along(function: str, port: Port, rows: Floats, steps: int) -> Floats:
    """(…, steps, size)"""
    if rows.ndim < 2 or rows.shape[-2:] != (steps, *port.shape):
        wanted = pattern((steps, *port.shape))
        raise InputError(
            "{function}: {name}: expected shape {pattern}, one row a step, found {shape}",
            function,
            port.name,
            wanted,
            rows.shape,
        )
    return rows


def _common(name: str, leads: Sequence[Shape]) -> Shape:
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        shapes = ", ".join(map(str, dict.fromkeys(leads)))
        raise InputError(
            "{name}: the leading axes of states, variables and parameters do not broadcast: {found}", name, shapes
        ) from None


def _rows(array: Floats, lead: Shape, own: int) -> Floats:
    """Leading axes as one; 1 where all rows are the same. The last `own` axes stay."""
    tail = array.shape[-own:]
    if array.ndim == own:
        return array.reshape(1, *tail)
    return np.broadcast_to(array, (*lead, *tail)).reshape(prod(lead), *tail)


def _beside(parts: Sequence[Floats], dtype: DType) -> Floats:
    """Side by side along the last axis, the others broadcast."""
    if not parts:
        return np.empty((1, 0), dtype)
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)
