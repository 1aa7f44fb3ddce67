"""What commands say, line by line: text, JSON and mistakes, in English. A file of `screens` holds commands (`$ manipula
…`), what each says and its exit code; `pytest -n 0 tests/golden/test_screens.py --update` accepts what they say now, of
commands added there, too: read the diff first. Numbers are compared to four digits, and rounding is `~0`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import app
from manipula.cli.terminal import screen

pytestmark = pytest.mark.usefixtures("kept_functions")  # every command is a program of its own
SCREENS, COMMAND = Path(__file__).with_name("screens"), "$ manipula "
ODD = "a,d,alpha,theta\n" + "".join(f"0.{i}3,0.{i}1,{20 + 10 * i},0\n" for i in range(1, 7))
HEAD = "format = 1\nconvention = 'standard'\nangle = 'deg'\nlength = 'm'\ninertia_default = 0\n"
ROWS = (
    ("revolute", 0.3, 0.2, 0, "[-160, 160]"), ("prismatic", 0, 0, 90, "[0, 0.5]"), ("revolute", 0, 0.1, 0, "[-90, 90]"),
)  # fmt: skip
SLIDING = f"{HEAD}name = 'sliding'\n" + "".join(
    f"[[joint]]\ntype = '{kind}'\ntheta = 0\nd = {d}\na = {a}\nalpha = {alpha}\nlimits = {limits}\n"
    for kind, d, a, alpha, limits in ROWS
)
# no two of its axes meet or are parallel
GENERAL = f"{HEAD}name = 'odd'\n" + "".join(
    f"[[joint]]\ntype = 'revolute'\ntheta = 0\nd = 0.{i}1\na = 0.{i}3\nalpha = {20 + 10 * i}\n" for i in range(1, 7)
)
HEAVY = """format = 1
name = "heavy"
convention = "standard"
angle = "deg"
length = "m"
inertia_about = "com"
inertia_default = 0
[[joint]]
type = "revolute"
theta = 0
d = 0
a = 0.4
alpha = 90
mass = 2
com = [-0.2, 0, 0]
friction = { viscous = 0.3, coulomb = 0.1 }
[[joint]]
type = "revolute"
theta = 0
d = 0
a = 0.3
alpha = 0
mass = 1
com = [-0.1, 0, 0]
inertia = { xx = 0.01, yy = 0.02, zz = 0.02, xy = 0, xz = 0, yz = 0 }
"""


FAULTY = """format = 1
function = "{name}_function:tried"
[cases]
x = [1.0, 2.0, 3.0]
"""
TRIED = """def tried(case, rng):
    if case["x"] > {limit}:
        raise ValueError(f"x is {{case['x']}}")
    return {{"y": case["x"] ** 2}}
"""


def recordings() -> None:
    """Two runs of an arm, one with a load in its hand, and one of an arm that stands."""
    arm = mp.Arm("heavy.toml")
    t = np.linspace(0, 4, 401)
    for name, robot, size in (("run", arm, 1.0), ("loaded", mp.Arm(mp.load("heavy.toml").with_payload(0.5)), 0.8)):
        q = size * np.stack([np.sin(1.7 * t) + 0.2 * np.cos(5 * t), np.cos(2.3 * t) - 0.3 * np.sin(4 * t)], axis=1)
        qd = np.gradient(q, t, axis=0)
        tau = robot.inverse_dynamics(q, qd, np.gradient(qd, t, axis=0))
        rows = np.column_stack([t, q, tau])
        np.savetxt(f"{name}.csv", rows, delimiter=",", header="t,q1,q2,tau1,tau2", comments="")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.setenv("MANIPULA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setattr(screen, "_PIPE_WIDTH", 118)
    monkeypatch.chdir(place)
    (place / "box").mkdir()
    eye = "[[1, 0, 0, 0.3], [0, 1, 0, 0.2], [0, 0, 1, 0.1], [0, 0, 0, 1]]"
    texts = {
        "heavy.toml": HEAVY, "sliding.toml": SLIDING, "odd.csv": ODD, "odd.txt": "no robot", "text.json": "{",
        "short.json": "[1, 2]", "eye.json": eye, "odd.toml": GENERAL,
        "faulty.toml": FAULTY.format(name="faulty"), "all_faulty.toml": FAULTY.format(name="all_faulty"),
        "faulty_function.py": TRIED.format(limit=1.5), "all_faulty_function.py": TRIED.format(limit=0),
    }  # fmt: skip
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def shortened(text: str, folder: Path) -> str:
    """Without what is another each time, or after every addition: folders, last digits of numbers, lists of names."""
    text = text.replace(str(folder), "HERE").replace(str(folder.parent), "ABOVE")
    text = re.sub(r'Known: [^"\n]*', "Known: …", text)
    text = re.sub(r"-?\b(?:\d\.\d+e-(?:0[89]|[1-9]\d)|0\.0e\+00)\b", "~0", text)
    return re.sub(r"-?\d+\.\d{3,}(?:e[+-]?\d+)?", lambda found: f"{float(found[0]):.4g}", text)


@pytest.mark.parametrize("group", sorted(path.stem for path in SCREENS.iterdir()))
def test_a_screen_is_the_golden_screen(group: str, folder: Path, update: bool) -> None:
    place = SCREENS / f"{group}.txt"
    golden = place.read_text(encoding="utf-8").rstrip("\n").split("\n")
    if group == "recordings":
        recordings()
    said = []
    for line in (text.removeprefix(COMMAND) for text in golden if text.startswith(COMMAND)):
        ran = CliRunner().invoke(app, shlex.split(line))
        assert ran.exception is None or isinstance(ran.exception, SystemExit), (line, ran.exception)
        lines = [x.rstrip() for x in shortened(ran.output, folder).splitlines()]
        said += [*([""] if said else []), f"{COMMAND}{line}", *lines, f"→ {ran.exit_code}"]
    if update:
        place.write_text("\n".join([*said, ""]), encoding="utf-8", newline="\n")
    assert update or said == golden, "if the change is meant: --update"
