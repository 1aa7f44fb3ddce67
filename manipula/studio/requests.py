"""Who may speak to the studio: its own page, on this machine, with the token; nobody else, not even for a picture.

A page of another site can make a browser send requests here, with cookies, and by a name that it lets point to this
machine. So every request must name this host and port (else 421), come from our own page (else 403) and bring the token
(else 401); bodies are bounded by their stated length and while they are read (413), and each part must come in time
(408). Pure ASGI, before everything.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import secrets
from asyncio import wait_for
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import NoReturn
from urllib.parse import parse_qs, quote

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from manipula.errors import InputError
from manipula.messages import Message
from manipula.studio.tasks.replies import ErrorAnswer

MOST = 2 * 2**20  # bytes of a request: a robot has some thousands
MOST_UPLOADED = 64 * 2**20  # of a recording
UPLOAD = "/api/identify"
PATIENCE = 20.0  # seconds for the head of a request, and for the next part of its body
POLICY = (
    "default-src 'none'; script-src 'self' blob:; worker-src blob:; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}
_OURS = ("same-origin", "none")  # of Sec-Fetch-Site; none: typed, or from a bookmark
_READING = ("GET", "HEAD")


def new_token() -> str:
    return secrets.token_urlsafe(32)


class Refused(Exception):
    """A request that ends here."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """The application behind it sees only what it may answer."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.cookie = f"manipula-{port}"  # cookies do not know of ports: two studios must not share one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})  # nothing here speaks by socket
        else:
            try:
                location = self._admit(scope)
                limit = MOST_UPLOADED if scope["path"] == UPLOAD else MOST
                _refuse_length(scope, limit)
            except Refused as refused:
                await _answer(_add_headers(send), refused.status, str(refused))
                return
            if location is not None:
                await self._welcome(_add_headers(send), location, _is_ours(scope))
                return
            await self.app(scope, _limit_body(receive, limit), _add_headers(send))

    def _admit(self, scope: Scope) -> str | None:
        """Raises on whom it does not let in; for a first visit with the token, where it goes from here."""
        if _only(scope, b"host") not in self.hosts:
            raise Refused(421, "this is not a name of this studio")
        if "\0" in scope["path"]:
            raise Refused(404, "there is no such file")
        origin = _only(scope, b"origin")
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        visit = bool(given) and scope["method"] in _READING
        known = visit and self._is_token(given[0])
        if not known and not _is_ours(scope):  # the page that opens the studio is a file, which no browser calls ours
            raise Refused(403, "the request comes from another site")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            raise Refused(403, "the request comes from another site")
        if origin is None and scope["method"] not in _READING:
            raise Refused(403, "the request does not say where it comes from")
        if visit and not known:
            raise Refused(401, "the token in the address is not this studio's")
        if visit:
            return "/" + quote(scope["path"].lstrip("/\\"))  # never //elsewhere
        if not any(map(self._is_token, self._cookies(scope))):
            raise Refused(401, "open the address that manipula studio printed: it holds the token")
        return None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _cookies(self, scope: Scope) -> Iterable[str]:
        for value in _every(scope, b"cookie"):
            try:
                found = SimpleCookie(value).get(self.cookie)
            except CookieError:
                continue
            if found is not None:
                yield found.value

    async def _welcome(self, send: Send, location: str, ours: bool) -> None:
        """The token goes from the address, which is shown and remembered, into a cookie that no script can read.

        After a redirect of a visit from elsewhere a browser would hold the strict cookie back: a page of ours leads on.
        """
        cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        body = b"" if ours else redirect_page(location).encode()
        headers = [(b"set-cookie", cookie.encode()), (b"content-length", str(len(body)).encode())]
        headers.append((b"location", location.encode()) if ours else (b"content-type", b"text/html; charset=utf-8"))
        await send({"type": "http.response.start", "status": 303 if ours else 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def redirect_page(url: str) -> str:
    """A page that leads on at once, without a script."""
    target = escape(url)
    return (
        f'<!doctype html><meta charset="utf-8"><title>manipula studio</title>'
        f'<meta http-equiv="refresh" content="0; url={target}"><a href="{target}">manipula studio</a>\n'
    )


def _is_ours(scope: Scope) -> bool:
    """Whether the browser says that our own page asks, or nobody's; a client that is no browser says nothing."""
    site = _only(scope, b"sec-fetch-site")
    return site is None or site in _OURS


def _every(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _only(scope: Scope, name: bytes) -> str | None:
    """A header that may be there once: two of them are two opinions."""
    values = _every(scope, name)
    if len(values) > 1:
        raise Refused(400, Message("there are {count} headers {name}", len(values), name.decode()))
    return values[0] if values else None


def _refuse_length(scope: Scope, limit: int) -> None:
    stated = _only(scope, b"content-length")
    if stated is None:
        return
    if not (stated.isascii() and stated.isdigit()):
        raise Refused(400, "the length of the request is not a number")
    if len(stated) > 12 or int(stated) > limit:
        raise Refused(413, _too_large(limit))


def _too_large(limit: int) -> str:
    return Message("the request is too large: at most {limit} MB", limit // 2**20)


def _limit_body(receive: Receive, limit: int) -> Receive:
    """Counts what comes, since a body in chunks states no length, and waits for each part of it so long and no longer.
    Starlette answers its own exceptions with 413 and 408."""
    seen, whole = 0, False

    async def receive_part() -> Event:
        nonlocal seen, whole
        try:  # behind the body comes only word that the client has gone, for which an answer waits as long as it lasts
            message = await (receive() if whole else wait_for(receive(), PATIENCE))
        except TimeoutError:
            raise HTTPException(408, f"the rest of the request did not come within {PATIENCE:g} s") from None
        seen += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        if seen > limit:
            raise HTTPException(413, _too_large(limit))
        return message

    return receive_part


def _add_headers(send: Send) -> Send:
    """Every answer forbids the page whatever it has no need of; nothing is kept unless the answer says so."""

    async def send_with_headers(message: Event) -> None:
        if message["type"] == "http.response.start":
            headers: list[tuple[bytes, bytes]] = list(message.get("headers", []))
            there = {key.lower() for key, _ in headers}
            more = _HEADERS | ({} if b"cache-control" in there else {"cache-control": "no-store"})
            headers += [(key.encode(), value.encode()) for key, value in more.items() if key.encode() not in there]
            message = {**message, "headers": headers}
        await send(message)

    return send_with_headers


async def _answer(send: Send, status: int, text: str) -> None:
    body = json.dumps(ErrorAnswer(error={"message": text})).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# What a request brings: its JSON, and the recordings that were dropped on the page.

FILE = re.compile(r"[\w-][\w.-]{0,120}")  # a name without folders, and none that is hidden
LONGEST = 50  # letters of a name, and of its ending
_ODD = re.compile(r"[^\w.-]+")
KEPT = 20  # recordings; the oldest go
SERVERS = ("path", "root", "turn", "logs", "validate", "called", "outbox")  # entries that the server adds


async def body_of(request: Request) -> dict[str, object]:
    """The request's JSON, a table. A form of another site cannot be of this type."""
    if _type(request) != "application/json":
        raise InputError("the request is not JSON")
    return _table(await request.body())


def is_form(request: Request) -> bool:
    return _type(request) == "multipart/form-data"


def _table(data: object) -> dict[str, object]:
    """Without what only the server may say."""
    found = _parse_json(data)
    if not isinstance(found, dict):
        raise InputError("the request is not a table")
    return {name: value for name, value in found.items() if name not in SERVERS}


def _type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip()


def _parse_json(data: object) -> object:
    """JSON, without numbers that are none, too large for any, and halves of letters: what a worker can be sent."""
    try:
        text = data if isinstance(data, bytes | str) else ""
        found: object = json.loads(text, parse_constant=_no_number, parse_int=_whole)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise InputError("the request is not JSON") from None
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def _whole(digits: str) -> int:
    """Of no more digits than a float can hold."""
    return int(digits) if len(digits) < 300 else _no_number(digits)


def plain_name(name: str) -> str:
    """A name of a file without folders and odd letters: "run (2).csv" is run_2_.csv; "" where nothing is left."""
    found = _ODD.sub("_", name.rpartition("/")[2].rpartition("\\")[2]).strip("_.")
    stem, dot, ending = found.rpartition(".")
    return f"{stem[:LONGEST]}{dot}{ending[:LONGEST]}" if FILE.fullmatch(found[:LONGEST]) else ""


@dataclass
class Recordings:
    """Files that came with a form, each under its own name in a place of its own."""

    place: Path
    paths: list[Path] = field(default_factory=list)

    async def of(self, request: Request) -> dict[str, object]:
        """The document of the form, and where its files are."""
        if not is_form(request):
            raise InputError("the request is no form with recordings")
        called: dict[str, str] = {}
        async with request.form(max_files=KEPT, max_fields=10, max_part_size=MOST) as form:
            given: dict[str, object] = {"document": _parse_json(form.get("document")), "method": form.get("method")}
            if "asked" in form:  # what a request without recordings would have been
                given |= _table(form.get("asked"))
            for key in ("logs", "validate"):
                given[key] = [await self._store_file(file, called) for file in form.getlist(key)]
        return given | {"called": called}

    async def _store_file(self, file: object, called: dict[str, str]) -> str:
        """Where it is now; `called` is what the user calls it."""
        if not isinstance(file, UploadFile) or not (name := plain_name(file.filename or "")):
            raise InputError("expected a recording with a name, found {getattr!r:.60}", getattr(file, "filename", file))
        path = self.place / secrets.token_hex(8) / name
        await asyncio.to_thread(_write, path, await file.read())
        self.paths.append(path)
        called[str(path)] = re.split(r"[/\\]", str(file.filename))[-1]
        while len(self.paths) > KEPT:
            await asyncio.to_thread(self.paths.pop(0).unlink, True)
        return str(path)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
