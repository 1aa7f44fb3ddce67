"""Laws of inverse kinematics: every branch reaches its pose, the original is among them, none false, none lost."""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

import manipula as mp
from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.branch_selection import closed_over_arrays
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import distances, jacobian_of
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.plan import parameter_of
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.placement import Placement, shift_along, turn_about

EXACT = 1e-12
SIX = ("puma560", "pucrio", "ur5", "kr6", "irb120", "irb140", "stanford", "rx90", "lrmate200id", "ur10e")


@lru_cache
def solver_of(name: str) -> InverseSolver:
    robot = mp.load(name)
    pose, jacobian = (mp.generate(robot, model, optimise="none") for model in ("pose", "jacobian"))
    if "p" in pose.inputs:  # lengths without a value: any will do
        return InverseSolver(numeric_chain(robot))
    return InverseSolver(numeric_chain(robot), pose=pose.compile(), jacobian=jacobian.compile())


def sample(solver: InverseSolver, count: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, solver.chain.dof))


def assert_solves(solver: InverseSolver, count: int = 60) -> Any:
    """Random poses in one batch: every answer exact, the original among them. Returns the mean number of answers."""
    q = sample(solver, count)
    poses = solver.pose(q)
    found = solver(poses)
    residual = np.abs(solver.pose(found.q) - poses[:, None]).max((-1, -2))
    assert residual[found.valid].max() <= EXACT
    away = np.where(found.valid, distances(found.q, q[:, None], solver.turning), np.inf)
    assert away.min(1).max() < 1e-6
    return found.valid.sum(1).mean()


def place(angle: float, twist: float, a: float = 0.0, d: float = 0.0) -> Placement:
    """A gap between two axes: about z, along z, along x, about x."""
    turn = turn_about("z", math.cos(angle), math.sin(angle)) @ shift_along("z", d) @ shift_along("x", a)
    return turn @ turn_about("x", math.cos(twist), math.sin(twist))


def arm(kinds: str, gaps: list[Placement]) -> Tree:
    """A chain from the gaps before its joints, in an unremarkable base and tool."""
    names = {"R": "revolute", "P": "prismatic"}
    links = [Link(name=k, kind=KINDS[names[k]], before=gap) for k, gap in zip(kinds, gaps, strict=True)]
    return Tree(in_series(links), (0, 0, 0), FLOATS, place(0.3, 0.4, 0.1, 0.2), place(-0.7, 1.2, 0.05, 0.11))


def mirrored(chain: Tree) -> Tree:
    """The arm held by its tool: base and tool exchanged."""
    arm = frames_on_joints(chain)
    gaps = [arm.tool.inverse(), *(link.before.inverse() for link in reversed(arm.links[1:]))]
    links = [
        replace(link, before=gap, offset=-link.offset, direction=-link.direction)
        for gap, link in zip(gaps, reversed(arm.links), strict=True)
    ]
    return replace(arm, links=in_series(links), tool=arm.links[0].before.inverse(), base=arm.base.inverse())


# closed forms


@pytest.mark.drawn("name", few=3)
@pytest.mark.parametrize("name", SIX)
def test_every_branch_reaches_the_pose(name: str) -> None:
    solver = solver_of(name)
    assert solver.plan.has_closed_form
    assert assert_solves(solver) >= 4


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["pucrio", "ur5", "stanford", "kr6"])
def test_the_mirror_image_has_the_same_class(name: str) -> None:
    solver = InverseSolver(mirrored(solver_of(name).chain))
    assert solver.plan.structure == solver_of(name).plan.structure
    assert_solves(solver, 40)


def test_a_robot_in_the_other_convention_has_the_same_answers() -> None:
    modified = InverseSolver(numeric_chain(mp.convert(mp.load("pucrio"), "modified")))
    assert modified.plan.title == "spherical wrist"
    assert_solves(modified, 40)


