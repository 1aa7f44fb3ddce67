"""Plain data as TOML, and back."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from manipula.errors import InputError
from manipula.messages import Message

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|'''")
DEEPEST = 100  # tables and lists inside one another
BITS = 1000  # of a whole number: 301 digits, which a float can hold
_LONG = Message("a number in it has too many digits: a whole number may have 300")
_DEEP = Message("its tables and lists are nested deeper than {deepest}", DEEPEST)


def toml_tables(text: str, number: Callable[[str], Any] = float) -> dict[str, Any]:
    """The tables of a text; `number` makes something of a number with a point. A `ValueError` says what is wrong.

    TOML bounds neither the digits of a whole number nor the depth of its tables; who uses them does.
    """
    try:
        found = tomllib.loads(text, parse_float=number)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise InputError(_DEEP) from None
    except (ValueError, ArithmeticError):  # Python's own bound on digits; an exponent that no Decimal has
        raise InputError(_LONG) from None
    level: list[Any] = [found]
    for _ in range(DEEPEST):
        if any(isinstance(value, int) and value.bit_length() > BITS for value in level):
            raise InputError(_LONG)
        level = [x for value in level for x in _inside(value)]
        if not level:
            return found
    raise InputError(_DEEP)


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


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
    raise InputError("TOML cannot hold {value!r:.60} here", value)


def key_text(text: str) -> str:
    """In quotes where it needs them."""
    return text if _BARE.fullmatch(text) else quoted(text)


def block_text(text: str) -> str:
    """As it is read, line by line; in one line of escapes where that cannot be."""
    return quoted(text) if _ODD.search(text) or text.endswith("'") else f"'''\n{text}'''"


def quoted(text: str) -> str:
    """JSON's quotes are TOML's, but for one letter that only TOML forbids."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
