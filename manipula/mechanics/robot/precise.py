"""Table entries to fifty digits: for the few conversions no exact tree can express (any axis, any placement → a table).

Results go back into tables as decimals of twenty places, quarter turns recovered exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from mpmath import MPContext

from manipula.errors import InputError
from manipula.mechanics.robot.description import Cell, RobotDescription, Step, StepKind, Steps
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Num, Parameter, names_of, scalar_from_parameter
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along, turn_about
from manipula.mechanics.spatial.vector import Matrix
from manipula.scalar import OPS, Maths, Scalar

MP = MPContext()  # a context of our own: the user's mpmath precision is neither read nor changed
MP.dps = 50
PLACES = 20
NEGLIGIBLE = Fraction(1, 10**14)  # closer to a quarter turn, or to zero, than any table is written


class PreciseMaths(Maths[Any]):
    """`Maths` over mpmath numbers of fifty digits."""

    def number(self, value: Fraction) -> Any:
        return MP.mpf(value.numerator) / value.denominator

    def degrees(self, value: Fraction) -> Any:
        return self.number(value) * MP.pi / 180

    def apply(self, name: str, *args: object) -> Any:
        return getattr(MP, OPS[name].word("mpmath"))(*args)

    def minimum(self, x: Any, y: Any) -> Any:
        return min(x, y)

    def maximum(self, x: Any, y: Any) -> Any:
        return max(x, y)

    def less(self, x: Any, y: Any) -> Any:
        return MP.mpf(x < y)

    def select(self, condition: object, yes: object, no: object) -> Any:
        return yes if condition else no


PRECISE = PreciseMaths()


def values_of(robot: RobotDescription, purpose: str, parts: Iterable[Parameter]) -> dict[str, Scalar]:
    """The value of every name in `parts`, to fifty digits; a name without one is an error that says the purpose."""
    given = dict(robot.values)
    order = _dependency_order([name for part in parts for name in names_of(part)], given)
    missing = [name for name in order if name not in given]
    if missing:
        listed = ", ".join(missing)
        raise InputError(
            "{name}: {purpose} needs numbers, but these parameters have no value: {listed}", robot.name, purpose, listed
        )
    values: dict[str, Scalar] = {}
    for name in reversed(order):
        values[name] = scalar_from_parameter(given[name], values, PRECISE)
    return values


def everything_in(robot: RobotDescription) -> Iterator[Parameter]:
    """Every entry, the limits and springs too."""
    yield from (cell.parameter for cell in robot.cells())
    for joint in robot.joints:
        for limit in (*(joint.limits or ()), joint.velocity_limit, joint.effort_limit):
            yield from () if limit is None else (limit,)
        yield from (entry for spring in joint.springs for entry in spring.entries)


def _dependency_order(names: list[str], given: Mapping[str, Parameter]) -> list[str]:
    """The names, then those inside their values: each after everything that uses it."""
    order: list[str] = []
    wave = names
    for _ in range(len(given) + 2):
        order = [name for name in order if name not in wave] + list(dict.fromkeys(wave))
        wave = list(dict.fromkeys(inner for name in wave if name in given for inner in names_of(given[name])))
        if not wave:
            return order
    raise InputError("the values of {wave} are defined by themselves", ", ".join(dict.fromkeys(wave)))


def precise(parameter: Parameter, values: Mapping[str, object]) -> Any:
    return scalar_from_parameter(parameter, values, PRECISE)


def placement(steps: Steps, values: Mapping[str, object]) -> Placement:
    """The product of the steps to fifty digits."""
    at = HERE
    for step in steps:
        axis, amount = step.kind[1], precise(step.amount.parameter, values)
        turned = step.kind[0] == "r"
        at = at @ (turn_about(axis, MP.cos(amount), MP.sin(amount)) if turned else shift_along(axis, amount))
    return at


def decimal(x: object, places: int = PLACES) -> Num:
    """The nearest decimal."""
    return Num(Fraction(int(MP.nint(x * MP.mpf(10) ** places)), 10**places))


def length(x: object) -> Num:
    """A length for a table: a decimal; what is negligible is zero."""
    rounded = decimal(x)
    return ZERO if abs(rounded.value) < NEGLIGIBLE else rounded


def angle(x: object) -> Parameter:
    """An angle for a table: an exact quarter turn where it is one, else a decimal in radians."""
    turns = x / (MP.pi / 2)
    nearest = int(MP.nint(turns))
    if abs(turns - nearest) < NEGLIGIBLE.numerator / MP.mpf(NEGLIGIBLE.denominator):
        return Deg(Fraction(90 * nearest)) if nearest else ZERO
    return decimal(x)


def rpy_of(R: Matrix) -> tuple[Scalar, Scalar, Scalar]:
    """Roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll); roll is zero where only yaw ± roll is determined."""
    level = MP.sqrt(R[0][0] * R[0][0] + R[1][0] * R[1][0])
    pitch = MP.atan2(-R[2][0], level)
    if level < MP.mpf(10) ** -25:
        return MP.mpf(0), pitch, MP.atan2(-R[0][1], R[1][1])
    return MP.atan2(R[2][1], R[2][2]), pitch, MP.atan2(R[1][0], R[0][0])


def steps_from_placement(at: Placement, names: Mapping[StepKind, str]) -> Steps:
    """tx ty tz, then rz ry rx, as a table writes a base or a tool; steps of zero are left out."""
    roll, pitch, yaw = rpy_of(at.R)
    x, y, z = at.p
    amounts: list[tuple[StepKind, Parameter]] = [
        ("tx", length(x)),
        ("ty", length(y)),
        ("tz", length(z)),
        ("rz", angle(yaw)),
        ("ry", angle(pitch)),
        ("rx", angle(roll)),
    ]
    return tuple(Step(kind, Cell(names[kind], amount)) for kind, amount in amounts if amount != ZERO)


def round_to_decimal(parameter: Parameter) -> Parameter:
    """Arithmetic of numbers alone as a decimal of twenty places; names, angles and what is short stay exact."""
    short = isinstance(parameter, Num) and parameter.value.denominator <= 10**PLACES
    if short or isinstance(parameter, Deg) or any(True for _ in names_of(parameter)):
        return parameter
    return decimal(precise(parameter, {}))
