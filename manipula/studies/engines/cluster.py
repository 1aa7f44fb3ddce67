"""A Dask cluster: one of this machine's processes, or one that is there, by its address or its client.

Dask gives the chunk of a worker that died to another; a chunk that several died of comes in halves, until a case is
alone with what it does. Where the scheduler is lost, what has come is kept, and the study goes on with another.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from manipula.errors import InputError
from manipula.messages import Message
from manipula.studies.engines.engine import given_up, guard_of, refuse_unguarded
from manipula.studies.work.blocks import CaseBlock
from manipula.studies.work.job import Job, refuse_versions, versions
from manipula.studies.work.worker import Chunk, run_chunk

AHEAD = 2
ANSWER = 10  # seconds in which a scheduler must
COUNTED = 2.0  # seconds between two looks at who is there
EXTRA = Message('the engine needs Dask: pip install "manipula[study]"')


def local_cluster(workers: int) -> Any:
    """A client of new processes of this machine."""
    distributed = _import_distributed()
    refuse_unguarded("dask")
    try:
        with _quiet():
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
            return distributed.Client(cluster, set_as_default=False)
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


def is_client(engine: Any) -> bool:
    """Whether it is Dask's, without loading it."""
    return any(f"{x.__module__}.{x.__name__}" == "distributed.client.Client" for x in type(engine).__mro__)


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError(EXTRA) from None
    return distributed


@contextmanager
def _quiet() -> Iterator[None]:
    """What Dask logs while something is tried that is told in a sentence."""
    log = logging.getLogger("distributed")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)


class Cluster:
    """`own`: the cluster was started for this study and ends with it."""

    def __init__(self, job: Job, client: Any, own: bool, close_client: bool) -> None:
        self.title, self._client, self._own, self._close_client = "dask", client, own, close_client
        self._chunks: dict[Any, Chunk] = {}
        self._counted, self._workers = 0.0, 1
        try:
            self._meet()
            distributed = _import_distributed()
            # a task, not scattered data: it can be made again where the worker that held it is lost
            self._data = client.submit(_itself, job.pickle_bytes, pure=True)
            self._finished = distributed.as_completed([], loop=client.loop, raise_errors=False)
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
        if monotonic() - self._counted > COUNTED:
            self._workers = max(1, sum(self._client.nthreads().values()))
            self._counted = monotonic()
        return self._workers

    @property
    def width(self) -> int:
        return AHEAD * self.workers

    @property
    def pending(self) -> int:
        return len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        try:
            future = self._client.submit(run_chunk, self._data, chunk, pure=False)
        except Exception as error:
            raise self._connection_error(error) from None
        self._chunks[future] = chunk
        self._finished.add(future)

    def next(self) -> CaseBlock:
        while True:
            future = next(self._finished)
            chunk = self._chunks.pop(future)
            if future.status == "finished":
                try:
                    return future.result()  # type: ignore[no-any-return]
                except Exception as error:
                    raise self._connection_error(error) from None
            if future.status != "error":
                raise self._connection_error(None)
            raised = future.exception()
            if type(raised).__name__ != "KilledWorker":
                raise raised if isinstance(raised, InputError) else InputError("engine: {raised!r:.200}", raised)
            if chunk.count == 1:
                return given_up(chunk)
            for half in chunk.halves():
                self.submit(half)

    def _connection_error(self, error: BaseException | None) -> InputError:
        why = f": {error}"[:150] if error is not None and str(error) else ""
        return InputError("engine: the scheduler is lost{why}", why)

    def rest(self) -> list[CaseBlock]:
        """What is there already; a scheduler that is lost gives nothing more."""
        with suppress(Exception):
            done = [future for future in self._chunks if future.status == "finished"]
            return [future.result(timeout=ANSWER) for future in done]
        return []

    def close(self) -> None:
        with _quiet():
            for future in list(self._chunks):
                future.release()
            cluster = self._client.cluster if self._own else None
            if self._close_client:
                self._client.close(timeout=2)
            if cluster is not None:
                cluster.close(timeout=5)


def _itself(data: bytes) -> bytes:
    return data
