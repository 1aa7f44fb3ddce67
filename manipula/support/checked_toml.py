"""TOML files: read, held to a table of what may stand in them, the first mistake with its place; files they ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from manipula.errors import InputError, ManipulaError
from manipula.messages import Message, in_front, join_messages
from manipula.support.text import toml_tables

Table = TypeVar("Table", bound=BaseModel)


def checked_toml(path: Path, table: type[Table], kind: str) -> Table:
    """The file, checked. `kind` is what such files are called."""
    try:
        data = toml_tables(path.read_text(encoding="utf-8-sig"))  # Windows' editors mark the file
    except OSError as error:
        raise InputError("{name}: cannot be read: {strerror}", path, error.strerror) from error
    except ValueError as error:
        raise InputError("{path}: is no TOML: {error}", path, error) from None
    try:
        return table.model_validate(data)
    except ValidationError as error:
        raise InputError("{place}: {text}", path, _told_problem(error, kind)) from None


@contextmanager
def errors_about(path: Path) -> Iterator[None]:
    """What goes wrong in work that a file describes is reported with its name."""
    try:
        yield
    except ManipulaError as error:
        plain = type(error).__init__ is ManipulaError.__init__  # made of a sentence
        raise (type(error) if plain else InputError)(in_front(str(path), error.message)) from error


def output_paths(file: Path, output: BaseModel, force: bool) -> dict[str, Path]:
    """Where the files go that the table [output] of a file names: into the folder of that file.

    One that exists is refused unless `force`: it may be another's.
    """
    folder, found = file.parent, {}
    for key, name in output:
        if name is None:
            continue
        where = f"{file}: output: {key}"
        if "\0" in name or not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise InputError("{where}: {name!r:.80} leads out of the folder of this file", where, name)
        path = found[key] = folder / name
        if not force and (any(path.iterdir()) if os.path.isdir(path) else os.path.exists(path)):
            raise InputError(
                "{where}: {path} exists; name another file, or replace it: --force, in Python force=True", where, path
            )
    return found


def _told_problem(error: ValidationError, kind: str) -> str:
    """The first problem of such a file: its table, with the row where there are several, its key, what was found."""
    first = error.errors()[0]
    words = [x for x in first["loc"] if not _is_choice(str(x))]
    place = join_messages(": ", (x if isinstance(x, str) else Message("row {x}", x + 1) for x in words))
    found = first["input"]
    if first["type"] == "missing":
        return Message("{place}: is missing", place)
    if first["type"] == "extra_forbidden":
        return Message("{place}: no such key; see the reference of {kind} files", place, kind)
    told = first["msg"][0].lower() + first["msg"][1:]
    return Message("{place}: found {found!r:.60}; {told}", place, found, told)


def _is_choice(word: str) -> bool:
    """Pydantic names the kinds that it tried; a reader of the file knows none of them."""
    return word in ("Load", "float", "str", "bool", "constrained-float", "constrained-int") or "[" in word
