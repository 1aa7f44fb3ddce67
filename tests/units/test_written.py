"""Entries as people write them: LaTeX, Unicode, decimal commas, units, Greek letters, words of a language as names."""

from __future__ import annotations

import importlib.util
import random
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.api.assignments import assignments
from manipula.errors import InputError, RobotFileError
from manipula.mechanics.robot.formats.units import parameter_from_raw
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, ParameterOp, float_of
from manipula.mechanics.robot.values.terms import Units, plain_text
from manipula.support.text import GREEK
from tests.golden.sentences import Sentences

VALUES = {"L_1": 0.7, "l2": 1.3, "beta": 0.4, "lambda": 2.1, "l": 0.9}
LEAVES = {"L_1": ("L_1", "L_{1}", r"\mathrm{L}_1"), "l2": ("l2", "l₂", "ℓ2"), "beta": (r"\beta", "β", "beta"),
          "lambda": (r"\lambda", "λ", "lambda"), "l": (r"\ell", "l")}  # fmt: skip


def drawn(rng: random.Random, depth: int) -> tuple[str, float]:
    """An expression in the signs of a book, and its value."""
    if depth == 0 or rng.random() < 0.25:
        if rng.random() < 0.4:
            n = rng.randint(1, 9)
            return rng.choice((f"{n}", f"{n}.5", rf"{n}\pi", f"{n} π")), 0.0  # the value is filled in below
        name = rng.choice(list(LEAVES))
        return rng.choice(LEAVES[name]), VALUES[name]
    (left, x), (right, y) = drawn(rng, depth - 1), drawn(rng, depth - 1)
    x, y = valued(left, x), valued(right, y)
    frac = rng.choice((r"\frac", r"\tfrac", r"\dfrac"))
    return rng.choice(
        (
            (rf"{frac}{{{left}}}{{{right}}}", x / y),
            (rf"\left({left} + {right}\right)", x + y),
            (rf"{{{left}}} \cdot {{{right}}}", x * y),
            (rf"({left}) × ({right})", x * y),
            (rf"\sqrt{{{left}}}", x**0.5),
            (rf"{{{left}}}^{{2}}", x * x),
            (rf"\cos({left})", float(np.cos(x))) if x > 0 else (left, x),
        )
    )


def valued(text: str, value: float) -> float:
    if value:
        return value
    number = float(text.replace(r"\pi", "").replace("π", ""))
    return number * np.pi if "π" in text or r"\pi" in text else number


@pytest.mark.parametrize("seed", range(60))
def test_the_signs_of_books_have_their_value(seed: int) -> None:
    text, value = drawn(random.Random(seed), 3)
    value = valued(text, value)
    if not value > 0:
        return  # a root of nothing
    for written in (text, f"${text}$", text.replace(" ", r"\,")):
        assert float_of(parameter_from_raw(written, "si", Units()), VALUES) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("text", ["2*L1", "a_2 - 3", "sqrt(2)/2", "1e-3", "x**2", "-g"])
def test_what_is_plain_stays_as_it_is(text: str) -> None:
    assert plain_text(text) == text


@pytest.mark.parametrize(
    "text",
    [r"-90^\circ", r"-90^{\circ}", r"-90\degree", r"$-90^\circ$", "−90°", "-90º", r"-\frac{\pi}{2}", r"-\frac\pi2",
     r"\ang{-90}", r"\SI{-90}{\degree}", "-90 deg", r"-\pi/2", r"-{\pi}/2", "-π/2", r"-90,0^\circ"],
)  # fmt: skip
def test_a_quarter_turn_in_rows_and_in_a_pasted_table(text: str) -> None:
    made = mp.Robot.from_dh([("q1", 0, 0.5, text), {"theta": "q2", "d": 0, "a": "430 mm", "alpha": 0}])
    pasted = mp.Robot.from_text(
        r"\theta & d & a & \alpha \\ \hline" + "\n" + rf"\theta_1 & 0 & 0,5 & {text} \\" + "\n"
        r"\theta_{2} & 0 & 430 mm & 0 \\" + "\n", "dh", convention="standard", angle="rad",
    )  # fmt: skip
    for robot in (made, pasted):
        assert robot.joints[0].after[-1].amount.value == Deg(Fraction(-90))
        assert robot.joints[1].after[1].amount.value == Num(Fraction("0.43"))


