"""Vectors and matrices in the text of a law: NumPy's operators and functions over any scalar.

A law that a person writes runs on expressions when its function is built, and on elements of a prime field when that
function is proved. `LawNumber` is one such scalar, `LawArray` an array of them; both answer NumPy's own functions, so
the text reads as NumPy. What depends on a value (`if`, `while`, `int(…)`) is refused: the text is run once, the law a
thousand times a second.

Derived here: the operations beside those of `Maths` are their definitions, written above each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial, reduce
from math import isfinite
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from manipula.errors import InputError
from manipula.mechanics.models.control.law_text import keep_refusal, no_form, number_refused
from manipula.scalar import Maths, Scalar

LARGEST_POWER = 64  # as a product of factors


class LawNumber(NDArrayOperatorsMixin):
    """One number of a law: a scalar of any kind, with the functions of its kind; `truth`: it is 0 or 1, a condition."""

    __slots__ = ("maths", "truth", "value")

    def __init__(self, maths: Maths[Scalar], value: Any, truth: bool = False) -> None:
        self.maths, self.value, self.truth = maths, value, truth

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        return _apply(ufunc, method, inputs, more)

    def __array_function__(self, function: Callable[..., object], types: object, args: Any, more: Any) -> Any:
        whole = [_as_array(self.maths, x) if isinstance(x, LawNumber) else x for x in args]
        return _call(function, whole, more)

    def __bool__(self) -> bool:
        raise keep_refusal(
            InputError(
                "the text decides by a value that is known only when the law runs: mp.where(condition, yes, no) chooses"
            )
        )

    def _refuse_number(self, _: object = None) -> Any:
        raise number_refused(sys._getframe(1))

    __float__ = __int__ = __index__ = __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = _refuse_number
    __hash__ = __str__ = __format__ = _refuse_number

    def conjugate(self) -> LawNumber:
        return self

    def __repr__(self) -> str:
        return f"LawNumber({self.value})"


class LawArray(np.ndarray[Any, np.dtype[np.object_]]):
    """A vector or matrix of such numbers."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        return _apply(ufunc, method, inputs, more)

    def __array_function__(self, function: Callable[..., object], types: object, args: Any, more: Any) -> Any:
        return _call(function, args, more)

    def __bool__(self) -> bool:
        return bool(next(_numbers([self])))

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(_fixed_index(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(_fixed_index(index), value)

    def clip(self, *bounds: object, **more: object) -> Any:  # numpy's own compares
        return _call(np.clip, (self, *bounds), more)

    def astype(self, dtype: Any, *how: Any, **more: Any) -> Any:
        """Of floats: a condition becomes the number 0 or 1."""
        return self * 1 if np.dtype(dtype).kind == "f" else super().astype(dtype, *how, **more)


def _fixed_index(index: Any) -> Any:
    """An index that does not depend on values."""
    if any(isinstance(x, LawArray) for x in (index if isinstance(index, tuple) else (index,))):
        raise keep_refusal(
            InputError(
                "the text takes entries by a value that is known only when the law runs: "
                "mp.where(q > 0, q, 0) chooses entry by entry"
            )
        )
    return index


def law_array(maths: Maths[Scalar], values: object) -> Any:
    """Scalars, nested as deep as they are, as an array; a scalar alone as a number."""
    flat, shape = _flatten(values)
    made = np.empty(len(flat), dtype=object)
    made[:] = [LawNumber(maths, x) for x in flat]
    return made.reshape(shape).view(LawArray) if shape else made[0]


def _flatten(values: object) -> tuple[list[Any], tuple[int, ...]]:
    if not isinstance(values, list | tuple):
        return [values], ()
    parts = [_flatten(x) for x in values]
    return [x for flat, _ in parts for x in flat], (len(values), *(parts[0][1] if parts else ()))


def entries_of(value: object) -> Any:
    """What a law gave back, as an array; rows of several lengths are none."""
    try:
        return np.asarray(value, dtype=object)
    except ValueError:
        raise InputError("the text computes with {x!r:.60}, which is no number", value) from None


def scalars(maths: Maths[Scalar], value: object, shape: tuple[int, ...]) -> list[Any]:
    """The scalars of what a law gave back, in its shape; a number alone stands for a shape of one entry."""
    found = entries_of(value)
    # what is no number is named as it is, whatever its size
    numbers = [_raw(maths, x) for x in found.ravel()]
    if (found.shape != shape and found.size != 1) or found.size != int(np.prod(shape)):
        raise InputError("{found} where {wanted} is wanted", shape_text(found.shape), shape_text(shape))
    return numbers


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as a sentence has it: "3 numbers", "3×3 numbers"."""
    return "×".join(map(str, shape or (1,)))


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`, entry by entry: how a law of one's own decides."""
    if not any(isinstance(x, LawNumber | LawArray) for x in (condition, yes, no)):
        return np.where(condition, yes, no)
    return _each(_select, (condition, yes, no))


def _select(m: Maths[Scalar], condition: Any, yes: Any, no: Any) -> LawNumber:
    c, x, y = (_exact(m, _raw(m, value)) for value in (condition, yes, no))
    return LawNumber(m, m.select(c, x, y), _is_condition(yes) and _is_condition(no))


# The formulas: what each function of NumPy is over scalars. Comparisons give 1 or 0, for `where` alone.


def _exact(m: Maths[Scalar], x: Scalar) -> Any:
    return m.number(Fraction(x)) if isinstance(x, int) else x


def _divide(m: Maths[Scalar], x: object, y: Any) -> Any:
    if isinstance(y, int) and y == 0:
        raise InputError("the text divides by 0")
    return m.number(Fraction(x, y)) if isinstance(x, int) and isinstance(y, int) else x / y


def _power(m: Maths[Scalar], x: Any, y: Any) -> Any:
    if isinstance(y, int) and abs(y) <= LARGEST_POWER:
        # x^n = x · x · … · x,  x^−n = 1/x^n
        found = reduce(lambda a, b: a * b, [x] * abs(y), 1)
        return found if y >= 0 else _divide(m, 1, found)
    return m.pow(_exact(m, x), _exact(m, y))


def _less(m: Maths[Scalar], x: Scalar, y: Scalar) -> Any:
    return int(x < y) if isinstance(x, int) and isinstance(y, int) else m.less(_exact(m, x), _exact(m, y))


def _of(name: str) -> Callable[..., object]:
    """A function of `Maths`."""
    return lambda m, *args: getattr(m, name)(*(_exact(m, x) for x in args))


def _floor(m: Maths[Scalar], x: Scalar) -> Any:
    return m.floor(_exact(m, x))


FORMULAS: dict[np.ufunc, Callable[..., object]] = {
    np.add: lambda m, x, y: x + y,
    np.subtract: lambda m, x, y: x - y,
    np.multiply: lambda m, x, y: x * y,
    np.divide: _divide,
    np.negative: lambda m, x: -x,
    np.positive: lambda m, x: x,
    np.conjugate: lambda m, x: x,
    np.square: lambda m, x: x * x,
    np.reciprocal: lambda m, x: _divide(m, 1, x),
    np.power: _power,
    np.float_power: _power,
    **{function: _of(name) for function, name in (
        (np.sin, "sin"), (np.cos, "cos"), (np.sqrt, "sqrt"), (np.arctan2, "atan2"), (np.sign, "sign"),
        (np.absolute, "abs"), (np.fabs, "abs"), (np.minimum, "minimum"), (np.maximum, "maximum"), (np.fmin, "minimum"),
        (np.fmax, "maximum"), (np.exp, "exp"), (np.log, "log"), (np.tanh, "tanh"), (np.floor, "floor"),
    )},
    # tan x = sin x/cos x
    np.tan: lambda m, x: m.sin(_exact(m, x)) / m.cos(_exact(m, x)),
    # arctan x = atan2(x, 1),  arcsin x = atan2(x, √(1 − x²)),  arccos x = atan2(√(1 − x²), x)
    np.arctan: lambda m, x: m.atan2(_exact(m, x), _exact(m, 1)),
    np.arcsin: lambda m, x: m.atan2(_exact(m, x), m.sqrt(_exact(m, 1 - x * x))),
    np.arccos: lambda m, x: m.atan2(m.sqrt(_exact(m, 1 - x * x)), _exact(m, x)),
    np.hypot: lambda m, x, y: m.sqrt(_exact(m, x * x + y * y)),
    np.ceil: lambda m, x: -_floor(m, -x),
    # x mod y = x − y ⌊x/y⌋
    np.remainder: lambda m, x, y: x - y * _floor(m, _divide(m, x, y)),
    np.floor_divide: lambda m, x, y: _floor(m, _divide(m, x, y)),
    **dict.fromkeys((np.deg2rad, np.radians), lambda m, x: x * m.degrees(Fraction(1))),
    **dict.fromkeys((np.rad2deg, np.degrees), lambda m, x: x / m.degrees(Fraction(1))),
    # trunc x = sign x ⌊|x|⌋,  cosh x = (eˣ + e⁻ˣ)/2
    np.trunc: lambda m, x: m.sign(_exact(m, x)) * _floor(m, m.abs(_exact(m, x))),
    np.cosh: lambda m, x: (m.exp(_exact(m, x)) + m.exp(_exact(m, -x))) / 2,
    np.log2: lambda m, x: m.log(_exact(m, x)) / m.log(_exact(m, 2)),
    np.log10: lambda m, x: m.log(_exact(m, x)) / m.log(_exact(m, 10)),
    np.less: _less,
    np.greater: lambda m, x, y: _less(m, y, x),
    # x ≤ y: not y < x
    np.less_equal: lambda m, x, y: 1 - _less(m, y, x),
    np.greater_equal: lambda m, x, y: 1 - _less(m, x, y),
}  # fmt: skip
COMPARISONS = frozenset((np.less, np.greater, np.less_equal, np.greater_equal))

# of conditions, which are 0 or 1:  ¬x = 1 − x,  x ∧ y = x y,  x ∨ y = x + y − x y,  x ⊻ y = x + y − 2 x y
LOGIC: dict[np.ufunc, Callable[..., object]] = {
    **dict.fromkeys((np.logical_not, np.invert), lambda m, x: 1 - x),
    **dict.fromkeys((np.logical_and, np.bitwise_and), lambda m, x, y: x * y),
    **dict.fromkeys((np.logical_or, np.bitwise_or), lambda m, x, y: x + y - x * y),
    **dict.fromkeys((np.logical_xor, np.bitwise_xor), lambda m, x, y: x + y - 2 * x * y),
}
_BITWISE = frozenset((np.invert, np.bitwise_and, np.bitwise_or, np.bitwise_xor))
# what NumPy makes of two conditions
_LOGICAL: dict[np.ufunc, np.ufunc] = {np.add: np.logical_or, np.multiply: np.logical_and}

# what of NumPy moves entries about, or is made of the formulas above
ARRANGED = {
    np.all, np.amax, np.amin, np.any, np.append, np.array_split, np.atleast_1d, np.atleast_2d, np.average, np.block,
    np.broadcast_to, np.column_stack, np.concatenate, np.copy, np.copyto, np.cross, np.cumsum, np.delete, np.diag,
    np.diagonal, np.diff, np.dot, np.einsum, np.empty_like, np.expand_dims, np.flip, np.fliplr, np.flipud,
    np.full_like, np.hstack, np.inner, np.insert, np.kron, np.linalg.multi_dot, np.linalg.norm, np.max, np.mean,
    np.min, np.moveaxis, np.ndim, np.ones_like, np.outer, np.polyval, np.prod, np.ptp, np.ravel, np.repeat,
    np.reshape, np.roll, np.rot90, np.shape, np.size, np.split, np.squeeze, np.stack, np.std, np.sum, np.swapaxes,
    np.take, np.tensordot, np.tile, np.trace, np.transpose, np.tril, np.triu, np.var, np.vdot, np.vstack,
    np.zeros_like,
}  # fmt: skip


def _raw(maths: Maths[Scalar], x: Scalar) -> Any:
    """The scalar of a number; a constant of the text as an exact one, a float as it is written."""
    if isinstance(x, LawNumber):
        if x.maths is not maths:
            raise InputError("the text uses a value that it kept from another run: what a law remembers is in states=")
        return x.value
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, bool | int):
        return int(x)
    if isinstance(x, float):
        if not isfinite(x):
            raise InputError("the text has the constant {x}; a law computes with finite numbers", x)
        exact = Fraction(repr(x))
        return int(exact) if exact.denominator == 1 else maths.number(exact)
    if isinstance(x, Fraction):
        return maths.number(x)
    raise InputError("the text computes with {x!r:.60}, which is no number", x)


def _numbers(inputs: Iterable[Any]) -> Any:
    for x in inputs:
        yield from (
            y
            for y in (x.ravel() if isinstance(x, np.ndarray) and x.dtype == object else (x,))
            if isinstance(y, LawNumber)
        )


def _is_condition(x: object) -> bool:
    return isinstance(x, bool | np.bool_) or (isinstance(x, LawNumber) and x.truth)


def _truth(m: Maths[Scalar], x: Any) -> Any:
    """1 where x ≠ 0: x < 0 or 0 < x."""
    return int(x != 0) if isinstance(x, int) else _less(m, x, 0) + _less(m, 0, x)


def _entry(ufunc: np.ufunc, m: Maths[Scalar], *entries: Any) -> LawNumber:
    """One entry of a function of NumPy's, of numbers or of conditions."""
    numbers, known = [_raw(m, x) for x in entries], [_is_condition(x) for x in entries]
    logical = _LOGICAL.get(ufunc, ufunc) if all(known) else ufunc
    if logical not in LOGIC:
        return LawNumber(m, FORMULAS[ufunc](m, *numbers), ufunc in COMPARISONS)
    if logical in _BITWISE and not all(known):
        raise InputError("np.{function} joins conditions such as q > 0, not numbers", ufunc.__name__)
    truths = [x if is_one else _truth(m, x) for x, is_one in zip(numbers, known, strict=True)]
    return LawNumber(m, LOGIC[logical](m, *truths), True)


def _each(one_of: Callable[..., LawNumber], inputs: Iterable[Any]) -> Any:
    """The function on every entry, shapes broadcast as NumPy does."""
    given = list(inputs)
    maths = next(_numbers(given)).maths

    def one(*entries: Any) -> LawNumber:
        return one_of(maths, *entries)

    whole = [np.asarray(x) if isinstance(x, np.ndarray | list | tuple) else x for x in given]
    found = np.frompyfunc(one, len(given), 1)(*(_boxed(x) for x in whole))
    return found.view(LawArray) if isinstance(found, np.ndarray) and found.ndim else _unboxed(found)


def _boxed(x: object) -> Any:
    """A number as an array of no axes, so that NumPy does not ask it for its own functions."""
    if not isinstance(x, LawNumber):
        return x.view(np.ndarray) if isinstance(x, np.ndarray) else x
    box = np.empty((), dtype=object)
    box[()] = x
    return box


def _unboxed(x: object) -> Any:
    return x[()] if isinstance(x, np.ndarray) else x


def _as_array(maths: Maths[Scalar], x: LawNumber) -> Any:
    return _boxed(x).view(LawArray)


def _apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], more: Mapping[str, Any]) -> Any:
    more, out = {**more}, more.get("out")
    more.pop("out", None)
    if ufunc in (np.matmul, np.vecdot) if hasattr(np, "vecdot") else ufunc is np.matmul:
        found = ufunc(*(np.asarray(x, dtype=object) for x in inputs), **more)
    elif ufunc not in FORMULAS and ufunc not in LOGIC:
        raise no_form(ufunc.__name__)
    elif method == "__call__":
        found = _each(partial(_entry, ufunc), inputs)
    else:
        maths = next(_numbers(inputs)).maths

        def two(x: Scalar, y: Scalar) -> LawNumber:
            if ufunc in LOGIC:
                return _entry(ufunc, maths, x, y)
            # also of conditions: a sum counts them
            return LawNumber(maths, FORMULAS[ufunc](maths, _raw(maths, x), _raw(maths, y)))

        if method not in ("reduce", "accumulate", "outer") or more.pop("where", True) is not True:
            raise InputError("np.{function}.{method} has no form in a law", ufunc.__name__, method)
        known = {name: more[name] for name in ("axis", "keepdims") if name in more}
        # what is alone meets no other, and is a condition nevertheless
        given = [np.logical_or(x, False) for x in inputs] if ufunc in LOGIC else inputs
        fold, boxes = getattr(np.frompyfunc(two, 2, 1), method), [_boxed(x) for x in given]
        if method == "reduce":
            # one axis after the other: NumPy folds over several axes by its own functions alone
            boxes, axis = [np.asarray(x, dtype=object) for x in boxes], known.get("axis", 0)
            axes = axis if isinstance(axis, tuple) else range(boxes[0].ndim) if axis is None else (axis,)
            for k in sorted((k % boxes[0].ndim for k in axes), reverse=True):
                boxes = [np.asarray(fold(*boxes, **{**known, "axis": k}), dtype=object)]
            found = boxes[0]
        else:
            found = fold(*boxes, **known)
    if out:
        out[0][...] = found
        return out[0]
    return found.view(LawArray) if isinstance(found, np.ndarray) and found.ndim else _unboxed(found)


