"""What everybody can use: no violation axe knows, no control out of reach, whatever the width, theme and number of joints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.studio import Program, page_of, paste, running, settled

WEB = Path(__file__).parents[2] / "web" / "src" / "studio"
SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 844}}

# every visible control: its middle lies in the window, or in a box that scrolls to it
OUTSIDE = """() => {
  const inside = (element) => {
    const r = element.getBoundingClientRect();
    const x = r.left + r.width / 2, y = r.top + r.height / 2;
    if (x >= 0 && y >= 0 && x <= innerWidth && y <= innerHeight) return true;
    for (let box = element.parentElement; box; box = box.parentElement) {
      const style = getComputedStyle(box), b = box.getBoundingClientRect();
      const across = /auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth;
      const down = /auto|scroll/.test(style.overflowY) && box.scrollHeight > box.clientHeight;
      const seen = b.right > 0 && b.bottom > 0 && b.left < innerWidth && b.top < innerHeight;
      if ((across || down) && seen && (across || (x >= 0 && x <= innerWidth))) return true;
    }
    return false;
  };
  const shown = (e) => e.checkVisibility() && e.getClientRects().length > 0;
  return [...document.querySelectorAll("button, input, select, textarea, summary, [role=tab]")]
    .filter((e) => shown(e) && !inside(e)).map((e) => e.getAttribute("aria-label") || e.textContent || e.outerHTML);
}"""


@pytest.fixture(scope="module")
def program(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    pytest.importorskip("starlette", reason="starlette is not installed: no studio is opened")
    with running(tmp_path_factory.mktemp("arms")) as started:
        yield started


def table(joints: int) -> str:
    return "θ\td\ta\tα\n" + "\n".join(f"0\t0,{i % 7}1\t0,2\t{90 * (-1) ** i}" for i in range(joints))


def open_table(page: Any) -> None:
    if page.get_by_role("tab", name="Table").count():
        page.get_by_role("tab", name="Table").click()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, program: Program, size: str, theme: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    with page_of(browser, program, viewport=SIZES[size], color_scheme=theme) as (page, complaints):
        open_table(page)
        assert not violations(axe, page)
        paste(page, table(3))
        page.get_by_role("tab", name="Equations").click()
        settled(page)
        assert not violations(axe, page)
        assert not complaints


def violations(axe: Any, page: Any) -> list[str]:
    found = axe.run(page).response["violations"]
    return [f"{rule['id']}: {node['html'][:120]}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("size", SIZES)
def test_no_control_is_out_of_reach(browser: Any, program: Program, size: str) -> None:
    with page_of(browser, program, viewport=SIZES[size]) as (page, complaints):
        for joints in (3, 12):
            open_table(page)
            paste(page, table(joints))
            page.get_by_role("slider", name=f"q{joints} (deg)").wait_for()
            for view in ("geometry", "limits", "mass"):
                page.get_by_label("Columns").select_option(view)
                assert page.evaluate(OUTSIDE) == [], (joints, view)
            for tab in ("Inverse", "Code", "Simulate", "Identify"):
                page.get_by_role("tab", name=tab).click()
                assert page.evaluate(OUTSIDE) == [], (joints, tab)
        assert not complaints


def test_the_finder_of_lost_controls_finds_one(browser: Any, program: Program) -> None:
    with page_of(browser, program) as (page, _):
        page.evaluate("document.querySelector('.top').insertAdjacentHTML('beforeend', '<button id=lost>lost</button>')")
        page.evaluate("document.getElementById('lost').style.cssText = 'position:fixed;left:3000px'")
        assert page.evaluate(OUTSIDE) == ["lost"]


def sentences() -> set[str]:
    """Everything the page's source hands to its translator as it stands."""
    found: set[str] = set()
    for path in WEB.rglob("*.ts*"):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r'\bt\(\s*"((?:[^"\\]|\\.)*)"', text))
        for one, many in re.findall(r'\bcounted\("([^"]*)", "([^"]*)"', text):
            found |= {one, many}
    return found


def test_every_sentence_is_there_in_portuguese() -> None:
    portuguese = json.loads((WEB / "language" / "portuguese.json").read_text(encoding="utf-8"))
    said = sentences()
    assert len(said) > 200
    assert sorted(said - portuguese.keys()) == []
    holes = re.compile(r"\{\d\}")
    assert not [text for text, told in portuguese.items() if sorted(holes.findall(text)) != sorted(holes.findall(told))]


def test_the_page_speaks_portuguese_when_asked(browser: Any, program: Program) -> None:
    with page_of(browser, program) as (page, complaints):
        page.get_by_label("Language").first.select_option("pt")
        page.get_by_role("button", name="Desfazer").wait_for()
        assert page.get_by_role("tab", name="Equações").is_visible()
        assert page.evaluate("document.documentElement.lang") == "pt"
        assert not complaints
