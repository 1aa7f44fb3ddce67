"""One step of an arm towards a pose, for dragging its tool where no closed form says where to go: a text.

The position comes first, the orientation with what freedom is left: a planar arm of two joints follows the point, one
of three turns as well, and six joints take the whole pose.

    Δ₁ = Jₚ* eₚ        N = 1 − Jₚ* Jₚ        Δ = Δ₁ + (Jₒ N)* (eₒ − Jₒ Δ₁)        A* = Aᵀ (A Aᵀ + λ)⁻¹,  λ ∝ |e|²

λ falls with what is missing, so that steps end quadratically where the pose is reached and stay small where it is not:
Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg–Marquardt method", IEEE Transactions on Robotics
27 (2011). Task priority: Nakamura, Hanafusa, Yoshikawa, "Task-priority based redundancy control of robot
manipulators", International Journal of Robotics Research 6 (1987). A joint that would leave its limits stands on it,
and the others go without it.
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Ints, Reals, integers, reals, sqrt
from manipula.ik.descent import lacking, stepped

MOST = 64  # joints
LESS = 0.5  # of |e|²: damping while something is missing
LEAST = 1e-12  # of the arm's size squared: what keeps Jₚ Jₚᵀ from being singular
STIFF = 1e-6  # rad²: the same of turns, above what damping leaves of Jₒ N where no freedom is left
LONGEST = 0.4  # rad, and of the arm's size: what a joint may move in one step
POSE = 0
WHOLE = 6  # joints that a pose needs: with fewer the place comes first strictly, else only as far as it can be had


def squared(n: int, A: Reals, H: Reals) -> None:
    """A Aᵀ of three rows."""
    for i in range(3):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += A[i * n + k] * A[j * n + k]
            H[i * 3 + j] = total


def pulled(n: int, A: Reals, H: Reals, e: Reals, damping: float, step: Reals) -> None:
    """Aᵀ (A Aᵀ + λ)⁻¹ e of three rows; H is A Aᵀ."""
    y = reals(3)
    stepped(3, H, e, damping, y)
    for k in range(n):
        step[k] = A[k] * y[0] + A[n + k] * y[1] + A[2 * n + k] * y[2]


def movers(n: int, J: Reals) -> int:
    """How many joints move the tool."""
    found = 0
    for k in range(n):
        total = 0.0
        for i in range(6):
            total += abs(J[i * n + k])
        if total > 0:
            found += 1
    return found


def priority_step(n: int, size: float, J: Reals, e: Reals, step: Reals) -> None:
    """The step for a Jacobian, row by row, and what is missing: three lengths, three angles."""
    H = reals(9)
    P = reals(9)
    A = reals(192)
    rest = reals(3)
    turn = reals(64)
    column = reals(64)
    far = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    damping = LESS * far + LEAST * size * size
    moving = movers(n, J)
    squared(n, J, H)
    pulled(n, J, H, e, damping, step)
    for i in range(3):
        rest[i] = e[3 + i]
        for k in range(n):
            rest[i] -= J[(3 + i) * n + k] * step[k]
    for i in range(3):  # row i of Jₒ N = Jₒ − (Jₒ Jₚᵀ)(Jₚ Jₚᵀ + λ)⁻¹ Jₚ
        for j in range(3):
            P[j] = 0.0
            for k in range(n):
                P[j] += J[(3 + i) * n + k] * J[j * n + k]
        pulled(n, J, H, P, damping if moving >= WHOLE else LEAST * size * size, column)
        for k in range(n):
            A[i * n + k] = J[(3 + i) * n + k] - column[k]
    squared(n, A, H)
    off = rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2]
    pulled(n, A, H, rest, LESS * off + STIFF, turn)
    for k in range(n):
        step[k] += turn[k]


def shortened(n: int, size: float, turning: Ints, step: Reals) -> None:
    """Scaled so that no joint moves further than it may in one step."""
    most = 0.0
    for k in range(n):
        most = max(most, abs(step[k]) if turning[k] == 1 else abs(step[k]) / size)
    if most > LONGEST:
        for k in range(n):
            step[k] *= LONGEST / most


def stepped_towards(
    n: int, size: float, J: Reals, end: Reals, target: Reals, turning: Ints, low: Reals, high: Reals, q: Reals
) -> float:
    """q one step nearer to a target, in place, within the limits; how far it was away, m and rad together.

    `end` and `target`: a rotation row by row, then the place. J is spoilt.
    """
    e = reals(6)
    step = reals(64)
    held = integers(64)
    missing = lacking(POSE, end, target, e)
    far = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    for i in range(3):  # a place that is far away pulls as one that is not
        e[i] *= min(1.0, LONGEST * size / max(far, LEAST))
    for k in range(n):
        held[k] = 0
    more = 1
    # each turn holds at least one joint more, so it ends after n of them
    while more == 1:
        more = 0
        priority_step(n, size, J, e, step)
        shortened(n, size, turning, step)
        for k in range(n):
            if held[k] == 0 and (q[k] + step[k] < low[k] or q[k] + step[k] > high[k]):
                held[k] = 1
                more = 1
                q[k] = low[k] if q[k] + step[k] < low[k] else high[k]
                for i in range(6):
                    J[i * n + k] = 0.0
    for k in range(n):
        q[k] += step[k] if held[k] == 0 else 0.0
    return missing
