"""By what a folder knows a function again: its code, and whatever else decides what it gives.

That is what it closed over, its defaults, the arguments of a `partial`, the object of a method, and the functions,
constants and robots of its own module that it names. Part by part, so that a difference can be named. What other
modules hold is not looked into; versions are compared for that.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from hashlib import blake2b
from threading import current_thread, main_thread
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from manipula.robot import Robot

# Cases that leave each other alone: what one does to shared values, to the folder it works in or to numpy's settings
# does not reach the next. What cannot be kept apart gets a warning, where a process does nothing else: Dask's workers
# have other threads.

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


def _inside(value: object) -> Any:
    return value.values() if isinstance(value, Mapping) else value


@contextmanager
def preserve_process_state() -> Iterator[None]:
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


def shared_draws() -> tuple[object, object]:
    """Where the generators are that no case has for itself."""
    if not _alone():
        return None, None
    _, keys, place, *_ = np.random.get_state(legacy=True)
    return random.getstate(), (keys.tobytes(), place)  # type: ignore[union-attr]


def draw_warnings(before: tuple[object, object], after: tuple[object, object]) -> tuple[str, ...]:
    names = ("the module random", "numpy.random's own generator")
    return tuple(DRAWS.format(name) for name, one, other in zip(names, before, after) if one != other)


Parts = dict[str, object]  # what decides the results of a function, by name
CODE = "text"  # the part that is the function itself
HOLDERS = (list, tuple, dict, set, frozenset)
DATA = (np.ndarray, np.generic, Robot)


def function_parts(function: object, text_from: Callable[[Robot], str]) -> dict[str, str]:
    """Name → digest."""
    bare, held = _unwrap_partial(function)
    if not isinstance(bare, FunctionType):  # an object that can be called, or nothing of Python's
        named: Parts = {CODE: bare}
    else:
        named = {CODE: bare.__code__, **_used(bare)}
    own = getattr(bare, "__module__", type(bare).__module__)
    return {name: _Digest(own, text_from).of(value) for name, value in (named | held).items()}


def _unwrap_partial(function: object) -> tuple[object, Parts]:
    """The function inside, and what was bound to it."""
    held = Parts()
    while True:
        if isinstance(function, MethodType):
            held[f"self {len(held)}" if held else "self"] = function.__self__
            function = function.__func__
        elif isinstance(function, partial):
            held[f"arguments {len(held)}" if held else "arguments"] = (function.args, function.keywords)
            function = function.func
        else:
            return function, held


def _used(function: FunctionType) -> Parts:
    """What a function closed over, its defaults, and what it names of its module."""
    found: Parts = {
        name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__
    }
    found = {name: value for name, value in found.items() if _lasts(value, function.__module__)}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not filled yet
            continue
    if function.__defaults__ or function.__kwdefaults__:
        found["defaults"] = (function.__defaults__, function.__kwdefaults__)
    return found


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _lasts(value: object, module: str) -> bool:
    """Is a module's entry a constant, or a text of its own? What cases may fill, such as a store of arms, is not."""
    if isinstance(value, HOLDERS):
        inside = [*value, *value.values()] if isinstance(value, dict) else list(value)
        return bool(inside) and all(
            isinstance(x, (*PLAIN, *DATA)) or (isinstance(x, HOLDERS) and _lasts(x, module)) for x in inside
        )
    return isinstance(value, (*PLAIN, *DATA)) or (callable(value) and getattr(value, "__module__", None) == module)


class _Digest:
    """Of values, the same in any process; `own` is the module whose functions and classes are looked into."""

    def __init__(self, own: str, text_from: Callable[[Robot], str]) -> None:
        self._own, self._text_from = own, text_from
        self._known = dict[int, tuple[object, bytes]]()  # with the value, so that its number stays its own

    def of(self, value: object) -> str:
        return blake2b(self._bytes(value), digest_size=8).hexdigest()

    def _bytes(self, value: object) -> bytes:
        kind = type(value).__qualname__.encode()
        if isinstance(value, PLAIN):
            return kind + repr(value).encode()
        if id(value) not in self._known:
            self._known[id(value)] = value, kind  # what leads back here meets its kind
            inside = b",".join(self.of(part).encode() for part in self._parts(value))
            self._known[id(value)] = value, kind + b"(" + inside + b")"
        return self._known[id(value)][1]

    def _parts(self, value: object) -> Sequence[object]:
        match value:
            case np.ndarray() if value.dtype.kind != "O":
                return [value.dtype.str, str(value.shape), value.tobytes()]
            case Robot():
                return [self._text_from(value)]
            case Mapping():
                return [x for pair in value.items() for x in pair]
            case set() | frozenset():
                return sorted(self.of(x) for x in value)
            case list() | tuple():
                return list(value)
            case CodeType():
                return [value.co_code, value.co_names, value.co_varnames, value.co_consts]
            case ModuleType():
                return [value.__name__]
            case partial():
                return [value.func, value.args, value.keywords]
            case MethodType():
                return [value.__func__, value.__self__]
        inner = getattr(value, "__wrapped__", None)
        if callable(inner):
            return [inner]
        name = getattr(value, "__qualname__", None)
        return self._state(value) if name is None else [f"{value.__module__}:{name}", *self._inside(value)]

    def _inside(self, value: object) -> list[object]:
        """Of a function or a class of the own module."""
        if value.__module__ != self._own or not isinstance(value, FunctionType | type):
            return []
        if isinstance(value, FunctionType):
            return [value.__code__, _used(value)]
        plain = {name: x for name, x in vars(value).items() if not name.startswith("__") or callable(x)}
        bare = {name: getattr(x, "fget", None) or getattr(x, "__func__", x) for name, x in plain.items()}
        return [{name: x for name, x in bare.items() if isinstance(x, (*PLAIN, FunctionType))}, *value.__bases__]

    def _state(self, value: object) -> list[object]:
        """An object: its class, and what a pickle of it would hold; what it keeps for later is not part of it."""
        try:
            _, *rest = list(value.__reduce_ex__(4))
        except Exception:  # no pickle: known by its class alone
            rest = []
        return [type(value), *(_without_caches(type(value), x) for x in rest if x is not None)]


def _without_caches(kind: type, state: object) -> object:
    if not isinstance(state, dict):
        return state
    return {name: x for name, x in state.items() if not isinstance(getattr(kind, str(name), None), cached_property)}
