"""Results of some cases, side by side: what a worker gives back, and what is kept on disk until the study is whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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


def checked(result: Any, names: Sequence[str], spec: Spec | None) -> dict[str, NDArray[Any]]:
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
    found = {name: _kept(name, value, names) for name, value in result.items()}
    if spec is not None:
        for name, value in found.items():
            if kind_of(value) != spec[name]:
                raise WrongResult(
                    "result {name!r} is {told}, in the first case {told2}",
                    name,
                    _told(kind_of(value)),
                    _told(spec[name]),
                )
    if not found:
        raise WrongResult("the function gave an empty dict; expected at least one result by name")
    return found


def _kept(name: Any, value: Any, names: Sequence[str]) -> NDArray[Any]:
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


def _told(kind: Shape) -> str:
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


def joined(blocks: Sequence[CaseBlock]) -> CaseBlock:
    """Several as one; numbers and words become wide enough for all."""
    names = next((list(x.columns) for x in blocks if x.columns), [])
    full = [x for x in blocks if len(x.cases)]
    columns = {name: np.concatenate([x.columns[name] for x in full]) for name in names}
    cases = np.concatenate([x.cases for x in blocks]) if blocks else np.empty(0, np.int64)
    return CaseBlock(cases, columns, [row for x in blocks for row in x.failed])
