"""How a drawing changes with its letters, for pages that have no Python: every number of a record over a letter.

A record made of lengths is a sum of them: points along the steps, and sizes that are shares of the whole. So one slope
for each number draws the arm for any value. It is tried at half and twice the stand-in; a letter for which it is not so
(an angle, in which points turn) has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from manipula.mechanics.drawing.record import drawing_of
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import number

Path = tuple[str | int, ...]
PARTS = ("size", "reach", "floor", "base", "joints", "links", "tool", "payload")
STEP = 0.25  # of the value, to both sides
ENDS = (0.5, 2.0)  # of the value: where a slope is tried; a link that nearly vanishes loses solids
NEAR = 0.01  # of the arm's size: what nobody sees
FAINT = 1e-9


def slopes_of(robot: RobotDescription, record: Mapping[str, Any]) -> dict[str, list[list[Any]]]:
    """Letter → its changes, [path…, slope], for every letter of the geometry without a value of its own."""
    found = {name: _slopes(robot, record, name, value) for name, value in record["stand_ins"].items()}
    return {name: slopes for name, slopes in found.items() if slopes is not None}


def _slopes(robot: RobotDescription, record: Mapping[str, Any], name: str, value: float) -> list[list[Any]] | None:
    def at(share: float) -> dict[Path, float]:
        given = replace(robot, values=(*robot.values, (name, number(share * value))))
        return dict(_numbers(drawing_of(given)))

    here, low, high = dict(_numbers(record)), at(1 - STEP), at(1 + STEP)
    if not value or not here.keys() == low.keys() == high.keys():
        return None
    slopes = {path: (high[path] - low[path]) / (2 * STEP * value) for path in here}
    for share in ENDS:
        there, moved = at(share), (share - 1) * value
        if there.keys() != here.keys():
            return None
        off = (abs(here[path] + moved * slope - there[path]) for path, slope in slopes.items() if path[0] != "reach")
        if max(off) > NEAR * record["size"]:  # what can be reached is for the camera alone, and need not be exact
            return None
    return [[*path, round(slope, 9)] for path, slope in slopes.items() if abs(slope) > FAINT]


def _numbers(record: Mapping[str, Any]) -> Iterator[tuple[Path, float]]:
    for part in PARTS:
        yield from _inside((part,), record.get(part))


def _inside(path: Path, value: Any) -> Iterator[tuple[Path, float]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _inside((*path, str(key)), item)
    elif isinstance(value, list):
        for k, item in enumerate(value):
            yield from _inside((*path, k), item)
    elif isinstance(value, float | int) and not isinstance(value, bool):
        yield path, float(value)
