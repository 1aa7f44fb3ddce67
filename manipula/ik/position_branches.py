"""The branches of a task for an arm with no more joints than the task needs: closed, by elimination, or both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.ik.general6r.elimination import matrix
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Floats, over_arrays, stack_rows
from manipula.ik.numeric.tolerances import PartialTolerance
from manipula.ik.position_targets import complete_pose
from manipula.ik.solver import Raw
from manipula.ik.without_closed_form import unique_solutions
from manipula.mechanics.models.inverse.plan import ArmKind, Plan
from manipula.mechanics.models.inverse.position_task import placings, position_plan
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE
from manipula.messages import Message

# One to three joints that bring a point to a point, of any kind and placed anyhow: every root by elimination.
#
#     J_a (p_b + R_b J_b f) = W,        f = p_c + R_c J_c w
#
# After Pieper (The kinematics of manipulators under computer control, 1968): W gives two things of g = p_b + R_b J_b f
# that the first joint leaves alone, its height and its length where that joint turns, its place across the axis where
# it
# slides. A turning J_b leaves two equations v·(J_b f) = C, linear in the flat part u of J_b f, and |u| is that of f:
# what
# remains is a polynomial in the third joint alone, of degree four at most in e^{iθ} or in the slide.
#
# Roots here are candidates, complex ones too (their nearest real neighbour): who asks polishes and checks them. Where
# a polynomial says nothing, the joint is free and stays at `at`.

Series = NDArray[np.complex128]


class Polynomial(NamedTuple):
    """In e^{iθ} (coefficients of its powers −k … k), or in x (of 1, x, x², …)."""

    terms: Series
    turns: bool

    def __add__(self, other: Polynomial | float) -> Polynomial:  # type: ignore[override]
        other = other if isinstance(other, Polynomial) else constant(other, self.turns)
        a, b = (self, other) if len(self.terms) >= len(other.terms) else (other, self)
        terms, gap = a.terms.copy(), len(a.terms) - len(b.terms)
        start = gap // 2 if self.turns else 0
        terms[start : start + len(b.terms)] += b.terms
        return Polynomial(terms, self.turns)

    def times(self, other: Polynomial | float) -> Polynomial:
        by = np.convolve(self.terms, other.terms) if isinstance(other, Polynomial) else self.terms * other
        return Polynomial(by, self.turns)

    def minus(self, other: Polynomial | float) -> Polynomial:
        return self + (other.times(-1.0) if isinstance(other, Polynomial) else -other)

    def at(self, x: float) -> float:
        if not self.turns:
            return float(np.polyval(self.terms[::-1], x).real)
        k = len(self.terms) // 2
        return float((self.terms * np.exp(1j * x * np.arange(-k, k + 1))).sum().real)

    def roots(self) -> Floats | None:
        """The real ones, and of complex ones the nearest real place; None where every x is a root."""
        size = np.abs(self.terms).max()
        if not size > PartialTolerance.NOTHING:
            return None
        terms = self.terms[::-1].copy()
        # a leading coefficient of rounding would put a root at 1e15 in place of none
        terms[np.abs(terms) < PartialTolerance.ROUNDING * size] = 0
        roots = np.roots(terms)
        # the angle of a root off the unit circle is its nearest real neighbour
        return (np.angle(roots[roots != 0]) if self.turns else roots.real).astype(float)


def constant(value: float, turns: bool) -> Polynomial:
    return Polynomial(np.array([value], dtype=complex), turns)


Curve = tuple[Polynomial, Polynomial, Polynomial]


class Linked(NamedTuple):
    """Up to three joints as numbers, lengths in the arm's own `unit`: kinds, base → first joint, gaps, the point."""

    kinds: str
    first: Floats
    gaps: list[Floats]
    w: Floats
    unit: float

    def candidates(self, target: Floats, at: Floats) -> Floats:
        """The displacement of every joint, (k, joints); `at`: where a joint stays that is free."""
        scale = np.array([1.0 if kind == "R" else self.unit for kind in self.kinds])
        displacements = list(self._displacements(target / self.unit, at / scale))
        places: Floats = np.array(displacements).reshape(-1, len(self.kinds)) * scale
        return places

    def _displacements(self, target: Floats, at: Floats) -> Iterator[list[float]]:
        W = np.linalg.solve(self.first, np.append(target, 1.0))[:3]
        if len(self.kinds) == 1:
            yield [_last(self.kinds, self.w, W, float(at[0]))]
            return
        turns = self.kinds[-1] == "R"
        f = _transform_curve(self.gaps[-1], _move_point(self.w, turns))
        if len(self.kinds) == 2:
            for x in _common_roots([_first_told(self.kinds[0], f, W)], float(at[1])):
                yield [_last(self.kinds[0], _value(f, x), W, float(at[0])), x]
            return
        # last joint first, then the middle one; the first follows from where the point has to go
        for y, x in _PAIRS[self.kinds[1]](self, f, W, at):
            u = _value(f, x)
            moved = _rotate_z(u, y) if self.kinds[1] == "R" else u + np.array([0, 0, y])
            g = self.gaps[0][:3, :3] @ moved + self.gaps[0][:3, 3]
            yield [_last(self.kinds[0], g, W, float(at[0])), y, x]


