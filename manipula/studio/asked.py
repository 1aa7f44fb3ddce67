"""What a request brings: its JSON, and the recordings that were dropped on the page."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from starlette.datastructures import UploadFile
from starlette.requests import Request

from manipula.errors import InputError
from manipula.studio.guard import MOST

FILE = re.compile(r"[\w-][\w.-]{0,120}")  # a name without folders, and none that is hidden
LONGEST = 50  # letters of a name, and of its ending
_ODD = re.compile(r"[^\w.-]+")
KEPT = 20  # recordings; the oldest go
SERVERS = ("path", "root", "turn", "logs", "validate", "called", "outbox")  # entries that the server adds


async def body_of(request: Request) -> dict[str, Any]:
    """The request's JSON, a table. A form of another site cannot be of this type."""
    if _type(request) != "application/json":
        raise InputError("the request is not JSON")
    return _table(await request.body())


def is_form(request: Request) -> bool:
    return _type(request) == "multipart/form-data"


def _table(data: object) -> dict[str, Any]:
    """Without what only the server may say."""
    found = _parsed(data)
    if not isinstance(found, dict):
        raise InputError("the request is not a table")
    return {name: value for name, value in found.items() if name not in SERVERS}


def _type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip()


def _parsed(data: object) -> Any:
    """JSON, without numbers that are none, too large for any, and halves of letters: what a worker can be sent."""
    try:
        found = json.loads(data if isinstance(data, bytes | str) else "", parse_constant=_no_number, parse_int=_whole)
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

    async def of(self, request: Request) -> dict[str, Any]:
        """The document of the form, and where its files are."""
        if not is_form(request):
            raise InputError("the request is no form with recordings")
        called: dict[str, str] = {}
        async with request.form(max_files=KEPT, max_fields=10, max_part_size=MOST) as form:
            given: dict[str, Any] = {"document": _parsed(form.get("document")), "method": form.get("method")}
            if "asked" in form:  # what a request without recordings would have been
                given |= _table(form.get("asked"))
            for key in ("logs", "validate"):
                given[key] = [await self._kept(file, called) for file in form.getlist(key)]
        return given | {"called": called}

    async def _kept(self, file: object, called: dict[str, str]) -> str:
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
