"""`logs`: what a recording was understood as."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.cli.recordings import said
from manipula.cli.terminal import options, places, tongue
from manipula.cli.terminal.screen import guarded, say, say_json, say_prose, say_table
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.plain import plain

if TYPE_CHECKING:
    from manipula import Log

LEAST = 100  # samples: shorter ones are not cut


@guarded
@about_a_robot
def logs(
    file: Annotated[Path, typer.Argument(help="A table, .npz, .mat, .h5, .parquet, .mcap, .bag, a folder of ROS 2.")],
    robot: Annotated[str, typer.Option("--robot", metavar="ROBOT", help="Whose recording it is.")] = "",
    columns: said.Columns = None,
    units: said.Units = None,
    scale: said.Scale = None,
    rate: said.Rate = None,
    topic: said.Topic = "",
    plot: Annotated[Path | None, typer.Option("--plot", help="A picture: .png .svg .pdf (needs matplotlib).")] = None,
    save: Annotated[Path | None, typer.Option("--save", help="The samples, SI: .csv, .npz or .parquet.")] = None,
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Tell what a recording was understood as: columns, units, rate, and what had to be repaired.

    \b
    Examples:
      manipula logs run.csv --robot puma560
      manipula logs rec.mat --robot arm.toml --column q=rec.pos_deg --unit t=ms --plot rec.png
    """
    if wishes != NOTHING and not robot:
        raise InputError("--set, --base, --tip, --exact and --strict are about a robot; name it with --robot")
    understood = said.understanding(columns, units, scale, rate, topic)
    log = api.read_log(file, places.find(robot, wishes) if robot else None, **understood)
    files = _written(log, plot, save)
    if as_json:
        say_json(plain({**_told(log), "files": files}))
    else:
        _say(log, files)


def _say(log: Log, files: list[Path]) -> None:
    rows = [
        [row.quantity, row.columns, row.unit, tongue.told("said" if row.said else "assumed")] for row in log.understood
    ]
    parts = log.parts() if len(log) >= LEAST else [log]
    head = (
        Message(
            "{source}: {dof} joints, {count} samples, {duration:.6g} s, {rate:.6g} Hz, {count2} parts",
            log.source,
            log.dof,
            len(log),
            log.duration,
            log.rate,
            len(parts),
        )
        if len(parts) > 1
        else Message(
            "{file}: {joints} joints, {samples} samples, {seconds:.6g} s, {rate:.6g} Hz",
            log.source,
            log.dof,
            len(log),
            log.duration,
            log.rate,
        )
    )
    say_table(head, ("quantity", "columns", "unit", "unit is"), rows)
    for text in dict.fromkeys(note for part in parts for note in part.notes):
        say_prose(Message("- {text}", text))
    for path in files:
        say(str(path))


def _told(log: Log) -> dict[str, Any]:
    return {
        "source": log.source, "joints": log.joints, "samples": len(log), "duration": log.duration, "rate": log.rate,
        "columns": [row._asdict() for row in log.understood], "notes": log.notes,
    }  # fmt: skip


def _written(log: Log, plot: Path | None, save: Path | None) -> list[Path]:
    found = []
    if plot is not None:
        log.plot().savefig(plot)
        found.append(plot)
    if save is not None:
        found.append(log.save(save))
    return found
