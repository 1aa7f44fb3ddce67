"""From the notes of a recording to steps: equations, formulas of the roots, where they exist and what degenerates.

The formulas are those of `mechanics.models.inverse.subproblems`, written as a person would: with S² = A² + B² − C²,

    A cos q + B sin q = C      cos q = (A C ∓ B S)/(A² + B²)      sin q = (B C ± A S)/(A² + B²)

and what is zero or one left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import Any

from manipula.algebra.expr.maths import ExprMaths, free_symbols
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.show.notation import SIGN
from manipula.ik.derivation.sentences import Words
from manipula.mechanics.models.inverse import recording
from manipula.mechanics.models.inverse.subproblems import Turn
from manipula.scalar import Scalar

# What is written down while the closed form runs: steps, and names for quantities that deserve one.


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
        self.log: list[Definition | recording.Note] = []
        self.names: dict[Expr, Expr] = {}

    def note(self, step: recording.Note) -> None:
        self.log.append(step)

    def name(self, letter: str, index: str, value: object) -> Any:
        """The value under a name; a value that has one already keeps it."""
        x = self.graph.expr(value)
        if is_simple(x):
            return value
        # a value and its negative share one name, as they share one node
        if -x in self.names:
            return -self.names[-x]
        if x not in self.names:
            # ~ is in no name of a robot; the final name is given when all are known
            symbol = self.graph.symbol(f"{letter}{index}~{len(self.names)}", online=x.online)
            self.names[x] = symbol
            self.log.append(Definition(symbol, letter, index, x))
        return self.names[x]


def strip_sign(x: Expr) -> Expr:
    return x.args[0] if x.op == "neg" else x


def is_simple(x: Expr) -> bool:
    return strip_sign(x).op in ("symbol", "const", "angle", "tolerance", "sin", "cos")


def is_zero(x: object) -> bool:
    return x.value == 0 if isinstance(x, Expr) else x == 0


def needed_symbols(definitions: Iterable[Definition], roots: Iterable[Expr]) -> set[Expr]:
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


_INSTEAD = {"p": "k", "m": "l", "r": "b", "f": "g", "e": "h"}  # a letter's second choice; n, o and a are the tool's


def final_names(definitions: Iterable[Definition], taken: Iterable[str]) -> dict[Expr, tuple[str, str]]:
    """(letter, index) for every symbol, none twice: px py pz, m13 …, and counted where there is no index: gamma1 …"""
    busy, count = set(taken), Counter[str]()
    names: dict[Expr, tuple[str, str]] = {}
    for definition in definitions:
        letter, index = definition.letter, definition.index
        if not index:
            count[letter] += 1
            index = str(count[letter])
        while letter + index in busy:
            letter, index = (_INSTEAD.get(letter, letter + "'"), index) if definition.index else (letter, index + "'")
        busy.add(letter + index)
        names[definition.symbol] = letter, index
    return names


@dataclass(frozen=True)
class Phrase:
    """Words with places {0} {1} … for formulas."""

    words: str
    parts: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class DraftLine:
    left: Expr
    right: Expr
    kind: str  # definition, equation, solution


Block = Phrase | tuple[DraftLine, ...]  # lines that stand together


@dataclass
class Draft:
    """One step. `finds` is the coordinate it solves for, `role` the name of its choice of sign."""

    title: Phrase
    finds: Expr | None = None
    role: str = ""
    blocks: list[Block] = field(default_factory=list)
    roots: Phrase | None = None
    singular: Phrase | None = None


class Drafter:
    """Reads the log of a notebook, writes drafts."""

    def __init__(self, notebook: Notebook, words: Words, roles: tuple[str, ...], position: bool = False) -> None:
        self.notebook, self.words, self.maths = notebook, words, notebook.maths
        self.roles, self.position = iter(roles), position
        self.drafts: list[Draft] = []
        self.blocks: list[Block] = []

    def run(self) -> list[Draft]:
        for entry in list(self.notebook.log):
            steps = len(self.drafts)
            self.read(entry)
            if len(self.drafts) > steps:
                self.blocks = []
        return self.drafts

    @singledispatchmethod
    def read(self, entry: object) -> None:
        raise TypeError(entry)

    # what goes before a step

    @read.register
    def _(self, entry: Definition) -> None:
        """Stands where it is first used."""

    @read.register
    def _(self, entry: recording.Balance) -> None:
        self.equations(*entry.sides)

    @read.register
    def _(self, entry: recording.NamedMatrix) -> None:
        self.blocks.append(Phrase(self.words.frame(entry), (self.expr(entry.side or 0),)))

    # one step each

    @read.register
    def _(self, entry: recording.CosineSineEquation) -> None:
        draft = self.begin_step(entry.x, self.words.linear(entry), next(self.roles))
        if is_zero(entry.C):
            self._homogeneous(entry, draft)
        elif is_zero(entry.A) or is_zero(entry.B):
            self._one_sided(entry, draft)
        else:
            self._two_sided(entry, draft)

    def _homogeneous(self, entry: recording.CosineSineEquation, draft: Draft) -> None:
        """A cos q + B sin q = 0"""
        cos, sin, sign = self._letters(entry.x)
        A, B = self.name("kappa", entry.A), self.name("kappa", entry.B)
        self.equations((A * cos + B * sin, 0))
        self.solutions((self.q(entry.x), self.maths.atan2(sign * A, -sign * B)))
        draft.roots = Phrase("two, always")
        draft.singular = self._free((A, B), entry.x)

    def _one_sided(self, entry: recording.CosineSineEquation, draft: Draft) -> None:
        """A cos q = C or B sin q = C"""
        cos, sin, sign = self._letters(entry.x)
        sine = is_zero(entry.A)
        C, K = self.name("kappa", entry.C), self.name("kappa", entry.B if sine else entry.A)
        # where the root always exists its radicand is a sum of squares: written so, nobody has to ask
        S = self.maths.sqrt(entry.rest if entry.sure else K * K - C * C)
        if not _is_one(K):
            self.equations((C, K * (sin if sine else cos)))
        first, second = (C / K, -sign * S / K) if sine else (C / K, sign * S / K)
        self.solutions(*([(sin, first), (cos, second)] if sine else [(cos, first), (sin, second)]))
        self.angle(entry.x)
        draft.roots = Phrase("two, always") if entry.sure else self._reach(C * C, K * K, draft)
        draft.singular = self._free((K,), entry.x)

    def _two_sided(self, entry: recording.CosineSineEquation, draft: Draft) -> None:
        cos, sin, sign = self._letters(entry.x)
        C, A, B = (self.name("kappa", value) for value in (entry.C, entry.A, entry.B))
        S = self.name("sigma", self.maths.sqrt(A * A + B * B - C * C))
        self.equations((A * cos + B * sin, C))
        self.solutions((self.q(entry.x), self.maths.atan2(B * C + sign * A * S, A * C - sign * B * S)))
        draft.roots = self._reach(C * C, A * A + B * B, draft)
        draft.singular = self._free((A, B), entry.x)

    @read.register
    def _(self, entry: recording.Turned) -> None:
        draft = self.begin_step(entry.x, self.words.turn_sentence(entry))
        cos, sin, _ = self._letters(entry.x)
        px, py = (self.name("mu", value) for value in entry.p)
        mx, my = (self.name("gamma", value) for value in entry.m)
        if is_zero(py):
            self.solutions((cos, mx / px), (sin, my / px))
        elif is_zero(px):
            self.solutions((cos, my / py), (sin, -mx / py))
        elif self.position:
            self.equations((px * cos - py * sin, mx), (py * cos + px * sin, my))
            # the direction of the point, less that of the arm as it is bent
            self.solutions((self.q(entry.x), self.maths.atan2(my, mx) - self.maths.atan2(py, px)))
            draft.singular = self._free((mx, my), entry.x)
            return
        else:
            self.equations((px * cos - py * sin, mx), (py * cos + px * sin, my))
            square = px * px + py * py
            self.solutions((sin, (px * my - py * mx) / square), (cos, (px * mx + py * my) / square))
        self.angle(entry.x)
        draft.singular = self._free((mx, my), entry.x) if not entry.matrix else None

    @read.register
    def _(self, entry: recording.Known) -> None:
        self.begin_step(entry.x, self.words.known_sentence(entry))
        values = [self.expr(value) for value in entry.values]
        if len(values) == 1:
            self.solutions((self.q(entry.x), values[0]))
        elif all(map(is_simple, values)):
            self.solutions((self.q(entry.x), self.maths.atan2(values[1], values[0])))
        else:
            self._cos_sin(entry.x, values[0], values[1])
            self.angle(entry.x)
            self._draft_quotient(entry)

    def _draft_quotient(self, entry: recording.Known) -> None:
        """The same by a division, where the row of the wrist's matrix has one component: Z(x)ᵀ row = (x, y)"""
        zero, (x, y) = [is_zero(part) for part in entry.row], entry.xy
        if zero.count(True) != 1:
            return
        by = self.expr(entry.row[zero.index(False)])
        cos, sin = (x / by, -y / by) if zero[1] else (y / by, x / by)
        self.blocks.append(Phrase("or, where {0} ≠ 0,", (strip_sign(by),)))
        self._cos_sin(entry.x, *recording.own_values(entry.x, Turn(cos, sin)))

    def _cos_sin(self, x: recording.LoopCoordinate, c: object, s: object) -> None:
        cos, sin, _ = self._letters(x)
        self.solutions((cos, c), (sin, s))

    @read.register
    def _(self, entry: recording.Quadratic) -> None:
        """(x·length + h)² = rest, x = sense·q + offset"""
        at, draft = entry.x, self.begin_step(entry.x, self.words.quadratic(entry), next(self.roles))
        h, rest = self.name("kappa", entry.h), self.name("kappa", entry.rest)
        whole = (at.sense * at.q + at.offset) * entry.length + h
        self.equations((whole * whole, rest))
        root = (self.notebook.sign * self.maths.sqrt(rest) - h) / entry.length
        self.solutions((at.q, at.sense * (root - at.offset)))
        draft.roots = self._reach(0, rest, draft)

    @read.register
    def _(self, entry: recording.Remainder) -> None:
        """q = sign·(whole − the others)"""
        self.begin_step(entry.x, self.words.remainder(entry))
        q, last = entry.whole.q, entry.whole.signs[-1]
        others = q - entry.x.q if last > 0 else q + entry.x.q
        self.solutions((entry.x.q, last * (self.q(entry.whole) - others)))

    @read.register
    def _(self, entry: recording.Lock) -> None:
        """Belongs to the step before it."""
        same, first = entry.first.sense * entry.third.sense, self.q(entry.first)
        sums = first + same * entry.third.q, first - same * entry.third.q
        parts = (*(strip_sign(self.expr(x)) for x in entry.off), *sums, first)
        self.drafts[-1].singular = Phrase(self.words.lock(entry), parts)

    # parts

    def begin_step(self, x: recording.LoopCoordinate, title: str, role: str = "") -> Draft:
        """A new step; what was written since the last one belongs to it."""
        draft = Draft(Phrase(title, (self.q(x),)), self.q(x), role, self.blocks)
        self.drafts.append(draft)
        return draft

    def q(self, x: recording.LoopCoordinate) -> Expr:
        """The coordinate; a sum of several has a name of its own."""
        return self.expr(x.q if len(x.axes) == 1 else self.notebook.name("theta", self.words.places(x), x.q))

    def expr(self, value: object) -> Expr:
        return self.notebook.graph.expr(value)

    def name(self, letter: str, value: object) -> Any:
        return self.notebook.name(letter, "", value)

    def equations(self, *sides: tuple[Any, Any]) -> None:
        """Lines that hold; none twice."""
        known = [(line.left, line.right) for block in self.blocks if isinstance(block, tuple) for line in block]
        lines = [(self.expr(left), self.expr(right)) for left, right in sides]
        self.blocks.append(tuple(DraftLine(*line, "equation") for line in lines if line not in known))

    def solutions(self, *sides: tuple[Any, Any]) -> None:
        self.blocks.append(tuple(DraftLine(self.expr(left), self.expr(right), "solution") for left, right in sides))

    def angle(self, x: recording.LoopCoordinate) -> None:
        """q = atan2(sin q, cos q)"""
        cos, sin, _ = self._letters(x)
        self.solutions((self.q(x), self.maths.atan2(sin, cos)))

    def _letters(self, x: recording.LoopCoordinate) -> tuple[Expr, Expr, Any]:
        sign = self.notebook.sign if x.sense == 1 else -self.notebook.sign
        return self.maths.cos(x.q), self.maths.sin(x.q), sign

    def _reach(self, small: object, large: object, draft: Draft) -> Phrase:
        return Phrase(self.words.reach(draft.role), (self.expr(small), self.expr(large)))

    def _free(self, coefficients: tuple[Any, ...], x: recording.LoopCoordinate) -> Phrase | None:
        """Where all coefficients vanish the coordinate is free; one that knows no pose never does."""
        # in a fixed order, so that the sentence is the same in every run
        moving = sorted((strip_sign(self.expr(x)) for x in coefficients if not is_zero(x)), key=lambda x: x.key)
        if not all(value.online for value in moving):
            return None
        return Phrase(self.words.free(x, len(moving)), (*moving, self.q(x)))


def _is_one(K: Scalar) -> bool:
    """±1"""
    return is_zero(K * K - 1)
