"""`identify` and `payload`: what recordings show of a robot, and of what it holds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from math import inf, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import PayloadEstimator, api
from manipula.cli import recordings
from manipula.cli.inverse_screen import numbers
from manipula.cli.terminal import language, options, screen
from manipula.cli.terminal.command import command
from manipula.cli.terminal.options import Wishes
from manipula.errors import InputError, ManipulaWarning
from manipula.messages import Message
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula import JointModel, Log


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
    repair: Annotated[
        bool, typer.Option("--repair", help="Undo a slip of the recordings (signs, order, zeros …) that explains them.")
    ] = False,
    coupling: Annotated[
        list[str] | None, typer.Option("--coupling", metavar="q5,q6=1", help="The motor of q6 turns with q6 + 1·q5.")
    ] = None,
    motors: Annotated[
        Path | None, typer.Option("--motors", help="Recordings are of motors: gear ratios, coupling, offsets; .toml")
    ] = None,
    judge: Annotated[
        str, typer.Option("--judge", metavar="12Hz", help="Errors through these filters too, in Hz, with commas.")
    ] = "",
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
      manipula identify arm.urdf a.csv --validate b.csv --judge 12Hz --repair
      manipula identify arm.urdf a.csv --coupling joint5,joint6=1
    """
    robot, train, validate = recordings.choose_recordings(robot, train, log, validate, sample)
    if bound is not None and not bound > 0:
        raise InputError("--bound: expected per cent above 0, found {bound:g}", bound)
    if bound is not None and not validate:
        raise InputError("--bound: there is nothing to judge by; expected --validate RECORDING beside it")
    endings = [ending for ending, kind in api.formats().items() if kind.writer]
    if out is not None and out.suffix.lower() not in endings:  # refused before the work, not after
        raise InputError("--out: {out}: expected one of the endings {endings}", out, " ".join(endings))
    subject = options.find(robot, wishes)
    declared, cutoff, hertz, pairs = _model(model), _cutoff(filter), _hertz(judge), _coupling(coupling)
    read = {"robot": subject, **recordings.log_settings(columns, units, scale, rate, topic)}
    others: list[Log] = []

    def logs() -> Iterator[Log]:
        """Read when `identify` has looked at everything else: a wrong option is met before a long file is read."""
        files = [[recordings.files_of(x) for x in given] for given in (train, validate)]
        with warnings.catch_warnings():
            if len(files[0]) == 1:  # its notes are among the warnings of what is found
                warnings.simplefilter("ignore", ManipulaWarning)
            first = [api.read_log(x, **read) for x in files[0]]
        others.extend(api.read_log(x, **read) for x in files[1])
        yield from first

    with screen.progress(f"identifying {subject.name}") as tell:
        found = api.identify(
            subject, logs(), validate=others, model=declared, prior=None if prior == "none" else prior, method=method,
            filter=cutoff, tell=tell, repair=repair, coupling=pairs, motors=motors,
        )  # fmt: skip
        files = _write_results(found, out, report)
    judged = [one for one, read_from in zip(validate, others) for _ in read_from.rows()]
    failed = _failures(found, judged, bound)
    compared = found.comparison(hertz)
    if as_json:
        told = {"comparison": compared} if hertz else {}
        screen.say_json(plain({**found.as_dict(), **told, "failed": failed, "files": [str(path) for path in files]}))
    else:
        _say(found, compared, [recordings.label(train), *(recordings.label([one]) for one in judged)], files)
    for text in failed:
        screen.note(text, "red")
    if failed:
        raise typer.Exit(screen.CHECK_FAILED)


def _write_results(found: Any, out: Path | None, report: Path | None) -> list[Path]:
    robot = [] if out is None else [api.save(found.robot, out)]
    return robot if report is None else [*robot, found.report(report)]


def _say_warnings(texts: Sequence[str]) -> None:
    for text in texts:
        screen.say_prose(language.in_shell_words(language.translate(Message("warning: {text}", text))), "yellow")


def _say(found: Any, compared: Any, names: list[str], files: list[Path]) -> None:
    _say_warnings(found.warnings)
    joints = [f"{name} %" for name in found.data.robot.joint_names]
    heads = ("recording", "used for", "judged through", "whole %", "moving %", "at rest %", "least squares %", *joints)
    rows = [
        [
            names[row.place], language.translate("validation" if row.place else "training"),
            language.translate(row.judge), *(_percent(x) for x in (row.found.whole, row.found.moving, row.found.rest)),
            _percent(row.plain.whole), *map(_percent, row.found.joints),
        ]
        for row in compared
    ]  # fmt: skip
    prior = Message("no prior") if found.prior is None else Message("prior {prior}", found.prior)
    verdict = Message("physically consistent") if found.consistent else Message("NOT physically consistent")
    of = found.data.robot.name, len(found.columns), found.method
    title = Message("{robot}: {count} parameters by {method}, {prior}; {verdict}", *of, prior, verdict)
    screen.say_table(title, heads, rows, right=range(3, len(heads)))
    for text in dict.fromkeys(found.filter):
        screen.say_prose(Message("filter: {text}", text))
    for choice in found.choices:
        if choice.taken:
            screen.say_prose(
                Message(
                    "chosen: {family}, {before:.2f} → {error:.2f} % on blocks left out",
                    choice.family,
                    choice.before,
                    choice.error,
                )
            )
    screen.say()
    cells = [_parameter(row) for row in found.parameters]
    screen.say_table("", ("parameter", "value", "± sigma", "prior", "unit"), cells, right=(1, 2, 3))
    if found.extra:
        screen.say_prose(
            Message(
                "A robot file cannot say {extra}; found.torque in Python is a model with all of it.",
                ", ".join(found.extra),
            )
        )
    for path in files:
        screen.say(Message("wrote {file}", path))


