"""Results as text, figure by figure, and whether they are those of a golden file in `figures`: `--update` accepts what
they are now. Numbers are compared to five digits. Of a long array the file has its shape, its length as a vector and
its product with a fixed one, in which every entry has a share of its own; of a long text a digest.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from manipula.errors import ManipulaError
from manipula.mechanics.robot.description import RobotDescription
from manipula.version import __version__

FIGURES = Path(__file__).with_name("figures")
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)(?![\w.])")
LONG = 8  # entries that are written one by one
LONGEST = 1000  # characters of a text that is written out
DEEP = 6
EXACT = 1e-5  # of a number
Lines = Iterator[tuple[str, str]]


def lines_of(name: str, value: Any, deep: int = 0) -> Lines:
    """Every figure below a result, by its way there."""
    if isinstance(value, RobotDescription):
        yield from lines_of(f"{name}.values", [*value.standard_parameters.values()], deep + 1)
    elif isinstance(value, Enum | str | bool | np.bool_) or value is None:
        text = " / ".join(str(value.name if isinstance(value, Enum) else value).splitlines())
        yield name, text if len(text) < LONGEST else digest(text)
    elif isinstance(value, int | float | complex | np.number):
        yield name, _written(complex(value) if np.iscomplexobj(value) else float(value))
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        yield name, _array(value)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from lines_of(f"{name}[{key}]", one, deep + 1)
    elif isinstance(value, tuple | list | set | frozenset | np.ndarray) and not hasattr(value, "_fields"):
        yield from _row(name, sorted(value, key=str) if isinstance(value, set | frozenset) else list(value), deep)
    elif deep < DEEP and type(value).__module__.startswith("manipula.") and "algebra" not in type(value).__module__:
        for part in _parts(value):
            yield from lines_of(f"{name}.{part}", getattr(value, part), deep + 1)


def _row(name: str, row: list[Any], deep: int) -> Lines:
    """Numbers and words in one line; of things of one kind a line for each of their parts."""
    if (table := _table(row)) is not None:
        yield name, _array(table)
    elif row and all(isinstance(one, str) and len(one) < LONG * LONG for one in row):
        yield name, " | ".join(row)
    elif len(row) > 1 and len({type(one) for one in row}) == 1 and _has_parts(row[0]):
        for part in _parts(row[0]):
            yield from lines_of(f"{name}.{part}", [getattr(one, part) for one in row], deep + 1)
    elif len(row) > 3 and all(type(one) in (str, bool, int, float, type(None)) for one in row):
        yield name, " | ".join(next(lines_of("", one))[1] for one in row)
    else:
        for k, one in enumerate(row):
            yield from lines_of(f"{name}[{k}]", one, deep + 1)


def _has_parts(value: Any) -> bool:
    return type(value).__module__.startswith("manipula.") and not isinstance(value, str)  # a message is its text


def _table(row: list[Any]) -> Any:
    """Numbers, or rows of equally many, as an array."""
    if row and all(isinstance(one, int | float | np.number) for one in row):
        return np.array(row, float)
    inner = [_table(one) if type(one) in (list, tuple) else None for one in row]
    alike = len(row) > 1 and all(one is not None and one.shape == inner[0].shape for one in inner)
    return np.array(inner) if alike else None


def _parts(value: Any) -> list[str]:
    """Its fields, then its properties, all public."""
    kept = getattr(value, "_fields", None) or (
        [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
    )
    kind = type(value)
    more = [name for name in sorted(dir(kind)) if isinstance(inspect.getattr_static(kind, name), property)]
    return [name for name in dict.fromkeys((*kept, *more)) if not name.startswith("_")]


def _array(value: Any) -> str:
    flat = np.asarray(value).ravel().astype(complex if np.iscomplexobj(value) else float)
    if flat.size <= LONG:
        return f"[{' '.join(map(_written, flat.tolist()))}]"
    finite = np.where(np.isfinite(flat), flat, 0)
    norm = float(np.linalg.norm(finite))
    share = complex(finite @ np.cos(1.7 * np.arange(flat.size))) / (norm or 1.0)
    lost = int((~np.isfinite(flat)).sum())
    return f"{'×'.join(map(str, np.shape(value)))}: {_written(norm)}, {_written(share.real)}" + (
        f", {lost} not finite" if lost else ""
    )


def _written(x: complex | float) -> str:
    return f"{_written(x.real)}{_written(x.imag)}j" if isinstance(x, complex) else f"{x:.8g}" if abs(x) > 1e-9 else "0"


def same(now: str, golden: str, digits: float = EXACT) -> bool:
    """Words alike, numbers to so many digits; rounding is rounding."""
    ours, theirs = NUMBER.findall(now), NUMBER.findall(golden)
    return NUMBER.sub("#", now) == NUMBER.sub("#", golden) and all(
        a == b or math.isclose(float(a), float(b), rel_tol=digits, abs_tol=1e-3 * digits) for a, b in zip(ours, theirs)
    )


def digest(text: str) -> str:
    """Of a text; the last digits of its numbers are the machine's."""
    text = re.sub(r"\d+\.\d{10,}", lambda number: f"{float(number[0]):.9g}", text)
    return sha256(text.replace(__version__, "VERSION").encode()).hexdigest()[:8]


def _unlike(every: Iterator[tuple[str, str]]) -> Iterator[str]:
    """What has the same name and the same text as a line before it is left out: results have much in common."""
    seen = set[tuple[str, str]]()
    for name, text in every:
        key = name.rpartition(".")[2], text
        if key not in seen:
            seen.add(key)
            yield f"{name} = {text}"


def said(make: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What is made, or why not, and what is said meanwhile."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            made = make()
        except ManipulaError as error:
            made = str(error)
    return made, [str(one.message) for one in heard]


def assert_golden(
    case: str,
    results: Iterable[tuple[str, Any]],
    update: bool,
    hidden: Mapping[str, str] | None = None,
    digits: float = EXACT,
) -> None:
    """`hidden`: patterns of texts that differ from run to run, and what stands for them."""
    now = [*_unlike(line for part, result in results for line in lines_of(part, result))]
    for text, shown in (hidden or {}).items():
        now = [re.sub(text, shown, line) for line in now]
    file = FIGURES / f"{case}.txt"
    if update:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in now), encoding="utf-8", newline="\n")
    golden = file.read_text(encoding="utf-8").splitlines()
    moved = [
        (ours, theirs) for ours, theirs in zip_longest(now, golden, fillvalue="") if not same(ours, theirs, digits)
    ]
    shown = "\n".join(f"now    {ours[:200]}\ngolden {theirs[:200]}" for ours, theirs in moved[:5])
    assert not moved, f"{len(moved)} lines differ; if the change is meant: --update, and read the diff\n{shown}"
