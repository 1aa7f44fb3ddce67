"""Long work: started once for a question, followed by any number of readers, ended by anybody.

A job outlives the page that asked: one that is loaded again finds it by its name and hears all its lines anew. What
nobody follows any more gives way when something else waits: a typist asks anew at every pause.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import cast

from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.messages import Message
from manipula.studio.tasks.replies import ErrorAnswer, Failure, Figures, JobState, Nothing, ProgressLine, Reply, State
from manipula.studio.tasks.requests import Given, Tell
from manipula.studio.worker import pack_message, receive_message

# Processes that compute beside the server: one for what must be quick, others for jobs, each killed when it must end.
#
# A thread could not be stopped and would hold the interpreter; a process is stopped in milliseconds, and is kept warm,
# since starting and importing takes most of a second.

QUICK = 20.0  # seconds that an answer to a keystroke may take before it is given up
FIRST = 180.0  # the first one, which has the whole library to read: a machine that does much else is slow at it


class TaskError(ManipulaError):
    """A task that failed; `failure` is what the page gets."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure["message"])
        self.failure = failure


class Worker:
    """One process. It does one task at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._killed = False  # the system needs a moment to say so itself

    @classmethod
    async def start(cls, *kind: str) -> Worker:
        """A process that is loading; the first task waits for it."""
        place = str(Path(__file__).parent.parent.parent)  # where this very package is
        path = os.pathsep.join(filter(None, (place, os.environ.get("PYTHONPATH", ""))))
        command = (sys.executable, "-P", "-m", f"{__package__}.worker", *kind)  # -P: not from where it is started
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env={**os.environ, "PYTHONPATH": path}
        )
        return cls(process)

    @property
    def alive(self) -> bool:
        return not self._killed and self._process.returncode is None

    async def run(self, task: str, given: Given, tell: Tell = lambda *_: None) -> Reply:
        """The task's reply; `TaskError` with its error, or where the process has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(pack_message({"task": task, "given": given}))
            await self._process.stdin.drain()
            while True:
                message = await receive_message(self._process.stdout)
                if "tell" in message:
                    tell(str(message["tell"]), cast("Figures | None", message["figures"]))
                elif "first" in message:
                    tell("", None, cast("Reply", message["first"]))
                elif "error" in message:
                    raise TaskError(cast("Failure", message["error"]))
                elif "result" in message:
                    return cast("Reply", message["result"])
        except (asyncio.IncompleteReadError, ConnectionError, BrokenPipeError):
            self.kill()
            raise TaskError({"message": Message("the process that computed this has ended; ask again")}) from None
        except asyncio.CancelledError:
            self.kill()  # it would go on with what nobody waits for
            raise

    def kill(self) -> None:
        self._killed = True
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def stop(self) -> None:
        """Killed and gone."""
        self.kill()
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


class Workers:
    """One worker for quick questions, in turn; of those for jobs some are kept waiting."""

    def __init__(self) -> None:
        self._quick: Worker | None = None
        self._turn = asyncio.Lock()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()

    async def start(self) -> None:
        self._quick = await self._new()
        self._idle += [await self._new("jobs") for _ in range(READY)]

    async def quick(self, task: str, given: Given, seconds: float = QUICK) -> Reply:
        """An answer to a keystroke: from a process, too, since a table may be heavy and others wait for theirs."""
        async with self._turn:
            if self._quick is None or not self._quick.alive:
                self._quick = await self._new()
            try:
                return await asyncio.wait_for(self._quick.run(task, given), seconds)
            except TimeoutError:
                self._quick.kill()
                raise TaskError(
                    {"message": Message("this took longer than {quick:g} s and was given up", seconds)}
                ) from None

    async def take(self) -> Worker:
        """A worker for a job."""
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            await self._discard(worker)
        return await self._new("jobs")

    async def give_back(self, worker: Worker) -> None:
        """After a job. An edit asks for the module of the arm and for the answer of a panel in the same moment."""
        if worker.alive and len(self._idle) < SPARE:
            self._idle.append(worker)
        else:
            await self._discard(worker)
            if len(self._idle) < READY:
                self._idle.append(await self._new("jobs"))

    async def close(self) -> None:
        await asyncio.gather(*(worker.stop() for worker in self._all))
        self._all.clear()
        self._idle.clear()
        self._quick = None

    async def _new(self, *kind: str) -> Worker:
        worker = await Worker.start(*kind)
        self._all.add(worker)
        return worker

    async def _discard(self, worker: Worker) -> None:
        self._all.discard(worker)
        await worker.stop()


READY, SPARE = 2, 3  # workers for jobs that wait: at least, at most
KEPT = 60  # finished jobs that can still be requested
AT_ONCE = max(2, min(4, os.cpu_count() or 2))  # others wait, the newest goes first
PATIENCE = 5.0  # seconds after which a job that nobody follows or asks after is nobody's
LOOK = 1.0  # seconds between two looks at those who wait
WAITING = 30  # more are refused: nobody would see their answers
LINES = 2000  # of progress; the oldest go
PAUSE = 15.0  # seconds after which a silent stream says that it is there


Event = ProgressLine | Reply | ErrorAnswer | Nothing | None


