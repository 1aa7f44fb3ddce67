"""Files are written whole or not at all, nothing is left behind, and a failure names the file that was wanted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula.errors import UnwritableError
from manipula.support import files

ROOT = Path(mp.__file__).parents[1]
posix = pytest.mark.skipif(sys.platform == "win32", reason="no such signals, locks and limits there")
NO_SPACE = OSError(28, "No space left on device")
FAULTS = (NO_SPACE, PermissionError(13, "Permission denied"), KeyboardInterrupt(), MemoryError())
STEPS = ("tempfile.mkstemp", "os.chmod", "os.replace", "Path.write_bytes", "Path.mkdir")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("before", [None, b"before"])
def test_whatever_fails_the_folder_is_as_it_was(
    step: str, fault: BaseException, before: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.toml"
    if before is not None:
        path.write_bytes(before)

    def fails(*given: Any, **more: Any) -> None:
        raise fault

    owner, _, name = step.partition(".")
    with monkeypatch.context() as patch:
        patch.setattr(getattr(files, owner), name, fails)
        with pytest.raises((OSError, KeyboardInterrupt, MemoryError)) as caught:
            files.write_bytes(path, b"after")
    if isinstance(fault, OSError):
        assert str(caught.value) == f"{path}: cannot be written: {fault.strerror}"
        assert isinstance(caught.value, mp.InputError) and caught.value.errno == fault.errno
    assert [x.name for x in tmp_path.iterdir()] == ([] if before is None else ["a.toml"])
    assert before is None or path.read_bytes() == before
    assert files.write_bytes(path, b"after").read_bytes() == b"after"


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    for length in (200, 240, 255):
        path = tmp_path / ("x" * (length - 5) + ".toml")
        assert files.write_text(path, "text").read_text() == "text"
    with pytest.raises(UnwritableError, match=r"x\.toml: cannot be written: ") as refused:
        files.write_text(tmp_path / ("x" * 400 + ".toml"), "text")
    assert isinstance(refused.value, mp.InputError) and len(list(tmp_path.iterdir())) == 3


KILLED = """
import os, signal, sys
from pathlib import Path
from manipula.support import files
with files.replace_file(Path(sys.argv[1])) as part:
    part.write_bytes(b"half")
    print("ready", flush=True)
    sys.stdin.read() if sys.argv[2:] else os.kill(os.getpid(), signal.SIGKILL)
"""


def program(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", KILLED, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@posix
def test_what_a_killed_program_left_goes_with_the_next_save_and_what_a_living_one_writes_stays(tmp_path: Path) -> None:
    path = tmp_path / "a*[1].toml"
    with program(path) as killed:
        killed.communicate(timeout=60)
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".part" and left.read_bytes() == b"half"
    with program(path, "lives") as living:
        assert living.stdout is not None and living.stdout.readline() == b"ready\n"
        strangers = tmp_path / ".b.toml.12345678.part"
        strangers.write_bytes(b"of another file")
        parts = set(tmp_path.iterdir()) - {left, strangers}
        files.write_text(path, "mine")
        assert set(tmp_path.iterdir()) == {path, strangers, *parts} and len(parts) == 1
        living.communicate(timeout=60)
    assert path.read_bytes() == b"half" and set(tmp_path.iterdir()) == {path, strangers}


LIMITED = """
import resource, signal, sys
import manipula as mp
from manipula.cli.app import app

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
place = sys.argv[1]
for act in (
    lambda: mp.save(mp.load("puma560"), place + "/x.toml"),
    lambda: mp.generate("planar2r", "pose", optimise="none").emit("c", place + "/x"),
    lambda: mp.trajectory.quintic([0, 0], [1, 1], 1.0).save(place + "/x.csv"),
    lambda: app(["convert", "puma560", place + "/x.urdf"], standalone_mode=False),
    lambda: app(["new", "x", "--joints", "RR", "-o", place + "/x.new.toml"], standalone_mode=False),
):
    try:
        act()
    except mp.InputError as error:
        print(error)
    except SystemExit:
        pass
"""


@posix
def test_a_full_disk_is_a_sentence_with_the_name_of_the_file(tmp_path: Path) -> None:
    """In Python and on the command line; nothing half written stays."""
    environment = {**os.environ, "MANIPULA_CACHE": "off", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    said = (done.stdout + done.stderr).splitlines()
    names = ("x.csv", "x.new.toml", "x.toml", "x.urdf", "x/planar2r_pose.h")
    sentences = {f"{tmp_path}/{name}: cannot be written: File too large" for name in names}
    assert {line.removeprefix("manipula: ") for line in said} == sentences
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


SYSTEMS = {"linux": ("XDG_CACHE_HOME", "XDG_DATA_HOME"), "win32": ("LOCALAPPDATA", "APPDATA"), "darwin": ("", "")}


@pytest.mark.parametrize("kind", ["cache", "data"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_user_without_a_home_has_the_folders_that_are_named(
    kind: Any, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    variable = SYSTEMS[system][kind == "data"]
    monkeypatch.setattr(files.sys, "platform", system)
    monkeypatch.delenv(variable, raising=False) if variable else None
    monkeypatch.setattr(files.Path, "home", lambda: Path("home"))
    usual = files.user_folder(kind)
    assert usual is not None and usual.parts[0] == "home" and usual.name == "manipula"
    monkeypatch.setattr(files.Path, "home", homeless)
    assert files.user_folder(kind) is None
    if variable:
        monkeypatch.setenv(variable, "named")
        assert files.user_folder(kind) == Path("named", "manipula")


def test_an_unwritable_file_is_an_error_of_both_kinds() -> None:
    error = UnwritableError("x.toml", NO_SPACE)
    assert isinstance(error, OSError) and isinstance(error, mp.InputError)
    assert (error.errno, error.filename, str(error)[:8]) == (28, "x.toml", "x.toml: ")
