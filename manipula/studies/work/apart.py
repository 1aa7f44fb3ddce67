"""Cases that leave each other alone: what one does to shared values, to the folder it works in or to numpy's settings
does not reach the next. What cannot be kept apart is told, where a process does nothing else meanwhile: Dask's
workers have other threads.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import Any

import numpy as np

DRAWS = "the function draws from {}, which all cases share: its results depend on their order; rng is the case's own"
PLAIN = (type(None), bool, int, float, complex, str, bytes)


def fresh(value: Any) -> Callable[[], Any]:
    """What gives the value as it is now, however often: lists, dicts and sets anew; arrays, which may be large, as
    they are, and closed to writing."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    if type(value) in (list, dict, set) and all(isinstance(x, PLAIN) for x in _inside(value)):
        return value.copy  # type: ignore[no-any-return]
    if type(value) in (list, tuple):
        kind, parts = type(value), [fresh(x) for x in value]
        return lambda: kind(part() for part in parts)
    if type(value) is dict:
        named = {name: fresh(x) for name, x in value.items()}
        return lambda: {name: part() for name, part in named.items()}
    return lambda: value


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, Mapping) else value


@contextmanager
def undisturbed() -> Iterator[None]:
    """The folder and how numpy takes errors are afterwards what they were."""
    here = os.getcwd() if _alone() else None
    try:
        with np.errstate():
            yield
    finally:
        with suppress(OSError):
            if here is not None:
                os.chdir(here)


def _alone() -> bool:
    return current_thread() is main_thread()


def shared_draws() -> tuple[Any, Any]:
    """Where the generators are that no case has for itself."""
    if not _alone():
        return None, None
    _, keys, place, *_ = np.random.get_state(legacy=True)
    return random.getstate(), (keys.tobytes(), place)  # type: ignore[union-attr]


def draws_told(before: tuple[Any, Any], after: tuple[Any, Any]) -> tuple[str, ...]:
    names = ("the module random", "numpy.random's own generator")
    return tuple(DRAWS.format(name) for name, one, other in zip(names, before, after) if one != other)
