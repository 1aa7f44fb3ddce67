"""Differences of the rates at the times passed: prediction, errors and what lies between, as texts (see `adams`).

Arrays are flat, a difference after the other, each a whole number of vectors long: loops over them are vectors.
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Reals, reals
from manipula.algebra.program.tapes import Straight
from manipula.simulation.smooth.weights import weights_tape

MOST = 12  # the highest order of the predictor
ROWS = MOST + 2  # of differences
LANES = 8  # numbers side by side
WIDTH = 16  # numbers an order, whole vectors
SPANS = WIDTH + 1
step_weights = Straight(weights_tape(MOST, between=False))
weights = Straight(weights_tape(MOST, between=True))


def wide(size: int) -> int:
    """Entries of the arrays of a flow: whole vectors, those beyond the states are 0."""
    return -(-size // LANES) * LANES


def predict(n: int, k: int, h: float, spans: Reals, g: Reals, phi: Reals, star: Reals, y: Reals, p: Reals,
            total: Reals) -> None:  # fmt: skip
    """p, Φ*_j and the sum of those below k."""
    ahead = reals(WIDTH)  # x − x_{n−j}
    taken = reals(WIDTH)
    ratio = reals(WIDTH)
    for j in range(WIDTH):
        ahead[j] = h + spans[j]
    for j in range(WIDTH):
        taken[j] = h / ahead[j]
    for j in range(WIDTH):
        ratio[j] = ahead[j] / spans[j + 1]
    step_weights(taken, g)
    for i in range(n):
        star[i] = phi[i]
        total[i] = phi[i]
        p[i] = phi[i]
    beta = 1.0
    for j in range(1, k + 1):
        beta *= ratio[j - 1]
        weight = g[j] if j < k else 0.0
        share = 1.0 if j < k else 0.0
        for i in range(n):
            term = beta * phi[j * n + i]
            star[j * n + i] = term
            p[i] += weight * term
            total[i] += share * term
    for i in range(n):
        p[i] = y[i] + h * p[i]


def square(n: int, f: Reals, scales: Reals) -> float:
    """Σ (f_i scale_i)², no less than the largest of them; lane by lane, as a sum waits for the one before."""
    sums = reals(LANES)
    for i in range(LANES):
        sums[i] = 0.0
    for at in range(0, n, LANES):
        for i in range(LANES):
            x = f[at + i] * scales[at + i]
            sums[i] += x * x
    even = (sums[0] + sums[4]) + (sums[2] + sums[6])
    odd = (sums[1] + sums[5]) + (sums[3] + sums[7])
    return even + odd  # type: ignore[no-any-return]


def lower(n: int, k: int, scales: Reals, total: Reals, star: Reals, spare: Reals, sizes: Reals) -> None:
    """Squares of Φ_{k−1} and Φ_{k−2} at x with f(p) in sizes 2 and 3, from Φ_k, which `total` is."""
    sizes[2] = 0.0
    sizes[3] = 0.0
    if k > 1:
        for i in range(n):
            spare[i] = total[i] + star[(k - 1) * n + i]
        sizes[2] = square(n, spare, scales)
    if k > 2:
        for i in range(n):
            spare[i] += star[(k - 2) * n + i]
        sizes[3] = square(n, spare, scales)


def pass_on(n: int, k: int, h: float, spans: Reals, f: Reals, phi: Reals, star: Reals) -> None:
    """The differences and spans at x become those at x_n."""
    for i in range(n):
        phi[i] = f[i]
    for j in range(k + 1):
        for i in range(n):
            f[i] -= star[j * n + i]
            phi[(j + 1) * n + i] = f[i]
    for j in range(SPANS - 1, 0, -1):
        spans[j] = spans[j - 1] + h


def between(size: int, n: int, k: int, back: float, spans: Reals, phi: Reals, y: Reals, out: Reals) -> None:
    """y at x_n + back, within the last step: y_n + back Σ_{j≤k} g_j Φ_j."""
    kept = reals(WIDTH)
    taken = reals(WIDTH)
    g = reals(WIDTH)
    for j in range(WIDTH):
        kept[j] = (back + spans[j]) / spans[j + 1]
    for j in range(WIDTH):
        taken[j] = back / spans[j + 1]
    weights(kept, taken, g)
    for i in range(size):
        out[i] = 0.0
    for j in range(k, -1, -1):
        for i in range(size):
            out[i] += g[j] * phi[j * n + i]
    for i in range(size):
        out[i] = y[i] + back * out[i]


def weigh(n: int, y: Reals, scales: Reals) -> None:
    """An error counts as it is where numbers are small, relative to them where they are large."""
    for i in range(n):
        scales[i] = 1.0 / max(1.0, abs(y[i]))
