"""Operation counts that may not rise, against the figures printed in 1990 (Lopes da Silva, UNICAMP)."""

from __future__ import annotations

import pytest

import manipula as mp
from manipula.algebra.expr.maths import topological
from manipula.algebra.expr.node import Expr
from manipula.generation.results.model import Model

# way: (with auxiliary equations, sin/cos, without auxiliary equations); the printed table, our counts at most these
WAYS = {
    "forward": (106, 12, 282),
    "forward-cross": (104, 12, 1780),
    "backward": (104, 12, 208),
    "backward-cross": (93, 12, 398),
    "merged": (81, 14, 148),
}
# What we reach; a change that raises one of these is a loss.
REACHED = {"forward": 106, "forward-cross": 104, "backward": 104, "backward-cross": 93, "merged": 79}


def pose(way: str) -> Model:
    return mp.generate("puma560_symbolic", "pose", method=way, optimise="none")


@pytest.mark.parametrize("way", WAYS)
def test_five_ways_with_auxiliary_equations(way: str) -> None:
    cost = pose(way).cost
    assert cost.grand_total <= WAYS[way][0]
    assert cost.trig <= WAYS[way][1]
    assert cost.total <= REACHED[way]


def by_the_printed_rule(model: Model) -> int:
    """Binary operators after full substitution, as the 1990 program counted them in ways 3 and 4.

    Its additions agree with ours to the last one, its products are fewer by exactly those that have a sum for a
    factor: the scan of the text missed every `*` before a parenthesis. Counted so, the printed totals are met.
    """
    uses: dict[Expr, int] = {}
    for root in model.function.roots:
        uses[root] = uses.get(root, 0) + 1
    missed = 0
    for node in reversed(topological(model.function.roots)):
        if node.op == "mul" and any(arg.op in ("add", "sub") for arg in node.args):
            missed += uses[node]
        for arg in node.args:
            uses[arg] = uses.get(arg, 0) + uses[node]
    return model.tree_cost.grand_total - missed


@pytest.mark.parametrize("way", ["forward", "forward-cross", "merged"])
def test_without_auxiliary_equations(way: str) -> None:
    assert pose(way).tree_cost.grand_total <= WAYS[way][2]


@pytest.mark.parametrize(("way", "true"), [("backward", 264), ("backward-cross", 516)])
def test_without_auxiliary_equations_by_the_printed_rule(way: str, true: int) -> None:
    model = pose(way)
    assert model.tree_cost.grand_total <= true
    assert by_the_printed_rule(model) <= WAYS[way][2]


def test_best_pose() -> None:
    assert mp.generate("puma560_symbolic", "pose").cost.total <= 67


def test_every_order_of_the_product() -> None:
    rows = mp.count_orders("puma560_symbolic")
    assert len(rows) == 42  # the Catalan number of six matrices
    assert rows[0].total <= 88


# model method → on line and off line together, the rule of the source
LAGRANGE = {"lagrange": 2127, "lagrange-megahed": 1093, "lagrange-efficient": 799}


@pytest.mark.parametrize("method", LAGRANGE)
def test_complete_lagrangian_model_of_the_puma(method: str) -> None:
    cost = mp.generate("puma560_symbolic", "lagrange_terms", method=method, optimise="none").cost
    assert cost.grand_total <= LAGRANGE[method]


def test_the_efficient_algorithm_beats_megahed_and_both_the_printed_model() -> None:
    costs = {m: mp.generate("puma560_symbolic", "lagrange_terms", method=m, optimise="none").cost for m in LAGRANGE}
    assert costs["lagrange-efficient"].grand_total < costs["lagrange-megahed"].grand_total <= 1693


def test_complete_model_of_the_stanford_arm() -> None:
    cost = mp.generate("stanford3", "lagrange_terms", optimise="none").cost
    assert cost.grand_total <= 79  # printed: 304


FAST = {"inverse_dynamics": 457, "inertia_matrix": 191, "gravity": 34, "jacobian": 101, "regressor": 947}


@pytest.mark.parametrize("model", FAST)
def test_fast_level(model: str) -> None:
    assert mp.generate("puma560_symbolic", model).cost.total <= FAST[model]
