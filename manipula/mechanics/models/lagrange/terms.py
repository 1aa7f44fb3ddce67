"""Lagrange's model, its effects kept apart (Lopes da Silva, UNICAMP 1990).

    Γ = A q̈ + 2 B q̇q̇ + C q̇² − G + P

G is taken with the true gravity vector, hence its minus; P is an input: whatever perturbs the joints (friction, motor
inertia, contact). The names are the source's: FGRA is G itself, so FGEN = FIN + FCOR + FCEN − FGRA + FPER.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from manipula.errors import UnknownNameError
from manipula.mechanics.models.dynamics.torque import ToolWrench, actuator_torque, wrench_torque
from manipula.mechanics.models.entry import TORQUES, Given, Method, ModelEntry, Outputs
from manipula.mechanics.models.lagrange import classical as lagrange_classical
from manipula.mechanics.models.lagrange import coefficients as lagrange_efficient
from manipula.mechanics.models.lagrange import megahed as lagrange_megahed
from manipula.mechanics.models.lagrange.coefficients import LagrangeTerms, pairs
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import dot, sum_of
from manipula.scalar import Scalar

Terms = Callable[[Tree, Sequence[Scalar]], LagrangeTerms]

METHODS: dict[str, Terms] = {
    "lagrange": lagrange_classical.terms,
    "lagrange-megahed": lagrange_megahed.terms,
    "lagrange-efficient": lagrange_efficient.terms,
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
    terms: Terms = lagrange_efficient.terms,
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
    ),
)  # fmt: skip
