"""Figures of matplotlib: an arm, what its tool reaches, how freely it moves, operations by method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.pages.picture import ARROW, AXES
from manipula.pages.projection import Camera, Record, Solid, solids_of

# What figures share: matplotlib, if it is there, colours that every eye distinguishes, axes in metres.

Array = NDArray[np.float64]
Axes = Any  # of matplotlib, an extra: those of a plane and those in space have no class in common with `set_zlim`
Figure = Any
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a6d3b")  # Okabe, Ito
LETTERS = "xyz"
FLAT = 1e-9  # of the size: thinner than this, an arm moves in a plane
IN_SPACE = 0.86  # of a picture's shorter side: how much the diagonal of what is drawn takes


def blank(what: str, size: tuple[float, float], otherwise: str = "") -> Figure:
    """A figure of so many inches; `what` is what needs matplotlib, `otherwise` a way without it."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise InputError("{what} needs matplotlib: pip install 'manipula[plot]'{otherwise}", what, otherwise) from None
    from manipula.pages.notebook_figure import NotebookFigure

    return NotebookFigure(figsize=size, layout="constrained")


def plainly(text: str) -> str:
    """A name as it is: matplotlib reads text between dollars as mathematics."""
    return text.replace("$", r"\$")


def plane_of(points: Array, size: float) -> tuple[int, ...]:
    """Which of x, y, z are drawn: all, or two where everything stays in a plane."""
    thin = np.flatnonzero(np.ptp(points.reshape(-1, 3), axis=0) <= FLAT * size)
    return tuple(i for i in range(3) if i != thin[-1]) if len(thin) else (0, 1, 2)


def set_limits(place: Axes, low: Array, high: Array, axes: Sequence[int]) -> float:
    """All between the corners is within, and a metre is a metre along every axis: so many points as are returned."""
    least = (0.3 if len(axes) == 2 else 0.6) * max(float((high - low).max()), 1e-9)
    extent = np.maximum(high - low, least)[list(axes)] * 1.1
    middle = ((low + high) / 2)[list(axes)]
    for letter, axis, at, wide in zip(LETTERS, axes, middle, extent):
        getattr(place, f"set_{letter}lim")(at - wide / 2, at + wide / 2)
        getattr(place, f"set_{letter}label")(f"{LETTERS[axis]} [m]")
    inches = min(place.figure.get_size_inches())
    if len(axes) == 2:
        place.set_aspect("equal")
        place.grid(alpha=0.3)
        return float(72 * 0.8 * inches / extent.max())
    place.set_box_aspect(extent, zoom=0.93)
    place.set_proj_type("ortho")
    place.locator_params(nbins=5)
    return float(72 * IN_SPACE * inches / np.linalg.norm(extent))


# An arm in matplotlib: its solids as thick lines, in space or, where it moves in a plane, in that plane.

GHOSTS = 5  # arms between the first and the last of a motion
GAP = 0.15  # of half a drum: its ring is between the halves
WORLD = Camera(np.eye(3))  # matplotlib has a camera of its own


class DrawnMotion(NamedTuple):
    """Rows of an arm: `poses` of the base, the links and the tool, each (rows, 4, 4); `axes` of the joints."""

    record: Record
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


def arm_figure(motion: DrawnMotion, *, frames: bool, names: bool, trail: bool) -> Figure:
    """Of several rows the last is drawn whole, some before it faintly, and the way of the tool through all."""
    axes = motion.plane()
    figure = blank("arm.plot", (6.4, 5.8))
    place = figure.add_subplot(projection="3d" if len(axes) == 3 else None)
    points = set_limits(place, *corners(motion), axes)
    if len(axes) == 3:
        look_from(place, motion.record)
    draw_arm(place, motion, axes, points)
    tool = motion.poses[-1]
    if trail and motion.rows > 1:
        place.plot(*tool[:, list(axes), 3].T, color="#e69f00", linewidth=1.6, label="way of the tool", zorder=30)
        place.legend(loc="upper right", fontsize=8)
    shown = motion.poses if frames else motion.poses[-1:]
    for pose in shown:
        triad(place, pose[-1], ARROW * motion.record["size"], axes)
    if names:
        for joint, at in zip(motion.record["joints"], motion.axes):
            place.text(*at[-1, list(axes), 3], plainly(f"  {joint['name']}"), fontsize=8, zorder=40)
    place.set_title(title_of(motion.record), fontsize=11)
    return figure


