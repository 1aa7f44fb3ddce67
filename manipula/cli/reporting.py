"""`report`: a robot as one page that opens anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manipula import api
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import guarded, progress, say, say_json
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError


@guarded
@about_a_robot
def report(
    robot: options.RobotName,
    output: options.OutputFile = None,
    hidden: Annotated[
        str, typer.Option("--hide", metavar="PARTS", help="Parts to leave out, with commas; they become an exercise.")
    ] = "",
    pdf: Annotated[bool, typer.Option("--pdf", help="Pages to print, set by Typst, in place of HTML.")] = False,
    optimise: options.Optimise = "fast",
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Write a robot as one HTML file: table, moving arm, equations, derivation, counts, laws, torques, code.

    The file needs neither Python nor a network.
    Parts: arm, table, equations, inverse, motion, counts, check, base, code.

    \b
    Examples:
      manipula report puma560
      manipula report my_arm -o arm.html
      manipula report puma560 --pdf
      manipula report planar2r --hide equations,inverse
    """
    subject = places.find(robot, wishes)
    path = output or Path(api.module_file(subject)).with_suffix(".pdf" if pdf else ".html")
    if pdf and path.suffix.lower() != ".pdf":
        raise InputError("--pdf writes a file that ends in .pdf, found {output}", path)
    parts = [part.strip() for part in hidden.split(",") if part.strip()]
    with progress(f"report of {subject.name}") as tell:
        api.report(subject, path, hidden=parts, optimise=optimise, tell=tell)
    if as_json:
        say_json({"robot": subject.name, "files": [str(path)], "bytes": path.stat().st_size})
    else:
        say(str(path))
