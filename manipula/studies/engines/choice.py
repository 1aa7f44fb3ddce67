"""The engine by its word."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.studies.cases.values import is_whole
from manipula.studies.engines.cluster import Cluster, client_at, is_client, local_cluster
from manipula.studies.engines.engine import CHANCES, Engine, given_up, guard_of, refuse_unguarded
from manipula.studies.work.blocks import CaseBlock
from manipula.studies.work.job import Job
from manipula.studies.work.worker import Chunk, run_chunk

# Processes of this machine, by the standard library's executor: one for each worker, so that it is known which case a
# worker died of.
#
# They are started anew (`spawn`), not forked: threads and machine code of this process do not survive a fork. What one
# compiles the others find in the cache. Ctrl-C is this process's to hear; when this process is gone, they go.

AHEAD = 2  # chunks of a worker: one that it computes, one that waits


class Local:
    """`workers` processes."""

    title = "local"

    def __init__(self, job: Job, workers: int) -> None:
        refuse_unguarded("local")
        self._data, self._strikes = job.pickle_bytes, dict[tuple[int, int], int]()
        self._lanes = [_Lane() for _ in range(workers)]
        self._meet()

    @property
    def workers(self) -> int:
        return len(self._lanes)

    @property
    def width(self) -> int:
        return AHEAD * len(self._lanes)

    @property
    def pending(self) -> int:
        return sum(len(lane.waiting) for lane in self._lanes)

    def _meet(self) -> None:
        """Nothing is started where processes cannot be."""
        try:
            for future in [lane.pool.submit(os.getpid) for lane in self._lanes]:
                future.result()
        except BrokenProcessPool:
            self.close()
            raise InputError(
                "the processes of engine 'local' end as they start; {guard_of}", guard_of("local")
            ) from None
        except BaseException:
            self.close()
            raise

    def submit(self, chunk: Chunk) -> None:
        self._to(min(self._lanes, key=lambda lane: len(lane.waiting)), chunk)

    def _to(self, lane: _Lane, chunk: Chunk) -> None:
        try:
            lane.waiting[lane.pool.submit(run_chunk, self._data, chunk)] = chunk
        except BrokenProcessPool:
            self._mend(lane)
            self._to(lane, chunk)

    def next(self) -> CaseBlock:
        while True:
            futures = [future for lane in self._lanes for future in lane.waiting]
            done, _ = wait(futures, return_when=FIRST_COMPLETED)
            future = next(iter(done))
            lane = next(lane for lane in self._lanes if future in lane.waiting)
            if not isinstance(future.exception(), BrokenProcessPool):
                del lane.waiting[future]
                return future.result()
            if (lost := self._mend(lane)) is not None:
                return lost

    def _mend(self, lane: _Lane) -> CaseBlock | None:
        """A new process for one that died. The chunk that it was at is suspected: it comes in halves, until a case is
        alone with what it does."""
        chunks = list(lane.waiting.values())
        lane.renew()
        if not chunks:
            return None
        first, rest = chunks[0], chunks[1:]
        key = (first.start, first.count)
        strikes = self._strikes[key] = self._strikes.get(key, 0) + 1
        guilty = first.count == 1 and strikes >= CHANCES
        again = [] if guilty else list(first.halves()) if first.count > 1 else [first]
        for chunk in [*again, *rest]:
            self._to(lane, chunk)
        return given_up(first) if guilty else None

    def rest(self) -> list[CaseBlock]:
        futures = [future for lane in self._lanes for future in lane.waiting]
        return [x.result() for x in futures if x.done() and not x.cancelled() and x.exception() is None]

    def close(self) -> None:
        for lane in self._lanes:
            lane.end()


class _Lane:
    """One process, and what it has to do, in order."""

    def __init__(self) -> None:
        self.waiting: dict[Future[CaseBlock], Chunk] = {}
        self.pool = _pool()

    def renew(self) -> None:
        self.end()
        self.pool = _pool()

    def end(self) -> None:
        self.waiting = {}
        processes: list[Any] = list((getattr(self.pool, "_processes", None) or {}).values())
        self.pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(5)


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin, initargs=(os.getpid(),))


def _begin(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: int) -> None:
    """A parent that was killed can tell nobody."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


# This process, one chunk after the other.


class Serial:
    """Computes when asked for a result."""

    title, workers, width = "serial", 1, 1

    def __init__(self, job: Job) -> None:
        self._data, self._waiting, self._rest = job.pickle_bytes, deque[Chunk](), list[CaseBlock]()

    @property
    def pending(self) -> int:
        return len(self._waiting)

    def submit(self, chunk: Chunk) -> None:
        self._waiting.append(chunk)

    def next(self) -> CaseBlock:
        try:
            return run_chunk(self._data, self._waiting.popleft(), self._rest.append)
        except KeyboardInterrupt:
            self._waiting.clear()
            raise

    def rest(self) -> list[CaseBlock]:
        return self._rest

    def close(self) -> None:
        self._waiting.clear()


WORDS = ("serial", "local", "dask", "tcp://HOST:PORT")
ADDRESSES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")
MOST = 4096


def travels(engine: Any) -> bool:
    """Whether cases are computed elsewhere than in this process."""
    return not (isinstance(engine, str) and engine == "serial")


def refuse_engine(engine: Any) -> None:
    """Before anything is done for it."""
    if is_client(engine):
        return
    if not isinstance(engine, str):
        raise InputError(
            "engine: expected a word or a Dask client, found {engine!r:.60}; {words}", engine, ", ".join(WORDS)
        )
    if engine not in WORDS[:3] and not engine.startswith(ADDRESSES):
        raise UnknownNameError("engine", engine, WORDS, {"processes": "local", "multiprocessing": "local"})


def workers_from(workers: int | None) -> int:
    """So many processes: as many as this one may use, unless said."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not is_whole(workers) or not 1 <= workers <= MOST:
        raise InputError(
            "workers: expected a whole number of processes, 1 to {most}, found {workers!r:.40}", MOST, workers
        )
    return int(workers)


def engine_from(engine: Any, job: Job, workers: int) -> Engine:
    """Started, and met: whoever computes has the same versions."""
    if engine == "serial":
        return Serial(job)
    if engine == "local":
        return Local(job, workers)
    if engine == "dask":
        return Cluster(job, local_cluster(workers), own=True, close_client=True)
    if isinstance(engine, str):
        return Cluster(job, client_at(engine), own=False, close_client=True)
    return Cluster(job, engine, own=False, close_client=False)
