"""Loops that formulas close: they are those that Newton's method finds, on the same branch, in models and emitted."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, UnknownNameError
from manipula.generation.closed_positions import closes_exactly, plan_positions
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.models.closure.closed_forms import close_in_formulas
from manipula.mechanics.models.closure.position import mechanism_of
from tests.emitted import array, called, needs_cc, shared
from tests.laws.test_loops import file_text
from tests.linkages import PLANAR, Linkage, delta, five_bar, four_bar, palletiser, stewart, three_cranks

Array = Any
LEG = ("a0", "b0", "leg0", "p0", "p1", "p2")  # of a Stewart platform: a leg that carries the platform


def cylinder(seed: int = 0) -> mp.Robot:
    """A boom lifted by a cylinder between two pins; its motor is the cylinder's slide."""
    x = Linkage("boom", seed)
    O, A, B = x.point(0, 0), x.point(0.4, -0.2), x.point(0.5, 0.3)
    x.joint("boom", "base", O)
    x.joint("barrel", "base", A)
    along = [round(B[0] - A[0], 12), round(B[1] - A[1], 12), 0.0]
    x.joint("rod", "barrel", A, "prismatic", axis=along, motor=True)
    x.loop("pin", "boom", "rod", B)
    return x.robot()


def leg(seed: int = 0) -> mp.Robot:
    """A plate on a universal joint that has motors, held by a leg: universal joint, slide, ball."""
    x = Linkage("leg", seed)
    O, A, B = x.point(0, 0), x.point(0.5, 0.1), x.point(0.4, 0.6)
    x.joint("pan", "base", O, axis=(1, 0, 0), motor=True, mass=False)
    x.joint("tilt", "pan", O, axis=(0, 1, 0), motor=True)
    x.joint("a", "base", A, axis=(1, 0, 0), mass=False)
    x.joint("b", "a", A, axis=(0, 1, 0))
    x.joint("slide", "b", A, "prismatic", axis=[round(v - u, 12) for u, v in zip(A, B)])
    # either frame may be the first
    x.loop("ball", *(("tilt", "slide") if seed % 2 else ("slide", "tilt")), B, "ball")
    return x.robot()


def turned_over(seed: int = 0) -> mp.Robot:
    """A four-bar whose rocker's frame stands upside down, and a slider whose axis points back."""
    x = Linkage("over", seed)
    O, A, B, C, D = (x.point(*p) for p in ((0, 0), (0.05, 0.2), (0.45, 0.35), (0.4, 0), (0.4, 0.1)))
    x.joint("crank", "base", O, motor=True)
    x.joint("coupler", "crank", A, axis=(0, 0, -1))
    x.joint("rocker", "coupler", B)
    x.parts[-1] += "rpy=[3.141592653589793, 0, 0]\n"
    x.at["rocker"] = (0.0, 0.0, 0.0)  # what stands on it is given in its own frame
    x.parts.append(f'[[frame]]\nname="foot"\non="base"\nxyz={list(C)}\n')
    x.parts.append(
        f'[[frame]]\nname="end"\non="rocker"\nxyz={[round(x, 12) for x in (C[0] - B[0], B[1] - C[1], B[2] - C[2])]}\n'
    )
    x.parts.append('[[loop]]\nname="pin"\njoins=["foot", "end"]\nfree="ball"\n')
    x.joint("rod", "crank", A, axis=(0, 0, -1))
    x.joint("slider", "base", D, "prismatic", axis=(-1, 0, 0))
    x.loop("tip", "rod", "slider", D)
    return x.robot()


MADE = {**PLANAR, "turned over": turned_over, "palletiser": palletiser, "cylinder": cylinder, "leg": leg}


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("name", MADE)
def test_formulas_give_what_newton_finds(name: str, seed: int) -> None:
    robot = MADE[name](seed)
    forms, tree = mp.closed_forms(robot), mechanism_of(robot)[0].tree
    rng, seen = np.random.default_rng(seed), 0
    for _ in range(3):
        at = robot.close(rng.uniform(-0.2, 0.2, len(robot.motors)), near=np.zeros(robot.dof))
        if at.ok:
            found = close_in_formulas(tree, forms, {c: float(at.q[c]) for c in robot.motor_coordinates}).q
            assert np.abs(np.array(found, dtype=float) - at.q).max() < 1e-10
            seen += 1
    assert seen


@pytest.mark.slow
def test_legs_of_a_platform_follow_from_where_it_is() -> None:
    robot = stewart(1)
    forms, linkage = mp.closed_forms(robot, LEG), mechanism_of(robot)[0]
    assert [(x.word, x.proved) for x in forms] == [("UPS", True)] * 5
    given = [robot.joint_names.index(name) for name in LEG]
    for q in linkage.closed_positions([np.zeros(robot.dof)], near=0.1):
        found = close_in_formulas(linkage.tree, forms, {c: float(q[c]) for c in given}).q
        assert linkage.gap(found) < 1e-10


def test_words_and_proofs_of_the_formulas() -> None:
    words = {name: [(x.word, x.proved) for x in mp.closed_forms(MADE[name](1))] for name in MADE}
    # a pin that is redundant closes only where the others do
    assert words == {
        "four-bar": [("RRR", True)], "five-bar": [("RRR", True)], "slider-crank": [("RP", True)],
        "slide": [("RR", True)], "six-bar": [("RRR", True)] * 2, "three cranks": [("RRR", True), ("R", False)],
        "four-bar ball": [("RRR", True)], "palletiser": [("RRR", True)], "cylinder": [("RRR", True)],
        "leg": [("UPS", True)], "turned over": [("RRR", True), ("RP", True)],
    }  # fmt: skip


