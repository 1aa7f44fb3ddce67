"""A robot with loops in numbers: where they close, which rows are independent there, in what order to solve.

The rank of the closure is decided at closed positions: three parallel cranks on one coupler have rank 4 anywhere else
and 3 where they close. Newton's method starts from the poses of the robot and from positions around them; the singular
values of J must show a clear gap. Of the rows an independent set is chosen that is well conditioned at all positions
found; that the others follow from it is checked at further ones.

Source: Newton's method with the pseudo-inverse and a damped step as in Nocedal, Wright, "Numerical Optimization"
(2006), section 10.3; ranks by singular values, Golub, Van Loan, "Matrix Computations" (2013), section 5.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, some_of
from manipula.mechanics.models.closure.bearing_loads import bearing_loads
from manipula.mechanics.models.closure.constraint import (
    closure_bias,
    closure_error,
    closure_rows,
    is_upright,
    seen_from_first,
    seen_from_world,
)
from manipula.mechanics.models.closure.elimination import Elimination, PivotBlock
from manipula.mechanics.models.closure.pivot_order import in_metres, independent_rows, pivot_blocks
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import massless
from manipula.mechanics.robot.tree import BASE, Tree
from manipula.mechanics.robot.values.parameter import float_of, floats_of
from manipula.messages import Message

Array = NDArray[np.float64]
Positions = Sequence[float] | Array
GAP = 1e6  # between the singular values that count and those that do not
CLOSED = 1e-12  # of the mechanism's size: a loop that is closed
POSITIONS = 6  # closed ones that decide
ATTEMPTS = 60
STEPS = 60  # of Newton's method
NEAR = 0.25  # rad, and of the size: positions around a pose
FAR = 1.5


@dataclass(frozen=True)
class ClosurePlan:
    """How a closure is solved: the rows of J that count, which coordinates are driven, and the blocks of J_p."""

    rows: tuple[int, ...]
    driven: tuple[int, ...]
    passive: tuple[int, ...]
    blocks: tuple[PivotBlock, ...]
    usual: tuple[float, ...] = field(default=(), compare=False)  # sizes of the divisors that may vanish
    # components of bearing loads that nothing determines: of a cut or a joint, which one, which of six
    loose: tuple[tuple[bool, int, int], ...] = field(default=(), compare=False)

    def divisors(self, J: Array) -> Array:
        """Those that change with the position, from J of all rows and coordinates, each beside its usual size."""
        try:
            own = Elimination(self.blocks, J[np.ix_(self.rows, self.passive)].tolist()).divisors()
        except ZeroDivisionError:  # exactly singular, as where bars are drawn in line
            return np.zeros(max(len(self.usual), 1))
        found: Array = np.array(own, dtype=float) / np.array(self.usual)
        return found


class NumericLinkage:
    """A tree in floats whose cuts are to close."""

    def __init__(self, robot: str, tree: Tree, driven: Sequence[int]) -> None:
        self.robot, self.tree, self.of = robot, tree, tree.coordinates
        self.n, self.driven = len(self.of), list(driven)
        self.passive = [c for c in range(self.n) if c not in self.driven]

    @cached_property
    def size(self) -> float:
        """The sum of its lengths, m."""
        places = [
            *(link.before for link in self.tree.links if link.parent != BASE),
            *(link.after for link in self.tree.links),
        ]
        places += [at for cut in self.tree.cuts for at in cut.at]
        return float(sum(np.linalg.norm(np.array(at.p, dtype=float)) for at in places)) or 1.0

    @cached_property
    def units(self) -> tuple[Array, Array]:
        """The size of every row and of every coordinate: a length, or 1 rad."""
        rows = [
            unit
            for x in self.tree.cuts
            for unit in [self.size] * len(x.joint.lines) + [1.0] * (x.joint.rows - len(x.joint.lines))
        ]
        return np.array(rows), np.array([1.0 if turns else self.size for turns in self.of.turns])

    def _joints(self, q: Positions) -> list[Any]:
        return self.of.spread([float(x) for x in q])

    def error(self, q: Positions) -> Array:
        """Of every row, in its unit."""
        found = closure_error(self.tree, self._joints(q))
        return np.array(found, dtype=float) / self.units[0]

    def J(self, q: Positions) -> Array:
        """Of all rows and coordinates, in their units."""
        rows = closure_rows(self.tree, self._joints(q), seen_from_first)
        own = np.array(self.of.gather_columns(rows), dtype=float)
        return own * self.units[1] / self.units[0][:, None]

    def divisors(self, q: Positions, plan: ClosurePlan) -> Array:
        """What may vanish at some position, beside its usual size."""
        return plan.divisors(self.J(q) * self.units[0][:, None] / self.units[1])

    def bias(self, q: Positions, qd: Positions) -> Array:
        rates = self.of.spread([float(x) for x in qd])
        found = closure_bias(self.tree, self._joints(q), rates, seen_from_world)
        return np.array(found, dtype=float) / self.units[0]

    def gap(self, q: Positions) -> float:
        """How far the loops are from closed, m or rad; infinite where frames meet the wrong way round."""
        joints = self._joints(q)
        upright = all(is_upright(x.joint, seen_from_first(self.tree, x, joints).pose) for x in self.tree.cuts)
        return float(np.abs(self.error(q) * self.units[0]).max()) if upright else np.inf

    def newton(self, start: Positions, free: Sequence[int]) -> Array:
        """Where the loops close, from `start`, some coordinates free; the best found, closed or not."""
        q = np.array(start, dtype=float)
        error, columns = self.error(q), list(free)
        for _ in range(STEPS):
            size, J = float(np.linalg.norm(error)), self.J(q)[:, columns]
            if size < 1e-15:
                break
            # a redundant closure has a singular value that vanishes with the error: where dividing by it does not
            # help, a step without it does
            tried = self._damped(q, J, error, columns, 1e-9)
            if tried[1] > 0.1 * size:
                tried = min(tried, self._damped(q, J, error, columns, min(1e-2, size**0.5)), key=lambda x: x[1])
            if tried[1] >= size:
                break
            q, error = tried[0], self.error(tried[0])
        return q

    def _damped(self, q: Array, J: Array, error: Array, free: list[int], least: float) -> tuple[Array, float]:
        """The step of Newton's method, halved until the error falls, and the error there."""
        step, size, there = np.zeros(self.n), float(np.linalg.norm(error)), np.inf
        step[free] = -np.linalg.lstsq(J, error, rcond=least)[0] * self.units[1][free]
        step *= min(1.0, 1.0 / (np.abs(step / self.units[1]).max() or 1.0))
        for _ in range(12):
            there = float(np.linalg.norm(self.error(q + step)))
            if there < size:
                break
            step = step / 2
        return q + step, there

    def is_closed(self, q: Positions) -> bool:
        return self.gap(q) <= CLOSED * max(self.size, 1.0)

    def closed_positions(
        self, starts: Iterable[Positions], count: int = POSITIONS, seed: int = 0, near: float = NEAR
    ) -> list[Array]:
        """Some closed positions; an error that says how near it came where there are none."""
        found, nearest, rng = list[Array](), np.inf, np.random.default_rng(seed)
        for start in self.starts(list(starts), max(ATTEMPTS, 3 * count), rng, near):
            q = self.newton(start, range(self.n))
            nearest = min(nearest, self.gap(q))
            if self.is_closed(q):
                found.append(q)
            if len(found) == count:
                return found
        if found:
            return found
        names = some_of([cut.name for cut in self.tree.cuts])
        raise InputError(
            "{robot}: its loops ({names}) do not close: the frames stay {nearest:.3g} m or rad apart (check the "
            "lengths, and give [poses] a position near the one meant)", self.robot, names, nearest,
        )  # fmt: skip

    def starts(
        self, given: Sequence[Positions], attempts: int, rng: np.random.Generator, near: float
    ) -> Iterator[Array]:
        """The poses, positions around them, and then further away."""
        poses = [np.array(x, dtype=float) for x in given] or [np.zeros(self.n)]
        yield from poses
        for attempt in range(attempts):
            spread = near if attempt < attempts // 2 else FAR
            yield poses[attempt % len(poses)] + spread * rng.uniform(-1, 1, self.n) * self.units[1]

    # rank

    def rank(self, q: Positions) -> int | None:
        """Of J at a closed position; None where no gap shows it."""
        s = np.linalg.svd(self.J(q), compute_uv=False)
        count = int((s > s[0] / GAP).sum())
        return None if count < len(s) and s[count] * GAP > s[count - 1] else count

    def plan(self, starts: Iterable[Positions]) -> ClosurePlan:
        """What is decided once a robot; refusals are sentences."""
        positions = self.closed_positions(starts)
        ranks = [self.rank(q) for q in positions]
        clear = max((r for r in ranks if r is not None), default=None)
        regular = [q for q, r in zip(positions, ranks) if r == clear]
        if clear is None or len(regular) < min(3, len(positions)) or len(positions) < 3:
            raise InputError(
                "{robot}: the rank of its loops ({names}) is not clear at the closed positions found ({ranks}): give "
                "[poses] a position away from a singular one",
                self.robot, some_of([cut.name for cut in self.tree.cuts]), ", ".join(map(str, ranks)),
            )  # fmt: skip
        self._refuse_motors(regular, clear)
        regular = self._away_from_dead_centres(regular, clear)
        samples = [self.J(q)[:, self.passive] for q in regular]
        rows = independent_rows(samples, clear)
        self._certify(rows, regular)
        anywhere = self._anywhere()
        blocks, usual = pivot_blocks([x[rows] for x in samples], [x[np.ix_(rows, self.passive)] for x in anywhere])
        scale = self.units[0][rows]
        return ClosurePlan(
            tuple(rows), tuple(self.driven), tuple(self.passive), tuple(blocks),
            tuple(in_metres(usual, blocks, scale, self.units[1][self.passive])), self._strained(regular),
        )  # fmt: skip

    def _strained(self, positions: Sequence[Array]) -> tuple[tuple[bool, int, int], ...]:
        """The components that a strain ν of the loops changes, Jᵀ ν = 0, at any closed position."""
        found: set[tuple[bool, int, int]] = set()
        bare = replace(massless(self.tree), gravity=(0.0, 0.0, 0.0))
        still = [0.0] * self.tree.dof
        for q in positions[:3]:
            J = self.J(q) * self.units[0][:, None] / self.units[1]
            U, s, _ = np.linalg.svd(J)
            for strain in U[:, int((s > s[0] / GAP).sum()) :].T:
                motion = {"q": self._joints(q), "qd": still, "qdd": still}
                loads = bearing_loads(bare, motion, dict(enumerate(strain.tolist())), seen_from_first)
                for of_cut, rows in ((False, loads.joints), (True, loads.cuts)):
                    found |= {(of_cut, int(i), int(k)) for i, k in np.argwhere(np.abs(np.array(rows, float)) > 1e-7)}
        return tuple(sorted(found))

    def _anywhere(self, count: int = 4) -> list[Array]:
        """J at positions that are not closed: what is zero or constant there is so by structure."""
        rng = np.random.default_rng(1)
        return [self.J(FAR * rng.uniform(-1, 1, self.n) * self.units[1]) for _ in range(count)]

    def _refuse_motors(self, positions: Sequence[Array], rank: int) -> None:
        names, freedoms = self.of.names, self.n - rank
        driven = some_of([names[c] for c in self.driven]) or Message("none")
        told = (self.robot, freedoms, len(self.driven), driven)
        if freedoms == 0:
            raise InputError("{robot}: its loops leave it no freedom: no joint can move", self.robot)
        if len(self.driven) > freedoms:
            raise InputError(
                "{robot}: its loops leave {freedoms} freedoms, and {count} joints are driven ({names}): mark the "
                "others passive, or name {freedoms} in [motors]", *told,
            )  # fmt: skip
        loose = self._loose(positions)
        if len(self.driven) < freedoms:
            raise InputError(
                "{robot}: its loops leave {freedoms} freedoms, and {count} joints are driven ({names}): {loose} can "
                "move while they stand still; name {missing} of these as motors too, or hold them by locked=",
                *told, some_of(loose), freedoms - len(self.driven),
            )  # fmt: skip
        if loose:
            raise InputError(
                "{robot}: the motors {names} do not move it as a whole: {loose} can move while they stand still",
                self.robot, driven, some_of(loose),
            )  # fmt: skip

    def _away_from_dead_centres(self, positions: Sequence[Array], rank: int) -> list[Array]:
        """The positions at which the motors determine all joints: a linkage may be described with bars in line."""
        found = []
        for q in positions:
            s = np.linalg.svd(self.J(q)[:, self.passive], compute_uv=False)
            found += [q] if not rank or s[rank - 1] * GAP > s[0] else []
        if not found:
            raise InputError(
                "{robot}: at every closed position found some joints can move while the motors {names} stand still",
                self.robot, some_of([self.of.names[c] for c in self.driven]),
            )  # fmt: skip
        return found

    def _loose(self, positions: Sequence[Array]) -> list[str]:
        """The joints that can move, at every position, while the motors stand still."""
        found: set[int] | None = None
        for q in positions:
            _, s, V = np.linalg.svd(self.J(q)[:, self.passive])
            count = int((s > (s[0] if len(s) else 1.0) / GAP).sum())
            free = {self.passive[k] for row in V[count:] for k, x in enumerate(row) if abs(x) > 1e-6}
            found = free if found is None else found & free
        return [self.of.names[c] for c in sorted(found or ())]

    def _certify(self, rows: Sequence[int], positions: Sequence[Array]) -> None:
        """The rows left out follow from those kept, in velocity and acceleration, at closed positions."""
        rng = np.random.default_rng(2)
        for q in positions:
            J, v = self.J(q), np.zeros(self.n)
            v[self.driven] = rng.uniform(-1, 1, len(self.driven))
            P, A = J[np.ix_(rows, self.passive)], J[np.ix_(rows, self.driven)]
            v[self.passive] = -np.linalg.solve(P, A @ v[self.driven])
            gamma, a = self.bias(q, v * self.units[1]), np.zeros(self.n)
            a[self.passive] = -np.linalg.solve(P, gamma[list(rows)])
            speed, rest = float(np.abs(v).max()), float(np.abs(a).max()) + float(np.abs(gamma).max()) + 1.0
            if np.abs(J @ v).max() > 1e-8 * speed or np.abs(J @ a + gamma).max() > 1e-7 * rest:
                raise InputError(
                    "{robot}: the equations of its loops ({names}) that were left out do not follow from the others",
                    self.robot, some_of([cut.name for cut in self.tree.cuts]),
                )  # fmt: skip


def plan_closure(robot: RobotDescription, trees: Iterable[Tree]) -> tuple[ClosurePlan, Tree]:
    """The plan of a robot, and the first of these trees in numbers at which its loops close."""
    fault: InputError | None = None
    for tree in trees:
        try:
            return NumericLinkage(robot.name, tree, robot.motor_coordinates).plan(starts_of(robot)), tree
        except InputError as error:
            fault = error
    assert fault is not None
    raise fault


def starts_of(robot: RobotDescription) -> list[tuple[float, ...]]:
    """The robot's poses by name in numbers: near these its loops close."""
    values = floats_of(dict(robot.values))
    kept = (dict(entries) for _, entries in robot.named_poses)
    return [tuple(float_of(at[joint], values) for joint in robot.joint_names) for at in kept]
