"""Where chunks are computed: in this process, in processes of this machine, on a Dask cluster.

Each is an executor of `concurrent.futures`, and one loop hands out chunks and takes blocks, whatever is behind it. A
chunk whose worker died is tried again in halves, until a case is alone with what it does.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import current_process, get_context
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.studies.cases.values import is_whole
from manipula.studies.work.job import Job, refuse_versions, versions
from manipula.studies.work.worker import CaseBlock, Chunk, run_chunk

FATAL = "its worker ended without a word, three times"  # of a case that takes its process with it
CHANCES = 3
AHEAD = 2  # chunks of a worker: one that it computes, one that waits
ANSWER = 10  # seconds in which a scheduler must
COUNTED = 2.0  # seconds between two looks at who is there
WORDS = ("serial", "local", "dask", "tcp://HOST:PORT")
ADDRESSES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")
MOST = 4096


class Lane:
    """An executor, made anew where its process died, and the chunks that it has to do, in order."""

    def __init__(self, start: Callable[[], Executor]) -> None:
        self._start, self.executor, self.waiting = start, start(), dict[Future[CaseBlock], Chunk]()

    def renew(self) -> None:
        self.end()
        self.executor = self._start()

    def end(self) -> None:
        self.waiting = {}
        self.executor.shutdown(wait=False, cancel_futures=True)


class Engine:
    """Chunks go in, blocks come out, in any order. `workers` compute at a time; `width` chunks keep them busy."""

    def __init__(self, data: Any, start: Callable[[], Executor], lanes: int = 1, ahead: int = AHEAD) -> None:
        self._data, self._ahead = data, ahead
        self._ready, self._strikes = list[CaseBlock](), Counter[tuple[int, int]]()
        self._lanes = [Lane(start) for _ in range(lanes)]

    @property
    def workers(self) -> int:
        return len(self._lanes)

    @property
    def width(self) -> int:
        return self._ahead * self.workers

    @property
    def in_flight(self) -> int:
        """Chunks that were submitted and have not come back."""
        return len(self._ready) + sum(len(lane.waiting) for lane in self._lanes)

    def submit(self, chunk: Chunk) -> None:
        self._to(min(self._lanes, key=lambda lane: len(lane.waiting)), chunk)

    def _to(self, lane: Lane, chunk: Chunk) -> None:
        try:
            lane.waiting[lane.executor.submit(run_chunk, self._data, chunk)] = chunk
        except BrokenProcessPool:  # it has died since
            self._mend(lane)
            self._to(lane, chunk)

    def next(self) -> CaseBlock:
        """Waits for the next result of those submitted."""
        while not self._ready:
            lanes = {future: lane for lane in self._lanes for future in lane.waiting}
            future = next(iter(wait(lanes, return_when=FIRST_COMPLETED).done))
            self._take(future, lanes[future])
        return self._ready.pop(0)

    def _take(self, future: Future[CaseBlock], lane: Lane) -> None:
        try:
            self._ready.append(future.result())
        except BrokenProcessPool:
            self._mend(lane)
        except Exception as error:
            if not _is_killed(error):
                raise
            self._again(lane, lane.waiting.pop(future), CHANCES)
        else:
            del lane.waiting[future]

    def _mend(self, lane: Lane) -> None:
        """A new process for one that died. Of the chunks that have not come back it was at the first."""
        done = [x for x in lane.waiting if x.done() and not x.cancelled() and x.exception() is None]
        self._ready += [future.result() for future in done]
        chunks = [chunk for future, chunk in lane.waiting.items() if future not in done]
        lane.renew()
        for chunk in chunks[:1]:
            self._strikes[chunk.start, chunk.count] += 1
            self._again(lane, chunk, self._strikes[chunk.start, chunk.count])
        for chunk in chunks[1:]:
            self._to(lane, chunk)

    def _again(self, lane: Lane, chunk: Chunk, strikes: int) -> None:
        if chunk.count > 1:
            for half in chunk.halves():
                self._to(lane, half)
        elif strikes < CHANCES:
            self._to(lane, chunk)
        else:
            self._ready.append(CaseBlock(np.empty(0, np.int64), {}, [(chunk.start, FATAL)]))

    def rest(self) -> list[CaseBlock]:
        """Blocks that are computed and not taken yet, when a study ends early."""
        futures = [x for lane in self._lanes for x in lane.waiting if x.done() and not x.cancelled()]
        return [*self._ready, *(future.result() for future in futures if future.exception() is None)]

    def close(self) -> None:
        """Ends what was started, at once."""
        for lane in self._lanes:
            lane.end()


class Inline(Executor):
    """This process: a chunk is done when it has been handed in. What an interruption leaves of one is not lost."""

    def __init__(self, interrupted: Callable[[CaseBlock], None]) -> None:
        self._interrupted = interrupted

    def submit(self, function: Callable[..., object], /, *given: object, **named: object) -> Future[Any]:
        future = Future[Any]()
        future.set_result(function(*given, self._interrupted))
        return future


class Serial(Engine):
    """One chunk after the other."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.pickle_bytes, lambda: Inline(self._ready.append), ahead=1)