def title_of(record: Record) -> str:
    """The name, and lengths that were made up."""
    made = [f"{name} = {value:g}" for name, value in record["stand_ins"].items()]
    more = ", …" if len(made) > 4 else ""
    name = plainly(record["name"])
    return f"{name} (stand-ins {', '.join(made[:4])}{more})" if made else name


def look_from(place: Axes, record: Record) -> None:
    """The same eye as other pictures have."""
    up = int(np.argmax(np.abs(record["up"])))
    eye = np.array(record["eye"]) / np.linalg.norm(record["eye"])
    e1, e2 = (up + 1) % 3, (up + 2) % 3
    elevation = float(np.degrees(np.arcsin(eye[up])))
    place.view_init(elevation, float(np.degrees(np.arctan2(eye[e2], eye[e1]))), vertical_axis=LETTERS[up])


def draw_arm(place: Axes, motion: DrawnMotion, axes: Sequence[int], points: float) -> None:
    """The last row whole, where a metre is so many points; some before it as thin lines."""
    for k in sorted({int(k) for k in np.linspace(0, motion.rows - 1, min(motion.rows, GHOSTS + 2))})[:-1]:
        for way in _ways(motion, k):
            place.plot(*way[:, list(axes)].T, color="#7d8790", linewidth=1.4, alpha=0.55, zorder=1, marker=".")
    for line in _sort_by_depth(lines_of(motion, motion.rows - 1), axes):
        _draw(place, line, axes, motion.record["paints"][line.paint], points)


def _ways(motion: DrawnMotion, row: int) -> Iterator[Array]:
    """Every joint and its children, by straight lines."""
    points, tool = motion.points[row], motion.record["tool"]["on"]
    for i, joint in enumerate(motion.record["joints"]):
        if joint["parent"] >= 0:
            yield points[[joint["parent"], i]]
    if tool >= 0:
        yield points[[tool, -1]]


def _draw(place: Axes, line: Solid, axes: Sequence[int], colour: str, points: float) -> None:
    ends = line.ends[:, list(axes)]
    if len(axes) == 2 and np.linalg.norm(ends[1] - ends[0]) < 0.3 * line.length:
        _disc(place, ends.mean(axis=0), line, colour)
        return
    cap, wide = "round" if all(line.round_ends) else "butt", max(2 * line.radii[0] * points, 0.8)
    if line.paint == "link":  # an edge, without which white is lost on white
        _line(place, ends, linewidth=wide + 1.2, color="#8d8b86", capstyle=cap)
    _line(place, ends, linewidth=wide, color=colour, capstyle=cap)


def _disc(place: Axes, at: Array, line: Solid, colour: str) -> None:
    """What is seen from its end; of a ring its edge, so that the joint is seen within."""
    from matplotlib.patches import Circle

    band = line.paint == "accent"
    style = {"fill": False, "linewidth": 1.6, "zorder": 3} if band else {"zorder": 2}
    radius = line.radii[0] * (0.75 if band else 1.0)
    place.add_patch(Circle((float(at[0]), float(at[1])), radius, color=colour, **style))


def _line(place: Axes, ends: Array, **style: object) -> None:
    """Lines in space hide each other only as collections."""
    if ends.shape[1] == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        place.add_collection3d(Line3DCollection([ends], **style))
        return
    from matplotlib.collections import LineCollection

    place.add_collection(LineCollection([ends], zorder=2, **style))


def _sort_by_depth(found: Sequence[Solid], axes: Sequence[int]) -> list[Solid]:
    """In a plane, from the back to the front."""
    if len(axes) == 3:
        return list(found)
    behind = next(i for i in range(3) if i not in axes)
    return sorted(found, key=lambda line: float(line.ends[:, behind].mean()))


def lines_of(motion: DrawnMotion, row: int) -> list[Solid]:
    """The solids of a row as thick lines, bands among them; balls are the ends of tubes. The foot's ends are flat."""
    found = []
    for link, solid in solids_of(motion.record, [pose[row] for pose in motion.poses], WORLD):
        for part in (solid, *solid.bands):
            if part.edges is not None or part.length:
                found.append(replace(_line_of(part), round_ends=(link > 0 and part.paint == "link",) * 2))
    return found


def _line_of(solid: Solid) -> Solid:
    """A box along its longest edge, as thick as the next is long; a tapered tube as thick as in its middle."""
    if solid.edges is not None:
        sizes = np.linalg.norm(solid.edges, axis=1)
        way = solid.edges[int(np.argmax(sizes > (1 - 1e-9) * sizes.max()))]  # of equals the first, whatever rounding
        return replace(solid, ends=solid.middle + np.stack([-way, way]), radii=(float(np.sort(sizes)[1]),) * 2)
    start = solid.ends[0] + GAP * (solid.ends[1] - solid.ends[0]) if solid.half else solid.ends[0]
    return replace(solid, ends=np.stack([start, solid.ends[1]]), radii=(float(np.mean(solid.radii)),) * 2)


