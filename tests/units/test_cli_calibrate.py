"""`manipula calibrate`: an arm whose lengths are not those of its file, measured in tables, is found and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.support.text import plain
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, refused

FILED = {"l1": 0.5, "l2": 0.4, "m1": 3, "m2": 2, "g": 9.81}
TRUE = FILED | {"l1": 0.512, "l2": 0.393}
SET = [word for name, value in FILED.items() for word in ("--set", f"{name}={value}")]
ARM = ("calibrate", "planar2r")
REACHED = [([0, 0], TRUE["l1"] + TRUE["l2"]), ([0, np.pi], TRUE["l1"] - TRUE["l2"])]
LENGTHS = ("--parameters", "a1,a2")


def measured(path: Path, seed: int, kind: str = "pose") -> Any:
    """Of a planar arm: x = l1 c1 + l2 c12, y = l1 s1 + l2 s12, yaw = q1 + q2."""
    q = np.random.default_rng(seed).uniform(-1.5, 1.5, (12, 2))
    first, both = q[:, 0], q.sum(1)
    x, y = (TRUE["l1"] * f(first) + TRUE["l2"] * f(both) for f in (np.cos, np.sin))
    heads = ["x", "y", "z", *(["roll", "pitch", "yaw"] if kind == "pose" else [])]
    rows = np.column_stack([q, x, y, 0 * x, *([0 * x, 0 * x, both] if kind == "pose" else [])]).tolist()
    path.write_text("\n".join(",".join(map(str, row)) for row in [["q1", "q2", *heads], *rows]))
    return q


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    measured(tmp_path / "seen.csv", 1)
    return tmp_path


def test_the_robot_written_is_the_one_that_was_measured(folder: Path) -> None:
    q = measured(folder / "other.csv", 2)
    words = (*ARM, "seen.csv", *SET, *LENGTHS, "--validate", "other.csv", "--out", "fixed.toml")
    text = done(*words)
    fixed, true = mp.load(folder / "fixed.toml"), mp.load("planar2r").with_parameters(**TRUE)
    np.testing.assert_allclose(mp.Arm(fixed).pose(q), mp.Arm(true).pose(q), atol=1e-9)
    robot = mp.load("planar2r").with_parameters(**FILED)
    q1, seen, kind = api.read_measured(robot, folder / "seen.csv")
    q2, others, _ = api.read_measured(robot, folder / "other.csv")
    found = api.calibrate(robot, q1, seen, kind=kind, parameters=["a1", "a2"], validate=(q2, others))
    assert text == f"{found}\nwrote fixed.toml\n" and done(*words[:-2]) == f"{found}\n"
    assert as_json(*words) == plain(found.as_dict()) | {"files": ["fixed.toml"]}
    assert as_json(*words[:-2])["files"] == []


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_a_wild_row_is_named_and_counts_less_where_the_loss_forgives(noise: float, folder: Path) -> None:
    """Whether the other rows have errors or not; z, roll and pitch of a planar arm have none."""
    head, *rows = (folder / "seen.csv").read_text().splitlines()
    cells = np.array([list(map(float, row.split(","))) for row in rows])
    cells[:, [2, 3, 7]] += np.random.default_rng(5).normal(size=(len(cells), 3)) * noise
    (folder / "fair.csv").write_text("\n".join([head, *(",".join(map(str, row)) for row in cells)]))
    cells[4, 2] += 0.2
    (folder / "wild.csv").write_text("\n".join([head, *(",".join(map(str, row)) for row in cells)]))
    assert "far from all others" not in done(*ARM, "fair.csv", *SET, *LENGTHS)
    off = {}
    for loss in ("linear", "huber", "cauchy"):
        text = done(*ARM, "wild.csv", *SET, *LENGTHS, "--loss", loss, "--out", f"{loss}.toml")
        assert "row 5 lies far from all others" in text and ("loss='huber' lets" in text) == (loss == "linear")
        off[loss] = max(abs(mp.Arm(mp.load(folder / f"{loss}.toml")).pose(q)[0, 3] - x) for q, x in REACHED)
    assert off["huber"] < 0.1 * off["linear"] and off["cauchy"] < 0.1 * off["linear"]


def test_what_does_not_go_together_is_told(folder: Path, whole: Sentences) -> None:
    measured(folder / "far.csv", 3, "points")
    words = (*ARM, "seen.csv", *SET, *LENGTHS)
    assert done(*words, "--kind", "pose") == done(*words)
    assert "its heads say 'pose'" in whole.compare(refused(*words, "--kind", "distance"))
    assert "'points', those of seen.csv 'pose'" in whole.compare(refused(*words, "--validate", "far.csv"))
    assert "no loss is called" in whole.compare(refused(*words, "--loss", "hubber"))
    assert "no column q2" in whole.compare(refused("calibrate", "planar2r", str(_broken(folder)), *SET))
    assert not list(folder.glob("*.toml"))


def _broken(folder: Path) -> Path:
    (folder / "half.csv").write_text("q1,x,y,z\n1,2,3,4\n")
    return Path("half.csv")
