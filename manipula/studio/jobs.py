"""Long work: started once for a question, followed by any number of readers, ended by anybody.

A job outlives the page that asked: one that is loaded again finds it by its name and hears all its lines anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from manipula.errors import InputError, UnknownNameError
from manipula.studio.workers import TaskError, Workers

State = Literal["waiting", "running", "done", "failed", "cancelled"]
KEPT = 60  # finished jobs that can still be asked for
AT_ONCE = 2  # others wait
WAITING = 30  # more are refused: nobody would see their answers
LINES = 2000  # of progress; the oldest go
PAUSE = 15.0  # seconds after which a silent stream says that it is there


@dataclass(eq=False)
class Job:
    """One question and what became of it."""

    kind: str
    key: str
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    lines: list[dict[str, Any]] = field(default_factory=list)
    dropped: int = 0  # lines that went
    result: Any = None
    error: dict[str, Any] | None = None
    begun: float = field(default_factory=time.monotonic)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    def tell(self, text: str) -> None:
        self.lines.append({"text": text, "seconds": round(time.monotonic() - self.begun, 2)})
        if len(self.lines) > LINES:
            del self.lines[0]
            self.dropped += 1
        self.change()

    def end(self, state: State, result: Any = None, error: dict[str, Any] | None = None) -> None:
        if not self.over:
            self.state, self.result, self.error = state, result, error
            self.change()

    def change(self) -> None:
        """Wakes whoever follows."""
        self._changed.set()
        self._changed = asyncio.Event()

    def as_dict(self) -> dict[str, Any]:
        told = {"job": self.name, "kind": self.kind, "state": self.state, "lines": self.lines}
        if self.state == "done":
            return told | {"result": self.result}
        return told | ({"error": self.error} if self.error else {})

    async def events(self) -> AsyncIterator[tuple[str, Any]]:
        """Every line from the first, then the end; ("", None) where nothing happened for a while."""
        at = 0
        while True:
            changed = self._changed
            for line in self.lines[max(at - self.dropped, 0) :]:
                yield "progress", line
            at = self.dropped + len(self.lines)
            if self.over:
                yield self._last()
                return
            try:
                await asyncio.wait_for(changed.wait(), PAUSE)
            except TimeoutError:
                yield "", None

    def _last(self) -> tuple[str, Any]:
        if self.state == "done":
            return "result", self.result
        return ("failed", {"error": self.error}) if self.state == "failed" else ("cancelled", {})


class Jobs:
    """Those under way, and the last ones that ended."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._room = asyncio.Semaphore(AT_ONCE)

    def start(self, kind: str, given: Any) -> Job:
        """The job of this question: the one there is already, unless it failed."""
        key = sha256(json.dumps([kind, given], sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
        for job in reversed(self._jobs.values()):
            if job.key == key and job.state not in ("failed", "cancelled"):
                return job
        if sum(job.state == "waiting" for job in self._jobs.values()) >= WAITING:
            raise InputError(f"{WAITING} questions are waiting already; cancel some")
        job = Job(kind, key)
        self._jobs[job.name] = job
        self._forget()
        task = asyncio.create_task(self._run(job, given))
        self._tasks[job.name] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.name, None))
        return job

    def named(self, name: str) -> Job:
        if name not in self._jobs:
            raise UnknownNameError("job", name[:40], [job.name for job in self.under_way()])
        return self._jobs[name]

    def under_way(self) -> list[Job]:
        return [job for job in self._jobs.values() if not job.over]

    def cancel(self, job: Job) -> None:
        """Its process is killed; readers hear of it."""
        job.end("cancelled")
        if task := self._tasks.get(job.name):
            task.cancel()

    async def close(self) -> None:
        for job in self.under_way():
            self.cancel(job)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _run(self, job: Job, given: Any) -> None:
        async with self._room:
            job.state, job.begun = "running", time.monotonic()
            job.change()
            worker = await self._workers.taken()
            try:
                job.end("done", await worker.run(job.kind, given, job.tell))
            except TaskError as error:
                job.end("failed", error=error.told)
            finally:
                await asyncio.shield(self._workers.returned(worker))

    def _forget(self) -> None:
        over = [job for job in self._jobs.values() if job.over]
        for job in over[: max(len(over) - KEPT, 0)]:
            del self._jobs[job.name]
