"""A path solved as a whole: one configuration for every pose, with the fewest jumps that the arm allows.

All configurations of all poses are found first (`path_branches`), then the best way through them (`path_graph`). Spins
and swivels are sampled, and the samples about the best way are made finer, round by round: as the way found so far is
among them, no round is worse than the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError, UnknownNameError
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import TURN, Bits, Floats
from manipula.ik.numeric.poses import checked_tolerance, joints_from_value, poses_from_value, scale_jacobian
from manipula.ik.numeric.tolerances import BranchTolerance, LimitTolerance, SearchTolerance
from manipula.ik.path_branches import PathBranches, Places, Rows, joined_rows, spin_poses
from manipula.ik.path_graph import BranchGraph, Way
from manipula.ik.solver import outside_text, position_text
from manipula.messages import Message
from manipula.support.files import write_text
from manipula.support.text import plain

Kind = Literal["limit", "singular", "out of reach", "another branch"]
OUT = "out of reach"
SPINS, SWIVELS = 24, 24  # samples at first, over a whole turn
FEW = 12  # of each, where both are free or there is no closed form
FINER = 5  # samples about the way, in each round
ROUNDS = 4
NARROWER = 0.4  # of the distance between samples, from round to round
STRETCH = 0.02  # least singular value, lengths by the arm's size, below which a pose is near a singular one
COSTS = ("travel", "margin")
FREE = ("spin",)


class Reason(NamedTuple):
    """What happens from pose `first` to pose `last`: its kind, and a sentence. `step`: the largest step of a joint."""

    kind: Kind
    first: int
    last: int
    text: str
    step: float = 0.0

    def __str__(self) -> str:
        where = f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"
        return Message("pose {where}: {kind}: {text}", where, Message(self.kind), self.text)


@dataclass(frozen=True, eq=False)
class Path:
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
    _solver: InverseSolver = field(repr=False)
    _branches: PathBranches = field(repr=False)
    _samples: tuple[Floats | None, Floats | None] = field(repr=False)
    _start: Floats | None = field(repr=False)

    @property
    def reached(self) -> Bits:
        """Whether each pose is reached."""
        return np.isfinite(self.q).all(-1)

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
            before = q[:1] if self._start is None else self._start[None]
            steps[places] = np.abs(np.diff(q, axis=0, prepend=before)).max(-1)
        return steps

    @cached_property
    def reasons(self) -> list[Reason]:
        """In the order of poses."""
        found = [*_lost(self), *_changed(self), *_singular_stretches(self)]
        return sorted(found, key=lambda reason: (reason.first, reason.last))

    def save(self, path: str | FilePath) -> FilePath:
        """As CSV: the pose's number, joints (rad, m), spin (rad), branch, and what is to be known of the pose."""
        notes: dict[int, list[str]] = {}
        for reason in self.reasons:
            notes.setdefault(reason.first, []).append(f"{reason.kind}: {reason.text}")
        names = [f"q{j + 1}" for j in range(self.q.shape[1])]
        lines = [",".join(["pose", *names, "spin", "branch", "note"])]
        for i, q in enumerate(self.q):
            numbers = ["" if np.isnan(x) else repr(float(x)) for x in (*q, self.spin[i])]
            quoted = [_quoted(self.branch[i]), _quoted("; ".join(notes.get(i, [])))]
            lines.append(",".join([str(i), *numbers, *quoted]))
        return write_text(FilePath(path), "\n".join(lines) + "\n")

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        entries: dict[str, Any] = plain(
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

    def __str__(self) -> str:
        head = Message(
            "{count} of {total} poses reached; {changes} changes of branch, {jumps} jumps",
            int(self.reached.sum()), len(self.q), len(self.changes), len(self.jumps),
        )  # fmt: skip
        return "\n".join([str(head), *map(str, self.reasons)])


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
) -> Path:
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
    search = _Search(branches, longest, cost == "margin", free is not None)
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


