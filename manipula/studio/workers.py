"""Processes that compute beside the server: one for what must be quick, others for jobs, each killed when it must end.

A thread could not be stopped and would hold the interpreter; a process is stopped in milliseconds, and is kept warm,
since starting and importing takes most of a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manipula.errors import ManipulaError
from manipula.messages import Message
from manipula.studio.frames import packed, received

Tell = Callable[[str, Any], None]  # a line of progress, and its figures where it has some
QUICK = 20.0  # seconds that an answer to a keystroke may take before it is given up


class TaskError(ManipulaError):
    """A task that failed; `told` is what the page gets."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(told["message"])
        self.told = told


class Worker:
    """One process. It does one task at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._killed = False  # the system needs a moment to say so itself

    @classmethod
    async def started(cls, *kind: str) -> Worker:
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

    async def run(self, task: str, given: Any, tell: Tell = lambda text, figures: None) -> Any:
        """The task's result; `TaskError` with its error, or where the process has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(packed({"task": task, "given": given}))
            await self._process.stdin.drain()
            while True:
                message = await received(self._process.stdout)
                if "tell" in message:
                    tell(message["tell"], message["figures"])
                elif "error" in message:
                    raise TaskError(message["error"])
                elif "result" in message:
                    return message["result"]
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

    async def ended(self) -> None:
        """Killed and gone."""
        self.kill()
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


class Workers:
    """One worker for quick questions, in turn; of those for jobs one is kept waiting."""

    def __init__(self) -> None:
        self._quick: Worker | None = None
        self._turn = asyncio.Lock()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()

    async def start(self) -> None:
        self._quick = await self._new()
        self._idle.append(await self._new("jobs"))

    async def quick(self, task: str, given: Any) -> Any:
        """An answer to a keystroke: from a process, too, since a table may be heavy and others wait for theirs."""
        async with self._turn:
            if self._quick is None or not self._quick.alive:
                self._quick = await self._new()
            try:
                return await asyncio.wait_for(self._quick.run(task, given), QUICK)
            except TimeoutError:
                self._quick.kill()
                raise TaskError(
                    {"message": Message("this took longer than {quick:g} s and was given up", QUICK)}
                ) from None

    async def taken(self) -> Worker:
        """A worker for a job."""
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            await self._gone(worker)
        return await self._new("jobs")

    async def returned(self, worker: Worker) -> None:
        """After a job; one is kept."""
        if worker.alive and not self._idle:
            self._idle.append(worker)
        else:
            await self._gone(worker)
            if not self._idle:
                self._idle.append(await self._new("jobs"))

    async def close(self) -> None:
        await asyncio.gather(*(worker.ended() for worker in self._all))
        self._all.clear()
        self._idle.clear()
        self._quick = None

    async def _new(self, *kind: str) -> Worker:
        worker = await Worker.started(*kind)
        self._all.add(worker)
        return worker

    async def _gone(self, worker: Worker) -> None:
        self._all.discard(worker)
        await worker.ended()
