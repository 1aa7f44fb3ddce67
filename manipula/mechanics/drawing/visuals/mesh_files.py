"""Triangles from STL (binary and text), OBJ and COLLADA files, made few enough to draw.

STL's binary form is 80 bytes of anything, a count, then 50 bytes a facet: normal, three corners, two bytes. A text file
that begins with "solid" may still be binary: the count tells.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from manipula.errors import InputError
from manipula.mechanics.drawing.visuals.collada import collada
from manipula.mechanics.drawing.visuals.triangles import Mesh, plain_mesh, simplified

FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
_CORNER = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def mesh_from(name: str, data: bytes) -> Mesh:
    """The triangles of a file, told apart by its ending."""
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
    return simplified(found)


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
