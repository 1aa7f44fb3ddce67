"""The simplifier for people: expand, cancel, collect, use sin² + cos² = 1 and angle sums, then factor.

Everything it returns has been proved equal to the function it came from.
"""

from __future__ import annotations

from collections.abc import Callable

from manipula.algebra.expr.cost import tree_cost_of
from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.simplify.lengths import bracketed_roots, refuse_long, refuse_nested
from manipula.algebra.simplify.limits import WRITTEN_OPERATIONS
from manipula.algebra.simplify.proof import proved, same
from manipula.algebra.simplify.simplifier import Simplifier
from manipula.algebra.simplify.terms import tree_from_terms
from manipula.algebra.simplify.tree import FormulaTree, evaluate_tree, operations

__all__ = ["Tell", "Written", "expanded", "factored", "function_from_trees", "same", "silent", "simplified"]

Written = dict[str, tuple[FormulaTree, ...]]  # output name → its entries, row-major
Tell = Callable[[str], None]


def silent(text: str) -> None:
    """Nobody listens."""


def expanded(function: Function, meant: Function | None = None, tell: Tell = silent) -> Written:
    """Every output as a sum of products with the fewest terms. `SizeError` where that is too long, known at once.

    `meant`: the function that it is proved equal to, where that is made in another way.
    """
    refuse_nested(function, "expanded")
    simplifier = Simplifier()
    refuse_long(function, simplifier)
    return _written(function, lambda root: tree_from_terms(*simplifier.terms(root)), meant, tell)


def factored(function: Function, meant: Function | None = None, tell: Tell = silent) -> Written:
    """Every output with brackets, as short as found; what is too long to expand keeps the graph's own brackets."""
    refuse_nested(function, "factored")
    simplifier = Simplifier()
    kept = bracketed_roots(function, simplifier)

    def write(root: Expr) -> FormulaTree:
        return simplifier.bracketed(root) if root in kept else shortest(root, simplifier)

    return _written(function, write, meant, tell)


def shortest(root: Expr, simplifier: Simplifier) -> FormulaTree:
    """The shorter of two: expanded and factored anew, or the graph's own brackets."""
    best, size = simplifier.factored(root), tree_cost_of([root]).grand_total
    if size > min(10 * operations(best), WRITTEN_OPERATIONS):  # the graph repeats too much to be of help
        return best
    return min(best, simplifier.bracketed(root), key=operations)


def simplified(function: Function) -> Function:
    """The same function computed the way its factored form is written, in a graph of its own."""
    return function_from_trees(factored(function), function)


def function_from_trees(written: Written, like: Function) -> Function:
    """What is written, as a function of the same ports, in a graph of its own."""
    graph = Graph()
    maths = ExprMaths(graph)
    fresh = moved_to(like.with_roots([like.graph.zero] * len(like.roots), labels={}), graph)
    symbols = {str(x.data): x for port in fresh.inputs for x in port.symbols}
    trees = [tree for output in like.outputs for tree in written[output.name]]
    return fresh.with_roots([evaluate_tree(tree, symbols, maths) for tree in trees])


def _written(function: Function, write: Callable[[Expr], FormulaTree], meant: Function | None, tell: Tell) -> Written:
    known: dict[Expr, FormulaTree] = {}
    roots = list(dict.fromkeys(function.roots))
    for number, root in enumerate(roots, 1):
        tell(f"writing entry {number} of {len(roots)}")
        known[root] = write(root)
    tell("proof of what is written")
    written = {output.name: tuple(known[root] for root in output.exprs) for output in function.outputs}
    proved(meant or function, written)
    return written
