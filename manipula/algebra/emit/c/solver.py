"""A solver with loops as a C99 package: tables of numbers, routines that work on them, a self-test, a README.

The entry routine takes the tables, then 16 numbers, and fills rows of answers: see `solver.c.jinja`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manipula.algebra.emit.about import with_licence
from manipula.algebra.emit.c import comment_lines
from manipula.algebra.emit.c.program import program_text, stack_bytes, table_text
from manipula.algebra.emit.c.spelling import RESERVED
from manipula.algebra.emit.names import Namer, ascii_text
from manipula.algebra.emit.templates import filled
from manipula.algebra.program.tree import Routine

PACKAGE = "manipula.algebra.emit.c"


@dataclass(frozen=True)
class SolverSource:
    """What is emitted. `tables` are the entry's first arguments, in order; `cases` poses with all their answers."""

    name: str
    about: Sequence[str]
    meaning: str
    joints: Sequence[str]
    routines: Sequence[Routine]
    tables: Mapping[str, Sequence[float] | Sequence[int]]
    cases: Sequence[tuple[Sequence[float], Sequence[Sequence[float]]]]
    most: int
    bound: int
    readings: int
    exact: float


def solver_files(source: SolverSource, version: str) -> dict[str, str]:
    """File name → text."""
    shown = _context(source, version)
    name = shown["name"]
    files = {
        f"{name}.h": filled(PACKAGE, "solver.h.jinja", shown),
        f"{name}.c": filled(PACKAGE, "solver.c.jinja", shown),
        f"{name}_test.c": filled(PACKAGE, "solver_test.c.jinja", shown),
        "CMakeLists.txt": filled(PACKAGE, "CMakeLists.txt.jinja", shown),
        f"{name}.pc.in": filled(PACKAGE, "package.pc.in.jinja", shown),
        f"README_{name}_c.md": filled(PACKAGE, "solver_readme.md.jinja", shown),
    }
    return with_licence(files)


def _context(source: SolverSource, version: str) -> dict[str, Any]:
    name = Namer(RESERVED).name(source.name)
    about = comment_lines(map(ascii_text, source.about))
    return {
        "name": name, "guard": f"{name.upper()}_H", "version": version, "about": about, "description": about[0],
        "meaning": ascii_text(source.meaning), "joints": ascii_text(", ".join(source.joints)),
        "width": len(source.joints), "most": source.most, "bound": source.bound, "readings": source.readings,
        "exact": repr(source.exact), "entry": source.routines[-1].name, "table_names": list(source.tables),
        "tables": [_table(*item) for item in source.tables.items()], "routines": program_text(source.routines),
        "stack": -(-stack_bytes(source.routines) // 1024), "poses": [_rows(pose) for pose, _ in source.cases],
        "counts": [len(rows) for _, rows in source.cases],
        "solutions": [_row(row) for _, rows in source.cases for row in rows],
    }  # fmt: skip


def _table(name: str, values: Sequence[float] | Sequence[int]) -> str:
    return table_text(name, values, "int" if all(isinstance(x, int) for x in values) else "double")


def _rows(pose: Sequence[float]) -> list[str]:
    """The rows of a pose, each in braces."""
    return [f"{{{_row(pose[i : i + 4])}}}" for i in range(0, 16, 4)]


def _row(values: Sequence[float]) -> str:
    return ", ".join(map(repr, values))
