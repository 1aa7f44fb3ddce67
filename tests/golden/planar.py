"""A planar arm with point masses at the ends of its links, written straight in expressions: the subject of the goldens.

Nothing but the algebra takes part, so these files change only when the text that is emitted changes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from manipula.algebra.emit.dossier import Dossier
from manipula.algebra.expr.condition import Lengths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.algebra.tape import Tape, tape_from_function
from manipula.scalar import Next

VERSION = "1.2.3"


class Rows(NamedTuple):
    """A table of text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Planar:
    """The arm's symbols and formulas over one graph."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.maths = ExprMaths(self.graph)
        self.q, self.qd, self.qdd, self.P = (self.vector(name) for name in ("q", "qd", "qdd", "P"))
        self.parameters = [self.graph.symbol(name) for name in ("l1", "l2", "m1", "m2", "g")]

    def vector(self, name: str) -> list[Expr]:
        return [self.graph.symbol(f"{name}{i}", online=True) for i in (1, 2)]

    def inputs(self, *names: str) -> tuple[Input, ...]:
        units = {"q": "rad", "qd": "rad/s", "qdd": "rad/s²", "P": "N·m"}
        docs = {"q": "joint positions", "qd": "joint rates", "qdd": "joint accelerations", "P": "perturbations"}
        ports = [Input(name, tuple(getattr(self, name)), units[name], docs[name]) for name in names]
        return (*ports, Input("p", tuple(self.parameters), "SI", "parameters", role="parameter"))

    def function(self, name: str, ports: tuple[str, ...], outputs: dict[str, Any]) -> Function:
        subject = (("file", "planar.toml"), ("tip", "the end of link 2"), ("friction", "none"))
        origin = Provenance("planar", joints=("shoulder", "elbow"), proof="by hand", subject=subject)
        made = tuple(_output(self.graph, key, value) for key, value in outputs.items())
        return Function(name, self.graph, self.inputs(*ports), made, provenance=origin)

    def lagrange(self) -> dict[str, Any]:
        """A13's terms, point masses at the link ends."""
        l1, l2, m1, m2, g = self.parameters
        (q1, q2), (qd1, qd2), (qdd1, qdd2), P = self.q, self.qd, self.qdd, self.P
        c1, c12 = self.maths.cos(q1), self.maths.cos(q1 + q2)
        far, cross = m2 * l2 * l2, m2 * l1 * l2
        mixed = far + cross * self.maths.cos(q2)
        A = [[(m1 + m2) * l1 * l1 + mixed + mixed - far, mixed], [mixed, far]]
        b = -cross * self.maths.sin(q2)
        COR, CEN = [[b], [0]], [[0, b], [-b, 0]]
        GRA = [-((m1 + m2) * l1 * g * c1 + m2 * l2 * g * c12), -(m2 * l2 * g * c12)]
        FIN = [row[0] * qdd1 + row[1] * qdd2 for row in A]
        FCOR = [2 * row[0] * (qd1 * qd2) for row in COR]
        FCEN = [row[0] * (qd1 * qd1) + row[1] * (qd2 * qd2) for row in CEN]
        FGEN = [a + b + c - d + e for a, b, c, d, e in zip(FIN, FCOR, FCEN, GRA, P)]
        coefficients = {"A": A, "COR": COR, "CEN": CEN, "GRA": GRA}
        return coefficients | {"FIN": FIN, "FCOR": FCOR, "FCEN": FCEN, "FGRA": GRA, "FPER": P, "FGEN": FGEN}

    def placement(self, angle: Expr, x: Any, y: Any) -> list[list[Any]]:
        c, s = self.maths.cos(angle), self.maths.sin(angle)
        return [[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, 0], [0, 0, 0, 1]]


def torque() -> Tape:
    """τ of (q, q̇, q̈): parameters split off, one vector out, and a condition to check."""
    arm = Planar()
    function = arm.function("planar_torque", ("q", "qd", "qdd", "P"), {"tau": arm.lagrange()["FGEN"]})
    return tape_from_function(
        replace(function, conditions=(Lengths().condition(arm.parameters[0] * arm.parameters[1]),))
    )


def tip() -> Tape:
    """Numbers only, several outputs, a scalar among them, an input nobody reads."""
    arm = Planar()
    (q1, q2), maths = arm.q, arm.maths
    x, y = maths.cos(q1) + maths.cos(q1 + q2) / 2, maths.sin(q1) + maths.sin(q1 + q2) / 2
    reach = maths.minimum(maths.sqrt(x * x + y * y), 1)
    function = arm.function("planar_tip", ("q", "qd"), {"at": [x, y], "reach": reach, "facing": maths.sign(x)})
    return tape_from_function(replace(function, inputs=arm.inputs("q", "qd")[:2]))


def servo() -> Tape:
    """A law with memory: a spring to a low-passed position; a state, a setting and parameters."""
    arm = Planar()
    graph, (l1, *_) = arm.graph, arm.parameters
    low = tuple(arm.vector("low"))
    stiff, pace = graph.symbol("stiff"), graph.symbol("pace")
    slope = [pace * (q - x) for q, x in zip(arm.q, low)]
    variables, parameters = arm.inputs("q")
    inputs = (
        variables,
        Input("low", low, "rad", "low-passed positions", "state"),
        Input("gains", (stiff, pace), "N/m, 1", "spring, share of the difference taken in a step", "setting"),
        replace(parameters, symbols=(l1,)),
    )
    outputs = (
        Output("tau", (2,), tuple(-(stiff / l1) * x for x in slope), "N·m", "torques"),
        Output("low_next", (2,), tuple(x + d for x, d in zip(low, slope)), "rad", "after the step", Next("low")),
    )
    origin = Provenance("planar", joints=("shoulder", "elbow"), proof="by hand")
    return tape_from_function(Function("planar_servo", graph, inputs, outputs, provenance=origin))


def lagrange() -> Tape:
    arm = Planar()
    return tape_from_function(arm.function("planar_lagrange", ("q", "qd", "qdd", "P"), arm.lagrange()))


def dossier() -> Dossier:
    arm = Planar()
    l1, l2, *_ = arm.parameters
    (q1, q2), cos, sin = arm.q, arm.maths.cos, arm.maths.sin
    first, second = arm.placement(q1, l1 * cos(q1), l1 * sin(q1)), arm.placement(q2, l2 * cos(q2), l2 * sin(q2))
    whole = arm.placement(q1 + q2, l1 * cos(q1) + l2 * cos(q1 + q2), l1 * sin(q1) + l2 * sin(q1 + q2))
    rows = (("1", "q1", "0", "l1", "0°"), ("2", "q2", "0", "l2", "0°"))
    geometry = Rows("Geometry", ("joint", "theta", "d", "a", "alpha"), rows)
    inertia = Rows("Inertia", ("joint", "mass"), (("1", "m1"), ("2", "m2")))
    pose, elementary, between = (
        tape_from_function(arm.function(f"planar_{name}", ("q",), {"T": value}))
        for name, value in {"pose": whole, "elementary": [first, second], "between": [first, whole]}.items()
    )
    return Dossier("planar", VERSION, (geometry,), (inertia,), pose, elementary, between, lagrange())


def _output(graph: Graph, name: str, value: Any) -> Output:
    shape, flat = _flat(value)
    return Output(name, shape, tuple(graph.expr(x) for x in flat))


def _flat(value: Any) -> tuple[tuple[int, ...], list[Any]]:
    if not isinstance(value, list):
        return (), [value]
    parts = [_flat(item) for item in value]
    return (len(parts), *parts[0][0]), [x for _, flat in parts for x in flat]
