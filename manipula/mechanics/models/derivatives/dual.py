"""Derivatives of inverse and forward dynamics by position, velocity, and acceleration or torque.

The plain text is forward differentiation: the recursion run on dual numbers. The cheap one is reverse: the torques of
any method run on traced numbers, one walk back per torque. Forward dynamics needs no derivative of its own: with
τ(q, q̇, q̈) = const,

    ∂q̈/∂τ = M⁻¹      ∂q̈/∂q = −M⁻¹ ∂τ/∂q      ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇      at q̈ = q̈(q, q̇, τ)

Source: Carpentier, Mansard, "Analytical derivatives of rigid body dynamics algorithms", Robotics: Science and Systems
(2018), for forward dynamics from inverse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from manipula.mechanics.models.dynamics import articulated_bodies
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.robot.tree import Tree, map_tree, over_duals
from manipula.mechanics.spatial import adjoint, dual
from manipula.scalar import Scalar

Given = Mapping[str, Sequence[Scalar]]
Torques = Callable[[Tree, Given], Sequence[Scalar]]  # (chain, inputs) → results
Rows = list[list[Scalar]]
InertiaMatrix = Callable[[Tree, Sequence[Scalar]], Rows]


def inverse_plain(chain: Tree, x: Given) -> dict[str, Rows]:
    """Newton and Euler on dual numbers."""
    dq, dqd, dqdd = forward(plain_torques, chain, x, ("q", "qd", "qdd"))
    return {"dq": dq, "dqd": dqd, "dqdd": dqdd}


def inverse_reverse(torques: Torques, chain: Tree, x: Given) -> dict[str, Rows]:
    """Any text of the torques on traced numbers; by acceleration it is the inertia matrix, unless friction follows the
    load and the load the acceleration."""
    shared = getattr(chain.maths, "interned", False)
    if any(link.actuator.depends_on_load for link in chain.links):
        dq, dqd, dqdd = reverse(torques, chain, x, ("q", "qd", "qdd"), shared)
        return {"dq": dq, "dqd": dqd, "dqdd": dqdd}
    dqdd = inertia_matrix(chain, x["q"])
    dq, dqd = reverse(torques, chain, x, ("q", "qd"), shared)
    return {"dq": dq, "dqd": dqd, "dqdd": dqdd}


def forward_plain(chain: Tree, x: Given) -> dict[str, Rows]:
    """Articulated bodies on dual numbers."""
    dq, dqd, dtau = forward(plain_accelerations, chain, x, ("q", "qd", "tau"))
    return {"dq": dq, "dqd": dqd, "dtau": dtau}


def forward_reverse(
    torques: Torques, chain: Tree, x: Given, inertia: InertiaMatrix = inertia_matrix
) -> dict[str, Rows]:
    """Through the derivatives of the torques."""
    n = len(x["q"])
    solve = InertiaSolver(inertia(chain, x["q"]))
    bias = torques(chain, {**x, "qdd": [0] * n})
    qdd = solve([tau - b for tau, b in zip(x["tau"], bias, strict=True)])
    moved = reverse(torques, chain, {**x, "qdd": qdd}, ("q", "qd"))
    dq, dqd = ([[-entry for entry in row] for row in _columns(map(solve, zip(*rows)))] for rows in moved)
    units = [[int(i == k) for i in range(n)] for k in range(n)]
    return {"dq": dq, "dqd": dqd, "dtau": _columns(map(solve, units))}


def plain_torques(chain: Tree, x: Given) -> Sequence[Scalar]:
    return inverse_dynamics(chain, x["q"], x["qd"], x["qdd"], x.get("wrench"))


def plain_accelerations(chain: Tree, x: Given) -> Sequence[Scalar]:
    return articulated_bodies.forward_dynamics(chain, x["q"], x["qd"], x["tau"], x.get("wrench"))


def forward(model: Torques, chain: Tree, x: Given, by: Sequence[str]) -> list[Rows]:
    """∂result/∂input, a matrix an input, by dual numbers: every partial is carried along."""
    moving = iter(dual.variables([value for name in by for value in x[name]]))
    given = {name: [next(moving) for _ in x[name]] for name in by}
    found = model(over_duals(chain), {**constants(x, by, dual.Dual), **given})
    starts = [sum(len(x[name]) for name in by[:i]) for i in range(len(by))]
    return [
        [[dual.partial(result, start + k) for k in range(len(x[name]))] for result in found]
        for name, start in zip(by, starts)
    ]


def reverse(model: Torques, chain: Tree, x: Given, by: Sequence[str], shared: bool = False) -> list[Rows]:
    """∂result/∂input, a matrix an input, by traced numbers: one walk back for every result."""
    together = adjoint.variables([value for name in by for value in x[name]], shared)
    flow = iter(together)
    moving = {name: [next(flow) for _ in x[name]] for name in by}
    traced = map_tree(chain, adjoint.Traced, adjoint.TracedMaths(chain.maths))
    found = model(traced, {**constants(x, by, adjoint.Traced), **moving})
    rows = [iter(adjoint.gradient(result, together)) for result in found]
    return [[[next(row) for _ in x[name]] for row in rows] for name in by]


def constants(x: Given, by: Sequence[str], lift: Callable[[Scalar], Scalar]) -> dict[str, Sequence[Scalar]]:
    """The inputs that do not move, as constants of another scalar."""
    still = {name: values for name, values in x.items() if name not in by and values is not None}
    return {name: [v if isinstance(v, int) else lift(v) for v in values] for name, values in still.items()}


def _columns(columns: Iterable[Sequence[Scalar]]) -> Rows:
    return [list(row) for row in zip(*columns)]
