"""What was found, in base parameters: the sums that torques can tell, whose errors are finite though those of their
terms are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import evaluate
from manipula.identification.columns.column import Column
from manipula.identification.columns.inertial import INERTIAL
from manipula.identification.fitting.table import Row, Table
from manipula.identification.fitting.uncertainty import Spread
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.standard import standard_parameters, with_standard
from manipula.mechanics.robot.values.parameter import number
from manipula.mechanics.spatial.floats import FLOATS
from manipula.parameters.base import base_parameters_of

Array = NDArray[np.float64]


def base_rows(
    robot: RobotDescription, columns: Sequence[Column], theta: Array, spread: Spread, believed: Array | None
) -> Table:
    """Base parameters = C·standard parameters; columns that no robot file has stand for themselves."""
    names, C = combinations(robot, columns)
    sigmas = spread.sigma(C)
    before = [None] * len(C) if believed is None else [float(x) for x in C @ believed]
    units = [_unit(row, columns) for row in C]
    rows = zip(names, C @ theta, sigmas, before, units)
    return Table([Row(name, float(x), float(s), b, unit, "base") for name, x, s, b, unit in rows])


def combinations(robot: RobotDescription, columns: Sequence[Column]) -> tuple[list[str], Array]:
    """The names of the base parameters of these columns, and C with a row for each."""
    own, linear = [c.name for c in columns], standard_parameters(robot)
    motors = {c.name: number(1.0) for c in columns if c.family != INERTIAL and c.name in linear}
    exact = base_parameters_of(with_standard(robot, motors))  # an entry that is plainly zero would have no column
    standard = list(exact.classes)
    flat = [float(x) for x in evaluate(exact.matrix.roots, {}, FLOATS)]
    matrix = np.array(flat).reshape(len(exact.names), len(standard))
    kept = [k for k, name in enumerate(standard) if name in own]
    C = np.zeros((len(exact.names), len(own)))
    C[:, [own.index(standard[k]) for k in kept]] = matrix[:, kept]
    felt = np.flatnonzero(np.abs(C).any(axis=1))
    others = [k for k, name in enumerate(own) if name not in standard]
    names = [exact.names[k] for k in felt] + [own[k] for k in others]
    return names, np.vstack([C[felt], np.eye(len(own))[others]])


def _unit(row: Array, columns: Sequence[Column]) -> str:
    return columns[int(np.argmax(np.abs(row) > 0))].unit
