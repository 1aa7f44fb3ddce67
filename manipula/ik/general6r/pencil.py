"""From a pose to the eigenvalue problem: fourteen equations, eight products eliminated, M0 + M1 x + M2 x^2.

`table` and `shape` are laid out as `ReadingTable` and `Shape` say. A row of W holds the eight products of the angles 1
and 2, the number, and the 27 products of 3, 4 and 5.
"""

from __future__ import annotations

from manipula.algebra.program.linear_algebra import eigenvalues, factorised, largest, solved
from manipula.algebra.program.primitives import (
    Complexes,
    Ints,
    Number,
    Numbers,
    Reals,
    atan2,
    complexes,
    cos,
    imag,
    integers,
    like,
    log,
    number,
    quotient,
    real,
    reals,
    sin,
    sqrt,
)  # fmt: skip
from manipula.ik.general6r.arm import ReadingTable, Shape
from manipula.ik.numeric.tolerances import Beyond, ReadingTolerance

WIDE = 36  # the length of a row of W
TRIES = 3  # origins that the first angle is counted from
OTHER = 1.3  # rad by which the origin moves then


def lifted(T: Reals, D: Reals) -> None:
    """What the motion T does to (1, l, p, p.p, p.l, p x l, (p.p) l - 2 (p.l) p) of a line: 15 by 15."""
    for i in range(225):
        D[i] = 0.0
    t0 = T[3]
    t1 = T[7]
    t2 = T[11]
    square = t0 * t0 + t1 * t1 + t2 * t2
    D[0] = 1.0
    # p·p and p·l enter themselves once
    D[112] = 1.0
    D[128] = 1.0
    # row 7: |R p + t|² = p·p + 2 t·R p + t·t; row 8: (R p + t)·R l = p·l + t·R l
    D[105] = square
    for j in range(3):
        back = t0 * T[j] + t1 * T[4 + j] + t2 * T[8 + j]
        D[105 + 4 + j] = 2 * back
        D[120 + 1 + j] = back
        for i in range(3):
            r = T[i * 4 + j]
            D[(1 + i) * 15 + 1 + j] = r
            D[(4 + i) * 15 + 4 + j] = r
            D[(9 + i) * 15 + 9 + j] = r
            D[(12 + i) * 15 + 12 + j] = r
            after = (i + 1) % 3
            last = (i + 2) % 3
            # rows 9 to 11: (R p + t) × R l = R (p × l) + t × R l; the last three gather 2 t × (R l × R p)
            crossed = T[after * 4 + 3] * T[last * 4 + j] - T[last * 4 + 3] * T[after * 4 + j]
            D[(9 + i) * 15 + 1 + j] = crossed
            D[(12 + i) * 15 + 9 + j] = -2 * crossed
            D[(12 + i) * 15 + 1 + j] = square * r - 2 * T[i * 4 + 3] * back
    for i in range(3):
        D[(4 + i) * 15] = T[i * 4 + 3]
        D[(12 + i) * 15 + 8] = -2 * T[i * 4 + 3]


def equations(table: Reals, shape: Ints, back: Reals, W: Reals) -> None:
    """The fourteen equations; `back` is the inverse of the gap with the pose."""
    D = reals(225)
    moved = reals(135)
    p = shape[Shape.PARTS]
    s = shape[Shape.PARTS_AFTER]
    after = ReadingTable.BEFORE + 225 * p
    # the right side is moved once for all equations, not in the innermost loop
    lifted(back, D)
    for i in range(15):
        for b in range(s):
            moved[i * s + b] = 0.0
        for k in range(15):
            for b in range(s):
                moved[i * s + b] += D[i * 15 + k] * table[after + k * s + b]
    for i in range(14):
        for a in range(p):
            row = ReadingTable.BEFORE + ((i + 1) * p + a) * 15
            for b in range(s):
                total = 0.0
                for k in range(15):
                    total += table[row + k] * moved[k * s + b]
                column = a * s + b
                # the product 1·1 is the number: it goes behind the eight that are eliminated
                W[i * WIDE + (column - 1 if column > 0 else 8)] = total
        for j in range(27):
            W[i * WIDE + 9 + j] = table[ReadingTable.LEFT + i * 27 + j]


