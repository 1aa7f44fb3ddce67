"""Blocks: formulas with ports of their own around the models of a robot: a control law, the arm in motion, a loop.

The text of a block is a function (maths, call, given) → {output: nested sequences of scalars}, written over any scalar
like every model. `call("inverse_dynamics", q=…, qd=…, qdd=…)` asks for a model of the robot and gives its outputs by
name: numbers where the text runs on numbers, expressions where a function is built, and in a proof the place where the
function is held against the plain model. States and what becomes of them are ports: a text remembers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, Protocol

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PORTS, PortKind
from manipula.mechanics.robot.coordinates import Coordinates
from manipula.messages import Message
from manipula.scalar import Maths, Next, Rate


class ModelCall(Protocol):
    """A model of the robot by its name, on these inputs; of a regressor the names of its columns come with the outputs,
    as "columns", and base parameters may be given by these names, those not named being nothing."""

    def __call__(self, model: str, /, **inputs: Any) -> Mapping[str, Any]: ...


Text = Callable[[Maths[Any], ModelCall, Given], dict[str, Any]]


@dataclass(frozen=True)
class Result:
    """An output: its unit, its meaning, and the state whose rate or next value it is."""

    unit: str
    doc: str
    gives: Rate | Next | None = None


@dataclass(frozen=True)
class Block:
    """One formula. `calls`: the models of the robot that its text asks for. `coordinates`: those of the robot whose
    positions are its state q."""

    name: str
    doc: str
    inputs: tuple[PortKind, ...]
    outputs: Mapping[str, Result]
    text: Text
    calls: tuple[str, ...] = ()
    coordinates: Coordinates | None = None

    @property
    def states(self) -> tuple[str, ...]:
        return tuple(port.name for port in self.inputs if port.role == "state")

    @property
    def rates(self) -> dict[str, str]:
        """State → the output that is its rate."""
        return {x.gives.state: name for name, x in self.outputs.items() if isinstance(x.gives, Rate)}


def about(who: str, block: Block) -> Block:
    """The same text around the models of somebody else's robot: what it calls is named "who:model"."""

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        return block.text(maths, lambda model, /, **given: call(f"{who}:{model}", **given), x)

    return replace(block, text=text, calls=tuple(f"{who}:{model}" for model in block.calls))


def variables(*names: str) -> tuple[PortKind, ...]:
    """Kinds of the table of ports."""
    return tuple(PORTS[name] for name in names)


def states(*names: str) -> tuple[PortKind, ...]:
    """The same, remembered."""
    return tuple(replace(PORTS[name], role="state") for name in names)


# Blocks joined into one: outputs wired to inputs, the rest of the inputs shared by name.

Place = tuple[str, str]  # block, port


def wire_blocks(name: str, doc: str, blocks: Mapping[str, Block], wires: Mapping[str, str]) -> Block:
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
                found[port.name] = _merge_ports(found.get(port.name, port), port)
    return tuple(found.values())


def _merge_ports(first: PortKind, second: PortKind) -> PortKind:
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
