"""What every command shares: consoles, tables, JSON, progress, and the one place where errors become exit codes.

Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import functools
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import shorten, wrap
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from manipula.cli.terminal.language import in_shell_words, told_error, translate
from manipula.errors import ManipulaError, ManipulaWarning, ProofError
from manipula.messages import Message, in_front, in_language
from manipula.support.progress import Tell, told_by_others

if TYPE_CHECKING:
    from pathlib import Path

    from manipula.studies.study_run import Progress

P = ParamSpec("P")
R = TypeVar("R")
Rows = Sequence[Sequence[str]]
Data = dict[str, Any]  # as JSON has it
Follow = Callable[["Progress"], None]

INDENT = 8
OFTEN = 0.2  # seconds between two looks at a study
CHECK_FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
_PIPE_WIDTH = 1000  # a file or a pipe has no right edge: tables keep every cell on one line there


def _console(stderr: bool = False) -> Console:
    """Made anew each time, since the streams may have been replaced. Nothing a user wrote is read as markup."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def say(text: str | Text = "", style: str = "") -> None:
    """A line of the result."""
    _console().print(text if isinstance(text, Text) else translate(text), style=style or None, soft_wrap=True)


def say_prose(text: str, style: str = "") -> None:
    """Words, wrapped at the edge of the terminal."""
    _console().print(translate(text), style=style or None)


def say_formulas(text: str) -> None:
    """Equations: a long one goes on below, under its right side, where somebody reads it; in a pipe it is one line."""
    console = _console()
    for line in text.split("\n"):
        lines = wrapped_formula(line, console.width) if console.is_terminal else [line]
        console.print("\n".join(lines), soft_wrap=True)


def wrapped_formula(line: str, width: int) -> list[str]:
    """`left = right`, broken between terms; what is no equation, as a row of a matrix, stays."""
    left, equals, _ = line.partition(" = ")
    if len(line) <= width or not equals or line.startswith(" ") or left.startswith("with "):
        return [line]
    indent = " " * min(len(left) + len(equals), INDENT)
    return wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def note(text: str, style: str = "") -> None:
    """A line beside the result: on stderr, so that a pipe stays clean."""
    _beside(Text(in_shell_words(translate(text)), style=style))


def _beside(text: Text) -> None:
    """Wrapped between words where somebody reads it; one line where a program does."""
    console = _console(stderr=True)
    console.print(text, soft_wrap=not console.is_terminal)


def say_hanging(head: Text, *texts: Text) -> None:
    """A head and what is said of it: beside it where the line has room, else below it, indented."""
    console, body = _console(), Text().join(texts)
    if head.cell_len + body.cell_len <= console.width:
        console.print(head.append_text(body), soft_wrap=True)
        return
    head.rstrip()
    console.print(head, soft_wrap=True)
    console.print(Padding(body, (0, 0, 0, INDENT)))


