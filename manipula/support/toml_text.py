"""Plain data as TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from manipula.errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|'''")


def value_text(value: Any) -> str:
    """In one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key_text(str(key))} = {value_text(x)}" for key, x in value.items()) + " }"
    raise InputError(f"TOML cannot hold {value!r:.60} here")


def key_text(text: str) -> str:
    """In quotes where it needs them."""
    return text if _BARE.fullmatch(text) else quoted(text)


def block_text(text: str) -> str:
    """As it is read, line by line; in one line of escapes where that cannot be."""
    return quoted(text) if _ODD.search(text) or text.endswith("'") else f"'''\n{text}'''"


def quoted(text: str) -> str:
    """JSON's quotes are TOML's, but for one letter that only TOML forbids."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
