"""What a text is once it is read: statements and expressions whose kinds are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from manipula.algebra.tape import Tape

# none, flag, int, word, real, complex, the arrays of them, and a struct as "struct NAME"
Kind = str
ARRAYS: dict[Kind, Kind] = {"ints": "int", "words": "word", "reals": "real", "complexes": "complex"}
WIDTH: tuple[Kind, ...] = ("none", "flag", "int", "word", "real", "complex")  # narrow to wide
STRUCT = "struct "


@dataclass(frozen=True)
class Const:
    kind: Kind
    value: float | int | bool


@dataclass(frozen=True)
class Var:
    kind: Kind
    name: str


@dataclass(frozen=True)
class ConstantTable:
    """An array of constants, by its name among the routine's `tables`."""

    kind: Kind
    name: str


@dataclass(frozen=True)
class Field:
    """struct.name: a number, or an array"""

    kind: Kind
    struct: Var
    name: str


@dataclass(frozen=True)
class ArrayItem:
    """array[index]"""

    kind: Kind
    array: Expr
    index: Expr


@dataclass(frozen=True)
class ProgramOp:
    """An operation on values, `from` (the array from an entry on) among them."""

    kind: Kind
    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class RoutineCall:
    """Of another routine."""

    kind: Kind
    routine: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class CallTape:
    """Of a proved straight line, by its name among the routine's `tapes`.

    `main` takes the variables' arrays, what was prepared (if anything is), and the outputs' arrays; `prepare` takes the
    parameters and the array of what it prepares, and returns the number of the condition they break, or 0.
    """

    kind: Kind
    tape: str
    half: Literal["main", "prepare"]
    args: tuple[Expr, ...]


Expr = Const | Var | ConstantTable | Field | ArrayItem | ProgramOp | RoutineCall | CallTape
Place = Var | Field | ArrayItem


@dataclass(frozen=True)
class Set:
    target: Place
    value: Expr
    line: int = 0


@dataclass(frozen=True)
class For:
    name: str
    start: Expr
    stop: Expr
    step: int
    body: tuple[Stmt, ...]
    line: int = 0


@dataclass(frozen=True)
class While:
    condition: Expr
    body: tuple[Stmt, ...]
    line: int = 0


@dataclass(frozen=True)
class If:
    condition: Expr
    yes: tuple[Stmt, ...]
    no: tuple[Stmt, ...]
    line: int = 0


@dataclass(frozen=True)
class Leave:
    """break, continue"""

    how: Literal["break", "continue"]
    line: int = 0


@dataclass(frozen=True)
class Return:
    value: Expr | None
    line: int = 0


@dataclass(frozen=True)
class Do:
    call: Expr
    line: int = 0


Stmt = Set | For | While | If | Leave | Return | Do


@dataclass(frozen=True)
class Member:
    """Of a struct: a number (size 1, no array), an array of its own (size), or the place of one elsewhere (size 0)."""

    name: str
    kind: Kind
    size: int


@dataclass(frozen=True)
class Struct:
    name: str
    members: tuple[Member, ...]

    def member(self, name: str) -> Member | None:
        return next((x for x in self.members if x.name == name), None)


@dataclass
class Routine:
    """One text, for one choice of kinds. `written` names the arrays and structs it changes, `file` where it stands."""

    name: str
    doc: str
    parameters: dict[str, Kind]
    returns: Kind
    scalars: dict[str, Kind] = field(default_factory=dict)
    arrays: dict[str, tuple[Kind, int]] = field(default_factory=dict)
    body: tuple[Stmt, ...] = ()
    written: set[str] = field(default_factory=set)
    structs: dict[str, Struct] = field(default_factory=dict)
    tables: dict[str, tuple[Kind, tuple[float, ...]]] = field(default_factory=dict)
    tapes: dict[str, Tape] = field(default_factory=dict)
    file: str = ""


def parts(node: object) -> Iterator[Expr | Stmt]:
    """Every expression and statement below a node, itself among them."""
    if isinstance(node, tuple):
        for part in node:
            yield from parts(part)
    elif isinstance(node, Expr | Stmt):
        yield node
        for name in node.__dataclass_fields__:
            yield from parts(getattr(node, name))


def loop_names(body: tuple[Stmt, ...]) -> set[str]:
    return {x.name for x in parts(body) if isinstance(x, For)}


# Which whole numbers of a routine are never negative.
#
# Python rounds a quotient down, machines towards zero: they agree where neither number is negative, and a writer may
# then use the machine's own division.

KEPT = ("add", "mul", "idiv", "mod", "bit_and", "bit_or", "bit_xor", "shr", "min", "max")


class Signs:
    """Variables are taken for never negative until an assignment says otherwise."""

    def __init__(self, routine: Routine) -> None:
        self._never = {name for name, kind in routine.scalars.items() if kind == "int"}
        assignments = list(_assignments(routine))
        before = -1
        while before != len(self._never):
            before = len(self._never)
            # repeated, because what is taken away may take others along; it only shrinks, so it ends
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
            # the sign bit survives only where both have it
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
