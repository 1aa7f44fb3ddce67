"""Inverse kinematics where branches meet or melt: python bench/singular.py [--poses N] [--unreachable N] [arm …]

Three kinds of singular pose, exactly there and off by 1e-12, 1e-9 and 1e-6 (rad, or m for a slide):

  wrist     axes 4 and 6 in line (on a UR arm: axis 6 parallel to axes 2, 3 and 4)
  elbow     the elbow stretched (on a Stanford arm: the slide at zero, so that the wrist stands on axis 2)
  shoulder  the wrist on axis 1 or, where an offset keeps it away, as near to it as the arm gets

Every pose is solved once more with 120 digits from the same joint angles. No root of that solution may be missing from
the answers or from a family named there (`lost`), no answer may miss its pose by more than 1e-12 (`false`). Two roots
are one where the pose is met between them too, to 1e-14. With --unreachable: the nearest answers to poses out of reach,
beside scipy's least squares from 30 random starts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.families import Family
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import distances
from manipula.ik.numeric.newton import difference, slopes
from manipula.ik.numeric.walk import StandingTool
from manipula.mechanics.models.inverse.plan import branches
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree

ARMS = ("puma560", "pucrio", "ur5", "rx90", "kr6", "stanford")
KINDS = ("wrist", "elbow", "shoulder")
OFFSETS = (0.0, 1e-12, 1e-9, 1e-6)
OUT_OF_REACH = ("puma560", "ur5", "stanford", "scara", "planar2r", "planar 3R", "5 joints")
BITS = 400
EXACT = 1e-12
SAME = 1e-6
ONE = 1e-14  # a pose that is met this well between two configurations cannot tell them apart
STARTS = 30
FAR = ((1.3, 3.0), (1.001, 1.2), (0.8, 1.2))  # of the reach

Floats = NDArray[np.float64]

LENGTHS = {
    "rx90": {"D3": 0.45, "RL4": 0.5},
    "scara": {"a1": 0.4, "a2": 0.3, "d4": 0.1},
    "planar2r": {"l1": 0.5, "l2": 0.35},
}
TABLES: dict[str, list[tuple[Any, ...]]] = {  # theta, d, a, alpha: standard, degrees
    "planar 3R": [("q1", 0, 0.5, 0), ("q2", 0, 0.4, 0), ("q3", 0, 0.2, 0)],
    "5 joints": [("q1", 0.3, 0, 90), ("q2", 0, 0.4, 0), ("q3", 0, 0.3, 0), ("q4", 0, 0, 90), ("q5", 0.15, 0, 0)],
}
QUARTERS = (0.0, np.pi / 2, np.pi)


class Digits:
    """`Maths` over numbers of 120 digits. Thresholds that were chosen for sixteen digits shrink with them."""

    def number(self, value: Fraction) -> Any:
        power = 4 if 0 < abs(value) < Fraction(1, 10**10) else 1
        sign = -1 if value < 0 else 1
        return sign * flint.arb(flint.fmpq(abs(value.numerator), value.denominator)) ** power

    def degrees(self, value: Fraction) -> Any:
        return flint.arb.pi() * flint.fmpq(value.numerator, 180 * value.denominator)

    def sin(self, x: Any) -> Any:
        return flint.arb(x).sin()

    def cos(self, x: Any) -> Any:
        return flint.arb(x).cos()

    def sqrt(self, x: Any) -> Any:
        return flint.arb(x).mid().sqrt().mid()

    def atan2(self, y: Any, x: Any) -> Any:
        return flint.arb.atan2(flint.arb(y).mid(), flint.arb(x).mid()).mid()

    def abs(self, x: Any) -> Any:
        return abs(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return x if self.less(x, y) else y

    def maximum(self, x: Any, y: Any) -> Any:
        return y if self.less(x, y) else x

    def less(self, x: Any, y: Any) -> Any:
        return int(flint.arb(x).mid() < flint.arb(y).mid())

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        return yes if condition else no


@dataclass(frozen=True)
class Subject:
    """An arm under study, with its limits or without; `compiled`: by the code an arm runs, else by the model's text."""

    name: str
    limited: bool = False
    compiled: bool = True

    @cached_property
    def robot(self) -> mp.Robot:
        if self.name in TABLES:
            return mp.Robot.from_dh(TABLES[self.name], convention="standard", angle="deg", name="arm")
        return mp.load(self.name).with_parameters(**LENGTHS.get(self.name, {}))

    @cached_property
    def solver(self) -> InverseSolver:
        optimise = "fast" if self.compiled else "none"
        fk, J = (mp.generate(self.robot, name, optimise=optimise).compile() for name in ("pose", "jacobian"))
        closed = mp.generate(self.robot, "inverse_kinematics").compile() if self.compiled else None
        limits = mp.Arm(self.robot).limits if self.limited else None
        return InverseSolver(numeric_chain(self.robot), limits, closed=closed, pose=fk, jacobian=J)

    @cached_property
    def exact(self) -> Tree:
        values = {name: flint.arb(1) for name in free_parameters(self.robot)}
        return merge_fixed(bind(self.robot, Digits(), values))  # type: ignore[arg-type]

    def roots(self, q: Floats) -> Floats:
        """Every solution of the pose at q, worked out with many digits, (k, dof)."""
        before, flint.ctx.prec = flint.ctx.prec, BITS
        try:
            T = [x for row in pose(self.exact, [flint.arb(float(x)) for x in q]).rows() for x in row]
            found = branches(self.solver.plan, self.exact, T)
        finally:
            flint.ctx.prec = before
        kept = [row for row, valid in zip(found.q, found.valid, strict=True) if valid]
        return np.array([[float(x) for x in row] for row in kept]).reshape(-1, q.size)


