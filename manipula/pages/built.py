"""Where the built front end lies: the studio's page, the report's script and sheet, the notebook's widget.

Vite writes them from `web/`; a wheel holds them, a fresh checkout does not.
"""

from __future__ import annotations

from pathlib import Path

from manipula.errors import ManipulaError

STATIC = Path(__file__).parent / "static"


def built(name: str) -> Path:
    """The file or folder `name` of the built front end: "studio", "report.js", "report.css", "widget.js"."""
    found = STATIC / name
    if not found.exists():
        raise ManipulaError(
            "the page is not built ({name} is missing): run `make web` in the checkout, or install the "
            "wheel, which holds it",
            name,
        )
    return found