class OneProcess(ProcessPoolExecutor):
    """One, so that it is known which case it died of: a pool of several says only that one of them has.

    It is started anew (`spawn`), not forked: threads and machine code of this process do not survive a fork. What one
    compiles the others find in the cache. Ctrl-C is this process's to hear; when this process is gone, they go.
    """

    def __init__(self) -> None:
        super().__init__(1, mp_context=get_context("spawn"), initializer=_begin, initargs=(os.getpid(),))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """At once: a case may take hours, and the executor would wait for it."""
        processes: list[Any] = list((getattr(self, "_processes", None) or {}).values())
        super().shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(5)


def _begin(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: int) -> None:
    """A parent that was killed can send no signal."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


class Local(Engine):
    """So many processes of this machine; nothing is begun where processes cannot be."""

    def __init__(self, job: Job, workers: int) -> None:
        refuse_unguarded("local")
        super().__init__(job.pickle_bytes, OneProcess, workers)
        try:
            for future in [lane.executor.submit(os.getpid) for lane in self._lanes]:
                future.result()
        except BaseException as error:
            self.close()
            if not isinstance(error, BrokenProcessPool):
                raise
            raise InputError(
                "the processes of engine 'local' end as they start; {guard_of}", guard_of("local")
            ) from None


class OnCluster(Executor):
    """Dask's own executor leaves a future open for ever where the scheduler is lost while a result is fetched."""

    def __init__(self, client: Any) -> None:
        self._client, self._running = client, set[Any]()

    def submit(self, function: Callable[..., object], /, *given: object, **named: Any) -> Future[Any]:
        made = Future[Any]()

        def settle(done: Any) -> None:
            self._running.discard(done)
            try:
                made.set_result(done.result())
            except BaseException as error:  # one that stays open is waited for without end
                made.set_exception(_cluster_error(error, done.status))

        try:
            running = self._client.submit(function, *given, pure=False)
        except Exception as error:
            raise _lost(error) from None
        self._running.add(running)
        running.add_done_callback(settle)
        return made

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """The cluster may be another's, who goes on with it: it is to compute nothing that nobody takes."""
        for running in list(self._running):
            running.release()


def _is_killed(error: BaseException) -> bool:
    """Dask's word, known without loading it: as many workers as have chances died of the chunk."""
    return type(error).__name__ == "KilledWorker"


def _cluster_error(error: BaseException, status: str) -> BaseException:
    """By what became of the task: it failed, its result could not be fetched, or nobody knows it any more."""
    if status != "error":
        return _lost(error if status == "finished" else "")
    told = isinstance(error, InputError) or _is_killed(error)
    return error if told else InputError("engine: {raised!r:.200}", error)


def _lost(why: object) -> InputError:
    return InputError("engine: the scheduler is lost{why}", f": {why}"[:150] if str(why) else "")


