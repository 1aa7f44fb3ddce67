"""A studio from start to end: a free port on this machine, the address with its token, a browser, a clean stop."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from asyncio import TimerHandle
from asyncio.transports import BaseTransport
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import NoReturn

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from manipula import api
from manipula.errors import InputError
from manipula.studio.app import Studio
from manipula.studio.requests import PATIENCE, new_token, redirect_page
from manipula.studio.store import Drafts, Folder
from manipula.support.files import write_bytes

HOST = "127.0.0.1"  # never another: only the person at this machine may read its files


@dataclass(frozen=True)
class Wanted:
    """What the command line says."""

    place: Path  # a folder, or a file in it
    page: Path
    drafts: Path | None  # where drafts of all folders are kept; None: there is no such place, they end with the studio
    port: int = 0  # 0: a free one
    browser: bool = True
    language: str = "en"
    told: Callable[[str, str], str] = lambda text, language: text


def serve(wanted: Wanted, say: Callable[[str], None]) -> None:
    """Until Ctrl-C or SIGTERM. `say` gets the address."""
    folder, opened = _folder(wanted.place)
    with tempfile.TemporaryDirectory(prefix="manipula-studio-", ignore_cleanup_errors=True) as made:
        scratch = Path(made)
        mine = (wanted.drafts or scratch) / sha256(str(folder).encode()).hexdigest()[:16]
        listening = _listening_socket(wanted.port) if wanted.port else _as_last_time(mine.with_suffix(".port"))
        port, token = listening.getsockname()[1], new_token()
        url = f"http://{HOST}:{port}/?token={token}"
        studio = Studio(Folder(folder), Drafts(mine), scratch, wanted.page, wanted.language, opened, wanted.told)
        config = uvicorn.Config(
            studio.application(port, token), log_level="warning", access_log=False, lifespan="on", server_header=False,
            timeout_graceful_shutdown=1, http=Connection,
        )  # fmt: skip
        server = _Server(config, lambda: _open_browser(url, scratch, wanted.browser, say))
        before = signal.signal(signal.SIGTERM, _interrupt)  # uvicorn gives the signal back when it has stopped
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGTERM, before)
            listening.close()


class Connection(H11Protocol):
    """Closed when the head of a request does not come in time: a client that sends half a line would stay for ever."""

    _waits_since = 0.0
    _timer: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self._waits_since = self.loop.time()
        self._look_again()

    def on_response_complete(self) -> None:
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _look_again(self) -> None:
        answers = self.cycle is not None and not self.cycle.response_complete
        left = PATIENCE if answers else self._waits_since + PATIENCE - self.loop.time()
        if left > 0:
            self._timer = self.loop.call_later(left, self._look_again)
        else:
            self.transport.close()


class _Server(uvicorn.Server):
    """Says when it can be spoken to."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _folder(place: Path) -> tuple[Path, str | None]:
    """The folder, and the file in it that is opened first."""
    if place.is_dir():
        return place.resolve(), None
    if place.suffix.lower() not in (known := api.formats()):
        raise InputError(
            "{place}: expected a folder, or a file with one of the endings {endings}", place, " ".join(known)
        )
    if not place.is_file():
        raise InputError("{place}: there is no such file; without a name the current folder is opened", place)
    return place.parent.resolve(), place.name


def _listening_socket(port: int) -> socket.socket:
    """A socket on this machine alone."""
    if not 0 <= port <= 65535:
        raise InputError("--port: expected 0 (a free one) to 65535, found {port}", port)
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
    except OSError as error:
        found.close()
        raise InputError("--port: {port} cannot be had: {strerror}; 0 takes a free one", port, error.strerror) from None
    found.set_inheritable(False)
    return found


def _as_last_time(note: Path) -> socket.socket:
    """A free port, if it can be the one this folder had before.

    What a page keeps in its browser belongs to its address: an edit made after the studio had stopped would be out of
    reach at another port.
    """
    try:
        found = _listening_socket(int(note.read_text(encoding="ascii")))
    except (OSError, ValueError, InputError):
        found = _listening_socket(0)
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(str(found.getsockname()[1]), encoding="ascii")
    return found


def _open_browser(url: str, scratch: Path, browser: bool, say: Callable[[str], None]) -> None:
    """The browser gets a page that only its user can read, and which leads on: every user of the machine can read the
    arguments of a process, so the token must not be among them."""
    say(url)
    if browser and _has_screen():
        page = write_bytes(scratch / "open.html", redirect_page(url).encode(), mode=0o600)
        # in a thread, since some wait until they are closed
        threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()


def _has_screen() -> bool:
    """A browser in the terminal would take it from the user."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
