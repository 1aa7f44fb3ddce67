"""Bad recordings through the whole command: each is refused with a sentence, or told in one and still right.

What is right is judged on a good recording of another motion.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import app
from tests.golden.sentences import Sentences
from tests.recordings import motion, recording, torques, two_joints
from tests.units.test_cli import folder

__all__ = ["folder"]
ARM = two_joints()
GOOD = recording(ARM, 3, seconds=8, noise=0.01)
Rows = np.ndarray
HEADS = "t,q1,q2,tau1,tau2"
MODEL = "viscous,coulomb,offset,motor_inertia"


def rows() -> Rows:
    assert GOOD.tau is not None
    return np.column_stack([GOOD.t, GOOD.q, GOOD.tau])


def text(values: Rows, heads: str = HEADS, separator: str = ",") -> str:
    lines = [separator.join(f"{x:.9g}" for x in row) for row in values]
    return "\n".join([heads.replace(",", separator), *lines]) + "\n"


def changed(change: Callable[[Rows], Rows]) -> str:
    return text(change(rows()))


def times(*columns: float) -> Callable[[Rows], Rows]:
    return lambda x: x * np.array(columns)


def moved(step: float) -> Callable[[Rows], Rows]:
    def change(x: Rows) -> Rows:
        x[400:, 0] += step
        return x

    return change


def put(row: slice | int, column: int, value: float) -> Callable[[Rows], Rows]:
    def change(x: Rows) -> Rows:
        x[row, column] = value
        return x

    return change


def still(joint: int) -> str:
    """The joint stands; the torques are what the arm then needs."""
    t, q, qd, qdd = motion(2, 3, 8, 100)
    q[:, joint], qd[:, joint], qdd[:, joint] = 0.3, 0, 0
    noise = np.random.default_rng(1).normal(0, 0.05, q.shape)
    return text(np.column_stack([t, q, torques(ARM, q, qd, qdd) + noise]))


def clipped(x: Rows) -> Rows:
    x[:, 3] = np.clip(x[:, 3], -12, 12)
    return x


def shuffled(x: Rows) -> Rows:
    x[:, 3:] = np.random.default_rng(0).permutation(x[:, 3:])
    return x


def two_rates(x: Rows) -> Rows:
    return np.concatenate([x[:400], x[400::2]])


REFUSED = {
    "degrees": (changed(times(1, 57.29578, 57.29578, 1, 1)), "are these degrees"),
    "milliseconds as seconds": (changed(times(1000, 1, 1, 1, 1)), "are these milliseconds"),
    "a missing joint": (text(rows()[:, [0, 1, 3]], "t,q1,tau1"), "has 1 joint; two has 2"),
    "one sample": (changed(lambda x: x[:1]), "1 sample"),
    "no sample": (HEADS + "\n", "lines of numbers"),
    "an empty file": ("", "is empty"),
    "another separator": (text(rows(), separator="~"), "lines of numbers"),
    "no torque": (changed(times(1, 1, 1, 0, 0)), "every torque is zero"),
    "shuffled torques": (changed(shuffled), "no information"),
    "a column of text": (text(rows()).replace(",-", ",minus "), "line 2: column 2 (q1): found 'minus "),
    "seven joints": (text(rows()[:, [0, *[1, 2] * 3, 1, *[3, 4] * 3, 3]], "t," + ",".join(
        [f"q{j}" for j in range(1, 8)] + [f"tau{j}" for j in range(1, 8)])), "has 7 joints; two has 2"),
    "text in a number": (text(rows()).replace("\n2,", "\n2,x", 1), "line 202: column 2 (q1)"),
}  # fmt: skip

SAID = {
    "swapped joints": (changed(lambda x: x[:, [0, 1, 2, 4, 3]]), "joint1 and joint2 seem to be swapped"),
    "a wrong sign": (changed(times(1, 1, 1, -1, 1)), "joint1 seems to have the wrong sign"),
    "saturated torque": (changed(clipped), "at its limit, 12"),
    "a joint that stands": (still(1), "joint2 never moves"),
}

REPAIRED = {
    "nothing wrong": (text(rows()), ""),
    "not a number": (changed(put(200, 2, np.nan)), "1 row without a number in q"),
    "unsorted": (changed(lambda x: np.concatenate([x[500:], x[:500]])), "not in the order of time"),
    "duplicate times": (changed(lambda x: np.repeat(x, 2, axis=0)), "stand twice"),
    "a gap of twelve hours": (changed(moved(43200)), "a gap of 4.32e+04 s"),
    "a truncated row": (text(rows())[:-20], "line 801, the last, is cut off"),
    "two sampling rates": (changed(two_rates), "the rate changes from 100 to 50 Hz"),
    "a byte order mark": ("\ufeff" + text(rows()), ""),
    "semicolons": (text(rows(), separator=";"), ""),
}


def identified(folder: Path, content: str) -> tuple[int, str, str]:
    mp.save(ARM, folder / "two.toml")
    (folder / "run.csv").write_text(content, encoding="utf-8")
    recording(ARM, 7, seconds=6).save(folder / "other.csv")
    words = ["identify", "two.toml", "run.csv", "--validate", "other.csv", "--model", MODEL, "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_a_sentence(name: str, folder: Path, whole: Sentences) -> None:
    content, word = REFUSED[name]
    code, out, told = identified(folder, content)
    assert code == 2 and not out, told
    assert word in told and told.splitlines()[-1].startswith("manipula: "), told
    whole.compare(told.splitlines()[-1])


@pytest.mark.parametrize("name", SAID)
def test_doubted_in_a_sentence(name: str, folder: Path) -> None:
    """By a warning, or as the reason why nothing could be told."""
    content, word = SAID[name]
    _, out, told = identified(folder, content)
    assert word in " ".join([told, *json.loads(out or '{"warnings": []}')["warnings"]])


@pytest.mark.parametrize("name", REPAIRED)
def test_told_and_right(name: str, folder: Path) -> None:
    content, word = REPAIRED[name]
    code, out, told = identified(folder, content)
    assert out, told
    found = json.loads(out)
    assert word in " ".join([told, *found["warnings"]]), (told, found["warnings"])
    assert found["validation"][0]["whole"] < 1.5 and code == 0
