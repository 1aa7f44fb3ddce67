"""An arm in matplotlib: its solids as thick lines, in space or, where it moves in a plane, in that plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from manipula.pages.plots.canvas import LETTERS, Array, blank, framed, plainly, plane_of

GHOSTS = 5  # arms between the first and the last of a motion
TRIAD = ("#d55e00", "#009e73", "#0072b2")


class Stroke(NamedTuple):
    """A solid as a line: two ends, a radius, a paint; the foot's ends are flat."""

    ends: Array
    radius: float
    paint: str
    flat: bool


class DrawnMotion(NamedTuple):
    """Rows of an arm: `poses` of the base, the links and the tool, each (rows, 4, 4); `axes` of the joints."""

    record: Mapping[str, Any]
    poses: Sequence[Array]
    axes: Sequence[Array]

    @property
    def rows(self) -> int:
        return len(self.poses[0])

    @property
    def points(self) -> Array:
        """(rows, count, 3): joints, then the tool."""
        return np.stack([at[:, :3, 3] for at in (*self.axes, self.poses[-1])], axis=1)

    def plane(self) -> tuple[int, ...]:
        return plane_of(self.points, self.record["size"])


def arm_figure(motion: DrawnMotion, *, frames: bool, names: bool, trail: bool) -> Any:
    """Of several rows the last is drawn whole, some before it faintly, and the way of the tool through all."""
    axes = motion.plane()
    figure = blank("arm.plot", (6.4, 5.8))
    place = figure.add_subplot(projection="3d" if len(axes) == 3 else None)
    points = framed(place, *corners(motion), axes)
    if len(axes) == 3:
        look_from(place, motion.record)
    draw_arm(place, motion, axes, points)
    tool = motion.poses[-1]
    if trail and motion.rows > 1:
        place.plot(*tool[:, list(axes), 3].T, color="#e69f00", linewidth=1.6, label="way of the tool", zorder=30)
        place.legend(loc="upper right", fontsize=8)
    shown = motion.poses if frames else motion.poses[-1:]
    for pose in shown:
        triad(place, pose[-1], 0.11 * motion.record["size"], axes)
    if names:
        for joint, at in zip(motion.record["joints"], motion.axes):
            place.text(*at[-1, list(axes), 3], plainly(f"  {joint['name']}"), fontsize=8, zorder=40)
    place.set_title(title_of(motion.record), fontsize=11)
    return figure


def title_of(record: Mapping[str, Any]) -> str:
    """The name, and lengths that were made up."""
    made = [f"{name} = {value:g}" for name, value in record["stand_ins"].items()]
    more = ", …" if len(made) > 4 else ""
    name = plainly(record["name"])
    return f"{name} (stand-ins {', '.join(made[:4])}{more})" if made else name


def look_from(place: Any, record: Mapping[str, Any]) -> None:
    """The same eye as other pictures have."""
    up = int(np.argmax(np.abs(record["up"])))
    eye = np.array(record["eye"]) / np.linalg.norm(record["eye"])
    e1, e2 = (up + 1) % 3, (up + 2) % 3
    elevation = float(np.degrees(np.arcsin(eye[up])))
    place.view_init(elevation, float(np.degrees(np.arctan2(eye[e2], eye[e1]))), vertical_axis=LETTERS[up])


def draw_arm(place: Any, motion: DrawnMotion, axes: Sequence[int], points: float) -> None:
    """The last row whole, where a metre is so many points; some before it as thin lines."""
    for k in sorted({int(k) for k in np.linspace(0, motion.rows - 1, min(motion.rows, GHOSTS + 2))})[:-1]:
        for way in _ways(motion, k):
            place.plot(*way[:, list(axes)].T, color="#7d8790", linewidth=1.4, alpha=0.55, zorder=1, marker=".")
    for stroke in _sorted(strokes(motion, motion.rows - 1), axes):
        _draw(place, stroke, axes, motion.record["paints"][stroke.paint], points)


def _ways(motion: DrawnMotion, row: int) -> Iterator[Array]:
    """Every joint with what stands on it, by straight lines."""
    points, tool = motion.points[row], motion.record["tool"]["on"]
    for i, joint in enumerate(motion.record["joints"]):
        if joint["parent"] >= 0:
            yield points[[joint["parent"], i]]
    if tool >= 0:
        yield points[[tool, -1]]


