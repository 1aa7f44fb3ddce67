"""Tables as LaTeX sets them and as Python writes them for the Robotics Toolbox: the same arm as typed by hand."""

from __future__ import annotations

import math
import random
import re

import pytest

from manipula.errors import ManipulaWarning, RobotFileError
from manipula.mechanics.robot.formats.dh.other_texts import plain_lines
from manipula.mechanics.robot.formats.dh.read import robot_from_dh_text, robot_from_rows
from manipula.mechanics.robot.formats.rows import row_from_joint
from manipula.mechanics.robot.values.parameter import text_of

HEADS = {"theta": r"$\theta_i$", "d": "$d_i$", "a": r"\textbf{$a_{i}$}", "alpha": r"$\alpha_{i}$", "type": "type"}
FRAMES = [
    (r"\begin{tabular}{c|cccc} \hline", r"\hline \end{tabular}", r" \\ \hline"),
    (r"\begin{tabularx}{\textwidth}{@{}l*{4}{c}@{}} \toprule", r"\bottomrule \end{tabularx}", r" \\[2pt]"),
    (
        r"\begin{table}\centering\caption{An arm}\begin{array}[t]{c|c|c|c|c}",
        r"\end{array}\end{table}",
        r" \\ \cline{1-5}",
    ),
    (r"\[\begin{bmatrix}", r"\end{bmatrix}\]", r" \tabularnewline"),
]


def cells(text: str, **options: object) -> list[tuple[str, ...]]:
    robot = robot_from_dh_text(text, **{"convention": "standard", **options})  # type: ignore[arg-type]
    return shown(robot)


def shown(robot: object) -> list[tuple[str, ...]]:
    rows = [(joint, row_from_joint(joint, "standard")) for joint in robot.joints]  # type: ignore[attr-defined]
    return [
        (joint.kind, str(joint.direction), *(text_of(getattr(row, x).parameter) for x in ("theta", "d", "a", "alpha")))
        for joint, row in rows
    ]


@pytest.mark.parametrize("seed", range(12))
def test_a_latex_table_is_the_table(seed: int) -> None:
    """Whatever is around it: rules, headings in any order, rows on one line, comments, a fixed or a sliding row."""
    draw = random.Random(seed)
    begin, end, after = draw.choice(FRAMES)
    order = draw.sample(list(HEADS), 5)
    kinds = [draw.choice("RP") for _ in range(draw.randint(1, 5))]
    rows, typed = [], []
    for i, kind in enumerate(kinds, 1):
        row = {"theta": 0, "d": draw.choice([0, 0.25, f"l_{i}"]), "a": 0.4, "alpha": draw.choice([0, 90, -90])}
        tex = {k: rf"${v}^\circ$" if k in ("theta", "alpha") else f"${v}$" for k, v in row.items()}
        tex |= {"type": kind, "theta": rf"$\theta_{{{i}}}$" if kind == "R" else "0"}
        tex |= {} if kind == "R" else {"d": rf"$d_{{{i}}}$"}
        row |= {} if kind == "R" else {"d": 0}
        rows.append(" & ".join([str(i), *(tex[k] for k in order)]))
        typed.append({**row, "type": kind})
    body = (after + draw.choice(["\n", " ", "\n% a note & another\n"])).join(
        [" & ".join(["$i$", *(HEADS[k] for k in order)]), *rows]
    )
    assert cells(f"{begin}\n{body}{after}\n{end}") == shown(robot_from_rows(typed))


def number(draw: random.Random) -> tuple[str, float]:
    value = draw.choice([0.0, 0.4318, -1.5, 1e-3, 2.0])
    return draw.choice([f"{value!r}", f"({value!r} + 1) - 1" if value else "0", f"2*{value!r}/2"]), value


def angle(draw: random.Random) -> tuple[str, float]:
    turns = draw.choice([0, 1, -1, 2, 3])
    pi = draw.choice(["pi", "np.pi", "math.pi"])
    text = draw.choice(
        [f"{turns}*{pi}/2", f"np.deg2rad({90 * turns})", f"math.radians({90 * turns})", f"{90 * turns}*deg"]
    )
    return text, turns * math.pi / 2


