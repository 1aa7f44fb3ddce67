"""`check`: the laws and cross-checks of a robot, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import typer
from rich.text import Text

from manipula import api
from manipula.cli.terminal import options, places, tongue
from manipula.cli.terminal.screen import CHECK_FAILED, guarded, progress, say, say_hanging, say_json, say_prose
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.messages import Message, joined

_WORDS = {"proved": ("PROVED", "bold green"), "measured": ("OK", "green"), "noted": ("NOTE", "yellow")}


@guarded
@about_a_robot
def check(
    robot: options.RobotName,
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Check a robot: physical laws, and every way to the same torques against the others.

    PROVED is a theorem, by exact identity testing; OK was measured with numbers; FAILED comes with its reason.

    \b
    Examples:
      manipula check my_arm
      manipula check robot.urdf --strict
    """
    subject = places.find(robot, wishes)
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
    detail = f"  ({verdict.detail})" if verdict.detail else ""
    return (
        head,
        Text(tongue.told(verdict.sentence), style="not bold default"),
        Text(detail, style="not bold dim default"),
    )


def _summary(name: str, verdicts: Sequence[Any]) -> str:
    failed = [verdict.name for verdict in verdicts if not verdict.passed]
    if failed:
        return Message(
            "{name} fails {count} of {count2} checks: {failed}.", name, len(failed), len(verdicts), ", ".join(failed)
        )
    many = Counter(verdict.how for verdict in verdicts)
    parts = [Message("{many} {how}", many[how], how) for how in _WORDS if many[how]]
    left_out = [verdict.name for verdict in verdicts if not verdict.checked]
    if left_out:
        done = len(verdicts) - len(left_out)
        return Message(
            "{robot} passes the {count} checks that apply to it ({how}); not checked: {names}.",
            name,
            done,
            joined(", ", parts),
            ", ".join(left_out),
        )
    return Message(
        "{robot} passes all {count} checks ({how}): its models can be relied on.",
        name,
        len(verdicts),
        joined(", ", parts),
    )
