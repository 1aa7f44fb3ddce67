"""Commands that touch files: nothing is lost, nothing is half written; and the program as a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import manipula
from manipula import api
from manipula.cli import editor as editing
from manipula.support import files
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused, run

pytestmark = pytest.mark.usefixtures("kept_functions")

__all__ = ["folder"]  # the fixture

TABLE = "joint theta(deg) d(m) a(m) alpha(deg)\n1 q1 0 0.4 90\n2 q2 0 L2 0\n"
ANSI = re.compile(r"\x1b\[")


def process(*arguments: str, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The real program, in the current folder."""
    root = str(Path(manipula.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-m", "manipula.cli", *arguments],
        env={**os.environ, "PYTHONPATH": root, "PYTHONUTF8": "1", **environment},
        input=text, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


# new


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_new_robot_loads_without_a_warning(convention: str) -> None:
    result = run("new", "arm", "--joints", "RPF", "--convention", convention)
    assert result.exit_code == 0
    assert result.stderr == ""
    robot = api.load("arm.toml", strict=True)
    assert [joint.kind for joint in robot.joints] == ["revolute", "prismatic", "fixed"]
    assert robot.origin.convention == convention


def test_new_never_overwrites_unless_told(folder: Path) -> None:
    done("new", "arm", "--joints", "RR")
    before = (folder / "arm.toml").read_bytes()
    assert "--force" in refused("new", "arm", "--joints", "RRR")
    assert (folder / "arm.toml").read_bytes() == before
    done("new", "arm", "--joints", "RRR", "--force")
    assert api.load("arm.toml").dof == 3


def test_new_from_a_table(folder: Path) -> None:
    (folder / "table.csv").write_text(TABLE, encoding="utf-8")
    done("new", "one", "--from", "table.csv")
    done("new", "two", "--from", "-", text=TABLE)
    one, two = api.load("one.toml"), api.load("two.toml")
    assert one.joints == two.joints
    assert one.name == "one"
    assert one.parameters["a1"] == pytest.approx(0.4)


def test_new_in_the_catalogue_is_found_by_name(folder: Path) -> None:
    told = as_json("new", "kept", "--joints", "RR", "--catalogue")
    assert Path(told["file"]).parent == Path(os.environ["MANIPULA_HOME"]) / "robots"
    assert as_json("show", "kept")["dof"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["arm"], "--joints"),
        (["arm", "--joints", "RXR"], "R (revolute)"),
        (["arm", "--joints", "RR", "--convention", "denavit"], "standard or modified"),
        (["puma560", "--joints", "RR"], "library"),
        (["a b/c", "--joints", "RR"], "cannot name a robot"),
        (["arm", "--from", "missing.csv"], "missing.csv"),
        (["arm", "--from", "planar2r", "--angle", "deg"], "--angle"),
    ],
)
def test_new_refuses_in_words(arguments: list[str], said: str, folder: Path, whole: Sentences) -> None:
    assert said in whole.compare(refused("new", *arguments))
    assert list(folder.iterdir()) == []


# edit


def test_edit_keeps_comments_and_file_units(folder: Path) -> None:
    done("new", "arm", "--joints", "RR")
    comments = (folder / "arm.toml").read_text(encoding="utf-8").count("#")
    done("edit", "arm", "alpha1=90", "d1=100mm", "m2=5", "a2=0.43", "theta2=0.5rad")
    text = (folder / "arm.toml").read_text(encoding="utf-8")
    assert text.count("#") == comments
    assert "alpha = 90 " in text
    values = api.load("arm.toml").parameters
    assert (values["d1"], values["m2"], values["a2"], values["theta2"]) == pytest.approx((0.1, 5, 0.43, 0.5))


def test_edit_where_no_line_fits_keeps_the_former_file(folder: Path) -> None:
    done("new", "arm", "--joints", "RR")
    before = (folder / "arm.toml").read_bytes()
    result = run("edit", "arm", "Ixx2=0.5", "gz=-1.62")
    assert result.exit_code == 0
    kept = folder / ".manipula-trash" / "arm.toml"
    assert kept.read_bytes() == before
    assert kept.name in result.stderr
    values = api.load("arm.toml").parameters
    assert (values["Ixx2"], values["gz"]) == pytest.approx((0.5, -1.62))


def test_edit_names_inside_expressions() -> None:
    done("new", "arm", "--joints", "RR")
    done("edit", "arm", "a1=2*L", "a2=L")
    done("edit", "arm", "L=0.5")
    assert "L" not in as_json("show", "arm")["symbolic"]


def test_edit_copies_a_library_robot(folder: Path) -> None:
    result = run("edit", "puma560", "m6=0.5")
    assert result.exit_code == 0
    assert "library robot" in result.stderr
    copy = as_json("show", "my_puma560")
    assert copy["name"] == "my_puma560"
    assert copy["parameters"]["m6"] == 0.5
    assert api.load("puma560").parameters["m6"] == 0.09


