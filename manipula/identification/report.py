"""The page: a verdict, warnings, errors, recordings, torques over time and what is left of them, parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.data import Data
from manipula.mechanics.drawing.record import drawing_of
from manipula.mechanics.drawing.skeleton import axes_of, poses_of
from manipula.mechanics.robot.description import RobotDescription
from manipula.pages.charts import Chart, ChartLine
from manipula.pages.page import charts, page, paragraph, section, table, warning_paragraph
from manipula.pages.picture import Style, svg_of
from manipula.recordings.sources import SAMPLE, sample_named
from manipula.version import __version__

# What a page reads of a result, and the arrays behind its pictures.

Array = NDArray[np.float64]


class Shown(Protocol):
    """What is shown: `Found`."""

    @property
    def method(self) -> str: ...
    @property
    def prior(self) -> str | None: ...
    @property
    def filter(self) -> tuple[str, ...]: ...
    @property
    def correlation(self) -> float: ...
    @property
    def train(self) -> Any: ...
    @property
    def validation(self) -> Sequence[Any]: ...
    @property
    def choices(self) -> Sequence[Any]: ...
    @property
    def blocks(self) -> Sequence[float]: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    @property
    def theta(self) -> Array: ...
    @property
    def data(self) -> Data: ...
    @property
    def validation_data(self) -> Sequence[Data]: ...
    @property
    def parameters(self) -> Any: ...
    @property
    def base_parameters(self) -> Any: ...
    @property
    def consistent(self) -> bool: ...
    @property
    def extra(self) -> dict[str, float]: ...
    def comparison(self, judge: Sequence[float] = ()) -> Sequence[Any]: ...


@dataclass(frozen=True, eq=False)
class Course:
    """Recorded and predicted torques of the rows kept, (rows, n), all stretches behind each other. `clock` runs on from
    one stretch to the next."""

    clock: Array
    measured: Array
    predicted: Array
    velocity: Array
    stretches: list[tuple[float, Array]]  # (rows a second, residuals)

    @property
    def residual(self) -> Array:
        return self.measured - self.predicted


def course_of(data: Data, theta: Array) -> Course:
    measured, predicted = data.torques, data.predict(theta)
    motions = data.source.motions
    paces = [motion.smoother.rate / motion.smoother.step for motion in motions]
    clocks, end = [], 0.0
    for times, pace in zip(data.times, paces):
        clocks.append(times - times[0] + end)
        end = float(clocks[-1][-1]) + 1 / pace
    return Course(
        np.concatenate(clocks), np.concatenate(measured), np.concatenate(predicted),
        np.concatenate([motion.qd[motion.kept] for motion in motions]),
        [(pace, a - b) for pace, a, b in zip(paces, measured, predicted)],
    )  # fmt: skip


def spectrum(course: Course, joint: int, bins: int = 200) -> tuple[Array, Array]:
    """(Hz, amplitude): of the longest stretch, a Hann window over it, neighbours put together by their mean square."""
    pace, residual = max(course.stretches, key=lambda pair: len(pair[1]))
    own = residual[:, joint] - residual[:, joint].mean()
    window = np.hanning(len(own))
    power = np.abs(np.fft.rfft(own * window)) ** 2 * 4 / max(float(window.sum()) ** 2, 1e-300)
    hertz = np.fft.rfftfreq(len(own), 1 / pace)
    parts = np.array_split(np.arange(1, len(hertz)), min(bins, max(1, len(hertz) - 1)))
    parts = [part for part in parts if len(part)]
    return np.array([hertz[p].mean() for p in parts]), np.sqrt(np.array([power[p].mean() for p in parts]))


def singular_values(data: Data) -> Array:
    """Of the columns of the fit, each scaled to length one, the largest first; columns felt nowhere are out."""
    A = data.fit.normal()[0]
    lengths = np.sqrt(np.maximum(np.diag(A), 0.0))
    felt = lengths > 0
    scaled = A[np.ix_(felt, felt)] / np.outer(lengths[felt], lengths[felt])
    return np.sqrt(np.maximum(np.linalg.eigvalsh(scaled)[::-1], 0.0))


SEEN = 1e-6  # of the largest singular value: smaller ones are rounding and noise
FAINT = 1e-12  # of the largest amplitude: what a logarithm still shows


def report_of(found: Shown) -> str:
    """HTML that needs no other file: what a customer reads first, what an engineer checks last."""
    parts = [
        _head(found),
        *(warning_paragraph(text) for text in found.warnings),
        section("Errors", _errors(found), paragraph(_summary(found))),
        section("Recordings", _stretches(found), *_notes(found)),
        *(text for use, data in _uses(found) for text in _courses(use, data, found.theta)),
        *([section("Families of columns", _choices(found), *_blocks(found))] if found.choices or found.blocks else []),
        section("Conditioning", *_condition_paragraphs(found)),
        section("Base parameters", paragraph(SUMS), _parameters("", found.base_parameters)),
        section("Parameters", _bars(found), _parameters("", found.parameters)),
    ]
    return page(f"{found.data.robot.name}: identified from recordings", parts)


SUMS = (
    "The sums of parameters that are identifiable from torques; they are known though their single terms may not be. "
    "_R marks a parameter that carries terms of the links behind it."
)
KNOWN = 0.1  # of itself: a parameter that is identified well
GOOD, FAIR = 5.0, 15.0  # % of the torque: a prediction for control, and one for simulation


# words and tables


def _head(found: Shown) -> str:
    """Date and version; the verdict, the arm beside it."""
    made = f"manipula {__version__}, {datetime.now(UTC).strftime('%Y-%m-%d %H:%M')} UTC"
    told, arm = section("Verdict", _items(verdict(found))), _picture(found.data.robot)
    return (
        f'<p>{escape(made)}</p><div style="display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-end">'
        f'<div style="flex: 1 1 22rem">{told}</div><div style="flex: 0 1 15rem">{arm}</div></div>'
    )


def _picture(robot: RobotDescription) -> str:
    """Nothing of a robot that cannot be drawn."""
    try:
        record = drawing_of(robot)
    except InputError:
        return ""
    poses = poses_of(record, record["rest"])
    return svg_of(record, poses, axes_of(record, poses), Style(320.0, 280.0))


def verdict(found: Shown) -> list[str]:
    """What was found, how well it predicts, what is not identifiable, what to do next."""
    judged = max((x.whole for x in found.validation), default=found.train.whole)
    on = "on recordings kept apart" if found.validation else "on the recordings of the fit"
    use = "good enough for control" if judged < GOOD else "usable for simulation" if judged < FAIR else "poor"
    rows = list(found.base_parameters)
    sure = [row for row in rows if row.sigma < KNOWN * abs(row.value)]
    weak = sorted((row for row in rows if not row.is_identified), key=lambda row: -row.sigma)
    told = [
        f"{len(sure)} of {len(rows)} base parameters are known to {100 * KNOWN:.0f} % or better; every body is "
        f"{'physically consistent' if found.consistent else 'NOT physically consistent'}.",
        f"The model predicts {100 - min(judged, 100):.1f} % of the torque {on} (error {judged:.2f} %): {use}.",
    ]
    if weak:
        names = ", ".join(row.name for row in weak[:6])
        more = f" and {len(weak) - 6} more" if len(weak) > 6 else ""
        told.append(f"Not identifiable from these motions ({len(weak)}): {names}{more}.")
    return [*told, f"Next: {_advice(found, bool(weak))}"]


def _advice(found: Shown, weak: bool) -> str:
    if getattr(found, "doubtful", False):
        return "settle the first warning, which says how. Do not use the parameters before."
    if not found.validation:
        return "record another motion and judge on it (validate=, --validate): the errors above are those of the fit."
    if max(x.whole for x in found.validation) > 2 * max(found.train.whole, *found.blocks, 0.0):
        return "the motion of the fit does not show what the other one needs: record more of it, or a faster one."
    if weak:
        return (
            "mp.excite(robot, after=found) (manipula excite ROBOT --after RECORDING) designs a motion that shows what "
            "is least known; identify from both recordings."
        )
    return "use found.robot (--out)."


def _items(texts: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def _summary(found: Shown) -> str:
    told = "is physically consistent" if found.consistent else "is NOT physically consistent"
    prior = "without a prior" if found.prior is None else f"under the prior “{found.prior}”"
    extra = f" A robot file has no word for {', '.join(found.extra)}." if found.extra else ""
    return (
        f"{len(found.theta)} parameters by the method {found.method}, {prior}; the result {told}. Errors are "
        "100·‖τ − τ̂‖/‖τ‖, torques after the filter of the fit, or as recorded (raw); “moving” leaves out rows of "
        "joints that may stick. Least squares: motor inertia, viscous and Coulomb friction, offsets, on the same data. "
        f"Residuals are correlated over {found.correlation:.3g} samples, and standard deviations count it.{extra}"
    )


def _errors(found: Shown) -> str:
    """A column for every recording and judge, a row for every joint: it fits a page however many joints there are."""
    rows = found.comparison()
    uses = [use for use, _ in _uses(found)]
    files = [_files(data) for _, data in _uses(found)]
    heads = ["error %"]
    for row in rows:
        judge = "raw" if row.judge == "raw torque" else "filtered"
        heads += [f"{uses[row.place]}, {judge}", "least squares"]
    named = [files[row.place] if row.judge != "raw torque" else "" for row in rows]
    lines = [["recordings", *(text for name in named for text in (name, ""))]]
    for word, head in (("whole", "whole"), ("moving", "moving"), ("rest", "at rest")):
        lines.append([head, *(_percent(getattr(own, word)) for row in rows for own in (row.found, row.plain))])
    for j, name in enumerate(found.data.rows):
        lines.append([name, *(_percent(own.joints[j]) for row in rows for own in (row.found, row.plain))])
    return table("", heads, lines)


def _percent(x: float) -> str:
    return f"{x:.2f}" if np.isfinite(x) else ""


def _files(data: Data) -> str:
    """The names of the recordings, each once; nothing of those made from arrays."""
    names = dict.fromkeys(Path(motion.source).name for motion in data.source.motions)
    return ", ".join(name for name in names if name)


def _digest(source: str) -> str:
    """The beginning of the SHA-256 of a recording's file, or of its files."""
    names = source.split(" + ")
    folder = Path(names[0]).parent  # of files that are joined only the first is named with it
    paths = [
        sample_named(x.removeprefix(SAMPLE)) if x.startswith(SAMPLE) else folder / Path(x).name for x in names
    ]  # fmt: skip
    whole = all(path.is_file() for path in paths)
    return ", ".join(sha256(path.read_bytes()).hexdigest()[:12] for path in paths) if source and whole else ""


