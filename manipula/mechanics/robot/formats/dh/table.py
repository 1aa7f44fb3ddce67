"""A pasted table: which lines are rows, what separates the columns, what the header calls them.

Commas, semicolons, tabs, pipes (Markdown, box drawings), LaTeX `&` or blanks; English or Portuguese headers, Greek
letters, units in brackets, `alpha(i-1)` for the modified convention; `# key = value` lines before the table.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.source import joint_label, refuse_too_many
from manipula.messages import Message
from manipula.support.text import without_accents

_WORDS = {
    "theta": ("theta", "teta", "θ", "ϑ", "th"),
    "d": ("d",),
    "a": ("a",),
    "alpha": ("alpha", "alfa", "α", "⍺"),
    "offset": ("offset", "deslocamento"),
    "type": ("type", "tipo", "kind", "sigma", "σ", "rp", "r/p"),
    "direction": ("direction", "sentido", "direcao"),
    "name": ("joint", "junta", "elo", "ligacao", "link", "articulacao", "name", "nome", "eixo", "axis", "i", "j", "n",
             "k", "#", "no", "nr", "number", "row", "linha", "jointnumber", "jointno", "linknumber", "linkno", "gelenk",
             "glied", "achse", "articulation", "corps", "eslabon", "giunto", "关节", "连杆", ""),
}  # fmt: skip
_COLUMN_OF = {word: column for column, words in _WORDS.items() for word in words}
_NEEDED = ("theta", "d", "a", "alpha")
_CAPTION = 5  # lines in front of a header, at most
_BARE = (4, 5, 6)  # columns without a header: a number before them, a type behind them
_SAME = str.maketrans("−–—│┃║₀₁₂₃₄₅₆₇₈₉₋₊ᵢⱼ×˚º\u00a0", "---|||0123456789-+ij*°° ", "$`\u200b\ufeff")
_RULE = re.compile(r"[\s|+\-=:_┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝─═╞╪╡]+|\\(hline|toprule|midrule|bottomrule)")
_WORD_OF_UNIT = r"(deg|graus?|degrees?|°|rad|radianos?|radians?|mm|cm|m|met(?:ro|re|er)s?)"
_UNIT = re.compile(rf"[\[(]\s*{_WORD_OF_UNIT}\s*[\])]|(?:[/,]|\s(?:in|em)\s)\s*{_WORD_OF_UNIT}\s*$", re.I)
_NUMBERED = re.compile(r"\d|π|\bpi\b")
_TURN = re.compile(r"\s*[-+−]?\s*\\?(?:theta|teta|θ|ϑ)_?\{?\d", re.I)
_PREVIOUS = re.compile(r"[_({\[\s]*[ijkn]\s*-\s*1[)}\]]*")


@dataclass(frozen=True)
class PastedTable:
    """The table as text cells, by column; `rows` have as many cells as `columns`."""

    columns: tuple[str, ...]
    units: tuple[str, ...]  # deg, rad, m, mm, or nothing, by column
    rows: tuple[tuple[str, ...], ...]
    decimal_comma: bool = True  # may a comma be a decimal sign? not where it separates the columns
    modified: bool = False  # the header writes alpha(i-1)
    settings: dict[str, str] = field(default_factory=dict)
    assumed: bool = False  # there is no header, and nobody said the order of the columns


def columns_from_words(columns: str | Sequence[str]) -> tuple[str, ...]:
    """The order of columns as a caller says it: "alpha a d theta"."""
    words = re.split(r"[\s,;|]+", columns.strip()) if isinstance(columns, str) else columns
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise RobotFileError("columns must be words", field="header", hint='as in columns="alpha a d theta"')
    named = [name for name, _, _ in _header(list(words))]
    _refuse_bad_columns(named)
    return tuple(named)


def table_from_text(text: str, order: Sequence[str] | None = None, modified: bool = False) -> PastedTable:
    """Finds the table in the text. Without a header line and an `order` of the columns, they are as books print them:
    alpha, a, d, theta of the `modified` convention, else theta, d, a, alpha; the column of the marked variables
    decides first."""
    settings, lines = _lines(text)
    refuse_too_many(len(lines) - 1)
    if not lines:
        raise RobotFileError(
            "there is no table", hint="expected a header such as theta, d, a, alpha and a row per joint"
        )
    lines = lines[_caption_length(lines) :]
    with_header = _is_header(lines[0])
    cells, comma = _split(lines, () if with_header else (len(order),) if order else _BARE)
    bare = () if with_header else order or _columns_of(cells, lines[0], modified)
    header = _header(cells[0]) if with_header else [(name, "", False) for name in bare]
    columns = [name for name, _, _ in header]
    _refuse_bad_columns(columns)
    body = cells[1:] if with_header else cells
    _refuse_ragged(body, len(columns))
    shifted = any(previous and name in ("a", "alpha") for name, _, previous in header)
    return PastedTable(
        tuple(columns), tuple(unit for _, unit, _ in header), tuple(map(tuple, body)), comma, shifted, settings,
        assumed=not with_header and order is None,
    )  # fmt: skip


def _columns_of(rows: list[list[str]], first: str, modified: bool) -> tuple[str, ...]:
    """The columns of a table without a header, a number of the row before them and a type behind them allowed for. A
    line without any number is a header that is not understood."""
    width = len(rows[0])
    numbered = width > len(_NEEDED) and all(row[:1] == [str(i)] for i, row in enumerate(rows, 1))
    typed = width - numbered == len(_NEEDED) + 1 and all(row[-1].strip().isalpha() for row in rows)
    if width != len(_NEEDED) + numbered + typed or not all(any(map(_NUMBERED.search, row)) for row in rows):
        raise RobotFileError(
            "the first line is not a header: {first!r}",
            first.strip()[:60],
            field="header",
            hint="begin with a line such as theta, d, a, alpha in the order of the columns",
        )
    turned = {place - numbered for row in rows for place, cell in enumerate(row) if _TURN.match(cell)}
    backwards = modified if len(turned) != 1 else turned == {3}
    order = tuple(reversed(_NEEDED)) if backwards else _NEEDED
    return (*(("name",) if numbered else ()), *order, *(("type",) if typed else ()))


def _header(cells: list[str]) -> list[tuple[str, str, bool]]:
    header = []
    for cell in cells:
        name, unit, previous = _heading(cell)
        if name is None:
            raise _unknown_column(cell)
        header.append((name, unit, previous))
    return header


def _refuse_ragged(rows: list[list[str]], width: int) -> None:
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            told, shown = Message("has {count} cells, the header has {width}", len(row), width), " | ".join(row)[:60]
            raise RobotFileError(
                told, where=joint_label(number, None), field="row", hint=Message("the row reads {shown!r}", shown)
            )
    if not rows:
        raise RobotFileError("there are no rows", field="joint", hint="expected one row per joint below the header")


def _lines(text: str) -> tuple[dict[str, str], list[str]]:
    """Settings from comment lines, then the lines of the table."""
    settings: dict[str, str] = {}
    lines: list[str] = []
    for line in text.translate(_SAME).splitlines():
        line = re.sub(r"\\\\\s*(\\hline)?\s*$", "", line).strip("\r\n ")
        comment = re.match(r"\s*(#(?!\s*[,;|\t])|//|%)", line)
        if comment and not lines and _is_header(line[comment.end() :]) and "=" not in line:
            lines.append(line[comment.end() :].strip())
        elif comment:
            key, equals, value = line.lstrip("#/% ").partition("=")
            settings.update({key.strip(): value.strip()} if equals else {})
        elif line.strip() and not _RULE.fullmatch(line.strip()):
            lines.append(line)
    return settings, lines


def _caption_length(lines: list[str]) -> int:
    """How many lines are text in front of the header: sentences, no rows of a table."""
    header = next((number for number, line in enumerate(lines[:_CAPTION]) if _is_header(line)), 0)
    cells = (re.split(r"[;|&\t]+", line) for line in lines[:header])
    return 0 if any(len(row) >= len(_NEEDED) or _is_number(row[0].split()[0]) for row in cells) else header


def _is_number(word: str) -> bool:
    return bool(re.fullmatch(r"[-+]?[\d.,]+°?", word))


def _is_header(line: str) -> bool:
    """Whether three of the four columns are named; the fourth may be misspelt."""
    words = re.split(r"[,;|&\t]+", line) if re.search(r"[,;|&\t]", line) else re.sub(r"\s+(?=[(\[])", "", line).split()
    return len({_heading(word)[0] for word in words} & set(_NEEDED)) >= 3


def _split(lines: list[str], widths: tuple[int, ...]) -> tuple[list[list[str]], bool]:
    """The cells of every line, by the separator the first line shows; and whether a comma may be a decimal sign.

    Without a header the `widths` a row may have tell a separating comma from a decimal one.
    """
    if widths and all(line[-1] in ",;\t&" for line in lines):
        lines = [line[:-1] for line in lines]  # the mark behind the last column
    first = lines[0]
    for mark in ("|", "\t", ";", "&"):
        if mark in first:
            return [_by_mark(line, mark) for line in lines], True
    if "," in first and (not widths or _separates(lines, widths)):
        return [_by_mark(line, ",") for line in lines], any('"' in line for line in lines)
    wide = [re.split(r"\s{2,}", line.strip()) for line in lines]
    if len({len(row) for row in wide}) == 1 and len(wide[0]) >= len(_NEEDED):
        return wide, True
    tight = [re.sub(r"\s+(?=[(\[])", "", first), *lines[1:]] if not widths else lines
    return [line.split() for line in tight], True


def _separates(lines: list[str], widths: tuple[int, ...]) -> bool:
    """Is the comma what is between columns, not a decimal sign in columns set apart by blanks?"""
    rows = [_by_mark(line, ",") for line in lines]
    two = any(re.search(r"\d\s+[-+\d]", cell) for row in rows for cell in row)
    return len(rows[0]) in widths and len({len(row) for row in rows}) == 1 and not two


def _by_mark(line: str, mark: str) -> list[str]:
    if mark == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True))]


def _heading(cell: str) -> tuple[str | None, str, bool]:
    """(column if known, unit, whether it is of the previous link)."""
    unit = _UNIT.search(cell)
    text = _UNIT.sub("", cell).replace("\\", "").strip().strip('"')
    bare = _PREVIOUS.sub("", text)
    return _lookup(bare), _unit(unit[1] or unit[2]) if unit else "", bare != text


def _unit(text: str) -> str:
    text = text.lower()
    if text in ("m", "mm", "cm"):
        return text
    return "m" if text.startswith("m") else "rad" if text.startswith("rad") else "deg"


def _plain(text: str) -> str:
    """Lower case, without accents, brackets, dots, blanks."""
    return re.sub(r"[\s_{}()\[\].*°]", "", without_accents(text.lower()))


def _lookup(text: str) -> str | None:
    word = _plain(text)
    return _COLUMN_OF.get(word) or _COLUMN_OF.get(re.sub(r"[ijkn]$", "", word))


def _unknown_column(text: str) -> RobotFileError:
    word = _plain(text)
    if re.fullmatch("r[ijkn]?", word):
        told, hint = (
            Message("column 'r' means a to some authors and d to others"),
            Message("call it a (along x) or d (along z)"),
        )
        return RobotFileError(told, field="header", hint=hint)
    near = get_close_matches(word, _COLUMN_OF, n=1)
    known = Message("expected theta, d, a, alpha, and perhaps joint, type, offset, direction")
    hint = Message("did you mean {column_of!r}?", _COLUMN_OF[near[0]]) if near else known
    return RobotFileError("unknown column {text!r}", text.strip()[:40], field="header", hint=hint)


def _refuse_bad_columns(columns: Sequence[str]) -> None:
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise RobotFileError(
            "there is no column {missing}", ", ".join(missing), field="header", hint="expected theta, d, a and alpha"
        )
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        raise RobotFileError("there are two columns {twice!r}", twice[0], field="header", hint="expected one of each")
