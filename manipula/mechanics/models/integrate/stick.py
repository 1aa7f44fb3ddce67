"""One step of an arm whose dry friction holds: an integrator for the motion, then which joints rest.

Every joint keeps its way over the step (`sliding`), whatever the integrator; it gives q* and v*. The velocities after
the step are those of the convex problem

    v⁺ = argmin ½ (v − v*)ᵀM(v − v*) + Σ max(low_i v_i, high_i v_i)

whose bounds are impulses. A joint at rest: what friction can hold over the step beyond the push λ on it,
h (f₋ − λ) … h (f₊ − λ). A joint that moves has paid its friction already: one that would turn back is held
from the moment of v = 0 on, for the rest r of the step, by up to r (f₊ − f₋). A stop holds against everything.
The problem is solved by descent along the coordinates with soft thresholds,

    v_i ← (max(t_i − high_i, 0) + min(t_i − low_i, 0))/M_ii       t_i = (M(v* − v))_i + M_ii v_i

a fixed number of sweeps from v* on, in which a joint at rest that is held stays zero exactly; then exactly for the
joints that move. What is left of a last sweep is told as `residual`. Where no joint changes between rest and motion v*
is the solution, and is taken as it is. Positions go with the mean of old and new
velocities: q⁺ = q* + r/2 (v⁺ − v*). So a step without changes is the integrator's own, and one with changes is of
order 1.

Source: Moreau, "Unilateral contact and dry friction in finite freedom dynamics" (1988), the time stepping; Tseng,
"Convergence of a block coordinate descent method for nondifferentiable minimization", Journal of Optimization Theory
and Applications 109 (2001), the descent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.block import Block, Call, Result
from manipula.mechanics.models.dynamics.inertia_inverse import Solver
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.discretised import METHODS, SAMPLE, advanced, calling, telling
from manipula.mechanics.models.integrate.methods.steps import State
from manipula.mechanics.models.integrate.sliding import Limits, masked
from manipula.mechanics.models.ports import VELOCITY
from manipula.mechanics.spatial.inertia import reciprocal
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Maths, Next

SWEEPS = 6
TOLD = ("inertia", "push", "low", "high")  # of `sliding`, for the step alone
_HALF = Fraction(1, 2)


class Bounds(NamedTuple):
    """Of every joint the impulses within which it rests, None of one that nothing holds, and is it at a stop?"""

    low: list[Any]
    high: list[Any]
    rest: list[Any]  # of the step, in which friction may hold it
    lower: list[Any]  # 1 where the joint may not go on backwards, else 0; None: no stop
    upper: list[Any]


def sticking(block: Block, limits: Limits, method: str = "rk4", sweeps: int = SWEEPS) -> Block:
    """One step of a block around `sliding(limits)`: the arm alone, or with the law that drives it in every stage."""
    if method not in METHODS:
        raise UnknownNameError("integrator", method, METHODS)
    kept = [name for name in block.states if name != "past"]
    if set(block.rates) != set(kept):
        raise InputError(f"{block.name}: needs the rate of every state to be discretised")
    rates = block.rates

    def text(maths: Maths[Any], call: Call, x: Given) -> dict[str, Any]:
        h = x["sample"][0]
        ways = [maths.sign(v) if dry else 0 for v, dry in zip(x["qd"], limits.dry)]
        going = {**x, "way": ways}
        found = block.text(maths, call, going)
        new, told = advanced(maths, block, call, going, found, h, method)
        free, M = new["qd"], found["inertia"]
        bounds = _bounds(maths, found, x, new, ways, h, limits)
        v = _polished(maths, M, free, bounds, _descended(maths, M, free, bounds, sweeps))
        left = _residual(maths, M, free, bounds, v)
        changes = _changes(maths, free, bounds, ways)
        v = [maths.select(changes, a, b) for a, b in zip(v, free)]
        residual = maths.select(changes, left, 0)
        moved = [q + rest * _HALF * (a - b) for q, rest, a, b in zip(new["q"], bounds.rest, v, free)]
        after = {**new, "q": _within(maths, moved, limits), "qd": v}
        if limits.loaded:
            after["past"] = [(a - b) * (1 / h) for a, b in zip(v, x["qd"])]
        held = _held(maths, found, ways, limits)
        others = {name: value for name, value in found.items() if name in outputs} | told
        return {**others, "friction": held, "residual": [residual], **{f"{name}_next": after[name] for name in after}}

    kinds = {port.name: port for port in block.inputs}
    outputs = {name: y for name, y in block.outputs.items() if name not in (*rates.values(), *TOLD)}
    outputs["residual"] = Result(VELOCITY, "how far the velocities are from resting rightly, 0 when they do")
    outputs |= telling(method)
    outputs |= {f"{name}_next": Result(kinds[name].unit, f"{name} after the step", Next(name)) for name in block.states}
    inputs = tuple(port for port in block.inputs if port.name != "way")
    inputs = inputs if SAMPLE in inputs else (*inputs, SAMPLE)
    calls = calling(block.calls, method)
    return replace(block, name=f"{block.name}_step", inputs=inputs, outputs=outputs, text=text, calls=calls)


def _bounds(
    maths: Maths[Any], found: Given, x: Given, new: State, ways: Sequence[Any], h: Any, limits: Limits
) -> Bounds:
    """The impulses that friction and stops may give in this step."""
    made = Bounds([], [], [], [], [])
    for i, (dry, (lower, upper)) in enumerate(zip(limits.dry, limits.ends, strict=True)):
        low, high, rest = impulses(maths, found, x["qd"][i], new["qd"][i], ways[i], h, i) if dry else (None, None, h)
        made.low.append(low)
        made.high.append(high)
        made.rest.append(rest)
        # at or beyond the stop when the step ends
        made.lower.append(None if lower is None else 1 - maths.less(maths.number(lower), new["q"][i]))
        made.upper.append(None if upper is None else 1 - maths.less(new["q"][i], maths.number(upper)))
    return made


def impulses(maths: Maths[Any], found: Given, v: Any, free: Any, way: Any, h: Any, i: int) -> tuple[Any, Any, Any]:
    """(low, high, rest) of a joint with dry friction: the impulses, and the part of the step in which it may rest."""
    low, high, push = found["low"][i], found["high"][i], found["push"][i]
    # v goes from v to v*, and through zero with the part v*/(v* − v) of the step to come
    turns = maths.less(way * free, 0)
    rest = maths.select(turns, h * (free / maths.select(turns, free - v, 1)), h)
    width = rest * (high - low)
    moves = way * way
    below = maths.select(moves, maths.select(maths.less(0, way), -width, 0), h * (low - push))
    above = maths.select(moves, maths.select(maths.less(way, 0), width, 0), h * (high - push))
    return below, above, rest


def _changes(maths: Maths[Any], free: Sequence[Any], to: Bounds, ways: Sequence[Any]) -> Any:
    """1 where some joint begins or ceases to rest, or meets a stop; else v* is the solution, and all that follows is
    for nothing. Where code can, it leaves that out."""
    worst: Any = 0
    for v, way, low, high, lower, upper in zip(free, ways, to.low, to.high, to.lower, to.upper, strict=True):
        if low is not None:
            # it turns back: v⁻ v* < 0; it was at rest, and is pushed beyond what holds it: low > 0 or high < 0
            worst = maths.maximum(maths.maximum(worst, -(way * v)), maths.maximum(low, -high))
        worst = worst if upper is None else maths.maximum(worst, upper * v)
        worst = worst if lower is None else maths.maximum(worst, -(lower * v))
    return maths.less(0, worst)


def _descended(
    maths: Maths[Any], M: Sequence[Sequence[Any]], free: Sequence[Any], to: Bounds, sweeps: int
) -> list[Any]:
    v, inverse = list(free), [reciprocal(row[i]) for i, row in enumerate(M)]
    for _ in range(sweeps):
        for i in range(len(v)):
            v[i] = _threshold(maths, M, free, to, v, i) * inverse[i]
    return v


def _threshold(
    maths: Maths[Any], M: Sequence[Sequence[Any]], free: Sequence[Any], to: Bounds, v: Sequence[Any], i: int
) -> Any:
    """M_ii v_i of the best v_i, all others as they are."""
    # t_i = Σ_j M_ij (v*_j − v_j) + M_ii v_i
    t = dot([*M[i][:i], *M[i][i + 1 :]], [a - b for j, (a, b) in enumerate(zip(free, v)) if j != i]) + M[i][i] * free[i]
    low, high = to.low[i], to.high[i]
    best = t if low is None else maths.maximum(t - high, 0) + maths.minimum(t - low, 0)
    if to.upper[i] is not None:
        best = maths.select(to.upper[i], maths.minimum(best, 0), best)
    return best if to.lower[i] is None else maths.select(to.lower[i], maths.maximum(best, 0), best)


def _polished(
    maths: Maths[Any], M: Sequence[Sequence[Any]], free: Sequence[Any], to: Bounds, v: Sequence[Any]
) -> list[Any]:
    """M v = M v* − bound in the rows of the joints that move; where that turns one back, what there was."""
    tied = [low is not None or lower is not None or upper is not None for low, _, _, lower, upper in zip(*to)]
    ways = [maths.sign(x) if held else 1 for x, held in zip(v, tied)]
    mask = [way * way if held else 1 for way, held in zip(ways, tied)]
    bound = [
        0 if low is None else maths.select(maths.less(0, way), high, low)
        for low, high, way in zip(to.low, to.high, ways)
    ]
    right = [m * (dot(row, free) - b) for m, row, b in zip(mask, M, bound)]
    exact = Solver(masked(M, mask))(right)
    return [
        maths.select(maths.less(new * way, 0), old, new) if held else new
        for new, old, way, held in zip(exact, v, ways, tied)
    ]


def _residual(maths: Maths[Any], M: Sequence[Sequence[Any]], free: Sequence[Any], to: Bounds, v: Sequence[Any]) -> Any:
    """max |v_i − best v_i|"""
    worst: Any = None
    for i in range(len(v)):
        left = maths.abs(v[i] - _threshold(maths, M, free, to, v, i) * reciprocal(M[i][i]))
        worst = left if worst is None else maths.maximum(worst, left)
    return worst


def _within(maths: Maths[Any], q: Sequence[Any], limits: Limits) -> list[Any]:
    found: list[Any] = []
    for x, (lower, upper) in zip(q, limits.ends, strict=True):
        at = x if upper is None else maths.minimum(x, maths.number(upper))
        found.append(at if lower is None else maths.maximum(at, maths.number(lower)))
    return found


def _held(maths: Maths[Any], found: Given, ways: Sequence[Any], limits: Limits) -> list[Any]:
    """Friction at the start of the step, that of resting joints too: what pushes them, as far as friction can hold."""
    rows = zip(found["friction"], found["push"], found["low"], found["high"], ways, limits.dry, strict=True)
    return [
        f + maths.select(way * way, 0, maths.minimum(maths.maximum(push, low), high)) if dry else f
        for f, push, low, high, way, dry in rows
    ]