BEND = math.pi / 2
POSITIONS = {
    "2∥3": ("RRR", [place(0, 0), place(0.2, 1.1, 0.1, 0.2), place(0.1, 0, 0.4, 0.1)]),
    "1∥2": ("RRR", [place(0, 0), place(0.2, 0, 0.4, 0.2), place(0.1, 0.8, 0.3, 0.1)]),
    "1×2": ("RRR", [place(0, 0), place(0.2, 1.1, 0, 0.3), place(0.1, 0.7, 0.4, 0.1)]),
    "2×3": ("RRR", [place(0, 0), place(0.2, 1.1, 0.3, 0.3), place(0.1, 0.7, 0, 0.1)]),
    "R×RP": ("RRP", [place(0, 0), place(0.2, 1.3, 0, 0.3), place(0.1, 0.9, 0.2, 0.1)]),
    "PR×R": ("PRR", [place(0, 0), place(0.2, 1.3, 0.3, 0.3), place(0.1, 0.9, 0, 0.1)]),
    "R∥RP": ("RRP", [place(0, 0), place(0.2, 0, 0.4, 0.3), place(0.1, 0.4, 0.2, 0.1)]),
    "PR∥R": ("PRR", [place(0, 0), place(0.2, 0.5, 0.4, 0.3), place(0.1, 0, 0.3, 0.1)]),
    "R∥PR": ("RPR", [place(0, 0), place(0.2, 0.6, 0.4, 0.3), place(0.0, -0.6, 0.3, 0.1)]),
    "RPP": ("RPP", [place(0, 0), place(0.2, 0.1, 0.1, 0.3), place(0.0, BEND, 0.1, 0.1)]),
    "PPR": ("PPR", [place(0, 0), place(0.2, 0.8, 0.1, 0.3), place(0.4, BEND, 0.1, 0.1)]),
    "P∥RP": ("PRP", [place(0, 0), place(0.2, 0, 0.1, 0.3), place(0.0, BEND, 0.1, 0.1)]),
    "PR∥P": ("PRP", [place(0, 0), place(0.2, 0.9, 0.1, 0.3), place(0.0, 0, 0.1, 0.1)]),
    "PPP": ("PPP", [place(0, 0), place(0.2, 1.0, 0.1, 0.3), place(0.5, 1.1, 0.1, 0.1)]),
}


@pytest.mark.parametrize("case", POSITIONS)
def test_every_way_to_place_a_spherical_wrist(case: str) -> None:
    kinds, gaps = POSITIONS[case]
    wrist = [place(0.3, 1.0, 0.25, 0.3), place(0.2, 1.4), place(-0.4, -0.9)]
    chain = arm(kinds + "RRR", gaps + wrist)
    solver = InverseSolver(chain)
    assert (solver.plan.structure, solver.plan.case) == ("spherical", case)
    assert_solves(solver, 40)
    assert_solves(InverseSolver(mirrored(chain)), 20)


def drawn_gap(dice: random.Random) -> Placement:
    """Axes that cross, are parallel, opposite, square or neither; links with and without a length and an offset."""
    angle, twist = dice.choice((0, 0.4, BEND)), dice.choice((0, BEND, -BEND, math.pi, 0.7))
    return place(angle, twist, dice.choice((0, 0.3)), dice.choice((0, 0.2)))


def beside_a_wrist(dice: random.Random, kinds: str, at: int) -> Tree:
    """Three joints with drawn gaps, and three whose axes meet after the first `at` of them."""
    gaps = [drawn_gap(dice) for _ in kinds]
    wrist = [drawn_gap(dice), place(0.2, 1.4), place(-0.4, -0.9)]
    return arm(kinds[:at] + "RRR" + kinds[at:], [*gaps[:at], *wrist, *gaps[at:]])


