"""Y·θ = τ by names alone: every column of a regressor is the parameter of that name, everywhere."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.evaluate import evaluate
from manipula.errors import InputError, UnknownNameError
from manipula.generation.build import build_function
from manipula.generation.prepare import Formulation, Request, prepare
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.linear.base_parameters import columns as candidate_columns
from manipula.mechanics.models.linear.regressor import BODY_NAMES, columns
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.values.parameter import number
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

WHERE_FIXED = (None, "FRFPRF", "RFFRP", "FFRRFF", "PFRF", "RF")


def shape(seed: int) -> str | None:
    return WHERE_FIXED[seed % len(WHERE_FIXED)]


def named_torques(robot: RobotDescription, model: str, theta: dict[str, Any], seed: int) -> tuple[Any, Any]:
    """(Y · θ picked by the columns' names, τ) at a random state, in floats."""
    q, qd, qdd, _ = random_state(robot, seed)
    chain = merge_fixed(bind(robot, FLOATS, {}))
    method = MODELS[model].methods["newton-euler"]
    names = columns(chain) if model == "regressor" else candidate_columns(chain)
    Y = method(chain, {"q": q, "qd": qd, "qdd": qdd})["Y"]
    found = np.array(Y, dtype=float) @ [theta[name] for name in names]
    return found, np.array(inverse_dynamics(chain, q, qd, qdd), dtype=float)


@pytest.mark.parametrize("seed", range(200))
def test_random_arms(seed: int) -> None:
    robot = mp.Robot.of(random_robot(seed, joints=shape(seed)))
    theta = robot.standard_parameters
    found, torque = named_torques(robot, "regressor", theta, seed)
    np.testing.assert_allclose(found, torque, rtol=1e-9, atol=1e-9)
    chain = merge_fixed(bind(robot, FLOATS, {}))
    assert list(theta) == columns(chain)
    cells = robot.parameters
    assert all(theta[name] == pytest.approx(cells[name]) for name in theta.keys() & cells.keys())


@pytest.mark.parametrize("method", ["newton-euler", "carried"])
@pytest.mark.parametrize("seed", range(2))
def test_compiled_regressors_of_arms_with_riders(seed: int, method: str) -> None:
    robot = mp.Robot.of(random_robot(100 + seed, joints=("RFR", "FRFPF")[seed % 2]))
    model = mp.generate(robot, "regressor", method=method, optimise="none")
    q, qd, qdd, _ = random_state(robot, seed)
    theta = [robot.standard_parameters[name] for name in model.columns]
    torque = mp.generate(robot, "inverse_dynamics", optimise="none").compile("numpy")(q, qd, qdd)
    np.testing.assert_allclose(model.compile("numpy")(q, qd, qdd) @ theta, torque, rtol=1e-9, atol=1e-9)
    energies = mp.generate(robot, "energy_regressor", optimise="none")
    assert energies.columns == model.columns
    kinetic, potential = energies.compile("numpy")(q, qd)
    true = mp.generate(robot, "energy", optimise="none").compile("numpy")(q, qd)
    assert kinetic @ theta == pytest.approx(true[0])
    still = merge_fixed(bind(robot, FLOATS, {})).ground  # what stands on the ground has an energy, but no column
    assert still.m or potential @ theta == pytest.approx(true[1])


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", mp.robots())
def test_library_robots(name: str) -> None:
    robot = mp.load(name)
    free = {x: number(round(random.Random(x).uniform(0.3, 1.3), 3)) for x, y in robot.parameters.items() if y is None}
    robot = replace(robot, values=(*robot.values, *free.items()))  # any numbers, not only those of bodies
    found, torque = named_torques(robot, "regressor", robot.standard_parameters, 1)
    np.testing.assert_allclose(found, torque, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_base_parameters_of_arms_with_fixed_rows(seed: int) -> None:
    """Y_base · β = τ, and β by its formulas, whose names are the columns'."""
    robot = mp.Robot.of(random_robot(seed, joints=("RFRF", "FRFP", "RFPR")[seed % 3]))
    base = mp.base_parameters(robot)
    model = mp.generate(robot, "base_regressor", optimise="none")
    assert model.columns == base.names
    q, qd, qdd, _ = random_state(robot, seed)
    torque = np.array(inverse_dynamics(merge_fixed(bind(robot, FLOATS, {})), q, qd, qdd), dtype=float)
    beta = [base.by_name[name] for name in model.columns]
    np.testing.assert_allclose(model.compile("numpy")(q, qd, qdd) @ beta, torque, rtol=1e-8, atol=1e-8)
    theta = robot.standard_parameters
    symbols = {name: theta[name] for port in base.formulas.inputs for name in port.names}
    formulas = base.formulas(symbols, FLOATS)
    np.testing.assert_allclose([formulas[name][0] for name in base.names], beta, rtol=1e-8, atol=1e-9)
    assert set(base.classes) <= set(theta)
    # a parameter that is told alone does not change when riders change
    assert not any(base.classes[f"m{i}"] == "alone" for i, ride in _riders(robot).items() if ride)


def _riders(robot: RobotDescription) -> dict[int, bool]:
    chain = merge_fixed(bind(robot, FLOATS, {}))
    return {i: len(link.parts) > 1 for i, link in enumerate(chain.links, 1)}


def test_a_parameter_said_alone_can_be_told_alone() -> None:
    """Of a link with a rider nothing is: the two only count together."""
    bare = random_robot(5, joints="RR", surroundings=False)
    loaded = mp.Robot.of(bare).with_payload(1.5, (0.1, 0.2, 0.3))
    alone, with_load = (mp.base_parameters(robot).of_class("alone") for robot in (mp.Robot.of(bare), loaded))
    assert "mx2" in alone and not [name for name in with_load if name.endswith(("2", "_payload")) and name[0] in "mL"]


@pytest.mark.parametrize("seed", range(40))
def test_there_and_back(seed: int) -> None:
    robot = mp.Robot.of(random_robot(seed, joints=shape(seed)))
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=len(robot.standard_parameters))
    theta[rng.random(len(theta)) < 0.2] = 0.0  # masses too, while their first moments stay
    other = robot.with_standard_parameters(theta)
    assert list(other.standard_parameters) == list(robot.standard_parameters)
    assert list(other.standard_parameters.values()) == list(theta)
    found, torque = named_torques(other, "regressor", dict(zip(other.standard_parameters, theta)), seed)
    np.testing.assert_allclose(found, torque, rtol=1e-8, atol=1e-8)
    back = other.with_standard_parameters(robot.standard_parameters)
    np.testing.assert_allclose(list(back.standard_parameters.values()), list(robot.standard_parameters.values()))


@pytest.mark.parametrize("seed", range(20))
def test_one_changed_by_name_leaves_the_others(seed: int) -> None:
    robot = mp.Robot.of(random_robot(seed, joints=shape(seed)))
    before = robot.standard_parameters
    name = random.Random(seed).choice(list(before))
    after = robot.with_standard_parameters({name: 0.625}).standard_parameters
    assert after.pop(name) == 0.625
    del before[name]
    assert after == pytest.approx(before)


def test_with_parameters_changes_what_the_column_says() -> None:
    robot = mp.Robot.of(random_robot(2, joints="FRFRF"))
    assert robot.with_parameters(m2=7).standard_parameters["m2"] == 7
    names = [name for name in robot.parameters if name.startswith("m_fixed")]
    for name in names:
        if name in robot.standard_parameters:
            changed = robot.with_parameters(**{name: 7})
            assert changed.standard_parameters[name] == 7 and changed.base_parameters != robot.base_parameters
    assert names


def test_names_and_lengths_that_do_not_fit_are_refused() -> None:
    robot = mp.load("puma560")
    with pytest.raises(UnknownNameError, match="did you mean 'Lxx1'"):
        robot.with_standard_parameters({"Lxx_1": 1})
    with pytest.raises(InputError, match="84 standard parameters"):
        robot.with_standard_parameters([1.0, 2.0])
    with pytest.raises(InputError, match="found 3"):
        robot.with_standard_parameters(3)
    with pytest.raises(InputError, match=r"shape \(84, 1\)"):
        robot.with_standard_parameters(np.zeros((84, 1)))
    with pytest.raises(InputError, match="finite"):
        robot.with_standard_parameters({"m1": float("nan")})
    assert len(robot.standard_parameters) == 84


def test_symbols_are_none_and_stay() -> None:
    robot = mp.load("planar2r")
    theta = robot.standard_parameters
    assert theta["m1"] is None and theta["Lxx1"] == 0
    same = robot.with_standard_parameters(theta)
    assert same.names() == robot.names() and same.standard_parameters == theta
    given = robot.with_standard_parameters({"m1": 2.5})
    assert given.standard_parameters["m1"] == 2.5 and given.standard_parameters["m2"] is None
    unknown = mp.Robot.from_dh([(0, 0, 1, 0), (0, 0, 1, 0)]).with_standard_parameters({"m1": 0, "mx1": 0.2})
    found = unknown.standard_parameters
    assert (found["m1"], found["mx1"], found["Lzz1"], found["m2"]) == (0, 0.2, None, None)
    assert "Lzz1" in unknown.names() and "rx2" in unknown.names() and "m1" not in unknown.names()


def test_a_value_of_the_file_is_replaced_and_forgotten() -> None:
    robot = mp.load("planar2r").with_parameters(m1=1, m2=2, l1=1, l2=1, g=9.81)
    other = robot.with_standard_parameters({"m1": 5})
    assert other.parameters["m1"] == 5 and "m1" not in dict(other.values)
    rows = [{"theta": 0, "d": 0, "a": 1, "alpha": 0, "mass": "m1"}] * 2
    shared = mp.Robot.from_dh([dict(row, name=f"j{i}") for i, row in enumerate(rows)])
    with pytest.raises(InputError, match="'m1' stands in other places"):
        shared.with_standard_parameters({"m1": 5})
    with pytest.raises(InputError, match="uses 'm2' for something else"):
        mp.generate(mp.Robot.from_dh([dict(rows[0], mass="m2"), dict(rows[0], mass=3 if False else "M")]), "regressor")


def test_columns_are_known_by_every_road() -> None:
    robot = mp.Robot.of(random_robot(4, joints="RF"))
    wanted = tuple(robot.standard_parameters)
    assert mp.generate(robot, "regressor").columns == wanted
    assert mp.Arm(robot).model("regressor").columns == wanted
    assert mp.generate(robot, "inverse_dynamics").columns == ()


def test_the_text_of_a_rider_is_short() -> None:
    """Its columns are the link's, moved: a payload on the tool costs a few operations an entry, not a recursion."""
    arm = mp.Robot.of(random_robot(12, joints="RRR", surroundings=False, convention="modified"))
    plain, loaded = (
        build_function(prepare(Request(robot, "regressor")), Formulation("carried")).cost.total
        for robot in (arm, arm.with_payload(1))
    )
    assert loaded - plain <= 3 * 10 * 6


def test_a_planted_wrong_column_is_noticed() -> None:
    robot = mp.Robot.of(random_robot(9, joints="RFR"))
    theta = dict(robot.standard_parameters)
    theta["m1"], theta["m2"] = theta["m2"], theta["m1"]
    found, torque = named_torques(robot, "regressor", theta, 9)
    assert not np.allclose(found, torque)


@pytest.mark.parametrize("seed", range(8))
def test_a_base_parameter_is_named_as_its_own_share_is_in_the_file(seed: int) -> None:
    """The name says which moment of its link's own body it holds, in the file's frame and with its sign; or nothing."""
    robot = mp.Robot.of(random_robot(seed, joints="RRP", surroundings=seed % 2 == 0))
    base = mp.base_parameters(robot)
    for row, name in enumerate(base.names):
        found = re.fullmatch(r"(L|K)(xx|xy|xz|yy|yz|zz)(\d)(_R)?|(m[xyz]?)(\d)(_R)?", name)
        if not found:
            assert re.fullmatch(r"B\d+|(Ia|fv|fc|fo)\d(_R)?", name)
            continue
        letters, link = (found[1] + found[2], found[3]) if found[1] else (found[5], found[6])
        width = base.matrix.outputs[0].shape[1]
        weights = dict(zip(base.classes, evaluate(base.matrix.roots[row * width : (row + 1) * width], {}, FLOATS)))
        family = [x for x in BODY_NAMES if (x[0] == "L") == bool(found[1]) and (x == "m") == (letters == "m")]
        own = {x: float(weights[f"{x}{link}"]) for x in family}
        assert own == pytest.approx({x: _weight(letters, x) for x in family}), name


def _weight(letters: str, standard: str) -> float:
    """Of a standard parameter in a moment: Kxx = ½(Lyy + Lzz − Lxx), Kxy = −Lxy"""
    if letters[0] != "K":
        return float(letters == standard)
    if letters[1] != letters[2]:
        return -float(letters[1:] == standard[1:])
    return 0.0 if standard[1] != standard[2] else -0.5 if standard[1:] == letters[1:] else 0.5
