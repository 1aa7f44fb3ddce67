"""Recordings as other programs write them: times as text, quoted cells, marks of thousands, units that nobody knows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences
from tests.log_tables import N, motion, written

HEADS = ["q1", "q2", "tau1", "tau2"]


def rows_of(data: dict[str, np.ndarray]) -> np.ndarray:
    return np.hstack([data["q"], data["tau"]])


def told(heads: list[str], cells: list[list[str]], separator: str) -> str:
    return "\n".join(separator.join(row) for row in [heads, *cells]) + "\n"


def texts(rng: np.random.Generator, moments: list[datetime]) -> list[str]:
    """One way to write times, drawn."""
    zone = rng.choice(["", "Z", "+02:00", "-0330", " UTC"])
    part = rng.choice(["%f", "%f000", "%f"])
    day = rng.choice(["%Y-%m-%dT", "%Y-%m-%d ", "%Y/%m/%d ", "%d.%m.%Y ", ""])
    zone = zone if day.startswith("%Y") else ""
    return [moment.strftime(f"{day}%H:%M:%S.{part}") + zone for moment in moments]


@pytest.mark.parametrize("seed", range(12))
def test_times_as_text(seed: int, tmp_path: Path) -> None:
    """Over midnight and the end of a year, too; a zone that changes does not change the time."""
    rng, data = np.random.default_rng(seed), motion(2)
    moments = [datetime(2025, 12, 31, 23, 59, 59, 700_000) + timedelta(seconds=float(x)) for x in data["t"]]
    comma = bool(seed % 3 == 0)
    numbers = [[repr(float(x)).replace(".", "," if comma else ".") for x in row] for row in rows_of(data)]
    cells = [[text, *row] for text, row in zip(texts(rng, moments), numbers)]
    separator = ";" if comma else str(rng.choice([",", ";", "\t"]))
    log = mp.read_log(written(tmp_path / "a.csv", told(["timestamp", *HEADS], cells, separator)), "planar2r")
    np.testing.assert_allclose(log.t, data["t"], atol=1e-9)
    np.testing.assert_array_equal(log.q, data["q"])
    np.testing.assert_array_equal(log.tau, data["tau"])


def test_zones_count_and_a_time_that_is_none_is_told(tmp_path: Path) -> None:
    data, start = motion(2), datetime(2026, 3, 29, 0, 59, 59, 800_000, UTC)
    zones = [timezone(timedelta(hours=1 if x < 0.2 else 2)) for x in data["t"]]  # the night clocks are changed
    moments = [(start + timedelta(seconds=float(x))).astimezone(z) for x, z in zip(data["t"], zones)]
    cells = [[moment.isoformat(timespec="microseconds"), *map(repr, row)]
             for moment, row in zip(moments, rows_of(data).tolist())]  # fmt: skip
    log = mp.read_log(written(tmp_path / "a.csv", told(["time", *HEADS], cells, ",")), "planar2r")
    np.testing.assert_allclose(log.t, data["t"], atol=1e-9)
    cells[7][0] = "2026-02-30T00:00:00"
    with pytest.raises(mp.InputError, match=r"line 9: column 1 \(time\): found '2026-02-30T00:00:00', expected a time"):
        mp.read_log(written(tmp_path / "b.csv", told(["time", *HEADS], cells, ",")), "planar2r")
    cells[7][0] = ""
    with pytest.warns(mp.ManipulaWarning, match="1 row without a number in t left out"):
        log = mp.read_log(written(tmp_path / "c.csv", told(["time", *HEADS], cells, ",")), "planar2r")
    assert len(log) == N - 1


def test_cells_in_quotes(tmp_path: Path) -> None:
    data = motion(2)
    cells = [
        [f'"{x!r}"'.replace(".", ",") for x in row] for row in np.column_stack([data["t"], rows_of(data)]).tolist()
    ]
    file = written(tmp_path / "a.csv", told([f'"{head}"' for head in ["t", *HEADS]], cells, ","))
    log = mp.read_log(file, "planar2r")
    np.testing.assert_array_equal(log.t, data["t"])
    np.testing.assert_array_equal(log.tau, data["tau"])


def test_thousands_are_not_taken_for_decimals(tmp_path: Path) -> None:
    data = motion(2)
    cells = [[repr(t), *(f"{9000 + 1000 * x:,.0f}" for x in row)]
             for t, row in zip(data["t"].tolist(), rows_of(data))]  # fmt: skip
    with pytest.raises(mp.InputError, match="thousands, or decimals"):
        mp.read_log(written(tmp_path / "a.csv", told(["t", *HEADS], cells, ";")), "planar2r", units={"q": "mrad"})


def test_seconds_and_nanoseconds_without_the_word_stamp(tmp_path: Path) -> None:
    data = motion(2)
    cells = [[str(10**9 + int(t)), str(round(1e9 * (t % 1))), *map(repr, row)]
             for t, row in zip(data["t"].tolist(), rows_of(data).tolist())]  # fmt: skip
    log = mp.read_log(written(tmp_path / "a.csv", told(["secs", "nsecs", *HEADS], cells, ",")), "planar2r")
    np.testing.assert_allclose(np.diff(log.t), 0.01, atol=1e-6)


# units


def with_units(path: Path, q: str, tau: str, factors: tuple[float, float]) -> Path:
    data = motion(2)
    heads = ["t", f"pos1{q}", f"pos2{q}", f"{tau[0]}1{tau[1:]}", f"{tau[0]}2{tau[1:]}"]
    table = np.column_stack([data["t"], data["q"] / factors[0], data["tau"] / factors[1]])
    return written(path, told(heads, [[repr(x) for x in row] for row in table.tolist()], ","))


@pytest.mark.parametrize("unit, factor", [("A", 1.0), ("mA", 1e-3)])
def test_a_current_is_scaled_by_newton_metres_per_ampere(unit: str, factor: float, tmp_path: Path) -> None:
    """Whatever it is recorded in, and whether a word or the unit alone says that it is a current."""
    file = with_units(tmp_path / "a.csv", "", f"i [{unit}]", (1.0, 12.5 * factor))
    with pytest.raises(mp.InputError, match="say N·m per ampere"):
        mp.read_log(file, "planar2r")
    log = mp.read_log(file, "planar2r", scale={"tau": 12.5})
    np.testing.assert_allclose(log.tau, motion(2)["tau"], rtol=1e-12)


def test_counts_of_an_encoder(tmp_path: Path) -> None:
    rad = 2 * np.pi / 40_000
    file = with_units(tmp_path / "a.csv", " [counts]", "τ [N·m]", (rad, 1.0))
    with pytest.raises(mp.InputError, match="q is recorded in 'counts'; say rad per count"):
        mp.read_log(file, "planar2r")
    np.testing.assert_allclose(mp.read_log(file, "planar2r", scale={"q": rad}).q, motion(2)["q"], rtol=1e-12)


@pytest.mark.parametrize("unit, factor", [("lbf·ft", 1.3558179483314004), ("in-lb", 0.1129848290276167),
                                          ("kgf·cm", 0.0980665), ("oz-in", 0.00706155181422604)])  # fmt: skip
def test_torques_in_other_units(unit: str, factor: float, tmp_path: Path) -> None:
    file = with_units(tmp_path / "a.csv", " (rad)", f"τ ({unit})", (1.0, factor))
    np.testing.assert_allclose(mp.read_log(file, "planar2r").tau, motion(2)["tau"], rtol=1e-12)


@pytest.mark.parametrize(
    "q, tau, name", [(" [grad]", "τ", "q"), (" [gon]", "τ", "q"), ("", "τ [poundal]", "tau"), ("", "τ (dyn cm)", "tau")]
)
def test_a_unit_that_nobody_knows_is_not_taken_for_si(
    q: str, tau: str, name: str, tmp_path: Path, whole: Sentences
) -> None:
    file = with_units(tmp_path / "a.csv", q, tau, (1.0, 1.0))
    with whole.raises(mp.InputError, match=rf"is no unit of {name} that is known; say units="):
        mp.read_log(file, "planar2r")
    log = mp.read_log(file, "planar2r", scale={name: 2.0})
    np.testing.assert_array_equal(getattr(log, name), 2 * motion(2)[name])


@pytest.mark.parametrize("q", [" [measured]", " (joint)", " [actual]"])
def test_a_word_in_brackets_that_explains_itself_is_no_unit(q: str, tmp_path: Path) -> None:
    log = mp.read_log(with_units(tmp_path / "a.csv", q, "τ", (1.0, 1.0)), "planar2r")
    np.testing.assert_array_equal(log.q, motion(2)["q"])
