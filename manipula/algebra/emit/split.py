"""The ports of a tape as arguments, and its two sections: what parameters alone decide, and the rest.

`kept` are the slots the on-line half reads from the off-line half: they travel in the array k.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from manipula.algebra.emit.names import Namer, identifier
from manipula.algebra.tape import Check, Port, Tape, offline_needed


@dataclass(frozen=True)
class Argument:
    """A port under the name it has in the emitted text."""

    name: str
    port: Port

    def entry(self, position: int) -> tuple[int, ...]:
        """The indices of a flat, row-major position."""
        indices: list[int] = []
        for size in reversed(self.port.shape):
            position, rest = divmod(position, size)
            indices.insert(0, rest)
        return tuple(indices)


@dataclass(frozen=True)
class Split:
    """Arguments of a tape. Ports without entries are left out: no language has a use for them."""

    variables: tuple[Argument, ...]
    parameters: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    kept: tuple[int, ...]
    checks: tuple[Check, ...]

    @property
    def names(self) -> list[str]:
        return [argument.name for argument in (*self.variables, *self.parameters, *self.outputs)]

    def indices(self, name: str) -> list[tuple[str, int]]:
        """An enumeration constant for every parameter: name_p_d4 = 3"""
        return [
            (f"{name}_{x.name}_{entry}", i)
            for x in self.parameters
            for i, entry in enumerate(Namer(()).names(x.port.names))
        ]


def split(tape: Tape, namer: Namer, avoided: Collection[str] = ()) -> Split:
    """Name the arguments and find what travels from one half to the other; no output is called like one `avoided`."""

    def arguments(ports: list[Port]) -> tuple[Argument, ...]:
        return tuple(Argument(namer.name(port.name), port) for port in ports if port.slots)

    variables = arguments([port for port in tape.inputs if port.online])
    parameters = arguments([port for port in tape.inputs if not port.online])
    own = {slot for argument in parameters for slot in argument.port.slots}
    read = {arg for line in tape.online for arg in line.args} | {s for port in tape.outputs for s in port.slots}
    kept = tuple(sorted(own & read) + offline_needed(tape))
    taken = {*namer.taken, *map(identifier, avoided)}
    outputs = tuple(
        Argument(namer.name(f"{port.name}_out" if identifier(port.name) in taken else port.name), port)
        for port in tape.outputs
        if port.slots
    )
    return Split(variables, parameters, outputs, kept, tape.checks if kept else ())