@pytest.mark.parametrize("seed", range(12))
def test_links_of_the_toolbox_are_the_joints(seed: int) -> None:
    """In any order of keywords, assigned first or in the list, with values by name, to the last digit."""
    draw = random.Random(seed)
    modified = draw.random() < 0.5
    lines, typed = [], []
    for _ in range(draw.randint(1, 6)):
        prismatic, flip = draw.random() < 0.3, draw.random() < 0.3
        (a, a_value), (alpha, alpha_value) = number(draw), angle(draw)
        (still, still_value), (offset, offset_value) = (
            (angle(draw), number(draw)) if prismatic else (number(draw), angle(draw))
        )
        said = [f"a={a}", f"alpha={alpha}", f"{'theta' if prismatic else 'd'}={still}", f"offset={offset}"]
        said += ["flip=True"] if flip else []
        draw.shuffle(said)
        lines.append(f"{'Prismatic' if prismatic else 'Revolute'}{'M' if modified else ''}DH({', '.join(said)})")
        theta, d = (still_value, offset_value) if prismatic else (offset_value, still_value)
        typed.append((prismatic, flip, theta, d, a_value, alpha_value))
    named = draw.random() < 0.5
    links = "".join(f"L{i} = {line}\n" for i, line in enumerate(lines)) if named else ""
    inside = ", ".join(f"L{i}" for i in range(len(lines))) if named else ",\n    ".join(lines)
    text = f"from math import pi\ndeg = pi/180\n{links}robot = rtb.DHRobot([{inside}], name='mine')\n"
    robot = robot_from_dh_text(text)
    assert robot.name == "mine"
    for joint, (prismatic, flip, *wanted) in zip(robot.joints, typed, strict=True):
        row = row_from_joint(joint, "modified" if modified else "standard")
        assert row and joint.kind == ("prismatic" if prismatic else "revolute")
        assert joint.direction == (-1 if flip else 1)
        found = [float(getattr(row, x).parameter.value) if hasattr(getattr(row, x).parameter, "value") else 0.0
                 for x in ("theta", "d", "a", "alpha")]  # fmt: skip
        found = [math.radians(v) if x in ("theta", "alpha") and "Deg" in type(getattr(row, x).parameter).__name__ else v
                 for x, v in zip(("theta", "d", "a", "alpha"), found)]  # fmt: skip
        assert found == pytest.approx(wanted, abs=1e-12)


def test_what_a_table_has_no_place_for_is_named() -> None:
    text = "DHRobot([RevoluteDH(a=1, m=2, qlim=[-1, 1])], tool=SE3(0, 0, 1))"
    with pytest.warns(ManipulaWarning, match="a table holds no m, qlim, tool: these were left out"):
        robot_from_dh_text(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("DHRobot([RevoluteDH(0.1, 0)])", "joint 1: row: RevoluteDH has a value without its name"),
        ("DHRobot([RevoluteDH(a=1), RevoluteMDH(a=1)])", "both conventions"),
        ("DHRobot([RevoluteDH(d=open('x'))])", "joint 1: d: open('x') is neither a number nor a product"),
        ("DHRobot([RevoluteDH(a=a2 + 0.1)])", "joint 1: a: a2 + 0.1 is neither"),
        ("RevoluteDH(a=1, alpha=pi/2 +", "not whole Python"),
        ("RevoluteDH(a=" + "(" * 300 + "1" + ")" * 300 + ")", "Python"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(RobotFileError, match=re.escape(said)):
        robot_from_dh_text(text)


def test_a_convention_that_the_text_states_is_not_overruled() -> None:
    with pytest.raises(RobotFileError, match="the text states the modified convention, standard was requested"):
        robot_from_dh_text("RevoluteMDH(a=1)", convention="standard")


@pytest.mark.parametrize("text", ["θ1 0 l1 0", "theta,d,a,alpha\n0,0,1,0", "", r"\theta_1 & 0 & 1 & 0 \\"])
def test_any_other_text_is_left_as_it_is(text: str) -> None:
    assert plain_lines(text).text == text
