"""The formats of robot files, as data: endings, where reader and writer are, what can be said in them.

A new format is a folder beside this file and one entry here; its code is imported when a file of it is read or written.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Literal

from manipula.errors import InputError, ManipulaWarning, RobotFileError, UnknownNameError
from manipula.mechanics.robot import library
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.source import text_from_bytes
from manipula.messages import Message

_ROOM = __name__.rpartition(".")[0]


@dataclass(frozen=True)
class Format:
    """One format. `reader` and `writer` are "module:function" in this room; without a writer it is only read.

    `conventions` are the Denavit–Hartenberg conventions it can hold; none for placements. `sign` is a pattern found in
    its text alone, where formats share an ending or none is known; `losing` names what of a robot it cannot hold.
    `visuals`: whether a file holds the shapes of the links, or names the URDF that does, or neither. `label`: what a
    list of formats calls it, where that is not its title.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    reader: str
    writer: str = ""
    conventions: tuple[str, ...] = ()
    sign: str = ""
    losing: str = ""
    visuals: Literal["", "held", "named"] = ""
    label: str = ""

    def read(self, text: str, **options: object) -> Any:
        """The robot the text describes; an option the reader does not take is an error that lists those it does."""
        reader = _load_function(self.reader)
        known = list(signature(reader).parameters)[1:]
        for name in options:
            if name not in known:
                raise UnknownNameError(Message("option of the format {name}", self.name), name, known)
        return reader(text, **options)

    def takes(self, option: str) -> bool:
        """Whether the reader has such an option."""
        return option in signature(_load_function(self.reader)).parameters

    def write(self, robot: RobotDescription) -> str:
        """The robot as text."""
        if self.name not in HOLD_LOOPS and getattr(robot, "loops", False):
            raise RobotFileError(
                "{robot} has loops, which such a file cannot hold", getattr(robot, "name", ""),
                hint=Message("save it as TOML or SYMORO"),
            )  # fmt: skip
        return str(_load_function(self.writer)(robot))

    def losses(self, robot: RobotDescription) -> list[str]:
        """What of the robot is gone when it is read back, each in a few words."""
        return list(_load_function(self.losing)(robot)) if self.losing else []


TABLE = ("standard", "modified")
HOLD_LOOPS = ("toml", "par")
_LIST = (
    Format(
        "toml",
        "TOML",
        (".toml",),
        "toml.read:robot_from_toml",
        "toml.read:toml_from_robot",
        TABLE,
        sign=r"(?m)^\s*\[\[\s*joint\s*\]\]|^\s*format\s*=\s*1\s*$",
        visuals="named",
    ),
    Format(
        "urdf",
        "URDF",
        (".urdf", ".xml"),
        "urdf.read:robot_from_urdf",
        "urdf.write:urdf_from_robot",
        sign=r"<\s*robot[\s>]",
        losing="urdf.write:lost_from_robot",
        visuals="held",
    ),
    Format("mjcf", "MJCF", (".mjcf", ".xml"), "mjcf.read:robot_from_mjcf", sign=r"<\s*mujoco[\s>]"),
    Format("sdf", "SDF", (".sdf",), "sdf.read:robot_from_sdf", sign=r"<\s*sdf[\s>]"),
    Format(
        "par",
        "SYMORO",
        (".par",),
        "par.read:robot_from_par",
        "par.write:par_from_robot",
        ("modified",),
        sign=r"(?m)^\s*(NF|NL|NJ)\s*=",
        losing="par.write:lost_from_robot",
        label="par (SYMORO)",
    ),
    Format(
        "dh",
        "a table",
        (".csv", ".txt", ".tsv"),
        "dh.read:robot_from_dh_text",
        "dh.read:dh_text_from_robot",
        TABLE,
        losing="dh.read:lost_from_robot",
        label="CSV",
    ),
)
FORMATS: dict[str, Format] = {item.name: item for item in _LIST}


