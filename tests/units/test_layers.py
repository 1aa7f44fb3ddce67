"""The house has walls: this reads every import, lazy ones too, and fails on a forbidden edge or a cycle."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import manipula

ROOT = Path(manipula.__file__).parent

# room → the rooms it may import (besides itself); the longest matching prefix names a module's room
ROOMS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "scalar": (),
    "files": (),
    "loops": (),
    "cache": ("errors", "version"),
    "algebra.expr": ("errors", "scalar"),
    "algebra.machine": ("cache",),
    "algebra.optimise": ("errors", "scalar", "algebra.expr", "algebra.machine"),
    "algebra.tape": ("errors", "scalar", "algebra.expr"),
    "algebra.simplify": ("errors", "scalar", "algebra.expr", "algebra.tape", "algebra.optimise"),
    "algebra.show": ("errors", "scalar", "algebra.expr", "algebra.tape", "algebra.simplify"),
    "algebra.loops": ("errors",),
    "algebra.emit": ("errors", "scalar", "algebra.expr", "algebra.tape", "algebra.show", "algebra.loops", "version"),
    "algebra.run": (
        "errors",
        "scalar",
        "algebra.expr",
        "algebra.tape",
        "algebra.emit",
        "algebra.loops",
        "algebra.machine",
        "cache",
    ),
    "mechanics.spatial": ("errors", "scalar"),
    "mechanics.robot": ("errors", "scalar", "mechanics.spatial"),
    "mechanics.models": ("errors", "scalar", "mechanics.spatial", "mechanics.robot"),
    "mechanics.laws": ("errors", "scalar", "mechanics.spatial", "mechanics.robot", "mechanics.models"),
    "tasks": ("errors", "mechanics", "loops"),
    "ranking": ("algebra.expr", "mechanics"),
    "base": ("errors", "algebra", "mechanics", "ranking"),
    "motions": ("errors", "mechanics.robot"),
    "base_numeric": ("base", "algebra.expr", "mechanics"),
    "approximation": ("errors", "algebra", "mechanics", "motions", "ranking", "base", "tasks"),
    "structure": ("errors", "scalar", "algebra.expr", "mechanics", "ranking"),
    "bridge": ("errors", "scalar", "algebra", "mechanics", "ranking", "structure"),
    "labels": ("algebra.expr", "mechanics", "bridge"),
    "records": ("errors", "algebra", "mechanics", "bridge", "cache"),
    "formulations": ("algebra", "mechanics", "bridge"),
    "weightless": ("errors", "algebra.expr", "mechanics"),
    "levels": ("algebra", "mechanics", "bridge", "records", "formulations"),
    "generation": ("errors", "scalar", "algebra", "mechanics", "bridge", "labels", "records", "levels", "weightless"),
    "robot": ("errors", "mechanics.robot", "base"),
    "wording": (),
    "published": (),
    "checker": ("errors", "algebra", "mechanics.robot", "bridge"),
    "model": ("errors", "files", "algebra", "version", "wording", "bridge", "checker"),
    "general": (
        "errors",
        "files",
        "version",
        "algebra",
        "mechanics",
        "loops",
        "structure",
        "bridge",
        "generation",
        "model",
        "tasks",
    ),
    "counting": ("errors", "bridge", "generation", "algebra", "mechanics", "published", "wording", "weightless"),
    "checking": ("errors", "bridge", "algebra", "mechanics", "weightless"),
    "derivation": ("errors", "structure", "bridge", "algebra", "mechanics"),
    "dossier_files": ("errors", "bridge", "generation", "algebra", "mechanics", "version"),
    "api": (
        "errors",
        "files",
        "bridge",
        "general",
        "generation",
        "levels",
        "mechanics",
        "algebra",
        "model",
        "robot",
        "counting",
        "checking",
        "derivation",
        "dossier_files",
        "base",
        "base_numeric",
        "approximation",
        "motions",
    ),
    "arm": ("errors", "api", "structure", "robot", "model", "mechanics", "tasks", "algebra.run"),
    "version": (),
    "": ("errors", "api", "arm", "motions", "robot", "model", "version"),
    "cli": ("errors", "api", "arm", "robot", "model", "files", "version", ""),
}


def modules() -> dict[str, Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: set[str]) -> set[str]:
    """The manipula modules a file imports, wherever the statement stands."""
    targets: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative imports hide the layers"
            base = node.module or ""
            inner = base.removeprefix("manipula").lstrip(".")
            own = {f"{base}.{alias.name}" for alias in node.names}
            sub = {t for t in own if t.removeprefix("manipula.") in known}
            targets |= sub
            if len(sub) < len(own) or not inner:
                targets.add(base) if len(sub) < len(own) else None
    local = {t.removeprefix("manipula").lstrip(".") for t in targets if t.split(".")[0] == "manipula"}
    return {t for t in local if t in known} - {name}


def room(module: str) -> str:
    while module not in ROOMS:
        module = module.rpartition(".")[0]
    return module


ALL = modules()
EDGES = {name: imports(name, path, set(ALL)) for name, path in ALL.items()}


@pytest.mark.parametrize("name", sorted(ALL))
def test_imports_only_what_its_room_may(name: str) -> None:
    own = room(name)
    for target in EDGES[name]:
        allowed = (own, *ROOMS[own])
        assert any(room(target) == a or (a and room(target).startswith(a + ".")) for a in allowed), (
            f"{name} (room {own or 'package'}) imports {target}"
        )


def test_no_cycle() -> None:
    try:
        tuple(TopologicalSorter(EDGES).static_order())
    except CycleError as error:
        pytest.fail(f"import cycle: {' → '.join(error.args[1])}")


def test_the_guard_sees_lazy_imports(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("def f():\n    from manipula.api import load\n    return load\n")
    assert imports("algebra.expr.node", file, set(ALL)) == {"api"}


def test_no_module_has_the_name_of_a_verb() -> None:
    verbs = {"load", "save", "generate", "count", "check", "convert", "robots"}
    assert not verbs & {name.rpartition(".")[2] for name in ALL}
