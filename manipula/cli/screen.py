"""What every command shares: consoles, tables, JSON, progress, and the one place where errors become exit codes.

Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import functools
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from manipula.errors import ManipulaError, ManipulaWarning, ProofError

P = ParamSpec("P")
R = TypeVar("R")
Tell = Callable[[str], None]

CHECK_FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
_PIPE_WIDTH = 1000  # a file or a pipe has no right edge: tables keep every cell on one line there


def _console(stderr: bool = False) -> Console:
    """Made anew each time, since the streams may have been replaced. Nothing a user wrote is read as markup."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def say(text: str | Text = "", style: str = "") -> None:
    """A line of the result."""
    _console().print(text, style=style or None, soft_wrap=True)


def note(text: str, style: str = "") -> None:
    """A line beside the result: on stderr, so that a pipe stays clean."""
    _console(stderr=True).print(text, style=style or None, soft_wrap=True)


def say_json(value: Any) -> None:
    """The result for a machine."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    typer.echo(json.dumps(value, indent=2, ensure_ascii=plain, default=str))


def say_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), caption: str = ""
) -> None:
    """An aligned table; `right` are the columns of numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    if title:
        say(title, "bold cyan")
    _console().print(table)
    if caption:
        say(caption, "dim")


@contextmanager
def progress(text: str) -> Iterator[Tell]:
    """A spinner on stderr that tells the present step; silent where nobody is watching."""
    console = _console(stderr=True)
    if not console.is_terminal:
        yield lambda step: None
        return
    with console.status(Text(text)) as status:
        yield lambda step: status.update(Text(f"{text}: {step}"))


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """The command with user mistakes told in one line and the promised exit codes, never a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with _warnings_in_one_line():
            try:
                return command(*args, **kwargs)
            except ManipulaError as error:
                code = CHECK_FAILED if isinstance(error, ProofError) else BAD_INPUT
                raise _failed(str(error), code) from None
            except ManipulaWarning as warning:  # --strict
                raise _failed(str(warning), BAD_INPUT) from None
            except BrokenPipeError:
                raise
            except OSError as error:
                place = f"{error.filename}: " if error.filename else ""
                raise _failed(f"{place}{error.strerror or error}", BAD_INPUT) from None
            except KeyboardInterrupt:
                raise _failed("interrupted; files already there are as they were", INTERRUPTED) from None

    return run


def _failed(message: str, code: int) -> typer.Exit:
    line = Text("manipula: ", style="bold red").append(message, style="not bold default")
    _console(stderr=True).print(line, soft_wrap=True)
    return typer.Exit(code)


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Every distinct `ManipulaWarning` once, as `warning: …` on stderr."""
    told: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", ManipulaWarning)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
            if not issubclass(category, ManipulaWarning):
                usual(message, category, *rest, **more)
            elif str(message) not in told:
                told.add(str(message))
                note(f"warning: {message}", "yellow")

        warnings.showwarning = show
        yield
