"""The method of Dormand and Prince of order 8, twelve stages, by fixed steps.

    k_i = f(x + h Σ_{j<i} a_ij k_j),    x⁺ = x + h Σ_i b_i k_i

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.5; the coefficients
are those that its authors published with the code DOP853, as decimals of thirty digits. Its estimates of the error are
left out: the step is the user's.

Where the motion is smooth it asks for the fewest rates of all for a small error: three times as many as RK4 in a step
that is ten to thirty times as long. A jump inside a step (a stop, a law that switches) costs it its order, as any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce

from manipula.mechanics.models.integrate.one_step import Advance, Rates, State, add, over
from manipula.scalar import Scalar

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
