"""`Trajectory`: a reference of time. Called, it gives positions, velocities and accelerations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, wraps
from math import inf
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.expr.function import Function
from manipula.errors import InputError
from manipula.generation.compose import generate_formula, no_model
from manipula.generation.results.system import System
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.mechanics.models.entry import Block
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import refuse_moving
from manipula.messages import Message
from manipula.support.files import write_text
from manipula.support.text import plain_dict

# What a person gives for a reference, checked at the door: points, times, limits.

Floats = NDArray[np.float64]


def positive(value: object, what: str, unit: str) -> float:
    """One number above zero."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < inf:
        raise InputError("{what}: expected a number of {unit} above 0, found {value!r:.60}", what, unit, value)
    return float(value)


def real(value: Any) -> Floats | None:
    """An array of its own, if these are real numbers."""
    try:
        return None if value is None or np.iscomplexobj(value) else np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def numbers(value: object, what: str, dimensions: int, wanted: str) -> Floats:
    """An array of finite numbers of so many axes, none of them empty."""
    found = real(value)
    if found is None:
        raise InputError("{what}: expected {wanted}, found {value!r:.60}", what, wanted, value)
    if found.ndim != dimensions or 0 in found.shape:
        raise InputError("{what}: expected {wanted}, found an array of shape {shape}", what, wanted, found.shape)
    if not np.isfinite(found).all():
        place = ", ".join(str(i + 1) for i in np.argwhere(~np.isfinite(found))[0])
        raise InputError(
            "{what}: entry {place} is {found}; expected {wanted}", what, place, found[~np.isfinite(found)][0], wanted
        )
    return found


def configuration(value: object, what: str) -> Floats:
    """One position a joint; a plain number is an arm of one joint."""
    return numbers([value] if isinstance(value, Real) else value, what, 1, Message("a position for each joint"))


def both(q0: object, q1: object, what: str) -> tuple[Floats, Floats]:
    """Two configurations of one arm."""
    start, goal = configuration(q0, f"{what}: q0"), configuration(q1, f"{what}: q1")
    if len(start) != len(goal):
        raise InputError("{what}: q0 is of {count} joints and q1 of {count2}", what, len(start), len(goal))
    return start, goal


def limits(value: object, dof: int, what: str) -> Floats:
    """A limit above zero for each joint, from one number for all or one each; infinity is no limit."""
    found = real(value)
    if found is None:
        raise InputError("{what}: expected a number or {dof}, one a joint, found {value!r:.60}", what, dof, value)
    if found.shape not in ((), (dof,)):
        raise InputError(
            "{what}: expected a number or {dof}, one a joint, found an array of shape {shape}", what, dof, found.shape
        )
    if not (found > 0).all():
        raise InputError("{what}: a limit is above 0, found {found:g}", what, found[~(found > 0)][0])
    return np.array(np.broadcast_to(found, (dof,)))


def settings(**given: ArrayLike) -> dict[str, tuple[float, ...]]:
    """The settings of a reference: ref_start=… of start=…"""
    return {f"ref_{name}": tuple(np.atleast_1d(value).astype(float).tolist()) for name, value in given.items()}


Curve = Callable[[Floats], Motion]  # times of any shape → arrays (…, dof)
UNITS = {"t": "s", "q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s² or m/s²"}
ROWS = 1000  # of a saved reference, when no step is given


