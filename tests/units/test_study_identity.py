"""A folder goes on with its own study alone: with the same function, whatever that holds or names, in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache, partial, wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.cases.cases import digest_of_array
from manipula.studies.work.job import parts_of

CASES = {"x": [1, 2]}
FACTOR = 2
TABLE = {"k": [1, 2, 3], "words": {"a", "b", "c"}}
ARM = mp.load("planar2r")
STORE: dict[int, Any] = {}


def named(case: dict[str, Any], rng: Any) -> dict[str, Any]:
    STORE[case["x"]] = rng
    return {"y": helped(case["x"]) * TABLE["k"][0]}


def helped(x: float) -> float:
    return x * FACTOR if x in {"p", "q", "r"} else ARM.dof * x


def closed(k: Any) -> Callable[..., Any]:
    return lambda case, rng: {"y": case["x"] * np.sum(k)}


def wrapped(k: Any) -> Callable[..., Any]:
    @wraps(named)
    def outer(case: dict[str, Any], rng: Any) -> dict[str, Any]:
        return closed(k)(case, rng)  # type: ignore[no-any-return]

    return outer


def bound(k: Any, case: dict[str, Any], rng: Any) -> dict[str, Any]:
    return {"y": case["x"] * np.sum(k)}


def defaulted(k: Any) -> Callable[..., Any]:
    def inner(case: dict[str, Any], rng: Any, by: Any = k) -> dict[str, Any]:
        return bound(by, case, rng)

    return inner


class Scaled:
    def __init__(self, k: Any) -> None:
        self.k, self.itself = k, self

    def __call__(self, case: dict[str, Any], rng: Any) -> dict[str, Any]:
        return bound(self.k, case, rng)

    def method(self, case: dict[str, Any], rng: Any) -> dict[str, Any]:
        return self(case, rng)


MAKERS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "closure": closed,
    "wrapped": wrapped,
    "partial": lambda k: partial(bound, k),
    "partial by name": lambda k: partial(named_last, k=k),
    "partial of a method": lambda k: partial(Scaled(k).method),
    "defaults": defaulted,
    "object": Scaled,
    "method": lambda k: Scaled(k).method,
    "cached": lambda k: lru_cache(closed(k)),
}


def named_last(case: dict[str, Any], rng: Any, *, k: Any) -> dict[str, Any]:
    return bound(k, case, rng)


@pytest.mark.parametrize("maker", MAKERS)
def test_what_a_function_holds_makes_it_another(maker: str) -> None:
    """A number, a list, an array, a robot: made again it is the same, with another it is not."""
    make, rng = MAKERS[maker], np.random.default_rng(sorted(MAKERS).index(maker))
    n, values = int(rng.integers(2, 9)), rng.normal(size=3)
    pairs: list[tuple[Callable[[], Any], Any]] = [
        (lambda: n, n + 1),
        (values.tolist, values[::-1].tolist()),
        (values.copy, values + 1e-12),
        (lambda: {"a": (1, frozenset("abc"))}, {"a": (1, frozenset("abd"))}),
        (lambda: mp.load("planar2r"), ARM.with_parameters(l1=2)),
        (lambda: Scaled(n), Scaled(n + 1)),
    ]
    for one, other in pairs:
        assert parts_of(make(one())) == parts_of(make(one())) != parts_of(make(other))


def test_no_result_of_another_function_is_taken_for_its_own(tmp_path: Path) -> None:
    assert mp.study(closed(2), CASES, resume=tmp_path / "s").table["y"].tolist() == [2, 4]
    assert mp.study(closed(2), CASES, resume=tmp_path / "s").computed == 0
    with pytest.raises(mp.InputError, match=r"holds another study: its function differs: k$"):
        mp.study(closed(3), CASES, resume=tmp_path / "s")


def test_two_on_one_line_and_texts_that_are_nowhere() -> None:
    one, other = (lambda case, rng: {"y": case["x"]}), (lambda case, rng: {"y": -case["x"]})
    assert parts_of(one) != parts_of(other)
    nowhere = [eval(f"lambda case, rng: {{'y': {k} * case['x']}}") for k in (2, 2, 3)]
    assert parts_of(nowhere[0]) == parts_of(nowhere[1]) != parts_of(nowhere[2])


def test_what_a_function_names_in_its_module_counts_and_what_it_fills_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mp.study(named, CASES, resume=tmp_path / "s")
    assert STORE and mp.study(named, CASES, resume=tmp_path / "s").computed == 0
    changes = {"FACTOR": 3, "TABLE": {**TABLE, "k": [2]}, "ARM": ARM.with_parameters(l1=2), "helped": float}
    for name, value in changes.items():
        told = name if name in ("TABLE", "helped") else "helped"  # by whom it is named
        with monkeypatch.context() as patch:
            patch.setattr(f"{__name__}.{name}", value)
            with pytest.raises(mp.InputError, match=f"holds another study: its function differs: {told}$"):
                mp.study(named, CASES, resume=tmp_path / "s")


@pytest.mark.turn
def test_another_process_knows_a_function_again() -> None:
    """Whatever the order of its sets."""
    text = f"from {__name__} import *; print(*(parts_of(f) for f in (named, Scaled(frozenset('abc')), closed(ARM))))"
    made = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.run([sys.executable, "-c", text], env=made, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == " ".join(str(parts_of(f)) for f in (named, Scaled(frozenset("abc")), closed(ARM)))


def test_arrays_with_the_same_bytes_are_told_apart() -> None:
    values = np.arange(6, dtype=np.int64)
    same = [values, values.view(np.uint64), values.view(np.float64), values.reshape(2, 3), values.reshape(3, 2)]
    assert len({digest_of_array(x) for x in same}) == len(same)
    assert digest_of_array(values) == digest_of_array(values.copy()) != digest_of_array(values[::-1])
    assert digest_of_array(values[::2]) == digest_of_array(np.array([0, 2, 4]))


def test_what_stands_in_a_class_of_its_module_counts_and_its_words_do_not() -> None:
    def rule(**members: Any) -> type:
        return type("Rule", (), {"__module__": __name__, **members})

    members: dict[str, Any] = {"k": 1, "_k": 2, "k__": 3, "words": "a", "method": closed, "one": property(bound)}
    same, told = (parts_of(closed(rule(**members))), parts_of(closed(rule(**members, __doc__="in other words"))))
    assert same == told
    for name, other in {"k": 2, "_k": 1, "k__": 4, "words": "b", "method": bound, "one": property(closed)}.items():
        assert parts_of(closed(rule(**members | {name: other}))) != same, name
