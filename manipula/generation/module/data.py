"""A robot as plain data for pages: joints with units and limits, parameters in the order of p, poses by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from manipula.algebra.expr.function import Function, Input, Output
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.formats.poses import poses_of
from manipula.mechanics.robot.limits import Limits
from manipula.mechanics.robot.stand_ins import Fact, parameter_facts

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


def _joints(robot: RobotDescription) -> list[dict[str, Any]]:
    limits = Limits(robot)
    rows = {joint.name: joint for joint in robot.joints}
    own = zip(robot.joint_names, limits.lower, limits.upper, limits.velocity, limits.effort, strict=True)
    return [_joint(rows[name], low, high, rate, effort) for name, low, high, rate, effort in own]


def _joint(joint: Joint, low: float, high: float, rate: float, effort: float) -> dict[str, Any]:
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


def model_data(function: Function) -> dict[str, Any]:
    """What a model takes and gives besides p, how it was made, what it costs."""
    cost = function.cost
    return {
        "inputs": [_port(port, [len(port.symbols)]) for port in function.inputs if port.role == "variable"],
        "outputs": [_port(port, port.shape) for port in function.outputs],
        "parameters": [name for port in function.inputs if port.role == "parameter" for name in port.names],
        "method": function.provenance.formulation,
        "cost": {"mul": cost.mul, "add": cost.add, "trig": cost.trig, "total": cost.total},
    }


def _port(port: Input | Output, shape: Sequence[int]) -> dict[str, Any]:
    return {"name": port.name, "size": list(shape), "unit": port.unit}


def with_models(data: Mapping[str, Any], made: Mapping[str, Function], missing: Mapping[str, str]) -> dict[str, Any]:
    """The data with what there is of models, and why others are not there."""
    models = {name: model_data(function) for name, function in made.items()}
    return {**data, "models": models, "missing": [{"model": name, "why": why} for name, why in missing.items()]}
