"""What everybody can use: no violation axe knows, no control out of reach, in any width, theme, number of joints; and
the study panel, by its labels: choose, set, run, leave and come back, take home what runs again by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from manipula.studies.study_file import study_of_file
from tests.browser.studio import Program, library, page_of, paste, ready

SOURCES = Path(__file__).parents[2] / "web" / "src"
WEB = SOURCES / "studio"
SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 844}}

# every visible control: its middle lies in the window, or in a box that scrolls to it and can be reached itself
OUTSIDE = """() => {
  const scrolls = (box, across, down) => {
    const style = getComputedStyle(box);
    return (across && /auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth)
      || (down && /auto|scroll/.test(style.overflowY) && box.scrollHeight > box.clientHeight);
  };
  const inside = (element) => {
    const r = element.getBoundingClientRect();
    const x = r.left + r.width / 2, y = r.top + r.height / 2;
    const across = x < 0 || x > innerWidth, down = y < 0 || y > innerHeight;
    if (!across && !down) return true;
    for (let box = element.parentElement; box; box = box.parentElement)
      if (scrolls(box, across, down)) return inside(box);
    return false;
  };
  const shown = (e) => e.checkVisibility() && e.getClientRects().length > 0;
  return [...document.querySelectorAll("button, input, select, textarea, summary, [role=tab]")]
    .filter((e) => shown(e) && !inside(e)).map((e) => e.getAttribute("aria-label") || e.textContent || e.outerHTML);
}"""


@pytest.fixture(scope="module")
def page(browser: Any, program: Program) -> Iterator[Any]:
    """One page for the tests of the file; none of them may leave a complaint."""
    with page_of(browser, program) as (page, complaints):
        yield page
        assert not complaints


def table(joints: int) -> str:
    return "θ\td\ta\tα\n" + "\n".join(f"0\t0,{i % 7}1\t0,2\t{90 * (-1) ** i}" for i in range(joints))


def open_table(page: Any) -> None:
    if page.get_by_role("tab", name="Table").count():
        page.get_by_role("tab", name="Table").click()


@pytest.mark.drawn("size")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(page: Any, size: str, theme: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page.set_viewport_size(SIZES[size])
    page.emulate_media(color_scheme=theme)
    page.get_by_role("tab", name="Equations").click()
    open_table(page)
    paste(page, table(3))
    page.get_by_role("textbox", name="joint 2, a (m)").fill("what?")
    page.get_by_role("alert").locator(".sentence").wait_for()
    assert not violations(axe, page)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_in_the_panels(page: Any, size: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page.set_viewport_size(SIZES[size])
    page.get_by_role("tab", name="Table").wait_for(state="attached" if SIZES[size]["width"] < 800 else "detached")
    open_table(page)
    paste(page, table(2))
    for tab in ("Equations", "Inverse", "Code", "Dynamics", "Simulate", "Check", "Base", "Identify"):
        page.get_by_role("tab", name=tab, exact=True).click()
        page.locator(".tab-body :is(.handing, .slider, .drop)").first.wait_for(timeout=60_000)
        assert not violations(axe, page), tab


def violations(axe: Any, page: Any, within: str | None = None) -> list[str]:
    found = axe.run(page, context=within).response["violations"]
    return [f"{rule['id']}: {node['html'][:120]}" for rule in found for node in rule["nodes"]]


@pytest.mark.drawn("size")
@pytest.mark.parametrize("size", SIZES)
def test_no_control_is_out_of_reach(page: Any, size: str) -> None:
    page.set_viewport_size(SIZES[size])
    for joints in (12, 3):
        page.get_by_role("tab", name="Identify").click()  # asks for nothing: twelve joints are long to derive
        open_table(page)
        paste(page, table(joints))
        for view in ("geometry", "limits", "mass"):
            page.get_by_label("Columns").select_option(view)
            assert page.evaluate(OUTSIDE) == [], (joints, view)
        page.get_by_label("Columns").select_option("geometry")
        for tab in ("Simulate", "Identify"):
            page.get_by_role("tab", name=tab).click()
            assert page.evaluate(OUTSIDE) == [], (joints, tab)


def test_the_finder_of_lost_controls_finds_one(page: Any) -> None:
    page.evaluate("document.querySelector('.top').insertAdjacentHTML('beforeend', '<button id=lost>lost</button>')")
    page.evaluate("document.getElementById('lost').style.cssText = 'position:fixed;left:3000px'")
    assert page.evaluate(OUTSIDE) == ["lost"]
    page.evaluate("document.getElementById('lost').remove()")


def sentences() -> set[str]:
    """Everything the sources of the pages hand to the translator as it stands."""
    found: set[str] = set()
    for path in SOURCES.rglob("*.ts*"):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r'\bt\(\s*"((?:[^"\\]|\\.)*)"', text))
        for one, many in re.findall(r'\bcounted\("([^"]*)", "([^"]*)"', text):
            found |= {one, many}
    return found


def test_every_sentence_is_there_in_portuguese() -> None:
    portuguese = json.loads((SOURCES / "shared" / "portuguese.json").read_text(encoding="utf-8"))
    said = sentences()
    assert len(said) > 200
    assert sorted(said - portuguese.keys()) == []
    holes = re.compile(r"\{\d\}")
    assert not [text for text, told in portuguese.items() if sorted(holes.findall(text)) != sorted(holes.findall(told))]


def test_the_page_speaks_portuguese_when_asked(page: Any) -> None:
    page.set_viewport_size(SIZES["wide"])
    page.get_by_label("Language", exact=True).select_option("pt")  # waits for the wide header
    page.get_by_role("button", name="Desfazer").wait_for()
    assert page.get_by_role("tab", name="Equações").is_visible()
    assert page.evaluate("document.documentElement.lang") == "pt"
    cell = page.get_by_role("textbox", name="junta 1, a (m)", exact=True)
    cell.fill("what?")
    page.get_by_role("alert").locator(".sentence").filter(has_text="esperava-se").wait_for()
    page.get_by_role("tab", name="Verificar", exact=True).click()
    page.get_by_text("Espera por uma tabela sem erros.").wait_for()
    page.get_by_role("tab", name="Identificar", exact=True).click()
    page.get_by_role("button", name="Desfazer", exact=True).click()
    page.get_by_role("alert").locator(".sentence").wait_for(state="detached")
    page.get_by_label("Idioma", exact=True).select_option("en")
    page.get_by_role("button", name="Undo").wait_for()


# the study panel


def open_study(page: Any, name: str) -> Any:
    """The panel of a wide page, with one of the ready studies."""
    page.set_viewport_size(SIZES["wide"])
    page.get_by_role("tab", name="Study").click()
    panel = page.get_by_role("tabpanel")
    panel.get_by_label("Study", exact=True).select_option(name)
    return panel


def run(page: Any, title: str) -> None:
    page.get_by_role("button", name="Run the study").click()
    page.get_by_role("heading", name=title).wait_for()


def test_a_map_is_asked_for_seen_and_taken_home(page: Any, tmp_path: Path) -> None:
    """A wrong number is told at its field; the file that is downloaded gives the same bytes."""
    library(page, "planar2r")
    panel = open_study(page, "workspace")
    voxels = panel.get_by_role("textbox", name="voxels", exact=True)
    voxels.fill("ten")
    voxels.press("Enter")
    wrong = panel.get_by_role("group", name="voxels").get_by_role("alert")
    wrong.filter(has_text="found 'ten'").wait_for()
    assert voxels.get_attribute("aria-invalid") == "true"
    voxels.fill("10")
    run(page, "workspace of planar2r: 100 cases")
    assert not wrong.count()
    maps = panel.get_by_role("img", name="manipulability at z = 0")
    assert maps.bounding_box()["width"] > 300
    assert panel.get_by_role("row", name="reach share of the directions").is_visible()
    files = {}
    for button in ("Download the study file", "Download npz", "Download CSV", "Download the page"):
        with page.expect_download() as coming:
            panel.get_by_role("button", name=button).click()
        files[button] = tmp_path / coming.value.suggested_filename
        coming.value.save_as(files[button])
    again, _ = study_of_file(files["Download the study file"])
    assert again.save(tmp_path / "again.npz").read_bytes() == files["Download npz"].read_bytes()
    assert again.report(tmp_path / "again.html").read_bytes() == files["Download the page"].read_bytes()


def test_angles_are_typed_in_the_units_of_the_table(page: Any, tmp_path: Path) -> None:
    panel = open_study(page, "payload")
    goal = panel.get_by_role("textbox", name="goal q1 (deg)")
    assert goal.input_value() == "60"
    goal.fill("-90")
    panel.get_by_role("textbox", name="payloads how many").fill("2")
    run(page, "payload of planar2r: 14 cases")
    with page.expect_download() as coming:
        panel.get_by_role("button", name="Download the study file").click()
    coming.value.save_as(tmp_path / "asked.toml")
    assert "settings.goal = [-1.5707963" in (tmp_path / "asked.toml").read_text()
    assert panel.get_by_role("img", name="largest payload that fits").is_visible()


@pytest.mark.turn
def test_a_study_outlives_a_reload_and_ends_when_cancelled(page: Any) -> None:
    panel = open_study(page, "tolerances")
    panel.get_by_role("textbox", name="count", exact=True).fill("1000000")
    page.get_by_role("button", name="Run the study").click()
    going = panel.get_by_role("status").filter(has_text="of 1000000 cases")
    going.wait_for()
    page.reload()
    ready(page)
    page.get_by_role("tab", name="Study").click()
    assert panel.get_by_label("Study", exact=True).input_value() == "tolerances"
    assert panel.get_by_role("textbox", name="count", exact=True).input_value() == "1000000"
    going.wait_for()
    page.get_by_role("tab", name="Identify").click()  # the page answers meanwhile
    page.get_by_role("tab", name="Study").click()
    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("Cancelled.").wait_for()
    page.reload()
    ready(page)
    page.get_by_role("tab", name="Study").click()
    panel.get_by_role("textbox", name="count", exact=True).fill("20")
    run(page, "tolerances of planar2r: 20 cases")


@pytest.mark.turn
def test_everybody_can_use_the_study_panel(page: Any) -> None:
    """A form, a result and a mistake, wide and narrow, in both themes: nothing axe knows, nothing out of reach."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    panel = open_study(page, "gains")
    panel.get_by_role("textbox", name="levels", exact=True).fill("2")
    run(page, "gains of planar2r: 4 cases")
    panel.get_by_role("textbox", name="kp to (1/s²)").fill("1")
    page.get_by_role("button", name="Run the study").click()
    panel.get_by_role("group", name="gains").get_by_role("alert").wait_for()
    for size, theme in product(SIZES, ("light", "dark")):
        page.set_viewport_size(SIZES[size])
        page.emulate_media(color_scheme=theme)
        assert not violations(axe, page, ".tab-body"), (size, theme)
        assert page.evaluate(OUTSIDE) == [], size


def test_no_sheet_dresses_what_formulas_are_made_of() -> None:
    """KaTeX's own classes: a rule for `.text` broke the words in every formula."""
    katex = {"text", "base", "strut", "root", "sqrt", "rule", "tag", "vlist", "accent", "overline", "newline", "boxed"}
    sheets = "\n".join(path.read_text(encoding="utf-8") for path in (WEB / "style").glob("*.css"))
    alone = re.findall(r"(?:^|[,}])\s*\.([\w-]+)\s*(?=[,{])", sheets, re.MULTILINE)
    assert len(alone) > 30
    assert not katex & set(alone)
