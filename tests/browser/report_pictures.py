"""`python -m tests.browser.report_pictures`: a report and a notebook's view as pictures, in docs/how-to/pictures."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import manipula as mp
from tests.browser.conftest import FLAGS, NAMES
from tests.browser.pages import opened
from tests.browser.test_widget import notebook_page

FOLDER = Path(__file__).parents[2] / "docs" / "how-to" / "pictures"
POSE = [0.4, -0.6, -0.6, 0.2, 0.7, 0.0]


def kept(shot: bytes, name: str) -> None:
    Image.open(io.BytesIO(shot)).convert("RGB").save(FOLDER / f"{name}.webp", quality=78, method=6)


def report(browser: Any, folder: Path) -> None:
    path = folder / "puma560.html"
    mp.report("puma560", path)
    screen = {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"}
    with opened(browser, path, **screen) as (page, _):
        page.wait_for_selector("body[data-ready]")
        for slider, value in zip(page.get_by_role("slider").all(), POSE, strict=True):
            slider.fill(f"{value * 57.29578:.1f}")
        page.wait_for_timeout(1500)  # the picture at rest, with the other answers
        kept(page.screenshot(), "report")
        page.locator("#inverse").scroll_into_view_if_needed()
        page.wait_for_function("document.querySelectorAll('#inverse .derivation math').length > 20")
        page.evaluate("document.getElementById('inverse').scrollIntoView()")
        kept(page.screenshot(), "report-inverse")


def notebook(browser: Any, folder: Path) -> None:
    view = mp.Arm("panda").view([0.4, -0.3, 0.2, -2.0, 0.3, 1.9, 0.6], frames=True, names=True)
    with opened(browser, notebook_page(view, folder), viewport={"width": 720, "height": 470}) as (page, _):
        page.wait_for_selector("[data-ready]")
        page.wait_for_timeout(1000)
        kept(page.locator("#out").screenshot(), "notebook")


def main() -> None:
    program = next(found for name in NAMES if (found := shutil.which(name)))
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        report(browser, Path(folder))
        notebook(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
