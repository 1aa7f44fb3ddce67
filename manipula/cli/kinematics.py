"""`ik`: the class of an arm, and every joint configuration that puts its tool at a pose."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manipula import api
from manipula.cli import inverse_screen as screen
from manipula.cli.inverse_screen import ScreenUnits, numbers
from manipula.cli.terminal import options
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.options import Wishes
from manipula.cli.terminal.screen import Data, progress, say, say_json, say_prose
from manipula.errors import InputError
from manipula.messages import Message

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from manipula.arm import Arm
    from manipula.robot import Robot


@dataclass(frozen=True)
class Target:
    """What is to be solved, as it was typed.

    Args:
        q ("Q1 Q2 …"): Solve the pose that these joint positions give.
        pose (FILE|NUMBERS): The pose: 16 numbers, row by row, or a JSON file.
        position (X,Y,Z): Solve for the tool's origin alone, at this point.
        task (pose|position|axis): What of the pose counts: all of it, the tool's origin, or its origin and z axis.
        seed ("Q1 Q2 …"): Answers nearest to these joint positions first.
        parameter: The free joint or arm angle of a redundant arm; several with commas.
        tolerance: Largest |FK − pose| of an answer, m and rad; else what the arm can meet.
    """

    q: str = ""
    pose: str = ""
    position: str = ""
    task: str = ""
    seed: str = ""
    parameter: str = ""
    tolerance: float | None = None

    @property
    def target_options(self) -> list[str]:
        """The options that name a target."""
        every = {"--q": self.q, "--pose": self.pose, "--position": self.position}
        return [option for option, text in every.items() if text]

    @property
    def part(self) -> str:
        """What of the pose counts."""
        return "position" if self.position else self.task or "pose"

    def check(self) -> None:
        if len(self.target_options) > 1:
            raise InputError("choose one of {given}", " and ".join(self.target_options))
        if (self.seed or self.parameter or self.tolerance is not None) and not self.target_options:
            raise InputError("--seed, --parameter and --tolerance need a pose: give --pose, --q or --position")
        if self.position and self.task not in ("", "position"):
            raise InputError("--position solves for the tool's origin alone; drop --task {task}, or give --pose",
                             self.task)  # fmt: skip

    def units(self, arm: Arm, degrees: bool) -> ScreenUnits:
        solver = arm.solver_for(self.part)
        return ScreenUnits([bool(turns) for turns in solver.turning], degrees, solver.plan.fixed_joint)

    def target(self, arm: Arm, at: list[float] | None) -> ArrayLike:
        if at is not None:
            return arm.pose(at)
        return _pose(self.pose) if self.pose else numbers("--position", self.position)


@command()
def ik(
    robot: str, *, asked: Target, wishes: Wishes, degrees: bool = False, derive: bool = False, latex: bool = False,
    as_json: bool = False,
) -> None:  # fmt: skip
    """Solve inverse kinematics: every branch, with its name, and why it is kept or rejected.

    Without --q, --pose or --position it prints the class of the arm, and why; that needs no values. Lengths
    are in m, angles in rad.

    \b
    Examples:
      manipula ik puma560
      manipula ik puma560 --derive
      manipula ik puma560 --q "0.1 0.2 0.3 0.4 0.5 0.6"
      manipula ik puma560 --q "10 20 30 40 0 60" --degrees
      manipula ik ur5 --pose pose.json --seed "0 0 0 0 0 0" --json
      manipula ik planar2r --set l1=0.4 --set l2=0.3 --position 0.3,0.4

    Args:
        degrees: Angles are read and shown in degrees; JSON has rad.
        derive: Print how the closed form is found: every step, with both its roots.
        latex: The derivation as LaTeX.
    """
    asked.check()
    subject = options.find(robot, wishes)
    if derive or latex:
        if asked.target_options:
            raise InputError("--derive has no use for a pose; drop {given}", asked.target_options[0])
        _say_derivation(subject, asked.task or None, latex, as_json)
        return
    from manipula.arm import Arm

    arm = Arm(subject)
    with progress(f"inverse kinematics of {subject.name}"):
        told = screen.told_class(arm, asked.part, bool(asked.target_options), [robot, *wishes.command_words])
    if not asked.target_options:
        say_json(told) if as_json else screen.say_class(told)
        return
    with progress(f"inverse kinematics of {subject.name}"):
        units = asked.units(arm, degrees)
        answer = told | _solve_target(arm, asked, units)
    say_json(answer) if as_json else screen.say_answer(answer, units)


def _solve_target(arm: Arm, asked: Target, units: ScreenUnits) -> Data:
    import numpy as np

    solver: Any = arm.solver_for(asked.part)
    at = units.read("--q", asked.q) if asked.q else None
    near = units.read("--seed", asked.seed) if asked.seed else None
    if asked.part == "pose":
        fixed: float | list[float] | None = _parameter(solver, asked.parameter, at, units)
    else:
        fixed = _free_joints(solver, asked.parameter, units)
        near = at if near is None else near  # so that --q is among the answers of a redundant arm
    target = np.asarray(asked.target(arm, at))
    told: Data = solver(target, near, fixed, asked.tolerance).as_dict()
    return {"parameter": fixed, "pose": target.tolist()} | told


def _say_derivation(subject: Robot, task: str | None, latex: bool, as_json: bool) -> None:
    """How the closed form is found. No number is needed: an arm in letters will do."""
    with progress(f"inverse kinematics of {subject.name}"):
        found = api.inverse_derivation(subject, task=task)
        text = found.latex() if latex else str(found)
    say_json(found.as_dict() | ({"latex": text} if latex else {})) if as_json else typer.echo(text)


# what was given


def _pose(text: str) -> ArrayLike:
    """A 4×4 matrix from 16 numbers, or from a JSON file that holds them, flat or in rows."""
    if Path(text).suffix.lower() == ".json":
        return _pose_from_file(Path(text))
    given = numbers("--pose", text)
    if len(given) != 16:
        raise InputError("--pose: expected 16 numbers, row by row, or a .json file, found {count} numbers", len(given))
    return [given[row : row + 4] for row in range(0, 16, 4)]


def _pose_from_file(path: Path) -> ArrayLike:
    import numpy as np

    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise InputError("{path}: not a JSON file: {problem}", path, problem) from None
    given = given.get("pose") if isinstance(given, dict) else given
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape not in ((4, 4), (16,)):
        raise InputError("{path}: expected a pose as 4 rows of 4 numbers, or 16 numbers, alone or under the key pose",
                         path)  # fmt: skip
    return found.reshape(4, 4)


def _parameter(solver: Any, text: str, at: list[float] | None, units: ScreenUnits) -> float | None:
    """Of a redundant arm: what the user says, or what leads back to --q."""
    if text:
        given = numbers("--parameter", text)
        if len(given) != 1:
            raise InputError("--parameter: expected one number, found {count}", len(given))
        return math.radians(given[0]) if units.degrees and units.free_turns else given[0]
    return solver.parameter_of(at) if at is not None and solver.plan.parameter else None


def _free_joints(solver: Any, text: str, units: ScreenUnits) -> list[float] | None:
    """The positions of the joints that a task leaves free."""
    if not text:
        return None
    given, free = numbers("--parameter", text), solver.freedom.free
    if len(given) != len(free):
        names = ", ".join(str(k + 1) for k in free) or "none"
        raise InputError("--parameter: expected the positions of the free joints ({names}), found {count} numbers",
                         names, len(given))  # fmt: skip
    return [math.radians(x) if units.degrees and units.turning[k] else x for x, k in zip(given, free, strict=True)]


# `follow`: a seam solved as a whole.


@command()
def follow(
    robot: str, poses: Path, *, start: str = "best", free: str = "", max_step: float = 1.0, cost: str = "travel",
    tolerance: float | None = None, degrees: bool = False, out: Path | None = None, wishes: Wishes,
    as_json: bool = False,
) -> None:  # fmt: skip
    """Follow poses of a table as a whole: joint positions with the fewest jumps, and why there are any.

    The table has columns x y z roll pitch yaw (about fixed axes), x y z qx qy qz qw, or 12 or 16 numbers of the matrix,
    row by row. A unit stands in brackets behind a name, x [mm], roll [deg]; without one it is metres and radians.
    Decimal commas, semicolons, tabs and blanks are understood. Exit code 1: a pose is not reached, or the joints jump.

    \b
    Examples:
      manipula follow irb120 poses.csv --out path.csv
      manipula follow ur5e poses.csv --start "0 -1.2 1 0 0.5 0" --max-step 0.1
      manipula follow puma560 poses.csv --free spin --cost margin --json

    Args:
        start ("Q1 Q2 …"): Where the arm stands, or best.
        free (spin): Leave the tool's turn about its z axis open.
        max_step: A longer step of a joint is a jump, rad and m.
        cost (travel|margin): Least joint travel, or largest distance to limits and singular poses.
        tolerance: Largest |FK − pose| of an answer, m and rad; else what the arm can meet.
        degrees: Angles of --start are read in degrees.
        out (FILE): Write the joint positions as CSV, rad and m.
    """
    subject = options.find(robot, wishes)
    from manipula.arm import Arm

    arm = Arm(subject)
    table = api.poses_from_table(poses)
    with progress(f"inverse kinematics of {subject.name}"):
        units = ScreenUnits([bool(turns) for turns in arm.inverse_solver.turning], degrees, None)
        given: Any = start if start == "best" else units.read("--start", start)
        found = arm.follow(table, given, tolerance=tolerance, free=free or None, max_step=max_step, cost=cost)
    if out is not None:
        found.save(out)
    if as_json:
        say_json(found.as_dict())
    else:
        for line in found.lines():
            say_prose(line)
        if out is not None:
            say(Message("wrote {file}", out))
    if found.jumps or found.unreached:
        raise typer.Exit(1)


# `singularities` and `reach`: singular configurations, and the reach.


@command(asked=Options(api.singularities, "symbolic"))
def singularities(
    robot: str, *, latex: bool = False, asked: Chosen, wishes: Wishes, as_json: bool = False
) -> None:  # fmt: skip
    """Find singular configurations: the determinant of the Jacobian in factors, each solved where it can be.

    Of arms with up to three joints, of a SCARA, and of six joints whose last three axes meet. Every equation is proved
    equal to the determinant and tried in numbers; parameters stay letters unless --symbolic says otherwise.

    \b
    Examples:
      manipula singularities planar2r
      manipula singularities puma560 --latex
      manipula singularities my_arm --set a2=0.4 --symbolic auto --json

    Args:
        latex: The equations as a LaTeX block.
    """
    if latex and as_json:
        raise InputError("choose one of --latex and --json")
    subject = options.find(robot, wishes)
    with progress(f"singular configurations of {subject.name}"):
        found = api.singularities(subject, **options.read_symbolic(asked))
        lines = [found.latex()] if latex else found.text_lines()
    if as_json:
        say_json(found.as_dict())
        return
    for line in lines:
        typer.echo(line) if latex else say(line)


@command(drawn=Options(api.reach, "seed"))
def reach(robot: str, *, drawn: Chosen, wishes: Wishes, as_json: bool = False) -> None:
    """Compute the reach: the largest and smallest distance of the tool, and its bounding box, within the limits.

    The best that searches from many configurations found: the tool may get farther, and nearer. Lengths are in m,
    angles in rad.

    \b
    Examples:
      manipula reach puma560
      manipula reach planar2r --set l1=0.5 --set l2=0.3
      manipula reach robot.urdf --tip wrist_3_link --json
    """
    subject = options.find(robot, wishes)
    with progress(f"reach of {subject.name}"):
        found = api.reach(subject, **drawn)
    if as_json:
        say_json(found.as_dict())
        return
    for line in found.lines():
        say_prose(line)
    far, near = (f"({', '.join(f'{round(x, 4) + 0:g}' for x in q)})" for q in (found.q_outer, found.q_inner))
    say_prose(Message("farthest at q = {far}; nearest at q = {near}", far, near))
