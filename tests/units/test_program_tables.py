"""Tables as other programs write them, drawn: words run together, units in other languages, settings above the names,
titles over several columns, cells left empty, counters that begin anew, channels that each have a clock."""

from __future__ import annotations

import re
import warnings
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.recordings.words import head_of, meaning_of, unit_of, words_of
from tests.golden.sentences import Sentences
from tests.log_tables import arm, motion, written

Array = np.ndarray
JOINTS = 3
ROBOT = arm([f"x{k}" for k in range(JOINTS)])
RAD, DEG = 1.0, np.pi / 180


def steady(seconds: float = 3.0, rate: float = 200.0) -> dict[str, Array]:
    """Slow beside the samples, so that lines between them are near."""
    return motion(JOINTS, np.round(np.arange(round(seconds * rate)) / rate, 6))


def read(path: Path, **options: object) -> tuple[mp.Log, str]:
    """The log, and what was said on the way."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        log = mp.read_log(path, ROBOT, **options)  # type: ignore[arg-type]
    return log, "\n".join(str(one.message) for one in said)


def text_of(heads: list[str], rows: list[list[str]], mark: str = ",") -> str:
    return "\n".join(mark.join(row) for row in [heads, *rows]) + "\n"


def cells_of(*columns: Array) -> list[list[str]]:
    return [[repr(float(x)) for x in row] for row in np.column_stack(columns)]


def assert_same(log: mp.Log, data: dict[str, Array], exact: float = 1e-12) -> None:
    np.testing.assert_allclose(log.q, data["q"], atol=exact)
    assert log.tau is not None
    np.testing.assert_allclose(log.tau, data["tau"], atol=exact)


# heads

POSITIONS = [
    ("Istposition_A{}", "", RAD), ("Istwinkel A{} [Grad]", "", DEG), ("Gelenkwinkel {} [°]", "", DEG),
    ("qmeas{}", "", RAD), ("actpos{}", "", RAD), ("q_act_{}_deg", "", DEG), ("A{} [deg]", "", DEG),
    ("J{}_deg", "", DEG), ("qpos[{}]", "", RAD), ("posição {} [graus]", "", DEG), ("position {} (degrés)", "", DEG),
]  # fmt: skip
TORQUES = [
    ("Istmoment A{} [Nm]", 1.0), ("Drehmoment_A{}", 1.0), ("tau{}_mNm", 1e-3), ("tau{}_kNm", 1e3), ("M{} [Nm]", 1.0),
    ("tau_J{}", 1.0), ("tauj{}", 1.0), ("effort.{}", 1.0), ("Torque {} (in-lbs)", 0.1129848290276167),
    ("torque {} (Newton meters)", 1.0), ("joint{}_torque_Nmm", 1e-3),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(len(POSITIONS) * len(TORQUES)))
def test_heads_in_the_words_of_their_program(seed: int, tmp_path: Path) -> None:
    (q, _, turn), (tau, force) = POSITIONS[seed % len(POSITIONS)], TORQUES[seed // len(POSITIONS)]
    data, first = steady(0.5), seed % 2
    heads = ["Zeit [Sek]", *(x.format(j + first) for x in (q, tau) for j in range(JOINTS))]
    cells = cells_of(data["t"], data["q"] / turn, data["tau"] / force)
    given = {"q": "rad"} if turn == RAD else {}
    log = mp.read_log(written(tmp_path / "a.csv", text_of(heads, cells)), ROBOT, units=given)
    assert_same(log, data)


@pytest.mark.parametrize(
    "head, factor",
    [("i{}_mA", 1e-3), ("current_{}_mA", 1e-3), ("current_mA_{}", 1e-3), ("Torque {} (0.1%)", 0.1),
     ("torque_{} [‰]", 0.1), ("Motorstrom A{} [A]", 1.0)],
)  # fmt: skip
def test_a_unit_that_needs_a_factor_is_asked_for_and_counted(head: str, factor: float, tmp_path: Path) -> None:
    """The factor is said for an ampere or a per cent, whatever part of it was recorded."""
    data = steady(0.5)
    heads = ["t", *(f"q{j}" for j in range(JOINTS)), *(head.format(j) for j in range(JOINTS))]
    file = written(tmp_path / "a.csv", text_of(heads, cells_of(data["t"], data["q"], data["tau"] / factor / 12.5)))
    with pytest.raises(mp.InputError, match="say N·m per"):
        mp.read_log(file, ROBOT)
    assert_same(mp.read_log(file, ROBOT, scale={"tau": 12.5}), data)


def test_words_that_only_look_like_others_stay_whole() -> None:
    """Names of joints and words of prose are not cut, and joints' names stay what they were."""
    for word in ("shoulder", "forearm", "positioner", "actor", "temperature", "accelerometer", "momentary", "desktop",
                 "forceps", "currently", "tautology", "velocipede", "minimum", "maximum", "reference"):  # fmt: skip
        assert words_of(word) == (word,)
    for name in mp.robots():
        for joint in mp.load(name).joint_names:
            assert "".join(words_of(joint)) == joint.replace("_", "").lower()


