"""What a report tells, as plain data; whoever has it makes the page without knowing robots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]  # title, heads, rows


@dataclass(frozen=True)
class ReportFormula:
    """A model's equations as LaTeX and as Typst, or why there are none."""

    title: str
    about: str
    latex: str = ""
    why_not: str = ""
    typst: str = ""
    running: Sequence[
        str
    ] = ()  # equation by equation, in Typst's formulas that break: for paper, where a row is too wide
    auxiliary: Sequence[str] = ()  # operation by operation, where there is no other form


@dataclass(frozen=True)
class Count:
    """Operations of one method; `source` names who published it, "" is ours."""

    model: str
    method: str
    total: int
    mul: int | None = None  # None where a source tells the sum alone
    add: int | None = None
    trig: int | None = None
    source: str = ""


@dataclass(frozen=True)
class ReportVerdict:
    name: str
    sentence: str
    how: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Story:
    """The whole of a report. A part that is None was left out, by wish or since it cannot be had."""

    name: str
    about: str
    drawing: dict[str, Any]
    module: str = ""  # the robot's JavaScript, all models; paper does without
    picture: str = ""  # SVG, shown until the script runs and where it does not
    tables: Sequence[Table] = ()
    formulas: Sequence[ReportFormula] = ()
    derivation: str = ""  # words with $…$ and \[…\]
    derivation_typst: str = ""
    no_derivation: str = ""
    counts: Sequence[Count] = ()
    verdicts: Sequence[ReportVerdict] = ()
    base: Table | None = None
    no_base: str = ""
    code: Sequence[tuple[str, str]] = ()  # name, text
    hidden: Sequence[str] = ()
    version: str = ""
    remarks: Sequence[str] = field(default=())
