"""The meshes that a robot file names: looked for, bounded, read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from manipula.errors import InputError
from manipula.mechanics.drawing.collada import Mesh, collada, plain_mesh, simplify_mesh

# Triangles from STL (binary and text), OBJ and COLLADA files, made few enough to draw.
#
# STL's binary form is 80 bytes of anything, a count, then 50 bytes a facet: normal, three corners, two bytes. A file
# that begins with "solid", as text does, may still be binary: the count decides.

FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
_CORNER = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def mesh_from(name: str, data: bytes) -> Mesh:
    """The triangles of a file, read by its ending."""
    read = READERS.get(name.rpartition(".")[2].lower())
    if read is None:
        raise InputError("{name}: a mesh in {endings} can be drawn, not this one", name, ", ".join(ENDINGS))
    try:
        found = read(data)
    except InputError as error:
        raise InputError("{place}: {text}", name, error) from None
    except (ValueError, IndexError, OverflowError):
        raise InputError("{name}: found no triangles that can be read", name) from None
    if not len(found.faces):
        raise InputError("{name}: found no triangles that can be read", name)
    if not np.isfinite(found.vertices).all():
        raise InputError("{name}: found a corner that is no number", name)
    return simplify_mesh(found)


def _stl(data: bytes) -> Mesh:
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) >= 84 + FACET.itemsize * count and (count or data[:5] != b"solid"):
        corners = np.frombuffer(data, FACET, count, 84)["corners"].astype(float).reshape(-1, 3)
    else:
        corners = np.array(_CORNER.findall(data), dtype=float).reshape(-1, 3)
    return plain_mesh(corners, np.arange(len(corners)).reshape(-1, 3))


def _obj(data: bytes) -> Mesh:
    """Faces of more corners are fans of triangles; negative numbers count from the end."""
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.partition("/")[0]) for word in words[1:]]
            placed = [k - 1 if k > 0 else len(vertices) + k for k in corners]
            faces += [(placed[0], b, c) for b, c in pairwise(placed[1:])]
    found = np.array(faces, dtype=np.int64).reshape(-1, 3)
    if found.size and (found.min() < 0 or found.max() >= len(vertices)):
        raise ValueError("a face has a corner that is not there")
    return plain_mesh(np.array(vertices, dtype=float).reshape(-1, 3), found)


READERS = {"stl": _stl, "obj": _obj, "dae": collada}
ENDINGS = tuple(f".{ending}" for ending in READERS)


# Where a mesh is that a robot file names: below the folder of the robot, and nowhere else.
#
# A robot file comes from anybody. What it names is looked for in the package it lies in (the folder with a package.xml,
# or the one above a folder called urdf, else the file's own) and in packages beside that one; a name or a link that
# leads
# out of there finds nothing.

HOMES = ("urdf", "urdfs", "robots", "xacro")  # folders beside which meshes lie
ABOVE = 4  # folders on the way up that are looked at
MARKS = ("package.xml", "CMakeLists.txt", "model.config")  # of the folder of a package


def locate_file(name: str, folder: Path, within: Path | None = None) -> Path | None:
    """The file of this name in a robot file of that folder; `within`: and not outside this one."""
    root = folder.resolve()
    for said in dict.fromkeys((name, unquote(name))):
        for ground, rest in _candidate_paths(said.replace("\\", "/"), root):
            found = ground.joinpath(rest).resolve()
            allowed = found.is_relative_to(ground) and (within is None or found.is_relative_to(within.resolve()))
            if allowed and found.is_file():
                return found
    return None


def _candidate_paths(name: str, folder: Path) -> Iterator[tuple[Path, str]]:
    """The folder that may not be left, and the path in it."""
    scheme, mark, rest = name.partition("://")
    own = _package(folder)
    if mark and scheme in ("package", "model"):
        package, _, rest = rest.partition("/")
        for place in _up(folder):
            if place.name == package and _has_package_file(place):
                yield place, rest
            elif package and _has_package_file(place / package):
                yield (place / package).resolve(), rest
        yield own, f"{package}/{rest}"
        parts = rest.split("/")  # of a folder that was copied out of its package the end of the name is right
        yield from ((own, "/".join(parts[k:])) for k in range(len(parts)))
    elif not mark or scheme == "file":
        yield own, (folder / (rest if mark else name)).as_posix()


def _package(folder: Path) -> Path:
    """The robot's folder."""
    held = next((place for place in _up(folder) if _has_package_file(place)), None)
    if held is not None:
        return held
    return folder.parent if folder.name.lower() in HOMES else folder


def _has_package_file(place: Path) -> bool:
    return any((place / mark).is_file() for mark in MARKS)


def _up(folder: Path) -> list[Path]:
    return [folder, *folder.parents][:ABOVE]


LARGEST = 64_000_000  # bytes of a mesh
LARGEST_OF_ALL = 512_000_000


class Meshes:
    """The meshes that a file names, each read once, as far as there is room for them."""

    def __init__(self, folder: Path, within: Path | None) -> None:
        self.folder, self.within = folder, within
        self.known: dict[str, Mesh | InputError] = {}
        self.left = LARGEST_OF_ALL

    def mesh_named(self, name: str) -> Mesh:
        if name not in self.known:
            try:
                self.known[name] = self._read(name)
            except OSError as error:
                self.known[name] = InputError("{name:.200}: cannot be read: {strerror}", name, error.strerror)
            except InputError as error:
                self.known[name] = error
        found = self.known[name]
        if isinstance(found, InputError):
            raise found
        return found

    def _read(self, name: str) -> Mesh:
        if not name.lower().endswith(tuple(ENDINGS)):
            raise InputError("{name:.200}: a mesh in {endings} can be drawn, not this one", name, ", ".join(ENDINGS))
        path = locate_file(name, self.folder, self.within)
        if path is None:
            raise InputError("{name:.200}: this mesh is not in the folder of the robot", name)
        size = path.stat().st_size
        self.left -= size
        if size > LARGEST or self.left < 0:
            raise InputError(
                "{name:.200}: the file is too large: a mesh has at most {most} MB, all of them {most2} MB",
                name,
                LARGEST // 10**6,
                LARGEST_OF_ALL // 10**6,
            )
        return mesh_from(name, path.read_bytes())
