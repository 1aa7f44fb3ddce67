"""Table entries as a scalar: arithmetic that writes exact trees, for moving symbols from one frame to another.

`Formula` mixes with int and Fraction like every scalar, folds numbers, zeros, ones, equal differences and quarter
turns, and leaves everything else as a tree in the file's own names. The spatial room works on it unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from manipula.mechanics.robot.description import Cell, Joint, Step, StepKind, Steps
from manipula.mechanics.robot.values.parameter import (
    ZERO,
    Deg,
    Name,
    Num,
    Parameter,
    ParameterOp,
    apply_operation,
    negate,
)
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along, turn_about
from manipula.scalar import Maths, Scalar

ONE = Num(Fraction(1))
Along = tuple[str, Literal[1, -1]]  # an axis and a sense: ("y", -1)
QUARTERS: dict[Along, tuple[StepKind, Deg]] = {  # the turn that brings z there
    ("z", -1): ("rx", Deg(Fraction(180))),
    ("x", 1): ("ry", Deg(Fraction(90))),
    ("x", -1): ("ry", Deg(Fraction(-90))),
    ("y", 1): ("rx", Deg(Fraction(-90))),
    ("y", -1): ("rx", Deg(Fraction(90))),
}


@dataclass(frozen=True)
class Formula:
    """A parameter with arithmetic."""

    parameter: Parameter

    def __add__(self, other: Formula | int | Fraction) -> Formula:
        return Formula(_sum(self.parameter, parameter_of(other)))

    def __radd__(self, other: Formula | int | Fraction) -> Formula:
        return Formula(_sum(parameter_of(other), self.parameter))

    def __sub__(self, other: Formula | int | Fraction) -> Formula:
        return Formula(_sum(self.parameter, opposite(parameter_of(other))))

    def __rsub__(self, other: Formula | int | Fraction) -> Formula:
        return Formula(_sum(parameter_of(other), opposite(self.parameter)))

    def __mul__(self, other: Formula | int | Fraction) -> Formula:
        return Formula(_product(self.parameter, parameter_of(other)))

    def __rmul__(self, other: Formula | int | Fraction) -> Formula:
        return Formula(_product(parameter_of(other), self.parameter))

    def __truediv__(self, other: Formula | int | Fraction) -> Formula:
        return Formula(_quotient(self.parameter, parameter_of(other)))

    def __rtruediv__(self, other: Formula | int | Fraction) -> Formula:
        return Formula(_quotient(parameter_of(other), self.parameter))

    def __neg__(self) -> Formula:
        return Formula(opposite(self.parameter))


def parameter_of(value: Scalar) -> Parameter:
    """What a table would hold: a scalar of this room is a tree, or a structural int or fraction."""
    if isinstance(value, Formula):
        return value.parameter
    assert isinstance(value, int | Fraction)
    return Num(Fraction(value))


def opposite(x: Parameter) -> Parameter:
    match x:
        case ParameterOp("neg", (inner,)):
            return inner
        case ParameterOp("-", (left, right)):
            return ParameterOp("-", (right, left))
    return negate(x)


def _sum(x: Parameter, y: Parameter) -> Parameter:
    match x, y:
        case (Num(a), Num(b)):
            return Num(a + b)
        case (Deg(a), Deg(b)):
            return Deg(a + b)
    if is_zero(x) or is_zero(y):
        return y if is_zero(x) else x
    rest = _without(x, opposite(y))
    if rest is not None:
        return rest
    match y:
        case ParameterOp("neg", (inner,)):
            return ParameterOp("-", (x, inner))
        case Num(value) | Deg(value) if value < 0:
            return ParameterOp("-", (x, negate(y)))
    return ParameterOp("+", (x, y))


def _without(x: Parameter, term: Parameter) -> Parameter | None:
    """The sum x less one of its terms, so that a shift there and back leaves nothing; None if it has no such term."""
    if x == term:
        return ZERO
    match x:
        case ParameterOp("+" | "-" as op, (left, right)):
            less = _without(left, term)
            if less is not None:
                return _sum(less, right if op == "+" else opposite(right))
            less = _without(right, term if op == "+" else opposite(term))
            return None if less is None else _sum(left, less if op == "+" else opposite(less))
    return None


def _product(x: Parameter, y: Parameter) -> Parameter:
    match x, y:
        case (Num(a), Num(b)):
            return Num(a * b)
        case (ParameterOp("neg", (inner,)), _):
            return opposite(_product(inner, y))
        case (_, ParameterOp("neg", (inner,))):
            return opposite(_product(x, inner))
    for factor, rest in ((x, y), (y, x)):
        match factor:
            case Num(value) if value == 0:
                return ZERO
            case Num(value) if abs(value) == 1:
                return rest if value > 0 else opposite(rest)
    return ParameterOp("*", (x, y))


def _quotient(x: Parameter, y: Parameter) -> Parameter:
    match x, y:
        case (Num(a), Num(b)):
            return Num(a / b)
        case (Deg(a), Num(b)):
            return Deg(a / b)
        case (Num(a), _) if a == 0:
            return ZERO
    return x if y == ONE else ParameterOp("/", (x, y))


def is_zero(x: Parameter | None) -> bool:
    return isinstance(x, Num | Deg) and x.value == 0


def is_quarter(angle: Parameter) -> bool:
    """A multiple of 90°."""
    return is_zero(angle) or (isinstance(angle, Deg) and angle.value % 90 == 0)


def cos_sin(angle: Parameter) -> tuple[Formula, Formula]:
    """Quarter turns are exact; any other angle keeps its cosine and sine as trees."""
    match angle:
        case Num(value) if value == 0:
            return Formula(ONE), Formula(ZERO)
        case Deg(value) if value % 90 == 0:
            cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[int(value / 90) % 4]
            return Formula(Num(Fraction(cos))), Formula(Num(Fraction(sin)))
        case ParameterOp("neg", (inner,)):
            return cos_sin(inner)[0], -cos_sin(inner)[1]
        case Num(value) | Deg(value) if value < 0:
            return cos_sin(negate(angle))[0], -cos_sin(negate(angle))[1]
    return Formula(ParameterOp("cos", (angle,))), Formula(ParameterOp("sin", (angle,)))


def placement_from_steps(steps: Steps) -> Placement:
    """The product of the steps, entries as trees."""
    at = HERE
    for step in steps:
        at = at @ _placement_of_step(step)
    return at


def _placement_of_step(step: Step) -> Placement:
    axis, amount = step.kind[1], step.amount.parameter
    if step.kind[0] == "t":
        return shift_along(axis, Formula(amount))
    return turn_about(axis, *cos_sin(amount))


def without_zeros(steps: Steps) -> Steps:
    """Steps that do something."""
    return tuple(step for step in steps if not is_zero(step.amount.value))


def inverse_of(steps: Steps) -> Steps:
    """The way back: opposite steps in opposite order."""
    return tuple(Step(step.kind, Cell(step.amount.name, opposite(step.amount.parameter))) for step in reversed(steps))


def quarter_steps(along: Along, name: str) -> Steps:
    """The turn that brings z onto an axis, nothing for z itself; its cell is called `name`."""
    turn = QUARTERS.get(along)
    return () if turn is None else (Step(turn[0], Cell(name, turn[1])),)


def axis_of(joint: Joint) -> tuple[Steps, Along]:
    """The quarter turns that bring z onto the joint's axis and are taken back after the motion, and where they bring
    it: the motion is one about or along that axis of the frame before."""
    last = joint.before[-1:]
    turn = last and (last[0].kind, last[0].amount.value)
    found = next((along for along, quarter in QUARTERS.items() if quarter == turn), None)
    return (last, found) if found and joint.after[:1] == inverse_of(last) else ((), ("z", 1))


def total(cells: Iterable[Cell], otherwise: str) -> Cell:
    """One cell for several that add up; a single one keeps its name, none is a known zero called `otherwise`."""
    there = [cell for cell in cells if not is_zero(cell.value)]
    if len(there) == 1:
        return there[0]
    value: Any = 0
    for cell in there:
        value = value + Formula(cell.parameter)
    return Cell(there[0].name if there else otherwise, parameter_of(value))


def gather_steps(steps: Iterable[Step]) -> Steps:
    """The same way in fewer steps: turns and shifts along one axis commute, equal kinds add, zeros go."""
    done: list[Step] = []
    for step in steps:
        mate = _mate(done, step)
        if mate is None:
            done.append(step)
            continue
        other = done[mate].amount
        done[mate] = Step(step.kind, Cell(other.name, _sum(other.parameter, step.amount.parameter)))
        done = list(without_zeros(tuple(done)))
    return without_zeros(tuple(done))


def _mate(done: list[Step], step: Step) -> int | None:
    """The last step of the same kind that only steps along the same axis separate from the end."""
    for index in range(len(done) - 1, -1, -1):
        if done[index].kind == step.kind:
            return index
        if done[index].kind[1] != step.kind[1]:
            return None
    return None


def with_values(parameter: Parameter, values: Mapping[str, Parameter]) -> Formula:
    """The tree with every name that has a value replaced by it, folded again."""
    match parameter:
        case Name(name) if name in values:
            return with_values(values[name], values)
        case ParameterOp("**", (base, power)):
            return Formula(_power(with_values(base, values).parameter, power))
        case ParameterOp(op, args):
            found: Formula = apply_operation(op, [with_values(argument, values) for argument in args], FORMULAS)
            return found
    return Formula(parameter)


class FormulaMaths(Maths[Formula]):
    """Functions of trees: what is no number stays a tree."""

    def number(self, value: Fraction) -> Formula:
        return Formula(Num(value))

    def degrees(self, value: Fraction) -> Formula:
        return Formula(Deg(value))

    def apply(self, name: str, *args: Any) -> Formula:
        return Formula(ParameterOp(name, tuple(x.parameter for x in args)))

    def cos(self, x: Formula) -> Formula:
        return cos_sin(x.parameter)[0]

    def sin(self, x: Formula) -> Formula:
        return cos_sin(x.parameter)[1]


FORMULAS = FormulaMaths()


def _power(base: Parameter, power: Parameter) -> Parameter:
    match base, power:
        case (Num(x), Num(n)) if x or n > 0:
            return Num(x ** int(n))
    return ParameterOp("**", (base, power))
