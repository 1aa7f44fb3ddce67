"""Two-point elements: what springs, gas springs and dampers between two frames ask of the motors.

With d = p_b − p_a the line between the two origins, l = |d| its length, k, l₀, F, c as in `robot.elements`,

    f = k (l − l₀) − F + c l̇            l̇ = Σ (∂l/∂q_i) q̇_i
    τ_i = (∂l/∂q_i) f                    V = ½ k (l − l₀)² − F l

is added to the torques and to the potential energy: at rest τ = ∂V/∂q, and the power τ·q̇ is V̇ + c l̇². Only joints
between the two frames change the length: all others move both ends alike. With r the lever of the end about the joint,

    ∂l/∂q_i = ± (z·(r×d) turn + z·d slide) / l

+ on the way to b, − on the way to a. Slopes are divided by l: points that coincide have no line, and give NaN.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 3.2 (forces as external wrenches); the slope of a
length is derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from manipula.errors import InputError
from manipula.mechanics.models.entry import Given, ModelEntry, Outputs
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.elements import TwoPointElement, element_columns
from manipula.mechanics.robot.topology import refuse_elements
from manipula.mechanics.robot.tree import ElementLine, Tree, over_duals
from manipula.mechanics.spatial.dual import partial, variables
from manipula.mechanics.spatial.inertia import half
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    Vec3,
    Vector,
    add,
    cross,
    dot,
    is_structural_zero,
    neg,
    rotate,
    sub,
    sum_of,
    unrotate,
)  # fmt: skip
from manipula.scalar import Scalar

Scalars = Sequence[Scalar]


class Stretch(NamedTuple):
    """A line's length and its slope by every joint that changes it."""

    length: Scalar
    slopes: dict[int, Scalar]

    def rate(self, qd: Scalars) -> Scalar:
        """l̇ = Σ (∂l/∂q_i) q̇_i"""
        return sum_of(slope * qd[i] for i, slope in self.slopes.items())


def stretch(tree: Tree, motions: Sequence[Placement], line: ElementLine) -> Stretch:
    """Of one element, in the axes of the last link (or the base) that moves both ends."""
    ways = [tree.support(i) for i in line.on]
    shared = sum(1 for a, b in zip(*ways) if a == b)
    levers, (p_a, p_b) = dict[int, Vector](), [at.p for at in line.at]
    ends: list[Vector] = []
    for way, end in zip(ways, (p_a, p_b)):
        for i in reversed(way[shared:]):  # inward: the end seen from joint i, then from the link before
            levers[i] = _point(tree.links[i].after, end)
            end = _point(tree.links[i].before, _point(motions[i], levers[i]))
        ends.append(end)
    d = sub(ends[1], ends[0])
    l = tree.maths.sqrt(dot(d, d))
    slopes: dict[int, Scalar] = {}
    for way, ahead in zip(ways, (neg(d), d)):
        for i in way[shared:]:  # outward: the line in the axes of joint i
            link = tree.links[i]
            along = unrotate(motions[i].R, unrotate(link.before.R, ahead))
            # z·(r×d) turn + z·d slide
            pull = link.along_z(link.kind.effort(Vec3(along), cross(levers[i], along)))
            if not is_structural_zero(pull):
                slopes[i] = pull / l
            ahead = unrotate(link.after.R, along)
    return Stretch(l, slopes)


def _point(at: Placement, p: Vector) -> Vector:
    """R p + p_0"""
    return add(rotate(at.R, p), at.p)


def stretches(tree: Tree, q: Scalars) -> list[tuple[TwoPointElement[Scalar], Stretch]]:
    motions = tree.motions(q)
    return [(line.element, stretch(tree, motions, line)) for line in tree.elements]


def pull(element: TwoPointElement[Scalar], at: Stretch, qd: Scalars | None) -> Scalar:
    """f = k (l − l₀) − F + c l̇, without c l̇ where no rates are given"""
    k, l0, F, c = element.values
    terms = [] if is_structural_zero(k) else [k * (at.length - l0)]
    terms += [] if is_structural_zero(F) else [-F]
    terms += [] if is_structural_zero(c) or qd is None else [c * at.rate(qd)]
    return sum_of(terms)


