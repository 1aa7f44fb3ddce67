"""Formulation options as values: which reductions may stand before a model. Nothing here is an `if` in the physics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.robot.reduce import frames_on_joints


@dataclass(frozen=True)
class Reduction:
    """A Chain → Chain step and what it keeps."""

    name: str
    apply: Callable[[Chain], Chain]
    keeps: frozenset[str]
    doc: str


REDUCTIONS: dict[str, Reduction] = {
    option.name: option
    for option in (
        Reduction(
            "as given", lambda chain: chain, frozenset({"torques", "energy", "frames", "tool"}), "frames as in the file"
        ),
        Reduction(
            "frames on joints",
            frames_on_joints,
            frozenset({"torques", "energy", "tool"}),
            "every link frame moved onto its joint, which shortens the recursion",
        ),
    )
}


def legal(needs: frozenset[str]) -> list[str]:
    """The reductions that keep what a model needs."""
    return [name for name, option in REDUCTIONS.items() if needs <= option.keeps]