def _draw(place: Any, stroke: Stroke, axes: Sequence[int], colour: str, points: float) -> None:
    ends = stroke.ends[:, list(axes)]
    if len(axes) == 2 and np.linalg.norm(ends[1] - ends[0]) < 0.3 * np.linalg.norm(stroke.ends[1] - stroke.ends[0]):
        _disc(place, ends.mean(axis=0), stroke, colour)
        return
    cap, wide = "butt" if stroke.flat else "round", max(2 * stroke.radius * points, 0.8)
    if stroke.paint == "link":  # an edge, without which white is lost on white
        _line(place, ends, linewidth=wide + 1.2, color="#8d8b86", capstyle=cap)
    _line(place, ends, linewidth=wide, color=colour, capstyle=cap)


def _disc(place: Any, at: Array, stroke: Stroke, colour: str) -> None:
    """What is seen from its end; of a ring its edge, so that the joint is seen within."""
    from matplotlib.patches import Circle

    band = stroke.paint == "accent"
    style = {"fill": False, "linewidth": 1.6, "zorder": 3} if band else {"zorder": 2}
    place.add_patch(
        Circle((float(at[0]), float(at[1])), stroke.radius * (0.75 if band else 1.0), color=colour, **style)
    )


def _line(place: Any, ends: Array, **style: Any) -> None:
    """Lines in space hide each other only as collections."""
    if ends.shape[1] == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        place.add_collection3d(Line3DCollection([ends], **style))
        return
    from matplotlib.collections import LineCollection

    place.add_collection(LineCollection([ends], zorder=2, **style))


def _sorted(found: Sequence[Stroke], axes: Sequence[int]) -> list[Stroke]:
    """In a plane, from the back to the front."""
    if len(axes) == 3:
        return list(found)
    behind = next(i for i in range(3) if i not in axes)
    return sorted(found, key=lambda stroke: float(stroke.ends[:, behind].mean()))


def strokes(motion: DrawnMotion, row: int) -> list[Stroke]:
    record = motion.record
    places = [*zip((link["shapes"] for link in record["links"]), motion.poses)]
    places.append((record["tool"]["shapes"], motion.poses[-1]))
    found = []
    for k, (shapes, poses) in enumerate(places):
        R, p = poses[row][:3, :3], poses[row][:3, 3]
        for shape in shapes:
            flat = k == 0 or shape["paint"] != "link"
            found += [Stroke(ends @ R.T + p, radius, shape["paint"], flat) for ends, radius in _ends(shape)]
    return found


def _ends(shape: Mapping[str, Any]) -> list[tuple[Array, float]]:
    """The lines of a shape, in its link's frame; a drum is two, which its ring is between."""
    if shape["kind"] == "tube":
        return [(np.array([shape["from"], shape["to"]]), float(np.mean(shape["radii"])))]
    if shape["kind"] in ("drum", "ring"):
        at, half = np.array(shape["at"]), 0.5 * shape["length"] * np.array(shape["axis"])
        inner = 0.15 if shape["kind"] == "drum" else 0.0
        pieces = [(-1.0, -inner), (inner, 1.0)] if inner else [(-1.0, 1.0)]
        return [(np.array([at + a * half, at + b * half]), shape["radius"]) for a, b in pieces]
    if shape["kind"] == "box":
        frame, size = np.array(shape["frame"]), np.array(shape["size"])
        k = int(np.argmax(size))
        way = 0.5 * size[k] * frame[:3, k]
        return [(np.stack([frame[:3, 3] - way, frame[:3, 3] + way]), 0.5 * float(np.sort(size)[1]))]
    return []


def triad(place: Any, pose: Array, length: float, axes: Sequence[int]) -> None:
    for k, colour in enumerate(TRIAD):
        ends = np.stack([pose[:3, 3], pose[:3, 3] + length * pose[:3, k]])[:, list(axes)]
        place.plot(*ends.T, color=colour, linewidth=2.0, zorder=35, solid_capstyle="round")


def corners(motion: DrawnMotion) -> tuple[Array, Array]:
    """Of all places of all rows, the foot too."""
    record = motion.record
    foot = np.array(record["base"])[:3, 3] * (1 - np.abs(record["up"])) + np.array(record["up"]) * record["floor"]
    points = np.concatenate([motion.points.reshape(-1, 3), foot[None]])
    room = 0.06 * record["size"]
    return points.min(axis=0) - room, points.max(axis=0) + room
