"""An arm driven by a law that does not know its payload: what both compute of one motion is computed once.

The law asks for the torques τ̂ of an acceleration a at (q, q̇), and the arm then moves under τ. It is the law's arm with
a payload more, whose own torques along a motion are τ_L: inverse dynamics is linear in inertia, so at the same a

    M q̈ + b = τ,   M a + b = τ̂ + τ_L(q, q̇, a)      ⇒      q̈ = a + M⁻¹ (τ − τ̂ − τ_L(q, q̇, a))

where b is what the arm asks for at rest of q̈. Law and payload walk along the same velocities and accelerations, and
b, a walk of its own with a = 0, is never formed. What is joined so is proved as any call is: by the plain model of
forward dynamics at that cut.

Derived here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from manipula.algebra.expr.function import Function, Input, Output, moved_to
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.walk import rebuilt
from manipula.algebra.optimise.balance import balanced
from manipula.algebra.optimise.passes import optimised
from manipula.algebra.optimise.search.engine import FAST, searched
from manipula.generation.build import built
from manipula.generation.formulations import fast_formulation
from manipula.generation.levels import LEVELS, level_none
from manipula.generation.prepare import Prepared, prepare
from manipula.generation.request import Formulation
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.robot.actuators.actuator import Actuator
from manipula.mechanics.robot.description import Cell, Joint, RobotDescription, known
from manipula.support.progress import Effort

ASKS = ("inverse_dynamics", "inverse_dynamics_smooth")  # how a law asks for torques; the same where nothing rubs
MOVES = 1_000_000  # half a second
Exprs = tuple[Expr, ...]


@dataclass(frozen=True)
class Surplus:
    """What takes the place of a law's inverse dynamics, and of the arm's forward dynamics at the same q and q̇.

    (q, q̇, a, rest) → τ̂, q̈, with rest = τ − τ̂."""

    law: str  # the name of the law's call
    function: Function


def placed(
    function: Function, graph: Graph, given: Mapping[str, Exprs], parameters: Mapping[str, Expr]
) -> dict[str, Exprs]:
    """The outputs of a function whose inputs are these expressions, its parameters those of the graph."""
    ports = [(port, given.get(port.name)) for port in function.inputs]
    flat = {x: y for port, values in ports if values is not None for x, y in zip(port.symbols, values, strict=True)}
    flat |= {x: parameters[str(x.data)] for port, values in ports if values is None for x in port.symbols}
    flow = iter(rebuilt(function.roots, graph, flat))
    return {output.name: tuple(next(flow) for _ in output.exprs) for output in function.outputs}


class Course:
    """The motions that a law has asked torques for, while a text runs on expressions."""

    def __init__(self, surplus: Surplus | None, graph: Graph, parameters: Mapping[str, Expr]) -> None:
        self._surplus, self._graph, self._parameters = surplus, graph, parameters
        self._asked: dict[tuple[Exprs, Exprs], tuple[Exprs, Exprs]] = {}  # (q, q̇) → a, τ̂

    def answer(self, model: str, given: Mapping[str, Exprs]) -> dict[str, Exprs] | None:
        """A call's outputs, where they follow from a motion that the law knows; else None."""
        if self._surplus is not None and model == self._surplus.law:
            nothing = (self._graph.expr(0),) * len(given["q"])
            found = self._placed(given["q"], given["qd"], given["qdd"], nothing)
            self._asked[given["q"], given["qd"]] = given["qdd"], found["tau"]
            return {"tau": found["tau"]}
        if model != "forward_dynamics" or (given["q"], given["qd"]) not in self._asked:
            return None
        a, tau = self._asked[given["q"], given["qd"]]
        rest = tuple(x - y for x, y in zip(given["tau"], tau, strict=True))
        return {"qdd": self._placed(given["q"], given["qd"], a, rest)["qdd"]}

    def _placed(self, q: Exprs, qd: Exprs, a: Exprs, rest: Exprs) -> dict[str, Exprs]:
        assert self._surplus is not None
        given = {"q": q, "qd": qd, "qdd": a, "rest": rest}
        return placed(self._surplus.function, self._graph, given, self._parameters)


def surplus_of(calls: Sequence[str], asked: Prepared, others: Mapping[str, Prepared]) -> Surplus | None:
    """What the arm has beyond the law's, where that is a payload and nothing rubs."""
    named = [name for name in calls if ":" in name and name.rpartition(":")[2] in ASKS]
    if len(named) != 1 or "forward_dynamics" not in calls or LEVELS[asked.request.optimise] is level_none:
        return None
    law = others[named[0].rpartition(":")[0]]
    if not _is_payload_more(asked.robot, law.robot):
        return None
    try:
        return Surplus(named[0], _function(asked, law.asking(model=ASKS[0], method="best", wrench=False)))
    except ZeroDivisionError:  # a formulation of the law's arm that the payload alone does not have
        return None


def _is_payload_more(arm: RobotDescription, law: RobotDescription) -> bool:
    rubs = any(joint.actuator != _smooth(joint) for joint in law.joints)
    return bool(arm.payload) and not law.payload and not rubs and replace(arm, payload=()) == law


def _function(asked: Prepared, law: Prepared) -> Function:
    """Built in one formulation, so that the motion is one, and searched as one."""
    arm = asked.asking(model="inertia_matrix", method="best", wrench=False)
    load = prepare(replace(law.request, robot=_payload_alone(asked.robot), symbolic=asked.request.symbolic))
    choice = fast_formulation(law)
    graph = Graph()
    drafts = [(law, choice), (load, _fitting(load, choice)), (arm, fast_formulation(arm))]
    torques, surplus, inertia = (moved_to(optimised(built(*draft)), graph) for draft in drafts)
    n = asked.robot.dof
    ports = {port.name: port for part in (torques, surplus, inertia) for port in part.inputs if port.online}
    rest = Input("rest", tuple(graph.symbol(f"rest{i + 1}", online=True) for i in range(n)))
    M = [inertia.roots[i * n : (i + 1) * n] for i in range(n)]
    step = InertiaSolver(M)([x - y for x, y in zip(rest.symbols, surplus.roots, strict=True)])
    qdd = tuple(a + x for a, x in zip(ports["qdd"].symbols, step, strict=True))
    letters = {x: None for part in (torques, surplus, inertia) for p in part.inputs if not p.online for x in p.symbols}
    whole = Function(
        "driven", graph, (*ports.values(), rest, Input("p", tuple(letters), role="parameter")),
        (Output("tau", (n,), tuple(torques.roots)), Output("qdd", (n,), tuple(map(graph.expr, qdd)))),
    )  # fmt: skip
    return balanced(searched(optimised(whole), Effort(MOVES), asked.aim, rounds=FAST))


def _fitting(asked: Prepared, choice: Formulation) -> Formulation:
    """A formulation without the answers that are none for this arm."""
    open_to = {question.topic: question.answers for question in asked.questions(choice.method)}
    kept = tuple((topic, x) for topic, x in choice.answers if x in open_to.get(topic, ()))
    return Formulation(choice.method, kept)


def _payload_alone(robot: RobotDescription) -> RobotDescription:
    """Joints that move nothing but the payload."""
    bare = [replace(_smooth(joint), motor_inertia=known(joint.motor_inertia.name)) for joint in robot.joints]
    rows = (replace(joint, body=None, carries=(), actuator=x) for joint, x in zip(robot.joints, bare))
    return replace(robot, joints=tuple(rows), ground=())


def _smooth(joint: Joint) -> Actuator[Cell]:
    return joint.actuator.without_friction(lambda cell: known(cell.name))
