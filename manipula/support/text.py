"""Plain data and text: what JSON can hold, exact numbers, letters a keyboard lacks, aligned tables, TOML."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from html import escape
from math import isfinite
from os import PathLike, fspath
from typing import Any

from manipula.errors import InputError
from manipula.messages import Message

# Plain data as TOML, and back.

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
    level: list[object] = [found]
    for _ in range(DEEPEST):
        if any(isinstance(value, int) and value.bit_length() > BITS for value in level):
            raise InputError(_LONG)
        level = [x for value in level for x in _inside(value)]
        if not level:
            return found
    raise InputError(_DEEP)


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def value_text(value: object) -> str:
    """In one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return quote_toml(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key_text(str(key))} = {value_text(x)}" for key, x in value.items()) + " }"
    raise InputError("TOML cannot hold {value!r:.60} here", value)


def key_text(text: str) -> str:
    """In quotes where it needs them."""
    return text if _BARE.fullmatch(text) else quote_toml(text)


def block_text(text: str) -> str:
    """As it is read, line by line; in one line of escapes where that cannot be."""
    return quote_toml(text) if _ODD.search(text) or text.endswith("'") else f"'''\n{text}'''"


def quote_toml(text: str) -> str:
    """JSON's quotes are TOML's, but for one letter that only TOML forbids."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# Exact numbers as people write them.


def is_decimal(value: Fraction) -> bool:
    """Has it an end, written in tens? Only 2 and 5 divide its denominator."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def decimal(value: Fraction) -> str:
    """0.25 for 1/4, nothing for 1/3: only what a decimal writes exactly."""
    if not is_decimal(value):
        return ""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    text = digits if not places else f"{digits[:-places]}.{digits[-places:]}"
    return ("-" if value < 0 else "") + text


def exact_text(value: Fraction) -> str:
    """A decimal where it is exact, else a fraction."""
    return decimal(value) or f"{value.numerator}/{value.denominator}"


def tiny_power(value: Fraction) -> int:
    """k of 10⁻ᵏ, where so many zeros would be no help to the eye; else 0."""
    k = len(str(value.denominator)) - 1
    return k if k > 9 and value == Fraction(1, 10**k) else 0


# Letters that a keyboard or a compiler lacks: Greek ones by their names, accents left out.

# letter → its name; a final sigma and the letters of formulas are those of the alphabet
GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho",
    "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "ς": "sigma", "ϑ": "theta", "ϕ": "phi", "ϵ": "epsilon", "⍺": "alpha", "µ": "mu",
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi",
    "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip


def without_accents(text: str) -> str:
    """`braço` is `braco`; what is no letter with a mark stays."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def spell_greek(text: str) -> str:
    """With Greek letters by their names: `β1` is `beta1`."""
    return "".join(GREEK.get(letter, letter) for letter in text)


# Tables of text: aligned columns for a terminal, HTML for notebooks and pages.

Rows = Sequence[Sequence[str]]
NUMBER = re.compile(r"[-−+]?\d[\d., ]*([eE][-−+]?\d+)?\s?[^\w\s(*]?")  # with a sign such as % or ° behind it


def text_table(heads: Sequence[str], rows: Rows, right: Container[int] = ()) -> str:
    """Columns two spaces apart; those in `right` end alike."""
    lines = [heads, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width) for i, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def html_table(heads: Sequence[str], rows: Rows, title: str = "") -> str:
    """Cells are text; nothing in them is read as markup."""
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    sides = [_side_of_head(head, [row[k] for row in rows if k < len(row)]) for k, head in enumerate(heads)]
    names = _row(heads, sides, "th")
    body = "".join(_row(row, [_side(cell) for cell in row], "td") for row in rows)
    return f"<table>{caption}<thead>{names}</thead><tbody>{body}</tbody></table>"  # on paper every page has the heads


def _row(cells: Sequence[str], sides: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}{side}>{escape(cell)}</{tag}>" for cell, side in zip(cells, sides)) + "</tr>"


def _side_of_head(head: str, column: Sequence[str]) -> str:
    """Above numbers a head stands to the right, as they do."""
    numbers = [bool(NUMBER.fullmatch(cell)) for cell in column if cell]
    return "" if 2 * sum(numbers) > len(numbers) else _side(head)


def _side(cell: str) -> str:
    """Notebooks put everything to the right; words and formulas, `-Lxy4` too, are read from the left."""
    return "" if NUMBER.fullmatch(cell) else ' style="text-align:left"'


# Results as plain data: what JSON can hold, and nothing else.


def plain_dict(value: Mapping[str, object]) -> dict[str, Any]:
    """The same of values by name."""
    return {name: plain(item) for name, item in value.items()}


def plain(value: object) -> Any:
    """Numbers, texts, lists and dicts. An array is a list of lists; what is infinite, or no number, is None.

    An object is what its own `as_dict` says; a named tuple without one is a dict of its fields.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Enum):
        return plain(value.value)
    if hasattr(value, "as_dict"):
        return plain(value.as_dict())
    if hasattr(value, "tolist"):  # arrays, and the scalars in them
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no plain form")
