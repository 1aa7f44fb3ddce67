"""Charts, maps and figures, number for number: how a page looks changes only when that is meant. `pytest
tests/golden/test_pages.py --update` accepts those of today; look at them first. What they show is tested where they
are used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.pages import paper, report
from manipula.pages.charts import Chart, ChartLine, HeatMap
from manipula.pages.derivation import Derivation
from manipula.pages.page import charts, page, paragraph, section, table, warning_paragraph
from manipula.pages.plots import Bar, counts_figure
from manipula.pages.steps import LessonStep, sentence
from manipula.studies.results.front import side_by_side

PAGES = Path(__file__).parent / "pages"
T = [k / 10 for k in range(41)]
CHARTS = {
    "lines": Chart(
        "Torque & <force>", "time [s]", "torque [N·m]", T,
        [
            ChartLine("measured", [float(np.sin(x)) for x in T]),
            ChartLine("predicted", [float(np.cos(x)) for x in T], dashed=True, colour=1),
            ChartLine("", [float("nan") if x < 1 else 0.25 * x for x in T], colour=9),
        ],
        [1.5, -0.5, 50.0],
    ),
    "dots": Chart("few", "x", "y", [1.0, 2.0, 4.0], [ChartLine("a", [3e-7, 1e-7, 2e-7], dots=True, colour=2)]),
    "large dots": Chart("few", "x", "y", T, [ChartLine("", [x * x * 1e7 for x in T], dots=True, dot=7.5)]),
    "many": Chart(
        "many", "x", "y", list(range(2700)),
        [ChartLine("noise", np.random.default_rng(0).normal(size=2700).round(3).tolist(), colour=3)],
    ),
    "one value": Chart("one", "x", "y", [2.0], [ChartLine("a", [5.0])], [5.0]),
    "nothing": Chart("none", "x", "y", [], [ChartLine("a", [])]),
    "no room": Chart("long", "x", "y", T, [ChartLine("name " * 9, T), ChartLine("other " * 9, T, dots=True)]),
}  # fmt: skip
MAPS = {
    "map": HeatMap("reach", "x [m]", "z [m]", [0.0, 0.5, 1.0], [-1.0, 0.0],
        [[1.0, None, 3.0], [float("nan"), 5.0, 2.0]], "N·m"),
    "tall": HeatMap("tall", "x", "y", [0.0, 1.0], [0.0, 1.0, 2.0, 3.0], [[1.0, 2.0]] * 4),
    "uneven": HeatMap("gains", "kp", "kd", [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6], [1.0, 2.0],
        [[float(k) for k in range(7)]] * 2),
    "flat": HeatMap("flat", "x", "y", [1.0], [2.0], [[4.0]]),
    "empty": HeatMap("empty", "x", "y", [1.0, 2.0], [2.0], [[None, None]]),
}  # fmt: skip


def assert_golden(name: str, text: str, request: pytest.FixtureRequest) -> None:
    file = PAGES / f"{name.replace(' ', '_')}.txt"
    if request.config.getoption("--update"):
        PAGES.mkdir(exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8", newline="\n")
    assert text + "\n" == file.read_text(encoding="utf-8"), "if the change is meant: --update, and look at it"


@pytest.mark.parametrize("name", CHARTS)
def test_charts(name: str, request: pytest.FixtureRequest) -> None:
    assert_golden(f"chart {name}", CHARTS[name].svg(), request)


@pytest.mark.parametrize("name", MAPS)
def test_maps(name: str, request: pytest.FixtureRequest) -> None:
    assert_golden(f"map {name}", MAPS[name].svg(), request)


def test_a_page(request: pytest.FixtureRequest) -> None:
    parts = [
        section("One & all", paragraph("a < b"), warning_paragraph("x & y")),
        table("told <here>", ("head", "other"), [("1", "<2>"), ("3", "4")]),
        charts([CHARTS["one value"], CHARTS["nothing"]]),
        side_by_side(["<svg a></svg>", "<svg b></svg>", "<svg c></svg>"]),
        side_by_side(["<svg a></svg>"]),
    ]
    assert_golden("page", page("Title <1>", parts), request)


# figures: what was asked of matplotlib, by artist


def numbers(values: Any) -> str:
    return " ".join(f"{round(float(x), 4) + 0.0:g}" for x in np.ravel(np.asarray(values, float)))


def artists(figure: Any) -> str:
    """Every line, collection, circle, text and limit of a figure."""
    from matplotlib.colors import to_hex

    said = [f"size {numbers(figure.get_size_inches())}"]
    for place in figure.axes:
        said.append(f"axes {place.name} x {numbers(place.get_xlim())} y {numbers(place.get_ylim())}")
        if place.name == "3d":
            said.append(f"z {numbers(place.get_zlim())} from {numbers([place.elev, place.azim])}")
        if (legend := place.get_legend()) is not None:
            said.append(f"legend {[text.get_text() for text in legend.get_texts()]}")
        said.append(f"labels {place.get_title()!r} {place.get_xlabel()!r} {place.get_ylabel()!r}")
        for line in place.lines:
            at = line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data()
            how = f"{to_hex(line.get_color())} {line.get_linewidth():g} {line.get_alpha()} {line.get_zorder():g}"
            said.append(
                f"line {line.get_label()!r} {how}: " + " | ".join(numbers(x[:: max(1, len(x) // 8)]) for x in at)
            )
        for some in place.collections:
            ends = some._segments3d if hasattr(some, "_segments3d") else [x.vertices for x in some.get_paths()][:4]
            colours = [to_hex(x) for x in some.get_edgecolor()[:2]]
            said.append(f"collection {type(some).__name__} {colours} {numbers(some.get_linewidth()[:1])}: "
                        + " | ".join(numbers(x[:4]) for x in list(ends)[:3]))  # fmt: skip
        for patch in place.patches:
            box = patch.get_path().transformed(patch.get_patch_transform()).get_extents()
            how = f"{to_hex(patch.get_facecolor())} {patch.get_hatch()}"
            said.append(f"patch {type(patch).__name__} {how}: {numbers(box.get_points())}")
        said += [f"text {text.get_text()!r} {numbers(text.get_position())}" for text in place.texts if text.get_text()]
    return "\n".join(said)


@pytest.mark.parametrize(
    "name, q", [("scara", [0.3, -0.8, 0.05, 0.4]), ("planar2r", [0.5, 0.9]), ("puma560", [0.1, -0.6, 0.4, 0.2, 0.7, 0])]
)
def test_figures_of_arms(name: str, q: list[float], request: pytest.FixtureRequest) -> None:
    robot = mp.load(name)
    arm = mp.Arm(robot.with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81) if name == "planar2r" else robot)
    way = np.linspace(np.zeros(len(q)), q, 9)
    figures = [arm.plot(q), arm.plot(way, frames=True, names=True), arm.plot(way, trail=False), arm.plot_ellipsoid(q)]
    assert_golden(f"figures {name}", "\n\n".join(map(artists, figures)), request)


def test_figures_of_counts(request: pytest.FixtureRequest) -> None:
    bars = [Bar("pose", "forward", 12, 7), Bar("pose", "best", 9, 5), Bar("pose", "published", 11, 6, "Book 1990")]
    several = [*bars, Bar("gravity", "$best$", 3, 2)]
    many = [Bar("pose", f"m{k}", k, k) for k in range(43)]
    text = "\n\n".join(artists(counts_figure(x, "Counts of $a$")) for x in (bars, several, many[:2], many))
    ticks = [t.get_text() for x in (bars, several) for t in counts_figure(x, "").axes[0].get_yticklabels()]
    assert_golden("figures of counts", f"{text}\n{ticks}", request)


# reports


def story(**more: Any) -> report.Story:
    rows = [(f"m{k}", f"{k}.123456789") for k in range(13)]
    plain: dict[str, Any] = {
        "name": "arm <1>", "about": "two joints & a tool", "drawing": {"a": 1}, "module": "export // </script> <!--",
        "picture": "<svg></svg>", "version": "1.2", "remarks": ["a remark & more"],
        "tables": [("Joints", ("name", "a [m]"), rows), ("Limits", ("x", "y", "z"), [("1", "2", "-0.123456789")])],
        "formulas": [
            report.ReportFormula("pose", "of <it>", r"x = y & z", "", "x = y", ("a = b", "c = d"), ("e = f",)),
            report.ReportFormula("wide", "", "x", "", "x", (), ()),
            report.ReportFormula("steps", "", "x", "", "x", (), ("g = h", "i = j")),
            report.ReportFormula("none", "why", "", "it has no numbers", "", (), ()),
            report.ReportFormula("long", "", "y" * 60_001, "", "y" * 20_001, (), ()),
        ],
        "inverse": Derivation("arm", "ik", sentence("The angles"), (), (LessonStep(sentence("x & y")),), {}),
        "counts": [report.Count("inverse dynamics", "best", 30, 20, 10, 2),
                   report.Count("inverse dynamics", "theirs", 60, None, None, None, "Book & Co"),
                   report.Count("pose", "best", 0, 0, 0, 0)],
        "verdicts": [report.ReportVerdict("energy", "It is kept.", "proved", True),
                     report.ReportVerdict("mass", "It is positive.", "checked", False, "m2 is not."),
                     report.ReportVerdict("hint", "No limits.", "noted", True)],
        "base": ("Base", ("name", "sum", "value"), [("m2", "m2 + m3", "1")]),
        "code": [("arm.c", "int a;\nint b;\n"), ("arm.h", "x" * 300_000), ("b.h", "y")],
    }  # fmt: skip
    return report.Story(**plain | more)


BARE = {
    "tables": (), "formulas": (), "inverse": None, "no_inverse": "no closed form & so on",
    "counts": (), "verdicts": (), "base": None, "no_base": "no numbers", "code": (), "picture": "", "remarks": (),
}  # fmt: skip
STORIES = {"whole": {}, "bare": BARE, "hidden": {"hidden": ("arm", "counts", "inverse")}}


@pytest.mark.parametrize("name", STORIES)
def test_reports(name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a script and a sheet of one line each."""
    (tmp_path / "report.js").write_text("run('</script>')", encoding="utf-8")
    (tmp_path / "report.css").write_text("p { color: red }", encoding="utf-8")
    monkeypatch.setattr(report, "built_file", lambda name: tmp_path / name)
    told = story(**STORIES[name])
    typst = paper.source_of(told).partition("#set document")[2].replace("y" * 999, "")
    assert_golden(f"report {name}", report.report_page(told).replace("x" * 999, "") + "\n%%\n" + typst, request)


