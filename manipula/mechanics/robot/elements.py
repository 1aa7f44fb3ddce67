"""Two-point elements: a spring, a gas spring or a damper that pulls or pushes along the line between two frames.

With l the distance of the two frames' origins, the element pulls them together by

    f = k (l − l₀) − F + c l̇

k the stiffness, l₀ the free length, F a constant force that pushes apart (a gas spring), c the damping. Its mass is not
counted. The parameters in which f is linear are k, k·l₀, F and c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from manipula.messages import Message

T = TypeVar("T")
S = TypeVar("S")
LETTERS = {"stiffness": "k", "length": "l", "force": "F", "damping": "c"}  # of the entries, in a file and in names
LINEAR = ("k", "kl", "F", "c")  # of the columns of a regressor


class ElementEntry(NamedTuple):
    """An entry of an element in tables and pages."""

    unit: str
    about: str


ENTRIES = {
    "stiffness": ElementEntry("N/m", "stiffness"),
    "length": ElementEntry("m", "free length"),
    "force": ElementEntry("N", "constant force, which pushes apart"),
    "damping": ElementEntry("N·s/m", "damping"),
}


@dataclass(frozen=True)
class TwoPointElement(Generic[T]):
    """Two frames by name, and what acts between their origins."""

    name: str
    joins: tuple[str, str]
    stiffness: T
    length: T
    force: T
    damping: T

    @property
    def values(self) -> tuple[T, T, T, T]:
        """In the order of `LETTERS`."""
        return self.stiffness, self.length, self.force, self.damping

    def map_entries(self, change: Callable[[T], S]) -> TwoPointElement[S]:
        """The same element with every entry changed."""
        stiffness, length, force, damping = map(change, self.values)
        return TwoPointElement(self.name, self.joins, stiffness, length, force, damping)


def element_columns(suffix: str) -> list[str]:
    """The parameters in which the force is linear, by name: k_rod kl_rod F_rod c_rod."""
    return [f"{letters}{suffix}" for letters in LINEAR]


class ElementFault(NamedTuple):
    """What is wrong with an element of a description: where, which field, the problem, what would be right."""

    where: str
    field: str
    problem: str
    hint: str


def element_fault(elements: Sequence[TwoPointElement[Any]], frames: Iterable[tuple[str, str]]) -> ElementFault | None:
    """The first fault of a description's elements; `frames` are all frames with the rows that hold them."""
    on = dict(frames)
    for number, element in enumerate(elements):
        where = Message("element {name!r}", element.name)
        if element.name in [other.name for other in elements[:number]]:
            hint = Message("every element needs a name of its own")
            return ElementFault(where, "name", Message("the name is taken"), hint)
        odd = next((name for name in element.joins if name not in on), None)
        if odd is not None:
            hint = Message("name two of {known}", ", ".join(map(repr, on)))
            return ElementFault(where, "joins", Message("the robot has no frame {odd!r}", odd), hint)
        if on[element.joins[0]] == on[element.joins[1]]:
            problem = Message("both frames are on {on!r}", on[element.joins[0]] or "base")
            return ElementFault(where, "joins", problem, Message("name frames of two links"))
    return None
