"""`logs`: what a recording was understood as; `excite`: the motion to record; `calibrate`: geometry measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.cli.inverse_screen import numbers
from manipula.cli.terminal import language, options
from manipula.cli.terminal.command import command
from manipula.cli.terminal.options import NOTHING, Wishes
from manipula.cli.terminal.screen import progress, say, say_json, say_prose, say_table
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula import Log


# What a user says of a recording: which columns, in which units. Shared by the commands that read one.

Said = list[str] | None
MANY = "it may be repeated"

Columns = Annotated[Said, typer.Option("--column", metavar="q=A,B", help=f"Heads of a quantity; {MANY}.")]
Units = Annotated[Said, typer.Option("--unit", metavar="q=deg", help=f"Unit of a quantity; {MANY}.")]
Scale = Annotated[Said, typer.Option("--scale", metavar="tau=1,2", help=f"Factors of a quantity; {MANY}.")]
Rate = Annotated[float | None, typer.Option("--rate", help="Samples a second, where times are no use.")]
Topic = Annotated[str, typer.Option("--topic", help="Of joint states, where there are several.")]


# Which recordings: a file, or the files of one recording with a plus between them.

SAMPLE = "puma560"  # the arm of the recording that comes along
Train = Annotated[Said, typer.Argument(metavar="RECORDING…", help="To learn from; see manipula logs.")]
LogFiles = Annotated[
    Said, typer.Option("--log", metavar='"A + B"', help="The same, or files of one recording, joined.")
]
Sample = Annotated[bool, typer.Option("--sample", help="Try it with the recording that comes along.")]


def choose_recordings(
    robot: str, train: Said, log: Said, validate: Said, sample: bool
) -> tuple[str, list[str], list[str]]:
    """Robot, recordings to learn from, recordings to judge by."""
    if sample:
        return robot or SAMPLE, [f"sample:{SAMPLE}"], [f"sample:{SAMPLE}-check"]
    given = [*(train or []), *(log or [])]
    if not robot or not given:
        raise InputError("identify: expected a robot and a recording of it; --sample has both")
    return robot, given, list(validate or [])


def files_of(text: str) -> str | list[str]:
    """The file of a recording, or its files: "pos.csv + cur.csv"."""
    parts = [part.strip() for part in text.split("+")]
    return parts if len(parts) > 1 and all(parts) and not Path(text).exists() else text


def label(given: list[str]) -> str:
    """Recordings in a table: their number, or of one its files, without their folders."""
    if len(given) > 1:
        return f"{len(given)} recordings"
    files = files_of(given[0])
    return Path(files).name if isinstance(files, str) else " + ".join(Path(file).name for file in files)


def log_settings(columns: Said, units: Said, scale: Said, rate: float | None, topic: str) -> dict[str, Any]:
    """The settings of `api.read_log`."""
    return {
        "columns": {name: _heads(text) for name, text in _pairs("--column", columns)},
        "units": {name: text.split(",") if "," in text else text for name, text in _pairs("--unit", units)},
        "scale": {name: _factors(name, text) for name, text in _pairs("--scale", scale)},
        "rate": rate,
        "topic": topic or None,
    }


def _pairs(option: str, given: Said) -> list[tuple[str, str]]:
    found = []
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError("{option}: expected NAME=VALUE, found {text!r}", option, text)
        found.append((name.strip(), value.strip()))
    return found


def _heads(text: str) -> object:
    """Heads, or numbers of columns; `none` leaves the quantity out."""
    words: list[str | int] = [int(word) if word.strip().isdigit() else word.strip() for word in text.split(",")]
    return None if words == ["none"] else words[0] if len(words) == 1 else words


def _factors(name: str, text: str) -> object:
    found = numbers(f"--scale {name}", text)
    return found[0] if len(found) == 1 else found


LEAST = 100  # samples: shorter ones are not cut


@command()
def logs(
    file: Annotated[str, typer.Argument(help="A table, .npz, .mat, .h5, .parquet, .mcap, .bag, a folder of ROS 2.")],
    robot: Annotated[str, typer.Option("--robot", metavar="ROBOT", help="Whose recording it is.")] = "",
    columns: Columns = None,
    units: Units = None,
    scale: Scale = None,
    rate: Rate = None,
    topic: Topic = "",
    plot: Annotated[Path | None, typer.Option("--plot", help="A picture: .png .svg .pdf (needs matplotlib).")] = None,
    save: Annotated[Path | None, typer.Option("--save", help="The samples, SI: .csv, .npz or .parquet.")] = None,
    *,
    wishes: Wishes,
    as_json: bool = False,
) -> None:
    """Show how a recording was read: columns, units, rate, and what had to be repaired.

    \b
    Examples:
      manipula logs run.csv --robot puma560
      manipula logs rec.mat --robot arm.toml --column q=rec.pos_deg --unit t=ms --plot rec.png
      manipula logs "positions.txt + currents_mA.txt" --robot ur5e --rate 500 --scale tau=11
    """
    if wishes != NOTHING and not robot:
        raise InputError("--set, --base, --tip, --exact and --strict are about a robot; name it with --robot")
    understood = log_settings(columns, units, scale, rate, topic)
    log = api.read_log(files_of(file), options.find(robot, wishes) if robot else None, **understood)
    files = _write_outputs(log, plot, save)
    if as_json:
        say_json(plain({**_log_summary(log), "files": files}))
    else:
        _say(log, files)


def _say(log: Log, files: list[Path]) -> None:
    rows = [
        [row.quantity, row.columns, row.unit, language.translate("said" if row.said else "assumed")]
        for row in log.understood
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


def _log_summary(log: Log) -> dict[str, object]:
    return {
        "source": log.source, "joints": log.joints, "samples": len(log), "duration": log.duration, "rate": log.rate,
        "columns": [row._asdict() for row in log.understood], "notes": log.notes,
    }  # fmt: skip


def _write_outputs(log: Log, plot: Path | None, save: Path | None) -> list[Path]:
    found = []
    if plot is not None:
        log.plot().savefig(plot)
        found.append(plot)
    if save is not None:
        found.append(log.save(save))
    return found


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
        Said, typer.Option("--after", metavar="RECORDING", help=f"Show what this one shows least; {MANY}.")
    ] = None,
    columns: Columns = None,
    units: Units = None,
    scale: Scale = None,
    topic: Topic = "",
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
    read = log_settings(columns, units, scale, None, topic)
    if after is None and (columns or units or scale or topic):
        raise InputError("--column, --unit, --scale and --topic are about a recording; name it with --after")
    before = [api.read_log(files_of(one), subject, **read) for one in after or ()]
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


def _entries(option: str, text: str) -> object:
    found = numbers(option, text)
    return found[0] if len(found) == 1 else found


def _room(floor: float | None, box: str) -> dict[str, object] | None:
    found: dict[str, object] = {}
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
