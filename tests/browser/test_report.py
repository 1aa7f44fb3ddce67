"""A report opened from a disk with the network off: the arm moves, equations are set, nothing is asked of anybody."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.cli.terminal.language import told_in
from manipula.errors import UnknownNameError
from manipula.pages.page import STATIC
from tests.browser.pages import changed, opened
from tests.units.test_report_words import ENGLISH

pytestmark = pytest.mark.skipif(not (STATIC / "report.js").exists(), reason="the page is not built (`make web`)")

HOSTILE = '</script><script>document.title="broken"</script><img src=x onerror=alert(1)>'
# controls that neither the page nor a scroller brings into view
OUTSIDE = """[...document.querySelectorAll("button, input, summary, a[href]")].filter(one => {
  const box = one.getBoundingClientRect(), scroller = one.closest(".wide, .joints, pre");
  return box.width && !scroller && (box.left < 0 || box.right > innerWidth);
}).map(one => one.outerHTML.slice(0, 80))"""
SLOW = pytest.mark.slow  # axe looks at thousands of pieces of equations
SCREENS = [
    (1280, "light"),
    (390, "dark"),
    *(pytest.param(*one, marks=SLOW) for one in ((1280, "dark"), (390, "light"))),
]


@pytest.fixture(scope="module")
def two_links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an arm with a value for every letter but one."""
    path = tmp_path_factory.mktemp("report") / "arm.html"
    mp.report(mp.load("planar2r").with_parameters(l1=0.5, m1=2, m2=1, g=9.81), path, optimise="none")
    return path


@pytest.fixture(scope="module")
def page(browser: Any, two_links: Path) -> Iterator[Any]:
    with opened(browser, two_links) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        yield page
        assert not complaints


def test_a_slider_moves_the_arm_and_its_number(page: Any) -> None:
    before = page.locator("#arm-view").screenshot()
    where = page.locator(".where").inner_text()
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(3):
        page.keyboard.press("PageUp")
    assert page.locator(".where").inner_text() != where
    assert float(page.get_by_role("spinbutton").first.input_value()) == float(slider.input_value())
    page.wait_for_timeout(300)  # the picture at rest
    assert changed(before, page.locator("#arm-view").screenshot()) > 0.01


# of every equation: by how much its leftmost sign is left of what its scroller can show
CUT_OFF = """[...document.querySelectorAll(".equation, .tex .katex-display, .eq")].flatMap(row => {
  const signs = [...row.querySelectorAll(".katex-html *, math *")].filter(one => !one.children.length);
  const scroller = row.closest(".tex, .eq"), edge = scroller.getBoundingClientRect().left - scroller.scrollLeft;
  const boxes = signs.filter(one => one.textContent.trim()).map(one => one.getBoundingClientRect());
  const lefts = boxes.filter(box => box.width).map(box => box.left);  // of what is drawn
  return lefts.length ? [edge - Math.min(...lefts)] : [];
})"""
UNSET = ".tex:not(:has(.katex)), .equation:not(:has(.katex))"


@pytest.mark.drawn("width", few=1)
@pytest.mark.parametrize("width", [1440, 390])
def test_no_equation_is_cut_off_at_its_left(browser: Any, two_links: Path, width: int) -> None:
    """What is left of the edge of a box that scrolls can never be seen."""
    with opened(browser, two_links, viewport={"width": width, "height": 900}) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.wait_for_selector(UNSET, state="detached")
        page.evaluate("() => document.fonts.ready.then(() => null)")
        cut = page.evaluate(CUT_OFF)
        assert len(cut) > 30 and max(cut) < 1
        assert not complaints


def test_a_letter_has_a_slider_that_changes_the_arm_and_its_torques(page: Any) -> None:
    """By the page's own models and the drawing's slopes: as Python draws and computes it."""
    page.get_by_role("button", name="Home", exact=True).click()
    page.wait_for_timeout(300)
    torques = page.locator("#motion-view canvas").first
    arm, plot = page.locator("#arm-view").screenshot(), torques.screenshot()
    assert page.locator(".letters summary").inner_text() == "Letters without a value: l2"
    box = page.get_by_role("spinbutton", name="l2 (m), as a number")
    box.fill("0.55")
    box.press("Enter")
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.55)
    q = [
        math.radians(float(one.input_value()))
        for one in page.locator("#controls .joints").first.get_by_role("spinbutton").all()
    ]
    shown = re.findall(r"-?\d+\.\d+", page.locator(".where").inner_text())[:2]
    np.testing.assert_allclose(
        [float(x) for x in shown], mp.Arm(robot).pose(q)[:2, 3], atol=2e-3
    )  # degrees have one digit
    page.wait_for_timeout(300)
    assert changed(arm, page.locator("#arm-view").screenshot()) > 0.005
    assert changed(plot, torques.screenshot()) > 0.001
    slider = page.get_by_role("slider", name="l2 (m)")
    assert float(slider.input_value()) == 0.55
    slider.fill("0.3")
    assert box.input_value() == "0.3"


