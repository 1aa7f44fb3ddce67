"""A control law of one's own: a function of Python as the text of a block.

    τ, states⁺ = law(arm, q, q̇, q_ref, …, states, settings)

`arm.inverse_dynamics(q, qd, a)` in the text is a call of the block, proved at that place against the plain model. The
function asks for its arguments by their names. A first run, on letters, finds which models it calls and what it gives;
a second run must give the same, so a law hides no state.

Derived here: the Euler step of a state that is given by its rate, x⁺ = x + h ẋ.
"""

from __future__ import annotations

from collections import Counter, namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from importlib import import_module
from inspect import Parameter, isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature
from keyword import iskeyword
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.control.law_arrays import entries_of, law_array, scalars
from manipula.mechanics.models.control.law_entries import (
    Counts,
    Entry,
    entry_names,
    matrix_values,
    setting_entry,
    sized_entry,
)
from manipula.mechanics.models.control.law_text import Located, refuse_effects
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import EFFORT, Q_REF, QD_REF, QDD_REF, PortKind, PortSizes
from manipula.messages import Message
from manipula.scalar import Entries, Maths, Next, Rate, Role, Scalar

Ports = tuple[Mapping[str, int], Mapping[str, tuple[int, ...]]]  # of a model: input → size, output → shape
MEASURED = {kind.name: kind for kind in (*variables("q", "qd"), Q_REF, QD_REF, QDD_REF)}
TORQUE = "tau"
_SIZES: Mapping[tuple[int | str, ...], Any] = {("n",): "dof", ("base",): "base", ("pairs",): "pairs"}


class ArmModels:
    """The models of the robot, as a law calls them: `arm.gravity(q)`, by place or by name."""

    def __init__(self, maths: Maths[Any], call: ModelCall, joints: Sequence[str]) -> None:
        self._maths, self._call = maths, call
        self.joint_names, self.dof, self.n = tuple(joints), len(joints), len(joints)

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name not in MODELS or MODELS[name].framed:
            raise UnknownNameError("model", name, [x for x in MODELS if not MODELS[x].framed])
        inputs = MODELS[name].inputs

        def model(*values: Any, **named: Any) -> Any:
            if len(values) > len(inputs):
                raise InputError(
                    "arm.{name} takes {inputs}, found {count} arguments", name, ", ".join(inputs), len(values)
                )
            given = {**dict(zip(inputs, values)), **named}
            flat = {port: self._flat(value) for port, value in given.items()}
            found = {port: x for port, x in self._call(name, **flat).items() if port != "columns"}
            arrays = {port: law_array(self._maths, x) for port, x in found.items()}
            return next(iter(arrays.values())) if len(arrays) == 1 else namedtuple(name, arrays)(**arrays)

        return model

    def _flat(self, value: Any) -> list[Any]:
        found = np.asarray(value, dtype=object)
        return scalars(self._maths, found.ravel(), (found.size,))


