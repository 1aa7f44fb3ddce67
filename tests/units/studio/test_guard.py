"""The guard: whatever is not our own page on this machine with the token does not reach the application."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from manipula.studio.requests import MOST, MOST_UPLOADED, POLICY, UPLOAD, Guard, new_token

PORT = 8123
HOME = f"127.0.0.1:{PORT}"
TOKEN = "oW37wOTSOHWRmFSNntdBuZwrhh9O3MurteTj0vRxHDA"  # of the same form as any: names of tests stay the same
COOKIE = f"manipula-{PORT}={TOKEN}"
GOOD = {"host": HOME, "origin": f"http://{HOME}", "cookie": COOKIE, "sec-fetch-site": "same-origin"}
HOSTS = (
    "evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1:{PORT + 1}", "localhost",
    f"127.0.0.2:{PORT}", f"0.0.0.0:{PORT}", f"{HOME}.evil.example", f"evil.example@{HOME}", f" {HOME}x", "",
    f"localhost.:{PORT}", f"LOCALHOST:{PORT}",
)  # fmt: skip
ORIGINS = (
    "null", "http://evil.example", f"http://evil.example:{PORT}", f"https://{HOME}", "http://127.0.0.1",
    f"http://127.0.0.1:{PORT + 1}", f"http://{HOME}.evil.example", f"http://{HOME}/", "file://", "",
)  # fmt: skip


class Inner:
    """Counts who came through."""

    def __init__(self) -> None:
        self.came = 0
        self.guard = Guard(Starlette(routes=[Route("/{path:path}", self.answer, methods=["GET", "POST"])]), PORT, TOKEN)

    async def answer(self, request: Request) -> Response:
        self.came += 1
        return PlainTextResponse(f"inside {len(await request.body())}")

    def ask(self, method: str = "GET", path: str = "/", headers: Any = GOOD, **more: Any) -> httpx.Response:
        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(self.guard)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOME}") as client:
                client.headers.clear()
                return await client.request(method, path, headers=headers, **more)

        return asyncio.run(asked())


@pytest.fixture
def inner() -> Inner:
    return Inner()


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in GOOD.items() if key != name}


@pytest.mark.parametrize("host", [HOME, f"localhost:{PORT}", f"[::1]:{PORT}"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_our_own_page_comes_through(inner: Inner, host: str, method: str) -> None:
    answer = inner.ask(method, "/api/start", GOOD | {"host": host, "origin": f"http://{host}"})
    assert (answer.status_code, inner.came) == (200, 1)


@pytest.mark.parametrize("host", HOSTS)
def test_another_name_of_this_machine_is_refused(inner: Inner, host: str) -> None:
    """A site can let its name point here: the browser then sends its own origin and cookies."""
    assert inner.ask(headers=GOOD | {"host": host}).status_code == 421
    assert inner.came == 0


def test_two_opinions_are_none(inner: Inner) -> None:
    for name in ("host", "origin", "sec-fetch-site", "content-length"):
        headers = [*GOOD.items(), *([(name, "0")] if name == "content-length" else []), (name, GOOD.get(name, "0"))]
        assert inner.ask("POST", headers=headers).status_code == 400
    assert inner.came == 0


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_site_is_refused(inner: Inner, origin: str, method: str) -> None:
    assert inner.ask(method, headers=GOOD | {"origin": origin}).status_code == 403
    assert inner.came == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "SAME-ORIGIN"])
def test_what_another_site_makes_a_browser_ask_is_refused(inner: Inner, site: str) -> None:
    """A picture or a script has no origin, but says that it is of another site."""
    assert inner.ask(headers=without("origin") | {"sec-fetch-site": site}).status_code == 403
    assert inner.came == 0


def test_a_request_that_changes_something_says_where_it_comes_from(inner: Inner) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert inner.ask(method, headers=without("origin")).status_code == 403
    assert inner.ask("GET", headers=without("origin")).status_code == 200
    assert inner.came == 1


@pytest.mark.parametrize("path", ["/", "/index.html", "/assets/studio.js", "/api/start", "/models/x.mjs", "/files/a/b"])
@pytest.mark.parametrize(
    "cookie",
    ["", f"manipula-{PORT}=", f"manipula-{PORT}={TOKEN[:-1]}", f"manipula-{PORT + 1}={TOKEN}", f"manipula={TOKEN}",
     f"manipula-{PORT}={TOKEN}é", "\x00=;;=", f"x={TOKEN}"],
)  # fmt: skip
def test_without_the_token_nothing_is_answered(inner: Inner, path: str, cookie: str) -> None:
    answer = inner.ask(path=path, headers=without("cookie") | ({"cookie": cookie.encode()} if cookie else {}))
    assert answer.status_code == 401
    assert "printed" in answer.json()["error"]["message"]
    assert inner.came == 0


def test_the_token_leaves_the_address(inner: Inner) -> None:
    answer = inner.ask(path=f"/?token={TOKEN}", headers={"host": HOME, "sec-fetch-site": "none"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"manipula-{PORT}={TOKEN};")
    assert {"HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}
    wrong = inner.ask(path=f"/?token={TOKEN}x", headers={"host": HOME})
    assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)
    posted = inner.ask("POST", f"/?token={TOKEN}", without("cookie"))
    assert posted.status_code == 401
    assert inner.came == 0


@pytest.mark.parametrize(
    "path", ["//evil.example/", "/%2F%2Fevil.example", "/\\evil.example", "/a%0d%0aset-cookie:%20x=1"]
)
def test_the_way_on_stays_here(inner: Inner, path: str) -> None:
    url = httpx.URL(f"http://{HOME}").copy_with(raw_path=f"{path}?token={TOKEN}".encode())
    location = inner.ask(path=url, headers={"host": HOME}).headers["location"]  # type: ignore[arg-type]
    assert location.startswith("/") and location[1:2] not in ("/", "\\")
    assert "\r" not in location and "\n" not in location


@pytest.mark.parametrize(("path", "most"), [("/api/draw", MOST), (UPLOAD, MOST_UPLOADED)])
def test_a_large_request_is_refused_by_its_length(inner: Inner, path: str, most: int) -> None:
    for length in (str(most + 1), str(100 * 2**20), "9" * 30):
        assert inner.ask("POST", path, GOOD | {"content-length": length}).status_code == 413
    for length in ("-1", "1e3", "x", "٣"):
        assert inner.ask("POST", path, [*GOOD.items(), ("content-length", length.encode())]).status_code == 400
    assert inner.came == 0


def test_a_large_request_is_refused_while_it_comes(inner: Inner) -> None:
    """In chunks, without a length: no more is read than is allowed."""
    read = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(100):
            read += 2**20
            yield bytes(2**20)

    assert inner.ask("POST", "/api/draw", GOOD, content=chunks()).status_code == 413
    assert read <= MOST + 2**20
    assert inner.ask("POST", "/api/draw", GOOD, content=bytes(MOST)).text == f"inside {MOST}"


def test_every_answer_forbids_what_the_page_does_not_need(inner: Inner) -> None:
    refused = inner.ask(headers=GOOD | {"host": "evil.example"})
    for answer in (inner.ask(), refused, inner.ask(path=f"/?token={TOKEN}", headers={"host": HOME})):
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert "'unsafe" not in POLICY and "http" not in POLICY and "*" not in POLICY


def test_no_socket_is_opened(inner: Inner) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    headers = [(key.encode(), value.encode()) for key, value in GOOD.items()]
    scope = {"type": "websocket", "path": "/", "headers": headers, "query_string": b""}
    asyncio.run(inner.guard(scope, receive, send))
    assert [message["type"] for message in sent] == ["websocket.close"]
    assert inner.came == 0


@pytest.mark.parametrize("seed", range(40))
def test_one_wrong_thing_is_enough(inner: Inner, seed: int) -> None:
    """Whatever else is right."""
    rng = random.Random(seed)
    wrong = {"host": HOSTS, "origin": ORIGINS, "cookie": ("", "x=1"), "sec-fetch-site": ("cross-site", "same-site")}
    headers = dict(GOOD)
    for name in rng.sample(list(wrong), rng.choice((1, 1, 2, 4))):
        headers[name] = rng.choice(wrong[name])
    answer = inner.ask(rng.choice(("GET", "POST")), rng.choice(("/", "/api/save", "/x.js")), headers)
    assert answer.status_code in (401, 403, 421)
    assert inner.came == 0


def test_tokens_cannot_be_guessed() -> None:
    drawn = {new_token() for _ in range(50)}
    assert len(drawn) == 50 and {len(token) for token in drawn} == {len(TOKEN)}
