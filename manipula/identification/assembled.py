"""All columns of a robot under a joint model: their list, and their values along a motion, joint by joint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.identification.columns.column import Column
from manipula.identification.columns.coupling import Coupling
from manipula.identification.columns.inertial import Array, inertial_of, known_values, number_of
from manipula.identification.columns.springs import spring_columns
from manipula.identification.filters.motion import MATHS, RecordedMotion
from manipula.identification.joint_model import GROUPS, TILT, JointModel
from manipula.mechanics.models.linear.joint_families import FAMILIES, SLIDE, SLOW, At, ColumnFamily, Formula
from manipula.mechanics.robot.actuators.friction import LAWS, FrictionLaw, linear_letters
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import Parameter
from manipula.messages import Message

Values = dict[str, Parameter]
Row = Callable[["Moment", int], Any]  # a column's value in the row of a joint


@dataclass(frozen=True)
class Moment:
    """Samples of a motion: as the families see them, and gravity's torque if the base leaned."""

    at: At
    leaning: Sequence[Sequence[Any]]


class Columns:
    """`columns` in their order; `own(j)` are the places of those that joint j can feel."""

    def __init__(self, robot: RobotDescription, model: JointModel) -> None:
        self.model, self.inertial = model, inertial_of(robot)
        self.robot = self.inertial.robot
        own = self.robot.joint_names
        rows = [(x, end) for x, end in zip(self.robot.joints, suffixes_of(self.robot).rows) if x.name in own]
        self.joints, self.suffixes = [x for x, _ in rows], [end for _, end in rows]
        self._pace = [Fraction(1) if x.turns else SLIDE for x in self.joints]
        self.pace = np.array([float(x) for x in self._pace])
        self.widths = own_widths(self.joints, self._pace, dict(self.robot.values))
        pairs = [*self._families(), *self._springs(), *self._tilt(), *self._coupled()]
        self.columns = (*self.inertial.columns, *(column for column, _ in pairs))
        self._formulas = [formula for _, formula in pairs]

    @property
    def dof(self) -> int:
        return len(self.joints)

    @property
    def slow(self) -> Array:
        """Rates below which a joint may stick: 0.01 rad/s, or 1 mm/s of one that slides."""
        return float(SLOW) * self.pace

    @property
    def known(self) -> Array:
        """What the robot's file says of every column; NaN where nothing."""
        return known_values(self.robot, self.columns)

    @property
    def loaded(self) -> bool:
        return any(column.loaded for column in self.columns)

    def own(self, j: int) -> NDArray[np.intp]:
        return np.flatnonzero([j in column.rows for column in self.columns])

    def radii(self) -> list[Fraction]:
        """The stop operators that the motion must carry."""
        return [Fraction(key.partition(":")[2]) for key in self.model.families if key in GROUPS["hysteresis"]]

    # their list

    def _families(self) -> Iterator[tuple[Column, Row]]:
        for key in self.model.families:
            family = FAMILIES[key]
            for shape in family.shapes:
                for j, (joint, end) in enumerate(zip(self.joints, self.suffixes)):
                    name = shape.letters.replace("[", f"{end}[") if "[" in shape.letters else f"{shape.letters}{end}"
                    unit, words = shape.units[not joint.turns], {} if self._other_load(family, j) else shape.words
                    wide = {x: self.widths[x][j] if w is None else w * self._pace[j] for x, w in family.widths.items()}
                    column = Column(name, key, j, unit, shape.lower, None, (j,), family.loaded, words, wide)
                    yield column, partial(_by_family, shape.formula)

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
            yield column, partial(_leaning, k)

    def _coupled(self) -> Iterator[tuple[Column, Row]]:
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

    def values(self, motion: RecordedMotion, rows: slice, load: Array | None) -> list[Array]:
        """Of every joint (rows, columns it feels) in the order of `own`; `load` are inertial parameters."""
        q, qd, qdd = motion.q[rows], motion.qd[rows], motion.qdd[rows]
        inertial = self.inertial(q, qd, qdd)
        moment = self._moment(motion, rows, inertial, load)
        return [np.stack([*self._of_joint(j, inertial, moment)], axis=1) for j in range(self.dof)]

    def _of_joint(self, j: int, inertial: Array, moment: Moment) -> Iterator[Array]:
        size = inertial.shape[-1]
        for place in self.own(j):
            if place < size:
                yield inertial[:, j, place]
            elif self.columns[place].loaded and moment.at.load is None:
                yield np.zeros(len(inertial))  # not known yet
            else:
                yield np.broadcast_to(self.shape(place, moment, j), len(inertial))

    def shape(self, place: int, moment: Moment, j: int) -> Any:
        """Of a column beside the inertial ones, what stands beside its unknown in the row of a joint."""
        return self._formulas[place - len(self.inertial.columns)](moment, j)

    def _moment(self, motion: RecordedMotion, rows: slice, inertial: Array, load: Array | None) -> Moment:
        q, qd, qdd = motion.q[rows], motion.qd[rows], motion.qdd[rows]
        stops = {radius: list(found[rows].T) for radius, found in motion.stops.items()}
        borne = None if load is None else list((inertial @ load).T)
        widths = {letters: list(map(float, own)) for letters, own in self.widths.items()}
        at = At(MATHS, list(q.T), list(qd.T), list(qdd.T), list(self.pace), borne, stops, widths)
        if load is None or not self.model.tilt:
            return Moment(at, ())
        return Moment(at, [list((self.inertial.still(q, way) @ load).T) for way in self.ways()])

    def ways(self) -> list[Array]:
        """How gravity changes when the base leans by a radian about the two axes across it."""
        down = self.inertial.gravity
        first = np.eye(3)[int(np.argmin(np.abs(down)))]
        first = first - down * (first @ down) / (down @ down)
        first /= np.linalg.norm(first)
        second = np.cross(down, first) / np.linalg.norm(down)
        return [np.cross(axis, down) for axis in (first, second)]


def _by_family(formula: Formula, here: Moment, row: int) -> Any:
    return formula(here.at, row)


def _leaning(way: int, here: Moment, row: int) -> Any:
    return here.leaning[way][row]


def own_widths(joints: Sequence[Joint], pace: Sequence[Fraction], values: Values) -> dict[str, list[Fraction]]:
    """Of every parameter that a law is not linear in what the file says, joint by joint; the law's middle width where
    it says nothing."""
    found: dict[str, list[Fraction]] = {}
    for law in (x for x in LAWS if x.widths):
        usual = law.widths[len(law.widths) // 2]
        for letters in (x.letters for x in law.entries if not x.linear):
            cells = (joint.actuator.named().get(letters) for joint in joints)
            given = [number_of(None if cell is None else cell.parameter, values) for cell in cells]
            found[letters] = [Fraction(repr(x)) if x > 0 else usual * p for x, p in zip(given, pace)]
    return found


def laws_in_file(joints: Sequence[Joint], values: Values) -> list[type[FrictionLaw[Any]]]:
    """The friction laws that the file gives some joint, beside those that every joint has."""
    given = (
        type(law)
        for joint in joints
        for law in joint.actuator.laws
        if not law.always and any(number_of(law[x].parameter, values) != 0 for x in linear_letters(type(law)))
    )
    return list(dict.fromkeys(given))
