"""What an engine is to a study: chunks go in, blocks come out, in any order."""

from __future__ import annotations

from multiprocessing import current_process
from typing import Protocol

import numpy as np

from manipula.errors import InputError
from manipula.messages import Message
from manipula.studies.work.blocks import CaseBlock
from manipula.studies.work.worker import Chunk

FATAL = "its worker ended without a word, three times"  # of a case that takes its process with it
CHANCES = 3


class Engine(Protocol):
    """`workers` compute at a time; `width` chunks keep them busy."""

    title: str

    @property
    def workers(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def pending(self) -> int:
        """Chunks that were submitted and have not come back."""
        ...

    def submit(self, chunk: Chunk) -> None: ...

    def next(self) -> CaseBlock:
        """Waits for the next result of those submitted."""
        ...

    def rest(self) -> list[CaseBlock]:
        """What has been computed and nobody has asked for, when a study ends early."""
        ...

    def close(self) -> None:
        """Ends what was started, at once."""
        ...


def given_up(chunk: Chunk) -> CaseBlock:
    """A case that cannot be computed because whoever tries dies of it."""
    return CaseBlock(np.empty(0, np.int64), {}, [(chunk.start, FATAL)])


def guard_of(engine: str) -> str:
    return Message(
        "a program that uses engine={engine!r} is imported by its processes: call mp.study under if "
        "__name__ == '__main__'",
        engine,
    )


def refuse_unguarded(engine: str) -> None:
    """A process that is being started imports the program, which would start others."""
    if getattr(current_process(), "_inheriting", False):
        raise InputError(guard_of(engine))
