"""Worksheets: arms that differ, questions with answers, right answers accepted and wrong ones refused with a reason."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.algebra.simplify.tree import ZERO, Degrees, FormulaNumber, FormulaTree, Symbol, product_of, sum_of
from manipula.errors import InputError
from manipula.worksheets.answers import check_number
from manipula.worksheets.arms import LENGTHS, MASSES, numbers_of
from manipula.worksheets.entries import check_file
from manipula.worksheets.page import SCRIPT, WORDS
from manipula.worksheets.questions import CLOSE, NEAR, check_joints, samples_of
from manipula.worksheets.reader import angle_leaves
from manipula.worksheets.sheet import Sheet, Worksheet
from tests.laws.test_steps_proved import dh
from tests.node import needs_node, run_node

ALL = ("pose", "jacobian", "ik", "dynamics")


@pytest.fixture(scope="module")
def ten() -> Worksheet:
    return mp.worksheet("planar2r", ALL, seed=7, students=10, vary="joints")


def solutions(sheet: Sheet) -> dict[str, str]:
    return {one.key: sheet.plain(one) for one in sheet.questions}


def test_ten_students_have_ten_arms(ten: Worksheet) -> None:
    texts = {str(mp.tables(sheet.robot)[0].rows) for sheet in ten.sheets}
    assert len(texts) == len(ten) == 10


def test_every_solution_is_accepted(ten: Worksheet) -> None:
    for number, sheet in enumerate(ten.sheets, 1):
        found = ten.check(number, solutions(sheet))
        assert found.keys() == solutions(sheet).keys()
        assert all(found.values()), {key: one.says for key, one in found.items() if not one}


def test_every_topic_is_asked(ten: Worksheet) -> None:
    for sheet in ten.sheets:
        assert {one.topic for one in sheet.questions} == set(ALL)
        assert len({one.key for one in sheet.questions}) == len(sheet.questions)


def test_a_question_of_geometry_states_no_masses() -> None:
    robot = mp.load("spong_cylindrical")
    sheet = mp.worksheet(robot, ["ik", "dynamics"], numbers=True, students=1).sheet(1)
    stated = {one.topic: sheet.givens(one) for one in sheet.questions}
    assert "d1 = " in stated["ik"] and "m1 = " not in stated["ik"] and "m1 = " in stated["dynamics"]


def test_a_seed_makes_the_same_sheets() -> None:
    one, other, third = (mp.worksheet("planar2r", ["pose"], seed=s, students=2, vary="joints") for s in (3, 3, 4))
    assert one.as_dict() == other.as_dict() != third.as_dict()


WRONG = {  # px of planar2r is l1*c1 + l2*c12
    "-l1*c1 - l2*c12": "sign is opposite",
    "l1*s1 + l2*s12": "sine and cosine are exchanged",
    "2*l1*c1 + 2*l2*c12": "2 times the solution",
    "l1*c1/2 + l2*c12/2": "0.5 times the solution",
    "l1*c1": "the term l2*c12 is missing",
    "l2*c12": "the term l1*c1 is missing",
    "l1*c1 + l2*c2": "the term l2*c2 does not belong there",
    "l1*c1 - l2*c12": "l2*c12 has the factor -1; it should be 1",
    "l1*c1 + 3*l2*c12": "l2*c12 has the factor 3; it should be 1",
    "l1*c1 + l2*c12 + l1": "the term l1 does not belong there",
    "l1*c1 + l2*cos(q1 - q2)": "does not belong there",
    "l2*c1 + l1*c12": "is missing",
    "(l1 + l2)*c12": "the term l1*c1 is missing",
    "l1*c1*l2*c12": "is missing",
    "0": "is missing",
    "1": "the term 1 does not belong there",
    "l3*c1": "l3 is not a name of this arm",
    "l1*c1 + l2*c13": "there is no joint 3",
    "l1 c1 2 + l2 c12": "cannot be read",
    "l1*(c1 + l2*c12": "a bracket has no partner",
    "l1*c1 + l2*c12)": "a bracket has no partner",
    "l1*c1 + m12": "m12 is not a name of this arm",
    "l1*c1 + l2*cos(q1/2)": "whole multiples",
    "": "the answer is empty",
    "l1*c1 + l2*c12 +": "cannot be read",
    "open('x')": "open is not a name of this arm",
    "c1[2]": "cannot be read",
    "l1*c1^0.5": "powers are whole numbers",
    "l1*c1/0": "divides by zero",
    "cos(l1*q1)": "the angle of a sine or cosine is a sum of joints",
}


@pytest.mark.parametrize("answer", WRONG)
def test_a_wrong_answer_is_refused_with_what_differs(answer: str) -> None:
    found = mp.check_answer("planar2r", f"px = {answer}")
    assert not found
    assert WRONG[answer] in str(found)


RIGHT = [
    "l1*c1 + l2*c12", "l2*c12+l1*c1", "l1*cos(q1) + l2*cos(q1+q2)", "l1*cos(theta1) + l2*(c1*c2 - s1*s2)",
    "T14 = l1*c1 + l2*c12", "l1·c₁ + l2·c₁₂", "l1*c1 + l2*c1*c2 − l2*s1*s2", "(2l1*c1 + 2l2*c12)/2",
    "l1*c1*(s2^2 + c2^2) + l2*c12", "l1*cos(-q1) + l2*c12", "l1 c1 + l2 c12", "l1c1 + l2c12", "ℓ₁ cosθ₁ + ℓ₂cos(θ₁+θ₂)",
    "l_1 c_1 + l_2 c_{12}", r"l_1 \cos\theta_1 + l_2\cos\left(\theta_1 + \theta_2\right)", "L1*C1 + L2*C12",
    r"\frac{2 l_1 c_1}{2} + l_2 c_{12}", "l1 cos q1 + l2 c1c2 - l2 s1s2", "l1·Cθ1 + l2·C(θ1 + θ2)",
    "l1·sin(q1 + 90°) + l2*cos(q1 + q2)", "l1 sin(θ1 + π/2) - l2 cos(θ1 + θ2 + pi)", "2 sin(30°) l1 c1 + l2 c12",
    "0,5*(2*l1*c1 + 2*l2*c12)", "½(2l1c1 + 2l2c12)", "l1 c1 (sin²θ2 + cos^2(θ2)) + l2 c12", "l1 c1³/cos(q1)² + l2 c12",
    "sqrt(l1²) c1 + √(l2^2) c12", "tan(q1) l1 c1²/s1 + l2 c12", "T_{14} = l1 c1 + l2 c12", "T(1, 4) = l1 c1 + l2 c12",
    "x = l1 c1 + l2 c12", "l1 c1 + l2 c12 + sin 2q1 - 2 s1 cos q1",
    "√2/√2 l1 c1 + l2 c12",
]  # fmt: skip


@pytest.mark.parametrize("answer", RIGHT)
def test_a_right_answer_is_right_however_it_is_written(answer: str) -> None:
    assert mp.check_answer("planar2r", answer if "=" in answer else f"T14 = {answer}")


@pytest.mark.parametrize(
    "answer",
    ["J11 = -l1*s1 - l2*s12", "M12 = l2^2*m2 + l1*l2*m2*c2", "g2 = g*l2*m2*c12", "detJ = l1*l2*s2",
     "tau2 = l2^2*m2*(qdd1 + qdd2) + l1*l2*m2*(c2*qdd1 + s2*qd1^2) + g*l2*m2*c12", "|J| = l1 l2 s2", "nx = c12",
     "τ2 = l2² m2 (θ̈1 + θ̈2) + l1 l2 m2 (c2 θ̈1 + s2 θ̇1²) + g l2 m2 c12", "C21 = m2 l1 l2 s2 θ̇1",
     "J_{11} = -l1 s1 - l2 s12",
     r"\tau_2 = m_2 l_2^2 (\ddot{\theta}_1 + \ddot\theta_2) + m_2 l_1 l_2 (c_2 \ddot\theta_1 + s_2 \dot{q}_1^2)"
     r" + m_2 g l_2 c_{12}"],
)  # fmt: skip
def test_entries_of_models_by_name(answer: str) -> None:
    assert mp.check_answer("planar2r", answer)


@pytest.mark.parametrize("answer", ["T99 = 0", "blah = 1", "no formula", "px"])
def test_an_entry_that_is_none_is_refused(answer: str) -> None:
    with pytest.raises(mp.InputError):
        mp.check_answer("planar2r", answer)


@pytest.mark.parametrize("seed", range(4))
def test_a_changed_term_is_never_accepted(seed: int, ten: Worksheet) -> None:
    """A solution with one more term, or a factor, is refused wherever it is planted."""
    rng = Random(seed)
    sheet = ten.sheets[seed]
    for one in sheet.questions:
        if isinstance(one.solution, FormulaTree):
            changed = f"({sheet.plain(one)})*{rng.choice((2, 3, -1))} + {rng.choice(('q1', '0.25', 's1'))}"
            assert not sheet.check(one.key, changed), changed


def test_numbers_are_checked_to_three_digits() -> None:
    sheet = mp.worksheet("planar2r", ["pose", "ik"], numbers=True, students=2).sheet(2)
    number = next(one for one in sheet.questions if one.kind == "number")
    assert sheet.check(number.key, f"{number.solution:.4g}")
    assert not sheet.check(number.key, f"{number.solution + 0.05:.4g}")
    assert not sheet.check(number.key, "a lot")
    joints = next(one for one in sheet.questions if one.kind == "joints")
    assert sheet.check(joints.key, ", ".join(map(str, joints.solution)))
    assert "off by" in str(sheet.check(joints.key, ", ".join(str(x + 20) for x in joints.solution)))
    assert "expected 2 numbers" in str(sheet.check(joints.key, "1"))


def test_files_are_written_and_answers_checked_from_them(tmp_path: Path) -> None:
    made = mp.worksheet("planar2r", ["pose", "dynamics"], seed=5, students=2, vary="axes")
    files = made.write(tmp_path, formats=["html", "tex", "typ"])
    assert len(files) == 13
    student, teacher = ((tmp_path / f"{who}_02.html").read_text(encoding="utf-8") for who in ("student", "teacher"))
    assert "http" not in student.replace("http-equiv", "")
    assert len(teacher) > len(student) + 5000  # the derivations
    keys = solutions(made.sheet(2))
    assert all(api.check_worksheet(tmp_path, 2, keys).values())
    data = json.loads((tmp_path / "worksheet.json").read_text(encoding="utf-8"))
    assert [len(one["questions"]) for one in data["students"]] == [len(x.questions) for x in made.sheets]
    # the solution is in the teacher's files alone
    for key, text in keys.items():
        assert text not in student or len(text) < 4, key


@pytest.mark.parametrize(
    ("asked", "says"),
    [({"topics": []}, "at least one"), ({"topics": ["juggling"]}, "juggling"), ({"students": 0}, "students"),
     ({"vary": "colours"}, "colours"), ({"students": 150, "vary": "axes", "topics": ["jacobian"]}, "different arms")],
)  # fmt: skip
def test_bad_wishes_are_met_with_a_sentence(asked: dict[str, object], says: str) -> None:
    with pytest.raises(mp.InputError, match=says):
        mp.worksheet(dh("R", "pendulum", a=["l1"]), **asked)  # type: ignore[arg-type]


def test_many_joints_vary_by_lengths() -> None:
    with pytest.raises(mp.InputError, match="use lengths"):
        mp.worksheet("puma560", ["pose"], students=2, vary="axes")
    assert len(mp.worksheet("puma560", ["pose"], students=2)) == 2


@pytest.mark.parametrize("seed", range(3))
def test_letters_have_numbers_of_their_kind(seed: int) -> None:
    """Masses from a table of masses in kg, lengths from one in m; what has a number keeps it."""
    robot = dh("RRR", "mixed", a=["l1", "l2", "h3"], d=[0, "mast", 0]).with_parameters(l2=7.0)
    numbers = numbers_of(robot, Random(seed))
    assert numbers.keys() == robot.parameters.keys() and numbers["l2"] == 7.0
    assert all(numbers[name] in MASSES for name in ("m1", "m2", "m3"))
    assert all(numbers[name] in LENGTHS for name in ("l1", "h3"))
    drawn = [numbers_of(robot, Random(10 * seed + k)) for k in range(8)]
    assert max(x[name] for x in drawn for name in ("m1", "m2", "m3")) > max(LENGTHS)


def in_other_words(text: str, rng: Random) -> str:
    """A solution as somebody else would type it: blanks, Greek, indices, capitals, LaTeX, a decimal comma."""
    joints = rng.choice(("q", "theta", "θ", "θ_", r"\theta_"))
    text = re.sub(r"\bq(d*)(\d)", lambda x: f"q{x[1]}{x[2]}" if x[1] else f"{joints}{x[2]}", text)
    text = re.sub(r"\b([cs])(\d+)\b", rng.choice((r"\1\2", r"\1_\2", r"\1_{\2}")), text)
    text = text.replace("*", rng.choice(("*", "·", " ", r"\cdot ")))
    text = re.sub(r"\b([clsm])(\d)\b", lambda x: x[1] + "₀₁₂₃₄₅₆₇₈₉"[int(x[2])], text) if rng.random() < 0.3 else text
    text = text.replace("-", "−") if rng.random() < 0.5 else text
    text = re.sub(r"\^(\d)", lambda x: "²³⁴"[int(x[1]) - 2], text) if rng.random() < 0.5 else text
    text = re.sub(r"(\d)\.(\d)", r"\1,\2", text) if rng.random() < 0.5 else text
    return rng.choice(("", "  ", "x = ")) + text


@pytest.mark.parametrize("seed", range(3))
def test_a_solution_is_right_in_other_words(seed: int, ten: Worksheet) -> None:
    """Of arms of every kind that were drawn; with another term it is wrong in any words."""
    rng = Random(seed)
    for sheet in ten.sheets[3 * seed : 3 * seed + 3]:
        for one in sheet.questions:
            if isinstance(one.solution, FormulaTree):
                text = in_other_words(sheet.plain(one), rng)
                assert sheet.check(one.key, text), (text, str(sheet.check(one.key, text)))
                assert not sheet.check(one.key, in_other_words(f"{sheet.plain(one)} + 0.25*s1*m1", rng))


ANSWERS = [*RIGHT, *WRONG, "l1 c₁ + l2 c₁₊₂", "cos1 l1 + cos12 l2", "l1*atan2(1,1) + c1", "nosuch", "l1 c1 q12", "m12"]


@needs_node
def test_the_page_reads_answers_as_the_command_does(tmp_path: Path) -> None:
    """One list of rewrites, two readers: the same answers are right."""
    sheet = mp.worksheet("planar2r", ["pose"], seed=1).sheet(1)
    one = next(x for x in sheet.questions if str(x.left).startswith("Letter(letter='p', below='x'"))
    samples = samples_of(one, 2, Random(1))
    question = {"kind": "formula", "samples": samples, "words": {key: key for key in WORDS}}
    reader = SCRIPT.partition("for (const box of")[0]
    run = f"""{reader}
    const verdict = (text) => {{ try {{ return judge({json.dumps(question)}, text)[0]; }} catch {{ return false; }} }};
    console.log(JSON.stringify({json.dumps(ANSWERS)}.map(verdict)));"""
    page = json.loads(run_node(run, tmp_path))
    assert page == [bool(sheet.check(one.key, text)) for text in ANSWERS]


NUMBERS = {
    "0.866": (math.sqrt(3) / 2, True), "sqrt(3)/2": (math.sqrt(3) / 2, True), "0,866 m": (math.sqrt(3) / 2, True),
    "√3/2": (math.sqrt(3) / 2, True), "−0.866": (-math.sqrt(3) / 2, True), "px = 0.25": (0.25, True),
    "0.024": (0.02, False), "0": (0.004, False), "0.004": (0.0043, True), "12,3 N m": (12.31, True),
    "1/8": (0.125, True),
    "l1": (0.3, False), "": (0.3, False), "0.3.1": (0.3, False), "cos(30°)": (math.sqrt(3) / 2, True),
}  # fmt: skip
LISTS = {
    "30, -45": True, "30; -45": True, "30 -45": True, "30,-45": True, "(30°, −45°)": True, "30,0; -45,0": True,
    "θ1 = 30°, θ2 = -45°": True, "q1=30 q2=-45": True, "30, 45": False, "30": False, "30, -45, 0": False, "a b": False,
}  # fmt: skip


@needs_node
def test_numbers_are_read_as_people_write_them(tmp_path: Path) -> None:
    """By the command and by the page."""
    sheet = mp.worksheet("planar2r", ["ik"], seed=1).sheet(1)
    one = next(x for x in sheet.questions if x.kind == "joints")
    arm = mp.Arm(sheet.robot.with_parameters(**dict(one.given)))
    target = tuple(arm.pose(np.radians([30, -45]))[:3, 3].tolist())
    reach = replace(one, target=target)
    words = {key: key for key in WORDS}
    cases: list[tuple[dict[str, object], str, bool, bool]] = [
        (
            {"kind": "number", "value": value, "near": NEAR, "words": words},
            text,
            right,
            bool(check_number(value, text, NEAR)),
        )
        for text, (value, right) in NUMBERS.items()
    ]  # fmt: skip
    joints: dict[str, object] = {"kind": "joints", "arm": sheet.arm_in_numbers(reach), "close": CLOSE, "words": words}
    asked = check_joints
    cases += [
        (joints, text, right, bool(asked(sheet.robot, dict(one.given), target, text))) for text, right in LISTS.items()
    ]
    run = f"""{SCRIPT.partition("for (const box of")[0]}
    const verdict = ([q, text]) => {{ try {{ return judge(q, text)[0]; }} catch {{ return false; }} }};
    console.log(JSON.stringify({json.dumps([case[:2] for case in cases])}.map(verdict)));"""
    page = json.loads(run_node(run, tmp_path))
    for (_, text, right, command), here in zip(cases, page, strict=True):
        assert (command, here) == (right, right), text


@pytest.mark.parametrize("seed", range(6))
def test_an_angle_is_its_whole_multiples_of_joints_and_its_degrees(seed: int) -> None:
    rng = Random(seed)
    joints = [Symbol(f"q{k}", True) for k in range(1, 4)]
    times = {joint: rng.randint(-3, 3) for joint in joints}
    turned = Fraction(rng.choice((-90, 0, 45)))
    parts: list[FormulaTree] = [product_of([FormulaNumber(Fraction(n)), joint]) for joint, n in times.items()]
    found = dict(angle_leaves(sum_of([*parts, product_of([FormulaNumber(turned), Degrees(Fraction(1))])])))
    degrees = sum(n * leaf.value for leaf, n in found.items() if isinstance(leaf, Degrees))
    assert {leaf: n for leaf, n in found.items() if not isinstance(leaf, Degrees)} == {
        x: n for x, n in times.items() if n
    }
    assert degrees == turned


def test_an_angle_of_nothing_is_none_and_one_of_a_bare_number_is_refused() -> None:
    assert angle_leaves(ZERO) == ()
    for wrong in (FormulaNumber(Fraction(1)), product_of([FormulaNumber(Fraction(1, 2)), Symbol("q1", True)])):
        with pytest.raises(InputError, match=r"an angle has whole multiples|is a sum of joints"):
            angle_leaves(wrong)


def test_a_sheet_that_is_not_there_or_is_none_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "none.json"
    with pytest.raises(InputError) as caught:
        check_file(missing, 1, {})
    assert str(caught.value) == f"{missing}: cannot be read: No such file or directory"
    for text in ("", "[]", "{}", '{"students": 3, "topics": [], "seed": 1}'):
        missing.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as caught:
            check_file(missing, 1, {})
        assert str(caught.value) == f"{missing}: not a worksheet that manipula wrote"
