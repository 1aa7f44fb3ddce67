"""The information of a motion on the parameters, as a number with an exact gradient.

The unknowns are the base parameters of the rigid arm and, of every coordinate, motor inertia, viscous and Coulomb
friction and a constant. W is the matrix of all samples, τ = W θ, and G = WᵀW/N.

    log det     log det G, every column measured in a unit of its own: a unit adds a constant
    condition   − log cond W of the rigid part, SI: the ratio of its singular values, by means of high order

      log λ_max ≈ ⅛ log tr G⁸        −log λ_min ≈ ⅛ log tr G⁻⁸        λ of G, cond² = λ_max/λ_min

With M the slope of either by G, the slope by W is 2 W M/N, and `base_regressor_vjp` takes it to q, q̇ and q̈. The sign of
Coulomb friction is drawn out, tanh(q̇/w), or the measure would jump wherever a sample crosses zero.

Source: Gautier, Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research 11 (1992), for the condition number; Swevers, Ganseman, Tükel, De Schutter,
Van Brussel, "Optimal robot excitation and identification", IEEE Transactions on Robotics and Automation 13 (1997), for
the determinant. The gradients are derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.identification.excitation.motions import Kept
from manipula.identification.excitation.penalties import numeric, rigid
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.trajectories.trajectory import Floats

WIDTH = 0.05  # of the velocity limit: where the sign of a velocity is drawn out
RIDGE = 1e-9  # of a column's unit squared: log det stays finite where nothing is identifiable
FLOOR = 1e-15  # of the mean eigenvalue
MIXED = 0.02  # of log det, per unknown, in the condition: of motions as well conditioned the one with more information
LIGHT = 200_000  # multiplications of a product
STATES = 60  # at random, to see which columns are independent
DEPENDENT = 1e-7  # of a column's length, what the columns before do not explain
LEADS = 0.3  # of the largest entry of a direction
EXTRA = ("Ia", "fv", "fc", "fo")


class Told(NamedTuple):
    """A measure of information, the more the larger, and its slope by the matrix, (times, n, unknowns)."""

    value: float
    slope: Floats


@dataclass(frozen=True, eq=False)
class Information:
    """The columns of an arm. `unit`: what each is measured in; `kept`: which of the extra ones are independent."""

    regressor: Callable[..., Floats]
    pulled: Callable[..., tuple[Floats, ...]]
    base: tuple[str, ...]
    joints: tuple[str, ...]
    width: Floats
    kept: NDArray[np.intp]
    unit: Floats
    known: Floats | None = None  # G of recordings made before, in the units, times their length over that of the motion

    @property
    def names(self) -> list[str]:
        """The unknowns."""
        extra = [f"{letters}{i + 1}" for letters in EXTRA for i in range(len(self.joints))]
        return [*self.base, *(extra[k] for k in self.kept)]

    def matrix(self, motion: Motion, drawn_out: bool = True) -> Floats:
        """(times, n, unknowns)"""
        return np.concatenate([self.regressor(*motion), self._extra(motion, drawn_out)], axis=-1)

    def _extra(self, motion: Motion, drawn_out: bool) -> Floats:
        times, n = motion.q.shape
        sign = np.tanh(motion.qd / self.width) if drawn_out else np.sign(motion.qd)
        found = np.zeros((times, n, len(EXTRA), n))
        for k, column in enumerate((motion.qdd, motion.qd, sign, np.ones_like(sign))):
            found[:, np.arange(n), k, np.arange(n)] = column
        return found.reshape(times, n, -1)[..., self.kept]

    def pull(self, motion: Motion, slope: Floats) -> Motion:
        """The slope by the matrix → by positions, velocities, accelerations."""
        times, n = motion.q.shape
        b = len(self.base)
        q, qd, qdd = map(np.array, self.pulled(*motion, np.ascontiguousarray(slope[..., :b]).reshape(times, -1)))
        wide = np.zeros((times, n, len(EXTRA) * n))
        wide[..., self.kept] = slope[..., b:]
        inertia, viscous, coulomb, _ = np.einsum("tiki->kti", wide.reshape(times, n, len(EXTRA), n))
        steep = (1 - np.tanh(motion.qd / self.width) ** 2) / self.width
        return Motion(q, qd + viscous + coulomb * steep, qdd + inertia)

    # measures

    def logdet(self, motion: Motion) -> Told:
        W = self.matrix(motion) / self.unit
        flat = W.reshape(-1, W.shape[-1])
        G = _normal(flat) / len(W) + RIDGE * np.eye(W.shape[-1])
        if self.known is not None:
            G = G + self.known
        value = np.linalg.slogdet(G)[1]
        return Told(float(value), ((2 / len(W)) * _times(flat, np.linalg.inv(G)) / self.unit).reshape(W.shape))

    def condition(self, motion: Motion) -> Told:
        W, b = self.regressor(*motion), len(self.base)
        flat = W.reshape(-1, b)
        value, by_normal = _spread(_normal(flat) / len(W) + self._known_rigid())
        more = self.logdet(motion)
        share = MIXED / len(self.names)
        slope = share * more.slope
        slope[..., :b] -= (2 / len(W)) * _times(flat, by_normal).reshape(W.shape)
        return Told(float(share * more.value - value), slope)

    def conditions(self, motion: Motion) -> tuple[float, float]:
        """Of the rigid part, SI; and of all unknowns, every column of unit length."""
        W = self.matrix(motion, drawn_out=False)
        flat, b = W.reshape(-1, W.shape[-1]), len(self.base)
        lengths = np.linalg.norm(flat, axis=0)
        scaled = flat / np.where(lengths > 0, lengths, 1.0)
        if self.known is None:
            return float(np.linalg.cond(flat[:, :b])), float(np.linalg.cond(scaled))
        G = _normal(flat) / len(W) + self.known * np.outer(self.unit, self.unit)
        sizes = np.sqrt(np.maximum(np.diag(G), 1e-300))
        both = (np.linalg.cond(G[:b, :b]), np.linalg.cond(G / np.outer(sizes, sizes)))
        return float(np.sqrt(both[0])), float(np.sqrt(both[1]))

    def _known_rigid(self) -> Floats:
        """Of the base parameters, SI; nothing where no recording was made before."""
        b = len(self.base)
        if self.known is None:
            return np.zeros((b, b))
        return self.known[:b, :b] * np.outer(self.unit[:b], self.unit[:b])

    def after(self, motions: Sequence[Motion], share: float) -> Information:
        """Beside what these motions show; `share` is their length over that of the motion to be made."""
        rows = [(self.matrix(motion) / self.unit).reshape(-1, len(self.names)) for motion in motions]
        times = sum(len(motion.q) for motion in motions)
        return replace(self, known=share / max(times, 1) * np.asarray(sum(map(_normal, rows))))

    def weakest(self, motion: Motion) -> list[str]:
        """The unknowns that the motion shows least: those that lead the direction of its least singular value."""
        flat = (self.matrix(motion, drawn_out=False) / self.unit).reshape(-1, len(self.names))
        G = _normal(flat) / len(motion.q) + (0.0 if self.known is None else self.known)
        least = np.abs(np.linalg.eigh(G)[1][:, 0])
        return [self.names[k] for k in np.argsort(-least)[:3] if least[k] > LEADS * least.max()]


def _parts(W: Floats) -> list[Floats]:
    """Rows in parts whose products are too light for a library to share them out to threads: waiting for each other
    these take ten times as long as the work, where other programs run."""
    rows = max(1, LIGHT // W.shape[1] ** 2)
    return [W[start : start + rows] for start in range(0, len(W), rows)]


def _normal(W: Floats) -> Floats:
    """WᵀW"""
    return np.asarray(sum(part.T @ part for part in _parts(W)))


def _times(W: Floats, M: NDArray[np.floating[Any]]) -> Floats:
    """W M"""
    return np.concatenate([part @ M for part in _parts(W)])


def _spread(G: Floats) -> tuple[float, Floats]:
    """½ log λ_max/λ_min by means of order 8, which are traces of powers, and its slope by G.

    An eigenvalue solver would do, but takes a hundred times as long where its library shares it out to threads.
    """
    size = np.trace(G) / len(G)
    A = G / size + FLOOR * np.eye(len(G))
    H = np.linalg.inv(A)
    large = np.trace(H)
    (high, A7, _), (low, _, H9) = _powers(A), _powers(H / large)
    value = (np.log(high) / 8 + np.log(low) / 8 + np.log(large)) / 2
    return float(value), (A7 / high - large * H9 / low) / (2 * size)


def _powers(A: Floats) -> tuple[float, Floats, Floats]:
    """tr A⁸, A⁷, A⁹"""
    A2 = A @ A
    A4 = A2 @ A2
    A8 = A4 @ A4
    return float(np.trace(A8)), A4 @ A2 @ A, A8 @ A


CRITERIA: dict[str, Callable[[Information, Motion], Told]] = {
    "logdet": Information.logdet,
    "condition": Information.condition,
}


def information_of(robot: RobotDescription, limits: Kept) -> Information:
    """The columns of a robot that moves within these limits."""
    bare, why = rigid(robot), Message("a motion that excites it")
    regressor, pulled = (numeric(bare, model, why) for model in ("base_regressor", "base_regressor_vjp"))
    width = WIDTH * np.where(np.isfinite(limits.velocity), limits.velocity, 1.0)
    n = robot.dof
    every = np.arange(len(EXTRA) * n)
    names = tuple(regressor.columns)
    found = Information(regressor, pulled, names, tuple(robot.joint_names), width, every, np.ones(len(names) + 4 * n))
    rng = np.random.default_rng(0)
    q, qd, qdd = (rng.uniform(-1, 1, (STATES + 4 * n, n)) for _ in range(3))
    trial = Motion(limits.middle + limits.reach * q, qd, qdd)
    W = found.matrix(trial, drawn_out=False).reshape(-1, len(found.names))
    lengths = np.linalg.norm(W, axis=0)
    left = np.abs(np.diag(np.linalg.qr(W / np.where(lengths > 0, lengths, 1.0), mode="r")))
    there = (left > DEPENDENT) | (np.arange(len(left)) < len(names))
    unit = np.where(lengths > 0, lengths / np.sqrt(len(W) / n), 1.0)
    return replace(found, kept=every[there[len(names) :]], unit=unit[there])