# (structure, case) → a seed of `drawn_chain`: the smallest such arm among the first 4,600, redundant ones left out
CLASSES = {
    ("meeting", "PR flat"): 3397, ("meeting", "PR leaning"): 1531, ("meeting", "R"): 740, ("meeting", "RP flat"): 1096,
    ("meeting", "RR"): 2626, ("meeting", "R∥R"): 4118,
    ("planar", ""): 36, ("pointing", ""): 885, ("runs", "elbow"): 94, ("runs", "elbow, leaning slide"): 2099,
    ("runs", "split"): 8, ("runs", "split, flat slide inside"): 1103, ("runs", "split, flat slide"): 133,
    ("runs", "split, leaning slide"): 35, ("runs", "split, slide along inside"): 687,
    ("runs", "split, two slides inside"): 126, ("runs", "split, two slides outside"): 175, ("runs", "two splits"): 132,
    ("runs", "whole"): 16, ("scara", ""): 101, ("spherical", "1×2"): 17, ("spherical", "1∥2"): 1077,
    ("spherical", "2×3"): 63, ("spherical", "2∥3"): 607, ("spherical", "PR×R"): 2123, ("spherical", "R×RP"): 2074,
    ("two axes", "not parallel"): 2, ("two axes", "parallel"): 55, ("with slides", ""): 14,
    ("with slides", "PRR flat"): 430, ("with slides", "PRR leaning"): 1, ("with slides", "RPR flat"): 524,
    ("with slides", "RPR leaning"): 18, ("with slides", "RRP flat"): 4, ("with slides", "RRP leaning"): 47,
}  # fmt: skip


def drawn_chain(seed: int) -> Tree:
    dice = random.Random(seed)
    kinds = "".join(dice.choice("RRP") for _ in range(dice.choice((2, 3, 3, 4, 4, 5))))
    return arm(kinds, [drawn_gap(dice) for _ in kinds])


@pytest.mark.parametrize("of", CLASSES, ids=" ".join)
def test_the_closed_form_of_each_class_has_the_configuration_among_its_branches(of: tuple[str, str]) -> None:
    """The formulas alone: a wrong one is not made good by the search that follows them."""
    chain = drawn_chain(CLASSES[of])
    plan = classify(chain)
    assert (plan.structure, plan.case) == of
    solver = InverseSolver(chain)
    for q in sample(solver, 6, 1):
        raw = closed_over_arrays(plan, chain)(solver.pose(q).reshape(1, 16))
        branches = raw.q[0][raw.valid[0] > 0]
        assert len(branches) and distances(branches, q, solver.turning).min() < 1e-7
        np.testing.assert_allclose(
            solver.pose(branches), np.broadcast_to(solver.pose(q), (len(branches), 4, 4)), atol=1e-9
        )


@pytest.mark.drawn("words")
@pytest.mark.parametrize("words", ["R", "RP", "RRP", "RPP", "P"])
def test_a_drawn_arm_is_solved_by_the_class_it_is_given(words: str) -> None:
    """Every answer reaches its pose and the configuration the pose was made from is among them, also where the arm can
    move with its tool at rest."""
    dice = random.Random(words)
    for draw in range(18):
        kinds = "".join(dice.choice(words) for _ in range((2, 3, 4, 5, 3, 3)[draw % 6]))
        bare = draw % 6 < 4
        chain = (
            arm(kinds, [drawn_gap(dice) for _ in kinds])
            if bare
            else beside_a_wrist(dice, kinds, dice.choice((0, 1, 2, 3)))
        )
        solver = InverseSolver(chain)
        if not solver.plan.has_closed_form:
            continue
        q = np.array([dice.uniform(-2, 2) for _ in range(chain.dof)])
        pose = solver.pose(q)
        found = solver(pose, seed=q)
        np.testing.assert_allclose(solver.pose(found.q), np.broadcast_to(pose, (len(found.q), 4, 4)), atol=EXACT)
        assert distances(found.q, q, solver.turning).min() < 1e-6, solver.explanation
        if np.linalg.matrix_rank(solver.jacobian(q), 1e-9) == chain.dof and not solver.plan.parameter:
            assert_solves(solver, 2)


