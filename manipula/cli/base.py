"""`base-parameters`: what torques can tell of the links' inertia, and in which combinations."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from manipula import api
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import CHECK_FAILED, guarded, progress, say_json, say_prose, say_table
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError
from manipula.messages import Message

_CLASSES = {
    "not identifiable": Message("no torque depends on them"),
    "alone": Message("each by itself"),
    "in combinations": Message("only as parts of base parameters"),
}


@guarded
@about_a_robot
def base_parameters(
    robot: options.RobotName,
    classes: Annotated[bool, typer.Option("--classes", help="The three classes of standard parameters alone.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="The combinations as a LaTeX display.")] = False,
    verify: Annotated[
        bool, typer.Option("--check", help="Count them by numerical rank and by superposition as well.")
    ] = False,
    symbolic: options.Symbolic = "auto",
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """List the base parameters: the combinations of inertial parameters that torques can tell.

    \b
    Examples:
      manipula base-parameters planar2r
      manipula base-parameters puma560 --classes
      manipula base-parameters puma560_symbolic --latex
      manipula base-parameters my_arm --check
    """
    if latex + classes + as_json > 1:
        raise InputError("choose one of --latex, --classes and --json")
    subject = places.find(robot, wishes)
    with progress(f"base parameters of {subject.name}"):
        found = api.base_parameters(subject, symbolic=options.symbolic_from_text(symbolic))
        verdict = api.check_base_parameters(subject) if verify else None
    if as_json:
        say_json(found.as_dict() | ({"agreement": verdict.as_dict(), "passed": verdict.passed} if verdict else {}))
    elif latex:
        typer.echo(found.latex())
    else:
        _told(found, classes)
    if verdict is not None:
        if not as_json:
            say_prose(str(verdict), "bold green" if verdict.passed else "bold red")
        if not verdict.passed:
            raise typer.Exit(CHECK_FAILED)


def _told(found: Any, classes: bool) -> None:
    title = Message(
        "{count} base parameters of {robot}, out of {standard} standard ones", len(found), found.robot, found.standard
    )
    if not classes:
        say_table(title, ("name", "value", "combination"), found.rows(), right=(1,), prose="wrap")
    meant = Message("Lxx … m of a body are about the origin of its own frame; K are second moments ∫xy dm.")
    say_prose(meant if not classes else title)
    for name, meaning in _CLASSES.items():
        listed = found.of_class(name)
        say_prose(
            Message(
                "{name} ({count}, {meaning}): {listed}",
                Message(name),
                len(listed),
                meaning,
                ", ".join(listed) or Message("none"),
            )
        )
    say_prose(found.proof, "dim")