def test_edit_to_another_file(folder: Path) -> None:
    done("new", "arm", "--joints", "RR")
    before = (folder / "arm.toml").read_bytes()
    done("edit", "arm", "m1=3", "-o", "heavy.toml")
    assert (folder / "arm.toml").read_bytes() == before
    assert api.load("heavy.toml").parameters["m1"] == 3
    assert "--force" in refused("edit", "arm", "m1=3", "-o", "heavy.toml")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("m2=-5", "negative"),
        ("nothing=1", "no parameter is called 'nothing'"),
        ("a2", "a2=0.43"),
        ("a2=5deg", "a value in deg (expected a length in m, cm or mm)"),
        ("m2=5mm", "a value in mm (expected a mass in kg)"),
        ("a2=q1", "reserved"),
        ("a2=__import__('os')", "only numbers, names"),
    ],
)
def test_a_failed_edit_leaves_every_byte(change: str, said: str, folder: Path) -> None:
    done("new", "arm", "--joints", "RR")
    before = (folder / "arm.toml").read_bytes()
    assert said in refused("edit", "arm", "m1=2", change)
    assert (folder / "arm.toml").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["arm.toml"]


def test_an_edit_interrupted_while_writing_leaves_every_byte(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done("new", "arm", "--joints", "RR")
    before = (folder / "arm.toml").read_bytes()

    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", interrupted)
    refused("edit", "arm", "m1=2", code=130)
    assert (folder / "arm.toml").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["arm.toml"]


def editor(folder: Path, body: str) -> str:
    """An $EDITOR that runs a line of Python on the file."""
    script = folder.parent / "editor.py"
    script.write_text(f"import sys\nfrom pathlib import Path\nfile = Path(sys.argv[1])\n{body}\n", encoding="utf-8")
    return f'"{sys.executable}" "{script}"'


def test_the_editor_changes_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done("new", "arm", "--joints", "RR")
    body = "file.write_text(file.read_text(encoding='utf-8').replace('joint2', 'elbow'), encoding='utf-8')"
    monkeypatch.setenv("VISUAL", editor(folder, body))
    done("edit", "arm")
    assert api.load("arm.toml").joint_names == ("joint1", "elbow")
    assert "nothing changed" in done("edit", "arm")


@pytest.mark.parametrize("body", ["file.write_text('nonsense = [')", "sys.exit(3)"])
def test_a_failed_editor_keeps_the_file_and_the_draft(body: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done("new", "arm", "--joints", "RR")
    before = (folder / "arm.toml").read_bytes()
    monkeypatch.setenv("VISUAL", editor(folder, body))
    result = run("edit", "arm")
    assert result.exit_code == 2
    assert (folder / "arm.toml").read_bytes() == before
    draft = re.search(r"your draft is (.*)", result.stderr)
    assert draft and Path(draft[1].strip()).is_file()


def test_without_an_editor_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    done("new", "arm", "--joints", "RR")
    assert "a2=0.43" in refused("edit", "arm")
    monkeypatch.setenv("EDITOR", "no-such-editor-anywhere")
    assert "cannot be started" in refused("edit", "arm")


def test_text_is_read_in_the_format_of_its_target(folder: Path) -> None:
    assert editing.loaded_from("# convention = standard\n" + TABLE, Path("x.csv")).dof == 2


# delete


def test_delete_moves_to_the_trash(folder: Path) -> None:
    done("new", "arm", "--joints", "RR")
    before = (folder / "arm.toml").read_bytes()
    told = as_json("delete", "arm", "--yes")
    assert not (folder / "arm.toml").exists()
    assert Path(told["trash"]).read_bytes() == before
    done("new", "arm", "--joints", "RRR")
    again = as_json("delete", "arm", "--yes")
    assert again["trash"] != told["trash"]
    assert Path(told["trash"]).read_bytes() == before


def test_delete_asks(folder: Path) -> None:
    done("new", "arm", "--joints", "RR")
    assert "nothing deleted" in done("delete", "arm", text="n\n")
    assert (folder / "arm.toml").exists()
    assert run("delete", "arm", text="").exit_code == 2
    assert "To have it back" in done("delete", "arm", text="y\n")


def test_delete_only_your_own_robots(folder: Path) -> None:
    (folder / "notes.md").write_text("x", encoding="utf-8")
    assert "library" in refused("delete", "puma560", "--yes")
    assert "not a robot file" in refused("delete", "notes.md", "--yes")
    assert "no such file" in refused("delete", "gone.toml", "--yes")
    assert (folder / "notes.md").exists()


# convert


def test_convert_there_and_back() -> None:
    done("convert", "stanford3", "s.toml", "--to", "modified")
    assert as_json("show", "s.toml")["convention"] == "modified"
    done("convert", "pucrio", "p.urdf")
    told = as_json("convert", "p.urdf", "p.toml")
    assert (told["dof"], told["convention"]) == (6, "standard")
    done("convert", "pucrio", "p.csv")
    assert api.load("p.csv").dof == 6


@pytest.mark.parametrize(
    ("source", "target", "more"),
    [
        ("bad.toml", "there.toml", []),
        ("planar2r", "there.urdf", []),  # symbols without a value
        ("planar2r", "there.toml", ["--to", "french"]),
        ("planar2r", "there.toml", ["--tip", "hand"]),
        ("puma560", "there.toml", ["--strict"]),
        ("puma560", "there.doc", []),
    ],
)
def test_a_failed_convert_leaves_the_target(source: str, target: str, more: list[str], folder: Path) -> None:
    (folder / "bad.toml").write_text("format = 1\n[[joint]]\n", encoding="utf-8")
    (folder / target).write_bytes(b"as it was\r\n")
    refused("convert", source, target, *more)
    assert (folder / target).read_bytes() == b"as it was\r\n"
    assert sorted(path.name for path in folder.iterdir()) == sorted(["bad.toml", target])


# the program itself


@pytest.mark.turn
def test_a_process_prints_plain_text_and_clean_json() -> None:
    shown = process("show", "planar2r", TERM="xterm-256color")
    assert shown.returncode == 0
    assert not ANSI.search(shown.stdout + shown.stderr)
    told = process("show", "planar2r", "--json", NO_COLOR="1")
    assert json.loads(told.stdout)["dof"] == 2
    assert told.stderr == ""


@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff\x00", b"format = 1\nname = 'x'\n", b"[[joint]\n", b"format = 'one'"]
)
def test_a_malformed_file_is_one_line_and_code_2(content: bytes, folder: Path) -> None:
    (folder / "bad.toml").write_bytes(content)
    message = refused("show", "bad.toml")
    assert "bad.toml" in message


@pytest.mark.turn
def test_a_malformed_file_in_a_process_has_no_traceback(folder: Path) -> None:
    (folder / "bad.toml").write_bytes(b"[[joint]\n")
    result = process("check", "bad.toml")
    assert result.returncode == 2
    assert result.stdout == ""
    assert re.fullmatch(r"manipula: bad\.toml: [^\n]+\n", result.stderr)


def test_completion_in_a_process() -> None:
    words = {"_MANIPULA_COMPLETE": "complete_bash", "COMP_WORDS": "manipula show puma560_", "COMP_CWORD": "2"}
    assert process(**words).stdout.split() == ["puma560_symbolic"]


@pytest.mark.turn
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C of another process is a POSIX signal")
def test_ctrl_c_in_a_process_is_quiet(folder: Path) -> None:
    waiting = editor(folder, "import time\nprint('ready', flush=True)\ntime.sleep(60)")
    root = str(Path(manipula.__file__).parents[1])
    child = subprocess.Popen(
        [sys.executable, "-m", "manipula.cli", "edit", "planar2r"],
        env={**os.environ, "PYTHONPATH": root, "VISUAL": waiting}, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    os.killpg(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert child.returncode == 130
    assert "manipula: interrupted" in errors
    assert list(folder.iterdir()) == []


def test_saving_through_a_symbolic_link_writes_the_file_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link, absent = tmp_path / "real" / "arm.toml", tmp_path / "link.toml", tmp_path / "ahead.toml"
    api.save(api.load("planar2r"), target)
    link.symlink_to(Path("real") / "arm.toml")
    absent.symlink_to(tmp_path / "real" / "later.toml")
    api.save(api.load("scara"), link)
    api.save(api.load("scara"), absent)
    assert link.is_symlink()
    assert absent.is_symlink()
    assert api.load(target).name == api.load(tmp_path / "real" / "later.toml").name == "scara"
    assert list((tmp_path / "real").glob("*.part")) == []


@pytest.mark.parametrize("own", ["", "\nmass = 2"])
def test_an_edit_leaves_the_lines_of_the_joint_before(own: str, folder: Path) -> None:
    """Also where the same key is the last of that joint's, and the changed joint has none."""
    first = '[[joint]]\ntype = "revolute"\na = 0.5\nd = 0\nalpha = 0\nmass = 1'
    second = '[[joint]]\ntype = "revolute"\na = 0.4\nd = 0\nalpha = 0'
    head = 'format = 1\nname = "two"\nconvention = "standard"\nangle = "deg"\ninertia_default = 0'
    (folder / "two.toml").write_text(f"{head}\n{first}\n{second}{own}\n")
    done("edit", "two.toml", "m2=3")
    assert (folder / "two.toml").read_text() == f"{head}\n{first}\n{second}\nmass = 3\n"
