"""An arm's frames and Newton's method, over real or complex angles.

Motions are 12 numbers, three rows of four. `arm` is laid out as `ArmTable` says.
"""

from __future__ import annotations

from manipula.algebra.program.linear_algebra import factorised, inverse_size, largest, solved
from manipula.algebra.program.primitives import Ints, Numbers, Reals, cos, integers, like, reals, sin
from manipula.ik.numeric.tolerances import Beyond, RootTolerance

# Where the numbers of an arm and of its readings stand in the flat arrays that the texts take. `tables` fills them.


class ArmTable:
    """Motions are 12 numbers, three rows of four."""

    GAPS = 0  # five motions between neighbouring axes, lengths in the arm's unit
    FIRST_BACK = 60  # the inverse of the motion before joint 1,
    LAST_BACK = 72  # of that behind joint 6,
    FIRST = 84  # and both as they are
    LAST = 96
    UNIT = 108  # m
    OFFSET = 109  # rad; how the six positions are counted: angle = position · direction + offset
    DIRECTION = 115
    EXACT = 121  # m; the largest residual of an answer
    HORIZON = 122  # rad off the real axis; roots beyond are counted as they come
    COUNT = 123


class ReadingTable:
    """One reading's numbers."""

    ORIGIN = 0  # the angles from which 3, 4, 5 are counted, rad
    GAPS = 3  # six rotations
    LEFT = 57  # the way ahead, 14 by 27
    BEFORE = 435  # the factors of the way back and the basis of the eigenvectors, as long as `Shape` says


class Shape:
    """One reading's whole numbers."""

    PARTS = 0  # angles on the way back before the pose
    PARTS_AFTER = 1  # and after it
    ROOTS = 2  # eigenvalues
    SWAPPED = 3  # 1: equations are multiplied by angle 5 and not by 4
    GAP = 4  # the gap with the pose: 6, 1 or 2
    SENSE = 5  # 1, or -1 for the loop read backwards
    JOINTS = 6  # six: the arm's joint that the reading calls k + 1
    COUNT = 12


class Sizes:
    """Of the whole set."""

    BOUND = 0  # complex solutions that a pose of this arm has
    READINGS = 1
    NUMBERS = 2  # the length of each reading's table, one after the other


def composed(A: Reals, B: Reals, C: Reals) -> None:
    """C = A B, motions."""
    for i in range(3):
        for j in range(4):
            C[i * 4 + j] = A[i * 4] * B[j] + A[i * 4 + 1] * B[4 + j] + A[i * 4 + 2] * B[8 + j]
        C[i * 4 + 3] += A[i * 4 + 3]


def wanted(arm: Reals, pose: Reals, target: Reals) -> None:
    """What the joints and the gaps between them must be together, lengths in the arm's own unit."""
    half = reals(12)
    composed(arm[ArmTable.FIRST_BACK :], pose, half)
    composed(half, arm[ArmTable.LAST_BACK :], target)
    for i in range(3):
        target[i * 4 + 3] /= arm[ArmTable.UNIT]


def forward(arm: Reals, angles: Numbers, axes: Numbers, points: Numbers, end: Numbers) -> None:
    """The axis of every joint, a point of it, and where the arm ends."""
    R = like(angles, 9)
    p = like(angles, 3)
    for i in range(9):
        R[i] = 1.0 if i % 4 == 0 else 0.0
    for i in range(3):
        p[i] = 0.0
    for k in range(6):
        c = cos(angles[k])
        s = sin(angles[k])
        for i in range(3):
            axes[k * 3 + i] = R[i * 3 + 2]
            points[k * 3 + i] = p[i]
            x = R[i * 3]
            y = R[i * 3 + 1]
            R[i * 3] = c * x + s * y
            R[i * 3 + 1] = c * y - s * x
        if k < 5:
            gap = k * 12
            for i in range(3):
                x = R[i * 3]
                y = R[i * 3 + 1]
                z = R[i * 3 + 2]
                p[i] += x * arm[gap + 3] + y * arm[gap + 7] + z * arm[gap + 11]
                for j in range(3):
                    R[i * 3 + j] = x * arm[gap + j] + y * arm[gap + 4 + j] + z * arm[gap + 8 + j]
    for i in range(3):
        for j in range(3):
            end[i * 4 + j] = R[i * 3 + j]
        end[i * 4 + 3] = p[i]


def jacobian(arm: Reals, angles: Numbers, J: Numbers, end: Numbers) -> None:
    """The derivative of where the arm ends (three rows of speed, three of turning), and that place."""
    axes = like(angles, 18)
    points = like(angles, 18)
    forward(arm, angles, axes, points, end)
    for k in range(6):
        x = end[3] - points[k * 3]
        y = end[7] - points[k * 3 + 1]
        z = end[11] - points[k * 3 + 2]
        a = axes[k * 3]
        b = axes[k * 3 + 1]
        c = axes[k * 3 + 2]
        J[k] = b * z - c * y
        J[6 + k] = c * x - a * z
        J[12 + k] = a * y - b * x
        J[18 + k] = a
        J[24 + k] = b
        J[30 + k] = c


def missing(end: Numbers, target: Reals, twist: Numbers) -> None:
    """The twist from where the arm ends to the target."""
    turn = like(end, 9)
    for i in range(3):
        twist[i] = target[i * 4 + 3] - end[i * 4 + 3]
        for j in range(3):
            turn[i * 3 + j] = 0.0
            for k in range(3):
                turn[i * 3 + j] += target[i * 4 + k] * end[j * 4 + k]
    twist[3] = (turn[7] - turn[5]) / 2
    twist[4] = (turn[2] - turn[6]) / 2
    twist[5] = (turn[3] - turn[1]) / 2


def newton_step(arm: Reals, target: Reals, angles: Numbers, step: Numbers, J: Numbers, order: Ints) -> float:
    """Newton's step and its size; J is left as `factorised` leaves it."""
    end = like(angles, 12)
    jacobian(arm, angles, J, end)
    missing(end, target, step)
    factorised(6, J, order)
    solved(6, 1, J, order, step)
    return largest(6, step)


def newton(arm: Reals, target: Reals, angles: Numbers, steps: int) -> float:
    """Steps until one is short: the largest entry of the inverse derivative then, or −1 if none was."""
    step = like(angles, 6)
    J = like(angles, 36)
    order = integers(6)
    for _ in range(steps):
        size = newton_step(arm, target, angles, step, J, order)
        if not size < Beyond.FINITE:
            return -1.0
        # a long step leaves the basin of the rough root it began at
        factor = RootTolerance.REACH / size if size > RootTolerance.REACH else 1.0
        for i in range(6):
            angles[i] += factor * step[i]
        if size < RootTolerance.CONVERGED:
            return inverse_size(6, J, order)
    return -1.0
