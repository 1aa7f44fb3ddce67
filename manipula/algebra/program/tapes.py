"""A proved straight line as a word of a text.

    rate = Straight(tape)              in the text's module, or in the function around the text
    rate(q, qd, tau, k, qdd)           in the text: arrays of the variables, what was prepared, arrays of the outputs
    rate.prepare(p, k)                 once for all parameters: the number of the condition they break, or 0;
                                       settings, where there are any, are arrays of their own behind p

`rate.kept` is the number of entries of k. Where nothing is prepared neither k nor `prepare` is there. Outputs may not
overlap inputs; ports without entries are left out. The arrays may be longer than what is read or written of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.program import tree
from manipula.algebra.program.primitives import Reals
from manipula.algebra.tape import Line, Port, Tape, kept_slots, variables_of
from manipula.errors import InputError
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
    def offline_count(self) -> int:
        return len(self._kept)

    @property
    def arity(self) -> int:
        return len(self.variables) + bool(self._kept) + len(self.outputs)

    def __call__(self, *arrays: Reals) -> None:
        assert len(arrays) == self.arity, f"{self.tape.name} takes {self.arity} arrays"
        inputs, taken = arrays[: -len(self.outputs)], arrays[-len(self.outputs) :]
        values = self._read(self.variables, inputs)
        # float64, not float: a division by zero is then infinite, as in machine code
        values |= {slot: np.float64(inputs[-1][i]) for i, slot in enumerate(self._kept)}
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
        broken = self.tape.broken_condition(
            {port.name: [values[slot] for slot in port.slots] for port in self.parameters}
        )
        return 0 if broken is None else 1 + self.tape.checks.index(broken)

    def _read(self, ports: Sequence[Port], arrays: Sequence[Reals]) -> dict[int, Any]:
        values: dict[int, Any] = {slot: np.float64(value) for slot, value in self.tape.constants}
        for port, array in zip(ports, arrays):
            values |= {slot: np.float64(array[i]) for i, slot in enumerate(port.slots)}
        return values

    def _run(self, lines: Sequence[Line], values: dict[int, Any]) -> None:
        # infinities and NaN are results here, as they are in machine code
        with np.errstate(all="ignore"):
            for line in lines:
                values[line.slot] = OPS[line.op].value(ARRAYS, *(values[arg] for arg in line.args))


# Laned texts: those that do the same for any data, so that many can run side by side.
#
# Real and complex numbers differ from lane to lane, whole numbers and words are common to all. So nothing but `select`,
# `min`, `max` and `abs` chooses by data: loops have counts and jumps have conditions of whole numbers alone.

COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


class Varying:
    """Which conditions of a routine may differ from lane to lane."""

    def __init__(self, routine: tree.Routine) -> None:
        self._names = {name for name, kind in routine.parameters.items() if kind == "flag"}
        assigned = [x for x in tree.parts(routine.body) if isinstance(x, tree.Set) and x.target.kind == "flag"]
        before = -1
        # until no assignment makes another condition vary
        while before != len(self._names):
            before = len(self._names)
            self._names |= {x.target.name for x in assigned if isinstance(x.target, tree.Var) and self(x.value)}

    def __call__(self, x: tree.Expr) -> bool:
        match x:
            case tree.Var("flag", name):
                return name in self._names
            case tree.ProgramOp("flag", name, (first, *_)) if name in COMPARE and first.kind != "flag":
                return first.kind == "real"
            case tree.ProgramOp("flag", _, args):
                return any(map(self, args))
            case tree.RoutineCall("flag", _, _):
                return True
        return False


def check_laned(routines: Sequence[tree.Routine]) -> None:
    """Refuse a program that is not laned, with file and line."""
    for routine in routines:
        varying = Varying(routine)
        for line, why in _objections(routine.body, varying):
            raise InputError("{file}:{line}: {routine} is not laned: {why}", routine.file, line, routine.name, why)


def _objections(body: Sequence[tree.Stmt], varying: Varying) -> Iterator[tuple[int, str]]:
    for statement in body:
        match statement:
            case tree.While():
                yield statement.line, "`while` runs as long as the data want; a loop has a count: for … in range(…)"
            case tree.Leave(how):
                yield statement.line, f"`{how}` leaves a loop early, in some lanes and not in others"
            case tree.If(condition, _, _) if varying(condition):
                yield statement.line, "an `if` by data; `select` computes both values and takes one"
        for why in _expressions(statement, varying):
            yield statement.line, why
        for name in ("body", "yes", "no"):
            # bodies of loops and branches
            yield from _objections(getattr(statement, name, ()), varying)


def _expressions(statement: tree.Stmt, varying: Varying) -> Iterator[str]:
    own = [getattr(statement, name, None) for name in ("target", "value", "condition", "start", "stop", "call")]
    for x in (part for expression in own for part in tree.parts(expression)):
        match x:
            case tree.ProgramOp(_, "choose", (test, *_)) if varying(test):
                yield "`a if c else b` by data; `select(c, a, b)` computes both and takes one"
            case tree.ProgramOp("int" | "word", "select", (test, *_)) if varying(test):
                yield "a whole number chosen by data would differ from lane to lane"
            case tree.ProgramOp("int" | "word", "to_int" | "to_word", (inner,)) if inner.kind == "real" or varying(
                inner
            ):
                yield "a whole number made of data would differ from lane to lane"
            case tree.CallTape(_, _, "prepare", _):
                yield "`prepare` belongs before the lanes: hand them what is prepared"
