"""Many steps of a function with states, in machine code: in slices of time, short enough that Ctrl-C is seen between.

Rows go side by side in the lanes of vectors, and blocks of them in threads; each has the bits that it would have alone.
"""

from __future__ import annotations

from math import prod
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

from manipula.algebra.run.batch.shapes import DType, Floats, Shape
from manipula.algebra.run.batch.threads import shared_out
from manipula.algebra.run.steps.interrupt import interruption
from manipula.algebra.run.steps.lanes import aligned, laned, unlaned
from manipula.algebra.run.steps.stepping import Memory

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
    rollouts: Any  # (blocks, lanes) of int64: the number of each row


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
    states = laned(task.states, lanes, dtype)
    halves = aligned((2, *states.shape), dtype)
    held = laned(np.broadcast_to(task.held, (rows, task.held.shape[1])), lanes, dtype)[:, None]
    width = task.states.shape[1] + sum(prod(port.shape) for port in memory.outputs)
    samples = -(-task.steps // task.every) if task.every else 0
    records = np.empty((rows, samples, width), dtype)
    done, kept_samples, pace = 0, 0, FIRST // max(rows, 1)
    with interruption() as asked:
        while done < task.steps and not asked.now:
            steps = _slice(task, width, done, pace)
            left = -done % task.every if task.every else NEVER
            count = len(range(left, steps, task.every)) if task.every else 0
            record = aligned((len(states), count, width, lanes), dtype)
            drive = held if task.along is None else _drive(task, done, steps, dtype)
            frames = Frames(halves, drive, task.kept, record, task.noise)
            halves[0] = states
            begun = perf_counter()
            _share(code, frames, (steps, task.every, left, task.first + done), threads, rows)
            states[...] = halves[steps % 2]
            pace = max(1, int(steps * SLICE / max(perf_counter() - begun, 1e-9)))
            if count:
                unlaned(record, rows, records[:, kept_samples : kept_samples + count])
            done, kept_samples = done + steps, kept_samples + count
    final = np.empty_like(task.states)
    unlaned(states, rows, final)
    recorded = np.ascontiguousarray(records[:, :kept_samples])
    return _packed(task.lead, memory, final, recorded, done)


def _slice(task: Task, width: int, done: int, pace: int) -> int:
    """Steps of the next slice."""
    recorded = width / task.every if task.every else 0
    driven = 0 if task.along is None else task.along.shape[2]
    most = int(ENTRIES / max(task.rows * (recorded + driven), 1e-9))
    return max(1, min(task.steps - done, pace, most))


def _drive(task: Task, done: int, steps: int, dtype: DType) -> Floats:
    assert task.along is not None
    part = task.along[:, done : done + steps]
    if len(part) == 1:
        part = np.broadcast_to(part, (min(task.rows, task.lanes), *part.shape[1:]))
    return laned(part, task.lanes, dtype)


def _share(code: Repeater, frames: Frames, counts: tuple[int, int, int, int], threads: int, rows: int) -> None:
    """Blocks among threads, each with work enough."""
    blocks = frames.states.shape[1]
    least = max(1, LEAST * blocks // max(1, rows * counts[0]))
    shared_out(lambda part: code(frames, part, *counts), blocks, threads, 1, least)


def _packed(lead: Shape, memory: Memory, final: Floats, records: Floats, done: int) -> Repeated:
    samples = records.shape[1]

    def taken(table: Floats, first: int, shape: Shape, more: Shape) -> Floats:
        part = table[..., first : first + prod(shape)]
        return np.ascontiguousarray(part).reshape(*lead, *more, *shape)

    state, states, outputs, at = [], [], [], 0
    for port in memory.states:
        state.append(taken(final, at, port.shape, ()))
        states.append(taken(records, at, port.shape, (samples,)))
        at += prod(port.shape)
    for port in memory.outputs:
        outputs.append(taken(records, at, port.shape, (samples,)))
        at += prod(port.shape)
    return Repeated(memory.states_of(state), memory.states_of(states), memory.out(outputs), done)
