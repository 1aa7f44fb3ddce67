"""Triangles, and the fewer of them that a picture needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
GRID = 160  # cells along the longest side: corners of one cell become one
MOST = 4_000  # faces


class Mesh(NamedTuple):
    """Corners (count, 3), faces as three of them each, and of each face the number of its colour. A colour is #rrggbb,
    or "" where the file says none."""

    vertices: Floats
    faces: Ints
    tints: Ints
    colours: tuple[str, ...] = ("",)


def plain_mesh(vertices: Floats, faces: Ints) -> Mesh:
    """Of one colour, which is not said."""
    return Mesh(vertices, faces, np.zeros(len(faces), dtype=np.int64))


def by_colour(mesh: Mesh) -> list[tuple[str, Floats, Ints]]:
    """Colour, corners and faces: of every colour that has faces."""
    found = []
    for k, colour in enumerate(mesh.colours):
        faces = mesh.faces[mesh.tints == k]
        if len(faces):
            used, places = np.unique(faces, return_inverse=True)
            found.append((colour, mesh.vertices[used], places.reshape(-1, 3)))
    return found


def simplified(mesh: Mesh, most: int = MOST) -> Mesh:
    """Corners in one cell of a grid become one, faces that lose a corner go; the grid is coarser until few are left."""
    grid = GRID
    while True:
        found = _clustered(mesh, grid)
        if len(found.faces) <= most or grid <= 8:
            return found
        grid = grid * 3 // 4


def _clustered(mesh: Mesh, grid: int) -> Mesh:
    low = mesh.vertices.min(axis=0)
    cell = max(float(np.ptp(mesh.vertices, axis=0).max()) / grid, 1e-300)
    x, y, z = np.round((mesh.vertices - low) / cell).astype(np.int64).T
    _, first, cells = np.unique((x * (grid + 1) + y) * (grid + 1) + z, return_index=True, return_inverse=True)
    faces = cells.reshape(-1)[mesh.faces]
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])
    kept = np.flatnonzero(whole)[_different(faces[whole], len(first))]
    if not len(kept):  # all of it is one cell: as it is
        return mesh
    used, places = np.unique(faces[kept], return_inverse=True)
    return mesh._replace(vertices=mesh.vertices[first[used]], faces=places.reshape(-1, 3), tints=mesh.tints[kept])


def _different(faces: Ints, count: int) -> Ints:
    """The first of faces that have the same corners: of two colours at one place neither would be seen whole."""
    a, b, c = np.sort(faces, axis=1).T
    return np.sort(np.unique((a * count + b) * count + c, return_index=True)[1])
