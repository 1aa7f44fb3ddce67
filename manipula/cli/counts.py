"""`count`: the table of operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from manipula import api
from manipula.cli import options, places
from manipula.cli.screen import guarded, progress, say_json, say_table
from manipula.errors import InputError

_COLUMNS = ("model", "method", "×", "+", "total", "sin/cos", "once", "substituted")
_CAPTION = (
    "total: with auxiliary equations, for each new q; once: of the parameters alone; "
    "substituted: without auxiliary equations. Each row was proved before it was counted."
)


@guarded
def count(
    robot: options.RobotName,
    models: options.Models = "",
    ways: Annotated[bool, typer.Option("--ways", help="The five ways to the pose.")] = False,
    orders: Annotated[bool, typer.Option("--orders", help="Every order of the matrix product of the pose.")] = False,
    symbolic: options.Symbolic = "auto",
    optimise: options.Optimise = "none",
    strict: options.Strict = False,
    as_json: options.Json = False,
) -> None:
    """Count operations, model by model and method by method.

    \b
    Examples:
      manipula count puma560 --symbolic all
      manipula count puma560_symbolic --ways
      manipula count my_arm --orders
      manipula count my_arm -m inverse_dynamics,inertia_matrix --optimise max
    """
    if ways + orders + bool(models) > 1:
        raise InputError("choose one of --models, --ways and --orders")
    subject = places.find(robot, strict=strict)
    chosen: dict[str, Any] = {"symbolic": options.symbolic_from_text(symbolic)}
    with progress(f"counting {subject.name}") as tell:
        if orders:
            rows = api.count_orders(subject, **chosen, tell=tell)
        else:
            names = ["pose"] if ways else options.split_names(models) or None
            rows = api.count(subject, names, **chosen, optimise=optimise, tell=tell)
    if as_json:
        say_json(
            {"robot": subject.name, "symbolic": symbolic, "optimise": optimise, "rows": [r.as_dict() for r in rows]}
        )
        return
    say_counts(f"Operations of {subject.name}", rows)


def say_counts(title: str, rows: Sequence[Any]) -> None:
    """The rows of the operation table, aligned."""
    say_table(title, _COLUMNS, [_cells(row) for row in rows], right=range(2, len(_COLUMNS)), caption=_CAPTION)


def _cells(row: Any) -> tuple[str, ...]:
    numbers = (row.mul, row.add, row.total, row.trig, row.offline, row.substituted)
    return (row.model, row.method, *map(short, numbers))


def short(number: int) -> str:
    """Full substitution can have more operations than anyone will read."""
    return str(number) if number < 10**9 else f"{number:.1e}"
