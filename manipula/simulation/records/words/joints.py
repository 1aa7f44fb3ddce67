"""Names of joints within the words of a head, and as other files write them."""

from __future__ import annotations

from collections.abc import Sequence

from manipula.simulation.records.words.heads import COMMON, words_of


def joints_in(words: Sequence[str], names: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """The robot's joints that words name, with the words left over: those that take most words."""
    found = [(joint, rest) for joint in names for form in _forms(joint) if (rest := without(words, form)) is not None]
    fewest = min((len(rest) for _, rest in found), default=0)
    return [(joint, rest) for joint, rest in found if len(rest) == fewest]


def _forms(joint: str) -> list[tuple[str, ...]]:
    """A joint's name in words, with and without those that every joint has: `shoulder_pan_joint`, `shoulder_pan`."""
    words = words_of(joint)
    short = tuple(word for word in words if word not in COMMON)
    return [words, short] if short != words and any(not word.isdigit() for word in short) else [words]


def robots_name(name: str, names: Sequence[str]) -> str:
    """A joint's name in the file as the robot has it; as it is where the robot has none, or several, like it."""
    if name in names:
        return name
    found = {joint for joint, _ in joints_in(words_of(name), names)}
    return found.pop() if len(found) == 1 else name


def without(words: Sequence[str], part: Sequence[str]) -> tuple[str, ...] | None:
    """The words without these, which must follow each other there; None where they do not."""
    for k in range(len(words) - len(part) + 1 if part else 0):
        if tuple(words[k : k + len(part)]) == tuple(part):
            return (*words[:k], *words[k + len(part) :])
    return None
