"""A study's folder: one program at a time, whole when it is, and a disk that is really full."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula.studies.results import store
from tests import study_functions as functions

ROOT = Path(mp.__file__).parents[1]
CASES = {"a": range(30)}


def bytes_of(found: mp.Study) -> bytes:
    return found.path.read_bytes()


def test_one_program_at_a_time(tmp_path: Path) -> None:
    heard: list[str] = []

    def tell(progress: Any) -> None:
        with pytest.raises(mp.InputError, match="another program is at this study") as refused:
            mp.study(functions.mixed, CASES, resume=tmp_path / "s")
        heard.append(str(refused.value))

    found = mp.study(functions.mixed, CASES, resume=tmp_path / "s", tell=tell)
    assert heard and found.computed == 30
    assert bytes_of(mp.study(functions.mixed, CASES, resume=tmp_path / "s")) == bytes_of(found)


def test_a_study_that_ended_lets_go_of_its_folder(tmp_path: Path) -> None:
    def tell(progress: Any) -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            mp.study(functions.mixed, CASES, resume=tmp_path / "s", tell=tell)
    assert mp.study(functions.mixed, CASES, resume=tmp_path / "s").count == 30


def test_what_a_killed_program_left_is_cleared_away(tmp_path: Path) -> None:
    def tell(progress: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mp.study(functions.mixed, CASES, resume=tmp_path / "s", tell=tell)
    (tmp_path / "s" / ".merge-x1").mkdir()
    (tmp_path / "s" / ".merge-x1" / "whole.npz").write_bytes(b"half")
    (tmp_path / "s" / "parts" / ".000000000003-1-0.npz.abc.part").write_bytes(b"half")
    found = mp.study(functions.mixed, CASES, resume=tmp_path / "s")
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["results.npz", "study.json"]
    assert bytes_of(found) == bytes_of(mp.study(functions.mixed, CASES, resume=tmp_path / "t"))


def test_a_whole_study_is_read_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mp.study(functions.mixed, CASES, resume=tmp_path / "s")

    def refuse(*given: Any, **more: Any) -> Any:
        raise OSError(30, "Read-only file system")

    for place, name in ((store, "write_text"), (store, "write_bytes"), (Path, "mkdir")):
        monkeypatch.setattr(place, name, refuse)
    assert bytes_of(mp.study(functions.mixed, CASES, resume=tmp_path / "s")) == bytes_of(whole)
    with pytest.raises(mp.InputError, match="cannot be written: Read-only file system"):
        mp.study(functions.mixed, CASES, resume=tmp_path / "other")


def test_room_is_taken_without_the_system_s_help_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mp.study(functions.mixed, CASES, resume=tmp_path / "s")
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    assert bytes_of(mp.study(functions.mixed, CASES, resume=tmp_path / "t")) == bytes_of(whole)
    with (tmp_path / "some").open("wb") as file:
        store.take_room(file, 10, 3 * 2**20 + 17)
    assert (tmp_path / "some").stat().st_size == 3 * 2**20 + 17


def test_a_table_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = mp.study(functions.mixed, CASES)
    monkeypatch.setattr(os, "replace", lambda *given: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    for ending in (".csv", ".npz"):
        with pytest.raises(mp.InputError, match="cannot be written: No space left on device"):
            found.save(tmp_path / f"x{ending}")
    assert not list(tmp_path.iterdir())


# disks that are really full

PROGRAM = """
import resource, subprocess, sys
import manipula as mp
from manipula.studies.results import store
from manipula.studies import study_run
from tests.study_functions import wide

store.SOON, study_run.MOST = 0.0, 40  # every block a part of at most 33 kB
CASES, kind, folder, size = {"a": range(400)}, sys.argv[1], sys.argv[2], int(sys.argv[3])
plain = mp.study(wide, CASES)
if kind == "files":
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
told = 0
try:
    mp.study(wide, CASES, resume=folder)
except mp.InputError as error:
    told = 1
    assert f"{folder}: the disk is full; make room and go on with resume=" in str(error), error
if kind == "files":
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
else:
    subprocess.run(["mount", "-o", "remount,size=32m", folder.rpartition("/")[0]], check=True)
found = mp.study(wide, CASES, resume=folder)
assert found.path.read_bytes() == plain.path.read_bytes()
print(told, found.computed)
"""


def ran(tmp_path: Path, *line: str) -> list[int]:
    (tmp_path / "program.py").write_text(PROGRAM)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [word.replace("PROGRAM", str(tmp_path / "program.py")) for word in line]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return [int(word) for word in done.stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
@pytest.mark.parametrize("size", [3000, 60_000])
def test_files_that_may_not_grow(size: int, tmp_path: Path) -> None:
    """Room for small parts alone, or for all of them but not for the whole: told, and gone on with, same bytes."""
    told, computed = ran(tmp_path, sys.executable, "PROGRAM", "files", str(tmp_path / "s"), str(size))
    assert told == 1 and computed <= 400
    assert (computed == 0) == (size == 60_000)


@pytest.mark.slow
@pytest.mark.parametrize("size", [40, 200, 600])
def test_a_disk_that_is_really_full(size: int, tmp_path: Path) -> None:
    """In a name space of its own, with a disk of some kB; then it is given more."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size={size}k tmpfs '{disk}'"
    if shutil.which("unshare") is None or os.system(f'unshare -m sh -c "{mount}" 2>/dev/null'):
        pytest.skip("no disk can be mounted here: needs unshare, mount and root")
    line = f"{mount} && exec '{sys.executable}' PROGRAM disk '{disk}/s' 0"
    told, computed = ran(tmp_path, "unshare", "-m", "sh", "-c", line)
    assert told == 1 and computed <= 400
    assert (computed == 0) == (size == 600)
