"""Normal deviates of all lanes at once, in LLVM assembly: the words of `program.philox`, and the same formula on them.

A lane's rollout is its own, seed, step and channel are common. The upper halves of words that only go into products of
32 bits are not cleared: the product does not look at them.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.machine.arithmetic import Arithmetic
from manipula.algebra.machine.logarithm import plain_logarithm
from manipula.algebra.machine.sincos import sines
from manipula.algebra.machine.writer import Kind, Writer, library
from manipula.algebra.program.philox import FIRST, GOLDEN, HALF, LAST, LOW, ROOT, ROUNDS, SECOND, TWO_PI


def deviates(w: Writer, count: int, seed: str, rollouts: str, step: str) -> list[str]:
    """So many values, two a channel. `seed`, `step`: words; `rollouts`: one word a lane."""
    kind = w.kind.wide()
    a = Arithmetic(w, kind)
    pairs = [_uniforms(a, seed, rollouts, step, channel) for channel in range((count + 1) // 2)]
    radii = [_radius(a, u) for u, _ in pairs]
    angles = [a.mul(TWO_PI, v) for _, v in pairs]
    found = [a.mul(r, x) for r, (s, c) in zip(radii, _turned(w, kind, angles)) for x in (c, s)]
    if w.kind.scalar == "float":
        found = [w.let(f"fptrunc {kind.text} {x} to {w.kind.text}") for x in found]
    return found[:count]


def _turned(w: Writer, kind: Kind, angles: Sequence[str]) -> list[tuple[str, str]]:
    """sin and cos, in double precision."""
    own, w.kind = w.kind, kind
    pairs = sines(w, angles)
    w.kind = own
    return [(pair.sin, pair.cos) for pair in pairs]


def _radius(a: Arithmetic, u: str) -> str:
    """√(−2 log u)"""
    own, a.w.kind = a.w.kind, a.k
    value = plain_logarithm(a, u) if a.w.host.fused else library(a.w, "log", u)
    root = a.w.let(a.w.intrinsic("sqrt", a.k, a.mul(-2.0, value)))
    a.w.kind = own
    return root


def _uniforms(a: Arithmetic, seed: str, rollouts: str, step: str, channel: int) -> tuple[str, str]:
    """Of 53 bits: one above 0 and up to 1, one from 0 and below 1."""
    low = a.w.let(f"and i64 {step}, {LOW}")
    high = a.w.let(f"lshr i64 {step}, {HALF}")
    counter = [_spread(a, low), _spread(a, high), a.k.whole(channel), a.k.whole(0)]
    words = _rounds(a, counter, _spread(a, seed), rollouts)
    u, v = (_number(a, first, second) for first, second in (words[:2], words[2:]))
    return a.mul(a.add(u, 1.0), LAST), a.mul(v, LAST)


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


def _number(a: Arithmetic, low: str, high: str) -> str:
    """The upper 53 of 64 bits."""
    whole = a.whole("lshr", a.whole("or", a.whole("shl", high, HALF), low), 11)
    return a.w.let(f"uitofp {a.k.bits} {whole} to {a.k.text}")


def _spread(a: Arithmetic, word: str) -> str:
    if a.k.lanes == 1:
        return word
    first = a.w.let(f"insertelement {a.k.bits} poison, i64 {word}, i64 0")
    zeros = f"<{a.k.lanes} x i32> zeroinitializer"
    return a.w.let(f"shufflevector {a.k.bits} {first}, {a.k.bits} poison, {zeros}")
