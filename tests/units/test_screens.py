"""What commands print on a terminal of 80 columns: no line is longer, no word is broken."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.text import Text
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import COMMANDS, app
from manipula.cli.terminal import screen
from tests.units.test_cli import folder

__all__ = ["folder"]

WIDTH = 80
VALUES = [word for text in ("l1=0.5", "l2=0.4", "m1=3", "m2=2", "g=9.81") for word in ("--set", text)]
SCREENS = [
    ["robots"],
    *(["show", robot] for robot in ("planar2r", "puma560", "ur5.urdf", "scara", "cobra600")),
    pytest.param(["count", "planar2r", "-m", "gravity"], marks=pytest.mark.slow),
    pytest.param(["generate", "planar2r", "-m", "gravity,pose"], marks=pytest.mark.slow),
    ["ik", "puma560"],
    pytest.param(["ik", "planar2r", *VALUES[:4], "--position", "0.3,0.4"], marks=pytest.mark.slow),
    pytest.param(["check", "planar2r"], marks=pytest.mark.slow),
    ["base-parameters", "planar2r"],
    pytest.param(["base-parameters", "planar2r", "--classes"], marks=pytest.mark.slow),
    ["control"],
    pytest.param(["optimise", "planar2r", "-m", "gravity"], marks=pytest.mark.slow),
    pytest.param(["loads", "planar2r", *VALUES, "--to", "1,0.5"], marks=pytest.mark.slow),
    ["convert", "planar2r", "other.toml"],
    ["edit", "planar2r", "l1=0.4", "--force"],
]


def printed(words: list[str], width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(screen, "_PIPE_WIDTH", width)
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    return ran.stdout


@pytest.mark.parametrize("words", SCREENS, ids=lambda words: " ".join(words[:4]))
def test_a_screen_fits(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if "ur5.urdf" in words:
        mp.save(mp.load("ur5"), "ur5.urdf")
    wide, narrow = (printed(words, width, monkeypatch) for width in (1000, WIDTH))
    assert [line for line in narrow.splitlines() if len(line.rstrip()) > WIDTH] == []
    whole = {*wide.split(), "…"}
    endless = [word for word in whole if len(word) > WIDTH]  # the path of a folder
    broken = {word for word in narrow.split() if word not in whole and set(word) != {"─"}}
    assert {word for word in broken if not any(word in longer for longer in endless)} == set()


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_help_fits(command: str) -> None:
    wide, narrow = (helped(command, width) for width in (250, WIDTH))
    assert [line for line in narrow.splitlines() if len(line.rstrip()) > WIDTH] == []
    assert {word for word in narrow.split() if re.search(r"\w", word)} <= set(wide.split())


def helped(command: str, width: int) -> str:
    """The help in a process of its own: the width is read when the program starts."""
    words = [sys.executable, "-m", "manipula.cli", command, "--help"]
    environment = {**os.environ, "COLUMNS": str(width)}
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("room", range(30, 100, 7))
def test_a_last_column_gives_way_between_words(
    room: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(screen, "_PIPE_WIDTH", room)
    text = "many words of Denavit-Hartenberg and others that a narrow screen has no room for"
    for prose in ("cut", "wrap"):
        screen.say_table("a table", ("name", "text"), [("first", text), ("second", "short")], prose=prose)  # type: ignore[arg-type]
        shown = capsys.readouterr().out
        assert max(len(line.rstrip()) for line in shown.splitlines()) <= room
        known = {*text.split(), "a", "table", "name", "text", "first", "second", "short", "…"}
        assert {word for word in shown.split() if set(word) != {"─"}} <= known
        if prose == "wrap":
            assert set(text.split()) <= set(shown.split())


def test_a_head_stands_beside_or_above(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for width, lines in ((80, 1), (30, 3)):
        monkeypatch.setattr(screen, "_PIPE_WIDTH", width)
        screen.say_hanging(Text("PROVED  symmetry  "), Text("what is said of it in a few"), Text("  (words)"))
        shown = capsys.readouterr().out.splitlines()
        assert len(shown) == lines
        assert max(map(len, shown)) <= width


def test_a_folder_of_odd_files_is_listed(folder: Path) -> None:
    (folder / "broken.toml").write_text("[[joint]]\nwhat", encoding="utf-8")
    assert "cannot be read" in CliRunner().invoke(app, ["robots"]).stdout