def reduced(W: Reals) -> None:
    """Reflections make the first eight columns triangular: six equations without them are left below."""
    v = reals(14)
    dot = reals(WIDE)
    # reflections and no pivots: the six equations that are left keep their size, and with it their digits
    for k in range(8):
        size = 0.0
        for i in range(k, 14):
            v[i] = W[i * WIDE + k]
            size += v[i] * v[i]
        size = sqrt(size)
        if size == 0:
            continue
        # the sign that adds: v[k] − size must not cancel
        size = -size if v[k] > 0 else size
        beta = 1 / (size * (size - v[k]))
        v[k] -= size
        for j in range(WIDE):
            dot[j] = 0.0
        for i in range(k, 14):
            for j in range(WIDE):
                dot[j] += v[i] * W[i * WIDE + j]
        for i in range(k, 14):
            factor = beta * v[i]
            for j in range(WIDE):
                W[i * WIDE + j] -= factor * dot[j]


def in_tangents(origin: float, step: int, E: Reals) -> None:
    """(1, cos, sin) of one angle become powers of the tangent of its half, counted from an origin."""
    c = cos(origin)
    s = sin(origin)
    for i in range(162):
        if quotient(i, step) % 3 == 0:
            # times 1 + t²: cos becomes 1 − t², sin becomes 2t
            one = E[i]
            # the angle is counted from the origin: cos(o + φ) and sin(o + φ) are opened
            turned = c * E[i + step] + s * E[i + 2 * step]
            E[i + step] = 2 * (c * E[i + 2 * step] - s * E[i + step])
            E[i] = one + turned
            E[i + 2 * step] = one - turned


def coefficients(table: Reals, shape: Ints, shift: float, W: Reals, E: Reals) -> None:
    """E[k][m][b][c] of six equations: powers k of the eigenvalue, b of the tangent multiplied by, c of the other."""
    F = reals(162)
    for m in range(6):
        for j in range(27):
            F[m * 27 + j] = W[(8 + m) * WIDE + 9 + j]
    in_tangents(table[ReadingTable.ORIGIN] + shift, 9, F)
    in_tangents(table[ReadingTable.ORIGIN + 1], 3, F)
    in_tangents(table[ReadingTable.ORIGIN + 2], 1, F)
    swapped = shape[Shape.SWAPPED]
    for m in range(6):
        number = W[(8 + m) * WIDE + 8]
        for k in range(3):
            for b in range(3):
                for c in range(3):
                    place = m * 27 + k * 9 + (c * 3 + b if swapped == 1 else b * 3 + c)
                    # the number times (1 + x²)(1 + y²)(1 + z²): it stands at even powers alone
                    even = k != 1 and b != 1 and c != 1
                    E[k * 54 + m * 9 + b * 3 + c] = F[place] - (number if even else 0.0)


def multiplied(E: Reals, r: int, V: Reals, out: Reals) -> None:
    """Add M V (12 by r) for the matrix M of one power: the six equations, and again multiplied by their tangent."""
    for i in range(12):
        m = i % 6
        # times the tangent, every power is one place further: three columns
        first = 0 if i < 6 else 3
        for j in range(9):
            factor = E[m * 9 + j]
            row = (first + j) * r
            for k in range(r):
                out[i * r + k] += factor * V[row + k]


def companion(shape: Ints, E: Reals, basis: Reals, A: Reals) -> float:
    """The matrix (r by r) with the eigenvalues wanted; how well M2 is conditioned."""
    M2 = reals(144)
    low = reals(288)
    order = integers(12)
    r = shape[Shape.ROOTS]
    for i in range(144):
        M2[i] = 0.0
    for i in range(12):
        for j in range(9):
            # −M2, so that solving gives −M2⁻¹(M0 + M1 x) v: the lower half of the companion matrix
            M2[i * 12 + j + (0 if i < 6 else 3)] = -E[108 + (i % 6) * 9 + j]
    for i in range(12 * r):
        low[i] = 0.0
    multiplied(E, r, basis, low)
    multiplied(E[54:], r, basis[12 * r :], low)
    quality = factorised(12, M2, order)
    solved(12, r, M2, order, low)
    for i in range(r):
        for j in range(r):
            A[i * r + j] = 0.0
        for k in range(12):
            x = basis[k * r + i]
            y = basis[(12 + k) * r + i]
            for j in range(r):
                A[i * r + j] += x * basis[(12 + k) * r + j] + y * low[k * r + j]
    return quality