def triad(place: Axes, pose: Array, length: float, axes: Sequence[int]) -> None:
    for k, colour in enumerate(AXES):
        ends = np.stack([pose[:3, 3], pose[:3, 3] + length * pose[:3, k]])[:, list(axes)]
        place.plot(*ends.T, color=colour, linewidth=2.0, zorder=35, solid_capstyle="round")


def corners(motion: DrawnMotion) -> tuple[Array, Array]:
    """Of all places of all rows, the foot too."""
    record = motion.record
    foot = np.array(record["base"])[:3, 3] * (1 - np.abs(record["up"])) + np.array(record["up"]) * record["floor"]
    points = np.concatenate([motion.points.reshape(-1, 3), foot[None]])
    room = 0.06 * record["size"]
    return points.min(axis=0) - room, points.max(axis=0) + room


# What a tool can reach: many random positions within the limits, seen from above and from a side, coloured by how
# freely the tool can move there at best.

CELLS = 50  # along the longer side


def workspace_figure(motion: DrawnMotion, points: Array, freedom: Array) -> Figure:
    """`motion` is the arm as it is drawn in it, one row; `points` (count, 3) of the tool, `freedom` of each."""
    record = motion.record
    seen = np.concatenate([points, *(corner[None] for corner in corners(motion))])
    low, high = seen.min(axis=0), seen.max(axis=0)
    up = int(np.argmax(np.abs(record["up"])))
    first, second = sorted(i for i in range(3) if i != up)
    views = [(first, up), (first, second)]
    thin = np.ptp(points, axis=0) <= 1e-9 * record["size"]
    views = [view for view in views if not thin[list(view)].any()] or [(first, up)]
    figure = blank("arm.plot_workspace", (1.2 + 5.0 * len(views), 5.0))
    for place, axes in zip(np.atleast_1d(figure.subplots(1, len(views))), views):
        metre = set_limits(place, low, high, axes)
        x, y = points[:, list(axes)].T
        cells = _cells(place, x, y, freedom, float((high - low).max()))
        draw_arm(place, motion, axes, metre)
        place.set_title("from the side" if up in axes else "from above", fontsize=10)
    figure.colorbar(cells, ax=figure.axes, label="manipulability of the tool's position, of the largest", shrink=0.8)
    figure.suptitle(f"Reach of {title_of(record)}, {len(points)} positions", fontsize=11)
    return figure


def _cells(place: Axes, x: Array, y: Array, freedom: Array, wide: float) -> Any:
    """Of the positions in a small hexagon the freest."""
    grid = [max(int(CELLS * np.ptp(values) / max(wide, 1e-300) * share), 1) for values, share in ((x, 1.0), (y, 0.58))]
    cells = place.hexbin(
        x, y, freedom, gridsize=grid, reduce_C_function=np.max, mincnt=1, linewidths=0.2, vmin=0, vmax=1
    )
    cells.set_rasterized(True)  # thousands: a file of megabytes else
    return cells


# How freely a tool moves and how hard it can push, as ellipsoids.
#
# Joint rates of length 1 move the tool's origin within  vᵀ (J Jᵀ)⁻¹ v ≤ 1;  joint efforts of length 1 hold forces
# within  fᵀ J Jᵀ f ≤ 1:  the same axes, the lengths σ and 1/σ of the singular values of J.
#
# Source: T. Yoshikawa, "Manipulability of robotic mechanisms", International Journal of Robotics Research 4(2), 1985.

LENGTH = 0.22  # of the arm's size: the longest axis as it is drawn
SINGULAR = 1e-9  # of the largest singular value: nothing
ELLIPSOID_COLOURS = {"velocity": "#0072b2", "force": "#d55e00"}


