"""Expressions expanded into flint's sparse polynomials, modulo sin² + cos² = 1.

The generators are the sine and cosine of every coordinate angle, the symbols, and whatever is no rational function
(roots, branches) as atoms of their own. Under the lexical order every s² is rewritten as 1 − c², so the result is
canonical: equal expressions in equal coordinates give equal polynomials, and hidden zeros vanish.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from manipula.algebra.expr.node import Expr, angle_terms
from manipula.algebra.simplify.terms import Terms, Work, angle_from, coordinates_for, express_in_basis, rounded_text
from manipula.algebra.simplify.tree import Angle, Degrees, FormulaCall, FormulaTree, Symbol, Trig
from manipula.errors import SizeError

# Polynomials over polynomials, with common factors cancelled while that is cheap.

Poly = fmpq_mpoly
Times = Callable[[Poly, Poly], Poly]  # the ring's product, modulo its relations
CHEAP = 600  # terms of both together, up to which common factors are searched


class Quotient(NamedTuple):
    """top / bottom; no bottom is 1."""

    top: Poly
    bottom: Poly | None = None


def negative(x: Quotient) -> Quotient:
    return Quotient(-x.top, x.bottom)


def invert(x: Quotient, one: Poly) -> Quotient:
    return Quotient(one if x.bottom is None else x.bottom, x.top)


def product_of(x: Quotient, y: Quotient, times: Times) -> Quotient:
    top = times(x.top, y.top)
    if x.bottom is None or y.bottom is None:
        return cancel_factors(top, x.bottom if y.bottom is None else y.bottom)
    return cancel_factors(top, times(x.bottom, y.bottom))


def sum_of(x: Quotient, y: Quotient, times: Times) -> Quotient:
    if x.bottom is None:
        return Quotient(x.top + y.top) if y.bottom is None else cancel_factors(times(x.top, y.bottom) + y.top, y.bottom)
    if y.bottom is None:
        return cancel_factors(x.top + times(y.top, x.bottom), x.bottom)
    if x.bottom == y.bottom:
        return cancel_factors(x.top + y.top, x.bottom)
    # over the least common denominator: the plain product would grow with every sum
    shared = _common_factor(x.bottom, y.bottom)
    ours, theirs = x.bottom // shared, y.bottom // shared
    return cancel_factors(times(x.top, theirs) + times(y.top, ours), times(x.bottom, theirs))


def _common_factor(a: Poly, b: Poly) -> Poly:
    # flint's gcd is slow on long polynomials: they are left with their common factors
    return a.gcd(b) if len(a) + len(b) <= CHEAP else a.context().constant(1)


def cancel_factors(top: Poly, bottom: Poly | None) -> Quotient:
    """Common factors out; the bottom has coprime whole coefficients and a positive lead; a number joins the top."""
    if bottom is None or not top:
        return Quotient(top)
    shared = _common_factor(top, bottom)
    top, bottom = top // shared, bottom // shared
    if bottom.is_constant():
        return Quotient(top / bottom.leading_coefficient())
    coefficients = bottom.coeffs()
    # one normal form, so that equal denominators are found to be equal
    scale = _whole(coefficients) * (1 if coefficients[0] > 0 else -1)
    return Quotient(top * scale, bottom * scale)


def _whole(coefficients: list[fmpq]) -> fmpq:
    """The positive factor that makes them whole and coprime."""
    below = lcm(*(int(x.q) for x in coefficients))
    return type(coefficients[0])(below, gcd(*(int(x.p * below / x.q) for x in coefficients)))


Write = Callable[[Expr], FormulaTree]  # how an argument of a root, a branch, a denominator is written
Choose = Callable[[Counter[Angle]], list[Angle]]
_RING = ("const", "tolerance", "symbol", "add", "sub", "mul", "div", "neg", "sin", "cos")


def context_of(size: int) -> fmpq_mpoly_ctx:
    """A polynomial ring of so many generators; flint keeps one per size."""
    # lexical: division by s² + c² − 1 then removes s² and never c²
    return fmpq_mpoly_ctx.get([f"x{i}" for i in range(size)], "lex")


def rational_from(coefficient: fmpq) -> Fraction:
    return Fraction(int(coefficient.p), int(coefficient.q))


def rational_to(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def polynomial_cone(root: Expr) -> list[Expr]:
    """The nodes that take part in the polynomial, arguments first; atoms are not entered."""
    order: list[Expr] = []
    seen: set[Expr] = set()
    stack = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(arg, False) for arg in reversed(_polynomial_args(node))]
    return order


def _polynomial_args(node: Expr) -> tuple[Expr, ...]:
    return node.args if node.op in ("add", "sub", "mul", "div", "neg") else ()


def angle_of(x: Expr, write: Write) -> tuple[Angle, int]:
    """The argument of a sine as an angle, and the sign taken out."""
    parts: Counter[FormulaTree] = Counter()
    for term, times in angle_terms(x):
        leaf = Degrees(term.data) if term.op == "angle" else write(term)
        parts[leaf] += times
    return angle_from(dict(parts))


class Expansion:
    """One root as a polynomial. `atoms[i]` is what generator i stands for: s, c of each coordinate, then the rest.

    `choose` picks the coordinates from the angles in use: independent ones for a canonical result, or all of them.
    """

    def __init__(
        self, root: Expr, write: Write, limit: int, choose: Choose = coordinates_for, work: Work | None = None
    ) -> None:
        self.root, self.write, self.limit, self.work = root, write, limit, work or Work()
        self.cone = polynomial_cone(root)
        self.angles = {x: angle_of(x.args[0], write) for x in self.cone if x.op in ("sin", "cos")}
        self.coordinates = choose(self._uses())
        trig = [Trig(op, angle) for angle in self.coordinates for op in ("sin", "cos")]
        self.atoms: list[FormulaTree] = [*trig, *dict.fromkeys(self._others())]
        self.index = {atom: i for i, atom in enumerate(self.atoms)}
        self.ring = context_of(len(self.atoms))
        self.circles = [self._circle(k) for k in range(len(self.coordinates))]

    def _uses(self) -> Counter[Angle]:
        reads = Counter(arg for node in self.cone for arg in _polynomial_args(node))
        uses: Counter[Angle] = Counter()
        for node, (angle, _) in self.angles.items():
            uses[angle] += reads[node]
        return uses

    def _others(self) -> Iterable[FormulaTree]:
        for node in self.cone:
            if node.op not in _RING or node.op == "symbol":
                yield self.atom_of(node)

    def atom_of(self, node: Expr) -> FormulaTree:
        if node.op == "symbol":
            return Symbol(str(node.data), node.online)
        if node.op == "angle":
            return Degrees(node.data)
        return FormulaCall(node.op, tuple(map(self.write, node.args)))

    def _circle(self, k: int) -> Poly:
        s, c = self.ring.gen(2 * k), self.ring.gen(2 * k + 1)
        return s * s + c * c - 1

    # node by node

    def quotient(self) -> Quotient:
        """The root as polynomial over polynomial; `SizeError` as soon as one on the way passes the limit."""
        # intermediate polynomials are dropped after their last use: all of them would not fit into memory
        left = Counter(arg for node in self.cone for arg in _polynomial_args(node))
        done: dict[Expr, Quotient] = {}
        for node in self.cone:
            done[node] = made = self._expand_node(node, [done[arg] for arg in _polynomial_args(node)])
            if made.bottom is not None:  # common factors were searched
                self.work.take(min(len(made.top) + len(made.bottom), CHEAP) ** 2)
            for arg in _polynomial_args(node):
                left[arg] -= 1
                if not left[arg]:
                    del done[arg]
        return done[self.root]

    def _expand_node(self, node: Expr, args: list[Quotient]) -> Quotient:
        match node.op:
            case "add":
                return sum_of(args[0], args[1], self._product)
            case "sub":
                return sum_of(args[0], negative(args[1]), self._product)
            case "neg":
                return negative(args[0])
            case "mul":
                return product_of(args[0], args[1], self._product)
            case "div":
                return product_of(args[0], invert(args[1], self.ring.constant(1)), self._product)
            case "const" | "tolerance":
                return Quotient(self.ring.constant(rational_to(node.data)))
            case "sin" | "cos":
                return Quotient(self._trig_polynomial(node))
        return Quotient(self._generator(self.atom_of(node)))

    def _generator(self, atom: FormulaTree) -> Poly:
        return self.ring.gen(self.index[atom])

    def _product(self, a: Poly, b: Poly) -> Poly:
        # before multiplying: the product itself is what takes long
        if len(a) * len(b) > 50 * self.limit:
            raise SizeError(
                "a product of {rounded} by {rounded2} terms is on the way to it",
                rounded_text(len(a)),
                rounded_text(len(b)),
            )
        self.work.take(len(a) * len(b))
        # s² can only arise where both factors have s: other circles need no division
        product = self.reduce_circles(a * b, self._both_turn(a, b))
        if len(product) > self.limit:
            raise SizeError("a sum of {rounded} terms is on the way to it", rounded_text(len(product)))
        return product

    def _both_turn(self, a: Poly, b: Poly) -> list[int]:
        """Coordinates whose sine stands in both."""
        ours, theirs = a.degrees(), b.degrees()
        return [k for k in range(len(self.coordinates)) if ours[2 * k] and theirs[2 * k]]

    def reduce_circles(self, p: Poly, coordinates: Iterable[int]) -> Poly:
        for k in coordinates:
            p = divmod(p, self.circles[k])[1]
        return p

    def _trig_polynomial(self, node: Expr) -> Poly:
        """sin or cos of a whole combination of coordinates."""
        angle, sign = self.angles[node]
        if angle in self.coordinates:
            return self._generator(Trig(node.op, angle)) * (sign if node.op == "sin" else 1)
        combination = express_in_basis(angle, self.coordinates)
        assert combination is not None
        cos, sin = self.ring.constant(1), self.ring.constant(0)
        for k, times in enumerate(combination):
            s, c = self.ring.gen(2 * k), self.ring.gen(2 * k + 1)
            s = s if times > 0 else -s
            # cos(n·x) by n sums of angles: n is 2 or 3 in practice
            for _ in range(abs(int(times))):
                cos, sin = self.reduce_circles(cos * c - sin * s, [k]), self.reduce_circles(sin * c + cos * s, [k])
        return cos if node.op == "cos" else sign * sin


def terms_from_polynomial(p: Poly) -> Terms:
    return {
        tuple((i, int(e)) for i, e in enumerate(monomial) if e): rational_from(coefficient)
        for monomial, coefficient in p.to_dict().items()
    }