@dataclass(eq=False)
class Job:
    """One question and what became of it."""

    kind: str
    key: str
    given: Given
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    lines: list[ProgressLine] = field(default_factory=list)
    dropped: int = 0  # lines that went
    first: Reply | None = None  # what is shown until the result is there
    result: Reply | None = None
    error: Failure | None = None
    begun: float = field(default_factory=time.monotonic)
    asked: float = field(default_factory=time.monotonic)  # when somebody wanted it last
    readers: int = 0
    left: bool = False  # the page that asked has asked something else
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def is_wanted(self) -> bool:
        return self.readers > 0 or (not self.left and time.monotonic() - self.asked < PATIENCE)

    def ask(self) -> None:
        """Somebody wants it."""
        self.asked, self.left = time.monotonic(), False

    def tell(self, text: str, figures: Figures | None = None, first: Reply | None = None, /) -> None:
        if first is not None:
            self.first = first
            self.change()
            return
        line: ProgressLine = {"text": text, "seconds": round(time.monotonic() - self.begun, 2)}
        self.lines.append(line if figures is None else {**line, "figures": figures})
        if len(self.lines) > LINES:
            del self.lines[0]
            self.dropped += 1
        self.change()

    def end(self, state: State, result: Reply | None = None, error: Failure | None = None) -> None:
        if not self.over:
            self.state, self.result, self.error = state, result, error
            self.change()

    def change(self) -> None:
        """Wakes those who follow."""
        self._changed.set()
        self._changed = asyncio.Event()

    def as_dict(self) -> JobState:
        found: JobState = {"job": self.name, "kind": self.kind, "state": self.state, "lines": self.lines}
        if self.state == "done":
            found["result"] = self.result
        elif self.error:
            found["error"] = self.error
        return found

    async def events(self) -> AsyncIterator[tuple[str, Event]]:
        """Every line from the first, a first reply, then the end; ("", None) where nothing happened for a while."""
        self.readers += 1
        try:
            at, shown = 0, None
            while True:
                changed = self._changed
                for line in self.lines[max(at - self.dropped, 0) :]:
                    yield "progress", line
                at = self.dropped + len(self.lines)
                if self.first is not shown and not self.over:
                    shown = self.first
                    yield "first", shown
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

    def _last(self) -> tuple[str, Event]:
        if self.state == "done":
            return "result", self.result
        return ("cancelled", {}) if self.error is None else ("failed", {"error": self.error})


class Jobs:
    """Those under way, and the last ones that ended."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._watch: asyncio.Task[None] | None = None

    def start(self, kind: str, given: Given) -> Job:
        """The job of this question: the one there is already, unless it failed."""
        key = sha256(json.dumps([kind, given], sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
        for job in reversed(self._jobs.values()):
            if job.key == key and job.state not in ("failed", "cancelled"):
                job.ask()
                return job
        if len(self._waiting_jobs()) >= WAITING:
            raise InputError("{waiting} questions are waiting already; cancel some", WAITING)
        job = Job(kind, key, given)
        self._jobs[job.name] = job
        self._forget()
        self._go_on()
        return job

    def job_named(self, name: str) -> Job:
        if name not in self._jobs:
            raise UnknownNameError("job", name[:40], [job.name for job in self.under_way()])
        self._jobs[name].ask()
        return self._jobs[name]

    def under_way(self) -> list[Job]:
        return [job for job in self._jobs.values() if not job.over]

    def cancel(self, job: Job) -> None:
        """Its process is killed; readers hear of it."""
        job.end("cancelled")
        if task := self._tasks.get(job.name):
            task.cancel()

    def leave(self, job: Job) -> None:
        """It may end, as long as nothing else waits."""
        job.left = True
        self._go_on()

    async def close(self) -> None:
        for job in self.under_way():
            self.cancel(job)
        if self._watch is not None:
            self._watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    # who goes next

    def _waiting_jobs(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state == "waiting"]

    def _go_on(self) -> None:
        """Begins as many as there is room for, the newest first; what nobody wants makes room."""
        for job in self._waiting_jobs():
            if not job.is_wanted:
                job.end("cancelled")
        while (waiting := self._waiting_jobs()) and len(self._tasks) < AT_ONCE:
            self._begin(waiting[-1])
        if waiting:
            for job in [job for job in self._jobs.values() if job.state == "running" and not job.is_wanted]:
                self.cancel(job)
            if self._watch is None or self._watch.done():
                self._watch = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """While somebody waits."""
        while self._waiting_jobs():
            await asyncio.sleep(LOOK)
            self._go_on()

    def _begin(self, job: Job) -> None:
        job.state, job.begun = "running", time.monotonic()
        job.change()
        task = asyncio.create_task(self._run(job))
        self._tasks[job.name] = task
        task.add_done_callback(lambda _: self._finish(job))

    def _finish(self, job: Job) -> None:
        self._tasks.pop(job.name, None)
        self._go_on()

    async def _run(self, job: Job) -> None:
        worker = await self._workers.take()
        try:
            job.end("done", await worker.run(job.kind, job.given, job.tell))
        except TaskError as error:
            job.end("failed", error=error.failure)
        finally:
            await asyncio.shield(self._workers.give_back(worker))

    def _forget(self) -> None:
        over = [job for job in self._jobs.values() if job.over]
        for job in over[: max(len(over) - KEPT, 0)]:
            del self._jobs[job.name]
