"""`System`: a model that goes step by step, such as a control law or the loop it closes, and `Law`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.run.repeated import Repeated
from manipula.algebra.run.stepping import Stepped
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, UnknownNameError
from manipula.generation.results.model import Model
from manipula.support.files import write_bytes
from manipula.support.progress import told_when_slow
from manipula.version import __version__

if TYPE_CHECKING:
    from manipula.algebra.emit.fmu import ParameterMeaning
    from manipula.algebra.run.gradients.adjoint import AdjointStep, BackMaker
    from manipula.algebra.run.gradients.torch_rollouts import TorchRollouts
    from manipula.algebra.run.units import UnitFiles
    from manipula.generation.prepare import Request
    from manipula.mechanics.models.control.user_law import RobotLaw


@dataclass(frozen=True, eq=True, repr=False)
class System(Model):
    """A model with settings, gains and the like, that goes step by step: a control law, or the loop it closes.

    `settings` are values of its inputs of that role. What it remembers is the caller's: `start` gives it, `step` takes
    it. The emitted code has the same two, as `name_init` and `name_step`.
    """

    settings: Mapping[str, tuple[float, ...]] = field(kw_only=True, default_factory=dict)
    sample: float | None = field(kw_only=True, default=None)  # seconds from step to step; None: continuous time
    initial: Mapping[str, tuple[float, ...]] = field(kw_only=True, default_factory=dict)  # states that begin elsewhere

    def start(self, **states: Any) -> Any:
        """The states to begin with, by name, a named tuple; what is not given is as in `initial`, or zero.

        Without states, nothing.
        """
        if not self.function.states and not states:
            return ()
        return self._code.start(**{**self.initial, **states})

    def step(self, state: Any, *variables: Any, p: Mapping[str, float] | None = None, out: Any = None) -> Stepped:
        """One step: the new state and what goes out. `p` are the robot's parameters, where it has symbols.

        `variables` are the other inputs in their order. Leading axes broadcast, `out` receives the new state.
        """
        given = {**self._set, **(p or {})} or None
        if not self.function.states:
            return Stepped((), self._code(*variables, p=given))
        return self._code.step(state, *variables, p=given, out=out)

    @overload
    def emit(
        self,
        language: Literal["fmu"],
        folder: str | Path = ".",
        *,
        start: Mapping[str, Any] | None = None,
        version: str = "",
        platforms: str | Sequence[str] | None = None,
    ) -> UnitFiles: ...

    @overload
    def emit(self, language: str = "c", folder: str | Path = ".", **options: Any) -> list[Path]: ...

    def emit(
        self,
        language: str = "c",
        folder: str | Path = ".",
        *,
        proof: bool = False,
        start: Mapping[str, Any] | None = None,
        version: str = "",
        platforms: str | Sequence[str] | None = None,
        **options: Any,
    ) -> list[Path]:
        """Write it as source code, or as a co-simulation unit of FMI ("fmu"); returns the paths written.

        For a unit: `start` has states to start from and values of the robot's parameters, by name. `version` of the
        standard is "3.0" or "2.0". `platforms` are those that it gets a binary for, such as "windows-x86_64", by
        default all that a compiler is found for; "here" is this machine, "none" writes the sources alone. The list
        returned has the names as its `platforms`. `options` are those of `Model.emit`.
        """
        if language.strip().lower() == "fmu":
            if any(value and name != "batch" for name, value in options.items()) or proof:
                raise InputError("{name}: a co-simulation unit has no options of the emitted code", self.name)
            return self._unit(Path(folder), dict(start or {}), version, platforms)
        if start:
            raise InputError(
                "{name}: start= is for a co-simulation unit; in {language} NAME_init takes the states",
                self.name,
                language,
            )
        if version or platforms is not None:
            raise InputError(
                "{name}: version= and platforms= are for a co-simulation unit, emit('fmu'), not for {language}",
                self.name,
                language,
            )
        return super().emit(language, folder, proof=proof, **options)

    @property
    def _settings(self) -> Mapping[str, tuple[float, ...]]:
        return {**self.settings, **self.initial}

    def _unit(
        self, folder: Path, start: dict[str, Any], version: str, platforms: str | Sequence[str] | None
    ) -> UnitFiles:
        from manipula.algebra.emit.fmu import VERSIONS, unit_files, unit_name
        from manipula.algebra.run.units import UnitFiles, archive

        fmi = VERSIONS[0] if version == "" else _fmi(version, VERSIONS)
        if self.sample is None:
            raise InputError(
                "{name}: a co-simulation unit goes in steps; make it with sample=, the time of one", self.name
            )
        names = self.inputs.get("p", ())
        missing = [name for name in names if name not in start]
        if missing:
            raise InputError(
                "{name}: parameters need a value to start with: start={{{missing!r}: …}}, or --set on the command line",
                self.name,
                missing[0],
            )
        parameters = tuple(_finite(self.name, name, start.pop(name)) for name in names)
        begun = self.start(**start) if start or self.initial else ()
        states = {name: tuple(map(float, x)) for name, x in begun._asdict().items()} if begun else {}
        starts = {**self.settings, **states, "p": parameters}
        name = unit_name(self.tape)
        files = unit_files(self.tape, __version__, starts, self.sample, self._meanings(), fmi)
        with told_when_slow(f"compiling {name}.fmu"):
            content, inside = archive(files, name, fmi, platforms)
        return UnitFiles([write_bytes(folder / f"{name}.fmu", content)], inside)

    def _meanings(self) -> dict[str, ParameterMeaning]:
        """What the robot's parameters are, by name."""
        from manipula.algebra.emit.fmu import ParameterMeaning

        return {
            name: ParameterMeaning(*words) for name, words in (self._request.meanings if self._request else {}).items()
        }

    def run(
        self,
        state: object,
        steps: int,
        *variables: object,
        p: Mapping[str, Any] | None = None,
        every: int = 1,
        threads: int = 1,
        along: Collection[str] | str = (),
        seed: int = 0,
        rollout: object = None,
        first: int = 0,
        device: str = "cpu",
    ) -> Repeated:
        """Many steps in one call, in machine code: the last state, and the records of every `every`-th step (0: none).

        The other inputs are held; those named in `along` are given for every step, of shape (…, steps, size). In `p`
        parameters, and settings other than the system's own, may have rows, too: `p=dict(mL=masses, kp=gains)` with
        shapes (…) and (…, size). A row has the bits it would have alone. Ctrl-C stops it and returns the rows so far.

        Noise is drawn from the `seed`, the number of the row (or `rollout`) and that of the step, counted from `first`.
        On the device "cuda" every row is a thread, and results are CuPy arrays there.
        """
        given = {**self._set, **self._by_entry(p or {})} or None
        more = {"every": every, "threads": threads, "along": along, "seed": seed, "rollout": rollout, "first": first}
        found: Repeated = self._on(device).run(state, steps, *variables, p=given, **more)
        return found

    def torch(self) -> TorchRollouts:
        """Many steps as a function of PyTorch tensors, called like `run`, with gradients through time: with respect to
        the first state, the inputs, and every setting and parameter that is a tensor. Needs PyTorch."""
        from manipula.algebra.run.gradients.torch_rollouts import TorchRollouts

        return TorchRollouts(self.name, self._rollouts_of, self._set, self.initial)

    def _rollouts_of(self, dtype: str) -> tuple[Compiled, Callable[[], Compiled], BackMaker]:
        """The steps in machine code, the same with nothing but states, and steps back."""
        from manipula.generation.reverse_product import GradientRequest, step_back, with_noise_kept

        def tracer() -> Compiled:
            return compile_tape(tape_from_function(with_noise_kept(self.function)), "auto", dtype)

        def back(*wanted: Any) -> tuple[AdjointStep, Compiled]:
            made = step_back(self.function, GradientRequest(*wanted))
            return made, compile_tape(tape_from_function(made.function), "auto", dtype)

        return self.compile(dtype=dtype), tracer, back

    def _on(self, device: str) -> Any:
        """The code on a device, made once."""
        if device not in self._driven_inputs:
            self._driven_inputs[device] = self._code.to(device)
        return self._driven_inputs[device]

    @cached_property
    def _driven_inputs(self) -> dict[str, Any]:
        return {}

    def _by_entry(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Whole settings, such as kp, as their entries kp1, kp2, …"""
        ports = {port.name: port.names for port in self.function.inputs if port.role == "setting"}
        found: dict[str, Any] = {}
        for name, value in given.items():
            found |= _entries(self.name, name, value, ports[name]) if name in ports else {name: value}
        return found

    def _summary_text(self) -> str:
        when = "continuous time" if self.sample is None else f"a step every {self.sample:g} s"
        return f"{when}; {super()._summary_text()}"

    def as_dict(self) -> dict[str, object]:
        settings = {name: list(values) for name, values in self.settings.items()}
        return super().as_dict() | {"settings": settings, "sample": self.sample}

    @cached_property
    def _code(self) -> Compiled:
        return self.compile()

    @cached_property
    def _set(self) -> dict[str, float]:
        """The settings by the names of their entries."""
        ports = (port for port in self.function.inputs if port.role == "setting")
        return {name: x for port in ports for name, x in zip(port.names, self.settings[port.name], strict=True)}


@dataclass(frozen=True, eq=True, repr=False)
class Law(System):
    """A control law of a robot: `controller` makes one, `closed_loop` lets it drive an arm."""

    law: str | RobotLaw = field(kw_only=True)
    options: Mapping[str, Any] = field(kw_only=True, default_factory=dict)  # which variant, "limited", "delay"

    @property
    def request(self) -> Request:
        """What was asked for: the robot it believes in, and its symbols."""
        assert self._request is not None
        return self._request


def _fmi(version: object, known: Sequence[str]) -> str:
    """The version of the standard; people also type 2 and 3.0.2."""
    text = str(version).strip()
    found = next((x for x in known if text in (x, x[0]) or text.startswith(f"{x}.")), None)
    if found is None:
        raise UnknownNameError("version of FMI", text, known)
    return found


def _finite(system: str, name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise InputError("{system}: start: {name}: expected a finite number, found {value!r:.60}", system, name, value)
    return float(value)


def _entries(system: str, port: str, value: object, names: Sequence[str]) -> dict[str, Any]:
    """One number for all entries, or the last axis one for each."""
    found = np.asarray(value)
    if found.ndim and found.shape[-1] != len(names):
        raise InputError(
            "{system}: {port}: expected a number or shape (..., {count}), found {shape}",
            system,
            port,
            len(names),
            found.shape,
        )
    return {name: found[..., i] if found.ndim else found for i, name in enumerate(names)}
