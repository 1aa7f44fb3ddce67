"""`identify`, `calibrate`, `excite` and `payload`: what recordings tell of a robot, and the motion to record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import PayloadEstimator, api
from manipula.cli import recordings
from manipula.cli.inverse_screen import numbers
from manipula.cli.terminal import language, options
from manipula.cli.terminal.command import command
from manipula.cli.terminal.options import Wishes
from manipula.cli.terminal.screen import (
    CHECK_FAILED,
    note,
    progress,
    say,
    say_json,
    say_prose,
    say_table,
)
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula import JointModel


# `identify`: what recordings tell of a robot.

WORSE = 2.0  # times the error at home that one abroad may be, where nobody says a bound


@command()
def identify(
    robot: str = "",
    train: recordings.Train = None,
    log: recordings.LogFiles = None,
    sample: recordings.Sample = False,
    validate: Annotated[
        list[str] | None, typer.Option("--validate", help="To be judged on, not to learn from; it may be repeated.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The robot found: .toml, or .urdf with less in it.")] = None,
    report: Annotated[Path | None, typer.Option("--report", help="A page of pictures and tables: .html")] = None,
    method: Annotated[
        str, typer.Option("--method", help="entropic wls ols irls ridge tls lmi log_cholesky iv output_error")
    ] = "entropic",
    prior: Annotated[str, typer.Option("--prior", metavar="robot|spheres|none")] = "robot",
    model: Annotated[
        str,
        typer.Option(
            "--model", metavar="auto|A,B", help="Families with commas: viscous, coulomb, offset, motor_inertia, load …"
        ),
    ] = "auto",
    filter: Annotated[str, typer.Option("--filter", metavar="auto|none|HZ", help="The cut-off.")] = "auto",
    bound: Annotated[
        float | None, typer.Option("--bound", help="Exit code 1 when a validation error is above it, in %.")
    ] = None,
    columns: recordings.Columns = None,
    units: recordings.Units = None,
    scale: recordings.Scale = None,
    rate: recordings.Rate = None,
    topic: recordings.Topic = "",
    *,
    wishes: Wishes,
    as_json: bool = False,
) -> None:
    """Find a robot's inertia, motor inertia and friction from recordings of it: positions and torques along time.

    Every recording is read as `manipula logs` reads it: look there first. Those of --validate are not touched before
    the fit has ended. Exit code 1: an error on one of them is above --bound or, without it, above twice the larger
    of the training's and that of the worst block of time in cross-validation.

    \b
    Examples:
      manipula identify arm.toml a.csv b.csv --validate c.csv --out found.toml
      manipula identify arm.urdf a.mat --validate b.mat --unit q=deg --bound 5
      manipula identify puma560 run.csv --method wls --prior none --report r.html
      manipula identify arm.urdf --log "positions.csv + currents.csv" --scale tau=12.5
      manipula identify --sample --report r.html
    """
    robot, train, validate = recordings.chosen(robot, train, log, validate, sample)
    if bound is not None and not bound > 0:
        raise InputError("--bound: expected per cent above 0, found {bound:g}", bound)
    if bound is not None and not validate:
        raise InputError("--bound: there is nothing to judge by; expected --validate RECORDING beside it")
    if out is not None and out.suffix.lower() not in (endings := api.formats()):  # refused before the work, not after
        raise InputError("--out: {out}: expected one of the endings {endings}", out, " ".join(endings))
    subject = options.find(robot, wishes)
    declared, cutoff = _model(model), _cutoff(filter)
    with progress(f"identifying {subject.name}") as tell:
        read = {"robot": subject, **recordings.log_settings(columns, units, scale, rate, topic)}
        logs, others = ([api.read_log(recordings.files_of(x), **read) for x in given] for given in (train, validate))
        found = api.identify(
            subject, logs, validate=others, model=declared, prior=None if prior == "none" else prior, method=method,
            filter=cutoff, tell=tell,
        )  # fmt: skip
        files = _write_results(found, out, report)
    judged = [one for one, read_from in zip(validate, others) for _ in read_from.rows()]
    failed = _failures(found, judged, bound)
    if as_json:
        say_json(plain({**found.as_dict(), "failed": failed, "files": [str(path) for path in files]}))
    else:
        _say(found, train, judged, files)
    for text in failed:
        note(text, "red")
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _write_results(found: Any, out: Path | None, report: Path | None) -> list[Path]:
    robot = [] if out is None else [api.save(found.robot, out)]
    return robot if report is None else [*robot, found.report(report)]


def _say(found: Any, train: list[str], validate: list[str], files: list[Path]) -> None:
    for text in found.warnings:
        say_prose(Message("warning: {text}", text), "yellow")
    rows = [_row(recordings.label(train), language.translate("training"), found.train)]
    use = language.translate("validation")
    rows += [_row(recordings.label([one]), use, errors) for one, errors in zip(validate, found.validation)]
    joints = [f"{name} %" for name in found.data.robot.joint_names]
    heads = ("recording", "used for", "whole %", "moving %", *joints)
    prior = Message("no prior") if found.prior is None else Message("prior {prior}", found.prior)
    verdict = Message("physically consistent") if found.consistent else Message("NOT physically consistent")
    of = found.data.robot.name, len(found.columns), found.method
    title = Message("{robot}: {count} parameters by {method}, {prior}; {verdict}", *of, prior, verdict)
    say_table(title, heads, rows, right=range(2, len(heads)))
    for text in dict.fromkeys(found.filter):
        say_prose(Message("filter: {text}", text))
    for choice in found.choices:
        if choice.taken:
            say_prose(
                Message(
                    "chosen: {family}, {before:.2f} → {error:.2f} % on blocks left out",
                    choice.family,
                    choice.before,
                    choice.error,
                )
            )
    say()
    cells = [_parameter(row) for row in found.parameters]
    say_table("", ("parameter", "value", "± sigma", "prior", "unit"), cells, right=(1, 2, 3))
    if found.extra:
        say_prose(
            Message(
                "A robot file cannot say {extra}; found.torque in Python is a model with all of it.",
                ", ".join(found.extra),
            )
        )
    for path in files:
        say(Message("wrote {file}", path))


def _row(name: str, use: str, errors: Any) -> list[str]:
    return [name, use, *(f"{x:.2f}" for x in (errors.whole, errors.moving, *errors.joints))]


def _parameter(row: Any) -> list[str]:
    sigma = f"{row.sigma:.2g}" if row.sigma < float("inf") else language.translate("unknown")
    return [row.name, f"{row.value:.5g}", sigma, "" if row.prior is None else f"{row.prior:.4g}", row.unit]


def _failures(found: Any, paths: list[str], bound: float | None) -> list[str]:
    """Sentences about validations that are worse than they may be."""
    home = max([found.train.whole, *found.blocks])
    limit = WORSE * home if bound is None else bound
    return [
        (
            Message(
                "{path}: the error is {whole:.2f} %, above {limit:.4g} % (twice the {home:.2f} % at home)",
                path,
                errors.whole,
                limit,
                home,
            )
            if bound is None
            else Message("{path}: the error is {whole:.2f} %, above {limit:.4g} % (--bound)", path, errors.whole, limit)
        )
        for path, errors in zip(paths, found.validation)
        if not errors.whole <= limit
    ]


def _cutoff(text: str) -> float | str | None:
    if text in ("auto", "none"):
        return None if text == "none" else text
    try:
        return float(text)
    except ValueError:
        raise InputError("--filter: expected auto, none or a cut-off in Hz, found {text!r}", text) from None


def _model(text: str) -> JointModel | str:
    """`auto`, or the families that there are; no word, no family."""
    if text == "auto":
        return text
    from manipula import JointModel

    return JointModel.from_words(text)


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
    *,
    wishes: Wishes,
    as_json: bool = False,
) -> None:
    """Design a motion that makes the arm's parameters visible, to be recorded and identified from.

    \b
    Examples:
      manipula excite puma560 --seconds 10 --out motion.csv
      manipula excite iiwa14 --criterion condition --floor 0.1 --out motion.csv --plot motion.png
    """
    subject = options.find(robot, wishes)
    given = {"velocity": velocity, "acceleration": acceleration, "effort": effort}
    limits = {name: _entries(f"--{name}", text) for name, text in given.items() if text}
    with progress(f"a motion for {subject.name}") as tell:
        found = api.excite(
            subject, seconds=seconds, harmonics=harmonics, criterion=criterion, limits=limits or None, seeds=seeds,
            box=_room(floor, box), motion=motion, rate=rate, tell=tell,
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


# `payload`: what an arm held while it was recorded.


@command()
def payload(
    robot: str,
    file: Annotated[str, typer.Argument(metavar="LOG", help="A recording of the arm with its load; see logs.")],
    frame: Annotated[str, typer.Option("--frame", help="The frame it is told in, the tool's unless named.")] = "",
    learnt: Annotated[str, typer.Option("--learn", help="Parameters of the load, with commas.")] = "mx,my,mz,m",
    forgetting: Annotated[float, typer.Option("--forgetting", help="What a sample keeps of those before it.")] = 1.0,
    columns: recordings.Columns = None,
    units: recordings.Units = None,
    scale: recordings.Scale = None,
    rate: recordings.Rate = None,
    topic: recordings.Topic = "",
    *,
    wishes: Wishes,
    as_json: bool = False,
) -> None:
    """Weigh what an arm held while it was recorded: mass and centre of mass, as known by the end.

    The arm's own parameters are the robot's, so the robot should be one that was identified empty.

    \b
    Examples:
      manipula payload puma560 run.csv
      manipula payload arm.toml run.npz --learn m --json
    """
    subject = options.find(robot, wishes)
    settings = recordings.log_settings(columns, units, scale, rate, topic)
    log = api.read_log(recordings.files_of(file), subject, **settings)
    weigh = PayloadEstimator(subject, frame, [x.strip() for x in learnt.split(",")], forgetting, 1 / log.rate)
    weigh.run(log)
    if as_json:
        say_json(weigh.as_dict())
        return
    _say_payload(weigh, log.source)


def _say_payload(weigh: PayloadEstimator, source: str) -> None:
    sigma = weigh.sigma
    rows = [[name, f"{value:.6g}", f"{sigma[name]:.2g}"] for name, value in weigh.theta.items()]
    say_table(Message("{source}: what {name} held", source, weigh.robot.name), ("parameter", "estimate", "sigma"), rows)
    told = ", ".join(f"{x:.4g}" for x in weigh.com) if "m" in weigh.columns else ""
    say_prose(
        Message("- centre of mass at {told} m in the frame", told) if told else Message("- the mass was not asked for")
    )
    nothing, shown = Message("- the motion showed nothing of it"), weigh.identifiable
    say_prose(Message("- the motion showed: {shown}", ", ".join(shown)) if shown else nothing)
