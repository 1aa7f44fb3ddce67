"""Laws of mechanics that every model must obey, as pairs of values to be equal.

A law takes a merged chain over any scalar and a state, and gives the two sides of each equation; over a prime field
equality at a random state is a theorem (up to the odds of the draw), over floats it holds to rounding. Nothing here
compares scalars: only + − × ÷ and the functions of `Maths` are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from manipula.mechanics.models.dynamics import articulated_bodies, composite, energy, inertia_inverse, torque
from manipula.mechanics.models.dynamics.friction import NO_SUM, friction, refuse_loaded
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.lagrange import christoffel, jacobian_dynamics
from manipula.mechanics.models.lagrange import terms as lagrange
from manipula.mechanics.models.linear import regressor
from manipula.mechanics.robot.reduce import massless, without_actuators
from manipula.mechanics.robot.tree import BASE, Link, Tree, over_duals
from manipula.mechanics.spatial.dual import along, partial, variables
from manipula.mechanics.spatial.inertia import RigidBody, half
from manipula.mechanics.spatial.vector import dot, sum_of
from manipula.messages import Message
from manipula.scalar import Scalar

Sides = list[tuple[Any, Any]]


@dataclass(frozen=True)
class MotionState:
    """Positions, velocities, accelerations, and the wrench of the environment on the tool (force, moment; world)."""

    q: Sequence[Scalar]
    qd: Sequence[Scalar]
    qdd: Sequence[Scalar]
    wrench: Sequence[Scalar]


@dataclass(frozen=True)
class Identity:
    """`sentence` says it to a newcomer; `sides` gives the pairs to be equal; `condition` is when it applies."""

    name: str
    sentence: str
    sides: Callable[[Tree, MotionState], Sides]
    condition: str = ""

    def residuals(self, chain: Tree, state: MotionState) -> list[Any]:
        """Left − right of every equation: all zero where the law holds."""
        return [left - right for left, right in self.sides(chain, state)]


def symmetric_inertia(chain: Tree, x: MotionState) -> Sides:
    """M = Mᵀ. Both triangles are measured: column j is the torque of unit acceleration of joint j alone."""
    still = [0] * chain.dof
    bare = replace(without_actuators(chain), gravity=(0, 0, 0))
    units = [[int(i == j) for i in range(chain.dof)] for j in range(chain.dof)]
    columns = [torque.inverse_dynamics(bare, x.q, still, unit) for unit in units]
    M = composite.mechanism_inertia(chain, x.q)
    pairs = [(i, j) for j in range(chain.dof) for i in range(j)]
    return [(columns[i][j], columns[j][i]) for i, j in pairs] + _paired(_flat(columns), _flat(M))


def skew_rate(chain: Tree, x: MotionState) -> Sides:
    """(Ṁ − 2C)_ij = −(Ṁ − 2C)_ji"""
    M = composite.inertia_matrix(over_duals(chain), along(x.q, x.qd))
    C = christoffel.coriolis_matrix(chain, x.q, x.qd)
    N = [[partial(m, 0) - 2 * c for m, c in zip(*rows)] for rows in zip(M, C)]
    return [(N[i][j], -N[j][i]) for j in range(chain.dof) for i in range(j + 1)]


def coriolis_product(chain: Tree, x: MotionState) -> Sides:
    """C q̇ = coriolis, and both ways to C give the same matrix"""
    C = christoffel.coriolis_matrix(chain, x.q, x.qd)
    same = _paired(_flat(C), _flat(christoffel.coriolis_matrix_carried(chain, x.q, x.qd)))
    return _paired([dot(row, x.qd) for row in C], torque.coriolis(chain, x.q, x.qd)) + same


def power_balance(chain: Tree, x: MotionState) -> Sides:
    """d/dt (kinetic + potential) = q̇·(τ − friction)"""
    found = energy.energy(over_duals(chain), along(x.q, x.qd), along(x.qd, x.qdd))
    tau, bare = torque.inverse_dynamics(chain, x.q, x.qd, x.qdd), newton_euler(chain, x.q, x.qd, x.qdd).tau
    lost = friction(chain, x.qd, bare)
    given = sum_of(rate * (t - loss) for rate, t, loss in zip(x.qd, tau, lost))
    return [(partial(found.kinetic, 0) + partial(found.potential, 0), given)]


def kinetic_is_quadratic(chain: Tree, x: MotionState) -> Sides:
    """kinetic = ½ q̇ᵀ M q̇"""
    M = composite.inertia_matrix(chain, x.q)
    return [(energy.kinetic_energy(chain, x.q, x.qd), half(dot(x.qd, [dot(row, x.qd) for row in M])))]


def gravity_is_slope(chain: Tree, x: MotionState) -> Sides:
    """gravity_i = ∂potential/∂q_i"""
    slope = energy.potential_energy(over_duals(chain), variables(x.q))
    slopes = [partial(slope, i) for i in range(chain.dof)]
    return _paired(torque.gravity(chain, x.q), slopes) + _paired(composite.gravity_composite(chain, x.q), slopes)


def parts_add_up(chain: Tree, x: MotionState) -> Sides:
    """inverse_dynamics = M q̈ + coriolis + gravity + friction − Jᵀ·wrench"""
    M = composite.inertia_matrix(chain, x.q)
    effects = (
        [dot(row, x.qdd) for row in M],
        torque.coriolis(chain, x.q, x.qd),
        torque.gravity(chain, x.q),
        friction(chain, x.qd, newton_euler(chain, x.q, x.qd, x.qdd, x.wrench).tau),
        torque.wrench_torque(chain, x.q, x.wrench),
    )
    return _paired(torque.inverse_dynamics(chain, x.q, x.qd, x.qdd, x.wrench), [sum_of(row) for row in zip(*effects)])


def lagrange_agrees(method: str) -> Callable[[Tree, MotionState], Sides]:
    """Newton–Euler ≡ Lagrange"""
    terms = lagrange.METHODS[method]

    def sides(chain: Tree, x: MotionState) -> Sides:
        other = lagrange.inverse_dynamics_lagrange(chain, x.q, x.qd, x.qdd, x.wrench, terms)
        return _paired(torque.inverse_dynamics(chain, x.q, x.qd, x.qdd, x.wrench), other)

    return sides


def jacobian_agrees(chain: Tree, x: MotionState) -> Sides:
    """Newton–Euler ≡ dynamics from Jacobians"""
    other = jacobian_dynamics.inverse_dynamics_jacobian(chain, x.q, x.qd, x.qdd, x.wrench)
    return _paired(torque.inverse_dynamics(chain, x.q, x.qd, x.qdd, x.wrench), other)


def linear_in_parameters(chain: Tree, x: MotionState) -> Sides:
    """regressor · parameters = torque"""
    pi = regressor.parameter_vector(chain)
    torques = [dot(row, pi) for row in regressor.regressor(chain, x.q, x.qd, x.qdd)]
    return _paired(torques, torque.inverse_dynamics(chain, x.q, x.qd, x.qdd))


def forward_undoes_inverse(chain: Tree, x: MotionState) -> Sides:
    """forward_dynamics(inverse_dynamics(q̈)) = q̈, two ways"""
    tau = torque.inverse_dynamics(chain, x.q, x.qd, x.qdd, x.wrench)
    one = articulated_bodies.forward_dynamics(chain, x.q, x.qd, tau, x.wrench)
    other = inertia_inverse.forward_dynamics(chain, x.q, x.qd, tau, x.wrench)
    return _paired(one, x.qdd) + _paired(other, x.qdd)


def cascade(chain: Tree, x: MotionState) -> Sides:
    """Joint i and those beyond it feel nothing of the inertia, motors and friction of the links before it."""
    whole = torque.inverse_dynamics(chain, x.q, x.qd, x.qdd)
    sides: Sides = []
    empty = without_actuators(massless(chain)).links
    for i in (i for i, link in enumerate(chain.links) if link.parent != BASE):
        felt = chain.beyond(i)
        links = tuple(chain.links[k] if k in felt else empty[k] for k in range(chain.dof))
        tail = torque.inverse_dynamics(replace(chain, links=links), x.q, x.qd, x.qdd)
        sides += [(whole[k], tail[k]) for k in felt]
    return sides


def superposition(chain: Tree, x: MotionState) -> Sides:
    """The torques are the sum of those of arms in which one link at a time has mass, motor and friction."""
    refuse_loaded(chain, NO_SUM)
    alone = [_only(chain, l, link) for l, link in enumerate(chain.links)]
    shares = [torque.inverse_dynamics(arm, x.q, x.qd, x.qdd) for arm in alone]
    return _paired(torque.inverse_dynamics(chain, x.q, x.qd, x.qdd), [sum_of(row) for row in zip(*shares)])


def inertia_pivots(chain: Tree, q: Sequence[Scalar]) -> list[Any]:
    """The pivots of M factored from the tip: M is positive definite exactly where all of them are positive."""
    return inertia_inverse.factorise_ldl(composite.inertia_matrix(chain, q))[1]


def _only(chain: Tree, l: int, link: Link) -> Tree:
    bare = [replace(other, inertia=RigidBody()) for other in without_actuators(chain).links]
    bare[l] = link
    return replace(chain, links=tuple(bare))


def _paired(left: Sequence[object], right: Sequence[object]) -> Sides:
    return list(zip(left, right, strict=True))


def _flat(rows: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [entry for row in rows for entry in row]


SOLVABLE = "every joint must move some mass or motor inertia"

IDENTITIES: tuple[Identity, ...] = (
    Identity("inertia symmetric", Message("The inertia matrix is symmetric."), symmetric_inertia),
    Identity("inertia rate", Message("Ṁ − 2C is skew-symmetric: Coriolis forces do no work of their own."), skew_rate),
    Identity(
        "Coriolis matrix", Message("The Coriolis matrix times the velocities is the Coriolis torque."), coriolis_product
    ),
    Identity(
        "power balance",
        Message("Motor power minus friction loss is the rate of change of energy."),
        power_balance,
    ),
    Identity("kinetic energy", Message("The kinetic energy is ½ q̇ᵀMq̇."), kinetic_is_quadratic),
    Identity("gravity", Message("The gravity torque is the gradient of the potential energy."), gravity_is_slope),
    Identity("parts", Message("Inertia, Coriolis, gravity, friction and contact add up to the torque."), parts_add_up),
    *(
        Identity(
            f"Newton–Euler ≡ {name}", Message("Newton–Euler and Lagrange give the same torques."), lagrange_agrees(name)
        )
        for name in lagrange.METHODS
    ),
    Identity(
        "Newton–Euler ≡ jacobian",
        Message("Newton–Euler and the Jacobians of the centres of mass give the same torques."),
        jacobian_agrees,
    ),
    Identity("regressor", Message("The torques are linear in the inertial parameters."), linear_in_parameters),
    Identity(
        "forward ∘ inverse",
        Message("Applying the computed torques gives the motion back."),
        forward_undoes_inverse,
        SOLVABLE,
    ),
    Identity("cascade", Message("A joint feels only its own link and those beyond it."), cascade),
    Identity(
        "superposition", Message("The torques of the arm are the sum of the torques of its links."), superposition
    ),
)