@dataclass(frozen=True, eq=False)
class UserLaw:
    """A law as its author wrote it: `mp.law` makes one, `mp.controller(robot, law, …)` takes it."""

    text: Callable[..., Any]
    states: Mapping[str, Entry]
    settings: Mapping[str, Entry]
    units: Mapping[str, str]
    inputs: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.text.__name__

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<law {self.name}({', '.join(['arm', *self.arguments])})>"

    def as_dict(self) -> dict[str, object]:
        """Plain data: its name, what it asks for, the shapes of its states and settings, and their values."""
        shapes = {name: [*entry.shape] for name, entry in self.entries.items()}
        values = {name: [*entry.default] for name, entry in self.settings.items() if entry.default is not None}
        return {"name": self.name, "arguments": self.arguments, "shapes": shapes, "defaults": values}

    def __reduce__(self) -> tuple[object, ...]:
        """By its name in its module, as functions are."""
        return _law_of_module, (self.text.__module__, self.text.__qualname__)

    @property
    def arguments(self) -> list[str]:
        """What it asks for beside the arm."""
        return list(signature(self.text).parameters)[1:]

    @property
    def entries(self) -> dict[str, Entry]:
        return {**self.inputs, **self.states, **self.settings}

    def counts(self, n: int, base: Callable[[], int]) -> Counts:
        """Of a robot; base parameters are counted only where a size asks for them."""
        asks = any(word in ("base", "pairs") for entry in self.entries.values() for word in entry.shape)
        return Counts(n, base() if asks else 0)

    @property
    def place(self) -> Message:
        return Message("{file}:{line}", self.text.__code__.co_filename, self.text.__code__.co_firstlineno)

    def refuse(self, problem: str) -> InputError:
        return InputError("{place}: {name}: {problem}", self.place, self.name, problem)

    def kinds(self, counts: Counts) -> tuple[PortKind, ...]:
        """Its inputs on a robot, as kinds of ports."""
        found = []
        for name in self.arguments:
            if name in MEASURED:
                found.append(MEASURED[name])
            elif name == SAMPLE.name:
                found.append(SAMPLE)
            else:
                role: Role = "state" if name in self.states else "setting" if name in self.settings else "variable"
                entry, word = self.entries[name], "input" if role == "variable" else role
                kind = PortKind(name, self.units.get(name, "SI"), f"{word} {name} of {self.name}", role=role)
                size = _SIZES.get(entry.shape) or entry_names(name, entry.size(counts))
                letter = f"{name}_" if size == "base" or (size == "dof" and name[-1].isdigit()) else ""
                found.append(replace(kind, size=size, letter=letter, unbounded=True, signed=True))
        return tuple(found)

    def values(self, counts: Counts, given: Mapping[str, Any]) -> dict[str, Any]:
        """Settings as ports take them, one row: of a square matrix a number is that times the unit matrix, a row its
        diagonal. Those not given have their defaults."""
        defaults = {name: entry.default for name, entry in self.settings.items() if entry.default is not None}
        found: dict[str, object] = {**defaults}
        for name, value in given.items():
            shape = self.settings[name].size(counts) if name in self.settings else ()
            if len(shape) == 2:
                value = matrix_values(Message("{name}: {setting}", self.name, name), value, shape)
            found[name] = value
        return {name: x[0] if isinstance(x, tuple) and len(x) == 1 else x for name, x in found.items()}

    def run(
        self, maths: Maths[Any], call: ModelCall, x: Given, joints: Sequence[str], counts: Counts
    ) -> tuple[Any, Any]:
        """What it gives, and what becomes of its states, as it says it; errors name the line of the text."""
        sizes = {name: entry.size(counts) for name, entry in self.entries.items()}
        sizes[SAMPLE.name] = ()
        arrays = [_shaped(maths, x[name], sizes.get(name, (counts.n,))) for name in self.arguments]
        with Located(self.name):
            found = self.text(ArmModels(maths, call, joints), *arrays)
            pair = isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Mapping)
            return found if pair else (found, {})


def _law_of_module(module: str, name: str) -> UserLaw:
    return reduce(getattr, name.split("."), import_module(module))  # type: ignore[return-value]


def refuse_unbound(law: object) -> None:
    """What drives an arm is the law of a robot, with its settings."""
    if isinstance(law, UserLaw):
        raise InputError("law: {law} is not yet the law of a robot: mp.controller(robot, {law}, …) makes it one", law)


