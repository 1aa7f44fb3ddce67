"""The contract between the wings: what a scalar can do, and the table of operations on scalars.

Every model is written once over `S`, any type with + − × ÷ and negation that mixes with Python's `int`:
`float`, a numpy array, `Expr`, an interval, an element of a prime field, an mpmath number, a dual number.
Structural zeros and ones are the ints 0 and 1.

An operation is one entry: a method of `Maths` with everything about it (slopes, symmetries, what it is counted
as, its word in each language). Expressions, intervals, the prime field, derivatives, printers, emitted and compiled
code read the entry; see "adding an operation" in CONTRIBUTING.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from inspect import signature
from typing import Any, Literal, Protocol, TypeAlias, TypeVar


class Tolerance(Fraction):
    """What counts as nothing: a number in double precision, and another where numbers are single.

    It is the first to all who compute; expressions alone keep both, so that compiled and emitted code can choose.
    """

    single: Fraction

    def __new__(cls, double: Fraction | str, single: Fraction | str) -> Tolerance:
        found = super().__new__(cls, double)
        found.single = Fraction(single)
        return found

    def __repr__(self) -> str:
        return f"Tolerance('{Fraction(self)}', '{self.single}')"

    def __reduce__(self) -> tuple[object, ...]:
        return Tolerance, (str(Fraction(self)), str(self.single))

    def __copy__(self) -> Tolerance:
        return self

    def __deepcopy__(self, memo: object) -> Tolerance:
        return self


class Scalar(Protocol):
    """Arithmetic, which gives scalars again. (The operands are `Any` because an int may stand on either side.)

    Formulas are typed by this protocol and not by a type variable: a structural 0 among floats is an int.
    """

    def __add__(self, other: Any, /) -> Scalar: ...
    def __radd__(self, other: Any, /) -> Scalar: ...
    def __sub__(self, other: Any, /) -> Scalar: ...
    def __rsub__(self, other: Any, /) -> Scalar: ...
    def __mul__(self, other: Any, /) -> Scalar: ...
    def __rmul__(self, other: Any, /) -> Scalar: ...
    def __truediv__(self, other: Any, /) -> Scalar: ...
    def __rtruediv__(self, other: Any, /) -> Scalar: ...
    def __neg__(self) -> Scalar: ...


Entries: TypeAlias = "Scalar | Sequence[Entries]"  # of a vector, a matrix, …: scalars nested as deep as it is
S = TypeVar("S")
Function = TypeVar("Function", bound=Callable[..., Any])
Slopes = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class Op:
    """One operation.

    `value(m, *args)` computes over any scalar with its `Maths` m. `slopes(m, y, *args)` gives ∂y/∂arg for each
    argument, over the same scalar; None is a slope that is zero wherever it exists (the flat pieces of `sign`).
    """

    name: str
    arity: int
    value: Callable[..., Any]
    slopes: Slopes
    counted_as: str = "other"  # the field of Cost it adds to
    commutative: bool = False
    parity: int = 0  # +1: f(−x) = f(x), −1: f(−x) = −f(x), of a one-argument op
    opaque: bool = True  # uninterpreted in the prime field
    known: tuple[int, int] | None = None  # (x, f(x)): the one value an uninterpreted operation has there
    monotone: bool = False  # in every argument: over a box it is largest and smallest at corners
    exact: bool = False  # never rounded: the value is an argument or a whole number
    partial: bool = False  # negative numbers have no value: NaN
    guarded: bool = False  # libraries give a value where it is undefined, or for NaN: emitted code asks them with care
    words: Mapping[str, str] = field(default_factory=dict)  # language or library → its name there; "llvm": an intrinsic
    doc: str = ""

    def word(self, language: str) -> str:
        """What it is called in a language or library."""
        return self.words.get(language, self.name)


def FLAT(maths: Any, value: Any, *args: Any) -> tuple[Any, ...]:
    """The slopes of what is flat in pieces."""
    return (None,) * len(args)


OPS: dict[str, Op] = {}
APART = "apart"  # x, as a value of its own: no operation of a machine, and gone from every tape


def _arithmetic(op: Op) -> None:
    OPS[op.name] = op


_arithmetic(Op("add", 2, lambda m, x, y: x + y, lambda m, v, x, y: (1, 1), "add", True, opaque=False, doc="x + y"))
_arithmetic(Op("sub", 2, lambda m, x, y: x - y, lambda m, v, x, y: (1, -1), "add", opaque=False, doc="x − y"))
_arithmetic(Op("mul", 2, lambda m, x, y: x * y, lambda m, v, x, y: (y, x), "mul", True, opaque=False, doc="x · y"))
_arithmetic(Op("div", 2, lambda m, x, y: x / y, lambda m, v, x, y: (1 / y, -(v / y)), "div", opaque=False, doc="x / y"))
_arithmetic(Op("neg", 1, lambda m, x: -x, lambda m, v, x: (-1,), "neg", parity=-1, opaque=False, doc="−x"))
ARITHMETIC = tuple(OPS)


def operation(slopes: Slopes, name: str = "", **known: Any) -> Callable[[Function], Function]:
    """Enter a method of `Maths` into the table, under its own name unless another is given."""

    def enter(method: Function) -> Function:
        called, arity = method.__name__, len(signature(method).parameters) - 1
        doc = (method.__doc__ or "").split("\n")[0].rstrip(".")
        word = name or called
        OPS[word] = Op(word, arity, lambda m, *args: getattr(m, called)(*args), slopes, doc=doc, **known)
        return method

    return enter


class Maths(Protocol[S]):
    """Functions on scalars. `less` gives a truth value of the scalar's kind, for `select` alone.

    A NaN that goes in comes out, whatever the scalar: through every function, the branches included. What has no value
    (`sqrt` of a negative number) is NaN, never an exception.

    A kind of scalar says what `number`, `degrees` and `apply` are, and overrides what it knows more of.
    """

    def number(self, value: Fraction) -> S:
        """An exact rational; a `Tolerance` where the precision matters."""

    def degrees(self, value: Fraction) -> S:
        """The angle of so many degrees, in radians; quarter turns stay exact where the scalar can."""

    def apply(self, name: str, *args: Any) -> S:
        """Any operation of the table but arithmetic, by its name."""

    @operation(lambda m, v, x: (m.cos(x),), counted_as="trig", parity=-1, opaque=False, words={"latex": r"\sin"})
    def sin(self, x: S) -> S:
        """Sine."""
        return self.apply("sin", x)

    @operation(lambda m, v, x: (-m.sin(x),), counted_as="trig", parity=1, opaque=False, words={"latex": r"\cos"})
    def cos(self, x: S) -> S:
        """Cosine."""
        return self.apply("cos", x)

    # the slope at 0 is left infinite: a guard belongs to the caller, who knows which side he is on
    @operation(lambda m, v, x: (1 / (2 * v),), counted_as="sqrt", known=(0, 0), monotone=True, partial=True,
               words={"llvm": "sqrt"})  # fmt: skip
    def sqrt(self, x: S) -> S:
        """Square root."""
        return self.apply("sqrt", x)

    @operation(lambda m, v, y, x: (x / (x * x + y * y), -y / (x * x + y * y)),
               words={"numpy": "arctan2", "jax": "arctan2"})  # fmt: skip
    def atan2(self, y: S, x: S) -> S:
        """Angle of (x, y)."""
        return self.apply("atan2", y, x)

    @operation(FLAT, parity=-1, known=(0, 0), monotone=True, exact=True, words={"latex": r"\operatorname{sgn}"})
    def sign(self, x: S) -> S:
        """−1, 0 or 1; NaN of NaN."""
        return self.apply("sign", x)

    @operation(lambda m, v, x: (m.sign(x),), parity=1, known=(0, 0),
               words={"c": "fabs", "casadi": "fabs", "llvm": "fabs", "mpmath": "fabs", "sympy": "Abs"})  # fmt: skip
    def abs(self, x: S) -> S:
        """Magnitude."""
        return self.apply("abs", x)

    @operation(lambda m, v, x, y: (m.select(m.less(y, x), 0, 1), m.select(m.less(y, x), 1, 0)), name="min",
               commutative=True, monotone=True, exact=True,
               words={"numpy": "minimum", "jax": "minimum", "sympy": "Min", "latex": r"\min"})  # fmt: skip
    def minimum(self, x: S, y: S) -> S:
        """The smaller, the first on a tie; NaN when either is."""
        return self.apply("min", x, y)

    @operation(lambda m, v, x, y: (m.select(m.less(x, y), 0, 1), m.select(m.less(x, y), 1, 0)), name="max",
               commutative=True, monotone=True, exact=True,
               words={"numpy": "maximum", "jax": "maximum", "sympy": "Max", "latex": r"\max"})  # fmt: skip
    def maximum(self, x: S, y: S) -> S:
        """The larger, the first on a tie; NaN when either is."""
        return self.apply("max", x, y)

    @operation(FLAT, monotone=True, exact=True)
    def less(self, x: S, y: S) -> S:
        """1 where x < y, else 0; NaN when either is."""
        return self.apply("less", x, y)

    @operation(lambda m, v, c, x, y: (None, m.select(c, 1, 0), m.select(c, 0, 1)))
    def select(self, condition: S, yes: S, no: S) -> S:
        """`yes` where the condition is not 0, else `no`; NaN when the condition is NaN (the arm not taken may be).

        Both arms are always computed: guard the operands of the arm not taken.
        """
        return self.apply("select", condition, yes, no)

    @operation(lambda m, v, x: (v,), known=(0, 1), monotone=True, words={"latex": r"\exp"})
    def exp(self, x: S) -> S:
        """Exponential."""
        return self.apply("exp", x)

    @operation(lambda m, v, x: (1 / x,), known=(1, 0), monotone=True, partial=True,
               words={"rust": "ln", "latex": r"\ln"})  # fmt: skip
    def log(self, x: S) -> S:
        """Natural logarithm; NaN below zero."""
        return self.apply("log", x)

    @operation(lambda m, v, x: (1 - v * v,), parity=-1, known=(0, 0), monotone=True, words={"latex": r"\tanh"})
    def tanh(self, x: S) -> S:
        """Hyperbolic tangent."""
        return self.apply("tanh", x)

    # a whole power is a product; the base of any other is not negative, in every language, and −0 is 0
    @operation(lambda m, v, x, y: (y * m.pow(x, y - 1), v * m.log(x)), monotone=True, partial=True, guarded=True,
               words={"rust": "powf", **dict.fromkeys(("numpy", "jax", "matlab", "mpmath", "casadi"), "power"),
                      "sympy": "Pow"})  # fmt: skip
    def pow(self, x: S, y: S) -> S:
        """Real power; NaN where x < 0."""
        return self.apply("pow", x, y)

    @operation(FLAT, monotone=True, exact=True, words={"llvm": "floor"})
    def floor(self, x: S) -> S:
        """Largest whole number not above x."""
        return self.apply("floor", x)

    # for expressions, their degrees and the prime field alone; to all who compute with numbers it is the number
    @operation(lambda m, v, x: (1,), counted_as="nothing", parity=-1, known=(0, 0), monotone=True, exact=True)
    def apart(self, x: S) -> S:
        """x as a value of its own: nothing is merged or simplified across it."""
        return x


# what an input is for: given in every call; the robot's; the user's (gains, sample time); remembered between calls
Role = Literal["variable", "parameter", "setting", "state", "noise"]


@dataclass(frozen=True)
class Rate:
    """An output that is the time derivative of a state: of a model in continuous time."""

    state: str


@dataclass(frozen=True)
class Next:
    """An output that is the state of the next step: of a model in discrete time."""

    state: str


class Judge(Protocol):
    """Decides over one kind of scalar what is zero: for structure alone, never inside a formula."""

    def zero(self, x: Any, within: float) -> bool:
        """Whether x is nothing; `within` is what rounding may leave of nothing."""
        ...

    def length(self, *x: Any) -> float:
        """How large a vector is, in floats; any positive number where nothing is ever rounded."""
        ...
