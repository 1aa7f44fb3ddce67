"""The end of a studio: by Ctrl-C, by SIGTERM, by a kill; and how one that cannot start says so."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from manipula import api
from manipula.cli.app import app
from manipula.errors import InputError
from manipula.pages import page
from manipula.studio import server
from manipula.studio.server import Wanted, _as_last_time, _folder, _listening_socket, serve
from tests.units.studio.conftest import Live, ended, started

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of this kind are not there")


def gone(processes: list[int]) -> bool:
    """Within a while."""
    for _ in range(300):
        if not any(_runs(process) for process in processes):
            return True
        time.sleep(0.05)
    return False


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def busy(live: Live) -> httpx.Response:
    """In the middle of a job, with a reader of its events."""
    job = live.post("/api/counts", document=api.document("panda"))["job"]
    request = live.client.build_request("GET", f"/api/jobs/{job}/events")
    answer = live.client.send(request, stream=True)
    assert next(answer.iter_lines())
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_in_the_middle_of_work(tmp_path: Path, number: signal.Signals) -> None:
    live = started(tmp_path)
    answer = busy(live)
    workers = live.workers()
    live.process.send_signal(number)
    assert live.process.wait(30) == 0
    answer.close()
    assert gone(workers)
    ended(live)


@pytest.mark.slow
def test_killed_it_leaves_no_process_and_loses_no_draft(tmp_path: Path) -> None:
    live = started(tmp_path)
    live.post("/api/draft", name="page", document=api.document("planar2r"), base=None)
    answer = busy(live)
    workers = live.workers()
    live.process.kill()
    live.process.wait()
    answer.close()
    assert workers and gone(workers)
    ended(live)
    (tmp_path / "robots").rmdir()
    (tmp_path / "page" / "index.html").unlink()
    (tmp_path / "page").rmdir()
    again = started(tmp_path)
    assert [draft["name"] for draft in again.client.get("/api/start").json()["drafts"]] == ["page"]
    ended(again)


def test_the_command_starts_it_and_a_signal_ends_it(tmp_path: Path) -> None:
    """On a file, in Portuguese; the address is printed, and is this machine's. It ends in the middle of a job."""
    page = tmp_path / "static" / "studio"
    page.mkdir(parents=True)
    (page / "index.html").write_text("<!doctype html>")
    (tmp_path / "arm.toml").write_text(api.to_text(api.load("rp")))
    place = f"import manipula.pages.page as b; from pathlib import Path; b.STATIC = Path({str(page.parent)!r})"
    start = f"{place}; from manipula.cli import main; main()"
    command = [sys.executable, "-c", start, "studio", str(tmp_path / "arm.toml"), "--no-browser", "--lang", "pt"]
    env = {**os.environ, "MANIPULA_HOME": str(tmp_path / "home")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        url = next(line.strip() for line in process.stdout if line.startswith("http"))
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{40,}", url)
        origin = url.partition("/?")[0]
        with httpx.Client(base_url=origin, headers={"Origin": origin}, follow_redirects=True, timeout=60) as client:
            assert client.get(url).status_code == 200
            told = client.get("/api/start").json()
            live = Live(process, url, tmp_path, tmp_path, client)
            answer, workers = busy(live), live.workers()
            process.terminate()
            assert process.wait(30) == 0
            answer.close()
        assert gone(workers)
    assert (told["open"], told["language"]) == ("arm.toml", "pt")
    assert [entry["name"] for entry in told["files"]] == ["arm.toml"]


def test_a_page_that_is_not_built_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "STATIC", tmp_path)
    found = CliRunner().invoke(app, ["studio", str(tmp_path)])
    assert found.exit_code == 2
    assert "make web" in found.stderr


@pytest.mark.parametrize("screen", [False, True])
@pytest.mark.parametrize("browser", [False, True])
def test_while_it_serves_and_afterwards(
    browser: bool, screen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address that is said is the one listened at; a signal ends it, and is as before when it has ended."""
    said, opened, seen = list[str](), list[str](), dict[str, Any]()

    def run(self: Any, sockets: list[socket.socket]) -> None:
        self._ready()
        seen["port"], seen["socket"] = sockets[0].getsockname()[1], sockets[0]
        signal.getsignal(signal.SIGTERM)(signal.SIGTERM, None)  # type: ignore[operator, misc]

    monkeypatch.setattr(server._Server, "run", run)
    monkeypatch.setattr(server, "_has_screen", lambda: screen)
    monkeypatch.setattr(server.webbrowser, "open", lambda url: opened.append(Path(url[7:]).read_text()))
    thread = lambda target, args, daemon: SimpleNamespace(start=lambda: target(*args))  # noqa: E731
    monkeypatch.setattr(server.threading, "Thread", thread)
    (tmp_path / "arms").mkdir()
    drafts, before = tmp_path / "drafts", signal.getsignal(signal.SIGTERM)
    for k in range(2):
        serve(Wanted(tmp_path / "arms", page=tmp_path, drafts=drafts, browser=browser), said.append)
        assert re.fullmatch(rf"http://127\.0\.0\.1:{seen['port']}/\?token=[\w-]{{20,}}", said[k])
        assert signal.getsignal(signal.SIGTERM) == before and seen["socket"].fileno() == -1
        assert [said[k] in page for page in opened[k:]] == [True] * (browser and screen)
        (note,) = drafts.glob("*.port")
        assert note.read_text() == str(seen["port"]) and len(note.stem) == 16
    assert said[0].partition("token=")[2] != said[1].partition("token=")[2]


def test_a_place_that_is_none_is_told(tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path / "none" / "arm.toml", tmp_path / "arm.exe", tmp_path / "new.toml"):
        with pytest.raises(InputError):
            _folder(place)
    (tmp_path / "new.toml").touch()
    assert _folder(tmp_path / "new.toml") == (tmp_path.resolve(), "new.toml")
    assert _folder(tmp_path) == (tmp_path.resolve(), None)


def test_a_port_that_is_taken_is_told() -> None:
    with _listening_socket(0) as first:
        first.listen()
        with pytest.raises(InputError, match="cannot be had"):
            _listening_socket(first.getsockname()[1])
    for port in (-1, 65536):
        with pytest.raises(InputError, match="expected 0"):
            _listening_socket(port)


def test_a_folder_keeps_its_port_as_long_as_nobody_else_has_it(tmp_path: Path) -> None:
    """What a browser keeps for a page belongs to the page's address."""
    note = tmp_path / "drafts" / "arms.port"
    with _as_last_time(note) as first:
        port = first.getsockname()[1]
        first.listen()
        with _as_last_time(note) as beside:
            assert beside.getsockname()[1] != port
    note.write_text(str(port))
    with _as_last_time(note) as again:
        assert again.getsockname()[1] == port
    for odd in ("", "99999", "-1", "port", "1"):
        note.write_text(odd)
        with _as_last_time(note) as found:
            assert found.getsockname()[1] > 0
