"""A browser for the pages: Chromium through Playwright, with software WebGL; skipped where it cannot be had."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from manipula.pages.page import STATIC
from tests.browser.studio import Program, running

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One for the tests of a file: while it is there a loop of events runs in the process, and no other can."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium: the pages are not opened")
    if not (STATIC / "report.js").exists():
        pytest.skip("the page is not built (`make web`): it is not opened")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no page is opened")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def program(browser: Any, kept_folder: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The studio, running: one for the tests of a file."""
    pytest.importorskip("starlette", reason="starlette is not installed: no studio is opened")
    pytest.importorskip("uvicorn", reason="uvicorn is not installed: no studio is opened")
    with running(tmp_path_factory.mktemp("arms"), kept_folder) as started:
        yield started
