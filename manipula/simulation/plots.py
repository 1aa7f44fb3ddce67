"""A run as pictures: a figure of matplotlib, and a page of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import degrees as in_degrees
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.generation.arm_structure import numeric_chain
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.pages.charts import Chart, ChartLine
from manipula.pages.page import charts, page, paragraph, section, table
from manipula.pages.plots import COLOURS, blank, plainly, plane_of, set_limits
from manipula.simulation.stepping import Array, Limits
from manipula.support.files import write_text

# The bones of an arm along time: where the base, its links and the tool are, and which of them hang together.

Frames = Callable[[Array], object]  # positions (time, n) → poses of the links, then of the tool


class Moved(Protocol):
    """What can be shown: a robot along time, as in a `Run`."""

    @property
    def robot(self) -> RobotDescription: ...
    @property
    def t(self) -> Array: ...
    @property
    def q(self) -> Array: ...


class Skeleton(NamedTuple):
    """`points` (time, count, 3): the base, the origin of every link's frame, the tool, metres in the world; `bones` are
    pairs of them."""

    points: Array
    bones: tuple[tuple[int, int], ...]

    @property
    def axes(self) -> tuple[int, ...]:
        return plane_of(self.points, max(float(np.ptp(self.points.reshape(-1, 3), axis=0).max()), 1e-12))


def skeleton_of(robot: RobotDescription, frames_at: Frames, q: Array) -> Skeleton:
    """Along the positions (time, n)."""
    chain = numeric_chain(robot)
    frames = np.asarray(frames_at(q))
    points = frames[..., :3, 3]
    if not robot.moving:  # else the base is the first of the frames
        base = np.broadcast_to(np.array(chain.base.p, dtype=float), (len(q), 1, 3))
        points = np.concatenate([base, points], axis=1)
    bones = [(parent + 1, i + 1) for i, parent in enumerate(chain.parents)]
    return Skeleton(points, (*bones, (chain.holder + 1, len(bones) + 1)))


WITHOUT = Message("; run.report needs nothing")
ROWS_SHOWN = 20  # of a batch: more lines hide each other
MOST_ENTRIES = 100  # of what a law remembered: a covariance has thousands
SECONDS = ("sample", "step", "until")  # of what is shown about a run


class Shown(Moved, Protocol):
    """What is drawn: `Run`."""

    @property
    def tau(self) -> Array: ...
    @property
    def ref(self) -> Any: ...
    @property
    def state(self) -> Mapping[str, Array]: ...
    @property
    def balance(self) -> Any: ...
    @property
    def joints(self) -> tuple[str, ...]: ...
    @property
    def turns(self) -> list[bool]: ...
    @property
    def modes(self) -> Sequence[Any]: ...
    @property
    def about(self) -> Any: ...
    def peaks(self) -> list[dict[str, object]]: ...


class Panel(NamedTuple):
    """One picture: a joint's quantity over time. `lines` are (name, (rows, time), dashed)."""

    row: str
    joint: str
    label: str
    lines: list[tuple[str, Array, bool]]
    levels: list[float]


def panels(run: Shown, degrees: bool) -> list[list[Panel]]:
    """Rows of pictures: positions beside what was wanted, the error, how far motors are ahead of elastic joints,
    torques beside their limits; a column a joint."""
    effort = Limits(run.robot).effort
    shown = {"position": True, "error": run.ref is not None, "spring": "motor" in run.state, "torque": True}
    names = [name for name, there in shown.items() if there]
    found: dict[str, list[Panel]] = {name: [] for name in names}
    for j, (joint, turns) in enumerate(zip(run.joints, run.turns)):
        unit = ("deg" if degrees else "rad") if turns else "m"
        scale = in_degrees(1.0) if turns and degrees else 1.0
        here = scale * _rows(run.q[..., j])
        lines = [("actual", here, False)]
        if run.ref is not None:
            wanted = scale * _rows(run.ref.q[..., j])
            lines.append(("wanted", wanted, True))
            found["error"].append(Panel("error", joint, f"error [{unit}]", [("", wanted - here, False)], []))
        if "motor" in run.state:
            ahead = scale * _rows(run.state["motor"][..., j] - run.q[..., j])
            found["spring"].append(Panel("spring", joint, f"motor − joint [{unit}]", [("", ahead, False)], []))
        found["position"].append(Panel("position", joint, f"position [{unit}]", lines, []))
        limits = [-effort[j], effort[j]] if np.isfinite(effort[j]) else []
        label = "torque [N·m]" if turns else "force [N]"
        found["torque"].append(Panel("torque", joint, label, [("", _rows(run.tau[..., j]), False)], limits))
    return [found[name] for name in names]


