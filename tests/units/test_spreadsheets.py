"""Recordings in workbooks of Excel: texts, dates, empty cells, several sheets; and arrays in a file of their own."""

from __future__ import annotations

import warnings
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences
from tests.log_tables import arm, motion

JOINTS = 2
ROBOT = arm([f"x{k}" for k in range(JOINTS)])
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = (  # 0: numbers, 1: a date of the format itself, 2: one that is written here, 3: a colour that looks like one
    f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="hh:mm:ss.000"/>'
    '<numFmt numFmtId="165" formatCode="[Red]0.00&quot; s&quot;"/></numFmts>'
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>'
)
Cell = str | float | tuple[float, int] | None  # a number with its style


def letters(k: int) -> str:
    return letters(k // 26 - 1) + chr(65 + k % 26) if k > 25 else chr(65 + k)


def workbook(path: Path, sheets: dict[str, list[list[Cell]]], rng: np.random.Generator, late: bool = False) -> Path:
    """As Excel writes it; whether texts are shared, and whether cells bear their places, is drawn."""
    texts: list[str] = []

    def cell(value: Cell, row: int, column: int, placed: bool) -> str:
        at = f' r="{letters(column)}{row}"' if placed else ""
        if isinstance(value, str) and rng.random() < 0.5:
            return f'<c{at} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        if isinstance(value, str):
            texts.append(value)
            return f'<c{at} t="s"><v>{len(texts) - 1}</v></c>'
        number, style = value if isinstance(value, tuple) else (value, 0)
        return f'<c{at} s="{style}"/>' if number is None else f'<c{at} s="{style}"><v>{number!r}</v></c>'

    def sheet(rows: list[list[Cell]]) -> str:
        placed = bool(rng.random() < 0.7) or any(x is None for row in rows for x in row)
        lines = []
        for k, row in enumerate(rows, 1):
            cells = [cell(x, k, n, placed) for n, x in enumerate(row) if x is not None or rng.random() < 0.5]
            lines.append(f'<row r="{k}">{"".join(cells)}</row>' if cells else "")
        return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'

    parts = {f"xl/worksheets/sheet{k}.xml": sheet(rows) for k, rows in enumerate(sheets.values(), 1)}
    names = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="rId{k}"/>' for k, name in enumerate(sheets, 1))
    links = "".join(f'<Relationship Id="rId{k}" Target="{"/xl/" if late else ""}worksheets/sheet{k}.xml"/>'
                    for k, _ in enumerate(sheets, 1))  # fmt: skip
    items = "".join(f"<si><r><t>{escape(x[:1])}</t></r><r><t>{escape(x[1:])}</t></r></si>" for x in texts)
    with ZipFile(path, "w") as archive:
        book = f'<workbookPr date1904="{int(late)}"/><sheets>{names}</sheets>'
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}">{book}</workbook>')
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>')
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{items}</sst>')
        archive.writestr("xl/styles.xml", STYLES)
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def read(path: Path, **options: Any) -> mp.Log:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mp.ManipulaWarning)
        return mp.read_log(path, ROBOT, **options)


def numbers(data: dict[str, np.ndarray]) -> list[list[float]]:
    return np.hstack([data["q"], data["tau"]]).tolist()


HEADS = [f"{name}{j + 1}" for name in ("q", "tau") for j in range(JOINTS)]


