"""`mp.read_log` on tables: any heads, order, separator, unit gives the same arrays; what is broken gives a sentence."""

from __future__ import annotations

import warnings
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences
from tests.log_tables import N, arm, motion, plain_columns, table, written

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


@pytest.mark.parametrize(
    "words", [("Base", "Shoulder", "Elbow", "Wrist1", "Wrist2", "Wrist3"), ("X", "Y", "Z", "A", "B", "C")]
)
def test_joints_in_other_words_are_taken_in_order_and_told(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Names of the maker's own program, which are not those of the robot's file."""
    robot, data = arm([f"axle_{name}" for name in ("one", "two", "three", "four", "five", "six")]), motion(6)
    columns = {"t": data["t"]} | {f"{word} actual [deg]": np.rad2deg(data["q"][:, k]) for k, word in enumerate(words)}
    columns |= {f"{words[k]} torque": data["tau"][:, k] for k in (3, 1, 2, 0, 5, 4)}  # torques follow by name
    with pytest.warns(mp.ManipulaWarning, match="are taken as axle_one, .*, axle_six, in this order"):
        log = mp.read_log(written(tmp_path / "a.csv", table(columns)), robot)
    np.testing.assert_allclose(log.q, data["q"], rtol=1e-14)
    np.testing.assert_array_equal(log.tau, data["tau"])


def test_other_words_of_which_the_order_says_nothing_are_refused(tmp_path: Path) -> None:
    """Sorted by a recorder, the robot's own in another place, or of torques alone."""
    robot, data = arm(["swing", "lift", "bend"]), motion(3)
    for names in (("arm", "base", "tool2"), ("base", "elbow", "lift"), ("lift", "base", "elbow")):
        columns = {"t": data["t"]} | {f"{name} position": data["q"][:, k] for k, name in enumerate(names)}
        with pytest.raises(mp.InputError):
            mp.read_log(written(tmp_path / "a.csv", table(columns)), robot)
    columns = {"t": data["t"]} | {f"q{k}": data["q"][:, k] for k in range(3)}
    columns |= {f"{name} force": data["tau"][:, k] for k, name in enumerate("xyz")}
    with pytest.raises(mp.InputError, match="torques are of joints x, y, z"):
        mp.read_log(written(tmp_path / "b.csv", table(columns)), robot)


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
        ({"units": {"tau": "A"}}, r"tau is recorded in 'A'; say N·m per ampere: scale=\{'tau'"),
        ({"units": {"q": ["deg"]}}, "units: q: expected 2 words, found 1"),
        ({"units": {"q": "mm"}}, "units: q: 'mm' fits no joint"),
        ({"units": {"qdd": "rad/s²"}}, "no quantity in the file is called 'qdd'"),
        ({"scale": {"tau": [1, 2, 3]}}, "scale: tau: expected 2 numbers other than zero"),
        ({"scale": {"tau": 0}}, "expected 2 numbers other than zero, found 0"),
        ({"scale": {"tau": "x"}}, "scale: tau: expected numbers, found 'x'"),
        ({"rate": -5}, "rate: expected samples a second, found -5"),
    ],
)
def test_what_is_said_wrongly_is_told(said: dict[str, Any], sentence: str, tmp_path: Path, whole: Sentences) -> None:
    file = written(tmp_path / "a.csv", table(plain_columns(motion(2))))
    with whole.raises(mp.InputError, match=sentence):
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


@pytest.mark.parametrize("seed", range(6))
def test_joints_may_have_several_words_for_one_quantity(seed: int, tmp_path: Path) -> None:
    """A slide has forces where a hinge has torques; whoever writes a table by hand says pos here and angle there."""
    rng, data, names = np.random.default_rng(seed), motion(3), ["yaw", "lift", "roll"]
    words = {"q": ["pos", "position", "angle"], "tau": ["torque", "force", "effort"]}
    numbered = seed % 2 == 0
    columns = {"t": data["t"]}
    for quantity, order in words.items():
        for j, word in enumerate(rng.permutation(order)):
            columns[f"{word}_{j + 1}" if numbered else f"{names[j]}_{word}"] = data[quantity][:, j]
    mixed = {name: columns[name] for name in rng.permutation(list(columns))}
    log = mp.read_log(written(tmp_path / "a.csv", table(mixed)), arm(names))
    np.testing.assert_array_equal(log.q, data["q"])
    np.testing.assert_array_equal(log.tau, data["tau"])


def test_two_columns_of_one_joint_are_both_named(tmp_path: Path) -> None:
    data, names = motion(2), ["yaw", "lift"]
    columns = {"t": data["t"], "yaw_pos": data["q"][:, 0], "lift_angle": data["q"][:, 1], "yaw_theta": data["q"][:, 1]}
    with pytest.raises(mp.InputError, match="'yaw_pos' and 'yaw_theta' may both be the position of yaw"):
        mp.read_log(written(tmp_path / "a.csv", table(columns)), arm(names))