@pytest.mark.parametrize("at", [0, 3], ids=["at the base", "at the tool"])
@pytest.mark.parametrize("kinds", ["RPP", "PPR", "PPP"])
def test_slides_beside_a_wrist_have_a_closed_form_where_they_place_it(kinds: str, at: int) -> None:
    """Two whose plane is not square to the axis that turns, or three in no plane: by their directions in the world."""
    dice, seen = random.Random(kinds), set()
    for _ in range(60):
        chain = beside_a_wrist(dice, kinds, at)
        J, first = jacobian_of(chain)(np.array([dice.uniform(-2, 2) for _ in range(6)])), 3 - at
        one, two, *more = (J[:3, first + k] for k, kind in enumerate(kinds) if kind == "P")
        square = np.cross(one, two)
        apart = square @ more[0] if more else np.cross(square, J[3:, first + kinds.index("R")])
        seen.add(bool(np.abs(apart).max() > 1e-9))
        assert classify(chain).has_closed_form == (np.abs(apart).max() > 1e-9)
    assert seen == {True, False}


def test_three_parallel_axes_at_the_base_and_at_the_tool() -> None:
    gaps = [place(0, 0), place(0.3, 0, 0.4, 0.1), place(0.1, math.pi, 0.3), place(0.2, 1.2, 0.2, 0.1)]
    chain = arm("RRRRRR", [*gaps, place(0.5, 1.3, 0, 0.2), place(0.1, -1.0, 0.1, 0.15)])
    for candidate in (chain, mirrored(chain)):
        solver = InverseSolver(candidate)
        assert solver.plan.structure == "three parallel"
        assert_solves(solver, 40)


def test_the_mean_number_of_branches_is_the_known_one() -> None:
    table = [shift_along("z", 0.4), place(0, BEND, 0.025), place(0, 0, 0.315), place(0, BEND, 0.035)]
    kr6_r700 = InverseSolver(arm("RRRRRR", [*table, place(0, -BEND, 0, 0.365), place(0, BEND)]))
    for solver, mean in ((solver_of("pucrio"), 6.61), (solver_of("ur5"), 7.11), (kr6_r700, 7.54)):
        poses = solver.pose(sample(solver, 1500, seed=3))
        assert abs(solver(poses).valid.sum(1).mean() - mean) < 0.12


def test_the_compiled_model_is_the_same_text() -> None:
    model = mp.generate("pucrio", "inverse_kinematics")
    assert model.outputs["q"] == (8, 6) and model.cost.trig == 0
    solver = solver_of("pucrio")
    T = solver.pose(sample(solver, 20)).reshape(-1, 16)
    one, other = model.compile()(T), solver.closed(T)  # type: ignore[misc]
    np.testing.assert_allclose(one.q, other.q, atol=1e-9)
    np.testing.assert_array_equal(one.valid, other.valid)


def test_nothing_of_a_nan_looks_valid() -> None:
    T = np.full((1, 16), np.nan)
    raw = solver_of("ur5").closed(T)  # type: ignore[misc]
    assert np.isnan(raw.valid).all() and np.isnan(raw.q).all()


# fewer joints, more joints


@pytest.mark.parametrize("name", ["planar2r", "scara", "cobra600", "stanford3"])
def test_small_arms(name: str) -> None:
    assert_solves(solver_of(name), 30)


def test_five_axes_are_solved_as_six() -> None:
    gaps = [place(0, 0), place(0.1, BEND, 0.05, 0.3), place(0, 0, 0.4), place(0, 1.1, 0.3), place(0.2, BEND, 0, 0.1)]
    solver = InverseSolver(arm("RRRRR", gaps))
    assert solver.plan.pad is not None
    assert_solves(solver, 30)


@pytest.mark.parametrize(
    "gaps",
    [
        [place(0, 0)],
        [place(0, 0), place(0.2, 0.8, 0.1, 0.2)],
        [place(0, 0), place(0.2, 0, 0.3, 0.2), place(0.1, 0, 0.2, 0)],
        [place(0, 0), place(0.2, 1.1), place(0.1, -0.8)],
        [place(0, 0), place(0.2, 1.1, 0.1, 0.2), place(0.1, 0, 0.3, 0)],
        [place(0, 0), place(0.2, 1.1, 0.1, 0.2), place(0.1, 0, 0.3, 0), place(0.1, 0.9, 0.2, 0)],
    ],
)
def test_one_to_four_axes(gaps: list[Placement]) -> None:
    solver = InverseSolver(arm("R" * len(gaps), gaps))
    assert solver.plan.has_closed_form, solver.explanation
    assert_solves(solver, 20)