def _call(function: Callable[..., object], args: Any, more: Any) -> Any:
    if function is np.where and len(args) == 3:
        return where(*args)
    if function is np.select:
        pairs, default = zip(*args[:2], strict=True), (*args[2:], more.get("default", 0))[0]
        return reduce(lambda no, pair: where(pair[0], pair[1], no), reversed([*pairs]), default)
    if function is np.clip:
        bounds = [*args[1:], *(more[name] for name in ("a_min", "a_max", "min", "max") if name in more)]
        low, high = (*bounds, None, None)[:2]
        found = args[0] if low is None else np.maximum(args[0], low)
        return found if high is None else np.minimum(found, high)
    if function not in ARRANGED:
        name = f"{function.__module__}.{function.__name__}".removeprefix("numpy.")
        raise no_form(name)
    if function is np.linalg.norm and len(args) == 1 and more.keys() <= {"axis", "keepdims"}:
        return np.sqrt(np.sum(np.square(args[0]), **more))
    implementation: Any = getattr(function, "_implementation", function)  # without asking the arrays again
    found = implementation(*args, **more)
    if isinstance(found, list | tuple):
        return type(found)(_shown(x) for x in found)
    return _shown(found)


def _shown(found: object) -> Any:
    if isinstance(found, np.ndarray) and found.dtype == object:
        return found.view(LawArray) if found.ndim else found[()]
    return found