@pytest.mark.parametrize("text", [r"\theta_1 - \frac{\pi}{2}", "θ1 − 90°", r"\theta_{1}^{*} - 90^\circ", "q1 - pi/2"])
def test_an_offset_beside_the_variable(text: str) -> None:
    assert mp.Robot.from_dh([(text, 0, 1, 0)]).joints[0].offset.value == Deg(Fraction(-90))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ((0, r"90^\circ", 1, 0), "joint 1: d: found '90^\\\\circ', a value in deg (expected a length in m, cm or mm)"),
        ((0, 0, "12°", 0), "joint 1: a: found '12°', a value in deg"),
        ((0, 0, 1, "430 mm"), "joint 1: alpha: found '430 mm', a value in mm (expected an angle in deg or rad)"),
        ((0, 0, 1, r"\foo{2}"), "is not a name or an arithmetic expression"),
        ((0, 0, 1, r"\frac{1}"), "is not a name or an arithmetic expression"),
        ((0, 0, "é1", 0), "without accents, as in 'e1'"),
        ((0, 0, "comprimento_braço", 0), "as in 'comprimento_braco'"),
        ((0, 0, "2L", 0), "is not a name or an arithmetic expression"),
        ((0, 0, "a or b", 0), "is not a name or an arithmetic expression"),
        ((0, 0, "lambda: 1", 0), "is not a name or an arithmetic expression"),
        ((0, 0, "True", 0), "only numbers, names"),
    ],
)
def test_what_cannot_be_meant_is_refused(row: tuple[Any, ...], told: str, whole: Sentences) -> None:
    with whole.raises(RobotFileError) as caught:
        mp.Robot.from_dh([row])
    assert told in str(caught.value)


QUICK, MORE = ("lambda", "β", "for"), ("class", "in", "λ1", "µ", "double", "end", "fn")


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)])
def test_any_word_may_name_a_length(name: str, tmp_path: Path) -> None:
    robot = mp.Robot.from_dh([(0, 0, name, 0), (0, 0, "b2", 0)])
    inner = "".join(GREEK.get(letter, letter) for letter in name)
    assert robot.joints[0].after[1].amount.value == Name(inner)
    valued = robot.with_parameters(**{name: 0.5, "b2": 0.25})
    assert valued.parameters[inner] == 0.5
    assert mp.load(mp.save(valued, tmp_path / "arm.toml")).parameters == valued.parameters
    written = mp.generate(robot, "pose").emit("python", tmp_path)
    found = importlib.util.spec_from_file_location("emitted", next(path for path in written if path.suffix == ".py"))
    assert found is not None and found.loader is not None
    found.loader.exec_module(importlib.util.module_from_spec(found))  # the text is Python
    made = mp.generate(robot, "pose")
    assert made.compile()([0.1, 0.2], p={inner: 0.5, "b2": 0.25})[0, 3] == pytest.approx(
        0.5 * np.cos(0.1) + 0.25 * np.cos(0.3)
    )


def test_values_by_greek_letters() -> None:
    text = 'format = 1\nname = "x"\nconvention = "standard"\nangle = "rad"\n[values]\n"β" = 0.3\n[[joint]]\n'
    rest = 'type = "revolute"\ntheta = 0\nd = 0\na = "2*β"\nalpha = 0\n'
    assert mp.Robot.from_text(text + rest).parameters["beta"] == 0.3
    with pytest.raises(RobotFileError, match="'β' and 'beta' are one name"):
        mp.Robot.from_text(text.replace("[[joint]]", "beta = 0.4\n[[joint]]") + rest)


