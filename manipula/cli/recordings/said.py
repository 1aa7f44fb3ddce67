"""What a user says of a recording: which columns, in which units. Shared by the commands that read one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from manipula.cli.kinematics.inverse_screen import numbers
from manipula.errors import InputError

Said = list[str] | None
MANY = "it may be repeated"

Columns = Annotated[Said, typer.Option("--column", metavar="q=A,B", help=f"Heads of a quantity; {MANY}.")]
Units = Annotated[Said, typer.Option("--unit", metavar="q=deg", help=f"Unit of a quantity; {MANY}.")]
Scale = Annotated[Said, typer.Option("--scale", metavar="tau=1,2", help=f"Factors of a quantity; {MANY}.")]
Rate = Annotated[float | None, typer.Option("--rate", help="Samples a second, where times are no use.")]
Topic = Annotated[str, typer.Option("--topic", help="Of joint states, where there are several.")]


def understanding(columns: Said, units: Said, scale: Said, rate: float | None, topic: str) -> dict[str, Any]:
    """The settings of `api.read_log`."""
    return {
        "columns": {name: _heads(text) for name, text in _pairs("--column", columns)},
        "units": {name: text.split(",") if "," in text else text for name, text in _pairs("--unit", units)},
        "scale": {name: _factors(name, text) for name, text in _pairs("--scale", scale)},
        "rate": rate,
        "topic": topic or None,
    }


def _pairs(option: str, given: Said) -> list[tuple[str, str]]:
    found = []
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError("{option}: expected NAME=VALUE, found {text!r}", option, text)
        found.append((name.strip(), value.strip()))
    return found


def _heads(text: str) -> Any:
    """Heads, or numbers of columns; `none` leaves the quantity out."""
    words: list[str | int] = [int(word) if word.strip().isdigit() else word.strip() for word in text.split(",")]
    return None if words == ["none"] else words[0] if len(words) == 1 else words


def _factors(name: str, text: str) -> Any:
    found = numbers(f"--scale {name}", text)
    return found[0] if len(found) == 1 else found
