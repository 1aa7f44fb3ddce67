"""The simplifier for people: expand, cancel, collect, use sin² + cos² = 1 and angle sums, then factor.

Everything it returns has been proved equal to the function it came from.
"""

from __future__ import annotations

from collections.abc import Callable

from manipula.algebra.expr.cost import tree_cost_of
from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.simplify.dag import Bracketed
from manipula.algebra.simplify.proof import proved, same
from manipula.algebra.simplify.simplifier import EXPANDED_TERMS, Simplifier
from manipula.algebra.simplify.sizes import expanded_size
from manipula.algebra.simplify.terms import tree_from_terms
from manipula.algebra.simplify.tree import Tree, evaluate_tree, operations
from manipula.errors import SizeError

__all__ = ["Written", "expanded", "expanded_size", "factored", "same", "simplified"]

Written = dict[str, tuple[Tree, ...]]  # output name → its entries, row-major
WRITTEN_OPERATIONS = 100_000


def expanded(function: Function, meant: Function | None = None) -> Written:
    """Every output as a sum of products with the fewest terms. `SizeError` past 100,000 terms in all.

    `meant`: the function that it is proved equal to, where that is made in another way.
    """
    simplifier = Simplifier()
    left = EXPANDED_TERMS

    def write(root: Expr) -> Tree:
        nonlocal left
        terms, atoms = simplifier.terms(root)
        left -= len(terms)
        if left < 0:
            raise SizeError("too many terms")
        return tree_from_terms(terms, atoms)

    try:
        return _written(function, write, meant)
    except SizeError:
        raise _too_long(function) from None


def _too_long(function: Function) -> SizeError:
    bound = expanded_size(function)
    return SizeError(
        f"{function.name}: the expanded form passes {EXPANDED_TERMS:,} terms (it has at most {_rounded(bound)}); "
        f"ask for the form 'auxiliary' or 'factored' instead"
    )


def _rounded(size: int) -> str:
    return f"{size:,}" if size < 10**9 else f"10^{len(str(size))}"


def factored(function: Function, meant: Function | None = None) -> Written:
    """Every output with brackets, as short as found; what is too long to expand keeps the graph's own brackets."""
    simplifier = Simplifier()
    return _written(function, lambda root: shortest(root, simplifier), meant)


def shortest(root: Expr, simplifier: Simplifier) -> Tree:
    """The shorter of two: expanded and factored anew, or the graph's own brackets."""
    size = tree_cost_of([root]).grand_total
    try:
        best = simplifier.factored(root)
    except SizeError:
        if size > WRITTEN_OPERATIONS:
            message = f"the factored form would take {_rounded(size)} operations; ask for the form 'auxiliary' instead"
            raise SizeError(message) from None
        return Bracketed(simplifier.argument).tree(root)
    if size > 10 * operations(best):  # the graph's own brackets repeat too much to be of help
        return best
    return min(best, Bracketed(simplifier.argument).tree(root), key=operations)


def simplified(function: Function) -> Function:
    """The same function computed the way its factored form is written, in a graph of its own."""
    written = factored(function)
    graph = Graph()
    maths = ExprMaths(graph)
    fresh = moved_to(function.with_roots([function.graph.zero] * len(function.roots), labels={}), graph)
    symbols = {str(x.data): x for port in fresh.inputs for x in port.symbols}
    trees = [tree for output in function.outputs for tree in written[output.name]]
    return fresh.with_roots([evaluate_tree(tree, symbols, maths) for tree in trees])


def _written(function: Function, write: Callable[[Expr], Tree], meant: Function | None) -> Written:
    known: dict[Expr, Tree] = {}
    for root in function.roots:
        if root not in known:
            known[root] = write(root)
    written = {output.name: tuple(known[root] for root in output.exprs) for output in function.outputs}
    proved(meant or function, written)
    return written
