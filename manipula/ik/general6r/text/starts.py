"""From an eigenvalue to a rough root: the null vector, angles 3, 4, 5, then 1, 2 and 6."""

from __future__ import annotations

from manipula.algebra.program.linear import factorised, largest, solved
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
    real,
    reals,
    sin,
)  # fmt: skip
from manipula.ik.general6r.text.layout import ReadingTable, Shape
from manipula.ik.general6r.text.pencil import WIDE
from manipula.ik.numeric.tolerances import Beyond


def null_vector(E: Reals, x: Number, v: Numbers) -> None:
    """v (12) with (M0 + M1 x + M2 x^2) v = 0, by two steps of inverse iteration."""
    M = like(v, 144)
    order = integers(12)
    size = abs(x)
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
        v[i] = 1.0 if i % 3 == 0 else 0.5
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
    for i in range(7, -1, -1):
        total = number(-W[i * WIDE + 8], 0.0)
        for j in range(27):
            total += W[i * WIDE + 9 + j] * powers[j]
        for j in range(i + 1, 8):
            total -= W[i * WIDE + j] * y[j]
        y[i] = total / W[i * WIDE + i]
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
