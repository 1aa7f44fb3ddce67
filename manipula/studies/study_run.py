"""`study`: one function over many cases, wherever they are computed; the results in their order, the same bytes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from inspect import signature
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any

from manipula.errors import InputError, caution
from manipula.studies.cases.cases import Cases, cases_from, digest_of
from manipula.studies.cases.values import is_whole
from manipula.studies.results.store import Identity, Remaining, Store, alone, merge_parts
from manipula.studies.results.study_result import Study, refuse_results
from manipula.studies.results.table import Place
from manipula.studies.work.engine import Engine, engine_from, refuse_engine, workers_from
from manipula.studies.work.job import CaseFunction, Job, pack_job, parts_of, title_of
from manipula.studies.work.worker import CaseBlock, Chunk

SUSPECT = 64  # cases that fail, and none that does not


@dataclass(frozen=True)
class Progress:
    """How far a study is. `rate`: cases a second; `seconds_left`: if it goes on so; `came`: the results reported so
    far, those of an earlier run among them."""

    done: int
    count: int
    failed: int
    seconds: float
    rate: float
    workers: int
    came: CaseBlock | None = field(default=None, repr=False, compare=False)

    @property
    def seconds_left(self) -> float | None:
        return (self.count - self.done) / self.rate if self.rate else None

    def __str__(self) -> str:
        left = "" if self.seconds_left is None else f", {self.seconds_left:.0f} s left"
        return f"{self.done} of {self.count} cases, {self.rate:.3g} a second, {self.failed} failed{left}"


# How many cases make a task: so many that it costs well above 50 ms, so few that the workers end together.
#
# A scheduler passes some hundred tasks a second, however many workers wait for it: the more there are, the longer tasks
# become, so that fewer than a hundred a second are asked of it (docs/explanation/scale.md). Only the work is divided by
# this; results never depend on it.

AIM, LEAST = 0.25, 0.05  # seconds of a task: wished, and not to be gone below but by a single case
MOST = 8192  # cases of a task, so that it fits in a message
MANY, MORE = 64, 8  # so many workers get so many times larger messages
SHARE = 0.01  # seconds of a task for every worker: a hundred tasks a second
GROWTH = 8  # a first case is often slower than the others: it compiles


class Pace:
    """Learns from the tasks done how long a case takes."""

    def __init__(self) -> None:
        self._seconds: float | None = None
        self._last = 1

    def saw(self, count: int, seconds: float) -> None:
        each = seconds / max(count, 1)
        self._seconds = each if self._seconds is None else 0.7 * self._seconds + 0.3 * each

    def size(self, left: int, workers: int) -> int:
        """Of the next task."""
        if self._seconds is None:
            return 1
        most = min(MOST if workers < MANY else MORE * MOST, GROWTH * self._last)
        wished = _many(max(AIM, SHARE * workers), self._seconds)
        fair = max(ceil(left / (3 * workers)), _many(LEAST, self._seconds))
        self._last = max(1, min(wished, fair, most, left))
        return self._last


def _many(seconds: float, each: float) -> int:
    return max(1, ceil(seconds / max(each, 1e-9)))


def study(
    function: CaseFunction | str,
    cases: object,
    *,
    engine: object = "serial",
    workers: int | None = None,
    seed: int = 0,
    shared: Mapping[str, object] | None = None,
    resume: str | Path | None = None,
    results: str | Path | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Study:
    """What a function gives in many cases: `function(case, rng)` → a dict of numbers, words or small arrays.

    `cases`: levels by name, of which every combination is taken; a list of dicts; `mp.studies.latin(…)` or
    `mp.studies.sobol(…)`; a file of columns (.npz .csv .parquet). `shared` is part of every case and travels once, a
    robot as the text of its file. `rng` is numpy's generator of the case, from `seed` and the case's place alone.

    `engine`: "serial", "local" (`workers` processes), "dask" (a cluster of this machine), "tcp://…" or a Dask client.
    The result is the same, to the byte, on each. `resume` is a folder in which results are kept as they come: the same
    call goes on where one was ended. A case that fails is a row with its sentence. `results`: a file for the table
    (.npz .csv .parquet). `tell` hears of the progress.

    >>> def area(case, rng):
    ...     return {"area": case["a"] * case["b"]}
    >>> study(area, {"a": [1, 2], "b": [3, 4, 5]}).table["area"].tolist()
    [3, 4, 5, 6, 8, 10]
    """
    refuse_engine(engine)
    refuse_results(results)
    if not is_whole(seed) or seed < 0:
        raise InputError("seed: expected a whole number of zero or more, found {seed!r:.40}", seed)
    _refuse_signature(function)
    if not callable(tell):
        raise InputError("tell: expected a function that hears of the progress, found {tell!r:.40}", tell)
    chosen, several = cases_from(cases), workers_from(workers)
    job = pack_job(function, _check_shared(shared, chosen), chosen.names, int(seed), engine != "serial")
    folder = Path(tempfile.mkdtemp(prefix="manipula-study-")) if resume is None else _folder(resume)
    try:
        store, began, computed = Store(folder, _identity(function, chosen, job)), monotonic(), 0
        if not store.whole.exists():  # gone on with where it was begun
            with alone(folder):
                computed = _compute_missing(store, chosen, job, engine, several, tell)
                merge_parts(store, chosen)
        place = Place(store.whole, temporary=resume is None)
        found = Study(title_of(function), place, chosen.count, chosen.names, monotonic() - began, computed)
        if results is not None:
            found.save(results)
        return found
    except BaseException:
        if resume is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _refuse_signature(function: Any) -> None:
    """One that cannot be called with a case and a generator fails in every case: it is refused before the first."""
    try:
        found = signature(function)
    except (TypeError, ValueError):  # no function, which is refused elsewhere; or one of C
        return
    try:
        found.bind({}, None)
    except TypeError:
        name = getattr(function, "__name__", "function")
        raise InputError(
            "the function of a study is called with a case, a dict, and its generator of random numbers: "
            "expected {name}(case, rng), found {name}{found}",
            name,
            found,
        ) from None


def _check_shared(shared: Mapping[str, object] | None, cases: Cases) -> Mapping[str, object]:
    if shared is None:
        return {}
    if not isinstance(shared, Mapping) or not all(isinstance(name, str) for name in shared):
        raise InputError("shared: expected values by name, found {shared!r:.60}", shared)
    for name in shared:
        if name in cases.names:
            raise InputError("shared: {name!r} is a column of the cases, too; it can be one of them", name)
    return shared


def _folder(resume: str | Path) -> Path:
    if not isinstance(resume, str | Path) or not str(resume):
        raise InputError("resume: expected the name of a folder, found {resume!r:.60}", resume)
    if Path(resume).exists() and not Path(resume).is_dir():
        raise InputError("resume: {resume} is a file; expected a folder", resume)
    return Path(resume)


def _identity(function: CaseFunction | str, cases: Cases, job: Job) -> Identity:
    """What makes it this study and no other."""
    held = {name: digest_of(x.hex() if isinstance(x, bytes) else x) for name, x in job.shared}
    return {
        "function": title_of(function),
        "uses": parts_of(function),
        "cases": cases.digest,
        "count": cases.count,
        "seed": job.seed,
        "shared": held,
        "versions": [list(pair) for pair in job.versions],
    }


def _compute_missing(
    store: Store, cases: Cases, job: Job, engine: object, workers: int, tell: Callable[[Progress], None]
) -> int:
    """Computes what is not there; how many that were."""

    def there(block: CaseBlock) -> None:
        tell(Progress(store.stored, cases.count, store.failed, 0.0, 0.0, 0, block))

    remaining = Remaining(cases.count, store.finished_ranges(there))
    missing = remaining.left
    if not missing:
        return 0
    running = engine_from(engine, job, workers)
    try:
        _drive_engine(running, remaining, store, cases, tell)
        store.flush()
    except BaseException as error:
        with suppress(InputError):  # a full disk has been reported
            for block in running.rest():
                store.take(block)
            store.flush()
        if isinstance(error, InputError) and store.stored and str(store.folder) not in str(error):
            raise InputError(
                "{error}; {stored} of {count} cases are done; with a folder (resume=) the study goes on from there",
                error,
                store.stored,
                cases.count,
            ) from error
        raise
    finally:
        running.close()
    return missing


def _drive_engine(
    running: Engine, remaining: Remaining, store: Store, cases: Cases, tell: Callable[[Progress], None]
) -> None:
    """Until the first case has succeeded they go one after the other: it decides what all give."""
    pace, flying, began, before, noted = Pace(), 0, monotonic(), store.stored, set[str]()
    while remaining.left or flying:
        width = running.width if store.spec is not None else 1
        while remaining.left and running.in_flight < width:
            start, stop = remaining.take(pace.size(remaining.left, running.workers))
            running.submit(Chunk(start, stop - start, cases.columns(start, stop), store.spec))
            flying += stop - start
        block = running.next()
        flying -= block.count
        pace.saw(block.count, block.seconds)
        store.take(block)
        for note in block.notes:
            if note not in noted:
                noted.add(note)
                caution(note)
        if store.spec is None and store.stored >= SUSPECT > store.stored - block.count:
            caution(
                "all of the first {stored} cases failed; the last says: {failed}", store.stored, block.failed[-1][1]
            )
        seconds = monotonic() - began
        rate = (store.stored - before) / max(seconds, 1e-9)
        tell(Progress(store.stored, cases.count, store.failed, seconds, rate, running.workers, block))