@pytest.mark.parametrize("word, factor", [("U/min", 2 * np.pi / 60), ("1/min", 2 * np.pi / 60), ("Grad/s", DEG),
                                          ("dps", DEG), ("°/s", DEG), ("graus/s", DEG)])  # fmt: skip
def test_speeds_in_other_units(word: str, factor: float) -> None:
    unit = unit_of("qd", word)
    assert unit is not None and np.isclose(unit.factor, factor)


def test_a_length_of_another_thing_is_no_position() -> None:
    for text in ("x1 [mm]", "rev_1", "step_1_s", "tool_pos_x"):
        head = head_of(text)
        meaning = meaning_of(head.words, head.unit)
        assert meaning is None or meaning.quantity not in ("q", "tau") or text == "x1 [mm]"


# lines above the numbers, and cells that are empty


@pytest.mark.parametrize("seed", range(12))
def test_settings_above_the_names_are_no_rows(seed: int, tmp_path: Path) -> None:
    rng, data = np.random.default_rng(seed), steady(0.5)
    mark = str(rng.choice([",", ";", "\t"]))
    settings = [
        ["Version", "2"],
        ["Separator", "Tab"],
        ["Channels", "6"],
        ["Rate", "200.0"],
        ["***End***"],
        ["Name", "x", "3"],
    ]
    above = [mark.join(settings[k]) for k in rng.permutation(len(settings))[: rng.integers(1, 7)]]
    ended = mark if rng.random() < 0.5 else ""
    heads = ["t", *(f"{x}{j}" for x in ("q", "tau") for j in range(JOINTS)), *(["comment"] if ended else [])]
    lines = [mark.join(row) + ended for row in cells_of(data["t"], data["q"], data["tau"])]
    log = mp.read_log(written(tmp_path / "a.txt", "\n".join([*above, mark.join(heads), *lines]) + "\n"), ROBOT)
    assert_same(log, data)


@pytest.mark.parametrize("ended", ["", ";"])
@pytest.mark.parametrize("units", [("", ""), (" [deg]", " [Nm]"), (" (deg)", "")])
def test_a_title_over_several_columns_gives_its_unit(units: tuple[str, str], ended: str, tmp_path: Path) -> None:
    data, factor = steady(0.5), DEG if "deg" in units[0] else RAD
    blank = ";" * (JOINTS - 1)
    titles = f"Messung 12;;\n;Position{units[0]}{blank};Moment{units[1]}{blank}{ended}"
    names = ";".join(["Zeit [s]", *(f"Achse {j}" for _ in range(2) for j in range(1, JOINTS + 1))])
    rows = [";".join(row).replace(".", ",") + ended for row in cells_of(data["t"], data["q"] / factor, data["tau"])]
    log = mp.read_log(written(tmp_path / "a.csv", "\n".join([titles, names + ended, *rows]) + "\n"), ROBOT)
    assert_same(log, data)


def test_an_empty_last_cell_is_a_number_that_is_missing(tmp_path: Path) -> None:
    data = steady(0.5)
    heads = ["t", *(f"{x}{j}" for x in ("q", "tau") for j in range(JOINTS))]
    cells = cells_of(data["t"], data["q"], data["tau"])
    cells[0][-1] = cells[7][-1] = ""
    log, said = read(written(tmp_path / "a.csv", text_of(heads, cells)))
    assert re.search("2 rows without a number in tau left out: lines 2, 9", said)
    np.testing.assert_array_equal(log.q, np.delete(data["q"], [0, 7], 0))


# topics of one table


