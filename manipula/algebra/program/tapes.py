"""A proved straight line as a word of a text.

    rate = Straight(tape)              in the text's module, or in the function around the text
    rate(q, qd, tau, k, qdd)           in the text: arrays of the variables, what was prepared, arrays of the outputs
    rate.prepare(p, k)                 once for all parameters: the number of the condition they break, or 0;
                                       settings, where there are any, are arrays of their own behind p

`rate.kept` is the number of entries of k. Where nothing is prepared neither k nor `prepare` is there. Outputs may not
overlap inputs; ports without entries are left out. The arrays may be longer than what is read or written of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.program.primitives import Reals
from manipula.algebra.tape import Line, Port, Tape, kept_slots, variables_of
from manipula.scalar import OPS


class Straight:
    """A tape that a text can call; called here, it is computed line by line."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._kept = kept_slots(tape)
        self.variables = tuple(port for port in variables_of(tape) if port.slots)
        self.outputs = tuple(port for port in tape.outputs if port.slots)
        self.parameters = tuple(port for port in tape.inputs if not port.online and port.slots)

    @property
    def kept(self) -> int:
        return len(self._kept)

    @property
    def arity(self) -> int:
        return len(self.variables) + bool(self._kept) + len(self.outputs)

    def __call__(self, *arrays: Reals) -> None:
        assert len(arrays) == self.arity, f"{self.tape.name} takes {self.arity} arrays"
        given, taken = arrays[: -len(self.outputs)], arrays[-len(self.outputs) :]
        values = self._read(self.variables, given)
        values |= {slot: np.float64(given[-1][i]) for i, slot in enumerate(self._kept)}
        self._run(self.tape.online, values)
        for port, array in zip(self.outputs, taken, strict=True):
            for i, slot in enumerate(port.slots):
                array[i] = values[slot]

    def prepare(self, *arrays: Reals) -> int:
        """Fill the last array with what the others, parameters and settings, decide."""
        assert len(arrays) == len(self.parameters) + 1, f"{self.tape.name} prepares from {len(self.parameters)} arrays"
        values = self._read(self.parameters, arrays)
        self._run(self.tape.offline, values)
        for i, slot in enumerate(self._kept):
            arrays[-1][i] = values[slot]
        broken = self.tape.broken({port.name: [values[slot] for slot in port.slots] for port in self.parameters})
        return 0 if broken is None else 1 + self.tape.checks.index(broken)

    def _read(self, ports: Sequence[Port], arrays: Sequence[Reals]) -> dict[int, Any]:
        values: dict[int, Any] = {slot: np.float64(value) for slot, value in self.tape.constants}
        for port, array in zip(ports, arrays):
            values |= {slot: np.float64(array[i]) for i, slot in enumerate(port.slots)}
        return values

    def _run(self, lines: Sequence[Line], values: dict[int, Any]) -> None:
        with np.errstate(all="ignore"):
            for line in lines:
                values[line.slot] = OPS[line.op].value(ARRAYS, *(values[arg] for arg in line.args))
