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
from manipula.parameters.significance import Motions
from tests.random_robots import random_robot, random_state
from tests.recordings import torques

KINDS = ("R", "P", "RR", "RP", "PR", "PP", "RRR", "RPR", "PRR", "PPR", "RRP", "RPP", "RFRP", "PRPR", "RRPRR")
DRAWN = [
    *[(seed, kinds, "modified") for seed, kinds in enumerate(KINDS)],
    *[(seed + 50, kinds, "standard") for seed, kinds in enumerate(("RRR", "RPR", "PRR", "RRPR", "PPRR"))],
    *[(seed + 90, kinds, "urdf") for seed, kinds in enumerate(("RRR", "PRPR"))],
]
ARMS = [pytest.param(*drawn, marks=[pytest.mark.slow] if len(drawn[1]) > 3 else []) for drawn in DRAWN]


def arm(seed: int, kinds: str, convention: str) -> RobotDescription:
    return random_robot(seed, joints=kinds, convention=convention)  # type: ignore[arg-type]


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
    assert ArmStructure(robot).ranking == ArmStructure(robot, "auto").ranking
    assert [slot.name for slot in candidate_slots(ArmStructure(robot).in_field("x"))][:2] == ["Kxx1", "Kxy1"]
    assert isinstance(ArmStructure(robot).in_field("x").maths, FieldMaths)


# significance: approximate, and says so


def puma_motions() -> Motions:
    return Motions.of(mp.load("puma560"), velocity=1.0, acceleration=2.0, samples=256)


def test_significance_keeps_to_its_tolerance_and_saves() -> None:
    report = api.significance("puma560", puma_motions(), 0.01)
    assert "APPROXIMATE" in str(report) and report.as_dict()["approximate"] is True
    assert report.dropped and report.operations_left < report.operations
    assert max(report.errors.relative_largest) < 0.02  # measured on samples that did not choose
    assert not set(report.dropped) & set(report.kept) and not set(report.zero) & set(report.weights)


def test_the_approximate_model_errs_by_what_the_report_says() -> None:
    robot, motions = mp.load("puma560"), puma_motions()
    report = api.significance(robot, motions, 0.02)
    short = mp.Model(report.function).compile()
    values = dict(report.function.provenance.values)
    numbers = np.array([float(values[name]) for name in mp.Model(report.function).inputs["p"]])
    got = short(motions.q, motions.qd, motions.qdd, p=numbers)
    want = mp.generate(robot, "inverse_dynamics").compile()(motions.q, motions.qd, motions.qdd)
    lost = np.abs(got - want)[1::2].max(axis=0)
    np.testing.assert_allclose(lost, report.errors.largest, rtol=1e-6, atol=1e-9)


def test_every_number_of_the_report_from_other_models() -> None:
    """Shares of parameters by the compiled base regressor, of effects by Newton and Euler in their several motions,
    each in a joint's largest torque; errors by the torques that are missing."""
    arm = random_robot(13, joints="RPR")
    robot = mp.Robot.of(arm).with_friction({x: {"viscous": 0.3, "coulomb": 0.2} for x in arm.joint_names})
    motions = Motions.within([(-2, 2)] * arm.dof, velocity=2.0, acceleration=3.0, samples=128)
    report = api.significance(robot, motions, 0.1)
    given = motions.q, motions.qd, motions.qdd
    tau, bare, still = torques(robot, *given), robot.without("friction"), np.zeros_like(motions.q)
    peak = np.abs(tau).max(axis=0)
    parts = mp.Arm(robot, optimise="none").base_regressor(*given) * np.array(
        list(robot.base_parameters.values()), dtype=float
    )
    shares = dict(zip(robot.base_parameters, (np.abs(parts).max(axis=0) / peak[:, None]).max(axis=0)))
    assert report.weights == pytest.approx({x: shares[x] for x in report.weights}, rel=1e-9)
    effects = {
        "gravity": torques(bare, motions.q, still, still),
        "inertia": torques(bare.without("gravity"), motions.q, still, motions.qdd),
        "velocity": torques(bare.without("gravity"), motions.q, motions.qd, still),
        "friction": 0.3 * motions.qd + 0.2 * np.sign(motions.qd),
    }
    assert np.allclose(sum(effects.values()), tau)
    for effect, torque in effects.items():
        assert report.effects[effect] == pytest.approx(np.abs(torque).max(axis=0) / peak, rel=1e-9), effect
    gone = [list(robot.base_parameters).index(x) for x in report.dropped]
    lost, scale = parts[1::2][:, :, gone].sum(axis=2), np.abs(tau[1::2]).max(axis=0)
    assert gone and report.errors.largest == pytest.approx(np.abs(lost).max(axis=0))
    assert report.errors.relative_largest == pytest.approx(np.abs(lost).max(axis=0) / scale)
    assert report.errors.relative_rms == pytest.approx(np.sqrt((lost**2).mean(axis=0)) / scale)


def test_nothing_is_dropped_at_no_tolerance() -> None:
    report = api.significance("puma560", puma_motions(), 0.0)
    assert report.dropped == () and report.operations == report.operations_left


def test_significance_wants_numbers_and_fitting_motions() -> None:
    with pytest.raises(InputError, match="needs numbers"):
        api.significance("planar2r", Motions.within([(0, 1)] * 2, 1, 1, samples=8))
    with pytest.raises(InputError, match=r"q, qd, qdd of one shape"):
        api.significance("puma560", Motions.within([(0, 1)] * 2, 1, 1, samples=8))
    with pytest.raises(InputError, match="no limits"):
        Motions.of(mp.load("rp"), 1, 1)


# the command


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "mx1_R          l1*(m1 + m2) + mx1"),
        (["--classes"], "alone (2, each by itself): my1, my2"),
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
