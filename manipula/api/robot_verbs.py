"""What a person does with robots: find, read, write, convert, hand on as a module of JavaScript."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula.errors import ManipulaError, ManipulaWarning, RobotFileError, UnknownNameError, caution
from manipula.messages import Message, join_messages
from manipula.support.progress import Tell, silent

if TYPE_CHECKING:
    from manipula.mechanics.models.closure.closed_forms import ClosedForm
    from manipula.mechanics.robot.bind import Symbolic
    from manipula.mechanics.robot.default_values import Fact
    from manipula.mechanics.robot.formats.conversion.tables import TextTable
    from manipula.mechanics.robot.formats.registry import Format
    from manipula.robot import Robot, RobotLike


def robots() -> list[str]:
    """The names of the library's robots."""
    from manipula.mechanics.robot import library

    return library.names()


def load(source: str | Path, *, strict: bool = False, loops: str | Path = "", **options: object) -> Robot:
    """A robot by library name or from a file: .toml .urdf .xml .mjcf .sdf .par .csv .txt.

    exact= keeps angles near a quarter turn, lengths of nothing and parallelograms as written. URDF, MJCF, SDF: base=,
    tip=, locked=. Table options: convention=, angle=, length=, columns=. `loops` is a file of loop closures beside a
    URDF, or the file itself; motors= then names the driven joints where the file names others or none.

    >>> load("planar2r").dof
    2
    """
    from manipula.mechanics.robot.formats.checks import check_robot
    from manipula.mechanics.robot.formats.registry import robot_from_source
    from manipula.robot import Robot

    motors = options.get("motors") or ()
    motors = (motors,) if isinstance(motors, str) else tuple(motors)  # type: ignore[arg-type]
    if loops:
        options.pop("motors", None)
    elif motors:
        options["motors"] = motors
    with warnings.catch_warnings():
        if loops:
            warnings.filterwarnings("ignore", ".*the chain is open there", ManipulaWarning)
        robot = Robot.from_description(robot_from_source(source, **options), options)
    if loops:
        from manipula.mechanics.models.closure.rounding import close_rounded_loops
        from manipula.mechanics.robot.formats.loop_file import with_loops_from_file
        from manipula.mechanics.robot.formats.mjcf.loops import with_loops_from_mjcf
        from manipula.mechanics.robot.formats.snap_to_exact import couple_parallelograms
        from manipula.mechanics.robot.formats.urdf.loops import with_loops_from_urdf

        inside = with_loops_from_mjcf if robot.origin.format == "mjcf" else with_loops_from_urdf
        own = Path(loops).suffix.lower() in (".xml", ".mjcf", ".urdf")
        robot = with_loops_from_file(robot, loops, inside if own else None, motors)
        robot = robot if options.get("exact") else close_rounded_loops(couple_parallelograms(robot))
    problems = check_robot(robot, strict=True) if strict else []
    if problems:
        raise RobotFileError(problems[0], file=str(source))
    return robot


def robot_from(robot: RobotLike) -> Robot:
    """Every verb takes a robot, its name or file, an arm, or what `identify` found: see `as_robot`."""
    from manipula.robot import as_robot

    return as_robot(robot)


def from_text(text: str, path: Path, **options: object) -> Robot:
    """The robot that a file of this name with this text describes."""
    from manipula.mechanics.robot.formats.registry import format_read
    from manipula.robot import Robot

    return Robot.from_text(text, format_read(path.suffix, text, str(path)).name, file=str(path), **options)


def from_document(document: object) -> Robot:
    """The robot that an editor's document describes: cells of text as they were typed. A mistake raises
    `RobotFileError` with the sentence of a robot file, and the `row` and `field` of its cell."""
    from manipula.mechanics.robot.formats.conversion.document import robot_from_document
    from manipula.robot import Robot

    return Robot.of(robot_from_document(document))


def document(robot: RobotLike) -> dict[str, object]:
    """A robot as an editor holds it, plain data; `from_document` makes the same robot of it.

    >>> [row["a"] for row in document("planar2r")["rows"]]
    ['l1', 'l2']
    """
    from manipula.mechanics.robot.formats.conversion.document import document_from_robot

    return document_from_robot(robot_from(robot))


