"""One order of computation: from left to right, as Python has it, in languages that leave it open as well.

Where a call changes arrays and its neighbours in the same expression read them, or change them too, they are held in
variables of their own first, in order. A chosen value and what `and`, `or` may skip cannot be held: they are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from manipula.algebra.program.tree import (
    ARRAYS,
    STRUCT,
    ArrayItem,
    CallTape,
    Expr,
    Field,
    Kind,
    ProgramOp,
    RoutineCall,
    Set,
    Stmt,
    Var,
    parts,
)
from manipula.errors import InputError

TWICE = ("min", "max", "abs")  # some languages have to write their arguments twice


class Order:
    """`changed` lists the arguments that a call changes, `temporary` names a new variable."""

    def __init__(
        self,
        changed: Callable[[RoutineCall], list[Expr]],
        temporary: Callable[[str, Kind], str],
        refuse: Callable[[], InputError],
    ) -> None:
        self.changed, self.temporary, self.refuse = changed, temporary, refuse
        self.before: list[Stmt] = []

    def __call__(self, x: Expr, skipped: bool = False) -> Expr:
        """The expression in which the order is fixed, after the statements `before`."""
        if not self.acts(x):
            return x
        match x:
            case ProgramOp(_, "choose" | "and" | "or", (first, *rest)):
                return replace(x, args=(self(first, skipped), *(self(arg, True) for arg in rest)))
            case ProgramOp(_, _, args) | RoutineCall(_, _, args) | CallTape(_, _, _, args):
                return replace(x, args=self.ordered(x, args, skipped))
            case ArrayItem(_, array, index):
                array, index = self.ordered(x, (array, index), skipped)
                return replace(x, array=array, index=index)
        return x

    def ordered(self, x: Expr, args: tuple[Expr, ...], skipped: bool) -> tuple[Expr, ...]:
        acting = [i for i, arg in enumerate(args) if self.acts(arg)]
        if not acting:
            return args
        alone = len(acting) == 1 and not any(_looks(arg) for i, arg in enumerate(args) if i != acting[0])
        twice = isinstance(x, ProgramOp) and (x.name == "select" or x.name in TWICE)
        if alone and not twice:
            return tuple(self(arg, skipped) for arg in args)
        if skipped:
            raise self.refuse()
        return tuple(
            self.evaluated_first(arg) if i <= acting[-1] and _looks(arg) else arg for i, arg in enumerate(args)
        )

    def evaluated_first(self, x: Expr) -> Expr:
        if x.kind in ARRAYS or STRUCT in x.kind:
            return self(x)
        value = self(x)
        var = Var(x.kind, self.temporary("held", x.kind))
        self.before.append(Set(var, value))
        return var

    def acts(self, x: Expr) -> bool:
        """Does computing it change an array?"""
        return any(isinstance(p, CallTape) or (isinstance(p, RoutineCall) and self.changed(p)) for p in parts(x))


def _looks(x: Expr) -> bool:
    """Does its value depend on arrays?"""
    found = (part for part in parts(x) if isinstance(part, ArrayItem | Field | RoutineCall | CallTape))
    return any(part.kind not in ARRAYS for part in found)
