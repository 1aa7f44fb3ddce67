"""No text of a report or of the studio is cut off or lies on other text: by its boxes in Chromium, from a telephone to
a large screen, light and dark, in English and Portuguese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula import api
from manipula.cli.terminal.language import told_in
from tests.browser.boxes import SIZES, text_faults
from tests.browser.pages import opened
from tests.browser.studio import Program, library, page_of

THEMES = ("light", "dark")
SMALL = ("planar2r", "scara", "rp", "stanford3", "craig_3r", "spong_cylindrical", "siciliano_spherical")  # few joints
OTHERS = sorted(set(api.robots()) - set(SMALL))
PANELS = {
    "Equations": ".equations .katex, .matrix .katex", "Inverse": ".derivation, h3", "Steps": ".steps math",
    "Counts": ".bar",
    "Code": ".source .hljs-comment", "Dynamics": ".plot canvas", "Simulate": ".slider", "Check": ".laws",
    "Base": ".figures .katex", "Identify": ".drop", "Study": ".setting",
}  # fmt: skip
UNSET = ".tex:not(:has(.katex)), .equation:not(:has(.katex))"
LONG = "a_robot_with_a_name_as_long_as_people_write_them_into_files"

NARROW = "width:60px;white-space:nowrap"
SENTENCE = "a sentence too long"
# name → a page with one fault, and what is said of it
PLANTED = {
    "hidden": (f'<div style="{NARROW};overflow:hidden">{SENTENCE}</div>', "cut off by"),
    "lower half": ('<div style="height:30px;overflow:hidden;line-height:25px">one<br>two</div>', "cut off by"),
    "left of a scroller": ('<div style="overflow:auto"><b style="margin-left:-20px">tau = 0</b></div>', "cut off by"),
    "over other text": ('<p>one sentence</p><p style="margin-top:-36px">another one</p>', "lies on"),
    "a formula": ('<p>word <math style="margin-left:-30px"><mi>x</mi><mo>+</mo><mi>y</mi></math></p>', "lies on"),
    "out of its button": (f'<button style="{NARROW};padding:0">Download all</button>', "leaves its"),
    "select": ('<select style="width:70px"><option>inverse dynamics</option></select>', "in a select"),
    "field": ('<input style="width:30px" value="0.123456">', "in a field"),
    "window": ('<p style="width:900px">wide</p><p style="margin-left:390px">outside</p>', "outside the"),
    "axis of a chart": ('<svg width="80" height="20"><text x="60" y="15">0.75 m</text></svg>', "cut off by"),
}  # fmt: skip
# neighbours without one
SOUND = (
    f'<div style="{NARROW};overflow:hidden;text-overflow:ellipsis" title="{SENTENCE}">{SENTENCE}</div>'
    f'<div style="{NARROW};overflow:auto" tabindex="0">{SENTENCE}</div><p>one sentence</p><p>another one</p>'
    "<button>Download all</button><select><option>inverse dynamics</option></select>"
    '<input value="0.123456"><svg width="80" height="20"><text x="10" y="15">0.75 m</text></svg>'
    '<details><summary>more</summary><div style="width:9px;overflow:hidden">what is folded is not seen</div></details>'
    '<p style="position:sticky;top:0">heading</p><span style="position:fixed;top:8px;left:8px">over it</span>'
)


@pytest.fixture(scope="module")
def blank(browser: Any) -> Iterator[Any]:
    page = browser.new_page(viewport={"width": 400, "height": 300})
    yield page
    page.close()


@pytest.mark.parametrize("name", PLANTED)
def test_the_finder_finds_what_it_is_for(blank: Any, name: str) -> None:
    body, said = PLANTED[name]
    blank.set_content(f"<!doctype html><body>{body}")
    assert any(said in fault for fault in text_faults(blank, 0)), text_faults(blank, 0)


def test_the_finder_finds_nothing_else(blank: Any) -> None:
    blank.set_content(f"<!doctype html><body>{SOUND}")
    assert text_faults(blank, 5) == []


def faults_of_report(browser: Any, name: str, language: str, folder: Path) -> list[str]:
    """With every fold open."""
    path, found = folder / "report.html", []
    mp.report(name, path, optimise="none", told=partial(told_in, name=language))
    with opened(browser, path) as (page, complaints):
        page.wait_for_selector("body[data-ready]")
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.wait_for_selector(UNSET, state="detached")
        for width, height in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                page.wait_for_timeout(150)  # the plots follow the width
                found += [f"{width} px, {theme}: {fault}" for fault in text_faults(page)]
        assert not complaints
    return found


@pytest.mark.parametrize("draw", [(name, language) for name in SMALL for language in ("en", "pt")], ids=" ".join)
def test_no_text_of_a_report_is_cut_off_or_covered(browser: Any, draw: tuple[str, str], tmp_path: Path) -> None:
    assert faults_of_report(browser, *draw, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_no_text_of_any_report_is_cut_off_or_covered(browser: Any, name: str, tmp_path: Path) -> None:
    found = {language: faults_of_report(browser, name, language, tmp_path) for language in ("en", "pt")}
    assert found == {"en": [], "pt": []}


@pytest.fixture(scope="module")
def page(browser: Any, program: Program) -> Iterator[Any]:
    with page_of(browser, program) as (page, complaints):
        yield page
        assert not complaints


def faults_of_panel(page: Any, panel: str) -> list[str]:
    """Of the whole page with this panel, and with the table beside it or in a tab of its own."""
    found = []
    place = list(PANELS).index(panel)
    for language in ("en", "pt"):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.locator("header select").nth(2).select_option(language)
        page.locator(f"html[lang={language}]").wait_for()
        page.locator("[role=tab]").nth(place).click()
        page.locator(f".tab-body :is({PANELS[panel]})").first.wait_for()
        page.locator(".tab-body .working").wait_for(state="detached")
        for width, height in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                page.wait_for_timeout(150)
                found += [f"{language}, {width} px, {theme}: {fault}" for fault in text_faults(page)]
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("header select").nth(2).select_option("en")
    page.locator("html[lang=en]").wait_for()
    return found


@pytest.mark.drawn("panel")
@pytest.mark.parametrize("panel", PANELS)
def test_no_text_of_the_studio_is_cut_off_or_covered(page: Any, panel: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    library(page, "planar2r")
    assert faults_of_panel(page, panel) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "scara", "puma560_symbolic", "ur5e", "siciliano_stanford"])
def test_no_text_of_any_panel_is_cut_off_or_covered(browser: Any, program: Program, name: str) -> None:
    with page_of(browser, program) as (page, complaints):
        library(page, name)
        page.locator("header").get_by_role("button").first.click()
        page.get_by_role("menuitem", name=re.compile("^Name, gravity")).click()
        page.get_by_label("Name", exact=True).fill(LONG)
        page.keyboard.press("Escape")
        found = {panel: faults_of_panel(page, panel) for panel in PANELS}
        assert {panel: faults for panel, faults in found.items() if faults} == {}
        assert not complaints