def ellipsoid_figure(motion: DrawnMotion, J: Array, units: tuple[str, str]) -> Figure:
    """`J` (3, n) of the tool's origin; `units` of velocities and forces for a joint's unit."""
    axes = motion.plane()
    U, sigma, _ = np.linalg.svd(J)
    sigma = np.concatenate([sigma, np.zeros(3 - len(sigma))])
    figure = blank("arm.plot_ellipsoid", (6.6, 6.0))
    place = figure.add_subplot(projection="3d" if len(axes) == 3 else None)
    size = motion.record["size"]
    tool = motion.poses[-1][-1, :3, 3]
    low, high = corners(motion)
    metre = set_limits(place, np.minimum(low, tool - LENGTH * size), np.maximum(high, tool + LENGTH * size), axes)
    if len(axes) == 3:
        look_from(place, motion.record)
    draw_arm(place, motion, axes, metre)
    free = sigma > SINGULAR * max(float(sigma.max()), 1e-300)
    pushes = np.where(free, 1 / np.where(free, sigma, 1.0), np.inf)
    for (name, colour), lengths, unit in zip(ELLIPSOID_COLOURS.items(), (sigma, pushes), units):
        _ellipsoid(
            place, tool, U, lengths, LENGTH * size, axes, colour, f"{name}: {_lengths_text(lengths, axes, U)} {unit}"
        )
    figure.legend(loc="outside lower center", fontsize=8, title="half axes", title_fontsize=8)
    place.set_title(title_of(motion.record), fontsize=11)
    return figure


def _lengths_text(lengths: Array, axes: Sequence[int], U: Array) -> str:
    """In a plane without the axis that leaves it."""
    kept = [x for x, way in zip(lengths, U.T) if len(axes) == 3 or np.abs(way[list(axes)]).max() > 1e-6]
    return ", ".join("∞" if np.isinf(x) else f"{x:.3g}" for x in kept)


def _ellipsoid(
    place: Axes, at: Array, U: Array, lengths: Array, longest: float, axes: Sequence[int], colour: str, label: str
) -> None:
    """Its longest finite axis is drawn as long as can be seen well; one without end twice as long."""
    finite = lengths[np.isfinite(lengths)]
    scale = longest / max(float(finite.max(initial=0.0)), 1e-300)
    drawn = np.where(np.isfinite(lengths), lengths * scale, 2 * longest)
    if len(axes) == 2:
        angle = np.linspace(0, 2 * np.pi, 121)
        kept = [k for k in range(3) if np.abs(U[list(axes), k]).max() > 1e-6][:2]
        ring = sum((np.outer(f(angle), drawn[k] * U[:, k]) for f, k in zip((np.cos, np.sin), kept)), np.zeros((121, 3)))
        x, y = (at + ring)[:, list(axes)].T
        place.plot(x, y, color=colour, linewidth=1.8, label=label, zorder=5)
        place.fill(x, y, color=colour, alpha=0.15, zorder=4)
        return
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 21), np.linspace(0, np.pi, 11))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1)
    x, y, z = np.moveaxis(at + (ball * drawn) @ U.T, -1, 0)
    place.plot_wireframe(x, y, z, color=colour, linewidth=0.5, alpha=0.8, label=label)


# Operations by method as bars, beside published counts.

MOST = 40  # bars of one figure


class Bar(NamedTuple):
    """A method of a model: products, sums; `source` of one that others published."""

    model: str
    method: str
    mul: int
    add: int
    source: str = ""


def counts_figure(bars: Sequence[Bar], title: str) -> Figure:
    """Products and sums side by side on each bar, the total at its end; published ones are hatched."""
    shown = list(bars)[:MOST]
    figure = blank("plot_counts", (7.4, 0.9 + 0.27 * max(len(shown), 3)))
    place = figure.subplots()
    rows = range(len(shown))
    for part, left, colour in (("mul", None, COLOURS[0]), ("add", "mul", COLOURS[5])):
        lengths = [getattr(bar, part) for bar in shown]
        start = [getattr(bar, left) for bar in shown] if left else 0
        word = {"mul": "products", "add": "sums"}[part]
        drawn = place.barh(rows, lengths, left=start, height=0.72, color=colour, label=word)
        for bar, patch in zip(shown, drawn):
            patch.set_hatch("//" if bar.source else "")
            patch.set_edgecolor("white")
    for row, bar in zip(rows, shown):
        place.text(bar.mul + bar.add, row, f" {bar.mul + bar.add}", va="center", fontsize=8)
    several = len({bar.model for bar in shown}) > 1
    labels = [f"{bar.model}: {bar.method}" if several else bar.method for bar in shown]
    place.set_yticks(rows, [f"{x} [{bar.source}]" if bar.source else x for x, bar in zip(labels, shown)], fontsize=8)
    place.invert_yaxis()
    place.margins(x=0.1)
    place.set_xlabel("operations a call")
    figure.legend(fontsize=8, loc="outside lower right", ncols=2)
    place.spines[["top", "right"]].set_visible(False)
    place.set_title(plainly(title), fontsize=11)
    return figure
