"""Where the numbers of an arm and of its readings stand in the flat arrays that the texts take. `tables` fills them."""

from __future__ import annotations


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
    HORIZON = 122  # rad off the real axis; what lies beyond is counted as it comes
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
