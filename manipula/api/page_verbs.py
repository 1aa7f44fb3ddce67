"""What a person does to show a robot to others: a page that stands alone, an arm in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula.api.robot_verbs import robot_from
from manipula.support.progress import Tell, silent

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from manipula.pages.widget import View
    from manipula.robot import Robot, RobotLike

MOST_ROWS = 2000  # of a run that is played: more than a screen shows


def report(
    robot: RobotLike, path: str | Path | None = None, *, hidden: Sequence[str] = (), optimise: str = "fast",
    looks: Mapping[str, object] | None = None, tell: Tell = silent,
) -> str:  # fmt: skip
    """The robot as one HTML file: table, moving arm, equations, derivation, counts, laws, base parameters, torques and
    code. It opens from a disk, without Python and without a network. Returns the text, and writes it where a path is
    given.

    `hidden` are parts to leave out: "arm", "table", "equations", "inverse", "motion", "counts", "check", "base",
    "code"; with some hidden the page asks for them as an exercise and checks the answers. `tell` hears of progress: the
    models are generated, which takes from seconds to a minute.

    Links look as the URDF file says that the robot came from, if it is there, or as `looks` says (`api.looks`); large
    meshes are made coarser, so that the file stays small. Pictures on paper show the solids.

    A path that ends in .pdf is written as a PDF, set by Typst: pages to print, with all but what moves and the code.
    Its Typst text is returned.
    """
    from manipula.api.robot_story import paper_story, story_of
    from manipula.errors import InputError, UnknownNameError
    from manipula.pages.page import built_file
    from manipula.pages.paper import compiler, pdf_of, source_of
    from manipula.pages.report import CHOSEN, report_page
    from manipula.support.files import write_bytes, write_text

    odd = next((name for name in hidden if name not in CHOSEN), None)
    if odd is not None:
        raise UnknownNameError("part of a report", odd, CHOSEN)
    if path is not None and Path(path).suffix.lower() not in (".html", ".htm", ".pdf"):
        raise InputError("{path}: expected a name that ends in .html or .pdf", path)
    if path is not None and Path(path).suffix.lower() == ".pdf":
        compiler()
        text = source_of(paper_story(robot_from(robot), tuple(hidden), tell))
        write_bytes(Path(path), pdf_of(text))
        return text
    built_file("report.js")  # said before the work, not after it
    text = report_page(story_of(robot_from(robot), tuple(hidden), optimise, looks, tell))
    if path is not None:
        write_text(Path(path), text)
    return text


def view_of(robot: Robot, moved: object, times: ArrayLike | None, height: int, shown: dict[str, bool]) -> View:
    """`Arm.view`: of a position, of rows of positions at times, or of what has both, as a run has."""
    from manipula.api.picture_verbs import drawing, picture
    from manipula.errors import UnknownNameError
    from manipula.pages.widget import SHOWN, Scene, View

    odd = next((name for name in shown if name not in SHOWN), None)
    if odd is not None:
        raise UnknownNameError("mark of a view", odd, SHOWN)
    record = drawing(robot, meshes=None)
    q, times, rows = _playback(record, moved, times)
    still = picture(robot, q, background="light", size=(640, height), whole=True)
    return View(Scene(robot.name, record, q, still, _models(robot), times, rows, height, shown))


def _playback(
    record: dict[str, object], moved: Any, times: ArrayLike | None
) -> tuple[list[float], list[float], list[list[float]]]:
    """The first position, and the times and rows to play; of a position alone there are none."""
    import numpy as np

    from manipula.errors import InputError
    from manipula.mechanics.drawing.skeleton import rows_of

    if hasattr(moved, "q") and hasattr(moved, "t"):
        moved, times = moved.q, moved.t
    found = rows_of(record, moved)
    if found.ndim == 1:
        return found.tolist(), [], []
    clock = np.arange(len(found)) / 25 if times is None else np.asarray(times, dtype=float)
    if clock.shape != found.shape[:1] or not np.isfinite(clock).all() or (np.diff(clock) < 0).any():
        raise InputError("times: expected {count} finite numbers that do not fall, one for each row of q", len(found))
    few = np.unique(np.linspace(0, len(found) - 1, min(len(found), MOST_ROWS)).astype(int))
    return found[0].tolist(), clock[few].tolist(), found[few].tolist()


def _models(robot: Robot) -> str:
    """What dragging and forces need, quickly made; without it the arm moves by its drawing."""
    from manipula.api.module_verbs import robot_module
    from manipula.errors import ManipulaError

    try:
        return robot_module(robot, models=["pose", "gravity", "inverse_kinematics"], optimise="none", seconds=10)
    except ManipulaError:
        return ""
