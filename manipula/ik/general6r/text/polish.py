"""Real roots made exact: residuals, polish, and the twin of a root."""

from __future__ import annotations

from manipula.algebra.program.linear import factorised, largest, solved, solved_transposed
from manipula.algebra.program.primitives import Reals, integers, reals, sqrt
from manipula.ik.general6r.text.arm import forward, jacobian, newton_step
from manipula.ik.general6r.text.layout import ArmTable
from manipula.ik.numeric.tolerances import Beyond, RootTolerance

POLISH = 3
STIFF_POLISH = 8
TURNS = 4  # of the iteration for the direction in which the tool hardly moves


def residual(arm: Reals, target: Reals, angles: Reals) -> float:
    """The largest entry of |FK − pose|, world units."""
    axes = reals(18)
    points = reals(18)
    end = reals(12)
    half = reals(12)
    forward(arm, angles, axes, points, end)
    for i in range(3):
        for j in range(4):
            end[i * 4 + j] -= target[i * 4 + j]
        end[i * 4 + 3] *= arm[ArmTable.UNIT]
    for i in range(3):
        for j in range(4):
            half[i * 4 + j] = 0.0
            for k in range(3):
                half[i * 4 + j] += arm[ArmTable.FIRST + i * 4 + k] * end[k * 4 + j]
    worst = 0.0
    for i in range(3):
        for j in range(4):
            off = half[i * 4 + 3] if j == 3 else 0.0
            for k in range(3):
                off += half[i * 4 + k] * arm[ArmTable.LAST + k * 4 + j]
            worst = max(worst, abs(off))
    return worst


def polished(arm: Reals, target: Reals, angles: Reals, stiff: bool) -> float:
    """Newton steps where they help; the residual. A stiff root may be off though its residual is rounding."""
    step = reals(6)
    there = reals(6)
    J = reals(36)
    order = integers(6)
    fine = RootTolerance.FINE * max(1.0, arm[ArmTable.UNIT])
    worst = residual(arm, target, angles)
    for _ in range(STIFF_POLISH if stiff else POLISH):
        if worst <= fine and not stiff:
            break
        size = newton_step(arm, target, angles, step, J, order)
        for i in range(6):
            there[i] = angles[i] + step[i]
        found = residual(arm, target, there)
        if not (found < worst or found <= fine) or not size < RootTolerance.CONVERGED:
            break
        worst = found
        for i in range(6):
            angles[i] = there[i]
        if size < RootTolerance.SETTLED:
            break
    return worst


def passed(arm: Reals, target: Reals, angles: Reals, steps: int) -> float:
    """The best place that Newton's method passes, and its residual."""
    step = reals(6)
    here = reals(6)
    J = reals(36)
    order = integers(6)
    for i in range(6):
        here[i] = angles[i]
    worst = residual(arm, target, angles)
    for _ in range(steps):
        size = newton_step(arm, target, here, step, J, order)
        if not size < RootTolerance.REACH:
            break
        for i in range(6):
            here[i] += step[i]
        found = residual(arm, target, here)
        if found < worst:
            worst = found
            for i in range(6):
                angles[i] = here[i]
    return worst


def unit_length(x: Reals) -> float:
    """Scale six numbers to length 1; the length they had."""
    total = 0.0
    for i in range(6):
        total += x[i] * x[i]
    length = sqrt(total) + Beyond.NOTHING
    for i in range(6):
        x[i] /= length
    return length


def twin(arm: Reals, angles: Reals, there: Reals) -> float:
    """Where the second root beside a root should be, to second order, and how far away; 0 if the root is not alone.

    Along the direction n that moves the tool least, t s + t^2/2 h = 0 with s how much it does and h the change of J n
    along n. Where both vanish the arm moves and the tool does not.
    """
    J = reals(36)
    ahead = reals(36)
    behind = reals(36)
    end = reals(12)
    n = reals(6)
    u = reals(6)
    order = integers(6)
    jacobian(arm, angles, J, end)
    factorised(6, J, order)
    for i in range(6):
        n[i] = 1.0 / (1 + i)
    least = 0.0
    for _ in range(TURNS):
        for i in range(6):
            u[i] = n[i]
        solved_transposed(6, J, order, u)
        unit_length(u)
        for i in range(6):
            n[i] = u[i]
        solved(6, 1, J, order, n)
        least = 1 / unit_length(n)
    for i in range(6):
        there[i] = angles[i] + RootTolerance.SMALL * n[i]
    jacobian(arm, there, ahead, end)
    for i in range(6):
        there[i] = angles[i] - RootTolerance.SMALL * n[i]
    jacobian(arm, there, behind, end)
    h = 0.0
    for i in range(6):
        for j in range(6):
            h += u[i] * (ahead[i * 6 + j] - behind[i * 6 + j]) * n[j]
    h /= 2 * RootTolerance.SMALL
    t = 0.0
    if not (least < RootTolerance.MOVES and abs(h) < RootTolerance.BENDS):
        t = RootTolerance.TWIN if h == 0 else -2 * least / h
        t = min(max(t, -RootTolerance.TWIN), RootTolerance.TWIN)
    for i in range(6):
        there[i] = angles[i] + t * n[i]
    return abs(t) * largest(6, n)
