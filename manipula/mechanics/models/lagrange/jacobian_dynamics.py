"""Dynamics from Jacobians (PUC-Rio dissertation, chapter 6).

    M = Σ Jvᵀ m Jv + Jωᵀ I Jω                              (6.55)
    V_i = Σ_jk b_ijk q̇_j q̇_k,  b_ijk = ½(∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i)     (6.75–6.77)
    G = −Σ Jvᵀ m g                                         (6.54)

with Jv the Jacobian of a link's centre of mass and I its tensor there, all in world axes. Both are used through first
moments s = m c and the tensor about the link frame's origin, which say the same without dividing by m (o_i is column
i of the Jacobian of that origin, ω_i of Jω):

    m Jv_i = m o_i + ω_i×s      Jv_i·m Jv_j + ω_i·I_c ω_j = o_i·(m o_j + ω_j×s) + ω_i·(I ω_j + s×o_j)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from manipula.mechanics.models.dynamics import composite, composite_runs, torque
from manipula.mechanics.models.dynamics.bodies import Twists
from manipula.mechanics.models.dynamics.torque import ToolWrench, actuator_torque, wrench_torque
from manipula.mechanics.models.entry import FIELD, RUNS, TORQUES, Method, ModelEntry
from manipula.mechanics.models.lagrange.terms import METHODS, inverse_dynamics_lagrange
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.tree import Link, Tree, over_duals
from manipula.mechanics.spatial.dual import partial, variables
from manipula.mechanics.spatial.inertia import RigidBody, Twist, half, momentum, power
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import add, column, cross, dot, scale, sub, sum_of
from manipula.scalar import Scalar

Rows = list[list[Scalar]]


def inertia_matrix_jacobian(chain: Tree, q: Sequence[Scalar]) -> Rows:
    """M(q), motor inertia included on the diagonal."""
    M = mechanism_inertia(chain, q)
    for i, link in enumerate(chain.links):
        M[i][i] = M[i][i] + link.motor_inertia
    return M


def mechanism_inertia(chain: Tree, q: Sequence[Scalar]) -> Rows:
    """M of the links alone (6.55), without motor inertia."""
    columns = jacobians(chain, q)
    bodies = [in_world(link.inertia, pose) for link, pose in zip(chain.links, poses(chain, q)[1])]
    moved = [{i: momentum(body, motion) for i, motion in row.items()} for body, row in zip(bodies, columns)]
    n = chain.dof
    upper = {
        (i, j): sum_of(power(columns[l][i], moved[l][j]) for l in chain.beyond(j))
        for j in range(n)
        for i in chain.support(j)
    }
    return [[upper.get((min(i, j), max(i, j)), 0) for j in range(n)] for i in range(n)]


def gravity_jacobian(chain: Tree, q: Sequence[Scalar]) -> list[Scalar]:
    """G = −Σ Jvᵀ m g (6.54): the torques that hold the arm still."""
    columns = jacobians(chain, q)
    bodies = [in_world(link.inertia, pose) for link, pose in zip(chain.links, poses(chain, q)[1])]
    return [
        -sum_of(dot(momentum(bodies[l], columns[l][i]).f, chain.gravity) for l in chain.beyond(i))
        for i in range(chain.dof)
    ]


def coriolis_jacobian(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """V = C(q, q̇) q̇ with exact derivatives of M (6.75–6.77)."""
    M = mechanism_inertia(over_duals(chain), variables(q))
    return christoffel_vector(lambda i, j, k: partial(M[i][j], k), qd)


def coriolis_finite_difference(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], step: Scalar) -> list[Scalar]:
    """V with ∂M/∂q_k taken as (M(q_k + step) − M(q_k − step)) / (2 step), as the source computes it."""
    slopes: list[tuple[Rows, Rows]] = []
    for k in range(chain.dof):
        up, down = list(q), list(q)
        up[k], down[k] = up[k] + step, down[k] - step
        slopes.append((mechanism_inertia(chain, up), mechanism_inertia(chain, down)))
    return christoffel_vector(lambda i, j, k: (slopes[k][0][i][j] - slopes[k][1][i][j]) / (2 * step), qd)


def christoffel_vector(slope: Callable[[int, int, int], Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Σ_jk b_ijk q̇_j q̇_k from slope(i, j, k) = ∂M_ij/∂q_k; summed over j and k, b_ijk is ∂M_ij/∂q_k − ½ ∂M_jk/∂q_i."""
    joints = range(len(qd))
    both = [(j, k, qd[j] * qd[k]) for j in joints for k in joints]
    return [sum_of((slope(i, j, k) - half(slope(j, k, i))) * rates for j, k, rates in both) for i in joints]


