"""A report on paper: Typst sets it whatever a user wrote, and it holds what the page in HTML tells."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.api.robot_story import paper_story
from manipula.cli.app import app
from manipula.errors import InputError
from manipula.pages.paper import BESIDE, PARTS, pdf_of, source_of
from manipula.pages.report import Count, ReportFormula, ReportVerdict, Story

HOSTILE = ('"#panic("no")', "$ x $", "*b*", "a\\", "= h", "<l>", "@r", "]", "#import", "é θ", "a\nb", "</svg>", "")
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="9" height="9"/></svg>'


def typst() -> Any:
    return pytest.importorskip("typst", reason="the wheel typst is not installed")


def story(word: str, **parts: Any) -> Story:
    """A story in which everything a user may name is `word`."""
    told: dict[str, Any] = {
        "tables": [(word, (word, "b"), [(word, word)] * 3), (word, (word, "b"), [(word, word)] * 30)],
        "formulas": [ReportFormula(word, word, typst="$ x_(1) &= 2 $"), ReportFormula(word, word, why_not=word)],
        "counts": [Count(word, word, 12), Count(word, word, 30, source=word)],
        "verdicts": [ReportVerdict(word, word, word, passed=False, detail=word)],
        "base": (word, (word, "b", "c"), [(word, word, word)]),
        "remarks": [word],
        "picture": SVG,
    }
    return Story(name=word, about=word, drawing={}, **(told | parts))


@pytest.mark.parametrize("word", HOSTILE)
def test_whatever_a_user_wrote_is_text(word: str) -> None:
    typst()
    assert pdf_of(source_of(story(word))).startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("robot", "rows"),
    [
        ("planar2r", ["tau_(1) &=", "mat(delim", "bar(", "matrix is symmetric", '"Lzz1_R"', "theta_(1)", "<svg"]),
        (mp.Robot.from_dh([{"type": "prismatic", "theta": 0, "a": 0.2, "alpha": 0}], name="one"), ["tau_(1) &="]),
    ],
    ids=["planar2r", "one joint"],
)
def test_a_robot_on_paper(robot: Any, rows: list[str], tmp_path: Path) -> None:
    typst()
    text = mp.report(robot, tmp_path / "arm.PDF")
    assert (tmp_path / "arm.PDF").read_bytes().startswith(b"%PDF-")
    assert all(row in text.replace('\\"', '"') for row in rows)


def test_base_parameters_with_auxiliary_lines() -> None:
    """Skew axes: what the combinations share has lines of its own, without a value."""
    rows = [(0, f"d{i}", f"a{i}", f"alpha{i}") for i in range(1, 8)]
    told = paper_story(mp.Robot.from_dh(rows, name="skew"), tuple(name for name in PARTS if name != "base"), str, str)
    assert told.base is not None
    heads, names = told.base[1], [row[0] for row in told.base[2]]
    assert heads == ("name", "combination", "value") and names[0].startswith("D") and len(set(names)) == len(names)
    assert told.base[0].split()[0] == str(len([row for row in told.base[2] if row[2]]))


def test_what_is_hidden_is_left_out() -> None:
    whole, part = (source_of(story("x", hidden=hidden)) for hidden in ((), ("arm", "counts", "base", "table")))
    for sign in ("image(", "bar(1", "Base parameters", '"Table"'):
        assert sign in whole and sign not in part
    assert "Laws checked" in part


def test_a_long_table_of_two_columns_stands_side_by_side() -> None:
    assert source_of(story("x")).count('told("') == 1 + BESIDE + 2


def test_what_is_too_wide_or_too_long_says_so() -> None:
    compiler = typst()
    wide = ReportFormula("w", "", typst="$ x &= " + " + ".join(f"y_({i})" for i in range(200)) + " $")
    long = ReportFormula("l", "", typst="$ " + "x + " * 10_000 + "1 $")
    source = source_of(story("x", formulas=[wide, long]))
    assert "characters long" in source
    fits = source_of(story("x", formulas=[ReportFormula("w", "", typst="$ x &= y $")]))
    pages = [compiler.query(text.encode(), "math.equation").count('"func"') for text in (source, fits)]
    assert pages[0] == 0 < pages[1]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 151])
def test_what_is_too_wide_is_told_step_by_step(count: int) -> None:
    compiler = typst()
    steps = [f"D_({i}) = a_({i}) thin b" for i in range(count)]
    wide = ReportFormula("w", "", typst="$ x &= " + " + ".join(f"y_({i})" for i in range(200)) + " $", auxiliary=steps)
    refused = ReportFormula("r", "", why_not="too long", auxiliary=steps)
    source = source_of(story("x", formulas=[wide, refused]))
    assert compiler.query(source.encode(), "math.equation.where(block: false)").count('"block": false') == 2 * count
    fits = source_of(story("x", formulas=[ReportFormula("f", "", typst="$ x &= y $", auxiliary=steps)]))
    assert '"block": false' not in compiler.query(fits.encode(), "math.equation.where(block: false)")


def test_what_is_too_wide_breaks_where_it_can() -> None:
    """Equation by equation before step by step; what is between brackets breaks too."""
    compiler = typst()
    made = mp.generate("planar2r", "inverse_dynamics", optimise="none").equations("factored", "latex")
    assert r"\(" in made.inline_rows[0] and len(made.inline_rows) == len(made) + len(made.where)
    wide = ReportFormula(
        "w",
        "",
        typst="$ x &= " + " + ".join(f"y_({i})" for i in range(200)) + " $",
        running=made.inline_rows,
        auxiliary=["D_(1) = a"],
    )
    found = compiler.query(source_of(story("x", formulas=[wide])).encode(), "math.equation.where(block: false)")
    assert found.count('"block": false') == len(made.inline_rows)


def test_without_typst_a_sentence_comes_before_the_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(InputError, match=r"manipula\[pdf\]"):
        mp.report("puma560", tmp_path / "arm.pdf", tell=pytest.fail)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typst()
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(app, ["report", "planar2r", "--pdf", "--hide", "counts,check,inverse,base,equations"])
    assert ran.exit_code == 0 and ran.stdout.strip() == "planar2r.pdf"
    assert (tmp_path / "planar2r.pdf").read_bytes().startswith(b"%PDF-")
    refused = CliRunner().invoke(app, ["report", "planar2r", "--pdf", "-o", "arm.html"])
    assert refused.exit_code == 2 and "ends in .pdf" in refused.output


@pytest.mark.parametrize("name", ["arm.docx", "arm", "arm.svg"])
def test_another_ending_is_refused_before_the_work(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends in \.html or \.pdf"):
        mp.report("puma560", tmp_path / name, tell=pytest.fail)
    assert not (tmp_path / name).exists()
