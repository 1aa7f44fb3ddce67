"""What is written is what was meant: exact comparison in GF(2⁶¹−1) at fresh random points."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.expr.function import Function, nested
from manipula.algebra.optimise.prove import Reference, prove
from manipula.algebra.simplify.tree import FormulaTree, evaluate_tree
from manipula.errors import ProofError

DRAWS = 2


def same(a: Function, b: Function, draws: int = DRAWS) -> bool:
    """Do two functions of the same outputs agree at `draws` random points?"""
    for _ in range(draws):
        maths = _fresh()
        symbols = _Drawn(maths.symbol)
        if _values(a(symbols, maths)) != _values(b(symbols, maths)):
            return False
    return True


def proved(function: Function, written: Mapping[str, Sequence[FormulaTree]], draws: int = DRAWS) -> None:
    """Raise `ProofError` unless the trees are the function's outputs.

    The direction of an `atan2` is a point of the circle only where its root is true: what differs is compared there.
    """
    wrong = [place for _ in range(draws) for place in _differing(function, written)]
    if wrong:
        try:
            prove(function, _reference(function, written))
        except ProofError:
            position, name = wrong[0]
            raise ProofError(
                "{name}: entry {position} of {name2} as written differs from the model", function.name, position, name
            ) from None


def _differing(function: Function, written: Mapping[str, Sequence[FormulaTree]]) -> Iterator[tuple[int, str]]:
    maths = _fresh()
    symbols = _Drawn(maths.symbol)
    meant = function(symbols, maths)
    for name, trees in written.items():
        for position, (tree, value) in enumerate(zip(trees, meant[name], strict=True), 1):
            if evaluate_tree(tree, symbols, maths).value != value.value:
                yield position, name


def _reference(function: Function, written: Mapping[str, Sequence[FormulaTree]]) -> Reference:
    """What is written, as the text a function is held against."""

    def run(maths: Any, symbol: Callable[[str], Any]) -> dict[str, Any]:
        symbols = _Drawn(symbol)
        values = {name: [evaluate_tree(tree, symbols, maths) for tree in trees] for name, trees in written.items()}
        return {port.name: nested(values[port.name], port.shape) for port in function.outputs}

    return run


class _Drawn(dict[str, Any]):
    """Name → a value of its own: whoever asks first, function or text, the other finds the same."""

    def __init__(self, draw: Callable[[str], Any]) -> None:
        super().__init__()
        self.draw = draw

    def __missing__(self, name: str) -> Any:
        self[name] = value = self.draw(name)
        return value


def _fresh() -> FieldMaths:
    return FieldMaths(f"proof {secrets.token_hex(16)}")


def _values(outputs: Mapping[str, Sequence[Any]]) -> dict[str, list[int]]:
    return {name: [x.value for x in values] for name, values in outputs.items()}
