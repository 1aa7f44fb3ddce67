"""The arm in a running JupyterLab: a cell shows it, another cell moves it, nothing is asked of the network."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from manipula.pages.page import STATIC
from tests.browser.pages import changed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (STATIC / "widget.js").exists(), reason="the page is not built (`make web`)"),
]
ROOT = Path(__file__).parents[2]
CELLS = ("import manipula as mp\nview = mp.Arm('puma560').view()\nview", "view.q = [1.5, 0.5, -0.5, 0, 0, 0]")
WAIT = 120_000  # milliseconds: a kernel starts slowly on a busy machine


def notebook() -> str:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    cells = [{**cell, "id": str(k), "source": source} for k, source in enumerate(CELLS)]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab of its own."""
    for needed in ("jupyterlab", "anywidget"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    (tmp_path / "arm.ipynb").write_text(notebook(), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {f"JUPYTER_{what}_DIR": str(tmp_path / what) for what in ("CONFIG", "RUNTIME", "DATA")}
    options = [f"--port={port}", "--no-browser", "--allow-root", "--IdentityProvider.token=", "--ip=127.0.0.1"]
    command = [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={tmp_path}"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, env={**os.environ, **own, "PYTHONPATH": str(ROOT)}, stdout=log, stderr=log)
        try:
            answered(f"http://127.0.0.1:{port}/api")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def answered(address: str) -> None:
    for _ in range(240):
        try:
            urlopen(address, timeout=2).close()
            return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    pytest.fail("JupyterLab did not start")


def test_a_cell_shows_the_arm_and_another_moves_it(browser: Any, lab: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, foreign = context.new_page(), []
    page.on("request", lambda asked: foreign.append(asked.url) if asked.url.startswith("https:") else None)
    page.goto(f"{lab}/lab/tree/arm.ipynb")
    page.locator(".jp-Cell").first.click(timeout=WAIT)
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".manipula-view[data-ready]", timeout=WAIT)
    page.wait_for_timeout(500)  # the picture at rest
    assert not page.locator("[class^=manipula-still]").first.is_visible()
    before = page.locator(".manipula-arm").screenshot()
    page.locator(".jp-Cell").nth(1).click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("document.querySelector('.manipula-view input[type=number]').value === '85.9'", timeout=WAIT)
    page.wait_for_timeout(500)
    assert changed(before, page.locator(".manipula-arm").screenshot()) > 0.01
    assert not foreign
    context.close()
