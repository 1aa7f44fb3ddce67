"""Blocks joined into one: outputs wired to inputs, the rest of the inputs shared by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PortKind
from manipula.messages import Message
from manipula.scalar import Maths

Place = tuple[str, str]  # block, port


def wired(name: str, doc: str, blocks: Mapping[str, Block], wires: Mapping[str, str]) -> Block:
    """One block of several. `wires`: {"plant.tau": "law.tau"}, an input to the output it takes its values from.

    Inputs that no wire reaches are inputs of the whole, one for all blocks that have one of that name; a state of one
    block may so be a variable of another. Every output is an output of the whole.
    """
    sources = {_input(blocks, to): _output(blocks, source) for to, source in wires.items()}
    order = _order(blocks, sources)

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        found: dict[Place, Any] = {}
        for label in order:
            given = {
                port.name: found[sources[label, port.name]] if (label, port.name) in sources else x[port.name]
                for port in blocks[label].inputs
            }
            found.update({(label, key): value for key, value in blocks[label].text(maths, call, given).items()})
        return {key: value for label in blocks for (owner, key), value in found.items() if owner == label}

    calls = tuple(dict.fromkeys(model for block in blocks.values() for model in block.calls))
    coordinates = next((x.coordinates for x in blocks.values() if x.coordinates is not None), None)
    return Block(name, doc, _inputs(blocks, sources), _outputs(blocks), text, calls, coordinates)


def _inputs(blocks: Mapping[str, Block], sources: Mapping[Place, Place]) -> tuple[PortKind, ...]:
    found: dict[str, PortKind] = {}
    for label, block in blocks.items():
        for port in block.inputs:
            if (label, port.name) not in sources:
                found[port.name] = _agreed(found.get(port.name, port), port)
    return tuple(found.values())


def _agreed(first: PortKind, second: PortKind) -> PortKind:
    """One port for both: a state, if either is one; settings and parameters are nothing else as well."""
    roles = {first.role, second.role}
    if (first.size, first.letter) != (second.size, second.letter) or not (len(roles) == 1 or roles <= _LIVE):
        raise InputError(
            "{name}: {size} {role} and {size2} {role2} cannot be one input",
            first.name,
            first.size,
            first.role,
            second.size,
            second.role,
        )
    return replace(first, role="state") if roles == _LIVE else first


_LIVE = {"variable", "state"}


def _outputs(blocks: Mapping[str, Block]) -> dict[str, Result]:
    found: dict[str, Result] = {}
    for label, block in blocks.items():
        for name, result in block.outputs.items():
            if name in found:
                raise InputError("{label}.{name}: another block has an output of that name; rename one", label, name)
            found[name] = result
    return found


def _input(blocks: Mapping[str, Block], place: str) -> Place:
    return _end(blocks, place, "input", {label: [x.name for x in block.inputs] for label, block in blocks.items()})


def _output(blocks: Mapping[str, Block], place: str) -> Place:
    return _end(blocks, place, "output", {label: list(block.outputs) for label, block in blocks.items()})


def _end(blocks: Mapping[str, Block], place: str, kind: str, known: Mapping[str, list[str]]) -> Place:
    """An end of a wire: "law.tau" """
    label, _, port = place.partition(".")
    if port not in known.get(label, ()):
        raise UnknownNameError(
            Message("{kind} to wire", kind), place, [f"{x}.{y}" for x, names in known.items() for y in names]
        )
    return label, port


def _order(blocks: Mapping[str, Block], sources: Mapping[Place, Place]) -> list[str]:
    """Blocks after those they take values from, else as given."""
    before: dict[str, set[str]] = {label: set() for label in blocks}
    for (label, _), (source, _) in sources.items():
        before[label].add(source)
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError as error:
        raise InputError(
            "the wires go in a circle: {args}; a state must stand between", " ← ".join(error.args[1])
        ) from None
