"""The loop that hands out chunks, over executors that die: every case comes back once, only the deadly ones fail."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import numpy as np
import pytest

from manipula.studies.work.engine import CHANCES, FATAL, Engine
from manipula.studies.work.worker import CaseBlock, Chunk


class Mortal(Executor):
    """A process in a thought: it does its chunks in order when it gets a turn, and dies of some cases. Where one that
    died is met is drawn: at the result of the chunk, or as the next is handed in."""

    def __init__(self, world: World) -> None:
        self.world, self.dead, self.queue = world, False, deque[tuple[Chunk, Future[Any]]]()
        world.processes.append(self)

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        if self.dead:
            raise BrokenProcessPool
        future = Future[Any]()
        self.queue.append((given[1], future))
        self.world.turns()
        return future

    def turn(self) -> None:
        chunk, future = self.queue.popleft()
        self.world.tries += 1
        deadly = self.world.deadly & set(range(chunk.start, chunk.start + chunk.count))
        deadly |= {x for x in self.world.once if chunk.start <= x < chunk.start + chunk.count}
        self.world.once -= deadly
        if not deadly:
            return future.set_result(CaseBlock(np.arange(chunk.start, chunk.start + chunk.count), {}))
        self.dead = True
        for waiting in (future, *(x for _, x in self.queue)):
            waiting.set_exception(BrokenProcessPool())
        return self.queue.clear()


class World:
    """All processes, and which cases kill them: always, or the first that comes to them."""

    def __init__(self, rng: np.random.Generator, deadly: set[int], once: set[int]) -> None:
        self.rng, self.deadly, self.once, self.tries = rng, deadly, once, 0
        self.processes: list[Mortal] = []

    def turns(self) -> None:
        """Some processes work on, the others later."""
        for process in self.processes:
            while process.queue and self.rng.random() < 0.5:
                process.turn()

    def wait(self, futures: dict[Future[Any], Any], **how: Any) -> Any:
        while not any(future.done() for future in futures):
            self.turns()
        return WaitOf({future for future in futures if future.done()})


class WaitOf:
    def __init__(self, done: set[Future[Any]]) -> None:
        self.done = done


@pytest.mark.parametrize("seed", range(28))
def test_every_case_comes_back_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    count, lanes = int(rng.integers(1, 60)), int(rng.integers(1, 4))
    picked = [int(x) for x in rng.permutation(count)]
    deadly, once = set(picked[: int(rng.integers(0, 4))]), set(picked[-1:])
    world = World(rng, set(deadly), once - deadly)
    monkeypatch.setattr("manipula.studies.work.engine.wait", world.wait)
    engine = Engine(b"", lambda: Mortal(world), lanes)
    cases, failed, start = list[int](), dict[int, str](), 0
    while start < count or engine.in_flight:
        while start < count and engine.in_flight < engine.width:
            size = min(int(rng.integers(1, 9)), count - start)
            engine.submit(Chunk(start, size, {}))
            start += size
        block = engine.next()
        cases += block.cases.tolist()
        failed |= dict(block.failed)
    assert sorted(cases) == sorted(set(range(count)) - deadly)
    assert failed == dict.fromkeys(deadly, FATAL)


def test_a_case_has_as_many_chances_as_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(np.random.default_rng(0), {0}, set())
    monkeypatch.setattr("manipula.studies.work.engine.wait", world.wait)
    engine = Engine(b"", lambda: Mortal(world))
    engine.submit(Chunk(0, 1, {}))
    assert engine.next().failed == [(0, FATAL)] and world.tries == CHANCES
