"""Is this robot's mathematics right? Every law, on the user's own robot, in the prime field: a theorem."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Literal

from manipula.algebra.emit.dossier import Dossier, dossier_files
from manipula.algebra.expr.field import FieldElement, FieldMaths, value_of
from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.node import Graph
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import InputError
from manipula.generation.arm_structure import ArmStructure
from manipula.generation.build import build_function, misread, reference, used_parameters
from manipula.generation.compose import Part, asked_of, beside, join
from manipula.generation.massless_joints import joints_without_inertia, sentence
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Formulation, Prepared, Request, prepare
from manipula.mechanics.identities import IDENTITIES, Identity, MotionState, inertia_pivots
from manipula.mechanics.models.entry import Block
from manipula.mechanics.models.ports import PORTS, PortSizes
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.checks import check_robot
from manipula.mechanics.robot.formats.conversion.tables import dynamic_table, geometry_table, motor_table
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message
from manipula.support.progress import seldom_collecting
from manipula.support.text import html_table
from manipula.version import __version__

DRAWS = 2
POSES = 20
NOT_CHECKED = Message("not checked")


@dataclass(frozen=True)
class Verdict:
    """One line of the report. "proved" holds for every value of every symbol; "measured" at the poses tried."""

    name: str
    sentence: str
    how: Literal["proved", "measured", "noted"]
    passed: bool
    detail: str = ""
    checked: bool = True  # else `detail` says why it does not apply

    def as_dict(self) -> dict[str, object]:
        return asdict(self) | {"sentence": Message(self.sentence), "detail": Message(self.detail)}


@dataclass(frozen=True, repr=False)
class Report:
    """What `check` found."""

    robot: str
    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        return all(verdict.passed for verdict in self.verdicts)

    def as_dict(self) -> dict[str, object]:
        return {"robot": self.robot, "passed": self.passed, "verdicts": [v.as_dict() for v in self.verdicts]}

    def __str__(self) -> str:
        lines = [f"{_mark(v):8} {v.name}: {v.sentence}{f' ({v.detail})' if v.detail else ''}" for v in self.verdicts]
        return "\n".join([*lines, f"{self.robot}: {self._end()}"])

    def _end(self) -> str:
        left_out = ", ".join(v.name for v in self.verdicts if not v.checked)
        end = "every law holds" if not left_out else f"every law that applies holds; not checked: {left_out}"
        return end if self.passed else "SOMETHING IS WRONG: see the lines marked FAILED"

    def __repr__(self) -> str:
        failed = ", ".join(v.name for v in self.verdicts if not v.passed)
        verdict = f"FAILED {failed}" if failed else f"{sum(v.checked for v in self.verdicts)} verdicts, all hold"
        return f"<check of {self.robot}: {verdict}; print(…) shows them>"

    def _repr_html_(self) -> str:
        rows = [(v.name, v.sentence, _mark(v) if v.checked else NOT_CHECKED, v.detail) for v in self.verdicts]
        return html_table(("law", "what it says", "verdict", "detail"), rows, f"{self.robot}: {self._end()}")


def _mark(verdict: Verdict) -> str:
    return verdict.how if verdict.passed else "FAILED"


def check_report(robot: RobotDescription, tell: Callable[[str], None] = lambda text: None) -> Report:
    """The laws of mechanics in the prime field, the inertia's positivity where there are numbers, and doubts."""
    verdicts = [Verdict("table", doubt, "noted", True) for doubt in check_robot(robot)]
    structure = ArmStructure(robot)
    verdicts.append(_check_description(structure))
    verdicts += [Verdict(part, text, "noted", True, NOT_CHECKED, False) for part, text in _beyond(robot)]
    states = [_field_state(structure) for _ in range(DRAWS)]
    for law in IDENTITIES:
        tell(law.name)
        verdicts.append(_prove_law(law, states))
    if not structure.free:
        tell("inertia positive")
        verdicts.append(_positive(structure))
    return Report(robot.name, tuple(verdicts))


def _not_checked(why: str) -> Message:
    return Message("not checked: {why}", why)


