"""The regressor in two velocities: Y(q, q̇, ṙ, r̈) θ = M(q) r̈ + C(q, q̇) ṙ + g(q) + friction(ṙ).

An adaptive law drives an arm that moves at q̇ by a model of where it should be going, ṙ. With Christoffel's C, for which
Ṁ − 2C is skew, C(q, q̇) ṙ is the symmetric bilinear form of the velocities' torques C(q, q̇) q̇.

Plain text, by polarisation of the regressor of one velocity, with u = ½(q̇ + ṙ) and w = ½(q̇ − ṙ):

    Y(q, q̇, ṙ, r̈) = Y(q, u, r̈) − Y(q, w, 0) + Y(q, 0, 0)

The cheap one is the recursion of the acceleration field on scalars that carry both velocities: only U and V of a link
are quadratic in them, and each is found once instead of three times. Where only Y θ and Yᵀ σ are wanted, which is all
a law asks, Y is never formed: Y θ is a recursion over an arm with the parameters θ, and σᵀY is what a link's unit
bodies feel along the one motion that the joints' rates σ give the link.

Friction follows ṙ alone and has sat(slip), slip = ṙ/ε, in place of a sign: a law must not chatter where an arm comes
to rest.

Source: Slotine, Li, "On the adaptive control of robot manipulators", International Journal of Robotics Research 6
(1987), for Y in two velocities; Niemeyer, Slotine, "Performance in adaptive manipulator control", in the same journal,
10 (1991), for its products by recursions. Polarisation and the field in two velocities are derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from manipula.mechanics.models.dynamics import acceleration_field
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.bodies import axis_twist, link_twists
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.friction import NO_COLUMNS, refuse_loaded, slips
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.dynamics.torque import actuator_torque
from manipula.mechanics.models.entry import FIELD, FRAMES, TOOL, TORQUES, ModelEntry
from manipula.mechanics.models.linear.base_parameters import (
    UNITS,
    base_frames,
    candidate_slots,
    chain_from_candidates,
    columns,
    reduced_regressor,
)
from manipula.mechanics.models.linear.base_regressor import (
    FELT,
    Field,
    JointReach,
    fields,
    reach_of,
    reaches,
    regressor_from,
    turned_back,
)
from manipula.mechanics.models.linear.regressor import unit_force
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.reduce import frames_on_joints, massless, regroup
from manipula.mechanics.robot.tree import BASE, Link, Tree, over_pairs
from manipula.mechanics.spatial.dual import as_paired, of_two, paired_value, values_of
from manipula.mechanics.spatial.inertia import Moments, RigidBody, Twist, half, power
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, add, dot, matmul, rotate, symmetric, transpose, unrotate
from manipula.scalar import Entries, Scalar

Given = Mapping[str, Sequence[Scalar]]  # q, qd, qd_r, qdd_r, slip; load and weights of a payload
Rows = list[list[Scalar]]
WHOLE = 0  # the one motion of a link that all joints' rates make together


def polarise_regressor(chain: Tree, x: Given) -> Rows:
    """Y (dof, candidates) from three regressors of one velocity; the plain text."""
    still = [0] * chain.dof
    mean = [half(a + b) for a, b in zip(x["qd"], x["qd_r"], strict=True)]
    apart = [half(a - b) for a, b in zip(x["qd"], x["qd_r"], strict=True)]
    found = [
        reduced_regressor(chain, x["q"], rate, acceleration)
        for rate, acceleration in ((mean, x["qdd_r"]), (apart, still), (still, still))
    ]
    motors, slots = motor_columns(chain, x), candidate_slots(chain)

    def entry(i: int, k: int) -> Scalar:
        if slots[k].of_actuator:
            return motors[i][slots[k].kind] if slots[k].link == i else 0
        return found[0][i][k] - found[1][i][k] + found[2][i][k]

    return [[entry(i, k) for k in range(len(slots))] for i in range(chain.dof)]


def two_velocity_regressor(chain: Tree, x: Given) -> Rows:
    """Y (dof, candidates) on the acceleration field."""
    moved = base_frames(chain).chain
    return regressor_from(chain, reaches(moved, x["q"], two_fields(moved, x)), motor_columns(chain, x))


def two_velocity_regressor_turned(chain: Tree, x: Given) -> Rows:
    """The same with the forces on the last link turned back."""
    moved = base_frames(chain).chain
    found = turned_back(moved, x["q"], reaches(moved, x["q"], two_fields(moved, x)))
    return regressor_from(chain, found, motor_columns(chain, x))


def two_fields(moved: Tree, x: Given) -> list[Field]:
    """U and V of every link in both velocities."""
    q, qdd = map(as_paired, x["q"]), map(as_paired, x["qdd_r"])
    found: list[Field] = values_of(fields(over_pairs(moved), list(q), of_two(x["qd"], x["qd_r"]), list(qdd)))
    return found


def motor_columns(chain: Tree, x: Given) -> list[dict[str, Scalar]]:
    """What a unit of each parameter of an actuator asks of its joint."""
    refuse_loaded(chain, NO_COLUMNS)
    rows = zip(chain.links, slips(chain, x["qd_r"], None, x["slip"]), x["qdd_r"], strict=True)
    return [link.actuator.columns(slip, a) for link, slip, a in rows]


# products


def products_of(Y: Rows, x: Given) -> dict[str, Entries]:
    """Y θ and Yᵀ σ with the whole matrix: the plain text, and the cheap one where joints are few."""
    return {"tau": [dot(row, x["theta"]) for row in Y], "slope": [dot(column, x["weights"]) for column in zip(*Y)]}


def products_by_recursion(chain: Tree, x: Given) -> dict[str, Entries]:
    """The same by two recursions."""
    moved = base_frames(chain).chain
    torques = dynamics_by_field(chain_from_candidates(chain, x["theta"]), x, [LinkOptions()] * chain.dof)["tau"]
    along = zip(two_fields(moved, x), rate_twists(moved, x["q"], x["weights"]), strict=True)
    felt = [reach_of(field, {WHOLE: twist}) for field, twist in along]
    return {"tau": torques, "slope": slopes_from(chain, felt, x)}


def slopes_from(chain: Tree, felt: Sequence[JointReach], x: Given) -> list[Scalar]:
    """σᵀY, one entry a candidate."""
    motors = motor_columns(chain, x)
    return [
        motors[slot.link][slot.kind] * x["weights"][slot.link]
        if slot.of_actuator
        else FELT[slot.kind](felt[slot.link], WHOLE)
        for slot in candidate_slots(chain)
    ]


def rate_twists(moved: Tree, q: Sequence[Scalar], rates: Sequence[Scalar]) -> list[Twist]:
    """The motion of every link, in its own axes, at these rates of the joints."""

    def step(parent: Twist, row: tuple[Link, Placement, Scalar]) -> Twist:
        link, motion, rate = row
        own: Twist = axis_twist(link) * link.along_z(rate)
        return parent.in_frame(link.before).in_frame(motion) + own

    return moved.outward(step, list(zip(moved.links, moved.motions(q), rates, strict=True)), Twist(NULL, NULL))


# the robot's own parameters


def dynamics_plain(chain: Tree, x: Given) -> dict[str, list[Scalar]]:
    """M r̈ + C(q, q̇) ṙ + g + friction(ṙ), by polarisation of Newton and Euler."""
    still = [0] * chain.dof
    mean = [half(a + b) for a, b in zip(x["qd"], x["qd_r"], strict=True)]
    apart = [half(a - b) for a, b in zip(x["qd"], x["qd_r"], strict=True)]
    found = [
        newton_euler(chain, x["q"], *motion).tau for motion in ((mean, x["qdd_r"]), (apart, still), (still, still))
    ]
    return {"tau": _with_motors(chain, x, [a - b + c for a, b, c in zip(*found, strict=True)])}


def dynamics_by_field(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> dict[str, list[Scalar]]:
    """The same on the acceleration field; frames must be on the joints."""
    q, qdd = list(map(as_paired, x["q"])), list(map(as_paired, x["qdd_r"]))
    tau = acceleration_field.torques(over_pairs(chain), q, of_two(x["qd"], x["qd_r"]), qdd, choices)
    return {"tau": _with_motors(chain, x, [paired_value(bare) for bare in tau])}


def _with_motors(chain: Tree, x: Given, loads: Sequence[Scalar]) -> list[Scalar]:
    motors = actuator_torque(chain, x["qd_r"], x["qdd_r"], loads, x["slip"])
    return [bare + motor for bare, motor in zip(loads, motors, strict=True)]


# the inertia matrix that parameters make


def inertia_plain(chain: Tree, x: Given) -> Rows:
    """Column j is the torque of q̈_j = 1 alone, Y(q, 0, e_j) θ − Y(q, 0, 0) θ"""
    still, n = [0] * chain.dof, chain.dof
    moved = [
        reduced_regressor(chain, x["q"], still, unit)
        for unit in (still, *([int(i == j) for i in range(n)] for j in range(n)))
    ]
    tau = [[dot(row, x["theta"]) for row in Y] for Y in moved]
    return [[tau[j + 1][i] - tau[0][i] for j in range(n)] for i in range(n)]


def inertia(chain: Tree, x: Given) -> Rows:
    """Composite bodies of the arm that has these parameters and no others."""
    found: Rows = inertia_matrix(chain_from_candidates(chain, x["theta"]), x["q"])
    return found


_MOTION = ("q", "qd", "qd_r", "qdd_r", "slip")


# An arm with a body of any parameters in its tool, in two velocities: its torques, and Y_Lᵀ σ of the body alone.
#
# θ_L = (Kxx Kxy Kxz Kyy Kyz Kzz mx my mz m): second moments ∫x²dm …, first moments and mass, in the tool frame. The
# body is welded to the link that holds the tool, so that its torques cost no recursion of their own. A unit of a
# parameter needs a force F_k and a moment N_k of entries of the link's acceleration field, taken to the tool, and
#
#     (Y_Lᵀ σ)_k = ω_σ·N_k + v_σ·F_k,        (ω_σ, v_σ) the motion of the tool at the rates σ of the joints.
#
# Source: Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links", International
# Journal of Robotics Research 5 (1986), for one velocity; two velocities are those of `two_velocity`.


def plain(chain: Tree, x: Given) -> dict[str, Entries]:
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


def dynamics_with_payload(tree: Tree, x: Given) -> dict[str, Entries]:
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
        "two_velocity_dynamics",
        "torques of a motion requested at another velocity, M q̈_r + C(q, q̇) q̇_r + g",
        _MOTION,
        {"tau": (EFFORT, "joint torques; friction is that of q̇_r, its sign smoothed")},
        {"newton-euler": dynamics_plain},
        TORQUES,
        field=dynamics_by_field,
        candidates=(FIELD,),
        trees=("newton-euler", FIELD),
    ),
    ModelEntry(
        "two_velocity_regressor",
        "torques of a motion requested at another velocity, per base parameter",
        _MOTION,
        {"Y": ("various", "Y · base parameters = M q̈_r + C(q, q̇) q̇_r + g + friction(q̇_r)")},
        {
            "polarised": lambda c, x: {"Y": polarise_regressor(c, x)},
            "field": lambda c, x: {"Y": two_velocity_regressor(c, x)},
            "field-turned": lambda c, x: {"Y": two_velocity_regressor_turned(c, x)},
        },
        FRAMES,
        candidates=("field", "field-turned"),
        columns=columns,
        ranked=("Y",),
        trees=("polarised", "field", "field-turned"),
    ),
    ModelEntry(
        "two_velocity_products",
        "that regressor times parameters, and weights times it",
        (*_MOTION, "theta", "weights"),
        {"tau": (EFFORT, "Y · theta"), "slope": ("various", "Yᵀ · weights, one entry a base parameter")},
        {
            "polarised": lambda c, x: products_of(polarise_regressor(c, x), x),
            "matrix": lambda c, x: products_of(two_velocity_regressor(c, x), x),
            "recursion": products_by_recursion,
        },
        FRAMES,
        candidates=("matrix", "recursion"),
        columns=columns,
        ranked=("slope",),
        trees=("polarised", "matrix", "recursion"),
    ),
    ModelEntry(
        "base_inertia_matrix",
        "M(q) of an arm with these base parameters",
        ("q", "theta"),
        {"M": ("kg·m²", "symmetric, linear in the parameters; motor inertia on the diagonal")},
        {
            "regressor": lambda c, x: {"M": inertia_plain(c, x)},
            "composite": lambda c, x: {"M": inertia(c, x)},
        },
        FRAMES,
        candidates=("composite",),
        trees=("regressor", "composite"),
    ),
    ModelEntry(
        "loaded_dynamics",
        "two_velocity_dynamics with a body of these parameters in the tool, and the body's share",
        ("q", "qd", "qd_r", "qdd_r", "slip", "load", "weights"),
        {
            "tau": (EFFORT, "joint torques of the arm and the body"),
            "slope": ("various", "Yᵀ · weights, one entry a parameter of the body"),
        },
        {"polarised": plain, "welded": dynamics_with_payload},
        FRAMES | TOOL,
        candidates=("welded",),
        trees=("polarised", "welded"),
    ),
)
