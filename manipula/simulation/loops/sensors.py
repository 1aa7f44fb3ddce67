"""Sensors between an arm and its law: noise, the steps of an encoder, samples of delay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.block import Block
from manipula.mechanics.models.integrate.sensing import UNITS, sensing
from manipula.messages import Message
from manipula.support.plain import plain

LONGEST = 64  # samples of delay: each is a state of its own


@dataclass(frozen=True)
class Sensors:
    """What a law sees of an arm. A number is for all joints, several are one for each.

    `noise`: standard deviations of positions and velocities, `dict(q=1e-5, qd=1e-3)`. `resolution`: positions are whole
    steps of it. `delay`: samples between the arm and what is seen. The noise is drawn in every step from the seed and
    the number of the rollout, so a rollout has the same one alone and in a batch, in Python and in C.
    """

    noise: Mapping[str, Any] = field(default_factory=dict)
    resolution: Any = None
    delay: int = 0

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain({"noise": self.noise, "resolution": self.resolution, "delay": self.delay})
        return found

    def __post_init__(self) -> None:
        if not isinstance(self.noise, Mapping):
            raise InputError(
                "sensors: noise: expected standard deviations by name, q and qd, found {noise!r:.60}", self.noise
            )
        for name, sigma in self.noise.items():
            if name not in UNITS:
                raise UnknownNameError("measured quantity", str(name), UNITS)
            _refuse_unless(sigma, Message("noise of {name}", name), Message("at least 0"), least=0.0)
        if self.resolution is not None:
            _refuse_unless(self.resolution, "resolution", Message("more than 0"), least=np.nextafter(0, 1))
        if isinstance(self.delay, bool) or not isinstance(self.delay, int) or not 0 <= self.delay <= LONGEST:
            raise InputError(
                "sensors: delay: expected whole samples, 0 to {longest}, found {delay!r:.60}", LONGEST, self.delay
            )

    @property
    def block(self) -> Block:
        return sensing([name for name in UNITS if name in self.noise], self.resolution is not None, self.delay)

    @property
    def settings(self) -> dict[str, Any]:
        """Of the block."""
        found = {f"{name}_sigma": _plain(sigma) for name, sigma in self.noise.items()}
        return found | ({} if self.resolution is None else {"resolution": _plain(self.resolution)})


def _refuse_unless(value: Any, what: str, wanted: str, *, least: float) -> None:
    found = [value] if isinstance(value, Real) else value
    fine = isinstance(found, list | tuple | np.ndarray) and len(found) > 0
    if not fine or not all(isinstance(x, Real) and least <= float(x) < inf for x in found):
        raise InputError(
            "sensors: {what}: expected numbers, {wanted}, one for all joints or one for each: {value!r:.60}",
            what,
            wanted,
            value,
        )


def _plain(value: Any) -> Any:
    return value if isinstance(value, Real) else tuple(map(float, value))
