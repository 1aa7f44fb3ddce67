"""Tables and reports of robots whose base moves or whose chains close: what they leave out, they say."""

from __future__ import annotations

import pytest

import manipula as mp
from manipula.generation.counts import DEFAULT_MODELS
from tests.floating_robots import floating_robot
from tests.linkages import five_bar


def _mechanism(part: str) -> mp.Robot:
    if part == "loops":
        robot = five_bar()
        return robot.at(robot.frame_names[0])
    return mp.Robot.of(floating_robot(2, "RP"))


@pytest.mark.parametrize("part", ["moving base", "loops"])
def test_a_check_says_what_its_laws_leave_out(part: str) -> None:
    report = mp.check(_mechanism(part))
    assert [v.name for v in report.verdicts if not v.checked] == [part]
    assert report.passed and f"not checked: {part}" in str(report)


@pytest.mark.turn
@pytest.mark.filterwarnings("ignore:.*its loops do not determine")
@pytest.mark.parametrize(
    "part, refused", [("moving base", "coriolis_matrix"), ("loops", "inverse_dynamics_derivatives")]
)
def test_a_table_of_counts_has_the_models_that_such_a_robot_has(part: str, refused: str) -> None:
    """Each row is what `generate` gives for that model and method; a model by name is refused in a sentence."""
    robot = _mechanism(part)
    table = mp.count(robot)
    assert {"inverse_dynamics", "forward_dynamics", "regressor"} <= {row.model for row in table} < set(DEFAULT_MODELS)
    for row in table:
        if row.model in ("inverse_dynamics", "inertia_matrix"):
            assert mp.generate(robot, row.model, method=row.method, optimise="none").cost.total == row.total
    with pytest.raises(mp.InputError, match=refused):
        mp.count(robot, [refused])
