"""Jobs: the newest question goes first, what nobody follows makes room, nothing is asked twice; without processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from manipula.errors import InputError, UnknownNameError
from manipula.studio import jobs
from manipula.studio.jobs import AT_ONCE, WAITING, Job, Jobs, TaskError


class Pretended:
    """A worker that ends when it is told to."""

    def __init__(self, made: Made) -> None:
        self.made = made

    async def run(self, task: str, given: Any, tell: Callable[[str], None]) -> Any:
        tell(f"{task} {given}")
        self.made.order.append(given)
        await self.made.open.wait()
        if given == "wrong":
            raise TaskError({"message": "it is wrong"})
        return {"answer": given}


class Made:
    """In place of `Workers`."""

    def __init__(self) -> None:
        self.order: list[Any] = []
        self.back = 0
        self.open = asyncio.Event()

    async def take(self) -> Pretended:
        return Pretended(self)

    async def give_back(self, worker: Pretended) -> None:
        self.back += 1


def played(play: Callable[[Jobs, Made], Awaitable[None]]) -> None:
    async def all_of_it() -> None:
        made = Made()
        await play(Jobs(made), made)  # type: ignore[arg-type]

    asyncio.run(asyncio.wait_for(all_of_it(), 30))


async def heard(job: Job) -> list[tuple[str, Any]]:
    return [event async for event in job.events()]


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_the_newest_goes_first_and_all_are_answered() -> None:
    async def play(every: Jobs, made: Made) -> None:
        started = [every.start("x", number) for number in range(AT_ONCE + 3)]
        await settled()
        assert made.order == list(range(AT_ONCE))
        made.open.set()
        events = await asyncio.gather(*map(heard, started))
        assert made.order[AT_ONCE:] == [AT_ONCE + 2, AT_ONCE + 1, AT_ONCE]
        assert [found[-1] for found in events] == [("result", {"answer": n}) for n in range(AT_ONCE + 3)]
        await settled()
        assert made.back == AT_ONCE + 3

    played(play)


def test_a_question_that_its_page_has_left_makes_room_at_once() -> None:
    async def play(every: Jobs, made: Made) -> None:
        running = [every.start("x", number) for number in range(AT_ONCE)]
        await asyncio.sleep(0)
        for job in running:
            every.leave(job)
        assert {job.state for job in running} == {"running"}  # nothing waits: they may end
        every.start("x", 0)  # asked anew
        last = every.start("x", "last")
        assert [job.state for job in running] == ["running", *["cancelled"] * (AT_ONCE - 1)]
        made.open.set()
        assert (await heard(last))[-1][0] == "result"

    played(play)


def test_a_first_reply_comes_before_the_last_and_not_after_it() -> None:
    async def play() -> None:
        job = Job("x", "", {})
        job.tell("", None, cast("Any", {"answer": 1}))
        following = asyncio.create_task(heard(job))
        await settled()
        job.tell("", None, cast("Any", {"answer": 2}))
        await settled()
        job.end("done", cast("Any", {"answer": 3}))
        assert await following == [("first", {"answer": 1}), ("first", {"answer": 2}), ("result", {"answer": 3})]
        assert await heard(job) == [("result", {"answer": 3})] and job.lines == []

    asyncio.run(play())


def test_who_follows_hears_each_line_when_it_is_told() -> None:
    async def play() -> None:
        job, said = Job("x", "", {}), list[str]()

        async def follow() -> None:
            async for name, data in job.events():
                said.append(data["text"] if name == "progress" else name)

        following = asyncio.create_task(follow())
        await settled()
        for number in range(3):
            job.tell(f"line {number}")
            await settled()
            assert said == [f"line {k}" for k in range(number + 1)]
        job.end("done", cast("Any", {"answer": 3}))
        await following
        assert said[3:] == ["result"]

    asyncio.run(play())


def test_what_nobody_follows_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that asks anew has left its last question; one that is followed stays."""
    monkeypatch.setattr(jobs, "PATIENCE", 0.05)
    monkeypatch.setattr(jobs, "LOOK", 0.02)

    async def play(every: Jobs, made: Made) -> None:
        running = [every.start("x", number) for number in range(AT_ONCE)]
        following = asyncio.create_task(heard(running[0]))
        await asyncio.sleep(0.1)
        assert [job.state for job in running] == ["running"] * AT_ONCE  # nobody waits: all may go on
        last = every.start("x", "last")
        reading = asyncio.create_task(heard(last))
        await asyncio.sleep(0.2)
        assert [job.state for job in running] == ["running", *["cancelled"] * (AT_ONCE - 1)]
        assert last.state == "running"
        made.open.set()
        assert (await following)[-1][0] == (await reading)[-1][0] == "result"

    played(play)


def test_a_question_is_answered_once() -> None:
    async def play(every: Jobs, made: Made) -> None:
        first = every.start("x", {"a": 1, "b": 2})
        assert every.start("x", {"b": 2, "a": 1}) is first
        assert every.start("y", {"a": 1, "b": 2}) is not first
        made.open.set()
        assert await heard(first) == await heard(first)
        assert every.start("x", {"a": 1, "b": 2}) is first
        wrong = every.start("x", "wrong")
        assert (await heard(wrong))[-1] == ("failed", {"error": {"message": "it is wrong"}})
        assert every.start("x", "wrong") is not wrong

    played(play)


def test_a_page_that_is_loaded_again_hears_all_of_it() -> None:
    """In the middle of the work, and after a reader went away."""

    async def play(every: Jobs, made: Made) -> None:
        job = every.start("x", 1)
        first = asyncio.create_task(heard(job))
        await settled()
        job.tell("half")
        await settled()
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert (job.readers, job.state) == (0, "running")
        again = asyncio.create_task(heard(every.start("x", 1)))
        await settled()
        assert job.readers == 1
        made.open.set()
        assert [data.get("text", data) for _, data in await again] == ["x 1", "half", {"answer": 1}]

    played(play)


def test_a_cancelled_job_is_over_for_all_who_read() -> None:
    async def play(every: Jobs, made: Made) -> None:
        job = every.start("x", 1)
        readers = [asyncio.create_task(heard(job)) for _ in range(3)]
        await settled()
        every.cancel(job)
        assert [(await reader)[-1] for reader in readers] == [("cancelled", {})] * 3
        made.open.set()
        await settled()
        assert (job.state, made.back) == ("cancelled", 1)
        every.cancel(job)
        waiting = [every.start("x", number) for number in range(2, 10)]
        await every.close()
        assert {job.state for job in waiting} == {"cancelled"}

    played(play)


def test_there_is_an_end_to_questions_and_to_memory() -> None:
    async def play(every: Jobs, made: Made) -> None:
        for number in range(AT_ONCE + WAITING):
            every.start("x", number)
        with pytest.raises(InputError, match="waiting"):
            every.start("x", "one more")
        made.open.set()
        for job in every.under_way():
            await heard(job)
        first = every.start("x", 0).name
        for number in range(1000, 1000 + 2 * jobs.KEPT):
            await heard(every.start("x", number))
        with pytest.raises(UnknownNameError):
            every.job_named(first)
        await every.close()

    played(play)


def test_lines_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "LINES", 5)
    job = Job("x", "", None)
    for number in range(12):
        job.tell(str(number))
    job.end("done", 3)
    job.end("cancelled")
    found = asyncio.run(heard(job))
    assert [data["text"] for event, data in found if event == "progress"] == ["7", "8", "9", "10", "11"]
    assert found[-1] == ("result", 3)
