"""A robot file written anew by changing what has changed: comments, order and numbers as typed stay where they are.

Three texts: the file as it lies there, and the robot in our own writing before and after the edit. What differs between
the latter two is changed in the first. Whoever calls this reads the result again, and takes it only if it is the robot.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from copy import deepcopy
from typing import Any

Table = MutableMapping[str, Any]
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'")


def has_comments(text: str) -> bool:
    return any("#" in _QUOTED.sub("", line) for line in text.splitlines())


def edited(file: str, before: str, after: str) -> str:
    """The file with the changes from `before` to `after`."""
    import tomlkit

    made = tomlkit.parse(file)
    _change(made, tomlkit.parse(before), tomlkit.parse(after))
    return tomlkit.dumps(made)


def _is_table(item: object) -> bool:
    from tomlkit.items import AbstractTable

    return isinstance(item, AbstractTable)


def _tables(item: object) -> bool:
    """[[joint]], one after the other."""
    from tomlkit.items import AoT

    return isinstance(item, AoT)


def _change(made: Table, before: Table, after: Table) -> None:
    for key in [key for key in before if key not in after]:
        made.pop(key, None)
    for key, item in after.items():
        known: Any = before.get(key)
        here: Any = made.get(key)
        if known is not None and _said(known) == _said(item):
            continue
        if _is_table(item) and _is_table(here):
            _change(here, known if _is_table(known) else {}, item)
        elif _tables(item) and _tables(here) and _tables(known) and len(here) == len(known):
            _change_list(made, key, known, item)
        else:
            made[key] = deepcopy(item)


def _change_list(made: Table, key: str, before: Sequence[Table], after: Sequence[Table]) -> None:
    """Tables that are still there keep their place in the text; they are known by their names, else by their number."""
    here = list(made[key])
    kept = _partners(before, after)
    if kept == list(range(len(before))):
        for table, known, item in zip(here, before, after, strict=True):
            _change(table, known, item)
        return
    for i in reversed(range(len(here))):
        del made[key][i]
    for k, item in enumerate(after):
        place = kept[k]
        if place is not None:
            _change(here[place], before[place], item)
        made[key].append(here[place] if place is not None else deepcopy(item))


def _partners(before: Sequence[Table], after: Sequence[Table]) -> list[int | None]:
    names = [table.get("name") for table in before]
    found = [
        names.index(name) if (name := table.get("name")) in names and name is not None else None for table in after
    ]
    alike = len(before) == len(after) and len(set(names)) == len(names)
    free = [k for k in range(len(before)) if k not in found] if alike else []
    return [k if k is not None else (i if i in free else None) for i, k in enumerate(found)]


def _said(item: Any) -> Any:
    return item.unwrap() if _is_table(item) or _tables(item) else item.as_string()
