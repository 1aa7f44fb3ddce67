"""`mp.read_log` on tables: any heads, order, separator, unit gives the same arrays; what is broken gives a sentence."""

from __future__ import annotations

import re
import warnings
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp

N = 60
NAMES = [
    ["waist", "shoulder", "elbow"],
    ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint"],
    ["joint1", "joint2"],
    ["joint_a1", "joint_a2", "joint_a3"],
    ["q1", "q2", "q3"],
    ["theta1", "d2"],
    ["base", "tool"],
    ["J0"],
    ["panda_joint1", "panda_joint2", "panda_joint10"],
    ["a", "b", "c", "d"],
]
WORDS = {
    "q": ["q", "pos", "position", "Position", "jointPos", "angle"],
    "qd": ["qd", "dq", "vel", "velocity", "qdot", "q_dot", "speed"],
    "qdd": ["qdd", "ddq", "acc", "acceleration", "q_ddot"],
    "tau": ["tau", "torque", "effort", "Effort", "moment"],
    "t": ["t", "time", "Time", "timestamp", "header.stamp"],
}
BY_NUMBER = ["{word}{k1}", "{word}_{k}", "{word}[{k}]", "joint{k1}.{word}", "actual_{word}_{k}", "/arm/joint{k}/{word}"]
BY_NAME = ["{word}_{name}", "{name}_{word}", "/joint_states/{name}/{word}", "{word}({name})", "actual_{word}.{name}"]
UNITS = {
    "t": {"s": 1.0, "ms": 1e-3, "us": 1e-6},
    "q": {"rad": 1.0, "deg": pi / 180},
    "qd": {"rad/s": 1.0, "deg/s": pi / 180},
    "qdd": {"rad/s²": 1.0, "deg/s^2": pi / 180},
    "tau": {"N·m": 1.0, "mNm": 1e-3},
}
SLIDES = {"q": {"m": 1.0, "mm": 1e-3}, "qd": {"m/s": 1.0, "mm/s": 1e-3}, "qdd": {"m/s2": 1.0}, "tau": {"N": 1.0}}
SEPARATORS = [
    (",", "."),
    (";", "."),
    ("\t", "."),
    ("|", "."),
    (" ", "."),
    (";", ","),
    ("\t", ","),
    (" ", ","),
    (", ", "."),
]


def arm(names: list[str]) -> mp.Robot:
    rows = [{"name": x, "type": "prismatic" if x == "d2" else "revolute", "theta": 0, "d": 0, "a": 1, "alpha": 0}
            for x in names]  # fmt: skip
    return mp.Robot.from_dh(rows, convention="standard")


def motion(n: int, t: np.ndarray | None = None) -> dict[str, np.ndarray]:
    t = np.round(0.01 * np.arange(N), 6) if t is None else t
    phase = np.arange(n) + 1.0
    w = 3.0 + np.arange(n)
    q = 0.6 * np.sin(w * t[:, None] + phase)
    qd = 0.6 * w * np.cos(w * t[:, None] + phase)
    return {"t": t, "q": q, "qd": qd, "qdd": -(w**2) * q, "tau": 5 * q + 2 * np.cos(7 * t[:, None] + phase)}


def table(columns: dict[str, np.ndarray], separator: str = ",", decimal: str = ".") -> str:
    rows = [separator.join(columns)]
    for row in np.stack(list(columns.values()), axis=1).tolist():
        rows.append(separator.join(repr(x).replace(".", decimal) for x in row))
    return "\n".join(rows) + "\n"


