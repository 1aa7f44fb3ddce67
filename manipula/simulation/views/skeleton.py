"""The bones of an arm along time: where the base, its links and the tool are, and which of them hang together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.generation.structure import numeric_chain
from manipula.mechanics.robot.description import RobotDescription

Array = NDArray[np.float64]
Frames = Callable[[Array], Any]  # positions (time, n) → poses of the links, then of the tool
FLAT = 1e-9  # of the largest extent: thinner than this, an arm moves in a plane


class Moved(Protocol):
    """What can be shown: a robot along time, as in a `Run`."""

    @property
    def robot(self) -> RobotDescription: ...
    @property
    def t(self) -> Array: ...
    @property
    def q(self) -> Array: ...


class Skeleton(NamedTuple):
    """`points` (time, count, 3): the base, the origin of every link's frame, the tool, metres in the world; `bones` are
    pairs of them."""

    points: Array
    bones: tuple[tuple[int, int], ...]

    @property
    def axes(self) -> tuple[int, ...]:
        """Which of x, y, z the arm moves along: all, or two where it stays in a plane."""
        extent = np.ptp(self.points.reshape(-1, 3), axis=0)
        thin = np.flatnonzero(extent <= FLAT * max(float(extent.max()), 1e-12))
        return (0, 1, 2) if len(thin) == 0 else tuple(i for i in range(3) if i != (2 if 2 in thin else int(thin[0])))


def skeleton_of(robot: RobotDescription, frames_at: Frames, q: Array) -> Skeleton:
    """Along the positions (time, n)."""
    chain = numeric_chain(robot)
    frames = np.asarray(frames_at(q))
    base = np.broadcast_to(np.array(chain.base.p, dtype=float), (len(q), 1, 3))
    points = np.concatenate([base, frames[..., :3, 3]], axis=1)
    bones = [(parent + 1, i + 1) for i, parent in enumerate(chain.parents)]
    return Skeleton(points, (*bones, (chain.holder + 1, len(bones) + 1)))
