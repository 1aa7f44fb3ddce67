"""Times written as text: 2026-01-02T23:59:59.5, with a zone or without, 02.01.2026 23:59:59,5, or 23:59:59.5 alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

DAY = 24 * 3600 * 10**9  # ns
CLOCK = r"(?P<h>\d{1,2}):(?P<min>\d\d):(?P<s>\d\d)(?:[.,](?P<part>\d+))?"
YEAR_FIRST = r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"
DAY_FIRST = r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"  # with slashes it may be the month
ZONE = r"\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?"
FORMS = tuple(re.compile(form) for form in (f"{YEAR_FIRST}[T _]{CLOCK}{ZONE}", f"{DAY_FIRST}[T _]{CLOCK}", CLOCK))


def is_stamp(cell: str) -> bool:
    return _form(cell) is not None


def _form(cell: str) -> re.Pattern[str] | None:
    return next((form for form in FORMS if form.fullmatch(cell)), None)


def stamps_from(cells: Sequence[str]) -> list[int | None]:
    """Nanoseconds since 1970, or since midnight where there is no date; None of a cell that is of another form than the
    first. A clock without a date that falls by more than half a day has passed midnight."""
    form = _form(cells[0]) if cells else None
    found = [None if form is None else _nanoseconds(form, cell) for cell in cells]
    return _over_midnight(found) if form is FORMS[-1] else found


def _nanoseconds(form: re.Pattern[str], cell: str) -> int | None:
    match = form.fullmatch(cell)
    if match is None:
        return None
    told = {name: text or "" for name, text in match.groupdict().items()}
    hours, minutes, seconds = int(told["h"]), int(told["min"]), int(told["s"])
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
