"""Stored results: proved when loaded, of no effect when damaged or of another robot, and not needed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import manipula as mp
from manipula import generation, records
from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.prove import prove
from manipula.bridge import Choice, Request, built, reference
from manipula.generation import Effort, known_function, optimise_function
from manipula.records import Entry, entries, record, stored

TINY = Effort(moves=2000)
PLANAR = Request(mp.load("planar2r"), "gravity", optimise="max")
PUMA = Request(mp.load("puma560_symbolic"), "pose", optimise="max")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with one record: gravity of the planar arm."""
    record(PLANAR, "auto", built(PLANAR, Choice("newton-euler")), tmp_path)
    return tmp_path


def asked(entry: Entry) -> Request:
    return Request(mp.load(entry.robot), entry.model, symbolic=entry.symbolic, parameters=entry.parameters)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.file)
def test_every_record_that_ships_is_the_model_of_its_robot(entry: Entry) -> None:
    request = asked(entry)
    found = stored(request)
    assert found is not None
    assert found.cost.total == entry.total
    prove(found, reference(request))


def test_the_index_and_the_files_agree() -> None:
    files = {path.name for path in records.FOLDER.glob("*.json")} - {records.INDEX}
    assert files == {entry.file for entry in entries()}
    assert files
    assert sum((records.FOLDER / name).stat().st_size for name in files) < 1_500_000


def test_a_record_is_found_again(shelf: Path) -> None:
    found = stored(PLANAR, shelf)
    assert found is not None
    assert found.cost == built(PLANAR, Choice("newton-euler")).cost


@pytest.mark.parametrize(
    "other",
    [
        replace(PLANAR, model="energy"),
        replace(PLANAR, method="newton-euler"),
        replace(PLANAR, parameters="full"),
        replace(PLANAR, price="fused"),
        replace(PLANAR, symbolic=["l1"], robot=PLANAR.robot.with_parameters(l1=1, l2=2, m1=3, m2=4, g=9.81)),
        replace(PLANAR, robot=PLANAR.robot.with_gravity("g", 0, 0)),
        replace(PLANAR, robot=PLANAR.robot.with_parameters(l1="2*l2")),
    ],
    ids=["model", "method", "parameters", "price", "symbolic", "gravity", "geometry"],
)
def test_another_question_has_no_answer(shelf: Path, other: Request) -> None:
    assert stored(other, shelf) is None


def test_a_record_of_other_numbers_is_ignored() -> None:
    puma = Request(mp.load("puma560"), "inverse_dynamics", optimise="max")
    assert stored(puma) is not None
    assert stored(replace(puma, robot=puma.robot.with_payload(1.0))) is None
    assert stored(replace(puma, robot=puma.robot.without("friction"))) is None


def only_file(shelf: Path) -> Path:
    return next(path for path in shelf.glob("*.json") if path.name != records.INDEX)


def signed(shelf: Path, text: str) -> None:
    """The file with another text, and the digest to match: what only a proof can tell."""
    only_file(shelf).write_text(text, encoding="utf-8")
    lines = json.loads((shelf / records.INDEX).read_text(encoding="utf-8"))
    lines[0]["digest"] = records._digest(text)
    (shelf / records.INDEX).write_text(json.dumps(lines), encoding="utf-8")


def wrong(function: Function) -> Function:
    """The same ports, the first output doubled."""
    roots = function.roots
    return function.with_roots([roots[0] * 2, *roots[1:]])


def test_a_wrong_record_is_ignored(shelf: Path) -> None:
    record(PLANAR, "auto", wrong(built(PLANAR, Choice("newton-euler"))), shelf)
    assert len(entries(shelf)) == 1
    assert stored(PLANAR, shelf) is None


@pytest.mark.parametrize("change", [str.upper, lambda text: text[:200], lambda text: "", lambda text: "[1, 2]"])
def test_a_damaged_record_is_ignored(shelf: Path, change: object) -> None:
    text = only_file(shelf).read_text(encoding="utf-8")
    damaged = change(text)  # type: ignore[operator]
    only_file(shelf).write_text(damaged, encoding="utf-8")
    assert stored(PLANAR, shelf) is None
    signed(shelf, damaged)
    assert stored(PLANAR, shelf) is None
    signed(shelf, text)
    assert stored(PLANAR, shelf) is not None


@pytest.mark.parametrize("text", ["", "{}", "[{}]", "[1]", "nonsense"])
def test_an_index_that_cannot_be_read_is_empty(shelf: Path, text: str) -> None:
    (shelf / records.INDEX).write_text(text, encoding="utf-8")
    assert entries(shelf) == []
    assert stored(PLANAR, shelf) is None


def test_a_missing_file_is_ignored(shelf: Path) -> None:
    only_file(shelf).unlink()
    assert stored(PLANAR, shelf) is None


def test_the_highest_level_takes_the_record_and_searches_only_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def search(functions: list[Function], camps: list[str], **options: object) -> Function:
        calls.append(options)
        return functions[0]

    monkeypatch.setattr(generation, "winner", search)
    known = mp.generate("puma560_symbolic", "pose", optimise="max")
    entry = next(entry for entry in entries() if entry.answers(PUMA))
    assert known.cost.total == entry.total
    assert optimise_function(PUMA, TINY) == known.function
    assert not calls
    optimise_function(PUMA, replace(TINY, known=False, seed=5))
    assert calls
    assert all(call["seed"] == 5 for call in calls)


def test_the_highest_level_without_a_record() -> None:
    request = Request(mp.load("stanford3"), "gravity", optimise="max")
    assert stored(request) is None
    assert known_function(request) is None
    found = optimise_function(request, TINY)
    assert found.cost.total <= mp.generate("stanford3", "gravity").cost.total
    prove(found, reference(request))


def test_the_same_seed_gives_the_same_function() -> None:
    first, second = (optimise_function(PLANAR, TINY) for _ in range(2))
    assert first.content()[1] == second.content()[1]


def test_a_limit_in_seconds_ends_the_search() -> None:
    found = optimise_function(PLANAR, Effort(seconds=0.2))
    prove(found, reference(PLANAR))


def test_what_was_found_is_what_the_highest_level_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIPULA_CACHE", str(tmp_path / "cache"))
    found = optimise_function(PLANAR, TINY)
    monkeypatch.setattr(generation, "_sought", None)  # nothing may be searched for any more
    assert mp.generate("planar2r", "gravity", optimise="max").function == found


def test_a_dearer_result_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIPULA_CACHE", str(tmp_path / "cache"))
    best = optimise_function(PLANAR, TINY)
    monkeypatch.setattr(generation, "winner", lambda functions, camps, **options: built(PLANAR, Choice("newton-euler")))
    dearer = optimise_function(PLANAR, replace(TINY, known=False))
    assert dearer.cost.total > best.cost.total
    assert known_function(PLANAR) == best
