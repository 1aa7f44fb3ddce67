"""The search for the fewest operations as a study: what is told is what was found, and the best is remembered."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.studies import operation_search
from manipula.studies.operation_search import Board, SearchLine, lines_of, pack_function, searches, unpack_function
from manipula.studies.study_run import Progress
from manipula.studies.work.worker import CaseBlock
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused, run

__all__ = ["folder"]  # every test in an empty folder

FEW: dict[str, Any] = {"moves": 300}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIPULA_CACHE", str(tmp_path / "cache"))


def lines(*names: str) -> list[SearchLine]:
    return lines_of([mp.load(name) for name in names], ["gravity"])


@pytest.mark.turn
def test_a_case_is_a_search_from_its_seed() -> None:
    found = searches(lines("planar2r", "rp"), seeds=1, first=3, **FEW)
    assert found.count == 2 and not found.why
    for row in found.rows[1:]:
        robot, model = row["line"].split()
        made = api.optimise(robot, model, search=True, seed=row["seed"], **FEW)
        assert (row["total"], row["mul"], row["trig"]) == (made.cost.total, made.cost.mul, made.cost.trig)
        assert api.remember(robot, model, unpack_function(row["function"])).function == made.function


@pytest.mark.turn
def test_an_interrupted_search_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole = searches(lines("planar2r"), seeds=3, **FEW)

    def press(progress: Progress) -> None:
        if progress.done < 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        searches(lines("planar2r"), seeds=3, resume=tmp_path / "s", tell=press, **FEW)
    board = Board(lines("planar2r"), 0)
    again = searches(lines("planar2r"), seeds=3, resume=tmp_path / "s", tell=board.hear, **FEW)
    assert again.computed == 2 and again.path.read_bytes() == whole.path.read_bytes()
    read = Board(lines("planar2r"), 0)
    read.read(whole)
    assert {title: x.price for title, x in board.best.items()} == {title: x.price for title, x in read.best.items()}
    assert [line["seeds"] for line in board.figures()] == [3]  # those of the first run were heard of, too


@pytest.mark.slow
def test_processes_find_the_same_bytes() -> None:
    found = [searches(lines("planar2r"), seeds=3, engine=engine, workers=2, **FEW) for engine in ("serial", "local")]
    assert found[0].path.read_bytes() == found[1].path.read_bytes()


@pytest.mark.parametrize("seed", range(8))
def test_best_median_and_worst_are_those_of_the_seeds(seed: int) -> None:
    """Blocks in any order, lines without a result, equal prices."""
    rng = np.random.default_rng(seed)
    count, several, first = int(rng.integers(1, 5)), int(rng.integers(1, 7)), int(rng.integers(0, 9))
    asked = [SearchLine(f"line {k}", mp.load("planar2r"), "pose") for k in range(count)]
    board, prices = Board(asked, first), rng.integers(3, 7, (several, count)).astype(float)
    there = rng.random((several, count)) < 0.7
    for case in rng.permutation(several * count).tolist():
        if there.flat[case]:
            columns = {"price": np.array([prices.flat[case]]), "function": np.array([f"f{case}"])}
            block = CaseBlock(np.array([case]), columns, seconds=2.0)
            board.hear(Progress(1, 1, 0, 0.0, 0.0, 1, block))
    for k, told in enumerate(board.figures()):
        found = prices[there[:, k], k]
        assert told["seeds"] == len(found)
        if len(found):
            assert (told["best"], told["median"], told["worst"]) == (found.min(), median(found), found.max())
            places = np.flatnonzero(there[:, k] & (prices[:, k] == found.min()))
            assert told["seed"] == first + places[0] and told["seconds"] == 2.0
            assert board.best[f"line {k}"].function == f"f{places[0] * count + k}"
        else:
            assert told["best"] is None and f"line {k}" not in board.best


def test_the_best_is_remembered_and_proved_first() -> None:
    assert api.best_known("rp", "gravity") is None
    found = mp.studies.operations("rp", "gravity", seeds=1, moves=20_000)
    best, known = found.answer["lines"][0]["best"], api.best_known("rp", "gravity")
    fast = api.generate("rp", "gravity").cost.total
    assert (known is None) == (best >= fast) and (known is None or known.cost.total == best)
    wrong = unpack_function(found.rows[0]["function"])
    with pytest.raises(mp.ProofError):
        api.remember("rp", "gravity", wrong.replace('"mul"', '"add"', 1))
    with pytest.raises(mp.ProofError, match="has other inputs than the model"):
        api.remember("planar2r", "gravity", wrong)
    for text in ("", "{}", "[1", wrong[:200]):
        with pytest.raises(mp.InputError, match="is no function's"):
            api.remember("rp", "gravity", text)


@pytest.mark.turn
def test_what_is_too_long_for_a_word_is_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(map(chr, np.random.default_rng(0).integers(33, 1000, 30_000)))
    assert pack_function(text) == "" and unpack_function(pack_function(text[:5000])) == text[:5000]
    monkeypatch.setattr(operation_search, "pack_function", lambda text: "")
    found = searches(lines("planar2r"), seeds=1, **FEW)
    board = operation_search.board_of(found)
    assert {title: model.cost.total for title, model in board.keep_best(FEW).items()} == {
        title: x.price for title, x in board.best.items()
    }


def test_robots_of_one_name_are_told_apart() -> None:
    one = mp.load("planar2r")
    titles = [line.title for line in lines_of([one, one.with_parameters(l1=1), one], ["pose", "gravity"])]
    assert titles[:3] == ["planar2r pose", "planar2r gravity", "planar2r pose #2"] and len(set(titles)) == 6


# the command


@pytest.mark.turn
def test_the_command_tells_and_goes_on(folder: Path) -> None:
    line = ["optimise", "planar2r", "rp", "-m", "gravity", "--seeds", "1", "--moves", "300", "--resume", "a folder"]
    told = as_json(*line)
    assert told["computed"] == told["cases"] == 2
    assert [(x["line"], x["seeds"]) for x in told["answer"]["lines"]] == [("planar2r gravity", 1), ("rp gravity", 1)]
    said = done(*line, "--report", "found.html")
    assert "rp gravity" in said and "Fewest operations" in (folder / "found.html").read_text()
    assert as_json(*line)["computed"] == 0


def test_ctrl_c_keeps_what_was_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hear = Board.hear

    def press(board: Board, progress: Progress) -> None:
        hear(board, progress)
        if progress.done < 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(Board, "hear", press)
    result = run("optimise", "planar2r", "-m", "gravity", "--seeds", "5", "--moves", "300", "--resume", "kept")
    assert result.exit_code == 130 and "so far, remembered" in result.stderr
    assert "go on with --resume kept" in result.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-m", "gravty", "--seeds", "2"), "no model is called 'gravty'"),
        (("--seeds", "0"), "seeds: expected a whole number of 1 or more, found 0"),
        (("--seeds", "2", "--seed", "-1"), "seed: expected a whole number of zero or more"),
        (("--seeds", "2", "--engine", "fast"), "no engine is called 'fast'"),
        (("--seeds", "2", "--workers", "0"), "workers: expected"),
        (("--seeds", "2", "--price", "cheap"), "no price"),
        (("--seeds", "2", "--moves", "-1"), "needs more than nothing"),
        (("--engine", "local"), "--engine is for searches from many seeds: add --seeds"),
        (("--resume", "kept"), "--resume is for searches from many seeds"),
        (("rp",), "found 2 robots; several are searched together with --seeds"),
    ],
)
def test_searches_that_cannot_be(words: tuple[str, ...], told: str, folder: Path, whole: Sentences) -> None:
    assert told in whole.compare(refused("optimise", "planar2r", *words))
    assert not list(folder.iterdir())
