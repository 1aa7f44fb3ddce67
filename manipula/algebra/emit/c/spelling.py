"""C99: how each operation is written, and the words a local name may not be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from manipula.algebra.emit.text import ARITHMETIC, Language, Table, call
from manipula.algebra.expr.ops import OPS

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
def helpers(real: str, literal: str) -> dict[str, Helper]:
    """The helper functions over a number type; `literal` is the form of its numbers."""
    zero, one = literal.format("0.0"), literal.format("1.0")
    single, pair = f"const {real} x", f"const {real} x, const {real} y"
    sign = f"(x > {zero}) ? {one} : ((x < {zero}) ? -{one} : ((x == {zero}) ? {zero} : x))"
    choice = f"(condition != condition) ? condition : ((condition != {zero}) ? yes : no)"
    return {
        "sign": Helper(single, sign, "-1, 0 or 1; NaN of NaN"),
        "min": Helper(pair, "(x < y) ? x : ((y <= x) ? y : (x + y))", "the smaller; NaN if one is NaN"),
        "max": Helper(pair, "(x > y) ? x : ((y >= x) ? y : (x + y))", "the larger; NaN if one is NaN"),
        "less": Helper(
            pair, f"(x < y) ? {one} : ((x >= y) ? {zero} : (x + y))", "1 if x < y, else 0; NaN if one is NaN"
        ),
        "select": Helper(
            f"const {real} condition, const {real} yes, const {real} no",
            choice,
            "yes where the condition is not 0, else no; NaN if the condition is NaN",
        ),
    }


HELPERS = helpers("double", "{}")
FUNCTIONS = {"sin": "sin", "cos": "cos", "sqrt": "sqrt", "atan2": "atan2", "abs": "fabs"}  # as math.h has them
LITERAL = "R({})"
TOLERANCE = "TOLERANCE({}, {})"
REAL_HELPERS = helpers("real", LITERAL)
_REAL_WORDS = {
    "real",
    "R",
    "TOLERANCE",
    "SIMD",
    "n",
    "i",
    "at",
    "end",
    "size_t",
    "k",
    *(name.upper() for name in FUNCTIONS.values()),
}


def language(prefix: str) -> Language:
    """Plain C over double, with helper functions that carry the prefix, so that two files can live in one program."""
    return Language(_table(prefix, FUNCTIONS), RESERVED | _own(prefix), "INFINITY", "NAN")


def real_language(prefix: str) -> Language:
    """C over `real`, which is double or float: numbers and functions of math.h through macros of their type."""
    functions = {op: name.upper() for op, name in FUNCTIONS.items()}
    reserved = RESERVED | _own(prefix) | _REAL_WORDS
    return Language(_table(prefix, functions), reserved, "INFINITY", "NAN", LITERAL, TOLERANCE)


def _table(prefix: str, functions: Mapping[str, str]) -> Table:
    named = {**functions, **{op: f"{prefix}_{op}" for op in HELPERS}}
    return {**ARITHMETIC, **{op: call(name, OPS[op].arity) for op, name in named.items()}}


def _own(prefix: str) -> set[str]:
    return {prefix, *(f"{prefix}_{word}" for word in ("prepare", "condition", "batch", *HELPERS))}
