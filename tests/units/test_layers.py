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
LINES_OF_A_FILE = 400
LONGER = ("robot",)  # the public class, one method an edit
SHARE_OF_IMPORTS = 0.08  # of all lines
LONE_MODULES = 25
LINES_ALONE = 120  # below, a module with one importer beside it is a part of that importer

# room → the rooms it may import, besides itself and the contract; the longest matching prefix names a module's room
ROOMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(CONTRACT, ()),
    "support": (),
    "support.text": (),
    "algebra.expr": (),
    "algebra.tape": ("algebra.expr",),
    "algebra.program": ("algebra.expr", "algebra.tape"),
    "algebra.llvm": ("support", "algebra.tape", "algebra.program"),
    "algebra.optimise": ("support", "algebra.expr", "algebra.program", "algebra.llvm"),
    "algebra.simplify": ("algebra.expr", "algebra.tape", "algebra.optimise"),
    "algebra.show": ("support.text", "algebra.expr", "algebra.tape", "algebra.simplify"),
    "algebra.emit": ("support.text", "algebra.expr", "algebra.tape", "algebra.program", "algebra.show"),
    "algebra.run": ("algebra.expr", "algebra.tape", "algebra.program", "algebra.llvm", "algebra.emit"),
    "mechanics.spatial": (),
    "mechanics.robot": ("support.text", "mechanics.spatial"),
    "mechanics.drawing": ("mechanics.spatial", "mechanics.robot"),
    "mechanics.models": ("mechanics.spatial", "mechanics.robot"),
    "mechanics.identities": ("mechanics.spatial", "mechanics.robot", "mechanics.models"),
    "pages.page": ("support", "pages"),
    "pages": ("support", "algebra.expr", "algebra.simplify", "algebra.show"),  # a derivation holds its formulas
    "generation": ("support", "algebra", "mechanics", "pages"),
    "parameters": ("support", "algebra", "mechanics", "generation"),
    "ik": ("support", "algebra", "mechanics", "generation", "pages", "robot"),
    "derivations": ("support", "algebra", "mechanics", "generation", "pages", "ik"),
    "worksheets": ("support", "algebra", "mechanics", "generation", "pages", "ik", "derivations", "robot"),
    "robot": ("support.text", "mechanics", "parameters", "pages"),  # below those that take one
    "trajectories": ("support", "algebra", "mechanics", "generation", "pages", "ik", "parameters", "robot"),
    "recordings": ("support", "mechanics", "pages", "robot"),
    "simulation": (
        "support",
        "algebra",
        "mechanics",
        "generation",
        "pages",
        "ik",
        "parameters",
        "robot",
        "trajectories",
        "recordings",
    ),
    "identification": (
        "support",
        "algebra",
        "mechanics",
        "generation",
        "pages",
        "ik",
        "parameters",
        "simulation",
        "trajectories",
        "recordings",
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
        "derivations",
        "worksheets",
        "simulation",
        "trajectories",
        "recordings",
        "identification",
        "robot",
    ),
    "learning": ("support", "algebra", "mechanics", "generation"),
    "arm": ("generation", "ik", "api", "learning"),
    "studies": (
        "support",
        "mechanics",
        "generation",
        "pages",
        "ik",
        "simulation",
        "trajectories",
        "recordings",
        "identification",
        *FACE,
    ),  # programs of the verbs
    "": ("generation", "parameters", "simulation", "trajectories", "recordings", "identification", "studies", *FACE),
    "studio": ("support", "studies", "", *FACE),
    "cli": ("support", "studies", "studio", "pages.page", "", *FACE),
}


def modules() -> dict[str, Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def import_statements(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Wherever they stand; those at the head of the file in the first column."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def imports(name: str, path: Path, known: set[str]) -> set[str]:
    """The manipula modules a file imports, wherever the statement stands."""
    targets: set[str] = set()
    for node in import_statements(path):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        else:
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


def test_every_room_imports_only_what_it_may() -> None:
    pairs = [(name, target) for name, targets in sorted(edges().items()) for target in sorted(targets)]
    wrong = [
        f"{name} (room {room(name) or 'package'}) imports {target}" for name, target in pairs if not may(name, target)
    ]
    assert not wrong, "\n".join(wrong)


def may(name: str, target: str) -> bool:
    own, there = room(name), room(target)
    return any(there == a or (a and there.startswith(a + ".")) for a in (own, *CONTRACT, *ROOMS[own]))


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


def import_lines(path: Path) -> int:
    """The lines its import statements take, those in functions too."""
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in import_statements(path))


@cache
def lines() -> dict[str, int]:
    return {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in ALL.items()}


def lone_small_modules() -> list[str]:
    """Modules of few lines that one file alone imports, from beside them: parts of that file that stand apart."""
    importers: dict[str, list[str]] = {name: [] for name in ALL}
    for name, targets in edges().items():
        for target in targets:
            importers[target].append(name)
    small = [name for name, count in lines().items() if count < LINES_ALONE]
    lone = [name for name in small if len(importers[name]) == 1 and ALL[name].name != "__init__.py"]
    return [name for name in lone if ALL[name].parent == ALL[importers[name][0]].parent]


def test_the_root_is_as_drawn() -> None:
    files = {path.name for path in ROOT.iterdir() if path.is_file()}
    drawn = {name for name in (*CONTRACT, *FACE) if name != "api"}  # the verbs have a folder, in three files
    assert files == {"__init__.py", "py.typed", *(f"{name}.py" for name in drawn)}
    assert (ROOT / "api").is_dir()


def test_a_folder_can_be_seen_at_a_glance() -> None:
    for place in {path.parent for path in ALL.values()}:
        files = [path.name for path in place.glob("*.py") if path.name != "__init__.py"]
        assert len(files) <= FILES_OF_A_FOLDER, f"{place.relative_to(ROOT)} has {len(files)} files"


def test_no_file_is_too_long_to_read() -> None:
    long = {name: count for name, count in lines().items() if count > LINES_OF_A_FILE and name not in LONGER}
    assert not long


def test_few_lines_are_imports() -> None:
    assert sum(map(import_lines, ALL.values())) < SHARE_OF_IMPORTS * sum(lines().values())


def test_few_small_modules_have_one_importer_beside_them() -> None:
    lone = lone_small_modules()
    assert len(lone) <= LONE_MODULES, "parts of the one file that imports them: " + ", ".join(sorted(lone))


def test_the_guard_sees_lazy_imports(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("def f():\n    from manipula.api import load\n    return load\n")
    assert imports("algebra.expr.node", file, set(ALL)) == {"api"}


def test_no_module_has_the_name_of_a_verb() -> None:
    verbs = {"load", "save", "generate", "count", "check", "convert", "robots"}
    assert not verbs & {name.rpartition(".")[2] for name in ALL}


EXTRAS = {
    "matplotlib",
    "sympy",
    "cvxpy",
    "pyarrow",
    "mcap",
    "rosbags",
    "h5py",
    "dask",
    "distributed",
    "ruckig",
    "anywidget",
}


def test_what_is_an_extra_is_loaded_only_where_it_is_needed() -> None:
    """At the head of a file it would be needed by whoever imports that file, and `make demo` has none of them."""
    heads = {
        name: {
            (x.module if isinstance(x, ast.ImportFrom) else x.names[0].name or "").partition(".")[0]
            for x in import_statements(path)
            if not x.col_offset and (isinstance(x, ast.Import) or x.module)
        }
        for name, path in ALL.items()
    }
    assert {name for name, loaded in heads.items() if loaded & EXTRAS} <= {"pages.notebook_figure"}
