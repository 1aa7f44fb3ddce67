"""File shapes: the Jinja templates that lie beside each back end."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def _environment(package: str) -> Environment:
    return Environment(
        loader=PackageLoader(package, ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the text is source code, not HTML
    )


def filled(package: str, template: str, context: dict[str, Any]) -> str:
    """A template of a back end's package with its places filled in."""
    return _environment(package).get_template(template).render(context)
