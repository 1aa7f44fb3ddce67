"""`report` and `studio`: a robot as one page that opens anywhere, and the page on which a robot is typed and moved."""

from __future__ import annotations

from pathlib import Path

import typer

from manipula import api
from manipula.cli.terminal import options
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.language import language, told_in, translate
from manipula.cli.terminal.options import Wishes
from manipula.cli.terminal.screen import progress, say, say_json, say_prose
from manipula.errors import InputError, ManipulaError
from manipula.support.files import expand_user

# `report`: a robot as one page that opens anywhere.


@command(asked=Options(api.report, "optimise"))
def report(
    robot: str, *, output: Path | None = None, hidden: str = "", pdf: bool = False, asked: Chosen, wishes: Wishes,
    as_json: bool = False,
) -> None:  # fmt: skip
    """Write a robot as one HTML file: table, moving arm, equations, derivation, counts, laws, torques, code.

    The file needs neither Python nor a network.
    Parts: arm, table, equations, inverse, steps, motion, counts, check, base, code.

    \b
    Examples:
      manipula report puma560
      manipula report my_arm -o arm.html
      manipula report puma560 --pdf
      manipula report planar2r --hide equations,inverse

    Args:
        hidden (--hide PARTS): Parts to leave out, with commas; they become an exercise.
        pdf: Pages to print, set by Typst, in place of HTML.
    """
    subject = options.find(robot, wishes)
    path = output or Path(api.module_file(subject)).with_suffix(".pdf" if pdf else ".html")
    if pdf and path.suffix.lower() != ".pdf":
        raise InputError("--pdf writes a file that ends in .pdf, found {output}", path)
    with progress(f"report of {subject.name}") as tell:
        api.report(subject, path, hidden=options.split_names(hidden), **asked, tell=tell, told=translate)
    if as_json:
        say_json({"robot": subject.name, "files": [str(path)], "bytes": path.stat().st_size})
    else:
        say(str(path))


# `studio`: the page on which a robot is typed, seen, derived, moved.


@command()
def studio(place: Path = Path(), *, port: int = 0, no_browser: bool = False) -> None:
    """Open the studio: a page on which a table becomes an arm, its equations, its code, its motion.

    It is for this machine alone: the address holds a token, and nothing is fetched from elsewhere. Ctrl-C ends it.

    \b
    Examples:
      manipula studio
      manipula studio my_robots/
      manipula studio my_arm.toml --no-browser --port 8765

    Args:
        place (FOLDER|FILE): Where robots are read and saved, or the file to open.
        port: Of this machine; 0: a free one.
        no_browser: Print the address and open nothing.
    """
    try:
        from manipula.studio.server import Wanted, serve
    except ModuleNotFoundError as missing:
        raise ManipulaError("the studio needs {name}: pip install 'manipula[studio]'", missing.name) from None
    from manipula.pages.page import built_file

    page, kept = built_file("studio"), options.catalogue()
    drafts = None if kept is None else kept.parent / "studio"
    wanted = Wanted(expand_user(place), page, drafts, port, not no_browser, language(), told_in)
    serve(wanted, _announce)
    say()


def _announce(url: str) -> None:
    say_prose("The studio is open; Ctrl-C ends it.", "bold cyan")
    typer.echo(url)
