"""A worker's answers, message by message, without processes."""

from __future__ import annotations

import io
import os
import queue
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from manipula.errors import InputError
from manipula.studio import worker
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


def test_a_worker_for_jobs_loads_while_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[Any]()
    done = list[Any]()

    def named(name: str) -> Any:
        said.append(name)
        return lambda given, tell: done.append((name, given["model"], given["document"]["name"]))

    monkeypatch.setattr(worker, "task_named", named)
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    worker._load(requests)
    assert said == ["module", "motion", "equations"] and done == [("equations", "pose", "planar2r")]
    requests.put({})
    worker._load(requests)
    assert said[3:] == [] and len(done) == 1


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
    for name, thing in (("_work", work), ("_warm", lambda: done.append("warm")), ("_load", done.append)):
        monkeypatch.setattr(worker, name, thing)
    monkeypatch.setattr(worker.threading, "Thread", Thread)
    monkeypatch.setattr(os, "nice", done.append)
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
    assert done[:3] == ["listening", "warm", ("request", "wb")] and len(done) == 8
    assert done[4] == 5 and isinstance(done[6], queue.SimpleQueue)  # a job leaves the processor to the page
