"""What a text is once it is read: statements and expressions whose kinds are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["none", "flag", "int", "real", "complex", "ints", "reals", "complexes"]
ARRAYS: dict[Kind, Kind] = {"ints": "int", "reals": "real", "complexes": "complex"}
ARRAY_OF: dict[Kind, Kind] = {entry: array for array, entry in ARRAYS.items()}
WIDTH: tuple[Kind, ...] = ("none", "flag", "int", "real", "complex")  # narrow to wide


@dataclass(frozen=True)
class Const:
    kind: Kind
    value: float | int | bool


@dataclass(frozen=True)
class Var:
    kind: Kind
    name: str


@dataclass(frozen=True)
class Item:
    """array[index]"""

    kind: Kind
    array: Expr
    index: Expr


@dataclass(frozen=True)
class Op:
    """An operation on values, `from` (the array from an entry on) among them."""

    kind: Kind
    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class Call:
    """Of another routine."""

    kind: Kind
    routine: str
    args: tuple[Expr, ...]


Expr = Const | Var | Item | Op | Call


@dataclass(frozen=True)
class Set:
    target: Var | Item
    value: Expr


@dataclass(frozen=True)
class For:
    name: str
    start: Expr
    stop: Expr
    step: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class While:
    condition: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class If:
    condition: Expr
    yes: tuple[Stmt, ...]
    no: tuple[Stmt, ...]


@dataclass(frozen=True)
class Leave:
    """break, continue"""

    how: Literal["break", "continue"]


@dataclass(frozen=True)
class Return:
    value: Expr | None


@dataclass(frozen=True)
class Do:
    call: Expr


Stmt = Set | For | While | If | Leave | Return | Do


@dataclass
class Routine:
    """One text, for one choice of kinds. `written` names the arrays it changes."""

    name: str
    doc: str
    parameters: dict[str, Kind]
    returns: Kind
    scalars: dict[str, Kind] = field(default_factory=dict)
    arrays: dict[str, tuple[Kind, int]] = field(default_factory=dict)
    body: tuple[Stmt, ...] = ()
    written: set[str] = field(default_factory=set)
