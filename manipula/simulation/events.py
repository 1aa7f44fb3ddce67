"""What happens in the middle of a run: another payload, a wrench on the tool, another law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Real
from typing import Any

from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.plain import plain


@dataclass(frozen=True)
class Event:
    """From `t` on, one of these is another: the `payload`, as the arguments of `Robot.with_payload` (a mass, or a dict
    with mass, com, inertia; None: the hand is empty), the `wrench` on the tool (six numbers), the `law`.

    Positions and velocities go on as they are: a payload that is taken has the speed of the hand, one that is let go
    leaves with it.
    """

    t: float
    payload: Any = ...
    wrench: Any = ...
    law: Any = ...

    def as_dict(self) -> dict[str, Any]:
        """When, and what is another then; a function is told by its name."""
        told = {name: getattr(self, name) for name in self.changes}
        if callable(told.get("law")) and not hasattr(told["law"], "as_dict"):
            told["law"] = getattr(told["law"], "__name__", repr(told["law"]))
        found: dict[str, Any] = plain({"t": self.t, **told})
        return found

    def __repr__(self) -> str:
        return f"Event({', '.join(f'{name}={getattr(self, name)!r}' for name in ('t', *self.changes))})"

    @property
    def changes(self) -> tuple[str, ...]:
        """What is another from then on, by name."""
        return tuple(x.name for x in fields(self) if x.name != "t" and getattr(self, x.name) is not ...)

    def __post_init__(self) -> None:
        if not isinstance(self.t, Real) or isinstance(self.t, bool) or not isfinite(self.t) or self.t < 0:
            raise InputError("event: t: expected a time in seconds, at least 0, found {t!r:.60}", self.t)
        if not self.changes:
            raise InputError("event at {t:g} s: nothing changes; give payload=, wrench= or law=", self.t)
        if self.payload is not ...:
            payload_from(self.payload, Message("event at {t:g} s", self.t))


def payload_from(given: Any, where: str) -> dict[str, Any] | None:
    """The arguments of `with_payload`, or None."""
    if given is None:
        return None
    load = dict(given) if isinstance(given, dict) else {"mass": given}
    odd = [name for name in load if name not in ("mass", "com", "inertia")]
    if odd or "mass" not in load:
        raise InputError(
            "{where}: payload: expected a mass, or mass, com and inertia by name, found {given!r:.80}", where, given
        )
    mass = load["mass"]
    if isinstance(mass, bool) or not isinstance(mass, Real) or not isfinite(mass) or mass < 0:
        raise InputError("{where}: payload: expected a mass in kg, at least 0, found {mass!r:.60}", where, mass)
    return load


def in_order(events: Any, until: float) -> list[Event]:
    """By time; one after the end is refused."""
    listed = [events] if isinstance(events, Event) else events
    if not isinstance(listed, Sequence) or not all(isinstance(x, Event) for x in listed):
        raise InputError("events: expected a list of mp.Event(t=…, …), found {events!r:.60}", events)
    late = next((x for x in listed if x.t > until), None)
    if late is not None:
        raise InputError("event at {t:g} s: the run ends at {until:g} s", late.t, until)
    return sorted(listed, key=lambda x: x.t)
