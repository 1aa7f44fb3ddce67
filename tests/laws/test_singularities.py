"""Singular configurations: the factors are the determinant, the arm loses rank on each and nowhere else."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.simplify import prove_trees
from manipula.algebra.simplify.half_angles import trigonometric_factors
from manipula.algebra.simplify.tree import evaluate_tree, power_of, product_of
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.singular_factors import variables
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.spatial.floats import FLOATS

R = mp.Robot.from_dh


@pytest.mark.parametrize("seed", range(20))
def test_products_come_apart(seed: int) -> None:
    """A product of drawn trigonometric sums has at least as many factors, and is their product, by proof."""
    rng, graph = random.Random(seed), Graph()
    maths = ExprMaths(graph)
    q = [graph.symbol(f"q{i}", online=True) for i in (1, 2, 3)]
    a, b = graph.symbol("a"), graph.symbol("b")
    angles = [q[0], q[1], q[1] + q[2], q[0] - q[1]]
    parts: list[Expr] = [
        rng.choice((maths.sin, maths.cos))(rng.choice(angles)),
        a * maths.cos(rng.choice(angles)) + b * maths.sin(rng.choice(angles)) + rng.choice((0, 1, a)),
        rng.choice((q[0], a + q[2], 1 + maths.cos(q[1]), maths.sin(q[2]))),
    ]
    whole = parts[0] * parts[1] * parts[2]
    factors = trigonometric_factors(whole)
    ports = (Input("q", tuple(q)), Input("p", (a, b), role="parameter"))
    function = Function("whole", graph, ports, (Output("whole", (), (whole,)),))
    prove_trees(function, {"whole": [product_of(power_of(tree, times) for tree, times in factors)]})
    moving = [times for tree, times in factors if variables(tree)]
    assert sum(moving) >= 2


TEXTS = {
    "planar2r": ("l1*l2*s2", ["s2 = 0: q2 = 0 or pi"]),
    "stanford3": ("-s2*q3^2", ["q3 = 0", "s2 = 0: q2 = 0 or pi"]),
    "scara": ("a1*a2*s2", ["J: the tool's x, y, z, angle about z", "s2 = 0: q2 = 0 or pi"]),
}


@pytest.mark.parametrize("name", TEXTS)
def test_small_arms_of_the_library(name: str) -> None:
    found = mp.singularities(name)
    said = found.as_dict()
    assert said["determinants"] == {"det J": TEXTS[name][0]}
    assert all(line in str(found) for line in TEXTS[name][1])


def test_the_elbow_arm_is_the_books() -> None:
    """Siciliano et al. (2009), section 3.3.3: det J_P = −a2 a3 s3 (a2 c2 + a3 c23)."""
    found = mp.singularities(R([(0, 0, 0, "pi/2"), (0, 0, "a2", 0), (0, 0, "a3", 0)], name="elbow"))
    assert found.as_dict()["determinants"] == {"det J": "-a2*a3*s3*(a2*c2 + a3*c23)"}
    assert {case["equation"] for case in found.as_dict()["singularities"]} == {"s3 = 0", "a2*c2 + a3*c23 = 0"}


def test_a_shift_is_solved_without_a_denominator_of_one() -> None:
    rows = [(0, 0, 0, "pi/2"), (0, 0, 0.2, "pi/2"), (0, "z3", 0, 0, "P")]
    found = mp.singularities(R(rows, name="rrp"), symbolic="auto")
    assert found.as_dict()["singularities"][0]["solution"] == "q3 = -z3"
    numbers = mp.singularities(R([*rows[:2], (0, 0.3, 0, 0, "P")], name="rrp"), symbolic="auto")
    assert numbers.as_dict()["singularities"][0]["solution"] == "q3 = -0.3"


def test_a_spherical_wrist_comes_apart() -> None:
    found = mp.singularities("puma560")
    said = {case["name"]: case["equation"] for case in found.as_dict()["singularities"]}
    assert said == {
        "elbow": "a3*s3 + d4*c3 = 0", "shoulder": "a2*c2 + a3*c23 - d4*s23 = 0", "wrist": "s5 = 0"
    }  # fmt: skip
    assert r"\det J_{11} &=" in found.latex() and r"\text{ or }" in found.latex()
    arm, values = mp.Arm("puma560"), mp.load("puma560").parameters
    q = np.array([0.3, -0.4, float(np.arctan2(-values["d4"], values["a3"])), 0.2, 0.9, 0.1])  # type: ignore[operator]
    assert np.linalg.svd(arm.jacobian(q), compute_uv=False)[-1] < 1e-12
    assert np.linalg.svd(arm.jacobian(q + 0.1), compute_uv=False)[-1] > 1e-3


KINDS = ["".join(kinds) for n in (1, 2, 3) for kinds in itertools.product("RP", repeat=n)]


@pytest.mark.drawn("kinds", few=6)
@pytest.mark.parametrize("kinds", [*KINDS, "RRPR", "PRRR", "RPRR", "RRPP"])
def test_rank_is_lost_where_a_factor_is_zero_and_nowhere_else(kinds: str) -> None:
    """Drawn arms of every kind: at the zeros of each factor along each joint, and at any other configuration. Those of
    four joints are relatives of the SCARA: all axes parallel, some upside down."""
    rng = random.Random(kinds)
    cells = (0, "pi/2", "-pi/2", 0) if len(kinds) < 4 else (0, "pi")
    rows = [(0, rng.choice((0, 0.3)), rng.choice((0, 0.4, 0.7)), rng.choice(cells), kind) for kind in kinds]
    robot = R(rows, name=kinds).with_tool([0.2, 0.1, 0])
    try:
        found = mp.singularities(robot)
    except mp.InputError as error:
        assert "singular in every configuration" in str(error)
        J = [
            np.array(jacobian(numeric_chain(robot), list(draw)), dtype=float)
            for draw in np.random.default_rng(1).uniform(-2, 2, (4, robot.dof))
        ]
        assert all(np.linalg.svd(x, compute_uv=False)[-1] < 1e-9 for x in J)
        return
    assert not re.search(r"/1(?![\d.])", str(found)), "a number below a letter is a factor"
    draw = np.random.default_rng(1)
    values = {name: value for name, value in robot.parameters.items() if value is not None}
    for _ in range(20):
        q = draw.uniform(-2, 2, robot.dof)
        here = {**values, **{f"q{i + 1}": x for i, x in enumerate(q)}}
        sizes = [evaluate_tree(tree, here, FLOATS) for tree in found.determinants]
        J = tool_rows(robot, q, found.pieces[0].says)
        wanted = np.prod(np.linalg.svd(J, compute_uv=False)) ** (2 if found.pieces[0].name == "JᵀJ" else 1)
        np.testing.assert_allclose(abs(np.prod(sizes)), wanted, rtol=1e-9, atol=1e-12)


def tool_rows(robot: mp.Robot, q: Any, says: str = "the tool's x, y, z") -> Any:
    """Of the tool's position, of its orientation, or of all its ways, on any axes."""
    J = np.array(jacobian(numeric_chain(robot), list(q)), dtype=float)
    if "angle" not in says:
        return J[:3]
    return J if re.search(r"\b[xyz]\b", says.split("angle", maxsplit=1)[0]) else J[3:]


