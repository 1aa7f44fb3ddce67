"""An arm with a body of any parameters in its tool, in two velocities: its torques, and Y_Lᵀ σ of the body alone.

θ_L = (Kxx Kxy Kxz Kyy Kyz Kzz mx my mz m): second moments ∫x²dm …, first moments and mass, in the tool frame. The body
is welded to the link that holds the tool, so that its torques cost no recursion of their own. A unit of a parameter
needs a force F_k and a moment N_k of entries of the link's acceleration field, taken to the tool, and

    (Y_Lᵀ σ)_k = ω_σ·N_k + v_σ·F_k,        (ω_σ, v_σ) the motion of the tool at the rates σ of the joints.

Source: Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links", International
Journal of Robotics Research 5 (1986), for one velocity; two velocities are those of `two_velocity`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.bodies import link_twists
from manipula.mechanics.models.dynamics.friction import NO_COLUMNS, refuse_loaded
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.entry import FRAMES, TOOL, ModelEntry
from manipula.mechanics.models.linear.base_parameters import UNITS
from manipula.mechanics.models.linear.base_regressor import FELT, JointReach, reach_of
from manipula.mechanics.models.linear.regressor import unit_force
from manipula.mechanics.models.linear.two_velocity import (
    WHOLE,
    dynamics_by_field,
    dynamics_plain,
    rate_twists,
    two_fields,
)
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.reduce import frames_on_joints, massless, regroup
from manipula.mechanics.robot.tree import BASE, Tree
from manipula.mechanics.spatial.inertia import Moments, RigidBody, half, power
from manipula.mechanics.spatial.vector import add, dot, matmul, rotate, symmetric, transpose, unrotate
from manipula.scalar import Scalar

Given = Mapping[str, Sequence[Scalar]]  # q, qd, qd_r, qdd_r, slip, load, weights


def plain(chain: Tree, x: Given) -> dict[str, Any]:
    """The arm's torques and the body's, the latter by a matrix and polarisation."""
    refuse_loaded(chain, NO_COLUMNS)
    if chain.holder == BASE:  # no joint moves the body
        return {**dynamics_plain(chain, x), "slope": [0] * len(UNITS)}
    still = [0] * chain.dof
    mean = [half(a + b) for a, b in zip(x["qd"], x["qd_r"], strict=True)]
    apart = [half(a - b) for a, b in zip(x["qd"], x["qd_r"], strict=True)]
    bare, at = massless(chain), chain.tool
    motions = [
        newton_euler(bare, x["q"], rate, acceleration).motion[chain.holder].in_frame(at)
        for rate, acceleration in ((mean, x["qdd_r"]), (apart, still), (still, still))
    ]
    forces = [[unit_force(body, motion) for body in UNITS.values()] for motion in motions]
    twists = {i: twist.in_frame(at) for i, twist in link_twists(chain, x["q"])[chain.holder].items()}

    def entry(i: int, k: int) -> Scalar:
        if i not in twists:
            return 0
        first, second, third = (chain.links[i].along_z(power(twists[i], force[k])) for force in forces)
        return first - second + third

    Y = [[entry(i, k) for k in range(len(UNITS))] for i in range(chain.dof)]
    arm = dynamics_plain(chain, x)["tau"]
    return {
        "tau": [bare + dot(row, x["load"]) for bare, row in zip(arm, Y, strict=True)],
        "slope": [dot(column, x["weights"]) for column in zip(*Y)],
    }


def dynamics_with_payload(tree: Tree, x: Given) -> dict[str, Any]:
    """The body welded to its link, the recursion of the arm."""
    chain = regroup(frames_on_joints(tree))  # the arm's own masses alone: the body's would be handed down in every call
    if chain.holder == BASE:
        return {**dynamics_by_field(chain, x, [LinkOptions()] * chain.dof), "slope": [0] * len(UNITS)}
    held, at = chain.links[chain.holder], chain.tool
    laden = replace(held, inertia=held.inertia + _body(x["load"]).seen_from(at))
    links = tuple(laden if i == chain.holder else link for i, link in enumerate(chain.links))
    torques = dynamics_by_field(replace(chain, links=links), x, [LinkOptions()] * chain.dof)["tau"]
    U, V = two_fields(chain, x)[chain.holder]
    # at the tool, in its axes:  Rᵀ(V + U p),  RᵀU R
    moved = matmul(transpose(at.R), matmul(U, at.R)), unrotate(at.R, add(V, rotate(U, at.p)))
    along = rate_twists(chain, x["q"], x["weights"])[chain.holder].in_frame(at)
    reach = reach_of(moved, {WHOLE: along})
    return {"tau": torques, "slope": [_FELT[kind](reach, WHOLE) for kind in UNITS]}


def _kzz(reach: JointReach, i: int) -> Scalar:
    return reach.moment(i, (-reach.U[1][2], reach.U[0][2], 0))


_FELT: dict[str, Callable[[JointReach, int], Scalar]] = {**FELT, "Kzz": _kzz}


def _body(numbers: Sequence[Scalar]) -> RigidBody:
    xx, xy, xz, yy, yz, zz, x, y, z, m = numbers
    return RigidBody(m, (x, y, z), Moments(symmetric(xx, xy, xz, yy, yz, zz)))


ENTRIES = (
    ModelEntry(
        "loaded_dynamics", "two_velocity_dynamics with a body of these parameters in the tool, and the body's share",
        ("q", "qd", "qd_r", "qdd_r", "slip", "load", "weights"),
        {
            "tau": (EFFORT, "joint torques of the arm and the body"),
            "slope": ("various", "Yᵀ · weights, one entry a parameter of the body"),
        },
        {"polarised": plain, "welded": dynamics_with_payload}, FRAMES | TOOL, candidates=("welded",),
        trees=("polarised", "welded"),
    ),
)  # fmt: skip
