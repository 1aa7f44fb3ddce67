"""Normal deviates of all lanes at once, in LLVM assembly: the words of `program.philox`, and the same formula on them.

A lane's rollout is its own, seed, step and channel are common. The upper halves of words that only go into products of
32 bits are not cleared: the product does not look at them.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.machine.arithmetic import Arithmetic
from manipula.algebra.machine.logarithm import plain_logarithm
from manipula.algebra.machine.sincos import Pair, quadrant, sines
from manipula.algebra.machine.writer import Writer, library
from manipula.algebra.program.philox import EACH, FIRST, GOLDEN, HALF, LAST, LOW, ROOT, ROUNDS, SECOND, TWO_PI

# sin 2πr = r·S(r²), cos 2πr = C(r²) at Chebyshev's points of |r| ≤ 1/8, errors below 3e-16 and 2e-17
_SIN = (
    6.283185307179586, -41.341702240399634, 81.60524927594804, -76.70585970427454, 42.058685020160894,
    -15.093804209987114, 3.7808689593022957,
)  # fmt: skip
_COS = (
    1.0, -19.739208802178716, 64.93939402266795, -85.45681720652271, 60.244641328867296, -26.426250908622137,
    7.903091687751697, -1.6968494702918826,
)  # fmt: skip


def deviates(w: Writer, count: int, seed: str, rollouts: str, step: str) -> list[str]:
    """So many values, four a channel. `seed`, `step`: words; `rollouts`: one word a lane."""
    kind = w.kind.wide()
    a = Arithmetic(w, kind)
    words = [x for channel in range(-(-count // EACH)) for x in _words(a, seed, rollouts, step, channel)]
    pairs = list(zip(words[::2], words[1::2]))[: (count + 1) // 2]
    radii = [_radius(a, u) for u, _ in pairs]
    turned = _turned(a, [v for _, v in pairs])
    found = [a.mul(r, x) for r, (s, c) in zip(radii, turned) for x in (c, s)]
    if w.kind.scalar == "float":
        found = [w.let(f"fptrunc {kind.text} {x} to {w.kind.text}") for x in found]
    return found[:count]


def _turned(a: Arithmetic, words: Sequence[str]) -> list[Pair]:
    """sin and cos of 2πv, v = word/2³², in double precision."""
    if a.w.host.fused:
        return [_sines_of_turn(a, word) for word in words]
    own, a.w.kind = a.w.kind, a.k
    pairs = sines(a.w, [a.mul(TWO_PI, a.mul(_number(a, word), LAST)) for word in words])
    a.w.kind = own
    return pairs


def _sines_of_turn(a: Arithmetic, word: str) -> Pair:
    """The nearest quarter n of a turn and the rest are whole numbers: nothing is lost, nothing out of range."""
    # 2³² v = n 2³⁰ + rest, |rest| ≤ 2²⁹;  r = rest/2³²
    n = a.whole("lshr", a.whole("add", word, 1 << 29), 30)
    rest = a.whole("sub", word, a.whole("shl", n, 30))
    r = a.mul(a.w.let(f"sitofp {a.k.bits} {rest} to {a.k.text}"), LAST)
    z = a.mul(r, r)
    return quadrant(a.w, a.k, n, a.mul(r, a.polynomial(z, _SIN)), a.polynomial(z, _COS))


def _radius(a: Arithmetic, word: str) -> str:
    """√(−2 log u), u = (word + 1)/2³²"""
    own, a.w.kind = a.w.kind, a.k
    u = a.mul(a.add(_number(a, word), 1.0), LAST)
    value = plain_logarithm(a, u) if a.w.host.fused else library(a.w, "log", u)
    root = a.w.let(a.w.intrinsic("sqrt", a.k, a.mul(-2.0, value)))
    a.w.kind = own
    return root


def _words(a: Arithmetic, seed: str, rollouts: str, step: str, channel: int) -> list[str]:
    """Four, of 32 bits."""
    low = a.w.let(f"and i64 {step}, {LOW}")
    high = a.w.let(f"lshr i64 {step}, {HALF}")
    counter = [_spread(a, low), _spread(a, high), a.k.whole(channel), a.k.whole(0)]
    return _rounds(a, counter, _spread(a, seed), rollouts)


def _rounds(a: Arithmetic, c: Sequence[str], k0: str, k1: str) -> list[str]:
    c0, c1, c2, c3 = c
    for turn in range(ROUNDS):
        first = a.whole("mul", a.whole("and", c0, LOW), FIRST)
        second = a.whole("mul", a.whole("and", c2, LOW), SECOND)
        key0, key1 = (a.whole("add", k, turn * step & LOW) for k, step in ((k0, GOLDEN), (k1, ROOT)))
        c0 = a.whole("xor", a.whole("xor", a.whole("lshr", second, HALF), c1), key0)
        c2 = a.whole("xor", a.whole("xor", a.whole("lshr", first, HALF), c3), key1)
        c1, c3 = second, first
    return [a.whole("and", x, LOW) for x in (c0, c1, c2, c3)]


def _number(a: Arithmetic, word: str) -> str:
    return a.w.let(f"sitofp {a.k.bits} {word} to {a.k.text}")


def _spread(a: Arithmetic, word: str) -> str:
    if a.k.lanes == 1:
        return word
    first = a.w.let(f"insertelement {a.k.bits} poison, i64 {word}, i64 0")
    zeros = f"<{a.k.lanes} x i32> zeroinitializer"
    return a.w.let(f"shufflevector {a.k.bits} {first}, {a.k.bits} poison, {zeros}")
