"""How derivations of drawn arms read: one letter for one thing, nothing printed twice, whole factors in front."""

from __future__ import annotations

import re
from functools import cache, partial
from random import Random

import pytest

import manipula as mp
from manipula.algebra.show.layout import width
from manipula.cli.terminal.language import told_in
from manipula.pages.derivation import Derivation

TOPICS = ("pose", "screws", "jacobian", "lagrange", "newton-euler", "ik", "singularities")
TOPIC_OF = {"screws": "pose", "lagrange": "dynamics", "newton-euler": "dynamics"}
DRAWN = "⎡⎢⎣"  # of a matrix
ENGLISH = re.compile(r"(?:\w+ )?\b(?:the|of|and|where|joint|axes|branch|branches|is|are)\b(?: \w+)?")
MARKUP = re.compile(r"<[^>]*>|\$[^$]*\$|\\[a-z]+")


def drawn_arm(seed: int) -> mp.Robot:
    """Two or three joints; lengths with names or numbers, offsets of joints, quarter and odd turns."""
    rng = Random(seed)
    rows = []
    for i in range(1, rng.choice((2, 3, 3)) + 1):
        kind = rng.choice("RRRP")
        theta = rng.choice((0, 0, 0, 90, 45)) if kind == "R" else rng.choice((0, 90))
        d = rng.choice((0, f"d{i}", 0.3)) if kind == "R" else 0
        rows.append((theta, d, rng.choice((0, f"a{i}", f"ℓ{i}", 0.4)), rng.choice((0, 0, 90, -90)), kind))
    return mp.Robot.from_dh(rows, angle="deg", name=f"drawn{seed}")


@cache
def derived(seed: int, topic: str) -> Derivation | None:
    """Nothing where the arm has no such derivation."""
    method = topic if topic in TOPIC_OF else ""
    try:
        return mp.derive(drawn_arm(seed), TOPIC_OF.get(topic, topic), method=method, seconds=8)
    except mp.InputError:
        return None


@pytest.mark.drawn("seed", few=3)
@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("seed", range(12))
def test_a_derivation_reads_well(seed: int, topic: str) -> None:
    found = derived(seed, topic)
    if found is None:
        return
    text = str(found)
    lines = [line for line in text.splitlines() if not set(line) & set(DRAWN)]
    assert not [line for line in lines if re.search(r"[^\s₀-₉]  +\S", line)], "blanks beside a broken term"
    assert not re.search(r"\((\d+)·[^()+−]+(?: [+−] \1·[^()+−]+)+\)", text), "a factor stands in front of its bracket"
    assert "Proved: 0" not in text
    # one letter for one thing: what the legend defines is no vector and no entry elsewhere
    body, _, legend = text.partition("\nwith ")
    short = set(re.findall(r"([cs][₀-₉₋]+) = (?:cos|sin)\(", legend))
    sides = [line.replace("⎢", " ").strip().partition(" = ") for line in body.splitlines() if " = " in line]
    lefts = {left for left, _, right in sides if right != "0"}  # c₂ = 0 is where an arm is singular
    assert topic == "ik" or not {x for x in short & lefts if len(x) < len("c₁₂₃")}
    # an entry of a matrix is printed once
    entries = re.findall(r"^\s*(M\[\d,\d\]|C\[\d,\d\])", text, re.MULTILINE)
    assert not entries, "a matrix too wide to be drawn is one of letters"


@pytest.mark.parametrize("topic", ["pose", "screws", "jacobian", "ik", "lagrange"])
def test_the_offset_of_a_joint_has_a_letter_of_its_own(topic: str) -> None:
    """θ₃ stays the joint variable where the table adds 45° to it."""
    rows = [("theta1", "d1", 0, "pi/2"), ("theta2", 0, "a2", 0), ("theta3 + pi/4", 0, "a3", 0)]
    method = topic if topic in TOPIC_OF else ""
    found = mp.derive(mp.Robot.from_dh(rows), TOPIC_OF.get(topic, topic), method=method, symbolic="all")
    text = str(found)
    assert "θ₀₃ is the offset of θ₃ in the table." in text
    assert not re.search(r"q[₁₂₃]", text)
    assert r"\theta_{03}" in found.latex() and "theta_(03)" in found.typst()


def test_a_vector_too_wide_to_be_drawn_has_entries_as_later_lines_call_them() -> None:
    rows = [("theta1", 0, 0, "pi/2"), (0, "d2", 0, "-pi/2", "P"), ("theta3", 0, "a3", 0)]
    text = str(mp.derive(mp.Robot.from_dh(rows), "dynamics", method="newton-euler"))
    assert re.search(r"^ *v̇₃x = ", text, re.MULTILINE) and "v̇₃[1]" not in text and "v̇₃x − " in text
    assert "rcᵢ leads from the origin of link i to its centre of mass" in text


def test_zeros_of_a_matrix_that_is_listed_are_stated() -> None:
    rows = [("theta1", "d1", "a1", "alpha1"), ("theta2", "d2", "a2", "alpha2"), ("theta3", "d3", "a3", 0)]
    text = str(mp.derive(mp.Robot.from_dh(rows), "jacobian"))
    assert "J[3,1] = J[4,1] = J[5,1] = 0" in text


def test_the_determinant_of_two_skew_axes_has_a_heading_that_fits() -> None:
    text = str(
        mp.derive(mp.Robot.from_dh([("theta1", "d1", "a1", "alpha1"), ("theta2", "d2", "a2", 0)]), "singularities")
    )
    assert "2. Singular where factor 1 is zero" in text and "0.25" not in text