def element_torques(tree: Tree, q: Scalars, qd: Scalars | None = None) -> list[Scalar]:
    """τ_i = Σ (∂l/∂q_i) f over the elements; with `qd` dampers count as well."""
    torques: list[Scalar] = [0] * tree.dof
    for element, at in stretches(tree, q):
        f = pull(element, at, qd)
        for i, slope in at.slopes.items() if not is_structural_zero(f) else ():
            torques[i] = torques[i] + slope * f
    return torques


def element_energy(tree: Tree, q: Scalars) -> Scalar:
    """V = Σ ½ k (l − l₀)² − F l"""
    terms: list[Scalar] = []
    for element, at in stretches(tree, q):
        k, l0, F, _ = element.values
        apart = at.length - l0
        terms += [] if is_structural_zero(k) else [half(k * (apart * apart))]
        terms += [] if is_structural_zero(F) else [-F * at.length]
    return sum_of(terms)


def columns(tree: Tree) -> list[str]:
    """Of every element: k, k·l₀, F, c."""
    return [name for line in tree.elements for name in element_columns(line.suffix)]


def element_regressor(tree: Tree, q: Scalars, qd: Scalars) -> list[list[Scalar]]:
    """τ_i = (∂l/∂q_i) (l·k − 1·(k l₀) − 1·F + l̇·c), a row a joint"""
    rows: list[list[Scalar]] = [[] for _ in tree.links]
    for _, at in stretches(tree, q):
        rate = at.rate(qd)
        for i, row in enumerate(rows):
            slope = at.slopes.get(i, 0)
            row += [slope * at.length, -slope, -slope, slope * rate] if i in at.slopes else [0, 0, 0, 0]
    return rows


# Models with elements: what these add to the text of a model without them.


@dataclass(frozen=True)
class JointState:
    """What a model's inputs mean for the joints, and what its outputs feel of their torques."""

    q: Scalars
    qd: Scalars | None
    gather: Callable[[Scalars], list[Scalar]]


def of_coordinates(tree: Tree, x: Given) -> JointState:
    """Where joints may follow others: q_joint = S q, τ = Sᵀ τ_joint."""
    of = tree.coordinates
    return JointState(of.spread(x["q"]), of.spread(x["qd"]) if "qd" in x else None, of.gather)


def of_joints(tree: Tree, x: Given) -> JointState:
    """Where the text takes the motion of all joints, as those of robots with loops do."""
    return JointState(x["q"], x.get("qd"), list)


Text = Callable[..., Mapping[str, Any]]  # what a method gives has the shape its outputs say
States = Callable[[Tree, Given], JointState]
Addition = Callable[[Text, States, Tree, Given, Sequence[Any]], Outputs]


def _add_to(name: str) -> Addition:
    """Torques more, in the output of that name."""

    def run(method: Text, state: States, tree: Tree, x: Given, choices: Sequence[Any]) -> Outputs:
        found, at = method(tree, x, *choices), state(tree, x)
        more = at.gather(element_torques(tree, at.q, at.qd))
        return {**found, name: [t + f for t, f in zip(found[name], more, strict=True)]}

    return run


def _push_less(method: Text, state: States, tree: Tree, x: Given, choices: Sequence[Any]) -> Outputs:
    """Forward dynamics: the elements take their share of the motors' torques."""
    at = state(tree, x)
    taken = at.gather(element_torques(tree, at.q, at.qd))
    return method(tree, {**x, "tau": [t - f for t, f in zip(x["tau"], taken, strict=True)]}, *choices)


def _add_energy(method: Text, state: States, tree: Tree, x: Given, choices: Sequence[Any]) -> Outputs:
    found = method(tree, x, *choices)
    return {**found, "potential": found["potential"] + element_energy(tree, state(tree, x).q)}


def _add_columns(method: Text, state: States, tree: Tree, x: Given, choices: Sequence[Any]) -> Outputs:
    found, at = method(tree, x, *choices), state(tree, x)
    assert at.qd is not None
    felt = [at.gather(column) for column in zip(*element_regressor(tree, at.q, at.qd), strict=True)]
    return {**found, "Y": [[*row, *more] for row, more in zip(found["Y"], zip(*felt, strict=True), strict=True)]}


