"""Names that stand in another column than their letter says: the sign of a table whose columns are in another order.

Books print modified tables as alpha, a, d, theta, and a table swallowed in the wrong order is a robot nobody meant:
theta1 becomes a twist, a2 an offset.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.units import describe
from manipula.messages import Message

_COLUMNS = {"theta": "theta|teta|th|θ|ϑ|q", "alpha": "alpha|alfa|α|⍺", "a": "a", "d": "d"}
_MARK = r"[-+]?\s*\\?(?:{})_?\{{?\d+\}}?\s*(?:\*|\(t\)|\(var\))?"
_OF_COLUMN = {column: re.compile(_MARK.format(letters), re.I) for column, letters in _COLUMNS.items()}


def refuse_misplaced(
    cells: Mapping[str, object],
    kind: str,
    where: str,
    hint: str,
    meant: Collection[str] = (),
    ordered: bool = False,
) -> None:
    """Raises on a joint variable outside its column; and on a2, d3, alpha1 outside theirs, unless the name is `meant`
    so or somebody said how the columns are `ordered`."""
    for column, text in cells.items():
        owner = _owner(text) if isinstance(text, str) and column in _COLUMNS else None
        slides = owner == "theta" and column == "d" and kind == "prismatic"  # q3 is any joint's variable
        if owner is None or owner == column or slides:
            continue
        if owner == "theta" or not (ordered or str(text) in meant):
            raise RobotFileError(
                (
                    Message("found {text}, which reads like a joint variable", describe(text))
                    if owner == "theta"
                    else Message("found {text}, which reads like an entry of the column {owner}", describe(text), owner)
                ),
                where=where,
                field=column,
                hint=hint,
            )


def _owner(text: str) -> str | None:
    """The column whose letter, with a number, is all there is."""
    return next((column for column, mark in _OF_COLUMN.items() if mark.fullmatch(text.strip())), None)
