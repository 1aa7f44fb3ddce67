"""Cases and files of studies: products in their order, samples that do not depend on how they are asked for, tables
that come back as they were written."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies import latin, sobol
from manipula.studies.cases.cases import Cases, Product, cases_from
from manipula.studies.results.study_result import distribution
from tests import study_functions as functions
from tests.golden.sentences import Sentences


@pytest.mark.parametrize("seed", range(6))
def test_a_product_is_that_of_itertools(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds: list[Any] = [
        [1, 2, 3],
        [0.5, 1],
        ["a", "bcd"],
        range(4),
        np.linspace(0, 1, 3),
        [True, False],
        [[1, 2], [3, 4]],
    ]
    levels = {f"n{k}": kinds[j] for k, j in enumerate(rng.permutation(len(kinds))[: rng.integers(1, 6)])}
    cases = Product(levels)
    plain = [dict(zip(levels, row)) for row in product(*levels.values())]
    assert len(cases) == len(plain)
    for k in {0, len(plain) - 1, *map(int, rng.integers(0, len(plain), 10))}:
        found = cases[k]
        assert list(found) == list(levels)
        assert all(np.array_equal(found[name], plain[k][name]) for name in levels), (found, plain[k])
    with pytest.raises(IndexError, match=f"there are {len(plain)} cases"):
        cases[len(plain)]


@pytest.mark.parametrize("draw", [latin, sobol])
@pytest.mark.parametrize("seed", range(3))
def test_a_sample_does_not_depend_on_the_pieces_it_comes_in(draw: Any, seed: int) -> None:
    rng, ranges = np.random.default_rng(seed), {"x": (-1, 2), "y": {"from": 10.0, "to": 20.0}, "z": [0, 1e-3]}
    count = int(rng.integers(2, 300))
    whole, pieces = draw(count, seed=seed, **ranges), draw(count, seed=seed, **ranges)
    columns = whole.columns(0, count)
    for _ in range(5):
        start, stop = sorted(map(int, rng.integers(0, count + 1, 2)))
        for name, values in pieces.columns(start, stop).items():
            assert np.array_equal(values, columns[name][start:stop])
    assert columns["y"].min() >= 10 and columns["y"].max() <= 20
    assert whole.digest == pieces.digest != draw(count, seed=seed + 1, **ranges).digest


def test_a_latin_hypercube_meets_every_slice_once() -> None:
    for values in latin(50, seed=1, x=(0, 50), y=(0, 50)).columns(0, 50).values():
        assert sorted(np.floor(values)) == list(range(50))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: sobol(0, x=(0, 1)), "expected how many, a whole number above zero, found 0"),
        (lambda: sobol(2.5, x=(0, 1)), "expected how many"),
        (lambda: sobol(4), "expected ranges by name"),
        (lambda: sobol(4, seed=-1, x=(0, 1)), "expected a seed of zero or more"),
        (lambda: latin(4, x=(1, 0)), "reversed or empty: from 1 to 0"),
        (lambda: latin(4, x=(1, 1)), "reversed or empty"),
        (lambda: latin(4, x=3), "expected the two ends of a range, found 3"),
        (lambda: latin(4, x=(0, np.nan)), "expected a finite number, found nan"),
        (lambda: latin(4, x=(0, "1")), "expected a finite number, found '1'"),
        (lambda: latin(10**8, x=(0, 1)), "take mp.studies.sobol"),
    ],
)
def test_samples_that_are_none(make: Any, told: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=told):
        make()


@pytest.mark.parametrize("ending", ["npz", "csv", "parquet"])
def test_a_table_comes_back_as_cases(ending: str, tmp_path: Path) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    cases: dict[str, Any] = {"a": range(3), "b": [0.1, 1e-17], "c": ["x", "yz"]}
    found = mp.study(lambda case, rng: {"d": case["a"] * case["b"]}, cases, results=tmp_path / f"t.{ending}")
    if ending == "npz":  # with no failures in it they are no columns of cases
        held = dict(np.load(tmp_path / "t.npz"))
        np.savez(tmp_path / "t.npz", **{name: values for name, values in held.items() if name not in ("failed", "why")})
    back: Cases = cases_from(tmp_path / f"t.{ending}")
    assert [back[k] for k in range(12)] == list(found.rows)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x\n1\nnan\n", "x: found NaN"),
        ("x\n1\n1e400\n", "1e400 is too large a number"),
        ("2x\n1\n", "'2x' is no name"),
        ("x\n1\n".encode("utf-16").decode("latin-1"), "is no text in UTF-8"),
    ],
)
def test_a_file_that_cannot_be_is_told_by_its_name(text: str, told: str, tmp_path: Path, whole: Sentences) -> None:
    (tmp_path / "c.csv").write_text(text, encoding="latin-1" if text.startswith("ÿ") else "utf-8")
    with whole.raises(mp.InputError, match=f"c.csv: .*{told}"):
        cases_from(tmp_path / "c.csv")


def test_a_number_alone_is_no_column(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", x=3.0)
    np.savez(tmp_path / "two.npz", x=3.0, y=[1.0])
    for name in ("one", "two"):
        with pytest.raises(mp.InputError, match=f"{name}.npz: the columns are of different lengths"):
            cases_from(tmp_path / f"{name}.npz")


@pytest.mark.parametrize(("mark", "decimal"), [(",", "."), (";", ","), (";", "."), ("\t", ","), ("|", ",")])
def test_columns_are_apart_as_spreadsheets_write_them(mark: str, decimal: str, tmp_path: Path) -> None:
    rows = [["run", "x", "n", "words"], ["a", "-0.25", "3", "left"], ["b", "1.5e-3", "40", "x.y"]]
    text = "\n".join(
        mark.join(cell.replace(".", decimal) if k < 3 else cell for k, cell in enumerate(row)) for row in rows
    )
    (tmp_path / "c.csv").write_text(text, encoding="utf-8-sig")
    found = cases_from(tmp_path / "c.csv")
    assert [found[k] for k in range(2)] == [
        {"run": "a", "x": -0.25, "n": 3, "words": "left"}, {"run": "b", "x": 0.0015, "n": 40, "words": "x.y"},
    ]  # fmt: skip


def test_labels_are_no_numbers_and_large_numbers_stay_what_they_are(tmp_path: Path) -> None:
    """Python reads 1_2 as 12, and numpy's casts make 2⁶³ negative."""
    (tmp_path / "c.csv").write_text("run,x\n1_1,-inf\n1_2,3\n")
    found = cases_from(tmp_path / "c.csv")
    assert [found[k] for k in range(2)] == [{"run": "1_1", "x": -np.inf}, {"run": "1_2", "x": 3.0}]
    large = np.array([1, 2**63], dtype=np.uint64)
    np.savez(tmp_path / "c.npz", x=large)
    for given in (tmp_path / "c.npz", {"x": large}):
        with pytest.raises(mp.InputError, match="x: 9223372036854775808 is too large for a whole number"):
            cases_from(given)
    assert cases_from({"x": large[:1]})[0] == {"x": 1}


