"""What every reference has: time comes in; positions, velocities, accelerations go out to a law's reference ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from manipula.mechanics.models.entry import Block, Given, ModelCall, Result
from manipula.mechanics.models.ports import ACCELERATION, POSITION, VELOCITY, PortKind
from manipula.scalar import Entries, Maths, Scalar

TIME = PortKind("t", "s", "time", ("t",))
START = PortKind("ref_start", POSITION, "positions to start from", role="setting", signed=True)
GOAL = PortKind("ref_goal", POSITION, "positions to come to", role="setting", signed=True)
RESULTS: Mapping[str, Result] = {
    "q_ref": Result(POSITION, "positions wanted"),
    "qd_ref": Result(VELOCITY, "velocities wanted"),
    "qdd_ref": Result(ACCELERATION, "accelerations wanted"),
}


class Motion(NamedTuple):
    """Positions, velocities and accelerations: of joints, or of one coordinate along a path."""

    q: Any
    qd: Any
    qdd: Any


def setting(name: str, unit: str, doc: str, **known: Any) -> PortKind:
    """One number that a reference is made with; the prefix keeps it apart from the gains of a law."""
    return PortKind(f"ref_{name}", unit, doc, (f"ref_{name}",), "setting", **known)


DURATION = setting("duration", "s", "time from start to goal")


def reference(
    name: str, doc: str, settings: tuple[PortKind, ...], motion: Callable[[Maths[Scalar], Scalar, Given], Motion]
) -> Block:
    """A reference as a block. `motion(maths, t, settings)` gives a list of joints each."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        return dict(zip(RESULTS, motion(maths, x["t"][0], x), strict=True))

    return Block(name, doc, (TIME, *settings), RESULTS, text)


def within(maths: Maths[Scalar], t: Scalar, end: Scalar) -> Scalar:
    """The time itself from 0 to the end, and the nearer of both outside."""
    return maths.minimum(maths.maximum(t, 0), end)


def outside(maths: Maths[Scalar], t: Scalar, end: Scalar) -> Scalar:
    """Whether the time is before 0 or after the end."""
    return maths.maximum(maths.less(t, 0), maths.less(end, t))
