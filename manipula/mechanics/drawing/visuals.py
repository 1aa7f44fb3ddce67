"""URDF → the shapes of its links: boxes, cylinders, spheres and meshes, with their colours.

Only what moves with a joint of the drawing is taken: a link belongs to the nearest such joint on its way to the base,
through joints that are fixed or stand at zero. What cannot be read is left out and told; a link of which nothing can be
read keeps its solids.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import InputError, ManipulaError
from manipula.mechanics.drawing.collada import MOST, by_colour, plain_mesh, simplify_mesh
from manipula.mechanics.drawing.meshes import Meshes, locate_file
from manipula.mechanics.drawing.skeleton import BASE, Array, Move, held_frames, matrix, poses_of
from manipula.mechanics.drawing.solids import Shape, ball, box, plain, tube
from manipula.mechanics.robot.default_values import with_stand_ins
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.source import text_from_bytes
from manipula.mechanics.robot.formats.urdf.text import root_from_text
from manipula.messages import Message

Drawing = dict[str, Any]  # a record, or the looks of one
MOST_SHAPES = 2_000  # of a robot
MOST_FACES = 150_000
NEAR = 5e-3  # rad, and of a length: what a reader that knows right angles has put right
DIGITS = 4  # of corners below the largest number of a mesh


@dataclass
class Visuals:
    """Shapes by the joint whose link they are on, BASE the base; `notes` are what could not be drawn."""

    shapes: dict[int, list[Shape]] = field(default_factory=dict)
    paints: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Placed(NamedTuple):
    """A joint of the drawing: the one it stands on, BASE the base, and its link's frame seen from there, unmoved."""

    name: str
    parent: int
    at: Array


class DrawnArm(NamedTuple):
    """What is drawn: `first` is a joint on the base, with its link's frame seen from there (which link of the file the
    base is, nobody has kept); `held` are joints that do not move, by name, where they are held."""

    joints: Sequence[Placed]
    first: tuple[str, Array]
    held: Mapping[str, Array]


def visuals_of(text: str, folder: Path, arm: DrawnArm, within: Path | None = None) -> Visuals:
    """Of a URDF that lies in the folder. `within`: no file outside is read."""
    reader = _Reader(root_from_text(text, []), Meshes(folder, within), arm)
    if not all(map(reader.as_in_file, arm.joints)):
        raise InputError("the frames of the links are not those of the file any more: the solids are drawn")
    return reader.visuals()


