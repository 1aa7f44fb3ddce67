"""A figure that notebooks show, whether or not anybody has imported pyplot there. Only `canvas` imports this file."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class Shown(Figure):
    """`Figure` with a picture for notebooks."""

    def _repr_png_(self) -> bytes:
        made = BytesIO()
        self.savefig(made, format="png")
        return made.getvalue()
