"""Factored forms without expansion: for outputs whose expanded form is out of reach.

The graph's own brackets are kept; only the sums in it, one by one, are searched for common factors.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify.factor import Factoriser
from manipula.algebra.simplify.polynomial import Write, angle_of, polynomial_cone
from manipula.algebra.simplify.terms import Terms, added
from manipula.algebra.simplify.tree import FormulaCall, FormulaNumber, FormulaTree, Inverse, Symbol, Trig, product_of

LONG_SUM = 60  # terms past which a sum is left as it is


class Bracketed:
    """Trees of nodes, sums first flattened, then factored over the trees below them."""

    def __init__(self, write: Write) -> None:
        self.write = write  # arguments of functions
        self.trees: dict[Expr, FormulaTree] = {}

    def tree(self, root: Expr) -> FormulaTree:
        for node in polynomial_cone(root):
            if node not in self.trees:
                self.trees[node] = self._made(node)
        return self.trees[root]

    def _made(self, node: Expr) -> FormulaTree:
        match node.op:
            case "const" | "tolerance":
                return FormulaNumber(node.data)
            case "symbol":
                return Symbol(str(node.data), node.online)
            case "sin" | "cos":
                angle, sign = angle_of(node.args[0], self.write)
                return product_of([FormulaNumber(Fraction(sign if node.op == "sin" else 1)), Trig(node.op, angle)])
            case "neg":
                return product_of([FormulaNumber(Fraction(-1)), self.trees[node.args[0]]])
            case "mul":
                return product_of(self.trees[arg] for arg in node.args)
            case "div":
                return product_of([self.trees[node.args[0]], Inverse(self.trees[node.args[1]])])
            case "add" | "sub":
                return self._sum(node)
        return FormulaCall(node.op, tuple(map(self.write, node.args)))

    def _sum(self, node: Expr) -> FormulaTree:
        atoms: dict[Expr, int] = {}
        terms: Terms = {}
        for summand, sign in flattened(node):
            coefficient, parts = _factors(summand)
            monomial = tuple(sorted(Counter(atoms.setdefault(part, len(atoms)) for part in parts).items()))
            added(terms, monomial, sign * coefficient)
        trees = [self.trees[part] for part in atoms]
        return Factoriser(trees).factored(_on_circle(terms, atoms))


def flattened(node: Expr) -> list[tuple[Expr, int]]:
    """A sum of sums as (summand, sign), at most `LONG_SUM` deep."""
    done: list[tuple[Expr, int]] = []
    stack = [(node, 1)]
    while stack:
        x, sign = stack.pop()
        match x.op:
            case "neg":
                stack.append((x.args[0], -sign))
            case "add" | "sub" if len(stack) + len(done) < LONG_SUM:
                stack += [(x.args[1], sign if x.op == "add" else -sign), (x.args[0], sign)]
            case _:
                done.append((x, sign))
    return done


def _on_circle(terms: Terms, atoms: dict[Expr, int]) -> Terms:
    """k·x·sin² + k·x·cos² = k·x, where a sum has both as they stand."""
    cosines = {node.args[0]: i for node, i in atoms.items() if node.op == "cos"}
    for sine, i in atoms.items():
        if sine.op != "sin" or sine.args[0] not in cosines:
            continue
        pair = (i, 2), (cosines[sine.args[0]], 2)
        for monomial in [x for x in terms if pair[0] in x]:
            rest = tuple(power for power in monomial if power != pair[0])
            other = tuple(sorted((*rest, pair[1])))
            if terms[monomial] == terms.get(other):
                value = terms.pop(monomial)
                del terms[other]
                added(terms, rest, value)
    return terms


def _factors(node: Expr) -> tuple[Fraction, list[Expr]]:
    """(number, the factors that are no products)"""
    coefficient, parts = Fraction(1), []
    stack = [node]
    while stack:
        x = stack.pop()
        match x.op:
            case "const":
                coefficient *= x.data
            case "neg":
                coefficient = -coefficient
                stack.append(x.args[0])
            case "mul":
                stack += [x.args[1], x.args[0]]
            case _:
                parts.append(x)
    return coefficient, parts
