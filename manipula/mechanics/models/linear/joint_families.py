"""What else a joint's torque is linear in: families of columns beside the links' inertia, each a formula of the motion.

    τ_j = Σ inertial columns + Σ unknown · shape(q, q̇, q̈, load)

Friction laws that a robot file may hold are taken from `robot.actuators`; here sign(q̇) is tanh(q̇/w), which a filter can
follow, and Stribeck's velocity is one of four widths, so that the unknowns stay linear. Nothing grows faster than the
velocity itself: a cubic wins on slow motions and ruins fast ones. `pace` is 1 for a joint that turns and 0.1 m for one
that slides: the velocity or the way that widths and radii of a turning joint are multiplied with.

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

from manipula.mechanics.robot.actuators.friction import Asymmetric, Coulomb, Load, Offset, Stribeck, Viscous
from manipula.mechanics.robot.actuators.law import Law, Slip
from manipula.scalar import Maths

WIDTH = Fraction(3, 1000)  # rad/s: what Coulomb friction is smoothed over, well below what is slow
SLOW = Fraction(1, 100)  # rad/s: a joint that may stick
STRIBECK = tuple(map(Fraction, ("0.02", "0.05", "0.1", "0.3")))  # rad/s
WIDTHS = tuple(map(Fraction, ("0.03", "0.1", "0.3", "1")))  # rad/s
ROOTS = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3))
RADII = tuple(map(Fraction, ("0.0003", "0.001", "0.003", "0.01", "0.03", "0.1")))  # rad
SLIDE = Fraction(1, 10)  # m: a joint that slides this far is as one that turns by a radian


@dataclass(frozen=True)
class At:
    """An arm at a moment, by coordinates: positions, rates, accelerations; what every joint bears; stops by radius."""

    maths: Maths[Any]
    q: Sequence[Any]
    qd: Sequence[Any]
    qdd: Sequence[Any]
    pace: Sequence[Any]
    load: Sequence[Any] | None = None
    stops: Mapping[Fraction, Sequence[Any]] = field(default_factory=dict)

    def way(self, j: int, width: Fraction = WIDTH) -> Any:
        """tanh(q̇/w)"""
        return self.maths.tanh(self.qd[j] / self.wide(j, width))

    def wide(self, j: int, width: Fraction) -> Any:
        return self.maths.number(width) * self.pace[j]

    def slip(self, j: int) -> Slip:
        return Slip(self.qd[j], self.maths, None if self.load is None else self.load[j], self.way(j))


Formula = Callable[[At, int], Any]  # of a joint's row


@dataclass(frozen=True)
class Shape:
    """One unknown a joint: the letters of its name, its unit for joints that turn and that slide, its least value."""

    letters: str
    unit: tuple[str, str]
    formula: Formula
    lower: float | None = 0.0


@dataclass(frozen=True)
class Family:
    """Columns that come together, one of every shape for every joint. `loaded`: they need what the joints bear."""

    key: str
    says: str
    shapes: tuple[Shape, ...]
    loaded: bool = False


TORQUE, RATE, SQUARE = ("N·m", "N"), ("N·m·s/rad", "N·s/m"), ("kg·m²", "kg")
STIFFNESS, SHARE, SHARE_RATE = ("N·m/rad", "N/m"), ("1", "1"), ("s/rad", "s/m")


def of_law(law: Law[Any], which: int = 0) -> Formula:
    """The shape of a friction law of the robot file."""
    return lambda at, j: law.shapes(at.slip(j))[which]


def _family(law: type[Law[Any]], units: Sequence[tuple[str, str]]) -> Family:
    made = law((0,) * len(law.entries))
    shapes = [
        Shape(entry.letters, unit, of_law(made, k), None if entry.bound == "any" else 0.0)
        for k, (entry, unit) in enumerate(zip(law.entries, units, strict=True))
    ]
    return Family(law.key, law.says, tuple(shapes), law.loaded)


def _stribeck(width: Fraction) -> Formula:
    def formula(at: At, j: int) -> Any:
        return Stribeck((0, at.wide(j, width))).shapes(at.slip(j))[0]

    return formula


def _wide(width: Fraction) -> Formula:
    return lambda at, j: at.way(j, width)


def _root(power: Fraction) -> Formula:
    """|q̇|^a·sign(q̇), with tanh for the sign so that it has a slope at rest"""
    return lambda at, j: at.maths.pow(at.maths.abs(at.qd[j]), at.maths.number(power)) * at.way(j)


def _stop(radius: Fraction) -> Formula:
    return lambda at, j: at.stops[radius][j]


def _load_rate(at: At, j: int) -> Any:
    assert at.load is not None
    return at.maths.abs(at.load[j]) * at.qd[j]


def _load(at: At, j: int) -> Any:
    assert at.load is not None
    return at.load[j]


def _widths(key: str, letters: str, says: str, widths: Sequence[Fraction], make: Callable[[Fraction], Formula],
            unit: tuple[str, str] = TORQUE, lower: float | None = 0.0) -> list[Family]:  # fmt: skip
    """The same shape for several numbers, each a family of its own."""
    return [
        Family(f"{key}:{_short(x)}", says.format(_short(x)), (Shape(f"{letters}[{_short(x)}]", unit, make(x), lower),))
        for x in widths
    ]


def _short(x: Fraction) -> str:
    return str(x) if x in ROOTS else f"{float(x):g}"


FAMILIES: dict[str, Family] = {
    family.key: family
    for family in (
        Family("motor_inertia", "Ia·q̈", (Shape("Ia", SQUARE, lambda at, j: at.qdd[j]),)),
        _family(Viscous, [RATE]),
        _family(Coulomb, [TORQUE]),
        _family(Offset, [TORQUE]),
        _family(Asymmetric, [TORQUE, TORQUE, RATE, RATE]),
        _family(Load, [SHARE]),
        Family("load_viscous", "flv·|load|·q̇", (Shape("flv", SHARE_RATE, _load_rate),), loaded=True),
        Family("speed", "fa·|q̇|", (Shape("fa", RATE, lambda at, j: at.maths.abs(at.qd[j]), None),)),
        *_widths("root", "fr", "fr·|q̇|^({})·sign(q̇)", ROOTS, _root, ("N·m·(s/rad)^a", "N·(s/m)^a")),
        *_widths(Stribeck.key, "fs", "fs·exp(−(q̇/{})²)·sign(q̇)", STRIBECK, _stribeck),
        *_widths("tanh", "ft", "ft·tanh(q̇/{})", WIDTHS, _wide),
        *_widths("hysteresis", "fh", "fh·(stop of radius {})", RADII, _stop),
        Family("stiffness", "k·q", (Shape("k", STIFFNESS, lambda at, j: at.q[j], None),)),
        Family("harmonics:1", "hc·cos q + hs·sin q", (
            Shape("hc", TORQUE, lambda at, j: at.maths.cos(at.q[j]), None),
            Shape("hs", TORQUE, lambda at, j: at.maths.sin(at.q[j]), None),
        )),
        Family("harmonics:2", "hc2·cos 2q + hs2·sin 2q", (
            Shape("hc2_", TORQUE, lambda at, j: at.maths.cos(2 * at.q[j]), None),
            Shape("hs2_", TORQUE, lambda at, j: at.maths.sin(2 * at.q[j]), None),
        )),
        Family("gain", "(gain − 1)·load", (Shape("gain", SHARE, _load, None),), loaded=True),
    )
}  # fmt: skip


def stopped(maths: Maths[Any], before: Any, step: Any, radius: Any) -> Any:
    """One step of the stop operator, a spring of a slider that gives way at ±radius: w ← max(−r, min(r, w + Δq))"""
    return maths.maximum(-radius, maths.minimum(radius, before + step))