class _Reader:
    def __init__(self, root: ET.Element, meshes: Meshes, arm: DrawnArm) -> None:
        self.root, self.meshes, self.held = root, meshes, arm.held
        self.room, self.faces = MOST_SHAPES, MOST_FACES
        self.rows = {joint.name: i for i, joint in enumerate(arm.joints)}
        self.above = {_attribute(joint, "child", "link"): joint for joint in root.findall("joint")}
        self.colours = {x.get("name", ""): colour for x in root.findall("material") if (colour := _colour(x))}
        self.found = Visuals()
        self.base = self._base(*arm.first)

    def _base(self, name: str, at: Array) -> Array:
        """The file's root seen from the base."""
        child = next((link for link, joint in self.above.items() if joint.get("name") == name), "")
        return np.asarray(at @ np.linalg.inv(self.way(child, {})[1]))

    def as_in_file(self, joint: Placed) -> bool:
        """Is the link's frame where the file has it? Not after a conversion."""
        own = next((one for one in self.above.values() if one.get("name") == joint.name), None)
        if own is None:
            return False
        row, at = self.way(_attribute(own, "parent", "link"), self.rows)
        size = max(1e-3, float(np.abs(joint.at[:3, 3]).max()))
        off = np.abs(at @ _origin(own) - joint.at) / np.array([1.0, 1.0, 1.0, size])
        return row == joint.parent and (row == BASE or bool(off.max() < NEAR))

    def visuals(self) -> Visuals:
        for link in self.root.findall("link"):
            on, at = self.place(link.get("name", ""))
            for visual in link.findall("visual"):
                try:
                    shapes = list(self.shapes(visual, at @ _origin(visual)))
                    self.take(shapes)
                    self.found.shapes.setdefault(on, []).extend(shapes)
                except (InputError, ValueError) as error:
                    self.found.notes.append(Message("link {name!r:.80}: {error}", link.get("name"), error))
        return self.found

    def take(self, shapes: list[Shape]) -> None:
        self.room -= len(shapes)
        self.faces -= sum(len(shape.get("faces", ())) for shape in shapes)
        if self.room < 0 or self.faces < 0:
            raise InputError(
                "left out: a picture has at most {most_shapes:,} shapes and {most_faces:,} triangles",
                MOST_SHAPES,
                MOST_FACES,
            )

    def place(self, link: str) -> tuple[int, Array]:
        """The joint it moves with, and its frame seen from that of the joint's link."""
        row, at = self.way(link, self.rows)
        return row, at if row != BASE else self.base @ at

    def way(self, link: str, rows: Mapping[str, int]) -> tuple[int, Array]:
        """From the link up to one of these joints, or to the root."""
        at = np.eye(4)
        for _ in range(len(self.above) + 1):
            joint = self.above.get(link)
            if joint is None:
                break
            if (row := rows.get(joint.get("name", ""))) is not None:
                return row, at
            held = self.held.get(joint.get("name", ""))
            at, link = (_origin(joint) if held is None else held) @ at, _attribute(joint, "parent", "link")
        return BASE, at

    def shapes(self, visual: ET.Element, at: Array) -> Iterator[Shape]:
        paint, geometry = self.paint(visual), visual.find("geometry")
        for item in [] if geometry is None else geometry:
            if item.tag == "box":
                x, y, z = _numbers(item, "size", 3)
                yield box(at, (x, y, z), paint)
            elif item.tag == "cylinder":
                (radius,), (length,) = _numbers(item, "radius", 1), _numbers(item, "length", 1)
                half = 0.5 * length * at[:3, 2]
                yield tube(at[:3, 3] - half, at[:3, 3] + half, (radius, radius), paint)
            elif item.tag == "sphere":
                yield ball(at[:3, 3], _numbers(item, "radius", 1)[0], paint)
            elif item.tag == "mesh":
                yield from self.mesh(item, at, paint)

    def mesh(self, item: ET.Element, at: Array, paint: str) -> Iterator[Shape]:
        """One shape for each colour of the file; the visual's own material comes first."""
        found = self.meshes.mesh_named(item.get("filename", ""))
        scale = np.array(_numbers(item, "scale", 3) if item.get("scale") else (1.0, 1.0, 1.0))
        if not scale.all():
            raise InputError("<mesh> scale: found {scale!r:.60}, expected no zero", item.get("scale"))
        for colour, corners, faces in by_colour(found):
            outside = faces if scale.prod() > 0 else faces[:, ::-1]  # a mirror turns the faces about
            own = paint if paint != "link" else self.register_colour(colour)
            shape = {"kind": "mesh", "frame": at.tolist(), "vertices": plain(corners * scale, DIGITS), "paint": own}
            yield shape | {"faces": outside.tolist()}

    def paint(self, visual: ET.Element) -> str:
        """The colour itself is the name of the paint."""
        material = visual.find("material")
        colour = "" if material is None else _colour(material) or self.colours.get(material.get("name", ""), "")
        return self.register_colour(colour)

    def register_colour(self, colour: str) -> str:
        if not colour:
            return "link"
        self.found.paints[colour] = colour
        return colour


def _origin(element: ET.Element) -> Array:
    """xyz and rpy: R = Rz(yaw) Ry(pitch) Rx(roll)"""
    origin = element.find("origin")
    xyz, rpy = (
        (0.0, 0.0, 0.0) if origin is None or not origin.get(k) else _numbers(origin, k, 3) for k in ("xyz", "rpy")
    )
    shifts = [Move(f"t{axis}", x) for axis, x in zip("xyz", xyz)]
    return matrix((*shifts, Move("rz", rpy[2]), Move("ry", rpy[1]), Move("rx", rpy[0])))


def _numbers(element: ET.Element, name: str, count: int) -> tuple[float, ...]:
    words = (element.get(name) or "").split()
    try:
        found = tuple(map(float, words))
    except ValueError:
        found = ()
    if len(found) != count or not np.isfinite(found).all() or (name not in ("xyz", "rpy", "scale") and min(found) <= 0):
        raise InputError(
            "<{tag}> {name}: found {element!r:.60}, expected {count} numbers",
            element.tag,
            name,
            element.get(name),
            count,
        )
    return found


def _attribute(joint: ET.Element, part: str, name: str) -> str:
    found = joint.find(part)
    return "" if found is None else found.get(name, "")


