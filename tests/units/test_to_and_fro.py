"""What a person holds goes to another process and back: references, plants, laws, runs; and is told as plain data."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.emitted import python

pytestmark = pytest.mark.usefixtures("kept_functions")

ARM = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "copy": copy.copy, "deepcopy": copy.deepcopy}


def short_table() -> Any:
    return mp.trajectory.table([0, 0.5, 1], [[0, 0], [0.3, 0.1], [1, 1]])


def tool_line() -> Any:
    rows = [{"theta": 0, "d": 0, "a": a, "alpha": 0, "mass": 1, "com": [0, 0, 0],
             "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0.01)} for a in (0.5, 0.4)]  # fmt: skip
    arm = mp.Arm(mp.Robot.from_dh(rows))
    pose = np.array(arm.pose([0.3, 0.9]))
    return mp.trajectory.line(arm, pose, pose[:3, 3] + [-0.05, 0.02, 0], 0.5, task="position", near=[0.3, 0.9])


REFERENCES = {
    "quintic": lambda: mp.trajectory.quintic([0, 0], np.array([1, 1]), 1.0),
    "trapezoid": lambda: mp.trajectory.trapezoid([0, 0], [1, 1], velocity=1, acceleration=[2, 3]),
    "jerk_limited": lambda: mp.trajectory.jerk_limited([0, 0], [1, 1], velocity=1, acceleration=2, jerk=10),
    "spline": lambda: mp.trajectory.spline([[0, 0], [1, 1], [0.5, 0]], [0, 1, 2]),
    "fourier": lambda: mp.trajectory.fourier([[0.5, -0.2]], [[0.4, 0.5]], 1.7),
    "short table": short_table,
    "long table": lambda: mp.trajectory.table(np.linspace(0, 1, 200), np.linspace([0, 0], [1, 1], 200)),
    "time_optimal": lambda: mp.trajectory.time_optimal(
        mp.Arm(ARM), [[0, 0], [0.5, 0.3], [1, 1]], torque=80, velocity=3, grid=50
    ),
    "line": tool_line,
}


COPIED = [(name, way) for name in REFERENCES for way in WAYS if way == "pickle" or name not in ("line", "time_optimal")]


@pytest.mark.parametrize("name, way", COPIED)
def test_a_reference_goes_and_comes_back_to_the_last_bit(name: str, way: str) -> None:
    ref = REFERENCES[name]()
    back = WAYS[way](ref)
    times = np.linspace(-0.1, 1.1, 23)
    for here, there in zip(ref(times), back(times)):
        assert np.asarray(here).tobytes() == np.asarray(there).tobytes()
    assert (type(back), back.dof, back.duration, back.settings) == (type(ref), ref.dof, ref.duration, ref.settings)
    assert (back.block is None) == (ref.block is None)
    again = pickle.loads(pickle.dumps(back))  # twice
    np.testing.assert_array_equal(again(0.3).q, ref(0.3).q)
    assert json.loads(json.dumps(ref.as_dict()))["duration"] == ref.duration


def test_a_reference_is_what_it_was_made_of_whatever_becomes_of_the_list() -> None:
    goal = [1.0, 1.0]
    ref = mp.trajectory.quintic([0, 0], goal, 1.0)
    goal[0] = 5.0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ref))(1.0).q, [1, 1])


def test_a_table_needs_its_file_no_more(tmp_path: Path) -> None:
    file = mp.trajectory.quintic([0], [1], 1.0).save(tmp_path / "ref.csv", step=0.1)
    ref = mp.trajectory.table(file)
    file.unlink()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ref))(0.37).q, ref(0.37).q)


@pytest.mark.turn
def test_another_process_reads_it(tmp_path: Path) -> None:
    ref = REFERENCES["fourier"]()
    (tmp_path / "ref.pickle").write_bytes(pickle.dumps(ref))
    place = str(tmp_path / "ref.pickle")
    said = python("-c", f"import pickle; print(pickle.load(open({place!r}, 'rb'))(0.4).q.tolist())")
    assert json.loads(said) == ref(0.4).q.tolist()


@pytest.mark.turn
def test_plants_laws_loops_and_runs_go_and_come_back() -> None:
    plant = mp.Plant(ARM, effort=[50, 20])
    law = mp.controller(ARM, "pd_gravity", kp=100, kd=20, sample=1e-3)
    loop, ref = mp.closed_loop(plant, law), mp.trajectory.quintic([0, 0], [0.3, 0.2], 0.02)
    run = mp.simulate(plant, law, ref, events=[mp.Event(0.01, payload=0.5)])
    for way in WAYS.values():
        again = way((plant, law, loop, run, mp.Event(0.01, law=law), mp.Sensors(noise={"q": 1e-3}), mp.loads(ARM, ref)))
        assert again[0] == plant and again[1] == law and again[2] == loop
        given = [[0.1, 0.2], [0.0, 0.1], [0.3, 0.2], [0.0, 0.0]]
        np.testing.assert_array_equal(again[1].step((), *given).outputs, law.step((), *given).outputs)
        np.testing.assert_array_equal(again[3].q, run.q)
        assert repr(again[3:]) == repr((run, mp.Event(0.01, law=law), mp.Sensors(noise={"q": 1e-3}), again[6]))
    for held in (plant, law, loop, run, run.log(), mp.Event(0.01, law=law), mp.Sensors(), mp.loads(ARM, ref), ref):
        assert json.loads(json.dumps(held.as_dict()))
    assert repr(plant) == "<plant planar2r: stick friction, effort=(50.0, 20.0)>"
    assert repr(mp.Event(0.01, payload=0.5)) == "Event(t=0.01, payload=0.5)"
