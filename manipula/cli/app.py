"""The application: every command by its name, and `run`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from manipula.cli import base, counts, demonstration, generating, inverse, optimising, verdict
from manipula.cli.files import converting, creating, deleting, editing, listing
from manipula.version import __version__

app = typer.Typer(
    name="manipula",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: manipula demo",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"manipula {__version__}")
        raise typer.Exit


@app.callback()
def manipula(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Robot manipulators: from a table to proven, counted, printed and running models.

    A robot is a library name (see manipula robots), one of your own, or a file: .toml .urdf .xml .par .csv.

    Exit codes: 0 done, 1 a check failed, 2 bad input.
    """


_COMMANDS: dict[str, Callable[..., None]] = {
    "robots": listing.robots,
    "new": creating.new,
    "show": listing.show,
    "edit": editing.edit,
    "delete": deleting.delete,
    "convert": converting.convert,
    "generate": generating.generate,
    "optimise": optimising.optimise,
    "count": counts.count,
    "equations": generating.equations,
    "check": verdict.check,
    "base-parameters": base.base_parameters,
    "ik": inverse.ik,
    "demo": demonstration.demo,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)


def run() -> None:
    """The command of this process's arguments; ends the process."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows ? and goes on
    app(prog_name="manipula")
