"""A figure that notebooks show, whether or not anybody has imported pyplot there.

It inherits from matplotlib, which is an extra: this file is imported only where a figure is made.
"""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """`Figure` with a picture for notebooks."""

    def _repr_png_(self) -> bytes:
        made = BytesIO()
        self.savefig(made, format="png")
        return made.getvalue()