# singular poses


def configurations(subject: Subject, kind: str, offset: float, count: int) -> Floats:
    """Random joint positions, one joint moved to the singularity and then off it."""
    rng = np.random.default_rng([KINDS.index(kind), len(subject.name)])
    joint, found = {"wrist": 4, "elbow": 2, "shoulder": 1}[kind], list[Floats]()
    while len(found) < count:
        q = rng.uniform(-np.pi, np.pi, 6)
        at = _singular_value(subject, kind, q)
        if at is not None:
            q[joint] = at + offset
            found.append(q)
    return np.array(found)


def _singular_value(subject: Subject, kind: str, q: Floats) -> float | None:
    """Where the joint must stand."""
    if kind == "wrist" or subject.name == "stanford" or (kind == "elbow" and subject.name == "ur5"):
        return 0.0
    return _stretched(subject, q) if kind == "elbow" else _on_first_axis(subject, q)


def _wave(values: Sequence[float]) -> tuple[float, float, float]:
    """(A, B, C) of A cos + B sin + C from its values at 0, 90 and 180 degrees."""
    C = (values[0] + values[2]) / 2
    return values[0] - C, values[1] - C, C


def _stretched(subject: Subject, q: Floats) -> float:
    """The third joint where the wrist is farthest from axis 2."""
    A, B, _ = _wave([float(np.sum(_from_axis(subject, _with(q, 2, x), 1) ** 2)) for x in QUARTERS])
    return float(np.arctan2(B, A))


def _on_first_axis(subject: Subject, q: Floats) -> float | None:
    """The second joint where the wrist, seen along axis 2, stands on axis 1."""
    A, B, C = _wave([_sideways(subject, _with(q, 1, x)) for x in QUARTERS])
    reach = np.hypot(A, B)
    return None if abs(C) > 0.98 * reach else float(np.arctan2(B, A) + np.arccos(-C / reach))


def _with(q: Floats, joint: int, value: float) -> Floats:
    moved = q.copy()
    moved[joint] = value
    return moved


def _sideways(subject: Subject, q: Floats) -> float:
    J = subject.solver.jacobian(q)
    return float(_from_axis(subject, q, 0) @ np.cross(J[3:, 1], J[3:, 0]))


def _from_axis(subject: Subject, q: Floats, joint: int) -> Floats:
    """From a joint's axis square to the wrist: (a × r) × a, where a × r is how fast the wrist moves."""
    J = subject.solver.jacobian(q)
    a = J[3:, joint]
    return np.cross(J[:3, joint] + np.cross(a, _wrist(J)), a)


def _wrist(J: Floats) -> Floats:
    """Where axes 5 and 6 cross, from the tool's origin: the point w they do not move, v + a × w = 0."""
    A = np.vstack([np.cross(J[3:, k], np.eye(3)).T for k in (4, 5)])
    w: Floats = np.linalg.lstsq(A, -np.concatenate([J[:3, 4], J[:3, 5]]), rcond=None)[0]
    return w


# what becomes of them


@dataclass
class Verdict:
    """Of many poses: answers and roots on the average, false answers, lost roots, and what the families are called."""

    poses: int = 0
    answers: int = 0
    roots: int = 0
    false: int = 0
    worst: float = 0.0
    lost: int = 0
    named: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        share = ", ".join(f"{text} {count / self.poses:.0%}" for text, count in self.named.most_common(2))
        means = f"{self.roots / self.poses:7.2f}{self.answers / self.poses:9.2f}"
        return f"{self.poses:6}{means}{self.false:7}{self.worst:10.1e}{self.lost:6}   {share}"


def judged(subject: Subject, configurations: Iterable[Floats]) -> Verdict:
    verdict, solver = Verdict(), subject.solver
    for q in configurations:
        result = solver(solver.pose(q))
        residual = np.abs(solver.pose(result.q) - result.pose).max((-1, -2))
        families = [family for family, valid in zip(result.families, result.valid, strict=True) if family and valid]
        roots = subject.roots(q)
        verdict.poses += 1
        verdict.answers += len(result.q)
        verdict.roots += len(roots)
        verdict.false += int((residual > EXACT).sum())
        verdict.worst = max(verdict.worst, float(residual.max(initial=0.0)))
        verdict.lost += sum(not is_there(solver, root, result.q, families) for root in (*roots, q))
        verdict.named[called(result)] += 1
    return verdict


