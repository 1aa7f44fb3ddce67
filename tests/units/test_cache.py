"""The cache: private, verified, and never in the way."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from manipula.algebra.llvm import code as machine
from manipula.cli.app import app
from manipula.errors import ManipulaWarning
from manipula.support import cache

posix = pytest.mark.skipif(sys.platform == "win32", reason="no such permissions there")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MANIPULA_CACHE", str(tmp_path / "cache"))
    cache._warn_once.cache_clear()
    return tmp_path / "cache"


def test_what_is_kept_comes_back(place: Path) -> None:
    key = cache.key_of("test", 1)
    assert cache.fetch(key) is None
    cache.keep(key, b"content")
    assert cache.fetch(key) == b"content"
    cache.discard(key)
    assert cache.fetch(key) is None


def test_keys_depend_on_every_part(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.key_of("a", 1) == cache.key_of("a", 1)
    assert len({cache.key_of("a", 1), cache.key_of("a", 2), cache.key_of("b", 1)}) == 3
    before = cache.key_of("a", 1)
    monkeypatch.setattr(cache, "__version__", "other")
    assert cache.key_of("a", 1) != before


def test_code_depends_on_the_machine_and_its_tools() -> None:
    parts = machine.identity()
    assert np.__version__ in parts and machine.llvm.get_host_cpu_name() in parts
    assert any("+" in part for part in parts)  # the processor's features


@posix
def test_the_directory_is_private(place: Path) -> None:
    cache.keep(cache.key_of("x"), b"1")
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()] == [0o600]


@posix
def test_a_directory_others_may_write_to_is_refused(place: Path) -> None:
    place.mkdir()
    place.chmod(0o777)
    with pytest.warns(ManipulaWarning, match="is not used: others may write to it"):
        assert cache.directory() is None
    cache.keep(cache.key_of("x"), b"1")
    assert not list(place.iterdir())


@posix
def test_a_directory_of_another_user_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.mkdir()
    monkeypatch.setattr(cache.os, "getuid", lambda: os.stat(place).st_uid + 1)
    with pytest.warns(ManipulaWarning, match="belongs to another user"):
        assert cache.directory() is None


@pytest.mark.parametrize("damage", [b"", b"x", b"\0" * 500])
def test_a_damaged_file_is_deleted_and_made_again(place: Path, damage: bytes) -> None:
    key = cache.key_of("x")
    cache.keep(key, b"content" * 100)
    (place / key).write_bytes(damage)
    assert cache.fetch(key) is None
    assert not (place / key).exists()
    cache.keep(key, b"again")
    assert cache.fetch(key) == b"again"


def test_one_flipped_bit_is_noticed(place: Path) -> None:
    key = cache.key_of("x")
    cache.keep(key, bytes(1000))
    data = bytearray((place / key).read_bytes())
    data[500] ^= 1
    (place / key).write_bytes(data)
    assert cache.fetch(key) is None


def test_a_whole_file_in_the_place_of_another_is_not_read(place: Path) -> None:
    """As a backup that is put back, or a folder that is synchronised, may leave them."""
    keys = [cache.key_of("entry", k) for k in range(6)]
    for k, key in enumerate(keys):
        cache.keep(key, bytes([k]) * (10 + k))
    contents = [(place / key).read_bytes() for key in keys]
    for k, key in enumerate(keys):
        for other in range(6):
            (place / key).write_bytes(contents[other])
            assert cache.fetch(key) == (bytes([k]) * (10 + k) if other == k else None)


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
def test_a_file_others_may_write_is_not_read(place: Path, mode: int) -> None:
    key = cache.key_of("x")
    cache.keep(key, b"content")
    (place / key).chmod(mode)
    assert cache.fetch(key) is None
    assert not (place / key).exists()


@posix
def test_a_file_of_another_user_is_not_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = cache.key_of("x")
    cache.keep(key, b"content")
    mine, strangers = os.fstat, (place / key).stat().st_uid + 1

    def fstat(handle: int) -> os.stat_result:
        found = list(mine(handle))
        found[stat.ST_UID] = strangers
        return os.stat_result(found)

    monkeypatch.setattr(cache.os, "fstat", fstat)
    assert cache.fetch(key) is None


@posix
@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_what_is_no_plain_file_is_not_read(place: Path, kind: str) -> None:
    key, other = cache.key_of("x"), cache.key_of("y")
    cache.keep(other, b"content")
    make = {"link": lambda: (place / key).symlink_to(place / other), "folder": (place / key).mkdir}
    make.get(kind, lambda: os.mkfifo(place / key))()
    assert cache.fetch(key) is None
    assert cache.fetch(other) == b"content"


def test_the_fingerprint_is_of_the_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of the same size under the old time, a renamed file, a line moved from one file to the next."""
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "support" / "cache.py"))  # the package is tmp_path, alone

    def seen() -> str:
        cache.fingerprint.cache_clear()
        return cache.fingerprint()

    try:
        (tmp_path / "a.py").write_text("x = 1\n")
        (tmp_path / "b.toml").write_text("y = 2\n")
        before = (tmp_path / "a.py").stat()
        prints = [seen()]
        (tmp_path / "a.py").write_text("x = 2\n")
        os.utime(tmp_path / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
        prints.append(seen())
        (tmp_path / "a.py").rename(tmp_path / "c.py")
        prints.append(seen())
        (tmp_path / "c.py").write_text("x = 2\ny = 2\n")
        (tmp_path / "b.toml").write_text("")
        prints.append(seen())
        assert len(set(prints)) == 4
        os.utime(tmp_path / "c.py", (1, 1))
        (tmp_path / "notes.txt").write_text("not a source")
        assert seen() == prints[-1]
        with suppress(OSError):  # a system that refuses such names cannot have one in the package
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py")).write_text("z = 3\n")
            assert seen() not in prints
    finally:
        cache.fingerprint.cache_clear()


def test_the_oldest_go_first(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LIMIT", 3500)
    for i in range(3):
        cache.keep(cache.key_of(i), bytes(1000))
        os.utime(place / cache.key_of(i), (1000 + i, 1000 + i))
    cache.fetch(cache.key_of(0))  # used: no longer the oldest
    cache.keep(cache.key_of(3), bytes(1000))
    assert [cache.fetch(cache.key_of(i)) is not None for i in range(4)] == [True, False, True, True]


def test_off_means_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIPULA_CACHE", "off")
    assert cache.directory() is None
    cache.keep("key", b"1")
    assert cache.fetch("key") is None


def test_a_place_that_cannot_be_made_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MANIPULA_CACHE", str(tmp_path / "file" / "cache"))
    assert cache.directory() is None
    cache.keep("key", b"7")
    assert cache.fetch("key") is None


@posix
def test_without_a_home_and_a_name_all_but_the_cache_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A container that runs under a bare number: the system's list of users does not have it."""

    def nobody(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    for name in ("HOME", "MANIPULA_CACHE", "MANIPULA_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    monkeypatch.chdir(tmp_path)
    assert cache.directory() is None
    cache.keep(cache.key_of("x"), b"1")
    assert cache.fetch(cache.key_of("x")) is None
    run = CliRunner().invoke
    assert "No robots of your own here; manipula new" in run(app, ["robots"]).stdout
    assert run(app, ["generate", "planar2r", "-m", "pose", "-l", "python", "-o", "out"]).exit_code == 0
    refused = run(app, ["new", "mine", "--joints", "R", "--catalogue"])
    assert (refused.exit_code, "MANIPULA_HOME names a folder" in refused.stderr) == (2, True)
    assert "~/mine.toml: cannot be read" in run(app, ["show", "~/mine.toml"]).stderr