def inverse_dynamics_jacobian(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], wrench: ToolWrench = None
) -> list[Scalar]:
    """The motor torques: M q̈ + V + G, motor inertia, friction, −Jᵀ·wrench."""
    M, V, G = mechanism_inertia(chain, q), coriolis_jacobian(chain, q, qd), gravity_jacobian(chain, q)
    bare, contact = [dot(row, qdd) + v + g for row, v, g in zip(M, V, G)], wrench_torque(chain, q, wrench)
    motors = actuator_torque(chain, qd, qdd, [x + push for x, push in zip(bare, contact)])
    return [x + motor + push for x, motor, push in zip(bare, motors, contact)]


def poses(chain: Tree, q: Sequence[Scalar]) -> tuple[list[Placement], list[Placement]]:
    """pose_world_joint (moving side) and pose_world_link of every link."""

    def step(parent: tuple[Placement, Placement], row: tuple[Link, Placement]) -> tuple[Placement, Placement]:
        link, motion = row
        joint = parent[1] @ link.before @ motion
        return joint, joint @ link.after

    found = chain.outward(step, list(zip(chain.links, chain.motions(q))), (chain.base, chain.base))
    return [joint for joint, _ in found], [link for _, link in found]


def jacobians(chain: Tree, q: Sequence[Scalar]) -> list[Twists]:
    """Row l: the columns (ω_i, o_i) of the Jacobian of link l's origin, in world axes, for the joints that move it."""
    joints, links = poses(chain, q)
    return [{i: _column(chain.links[i], joints[i], link) for i in chain.support(l)} for l, link in enumerate(links)]


def _column(link: Link, joint: Placement, target: Placement) -> Twist:
    """(z, z×(o_l − o_i)) revolute, (0, z) prismatic, in the joint's own direction."""
    z = column(joint.R, 2)
    turn, slide = link.along_z(link.kind.turn(1)), link.along_z(link.kind.slide(1))
    w = scale(turn, z)
    return Twist(w, add(cross(w, sub(target.p, joint.p)), scale(slide, z)))


def in_world(body: RigidBody, pose: Placement) -> RigidBody:
    """A link's body about its own frame's origin, in world axes."""
    return body.rotate(pose.R)


# The models of which these are the last method: their entries name all of them, the plain one first.


def _lagrange_torque(name: str) -> Method:
    terms = METHODS[name]
    return lambda chain, x: {"tau": inverse_dynamics_lagrange(chain, x["q"], x["qd"], x["qdd"], x.get("wrench"), terms)}


ENTRIES = (
    ModelEntry(
        "inverse_dynamics", "joint torques of a motion", ("q", "qd", "qdd"), {"tau": (EFFORT, "joint torques")},
        {
            "newton-euler": torque.by_newton_euler,
            **{name: _lagrange_torque(name) for name in METHODS},
            "jacobian": lambda c, x: {
                "tau": inverse_dynamics_jacobian(c, x["q"], x["qd"], x["qdd"], x.get("wrench"))
            },
        },
        TORQUES, takes_wrench=True, field=torque.by_field, candidates=("newton-euler", FIELD),
        trees=("newton-euler", *METHODS, "jacobian", FIELD), floating="dynamics",
    ),
    ModelEntry(
        "inertia_matrix", "M(q), motor inertia on the diagonal", ("q",), {"M": ("kg·m²", "symmetric")},
        {
            "composite": lambda c, x: {"M": composite.inertia_matrix(c, x["q"])},
            RUNS: lambda c, x: {"M": composite_runs.inertia_matrix(c, x["q"])},
            "jacobian": lambda c, x: {"M": inertia_matrix_jacobian(c, x["q"])},
        },
        TORQUES, candidates=("composite", RUNS), trees=("composite", RUNS, "jacobian"), floating="dynamics",
    ),
)  # fmt: skip
