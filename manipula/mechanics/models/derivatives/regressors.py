"""How a regressor changes with the motion, times weights of its entries: the gradient of Σ w_ij Y_ij(q, q̇, q̈).

    (Σ w_ij ∂Y_ij/∂q,  Σ w_ij ∂Y_ij/∂q̇,  Σ w_ij ∂Y_ij/∂q̈)

So any measure f of how well a motion shows the parameters has an exact gradient: w = ∂f/∂Y, and with the normal matrix
G = Σ YᵀY of all samples  ∂ log det G/∂Y = 2 Y G⁻¹. The plain text is forward differentiation, every partial carried
along; the cheap one is a single walk back through any text of the regressor, at a small multiple of its cost.

Derived here: the chain rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from manipula.mechanics.models.derivatives import dual, products
from manipula.mechanics.robot.tree import Tree
from manipula.scalar import Scalar

Regressor = Callable[[Tree, Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], list[list[Scalar]]]
Slopes = Callable[[Tree, dual.Given], dict[str, Any]]


def weighted(regressor: Regressor) -> Slopes:
    """The regressor on dual numbers; the weights come last."""

    def slopes(chain: Tree, x: dual.Given) -> dict[str, Any]:
        changes = dual.forward(_entries(regressor), chain, _motion(x), products.MOTION)
        named = zip(products.MOTION, changes, strict=True)
        return {products.CHANGES[name]: products.weighed(x["cotangent"], rows) for name, rows in named}

    return slopes


def pulled_back(regressor: Regressor) -> Slopes:
    """The regressor on traced numbers, the weights of its entries handed back to the motion."""

    def slopes(chain: Tree, x: dual.Given) -> dict[str, Any]:
        shared = getattr(chain.maths, "interned", False)
        return products.back(_entries(regressor), chain, _motion(x), x["cotangent"], products.MOTION, shared)

    return slopes


def _entries(regressor: Regressor) -> dual.Torques:
    """Its entries row by row, as one list of results."""
    return lambda chain, x: [entry for row in regressor(chain, x["q"], x["qd"], x["qdd"]) for entry in row]


def _motion(x: dual.Given) -> dual.Given:
    return {name: x[name] for name in products.MOTION}
