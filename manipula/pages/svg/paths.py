"""Solids as elements of SVG."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from manipula.pages.svg.camera import Array, Sheet
from manipula.pages.svg.shading import Stops, across, glow, lit
from manipula.pages.svg.solids import Solid

EYE = np.array([0.0, 0.0, 1.0])  # where it is seen from
FINE = 0.05  # points: nothing smaller is drawn


def number(x: float, digits: int = 1) -> str:
    """No more signs than needed."""
    text = f"{float(x):.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def point(at: Array) -> str:
    return f"{number(at[0])} {number(at[1])}"


class Painter:
    """Collects the gradients that elements are filled with, each once; `prefix` tells them from other pictures'."""

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
        return self._kept("linearGradient", " ".join(f'{name}="{number(x)}"' for name, x in places), stops)

    def ball_fill(self, colour: str, at: Array, r: float) -> str:
        lightest = f'cx="{number(at[0] - 0.3 * r)}" cy="{number(at[1] - 0.4 * r)}" r="{number(1.45 * r)}"'
        return self._kept("radialGradient", lightest, glow(colour))

    def _kept(self, kind: str, places: str, stops: Stops) -> str:
        colours = "".join(f'<stop offset="{number(at, 2)}" stop-color="{colour}"/>' for at, colour in stops)
        text = f'<{kind} id="?" gradientUnits="userSpaceOnUse" {places}>{colours}</{kind}>'
        return f"url(#{self.gradients.setdefault(text, f'{self.prefix}{len(self.gradients)}')})"

    def definitions(self) -> str:
        return "".join(text.replace('id="?"', f'id="{name}"', 1) for text, name in self.gradients.items())
