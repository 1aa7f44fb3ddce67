"""Functions that are careless: no case reaches another, and what depends on the order of cases is told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.work.digest import fresh
from tests import study_functions as functions


def rows(count: int) -> list[dict[str, Any]]:
    return [{"a": k, "v": np.arange(3.0) + k} for k in range(count)]


@pytest.mark.parametrize("engine", ["serial", pytest.param("local", marks=pytest.mark.slow)])
def test_no_case_sees_what_another_did(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("beside").write_text("")
    given, before = rows(20), np.geterr()
    shared = {"list": [1, 2], "inner": {"of": [[1]]}}
    found = mp.study(functions.careless, given, shared=shared, engine=engine, workers=2, resume="s", results="x.csv")
    assert not found.why and set(found.table["list"]) == {2} and set(found.table["inner"]) == {1}
    assert set(found.table["more"]) == {2}
    assert found.table["sum"].tolist() == [row.sum() for row in np.array([x["v"] for x in rows(20)])]
    assert found.table["a"].tolist() == list(range(20)) and set(found.table["here"]) == {"True"}
    assert (Path.cwd(), np.geterr()) == (tmp_path, before) and Path("x.csv").exists() and Path("s").is_dir()
    assert shared == {"list": [1, 2], "inner": {"of": [[1]]}} and given[3]["v"].tolist() == [3, 4, 5]


def test_many_at_once_may_write_into_their_columns() -> None:
    """Tried again in halves where one fails: on what was given, not on what was left of it."""
    found = mp.study(functions.careless_many, [{"a": k} for k in range(40)])
    assert list(found.why) == [5] and found.table["a"].tolist() == list(range(40))
    assert [x for k, x in enumerate(found.table["double"]) if k != 5] == [2 * k for k in range(40) if k != 5]


def test_draws_that_depend_on_the_order_are_told() -> None:
    with pytest.warns(mp.ManipulaWarning) as told:
        mp.study(functions.drawing, {"a": range(20)})
    said = sorted(str(x.message) for x in told)
    assert len(said) == 2 and "the module random, which all cases share" in said[1]
    assert "numpy.random's own generator" in said[0]


def test_shared_arrays_are_closed_to_writing() -> None:
    def write(case: dict[str, Any], rng: Any) -> dict[str, Any]:
        case["table"][0] = 1
        return {"x": 1}

    table = np.zeros(3)
    found = mp.study(write, {"a": [1, 2]}, shared={"table": table})
    assert len(found.why) == 2 and "read-only" in found.why[0] and table.flags.writeable


@pytest.mark.parametrize("seed", range(10))
def test_a_value_is_what_it_was(seed: int) -> None:
    """Random nests of lists, dicts, tuples, sets and arrays, spoilt again and again."""
    rng = np.random.default_rng(seed)

    def nest(depth: int) -> Any:
        kind = int(rng.integers(0, 7 if depth else 3))
        parts = range(int(rng.integers(0, 4)))
        if kind < 3:
            return [int(rng.integers(9)), "word", None][kind]
        if kind == 3:
            return {f"k{k}": nest(depth - 1) for k in parts}
        if kind == 4:
            return {int(rng.integers(99)) for _ in parts}
        return [nest(depth - 1) for _ in parts] if kind == 5 else tuple(nest(depth - 1) for _ in parts)

    def spoil(value: Any) -> None:
        if isinstance(value, list | tuple):
            for x in value:
                spoil(x)
        if isinstance(value, list):
            value.append("spoilt")
        if isinstance(value, dict):
            for x in value.values():
                spoil(x)
            value["spoilt"] = 1
        if isinstance(value, set):
            value.add("spoilt")

    value = [nest(4) for _ in range(5)]
    text, give = repr(value), fresh(value)
    for _ in range(3):
        found = give()
        assert repr(found) == text
        spoil(found)
    assert repr(value) == text


def test_where_the_folder_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that takes its own folder away."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")

    def away(case: dict[str, Any], rng: Any) -> dict[str, Any]:
        os.chdir("/")
        (tmp_path / "gone").rmdir()
        return {"x": 1}

    assert mp.study(away, {"a": [1]}).table["x"].tolist() == [1]
