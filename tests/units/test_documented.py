"""Every option is documented where a reader looks for it: those of commands in the reference of the command line, those
of calls in that of Python; and what the page of tasks says can be typed."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import manipula as mp
from manipula.algebra.run.repeated import USUAL
from manipula.cli.app import COMMANDS, load_command
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.robot.formats import registry

DOCS = Path(__file__).parents[2] / "docs"
CLI = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
PYTHON = (DOCS / "reference" / "python-api.md").read_text(encoding="utf-8")
TASKS = (DOCS / "what-can-i-do.md").read_text(encoding="utf-8")
SHARED = "What all commands share"


def sections() -> dict[str, str]:
    """Command → what its section says; a heading may name several."""
    found: dict[str, str] = {}
    for part in re.split(r"^## ", CLI, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        found |= dict.fromkeys([title] if title == SHARED else re.split(r",\s*", title), body)
    return found


def options_of(command: str) -> list[str]:
    every = (word for parameter in load_command(command).params for word in parameter.opts)
    return [word for word in every if word.startswith("--") and word != "--help"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_says_every_option(command: str) -> None:
    told = sections()
    assert f"| `{command}` |" in CLI
    text = told[command] + told[SHARED]
    assert [option for option in options_of(command) if not re.search(rf"{option}(?![\w-])", text)] == []


def test_no_option_is_told_that_is_not_there() -> None:
    told = sections()
    known = {word for command in COMMANDS for word in options_of(command)} | {
        "--help",
        "--lang",
        "--install-completion",
    }
    for title, text in told.items():
        said = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
        assert said <= known, title


def rows(start: str) -> str:
    """The rows of tables that begin so."""
    return "\n".join(line for line in PYTHON.splitlines() if line.startswith(start))


def reader_options() -> set[str]:
    readers = [registry._load_function(form.reader) for form in registry.FORMATS.values()]
    return {name for reader in readers for name in list(inspect.signature(reader).parameters)[1:]}


@pytest.mark.parametrize(
    ("start", "names"),
    [
        ("| `mp.load(", {*inspect.signature(mp.load).parameters, *reader_options()} - {"options", "file"}),
        ("| `Robot.from_dh(", set(inspect.signature(mp.Robot.from_dh).parameters)),
        ("| `Robot.from_text(", {*inspect.signature(mp.Robot.from_text).parameters, "file"} - {"options"}),
    ],
    ids=["load", "from_dh", "from_text"],
)
def test_python_says_every_option(start: str, names: set[str]) -> None:
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", rows(start)))))
    assert names - told == set()


def test_python_says_every_option_of_generate() -> None:
    part = PYTHON[PYTHON.index("### Options of `generate`") :]
    told = set(re.findall(r"^\| `(\w+)` \|", part[: part.index("\n## ")], flags=re.MULTILINE))
    assert told == set(inspect.signature(mp.generate).parameters) - {"robot"}


def typed() -> Iterator[str]:
    """The commands of the page of tasks."""
    return (text for text in re.findall(r"`([^`]+)`", TASKS) if text.startswith("manipula "))


def test_the_tasks_can_be_typed() -> None:
    lines = list(typed())
    assert len(lines) > 25
    for line in lines:
        command, *words = [word for word in shlex.split(line)[1:] if word not in ("--lang", "pt")]
        if command == "--help":
            continue
        assert command in COMMANDS, line
        known = {word for parameter in load_command(command).params for word in parameter.opts} | {"--help"}
        assert {word for word in words if re.match(r"--?[a-z]", word)} <= known, line
        for name in re.findall(r" -m (\S+)", line):
            assert set(re.split(r"[,+]", name)) <= set(MODELS), line
        if command == "equations":
            assert words[1] in MODELS, line


def test_the_names_of_python_that_tasks_use_exist() -> None:
    for name in re.findall(r"`[^`]*?\bmp\.(\w+)", TASKS):
        assert hasattr(mp, name), name
    assert all(hasattr(mp.Run, name) for name in re.findall(r"`run\.(\w+)\(", TASKS))


def test_what_is_left_out_of_a_run_is_as_the_page_says() -> None:
    signature = re.search(r"`run\(state, steps, \*variables, ([^`]*)\)`", PYTHON)
    assert signature
    words = re.findall(r"(\w+)=(\(\)|\w+)", signature[1])
    assert {key: ast.literal_eval(value) for key, value in words} == USUAL
