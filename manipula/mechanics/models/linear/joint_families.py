"""What else a joint's torque is linear in: families of columns beside the links' inertia, each a formula of the motion.

    τ_j = Σ inertial columns + Σ unknown · shape(q, q̇, q̈, load)

Every friction law of `robot.actuators` is a family; the others are terms of research that a robot file has no word for.
Here sign(q̇) is tanh(q̇/w), which a filter can follow, and a parameter that a law is not linear in is one of the law's
widths, so that the unknowns stay linear. Nothing among the terms grows faster than the velocity itself: a cubic wins on
slow motions and ruins fast ones. `pace` is 1 for a joint that turns and 0.1 m for one that slides: the velocity or the
way that widths and radii of a turning joint are multiplied with.

Source: C. Canudas de Wit, H. Olsson, K. J. Åström and P. Lischinsky, A new model for control of systems with friction,
IEEE Transactions on Automatic Control 40(3), 1995 (Stribeck); M. Gautier, Dynamic identification of robots with power
model, ICRA 1997 (motors coupled at a wrist); M. A. Krasnosel'skii and A. V. Pokrovskii, Systems with Hysteresis, 1989
(the stop operator).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from manipula.mechanics.robot.actuator import MOTOR
from manipula.mechanics.robot.friction import LAWS, Asymmetric, FrictionLaw, Offset, Slip
from manipula.mechanics.robot.values.parameter import DAMPING, SHARE, STIFFNESS, TORQUE, ParameterEntry, Units
from manipula.scalar import Maths, Scalar

WIDTH = Fraction(3, 1000)  # rad/s: what Coulomb friction is smoothed over, well below what is slow
NARROW = 10 * WIDTH  # rad/s: a narrower shape would make up for the smoothed sign, not for friction
SLOW = Fraction(1, 100)  # rad/s: a joint that may stick
WIDTHS = tuple(map(Fraction, ("0.03", "0.1", "0.3", "1")))  # rad/s
ROOTS = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3))
FILE = "file"  # in place of a width: that of the robot's own file
RADII = tuple(map(Fraction, ("0.0003", "0.001", "0.003", "0.01", "0.03", "0.1")))  # rad
SLIDE = Fraction(1, 10)  # m: a joint that slides this far is as one that turns by a radian


@dataclass(frozen=True)
class At:
    """An arm at a moment, by coordinates: positions, rates, accelerations; what every joint bears; stops by radius."""

    maths: Maths[Scalar]
    q: Sequence[Scalar]
    qd: Sequence[Scalar]
    qdd: Sequence[Scalar]
    pace: Sequence[Scalar]
    load: Sequence[Scalar] | None = None
    stops: Mapping[Fraction, Sequence[Scalar]] = field(default_factory=dict)
    widths: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)  # those of the robot's file, by letters

    def way(self, j: int, width: Fraction = WIDTH) -> Scalar:
        """tanh(q̇/w)"""
        return self.maths.tanh(self.qd[j] / self.wide(j, width))

    def wide(self, j: int, width: Fraction) -> Scalar:
        return self.maths.number(width) * self.pace[j]

    def slip(self, j: int) -> Slip:
        return Slip(self.qd[j], self.maths, None if self.load is None else self.load[j], self.way(j))


Formula = Callable[[At, int], Any]  # of a joint's row


@dataclass(frozen=True)
class Shape:
    """One unknown a joint: the letters of its name, its unit for joints that turn and that slide, its least value.

    `words` are the parameters of a robot file, by letters, that a unit of it adds to; none: a file cannot say it.
    """

    letters: str
    units: Units
    formula: Formula
    lower: float | None = 0.0
    words: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnFamily:
    """Columns that come together, one of every shape for every joint.

    `loaded`: they need what the joints bear. `friction`: a word of `JointModel(friction=…)`. `tried`: a search among
    the families may choose it. `widths` are the parameters of a law, by letters, that its torque is not linear in; None
    is that of the robot's file.
    """

    key: str
    shapes: tuple[Shape, ...]
    loaded: bool = False
    friction: bool = True
    tried: bool = True
    widths: Mapping[str, Fraction | None] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """The word for all its widths, without the number behind the colon."""
        return self.key.partition(":")[0]


def _of_entry(entry: ParameterEntry, formula: Formula, width: str = "") -> Shape:
    """A parameter of the robot file, as an unknown."""
    lower = None if entry.bound == "any" else 0.0
    return Shape(f"{entry.letters}{width}", entry.units, formula, lower, {entry.letters: 1})


def of_law(law: type[FrictionLaw[Scalar]], width: Fraction | str | None = None) -> ColumnFamily:
    """The family of a friction law: of one width where it tries several, or of those that the robot's file has."""

    def wide(at: At, j: int, letters: str) -> Scalar:
        if isinstance(width, Fraction):
            return at.wide(j, width)
        return 0 if width is None else at.widths[letters][j]

    def shape(which: int) -> Formula:
        def formula(at: At, j: int) -> Scalar:
            values = (0 if x.linear else wide(at, j, x.letters) for x in law.entries)
            return law(tuple(values)).shapes(at.slip(j))[which]

        return formula

    label = "" if width is None else _short(width)
    linear = [entry for entry in law.entries if entry.linear]
    fixed = {x.letters: width if isinstance(width, Fraction) else None for x in law.entries if not x.linear}
    # a search has asymmetric friction as the difference of both ways ("speed"), beside viscous and Coulomb friction
    # and an offset; widths of the file where there are some
    tried = law is not Asymmetric and (width is None or (isinstance(width, Fraction) and width >= NARROW))
    return ColumnFamily(
        f"{law.key}:{label}" if label else law.key,
        tuple(_of_entry(entry, shape(k), f"[{label}]" if label else "") for k, entry in enumerate(linear)),
        law.loaded,
        friction=law is not Offset,
        tried=tried,
        widths=fixed,
    )


