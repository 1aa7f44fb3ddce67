"""The tables of operations: every model, every method; and what each step towards fewer saves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from manipula.algebra.optimise.prove import prove
from manipula.errors import InputError
from manipula.generation.build import build_function, reference
from manipula.generation.massless_joints import joints_without_inertia
from manipula.generation.pipeline import generate_function, known_function
from manipula.generation.prepare import Prepared, Request, model_named, prepare
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.kinematics.pose_ways import bracketings, text_from_bracketing
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import road_joints, serial_fault
from manipula.support.progress import Tell, silent
from manipula.support.text import html_table, text_table

# Operation counts of others, for robots of the library: data, each with its source.

LOPES = "J. V. Lopes da Silva, dissertation, UNICAMP 1990; operations of the parameters alone are included"
SYMORO = "OpenSYMORO with base parameters, measured with the same counter"
SYMPYBOTICS = "SymPyBotics, measured with the same counter"


@dataclass(frozen=True)
class Published:
    """A figure for a robot's model; without a method it stands for the model, however derived."""

    robot: str
    model: str
    total: int
    source: str
    method: str = ""

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


PUBLISHED = (
    Published("puma560_symbolic", "pose", 106, LOPES, "forward"),
    Published("puma560_symbolic", "pose", 107, LOPES, "forward-cross"),
    Published("puma560_symbolic", "pose", 104, LOPES, "backward"),
    Published("puma560_symbolic", "pose", 93, LOPES, "backward-cross"),
    Published("puma560_symbolic", "pose", 81, LOPES, "merged"),
    Published("puma560_symbolic", "pose", 69 + 36, SYMPYBOTICS),
    Published("puma560_symbolic", "lagrange_terms", 961 + 543 + 189, LOPES, "lagrange-megahed"),
    Published("stanford3", "lagrange_terms", 304, LOPES, "lagrange-megahed"),
    Published("rx90", "inverse_dynamics", 287 + 226, SYMORO),
    Published("rx90", "inertia_matrix", 195 + 133, SYMORO),
    Published("rx90", "gravity", 50 + 28, SYMORO),
    Published("rx90", "pose", 56 + 25, SYMORO),
    Published("rx90", "base_regressor", 548 + 339, SYMPYBOTICS),
)


def published_counts(robot: str, model: str, method: str = "") -> list[Published]:
    """The figures for a method, or those for the model however derived."""
    return [x for x in PUBLISHED if (x.robot, x.model, x.method) == (robot, model, method)]


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

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


class CountTable(list[CountRow]):
    """The rows; printed, the table."""

    heads = ("model", "method", "×", "+", "total", "sin/cos", "once", "substituted")

    def _cells(self) -> list[tuple[str, ...]]:
        return [tuple(str(cell) for cell in row.as_dict().values()) for row in self]

    def __str__(self) -> str:
        return text_table(self.heads, self._cells(), right=range(2, len(self.heads)))

    def __repr__(self) -> str:
        models = list(dict.fromkeys(row.model for row in self))
        more = f", … {len(models)} models" if len(models) > 4 else ""
        return f"<{len(self)} counts of operations: {', '.join(models[:4])}{more}; print(…) shows the table>"

    def plot(self, title: str = "Operations") -> Any:
        """The rows as bars, products and sums, in a figure of matplotlib."""
        from manipula.pages.plots import Bar, counts_figure

        return counts_figure([Bar(row.model, row.method, row.mul, row.add) for row in self], title)

    def _repr_html_(self) -> str:
        return html_table(self.heads, self._cells(), "Operations; once: of the parameters alone")


# the last: not for every arm
NOT_COUNTED = ("transforms", "axes", "orientation", "jacobian_tool", "inverse_kinematics")
DEFAULT_MODELS = tuple(name for name in MODELS if name not in NOT_COUNTED)


def count_rows(
    robot: RobotDescription,
    models: Sequence[str] = DEFAULT_MODELS,
    symbolic: Any = "auto",
    optimise: str = "none",
    parameters: str = "base",
    tell: Tell = silent,
) -> Iterator[CountRow]:
    """Each method of each model, proved before it is counted; of all models, those this robot has."""
    subject = prepare(Request(robot, "inverse_dynamics", "best", symbolic, optimise, parameters=parameters))
    for name in _countable(subject, models):
        for method in _methods(name, subject):
            tell(f"{name}: {method}")
            yield count_row(subject.with_request(model=name, method=method))


