"""`calibrate`: an arm's geometry from measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manipula import api
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import guarded, say, say_json
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.plain import plain


@guarded
@about_a_robot
def calibrate(
    robot: options.RobotName,
    table: Annotated[Path, typer.Argument(metavar="TABLE.csv", help="q1 … qn, then what was measured; see below.")],
    kind: Annotated[str, typer.Option("--kind", metavar="pose|points|distance", help="Else as the heads say.")] = "",
    parameters: Annotated[
        str, typer.Option("--parameters", help="Names or groups (offsets, lengths, angles, base, tool), with commas.")
    ] = "all",
    loss: Annotated[str, typer.Option("--loss", help="linear, huber, soft_l1 or cauchy.")] = "linear",
    validate: Annotated[Path | None, typer.Option("--validate", help="A table kept apart to judge the result.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The corrected robot: .toml or .urdf")] = None,
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Correct an arm's geometry from measured poses, points or distances of its tool.

    The table has a row for every configuration: columns q1 … qn (or the joints' names), then x y z of a point on the
    tool; x y z and qw qx qy qz, or roll pitch yaw, of its pose; x1 y1 z1 x2 … of several points; or distance. A unit
    stands in brackets behind a name, q1 [deg], x [mm]; without one it is radians and metres.

    \b
    Examples:
      manipula calibrate puma560 measured.csv --out fixed.toml
      manipula calibrate ur5e tracker.csv --validate others.csv --loss huber
    """
    subject = places.find(robot, wishes)
    q, measured, told = api.read_measured(subject, table)
    if kind and kind != told:
        raise InputError("{table}: its heads say {told!r}, --kind says {kind!r}", table, told, kind)
    apart = None
    if validate is not None:
        rows, others, same = api.read_measured(subject, validate)
        if same != told:
            raise InputError(
                "{validate}: its heads say {same!r}, those of {table} {told!r}", validate, same, table, told
            )
        apart = (rows, others)
    found = api.calibrate(
        subject, q, measured, kind=told, parameters=parameters.split(","), loss=loss, validate=apart
    )  # fmt: skip
    if out is not None:
        api.save(found.robot, out)
    if as_json:
        say_json(plain({**found.as_dict(), "files": [] if out is None else [str(out)]}))
        return
    say(str(found))
    if out is not None:
        say(Message("wrote {file}", out))
