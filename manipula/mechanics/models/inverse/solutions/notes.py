"""What a recording notes of a closed form: one entry for each equation, written for the joint's coordinate q."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from manipula.mechanics.models.inverse.solutions.subproblems import Shift, Turn


class LoopCoordinate(NamedTuple):
    """x = sense·q + offset: how a motion of the loop follows from a joint's coordinate, or from a sum of them."""

    axes: tuple[int, ...]
    signs: tuple[int, ...]  # q = Σ sign·(coordinate of the axis)
    q: Any
    sense: int
    offset: Any  # a Turn, or the length of a Shift


@dataclass(frozen=True)
class Balance:
    """left = right, component by component: where the next steps come from."""

    sides: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class CosineSineEquation:
    """A cos q + B sin q = C; `rest` is A² + B² − C², `sure` that it is never negative; sense −1 exchanges the roots.

    `others`: axes that the equation was chosen not to know; `matrix`: the letter of the turn it is an entry of.
    """

    x: LoopCoordinate
    A: Any
    B: Any
    C: Any
    rest: Any
    reason: str
    sure: bool = False
    others: tuple[int, ...] = ()
    matrix: str = ""


@dataclass(frozen=True)
class Turned:
    """Z(q) p = m across z"""

    x: LoopCoordinate
    p: tuple[Any, Any]
    m: tuple[Any, Any]
    matrix: str = ""


@dataclass(frozen=True)
class Known:
    """cos q and sin q, or q itself where it slides. Of the last axis of a wrist also Z(x)ᵀ row = (x, y)"""

    x: LoopCoordinate
    values: tuple[Any, ...]
    matrix: str = ""
    row: tuple[Any, Any] = (0, 0)
    xy: tuple[Any, Any] = (0, 0)


@dataclass(frozen=True)
class Quadratic:
    """(x·length + h)² = rest, x = sense·q + offset"""

    x: LoopCoordinate
    h: Any
    rest: Any
    length: Any


@dataclass(frozen=True)
class Remainder:
    """q = sign·(whole − the others): the last of a sum"""

    x: LoopCoordinate
    whole: LoopCoordinate


@dataclass(frozen=True)
class Lock:
    """Where `off` is zero the first and the third axis are in line, and only x₁ ± x₃ is determined."""

    first: LoopCoordinate
    third: LoopCoordinate
    off: tuple[Any, Any]


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix by its letter; `side` is the length that must not be zero for its axes to be determined."""

    letter: str
    side: Any = None


Note = Balance | CosineSineEquation | Turned | Known | Quadratic | Remainder | Lock | NamedMatrix


def own_values(at: LoopCoordinate, motion: Turn | Shift) -> tuple[Any, ...]:
    """cos q and sin q, or q, from those of x = sense·q + offset"""
    if isinstance(motion, Shift):
        return (at.sense * (motion.by - at.offset),)
    cos, sin, _ = at.offset.back((motion.cos, motion.sin, 0))
    return cos, at.sense * sin
