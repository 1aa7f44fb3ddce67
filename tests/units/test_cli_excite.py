"""`manipula excite`: a motion as a table, a picture, JSON, and what is wrong in words."""

from __future__ import annotations

from pathlib import Path

import manipula as mp
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused

__all__ = ["folder"]  # each test in an empty folder
ARM = ("excite", "planar2r", "--set", "l1=0.5", "--set", "l2=0.4", "--set", "g=9.81", "--seconds", "4", "--seeds", "1")


def test_a_motion_is_written(folder: Path) -> None:
    text = done(*ARM, "--out", "motion.csv", "--plot", "motion.png", "--rate", "50")
    assert "condition number" in text and "theta2" in text and "no velocity limit in the file" in text
    assert len((folder / "motion.csv").read_text().splitlines()) == 202
    assert (folder / "motion.png").stat().st_size > 1000
    assert mp.trajectory.table(folder / "motion.csv").duration == 4


def test_limits_and_boxes_are_options() -> None:
    told = as_json(
        *ARM, "--velocity", "1,0.5", "--acceleration", "4", "--floor", "-0.1", "--keep-out", "0 1 0.5 1 -1 1"
    )
    assert told["limits"]["velocity"] == [1, 0.5] and told["limits"]["acceleration"] == [4, 4]
    assert told["criterion"] == "logdet" and told["files"] == []


def test_what_is_wrong_is_told_in_one_line(whole: Sentences) -> None:
    assert "seconds above 0" in whole.compare(refused("excite", "planar2r", "--seconds", "0"))
    assert "needs a value for l1, g" in whole.compare(refused("excite", "planar2r"))
    assert "six numbers" in whole.compare(refused(*ARM, "--keep-out", "0 1 0 1"))
    assert "did you mean 'condition'" in whole.compare(refused(*ARM, "--criterion", "cond"))
    assert "--plot: motion.foo: " in refused(*ARM, "--plot", "motion.foo")
