"""One unknown of an identification."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """`joint` is the coordinate it belongs to, None where it belongs to none; `link` the moving link whose body it is
    about; `lower` the least value that makes sense, None where any does. `rows` are the joints that feel it."""

    name: str
    family: str
    joint: int | None
    unit: str
    lower: float | None = None
    link: int | None = None
    rows: tuple[int, ...] = ()
    loaded: bool = False