def _percent(x: float) -> str:
    return "" if isnan(x) else f"{x:.2f}"  # nothing to compare with: no joint at rest, no torque


def _hertz(text: str) -> list[float]:
    """Of `12Hz`, `8,12`."""
    try:
        found = [float(word) for word in text.lower().replace("hz", "").replace(",", " ").split()]
    except ValueError:
        found = [0.0]
    if any(not 0 < x < inf for x in found):
        raise InputError("--judge: expected cut-offs above 0 Hz, such as 12Hz or 8,12, found {text!r}", text)
    return found


def _coupling(given: list[str] | None) -> dict[tuple[str, str], float]:
    found = {}
    for text in given or ():
        names, _, factor = text.partition("=")
        pair = [name.strip() for name in names.split(",")]
        if len(pair) != 2 or not all(pair):
            raise InputError("--coupling: expected JOINT,JOINT=FACTOR, found {text!r}", text)
        found[pair[0], pair[1]] = (numbers("--coupling", factor) or [1.0])[0]
    return found


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
        found = float(text.lower().removesuffix("hz"))
    except ValueError:
        found = 0.0
    if not 0 < found < inf:
        raise InputError("--filter: expected auto, none or a cut-off above 0 Hz, found {text!r}", text)
    return found


def _model(text: str) -> JointModel | str:
    """`auto`, or the families that there are; no word, no family."""
    if text == "auto":
        return text
    from manipula import JointModel

    return JointModel.from_words(text)


# `payload`: what an arm held while it was recorded.


@command()
def payload(
    robot: str,
    file: Annotated[str, typer.Argument(metavar="LOG", help="A recording of the arm with its load; see logs.")],
    frame: Annotated[str, typer.Option("--frame", help="The frame of the result, the tool's unless named.")] = "",
    learnt: Annotated[str, typer.Option("--learn", help="Parameters of the load, with commas.")] = "mx,my,mz,m",
    forgetting: Annotated[float, typer.Option("--forgetting", help="What a sample keeps of those before it.")] = 1.0,
    empty: Annotated[
        list[str] | None, typer.Option("--empty", help="A recording of the empty arm, identified first.")
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
    """Estimate the payload of a recorded motion: mass and centre of mass.

    The arm's own parameters are the robot's, so the robot should be one that was identified empty. With --empty it is
    identified here, and what no robot file can hold is taken off, too.

    \b
    Examples:
      manipula payload puma560 run.csv
      manipula payload arm.urdf run.csv --empty empty.csv
      manipula payload arm.toml run.npz --learn m --json
    """
    subject = options.find(robot, wishes)
    settings = recordings.log_settings(columns, units, scale, rate, topic)
    log = api.read_log(recordings.files_of(file), subject, **settings)
    alone = [api.read_log(recordings.files_of(name), subject, **settings) for name in empty or ()]
    known: Any = subject
    if alone:
        with screen.progress(f"identifying {subject.name}") as tell:
            known = api.identify(subject, alone, tell=tell)
        if not as_json:
            _say_warnings(known.warnings)
    # friction that follows the load needs accelerations, by the filter of a fit
    loaded = any(law.loaded for joint in subject.joints for law in joint.actuator.laws)
    sample = None if alone or loaded else 1 / log.rate
    weigh = PayloadEstimator(known, frame, [x.strip() for x in learnt.split(",")], forgetting, sample)
    weigh.run(log)
    if as_json:
        screen.say_json(weigh.as_dict())
        return
    _say_payload(weigh, log.source)


def _say_payload(weigh: PayloadEstimator, source: str) -> None:
    sigma, within = weigh.sigma, weigh.interval
    rows = [[name, f"{x:.6g}", f"{sigma[name]:.2g}", f"± {within[name]:.2g}"] for name, x in weigh.theta.items()]
    heads = ("parameter", "estimate", "sigma", "95 %")
    screen.say_table(Message("{source}: what {name} held", source, weigh.robot.name), heads, rows)
    if "m" not in weigh.columns:
        screen.say_prose(Message("- the mass was not requested"))
    elif weigh.is_empty:
        screen.say_prose(Message("- nothing, within ± {mass:.3g} kg", within["m"]))
    else:
        screen.say_prose(Message("- {mass:.4g} kg ± {half:.2g} kg (95 %)", weigh.mass, within["m"]))
        told = ", ".join(f"{x:.4g}" for x in weigh.com)
        screen.say_prose(Message("- centre of mass at {told} m in the frame", told))
    for doubt in weigh.doubts:
        screen.say_prose(Message("warning: {text}", doubt), "yellow")
    nothing, shown = Message("- the motion showed nothing of it"), weigh.identifiable
    screen.say_prose(Message("- the motion showed: {shown}", ", ".join(shown)) if shown else nothing)
