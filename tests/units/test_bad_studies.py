"""Studies that cannot be: one sentence each, nothing started and nothing lost."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.work import job as jobs
from tests import study_functions as functions
from tests.golden.sentences import Sentences

LEVELS = list(range(1000))
RIGHT = {"function": functions.slow, "cases": {"a": [1, 2]}}


def odd(case: dict[str, Any], rng: Any) -> Any:
    """Gives in every case what its list says."""
    return RESULTS[case["a"]]


RESULTS: list[Any] = []

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "function unknown": ({"function": "tests.study_functions:slwo"}, "'tests.study_functions:slwo' is not there"),
    "module unknown": ({"function": "no_such_module:f"}, "no module is called 'no_such_module'"),
    "no place": ({"function": "slow"}, "expected its place as 'module:name', found 'slow'"),
    "no function": ({"function": 3}, "expected a function, or its place as 'module:name', found 3"),
    "a number": ({"function": "math:pi"}, "'math:pi' is 3.14.*, not a function"),
    "engine unknown": ({"engine": "locla"}, "no engine is called 'locla'; did you mean 'local'"),
    "engine no word": ({"engine": 2}, "expected a word or a Dask client, found 2"),
    "workers": ({"workers": 0}, "expected a whole number of processes, 1 to 4096, found 0"),
    "tell": ({"tell": 3}, "tell: expected a function that hears of the progress, found 3"),
    "seed negative": ({"seed": -1}, "seed: expected a whole number of zero or more, found -1"),
    "seed no number": ({"seed": 1.5}, "seed: expected a whole number of zero or more, found 1.5"),
    "no cases": ({"cases": []}, "cases: found none"),
    "no names": ({"cases": {}}, "cases: found none"),
    "no level": ({"cases": {"a": []}}, "cases: a: has no level"),
    "range reversed": ({"cases": {"a": {"from": 2, "to": 1, "count": 3}}}, "reversed or empty: from 2 to 1"),
    "python's range reversed": ({"cases": {"a": range(5, 2)}}, "has no level .a range that ends before it begins"),
    "range half": ({"cases": {"a": {"from": 2, "count": 3}}}, "a range needs from and to"),
    "range of both": ({"cases": {"a": {"from": 0, "to": 1, "count": 3, "step": 1}}}, "needs count or step"),
    "range misspelt": ({"cases": {"a": {"from": 0, "to": 1, "cuont": 3}}}, "a range has no 'cuont'"),
    "count": ({"cases": {"a": {"from": 0, "to": 1, "count": 1}}}, "expected a count of 2 or more levels, found 1"),
    "step": ({"cases": {"a": {"from": 0, "to": 1, "step": -1}}}, "expected a step above zero"),
    "step tiny": ({"cases": {"a": {"from": 0, "to": 1, "step": 1e-300}}}, "expected a step above zero"),
    "one level": ({"cases": {"a": 3}}, r"expected a list of levels, found 3; one level is written \[x\]"),
    "a word": ({"cases": {"a": "abc"}}, "expected a list of levels, found 'abc'"),
    "kinds": ({"cases": {"a": [1, "x"]}}, "found 'x' in case 1 beside 1; a column is of one kind"),
    "nan": ({"cases": {"a": [1.0, float("nan")]}}, "cases: a: found NaN"),
    "nan in an array": ({"cases": {"a": np.array([1.0, np.nan])}}, "cases: a: found NaN"),
    "an object": ({"cases": {"a": [object()]}}, "expected a number, a word or an array"),
    "a name": ({"cases": {"1a": [1]}}, "'1a' is no name"),
    "taken": ({"cases": {"failed": [1]}}, "'failed' is what a study calls its failures"),
    "names differ": ({"cases": [{"a": 1}, {"b": 1}]}, "case 1 has the names b where case 0 has a"),
    "no dict": ({"cases": [{"a": 1}, 3]}, "case 1: expected a dict, found 3"),
    "no case": ({"cases": 7}, "expected levels by name, a list of dicts"),
    "no file": ({"cases": "none.csv"}, "none.csv: cannot be read: No such file"),
    "another file": ({"cases": "none.txt"}, "none.txt: expected a file that ends in .npz, .csv, .parquet"),
    "shared": ({"shared": {"a": 1}}, "'a' is a column of the cases, too"),
    "shared kind": ({"shared": [1]}, "shared: expected values by name"),
    "shared that stays": (
        {"shared": {"words": {}.keys()}},
        r"shared: words: dict_keys\(\[\]\) cannot travel to workers",
    ),
    "results": ({"results": "x.xlsx"}, "expected a file that ends in .npz, .csv, .parquet"),
    "results kind": ({"results": 3}, "results: expected the name of a file, found 3"),
    "resume kind": ({"resume": 3}, "resume: expected the name of a folder, found 3"),
}


@pytest.mark.parametrize("what", BAD)
def test_is_told_in_a_sentence(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Sentences) -> None:
    monkeypatch.chdir(tmp_path)
    change, told = BAD[what]
    wanted = {**RIGHT, **change}
    options = {name: value for name, value in wanted.items() if name not in ("function", "cases")}
    with whole.raises(mp.InputError, match=told) as error:
        mp.study(wanted["function"], wanted["cases"], **options)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", range(6))
def test_too_many_are_told_before_anything_is_laid_out(seed: int) -> None:
    """Any product above the limit, its neighbours among them."""
    rng = np.random.default_rng(seed)
    sizes = [int(x) for x in rng.integers(1, 1000, 3)] + [1000] * int(rng.integers(3, 9))
    with pytest.raises(mp.SizeError, match=r"are more than a study can go through"):
        mp.study(functions.slow, {f"n{k}": range(size) for k, size in enumerate([*sizes, 1000])})


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([3, {"x": 1}], r"the function gave 3; expected a dict"),
        ([None, {"x": 1}], "the function gave None"),
        ([{}, {"x": 1}], "gave an empty dict"),
        ([{"x": {1}}], r"result 'x': \{1\} cannot be stored"),
        ([{"x": 2**70}], "cannot be stored"),
        ([{"x": 1j}], "cannot be stored"),
        ([{"x": None}], "cannot be stored"),
        ([{"x": np.zeros(10_001)}], "cannot be stored"),
        ([{"x": "w" * 20_001}], "cannot be stored"),
        ([{"x": [[1, 2], [3]]}], "cannot be stored"),
        ([{"a": 1}], "result 'a': a column of the cases has this name"),
        ([{"why": 1}], "result 'why': is no name of a column .taken by a study's failures"),
        ([{7: 1}], "result 7: is no name of a column"),
    ],
)
def test_the_first_result_decides_whether_there_is_a_study(
    results: list[Any], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Sentences
) -> None:
    monkeypatch.setattr(f"{__name__}.RESULTS", results)
    with whole.raises(mp.InputError, match=told):
        mp.study(odd, {"a": range(len(results))}, resume=tmp_path / "s")


@pytest.mark.parametrize("seed", range(4))
def test_later_results_that_are_not_alike_are_rows(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else comes, and wherever."""
    rng = np.random.default_rng(seed)
    wrong: list[Any] = [
        3, {"y": 1, "x": 2, "z": 3}, {"x": 1}, {"x": "w", "y": 1}, {"x": [1.0, 2.0], "y": 2}, {"x": set(), "y": 1},
        {"x": np.zeros((1,)), "y": 1}, None,
    ]  # fmt: skip
    right: list[Any] = [{"x": 1.5, "y": 2}, {"y": 2, "x": 3}, {"x": True, "y": np.float32(2)}, {"x": np.nan, "y": 1}]
    picked = rng.permutation(8)
    results = [right[0], *(wrong[k] for k in picked[:5]), *right, *(wrong[k] for k in picked[5:])]
    monkeypatch.setattr(f"{__name__}.RESULTS", results)
    found = mp.study(odd, {"a": range(len(results))})
    assert list(found.why) == [k for k, x in enumerate(results) if x not in right or x is None]
    assert found.table["y"][[0, 7]].tolist() == [2, 2] and found.table["x"][7] == 3
    assert all(why and "\n" not in why for why in found.why.values())


