"""The table of operations: every model, every method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from manipula.bridge import Request, model_named
from manipula.generation import generate_function
from manipula.mechanics.models.bracketings import bracketings, text_from_bracketing
from manipula.mechanics.models.catalogue import FIELD, MODELS
from manipula.mechanics.robot.description import Robot


@dataclass(frozen=True)
class CountRow:
    """One line: operations with auxiliary equations, and in all after full substitution."""

    model: str
    method: str
    mul: int
    add: int
    total: int
    trig: int
    offline: int
    substituted: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


DEFAULT_MODELS = tuple(name for name in MODELS if name not in ("transforms", "orientation", "jacobian_tool"))


def count_rows(
    robot: Robot,
    models: Sequence[str] = DEFAULT_MODELS,
    symbolic: Any = "auto",
    optimise: str = "none",
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[CountRow]:
    """Each method of each model, proved before it is counted."""
    for name in models:
        model = model_named(name)
        for method in [*model.methods, *([FIELD] if model.field else [])]:
            tell(f"{name}: {method}")
            yield count_row(robot, name, method, symbolic, optimise)


def count_row(robot: Robot, model: str, method: str, symbolic: Any = "auto", optimise: str = "none") -> CountRow:
    function = generate_function(Request(robot, model, method, symbolic, optimise))
    cost, offline = function.cost, function.cost.offline
    return CountRow(
        model,
        method,
        cost.mul,
        cost.add,
        cost.total,
        cost.trig,
        offline.total if offline else 0,
        function.tree_cost.grand_total,
    )


def bracketing_rows(
    robot: Robot, symbolic: Any = "auto", tell: Callable[[str], None] = lambda text: None
) -> list[CountRow]:
    """Every order of the matrix product of the pose, cheapest first."""
    orders = [text_from_bracketing(tree) for tree in bracketings(robot.dof)]
    rows = []
    for order in orders:
        tell(f"pose: {order}")
        rows.append(count_row(robot, "pose", order, symbolic))
    return sorted(rows, key=lambda row: (row.total, row.method))