def turned_basis(r: int, shift: float, seen: Reals, basis: Reals) -> None:
    """The basis of (v, xv) when the angle is counted from `shift` further on: a Moebius change of x."""
    # (v, xv) turns by half the shift, for x is a tangent of half angles: an orthonormal basis stays one
    c = cos(shift / 2)
    s = sin(shift / 2)
    for i in range(12 * r):
        basis[i] = c * seen[i] + s * seen[12 * r + i]
        basis[12 * r + i] = c * seen[12 * r + i] - s * seen[i]


def pencil(table: Reals, shape: Ints, back: Reals, W: Reals, E: Reals, re: Reals, im: Reals) -> float:
    """Eigenvalues for a pose, and the change of origin they are counted from; 100 where there are none.

    A root near infinity makes M2 nearly singular: the tangent is then counted from elsewhere.
    """
    A = reals(576)
    basis = reals(576)
    p = shape[Shape.PARTS]
    r = shape[Shape.ROOTS]
    seen = ReadingTable.BEFORE + 225 * p + 15 * shape[Shape.PARTS_AFTER]
    equations(table, shape, back, W)
    reduced(W)
    shift = 0.0
    for attempt in range(TRIES):
        shift = attempt * OTHER
        coefficients(table, shape, shift, W, E)
        turned_basis(r, shift, table[seen:], basis)
        # another origin moves the root at infinity to a finite tangent
        if companion(shape, E, basis, A) > ReadingTolerance.ILL:
            break
    # NaN fails this test too
    if not largest(r * r, A) < Beyond.FINITE:
        return 100.0
    return 100.0 if eigenvalues(r, A, re, im) > 0 else shift


# From an eigenvalue to a rough root: the null vector, angles 3, 4, 5, then 1, 2 and 6.


def null_vector(E: Reals, x: Number, v: Numbers) -> None:
    """v (12) with (M0 + M1 x + M2 x^2) v = 0, by two steps of inverse iteration."""
    M = like(v, 144)
    order = integers(12)
    size = abs(x)
    # divided by x² where x is large: no coefficient then overwhelms the others
    c0 = 1 / (x * x) if size > 1 else 1 + 0 * x
    c1 = 1 / x if size > 1 else x
    c2 = 1 + 0 * x if size > 1 else x * x
    for i in range(144):
        M[i] = 0.0
    for m in range(6):
        for j in range(9):
            entry = c0 * E[m * 9 + j] + c1 * E[54 + m * 9 + j] + c2 * E[108 + m * 9 + j]
            M[m * 12 + j] = entry
            M[(m + 6) * 12 + j + 3] = entry
    factorised(12, M, order)
    for i in range(12):
        # any start that is not square to the null vector will do
        v[i] = 1.0 if i % 3 == 0 else 0.5
    # inverse iteration: M is singular to rounding, so each step multiplies the null vector by 1e16
    for _ in range(2):
        solved(12, 1, M, order, v)
        factor = 1 / largest(12, v)
        for i in range(12):
            v[i] *= factor


def conjugate_product(a: Number, b: Number) -> complex:
    """a times the conjugate of b"""
    return number(real(a) * real(b) + imag(a) * imag(b), imag(a) * real(b) - real(a) * imag(b))


def tangents(x: Number, v: Numbers, swapped: int, t: Complexes) -> None:
    """Of the halves of angles 3, 4, 5: the eigenvalue, and the ratios of v's entries nearest in least squares."""
    up = number(0.0, 0.0)
    across = number(0.0, 0.0)
    below = 0.0
    left = 0.0
    for b in range(4):
        for c in range(3):
            at = b * 3 + c
            size = abs(v[at]) * abs(v[at])
            if b < 3:
                # v holds products of powers: neighbours have the tangent as their ratio, in the mean less rounded
                up += conjugate_product(v[at + 3], v[at])
                below += size
            if c < 2:
                across += conjugate_product(v[at + 1], v[at])
                left += size
    t[0] = x
    t[2 if swapped == 1 else 1] = up / below
    t[1 if swapped == 1 else 2] = across / left


