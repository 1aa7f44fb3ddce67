"""Who may speak to the studio: its own page, on this machine, with the token; nobody else, not even for a picture.

A page of another site can make a browser send requests here, with cookies, and by a name that it lets point to this
machine. So every request must name this host and port (else 421), come from our own page (else 403) and bring the token
(else 401); bodies are bounded by their stated length and while they are read (413), and each part must come in time
(408). Pure ASGI, before everything.
"""

from __future__ import annotations

import hmac
import json
import secrets
from asyncio import wait_for
from collections.abc import Iterable
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from manipula.messages import Message

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
                await _answer(_armed(send), refused.status, str(refused))
                return
            if location is not None:
                await self._welcome(_armed(send), location, _is_ours(scope))
                return
            await self.app(scope, _bounded(receive, limit), _armed(send))

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


def _bounded(receive: Receive, limit: int) -> Receive:
    """Counts what comes, since a body in chunks states no length, and waits for each part of it so long and no longer.
    Starlette answers its own exceptions with 413 and 408."""
    seen, whole = 0, False

    async def counted() -> Event:
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

    return counted


def _armed(send: Send) -> Send:
    """Every answer forbids the page whatever it has no need of; nothing is kept unless the answer says so."""

    async def armed(message: Event) -> None:
        if message["type"] == "http.response.start":
            headers: list[tuple[bytes, bytes]] = list(message.get("headers", []))
            there = {key.lower() for key, _ in headers}
            more = _HEADERS | ({} if b"cache-control" in there else {"cache-control": "no-store"})
            headers += [(key.encode(), value.encode()) for key, value in more.items() if key.encode() not in there]
            message = {**message, "headers": headers}
        await send(message)

    return armed


async def _answer(send: Send, status: int, text: str) -> None:
    body: Any = json.dumps({"error": {"message": text}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
