"""Small files that would keep a reader busy for hours: each is refused in one sentence, and at once."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

import manipula as mp
from manipula.errors import InputError, RobotFileError
from manipula.mechanics.robot.formats.source import MOST_JOINTS

HEAD = 'format = 1\nname = "x"\nconvention = "standard"\nangle = "deg"\n'
JOINT = '[[joint]]\ntype = "revolute"\ntheta = 0\nd = 0\na = {a}\nalpha = 0\n'


def doubling(form: str, first: str, count: int, used: bool = True) -> str:
    """v0, v1 made of v0 twice, v2 of v1 twice, …"""
    names = [f"v{k}" for k in range(count)]
    random.Random(count).shuffle(names)
    rows = [f'{names[0]} = "{first}"', *(f'{b} = "{form.format(a)}"' for a, b in pairwise(names))]
    random.Random(count).shuffle(rows)
    return HEAD + "[values]\n" + "\n".join(rows) + "\n" + JOINT.format(a=f'"{names[-1]}"' if used else 1)


def urdf(joints: int) -> str:
    ends = (f'<parent link="l{k}"/><child link="l{k + 1}"/>' for k in range(joints))
    rows = (f'<link name="l{k}"/><joint name="j{k}" type="revolute">{end}</joint>' for k, end in enumerate(ends))
    return f'<robot name="r">{"".join(rows)}<link name="l{joints}"/></robot>'


BOMBS: dict[str, tuple[str, str]] = {
    "sums of sums": ("toml", doubling("{0}+{0}", "z", 40)),
    "squares of squares": ("toml", doubling("{0}*{0}", "0.5", 60)),
    "nobody uses it": ("toml", doubling("{0}*{0}", "0.5", 60, used=False)),
    "powers of powers": ("toml", doubling("{0}**99", "0.999", 5)),
    "quotients": ("toml", doubling("{0}/(1+{0})", "z", 45)),
    "a long way down": ("toml", doubling("{0}+1", "z", 3000)),
    "joints": ("toml", HEAD + JOINT.format(a=1) * (MOST_JOINTS + 1)),
    "text": ("toml", f'{HEAD}description = "{"x" * 10_000_000}"\n{JOINT.format(a=1)}'),
    "rows": ("dh", "theta,d,a,alpha\n" + "0,0,1,90\n" * 300_000),
    "links": ("urdf", urdf(3000)),
    "a name without an end": ("par", "(* Robotname = '" + "a" * 300_000),
    "comments without an end": ("par", "(*" * 150_000),
    "blanks": ("par", " " * 100_000 + "\n" + "a" * 100_000 + " " * 100_000),
    "equal signs": ("par", "a = " * 100_000),
    "columns": ("par", f"Sigma = {{{'0,' * 20_000}0}}"),
    "a number in par": ("par", "Sigma = {0}\nD = {1e999999999}\nAlpha={0}\nR={0}\nTheta={t1}"),
    "brackets in par": ("par", f"Sigma = {{0}}\nD = {{{'(' * 9000}1{')' * 9000}}}\nAlpha={{0}}\nR={{0}}\nTheta={{t1}}"),
    "a number in urdf": ("urdf", urdf(1).replace("<parent", '<origin xyz="1e999 0 0"/><parent')),
    "digits in urdf": ("urdf", urdf(1).replace("<parent", f'<origin xyz="{"7" * 9000} 0 0"/><parent')),
    "digits in toml": ("toml", HEAD + JOINT.format(a="0." + "3" * 9000)),
    "a number in a table": ("dh", "theta,d,a,alpha\nq1,0,1e999999999,90\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused(name: str) -> None:
    form, text = BOMBS[name]
    with pytest.raises(RobotFileError) as caught:
        mp.Robot.from_text(text, form)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["1e999999999", "(" * 9000 + "1" + ")" * 9000, "-" * 9000 + "1", "0x10", "9" * 9000])
def test_expressions_given_in_python_are_bounded_too(text: str) -> None:
    with pytest.raises(InputError):
        mp.load("planar2r").with_parameters(l1=text)


@pytest.mark.parametrize("form", ["{0}+{0}", "{0}*{0}", "{0}/(1+{0})"])
def test_what_is_not_too_large_is_read_and_used(form: str) -> None:
    """Values inside values, each met once: eight levels of two."""
    robot = mp.Robot.from_text(doubling(form, "z", 9))
    assert mp.generate(robot, "pose", optimise="none").inputs["p"] == ("z",)
    solved = mp.Robot.from_text(doubling(form, "1", 9))
    value = 1.0
    for _ in range(8):
        value = float(eval(form.format(f"({value!r})")))
    assert mp.Arm(solved).pose([0.0])[0, 3] == pytest.approx(value)
