"""The steps of a derivation, and how one equation is set: in a terminal, on paper, on a page.

A step has a title, a sentence and equations `left = formula = result`; the formula is that of every arm, the result
that of this one. What a result is compared with travels beside it: `check` computes the same in another way, over any
scalar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from manipula.algebra.show.layout import width
from manipula.algebra.show.notation import Grid, Letter, Notation, Script
from manipula.algebra.show.paper import WIDE, sum_parts
from manipula.algebra.show.printer import Printer
from manipula.algebra.simplify.tree import ZERO, FormulaTree
from manipula.messages import Message

Rows = tuple[tuple[FormulaTree, ...], ...]
Result = FormulaTree | Rows  # one formula, or a matrix
Told = Callable[[str], str]
COLUMNS = 80
AXES = "xyz"
LEFT_OUT = "…"  # a result that is too long to read
TOGETHER = 6  # zeros of a matrix in one line


@dataclass(frozen=True)
class Sentence:
    """A template and the contents of its places: notation, or a text of the user's."""

    template: str
    parts: tuple[Notation | Quoted, ...] = ()

    def values(self, script: Script, told: Told = str) -> list[str]:
        """The contents of its places, set."""
        return [
            _quoted(x.text, script, told) if isinstance(x, Quoted) else script.inline(script.notation(x))
            for x in self.parts
        ]

    def sentence(self, script: Script, told: Told) -> str:
        return script.prose(told(Message(self.template, *self.values(script, told))))


def _quoted(text: str, script: Script, told: Told) -> str:
    """A message stays one where nothing in it has to be set, so that a page can still translate it."""
    said = told(text)
    set_text = script.words(said)
    return said if set_text == said else set_text


@dataclass(frozen=True)
class Quoted:
    """A user's own words in a sentence."""

    text: str


def sentence(template: str, *parts: Any) -> Sentence:
    return Sentence(template, parts)


@dataclass(frozen=True)
class Equation:
    """left = formula = result. `names`: what later results call its entries. `kind`: how the result is compared with
    `check`: "value", "square" (a root of both signs), "angle" (its direction)."""

    left: Notation
    formula: Notation | None = None
    result: Result | None = None
    check: Callable[..., object] | None = field(default=None, compare=False, repr=False)
    names: tuple[str, ...] = ()
    kind: str = "value"
    relation: str = " = "

    @property
    def entries(self) -> tuple[FormulaTree, ...]:
        """The trees of the result, row by row."""
        if self.result is None:
            return ()
        return tuple(x for row in self.result for x in row) if isinstance(self.result, tuple) else (self.result,)


@dataclass(frozen=True)
class LessonStep:
    """Equations behind a sentence, remarks on them, and smaller steps that fold under them."""

    title: Sentence
    says: tuple[Sentence, ...] = ()
    equations: tuple[Equation, ...] = ()
    substeps: tuple[LessonStep, ...] = ()
    folded: bool = False
    remarks: tuple[Sentence, ...] = ()  # behind the equations


# in a terminal


def wrap_columns(text: str, indent: str) -> list[str]:
    """By columns: a dot above a letter takes none."""
    rows, room = [indent], COLUMNS
    for word in text.split():
        if width(rows[-1]) + 1 + width(word) > room and rows[-1].strip():
            rows.append(indent)
        rows[-1] += word if not rows[-1].strip() else f" {word}"
    return rows


def text_equation(x: Equation, script: Script, room: int = COLUMNS) -> list[str]:
    left = script.notation(x.left)
    head = f"{left}{x.relation}"
    rows: list[str] = []
    if isinstance(x.formula, Grid):
        rows = _drawn([[script.notation(entry) for entry in row] for row in x.formula.rows], script, head, room)
    formula = script.notation(x.formula) if x.formula is not None and not rows else ""
    if x.result is None:
        return rows or _broken(head + (formula or LEFT_OUT), room)
    if isinstance(x.result, tuple):
        start = rows or ([head + formula] if formula else [])
        texts = [[script.text(entry) for entry in row] for row in x.result]
        return start + (_drawn(texts, script, "  = " if start else head, room) or _text_entries(script, x, room))
    result = script.text(x.result)
    if formula and width(head + formula) + 3 + width(result) <= room:
        return [f"{head}{formula} = {result}"]
    start = rows or ([head + formula] if formula else [])
    return start + _broken_sum("  = " if start else head, script.summands(x.result), room)


def _broken(text: str, room: int) -> list[str]:
    return [text] if width(text) <= room else wrap_columns(text, "")


_BREAKS = re.compile(r"(?: [+−±∓](?= ))? ?[^ ·]+·?")  # within a term: at blanks and behind products


def _broken_sum(head: str, summands: Sequence[str], room: int) -> list[str]:
    """Broken between terms; a term wider than the room, within its brackets."""
    rows, indent = [head], " " * min(width(head), 8)
    for term in summands:
        pieces = [term] if width(indent + term) <= room else _BREAKS.findall(term)
        for piece in pieces:
            if width(rows[-1]) + width(piece) > room and rows[-1].strip() and rows[-1] != head:
                rows.append(indent)
            rows[-1] += piece if rows[-1].strip() and rows[-1] != head else piece.lstrip()
    return rows


