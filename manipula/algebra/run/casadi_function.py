"""A tape as a `casadi.Function` over SX, so that CasADi differentiates, expands, solves and generates code with it.

Ports keep their names. A vector is a column; an array of three axes or more is stacked into a matrix whose columns are
its last axis. Parameters and settings are inputs like the others. The Jacobian is ours, and shares what CasADi's own
would compute again.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any

from manipula.algebra.emit.backend import fold_choices
from manipula.algebra.emit.casadi.derivatives import Derivatives, External, SparseMatrix, value_of
from manipula.algebra.emit.ports import identifier
from manipula.errors import InputError
from manipula.scalar import OPS, Maths

if TYPE_CHECKING:
    from manipula.algebra.tape import Tape


class SymbolMaths(Maths[Any]):
    """`Maths` over SX: CasADi's function of the same word, and our rules where its own differ (NaN, ties)."""

    def __init__(self, casadi: ModuleType) -> None:
        self.casadi = casadi

    def number(self, value: Fraction) -> Any:
        return self.casadi.SX(float(value))

    def degrees(self, value: Fraction) -> Any:
        return self.casadi.SX(float(value)) * (self.casadi.pi / 180)

    def apply(self, name: str, *args: Any) -> Any:
        return getattr(self.casadi, OPS[name].word("casadi"))(*args)

    def minimum(self, x: Any, y: Any) -> Any:
        """fmin would lose a NaN, and halves the slopes on a tie."""
        return self._decide(x <= y, x, y < x, y, x + y)

    def maximum(self, x: Any, y: Any) -> Any:
        return self._decide(x >= y, x, y > x, y, x + y)

    def less(self, x: Any, y: Any) -> Any:
        return self._decide(x < y, 1, x >= y, 0, x + y)

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        chosen = self.casadi.if_else(condition, yes, no)
        return self.casadi.if_else(self._is_number(condition), chosen, float("nan"))

    def pow(self, x: Any, y: Any) -> Any:
        """A negative base has no value, whole exponents included; −0 is 0."""
        known = self.casadi.logic_and(x >= 0, self._is_number(y))
        # the arm not taken has the base 1: its slopes must be numbers
        power = self.apply("pow", self.casadi.if_else(known, x, 1), y)
        return self.casadi.if_else(known, power, float("nan"))

    def _decide(self, first: object, x: Any, second: object, y: Any, neither: object) -> Any:
        return self.casadi.if_else(first, x, self.casadi.if_else(second, y, neither))

    def _is_number(self, x: Any) -> Any:
        # CasADi takes x == x for true before it knows x
        return self.casadi.logic_or(x <= 0, x > 0)


def casadi_function(tape: Tape) -> Any:
    """The function over SX; `F.jacobian()` is ours."""
    casadi = load_casadi()
    of = value_of(fold_choices(tape), identifier(tape.name))
    symbols = [casadi.SX.sym(x.name, x.rows, x.columns) for x in of.inputs]
    jacobian = Derivatives(of).jacobian()
    unread = [casadi.SX.sym(x.name, x.rows, x.columns) for x in jacobian.inputs[len(symbols) :]]
    own = _function(casadi, jacobian, [*symbols, *unread])
    return _function(casadi, of, symbols, custom_jacobian=own)


def load_casadi() -> ModuleType:
    try:
        import casadi
    except ImportError:
        raise InputError("this needs CasADi: pip install 'manipula[casadi]'") from None
    return casadi


def _function(casadi: ModuleType, of: External, symbols: Sequence[Any], **options: object) -> Any:
    given = {x.name: casadi.vec(symbol).elements() for x, symbol in zip(of.inputs, symbols, strict=True)}
    results = of.tape.evaluate({port.name: given[port.name] for port in of.tape.inputs}, SymbolMaths(casadi))
    outputs = [_filled(casadi, x, results.get(x.name, [])) for x in of.outputs]
    names = [x.name for x in of.inputs], [x.name for x in of.outputs]
    return casadi.Function(of.name, symbols, outputs, *names, options)


def _filled(casadi: ModuleType, shape: SparseMatrix, entries: Sequence[Any]) -> Any:
    """A matrix over SX from its entries, column by column."""
    pattern = casadi.Sparsity(shape.rows, shape.columns, shape.starts, [row for row, _ in shape.entries])
    return casadi.SX(pattern, casadi.vertcat(*entries)) if entries else casadi.SX(pattern)
