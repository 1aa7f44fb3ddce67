"""Triangles from STL (binary and text) and OBJ files, made few enough to draw.

STL's binary form is 80 bytes of anything, a count, then 50 bytes a facet: normal, three corners, two bytes. A text file
that begins with "solid" may still be binary: the count tells.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
GRID = 160  # cells along the longest side: corners of one cell become one
MOST = 4_000  # faces
_CORNER = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


class Mesh(NamedTuple):
    """Corners (count, 3), and faces as three of them each."""

    vertices: Floats
    faces: Ints


def mesh_from(name: str, data: bytes) -> Mesh:
    """The triangles of a file, told apart by its ending."""
    kind = name.rpartition(".")[2].lower()
    if kind not in ("stl", "obj"):
        raise InputError(f"{name}: a mesh in .stl or .obj can be drawn, found .{kind}")
    try:
        found = _stl(data) if kind == "stl" else _obj(data)
    except (ValueError, IndexError):
        raise InputError(f"{name}: found no triangles that can be read") from None
    if not len(found.faces) or not np.isfinite(found.vertices).all():
        raise InputError(f"{name}: found no triangles that can be read")
    return simplified(found)


def _stl(data: bytes) -> Mesh:
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) >= 84 + FACET.itemsize * count and (count or data[:5] != b"solid"):
        corners = np.frombuffer(data, FACET, count, 84)["corners"].astype(float).reshape(-1, 3)
    else:
        corners = np.array(_CORNER.findall(data), dtype=float).reshape(-1, 3)
    return Mesh(corners, np.arange(len(corners)).reshape(-1, 3))


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
    return Mesh(np.array(vertices, dtype=float).reshape(-1, 3), found)


def simplified(mesh: Mesh) -> Mesh:
    """Corners in one cell of a grid become one, faces that lose a corner go; the grid is coarser until few are left."""
    grid = GRID
    while True:
        found = _clustered(mesh, grid)
        if len(found.faces) <= MOST or grid <= 8:
            return found
        grid = grid * 3 // 4


def _clustered(mesh: Mesh, grid: int) -> Mesh:
    low = mesh.vertices.min(axis=0)
    cell = max(float(np.ptp(mesh.vertices, axis=0).max()) / grid, 1e-300)
    _, first, cells = np.unique(
        np.round((mesh.vertices - low) / cell).astype(np.int64), axis=0, return_index=True, return_inverse=True
    )
    faces = cells.reshape(-1)[mesh.faces]
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])
    kept = faces[whole]
    if not len(kept):  # all of it is one cell: as it is
        return mesh
    used, places = np.unique(kept, return_inverse=True)
    return Mesh(mesh.vertices[first[used]], places.reshape(-1, 3))