def document_from_file(text: str) -> dict[str, object]:
    """The document of a robot file in TOML, right or wrong, so long as it is TOML: mistakes are to be mended in it."""
    from manipula.mechanics.robot.formats.conversion.document import document_from_toml

    return document_from_toml(text)


def file_text(path: Path) -> str:
    """The text of a robot file, whatever its encoding; an error where it is not one."""
    from manipula.mechanics.robot.formats.source import text_from_bytes

    return text_from_bytes(path.read_bytes(), path.name)


def unit_fix(warning: object) -> dict[str, str]:
    """The unit that a table should have, by a warning about its numbers, such as {"angle": "deg"}; else empty."""
    from manipula.mechanics.robot.formats import checks

    return checks.unit_fix(warning)


def joint_kinds() -> list[str]:
    """The kinds of joints a row may be."""
    from manipula.mechanics.robot.joints import KINDS

    return list(KINDS)


def to_text(robot: RobotLike, format: str = "toml") -> str:
    """The robot as the text of a file: "toml", "urdf", "par", "dh"."""
    from manipula.mechanics.robot.formats.registry import FORMATS, format_named

    form = format_named(format)
    if not form.writer:
        raise UnknownNameError("format that is written", format, [x.name for x in FORMATS.values() if x.writer])
    return form.write(robot_from(robot))


def parameter_facts(robot: RobotLike) -> dict[str, Fact]:
    """Every parameter that may stay a letter: value, unit, meaning, and what may stand in where it has no value."""
    from manipula.mechanics.robot.default_values import parameter_facts as facts

    return facts(robot_from(robot))


def with_stand_ins(robot: RobotLike) -> tuple[Robot, dict[str, float]]:
    """The robot with a value for every name, and those that were made up."""
    from manipula.mechanics.robot.default_values import with_stand_ins as stood_in

    return stood_in(robot_from(robot))


def formats() -> dict[str, Format]:
    """The endings of robot files, and what each stands for."""
    from manipula.mechanics.robot.formats.registry import format_endings

    return format_endings()


def text_format(text: str, ending: str = "") -> Format:
    """The format of a text, by the ending of its file where a format has that, else by its text."""
    from manipula.mechanics.robot.formats.registry import format_of_text, format_read

    return format_read(ending, text, "") if ending.lower() in formats() else format_of_text(text)


def save(robot: RobotLike, path: str | Path) -> Path:
    """Write the robot; the ending chooses the format. The old file stays whole until the new one is complete."""
    from manipula.mechanics.robot.formats.registry import format_written
    from manipula.support.files import write_text

    path, subject = Path(path), robot_from(robot)
    form = format_written(path.suffix, str(path))
    folder = path.resolve().parent
    if subject.origin.visuals and form.visuals == "named":
        subject = _visuals_seen_from(subject, path.name, folder)
    text, lost = form.write(subject), form.losses(subject)
    if subject.origin.visuals and form.visuals == "held":
        text, left = _with_visuals(text, subject, folder)
        lost += left
    elif subject.origin.visuals and not form.visuals:
        lost.append("visuals")
    written = write_text(path, text)
    _warn_of_refusal(form, text, path.name)
    if lost:
        those, more = (path.name, form.title, join_messages(", ", lost[:3])), len(lost) - 3
        if more > 0:
            caution("{name}: {title} cannot hold the {lost} and {more} more; a .toml file keeps everything",
                    *those, more)  # fmt: skip
        else:
            caution("{name}: {title} cannot hold the {lost}; a .toml file keeps everything", *those)
    return written


def _visuals_seen_from(robot: Robot, file: str, folder: Path) -> Robot:
    """The robot for a TOML file there: it names the URDF that draws its links."""
    from manipula.mechanics.drawing.meshes import locate_file
    from manipula.mechanics.drawing.visuals import visual_file

    if (held := visual_file(robot)) is None:
        return robot
    seen = Path(os.path.relpath(held.resolve(), folder)).as_posix()
    if locate_file(seen, folder) is None:
        seen = held.name
        caution(
            "{file}: its links are drawn by {name}, which is not in the folder of the new file: copy it "
            "there with its meshes, or simple solids are drawn",
            file,
            held.name,
        )
    return replace(robot, origin=replace(robot.origin, visuals=seen))


