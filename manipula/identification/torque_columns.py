"""All columns of a robot under a joint model: their list, and their values along a motion, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.identification.base_motion import SIX, with_base
from manipula.identification.closed_motion import closed_motion_of
from manipula.identification.columns import (
    INERTIAL,
    Array,
    Column,
    Coupling,
    inertial_of,
    known_values,
    number_of,
    spring_columns,
)
from manipula.identification.filters import MATHS, RecordedMotion
from manipula.identification.joint_model import GROUPS, TILT, JointModel, own_widths
from manipula.mechanics.models.linear.joint_families import FAMILIES, SLIDE, SLOW, At, ColumnFamily, Formula
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.messages import Message
from manipula.recordings.log import Log

Rows = slice | NDArray[np.intp]
Row = Callable[["Moment", int], Any]  # a column's value in the row of a joint


@dataclass(frozen=True)
class Moment:
    """Samples of a motion: as the families see them, and gravity's torque if the base leaned."""

    at: At
    leaning: Sequence[Sequence[Any]]


class Columns:
    """`columns` in their order; `own(j)` are the places of those that row j can feel.

    A row is a joint's torque. Of a robot with loops, rows of joints without a motor feel nothing; the motors feel what
    the joints of the tree would (`closed_motion`). A base that moves has six rows more where the `wrench` on it was
    measured.
    """

    def __init__(self, robot: RobotDescription, model: JointModel, wrench: bool = False) -> None:
        wrench = wrench and bool(robot.moving)
        self.model, self.inertial, self.wrench = model, inertial_of(robot, wrench), wrench
        self.robot = self.inertial.robot
        self.closed = closed_motion_of(self.robot) if self.robot.loops else None
        self._refuse_families()
        own = self.robot.joint_names
        rows = [(x, end) for x, end in zip(self.robot.joints, suffixes_of(self.robot).rows) if x.name in own]
        self.joints, self.suffixes = [x for x, _ in rows], [end for _, end in rows]
        # widths of friction are in rad/s: a slide is as slow at SLIDE m/s as a turn at 1 rad/s
        self._pace = [Fraction(1) if x.turns else SLIDE for x in self.joints]
        self.pace = np.array([float(x) for x in self._pace])
        self.widths = own_widths(self.joints, self._pace, dict(self.robot.values))
        pairs = [*self._families(), *self._springs(), *self._tilt(), *self._coupling_columns()]
        of_tree = (*self.inertial.columns, *(column for column, _ in pairs))
        self._of_tree = _places_by_row(of_tree, len(self.rows))
        driven = self.robot.motor_coordinates
        self.columns = tuple(replace(x, rows=driven) for x in of_tree) if self.closed else of_tree
        self._formulas = [formula for _, formula in pairs]

    @property
    def dof(self) -> int:
        return len(self.joints)

    @property
    def rows(self) -> tuple[str, ...]:
        """What is recorded, by name: torques of joints, then the wrench on a base that moves."""
        base = tuple(f"base {x}" for x in SIX) if self.wrench else ()
        return (*self.robot.joint_names, *base)

    @property
    def motor_rows(self) -> NDArray[np.bool_]:
        """The rows that feel anything: without those of joints that have no motor."""
        driven = self.robot.motor_coordinates if self.closed else range(len(self.rows))
        return np.isin(np.arange(len(self.rows)), list(driven))

    def whole_motion(self, motion: RecordedMotion, log: Log) -> RecordedMotion:
        """With what loops and a base that moves add to the joints' positions."""
        if self.closed is not None:
            return self.closed.along(motion)
        if self.robot.moving:
            return with_base(motion, log, self.inertial.gravity, self.wrench, self.robot.name)
        return motion

    def check(self, log: Log) -> None:
        """Refuses what is no recording of torques of this robot."""
        if log.tau is None:
            raise InputError(
                "{place}: has no torques, and an identification needs them; name their columns: "
                "columns={{'tau': [...]}}",
                log.source or Message("log"),
            )
        for name, value in (("q", log.q), ("tau", log.tau)):
            if np.ndim(value) != 2 or np.shape(value)[1] != self.dof:
                raise InputError("log: {name}: expected shape (time, {dof}), a column a joint of {name2}, found "
                                 "{shape}",
                                 name, self.dof, self.robot.name, np.shape(value))  # fmt: skip
            # one NaN in a Gram matrix is one in every parameter
            if not np.isfinite(value).all():
                raise InputError("log: {name}: has entries that are no numbers; mp.read_log cuts such times out", name)

    @property
    def slow(self) -> Array:
        """Rates below which a joint may stick: 0.01 rad/s, or 1 mm/s of one that slides."""
        return float(SLOW) * self.pace

    @cached_property
    def file_values(self) -> Array:
        """What the robot's file says of every column; NaN where nothing."""
        return known_values(self.robot, self.columns)

    @property
    def depends_on_load(self) -> bool:
        return any(column.loaded for column in self.columns)

    def own(self, j: int) -> NDArray[np.intp]:
        return self._own[j]

    @cached_property
    def _own(self) -> list[NDArray[np.intp]]:
        return _places_by_row(self.columns, len(self.rows))

    @cached_property
    def smooth(self) -> list[NDArray[np.bool_]]:
        """Of every row which of its columns have no edges along a smooth motion: inertia, a base that leans."""
        return self._smooth_among(self._own)

    def _smooth_among(self, places: list[NDArray[np.intp]]) -> list[NDArray[np.bool_]]:
        return [np.array([self.columns[k].family in (INERTIAL, TILT) for k in own], bool) for own in places]

    @cached_property
    def _smooth_of_tree(self) -> list[NDArray[np.bool_]]:
        return self._smooth_among(self._of_tree)

    @property
    def torque_factors(self) -> Array:
        """What recorded torques are multiplied by, where drive gains are known."""
        found = np.ones(self.dof)
        for name, factor in self.model.gains.items() if isinstance(self.model.gains, Mapping) else ():
            names = [joint.name for joint in self.joints]
            if name not in names:
                raise UnknownNameError(Message("joint of {name}", self.robot.name), name, names)
            found[names.index(name)] = float(factor)
        return found

    def radii(self) -> list[Fraction]:
        """The stop operators that the motion must carry."""
        return [Fraction(key.partition(":")[2]) for key in self.model.families if key in GROUPS["hysteresis"]]

    # their list

    def _families(self) -> Iterator[tuple[Column, Row]]:
        for key in self.model.families:
            family = FAMILIES[key]
            for shape in family.shapes:
                for j, (joint, end) in enumerate(zip(self.joints, self.suffixes)):
                    if self._has_none(family, joint, j):
                        continue
                    name = shape.letters.replace("[", f"{end}[") if "[" in shape.letters else f"{shape.letters}{end}"
                    unit, words = shape.units[not joint.turns], {} if self._other_load(family, j) else shape.words
                    wide = {x: self.widths[x][j] if w is None else w * self._pace[j] for x, w in family.widths.items()}
                    column = Column(name, key, j, unit, shape.lower, None, (j,), family.loaded, words, wide)
                    yield column, partial(_by_family, shape.formula)

    def _has_none(self, family: ColumnFamily, joint: Joint, j: int) -> bool:
        """A joint without a motor rubs; it lacks a motor's terms, unless the file gives it some."""
        if self.closed is None or j in self.robot.motor_coordinates or family.friction:
            return False
        given = joint.actuator.parameters_by_letter()
        cells = [given.get(letters) for shape in family.shapes for letters in shape.words]
        return all(cell is None or number_of(cell.parameter, dict(self.robot.values)) == 0 for cell in cells)

    def _refuse_families(self) -> None:
        """What a mechanism does not have."""
        if self.closed and (odd := [key for key in self.model.families if FAMILIES[key].loaded]):
            raise InputError(
                "{robot}: {family}: what a joint bears inside a loop is not determined by its motion; leave it out",
                self.robot.name, odd[0],
            )  # fmt: skip
        if self.robot.moving and self.model.tilt:
            raise InputError("{robot}: tilt: its base moves, and a0 says which way is down", self.robot.name)

    def _other_load(self, family: ColumnFamily, j: int) -> bool:
        """A coordinate bears what the joints that follow it bear, too: no friction of one joint's own load."""
        return family.loaded and len(self.robot.coordinates.columns[j]) > 1

    def _springs(self) -> Iterator[tuple[Column, Row]]:
        values = dict(self.robot.values)
        for j, (joint, end) in enumerate(zip(self.joints, self.suffixes)):
            for column, formula in spring_columns(joint, j, end, values):
                yield column, partial(_by_family, formula)

    def _tilt(self) -> Iterator[tuple[Column, Row]]:
        everyone = tuple(range(self.dof))
        for k, axis in enumerate("xy" if self.model.tilt and self.inertial.gravity.any() else ""):
            column = Column(f"tilt_{axis}", TILT, None, "rad", None, None, everyone, True)
            yield column, partial(_gravity_tilt_entry, k)

    def _coupling_columns(self) -> Iterator[tuple[Column, Row]]:
        for (first, second), factor in self.model.coupling.items():
            a, b = self.place(first), self.place(second)
            if a == b:
                raise InputError("JointModel: coupling: {first!r} is coupled with itself", first)
            for column, formula in Coupling(a, b, Fraction(repr(float(factor)))).columns(
                self.suffixes, self.joints[b].turns
            ):
                yield column, partial(_by_family, formula)

    def place(self, name: str) -> int:
        names = [joint.name for joint in self.joints]
        numbered = [f"q{k}" for k in range(1, len(names) + 1)]
        if name in names:
            return names.index(name)
        if name in numbered:
            return numbered.index(name)
        raise UnknownNameError(Message("joint of {name}", self.robot.name), name, names)

    # their values

    def values(self, motion: RecordedMotion, rows: Rows, load: Array | None) -> list[Array]:
        """Of every joint (rows, columns it feels) in the order of `own`; `load` are inertial parameters."""
        smooth, borne = self.smooth_values(motion, rows, load)
        return self.join(smooth, self.edged_values(motion, rows, borne))

    def smooth_values(self, motion: RecordedMotion, rows: Rows, load: Array | None) -> tuple[list[Array], Array | None]:
        """Those of the columns without edges, and what every joint bears (rows, n)."""
        q, size = motion.q[rows], len(self.inertial.columns)
        base = None if motion.base is None else motion.base[rows]
        inertial = self.inertial.regressor(q, motion.qd[rows], motion.qdd[rows], base=base)
        leaning = self._leaning(q, load)
        found = []
        for j, (own, smooth) in enumerate(zip(self._of_tree, self._smooth_of_tree)):
            kept = own[smooth]
            # the places behind the inertial ones: of all others the tilt alone has no edges
            lean = [x[:, j, None] for x in leaning[: int((kept >= size).sum())]]
            found.append(np.concatenate([self.inertial.of_joint(inertial, j, kept[kept < size]), *lean], axis=1))
        borne = None if load is None else self.inertial.torque(inertial, load)
        return self._felt_by_motors(found, motion, rows, True), borne

    def _felt_by_motors(self, found: list[Array], motion: RecordedMotion, rows: Rows, smooth: bool) -> list[Array]:
        """Gᵀ of the columns of a tree, where loops close it."""
        if motion.felt is None:
            return found
        G, whole = motion.felt[rows], [np.zeros((len(found[0]), 0)) for _ in self.rows]
        for m, motor in enumerate(self.robot.motor_coordinates):
            kept = self._own[motor][self.smooth[motor] == smooth]
            # one unknown may stand in rows of several joints: their parts add up in the column of the motor
            whole[motor] = np.zeros((len(G), len(kept)))
            for j, (own, mask) in enumerate(zip(self._of_tree, self._smooth_of_tree)):
                # both lists are sorted: where the columns of the tree stand among those of the motor
                whole[motor][:, np.searchsorted(kept, own[mask == smooth])] += G[:, j, m, None] * found[j]
        return whole

    def edged_values(self, motion: RecordedMotion, rows: Rows, borne: Array | None) -> list[Array]:
        """Those of all other columns, from what every joint bears."""
        moment, count = self._moment(motion, rows, borne), len(motion.q[rows])
        found = []
        for j, (own, smooth) in enumerate(zip(self._of_tree, self._smooth_of_tree)):
            values = np.empty((int((~smooth).sum()), count))
            for k, place in enumerate(own[~smooth]):
                # before a first fit nobody knows what a joint bears: the column waits with zeros
                unknown = self.columns[place].loaded and borne is None
                values[k] = 0.0 if unknown else self.shape(place, moment, j)
            found.append(values.T)
        return self._felt_by_motors(found, motion, rows, False)

    def join(self, smooth: Sequence[Array], edged: Sequence[Array]) -> list[Array]:
        """Both kinds of columns in the order of `own`."""
        found = []
        for mask, first, second in zip(self.smooth, smooth, edged):
            whole = np.empty((len(first), len(mask)))
            whole[:, mask], whole[:, ~mask] = first, second
            found.append(whole)
        return found

    def shape(self, place: int, moment: Moment, j: int) -> Any:
        """Of a column beside the inertial ones, what is beside its unknown in the row of a joint."""
        return self._formulas[place - len(self.inertial.columns)](moment, j)

    def _moment(self, motion: RecordedMotion, rows: Rows, borne: Array | None) -> Moment:
        q, qd, qdd = motion.q[rows], motion.qd[rows], motion.qdd[rows]
        stops = {radius: list(found.T) for radius, found in motion.stops_at(rows).items()}
        widths = {letters: list(map(float, own)) for letters, own in self.widths.items()}
        load = None if borne is None else list(borne.T)
        return Moment(At(MATHS, list(q.T), list(qd.T), list(qdd.T), list(self.pace), load, stops, widths), ())

    def _leaning(self, q: Array, load: Array | None) -> list[Array]:
        """Gravity's torque if the base leaned, about the two axes across it; nothing where no load is known yet."""
        if not self.model.tilt or not self.inertial.gravity.any():
            return []
        return [np.zeros_like(q) if load is None else self.inertial.still(q, way, load) for way in self.ways()]

    def ways(self) -> list[Array]:
        """How gravity changes when the base leans by a radian about the two axes across it."""
        down = self.inertial.gravity
        # the world axis that lies farthest from gravity: the cross product keeps its digits
        first = np.eye(3)[int(np.argmin(np.abs(down)))]
        first = first - down * (first @ down) / (down @ down)
        first /= np.linalg.norm(first)
        second = np.cross(down, first) / np.linalg.norm(down)
        return [np.cross(axis, down) for axis in (first, second)]


def _places_by_row(columns: Sequence[Column], rows: int) -> list[NDArray[np.intp]]:
    return [np.flatnonzero([j in column.rows for column in columns]) for j in range(rows)]


def _by_family(formula: Formula, here: Moment, row: int) -> Any:
    return formula(here.at, row)


def _gravity_tilt_entry(way: int, here: Moment, row: int) -> Any:
    return here.leaning[way][row]
