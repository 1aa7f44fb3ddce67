"""Derivations against the books, letter by letter: what is expected is typed from the printed equations.

Craig, "Introduction to Robotics", 3rd ed. (2005): (3.9)–(3.10) and example 4.1 (three-link planar arm), (4.14)–(4.28)
(its inverse), (5.66)–(5.67) (Jacobian of two links), (6.58)–(6.63) (dynamics of two links). Spong, Hutchinson,
Vidyasagar, "Robot Modeling and Control" (2006), example 7.2: Christoffel symbols of two links.
"""

from __future__ import annotations

import pytest

import manipula as mp
from manipula.pages.derivation import Derivation

CRAIG3R = [
    {"alpha": 0, "a": 0, "d": 0, "theta": 0},
    {"alpha": 0, "a": "L1", "d": 0, "theta": 0},
    {"alpha": 0, "a": "L2", "d": 0, "theta": 0},
]


def craig3r() -> mp.Robot:
    return mp.Robot.from_dh(CRAIG3R, convention="modified", name="craig3r")


def lines(derivation: Derivation) -> dict[str, str]:
    """Left → result of every equation whose result is one formula; of a matrix, entry by entry: J[1,2]."""
    script = derivation.script("text")
    found: dict[str, str] = {}
    for _, equation in derivation.equations():
        left = script.notation(equation.left)
        if isinstance(equation.result, tuple):
            for i, row in enumerate(equation.result, 1):
                found |= {f"{left}[{i},{j}]": script.text(tree) for j, tree in enumerate(row, 1)}
        elif equation.result is not None:
            found[left] = script.text(equation.result)
    return found


def test_the_transforms_of_craigs_three_links() -> None:
    """(3.9): each of them c −s 0 a / s c 0 0; (3.10): their product has c123 and L1 c1 + L2 c12"""
    found = lines(mp.derive(craig3r(), "pose"))
    matrices = {
        "A₁": ["c₁ −s₁ 0 0", "s₁ c₁ 0 0", "0 0 1 0", "0 0 0 1"],
        "A₂": ["c₂ −s₂ 0 L₁", "s₂ c₂ 0 0", "0 0 1 0", "0 0 0 1"],
        "A₃": ["c₃ −s₃ 0 L₂", "s₃ c₃ 0 0", "0 0 1 0", "0 0 0 1"],
    }
    for name, rows in matrices.items():
        assert [" ".join(found[f"{name}[{i},{j}]"] for j in range(1, 5)) for i in range(1, 5)] == rows
    whole = [[found[f"⁰T₃[{i},{j}]"] for j in range(1, 5)] for i in range(1, 5)]
    assert whole == [
        ["c₁₂₃", "−s₁₂₃", "0", "L₁·c₁ + L₂·c₁₂"],
        ["s₁₂₃", "c₁₂₃", "0", "L₁·s₁ + L₂·s₁₂"],
        ["0", "0", "1", "0"],
        ["0", "0", "0", "1"],
    ]


def test_the_inverse_of_craigs_three_links() -> None:
    """(4.14), (4.15), (4.19), (4.20), (4.27), (4.28)"""
    found = lines(mp.derive(craig3r(), "ik"))
    assert found["x² + y²"] == "L₁² + 2·L₁·L₂·c₂ + L₂²"
    assert found["c₂"] == "(x² + y² − L₁² − L₂²)/(2·L₁·L₂)"
    assert found["s₂"] == "±√(1 − c₂²)"
    assert found["θ₂"] == "atan2(s₂, c₂)"
    assert (found["k₁"], found["k₂"]) == ("L₁ + L₂·c₂", "L₂·s₂")
    assert found["θ₁"] == "atan2(y, x) − atan2(k₂, k₁)"
    assert found["θ₃"] == "φ − θ₁ − θ₂"


