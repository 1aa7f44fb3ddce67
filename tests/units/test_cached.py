"""What is kept in the cache: machine code and functions, read back only if they are whole, ours, and proved."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.llvm import code as machine
from manipula.algebra.optimise import prove
from manipula.algebra.optimise.search.ways import text_from_function
from manipula.algebra.run.compiled_function import compile_tape
from manipula.generation.cache import key_from
from manipula.generation.levels import LEVELS
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.robot.description import Frame, Mounted
from manipula.mechanics.robot.elements import TwoPointElement
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.values.parameter import ZERO
from manipula.support import cache
from manipula.support.progress import DEFAULT_EFFORT
from tests.units.test_cache import place
from tests.units.test_simd import wide_tape

__all__ = ["place"]


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


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests for which a level is called from now on."""
    seen: list[str] = []

    def noted(request: Any, effort: Any, start: Any, level: Any) -> Any:
        seen.append(f"{request.request.model} {request.request.optimise}")
        return level(request, effort, start)

    for name, level in list(LEVELS.items()):
        monkeypatch.setitem(LEVELS, name, partial(noted, level=level))
    return seen


def test_functions_are_remembered_by_content(place: Path, made: list[str]) -> None:
    robot = mp.load("planar2r")
    first, second = mp.generate(robot, "gravity"), mp.generate("planar2r", "gravity")
    assert first.function == second.function and second.provenance.proof and len(made) == 1
    heavier = mp.generate(robot.with_parameters(m2=3), "gravity")
    assert heavier.function != first.function and len(made) == 2
    mp.generate(robot, "gravity", optimise="none")
    assert len(made) == 3


GRAVITY = Request(mp.load("planar2r"), "gravity")


