"""What a person does to see a robot: its drawing as data, pictures of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula.api.robot_verbs import robot_from
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from manipula.pages.picture import Picture
    from manipula.robot import RobotLike

VIEWS = {"front": (0, 0), "back": (180, 0), "left": (90, 0), "right": (-90, 0), "top": (-90, 90), "corner": (-58, 20)}
LARGEST = 10_000  # points of a side


def drawing(
    robot: RobotLike, values: Mapping[str, float | str] | None = None, *, meshes: bool | None = False
) -> dict[str, Any]:
    """All that a picture of the robot needs, as plain data: joints with the steps before and after them, links as
    solids in their own frames, the tool, centres of mass, what can be reached. `values` are parameters by name; a
    length without a value gets a stand-in, told in `stand_ins`. `meshes`: links look as the URDF file says that the
    robot came from (boxes, cylinders, spheres; .stl, .obj, .dae in its folder or package); what could not be drawn is
    told in `notes`. None: if there is such a file.

    >>> record = drawing("planar2r", {"l1": 0.5})
    >>> record["joints"][0]["after"], record["stand_ins"]
    ([['tz', 0.0, 'd'], ['tx', 0.5, 'a'], ['rx', 0.0, 'alpha']], {'l2': 0.3})
    """
    from manipula.mechanics.drawing.record import drawing_of
    from manipula.mechanics.drawing.visuals import attach_visuals, dressed_where_known, looks_of

    described = robot_from(robot)
    if values is not None and not isinstance(values, Mapping):
        raise InputError("values: expected parameters by name, such as {{'l1': 0.4}}, found {values!r:.60}", values)
    record = drawing_of(described.with_parameters(**values) if values else described)
    if meshes is None:
        return dressed_where_known(record, described)
    return attach_visuals(record, looks_of(record, described)) if meshes else record


def looks(robot: RobotLike, within: Path | None = None) -> dict[str, Any]:
    """How the URDF file that the robot came from draws its links, as plain data: `shapes` by the joint that moves them
    ("" the base), `paints`, and `notes` on what could not be drawn. `within`: no file outside this folder is read."""
    from manipula.mechanics.drawing.record import drawing_of
    from manipula.mechanics.drawing.visuals import looks_of

    described = robot_from(robot)
    return looks_of(drawing_of(described), described, within)


def picture(
    robot: RobotLike, q: ArrayLike | str | None = None, path: str | Path | None = None, *,
    values: Mapping[str, float | str] | None = None, view: str | Sequence[float] | None = None, frames: str = "tool",
    names: bool = False, background: str = "none", size: Sequence[float] = (480, 420), whole: bool = False,
) -> Picture:  # fmt: skip
    """The robot as an SVG: its text, which a notebook shows as a picture, and which is written to `path`, if one is
    given. No browser and no other library.

    `q`: coordinates, rad and m, or the name of a pose; left out, a pose that shows the arm well. `view`: "corner",
    "front", "back", "left", "right", "top", or two angles in degrees, around the vertical and above the floor.
    `frames`: arrows x, y, z (vermilion, green, blue) of the "tool", of "all" links, or "none". `names` of the joints;
    `background`: "none", "light", "dark"; `size` in points; `whole`: room for all that the arm can reach.

    >>> picture("puma560", [0, -0.5, 0.3, 0, 0.8, 0]).startswith("<svg")
    True
    """
    from manipula.mechanics.drawing.skeleton import axes_of, poses_of, position_of
    from manipula.pages.picture import Style, svg_of
    from manipula.support.files import write_text

    if path is not None and Path(path).suffix.lower() != ".svg":
        raise InputError("{path}: expected a name that ends in .svg", path)
    record = drawing(robot, values)
    width, height = _size(size)
    choices = {"frames": ("tool", "all", "none"), "background": ("none", "light", "dark")}
    for (name, known), said in zip(choices.items(), (frames, background)):
        if said not in known:
            raise UnknownNameError(Message("choice of {name}", name), str(said), known)
    style = Style(width, height, _eye(view, record), frames, bool(names), background, bool(whole))
    poses = poses_of(record, position_of(record, q))
    text = svg_of(record, poses, axes_of(record, poses), style)
    if path is not None:
        write_text(Path(path), text)
    return text


def _eye(view: str | Sequence[float] | None, record: Mapping[str, object]) -> tuple[float, ...] | None:
    import numpy as np

    from manipula.mechanics.drawing.view import towards

    if view is None:
        return None
    if isinstance(view, str) and view not in VIEWS:
        raise UnknownNameError("view", view, VIEWS)
    angles = VIEWS[view] if isinstance(view, str) else _numbers(view, 2)
    if angles is None:
        raise InputError(
            "view: expected one of {views}, or two angles in degrees, found {view!r:.60}", ", ".join(VIEWS), view
        )
    return tuple(towards(angles[0], angles[1], np.array(record["up"])).tolist())


def _size(size: Sequence[float]) -> tuple[float, float]:
    found = _numbers(size, 2)
    if found is None or not all(1 <= x <= LARGEST for x in found):
        raise InputError(
            "size: expected a width and a height in points, of 1 to {largest}, found {size!r:.60}", LARGEST, size
        )
    return found[0], found[1]


def _numbers(given: Iterable[float], count: int) -> tuple[float, ...] | None:
    """So many finite numbers, else None."""
    from math import isfinite

    try:
        found = tuple(float(x) for x in given)
    except (TypeError, ValueError):
        return None
    return found if len(found) == count and all(map(isfinite, found)) else None
