"""How derivations of drawn arms read: one letter for one thing, nothing printed twice, whole factors in front."""

from __future__ import annotations

import re
from functools import cache, partial
from random import Random

import pytest

import manipula as mp
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
    lefts = {line.replace("⎢", " ").strip().partition(" = ")[0] for line in body.splitlines() if " = " in line}
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
