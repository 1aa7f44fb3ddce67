"""The help of every command, in every language, as data: what it takes, in which order, by which words, and what a
shell completes. Typer draws the boxes around it, otherwise in every version. `--update` accepts what it is now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command, get_params_from_function

from manipula.cli.app import COMMANDS, app, function_of, in_tongue, load_command
from manipula.cli.terminal import language

HERE = Path(__file__).parent
FEW = 3  # completions that are shown: robots and laws are added


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Completion lists the robots of the folder and of the catalogue."""
    monkeypatch.setenv("MANIPULA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(language.VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    yield
    language.speak("")


def completions(info: Any) -> str:
    found = info.autocompletion("") if info.autocompletion else []
    return f" completes {' '.join(found[:FEW])}{' …' if len(found) > FEW else ''}" if found else ""


def type_name(meta: Any) -> str:
    """Of a value; an option that may be left out has None besides."""
    name = str(getattr(meta.annotation, "__name__", meta.annotation))
    return re.sub(r"[\w.]*Path", "Path", name).removesuffix(" | None")


def parameter_lines(parameter: Any, meta: Any) -> Iterator[str]:
    """`meta` is how Typer understood the parameter of the function."""
    words = " ".join((*parameter.opts, *parameter.secondary_opts)) if parameter.param_type_name == "option" else ""
    count = " …" if parameter.nargs != 1 or parameter.multiple else ""
    default = " required" if parameter.required else f" = {parameter.default!r}".replace("WindowsPath", "PosixPath")
    metavar = f"{parameter.metavar} " if parameter.metavar else ""
    yield f"  {words or parameter.name} <{metavar}{type_name(meta)}{count}>{default}{completions(meta.default)}"
    yield f"      {getattr(parameter, 'help', None) or ''}".rstrip()


def help_text(name: str) -> str:
    command, metas = in_tongue(load_command(name)), get_params_from_function(function_of(name))
    lines = [line for parameter in command.params for line in parameter_lines(parameter, metas[parameter.name])]
    return "\n".join([f"manipula {name}", command.help.replace("\b", "[as it is]"), *lines, ""])


@pytest.mark.parametrize("tongue", language.TONGUES)
def test_every_command_takes_and_says_what_it_did(tongue: str, update: bool) -> None:
    language.speak(tongue)
    text, path = "\n".join(map(help_text, COMMANDS)), HERE / f"help.{tongue}.txt"
    if update:
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


def test_every_command_is_one_of_the_application() -> None:
    """What is compared above is what is listed and called."""
    commands: Any = get_command(app)
    assert list(commands.commands) == list(COMMANDS)
