"""Blocks: formulas with ports of their own around the models of a robot: a control law, the arm in motion, a loop.

The text of a block is a function (maths, call, given) → {output: nested sequences of scalars}, written over any scalar
like every model. `call("inverse_dynamics", q=…, qd=…, qdd=…)` asks for a model of the robot and gives its outputs by
name: numbers where the text runs on numbers, expressions where a function is built, and in a proof the place where the
function is held against the plain model. States and what becomes of them are ports: a text remembers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PORTS, PortKind
from manipula.mechanics.robot.coordinates import Coordinates
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
