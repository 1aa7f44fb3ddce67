"""Base parameters: three roads to one count, and no torque lost, on arms of every kind."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula import api
from manipula.algebra.expr.elimination import dependencies, rational_angle, reduced_rows
from manipula.algebra.expr.field import FieldMaths, P
from manipula.cli.app import app
from manipula.errors import InputError, ProofError
from manipula.generation.arm_structure import ArmStructure
from manipula.generation.column_ranking import field_state, integer
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.linear.base_parameters import (
    candidate_slots,
    chain_from_candidates,
    grouping_matrix,
    reduced_regressor,
    standard_slots,
    standard_values,
)
from manipula.mechanics.models.linear.base_regressor import base_regressor, base_regressor_turned
from manipula.mechanics.robot.description import RobotDescription
from manipula.parameters.base import base_parameters_of
from manipula.parameters.base_numeric import base_agreement
from tests.random_robots import random_robot, random_state

KINDS = ("R", "P", "RR", "RP", "PR", "PP", "RRR", "RPR", "PRR", "PPR", "RRP", "RPP", "RFRP", "PRPR", "RRPRR")
DRAWN = [
    *[(seed, kinds, "modified") for seed, kinds in enumerate(KINDS)],
    *[(seed + 50, kinds, "standard") for seed, kinds in enumerate(("RRR", "RPR", "PRR", "RRPR", "PPRR"))],
    *[(seed + 90, kinds, "urdf") for seed, kinds in enumerate(("RRR", "PRPR"))],
]
ARMS = [pytest.param(*drawn, marks=[pytest.mark.slow] if len(drawn[1]) > 3 else []) for drawn in DRAWN]


def arm(seed: int, kinds: str, convention: str) -> RobotDescription:
    return random_robot(seed, joints=kinds, convention=convention)  # type: ignore[arg-type]


@pytest.mark.turn
@pytest.mark.parametrize(("seed", "kinds", "convention"), ARMS)
def test_rank_superposition_and_the_exact_way_agree(seed: int, kinds: str, convention: str) -> None:
    robot = arm(seed, kinds, convention)
    found = base_parameters_of(robot)
    agreement = base_agreement(robot, found)
    assert agreement.passed, str(agreement)
    assert agreement.gap > 4


@pytest.mark.parametrize(("seed", "kinds", "convention"), ARMS)
def test_an_arm_of_base_parameters_alone_has_the_same_torques(seed: int, kinds: str, convention: str) -> None:
    """In the field, at a random point: the arm that has only its candidates, by `grouping_matrix`, against the arm
    itself."""
    robot = arm(seed, kinds, convention)
    chain, state = field_state(ArmStructure(robot).in_field(f"torques {seed}"), robot.coordinates, "q")
    values = [
        sum((x * y for x, y in zip(row, standard_values(chain))), 0)
        for row in grouping_matrix(chain, standard_slots(chain))
    ]
    light = chain_from_candidates(chain, values)
    want, got = inverse_dynamics(chain, *state), inverse_dynamics(light, *state)
    assert [integer(x) for x in got] == [integer(x) for x in want]


@pytest.mark.parametrize(("seed", "kinds", "convention"), ARMS)
def test_the_cheap_regressors_are_the_plain_one(seed: int, kinds: str, convention: str) -> None:
    robot = arm(seed, kinds, convention)
    chain, state = field_state(ArmStructure(robot).in_field(f"columns {seed}"), robot.coordinates, "q")
    want = [[integer(x) for x in row] for row in reduced_regressor(chain, *state)]
    for model in (base_regressor, base_regressor_turned):
        assert [[integer(x) for x in row] for row in model(chain, *state)] == want


@pytest.mark.turn
@pytest.mark.parametrize("seed", (101, 105))
def test_values_times_base_regressor_are_the_torques(seed: int) -> None:
    robot = mp.Robot.of(random_robot(seed, joints="RRPR"))
    model = mp.generate(robot, "base_regressor")
    names = api.base_parameters(robot)
    assert model.columns == names.names
    q, qd, qdd, _ = (np.array(x) for x in random_state(robot, seed))
    torque = mp.generate(robot, "inverse_dynamics").compile()(q, qd, qdd)
    np.testing.assert_allclose(model.compile()(q, qd, qdd) @ np.array(names.values, dtype=float), torque, rtol=1e-9)


def test_regressor_columns_are_named() -> None:
    columns = mp.generate("planar2r", "regressor").columns
    assert columns[:3] == ("Lxx1", "Lxy1", "Lxz1") and len(columns) == 28


def test_the_motor_of_the_first_joint_counts_with_its_link() -> None:
    rows = [{"theta": 0, "d": 0, "a": "l", "alpha": 0, "motor_inertia": "Ia1", "friction": {"viscous": "fv1"}}]
    found = api.base_parameters(mp.Robot.from_dh(rows, convention="modified").with_gravity(0, "-g", 0))
    assert found.names == ("Lzz1_R", "mx1", "my1", "fv1")
    assert dict(found.equations())["Lzz1_R"] in ("Ia1 + Lzz1", "Lzz1 + Ia1")
    assert found.classes["Ia1"] == "in combinations" and found.classes["fv1"] == "alone"


def test_classes_of_the_planar_arm() -> None:
    found = api.base_parameters("planar2r")
    assert found.of_class("alone") == ["my1", "my2"]
    assert found.of_class("in combinations") == ["Lzz1", "mx1", "m1", "Lzz2", "mx2", "m2"]
    assert dict(found.equations())["mx1_R"] == "l1*(m1 + m2) + mx1"
    assert r"m_{x1R} &= l_{1}\,\left(m_{1} + m_{2}\right) + m_{x1}" in found.latex()


def test_a_symbolic_twist_gives_formulas_not_numbers() -> None:
    """A prismatic joint after one revolute joint, tilted: along the axis its first moment has no effect."""
    rows = [("q1", 0, 0, 0), (0, "q2", "a2", "alpha2", "P")]
    robot = mp.Robot.from_dh(rows, "modified", name="tilted", columns="theta d a alpha").with_gravity(0, 0, "-g")
    found = api.base_parameters(robot)
    assert "alpha2" in "".join(right for _, right in found.equations())
    assert base_agreement(robot, found).passed


def test_names_that_clash_are_refused() -> None:
    robot = mp.Robot.from_dh([("q1", 0, "mx1", 0), ("q2", 0, "l2", 0)], name="odd").with_gravity(0, "-g", 0)
    with pytest.raises(InputError, match="uses 'mx1' for something else than the standard parameter"):
        api.base_parameters(robot)


def test_a_wrong_combination_is_not_proved() -> None:
    from manipula.parameters import base

    robot = mp.load("planar2r")
    found = base_parameters_of(robot)
    graph, flat = found.matrix.graph, list(found.matrix.outputs[0].exprs)
    k = next(i for i, x in enumerate(flat) if x.value)
    flat[k] = flat[k] + graph.one
    spoiled = found.matrix.with_roots(flat)
    with pytest.raises(ProofError, match="lose torque"):
        base._prove_grouping(ArmStructure(robot), spoiled)


def test_robot_lists_names_and_values() -> None:
    values = mp.load("planar2r").base_parameters
    assert list(values) == ["Lzz1_R", "mx1_R", "my1", "Lzz2_R", "mx2_R", "my2"]
    assert values["mx1_R"] is None and values["my1"] == 0.0
    numeric = mp.load("pucrio").base_parameters
    assert all(isinstance(value, float) for value in numeric.values())


def test_elimination_keeps_the_first_and_names_the_rest() -> None:
    kept, rest = dependencies([[1, 2, 0, 3], [0, 0, 1, 4], [1, 2, 1, 7]])
    assert kept == [0, 2] and rest == {1: {0: 2}, 3: {0: 3, 2: 4}}
    rows, pivots = reduced_rows([[2, 0], [0, P + 3]])
    assert rows == [[1, 0], [0, 1]] and pivots == [0, 1]


def test_rational_angles_are_on_the_circle() -> None:
    from random import Random

    rng = Random(3)
    x, y = rational_angle(rng), rational_angle(rng)
    both = x + y
    assert both.cos**2 + both.sin**2 == 1 and isinstance(both.cos, Fraction)
    assert x + (-x) + 0 == replace(x, cos=Fraction(1), sin=Fraction(0), amount=Fraction(0))


def test_ranking_is_the_same_every_time() -> None:
    robot = mp.load("rx90")
    assert ArmStructure(robot).column_ranking == ArmStructure(robot, "auto").column_ranking
    assert [slot.name for slot in candidate_slots(ArmStructure(robot).in_field("x"))][:2] == ["Kxx1", "Kxy1"]
    assert isinstance(ArmStructure(robot).in_field("x").maths, FieldMaths)


def test_a_wrong_count_class_or_column_is_a_disagreement() -> None:
    robot = mp.load("planar2r")
    found = base_parameters_of(robot)
    right = base_agreement(robot, found)
    assert right.passed and right.exact == len(found) == 6 and "they agree (columns equal, classes equal" in str(right)
    assert right.as_dict()["passed"] is True and f"gap of {right.gap:.0f} decades" in str(right)
    fewer = base_agreement(robot, replace(found, names=found.names[1:]))
    assert not fewer.passed and str(fewer).startswith(
        "exact 5, QR 6, singular values 6, superposition 6: they DISAGREE"
    )
    other = base_agreement(robot, replace(found, classes=found.classes | {"my1": "in combinations"}))
    assert not other.passed and other.same_columns and "columns equal, classes differ" in str(other)
    for spoiled in ("by_qr", "by_singular_values", "by_superposition", "exact"):
        assert not replace(right, **{spoiled: 7}).passed
    assert not replace(right, same_columns=False).passed and "columns differ" in str(replace(right, same_columns=False))


@pytest.mark.turn
def test_base_parameters_print_their_count_and_proof() -> None:
    planar = mp.load("planar2r")
    for robot in (planar, planar.with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81), mp.load("scara")):
        found, name = base_parameters_of(robot), robot.name
        count = f"{len(found.names)} base parameters of {name}, out of {len(found.classes)} standard ones"
        assert repr(found) == f"<{count}: {', '.join(found.names[:6])}{', …' if len(found) > 6 else ''}>"
        assert count in found._repr_html_() and -60 < found.error_exponent < -15
        assert found.proof == (
            "independent for certain; torques kept at 2 random points of GF(2^61-1), "
            f"chance of error below 1e{found.error_exponent}"
        )
        values = {left: value for left, value, _ in found.rows()}
        for left, value in found.by_name.items():
            assert values[left] == ("" if value is None else f"{value:.6g}")
        listed = dict(line.split(": ") for line in str(found).splitlines()[-4:-1])
        assert {kind: "" if text == "none" else text for kind, text in listed.items()} == {
            kind: ", ".join(x for x, each in found.classes.items() if each == kind) for kind in listed
        }
        assert list(listed) == ["not identifiable", "alone", "in combinations"]


# the command


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "mx1_R          l1*(m1 + m2) + mx1"),
        (["--classes"], "alone (2, each separately): my1, my2"),
        (["--latex"], r"L_{zz1R} &="),
        (["--json"], '"count": 6'),
        (["--check"], "they agree"),
    ],
)
def test_the_command_tells(options: list[str], expected: str) -> None:
    done = CliRunner().invoke(app, ["base-parameters", "planar2r", *options])
    assert done.exit_code == 0 and expected in done.output


def test_the_command_refuses_two_forms_at_once() -> None:
    assert CliRunner().invoke(app, ["base-parameters", "planar2r", "--latex", "--json"]).exit_code == 2


@pytest.mark.parametrize("axis", [(0, 1, 1), (1, 0, -1), (1, 2, 2)])
def test_no_dust_of_rounding_is_printed(axis: tuple[int, int, int]) -> None:
    """cos² + sin² − 1 of a slanted axis is nothing, not 2e-16 of an inertia."""
    rows = [("shoulder", 0.3, (0, 0, 1)), ("elbow", 0.4, axis), ("wrist", 0.2, (0, 0, 1))]
    joints = "".join(
        f'[[joint]]\nname = "{name}"\ntype = "revolute"\nxyz = [0, 0, {z}]\nrpy = [-90, 17, 0]\naxis = {list(along)}\n'
        for name, z, along in rows
    )
    robot = mp.Robot.from_text(f'format = 1\nname = "slanted"\nconvention = "urdf"\nangle = "deg"\n{joints}', "toml")
    numbers = re.findall(r"\d+\.\d+", " ".join(right for _, right in base_parameters_of(robot).equations("text")))
    assert numbers and min(map(float, numbers)) > 1e-6
