"""`ik`: the class of an arm, and every joint configuration that puts its tool at a pose."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from manipula import api
from manipula.arm import Arm
from manipula.cli import options, places
from manipula.cli.assign import assignments
from manipula.cli.screen import guarded, progress, say, say_json, say_prose, say_table
from manipula.errors import InputError
from manipula.robot import Robot

_CAPTION = (
    "residual: the largest entry of |FK − pose|; margin: to the nearest limit, negative outside; "
    "a branch out of reach shows where it comes nearest."
)


@dataclass(frozen=True)
class _Units:
    """The units of an arm's joints on the screen; inside all is rad and m. `held`: a redundant arm's free joint."""

    turning: Sequence[bool]
    degrees: bool
    held: int | None

    @property
    def free_turns(self) -> bool:
        """Whether a redundant arm's parameter is an angle."""
        return self.held is None or self.turning[self.held]

    @property
    def angle(self) -> str:
        return "deg" if self.degrees else "rad"

    def name(self, joint: int) -> str:
        return self.angle if self.turning[joint] else "m"

    def shown(self, joint: int, value: float) -> float:
        return math.degrees(value) if self.degrees and self.turning[joint] else value

    def read(self, option: str, text: str) -> list[float]:
        """Joint positions as a user writes them."""
        given = _numbers(option, text)
        if len(given) != len(self.turning):
            raise InputError(f"{option}: expected {len(self.turning)} joint positions, found {len(given)} numbers")
        both = zip(given, self.turning, strict=True)
        return [math.radians(x) if self.degrees and turns else x for x, turns in both]


