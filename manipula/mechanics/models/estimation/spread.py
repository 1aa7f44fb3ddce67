"""How sure recursive least squares is, step by step: the noise, how long it lasts, and errors of the arm's own model.

    sigma_now² = scale² P_kk + v_k,    scale² = τ_int Σ r²/Σ α

`scale`: torques are as noisy as their residuals r, of which α = noise² + φPφᵀ was expected, and τ_int samples count as
one. τ_int is found by batch means: sums of 1, 2, 4 … residuals; of white noise their squares grow as their lengths do.

v is what the arm's model is wrong by. Errors of drives and friction differ from joint to joint: the estimates θ_j that
leave the torque of joint j out scatter as these errors do,

    v_k = (m − 1)/m Σ_j (θ_jk − θ_k)²,    at least (drives θ_k)² Σ_j s_jk²/(Σ_j s_jk)²,    s_jk = 1 − P_kk/P_jkk

over the m joints without which something is known. They are the same step with another noise, on the same equations.
An estimate is identifiable when its own standard deviation is a tenth of the first one.

Source: B. Efron, "The Jackknife, the Bootstrap and Other Resampling Plans" (1982), chapter 3; H. Flyvbjerg, H. G.
Petersen, "Error estimates on averages of correlated data", Journal of Chemical Physics 91 (1989), for batch means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.mechanics.models.entry import Block, Given, ModelCall, Result
from manipula.mechanics.models.estimation.least_squares import learn, least_squares, variances
from manipula.mechanics.models.estimation.unknowns import Unknowns
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.spatial.vector import sum_of
from manipula.scalar import Entries, Maths, Next, Scalar

LEFT_OUT = 1e3  # times the noise of a joint whose torque is left out
DRIVES = 0.03  # of a joint's torque: no drive is known better, where few joints agree by chance
ALONE = 25.0  # times the variance: without that joint nothing is known
SHARPER = 10.0  # times better known than at the start is what counts as shown
FEW = 3  # equations an unknown, before residuals say how noisy the torques are
BLOCKS = 16  # of a length, before its sums say anything
LEVELS = 12  # lengths of sums, up to 2048 samples
LEFT_OUT_EXACT, SHARPER_SQUARE = Fraction(LEFT_OUT), Fraction(SHARPER**2)
TINY = Fraction(1, 10**30)  # no division by nothing, in single precision too


def least_squares_with_spread(unknowns: Unknowns, joints: int) -> Block:
    """The estimator of these unknowns, with `sigma_now` and `identifiable` beside its own outputs."""
    plain, names = least_squares(unknowns), unknowns.estimates.size
    assert isinstance(names, tuple)
    count = len(names)

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        equations = unknowns.equations(maths, call, x)
        found = learn(maths, equations, x[unknowns.estimates.name], x["factors"], x["noise"], x)
        square = [s * s for s in x["sigma"]]
        variance = variances(found.factors, square)
        others, kept = [], dict[str, list[Scalar]](load_without_next=[], factors_without_next=[])
        for j in range(joints):
            noise = [LEFT_OUT_EXACT * s if i == j else s for i, s in enumerate(x["noise"])]
            before = (_part(x["load_without"], j, joints), _part(x["factors_without"], j, joints))
            other = learn(maths, equations, *before, noise, x)
            others.append((other.estimate, variances(other.factors, square)))
            kept["load_without_next"] += other.estimate
            kept["factors_without_next"] += other.factors.flat
        means, scale = _batch_means(maths, found.residual, found.expected, count, x)
        model = _model_variance(maths, found.estimate, variance, others)
        sigma = [maths.sqrt(scale * p + v) for p, v in zip(variance, model, strict=True)]
        shown = [maths.select(maths.less(SHARPER_SQUARE * p, s), 1, 0) for p, s in zip(variance, square, strict=True)]
        return found.outputs(unknowns.estimates.name, equations, variance) | kept | means | {
            "sigma_now": sigma, "identifiable": shown,
        }  # fmt: skip

    triangle = count * (count + 1) // 2
    states = (
        _state("load_without", "estimates that leave one joint out, joint by joint", joints * count),
        _state("factors_without", "the factors of these", joints * triangle),
        _state("sums", "of residuals that wait for their neighbours, length by length", LEVELS * joints),
        _state("waiting", "1 where such a sum waits", LEVELS),
        _state("sum_squares", "squares of these sums", LEVELS),
        _state("sum_counts", "how many they are", LEVELS),
    )
    after = {f"{x.name}_next": Result("SI", f"{x.doc}, after the step", Next(x.name)) for x in states}
    outputs = {**plain.outputs, **after} | {
        "sigma_now": Result("SI", "the estimates' standard deviations: noise, its memory, errors of the arm's model"),
        "identifiable": Result("1", "1 where an estimate is known ten times as well as at the start, else 0"),
    }
    return replace(plain, inputs=(*plain.inputs, *states), outputs=outputs, text=text)


def _state(name: str, doc: str, size: int) -> PortKind:
    return PortKind(name, "SI", doc, tuple(f"{name}{k + 1}" for k in range(size)), "state")


def _part(row: Sequence[Scalar], j: int, parts: int) -> list[Scalar]:
    size = len(row) // parts
    return list(row[j * size : (j + 1) * size])


def _batch_means(
    maths: Maths[Scalar], residual: Sequence[Scalar], expected: Sequence[Scalar], unknowns: int, x: Given
) -> tuple[dict[str, Any], Scalar]:
    """What becomes of the sums, and scale²."""
    sums, waiting, squares, counts = [], [], [], []
    n, arrives = len(residual), 1
    sent = [r * (1 / maths.sqrt(a)) for r, a in zip(residual, expected, strict=True)]
    for k in range(LEVELS):
        held, wait = _part(x["sums"], k, LEVELS), x["waiting"][k]
        squares.append(x["sum_squares"][k] + arrives * sum_of(v * v for v in sent))
        counts.append(x["sum_counts"][k] + arrives)
        # a second one is sent on with the first, which waited; a first one waits
        goes = arrives * wait
        sums.append([(1 - goes) * (h + arrives * (1 - wait) * v) for h, v in zip(held, sent, strict=True)])
        waiting.append(wait + arrives - 2 * goes)
        sent, arrives = [h + v for h, v in zip(held, sent, strict=True)], goes
    whole = squares[0] * (1 / counts[0])
    longest: Scalar = 1
    for k in range(LEVELS):
        # s_k/(b_k 2^k), in parts of the same of single residuals
        grown = squares[k] * (1 / (counts[k] * 2**k * whole + TINY))
        longest = maths.maximum(longest, maths.select(maths.less(counts[k], BLOCKS), 1, grown))
    rows = counts[0] * n
    # Σ r²/α over all joints, for each row one was expected
    scale = maths.select(maths.less(FEW * unknowns, rows), squares[0] * (1 / rows) * longest, 1)
    kept = {
        "sums_next": [v for row in sums for v in row], "waiting_next": waiting, "sum_squares_next": squares,
        "sum_counts_next": counts,
    }  # fmt: skip
    return kept, scale


def _model_variance(
    maths: Maths[Scalar],
    theta: Sequence[Scalar],
    variance: Sequence[Scalar],
    others: Sequence[tuple[Sequence[Scalar], Sequence[Scalar]]],
) -> list[Scalar]:
    """v of every estimate."""
    found = []
    for k, (value, p) in enumerate(zip(theta, variance, strict=True)):
        shares = [maths.minimum(1, maths.maximum(0, 1 - p * (1 / q[k]))) for _, q in others]
        usable = [maths.select(maths.less(s, Fraction(1) - 1 / Fraction(ALONE)), 1, 0) for s in shares]
        m = maths.maximum(2, sum_of(usable))
        moved = sum_of(u * (t[k] - value) * (t[k] - value) for u, (t, _) in zip(usable, others, strict=True))
        whole = sum_of(shares) + TINY
        drives = Fraction(DRIVES).limit_denominator(1000) * value
        least = drives * drives * sum_of(s * (1 / whole) * (s * (1 / whole)) for s in shares)
        found.append(maths.maximum((m - 1) * (1 / m) * moved, least))
    return found
