"""What a person does to show a robot to others: a page that stands alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manipula.api.robot_verbs import robot_from
from manipula.support.progress import Tell, silent

if TYPE_CHECKING:
    from manipula.robot import RobotLike


def report(
    robot: RobotLike, path: str | Path | None = None, *, hidden: Sequence[str] = (), optimise: str = "fast",
    looks: Mapping[str, object] | None = None, tell: Tell = silent, told: Callable[[str], str] = str,
) -> str:  # fmt: skip
    """The robot as one HTML file: table, moving arm, equations, derivation, counts, laws, base parameters, torques and
    code. It opens from a disk, without Python and without a network. Returns the text, and writes it where a path is
    given.

    `hidden` are parts to leave out: "arm", "table", "equations", "inverse", "steps", "motion", "counts", "check",
    "base", "code"; with some hidden the page asks for them as an exercise and checks the answers. `tell` hears of
    progress: the models are generated, which takes from seconds to a minute. `told` translates its words.

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
        text = source_of(paper_story(robot_from(robot), tuple(hidden), tell, told), told)
        write_bytes(Path(path), pdf_of(text))
        return text
    built_file("report.js")  # said before the work, not after it
    text = report_page(story_of(robot_from(robot), tuple(hidden), optimise, looks, tell, told), told)
    if path is not None:
        write_text(Path(path), text)
    return text
