"""What the studio shows to others on its machine, and what it does when what comes is half, crafted or unreadable."""

from __future__ import annotations

import json
import os
import random
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from manipula import api
from manipula.studio.requests import redirect_page
from manipula.studio.tasks import JOBS, QUICK
from tests.units.studio.conftest import STARTED, Live, ended, started

BROWSER = """#!{python}
import json, os, sys
from urllib.parse import urlparse
page = urlparse(sys.argv[1]).path
command = open("/proc/self/cmdline").read() if os.path.exists("/proc/self/cmdline") else ""
modes = [os.stat(place).st_mode for place in (page, os.path.dirname(page))]
open({out!r}, "w").write(json.dumps([sys.argv, command, modes, open(page).read()]))
"""
OPENED = STARTED.replace("browser=False", "browser=True")


@pytest.mark.skipif(sys.platform == "win32", reason="another way to name a browser, and other permissions")
def test_the_token_stands_in_no_command_line(tmp_path: Path) -> None:
    """Every user of a machine can read those of all processes. The browser gets a page that only its user can read."""
    out, script = tmp_path / "told.json", tmp_path / "browser"
    script.write_text(BROWSER.format(python=sys.executable, out=str(out)))
    script.chmod(0o755)
    os.mkfifo(out)
    (tmp_path / "page").mkdir()
    command = [sys.executable, "-c", OPENED, str(tmp_path), str(tmp_path / "page"), str(tmp_path / "drafts")]
    environment = {**os.environ, "BROWSER": f"{script} %s"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        token = url.partition("token=")[2]
        words, line, modes, page = json.loads(out.read_text())  # when the browser has written it
        assert len(token) > 40 and token not in line and not any(token in word for word in words)
        assert [stat.S_IMODE(mode) for mode in modes] == [0o600, 0o700]
        assert page == redirect_page(url) and url in page
        away = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}  # as from a file
        answer = httpx.get(url, headers=away)
        assert (answer.status_code, answer.text) == (200, redirect_page("/"))
        assert "SameSite=Strict" in answer.headers["set-cookie"] and token in answer.headers["set-cookie"]
        assert httpx.get(url.replace(token, token[::-1]), headers=away).status_code == 403
        process.terminate()


# half of a request

PATIENT = """
from manipula.studio import requests, server
requests.PATIENCE = server.PATIENCE = 1.5
"""


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A studio that waits for a second or so."""
    found = started(tmp_path_factory.mktemp("hasty"), PATIENT + STARTED)
    yield found
    ended(found)


def test_half_of_a_request_ends_and_a_long_answer_does_not(hasty: Live) -> None:
    host, port = hasty.origin.removeprefix("http://").split(":")
    cookie = "; ".join(f"{name}={value}" for name, value in hasty.client.cookies.items())
    head = f"Host: {host}:{port}\r\nOrigin: {hasty.origin}\r\nCookie: {cookie}\r\n"
    sent = {"type": "application/json", "body": '{"document": '}
    typed = f"POST /api/draw HTTP/1.1\r\n{head}Content-Type: {sent['type']}\r\n"
    halves = [
        "", "G", "GET / HTTP/1.1\r\n", f"GET / HTTP/1.1\r\n{head}", f"GET / HTTP/1.1\r\n{head}X: {'a' * 5000}",
        f"GET /api/files HTTP/1.1\r\n{head}\r\nGET /api/fi", f"{typed}Content-Length: 5000\r\n\r\n{sent['body']}",
        f"{typed}Transfer-Encoding: chunked\r\n\r\n5\r\n{{\"doc",
    ]  # fmt: skip
    job = hasty.post("/api/counts", document=api.document("gen3"))["job"]
    with hasty.client.stream("GET", f"/api/jobs/{job}/events") as stream:
        lines = stream.iter_lines()
        assert next(lines)
        sockets = [socket.create_connection((host, int(port)), timeout=60) for _ in range(10) for half in halves]
        for number, one in enumerate(sockets):
            one.sendall(halves[number % len(halves)].encode())
        assert hasty.client.get("/api/files").status_code == 200
        for number, one in enumerate(sockets):
            with one:
                answer = b""
                while part := one.recv(2**16):
                    answer += part
            assert b" 200 OK" not in answer or number % len(halves) == 5
            assert b" 408 " in answer or number % len(halves) < 6
        hasty.post(f"/api/jobs/{job}/cancel")
        assert any("cancelled" in line or "result" in line for line in lines)  # the stream went on meanwhile


# what no page of ours sends


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "7" * 5000, "7" * 400, "-" + "9" * 310])
@pytest.mark.parametrize("place", ["draw", "equations", "save", "draft", "read", "export"])
def test_a_number_that_no_float_holds_is_refused(live: Live, number: str, place: str) -> None:
    body = f'{{"document": {{"rows": [{{"a": {number}}}]}}, "name": "x.toml", "base": null}}'
    answer = live.client.post(f"/api/{place}", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, "the request is not JSON")


def test_looks_without_a_file_are_refused(live: Live) -> None:
    for given in ({}, {"file": None}, {"file": 3}, {"file": ""}, {"path": "/etc/passwd", "root": "/"}):
        answer = live.post("/api/looks", 400, **given)
        assert answer["error"]["message"] == "name: expected the name of a file in the folder"


KEYS = (
    "document", "model", "models", "form", "language", "method", "values", "q", "text", "name", "format", "file", "law",
    "called", "logs", "validate", "outbox", "path", "study", "settings", "seed", "hidden",
)  # fmt: skip
VALUES: list[Any] = [None, True, 0, -1, 1e300, "", "x", [], {}, [[]], {"a": {}}, ["a", 1], 2**60, "../x"]


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 20))])
def test_no_crafted_request_is_our_mistake(live: Live, seed: int) -> None:
    """Entries that are missing, of another kind, or the server's own to give."""
    rng = random.Random(seed)
    for kind in [*JOBS, *(name for name in QUICK if name not in ("start", "toml")), "save", "draft"]:
        given = {key: rng.choice(VALUES) for key in rng.sample(KEYS, 8)}
        if kind in ("base", "looks", "motion", "draw", "convert", "export", "save"):
            given["document"] = rng.choice([api.document("planar2r"), given.get("document")])
        answer = live.client.post(f"/api/{kind}", json=given)
        assert answer.status_code < 500, (kind, given, answer.text)
        if "job" in answer.json():
            *_, (event, data) = live.events(answer.json()["job"])
            assert event == "result" or "mistake of manipula" not in data["error"]["message"], (kind, given, data)


def test_a_recording_is_called_as_its_user_calls_it(live: Live) -> None:
    """Not by the place where the server keeps it, and with blanks and accents as they were."""
    name = "ensaio nº 1 (2).csv"
    files = {"logs": (name, "t,q1\n0,1\n0.1,2\n", "text/csv")}
    data = {"document": json.dumps(api.document("puma560")), "method": "ols"}
    job = live.client.post("/api/identify", files=files, data=data).json()["job"]
    said = list(live.events(job))
    event, found = said[-1]
    assert event == "failed" and found["error"]["message"].startswith(f"{name}: has 1 joint; puma560 has 6; ")
    assert not any("manipula-studio" in json.dumps(one, ensure_ascii=False) for one in said)
