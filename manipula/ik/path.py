"""A path solved as a whole: one configuration for every pose, with the fewest jumps that the arm allows.

All configurations of all poses are found first (`path_branches`), then the best way through them (`path_graph`). Spins
and swivels are sampled, and the samples about the best way are made finer, round by round: as the way found so far is
among them, no round is worse than the one before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError, UnknownNameError
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Bits, Floats
from manipula.ik.numeric.poses import checked_tolerance, joints_from_value, poses_from_value
from manipula.ik.numeric.tolerances import BranchTolerance, SearchTolerance
from manipula.ik.path_branches import PathBranches, Rows, spin_poses
from manipula.ik.path_reasons import OUT, Reason, reasons_of
from manipula.ik.path_search import Search, Way
from manipula.messages import Message
from manipula.support.files import write_text
from manipula.support.text import plain

COSTS = ("travel", "margin")
FREE = ("spin",)


@dataclass(frozen=True, eq=False)
class JointPath:
    """Configurations (n, dof), NaN where a pose is not reached, and the branch of each.

    `changes` are the poses from which on the branch is another; `jumps` those to which a joint steps by more than
    `max_step`, from the pose reached before. `spin` is the tool's turn about its z axis, rad. `cost` is the joint
    travel, or the least margin. `reasons` says for changes, jumps, poses out of reach and singular stretches why; it
    is found when it is read.
    """

    q: Floats
    branch: list[str]
    changes: list[int]
    jumps: list[int]
    spin: Floats
    cost: float
    max_step: float
    pose: Floats = field(repr=False)
    solver: InverseSolver = field(repr=False)
    branches: PathBranches = field(repr=False)
    samples: tuple[Floats | None, Floats | None] = field(repr=False)
    start: Floats | None = field(repr=False)

    @property
    def reached(self) -> Bits:
        """Whether each pose is reached."""
        return np.asarray(np.isfinite(self.q).all(-1))

    @property
    def unreached(self) -> list[int]:
        return [int(i) for i in np.flatnonzero(~self.reached)]

    @cached_property
    def steps(self) -> Floats:
        """The largest step of a joint to each pose from the one reached before; 0 for the first, NaN out of reach."""
        steps = np.full(len(self.q), np.nan)
        places = np.flatnonzero(self.reached)
        if places.size:
            q = self.q[places]
            before = q[:1] if self.start is None else self.start[None]
            steps[places] = np.abs(np.diff(q, axis=0, prepend=before)).max(-1)
        return steps

    @cached_property
    def reasons(self) -> list[Reason]:
        """In the order of poses."""
        return reasons_of(self)

    def save(self, path: str | Path) -> Path:
        """As CSV: see `csv_text`."""
        return write_text(Path(path), self.csv_text())

    def csv_text(self) -> str:
        """The pose's number, joints (rad, m), spin (rad), branch, and what is to be known of the pose."""
        notes: dict[int, list[str]] = {}
        for reason in self.reasons:
            notes.setdefault(reason.first, []).append(f"{reason.kind}: {reason.text}")
        names = [f"q{j + 1}" for j in range(self.q.shape[1])]
        lines = [",".join(["pose", *names, "spin", "branch", "note"])]
        for i, q in enumerate(self.q):
            numbers = ["" if np.isnan(x) else repr(float(x)) for x in (*q, self.spin[i])]
            quoted = [_quoted(self.branch[i]), _quoted("; ".join(notes.get(i, [])))]
            lines.append(",".join([str(i), *numbers, *quoted]))
        return "\n".join(lines) + "\n"

    def as_dict(self) -> dict[str, object]:
        """Plain numbers and texts."""
        entries: dict[str, object] = plain(
            {
                "q": self.q,
                "reached": self.reached,
                "unreached": self.unreached,
                "branch": self.branch,
                "spin": self.spin,
                "changes": self.changes,
                "jumps": self.jumps,
                "cost": self.cost,
                "max_step": self.max_step,
                "reasons": [reason._asdict() for reason in self.reasons],
            }
        )
        return entries

    def __repr__(self) -> str:
        count = int(self.reached.sum())
        return f"<{type(self).__name__}: {count} of {len(self.q)} poses, {len(self.jumps)} jumps, cost {self.cost:.4g}>"

    def lines(self) -> list[str]:
        """In words: how many poses, changes and jumps, then the reasons."""
        head = Message(
            "{count} of {total} poses reached; {changes} changes of branch, {jumps} jumps",
            int(self.reached.sum()), len(self.q), len(self.changes), len(self.jumps),
        )  # fmt: skip
        return [head, *(reason.text_line() for reason in self.reasons)]

    def __str__(self) -> str:
        return "\n".join(map(str, self.lines()))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def follow(
    solver: InverseSolver,
    poses: ArrayLike,
    start: ArrayLike | str = "best",
    *,
    tolerance: float | None = None,
    free: str | None = None,
    max_step: float = SearchTolerance.JUMP,
    cost: str = "travel",
) -> JointPath:
    """One configuration for each of the poses (n, 4, 4), inside the limits: the way with the fewest jumps.

    Among ways with as few jumps it is the one of least joint travel Σ|Δq| (`cost="travel"`), or of the largest margin
    (`cost="margin"`): the least distance to a limit (rad, m) or least singular value on the way. `start` is the
    configuration that the first one shall be nearest to; "best" leaves it open. A step of more than `max_step` (rad, m)
    is a jump. `free="spin"` leaves the tool's turn about its z axis open. `tolerance`: as in `inverse_kinematics`.
    """
    T = poses_from_value(poses)
    if T.ndim != 3:
        raise InputError("poses: expected an array of shape (n, 4, 4), found {shape}", T.shape)
    if free is not None and free not in FREE:
        raise UnknownNameError("free", free, FREE)
    if cost not in COSTS:
        raise UnknownNameError("cost", cost, COSTS)
    longest = _checked_step(max_step)
    seed = _checked_start(start, solver.chain.dof)
    branches = PathBranches(solver, T, checked_tolerance(tolerance), seed)
    search = Search(branches, longest, cost == "margin", free is not None)
    found = search.best() if len(T) else None
    return _path(branches, found, longest, cost == "margin", search.samples)


