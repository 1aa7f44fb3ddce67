"""The ports of a tape as arguments, and its two sections: what parameters alone decide, and the rest.

`kept` are the slots the on-line half reads from the off-line half: they travel in the array k.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import ClassVar

from manipula.algebra.tape import Check, Port, Tape, offline_needed
from manipula.scalar import Next
from manipula.support.text import GREEK, without_accents

# Names and words that every language accepts: plain ASCII identifiers, unique, never a reserved word.

# what a reader would type for a sign the keyboard lacks; the rest falls to its plain letter or to a code
_SPELLED = {
    **GREEK,
    "·": "*", "×": "x", "−": "-", "–": "-", "—": "-", "≠": "!=", "≤": "<=", "≥": ">=", "≡": "==", "→": "->", "…": "...",
    "°": " deg", "²": "^2", "³": "^3", "⁻": "-", "√": "sqrt", "∂": "d", "Σ": "sum", "∈": "in", "’": "'", "“": '"',
    "”": '"', "\u0307": "d", "\u0308": "dd",
}  # fmt: skip


def ascii_text(text: str) -> str:
    """The same words in ASCII, on one line."""
    # before NFKD, which would take a letter such as ² apart in its own way
    whole = _spell_letters(" ".join(text.split()))
    parts = _spell_letters(unicodedata.normalize("NFKD", whole))  # again: the dot of a rate may stand alone only now
    return without_accents(parts).encode("ascii", "backslashreplace").decode("ascii")


def _spell_letters(text: str) -> str:
    return "".join(_SPELLED.get(letter, letter) for letter in text)


# how the macros of C's headers are called, on any system: M_PI, INT_MAX, FP_NAN; EINVAL; WNOHANG
_MACRO = re.compile(r"[A-Z][A-Z0-9]*_\w*[A-Z]\w*|[EW][A-Z0-9]{3,}")


def identifier(wish: str) -> str:
    """The wish as letters, digits and underscores, not starting with a digit or an underscore, and no macro of C's."""
    word = re.sub(r"\W+", "_", ascii_text(wish), flags=re.ASCII).strip("_")
    if not word:
        return "x"
    # a parameter called M_PI would be replaced by the preprocessor
    return f"x{word}" if not word[0].isalpha() or _MACRO.fullmatch(word) else word


class Namer:
    """Hands out identifiers, each once; the first to ask gets the plain one."""

    def __init__(self, reserved: Collection[str]) -> None:
        self.taken = set(reserved)

    def name(self, wish: str) -> str:
        base = identifier(wish)
        name, count = base, 1
        while name in self.taken:
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        return name

    def names(self, wishes: Iterable[str]) -> list[str]:
        return [self.name(wish) for wish in wishes]


class FoldedNamer(Namer):
    """Hands out names that differ in more than capitals and leave room for what is put behind them."""

    longest: ClassVar[int]  # letters of a name

    def __init__(self, reserved: Collection[str], room: int = 0) -> None:
        super().__init__({word.lower() for word in reserved})
        self.room = room

    def cut(self, name: str, count: int) -> str:
        return name[:count]

    def name(self, wish: str) -> str:
        letters = self.longest - self.room
        base = self.cut(identifier(wish), letters)
        name, count = base, 1
        while name.lower() in self.taken:
            count += 1
            # cut before the number, which must stay
            name = f"{self.cut(base, letters - len(str(count)) - 1)}_{count}"
        self.taken.add(name.lower())
        return name


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
    # parameters in their order, then results in the tape's: the same k on every run
    kept = tuple(sorted(own & read) + offline_needed(tape))
    taken = {*namer.taken, *map(identifier, avoided)}
    outputs = tuple(
        Argument(namer.name(f"{port.name}_out" if identifier(port.name) in taken else port.name), port)
        for port in tape.outputs
        if port.slots
    )
    # without anything prepared there is no `prepare` that could report a broken condition
    return Split(variables, parameters, outputs, kept, tape.checks if kept else ())


# What emitted code remembers: the states of a tape and what is prepared, in a struct that is the caller's.
#
# A tape with states is a function like any other, from states and variables to outputs and next states. Beside it stand
#
#     name_init    the states to start from, and the parameters once and for all
#     name_step    the function on what is remembered; the next states take their place
#
# and no language needs to know more than where a struct keeps its arrays.


@dataclass(frozen=True)
class Memory:
    """The struct `pointer` and how the function of the tape is called on it."""

    pointer: str
    states: tuple[tuple[Argument, Argument], ...]  # a state, and the output that is its next value
    variables: tuple[Argument, ...]  # what a step is given
    outputs: tuple[Argument, ...]  # what it gives besides

    def is_state(self, argument: Argument) -> bool:
        """Is this input a state, or this output its next value?"""
        return any(argument in pair for pair in self.states)


def memory_of(arguments: Split) -> Memory | None:
    """None where nothing is remembered from step to step."""
    inputs = {x.port.name: x for x in arguments.variables if x.port.role == "state"}
    following = {x.port.gives.state: x for x in arguments.outputs if isinstance(x.port.gives, Next)}
    # a tape of rates has states, but no next values: it does not step
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
