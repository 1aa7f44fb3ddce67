"""Lagrange's model, its effects kept apart, its coefficients by classical, by factored or by efficient sums.

    Γ = A q̈ + 2 B q̇q̇ + C q̇² − G + P

G is taken with the true gravity vector, hence its minus; P is an input: whatever perturbs the joints (friction, motor
inertia, contact). The names are the source's: FGRA is G itself, so FGEN = FIN + FCOR + FCEN − FGRA + FPER.

Source: Lopes da Silva, UNICAMP 1990.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from manipula.errors import UnknownNameError
from manipula.mechanics.models.dynamics.torque import ToolWrench, actuator_torque, wrench_torque
from manipula.mechanics.models.entry import TORQUES, Given, Method, ModelEntry, Outputs
from manipula.mechanics.models.lagrange.christoffel import LagrangeTerms, efficient_terms, lagrange_coefficients, pairs
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, Twist
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Matrix, Vector, add, cross, dot, neg, scale, sum_of, transpose, unrotate
from manipula.messages import Message
from manipula.scalar import Scalar

# Lagrange's coefficients by the classical 4×4 traces (Uicker, Kahn; Lopes da Silva, UNICAMP 1990, 3.21–3.25).
#
# Body l has the pseudo-inertia J_l in its frame; Δ_i = T⁻¹ Q_i T is the operator of joint i there, T the placement of
# frame l from joint i and Q_i the derivative of a turn about, or a shift along, z.
#
#     a_ij  = Σ_l tr(Δ_i J_l Δ_jᵀ)
#     b_ijk = Σ_l tr(Δ_i J_l Δ_kᵀ Δ_jᵀ)        j ≤ k
#     g_i   = Σ_l gᵀ T_l Δ_i J_l (0,0,0,1)     g in the axes the pose T_l starts from
#
# over the bodies l that all the joints named move.


Rows = list[list[Scalar]]


def classical_terms(chain: Tree, q: Sequence[Scalar]) -> LagrangeTerms:
    """A, COR, CEN, GRA."""
    delta = [{i: operator(chain.links[i], T) for i, T in row.items()} for row in placements(chain, q)]
    pseudo = [pseudo_inertia(link.inertia) for link in chain.links]
    weighed = [{i: product(D, J) for i, D in row.items()} for row, J in zip(delta, pseudo)]  # Δ_i J_l
    twice = [{(j, k): product(row[j], row[k]) for j in row for k in row} for row in delta]
    g, moved = gravity_in_links(chain, q), [chain.beyond(k) for k in range(chain.dof)]
    return lagrange_coefficients(
        chain,
        a=lambda i, j: sum_of(trace_of(weighed[l][i], delta[l][j]) for l in moved[j]),
        b=lambda i, j, k: sum_of(trace_of(weighed[l][i], twice[l][j, k]) for l in moved[k]),
        g=lambda i: sum_of(dot(g[l], [row[3] for row in weighed[l][i][:3]]) for l in moved[i]),
    )


def placements(chain: Tree, q: Sequence[Scalar]) -> list[dict[int, Placement]]:
    """Row l: T(i, l) of the joints i that move link l, from the moving side of joint i to the frame of link l."""

    def step(parent: dict[int, Placement], row: tuple[int, Link, Placement]) -> dict[int, Placement]:
        l, link, at = row
        return {i: T @ at for i, T in parent.items()} | {l: link.after}

    return chain.outward(step, list(zip(range(chain.dof), chain.links, chain.elementary(q))), {})


def operator(link: Link, T: Placement) -> Rows:
    """Δ = T⁻¹ Q T"""
    turn, slide = link.kind.turn(1), link.kind.slide(1)
    Q: Rows = [[0, -turn, 0, 0], [turn, 0, 0, 0], [0, 0, 0, slide], [0, 0, 0, 0]]
    return product(product(rows_of(T.inverse()), Q), rows_of(T))


def rows_of(T: Placement) -> Rows:
    return [list(row) for row in T.rows()]


def pseudo_inertia(body: RigidBody) -> Rows:
    """J = [[K, s], [sᵀ, m]] with the second moments K"""
    K = body.K
    return [*([*row, s] for row, s in zip(K, body.s)), [*body.s, body.m]]


def product(A: Rows, B: Rows) -> Rows:
    return [[dot(row, column) for column in zip(*B)] for row in A]


def trace_of(A: Rows, B: Rows) -> Scalar:
    """tr(A Bᵀ)"""
    return sum_of(dot(a, b) for a, b in zip(A, B))


def gravity_in_links(chain: Tree, q: Sequence[Scalar]) -> list[Vector]:
    """The gravity vector in every link frame."""

    def step(g: Vector, at: Placement) -> Vector:
        return unrotate(at.R, g)

    return chain.outward(step, chain.elementary(q), unrotate(chain.base.R, chain.gravity))


# Lagrange's coefficients by Megahed's factored traces (Lopes da Silva, UNICAMP 1990, 3.26–3.27).
#
# All is seen from one frame, so the sums over bodies move inside the trace:
#
#     H_m = Σ_l T_l J_l T_lᵀ                 over link m and all beyond it
#     a_ik  = tr(Δ_i H_k Δ_kᵀ)               i ≤ k
#     b_ijk = tr(Δ_i H_k Δ_kᵀ Δ_jᵀ)          i < k, j ≤ k
#     g_k   = gᵀ Δ_k H_k (0,0,0,1)
#
# No coefficient but g depends on where the base stands, nor, where a single joint stands on it, on that joint: so the
# frame all is seen from is the moving side of joint 1, or the base where several joints stand on it.
#
# With Δ = [[ω]×, v] and D_k = H_k Δ_kᵀ the traces are read from a few entries:
#
#     tr(Δ_i D) = ω_i·(d23−d32, d31−d13, d12−d21) + v_i·(d41, d42, d43)
#     tr(Δ_i D Δ_jᵀ) = ω_j·(e32−e23, e13−e31, e21−e12),   E = Δ_i D      (v_j falls out, for j ≤ k)


@dataclass(frozen=True)
class Weighed:
    """D = H Δᵀ: the columns (d1c d2c d3c) and the fourth row."""

    columns: Matrix
    last: Vector


def megahed_terms(chain: Tree, q: Sequence[Scalar]) -> LagrangeTerms:
    """A, COR, CEN, GRA."""
    axes, poses = seen_from_first(chain, q)
    delta = [unit_motion(link, axis) for link, axis in zip(chain.links, axes)]
    bodies = [link.inertia.by_moments().seen_from(pose) for link, pose in zip(chain.links, poses)]
    H = chain.inward(lambda beyond, body: reduce(lambda whole, x: whole + x, beyond, body), bodies)
    D = [weigh(body, motion) for body, motion in zip(H, delta)]
    E = {(i, k): bend(delta[i], D[k]) for k in range(chain.dof) for i in chain.support(k) if i != k}
    g = first_gravity(chain, q)
    return lagrange_coefficients(
        chain,
        a=lambda i, k: dot(delta[i].w, twist_part(D[k])) + dot(delta[i].v, D[k].last),
        b=lambda i, j, k: dot(delta[j].w, E[i, k]),
        g=lambda k: dot(g, D[k].last),
    )


def seen_from_first(chain: Tree, q: Sequence[Scalar]) -> tuple[list[Placement], list[Placement]]:
    """The joints (moving sides) and the link frames, seen from the moving side of joint 1, or from the base."""

    def step(parent: tuple[Placement, Placement], row: tuple[Link, Placement]) -> tuple[Placement, Placement]:
        link, motion = row
        axis = HERE if link.parent == BASE and _single(chain) else parent[1] @ link.before @ motion
        return axis, axis @ link.after

    found = chain.outward(step, list(zip(chain.links, chain.motions(q))), (HERE, HERE))
    return [axis for axis, _ in found], [pose for _, pose in found]


def _single(chain: Tree) -> bool:
    """Does one joint alone stand on the base?"""
    return len(chain.children(BASE)) == 1


def first_gravity(chain: Tree, q: Sequence[Scalar]) -> Vector:
    """The gravity vector in the frame all is seen from."""
    g = unrotate(chain.base.R, chain.gravity)
    if _single(chain):
        first = chain.links[0]
        g = unrotate(first.motion(q[0], chain.maths).R, unrotate(first.before.R, g))
    return g


def unit_motion(link: Link, axis: Placement) -> Twist:
    """Δ of a joint: (z, p×z) revolute, (0, z) prismatic"""
    z = (axis.R[0][2], axis.R[1][2], axis.R[2][2])
    turn, slide = link.kind.turn(1), link.kind.slide(1)
    return Twist(scale(turn, z), add(scale(turn, cross(axis.p, z)), scale(slide, z)))


def weigh(H: RigidBody, motion: Twist) -> Weighed:
    """D = H Δᵀ. Row r of D is ω×(row r of K) + s_r v; the fourth is ω×s + m v."""
    rows = tuple(add(cross(motion.w, row), scale(s, motion.v)) for row, s in zip(H.K, H.s))
    return Weighed(transpose((rows[0], rows[1], rows[2])), add(cross(motion.w, H.s), scale(H.m, motion.v)))


def twist_part(D: Weighed) -> Vector:
    """(d23−d32, d31−d13, d12−d21)"""
    (_, d21, d31), (d12, _, d32), (d13, d23, _) = D.columns
    return (d23 - d32, d31 - d13, d12 - d21)


def bend(motion: Twist, D: Weighed) -> Vector:
    """(e32−e23, e13−e31, e21−e12) of E = Δ D: column c of E is ω×(column c of D) + v d4c"""
    E = tuple(add(cross(motion.w, column), scale(last, motion.v)) for column, last in zip(D.columns, D.last))
    return neg(twist_part(Weighed((E[0], E[1], E[2]), D.last)))


Terms = Callable[[Tree, Sequence[Scalar]], LagrangeTerms]

METHODS: dict[str, Terms] = {
    "lagrange": classical_terms,
    "lagrange-megahed": megahed_terms,
    "lagrange-efficient": efficient_terms,
}


class LagrangeForces(NamedTuple):
    """TIN[i][j] = a_ij q̈_j; FIN its rows summed; FCOR, FCEN, FGRA, FPER the other effects; FGEN the torque."""

    FIN: list[Scalar]
    TIN: list[list[Scalar]]
    FCOR: list[Scalar]
    FCEN: list[Scalar]
    FGRA: list[Scalar]
    FPER: list[Scalar]
    FGEN: list[Scalar]


class LagrangeModel(NamedTuple):
    """Coefficients, the perturbations given, and forces."""

    A: list[list[Scalar]]
    COR: list[list[Scalar]]
    CEN: list[list[Scalar]]
    GRA: list[Scalar]
    P: list[Scalar]
    FIN: list[Scalar]
    TIN: list[list[Scalar]]
    FCOR: list[Scalar]
    FCEN: list[Scalar]
    FGRA: list[Scalar]
    FPER: list[Scalar]
    FGEN: list[Scalar]


def lagrange_forces(
    terms: LagrangeTerms, qd: Sequence[Scalar], qdd: Sequence[Scalar], P: Sequence[Scalar]
) -> LagrangeForces:
    """The generalised forces, effect by effect."""
    products = [qd[j] * qd[k] for j, k in pairs(len(qd))]
    squares = [rate * rate for rate in qd]
    TIN = [[a * acceleration for a, acceleration in zip(row, qdd)] for row in terms.A]
    FIN = [sum_of(row) for row in TIN]
    FCOR = [2 * dot(row, products) for row in terms.COR]
    FCEN = [dot(row, squares) for row in terms.CEN]
    FGRA, FPER = list(terms.GRA), list(P)
    FGEN = [a + b + c - g + p for a, b, c, g, p in zip(FIN, FCOR, FCEN, FGRA, FPER)]
    return LagrangeForces(FIN, TIN, FCOR, FCEN, FGRA, FPER, FGEN)


def lagrange_terms(
    chain: Tree,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    P: Sequence[Scalar],
    method: str = "lagrange-efficient",
) -> LagrangeModel:
    """The complete model: every coefficient and every force."""
    if method not in METHODS:
        raise UnknownNameError("Lagrange method", method, METHODS)
    found = METHODS[method](chain, q)
    return LagrangeModel(found.A, found.COR, found.CEN, found.GRA, list(P), *lagrange_forces(found, qd, qdd, P))


def inverse_dynamics_lagrange(
    chain: Tree,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: ToolWrench = None,
    terms: Terms = efficient_terms,
) -> list[Scalar]:
    """The motor torques; P = Ia q̈ + friction − Jᵀ·wrench."""
    found, contact = terms(chain, q), wrench_torque(chain, q, wrench)
    loads = lagrange_forces(found, qd, qdd, contact).FGEN
    P = [motor + push for motor, push in zip(actuator_torque(chain, qd, qdd, loads), contact)]
    return lagrange_forces(found, qd, qdd, P).FGEN


def _terms_by(name: str) -> Method:
    def method(chain: Tree, x: Given) -> Outputs:
        effects = lagrange_terms(chain, x["q"], x["qd"], x["qdd"], x["P"], name)._asdict()
        return {key: value for key, value in effects.items() if key not in ("P", "TIN")}

    return method


ENTRIES = (
    ModelEntry(
        "lagrange_terms", "the complete Lagrangian model, effect by effect", ("q", "qd", "qdd", "P"),
        {
            "A": ("kg·m²", "inertia"), "COR": ("kg·m²", "Coriolis, on q̇j·q̇k, j<k"),
            "CEN": ("kg·m²", "centrifugal, on q̇j²"),
            "GRA": (EFFORT, "gravity"), "FIN": (EFFORT, "inertial force"), "FCOR": (EFFORT, "Coriolis force"),
            "FCEN": (EFFORT, "centrifugal force"), "FGRA": (EFFORT, "gravity force"),
            "FPER": (EFFORT, "perturbations"), "FGEN": (EFFORT, "torque = FIN + FCOR + FCEN − FGRA + FPER"),
        },
        {name: _terms_by(name) for name in METHODS}, TORQUES,
        candidates=("lagrange-megahed", "lagrange-efficient"), trees=tuple(METHODS),
        relation=Message(
            "FGEN = A·q̈ + 2·COR·(q̇j·q̇k, j < k) + CEN·q̇² − GRA + P. In the letters of books: M = A, "
            "C·q̇ = 2·COR·(q̇j·q̇k) + CEN·q̇², g = −GRA, so that τ = M·q̈ + C·q̇ + g + P."
        ),
    ),
)  # fmt: skip
