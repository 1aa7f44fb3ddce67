"""Equations on a page: an output with two axes is one matrix where it fits, else its entries line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from itertools import product as indices
from unicodedata import combining

from manipula.algebra.expr.function import Function
from manipula.algebra.show.printer import Printer, entry_names
from manipula.algebra.simplify import tree as formula
from manipula.algebra.tape import Line as TapeLine
from manipula.algebra.tape import Tape, tape_from_function

Left = tuple[str, tuple[int, ...]]  # an output and the index of its entry, from 1; or a name and ()
Line = tuple[Left, formula.FormulaTree]
COLUMNS = 80  # of a terminal: a wider matrix is written entry by entry


@dataclass(frozen=True)
class Matrix:
    """The entries of an output with two axes; of one with more, those of two axes at a time."""

    left: Left
    rows: tuple[tuple[Line, ...], ...]


Block = Matrix | Line


def blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """Matrices in place of their entries; everything else as it is, in order."""
    for left, group in groupby(lines, lambda line: _matrix_of(line[0])):
        if left is None:
            yield from group
        else:
            rows = groupby(group, lambda line: line[0][1][-2])
            yield Matrix(left, tuple(tuple(row) for _, row in rows))


def _matrix_of(left: Left) -> Left | None:
    name, index = left
    return (name, index[:-2]) if len(index) >= 2 else None


def draw_lines(lines: Iterable[Line], printer: Printer) -> list[str]:
    """Lines of text; matrices between brackets, with an empty line from one to the next."""
    drawn: list[str] = []
    above = False
    for block in blocks(lines):
        rows = _matrix(block, printer) if isinstance(block, Matrix) else []
        drawn += [""] if above and rows else []
        drawn += rows or [f"{left} = {right}" for left, right in _pairs(block, printer)]
        above = bool(rows)
    return drawn


def _pairs(block: Block, printer: Printer) -> list[tuple[str, str]]:
    if isinstance(block, Matrix):
        return entry_texts(block, printer)
    return [(printer.entry(*block[0]), printer.text(block[1]))]


def _matrix(matrix: Matrix, printer: Printer) -> list[str]:
    """The brackets, the name before the middle row; nothing where that is too wide."""
    texts = [[printer.text(tree) for _, tree in row] for row in matrix.rows]
    widths = [max(map(width, column)) for column in zip(*texts, strict=True)]
    name = f"{printer.entry(*matrix.left)} = "
    # two spaces between columns; the brackets take the place of the last two
    if width(name) + sum(widths) + 2 * len(widths) > COLUMNS:
        return []
    middle = (len(texts) - 1) // 2
    sides = zip(texts, printer.brackets(len(texts)), strict=True)
    return [
        (name if i == middle else " " * width(name)) + opening + "  ".join(map(_centre, row, widths)) + closing
        for i, (row, (opening, closing)) in enumerate(sides)
    ]


def entry_texts(matrix: Matrix, printer: Printer) -> list[tuple[str, str]]:
    """(left, right) of the entries: one that is written already is named, and the zeros are said in one line."""
    written: dict[formula.FormulaTree, str] = {}
    texts: list[tuple[str, str]] = []
    entries = [line for row in matrix.rows for line in row]
    zeros = [left for left, tree in entries if tree == formula.ZERO]
    for left, tree in entries:
        text = printer.entry(*left)
        # many zeros are one line at the end; a single one is an entry like any other
        if tree == formula.ZERO and len(zeros) > 1:
            continue
        texts.append((text, written.get(tree) or printer.text(tree)))
        if not isinstance(tree, formula.FormulaNumber | formula.Symbol | formula.Trig):
            written.setdefault(tree, text)
    return texts + ([(printer.elsewhere(*matrix.left), printer.remark("0", "elsewhere"))] if len(zeros) > 1 else [])


def legend_lines(items: Sequence[str], word: str) -> list[str]:
    """with c1 = cos(q1), … as many to a line as there is room for."""
    rows: list[str] = []
    for i, item in enumerate(items):
        # the comma belongs to its item and must not begin a line
        item += "," if i + 1 < len(items) else ""
        if rows and width(rows[-1]) + 1 + width(item) <= COLUMNS:
            rows[-1] += f" {item}"
        else:
            rows.append(f"{word if not rows else ' ' * len(word)} {item}")
    return rows


def width(text: str) -> int:
    """Columns on a terminal: a dot above takes none."""
    # q̈ is two characters and one column
    return sum(not combining(letter) for letter in text)


def _centre(text: str, columns: int) -> str:
    left = (columns - width(text)) // 2
    return " " * left + text + " " * (columns - width(text) - left)


# The tape as equations: every line that computes, then the outputs; signs and constants stand inline.

_FRESH = re.compile(r"D\d+")


def auxiliary_lines(function: Function) -> list[Line]:
    """D1 = a2*c2, … then tau1 = D1 + D7"""
    tape = tape_from_function(function)
    parts = _leaves(tape)
    # D9 = …, tau1 = D9 would say one thing in two lines
    direct = _outputs_at_their_line(tape)
    own = entry_names(function)  # entries c1, c2 of an output c: no sine or cosine may be called so beside them
    taken, count = {name for name in tape.names if not _FRESH.fullmatch(name)} | _input_names(tape) | own, 0
    lines: list[Line] = []
    for line in tape.lines:
        right = _right(line, [parts[slot] for slot in line.args])
        if line.op == "neg" or line.slot in direct:
            parts[line.slot] = right
        else:
            name = tape.names[line.slot]
            if (
                _FRESH.fullmatch(name) or name in own
            ):  # numbered anew: the tape has numbers for lines that stand inline here
                count = next(number for number in range(count + 1, len(tape.names) + 2) if f"D{number}" not in taken)
                name = f"D{count}"
            parts[line.slot] = formula.Symbol(name, line.slot >= _first_online(tape))
            lines.append(((name, ()), right))
    for port in tape.outputs:
        places = indices(*(range(1, size + 1) for size in port.shape))
        lines += [((port.name, place), parts[slot]) for place, slot in zip(places, port.slots, strict=True)]
    return lines


def _input_names(tape: Tape) -> set[str]:
    return {name for port in tape.inputs for name in port.names}


def _leaves(tape: Tape) -> dict[int, formula.FormulaTree]:
    parts: dict[int, formula.FormulaTree] = {
        slot: formula.FormulaNumber(Fraction(repr(value))) for slot, value in tape.constants
    }
    for port in tape.inputs:
        parts.update(
            {slot: formula.Symbol(name, port.online) for slot, name in zip(port.slots, port.names, strict=True)}
        )
    return parts


def _first_online(tape: Tape) -> int:
    return tape.online[0].slot if tape.online else len(tape.names)


def _outputs_at_their_line(tape: Tape) -> set[int]:
    """Slots that nothing but one output reads: the operation stands in the output's own line."""
    reads = [slot for line in tape.lines for slot in line.args] + [s for port in tape.outputs for s in port.slots]
    own = {slot for port in tape.outputs for slot in port.slots}
    # read twice it needs its name
    return {slot for slot in own if reads.count(slot) == 1}


def _right(line: TapeLine, args: list[formula.FormulaTree]) -> formula.FormulaTree:
    match line.op:
        case "add":
            return formula.sum_of(args)
        case "sub":
            return formula.sum_of([args[0], formula.product_of([formula.MINUS, args[1]])])
        case "mul":
            return formula.product_of(args)
        case "div":
            return formula.product_of([args[0], formula.Inverse(args[1])])
        case "neg":
            return formula.product_of([formula.MINUS, args[0]])
    return formula.FormulaCall(line.op, tuple(args))
