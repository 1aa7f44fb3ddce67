"""Tables as text: any separator, decimal point or comma, names or none, comments, and whatever encoding they have.

How a table is written is found from its numbers: of all separators the one is taken that makes most cells of the first
lines numbers. A column is read as numbers when it is requested, so that columns of text beside do no harm.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from manipula.errors import InputError
from manipula.messages import Message
from manipula.recordings.cells import LOOKED_AT, NUMBER, TextLine, is_stamp, spread_lists, stamps_from
from manipula.recordings.repairs import name_lines
from manipula.recordings.sources import Array, Ask, Column, Source
from manipula.recordings.words import head_of, known_unit, meaning_of, own_heads

NO_NUMBER = frozenset({"", "nan", "na", "n/a", "null", "none", "inf", "+inf", "-inf", "infinity", "-infinity", "-nan",
                       "-", "--", "---", "#n/a", "nil", "missing"})  # fmt: skip
ALONE = re.compile(r"[+-]?\d+,\d+")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
WAYS = (
    (",", "."), ("\t", "."), (";", "."), ("|", "."), (None, "."),
    ("\t", ","), (";", ","), (None, ","), ("|", ","), (",", ","),
)  # fmt: skip  # the last within quotes
MOST_FOREIGN = 0.05  # of the lines: more of them are a column of words
BOMS = ((b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"), (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))  # fmt: skip


class Way(NamedTuple):
    """How cells are written; without a separator, spaces part them. `ended`: a mark stands behind the last one."""

    separator: str | None
    decimal: str
    ended: bool = False

    def cells(self, text: str) -> list[str]:
        whole = text.strip(" \r")
        quoted = self.separator is not None and '"' in whole
        parts = next(csv.reader([whole], delimiter=self.separator or " ")) if quoted else whole.split(self.separator)
        found = [cell.strip().strip("\"'").strip() for cell in parts]
        return found[:-1] if self.ended and len(found) > 1 and not found[-1] else found

    def names(self, text: str) -> list[str]:
        """Cells of a line of names: a mark within quotes parts nothing, nor does a space before a unit."""
        found = self.titles(text)
        return found[:-1] if len(found) > 1 and not found[-1] else found

    def titles(self, text: str) -> list[str]:
        """With an empty one behind the last mark; a line of names may be a comment, or its first name, as `%time`."""
        text = re.sub(r"^\s*(?:#|%|//)+", "", text)
        if self.separator is None:
            return re.split(r"\s+(?![\[({])", text.strip())
        return [cell.strip() for cell in next(csv.reader([text.strip(" \r")], delimiter=self.separator))]

    def number(self, cell: str) -> float | None:
        """NaN where the cell says that the value is missing; None where it is not a number."""
        if self.decimal == ",":
            cell = cell if "." in cell else cell.replace(",", ".", 1)
        if NUMBER.fullmatch(cell):
            return float(cell.replace("d", "e").replace("D", "e"))
        return float("nan") if cell.lower() in NO_NUMBER else None


def read_text(path: Path, ask: Ask) -> Source:
    text = _decode_text(path)
    lines = [TextLine(k, line) for k, line in enumerate(text.split("\n"), 1) if line.strip()]
    return read_lines(path, lines, text.endswith("\n"))


def read_lines(path: Path, lines: Sequence[TextLine], whole: bool, notes: Sequence[str] = ()) -> Source:
    """The table in these lines, of which the last may be cut off where they are not `whole`."""
    lines = list(spread_lists(path, lines))
    body = [line for line in lines if not line.comment]
    way = _way(path, body)
    first = _first_of_numbers(path, body, way)
    way = way._replace(ended=_is_ended(way, body, first))
    rows, foreign = _without_foreign(body[first:], way)
    rows, repairs = _whole(path, rows, way, whole)
    width = len(way.cells(rows[0].text))
    heads, units, nameless = _heads(path, lines, body[:first], rows[0], way, width)
    _refuse_thousands(path, rows, way)
    table = Table(path, way, rows, heads, width)
    columns = [_column(table, k, head, units[k]) for k, head in enumerate(heads)]
    numbers = np.array([line.number for line in rows])
    return Source(str(path), tuple(columns), (*notes, *nameless), (*foreign, *repairs), own_heads(heads), lines=numbers)


def _column(table: Table, k: int, head: str, unit: str) -> Column:
    """Numbers, or times as text, which are seconds from the first."""
    if is_stamp(table.first[k]):
        return Column(head, lambda: table.stamps(k), 1, "s")
    return Column(head, lambda: table.column(k), 1, unit)


def _decode_text(path: Path) -> str:
    data = path.read_bytes()
    if not data.strip():
        raise InputError("{path}: is empty; expected a line of names and a line for every time", path)
    encoding = next((name for mark, name in BOMS if data.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\x00" in data[:200]:
        encoding = "utf-16-le" if data[1:2] == b"\x00" else "utf-16-be"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if "\x00" in text:
        raise InputError("{path}: is no table: it holds bytes that are no text", path)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _way(path: Path, body: list[TextLine]) -> Way:
    """Most numbers, fewest cells that are none."""
    looked = body[1 : LOOKED_AT + 1] or body
    if looked and _one_decimal_a_line([line.text.strip() for line in looked]):
        return Way(None, ",")
    ways = [Way(*way) for way in WAYS]
    scores = [sum(_score(way, line.text) for line in looked) for way in ways]
    best = int(np.argmax(scores)) if scores else 0
    if not body or scores[best] <= 0:
        shown = looked[0].text.strip()[:60] if looked else ""
        raise InputError(
            "{path}: expected a line of names and lines of numbers, parted by comma, semicolon, tab, bar or "
            "spaces; found {shown!r}", path, shown,
        )  # fmt: skip
    return ways[best]


def _one_decimal_a_line(lines: list[str]) -> bool:
    """0,012 alone on its line is no pair of numbers: the second would not begin with a zero, nor always be as long."""
    if not all(ALONE.fullmatch(line) for line in lines):
        return False
    behind = [line.partition(",")[2] for line in lines]
    return any(len(x) > 1 and x[0] == "0" for x in behind) or (len(behind[0]) > 2 and len({*map(len, behind)}) == 1)


def _score(way: Way, text: str) -> int:
    cells = [cell for cell in way.cells(text) if cell]
    numbers = sum(way.number(cell) is not None for cell in cells)
    return max(2 * numbers - len(cells), 0)  # a line of words, `Zeit, A 1, A 2`, is no reason for another mark


def _refuse_thousands(path: Path, rows: list[TextLine], way: Way) -> None:
    """0.004;3,605: a decimal comma, or thousands? One number that cannot be thousands decides."""
    if way.decimal == ".":
        return
    cells = [cell for line in rows[:LOOKED_AT] for cell in way.cells(line.text)]
    commas = [cell for cell in cells if "," in cell and way.number(cell) is not None]
    point = next((cell for cell in cells if "." in cell and NUMBER.fullmatch(cell)), "")
    if point and commas and all(THOUSANDS.fullmatch(cell) for cell in commas):
        raise InputError(
            "{path}: {point!r} has a decimal point, and {commas!r} a comma: thousands, or decimals? Write "
            "numbers with one decimal mark, and no other", path, point, commas[0],
        )  # fmt: skip


def _first_of_numbers(path: Path, body: list[TextLine], way: Way) -> int:
    """The first line that is no head. A line with numbers is not one: names are not numbers."""
    single = all(len(way.cells(line.text)) == 1 for line in body[:LOOKED_AT])  # one number a line, of a set of files
    for whole in (True, False):  # rows that are mostly empty only where there are no others
        for k, line in enumerate(body):
            cells = way.cells(line.text)
            known = [cell for cell in cells if cell]
            numbers = sum(way.number(cell) is not None for cell in known)
            if numbers and numbers * 2 >= len(cells if whole else known) and (len(cells) > 1 or single):
                return _behind_settings(body, way, _from_damaged(body, way, k))
    raise InputError("{path}: expected a line of names and a line for every time, found {count} lines", path, len(body))


def _from_damaged(body: list[TextLine], way: Way, first: int) -> int:
    """Lines above that begin with a number or a time, and are as long, are rows with words in them, not names."""
    width = len(way.cells(body[first].text))
    for k in reversed(range(first)):
        above = way.cells(body[k].text)
        if len(above) != width or not above[0] or _is_foreign(above[:1], way):
            return k + 1
    return 0


def _behind_settings(body: list[TextLine], way: Way, first: int) -> int:
    """Above the names, programs write settings with a number each, `Separator;2`: lines of another length than those
    behind the last line of words."""
    looked = [way.cells(line.text) for line in body[first : first + LOOKED_AT]]
    words = [k for k, cells in enumerate(looked) if len(cells) > 1 and _is_foreign(cells, way)]
    for k in reversed(words):
        behind = [len(cells) for cells in looked[k + 1 :]]
        if behind and len(way.names(body[first + k].text)) == behind[0] and looked[0] and len(looked[0]) != behind[0]:
            return first + k + 1
    return first


def _is_ended(way: Way, body: list[TextLine], first: int) -> bool:
    """Does a mark stand behind the last cell of a line, and no name above what would be an empty cell?"""
    ends = [line.text.rstrip(" \r").endswith(way.separator) for line in body[first:]] if way.separator else []
    if sum(ends) <= (1 - MOST_FOREIGN) * len(ends):
        return False
    names = way.cells(body[first - 1].text) if first else []
    return len(names) != len(way.cells(body[first].text)) or not names[-1]


def _without_foreign(rows: list[TextLine], way: Way) -> tuple[list[TextLine], list[str]]:
    """Lines of words among the numbers, such as heads that stand there again or what a program says: left out."""
    begin = re.compile(r"[\s\"']*[+-]?[.,]?\d")
    odd = {line.number for line in rows if not begin.match(line.text) and _is_foreign(way.cells(line.text), way)}
    if not odd or len(odd) > MOST_FOREIGN * len(rows):
        return rows, []
    told = Message("a line without numbers is left out" if len(odd) == 1 else "lines without numbers are left out")
    return [line for line in rows if line.number not in odd], [name_lines(told, np.array(sorted(odd)))]


def _is_foreign(cells: list[str], way: Way) -> bool:
    return any(cells) and not any(is_stamp(cell) or way.number(cell) is not None for cell in cells if cell)


def _whole(path: Path, rows: list[TextLine], way: Way, ended: bool) -> tuple[list[TextLine], list[str]]:
    """All rows have as many cells as the first, but the last one may be cut off: it is left out."""
    counts = [len(way.cells(line.text)) for line in rows]
    width = counts[0]
    odd = next((k for k, count in enumerate(counts) if count != width), None)
    cut = _cut_off(rows, way, ended)
    if odd is None and not cut:
        return rows, []
    if (odd is None or (odd == len(rows) - 1 and counts[odd] < width)) and len(rows) > 1:
        return rows[:-1], [Message("line {number}, the last, is cut off and left out", rows[-1].number)]
    place = rows[odd or 0]
    raise InputError(
        Message(
            "{path}: line {number}: expected {counts} numbers, found {counts2}; are its commas decimal?",
            path,
            place.number,
            width,
            counts[odd or 0],
        )
        if way.separator == "," and counts[odd or 0] > width
        else Message(
            "{path}: line {line}: expected {count} numbers, found {count2}", path, place.number, width, counts[odd or 0]
        )
    )


def _cut_off(rows: list[TextLine], way: Way, ended: bool) -> bool:
    """Does the file end within a number? Its last cell is then none, or shorter than any before it."""
    if ended or len(rows) < 3:
        return False
    last = way.cells(rows[-1].text)[-1]
    before = [way.cells(line.text)[-1] for line in rows[-LOOKED_AT:-1]]
    if any(way.number(cell) is None for cell in before):
        return False  # a column of text
    return way.number(last) is None or len(last) < min(map(len, before))


def _heads(
    path: Path, lines: list[TextLine], above: list[TextLine], first: TextLine, way: Way, width: int
) -> tuple[list[str], list[str], list[str]]:
    """Names, units and notes: the nearest line above the numbers with as many cells, a row of units between them."""
    units, names = [""] * width, above
    if (
        names
        and len(found := way.cells(names[-1].text)) == width
        and all(known_unit(x.strip("[]()")) for x in found if x)
    ):
        units, names = [cell.strip("[]()") for cell in found], names[:-1]
        if not names:  # a lone `t` or `s` would be a unit, too
            units, names = [""] * width, above
    if not names:
        marked = [line for line in lines if line.number < first.number and line.comment]
        names = marked[-1:]
        names = names if names and len(way.names(names[-1].text)) == width else []
    if not names:
        return [f"column {k}" for k in range(width)], units, [Message("the file has no names of columns")]
    cells = _with_upper_names(way, names, width)
    if odd := next((cell for cell in cells if "." in cell and NUMBER.fullmatch(cell)), ""):
        raise InputError(
            "{path}: line {number}: found {cell!r} among words; expected a line of names and lines of numbers",
            path, names[-1].number, odd,
        )  # fmt: skip
    if len(cells) != width:
        decimal = way.separator == "," and width > len(cells)
        raise InputError(
            "{path}: line {number} has {count} names, line {number2} {width} numbers, parted by {separator!r}: are its "
            "commas decimal? Then cells must be parted by semicolons or tabs" if decimal else
            "{path}: line {number} has {count} names, line {number2} {width} numbers; both must be parted "
            "by the same mark, here {separator!r}",
            path, names[-1].number, len(cells), first.number, width, way.separator or Message("spaces"),
        )  # fmt: skip
    return cells, units, []


def _with_upper_names(way: Way, above: list[TextLine], width: int) -> list[str]:
    """The names; where they say nothing, or stand twice, with those of the line above them: a name there holds for the
    empty cells behind it, `Position,,Torque,` over `J1,J2,J1,J2`."""
    names = _numbered_titles(way.titles(above[-1].text), width) or way.names(above[-1].text)
    if len(above) < 2 or way.separator is None or len(names) != width:
        return names
    said = [meaning_of(*head_of(name)[1:]) for name in names]
    if len({*names}) == width and any(said):
        return names
    upper = way.titles(above[-2].text)
    upper = upper[:-1] if len(upper) == width + 1 and not upper[-1] else upper  # a mark behind the last
    if not 1 < len(upper) <= width:
        return names
    filled: list[str] = []
    for own in [*upper, *[""] * (width - len(upper))]:
        filled.append(own or (filled[-1] if filled else ""))
    whole = [_join_names(*pair) for pair in zip(filled, names)]
    told = len({*whole}) == width and any(meaning_of(*head_of(name)[1:]) for name in whole)
    return whole if told else names


def _numbered_titles(titles: list[str], width: int) -> list[str]:
    """`Time,Position,,,Torque,,` as `Time, Position 1 … 3, Torque 1 … 3`; nothing where titles say otherwise."""
    starts = [k for k, title in enumerate(titles) if title]
    sizes = [b - a for a, b in pairwise([*starts, max(width, len(titles))])]
    wide = [size for size in sizes if size > 1]
    cut = len(titles) < width and len(wide) < 2  # empty cells may be missing behind the last title: another has as many
    if len(titles) > width or cut or starts[:1] != [0] or len({*wide}) != 1 or any(map(str.isdigit, "".join(titles))):
        return []
    found = [(titles[k], i + 1 if size > 1 else 0) for k, size in zip(starts, sizes) for i in range(size)]
    return [_join_names(title, str(number)) if number else title for title, number in found]


def _join_names(upper: str, name: str) -> str:
    """The unit of a title, `Position [deg]`, stands behind the names below it."""
    head, title = head_of(name), head_of(upper)
    if not title.unit or head.unit:
        return " ".join(filter(None, (upper, name)))
    return f"{' '.join(title.words)} {name} [{title.unit}]"


class Table:
    """The lines of numbers, read all at once where possible, and otherwise by columns."""

    def __init__(self, path: Path, way: Way, rows: list[TextLine], heads: list[str], width: int) -> None:
        self.path, self.way, self.rows, self.heads, self.width = path, way, rows, heads, width
        self._quick = self._at_once()

    def _at_once(self) -> Array | None:
        """All cells by numpy; None where some are no plain numbers, or so long that floats would lose digits."""
        texts = [line.text for line in self.rows]
        if self.way.decimal == ",":
            texts = [text.replace(",", ".") for text in texts]
        if any(len(digits) > 15 for digits in re.findall(r"(?<![.\d])\d+(?!\.)", texts[0])):
            return None
        try:
            found = np.loadtxt(texts, delimiter=self.way.separator, ndmin=2, comments=None)
        except ValueError:
            return None
        return found if found.shape == (len(self.rows), self.width) else None

    @cached_property
    def _cells(self) -> list[list[str]]:
        return [self.way.cells(line.text) for line in self.rows]

    @property
    def first(self) -> list[str]:
        return self.way.cells(self.rows[0].text)

    def stamps(self, k: int) -> Array:
        """Times of day or of a date, in seconds from the first row's."""
        cells = [row[k] for row in self._cells]
        found = stamps_from(cells)
        for cell, value, line in zip(cells, found, self.rows):
            if value is None and cell.lower() not in NO_NUMBER:
                raise InputError(
                    "{path}: line {number}: column {k} ({heads}): found {cell!r:.60}, expected a time like "
                    "{cells!r:.60}",
                    self.path, line.number, k + 1, self.heads[k], cell, cells[0],
                )  # fmt: skip
        first = found[0] or 0
        return np.array([np.nan if value is None else (value - first) * 1e-9 for value in found])

    def column(self, k: int) -> Array:
        if self._quick is not None:
            return self._quick[:, k]
        cells = [row[k] for row in self._cells]
        if all(re.fullmatch(r"[+-]?\d{1,18}|[0-8]\d{18}", cell) for cell in cells):
            return np.array([int(cell) for cell in cells], np.int64)
        if self.way.decimal == "." and not any("_" in cell for cell in cells):  # float() would take 1_000
            with suppress(ValueError):
                return np.array([float(cell or "nan") for cell in cells])
        return np.array([self._number(cell, line, k) for cell, line in zip(cells, self.rows)], float)

    def _number(self, cell: str, line: TextLine, k: int) -> float:
        value = self.way.number(cell)
        if value is None:
            raise InputError(
                "{path}: line {number}: column {k} ({heads}): found {cell!r:.60}, expected a number",
                self.path, line.number, k + 1, self.heads[k], cell,
            )  # fmt: skip
        return value