def format_endings() -> dict[str, Format]:
    """In the order of the formats; the first one of a shared ending stands for it."""
    found: dict[str, Format] = {}
    for item in FORMATS.values():
        found |= {ending: item for ending in item.endings if ending not in found}
    return found


def format_named(name: str) -> Format:
    if name not in list(FORMATS):
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]


def format_read(ending: str, text: str, file: str) -> Format:
    """The format of a file: by its ending and, where several share that, by its text."""
    fitting = _formats_ending(ending)
    if not fitting:
        raise RobotFileError(
            "cannot tell the format from the ending {ending!r}",
            ending,
            file=file,
            hint=Message("use {endings}", ", ".join(format_endings())),
        )
    return next((item for item in fitting[1:] if item.sign and re.search(item.sign, text)), fitting[0])


def format_of_text(text: str) -> Format:
    """The format of a text without a name, by its sign; without one it is a table."""
    signed = (item for item in reversed(FORMATS.values()) if item.sign and re.search(item.sign, text))
    return next(signed, FORMATS["dh"])


def _formats_ending(ending: str) -> list[Format]:
    return [item for item in FORMATS.values() if ending.lower() in item.endings]


def format_written(ending: str, file: str) -> Format:
    """The format to write a file in."""
    fitting = _formats_ending(ending)
    if not fitting:
        raise InputError(
            "{file}: cannot tell the format from the ending {ending!r}; use {writable}",
            file,
            ending,
            ", ".join(_writable()),
        )
    for item in fitting:
        if item.writer:
            return item
    raise InputError(
        "{file}: {title} is read but not written; use {writable}", file, fitting[0].title, ", ".join(_writable())
    )


def robot_from_source(source: str | Path, **options: object) -> Any:
    """The robot of a library name or a file."""
    if not isinstance(source, str | Path):
        raise InputError("found {source!r:.60}, expected the name of a library robot or a file", source)
    if str(source) in library.names():
        read = _library_robot.__wrapped__ if options else _library_robot
        return read(f"{source}.toml", library.text_of(str(source)), **options)
    path = Path(source)
    if not path.suffix and not os.path.exists(path):  # pathlib raises where a name is too long
        raise UnknownNameError("robot in the library (and no file)", str(path), library.names())
    if path.suffix.lower() == ".xacro":
        return FORMATS["urdf"].read(_expanded(path), file=str(path), **options)
    format_read(path.suffix, "", str(path))  # an ending nobody knows is met before the file is opened
    try:
        text = text_from_bytes(path.read_bytes(), str(path))
    except OSError as error:
        raise RobotFileError("cannot be read: {strerror}", error.strerror, file=str(path)) from error
    return format_read(path.suffix, text, str(path)).read(text, file=str(path), **options)


@lru_cache(maxsize=32)  # read once: verbs take names, and one program asks for the same arm again and again
def _library_robot(file: str, text: str, **options: object) -> Any:
    with warnings.catch_warnings():  # its published oddities are noted in its file and need no warning each time
        warnings.simplefilter("ignore", ManipulaWarning)
        return FORMATS["toml"].read(text, file=file, **options)


def _expanded(path: Path) -> str:
    """The URDF that a xacro file makes, by the package of that name."""
    try:
        xacro = import_module("xacro")
    except ImportError:
        raise RobotFileError(
            "a xacro file needs the package xacro, which is not installed", file=str(path),
            hint=Message("pip install xacro, or run `xacro robot.xacro > robot.urdf` and load its result"),
        ) from None  # fmt: skip
    if not path.is_file():
        raise RobotFileError("cannot be read: {strerror}", Message("there is no such file"), file=str(path))
    try:
        return str(xacro.process_file(str(path)).toxml())
    except Exception as error:  # its own kinds, and any that an expression raises
        told = str(error) or type(error).__name__
        raise RobotFileError("xacro cannot expand it: {error}", told, file=str(path)) from error


def _writable() -> list[str]:
    return [ending for ending, item in format_endings().items() if item.writer]


def _load_function(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{_ROOM}.{module}"), function)
    return found
