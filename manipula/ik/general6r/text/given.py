"""The door: is it a pose, and rounding in its rotation taken away."""

from __future__ import annotations

from manipula.algebra.program.primitives import Reals, reals
from manipula.ik.numeric.tolerances import PoseTolerance, RootTolerance

ROUNDS = 2


def off_square(R: Reals, G: Reals) -> float:
    """G = R'R, and the largest entry of its difference from 1; R has rows of four."""
    worst = 0.0
    for i in range(3):
        for j in range(3):
            G[i * 3 + j] = R[i] * R[j] + R[4 + i] * R[4 + j] + R[8 + i] * R[8 + j]
            off = abs(G[i * 3 + j] - (1.0 if i == j else 0.0))
            worst = worst if off <= worst else off
    return worst


def defect(T: Reals, G: Reals) -> float:
    """How far 4 by 4 numbers are from a pose; a reflection is far."""
    worst = off_square(T, G)
    for j in range(4):
        off = abs(T[12 + j] - (1.0 if j == 3 else 0.0)) + 0 * T[j % 3 * 4 + 3]
        worst = worst if off <= worst else off
    x = T[5] * T[10] - T[6] * T[9]
    y = T[6] * T[8] - T[4] * T[10]
    z = T[4] * T[9] - T[5] * T[8]
    return worst if T[0] * x + T[1] * y + T[2] * z > 0 else 2.0


def taken(T: Reals, pose: Reals) -> bool:
    """The pose (three rows of four) with its rotation made exact; false if it is none."""
    G = reals(9)
    row = reals(3)
    off = defect(T, G)
    for i in range(12):
        pose[i] = T[i]
    if not off <= RootTolerance.SLACK:
        return False
    for _ in range(ROUNDS if off > PoseTolerance.CLEAN else 0):  # R(3 - R'R)/2 is nearer to square
        for i in range(3):
            for j in range(3):
                row[j] = 1.5 * pose[i * 4 + j]
                for k in range(3):
                    row[j] -= 0.5 * pose[i * 4 + k] * G[k * 3 + j]
            for j in range(3):
                pose[i * 4 + j] = row[j]
        off_square(pose, G)
    return True
