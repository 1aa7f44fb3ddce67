"""What emitted code remembers: the states of a tape and what is prepared, in a struct that is the caller's.

A tape with states is a function like any other, from states and variables to outputs and next states. Beside it stand

    name_init    the states to start from, and the parameters once and for all
    name_step    the function on what is remembered; the next states take their place

and no language needs to know more than where a struct keeps its arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.split import Argument, Split
from manipula.scalar import Next


@dataclass(frozen=True)
class Memory:
    """The struct `pointer` and how the function of the tape is called on it."""

    pointer: str
    states: tuple[tuple[Argument, Argument], ...]  # a state, and the output that is its next value
    variables: tuple[Argument, ...]  # what a step is given
    outputs: tuple[Argument, ...]  # what it gives besides

    def remembered(self, argument: Argument) -> bool:
        """Is this input a state, or this output its next value?"""
        return any(argument in pair for pair in self.states)


def memory_of(arguments: Split) -> Memory | None:
    """None where nothing is remembered from step to step."""
    inputs = {x.port.name: x for x in arguments.variables if x.port.role == "state"}
    following = {x.port.gives.state: x for x in arguments.outputs if isinstance(x.port.gives, Next)}
    if not inputs or inputs.keys() != following.keys():
        return None
    states = tuple((inputs[name], following[name]) for name in inputs)
    known = {x for pair in states for x in pair}
    return Memory(
        Namer({*arguments.names, "k"}).name("state"),
        states,
        tuple(x for x in arguments.variables if x not in known),
        tuple(x for x in arguments.outputs if x not in known),
    )
