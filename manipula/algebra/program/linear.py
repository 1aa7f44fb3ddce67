"""Systems of linear equations by elimination with row exchanges; matrices are flat, row by row."""

from __future__ import annotations

from manipula.algebra.program.primitives import Ints, Numbers, like

ROUNDING = 1e-16
LEAST = 1e-300


def factorised(n: int, A: Numbers, order: Ints) -> float:
    """PA = LU in place; returns the least pivot by the largest. A pivot that vanishes is taken for rounding."""
    # larger than any pivot: the language of texts has no infinity
    least = 1e300
    most = 0.0
    for k in range(n):
        p = k
        size = abs(A[k * n + k])
        for i in range(k + 1, n):
            other = abs(A[i * n + k])
            # partial pivoting; the first of equal rows stays, in every language
            if other > size:
                size = other
                p = i
        order[k] = p
        if p != k:
            for j in range(n):
                held = A[k * n + j]
                A[k * n + j] = A[p * n + j]
                A[p * n + j] = held
        least = min(least, size)
        # the ratio of pivots is no condition number, but cheap, and small where that is large
        most = max(most, size)
        # an exact zero in its place would stop the solver at a singular arm; this gives a large, finite answer
        if size <= ROUNDING * most:
            A[k * n + k] = ROUNDING * most + LEAST
        # one division a column, which is dearer than the products
        inverse = 1 / A[k * n + k]
        for i in range(k + 1, n):
            factor = A[i * n + k] * inverse
            A[i * n + k] = factor
            for j in range(k + 1, n):
                A[i * n + j] -= factor * A[k * n + j]
    return least / (most + LEAST)


def solved(n: int, m: int, A: Numbers, order: Ints, B: Numbers) -> None:
    """B (n by m) becomes the solution X of AX = B; A as `factorised` left it."""
    for k in range(n):
        p = order[k]
        for j in range(m):
            held = B[k * m + j]
            B[k * m + j] = B[p * m + j]
            B[p * m + j] = held
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i * n + k]
            for j in range(m):
                B[i * m + j] -= factor * B[k * m + j]
    for k in range(n - 1, -1, -1):
        inverse = 1 / A[k * n + k]
        for j in range(m):
            B[k * m + j] *= inverse
        for i in range(k):
            factor = A[i * n + k]
            for j in range(m):
                B[i * m + j] -= factor * B[k * m + j]


def solved_transposed(n: int, A: Numbers, order: Ints, b: Numbers) -> None:
    """b becomes the solution x of A'x = b, A' the transpose; A as `factorised` left it."""
    for k in range(n):
        b[k] /= A[k * n + k]
        for i in range(k + 1, n):
            b[i] -= A[k * n + i] * b[k]
    for k in range(n - 1, -1, -1):
        for i in range(k):
            b[i] -= A[k * n + i] * b[k]
    # Aᵀ = UᵀLᵀP: the exchanges come last, and backwards
    for k in range(n - 1, -1, -1):
        p = order[k]
        held = b[k]
        b[k] = b[p]
        b[p] = held


def largest(n: int, x: Numbers) -> float:
    """The size of the largest of n entries."""
    most = 0.0
    for i in range(n):
        most = max(most, abs(x[i]))
    return most


def inverse_size(n: int, A: Numbers, order: Ints) -> float:
    """The largest entry of the inverse, for n up to 6; A as `factorised` left it."""
    eye = like(A, 36)
    for i in range(n * n):
        eye[i] = 0.0
    for i in range(n):
        eye[i * n + i] = 1.0
    solved(n, n, A, order, eye)
    return largest(n * n, eye)