class Made(NamedTuple):
    """The call of a function that makes trajectories."""

    kind: type
    function: Callable[..., object]
    arguments: tuple[object, ...]
    named: Mapping[str, object]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A reference: `ref(t)` is (q, qd, qdd), arrays (…, dof) for any shape of t.

    Before 0 and after its `duration` it rests at its ends, unless it is periodic. `block` is its formula, with the
    `settings` that belong to it, which loops are made with; None where there is no formula, as of a thousand pieces.
    """

    name: str
    dof: int
    duration: float
    block: Block | None = field(repr=False)
    settings: Mapping[str, tuple[float, ...]] = field(repr=False)
    curve: Curve = field(repr=False)
    made: Made | None = field(default=None, repr=False, kw_only=True)  # by whom, so that it can be made again

    def as_dict(self) -> dict[str, object]:
        """What it is, as plain data; `save` writes the motion."""
        told = {"name": self.name, "dof": self.dof, "duration": self.duration, "settings": dict(self.settings)}
        return plain_dict(told)

    def __reduce__(self) -> str | tuple[object, ...]:
        """Pickled as the call that made it: a formula is text, which other processes have.

        A kind of trajectory that was built on another one adds its own fields.
        """
        if self.made is None:
            return super().__reduce__()
        shared = {x.name for x in fields(Trajectory)}
        own = {x.name: getattr(self, x.name) for x in fields(self) if x.name not in shared}
        return _again, (type(self), self.made, {} if self.made.kind is type(self) else own)

    def __call__(self, t: ArrayLike) -> Motion:
        """(q, qd, qdd) at these times."""
        times = real(t)
        if times is None:
            raise InputError("{name}: expected times in seconds, found {t!r:.60}", self.name, t)
        return self.curve(times)

    @cached_property
    def function(self) -> Function:
        """The formula, proved; its inputs are the time and the settings."""
        if self.block is None:
            raise InputError("{name}: is no formula, so it has no model; ref.save(…) writes it as a table", self.name)
        return generate_formula(self.block, self.dof)

    @cached_property
    def model(self) -> System:
        """The reference as a proved `System`: it prints, compiles, and is emitted as code like any model."""
        return System(self.function, settings=dict(self.settings))

    def save(self, path: str | Path, step: float | None = None) -> Path:
        """Write a table, a row every `step` seconds: t, q1 …, qd1 …, qdd1 … `table(path)` reads it back."""
        pieces = ROWS if step is None else max(1, round(self.duration / positive(step, f"{self.name}: step", "s")))
        times = np.linspace(0.0, self.duration, pieces + 1) if self.duration > 0 else np.zeros(1)
        names = [f"{port}{i + 1} [{UNITS[port]}]" for port in Motion._fields for i in range(self.dof)]
        rows = np.hstack([times[:, None], *self(times)])
        lines = [",".join([f"t [{UNITS['t']}]", *names]), *(",".join(map(repr, row)) for row in rows.tolist())]
        return write_text(Path(path), "\n".join(lines) + "\n")


P = ParamSpec("P")
T = TypeVar("T", bound=Trajectory)


def remember_call(function: Callable[P, T]) -> Callable[P, T]:
    """What the function makes knows how: so it can go to another process."""

    @wraps(function)
    def make(*given: P.args, **named: P.kwargs) -> T:
        found = function(*given, **named)
        if found.made is not None:  # handed on: of a file, what stood in it
            return found
        kept = tuple(_copy_argument(x) for x in given), {name: _copy_argument(x) for name, x in named.items()}
        return replace(found, made=Made(type(found), make, *kept))

    return make


def _copy_argument(given: object) -> object:
    """Lists and arrays may be another's tomorrow."""
    return deepcopy(given) if isinstance(given, list | np.ndarray) else given


def _again(kind: type, made: Made, own: Mapping[str, object]) -> object:
    found = made.function(*made.arguments, **made.named)
    return kind(**{x.name: getattr(found, x.name) for x in fields(Trajectory)}, **own) if own else found


def formula(block: Block, dof: int, duration: float, settings: Mapping[str, tuple[float, ...]]) -> Trajectory:
    """A trajectory whose text is run on arrays of times, and on expressions where it becomes a function."""

    def curve(t: Floats) -> Motion:
        with np.errstate(all="ignore"):  # of an infinite time, or of numbers too large, NaN is a result
            found = block.text(ARRAYS, no_model, {"t": [t], **settings})
        return Motion(*(_stack_entries(found[name], t) for name in block.outputs))

    return Trajectory(block.name, dof, duration, block, settings, curve)


def _stack_entries(entries: Iterable[ArrayLike], t: Floats) -> Floats:
    return np.stack([np.broadcast_to(np.asarray(x, dtype=np.float64), t.shape) for x in entries], axis=-1)


# The arm that a reference is made for: given as such, or as a robot or its name.


def arm_of(value: Any, what: str) -> NumericArm:
    """The arm itself, or that of a robot, a library name, or an object with a `robot`."""
    if isinstance(value, NumericArm):
        refuse_moving(value.robot, what)
        return value
    if not isinstance(value, str | Path | RobotDescription) and not isinstance(
        getattr(value, "robot", None), RobotDescription
    ):
        raise InputError("{what}: expected an arm, mp.Arm(…), a robot or its name, found {value!r:.60}", what, value)
    arm = NumericArm(value)
    refuse_moving(arm.robot, what)
    return arm
