"""`JointModel`: which families of columns an identification has beside the links' inertia."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
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
from manipula.mechanics.models.linear.joint_families import FAMILIES, FILE, SLIDE, SLOW, At, ColumnFamily, Formula
from manipula.mechanics.robot.actuator import MOTOR
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.friction import LAWS, Coulomb, FrictionLaw, Offset, Viscous, linear_letters
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import Parameter
from manipula.messages import Message
from manipula.recordings.log import Log
from manipula.support.text import plain

_FRICTION = [key for key, family in FAMILIES.items() if family.friction]
GROUPS: dict[str, list[str]] = {}
for _family in (x for x in FAMILIES.values() if not x.key.endswith(f":{FILE}")):
    GROUPS.setdefault(_family.group, []).append(_family.key)
HARMONICS = len(GROUPS["harmonics"])
TILT = "tilt"
ALONE = (MOTOR.key, Offset.key, "stiffness", TILT)  # words that are no friction


@dataclass(frozen=True)
class JointModel:
    """What every joint has. Words of `friction`: those of a robot file's laws (viscous, coulomb, asymmetric, load,
    stribeck) and load_viscous, speed, root, tanh, hysteresis; stribeck, root, tanh and hysteresis with all their widths
    or with one ("stribeck:0.05"); "stribeck:file" has the velocities of the robot's file.

    `coupling` names pairs of joints whose motors turn together, as in wrists: {("q5", "q6"): 1.0} is a motor of q6 that
    turns with q̇6 + 1.0·q̇5. `stiffness` is a spring k·q in every joint, `harmonics` how many multiples of q have a
    sine and a cosine, `tilt` a base that is not level. `gains` are factors of recorded torques by joint, where they are
    known; True asks for them (only a strong prior separates them from masses). `search=True` starts from what
    is declared and adds the families that cross-validation asks for, as model="auto" does.

    >>> print(*JointModel(friction="viscous stribeck:0.05".split()).families)
    motor_inertia viscous stribeck:0.05 offset
    """

    motor_inertia: bool = True
    friction: tuple[str, ...] = (Viscous.key, Coulomb.key)
    offset: bool = True
    coupling: Mapping[tuple[str, str], float] = field(default_factory=dict)
    stiffness: bool = False
    harmonics: int = 0
    hysteresis: bool = False
    tilt: bool = False
    gains: Mapping[str, float] | bool | None = None
    search: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", _words(self.friction))
        if self.harmonics not in range(HARMONICS + 1):  # True is 1
            raise InputError(
                "JointModel: harmonics: expected 0 … {harmonics}, found {harmonics2!r}", HARMONICS, self.harmonics
            )
        _check_pairs(self.coupling)

    @classmethod
    def from_words(cls, text: str) -> JointModel:
        """The families named, with commas, and no other: "viscous, coulomb, offset, harmonics:2"."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        harmonics = [word for word in words if word.partition(":")[0] == "harmonics"]
        friction = tuple(word for word in words if word not in (*ALONE, *harmonics))
        given: dict[str, Any] = {word: word in words for word in ALONE}
        return cls(friction=friction, harmonics=max(map(_count, harmonics), default=0), **given)

    def as_dict(self) -> dict[str, Any]:
        """What was declared; a pair of `coupling` by both names."""
        told = {item.name: getattr(self, item.name) for item in fields(self)}
        pairs = {" ".join(pair): factor for pair, factor in self.coupling.items()}
        found: dict[str, Any] = plain(told | {"coupling": pairs})
        return found

    @property
    def families(self) -> tuple[str, ...]:
        """The keys of the families that every joint has a column of, in the columns' order."""
        given = [
            *([MOTOR.key] if self.motor_inertia else []),
            *self.friction,
            *([Offset.key] if self.offset else []),
            *(["stiffness"] if self.stiffness else []),
            *GROUPS["harmonics"][: int(self.harmonics)],
            *(GROUPS["hysteresis"] if self.hysteresis else []),
            *(["gain"] if self.gains is True else []),
        ]
        return tuple(dict.fromkeys(given))

    @classmethod
    def full(cls, **more: Any) -> JointModel:
        """The families that a search among them may choose from. Asymmetric friction is among them as |q̇| and offset;
        drive gains, couplings and what has widths of the robot's file must be asked for."""
        chosen = (*(key for key in _FRICTION if FAMILIES[key].tried), *more.pop("friction", ()))
        return cls(friction=chosen, stiffness=True, harmonics=HARMONICS, tilt=True, **more)

    def with_families(self, families: Collection[str]) -> JointModel:
        """The model with these of its families, and those of the robot's own file. Of harmonics the lower ones come
        along; the others alone are picked by their columns."""
        harmonics = [int(name.partition(":")[2]) for name in families if name in GROUPS["harmonics"]]
        return replace(
            self,
            motor_inertia=MOTOR.key in families,
            friction=tuple(word for word in self.friction if word in families),
            offset=Offset.key in families,
            stiffness="stiffness" in families,
            harmonics=max(harmonics, default=0),
            hysteresis=False,
            tilt=TILT in families,
            search=False,
        )