def _beyond(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """What of a robot the laws of arms leave out."""
    if robot.moving:
        yield "moving base", "The laws hold the base still; each function on a moving base is proved when it is made."
    if robot.loops:
        yield (
            "loops",
            "The laws take the tree with its loops cut; each function of the closed robot is proved when made.",
        )
    if robot.elements:
        yield "elements", "The laws leave two-point elements out; each function with them is proved when it is made."


def _check_description(structure: ArmStructure) -> Verdict:
    """Is the arm that the models see the robot of the description?"""
    wrong: dict[str, None] = {}
    for _ in range(DRAWS):
        chain, maths, symbols = _sample_arm(structure)
        wrong |= dict.fromkeys(misread(structure.robot, chain, symbols, "auto", maths))
    sentence = "The models use the robot as described: its frames, the bodies fixed to each link, its actuators."
    detail = Message("not so: {cells}", ", ".join(wrong)) if wrong else ""
    return Verdict("description", sentence, "proved", not wrong, detail)


def _sample_arm(structure: ArmStructure) -> tuple[Tree, FieldMaths, dict[str, FieldElement]]:
    """The arm at one fresh random point of the field, and its parameters there."""
    maths = FieldMaths(f"check {secrets.token_hex(16)}")
    symbols = structure.symbols(maths.symbol)
    return structure.bound_tree(maths, symbols), maths, symbols


def _field_state(structure: ArmStructure) -> tuple[Tree, MotionState]:
    """The robot and a state at one fresh random point of the field."""
    chain, maths, _ = _sample_arm(structure)

    def vector(prefix: str) -> list[FieldElement]:
        return [maths.symbol(f"{prefix}{i}") for i in range(chain.dof)]

    wrench = [maths.symbol(name) for name in PORTS["wrench"].entries(PortSizes(chain.dof))]
    return chain, MotionState(vector("q"), vector("qd"), vector("qdd"), wrench)


def _prove_law(law: Identity, states: list[tuple[Tree, MotionState]]) -> Verdict:
    try:
        wrong = sum(value_of(x) != 0 for chain, state in states for x in law.residuals(chain, state))
    except ZeroDivisionError:
        return Verdict(law.name, law.sentence, "noted", True, _not_checked(Message(law.condition)), False)
    except InputError as refused:
        return Verdict(law.name, law.sentence, "noted", True, _not_checked(str(refused)))
    detail = Message("{count} equations broken", wrong) if wrong else ""
    return Verdict(law.name, law.sentence, "proved", wrong == 0, detail)


def _positive(structure: ArmStructure) -> Verdict:
    """M positive definite at poses spread over the workspace (a low-discrepancy sequence, so runs repeat)."""
    law = "Moving the arm always takes energy: M is positive definite."
    idle = joints_without_inertia(structure)
    if idle:
        return Verdict("inertia positive", law, "noted", True, _not_checked(sentence(idle)), False)
    chain = structure.bound_tree(FLOATS, {})
    lowest = min(_lowest_pivot(chain, _spread(chain.dof, k)) for k in range(POSES))
    detail = Message("{count} poses, lowest pivot {lowest:.3g}", POSES, lowest)
    return Verdict("inertia positive", law, "measured", lowest > 0, detail)


def _lowest_pivot(chain: Tree, q: Sequence[float]) -> float:
    try:
        return min(map(float, inertia_pivots(chain, q)))
    except ZeroDivisionError:
        return 0.0


def _spread(dof: int, k: int) -> list[float]:
    """Point k of a Kronecker sequence in (−3, 3)ⁿ."""
    return [6 * ((k + 1) * (2 ** (1 / (dof + 1)) ** (i + 1)) % 1) - 3 for i in range(dof)]


# The plain function of what was asked: for people, who want the formulas of a book in the letters of their file.
#
# A model's first text, run on the arm as it is described: no frame is moved, no mass regrouped, nothing is turned to
# make
# a moment zero. It costs more operations than what `generate` finds, and is written shorter. Whatever is printed from
# it
# is proved equal to the optimised function.


@seldom_collecting()
def plain_function(request: Request) -> Function:
    """One model."""
    return _plain(prepare(request))


@seldom_collecting()
def plain_together(requests: Sequence[Request]) -> Function:
    """Several models of one robot, side by side."""
    first = prepare(requests[0])
    graph = Graph()
    parts = [moved_to(_plain(first.with_request(model=request.model)), graph) for request in requests]
    return beside(first.function_name("models"), graph, parts)


@seldom_collecting()
def plain_block(block: Block, request: Request, others: Mapping[str, Request] = MappingProxyType({})) -> Function:
    """A block around plain models."""
    asked, known = prepare(request), {name: prepare(other) for name, other in others.items()}
    calls = {name: asked_of(name, asked, known) for name in block.calls}
    parts = {name: Part(_plain(part), reference(part)) for name, part in calls.items()}
    return used_parameters(join(block, asked, parts).function)


def _plain(asked: Prepared) -> Function:
    first = next(iter(asked.model.methods))
    return used_parameters(build_function(asked, Formulation(first)))


# The dossier of a robot: tables, geometric model and complete Lagrangian model as one set of files.


def files_of_dossier(robot: RobotDescription, tell: Callable[[str], None] = lambda text: None) -> dict[str, str]:
    """File name → text."""

    asked = prepare(Request(robot, "pose"))

    def tape(model: str) -> Tape:
        return tape_from_function(generate_function(asked.with_request(model=model), tell))

    tables = [table for table in (dynamic_table(robot), motor_table(robot)) if table.rows]
    return dossier_files(
        Dossier(
            robot.name,
            __version__,
            [geometry_table(robot)],
            tables,
            tape("pose"),
            tape("transforms"),
            tape("frames"),
            tape("lagrange_terms"),
        )
    )
