"""Where a mesh is that a robot file names: below the folder of the robot, and nowhere else.

A robot file comes from anybody. What it names is looked for in the package it lies in (the folder with a package.xml,
or the one above a folder called urdf, else the file's own) and in packages beside that one; a name or a link that leads
out of there finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

HOMES = ("urdf", "urdfs", "robots", "xacro")  # folders beside which meshes lie
ABOVE = 4  # folders on the way up that are looked at
MARKS = ("package.xml", "CMakeLists.txt", "model.config")  # of the folder of a package


def located(name: str, folder: Path, within: Path | None = None) -> Path | None:
    """The file of this name in a robot file of that folder; `within`: and not outside this one."""
    root = folder.resolve()
    for said in dict.fromkeys((name, unquote(name))):
        for ground, rest in _tried(said.replace("\\", "/"), root):
            found = ground.joinpath(rest).resolve()
            allowed = found.is_relative_to(ground) and (within is None or found.is_relative_to(within.resolve()))
            if allowed and found.is_file():
                return found
    return None


def _tried(name: str, folder: Path) -> Iterator[tuple[Path, str]]:
    """The folder that may not be left, and the path in it."""
    scheme, mark, rest = name.partition("://")
    own = _package(folder)
    if mark and scheme in ("package", "model"):
        package, _, rest = rest.partition("/")
        for place in _up(folder):
            if place.name == package and _marked(place):
                yield place, rest
            elif package and _marked(place / package):
                yield (place / package).resolve(), rest
        yield own, f"{package}/{rest}"
        parts = rest.split("/")  # of a folder that was copied out of its package the end of the name is right
        yield from ((own, "/".join(parts[k:])) for k in range(len(parts)))
    elif not mark or scheme == "file":
        yield own, (folder / (rest if mark else name)).as_posix()


def _package(folder: Path) -> Path:
    """The robot's folder."""
    held = next((place for place in _up(folder) if _marked(place)), None)
    if held is not None:
        return held
    return folder.parent if folder.name.lower() in HOMES else folder


def _marked(place: Path) -> bool:
    return any((place / mark).is_file() for mark in MARKS)


def _up(folder: Path) -> list[Path]:
    return [folder, *folder.parents][:ABOVE]
