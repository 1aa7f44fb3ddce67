"""Triangles from COLLADA (.dae): the geometry of its scene, with the plain colours of its materials.

Lengths are scaled by `<unit meter=…>`. `<up_axis>` is not followed: the file's own axes are those of the link, as RViz
and MoveIt have it (moveit/geometric_shapes#52), whatever the program that wrote the file calls up.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError

# Triangles, and the fewer of them that a picture needs.

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


def simplify_mesh(mesh: Mesh, most: int = MOST) -> Mesh:
    """Corners in one cell of a grid become one, faces that lose a corner go; the grid is coarser until few are left."""
    grid = GRID
    while True:
        found = _cluster_vertices(mesh, grid)
        if len(found.faces) <= most or grid <= 8:
            return found
        grid = grid * 3 // 4


def _cluster_vertices(mesh: Mesh, grid: int) -> Mesh:
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


DEEP = 64  # nodes inside one another
INSTANCES = 10_000  # of geometries: nodes may be placed many times, and those inside them again
CORNERS = 12_000_000  # of all of them together
_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_SHADERS = ("phong", "lambert", "blinn", "constant")


def collada(data: bytes) -> Mesh:
    root = _root(data)
    unit = root.find("asset/unit")
    meter = float(unit.get("meter", "1")) if unit is not None else 1.0
    parts = list(_Scene(root).parts())
    if not parts:
        raise ValueError("no triangles")
    sizes = np.cumsum([0, *(len(corners) for corners, _ in parts)])
    colours = tuple(dict.fromkeys(colour for _, colour in parts))
    tints = [np.full(len(corners) // 3, colours.index(colour)) for corners, colour in parts]
    vertices = meter * np.concatenate([corners for corners, _ in parts])
    return Mesh(vertices, np.arange(sizes[-1]).reshape(-1, 3), np.concatenate(tints), colours)


def _root(data: bytes) -> ET.Element:
    """Without declarations: entities are how a small file becomes a large one, or another one."""
    text = data.decode(_ENCODINGS.get(data[:2]) or _ENCODINGS.get(data[:3]) or "utf-8")
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise InputError("found a DOCTYPE or ENTITY declaration; COLLADA needs none")
    try:
        root = ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    except ET.ParseError as error:
        raise InputError("this is not well-formed XML: {error}", error) from None
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]
    return root


class _Scene:
    def __init__(self, root: ET.Element) -> None:
        self.root = root
        self.named = {name: element for element in root.iter() if (name := element.get("id"))}
        self.left, self.room = INSTANCES, CORNERS

    def parts(self) -> Iterator[tuple[Floats, str]]:
        """(corners, three a triangle; colour) of everything in the scene; without one, of every geometry as it is."""
        scene = self.of(self.root.find("scene/instance_visual_scene"))
        scene = self.root.find("library_visual_scenes/visual_scene") if scene is None else scene
        if scene is None:
            for geometry in self.root.iterfind("library_geometries/geometry"):
                yield from self.geometry(geometry, np.eye(4), {})
            return
        for node in scene.iterfind("node"):
            yield from self.node(node, np.eye(4), 0)

    def of(self, reference: ET.Element | None) -> ET.Element | None:
        """What an element's `url` (or `source`, `target`) names."""
        if reference is None:
            return None
        name = next((found for key in ("url", "source", "target") if (found := reference.get(key))), "")
        return self.named.get(name.removeprefix("#"))

    def node(self, node: ET.Element, above: Floats, deep: int) -> Iterator[tuple[Floats, str]]:
        if deep > DEEP:
            raise InputError("nodes stand more than {deep} deep inside one another", DEEP)
        here = above @ _node_transform(node)
        for child in node:
            if child.tag == "node":
                yield from self.node(child, here, deep + 1)
            elif child.tag == "instance_node" and (found := self.of(child)) is not None:
                self.count()
                yield from self.node(found, here, deep + 1)
            elif child.tag == "instance_geometry" and (found := self.of(child)) is not None:
                self.count()
                bound = {one.get("symbol", ""): self.colour(self.of(one)) for one in child.iter("instance_material")}
                yield from self.geometry(found, here, bound)

    def count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise InputError("more than {instances:,} parts are placed in it", INSTANCES)

    def geometry(self, geometry: ET.Element, at: Floats, bound: dict[str, str]) -> Iterator[tuple[Floats, str]]:
        mesh = geometry.find("mesh")
        for primitive in [] if mesh is None else mesh:
            if (cut := _CUTS.get(primitive.tag)) is not None:
                symbol = primitive.get("material", "")
                places, numbers = self.positions(primitive)
                corners = places[cut(primitive, numbers)]
                self.room -= len(corners)
                if self.room < 0:
                    raise InputError("it has more than {corners:,} triangles", CORNERS // 3)
                seen = corners @ at[:3, :3].T + at[:3, 3]
                yield _flip_triangles(seen) if np.linalg.det(at[:3, :3]) < 0 else seen, bound.get(symbol, "")

    def positions(self, primitive: ET.Element) -> tuple[Floats, list[Ints]]:
        """The corners' places, and for each `<p>` the numbers of its corners among them."""
        inputs = primitive.findall("input")
        width = 1 + max((int(one.get("offset", "0")) for one in inputs), default=0)
        vertex = next(one for one in inputs if one.get("semantic") == "VERTEX") if inputs else None
        vertices = self.of(vertex)
        if vertex is None or vertices is None:
            raise InputError("a primitive has no VERTEX")
        position = next((one for one in vertices.iterfind("input") if one.get("semantic") == "POSITION"), None)
        source = self.of(position)
        array = None if source is None else source.find("float_array")
        if source is None or array is None:
            raise InputError("vertices have no POSITION")
        accessor = source.find("technique_common/accessor")
        stride = 3 if accessor is None else int(accessor.get("stride", "3"))
        values = _floats(array.text)
        if stride < 3 or len(values) % stride:
            raise InputError("found {count} numbers of corners, not a multiple of {stride}", len(values), stride)
        places, offset = values.reshape(-1, stride)[:, :3], int(vertex.get("offset", "0"))
        found = [_ints(p.text)[offset::width] for p in primitive.iterfind("p")]
        if any(len(k) and (k.min() < 0 or k.max() >= len(places)) for k in found):
            raise InputError("a face has a corner that is not there")
        return places, found

    def colour(self, material: ET.Element | None) -> str:
        """The diffuse colour of a material, `#rrggbb`; "" of textures and of none."""
        effect = self.of(None if material is None else material.find("instance_effect"))
        if effect is None:
            return ""
        shaders = (effect.find(f"profile_COMMON/technique/{name}/diffuse/color") for name in _SHADERS)
        text = next((found.text for found in shaders if found is not None), None)
        parts = _floats(text)[:3]
        if len(parts) != 3 or not np.isfinite(parts).all():
            return ""
        return "#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in parts.tolist())


def _flip_triangles(corners: Floats) -> Floats:
    """The outside stays outside in a mirror: the corners of each triangle the other way round."""
    return corners.reshape(-1, 3, 3)[:, ::-1].reshape(-1, 3)


def _floats(text: str | None) -> Floats:
    return np.array((text or "").split(), dtype=float)


def _ints(text: str | None) -> Ints:
    return np.array((text or "").split(), dtype=np.int64)


# <p> → numbers of corners, three a triangle


def _concatenate(numbers: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *numbers])


