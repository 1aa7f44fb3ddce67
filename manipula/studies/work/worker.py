"""What a worker does: the cases of a chunk, one by one or all at once, each with its own generator of random numbers.

The generator of case i is that of `SeedSequence(seed).spawn(n)[i]`, made from i alone: so results depend neither on
the order of the cases nor on who computes them. What comes back is a block: the results of some cases, side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, ManipulaError
from manipula.messages import Message
from manipula.studies.cases.cases import Columns, rows_from
from manipula.studies.cases.values import ENTRIES, LETTERS, NAME, RESERVED, Column, array_from, kind_of
from manipula.studies.work.digest import draw_warnings, preserve_process_state, shared_draws
from manipula.studies.work.job import Opened, open_job, refuse_versions, versions

SENTENCE = 300  # letters of a failure
_ADDRESS = re.compile(r" (?:object )?at 0x[0-9a-fA-F]+")

Shape = tuple[str, tuple[int, ...]]  # "number" or "word", and the shape of its array
Spec = dict[str, Shape]  # what the first case that succeeded gave: every other gives the same


@dataclass
class CaseBlock:
    """`cases` succeeded, with a row each in every column; `failed` did not, each for its reason. `seconds`: of the
    worker; `notes`: what it has to say besides."""

    cases: NDArray[np.int64]
    columns: dict[str, Column]
    failed: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.cases) + len(self.failed)

    @property
    def failed_cases(self) -> NDArray[np.int64]:
        return np.array([case for case, _ in self.failed], dtype=np.int64)

    @property
    def all_cases(self) -> NDArray[np.int64]:
        return np.concatenate([self.cases, self.failed_cases])

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(x.nbytes for x in self.columns.values()) + 100 * len(self.failed)

    @property
    def spec(self) -> Spec | None:
        """What these results look like; None where there are none."""
        return {name: kind_of(values[0]) for name, values in self.columns.items()} if len(self.cases) else None


class WrongResult(InputError):
    """What a function gave cannot be kept."""


class WrongWorker(InputError):
    """A worker lacks what every case needs: no case has failed, the study ends."""


def check_result(result: object, names: Sequence[str], spec: Spec | None) -> dict[str, Column]:
    """The results of one case as arrays; what cannot be kept, or is not like the others, is refused."""
    if not isinstance(result, Mapping):
        raise WrongResult(
            "the function gave {result}; expected a dict of numbers, words or small arrays", plainly(repr(result))[:60]
        )
    if spec is not None and list(result) != list(spec):
        if set(result) != set(spec):
            raise WrongResult(
                "gave {few} where the first case gave {few2}; all give the same names", _few(result), _few(spec)
            )
        result = {name: result[name] for name in spec}
    found = {name: _result_column(name, value, names) for name, value in result.items()}
    if spec is not None:
        for name, value in found.items():
            if kind_of(value) != spec[name]:
                raise WrongResult(
                    "result {name!r} is {told}, in the first case {told2}",
                    name,
                    _shape_text(kind_of(value)),
                    _shape_text(spec[name]),
                )
    if not found:
        raise WrongResult("the function gave an empty dict; expected at least one result by name")
    return found


def _result_column(name: object, value: object, names: Sequence[str]) -> Column:
    if not isinstance(name, str) or not NAME.fullmatch(name) or name in RESERVED:
        if name in RESERVED:
            raise WrongResult(
                "result {name!r:.90}: is no name of a column (taken by a study's failures); expected letters, digits "
                "and _ . -",
                name,
            )
        raise WrongResult("result {name!r:.90}: is no name of a column; expected letters, digits and _ . -", name)
    if name in names:
        raise WrongResult("result {name!r}: a column of the cases has this name; take another", name)
    found = array_from(value)
    if found is None:
        raise WrongResult(
            "result {name!r}: {plainly} cannot be stored; expected a real number, a word of at most "
            "{letters} letters, or an array of at most {entries} numbers",
            name,
            plainly(repr(value))[:60],
            LETTERS,
            ENTRIES,
        )
    return found


def _few(found: Mapping[str, object]) -> str:
    return ", ".join(map(str, found))[:100] or "nothing"


def _shape_text(kind: Shape) -> str:
    return Message("a {kind}", kind[0]) if not kind[1] else Message("an array {kind}", "×".join(map(str, kind[1])))


def plainly(text: str) -> str:
    """One line without addresses in memory: the same wherever it ran."""
    return _ADDRESS.sub("", " ".join(text.split()))


def sentence_of(error: BaseException) -> str:
    """What a row that failed says."""
    text = str(error) if isinstance(error, ManipulaError) else f"{type(error).__name__}: {error}".removesuffix(": ")
    return plainly(text)[:SENTENCE]


def block_from(
    cases: Sequence[int], results: Sequence[Mapping[str, Column]], failed: list[tuple[int, str]]
) -> CaseBlock:
    columns = {name: np.stack([row[name] for row in results]) for name in results[0]} if results else {}
    return CaseBlock(np.array(cases, dtype=np.int64), columns, failed)


def join_blocks(blocks: Sequence[CaseBlock]) -> CaseBlock:
    """Several as one; numbers and words become wide enough for all."""
    names = next((list(x.columns) for x in blocks if x.columns), [])
    full = [x for x in blocks if len(x.cases)]
    columns = {name: np.concatenate([x.columns[name] for x in full]) for name in names}
    cases = np.concatenate([x.cases for x in blocks]) if blocks else np.empty(0, np.int64)
    return CaseBlock(cases, columns, [row for x in blocks for row in x.failed])


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
    """Of the cases of a chunk, each made when it is taken."""

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
    block.notes = draw_warnings(before, shared_draws())
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
    cases, results, failed, spec = list[int](), list[dict[str, Column]](), list[tuple[int, str]](), chunk.spec
    for case, row in enumerate(rows_from(chunk.own_columns, chunk.count), chunk.start):
        try:
            with preserve_process_state():
                found = job.function({**job.shared(), **row}, generator(job.job.seed, case))
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
            found = job.function({**job.shared(), **chunk.own_columns}, generators)
        columns = _check_rows(found, job.job.names, chunk)
    except WrongWorker:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, WrongResult) and chunk.spec is None:
            raise
        if chunk.count == 1:
            return CaseBlock(np.empty(0, np.int64), {}, [(chunk.start, sentence_of(error))])
        return join_blocks([_together(job, half) for half in chunk.halves()])
    return CaseBlock(np.arange(chunk.start, chunk.start + chunk.count), columns)


def _check_rows(found: Mapping[str, object], names: Sequence[str], chunk: Chunk) -> dict[str, Column]:
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
    wide = {name: arrays[name].dtype if arrays[name].dtype.kind == "U" else x.dtype for name, x in first.items()}
    return {name: arrays[name].astype(kind) for name, kind in wide.items()}
