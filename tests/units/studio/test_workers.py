"""Processes that compute beside the server: which is taken, kept and ended; without processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from manipula.studio.jobs import TaskError, Worker, Workers


class Pretended(Worker):
    """Answers at once, or never."""

    def __init__(self, *kind: str) -> None:
        self.kind, self.dead, self.gone, self.asked = kind, False, False, list[Any]()

    @property
    def alive(self) -> bool:
        return not self.dead

    def kill(self) -> None:
        self.dead = True

    async def stop(self) -> None:
        self.dead = self.gone = True

    async def run(self, task: str, given: Any, tell: Callable[..., None] = lambda text, figures: None) -> Any:
        self.asked.append((task, given))
        if given == "for ever":
            await asyncio.Event().wait()
        return {"answer": given}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Pretended]:
    found: list[Pretended] = []

    async def started(*kind: str) -> Pretended:
        found.append(Pretended(*kind))
        return found[-1]

    monkeypatch.setattr(Worker, "start", started)
    return found


def played(play: Callable[[Workers], Awaitable[None]]) -> None:
    async def all_of_it() -> None:
        workers = Workers()
        await workers.start()
        await play(workers)

    asyncio.run(asyncio.wait_for(all_of_it(), 30))


def test_one_is_kept_for_jobs_and_the_rest_are_ended(made: list[Pretended]) -> None:
    async def play(workers: Workers) -> None:
        assert [worker.kind for worker in made] == [(), ("jobs",), ("jobs",)]
        taken = [await workers.take() for _ in range(4)]
        assert {*map(id, taken)} == {*map(id, made[1:])} and made[4].kind == ("jobs",)
        for worker in taken:
            await workers.give_back(worker)
        assert [worker.gone for worker in taken] == [False, False, False, True]
        assert [await workers.take() for _ in range(3)] == taken[2::-1] and len(made) == 5
        await workers.close()
        assert all(worker.gone for worker in made)

    played(play)


def test_after_one_that_died_another_waits(made: list[Pretended]) -> None:
    async def play(workers: Workers) -> None:
        worker = await workers.take()
        worker.kill()
        await workers.give_back(worker)
        assert worker.gone and made[3].kind == ("jobs",) and len(made) == 4
        made[3].kill()  # while nobody had it
        assert await workers.take() is made[1] and made[3].gone
        await workers.close()
        assert all(worker.gone for worker in made)

    played(play)


def test_quick_questions_have_one_process_that_is_made_anew_when_it_is_lost(made: list[Pretended]) -> None:
    async def play(workers: Workers) -> None:
        assert [await workers.quick("draw", k) for k in range(3)] == [{"answer": k} for k in range(3)]
        assert made[0].asked == [("draw", k) for k in range(3)] and len(made) == 3
        made[0].kill()
        assert await workers.quick("draw", 4) == {"answer": 4}
        assert made[3].kind == () and made[3].asked == [("draw", 4)]
        await workers.close()
        assert made[3].gone and await workers.quick("draw", 5) == {"answer": 5} and len(made) == 5

    played(play)


@pytest.mark.turn
def test_what_takes_too_long_is_given_up_with_its_process(
    made: list[Pretended], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited, wait_for = [], asyncio.wait_for

    async def at_once(task: Any, seconds: float) -> Any:
        waited.append(seconds)
        return await wait_for(task, 0.01)

    async def play(workers: Workers) -> None:
        monkeypatch.setattr(asyncio, "wait_for", at_once)
        with pytest.raises(TaskError) as error:
            await workers.quick("draw", "for ever")
        assert error.value.failure == {"message": "this took longer than 20 s and was given up"} and waited == [20]
        assert made[0].dead and await workers.quick("draw", 1) == {"answer": 1} and made[3].asked == [("draw", 1)]
        with pytest.raises(TaskError):
            await workers.quick("start", "for ever", 180)
        assert waited[-1] == 180  # the first answer has longer

    played(play)
