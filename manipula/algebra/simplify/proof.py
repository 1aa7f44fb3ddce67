"""What is written is what was meant: exact comparison in GF(2⁶¹−1) at fresh random points."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.expr.function import Function
from manipula.algebra.simplify.tree import Tree, evaluate_tree
from manipula.errors import ProofError

DRAWS = 2


def same(a: Function, b: Function, draws: int = DRAWS) -> bool:
    """Do two functions of the same outputs agree at `draws` random points?"""
    for _ in range(draws):
        maths, symbols = _draw(a, b)
        if _values(a(symbols, maths)) != _values(b(symbols, maths)):
            return False
    return True


def proved(function: Function, written: Mapping[str, Sequence[Tree]], draws: int = DRAWS) -> None:
    """Raise `ProofError` unless the trees are the function's outputs."""
    for _ in range(draws):
        maths, symbols = _draw(function)
        meant = function(symbols, maths)
        for name, trees in written.items():
            for position, (tree, value) in enumerate(zip(trees, meant[name], strict=True), 1):
                if evaluate_tree(tree, symbols, maths).value != value.value:
                    raise ProofError(f"{function.name}: entry {position} of {name} as written differs from the model")


def _draw(*functions: Function) -> tuple[FieldMaths, dict[str, Any]]:
    maths = FieldMaths(f"proof {secrets.token_hex(16)}")
    names = {name for function in functions for port in function.inputs for name in port.names}
    return maths, {name: maths.symbol(name) for name in names}


def _values(outputs: Mapping[str, Sequence[Any]]) -> dict[str, list[int]]:
    return {name: [x.value for x in values] for name, values in outputs.items()}
