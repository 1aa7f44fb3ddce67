"""A choice among the solutions of a function as source code: one more function beside it, with a status as its value.

    status = NAME(T, [parameter,] q_now, max_step, q)

The same in every language that has it (`WRITERS`); what its documentation says is settled here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from textwrap import wrap
from typing import NamedTuple, Protocol

from manipula.algebra.emit.about import WIDTH, Context, entry, fill_template, with_licence
from manipula.algebra.emit.backend import EmitOptions
from manipula.algebra.emit.ports import ascii_text
from manipula.algebra.emit.reference import SINGLE_TOLERANCE, TOLERANCE
from manipula.algebra.program.tree import Routine

PACKAGE = "manipula.algebra.emit.choice"
WRITERS = {
    "c": "manipula.algebra.emit.c.choice", "cpp": "manipula.algebra.emit.cpp",
    "javascript": "manipula.algebra.emit.javascript.program", "rust": "manipula.algebra.emit.rust.program",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """Of the self-test: the inputs, and the status and joints that are expected, to within a slack."""

    T: Sequence[float]
    parameter: Sequence[float]
    now: Sequence[float]
    status: int
    q: Sequence[float]
    max_step: float = 0.0
    slack: float = 0.0


@dataclass(frozen=True)
class ChoiceSource:
    """What is emitted. `states` are words of each status by its name; `parameter` says what a redundant arm takes.

    `exact`: the largest entry of |FK − T| of a solution, by the arm's size, in double and in single precision.
    """

    name: str
    robot: str
    joints: Sequence[str]
    unit: str
    routines: Sequence[Routine]
    table: Sequence[float]
    single: Sequence[float]  # the same table in single precision
    states: Mapping[str, tuple[int, str]]
    cases: Sequence[Case]
    limits: Sequence[str]
    size: float
    exact: tuple[float, float]
    rotation: float  # what of T is taken for rounding
    parameter: str = ""
    subject: Sequence[tuple[str, str]] = ()  # what the robot is: key, text
    path: Sequence[Case] = ()  # of the self-test: poses one after another, each from the solution before

    @property
    def follow(self) -> str:
        """The name of the function for a table of poses."""
        return f"{self.name.removesuffix('_nearest')}_follow"


class Example(NamedTuple):
    """What a README shows of one language."""

    fence: str
    lines: str
    files: Mapping[str, str]
    command: str


class ChoiceWriter(Protocol):
    """One language."""

    def choice_files(self, source: ChoiceSource, options: EmitOptions, version: str) -> dict[str, str]:
        """File name → text."""
        ...

    def choice_example(self, source: ChoiceSource, options: EmitOptions) -> Example: ...


def with_choice(
    files: Mapping[str, str], source: ChoiceSource, language: str, options: EmitOptions, version: str
) -> dict[str, str]:
    """The files of a function and those of the choice beside it; the README of the function says so."""
    writer: ChoiceWriter = import_module(WRITERS[language])
    example = writer.choice_example(source, options)
    shown = {
        "name": source.name, "example": example, "limits": ascii_text("; ".join(source.limits) or "none"),
        "states": states(source), "parameter": ascii_text(source.parameter), "notes": notes(source),
    }  # fmt: skip
    section = fill_template(PACKAGE, "readme.md.jinja", shown)
    # one README describes both functions: the choice is of no use without the branches
    described = {name: text + section if "README" in name else text for name, text in files.items()}
    return described | with_licence(writer.choice_files(source, options, version))


def states(source: ChoiceSource) -> list[tuple[str, int, str]]:
    """Word, number and meaning of every status."""
    return [(word, number, ascii_text(text)) for word, (number, text) in source.states.items()]


def notes(source: ChoiceSource) -> list[str]:
    """What holds of a solution, a sentence each."""
    double, single = (f"{x:.0e}".replace("e-0", "e-") for x in source.exact)
    return [
        "The rotation of T is replaced by the nearest one, so T may be rounded to three decimals; where that changes "
        f"entries by more than {source.rotation:g} in the mean, T is not a pose.",
        f"Every entry of the pose of q is that of T, so corrected, to {double} of the arm's size ({source.size:.4g} m) "
        f"in double precision and {single} in single.",
        "At a singular pose, such as a straight wrist, q is the member of its family that is nearest to q_now.",
        "max_step guards against another branch: where a joint would have to move further, q is left as it was.",
    ]


def about(source: ChoiceSource, version: str) -> list[str]:
    """Lines for the head of a file."""
    dof, unit = len(source.joints), source.unit
    ports = [
        ("in", "T[4][4] - pose of the tool in the world, lengths in m; only read"),
        *([("in", f"parameter[1] - {source.parameter}")] if source.parameter else []),
        ("in", f"q_now[{dof}] in {unit} - the present joints; may be the memory of q"),
        ("in", f"max_step in {unit} - the longest step of a joint; 0, a negative number or infinity: any"),
        (
            "out",
            f"q[{dof}] in {unit} - inside the limits, every angle on the turn nearest to q_now; untouched where the "
            "status is positive",
        ),
        ("returns", "0 for success, else the reason; see the states"),
    ]
    lines = [
        f"Generated by manipula {version}; do not edit.", *entry("robot", source.robot),
        *(line for key, text in source.subject for line in entry(key, text)),
        *entry("joints", ", ".join(source.joints)), *entry("limits", "; ".join(source.limits) or "none"), "",
    ]  # fmt: skip
    lines += [line for word, text in ports for line in entry(word, text)]
    # indented by the comment's own frame of four signs
    lines += ["", *(line for note in notes(source) for line in wrap(note, WIDTH - 4))]
    return [ascii_text(line) for line in lines]


def context(source: ChoiceSource, version: str) -> Context:
    """What every template shows."""
    return {
        "name": source.name, "version": version, "about": about(source, version), "dof": len(source.joints),
        "unit": ascii_text(source.unit), "parameter": ascii_text(source.parameter), "states": states(source),
        "size": len(source.table), "cases": source.cases, "path": source.path, "follow": source.follow,
        "tolerance": repr(TOLERANCE),
        "single_tolerance": repr(SINGLE_TOLERANCE), "row": row, "rows": rows, "entry": source.routines[-1].name,
    }  # fmt: skip


def row(values: Sequence[float]) -> str:
    return ", ".join(map(repr, values))


def rows(pose: Sequence[float], opening: str = "{", closing: str = "}") -> str:
    """Four rows of a pose in brackets."""
    return ", ".join(f"{opening}{row(pose[i : i + 4])}{closing}" for i in range(0, 16, 4))
