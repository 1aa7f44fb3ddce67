"""Laws of the derivation: what it prints, followed with numbers, is the solver's own road, branch by branch."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.simplify.tree import FormulaTree, Symbol, evaluate_tree, leaves
from manipula.errors import InputError
from manipula.ik.derivation.printer import InverseLine
from manipula.mechanics.models.inverse.loop import pose_from_entries
from manipula.mechanics.models.inverse.plan import parameter_of
from manipula.mechanics.robot import library
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.spatial.floats import FLOATS
from tests.derived import Example, Followed, all_signs, placed_branches, solver_branches, turned_apart
from tests.latex_steps import assert_well_formed

ARMS = (
    "puma560",
    "ur5",
    "stanford",
    "scara",
    "rx90",
    "cobra600",
    "kr6",
    "iiwa14",
    "panda",
    "stanford3",
    "planar2r",
    "rp",
)
MIRRORED = ("puma560", "ur5", "stanford", "scara")


def rows_of(name: str) -> list[dict[str, Any]]:
    """The table of a library robot in standard DH."""
    told = tomllib.loads(library.text_of(name))
    assert told["convention"] == "standard"
    return [{key: joint.get(key, 0) for key in ("theta", "d", "a", "alpha", "type")} for joint in told["joint"]]


def mirrored(rows: list[dict[str, Any]], angle: Any = "deg") -> Any:
    """The arm held by its tool: A⁻¹ = Rx(−α) Tx(−a) Rz(−θ) Tz(−d), rows of modified DH; coordinates change sign."""

    def opposite(value: Any) -> Any:
        return f"-({value})" if isinstance(value, str) else -value

    turned = [{key: x if key == "type" else opposite(x) for key, x in row.items()} for row in reversed(rows)]
    return mp.Robot.from_dh(turned, convention="modified", columns="theta d a alpha", angle=angle, name="mirror")


@lru_cache
def derived(name: str) -> tuple[Any, Any]:
    robot = mp.load(name)
    return robot, mp.inverse_derivation(robot)


def assert_followed(robot: Any, derivation: Any, poses: int = 2) -> int:
    """Every branch of some poses: the derivation's answer is the solver's, its equations hold, the pose is reached."""
    example, count = Example(robot, seed=2), 0
    for step in derivation.steps:  # two roots are those of an equation that is there to read
        assert not step.role or any(line.kind == "equation" for line in step.equations), step.title
    for _ in range(poses):
        q = example.configuration()
        T = example.pose(q)
        numbers, free = example.numbers(), None
        if example.plan.parameter:
            free = parameter_of(example.plan, example.chain, q, pose_from_entries(T.ravel().tolist()))
            numbers["psi" if example.plan.fixed_joint is None else f"q{example.plan.fixed_joint + 1}"] = free
        place = derivation.task == "position"
        answers, valid = placed_branches(example, T) if place else solver_branches(example, T, free)
        for signs, answer, there in zip(all_signs(derivation), answers, valid, strict=True):
            if there:
                at = Followed(derivation, T, numbers, signs)
                found = at.joints(example.chain.dof)
                assert turned_apart(found, answer, example.chain) < 1e-8
                assert max(at.checks, default=0.0) < 1e-11
                assert np.abs((example.pose(found) - T)[:, 3 if place else slice(None)]).max() < 1e-11
                count += 1
    return count


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_the_derivation_is_the_solver_written_down(name: str) -> None:
    assert assert_followed(*derived(name)) >= 2


@pytest.mark.parametrize("name", ["planar2r", "stanford3", "rp"])
def test_few_joints_are_derived_from_the_pose_where_that_is_the_task(name: str) -> None:
    robot, derivation = mp.load(name), mp.inverse_derivation(name, task="pose")
    assert derivation.task == "pose" and assert_followed(robot, derivation) >= 2
    assert "Its position alone may leave more" in str(derivation)


def test_the_law_of_cosines_with_both_elbows() -> None:
    """As every book has it: the elbow from the squared distance, the shoulder as a difference of two directions."""
    derivation = mp.inverse_derivation("planar2r", task="position")
    told = str(derivation)
    assert told == str(mp.inverse_derivation("planar2r")) and derivation.roles == ("elbow",)
    lines = [
        "2 branches: elbow ±",
        "κ₁ = tx² + ty² − l₁² − l₂²",
        "κ₂ = 2·l₁·l₂",
        "c₂ = κ₁/κ₂",
        "s₂ = ±√(κ₂² − κ₁²)/κ₂",
        "μ₁ = l₁ + l₂·c₂",
        "μ₂ = l₂·s₂",
        "θ₁ = atan2(ty, tx) − atan2(μ₂, μ₁)",
    ]
    assert [line for line in lines if line not in told] == []
    l1, l2, x, y = 0.4, 0.3, 0.2, -0.5
    T = np.eye(4)
    T[:2, 3] = x, y
    for sign in (1, -1):
        found = Followed(derivation, T, {"l1": l1, "l2": l2}, (sign,)).joints(2)
        bent = np.arccos((x * x + y * y - l1 * l1 - l2 * l2) / (2 * l1 * l2)) * sign
        assert found[1] == pytest.approx(bent, abs=1e-12)
        reached = [l1 * f(found[0]) + l2 * f(found[0] + found[1]) for f in (np.cos, np.sin)]
        assert reached == pytest.approx([x, y], abs=1e-12)


def test_a_position_without_a_closed_form_is_refused() -> None:
    for robot in (mp.load("puma560"), mp.load("rp")):
        with pytest.raises(InputError, match="no derivation of the tool's position"):
            mp.inverse_derivation(robot, task="position")
    with pytest.raises(InputError, match="the pose or the position, found 'axis'"):
        mp.inverse_derivation("planar2r", task="axis")


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", MIRRORED)
def test_the_mirror_image(name: str) -> None:
    robot = mirrored(rows_of(name))
    assert assert_followed(robot, mp.inverse_derivation(robot)) >= 4


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", "ur5", "stanford"])
def test_modified_dh(name: str) -> None:
    robot = mp.convert(mp.load(name), "modified")
    assert assert_followed(robot, mp.inverse_derivation(robot)) >= 4


# angle, twist, a, d between the axes that place a wrist
POSITIONS: dict[str, tuple[str, tuple[tuple[float, ...], ...]]] = {
    "2∥3": ("RRR", ((0.2, 1.1, 0.1, 0.2), (0.1, 0, 0.4, 0.1))),
    "1∥2": ("RRR", ((0.2, 0, 0.4, 0.2), (0.1, 0.8, 0.3, 0.1))),
    "1×2": ("RRR", ((0.2, 1.1, 0, 0.3), (0.1, 0.7, 0.4, 0.1))),
    "2×3": ("RRR", ((0.2, 1.1, 0.3, 0.3), (0.1, 0.7, 0, 0.1))),
    "R×RP": ("RRP", ((0.2, 1.3, 0, 0.3), (0.1, 0.9, 0.2, 0.1))),
    "PR×R": ("PRR", ((0.2, 1.3, 0.3, 0.3), (0.1, 0.9, 0, 0.1))),
    "R∥RP": ("RRP", ((0.2, 0, 0.4, 0.3), (0.1, 0.4, 0.2, 0.1))),
    "PR∥R": ("PRR", ((0.2, 0.5, 0.4, 0.3), (0.1, 0, 0.3, 0.1))),
    "R∥PR": ("RPR", ((0.2, 0.6, 0.4, 0.3), (0, -0.6, 0.3, 0.1))),
    "RPP": ("RPP", ((0.2, 0.1, 0.1, 0.3), (0, pi / 2, 0.1, 0.1))),
    "PPR": ("PPR", ((0.2, 0.8, 0.1, 0.3), (0.4, pi / 2, 0.1, 0.1))),
    "P∥RP": ("PRP", ((0.2, 0, 0.1, 0.3), (0, pi / 2, 0.1, 0.1))),
    "PR∥P": ("PRP", ((0.2, 0.9, 0.1, 0.3), (0, 0, 0.1, 0.1))),
    "PPP": ("PPP", ((0.2, 1.2, 0.1, 0.3), (0.5, 1.1, 0.1, 0.1))),
}
SQUARE = ((0.3, pi / 2, 0.25, 0.3), (0, pi / 2, 0, 0), (0, -pi / 2, 0, 0), (0.1, 0.6, 0.05, 0.11))
LEANING = ((0.3, 1.2, 0.25, 0.3), (0.2, 1.4, 0, 0), (-0.4, -0.9, 0, 0), (0.1, 0.6, 0.05, 0.11))


def rows_of_case(case: str, wrist: tuple[tuple[float, ...], ...] = SQUARE) -> list[dict[str, Any]]:
    kinds, gaps = POSITIONS[case]
    names = {"R": "revolute", "P": "prismatic"}
    gapped = zip((*gaps, *wrist), kinds + "RRR", strict=True)
    return [{"theta": t, "d": d, "a": a, "alpha": twist, "type": names[kind]} for (t, twist, a, d), kind in gapped]


LETTERED = [x for x in POSITIONS if x != "R∥PR"]  # in letters, two twists that add up to nothing are any two


@pytest.mark.parametrize(
    "case", [x if x in ("2∥3", "1×2") else pytest.param(x, marks=pytest.mark.slow) for x in LETTERED]
)
def test_three_joints_that_place_a_point(case: str) -> None:
    """Every closed form of a position, in letters, with a tool that stands off."""
    robot = mp.Robot.from_dh(rows_of_case(case)[:3]).with_tool(xyz=(0.1, 0.2, 0.3))
    derivation = mp.inverse_derivation(robot)
    assert derivation.task == "position" and assert_followed(robot, derivation) >= 2


FEW: dict[str, list[tuple[Any, ...]]] = {  # alpha, a, d, kind
    "split": [(90, "a1", "d1"), (0, "a2", 0), (0, "a3", 0)],
    "elbow": [(90, "a1", "d1"), (0, "a2", 0), (0, "a3", 0), (90, 0, 0), (0, 0, "d5")],
    "two splits": [(0, "a1", 0), (90, "a2", "d2"), (0, "a3", 0), (0, "a4", "d4")],
    "elbow and split": [(0, "a1", 0), (0, "a2", 0), (90, "a3", "d3"), (0, "a4", 0), (0, 0, "d5")],
    "split, flat slide": [(0, "a1", 0), (90, "a2", 0), (0, "a3", 0, "prismatic"), (90, "a4", 0)],
    "split, two slides outside": [(90, "a1", 0, "prismatic"), (50, "a2", 0, "prismatic"), (0, "a3", 0), (0, "a4", 0)],
    "RR": [(50, "a1", "d1"), (70, "a2", "d2"), (90, 0, 0), (-90, 0, 0), (0, 0, "d5")],
}


@pytest.mark.parametrize("case", [x if x in ("split", "RR") else pytest.param(x, marks=pytest.mark.slow) for x in FEW])
def test_few_joints(case: str) -> None:
    keys = ("alpha", "a", "d", "type")
    rows = [dict(zip(keys, (*row, "revolute")[:4], strict=True)) | {"theta": 0} for row in FEW[case]]
    robot = mp.Robot.from_dh(rows, angle="deg", convention="standard")
    assert Example(robot).plan.case == case
    assert assert_followed(robot, mp.inverse_derivation(robot)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("case", POSITIONS)
def test_every_way_to_place_a_wrist(case: str) -> None:
    """Twists, offsets and lengths of no special value, in letters where they keep the case; half held by a tool."""
    rows = rows_of_case(case)
    robot = mirrored(rows, "rad") if list(POSITIONS).index(case) % 2 else mp.Robot.from_dh(rows)
    assert Example(robot).plan.structure == "spherical"
    symbolic: Symbolic = "all" if case in LETTERED else "auto"
    assert assert_followed(robot, mp.inverse_derivation(robot, symbolic=symbolic), 1) >= 1


@pytest.mark.slow
def test_a_wrist_whose_axes_are_not_square() -> None:
    robot = mp.Robot.from_dh(rows_of_case("PPP", LEANING))
    assert assert_followed(robot, mp.inverse_derivation(robot)) >= 2


# words


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_every_coordinate_is_found_once_and_the_latex_is_well_formed(name: str) -> None:
    robot, derivation = derived(name)
    found = [left for step in derivation.as_dict()["steps"] if (left := step["finds"]) is not None]
    assert len(found) == len(set(found)) >= robot.dof - bool(derivation.given)
    assert sum(bool(step.role) for step in derivation.steps) == len(derivation.roles)
    assert_well_formed(derivation.latex())
    assert f"{robot.name}: {derivation.title}." in str(derivation)


@pytest.mark.slow
def test_latex_can_set_it(tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")
    body = "\n\n".join(derived(name)[1].latex() for name in ARMS)
    head = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n"
    (tmp_path / "all.tex").write_text(head + body + "\n\\end{document}\n", encoding="ascii")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:]


def test_typst_can_set_it() -> None:
    typst = pytest.importorskip("typst", reason="the wheel typst is not installed")
    body = "\n\n".join(derived(name)[1].typst() for name in ARMS)
    assert bytes(typst.compile(body.encode(), format="pdf")).startswith(b"%PDF-")


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_every_letter_is_told_before_it_is_used(name: str) -> None:
    robot, derivation = derived(name)
    told = {*robot.parameters, "±", "psi", *(f"{letter}{axis}" for letter in "uvwq" for axis in "xyz")}
    told |= {f"q{i}" for i in range(1, 14)}
    for step in derivation.steps:
        for line in step.lines:
            if isinstance(line, InverseLine) and line.kind == "definition":
                told |= symbols([line.left])
            assert symbols([line.left, line.right] if isinstance(line, InverseLine) else line.parts) <= told
        assert symbols([x for sentence in (step.roots, step.singular) if sentence for x in sentence.parts]) <= told


def symbols(trees: Iterable[FormulaTree]) -> set[str]:
    return {leaf.name for leaf in leaves(trees) if isinstance(leaf, Symbol)}


@pytest.mark.parametrize("name", ["pucrio", "puma560", "stanford"])
@pytest.mark.parametrize(("q5", "place"), [(0.0, 2), (pi, 3)])
def test_in_line_the_wrist_determines_what_is_told_and_no_more(name: str, q5: float, place: int) -> None:
    """Axes 4 and 6 point alike at θ5 = 0 and do not at θ5 = π."""
    robot, derivation = derived(name)
    combination = derivation.steps[-1].singular.parts[place]
    of4, of6 = (evaluate_tree(combination, {"q4": x, "q6": 1 - x}, FLOATS) for x in (1.0, 0.0))
    example = Example(robot)
    q = np.array([0.3, 0.5, 0.2, 0.4, q5, -0.6])
    along, across = (0.7 * np.array([0, 0, 0, x, 0, y]) for x, y in ((of6, -of4), (of6, of4)))
    assert np.abs(example.pose(q + along) - example.pose(q)).max() < 1e-15
    assert np.abs(example.pose(q + across) - example.pose(q)).max() > 0.1


def odd_rows() -> list[dict[str, Any]]:
    """The PUC-Rio arm with offsets, and two joints counted backwards."""
    rows = rows_of("pucrio")
    rows[1] |= {"theta": 20, "direction": -1}
    rows[2] |= {"theta": 90}
    rows[4] |= {"theta": -35, "direction": -1}
    return rows


def test_offsets_and_directions_of_joints() -> None:
    robot = mp.Robot.from_dh(odd_rows(), angle="deg")
    derivation = mp.inverse_derivation(robot)
    assert assert_followed(robot, derivation) >= 4
    # the table's θ2 is not the joint's coordinate
    assert "θ₀₂ is the offset of θ₂ in the table." in str(derivation) and "q₂" not in str(derivation)


def test_what_may_vanish_is_named() -> None:
    told = {name: str(derived(name)[1]) for name in ("ur5", "stanford", "scara")}
    assert "axes 2, 3, 4 and 6 are parallel; only θ₆ + θ₂₃₄ is determined" in told["ur5"]
    assert "d₃ = 0: p lies on axis 2, so θ₂ is arbitrary" in told["stanford"]
    assert "px = py = 0: p lies on axis 1, so θ₁ is arbitrary" in told["scara"]


def test_a_scara_is_derived_as_in_a_textbook() -> None:
    lines = [line.strip() for line in str(derived("scara")[1]).splitlines()]
    assert {"px = a₁·c₁ + a₂·c₁₂", "κ₂ = 2·a₁·a₂", "c₂ = κ₁/κ₂", "μ₁ = a₁ + a₂·c₂"} <= set(lines)


def test_the_terms_of_an_arm_with_numbers_can_stay_numbers() -> None:
    told = str(mp.inverse_derivation("pucrio", symbolic="auto"))
    assert "px = tx − 0.05·ax" in told and "d₆" not in told


def test_a_parameter_with_a_letter_of_the_pose_is_refused() -> None:
    rows = rows_of("pucrio")
    rows[1] |= {"a": "ax"}
    with pytest.raises(InputError, match="parameter 'ax' is called like a letter of the pose"):
        mp.inverse_derivation(mp.Robot.from_dh(rows, angle="deg"))


def test_an_arm_without_closed_form_says_why() -> None:
    with pytest.raises(InputError, match="gen3: no derivation, there is no closed form: no joint, when held"):
        mp.inverse_derivation("gen3")
