"""Expressions: interned nodes of one `Graph`, and the constructors that fold.

A node is known by its value in the prime field (see `field`), drawn once and for all: two nodes of equal value *are*
one node, and a node and its negative are one node and a sign. This single law replaces the usual list of folding rules
(x·0, x+0, x−x, s²+c² = 1, c1·c2−s1·s2 = c12, sign twins, hidden zeros): the value finds them all. What the table
decided is proved afterwards with fresh draws (`optimise.prove`).

A graph belongs to the functions made from it and dies with them; nothing is global.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from threading import Lock
from typing import Any

from manipula.algebra.expr.field import EAST, Draw, P, Point, rational
from manipula.errors import InputError
from manipula.scalar import ARITHMETIC, OPS, Tolerance

TABLE_SEED = "manipula value table 1"
TABLE = Draw(TABLE_SEED)
LEAVES = ("const", "angle", "tolerance", "symbol")
Key = tuple[int, str, int]


class Expr:
    """One node. `data` is the number of a constant or angle, the name of a symbol."""

    __slots__ = ("__weakref__", "args", "data", "graph", "key", "negative", "online", "op", "value")

    def __init__(self, graph: Graph, op: str, args: tuple[Expr, ...], value: int, data: Any, online: bool) -> None:
        self.graph, self.op, self.args, self.value, self.data, self.online = graph, op, args, value, data, online
        self.negative: Expr | None = None
        self.key: Key = _order_key(self)

    def __add__(self, other: Operand) -> Expr:
        # a structural zero, as most partners are
        return self if other.__class__ is int and not other else self.graph.add(self, self.graph.expr(other))

    def __radd__(self, other: Operand) -> Expr:
        return self if other.__class__ is int and not other else self.graph.add(self.graph.expr(other), self)

    def __sub__(self, other: Operand) -> Expr:
        return self if other.__class__ is int and not other else self.graph.sub(self, self.graph.expr(other))

    def __rsub__(self, other: Operand) -> Expr:
        return self.graph.sub(self.graph.expr(other), self)

    def __mul__(self, other: Operand) -> Expr:
        if other.__class__ is int and 0 <= other <= 1:
            return self if other else self.graph.zero
        return self.graph.mul(self, self.graph.expr(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Expr:
        return self.graph.div(self, self.graph.expr(other))

    def __rtruediv__(self, other: Operand) -> Expr:
        return self.graph.div(self.graph.expr(other), self)

    def __neg__(self) -> Expr:
        return self.graph.neg(self)

    def __pow__(self, power: int) -> Expr:
        product = prod([self] * abs(power), start=self.graph.one)
        return product if power >= 0 else 1 / product

    def __repr__(self) -> str:
        return _node_text(self, depth=8)


def _node_text(node: Expr, depth: int) -> str:
    """For the debugger's eye; deeper parts are cut off."""
    if node.op in ("const", "symbol", "tolerance"):
        return str(node.data)
    if node.op == "angle":
        return f"{node.data}°"
    return f"{node.op}({', '.join(_node_text(arg, depth - 1) for arg in node.args) if depth else '…'})"


def _order_key(node: Expr) -> Key:
    """A fixed order for commutative arguments: constants, parameters, variables, then the rest by value."""
    if node.op in ("const", "tolerance"):
        return (0, "", node.value)
    rank = 1 if not node.online else 3
    return (rank, str(node.data), 0) if node.op == "symbol" else (rank + 1, "", node.value)


