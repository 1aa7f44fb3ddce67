"""One step of an arm whose dry friction and stops hold: an integrator for the motion, then which joints rest.

Every joint keeps its way over the step (`sliding`), whatever the integrator; it gives q* and v*. The velocities after
the step are those of the convex problem

    v⁺ = argmin ½ (v − v*)ᵀM(v − v*) + Σ max(low_i v_i, high_i v_i)

whose bounds are impulses. A joint at rest: what friction can hold over the step beyond the push λ on it,
h (f₋ − λ) … h (f₊ − λ). A joint that moves has paid its friction already: one that would turn back is held
from the moment of v = 0 on, for the rest r of the step, by up to r (f₊ − f₋). A stop holds against everything that
pushes into it, and nothing else: a joint that rests on one is held for the whole step, as by friction, until it is
pushed away. The problem is solved by descent along the coordinates with soft thresholds,

    v_i ← (max(t_i − high_i, 0) + min(t_i − low_i, 0))/M_ii       t_i = (M(v* − v))_i + M_ii v_i

a fixed number of sweeps from v* on, in which a joint at rest that is held stays zero exactly; then exactly for the
joints that move, twice. The change of the last sweep is the output `residual`. Where no joint changes between rest and
motion v* is the solution, and is taken as it is. Positions go with the mean of old and new velocities:
q⁺ = q* + r/2 (v⁺ − v*). A joint that would end beyond its stop ends on it, without bouncing; it was there
r = (q* − stop)/v* before the end of the step, and from then on the others have their new velocities:
q⁺ = q* + r (v⁺ − v*). So a step without changes is the integrator's own, and one with changes is of order 1.

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
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result
from manipula.mechanics.models.integrate.discretisation import (
    METHODS,
    SAMPLE,
    advance_of,
    advance_states,
    method_calls,
    method_outputs,
)
from manipula.mechanics.models.integrate.runge_kutta import Advance, State
from manipula.mechanics.models.integrate.sliding_motion import StepLimits, mask_rows
from manipula.mechanics.models.ports import VELOCITY
from manipula.mechanics.spatial.inertia import reciprocal
from manipula.mechanics.spatial.vector import dot, sum_of
from manipula.scalar import Entries, Maths, Next, Scalar

SWEEPS = 6
TOLD = ("inertia", "push", "low", "high")  # of `sliding`, for the step alone
_HALF = Fraction(1, 2)


class Bounds(NamedTuple):
    """Of every joint the impulses within which it rests, None of one that nothing holds, and is it at a stop?"""

    low: list[Any]
    high: list[Any]
    rest: list[Scalar]  # of the step, in which friction may hold it
    lower: list[Scalar]  # 1 where the joint may not go on backwards, else 0; None: no stop
    upper: list[Scalar]


def stick_slip_step(block: Block, limits: StepLimits, method: str = "rk4", sweeps: int = SWEEPS) -> Block:
    """One step of a block around `sliding(limits)`: the arm alone, or with the law that drives it in every stage."""
    if method not in METHODS:
        raise UnknownNameError("integrator", method, METHODS)
    kept, knows = [name for name in block.states if name != "past"], any(x.name == "way" for x in block.inputs)
    if set(block.rates) != set(kept):
        raise InputError("{name}: needs the rate of every state to be discretised", block.name)
    rates = block.rates

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        h = x["sample"][0]
        ways = _ways(maths, x, limits) if knows else [0] * len(x["qd"])
        going = {**x, "way": ways}
        found = block.text(maths, call, going)
        new, told = advance_states(maths, block, call, going, found, h, method)
        free, M = new["qd"], found["inertia"]
        bounds = _bounds(maths, found, x, new, ways, h, limits, knows)
        v = solve_stick_slip(maths, M, free, bounds, sweeps)
        left = _residual(maths, M, free, bounds, v)
        changes = _changes(maths, free, bounds, ways, limits.dry)
        v = [maths.select(changes, a, b) for a, b in zip(v, free)]
        residual = maths.select(changes, left, 0)
        after = {**new, "q": _step_positions(maths, new, v, bounds, h, limits, advance_of(block)), "qd": v}
        if limits.loaded:
            after["past"] = [(a - b) * (1 / h) for a, b in zip(v, x["qd"])]
        held = _friction_at_start(maths, found, ways, limits)
        others = {name: value for name, value in found.items() if name in outputs} | told
        return {**others, "friction": held, "residual": [residual], **{f"{name}_next": after[name] for name in after}}

    kinds = {port.name: port for port in block.inputs}
    outputs = {name: y for name, y in block.outputs.items() if name not in (*rates.values(), *TOLD)}
    outputs["residual"] = Result(VELOCITY, "how far the velocities are from resting rightly, 0 when they do")
    outputs |= method_outputs(method)
    outputs |= {f"{name}_next": Result(kinds[name].unit, f"{name} after the step", Next(name)) for name in block.states}
    inputs = tuple(port for port in block.inputs if port.name != "way")
    inputs = inputs if SAMPLE in inputs else (*inputs, SAMPLE)
    calls = method_calls(block.calls, method)
    return replace(block, name=f"{block.name}_step", inputs=inputs, outputs=outputs, text=text, calls=calls)


def _ways(maths: Maths[Scalar], x: Given, limits: StepLimits) -> list[Scalar]:
    """The way of every joint that friction may hold; of one that only a stop may, 0 where it rests there, else 1."""
    found: list[Scalar] = []
    for q, v, dry, ends in zip(x["q"], x["qd"], limits.dry, limits.ends, strict=True):
        way = maths.sign(v) if dry or ends != (None, None) else 0
        at = [flag for flag in _beyond(maths, q, *ends) if flag is not None]
        found.append(way if dry or not at else maths.select(sum_of(at), way * way, 1))
    return found


def _beyond(maths: Maths[Scalar], q: Scalar, lower: Fraction | None, upper: Fraction | None) -> tuple[Any, Any]:
    """1 at or beyond either end, else 0; None where there is no end."""
    below = None if lower is None else 1 - maths.less(maths.number(lower), q)
    return below, None if upper is None else 1 - maths.less(q, maths.number(upper))


def _bounds(
    maths: Maths[Scalar],
    found: Given,
    x: Given,
    new: State,
    ways: Sequence[Scalar],
    h: Scalar,
    limits: StepLimits,
    knows: bool,
) -> Bounds:
    """The impulses that friction and stops may give in this step. `knows`: who rests was known to the integrator, and
    what pushes a joint that rests on a stop has not moved it."""
    made = Bounds([], [], [], [], [])
    for i, (dry, ends) in enumerate(zip(limits.dry, limits.ends, strict=True)):
        low, high, rest = None, None, h
        if dry:
            low, high, rest = impulses(maths, found, x["qd"][i], new["qd"][i], ways[i], h, i)
        elif knows and ends != (None, None):
            low = high = maths.select(ways[i], 0, -(h * found["push"][i]))
        made.low.append(low)
        made.high.append(high)
        made.rest.append(rest)
        lower, upper = _beyond(maths, new["q"][i], *ends)  # when the step ends
        made.lower.append(lower)
        made.upper.append(upper)
    return made


def impulses(
    maths: Maths[Scalar], found: Given, v: Scalar, free: Scalar, way: Scalar, h: Scalar, i: int
) -> tuple[Scalar, Scalar, Scalar]:
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


def _changes(
    maths: Maths[Scalar], free: Sequence[Scalar], to: Bounds, ways: Sequence[Scalar], dry: Sequence[bool]
) -> Scalar:
    """1 where some joint begins or ceases to rest, or meets a stop; else v* is the solution, and all that follows is
    for nothing. Where code can, it leaves that out."""
    worst: Scalar = 0
    rows = zip(free, ways, dry, to.low, to.high, to.lower, to.upper, strict=True)
    for v, way, rubs, low, high, lower, upper in rows:
        if rubs:  # it turns back: v⁻ v* < 0
            worst = maths.maximum(worst, -(way * v))
        if low is not None:  # it was at rest, and is pushed beyond what holds it, not into a stop: low > 0 or high < 0
            back, on = low if lower is None else low * (1 - lower), -high if upper is None else -high * (1 - upper)
            worst = maths.maximum(worst, maths.maximum(back, on))
        worst = worst if upper is None else maths.maximum(worst, upper * v)
        worst = worst if lower is None else maths.maximum(worst, -(lower * v))
    return maths.less(0, worst)


def solve_stick_slip(
    maths: Maths[Scalar], M: Sequence[Sequence[Scalar]], free: Sequence[Scalar], to: Bounds, sweeps: int
) -> list[Scalar]:
    """v⁺: the sweeps, then exactly for those that they let move; of several let go at once, the first solution finds
    who does not move after all."""
    v = _sweep_velocities(maths, M, free, to, sweeps)
    return _solve_moving(maths, M, free, to, _solve_moving(maths, M, free, to, v, None), v)


def _sweep_velocities(
    maths: Maths[Scalar], M: Sequence[Sequence[Scalar]], free: Sequence[Scalar], to: Bounds, sweeps: int
) -> list[Scalar]:
    v, inverse = list(free), [reciprocal(row[i]) for i, row in enumerate(M)]
    for _ in range(sweeps):
        for i in range(len(v)):
            v[i] = _threshold(maths, M, free, to, v, i) * inverse[i]
    return v


def _threshold(
    maths: Maths[Scalar], M: Sequence[Sequence[Scalar]], free: Sequence[Scalar], to: Bounds, v: Sequence[Scalar], i: int
) -> Scalar:
    """M_ii v_i of the best v_i, all others as they are."""
    # t_i = Σ_j M_ij (v*_j − v_j) + M_ii v_i
    t = dot([*M[i][:i], *M[i][i + 1 :]], [a - b for j, (a, b) in enumerate(zip(free, v)) if j != i]) + M[i][i] * free[i]
    low, high = to.low[i], to.high[i]
    best = t if low is None else maths.maximum(t - high, 0) + maths.minimum(t - low, 0)
    if to.upper[i] is not None:
        best = maths.select(to.upper[i], maths.minimum(best, 0), best)
    return best if to.lower[i] is None else maths.select(to.lower[i], maths.maximum(best, 0), best)


def _solve_moving(
    maths: Maths[Scalar], M: Sequence[Sequence[Scalar]], free: Sequence[Scalar], to: Bounds, v: Sequence[Scalar],
    otherwise: Sequence[Scalar] | None,
) -> list[Scalar]:  # fmt: skip
    """M v = M v* − bound in the rows of the joints that move; one that this turns back rests, or has what is given."""
    tied = [low is not None or lower is not None or upper is not None for low, _, _, lower, upper in zip(*to)]
    ways = [maths.sign(x) if held else 1 for x, held in zip(v, tied)]
    mask = [way * way if held else 1 for way, held in zip(ways, tied)]
    bound = [
        0 if low is None else maths.select(maths.less(0, way), high, low)
        for low, high, way in zip(to.low, to.high, ways)
    ]
    right = [m * (dot(row, free) - b) for m, row, b in zip(mask, M, bound)]
    exact = InertiaSolver(mask_rows(M, mask))(right)
    return [
        maths.select(maths.less(new * way, 0), old, new) if held else new
        for new, old, way, held in zip(exact, otherwise or [0] * len(v), ways, tied)
    ]


def _residual(
    maths: Maths[Scalar], M: Sequence[Sequence[Scalar]], free: Sequence[Scalar], to: Bounds, v: Sequence[Scalar]
) -> Any:
    """max |v_i − best v_i|"""
    worst: Any = None
    for i in range(len(v)):
        left = maths.abs(v[i] - _threshold(maths, M, free, to, v, i) * reciprocal(M[i][i]))
        worst = left if worst is None else maths.maximum(worst, left)
    return worst


def _step_positions(
    maths: Maths[Scalar], new: State, v: Sequence[Scalar], to: Bounds, h: Scalar, limits: StepLimits, advance: Advance
) -> list[Scalar]:
    """Positions at the end of the step; a joint at or beyond its stop is on it, unless it is on its way from there."""
    left: Scalar = 0  # of the step, after the first joint met its stop
    for q, free, *flags, ends in zip(new["q"], new["qd"], to.lower, to.upper, limits.ends, strict=True):
        for flag, end, way in zip(flags, ends, (-1, 1)):
            if end is not None:
                meets = flag * maths.less(0, way * free)
                ago = (q - maths.number(end)) / maths.select(meets, free, 1)
                left = maths.maximum(left, maths.select(meets, maths.minimum(ago, h), 0))
    halves = [rest * _HALF for rest in to.rest]
    since = halves if limits.endless else [maths.select(maths.less(0, left), left, half) for half in halves]
    step = [time * (after - free) for time, after, free in zip(since, v, new["qd"], strict=True)]
    there = advance({"q": new["q"]}, {"q": step})["q"]
    found: list[Scalar] = []
    for at, after, below, above, (lower, upper) in zip(there, v, to.lower, to.upper, limits.ends, strict=True):
        if upper is not None:
            top = maths.number(upper)
            at = maths.select(above * (1 - maths.less(after, 0)), top, maths.minimum(at, top))
        if lower is not None:
            bottom = maths.number(lower)
            at = maths.select(below * (1 - maths.less(0, after)), bottom, maths.maximum(at, bottom))
        found.append(at)
    return found


def _friction_at_start(maths: Maths[Scalar], found: Given, ways: Sequence[Scalar], limits: StepLimits) -> list[Scalar]:
    """Friction at the start of the step, that of resting joints too: what pushes them, as far as friction can hold."""
    rows = zip(found["friction"], found["push"], found["low"], found["high"], ways, limits.dry, strict=True)
    return [
        f + maths.select(way * way, 0, maths.minimum(maths.maximum(push, low), high)) if dry else f
        for f, push, low, high, way, dry in rows
    ]
