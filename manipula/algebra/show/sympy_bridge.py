"""SymPy objects, for those who want to go on there. SymPy is imported only here, only when asked."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.maths import free_symbols
from manipula.algebra.show.choices import in_cases, simplify_choices, written_anew
from manipula.algebra.simplify import factor_function
from manipula.algebra.simplify.tree import evaluate_tree
from manipula.errors import InputError, SizeError
from manipula.scalar import OPS, Maths
from manipula.support.text import tiny_power

if TYPE_CHECKING:
    from sympy import Basic


class SympyMaths(Maths["Basic"]):
    """`Maths` over SymPy expressions; numbers stay exact, angles become multiples of π."""

    def __init__(self, sympy: ModuleType) -> None:
        self.sympy = sympy

    def number(self, value: Fraction) -> Basic:
        power = tiny_power(value)
        # an exact 10⁻²⁴ would print as a fraction of twenty-four zeros
        if power:  # the bound of a guard
            return self.sympy.Float(f"1e-{power}")
        return self.sympy.Rational(value.numerator, value.denominator)

    def degrees(self, value: Fraction) -> Basic:
        return self.sympy.pi * self.number(value / 180)

    def apply(self, name: str, *args: Basic) -> Basic:
        return getattr(self.sympy, OPS[name].word("sympy"))(*args)

    def less(self, x: Basic, y: Basic) -> Basic:
        return self.sympy.Piecewise((1, x < y), (0, True))

    def select(self, condition: Basic, yes: Basic, no: Basic) -> Basic:
        # `less` is 1 or 0 here: its comparison is taken out again, or SymPy would nest piecewise in piecewise
        first = condition.args[0] if isinstance(condition, self.sympy.Piecewise) else None
        compared = first[1] if first is not None and first[0] == 1 else self.sympy.Ne(condition, 0)
        return self.sympy.Piecewise((yes, compared), (no, True))


def to_sympy(function: Function, plain: Function | None = None) -> dict[str, Basic]:
    """Output name → expression, Matrix (one or two axes) or NDimArray; the symbols are real and named as here.

    Written as the factored form of the `plain` function is; where that would be too long, as the plain function is.
    """
    try:
        sympy = import_module("sympy")
    except ImportError:
        raise InputError("SymPy is not installed; run: pip install 'manipula[sympy]'") from None
    source, maths = plain or function, SympyMaths(sympy)
    symbols = {str(x.data): sympy.Symbol(str(x.data), real=True) for x in free_symbols(source.roots)}
    try:
        written = written_anew(factor_function(source, function), source, factor_function)
        values = {
            name: [evaluate_tree(simplify_choices(in_cases(x)), symbols, maths) for x in trees]
            for name, trees in written.items()
        }
    except SizeError:
        values = source(symbols, maths)
    return {output.name: _sympy_array(sympy, values[output.name], output.shape) for output in function.outputs}


def _sympy_array(sympy: ModuleType, values: Sequence[Basic], shape: tuple[int, ...]) -> Basic:
    if not shape:
        return values[0]
    if len(shape) > 2:
        return sympy.ImmutableDenseNDimArray(values, shape)
    return sympy.Matrix(shape[0], shape[1] if len(shape) > 1 else 1, list(values))