@pytest.mark.parametrize(
    ("typed", "value"), [("a1=0,43", "0.43"), ("a1=430,5mm", "0.4305"), ("a1=,5", "0.5"), ("α1=22,5deg", "0.125*pi")]
)
def test_a_decimal_comma_in_an_assignment(typed: str, value: str) -> None:
    [change] = assignments([typed], mp.Robot.from_dh([(0, 0, 0.4, 0.1)]))
    assert change.value == value
    assert "," not in change.entry and "," not in change.si_entry


def test_a_list_is_no_decimal() -> None:
    robot = mp.Robot.from_dh([(0, 0, 0.4, 0.1)])
    with pytest.raises(InputError, match=r"a1: '1\.2\.3' is not a name or an arithmetic expression"):
        assignments(["a1=1,2,3"], robot)


def test_a_name_with_an_accent_names_files_without(tmp_path: Path) -> None:
    robot = mp.Robot.from_dh([(0, 0, 1, 0)], name="braço")
    made = mp.generate(robot, "pose")
    assert made.name == "braco_pose"
    assert {path.name for path in made.emit("c", tmp_path)} >= {"braco_pose.c", "braco_pose.h"}


def test_operations_of_sympy_are_read() -> None:
    sympy = pytest.importorskip("sympy")
    a, b = sympy.symbols("L1 lambda")
    robot = mp.Robot.from_dh([(sympy.Symbol("q1"), 0, a / 2 + b, sympy.pi / 2)])
    length, twist = (step.amount.value for step in robot.joints[0].after[1:])
    assert isinstance(length, ParameterOp) and float_of(length, {"L1": 2.0, "lambda": 0.5}) == 1.5
    assert twist == Deg(Fraction(90))


@pytest.mark.parametrize("seed", range(5))
def test_a_planar_arm_from_a_book_is_told_that_gravity_is_idle(seed: int) -> None:
    """Rows of one plane under gravity across it, or tilted out of it: what is told is what the torques say."""
    rng = random.Random(seed)
    twists = [rng.choice((0, 0, 0, 90)) for _ in range(rng.randint(1, 3))]
    body = {"mass": 1, "com": [0.1, 0.2, 0.3], "inertia": {"xx": 1, "yy": 1, "zz": 1}}
    kinds = [rng.choice("RRP") for _ in twists]
    rows = [{"theta": 0, "d": 0, "a": 0.5, "alpha": twist, "type": kind, **body} for twist, kind in zip(twists, kinds)]
    robot = mp.Robot.from_dh(rows, angle="deg")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torques = mp.Arm(robot).gravity(np.linspace(0.3, 1.1, robot.dof))
    told = [str(warning.message) for warning in caught if "gravity does no work on any joint" in str(warning.message)]
    assert bool(told) == bool(np.allclose(torques, 0, atol=1e-12))
    if told:
        turned = robot.with_parameters(gy=-9.81, gz=0)  # as the sentence says
        assert kinds == ["P"] or not np.allclose(mp.Arm(turned).gravity(np.linspace(0.3, 1.1, robot.dof)), 0)


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ("m1=2 kg", "mm"),
        ("rx1=2 mm", "kg"),
        ("a1=2 mm", "deg"),
        ("alpha1=2 deg", "mm"),
        ("fv1=2", "mm"),
        ("Ixx1=2", "kg"),
    ],
)
def test_a_name_of_each_kind_of_cell_has_the_unit_of_its_cell(typed: str, wrong: str) -> None:
    body = {"mass": "m1", "com": ["rx1", 0, 0], "inertia": {"xx": "Ixx1", "yy": 1, "zz": 1}}
    row = {"theta": 0, "d": 100, "a": "a1", "alpha": "alpha1", "friction": {"viscous": "fv1"}, **body}
    robot = mp.Robot.from_dh([row], angle="deg", length="mm")
    name, _, value = typed.partition("=")
    [change] = assignments([f"{name}={value.split()[0]}"], robot)
    assert change.said == value
    with pytest.raises(InputError, match=f"a value in {wrong}"):
        assignments([f"{name}=2{wrong}"], robot)
