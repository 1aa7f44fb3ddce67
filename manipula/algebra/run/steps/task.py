"""Many steps as a caller asks for them: states, variables held or along time, parameters of every row, as one task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import prod
from typing import Any, TypedDict

import numpy as np

from manipula.algebra.program.philox import LOW
from manipula.algebra.run.batch.shapes import DType, Floats, Shape, floats_from_value, pattern, rows_from_value
from manipula.algebra.run.steps.lanes import laned
from manipula.algebra.run.steps.repeated import Noise, Task
from manipula.algebra.run.steps.stepping import Memory
from manipula.algebra.tape import Port
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message

Kept = Callable[[Floats], Floats]  # parameters in blocks of lanes → what is kept of them, in the same blocks


class Rolling(TypedDict, total=False):
    """How many steps are asked for in one call; what is left out is as in `USUAL`."""

    p: Any  # parameters, by rows or of all rows
    every: int  # how many steps from record to record; 0: no records
    threads: int
    along: Collection[str] | str  # the variables that are given for every step
    seed: int  # of the noise
    rollout: Any  # the numbers of the rows, for the noise; None counts them
    first: int  # the number of the first step, for the noise


USUAL: Rolling = {"p": None, "every": 1, "threads": 1, "along": (), "seed": 0, "rollout": None, "first": 0}


def completed(how: Rolling) -> Rolling:
    """With what is left out."""
    if odd := next((name for name in how if name not in USUAL), None):
        raise UnknownNameError("option of run", odd, USUAL)
    return {**USUAL, **how}


def task_from(
    memory: Memory,
    lanes: int,
    state: Any,
    steps: Any,
    variables: Sequence[Any],
    parameters: Floats,
    kept: Kept,
    how: Rolling,
) -> Task:
    """Checked and broadcast. `parameters`: (…, n); without leading axes they are those of all rows."""
    name, dtype = memory.name, memory.dtype
    count = _whole(name, "steps", steps, 0)
    moving = _moving(memory, how["along"])
    states = [rows_from_value(name, x, y, dtype) for x, y in zip(memory.states, memory.ordered(state, "state"))]
    given = [
        _along(name, port, value, count, dtype) if port.name in moving else rows_from_value(name, port, value, dtype)
        for port, value in zip(memory.driven, memory.checked(variables, memory.driven))
    ]
    leads = [x.shape[:-1] for x in (*states, parameters)]
    leads += [x.shape[: -2 if port.name in moving else -1] for x, port in zip(given, memory.driven)]
    lead = _common(name, leads)
    rows = prod(lead)
    wide = lanes if rows > 1 else 1
    numbers = _rollouts(name, how["rollout"], lead)
    held = [_rows(x, lead, 1) for x in given] if not moving else []
    driven = [_rows(x if y.name in moving else x[..., None, :], lead, 2) for x, y in zip(given, memory.driven)]
    return Task(
        lead,
        rows,
        wide,
        count,
        _whole(name, "every", how["every"], 0),
        np.concatenate([np.broadcast_to(x, (*lead, x.shape[-1])).reshape(rows, x.shape[-1]) for x in states], axis=1),
        _beside(held, dtype),
        _beside(driven, dtype) if moving else None,
        kept(laned(_rows(parameters, lead, 1), wide, dtype)),
        Noise(_whole(name, "seed", how["seed"], 0) & LOW, laned(numbers, wide, np.dtype(np.int64))),
        _whole(name, "first", how["first"], 0),
    )


def _rollouts(name: str, rollout: Any, lead: Shape) -> Any:
    """(rows,): the numbers of the rows; they count from the first unless they are given."""
    given = np.asarray(np.arange(prod(lead)).reshape(lead) if rollout is None else rollout)
    if given.dtype.kind not in "iu" or (given < 0).any() or (given > LOW).any():
        raise InputError(
            "{name}: rollout: expected whole numbers from 0 to {low}, found {rollout!r:.60}", name, LOW, rollout
        )
    try:
        return np.broadcast_to(given, lead).reshape(prod(lead))
    except ValueError:
        raise InputError("{name}: rollout: expected shape {lead}, found {shape}", name, lead, given.shape) from None


def _whole(name: str, what: str, value: Any, least: int) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(
            "{name}: {what}: expected a whole number, at least {least}, found {value!r:.60}", name, what, least, value
        )
    return int(value)


def _moving(memory: Memory, along: Collection[str] | str) -> set[str]:
    names = {along} if isinstance(along, str) else set(along)
    known = [port.name for port in memory.driven]
    for name in sorted(names.difference(known)):
        raise UnknownNameError(Message("input of {name}", memory.name), name, known)
    return names


def _along(function: str, port: Port, value: Any, steps: int, dtype: DType) -> Floats:
    """(…, steps, size)"""
    found = floats_from_value(function, port.name, value, dtype)
    if found.ndim < 2 or found.shape[-2:] != (steps, *port.shape):
        wanted = pattern((steps, *port.shape))
        raise InputError(
            "{function}: {name}: expected shape {pattern}, one row a step, found {shape}",
            function,
            port.name,
            wanted,
            found.shape,
        )
    return found


def _common(name: str, leads: Sequence[Shape]) -> Shape:
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        found = ", ".join(map(str, dict.fromkeys(leads)))
        raise InputError(
            "{name}: the leading axes of states, variables and parameters do not broadcast: {found}", name, found
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
