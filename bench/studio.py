"""How quick the studio is for a person: python bench/studio.py [VIEWS] [EDITS]

The real program on a free port and Chromium with software WebGL. Printed: page time until the arm is there (the first
visit, then a warm browser), and the time from a key in a cell to the picture of the changed arm: request, answer and
two frames. Best, median and worst; run it on a quiet machine. Needs playwright and the built page (`make web`).
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.browser.studio import running

FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
WATCH = """() => {
  const asked = window.fetch; let begun = 0;
  document.addEventListener("input", () => { begun ||= performance.now(); }, true);
  window.fetch = async (...given) => {
    const answer = await asked(...given);
    if (String(given[0].url ?? given[0]).includes("/api/draw") && begun) {
      const seen = () => { window.redrawn = performance.now() - begun; begun = 0; };
      requestAnimationFrame(() => requestAnimationFrame(seen));
    }
    return answer;
  };
}"""
FIRST, EDITED = 1500, 300  # ms: what is promised


def viewed(page: Any, address: str) -> float:
    page.goto(address)
    page.wait_for_selector("[data-joints] canvas", timeout=60_000)
    return float(page.evaluate("performance.now()"))


def edited(page: Any, value: float) -> float:
    page.evaluate("window.redrawn = 0")
    cell = page.locator("table input").nth(2)
    cell.fill(f"{value:.3f}")
    cell.press("Enter")
    for _ in range(600):
        if found := page.evaluate("window.redrawn"):
            return float(found)
        page.wait_for_timeout(100)
    raise SystemExit("the arm was not drawn again within a minute")


def told(what: str, found: Sequence[float], must: int) -> None:
    print(f"{what:32} {min(found):6.0f} {median(found):7.0f} {max(found):6.0f}   {must:5}")


def main(views: int, edits: int) -> None:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with TemporaryDirectory() as folder, running(Path(folder)) as studio, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        first = viewed(page, studio.url)
        warm = [viewed(page, studio.address) for _ in range(views)]
        page.get_by_role("button", name="New").first.click()
        page.wait_for_timeout(2000)
        page.evaluate(WATCH)
        times = [edited(page, 0.3 + 0.01 * k) for k in range(edits)]
        browser.close()
    print(f"{'ms':32} {'best':>6} {'median':>7} {'worst':>6}   {'must':>5}")
    told("first visit to the arm", [first], FIRST)
    told(f"{views} visits more", warm, FIRST)
    told(f"{edits} edits of a cell to the arm", times, EDITED)


if __name__ == "__main__":
    main(*map(int, [*sys.argv[1:], "6", "20"][:2]))
