"""Whole multiples of an angle beyond 2**20 are refused wherever a robot comes from, however they are spelled."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.mechanics.robot.values.angles import MOST_TIMES, Multiples
from manipula.mechanics.robot.values.parameter import Deg, Parameter, parameter_from_text

TOML = """
format = 1
name = "b"
convention = "standard"
angle = "rad"
inertia_default = 0
[values]
{values}
[[joint]]
type = "revolute"
theta = "{theta}"
d = 0
a = "{a}"
alpha = "{alpha}"
mass = 1
[[joint]]
type = "prismatic"
theta = "{turn}"
d = "{d}"
a = 1
alpha = 0
mass = 1
"""
PAR = """
(* Robotname = 'b' *)
NL = 2
NJ = 2
NF = 2
Type = 0
sigma = {{0, 0}}
alpha = {{0, {alpha}}}
d = {{0, 1}}
theta = {{t1, t2}}
r = {{0, 0}}
"""


def toml(values: str = "", theta: str = "0", a: str = "1", alpha: str = "x", turn: str = "0", d: str = "0") -> mp.Robot:
    return mp.Robot.from_text(TOML.format(values=values, theta=theta, a=a, alpha=alpha, turn=turn, d=d))


DOUBLED = "\n".join(['v0 = "z"', *(f'v{i} = "v{i - 1} + v{i - 1}"' for i in range(1, 40))])
REFUSED: dict[str, Callable[[], mp.Robot]] = {
    "alpha": lambda: toml(alpha="2**59*x"),
    "one too many": lambda: toml(alpha=f"{MOST_TIMES + 1}*x"),
    "theta": lambda: toml(theta="2**59*x"),
    "theta of a slide": lambda: toml(turn="x*2**40"),
    "a name for the factor": lambda: toml("k = 2000000", alpha="k*x"),
    "a difference of names": lambda: toml('k = "2**100 + 2**30"\nl = "k - 2**100"', alpha="l*x"),
    "a name for the product": lambda: toml('v = "2**59*x"', alpha="v"),
    "names of names": lambda: toml('v0 = "1024*x"\nv1 = "1024*v0"\nv2 = "v1 + v0"', alpha="v2"),
    "sums of sums": lambda: toml(DOUBLED, alpha="v39"),
    "a small divisor": lambda: toml(alpha="x/1e-9"),
    "a sign": lambda: toml(alpha="-(2**21)*(-x)"),
    "inside a sine": lambda: toml(a="sin(2**40*y)"),
    "inside a cosine of a name": lambda: toml('w = "cos(2**30*y)"', d="w"),
    "a tower": lambda: toml('a1_ = "10**100"\nb = "a1_**100"\nc = "b**100"', alpha="c*x"),
    "rows": lambda: mp.Robot.from_dh([(0, 0, 1, "2**59*x"), (0, 0, 1, 0)]),
    "a pasted table": lambda: mp.Robot.from_text(
        "theta d a alpha\nq1 0 1 2**59*x\nq2 0 1 0\n", "dh", angle="rad", convention="standard"
    ),
    "a par file": lambda: mp.Robot.from_text(PAR.format(alpha="2**59*x"), "par"),
    "a tool": lambda: toml().with_tool((0, 0, 0), ("2**30*r", 0, 0)),
    "a base": lambda: toml().with_base((0, 0, 0), (0, "2**30*r", 0)),
    "a later value": lambda: toml("k = 2", alpha="k*x").with_parameters(k=2**59),
}


@pytest.mark.filterwarnings("ignore::manipula.ManipulaWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"times an angle.*at most 1048576"):
        REFUSED[name]()


@pytest.mark.filterwarnings("ignore::manipula.ManipulaWarning")
def test_what_a_person_writes_is_let_in() -> None:
    for robot in (
        toml(alpha="2*x - 3*y", theta="pi/3 + x", turn="x/2"),
        toml("k = 7", alpha="k*x"),
        toml(alpha=f"{MOST_TIMES}*x"),
        toml(alpha="2**59*pi/7"),  # a number of degrees: exact
        toml(a="2**59*L", d="1e9*L"),  # lengths are no angles
        mp.Robot.from_text(PAR.format(alpha="2*x"), "par"),
    ):
        assert robot.dof == 2
    assert mp.generate(toml("k = 7", alpha="k*x"), "pose", optimise="none").inputs["p"] == ("x",)


def random_tree(rng: random.Random, depth: int) -> tuple[str, dict[str, Fraction]]:
    """An expression of x and y that is a sum of multiples, and those multiples."""
    if depth == 0:
        name = rng.choice("xy")
        return name, {name: Fraction(1)}
    (left, a), (right, b) = (random_tree(rng, depth - 1) for _ in range(2))
    kind = rng.choice(("+", "-", "k*", "/k", "neg"))
    k = rng.randint(1, 40)
    if kind in ("+", "-"):
        sign = 1 if kind == "+" else -1
        return f"({left} {kind} {right})", {n: a.get(n, Fraction(0)) + sign * b.get(n, Fraction(0)) for n in a | b}
    if kind == "neg":
        return f"(-{left})", {n: -x for n, x in a.items()}
    if kind == "k*":
        return f"({k}*{left})", {n: k * x for n, x in a.items()}
    return f"({left}/{k})", {n: x / k for n, x in a.items()}


def test_the_count_is_never_below_the_true_one() -> None:
    rng = random.Random(4)
    for _ in range(300):
        text, true = random_tree(rng, rng.randint(0, 5))
        assert Multiples({}).of_angle(parameter_from_text(text)) >= max(abs(x) for x in true.values())


def test_numbers_are_no_leaves_of_their_own_multiple() -> None:
    values: dict[str, Parameter] = {"k": parameter_from_text("3"), "t": Deg(Fraction(30))}
    for text, times in (("k*x", 3), ("x*k*k", 9), ("k*t", 3), ("k*k", 3), ("x*y", 1), ("2*(x + y)", 4), ("x**3", 1)):
        assert Multiples(values).of_angle(parameter_from_text(text)) == times, text


def test_the_factor_of_an_angle_is_what_its_numbers_come_to() -> None:
    values: dict[str, Parameter] = {"k": parameter_from_text("3"), "n": parameter_from_text("7")}
    worth = {"k + n": 10, "n - k": 4, "k - n": 4, "k*n": 21, "n/k": 7 / 3, "n**2": 49, "-n": 7, "(n - k)*(k + 1)": 16}
    for text, factor in worth.items():
        for angle in (f"({text})*x", f"x*({text})", f"x/(1/({text}))", f"({text})*x/2*2"):
            assert Multiples(values).of_angle(parameter_from_text(angle)) == pytest.approx(factor), angle


def test_what_a_chain_adds_up_stays_within_the_proof() -> None:
    """Five parallel axes, the largest multiple on each: five times as much in one sine, and still proved."""
    robot = mp.Robot.from_dh([(f"{MOST_TIMES}*x + q{i}", 0, 1, 0) for i in range(1, 6)])
    for level in ("none", "fast"):
        model = mp.generate(robot, "pose", optimise=level)
        assert "x" in model.inputs["p"] and "chance of error below 1e-1" in model.provenance.proof
