"""For griffe, which reads docstrings: their examples (`>>>`) as code, not as quotations."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"(?:^[ ]*>>> .*\n?(?:^[ ]*\S.*\n?)*)+", re.MULTILINE)


def shown(text: str) -> str:
    """Every example, to the blank line behind it, between fences."""
    return EXAMPLE.sub(lambda found: "```pycon\n" + found[0].rstrip("\n") + "\n```\n", text)


class Doctests(Extension):
    """Asked by mkdocs.yml."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = shown(obj.docstring.value)
