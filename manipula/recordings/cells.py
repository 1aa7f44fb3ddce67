"""Cells of a table that are more than a number: times as text, and lists with a number for every joint.

Programs that write messages into tables give a cell to every field: `"[0.1, 0.2]"`, `"(0.1, 0.2)"`,
`"array('d', [0.1, 0.2])"`, and the names of the joints beside them, `"['elbow', 'wrist']"`. Such a line is spread: a
cell for every number, headed `position[0]`, or `position elbow` where the line names its joints.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from manipula.errors import InputError

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][+-]?\d+)?")
COMMENTS = ("#", "%", "//")
LOOKED_AT = 40  # lines


class TextLine(NamedTuple):
    """A line with its number in the file, from one."""

    number: int
    text: str

    @property
    def comment(self) -> bool:
        return self.text.lstrip().startswith(COMMENTS)


# Times written as text: 2026-01-02T23:59:59.5, with a zone or without, 02.01.2026 23:59:59,5, 1/2/2026 11:59:59.5 PM,
# or 23:59:59.5 alone.

DAY = 24 * 3600 * 10**9  # ns
CLOCK = r"(?P<h>\d{1,2}):(?P<min>\d\d):(?P<s>\d\d)(?:[.,:](?P<part>\d+))?(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
YEAR_FIRST = r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"
DAY_FIRST = r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"
EITHER_FIRST = (r"(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{4})", r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})")
ZONE = r"\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?"
SLASHED = tuple(re.compile(f"{day}[T _]{CLOCK}") for day in EITHER_FIRST)
PLAIN = re.compile(CLOCK)
FORMS = (re.compile(f"{YEAR_FIRST}[T _]{CLOCK}{ZONE}"), re.compile(f"{DAY_FIRST}[T _]{CLOCK}"), *SLASHED, PLAIN)


def is_stamp(cell: str) -> bool:
    return _form(cell) is not None


def _form(cell: str) -> re.Pattern[str] | None:
    return next((form for form in FORMS if form.fullmatch(cell)), None)


def stamps_from(cells: Sequence[str]) -> list[int | None]:
    """Nanoseconds since 1970, or since midnight where there is no date; None of a cell that is of another form than the
    first. A clock without a date that falls by more than half a day has passed midnight. With slashes the day or the
    month may be first: as the recording is shorter, and all of it is a time."""
    form = _form(cells[0]) if cells else None
    forms = SLASHED if form in SLASHED else (form,)
    found = min(([None if x is None else _nanoseconds(x, cell) for cell in cells] for x in forms), key=_span)
    return _over_midnight(found) if form is PLAIN else found


def _span(times: Sequence[int | None]) -> tuple[int, int]:
    """How many are no times, and how long the others last."""
    known = [time for time in times if time is not None]
    return len(times) - len(known), max(known, default=0) - min(known, default=0)


def _nanoseconds(form: re.Pattern[str], cell: str) -> int | None:
    match = form.fullmatch(cell)
    if match is None:
        return None
    told = {name: text or "" for name, text in match.groupdict().items()}
    hours, minutes, seconds = int(told["h"]), int(told["min"]), int(told["s"])
    if told["half"]:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + 12 * (told["half"] in "pP")
    if hours > 23 or minutes > 59 or seconds > 60:  # 60: a leap second
        return None
    total = ((hours * 60 + minutes) * 60 + seconds) * 10**9 + int(told["part"][:9].ljust(9, "0") or 0)
    try:
        days = date(int(told["y"]), int(told["m"]), int(told["d"])).toordinal() if "y" in told else 0
    except ValueError:  # the 30th of February
        return None
    return total + (days - date(1970, 1, 1).toordinal() if days else 0) * DAY - _zone(told.get("zone", ""))


def _zone(text: str) -> int:
    """Ahead of UTC, in ns."""
    if not text or text in ("Z", "UTC"):
        return 0
    minutes = 60 * int(text[1:3]) + int(text[-2:])
    return (-1 if text[0] == "-" else 1) * minutes * 60 * 10**9


def _over_midnight(times: Sequence[int | None]) -> list[int | None]:
    found: list[int | None] = []
    days, before = 0, 0
    for time in times:
        if time is not None:
            days += time < before - DAY // 2
            before = time
        found.append(None if time is None else time + days * DAY)
    return found


# Lists in cells.

MARKS = ",;\t|"  # that part cells
LIST = re.compile(
    rf"""(?:(?<=[{MARKS}])|^)[ ]*(?P<quote>"?)\s*(?:array\(\s*(?:'\w'\s*,)?\s*)?  # behind a mark, in quotes or not
    [\[(](?P<inner>[^\[\]()"]*)[\])]\s*(?:,\s*dtype=\w+\s*)?\)?\s*(?P=quote)[ ]*(?=[{MARKS}]|$)""",
    re.VERBOSE,
)
NOT_A_NUMBER = frozenset({"nan", "-nan", "inf", "-inf", "none", "null"})


def spread_lists(path: Path, lines: Sequence[TextLine]) -> Sequence[TextLine]:
    """Lines with a cell for every number of a list; as they are where they have no lists."""
    body = [line for line in lines if not line.comment]
    rows = [line for line in body[: LOOKED_AT + 1] if _has_list(line.text)]
    if not body or 2 * len(rows) < min(len(body), LOOKED_AT):
        return lines
    first = next(k for k, line in enumerate(lines) if line.number == rows[0].number)
    mark = _mark(lines[first].text)
    model = _parts(lines[first].text, mark)
    joints = next((part for part in model if isinstance(part, list) and not _all_numbers(part)), [])
    head = next((k for k in range(first - 1, -1, -1) if not lines[k].comment), None)
    found = list(lines)
    for k in range(first, len(lines)):
        if not lines[k].comment:
            found[k] = TextLine(lines[k].number, mark.join(_spread_row(path, lines[k], mark, joints)))
    if head is not None:
        found[head] = TextLine(lines[head].number, mark.join(_spread_names(lines[head].text, mark, model, joints)))
    return found


def _has_list(text: str) -> bool:
    return any(_all_numbers(_elements(match["inner"])) for match in LIST.finditer(text.strip()))


def _mark(text: str) -> str:
    """What parts the cells: it stands before or behind the first list."""
    line = text.strip()
    match = next(match for match in LIST.finditer(line) if _all_numbers(_elements(match["inner"])))
    return line[match.start() - 1] if match.start() else line[match.end() : match.end() + 1] or ","


def _elements(inner: str) -> list[str]:
    """Parted by commas, or by spaces as numpy prints them."""
    return [x.strip("'") for x in re.split(r"[,;\s]+", inner.strip().strip(",")) if x]


def _all_numbers(elements: Sequence[str]) -> bool:
    return bool(elements) and all(NUMBER.fullmatch(x) or x.lower() in NOT_A_NUMBER for x in elements)


def _parts(text: str, mark: str) -> list[str | list[str]]:
    """Cells; those that are lists as their elements."""
    lists: list[list[str]] = []

    def keep(match: re.Match[str]) -> str:
        lists.append(_elements(match["inner"]))
        return f"\0{len(lists) - 1}"

    cells = next(csv.reader([LIST.sub(keep, text.strip())], delimiter=mark), [])
    return [lists[int(cell[1:])] if cell.startswith("\0") else cell for cell in cells]


def _spread_row(path: Path, line: TextLine, mark: str, joints: Sequence[str]) -> list[str]:
    """Names of joints must be those of the first line, and are left out."""
    found: list[str] = []
    for part in _parts(line.text, mark):
        if not isinstance(part, list):
            found.append(f'"{part}"' if mark in part else part)
        elif _all_numbers(part) or not part:
            found += part
        elif part != joints:
            raise InputError(
                "{path}: line {number}: joints are {names}, and {others} before; record them in one order",
                path,
                line.number,
                ", ".join(part),
                ", ".join(joints),
            )
    return found


def _spread_names(text: str, mark: str, model: Sequence[str | list[str]], joints: Sequence[str]) -> list[str]:
    names = next(csv.reader([text.strip()], delimiter=mark), [])
    if len(names) != len(model):  # refused with both counts, where names are read
        return names
    found: list[str] = []
    for name, part in zip(names, model):
        if not isinstance(part, list):
            found.append(name)
        elif _all_numbers(part):
            named = len(part) == len(joints)
            found += [f"{name} {joints[k]}" if named else f"{name}[{k}]" for k in range(len(part))]
    return found