def linkage_from_tree(chain: Tree) -> Linked:
    arm = frames_on_joints(chain)
    kinds = "".join("R" if link.kind.name == "revolute" else "P" for link in arm.links)
    first, *rest = [matrix(link.before) for link in arm.links]
    ends = [matrix(arm.base) @ first, *rest]
    w = np.array(arm.tool.p, dtype=float)
    unit = float(sum(np.linalg.norm(gap[:3, 3]) for gap in rest) + np.linalg.norm(w)) or 1.0
    for gap in ends:
        gap[:3, 3] /= unit
    return Linked(kinds, ends[0], ends[1:], w / unit, unit)


# vectors that depend on one joint


def _move_point(w: Floats, turns: bool) -> Curve:
    """J w"""
    if not turns:
        return (constant(w[0], False), constant(w[1], False), Polynomial(np.array([w[2], 1], dtype=complex), False))
    z = complex(w[0], w[1]) / 2  # x cos − y sin is the real part of (x + iy) e^{iθ}, y cos + x sin the imaginary
    x, y = np.array([z.conjugate(), 0, z]), np.array([z.conjugate() * 1j, 0, z * -1j])
    return (Polynomial(x, True), Polynomial(y, True), constant(w[2], True))


def _transform_curve(gap: Floats, v: Curve) -> Curve:
    """p + R v"""
    return tuple(v[0].times(r[0]) + v[1].times(r[1]) + v[2].times(r[2]) + r[3] for r in gap[:3])


def _value(f: Curve, x: float) -> Floats:
    return np.array([part.at(x) for part in f])


def _rotate_z(v: Floats, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])


def _square(f: Curve) -> Polynomial:
    return f[0].times(f[0]) + f[1].times(f[1]) + f[2].times(f[2])


def _last(kind: str, v: Floats, W: Floats, free: float) -> float:
    """The joint that takes v to W: by its angle, or its height. What is on the axis turns freely."""
    if kind == "P":
        return float(W[2] - v[2])
    flat = np.hypot(v[0], v[1]) * np.hypot(W[0], W[1])
    return (
        float(np.arctan2(v[0] * W[1] - v[1] * W[0], v[0] * W[0] + v[1] * W[1]))
        if flat > PartialTolerance.ON_AXIS
        else free
    )


def _first_told(kind: str, g: Curve, W: Floats) -> list[Polynomial]:
    """What the first joint leaves alone, as equations in the one behind it."""
    if kind == "P":
        return [g[0].minus(W[0]), g[1].minus(W[1])]
    return [g[2].minus(W[2]), _square(g).minus(float(W @ W))]


def _common_roots(sets: list[list[Polynomial]], free: float) -> list[float]:
    """The roots of all equations that say something; of none, the free value."""
    every = [roots for equations in sets for each in equations if (roots := each.roots()) is not None]
    return [float(x) for roots in every for x in roots] if every else [free]


# the two joints in the middle and at the end, (y, x)


