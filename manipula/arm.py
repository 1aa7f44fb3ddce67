"""`Arm`: a robot with numbers, its models, its inverse kinematics and its figures."""

from __future__ import annotations

from manipula.api.picture_verbs import ArmViews
from manipula.api.seam_verbs import ArmSeams
from manipula.ik.arm.numeric_arm import NumericArm


class Arm(NumericArm, ArmViews, ArmSeams):
    """Every model of a robot as a fast function of arrays; joint order is the file's, units SI and radians.

    Leading axes broadcast: one call computes as many configurations as the arrays hold. Every model takes `out=` and
    `threads=` (0: all processors).

    >>> Arm("pucrio").gravity([0, 0, 0, 0, 0, 0]).shape
    (6,)
    """
