"""Parameters as a table: a row for each, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from manipula.errors import UnknownNameError
from manipula.support.plain import plain
from manipula.support.tables import html_table


@dataclass(frozen=True)
class Row:
    """A parameter: its value, its standard deviation (infinite: the data do not tell it), what was believed before."""

    name: str
    value: float
    sigma: float
    prior: float | None
    unit: str
    family: str

    @property
    def told(self) -> bool:
        """Is it known better than to its own size?"""
        return bool(self.sigma < abs(self.value))


class Table(Sequence[Row]):
    """`table["m3"].value`, `table.values`, `table.sigmas`; printed as lines."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)
        self._places = {row.name: place for place, row in enumerate(self.rows)}

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self.rows[which]
        if which not in self._places:
            raise UnknownNameError("parameter", which, self._places)
        return self.rows[self._places[which]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __contains__(self, which: object) -> bool:
        return which in self._places if isinstance(which, str) else which in self.rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._places)

    @property
    def values(self) -> Any:
        return np.array([row.value for row in self.rows])

    @property
    def sigmas(self) -> Any:
        return np.array([row.sigma for row in self.rows])

    def as_dict(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = plain([asdict(row) for row in self.rows])
        return found

    def __str__(self) -> str:
        wide = max([9, *(len(row.name) for row in self.rows)])
        lines = [HEADS, *map(_cells, self.rows)]
        return "\n".join(f"{a:{wide}}  {b:>11}  {c:>9}  {d:>11}  {e}" for a, b, c, d, e in lines)

    def _repr_html_(self) -> str:
        return html_table(HEADS, [_cells(row) for row in self.rows])

    def __repr__(self) -> str:
        return f"<table of {len(self)} parameters: {', '.join(self.names[:6])}{', …' if len(self) > 6 else ''}>"


HEADS = ("parameter", "value", "± sigma", "prior", "unit")


def _cells(row: Row) -> tuple[str, ...]:
    sigma = "unknown" if not np.isfinite(row.sigma) else f"{row.sigma:.2g}"
    return row.name, f"{row.value:.5g}", sigma, "" if row.prior is None else f"{row.prior:.4g}", row.unit
