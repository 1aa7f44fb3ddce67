"""The bones of an arm along time: where the base, its links and the tool are, and which of them hang together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.generation.structure import numeric_chain
from manipula.mechanics.robot.description import RobotDescription
from manipula.pages.plots.canvas import plane_of

Array = NDArray[np.float64]
Frames = Callable[[Array], Any]  # positions (time, n) → poses of the links, then of the tool


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
        return plane_of(self.points, max(float(np.ptp(self.points.reshape(-1, 3), axis=0).max()), 1e-12))


def skeleton_of(robot: RobotDescription, frames_at: Frames, q: Array) -> Skeleton:
    """Along the positions (time, n)."""
    chain = numeric_chain(robot)
    frames = np.asarray(frames_at(q))
    base = np.broadcast_to(np.array(chain.base.p, dtype=float), (len(q), 1, 3))
    points = np.concatenate([base, frames[..., :3, 3]], axis=1)
    bones = [(parent + 1, i + 1) for i, parent in enumerate(chain.parents)]
    return Skeleton(points, (*bones, (chain.holder + 1, len(bones) + 1)))
