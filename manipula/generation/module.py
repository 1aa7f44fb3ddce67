"""The models of a module, made one after the other; what cannot be made is named with the reason.

What else belongs in a module (inverse kinematics, which is no single formula) is made by others and handed in as a
`PartMaker`: it may add functions, data and text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from time import monotonic
from typing import Any, NamedTuple

from manipula.algebra.emit.javascript.robot_module import Exported, Whole, whole_module, whole_types
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, ManipulaError
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Prepared, Request, model_named, prepare
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.default_values import Fact, Limits, parameter_facts
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.formats.variables import poses_of
from manipula.mechanics.robot.topology import with_frame
from manipula.messages import in_language
from manipula.support.progress import Tell, silent
from manipula.version import __version__

# A robot as plain data for pages: joints with units and limits, parameters in the order of p, poses by name.

FORMAT = 1


def robot_data(robot: RobotDescription, symbolic: Symbolic = "auto") -> dict[str, Any]:
    """What holds whatever the models; numbers are finite, what is not there is None."""
    facts = parameter_facts(robot, symbolic)
    return {
        "format": FORMAT,
        "name": robot.name,
        "dof": robot.dof,
        "joints": _joints(robot),
        "parameters": [_parameter(fact) for fact in facts.values()],
        "poses": {name: list(q) for name, q in poses_of(robot).items()},
    }


def _joints(robot: RobotDescription) -> list[dict[str, object]]:
    limits = Limits(robot)
    rows = {joint.name: joint for joint in robot.joints}
    own = zip(robot.joint_names, limits.lower, limits.upper, limits.velocity, limits.effort, strict=True)
    return [_joint(rows[name], low, high, rate, effort) for name, low, high, rate, effort in own]


def _joint(joint: Joint, low: float, high: float, rate: float, effort: float) -> dict[str, object]:
    ends = [_finite(low), _finite(high)]
    return {
        "name": joint.name,
        "kind": joint.kind,
        "unit": "rad" if joint.turns else "m",
        "limits": None if ends == [None, None] else ends,
        "velocity_limit": _finite(rate),
        "effort_limit": _finite(effort),
    }


def _finite(x: float) -> float | None:
    return float(x) if isfinite(x) else None


def _parameter(fact: Fact) -> dict[str, Any]:
    """`default` is what p has; a `stand_in` is nobody's value."""
    unknown = fact.value is None
    default = fact.stand_in if fact.value is None else fact.value
    told = {"name": fact.name, "value": fact.value, "unit": fact.unit, "about": fact.about}
    return told | {"stand_in": unknown, "default": default}


def model_data(function: Function) -> dict[str, object]:
    """What a model takes and gives besides p, how it was made, what it costs."""
    cost = function.cost
    return {
        "inputs": [_port(port, [len(port.symbols)]) for port in function.inputs if port.role == "variable"],
        "outputs": [_port(port, port.shape) for port in function.outputs],
        "parameters": [name for port in function.inputs if port.role == "parameter" for name in port.names],
        "method": function.provenance.formulation,
        "cost": {"mul": cost.mul, "add": cost.add, "trig": cost.trig, "total": cost.total},
    }


def _port(port: Input | Output, shape: Sequence[int]) -> dict[str, object]:
    return {"name": port.name, "size": list(shape), "unit": port.unit}


def with_models(
    data: Mapping[str, object], made: Mapping[str, Function], missing: Mapping[str, str]
) -> dict[str, object]:
    """The data with the models at hand, and why others are missing."""
    models = {name: model_data(function) for name, function in made.items()}
    return {**data, "models": models, "missing": [{"model": name, "why": why} for name, why in missing.items()]}


# quick ones first: where time is short, these are there
USUAL = (
    "pose", "frames", "axes", "jacobian", "inverse_kinematics", "gravity", "inertia_matrix", "energy", "manipulability",
    "centre_of_mass", "coriolis", "inverse_dynamics", "forward_dynamics",
)  # fmt: skip