@dataclass(frozen=True)
class RobotLaw:
    """A law of one's own on a robot: which models it calls, what it gives, and which states go by their rates."""

    law: UserLaw
    joints: tuple[str, ...]
    calls: tuple[str, ...]
    outputs: Mapping[str, tuple[int, ...]]
    rates: frozenset[str]
    counts: Counts

    def __str__(self) -> str:
        return self.law.name

    def block(self, *, sampled: bool) -> Block:
        """The law as any other, in steps or in continuous time."""
        law, counts = self.law, self.counts
        kinds = law.kinds(counts)
        asks = any(kind.name == SAMPLE.name for kind in kinds)
        if not sampled and (asks or set(law.states) - self.rates):
            raise law.refuse(Message("goes from sample to sample: give sample=, the time between its steps in seconds"))
        if sampled and self.rates and not asks:
            kinds = (*kinds, SAMPLE)
        results = {
            name: Result(EFFORT if name == TORQUE else law.units.get(name, "SI"), _about(name)) for name in self.outputs
        }
        units = {name: law.units.get(name, "SI") for name in law.states}
        for name in law.states:
            if sampled:
                results[f"{name}_next"] = Result(units[name], f"{name} after the step", Next(name))
            else:
                results[f"{name}_rate"] = Result(f"{units[name]}/s", f"rate of {name}", Rate(name))
        doc = next(iter((law.text.__doc__ or "").strip().splitlines()), f"the law {law.name}")

        def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
            given, after = law.run(maths, call, x, self.joints, counts)
            outs = given if isinstance(given, Mapping) else {TORQUE: given}
            found = {name: _nested(scalars(maths, outs[name], shape), shape) for name, shape in self.outputs.items()}
            for name, entry in law.states.items():
                rate = f"{name}_rate" in after
                moved = scalars(maths, after[f"{name}_rate" if rate else name], entry.size(counts))
                if rate and sampled:
                    # x⁺ = x + h ẋ
                    moved = [a + x[SAMPLE.name][0] * b for a, b in zip(x[name], moved, strict=True)]
                found[f"{name}_next" if sampled else f"{name}_rate"] = moved
            return found

        return Block(law.name, doc, kinds, results, text, self.calls)


def user_law(
    text: Callable[..., Any], states: Mapping[str, Any], settings: Mapping[str, Any], units: Mapping[str, str],
    inputs: Mapping[str, Any],
) -> UserLaw:  # fmt: skip
    """A law from its function, refused where it cannot be one before any robot is asked."""
    if not hasattr(text, "__code__"):
        raise InputError("mp.law: expected a function, found {text!r:.60}", text)
    made = UserLaw(text, {}, {}, dict(units))
    try:
        made = replace(
            made,
            states={name: sized_entry("states", name, x) for name, x in states.items()},
            settings={name: setting_entry(name, x) for name, x in settings.items()},
            inputs={name: sized_entry("inputs", name, x) for name, x in inputs.items()},
        )
    except InputError as problem:
        raise made.refuse(problem.message) from problem
    if not made.name.isidentifier() or not made.name.isascii() or iskeyword(made.name):
        raise made.refuse(Message("a law needs a name in plain letters: def my_law(arm, q, …)"))
    if isgeneratorfunction(text) or iscoroutinefunction(text) or isasyncgenfunction(text):
        raise made.refuse(Message("expected a plain function, without yield, async"))
    _refuse_names(made)
    refuse_effects(text)
    return made


def _refuse_names(law: UserLaw) -> None:
    parameters = list(signature(law.text).parameters.values())
    if not parameters:
        raise law.refuse(Message("its first argument is the arm: def {name}(arm, q, qd, …)", law.name))
    for x in parameters:
        if x.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) or x.default is not Parameter.empty:
            raise law.refuse(
                Message(
                    "argument {argument}: a law names each argument, without a value; settings= has those",
                    str(x),
                )
            )
    counted = Counter([*law.states, *law.settings, *law.inputs, *MEASURED, SAMPLE.name, "p"])
    doubled = [name for name, times in counted.items() if times > 1]
    if doubled:
        raise law.refuse(Message("{names}: a name for one thing only", ", ".join(sorted(doubled))))
    known = [*MEASURED, SAMPLE.name, *law.entries]
    for name in law.arguments:
        if name not in known:
            raise law.refuse(UnknownNameError("argument", name, known).message)
    unused = [name for name in law.entries if name not in law.arguments]
    if unused:
        raise law.refuse(Message("{names}: declared, but no argument of the function", ", ".join(unused)))


