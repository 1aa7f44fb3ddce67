"""Operations by method as bars, beside published counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from manipula.pages.plots.canvas import COLOURS, blank, plainly

MOST = 40  # bars of one figure


class Bar(NamedTuple):
    """A method of a model: products, sums; `source` of one that others published."""

    model: str
    method: str
    mul: int
    add: int
    source: str = ""


def counts_figure(bars: Sequence[Bar], title: str) -> Any:
    """Products and sums side by side on each bar, the total at its end; published ones are hatched."""
    shown = list(bars)[:MOST]
    figure = blank("plot_counts", (7.4, 0.9 + 0.27 * max(len(shown), 3)))
    place = figure.subplots()
    rows = range(len(shown))
    for part, left, colour in (("mul", None, COLOURS[0]), ("add", "mul", COLOURS[5])):
        lengths = [getattr(bar, part) for bar in shown]
        start = [getattr(bar, left) for bar in shown] if left else 0
        word = {"mul": "products", "add": "sums"}[part]
        drawn = place.barh(rows, lengths, left=start, height=0.72, color=colour, label=word)
        for bar, patch in zip(shown, drawn):
            patch.set_hatch("//" if bar.source else "")
            patch.set_edgecolor("white")
    for row, bar in zip(rows, shown):
        place.text(bar.mul + bar.add, row, f" {bar.mul + bar.add}", va="center", fontsize=8)
    several = len({bar.model for bar in shown}) > 1
    labels = [f"{bar.model}: {bar.method}" if several else bar.method for bar in shown]
    place.set_yticks(rows, [f"{x} [{bar.source}]" if bar.source else x for x, bar in zip(labels, shown)], fontsize=8)
    place.invert_yaxis()
    place.margins(x=0.1)
    place.set_xlabel("operations a call")
    figure.legend(fontsize=8, loc="outside lower right", ncols=2)
    place.spines[["top", "right"]].set_visible(False)
    place.set_title(plainly(title), fontsize=11)
    return figure
