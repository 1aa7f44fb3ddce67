"""What a style for paper says beside trees: words, matrices and rows of equations, aligned at their `&`."""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.show.names import split_name
from manipula.algebra.show.printer import Printer


class Setting(Printer):
    """The base of LaTeX and Typst."""

    gap = ""  # a wide space
    comma = ", "  # between two formulas of a row

    def index(self, text: str) -> str:
        """What stands below a letter; nothing below it where there is none."""
        raise NotImplementedError

    def short_trig(self, text: str) -> str:
        return self.name(text)

    def entry(self, name: str, index: Sequence[int]) -> str:
        return self._indexed(name, [str(place) for place in index]) if index else self.name(name)

    def elsewhere(self, name: str, index: Sequence[int]) -> str:
        return self._indexed(name, [*map(str, index), "i", "j"])

    def _indexed(self, name: str, places: Sequence[str]) -> str:
        own = split_name(name)[1]
        letter = self.name(name.removesuffix(own)) if own else self.name(name)
        return letter + self.index(",".join([own, *places] if own else places))

    def spoken(self, text: str) -> str:
        """Words among formulas."""
        raise NotImplementedError

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        raise NotImplementedError

    def aligned(self, rows: Sequence[str]) -> str:
        """Rows `left &= right` as one block."""
        raise NotImplementedError