class Graph:
    """The intern table, keyed by value, and the constructors."""

    def __init__(self) -> None:
        self.table: dict[int, Expr] = {}
        self.tolerances: dict[tuple[Fraction, Fraction], Expr] = {}
        self.numbers: dict[int | Fraction, Expr] = {}  # met before: small whole numbers come by the thousand
        self.lock = Lock()
        self.points: dict[int, Point] = {}  # of angle leaves, by value
        self.walked: tuple[tuple[Expr, ...], tuple[Expr, ...]] = (), ()  # roots, and all below them in order
        self.zero, self.one = self.const(0), self.const(1)
        for known in (2, Fraction(1, 2), 3, 4):
            self.const(known)

    # leaves

    def expr(self, x: Any) -> Expr:
        """Anything a scalar may meet: an Expr of this graph, an int, a Fraction, or a float taken as its decimal."""
        if isinstance(x, Expr):
            return x
        return self.const(Fraction(repr(x)) if isinstance(x, float) else x)

    def const(self, number: int | Fraction) -> Expr:
        known = self.numbers.get(number)
        if known is None:
            known = self.numbers[number] = self._number(Fraction(number))
        return known

    def _number(self, exact: Fraction) -> Expr:
        if exact < 0:
            return self.neg(self.const(-exact))
        if exact.denominator % P == 0:
            raise InputError("the number {exact} cannot be kept exactly", exact)
        value = rational(exact)
        with self.lock:
            known = self.table.get(value) or self.table.get(P - value)
            if known is None or known.op != "const":  # a number stands before an expression that happens to equal it
                known = self.table[value] = Expr(self, "const", (), value, exact, online=False)
        if known.data != exact:
            raise InputError(
                "the numbers {exact} and {data} are equal in the field of 2^61 - 1 elements", exact, known.data
            )
        return known

    def symbol(self, name: str, *, online: bool = False) -> Expr:
        """A named input; `online` is a variable (q, q̇ …), else a parameter."""
        value = TABLE.hash_to_field("symbol", name)
        self.points[value] = TABLE.hashed_point("symbol", name)
        return self.intern("symbol", (), value, name, online)

    def degrees(self, angle: Fraction) -> Expr:
        """A numeric angle, kept apart from the rationals so that its quarter turns stay exact."""
        if angle <= 0:
            return self.neg(self.degrees(-angle)) if angle else self.zero
        value = TABLE.hash_to_field("degrees", angle)
        self.points[value] = TABLE.degrees_point(angle)
        return self.intern("angle", (), value, angle, online=False)

    def tolerance(self, number: Tolerance) -> Expr:
        """A small number that depends on the precision: in double its own value, but not the constant of that value."""
        if number < 0:
            return self.neg(self.tolerance(Tolerance(-number, -number.single)))
        key = (Fraction(number), number.single)
        return self.tolerances.setdefault(key, Expr(self, "tolerance", (), rational(number), number, online=False))

    # the law: equal values are one node

    def intern(
        self, op: str, args: tuple[Expr, ...], value: int, data: object = None, online: bool | None = None
    ) -> Expr:
        node = self.table.get(value)
        if node is not None:
            return node
        live = any(arg.online for arg in args) if online is None else online
        with self.lock:  # two threads may ask for x and −x at once
            opposite = self.table.get(P - value)
            if opposite is None:
                return self.table.setdefault(value, Expr(self, op, args, value, data, live))
        return self.neg(opposite)

    def neg(self, x: Expr) -> Expr:
        if x.op == "neg":
            return x.args[0]
        if x.value == 0:
            return x
        if x.negative is None:
            with self.lock:
                if x.negative is None:
                    x.negative = Expr(self, "neg", (x,), P - x.value, None, x.online)
        return x.negative

    # arithmetic; zeros and ones are by far the most common partners, and need no look at the table

    def add(self, x: Expr, y: Expr) -> Expr:
        if x.value == 0 or y.value == 0:
            return y if x.value == 0 else x
        if x.op == "neg":
            return self.neg(self.add(x.args[0], y.args[0])) if y.op == "neg" else self.sub(y, x.args[0])
        if y.op == "neg":
            return self.sub(x, y.args[0])
        if x.op == "const" and y.op == "const":
            return self.const(x.data + y.data)
        return self.intern("add", _sort_pair(x, y), (x.value + y.value) % P)

    def sub(self, x: Expr, y: Expr) -> Expr:
        if x.value == 0 or y.value == 0:
            return self.neg(y) if x.value == 0 else x
        if y.op == "neg":
            return self.add(x, y.args[0])
        if x.op == "neg":
            return self.neg(self.add(x.args[0], y))
        if x.op == "const" and y.op == "const":
            return self.const(x.data - y.data)
        return self.intern("sub", (x, y), (x.value - y.value) % P)

    def mul(self, x: Expr, y: Expr) -> Expr:
        if x.value < 2 or y.value < 2:
            return x if x.value == 0 or y.value == 1 else y
        if x.op == "neg":
            return self.neg(self.mul(x.args[0], y))
        if y.op == "neg":
            return self.neg(self.mul(x, y.args[0]))
        x, y = _sort_pair(x, y)
        if x.op == "const" and y.op == "const":
            return self.const(x.data * y.data)
        if x.op == "const" and y.op == "mul" and y.args[0].op == "const":
            return self.mul(self.const(x.data * y.args[0].data), y.args[1])
        return self.intern("mul", (x, y), x.value * y.value % P)

    def div(self, x: Expr, y: Expr) -> Expr:
        if y.value == 0:
            raise ZeroDivisionError("division by an expression that is identically zero")
        if y.op == "neg":
            return self.neg(self.div(x, y.args[0]))
        if x.op == "neg":
            return self.neg(self.div(x.args[0], y))
        if y.op == "const":
            return self.mul(self.const(1 / y.data), x)
        return self.intern("div", (x, y), x.value * pow(y.value, -1, P) % P)

    # functions

    def apply(self, name: str, *args: Expr) -> Expr:
        """Any operation of the table by its name."""
        if name in ARITHMETIC:
            return getattr(self, name)(*args)  # type: ignore[no-any-return]
        if name in ("sin", "cos"):
            return _circle_function(name, args[0])
        return self._opaque(name, args)

    def _opaque(self, name: str, args: tuple[Expr, ...]) -> Expr:
        op = OPS[name]
        if op.parity and args[0].op == "neg":
            inner = self._opaque(name, (args[0].args[0],))
            return inner if op.parity > 0 else self.neg(inner)
        if op.commutative:
            args = _sort_pair(*args)
        value = TABLE.opaque_value(name, [x.value for x in args])
        node = self.intern(name, args, value)
        if name == "atan2" and not node.online:  # a variable one may stand at (0, 0), where it has no direction
            self.points[value] = TABLE.polar_point(args[0].value, args[1].value)
        return node


