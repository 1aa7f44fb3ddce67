"""The pseudo-inertia of a body: the 4×4 matrix of its moments, positive definite exactly when masses could make it.

    P = ∫ (r, 1)(r, 1)ᵀ dm = [ K  s ]      K = ½ tr(L) 1 − L      L the tensor about the frame's origin
                             [ sᵀ m ]

Source: P. M. Wensing, S. Kim, J.-J. E. Slotine, "Linear matrix inequalities for physically consistent inertial
parameter identification", IEEE Robotics and Automation Letters 3(1), 2018.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    size = np.where(usable, np.sqrt(np.where(usable, trace, 1.0) / np.where(usable, m, 1.0)), 1.0)
    scale = np.stack([1 / size, 1 / size, 1 / size, np.ones_like(size)], axis=-1)
    scaled = P * scale[..., :, None] * scale[..., None, :] / np.where(usable, m, 1.0)[..., None, None]
    return np.asarray(np.linalg.eigvalsh(scaled)[..., 0])
