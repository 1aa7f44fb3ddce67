"""A studio that runs: one process with its workers for all tests that speak to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from manipula.studio.tasks import replies
from tests.units.studio.contract import conform, reply_at, reply_of

STARTED = """
import sys
from pathlib import Path
from manipula.studio.server import Wanted, serve
folder, page, drafts = map(Path, sys.argv[1:4])
serve(Wanted(folder, page, drafts, browser=False), lambda url: print(url, flush=True))
"""


@dataclass
class Live:
    """A running studio and a client that may speak to it."""

    process: subprocess.Popen[str]
    url: str
    folder: Path
    drafts: Path
    client: httpx.Client

    @property
    def origin(self) -> str:
        return self.url.partition("/?")[0]

    def post(self, address: str, status: int = 200, **given: Any) -> Any:
        answer = self.client.post(address, json=given)
        assert answer.status_code == status, answer.text
        conform(answer.json(), reply_at(address) if status == 200 else replies.ErrorAnswer | replies.ConflictAnswer)
        return answer.json()

    def job(self, address: str, **given: Any) -> tuple[str, Any]:
        """The last event of a job, and what it brought."""
        *_, last = self.events(self.post(address, **given)["job"])
        return last

    def result(self, address: str, **given: Any) -> Any:
        event, data = self.job(address, **given)
        assert event == "result", data
        conform(data, reply_of(address.removeprefix("/api/")))
        return data

    def events(self, job: str) -> Iterator[tuple[str, Any]]:
        with self.client.stream("GET", f"/api/jobs/{job}/events") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            event = ""
            for line in answer.iter_lines():
                key, _, value = line.partition(": ")
                event = value if key == "event" else event
                if key == "data":
                    yield event, json.loads(value)

    def workers(self) -> list[int]:
        """The processes it has started, where the system tells."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
            if parent == self.process.pid:
                found.append(int(place.name))
        return found


def started(place: Path, text: str = STARTED) -> Live:
    folder, page, drafts = (place / name for name in ("robots", "page", "drafts"))
    for each in (folder, page):
        each.mkdir()
    (page / "index.html").write_text("<!doctype html><title>studio</title>")
    command = [sys.executable, "-c", text, *map(str, (folder, page, drafts))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    origin = url.partition("/?")[0]
    client = httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=120)
    client.get(url)
    return Live(process, url, folder, drafts, client)


def ended(live: Live) -> None:
    live.client.close()
    if live.process.poll() is None:
        live.process.terminate()
    live.process.wait(30)
    assert live.process.stdout is not None
    live.process.stdout.close()


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    found = started(tmp_path_factory.mktemp("studio"))
    yield found
    ended(found)
