"""The inverse of the inertia matrix: applied to vectors, or entry by entry.

M = Lᵀ D L is factored once, from the tip inward, with one division a joint; what is a structural zero of M stays one in
L. The entries are M⁻¹ = A D⁻¹ Aᵀ with A = L⁻¹, one half of them computed.

Source: Featherstone, "Efficient factorization of the joint-space inertia matrix for branched kinematic trees",
International Journal of Robotics Research 24 (2005); Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from manipula.mechanics.models.dynamics import composite_runs
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, refuse_loaded
from manipula.mechanics.models.dynamics.torque import ToolWrench, inverse_dynamics
from manipula.mechanics.models.entry import RUNS, TOOL, TORQUES, Given, Method, ModelEntry, Outputs
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import reciprocal
from manipula.mechanics.spatial.vector import dot, sum_of
from manipula.scalar import Scalar

Rows = list[list[Scalar]]


class InertiaSolver:
    """x with M x = right, for many right sides."""

    def __init__(self, M: Sequence[Sequence[Scalar]]) -> None:
        self.L, D = factorise_ldl(M)
        self.inverse = [reciprocal(d) for d in D]  # as in `factorise_ldl`: over expressions the same nodes

    def __call__(self, right: Sequence[Scalar]) -> list[Scalar]:
        x: list[Scalar] = []
        for row, rest, inverse in zip(self.L, self.halfway(right), self.inverse):  # L x = D⁻¹ y
            x.append(rest * inverse - dot(row, x))
        return x

    def halfway(self, right: Sequence[Scalar]) -> list[Scalar]:
        """y with Lᵀ y = right"""
        y = list(right)
        for k in range(len(y) - 1, -1, -1):
            for i, entry in enumerate(self.L[k]):
                y[i] = y[i] - entry * y[k]
        return y


def invert_inertia(M: Sequence[Sequence[Scalar]]) -> Rows:
    """M⁻¹, all its entries."""
    L, D = factorise_ldl(M)
    A, inverse = unit_inverse(L), [reciprocal(d) for d in D]
    scaled = [[a * e for a, e in zip(row, inverse)] for row in A]
    # Σ A_ik A_jk / D_k over k ≤ j ≤ i, where A_jj = 1
    lower = [[dot(A[j], scaled[i][:j]) + scaled[i][j] for j in range(i)] for i in range(len(M))]
    diagonal = [dot(A[i], scaled[i]) + inverse[i] for i in range(len(M))]
    return [[diagonal[i] if i == j else lower[max(i, j)][min(i, j)] for j in range(len(M))] for i in range(len(M))]


def least(M: Sequence[Sequence[Scalar]]) -> Scalar:
    """1/tr M⁻¹: no more than the smallest eigenvalue of M, and no less than it over their number."""
    L, D = factorise_ldl(M)
    inverse = [reciprocal(d) for d in D]
    # tr A D⁻¹ Aᵀ
    rows = [[*(a * a * e for a, e in zip(row, inverse)), inverse[i]] for i, row in enumerate(unit_inverse(L))]
    return 1 / sum_of([x for row in rows for x in row])


def factorise_ldl(M: Sequence[Sequence[Scalar]]) -> tuple[Rows, list[Scalar]]:
    """L without its ones, a row longer each time, and D: the inertia each joint feels while those beyond are free."""
    work = [list(row[: i + 1]) for i, row in enumerate(M)]
    for k in range(len(M) - 1, 0, -1):
        last, inverse = work[k], reciprocal(work[k][k])
        work[k] = [*(x * inverse for x in last[:k]), last[k]]
        for i, share in enumerate(work[k][:k]):
            work[i] = [x - share * other for x, other in zip(work[i], last)]
    return [row[:-1] for row in work], [row[-1] for row in work]


def unit_inverse(L: Rows) -> Rows:
    """A without its ones: A_ki = −(L_ki + Σ L_km A_mi), i < m < k"""
    A: Rows = []
    for k, row in enumerate(L):
        A.append([-sum_of([row[i], *(row[m] * A[m][i] for m in range(i + 1, k))]) for i in range(k)])
    return A


# Forward dynamics through the inertia matrix: M q̈ = τ − (coriolis + gravity + friction − Jᵀ·wrench).
#
# The system is solved by M = Lᵀ D L (`inertia_inverse`): no square roots, one division per joint.
#
# Source: Walker, Orin (1982), as for `composite`, method 3.


def forward_dynamics(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], wrench: ToolWrench = None
) -> list[Scalar]:
    """q̈ under the motor torques `tau`."""
    refuse_loaded(chain, NO_FORWARD)
    bias = inverse_dynamics(chain, q, qd, [0] * chain.dof, wrench)
    return InertiaSolver(inertia_matrix(chain, q))([t - b for t, b in zip(tau, bias, strict=True)])


# The arm's inertia as its tool feels it: J M⁻¹ Jᵀ, and its inverse Λ.
#
# With ẍ = J q̈ + J̇ q̇ and τ = Jᵀ F, a force F on the tool of an arm at rest and without weight accelerates it by
#
#     ẍ = Λ⁻¹ F        Λ⁻¹ = J M⁻¹ Jᵀ        Λ = (J M⁻¹ Jᵀ)⁻¹
#
# Λ⁻¹ exists wherever M does and is singular where J is; Λ only where the tool moves in all six directions. With the
# factors M = Lᵀ D L no inverse of M is formed:
#
#     Λ⁻¹ = Yᵀ D⁻¹ Y        Lᵀ Y = Jᵀ
#
# Source: O. Khatib, A unified approach for motion and force control of robot manipulators: the operational space
# formulation, IEEE J. of Robotics and Automation 3(1), 1987, eq. 21 (Λ = J⁻ᵀ M J⁻¹) and 51 (redundant arms).


def mobility(J: Sequence[Sequence[Scalar]], M: Sequence[Sequence[Scalar]]) -> Rows:
    """Λ⁻¹ = Yᵀ D⁻¹ Y (6×6), rows and columns as in the Jacobian."""
    solver = InertiaSolver(M)
    Y = [solver.halfway(row) for row in J]  # row i of J is column i of Jᵀ
    scaled = [[y * d for y, d in zip(row, solver.inverse)] for row in Y]
    lower = [[sum_of([a * b for a, b in zip(scaled[i], Y[j])]) for j in range(i + 1)] for i in range(len(Y))]
    return [[lower[max(i, j)][min(i, j)] for j in range(len(Y))] for i in range(len(Y))]


def inertia(J: Sequence[Sequence[Scalar]], M: Sequence[Sequence[Scalar]]) -> Rows:
    """Λ (6×6); an arm whose tool has fewer than six freedoms does not have it."""
    return invert_inertia(mobility(J, M))


def _operational(
    output: str, made: Callable[[Rows, Rows], Rows], mass: Callable[[Tree, Sequence[Scalar]], Rows]
) -> Method:
    def method(chain: Tree, x: Given) -> Outputs:
        M = mass(chain, x["q"])
        return {output: made(jacobian(chain, x["q"]), M)}

    return method


ENTRIES = (
    ModelEntry(
        "inertia_matrix_inverse", "M(q)⁻¹", ("q",), {"Minv": ("1/(kg·m²)", "symmetric")},
        {
            "composite": lambda c, x: {"Minv": invert_inertia(inertia_matrix(c, x["q"]))},
            RUNS: lambda c, x: {"Minv": invert_inertia(composite_runs.inertia_matrix(c, x["q"]))},
        },
        TORQUES, candidates=("composite", RUNS), trees=("composite", RUNS),
    ),
    ModelEntry(
        "operational_mobility", "acceleration of the tool per force on it, Λ⁻¹ = J·M⁻¹·Jᵀ, world axes", ("q",),
        {"Linv": ("SI", "6×6, symmetric; linear, then angular")},
        {
            "composite": _operational("Linv", mobility, inertia_matrix),
            RUNS: _operational("Linv", mobility, composite_runs.inertia_matrix),
        },
        TORQUES | TOOL, candidates=("composite", RUNS), trees=("composite", RUNS),
    ),
    ModelEntry(
        "operational_inertia", "the inertia the tool feels, Λ = (J·M⁻¹·Jᵀ)⁻¹, world axes", ("q",),
        {"L": ("SI", "6×6, symmetric; linear, then angular")},
        {
            "composite": _operational("L", inertia, inertia_matrix),
            RUNS: _operational("L", inertia, composite_runs.inertia_matrix),
        },
        TORQUES | TOOL, candidates=("composite", RUNS), trees=("composite", RUNS),
        wants="six independent freedoms of the tool",
    ),
)  # fmt: skip
