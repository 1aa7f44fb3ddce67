"""What is written down while the closed form runs: steps, and names for quantities that deserve one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.walk import free_symbols
from manipula.mechanics.models.inverse.solutions.notes import Note

SIGN = "±"  # the symbol of a free choice of sign


@dataclass(frozen=True)
class Definition:
    """symbol = value; `letter` and `index` are how it wants to be called."""

    symbol: Expr
    letter: str
    index: str
    value: Expr


class Notebook:
    """A graph with a log. A value that is a symbol, a number, a sine or a cosine needs no name."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.maths = ExprMaths(self.graph)
        self.sign = self.graph.symbol(SIGN, online=True)
        self.log: list[Definition | Note] = []
        self.names: dict[Expr, Expr] = {}

    def note(self, step: Note) -> None:
        self.log.append(step)

    def name(self, letter: str, index: str, value: Any) -> Any:
        """The value under a name; a value that has one already keeps it."""
        x = self.graph.expr(value)
        if is_simple(x):
            return value
        if -x in self.names:
            return -self.names[-x]
        if x not in self.names:
            symbol = self.graph.symbol(f"{letter}{index}~{len(self.names)}", online=x.online)
            self.names[x] = symbol
            self.log.append(Definition(symbol, letter, index, x))
        return self.names[x]


def unsigned(x: Expr) -> Expr:
    return x.args[0] if x.op == "neg" else x


def is_simple(x: Expr) -> bool:
    return unsigned(x).op in ("symbol", "const", "angle", "tolerance", "sin", "cos")


def is_zero(x: Any) -> bool:
    return x.value == 0 if isinstance(x, Expr) else x == 0


def used(definitions: Iterable[Definition], roots: Iterable[Expr]) -> set[Expr]:
    """The symbols that the roots need, through definitions."""
    meaning = {definition.symbol: definition.value for definition in definitions}
    needed: set[Expr] = set()
    stack = free_symbols(roots)
    while stack:
        symbol = stack.pop()
        if symbol not in needed:
            needed.add(symbol)
            stack += free_symbols([meaning[symbol]]) if symbol in meaning else []
    return needed


_INSTEAD = {"p": "o", "m": "n", "r": "b", "f": "g", "e": "h"}  # a letter's second choice


def final_names(definitions: Iterable[Definition], taken: Iterable[str]) -> dict[Expr, tuple[str, str]]:
    """(letter, index) for every symbol, none twice: px py pz, m13 …, and counted where there is no index: gamma1 …"""
    busy, count = set(taken), Counter[str]()
    found: dict[Expr, tuple[str, str]] = {}
    for definition in definitions:
        letter, index = definition.letter, definition.index
        if not index:
            count[letter] += 1
            index = str(count[letter])
        while letter + index in busy:
            letter, index = (_INSTEAD.get(letter, letter + "'"), index) if definition.index else (letter, index + "'")
        busy.add(letter + index)
        found[definition.symbol] = letter, index
    return found
