"""The robot as a module that pages and other programs of JavaScript read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula.api.robot_verbs import robot_from
from manipula.support.progress import Tell, silent

if TYPE_CHECKING:
    from manipula.mechanics.robot.bind import Symbolic
    from manipula.robot import RobotLike


def robot_module(
    robot: RobotLike, path: str | Path | None = None, models: Sequence[str] | None = None, *, optimise: str = "fast",
    symbolic: Symbolic = "auto", frame: str = "", seconds: float | None = None, tell: Tell = silent,
) -> str:  # fmt: skip
    """The robot as one JavaScript module, an ES module without imports: its data and all its models as functions of
    (q, …, p). Returns the text, and writes it where a path is given, with TypeScript's declarations beside it.

    `models` are catalogue names; left out: pose, frames, axes, jacobian, inverse kinematics and dynamics. What cannot
    be made for this robot is left out and named in `robot.missing`; so is what comes after `seconds`. Parameters
    without a value get a stand-in. `symbolic="all"` keeps numbers of the table as parameters, too.

    >>> "export function pose(q, p)" in robot_module("planar2r", models=["pose"], optimise="none")
    True
    """
    from manipula.generation.module import ModuleRequest, checked_models, module_texts
    from manipula.ik.module.part import inverse_part
    from manipula.support.files import write_text

    subject = robot_from(robot)
    subject = subject.at(frame) if frame else subject
    asked = ModuleRequest(subject, checked_models(models), symbolic, optimise, seconds)
    made = module_texts(asked, {"inverse_kinematics": inverse_part}, tell)
    if path is not None:
        write_text(Path(path), made.module)
        write_text(types_beside(Path(path)), made.types)
    return made.module


def types_beside(path: Path) -> Path:
    """Where TypeScript looks for the declarations of a module: arm.d.mts beside arm.mjs, arm.d.ts beside any other."""
    return path.with_suffix(".d.mts" if path.suffix == ".mjs" else ".d.ts")


def module_file(robot: RobotLike) -> str:
    """The name of the file of a robot's module: letters, digits and _ alone."""
    from manipula.algebra.emit.ports import identifier

    return f"{identifier(robot_from(robot).name)}.mjs"


def robot_data(module: str) -> dict[str, Any]:
    """The data of a robot's module, from its text: what `robot` is in JavaScript.

    >>> robot_data(robot_module("planar2r", models=["pose"], optimise="none"))["dof"]
    2
    """
    from manipula.algebra.emit.javascript.robot_module import data_of

    return data_of(module)