def test_the_folder_of_another_study(tmp_path: Path) -> None:
    mp.study(functions.slow, {"a": [1]}, resume=tmp_path / "s")
    for what, change in {
        "cases": {"cases": {"a": [2]}},
        "seed differs: 0, not 1": {"seed": 1},
        "function differs: 'tests.study_functions:slow'": {"function": functions.deadly},
        "shared values differ: k": {"shared": {"k": 1}},
    }.items():
        wanted = {"function": functions.slow, "cases": {"a": [1]}, "resume": tmp_path / "s", **change}
        with pytest.raises(mp.InputError, match=f"holds another study: its {what}"):
            mp.study(wanted.pop("function"), wanted.pop("cases"), **wanted)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("")
    with pytest.raises(mp.InputError, match="is not empty and holds no study"):
        mp.study(functions.slow, {"a": [1]}, resume=tmp_path / "other")
    with pytest.raises(mp.InputError, match="is a file; expected a folder"):
        mp.study(functions.slow, {"a": [1]}, resume=tmp_path / "other" / "thesis.tex")
    (tmp_path / "s" / "study.json").write_text("{")
    with pytest.raises(mp.InputError, match="is no study's"):
        mp.study(functions.slow, {"a": [1]}, resume=tmp_path / "s")


def test_a_folder_that_cannot_be_written() -> None:
    with pytest.raises(mp.InputError, match="/proc/study: cannot be written"):
        mp.study(functions.slow, {"a": [1]}, resume="/proc/study")


