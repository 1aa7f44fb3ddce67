"""Steps of Runge–Kutta methods: Euler and RK4, RK8 of Dormand and Prince, the implicit one of Gauss.

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations" I and II: the sections above each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import isqrt
from typing import Any, NamedTuple

from manipula.mechanics.spatial.inertia import reciprocal
from manipula.scalar import Maths, Scalar

# One step of an integrator: x(t + h) from x(t) and a function that gives the rate of a state, over any scalar.
#
# A state is a set of named vectors. What drives the system is held over the step. The methods of a few lines stand
# here: Euler's, explicit and semi-implicit, and the classical one of Runge and Kutta; each names its source above its
# text. Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., chapters I.7 and II.1.


# One step of an integrator: x(t + h) from x(t) and a function that gives the rate of a state, over any scalar.
#
# A state is a set of named vectors. What drives the system is held over the step. Integrators add up steps h k; where
# a step takes a state is for its `Advance` to say: positions of a robot move as its coordinates do.

State = Mapping[str, Sequence[Scalar]]
Rates = Callable[[State], State]
Advance = Callable[[State, State], State]  # a state and a step from there → the state where it ends
Step = Callable[[Rates, State, Scalar, Advance], State]


def over(h: Scalar, k: State) -> State:
    """The step h k."""
    return {name: [h * b for b in rates] for name, rates in k.items()}


def add(x: State, step: State) -> dict[str, list[Scalar]]:
    """x + step, entry by entry: how states advance that are numbers."""
    return {name: [a + b for a, b in zip(x[name], step[name], strict=True)] for name in x}


# Explicit Euler: order 1.
#
# Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section I.7, eq. (7.3).


def euler(rate: Rates, x: State, h: Scalar, advance: Advance) -> State:
    # x⁺ = x + h f(x)
    return advance(x, over(h, rate(x)))


# Semi-implicit Euler: the velocities first, then the positions with the new velocities. Order 1.
#
# Source: Hairer, Lubich, Wanner, "Geometric Numerical Integration", 2nd ed., section I.1.2 ("symplectic Euler").
# It is symplectic in (q, p); in (q, q̇) only where the inertia matrix is constant.

VELOCITY = {"q": "qd", "motor": "motor_rate"}  # positions, and the state that is their rate


def semi_implicit(rate: Rates, x: State, h: Scalar, advance: Advance) -> State:
    # v⁺ = v + h f(q, v),  and so every state that is no position
    k = rate(x)
    new = advance(x, over(h, k))
    # q⁺ = q + h v⁺
    return advance(x, over(h, {**k, **{q: new[v] for q, v in VELOCITY.items() if q in x}}))


# The classical method of Runge and Kutta: order 4.
#
# Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.1, table 1.2, left.


def rk4(rate: Rates, x: State, h: Scalar, advance: Advance) -> State:
    half = h * Fraction(1, 2)
    # k₁ = f(x),  k₂ = f(x + h/2 k₁),  k₃ = f(x + h/2 k₂),  k₄ = f(x + h k₃)
    k1 = rate(x)
    k2 = rate(advance(x, over(half, k1)))
    k3 = rate(advance(x, over(half, k2)))
    k4 = rate(advance(x, over(h, k3)))
    # x⁺ = x + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)
    total = {name: [a + 2 * (b + c) + d for a, b, c, d in zip(k1[name], k2[name], k3[name], k4[name])] for name in x}
    return advance(x, over(h * Fraction(1, 6), total))


# The method of Dormand and Prince of order 8, twelve stages, by fixed steps.
#
#     k_i = f(x + h Σ_{j<i} a_ij k_j),    x⁺ = x + h Σ_i b_i k_i
#
# Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.5; the coefficients
# are those that its authors published with the code DOP853, as decimals of thirty digits. Its estimates of the error
# are left out: the step is the user's.
#
# Where the motion is smooth it asks for the fewest rates of all for a small error: three times as many as RK4 in a
# step that is ten to thirty times as long. A jump inside a step (a stop, a law that switches) costs it its order, as
# any.


Row = Mapping[int, Fraction]  # stage → its weight; all others weigh nothing


def _row(**weights: str) -> Row:
    return {int(stage[1:]): Fraction(weight) for stage, weight in weights.items()}


A: tuple[Row, ...] = (
    _row(k1="5.26001519587677318785587544488e-2"),
    _row(k1="1.97250569845378994544595329183e-2", k2="5.91751709536136983633785987549e-2"),
    _row(k1="2.95875854768068491816892993775e-2", k3="8.87627564304205475450678981324e-2"),
    _row(
        k1="2.41365134159266685502369798665e-1",
        k3="-8.84549479328286085344864962717e-1",
        k4="9.24834003261792003115737966543e-1",
    ),
    _row(
        k1="3.7037037037037037037037037037e-2",
        k4="1.70828608729473871279604482173e-1",
        k5="1.25467687566822425016691814123e-1",
    ),
    _row(
        k1="3.7109375e-2",
        k4="1.70252211019544039314978060272e-1",
        k5="6.02165389804559606850219397283e-2",
        k6="-1.7578125e-2",
    ),
    _row(
        k1="3.70920001185047927108779319836e-2",
        k4="1.70383925712239993810214054705e-1",
        k5="1.07262030446373284651809199168e-1",
        k6="-1.53194377486244017527936158236e-2",
        k7="8.27378916381402288758473766002e-3",
    ),
    _row(
        k1="6.24110958716075717114429577812e-1",
        k4="-3.36089262944694129406857109825",
        k5="-8.68219346841726006818189891453e-1",
        k6="2.75920996994467083049415600797e1",
        k7="2.01540675504778934086186788979e1",
        k8="-4.34898841810699588477366255144e1",
    ),
    _row(
        k1="4.77662536438264365890433908527e-1",
        k4="-2.48811461997166764192642586468",
        k5="-5.90290826836842996371446475743e-1",
        k6="2.12300514481811942347288949897e1",
        k7="1.52792336328824235832596922938e1",
        k8="-3.32882109689848629194453265587e1",
        k9="-2.03312017085086261358222928593e-2",
    ),
    _row(
        k1="-9.3714243008598732571704021658e-1",
        k4="5.18637242884406370830023853209",
        k5="1.09143734899672957818500254654",
        k6="-8.14978701074692612513997267357",
        k7="-1.85200656599969598641566180701e1",
        k8="2.27394870993505042818970056734e1",
        k9="2.49360555267965238987089396762",
        k10="-3.0467644718982195003823669022",
    ),
    _row(
        k1="2.27331014751653820792359768449",
        k4="-1.05344954667372501984066689879e1",
        k5="-2.00087205822486249909675718444",
        k6="-1.79589318631187989172765950534e1",
        k7="2.79488845294199600508499808837e1",
        k8="-2.85899827713502369474065508674",
        k9="-8.87285693353062954433549289258",
        k10="1.23605671757943030647266201528e1",
        k11="6.43392746015763530355970484046e-1",
    ),
)
B: Row = _row(
    k1="5.42937341165687622380535766363e-2",
    k6="4.45031289275240888144113950566",
    k7="1.89151789931450038304281599044",
    k8="-5.8012039600105847814672114227",
    k9="3.1116436695781989440891606237e-1",
    k10="-1.52160949662516078556178806805e-1",
    k11="2.01365400804030348374776537501e-1",
    k12="4.47106157277725905176885569043e-2",
)


def rk8(rate: Rates, x: State, h: Scalar, advance: Advance) -> State:
    # k₁ = f(x)
    k: list[State] = [rate(x)]
    for row in A:
        # k_i = f(x + Σ_j (h a_ij) k_j)
        k.append(rate(advance(x, _step(h, row, k))))
    # x⁺ = x + Σ_i (h b_i) k_i
    return advance(x, _step(h, B, k))


def _step(h: Scalar, row: Row, k: Sequence[State]) -> State:
    """Σ_j (h a_j) k_j: the times h a_j are known before the run; x is met last, so that it is rounded once."""
    first, *others = [over(h * weight, k[stage - 1]) for stage, weight in row.items()]
    return reduce(add, others, first)


# The method of Gauss with two stages: order 4, stable however stiff a law or a spring is.
#
#     k_i = f(x + h Σ_j a_ij k_j),    x⁺ = x + h/2 (k₁ + k₂),    A = ( 1/4      1/4 − r )
#                                                                    ( 1/4 + r  1/4     ),    r = √3/6
#
# Source: Hairer, Wanner, "Solving Ordinary Differential Equations II", 2nd ed., sections IV.5 (the method, and that it
# is stable for every λ in the left half-plane) and IV.8 (the stages by simplified Newton iterations); Hairer, Lubich,
# Wanner, "Geometric Numerical Integration", 2nd ed., section II.1.3: it is symmetric, and symplectic in (q, p); in (q,
# q̇) only where the inertia matrix is constant.
#
# The stages come by a fixed number of iterations from k = f(x),
#
#     (I − h A ⊗ S) Δk = f(g) − k          g_i = x + h Σ_j a_ij k_j
#
# with S the stiff part of f′ at x (`stiffness`). What S leaves out, weight and Coriolis forces, makes an iteration
# gain an order only: three make order 4, and the fourth leaves h⁶ of the way to the solved stages. What is linear and
# in S, a spring or a gain, is solved by the first. How far the last one moved a stage is the output `unsolved`.
#
# The matrix is eliminated without exchanging rows: positions first, whose pivots are 1, then the rest stage by stage.
# For the springs K and dampers D of an inertia M those pivots are M + h/4 D + h²/24 K and what follows, never zero.


SWEEPS = 4
DIGITS = 10**20
R = Fraction(isqrt(DIGITS**2 // 12), DIGITS)  # √3/6 = √(1/12), closer than a double resolves
QUARTER = Fraction(1, 4)
GAUSS = ((QUARTER, QUARTER - R), (QUARTER + R, QUARTER))
Rows = Sequence[Sequence[Scalar]]


class Solved(NamedTuple):
    """The state after a step, and the largest way of a stage in the last iteration."""

    state: State
    unsolved: Scalar


def gauss4(maths: Maths[Scalar], rate: Rates, slopes: Rows, x: State, h: Scalar, advance: Advance) -> Solved:
    k1 = k2 = rate(x)
    newton = Stages(maths, slopes, x, h)
    moved: list[Scalar] = []
    for _ in range(SWEEPS):
        # g₁ = x + h (1/4 k₁ + (1/4 − r) k₂),  g₂ = x + h ((1/4 + r) k₁ + 1/4 k₂)
        g1, g2 = (advance(x, over(h, _combine(k1, row[0], k2, row[1]))) for row in GAUSS)
        # Δk = (I − h A ⊗ S)⁻¹ (f(g) − k)
        d1, d2 = newton(_difference(rate(g1), k1), _difference(rate(g2), k2))
        k1, k2 = _combine(k1, 1, d1, 1), _combine(k2, 1, d2, 1)
        moved = [h * change for d in (d1, d2) for changes in d.values() for change in changes]
    # x⁺ = x + h/2 (k₁ + k₂)
    half = Fraction(1, 2)
    return Solved(advance(x, over(h, _combine(k1, half, k2, half))), _largest(maths, moved))


class Stages:
    """Δk of both stages for what is left of both."""

    def __init__(self, maths: Maths[Scalar], slopes: Rows, x: State, h: Scalar) -> None:
        self._maths = maths
        self._places = [(name, i) for name, values in x.items() for i in range(len(values))]
        first = [i for i, (name, _) in enumerate(self._places) if name in VELOCITY]
        others = [i for i, (name, _) in enumerate(self._places) if name not in VELOCITY]
        self._order = [(s, i) for part in (first, others) for s in (0, 1) for i in part]
        hA = [[h * a for a in row] for row in GAUSS]
        matrix = [
            [int((s, i) == (t, j)) - _product(hA[s][t], slopes[i][j]) for t, j in self._order] for s, i in self._order
        ]
        self._upper, self._lower, self._inverse = _factorise_sparse(maths, matrix)

    def __call__(self, *left: State) -> list[dict[str, list[Scalar]]]:
        y = [left[s][self._places[i][0]][self._places[i][1]] for s, i in self._order]
        for k, rows in enumerate(self._lower):
            for i, share in rows:
                y[i] = y[i] - share * y[k]
        for k in range(len(y) - 1, -1, -1):
            rest = y[k]
            for j, entry in self._upper[k]:
                rest = rest - entry * y[j]
            y[k] = rest * self._inverse[k]
        found = dict(zip(self._order, y))
        return [
            self._state_from_flat([self._maths.apart(found[s, i]) for i in range(len(self._places))]) for s in (0, 1)
        ]

    def _state_from_flat(self, flat: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        state: dict[str, list[Scalar]] = {}
        for (name, _), value in zip(self._places, flat, strict=True):
            state.setdefault(name, []).append(value)
        return state


Sparse = list[list[tuple[int, Scalar]]]  # of every row, or column, the entries that are not nothing, and where


def _factorise_sparse(maths: Maths[Scalar], matrix: Sequence[Sequence[Scalar]]) -> tuple[Sparse, Sparse, list[Scalar]]:
    """U by rows, L by columns, both without their diagonals, and the inverses of the pivots."""
    work, inverse = [list(row) for row in matrix], list[Scalar]()
    lower: Sparse = []
    for k in range(len(work)):
        inverse.append(_alone(maths, reciprocal(work[k][k])))
        shares = [(i, _alone(maths, work[i][k] * inverse[k])) for i in range(k + 1, len(work)) if _some(work[i][k])]
        for i, share in shares:
            for j in range(k + 1, len(work)):
                work[i][j] = work[i][j] - _product(share, work[k][j])
        lower.append(shares)
    upper = [[(j, row[j]) for j in range(k + 1, len(row)) if _some(row[j])] for k, row in enumerate(work)]
    return upper, lower, inverse


def _alone(maths: Maths[Scalar], x: Scalar) -> Scalar:
    """As a value of its own, so that degrees do not double from pivot to pivot."""
    return x if isinstance(x, int | Fraction) else maths.apart(x)


def _some(x: Scalar) -> bool:
    return not (isinstance(x, int) and x == 0)


def _product(a: Scalar, b: Scalar) -> Scalar:
    """A structural zero stays one."""
    return a * b if _some(b) else 0


def _combine(k1: State, a: Fraction | int, k2: State, b: Fraction | int) -> dict[str, list[Scalar]]:
    """a k₁ + b k₂"""
    return {name: [a * one + b * two for one, two in zip(k1[name], k2[name], strict=True)] for name in k1}


def _difference(a: State, b: State) -> dict[str, list[Scalar]]:
    return {name: [one - two for one, two in zip(a[name], b[name], strict=True)] for name in a}


def _largest(maths: Maths[Scalar], values: Sequence[Scalar]) -> Any:
    worst: Any = None
    for x in values:
        size = maths.abs(x)
        worst = size if worst is None else maths.maximum(worst, size)
    return worst
