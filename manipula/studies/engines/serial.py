"""This process, one chunk after the other."""

from __future__ import annotations

from collections import deque

from manipula.studies.work.blocks import CaseBlock
from manipula.studies.work.job import Job
from manipula.studies.work.working import Chunk, worked


class Serial:
    """Computes when asked for a result."""

    title, workers, width = "serial", 1, 1

    def __init__(self, job: Job) -> None:
        self._data, self._waiting, self._rest = job.packed, deque[Chunk](), list[CaseBlock]()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def submit(self, chunk: Chunk) -> None:
        self._waiting.append(chunk)

    def next(self) -> CaseBlock:
        try:
            return worked(self._data, self._waiting.popleft(), self._rest.append)
        except KeyboardInterrupt:
            self._waiting.clear()
            raise

    def rest(self) -> list[CaseBlock]:
        return self._rest

    def close(self) -> None:
        self._waiting.clear()
