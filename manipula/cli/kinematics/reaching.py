"""`singularities` and `reach`: where an arm loses a freedom, and how far it gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from manipula import api
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import guarded, progress, say, say_json, say_prose
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError
from manipula.messages import Message


@guarded
@about_a_robot
def singularities(
    robot: options.RobotName,
    latex: Annotated[bool, typer.Option("--latex", help="The equations as a LaTeX block.")] = False,
    symbolic: options.Symbolic = "all",
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Tell where an arm loses a freedom: the determinant of its Jacobian in factors, each solved where it can be.

    Of arms with up to three joints, of a SCARA, and of six joints whose last three axes meet. Every equation is proved
    equal to the determinant and tried in numbers; parameters stay letters unless --symbolic says otherwise.

    \b
    Examples:
      manipula singularities planar2r
      manipula singularities puma560 --latex
      manipula singularities my_arm --set a2=0.4 --symbolic auto --json
    """
    if latex and as_json:
        raise InputError("choose one of --latex and --json")
    subject = places.find(robot, wishes)
    with progress(f"singular configurations of {subject.name}"):
        found = api.singularities(subject, symbolic=options.symbolic_from_text(symbolic))
        lines = [found.latex] if latex else found.text_lines()
    if as_json:
        say_json(found.as_dict())
        return
    for line in lines:
        typer.echo(line) if latex else say(line)


@guarded
@about_a_robot
def reach(
    robot: options.RobotName,
    seed: Annotated[int, typer.Option("--seed", help="Of the configurations drawn to start from.")] = 0,
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Tell how far the tool gets: the largest and smallest distance, and the box it keeps to, within the limits.

    The best that searches from many configurations found: the tool may get farther, and nearer. Lengths are in m,
    angles in rad.

    \b
    Examples:
      manipula reach puma560
      manipula reach planar2r --set l1=0.5 --set l2=0.3
      manipula reach robot.urdf --tip wrist_3_link --json
    """
    subject = places.find(robot, wishes)
    with progress(f"reach of {subject.name}"):
        found = api.reach(subject, seed=seed)
    if as_json:
        say_json(found.as_dict())
        return
    for line in found.lines():
        say_prose(line)
    say_prose(Message("farthest at q = {far}; nearest at q = {near}", _listed(found.q_outer), _listed(found.q_inner)))


def _listed(q: Sequence[float]) -> str:
    return f"({', '.join(f'{round(x, 4) + 0:g}' for x in q)})"
