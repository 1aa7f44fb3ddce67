"""Long work: started once for a question, followed by any number of readers, ended by anybody.

A job outlives the page that asked: one that is loaded again finds it by its name and hears all its lines anew. What
nobody follows any more gives way when something else waits: whoever types asks anew at every pause.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
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
AT_ONCE = max(2, min(4, os.cpu_count() or 2))  # others wait, the newest goes first
PATIENCE = 5.0  # seconds after which a job that nobody follows or asks after is nobody's
LOOK = 1.0  # seconds between two looks at those who wait
WAITING = 30  # more are refused: nobody would see their answers
LINES = 2000  # of progress; the oldest go
PAUSE = 15.0  # seconds after which a silent stream says that it is there


@dataclass(eq=False)
class Job:
    """One question and what became of it."""

    kind: str
    key: str
    given: Any
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    lines: list[dict[str, Any]] = field(default_factory=list)
    dropped: int = 0  # lines that went
    result: Any = None
    error: dict[str, Any] | None = None
    begun: float = field(default_factory=time.monotonic)
    asked: float = field(default_factory=time.monotonic)  # when somebody wanted it last
    readers: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def wanted(self) -> bool:
        return self.readers > 0 or time.monotonic() - self.asked < PATIENCE

    def tell(self, text: str, figures: Any = None) -> None:
        line = {"text": text, "seconds": round(time.monotonic() - self.begun, 2)}
        self.lines.append(line if figures is None else line | {"figures": figures})
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
        self.readers += 1
        try:
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
        finally:
            self.readers -= 1
            self.asked = time.monotonic()

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
        self._watch: asyncio.Task[None] | None = None

    def start(self, kind: str, given: Any) -> Job:
        """The job of this question: the one there is already, unless it failed."""
        key = sha256(json.dumps([kind, given], sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
        for job in reversed(self._jobs.values()):
            if job.key == key and job.state not in ("failed", "cancelled"):
                job.asked = time.monotonic()
                return job
        if len(self._waiting()) >= WAITING:
            raise InputError("{waiting} questions are waiting already; cancel some", WAITING)
        job = Job(kind, key, given)
        self._jobs[job.name] = job
        self._forget()
        self._go_on()
        return job

    def named(self, name: str) -> Job:
        if name not in self._jobs:
            raise UnknownNameError("job", name[:40], [job.name for job in self.under_way()])
        self._jobs[name].asked = time.monotonic()
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
        if self._watch is not None:
            self._watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    # who goes next

    def _waiting(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state == "waiting"]

    def _go_on(self) -> None:
        """Begins what there is room for, the newest first; what nobody wants makes room."""
        for job in self._waiting():
            if not job.wanted:
                job.end("cancelled")
        while (waiting := self._waiting()) and len(self._tasks) < AT_ONCE:
            self._begin(waiting[-1])
        if waiting:
            for job in [job for job in self._jobs.values() if job.state == "running" and not job.wanted]:
                self.cancel(job)
            if self._watch is None or self._watch.done():
                self._watch = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """While somebody waits."""
        while self._waiting():
            await asyncio.sleep(LOOK)
            self._go_on()

    def _begin(self, job: Job) -> None:
        job.state, job.begun = "running", time.monotonic()
        job.change()
        task = asyncio.create_task(self._run(job))
        self._tasks[job.name] = task
        task.add_done_callback(lambda _: self._ended(job))

    def _ended(self, job: Job) -> None:
        self._tasks.pop(job.name, None)
        self._go_on()

    async def _run(self, job: Job) -> None:
        worker = await self._workers.taken()
        try:
            job.end("done", await worker.run(job.kind, job.given, job.tell))
        except TaskError as error:
            job.end("failed", error=error.told)
        finally:
            await asyncio.shield(self._workers.returned(worker))

    def _forget(self) -> None:
        over = [job for job in self._jobs.values() if job.over]
        for job in over[: max(len(over) - KEPT, 0)]:
            del self._jobs[job.name]
