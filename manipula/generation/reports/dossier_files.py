"""The dossier of a robot: tables, geometric model and complete Lagrangian model as one set of files."""

from __future__ import annotations

from collections.abc import Callable

from manipula.algebra.emit.dossier import Dossier, dossier_files
from manipula.algebra.tape import Tape, tape_from_function
from manipula.generation.prepare import prepare
from manipula.generation.proved import generate_function
from manipula.generation.request import Request
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.conversion.tables import dynamic_table, geometry_table, motor_table
from manipula.version import __version__


def files_of_dossier(robot: RobotDescription, tell: Callable[[str], None] = lambda text: None) -> dict[str, str]:
    """File name → text."""

    asked = prepare(Request(robot, "pose"))

    def tape(model: str) -> Tape:
        return tape_from_function(generate_function(asked.asking(model=model), tell))

    tables = [table for table in (dynamic_table(robot), motor_table(robot)) if table.rows]
    return dossier_files(
        Dossier(
            robot.name,
            __version__,
            [geometry_table(robot)],
            tables,
            tape("pose"),
            tape("transforms"),
            tape("frames"),
            tape("lagrange_terms"),
        )
    )