def _drawn(texts: Sequence[Sequence[str]], script: Script, head: str, room: int) -> list[str]:
    """A matrix behind its name; nothing where that is too wide."""
    widths = [
        max(map(width, column)) for column in zip(*(row for row in texts if len(row) == len(texts[0])), strict=True)
    ]
    if width(head) + sum(widths) + 2 * len(widths) > room:
        return []
    middle = (len(texts) - 1) // 2
    drawn = []
    for k, (row, (opening, closing)) in enumerate(zip(texts, script.brackets(len(texts)), strict=True)):
        cells = "  ".join(_centred(text, size) for text, size in zip(row, widths, strict=True))
        drawn.append((head if k == middle else " " * width(head)) + opening + cells + closing)
    return drawn


def _centred(text: str, size: int) -> str:
    left = (size - width(text)) // 2
    return " " * left + text + " " * (size - width(text) - left)


def _entry_left(left: Notation, place: tuple[int, int], rows: Rows) -> Notation:
    """Of an entry of a matrix that is too wide to be drawn: T[2,3]; of a vector in space p_x, as later lines call it;
    of another column J[2]."""
    i, j = place
    if len(rows[0]) > 1:
        return (left, f"[{i},{j}]")
    if len(rows) == len(AXES) and isinstance(left, str | Letter):
        letter = Letter(left) if isinstance(left, str) else left
        return replace(letter, below=letter.below + AXES[i - 1])
    return (left, f"[{i}]")


def _wide_entries(x: Equation) -> Iterator[tuple[Notation, FormulaTree]]:
    """Each alone; those that are zero last, together."""
    assert isinstance(x.result, tuple)
    zeros: list[Notation] = []
    for i, row in enumerate(x.result, 1):
        for j, tree in enumerate(row, 1):
            left = _entry_left(x.left, (i, j), x.result)
            if tree != ZERO:
                yield left, tree
            else:
                zeros.append(left)
    for k in range(0, len(zeros), TOGETHER):
        some = zeros[k : k + TOGETHER]
        yield tuple(part for left in some for part in (" = ", left))[1:], ZERO


def _text_entries(script: Script, x: Equation, room: int) -> list[str]:
    lines = []
    for left, tree in _wide_entries(x):
        lines += _broken_sum(f"{script.notation(left)} = ", script.summands(tree), room)
    return lines


# on paper


def is_narrow(rows: Rows, plain: Printer, room: int = WIDE) -> bool:
    """Is a matrix narrow enough to be set as one?"""
    columns = zip(*rows, strict=True)
    return sum(2 + max(width(plain.text(tree)) for tree in column) for column in columns) <= room


def paper_rows(x: Equation, script: Script) -> list[str]:
    """left &= formula, &= result; rows that are too wide are broken."""
    left, equals = script.notation(x.left), f" &{x.relation.strip()} "
    rows = [f"{left}{equals}{script.notation(x.formula)}"] if x.formula is not None else []
    if x.result is None:
        return rows or [f"{left}{equals}{script.notation(LEFT_OUT).strip()}"]
    head = f"{left}{equals}" if not rows else " &= "
    plain = Printer(script.taken, script.aliases)
    if not isinstance(x.result, tuple):
        return rows + _paper_sum(head, x.result, script, plain)
    if is_narrow(x.result, plain):
        return [*rows, head + script.grid([[script.text(tree) for tree in row] for row in x.result])]
    for place, tree in _wide_entries(x):
        rows += _paper_sum(f"{script.notation(place)} &= ", tree, script, plain)
    return rows


def _paper_sum(head: str, tree: FormulaTree, script: Script, plain: Printer) -> list[str]:
    if width(plain.text(tree)) <= WIDE:
        return [head + script.text(tree)]
    first, *more = (script.sum_text(part) for part in sum_parts(tree, plain))
    gap = getattr(script, "gap", "")
    return [head + first, *(f"& {gap}{'' if text.startswith(script.sign) else '+ '}{text}" for text in more)]


# on a page


def html_equation(x: Equation, script: Script) -> str:
    """Each term is a formula of its own, so that a narrow page breaks between them."""
    equals = f"<mo>{escape(x.relation.strip())}</mo>"
    parts = [script.notation(x.left)]
    formula = LEFT_OUT if x.formula is None and x.result is None else x.formula
    parts += [equals + script.notation(formula)] if formula is not None else []
    if x.result is None:
        return _html_row(parts)
    sign = equals if x.formula is None else "<mo>=</mo>"
    if not isinstance(x.result, tuple):
        first, *more = script.summands(x.result)
        return _html_row([*parts, sign + first, *more])
    plain = Printer(script.taken, script.aliases)
    if is_narrow(x.result, plain):
        return _html_row([*parts, sign + script.grid([[script.text(tree) for tree in row] for row in x.result])])
    rows = [_html_row(parts)] if x.formula is not None else []
    for left, tree in _wide_entries(x):
        first, *more = script.summands(tree)
        rows.append(_html_row([script.notation(left), "<mo>=</mo>" + first, *more]))
    return "".join(rows)


def _html_row(parts: Sequence[str]) -> str:
    return '<div class="eq" tabindex="0">' + " ".join(f"<math>{part}</math>" for part in parts) + "</div>"