@dataclass(frozen=True)
class ModuleRequest:
    """What is requested; `seconds` ends the making between two models, and names those that are left out."""

    robot: RobotDescription
    models: Sequence[str] = USUAL
    symbolic: Symbolic = "auto"
    optimise: str = "fast"
    seconds: float | None = None
    told: Callable[[str], str] = str  # translates what the data says to people


@dataclass(frozen=True)
class ModulePart:
    """What a maker adds: functions of the module's own, data beside the others, text behind them, its types."""

    functions: Sequence[Exported] = ()
    data: Mapping[str, object] = field(default_factory=dict)
    text: Sequence[str] = ()
    types: Sequence[str] = ()


class Maker:
    """Models of one robot, each made once."""

    def __init__(self, asked: ModuleRequest, tell: Tell = silent) -> None:
        self.asked, self.tell = asked, tell
        self.robot = _with_tool(asked.robot)
        self.made: dict[str, Function] = {}
        self.missing: dict[str, str] = {}
        self._first = prepare(Request(self.robot, "frames", symbolic=asked.symbolic, optimise=asked.optimise))
        self._end = None if asked.seconds is None else monotonic() + asked.seconds

    def function(self, name: str) -> Function | None:
        """The model, or None and the reason among the missing."""
        if name not in self.made and name not in self.missing:
            try:
                self.made[name] = self._generate_function(name)
            except ManipulaError as error:
                self.missing[name] = str(error)
        return self.made.get(name)

    def _generate_function(self, name: str) -> Function:
        if self._end is not None and monotonic() > self._end:
            raise InputError("left out: the others took {seconds:g} s already", self.asked.seconds)
        return generate_function(self.prepare_model(name), self.tell)

    def prepare_model(self, name: str) -> Prepared:
        """The question for a model; the robot's structure is looked at once."""
        return self._first.with_request(model=name)


PartMaker = Callable[[Maker], ModulePart]


def _with_tool(robot: RobotDescription) -> RobotDescription:
    """With the frame meant, where there is one; else models about a tool say that one must be named."""
    try:
        return with_frame(robot)
    except ManipulaError:
        return robot


class ModuleTexts(NamedTuple):
    """The module and TypeScript's declarations of it."""

    module: str
    types: str


def module_texts(asked: ModuleRequest, makers: Mapping[str, PartMaker], tell: Tell = silent) -> ModuleTexts:
    """The module; `makers` are those of models that are no single formula, by name."""
    maker = Maker(asked, tell)
    data = robot_data(asked.robot, asked.symbolic)
    parts: list[ModulePart] = []
    for name in asked.models:
        if name in makers:
            parts.append(makers[name](maker))
        else:
            maker.function(name)
    shown = {name: maker.made[name] for name in asked.models if name in maker.made}
    plain = {name: made for name, made in maker.made.items() if name not in makers}
    own = [Exported(name, tape_from_function(made), MODELS[name].doc) for name, made in plain.items()]
    own += [x for part in parts for x in part.functions]
    told = with_models(data, shown, maker.missing)
    for part in parts:
        told |= part.data
    names = [x["name"] for x in data["parameters"]]
    text, types = [x for part in parts for x in part.text], [x for part in parts for x in part.types]
    said = in_language(told, asked.told)
    whole = Whole(f"{asked.robot.name}: the robot and its models", said, names, own, text, types)
    return ModuleTexts(whole_module(whole, __version__), whole_types(whole))


def checked_models(models: Sequence[str] | None) -> tuple[str, ...]:
    """The names requested, each once and in the order in which they are made."""
    if models is None:
        return USUAL
    if isinstance(models, str):
        raise InputError("models: expected a list of names, found {models!r}; write [{models!r}]", models)
    names = [model_named(name).name for name in dict.fromkeys(models)]
    first = [name for name in USUAL if name in names]
    return (*first, *(name for name in names if name not in first))
