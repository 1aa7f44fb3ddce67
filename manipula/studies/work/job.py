"""What travels to a worker, once: the function by its name, what all cases share, the seed. A robot travels as the text
of its file, and is read where it is used; nothing that was derived from it travels at all.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any

from manipula.errors import InputError, ManipulaWarning
from manipula.robot import Robot, RobotLike, as_robot
from manipula.studies.work.digest import fresh, function_parts
from manipula.support.cache import fingerprint
from manipula.version import __version__

if TYPE_CHECKING:
    from manipula.arm import Arm

BATCHED = "__manipula_batched__"
KNOWN = 256  # robots whose texts are held


@dataclass(frozen=True)
class Job:
    """Plain data: the way to the function, the shared values (robots as texts), the columns of the cases, the seed,
    the versions that the client has."""

    function: tuple[str, Any]
    shared: tuple[tuple[str, str, Any], ...]
    names: tuple[str, ...]
    seed: int
    versions: tuple[tuple[str, str], ...]

    @cached_property
    def pickle_bytes(self) -> bytes:
        return pickle.dumps(self)


@dataclass(frozen=True)
class Opened:
    """A job where it is done."""

    function: Callable[..., Any]
    given: Callable[[], dict[str, Any]]
    job: Job

    @property
    def shared_values(self) -> dict[str, Any]:
        """As it came, whatever an earlier case did to it."""
        return self.given()

    @property
    def takes_batches(self) -> bool:
        return bool(getattr(self.function, BATCHED, False))


def batched(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a study's function that takes many cases at once: each name an array with a row a case, as its results
    have; its second argument gives the generator of each, `rngs[k]`."""
    setattr(function, BATCHED, True)
    return function


def versions() -> tuple[tuple[str, str], ...]:
    """What must be the same wherever a study runs, for the same bytes to come of it."""
    import numpy
    import scipy

    return (
        ("Python", ".".join(python_version().split(".")[:2])),
        ("numpy", numpy.__version__),
        ("scipy", scipy.__version__),
        ("manipula", __version__),
        ("manipula's files", fingerprint()[:8]),
    )


def refuse_versions(here: tuple[tuple[str, str], ...], there: tuple[tuple[str, str], ...], where: str) -> None:
    for (name, own), (_, other) in zip(here, there, strict=True):
        if own != other:
            raise InputError(
                "{where} has {name} {other}, this program {own}; a study needs the same on both",
                where,
                name,
                other,
                own,
            )


def pack_job(function: Any, shared: Mapping[str, Any], names: tuple[str, ...], seed: int, travels: bool) -> Job:
    """The job; what cannot travel is told, unless it need not."""
    way = _way_to(function, travels)
    return Job(way, tuple(_pack_shared(name, value) for name, value in shared.items()), names, seed, versions())


@lru_cache(maxsize=16)
def open_job(data: bytes) -> Opened:
    """A job as it is in this process, made once."""
    job: Job = pickle.loads(data)
    return Opened(_function(job.function), fresh({name: _value(kind, held) for name, kind, held in job.shared}), job)


# the function


def _way_to(function: Any, travels: bool) -> tuple[str, Any]:
    """By its name where it can be imported; else pickled with its code, which cloudpickle can."""
    if isinstance(function, str):
        _function(("name", function))
        return ("name", function)
    if not callable(function):
        raise InputError(
            "function: expected a function, or its place as 'module:name', found {function!r:.60}", function
        )
    place = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"
    if _importable(place, function):
        return ("name", place)
    return ("code", _code(function)) if travels else ("here", _remember_function(function))


def _importable(place: str, function: Any) -> bool:
    module, _, name = place.partition(":")
    if module == "__main__" or not name or "<" in name:
        return False
    try:
        return _function(("name", place)) is function
    except InputError:
        return False


def _code(function: Any) -> bytes:
    try:
        import cloudpickle

        return bytes(cloudpickle.dumps(function))
    except ImportError:
        pass
    except (TypeError, pickle.PicklingError, AttributeError, ValueError) as error:
        raise InputError("function: cannot travel to other processes: {error}", error) from None
    if getattr(sys.modules["__main__"], "__file__", None) and "<" not in getattr(function, "__qualname__", "<"):
        return pickle.dumps(function)
    raise InputError(
        "function: {function!r:.60} cannot be imported by other processes; put it in a file of its own, "
        'or install cloudpickle (pip install "manipula[study]")',
        function,
    )


_here: dict[int, Any] = {}  # functions that stay in this process


def _remember_function(function: Any) -> int:
    _here[id(function)] = function
    return id(function)


def _function(way: tuple[str, Any]) -> Callable[..., Any]:
    kind, held = way
    if kind == "here":
        return _here[held]  # type: ignore[no-any-return]
    if kind == "code":
        return pickle.loads(held)  # type: ignore[no-any-return]
    module, colon, name = held.partition(":")
    if not colon or not module or not name:
        raise InputError("function: expected its place as 'module:name', found {held!r:.60}", held)
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except ModuleNotFoundError as error:
        raise InputError("function: no module is called {name!r}, found {held!r:.60}", error.name, held) from None
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise InputError("function: {held!r:.60} is not there: {error}", held, error) from None
    if not callable(found):
        raise InputError("function: {held!r:.60} is {found!r:.40}, not a function", held, found)
    return found  # type: ignore[no-any-return]


def title_of(function: Any) -> str:
    """By which a folder knows its function again: where it is."""
    if isinstance(function, str):
        return function
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    if module == "__main__":
        module = Path(getattr(sys.modules["__main__"], "__file__", "") or "").stem or "__main__"
    return f"{module}:{name or type(function).__name__}"


def parts_of(function: Any) -> dict[str, str]:
    """What decides what a function gives, each by its name, as digests."""
    return function_parts(_function(("name", function)) if isinstance(function, str) else function, text_from)


# what all cases share


def _pack_shared(name: str, value: Any) -> tuple[str, str, Any]:
    if isinstance(value, Robot):
        return name, "robot", text_from(value)
    try:
        return name, "value", pickle.dumps(value, protocol=5)
    except (TypeError, pickle.PicklingError, AttributeError) as error:
        raise InputError(
            "shared: {name}: {value!r:.60} cannot travel to workers: {error}", name, value, error
        ) from None


def _value(kind: str, held: Any) -> Any:
    if kind == "value":
        return pickle.loads(held)
    return robot_from(held)


@lru_cache(maxsize=64)
def robot_from(text: str) -> Robot:
    """What is odd about it was told where it was first read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        return Robot.from_text(text, exact=True)


@lru_cache(maxsize=64)
def _arm(text: str) -> Arm:
    from manipula.arm import Arm

    return Arm(robot_from(text))


_texts: dict[int, tuple[Robot, str]] = {}  # with the robot, so that its number stays its own


def text_from(robot: Robot) -> str:
    """The robot as its file's text: what travels, and by which it is known."""
    from manipula.mechanics.robot.formats.toml.read import toml_from_robot

    if id(robot) not in _texts:  # a study hands the same robot to every case
        if len(_texts) > KNOWN:
            _texts.clear()
        _texts[id(robot)] = robot, toml_from_robot(robot)
    return _texts[id(robot)][1]


def arm(robot: RobotLike) -> Arm:
    """The arm of a robot, compiled once a process: in a study's function, which is called for every case."""
    return _arm(text_from(as_robot(robot)))