@pytest.mark.drawn("robot")
@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("robot", ["planar2r", "rp", "spong_cylindrical", "puma560"])
def test_a_derivation_speaks_portuguese(robot: str, topic: str) -> None:
    """Every sentence has its places filled: {J} is a matrix there, and {NAME} words. None stays English."""
    if robot == "puma560" and TOPIC_OF.get(topic) == "dynamics":
        return
    method = topic if topic in TOPIC_OF else ""
    found = mp.derive(robot, TOPIC_OF.get(topic, topic), method=method, seconds=8)
    told = partial(told_in, name="pt")
    for text in (found.text(told), found.latex(told), found.typst(told), found.html(told)):
        assert not re.search(r"\b(the|of|and|where|joint|axes|branch|branches|is|are)\b(?!\{)", MARKUP.sub("", text)), (
            text
        )


def odd_arm(seed: int) -> tuple[mp.Robot, list[tuple[str, int, int]]]:
    """Two or three rows with offsets in quarter turns, directions and fixed rows between; of each joint its kind,
    direction and offset."""
    rng = Random(seed)
    rows: list[dict[str, object]] = []
    moving: list[tuple[str, int, int]] = []
    for i in range(1, rng.choice((2, 3)) + 1):
        if rng.random() < 0.3:
            rows.append({"theta": 0, "d": f"h{i}", "a": 0, "alpha": 0, "type": "fixed"})
        kind, sense, turn = rng.choice("RRP"), rng.choice((1, -1)), rng.choice((0, 90, -90, 180))
        row: dict[str, object] = {"theta": turn, "d": 0, "a": f"a{i}", "alpha": rng.choice((0, 90)), "direction": sense}
        rows.append(row | {"type": {"R": "revolute", "P": "prismatic"}[kind]})
        moving.append((kind, sense, turn if kind == "R" else 0))
    return mp.Robot.from_dh(rows, angle="deg", name=f"odd{seed}"), moving


@pytest.mark.parametrize("seed", range(8))
def test_offsets_directions_and_fixed_rows_are_stated(seed: int) -> None:
    """What the general matrix has in place of θ₂: else A₂ is not what the row says."""
    robot, moving = odd_arm(seed)
    text = " ".join(str(mp.derive(robot, "pose")).split())
    for number, (kind, sense, turn) in enumerate(moving, 1):
        own = f"{'−' if sense < 0 else ''}{'θ' if kind == 'R' else 'd'}{'₀₁₂₃'[number]}"
        shift = f" {'−' if turn < 0 else '+'} {abs(turn)}°" if turn else ""
        said = f"The {'angle' if kind == 'R' else 'slide'} of joint {number} in the table is {own}{shift}."
        assert (said in text) == (sense < 0 or turn != 0), said
    fixed = any(joint.kind == "fixed" for joint in robot.joints)
    assert ("A fixed row is part of the next transform." in text) == fixed


def test_the_pitch_of_a_screw_has_its_letter() -> None:
    axes = [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, "-L1", 0.1]]
    robot = mp.Robot.from_screws(axes, [[1, 0, 0, "L1"], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    text = str(mp.derive(robot, "jacobian"))
    assert "h₂ is the pitch of joint 2" in text and "screw" not in text
    assert "slides by its pitch h₂" in text and "z₂ × (p − p₂) + h₂ z₂" in text


def test_words_between_equations_stay_between_them() -> None:
    """Roots and singular poses behind the letters they use; another way to θ₆ below its heading."""
    text = str(mp.derive("puma560", "ik"))
    last = text[text.index("7. θ₆.") :]
    assert last.index("θ₆ = atan2") < last.index("Singular: m₁₃") < last.index("7.1. Or, where s₅ ≠ 0")
    assert text.index("κ₃ = ") < text.index("Roots: two where κ₁²")
    assert "3. θ₃ (elbow ±). Across the parallel axes" in text


def test_an_arm_of_few_joints_says_what_its_branches_reach() -> None:
    """The turn of three joints whose last one passes through the tool: a branch has the orientation, and not the
    place."""
    axes = [[0, 0, 1, 0, 0, 0], [0, -1, 0, 0, 0, "-L1"], [1, 0, 0, 0, "-L2", 0]]
    home = [[0, 0, 1, "L1"], [0, 1, 0, 0], [-1, 0, 0, "-L2"], [0, 0, 0, 1]]
    text = " ".join(str(mp.derive(mp.Robot.from_screws(axes, home), "ik")).split())
    assert "With 3 joints the arm reaches few poses" in text
    assert "a branch reaches the target; others have its position or its orientation alone" in text


def test_results_left_out_are_dots_and_nothing_is_claimed() -> None:
    found = mp.derive("planar2r", "pose", method="screws", seconds=1e-9)
    text = str(found)
    assert "Proved" not in text and "nothing is proved" in text
    assert re.search(r"^ *M = …$", text, re.MULTILINE)
    assert r"M &= \dots" in found.latex()


def test_long_products_are_broken_within_eighty_columns() -> None:
    rows = [("theta1", "d1", "a1", "shoulder_twist"), ("theta2", "d2", "a2", "elbow_twist"), ("theta3", 0, "a3", 0)]
    for line in str(mp.derive(mp.Robot.from_dh(rows), "pose")).splitlines():
        assert width(line) <= 80, line
