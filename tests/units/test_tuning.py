"""Gains by search, and rollouts of studies on a device: what is told is what a simulation tells."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.catalogue import gains
from manipula.studies.catalogue.registry import READY
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder

__all__ = ["folder"]  # every test in an empty folder

pytestmark = pytest.mark.usefixtures("kept_functions")

FLAT = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
SLIDING = mp.load("rp").with_parameters(m1=2, m2=1, l=0.2, g=9.81, I1x=0.1, I1y=0.1, I1z=0.1, I2x=0.1, I2y=0.1, I2z=0.1)
PENDULUM = FLAT.locked({FLAT.joint_names[1]: 0.3})
GAINS = {"kp": [50, 2000], "kd": [5, 200]}
MOTION: dict[str, Any] = {"goal": [1, -0.5], "duration": 0.3, "settle": 0.1}


def test_tuning_finds_better_than_drawing_and_keeps_the_torque() -> None:
    words: dict[str, Any] = {"gains": GAINS, "payload": 1.0, **MOTION}
    few: dict[str, Any] = {"searches": 1, "generations": 6, "members": 8}
    drawn = mp.studies.gains(FLAT, count=32, **words)
    found = mp.studies.tune(FLAT, **few, **words)
    assert found.error <= np.nanmin(drawn.table["error"]) and found.runs == 56
    assert found == mp.studies.tune(FLAT, **few, **words)
    limit = float(np.nanquantile(drawn.table["torque"], 0.3))
    assert mp.studies.tune(FLAT, torque=limit, **few, **words).torque <= limit
    assert list(found.history) == sorted(found.history, reverse=True) and found.as_dict()["law"] == "computed_torque"
    assert found.study.answer["gains"] == found.gains and "Gains found" in "".join(READY["tune"].show(found.study))


@pytest.mark.turn
@pytest.mark.parametrize(
    ("name", "by_joint"),
    [
        ("planar2r", True),
        ("rp", False),
        *(
            pytest.param(name, by_joint, marks=pytest.mark.slow)
            for name, by_joint in (("planar2r", False), ("rp", True), ("pendulum", False), ("pendulum", True))
        ),
    ],
)
def test_tuned_gains_give_what_is_told(name: str, by_joint: bool) -> None:
    """One joint, two, one that slides; a search of its own for every joint, or none."""
    robot = {"planar2r": FLAT, "rp": SLIDING, "pendulum": PENDULUM}[name]
    goal = [0.3, 0.1][: robot.dof]
    words: dict[str, Any] = {"law": "pd_gravity", "gains": GAINS, "goal": goal, "duration": 0.2, "settle": 0.1}
    found = mp.studies.tune(robot, by_joint=by_joint, searches=1, generations=2, members=6, **words)
    kp, kd = (np.broadcast_to(found.gains[name], robot.dof) for name in ("kp", "kd"))
    assert np.shape(found.gains["kp"]) == ((robot.dof,) if by_joint and robot.dof > 1 else ())
    law = mp.controller(robot, "pd_gravity", kp=kp, kd=kd, sample=1e-3)
    plant = mp.Plant(robot, friction="smooth", effort=None, stops=False)
    run = mp.simulate(plant, law, mp.trajectory.quintic([0] * robot.dof, goal, 0.2), until=0.3)
    error = np.asarray(run.ref[0])[:300] - run.q[:300]
    assert found.error == pytest.approx(float(np.sqrt((error**2).mean())), rel=1e-3)
    assert all((GAINS[name][0] <= np.array(x)).all() and (GAINS[name][1] >= np.array(x)).all()
               for name, x in found.gains.items())  # fmt: skip


@pytest.mark.turn
def test_a_gain_at_the_end_of_its_range_is_told() -> None:
    found = mp.studies.tune(FLAT, gains=GAINS, payload=1.0, searches=1, generations=25, members=10, **MOTION)
    assert "kp" in found.edges and "at an end of its range: kp" in str(found)


def test_searches_that_fail_are_rows_and_all_of_them_a_sentence() -> None:
    """Of searches in ranges that hold hardly anything stable some may fail; the others count."""
    words: dict[str, Any] = {"gains": {"kp": [1e4, 1e9], "kd": [5, 1e4]}, **MOTION}
    found = mp.studies.tune(FLAT, searches=6, generations=1, members=5, **words)
    assert 0 < len(found.study.why) < 6 and np.isfinite(found.error), "draw other ranges"
    assert all("none of those tried is stable" in why for why in found.study.why.values())
    assert found.runs == 10 * (6 - len(found.study.why))


def test_searches_that_cannot_be(whole: Sentences) -> None:
    bad: list[tuple[dict[str, Any], str]] = [
        ({"members": 3}, "needs 5 or more"), ({"seed": -1}, "seed"), ({"torque": 0}, "torque"),
        ({"searches": 0}, "searches"), ({"generations": 10**9}, "generations"), ({"by_joint": 2}, "by_joint"),
        ({"device": "gpu"}, "no device is called 'gpu'"), ({"levels": 3}, "no setting of the study tune"),
    ]  # fmt: skip
    for words, told in bad:
        with whole.raises(mp.InputError, match=told):
            mp.studies.tune(FLAT, gains=GAINS, **MOTION, **words)
    with pytest.raises(mp.InputError, match="is the least found, above 1; take a slower motion"):
        mp.studies.tune(FLAT, gains=GAINS, **MOTION, torque=1, searches=1, generations=2, members=5)


@pytest.mark.turn
def test_the_command_tells_the_answer_and_goes_on(folder: Path) -> None:
    mp.save(FLAT, folder / "arm.toml")
    words = ["gains={'kp':[50,2000],'kd':[5,200]}", "goal=[1,-0.5]", "duration=0.3", "searches=2", "generations=2"]
    line = ["study", "tune", "arm.toml", *(f"--with={word}" for word in words), "--resume", "a folder"]
    told = as_json(*line)
    found = mp.studies.tune(FLAT, gains=GAINS, goal=[1, -0.5], duration=0.3, searches=2, generations=2)
    assert told["computed"] == 2 and told["answer"]["gains"] == found.gains
    assert as_json(*line)["computed"] == 0
    said = done(*line, "--report", "tuned.html")
    assert (
        f"gains: kp = {found.gains['kp']:.5g}, kd = " in said and "Gains found" in (folder / "tuned.html").read_text()
    )


# on a device


class Far:
    """An array on a device: what is done to it is done there, and it comes back when it is asked to."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __array__(self, *given: Any, **more: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.held, name)
        return (lambda *given: Far(found(*given))) if callable(found) else found

    def __getitem__(self, key: Any) -> Any:
        return Far(self.held[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.held[key] = value.held

    def __abs__(self) -> Any:
        return Far(abs(self.held))

    def __pow__(self, power: int) -> Any:
        return Far(self.held**power)

    def __add__(self, other: Any) -> Any:
        return Far(self.held + other.held)

    def __sub__(self, other: Any) -> Any:
        return Far(self.held - other.held)

    def get(self) -> Any:
        return self.held


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A device that computes as the processor does; the rows of every call."""
    calls, usual = list[int](), mp.System._on

    def moved(system: Any, device: str) -> Any:
        if device == "cpu":
            return usual(system, device)

        def run(state: Any, *given: Any, **more: Any) -> Any:
            calls.append(len(state.q))
            found = usual(system, "cpu").run(state, *given, **more)
            return found._replace(
                **{part: type(x)(*map(Far, x)) for part, x in found._asdict().items() if part in PARTS}
            )

        return SimpleNamespace(run=run)

    monkeypatch.setattr(mp.System, "_on", moved)
    return calls


PARTS = ("state", "states", "outputs")


def test_rollouts_on_a_device_are_whole_chunks(device: list[int], tmp_path: Path) -> None:
    """One call a chunk; what comes is what the processor gives; a folder goes on with its own device alone."""
    words: dict[str, Any] = {"gains": GAINS, "count": 40, **MOTION}
    there = mp.studies.gains(FLAT, device="cuda", resume=tmp_path / "s", **words)
    assert sum(device) == 40 and len(device) < 20 and there.answer["device"] == "cuda"
    near = mp.studies.gains(FLAT, **words)
    assert there.path.read_bytes() == near.path.read_bytes() and near.answer["device"] == "cpu"
    with pytest.raises(mp.InputError, match="holds another study: its shared values differ: device"):
        mp.studies.gains(FLAT, resume=tmp_path / "s", **words)
    found = mp.studies.tune(FLAT, gains=GAINS, searches=1, generations=2, members=6, device="cuda", **MOTION)
    assert found.study.answer["device"] == "cuda" and device[-4:] == [6, 6, 6, 1]


def test_without_a_device_the_study_ends_and_no_case_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    for study in (mp.studies.gains, mp.studies.tune):
        with pytest.raises(mp.InputError, match=r"needs CuPy, which is not installed here .*; device='cpu' runs on"):
            study(FLAT, gains=GAINS, device="cuda", resume=tmp_path / study.__name__, **MOTION)
        assert not list((tmp_path / study.__name__ / "parts").iterdir())


@pytest.mark.parametrize("seed", range(6))
def test_sums_do_not_depend_on_how_many_rows_there_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(int(rng.integers(1, 9)), int(rng.integers(1, 70)), int(rng.integers(1, 8))))
    found = gains.in_pairs(x.copy())
    assert found == pytest.approx(x.sum(1), abs=1e-12)
    assert all(np.array_equal(gains.in_pairs(x[k : k + 1].copy())[0], found[k]) for k in range(len(x)))


def test_memory_is_bounded_and_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    words: dict[str, Any] = {"gains": GAINS, "count": 9, **MOTION}
    whole = mp.studies.gains(FLAT, **words)
    monkeypatch.setitem(gains.ROOM, "cpu", 1)
    assert (one_by_one := mp.studies.gains(FLAT, **words)).path.read_bytes() == whole.path.read_bytes()
    assert one_by_one.count == 9