def _checked_step(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < np.pi:
        raise InputError("max_step: expected a positive number below π (rad, m), found {value!r}", value)
    return float(value)


def _checked_start(start: ArrayLike | str, dof: int) -> Floats | None:
    if isinstance(start, str):
        if start != "best":
            raise InputError('start: expected "best" or {dof} joint positions, found {start!r}', dof, start)
        return None
    return joints_from_value(start, dof)


def _path(
    branches: PathBranches, found: tuple[Rows, Way] | None, max_step: float, by_margin: bool, samples: Any
) -> JointPath:
    solver, n = branches.solver, len(branches.given)
    q, spin = np.full((n, solver.chain.dof), np.nan), np.full(n, np.nan)
    pose = branches.T
    names: list[str] = [OUT] * n
    changes: list[int] = []
    cost = 0.0
    if found is not None:
        rows, way = found
        chosen = rows.take(way.rows)
        q[chosen.pose], spin[chosen.pose] = way.q, chosen.spin
        cost = -way.cost if by_margin else way.cost
        if chosen.spin.any():
            pose = pose.copy()
            pose[chosen.pose] = spin_poses(pose[chosen.pose], chosen.spin)
        for i, name in zip(chosen.pose.tolist(), _names(branches, chosen, way.q), strict=True):
            names[i] = name
    path = JointPath(q, names, changes, [], spin, cost, max_step, pose, solver, branches, samples, branches.seed)
    steps = path.steps
    path.jumps.extend(int(i) for i in np.flatnonzero(steps > max_step))
    jumped = set(path.jumps)
    last = ""
    for i in np.flatnonzero(path.reached).tolist():
        if i in jumped or (last and solver.closed is not None and names[i] != last):
            changes.append(i)
        last = names[i]
    return path


def _names(branches: PathBranches, chosen: Rows, q: Floats) -> list[str]:
    """The branches' names; a pose at which branches meet keeps the name of the one before."""
    solver = branches.solver
    if solver.closed is None:
        return ["solution"] * len(q)
    known = solver.plan.branch_names
    unsettled = branches.calm[chosen.pose] <= BranchTolerance.MARGIN
    names: list[str] = []
    for branch, unsure in zip(chosen.branch.tolist(), unsettled.tolist(), strict=True):
        names.append(names[-1] if unsure and names else known[branch % len(known)])
    return names
