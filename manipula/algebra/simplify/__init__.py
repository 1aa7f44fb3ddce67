"""The simplifier for people: expand, cancel, collect, use sin² + cos² = 1 and angle sums, then factor.

Everything it returns has been proved equal to the function it came from.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.expr.function import Function, moved_to, nest_flat, tree_cost_of
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.prove import Reference, prove
from manipula.algebra.simplify.simplifier import Simplifier, bracketed_roots, refuse_long, refuse_nested
from manipula.algebra.simplify.terms import WRITTEN_OPERATIONS, tree_from_terms
from manipula.algebra.simplify.tree import FormulaTree, evaluate_tree, operations
from manipula.errors import ProofError

# What is written is what was meant: exact comparison in GF(2⁶¹−1) at fresh random points.

DRAWS = 2


def same(a: Function, b: Function, draws: int = DRAWS) -> bool:
    """Do two functions of the same outputs agree at `draws` random points?"""
    for _ in range(draws):
        maths = _fresh()
        symbols = _Drawn(maths.symbol)
        if _values(a(symbols, maths)) != _values(b(symbols, maths)):
            return False
    return True


def prove_trees(function: Function, written: Mapping[str, Sequence[FormulaTree]], draws: int = DRAWS) -> None:
    """Raise `ProofError` unless the trees are the function's outputs.

    The direction of an `atan2` is a point of the circle only where its root is true: what differs is compared there.
    """
    # the quick test first: a proof with true roots draws many points
    wrong = [place for _ in range(draws) for place in _find_differences(function, written)]
    if wrong:
        try:
            prove(function, _reference(function, written))
        except ProofError:
            position, name = wrong[0]
            raise ProofError(
                "{name}: entry {position} of {name2} as written differs from the model", function.name, position, name
            ) from None


def _find_differences(function: Function, written: Mapping[str, Sequence[FormulaTree]]) -> Iterator[tuple[int, str]]:
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
        return {port.name: nest_flat(values[port.name], port.shape) for port in function.outputs}

    return run


class _Drawn(dict[str, Any]):
    """Name → a value of its own: function and text find the same, whichever asks first."""

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


Written = dict[str, tuple[FormulaTree, ...]]  # output name → its entries, row-major
Tell = Callable[[str], None]


def silent(text: str) -> None:
    """Nobody listens."""


def expand_function(function: Function, meant: Function | None = None, tell: Tell = silent) -> Written:
    """Every output as a sum of products with the fewest terms. `SizeError` where that is too long, known at once.

    `meant`: the function that it is proved equal to, where that is made in another way.
    """
    refuse_nested(function, "expanded")
    simplifier = Simplifier()
    refuse_long(function, simplifier)
    return _write_trees(function, lambda root: tree_from_terms(*simplifier.terms(root)), meant, tell)


def factor_function(function: Function, meant: Function | None = None, tell: Tell = silent) -> Written:
    """Every output with brackets, as short as found; what is too long to expand keeps the graph's own brackets."""
    refuse_nested(function, "factored")
    simplifier = Simplifier()
    kept = bracketed_roots(function, simplifier)

    def write(root: Expr) -> FormulaTree:
        return simplifier.bracket(root) if root in kept else shortest(root, simplifier)

    return _write_trees(function, write, meant, tell)


def shortest(root: Expr, simplifier: Simplifier) -> FormulaTree:
    """The shorter of two: expanded and factored anew, or the graph's own brackets."""
    best, size = simplifier.factor(root), tree_cost_of([root]).grand_total
    if size > min(10 * operations(best), WRITTEN_OPERATIONS):  # the graph repeats too much to be of help
        return best
    return min(best, simplifier.bracket(root), key=operations)


def function_from_trees(written: Written, like: Function) -> Function:
    """What is written, as a function of the same ports, in a graph of its own."""
    graph = Graph()
    maths = ExprMaths(graph)
    fresh = moved_to(like.with_roots([like.graph.zero] * len(like.roots), labels={}), graph)
    symbols = {str(x.data): x for port in fresh.inputs for x in port.symbols}
    trees = [tree for output in like.outputs for tree in written[output.name]]
    return fresh.with_roots([evaluate_tree(tree, symbols, maths) for tree in trees])


def _write_trees(
    function: Function, write: Callable[[Expr], FormulaTree], meant: Function | None, tell: Tell
) -> Written:
    known: dict[Expr, FormulaTree] = {}
    # an inertia matrix has every entry twice
    roots = list(dict.fromkeys(function.roots))
    for number, root in enumerate(roots, 1):
        tell(f"writing entry {number} of {len(roots)}")
        known[root] = write(root)
    tell("proof of what is written")
    written = {output.name: tuple(known[root] for root in output.exprs) for output in function.outputs}
    prove_trees(meant or function, written)
    return written
