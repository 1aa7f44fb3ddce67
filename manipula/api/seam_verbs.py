"""The verbs about seams: poses that an arm follows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from manipula.ik.arm.numeric_arm import NumericArm
    from manipula.ik.numeric.arrays import Floats
    from manipula.trajectories.seam import Seam


def poses_from_table(path: str | Path) -> Floats:
    """Poses (n, 4, 4) of a CSV file; see `trajectories.seam.read_poses`."""
    from manipula.trajectories.seam import read_poses

    return read_poses(path)


def poses_from_text(text: str) -> Floats:
    """The same of the text of such a table."""
    from manipula.trajectories.seam import poses_in_text

    return poses_in_text(text, Path("poses"))


def straight_poses(first: Floats, last: Floats, count: int) -> Floats:
    """Poses (n, 4, 4) evenly along a straight line, turning steadily along the shortest way."""
    from manipula.trajectories import seam

    return seam.straight_poses(first, last, count)


class ArmSeams:
    """What `Arm` has for seams."""

    def follow(
        self,
        poses: ArrayLike | str | Path,
        start: ArrayLike | str = "best",
        *,
        tolerance: float | None = None,
        free: str | None = None,
        max_step: float = 1.0,
        cost: str = "travel",
    ) -> Seam:
        """A seam solved as a whole: one configuration for each pose, (n, 4, 4) or a CSV file, with the fewest jumps.

        All branches and turns inside the limits are looked at, the swivels of a redundant arm and, with `free="spin"`,
        the turns of the tool about its z axis are sampled and refined. A step of more than `max_step` (rad, m) is a
        jump. Among the ways with the fewest, `cost="travel"` takes the least joint travel Σ|Δq|, `cost="margin"` the
        largest distance to limits and singular poses. `start` is where the arm stands, or "best". The seam has `.q`
        (NaN out of reach), `.reached`, `.changes`, `.jumps`, `.reasons`, `.spin`, `.save("path.csv")`, `.time_law()`.
        """
        from manipula.trajectories.seam import follow_seam

        return follow_seam(
            cast("NumericArm", self), poses, start, tolerance=tolerance, free=free, max_step=max_step, cost=cost
        )
