"""Laned texts: those that do the same for any data, so that many can run side by side.

Real and complex numbers differ from lane to lane, whole numbers and words are common to all. So nothing but `select`,
`min`, `max` and `abs` chooses by data: loops have counts and jumps have conditions of whole numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manipula.algebra.program.tree import (
    CallTape,
    Expr,
    If,
    Leave,
    ProgramOp,
    Routine,
    RoutineCall,
    Set,
    Stmt,
    Var,
    While,
    parts,
)  # fmt: skip
from manipula.errors import InputError

COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


class Varying:
    """Which conditions of a routine may differ from lane to lane."""

    def __init__(self, routine: Routine) -> None:
        self._names = {name for name, kind in routine.parameters.items() if kind == "flag"}
        assigned = [x for x in parts(routine.body) if isinstance(x, Set) and x.target.kind == "flag"]
        before = -1
        while before != len(self._names):
            before = len(self._names)
            self._names |= {x.target.name for x in assigned if isinstance(x.target, Var) and self(x.value)}

    def __call__(self, x: Expr) -> bool:
        match x:
            case Var("flag", name):
                return name in self._names
            case ProgramOp("flag", name, (first, *_)) if name in COMPARE and first.kind != "flag":
                return first.kind == "real"
            case ProgramOp("flag", _, args):
                return any(map(self, args))
            case RoutineCall("flag", _, _):
                return True
        return False


def check_laned(routines: Sequence[Routine]) -> None:
    """Refuse a program that is not laned, with file and line."""
    for routine in routines:
        varying = Varying(routine)
        for line, why in _objections(routine.body, varying):
            raise InputError("{file}:{line}: {routine} is not laned: {why}", routine.file, line, routine.name, why)


def _objections(body: Sequence[Stmt], varying: Varying) -> Iterator[tuple[int, str]]:
    for statement in body:
        match statement:
            case While():
                yield statement.line, "`while` runs as long as the data want; a loop has a count: for … in range(…)"
            case Leave(how):
                yield statement.line, f"`{how}` leaves a loop early, in some lanes and not in others"
            case If(condition, _, _) if varying(condition):
                yield statement.line, "an `if` by data; `select` computes both values and takes one"
        for why in _expressions(statement, varying):
            yield statement.line, why
        for name in ("body", "yes", "no"):
            yield from _objections(getattr(statement, name, ()), varying)


def _expressions(statement: Stmt, varying: Varying) -> Iterator[str]:
    own = [getattr(statement, name, None) for name in ("target", "value", "condition", "start", "stop", "call")]
    for x in (part for expression in own for part in parts(expression)):
        match x:
            case ProgramOp(_, "choose", (test, *_)) if varying(test):
                yield "`a if c else b` by data; `select(c, a, b)` computes both and takes one"
            case ProgramOp("int" | "word", "select", (test, *_)) if varying(test):
                yield "a whole number chosen by data would differ from lane to lane"
            case ProgramOp("int" | "word", "to_int" | "to_word", (inner,)) if inner.kind == "real" or varying(inner):
                yield "a whole number made of data would differ from lane to lane"
            case CallTape(_, _, "prepare", _):
                yield "`prepare` belongs before the lanes: hand them what is prepared"