def _roots_revolute(arm: Linked, f: Curve, W: Floats, at: Floats) -> Iterator[tuple[float, float]]:
    """v·(J_b f) = C for two v: v_flat·u = C − v_z f_z, |u|² = f_x² + f_y²"""
    p, R = arm.gaps[0][:3, 3], arm.gaps[0][:3, :3]
    if arm.kinds[0] == "P":
        V, C = R[:2], [constant(W[i] - p[i], f[0].turns) for i in (0, 1)]
    else:
        V = np.array([R[2], R.T @ p])
        C = [constant(W[2] - p[2], f[0].turns), _square(f).times(-0.5) + float(W @ W - p @ p) / 2]
    rest = [c.minus(f[2].times(v[2])) for c, v in zip(C, V, strict=True)]
    flat, size = V[:, :2], np.linalg.norm(V[:, :2], axis=1)
    # both branches may run: near the limit either may lose digits, and candidates are polished
    area = np.linalg.det(flat)
    if abs(area) > PartialTolerance.NOTHING * max(size[0] * size[1], size[0] ** 2):
        yield from _roots_crossed(np.linalg.inv(flat), rest, f, at)
    if abs(area) < PartialTolerance.FLAT * max(size[0] * size[1], PartialTolerance.NOTHING):
        yield from _in_line(flat, rest, f, at)


def _roots_crossed(inverse: Any, rest: list[Polynomial], f: Curve, at: Floats) -> Iterator[tuple[float, float]]:
    u = [rest[0].times(row[0]) + rest[1].times(row[1]) for row in inverse]
    lengths = u[0].times(u[0]) + u[1].times(u[1])
    equation = lengths.minus(f[0].times(f[0]) + f[1].times(f[1]))
    for x in _common_roots([[equation]], float(at[2])):
        yield _last("R", _value(f, x), np.array([u[0].at(x), u[1].at(x), 0]), float(at[1])), x


def _in_line(flat: Floats, rest: list[Polynomial], f: Curve, at: Floats) -> Iterator[tuple[float, float]]:
    """Both say the same of u: together they leave the joint behind alone; each then has two u."""
    k = int(np.argmax((flat**2).sum(1)))
    v, other = flat[k], flat[1 - k]
    length = float(np.hypot(*v))
    if length < PartialTolerance.NOTHING:
        return
    share = float(other @ v) / length**2
    for x in _common_roots([[rest[1 - k].minus(rest[k].times(share))]], float(at[2])):
        here = _value(f, x)
        along = rest[k].at(x) / length
        across = np.sqrt(max(here[0] ** 2 + here[1] ** 2 - along**2, 0))
        for side in (across, -across):
            u = (along * v + side * np.array([-v[1], v[0]])) / length
            yield _last("R", here, np.array([u[0], u[1], 0]), float(at[1])), x


def _roots_prismatic(arm: Linked, f: Curve, W: Floats, at: Floats) -> Iterator[tuple[float, float]]:
    """g = p_b + R_b f + y e: linear in y across a slide, of height linear and of square quadratic in y about an axis"""
    e, still = arm.gaps[0][:3, 2], _transform_curve(arm.gaps[0], f)
    if arm.kinds[0] == "P":
        k = int(np.argmax(np.abs(e[:2])))
        off = [still[i].times(-1.0) + float(W[i]) for i in (0, 1)]
        for x in _common_roots([[off[0].times(e[1]).minus(off[1].times(e[0]))]], float(at[2])):
            yield (off[k].at(x) / e[k] if abs(e[k]) > PartialTolerance.NOTHING else float(at[1])), x
        return
    if abs(e[2]) > PartialTolerance.NOTHING:
        y = (still[2].times(-1.0) + float(W[2])).times(1 / e[2])
        g: Curve = tuple(still[i] + y.times(e[i]) for i in range(3))  # type: ignore[assignment]
        for x in _common_roots([[_square(g).minus(float(W @ W))]], float(at[2])):
            yield y.at(x), x
    if abs(e[2]) < PartialTolerance.FLAT:
        for x in _common_roots([[still[2].minus(float(W[2]))]], float(at[2])):
            here = _value(still, x)
            half, rest = float(e @ here), float(here @ here - W @ W)
            root = np.sqrt(max(half * half - rest, 0))
            yield -half + root, x
            yield -half - root, x


