"""A picture of a robot: solids from the back to the front, frames as arrows, names if they are wished for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2s
from html import escape, unescape

import numpy as np

from manipula.pages import projection
from manipula.pages.projection import Array, Camera, Record, Sheet, Solid

# Light: from above, from the left, from behind the eye; matt paint, and some light from all around.

Stops = list[tuple[float, str]]
LIGHT = np.array([-0.40, 0.62, 0.68])
AROUND, DIRECT, SHINE = 0.68, 0.46, 0.10  # shares of the paint's own colour, and of white where it faces the light
ACROSS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # of a round side, where a gradient has its colours
AWAY = (0.0, 0.35, 0.7, 0.9, 1.0)  # of a ball, from its lightest place to its edge


def lit(colour: str, normal: Array) -> str:
    """The colour of a surface that faces that way."""
    return _lit(colour, max(float(normal @ LIGHT), 0.0) / float(np.linalg.norm(LIGHT)))


def _lit(colour: str, towards: float) -> str:
    level, white = AROUND + DIRECT * towards, 255 * SHINE * towards**8
    return "#" + "".join(f"{min(round(x * level + white), 255):02x}" for x in rgb(colour))


@cache
def rgb(colour: str) -> tuple[int, int, int]:
    r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return r, g, b


def across(colour: str, side: Array, front: Array) -> Stops:
    """A round side from −side to +side; `front` is its normal in the middle."""
    return [((s + 1) / 2, lit(colour, s * side + np.sqrt(1 - s * s) * front)) for s in ACROSS]


def glow(colour: str) -> Stops:
    """A ball: the surface turns from the light as the sine of the way to its edge."""
    return [(s, _lit(colour, float(np.sqrt(1 - (0.98 * s) ** 2)) * (1 - 0.35 * s))) for s in AWAY]


# Solids as elements of SVG.

EYE = np.array([0.0, 0.0, 1.0])  # where it is seen from
FINE = 0.05  # points: nothing smaller is drawn


def number(x: float, digits: int = 1) -> str:
    """No more signs than needed."""
    text = f"{float(x):.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def point(at: Array) -> str:
    return f"{number(at[0])} {number(at[1])}"


class Painter:
    """Collects the gradients that elements are filled with, each once; `prefix` keeps other pictures' apart."""

    def __init__(self, sheet: Sheet, prefix: str) -> None:
        self.sheet, self.prefix = sheet, prefix
        self.gradients: dict[str, str] = {}

    def solid(self, solid: Solid, colour: str) -> Iterator[str]:
        if solid.edges is not None:
            return self.box(solid, solid.edges, colour)
        axis = solid.ends[1] - solid.ends[0]
        seen_from_end = np.linalg.norm(axis[:2]) * self.sheet.scale < FINE
        return self.disc(solid, colour) if seen_from_end else self.rod(solid, colour)

    def disc(self, solid: Solid, colour: str) -> Iterator[str]:
        """A ball, or a cylinder seen from its end."""
        near = int(solid.ends[1][2] > solid.ends[0][2])
        at, r = self.sheet(solid.ends[near]), max(solid.radii) * self.sheet.scale
        fill = self.ball_fill(colour, at, r) if solid.round_ends[near] else lit(colour, EYE)
        yield f'<circle cx="{number(at[0])}" cy="{number(at[1])}" r="{number(r)}" fill="{fill}"/>'

    def rod(self, solid: Solid, colour: str) -> Iterator[str]:
        """A side with a gradient over it; flat ends are ellipses, of which the near one is seen."""
        a = (solid.ends[1] - solid.ends[0]) / np.linalg.norm(solid.ends[1] - solid.ends[0])
        side = np.array([-a[1], a[0], 0.0]) / np.hypot(a[0], a[1])
        front = np.cross(side, a) if np.cross(side, a)[2] > 0 else np.cross(a, side)
        across_sheet, along = np.array([side[0], -side[1]]), np.array([side[1], side[0]])
        ends, radii = self.sheet(solid.ends), np.array(solid.radii) * self.sheet.scale
        middle, half = ends.mean(axis=0), across_sheet * radii.max()
        fill = self.side_fill(across(colour, side, front), middle - half, middle + half)
        left, right = ends + across_sheet * radii[:, None], ends - across_sheet * radii[:, None]
        lean = float(abs(a[2]))
        turn = float(np.degrees(np.arctan2(along[1], along[0])))
        sweep = int(across_sheet[0] * along[1] - across_sheet[1] * along[0] > 0)

        def arc(k: int, to: Array) -> str:
            wide = radii[k] * (1.0 if solid.round_ends[k] else lean)
            return f"A{number(wide)} {number(radii[k])} {number(turn)} 0 {sweep} {point(to)}" if wide > FINE else ""

        outline = f"M{point(left[0])}L{point(left[1])}{arc(1, right[1])}L{point(right[1])} {point(right[0])}"
        yield f'<path d="{outline}{arc(0, left[0])}Z" fill="{fill}"/>'
        near = int(a[2] > 0)
        if not solid.round_ends[near] and lean * radii[near] > FINE:
            sizes = f'rx="{number(radii[near] * lean)}" ry="{number(radii[near])}"'
            place = f'transform="translate({point(ends[near])})rotate({number(turn)})"'
            yield f'<ellipse {sizes} {place} fill="{lit(colour, a if near else -a)}"/>'

    def box(self, solid: Solid, edges: Array, colour: str) -> Iterator[str]:
        """The faces towards the eye."""
        for k in range(2 if solid.hollow else 3):
            out = edges[k] * np.sign(edges[k][2])
            normal = out / max(float(np.linalg.norm(edges[k])), 1e-300)
            if normal[2] < 1e-6:
                continue
            u, v = edges[k - 2], edges[k - 1]
            corners = [solid.middle + out + s * u + t * v for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            outline = "L".join(point(self.sheet(corner)) for corner in corners)
            yield f'<path d="M{outline}Z" fill="{lit(colour, normal)}"/>'

    def side_fill(self, stops: Stops, start: Array, end: Array) -> str:
        places = zip(("x1", "y1", "x2", "y2"), (*start, *end))
        return self._gradient_url("linearGradient", " ".join(f'{name}="{number(x)}"' for name, x in places), stops)

    def ball_fill(self, colour: str, at: Array, r: float) -> str:
        lightest = f'cx="{number(at[0] - 0.3 * r)}" cy="{number(at[1] - 0.4 * r)}" r="{number(1.45 * r)}"'
        return self._gradient_url("radialGradient", lightest, glow(colour))

    def _gradient_url(self, kind: str, places: str, stops: Stops) -> str:
        colours = "".join(f'<stop offset="{number(at, 2)}" stop-color="{colour}"/>' for at, colour in stops)
        text = f'<{kind} id="?" gradientUnits="userSpaceOnUse" {places}>{colours}</{kind}>'
        return f"url(#{self.gradients.setdefault(text, f'{self.prefix}{len(self.gradients)}')})"

    def definitions(self) -> str:
        return "".join(text.replace('id="?"', f'id="{name}"', 1) for text, name in self.gradients.items())


AXES = ("#d55e00", "#009e73", "#0072b2")  # x, y, z: distinct to every eye (Okabe, Ito)
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


def svg_of(record: Record, poses: Sequence[Array], axes: Sequence[Array], style: Style) -> Picture:
    """`poses` of the base, the links and the tool; `axes` are the frames of the joints."""
    camera = projection.camera_at(style.eye or record["eye"], record["up"])
    solids = projection.trim_rods([x for _, x in projection.solids_of(record, poses, camera)], record["size"])
    sheet = _sheet(record, solids, camera, style, poses)
    painter = Painter(sheet, _prefix(record, poses, style))
    shown = _frames_with_arrows(poses, style)
    body = [
        element
        for i in projection.back_to_front(solids)
        for solid in (solids[i], *solids[i].bands)
        for element in painter.solid(solid, record["paints"][solid.paint])
    ]
    body += [arrow for pose in shown for arrow in _triad(pose, ARROW * record["size"], camera, sheet)]
    body += list(_names(record, axes, camera, sheet, style.background)) if style.names else []
    return _page(record["name"], painter.definitions(), body, style)


PALE = 0.45  # of the frame that stands still
SEEN_FROM = (1.0, 0.7, 0.6)


def frames_svg(poses: Sequence[Array], labels: Sequence[str], eye: Sequence[float] | None = None) -> Picture:
    """Frames alone, their axes labelled x y z with the index of each; the first one is pale."""
    camera, style = projection.camera_at(eye or SEEN_FROM, (0.0, 0.0, 1.0)), Style(background="light")
    places = np.array([pose[:3, 3] for pose in poses])
    apart = float(np.linalg.norm(places.max(axis=0) - places.min(axis=0)))
    length = 0.5 * apart if apart > 1e-9 else 1.0
    tips = [camera.points(pose[:3, 3] + 1.15 * length * pose[:3, :3].T)[:, :2] for pose in poses]
    seen = np.concatenate([*tips, camera.points(places)[:, :2]])
    sheet = projection.sheet_for(seen.min(axis=0), seen.max(axis=0), style.width, style.height, 30.0)
    body = []
    for k, (pose, label) in enumerate(zip(poses, labels, strict=True)):
        arrows = "".join(_triad(pose, length, camera, sheet, 4.0))
        words = "".join(_axis_label(sheet(tips[k][i]), f"{name}{label}", AXES[i]) for i, name in enumerate("xyz"))
        body.append(f'<g opacity="{PALE if k == 0 and len(poses) > 1 else 1}">{arrows}{words}</g>')
    return _page(f"frames {', '.join(labels)}", "", body, style)


def _axis_label(at: Array, name: str, colour: str) -> str:
    index = f'<tspan font-size="11" dy="4">{escape(name[1:])}</tspan>' if name[1:] else ""
    return (
        f'<text x="{number(at[0])}" y="{number(at[1] + 5)}" fill="{colour}" text-anchor="middle" '
        f'font-family="sans-serif" font-style="italic" font-size="16">{name[0]}{index}</text>'
    )


def _frames_with_arrows(poses: Sequence[Array], style: Style) -> list[Array]:
    """The frames that have arrows."""
    return {"tool": [poses[-1]], "all": [*poses], "none": []}[style.frames]


def _prefix(record: Record, poses: Sequence[Array], style: Style) -> str:
    """Of the names of gradients: pictures on one page may not take each other's."""
    told = repr((style, record["name"], [np.round(pose, 6).tolist() for pose in poses]))
    return f"a{blake2s(told.encode(), digest_size=3).hexdigest()}-"


def _sheet(record: Record, solids: Sequence[Solid], camera: Camera, style: Style, poses: Sequence[Array]) -> Sheet:
    low = np.min([solid.corners[0][:2] for solid in solids], axis=0)
    high = np.max([solid.corners[1][:2] for solid in solids], axis=0)
    for pose in _frames_with_arrows(poses, style):
        tips = camera.points(pose[:3, 3] + ARROW * record["size"] * pose[:3, :3].T)[:, :2]
        low, high = np.minimum(low, tips.min(axis=0)), np.maximum(high, tips.max(axis=0))
    if style.whole:
        centre, radius = camera.points(np.array(record["reach"]["centre"]))[:2], record["reach"]["radius"]
        low, high = np.minimum(low, centre - radius), np.maximum(high, centre + radius)
    return projection.sheet_for(low, high, style.width, style.height, 0.03 * min(style.width, style.height))


def _triad(pose: Array, length: float, camera: Camera, sheet: Sheet, wide: float | None = None) -> Iterator[str]:
    """Three arrows, the one that points away first."""
    start = camera.points(pose[:3, 3])
    ends = camera.points(pose[:3, 3] + length * pose[:3, :3].T)
    wide = 0.07 * length * sheet.scale if wide is None else wide
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


def _names(record: Record, axes: Sequence[Array], camera: Camera, sheet: Sheet, ground: str) -> Iterator[str]:
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
