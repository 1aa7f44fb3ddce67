"""`Found`: what `identify` returns. Parameters with their doubts, a robot, what was chosen, how well it predicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import evaluate
from manipula.errors import UnknownNameError
from manipula.generation.results.model import Model
from manipula.generation.results.system import System
from manipula.identification.base_motion import SIX, WRENCH
from manipula.identification.closed_motion import with_passive_joints
from manipula.identification.columns import INERTIAL, Column
from manipula.identification.conversion import Conversion
from manipula.identification.data import Data, gather
from manipula.identification.filters import Filter
from manipula.identification.fit.errors import Errors, Judged, compare, errors_of, torques_at
from manipula.identification.fit.selection import Choice
from manipula.identification.fit.to_robot import (
    Spread,
    consistent,
    eigenvalues_of,
    in_file,
    left_out,
    robot_with,
    torque_function,
)
from manipula.identification.joint_model import JointModel
from manipula.identification.report import Course, course_of, report_of
from manipula.mechanics.models.linear.regressor import BODY_NAMES
from manipula.mechanics.robot.bodies import bodies_of_base, standard_parameters, with_standard
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import number
from manipula.mechanics.spatial.floats import FLOATS
from manipula.parameters.base import base_parameters_of
from manipula.parameters.significance import SAMPLES, Motions, SignificanceReport, significance_of
from manipula.recordings.log import Log
from manipula.robot import Robot
from manipula.support.files import write_text
from manipula.support.text import html_table, plain

# Parameters as a table: a row for each, by name.


@dataclass(frozen=True)
class Row:
    """A parameter: its value, its standard deviation (infinite: the data do not tell it), what was believed before."""

    name: str
    value: float
    sigma: float
    prior: float | None
    unit: str
    family: str

    @property
    def is_identified(self) -> bool:
        """Is it known better than to its own size?"""
        return bool(self.sigma < abs(self.value))


class Table(Sequence[Row]):
    """`table["m3"].value`, `table.values`, `table.sigmas`; printed as lines."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)
        self._places = {row.name: place for place, row in enumerate(self.rows)}

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self.rows[which]
        if which not in self._places:
            raise UnknownNameError("parameter", which, self._places)
        return self.rows[self._places[which]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __contains__(self, which: object) -> bool:
        return which in self._places if isinstance(which, str) else which in self.rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._places)

    @property
    def values(self) -> Any:
        return np.array([row.value for row in self.rows])

    @property
    def sigmas(self) -> Any:
        return np.array([row.sigma for row in self.rows])

    def as_dict(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = plain([asdict(row) for row in self.rows])
        return found

    def __str__(self) -> str:
        wide = max([9, *(len(row.name) for row in self.rows)])
        lines = [HEADS, *map(_cells, self.rows)]
        return "\n".join(f"{a:{wide}}  {b:>11}  {c:>9}  {d:>11}  {e}" for a, b, c, d, e in lines)

    def _repr_html_(self) -> str:
        return html_table(HEADS, [_cells(row) for row in self.rows])

    def __repr__(self) -> str:
        return f"<table of {len(self)} parameters: {', '.join(self.names[:6])}{', …' if len(self) > 6 else ''}>"


HEADS = ("parameter", "value", "± sigma", "prior", "unit")


def _cells(row: Row) -> tuple[str, ...]:
    sigma = "unknown" if not np.isfinite(row.sigma) else f"{row.sigma:.2g}"
    return row.name, f"{row.value:.5g}", sigma, "" if row.prior is None else f"{row.prior:.4g}", row.unit


# What was found, in base parameters: the identifiable sums, whose errors are finite though those of their
# terms are not.

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
    if robot.moving:  # sums with the base's own inertia are felt by the wrench on it alone
        base = {f"{name}{suffix}" for suffix, _ in bodies_of_base(robot) for name in BODY_NAMES} - set(own)
        matrix[np.abs(matrix[:, [name in base for name in standard]]).any(axis=1)] = 0.0
    C = np.zeros((len(exact.names), len(own)))
    C[:, [own.index(standard[k]) for k in kept]] = matrix[:, kept]
    felt = np.flatnonzero(np.abs(C).any(axis=1))
    others = [k for k, name in enumerate(own) if name not in standard]
    names = [exact.names[k] for k in felt] + [own[k] for k in others]
    return names, np.vstack([C[felt], np.eye(len(own))[others]])


def _unit(row: Array, columns: Sequence[Column]) -> str:
    return columns[int(np.argmax(np.abs(row) > 0))].unit


def _shown(column: Column, value: float) -> float:
    """A gain is the gain; what a fit has is how far it is from 1."""
    return 1 + value if column.family == "gain" else value


@dataclass(frozen=True, eq=False, repr=False)
class Found:
    """What recordings show of a robot.

    `train` and `validation` are the errors on the logs given; a torque is compared after the filter that the fit saw it
    through, and all rows count. `choices` are the families that were looked at; `warnings` are sentences.
    """

    method: str
    prior: str | None
    model: JointModel
    filter: tuple[str, ...]
    correlation: float  # τ_int, samples: the weight of the prior, and the factor of the variances
    train: Errors
    validation: tuple[Errors, ...]
    choices: tuple[Choice, ...]
    blocks: tuple[float, ...]  # errors of the blocks left out, %, where columns were chosen
    warnings: tuple[str, ...]
    columns: tuple[Column, ...]
    theta: Array
    believed: Array | None
    spread: Spread
    data: Data
    validation_data: tuple[Data, ...] = ()  # the recordings of `validation`
    asked_filter: Filter = "auto"  # of other recordings, too
    conversion: Conversion | None = None  # of recorded numbers to those of the joints: motors, and what was repaired
    repairs: tuple[str, ...] = ()  # slips of the recordings that were undone
    doubtful: bool = False  # a slip was found that explains far more, and was not undone

    # results

    @cached_property
    def robot(self) -> Robot:
        """The robot with what was found of it: inertia, motor inertia, friction, gravity of a base that leans; all that
        a robot file can say."""
        return Robot.of(robot_with(self.data.source.columns, self.columns, self.theta))

    @cached_property
    def torque(self) -> Model:
        """All of what was found as one proved Model (q, qd, qdd) → tau, to be compiled and emitted. With hysteresis it
        is a System, which goes step by step from `start(q_before=q)`. Signs are smooth, as fitted. Of a base that moves
        it takes w0, wd0 and a0 besides, and gives `base_wrench`, too."""
        source = self.data.source.columns
        function = torque_function(source, self.columns, self.theta)
        sample = 1 / self.data.source.motions[0].smoother.rate
        return System(function, sample=sample) if function.states else Model(function)

    @property
    def extra(self) -> dict[str, float]:
        """What a robot file cannot say, by name."""
        said = in_file(self.columns)
        return {c.name: _shown(c, float(x)) for c, x, own in zip(self.columns, self.theta, said) if not own}

    @property
    def left_out(self) -> str:
        """A sentence on what `robot` cannot hold; empty where it holds everything."""
        return left_out(self.data, self.theta, self.train)

    @cached_property
    def parameters(self) -> Table:
        """Every unknown with its standard deviation, and what was believed of it before."""
        sigmas = self.spread.sigma(np.eye(len(self.columns)))
        believed = [None] * len(self.columns) if self.believed is None else [float(x) for x in self.believed]
        rows = zip(self.columns, self.theta, sigmas, believed)
        return Table([Row(c.name, _shown(c, float(x)), float(s), b, c.unit, c.family) for c, x, s, b in rows])

    @cached_property
    def base_parameters(self) -> Table:
        """The identifiable sums of parameters, with their standard deviations."""
        return base_rows(self.data.robot, self.columns, self.theta, self.spread, self.believed)

    @property
    def consistent(self) -> bool:
        """Could masses and motors make this?"""
        return consistent(self.columns, self.theta)

    @property
    def eigenvalues(self) -> Array:
        """Of every link the least eigenvalue of its pseudo-inertia, lengths in the link's own size: positive."""
        return eigenvalues_of(self.columns, self.theta)

    def significance(self, tolerance: float = 0.01, log: Log | Sequence[Log] | None = None) -> SignificanceReport:
        """Which base parameters these motions do not feel, to a part of each joint's largest torque, and what leaving
        them out saves in operations: of the recordings of the fit, or of others. Friction that follows the load, in
        which torques are not linear, is not among them."""
        data = self.data if log is None else self.data_from_log(log)
        rows = [np.concatenate([getattr(m, name) for m in data.source.motions]) for name in ("q", "qd", "qdd")]
        every = max(1, len(rows[0]) // SAMPLES)
        linear = [k for k, column in enumerate(self.columns) if not (column.loaded and column.words)]
        robot = robot_with(data.source.columns, [self.columns[k] for k in linear], self.theta[linear])
        return significance_of(robot, Motions(*(x[::every] for x in rows)), tolerance)

    # predictions

    def errors(self, log: Log | Sequence[Log]) -> Errors:
        """On any recording of this robot."""
        return errors_of(self.data_from_log(log), self.theta)

    def error(self, log: Log | Sequence[Log], *, moving: bool = False) -> float:
        """100·‖τ − τ̂‖/‖τ‖ over the whole log, or where joints move (|q̇| ≥ 0.01 rad/s, 1 mm/s)."""
        found = self.errors(log)
        return found.moving if moving else found.whole

    def comparison(self, judge: float | Sequence[float] = ()) -> tuple[Judged, ...]:
        """Errors that can be compared: of the training (place 0) and every validation, through the filter of the fit,
        through low-passes of `judge` Hz, and on the raw torque; beside them those of plain least squares."""
        hertz = [judge] if isinstance(judge, int | float) else list(judge)
        return tuple(compare(self.data, self.validation_data, self.theta, [float(x) for x in hertz]))

    def predict(self, log: Log) -> Array:
        """The torques (time, n) of a recorded motion, at the log's own times; torques need not be recorded.

        Positions are filtered as they were for the fit; the torques are as they come.
        """
        given = log if log.tau is not None else replace(log, tau=np.zeros_like(log.q))
        if self.data.source.columns.wrench and WRENCH not in given.state:
            given = replace(given, state={**given.state, WRENCH: np.zeros((len(given), len(SIX)))})
        return torques_at(self.data_from_log(given), self.theta, log.t)

    def data_from_log(self, log: Log | Sequence[Log]) -> Data:
        """A recording, made as those of the fit were, through the columns of this fit."""
        logs = [with_passive_joints(self.data.robot, x) for x in ([log] if isinstance(log, Log) else log)]
        if self.conversion is None:
            return self.data_from_joints(logs)
        return self.data_from_joints([self.conversion.apply(one) for one in logs])

    def data_from_joints(self, log: Log | Sequence[Log]) -> Data:
        """The same of a recording in the coordinates of the joints."""
        inertial = self.theta[[k for k, c in enumerate(self.columns) if c.family == INERTIAL]]
        wrench = self.data.source.columns.wrench
        data = gather(self.data.robot, log, self.model, self.asked_filter, load=inertial, wrench=wrench)
        return data.subset([c.name for c in self.columns])

    @cached_property
    def courses(self) -> tuple[Course, ...]:
        """Torques over time, `measured` and `predicted`: of those of the fit, then of each to validate with."""
        return tuple(course_of(data, self.theta) for data in (self.data, *self.validation_data))

    # in words

    def report(self, path: str | Path) -> Path:
        """One page that stands alone, .html: warnings, errors, choices, torques, residuals, parameters with their
        standard deviations, conditioning. Returns its path."""
        return write_text(Path(path), report_of(self))

    def as_dict(self) -> dict[str, object]:
        found: dict[str, object] = plain(
            {
                "robot": self.data.robot.name,
                "method": self.method,
                "prior": self.prior,
                "filter": list(dict.fromkeys(self.filter)),
                "correlation": self.correlation,
                "consistent": self.consistent,
                "train": self.train,
                "validation": list(self.validation),
                "choices": [vars(choice) for choice in self.choices],
                "warnings": list(self.warnings),
                "repairs": list(self.repairs),
                "parameters": self.parameters,
                "extra": self.extra,
            }
        )
        return found

    def __str__(self) -> str:
        lines = [*self._head(), "", str(self.parameters)]
        lines += ["", *(f"warning: {text}" for text in self.warnings)] if self.warnings else []
        return "\n".join(lines)

    def _head(self) -> list[str]:
        told = "physically consistent" if self.consistent else "NOT physically consistent"
        prior = "no prior" if self.prior is None else f"prior {self.prior}"
        chosen = [choice.family for choice in self.choices if choice.taken]
        return [
            f"{self.data.robot.name}: {len(self.columns)} parameters by {self.method}, {prior}; {told}",
            f"training: {self.train}",
            *(f"validation {k}: {errors}" for k, errors in enumerate(self.validation, 1)),
            *([f"families chosen: {', '.join(chosen)}"] if chosen else []),
            f"residuals remember {self.correlation:.3g} samples",
        ]

    def _repr_html_(self) -> str:
        words = [*self._head(), *(f"warning: {text}" for text in self.warnings)]
        return "".join(f"<p>{escape(line)}</p>" for line in words) + self.parameters._repr_html_()

    def __repr__(self) -> str:
        judged = "".join(f", validation {x.whole:.2f} %" for x in self.validation)
        many = f"{len(self.columns)} parameters"
        return f"<found of {self.data.robot.name}: {many}, training {self.train.whole:.2f} %{judged}>"
