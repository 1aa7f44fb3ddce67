"""Units of a recording that its numbers contradict: degrees, milliseconds, wrong signs are seen."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from tests.log_tables import arm, motion, plain_columns, table, written
from tests.recordings import two_joints


@pytest.mark.parametrize("n", [1, 2, 6])
@pytest.mark.parametrize("speeds", [True, False])
@pytest.mark.parametrize(
    "q, qd, t, sentence",
    [
        (180 / pi, 1, 1, "slope of its positions; say units={'q': 'deg'}"),
        (1, 180 / pi, 1, "slope of its positions; say units={'qd': 'deg/s'}"),
        (1, 1, 1e3, "Say units={'t': 'ms'}"),
        (1, 1, 1e6, "Say units={'t': 'us'}"),
        (1, 1, 1e9, "Say units={'t': 'ns'}"),
        (180 / pi, 180 / pi, 1, "are these degrees? Say units={'q': 'deg'}"),
        (1, 1, 1e-4, "no recorder of an arm"),
    ],
)
def test_units_that_are_evident_are_refused(
    n: int, speeds: bool, q: float, qd: float, t: float, sentence: str, tmp_path: Path
) -> None:
    data = motion(n)
    data = {"t": data["t"] * t, "q": data["q"] * q, "qd": data["qd"] * qd, "tau": data["tau"]}
    if not speeds:
        del data["qd"]
        if q == 1 and t == 1:
            return
        sentence = sentence.replace("slope of its positions; say", "are these degrees? Say")
    file = written(tmp_path / "a.csv", table(plain_columns(data)))
    deg = {"qd": "deg/s"} if "qd" in data else {}
    for robot in (None, arm([f"x{k}" for k in range(n)])):
        with pytest.raises(mp.InputError) as caught:
            mp.read_log(file, robot)
        assert sentence in str(caught.value)
    log = mp.Log(data["t"], data["q"], data["tau"], data.get("qd"))  # arrays are said to be SI
    if "are these degrees" in sentence:
        assert any("turns; it is taken in radians" in note for note in log.checked().notes)
        assert not any("turns" in note for note in mp.read_log(file, units={"q": "deg", **deg}).notes)
    else:
        with pytest.raises(mp.InputError, match="a Log is SI"):
            log.checked()


@pytest.mark.parametrize("rate", [None, 0.01, 1.0, 100.0])
@pytest.mark.parametrize("unit", ["", "ms", "s"])
@pytest.mark.parametrize("q", ["", "deg", "rad"])
def test_what_is_understood_of_a_file_is_what_was_read(rate: float | None, unit: str, q: str, tmp_path: Path) -> None:
    """By a rate times are counted, whatever column of times there is, and a slow rate that was said is believed."""
    data, slow = motion(2), 1e-3 if rate is None else 1.0
    turn, step = 180 / pi if q == "deg" else 1.0, 1e3 if unit == "ms" else 1.0
    columns = {f"time [{unit}]" if unit else "time": data["t"] * step}
    columns |= {f"q{j + 1} [{q}]" if q else f"q{j + 1}": data["q"][:, j] * slow * turn for j in range(2)}
    columns |= {f"tau{j + 1}": data["tau"][:, j] for j in range(2)}
    log = mp.read_log(written(tmp_path / "a.csv", table(columns)), arm(["x0", "x1"]), rate=rate)
    np.testing.assert_allclose(log.q, data["q"] * slow, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(log.t, data["t"] if rate is None else np.arange(len(log)) / rate, rtol=1e-12)
    heads, (times, positions, efforts) = list(columns), log.understood
    if rate is None:
        assert times == ("t", heads[0], unit or "s", bool(unit))
    else:
        assert times == ("t", "counted", "s", True) and f"counted at {rate:g} Hz" in "".join(log.notes)
    assert positions == ("q", f"{heads[1]} … {heads[2]}", q or "rad", bool(q))
    assert efforts == ("tau", "tau1 … tau2", "N·m", False)


def test_milliseconds_fine_enough_to_pass_are_seen_by_speeds(tmp_path: Path) -> None:
    """A recorder of 4 kHz in milliseconds looks like one of 4 Hz; recorded speeds tell."""
    data = motion(2, 0.25e-3 * np.arange(2000))
    file = written(tmp_path / "a.csv", table(plain_columns({**data, "t": data["t"] * 1e3})))
    with pytest.raises(mp.InputError, match=r"positions; say units=\{'t': 'ms'\}"):
        mp.read_log(file, "planar2r")
    both = {**data, "t": data["t"] * 1e3, "q": data["q"] * 180 / pi}
    file = written(tmp_path / "b.csv", table(plain_columns(both)))
    with pytest.raises(mp.InputError, match=r"say units=\{'t': 'ms', 'q': 'deg'\}"):
        mp.read_log(file, "planar2r")


def test_degrees_are_seen_by_the_limits(tmp_path: Path) -> None:
    """A span of less than two turns, beyond what the joint can do."""
    data = motion(6)
    data = {"t": data["t"], "q": data["q"] / 0.6 * 6.0, "tau": data["tau"]}
    file = written(tmp_path / "a.csv", table(plain_columns(data)))
    assert mp.read_log(file).dof == 6
    with pytest.raises(mp.InputError, match=r"joint_1 goes from -?\d.* its limits are .*: is its zero elsewhere, or"):
        mp.read_log(file, "irb120")
    log = mp.read_log(file, "irb120", units={"q": "rad"})
    assert any("beyond its limits" in note for note in log.notes)
    robot, arrays = mp.load("irb120"), {"t": data["t"], "q": data["q"], "tau": data["tau"]}
    assert any("beyond its limits" in note for note in mp.Log(**{**arrays, "q": data["q"] / 2}).checked(robot).notes)
    with pytest.raises(mp.InputError, match="are these degrees"):
        mp.Log(**{**arrays, "q": 4 * data["q"]}).checked(robot)


def test_noise_and_lag_do_not_raise_doubts() -> None:
    """Coarse encoders, noisy and filtered speeds, joints at rest: nothing is refused."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        data = motion(3, 1e-3 * np.arange(3000))
        q = np.round(data["q"] / 1e-3) * 1e-3
        qd = rng.uniform(0.7, 1.3) * data["qd"] + rng.normal(0, 0.3, data["qd"].shape)
        qd[5:] = qd[:-5]
        q[:, 1] = 0.3
        qd[:, 1] = rng.normal(0, 0.01, 3000)
        mp.Log(data["t"], q, data["tau"], qd).checked()