def _with_visuals(text: str, robot: Robot, folder: Path) -> tuple[str, list[str]]:
    """The text of a URDF with the visuals of the one that draws the robot's links; and what of them has no link there.
    Meshes are seen from the new file."""
    from manipula.mechanics.drawing.visuals import visual_file
    from manipula.mechanics.robot.formats.source import text_from_bytes
    from manipula.mechanics.robot.formats.urdf.text import with_visuals

    if (held := visual_file(robot)) is None:
        return text, []
    if robot.origin.convention != "urdf":
        return text, [Message("visuals: the frames of the links are others now")]
    place = held.resolve().parent

    def relative_name(name: str) -> str:
        moved = "://" not in name and not Path(name).is_absolute()
        return Path(os.path.relpath(place / name, folder)).as_posix() if moved else name

    return with_visuals(text, text_from_bytes(held.read_bytes(), str(held)), relative_name)


def _warn_of_refusal(form: Format, text: str, file: str) -> None:
    """Of a file just written that its reader does not take: what a fit or another program gave the robot cannot be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            form.read(text)
    except ManipulaError as error:
        caution("{name}: this file will be refused when it is read: {refused}", file, error)


def convert(robot: RobotLike, target: str) -> Robot:
    """The same arm in another convention: "standard", "modified" or "urdf"."""
    from manipula.mechanics.robot.formats.conversion.conventions import convert as converted
    from manipula.robot import Robot

    return Robot.of(converted(robot_from(robot), target))


def tables(robot: RobotLike) -> tuple[TextTable, ...]:
    """The robot as tables of text, units in the headings."""
    from manipula.mechanics.robot.formats.conversion.tables import tables_of

    return tables_of(robot_from(robot))


# The robot as a module that pages and other programs of JavaScript read.


def robot_module(
    robot: RobotLike, path: str | Path | None = None, models: Sequence[str] | None = None, *, optimise: str = "fast",
    symbolic: Symbolic = "auto", frame: str = "", seconds: float | None = None, tell: Tell = silent,
    told: Callable[[str], str] = str,
) -> str:  # fmt: skip
    """The robot as one JavaScript module, an ES module without imports: its data and all its models as functions of
    (q, …, p). Returns the text, and writes it where a path is given, with TypeScript's declarations beside it.

    `models` are catalogue names; left out: pose, frames, axes, jacobian, inverse kinematics and dynamics. What cannot
    be made for this robot is left out and named in `robot.missing`; so is what comes after `seconds`. Parameters
    without a value get a stand-in. `symbolic="all"` keeps numbers of the table as parameters, too. `told` translates
    what the data says of parameters and of models that are missing.

    >>> "export function pose(q, p)" in robot_module("planar2r", models=["pose"], optimise="none")
    True
    """
    from manipula.generation.module import ModuleRequest, checked_models, module_texts
    from manipula.ik.module.part import inverse_part
    from manipula.support.files import write_text

    subject = robot_from(robot)
    subject = subject.at(frame) if frame else subject
    asked = ModuleRequest(subject, checked_models(models), symbolic, optimise, seconds, told)
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


# Which frame pages are about where a robot has several ends and nobody has named one: the picture's tool.


def shown_frame(robot: Robot) -> str:
    """Its name; "" of a robot with a tool."""
    from manipula.mechanics.robot import topology

    return topology.shown_frame(robot)


def robot_with_shown_tool(robot: Robot) -> Robot:
    """The robot with that frame for its tool."""
    frame = shown_frame(robot)
    return robot.at(frame) if frame else robot


def closed_forms(
    robot: RobotLike, positions: str | Sequence[str] = "motors", *, near: str = ""
) -> tuple[ClosedForm, ...]:
    """The formulas that give all positions of a robot with loops from those of its motors, or of some joints by name:
    loop by loop, on the branch of the pose `near`. `generate(…, positions=…)` puts them before a model."""
    from manipula.generation.closed_positions import forms_of

    return forms_of(robot_from(robot), positions, near or None)