@guarded
def ik(
    robot: options.RobotName,
    q: Annotated[
        str, typer.Option("--q", metavar='"Q1 Q2 …"', help="Solve the pose that these joint positions give.")
    ] = "",
    pose: Annotated[
        str, typer.Option("--pose", metavar="FILE|NUMBERS", help="The pose: 16 numbers, row by row, or a JSON file.")
    ] = "",
    position: Annotated[
        str, typer.Option("--position", metavar="X,Y,Z", help="Solve for the tool's origin alone, at this point.")
    ] = "",
    task: Annotated[
        str,
        typer.Option(
            "--task",
            metavar="pose|position|axis",
            help="What of the pose counts: all of it, the tool's origin, or its origin and z axis.",
        ),
    ] = "",
    seed: Annotated[
        str, typer.Option("--seed", metavar='"Q1 Q2 …"', help="Answers nearest to these joint positions first.")
    ] = "",
    parameter: Annotated[
        str, typer.Option("--parameter", help="The free joint or arm angle of a redundant arm; several with commas.")
    ] = "",
    values: options.Values = None,
    degrees: Annotated[
        bool, typer.Option("--degrees", help="Angles are read and shown in degrees; JSON has rad.")
    ] = False,
    derive: Annotated[
        bool, typer.Option("--derive", help="Print how the closed form is found: every step, with both its roots.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="The derivation as LaTeX.")] = False,
    strict: options.Strict = False,
    as_json: options.Json = False,
) -> None:
    """Solve inverse kinematics: every branch, with its name, and why it is kept or rejected.

    Without --q, --pose or --position it tells which class the arm belongs to, and why; that needs no values. Lengths
    are in m, angles in rad.

    \b
    Examples:
      manipula ik puma560
      manipula ik puma560 --derive
      manipula ik puma560 --q "0.1 0.2 0.3 0.4 0.5 0.6"
      manipula ik puma560 --q "10 20 30 40 0 60" --degrees
      manipula ik ur5 --pose pose.json --seed "0 0 0 0 0 0" --json
      manipula ik planar2r --set l1=0.4 --set l2=0.3 --position 0.3,0.4
    """
    given = [option for option, text in (("--q", q), ("--pose", pose), ("--position", position)) if text]
    if len(given) > 1:
        raise InputError(f"choose one of {' and '.join(given)}")
    if (seed or parameter) and not given:
        raise InputError("--seed and --parameter need a pose: give --pose, --q or --position")
    if position and task not in ("", "position"):
        raise InputError(f"--position solves for the tool's origin alone; drop --task {task}, or give --pose")
    task = "position" if position else task or "pose"
    subject = places.find(robot, strict=strict)
    if values:
        subject = subject.with_parameters(**{change.name: change.value for change in assignments(values, subject)})
    if derive or latex:
        if given:
            raise InputError(f"--derive has no use for a pose; drop {given[0]}")
        _say_derivation(subject, latex, as_json)
        return
    arm = Arm(subject)
    if not given and task == "pose":
        with progress(f"inverse kinematics of {subject.name}"):
            told = _class(subject, arm.inverse_plan, robot)
        say_json(told) if as_json else _say_class(told)
        return
    with progress(f"inverse kinematics of {subject.name}"):
        solver = arm.solver_for(task)
        told = _class(subject, solver.plan, robot) if task == "pose" else _task_class(subject, solver)
    if not given:
        say_json(told) if as_json else _say_class(told)
        return
    units = _Units([bool(turns) for turns in solver.turning], degrees, solver.plan.held)
    at = units.read("--q", q) if q else None
    target = arm.pose(at) if at is not None else _pose(pose) if pose else np.array(_numbers("--position", position))
    near = units.read("--seed", seed) if seed else None
    if task != "pose":
        near = near if near is not None or at is None else at  # so that --q is among the answers of a redundant arm
    if task != "pose":
        fixed: Any = _free_joints(solver, parameter, units)
    else:
        fixed = _parameter(solver, parameter, at, units)
    with progress(f"inverse kinematics of {subject.name}"):
        result: Any = arm.inverse_kinematics(target, near, fixed, task=task)
        answer = told | {"parameter": fixed, "pose": np.asarray(target).tolist()} | _answer(result)
    say_json(answer) if as_json else _say_answer(answer, units)


def _say_derivation(subject: Robot, latex: bool, as_json: bool) -> None:
    """How the closed form is found. No number is needed: an arm in letters will do."""
    with progress(f"inverse kinematics of {subject.name}"):
        found = api.inverse_derivation(subject)
        text = found.latex() if latex else str(found)
    say_json(found.as_dict() | ({"latex": text} if latex else {})) if as_json else typer.echo(text)


# what was given


def _numbers(option: str, text: str) -> list[float]:
    words = text.replace(",", " ").split()
    found = [_number(option, word) for word in words]
    if not all(map(math.isfinite, found)):
        raise InputError(f"{option}: {words[[math.isfinite(x) for x in found].index(False)]} is not a finite number")
    return found


def _number(option: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"{option}: expected numbers separated by blanks, found {word!r}") from None


def _pose(text: str) -> Any:
    """A 4×4 matrix from 16 numbers, or from a JSON file that holds them, flat or in rows."""
    if Path(text).suffix.lower() == ".json":
        return _pose_from_file(Path(text))
    given = _numbers("--pose", text)
    if len(given) != 16:
        raise InputError(f"--pose: expected 16 numbers, row by row, or a .json file, found {len(given)} numbers")
    return np.reshape(given, (4, 4))


def _pose_from_file(path: Path) -> Any:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise InputError(f"{path}: not a JSON file: {problem}") from None
    given = given.get("pose") if isinstance(given, dict) else given
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape not in ((4, 4), (16,)):
        raise InputError(f"{path}: expected a pose as 4 rows of 4 numbers, or 16 numbers, alone or under the key pose")
    return found.reshape(4, 4)


def _parameter(solver: Any, text: str, at: list[float] | None, units: _Units) -> float | None:
    """Of a redundant arm: what the user says, or what leads back to --q."""
    if text:
        given = _numbers("--parameter", text)
        if len(given) != 1:
            raise InputError(f"--parameter: expected one number, found {len(given)}")
        return math.radians(given[0]) if units.degrees and units.free_turns else given[0]
    return solver.parameter_of(at) if at is not None and solver.plan.parameter else None


def _free_joints(solver: Any, text: str, units: _Units) -> list[float] | None:
    """The positions of the joints that a task leaves free."""
    if not text:
        return None
    both = zip(_numbers("--parameter", text), [*solver.freedom.free, *units.turning], strict=False)
    return [math.radians(x) if units.degrees and units.turning[k] else x for x, k in both]


# what is told


def _task_class(subject: Robot, solver: Any) -> dict[str, Any]:
    """Of a task that leaves something free: no code is written for it."""
    told = _class(subject, solver.plan, "")
    return told | {"task": solver.task, "closed_form": bool(solver.closed), "emit": None, "formulas": None} | {
        "derivation": None, "branch_count": 2 ** len(solver.plan.roles) if solver.closed else None
    }  # fmt: skip


def _class(subject: Robot, plan: Any, name: str) -> dict[str, Any]:
    emitted = plan.closed or plan.title == "general 6R"
    emit = f"manipula generate {shlex.quote(name)} -m inverse_kinematics -l c -o out/" if emitted else None
    formulas = f"manipula equations {shlex.quote(name)} inverse_kinematics" if plan.closed else None
    derivation = f"manipula ik {shlex.quote(name)} --derive" if plan.closed else None
    return {
        "robot": subject.name,
        "class": plan.title,
        "why": plan.sentence,
        "closed_form": plan.closed,
        "branch_count": 2 ** len(plan.roles) if plan.closed else None,
        "roles": list(plan.roles),
        "free": plan.parameter or None,
        "emit": emit,
        "formulas": formulas,
        "derivation": derivation,
    }


def _answer(result: Any) -> dict[str, Any]:
    rows = [_branch(result, i) for i in range(len(result.all))]
    answer: dict[str, Any] = {"answers": result.q.tolist(), "branches": rows, "nearest": None}
    answer["note"] = getattr(result, "note", "")
    if not len(result.q):
        best = result.nearest
        answer["nearest"] = {"q": best.q.tolist(), "distance": float(best.distance), "reason": best.reason}
    return answer


def _branch(result: Any, i: int) -> dict[str, Any]:
    family, ranks = result.families[i], {int(place): rank for rank, place in enumerate(result.order, 1)}
    return {
        "name": result.branch[i],
        "q": result.all[i].tolist(),
        "kept": bool(result.valid[i]),
        "answer": ranks.get(i),
        "why": result.why[i],
        "residual": float(result.residual[i]),
        "margin": [float(x) if math.isfinite(x) else None for x in result.margin[i]],
        "family": family.text if family is not None else None,
    }


# the screen


def _say_class(told: dict[str, Any]) -> None:
    say(f"{told['robot']}, {told['class']}", "bold cyan")
    say_prose(f"Why: {told['why']}.")
    if not told["closed_form"]:
        say_prose("There is no closed form; --q and --pose are solved all the same.")
        _say_free(told)
        if told["emit"]:
            say(f"As C: {told['emit']}")
        return
    each = f" for each value of the free parameter ({told['free']})" if told["free"] else ""
    choices = f": {' ±, '.join(told['roles'])} ±" if told["roles"] else ""
    many = "1 branch" if told["branch_count"] == 1 else f"{told['branch_count']} branches"
    say_prose(f"Closed form, {many}{each}{choices}.")
    if not told["emit"]:
        return
    say(f"As C: {told['emit']}")
    say(f"As formulas: {told['formulas']}")
    say(f"Step by step: {told['derivation']}")


def _say_free(told: dict[str, Any]) -> None:
    if told["free"] and "task" in told:
        say_prose(f"Free for this task: {told['free']}.")


def _say_answer(answer: dict[str, Any], units: _Units) -> None:
    rows, found = answer["branches"], len(answer["answers"])
    say_prose(f"{answer['robot']}, {answer['class']}: {answer['why']}.")
    if answer["note"]:
        say_prose(f"{answer['note'][:1].upper()}{answer['note'][1:]}.")
    elif answer["parameter"] is not None:
        say(f"With {answer['free']} = {_free(answer['parameter'], units)}.")
    joints = [f"q{i + 1} ({units.name(i)})" for i in range(len(units.turning))]
    columns = ("#", "branch", "answer", *joints, "residual", "margin")
    title = f"{found} answer{'' if found == 1 else 's'} of {len(rows)} branches"
    cells = [_cells(number, row, units) for number, row in enumerate(rows, 1)]
    say_table(title, columns, cells, right=(0, *range(2, len(columns))), caption=_CAPTION)
    _say_reasons(rows)
    if answer["nearest"] is not None:
        _say_nearest(answer["nearest"], units)


def _free(value: float, units: _Units) -> str:
    if not units.free_turns:
        return f"{value:.9g} m"
    return f"{math.degrees(value) if units.degrees else value:.9g} {units.angle}"


def _cells(number: int, row: dict[str, Any], units: _Units) -> tuple[str, ...]:
    q = (_rounded(units.shown(i, x)) for i, x in enumerate(row["q"]))
    kept = str(row["answer"]) if row["kept"] else "rejected"
    return (str(number), row["name"], kept, *q, f"{row['residual']:.1e}", _margin(row["margin"], units))


def _rounded(x: float) -> str:
    return f"{round(x, 6) + 0.0:.6f}"  # −0.000000 is 0.000000


def _margin(margins: Sequence[float | None], units: _Units) -> str:
    limited = [(x, joint) for joint, x in enumerate(margins) if x is not None]
    if not limited:
        return "no limits"
    least, joint = min(limited)
    return f"{units.shown(joint, least):.4g} {units.name(joint)} (q{joint + 1})"


def _say_reasons(rows: Sequence[dict[str, Any]]) -> None:
    """Under the table, where words have room; branches with the same reason together."""
    reasons: dict[str, list[int]] = {}
    for number, row in enumerate(rows, 1):
        if row["why"]:
            reasons.setdefault(f"rejected: {row['why']}", []).append(number)
        if row["family"]:
            reasons.setdefault(f"one of infinitely many: {row['family']}", []).append(number)
    for words, numbers in reasons.items():
        say_prose(f"# {', '.join(map(str, numbers))} {words}")


def _say_nearest(nearest: dict[str, Any], units: _Units) -> None:
    q = ", ".join(f"{_rounded(units.shown(i, x))} {units.name(i)}" for i, x in enumerate(nearest["q"]))
    say_prose(f"{nearest['reason'][:1].upper()}{nearest['reason'][1:]}.", "bold")
    say_prose(f"Nearest configuration, at distance {nearest['distance']:.6g} (norm of FK − pose): {q}")
