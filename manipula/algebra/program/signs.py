"""Which whole numbers of a routine are never negative.

Python rounds a quotient down, machines towards zero: they agree where neither number is negative, and a writer may
then use the machine's own division.
"""

from __future__ import annotations

from collections.abc import Iterator

from manipula.algebra.program.tree import Const, Expr, For, ProgramOp, Routine, Set, Var, parts

KEPT = ("add", "mul", "idiv", "mod", "bit_and", "bit_or", "bit_xor", "shr", "min", "max")


class Signs:
    """Variables are taken for never negative until an assignment says otherwise."""

    def __init__(self, routine: Routine) -> None:
        self._never = {name for name, kind in routine.scalars.items() if kind == "int"}
        assignments = list(_assignments(routine))
        before = -1
        while before != len(self._never):
            before = len(self._never)
            self._never -= {name for name, value in assignments if not self(value)}

    def __call__(self, x: Expr) -> bool:
        match x:
            case Const(_, value):
                return value >= 0
            case Var("int", name):
                return name in self._never
            case ProgramOp("int", "choose" | "select", (_, yes, no)):
                return self(yes) and self(no)
            case ProgramOp("int", "quotient" | "remainder", _):
                return True
            case ProgramOp("int", "abs" | "to_int", (inner,)):
                return inner.kind in ("int", "flag")
            case ProgramOp("int", "bit_and", (a, b)):
                return self(a) or self(b)
            case ProgramOp("int", name, args) if name in KEPT:
                return all(map(self, args))
        return x.kind in ("word", "flag")

    def plain(self, x: ProgramOp) -> bool:
        """Is this quotient or remainder what the machine makes of it?"""
        return all(map(self, x.args))


def _assignments(routine: Routine) -> Iterator[tuple[str, Expr]]:
    for part in parts(routine.body):
        match part:
            case Set(Var("int", name), value, _):
                yield name, value
            case For(name, start, stop, step, _, _):
                yield name, start
                if step < 0:  # the last value stands above the end, which may be -1
                    yield name, Const("int", stop.value + 1) if isinstance(stop, Const) else stop
