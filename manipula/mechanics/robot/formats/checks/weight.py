"""How large the values of a robot become when every name in them is replaced by its own value.

Names make a graph: forty of them, each twice the one before, are a short file and an expression of 2⁴⁰ terms. The
interior works with exact numbers and trees, so what would grow beyond any robot's table is refused at the door.
"""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, ParameterOp, names_of
from manipula.messages import Message

HEAVIEST = 5000  # operations, and words of 64 bits
DEEPEST = 100  # values inside values


def refuse_heavy(robot: RobotDescription) -> None:
    """Raises on a value defined by itself, and on one too large written out."""
    values = dict(robot.values)
    weights: dict[str, int] = {}
    levels: dict[str, int] = {}
    for name in _inner_first(values):
        inner = [part for part in names_of(values[name]) if part in values]
        weights[name] = _weight(values[name], weights)
        levels[name] = 1 + max((levels[part] for part in inner), default=0)
        if weights[name] > HEAVIEST or levels[name] > DEEPEST:
            raise _too_large(f"values.{name}")
    for cell in robot.cells():
        if isinstance(cell.value, ParameterOp) and _weight(cell.value, weights) > HEAVIEST:
            raise _too_large(cell.name)


def _inner_first(values: Mapping[str, Parameter]) -> list[str]:
    graph = {name: [inner for inner in names_of(value) if inner in values] for name, value in values.items()}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        name = error.args[1][0]
        raise RobotFileError(
            "{name} is defined by itself",
            name,
            field=f"values.{name}",
            hint=Message("give a number, or remove it to keep a symbol"),
        ) from None


def _too_large(field: str) -> RobotFileError:
    return RobotFileError(
        "with the values of its names written out this is too large",
        field=field,
        hint=Message("at most {heaviest} operations, {deepest} names deep", HEAVIEST, DEEPEST),
    )


def _weight(parameter: Parameter, weights: Mapping[str, int]) -> int:
    match parameter:
        case Num(value) | Deg(value):
            return 1 + max(value.numerator.bit_length(), value.denominator.bit_length()) // 64
        case Name(name):
            return weights.get(name, 1)
        case ParameterOp("**", (base, Num(power))):
            return 1 + _weight(base, weights) * abs(int(power))
        case ParameterOp(_, args):
            return 1 + sum(_weight(argument, weights) for argument in args)
    raise AssertionError(parameter)
