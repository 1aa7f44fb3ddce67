"""The solution nearest to the present joints, inside their limits: a text for controllers (see `algebra.program`).

Around a closed form, the pose and the Jacobian of an arm. The rotation of the target is made exact first, as Python
does with poses of few digits. A branch of the closed form counts when its pose meets the target to `Number.EXACT`; one
that misses is polished by Newton steps of least length:

    (JᵀJ + λ) Δq = Jᵀe,        e = (missing position over the arm's size, missing rotation vector)

Where the closed form is undetermined (`Number.FAMILY`: a straight wrist, a wrist above the base axis) solutions form a
family. Its member nearest to the present joints minimises |e|² + w |q − q_now|²; Gauss–Newton steps lead there from
every branch and from the present joints themselves, a joint at its limit is held there, and a polish removes what the
weight w leaves of e. Where branches only meet (a stretched elbow) no member meets the target, and the branch stays.
"""

from __future__ import annotations

from collections.abc import Callable

from manipula.algebra.program.primitives import Reals, integers, reals, sqrt
from manipula.algebra.program.tapes import Straight
from manipula.ik.controller.newton import Number, is_finite, nearest_rotation, newton_step, residual, twist
from manipula.ik.numeric.branches import Row, away, wind, within
from manipula.ik.numeric.tolerances import NearestTolerance

OK, UNREACHABLE, LIMITS, NO_POSE, FAR = 0, 1, 2, 3, 4  # what the text returns; a positive one leaves q alone
SINGULAR = -1
STATES = {
    SINGULAR: "singular pose: q is a solution, but limits keep its family from q_now and another may be nearer",
    OK: "success: q is the solution nearest to q_now",
    UNREACHABLE: "no configuration reaches the pose",
    LIMITS: "the pose is reached outside the limits only",
    NO_POSE: "T is not a pose, or an input is not a finite number (max_step may be infinite)",
    FAR: "another branch: in the nearest solution a joint is further than max_step from q_now",
}

MISSED, OUTSIDE, INSIDE = 0, 1, 2  # what becomes of a configuration that is offered as a solution
SINGULAR_REDUNDANT = "singular pose: q is a solution, which may have another value of the parameter"
POLISH = 8  # Newton steps of one branch, at most
FREE = 28  # steps along a family, in which a joint that is back inside its limits is free again
LEFT_ALONE = 40  # and in which the present joints pull
SLIDE = 43  # and in all
LONGEST = 0.5  # rad, m: a step along a family; half of it after each reversal, as curves bend back
NEVER = NearestTolerance.NEVER
CLOSE = NearestTolerance.CLOSE
HOLD = 100.0  # weight of a limit: what PULL moves a held joint is then rounding
FAMILIAR = 0.25  # rad², m²: a member of a family this near to now is the nearest without a walk along it
MOVED = NearestTolerance.MOVED
NEARLY = NearestTolerance.NEARLY
PART = 0.1  # of a unit vector's square: a joint moves along a family that has more of it
WALK = 64  # steps of a walk, for families that are up to 16 rad long
STRIDE = 0.25  # rad, m: a step of a walk


def longest_step(dof: int, q: Reals, now: Reals) -> float:
    """The largest distance of a joint from now."""
    most = 0.0
    for j in range(dof):
        most = max(most, abs(q[j] - now[j]))
    return most