def _tried_widths(law: type[FrictionLaw[Scalar]]) -> tuple[Fraction | str | None, ...]:
    return (*law.widths, FILE) if law.widths else (None,)


def _wide(width: Fraction) -> Formula:
    return lambda at, j: at.way(j, width)


def _root(power: Fraction) -> Formula:
    """|q̇|^a·sign(q̇), with tanh for the sign so that it has a slope at rest"""
    return lambda at, j: at.maths.pow(at.maths.abs(at.qd[j]), at.maths.number(power)) * at.way(j)


def _stop(radius: Fraction) -> Formula:
    return lambda at, j: at.stops[radius][j]


def _load_rate(at: At, j: int) -> Scalar:
    assert at.load is not None
    return at.maths.abs(at.load[j]) * at.qd[j]


def _load(at: At, j: int) -> Scalar:
    assert at.load is not None
    return at.load[j]


def _widths(
    key: str, letters: str, widths: Sequence[Fraction], make: Callable[[Fraction], Formula], units: Units
) -> list[ColumnFamily]:
    """The same shape for several numbers, each a family of its own."""
    return [ColumnFamily(f"{key}:{_short(x)}", (Shape(f"{letters}[{_short(x)}]", units, make(x)),)) for x in widths]


def _short(x: Fraction | str) -> str:
    return str(x) if isinstance(x, str) or x in ROOTS else f"{float(x):g}"


_LAWS = [of_law(law, width) for law in LAWS for width in _tried_widths(law)]
# fa·|q̇| is asymmetric damping, fvp = fa and fvm = −fa
_SPEED = Shape("fa", DAMPING, lambda at, j: at.maths.abs(at.qd[j]), None, {"fvp": 1, "fvm": -1})
_TERMS = [
    ColumnFamily("load_viscous", (Shape("flv", ("s/rad", "s/m"), _load_rate),), loaded=True),
    ColumnFamily("speed", (_SPEED,)),
    *_widths("root", "fr", ROOTS, _root, ("N·m·(s/rad)^a", "N·(s/m)^a")),
    *_widths("tanh", "ft", WIDTHS, _wide, TORQUE),
    *_widths("hysteresis", "fh", RADII, _stop, TORQUE),
    ColumnFamily("stiffness", (Shape("k", STIFFNESS, lambda at, j: at.q[j], None),), friction=False),
    ColumnFamily("harmonics:1", (
        Shape("hc", TORQUE, lambda at, j: at.maths.cos(at.q[j]), None),
        Shape("hs", TORQUE, lambda at, j: at.maths.sin(at.q[j]), None),
    ), friction=False),
    ColumnFamily("harmonics:2", (
        Shape("hc2_", TORQUE, lambda at, j: at.maths.cos(2 * at.q[j]), None),
        Shape("hs2_", TORQUE, lambda at, j: at.maths.sin(2 * at.q[j]), None),
    ), friction=False),
    # (gain − 1)·load
    ColumnFamily("gain", (Shape("gain", SHARE, _load, None),), loaded=True, friction=False, tried=False),
]  # fmt: skip
_INERTIA = ColumnFamily(MOTOR.key, (_of_entry(MOTOR, lambda at, j: at.qdd[j]),), friction=False)
FAMILIES: dict[str, ColumnFamily] = {family.key: family for family in (_INERTIA, *_LAWS, *_TERMS)}


def stop_operator(maths: Maths[Scalar], before: object, step: Scalar, radius: Scalar) -> Any:
    """One step of the stop operator, a spring of a slider that gives way at ±radius: w ← max(−r, min(r, w + Δq))"""
    return maths.maximum(-radius, maths.minimum(radius, before + step))
