"""`Run`: what a simulation gives. Arrays over time, the balance of its energies, and ways to look at them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from manipula.mechanics.models.motion.ports import Motion
from manipula.messages import Message
from manipula.recordings.log import Log
from manipula.robot import Robot
from manipula.simulation.balance import Rest
from manipula.simulation.stepping import Array, Functions
from manipula.support.files import write_text
from manipula.support.text import html_table, plain


@dataclass(frozen=True, eq=False)
class Run:
    """Arrays are (…, time, n), SI and radians; leading axes are the batch. `tau` is from each time on, as `qdd` is.

    `ref` is what was wanted, None without a reference; `state` what the law remembered, by name. `balance` is energy in
    − stored − lost over the largest energy that took part, for each row of a batch. `whole` is False where the run was
    interrupted. `modes` are the times in which a joint rests, held by friction or a stop; `unsettled` says (for each
    row) whether in some step it was not found out to the last which joints rest, or how an implicit step ends. `about`
    says how it was made.
    """

    robot: Robot
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    ref: Motion | None
    state: Mapping[str, Array]
    balance: Any
    whole: bool
    about: Mapping[str, object]
    modes: tuple[Rest, ...] = ()
    unsettled: object = False

    @property
    def error(self) -> Array | None:
        """What was wanted − where the joints were; None without a reference."""
        return None if self.ref is None else self.ref.q - self.q

    @property
    def joints(self) -> tuple[str, ...]:
        return self.robot.joint_names

    @property
    def turns(self) -> list[bool]:
        """Which coordinates are angles."""
        return list(self.robot.coordinates.turns)

    def peaks(self) -> list[dict[str, Any]]:
        """Joint by joint: where it went, the largest speed, torque and error, over all rows of a batch."""
        error = self.error
        found = []
        for j, (name, turns) in enumerate(zip(self.joints, self.turns)):
            row = {"joint": name, "unit": "rad" if turns else "m", "lowest": self.q[..., j].min(),
                   "highest": self.q[..., j].max(), "speed": np.abs(self.qd[..., j]).max(),
                   "torque": np.abs(self.tau[..., j]).max()}  # fmt: skip
            row["error"] = None if error is None else np.abs(error[..., j]).max()
            found.append({key: x if isinstance(x, str) or x is None else float(x) for key, x in row.items()})
        return found

    def plot(self, degrees: bool = False, *, state: str | None = None) -> Any:
        """A figure of matplotlib, which is not shown: positions, errors and torques, a column a joint.

        With `state="theta"` it is what the law remembered under that name, every entry a line.
        """
        from manipula.simulation.plots import figure_of

        return figure_of(self, degrees, state)

    def animate(
        self,
        path: str | Path | None = None,
        *,
        row: int | tuple[int, ...] = 0,
        rate: float = 25.0,
        speed: float = 1.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Any:
        """The arm moving, with the way of its tool: written to `path`, which is returned: .gif, .mp4 where ffmpeg is,
        or .html, a page that stands alone. Without a path, the animation of matplotlib, for a notebook.

        `row` is the arm of a batch, `rate` pictures a second, `speed` how many times faster than the world;
        `parameters` are values of the robot's symbols.
        """
        from manipula.simulation.plots import animation_of, refuse_kind, save_animation

        if path is not None:
            refuse_kind(Path(path))
        shown, frames = self._picture(parameters)
        moving = animation_of(shown, frames, row, rate, speed)
        return moving if path is None else save_animation(moving, Path(path), rate)

    def _picture(self, parameters: Mapping[str, float] | None) -> tuple[Run, Callable[[Array], object]]:
        """What is interpolated in time as its q, and the poses that follow from it."""
        functions = Functions(self.robot, parameters)
        return self, lambda q: functions("frames", q)

    def save_plot(self, path: str | Path, degrees: bool = False, *, state: str | None = None) -> Path:
        """Write the figure of `plot`: .png, .svg, .pdf. Returns its path."""
        from manipula.simulation.plots import save_figure

        return save_figure(self.plot(degrees, state=state), Path(path))

    def report(self, path: str | Path, degrees: bool = False) -> Path:
        """One page that stands alone: settings, largest values, balance, pictures. Returns its path."""
        from manipula.simulation.plots import report_of

        return write_text(Path(path), report_of(self, degrees))

    def log(self) -> Log:
        """What was recorded, without the rest."""
        q, qd, qdd = (None, None, None) if self.ref is None else self.ref
        return Log(
            self.t, self.q, self.tau, self.qd, self.qdd, q_ref=q, qd_ref=qd, qdd_ref=qdd, state=self.state,
            joints=self.joints, source=self.robot.name, turns=tuple(self.turns), stated=("t", "q", "qd", "qdd", "tau"),
        )  # fmt: skip

    def save(self, path: str | Path) -> Path:
        """Write the arrays: `.csv` and `.parquet` (one arm), `.npz`. `mp.read_log` reads them back exactly."""
        return self.log().save(path)

    def as_dict(self) -> dict[str, object]:
        """The run as plain data, every array in it."""
        arrays = {"t": self.t, "q": self.q, "qd": self.qd, "qdd": self.qdd, "tau": self.tau}
        wanted = None if self.ref is None else self.ref._asdict()
        found = {
            "robot": self.robot.name, "joints": list(self.joints), **arrays, "ref": wanted, "state": dict(self.state),
            "balance": self.balance, "whole": self.whole, "peaks": self.peaks(), "about": dict(self.about),
        }  # fmt: skip
        told: dict[str, object] = plain(found)
        return told

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    def summary(self) -> Message:
        """What it is, in a line."""
        many = " × ".join(map(str, self.q.shape[:-2]))
        batch = Message(", {many} arms", many) if many else ""
        error = self.error
        off = "" if error is None else Message(", largest error {error:.2g}", np.abs(error).max())
        cut = "" if self.whole else Message(", interrupted")
        return Message(
            "run of {robot}{batch}: {start:g} … {end:g} s in {count} samples{off}, balance {balance:.1e}{cut}",
            self.robot.name,
            batch,
            self.t[0],
            self.t[-1],
            len(self.t),
            off,
            float(np.max(self.balance)),
            cut,
        )

    def _repr_html_(self) -> str:
        heads = ("joint", "lowest", "highest", "speed", "torque", "error")
        rows = [[str(row["joint"]), *(_short(row[key]) for key in heads[1:])] for row in self.peaks()]
        return f"<p>{escape(repr(self))}</p>" + html_table(heads, rows)


def _short(value: object) -> str:
    return "" if value is None else f"{value:.4g}"
