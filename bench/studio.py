"""How quick the studio is for a person: python bench/studio.py [VIEWS] [EDITS]

The real program on a free port and Chromium with software WebGL. Printed: page time until the arm is there (the first
visit, then a warm browser), and the time from a key in a cell to the picture of the changed arm: request, answer and
two frames. Then the time from a key in a cell to the equations of the changed arm in the panel: their first form, and
the book's form, which a long model gets later; CPU time is the program's, its workers' included. Best, median and
worst; run it on a quiet machine. Needs playwright and the built page (`make web`).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.browser.studio import begin, library, running

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
ANSWERS = """() => {
  let begun = 0, greyed = false;
  document.addEventListener("input", () => { begun ||= performance.now(); window.first = window.last = 0; }, true);
  const look = () => {
    const body = document.querySelector(".tab-body"), seen = begun && performance.now() - begun;
    if (begun && body.querySelector(".old")) greyed = true;
    else if (begun && greyed && body.querySelector(".equations, .matrix")) {
      window.first ||= seen;
      if (!body.querySelector(".working")) { window.last = seen; begun = 0; greyed = false; }
    }
    requestAnimationFrame(look);
  };
  look();
}"""
FIRST, EDITED = 1500, 300  # ms: what is promised
ANSWERED = (("planar2r", "pose", 300), ("planar2r", "inverse_dynamics", 300), ("puma560", "inverse_dynamics", 3000))


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


def seconds_of(program: int) -> float:
    """CPU seconds of a process and of those it has started."""
    found = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if program in (int(stat.parent.name), int(fields[1])):
                found += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # also of those that have ended
    return found


def answered(page: Any, program: int, robot: str, model: str, edits: int) -> list[list[float]]:
    """Of edits of a length: times to the first and to the last form, and CPU time to the first."""
    library(page, robot)
    page.get_by_role("tab", name="Equations", exact=True).click()
    page.get_by_label("Model", exact=True).select_option(model)
    page.locator(".tab-body :is(.equations, .matrix)").first.wait_for(timeout=180_000)
    page.wait_for_function("() => !document.querySelector('.tab-body :is(.working, .old)')", timeout=180_000)
    first: list[float] = []
    last: list[float] = []
    spent: list[float] = []
    for k in range(edits):
        page.wait_for_timeout(4000)  # the optimised module of the arm is made: a person reads meanwhile
        cell = page.locator("table input:visible").nth(2)
        before = seconds_of(program)
        cell.fill(f"{0.3 + 0.01 * k:.3f}")
        cell.press("Enter")
        page.wait_for_function("() => window.first", timeout=180_000)
        spent.append(1000 * (seconds_of(program) - before))
        page.wait_for_function("() => window.last", timeout=180_000)
        first.append(float(page.evaluate("window.first")))
        last.append(float(page.evaluate("window.last")))
    return [first, last, spent]


def told(what: str, found: Sequence[float], must: int) -> None:
    print(f"{what:44} {min(found):6.0f} {median(found):7.0f} {max(found):6.0f}   {must:5}")


def main(views: int, edits: int) -> None:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with TemporaryDirectory() as folder, running(Path(folder)) as studio, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        first = viewed(page, studio.url)
        warm = [viewed(page, studio.address) for _ in range(views)]
        begin(page)
        page.wait_for_timeout(2000)
        page.evaluate(WATCH)
        times = [edited(page, 0.3 + 0.01 * k) for k in range(edits)]
        page.evaluate(ANSWERS)
        pid = studio.process.pid
        rows = [(*case, *answered(page, pid, *case[:2], max(3, edits // 4))) for case in ANSWERED]
        browser.close()
    print(f"{'ms':44} {'best':>6} {'median':>7} {'worst':>6}   {'must':>5}")
    told("first visit to the arm", [first], FIRST)
    told(f"{views} visits more", warm, FIRST)
    told(f"{edits} edits of a cell to the arm", times, EDITED)
    for robot, model, must, first_form, last_form, spent in rows:
        told(f"{robot} {model}: first form", first_form, must)
        told(f"{robot} {model}: book form", last_form, must)
        told(f"{robot} {model}: CPU time to the first", spent, must)


if __name__ == "__main__":
    main(*map(int, [*sys.argv[1:], "6", "20"][:2]))