def test_a_wrong_formula_is_not_proved() -> None:
    robot = four_bar(1)
    (form,) = mp.closed_forms(robot)
    asked = prepare(Request(robot, "gravity"))
    assert closes_exactly(asked, form)
    assert closes_exactly(asked, replace(form, signs=(-form.signs[0],)))  # the other assembly closes, too
    assert not closes_exactly(asked, replace(form, joints=form.joints[::-1], coordinates=form.coordinates[::-1]))


@pytest.mark.drawn("name", "model")
@pytest.mark.parametrize(
    ("name", "model"),
    [("four-bar", "inverse_dynamics"), ("six-bar", "gravity"), ("cylinder", "base_regressor"), ("leg", "gravity")],
)
def test_a_model_from_motors_is_the_model_at_the_closed_position(name: str, model: str) -> None:
    robot = MADE[name](2).without("friction")
    made = mp.generate(robot, model, positions="motors", optimise="none")
    whole, own = mp.generate(robot, model, optimise="none").compile(), made.compile()
    n = len(robot.motors)
    at = robot.close([0.1] * n, near=np.zeros(robot.dof))
    rest = np.random.default_rng(1).normal(size=(len(whole.inputs) - 1, n))
    found, wanted = own(at.q[list(robot.motor_coordinates)], *rest), whole(at.q, *rest)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for one, other in zip(found, wanted, strict=False):
        assert np.allclose(one, other, rtol=1e-10, atol=1e-10)
    assert found.closes == 1
    assert made.columns == mp.generate(robot, model, optimise="none").columns


def test_where_the_loops_do_not_close_a_status_says_so() -> None:
    robot = cylinder(1)
    found = mp.generate(robot, "gravity", positions="motors", optimise="none").compile()([3.0])
    assert found.closes == 0 and np.isnan(found.g).all()


def test_a_pose_names_the_branch() -> None:
    robot = five_bar(1)
    (form,) = mp.closed_forms(robot)
    tree, motors = mechanism_of(robot)[0].tree, dict.fromkeys(robot.motor_coordinates, 0.0)
    other = close_in_formulas(tree, [replace(form, signs=(-form.signs[0],), quarters=(0, 0))], motors).q
    robot = robot.with_poses(closed=[0.0] * 4, crossed=list(map(float, other)))
    assert mp.closed_forms(robot, near="crossed")[0].branch != form.branch == mp.closed_forms(robot)[0].branch
    made = mp.generate(robot, "pose", frame="tip_a", positions="motors", near="crossed", optimise="none")
    at = robot.close([0.0, 0.0], near="crossed")
    whole = mp.generate(robot, "pose", frame="tip_a", optimise="none").compile()
    assert np.allclose(made.compile()([0.0, 0.0]).T, whole(at.q))


def test_a_length_may_be_a_letter() -> None:
    robot = four_bar(1)
    text = file_text(robot)
    (length,) = re.findall(r'name = "pin_b"\non = "rocker"\nxyz = \[(-?[\d.]+),', text)
    named = mp.Robot.from_text(text.replace(f'on = "rocker"\nxyz = [{length}', 'on = "rocker"\nxyz = ["l"')
                               + f"[values]\nl = {length}\n")  # fmt: skip
    asked = prepare(Request(named, "gravity", symbolic=("l",)))
    # rounded to a number or a letter of any value, the formula closes the loop
    assert all(form.proved for form in plan_positions(asked, named.motor_coordinates).forms)
    made = mp.generate(named, "gravity", positions="motors", symbolic=("l",), optimise="none")
    assert made.inputs["p"] == ("l",)
    one = mp.generate(robot, "gravity", positions="motors", optimise="none").compile()([0.1])
    assert np.allclose(made.compile()([0.1], [float(length)]).g, one.g, rtol=1e-12)


@needs_cc
def test_emitted_code_takes_the_motors_alone(tmp_path: Path) -> None:
    robot = four_bar(3)
    made = mp.generate(robot, "gravity", positions="motors", optimise="none")
    assert made.inputs["q"] == ("q1",)
    made.emit("c", tmp_path)
    library = shared(tmp_path / f"{made.name}.c")
    found = called(library, made.name, [array([0.2])], made.tape.outputs)
    at = robot.close([0.2], near=np.zeros(3))
    wanted = mp.generate(robot, "gravity", optimise="none").compile()(at.q)
    assert np.allclose(found["g"], wanted.g, rtol=1e-12) and found["closes"] == [1.0]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: mp.generate(delta(0), "gravity", positions="motors"), "no formula gives the positions of e0, s0"),
        (lambda: mp.generate("puma560", "gravity", positions=["joint1"]), "is for robots with loops"),
        (lambda: mp.generate(four_bar(0), "gravity", near="closed"), "it goes with positions="),
        (lambda: mp.generate(four_bar(0), ["gravity", "pose"], positions="motors"), "is for one model"),
        (lambda: mp.generate(four_bar(0), "gravity", positions="motors", method="newton-euler"), "the method 'best'"),
        (lambda: mp.closed_forms(five_bar(0), "left"), "name more joints in positions="),
    ],
)
def test_what_cannot_be_is_one_sentence(ask: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ask()


def test_odd_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="motor"):
        mp.generate(four_bar(0), "gravity", positions="motor")
    with pytest.raises(UnknownNameError, match="nowhere"):
        mp.closed_forms(four_bar(0), near="nowhere")


def test_robots_whose_joints_all_have_motors_are_as_they_were() -> None:
    robot = three_cranks(0, exact=False)  # parallelograms: one coordinate
    assert mp.closed_forms(robot) == ()
    made = mp.generate(robot, "gravity", positions="motors", optimise="none")
    assert made.inputs == mp.generate(robot, "gravity", optimise="none").inputs
