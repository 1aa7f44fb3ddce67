"""The contract between the wings: what a scalar can do, and the functions on scalars.

Every model is written once over `S`, any type with + − × ÷ and negation that mixes with Python's `int`:
`float`, a numpy array, `Expr`, an interval, an element of a prime field, an mpmath number, a dual number.
Structural zeros and ones are the ints 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeVar


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

    def __reduce__(self) -> tuple[Any, ...]:
        return Tolerance, (str(Fraction(self)), str(self.single))

    def __copy__(self) -> Tolerance:
        return self

    def __deepcopy__(self, memo: Any) -> Tolerance:
        return self


class Scalar(Protocol):
    """Arithmetic. (The operands are `Any` because an int may stand on either side.)"""

    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...


S = TypeVar("S")


class Maths(Protocol[S]):
    """Functions on scalars. `less` gives a truth value of the scalar's kind, for `select` alone.

    A NaN that goes in comes out, whatever the scalar: through every function, the branches included. `sqrt` of a
    negative number is NaN, never an exception.
    """

    def number(self, value: Fraction) -> S:
        """An exact rational; a `Tolerance` where the precision matters."""
        ...

    def degrees(self, value: Fraction) -> S:
        """The angle of so many degrees, in radians; quarter turns stay exact where the scalar can."""
        ...

    def sin(self, x: S) -> S: ...
    def cos(self, x: S) -> S: ...
    def sqrt(self, x: S) -> S: ...
    def atan2(self, y: S, x: S) -> S: ...
    def sign(self, x: S) -> S:
        """−1, 0 or 1; NaN of NaN."""
        ...

    def abs(self, x: S) -> S: ...

    def minimum(self, x: S, y: S) -> S:
        """NaN when either is."""
        ...

    def maximum(self, x: S, y: S) -> S:
        """NaN when either is."""
        ...

    def less(self, x: S, y: S) -> S:
        """1 where x < y, else 0; NaN when either is."""
        ...

    def select(self, condition: S, yes: S, no: S) -> S:
        """`yes` where the condition is not 0, else `no`; NaN when the condition is NaN (the arm not taken may be).

        Both arms are always computed: guard the operands of the arm not taken.
        """
        ...


# what an input is for: given in every call; the robot's; the user's (gains, sample time); remembered between calls
Role = Literal["variable", "parameter", "setting", "state"]


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
