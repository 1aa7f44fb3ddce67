"""One recording over several files: joined by time or by row, named by their heads or by the files' own names."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import app
from manipula.cli.terminal.language import in_shell_words
from tests.golden.sentences import Sentences
from tests.log_tables import motion, written
from tests.recordings import recording, two_joints

ARM = two_joints()
LOG = recording(ARM, 3, seconds=4)
T, Q, QD, TAU = LOG.t, LOG.q, LOG.qd, LOG.tau


def table(path: Path, rows: Any, heads: str = "", separator: str = " ", comma: bool = False) -> Path:
    lines = [separator.join(f"{x:.9f}" for x in np.atleast_1d(row)) for row in rows]
    text = "\n".join([*([heads] if heads else []), *(line.replace(".", ",") if comma else line for line in lines), ""])
    path.write_text(text, encoding="utf-8")
    return path


def same(log: mp.Log, rows: slice = slice(None)) -> None:
    np.testing.assert_allclose(log.q, Q[rows], atol=2e-9)
    np.testing.assert_allclose(log.tau, TAU[rows], atol=2e-9)


def test_files_without_heads_say_by_their_names_what_they_hold(tmp_path: Path) -> None:
    times, q = table(tmp_path / "time.txt", T), table(tmp_path / "joint_positions.txt", Q)
    tau, qd = (
        table(tmp_path / "torques.dat", TAU, separator="\t"),
        table(tmp_path / "velocities.csv", QD, separator=","),
    )
    for files in ([times, q, tau], [q, tau, times], [q, times, qd, tau]):
        log = mp.read_log(files, ARM)
        same(log)
        np.testing.assert_allclose(log.t, T, atol=1e-9)
        assert (log.qd is not None) == (qd in files) and "joined by row" in "".join(log.notes)
    same(mp.read_log([q, tau], ARM, rate=100))


@pytest.mark.parametrize("comma", [False, True])
def test_one_number_a_line(tmp_path: Path, comma: bool) -> None:
    """The joints of a sample stand one after the other."""
    q = table(tmp_path / "pos.txt", Q.reshape(-1), comma=comma)
    tau = table(tmp_path / "tau.txt", TAU.reshape(-1), comma=comma)
    log = mp.read_log([q, tau], ARM, rate=100)
    same(log)
    assert "2 numbers a sample, one a line" in "".join(log.notes)
    same(mp.read_log([table(tmp_path / "stamps.txt", T), q, tau]))  # the times say how many joints there are


@pytest.mark.parametrize("seed", range(6))
def test_files_of_two_rates_are_joined_by_time(tmp_path: Path, seed: int) -> None:
    """Torques at another rate, from later on and not to the end: the positions' times within both are kept."""
    rng = np.random.default_rng(seed)
    start, end, rate = rng.uniform(0.1, 0.8), rng.uniform(3, 3.8), rng.uniform(150, 400)
    times = np.arange(start, end, 1 / rate)
    tau = np.stack([np.interp(times, T, x) for x in TAU.T], axis=1)
    pos = table(tmp_path / "pos.csv", np.column_stack([T, Q]), "t;q1;q2", ";", comma=True)
    other = table(tmp_path / "cur.csv", np.column_stack([1000 * times, tau]), "time_ms,tau_1,tau_2", ",")
    for files in ([pos, other], [other, pos]):
        log = mp.read_log(files, ARM)
        inside = (times[0] <= T) & (times[-1] >= T)
        np.testing.assert_allclose(log.t, T[inside], atol=1e-8)
        np.testing.assert_allclose(log.q, Q[inside], atol=2e-9)
        assert np.abs(log.tau - TAU[inside]).max() < 0.15 * np.abs(TAU).max()  # lines between samples of lines
        assert "joined by time" in "".join(log.notes)


def test_a_unit_in_the_name_of_a_file_counts(tmp_path: Path) -> None:
    q = table(tmp_path / "positions_deg.csv", np.column_stack([T, np.rad2deg(Q)]), separator=",")
    current = table(tmp_path / "motor_currents_mA.csv", 1000 * TAU, separator=",")
    same(mp.read_log([q, current], ARM, scale={"tau": 1.0}))
    with pytest.raises(mp.InputError, match="torques are recorded as currents"):
        mp.read_log([q, current], ARM)


def test_what_cannot_be_joined_is_refused(tmp_path: Path, whole: Sentences) -> None:
    q = table(tmp_path / "positions.txt", np.column_stack([T, Q]))
    with whole.raises(mp.InputError, match="has 200 rows, positions.txt has 400"):
        mp.read_log([q, table(tmp_path / "torques.txt", TAU[::2])], ARM)
    with whole.raises(mp.InputError, match="expected files of one clock"):
        mp.read_log([q, table(tmp_path / "torque.txt", np.column_stack([T + 100, TAU]))], ARM)
    with whole.raises(mp.InputError, match="is one of them in other units"):
        mp.read_log([q, table(tmp_path / "effort.txt", np.column_stack([1000 * T, TAU]))], ARM)
    with whole.raises(mp.InputError, match="neither its heads nor its name"):
        mp.read_log([q, table(tmp_path / "rest.txt", TAU)], ARM)
    with whole.raises(mp.InputError, match="no file was given"):
        mp.read_log([], ARM)


