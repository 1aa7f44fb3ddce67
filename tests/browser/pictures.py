"""`python -m tests.browser.pictures`: the studio's panels as pictures, into docs/pictures/studio."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import manipula as mp
from tests.browser.conftest import FLAGS, NAMES
from tests.browser.robots import recorded
from tests.browser.studio import Program, library, page_of, running

FOLDER = Path(__file__).parents[2] / "docs" / "pictures" / "studio"
COLOURS = 255  # enough for a shaded arm; a quarter of the bytes
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
# what the panel shows when it has its answer
DONE = {
    "Equations": ".equations .katex", "Inverse": ".derivation", "Steps": ".steps math",
    "Counts": ".bar", "Code": ".source .hljs-comment",
    "Dynamics": ".plot canvas", "Simulate": ".plot canvas", "Check": ".laws", "Base": ".figures .katex",
    "Identify": ".drop", "Study": ".shown svg",
}  # fmt: skip


def kept(page: Any, name: str) -> None:
    page.mouse.move(2, 2)
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(1200)  # the arm is drawn once more, with shadows, when nothing moves
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)


def panel(page: Any, tab: str) -> None:
    page.get_by_role("tab", name=tab, exact=True).click()
    if tab in ("Simulate", "Study"):
        page.get_by_role("button", name={"Study": "Run the study"}.get(tab, tab), exact=True).click()
    page.locator(f".tab-body {DONE[tab]}").first.wait_for(timeout=120_000)


def wide(browser: Any, program: Program) -> None:
    """Every panel, with an arm it says something about."""
    with page_of(browser, program, viewport=WIDE, color_scheme="light") as (page, _):
        panel(page, "Equations")
        kept(page, "first")
        panel(page, "Dynamics")
        library(page, "puma560")
        page.locator("body").press("b")
        panel(page, "Inverse")
        kept(page, "inverse")
        page.locator("body").press("b")
        for tab in ("Steps", "Counts", "Code", "Check", "Base", "Dynamics"):
            panel(page, tab)
            kept(page, tab.lower())
        library(page, "scara")
        page.get_by_role("tab", name="Equations", exact=True).click()
        page.get_by_label("Model", exact=True).select_option("pose")
        page.locator(".tab-body .matrix .katex").wait_for(timeout=60_000)
        kept(page, "equations")
        panel(page, "Simulate")
        page.locator(".tab-body").evaluate("body => body.scrollTop = 330")
        kept(page, "simulate")

        study(page)
        identify(page, program)


def identify(page: Any, program: Program) -> None:
    """Of a simulated arm that rubs."""
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    rubs = {"viscous": 0.8, "coulomb": 1.5}
    mp.save(robot, program.folder / "two_links.toml")
    for name, pace in (("slow", 1.0), ("other", 0.7)):
        recorded(robot.with_friction(theta1=rubs, theta2=rubs), pace).save(program.folder / f"{name}.csv")
    page.locator("header").get_by_role("button").first.click()
    page.get_by_role("menuitem", name="Open…").click()
    page.get_by_role("button", name=re.compile("two_links.toml")).click()
    panel(page, "Identify")
    page.get_by_label("Logs to learn from").set_input_files(program.folder / "slow.csv")
    page.get_by_label("Logs to test with").set_input_files(program.folder / "other.csv")
    page.get_by_role("button", name="Identify", exact=True).click()
    page.get_by_role("img", name="theta2: residual").locator("canvas").wait_for(timeout=120_000)
    page.locator(".tab-body").evaluate("body => body.scrollTop = 250")
    kept(page, "identify")


def study(page: Any) -> None:
    library(page, "planar2r")
    page.get_by_role("tab", name="Study", exact=True).click()
    page.get_by_role("tabpanel").get_by_label("Study", exact=True).select_option("workspace")
    panel(page, "Study")
    page.get_by_role("img", name="manipulability at").evaluate("picture => picture.scrollIntoView()")
    kept(page, "study")


def others(browser: Any, program: Program) -> None:
    with page_of(browser, program, viewport=WIDE, color_scheme="dark") as (page, _):
        library(page, "ur5e")
        panel(page, "Counts")
        kept(page, "dark")
    with page_of(browser, program, viewport=NARROW, color_scheme="light") as (page, _):
        panel(page, "Equations")
        kept(page, "narrow")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    chromium = next(found for name in NAMES if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as program, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        wide(browser, program)
        others(browser, program)
        browser.close()
    for path in sorted(FOLDER.glob("*.png")):
        print(f"{path.stat().st_size / 1000:6.1f} kB  {path.name}")


if __name__ == "__main__":
    main()
