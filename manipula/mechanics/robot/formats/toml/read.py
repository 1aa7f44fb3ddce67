"""Robot files in TOML: read, validated, translated into the frozen robot (`toml_text` writes them)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Literal

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import Origin, RobotDescription
from manipula.mechanics.robot.formats.checks.robot import warn_about
from manipula.mechanics.robot.formats.checks.weight import refuse_heavy
from manipula.mechanics.robot.formats.naming import refuse_bad_names
from manipula.mechanics.robot.formats.source import checked_text, errors_of, refuse_too_many
from manipula.mechanics.robot.formats.structure import Structure
from manipula.mechanics.robot.formats.structured import received
from manipula.mechanics.robot.formats.toml.build import joint_names, robot_from_table
from manipula.mechanics.robot.formats.toml.problems import table_from_raw
from manipula.mechanics.robot.formats.toml.schema import RobotTable
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.messages import Message
from manipula.support.toml_text import toml_tables

__all__ = ["robot_from_raw", "robot_from_toml", "toml_from_robot"]

Form = Literal["toml", "dh", "python"]


def robot_from_toml(text: str, file: str = "", exact: bool = False) -> RobotDescription:
    """The robot of a TOML file. Mistakes raise `RobotFileError`; oddities are `ManipulaWarning`s.

    `exact` keeps angles near a quarter turn and lengths of nothing as they are written (see `structure`).
    """
    with errors_of(file):
        return robot_from_raw(raw_from_toml(checked_text(text)), file, "toml", exact)


def robot_from_raw(raw: Mapping[str, Any], file: str, form: Form, exact: bool = False) -> RobotDescription:
    """The robot of a file's content as plain tables; every table format comes through here."""
    with errors_of(file):
        refuse_too_many(len(raw["joint"]) if isinstance(raw.get("joint"), list) else 0)
        table = table_from_raw(raw)
        robot = robot_from_table(table, _origin(table, file, form))
        refuse_heavy(robot)
        refuse_bad_names(robot)
        structure = Structure(exact or table.exact)
        robot = received(robot, structure)
        warn_about(robot)
    structure.warn(file)
    return robot


def _origin(table: RobotTable, file: str, form: Form) -> Origin:
    notes = (f"{name}: {joint.note}" for name, joint in zip(joint_names(table), table.joint) if joint.note)
    base = "" if table.base is None else table.base.link_name or ""
    about = (file, table.source, (*table.notes, *notes), table.description, base, table.visuals)
    return Origin(form, table.convention, table.angle, table.length, *about)


def raw_from_toml(text: str, number: Callable[[str], Any] = Decimal) -> dict[str, Any]:
    """The tables of the text; `number` makes something of a number with a point."""
    try:
        return toml_tables(text, number)
    except tomllib.TOMLDecodeError as error:
        raise _syntax(str(error), text) from None
    except ValueError as error:
        raise RobotFileError("this is not valid TOML: {message}", error) from None


def _syntax(message: str, text: str) -> RobotFileError:
    """The parser's complaint, with the usual slips of a table typed by hand named."""
    found = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)", message)
    lines = text.splitlines()
    number = int(found[1]) if found and found[1] else len(lines)
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    problem = message[: found.start()] if found else message
    return RobotFileError(
        "this is not valid TOML: {message}",
        problem,
        where=Message("line {number}", number),
        field=_key(line),
        hint=_slip(line),
    )


def _key(line: str) -> str:
    return line.split("=", maxsplit=1)[0].strip()[:40] if "=" in line else ""


def _slip(line: str) -> str:
    if re.search(r"[0-9]\s*[°º˚]", line):
        return Message('write the number without its degree sign, or in quotes, as in "90°"')
    if re.search(r"=\s*-?[0-9]+,[0-9]", line):
        return Message("write a decimal point, not a comma")
    if re.search(r"=\s*-?[A-Za-z]", line):
        return Message('write names and expressions in quotes, such as "a2"')
    return Message("the line reads {line!r}", line.strip()[:60]) if line.strip() else ""