def test_numbers_of_numpy_are_numbers() -> None:
    one, two = np.int64(1), np.int16(2)
    assert cases_from({"x": {"from": 0, "to": 1, "count": two}}).count == 2
    assert sobol(two, x=(0, 1), seed=one).digest == sobol(2, x=(0, 1), seed=1).digest
    found = mp.study(functions.mixed, {"a": range(3)}, seed=one, workers=two)
    assert found.path.read_bytes() == mp.study(functions.mixed, {"a": range(3)}, seed=1).path.read_bytes()
    with pytest.raises(mp.InputError, match="seed: expected a whole number"):
        mp.study(functions.mixed, {"a": range(3)}, seed=np.True_)  # type: ignore[arg-type]


def test_failures_and_arrays_in_files(tmp_path: Path) -> None:
    found = mp.study(functions.mixed, {"a": range(5), "b": [1.0]}, seed=3)
    with found.save(tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[3]["failure"] == found.why[3] and rows[3]["sum"] == "nan" and rows[4]["failure"] == ""
    assert float(rows[4]["draws_2_3"]) == found.table["draws"][4, 1, 2]
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(found.save(tmp_path / "t.parquet")).to_pylist()
    assert table[4]["draws"] == found.table["draws"][4].tolist() and table[3]["failure"] == found.why[3]
    with pytest.raises(mp.InputError, match="cannot be written: "):
        found.save(tmp_path / "t.csv" / "inside.csv")


def test_the_page_tells_what_there_is(tmp_path: Path) -> None:
    found = mp.study(functions.mixed, {"a": range(12), "b": [1.0, 2.0]}, seed=3)
    text = found.report(tmp_path / "study.html").read_text()
    assert text.count("<svg") >= 4 and "not liked by &lt;object&gt;" in text and "24 cases, 4 of them failed" in text
    assert "study tests.study_functions:mixed: 24 cases, 4 failed" in str(found)
    assert found.as_dict()["failed"] == 4 and "<table>" in found._repr_html_()
    assert found.kept_file is None and "results.npz" not in text  # which goes with the study
    kept = mp.study(functions.mixed, {"a": [1]}, resume=tmp_path / "kept")
    assert f"1 case. All of them: {kept.kept_file}" in kept.report(tmp_path / "study.html").read_text()


def test_infinities_are_told_in_a_summary_and_what_is_no_number_is_not() -> None:
    """The cases that succeeded with one are none to leave out."""
    inf, nan = np.inf, np.nan
    given = {"a": [1.0, 2, 3, 4], "b": [1.0, inf, nan, 3], "c": [-inf, inf, inf, inf], "d": [nan] * 4}
    found = mp.study(lambda case, rng: {name: x[case["k"]] for name, x in given.items()}, {"k": range(4)}).figures()
    assert found["a"] == {
        "lowest": 1,
        "5 %": pytest.approx(1.15),
        "median": 2.5,
        "mean": 2.5,
        "95 %": pytest.approx(3.85),
        "highest": 4,
    }
    assert found["b"] == {"lowest": 1, "5 %": 1, "median": 3, "mean": inf, "95 %": 3, "highest": inf}
    assert found["c"] == {"lowest": -inf, "5 %": -inf, "median": inf, "mean": None, "95 %": inf, "highest": inf}
    assert set(found["d"].values()) == {None}


@pytest.mark.parametrize("seed", range(4))
def test_a_distribution_is_the_share_of_cases_up_to_a_value(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 4 + 300 * seed, 5 + 400 * seed)
    found = mp.study(lambda case, rng: {"z": float(case["y"])}, {"y": values})
    chart = distribution(found, "z")
    for x, below, upto in zip(chart.x[::2], chart.lines[0].y[::2], chart.lines[0].y[1::2]):
        assert (below, upto) == ((values < x).mean(), (values <= x).mean())
    assert chart.lines[0].y[0] == 0 and chart.lines[0].y[-1] == 1