def test_equations_are_set(page: Any) -> None:
    page.locator("#equations details[open] .katex").nth(4).wait_for(state="attached")
    assert page.locator("#equations .katex-error").count() == 0
    assert "l" in page.locator("#equations .katex-html").first.inner_text()
    words = page.locator("#inverse .derivation")
    assert words.locator("math").count() > 5 and not set("$\\") & set(words.inner_text())


def test_on_paper_every_equation_stays_on_the_page(browser: Any, tmp_path: Path) -> None:
    """Long ones are broken: none is printed outside A4, or smaller than the words around it."""
    path = tmp_path / "arm.html"
    mp.report("stanford3", path, optimise="none", hidden=("inverse", "code", "counts", "check", "base", "motion"))
    with opened(browser, path, viewport={"width": 718, "height": 1000}) as (page, _):
        page.wait_for_selector("body[data-ready]")
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        lines = "[...document.querySelectorAll('.equation')]"
        set_ = f"{lines}.length > 10 && {lines}.every(one => one.querySelector('.katex'))"
        assert any(page.evaluate(set_) or page.wait_for_timeout(50) for _ in range(100))
        assert max(page.evaluate(f"{lines}.map(one => one.scrollWidth)")) <= 718
        sizes = f"{lines}.map(one => parseFloat(getComputedStyle(one.querySelector('.katex')).fontSize))"
        assert min(page.evaluate(sizes)) > 14


def test_every_part_is_there_with_a_heading(page: Any) -> None:
    titles = page.locator("section h2").all_inner_texts()
    assert titles == [
        "Arm", "Table", "Equations", "Inverse kinematics", "Step by step", "Torques of a motion", "Operation counts",
        "Laws checked", "Base parameters", "Code in C",
    ]  # fmt: skip
    assert page.locator("#motion canvas").count() == 2
    assert "l2 = 0.3" in page.locator("#table").inner_text()  # the stand-in is told


def test_what_the_script_says_is_portuguese_too(browser: Any, tmp_path: Path) -> None:
    """Sliders, answers, plots, equations, an exercise; in the words that the studio has."""
    path = tmp_path / "arm.html"
    mp.report("planar2r", path, hidden=("motion", "counts", "check"), optimise="none", told=partial(told_in, name="pt"))
    with opened(browser, path) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        page.locator("#equations .katex").nth(4).wait_for(state="attached")  # a page with a policy evaluates no text
        said = page.evaluate(WORDS)
        assert page.locator("html[lang=pt]").count() == 1 and {"Repouso", "Mostrar", "cotovelo"} <= {
            *" ".join(said).split()
        }
        assert [text for text in said if ENGLISH.search(text)] == []
        assert page.locator("#equations .legend").first.inner_text().startswith("com ")
        page.locator(".question button").first.click()
        assert page.locator(".question output, .question [role=status]").first.inner_text().startswith("Ainda não: ")
        assert not complaints


# every text and every label of the page but formulas, code and scripts
WORDS = """[...document.querySelectorAll("body, body *:not(script, style, code, .katex *, math *)")].flatMap(one =>
  [...[...one.childNodes].filter(node => node.nodeType == 3 && !one.closest("script, style, pre, .katex, math"))
    .map(node => node.textContent.trim()), one.getAttribute("aria-label"), one.getAttribute("title")].filter(Boolean)
)"""


def test_code_can_be_opened(page: Any) -> None:
    page.locator("#code summary").first.click()
    assert page.get_by_role("button", name="Copy").first.is_visible()
    page.wait_for_selector("#code .hljs-keyword")


