"""Workbooks of Excel: the sheet with most cells as lines of text, which are read as a table's.

A workbook is an archive of XML: sheets refer to shared texts by number, and a date is a count of days whose style says
that it is one. Cells that are not there are empty.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

from manipula.errors import InputError
from manipula.messages import Message
from manipula.recordings.cells import TextLine
from manipula.recordings.sources import Ask, Source
from manipula.recordings.text_files import read_lines

MARK = "\t"
DATES = frozenset((*range(14, 23), *range(45, 48)))  # formats of dates and times that are not written in the file
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
EPOCH, EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
LONGEST = 16384  # columns that a sheet may have


class Book(NamedTuple):
    """What the cells of all sheets refer to: texts, which styles are dates, and the day they count from."""

    texts: list[str]
    dates: list[bool]
    epoch: datetime


def read_xlsx(path: Path, ask: Ask) -> Source:
    try:
        with ZipFile(path) as archive:
            sheets = _sheets(archive)
            book = _book(archive)
            lines = {name: list(_lines(archive, place, book)) for name, place in sheets.items() if place}
    except (BadZipFile, KeyError, ET.ParseError) as error:
        raise InputError("{path}: is no workbook of Excel: {error}", path, error) from None
    name = max(lines, key=lambda name: sum(len(line.text) for line in lines[name]), default="")
    if not name or not lines[name]:
        raise InputError("{path}: is empty; expected a line of names and a line for every time", path)
    others = ", ".join(repr(other) for other in lines if other != name and lines[other])
    notes = (Message("the sheet {name!r} is read; left out {others}", name, others),) if others else ()
    return read_lines(path, lines[name], whole=True, notes=notes)


def _sheets(archive: ZipFile) -> dict[str, str]:
    """Their files by name, in the book's order."""
    targets = {x.get("Id", ""): x.get("Target", "") for x in _tree(archive, "xl/_rels/workbook.xml.rels")}
    places = {key: target.removeprefix("/").removeprefix("xl/") for key, target in targets.items()}
    sheets = [x for x in _tree(archive, "xl/workbook.xml").iter() if _tag(x) == "sheet"]
    found = {x.get("name", ""): places.get(x.get(RELATION, ""), "") for x in sheets}
    return {name: f"xl/{place}" for name, place in found.items() if place.startswith("worksheets/")}


def _book(archive: ZipFile) -> Book:
    parts = archive.namelist()
    texts: list[str] = []
    if "xl/sharedStrings.xml" in parts:
        texts = [_text(x) for x in _tree(archive, "xl/sharedStrings.xml") if _tag(x) == "si"]
    dates: list[bool] = []
    if "xl/styles.xml" in parts:
        dates = _date_styles(_tree(archive, "xl/styles.xml"))
    settings = [x for x in _tree(archive, "xl/workbook.xml").iter() if _tag(x) == "workbookPr"]
    late = any(x.get("date1904") in ("1", "true") for x in settings)
    return Book(texts, dates, EPOCH_1904 if late else EPOCH)


def _date_styles(styles: ET.Element) -> list[bool]:
    """Of every style of a cell: does it show a date or a time?"""
    codes = {int(x.get("numFmtId", "0")): x.get("formatCode", "") for x in styles.iter() if _tag(x) == "numFmt"}
    shown = {key: re.sub(r'"[^"]*"|\[(?!h|m|s)[^\]]*\]|\\.', "", code.lower()) for key, code in codes.items()}
    timed = DATES | {key for key, code in shown.items() if re.search(r"[hsdy]", code)}
    cells = next((x for x in styles if _tag(x) == "cellXfs"), None)
    return [int(x.get("numFmtId", "0")) in timed for x in (cells if cells is not None else ())]


def _lines(archive: ZipFile, place: str, book: Book) -> Iterator[TextLine]:
    """Rows with something in them, all as long as the longest, under their own numbers."""
    rows: dict[int, dict[int, str]] = {}
    with archive.open(place) as file:
        for _, element in ET.iterparse(file):
            if _tag(element) != "row":
                continue
            number = int(element.get("r") or len(rows) + 1)
            cells = _cells(element, book)
            element.clear()
            if any(cells.values()):
                rows[number] = cells
    width = max((max(cells) + 1 for cells in rows.values()), default=0)
    for number in sorted(rows):
        yield TextLine(number, MARK.join(rows[number].get(k, "") for k in range(width)))


def _cells(row: ET.Element, book: Book) -> dict[int, str]:
    found: dict[int, str] = {}
    for cell in row:
        place = re.match(r"[A-Z]+", cell.get("r") or "")
        column = _column(place[0]) if place else len(found)
        if column < LONGEST and (text := _cell(cell, book)):
            found[column] = text
    return found


def _column(letters: str) -> int:
    """A is 0, Z 25, AA 26."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _cell(cell: ET.Element, book: Book) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _plain("".join(_text(x) for x in cell if _tag(x) == "is"))
    value = next((x.text or "" for x in cell if _tag(x) == "v"), "")
    if kind == "s":
        return _plain(book.texts[int(value)]) if value else ""
    style = int(cell.get("s", "0"))
    if kind == "n" and value and style < len(book.dates) and book.dates[style]:
        return _moment(float(value), book.epoch)
    return _plain(value)


def _moment(days: float, epoch: datetime) -> str:
    """A day and its time; a time alone below one day."""
    moment = epoch + timedelta(days=days)
    return moment.strftime("%H:%M:%S.%f" if 0 <= days < 1 else "%Y-%m-%dT%H:%M:%S.%f")


def _plain(text: str) -> str:
    """On one line, without the mark of cells."""
    return " ".join(text.split())


def _text(element: ET.Element) -> str:
    """Of all runs of a text, each of which may look different; how it is spoken stands beside and is left out."""
    parts: list[str] = []
    for child in element:
        if _tag(child) == "t":
            parts.append(child.text or "")
        elif _tag(child) == "r":
            parts.append(_text(child))
    return "".join(parts)


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _tree(archive: ZipFile, name: str) -> ET.Element:
    return ET.fromstring(archive.read(name))