UP, DOWN = place(0.3, BEND, 0.2, 0.1), place(0, -BEND, 0.1, 0.3)
LEAN, ALONG, BACK = place(0.4, 0.7, 0.1, 0.3), place(0.2, 0, 0.3, 0.1), place(0.3, math.pi, 0.2, 0.1)
SLIDES: list[tuple[str, list[Placement], str]] = [
    ("RP", [UP], ""), ("RP", [ALONG], ""), ("PR", [LEAN], ""), ("PP", [LEAN], ""),
    ("RRP", [LEAN, UP], ""), ("RRP", [ALONG, LEAN], "RRP leaning"), ("RRP", [BACK, UP], "RRP flat"),
    ("RPR", [LEAN, UP], ""), ("RPR", [ALONG, BACK], "RPR leaning"), ("RPR", [UP, DOWN], "RPR flat"),
    ("PRR", [LEAN, UP], ""), ("PRR", [LEAN, BACK], "PRR leaning"), ("PRR", [UP, ALONG], "PRR flat"),
    ("RPP", [LEAN, UP], ""), ("PRP", [ALONG, UP], ""), ("PPR", [UP, LEAN], ""), ("PPP", [LEAN, UP], ""),
]  # fmt: skip


@pytest.mark.parametrize(("kinds", "gaps", "case"), SLIDES)
def test_two_or_three_joints_with_slides(kinds: str, gaps: list[Placement], case: str) -> None:
    chain = arm(kinds, [place(0, 0), *gaps])
    solver = InverseSolver(chain)
    assert (solver.plan.structure, solver.plan.case) == ("with slides", case)
    assert_solves(solver, 20)
    held_by_its_tool = InverseSolver(mirrored(chain))
    assert held_by_its_tool.plan.structure == "with slides"
    assert_solves(held_by_its_tool, 20)


@pytest.mark.parametrize(("kinds", "gaps"), [("PP", [ALONG]), ("PRP", [ALONG, ALONG]), ("PPP", [ALONG, UP])])
def test_slides_that_repeat_each_other_are_solved_with_one_given(kinds: str, gaps: list[Placement]) -> None:
    solver = InverseSolver(arm(kinds, [place(0, 0), *gaps]))
    assert solver.plan.parameter and "can move with its tool at rest" in solver.explanation
    for q in sample(solver, 5):
        np.testing.assert_allclose(solver(solver.pose(q), seed=q).q[0], q, atol=1e-9)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["iiwa14", "panda", "lwr4", "xarm7"])
def test_seven_axes_return_the_configuration_whose_parameter_is_given(name: str) -> None:
    solver = solver_of(name)
    for q in sample(solver, 12):
        result = solver(solver.pose(q), parameter=solver.parameter_of(q))
        assert distances(result.q, q, solver.turning).min() < 1e-7
        assert result.residual[result.valid].max() <= EXACT
    assert len(solver(solver.pose(q)).all) == 16 * 8


def test_the_arm_angle_is_the_same_by_geometry_and_by_the_loop() -> None:
    """For an arm that is held by its tool too, whose joints count the other way; and where the elbow is stretched."""
    for chain in (solver_of("iiwa14").chain, mirrored(solver_of("iiwa14").chain)):
        solver = InverseSolver(chain)
        for q in [*sample(solver, 4), np.zeros(7), np.eye(7)[3]]:
            at = Placement(tuple(map(tuple, solver.pose(q)[:3, :3])), tuple(solver.pose(q)[:3, 3]))  # type: ignore[arg-type]
            away = solver.parameter_of(q) - parameter_of(solver.plan, chain, q.tolist(), at)
            assert abs(math.remainder(away, 2 * math.pi)) < 1e-9


