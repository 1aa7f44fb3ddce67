"""An answer as a student types it, `l1*c1 + l2*c12`: read, never run, and proved equal to the solution or not.

Where it differs, the difference is named: the opposite sign, a factor, sine and cosine exchanged, missing and surplus
terms, names that the arm does not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.prove import prove
from manipula.algebra.show.printer import NameParts, Printer
from manipula.algebra.simplify import tree as formula
from manipula.algebra.simplify.simplifier import Simplifier
from manipula.algebra.simplify.terms import tree_from_monomial
from manipula.algebra.simplify.tree import FormulaTree, Symbol, Trig, evaluate_tree, leaves, symbol_names
from manipula.errors import InputError, ProofError, SizeError, UnprovableError
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message
from manipula.worksheets.reader import answer_tree

SHOWN = 3  # terms that are named
UNIT = re.compile(r"(?<=[\d)])\s*(?:°|deg|rad|kg ?m(?:\^2|²)|kg|N ?m|N|m)$")
ROUNDING = 6e-4  # of a number near zero that is written with three decimals
POINTS, CLOSE = 20, 1e-10  # of a comparison in numbers


@dataclass(frozen=True)
class AnswerVerdict:
    """Whether an answer is right, and what is to be said of it."""

    right: bool
    says: str

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        return self.says

    def as_dict(self) -> dict[str, object]:
        return {"right": self.right, "says": self.says}


# The comparison.


def check_formula(
    solution: FormulaTree, text: str, names: Sequence[str], dof: int, aliases: Mapping[str, NameParts]
) -> AnswerVerdict:
    """Proved equal, or what differs."""
    try:
        answer = answer_tree(text, names, dof)
    except InputError as error:
        return AnswerVerdict(False, error.message)
    if is_identical(answer, solution):
        return AnswerVerdict(True, Message("Right."))
    return AnswerVerdict(False, _difference(answer, solution, Printer((), aliases)))


def is_identical(a: FormulaTree, b: FormulaTree) -> bool:
    """By the identity prover: at random points of the field, with a bound on the chance of error."""
    graph = Graph()
    maths = ExprMaths(graph)
    symbols = _symbols([a, b], graph)
    try:
        function = _function(graph, symbols, graph.expr(evaluate_tree(a, symbols, maths)))
        prove(function, lambda m, symbol: {"y": evaluate_tree(b, {name: symbol(name) for name in symbols}, m)})
    except (ProofError, UnprovableError, ZeroDivisionError):
        return _has_roots(a, b) and _is_equal_in_numbers(a, b)
    return True


def _has_roots(*trees: FormulaTree) -> bool:
    """Square roots, of sin 30° or √(l²), have other values in a field: numbers decide."""
    parts = leaves(trees)
    angles = (leaf for x in parts if isinstance(x, Trig) for leaf, _ in x.angle)
    odd = any(isinstance(x, formula.Degrees) and x.value % 90 for x in angles)
    return odd or any(isinstance(x, formula.FormulaCall) for x in parts)


def _is_equal_in_numbers(a: FormulaTree, b: FormulaTree) -> bool:
    rng = Random(1)
    for _ in range(POINTS):
        values = {name: rng.uniform(0.3, 1.7) for name in symbol_names([a, b])}
        try:
            one, other = (float(evaluate_tree(x, values, FLOATS)) for x in (a, b))
        except (ValueError, ZeroDivisionError, OverflowError):
            return False
        if not abs(one - other) <= CLOSE * max(1.0, abs(other)):
            return False
    return True


def _function(graph: Graph, symbols: Mapping[str, Expr], root: Expr) -> Function:
    return Function("answer", graph, (Input("x", tuple(symbols.values())),), (Output("y", (), (root,)),))


def _symbols(trees: Sequence[FormulaTree], graph: Graph) -> dict[str, Expr]:
    found = {x.name: x.online for x in leaves(trees) if isinstance(x, Symbol)}
    for x in leaves(trees):
        if isinstance(x, Trig):
            found |= {leaf.name: True for leaf, _ in x.angle if isinstance(leaf, Symbol)}
    return {name: graph.symbol(name, online=online) for name, online in sorted(found.items())}


def _difference(answer: FormulaTree, solution: FormulaTree, printer: Printer) -> Message:
    if is_identical(formula.product_of([formula.MINUS, answer]), solution):
        return Message("Not equal: the sign is opposite.")
    if is_identical(_exchanged(answer), solution):
        return Message("Not equal: sine and cosine are exchanged.")
    try:
        mine, wanted = _terms(answer), _terms(solution)
    except (SizeError, ZeroDivisionError):
        return Message("Not equal.")
    ratios = {mine[m] / c for m, c in wanted.items() if m in mine}
    if mine.keys() == wanted.keys() and len(ratios) == 1:
        return Message("Not equal: the answer is {ratio} times the solution.", Printer().number(ratios.pop()))
    return _by_terms(mine, wanted, printer)


Terms = dict[FormulaTree, Fraction]


def _by_terms(mine: Terms, wanted: Terms, printer: Printer) -> Message:
    parts: list[str] = []
    for tree, value in wanted.items():
        if tree not in mine:
            parts.append(Message("the term {term} is missing", printer.text(_times(value, tree))))
        elif mine[tree] != value:
            template = "the term with {term} has the factor {found}; it should be {wanted}"
            parts.append(Message(template, printer.text(tree),
                                 Printer().number(mine[tree]), Printer().number(value)))  # fmt: skip
    parts += [
        Message("the term {term} does not belong there", printer.text(_times(value, tree)))
        for tree, value in mine.items() if tree not in wanted
    ]  # fmt: skip
    shown = parts[:SHOWN]
    if not shown:
        return Message("Not equal.")
    listed: object = shown[0]
    for part in shown[1:]:
        listed = Message("{one}; {other}", listed, part)
    more = len(parts) - len(shown)
    if more > 0:
        return Message("Not equal: {listed}; and {more} more.", listed, more)
    return Message("Not equal: {listed}.", listed)


def _times(value: Fraction, tree: FormulaTree) -> FormulaTree:
    return formula.product_of([formula.FormulaNumber(value), tree])


def _terms(tree: FormulaTree) -> Terms:
    """Monomials in parameters, sines, cosines and variables → factor."""
    graph = Graph()
    terms, atoms = Simplifier().terms(graph.expr(evaluate_tree(tree, _symbols([tree], graph), ExprMaths(graph))))
    return {tree_from_monomial(monomial, Fraction(1), atoms): value for monomial, value in terms.items()}


def _exchanged(tree: FormulaTree) -> FormulaTree:
    """Sines for cosines and cosines for sines."""
    match tree:
        case Trig(op, angle):
            return Trig("sin" if op == "cos" else "cos", angle)
        case formula.Sum(terms):
            return formula.Sum(tuple(map(_exchanged, terms)))
        case formula.FormulaProduct(factors):
            return formula.product_of(map(_exchanged, factors))
        case formula.Power(base, exponent):
            return formula.power_of(_exchanged(base), exponent)
        case formula.Inverse(bottom):
            return formula.Inverse(_exchanged(bottom))
        case formula.FormulaCall(op, args):
            return formula.FormulaCall(op, tuple(map(_exchanged, args)))
    return tree


def check_number(solution: float, text: str, tolerance: float) -> AnswerVerdict:
    """A number within the tolerance, relative to its size, or to three decimals; sqrt(3)/2 is one, and 0,25 m."""
    try:
        tree = answer_tree(UNIT.sub("", text.strip()), (), 0)
        value = float(evaluate_tree(tree, {}, FLOATS))
    except (InputError, ValueError, ZeroDivisionError, OverflowError):
        return AnswerVerdict(False, Message("{text} is not a number", text.strip()))
    room = max(tolerance * abs(solution), ROUNDING)
    if abs(value - solution) <= room:
        return AnswerVerdict(True, Message("Right."))
    if abs(value + solution) <= room:
        return AnswerVerdict(False, Message("Not equal: the sign is opposite."))
    return AnswerVerdict(False, Message("Not equal: off by {off:.3g}.", value - solution))
