"""A TOML file that is held to a table of what may stand in it; the first mistake is told with its place."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from manipula.errors import InputError

Table = TypeVar("Table", bound=BaseModel)


def checked_toml(path: Path, table: type[Table], kind: str) -> Table:
    """The file, checked. `kind` is what such files are called."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # Windows' editors mark the file
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is no TOML: {error}") from None
    try:
        return table.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{path}: {_told_problem(error, kind)}") from None


def _told_problem(error: ValidationError, kind: str) -> str:
    """The first problem of such a file: its table, with the row where there are several, its key, what was found."""
    first = error.errors()[0]
    place = ": ".join(
        f"{x}" if not isinstance(x, int) else f"row {x + 1}" for x in first["loc"] if not _is_choice(str(x))
    )
    found = first["input"]
    if first["type"] == "missing":
        return f"{place}: is missing"
    if first["type"] == "extra_forbidden":
        return f"{place}: no such key; see the reference of {kind} files"
    told = first["msg"][0].lower() + first["msg"][1:]
    return f"{place}: found {found!r:.60}; {told}"


def _is_choice(word: str) -> bool:
    """Pydantic names the kinds that it tried; a reader of the file knows none of them."""
    return word in ("Load", "float", "str", "bool", "constrained-float", "constrained-int") or "[" in word
