"""An answer as a student types it, `l1*c1 + l2*c12`: read, never run, and proved equal to the solution or not.

Where it differs, the difference is named: the opposite sign, a factor, sine and cosine exchanged, missing and surplus
terms, names that the arm does not have.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.prove import prove
from manipula.algebra.show.printer import NameParts, Printer
from manipula.algebra.simplify import tree as formula
from manipula.algebra.simplify.simplifier import Simplifier
from manipula.algebra.simplify.terms import tree_from_monomial
from manipula.algebra.simplify.tree import FormulaTree, Symbol, Trig, evaluate_tree, leaves
from manipula.errors import InputError, ProofError, SizeError, UnprovableError
from manipula.messages import Message

LONGEST = 2000  # letters of an answer
DEEPEST = 60  # brackets inside one another
HIGHEST = 20  # power
SHOWN = 3  # terms that are named
FUNCTIONS = ("sin", "cos", "sqrt", "atan2")
_SIGNS = str.maketrans({"·": "*", "−": "-", "×": "*", "²": "^2", "³": "^3", "θ": "theta", "φ": "phi", "π": "pi"} |
                       {digit: str(n) for n, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")})  # fmt: skip
_SHORT = re.compile(r"([cs])((?:_?m?\d)+)")  # c12, s1m2, c1_10
_JOINT = re.compile(r"(?:theta|th|q|d)_?(\d+)")
_RATE = re.compile(r"(?:(?:theta|th|q|d)(d{1,2})_?(\d+)|(d{1,2})(?:theta|th|q)_?(\d+))")


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


def answer_tree(text: str, names: Sequence[str], dof: int) -> FormulaTree:
    """The formula that was typed; `InputError` says what cannot be read. `x = …` is the right side."""
    _, _, right = text.rpartition("=")
    plain = right.translate(_SIGNS).replace("^", "**").strip()
    plain = re.sub(r"(?<![A-Za-z_\d.])(\d+(?:\.\d+)?)\s*(?=[A-Za-z(])", r"\1*", plain)  # 2l1 is 2*l1
    if not plain:
        raise InputError("the answer is empty")
    if len(plain) > LONGEST:
        raise InputError("the answer is longer than {count} signs", LONGEST)
    try:
        tree = ast.parse(plain, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError("{text} cannot be read: write products with *, as in l1*c1 + l2*c12", text.strip()) from None
    return _Reader(frozenset(names), dof).read(tree.body, 0)


class _Reader:
    def __init__(self, names: frozenset[str], dof: int) -> None:
        self.names, self.dof = names, dof

    def read(self, node: ast.expr, depth: int) -> FormulaTree:
        if depth > DEEPEST:
            raise InputError("the answer has too many brackets inside one another")
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return formula.FormulaNumber(Fraction(str(value)))
            case ast.Name(id=name):
                return self.tree_of_name(name)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return formula.product_of([formula.MINUS, self.read(inner, depth + 1)])
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.read(inner, depth + 1)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, left, right, depth)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
                values = [self.read(arg, depth + 1) for arg in args]
                if len(values) != (2 if name == "atan2" else 1):
                    raise InputError("{name} has {count} arguments", name, len(values))
                return self._call(name, values)
        raise InputError(
            "{text} cannot be read: use names, numbers, + - * / ^, sin, cos, sqrt, atan2", ast.unparse(node)
        )

    def _binary(self, op: ast.operator, left: ast.expr, right: ast.expr, depth: int) -> FormulaTree:
        a, b = self.read(left, depth + 1), self.read(right, depth + 1)
        match op:
            case ast.Add():
                return formula.Sum((a, b))
            case ast.Sub():
                return formula.Sum((a, formula.product_of([formula.MINUS, b])))
            case ast.Mult():
                return formula.product_of([a, b])
            case ast.Div():
                if b == formula.ZERO:
                    raise InputError("the answer divides by zero")
                return formula.product_of([a, formula.Inverse(b)])
            case ast.Pow() if (
                isinstance(b, formula.FormulaNumber) and b.value.denominator == 1 and 0 < b.value <= HIGHEST
            ):
                return formula.power_of(a, int(b.value))
        raise InputError("powers are whole numbers from 1 to {highest}", HIGHEST)

    def _call(self, name: str, values: list[FormulaTree]) -> FormulaTree:
        if name in ("sin", "cos"):
            return formula.Trig(name, angle_leaves(values[0]))
        return formula.FormulaCall(name, tuple(values))

    def tree_of_name(self, name: str) -> FormulaTree:
        """A parameter first: what an arm calls c1 is no cosine."""
        if name in self.names:
            return Symbol(name, False)
        if short := _SHORT.fullmatch(name):
            return Trig(
                "cos" if short[1] == "c" else "sin", tuple((self.joint(n), t) for n, t in _joints(short[2], self.dof))
            )
        if rate := _RATE.fullmatch(name):
            dots, number = (rate[1], rate[2]) if rate[1] else (rate[3], rate[4])
            return self.joint(int(number), dots)
        if joint := _JOINT.fullmatch(name):
            return self.joint(int(joint[1]))
        if name == "pi":
            return formula.Degrees(Fraction(180))
        known = ", ".join([*sorted(self.names), f"q1 … q{self.dof}", "c1, s1, c12 …"])
        raise InputError("{name} is not a name of this arm; it has {known}", name, known)

    def joint(self, number: int, dots: str = "") -> Symbol:
        if not 1 <= number <= self.dof:
            raise InputError("there is no joint {number}: the arm has {dof}", number, self.dof)
        return Symbol(f"q{dots}{number}", True)


def _joints(text: str, dof: int) -> list[tuple[int, int]]:
    """12 → joints 1 and 2, 1m2 → 1 − 2, 1_10 → 1 and 10"""
    parts = re.findall(r"(m?)(\d+)", text) if "_" in text else re.findall(r"(m?)(\d)", text)
    return sorted((int(number), -1 if minus else 1) for minus, number in parts)


def angle_leaves(tree: FormulaTree) -> Any:
    """Whole multiples of joints: q1 + q2 − 2*q3; anything else is one leaf."""
    found: dict[FormulaTree, int] = {}
    stack = [(part, 1) for part in formula.terms_of(tree)]
    while stack:
        part, times = stack.pop()
        inner = formula.terms_of(part)
        if len(inner) > 1:
            stack += [(x, times) for x in inner]
        elif (
            isinstance(part, formula.FormulaProduct)
            and isinstance(part.factors[0], formula.FormulaNumber)
            and len(part.factors) == 2
        ):
            number = part.factors[0].value
            if number.denominator != 1:
                raise InputError("an angle has whole multiples of the joints")
            stack.append((part.factors[1], times * int(number)))
        elif isinstance(part, Symbol | formula.Degrees):
            found[part] = found.get(part, 0) + times
        else:
            raise InputError("the angle of a sine or cosine is a sum of joints, as in cos(q1 + q2)")
    return tuple(sorted(((leaf, n) for leaf, n in found.items() if n), key=lambda item: formula.sort_key(item[0])))


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
        return Message("Not equal: {listed}; {more} more differences.", listed, more)
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
    """A number within the tolerance, relative to its size."""
    _, _, right = text.rpartition("=")
    try:
        value = float(right.translate(_SIGNS).replace(",", ".").strip())
    except ValueError:
        return AnswerVerdict(False, Message("{text} is not a number", text.strip()))
    if abs(value - solution) <= tolerance * max(1.0, abs(solution)):
        return AnswerVerdict(True, Message("Right."))
    if abs(value + solution) <= tolerance * max(1.0, abs(solution)):
        return AnswerVerdict(False, Message("Not equal: the sign is opposite."))
    return AnswerVerdict(False, Message("Not equal: off by {off:.3g}.", value - solution))
