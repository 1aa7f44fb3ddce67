"""States and true values for the self-tests of emitted code.

Inputs are short decimals from a fixed draw, a pose a true pose; outputs are computed from the tape with 40 digits and
rounded once. A state where double precision itself would lose digits (a nearly singular matrix, an angle of ±π
decided by the sign of a zero) is passed over, so that the tolerance can be tight. Where an output says which results
are `valid`, states with many of them come first.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any

import mpmath
import numpy as np

from manipula.algebra.expr.evaluate import ARRAYS, MPMATH
from manipula.algebra.tape import Port, Tape

STATES = 3
TOLERANCE = 1e-9  # |computed − true| ≤ TOLERANCE·(1 + |true|)
SINGLE_TOLERANCE = 1e-3  # the same in single precision: a steady state loses at most 1e-12/2^-53 ulps
_DRAWS, _STEADY, _TRUE_BITS = 60, 1e-12, 133

POSE = tuple(f"T{row}{column}" for row in range(1, 5) for column in range(1, 5))
FLAGS = "valid"

Values = dict[str, list[float]]


def with_square_poses(tape: Tape) -> Tape:
    """A pose that goes in has the shape of one that comes out: 4×4."""
    ports = (replace(port, shape=(4, 4)) if port.names == POSE else port for port in tape.inputs)
    return replace(tape, inputs=tuple(ports))


@dataclass(frozen=True)
class State:
    """One set of inputs and the outputs that belong to it."""

    inputs: Values
    outputs: Values


def states(tape: Tape, samples: Sequence[Mapping[str, Sequence[float]]] = ()) -> list[State]:
    """The states of a self-test: the samples given, else draws."""
    if not samples:
        return list(_drawn_states(tape))
    chosen = [{name: [float(x) for x in values] for name, values in sample.items()} for sample in samples]
    return [_steady(tape, inputs) or _as_doubles(tape, inputs) for inputs in chosen]


@lru_cache(maxsize=8)  # 40 digits are slow: a function in several languages has its states computed once
def _drawn_states(tape: Tape) -> list[State]:
    draws = list(_draws(tape))
    # parameters that break a condition would test the refusal, not the function
    draws = [inputs for inputs in draws if _conditions_hold(tape, inputs)] or draws
    if any(port.name == FLAGS for port in tape.outputs):
        draws.sort(key=lambda inputs: -sum(_as_doubles(tape, inputs).outputs[FLAGS]))
    steady: list[State] = []
    for inputs in draws:
        state = _steady(tape, inputs)
        if state is not None:
            steady.append(state)
        if len(steady) == STATES:
            return steady
    # a model that is nowhere steady still gets a self-test, with the values of doubles
    return steady + [_as_doubles(tape, inputs) for inputs in draws[: STATES - len(steady)]]


def _draws(tape: Tape) -> Iterator[Values]:
    """The same on every run."""
    dice = random.Random("manipula self-test")
    for _ in range(_DRAWS):
        yield {port.name: _sample_port(port, dice) for port in tape.inputs}


def _sample_port(port: Port, dice: random.Random) -> list[float]:
    """Variables in ±1.5, parameters in 0.1 … 1, three decimals; a pose any orientation, its place in ±0.6."""
    if port.names == POSE:
        return _pose([dice.gauss(0, 1) for _ in range(4)], [round(dice.uniform(-0.6, 0.6), 3) for _ in range(3)])
    return [round(dice.uniform(*((-1.5, 1.5) if port.online else (0.1, 1.0))), 3) for _ in port.slots]


def _pose(e: Sequence[float], p: Sequence[float]) -> list[float]:
    """The 16 entries from four Euler parameters of any length, and a place: R = 1 + 2 (e₀ ẽ + ẽ ẽ) / e²"""
    w, x, y, z = e
    s = 2 / (w * w + x * x + y * y + z * z)
    R = (
        (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
    )
    return [entry for row, at in zip(R, p, strict=True) for entry in (*row, at)] + [0.0, 0.0, 0.0, 1.0]


def _conditions_hold(tape: Tape, inputs: Values) -> bool:
    """The conditions of the tape hold for these parameters, in single precision too."""
    parameters = {port.name: inputs[port.name] for port in tape.inputs if not port.online}
    return tape.broken_condition(parameters) is None and tape.broken_condition(parameters, single=True) is None


def _steady(tape: Tape, inputs: Values) -> State | None:
    """The state with its true outputs, if they are finite and double precision can reach them."""
    try:
        true, rough = _precise(tape, inputs), _as_doubles(tape, inputs).outputs
    except (ZeroDivisionError, ValueError):
        return None
    pairs = [(x, y) for name in true for x, y in zip(true[name], rough[name], strict=True)]
    # where doubles lose digits another compiler may lose others: no fair test
    good = all(isfinite(x) and isfinite(y) and abs(x - y) <= _STEADY * (1 + abs(x)) for x, y in pairs)
    return State(inputs, true) if good else None


def _precise(tape: Tape, inputs: Values) -> Values:
    with mpmath.workprec(_TRUE_BITS):
        exact = {name: [mpmath.mpf(x) for x in values] for name, values in inputs.items()}
        return _floats(tape.evaluate(exact, MPMATH))


def _as_doubles(tape: Tape, inputs: Values) -> State:
    """Where no exact value helps (NaN is the right answer): plain double arithmetic."""
    with np.errstate(all="ignore"):
        arrays = {name: [np.float64(x) for x in values] for name, values in inputs.items()}
        return State(inputs, _floats(tape.evaluate(arrays, ARRAYS)))


def _floats(outputs: Mapping[str, Sequence[Any]]) -> Values:
    return {name: [float(x) for x in values] for name, values in outputs.items()}