def plain_columns(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    found = {"t": data["t"]}
    for name in ("q", "qd", "tau"):
        if name in data:
            found |= {f"{name}{j + 1}": data[name][:, j] for j in range(data[name].shape[1])}
    return found


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("seed", range(160))
def test_any_table_gives_the_same_arrays(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    pick = lambda things: things[rng.integers(len(things))]  # noqa: E731
    names = pick(NAMES)
    robot, n = arm(names), len(names)
    data = motion(n)
    style = pick([*BY_NUMBER, *BY_NAME])
    how = pick(["head", "said", "si"])
    columns, expected, said = {}, {}, {}
    wanted = ["q", "tau", *(x for x in ("qd", "qdd") if rng.random() < 0.5)]
    unit = pick(list(UNITS["t"])) if how != "si" else "s"
    t = np.round(data["t"] / UNITS["t"][unit], 9)
    columns[pick(WORDS["t"]) + (f" [{unit}]" if how == "head" else "")] = t
    expected["t"] = t * UNITS["t"][unit] if unit != "s" else t
    said["t"] = unit
    for name in wanted:
        word, listed, values = pick(WORDS[name]), [], np.zeros((N, n))
        for j, joint in enumerate(names):
            known = SLIDES[name] if joint == "d2" else UNITS[name]
            unit = pick(list(known)) if how != "si" else next(iter(known))
            head = style.format(word=word, k=j, k1=j + 1, name=joint) + (f" [{unit}]" if how == "head" else "")
            columns[head] = data[name][:, j] / known[unit]
            values[:, j] = columns[head] * known[unit] if known[unit] != 1.0 else columns[head]
            listed.append(unit)
        expected[name], said[name] = values, listed
    heads = list(columns)
    rng.shuffle(heads)
    separator, decimal = pick(SEPARATORS)
    if separator == " ":
        heads = [head.replace(" [", "[") for head in heads]
        columns = {head.replace(" [", "["): x for head, x in columns.items()}
    text = table({head: columns[head] for head in heads}, separator, decimal)
    text = pick(["", "# a comment\n", "\n", "% recorded on Monday\n# by nobody\n"]) + text
    text = pick([text, text.replace("\n", "\r\n"), text.rstrip("\n") if seed % 2 else text])
    data_bytes = text.encode(pick(["utf-8", "utf-8-sig", "utf-16", "utf-8"]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the last, is cut off")
        log = mp.read_log(
            written(tmp_path / f"x.{pick(['csv', 'txt', 'tsv'])}", data_bytes),
            robot,
            units=said if how == "said" else None,
        )
    for name, values in expected.items():
        np.testing.assert_array_equal(getattr(log, name), values[: len(log)], err_msg=f"{name} {heads}")
    assert len(log) >= N - 1 and log.joints == tuple(names)
    assert (log.qd is None) == ("qd" not in wanted)


def test_a_robots_joints_are_found_in_any_order(tmp_path: Path) -> None:
    """Names win over the order of columns, and over numbers in them."""
    robot = arm(["joint_2", "joint_1"])
    data = motion(2)
    columns = {"t": data["t"], "joint_1_pos": data["q"][:, 0], "joint_2_pos": data["q"][:, 1]}
    log = mp.read_log(written(tmp_path / "a.csv", table(columns)), robot)
    np.testing.assert_array_equal(log.q, data["q"][:, ::-1])


def test_names_that_fit_by_chance_are_not_taken(tmp_path: Path) -> None:
    """`joint0 … joint5` of a robot with `joint1 … joint6` are counted from zero; seven of them are another robot's."""
    robot = arm([f"joint{k}" for k in range(1, 7)])
    for count in (6, 7, 5):
        data = motion(count)
        columns = {"t": data["t"]} | {f"joint{k}.pos": data["q"][:, k] for k in range(count)}
        file = written(tmp_path / f"{count}.csv", table(columns))
        if count == 6:
            np.testing.assert_array_equal(mp.read_log(file, robot).q, data["q"])
        else:
            with pytest.raises(mp.InputError):
                mp.read_log(file, robot)


def test_what_is_measured_is_taken_before_what_is_wanted(tmp_path: Path) -> None:
    data = motion(2)
    columns = {"timestamp": data["t"]}
    for j in range(2):
        columns |= {f"target_q_{j}": data["q"][:, j] + 1, f"actual_q_{j}": data["q"][:, j]}
        columns |= {f"target_moment_{j}": data["tau"][:, j] + 1, f"actual_TCP_force_{j}": data["t"] * 0}
        columns |= {f"actual_torque_{j}": data["tau"][:, j], f"joint_temperatures_{j}": data["t"] + 30}
        columns |= {f"current_position_{j}_raw": data["q"][:, j] + 5}
    log = mp.read_log(written(tmp_path / "ur.csv", table(columns)), "planar2r")
    np.testing.assert_array_equal(log.q, data["q"])
    np.testing.assert_array_equal(log.tau, data["tau"])
    np.testing.assert_array_equal(log.q_ref, data["q"] + 1)
    assert any("left out 'current_position_0_raw'" in note for note in log.notes)


def test_without_a_robot_joints_are_named_by_the_file(tmp_path: Path) -> None:
    data = motion(2)
    columns = {"t": data["t"], "effort_elbow": data["tau"][:, 1], "effort_hip": data["tau"][:, 0]}
    columns |= {"position_hip": data["q"][:, 0], "position_elbow": data["q"][:, 1]}
    log = mp.read_log(written(tmp_path / "a.csv", table(columns)))
    assert log.joints == ("hip", "elbow")
    np.testing.assert_array_equal(log.tau, data["tau"])


def test_columns_can_be_said(tmp_path: Path) -> None:
    data = motion(2)
    columns = {
        "k": data["t"],
        "a": data["q"][:, 0],
        "b": data["q"][:, 1],
        "c": data["tau"][:, 0],
        "d": data["tau"][:, 1],
    }
    named = written(tmp_path / "a.csv", table(columns))
    bare = written(tmp_path / "b.csv", table(columns).partition("\n")[2])
    with pytest.raises(mp.InputError, match=r"no column of positions; found 'k', 'a', .* columns=\{'q': \['k', …\]\}"):
        mp.read_log(named, "planar2r")
    with pytest.raises(mp.InputError, match=r"columns=\{'q': \[1, 2, …\]\}, counted from 0"):
        mp.read_log(bare, "planar2r")
    for file, said in (
        (named, {"t": "k", "q": ["a", "b"], "tau": ["c", "d"]}),
        (bare, {"t": 0, "q": [1, 2], "tau": [3, 4]}),
        (named, {"t": None, "q": ["a", "b"], "tau": None}),
    ):
        log = mp.read_log(file, "planar2r", columns=said, rate=None if said["t"] is not None else 100)
        np.testing.assert_allclose(log.t, data["t"], rtol=1e-15)
        np.testing.assert_array_equal(log.q, data["q"])
        assert (log.tau is None) == (said["tau"] is None)


@pytest.mark.parametrize(
    "said, sentence",
    [
        ({"columns": {"q": ["a", "b"]}}, "no column of .* is called 'a'"),
        ({"columns": {"q": ["q1"]}}, "columns: q: expected 2 columns, found 1"),
        ({"columns": {"q": [1, 99]}}, "no column 99; they are counted from 0 to 6"),
        ({"columns": {"position": ["q1", "q2"]}}, "no quantity of a log is called 'position'"),
        ({"columns": {"t": ["t", "q1"]}}, "columns: t: expected one column, found 2"),
        ({"units": {"q": "furlong"}}, "'furlong' is no unit of q; such are rad, deg, m, mm"),
        ({"units": {"tau": "A"}}, r"tau is recorded in 'A'; say N·m for one: scale=\{'tau'"),
        ({"units": {"q": ["deg"]}}, "units: q: expected 2 words, found 1"),
        ({"units": {"q": "mm"}}, "units: q: 'mm' fits no joint"),
        ({"units": {"qdd": "rad/s²"}}, "no quantity in the file is called 'qdd'"),
        ({"scale": {"tau": [1, 2, 3]}}, "scale: tau: expected 2 numbers other than zero"),
        ({"scale": {"tau": 0}}, "expected 2 numbers other than zero, found 0"),
        ({"scale": {"tau": "x"}}, "scale: tau: expected numbers, found 'x'"),
        ({"rate": -5}, "rate: expected samples a second, found -5"),
    ],
)
def test_what_is_said_wrongly_is_told(said: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", table(plain_columns(motion(2))))
    with pytest.raises(mp.InputError, match=sentence):
        mp.read_log(file, "planar2r", **said)


def test_scale_multiplies(tmp_path: Path) -> None:
    data = motion(2)
    file = written(tmp_path / "a.csv", table(plain_columns(data)))
    log = mp.read_log(file, "planar2r", scale={"tau": [100, -2]}, units={"tau": "mNm"})
    np.testing.assert_allclose(log.tau, data["tau"] * [0.1, -0.002], rtol=1e-15)


def test_currents_are_no_torques(tmp_path: Path) -> None:
    data = motion(2)
    columns = {"t": data["t"]} | {f"q{j}": data["q"][:, j] for j in range(2)}
    columns |= {f"actual_current_{j}": data["tau"][:, j] for j in range(2)}
    file = written(tmp_path / "a.csv", table(columns))
    with pytest.raises(mp.InputError, match=r"recorded as currents \(actual_current_0 … actual_current_1\)"):
        mp.read_log(file, "planar2r")
    np.testing.assert_array_equal(mp.read_log(file, "planar2r", scale={"tau": 2.0}).tau, 2 * data["tau"])
    columns |= {f"torque_{j}": 3 * data["tau"][:, j] for j in range(2)}
    file = written(tmp_path / "b.csv", table(columns))
    np.testing.assert_array_equal(mp.read_log(file, "planar2r").tau, 3 * data["tau"])


# units that the numbers contradict


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
    with pytest.raises(mp.InputError, match=r"joint_1 goes from -?\d.* its limits are .*: are these degrees\?"):
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


# rows that are broken


def broken(text: str, tmp_path: Path, sentence: str, **more: Any) -> mp.Log:
    """A log that was repaired, with this sentence as warning and note."""
    with pytest.warns(mp.ManipulaWarning, match=sentence):
        log = mp.read_log(written(tmp_path / "x.csv", text), "planar2r", **more)
    assert any(sentence in note for note in log.notes), log.notes
    return log


def test_rows_out_of_order_are_sorted(tmp_path: Path) -> None:
    data = motion(2)
    head, *rows = table(plain_columns(data)).splitlines()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        mixed = list(rows)
        if seed % 2:
            rng.shuffle(mixed)
        else:
            a, b = rng.choice(N, 2, replace=False)
            mixed[a], mixed[b] = mixed[b], mixed[a]
        log = broken("\n".join([head, *mixed, ""]), tmp_path, "sorted")
        np.testing.assert_array_equal(log.tau, data["tau"])
    log = broken("\n".join([head, *rows[::-1], ""]), tmp_path, "sorted")
    np.testing.assert_array_equal(log.q, data["q"])


def test_a_clock_that_jumps_back_is_refused(tmp_path: Path) -> None:
    data, other = motion(2), motion(2, 0.003 + 0.01 * np.arange(N))
    two = {name: np.concatenate([data[name], other[name] * (-1 if name == "q" else 1)]) for name in ("t", "q", "tau")}
    again = {name: np.concatenate([data[name], data[name][30:]]) for name in ("t", "q", "tau")}
    for mixed in (two, again):
        file = written(tmp_path / "a.csv", table(plain_columns(mixed)))
        with pytest.raises(mp.InputError, match=r"the clock jumps back from 0\.59 to .* s at row 61"):
            mp.read_log(file, "planar2r")
    short = {name: np.concatenate([data[name][:5], -3 * data[name][:5] if name == "q" else data[name][:5] + 1e-3])
             for name in ("t", "q", "tau")}  # fmt: skip
    with pytest.raises(mp.InputError, match="the clock jumps back"):
        mp.read_log(written(tmp_path / "b.csv", table(plain_columns(short))), "planar2r")


def test_times_that_stand_twice(tmp_path: Path) -> None:
    data = motion(2)
    head, *rows = table(plain_columns(data)).splitlines()
    log = broken("\n".join([head, *rows[:20], rows[19], rows[19], *rows[20:], ""]), tmp_path, "with the same numbers")
    np.testing.assert_array_equal(log.q, data["q"])
    near = rows[19].split(",")
    near[1] = repr(float(near[1]) + 0.02)
    log = broken("\n".join([head, *rows[:20], ",".join(near), *rows[20:], ""]), tmp_path, "whose mean is taken")
    assert log.q[19, 0] == pytest.approx(data["q"][19, 0] + 0.01) and len(log) == N
    coarse = {**data, "t": np.round(data["t"], 1)}
    file = written(tmp_path / "c.csv", table(plain_columns(coarse)))
    with pytest.raises(mp.InputError, match=r"too few digits, .* say rate="):
        mp.read_log(file, "planar2r")
    np.testing.assert_allclose(mp.read_log(file, "planar2r", rate=100).t, data["t"], rtol=1e-15)


def test_rows_without_numbers(tmp_path: Path) -> None:
    data = motion(2)
    for word in ("nan", "NaN", "", "NA", "null", "inf", "-Infinity"):
        lines = table(plain_columns(data)).splitlines()
        cells = lines[8].split(",")
        cells[2] = word
        lines[8] = ",".join(cells)
        log = broken("\n".join([*lines, ""]), tmp_path, "1 row without a number in q left out")
        np.testing.assert_array_equal(log.q, np.delete(data["q"], 7, 0))
    many = {**data, "tau": np.where(np.arange(N)[:, None] % 4, np.nan, data["tau"])}
    with pytest.raises(mp.InputError, match="75 % of the rows have no number somewhere, most of them in tau"):
        mp.read_log(written(tmp_path / "a.csv", table(plain_columns(many))), "planar2r")
    never = {**data, "tau": np.full((N, 2), np.nan)}
    assert broken(table(plain_columns(never)), tmp_path, "tau has no numbers and is left out").tau is None
    few = {**data, "qd": np.where(np.arange(N)[:, None] % 4, np.nan, data["qd"])}
    assert broken(table(plain_columns(few)), tmp_path, "qd is missing in 75 % of the rows").qd is None


@pytest.mark.parametrize("seed", range(30))
def test_a_file_cut_anywhere_gives_no_wrong_number(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    data = motion(2)
    text = table(plain_columns(data))
    if seed % 2:  # all numbers of one length
        rows = [[f"{x:+.6f}" for x in row] for row in np.column_stack(list(plain_columns(data).values()))]
        text = "\n".join([",".join(plain_columns(data)), *map(",".join, rows), ""])
    start = text.index("\n", len(text) // 2)
    cut = text[: rng.integers(start, len(text) - 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mp.ManipulaWarning)
        log = mp.read_log(written(tmp_path / "a.csv", cut), "planar2r")
    whole = cut.count("\n") - 1
    assert len(log) in (whole, whole + 1)
    np.testing.assert_allclose(log.tau[:whole], data["tau"][:whole], atol=1e-6)
    if seed % 2 and len(log) > whole:
        np.testing.assert_allclose(log.tau[-1], data["tau"][whole], atol=1e-6)


def test_a_cut_row_is_said(tmp_path: Path) -> None:
    text = table(plain_columns(motion(2)))
    log = broken(text[: len(text) - 40], tmp_path, "line 61, the last, is cut off and left out")
    assert len(log) == N - 1


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "is empty; expected a line of names"),
        ("\n\n  \n", "is empty"),
        ("t,q1,q2\n", "expected a line of names and"),
        ("t,q1,q2\n0,1,2\n", "1 sample with numbers in it"),
        ("t,q1,q2\n0,1,2\n0.1,x,2\n0.2,1,2\n", r"line 3: column 2 \(q1\): found 'x', expected a number"),
        ("t,q1,q2\n0,1,2\n0.1,1.5.2,2\n0.2,1,2\n", r"line 3: column 2 \(q1\): found '1.5.2'"),
        ("t,q1,q2\n0,1,2\n0.1,1_0,2\n0.2,1,2\n", r"line 3: column 2 \(q1\): found '1_0'"),
        ("t,q1,q2\n0,1,2\n0.1,1\n0.2,1,2\n", "line 3: expected 3 numbers, found 2"),
        ("t,q1,q2\n0,1,2,3\n0.1,1,2,3\n", "line 1 has 3 names, line 2 4 numbers"),
        ("t,q1,q2\n0;1;2\n0.1;1;2\n", "line 1 has 1 names, line 2 3 numbers; both must be parted by the same mark"),
        ("t:q1:q2\n0:1:2\n0.1:1:2\n", "parted by comma, semicolon, tab, bar or spaces; found '0:1:2'"),
        ("t,q1,q2\n0,0,1,0,2,0\n0,1,1,1,2,1\n", "line 1 has 3 names, line 2 6 numbers"),
        ("t,q1,q3\n0,1,2\n0.1,1,2\n", "no position of joint 2: found those of 1, 3"),
        ("t,q2,q3\n0,1,2\n0.1,1,2\n", "no position of joint 1: found those of 2, 3"),
        ("t,q1\n0,1\n0.1,2\n", "has 1 joint; planar2r has 2"),
        ("t,q1,q2,q3\n0,1,2,3\n0.1,1,2,3\n", "has 3 joints; planar2r has 2"),
        ("t,q1,q2,tau1\n0,1,2,3\n0.1,1,2,3\n", "has 1 joint; planar2r has 2"),
        ("t,q1,q1\n0,1,2\n0.1,1,2\n", "'q1' and 'q1' may both be the position of joint 1"),
        ("q1,q2\n0,1\n0.1,2\n", "no column of times among 'q1', 'q2'"),
        ("t,speed\n0,1\n0.1,2\n", "no column of positions; found 't', 'speed'"),
        ("t,q1,q2\n0,1,2\n1,1,2\n2,1,2\n", "samples are 1 s apart: are these milliseconds?"),
        ("time,stamp,q1,q2\n0,0,1,2\n.1,.1,1,2\n", "times may be 'time' or 'stamp'; say which: columns={'t': 'time'}"),
        ("hello\nworld\n", "expected a line of names and lines of numbers"),
        ("<html><body>Not found</body></html>", "expected a line of names and lines of numbers"),
        ("t,q1,q2\nnan,1,2\nnan,1,2\nnan,1,2\n", "100 % of the rows have no number somewhere"),
    ],
)
def test_a_broken_table_is_told_by_line_or_column(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(mp.InputError) as caught:
        mp.read_log(written(tmp_path / "log.csv", text), "planar2r")
    assert re.search(sentence.replace("{", r"\{"), str(caught.value)), caught.value
    assert str(caught.value).startswith(str(tmp_path)) and "\n" not in str(caught.value)


def test_missing_joints_are_named(tmp_path: Path) -> None:
    data = motion(6)
    names = mp.load("puma560").joint_names
    columns = {"t": data["t"]} | {
        f"{name}_position": data["q"][:, j] for j, name in enumerate(names) if name != "elbow"
    }
    with pytest.raises(mp.InputError, match="no position of joint 'elbow' of puma560; found 't', 'waist_position'"):
        mp.read_log(written(tmp_path / "a.csv", table(columns)), "puma560")
    other = {"t": data["t"]} | {f"position_x{name}": data["q"][:, j] for j, name in enumerate("abcdef")}
    with pytest.raises(mp.InputError, match=r"positions are of joints xa, xb, .*; puma560 has waist"):
        mp.read_log(written(tmp_path / "b.csv", table(other)), "puma560")


def test_what_is_odd_is_noted(tmp_path: Path) -> None:
    data = motion(2, np.concatenate([0.01 * np.arange(N), 43200 + 0.01 * np.arange(N)]))
    data["q"][:, 1] = 0.5
    data["qd"][:, 1] = 0.0
    data["tau"] = np.clip(data["tau"], -3, 3)
    log = mp.read_log(written(tmp_path / "a.csv", table(plain_columns(data))), "planar2r")
    assert "a gap of 4.32e+04 s after 0.59 s" in log.notes
    assert "theta2 does not move: what its own motion would show cannot be seen" in log.notes
    assert any("theta1: the torque is at its limit, 3, in" in note for note in log.notes)
    assert [len(part) for part in log.parts()] == [N, N]
    data["tau"] *= 0
    log = mp.read_log(written(tmp_path / "b.csv", table(plain_columns(data))), "planar2r")
    assert "all torques are zero: nothing about dynamics can be told" in log.notes


def test_other_columns_may_hold_text(tmp_path: Path) -> None:
    """As `rostopic echo -p` writes: a mark before the first name, names of joints in every row, nanoseconds."""
    data = motion(2)
    stamps = 1616161616123456789 + np.arange(N) * 10_000_000
    lines = [
        "%time,field.header.seq,field.name0,field.name1,field.position0,field.position1,field.effort0,field.effort1"
    ]
    for k in range(N):
        numbers = [*data["q"][k], *data["tau"][k]]
        lines.append(",".join([str(stamps[k]), str(k), "hip", "knee", *map(repr, map(float, numbers))]))
    file = written(tmp_path / "bag.csv", "\n".join([*lines, ""]))
    with pytest.raises(mp.InputError, match=r"are these nanoseconds\? Say units=\{'t': 'ns'\}"):
        mp.read_log(file, "planar2r")
    log = mp.read_log(file, "planar2r", units={"t": "ns"})
    np.testing.assert_allclose(log.t, data["t"], atol=1e-12)
    np.testing.assert_array_equal(log.tau, data["tau"])
    assert "times are counted from the first, 1616161616123456789" in log.notes


def test_a_row_of_units_is_read(tmp_path: Path) -> None:
    data = motion(2)
    columns = plain_columns({"t": data["t"] * 1e3, "q": np.degrees(data["q"]), "tau": data["tau"]})
    head, _, rest = table(columns).partition("\n")
    log = mp.read_log(written(tmp_path / "a.csv", f"{head}\nms,deg,deg,Nm,Nm\n{rest}"), "planar2r")
    np.testing.assert_allclose(log.q, data["q"], rtol=1e-15)
    np.testing.assert_allclose(log.t, data["t"], rtol=1e-14)


def test_seconds_and_nanoseconds_are_one_time(tmp_path: Path) -> None:
    data = motion(2)
    nanos = 1616161616 * 10**9 + np.arange(N) * 25_000_000
    columns = {"header.stamp.sec": nanos // 10**9, "header.stamp.nanosec": nanos % 10**9}
    columns |= {f"position[{j}]": data["q"][:, j] for j in range(2)}
    lines = [",".join(columns)] + [",".join(str(x[k]) for x in columns.values()) for k in range(N)]
    log = mp.read_log(written(tmp_path / "a.csv", "\n".join([*lines, ""])), "planar2r")
    np.testing.assert_allclose(np.diff(log.t), 0.025, atol=1e-6)


def test_notes_say_what_was_understood(tmp_path: Path) -> None:
    data = motion(2)
    columns = {"time_ms": data["t"] * 1e3} | {f"pos_deg_{j}": np.degrees(data["q"][:, j]) for j in range(2)}
    columns |= {f"vel_deg_per_s_{j}": np.degrees(data["qd"][:, j]) for j in range(2)}
    columns |= {f"acc_rad_s2_{j}": data["qdd"][:, j] for j in range(2)}
    columns |= {f"tau_{j}": data["tau"][:, j] for j in range(2)}
    log = mp.read_log(written(tmp_path / "a.csv", table(columns)), "planar2r")
    told = {row.quantity: (row.unit, row.said) for row in log.understood}
    assert told["t"] == ("ms", True) and told["q"] == ("deg", True) and told["tau"] == ("N·m", False)
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_allclose(getattr(log, name), data[name], rtol=1e-14)
