"""`identify`: what recordings tell of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.cli.recordings import said
from manipula.cli.terminal import options, places, tongue
from manipula.cli.terminal.screen import (
    CHECK_FAILED,
    guarded,
    note,
    progress,
    say,
    say_json,
    say_prose,
    say_table,
)
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.plain import plain

if TYPE_CHECKING:
    from manipula import JointModel

WORSE = 2.0  # times the error at home that one abroad may be, where nobody says a bound


@guarded
@about_a_robot
def identify(
    robot: options.RobotName,
    train: Annotated[list[Path], typer.Argument(metavar="RECORDING…", help="To learn from; see manipula logs.")],
    validate: Annotated[
        list[Path] | None, typer.Option("--validate", help="To be judged on, not to learn from; it may be repeated.")
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
    columns: said.Columns = None,
    units: said.Units = None,
    scale: said.Scale = None,
    rate: said.Rate = None,
    topic: said.Topic = "",
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
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
    """
    if bound is not None and not bound > 0:
        raise InputError("--bound: expected per cent above 0, found {bound:g}", bound)
    if bound is not None and not validate:
        raise InputError("--bound: there is nothing to judge by; expected --validate RECORDING beside it")
    if out is not None and out.suffix.lower() not in (endings := api.formats()):  # refused before the work, not after
        raise InputError("--out: {out}: expected one of the endings {endings}", out, " ".join(endings))
    subject = places.find(robot, wishes)
    declared, cutoff = _model(model), _cutoff(filter)
    with progress(f"identifying {subject.name}") as tell:
        read = {"robot": subject, **said.understanding(columns, units, scale, rate, topic)}
        logs, others = ([api.read_log(path, **read) for path in paths] for paths in (train, validate or []))
        found = api.identify(
            subject, logs, validate=others, model=declared, prior=None if prior == "none" else prior, method=method,
            filter=cutoff, tell=tell,
        )  # fmt: skip
        files = _written(found, out, report)
    judged = [path for path, log in zip(validate or [], others) for _ in log.rows()]
    failed = _failures(found, judged, bound)
    if as_json:
        say_json(plain({**found.as_dict(), "failed": failed, "files": [str(path) for path in files]}))
    else:
        _say(found, train, judged, files)
    for text in failed:
        note(text, "red")
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _written(found: Any, out: Path | None, report: Path | None) -> list[Path]:
    robot = [] if out is None else [api.save(found.robot, out)]
    return robot if report is None else [*robot, found.report(report)]


def _say(found: Any, train: list[Path], validate: list[Path], files: list[Path]) -> None:
    for text in found.warnings:
        say_prose(Message("warning: {text}", text), "yellow")
    rows = [_row(_together(train), tongue.told("training"), found.train)]
    rows += [_row(path.name, tongue.told("validation"), errors) for path, errors in zip(validate, found.validation)]
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


def _together(paths: list[Path]) -> str:
    return paths[0].name if len(paths) == 1 else f"{len(paths)} recordings"


def _row(name: str, use: str, errors: Any) -> list[str]:
    return [name, use, *(f"{x:.2f}" for x in (errors.whole, errors.moving, *errors.joints))]


def _parameter(row: Any) -> list[str]:
    sigma = f"{row.sigma:.2g}" if row.sigma < float("inf") else tongue.told("unknown")
    return [row.name, f"{row.value:.5g}", sigma, "" if row.prior is None else f"{row.prior:.4g}", row.unit]


def _failures(found: Any, paths: list[Path], bound: float | None) -> list[str]:
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
