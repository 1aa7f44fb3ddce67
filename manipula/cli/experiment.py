"""`calibrate` and `excite`: geometry from measurements of the tool, and the motion to record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from manipula import api
from manipula.cli import recordings
from manipula.cli.inverse_screen import numbers
from manipula.cli.terminal import options
from manipula.cli.terminal.command import command
from manipula.cli.terminal.options import Wishes
from manipula.cli.terminal.screen import progress, say, say_json, say_table
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.text import plain

# `calibrate`: an arm's geometry from measurements.


@command()
def calibrate(
    robot: str,
    table: Annotated[Path, typer.Argument(metavar="TABLE.csv", help="q1 … qn, then what was measured; see below.")],
    kind: Annotated[str, typer.Option("--kind", metavar="pose|points|distance", help="Else as the heads say.")] = "",
    parameters: Annotated[
        str, typer.Option("--parameters", help="Names or groups (offsets, lengths, angles, base, tool), with commas.")
    ] = "all",
    loss: Annotated[str, typer.Option("--loss", help="linear, huber, soft_l1 or cauchy.")] = "linear",
    validate: Annotated[Path | None, typer.Option("--validate", help="A table kept apart to judge the result.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The corrected robot: .toml or .urdf")] = None,
    *,
    wishes: Wishes,
    as_json: bool = False,
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
    subject = options.find(robot, wishes)
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


# `excite`: the motion to record.

HEADS = ("joint", "lowest", "highest", "velocity", "acceleration")
FAR = float("inf")


@command()
def excite(
    robot: str,
    seconds: Annotated[float, typer.Option("--seconds", help="How long the motion takes.")] = 10.0,
    harmonics: Annotated[int, typer.Option("--harmonics", help="Of the base frequency 1/seconds; 2 or more.")] = 5,
    criterion: Annotated[str, typer.Option("--criterion", metavar="logdet|condition")] = "logdet",
    motion: Annotated[str, typer.Option("--motion", metavar="fourier|spline")] = "fourier",
    velocity: Annotated[str, typer.Option("--velocity", help="Limit, SI: one number, or one a joint.")] = "",
    acceleration: Annotated[str, typer.Option("--acceleration", help="Limit, SI.")] = "",
    effort: Annotated[str, typer.Option("--effort", help="Limit, N·m or N.")] = "",
    floor: Annotated[float | None, typer.Option("--floor", help="The tool stays above this height, m.")] = None,
    box: Annotated[
        str, typer.Option("--keep-out", metavar='"X X Y Y Z Z"', help="A box that the tool stays out of, m, world.")
    ] = "",
    seeds: Annotated[int, typer.Option("--seeds", help="Searches; the best is kept.")] = 3,
    rate: Annotated[float, typer.Option("--rate", help="Rows a second of --out.")] = 100.0,
    out: Annotated[Path | None, typer.Option("--out", help="The motion as a table: .csv")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="A picture: .png .svg .pdf (needs matplotlib).")] = None,
    after: Annotated[
        list[str] | None,
        typer.Option("--after", metavar="RECORDING", help=f"Show what this one shows least; {recordings.MANY}."),
    ] = None,
    columns: recordings.Columns = None,
    units: recordings.Units = None,
    scale: recordings.Scale = None,
    topic: recordings.Topic = "",
    *,
    wishes: Wishes,
    as_json: bool = False,
) -> None:
    """Design a motion that makes the arm's parameters visible, to be recorded and identified from.

    With --after the motion goes on from recordings made before, read as `manipula identify` reads them (--column,
    --unit, --scale and --topic are about them): identify from all of them together.

    \b
    Examples:
      manipula excite puma560 --seconds 10 --out motion.csv
      manipula excite puma560 --after first.csv --unit q=deg --out second.csv
      manipula excite iiwa14 --criterion condition --floor 0.1 --out motion.csv --plot motion.png
    """
    subject = options.find(robot, wishes)
    given = {"velocity": velocity, "acceleration": acceleration, "effort": effort}
    limits = {name: _entries(f"--{name}", text) for name, text in given.items() if text}
    read = recordings.log_settings(columns, units, scale, None, topic)
    if after is None and (columns or units or scale or topic):
        raise InputError("--column, --unit, --scale and --topic are about a recording; name it with --after")
    before = [api.read_log(recordings.files_of(one), subject, **read) for one in after or ()]
    with progress(f"a motion for {subject.name}") as tell:
        found = api.excite(
            subject, seconds=seconds, harmonics=harmonics, criterion=criterion, limits=limits or None, seeds=seeds,
            box=_room(floor, box), motion=motion, rate=rate, after=before or None, tell=tell,
        )  # fmt: skip
        written = [] if out is None else [found.save(out)]
        if plot is not None:
            written.append(_save_figure(found.plot(), plot))
    if as_json:
        say_json(plain({**found.as_dict(), "files": [str(path) for path in written]}))
        return
    rows = [[row["joint"], *(f"{row[name]:.3f}" for name in HEADS[1:])] for row in found.peaks()]
    title = Message(
        "{robot}, {duration:g} s: condition number {condition:.3g}, {scaled:.3g} scaled",
        found.robot,
        found.duration,
        found.condition,
        found.scaled,
    )
    say_table(title, HEADS, rows, right=range(1, len(HEADS)))
    for line in (*found.notes, *(Message("wrote {file}", path) for path in written)):
        say(line)


def _save_figure(figure: Any, path: Path) -> Path:
    try:
        figure.savefig(path)
    except ValueError as error:  # of an ending that matplotlib does not know
        raise InputError("--plot: {path}: {error}", path, error) from None
    return path


def _entries(option: str, text: str) -> Any:
    found = numbers(option, text)
    return found[0] if len(found) == 1 else found


def _room(floor: float | None, box: str) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    if floor is not None:
        found["keep_in"] = [[-FAR, FAR], [-FAR, FAR], [floor, FAR]]
    if box:
        ends = numbers("--keep-out", box)
        if len(ends) != 6:
            raise InputError(
                "--keep-out: expected six numbers, lowest and highest x, y and z, found {count}", len(ends)
            )
        found["keep_out"] = [ends[0:2], ends[2:4], ends[4:6]]
    return found or None
