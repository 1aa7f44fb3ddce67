"""The cache: private, verified, shared by processes, and never in the way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import cache
from manipula.algebra import machine
from manipula.algebra.run.compiled import compile_tape
from manipula.errors import ManipulaWarning
from tests.units.test_simd import wide_tape

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
    assert not [path for path in place.iterdir() if path.name.startswith(".new-")]


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
    assert cache.remembered(key, lambda: 5) == 5
    assert cache.remembered(key, lambda: 6) == 5


def test_one_flipped_bit_is_noticed(place: Path) -> None:
    key = cache.key_of("x")
    cache.keep(key, bytes(1000))
    data = bytearray((place / key).read_bytes())
    data[500] ^= 1
    (place / key).write_bytes(data)
    assert cache.fetch(key) is None


def test_content_that_is_no_object_is_made_again(place: Path) -> None:
    key = cache.key_of("x")
    cache.keep(key, b"not a pickle")
    assert cache.remembered(key, lambda: [1]) == [1]
    assert cache.remembered(key, lambda: [2]) == [1]


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
    assert cache.remembered("key", lambda: 7) == 7


# what is kept there


def test_machine_code_is_loaded_not_made(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.random.default_rng(0).normal(size=(9, 5)), np.ones((9, 2))
    first = compile_tape(wide_tape(), "llvm")(x, y)

    def never(*args: Any) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(machine, "object_from_text", never)
    again = compile_tape(wide_tape(), "llvm")
    for a, b in zip(again(x, y), first):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(again(x[0], y[0]).u, first.u[0])  # the thin call too
    with pytest.raises(AssertionError, match="compiled again"):
        compile_tape(wide_tape(), "llvm", "float32")


def test_damaged_code_is_compiled_again(place: Path) -> None:
    x, y = np.random.default_rng(0).normal(size=(9, 5)), np.ones((9, 2))
    first = compile_tape(wide_tape(), "llvm")(x, y)
    for path in place.iterdir():
        path.write_bytes(path.read_bytes()[:-3])
    np.testing.assert_array_equal(compile_tape(wide_tape(), "llvm")(x, y).u, first.u)


def test_functions_are_remembered_by_content(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from manipula import generation

    made: list[str] = []
    generate = generation._generated
    monkeypatch.setattr(generation, "_generated", lambda request, tell: made.append("x") or generate(request, tell))
    robot = mp.load("planar2r")
    first, second = mp.generate(robot, "gravity"), mp.generate("planar2r", "gravity")
    assert first.function == second.function and "proof" in second.function.notes and len(made) == 1
    heavier = mp.generate(robot.with_parameters(m2=3), "gravity")
    assert heavier.function != first.function and len(made) == 2
    mp.generate(robot, "gravity", optimise="none")
    assert len(made) == 3


def test_processes_share_it(place: Path) -> None:
    """Two at once on an empty directory, then one that finds everything there."""
    code = (
        "import manipula as mp, numpy as np; a = mp.Arm('pucrio');"
        "print(a.gravity(np.zeros(6)).tolist(), a.gravity(np.zeros((5, 6))).tolist())"
    )
    start = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(2)]
    printed = [process.communicate()[0] for process in start]
    kept = {path.name for path in place.iterdir()}
    assert len(kept) >= 3  # the function, its code for one configuration, its code for many
    printed.append(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout)
    assert printed[0] and printed[0] == printed[1] == printed[2]
    assert {path.name for path in place.iterdir()} == kept
