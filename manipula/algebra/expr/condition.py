"""Conditions: where a function holds, and keeps its digits.

A rewrite may divide by what parameters alone decide. Where such a divisor vanishes the function has no value, and where
it is small beside the arm the digits of a difference are lost that cancels later. So every factor f of every such
divisor is bounded from below, |f| > ε·scale(f), with ε = 1e-6 in double and 1e-2 in single precision:

| factor                                     | scale                                                   |
|--------------------------------------------|---------------------------------------------------------|
| made of lengths and angles, such as a2     | the same with the arm's size for each length, 1 for sin |
| a sum of other things, such as Izz6 + m6·r²| the sum of its terms' magnitudes: it may not cancel     |
| one other parameter, such as m2            | 0: it may not vanish                                    |

To the scale is added what no arm is as small as, so that neither the divisor's reciprocal nor its square leaves the
range of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from manipula.algebra.expr.maths import free_symbols, topological
from manipula.algebra.expr.node import Expr
from manipula.scalar import Tolerance

NEAR = Tolerance("1e-6", "1e-2")  # ε
SPECK = Tolerance("1e-60", "1e-6")  # m: shorter than any arm; its fourth power times ε⁴ is still a number
NOTHING = Tolerance("1e-280", "1e-28")  # the same for what is not a length
SIZE = "size"  # the sum of the arm's lengths, in words and in emitted code
_LONG = 60  # characters of a side in words
_SIGNS = {"add": " + ", "sub": " - ", "mul": "·", "div": "/"}
_LOOSE = ("add", "sub")
_TRIG = ("sin", "cos")


@dataclass(frozen=True)
class ConditionWords:
    """A condition as a person says it: `|side| > ε·scale`, or `side ≠ 0` where there is no scale."""

    side: str
    scale: str = ""

    def __str__(self) -> str:
        return self.within(NEAR)

    def within(self, epsilon: Fraction) -> str:
        if not self.scale:
            return f"{self.side} ≠ 0"
        near = f"{float(epsilon):.0e}".replace("e-0", "e-")
        return f"|{self.side}| > {near}" + ("" if self.scale == "1" else f"·{self.scale}")


@dataclass(frozen=True)
class Condition:
    """|divisor| > bound, both of parameters alone."""

    divisor: Expr
    bound: Expr
    words: ConditionWords

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that decide whether the divisor is large enough."""
        return tuple(str(x.data) for x in free_symbols([self.divisor]))

    def as_dict(self) -> dict[str, object]:
        return {
            "condition": str(self),
            "divisor": self.words.side,
            "scale": self.words.scale,
            "names": list(self.names),
        }

    def __str__(self) -> str:
        return str(self.words)

    def __repr__(self) -> str:
        return f"Condition({self.words})"


class Lengths:
    """The lengths of an arm, and the scales of factors beside them; `word` is what the sum of the lengths is called."""

    def __init__(self, levers: Sequence[Expr] = (), word: str = SIZE) -> None:
        self.word, self.scalars = word, set(_scalars(levers))
        self.size = _total(levers, lambda x: x.graph.apply("abs", x))

    def condition(self, x: Expr) -> Condition:
        """For a factor of a divisor."""
        graph, is_length = x.graph, self.scalars.issuperset(_scalars([x]))
        scale = self._scale(x, is_length)
        words = ConditionWords(
            _expression_text(x), "" if scale is None else _said_large(x, self.word if is_length else "")
        )
        # keeps the bound above zero where a scale vanishes with the divisor itself
        speck = graph.tolerance(SPECK if is_length else NOTHING)
        return Condition(x, graph.tolerance(NEAR) * ((scale or graph.zero) + speck), words)

    def _scale(self, x: Expr, is_length: bool) -> Expr | None:
        if is_length:
            return _total([x], lambda symbol: self.size or x.graph.zero)
        return _total([x], lambda symbol: x.graph.apply("abs", symbol)) if x.op in _LOOSE else None


def lengths_read(roots: Sequence[Expr], levers: Iterable[Expr]) -> Lengths:
    """The arm as far as a function sees it: the levers whose parameters it reads."""
    read, word = set(topological(roots)), SIZE
    taken = {x.data for x in read if x.op == "symbol"}
    # a parameter may be called size
    while word in taken:
        word = f"arm_{word}"
    # a lever of other parameters would ask a caller for numbers that the function never reads
    return Lengths([x for x in levers if read.issuperset(free_symbols([x]))], word)