def _rows(values: Array) -> Array:
    """(rows, time), the first few of a batch."""
    return values.reshape(-1, values.shape[-1])[:ROWS_SHOWN]


def figure_of(run: Shown, degrees: bool, state: str | None) -> object:
    """The grid as a figure of matplotlib, which is not shown: a notebook does it, `savefig` writes it."""
    if state is not None:
        return _figure_of_state(run, state, blank("run.plot", (7.0, 3.5), WITHOUT))
    grid = panels(run, degrees)
    figure = blank("run.plot", (max(2.7 * len(run.joints), 5.0), 2.1 * len(grid) + 0.6), WITHOUT)
    axes = figure.subplots(len(grid), len(run.joints), sharex=True, squeeze=False)
    rests = rests_by_joint(run)
    for places, row in zip(axes, grid):
        for j, (place, panel) in enumerate(zip(places, row)):
            _mark(place, rests[j])
            _draw(place, panel, run.t)
            place.set_title(plainly(panel.joint) if row is grid[0] else "", fontsize=10)
            place.set_xlabel("time [s]" if row is grid[-1] else "")
    marks = "; grey: held by friction or a stop" if any(rests) else ""
    figure.suptitle(plainly(f"{run.robot.name}, {run.about.get('law') or 'no law'}{marks}"), fontsize=11)
    return figure


def rests_by_joint(run: Shown) -> list[list[tuple[float, float]]]:
    """Of every joint the times in which it is held; none of a batch, whose rows rest at different times."""
    alone = run.q.ndim == 2
    return [[(x.since, x.until) for x in run.modes if alone and x.joint == j] for j in range(len(run.joints))]


def _mark(place: Any, rests: Sequence[tuple[float, float]]) -> None:
    for since, until in rests:
        place.axvspan(since, until, color="#7d8790", alpha=0.22, linewidth=0)


def _figure_of_state(run: Shown, name: str, figure: Any) -> object:
    """What the law remembered, every entry a line; of a batch the first row."""
    if name not in run.state:
        raise UnknownNameError("state of the law of this run", name, run.state)
    place = figure.subplots()
    for i, values in enumerate(_entries(run.state[name]), start=1):
        place.plot(run.t, values, linewidth=1.3, label=f"{name} {i}")
    place.set_xlabel("time [s]")
    place.set_ylabel(f"{name} [SI]")
    place.grid(alpha=0.3)
    place.legend(fontsize=7, ncols=1 + run.state[name].shape[-1] // 12, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(plainly(f"{run.robot.name}, {run.about.get('law')}"), fontsize=11)
    return figure


def _entries(state: Array) -> Array:
    """(entries, time) of the first row."""
    return np.asarray(state.reshape(-1, *state.shape[-2:])[0].T)


def _draw(place: Any, panel: Panel, t: Array) -> None:
    for name, values, dashed in panel.lines:
        alone = len(values) == 1
        style = {"color": "black" if dashed else COLOURS[0] if alone else None, "linestyle": "--" if dashed else "-"}
        for i, line in enumerate(values):
            place.plot(t, line, linewidth=1.3 if alone else 0.7, label=name if i == 0 and name else None, **style)
    highest = max(float(np.abs(values).max()) for _, values, _ in panel.lines)
    for level in panel.levels:
        if abs(level) <= 2 * highest:
            place.axhline(level, color="grey", linestyle=":", linewidth=1)
    place.set_ylabel(panel.label, fontsize=9)
    place.tick_params(labelsize=8)
    place.ticklabel_format(axis="y", scilimits=(-3, 4))
    place.grid(alpha=0.3)
    if len(panel.lines) > 1 and len(panel.lines[0][1]) == 1:
        place.legend(fontsize=7)


def save_figure(figure: Any, path: Path) -> Path:
    """Written in the format of its ending."""
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.removeprefix(".").lower() not in known:
        raise InputError(
            "{path}: expected a picture that ends in .png, .svg or .pdf, found {suffix!r}",
            path,
            path.suffix or Message("no ending"),
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return path


def report_of(run: Shown, degrees: bool) -> str:
    """The page: what was run, the largest values, the balance, the pictures."""
    told = {f"{name} [s]" if name in SECONDS else name: x for name, x in run.about.items() if x is not None}
    settings = [[name, _text(value)] for name, value in told.items()]
    heads = ("joint", "unit", "lowest", "highest", "largest speed", "largest torque or force", "largest error")
    keys = ("joint", "unit", "lowest", "highest", "speed", "torque", "error")
    peaks = [[_text(row[key]) for key in keys] for row in run.peaks()]
    drawn = [_chart(panel, run.t) for row in panels(run, degrees) for panel in row]
    balance = f"Energy in − stored − lost, over the largest energy that took part: {np.max(run.balance):.1e}."
    parts = [
        section("What was run", table("", ("setting", "value"), settings), paragraph(balance)),
        section("Largest values", table("SI units and radians", heads, peaks)),
        section("Over time", charts(drawn)),
    ]
    learnt = [_memory(name, values, run.t) for name, values in run.state.items() if values.shape[-1] <= MOST_ENTRIES]
    parts += [section("What was remembered", charts(learnt))] if learnt else []
    return page(f"Run of {run.robot.name}", parts)


def _chart(panel: Panel, t: Array) -> Chart:
    lines = [
        ChartLine(name if i == 0 else "", row.tolist(), dashed, 1 if dashed and len(values) == 1 else i)
        for name, values, dashed in panel.lines
        for i, row in enumerate(values)
    ]
    return Chart(f"{panel.joint}: {panel.row}", "time [s]", panel.label, t.tolist(), lines, panel.levels)


def _memory(name: str, values: Array, t: Array) -> Chart:
    lines = [ChartLine(str(i), row.tolist(), colour=i - 1) for i, row in enumerate(_entries(values), start=1)]
    return Chart(name, "time [s]", f"{name} [SI]", t.tolist(), lines)


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_text, value))
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)