def test_swapped_speeds_and_wrong_signs_are_seen() -> None:
    data = motion(3, 1e-3 * np.arange(3000))
    with pytest.raises(mp.InputError, match="the speed of joint 1 follows the position of joint 3"):
        mp.Log(data["t"], data["q"], data["tau"], data["qd"][:, [2, 1, 0]]).checked()
    with pytest.raises(mp.InputError, match=r"joint 2: recorded speeds are -1 times .* the sign of one is wrong"):
        mp.Log(data["t"], data["q"], data["tau"], data["qd"] * [1, -1, 1]).checked()
    with pytest.raises(mp.InputError, match="joint 3: recorded speeds are 80 times"):
        mp.Log(data["t"], data["q"], data["tau"], data["qd"] * [1, 1, 80]).checked()


def test_accelerations_are_slopes_of_speeds() -> None:
    data = motion(3, 1e-3 * np.arange(3000))
    log = mp.Log(data["t"], data["q"], data["tau"], data["qd"], data["qdd"])
    assert log.checked().notes == ()
    with pytest.raises(mp.InputError, match=r"accelerations are 57\.3 times the slope of its speeds; say .*'deg/s²'"):
        mp.Log(data["t"], data["q"], data["tau"], data["qd"], np.degrees(data["qdd"])).checked()
    with pytest.raises(mp.InputError, match="the acceleration of joint 1 follows the speed of joint 2"):
        mp.Log(data["t"], data["q"], data["tau"], data["qd"], data["qdd"][:, [1, 0, 2]]).checked()


FOREIGN = [
    ("Zeit [ms];Achse1_Position;Achse2_Position;Achse1_Moment;Achse2_Moment", 1e3),
    ("Tempo (s);Posição 1;Posição 2;Momento 1;Momento 2", 1.0),
    ("tiempo;posición_1;posición_2;fuerza_1;fuerza_2", 1.0),
    ("Time(s);J1(rad);J2(rad);J1 Torque(Nm);J2 Torque(Nm)", 1.0),
    ("t;Joint1 [rad];Joint2 [rad];Joint1 [Nm];Joint2 [Nm]", 1.0),
]


@pytest.mark.parametrize("heads, unit", FOREIGN)
def test_heads_of_other_countries_and_units_alone(tmp_path: Path, heads: str, unit: float) -> None:
    t = np.arange(40) / 50
    rows = np.column_stack([unit * t, np.sin(t), np.cos(t), 3 * t, 4 - t])
    lines = [heads, *(";".join(f"{x:.6f}".replace(".", ",") for x in row) for row in rows)]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    log = mp.read_log(path, two_joints())
    assert log.tau is not None
    np.testing.assert_allclose(log.t - log.t[0], t, atol=1e-5)
    np.testing.assert_allclose(np.column_stack([log.q, log.tau]), rows[:, 1:], atol=1e-5)


@pytest.mark.parametrize("heads", ["t,q1,q2,torque1_%,torque2_%", "t,q1,q2,torque1 [%],torque2 [%]"])
def test_torques_in_per_cent_need_a_factor(tmp_path: Path, heads: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text("\n".join([heads, *(f"{k / 100},{k / 99},0.1,{k},2" for k in range(40))]), encoding="utf-8")
    with pytest.raises(mp.ManipulaError, match="recorded in '%'; say N·m per %"):
        mp.read_log(path, two_joints())
    log = mp.read_log(path, two_joints(), scale={"tau": [0.5, 0.25]})
    assert log.tau is not None and log.tau[4] == pytest.approx([2.0, 0.5])


def test_counts_of_encoders_are_doubted(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    lines = ["t,q1,q2,tau1,tau2", *(f"{k / 100},{5000 * k},0.1,{k % 7},2" for k in range(60))]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(mp.ManipulaError, match="counts of an encoder"):
        mp.read_log(path, two_joints())
