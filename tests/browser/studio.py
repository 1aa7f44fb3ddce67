"""A studio of its own for the tests: the real program, a folder, a page, and what the browser complains of."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browser.pages import PATIENCE, loud


@dataclass
class Program:
    """`manipula studio` running."""

    url: str
    folder: Path
    process: subprocess.Popen[str]

    @property
    def address(self) -> str:
        return self.url.partition("/?")[0]


@contextmanager
def running(folder: Path, cache: str = "off") -> Iterator[Program]:
    """The program as a person starts it, on a free port, with drafts of its own."""
    home = folder / ".home"
    command = [sys.executable, "-m", "manipula.cli", "studio", "--no-browser", str(folder)]
    environment = {**os.environ, "MANIPULA_HOME": str(home), "NO_COLOR": "1", "MANIPULA_LANG": "en"}
    environment["MANIPULA_CACHE"] = cache
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    try:
        yield Program(_address(process), folder, process)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
            return found[0]
    raise AssertionError("the studio did not start: " + "".join(lines))


@contextmanager
def page_of(browser: Any, program: Program, **context: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page of the studio when it is ready, and its complaints: errors, and requests to elsewhere."""
    options = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": 1, "reduced_motion": "reduce"}
    made = browser.new_context(accept_downloads=True, locale="en-GB", **{**options, **context})
    made.set_default_timeout(PATIENCE)
    page, complaints = made.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if loud(said) else None)
    page.on("request", lambda asked: complaints.append(asked.url) if _foreign(asked.url, program) else None)
    page.goto(program.url)
    ready(page)
    try:
        yield page, complaints
    finally:
        made.close()


def _foreign(url: str, program: Program) -> bool:
    return not url.startswith((program.address + "/", "data:", "blob:"))


def ready(page: Any) -> None:
    """The page is there and has its first answer: what comes with it moves what lies above the sliders."""
    page.locator("body[data-ready]").wait_for()
    page.locator(".stage[aria-busy=false]").wait_for()


def paste(page: Any, text: str, **choices: str) -> None:
    """A table, as a person brings it in: by the words on the buttons; until its arm is there."""
    page.get_by_role("button", name="Paste", exact=True).click()
    dialog = page.get_by_role("dialog", name="Paste a table")
    dialog.get_by_role("textbox", name="Table").fill(text)
    for label, value in choices.items():
        dialog.get_by_label(label.replace("_", " ")).select_option(value)
    dialog.get_by_role("button", name="Use this table").click()
    dialog.wait_for(state="detached")
    joints = len(text.strip().splitlines()) - 1
    page.locator(f'.stage[aria-busy=false][data-robot="my_arm"][data-joints="{joints}"]').wait_for()


def begin(page: Any) -> None:
    """A new arm, by the menu."""
    page.locator("header").get_by_role("button").first.click()
    page.get_by_role("menuitem", name="New", exact=True).click()
    dialog = page.get_by_role("dialog", name="New arm")
    dialog.get_by_label("Links").select_option("bodies")
    dialog.get_by_role("button", name="Begin").click()
    page.locator('.stage[aria-busy=false][data-robot="my_arm"][data-joints="2"]').wait_for()


def library(page: Any, name: str) -> None:
    page.evaluate("document.activeElement.blur()")  # a letter in a field is its text
    page.locator("body").press("/")
    dialog = page.get_by_role("dialog", name="Library")
    dialog.get_by_label("Search").fill(name)
    dialog.get_by_role("button", name=re.compile(rf"^{name}\b")).first.click()
    page.locator(f'.stage[aria-busy=false][data-robot="{name}"]').wait_for()


def position(page: Any) -> list[float]:
    """Of the tool, as the page shows it."""
    shown = page.get_by_label("Position of the tool (m)").filter(has_text=re.compile(r"\d"))
    return [float(number) for number in shown.inner_text().split(",")]
