"""Derivatives times a vector, without the matrices: what gradient methods ask for, at a small multiple of the model.

    along a change      δτ = ∂τ/∂q δq + ∂τ/∂q̇ δq̇ + ∂τ/∂q̈ δq̈                 dual numbers, one partial
    weighted            (λᵀ ∂τ/∂q, λᵀ ∂τ/∂q̇, λᵀ ∂τ/∂q̈)                       traced numbers, one walk back

Forward dynamics once more needs no text of its own: with q̈ = q̈(q, q̇, τ) and μ = M⁻¹ λ,

    δq̈ = M⁻¹ (δτ − ∂τ/∂q δq − ∂τ/∂q̇ δq̇)        λᵀ ∂q̈ = (−μᵀ ∂τ/∂q, −μᵀ ∂τ/∂q̇, μᵀ)

Derived here: the chain rule on the equations of `dual`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from manipula.mechanics.models.derivatives import analytic
from manipula.mechanics.models.derivatives import dual as derivatives_dual
from manipula.mechanics.models.derivatives.dual import (
    Given,
    InertiaMatrix,
    Torques,
    constants,
    forward_plain,
    inverse_plain,
    plain_accelerations,
    plain_torques,
)
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.composite_runs import inertia_matrix
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.dynamics.torque import by_field
from manipula.mechanics.models.entry import ANALYTIC, AUTOMATIC, FIELD, TORQUES, FieldMethod, ModelEntry, Outputs
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import BASE, Tree, map_tree, over_duals
from manipula.mechanics.spatial import adjoint, dual
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Entries, Scalar

CHANGES = {"q": "dq", "qd": "dqd", "qdd": "dqdd", "tau": "dtau"}
MOTION, STATE = ("q", "qd", "qdd"), ("q", "qd", "tau")


def inverse_along(chain: Tree, x: Given) -> dict[str, Entries]:
    """Newton and Euler on dual numbers."""
    return {"dtau": along(plain_torques, chain, x, MOTION)}


def forward_along(chain: Tree, x: Given) -> dict[str, Entries]:
    """Articulated bodies on dual numbers."""
    return {"dqdd": along(plain_accelerations, chain, x, STATE)}


def inverse_weighted(chain: Tree, x: Given) -> dict[str, Entries]:
    """λᵀ times the matrices."""
    return {name: weigh_rows(x["weights"], rows) for name, rows in inverse_plain(chain, x).items()}


def forward_weighted(chain: Tree, x: Given) -> dict[str, Entries]:
    """λᵀ times the matrices."""
    return {name: weigh_rows(x["weights"], rows) for name, rows in forward_plain(chain, x).items()}


def inverse_jvp(torques: Torques, chain: Tree, x: Given) -> dict[str, Entries]:
    return {"dtau": along(torques, chain, x, MOTION)}


def inverse_vjp(torques: Torques, chain: Tree, x: Given) -> Outputs:
    shared = getattr(chain.maths, "interned", False)
    return back(torques, chain, x, x["weights"], MOTION, shared)


def forward_jvp(torques: Torques, chain: Tree, x: Given, inertia: InertiaMatrix = inertia_matrix) -> dict[str, Entries]:
    solve, qdd = _solve_dynamics(torques, chain, x, inertia)
    still = [0] * len(x["q"])
    moved = along(torques, chain, {**x, "qdd": qdd, "dqdd": still}, MOTION)
    return {"dqdd": solve([push - share for push, share in zip(x["dtau"], moved)])}


def forward_vjp(torques: Torques, chain: Tree, x: Given, inertia: InertiaMatrix = inertia_matrix) -> dict[str, Entries]:
    solve, qdd = _solve_dynamics(torques, chain, x, inertia)
    mu = solve(x["weights"])
    found = back(torques, chain, {**x, "qdd": qdd}, [-m for m in mu], ("q", "qd"), shared=False)
    return {**found, "dtau": mu}


def _solve_dynamics(
    torques: Torques, chain: Tree, x: Given, inertia: InertiaMatrix
) -> tuple[InertiaSolver, list[Scalar]]:
    """M, factored, and q̈."""
    solve = InertiaSolver(inertia(chain, x["q"]))
    bias = torques(chain, {**x, "qdd": [0] * len(x["q"])})
    return solve, solve([tau - b for tau, b in zip(x["tau"], bias, strict=True)])


def along(model: Torques, chain: Tree, x: Given, by: Sequence[str]) -> list[Scalar]:
    """The rate of every result when the inputs `by` move at their rates."""
    moving = {name: dual.along(x[name], x[CHANGES[name]]) for name in by}
    found = model(over_duals(chain), {**constants(x, by, dual.Dual), **moving})
    return [dual.partial(result, 0) for result in found]


def back(
    model: Torques, chain: Tree, x: Given, weights: Sequence[Scalar], by: Sequence[str], shared: bool
) -> dict[str, list[Scalar]]:
    """The gradient of the weighted sum of the results: one walk back."""
    together = adjoint.variables([value for name in by for value in x[name]], shared)
    flow = iter(together)
    moving = {name: [next(flow) for _ in x[name]] for name in by}
    traced = map_tree(chain, adjoint.Traced, adjoint.TracedMaths(chain.maths))
    found = model(traced, {**constants(x, by, adjoint.Traced), **moving})
    weighted = adjoint.pullback(list(zip(found, weights, strict=True)), together)
    rates = iter(weighted)
    return {CHANGES[name]: [next(rates) for _ in x[name]] for name in by}


def weigh_rows(weights: Sequence[Scalar], rows: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [dot(weights, column) for column in zip(*rows)]


# How a regressor changes with the motion, times weights of its entries: the gradient of Σ w_ij Y_ij(q, q̇, q̈).
#
#     (Σ w_ij ∂Y_ij/∂q,  Σ w_ij ∂Y_ij/∂q̇,  Σ w_ij ∂Y_ij/∂q̈)
#
# So any measure f of how well a motion shows the parameters has an exact gradient: w = ∂f/∂Y, and with the normal
# matrix
# G = Σ YᵀY of all samples  ∂ log det G/∂Y = 2 Y G⁻¹. The plain text is forward differentiation, every partial carried
# along; the cheap one is a single walk back through any text of the regressor, at a small multiple of its cost.
#
# Derived here: the chain rule.

Regressor = Callable[[Tree, Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], list[list[Scalar]]]
Slopes = Callable[[Tree, derivatives_dual.Given], Mapping[str, list[Scalar]]]


def weighted_slopes(regressor: Regressor) -> Slopes:
    """The regressor on dual numbers; the weights come last."""

    def slopes(chain: Tree, x: derivatives_dual.Given) -> dict[str, list[Scalar]]:
        changes = derivatives_dual.forward(_entries(regressor), chain, _motion(x), MOTION)
        named = zip(MOTION, changes, strict=True)
        return {CHANGES[name]: weigh_rows(x["cotangent"], rows) for name, rows in named}

    return slopes


def pulled_back(regressor: Regressor) -> Slopes:
    """The regressor on traced numbers, the weights of its entries handed back to the motion."""

    def slopes(chain: Tree, x: derivatives_dual.Given) -> dict[str, list[Scalar]]:
        shared = getattr(chain.maths, "interned", False)
        return back(_entries(regressor), chain, _motion(x), x["cotangent"], MOTION, shared)

    return slopes


def _entries(regressor: Regressor) -> derivatives_dual.Torques:
    """Its entries row by row, as one list of results."""
    return lambda chain, x: [entry for row in regressor(chain, x["q"], x["qd"], x["qdd"]) for entry in row]


def _motion(x: derivatives_dual.Given) -> derivatives_dual.Given:
    return {name: x[name] for name in MOTION}


def _on_field(method: Callable[[Torques, Tree, Given], Outputs]) -> FieldMethod:
    """What differentiates any text of the torques, on that of the acceleration field."""

    def make_outputs(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
        return method(lambda c, y: by_field(c, y, choices)["tau"], chain, x)

    return make_outputs


FEW = 2  # joints


def _worth_trying(model: ModelEntry, chain: Tree) -> ModelEntry:
    """Every way on arms that are simple; on others nothing comes near the one that is named."""
    parallel = all(link.before.R[2][2] in (1, -1) for link in frames_on_joints(chain).links if link.parent != BASE)
    simple = chain.dof <= FEW or parallel
    return replace(model, candidates=tuple(model.method_names)) if simple else model


_INVERSE = {
    "dq": ("N·m/rad …", "by position: row a torque, column a joint"), "dqd": ("N·m·s/rad …", "by velocity"),
    "dqdd": ("kg·m²", "by acceleration: the inertia matrix"),
}  # fmt: skip
_FORWARD = {
    "dq": ("1/s² …", "by position: row an acceleration, column a joint"), "dqd": ("1/s …", "by velocity"),
    "dtau": ("1/(kg·m²)", "by torque: the inverse of the inertia matrix"),
}  # fmt: skip
BY_MOTION = {
    "dq": ("1/rad …", "by position"), "dqd": ("s/rad …", "by velocity"), "dqdd": ("s²/rad …", "by acceleration"),
}  # fmt: skip
_ACCELERATION = ("rad/s² or m/s²", "the change of the accelerations")

ENTRIES = (
    ModelEntry(
        "inverse_dynamics_derivatives", "how joint torques change with the motion", ("q", "qd", "qdd"), _INVERSE,
        {"dual": derivatives_dual.inverse_plain, ANALYTIC: analytic.inverse}, TORQUES, takes_wrench=True,
        field=_on_field(derivatives_dual.inverse_reverse), candidates=(ANALYTIC,), differentiates="inverse_dynamics",
        planned=_worth_trying, trees=("dual", FIELD, AUTOMATIC), floating="derivatives",
    ),
    ModelEntry(
        "forward_dynamics_derivatives", "how joint accelerations change with state and torques", ("q", "qd", "tau"),
        _FORWARD, {"dual": derivatives_dual.forward_plain, ANALYTIC: analytic.forward}, TORQUES,
        takes_wrench=True, field=_on_field(derivatives_dual.forward_reverse), candidates=(ANALYTIC,),
        differentiates="forward_dynamics", planned=_worth_trying, trees=("dual", FIELD, AUTOMATIC),
        floating="derivatives",
    ),
    ModelEntry(
        "inverse_dynamics_jvp", "the change of joint torques along a change of the motion",
        ("q", "qd", "qdd", "dq", "dqd", "dqdd"), {"dtau": (EFFORT, "the change of the torques")},
        {"dual": inverse_along}, TORQUES, takes_wrench=True,
        field=_on_field(inverse_jvp), candidates=(FIELD,), planned=_worth_trying,
        trees=("dual", FIELD),
    ),
    ModelEntry(
        "inverse_dynamics_vjp", "the gradient of weighted joint torques by the motion", ("q", "qd", "qdd", "weights"),
        BY_MOTION, {"dual": inverse_weighted}, TORQUES, takes_wrench=True,
        field=_on_field(inverse_vjp), candidates=(FIELD,), planned=_worth_trying,
        trees=("dual", FIELD),
    ),
    ModelEntry(
        "forward_dynamics_jvp", "the change of joint accelerations along a change of state and torques",
        ("q", "qd", "tau", "dq", "dqd", "dtau"), {"dqdd": _ACCELERATION},
        {"dual": forward_along}, TORQUES, takes_wrench=True,
        field=_on_field(forward_jvp), candidates=(FIELD,), planned=_worth_trying,
        trees=("dual", FIELD),
    ),
    ModelEntry(
        "forward_dynamics_vjp", "the gradient of weighted joint accelerations by state and torques",
        ("q", "qd", "tau", "weights"),
        {"dq": ("1/rad …", "by position"), "dqd": ("s/rad …", "by velocity"), "dtau": ("1/(N·m) …", "by torque")},
        {"dual": forward_weighted}, TORQUES, takes_wrench=True,
        field=_on_field(forward_vjp), candidates=(FIELD,), planned=_worth_trying,
        trees=("dual", FIELD),
    ),
)  # fmt: skip
