"""Stored results: proved when loaded, of no effect when damaged or of another robot, and not needed."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.prove import prove
from manipula.generation import cache as records
from manipula.generation import formulations, levels, pipeline
from manipula.generation.build import build_function, reference
from manipula.generation.cache import Entry, arm_of, entries, record
from manipula.generation.pipeline import (
    generate_function,
    known_function,
    optimise_function,
    searched_function,
    shipped_answer,
)
from manipula.generation.prepare import Formulation, Prepared, Request, prepare
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.support.progress import DEFAULT_EFFORT, Effort

TINY = Effort(moves=2000)
PLANAR = prepare(Request(mp.load("planar2r"), "gravity", optimise="max"))
NUMERIC = PLANAR.robot.with_parameters(l1=1, l2=2, m1=3, m2=4, g=9.81)
PUMA = prepare(Request(mp.load("puma560_symbolic"), "pose", optimise="max"))


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with one record: gravity of the planar arm."""
    record(PLANAR.request, "auto", build_function(PLANAR, Formulation("newton-euler")), tmp_path)
    return tmp_path


def asked(entry: Entry) -> Prepared:
    return prepare(Request(arm_of(entry), entry.model, symbolic=entry.symbolic, parameters=entry.parameters))


@pytest.mark.drawn("entry", few=8)
@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.file)
def test_every_record_that_ships_is_the_model_of_its_robot(entry: Entry) -> None:
    request = asked(entry)
    found = stored_record(request)
    assert found is not None
    assert found.cost.total == entry.total
    prove(found, reference(request))


def test_the_index_and_the_files_agree() -> None:
    files = {path.name for path in records.FOLDER.glob("*.json")} - {records.INDEX}
    arms = {path.stem for path in records.FOLDER.glob("*.toml")}
    assert {entry.robot for entry in entries()} == arms | {
        entry.robot for entry in entries() if entry.robot in mp.robots()
    }
    assert not arms & set(mp.robots())
    assert files == {entry.file for entry in entries()}
    assert files
    assert sum((records.FOLDER / name).stat().st_size for name in files) < 1_500_000


def stored_record(asked: Prepared, folder: Path = records.FOLDER) -> Function | None:
    """The record that is proved to be of this robot."""
    known = shipped_answer(asked, folder)
    return None if known is None else known.found


def test_a_record_is_found_again(shelf: Path) -> None:
    found = stored_record(PLANAR, shelf)
    assert found is not None
    assert found.cost == build_function(PLANAR, Formulation("newton-euler")).cost


@pytest.mark.parametrize(
    "other",
    [
        PLANAR.with_request(model="energy"),
        PLANAR.with_request(method="newton-euler"),
        PLANAR.with_request(parameters="full"),
        PLANAR.with_request(price="fused"),
        prepare(
            replace(PLANAR.request, symbolic=["l1"], robot=PLANAR.robot.with_parameters(l1=1, l2=2, m1=3, m2=4, g=9.81))
        ),
        prepare(replace(PLANAR.request, robot=PLANAR.robot.with_gravity("g", 0, 0))),
        prepare(replace(PLANAR.request, robot=PLANAR.robot.with_parameters(l1="2*l2"))),
    ],
    ids=["model", "method", "parameters", "price", "symbolic", "gravity", "geometry"],
)
def test_another_question_has_no_answer(shelf: Path, other: Prepared) -> None:
    assert stored_record(other, shelf) is None


def in_other_letters(seed: int, entry: Entry) -> Prepared:
    """The same arm as somebody else writes it: robot, joints and letters have other names."""
    draw, text = random.Random(seed), toml_from_robot(arm_of(entry))
    old = sorted(asked(entry).parameters, key=len, reverse=True)
    new = [f"{draw.choice('uvwk')}{draw.choice('_rst')}{i}" for i in range(len(old))]
    draw.shuffle(new)
    names = dict(zip(old, new))
    text = re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), text)
    robot = replace(mp.Robot.from_text(text), name=f"mine{seed}")
    return prepare(Request(robot, entry.model, symbolic=entry.symbolic, parameters=entry.parameters))


LETTERED = [entry for entry in entries() if entry.letters and entry.symbolic == "auto"]


