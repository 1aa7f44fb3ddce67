"""What travels to a worker, once: the function by its name, what all cases share, the seed. A robot travels as the text
of its file, and is read where it is used; nothing that was derived from it travels at all.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from importlib import import_module
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

from manipula.errors import InputError, ManipulaWarning
from manipula.robot import Robot, RobotLike, as_robot
from manipula.studies.cases.values import Case
from manipula.studies.work.digest import fresh, function_parts
from manipula.support.cache import fingerprint
from manipula.version import __version__

if TYPE_CHECKING:
    from manipula.arm import Arm

BATCHED = "__manipula_batched__"
KNOWN = 256  # robots whose texts are held
CaseFunction = Callable[..., Mapping[str, object]]
Versions = tuple[tuple[str, str], ...]
Way = str | bytes | int  # to a function: its place, its code, or, where it stays in this process, its number


@dataclass(frozen=True)
class Job:
    """Plain data: the way to the function, the shared values (pickled, robots as texts), the columns of the cases, the
    seed, the versions that the client has."""

    function: Way
    shared: tuple[tuple[str, str | bytes], ...]
    names: tuple[str, ...]
    seed: int
    versions: Versions

    @cached_property
    def pickle_bytes(self) -> bytes:
        return pickle.dumps(self)


@dataclass(frozen=True)
class Opened:
    """A job where it is done."""

    function: CaseFunction
    shared: Callable[[], Case]  # as it came, whatever an earlier case did to it
    job: Job

    @property
    def takes_batches(self) -> bool:
        return bool(getattr(self.function, BATCHED, False))


def batched(function: CaseFunction) -> CaseFunction:
    """Marks a study's function that takes many cases at once: each name an array with a row a case, as its results
    have; its second argument gives the generator of each, `rngs[k]`."""
    setattr(function, BATCHED, True)
    return function


def versions() -> Versions:
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


def refuse_versions(here: Versions, there: Versions, where: str) -> None:
    for (name, own), (_, other) in zip(here, there, strict=True):
        if own != other:
            raise InputError(
                "{where} has {name} {other}, this program {own}; a study needs the same on both",
                where,
                name,
                other,
                own,
            )


def pack_job(function: object, shared: Mapping[str, object], names: tuple[str, ...], seed: int, travels: bool) -> Job:
    """The job; what cannot travel is refused, unless it need not."""
    way = _way_to(function, travels)
    return Job(way, tuple((name, _pack_shared(name, x)) for name, x in shared.items()), names, seed, versions())


@lru_cache(maxsize=16)
def open_job(data: bytes) -> Opened:
    """A job as it is in this process, made once."""
    job: Job = pickle.loads(data)
    shared = {name: robot_from(x) if isinstance(x, str) else pickle.loads(x) for name, x in job.shared}
    return Opened(_function(job.function), fresh(shared), job)


# the function


def _way_to(function: object, travels: bool) -> Way:
    """By its name where it can be imported; else pickled with its code, which cloudpickle can."""
    if isinstance(function, str):
        _function(function)
        return function
    if not callable(function):
        raise InputError(
            "function: expected a function, or its place as 'module:name', found {function!r:.60}", function
        )
    place = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"
    if _importable(place, function):
        return place
    if travels:
        return _code(function)
    _here[id(function)] = function
    return id(function)


def _importable(place: str, function: object) -> bool:
    module, _, name = place.partition(":")
    if module == "__main__" or not name or "<" in name:
        return False
    try:
        return _function(place) is function
    except InputError:
        return False


def _code(function: object) -> bytes:
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


_here: dict[int, CaseFunction] = {}  # functions that stay in this process


def _function(way: Way) -> CaseFunction:
    if not isinstance(way, str):
        made: CaseFunction = _here[way] if isinstance(way, int) else pickle.loads(way)
        return made
    module, colon, name = way.partition(":")
    if not colon or not module or not name:
        raise InputError("function: expected its place as 'module:name', found {held!r:.60}", way)
    try:
        found: object = reduce(getattr, name.split("."), import_module(module))
    except ModuleNotFoundError as error:
        raise InputError("function: no module is called {name!r}, found {held!r:.60}", error.name, way) from None
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise InputError("function: {held!r:.60} is not there: {error}", way, error) from None
    if not callable(found):
        raise InputError("function: {held!r:.60} is {found!r:.40}, not a function", way, found)
    return found


def title_of(function: object) -> str:
    """By which a folder knows its function again: where it is."""
    if isinstance(function, str):
        return function
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    if module == "__main__":
        module = Path(getattr(sys.modules["__main__"], "__file__", "") or "").stem or "__main__"
    return f"{module}:{name or type(function).__name__}"


def parts_of(function: CaseFunction | str) -> dict[str, str]:
    """What decides what a function gives, each by its name, as digests."""
    return function_parts(_function(function) if isinstance(function, str) else function, text_from)


# what all cases share


def _pack_shared(name: str, value: object) -> str | bytes:
    if isinstance(value, Robot):
        return text_from(value)
    try:
        return pickle.dumps(value, protocol=5)
    except (TypeError, pickle.PicklingError, AttributeError) as error:
        raise InputError(
            "shared: {name}: {value!r:.60} cannot travel to workers: {error}", name, value, error
        ) from None


@lru_cache(maxsize=64)
def robot_from(text: str) -> Robot:
    """Its warnings were given where it was first read."""
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