@pytest.mark.turn
@pytest.mark.parametrize("name", ["gen3", pytest.param("sawyer", marks=pytest.mark.slow)])
def test_seven_axes_without_a_closed_form_are_solved_with_the_last_given(name: str) -> None:
    solver = solver_of(name)
    assert not solver.plan.has_closed_form and solver.plan.parameter == "joint 7"
    q = np.random.default_rng(1).uniform(-2, 2, 7)
    result = solver(solver.pose(q), parameter=q[6])
    assert (result.q[:, 6] == q[6]).all() and distances(result.q, q, solver.turning).min() < 1e-7
    assert np.abs(solver.pose(result.q) - result.pose).max() <= EXACT
    np.testing.assert_allclose(solver(solver.pose(q), seed=q).q[0], q, atol=1e-7)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["iiwa14", "panda"])
def test_many_poses_of_seven_axes(name: str) -> None:
    solver = solver_of(name)
    q = sample(solver, 3)
    poses = solver.pose(q)
    batch = solver(poses)
    assert batch.q.shape == (3, 16 * 8, 7) and batch.residual[batch.valid].max() <= EXACT
    for i, pose in enumerate(poses):
        np.testing.assert_allclose(batch.q[i][batch.valid[i]], solver(pose).q, atol=1e-9)
    assert solver(poses, parameter=[0.1, 0.2]).q.shape == (3, 2 * 8, 7)


# singular poses


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["pucrio", "kr6", "ur5", "puma560"])
@pytest.mark.parametrize("bend", [0.0, 1e-12, 1e-9, 1e-6])
def test_a_locked_wrist_loses_no_branch_and_names_its_family(name: str, bend: float) -> None:
    solver = solver_of(name)
    for q in sample(solver, 4, seed=7):
        q[4] = bend
        result = solver(solver.pose(q))
        assert result.residual[result.valid].max() <= EXACT
        texts = {f.text for f, valid in zip(result.families, result.valid) if f and valid}
        assert ("θ6 free, θ2, θ3 and θ4 follow" if name == "ur5" else "θ4 + θ6 = c") in texts
        regular = solver(solver.pose(q + 1e-3 * np.eye(6)[4]))
        assert len(result.q) in ((len(regular.q) - 1, len(regular.q) - 2) if bend == 0 else (len(regular.q),))
        if name != "ur5":
            assert distances(np.array(solver(solver.pose(q), seed=q).q[0]), q, solver.turning) < 1e-3


def test_the_seed_chooses_the_member_of_a_family() -> None:
    solver, q = solver_of("pucrio"), np.array([0.3, 0.4, -0.2, 1.1, 0.0, -0.6])
    np.testing.assert_allclose(solver(solver.pose(q), seed=q).q[0], q, atol=1e-9)


def test_a_stretched_elbow_is_a_double_root() -> None:
    solver = solver_of("pucrio")
    for q in sample(solver, 6, seed=2):
        q[2] = np.pi / 2
        result = solver(solver.pose(q))
        assert len(result.q) in (2, 6) and any("double root" in why for why in result.why)
        assert not any(result.families)
        assert distances(result.q, q, solver.turning).min() < 1e-6


def test_the_wrist_on_the_first_axis_frees_it() -> None:
    solver = solver_of("pucrio")
    q = np.array([0.4, 2.5, 0.0, 0.3, 0.8, -1.0])
    q[2] = math.asin(-(0.1 + 0.25 * math.cos(q[1])) / 0.16) - q[1]
    result = solver(solver.pose(q))
    assert {f.text for f in result.families if f} == {"θ1 free, θ4, θ5 and θ6 follow"}
    assert result.residual[result.valid].max() <= EXACT


# out of reach, limits, bad input


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["pucrio", "ur5"])
def test_out_of_reach_gives_the_least_squares_answer(name: str) -> None:
    solver = solver_of(name)
    T = solver.pose(np.full(6, 0.7))
    T[:3, 3] *= 3
    result = solver(T)
    assert not len(result.q) and all("out of reach" in why for why in result.why)

    def miss(q: Any) -> Any:
        return (solver.pose(q) - T)[:3].ravel()

    starts = sample(solver, 12, seed=5)
    best = min(np.sqrt(2 * least_squares(miss, start, xtol=1e-14, ftol=1e-14, gtol=1e-14).cost) for start in starts)
    assert abs(result.nearest.distance - best) < 1e-6
    assert "out of reach" in result.nearest.reason