def called(result: Any) -> str:
    """The families of a result, or what else is said of it."""
    families = {family.text for family, valid in zip(result.families, result.valid, strict=True) if family and valid}
    other = "double root" if any("double root" in why for why in result.why) else "separate"
    return " and ".join(sorted(families)) or other


def is_there(solver: InverseSolver, root: Floats, answers: Floats, families: Sequence[Family]) -> bool:
    """Whether a root is among the answers, or on a family."""
    if any(distances(x, root, solver.turning) < SAME or _one(solver, root, x) for x in answers):
        return True
    return any(distances(family.nearest(root), root, solver.turning) < SAME for family in families)


def _one(solver: InverseSolver, a: Floats, b: Floats) -> bool:
    """Whether the pose cannot tell two configurations apart: it is met between them, to the last digits."""
    near = SAME / 10 < distances(a, b, solver.turning) < 1e-3
    still = StandingTool(solver.pose(b), solver.pose, solver.jacobian, solver.turning)
    return bool(near and still.between(a, b) < ONE)


# poses out of reach


def far_poses(solver: InverseSolver, count: int, rng: np.random.Generator) -> Floats:
    """Far away, just past the reach, and about the reach in any orientation, in turn; some of the last are in reach."""
    span = np.where(solver.turning, np.pi, 1.2)
    T = solver.pose(np.clip(rng.uniform(-span, span, (count + 1000, solver.chain.dof)), solver.low, solver.high))
    reach = np.linalg.norm(T[:, :3, 3], axis=1, keepdims=True)
    most, T, reach = reach.max(), T[:count], reach[:count]
    kind = np.arange(count)[:, None] % 3
    T[:, :3, 3] *= most / reach * np.choose(kind, [rng.uniform(low, high, (count, 1)) for low, high in FAR])
    turned = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    turned *= np.sign(np.linalg.det(turned))[:, None, None]
    T[:, :3, :3] = np.where(kind[..., None] != 1, turned, T[:, :3, :3])
    return T


def least(solver: InverseSolver, T: Floats, rng: np.random.Generator, starts: int = STARTS) -> float:
    """The smallest |FK − pose| that scipy finds from random starts inside the limits."""
    span = np.where(solver.turning, np.pi, 2.0)
    low, high = np.maximum(solver.low, -span), np.minimum(solver.high, span)
    how: dict[str, Any] = {"bounds": (solver.low, solver.high)} if solver.limited else {"method": "lm"}
    best = np.inf
    for start in rng.uniform(low, high, (starts, solver.chain.dof)):
        found = least_squares(
            lambda q: difference(solver.pose(q), T), start, lambda q: slopes(solver.pose(q), solver.jacobian(q)),
            xtol=1e-15, ftol=1e-15, gtol=1e-15, **how,
        )  # fmt: skip
        best = min(best, float(np.sqrt(2 * found.cost)))
    return best


def unreachable(subject: Subject, count: int) -> str:
    """Poses out of reach, the largest differences both ways, and how often ours is the worse by more than 1e-6."""
    solver, rng = subject.solver, np.random.default_rng(len(subject.name))
    poses = far_poses(solver, count, rng)
    out = [T for T in poses if not len(solver(T).q)]
    more = np.array([solver.nearest(T).distance - least(solver, T, rng) for T in out])
    return f"{len(out):6}{max(more.max(), 0):13.1e}{max(-more.min(), 0):13.1e}{int((more > SAME).sum()):9}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arms", nargs="*")
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--unreachable", type=int, nargs="?", const=200, metavar="N", help="poses out of reach")
    given = parser.parse_args(arguments)
    if given.unreachable:
        print(f"{'out of reach':20}{'poses':>6}{'ours larger':>13}{'ours smaller':>13}{'> 1e-6':>9}")
        for name in given.arms or OUT_OF_REACH:
            for limited in (False, True) if name in ("puma560", "stanford") else (False,):
                words = name + (", limits" if limited else "")
                if not (name == "stanford" and not limited):  # without limits a slide reaches everywhere
                    print(f"{words:20}{unreachable(Subject(name, limited), given.unreachable)}", flush=True)
        return
    columns = f"{'poses':>6}{'roots':>7}{'answers':>9}{'false':>7}{'residual':>10}{'lost':>6}"
    print(f"{'arm':10}{'where':10}{'off by':8}{columns}   called")
    for name in given.arms or ARMS:
        subject = Subject(name)
        for kind in KINDS:
            for offset in OFFSETS:
                verdict = judged(subject, configurations(subject, kind, offset, given.poses))
                print(f"{name:10}{kind:10}{offset:<8}{verdict}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
