"""Parts of a run in which nothing jumps, to an accuracy that is asked for.

A part is solved twice, the second time with a tolerance of a tenth: where both agree, the first is as wrong as they
differ, and the second, which is what is given, by far less. Where they do not, it goes on with tighter tolerances. So
the error that is promised is that of the positions themselves, not that of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from manipula.algebra.expr.function import Function
from manipula.algebra.run.compiled import compile_tape
from manipula.algebra.tape import Port, tape_from_function
from manipula.errors import DivergenceError, caution
from manipula.messages import Message
from manipula.simulation.driving import Part, Workshop, along_time, begun, torques, values_of, variables_of, wanted
from manipula.simulation.functions import Array
from manipula.simulation.marching import Marched
from manipula.simulation.smooth.adams import DONE, MET, MORE
from manipula.simulation.smooth.equation import STOPPED, TIME, Equation, Solved, values_at
from manipula.support.progress import Tell

FIRST = 0.03  # of the accuracy: the first tolerance
TIGHTER = 0.1
LOOKED = 32  # times at least, at which two solutions are compared
TIGHTEST = 1e-14  # below it rounding decides
AGREED = 2.0  # accuracies by which two solutions may differ, where the better is some ten times better


class Jumps(NamedTuple):
    """Why a part is not smooth."""

    why: str


def fault_of(part: Part) -> str | None:
    """What jumps, as far as it can be told before anything is made."""
    plant, law = part.plant, part.law
    if plant.dry and plant.friction == "stick":
        return Message("dry friction sticks and slips")
    if plant.friction in ("smooth", "lugre"):
        return Message("{friction} friction is stiff", plant.friction)
    if plant.springs is not None:
        return Message("joints are elastic")
    if hasattr(law, "function"):
        if law.sample is not None:
            return Message("{name} holds its torque over samples", law.name)
    elif callable(law):
        return Message("the law is a function in Python")
    elif not _constant(torques(part)):
        return Message("the torques change from step to step")
    if part.wrench is not None and not _constant(along_time("wrench", part.wrench, 6, part)):
        return Message("the wrench changes from step to step")
    return None


def smoothly(part: Part, now: Mapping[str, Array], make: Workshop, tell: Tell) -> Marched | Jumps:
    """The states at the steps that are kept, or why not."""
    if why := fault_of(part):
        return Jumps(why)
    law = part.law if hasattr(part.law, "function") else None
    inside = part.ref if law is not None and getattr(part.ref, "block", None) is not None else None
    function, settings = make.rates(replace(part.plant, effort=None, stops=False), law)
    equation = Equation(function, ("q", "tau"))
    if equation.jumps:
        return Jumps(Message("{name} jumps where the arm moves on", function.name))
    given = _given(part, function, law, inside, now)
    if isinstance(given, Jumps):
        return given
    problem = _Problem(part, function, equation, {**settings, **values_of(function, part)}, given, now)
    return problem.marched(part.task.accuracy, tell)


def _given(part: Part, function: Function, law: Any, inside: Any, now: Mapping[str, Array]) -> dict[str, Array] | Jumps:
    """The other inputs, held: (…, size)."""
    ports = [port for port in variables_of(function) if port.name not in (TIME, "tau", "wrench")]
    rows = wanted(function.name, ports, part, now) if law is not None and inside is None else {}
    if any(port.name == "wrench" for port in function.inputs):
        rows["wrench"] = along_time("wrench", np.zeros(6) if part.wrench is None else part.wrench, 6, part)
    if law is None:
        rows["tau"] = np.clip(torques(part), -part.plant.efforts, part.plant.efforts)
    for name, along in rows.items():
        if not _constant(along):
            return Jumps(Message("{name} changes from step to step", name))
    return {name: along[..., 0, :] for name, along in rows.items()}


def _constant(rows: Array) -> bool:
    return bool((rows == rows[..., :1, :]).all())


class _Problem:
    """One part, row by row of its batch."""

    def __init__(
        self, part: Part, function: Function, equation: Equation, values: Mapping[str, Any], given: Mapping[str, Array],
        now: Mapping[str, Array],
    ) -> None:  # fmt: skip
        task = part.task
        self.part, self.function, self.equation, self.lead = part, function, equation, task.lead
        self.times = np.ascontiguousarray(part.times[: part.steps + 1 : task.every])
        looked = np.linspace(self.times[0], self.times[-1], LOOKED + 1)
        self.all_times = self.times if len(self.times) > LOOKED else np.union1d(self.times, looked)
        self.asked = np.searchsorted(self.all_times, self.times)
        law = part.law if hasattr(part.law, "function") else None
        states = [begun(law, port, now, part.robot) for port in equation.states]
        self.y = self._rows(np.concatenate([np.broadcast_to(x, (*self.lead, x.shape[-1])) for x in states], axis=-1))
        self.u = [self._rows(given[port.name]) for port in equation.others]
        self.p = [
            [self._rows(_entry(values, port, i)[..., None])[:, 0] for i in range(len(port.names))]
            for port in equation.prepared
        ]
        lower, upper = part.plant.ends
        efforts = part.plant.efforts if law is not None else np.full(part.robot.dof, np.inf)
        self.bounds = np.concatenate([lower, -efforts]), np.concatenate([upper, efforts])

    def _rows(self, x: Array) -> Array:
        wide = np.broadcast_to(x, (*self.lead, x.shape[-1]))
        return np.ascontiguousarray(wide.reshape(-1, x.shape[-1]), dtype=float)

    def marched(self, accuracy: float, tell: Tell) -> Marched | Jumps:
        count, part = len(self.y), self.part

        def one(row: int) -> tuple[Solved, float]:
            return self._accurately(row, accuracy, lambda t: tell(f"{t:.3g} of {part.task.until:g} s"))

        if count == 1 or part.task.threads == 1:
            solved = [one(row) for row in range(count)]
        else:
            with ThreadPoolExecutor(part.task.threads or None) as pool:
                solved = list(pool.map(one, range(count)))
        met = next((x for x, _ in solved if x.how == MET), None)
        if met is not None:
            joint = part.robot.joint_names[met.who % part.robot.dof]
            return Jumps(
                Message(
                    (
                        "joint {joint!r} comes to its stop at {time:.4g} s"
                        if met.who < part.robot.dof
                        else "joint {joint!r} comes to its effort limit at {time:.4g} s"
                    ),
                    joint,
                    met.time,
                )
            )
        self._warn(max(error for _, error in solved), accuracy)
        return self._told([x for x, _ in solved])

    def _accurately(self, row: int, accuracy: float, stop: Callable[[float], None]) -> tuple[Solved, float]:
        """A solution, and how far its positions may be off."""
        kept = self.equation.kept([[x[row] for x in port] for port in self.p])
        u = np.concatenate([np.empty(0), *(x[row] for x in self.u)])
        tolerance, before, n = FIRST * accuracy, None, self.part.robot.dof
        while True:
            found = self.equation.solve(self.y[row], u, kept, self.all_times, self.bounds, tolerance, stop=stop)
            if found.how == STOPPED and not self.lead and len(found.rows) > self.asked[1]:
                return found, 0.0  # what there is
            if found.how == STOPPED:
                raise KeyboardInterrupt
            if found.how == MET:
                return found, 0.0
            if found.how != DONE:
                raise DivergenceError(self._lost(row, found))
            if before is not None:
                apart = float(np.abs(found.rows[:, :n] - before.rows[:, :n]).max())
                if apart <= AGREED * accuracy or tolerance <= TIGHTEST:
                    return found, apart / AGREED
            tolerance, before = max(tolerance * TIGHTER, TIGHTEST), found

    def _lost(self, row: int, found: Solved) -> str:
        where = (
            Message(" of row {unravel_index}", ", ".join(map(str, np.unravel_index(row, self.lead))))
            if self.lead
            else ""
        )
        return (
            Message(
                "{name}{where} cannot be followed beyond {time:.6g} s: it takes more than {evaluations:.0e} "
                "evaluations: ask for less accuracy, or take fixed steps",
                self.part.robot.name,
                where,
                found.time,
                found.evaluations,
            )
            if found.how == MORE
            else Message(
                "{name}{where} cannot be followed beyond {time:.6g} s: its states change ever faster",
                self.part.robot.name,
                where,
                found.time,
            )
        )

    def _warn(self, error: float, accuracy: float) -> None:
        if error > accuracy:
            caution(
                "positions may be off by {error:.1e}, more than {accuracy:g}: what differs in the last digit at "
                "the start differs by so much at the end",
                error,
                accuracy,
            )

    def _told(self, solved: list[Solved]) -> Marched:
        """Rows of the batch side by side, and what goes out of the function there; as far as it came."""
        reached = self.asked[self.asked < min(len(x.rows) for x in solved)]
        times = self.times[: len(reached)]
        y = np.stack([x.rows[reached] for x in solved])
        ends = np.cumsum([0, *(len(port.slots) for port in self.equation.states)])
        parts = {port.name: y[..., a:b] for port, a, b in zip(self.equation.states, ends, ends[1:])}
        code = compile_tape(tape_from_function(self.function))
        told = [self._outputs(code, times, row, {name: x[row] for name, x in parts.items()}) for row in range(len(y))]
        outputs = {name: np.stack([x[name] for x in told]) for name in told[0]}
        states, outputs = (
            {name: x.reshape(*self.lead, len(times), x.shape[-1]) for name, x in both.items()}
            for both in (parts, outputs)
        )
        return Marched(states, outputs, (len(times) - 1) * self.part.task.every)

    def _outputs(self, code: Any, times: Array, row: int, states: Mapping[str, Array]) -> dict[str, Array]:
        """What goes out besides the rates, at the times of one row."""
        others = zip(self.equation.others, self.u, strict=True)
        given = {port.name: np.broadcast_to(x[row], (len(times), x.shape[-1])) for port, x in others}
        names = [name for port in self.equation.prepared for name in port.names]
        p = dict(zip(names, (float(x[row]) for port in self.p for x in port), strict=True)) or None
        told = values_at(self.function, code, {**states, **given, TIME: times[:, None]}, p)
        return {"tau": given["tau"], **told} if "tau" in given else told


def _entry(values: Mapping[str, Any], port: Port, i: int) -> Array:
    """One number, or one for each row: of a parameter by its name, of a setting by its place."""
    found = np.asarray(values[port.names[i] if port.role == "parameter" else port.name], dtype=float)
    return found[..., i] if port.role == "setting" and found.ndim else found
