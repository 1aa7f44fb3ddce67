"""Results of some cases, side by side: what a worker gives back, and what is kept on disk until the study is whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, ManipulaError
from manipula.messages import Message
from manipula.studies.cases.values import ENTRIES, LETTERS, NAME, RESERVED, array_from, kind_of

SENTENCE = 300  # letters of a failure
_ADDRESS = re.compile(r" (?:object )?at 0x[0-9a-fA-F]+")

Shape = tuple[str, tuple[int, ...]]  # "number" or "word", and the shape of its array
Spec = dict[str, Shape]  # what the first case that succeeded gave: every other gives the same


@dataclass
class CaseBlock:
    """`cases` succeeded, with a row each in every column; `failed` did not, each for its reason. `seconds`: of the
    worker; `notes`: what it has to say besides."""

    cases: NDArray[np.int64]
    columns: dict[str, NDArray[Any]]
    failed: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.cases) + len(self.failed)

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
    """Whoever computes lacks what every case needs: no case has failed, the study ends."""


def check_result(result: Any, names: Sequence[str], spec: Spec | None) -> dict[str, NDArray[Any]]:
    """The results of one case as arrays; what cannot be kept, or is not like the others, is told."""
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


def _result_column(name: Any, value: Any, names: Sequence[str]) -> NDArray[Any]:
    if not isinstance(name, str) or not NAME.fullmatch(name) or name in RESERVED:
        raise WrongResult(
            (
                (
                    "result {name!r:.90}: is no name of a column (taken by a study's "
                    "failures); expected letters, digits and _ . -"
                )
                if name in RESERVED
                else ("result {name!r:.90}: is no name of a column; expected letters, digits and _ . -")
            ),
            name,
        )
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


def _few(found: Mapping[str, Any]) -> str:
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
    cases: Sequence[int], results: Sequence[Mapping[str, NDArray[Any]]], failed: list[tuple[int, str]]
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


class Remaining:
    """The cases that are not done, as ranges in ascending order."""

    def __init__(self, count: int, done: list[tuple[int, int]]) -> None:
        self._ranges, at = list[tuple[int, int]](), 0
        for start, stop in sorted(done):
            if start > at:
                self._ranges.append((at, start))
            at = max(at, stop)
        if at < count:
            self._ranges.append((at, count))
        self._ranges.reverse()  # the next is the last
        self.left = sum(stop - start for start, stop in self._ranges)

    def take(self, most: int) -> tuple[int, int]:
        """The next cases, neighbours, at most so many; there must be some."""
        start, stop = self._ranges.pop()
        end = min(stop, start + most)
        if end < stop:
            self._ranges.append((end, stop))
        self.left -= end - start
        return start, end