def conditions_of(roots: Sequence[Expr], lengths: Lengths | None = None) -> tuple[Condition, ...]:
    """Of every divisor below the roots that depends on parameters alone."""
    divisors = dict.fromkeys(x.args[1] for x in topological(roots) if x.op == "div" and not x.args[1].online)
    # by factor, not by product: a small factor must not hide behind a large one
    factors = dict.fromkeys(factor for divisor in divisors for factor in _factors(divisor))
    beside = lengths or Lengths()
    return tuple(beside.condition(factor) for factor in factors if free_symbols([factor]))


def still_asked(conditions: Iterable[Condition], roots: Sequence[Expr]) -> tuple[Condition, ...]:
    """Those whose divisor the roots still divide by."""
    divisors = {x.divisor for x in conditions_of(roots)}
    return tuple(x for x in conditions if x.divisor in divisors)


def _factors(x: Expr) -> Iterator[Expr]:
    """What must not vanish for a product or quotient not to vanish."""
    stack = [x]
    while stack:
        node = stack.pop()
        if node.op in ("mul", "div", "neg"):
            stack += node.args[::-1]
        elif node.op not in ("const", "select"):  # a choice is the model's own guard
            yield node


def _scalars(roots: Iterable[Expr]) -> Iterator[Expr]:
    """The symbols below the roots that are not angles."""
    seen: set[Expr] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        # an angle decides no size: sines and cosines count as 1, whatever is inside
        if node not in seen and node.op not in _TRIG:
            seen.add(node)
            stack += node.args
            if node.op == "symbol":
                yield node


def _total(terms: Collection[Expr], symbol: Callable[[Expr], Expr]) -> Expr | None:
    """The sum of the terms as large as it can be: no sign cancels, sines and cosines are 1, symbols what is said."""
    largest: dict[Expr, Expr] = {}
    for node in topological(terms):
        largest[node] = _most(node, [largest[arg] for arg in node.args], symbol)
    total: Expr | None = None
    for term in terms:
        total = largest[term] if total is None else total + largest[term]
    return total


def _most(node: Expr, args: Sequence[Expr], symbol: Callable[[Expr], Expr]) -> Expr:
    match node.op:
        case "symbol":
            return symbol(node)
        case "neg":
            return args[0]
        case "sin" | "cos":
            return node.graph.one
        case "add" | "sub":
            return args[0] + args[1]
        case "mul":
            return args[0] * args[1]
        case "div":
            # the bottom stays as it is: it has a condition of its own
            return args[0] / node.graph.apply("abs", node.args[1])
        case "sqrt":
            return node.graph.apply("sqrt", args[0])
        case "const" | "angle":
            return node
    return node.graph.apply("abs", node)


def _expression_text(x: Expr) -> str:
    """An expression in words."""
    return _shorten(_infix(x, lambda node: str(node.data), _SIGNS, _LONG))


def _said_large(x: Expr, size: str) -> str:
    """Its scale in words, in the same order: no sign cancels, a length is the arm's size where that has a name."""

    def leaf(node: Expr) -> str:
        if node.op in _TRIG:
            return "1"
        return str(node.data) if node.op == "const" else size or f"|{node.data}|"

    said = _shorten(_infix(x, leaf, {**_SIGNS, "sub": " + "}, _LONG))
    return f"({said})" if x.op in _LOOSE else said


def _shorten(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def _infix(x: Expr, leaf: Callable[[Expr], str], signs: Mapping[str, str], room: int) -> str:
    """Sums and products, as far as there is room for them."""
    positive = signs is not _SIGNS
    if not x.args or (positive and x.op in _TRIG):
        return leaf(x)
    if room <= 0:
        return "…"
    parts: list[str] = []
    for i, arg in enumerate(x.args):
        part = _infix(arg, leaf, signs, room - sum(map(len, parts)) - 1)
        tight = x.op in ("mul", "div", "neg") or (x.op == "sub" and i == 1)
        loose = arg.op in _LOOSE or (arg.op == "neg" and not positive)
        # a/(b·c): without its brackets c would be a factor of the top
        below = x.op == "div" and i == 1 and arg.op in ("mul", "div")
        parts.append(f"({part})" if (tight and loose) or below else part)
    if x.op in signs:
        return signs[x.op].join(parts)
    if x.op == "neg":
        return parts[0] if positive else f"-{parts[0]}"
    return f"{x.op}({', '.join(parts)})"
