"""Sine and cosine of all lanes at once, in LLVM assembly.

    n = round(2x/π)      r = x − n·π/2  (π/2 in three pieces, the first two products exact)      |r| ≤ π/4

then the two polynomials in r, exchanged and signed by n mod 4. In double precision r carries its rounding error along,
and the error stays below 0.8 of a unit in the last place for |x| < 1e5. Lanes beyond that, infinities and NaN are
handed to the system's own functions, the other lanes keeping what they have: no lane depends on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from manipula.algebra.llvm.writer import Kind, Writer, by_lane

LIMIT = 1e5
_TWO_OVER_PI = 0.6366197723675814
_SHIFT = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to a whole number, which its lowest bits then spell
# π/2 = P1 + P2 + P3; P2 has 36 bits, so that n·P2 is exact
_P1, _P2, _P3 = (float.fromhex(x) for x in ("0x1.921fb54442d18p+0", "0x1.1a62633140000p-54", "0x1.701b839a25205p-92"))
# minimax polynomials of the FreeBSD library (Sun Microsystems 1993, freely granted): sin r = r + r³·S(r²), …
_SIN = (
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
    2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
)  # fmt: skip
_COS = (
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
    -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
)  # fmt: skip
# the same for results of 24 bits: sin r = r + r³·S(r²), cos r = 1 + r²·C(r²)
_SIN_SHORT = (
    float.fromhex("-0x15555554cbac77.0p-55"), float.fromhex("0x111110896efbb2.0p-59"),
    float.fromhex("-0x1a00f9e2cae774.0p-65"), float.fromhex("0x16cd878c3b46a7.0p-71"),
)  # fmt: skip
_COS_SHORT = (
    float.fromhex("-0x1ffffffd0c5e81.0p-54"), float.fromhex("0x155553e1053a42.0p-57"),
    float.fromhex("-0x16c087e80f1e27.0p-62"), float.fromhex("0x199342e0ee5069.0p-68"),
)  # fmt: skip


class Pair(NamedTuple):
    sin: str
    cos: str


def sines(w: Writer, angles: Sequence[str]) -> list[Pair]:
    """sin and cos of values of the writer's kind; scalars are packed into vectors first."""
    if not w.host.fused:
        return [Pair(_library(w, "sin", x), _library(w, "cos", x)) for x in angles]
    return _pack_angles(w, angles) if w.kind.lanes == 1 else _side_by_side(w, angles)


def _library(w: Writer, name: str, x: str) -> str:
    """Without fused products the reduction would not be exact: the system's function, lane by lane."""
    w.declared[name] = f"declare double @llvm.{name}.f64(double)"
    return by_lane(w, f"@llvm.{name}.f64", x)


def _side_by_side(w: Writer, angles: Sequence[str]) -> list[Pair]:
    """Vectors: each angle is one already."""
    k = w.kind
    if k.scalar == "double":
        return _vectors(w, k, angles, careful=True)
    wide = [w.let(f"fpext {k.text} {x} to {k.wide().text}") for x in angles]
    pairs = _vectors(w, k.wide(), wide, careful=False)
    return [Pair(*(w.let(f"fptrunc {k.wide().text} {x} to {k.text}") for x in pair)) for pair in pairs]