def _colour(material: ET.Element) -> str:
    """`#rrggbb`, or "" where it lacks it."""
    colour = material.find("color")
    try:
        parts = [float(x) for x in (colour.get("rgba", "") if colour is not None else "").split()][:3]
    except ValueError:
        parts = []
    if len(parts) != 3 or not np.isfinite(parts).all():
        return ""
    return "#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in parts)


# A record whose links look as their file says.

COARSER = (1500, 600, 250, 100)  # faces of a mesh


def dressed_where_known(record: Drawing, robot: RobotDescription) -> Drawing:
    """As its file says, if the robot came from a URDF that is still there and can still be read."""
    try:
        return attach_visuals(record, looks_of(record, robot))
    except (ManipulaError, OSError):
        return record


def visual_file(robot: RobotDescription, within: Path | None = None) -> Path | None:
    """The URDF that says how the robot's links look: its own file, or the one its file names, below the same folder."""
    origin, path = robot.origin, Path(robot.origin.path or ".")
    if origin.format == "urdf":
        return path if path.is_file() else None
    return locate_file(origin.visuals, path.parent, within) if origin.visuals else None


def looks_of(record: Drawing, robot: RobotDescription, within: Path | None = None) -> Drawing:
    """How the URDF of `visual_file` draws the links, as plain data: `shapes` in the frame of the link that the joint
    of this name moves, "" the base; `paints`; `notes` on what could not be drawn. `within`: no file outside is read."""
    path = visual_file(robot, within)
    if path is None:
        raise InputError(
            "{name}: meshes are those of a URDF file, and this robot came from none that is there", robot.name
        )
    text = text_from_bytes(path.read_bytes(), str(path))
    arm = DrawnArm(
        [_joint_placement(joint) for joint in record["joints"]], _at_zero(record), held_frames(with_stand_ins(robot)[0])
    )
    found = visuals_of(text, path.resolve().parent, arm, within)
    names = [joint.name for joint in arm.joints]
    shapes = {names[i] if i != BASE else "": own for i, own in found.shapes.items() if own}
    return {"shapes": shapes, "paints": found.paints, "notes": found.notes}


def attach_visuals(record: Drawing, looks: Drawing) -> Drawing:
    """The record with these looks; a link without looks keeps its solids."""
    names, shapes = ["", *(joint["name"] for joint in record["joints"])], looks["shapes"]
    links = [{**link, "shapes": shapes.get(name, link["shapes"])} for name, link in zip(names, record["links"])]
    tool = record["tool"]
    if names[tool["on"] + 1] in shapes:
        tool = {**tool, "shapes": [shape for shape in tool["shapes"] if shape["paint"] == "payload"]}
    paints = {**record["paints"], **looks["paints"]}
    return {**record, "links": links, "tool": tool, "paints": paints, "notes": looks["notes"]}


def lighter(looks: Drawing, size: int) -> Drawing:
    """The same, coarser until it is a text of no more than `size` characters; with nothing where none is so small. What
    was done is in its notes."""
    for most in (MOST, *COARSER):
        found = looks if most == MOST else {**looks, "shapes": _coarser(looks["shapes"], most)}
        if len(json.dumps(found["shapes"])) <= size:
            told = [] if most == MOST else ["meshes are drawn coarser here than they are in their files"]
            return {**found, "notes": [*looks["notes"], *told]}
    return {**looks, "shapes": {}, "notes": ["the meshes of the file are too many to be drawn here"]}


def _coarser(shapes: dict[str, list[Shape]], most: int) -> dict[str, list[Shape]]:
    return {name: [_few(shape, most) for shape in own] for name, own in shapes.items()}


def _few(shape: Shape, most: int) -> Shape:
    if shape["kind"] != "mesh":
        return shape
    mesh = simplify_mesh(plain_mesh(np.array(shape["vertices"]), np.array(shape["faces"])), most)
    return {**shape, "vertices": mesh.vertices.tolist(), "faces": mesh.faces.tolist()}


def _joint_placement(joint: Drawing) -> Placed:
    moves = [Move(kind, amount) for kind, amount, _ in (*joint["before"], *joint["after"])]
    return Placed(joint["name"], joint["parent"], matrix(tuple(moves)))


def _at_zero(record: Drawing) -> tuple[str, Array]:
    """A joint that stands on the base, and its link's frame seen from the base where all joints are at zero."""
    i = next(i for i, joint in enumerate(record["joints"]) if joint["parent"] == BASE)
    base, *links = poses_of(record, np.zeros(record["dof"]))
    return record["joints"][i]["name"], np.linalg.inv(base) @ links[i]
