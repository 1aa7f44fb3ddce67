"""`count`, `check` and `base-parameters`: the table of operations, the laws and cross-checks, the base parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import typer
from rich.text import Text

from manipula import api
from manipula.cli.terminal import language, options
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.options import Wishes
from manipula.cli.terminal.screen import CHECK_FAILED, progress, say, say_hanging, say_json, say_prose, say_table
from manipula.errors import InputError
from manipula.messages import Message, join_messages

# `count`: the table of operations.

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


@command(asked=Options(api.count, "symbolic optimise parameters"))
def count(
    robot: str, *, models: str = "", ways: bool = False, orders: bool = False, asked: Chosen, wishes: Wishes,
    as_json: bool = False,
) -> None:  # fmt: skip
    """Count operations, model by model and method by method.

    \b
    Examples:
      manipula count puma560 --symbolic all
      manipula count puma560_symbolic --ways
      manipula count my_arm --orders
      manipula count my_arm -m inverse_dynamics,inertia_matrix --optimise max

    Args:
        ways: The five ways to the pose.
        orders: Every order of the matrix product of the pose.
    """
    if ways + orders + bool(models) > 1:
        raise InputError("choose one of --models, --ways and --orders")
    subject = options.find(robot, wishes)
    chosen, steps = options.read_symbolic(asked), list[Any]()
    with progress(f"counting {subject.name}") as tell:
        if orders:
            rows = api.count_orders(subject, symbolic=chosen["symbolic"], tell=tell)
        else:
            names = ["pose"] if ways else options.single_models(models, "count") or None
            rows = api.count(subject, names, **chosen, tell=tell)
            steps = api.count_steps(
                subject, names, symbolic=chosen["symbolic"], parameters=asked["parameters"], tell=tell
            )
    if as_json:
        found = {"rows": [row.as_dict() for row in rows], "steps": [step.as_dict() for step in steps]}
        say_json({"robot": subject.name, **asked, **found})
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
    caption = join_messages("", (_STEP_CAPTION, _SEARCH_CAPTION if sought else "", "."))
    columns, cells = [_STEPS[i] for i in kept], [[row[i] for i in kept] for row in rows]
    say_table(title, columns, cells, right=range(2, len(kept)), caption=caption)
    for number, source in enumerate(sources, 1):
        say_prose(Message("[{number}] {source}", number, source), "dim")


def _step_cells(step: Any, sources: Sequence[str]) -> tuple[str, ...]:
    others = ", ".join(f"{x.total} [{sources.index(x.source) + 1}]" for x in step.published)
    known = "–" if step.known is None else str(step.known)
    return (step.model, step.method, *map(str, (step.plain, step.usual, step.passes)), known, others or "–")


def say_counts(title: str, rows: Sequence[object]) -> None:
    """The rows of the operation table, aligned."""
    say_table(title, _COLUMNS, [_cells(row) for row in rows], right=range(2, len(_COLUMNS)), caption=_CAPTION)


def _cells(row: Any) -> tuple[str, ...]:
    numbers = (row.mul, row.add, row.total, row.trig, row.offline, row.substituted)
    return (row.model, row.method, *map(short, numbers))


def short(number: int) -> str:
    """Full substitution can have more operations than anyone will read."""
    return str(number) if number < 10**9 else f"{number:.1e}"


# `check`: the laws and cross-checks of a robot, in words.

_WORDS = {"proved": ("PROVED", "bold green"), "measured": ("OK", "green"), "noted": ("NOTE", "yellow")}


@command()
def check(robot: str, *, wishes: Wishes, as_json: bool = False) -> None:
    """Check a robot: physical laws, and every way to the same torques against the others.

    PROVED is a theorem, by exact identity testing; OK was measured with numbers; FAILED comes with its reason.

    \b
    Examples:
      manipula check my_arm
      manipula check robot.urdf --strict
    """
    subject = options.find(robot, wishes)
    with progress(f"checking {subject.name}") as tell:
        report = api.check(subject, tell=tell)
    if as_json:
        say_json(report.as_dict())
    else:
        width = max(len(verdict.name) for verdict in report.verdicts)
        for verdict in report.verdicts:
            say_hanging(*_line(verdict, width))
        say()
        say_prose(_summary(subject.name, report.verdicts), "bold green" if report.passed else "bold red")
    if not report.passed:
        raise typer.Exit(CHECK_FAILED)


def _line(verdict: Any, width: int) -> tuple[Text, ...]:
    """Word and name, the sentence, the detail."""
    word, style = _WORDS[verdict.how] if verdict.passed else ("FAILED", "bold red")
    head = Text(f"{word:<7} ", style=style).append(f"{verdict.name:<{width}}  ", style="not bold default")
    detail = f"  ({language.translate(verdict.detail)})" if verdict.detail else ""
    sentence = Text(language.translate(verdict.sentence), style="not bold default")
    return head, sentence, Text(detail, style="not bold dim default")


def _summary(name: str, verdicts: Sequence[Any]) -> str:
    failed = [verdict.name for verdict in verdicts if not verdict.passed]
    if failed:
        return Message("{name} fails {count} of {count2} checks: {failed}.",
                       name, len(failed), len(verdicts), ", ".join(failed))  # fmt: skip
    many = Counter(verdict.how for verdict in verdicts)
    parts = [Message("{many} {how}", many[how], how) for how in _WORDS if many[how]]
    left_out = [verdict.name for verdict in verdicts if not verdict.checked]
    if left_out:
        done = len(verdicts) - len(left_out)
        return Message("{robot} passes the {count} checks that apply to it ({how}); not checked: {names}.",
                       name, done, join_messages(", ", parts), ", ".join(left_out))  # fmt: skip
    return Message("{robot} passes all {count} checks ({how}): its models can be relied on.",
                   name, len(verdicts), join_messages(", ", parts))  # fmt: skip


# `base-parameters`: which combinations of the links' inertia are identifiable from torques.

_CLASSES = {
    "not identifiable": Message("no torque depends on them"),
    "alone": Message("each separately"),
    "in combinations": Message("only as parts of base parameters"),
}


@command(asked=Options(api.base_parameters, "symbolic"))
def base_parameters(
    robot: str, *, classes: bool = False, latex: bool = False, verify: bool = False, asked: Chosen, wishes: Wishes,
    as_json: bool = False,
) -> None:  # fmt: skip
    """List the base parameters: the combinations of inertial parameters identifiable from torques.

    \b
    Examples:
      manipula base-parameters planar2r
      manipula base-parameters puma560 --classes
      manipula base-parameters puma560_symbolic --latex
      manipula base-parameters my_arm --check

    Args:
        classes: The three classes of standard parameters alone.
        latex: The combinations as a LaTeX display.
        verify (--check): Count them by numerical rank and by superposition as well.
    """
    if latex + classes + as_json > 1:
        raise InputError("choose one of --latex, --classes and --json")
    subject = options.find(robot, wishes)
    with progress(f"base parameters of {subject.name}"):
        found = api.base_parameters(subject, **options.read_symbolic(asked))
        verdict = api.check_base_parameters(subject) if verify else None
    if as_json:
        say_json(found.as_dict() | ({"agreement": verdict.as_dict(), "passed": verdict.passed} if verdict else {}))
    elif latex:
        typer.echo(found.latex())
    else:
        _print_base_parameters(found, classes)
    if verdict is not None:
        if not as_json:
            say_prose(str(verdict), "bold green" if verdict.passed else "bold red")
        if not verdict.passed:
            raise typer.Exit(CHECK_FAILED)


def _print_base_parameters(found: Any, classes: bool) -> None:
    title = Message("{count} base parameters of {robot}, out of {standard} standard ones",
                    len(found), found.robot, found.standard)  # fmt: skip
    if not classes:
        say_table(title, ("name", "value", "combination"), found.rows(), right=(1,), prose="wrap")
    meant = Message("Lxx … m of a body are about the origin of its own frame; K are second moments ∫xy dm.")
    say_prose(meant if not classes else title)
    for name, meaning in _CLASSES.items():
        listed = found.of_class(name)
        count, every = len(listed), ", ".join(listed) or Message("none")
        say_prose(Message("{name} ({count}, {meaning}): {listed}", Message(name), count, meaning, every))
    say_prose(found.proof, "dim")
