"""How cells are called: letters for the quantity, then the body or the row it belongs to.

A moving joint and its link are numbered as q is: m2, a2, Ixx2 belong to the second joint that moves, wherever fixed
rows stand. What does not move on its own has the name of its row, its link or its load: m_flange, a_flange, m_payload.
Each ending is handed out once: two names that are the same word, for a program, are distinguished by _2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manipula.mechanics.robot.description import Joint, JointKind, RobotDescription
from manipula.support.text import without_accents

CARRIED, PAYLOAD, GROUND, ELEMENT = "carried", "payload", "base", "element"


class Suffixes:
    """Hands out endings in the order they are requested."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.moving, self.fixed = 0, 0

    def row(self, kind: JointKind, name: str) -> str:
        """2 of the second moving joint, _flange of a fixed row of that name."""
        if kind != "fixed":
            self.moving += 1
            return str(self.moving)
        self.fixed += 1
        return self.word(name, f"fixed{self.fixed}")

    def word(self, name: str, otherwise: str) -> str:
        """_hand of what is called so; `otherwise` where the name has no letter a program can use."""
        wish = identifier_from_name(name) or otherwise
        found, count = wish, 1
        while found in self.taken:
            count += 1
            found = f"{wish}_{count}"
        self.taken.add(found)
        return f"_{found}"


@dataclass(frozen=True)
class RobotSuffixes:
    """The endings of a robot's rows, of what they carry, of its payload, and of bodies that stand still."""

    rows: tuple[str, ...]
    carried: tuple[tuple[str, ...], ...]  # row by row
    payload: tuple[str, ...]
    ground: tuple[str, ...] = ()


def suffixes(
    rows: Iterable[tuple[JointKind, str, Sequence[str]]], payload: int, ground: Iterable[str] = ()
) -> RobotSuffixes:
    """Of rows given as (kind, name, names of what they carry). Rows come first, then what they carry, then bodies that
    stand still, by their names, then loads."""
    listed, endings = list(rows), Suffixes()
    own = tuple(endings.row(kind, name) for kind, name, _ in listed)
    carried = tuple(tuple(endings.word(name, CARRIED) for name in names) for _, _, names in listed)
    still = tuple(endings.word(name, GROUND) for name in ground)
    return RobotSuffixes(own, carried, tuple(endings.word(PAYLOAD, PAYLOAD) for _ in range(payload)), still)


def suffixes_of(robot: RobotDescription) -> RobotSuffixes:
    """The endings its cells have, if it is as a reader makes it."""
    rows = ((own_kind(joint), joint.name, [mounted.name for mounted in joint.carries]) for joint in robot.joints)
    return suffixes(rows, len(robot.payload), (mounted.name for mounted in robot.ground))


def element_suffixes(robot: RobotDescription) -> tuple[str, ...]:
    """The endings of its elements: their letters (k, l, F, c) are no others', so they are counted separately."""
    return endings_of_elements(element.name for element in robot.elements)


def endings_of_elements(names: Iterable[str]) -> tuple[str, ...]:
    """_gas_spring of the element "gas spring"."""
    endings = Suffixes()
    return tuple(endings.word(name, ELEMENT) for name in names)


def own_kind(joint: Joint) -> JointKind:
    """What a row counts as: a joint that follows others does not move on its own."""
    return joint.kind if joint.coordinate is None else "fixed"


def row_names(rows: Iterable[tuple[JointKind, str | None]]) -> list[str]:
    """The rows' names; without one, joint2 is the second that moves, fixed1 the first that does not."""
    moving = fixed = 0
    names: list[str] = []
    for kind, name in rows:
        moving, fixed = moving + (kind != "fixed"), fixed + (kind == "fixed")
        names.append(name or (f"fixed{fixed}" if kind == "fixed" else f"joint{moving}"))
    return names


def identifier_from_name(name: str) -> str:
    """The letters and digits of a name, accents dropped, the rest underscores."""
    return re.sub(r"[^A-Za-z0-9]+", "_", without_accents(name)).strip("_")
