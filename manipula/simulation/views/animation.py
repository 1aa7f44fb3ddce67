"""A run as a moving picture: the links as lines, the way of the tool, the time."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.pages.plots.canvas import framed
from manipula.simulation.views.skeleton import Array, Frames, Moved, Skeleton, skeleton_of
from manipula.support.files import write_text

KINDS = {".gif": "pillow", ".mp4": "ffmpeg", ".html": ""}  # and who writes them
MOST = 3000  # pictures of one file
LARGEST = 200.0  # MB of a page, which has every picture in it
TRAIL = 1000  # points of the tool's way, about


class Trail(NamedTuple):
    """Where the tool was, (time, 3)."""

    t: Array
    points: Array


def animation_of(run: Moved, frames: Frames, row: Any, rate: float, speed: float) -> Any:
    """The animation of matplotlib, `rate` pictures a second, time going `speed` times as fast as in the world."""
    try:
        from matplotlib.animation import FuncAnimation
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("run.animate needs matplotlib: pip install 'manipula[plot]'") from None
    times = _times(run.t, _above("rate", rate), _above("speed", speed))
    rows = _row(run.q, row)
    bones = skeleton_of(run.robot, frames, np.stack([np.interp(times, run.t, x) for x in rows.T], axis=-1))
    few = slice(None, None, max(len(run.t) // TRAIL, 1))
    trail = Trail(run.t[few], skeleton_of(run.robot, frames, rows[few]).points[:, -1])
    figure = Figure(figsize=(5.6, 5.0), dpi=100)
    FigureCanvasAgg(figure)  # which needs no screen
    draw = _drawn(figure, bones, trail, times, run.robot.name)
    return FuncAnimation(figure, draw, frames=len(times), interval=1000 / rate, blit=False, repeat=True)


def refuse_kind(path: Path) -> None:
    """Of a file that nobody can write here: told before the pictures are made."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise UnknownNameError("kind of animation", kind or path.name, KINDS)
    try:
        from matplotlib.animation import writers
    except ImportError:
        return  # which is told by itself
    if KINDS[kind] and not writers.is_available(KINDS[kind]):
        raise InputError(
            "{path}: no {kinds} is installed, which writes {kind}; .gif or .html need none", path, KINDS[kind], kind
        )


def save_animation(moving: Any, path: Path, rate: float) -> Path:
    """As .gif, .mp4 (where ffmpeg is) or a page .html that stands alone."""
    kind = path.suffix.lower()
    if kind == ".html":
        return write_text(path, _page(moving, rate))
    path.parent.mkdir(parents=True, exist_ok=True)
    moving.save(path, writer=KINDS[kind], fps=rate)
    return path


def _page(moving: Any, rate: float) -> str:
    from matplotlib import rc_context

    with rc_context({"animation.embed_limit": LARGEST}):
        body = moving.to_jshtml(fps=rate)
    head = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>animation</title></head>'
    return f"{head}\n<body>{body}</body></html>\n"


def _times(t: Array, rate: float, speed: float) -> Array:
    count = int(np.ceil((t[-1] - t[0]) / speed * rate)) + 1
    if count > MOST:
        raise InputError(
            "animate: {count} pictures are too many; rate= or speed= makes them fewer than {most}", count, MOST
        )
    return np.linspace(float(t[0]), float(t[-1]), max(count, 2))


def _row(q: Array, row: Any) -> Array:
    """Positions (time, n) of one arm of a batch."""
    try:
        found = q[row if isinstance(row, tuple) else (row,)] if q.ndim > 2 else q
    except (IndexError, TypeError):
        found = np.empty(0)
    if found.ndim != 2:
        shape = " × ".join(map(str, q.shape[:-2]))
        raise InputError("row: expected the number of an arm in a batch of {shape}, found {row!r:.60}", shape, row)
    return found


def _above(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value) or value <= 0:
        raise InputError("{name}: expected a number above 0, found {value!r:.60}", name, value)
    return float(value)


def _drawn(figure: Any, bones: Skeleton, way: Trail, times: Array, title: str) -> Any:
    """The first picture, and the function that makes it the k-th."""
    axes = bones.axes
    cut = list(axes)
    place = figure.add_subplot(projection="3d" if len(axes) == 3 else None)
    points = np.concatenate([bones.points.reshape(-1, 3), way.points])
    framed(place, points.min(axis=0), points.max(axis=0), axes)
    place.set_title(title, fontsize=11)
    nothing: list[list[float]] = [[]] * len(axes)
    (trail,) = place.plot(*nothing, color="tab:orange", linewidth=1.0)
    links = [place.plot(*nothing, color="tab:blue", linewidth=3.5, solid_capstyle="round")[0] for _ in bones.bones]
    (dots,) = place.plot(*nothing, color="black", marker="o", markersize=4, linestyle="none")
    (tool,) = place.plot(*nothing, color="tab:orange", marker="o", markersize=6, linestyle="none")
    clock = figure.text(0.03, 0.95, "", fontsize=10)

    def draw(k: int) -> list[Any]:
        now = bones.points[k][:, cut]
        for line, bone in zip(links, bones.bones, strict=True):
            _set(line, now[list(bone)])
        _set(dots, now[:-1])
        _set(tool, now[-1:])
        _set(trail, np.concatenate([way.points[way.t < times[k]][:, cut], now[-1:]]))
        clock.set_text(f"t = {times[k]:.2f} s")
        return [*links, dots, tool, trail, clock]

    return draw


def _set(line: Any, points: Array) -> None:
    if points.shape[1] == 3:
        line.set_data_3d(*points.T)
    else:
        line.set_data(*points.T)
