"""What a person does to show a robot to others: a page that stands alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manipula.api.robot_verbs import loaded

if TYPE_CHECKING:
    from manipula.robot import Robot


def report(
    robot: Robot | str,
    path: str | Path | None = None,
    *,
    hidden: Sequence[str] = (),
    optimise: str = "fast",
    tell: Callable[[str], None] = lambda text: None,
) -> str:
    """The robot as one HTML file: table, moving arm, equations, derivation, counts, laws, base parameters, torques and
    code. It opens from a disk, without Python and without a network. Returns the text, and writes it where a path is
    given.

    `hidden` are parts to leave out: "arm", "table", "equations", "inverse", "motion", "counts", "check", "base",
    "code"; with some hidden the page asks for them as an exercise and checks the answers. `tell` hears of progress: the
    models are generated, which takes from seconds to a minute.
    """
    from manipula.api.robot_story import story_of
    from manipula.errors import UnknownNameError
    from manipula.pages.built import built
    from manipula.pages.report.page import report_page
    from manipula.pages.report.parts import CHOSEN
    from manipula.support.files import write_text

    odd = next((name for name in hidden if name not in CHOSEN), None)
    if odd is not None:
        raise UnknownNameError("part of a report", odd, CHOSEN)
    built("report.js")  # said before the work, not after it
    text = report_page(story_of(loaded(robot), tuple(hidden), optimise, tell))
    if path is not None:
        write_text(Path(path), text)
    return text