class _Search:
    """The best way, over samples that become finer."""

    def __init__(self, branches: PathBranches, max_step: float, by_margin: bool, spinning: bool) -> None:
        self.branches, self.max_step, self.by_margin = branches, max_step, by_margin
        solver, n = branches.solver, len(branches.given)
        self.swinging = solver.parameter.exists
        both = (spinning and self.swinging) or solver.closed is None
        # samples further apart than a step would be islands
        most = min(72, int(np.ceil(2 * TURN / max_step)))
        count = FEW if both else max(SPINS, most)
        spins = -np.pi + TURN * np.arange(count) / count
        low, high = solver.parameter.ends if self.swinging else (0.0, 0.0)
        own = FEW if both else max(SWIVELS, most)
        swivels = low + (high - low) * (np.arange(own) + 0.5) / own
        first = [] if branches.seed is None or not self.swinging else [solver.parameter_of(branches.seed)]
        swivels = np.concatenate([first, swivels])
        self.width = (high - low) / own, TURN / count
        self.samples: tuple[Floats | None, Floats | None] = (
            np.tile(swivels, (n, 1)) if self.swinging else None,
            # no spin at all is the first sample: where it does no harm the tool stays as it is given
            np.tile(np.roll(spins, -(count // 2)), (n, 1)) if spinning else None,
        )

    def best(self) -> tuple[Rows, Way] | None:
        swivels, spins = self.samples
        rows = self.branches.rows(swivels, spins)
        if not len(rows):
            return None
        found = self._way(rows)
        if swivels is None and spins is None:
            return found
        width = np.array(self.width)
        for _ in range(ROUNDS):
            chosen = found[0].taken(found[1].rows)
            finer = self._about(chosen, width)
            found = self._way(joined_rows([chosen, self._near(chosen, finer)]))
            width = width * NARROWER
        return found

    def _about(self, chosen: Rows, width: Floats) -> tuple[Floats | None, Floats | None]:
        """Finer samples about the way at the poses it reaches; other poses have its nearest values, for form's sake."""
        n = len(self.branches.given)
        fan = np.linspace(-1.0, 1.0, FINER)
        place = np.clip(np.searchsorted(chosen.pose, np.arange(n)), 0, len(chosen.pose) - 1)
        swivels, spins = (
            None if sample is None else value[place][:, None] + step * fan
            for sample, value, step in zip(self.samples, (chosen.swivel, chosen.spin), width, strict=True)
        )
        return swivels, spins

    def _near(self, chosen: Rows, samples: tuple[Floats | None, Floats | None]) -> Rows:
        """The configurations of finer samples at poses that the way reaches."""
        rows = self.branches.rows(*samples)
        return rows.taken(np.isin(rows.pose, chosen.pose))

    def _way(self, rows: Rows) -> tuple[Rows, Way]:
        solver = self.branches.solver
        graph = BranchGraph(rows.q, rows.bounds, solver.turning, solver.low, solver.high, self.branches.seed)
        own = least_singular_values(solver, rows.q) if self.by_margin else None
        return rows, graph.best(self.max_step, own)


def least_singular_values(solver: InverseSolver, q: Floats) -> Floats:
    """Of the Jacobian, lengths by the arm's size; the last that the arm's freedoms have."""
    if not len(q):
        return np.empty(0)
    J = scale_jacobian(solver.jacobian(q), solver.turning, solver.size)
    values: Floats = np.linalg.svd(J, compute_uv=False)[:, min(solver.freedoms, 6) - 1]
    return values


def _path(
    branches: PathBranches, found: tuple[Rows, Way] | None, max_step: float, by_margin: bool, samples: Any
) -> Path:
    solver, n = branches.solver, len(branches.given)
    q, spin = np.full((n, solver.chain.dof), np.nan), np.full(n, np.nan)
    names, pose = [OUT] * n, branches.T
    changes: list[int] = []
    cost = 0.0
    if found is not None:
        rows, way = found
        chosen = rows.taken(way.rows)
        q[chosen.pose], spin[chosen.pose] = way.q, chosen.spin
        cost = -way.cost if by_margin else way.cost
        if chosen.spin.any():
            pose = pose.copy()
            pose[chosen.pose] = spin_poses(pose[chosen.pose], chosen.spin)
        for i, name in zip(chosen.pose.tolist(), _names(branches, chosen, way.q), strict=True):
            names[i] = name
    path = Path(q, names, changes, [], spin, cost, max_step, pose, solver, branches, samples, branches.seed)
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


# reasons


def _ranges(places: Sequence[int], keys: Sequence[object]) -> Iterator[tuple[int, int]]:
    """From which to which of the places, in sequence, numbers follow each other under the same key."""
    begin = 0
    for k in range(1, len(places) + 1):
        if k == len(places) or places[k] != places[k - 1] + 1 or keys[k] != keys[begin]:
            yield begin, k - 1
            begin = k


def _lost(path: Path) -> Iterator[Reason]:
    """Poses that are not reached, by what keeps the arm from them."""
    places = np.flatnonzero(~path.reached)
    if not places.size:
        return
    solver = path._solver
    q, reached = path._branches.outside(places, *path._samples)
    over = np.maximum(solver.low - q, q - solver.high)
    keys = [(int(np.argmax(over[i])) if reached[i] else -1) for i in range(len(places))]
    for a, b in _ranges(places.tolist(), keys):
        first, last = int(places[a]), int(places[b])
        if keys[a] >= 0:
            yield Reason("limit", first, last, outside_text(solver, q[a], LimitTolerance.INSIDE))
        elif path._samples[0] is not None:
            name, count = solver.plan.parameter, path._samples[0].shape[1]
            yield Reason(OUT, first, last, Message("no configuration at any of {count} values of the {name}", count, name))  # type: ignore[arg-type]
        else:
            yield Reason(OUT, first, last, Message("no configuration reaches the pose"))  # type: ignore[arg-type]


def _changed(path: Path) -> Iterator[Reason]:
    """Changes of branch and jumps."""
    places = np.flatnonzero(path.reached).tolist()
    before = dict(zip(places[1:], places, strict=False))
    for i in path.changes:
        step = float(path.steps[i])
        last = path._start if i not in before else path.q[before[i]]
        if i not in before:
            text = Message("the nearest configuration is {step:.3g} rad or m from the start", step)
            yield Reason("another branch", i, i, text, step)
        elif last is not None:
            yield _change(path, i, path.branch[before[i]], last, step)


def _change(path: Path, i: int, before: str, last: Floats, step: float) -> Reason:
    """In the order of what a user can mend: a limit, a turn, the path itself."""
    solver, after = path._solver, path.branch[i]
    turned = _turned_back(solver, last, path.q[i])
    if before == after and turned:
        return Reason("limit", i, i, turned, step)
    if solver.closed is None or solver.parameter.exists:
        return Reason("another branch", i, i, Message("the joints step by {step:.3g} rad or m", step), step)
    roles = _changed_roles(solver, before, after)
    named = Message(" and the ".join(roles)) if roles else Message("joints")
    if step <= path.max_step:
        text = Message("passes a singular pose, where the two settings of the {roles} meet", named)
        return Reason("singular", i, i, text, step)
    result = solver(path.pose[i], last)
    names = result.setting
    place = names.index(before) if before in names else int(result.order[0])
    why, twin = result.why[place], result.twin[place] >= 0
    if why and not twin:
        kind: Kind = "limit" if result.residual[place] <= result.tolerance else "another branch"
        return Reason(kind, i, i, f"{before}: {why}", step)
    return Reason("another branch", i, i, Message("{before} goes on to {after}: the joints step by {step:.3g} rad or m",
                                                  before, after, step), step)  # fmt: skip


def _turned_back(solver: InverseSolver, last: Floats, q: Floats) -> str:
    """The branch goes on, but on another turn of a joint that has come to its limit."""
    # a step of about a whole turn is the same branch on another turn
    turned = np.flatnonzero(solver.turning & (np.abs(np.abs(q - last) - TURN) < SearchTolerance.JUMP))
    if not turned.size:
        return ""
    k = int(turned[0])
    limit = solver.high[k] if q[k] < last[k] else solver.low[k]
    return Message(
        "joint {k} comes to its limit {position_text}; to go on it must turn back by 360°",
        k + 1,
        position_text(float(limit), True),
    )


def _changed_roles(solver: InverseSolver, before: str, after: str) -> list[str]:
    """The roles in which two branches of the closed form differ."""
    signs = solver.plan.settings
    pairs = zip(solver.plan.roles, signs.get(before, ()), signs.get(after, ()), strict=False)
    return [role for role, a, b in pairs if a != b]


def _singular_stretches(path: Path) -> Iterator[Reason]:
    """Poses at which the least singular value is small."""
    places = np.flatnonzero(path.reached)
    least = least_singular_values(path._solver, path.q[places])
    near = np.flatnonzero(least < STRETCH)
    for a, b in _ranges(places[near].tolist(), [0] * len(near)):
        first, last = int(places[near[a]]), int(places[near[b]])
        text = Message("near a singular pose: least singular value {least:.2g}", float(least[near[a : b + 1]].min()))
        yield Reason("singular", first, last, text)
