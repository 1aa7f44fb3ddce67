"""C99: how each operation is written, and the words a local name may not be."""

from __future__ import annotations

from typing import NamedTuple

from manipula.algebra.emit.text import ARITHMETIC, Language, call

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
alignas alignof and asm bool catch class concept constexpr decltype delete explicit export false friend mutable
namespace new noexcept not nullptr operator or private protected public requires template this throw true try typeid
typename using virtual wchar_t xor
"""  # C's own, and C++'s: a header is included from both
_LIBRARY = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin
fmod frexp gamma hypot ilogb isfinite isinf isnan isnormal j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2
logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn signbit signgam
sin sinh sqrt tan tanh tgamma trunc y0 y1 yn assert abs div exit main printf NAN INFINITY HUGE_VAL NULL EOF I linux unix
"""
RESERVED = frozenset((_KEYWORDS + _LIBRARY).split())


class Helper(NamedTuple):
    """A small function beside the main one: parameters, the value returned, what it is."""

    signature: str
    body: str
    meaning: str


# NaN in gives NaN out: what is neither below nor above is NaN, and so is a sum with it
_TWO = "const double x, const double y"
HELPERS = {
    "sign": Helper(
        "const double x", "(x > 0.0) ? 1.0 : ((x < 0.0) ? -1.0 : ((x == 0.0) ? 0.0 : x))", "-1, 0 or 1; NaN of NaN"
    ),
    "min": Helper(_TWO, "(x < y) ? x : ((y <= x) ? y : (x + y))", "the smaller; NaN if one is NaN"),
    "max": Helper(_TWO, "(x > y) ? x : ((y >= x) ? y : (x + y))", "the larger; NaN if one is NaN"),
    "less": Helper(_TWO, "(x < y) ? 1.0 : ((x >= y) ? 0.0 : (x + y))", "1 if x < y, else 0; NaN if one is NaN"),
    "select": Helper(
        "const double condition, const double yes, const double no",
        "(condition != condition) ? condition : ((condition != 0.0) ? yes : no)",
        "yes where the condition is not 0, else no; NaN if the condition is NaN",
    ),
}


def language(prefix: str) -> Language:
    """C99 with helper functions that carry the prefix, so that two emitted files can live in one program."""
    table = {
        **ARITHMETIC,
        "sin": call("sin", 1),
        "cos": call("cos", 1),
        "sqrt": call("sqrt", 1),
        "atan2": call("atan2", 2),
        "abs": call("fabs", 1),
        "sign": call(f"{prefix}_sign", 1),
        "min": call(f"{prefix}_min", 2),
        "max": call(f"{prefix}_max", 2),
        "less": call(f"{prefix}_less", 2),
        "select": call(f"{prefix}_select", 3),
    }
    reserved = RESERVED | {prefix, f"{prefix}_prepare"} | {f"{prefix}_{helper}" for helper in HELPERS}
    return Language(table, reserved, "INFINITY", "NAN")