# lines that are no rows, limits, degrees


def own_table(tmp_path: Path, rows: list[str]) -> Path:
    path = tmp_path / "run.csv"
    path.write_text("\n".join(["t;q1;q2;tau1;tau2", *rows, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize("seed", range(4))
def test_foreign_lines_are_named(tmp_path: Path, seed: int) -> None:
    """Heads that stand there again and words of a program: left out, by the number of their line; the rest is read."""
    rng = np.random.default_rng(seed)
    rows = [";".join(f"{x:.9f}" for x in row) for row in np.column_stack([T, Q, TAU])]
    places = sorted(int(x) for x in rng.choice(np.arange(10, 390), 3, replace=False))
    for many, (place, word) in enumerate(zip(places, ("t;q1;q2;tau1;tau2", "paused", "--- goes on ---;;;;"))):
        rows.insert(place + many, word)
    with pytest.warns(mp.ManipulaWarning, match="lines without numbers are left out"):
        log = mp.read_log(own_table(tmp_path, rows), ARM)
    same(log)
    named = ", ".join(str(place + many + 2) for many, place in enumerate(places))
    assert f"lines without numbers are left out: lines {named}" in log.notes


def test_repairs_name_their_lines(tmp_path: Path) -> None:
    rows = [";".join(f"{x:.9f}" for x in row) for row in np.column_stack([T, Q, TAU])]
    rows[40] = rows[40].rpartition(";")[0] + ";nan"
    rows.insert(100, "# a comment")
    rows.insert(200, rows[199])
    with pytest.warns(mp.ManipulaWarning):
        log = mp.read_log(own_table(tmp_path, rows), ARM)
    assert "1 row without a number in tau left out: line 42" in log.notes
    assert "1 time stands twice, with the same numbers: line 202" in log.notes


@pytest.mark.parametrize("seed", range(8))
def test_a_limit_measured_with_noise_is_a_plateau(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = np.arange(4000) * 1e-3
    q = np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)
    tau = np.stack([10 * np.sin(rng.uniform(3, 9) * t), 4 * np.cos(rng.uniform(3, 9) * t)], axis=1)
    limit = float(rng.uniform(5, 8))
    noise = rng.normal(0, 0.002 * limit, t.shape)
    clipped = tau.copy()
    clipped[:, 0] = np.clip(tau[:, 0], -limit, limit) + noise
    found = mp.Log(t, q, clipped).saturated
    beyond = np.abs(tau[:, 0]) > 1.02 * limit
    assert found[beyond, 0].mean() > 0.95 and not found[np.abs(tau[:, 0]) < 0.95 * limit, 0].any()
    assert not found[:, 1].any() and not mp.Log(t, q, tau + noise[:, None]).saturated.any()


def test_degrees_of_a_small_motion_are_too_fast_for_radians(tmp_path: Path, whole: Sentences) -> None:
    """±3 degrees would be within ±π, but at a speed no arm has; said to be radians they are believed."""
    t = np.arange(800) * 2e-3
    q = np.stack([3 * np.sin(9 * t), 2 * np.cos(9 * t)], axis=1)
    path = tmp_path / "small.csv"
    table(path, np.column_stack([t, q, q]), "t,q1,q2,tau1,tau2", ",")
    with whole.raises(mp.InputError, match="are these degrees"):
        mp.read_log(path, ARM)
    assert mp.read_log(path, ARM, units={"q": "rad"}).q.max() > 2.9
    assert mp.read_log(path, ARM, units={"q": "deg"}).q.max() < 0.06


# what comes along, and what a shell says


def test_a_recording_comes_along() -> None:
    robot = mp.load("puma560")
    log, other = mp.read_log("sample:puma560", robot), mp.read_log("sample:puma560-check", robot)
    assert log.dof == 6 and log.source == "sample:puma560" and len(log.parts()) == 1 and log.duration > 10
    assert np.abs(log.q).max() < 4 and other.tau is not None and not np.array_equal(log.q[:100], other.q[:100])
    with pytest.raises(mp.UnknownNameError, match="puma560"):
        mp.read_log("sample:puma56")


@pytest.mark.parametrize(
    "python, shell",
    [
        ("say units={'q': 'deg', 't': 'ms'}", "say --unit q=deg --unit t=ms"),
        ("columns={'tau': None}, or scale={'tau': [...]}", "--column tau=none, or --scale tau=…"),
        ("say which: columns={'q': ['a b', …]}", "say which: --column 'q=a b,…'"),
        ("columns={'q': ['X [mm]', 'Y'], 'tau': 'i_{1}'}", "--column 'q=X [mm],Y' --column 'tau=i_{1}'"),
        ("that samples are even, rate=…", "that samples are even, --rate HZ"),
        ("tip= chooses another; base='arm' too", "--tip chooses another; --base arm too"),
        ("hold it still by locked=", "hold it still by --lock"),
        ("a={b} or c=[1]", "a={b} or c=[1]"),
    ],
)
def test_hints_speak_the_shells_language(python: str, shell: str) -> None:
    assert in_shell_words(python) == shell


@pytest.mark.parametrize("seed", range(3))
def test_a_shell_reads_the_names_of_a_hint_as_they_are(seed: int) -> None:
    """Links and columns may have spaces, brackets, quotes, and what else a shell has a meaning for."""
    rng = np.random.default_rng(seed)
    for quote in ("'", '"', "`"):
        letters = [*"ab1_ []{}()$#&;*?|<>~!-/.é", quote]
        one, two, three = ("x" + "".join(rng.choice(letters, rng.integers(1, 9))) for _ in range(3))
        for option in ("tip", "base"):
            assert shlex.split(in_shell_words(f"say {option}={one!r} now")) == ["say", f"--{option}", one, "now"]
        said = in_shell_words(f"say columns={{'q': {[one, two]!r}, 'tau': {three!r}}} now")
        assert shlex.split(said) == ["say", "--column", f"q={one},{two}", "--column", f"tau={three}", "now"]


def test_a_shell_joins_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "positions.txt", Q)
    table(tmp_path / "torques.txt", TAU)
    mp.save(ARM, "two.toml")
    run = CliRunner()
    found = run.invoke(app, ["logs", "positions.txt + torques.txt", "--robot", "two.toml", "--rate", "100"])
    assert found.exit_code == 0 and "positions.txt + torques.txt: 2 joints, 400 samples" in found.output
    refused = run.invoke(app, ["logs", "positions.txt + torques.txt", "--robot", "two.toml"])
    assert refused.exit_code != 0 and "--rate HZ" in refused.output and "rate=" not in refused.output
    told = run.invoke(app, ["identify"])
    assert told.exit_code != 0 and "--sample" in told.output


@pytest.mark.parametrize("stems", [("joint1", "joint2"), ("axis_2", "axis_1"), ("shoulder", "elbow"), ("b", "a")])
def test_a_file_a_joint(tmp_path: Path, stems: tuple[str, str]) -> None:
    """By the joint's name, by a number in the file's name, else by the order in which they are given."""
    order = [1, 0] if stems == ("axis_2", "axis_1") else [0, 1]
    paths = [
        table(tmp_path / f"{stem}.csv", np.column_stack([T, Q[:, j], TAU[:, j]]), "time,position,torque", ",")
        for stem, j in zip(stems, order)
    ]
    same(mp.read_log(paths, ARM))
    with pytest.raises(mp.ManipulaError, match="of one joint, and two has 2; the files of one recording"):
        mp.read_log(paths[0], ARM)


@pytest.mark.parametrize("seed", range(4))
def test_files_with_stamps_of_seconds_and_nanoseconds(seed: int, tmp_path: Path) -> None:
    """As topics of ROS are written, a file each: torques come less often, or between the positions."""
    rng = np.random.default_rng(seed)
    data = motion(2, np.round(0.005 * np.arange(400), 6))
    shift = float(rng.choice([0.0, 0.0021]))
    every = int(rng.integers(1, 3))
    for name, word, t in (("a", "position", data["t"]), ("b", "effort", data["t"][::every] + shift)):
        values = data["q"] if name == "a" else data["tau"][::every]
        moments = [1_700_000_000_370_000_000 + round(x * 1e9) for x in t]
        rows = [f"{x // 10**9},{x % 10**9},{row[0]!r},{row[1]!r}" for x, row in zip(moments, values.tolist())]
        heads = f"header.stamp.sec,header.stamp.nanosec,{word}_0,{word}_1"
        written(tmp_path / f"{name}.csv", "\n".join([heads, *rows]) + "\n")
    log = mp.read_log([tmp_path / "a.csv", tmp_path / "b.csv"], "planar2r")
    first = int(np.argmin(np.abs(data["q"][:, 0] - log.q[0, 0])))
    size = len(log)
    assert size >= len(data["t"]) - every - 1
    np.testing.assert_allclose(log.t - log.t[0], data["t"][first : first + size] - data["t"][first], atol=1e-9)
    np.testing.assert_array_equal(log.q, data["q"][first : first + size])
    seen = [np.interp(data["t"], data["t"][::every] + shift, x) for x in data["tau"][::every].T]
    assert log.tau is not None
    np.testing.assert_allclose(log.tau, np.stack(seen, 1)[first : first + size], atol=1e-3)
