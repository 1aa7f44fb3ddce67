"""Rows of a recording that are broken, cut, out of order: mended where that is sure, else told by line or column."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences
from tests.log_tables import N, motion, plain_columns, table, written


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
        with pytest.raises(mp.InputError, match=r"the clock jumps back from 0\.59 to .* s at line 62"):
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
    log = broken(table(plain_columns(many)), tmp_path, "15 of 60 rows have a number in tau: these are taken")
    np.testing.assert_array_equal(log.tau, data["tau"][::4])
    np.testing.assert_array_equal(log.q, data["q"][::4])
    torn = {**data, "tau": np.where((np.arange(N) % 59 > 14)[:, None], np.nan, data["tau"])}
    with pytest.raises(mp.InputError, match="% of the rows have no number somewhere, most of them in tau"):
        mp.read_log(written(tmp_path / "a.csv", table(plain_columns(torn))), "planar2r")
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
        ("time,stamp,q1,q2\n0,0,1,2\n.1,.3,1,2\n", "times may be 'time' or 'stamp'; say which: columns={'t': 'time'}"),
        ("hello\nworld\n", "expected a line of names and lines of numbers"),
        ("<html><body>Not found</body></html>", "expected a line of names and lines of numbers"),
        ("t,q1,q2\nnan,1,2\nnan,1,2\nnan,1,2\n", "100 % of the rows have no number somewhere"),
    ],
)
def test_a_broken_table_is_told_by_line_or_column(text: str, sentence: str, tmp_path: Path, whole: Sentences) -> None:
    with whole.raises(mp.InputError) as caught:
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
    assert "all torques are zero: the dynamics cannot be identified" in log.notes


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
    for units in ({}, {"t": "ns"}):
        log = mp.read_log(file, "planar2r", units=units)
        np.testing.assert_allclose(log.t, data["t"], atol=1e-12)
        np.testing.assert_array_equal(log.tau, data["tau"])
        assert "times are counted from the first, 1616161616123456789" in log.notes
        assert ("times count ns since 1970" in log.notes) == (not units)


@pytest.mark.parametrize("unit, many", [("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_times_since_1970_have_one_unit(tmp_path: Path, unit: str, many: int) -> None:
    """As seconds they would be ages; what counts from another day keeps its doubt."""
    data = motion(2)
    columns = plain_columns(data)
    for begin in (1_000_000_000, 1_616_161_616, 4_000_000_000):
        columns["t"] = begin * many + np.rint(data["t"] * many).astype(np.int64)
        log = mp.read_log(written(tmp_path / "a.csv", table(columns)), "planar2r")
        np.testing.assert_allclose(log.t - log.t[0], data["t"], atol=1e-3 if unit == "ms" else 1e-6)
        assert f"times count {unit} since 1970" in log.notes
    columns["t"] = 10 * many + np.rint(data["t"] * many).astype(np.int64)
    with pytest.raises(mp.InputError, match=f"are these .*: '{unit}'"):
        mp.read_log(written(tmp_path / "b.csv", table(columns)), "planar2r")


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
