"""What a terminal shows and a pipe does not: spinners, live tables, broken formulas, editors; and how commands end."""

from __future__ import annotations

import io
import json
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from manipula.cli import editor
from manipula.cli.app import app
from manipula.cli.terminal import screen
from manipula.errors import InputError, ManipulaWarning, ProofError
from manipula.messages import Message


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal of sixty columns that is watched."""
    text = io.StringIO()
    made = Console(file=text, width=60, force_terminal=True, markup=False, highlight=False, emoji=False)
    monkeypatch.setattr(screen, "_console", lambda stderr=False: made)
    return text


def test_a_spinner_tells_the_step(terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = list[str]()
    monkeypatch.setattr("rich.status.Status.update", lambda self, text, **more: shown.append(str(text)))
    with screen.progress("counting") as tell:
        tell("gravity")
        tell("pose")
    assert shown == ["counting: gravity", "counting: pose"]


def test_a_live_table_is_drawn_anew(terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list[Any]()
    monkeypatch.setattr("rich.live.Live.update", lambda self, table, **more: drawn.append(table))
    with screen.live_table("searches", ("line", "best")) as update:
        update([("gravity", "6"), ("pose", "7")])
    (table,) = drawn
    assert str(table.title) == "searches" and table.title_justify == "left" and table.row_count == 2
    assert [(str(x.header), x.justify, [str(cell) for cell in x.cells]) for x in table.columns] == [
        ("line", "right", ["gravity", "pose"]), ("best", "right", ["6", "7"]),
    ]  # fmt: skip


def test_nobody_watches_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with screen.progress("x") as tell, screen.live_table("y", ("a",)) as update:
        tell("step")
        update([("1",)])
    assert capsys.readouterr() == ("", "")


def test_a_study_is_looked_at_now_and_then_and_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, seen = [10.0], list[Any]()

    class Table:
        def __enter__(self) -> Any:
            return seen.append

        def __exit__(self, *error: object) -> None:
            return None

    monkeypatch.setattr(screen, "monotonic", lambda: clock[0])
    monkeypatch.setattr(screen, "live_table", lambda title, columns: Table())
    with screen.watch_study("t", ("a",), lambda progress: [(str(progress.done),)]) as follow:
        for done, later in ((1, 0.0), (2, 0.1), (3, 0.15), (4, 0.05), (5, 0.0)):
            clock[0] += later
            follow(SimpleNamespace(done=done, count=5))  # type: ignore[arg-type]
    assert seen == [[("1",)], [("3",)], [("5",)]]


def test_a_formula_goes_on_under_its_right_side() -> None:
    long = "tau1 = " + " + ".join(f"a{i}*b{i}" for i in range(12))
    lines = screen.wrapped_formula(long, 40)
    assert lines[0].startswith("tau1 = a0*b0") and all(len(line) <= 40 for line in lines)
    assert all(line.startswith((" " * 7 + "+", " " * 7 + "a")) for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == long
    assert all(
        line.startswith(" " * 8) for line in screen.wrapped_formula("a_long_name = " + "x + " * 20 + "x", 30)[1:]
    )
    for whole in (long[:40], " " + long, "with " + long, "x" * 60):
        assert screen.wrapped_formula(whole, 40) == [whole]


def test_formulas_break_on_a_terminal_alone(terminal: io.StringIO) -> None:
    screen.say_formulas("a = 1\ny = " + " + ".join(["xxxxxxxx"] * 10))
    assert max(map(len, terminal.getvalue().splitlines())) <= 60 and terminal.getvalue().startswith("a = 1\ny = ")


def test_columns_that_do_not_fit_go_on_below() -> None:
    rows = [("1", "one", "a" * 8, "b" * 8, "c" * 8)]
    columns = ("#", "name", "A", "B", "C")  # 3, 6, 10, 10, 10 wide
    assert screen._blocks(columns, rows, 39) == [[0, 1, 2, 3, 4]]
    assert screen._blocks(columns, rows, 38) == [[0, 1, 2, 3], [0, 1, 4]]
    assert screen._blocks(columns, rows, 5) == [[0, 1, 2], [0, 1, 3], [0, 1, 4]]
    assert [list(x) for x in screen._blocks(("a", "b"), [("1", "2")], 1)] == [[0, 1]]
    assert screen._cut(("a", "b"), [("1234", "one two three four")], 20) == [("1234", "one two …")]
    assert screen._cut(("a", "b"), [("1234", "one two three four")], 3) == [("1234", "one two …")]


def test_a_head_has_its_words_beside_it_or_below(terminal: io.StringIO) -> None:
    screen.say_hanging(Text("head  "), Text("x" * 54))
    screen.say_hanging(Text("head  "), Text("x" * 55))
    plain = [line.rstrip() for line in Text.from_ansi(terminal.getvalue()).plain.splitlines()]
    assert plain[0] == "head  " + "x" * 54 and plain[1] == "head" and plain[2].startswith(" " * screen.INDENT + "xxx")


def test_json_is_ascii_where_the_stream_is_not_unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding, text in (("utf-8", '"N·m"'), ("UTF8", '"N·m"'), ("ascii", '"N\\u00b7m"'), ("latin-1", '"N\\u00b7m"')):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        screen.say_json("N·m")
        stream.flush()
        assert stream.buffer.getvalue().decode(encoding).strip() == text  # type: ignore[attr-defined]


# how commands end


def ended(error: BaseException, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    def fails() -> None:
        raise error

    with pytest.raises(typer.Exit) as caught:
        screen.guard_command(fails)()
    out, err = capsys.readouterr()
    assert out == ""
    return caught.value.exit_code, err


def test_every_end_has_its_code_and_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(InputError("{a}: wrong", 3), capsys) == (2, "manipula: 3: wrong\n")
    assert ended(ProofError("no proof"), capsys) == (1, "manipula: no proof\n")
    assert ended(ManipulaWarning("strict"), capsys) == (2, "manipula: strict\n")
    assert ended(FileNotFoundError(2, "No such file", "a.toml"), capsys) == (2, "manipula: a.toml: No such file\n")
    assert ended(OSError("odd"), capsys) == (2, "manipula: odd\n")
    assert ended(KeyboardInterrupt(), capsys)[0] == 130
    with pytest.raises(BrokenPipeError):
        screen.guard_command(lambda: (_ for _ in ()).throw(BrokenPipeError()))()


def test_an_interrupted_study_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert screen.fail_interrupted(Path("kept")).exit_code == 130
    assert capsys.readouterr().err == "manipula: interrupted; go on with --resume kept\n"
    assert screen.fail_interrupted(None).exit_code == 130
    assert capsys.readouterr().err == "manipula: interrupted; with --resume FOLDER it could go on from here\n"
    assert screen.fail("a check").exit_code == 1


def test_a_warning_is_told_once_and_those_of_others_as_usual(capsys: pytest.CaptureFixture[str]) -> None:
    def warned() -> None:
        for text in ("first", "second", "first"):
            warnings.warn(ManipulaWarning(Message("{x} of all", text)), stacklevel=1)

    screen.guard_command(warned)()
    assert capsys.readouterr().err == "warning: first of all\nwarning: second of all\n"
    others = list[str]()
    usual = warnings.showwarning
    warnings.showwarning = lambda message, *rest, **more: others.append(str(message))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            screen.guard_command(lambda: warnings.warn(UserWarning("theirs"), stacklevel=1))()
    finally:
        warnings.showwarning = usual
    assert others == ["theirs"] and capsys.readouterr().err == ""


# programs around


def test_the_editor_is_the_one_named_or_one_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"vim", "vi", "notepad"}
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("shutil.which", lambda name: name if name in there else None)
    with pytest.raises(InputError, match=r"^nothing to change: give assignments such as a2=0\.43, or set EDITOR$"):
        editor._editor()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert editor._editor() == ["vim"]
    there.add("nano")
    assert editor._editor() == ["nano"]
    there -= {"nano", "vim", "vi"}
    with pytest.raises(InputError, match=r"^no editor found; set EDITOR, or give assignments such as a2=0\.43$"):
        editor._editor()
    monkeypatch.setattr(sys, "platform", "win32")
    assert editor._editor() == ["notepad"]
    monkeypatch.setenv("EDITOR", "code --wait")
    assert editor._editor() == ["code", "--wait"]
    monkeypatch.setenv("VISUAL", "'my editor' -n")
    assert editor._editor() == ["my editor", "-n"]


def test_the_studio_says_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[Any]()

    def serve(wanted: Any, announce: Any) -> None:
        asked.append(wanted)
        announce("http://127.0.0.1:1/?token=x")

    monkeypatch.setenv("MANIPULA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("manipula.studio.server.serve", serve)
    monkeypatch.setattr("manipula.pages.page.built_file", lambda name: tmp_path / name)
    ran = CliRunner().invoke(app, ["studio", str(tmp_path), "--no-browser", "--port", "8765"])
    assert ran.output == "The studio is open; Ctrl-C ends it.\nhttp://127.0.0.1:1/?token=x\n\n"
    (wanted,) = asked
    assert (wanted.place, wanted.page, wanted.port, wanted.browser) == (tmp_path, tmp_path / "studio", 8765, False)
    assert wanted.drafts == tmp_path / "home" / "studio" and wanted.language == "en"


def test_json_can_be_read_back() -> None:
    ran = CliRunner().invoke(app, ["control", "--json"])
    assert json.loads(ran.stdout)["pid"]["says"] == "PID of every joint"
