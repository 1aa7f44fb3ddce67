"""Studies: the same bytes wherever they run, nothing lost, nothing twice, and a sentence for what cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.results import store as stored
from manipula.studies.results.store import Remaining
from manipula.studies.study_run import Pace
from manipula.studies.work.worker import generator, sentence_of
from tests import study_functions as functions

CASES = {"a": range(40), "b": [0.5, 1.5]}


def bytes_of(found: Any) -> bytes:
    return Path(found.path).read_bytes()


@pytest.fixture(scope="module")
def whole() -> Any:
    return mp.study(functions.mixed, CASES, seed=3)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0, silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as found,
    ):
        yield found


def test_rows_columns_and_failures(whole: Any) -> None:
    assert list(whole.table) == ["a", "b", "sum", "draws", "word", "whole", "bit"]
    assert whole.table["draws"].shape == (80, 2, 3)
    assert whole.count == len(whole.rows) == 80
    assert [row.case for row in whole.failures] == [k for k in range(80) if k // 2 % 7 == 3]
    assert whole.failures[0].why == "ValueError: 3 is not liked by <object>"  # no address: it would differ each time
    assert whole.rows[6] == {"a": 3, "b": 0.5, "failure": whole.failures[0].why}
    assert whole.rows[-1]["whole"] == 39 and whole.rows[-1]["word"] == "wwww"
    assert np.isnan(whole.table["whole"][6]) and np.isnan(whole.table["draws"][6]).all()
    with pytest.raises(mp.UnknownNameError, match="no column of the study is called 'smu'; did you mean 'sum'"):
        whole.table["smu"]


def test_a_case_has_the_generator_that_spawning_gives() -> None:
    spawned = np.random.SeedSequence(12).spawn(30)
    for k in (0, 7, 29):
        assert generator(12, k).normal() == np.random.default_rng(spawned[k]).normal()


@pytest.mark.turn
def test_processes_give_the_same_bytes(whole: Any) -> None:
    assert bytes_of(mp.study(functions.mixed, CASES, seed=3, engine="local", workers=2)) == bytes_of(whole)


@pytest.mark.turn
def test_a_cluster_gives_the_same_bytes(whole: Any, client: Any) -> None:
    assert bytes_of(mp.study(functions.mixed, CASES, seed=3, engine=client)) == bytes_of(whole)
    at = client.scheduler.address

    def inside(case: dict[str, Any], rng: Any) -> Any:  # no worker can import it: its code travels
        return functions.mixed(case, rng)

    assert bytes_of(mp.study(inside, CASES, seed=3, engine=at)) == bytes_of(whole)


def test_another_seed_gives_others(whole: Any) -> None:
    assert bytes_of(mp.study(functions.mixed, CASES, seed=4)) != bytes_of(whole)


def test_many_at_once_are_as_one_by_one() -> None:
    found = mp.study(functions.many, {"a": range(300)}, seed=1)
    assert [row.case for row in found.failures] == [11]
    assert found.table["draw"][200] == generator(1, 200).normal()
    assert found.table["square"][12] == 144 and np.isnan(found.table["square"][11])


def test_a_robot_travels_as_its_text(client: Any) -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=10)
    for engine in ("serial", client):
        found = mp.study(functions.gravity, {"q": [0.0, 0.3]}, shared={"robot": robot}, engine=engine)
        assert found.table["torque"] == pytest.approx(mp.Arm(robot).gravity([[0.0, 0.2], [0.3, 0.2]]), abs=0)


# ends before the end


@pytest.mark.parametrize("seed", range(4))
def test_what_was_interrupted_goes_on(seed: int, tmp_path: Path) -> None:
    """No case is lost and none is computed twice, wherever it was ended, however often."""
    rng, marks = np.random.default_rng(seed), tmp_path / "marks"
    marks.mkdir()
    cases = {"a": range(int(rng.integers(20, 60)))}
    plain = mp.study(functions.marked, cases, shared={"folder": str(marks)}, seed=seed)
    for mark in marks.iterdir():
        mark.unlink()
    stops = [0, *sorted(rng.choice(range(1, len(cases["a"])), 2, replace=False))]  # before the first is done, too
    for stop in stops:
        (marks / "stop").write_text(str(stop))
        with pytest.raises(KeyboardInterrupt):
            mp.study(functions.marked, cases, shared={"folder": str(marks)}, seed=seed, resume=tmp_path / "study")
    found = mp.study(functions.marked, cases, shared={"folder": str(marks)}, seed=seed, resume=tmp_path / "study")
    assert bytes_of(found) == bytes_of(plain)
    again = mp.study(functions.marked, cases, shared={"folder": str(marks)}, seed=seed, resume=tmp_path / "study")
    assert again.computed == 0 and bytes_of(again) == bytes_of(plain)
    times = {int(mark.name): len(mark.read_text()) for mark in marks.iterdir()}
    assert times.keys() == set(cases["a"]) and sum(times.values()) == len(times) + 3  # the interrupted ones


def test_a_disk_that_is_full_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = mp.study(functions.mixed, CASES)
    monkeypatch.setattr(stored, "SOON", 0.0)  # every block a part
    room = [2]

    def write(path: Path, content: bytes) -> Path:
        room[0] -= 1
        if room[0] < 0:
            raise OSError(28, "No space left on device")
        return real(path, content)

    real = stored.write_bytes
    monkeypatch.setattr(stored, "write_bytes", write)
    with pytest.raises(mp.InputError, match=r"the disk is full; make room and go on with resume="):
        mp.study(functions.mixed, CASES, resume=tmp_path / "s")
    room[0] = 10**6
    found = mp.study(functions.mixed, CASES, resume=tmp_path / "s")
    assert bytes_of(found) == bytes_of(plain) and 0 < found.computed < 80
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["results.npz", "study.json"]


def test_a_part_that_was_damaged_is_computed_again(tmp_path: Path) -> None:
    (tmp_path / "stop").write_text("30")
    shared = {"folder": str(tmp_path)}
    with pytest.raises(KeyboardInterrupt):
        mp.study(functions.marked, {"a": range(40)}, shared=shared, resume=tmp_path / "s")
    part = next((tmp_path / "s" / "parts").iterdir())
    part.write_bytes(part.read_bytes()[:200])
    with pytest.warns(mp.ManipulaWarning, match="its cases are computed again"):
        found = mp.study(functions.marked, {"a": range(40)}, shared=shared, resume=tmp_path / "s")
    assert found.computed == 40 and found.table["a2"].tolist() == [k**2 for k in range(40)]


@pytest.mark.turn
@pytest.mark.parametrize("where", ["local", pytest.param("dask", marks=pytest.mark.slow)])
def test_a_worker_that_is_killed_is_replaced(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    engine = where if where == "local" else request.getfixturevalue("client")
    shared = {"folder": str(tmp_path)}
    found = mp.study(functions.killed_once, {"a": range(30)}, shared=shared, engine=engine, workers=1)
    assert (tmp_path / "killed").exists() and not found.why
    assert found.table["draw"].tolist() == [generator(0, k).normal() for k in range(30)]


@pytest.mark.slow
def test_a_case_that_kills_is_a_row() -> None:
    found = mp.study(functions.deadly, {"a": [4, 5]}, engine="local", workers=1)
    assert found.why == {1: "its worker ended without a word, three times"}
    assert found.table["a2"][0] == 8


@pytest.mark.slow
def test_among_many_the_case_that_kills_is_found() -> None:
    found = mp.study(functions.deadly, {"a": range(60)}, engine="local", workers=2)
    assert list(found.why) == [5] and found.table["a2"][6:].tolist() == [2 * k for k in range(6, 60)]


@pytest.mark.turn
@pytest.mark.parametrize("engine", ["local", pytest.param("dask", marks=pytest.mark.slow)])
def test_a_program_without_a_guard_is_told(engine: str, tmp_path: Path) -> None:
    call = f"mp.study(slow, {{'a': [1]}}, engine={engine!r}, workers=1)"
    (tmp_path / "program.py").write_text(
        "import manipula as mp\nfrom tests.study_functions import slow\n"
        f"try: {call}\nexcept mp.InputError as error: print(error)\n"
    )
    paths = {"PYTHONPATH": str(Path(mp.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"],
        capture_output=True,
        text=True,
        env={**os.environ, **paths},
        check=False,
    )
    assert "call mp.study under if __name__ == '__main__'" in done.stdout and done.returncode == 0


# what is divided, and how


@pytest.mark.parametrize("seed", range(5))
def test_what_remains_is_what_is_not_done(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 200))
    done = {int(k) for k in rng.integers(0, count, rng.integers(0, count + 1))}
    remaining = Remaining(count, stored.ranges_of(np.array(sorted(done), dtype=np.int64)))
    found: list[int] = []
    while remaining.left:
        start, stop = remaining.take(int(rng.integers(1, 20)))
        found += range(start, stop)
    assert found == sorted(set(range(count)) - done)


def test_tasks_cost_enough_and_end_together() -> None:
    pace = Pace()
    assert pace.size(10**6, 2) == 1
    for _ in range(12):
        pace.saw(1, 1e-3)
        size = pace.size(10**6, 2)
    assert 50 <= size <= 300  # 50 ms and more
    assert pace.size(60, 2) == 50  # the last ones are shared, not below 50 ms
    for workers in (100, 1000):  # a scheduler is asked for a hundred tasks a second, not more
        for _ in range(12):
            size = pace.size(10**9, workers)
        assert workers / (size * 1e-3) == pytest.approx(100, rel=0.01)
    pace.saw(1, 10.0)
    pace.saw(1, 10.0)
    pace.saw(1, 10.0)
    assert pace.size(10**6, 2) == 1


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError(), "ValueError"),
        (ValueError("a\n  b"), "ValueError: a b"),
        (mp.InputError("row 3: expected a number"), "row 3: expected a number"),
        (KeyError("x"), "KeyError: 'x'"),
        (RuntimeError(f"{'w' * 284} <f object at 0x7f12> tail"), f"RuntimeError: {'w' * 284} <"[:300]),
        (OSError("z" * 1000), f"OSError: {'z' * 1000}"[:300]),
        (OSError("z" * 291), f"OSError: {'z' * 291}"),
        (OSError("z" * 292), f"OSError: {'z' * 291}"),
    ],
)
def test_a_failure_is_one_line_of_at_most_300_letters(error: Exception, sentence: str) -> None:
    assert sentence_of(error) == sentence
