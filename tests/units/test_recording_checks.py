"""Recordings at the limits of what is believed of them: steps, spans, speeds, plateaus, gaps, columns of equal rank."""

from __future__ import annotations

from math import pi
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.messages import Message
from manipula.recordings import diagnostics, remarks, sampling, text_files
from manipula.recordings.columns import Joints, choose_group, entries_of, found_in, how_to_say
from manipula.recordings.file_sets import _first_is_clock, _name, source_of_set
from manipula.recordings.matching import incomplete_sentence
from manipula.recordings.repairs import Rows, name_lines, unwrap_joint
from manipula.recordings.sources import Ask, Source, column_from
from tests.golden.sentences import Sentences
from tests.log_tables import written


def seen(t: Any, q: Any, qd: Any = None, qdd: Any = None, **more: Any) -> Any:
    q = np.asarray(q, float)
    names = tuple(f"joint {j + 1}" for j in range(q.shape[1]))
    plain: dict[str, Any] = {"turns": (), "names": names, "stated": (), "understood": ("a file",), "tau": None}
    return SimpleNamespace(t=np.asarray(t, float), q=q, qd=qd, qdd=qdd, **plain | more)


# times


@pytest.mark.parametrize(
    "step, unit",
    [
        (1e-5, ""), (0.499, ""), (1e-2, ""), (0.5, "ms"), (499.0, "ms"), (500.0, "us"), (4.99e5, "us"), (5e5, "ns"),
        (4.9e8, "ns"), (5e8, None), (9.9e-6, None),
    ],
)  # fmt: skip
def test_steps_of_time_that_no_recorder_has(step: float, unit: str | None) -> None:
    """Between ten microseconds and half a second they are seconds; else the first unit in which they would be."""
    for count in (2, 3):
        said = diagnostics._times(seen(step * np.arange(count), np.zeros((count, 1))))
        words = {"ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
        if unit == "":
            assert said == ""
        elif unit is None:
            assert said.startswith(f"samples are {step:.4g} s apart, which no recorder of an arm does")
        else:
            assert said.startswith(
                f"samples are {step:.4g} s apart: are these {words[unit]}? Say units={{'t': '{unit}'"
            )
    assert diagnostics._times(seen([0.0], [[0.0]])) == ""
    assert diagnostics._times(seen([0.0, step], [[0.0], [0.0]], stated=("t",))) == ""


# positions


@pytest.mark.parametrize("count, told", [(0, ""), (1, "jump by a turn 1 time;"), (3, "jump by a turn 3 times;")])
def test_jumps_by_a_turn_are_counted(count: int, told: str) -> None:
    t = 0.01 * np.arange(40)
    q = np.column_stack([0 * t, 0.5 * t])
    for k in range(count):
        q[10 * (k + 1) :, 1] += 2 * pi
    said = diagnostics._turns(seen(t, q))
    assert (told in said and said.startswith("joint 2: ")) if told else said == ""
    assert diagnostics._turns(seen(t, q, turns=(True, False))) == ""


def ends(lower: Any, upper: Any, speed: Any = np.inf) -> diagnostics.Ends:
    return diagnostics.Ends(*(np.atleast_1d(np.asarray(x, float)) for x in (lower, upper, speed)))


@pytest.mark.parametrize(
    "low, high, limits, understood, doubted",
    [
        (-2 * pi, 2 * pi, None, True, False), (-2 * pi, 2 * pi + 1e-6, None, True, True),
        (0, 99.0, None, False, False),  # arrays are said to be radians
        (0, 1.0, (0.0, 1.0), True, False), (0, 1.1, (0.0, 1.0), True, False), (0, 1.11, (0.0, 1.0), True, True),
        (-0.11, 1, (0.0, 1.0), True, False),  # not within the limits as degrees either
        (-0.101, 0.5, (0.0, 1.0), True, False), (-1.3, 0, (-1.0, 0.0), True, True),
        (0, 2.0, (0.0, 1.0), False, False), (0, 2.1, (0.0, 1.0), False, True), (0, 70.0, (0.0, 1.0), True, False),
        (0, 57.0, (0.0, 1.0), True, True), (0, 99.0, (-np.inf, 1.0), False, False),
    ],
)  # fmt: skip
def test_degrees_are_doubted_beyond_limits(low: Any, high: Any, limits: Any, understood: bool, doubted: bool) -> None:
    log = seen([0.0, 1.0], [[low], [high]], understood=("x",) if understood else ())
    said = diagnostics._degrees(log, None if limits is None else ends(*limits))
    assert bool(said) is doubted
    if said:
        assert said.startswith(f"joint 1 goes from {low:.4g} to {high:.4g} rad, ")
        turns = f"{(high - low) / (2 * pi):.3g} turns: " if limits is None else ""
        assert f"{turns}are these degrees?" in said
        assert limits is None or f"its limits are {limits[0]:.4g} and {limits[1]:.4g}: " in said
    for quiet in ({"stated": ("q",)}, {"turns": (False,)}):
        assert diagnostics._degrees(seen([0.0, 1.0], [[low], [high]], **quiet), ends(0.0, 1.0)) == ""


@pytest.mark.parametrize("speed, limit, doubted", [(19.9, np.inf, False), (20.1, np.inf, True), (7.9, 4.0, False),
                                                   (8.1, 4.0, True)])  # fmt: skip
def test_speeds_beyond_any_arm(speed: float, limit: float, doubted: bool) -> None:
    """Of nineteen samples in twenty; a few jumps are none."""
    t = 0.01 * np.arange(200)
    q = np.column_stack([0 * t, speed * t])
    said = diagnostics._too_fast(seen(t, q), ends([-9, -9], [9, 9], [limit, limit]))
    assert said.startswith(f"joint 2 moves at {speed:.3g} rad/s: are these degrees?") if doubted else said == ""
    assert diagnostics._too_fast(seen(t, q, turns=(True, False)), ends([-9, -9], [9, 9], [1, 1])) == ""
    q[:, 1] = np.where(t < 0.05, 100 * t, 5.0)
    assert diagnostics._too_fast(seen(t, q), ends([-9, -9], [9, 9], [1, 1])) == ""
    fast = 1e3 * np.column_stack([t, t])
    for quiet in (seen(t[:19], fast[:19]), seen(t, fast, stated=("q",)), seen(t, fast, understood=())):
        assert diagnostics._too_fast(quiet, ends([-9, -9], [9, 9], [1, 1])) == ""
    assert diagnostics._too_fast(seen(t[:20], fast[:20]), ends([-9, -9], [9, 9], [1, 1]))
    assert diagnostics._too_fast(seen(t, fast), None) == ""


# speeds beside positions


def swing(count: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t = np.arange(count) / 100.0
    w = np.array([2.0, 3.1, 4.3])
    return t, np.sin(w * t[:, None]), w * np.cos(w * t[:, None])


@pytest.mark.parametrize(
    "factor, told",
    [
        (1.14, ""), (0.86, ""), (1.9, ""), (0.51, ""), (2.1, "say units= or scale= of both, or leave speeds out"),
        (0.49, "say units= or scale= of both"), (-1.0, "the sign of one is wrong; say scale={'qd': …}"),
        (-0.86, "the sign of one is wrong"), (-1.2, "say units= or scale= of both"),
        (57.3, "say units={'qd': 'deg/s'}"),
        (57.3 * 1.1, "say units={'qd': 'deg/s'}"), (1 / 57.3, "say units={'q': 'deg'}"),
    ],
)  # fmt: skip
def test_a_speed_that_is_a_multiple_of_the_slope(factor: float, told: str) -> None:
    t, q, qd = swing()
    said = diagnostics._slopes(seen(t, q, qd * [1.0, factor, 1.0]))
    assert bool(said) is bool(told) and told in said
    if told:
        number = float(said.split(" speeds are ")[1].split(" times")[0])
        assert said.startswith("joint 2: recorded speeds are ") and number == pytest.approx(factor, rel=2e-3)


@pytest.mark.parametrize("unit, size", [("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
@pytest.mark.parametrize("angle, turn", [("", 1.0), ("'qd': 'deg/s'", 180 / pi), ("'q': 'deg'", pi / 180)])
def test_units_of_time_are_seen_where_all_joints_agree(unit: str, size: float, angle: str, turn: float) -> None:
    t, q, qd = swing()
    want = f"say units={{'t': '{unit}'{', ' + angle if angle else ''}}}"
    assert diagnostics._slopes(seen(t, q, qd * size * turn)).endswith(want)
    assert not diagnostics._slopes(seen(t, q, qd * [1.0, size * turn, 1.0])).endswith(want)


def test_accelerations_are_no_positions() -> None:
    """In degrees they are their own unit; positions in degrees make none of them wrong."""
    t, q, qd = swing()
    qdd = np.gradient(qd, t, axis=0)
    assert diagnostics._slopes(seen(t, q, qd, qdd)) == ""
    said = diagnostics._slopes(seen(t, q, qd, qdd * 180 / pi))
    assert said.startswith("joint 1: recorded accelerations are 57") and said.endswith("say units={'qdd': 'deg/s²'}")
    said = diagnostics._slopes(seen(t, q, qd, qdd * pi / 180))
    assert "'q'" not in said and "leave accelerations out, columns={'qdd': None}" in said
    assert diagnostics._slopes(seen(t, q, None, qdd * 50)) == ""


def test_few_windows_tell_nothing() -> None:
    t, q, qd = swing()
    found = {n: bool(diagnostics._slopes(seen(t[:n], q[:n], 5 * qd[:n]))) for n in (2, 8, 9, 10)}
    assert found == {2: False, 8: False, 9: True, 10: True}
    assert diagnostics._slopes(seen(t, 0 * q, 0 * qd)) == ""  # a joint at rest


def test_windows_sum_speeds_between_gaps() -> None:
    t, q, qd = swing(50)
    moved, summed = diagnostics._windows(t, q, qd)
    np.testing.assert_allclose(moved, q[1:] - q[:-1], atol=1e-15)
    np.testing.assert_allclose(summed, moved, atol=2e-4)
    t[25:] += 9.0
    assert len(diagnostics._windows(t, q, qd)[0]) == 48
    t, q, qd = swing(1000)
    moved, summed = diagnostics._windows(t, q, qd)
    np.testing.assert_allclose(moved, [q[k + 10] - q[k] for k in range(0, 990, 5)], atol=1e-15)
    np.testing.assert_allclose(summed, moved, atol=2e-3)


def test_swapped_joints_are_named_in_pairs() -> None:
    t, q, qd = swing()
    said = diagnostics._slopes(seen(t, q, qd[:, [0, 2, 1]]))
    assert said.startswith("the speed of joint 2 follows the position of joint 3: joints are swapped")
    assert said.endswith("columns={'q': […], 'qd': […]}")
    said = diagnostics._slopes(seen(t, q, -qd[:, [0, 2, 1]]))
    assert said.startswith("the speed of joint 2 follows the position of joint 3")
    noise = np.random.default_rng(0).normal(size=qd.shape)
    assert diagnostics._slopes(seen(t, q, qd * [1, 0, 0] + noise * [0, 1, 1])) == ""


# what is odd and can be used


def test_remarks_on_rest_limits_and_turns() -> None:
    q = np.column_stack([[1.0, 1.0], [0.0, 13.0], [0.0, 13.0], [-2.0, 3.0]])
    tau = np.array([[0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 2.0, -9.0]])
    log = seen([0.0, 1.0], q, tau=tau, saturated=np.array([[False] * 4, [False, False, False, True]]))
    bounds = ends([-2, -np.inf, -20, -2], [2, np.inf, 20, 2.99], [1] * 4)
    assert remarks.remarks(log, bounds) == [
        "joint 1 does not move: what its own motion would show cannot be seen",
        "joint 4 goes from -2 to 3, beyond its limits -2 and 2.99",
        "joint 2 goes through 2.07 turns; it is taken in radians",
        "the torque of joint 1 is zero throughout",
        "joint 4: the torque is at its limit, 9, in 1 samples",
    ]
    assert [note for note in remarks.remarks(log, None) if "turns" in note] == [
        f"joint {j} goes through 2.07 turns; it is taken in radians" for j in (2, 3)
    ]
    log.turns = (True, True, False, True)
    assert sum("turns" in note for note in remarks.remarks(log, None)) == 1
    log.tau = 0 * tau
    assert remarks.remarks(log, None)[-1] == "all torques are zero: the dynamics cannot be identified"
    log.tau = None
    assert not any("torque" in note for note in remarks.remarks(log, None))


@pytest.mark.parametrize("over, told", [(0.0009, False), (0.0011, True), (-0.0009, False), (-0.0011, True)])
def test_limits_have_a_thousandth_of_slack(over: float, told: bool) -> None:
    span = 4.0
    q = np.array([[0.0], [2.0 + over * span]]) if over > 0 else np.array([[-2.0 + over * span], [0.0]])
    assert bool(remarks._beyond(seen([0.0, 1.0], q), ends(-2, 2))) is told
    open_end = ends(-np.inf, 2) if over > 0 else ends(-2, np.inf)
    assert bool(remarks._beyond(seen([0.0, 1.0], q / 4 + np.sign(over) * 1.5), open_end)) is told


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("length, flat", [(4, False), (5, True), (7, True)])
def test_a_plateau_has_five_samples_three_in_a_row(length: int, flat: bool, sign: int) -> None:
    x = np.sin(0.37 * np.arange(60))
    x[20 : 20 + length] = 1.5
    q = np.arange(60.0)[:, None]
    found = remarks.flat_extremes(sign * x[:, None], q)
    assert np.flatnonzero(found).tolist() == (list(range(20, 20 + length)) if flat else [])
    batch = remarks.flat_extremes(np.stack([0 * x, sign * x])[..., None], np.stack([q, q]))
    assert not batch[0].any() and batch[1].any() == flat
    x[22] = 0.0  # the first two are no run
    found = remarks.flat_extremes(sign * np.append(x, [1.5] * 2)[:, None], np.arange(62.0)[:, None])
    assert np.flatnonzero(found).tolist() == (list(range(23, 27)) if length == 7 else [])
    q[18:30] = 18.0  # an arm at rest has equal torques, too
    x[22] = 1.5
    assert not remarks.flat_extremes(sign * x[:, None], q).any()


@pytest.mark.parametrize("beside, flat", [(1, True), (2, False)])
def test_a_coarse_sensor_has_equal_samples_at_any_peak(beside: int, flat: bool) -> None:
    x = np.sin(0.37 * np.arange(60))
    x[20:29] = 1.5
    x[40 : 40 + beside] = 1.4
    assert remarks.flat_extremes(x[:, None], np.arange(60.0)[:, None]).any() == flat


def test_two_values_are_no_plateau() -> None:
    x = np.where(np.arange(40) < 20, 1.0, -1.0)[:, None]
    assert not remarks.flat_extremes(x, np.arange(40.0)[:, None]).any()
    x[0] = 0.0
    assert remarks.flat_extremes(x, np.arange(40.0)[:, None])[1:].all()
    zero = np.maximum(np.sin(0.37 * np.arange(60)), 0.0)[:, None]  # what rests at zero is not at a limit
    assert not remarks.flat_extremes(zero, np.arange(60.0)[:, None]).any()


# clocks


@pytest.mark.parametrize("seconds, words", [(2.5, "2.5 s"), (1.0, "1 s"), (0.99994, "999.9 ms"), (1e-3, "1 ms"),
                                            (2e-6, "2 µs"), (1e-6, "1 µs"), (5e-7, "500 ns")])  # fmt: skip
def test_a_time_in_words(seconds: float, words: str) -> None:
    assert sampling.t_words(seconds) == words


@pytest.mark.parametrize("many, gap", [(5.4, False), (5.6, True)])
def test_a_gap_is_five_and_a_half_steps(many: float, gap: bool) -> None:
    for place in (0, 1, 7, 18):
        steps = np.full(19, 0.1)
        steps[place] = 0.1 * many
        assert np.flatnonzero(sampling.gaps(steps)).tolist() == ([place] if gap else [])
    assert not sampling.gaps(np.array([9.0])).any()
    t = np.concatenate([[0.0], np.cumsum(steps)])
    assert sampling.pieces(t) == ([slice(0, 19), slice(19, 20)] if gap else [slice(0, 20)])
    assert len(sampling.pieces(t, bridge=0.6)) == 1
    between = np.array([0.1] * 9 + [1.0] + [0.9] * 9)  # long beside the steps before, not beside those behind
    assert not sampling.gaps(between).any()


@pytest.mark.parametrize("ratio, other", [(1.4, False), (1.6, True), (1 / 1.6, True)])
def test_another_rate_lasts(ratio: float, other: bool) -> None:
    steps = np.r_[np.full(100, 0.01), np.full(100, 0.01 * ratio)]
    assert sampling.changes(steps) == ([100] if other else [])
    back = np.r_[steps, np.full(100, 0.01)]
    assert sampling.changes(back) == ([100, 200] if other else [])
    for lasts in (63, 64):
        short = np.r_[np.full(100, 0.01), np.full(lasts, 0.01 * ratio), np.full(100, 0.01)]
        assert sampling.changes(short) == ([100, 100 + lasts] if other and lasts == 64 else [])
    assert sampling.changes(steps[84:116]) == ([16] if other else []) and sampling.changes(steps[85:116]) == []


def test_what_is_said_of_gaps_and_rates() -> None:
    t = np.arange(100) / 100.0
    t[30:] += 1.0
    assert sampling.sampling_notes(t, sampling.pieces(t)) == ["a gap of 1.01 s after 0.29 s"]
    assert sampling.sampling_notes(t, [slice(0, 100)]) == ["a gap of 1.01 s after 0.29 s is bridged"]
    t[60:] += 2.0
    assert sampling.sampling_notes(t, [slice(0, 100)]) == ["2 gaps of up to 2.01 s are bridged"]
    rate = np.cumsum(np.r_[0.0, np.full(100, 0.01), np.full(100, 0.02)])
    assert sampling.sampling_notes(rate, sampling.pieces(rate)) == ["at 1 s the rate changes from 100 to 50 Hz"]
    for count in (4, 5):
        t = np.arange(100 * count) / 100.0 + 3.0 * (np.arange(100 * count) // 100)
        notes = sampling.sampling_notes(t, sampling.pieces(t))
        assert len(notes) == (3 if count == 4 else 4) and notes[0] == "a gap of 3.01 s after 0.99 s"
        assert count == 4 or notes[-1] == "4 gaps or changes of rate in all"


@pytest.mark.parametrize("lost, told", [((), ""), ((7,), "1 single sample is missing and interpolated"),
                                        ((7, 9), "2 single samples are missing and interpolated")])  # fmt: skip
def test_lost_samples_of_an_even_clock(lost: tuple[int, ...], told: str) -> None:
    whole = 5.0 + np.arange(30) / 50.0
    t = np.delete(whole, lost)
    found = sampling.even(t, np.sin(3 * t)[:, None])
    assert found.rows is None and found.sentence == told
    np.testing.assert_allclose(found.wanted, whole, atol=1e-9)
    np.testing.assert_allclose(found.given, t, atol=1e-9)
    assert found.wanted is t if not lost else found.wanted is not t


def test_roughness_of_a_cubic_is_none() -> None:
    """Lagrange's polynomial through four neighbours is exact there, whatever the times; a joint at rest counts not."""
    rng = np.random.default_rng(2)
    t = np.cumsum(rng.uniform(0.5, 1.5, 30))
    x = np.column_stack([t**3 - 9 * t**2, 5.0 + 0 * t])
    assert sampling.roughness(t, x) < 1e-24
    assert sampling.roughness(np.arange(30.0), x) > 1e-6
    x[12, 0] += 0.01 * np.ptp(x[:, 0])
    assert sampling.roughness(t, x) == pytest.approx(sampling.roughness(t, 7 * x), rel=1e-9)
    assert sampling.roughness(t[:4], x[:4]) == 0.0 and sampling.roughness(t[10:15], x[10:15]) > 0.0


def test_samples_nearer_than_asked_are_one() -> None:
    assert sampling._apart(np.array([0.0, 0.1, 0.2, 0.25, 0.5, 0.6, 0.9]), 0.2).tolist() == [0, 2, 4, 6]


def test_a_lower_rate_keeps_what_is_slow() -> None:
    t = np.arange(400) / 100.0
    slow, fast = np.sin(2 * pi * t)[:, None], np.sin(2 * pi * 20 * t)[:, None]
    np.testing.assert_allclose(sampling.lowpass(slow + fast, 0.01, 20.0)[50:-50], slow[50:-50], atol=0.01)
    assert sampling.lowpass(fast, 0.01, 125.0) is fast and sampling.lowpass(fast[:27], 0.01, 20.0).shape == (27, 1)
    np.testing.assert_array_equal(sampling.lowpass(fast[:27], 0.01, 20.0), fast[:27])
    assert np.abs(sampling.lowpass(fast[:28], 0.01, 20.0) - fast[:28]).max() > 0.5


# rows that are repaired


def test_lines_are_named_up_to_five() -> None:
    said = [name_lines(Message("odd"), np.arange(3, 3 + n)) for n in (1, 2, 5, 6)]
    assert said == ["odd: line 3", "odd: lines 3, 4", "odd: lines 3, 4, 5, 6, 7", "odd: lines 3, 4, 5, 6, 7, …"]


def rows(count: int = 100, **more: Any) -> Rows:
    t = np.arange(count) / 100.0
    arrays = {"q": np.sin(t)[:, None], "tau": np.cos(t)[:, None], **{k: np.asarray(v, float) for k, v in more.items()}}
    return Rows("a.csv", t, arrays, np.arange(count) + 2)


@pytest.mark.parametrize("missing", [0, 1, 20, 21, 100])
def test_quantities_that_are_mostly_missing(missing: int, whole: Sentences) -> None:
    """A fifth of the rows may go; what is beside the point goes as a whole instead."""
    gone = np.where(np.arange(100) < missing, np.nan, 1.0)[:, None]
    beside = rows(qd=gone).repair()
    left_out = {21: ["qd is missing in 21 % of the rows and is left out"], 100: ["qd has no numbers and is left out"]}
    told = {1: ["1 row without a number in qd left out: line 2"],
            20: ["20 rows without a number in qd left out: lines 2, 3, 4, 5, 6, …"]}  # fmt: skip
    assert beside.said == left_out.get(missing, told.get(missing, []))
    assert len(beside.t) == (100 - missing if missing <= 20 else 100) and ("qd" in beside.arrays) == (missing <= 20)
    assert beside.lines is not None and beside.lines[0] == (2 + missing if missing <= 20 else 2)
    needed = rows()
    needed.arrays["q"] = np.where(np.arange(100) < missing, 2e100, 1.0)[:, None]
    if missing > 90:
        with whole.raises(mp.InputError, match=rf"a\.csv: {missing} % of the rows have no number somewhere, most of"):
            needed.repair()
    else:
        assert len(needed.repair().t) == 100 - missing
        assert (f"{100 - missing} of 100 rows have a number in q: these are taken" in needed.said) == (missing > 20)
    torn = rows()  # a stretch without numbers in the middle: what the joint did there nobody knows
    torn.arrays["q"][40 : min(40 + missing, 90)] = np.nan
    if missing > 20:
        with whole.raises(
            mp.InputError, match=r"a\.csv: \d+ % of the rows have no number somewhere, most of them in q"
        ):
            torn.repair()
    else:
        assert len(torn.repair().t) == 100 - missing
    torque = rows()
    torque.arrays["tau"] = gone
    if missing == 100:
        assert "tau" not in torque.repair().arrays
    with pytest.raises(mp.InputError, match=r"a\.csv: 1 sample with numbers in it"):
        rows(1).repair()
    assert len(rows(2).repair().t) == 2


def test_rows_twice_at_one_time() -> None:
    def twice(*pairs: tuple[int, float]) -> Rows:
        found = rows(200)
        for k, more in pairs:
            found.t[k + 1] = found.t[k]
            found.arrays["q"][k + 1] = found.arrays["q"][k] + more
            found.arrays["tau"][k + 1] = found.arrays["tau"][k]
        return found.repair()

    same = twice((10, 0.0))
    assert same.said == ["1 time stands twice, with the same numbers: line 13"] and len(same.t) == 199
    assert twice((10, 0.0), (20, 0.0)).said == ["2 times stand twice, with the same numbers: lines 13, 23"]
    other = twice((10, 0.2), (20, 0.0))
    assert other.said == ["2 times stand twice, with other numbers, whose mean is taken: lines 13, 23"]
    assert other.arrays["q"][10, 0] == pytest.approx(np.sin(0.1) + 0.1) and (np.diff(other.t) > 0).all()
    assert twice((10, 0.2)).said == ["1 time stands twice, with other numbers, whose mean is taken: line 13"]
    assert other.lines is not None and other.lines[9:12].tolist() == [11, 12, 14]
    assert other.arrays["q"][19, 0] == np.sin(0.2)  # equal rows are taken as they are


def test_rows_out_of_place_and_clocks_that_begin_again() -> None:
    found = rows()
    order = np.arange(100)
    order[[30, 31, 60, 61]] = [31, 30, 61, 60]
    for name in found.arrays:
        found.arrays[name] = found.arrays[name][order]
    found.t = found.t[order]
    again = found.repair()
    assert again.said == ["rows were not in the order of time (2 stood too late): sorted: lines 33, 63"]
    np.testing.assert_array_equal(again.t, rows().t)
    np.testing.assert_array_equal(again.arrays["q"], rows().arrays["q"])
    assert again.lines is not None and again.lines[29:32].tolist() == [31, 33, 32]
    several = rows()
    several.t[50:] -= 0.5
    with pytest.raises(
        mp.InputError, match=r"the clock jumps back from 0\.49 to 0 s at line 52: these are several rec"
    ):
        several.repair()


@pytest.mark.parametrize("sign", [1, -1])
def test_turns_are_put_together_where_steps_are_alike(sign: int) -> None:
    t = np.arange(100) / 10.0
    true = sign * 1.3 * t
    wrapped = (true + pi) % (2 * pi) - pi
    found, count = unwrap_joint(t, wrapped)
    np.testing.assert_allclose(found, true, atol=1e-12)
    assert count == np.count_nonzero(np.abs(np.diff(wrapped)) > pi) > 1
    assert unwrap_joint(t[:1], true[:1]) == (true[:1], 0)


# columns of equal rank


def table(heads: list[str]) -> Source:
    return Source("a.csv", tuple(column_from(head, np.zeros(3)) for head in heads))


def group(heads: list[str], quantity: str, names: tuple[str, ...] = ()) -> tuple[Any, str]:
    source, joints = table(heads), Joints("arm" if names else "", names)
    entries = [x for k in range(len(heads)) for x in entries_of(source, k, joints) if x.quantity == quantity]
    found, left = choose_group(source, quantity, entries, joints)
    return (None if found is None else [heads[place.column] for place in found.places]), left


@pytest.mark.parametrize(
    "heads, quantity, taken, left",
    [
        (["q1", "q2", "q3", "q1_act", "q2_act"], "q", ["q1", "q2", "q3"], "'q1_act' … 'q2_act'"),
        (["q1", "q2", "q1_act", "q2_act"], "q", ["q1_act", "q2_act"], "'q1' … 'q2'"),
        (["current1", "torque1"], "tau", ["torque1"], "'current1'"),
        (["motor_q1", "motor_q2", "q1", "q2"], "q", ["q1", "q2"], "'motor_q1' … 'motor_q2'"),
        (["motor_q1", "joint_q1"], "q", ["joint_q1"], "'motor_q1'"),
        (["left_vel1", "right_vel1"], "qd", None, "'left_vel1'; 'right_vel1'"),
        (["q2", "q1", "q0"], "q", ["q0", "q1", "q2"], ""),
        (["q2", "q3"], "q", None, "'q2' … 'q3'"),
        (["qd1", "qd2"], "q", None, ""),
    ],
)  # fmt: skip
def test_the_group_of_highest_rank(heads: list[str], quantity: str, taken: list[str] | None, left: str) -> None:
    assert group(heads, quantity) == (taken, left)


def test_positions_of_equal_rank_are_refused() -> None:
    with pytest.raises(mp.InputError) as caught:
        group(["left_q1", "right_q1"], "q")
    assert str(caught.value) == (
        "a.csv: positions may be 'left_q1' or 'right_q1'; say which: columns={'q': ['left_q1', …]}"
    )


@pytest.mark.parametrize(
    "heads, names, told",
    [
        (["q1", "q3"], (), "no position of joint 2: found those of 1, 3"),
        (["q0", "q2"], (), "no position of joint 1: found those of 0, 2"),
        (["q2", "q3"], (), "no position of joint 1: found those of 2, 3"),
        (["q1", "q2", "q3"], ("a", "b"), "has 3 joints; arm has 2"), (["q1"], ("a", "b"), "has 1 joint; arm has 2"),
        (["elbow pos"], ("elbow", "wrist"), "no position of joint 'wrist' of arm; found 'elbow pos'"),
        (["knee pos", "hip pos"], ("a", "b"), "positions are of joints knee, hip; arm has a, b; say which"),
        (["q1 [rad]", "q1 [deg]"], (), "'q1 [rad]' and 'q1 [deg]' may both be the position of joint 1"),
        (["elbow pos", "pos elbow"],
        ("elbow", "wrist"), "'elbow pos' and 'pos elbow' may both be the position of elbow"),
    ],
)  # fmt: skip
def test_what_is_said_of_columns_that_are_not_whole(heads: list[str], names: tuple[str, ...], told: str) -> None:
    source, joints = table(heads), Joints("arm" if names else "", names)
    entries = [x for k in range(len(heads)) for x in entries_of(source, k, joints) if x.quantity == "q"]
    assert incomplete_sentence(source, "q", entries, joints).startswith(f"a.csv: {told}")


def test_heads_are_listed_up_to_sixteen() -> None:
    for count, more in ((16, ""), (17, ", …")):
        heads = [f"x{k}" for k in range(count)]
        assert found_in(table(heads)) == "found " + ", ".join(map(repr, heads[:16])) + more
    assert found_in(table([])) == "found no columns"
    assert how_to_say(table(["time", "x1", "x2"]), "q") == "say which: columns={'q': ['x1', …]}"
    assert how_to_say(table(["time"]), "q").startswith("the files of one recording are read together")
    assert how_to_say(table(["column 0", "column 1"]), "tau") == "say which: columns={'tau': [1, 2, …]}, counted from 0"


# several files


@pytest.mark.parametrize(
    "name, found",
    [
        ("positions", ("q", "", "positions", ())), ("currents_mA", ("tau", "mA", "currents", ())),
        ("time_and_positions", ("q", "", "positions", ("and",))), ("time", ("t", "", "time", ())),
        ("run3_target_velocities", ("qd_ref", "", "velocities", ("run", "3", "target"))), ("notes", None),
        ("positions_and_torques", None), ("positions_deg", ("q", "deg", "positions", ())),
    ],
)  # fmt: skip
def test_what_the_name_of_a_file_says(name: str, found: tuple[Any, ...] | None) -> None:
    got = _name(Path(f"{name}.csv"))
    assert got == found


def test_the_first_column_may_be_a_clock() -> None:
    t, x = np.arange(5.0), np.zeros(5)
    rough = np.array([0.0, 0.1, 5.0, 5.1, 5.2])
    assert _first_is_clock([t, x], 0, None) and _first_is_clock([t, x], 1, None)
    assert not _first_is_clock([t, x], 2, None) and not _first_is_clock([t], 0, None)
    assert not _first_is_clock([rough, x], 0, None) and not _first_is_clock([-t, x], 0, None)
    assert not _first_is_clock([t[:2], x[:2]], 0, None) and _first_is_clock([t[:3], x[:3]], 0, None)
    assert not _first_is_clock([np.r_[t[:4], 3.0], x], 0, None)
    assert _first_is_clock([x], 0, _name(Path("time.txt")))


@pytest.mark.parametrize("fewer, refused", [(0, False), (1, False), (2, False), (3, True)])
def test_files_without_times_have_equally_many_rows(fewer: int, refused: bool, tmp_path: Path) -> None:
    numbers = "\n".join(f"{k / 10:.1f},{k}" for k in range(40))
    torques = "\n".join(f"{k}" for k in range(40 - fewer))
    paths = [
        written(tmp_path / "positions.csv", "time,q1\n" + numbers),
        written(tmp_path / "torques.csv", "tau1\n" + torques),
    ]
    if refused:
        with pytest.raises(mp.InputError, match=r"torques.csv: has 37 rows, positions.csv has 40; without times in bo"):
            source_of_set(paths, Ask())
        return
    source = source_of_set(paths, Ask())
    more = f"; {fewer} rows at the end of the longer file are left out" if fewer else ""
    assert source.notes == (f"torques.csv is joined by row{more}",)
    assert [len(column.values()) for column in source.columns] == [40 - fewer] * 3
    assert source.path == f"{paths[0]} + torques.csv" and source.heads == ["time", "q1", "tau1"]


# text


@pytest.mark.parametrize("lines, one", [(["0,012", "1,5"], True), (["1,25", "1,5"], False), (["1,250", "2,125"], True),
                                        (["1,250", "2,12"], False), (["1,25", "2,12"], False), (["1,0", "2,5"], False),
                                        (["1,05", "2,5"], True), (["1.5"], False),
                                        (["0,012", "1.5"], False)])  # fmt: skip
def test_a_lone_number_with_a_comma_is_no_pair(lines: list[str], one: bool) -> None:
    assert text_files._one_decimal_a_line(lines) is one


@pytest.mark.parametrize("text, seconds", [("00:00:01.5", 1.5), ("23:59:60", 86400.0), ("1970-01-02 00:00:00", 86400.0),
                                           ("1970-01-01T01:00:00+01:00", 0.0), ("1970-01-01T00:30:00-0130", 7200.0),
                                           ("02.01.1970 00:00:00,25", 86400.25), ("01:02:03", 3723.0),
                                           ("24:00:00", None), ("00:60:00", None), ("00:00:61", None)])  # fmt: skip
def test_a_time_as_text_in_seconds(text: str, seconds: float | None) -> None:
    (found,) = text_files.stamps_from([text])
    assert (None if found is None else found / 1e9) == seconds
    assert text_files.is_stamp(text) and not text_files.is_stamp(text + "x")


def test_midnight_is_passed_by_a_fall_of_half_a_day() -> None:
    assert text_files.stamps_from(["12:00:00", "00:00:00"])[1] == 0  # of more than that
    found = text_files.stamps_from(["23:59:59", "00:00:01", "00:00:00", "13:00:00", "00:59:59", "12:59:58"])
    assert [x / 1e9 for x in found if x is not None] == [86399, 86401, 86400, 133200, 176399, 219598]


@pytest.mark.parametrize("decimal, text, value", [(".", "1.5", 1.5), (".", "1,5", None), (",", "1,5", 1.5),
(",", "1.5", 1.5),
                                                  (".", "1d3", 1e3), (".", "-2.D-1", -0.2), (".", ".5", 0.5),
                                                  (".", "x", None),
                                                  (".", "1_000", None), (",", "1,5,5", None)])  # fmt: skip
def test_numbers_with_either_decimal(decimal: str, text: str, value: float | None) -> None:
    assert text_files.Way(";", decimal).number(text) == value


def test_cells_and_names_of_a_line() -> None:
    way = text_files.Way(",", ".")
    assert way.cells(" 1,\"2,5\",'3' ") == ["1", "2,5", "3"] and way.cells("") == [""]
    assert way.cells("1,2,") == ["1", "2", ""] and way._replace(ended=True).cells("1,2,") == ["1", "2"]
    assert way.names('"a,b",c,') == ["a,b", "c"] and way.names("a") == ["a"]
    spaces = text_files.Way(None, ".")
    assert spaces.names("  q1 [rad]  tau1 (Nm)") == ["q1 [rad]", "tau1 (Nm)"]
    assert spaces.cells(" 1  2\t3 ") == ["1", "2", "3"]