def _stretches(found: Shown) -> str:
    heads = ("recordings", "file", "SHA-256", "stretch", "seconds", "samples", "Hz", "rows kept", "cut-off Hz")
    rows = [
        [
            use, Path(motion.source).name, _digest(motion.source), str(k), f"{motion.t[-1] - motion.t[0]:.4g}",
            str(len(motion)), f"{motion.smoother.rate:.5g}", str(len(motion.t[motion.kept])),
            f"{motion.smoother.cutoff:.3g}" if motion.smoother.cutoff else "none",
        ]
        for use, data in _uses(found)
        for k, motion in enumerate(data.source.motions, 1)
    ]  # fmt: skip
    return table("", heads, rows)


def _uses(found: Shown) -> list[tuple[str, Data]]:
    many = len(found.validation_data) > 1
    others = [(f"validation {k}" if many else "validation", data) for k, data in enumerate(found.validation_data, 1)]
    return [("training", found.data), *others]


def _notes(found: Shown) -> list[str]:
    """How and why it was filtered, and what was repaired or assumed."""
    filters = [f"filter: {text}" for text in found.filter]
    notes = dict.fromkeys([*filters, *(note for _, data in _uses(found) for note in data.notes)])
    return ["<ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes) + "</ul>"] if notes else []


def _choices(found: Shown) -> str:
    heads = ("family", "before %", "with it %", "blocks better", "")
    rows = [
        [c.family, f"{c.before:.3f}", f"{c.error:.3f}", f"{100 * c.blocks:.0f} %", "taken" if c.taken else ""]
        for c in found.choices
    ]
    return table("Weighted error on the blocks of time left out of the fit", heads, rows) if rows else ""


def _blocks(found: Shown) -> list[str]:
    if not found.blocks:
        return []
    heads = ("block of time", *(str(k) for k, _ in enumerate(found.blocks, 1)))
    return [table("", heads, [["error when left out %", *(f"{x:.2f}" for x in found.blocks)]])]


def _parameters(caption: str, rows: Any) -> str:
    cells = [
        [
            row.name, f"{row.value:.5g}", f"{row.sigma:.2g}" if np.isfinite(row.sigma) else "unknown",
            "" if row.prior is None else f"{row.prior:.4g}", row.unit, row.family,
        ]
        for row in rows
    ]  # fmt: skip
    return table(caption, ("parameter", "value", "± sigma", "prior", "unit", "family"), cells)


# pictures


def _courses(use: str, data: Data, theta: Array) -> list[str]:
    """Torques over time, and residuals over time, velocity and frequency; a picture a joint."""
    course, robot = course_of(data, theta), data.robot
    joints = [(j, *joint) for j, joint in enumerate(zip(robot.joint_names, robot.coordinates.turns))]
    return [
        section(f"Torques, {use}", charts([_torque(course, *joint) for joint in joints])),
        section(f"Residual against velocity, {use}", charts([_against(course, *joint) for joint in joints])),
        section(f"Spectrum of the residual, {use}", charts([_spectrum(course, *joint) for joint in joints])),
    ]


def _unit(turns: bool) -> str:
    return "torque [N·m]" if turns else "force [N]"


def _torque(course: Course, j: int, joint: str, turns: bool) -> Chart:
    lines = [
        ChartLine("measured", course.measured[:, j].tolist()),
        ChartLine("predicted", course.predicted[:, j].tolist(), dashed=True, colour=1),
        ChartLine("residual", course.residual[:, j].tolist(), colour=2),
    ]
    return Chart(joint, "time [s]", _unit(turns), course.clock.tolist(), lines)


def _against(course: Course, j: int, joint: str, turns: bool) -> Chart:
    dots = ChartLine("", course.residual[:, j].tolist(), dots=True)
    return Chart(joint, f"velocity [{'rad' if turns else 'm'}/s]", _unit(turns), course.velocity[:, j].tolist(), [dots])


def _spectrum(course: Course, j: int, joint: str, turns: bool) -> Chart:
    hertz, size = spectrum(course, j)
    heights = np.log10(np.maximum(size, FAINT * max(float(size.max(initial=0.0)), 1e-300)))
    label = f"log₁₀ amplitude [{'N·m' if turns else 'N'}]"
    return Chart(joint, "frequency [Hz]", label, hertz.tolist(), [ChartLine("", heights.tolist())])


def _bars(found: Shown) -> str:
    """How well each parameter is known, in parts of itself: a picture a family that has several."""
    shown = [row for row in found.parameters if np.isfinite(row.sigma) and row.value]
    families = dict.fromkeys(row.family for row in shown)
    pictures = []
    for family in families:
        rows = [row for row in shown if row.family == family]
        places = [float(k) for k in range(1, len(rows) + 1)]
        ratios = [float(np.log10(max(row.sigma / abs(row.value), 1e-12))) for row in rows]
        title = f"{family}: {rows[0].name} … {rows[-1].name}" if len(rows) > 1 else f"{family}: {rows[0].name}"
        line = ChartLine("", ratios, dots=True, colour=0)
        pictures.append(Chart(title, "parameter, in the table's order", "log₁₀ σ/|value|", places, [line], [0.0]))
    told = "Above 0 the standard deviation is larger than the value."
    return paragraph(told) + charts(pictures) if pictures else ""


def _condition_paragraphs(found: Shown) -> list[str]:
    values = singular_values(found.data)
    if not len(values):
        return [paragraph("No column is felt.")]
    seen = values[values > SEEN * values[0]]
    text = (
        f"{len(seen)} of {len(found.theta)} directions are seen by the recordings (singular values above {SEEN:g} of "
        f"the largest, columns of equal length); the condition number of these is {seen[0] / seen[-1]:.3g}."
    )
    heights = np.log10(np.maximum(values, FAINT * values[0])).tolist()
    line = ChartLine("", heights, dots=True)
    return [
        paragraph(text),
        charts([Chart("Singular values", "number", "log₁₀", list(range(1, len(values) + 1)), [line])]),
    ]
