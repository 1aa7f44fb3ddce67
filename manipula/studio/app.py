"""The answers: what the page asks, and who in the house knows it. No model is computed in this process."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.messages import in_language
from manipula.studio.jobs import FIRST, Job, Jobs, TaskError, Workers
from manipula.studio.requests import FILE, Guard, Recordings, body_of, is_form
from manipula.studio.store import Conflict, Drafts, Folder
from manipula.studio.tasks import JOBS, replies
from manipula.studio.tasks.requests import Given, error_of
from manipula.version import __version__

Handler = Callable[[Request], Awaitable[Response]]
_MODEL = re.compile(r"[0-9a-f]{32}\.mjs")
_DIGEST = re.compile(r"[0-9a-f]{32}")
_T = TypeVar("_T")
_FOREVER = {"cache-control": "private, max-age=31536000, immutable"}  # named by what is in them


@dataclass
class Studio:
    """One studio: where it is, what it works with, what it keeps. `told` puts a sentence into a language."""

    folder: Folder
    drafts: Drafts
    scratch: Path  # of this run alone
    page: Path | None  # the built front end
    language: str = "en"
    opened: str | None = None  # the file named when it was started
    told: Callable[[str, str], str] = lambda text, language: text
    workers: Workers = field(default_factory=Workers)
    known: replies.Known | None = None  # what never changes, asked once

    def __post_init__(self) -> None:
        self.jobs, self.recordings = Jobs(self.workers), Recordings(self.scratch / "in")
        self.saving, self.learning = asyncio.Lock(), asyncio.Lock()

    @property
    def outbox(self) -> Path:
        return self.scratch / "out"

    # answers

    async def _learn(self) -> replies.Known:
        """What never changes is asked once, while the browser is still opening."""
        async with self.learning:
            if self.known is None:
                self.known = cast("replies.Known", await self.workers.quick("start", {}, FIRST))
            return self.known

    async def start(self, request: Request) -> Response:
        known = await self._learn()
        files, drafts = await asyncio.gather(asyncio.to_thread(self.folder.files), asyncio.to_thread(self.drafts.all))
        found: replies.Start = {
            "version": __version__, "language": self.language, **known, "folder": str(self.folder.root),
            "files": files, "open": self.opened, "drafts": drafts,
        }  # fmt: skip
        return JSONResponse(found)

    async def files(self, request: Request) -> Response:
        return JSONResponse(replies.FilesAnswer(files=await asyncio.to_thread(self.folder.files)))

    async def read(self, request: Request) -> Response:
        given = await body_of(request)
        base = None
        if "file" in given:
            path, base = await asyncio.to_thread(self.folder.read, given["file"])
            given = {"path": str(path)}
        result = cast("replies.ReadResult", await self.workers.quick("read", given))
        found: replies.ReadAnswer = {**result, "base": base}
        return JSONResponse(self._told(found, request))

    def quick(self, task: str) -> Handler:
        async def answer(request: Request) -> Response:
            found = await self.workers.quick(task, await body_of(request))
            return JSONResponse(self._told(found, request))

        return answer

    def job(self, kind: str) -> Handler:
        async def answer(request: Request) -> Response:
            given = await self._request_data(kind, request)
            given |= await self._file_of(kind, given) if kind in ("looks", "report") else {}
            given["outbox"] = str(self.outbox)
            return JSONResponse(replies.JobAnswer(job=self.jobs.start(kind, given).name))

        return answer

    async def _file_of(self, kind: str, given: Given) -> dict[str, object]:
        """Where the file is whose meshes are requested; asked anew, they are read anew. A report needs no meshes."""
        if kind == "report" and given.get("file") is None:
            return {}
        path, _ = await asyncio.to_thread(self.folder.read, given.get("file"))
        return {"path": str(path), "root": str(self.folder.root), "turn": secrets.token_hex(8)}

    async def _request_data(self, kind: str, request: Request) -> dict[str, object]:
        """Recordings come with a form."""
        if kind == "identify" or (kind == "study" and is_form(request)):
            return await self.recordings.of(request)
        return await body_of(request)

    async def listed_jobs(self, request: Request) -> Response:
        return JSONResponse(replies.JobsAnswer(jobs=[job.as_dict() for job in self.jobs.under_way()]))

    async def one_job(self, request: Request) -> Response:
        return JSONResponse(self._told(self._job(request).as_dict(), request))

    async def events(self, request: Request) -> Response:
        stream = self._stream(self._job(request), self._tongue(request))
        return StreamingResponse(stream, media_type="text/event-stream")

    async def _stream(self, job: Job, language: str) -> AsyncIterator[str]:
        number = 0
        async for event, data in job.events():
            number += 1
            told = json.dumps(in_language(data, lambda text: self.told(text, language)))
            yield f"id: {number}\nevent: {event}\ndata: {told}\n\n" if event else ": still here\n\n"

    def _told(self, answer: _T, request: Request) -> _T:
        """The answer in the language of the page."""
        return in_language(answer, lambda text: self.told(text, self._tongue(request)))

    def _tongue(self, request: Request) -> str:
        """The page's language, which a stream says in its address; else the one the studio was started in."""
        return request.headers.get("x-language") or request.query_params.get("lang") or self.language

    async def cancel(self, request: Request) -> Response:
        job, given = self._job(request), await body_of(request)
        (self.jobs.leave if given.get("soon") is True else self.jobs.cancel)(job)
        return JSONResponse(replies.Nothing())

    async def save(self, request: Request) -> Response:
        given = await body_of(request)
        base = given.get("base")
        if not isinstance(base, str | None):
            raise InputError("base: expected the digest that reading gave, or null")
        path = self.folder.path(given.get("name"), (".toml",))  # refused before the work
        given["path"] = str(path) if base is not None and await asyncio.to_thread(path.is_file) else None
        text = cast("replies.FileText", await self.workers.quick("toml", given))["text"]
        async with self.saving:
            try:
                digest, saved = await asyncio.to_thread(self.folder.save, given["name"], text, base)
            except Conflict as conflict:
                return JSONResponse(await self._conflict(conflict, self._tongue(request)), 409)
        return JSONResponse(replies.SaveAnswer(name=str(given["name"]), base=digest, saved=saved))

    async def _conflict(self, conflict: Conflict, language: str) -> replies.ConflictAnswer:
        """Theirs, to be looked at beside ours; a document where it can be read as one."""
        theirs: replies.Theirs | None = None
        if conflict.theirs is not None:
            theirs = {"text": conflict.theirs, "digest": conflict.digest or "", "document": None}
            with suppress(TaskError):
                result = await self.workers.quick("read", {"text": conflict.theirs, "format": "toml"})
                theirs["document"] = cast("replies.ReadResult", result)["document"]
        return {"error": {"message": self.told(str(conflict), language)}, "theirs": theirs}

    async def draft(self, request: Request) -> Response:
        given = await body_of(request)
        kept = cast("replies.DraftContent", {key: given.get(key) for key in ("document", "base", "file")})
        await asyncio.to_thread(self.drafts.save, given.get("name"), kept if kept["document"] is not None else None)
        return JSONResponse(replies.DraftAnswer(saved=time.time()))

    async def model(self, request: Request) -> Response:
        name = request.path_params["name"]
        return _file(self.outbox / "models" / name if _MODEL.fullmatch(name) else None, "text/javascript")

    async def download(self, request: Request) -> Response:
        digest, name = request.path_params["digest"], request.path_params["name"]
        good = _DIGEST.fullmatch(digest) and FILE.fullmatch(name)
        answer = _file(self.outbox / digest / name if good else None, "application/octet-stream")
        answer.headers["content-disposition"] = f'attachment; filename="{name}"'  # never a page of this address
        return answer

    # parts

    def _job(self, request: Request) -> Job:
        return self.jobs.job_named(request.path_params["name"])

    # the application

    def routes(self) -> list[BaseRoute]:
        asked: dict[str, Handler] = {"/api/start": self.start, "/api/files": self.files, "/api/jobs": self.listed_jobs}
        asked |= {"/api/jobs/{name}": self.one_job, "/api/jobs/{name}/events": self.events}
        asked |= {"/models/{name}": self.model, "/files/{digest}/{name}": self.download}
        sent: dict[str, Handler] = {"/api/read": self.read, "/api/save": self.save, "/api/draft": self.draft}
        sent |= {f"/api/{task}": self.quick(task) for task in ("draw", "convert", "export")}
        sent |= {f"/api/{kind}": self.job(kind) for kind in JOBS}
        sent |= {"/api/jobs/{name}/cancel": self.cancel}
        routes: list[BaseRoute] = [Route(path, handler, methods=["GET"]) for path, handler in asked.items()]
        routes += [Route(path, handler, methods=["POST"]) for path, handler in sent.items()]
        return routes + ([Mount("/", StaticFiles(directory=self.page, html=True))] if self.page else [])

    def application(self, port: int, token: str) -> Guard:
        """Everything, behind the guard."""

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            await self.workers.start()
            first = asyncio.create_task(self._learn())
            try:
                yield
            finally:
                first.cancel()
                await asyncio.gather(first, return_exceptions=True)
                await self.jobs.close()
                await self.workers.close()

        async def error_response(request: Request, error: Exception) -> Response:
            failure = error.failure if isinstance(error, TaskError) else error_of(error)
            status = 500 if failure.get("internal") else 404 if isinstance(error, UnknownNameError) else 400
            return JSONResponse(replies.ErrorAnswer(error=self._told(failure, request)), status)

        async def not_answered(request: Request, error: Exception) -> Response:
            assert isinstance(error, HTTPException)
            answer = replies.ErrorAnswer(error={"message": str(error.detail)})
            return JSONResponse(answer, error.status_code, error.headers)

        inner = Starlette(routes=self.routes(), lifespan=lifespan)
        inner.add_exception_handler(ManipulaError, error_response)
        inner.add_exception_handler(HTTPException, not_answered)
        inner.router.redirect_slashes = False
        return Guard(inner, port, token)


def _file(path: Path | None, kind: str) -> Response:
    if path is None or not path.is_file():
        raise HTTPException(404, "there is no such file")
    return FileResponse(path, media_type=kind, headers=_FOREVER)
