"""Mutated files, each read in a child process that may die."""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.mutated.changes import mutate
from tests.mutated.samples import KINDS, TRAPS

PATIENCE = 120.0  # seconds for one file, on a machine with other work
MEMORY = 4 * 2**30
ROOT = Path(__file__).parents[2]
_ALL = {**KINDS, **TRAPS}


class Read(NamedTuple):
    """What became of a file: `good`, `refused`, or what is wrong: `raw`, `unnamed`, `loud`, `crash`, `hang`."""

    number: int
    kind: str
    state: str
    text: str = ""


def samples(folder: Path, kinds: list[str]) -> dict[str, bytes]:
    """A good file of each kind, as bytes."""
    found = {}
    for name in kinds:
        place = folder / "good" / name
        place.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _ALL[name].write(place / name)
            found[name] = (place / name).read_bytes()
            _ALL[name].read(place / name)  # a mutant of what is refused anyway would show nothing
    return found


Good = dict[str, bytes]


def read_one(number: int, seed: int, kinds: list[str], good: Good, folder: Path, trace: bool = False) -> Read:
    """The file of this number, drawn, written, read."""
    from manipula.errors import ManipulaError, ManipulaWarning

    rng = random.Random(f"{seed}:{number}")
    kind = _ALL[kinds[number % len(kinds)]]
    place = folder / "good" / kind.name  # beside what belongs to it
    path = place / kind.name
    path.write_bytes(mutate(good[kind.name], rng, kind.is_text))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            kind.read(path)
        except ManipulaError as error:
            named = path.name in str(error) or str(place) in str(error)
            return Read(number, kind.name, "refused" if named else "unnamed", str(error))
        except Exception as error:
            if trace:
                traceback.print_exc()
            at = traceback.extract_tb(error.__traceback__)
            ours = next((f"{x.filename.rpartition('manipula/')[2]}:{x.lineno}" for x in reversed(at)
                         if "manipula/" in x.filename and "site-packages" not in x.filename), "")  # fmt: skip
            return Read(number, kind.name, "raw", f"{type(error).__name__} {ours} {error}"[:300])
        finally:
            path.write_bytes(good[kind.name])
    loud = [x for x in heard if not issubclass(x.category, ManipulaWarning | DeprecationWarning)]
    if loud:
        where = f"{loud[0].filename.rpartition('site-packages/')[2]}:{loud[0].lineno}"
        return Read(number, kind.name, "loud", f"{loud[0].category.__name__} {where} {loud[0].message}"[:300])
    return Read(number, kind.name, "good")


def child(seed: int, kinds: list[str], first: int, count: int) -> None:
    """Tells the number of every file before it is read, and what became of it."""
    _bound_memory()
    with tempfile.TemporaryDirectory() as folder:
        good = samples(Path(folder), kinds)
        for number in range(first, count):
            print(number, flush=True)
            print(json.dumps(read_one(number, seed, kinds, good, Path(folder))), flush=True)


def _bound_memory() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


# all files, in the parent


def read_all(seed: int, count: int, kinds: list[str] | None = None) -> Iterator[Read]:
    """Every file, by children that may die."""
    names = list(kinds or KINDS)
    number = 0
    with tempfile.TemporaryDirectory() as cache:
        while number < count:
            for found in _batch(seed, names, number, count, cache):
                number = found.number + 1
                yield found


def _batch(seed: int, kinds: list[str], first: int, count: int, cache: str) -> Iterator[Read]:
    """Until the child ends, which it may do in the middle of a file; that is then the last one here."""
    command = [sys.executable, "-m", "tests.mutated", "--child", str(seed), ",".join(kinds), str(first), str(count)]
    environment = {**os.environ, "MANIPULA_CACHE": cache, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        number, state = -1, "crash"
        while line := _line_of(process.stdout):
            if line.startswith(b"["):
                yield Read(*json.loads(line))
                number = -1
            else:
                number = int(line)
        if process.poll() is None and line is None:
            process.kill()
            state = "hang"
        code = process.wait()
    if number >= 0:
        yield Read(number, kinds[number % len(kinds)], state, f"exit code {code}")
    elif code:
        raise RuntimeError(f"the child did not start: exit code {code}")


def _line_of(stream: Any) -> bytes | None:
    """The next line, empty at the end; None where none comes in time. No buffer hides one from `select`."""
    ready, _, _ = select.select([stream], [], [], PATIENCE)
    return bytes(stream.readline()) if ready else None