def say_json(value: object) -> None:
    """The result for a machine."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    typer.echo(json.dumps(value, indent=2, ensure_ascii=plain, default=str))


def say_table(
    title: str, columns: Sequence[str], rows: Rows, *, right: Sequence[int] = (), caption: str = "",
    prose: Literal["", "cut", "wrap"] = "",
) -> None:  # fmt: skip
    """An aligned table; `right` are the columns of numbers. On a narrow terminal a table goes on below, its first two
    columns repeated, and a number is never broken; a last column of `prose` is cut off or wrapped between words
    instead."""
    if title:
        say_prose(title, "bold cyan")
    console, columns = _console(), [translate(column) for column in columns]
    rows = in_language(rows, translate)
    blocks = [range(len(columns))] if prose else _blocks(columns, rows, console.width)
    rows = _cut(columns, rows, console.width) if prose == "cut" else rows
    for number, chosen in enumerate(blocks):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
        for index in chosen:
            side: JustifyMethod = "right" if index in right else "left"
            wraps = prose == "wrap" and index == len(columns) - 1
            table.add_column(columns[index], justify=side, no_wrap=not wraps)
        for row in rows:
            table.add_row(*(Text(row[index]) for index in chosen))
        console.print(*([""] if number else []), table, sep="\n")
    if caption:
        say_prose(caption, "dim")


def say_list(title: str, items: Mapping[str, Sequence[str]]) -> None:
    """Names, and beside each its texts, wrapped where the terminal ends."""
    say_prose(title, "bold cyan")
    console, indent = _console(), max(map(cell_len, items), default=0) + 2
    for name, texts in items.items():
        lines = [line for text in texts for line in wrap(translate(text), max(console.width - indent, 20))]
        for number, line in enumerate(lines):
            console.print(Text(("" if number else name).ljust(indent), "bold").append(line, "not bold"), soft_wrap=True)


def _widths(columns: Sequence[str], rows: Rows) -> list[int]:
    return [max(map(cell_len, column)) + 2 for column in zip(columns, *rows)]


def _cut(columns: Sequence[str], rows: Rows, room: int) -> list[tuple[str, ...]]:
    """The rows with their last cell no longer than what the others leave of the line."""
    left = max(10, room - sum(_widths(columns, rows)[:-1]) - 1)
    return [(*row[:-1], _short(row[-1], left)) for row in rows]


def _short(text: str, room: int) -> str:
    return shorten(text, room, placeholder=" …", break_on_hyphens=False)


def _blocks(columns: Sequence[str], rows: Rows, room: int) -> list[Sequence[int]]:
    """Columns that fit side by side, the first two in every block."""
    widths = _widths(columns, rows)
    keys, blocks = [0, 1], [[0, 1]]
    for index in range(2, len(columns)):
        if sum(widths[i] for i in (*blocks[-1], index)) > room and len(blocks[-1]) > 2:
            blocks.append([*keys])
        blocks[-1].append(index)
    return list(blocks) if len(columns) > 2 else [range(len(columns))]


@contextmanager
def progress(text: str) -> Iterator[Tell]:
    """A spinner on stderr that shows the present step; silent where nobody is watching."""
    console = _console(stderr=True)
    if not console.is_terminal:
        yield lambda step: None
        return
    with told_by_others(), console.status(Text(text)) as status:
        yield lambda step: status.update(Text(f"{text}: {step}"))


@contextmanager
def live_table(title: str, columns: Sequence[str]) -> Iterator[Callable[[Rows], None]]:
    """Rows on stderr that are written anew as things go on; silent where nobody is watching."""
    console = _console(stderr=True)
    if not console.is_terminal:
        yield lambda rows: None
        return
    from rich.live import Live

    def draw_table(rows: Rows) -> Table:
        table = Table(title=Text(title), box=box.SIMPLE_HEAD, title_justify="left", show_edge=False)
        for column in columns:
            table.add_column(translate(column), justify="right")
        for row in rows:
            table.add_row(*map(Text, row))
        return table

    with told_by_others(), Live(draw_table([[""] * len(columns)]), console=console, transient=True) as live:
        yield lambda rows: live.update(draw_table(rows))


@contextmanager
def watch_study(title: str, columns: Sequence[str], rows: Callable[[Progress], Rows]) -> Iterator[Follow]:
    """A live table of a study: its rows as it goes on, some times a second and at the end."""
    with live_table(title, columns) as update:
        seen = 0.0

        def follow(progress: Progress) -> None:
            nonlocal seen
            if monotonic() - seen > OFTEN or progress.done == progress.count:
                seen = monotonic()
                update(rows(progress))

        yield follow


def guard_command(command: Callable[P, R]) -> Callable[P, R]:
    """The command with user mistakes told in one line and the promised exit codes, never a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with _warnings_in_one_line():
            try:
                return command(*args, **kwargs)
            except (ManipulaError, ManipulaWarning) as error:  # a warning: --strict
                code = CHECK_FAILED if isinstance(error, ProofError) else BAD_INPUT
                raise _exit_with(told_error(error), code) from None
            except BrokenPipeError:
                raise
            except OSError as error:
                raise fail(in_front(error.filename or "", error.strerror or str(error)), BAD_INPUT) from None
            except KeyboardInterrupt:
                raise fail("interrupted; files already there are as they were", INTERRUPTED) from None

    return run


def fail(sentence: str, code: int = CHECK_FAILED) -> typer.Exit:
    """What ends a command: one line on stderr, and the exit code."""
    return _exit_with(translate(sentence), code)


def fail_interrupted(resume: Path | None) -> typer.Exit:
    """What ends a study after Ctrl-C."""
    if resume:
        return fail(Message("interrupted; go on with --resume {resume}", resume), INTERRUPTED)
    return fail("interrupted; with --resume FOLDER it could go on from here", INTERRUPTED)


def _exit_with(told: str, code: int) -> typer.Exit:
    _beside(Text("manipula: ", style="bold red").append(told, style="not bold default"))
    return typer.Exit(code)


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Every distinct `ManipulaWarning` once, as `warning: …` on stderr."""
    told: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", ManipulaWarning)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
            if not isinstance(message, ManipulaWarning):
                usual(message, category, *rest, **more)
            elif str(message) not in told:
                told.add(str(message))
                note(Message("warning: {text}", message), "yellow")

        warnings.showwarning = show
        yield
