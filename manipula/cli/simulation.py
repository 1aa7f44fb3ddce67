"""`simulate` and `loads`: arms in time; `control`: control laws as source code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula import api
from manipula.cli.generation import language_names, say_models
from manipula.cli.inverse_screen import numbers
from manipula.cli.terminal import options
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.options import NOTHING, CodeOptions, Wishes
from manipula.cli.terminal.screen import progress, say, say_json, say_list, say_prose, say_table
from manipula.errors import InputError
from manipula.messages import Message, join_messages
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula import Model, Plant, Run
    from manipula.robot import Robot


@dataclass(frozen=True)
class MotionOptions:
    """A motion as it is typed.

    Args:
        start (Q): Where the arm starts; default: all zero.
        goal (--to Q): Where it goes, along a quintic, at rest at both ends.
        duration: Of the motion, seconds.
    """

    start: str = ""
    goal: str = ""
    duration: float = 1.0

    def trajectory(self, robot: Robot, degrees: bool) -> Any:
        if not self.goal:
            return None
        from manipula import trajectory

        begin = self.begin(robot, degrees) or [0.0] * robot.dof
        return trajectory.quintic(begin, _joints("--to", self.goal, robot, degrees), self.duration)

    def begin(self, robot: Robot, degrees: bool) -> list[float] | None:
        return _joints("--start", self.start, robot, degrees) if self.start else None


@dataclass(frozen=True)
class BaseOptions:
    """Where a base that moves starts, and what is held.

    Args:
        pose (--base-pose POSE): Position of a base that moves, x y z in metres, and its quaternion, scalar first.
        twist (--twist V): Velocity of a base that moves and its angular velocity, base axes: six numbers.
        hold (--hold FRAME=HOW): Frames that stay where they are: foot=point, hand=pose, wheel=rolling:0.1.
    """

    pose: str = ""
    twist: str = ""
    hold: list[str] | None = None

    def start(self, robot: Robot, joints: list[float] | None) -> Any:
        """The states that are said."""
        if not robot.moving:
            if self.pose or self.twist or self.hold:
                raise InputError("{name}: its base stands still: drop --base-pose, --twist and --hold", robot.name)
            return joints
        place, speed = _several("--base-pose", self.pose, (3, 7)), _several("--twist", self.twist, (6,))
        said = {"p0": place[:3], "quaternion": place[3:], "v0": speed[:3], "w0": speed[3:], "q": joints}
        return {name: value for name, value in said.items() if value}

    def frames(self) -> dict[str, Any] | None:
        return dict(map(_held_frame, self.hold)) if self.hold else None


def _several(option: str, text: str, counts: tuple[int, ...]) -> list[float]:
    found = numbers(option, text) if text else []
    if text and len(found) not in counts:
        raise InputError(
            "{option}: expected {counts} numbers, found {count}", option, " / ".join(map(str, counts)), len(found)
        )
    return found


def _held_frame(text: str) -> tuple[str, Any]:
    name, _, how = text.partition("=")
    kind, _, radius = how.partition(":")
    if not name or not kind:
        raise InputError("--hold: expected FRAME=HOW, such as foot=point, found {text!r}", text)
    return name, (kind, *numbers("--hold", radius)) if radius else kind


PEAKS = ("joint", "unit", "lowest", "highest", "speed", "torque", "error")


@command(integrator=Options(api.simulate, "step method"), end=Options(api.simulate, "until"))
def simulate(
    robot: str, law: str = "", *, motion: MotionOptions, base: BaseOptions, end: Chosen, gains: list[str] | None = None,
    sample: float = 1e-3, integrator: Chosen, payload: float = 0.0, degrees: bool = False, plot: Path | None = None,
    log: Path | None = None, report: Path | None = None, force: bool = False, wishes: Wishes, as_json: bool = False,
) -> None:  # fmt: skip
    """Simulate an arm: a scenario file, or a law that takes it from here to there.

    \b
    Examples:
      manipula simulate scenario.toml
      manipula simulate puma560 computed_torque --to "1 -0.5 0.6 0 0.4 0" --duration 2 --plot out.png --csv out.csv
      manipula simulate puma560 pd_gravity --gain kp=900 --gain kd=90 --start 0,20,0,0,0,0 --degrees --until 2
      manipula simulate hopper.toml --start "0.3 -0.6" --twist "0 0 2 0 1 0" --until 0.5 --csv out.csv

    Args:
        robot (ROBOT|SCENARIO.toml): A robot, or a scenario file.
        law (LAW): Such as computed_torque; none: the arm is free.
        gains (--gain NAME=VALUE): Of the law: kp=400, kd=40,40,30 …
        sample: Of the law, seconds; 0: in continuous time.
        payload: In the hand, kg; the law does not know of it.
        degrees: Angles are given in degrees.
        log (--csv): The samples: .csv or .npz.
        force: Replace files that exist and that the table [output] of the file names.
    """
    if Path(robot).suffix == ".toml" and options.is_scenario(Path(robot)):
        if law or motion.goal or motion.start or wishes != NOTHING:
            said = law or ("--to, --start" if motion.goal or motion.start else Message("--set and the like"))
            raise InputError("{robot} is a scenario file, which says all itself; drop {law}", robot, said)
        with progress(f"simulating {robot}") as tell:
            run, written = api.simulate_file(robot, force=force, tell=tell)
    else:
        subject = options.find(robot, wishes)
        with progress(f"simulating {subject.name}") as tell:
            moved, made = motion.trajectory(subject, degrees), None
            if law:
                made = api.controller(subject, law, sample=sample or None, tell=tell, **_gains(law, gains))
            loaded, begin = _loaded(subject, payload), base.start(subject, motion.begin(subject, degrees))
            plant = loaded if loaded.moving or loaded.loops else _plant(loaded)
            run = api.simulate(
                plant, made, moved, start=begin or None, hold=base.frames(), **end, **integrator, tell=tell
            )
        written = []
    _say_run(run, [*written, *_write_outputs(run, plot, log, report)], as_json)


def _loaded(robot: Robot, payload: float) -> Robot:
    return robot.with_payload(payload) if payload else robot


def _plant(robot: Robot) -> Plant:
    """The arm; where its file knows no limit of effort, nothing is clipped, as a shell has no way to ask for that."""
    from manipula import Plant

    limited = any(joint.effort_limit is not None for joint in robot.joints)
    return Plant(robot) if limited else Plant(robot, effort=None)


def _say_run(run: Run, files: list[Path], as_json: bool) -> None:
    if as_json:
        told = plain({**run.as_dict(), "files": files})
        many = ("q", "qd", "qdd", "tau", "t", "ref", "state", "energy", "momentum", "forces")
        say_json({key: value for key, value in told.items() if key not in many})
        return
    rows = [[_cell(row[key]) for key in PEAKS] for row in run.peaks()]
    say_table(run.summary(), PEAKS, rows, right=range(2, 7), caption="lowest and highest position, largest values")
    if hasattr(run, "momentum"):
        _say_base(run)
    for path in files:
        say(str(path))


def _say_base(run: Any) -> None:
    """Of a base that moves: where it ends, and what is kept."""
    end, energy = run.base, run.energy.sum(axis=-1)
    place, turn = (" ".join(f"{x:.5g}" for x in part[-1]) for part in (end.p0, end.quaternion))
    say_prose(Message("the base ends at {place} m, quaternion {turn}", place, turn))
    changed = [float(abs(x[-1] - x[0]).max()) for x in (energy[:, None], run.momentum[:, 3:])]
    say_prose(Message("energy changes by {energy:.3g} J, angular momentum by {momentum:.3g} N·m·s", *changed))


def _cell(value: str | float | None) -> str:
    return "" if value is None else value if isinstance(value, str) else f"{value:.4g}"


def _write_outputs(run: Run, plot: Path | None, log: Path | None, report: Path | None) -> list[Path]:
    found = [run.save_plot(plot)] if plot else []
    found += [run.save(log)] if log else []
    return [*found, *([run.report(report)] if report else [])]


DEFAULT = {"computed_torque": {"kp": 400.0, "kd": 40.0}}  # an error that is gone after a quarter of a second


def _gains(law: str, given: list[str] | None) -> Chosen:
    found: Chosen = {} if given else dict(DEFAULT.get(law, {}))
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError("--gain: expected NAME=VALUE, found {text!r}", text)
        listed = numbers(f"--gain {name}", value)
        found[name.strip()] = listed[0] if len(listed) == 1 else listed
    return found


def _joints(option: str, text: str, robot: Robot, degrees: bool) -> list[float]:
    from math import radians

    found = numbers(option, text)
    if len(found) != robot.dof:
        raise InputError("{option}: expected {dof} numbers, one a joint, found {count}", option, robot.dof, len(found))
    return [radians(x) if degrees and turn else x for x, turn in zip(found, robot.coordinates.turns)]


@dataclass(frozen=True)
class DriveOptions:
    """Tables of motors and gears.

    Args:
        motors (FILE.csv): Motors to choose from, one a row: name, rated torque, peak torque, rated speed, max speed,
            inertia, with units in brackets in the heads.
        gears (FILE.csv): Gears, one a row: name, ratio, rated torque, peak torque, efficiency, inertia, max input
            speed. Without it the robot's own gears are kept.
        inertia_ratio: The largest load inertia at the motor over the motor's own.
        by (power|mass|price): What is smallest: rated power of the motor, mass or price of both.
        plot: A picture of motor torque over speed: .png .svg .pdf (needs matplotlib).
    """

    motors: Path | None = None
    gears: Path | None = None
    inertia_ratio: float | None = None
    by: str = "power"
    plot: Path | None = None

    def choose(self, found: Any) -> Any:
        """None without a table of motors."""
        if self.motors is None:
            if self.gears or self.plot or self.inertia_ratio is not None:
                raise InputError("--gears, --inertia-ratio and --plot need --motors FILE.csv")
            return None
        return api.choose_drives(found, self.motors, self.gears, inertia_ratio=self.inertia_ratio, by=self.by)


@command()
def loads(
    robot: str, *, motion: MotionOptions, payload: float = 0.0, table: str = "", degrees: bool = False,
    drives: DriveOptions, wishes: Wishes, as_json: bool = False,
) -> None:  # fmt: skip
    """Compute joint loads and motor torques along a motion, and choose motors and gears from tables.

    With --motors the smallest motor and gear that hold are chosen for each joint; where nothing holds, the nearest pair
    is named with how much it lacks, and the exit code is 1.

    \b
    Examples:
      manipula loads puma560 --to "1 -0.5 0.6 0 0.4 0" --duration 1
      manipula loads my_arm --table motion.csv --payload 2
      manipula loads my_arm --to "1 -0.5 0.6" --motors motors.csv --gears gears.csv --plot drives.png

    Args:
        payload: In the hand, kg.
        table (FILE.csv): A motion as a table, in place of --to.
        degrees: Angles are given in degrees.
    """
    subject = options.find(robot, wishes)
    if bool(motion.goal) == bool(table):
        raise InputError("give a motion: --to Q, or --table FILE.csv, as a trajectory's save writes it")
    from manipula import trajectory

    with progress(f"loads of {subject.name}"):
        moved = trajectory.table(table) if table else motion.trajectory(subject, degrees)
        found = api.loads(_loaded(subject, payload), moved)
        chosen = drives.choose(found)
    if as_json:
        say_json(plain(found) if chosen is None else plain(found) | {"drives": chosen.as_dict()})
    else:
        heads, rows = found.table()
        say_table(f"{found.robot}, {found.duration:g} s", heads, rows, right=range(1, len(heads)))
        heads, rows = found.motor_table()
        if rows:
            say_table("Motors and gears in the robot's file", heads, rows, right=range(1, len(heads)))
        if chosen is not None:
            heads, rows = chosen.table()
            say_table("Drives chosen from the tables", heads, rows, right=range(3, len(heads) - 1))
    if chosen is not None:
        files = [chosen.save_plot(drives.plot)] if drives.plot else []
        if not as_json:
            say("\n".join(map(str, files))) if files else None
        if not chosen.holds:
            raise InputError(join_messages("\n", chosen.refusals))


# `control`: control laws as source code.


@command(chosen=Options(api.controller, "symbolic optimise"))
def control(
    robot: str = "", law: str = "", *, sample: float | None = None, continuous: bool = False, language: str = "c",
    output: Path = Path("out"), fmi: str = "", platforms: str = "", chosen: Chosen, code: CodeOptions, wishes: Wishes,
    as_json: bool = False,
) -> None:  # fmt: skip
    """Make a control law of a robot as source code, proved, its memory in a struct; without a robot, list the laws.

    Gains are arguments of the emitted NAME_init. Those given here are checked: their names and sizes, and with --sample
    whether they can hold the arm. --set gives a setting of the law, one number or one a joint (kp=400,250), or a
    parameter of the robot.

    \b
    Examples:
      manipula control
      manipula control puma560 computed_torque --language c -o out/
      manipula control puma560 computed_torque --set kp=400 --set kd=40 --set delay=2 --sample 1e-3
      manipula control panda impedance --set task=position -l cpp
      manipula control my_arm pid --dtype float32 --single-file --prefix axis
      manipula control puma560 computed_torque --set kp=400 --set kd=40 --sample 1e-3 -l fmu --fmi 2.0

    Args:
        robot (ROBOT): A library name, one of your robots, or a file; none lists the laws.
        law (LAW): Such as computed_torque.
        sample (SECONDS): Time between steps, of a law with its gains.
        continuous: In continuous time: the law gives the rates of its states.
        output (--output -o --out): The folder to write to.
        fmi (3.0|2.0): Of -l fmu, a co-simulation unit: the version of the standard.
        platforms (here|none|linux-x86_64|linux-aarch64|windows-x86_64|macos-x86_64|macos-aarch64): Of -l fmu: platforms
            with a binary, with commas, here, or none; default: all with a compiler.
    """
    if not law:
        _say_laws(robot, as_json)
        return
    given, rest = _split_settings(wishes.values or [], law)
    subject, languages = options.find(robot, replace(wishes, values=rest)), _languages(language)
    unit = _unit_options(languages, fmi, platforms)
    asked: Chosen = options.read_symbolic(chosen) | given
    with progress(f"{law} of {subject.name}") as tell:
        if _open(given, law, sample):
            _refuse_open_unit(law, languages)
            made: Model = api.law_model(subject, law, sampled=not continuous, **asked, tell=tell)
        else:
            made = api.controller(subject, law, sample=_time(sample, continuous), **asked, tell=tell)
        parts = {each: made.emit(each, output, **code.arguments, **unit.get(each, {})) for each in languages}
    files = [path for paths in parts.values() for path in paths]
    inside = {"platforms": list(getattr(parts[UNIT], "platforms", ()))} if UNIT in parts else {}
    if as_json:
        say_json({"robot": subject.name, "law": law, **made.as_dict(), "files": list(map(str, files)), **inside})
        return
    say_models({law: made})
    if languages != [UNIT]:
        settings = ", ".join(port.name for port in made.function.inputs if port.role == "setting")
        name = f"{code.prefix.rstrip('_')}_{law}" if code.prefix else made.name
        start = "init" if made.function.states else "prepare"
        say_prose(Message("{name}_{start} takes {settings}", name, start, settings), "dim")
    for path in dict.fromkeys(files):
        say(str(path))
    if inside:
        say_prose(Message("binaries for {platforms}", ", ".join(inside["platforms"]) or Message("no platform")))


UNIT = "fmu"  # beside the languages: a unit of FMI is an archive, with binaries


def _languages(text: str) -> list[str]:
    """The languages that are meant, a unit among them, each once."""
    words = options.split_names(text)
    units = [UNIT for word in words if word.strip().lower() == UNIT]
    others = [word for word in words if word.strip().lower() != UNIT]
    return [*(language_names(",".join(others)) if others or not units else []), *units[:1]]


def _unit_options(languages: Sequence[str], fmi: str, platforms: str) -> dict[str, Chosen]:
    """What `emit` takes for a unit; refused where none is written."""
    if UNIT not in languages:
        if fmi or platforms:
            raise InputError("--fmi and --platforms are for a co-simulation unit: -l fmu")
        return {}
    return {UNIT: {"version": fmi, "platforms": options.split_names(platforms) if platforms else None}}


def _refuse_open_unit(law: str, languages: Sequence[str]) -> None:
    if UNIT in languages:
        raise InputError("-l fmu: {law} needs its gains and --sample, the time of a step: a unit starts from them", law)


def _say_laws(robot: str, as_json: bool) -> None:
    if robot:
        raise InputError("{robot}: which control law? There are {laws}", robot, ", ".join(api.laws()))
    told = {name: {"says": line, "settings": api.law_settings(name)} for name, line in api.laws().items()}
    if as_json:
        say_json(told)
        return
    lines = {name: (str(x["says"]), " ".join(x["settings"])) for name, x in told.items()}
    say_list("Control laws, and their settings", lines)


def _split_settings(values: Sequence[str], law: str) -> tuple[Chosen, list[str]]:
    """What is the law's, by name; the rest is the robot's."""
    own = {*api.law_settings(law), *api.law_options(law)}
    given: Chosen = {}
    rest = []
    for text in values:
        name, equals, value = (part.strip() for part in text.partition("="))
        if equals and name in own:
            given[name] = _value(name, value)
        else:
            rest.append(text)
    return given, rest


def _value(name: str, text: str) -> float | str | list[float | str]:
    """A number, several with commas, or a word."""
    parts = text.strip("[] ").split(",")
    numbers = [_number(part) for part in parts]
    if all(isinstance(x, (int, float)) for x in numbers):
        return numbers[0] if len(numbers) == 1 else numbers
    if len(parts) > 1:
        raise InputError("--set {name}: expected a number or several with commas, found {text!r:.60}", name, text)
    return text


def _number(text: str) -> float | str:
    try:
        return int(text) if text.strip().lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return text


def _open(given: Chosen, law: str, sample: float | None) -> bool:
    """Are the gains left to the caller of the emitted code?"""
    return sample is None and not any(name in given for name in api.law_settings(law))


def _time(sample: float | None, continuous: bool) -> float | None:
    if continuous and sample is not None:
        raise InputError("--continuous and --sample exclude each other")
    if sample is None and not continuous:
        raise InputError("gains without a time: give --sample, or --continuous for a law without steps")
    return sample
