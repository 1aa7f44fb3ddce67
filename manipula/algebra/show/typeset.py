"""Equations on paper: rows of an aligned block, matrices as matrices; displays of LaTeX that MathJax can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from manipula.algebra.show.latex import Latex
from manipula.algebra.show.layout import Line, Matrix, blocks, entry_texts, width
from manipula.algebra.show.printer import Printer
from manipula.algebra.show.setting import Setting
from manipula.algebra.simplify.tree import MINUS, FormulaProduct, FormulaTree, Sum, product_of

WIDE = 110  # signs, written as plain text, that a page has room for
BUFFER = 4000  # signs of LaTeX in one display: MathJax gives up at 5 × 1024
PAGES = 40_000  # signs of LaTeX that are still to be read in a notebook


def typeset_rows(lines: Iterable[Line], printer: Setting) -> list[str]:
    """Rows `left &= right`; a sum too long for a page goes on in the next row."""
    plain = Printer(printer.taken, printer.aliases)
    rows: list[str] = []
    for block in blocks(lines):
        if not isinstance(block, Matrix):
            rows += _sum_rows(block, printer, plain)
        elif _fits(block, plain):
            entries = [[printer.text(tree) for _, tree in row] for row in block.rows]
            rows.append(f"{printer.entry(*block.left)} &= {printer.matrix(entries)}")
        else:
            rows += _entry_rows(block, printer, plain)
    return rows


def _fits(matrix: Matrix, plain: Printer) -> bool:
    columns = zip(*matrix.rows, strict=True)
    return sum(2 + max(width(plain.text(tree)) for _, tree in column) for column in columns) <= WIDE


def _entry_rows(matrix: Matrix, printer: Setting, plain: Printer) -> Iterator[str]:
    """Entry by entry, what is written already only named."""
    trees = {printer.entry(*left): (left, tree) for row in matrix.rows for left, tree in row}
    for left, right in entry_texts(matrix, printer):
        if left in trees and right == printer.text(trees[left][1]):
            yield from _sum_rows(trees[left], printer, plain)
        else:
            yield f"{left} &= {right}"


def _sum_rows(line: Line, printer: Setting, plain: Printer) -> list[str]:
    left, tree = line
    if width(plain.text(tree)) <= WIDE:
        return [f"{printer.entry(*left)} &= {printer.text(tree)}"]
    first, *more = (printer.sum_text(part) for part in _parts(_terms(tree), plain))
    lead = ("" if text.startswith("-") else "+ " for text in more)
    return [f"{printer.entry(*left)} &= {first}", *(f"&{printer.gap}{sign}{text}" for sign, text in zip(lead, more))]


def _parts(terms: Sequence[FormulaTree], plain: Printer) -> list[list[FormulaTree]]:
    """The terms, row by row."""
    parts: list[list[FormulaTree]] = [[]]
    room = WIDE
    for term in terms:
        size = width(plain.text(term)) + 3
        if size > room and parts[-1]:
            parts.append([])
            room = WIDE
        parts[-1].append(term)
        room -= size
    return parts


def _terms(tree: FormulaTree) -> Sequence[FormulaTree]:
    """Of a sum, or of one with its sign before the brackets."""
    match tree:
        case Sum(terms):
            return terms
        case FormulaProduct((sign, Sum(terms))) if sign == MINUS:
            return [product_of([MINUS, term]) for term in terms]
    return (tree,)


def legend_rows(items: Sequence[str], word: str, printer: Setting, each: int = 4) -> list[str]:
    r"""&\text{with } c_{1} = \cos(q_1), …"""
    rows = [printer.comma.join(items[i : i + each]) for i in range(0, len(items), each)]
    lead, gap = f"&{printer.spoken(f'{word} ')} ", f"&{printer.gap}"
    return [(lead if i == 0 else gap) + row + ("," if i + 1 < len(rows) else "") for i, row in enumerate(rows)]


def displays(rows: Sequence[str]) -> str:
    """Displays one after another, each small enough for MathJax; a row that no display can hold says so."""
    pieces: list[list[str]] = [[]]
    for row in rows:
        row = row if len(row) < BUFFER else _too_long(row)
        if pieces[-1] and sum(map(len, pieces[-1])) + len(row) > BUFFER:
            pieces.append([])
        pieces[-1].append(row)
    return "\n".join(f"$$\n{Latex().aligned(piece)}\n$$" for piece in pieces)


def _too_long(row: str) -> str:
    left, _, _ = row.partition("&=")
    return rf"{left}&= \text{{(a formula of {len(row)} signs, too long to be set: print it)}}"
