"""The study panel as people use it: choose, set, run, leave and come back, take home what runs again by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from manipula.studies.study_file import study_of_file
from tests.browser.studio import Program, library, page_of, ready
from tests.browser.test_studio_looks import OUTSIDE, SIZES, violations


@pytest.fixture(scope="module")
def page(browser: Any, program: Program) -> Iterator[Any]:
    with page_of(browser, program) as (page, complaints):
        library(page, "planar2r")
        page.get_by_role("tab", name="Study").click()
        page.get_by_role("button", name="Run the study").wait_for()
        yield page
        assert not complaints


def run(page: Any, title: str) -> None:
    page.get_by_role("button", name="Run the study").click()
    page.get_by_role("heading", name=title).wait_for()


def test_a_map_is_asked_for_seen_and_taken_home(page: Any, tmp_path: Path) -> None:
    """A wrong number is told at its field; the file that is downloaded gives the same bytes."""
    panel = page.get_by_role("tabpanel")
    assert panel.get_by_label("Study", exact=True).input_value() == "workspace"
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
    panel = page.get_by_role("tabpanel")
    panel.get_by_label("Study", exact=True).select_option("payload")
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


def test_a_study_outlives_a_reload_and_ends_when_cancelled(page: Any) -> None:
    panel = page.get_by_role("tabpanel")
    panel.get_by_label("Study", exact=True).select_option("tolerances")
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


@pytest.mark.parametrize("size", SIZES)
def test_everybody_can_use_it(page: Any, size: str) -> None:
    """A form, a result and a mistake, in both themes: nothing axe knows, nothing out of reach."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page.set_viewport_size(SIZES[size])
    panel = page.get_by_role("tabpanel")
    panel.get_by_label("Study", exact=True).select_option("gains")
    panel.get_by_role("textbox", name="levels", exact=True).fill("2")
    run(page, "gains of planar2r: 4 cases")
    panel.get_by_role("textbox", name="kp to (1/s²)").fill("1")
    page.get_by_role("button", name="Run the study").click()
    panel.get_by_role("group", name="gains").get_by_role("alert").wait_for()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert not violations(axe, page, ".tab-body"), theme
        assert page.evaluate(OUTSIDE) == []
    panel.get_by_role("textbox", name="kp to (1/s²)").fill("400")