# A run as a moving picture: the links as lines, the way of the tool, the time.

KINDS = {".gif": "pillow", ".mp4": "ffmpeg", ".html": ""}  # and who writes them
MOST = 3000  # pictures of one file
LARGEST = 200.0  # MB of a page, which has every picture in it
TRAIL = 1000  # points of the tool's way, about


class Trail(NamedTuple):
    """Where the tool was, (time, 3)."""

    t: Array
    points: Array


def animation_of(run: Moved, frames: Frames, row: object, rate: float, speed: float) -> object:
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
    draw = _draw_first(figure, bones, trail, times, run.robot.name)
    return FuncAnimation(figure, draw, frames=len(times), interval=1000 / rate, blit=False, repeat=True)


def refuse_kind(path: Path) -> None:
    """Of a file that nobody can write here: told before the pictures are made."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise UnknownNameError("kind of animation", kind or path.name, KINDS)
    try:
        from matplotlib.animation import writers
    except ImportError:
        return  # which is shown separately
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


def _row(q: Array, row: object) -> Array:
    """Positions (time, n) of one arm of a batch."""
    try:
        found = q[row if isinstance(row, tuple) else (row,)] if q.ndim > 2 else q
    except (IndexError, TypeError):
        found = np.empty(0)
    if found.ndim != 2:
        shape = " × ".join(map(str, q.shape[:-2]))
        raise InputError("row: expected the number of an arm in a batch of {shape}, found {row!r:.60}", shape, row)
    return found


def _above(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value) or value <= 0:
        raise InputError("{name}: expected a number above 0, found {value!r:.60}", name, value)
    return float(value)


def _draw_first(figure: Any, bones: Skeleton, way: Trail, times: Array, title: str) -> Any:
    """The first picture, and the function that makes it the k-th."""
    axes = bones.axes
    cut = list(axes)
    place = figure.add_subplot(projection="3d" if len(axes) == 3 else None)
    points = np.concatenate([bones.points.reshape(-1, 3), way.points])
    set_limits(place, points.min(axis=0), points.max(axis=0), axes)
    place.set_title(title, fontsize=11)
    nothing: list[list[float]] = [[]] * len(axes)
    (trail,) = place.plot(*nothing, color="tab:orange", linewidth=1.0)
    links = [place.plot(*nothing, color="tab:blue", linewidth=3.5, solid_capstyle="round")[0] for _ in bones.bones]
    (dots,) = place.plot(*nothing, color="black", marker="o", markersize=4, linestyle="none")
    (tool,) = place.plot(*nothing, color="tab:orange", marker="o", markersize=6, linestyle="none")
    clock = figure.text(0.03, 0.95, "", fontsize=10)

    def draw(k: int) -> list[object]:
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
