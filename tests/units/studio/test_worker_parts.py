"""A worker's answers, message by message, and who of several workers is taken, kept and ended: without processes."""

from __future__ import annotations

import asyncio
import io
import os
import queue
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from manipula.errors import InputError
from manipula.studio import jobs, worker
from manipula.studio.jobs import TaskError, Workers
from manipula.studio.worker import pack_message, read


def answered(task: Any, monkeypatch: pytest.MonkeyPatch, given: Any = None) -> list[Any]:
    monkeypatch.setattr(worker, "task_named", lambda name: task if name == "asked" else None)
    stream = io.BytesIO()
    worker._work({"task": "asked", "given": given or {}}, stream)
    stream.seek(0)
    found = []
    while (message := read(stream)) is not None:
        found.append(message)
    return found


def test_a_task_tells_and_then_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def task(given: Any, tell: Any) -> Any:
        tell("half", {"done": 1})
        tell("whole")
        return {"twice": 2 * given["n"]}

    assert answered(task, monkeypatch, {"n": 4}) == [
        {"tell": "half", "figures": {"done": 1}}, {"tell": "whole", "figures": None}, {"result": {"twice": 8}},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "traced"),
    [(InputError("{a}: wrong", "x"), False), (RecursionError("deep"), False), (ZeroDivisionError("by zero"), True)],
)
def test_an_error_is_an_answer(
    error: Exception, traced: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def task(given: Any, tell: Any) -> Any:
        raise error

    (message,) = answered(task, monkeypatch)
    assert list(message) == ["error"] and message["error"]["message"]
    assert ("Traceback" in capsys.readouterr().err) == traced


def test_what_cannot_be_said_is_an_error_and_no_half_message(monkeypatch: pytest.MonkeyPatch) -> None:
    (message,) = answered(lambda given, tell: {"odd": object()}, monkeypatch)
    assert list(message) == ["error"]


def test_a_worker_for_jobs_is_nice_and_loads_while_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[Any]()
    monkeypatch.setattr(os, "nice", said.append)
    monkeypatch.setattr(worker, "task_named", said.append)
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    worker._step_back(requests)
    assert said == [5, "module", "equations", "motion"]
    requests.put({})
    worker._step_back(requests)
    assert said[4:] == [5]


def test_requests_are_heard_until_the_server_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = b"".join(pack_message({"task": name, "given": {}}) for name in ("a", "b"))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(sent)))
    ended = list[int]()
    monkeypatch.setattr(os, "_exit", ended.append)
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    worker._listen(requests)
    assert [requests.get()["task"], requests.get()["task"], ended] == ["a", "b", [0]] and requests.empty()


def test_a_worker_leaves_interrupts_to_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignored; what tasks print goes to stderr, and answers alone to the pipe."""
    done = list[Any]()

    class Enough(Exception):
        pass

    def work(request: Any, answers: Any) -> None:
        done.append((request, answers.mode))
        answers.close()
        raise Enough

    class Thread:
        def __init__(self, target: Any, args: tuple[Any, ...], daemon: bool) -> None:
            assert target is worker._listen and daemon
            args[0].put("request")

        def start(self) -> None:
            done.append("listening")

    before, out = signal.getsignal(signal.SIGINT), os.dup(1)
    for name, thing in (("_work", work), ("_warm", lambda: done.append("warm")), ("_step_back", done.append)):
        monkeypatch.setattr(worker, name, thing)
    monkeypatch.setattr(worker.threading, "Thread", Thread)
    monkeypatch.setattr("sys.argv", ["worker"])
    try:
        with pytest.raises(Enough):
            worker.main()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN and os.fstat(1).st_ino == os.fstat(2).st_ino
        monkeypatch.setattr("sys.argv", ["worker", worker.JOBS])
        with pytest.raises(Enough):
            worker.main()
    finally:
        signal.signal(signal.SIGINT, before)
        os.dup2(out, 1)
        os.close(out)
    assert done[:3] == ["listening", "warm", ("request", "wb")] and len(done) == 7
    assert isinstance(done[5], queue.SimpleQueue)


class Fake:
    """A worker that is a note."""

    made: list[Fake] = []

    def __init__(self, kind: str) -> None:
        self.kind, self.alive, self.stopped = kind, True, False

    @classmethod
    async def start(cls, kind: str = "") -> Fake:
        cls.made.append(cls(kind))
        return cls.made[-1]

    async def run(self, task: str, given: Any) -> Any:
        if task == "slow":
            await asyncio.sleep(60)
        return task, given

    def kill(self) -> None:
        self.alive = False

    async def stop(self) -> None:
        self.alive, self.stopped = False, True


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Workers:
    monkeypatch.setattr(jobs, "Worker", Fake)
    monkeypatch.setattr(Fake, "made", [])
    return Workers()


def test_one_worker_for_jobs_is_kept_waiting(pool: Workers) -> None:
    async def story() -> None:
        await pool.start()
        quick, first = Fake.made
        assert (quick.kind, first.kind) == ("", "jobs")
        assert await pool.take() is first
        second: Any = await pool.take()
        assert second.kind == "jobs" and second is Fake.made[2]
        await pool.give_back(second)  # it is kept, as nobody waits
        assert not second.stopped
        await pool.give_back(first)  # type: ignore[arg-type]
        assert first.stopped and await pool.take() is second
        second.kill()
        await pool.give_back(second)  # dead: another one takes its place
        assert second.stopped and len(Fake.made) == 4
        Fake.made[3].kill()  # while it waits
        fresh: Any = await pool.take()
        assert Fake.made[3].stopped and fresh is Fake.made[4]
        await pool.close()
        assert quick.stopped and fresh.stopped

    asyncio.run(story())


def test_a_quick_question_that_is_not_ends_its_worker(pool: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "QUICK", 0.05)

    async def story() -> None:
        await pool.start()
        assert await pool.quick("ask", {"n": 1}) == ("ask", {"n": 1})
        with pytest.raises(TaskError, match=r"this took longer than 0\.05 s and was given up"):
            await pool.quick("slow", {})
        assert not Fake.made[0].alive
        assert await pool.quick("again", {}) == ("again", {}) and len(Fake.made) == 3 and Fake.made[2].kind == ""
        await pool.close()
        assert all(made.stopped for made in Fake.made)

    asyncio.run(story())