def _countable(subject: Prepared, models: Sequence[str]) -> list[str]:
    """The requested models; by default those that have an answer: not every arm has six freedoms, and where a joint
    feels no inertia, friction follows the load, the base moves or chains close, each model is tried first."""
    if models is not DEFAULT_MODELS:
        return list(models)
    robot = subject.robot
    doubt = bool(robot.moving or robot.loops or robot.elements) or any(
        joint.actuator.depends_on_load for joint in robot.joints
    )
    doubt = doubt or bool(joints_without_inertia(subject.structure))
    return [name for name in models if not (doubt or MODELS[name].wants) or _has(subject, name)]


def _has(subject: Prepared, name: str) -> bool:
    """Whether the model is one that this robot has."""
    try:
        plain = _methods(name, subject)[0]
        generate_function(subject.with_request(model=name, method=plain, optimise="none", parameters="full"))
    except InputError:
        return False
    return True


def _methods(name: str, subject: Prepared) -> list[str]:
    """Those that can be asked of this robot, the plain one first."""
    robot = subject.robot
    own = (
        robot.moving or robot.loops or robot.elements
    )  # such robots have forms of their own, made by methods of their own
    model = subject.with_request(model=name).model if own else model_named(name)
    serial = not serial_fault(robot)
    return [method for method in model.method_names if serial or model.structure(method) == "tree"]


def count_row(asked: Prepared) -> CountRow:
    function = generate_function(asked)
    cost, offline = function.cost, function.cost.offline
    return CountRow(
        asked.request.model,
        asked.request.method,
        cost.mul,
        cost.add,
        cost.total,
        cost.trig,
        offline.total if offline else 0,
        function.tree_cost.grand_total,
    )


@dataclass(frozen=True)
class StepRow:
    """One method on its way down: totals on line, and the figures of others."""

    model: str
    method: str
    plain: int  # as the robot's file has it
    usual: int  # in the usual formulation
    passes: int  # after the quick passes over the cheaper of both
    known: int | None  # by search: the model's best known result, where it came by this method
    published: tuple[Published, ...]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def step_rows(
    robot: RobotDescription,
    models: Sequence[str] = DEFAULT_MODELS,
    symbolic: Any = "auto",
    parameters: str = "base",
    tell: Tell = silent,
) -> Iterator[StepRow]:
    """What each step saves, every function proved; of all models, those this robot has."""
    subject = prepare(Request(robot, "inverse_dynamics", symbolic=symbolic, parameters=parameters))
    for name in _countable(subject, models):
        found = known_function(subject.with_request(model=name))
        for method in _methods(name, subject):
            tell(f"{name}: steps of {method}")
            asked = subject.with_request(model=name, method=method)
            others = published_counts(robot.name, name, method)
            others += published_counts(robot.name, name) if method == _methods(name, subject)[0] else []
            known = found.cost.total if found and found.provenance.method == method else None
            yield StepRow(name, method, *_steps(asked), known, tuple(others))


def _steps(asked: Prepared) -> tuple[int, int, int]:
    """Totals as it stands, in the usual formulation, after the passes."""
    plain, passed = (generate_function(asked.with_request(optimise=level)) for level in ("none", "fast"))
    formulated = build_function(asked, asked.default(asked.request.method))
    prove(formulated, reference(asked))
    return plain.cost.total, formulated.cost.total, passed.cost.total


def bracketing_rows(robot: RobotDescription, symbolic: Any = "auto", tell: Tell = silent) -> CountTable:
    """Every order of the matrix product of the pose, cheapest first."""
    orders = [text_from_bracketing(tree) for tree in bracketings(len(road_joints(robot)))]
    rows, subject = [], prepare(Request(robot, "pose", "best", symbolic, "none"))
    for order in orders:
        tell(f"pose: {order}")
        rows.append(count_row(subject.with_request(method=order)))
    return CountTable(sorted(rows, key=lambda row: (row.total, row.method)))
