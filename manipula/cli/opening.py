"""`studio`: the page on which a robot is typed, seen, derived, moved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manipula.cli.terminal import places
from manipula.cli.terminal.screen import guarded, say, say_prose
from manipula.cli.terminal.tongue import language, told_in
from manipula.errors import ManipulaError
from manipula.support.files import expand_user


@guarded
def studio(
    place: Annotated[
        Path, typer.Argument(metavar="FOLDER|FILE", help="Where robots are read and saved, or the file to open.")
    ] = Path(),
    port: Annotated[int, typer.Option("--port", help="Of this machine; 0: a free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
) -> None:
    """Open the studio: a page on which a table becomes an arm, its equations, its code, its motion.

    It is for this machine alone: the address holds a token, and nothing is fetched from elsewhere. Ctrl-C ends it.

    \b
    Examples:
      manipula studio
      manipula studio my_robots/
      manipula studio my_arm.toml --no-browser --port 8765
    """
    try:
        from manipula.studio.serving import Wanted, serve
    except ModuleNotFoundError as missing:
        raise ManipulaError("the studio needs {name}: pip install 'manipula[studio]'", missing.name) from None
    from manipula.pages.built import built

    page, kept = built("studio"), places.catalogue()
    drafts = None if kept is None else kept.parent / "studio"
    wanted = Wanted(expand_user(place), page, drafts, port, not no_browser, language(), told_in)
    serve(wanted, _said)
    say()


def _said(url: str) -> None:
    say_prose("The studio is open; Ctrl-C ends it.", "bold cyan")
    typer.echo(url)