def test_an_address_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("manipula.studies.work.engine.ANSWER", 0.3)
    with pytest.raises(mp.InputError, match=r"no scheduler answers at tcp://127.0.0.1:9"):
        mp.study(functions.slow, {"a": [1]}, engine="tcp://127.0.0.1:9")


def test_without_dask_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(mp.InputError, match=re.escape('pip install "manipula[study]"')):
        mp.study(functions.slow, {"a": [1]}, engine="dask")


def test_versions_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    here = jobs.versions()
    for k, (name, own) in enumerate(here):
        there = tuple((n, "0.0" if i == k else v) for i, (n, v) in enumerate(here))
        with pytest.raises(mp.InputError, match=f"a worker has {re.escape(name)} 0.0, this program {re.escape(own)}"):
            jobs.refuse_versions(here, there, "a worker")
    monkeypatch.setattr(jobs, "versions", lambda: tuple((name, "0.0") for name, _ in here))
    with pytest.raises(mp.InputError, match="a study needs the same on both"):  # the job says 0.0, who works is not
        mp.study(functions.slow, {"a": [1]})


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "", "is empty"),
        ("a.csv", "a,b\n1\n", "line 2 has 1 cells, the names are 2"),
        ("a.csv", "a,a\n1,2\n", "two columns have the same name"),
        ("a.csv", "a\nnan\n", "found NaN"),
        ("a.csv", "a\n", "has no row"),
        ("a.npz", "no zip", "is no file of columns"),
        ("a.parquet", "no table", "is no file of columns"),
    ],
)
def test_files_of_cases_that_are_none(name: str, text: str, told: str, tmp_path: Path, whole: Sentences) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(mp.InputError, match=told) as error:
        mp.study(functions.slow, tmp_path / name)
    assert str(error.value).startswith(f"{tmp_path / name}: ")
    if name == "a.csv":  # of others their libraries say what is wrong
        whole.compare(str(error.value))


def test_columns_of_different_lengths(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.zeros(3), b=np.zeros(2))
    with pytest.raises(mp.InputError, match="the columns are of different lengths: a 3, b 2"):
        mp.study(functions.slow, tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", a=np.array([object()]))
    with pytest.raises(mp.InputError, match="is no file of columns"):
        mp.study(functions.slow, tmp_path / "b.npz")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study without a folder has one of its own, which goes with it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = mp.study(functions.slow, {"a": [1]})
    assert os.listdir(tmp_path)
    del found
    assert not os.listdir(tmp_path)
    monkeypatch.setattr(f"{__name__}.RESULTS", [3])
    with pytest.raises(mp.InputError):
        mp.study(odd, {"a": [0]})
    assert not os.listdir(tmp_path)
