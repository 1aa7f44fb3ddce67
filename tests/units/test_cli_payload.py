"""`manipula payload`: what an arm held, from a recording; what is wrong in words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences
from tests.recordings import recording, two_joints
from tests.units.test_cli import as_json, done, folder, refused

pytestmark = pytest.mark.usefixtures("kept_functions")

__all__ = ["folder"]  # each test in an empty folder
VALUES = {"l1": 0.5, "l2": 0.4, "m1": 3, "m2": 2, "g": 9.81}
SET = [word for name, value in VALUES.items() for word in ("--set", f"{name}={value}")]


def recorded(held: mp.Robot, path: Path) -> None:
    t = np.arange(600) / 400
    phase = np.array([2.0, 3.3]) * t[:, None]
    q, qd, qdd = np.sin(phase), np.array([2.0, 3.3]) * np.cos(phase), -(np.array([2.0, 3.3]) ** 2) * np.sin(phase)
    mp.Log(t, q, mp.Arm(held).inverse_dynamics(q, qd, qdd), qd=qd).save(path)


@pytest.mark.turn
def test_a_load_is_weighed_from_a_file(folder: Path) -> None:
    arm = mp.load("planar2r").with_parameters(**VALUES)
    recorded(arm.with_payload(1.5, (0.1, 0.0, 0.0)), folder / "run.csv")
    words = ("payload", "planar2r", "run.csv", "--learn", "Kxx,Kyy,mx,my,m", *SET)
    told = as_json(*words)
    assert told["mass"] == pytest.approx(1.5, rel=0.03) and told["samples"] == 600
    assert told["com"][0] == pytest.approx(0.1, abs=0.02) and told["com"][2] is None
    text = done(*words)
    assert "centre of mass" in text and "the motion showed" in text and "my" in text


def test_a_load_is_weighed_by_an_arm_whose_friction_follows_it(folder: Path) -> None:
    """As `identify --out` writes it; and by a recording of the empty arm."""
    arm = two_joints()
    arm = arm.with_friction(joint1={"load": 0.05, "viscous": 0.8}, joint2={"load": 0.03, "coulomb": 0.4})
    mp.save(arm, "arm.toml")
    recording(arm.with_payload(1.5, (-0.1, 0.05, 0.0)), 9, seconds=5).save("held.csv")
    told = as_json("payload", "arm.toml", "held.csv", "--learn", "mx,my,m")
    assert told["mass"] == pytest.approx(1.5, rel=0.05) and abs(told["mass"] - 1.5) < told["interval"]["m"]


@pytest.mark.turn
def test_the_empty_arm_is_identified_first(folder: Path) -> None:
    arm = two_joints()
    mp.save(arm.with_parameters(m2=2.6), "arm.toml")  # the file is wrong by 0.6 kg
    recording(arm, 3, seconds=6, noise=0.01).save("empty.csv")
    recording(arm.with_payload(1.5), 9, seconds=6, noise=0.01).save("held.csv")
    text = done("payload", "arm.toml", "held.csv", "--empty", "empty.csv", "--learn", "m")
    mass, half = map(float, re.findall(r"- ([\d.]+) kg ± ([\d.]+) kg", text)[0])
    assert abs(mass - 1.5) < min(half, 0.1)


def test_what_is_wrong_with_a_load_is_told_in_one_line(folder: Path, whole: Sentences) -> None:
    arm = mp.load("planar2r").with_parameters(**VALUES)
    recorded(arm, folder / "run.csv")
    words = ("payload", "planar2r", "run.csv", *SET)
    assert "forgetting" in whole.compare(refused(*words, "--forgetting", "2"))
    assert "payload" in whole.compare(refused(*words, "--learn", "mass"))
    assert "no frame" in whole.compare(refused(*words, "--frame", "hand"))
    assert "no value for" in whole.compare(refused("payload", "planar2r", "run.csv"))
    assert "none.csv" in whole.compare(refused("payload", "planar2r", "none.csv", *SET))
