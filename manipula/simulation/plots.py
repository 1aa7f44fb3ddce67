"""A run as pictures: a figure of matplotlib, and a page of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import degrees as in_degrees
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.pages.charts import Chart, ChartLine
from manipula.pages.page import charts, page, paragraph, section, table
from manipula.pages.plots.canvas import COLOURS, blank, plainly
from manipula.simulation.functions import Array, Limits
from manipula.simulation.views.skeleton import Moved

WITHOUT = Message("; run.report needs nothing")
ROWS_SHOWN = 20  # of a batch: more lines hide each other
MOST_ENTRIES = 100  # of what a law remembered: a covariance has thousands
SECONDS = ("sample", "step", "until")  # of what is told about a run


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
    def peaks(self) -> list[dict[str, Any]]: ...


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


def figure_of(run: Shown, degrees: bool = False, state: str | None = None) -> Any:
    """The grid as a figure of matplotlib, which is not shown: a notebook does it by itself, `savefig` writes it."""
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


def _figure_of_state(run: Shown, name: str, figure: Any) -> Any:
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


def report_of(run: Shown, degrees: bool = False) -> str:
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


def _text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_text, value))
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)