@pytest.mark.drawn("width", "scheme", few=1)
@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_nothing_stands_in_the_way_of_anybody(browser: Any, two_links: Path, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    screen = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    with opened(browser, two_links, **screen) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not page.evaluate(OUTSIDE)
        assert not complaints


def test_what_is_hidden_is_asked_for(browser: Any, tmp_path: Path) -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=2, m2=1, g=9.81)
    path = tmp_path / "exercise.html"
    hidden = ("equations", "inverse", "counts", "check", "base", "code", "table")
    mp.report(robot, path, hidden=hidden, optimise="none")
    with opened(browser, path) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        assert page.locator("section h2").all_inner_texts() == ["Arm", "Torques of a motion", "Exercise"]
        asked = page.locator(".question").first
        q = [float(x) for x in re.findall(r"= (-?[\d.]+)°", asked.inner_text())]
        x, y, z = mp.Arm(robot).pose([angle * 3.141592653589793 / 180 for angle in q])[:3, 3]
        fields = asked.get_by_role("spinbutton")
        for field, value in zip(fields.all(), (x, y, z + 1), strict=True):
            field.fill(f"{value:.5f}")
        asked.get_by_role("button", name="Check").click()
        assert asked.get_by_role("status").inner_text() == "Not yet: z (m)."
        fields.nth(2).fill(f"{z:.5f}")
        asked.get_by_role("button", name="Check").click()
        assert asked.get_by_role("status").inner_text() == "Right."
        assert page.locator("#exercise table").count() == 4 and page.locator(".where").count() == 0
        assert not complaints


@pytest.mark.parametrize("hidden", [("equations",), ("inverse",), ("equations", "motion"), ("counts",)])
def test_an_exercise_states_what_it_needs_and_does_not_show_its_answer(
    browser: Any, hidden: tuple[str, ...], tmp_path: Path
) -> None:
    """The letters that have no value, with what they stand for now; no code, and not where the tool is."""
    path, robot = tmp_path / "arm.html", mp.load("planar2r").with_parameters(l2=0.25, m2=1)
    mp.report(robot, path, hidden=(*hidden, "check", "base"), optimise="none")
    with opened(browser, path) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        asked = hidden != ("counts",)
        assert page.locator("#exercise").count() == asked and page.locator("#code").count() == (not asked)
        assert page.locator(".where").count() == ("equations" not in hidden)
        questions = page.locator(".question > p:first-child")
        for text in questions.all_inner_texts():
            weights = ", m1 = 1 kg, g = 9.81 m/s²" if "hold" in text else ""
            assert text.endswith(f"With l1 = 0.3 m{weights}.")
        if asked:
            box = page.get_by_role("spinbutton", name="l1 (m), as a number")
            box.fill("0.4")
            box.press("Enter")
            assert "l1 = 0.4 m" in questions.first.inner_text()
        assert questions.count() == {"equations": 2, "inverse": 1, "counts": 0}[hidden[0]]
        assert not complaints


@pytest.mark.filterwarnings("ignore::manipula.ManipulaWarning")  # its only axis is upright: gravity does no work
def test_names_are_text_and_nothing_else(browser: Any, tmp_path: Path) -> None:
    robot = mp.Robot.from_dh([{"d": "0", "a": "1", "alpha": "0", "name": HOSTILE}], name=HOSTILE)
    path = tmp_path / "odd.html"
    mp.report(robot, path, optimise="none", hidden=("counts", "check", "base", "code"))
    with opened(browser, path) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        assert page.title() == HOSTILE and page.locator("h1").inner_text() == HOSTILE
        assert page.locator("img").count() == 0 and not complaints


def test_twelve_joints_have_their_sliders_in_a_scroller(browser: Any, tmp_path: Path) -> None:
    rows = [{"d": "0.1", "a": "0.2", "alpha": "pi/2" if k % 2 else "0"} for k in range(12)]
    path = tmp_path / "twelve.html"
    hidden = ("equations", "inverse", "counts", "check", "base", "code")
    mp.report(mp.Robot.from_dh(rows, name="twelve"), path, hidden=hidden, optimise="none")
    with opened(browser, path, viewport={"width": 390, "height": 700}) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        assert page.get_by_role("slider").count() == 12 and not page.evaluate(OUTSIDE)
        page.get_by_role("slider").last.focus()
        assert page.get_by_role("slider").last.is_visible() and not complaints


def test_a_part_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="equations"):
        mp.report("planar2r", hidden=("equation",))


@pytest.mark.slow
def test_a_puma_fits_into_three_megabytes(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "puma.html"
    assert len(mp.report("puma560", path).encode()) < 3e6
    with opened(browser, path) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        page.locator("#equations summary").first.click()
        page.wait_for_selector("#equations details[open] .katex")
        assert not complaints
