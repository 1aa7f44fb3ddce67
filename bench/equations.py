"""Every model of every robot that ships, in every form: how long it takes to be written or refused.

    python bench/equations.py                              all of them, an hour or two
    python bench/equations.py --robots gen3,scara --models inertia_matrix,pose
    python bench/equations.py --sample 100                 so many drawn at random

Seconds are the processor's, of `equations` and its text, without the generation of the model before it. What takes
longer than the limit is stopped and counted.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import manipula as mp
from manipula.ik.arm.inverse_model import SolverModel
from manipula.mechanics.robot import library

FORMS = ("auxiliary", "factored", "expanded")
PROMISED = 10.0  # seconds


class OutOfTimeError(Exception):
    """The limit has passed."""


class Timed(NamedTuple):
    """One form."""

    seconds: float
    robot: str
    model: str
    form: str
    answer: str  # "answered", "refused", "out of time"
    size: int  # operations as written


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: Any) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def timed(robot: str, name: str, model: mp.Model, form: str, limit: float) -> Timed:
    begun, answer, size = time.process_time(), "answered", 0
    try:
        with limited(limit):
            found = model.equations(form)
            str(found)
            size = found.operations
    except mp.SizeError:
        answer = "refused"
    except OutOfTimeError:
        answer = "out of time"
    return Timed(time.process_time() - begun, robot, name, form, answer, size)


def cases(robots: list[str], models: list[str], sample: int, seed: int) -> list[tuple[str, str]]:
    every = [(robot, model) for robot in robots for model in models]
    return random.Random(seed).sample(every, min(sample, len(every))) if sample else every


def run(pairs: list[tuple[str, str]], limit: float) -> Iterator[Timed]:
    for robot, name in pairs:
        try:
            model = mp.generate(robot, name, optimise="none")
        except mp.ManipulaError:
            continue  # an arm that has no such model, or none in closed form
        for form in FORMS if not isinstance(model, SolverModel) else ():
            yield timed(robot, name, model, form, limit)


def table(rows: list[Timed]) -> str:
    lines = ["form        answered  refused  out of time  above 10 s   median     95 %    worst  (which)"]
    for form in FORMS:
        own = sorted(row for row in rows if row.form == form)
        if not own:
            continue
        count = {answer: sum(row.answer == answer for row in own) for answer in ("answered", "refused", "out of time")}
        seconds = [row.seconds for row in own]
        late, high = sum(x > PROMISED for x in seconds), seconds[min(int(0.95 * len(own)), len(own) - 1)]
        lines.append(
            f"{form:10} {count['answered']:9} {count['refused']:8} {count['out of time']:12} {late:11} "
            f"{statistics.median(seconds):8.3f} {high:8.2f} {own[-1].seconds:8.2f}  {own[-1].robot} {own[-1].model}"
        )
        slow = [row for row in own if row.answer == "refused"]
        lines += (
            [f"{'':10} slowest refusal {slow[-1].seconds:.2f} s: {slow[-1].robot} {slow[-1].model}"] if slow else []
        )
    return "\n".join(lines)


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--robots", default=",".join(library.names()))
    read.add_argument("--models", default=",".join(mp.models()))
    read.add_argument("--sample", type=int, default=0)
    read.add_argument("--seed", type=int, default=0)
    read.add_argument("--limit", type=float, default=60.0, help="seconds after which a form is stopped")
    read.add_argument("--slow", type=float, default=2.0, help="forms that took longer are listed")
    given = read.parse_args()
    warnings.simplefilter("ignore")
    rows: list[Timed] = []
    for row in run(cases(given.robots.split(","), given.models.split(","), given.sample, given.seed), given.limit):
        rows.append(row)
        if row.seconds > given.slow:
            print(
                f"{row.seconds:6.2f} s  {row.robot} {row.model} {row.form}: {row.answer} ({row.size} operations)",
                flush=True,
            )
    print(table(rows))


if __name__ == "__main__":
    main()
