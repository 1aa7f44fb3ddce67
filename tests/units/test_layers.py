"""The house has walls: this reads every import, lazy ones too, and fails on a forbidden edge or a cycle."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import manipula

ROOT = Path(manipula.__file__).parent

CONTRACT = ("errors", "messages", "scalar", "version")
FACE = ("api", "arm", "robot")
FILES_OF_A_FOLDER = 20

# room → the rooms it may import, besides itself and the contract; the longest matching prefix names a module's room
ROOMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(CONTRACT, ()),
    "support": (),
    "support.decimals": (),
    "support.tables": (),
    "support.letters": (),
    "support.toml_text": (),
    "algebra.expr": (),
    "algebra.tape": ("algebra.expr",),
    "algebra.program": ("algebra.expr", "algebra.tape"),
    "algebra.machine": ("support", "algebra.tape", "algebra.program"),
    "algebra.optimise": ("support", "algebra.expr", "algebra.program", "algebra.machine"),
    "algebra.simplify": ("algebra.expr", "algebra.tape", "algebra.optimise"),
    "algebra.show": ("support.decimals", "algebra.expr", "algebra.tape", "algebra.simplify"),
    "algebra.emit": ("support.letters", "algebra.expr", "algebra.tape", "algebra.program", "algebra.show"),
    "algebra.run": ("algebra.expr", "algebra.tape", "algebra.program", "algebra.machine", "algebra.emit"),
    "mechanics.spatial": (),
    "mechanics.robot": (
        "support.decimals",
        "support.letters",
        "support.tables",
        "support.toml_text",
        "mechanics.spatial",
    ),
    "mechanics.drawing": ("mechanics.spatial", "mechanics.robot"),
    "mechanics.models": ("mechanics.spatial", "mechanics.robot"),
    "mechanics.identities": ("mechanics.spatial", "mechanics.robot", "mechanics.models"),
    "pages.built": (),
    "pages": ("support", "algebra.expr", "algebra.show"),
    "generation": ("support", "algebra", "mechanics", "pages"),
    "parameters": ("support", "algebra", "mechanics", "generation"),
    "ik": ("support", "algebra", "mechanics", "generation", "pages", "robot"),
    "robot": ("support.tables", "support.letters", "mechanics", "parameters", "pages"),  # below those that take one
    "simulation": ("support", "algebra", "mechanics", "generation", "pages", "ik", "parameters", "robot"),
    "identification": (
        "support",
        "algebra",
        "mechanics",
        "generation",
        "pages",
        "ik",
        "parameters",
        "simulation",
        "robot",
    ),
    "api": (
        "support",
        "algebra",
        "mechanics",
        "generation",
        "pages",
        "parameters",
        "ik",
        "simulation",
        "identification",
        "robot",
    ),
    "arm": ("ik", "api"),
    # programs of the verbs
    "studies": ("support", "mechanics", "generation", "pages", "ik", "simulation", "identification", *FACE),
    "": ("generation", "parameters", "simulation", "identification", "studies", *FACE),
    "studio": ("support", "studies", "", *FACE),
    "cli": ("support", "studies", "studio", "pages.built", "", *FACE),
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


@cache
def edges() -> dict[str, set[str]]:
    return {name: imports(name, path, set(ALL)) for name, path in ALL.items()}


@pytest.mark.parametrize("name", sorted(ALL))
def test_imports_only_what_its_room_may(name: str) -> None:
    own = room(name)
    for target in edges()[name]:
        allowed = (own, *CONTRACT, *ROOMS[own])
        assert any(room(target) == a or (a and room(target).startswith(a + ".")) for a in allowed), (
            f"{name} (room {own or 'package'}) imports {target}"
        )


def test_no_cycle() -> None:
    try:
        tuple(TopologicalSorter(edges()).static_order())
    except CycleError as error:
        pytest.fail(f"import cycle: {' → '.join(error.args[1])}")


def folder_edges() -> dict[str, set[str]]:
    """Between folders; the files at the root are rooms of their own."""
    found: dict[str, set[str]] = {}
    for name, targets in edges().items():
        found.setdefault(folder(name), set()).update(map(folder, targets))
    return {name: targets - {name} for name, targets in found.items()}


def folder(name: str) -> str:
    place = ALL[name].parent.relative_to(ROOT).as_posix()
    return place if place != "." else f"./{name or 'manipula'}"


def test_no_cycle_between_folders() -> None:
    try:
        tuple(TopologicalSorter(folder_edges()).static_order())
    except CycleError as error:
        pytest.fail(f"folders import each other: {' → '.join(error.args[1])}")


def test_the_root_is_as_drawn() -> None:
    files = {path.name for path in ROOT.iterdir() if path.is_file()}
    drawn = {name for name in (*CONTRACT, *FACE) if name != "api"}  # the verbs have a folder, in three files
    assert files == {"__init__.py", "py.typed", *(f"{name}.py" for name in drawn)}
    assert (ROOT / "api").is_dir()


def test_a_folder_can_be_seen_at_a_glance() -> None:
    for place in {path.parent for path in ALL.values()}:
        files = [path.name for path in place.glob("*.py") if path.name != "__init__.py"]
        assert len(files) <= FILES_OF_A_FOLDER, f"{place.relative_to(ROOT)} has {len(files)} files"


def test_the_guard_sees_lazy_imports(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("def f():\n    from manipula.api import load\n    return load\n")
    assert imports("algebra.expr.node", file, set(ALL)) == {"api"}


def test_no_module_has_the_name_of_a_verb() -> None:
    verbs = {"load", "save", "generate", "count", "check", "convert", "robots"}
    assert not verbs & {name.rpartition(".")[2] for name in ALL}