@pytest.mark.parametrize("seed", range(16))
def test_a_workbook_is_read_as_its_table(seed: int, tmp_path: Path) -> None:
    """With merged titles above the names, a sheet of notes beside, times as seconds, dates or a clock."""
    rng, data = np.random.default_rng(seed), motion(JOINTS)
    kind, late = seed % 4, bool(seed % 3 == 0)
    start = datetime(2024, 3, 1, 23, 59, 59, 800_000) - (datetime(1904, 1, 1) if late else datetime(1899, 12, 30))
    day = timedelta(days=1)
    times: list[Cell] = {
        0: data["t"].tolist(),
        1: [((start + timedelta(seconds=t)) / day, 1) for t in data["t"].tolist()],
        2: [((0.5 + t / 86400), 2) for t in data["t"].tolist()],
        3: [(t, 3) for t in data["t"].tolist()],
    }[kind]
    titles: list[list[Cell]] = [["Messung 12"], [None, "Position [rad]", None, "Moment [Nm]"]]
    names: list[Cell] = ["Zeit", "A 1", "A 2", "A 1", "A 2"] if seed % 2 else ["t", *HEADS]
    rows = [[t, *row] for t, row in zip(times, numbers(data))]
    above = titles if seed % 2 else []
    sheets = {"Notes": [["who", "me"], ["robot", "x"]], "Data": [*above, names, *rows]}
    log = read(workbook(tmp_path / "a.xlsx", sheets, rng, late))
    np.testing.assert_allclose(log.t - log.t[0], data["t"], atol=2e-6)  # a day in a float
    np.testing.assert_array_equal(log.q, data["q"])
    np.testing.assert_array_equal(log.tau, data["tau"])
    assert any("the sheet 'Data' is read; left out 'Notes'" in note for note in log.notes)


def test_empty_cells_are_numbers_that_are_missing_and_text_is_named_by_its_row(
    tmp_path: Path, whole: Sentences
) -> None:
    rng, data = np.random.default_rng(0), motion(JOINTS)
    rows: list[list[Cell]] = [[t, *row] for t, row in zip(data["t"].tolist(), numbers(data))]
    rows[4][2] = rows[9][4] = None
    log = read(workbook(tmp_path / "a.xlsx", {"Data": [["t", *HEADS], *rows]}, rng))
    np.testing.assert_array_equal(log.q, np.delete(data["q"], [4, 9], 0))
    assert any(note.endswith("left out: lines 6, 11") for note in log.notes)
    rows[20][3] = "#REF!"
    file = workbook(tmp_path / "a.xlsx", {"Data": [["t", *HEADS], *rows]}, rng)
    with whole.raises(mp.InputError, match=r"line 22: column 4 \(tau1\): found '#REF!', expected a number"):
        read(file)


def test_what_is_no_workbook_is_named(tmp_path: Path, whole: Sentences) -> None:
    file = tmp_path / "a.xlsx"
    file.write_bytes(b"t,q1\n0,1\n")
    with whole.raises(mp.InputError, match="is no workbook of Excel"):
        read(file)
    workbook(file, {"Data": []}, np.random.default_rng(0))
    with whole.raises(mp.InputError, match="is empty; expected a line of names"):
        read(file)
    whole_file = workbook(
        file, {"Data": [["t", *HEADS], [0.0, 1.0, 1.0, 1.0, 1.0]]}, np.random.default_rng(0)
    ).read_bytes()
    for cut in range(20, len(whole_file), 97):
        file.write_bytes(whole_file[:cut])
        with pytest.raises(mp.InputError, match="is no workbook of Excel"):
            read(file)


def test_an_array_in_a_file_of_its_own(tmp_path: Path, whole: Sentences) -> None:
    data = motion(JOINTS)
    table = np.column_stack([data["t"], data["q"], data["tau"]])
    np.save(tmp_path / "a.npy", table)
    with whole.raises(mp.InputError, match="say which: columns="):
        read(tmp_path / "a.npy")
    log = read(tmp_path / "a.npy", columns={"t": 0, "q": [1, 2], "tau": [3, 4]})
    np.testing.assert_array_equal(log.q, data["q"])
    fields = np.zeros(len(table), [("t", float), ("q", float, JOINTS), ("tau", float, JOINTS)])
    for name in ("t", "q", "tau"):
        fields[name] = data[name]
    np.save(tmp_path / "b.npy", fields)
    np.testing.assert_array_equal(read(tmp_path / "b.npy").tau, data["tau"])
    np.save(tmp_path / "c.npy", data["t"])
    with whole.raises(mp.InputError, match="has an array of shape"):
        read(tmp_path / "c.npy")
    np.save(tmp_path / "d.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(mp.InputError):
        read(tmp_path / "d.npy")