def _pack_angles(w: Writer, angles: Sequence[str]) -> list[Pair]:
    """Scalars: as many angles as there are lanes become one vector."""
    k, lanes = w.kind, room(len(angles), w.host.lanes("double"))
    doubles = [w.let(f"fpext float {x} to double") for x in angles] if k.scalar == "float" else list(angles)
    vector = Kind("double", lanes)
    groups = [pack(w, vector, doubles[at : at + lanes]) for at in range(0, len(doubles), lanes)]
    pairs = _vectors(w, vector, groups, careful=k.scalar == "double")
    return [Pair(*(unpack(w, vector, part, i % lanes) for part in pairs[i // lanes])) for i in range(len(doubles))]


def room(count: int, most: int) -> int:
    # even for one angle: the same text, hence the same bits, as among many
    lanes = 2
    while lanes < min(count, most):
        lanes *= 2
    return lanes


def pack(w: Writer, kind: Kind, values: Sequence[str], rest: float = 0.0) -> str:
    """Scalars as one vector; a lane too many is `rest`."""
    vector = kind.literal(rest)
    for lane, value in enumerate(values):
        vector = w.let(f"insertelement {kind.text} {vector}, double {value}, i64 {lane}")
    return vector


def unpack(w: Writer, kind: Kind, vector: str, lane: int) -> str:
    value = w.let(f"extractelement {kind.text} {vector}, i64 {lane}")
    return w.let(f"fptrunc double {value} to float") if w.kind.scalar == "float" else value


def _vectors(w: Writer, k: Kind, angles: Sequence[str], careful: bool) -> list[Pair]:
    """The polynomials for all, then one test whether any lane of any is out of their range."""
    pairs = [(_careful if careful else _short)(w, k, x) for x in angles]
    wrong = ""
    for x in angles:
        size = w.let(w.intrinsic("fabs", k, x))
        # unordered or greater: true for NaN as well
        beyond = w.let(f"fcmp uge {k.text} {size}, {k.literal(LIMIT)}")
        wrong = w.let(f"or {k.test} {wrong}, {beyond}") if wrong else beyond
    bits = w.let(f"bitcast {k.test} {wrong} to i{k.lanes}")
    some = w.let(f"icmp ne i{k.lanes} {bits}, 0")
    near, far, mend = w.block, w.label("far"), w.label("near")
    w.emit(f"br i1 {some}, label %{far}, label %{mend}, !prof !0")
    w.start_block(far)
    # a cold function of its own keeps the rare case out of the straight code
    mended = [_mend_lanes(w, k, x, pair) for x, pair in zip(angles, pairs)]
    w.emit(f"br label %{mend}")
    w.start_block(mend)
    return [
        Pair(*(w.let(f"phi {k.text} [ {a}, %{near} ], [ {b}, %{far} ]") for a, b in zip(pair, other)))
        for pair, other in zip(pairs, mended)
    ]


def _mend_lanes(w: Writer, k: Kind, x: str, pair: Pair) -> Pair:
    """Through memory: a function of this module replaces the lanes that are out of range."""
    places = [f"%.mend.{name}" for name in ("x", "s", "c")]
    for place, value in zip(places, (x, *pair)):
        w.emit(f"store {k.text} {value}, ptr {place}, align 64")
    w.emit(f"call void @mend(ptr {places[0]}, ptr {places[1]}, ptr {places[2]}, i64 {k.lanes})")
    return Pair(*(w.let(f"load {k.text}, ptr {place}, align 64") for place in places[1:]))


def rooms(w: Writer, lanes: int) -> list[str]:
    """Memory that `_mend_lanes` uses; belongs into the entry block."""
    places = [f"  %.mend.{name} = alloca <{lanes} x double>, align 64" for name in ("x", "s", "c")]
    return places if w.host.fused else []


MEND = f"""
declare double @llvm.sin.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.fabs.f64(double)
define internal void @mend(ptr %x, ptr %s, ptr %c, i64 %n) noinline cold nounwind {{
entry:
  br label %lane
lane:
  %i = phi i64 [ 0, %entry ], [ %next, %on ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %value = load double, ptr %at, align 8
  %size = call double @llvm.fabs.f64(double %value)
  %good = fcmp olt double %size, {LIMIT:.1f}
  br i1 %good, label %on, label %replace
replace:
  %sin = call double @llvm.sin.f64(double %value)
  %cos = call double @llvm.cos.f64(double %value)
  %at.s = getelementptr inbounds double, ptr %s, i64 %i
  %at.c = getelementptr inbounds double, ptr %c, i64 %i
  store double %sin, ptr %at.s, align 8
  store double %cos, ptr %at.c, align 8
  br label %on
on:
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %lane, label %done
done:
  ret void
}}
!0 = !{{!"branch_weights", i32 1, i32 100000}}
"""


# the two ways to compute


def _turns(w: Writer, k: Kind, x: str) -> tuple[str, str]:
    """n as a number, and the bits that spell it."""
    # one instruction multiplies, adds and rounds; the lowest bits of its result are n
    moved = w.let(w.intrinsic("fma", k, x, k.literal(_TWO_OVER_PI), k.literal(_SHIFT)))
    n = w.let(f"fsub {k.text} {moved}, {k.literal(_SHIFT)}")
    return n, w.let(f"bitcast {k.text} {moved} to {k.bits}")


def _careful(w: Writer, k: Kind, x: str) -> Pair:
    """r + e, e its rounding error; both polynomials corrected by e."""
    fma, op = partial(w.fma, k), partial(w.float_operation, k)
    n, bits = _turns(w, k, x)
    first = fma(n, k.literal(-_P1), x)  # exact
    second = op("mul", n, k.literal(_P2))  # exact
    r = op("sub", first, second)
    e = fma(n, k.literal(-_P3), op("sub", op("sub", first, r), second))
    z = op("mul", r, r)
    most = fma(k.literal(-0.5), z, k.literal(1.0))  # 1 − z/2, and what its rounding lost
    # without it the rounding of 1 − z/2 alone would cost half a unit in the last place
    lost = fma(k.literal(-0.5), z, op("sub", k.literal(1.0), most))
    sine = fma(op("mul", z, r), polynomial(w, k, z, _SIN), op("mul", e, most))
    cosine = fma(op("mul", z, z), polynomial(w, k, z, _COS), lost)
    cosine = fma(r, w.let(f"fneg {k.text} {e}"), cosine)
    return quadrant(w, k, bits, op("add", r, sine), op("add", most, cosine))


def _short(w: Writer, k: Kind, x: str) -> Pair:
    """For results of 24 bits, computed in 53."""
    fma = partial(w.fma, k)
    n, bits = _turns(w, k, x)
    r = fma(n, k.literal(-_P2), fma(n, k.literal(-_P1), x))
    z = w.let(f"fmul {k.text} {r}, {r}")
    cube = w.let(f"fmul {k.text} {z}, {r}")
    sine = fma(cube, polynomial(w, k, z, _SIN_SHORT), r)
    cosine = fma(z, polynomial(w, k, z, _COS_SHORT), k.literal(1.0))
    return quadrant(w, k, bits, sine, cosine)


def polynomial(w: Writer, k: Kind, z: str, coefficients: Sequence[float]) -> str:
    total = k.literal(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = w.let(w.intrinsic("fma", k, total, z, k.literal(coefficient)))
    return total


def quadrant(w: Writer, k: Kind, bits: str, sine: str, cosine: str) -> Pair:
    """n odd exchanges the two; bit 1 of n signs the sine, bit 1 of n + 1 the cosine."""
    odd = w.let(f"trunc {k.bits} {bits} to {k.test}")
    s = w.let(f"select {k.test} {odd}, {k.text} {cosine}, {k.text} {sine}")
    c = w.let(f"select {k.test} {odd}, {k.text} {sine}, {k.text} {cosine}")
    return Pair(_flip_sign(w, k, bits, s), _flip_sign(w, k, w.let(f"add {k.bits} {bits}, {k.whole(1)}"), c))


def _flip_sign(w: Writer, k: Kind, bits: str, value: str) -> str:
    """The value, its sign turned where bit 1 is set."""
    # bit 1 of n moves to the place of the sign
    high = w.let(f"shl {k.bits} {bits}, {k.whole(62)}")
    sign = w.let(f"and {k.bits} {high}, {k.whole(-(2**63))}")
    plain = w.let(f"bitcast {k.text} {value} to {k.bits}")
    turned = w.let(f"xor {k.bits} {plain}, {sign}")
    return w.let(f"bitcast {k.bits} {turned} to {k.text}")
