"""`simulate` and `loads`: arms in time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula import api
from manipula.cli.inverse_screen import numbers
from manipula.cli.terminal import options
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.options import NOTHING, Wishes
from manipula.cli.terminal.screen import progress, say, say_json, say_prose, say_table
from manipula.errors import InputError
from manipula.messages import Message, join_messages
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula import Plant, Run
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
        subject, made = options.find(robot, wishes), None
        moved, begin = motion.trajectory(subject, degrees), base.start(subject, motion.begin(subject, degrees))
        settings, _ = _gains(law, gains), api.law_options(law) if law else ()  # an unknown law is met here
        if not motion.goal and end.get("until") is None:
            raise InputError("give a motion, --to Q, or the end of the run in seconds, --until 2")
        with progress(f"simulating {subject.name}") as tell:
            if law:
                made = api.controller(subject, law, sample=sample or None, tell=tell, **settings)
            loaded = _loaded(subject, payload)
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
