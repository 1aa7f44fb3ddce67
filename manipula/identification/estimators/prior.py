"""What is believed of the parameters before any data: of every body a pseudo-inertia P0, of every other column a size.

Bodies come from the robot's file where they are consistent; else they are equal balls about the links' origins, as
heavy as the recorded torques suggest. The belief is entropic,

    λ Σ_i (−log det P_i + tr P0_i⁻¹ P_i)  +  λ Σ_positive (−log f + f/f0)  +  λ Σ_free (f/f0)²

which is least at P_i = P0_i, f = f0 (free ones: 0) and keeps P_i positive definite and f positive.

Source of the log-determinant: T. Lee, P. M. Wensing, F. C. Park, "Geometric robot dynamic identification: a convex
programming approach", IEEE Transactions on Robotics 36(2), 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.columns import Column
from manipula.identification.data import Grams

# The pseudo-inertia of a body: the 4×4 matrix of its moments, positive definite exactly when masses could make it.
#
#     P = ∫ (r, 1)(r, 1)ᵀ dm = [ K  s ]      K = ½ tr(L) 1 − L      L the tensor about the frame's origin
#                              [ sᵀ m ]
#
# Source: P. M. Wensing, S. Kim, J.-J. E. Slotine, "Linear matrix inequalities for physically consistent inertial
# parameter identification", IEEE Robotics and Automation Letters 3(1), 2018.

Array = NDArray[np.float64]
TEN = 10  # Lxx Lxy Lxz Lyy Lyz Lzz mx my mz m, in the order of a regressor's columns
_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (0, 3), (1, 3), (2, 3), (3, 3))


def _symmetric(i: int, j: int) -> Array:
    found = np.zeros((4, 4))
    found[i, j] = found[j, i] = 1.0
    return found


def _of_one(which: int) -> Array:
    """dP/dθ: a diagonal entry of the tensor takes half from its own second moment and gives half to the others."""
    i, j = _PLACES[which]
    if which >= 6:
        return _symmetric(i, j)
    if i != j:
        return -_symmetric(i, j)
    found = np.diag([0.5, 0.5, 0.5, 0.0])
    found[i, i] = -0.5
    return found


MATRICES = np.stack([_of_one(k) for k in range(TEN)])  # P(θ) = Σ θ_k MATRICES[k]
SYMMETRIC = np.stack([_symmetric(i, j) for i, j in _PLACES])  # X(x) = Σ x_k SYMMETRIC[k]


def pseudo_inertia(ten: Array) -> Array:
    """P (…, 4, 4) of the ten parameters (…, 10)."""
    return np.asarray(np.einsum("...k,kij->...ij", ten, MATRICES))


def ten_from(P: Array) -> Array:
    """The ten parameters (…, 10) of a pseudo-inertia (…, 4, 4):  L = tr(K) 1 − K."""
    K = P[..., :3, :3]
    L = np.trace(K, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - K
    tensor = [L[..., i, j] for i, j in _PLACES[:6]]
    return np.stack([*tensor, *(P[..., k, 3] for k in range(4))], axis=-1)


def entries(X: Array) -> Array:
    """x (…, 10) of a symmetric matrix (…, 4, 4): those on and above its diagonal, in the order of `SYMMETRIC`."""
    return np.stack([X[..., i, j] for i, j in _PLACES], axis=-1)


def congruence(root: Array) -> Array:
    """The 10×10 matrix T of x → θ where P = root X rootᵀ, P of θ and X of x."""
    return ten_from(root @ SYMMETRIC @ root.T).T


def sphere(mass: float, radius: float) -> Array:
    """P of a ball about the origin:  K = ⅕ m r² 1."""
    return mass * np.diag([radius**2 / 5] * 3 + [1.0])


def least_eigenvalue(P: Array) -> Array:
    """Of P with lengths measured in its own size, so that it is a number between −1 and 1: how far P is from the edge.

    A body of no mass or with negative second moments has no size; its plain eigenvalues then tell their sign.
    """
    m, trace = P[..., 3, 3], np.trace(P[..., :3, :3], axis1=-2, axis2=-1)
    usable = (m > 0) & (trace > 0)
    size = np.sqrt(np.divide(trace, m, out=np.ones_like(m), where=usable))
    scale = np.stack([1 / size, 1 / size, 1 / size, np.ones_like(size)], axis=-1)
    scaled = P * scale[..., :, None] * scale[..., None, :] / np.where(usable, m, 1.0)[..., None, None]
    return np.asarray(np.linalg.eigvalsh(scaled)[..., 0])


Indexes = NDArray[np.intp]
KINDS = ("robot", "spheres", None)
INERTIAL = "inertial"
RADIUS = 0.15  # of a ball, for an arm that reaches a metre
THINNEST = 0.02  # radius of gyration of a believed body, for an arm that reaches a metre: files have rods and points
SHARE = 0.1  # of a joint's torque that a column is believed to explain
SMALL = ("stiffness", "harmonics", "speed")  # cables, hoses, sensors: they explain any slow motion, and no fast one
SMALL_SHARE = 0.03


@dataclass(frozen=True)
class Prior:
    """`bodies` are the columns of each body, ten in their order; `roots` has L of P0 = L Lᵀ; `scale` is f0."""

    bodies: Indexes  # (k, 10)
    roots: Array  # (k, 4, 4)
    positive: Indexes
    free: Indexes
    scale: Array  # (p,)
    weight: float = 1.0  # λ

    @property
    def size(self) -> int:
        return len(self.scale)

    @property
    def start(self) -> Array:
        """The coordinates x of the prior itself: X = 1, f/f0 = 1, free ones 0."""
        x = np.zeros(self.size)
        x[self.bodies] = entries(np.eye(4))
        x[self.positive] = 1.0
        return x

    @property
    def transform(self) -> Array:
        """T of θ = T x: P_i = L_i X_i L_iᵀ and f = f0 y."""
        T = np.diag(self.scale)
        for columns, root in zip(self.bodies, self.roots):
            T[np.ix_(columns, columns)] = congruence(root)
        return T

    @property
    def mean(self) -> Array:
        """θ of the prior itself."""
        return self.transform @ self.start

    def coordinates(self, theta: Array) -> Array:
        """x of θ, body by body."""
        x = np.zeros(self.size)
        others = np.setdiff1d(np.arange(self.size), self.bodies)
        x[others] = theta[others] / self.scale[others]
        if len(self.bodies):
            blocks = np.stack([congruence(root) for root in self.roots])
            x[self.bodies] = np.linalg.solve(blocks, theta[self.bodies][..., None])[..., 0]
        return x

    def subset(self, kept: Indexes) -> Prior:
        """Of some columns; bodies stay whole."""
        place = {int(old): new for new, old in enumerate(kept)}
        bodies = np.array([[place[int(k)] for k in body] for body in self.bodies], dtype=np.intp).reshape(-1, TEN)
        positive, free = ([place[int(k)] for k in part if int(k) in place] for part in (self.positive, self.free))
        return replace(
            self,
            bodies=bodies,
            positive=np.array(positive, dtype=np.intp),
            free=np.array(free, dtype=np.intp),
            scale=self.scale[kept],
        )

    def with_weight(self, weight: float) -> Prior:
        return replace(self, weight=float(weight))


def bodies_of(columns: Sequence[Column]) -> Indexes:
    """The inertial columns, ten of a body."""
    inertial = [k for k, column in enumerate(columns) if column.family == INERTIAL]
    return np.array(inertial, dtype=np.intp).reshape(-1, TEN)


def prior_from(
    columns: Sequence[Column], grams: Grams, kind: str | None, known: Mapping[str, float], reach: float
) -> Prior:
    """`known` are the file's standard parameters, those with a number; `reach` the sum of the arm's lengths, metres."""
    if kind not in KINDS:
        raise InputError("prior: found {kind!r}, expected 'robot', 'spheres' or None", kind)
    bodies = bodies_of(columns)
    positive = [k for k, column in enumerate(columns) if column.lower == 0.0 and column.family != INERTIAL]
    free = [k for k, column in enumerate(columns) if column.lower is None and column.family != INERTIAL]
    believed = _prior_bodies(columns, bodies, grams, kind, known, reach)
    roots = np.asarray(np.linalg.cholesky(believed), float) if len(bodies) else believed
    scale = sizes(grams)
    scale[positive] *= SHARE
    scale[[k for k in free if columns[k].family.partition(":")[0] in SMALL]] *= SMALL_SHARE
    return Prior(bodies, roots, np.array(positive, dtype=np.intp), np.array(free, dtype=np.intp), scale)


def sizes(grams: Grams) -> Array:
    """Of every column rms torque / rms column, over the joints that feel it; 1 of a column that nobody feels."""
    summed = grams.gram.sum(0)
    squares = np.einsum("jkk->jk", summed)
    torque, felt = squares[:, -1:], squares[:, :-1] > 0
    loud = np.where(torque > 0, torque, 1.0)
    shares = np.where(felt, squares[:, :-1] / loud, 0.0).sum(0)  # (rms column / rms torque)², joint by joint
    joints = np.maximum(felt.sum(0), 1)
    return np.where(shares > 0, np.sqrt(joints / np.where(shares > 0, shares, 1.0)), 1.0)


def _prior_bodies(
    columns: Sequence[Column], bodies: Indexes, grams: Grams, kind: str | None, known: Mapping[str, float], reach: float
) -> Array:
    """P0 of every body."""
    size = reach if reach > 0 else 1.0
    ball = sphere(_mass_of_balls(bodies, grams, sphere(1.0, RADIUS * size)), RADIUS * size)
    found = [ball] * len(bodies)
    if kind == "robot":
        names = [[columns[k].name for k in body] for body in bodies]
        for i, own in enumerate(names):
            if all(name in known for name in own):
                P = pseudo_inertia(np.array([known[name] for name in own]))
                found[i] = enforce_gyration_radius(P, THINNEST * size) if P[3, 3] > 0 else ball
    return np.array(found).reshape(-1, 4, 4)


def enforce_gyration_radius(P: Array, radius: float) -> Array:
    """The consistent body nearest to P with the same mass and centre: no radius of gyration below `radius`."""
    m, c = P[3, 3], P[:3, 3] / P[3, 3]
    values, axes = np.linalg.eigh(P[:3, :3] / m - np.outer(c, c))
    spread = (axes * np.maximum(values, radius**2)) @ axes.T
    found = np.empty((4, 4))
    found[:3, :3], found[:3, 3], found[3, :3], found[3, 3] = spread + np.outer(c, c), c, c, 1.0
    return np.asarray(m * found)


def _mass_of_balls(bodies: Indexes, grams: Grams, ball: Array) -> float:
    """The mass that, the same in every link, explains the torques best, each joint counted alike."""
    theta = np.zeros(grams.gram.shape[-1] - 1)
    theta[bodies] = ten_from(ball)
    summed = grams.gram.sum(0)
    loud = summed[:, -1, -1]
    w = np.where(loud > 0, 1 / np.where(loud > 0, loud, 1.0), 0.0)
    asked = np.einsum("j,k,jkl,l->", w, theta, summed[:, :-1, :-1], theta)
    given = np.einsum("j,jk,k->", w, summed[:, :-1, -1], theta)
    joints = np.count_nonzero(loud)
    # an arm that holds nothing against gravity may not correlate: as heavy then as the torques are loud
    guess = given / asked if asked > 0 else 0.0
    floor = 0.1 * np.sqrt(joints / asked) if asked > 0 else 1.0
    return float(max(guess, floor))