def own_rows(rng: np.random.Generator, data: dict[str, Array], each: bool) -> list[tuple[float, list[str]]]:
    """A row for the positions and another for the torques of every sample, or one for every joint."""
    found, width = [], 2 * JOINTS
    for k, t in enumerate(data["t"]):
        groups = [[j, j + JOINTS] for j in range(JOINTS)] if each else [range(JOINTS), range(JOINTS, width)]
        both = np.concatenate([data["q"][k], data["tau"][k]])
        for n, group in enumerate(groups):
            row = [repr(float(both[j])) if j in group else "" for j in range(width)]
            found.append((float(t) + 1e-4 * n * float(rng.uniform(0.5, 1)), row))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_topics_with_rows_of_their_own_are_brought_together(seed: int, tmp_path: Path) -> None:
    rng, data = np.random.default_rng(seed), steady()
    heads = ["t", *(f"{x}{j}" for x in ("q", "tau") for j in range(JOINTS))]
    cells = [[repr(t), *row] for t, row in own_rows(rng, data, bool(seed % 2))]
    log, said = read(written(tmp_path / "a.csv", text_of(heads, cells)))
    assert re.search("has rows of its own: taken on lines between its samples", said)
    first = int(np.searchsorted(data["t"], log.t[0] - 1e-3))
    size = len(log.t)
    assert size >= len(data["t"]) - 2
    np.testing.assert_allclose(log.q, data["q"][first : first + size], atol=2e-3)
    assert log.tau is not None
    np.testing.assert_allclose(log.tau, data["tau"][first : first + size], atol=2e-2)


@pytest.mark.parametrize("every", [2, 3, 5])
def test_torques_at_every_second_row_leave_the_others_out(every: int, tmp_path: Path) -> None:
    data = steady()
    cells = cells_of(data["t"], data["q"], data["tau"])
    for k, row in enumerate(cells):
        row[1 + JOINTS :] = row[1 + JOINTS :] if k % every == 0 else [""] * JOINTS
    heads = ["t", *(f"{x}{j}" for x in ("q", "tau") for j in range(JOINTS))]
    log, said = read(written(tmp_path / "a.csv", text_of(heads, cells)))
    assert re.search("rows have a number in tau: these are taken", said)
    assert_same(log, {name: data[name][::every] for name in ("q", "tau")})


def test_a_stretch_without_torques_is_refused_as_before(tmp_path: Path, whole: Sentences) -> None:
    data = steady()
    cells = cells_of(data["t"], data["q"], data["tau"])
    for row in cells[200:400]:
        row[1 + JOINTS :] = [""] * JOINTS
    heads = ["t", *(f"{x}{j}" for x in ("q", "tau") for j in range(JOINTS))]
    with whole.raises(mp.InputError, match="33 % of the rows have no number somewhere, most of them in tau"):
        mp.read_log(written(tmp_path / "a.csv", text_of(heads, cells)), ROBOT)


# clocks


@pytest.mark.parametrize("unit", ["ms", "s"])
def test_a_clock_in_front_of_every_channel_is_one(unit: str, tmp_path: Path, whole: Sentences) -> None:
    data, factor = steady(0.5), 1e3 if unit == "ms" else 1.0
    heads, columns = [], []
    for word, name in (("ActPos [rad]", "q"), ("ActTorque [Nm]", "tau")):
        for j in range(JOINTS):
            heads += [f"Time [{unit}]", f"Axis{j + 1}.{word}"]
            columns += [factor * data["t"], data[name][:, j]]
    assert_same(mp.read_log(written(tmp_path / "a.csv", text_of(heads, cells_of(*columns))), ROBOT), data)
    columns[2] = columns[2] + 0.5 * factor
    file = written(tmp_path / "a.csv", text_of(heads, cells_of(*columns)))
    with whole.raises(mp.InputError, match=r"times may be 0: 'Time .* or 2: 'Time .*; say which: columns=\{'t': 0\}"):
        mp.read_log(file, ROBOT)
    assert_same(mp.read_log(file, ROBOT, columns={"t": 0}), data)


@pytest.mark.parametrize("form", ["%m/%d/%Y %I:%M:%S.%f %p", "%d/%m/%Y %H:%M:%S.%f", "%m/%d/%Y %H:%M:%S.%f",
                                  "%I:%M:%S.%f %p", "%H:%M:%S:%f", "%Y-%m-%d %I:%M:%S.%f%p"])  # fmt: skip
