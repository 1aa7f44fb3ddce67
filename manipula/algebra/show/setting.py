"""What a style for paper says beside trees: words, matrices and rows of equations, aligned at their `&`."""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.show.printer import Printer


class Setting(Printer):
    """The base of LaTeX and Typst."""

    gap = ""  # a wide space
    comma = ", "  # between two formulas of a row

    def spoken(self, text: str) -> str:
        """Words among formulas."""
        raise NotImplementedError

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        raise NotImplementedError

    def aligned(self, rows: Sequence[str]) -> str:
        """Rows `left &= right` as one block."""
        raise NotImplementedError
