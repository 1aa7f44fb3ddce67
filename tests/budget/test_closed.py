"""Operation counts of robots whose chains close: they may not rise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import manipula as mp
from tests.laws.test_loops import drawn_five_bar
from tests.laws.test_parallelograms import ARM
from tests.linkages import palletiser

BODIES = "".join(f"{key} = {{{','.join(f'{key}{i}' for i in range(1, 9))}}}\n" for key in
                 ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M"))  # fmt: skip


@pytest.mark.parametrize("model, most", [("inverse_dynamics", 479), ("forward_dynamics", 815)])
def test_an_arm_with_a_parallelogram_from_its_six_motors(model: str, most: int) -> None:
    assert mp.generate(mp.Robot.from_text(ARM + BODIES, "par"), model).cost.total <= most


@pytest.mark.parametrize(
    "robot, model, most, divisions",
    [(palletiser, "inverse_dynamics", 406, 8), (drawn_five_bar, "inverse_dynamics", 142, 2),
     (drawn_five_bar, "forward_dynamics", 167, 4)],
)  # fmt: skip
def test_loops_with_all_positions_given(robot: Callable[[], mp.Robot], model: str, most: int, divisions: int) -> None:
    cost = mp.generate(robot().without("friction"), model).cost
    assert cost.total <= most and cost.div <= divisions