@pytest.mark.drawn("entry", few=4)
@pytest.mark.parametrize("entry", LETTERED, ids=lambda entry: entry.file)
def test_a_record_serves_whoever_writes_the_arm_in_other_letters(entry: Entry) -> None:
    question = in_other_letters(len(entry.file), entry)
    assert len(set(question.parameters) - set(asked(entry).parameters)) >= 2
    found = stored_record(question)
    assert found is not None and found.cost.total == entry.total
    assert found.inputs[-1].names == question.parameters and found.name == question.name
    assert prove(found, reference(question))


def test_letters_at_other_places_are_another_arm(shelf: Path) -> None:
    """As many letters, one of them where another was: tried, and refused by the proof."""
    text = toml_from_robot(PLANAR.robot)
    twisted = text.replace('"l1"', '"kept"').replace('"l2"', '"l1"').replace('"kept"', '"l2"')
    for other, same in ((text.replace('"l1"', '"first"'), True), (text.replace('"l1"', '"l1 + 1"'), False)):
        question = prepare(replace(PLANAR.request, robot=mp.Robot.from_text(other)))
        assert entries(shelf)[0].answers(question)
        assert (stored_record(question, shelf) is not None) == same
    swapped = prepare(replace(PLANAR.request, robot=mp.Robot.from_text(twisted)))
    assert (found := stored_record(swapped, shelf)) is None or prove(found, reference(swapped))


def test_a_record_of_other_numbers_is_ignored() -> None:
    puma = prepare(Request(mp.load("puma560"), "inverse_dynamics", optimise="max"))
    assert stored_record(puma) is not None
    assert stored_record(prepare(replace(puma.request, robot=puma.robot.with_payload(1.0)))) is None
    assert stored_record(prepare(replace(puma.request, robot=puma.robot.without("friction")))) is None


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
    record(PLANAR.request, "auto", wrong(build_function(PLANAR, Formulation("newton-euler"))), shelf)
    assert len(entries(shelf)) == 1
    assert stored_record(PLANAR, shelf) is None


@pytest.mark.parametrize("change", [str.upper, lambda text: text[:200], lambda text: "", lambda text: "[1, 2]"])
def test_a_damaged_record_is_ignored(shelf: Path, change: object) -> None:
    text = only_file(shelf).read_text(encoding="utf-8")
    damaged = change(text)  # type: ignore[operator]
    only_file(shelf).write_text(damaged, encoding="utf-8")
    assert stored_record(PLANAR, shelf) is None
    signed(shelf, damaged)
    assert stored_record(PLANAR, shelf) is None
    signed(shelf, text)
    assert stored_record(PLANAR, shelf) is not None


@pytest.mark.parametrize("text", ["", "{}", "[{}]", "[1]", "nonsense"])
def test_an_index_that_cannot_be_read_is_empty(shelf: Path, text: str) -> None:
    (shelf / records.INDEX).write_text(text, encoding="utf-8")
    assert entries(shelf) == []
    assert stored_record(PLANAR, shelf) is None


def test_a_missing_file_is_ignored(shelf: Path) -> None:
    only_file(shelf).unlink()
    assert stored_record(PLANAR, shelf) is None


@pytest.mark.turn
def test_the_highest_level_takes_the_record_and_searches_only_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def search(functions: list[Function], basins: list[str], effort: Effort, *given: object) -> Function:
        calls.append(effort)
        return functions[0]

    monkeypatch.setattr(levels, "winner", search)
    known = mp.generate("puma560_symbolic", "pose", optimise="max")
    entry = next(entry for entry in entries() if entry.answers(PUMA))
    assert known.cost.total == entry.total
    assert optimise_function(PUMA, TINY) == known.function
    assert not calls
    optimise_function(PUMA, replace(TINY, seed=5), known=False)
    assert calls
    assert all(call.seed == 5 for call in calls)


@pytest.mark.turn
def test_the_highest_level_without_a_record() -> None:
    request = prepare(Request(mp.load("stanford3"), "gravity", optimise="max"))
    assert stored_record(request) is None
    assert known_function(request) is None
    found = optimise_function(request, TINY)
    assert found.cost.total <= mp.generate("stanford3", "gravity").cost.total
    prove(found, reference(request))


@pytest.mark.turn
def test_the_same_seed_gives_the_same_function() -> None:
    first, second = (optimise_function(PLANAR, TINY) for _ in range(2))
    assert first.content()[1] == second.content()[1]


