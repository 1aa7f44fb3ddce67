"""Arguments and prototypes in C: where an entry stands, how an array is declared, what a header promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.memory import Memory
from manipula.algebra.emit.sections import element
from manipula.algebra.emit.split import Argument, Split


def place(argument: Argument, position: int) -> str:
    """tau[2], A[1][0], *energy"""
    return element(argument, position) if argument.port.shape else f"*{argument.name}"


def sources(arguments: Iterable[Argument]) -> dict[int, str]:
    """Input slot → the array entry it is read from."""
    return {slot: place(x, i) for x in arguments for i, slot in enumerate(x.port.slots)}


def results(arguments: Iterable[Argument]) -> list[tuple[str, int]]:
    return [(place(x, i), slot) for x in arguments for i, slot in enumerate(x.port.slots)]


def declared(argument: Argument, const: bool = True, real: str = "double") -> str:
    """const double q[6], double A[6][6], double *energy

    A matrix is never const: until C23 a matrix that is not could not be handed over for one that is.
    """
    size = "".join(f"[{n}]" for n in argument.port.shape)
    text = f"{real} {argument.name}{size}" if size else f"{real} *{argument.name}"
    return f"const {text}" if const and len(argument.port.shape) < 2 else text


def prototype(name: str, parts: Sequence[str], result: str = "void") -> str:
    """void name(…), one line if it fits."""
    line = f"{result} {name}({', '.join(parts) or 'void'})"
    return line if len(line) <= WIDTH else f"{result} {name}(\n    " + ",\n    ".join(parts) + ")"


def prototypes(name: str, arguments: Split, real: str, restrict: str = "", storage: str = "") -> dict[str, str]:
    """Of the function, of what prepares it, and of the function over many states."""
    size = len(arguments.kept)
    kept = [f"const {real} k[{size}]"] if size else []
    one = [declared(x, real=real) for x in arguments.variables] + kept
    many = [f"const {real} *{restrict}{x.name}" for x in arguments.variables] + kept
    given = [declared(x, real=real) for x in arguments.parameters]
    taken = [declared(x, const=False, real=real) for x in arguments.outputs]
    return {
        "prepare": prototype(f"{name}_prepare", [*given, f"{real} k[{size}]"], f"{storage}int"),
        "one": prototype(name, one + taken, f"{storage}void"),
        "many": prototype(
            f"{name}_batch",
            ["size_t n", *many, *(f"{real} *{restrict}{x.name}" for x in arguments.outputs)],
            f"{storage}void",
        ),
    }


def stepping(name: str, shown: Mapping[str, Any], real: str, storage: str = "") -> dict[str, str]:
    """Prototypes of what remembers."""
    memory: Memory | None = shown["memory"]
    if memory is None:
        return {}
    own = f"{name}_state *{memory.pointer}"
    start = [*(x for x, _ in memory.states), *shown["parameters"]]
    given = [declared(x, real=real) for x in memory.variables]
    taken = [declared(x, const=False, real=real) for x in memory.outputs]
    return {
        "init": prototype(f"{name}_init", [own, *(declared(x, real=real) for x in start)], f"{storage}int"),
        "step": prototype(f"{name}_step", [own, *given, *taken], f"{storage}void"),
    }