# angles: sums of whole multiples of leaves, each of which has a point on the circle of the field


def _circle_function(name: str, x: Expr) -> Expr:
    """The sine or cosine of an angle."""
    x, quarters = _without_quarters(x)
    name, negative = _QUARTER_TURNS[name][quarters % 4]
    if x.op == "neg":  # cos is even, sin is odd
        x, negative = x.args[0], negative != (name == "sin")
    node = x.graph.intern(name, (x,), _circle_point(x)[name == "sin"])
    return x.graph.neg(node) if negative else node


def angle_terms(x: Expr) -> list[tuple[Expr, int]]:
    """An angle as whole multiples of leaves (symbols, numeric angles, anything that is not a sum)."""
    terms: list[tuple[Expr, int]] = []
    stack = [(x, 1)]
    while stack:
        node, times = stack.pop()
        match node.op:
            case "neg":
                stack.append((node.args[0], -times))
            case "add":
                stack += [(node.args[1], times), (node.args[0], times)]
            case "sub":
                stack += [(node.args[1], -times), (node.args[0], times)]
            case "mul" if node.args[0].op == "const" and node.args[0].data.denominator == 1:
                stack.append((node.args[1], times * int(node.args[0].data)))
            case _:
                terms.append((node, times))
    return terms


def _circle_point(x: Expr) -> Point:
    """Of an angle: sums of symbols, numeric angles and whole multiples of them compose."""
    total = EAST
    for term, times in angle_terms(x):
        known = x.graph.points.get(term.value)
        point = known if known is not None else TABLE.opaque_point(term.value)
        total = TABLE.compose(total, TABLE.multiple(point, times))
    return total


def _without_quarters(x: Expr) -> tuple[Expr, int]:
    """x = rest + quarters·90°, every numeric angle of the rest within ±45°."""
    terms = angle_terms(x)
    if all(term.op != "angle" for term, _ in terms):
        return x, 0
    rest, quarters = x.graph.zero, 0
    for term, times in terms:
        if term.op == "angle":
            turns = round(term.data / 90)
            quarters += times * turns
            term = x.graph.degrees(term.data - 90 * turns)
        rest = rest + times * term
    return rest, quarters


# f(x + k·90°) = ±g(x), as (g, is the sign negative) for k = 0, 1, 2, 3
_QUARTER_TURNS = {
    "cos": (("cos", False), ("sin", True), ("cos", True), ("sin", False)),
    "sin": (("sin", False), ("cos", False), ("sin", True), ("cos", True)),
}


def _sort_pair(x: Expr, y: Expr) -> tuple[Expr, Expr]:
    return (x, y) if x.key <= y.key else (y, x)


Operand = Expr | Fraction | int | float


def state_of(graph: Graph) -> tuple[dict[Any, Any], ...]:
    """All that decides what a formula becomes in a graph, to come back to."""
    # copies of the tables, not of the nodes: going back is cheap, and nodes never change
    return graph.table.copy(), graph.tolerances.copy(), graph.numbers.copy(), graph.points.copy()


def restore(graph: Graph, state: tuple[dict[Any, Any], ...]) -> None:
    """As it was then: what was made since is of this graph no more, and nothing may be built on it."""
    graph.table, graph.tolerances, graph.numbers, graph.points = (part.copy() for part in state)
