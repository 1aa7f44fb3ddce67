"""Ready studies against the models they stand for: tolerances, payload and speed, gains, bootstrap."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.cases.values import refuse_names
from manipula.studies.catalogue import bootstrap, tolerance
from manipula.studies.catalogue.registry import READY
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused

__all__ = ["folder"]  # every test in an empty folder

pytestmark = pytest.mark.usefixtures("kept_functions")

FLAT = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
GAINS = {"kp": [50, 2000], "kd": [5, 200]}
MOTION: dict[str, Any] = {"goal": [1, -0.5], "duration": 0.3, "settle": 0.1}


class Given:
    """Draws that are known before."""

    def __init__(self, *draws: float) -> None:
        self.draws = list(draws)

    def normal(self, size: Any = None) -> Any:
        return self.draws.pop(0) if size is None else np.array([self.draws.pop(0) for _ in range(size)])


@pytest.mark.parametrize("seed", range(3))
def test_torques_are_wrong_by_what_wrong_masses_make(seed: int) -> None:
    """The linear formula is that of an arm with the other mass and centre of mass: exactly."""
    rng = np.random.default_rng(seed)
    shares, q = rng.normal(0, 0.05, 2), rng.uniform(-2, 2, (7, 2))
    draws = [value for share in shares for value in (share, 0.0, 0.0, 0.0)]
    delta = tolerance.inertial_errors(dict(FLAT.standard_parameters), Given(*draws), 1.0, 1.0)  # type: ignore[arg-type]
    other = FLAT.with_parameters(m1=3 * (1 + shares[0]), m2=2 * (1 + shares[1]))
    still = np.zeros_like(q)
    wanted = mp.Arm(other).gravity(q) - mp.Arm(FLAT).gravity(q)
    assert mp.studies.arm(FLAT).regressor(q, still, still) @ delta == pytest.approx(wanted, abs=1e-12)


@pytest.mark.turn
def test_a_tool_is_off_by_what_the_table_is() -> None:
    """Lengths alone, on one configuration: the mean square is the sum of the squares of the entries."""
    q = [0.4, -1.1]
    found = mp.studies.tolerances(FLAT, count=400, length=1e-3, angle=0, q=q, seed=2)
    assert set(found.results) == {"position", "position_mean", "angle"}
    rows = tolerance.shares(FLAT, np.array([q]), 1e-3, 0.0)
    assert np.mean(found.table["position"] ** 2) == pytest.approx(sum(s**2 for *_, s in rows), rel=0.15)
    assert sum(share for _, share, _ in rows) == pytest.approx(1)
    assert found.table["angle"].max() < 1e-12
    turned = mp.studies.tolerances(FLAT, count=50, length=0, angle=1e-3, q=q)
    assert 1e-3 < turned.table["angle"].max() < 1e-2
    assert "What matters" in "".join(READY["tolerances"].show(found))


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(3))
def test_a_load_at_a_speed_is_what_loads_tells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mass, speed, goal = float(rng.uniform(0, 4)), float(rng.uniform(0.5, 2)), rng.uniform(-1, 1, 2).tolist()
    words = {"payloads": [mass], "speeds": [speed], "limits": [100, 40], "com": [0.05, 0, 0]}
    row = mp.studies.payload(FLAT, goal=goal, duration=0.6, **words).rows[0]
    told = mp.loads(FLAT.with_payload(mass, com=(0.05, 0, 0)), mp.trajectory.quintic([0, 0], goal, 0.6 / speed))
    assert row["torque"] == pytest.approx([x.torque for x in told.joints], rel=1e-4)
    assert row["use"] == pytest.approx(max(told[0].torque / 100, told[1].torque / 40), rel=1e-4)
    assert row["fits"] == (row["use"] <= 1)


@pytest.mark.parametrize("limit", ["80", '"2*most"'])
def test_limits_are_those_of_the_file(limit: str, tmp_path: Path) -> None:
    """Numbers, and expressions of names with values."""
    path = mp.save(FLAT, tmp_path / "flat.toml")
    words = f'effort_limit = {limit}\nvelocity_limit = "4 rad/s"\nlimits = ["-2 rad", "2 rad"]'
    text = path.read_text().replace('type = "revolute"', f'type = "revolute"\n{words}')
    path.write_text(text.replace("[values]", "[values]\nmost = 40") if "most" in limit else text)
    row = mp.studies.payload(mp.load(path), goal=[1, -0.5], payloads=[1.0], speeds=[1.0]).rows[0]
    assert row["use"] == pytest.approx(max(row["torque"]) / 80) and row["joint"] == 1
    assert row["speed_use"] == pytest.approx(1.875 / 4)  # a quintic's top speed over 1 rad in 1 s
    at = mp.studies.tolerances(mp.load(path), count=2, poses=50).shared["q"]
    assert np.abs(at).max() <= 2


def test_more_speed_carries_less() -> None:
    found = mp.studies.payload(FLAT, goal=[1, -0.5], duration=0.5, limits=[80, 30])
    _, masses = READY["payload"].plan.__globals__["largest"](found)
    assert masses == sorted(masses, reverse=True) and masses[0] > 0
    assert "Payload and speed" in "".join(READY["payload"].show(found))


@pytest.mark.turn
def test_a_row_of_gains_is_a_simulated_run() -> None:
    found = mp.studies.gains(FLAT, gains=GAINS, payload=1.0, count=4, **MOTION)
    row, ref = found.rows[2], mp.trajectory.quintic([0, 0], [1, -0.5], 0.3)
    law = mp.controller(FLAT, "computed_torque", kp=row["kp"], kd=row["kd"], sample=1e-3)
    plant = mp.Plant(FLAT.with_payload(1.0), friction="smooth", effort=None, stops=False)
    run = mp.simulate(plant, law, ref, until=0.4)
    error = np.asarray(run.ref[0])[:400] - run.q[:400]
    assert row["error"] == pytest.approx(float(np.sqrt((error**2).mean())), rel=1e-3)
    assert row["stable"] and GAINS["kp"][0] <= row["kp"] <= GAINS["kp"][1]


@pytest.mark.turn
def test_settings_of_a_law_may_be_of_every_joint() -> None:
    """Lists and arrays, as the law takes them."""
    words: dict[str, Any] = {"gains": {"kp": [50, 2000]}, "count": 3, **MOTION}
    listed = mp.studies.gains(FLAT, settings={"kd": [40, 30]}, **words)
    assert bytes_of(listed) == bytes_of(mp.studies.gains(FLAT, settings={"kd": np.array([40, 30])}, **words))
    other = mp.studies.gains(FLAT, settings={"kd": [30, 40]}, **words)
    assert not np.array_equal(other.table["error"], listed.table["error"])


def bytes_of(found: mp.Study) -> bytes:
    return found.path.read_bytes()


@pytest.mark.turn
def test_a_curve_is_missed_by_the_middles_of_voxels_and_told() -> None:
    with pytest.warns(mp.ManipulaWarning, match="has 1 joint, so its tool stays on a curve"):
        mp.studies.workspace(FLAT.locked({FLAT.joint_names[1]: 0.2}), voxels=3)


def test_a_page_is_named_as_one(tmp_path: Path) -> None:
    found = mp.study(lambda case, rng: {"x": 1}, {"a": [1]})
    with pytest.raises(mp.InputError, match="report: expected a file that ends in"):
        found.report(tmp_path / "a.pdf")
    assert not (tmp_path / "a.pdf").exists() and found.report(tmp_path / "a.html").exists()


@pytest.mark.turn
def test_gains_that_run_away_are_told_apart() -> None:
    found = mp.studies.gains(FLAT, gains={"kp": [50, 1e8], "kd": [5, 1e4]}, levels=4, **MOTION)
    stable = found.table["stable"]
    assert found.count == 16 and 0 < stable.sum() < 16
    assert np.array_equal(np.isnan(found.table["error"]), ~stable) and not found.why
    assert "Maps" in "".join(READY["gains"].show(found))
    labels = found.map("error", "kp", "kd").svg()
    assert ">50<" in labels and ">5<" in labels  # cells of a geometric axis have their own numbers


def recording() -> mp.Log:
    t, rng = np.linspace(0, 4, 801), np.random.default_rng(0)
    q = np.stack([np.sin(1.3 * t) + 0.3 * np.sin(3.1 * t), 0.8 * np.cos(2.1 * t) + 0.3 * np.sin(4.3 * t)], -1)
    qd = np.gradient(q, t, axis=0)
    tau = mp.Arm(FLAT).inverse_dynamics(q, qd, np.gradient(qd, t, axis=0)) + rng.normal(0, 0.3, q.shape)
    return mp.Log(t, q, tau)


@pytest.mark.turn
def test_windows_are_drawn_from_the_recordings() -> None:
    log = recording()
    cut = bootstrap.windows_of([log, log], 4)
    assert len(cut) == 8 and all(window["t"][0] == 0 for window in cut)
    assert np.array_equal(np.concatenate([window["q"] for window in cut[:4]]), log.q)
    found = mp.studies.bootstrap(FLAT, logs=log, count=2, windows=4, model=mp.JointModel(friction=(), offset=False))
    assert found.count == 2 and not found.why and "Spread" in "".join(READY["bootstrap"].show(found))
    assert found.table["mx1_R"] == pytest.approx([2.5, 2.5], rel=0.05)
    shown = "".join(READY["bootstrap"].show(found))
    drawn = found.table["mx1_R"]
    spread = abs(drawn[0] - drawn[1]) / 2**0.5  # of two draws, with one freedom
    value, sigma = found.shared["fitted"]["mx1_R"]
    ends = min(drawn) + np.array([0.05, 0.95]) * abs(drawn[0] - drawn[1])
    row = [f"{x:.4g}" for x in (value, sigma, spread, *ends)]
    assert "".join(f"<td>{x}</td>" for x in row) in re.sub(r"<td[^>]*>", "<td>", shown)
    alone = mp.studies.bootstrap(FLAT, logs=log, count=1, windows=4, model=mp.JointModel(friction=(), offset=False))
    assert "mx1_R" not in "".join(READY["bootstrap"].show(alone))  # one draw has no spread


@pytest.mark.parametrize("seed", range(20))
def test_every_parameter_is_a_column(seed: int) -> None:
    """Names with brackets, widths, signs, digits in front, long ones; some alike but for those."""
    rng = np.random.default_rng(seed)
    letters = list("ab1[]·+-*/.0 ²({")
    names = ["fs1[0.3]", "fs1(0.3)", "mx1_R", *("".join(rng.choice(letters, rng.integers(1, 90))) for _ in range(40))]
    found = bootstrap.columns_of(names)
    assert len(set(found)) == len(names) and found[:3] == ["fs1 0.3", "fs1 0.3 no 2", "mx1_R"]
    assert max(map(len, found)) <= bootstrap.LONGEST + len("p  no 40")
    refuse_names(found)


@pytest.mark.slow
def test_recordings_are_files_given_in_every_way(folder: Path) -> None:
    mp.save(FLAT, folder / "arm.toml")
    (folder / "with space").mkdir()
    done("simulate", "arm.toml", "computed_torque", "--to", "1 -0.5", "--csv", "with space/run 1.csv")
    words = [f"--with={word}" for word in ("count=2", "windows=4", "model=viscous", "method=ols", "prior=null")]
    one = as_json("study", "bootstrap", "arm.toml", "--with=logs=with space/run 1.csv", *words)
    assert one["cases"] == 2 and not one["failed"] and "fv1" in one["columns"]
    listed = as_json("study", "bootstrap", "arm.toml", "--with=logs=['with space/run 1.csv']", *words)
    text = ('format = 1\nstudy = "bootstrap"\nrobot = "../arm.toml"\n[settings]\nlogs = "run 1.csv"\ncount = 2\n'
            'windows = 4\nmodel = "viscous"\nmethod = "ols"\n')  # fmt: skip
    (folder / "with space" / "spread.toml").write_text(text)
    log = mp.read_log(folder / "with space" / "run 1.csv", FLAT)
    model = mp.JointModel(friction=("viscous",), offset=False, motor_inertia=False)
    called = mp.studies.bootstrap(FLAT, logs=log, count=2, windows=4, model=model, method="ols", prior=None)
    assert listed["summary"] == one["summary"] == called.as_dict()["summary"]
    filed = as_json("study", "with space/spread.toml")  # its recording lies beside it
    assert filed["cases"] == 2 and filed["columns"] == one["columns"]
    for given, told in (
        ("C:\\new\\table.csv", "C:\\new\\table.csv"),
        ("arm.toml", "ending of a log"),
        ("[3]", "found 3"),
    ):
        assert told in refused("study", "bootstrap", "arm.toml", f"--with=logs={given}", *words)


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("tolerances", {"length": -1}, "length: expected a number of zero or more, found -1"),
    ("tolerances", {"length": 0, "angle": 0}, "are all zero; expected one above it"),
    ("tolerances", {"q": [1, 2, 3]}, "q: expected 2 numbers, one a joint of planar2r"),
    ("tolerances", {"poses": 0}, "poses: expected a whole number of 1 or more, found 0"),
    ("tolerances", {"count": 1.5}, "count: expected a whole number of 1 or more, found 1.5"),
    ("payload", {}, "goal: expected where the motion ends"),
    ("payload", {"goal": [1, 2]}, "joint 'theta1' of planar2r has no effort_limit; limits= gives one a joint"),
    ("payload", {"goal": [1, 2], "limits": [1, 0]}, "limits: expected a number above zero, found 0"),
    ("payload", {"goal": [1, 2], "limits": [1, 1], "payloads": [-1]}, "expected payloads of zero or more"),
    ("payload", {"goal": [1, "x"], "limits": [1, 1]}, "goal: expected 2 numbers, one a joint"),
    ("payload", {"goal": [1, 2], "limits": [1, 1], "duration": 0}, "duration: expected a number above zero"),
    ("gains", {"goal": [1, 2]}, "gains: expected ranges by name"),
    ("gains", {"gains": GAINS}, "goal: expected where the motion ends"),
    ("gains", {"gains": {"kp": [9, 1]}, "goal": [1, 2]}, "the range is reversed or empty: from 9 to 1"),
    ("gains", {"gains": {"kp": 3}, "goal": [1, 2]}, "kp: expected a range"),
    ("gains", {"gains": {"kq": [1, 2]}, "goal": [1, 2]}, "kq"),
    ("gains", {"gains": GAINS, "goal": [1, 2], "law": "computed_torq"}, "computed_torque"),
    ("payload", {"goal": [1, 2], "limits": [1, 1], "com": 3}, "com: expected three numbers, m in the tool frame"),
    ("payload", {"goal": [1, 2], "limits": [1, 1], "com": [0, 0, float("nan")]}, "com: expected three numbers"),
    ("payload", {"goal": [1, 2], "limits": [1, 1], "com": "123"}, "com: expected three numbers"),
    ("gains", {"gains": GAINS, "goal": [1, 2], "law": [1]}, "law: expected the name of a law, found"),
    ("gains", {"gains": GAINS, "goal": [1, 2], "settings": 3}, "settings: expected values by name"),
    (
        "gains",
        {"gains": GAINS, "goal": [1, 2], "settings": {"limit": {3}}},
        "settings: expected numbers, words or lists",
    ),
    ("gains", {"gains": GAINS, "goal": [1, 2], "settings": {"tell": 3}}, "tell is no gain of computed_torque"),
    ("gains", {"gains": {"sample": [1e-3, 1e-2]}, "goal": [1, 2]}, "sample is no gain of computed_torque"),
    (
        "gains",
        {"gains": GAINS, "goal": [1, 2], "duration": 1e9},
        "1e.09 s are 1e.12 steps of 0.001 s; expected 1 to 1,000",
    ),
    ("gains", {"gains": GAINS, "goal": [1, 2], "duration": 1e-9, "settle": 0}, "expected 1 to 1,000,000 of them"),
    ("bootstrap", {}, "logs: expected recordings, or their files"),
    ("bootstrap", {"logs": 3}, "logs: expected recordings, or their files, found 3"),
    ("bootstrap", {"logs": "none.csv"}, "none.csv"),
]


@pytest.mark.parametrize(("study", "words", "told"), BAD)
def test_settings_that_cannot_be(study: str, words: dict[str, Any], told: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=told):
        getattr(mp.studies, study)(FLAT, **words)
