"""atan2 of all lanes at once, in LLVM assembly.

    n, d = the smaller, the larger of |y|, |x|      u = n/d, or (n − d)/(n + d) where n > tan(π/8)·d      |u| ≤ tan(π/8)

then u + u³·P(u²), put into its octant. Quotient and octant carry their rounding errors along: the error stays below 0.8
of a unit in the last place. Lanes with NaN, infinities, two zeros or numbers of extreme size are handed to the system's
own function, the other lanes keeping what they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from manipula.algebra.llvm.sincos import pack, polynomial, room, unpack
from manipula.algebra.llvm.writer import Kind, Writer, by_lane

LEAST, MOST = 1e-290, 1e290  # of the larger of |y| and |x|: beyond these a quotient may be lost
_EIGHTH = 0.41421356237309503  # tan(π/8)
_QUARTER = float.fromhex("0x1.921fb54442d18p-1"), float.fromhex("0x1.1a62633145c07p-55")  # π/4 in two pieces
# minimax polynomial of (atan u − u)/u³ in u², relative error of the whole below 2⁻⁵⁹
_ATAN = (
    -0.333333333333332, 0.1999999999995408, -0.1428571428024836, 0.11111110786130814, -0.09090897836265328,
    0.07692061634168094, -0.06663120353718793, 0.05848008718620082, -0.05039844710037218, 0.03807830263980024,
    -0.017922261248105073,
)  # fmt: skip


class Ratio(NamedTuple):
    """The arguments of an arc tangent."""

    y: str
    x: str


def arctangents(w: Writer, ratios: Sequence[Ratio]) -> list[str]:
    """atan2 of values of the writer's kind; scalars are packed into vectors first."""
    if not w.host.fused:
        return [_library(w, ratio) for ratio in ratios]
    return _pack_ratios(w, ratios) if w.kind.lanes == 1 else _side_by_side(w, ratios)


def _library(w: Writer, ratio: Ratio) -> str:
    """Without fused products the rounding errors would be lost: the system's function, lane by lane."""
    w.declared["@atan2"] = "declare double @atan2(double, double) nounwind willreturn readnone"
    return by_lane(w, "@atan2", *ratio)


def _side_by_side(w: Writer, ratios: Sequence[Ratio]) -> list[str]:
    k = w.kind
    if k.scalar == "double":
        return _vectors(w, k, ratios)
    wide = [Ratio(*(w.let(f"fpext {k.text} {x} to {k.wide().text}") for x in ratio)) for ratio in ratios]
    return [w.let(f"fptrunc {k.wide().text} {x} to {k.text}") for x in _vectors(w, k.wide(), wide)]