def test_laws_that_all_hold(request: pytest.FixtureRequest) -> None:
    told = story(verdicts=[report.ReportVerdict("energy", "It is kept.", "proved", True)])
    assert "<p>All 1 laws hold for this robot.</p>" in report.check(told, str)
    assert "<p>1 of 2 laws fail.</p>" in report.check(story(), str)


def test_limits_of_what_a_report_shows() -> None:
    def html(length: int) -> str:
        return report.formula(report.ReportFormula("t", "", "x" * length), str)

    assert "<details open>" in html(1500) and "<details>" in html(1501) and "<details>" in html(60_000)
    assert "The equations are 60,001 characters long" in html(60_001)

    def typst(length: int, steps: int = 0) -> str:
        return paper.formula(report.ReportFormula("t", "", typst="x" * length, auxiliary=["a"] * steps), str)

    assert "#fitted" in typst(20_000) and "#fitted" not in typst(20_001) and "20,001 characters long" in typst(20_001)
    assert "#in_steps" in typst(20_001, 700) and "#in_steps" not in typst(20_001, 701)
    assert "#in_steps" in typst(5, 700) and "too wide for paper" in typst(5, 701)
    rows = [("a", "b")] * 12
    assert "#grid" not in paper.table(("t", ("x", "y"), rows)) and "#grid(columns: 4" in paper.table(
        ("t", ("x", "y"), rows * 2)
    )
    assert "#grid(columns: 4" in paper.table(("t", ("x", "y"), [*rows, ("c", "d")]))
    assert [report.short(x) for x in ("1.23456789", "-0.123456789", "1.2345678", "12345678", "a1.23456789")] == [
        "1.234568", "-0.1234568", "1.2345678", "12345678", "a1.23456789"
    ]  # fmt: skip