def test_the_jacobian_of_two_links() -> None:
    """(5.67): rows x and y in the frame of the base"""
    found = lines(mp.derive("planar2r", "jacobian"))
    rows = [[found[f"J[{i},{j}]"] for j in (1, 2)] for i in (1, 2)]
    assert rows == [["−l₁·s₁ − l₂·s₁₂", "−l₂·s₁₂"], ["l₁·c₁ + l₂·c₁₂", "l₂·c₁₂"]]
    assert lines(mp.derive("planar2r", "singularities"))["det J"] == "l₁·l₂·s₂"


def test_the_dynamics_of_two_links_by_lagrange() -> None:
    """(6.59)–(6.63); Christoffel symbols of Spong's (7.86): c121 = c211 = c221 = h, c112 = −h, h = −m2 l1 l2 s2"""
    found = lines(mp.derive("planar2r", "dynamics"))
    M = {
        "M[1,1]": "l₁²·(m₁ + m₂) + 2·l₁·l₂·m₂·c₂ + l₂²·m₂",
        "M[1,2]": "l₁·l₂·m₂·c₂ + l₂²·m₂",
        "M[2,1]": "l₁·l₂·m₂·c₂ + l₂²·m₂",
        "M[2,2]": "l₂²·m₂",
    }
    assert {name: found[name] for name in M} == M
    assert (found["g₁"], found["g₂"]) == ("g·l₁·c₁·(m₁ + m₂) + g·l₂·m₂·c₁₂", "g·l₂·m₂·c₁₂")
    h = "−l₁·l₂·m₂·s₂"
    assert (found["c₁₂₁"], found["c₂₂₁"], found["c₁₁₂"]) == (h, h, h.removeprefix("−"))
    assert found["T₁"] == "½·l₁²·m₁·θ̇₁²"
    assert found["V₁"] == "g·l₁·m₁·s₁"


TORQUE_1 = {
    "l₂²·m₂·(θ̈₁ + θ̈₂)", "l₁·l₂·m₂·c₂·(2·θ̈₁ + θ̈₂)", "l₁²·(m₁ + m₂)·θ̈₁", "-l₁·l₂·m₂·s₂·θ̇₂²",
    "-2·l₁·l₂·m₂·s₂·θ̇₁·θ̇₂", "g·l₂·m₂·c₁₂", "g·l₁·c₁·(m₁ + m₂)",
}  # fmt: skip
TORQUE_2 = {"l₁·l₂·m₂·c₂·θ̈₁", "l₁·l₂·m₂·s₂·θ̇₁²", "g·l₂·m₂·c₁₂", "l₂²·m₂·(θ̈₁ + θ̈₂)"}


def terms(text: str) -> set[str]:
    """The terms of a sum, whatever their order; factors in brackets stand where they stand."""
    depth, parts, sign = 0, [""], ""
    for word in text.replace("−", "- ").replace("-  ", "- ").split():
        if depth == 0 and word in ("+", "-"):
            sign = "-" if word == "-" else ""
            parts.append(sign)
            continue
        depth += word.count("(") - word.count(")")
        parts[-1] += word if not parts[-1].strip("-") else f" {word}"
    return {part for part in parts if part}


@pytest.mark.parametrize("method", ["lagrange", "newton-euler"])
def test_the_torques_of_two_links_as_printed(method: str) -> None:
    """(6.58), term by term, by both methods"""
    found = lines(mp.derive("planar2r", "dynamics", method=method))

    def plain(term: str) -> str:  # (m₁ + m₂) before or behind the rate is one printed term
        parts, depth = [""], 0
        for letter in term:
            depth += (letter == "(") - (letter == ")")
            if letter == "·" and depth == 0:
                parts.append("")
            else:
                parts[-1] += letter
        return "·".join(sorted(parts))

    for name, printed in (("τ₁", TORQUE_1), ("τ₂", TORQUE_2)):
        assert {plain(x) for x in terms(found[name])} == {plain(x) for x in printed}


@pytest.mark.parametrize("name", ["iiwa14", "panda"])
def test_arms_of_seven_joints_derive_their_inverse(name: str) -> None:
    """By the arm angle, or by a joint that is free."""
    made = mp.derive(name, "ik")
    assert "Proved: " in str(made)
    assert ("ψ" if name == "iiwa14" else "θ₇") in str(made)