class Planted:
    """Unpickled, it would write a file."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.target}",)


def text_of(robot: str, model: str) -> bytes:
    return text_from_function(LEVELS["none"](prepare(Request(mp.load(robot), model)), DEFAULT_EFFORT, None)).encode()


def changed(old: bytes, new: bytes) -> bytes:
    """The right text with something put in place of something."""
    right = text_of("planar2r", "gravity")
    assert re.search(old, right)
    return re.sub(old, new, right)


def doubled(ports: str) -> bytes:
    """Its first output, or input, twice: the first time with other entries."""
    right = json.loads(text_of("planar2r", "gravity"))
    name, *rest = right[ports][0]
    place = 1 if ports == "outputs" else 0
    rest = [*rest[:place], rest[place][::-1], *rest[place + 1 :]]
    right[ports] = [[name, *rest], *right[ports]]
    return json.dumps(right).encode()


def wrong_text() -> bytes:
    found = LEVELS["none"](prepare(GRAVITY), DEFAULT_EFFORT, None)
    return text_from_function(found.with_roots([-root for root in found.roots])).encode()


FOREIGN: dict[str, Callable[[Path], bytes]] = {
    "a pickle": lambda target: pickle.dumps(Planted(target)),
    "nothing": lambda target: b"",
    "no text": lambda target: bytes(range(256)),
    "no function": lambda target: b"[]",
    "deep": lambda target: b"[" * 100_000,
    "cut off": lambda target: text_of("planar2r", "gravity")[:-200],
    "the code of another model": lambda target: text_of("planar2r", "inertia_matrix"),
    "another robot's": lambda target: text_of("rx90", "gravity"),
    "another function": lambda target: wrong_text(),
    "another name": lambda target: changed(b'"l1"', b'"l9"'),
    "another shape": lambda target: changed(rb'\["g", \[2\]', b'["g", [2, 1]'),
    "another output": lambda target: changed(rb'\["g", \[2\]', b'["tau", [2]'),
    "a wrong output before the right one": lambda target: doubled("outputs"),
    "a wrong input before the right one": lambda target: doubled("inputs"),
    "a variable as a parameter": lambda target: changed(rb'\["symbol", \[\], "q1", 1\]', b'["symbol", [], "q1", 0]'),
    "a port as a parameter": lambda target: changed(rb'(\["q", \[0, 1\], [^]]*)"variable"\]', rb'\1"parameter"]'),
    "another title": lambda target: changed(b'"planar2r_gravity"', b'"system(1);"'),
    "an endless number": lambda target: changed(rb'\["mul", \[[0-9]+, [0-9]+\], null', b'["const", [], "1e99999999"'),
    "an unknown operation": lambda target: changed(b'"mul"', b'"__import__"'),
    "a circle": lambda target: changed(rb'\["mul", \[[0-9]+', b'["mul", [9999'),
}  # fmt: skip


@pytest.mark.turn
@pytest.mark.drawn("name", few=6)
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_content_never_runs_and_is_made_again(place: Path, tmp_path: Path, made: list[str], name: str) -> None:
    """The digest is right; only what is said cannot be meant."""
    target = tmp_path / "ran"
    right = mp.generate("planar2r", "gravity").function
    key = key_from(GRAVITY)
    assert (place / key).exists()
    content = FOREIGN[name](target)
    made.clear()
    cache.keep(key, content)
    assert mp.generate("planar2r", "gravity").function == right
    assert made == ["gravity fast"] and not target.exists()
    assert cache.fetch(key) not in (None, content)
    assert mp.generate("planar2r", "gravity").function == right and len(made) == 1


def test_what_is_read_back_is_proved(place: Path, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    mp.generate("planar2r", "gravity")
    seeds: list[str] = []
    right = prove.compare

    def noted(function: Any, reference: Any, maths: Any) -> None:
        seeds.extend([maths.seed] if isinstance(maths, FieldMaths) else [])
        right(function, reference, maths)

    monkeypatch.setattr(prove, "compare", noted)
    for _ in range(2):
        mp.generate("planar2r", "gravity")
    assert len(made) == 1 and len(set(seeds)) == 2 * prove.DRAWS


OTHER: dict[str, Any] = {
    "model": "pose", "method": "newton-euler", "symbolic": "all", "optimise": "none", "wrench": True,
    "parameters": "full", "price": "fused", "frames": ("tool",), "hold": (("point", 0),),
}  # fmt: skip


def test_every_part_of_a_request_makes_another_key() -> None:
    for item in fields(Request):
        changed = replace(GRAVITY, **{item.name: OTHER[item.name]}) if item.name != "robot" else None
        assert changed is None or key_from(changed) != key_from(GRAVITY), item.name
    assert OTHER.keys() == {item.name for item in fields(Request)} - {"robot"}


@pytest.mark.parametrize("price", ["multiplications", "fused", "latency"])
def test_another_price_is_another_function(place: Path, made: list[str], price: str) -> None:
    usual = mp.generate("planar2r", "inertia_matrix")
    other = mp.generate("planar2r", "inertia_matrix", price=price)
    assert len(made) == 2
    assert mp.generate("planar2r", "inertia_matrix", price=price).function == other.function
    assert mp.generate("planar2r", "inertia_matrix").function == usual.function
    assert len(made) == 2


def test_every_part_of_a_robot_but_its_origin_makes_another_key() -> None:
    robot = GRAVITY.robot
    others: dict[str, Any] = {
        "name": "other", "joints": robot.joints[::-1], "gravity": robot.gravity[::-1], "base": robot.joints[0].after,
        "tool": robot.joints[0].after, "payload": (robot.joints[0].body,), "values": (*robot.values, ("g", ZERO)),
        "frames": (Frame("eye", robot.joints[0].name),), "tool_on": robot.joints[0].name,
        "named_poses": (("home", ((robot.joints[0].name, ZERO),)),), "ground": (Mounted((), robot.joints[0].body),),
        "elements": (TwoPointElement("rod", (robot.joints[1].name, "base"), *[robot.gravity[0]] * 4),),
        "moving": "free",
        "loops": (ClosedLoop("rod", (robot.joints[1].name, "base"), "z"),),
    }  # fmt: skip
    assert {*others, "origin", "motors"} == {item.name for item in fields(robot)}
    closed = [replace(robot, loops=others["loops"], motors=motors) for motors in ((), (robot.joints[0].name,))]
    assert len({key_from(replace(GRAVITY, robot=each)) for each in closed}) == 2
    for name, value in others.items():
        assert key_from(replace(GRAVITY, robot=replace(robot, **{name: value}))) != key_from(GRAVITY), name
    moved = replace(robot, origin=replace(robot.origin, path="elsewhere.toml"))
    assert key_from(replace(GRAVITY, robot=moved)) == key_from(GRAVITY)
    lists = [replace(GRAVITY, symbolic=names) for names in (["l1", "m1"], ("m1", "l1"), {"l1", "m1"})]
    assert len({key_from(request) for request in lists}) == 1


@pytest.mark.turn
def test_processes_share_it(place: Path) -> None:
    """Two at once on an empty directory, then one that finds everything there."""
    code = (
        "import manipula as mp, numpy as np;"
        "a = mp.Arm(mp.load('planar2r').with_parameters(l1=1, l2=2, m1=3, m2=4, g=5));"
        "print(a.gravity(np.zeros(2)).tolist(), a.gravity(np.zeros((5, 2))).tolist())"
    )
    start = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(2)]
    printed = [process.communicate()[0] for process in start]
    kept = {path.name for path in place.iterdir()}
    assert len(kept) >= 3  # the function, its code for one configuration, its code for many
    printed.append(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout)
    assert printed[0] and printed[0] == printed[1] == printed[2]
    assert {path.name for path in place.iterdir()} == kept
