"""Where the joints of an arm may be, as a search sees it: their limits, their walls, and which of them are angles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from manipula.ik.descent.machine import Descent, descent_of
from manipula.ik.numeric.arrays import Bits, Floats
from manipula.ik.numeric.limits import bounds, span_of
from manipula.ik.numeric.measures import size_of
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.robot.tree import Tree


class JointSpace:
    """Of a chain over floats, fixed joints merged."""

    plan: Plan
    machine_code: ClassVar[tuple[str, ...]] = ("descent",)  # what stays behind in a pickle and is made again

    def __init__(self, chain: Tree, limits: Sequence[tuple[float, float]] | None = None) -> None:
        self.chain = chain
        self.low, self.high = bounds(limits, chain.dof)
        self.limited = bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())
        self.turning: Bits = np.array([link.kind.pivots for link in chain.links])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self.machine_code}

    @property
    def explanation(self) -> str:
        """Which class the arm belongs to for what is asked of it, and why."""
        return f"{self.plan.title}: {self.plan.sentence}"

    @cached_property
    def descent(self) -> Descent | None:
        """Least squares in machine code; None for very many joints."""
        return descent_of(self.chain, self.low, self.high)

    @cached_property
    def size(self) -> float:
        """The arm's reach, roughly, m; at least 1."""
        return size_of(self.chain)

    @property
    def span(self) -> tuple[Floats, Floats]:
        """Between which positions of the joints a search starts."""
        return span_of(self.low, self.high, np.where(self.turning, np.pi, self.size))

    @property
    def walls(self) -> tuple[Floats, Floats]:
        """Positions beyond which no search goes: limits are looked at when it has ended."""
        return bounds(None, self.chain.dof)

    @property
    def angles(self) -> Bits:
        """Which entries of q are angles."""
        return self.turning
