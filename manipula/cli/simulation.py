"""`simulate` and `loads`: arms in time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.cli.inverse_screen import numbers
from manipula.cli.terminal import options
from manipula.cli.terminal.options import NOTHING, Wishes, about_a_robot
from manipula.cli.terminal.screen import guard_command, progress, say, say_json, say_table
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula import Run
    from manipula.robot import Robot


Start = Annotated[str, typer.Option("--start", metavar="Q", help="Where the arm starts; default: all zero.")]
Goal = Annotated[str, typer.Option("--to", metavar="Q", help="Where it goes, along a quintic, at rest at both ends.")]
Duration = Annotated[float, typer.Option("--duration", help="Of the motion, seconds.")]
Degrees = Annotated[bool, typer.Option("--degrees", help="Angles are given in degrees.")]
PEAKS = ("joint", "unit", "lowest", "highest", "speed", "torque", "error")


@guard_command
@about_a_robot
def simulate(
    robot: Annotated[str, typer.Argument(metavar="ROBOT|SCENARIO.toml", help="A robot, or a scenario file.")],
    law: Annotated[str, typer.Argument(metavar="LAW", help="Such as computed_torque; none: the arm is free.")] = "",
    start: Start = "",
    goal: Goal = "",
    duration: Duration = 1.0,
    until: Annotated[float | None, typer.Option("--until", help="The end of the run, seconds.")] = None,
    gains: Annotated[
        list[str] | None, typer.Option("--gain", metavar="NAME=VALUE", help="Of the law: kp=400, kd=40,40,30 …")
    ] = None,
    sample: Annotated[float, typer.Option("--sample", help="Of the law, seconds; 0: in continuous time.")] = 1e-3,
    step: Annotated[float, typer.Option("--step", help="Of the integrator, seconds.")] = 1e-3,
    method: Annotated[str, typer.Option("--method", help="rk4, rk8, gauss4, semi-implicit, euler or dop853.")] = "rk4",
    payload: Annotated[float, typer.Option("--payload", help="In the hand, kg; the law does not know of it.")] = 0.0,
    degrees: Degrees = False,
    plot: Annotated[Path | None, typer.Option("--plot", help="A picture: .png .svg .pdf (needs matplotlib).")] = None,
    log: Annotated[Path | None, typer.Option("--csv", help="The samples: .csv or .npz.")] = None,
    report: Annotated[Path | None, typer.Option("--report", help="A page that stands alone: .html")] = None,
    force: options.OverwriteOutput = False,
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Simulate an arm: a scenario file, or a law that takes it from here to there.

    \b
    Examples:
      manipula simulate scenario.toml
      manipula simulate puma560 computed_torque --to "1 -0.5 0.6 0 0.4 0" --duration 2 --plot out.png --csv out.csv
      manipula simulate puma560 pd_gravity --gain kp=900 --gain kd=90 --start 0,20,0,0,0,0 --degrees --until 2
    """
    if Path(robot).suffix == ".toml" and options.is_scenario(Path(robot)):
        if law or goal or start or wishes != NOTHING:
            said = law or ("--to, --start" if goal or start else Message("--set and the like"))
            raise InputError("{robot} is a scenario file, which says all itself; drop {law}", robot, said)
        with progress(f"simulating {robot}") as tell:
            run, written = api.simulate_file(robot, force=force, tell=tell)
    else:
        subject = options.find(robot, wishes)
        with progress(f"simulating {subject.name}") as tell:
            moved = _motion(subject, start, goal, duration, degrees)
            made = None
            if law:
                made = api.controller(subject, law, sample=sample or None, tell=tell, **_gains(law, gains))
            held = subject.with_payload(payload) if payload else subject
            begin = _joints("--start", start, subject, degrees) if start else None
            run = api.simulate(_plant(held), made, moved, start=begin, until=until, step=step, method=method, tell=tell)
        written = []
    _say_run(run, [*written, *_write_outputs(run, plot, log, report)], as_json)


def _plant(robot: Robot) -> Any:
    """The arm; where its file knows no limit of effort, nothing is clipped, as a shell has no way to ask for that."""
    from manipula import Plant

    limited = any(joint.effort_limit is not None for joint in robot.joints)
    return Plant(robot) if limited else Plant(robot, effort=None)


def _say_run(run: Run, files: list[Path], as_json: bool) -> None:
    if as_json:
        told = plain({**run.as_dict(), "files": files})
        say_json(
            {key: value for key, value in told.items() if key not in ("q", "qd", "qdd", "tau", "t", "ref", "state")}
        )
        return
    rows = [[_cell(row[key]) for key in PEAKS] for row in run.peaks()]
    say_table(run.summary(), PEAKS, rows, right=range(2, 7), caption="lowest and highest position, largest values")
    for path in files:
        say(str(path))


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else f"{value:.4g}"


def _write_outputs(run: Run, plot: Path | None, log: Path | None, report: Path | None) -> list[Path]:
    found = []
    if plot is not None:
        found.append(run.save_plot(plot))
    if log is not None:
        found.append(run.save(log))
    if report is not None:
        found.append(run.report(report))
    return found


DEFAULT = {"computed_torque": {"kp": 400.0, "kd": 40.0}}  # an error that is gone after a quarter of a second


def _gains(law: str, given: list[str] | None) -> dict[str, Any]:
    found: dict[str, Any] = {} if given else dict(DEFAULT.get(law, {}))
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError("--gain: expected NAME=VALUE, found {text!r}", text)
        listed = numbers(f"--gain {name}", value)
        found[name.strip()] = listed[0] if len(listed) == 1 else listed
    return found


def _motion(robot: Robot, start: str, goal: str, duration: float, degrees: bool) -> Any:
    if not goal:
        return None
    from manipula import trajectory

    begin = _joints("--start", start, robot, degrees) if start else [0.0] * robot.dof
    return trajectory.quintic(begin, _joints("--to", goal, robot, degrees), duration)


def _joints(option: str, text: str, robot: Robot, degrees: bool) -> list[float]:
    from math import radians

    found = numbers(option, text)
    if len(found) != robot.dof:
        raise InputError("{option}: expected {dof} numbers, one a joint, found {count}", option, robot.dof, len(found))
    return [radians(x) if degrees and turn else x for x, turn in zip(found, robot.coordinates.turns)]


@guard_command
@about_a_robot
def loads(
    robot: options.RobotName,
    start: Start = "",
    goal: Goal = "",
    duration: Duration = 1.0,
    payload: Annotated[float, typer.Option("--payload", help="In the hand, kg.")] = 0.0,
    table: Annotated[
        str, typer.Option("--table", metavar="FILE.csv", help="A motion as a table, in place of --to.")
    ] = "",
    degrees: Degrees = False,
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Tell what every joint must carry and every motor give along a motion.

    \b
    Examples:
      manipula loads puma560 --to "1 -0.5 0.6 0 0.4 0" --duration 1
      manipula loads my_arm --table motion.csv --payload 2
    """
    subject = options.find(robot, wishes)
    if bool(goal) == bool(table):
        raise InputError("give a motion: --to Q, or --table FILE.csv, as a trajectory's save writes it")
    from manipula import trajectory

    with progress(f"loads of {subject.name}"):
        motion = trajectory.table(table) if table else _motion(subject, start, goal, duration, degrees)
        found = api.loads(subject.with_payload(payload) if payload else subject, motion)
    if as_json:
        say_json(plain(found))
        return
    heads, rows = found.table()
    say_table(f"{found.robot}, {found.duration:g} s", heads, rows, right=range(1, len(heads)))