def first_two(W: Reals, c: Complexes, s: Complexes) -> None:
    """Cosines and sines of angles 1 and 2 from those of 3, 4 and 5, by the eight equations left over."""
    powers = complexes(27)
    y = complexes(8)
    for i in range(27):
        x3 = 1.0 if i < 9 else c[2] if i < 18 else s[2]
        x4 = 1.0 if i // 3 % 3 == 0 else c[3] if i // 3 % 3 == 1 else s[3]
        x5 = 1.0 if i % 3 == 0 else c[4] if i % 3 == 1 else s[4]
        powers[i] = x3 * x4 * x5
    # the eight columns are triangular by now
    for i in range(7, -1, -1):
        total = number(-W[i * WIDE + 8], 0.0)
        for j in range(27):
            total += W[i * WIDE + 9 + j] * powers[j]
        for j in range(i + 1, 8):
            total -= W[i * WIDE + j] * y[j]
        y[i] = total / W[i * WIDE + i]
    # of the eight products those with the other angle’s 1 are the cosines and sines themselves
    c[0] = y[0]
    s[0] = y[1]
    c[1] = y[2]
    s[1] = y[5]


def last_one(table: Reals, gap: int, back: Reals, c: Complexes, s: Complexes) -> complex:
    """exp(i angle 6) from the first row of G6 J1 G1 ... J5 G5."""
    row = complexes(3)
    next_row = complexes(3)
    for j in range(3):
        row[j] = back[j * 4] if gap == 6 else table[ReadingTable.GAPS + 45 + j]
    # only the first row of the product is needed: five times a row, never a matrix
    for k in range(5):
        x = row[0]
        y = row[1]
        row[0] = x * c[k] + y * s[k]
        row[1] = y * c[k] - x * s[k]
        for j in range(3):
            next_row[j] = 0.0
            for i in range(3):
                next_row[j] += row[i] * (
                    back[j * 4 + i] if gap == k + 1 else table[ReadingTable.GAPS + 9 * k + i * 3 + j]
                )
        for j in range(3):
            row[j] = next_row[j]
    turn: complex = row[0] + number(0.0, 1.0) * row[1]
    return turn


def rough_root(table: Reals, shape: Ints, shift: float, back: Reals, W: Reals, t: Complexes, angles: Complexes) -> None:
    """The six angles of the arm, from the tangents of three half angles."""
    c = complexes(5)
    s = complexes(5)
    turns = complexes(6)
    i1 = number(0.0, 1.0)
    for k in range(3):
        origin = table[ReadingTable.ORIGIN + k] + (shift if k == 0 else 0.0)
        # e^{iφ} = (1 + i tan(φ/2))/(1 − i tan(φ/2))
        z = number(cos(origin), sin(origin)) * ((1 + i1 * t[k]) / (1 - i1 * t[k]))
        turns[2 + k] = z
        c[2 + k] = (z + 1 / z) / 2
        s[2 + k] = (z - 1 / z) / (2 * i1)
    first_two(W, c, s)
    turns[0] = c[0] + i1 * s[0]
    turns[1] = c[1] + i1 * s[1]
    turns[5] = last_one(table, shape[Shape.GAP], back, c, s)
    for k in range(6):
        z = turns[k]
        # φ may be complex: |e^{iφ}| = e^{−Im φ}
        size = abs(z)
        angle = number(atan2(imag(z), real(z)), -log(size) if size > 0 else Beyond.NEVER)
        angles[shape[Shape.JOINTS + k]] = shape[Shape.SENSE] * angle


def start(
    table: Reals, shape: Ints, shift: float, back: Reals, W: Reals, E: Reals, re: float, im: float, angles: Complexes
) -> None:
    """The rough root of an eigenvalue re + i im; a real one has real angles."""
    t = complexes(3)
    real_vector = null_space_real(E, re, im, shape[Shape.SWAPPED], t)
    rough_root(table, shape, shift, back, W, t, angles)
    if real_vector:
        for k in range(6):
            # a real eigenvalue has a real vector: what is imaginary came in by rounding
            angles[k] = real(angles[k])


def null_space_real(E: Reals, re: float, im: float, swapped: int, t: Complexes) -> bool:
    """The three tangents of an eigenvalue; whether it is real."""
    if im == 0:
        v = reals(12)
        null_vector(E, re, v)
        tangents(re, v, swapped, t)
        return True
    w = complexes(12)
    x = number(re, im)
    null_vector(E, x, w)
    tangents(x, w, swapped, t)
    return False