def _count(word: str) -> int:
    number = word.partition(":")[2] or "1"
    if not number.isdigit():
        raise InputError("model: expected harmonics:1 or harmonics:2, found {word!r}", word)
    return int(number)


def _words(given: Iterable[str] | str) -> tuple[str, ...]:
    known = [*dict.fromkeys(FAMILIES[key].group for key in _FRICTION)]
    found: list[str] = []
    for word in [given] if isinstance(given, str) else given:
        if word in _FRICTION:
            found.append(word)
        elif word in known:
            found += GROUPS[word]
        elif word == "cubic":
            raise InputError(
                "JointModel: cubic friction is left out by rule: what grows faster than the velocity fits slow motions "
                "and fails at fast ones"
            )
        else:
            raise UnknownNameError("family of friction", word, [*known, *(x for x in _FRICTION if ":" in x)])
    return tuple(dict.fromkeys(found))


def _check_pairs(coupling: Mapping[tuple[str, str], float]) -> None:
    for pair, factor in coupling.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(factor, int | float):
            raise InputError(
                "JointModel: coupling: expected pairs of joints and a factor, {{('q5', 'q6'): 1.0}}, found "
                "{pair!r}: {factor!r}",
                pair,
                factor,
            )


# All columns of a robot under a joint model: their list, and their values along a motion, joint by joint.

Values = dict[str, Parameter]
Rows = slice | NDArray[np.intp]
Row = Callable[["Moment", int], Any]  # a column's value in the row of a joint


@dataclass(frozen=True)
class Moment:
    """Samples of a motion: as the families see them, and gravity's torque if the base leaned."""

    at: At
    leaning: Sequence[Sequence[Any]]


class Columns:
    """`columns` in their order; `own(j)` are the places of those that row j can feel.

    A row is a joint's torque. Of a robot with loops the rows of joints without a motor feel nothing, and the motors feel
    what the joints of the tree would (`closed_motion`). Of a base that moves there are six rows more where the `wrench`
    on it was measured.
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
        driven = self.robot.driven
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
    def felt(self) -> NDArray[np.bool_]:
        """The rows that feel anything: without those of joints that have no motor."""
        driven = self.robot.driven if self.closed else range(len(self.rows))
        return np.isin(np.arange(len(self.rows)), list(driven))

    def whole_motion(self, motion: RecordedMotion, log: Log) -> RecordedMotion:
        """With what loops and a base that moves add to the joints' positions."""
        if self.closed is not None:
            return self.closed.along(motion)
        if self.robot.moving:
            return with_base(motion, log, self.inertial.gravity, self.wrench, self.robot.name)
        return motion

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
        """A joint without a motor rubs; it has none of a motor's terms, unless the file gives it some."""
        if self.closed is None or j in self.robot.driven or family.friction:
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
            lean = [x[:, j, None] for x in leaning[: int((kept >= size).sum())]]
            found.append(np.concatenate([self.inertial.of_joint(inertial, j, kept[kept < size]), *lean], axis=1))
        borne = None if load is None else self.inertial.torque(inertial, load)
        return self._felt_by_motors(found, motion, rows, True), borne

    def _felt_by_motors(self, found: list[Array], motion: RecordedMotion, rows: Rows, smooth: bool) -> list[Array]:
        """Gᵀ of the columns of a tree, where loops close it."""
        if motion.felt is None:
            return found
        G, whole = motion.felt[rows], [np.zeros((len(found[0]), 0)) for _ in self.rows]
        for m, motor in enumerate(self.robot.driven):
            kept = self._own[motor][self.smooth[motor] == smooth]
            whole[motor] = np.zeros((len(G), len(kept)))
            for j, (own, mask) in enumerate(zip(self._of_tree, self._smooth_of_tree)):
                whole[motor][:, np.searchsorted(kept, own[mask == smooth])] += G[:, j, m, None] * found[j]
        return whole

    def edged_values(self, motion: RecordedMotion, rows: Rows, borne: Array | None) -> list[Array]:
        """Those of all other columns, from what every joint bears."""
        moment, count = self._moment(motion, rows, borne), len(motion.q[rows])
        found = []
        for j, (own, smooth) in enumerate(zip(self._of_tree, self._smooth_of_tree)):
            values = np.empty((int((~smooth).sum()), count))
            for k, place in enumerate(own[~smooth]):
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
        """Of a column beside the inertial ones, what stands beside its unknown in the row of a joint."""
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


def own_widths(joints: Sequence[Joint], pace: Sequence[Fraction], values: Values) -> dict[str, list[Fraction]]:
    """Of every parameter that a law is not linear in what the file says, joint by joint; the law's middle width where
    it says nothing."""
    found: dict[str, list[Fraction]] = {}
    for law in (x for x in LAWS if x.widths):
        usual = law.widths[len(law.widths) // 2]
        for letters in (x.letters for x in law.entries if not x.linear):
            cells = (joint.actuator.parameters_by_letter().get(letters) for joint in joints)
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
