"""Names people recognise (w3_x, F5_z) for a function's intermediate values: only where they are true.

The plain recursion runs over the prime field on the robot as its file has it: fixed joints merged, no frame moved, no
mass regrouped. A node that has exactly the value of ω₃ₓ there is called so, however the function came to compute it;
one that is its negative, a multiple of it, or the same letter in another frame has another value, and gets no name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from manipula.algebra.expr.field import FieldElement, FieldMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import topological
from manipula.algebra.expr.node import TABLE_SEED
from manipula.generation.prepare import Prepared
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.ports import POSITION
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import road_coordinates

RECURSION = MODELS["newton_euler"]  # every intermediate, link by link, in the link's own frame
RATES = RECURSION.inputs
LETTERS = [name for name in RECURSION.outputs if name != "tau"]


def label_function(function: Function, asked: Prepared) -> Function:
    """The function with the names of its intermediates."""
    named = names_by_value(asked)
    nodes = (node for node in topological(function.roots) if node.args and node.op != "neg")
    return replace(function, labels={node: named[node.value] for node in nodes if node.value in named})


def names_by_value(asked: Prepared) -> dict[int, str]:
    """Value in the table of expressions → name; the first of two names for one value. Nothing for other models."""
    ports = asked.inputs
    # where joints follow others, or loops close, links have other numbers or rates than the inputs
    coupled = asked.robot.coordinates.followers or asked.robot.loops
    if coupled or not ports.keys() >= set(RATES):
        return {}
    maths = FieldMaths(TABLE_SEED)  # the draw by which expressions are known
    chain = asked.structure.over(maths, asked.structure.symbols(maths.symbol))
    given = {port: [maths.symbol(name) for name in names] for port, names in ports.items()}
    found: Mapping[str, Any] = RECURSION.methods["newton-euler"](chain, given)
    names: dict[int, str] = {}
    for letter in LETTERS:
        for number, vector in enumerate(found[letter], 1):
            for axis, entry in zip("xyz", vector, strict=True):
                if isinstance(entry, FieldElement):
                    names.setdefault(entry.value, f"{letter}{number}_{axis}")
    return names


def without_doubles(labels: dict[Any, str]) -> dict[Any, str]:
    """Without the names that two values claim, each of them true in its own model."""
    texts = list(labels.values())
    return {node: text for node, text in labels.items() if texts.count(text) == 1}


# Units by the kind of joint: what the catalogue calls "rad or m" is rad on an arm that turns and m on one that slides.
#
# A port with an entry a joint, and a unit for either kind, gets the unit its joints have; where both kinds are there it
# says which have which. Inertia is kg·m² between joints that turn, and loses a metre with each that slides.

Port = TypeVar("Port", Input, Output)
EITHER = " or "
OF_SLIDES = {"kg·m²": "kg", "1/(kg·m²)": "1/kg", "kg·m²/s": "kg/s"}  # unit between joints that turn → that slide


def is_position(port: Input, robot: RobotDescription) -> bool:
    """Whether it has a position of every joint: the catalogue's unit, or that of this robot's joints."""
    return port.unit in (POSITION, _unit(POSITION, robot.coordinates.turns))


def with_joint_units(function: Function, robot: RobotDescription) -> Function:
    """The same function, its ports with the units of this robot's joints."""
    turns = robot.coordinates.turns
    every = [turns, [turns[c] for c in road_coordinates(robot).effective], [turns[c] for c in robot.motor_coordinates]]

    def port_with_units(port: Port, shape: Sequence[int]) -> Port:
        if port.unit in OF_SLIDES and shape and shape[0] == len(every[0]):
            return replace(port, unit=_inertia(port.unit, every[0], len(set(shape)) == 1))
        own = [turns for turns in every if shape and shape[-1] == len(turns)]
        fits = port.unit.count(EITHER) == 1 and (len(shape) == 1 or port.unit == POSITION)
        return replace(port, unit=_unit(port.unit, own[0])) if own and fits else port

    inputs = tuple(port_with_units(port, (len(port.symbols),)) for port in function.inputs)
    outputs = tuple(port_with_units(port, port.shape) for port in function.outputs)
    return replace(function, inputs=inputs, outputs=outputs)


def _inertia(unit: str, turning: Sequence[bool], square: bool) -> str:
    """kg·m²; kg; kg·m², one m less for each joint that slides"""
    if all(turning):
        return unit
    if square and not any(turning):
        return OF_SLIDES[unit]
    return f"{unit}, one m {'more' if unit.startswith('1/') else 'less'} for each joint that slides"


def _unit(either: str, turning: Sequence[bool]) -> str:
    """rad; m; rad, joint 3: m"""
    words = dict(zip((True, False), either.split(EITHER), strict=True))
    most = 2 * sum(turning) >= len(turning)
    others = [str(joint) for joint, turns in enumerate(turning, 1) if turns != most]
    if not others:
        return words[most]
    return f"{words[most]}, joint{'s' if others[1:] else ''} {' and '.join(others)}: {words[not most]}"