def _triangles(primitive: ET.Element, numbers: list[Ints]) -> Ints:
    flat = _concatenate(numbers)
    return flat[: len(flat) // 3 * 3]


def _polylist(primitive: ET.Element, numbers: list[Ints]) -> Ints:
    counts = _ints(primitive.findtext("vcount"))
    flat = _concatenate(numbers)
    if len(counts) and (counts.min() < 0 or counts.sum() > len(flat)):
        raise InputError("polygons have more corners than are listed")
    return _fans(counts, flat)


def _polygons(primitive: ET.Element, numbers: list[Ints]) -> Ints:
    return _fans(np.array([len(p) for p in numbers], dtype=np.int64), _concatenate(numbers))


def _strips(primitive: ET.Element, numbers: list[Ints]) -> Ints:
    """Every corner with the two before it; every second triangle is turned."""
    rows = [np.stack([p[:-2], p[1:-1], p[2:]], axis=1) for p in numbers if len(p) > 2]
    for row in rows:
        row[1::2] = row[1::2, [1, 0, 2]]
    return _concatenate([row.reshape(-1) for row in rows])


def _fans(counts: Ints, flat: Ints) -> Ints:
    """Polygons of so many corners each as fans about their first."""
    starts = np.cumsum(counts) - counts
    each = np.maximum(counts - 2, 0)  # triangles
    first = np.repeat(starts, each)
    number = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    found: Ints = flat[np.stack([first, first + number + 1, first + number + 2], axis=1)].reshape(-1)
    return found


_CUTS = {
    "triangles": _triangles, "polylist": _polylist, "polygons": _polygons, "tristrips": _strips, "trifans": _polygons,
}  # fmt: skip


# where a node is


def _node_transform(node: ET.Element) -> Floats:
    """The product of its steps, in their order."""
    at = np.eye(4)
    for step in node:
        make = _STEPS.get(step.tag)
        if make is not None:
            at = at @ make(_floats(step.text))
    return at


def _translate(numbers: Floats) -> Floats:
    found = np.eye(4)
    found[:3, 3] = numbers.reshape(3)
    return found


def _rotate(numbers: Floats) -> Floats:
    """Axis and degrees: R = I + sin θ [u]× + (1 − cos θ) [u]×²"""
    axis, angle = numbers.reshape(4)[:3], np.radians(numbers[3])
    size = np.linalg.norm(axis)
    x, y, z = axis / size if size else (0.0, 0.0, 0.0)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    found = np.eye(4)
    found[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return found


_STEPS: dict[str, Callable[[Floats], Floats]] = {
    "matrix": lambda numbers: numbers.reshape(4, 4), "translate": _translate, "rotate": _rotate,
    "scale": lambda numbers: np.diag([*numbers.reshape(3), 1.0]),
}  # fmt: skip
