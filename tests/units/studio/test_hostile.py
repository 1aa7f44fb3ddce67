"""A page of somebody else, in the browser that has the studio open: it gets nothing and changes nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from manipula import api
from tests.units.studio.conftest import Live

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Page(BaseHTTPRequestHandler):
    """An empty page; what it does is put into it."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><body>")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of another server of this machine."""
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_a_hostile_page_gets_nothing(live: Live, elsewhere: int) -> None:
    """From a name of its own that points here, and from another port, whose requests have our cookie."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium: no hostile page is opened")
    pytest.importorskip("playwright", reason="playwright is not installed: no hostile page is opened")
    (live.folder / "kept.toml").write_text("kept")
    before = {path: path.read_bytes() for path in live.folder.rglob("*") if path.is_file()}
    saved = json.dumps({"name": "stolen.toml", "document": api.document("planar2r"), "base": None})
    pages = [f"http://{host}:{elsewhere}/" for host in ("evil.example", "127.0.0.1")]
    job = live.post("/api/counts", document=api.document("gen3"))["job"]
    command = [sys.executable, str(Path(__file__).with_name("hostile.py")), program, live.url, saved, job, *pages]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    found = json.loads(told)
    assert live.client.get(f"/api/jobs/{job}").json()["state"] != "cancelled"
    live.post(f"/api/jobs/{job}/cancel")
    assert found.pop("own") == 200
    assert found.pop("rebound") == 421
    for url, got in found.items():
        assert len(got) == 9
        assert set(got.values()) <= {"refused", "silence"}, (url, got)
    assert {path: path.read_bytes() for path in live.folder.rglob("*") if path.is_file()} == before
