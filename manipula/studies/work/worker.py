"""What a worker does: the cases of a chunk, one by one or all at once, each with its own generator of random numbers.

The generator of case i is that of `SeedSequence(seed).spawn(n)[i]`, made from i alone: so results depend neither on
the order of the cases nor on who computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.messages import Message
from manipula.studies.cases.cases import Columns, rows_from
from manipula.studies.cases.values import kind_of
from manipula.studies.work.blocks import (
    CaseBlock,
    Spec,
    WrongResult,
    WrongWorker,
    block_from,
    check_result,
    join_blocks,
    sentence_of,
)
from manipula.studies.work.digest import draws_told, preserve_process_state, shared_draws
from manipula.studies.work.job import Opened, open_job, refuse_versions, versions


@dataclass(frozen=True)
class Chunk:
    """Cases from `start` on; `spec` is what the first case that succeeded looks like, None while none has."""

    start: int
    count: int
    columns: Columns
    spec: Spec | None = None

    @property
    def own_columns(self) -> Columns:
        """For a function that may write into them."""
        return {name: values.copy() for name, values in self.columns.items()}

    def halves(self) -> tuple[Chunk, Chunk]:
        """Two of half the size, in order."""
        middle = self.count // 2
        return self._part(0, middle), self._part(middle, self.count)

    def _part(self, first: int, last: int) -> Chunk:
        columns = {name: values[first:last] for name, values in self.columns.items()}
        return Chunk(self.start + first, last - first, columns, self.spec)


def generator(seed: int, case: int) -> np.random.Generator:
    """SeedSequence(seed).spawn(n)[case] without the others."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(case,)))


class Generators(Sequence[np.random.Generator]):
    """Of the cases of a chunk, each made when it is asked for."""

    def __init__(self, seed: int, start: int, count: int) -> None:
        self._seed, self._start, self._count = seed, start, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        if not 0 <= k < self._count:
            raise IndexError(k)
        return generator(self._seed, self._start + k)


def run_chunk(data: bytes, chunk: Chunk, interrupted: Callable[[CaseBlock], None] = lambda block: None) -> CaseBlock:
    """The results of a chunk. `data` is the job, which a process opens once. `interrupted` hears what was done before
    somebody ended it."""
    job, before = _check_versions(data), shared_draws()
    began = perf_counter()
    block = _together(job, chunk) if job.takes_batches else _one_by_one(job, chunk, interrupted)
    block.seconds = perf_counter() - began
    block.notes = draws_told(before, shared_draws())
    return block


@lru_cache(maxsize=16)
def _check_versions(data: bytes) -> Opened:
    """The job, where the versions are the client's: those of a worker that joined after the study had begun, too."""
    try:
        found = open_job(data)
    except InputError:
        raise
    except Exception as error:
        raise InputError("a worker cannot open the study: {sentence_of}", sentence_of(error)) from None
    refuse_versions(found.job.versions, versions(), Message("a worker"))
    return found


def _one_by_one(job: Opened, chunk: Chunk, interrupted: Callable[[CaseBlock], None]) -> CaseBlock:
    cases, results, failed, spec = list[int](), list[Any](), list[tuple[int, str]](), chunk.spec
    for case, row in enumerate(rows_from(chunk.own_columns, chunk.count), chunk.start):
        try:
            with preserve_process_state():
                found = job.function({**job.shared_values, **row}, generator(job.job.seed, case))
            results.append(check_result(found, job.job.names, spec))
            cases.append(case)
        except KeyboardInterrupt:
            interrupted(block_from(cases, results, failed))
            raise
        except WrongWorker:
            raise
        except WrongResult as error:
            if spec is None:
                raise
            failed.append((case, sentence_of(error)))
        except (Exception, SystemExit) as error:
            failed.append((case, sentence_of(error)))
        else:
            spec = spec or {name: kind_of(value) for name, value in results[-1].items()}
    return block_from(cases, results, failed)


def _together(job: Opened, chunk: Chunk) -> CaseBlock:
    """All at once; where that fails, the halves, until the case is alone that fails."""
    generators = Generators(job.job.seed, chunk.start, chunk.count)
    try:
        with preserve_process_state():
            found = job.function({**job.shared_values, **chunk.own_columns}, generators)
        columns = _rows_checked(found, job.job.names, chunk)
    except WrongWorker:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, WrongResult) and chunk.spec is None:
            raise
        if chunk.count == 1:
            return CaseBlock(np.empty(0, np.int64), {}, [(chunk.start, sentence_of(error))])
        return join_blocks([_together(job, half) for half in chunk.halves()])
    return CaseBlock(np.arange(chunk.start, chunk.start + chunk.count), columns)


def _rows_checked(found: Any, names: Sequence[str], chunk: Chunk) -> dict[str, NDArray[Any]]:
    """Arrays with a row a case."""
    if not isinstance(found, Mapping):
        check_result(found, names, chunk.spec)
    arrays = {name: np.asarray(value) for name, value in found.items()}
    for name, value in arrays.items():
        if value.ndim == 0 or len(value) != chunk.count:
            raise WrongResult(
                "result {name!r}: expected a row a case, {count}, found the shape {shape}",
                name,
                chunk.count,
                value.shape,
            )
    first = check_result({name: value[0] for name, value in arrays.items()}, names, chunk.spec)
    return {name: arrays[name].astype(_wide(first[name], arrays[name])) for name in first}


def _wide(first: NDArray[Any], whole: NDArray[Any]) -> np.dtype[Any]:
    return whole.dtype if whole.dtype.kind == "U" else first.dtype