def test_a_limit_in_seconds_ends_the_search() -> None:
    found = optimise_function(PLANAR, Effort(seconds=0.2))
    prove(found, reference(PLANAR))


# what is remembered of searches

ARM = prepare(Request(mp.load("planar2r"), "inverse_dynamics", optimise="max"))


class Bench:
    """A search of three outcomes: the price of the function it is to end with, whole or cut short."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.starts: list[int] = []
        self.found: list[Function] = []
        self.brief = ways()[0]
        monkeypatch.setattr(levels, "winner", self.winner)
        monkeypatch.setattr(levels, "formulations", lambda *given: [])
        monkeypatch.setattr(levels, "favourites", lambda tried, count: {})
        monkeypatch.setattr(levels, "level_fast", lambda request, effort: self.brief)
        monkeypatch.setitem(levels.LEVELS, "fast", lambda request, effort, start: self.brief)

    def winner(self, functions: list[Function], basins: list[str], effort: Effort, *given: Any) -> Function:
        """The next function on the list, if it is cheaper than the one to start from."""
        self.starts.append(functions[0].cost.total)
        effort.stop()  # is asked, as a search does
        wanted = self.found.pop(0) if self.found else functions[0]
        return min(functions[0], wanted, key=lambda function: function.cost.total)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("MANIPULA_CACHE", str(tmp_path / "cache"))
    return Bench(monkeypatch)


@cache
def ways() -> list[Function]:
    """The arm in three ways, each cheaper than the one before."""
    plain = [build_function(ARM, Formulation(method)) for method in ("jacobian", "newton-euler")]
    found = [*plain, levels.level_fast(ARM, DEFAULT_EFFORT)]
    assert found[0].cost.total > found[1].cost.total > found[2].cost.total
    return found


CUT = {
    "interrupted": Effort(stop=lambda: True),
    "seconds": Effort(seconds=1e-3),
    "moves": Effort(moves=1),
}


@pytest.mark.parametrize("cut", CUT)
def test_the_highest_level_goes_on_from_a_search_that_was_cut_short(bench: Bench, cut: str) -> None:
    brief, better, best = ways()
    bench.found = [better]
    found = optimise_function(ARM, CUT[cut])
    assert found.provenance.search == ("interrupted" if cut == "interrupted" else "limited")
    assert known_function(ARM) == found
    bench.found = [best]
    made = mp.generate(ARM.robot, "inverse_dynamics", optimise="max")
    assert bench.starts == [brief.cost.total, better.cost.total]  # it began where the other had ended
    assert made.cost.total == best.cost.total and not made.provenance.search
    again = mp.generate(ARM.robot, "inverse_dynamics", optimise="max")
    assert again == made and len(bench.starts) == 2  # and is not repeated


def test_a_whole_search_that_finds_nothing_more_ends_it(bench: Bench) -> None:
    _, better, _ = ways()
    bench.found = [better]
    optimise_function(ARM, CUT["moves"])
    made = optimise_function(ARM)
    assert made.cost.total == better.cost.total and not made.provenance.search
    assert optimise_function(ARM) == made == known_function(ARM) and len(bench.starts) == 2


def test_what_gains_nothing_is_not_remembered_unless_the_search_was_whole(bench: Bench) -> None:
    for effort in CUT.values():
        found = optimise_function(ARM, effort)
        assert found.cost.total == bench.brief.cost.total and known_function(ARM) is None
    whole = optimise_function(ARM)
    assert known_function(ARM) == whole and len(bench.starts) == 4


@pytest.mark.parametrize("cut", CUT)
def test_a_dearer_result_replaces_nothing(bench: Bench, cut: str) -> None:
    _, better, best = ways()
    bench.found = [best, better, better]
    first = optimise_function(ARM)
    for effort in (CUT[cut], Effort(seed=3)):
        assert optimise_function(ARM, effort, known=False).cost.total == better.cost.total
        assert known_function(ARM) == first


def test_a_cheaper_result_of_a_short_search_joins_a_whole_one(bench: Bench) -> None:
    """What was searched in full once is not searched in full again because a short search found more."""
    _, better, best = ways()
    bench.found = [better, best]
    optimise_function(ARM)
    optimise_function(ARM, CUT["moves"], known=False)
    known = known_function(ARM)
    assert known is not None and known.cost.total == best.cost.total and not known.provenance.search
    assert optimise_function(ARM) == known and len(bench.starts) == 2


def test_an_interrupt_in_the_formulations_ends_the_tournament_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def formulations(request: Prepared, effort: Any, least: float) -> list[Any]:
        effort.stop.press()
        return []

    monkeypatch.setattr(levels, "formulations", formulations)
    monkeypatch.setattr(levels, "favourites", lambda tried, count: {})
    monkeypatch.setattr(
        levels, "winner", lambda functions, basins, effort, *x: seen.append(effort.stop()) or functions[0]
    )
    assert optimise_function(PLANAR).provenance.search == "interrupted" and seen == [True]


def test_the_number_shown_is_the_number_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped as soon as a formulation shows a price below the quick level's: the function behind it is kept."""
    request = prepare(Request(mp.load("stanford3"), "inverse_dynamics", optimise="max"))
    quick = build_function(request, Formulation("newton-euler"))
    monkeypatch.setattr(levels, "level_fast", lambda request, effort: quick)
    monkeypatch.setitem(levels.LEVELS, "fast", lambda request, effort, start: quick)
    shown: list[int] = []

    def tell(step: str) -> None:
        number = re.match(r"([0-9]+) after|round .*: ([0-9]+),", step)
        shown.extend([int(number[1] or number[2])] if number else [])

    found = optimise_function(request, Effort(tell=tell, stop=lambda: bool(shown) and shown[-1] < quick.cost.total))
    assert shown and shown == sorted(shown, reverse=True)
    assert found.cost.total == shown[-1] < quick.cost.total


