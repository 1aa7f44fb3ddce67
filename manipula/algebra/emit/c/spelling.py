"""C99: how each operation is written, and the words a local name may not be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from manipula.algebra.emit.about import WIDTH, Shown
from manipula.algebra.emit.ports import Argument, Memory, Split
from manipula.algebra.emit.section import element
from manipula.algebra.emit.text import ARITHMETIC, GUARDED, LIBRARY, SIGN, Language, Table, Text, calls
from manipula.scalar import OPS

KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual
and and_eq asm atomic_cancel atomic_commit atomic_noexcept bitand bitor catch char16_t char32_t char8_t class co_await
co_return co_yield compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export final
friend fortran import module mutable namespace new noexcept not not_eq operator or or_eq override private protected
public reflexpr reinterpret_cast requires static_cast synchronized template this throw try typeid typename using virtual
wchar_t xor xor_eq
"""  # C's own, and C++'s: a header is included from both
_LIBRARY = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor fma
fmax
fmin fmod frexp gamma hypot ilogb isfinite isinf isnan isnormal j0 j1 jn ldexp lgamma llrint llround log log10 log1p
log2
logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb scalbln scalbn
signbit signgam significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
sinf cosf sqrtf atan2f fabsf acosf asinf atanf ceilf cosl drem exit expf finite floorf fmodf logf powf sincosf sinl
sqrtl
abs alloca assert clock complex creal cimag div errno exception free index labs main malloc offsetof L_ctermid
L_cuserid L_tmpnam P_tmpdir printf rand read
size_t stderr stdin stdout time unix write
fpclassify imaginary iscanonical iseqsig isgreater isgreaterequal isless islessequal islessgreater issignaling
issubnormal isunordered iszero matherr math_errhandling
be16toh be32toh be64toh htobe16 htobe32 htobe64 htole16 htole32 htole64 le16toh le32toh le64toh
BUFSIZ CMPLX CMPLXF CMPLXL DOMAIN EIO EOF FILE HUGE I INFINITY MAXFLOAT NAN NFDBITS NULL NZERO OVERFLOW PLOSS SING SNAN
SNANF
SNANL TLOSS UNDERFLOW CMPLXF128 CMPLXF32 CMPLXF32X CMPLXF64 CMPLXF64X SNANF128 SNANF32 SNANF32X SNANF64 SNANF64X
ANDROID i386 linux sun vax arm mips sparc far near huge small pascal cdecl interface IN OUT OPTIONAL TRUE FALSE BOOL
min
max
"""  # functions a local name would hide, and macros of the headers, of compilers and of Windows
# a local called sin would hide the function that the next line calls
_CALLED = [OPS[op].word("c") + kind for op in (*LIBRARY, *GUARDED) for kind in ("", "f")]
RESERVED = frozenset([*(KEYWORDS + _LIBRARY).split(), *_CALLED])


class Helper(NamedTuple):
    """A small function beside the main one: parameters, the value returned, what it is."""

    signature: str
    body: str
    meaning: str
    calls: str = ""  # a function of the library


# NaN in gives NaN out: what is neither below nor above is NaN, and so is a sum with it
def helpers(real: str, literal: str, nan: str, called: Callable[[str], str] = str) -> dict[str, Helper]:
    """The helper functions over a number type, in its literals, and NaN; `called` names a function of the library."""
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
        **{op: _guarded_helper(pair, zero, nan, called(OPS[op].word("c")), op) for op in GUARDED},
    }


def _guarded_helper(pair: str, zero: str, nan: str, name: str, op: str) -> Helper:
    """A function of the library where it has a value by our rules."""
    body = f"((x >= {zero}) && (y == y)) ? {name}(x + {zero}, y) : {nan}"  # −0 is no negative base
    return Helper(pair, body, f"{OPS[op].doc} or one is NaN", name)


HELPERS = helpers("double", "{}", "NAN")
FUNCTIONS = {op: OPS[op].word("c") for op in LIBRARY}  # as math.h has them
ALWAYS = ("sin", "cos", "sqrt", "atan2", "abs")  # with a macro in every file; the others where they are called
NAMES = {**FUNCTIONS, **{op: OPS[op].word("c") for op in GUARDED}}  # each has a macro: that of the number type


def language(prefix: str) -> Language:
    """Plain C over double, as programs are written in."""
    return Language(table_of(prefix, FUNCTIONS), RESERVED | own_words(prefix), "INFINITY", "NAN")


def table_of(prefix: str, functions: Mapping[str, str]) -> Table:
    return {**ARITHMETIC, **calls({**functions, **{op: f"{prefix}_{op}" for op in HELPERS}})}


def own_words(prefix: str) -> set[str]:
    return {prefix, *(f"{prefix}_{word}" for word in ("prepare", "condition", "batch", "sincos", *HELPERS))}


# The number types of C: double, float, or either of them by a macro; how numbers and functions of each are written.

LITERAL = "R({})"
_LOOP_WORDS = {"broken", "n", "i", "at", "end", "size_t", "k"}
_REAL_WORDS = {"real", "R", "TOLERANCE", "SIMD", *(name.upper() for name in NAMES.values())}


@dataclass(frozen=True)
class Precision:
    """A number type: its name in the text and in prototypes, its literals.

    `both`: double or float, as a macro of the compiler says; then every number and function goes through macros.
    """

    real: str
    public: str
    literal: str = "{}"
    nan: str = "NAN"
    both: bool = False
    single: bool = False
    tolerance: str = "{}"  # how a number is written that is another one in single precision

    def function(self, name: str) -> str:
        """A function of math.h for this type."""
        return name.upper() if self.both else f"{name}f" if self.single else name

    @property
    def zero(self) -> str:
        return self.literal.format("0.0")

    def helpers(self, used: set[str]) -> list[tuple[str, Helper]]:
        """The functions beside the main one that a text calls, by operation."""
        made = helpers(self.real, self.literal, self.nan, self.function)
        return [(op, helper) for op, helper in made.items() if op in used]

    def language(self, prefix: str) -> Language:
        """C over this type, with helper functions that carry the prefix, so that two files can live in one program."""
        table = table_of(prefix, {op: self.function(name) for op, name in FUNCTIONS.items()})
        reserved = RESERVED | own_words(prefix) | _LOOP_WORDS | (_REAL_WORDS if self.both else set())
        kind = SingleLanguage if self.single else Language
        return kind(table, reserved, "INFINITY", "NAN", self.literal, self.tolerance)


class SingleLanguage(Language):
    """Numbers are those of single precision, in the fewest digits that read back as the same."""

    def number(self, value: float) -> Text:
        with np.errstate(all="ignore"):
            rounded = np.float32(value)
        if np.isnan(rounded):
            return Text(self.not_a_number)
        # the fewest digits that read back as the same float; those of the double would suggest more
        digits = self.infinity if np.isinf(rounded) else self.literal.format(float(str(abs(rounded))))
        return Text(f"-{digits}", SIGN) if np.signbit(rounded) else Text(digits)

    def _tolerance_text(self, double: float, single: float | None) -> Text:
        return self.number(double if single is None else single)


BOTH = Precision("real", "manipula_real", LITERAL, "R(NAN)", both=True, tolerance="TOLERANCE({}, {})")
DOUBLE = Precision("double", "double")
FLOAT = Precision("float", "float", "{}f", single=True)
PRECISIONS = {"": BOTH, "float64": DOUBLE, "float32": FLOAT}


# Arguments and prototypes in C: where an entry stands, how an array is declared, what a header promises.


def place(argument: Argument, position: int) -> str:
    """tau[2], A[1][0], *energy"""
    return element(argument, position) if argument.port.shape else f"*{argument.name}"


def sources(arguments: Iterable[Argument]) -> dict[int, str]:
    """Input slot → the array entry it is read from."""
    return {slot: place(x, i) for x in arguments for i, slot in enumerate(x.port.slots)}


def results(arguments: Iterable[Argument]) -> list[tuple[str, int]]:
    return [(place(x, i), slot) for x in arguments for i, slot in enumerate(x.port.slots)]


def declare_argument(argument: Argument, const: bool = True, real: str = "double") -> str:
    """const double q[6], double A[6][6], double *energy

    A matrix is never const: until C23 a matrix that is not could not be handed over for one that is.
    """
    size = "".join(f"[{n}]" for n in argument.port.shape)
    text = f"{real} {argument.name}{size}" if size else f"{real} *{argument.name}"
    return f"const {text}" if const and len(argument.port.shape) < 2 else text


def prototype(name: str, parts: Sequence[str], result: str = "void") -> str:
    """void name(…), one line if it fits."""
    line = f"{result} {name}({', '.join(parts) or 'void'})"
    # one parameter a line: a reader compares prototypes of twelve arrays
    return line if len(line) <= WIDTH else f"{result} {name}(\n    " + ",\n    ".join(parts) + ")"


def prototypes(name: str, arguments: Split, real: str, restrict: str = "", storage: str = "") -> dict[str, str]:
    """Of the function, of what prepares it, and of the function over many states."""
    size = len(arguments.kept)
    kept = [f"const {real} k[{size}]"] if size else []
    one = [declare_argument(x, real=real) for x in arguments.variables] + kept
    many = [f"const {real} *{restrict}{x.name}" for x in arguments.variables] + kept
    parameters = [declare_argument(x, real=real) for x in arguments.parameters]
    taken = [declare_argument(x, const=False, real=real) for x in arguments.outputs]
    return {
        "prepare": prototype(f"{name}_prepare", [*parameters, f"{real} k[{size}]"], f"{storage}int"),
        "one": prototype(name, one + taken, f"{storage}void"),
        "many": prototype(
            f"{name}_batch",
            ["size_t n", *many, *(f"{real} *{restrict}{x.name}" for x in arguments.outputs)],
            f"{storage}void",
        ),
    }


def step_prototypes(name: str, shown: Shown, real: str, storage: str = "") -> dict[str, str]:
    """Prototypes of what remembers."""
    memory: Memory | None = shown["memory"]
    if memory is None:
        return {}
    own = f"{name}_state *{memory.pointer}"
    start = [*(x for x, _ in memory.states), *shown["parameters"]]
    variables = [declare_argument(x, real=real) for x in memory.variables]
    taken = [declare_argument(x, const=False, real=real) for x in memory.outputs]
    return {
        "init": prototype(f"{name}_init", [own, *(declare_argument(x, real=real) for x in start)], f"{storage}int"),
        "step": prototype(f"{name}_step", [own, *variables, *taken], f"{storage}void"),
    }