@pytest.mark.parametrize(
    "robot, said",
    [
        (R([(0, 0, 1, 0)] * 4, name="snake"), "this one has 4"),
        ("ur5e", "this one has 6, and they do not"),
        ("panda", "this one has 7"),
        (
            R([(0, 0, 1, 0), (0, 0, 0, 0, "P"), (0, 0, 0, 0, "P")], name="twice"),
            "twice: singular in every configuration: its 3 joints never move the tool in 3 independent ways",
        ),
    ],
)
def test_others_are_refused_with_a_sentence(robot: Any, said: str) -> None:
    with pytest.raises(mp.InputError) as told:
        mp.singularities(robot)
    assert said in str(told.value)


def test_a_wrist_alone_is_judged_by_its_orientation_and_an_arm_with_an_idle_roll_by_all_it_moves() -> None:
    """Three axes through one point move no position: a class asks for det J = −sin θ2 of them."""
    wrist = mp.singularities(R([(0, 0, 0, "-pi/2"), (0, 0, 0, "pi/2"), (0, 0, 0, 0)], name="wrist"))
    assert "det J = -s2" in str(wrist) and "q2 = 0 or pi" in str(wrist), str(wrist)
    roll = mp.singularities(R([("theta1", 0, "a1", 0), ("theta2", 0, "a2", "pi/2"), ("theta3", "d3", 0, 0)]))
    assert roll.pieces[0].says.count("angle") == 3 and roll.pieces[0].name == "JᵀJ", str(roll)


@pytest.mark.drawn("seed", few=2)
@pytest.mark.parametrize("seed", range(12))
def test_factors_have_whole_coefficients(seed: int) -> None:
    """No quarter is left inside a bracket while a 4 stands in front: two skew axes, drawn."""
    rng = random.Random(seed)
    cells = [rng.choice((0, 0.5, "d1")), rng.choice(("a1", "l", 1)), rng.choice(("alpha1", "pi/2", "alpha1/2"))]
    found = mp.singularities(R([("theta1", *cells), ("theta2", "e", "b", 0)]))
    said = str(found).split("with")[0].replace("0.5*alpha1", "alpha")  # an angle of the table, half as the table has it
    assert not re.search(r"\d\.\d|/\d", said), str(found)
