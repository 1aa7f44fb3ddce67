"""The engine by its word."""

from __future__ import annotations

import os
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.studies.cases.values import is_whole
from manipula.studies.engines.cluster import Cluster, client_at, is_client, local_cluster
from manipula.studies.engines.engine import Engine
from manipula.studies.engines.local import Local
from manipula.studies.engines.serial import Serial
from manipula.studies.work.job import Job

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
