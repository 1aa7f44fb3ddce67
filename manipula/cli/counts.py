"""`count`: the table of operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from manipula import api
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import guarded, progress, say, say_json, say_prose, say_table
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError
from manipula.messages import Message, joined

_COLUMNS = ("model", "method", "×", "+", "total", "sin/cos", "once", "substituted")
_CAPTION = Message(
    "total: with auxiliary equations, for each new q; once: of the parameters alone; substituted: "
    "without auxiliary equations. Each row was proved before it was counted."
)
_STEPS = ("model", "method", "plain", "formulated", "passes", "search", "published")
_STEP_CAPTION = Message(
    "plain: as the file has it; formulated: frames on the joints, base parameters, parallel axes together; passes: "
    "the quick rewriting of the cheaper of both (--optimise fast)"
)
_SEARCH_CAPTION = Message("; search: the best result known (--optimise max), beside the method it came by")


@guarded
@about_a_robot
def count(
    robot: options.RobotName,
    models: options.Models = "",
    ways: Annotated[bool, typer.Option("--ways", help="The five ways to the pose.")] = False,
    orders: Annotated[bool, typer.Option("--orders", help="Every order of the matrix product of the pose.")] = False,
    symbolic: options.Symbolic = "auto",
    optimise: options.Optimise = "none",
    parameters: options.Parameters = "base",
    wishes: Wishes = NOTHING,
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
    subject = places.find(robot, wishes)
    chosen: dict[str, Any] = {"symbolic": options.symbolic_from_text(symbolic)}
    steps: list[Any] = []
    with progress(f"counting {subject.name}") as tell:
        if orders:
            rows = api.count_orders(subject, **chosen, tell=tell)
        else:
            names = ["pose"] if ways else options.single_models(models, "count") or None
            chosen["parameters"] = parameters
            rows = api.count(subject, names, **chosen, optimise=optimise, tell=tell)
            steps = api.count_steps(subject, names, **chosen, tell=tell)
    if as_json:
        asked = {"robot": subject.name, "symbolic": symbolic, "optimise": optimise, "parameters": parameters}
        say_json(asked | {"rows": [row.as_dict() for row in rows], "steps": [step.as_dict() for step in steps]})
        return
    say_counts(Message("Operations of {robot}", subject.name), rows)
    if steps:
        say()
        _say_steps(Message("What each step saves: {robot}", subject.name), steps)


def _say_steps(title: str, steps: Sequence[Any]) -> None:
    """Totals on the way down, figures of others beside them, their sources below."""
    sources = list(dict.fromkeys(x.source for step in steps for x in step.published))
    rows = [_step_cells(step, sources) for step in steps]
    sought = any(step.known is not None for step in steps)
    kept = [0, 1, 2, 3, 4, *([5] if sought else []), *([6] if sources else [])]
    caption = joined("", (_STEP_CAPTION, _SEARCH_CAPTION if sought else "", "."))
    columns, cells = [_STEPS[i] for i in kept], [[row[i] for i in kept] for row in rows]
    say_table(title, columns, cells, right=range(2, len(kept)), caption=caption)
    for number, source in enumerate(sources, 1):
        say_prose(Message("[{number}] {source}", number, source), "dim")


def _step_cells(step: Any, sources: Sequence[str]) -> tuple[str, ...]:
    others = ", ".join(f"{x.total} [{sources.index(x.source) + 1}]" for x in step.published)
    known = "–" if step.known is None else str(step.known)
    return (step.model, step.method, *map(str, (step.plain, step.usual, step.passes)), known, others or "–")


def say_counts(title: str, rows: Sequence[Any]) -> None:
    """The rows of the operation table, aligned."""
    say_table(title, _COLUMNS, [_cells(row) for row in rows], right=range(2, len(_COLUMNS)), caption=_CAPTION)


def _cells(row: Any) -> tuple[str, ...]:
    numbers = (row.mul, row.add, row.total, row.trig, row.offline, row.substituted)
    return (row.model, row.method, *map(short, numbers))


def short(number: int) -> str:
    """Full substitution can have more operations than anyone will read."""
    return str(number) if number < 10**9 else f"{number:.1e}"
