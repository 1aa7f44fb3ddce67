"""A picture of a robot: solids from the back to the front, frames as arrows, names if they are wished for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2s
from html import escape, unescape
from typing import Any

import numpy as np

from manipula.pages.svg.camera import Array, Camera, Sheet, camera_at, sheet_for
from manipula.pages.svg.depth import back_to_front
from manipula.pages.svg.paths import Painter, number, point
from manipula.pages.svg.solids import Solid, solids_of, trimmed

AXES = ("#d55e00", "#009e73", "#0072b2")  # x, y, z: told apart by every eye (Okabe, Ito)
ARROW = 0.11  # of the arm's size
BACKGROUNDS = {"none": "", "light": "#f6f7f8", "dark": "#1b1e21"}
INK = {"none": "#4d565e", "light": "#2f3b44", "dark": "#c9d1d8"}


class Picture(str):
    """The text of an SVG; a notebook shows the picture, a prompt a line."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        title = self.partition("<title>")[2].partition("</title>")[0]
        return f"<picture of {unescape(title)}: SVG of {len(self.encode()) / 1000:.1f} kB; print(…) shows its text>"


@dataclass(frozen=True)
class Style:
    """How it looks: size in points, from where (None: as the record says), which frames, names of joints."""

    width: float = 480.0
    height: float = 420.0
    eye: Sequence[float] | None = None
    frames: str = "tool"  # or "all", "none"
    names: bool = False
    background: str = "none"
    whole: bool = False  # room for all the arm can reach, not only for where it is


def svg_of(record: Mapping[str, Any], poses: Sequence[Array], axes: Sequence[Array], style: Style) -> Picture:
    """`poses` of the base, the links and the tool; `axes` are the frames of the joints."""
    camera = camera_at(style.eye or record["eye"], record["up"])
    places = [*zip((link["shapes"] for link in record["links"]), poses), (record["tool"]["shapes"], poses[-1])]
    whole = [solid for shapes, pose in places for solid in solids_of(shapes, pose, camera, record["size"])]
    solids = trimmed(whole, record["size"])
    sheet = _sheet(record, solids, camera, style, poses)
    painter = Painter(sheet, _prefix(record, poses, style))
    shown = _shown(poses, style)
    body = [
        element
        for i in back_to_front(solids)
        for solid in (solids[i], *solids[i].bands)
        for element in painter.solid(solid, record["paints"][solid.paint])
    ]
    body += [arrow for pose in shown for arrow in _triad(pose, ARROW * record["size"], camera, sheet)]
    body += list(_names(record, axes, camera, sheet, style.background)) if style.names else []
    return _page(record["name"], painter.definitions(), body, style)


def _shown(poses: Sequence[Array], style: Style) -> list[Array]:
    """The frames that have arrows."""
    return {"tool": [poses[-1]], "all": [*poses], "none": []}[style.frames]


def _prefix(record: Mapping[str, Any], poses: Sequence[Array], style: Style) -> str:
    """Of the names of gradients: pictures on one page may not take each other's."""
    told = repr((style, record["name"], [np.round(pose, 6).tolist() for pose in poses]))
    return f"a{blake2s(told.encode(), digest_size=3).hexdigest()}-"


def _sheet(
    record: Mapping[str, Any], solids: Sequence[Solid], camera: Camera, style: Style, poses: Sequence[Array]
) -> Sheet:
    low = np.min([solid.corners[0][:2] for solid in solids], axis=0)
    high = np.max([solid.corners[1][:2] for solid in solids], axis=0)
    for pose in _shown(poses, style):
        tips = camera.points(pose[:3, 3] + ARROW * record["size"] * pose[:3, :3].T)[:, :2]
        low, high = np.minimum(low, tips.min(axis=0)), np.maximum(high, tips.max(axis=0))
    if style.whole:
        centre, radius = camera.points(np.array(record["reach"]["centre"]))[:2], record["reach"]["radius"]
        low, high = np.minimum(low, centre - radius), np.maximum(high, centre + radius)
    return sheet_for(low, high, style.width, style.height, 0.03 * min(style.width, style.height))


def _triad(pose: Array, length: float, camera: Camera, sheet: Sheet) -> Iterator[str]:
    """Three arrows, the one that points away first."""
    start = camera.points(pose[:3, 3])
    ends = camera.points(pose[:3, 3] + length * pose[:3, :3].T)
    wide = 0.07 * length * sheet.scale
    for k in sorted(range(3), key=lambda k: float(ends[k][2])):
        a, b = sheet(start), sheet(ends[k])
        yield from _arrow(a, b, wide, AXES[k])


def _arrow(a: Array, b: Array, wide: float, colour: str) -> Iterator[str]:
    """A line with a head, which is shorter where the arrow is."""
    way = b - a
    long = float(np.hypot(*way))
    if long < 0.5:
        yield f'<circle cx="{number(a[0])}" cy="{number(a[1])}" r="{number(wide)}" fill="{colour}"/>'
        return
    u = way / long
    n, head = np.array([-u[1], u[0]]), min(3.6 * wide, 0.5 * long)
    neck = b - head * u
    line = f'stroke="{colour}" stroke-width="{number(wide)}" stroke-linecap="round"'
    yield f'<path d="M{point(a)}L{point(neck)}" {line}/>'
    yield f'<path d="M{point(b)}L{point(neck + 1.5 * wide * n)}L{point(neck - 1.5 * wide * n)}Z" fill="{colour}"/>'


def _names(
    record: Mapping[str, Any], axes: Sequence[Array], camera: Camera, sheet: Sheet, ground: str
) -> Iterator[str]:
    """Beside the joints, those at one place one under the other."""
    ink, halo = INK[ground], BACKGROUNDS[ground] or "#ffffff"
    taken: list[tuple[float, float]] = []
    for joint, frame in zip(record["joints"], axes):
        x, y = sheet(camera.points(frame[:3, 3])) + np.array([0.05 * record["size"] * sheet.scale + 8, 4])
        while any(abs(x - a) < 40 and abs(y - b) < 13 for a, b in taken):
            y += 13
        taken.append((x, y))
        yield (
            f'<text x="{number(x)}" y="{number(y)}" fill="{ink}" stroke="{halo}" stroke-width="3" paint-order="stroke"'
            f' stroke-opacity=".75" font-family="sans-serif" font-size="12">'
            f"{escape(joint['name'])}</text>"
        )


def _page(title: str, definitions: str, body: Sequence[str], style: Style) -> Picture:
    w, h = number(style.width), number(style.height)
    fill = BACKGROUNDS[style.background]
    ground = f'<rect width="{w}" height="{h}" fill="{fill}"/>' if fill else ""
    name = escape(title)
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" '
        f'aria-label="{name}"><title>{name}</title><defs>{definitions}</defs>{ground}{"".join(body)}</svg>\n'
    )
