"""Texts of one configuration and one target: the nearest rotation, the missing twist, a Newton step.

Poses are 16 numbers, row by row; a Jacobian is six rows, of the position first.
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Reals, reals

ROUNDS = 4  # of the iteration for the nearest rotation: an error of 3e-3 becomes 1e-5, 3e-10, rounding


class Number:
    """Where the numbers of an arm stand in the table: tolerances (see `numeric.tolerances`), then the rows of `Row`."""

    CLEAN = 0  # of RᵀR − 1: a rotation as exact as the number type
    ROTATION = 1  # of the entries of R, in the mean, and of the last row: a target further off is not a pose
    EXACT = 2  # largest entry of |FK − T| of a solution
    MET = 3  # the same where one branch meets the target so well: with fewer than six freedoms less than EXACT
    GOOD = 4  # the same of a branch that needs no polish
    BESIDE = 5  # a branch that misses by more is not polished
    FAMILY = 6  # discriminant below which solutions may form a family
    DAMPING = 7  # λ
    PULL = 8  # w
    STILL = 9  # rad, m: a step along a family that ends the way
    ROWS = 10


def is_finite(n: int, x: Reals) -> bool:
    """Whether every number is finite."""
    off = 0.0
    for i in range(n):
        off += abs(x[i] - x[i])  # NaN of NaN, and of infinity
    return off == 0


def nearest_rotation(T: Reals, exact: Reals, table: Reals) -> bool:
    """The pose `exact` with the rotation nearest to that of T; whether T is a pose to within its tolerance.

    R ← R (3 − RᵀR) / 2 leads to the orthogonal factor of R (Björck and Bowie 1971), squaring the error each time.
    """
    G = reals(9)
    for i in range(12):
        exact[i] = T[i]
    for i in range(3):
        exact[12 + i] = 0.0
    exact[15] = 1.0
    off = 1.0
    for _ in range(ROUNDS + 1):
        off = 0.0
        for i in range(3):
            for j in range(3):
                total = -1.0 if i == j else 0.0
                for k in range(3):
                    total += exact[4 * k + i] * exact[4 * k + j]
                G[3 * i + j] = total
                off = max(off, abs(total))
        if off <= table[Number.CLEAN]:
            break
        for k in range(3):
            x = 0.5 * exact[4 * k]
            y = 0.5 * exact[4 * k + 1]
            z = 0.5 * exact[4 * k + 2]
            for j in range(3):
                exact[4 * k + j] -= x * G[j] + y * G[3 + j] + z * G[6 + j]
    limit = table[Number.ROTATION]
    moved = 0.0
    last = abs(T[15] - 1.0)
    for k in range(3):
        last = max(last, abs(T[12 + k]))
        for j in range(3):
            # how far the rotation was moved says whether T was meant as one
            moved += (exact[4 * k + j] - T[4 * k + j]) * (exact[4 * k + j] - T[4 * k + j])
    x = exact[5] * exact[10] - exact[6] * exact[9]
    y = exact[6] * exact[8] - exact[4] * exact[10]
    z = exact[4] * exact[9] - exact[5] * exact[8]
    right_handed: bool = exact[0] * x + exact[1] * y + exact[2] * z > 0
    is_pose: bool = off <= limit and last <= limit and moved <= 9.0 * limit * limit
    return right_handed and is_pose


def residual(T: Reals, at: Reals) -> float:
    """The largest entry of |at − T|; NaN where one is NaN."""
    most = 0.0
    odd = 0.0
    for i in range(12):
        gap = abs(at[i] - T[i])
        most = max(most, gap)
        # max drops NaN: this sum does not
        odd += gap - gap
    return most + odd


def twist(T: Reals, at: Reals, scale: float, e: Reals) -> None:
    """The missing position, times `scale`, and the missing rotation vector, to first order."""
    for i in range(3):
        e[i] = scale * (T[4 * i + 3] - at[4 * i + 3])
        e[3 + i] = 0.0
    for j in range(3):
        e[3] += 0.5 * (T[8 + j] * at[4 + j] - T[4 + j] * at[8 + j])
        e[4] += 0.5 * (T[j] * at[8 + j] - T[8 + j] * at[j])
        e[5] += 0.5 * (T[4 + j] * at[j] - T[j] * at[4 + j])


def newton_step(dof: int, J: Reals, e: Reals, scale: float, weight: Reals, H: Reals, step: Reals) -> None:
    """(JᵀJ + W) step = Jᵀe + W step, by Cholesky's factors without roots; H is room for dof² numbers."""
    for i in range(dof):
        step[i] *= weight[i]
        for k in range(6):
            row = scale * J[k * dof + i] if k < 3 else J[k * dof + i]
            step[i] += row * e[k]
        for j in range(i + 1):
            total = weight[i] if i == j else 0.0
            for k in range(6):
                product = J[k * dof + i] * J[k * dof + j]
                total += scale * scale * product if k < 3 else product
            H[i * dof + j] = total
    # without roots: a pivot that rounding has made negative would not have a root
    for j in range(dof):  # H = L D Lᵀ: D on the diagonal, L below it, L D above
        for k in range(j):
            H[k * dof + j] = H[j * dof + k] * H[k * dof + k]
        for i in range(j, dof):
            for k in range(j):
                H[i * dof + j] -= H[i * dof + k] * H[k * dof + j]
            if i > j:
                H[i * dof + j] /= H[j * dof + j]
    for i in range(dof):
        for k in range(i):
            step[i] -= H[i * dof + k] * step[k]
    for i in range(dof):
        step[i] /= H[i * dof + i]
    for i in range(dof - 1, -1, -1):
        for k in range(i + 1, dof):
            step[i] -= H[k * dof + i] * step[k]