_PAIRS = {"R": _roots_revolute, "P": _roots_prismatic}


class Branches(Protocol):
    """`plan` names the class; `raw` gives every branch of a masked target, free joints left out.

    `at`: where the joints are that a branch leaves free. `searched`: what a search finds where `raw` has nothing.
    """

    plan: Plan
    closed: bool

    def raw(self, T: Floats, at: Floats) -> Raw: ...
    def search(self, T: Floats, at: Floats) -> Raw: ...


class PositionBranches:
    """One to three joints that place a point."""

    def __init__(self, chain: Tree) -> None:
        self.chain, self._linked = chain, linkage_from_tree(chain) if chain.dof else None
        plan = position_plan(chain)
        self._closed = None if plan is None else plan.over(over_arrays(chain))
        self.closed = self._closed is not None
        self.plan = plan.plan if plan is not None else _elimination_plan(chain)

    def raw(self, T: Floats, at: Floats) -> Raw:
        p = T[:3, 3]
        if self._closed is not None:
            placing = placings(self._closed, tuple(p[:, None]))
            q, valid, fit, calm = (
                stack_rows(x, (1,))[0] for x in (placing.q, placing.valid, placing.fit, placing.calm(ARRAYS))
            )
            return Raw(q, valid, fit, calm, np.float64(0.0))  # type: ignore[arg-type]
        if self._linked is None:
            return candidate_branches(np.zeros((1, 0)))
        links = self.chain.links
        signs = np.array([float(link.direction) for link in links])
        offsets = np.array([float(link.offset) for link in links])
        return candidate_branches((self._linked.candidates(p, offsets + signs * at) - offsets) * signs)

    def search(self, T: Floats, at: Floats) -> Raw:
        """Nothing: elimination has every root."""
        return candidate_branches(np.empty((0, self.chain.dof)))


def candidate_branches(q: Floats) -> Raw:
    """Candidates: each is to be polished and looked at."""
    return Raw(q, np.ones(len(q)), np.zeros(len(q)), np.float64(0.0), np.float64(0.0))  # type: ignore[arg-type]


def _elimination_plan(chain: Tree) -> Plan:
    kinds = "".join("R" if link.kind.name == "revolute" else "P" for link in chain.links)
    said = {
        0: Message("no joint moves what counts"),
        1: Message("one joint"),
        2: Message("two joints {kinds}: roots of a quadratic", kinds),
    }
    words = said.get(len(kinds), Message("three joints {kinds} placed in general: roots of a quartic", kinds))
    return Plan("none", "", "position of the tool", words, kind=ArmKind.NUMERIC)


class AxisBranches:
    """Up to five joints that place a point and a direction: with one more joint about it, a pose."""

    def __init__(self, chain: Tree) -> None:
        # about the tool's own axis: it takes up the one angle that the task leaves open
        turn = Link(name="added", kind=KINDS["revolute"], before=chain.tool)
        self._solver = InverseSolver(replace(chain, links=in_series((*chain.links, turn)), tool=HERE))
        whole = self._solver.plan
        self.closed = whole.has_closed_form and not whole.parameter
        title = Message("position and axis of the tool, {title}", Message(whole.title))
        said = Message("with a turning axis added at the tool, {sentence}", whole.sentence)
        self.plan = replace(whole, title=title, sentence=said, parameter="", fixed_joint=None)

    def raw(self, T: Floats, at: Floats) -> Raw:
        if self.closed:
            raw = self._solver.raw(complete_pose(T), None)
            return raw._replace(q=raw.q[:, :-1])
        return candidate_branches(self._solver(complete_pose(T)).q[:, :-1])

    def search(self, T: Floats, at: Floats) -> Raw:
        """A closed form may be singular at every pose of an arm whose joints cannot all place its point."""
        return candidate_branches(unique_solutions(self._solver, complete_pose(T), np.append(at, 0.0))[:, :-1])