def _slopes(state: States, tree: Tree, x: Given) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """∂τ/∂q and ∂τ/∂q̇ of the elements, on dual numbers."""
    n, dual = len(x["q"]), over_duals(tree)
    motion = variables([*x["q"], *x["qd"]])
    at = state(dual, {"q": motion[:n], "qd": motion[n:]})
    torques = at.gather(element_torques(dual, at.q, at.qd))
    by = [[partial(t, k) for k in range(2 * n)] for t in torques]
    return [row[:n] for row in by], [row[n:] for row in by]


def _add_slopes(method: Text, state: States, tree: Tree, x: Given, choices: Sequence[Any]) -> Outputs:
    """Of inverse dynamics: the sums of both."""
    found = method(tree, x, *choices)
    more = dict(zip(("dq", "dqd"), _slopes(state, tree, x), strict=True))
    return {name: _sum(value, more[name]) if name in more else value for name, value in found.items()}


def _push_slopes(method: Text, state: States, tree: Tree, x: Given, choices: Sequence[Any]) -> Outputs:
    """Of forward dynamics q̈(q, q̇, τ − τ_e): the slopes there, less ∂q̈/∂τ · ∂τ_e."""
    found: Mapping[str, Any] = _push_less(method, state, tree, x, choices)
    by = zip(("dq", "dqd"), _slopes(state, tree, x), strict=True)
    Minv = found["dtau"]
    less = {name: [[-_dot(row, column) for column in zip(*rows)] for row in Minv] for name, rows in by}
    return {name: _sum(value, less[name]) if name in less else value for name, value in found.items()}


def _dot(a: Scalars, b: Scalars) -> Scalar:
    return sum_of(x * y for x, y in zip(a, b, strict=True) if not is_structural_zero(y))


def _sum(A: Sequence[Scalars], B: Sequence[Scalars]) -> list[list[Scalar]]:
    return [[a + b for a, b in zip(row, more, strict=True)] for row, more in zip(A, B, strict=True)]


ADDED: Mapping[str, Addition] = {
    "inverse_dynamics": _add_to("tau"),
    "inverse_dynamics_smooth": _add_to("tau"),
    "gravity": _add_to("g"),
    "forward_dynamics": _push_less,
    "energy": _add_energy,
    "regressor": _add_columns,
    "inverse_dynamics_derivatives": _add_slopes,
    "forward_dynamics_derivatives": _push_slopes,
}
# models that no force enters
SAME = (
    "pose", "frames", "transforms", "orientation", "axes", "jacobian", "jacobian_tool", "jacobian_dot", "tool_bias",
    "tool_velocity", "tool_acceleration", "manipulability", "centre_of_mass", "centre_of_mass_jacobian",
    "inertia_matrix", "inertia_matrix_inverse", "coriolis", "coriolis_matrix", "friction", "friction_parts",
    "operational_mobility", "operational_inertia", "inverse_kinematics", "joint_motion", "closure",
)  # fmt: skip


def add_elements(model: ModelEntry, robot: RobotDescription, closed: bool = False) -> ModelEntry:
    """The model of a robot with two-point elements; of a `closed` one before its loops are, on the motion of all
    joints. A closed robot solves for accelerations with texts of its own (`closure.closed_models`)."""
    if model.name in SAME or (closed and model.name == "forward_dynamics"):
        return model
    if model.name not in ADDED:
        refuse_elements(robot, model.name)
    if robot.moving:
        raise InputError(
            "{robot}: {name} is not made for two-point elements on a base that moves", robot.name, model.name
        )
    if loaded := next((joint.name for joint in robot.joints if joint.actuator.depends_on_load), None):
        raise InputError(
            "{robot}: {name} is not made for two-point elements beside friction that depends on the load "
            "(joint {joint!r})",
            robot.name,
            model.name,
            loaded,
        )
    addition, own, state = ADDED[model.name], model.columns, of_joints if closed else of_coordinates
    methods = {name: _with(method, addition, state) for name, method in model.methods.items()}
    field = None if model.field is None else _with(model.field, addition, state)
    named = None if own is None else lambda tree: [*own(tree), *columns(tree)]
    return replace(model, methods=methods, field=field, columns=named)


def _with(method: Text, addition: Addition, state: States) -> Any:
    def run(tree: Tree, x: Given, *choices: object) -> Outputs:
        return addition(method, state, tree, x, choices)

    return run