def test_limits_reject_with_a_reason_and_choose_the_turn() -> None:
    chain = solver_of("ur5").chain
    solver = InverseSolver(chain, [(-2 * np.pi, 2 * np.pi)] * 5 + [(3.5, 9.0)])
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.5])
    result = solver(solver.pose(q), seed=q)
    assert (result.q[:, 5] >= 3.5).all() and (result.margin[result.valid] >= 0).all()
    assert np.abs(result.q - (q + 2 * np.pi * np.eye(6)[5])).max(1).min() < 1e-9
    tight = InverseSolver(chain, [(0.25, 0.35)] + [(-np.pi, np.pi)] * 5)(solver.pose(q))
    assert any("joint 1" in why and "outside its limits [14.3239°, 20.0535°] by" in why for why in tight.why)
    assert np.isclose(tight.q[:, 0], 0.3).all()


def test_a_pose_that_only_limits_forbid_names_them() -> None:
    chain, q = solver_of("ur5").chain, np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.5])
    solver = InverseSolver(chain, [(-0.1, 0.2)] + [(-np.pi, np.pi)] * 5)
    result = solver(solver.pose(q))
    assert not len(result.q)
    expected = (
        r"within reach, but joint 1 at 17.1887° is outside its limits \[-5.72958°, 11.4592°\] by 5.73°; .* mm away"
    )
    assert re.search(expected, result.nearest.reason)
    assert InverseSolver(chain)(solver.pose(q)).nearest.reason == "reached"


def test_slides_speak_in_millimetres() -> None:
    robot_chain = solver_of("stanford").chain
    limits = [(-np.inf, np.inf)] * 2 + [(0.2, 0.5)] + [(-np.inf, np.inf)] * 3
    solver = InverseSolver(robot_chain, limits)
    result = solver(solver.pose(np.array([0.3, 0.8, 0.512, 0.4, 0.9, 0.5])))
    assert "joint 3 at 0.512 m is outside its limits [0.2 m, 0.5 m] by 12 mm" in result.why


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", [*SIX, "panda", "xarm7", "iiwa14", "scara"])
def test_branches_have_names_of_their_own(name: str) -> None:
    plan = solver_of(name).plan
    assert len(set(plan.roles)) == len(plan.roles)


def test_limits_hold_for_the_nearest_pose_too() -> None:
    limits = [(-0.5, 0.5)] * 6
    solver = InverseSolver(solver_of("pucrio").chain, limits)
    found = solver.nearest(solver.pose(np.full(6, 1.0)))
    assert (np.abs(found.q) <= 0.5).all() and found.distance > 0.1


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda T: T[:3], r"expected an array of shape \(…, 4, 4\), found \(3, 4\)"),
        (lambda T: np.where(np.arange(16).reshape(4, 4) == 3, np.nan, T), "row 1, column 4 is nan"),
        (lambda T: T * 1.01, "last row"),
        (lambda T: np.vstack([T[:3] * 1.01, T[3:]]), "not a rotation: RᵀR differs from 1 by 0.0201"),
        (lambda T: T @ np.diag([1.0, 1.0, -1.0, 1.0]), "reflection"),
        (lambda T: [["a"] * 4] * 4, "numbers"),
    ],
)
def test_what_is_no_pose_is_refused_with_its_size(spoil: Any, words: str) -> None:
    solver = solver_of("ur5")
    with pytest.raises(InputError, match=words):
        solver(spoil(solver.pose(np.full(6, 0.5))))


def test_a_rotation_with_few_digits_is_made_exact() -> None:
    solver = solver_of("ur5")
    T = solver.pose(np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.5])).round(8)
    result = solver(T)
    assert np.abs(solver.pose(result.q) - result.pose).max() <= EXACT and np.abs(result.pose - T).max() < 1e-7