def test_the_cheaper_of_what_is_kept_and_what_ships_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever has it, also where one has nothing; the one that ships at equal price. The proof is the last step."""
    asked = PLANAR.with_request(parameters="full")
    dear = build_function(asked, Formulation("newton-euler"))
    cheap = optimise_function(asked, TINY)
    assert cheap.cost.total < dear.cost.total
    for kept, shipped in product((None, cheap, dear), repeat=2):
        monkeypatch.setattr(pipeline.cache, "recall_function", lambda request, kept=kept: kept)
        records_of = [] if shipped is None else [shipped]
        monkeypatch.setattr(pipeline.cache, "stored_records", lambda request, folder, found=records_of: found)
        found, there = known_function(asked), [x.cost.total for x in (kept, shipped) if x is not None]
        assert (found and found.cost.total) == (min(there) if there else None)
        assert not there or (found is not None and found.provenance.proof)
    monkeypatch.setattr(pipeline.cache, "recall_function", lambda request: None)
    monkeypatch.setattr(pipeline.cache, "stored_records", lambda request, folder: [])
    lines: list[str] = []
    generate_function(asked.with_request(optimise="none"), tell=lines.append)
    assert lines == ["gravity: proof"]


def test_an_interrupt_among_formulations_keeps_the_best_and_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(formulations, "wander", interrupted)
    lines: list[str] = []
    answer = searched_function(PLANAR, Effort(moves=2000, tell=lines.append))
    assert lines.count("interrupted: keeping the best so far") == 1
    assert answer.found.provenance.search == "interrupted" and answer.proved.provenance.proof
    assert answer.found.cost.total <= build_function(PLANAR, Formulation("newton-euler")).cost.total


def test_a_record_leaves_its_files_and_no_others(tmp_path: Path) -> None:
    """Of an arm of the library the result and the index; of another also the arm. The same question is asked once."""
    own = PLANAR.with_request(robot=replace(PLANAR.robot, name="own"))
    for asked in (PLANAR, PLANAR, own):
        made = record(asked.request, "auto", build_function(asked, Formulation("newton-euler")), tmp_path)
        assert made in entries(tmp_path) and made.robot == asked.robot.name
    files = {"planar2r-gravity-auto-base.json", "own-gravity-auto-base.json", "own.toml", records.INDEX}
    assert {path.name for path in tmp_path.iterdir()} == files
    assert [entry.file for entry in entries(tmp_path)] == sorted(x for x in files if "gravity" in x)
    assert mp.load(tmp_path / "own.toml").joints == own.robot.joints
