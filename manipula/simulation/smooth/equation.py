"""A function that gives the rates of its states, as an equation in time that Adams' methods solve in machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.function import Function
from manipula.algebra.program.tapes import Straight
from manipula.algebra.run.texts import vector_codes
from manipula.algebra.tape import Port, Tape, tape_from_function
from manipula.scalar import Rate
from manipula.simulation.smooth.adams import DONE, MORE, adams_text
from manipula.simulation.smooth.differences import ROWS, SPANS, wide

Array = NDArray[np.float64]
JUMPS = ("sign", "less", "select", "floor", "atan2")  # what may jump; min, max, abs have corners, which cost steps only
SLICE = 50_000  # evaluations between two words about progress, some milliseconds
ENOUGH = 100_000_000  # evaluations, half a minute: what takes more is not to be had so
STOPPED = -1  # how a motion ends that was interrupted
TIME = "t"


class Solved(NamedTuple):
    """How it ended (see `adams`), the states at the times that were reached, (times, states), evaluations of the
    function, and where it stopped: the time, and the place of the watched number that came too close to its bound."""

    how: int
    rows: Array
    evaluations: int
    time: float
    who: int


class Equation:
    """ẏ = f(t, y, u): `states` and `others` are ports of the function, y and u their entries one after the other.

    `watched` are outputs and states: what of them reaches a bound ends the motion.
    """

    def __init__(self, function: Function, watched: Sequence[str]) -> None:
        tape = tape_from_function(function)
        self.states = [port for port in tape.inputs if port.role == "state"]
        self.others = [port for port in tape.inputs if port.role == "variable" and port.name != TIME]
        self.prepared = [port for port in tape.inputs if not port.online]
        self.jumps = _jumps(tape, [slot for port in self.states for slot in port.slots])
        self._line = Straight(_flat(tape, self.states, self.others, watched))
        self._watched = len(self._line.outputs[1].slots)
        self.size = sum(len(port.slots) for port in self.states)
        self._begin, self._go_on = vector_codes(*adams_text(self._line, self.size, self._watched))

    def kept(self, values: Sequence[Sequence[float]]) -> Array:
        """What parameters and settings alone decide, the values of each of the prepared ports."""
        found = np.zeros(max(self._line.kept, 1))
        if self._line.kept:
            given = [np.array(x, dtype=float) for x, port in zip(values, self.prepared, strict=True) if port.slots]
            self._line.prepare(*given, found)
        return found

    def solve(
        self, y: Array, u: Array, kept: Array, times: Array, bounds: tuple[Array, Array], tolerance: float,
        longest: float = np.inf, stop: Callable[[float], None] = lambda t: None,
    ) -> Solved:  # fmt: skip
        """From y at the first of the times to the last; `stop` hears the time now and then. Ctrl-C ends it early."""
        flow = _Flow(y, self._watched)
        held, out, limits = np.concatenate([[0.0], u]), np.empty(len(times) * self.size), np.concatenate(bounds)
        ends = float(times[-1] - times[0])
        how = self._begin(flow, held, kept, float(times[0]), min(longest, ends), tolerance)
        how = MORE if how == DONE else how
        try:
            while how == MORE and flow.evaluations < ENOUGH:
                how = self._go_on(flow, held, kept, times, len(times), out, limits, tolerance, longest, SLICE)
                stop(flow.time)
        except KeyboardInterrupt:
            how = STOPPED
        rows = out.reshape(len(times), self.size)[: flow.row]
        return Solved(how, rows, flow.evaluations, flow.time, flow.who)


class _Flow:
    """What `adams.Flow` tells, as an object."""

    def __init__(self, y: Array, watched: int) -> None:
        width = wide(len(y))
        self.time = self.step = 0.0
        self.order = self.known = self.starting = self.failed = self.row = self.evaluations = self.steps = 0
        self.who = -1
        self.spans = np.zeros(SPANS)
        self.y = np.zeros(width)
        self.y[: len(y)] = y
        self.p, self.f, self.total, self.spare, self.scales = np.zeros((5, width))
        self.phi, self.star = np.zeros((2, ROWS * width))
        self.seen, self.before, self.moved = np.zeros((3, watched))


def _flat(tape: Tape, states: Sequence[Port], others: Sequence[Port], watched: Sequence[str]) -> Tape:
    """The same lines with the ports y and u (the time first), ẏ and what is watched."""
    time = next((port.slots for port in tape.inputs if port.name == TIME), (len(tape.names),))
    y = tuple(slot for port in states for slot in port.slots)
    u = (*time, *(slot for port in others for slot in port.slots))
    rates = {port.gives.state: port.slots for port in tape.outputs if isinstance(port.gives, Rate)}
    known = {port.name: port.slots for port in (*tape.inputs, *tape.outputs)}
    seen = tuple(slot for name in watched for slot in known[name])
    inputs = (Port("y", (len(y),), y), Port("u", (len(u),), u), *(port for port in tape.inputs if not port.online))
    f = tuple(slot for port in states for slot in rates[port.name])
    outputs = (Port("rate", (len(f),), f), Port("seen", (len(seen),), seen))
    names = tape.names if time[0] < len(tape.names) else (*tape.names, "time")
    return replace(tape, name="rate", inputs=inputs, outputs=outputs, names=names)


def _jumps(tape: Tape, states: Sequence[int]) -> bool:
    """May a value jump where the states go smoothly? What the time alone decides may: a step is shortened there."""
    moving = set(states)
    for line in tape.online:
        if moving.intersection(line.args):
            moving.add(line.slot)
            if line.op in JUMPS:
                return True
    return False


def values_at(function: Function, code: Any, given: dict[str, Array], p: Any) -> dict[str, Array]:
    """Outputs that are no rates, at rows of inputs."""
    found = code(*(given[port.name] for port in function.inputs if port.online), p=p)
    named = dict(zip((port.name for port in function.outputs), found if isinstance(found, tuple) else (found,)))
    return {port.name: np.asarray(named[port.name]) for port in function.outputs if not isinstance(port.gives, Rate)}