def _pack_ratios(w: Writer, ratios: Sequence[Ratio]) -> list[str]:
    """As many as there are lanes become one vector; a lane too many is the angle of (1, 1)."""
    # a lane too many costs nothing, a branch for the last few would
    lanes = room(len(ratios), w.host.lanes("double"))
    vector = Kind("double", lanes)
    short = w.kind.scalar == "float"
    doubles = [[w.let(f"fpext float {x} to double") if short else x for x in part] for part in zip(*ratios)]
    groups = [
        Ratio(*(pack(w, vector, part[at : at + lanes], 1.0) for part in doubles)) for at in range(0, len(ratios), lanes)
    ]
    angles = _vectors(w, vector, groups)
    return [unpack(w, vector, angles[i // lanes], i % lanes) for i in range(len(ratios))]


def _vectors(w: Writer, k: Kind, ratios: Sequence[Ratio]) -> list[str]:
    """All of them, then one test whether any lane of any is out of range."""
    angles, wrong = [], ""
    for ratio in ratios:
        angle, larger = _angle(w, k, ratio)
        angles.append(angle)
        for how, bound in (("ule", LEAST), ("uge", MOST)):
            beyond = w.let(f"fcmp {how} {k.text} {larger}, {k.literal(bound)}")
            wrong = w.let(f"or {k.test} {wrong}, {beyond}") if wrong else beyond
    # one branch for all ratios: out-of-range lanes are too rare for a branch each
    some = w.let(f"icmp ne i{k.lanes} {w.let(f'bitcast {k.test} {wrong} to i{k.lanes}')}, 0")
    near, far, on = w.block, w.label("far"), w.label("near")
    w.emit(f"br i1 {some}, label %{far}, label %{on}, !prof !0")
    w.start_block(far)
    mended = [_mend_lanes(w, k, ratio, angle) for ratio, angle in zip(ratios, angles)]
    w.emit(f"br label %{on}")
    w.start_block(on)
    return [w.let(f"phi {k.text} [ {a}, %{near} ], [ {b}, %{far} ]") for a, b in zip(angles, mended)]


def _mend_lanes(w: Writer, k: Kind, ratio: Ratio, angle: str) -> str:
    """Through memory: a function of this module replaces the lanes that are out of range."""
    w.declared["@atan2"] = "declare double @atan2(double, double) nounwind willreturn readnone"
    w.declared["@mend_angle"] = MEND_ANGLE
    places = [f"%.mend.{name}" for name in ("x", "s", "c")]
    for place, value in zip(places, (*ratio, angle)):
        w.emit(f"store {k.text} {value}, ptr {place}, align 64")
    w.emit(f"call void @mend_angle(ptr {places[0]}, ptr {places[1]}, ptr {places[2]}, i64 {k.lanes})")
    return w.let(f"load {k.text}, ptr {places[2]}, align 64")


_SCALAR = Kind("double")
MEND_ANGLE = f"""
define internal void @mend_angle(ptr %y, ptr %x, ptr %angle, i64 %n) noinline cold nounwind {{
entry:
  br label %lane
lane:
  %i = phi i64 [ 0, %entry ], [ %next, %on ]
  %at.y = getelementptr inbounds double, ptr %y, i64 %i
  %at.x = getelementptr inbounds double, ptr %x, i64 %i
  %vy = load double, ptr %at.y, align 8
  %vx = load double, ptr %at.x, align 8
  %a = call double @llvm.fabs.f64(double %vy)
  %b = call double @llvm.fabs.f64(double %vx)
  %swap = fcmp ogt double %a, %b
  %large = select i1 %swap, double %a, double %b
  %over = fcmp ogt double %large, {_SCALAR.literal(LEAST)}
  %under = fcmp olt double %large, {_SCALAR.literal(MOST)}
  %numbers = fcmp ord double %vy, %vx
  %inside = and i1 %over, %under
  %good = and i1 %inside, %numbers
  br i1 %good, label %on, label %replace
replace:
  %true = call double @atan2(double %vy, double %vx)
  %at = getelementptr inbounds double, ptr %angle, i64 %i
  store double %true, ptr %at, align 8
  br label %on
on:
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %lane, label %done
done:
  ret void
}}"""


def _angle(w: Writer, k: Kind, ratio: Ratio) -> tuple[str, str]:
    """The angle, and the larger of |y| and |x| (NaN if either is)."""
    fma, op = partial(w.fma, k), partial(w.float_operation, k)

    def choose(test: str, yes: str, no: str) -> str:
        return w.let(f"select {k.test} {test}, {k.text} {yes}, {k.text} {no}")

    zero, one = k.literal(0.0), k.literal(1.0)
    a, b = (w.let(w.intrinsic("fabs", k, part)) for part in ratio)
    steep = w.let(f"fcmp ogt {k.text} {a}, {b}")
    left = w.let(f"fcmp olt {k.text} {ratio.x}, {zero}")
    n, d = choose(steep, b, a), choose(steep, a, b)
    wide = w.let(f"fcmp ogt {k.text} {n}, {op('mul', d, k.literal(_EIGHTH))}")
    # n − d and n + d with what their rounding lost
    less, more = op("sub", n, d), op("add", n, d)
    less_lost, more_lost = op("sub", n, op("add", less, d)), op("sub", n, op("sub", more, d))
    top, bottom = choose(wide, less, n), choose(wide, more, d)
    # u = top/bottom, and what is missing from it
    # one division for u and its correction; the remainder below makes up for the extra rounding
    inverse = op("div", one, bottom)
    u = op("mul", top, inverse)
    rest = fma(w.let(f"fneg {k.text} {u}"), bottom, top)
    lost = op("sub", less_lost, op("mul", u, more_lost))
    rest = op("mul", op("add", rest, choose(wide, lost, zero)), inverse)
    z = op("mul", u, u)
    # d(atan u) = du/(1 + u²), and 1/(1 + u²) is 1 − u² as far as a correction matters
    tail = fma(op("mul", z, u), polynomial(w, k, z, _ATAN), fma(w.let(f"fneg {k.text} {rest}"), z, rest))
    # n·0 is NaN where n is: d + n·0 is then out of range by both tests of `_vectors`
    return _place_angle(w, k, ratio.y, (u, tail), (wide, steep, left)), op("add", d, op("mul", n, zero))


def _place_angle(w: Writer, k: Kind, y: str, local: tuple[str, str], tests: tuple[str, str, str]) -> str:
    """atan(n/d) = local + π/4 (wide); the angle is that, π/2 less that (steep), π less that (left), signed by y."""

    def count(test: str, whole: float, quarters: str) -> str:
        turned = w.let(f"fsub {k.text} {k.literal(whole)}, {quarters}")
        return w.let(f"select {k.test} {test}, {k.text} {turned}, {k.text} {quarters}")

    wide, steep, left = tests
    # whole numbers of π/4, so that the constant is added once, in two pieces
    quarters = count(left, 4.0, count(steep, 2.0, w.let(f"uitofp {k.test} {wide} to {k.text}")))
    back = w.let(f"xor {k.test} {steep}, {left}")
    u, tail = (
        w.let(f"select {k.test} {back}, {k.text} {w.let(f'fneg {k.text} {part}')}, {k.text} {part}") for part in local
    )
    base = w.let(f"fmul {k.text} {quarters}, {k.literal(_QUARTER[0])}")
    # what the product with π/4 lost, and the second piece of π/4
    low = w.let(w.intrinsic("fma", k, quarters, k.literal(_QUARTER[0]), w.let(f"fneg {k.text} {base}")))
    low = w.let(w.intrinsic("fma", k, quarters, k.literal(_QUARTER[1]), low))
    inner = w.let(f"fadd {k.text} {u}, {w.let(f'fadd {k.text} {tail}, {low}')}")
    return w.let(w.intrinsic("copysign", k, w.let(f"fadd {k.text} {base}, {inner}"), y))
