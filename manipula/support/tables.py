"""Tables of text: aligned columns for a terminal, HTML for notebooks and pages."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from html import escape

Rows = Sequence[Sequence[str]]
NUMBER = re.compile(r"[-−+]?\d[\d., ]*([eE][-−+]?\d+)?\s?[^\w\s(*]?")  # with a sign such as % or ° behind it


def text_table(heads: Sequence[str], rows: Rows, right: Container[int] = ()) -> str:
    """Columns two spaces apart; those in `right` end alike."""
    lines = [heads, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width) for i, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def html_table(heads: Sequence[str], rows: Rows, title: str = "") -> str:
    """Cells are text; nothing in them is read as markup."""
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return f"<table>{caption}{_row(heads, 'th')}{''.join(_row(row, 'td') for row in rows)}</table>"


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}{_side(cell)}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _side(cell: str) -> str:
    """Notebooks put everything to the right; words and formulas, `-Lxy4` too, are read from the left."""
    return "" if NUMBER.fullmatch(cell) else ' style="text-align:left"'