class Cluster(Engine):
    """`own`: the cluster was started for this study and ends with it."""

    def __init__(self, job: Job, client: Any, own: bool, close_client: bool) -> None:
        self._client, self._own, self._close_client = client, own, close_client
        self._counted, self._workers, self._lanes = 0.0, 1, []
        try:
            self._meet()
            # a task, not scattered data: it can be made again where the worker that held it is lost
            data = client.submit(bytes, job.pickle_bytes, pure=True)
            super().__init__(data, lambda: OnCluster(client))
        except BaseException:
            self.close()
            raise

    def _meet(self) -> None:
        """Who is there, with which versions; nothing is started otherwise."""
        where = self._client.scheduler.address if self._client.scheduler else "the scheduler"
        if not self._client.nthreads():
            raise InputError("engine: no worker has joined {address}; start some with: dask worker {address}", where)
        try:
            found = self._client.run(versions)
        except Exception as error:  # whatever a worker without this package says
            raise InputError("engine: a worker of {address} cannot do this: {error}", where, str(error)[:150]) from None
        for worker, theirs in found.items():
            refuse_versions(versions(), theirs, Message("engine: worker {worker}", worker))

    @property
    def workers(self) -> int:
        """They may come and go."""
        if time.monotonic() - self._counted > COUNTED:
            self._workers = max(1, sum(self._client.nthreads().values()))
            self._counted = time.monotonic()
        return self._workers

    def close(self) -> None:
        with _quiet():
            super().close()
            cluster = self._client.cluster if self._own else None
            if self._close_client:
                self._client.close(timeout=2)
            if cluster is not None:
                cluster.close(timeout=5)


def local_cluster(workers: int) -> Any:
    """A client of new processes of this machine."""
    distributed = _import_distributed()
    refuse_unguarded("dask")
    how = {"threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0, "silence_logs": logging.CRITICAL}
    try:
        with _quiet():
            return distributed.Client(distributed.LocalCluster(n_workers=workers, **how), set_as_default=False)
    except (RuntimeError, OSError, TimeoutError) as error:
        raise InputError(
            "the processes of engine 'dask' do not start: {error}; {guard_of}", error, guard_of("dask")
        ) from None


def client_at(address: str) -> Any:
    """A client of the scheduler that is there."""
    distributed = _import_distributed()
    try:
        with _quiet():
            return distributed.Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            "engine: no scheduler answers at {address}: {splitlines}", address, str(error).splitlines()[0][:150]
        ) from None


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError('the engine needs Dask: pip install "manipula[study]"') from None
    return distributed


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask logs nothing while something is tried whose failure is an error of ours."""
    log = logging.getLogger("distributed")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)


def guard_of(engine: str) -> str:
    return Message(
        "a program that uses engine={engine!r} is imported by its processes: call mp.study under if "
        "__name__ == '__main__'",
        engine,
    )


def refuse_unguarded(engine: str) -> None:
    """A process that is being started imports the program, which would start others."""
    if getattr(current_process(), "_inheriting", False):
        raise InputError(guard_of(engine))


# The engine by its word.


def refuse_engine(engine: object) -> None:
    """Before anything is done for it."""
    if any(f"{x.__module__}.{x.__name__}" == "distributed.client.Client" for x in type(engine).__mro__):
        return  # Dask's, known without loading it
    if not isinstance(engine, str):
        raise InputError(
            "engine: expected a word or a Dask client, found {engine!r:.60}; {words}", engine, ", ".join(WORDS)
        )
    if engine not in WORDS[:3] and not engine.startswith(ADDRESSES):
        raise UnknownNameError("engine", engine, WORDS, {"processes": "local", "multiprocessing": "local"})


def workers_from(workers: object) -> int:
    """So many processes: as many as this one may use, unless said."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not is_whole(workers) or not 1 <= workers <= MOST:
        raise InputError(
            "workers: expected a whole number of processes, 1 to {most}, found {workers!r:.40}", MOST, workers
        )
    return int(workers)


def engine_from(engine: object, job: Job, workers: int) -> Engine:
    """Started, and met: every worker has the same versions."""
    if engine == "serial":
        return Serial(job)
    if engine == "local":
        return Local(job, workers)
    if engine == "dask":
        return Cluster(job, local_cluster(workers), own=True, close_client=True)
    if isinstance(engine, str):
        return Cluster(job, client_at(engine), own=False, close_client=True)
    return Cluster(job, engine, own=False, close_client=False)
