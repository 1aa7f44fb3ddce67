"""Errors and warnings as the page gets them: the sentence, and the cell it is about."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from manipula.errors import InputError, ManipulaError, ManipulaWarning, RobotFileError
from manipula.messages import Message

FOR_PYTHON = "{told} (exact=True, --exact in a shell, keeps what is written)"


class FieldError(InputError):
    """What cannot be in one field of a form."""

    def __init__(self, told: str, field: str) -> None:
        super().__init__(told)
        self.field = field


def fault(error: RobotFileError) -> dict[str, Any]:
    """One mistake at its cell; rows count from 0 here."""
    return {"message": str(error), "problem": error.problem, "hint": error.hint, **_cell(error.row, error.column)}


def _cell(row: int | None, column: str) -> dict[str, Any]:
    return {"row": None if row is None else row - 1, "column": column}


def faults(error: RobotFileError) -> list[dict[str, Any]]:
    return [fault(one) for one in (error, *error.others)]


def error_of(error: BaseException) -> dict[str, Any]:
    """What is told of an error: of those made for people their sentence, of others that this is our mistake."""
    if isinstance(error, RobotFileError):
        return fault(error)
    if isinstance(error, FieldError):
        return {"message": str(error), **_cell(None, error.field)}
    if isinstance(error, ManipulaError):
        return {"message": getattr(error, "in_page", str(error))}
    if isinstance(error, RecursionError | MemoryError):
        return {"message": Message("this is too large to be computed here")}
    told = f"{type(error).__name__}: {str(error)[:200]}".rstrip(": ")
    return {"message": Message("this should not happen and is a mistake of manipula: {told}", told), "internal": True}


@contextmanager
def heard() -> Iterator[list[dict[str, Any]]]:
    """The warnings given inside, as the page shows them."""
    found: list[dict[str, Any]] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ManipulaWarning)
        yield found
    said = {Message(str(x.message)): x.message for x in caught if isinstance(x.message, ManipulaWarning)}
    found += [{"message": _in_page(text), **_cell(warning.row, warning.column)} for text, warning in said.items()]


def _in_page(text: Message) -> str:
    """Without what one would write in Python: that stands last, around the sentence itself."""
    return text.fields["told"] if text.template.endswith(FOR_PYTHON) else text