def nearest_text(closed: Straight, pose: Straight, jacobian: Straight, size: float) -> Callable[..., int]:
    """The text of one arm; that of a redundant one takes its parameter, too."""
    branches, dof = closed.outputs[0].shape
    redundant = len(closed.variables) - 1
    rows_size, square, J_size, scale = (branches + 1) * dof, dof * dof, 6 * dof, 1 / size

    def polish(T: Reals, x: Reals, table: Reals) -> float:
        """Newton steps from x, in place, each kept where it lowers the residual; what is left of it."""
        at = reals(16)
        J = reals(J_size)
        e = reals(6)
        H = reals(square)
        weight = reals(dof)
        step = reals(dof)
        pose(x, at)
        least = residual(T, at)
        for _ in range(POLISH):
            if not least > table[Number.GOOD]:
                break
            jacobian(x, J)
            twist(T, at, scale, e)
            for j in range(dof):
                weight[j] = table[Number.DAMPING]
                step[j] = 0.0
            newton_step(dof, J, e, scale, weight, H, step)
            for j in range(dof):
                step[j] += x[j]
            pose(step, at)
            found = residual(T, at)
            if not found < least:
                break
            least = found
            for j in range(dof):
                x[j] = step[j]
        return least

    def slide(T: Reals, now: Reals, x: Reals, table: Reals) -> None:
        """Along a family from x, in place, to its member nearest to now.

        First a joint that is back inside its limits is free again, then it stays on them; at last nothing pulls, so
        that the target is met with these joints on their limits.
        """
        at = reals(16)
        J = reals(J_size)
        e = reals(6)
        H = reals(square)
        weight = reals(dof)
        step = reals(dof)
        last = reals(dof)
        held = integers(dof)
        longest = LONGEST
        for j in range(dof):
            last[j] = 0.0
        count = 0
        while count < SLIDE:
            pose(x, at)
            jacobian(x, J)
            twist(T, at, scale, e)
            if count == FREE:
                longest = LONGEST
            for j in range(dof):
                low = table[Number.ROWS + Row.LOW * dof + j] + table[Number.STILL]
                high = table[Number.ROWS + Row.HIGH * dof + j] - table[Number.STILL]
                if count <= FREE:
                    held[j] = 0
                if x[j] < low or x[j] > high:
                    held[j] = 1
                weight[j] = table[Number.PULL] if count < LEFT_ALONE else table[Number.DAMPING]
                step[j] = now[j] - x[j] if count < LEFT_ALONE else 0.0
                if held[j] == 1:
                    weight[j] = HOLD
                    step[j] = min(max(x[j], low), high) - x[j]
            newton_step(dof, J, e, scale, weight, H, step)
            most = 0.0
            along = 0.0
            for j in range(dof):
                most = max(most, abs(step[j]))
                along += step[j] * last[j]
            if along < 0:
                longest *= 0.5
            shorter = longest / most if most > longest else 1.0
            for j in range(dof):
                last[j] = shorter * step[j]
                x[j] += last[j]
            count = LEFT_ALONE if count < LEFT_ALONE and most <= table[Number.STILL] else count + 1

    def walk(T: Reals, now: Reals, x: Reals, table: Reals, y: Reals) -> bool:
        """Once along a family through x, which is spoilt; y: of the places passed inside the limits the nearest to now.

        Whether such a place was found. With nothing missing (`rest`) a step projects what pulls onto the directions of
        the family, so that the way ahead never turns back; another leads back onto the family.
        """
        at = reals(16)
        J = reals(J_size)
        e = reals(6)
        rest = reals(6)
        H = reals(square)
        weight = reals(dof)
        step = reals(dof)
        ahead = reals(dof)
        wound = reals(dof)
        jacobian(x, J)
        for i in range(6):
            rest[i] = 0.0
        for j in range(dof):
            weight[j] = table[Number.PULL]
        most = 0.0
        for k in range(dof):  # along the unit vector of which the family has most
            for j in range(dof):
                step[j] = 1.0 if j == k else 0.0
            # e = 0: what is left of the unit vector is its projection onto the null space of J
            newton_step(dof, J, rest, scale, weight, H, step)
            if step[k] > most:
                most = step[k]
                for j in range(dof):
                    ahead[j] = step[j]
        least = NEVER
        for _ in range(WALK if most > PART else 0):
            pose(x, at)
            jacobian(x, J)
            twist(T, at, scale, e)
            for j in range(dof):
                wound[j] = x[j]
                step[j] = 0.0
            inside = wind(dof, wound, True, now, table[Number.ROWS :])
            gap = away(dof, wound, now)
            if inside and gap < least:
                least = gap
                for j in range(dof):
                    y[j] = wound[j]
            newton_step(dof, J, e, scale, weight, H, step)
            newton_step(dof, J, rest, scale, weight, H, ahead)
            length = 0.0
            for j in range(dof):
                length += ahead[j] * ahead[j]
            length = STRIDE / sqrt(length)
            for j in range(dof):
                ahead[j] *= length
                x[j] += step[j] + ahead[j]
        return least < NEVER

    def offer(T: Reals, x: Reals, now: Reals, exact: float, table: Reals, best: Reals, q: Reals) -> int:
        """Polish x; take it where it is a solution inside the limits and nearer than the best before."""
        if not polish(T, x, table) <= exact:
            return MISSED
        gap = away(dof, x, now)
        if not within(dof, x, table[Number.ROWS :]):
            best[1] = min(best[1], gap)
            return OUTSIDE
        if gap < best[0]:
            best[0] = gap
            for j in range(dof):
                q[j] = x[j]
        return INSIDE

    def offer_family(T: Reals, row: Reals, now: Reals, exact: float, table: Reals, best: Reals, q: Reals) -> None:
        """The same for the member of the family through a row nearest to now, searched all along where that is far."""
        x = reals(dof)
        y = reals(dof)
        for j in range(dof):
            y[j] = row[j]
        for again in range(2):
            slide(T, now, y, table)
            wind(dof, y, True, now, table[Number.ROWS :])
            found = offer(T, y, now, exact, table, best, q)
            if found == OUTSIDE and away(dof, y, row) > MOVED:
                best[2] = min(best[2], away(dof, y, now))
            if again == 1 or best[0] < FAMILIAR:
                break
            for j in range(dof):
                x[j] = row[j]  # a step along a family may cross to one beside it
            if not (polish(T, x, table) <= exact and walk(T, now, x, table, y)):
                break

    def settle(T: Reals, rows: Reals, margin: float, now: Reals, max_step: float, table: Reals, q: Reals) -> int:
        """Of the branches, and at a singular pose their families, the solution nearest to now, in q; one of STATES."""
        at = reals(16)
        x = reals(dof)
        best = reals(3)  # squared distances from now: of the solution, of one outside, of a member of a family outside
        mark = integers(branches + 1)
        singular = not margin > table[Number.FAMILY]
        family = singular and redundant == 0
        exact = table[Number.EXACT]
        for j in range(dof):
            x[j] = now[j]
            rows[branches * dof + j] = now[j]
        pose(x, at)
        # a way along a family may start at the present joints, too; of a redundant arm they keep a lock from scattering
        mark[branches] = 1 if family or (singular and residual(T, at) <= table[Number.BESIDE]) else 0
        if family and residual(T, at) <= exact and within(dof, now, table[Number.ROWS :]):
            for j in range(dof):
                q[j] = now[j]
            return OK
        least = 1.0
        for b in range(branches):
            pose(rows[b * dof :], at)
            beside = NEVER if singular else table[Number.BESIDE]  # a lock scatters joints: each branch is polished
            mark[b] = 1 if residual(T, at) <= beside else 0
            if mark[b] == 1:
                wind(dof, rows[b * dof :], True, now, table[Number.ROWS :])
                if table[Number.MET] < exact:
                    least = min(least, polish(T, rows[b * dof :], table))
        if least <= table[Number.MET]:
            exact = table[Number.MET]
        best[0] = NEVER
        best[1] = NEVER
        best[2] = NEVER
        for _ in range(branches + 1):
            place = -1
            for b in range(branches + 1):
                gap = away(dof, rows[b * dof :], now)
                if mark[b] == 1 and (place < 0 or gap < least):
                    place = b
                    least = gap
            # branches come nearest first: away from singular poses the first that counts is the answer
            if place < 0 or best[0] < (CLOSE if singular else NEVER):
                break
            mark[place] = 0
            if family:
                offer_family(T, rows[place * dof :], now, exact, table, best, q)
            offer(T, rows[place * dof :], now, exact, table, best, q)
        if best[0] == NEVER:
            return LIMITS if best[1] < NEVER else UNREACHABLE
        if max_step > 0 and longest_step(dof, q, now) > max_step:
            return FAR
        # a family that a limit cut off came nearer than the answer: another member may, too
        return SINGULAR if singular and (redundant > 0 or best[2] + NEARLY < best[0]) else OK

    def nearest_solution(T: Reals, now: Reals, max_step: float, table: Reals, q: Reals) -> int:
        """The solution nearest to now."""
        exact = reals(16)
        rows = reals(rows_size)
        valid = reals(branches)
        discriminant = reals(branches)
        margin = reals(1)
        pose_error = reals(1)
        finite = is_finite(16, T) and is_finite(dof, now) and abs(max_step) >= 0
        if not (finite and nearest_rotation(T, exact, table)):
            return NO_POSE
        closed(exact, rows, valid, discriminant, margin, pose_error)
        return settle(exact, rows, margin[0], now, max_step, table, q)

    def nearest_solution_with(T: Reals, parameter: Reals, now: Reals, max_step: float, table: Reals, q: Reals) -> int:
        """The solution nearest to now, of those with this value of the parameter."""
        exact = reals(16)
        rows = reals(rows_size)
        valid = reals(branches)
        discriminant = reals(branches)
        margin = reals(1)
        pose_error = reals(1)
        finite = is_finite(16, T) and is_finite(1, parameter) and is_finite(dof, now) and abs(max_step) >= 0
        if not (finite and nearest_rotation(T, exact, table)):
            return NO_POSE
        closed(exact, parameter, rows, valid, discriminant, margin, pose_error)
        return settle(exact, rows, margin[0], now, max_step, table, q)

    return nearest_solution_with if redundant else nearest_solution
