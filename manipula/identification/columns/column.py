"""One unknown of an identification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Column:
    """`joint` is the coordinate it belongs to, None where it belongs to none; `link` the moving link whose body it is
    about; `lower` the least value that makes sense, None where any does. `rows` are the joints that feel it.

    `words` are the parameters of the joint in a robot file, by letters, that a unit of it adds to; `widths` those that
    are fixed beside them.
    """

    name: str
    family: str
    joint: int | None
    unit: str
    lower: float | None = None
    link: int | None = None
    rows: tuple[int, ...] = ()
    loaded: bool = False
    words: Mapping[str, int] = field(default_factory=dict)
    widths: Mapping[str, Fraction] = field(default_factory=dict)