@pytest.mark.parametrize("start", [datetime(2024, 3, 1, 23, 59, 59), datetime(2024, 3, 1, 11, 59, 59),
                                   datetime(2024, 12, 11, 0, 59, 59), datetime(2023, 12, 31, 23, 59, 58)])  # fmt: skip
def test_clocks_of_twelve_hours_and_dates_with_slashes(form: str, start: datetime, tmp_path: Path) -> None:
    """Over noon, midnight and the end of a month, of which the day or the month may stand first."""
    data = steady()
    moments = [(start + timedelta(seconds=float(t))).strftime(form) for t in data["t"]]
    cells = [[moment, *row] for moment, row in zip(moments, cells_of(data["q"], data["tau"]))]
    heads = ["timestamp", *(f"{x}{j}" for x in ("q", "tau") for j in range(JOINTS))]
    log = mp.read_log(written(tmp_path / "a.csv", text_of(heads, cells)), ROBOT)
    np.testing.assert_allclose(log.t - log.t[0], data["t"], atol=1e-9)
    assert_same(log, data)


def test_seconds_and_nanoseconds_keep_every_digit(tmp_path: Path) -> None:
    data = steady()
    moments = [1_700_000_000_370_000_000 + round(t * 1e9) for t in data["t"]]
    times = [[str(x // 10**9), str(x % 10**9)] for x in moments]
    cells = [[*time, *row] for time, row in zip(times, cells_of(data["q"], data["tau"]))]
    heads = ["header.stamp.sec", "header.stamp.nanosec", *(f"{x}_{j}" for x in ("q", "tau") for j in range(JOINTS))]
    log = mp.read_log(written(tmp_path / "a.csv", text_of(heads, cells)), ROBOT)
    np.testing.assert_allclose(log.t - log.t[0], data["t"], atol=1e-12)


def test_a_second_recording_in_one_file_is_named_by_line(tmp_path: Path, whole: Sentences) -> None:
    data = steady(0.5)
    heads = ["t", *(f"{x}{j}" for x in ("q", "tau") for j in range(JOINTS))]
    text = text_of(heads, cells_of(data["t"], data["q"], data["tau"]))
    with whole.raises(mp.InputError, match="at line 103: these are several recordings; cut the file there"):
        mp.read_log(written(tmp_path / "a.csv", text + text), ROBOT)


# counters


@pytest.mark.parametrize("seed", range(12))
def test_a_counter_that_begins_anew_goes_on(seed: int, tmp_path: Path) -> None:
    """Of 12 to 24 bits, with a sign or without; a joint that stays within its counter is left as it is."""
    rng, data = np.random.default_rng(seed), steady()
    bits = int(rng.choice([12, 13, 16, 20, 24]))
    size, share = 2**bits, float(rng.uniform(0.4, 0.8))  # the counter holds that part of the way of a joint
    each = share * np.ptp(data["q"], axis=0).min() / size
    counts = np.round(data["q"] / each).astype(int) + int(rng.integers(0, size))
    given = (counts + size // 2) % size - size // 2 if seed % 2 else counts % size
    heads = ["t", *(f"enc{j} [counts]" for j in range(JOINTS)), *(f"tau{j}" for j in range(JOINTS))]
    cells = [[repr(float(t)), *map(str, own), *map(repr, tau)]
             for t, own, tau in zip(data["t"], given.tolist(), data["tau"].tolist())]  # fmt: skip
    file = written(tmp_path / "a.csv", text_of(heads, cells))
    log, said = read(file, scale={"q": each})
    assert re.search(r"x0: q jumps \d+ times? where its counter begins anew: put together", said)
    np.testing.assert_allclose(np.diff(log.q, axis=0), np.diff(data["q"], axis=0), atol=2 * each)


def test_a_wide_counter_that_never_ends_is_left_alone(tmp_path: Path) -> None:
    data = steady()
    counts = np.round(data["q"] * 30_000)  # more than half of 16 bits, and no jump
    heads = ["t", *(f"enc{j} [counts]" for j in range(JOINTS)), *(f"tau{j}" for j in range(JOINTS))]
    file = written(tmp_path / "a.csv", text_of(heads, cells_of(data["t"], counts, data["tau"])))
    log = mp.read_log(file, ROBOT, scale={"q": 1 / 30_000})
    np.testing.assert_allclose(log.q, data["q"], atol=1 / 30_000)
    assert not any("counter" in note for note in log.notes)