def bind_law(
    law: UserLaw, joints: Sequence[str], base: Callable[[], int], maths: Maths[Any], letter: Callable[[str], Any],
    ports: Callable[[str], Ports],
) -> RobotLaw:  # fmt: skip
    """The law on a robot: run twice on letters, so that its calls and results are known. `ports`: of a model."""
    n = len(joints)
    counts = law.counts(n, base)
    kinds, sizes = law.kinds(counts), PortSizes(n, lambda: counts.base)
    given = {kind.name: [letter(f"{kind.name}__{i}") for i in range(len(kind.entries(sizes)))] for kind in kinds}

    def once() -> tuple[tuple[str, ...], dict[str, Any], dict[str, Any]]:
        calls: list[str] = []

        def call(model: str, /, **named: Any) -> dict[str, Entries]:
            wanted, results = ports(model)
            found = {port: len(values) for port, values in named.items()}
            if found != wanted:
                raise InputError("arm.{model} takes {wanted}, found {found}", model, *map(_sizes_text, (wanted, found)))
            calls.append(model)
            return {
                output: _nested(
                    [letter(f"{model}__{len(calls)}_{output}_{i}") for i in range(int(np.prod(shape)))], shape
                )
                for output, shape in results.items()
            }

        outs, after = law.run(maths, call, given, joints, counts)
        outs = dict(outs) if isinstance(outs, Mapping) else {TORQUE: outs}
        with Located(law.name, law.refuse):
            _refuse_results(law, outs, after)
            flat = {name: _result(maths, name, x, (n,) if name == TORQUE else None) for name, x in outs.items()}
            for name, x in after.items():
                flat[f"{name}>"] = _result(maths, name, x, law.states[name.removesuffix("_rate")].size(counts))
        return tuple(calls), flat, {"rates": frozenset(x.removesuffix("_rate") for x in after if x not in law.states)}

    first, second = once(), once()
    if first[0] != second[0] or {k: v[0] for k, v in first[1].items()} != {k: v[0] for k, v in second[1].items()}:
        raise law.refuse(Message("gives another result when it is run again: a law remembers nothing but its states="))
    outputs = {name: shape for name, (_, shape) in first[1].items() if not name.endswith(">")}
    return RobotLaw(law, tuple(joints), tuple(dict.fromkeys(first[0])), outputs, first[2]["rates"], counts)


def _refuse_results(law: UserLaw, outs: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    known = [*law.states, *(f"{name}_rate" for name in law.states)]
    for name in after:
        if name not in known:
            raise UnknownNameError("state", name, known)
    for name in law.states:
        ways = [x for x in (name, f"{name}_rate") if x in after]
        if len(ways) != 1:
            raise InputError(
                "state {name}: the text returns its next value as {next!r} or its rate as {rate!r}, one of both",
                name, name, f"{name}_rate",
            )  # fmt: skip
    for name in outs:
        if not (isinstance(name, str) and name.isidentifier() and name.isascii()) or name in (
            *MEASURED,
            *law.arguments,
        ):
            raise InputError("output {name!r:.60}: expected a name of its own in plain letters", name)
    if not outs:
        raise InputError("the text returns nothing: return the torques, and with states a second value {{state: next}}")


def _result(
    maths: Maths[Scalar], name: str, value: object, wanted: tuple[int, ...] | None
) -> tuple[list[Any], tuple[int, ...]]:
    shape = np.shape(entries_of(value)) if wanted is None else wanted
    if value is None:
        raise InputError("{name}: found None; the text returns the torques, one a joint", name)
    try:
        return scalars(maths, value, shape), shape or (1,)
    except InputError as problem:
        raise InputError("{name}: {problem}", name, problem.message) from problem


def _sizes_text(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{port}[{size}]" for port, size in sizes.items())


def _shaped(maths: Maths[Any], values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    return law_array(maths, _nested(list(values), shape) if shape else values[0])


def _nested(flat: Sequence[Any], shape: tuple[int, ...]) -> Any:
    if len(shape) <= 1:
        return list(flat)
    width = len(flat) // shape[0]
    return [_nested(flat[i * width : (i + 1) * width], shape[1:]) for i in range(shape[0])]


def _about(name: str) -> str:
    return "joint torques" if name == TORQUE else f"{name} that the law gives"
