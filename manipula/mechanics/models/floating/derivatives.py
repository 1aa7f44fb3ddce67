"""Derivatives of inverse and forward dynamics of a robot whose base moves.

Inverse dynamics F(q, q̇, q̈, ω₀, ω̇₀, a₀) = (base_wrench, tau) is linear in a = (a₀, ω̇₀, q̈): by these its slope is M. By
q, q̇ and ω₀ it is differentiated forward, on dual numbers: of the plain recursion, or of the acceleration field. Where
it stands is no input, and neither are its orientation and its velocity: with γ = R₀ᵀ g,

    a₀ = v̇₀ + ω₀×v₀ − γ        ∂a₀/∂θ = −[γ]×        ∂a₀/∂v₀ = [ω₀]×        ∂a₀/∂ω₀ = −[v₀]×

θ being a small turn of the base about its own axes, R₀ ← R₀ exp [θ]×. Forward dynamics follows, M a + … = (0, τ):

    ∂a/∂τ = M⁻¹      ∂a/∂q = −M⁻¹ ∂F/∂q      ∂a/∂(ω₀, q̇) = −M⁻¹ ∂F/∂(ω₀, q̇)      v̇₀ = a₀ − ω₀×v₀ + γ

Source: Carpentier, Mansard, "Analytical derivatives of rigid body dynamics algorithms", Robotics: Science and Systems
(2018), for forward dynamics from inverse; the base's part is derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from manipula.mechanics.models.derivatives.dual import Rows, Torques, forward
from manipula.mechanics.models.dynamics import composite_runs
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, refuse_loaded
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver, invert_inertia
from manipula.mechanics.models.entry import FIELD, TORQUES, Given, ModelEntry, Outputs
from manipula.mechanics.models.floating import dynamics
from manipula.mechanics.models.floating.dynamics import Forces, field_forces, inertia_composite, inertia_runs
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import Matrix, Vec3, matmul, skew, unrotate
from manipula.scalar import Scalar

Inertia = Callable[[Tree, Sequence[Scalar]], Rows]
NO_PLACE: list[Scalar] = [0, 0, 0]  # columns of where the base is, of which nothing depends


def _felt(forces: Forces) -> Torques:
    """(base_wrench, tau) as one list."""

    def felt(chain: Tree, x: Given) -> list[Scalar]:
        found = dynamics.inverse_dynamics(chain, x, forces)
        return [*found["base_wrench"], *found["tau"]]

    return felt


def _beside(*blocks: Rows) -> Rows:
    return [[entry for row in rows for entry in row] for rows in zip(*blocks, strict=True)]


# inverse dynamics


def inverse_plain(chain: Tree, x: Given) -> Outputs:
    """Newton and Euler on dual numbers."""
    names = ("q", "qd", "w0", "a0", "wd0", "qdd")
    dq, dqd, dw0, *rest = forward(_felt(dynamics.plain_forces), chain, x, names)
    return {"dq": dq, "dqd": _beside(dw0, dqd), "dqdd": _beside(*rest)}


def inverse_on_field(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    """The field on dual numbers; by acceleration it is the inertia matrix, unless friction follows the load.

    Backward from each of the 6 + n results costs a third more: every one of them hears of the whole robot.
    """
    if any(link.actuator.depends_on_load for link in chain.links):
        return inverse_plain(chain, x)
    dq, dqd, dw0 = forward(_felt(field_forces(choices)), chain, x, ("q", "qd", "w0"))
    return {"dq": dq, "dqd": _beside(dw0, dqd), "dqdd": inertia_runs(chain, x["q"])}


# forward dynamics


def forward_plain(chain: Tree, x: Given) -> Outputs:
    """Articulated bodies on dual numbers."""
    refuse_loaded(chain, NO_FORWARD)

    def moved(chain: Tree, x: Given) -> list[Scalar]:
        found = dynamics.forward_articulated(chain, x)
        return [*found["base_acceleration"], *found["qdd"]]

    dq, dqd, dtau, dR, dv0, dw0 = forward(moved, chain, x, ("q", "qd", "tau", "R0", "v0", "w0"))
    # R₀ ← R₀ [e]× for each axis e
    R = dynamics.matrix_from(x["R0"])
    turns = [[entry for row in matmul(R, skew(e)) for entry in row] for e in _AXES]
    dtheta = [[sum((a * b for a, b in zip(row, turn)), 0) for turn in turns] for row in dR]
    still = [NO_PLACE] * len(dq)
    # a wrench on the base is no input: its columns are those of M⁻¹
    pushed = [row[:6] for row in invert_inertia(inertia_composite(chain, x["q"]))]
    return {"dq": _beside(still, dtheta, dq), "dqd": _beside(dv0, dw0, dqd), "dtau": _beside(pushed, dtau)}


_AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def forward_solved(chain: Tree, x: Given, forces: Forces, inertia: Inertia) -> Outputs:
    """Through the derivatives of inverse dynamics."""
    refuse_loaded(chain, NO_FORWARD)
    M, still = inertia(chain, x["q"]), [0, 0, 0]
    solve, felt = InertiaSolver(M), _felt(forces)
    rest = {**x, "a0": still, "wd0": still, "qdd": [0] * chain.dof}
    a = solve([t - b for t, b in zip([*still, *still, *x["tau"]], felt(chain, rest), strict=True)])
    at = {"q": x["q"], "qd": x["qd"], "w0": x["w0"], "a0": a[:3], "wd0": a[3:6], "qdd": a[6:]}
    moved = forward(felt, chain, at, ("q", "qd", "w0"))
    dq, dqd, dw0 = ([[-y for y in row] for row in _transposed(map(solve, zip(*rows)))] for rows in moved)
    # v̇₀ = a₀ − ω₀×v₀ + γ
    w, v = Vec3(x["w0"]), Vec3(x["v0"])
    turned = skew(unrotate(dynamics.matrix_from(x["R0"]), chain.gravity))
    swung = [[a + b for a, b in zip(row, more)] for row, more in zip(dw0, skew(v))] + dw0[3:]
    place = _beside([NO_PLACE] * len(M), _on_top(turned, len(M)))
    return {
        "dq": _beside(place, dq),
        "dqd": _beside(_on_top(skew(-w), len(M)), swung, dqd),
        "dtau": invert_inertia(M),
    }


def _on_top(block: Matrix, rows: int) -> Rows:
    """Three rows, and zeros below."""
    return [*(list(row) for row in block), *(NO_PLACE for _ in range(rows - 3))]


def _transposed(columns: Iterable[Sequence[Scalar]]) -> Rows:
    return [list(row) for row in zip(*columns)]


# on a base whose motion is given


def given_plain(chain: Tree, x: Given) -> Outputs:
    refuse_loaded(chain, NO_FORWARD)

    def moved(chain: Tree, x: Given) -> list[Scalar]:
        return list(dynamics.given_articulated(chain, x)["qdd"])

    dq, dqd, dtau, dw0, da0, dwd0 = forward(moved, chain, x, ("q", "qd", "tau", "w0", "a0", "wd0"))
    return {"dq": dq, "dqd": _beside(dw0, dqd), "dtau": dtau, "dbase": _beside(da0, dwd0)}


def given_solved(chain: Tree, x: Given, forces: Forces, inertia: Inertia) -> Outputs:
    """The same through the torques alone."""
    refuse_loaded(chain, NO_FORWARD)

    def torques(chain: Tree, x: Given) -> list[Scalar]:
        return list(dynamics.inverse_dynamics(chain, x, forces)["tau"])

    M = inertia(chain, x["q"])
    solve = InertiaSolver(M)
    bias = torques(chain, {**x, "qdd": [0] * chain.dof})
    qdd = solve([t - b for t, b in zip(x["tau"], bias, strict=True)])
    moved = forward(torques, chain, {**x, "qdd": qdd}, ("q", "qd", "w0", "a0", "wd0"))
    dq, dqd, dw0, da0, dwd0 = ([[-y for y in row] for row in _transposed(map(solve, zip(*rows)))] for rows in moved)
    return {"dq": dq, "dqd": _beside(dw0, dqd), "dtau": invert_inertia(M), "dbase": _beside(da0, dwd0)}


def _field_forward(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    return forward_solved(chain, x, field_forces(choices), inertia_runs)


def _field_given(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    return given_solved(chain, x, field_forces(choices), composite_runs.inertia_matrix)


def _solved(chain: Tree, x: Given) -> Outputs:
    return forward_solved(chain, x, dynamics.plain_forces, inertia_composite)


def _given_solved(chain: Tree, x: Given) -> Outputs:
    return given_solved(chain, x, dynamics.plain_forces, inertia_matrix)


_CHANGE = "N, N·m per unit"
_ANSWER = "m/s², rad/s² per unit"
FORMS = {
    "inverse_dynamics_derivatives": ModelEntry(
        "inverse_dynamics_derivatives", "how the wrench on the base and the torques change with the motion",
        ("q", "qd", "qdd", "w0", "wd0", "a0"),
        {
            "dq": (_CHANGE, "(6+n)×n, by position"),
            "dqd": (_CHANGE, "(6+n)×(3+n), by w0, then qd"),
            "dqdd": (_CHANGE, "(6+n)×(6+n), by a0, wd0, then qdd: the inertia matrix"),
        },
        {"dual": inverse_plain}, TORQUES, field=inverse_on_field, candidates=(FIELD,), trees=("dual", FIELD),
    ),
    "forward_dynamics_derivatives": ModelEntry(
        "forward_dynamics_derivatives", "how accelerations of the base and the joints change with state and torques",
        ("q", "qd", "tau", "R0", "v0", "w0"),
        {
            "dq": (_ANSWER, "(6+n)×(6+n), by the base's place, a turn about its own axes, then q"),
            "dqd": (_ANSWER, "(6+n)×(6+n), by v0, w0, then qd"),
            "dtau": (_ANSWER, "(6+n)×(6+n), by a wrench on the base, then tau: the inverse of M"),
        },
        {"dual": forward_plain, "inertia-matrix": _solved}, TORQUES, field=_field_forward, candidates=(FIELD,),
        trees=("dual", "inertia-matrix", FIELD),
    ),
}  # fmt: skip
FORMS["forward_dynamics_derivatives given"] = replace(
    FORMS["forward_dynamics_derivatives"],
    doc="how joint accelerations change with state and torques, on a base whose motion is given",
    inputs=("q", "qd", "tau", "w0", "wd0", "a0"),
    outputs={
        "dq": (_ANSWER, "n×n, by position"),
        "dqd": (_ANSWER, "n×(3+n), by w0, then qd"),
        "dtau": (_ANSWER, "n×n, by torque: the inverse of M"),
        "dbase": (_ANSWER, "n×6, by a0, then wd0"),
    },
    methods={"dual": given_plain, "inertia-matrix": _given_solved},
    field=_field_given,
)
