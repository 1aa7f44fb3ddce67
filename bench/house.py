"""The house in figures: how long the files are, how they hang together, what they are called, and what is said in them.

python bench/house.py. The first table has one line a measure: what it was when the measures were agreed on, what it is
now, what it must be and what is aimed at. Code is what is left without docstrings, comments and blank lines; imports in
functions count like any other; a cycle is the largest set of files or folders that reach each other.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))
from road import cold_road, first_answers

from tests.units.test_layers import ALL, ROOT, edges, folder_edges, import_lines, lone_small_modules
from tests.units.test_reading import stranger_path

NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)

# of the endings -ed and -ing: words that are nouns or verbs of the field (or, short, no participle at all)
_NOUNS = """bearing building embed exceed feed heading king led need padding ping proceed red ring scaling seed setting
    sharing sibling speed spring string thing timing wing wiring coupling spacing sampling rounding typing casing
    meaning mapping ordering tuning branching bed shed shred weed greed ceiling evening during bracketing
    filtering engineering drawing"""
NOUNS = set(_NOUNS.split())
# participles without the ending; those that are nouns as well (cost, split, set, run, read, cut, spread) are left out
_IRREGULAR = """
    begun bent born borne bought bound broken brought built caught chosen done drawn driven fed felt forgotten found
    frozen given gone grown heard held hidden kept known laid left lent lost made meant met paid put said sat seen sent
    shown shut slid sold spent spoken stood stuck sunk swept taken taught thought thrown told understood unset
    won worn written"""
IRREGULAR = set(_IRREGULAR.split())


# What was added after the measures were agreed on: folders and files with abilities that the house did not have then.
# Files that only split what was there, and old files that grew, are not among them.
ADDED = {
    "languages: PLC, Arduino, ROS 2, Simulink, CasADi": """algebra/emit/arduino algebra/emit/casadi algebra/emit/ros2
        algebra/emit/simulink algebra/emit/st algebra/run/casadi_function.py""",
    "learning: PyTorch, JAX, gradients": """learning algebra/run/gradients algebra/run/xla_call.py
        algebra/run/xla_frame.py algebra/run/xla_layout.py generation/reverse_product.py api/transform.py""",
    "derivations": "derivations pages/derivation.py pages/steps.py pages/documents.py",
    "worksheets": "worksheets api/teaching_verbs.py cli/teaching.py",
    "loops": """mechanics/models/closure mechanics/robot/loops.py mechanics/robot/parallelograms.py
        mechanics/robot/formats/loop_file.py mechanics/robot/formats/mjcf/loops.py
        mechanics/robot/formats/urdf/loops.py generation/closed_positions.py simulation/closed_run.py
        identification/closed_motion.py""",
    "moving bases": """mechanics/models/floating mechanics/models/integrate/flight.py generation/branches.py
        ik/arm/base_motion.py identification/base_motion.py simulation/base_run.py simulation/states.py""",
    "two-point elements, forces of the surroundings": """mechanics/models/dynamics/elements.py
        mechanics/robot/elements.py simulation/forces.py""",
    "control laws of one's own": """mechanics/models/control/user_law.py mechanics/models/control/law_arrays.py
        mechanics/models/control/law_entries.py""",
    "SDF, screws, pasted tables": """mechanics/robot/formats/sdf mechanics/robot/formats/toml/screws.py
        mechanics/robot/formats/dh/other_texts.py mechanics/spatial/screw.py mechanics/models/kinematics/screws.py""",
    "rotations": "api/rotation.py api/motion_arguments.py",
    "seams": "trajectories/seam.py api/seam_verbs.py",
    "faults of recordings": """identification/conversion.py identification/decimation.py identification/outliers.py
        identification/fit/comparison.py identification/fit/hypotheses.py identification/fit/other_robots.py
        identification/fit/slips.py recordings/coarse_clock.py recordings/file_sets.py
        mechanics/models/estimation/spread.py""",
    "motors and gears from tables": "simulation/drives studies/designs/table_drives.py",
}


class Row(NamedTuple):
    """A measure of the house: as agreed on, now, now without what was added since, the limit, the aim."""

    said: str
    then: str
    now: str
    must: str
    aim: str
    before: str = ""


class Lines(NamedTuple):
    """Of a file or of many."""

    all: int
    code: int
    docstring: int
    comment: int

    def __add__(self, other: object) -> Lines:
        assert isinstance(other, Lines)
        return Lines(*(a + b for a, b in zip(self, other)))


def lines_of(path: Path) -> Lines:
    text = path.read_text(encoding="utf-8")
    documented = {line for span in _docstrings(ast.parse(text)) for line in span}
    code: set[int] = set()
    comments = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        comments += token.type == tokenize.COMMENT
        if token.type not in NOT_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    return Lines(len(text.splitlines()), len(code - documented), len(documented), comments)


def _docstrings(tree: ast.Module) -> list[range]:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    owners = [node for node in ast.walk(tree) if isinstance(node, holders)]
    heads = [owner.body[0] for owner in owners if owner.body and ast.get_docstring(owner, clean=False) is not None]
    return [range(head.lineno, (head.end_lineno or head.lineno) + 1) for head in heads]


def largest_cycle(edges: dict[str, set[str]]) -> int:
    """The largest strongly connected component, by the way of Kosaraju: last left, first visited backwards."""
    order: list[str] = []
    seen: set[str] = set()
    for start in edges:
        _visit(start, edges, seen, order)
    backwards: dict[str, set[str]] = {name: set() for name in edges}
    for name, targets in edges.items():
        for target in targets:
            backwards[target].add(name)
    seen, largest = set(), 0
    for start in reversed(order):
        component: list[str] = []
        _visit(start, backwards, seen, component)
        largest = max(largest, len(component))
    return largest


def _visit(start: str, edges: dict[str, set[str]], seen: set[str], left: list[str]) -> None:
    if start in seen:
        return
    seen.add(start)
    road = [(start, iter(sorted(edges[start])))]
    while road:
        name, waiting = road[-1]
        further = next((target for target in waiting if target not in seen), None)
        if further is None:
            left.append(name)
            road.pop()
        else:
            seen.add(further)
            road.append((further, iter(sorted(edges[further]))))


def code_of(files: dict[Path, Lines]) -> int:
    return sum(found.code for found in files.values())


def is_participle(name: str) -> bool:
    """One bare word, a participle or a gerund."""
    word = re.fullmatch(r"[a-z]+", name)
    return bool(word) and name not in NOUNS and (name in IRREGULAR or name.endswith(("ing", "ed")))


@cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in ALL.items()}


def public_functions(body: list[ast.stmt]) -> Iterator[str]:
    """Of a module and of its classes."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            yield from public_functions(node.body)


def ambiguous_classes() -> list[str]:
    """The names of several classes that are known outside their rooms: imported by another, or shown by the package."""
    homes: dict[str, set[str]] = defaultdict(set)
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("manipula."):
                source = (node.module or "").removeprefix("manipula.")
                if source in ALL and _hall(source) != _hall(name):
                    for found in {alias.name for alias in node.names} & classes_of(source):
                        homes[found].add(source)
    return sorted(name for name, places in homes.items() if len(places) > 1)


@cache
def classes_of(name: str) -> frozenset[str]:
    return frozenset(node.name for node in trees()[name].body if isinstance(node, ast.ClassDef))


def _hall(name: str) -> str:
    return name.partition(".")[0]


def uses_of_any(names: Iterable[str]) -> int:
    """Where a type is given up: the word in annotations, not in the line that imports it."""
    nodes = (node for name in names for node in ast.walk(trees()[name]))
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes)


def added_files(places: str) -> list[Path]:
    """The files of a room of `ADDED`; each of its places is there."""
    found = []
    for place in (ROOT / word for word in places.split()):
        own = [place] if place.suffix else sorted(place.rglob("*.py"))
        assert own and all(path.is_file() for path in own), f"{place}: is not in the house any more"
        found += own
    return found


def remarks(files: dict[Path, Lines], *halls: str) -> float:
    inside = [found for path, found in files.items() if path.relative_to(ROOT).parts[0] in halls]
    return sum(found.comment for found in inside) / sum(found.code for found in inside)


def rows(files: dict[Path, Lines]) -> list[Row]:
    stems = {name.rpartition(".")[2] for name in ALL}
    functions = {found for tree in trees().values() for found in public_functions(tree.body)}
    of_modules, of_functions = (sum(map(is_participle, names)) for names in (stems, functions))
    added = {path for places in ADDED.values() for path in added_files(places)}
    old = {name: path for name, path in ALL.items() if path not in added}
    code, before = code_of(files), code_of({path: x for path, x in files.items() if path not in added})
    shares = [
        f"{sum(map(import_lines, x.values())) / y:.1%}".replace("%", " %") for x, y in ((ALL, code), (old, before))
    ]
    cycles = f"{largest_cycle(edges()) - 1} / {largest_cycle(folder_edges()) - 1}"
    halls = ("algebra", "ik", "identification")
    road = cold_road()
    depth = f"{len(road.calls)}; {road.counts['merge_fixed']}"
    first = min(first_answers()["first answer"])
    return [
        Row("modules", "949", f"{len(ALL)}", "560", "480", f"{len(old)}"),
        Row("lines of code", "70,938", f"{code:,}", "63,000", "58,000", f"{before:,}"),
        Row("share of import lines", "13.5 %", shares[0], "8.5 %", "7 %", shares[1]),
        Row("under 120 lines, one importer, in their folder", "112", f"{len(lone_small_modules())}", "25", "10"),
        Row("bare participles: modules / functions", "132 / 272", f"{of_modules} / {of_functions}", "10 / 30", "0"),
        Row("class names of several meanings", "9", f"{len(ambiguous_classes())}", "0", "0"),
        Row("Any", "3,152", f"{uses_of_any(ALL):,}", "1,600", "800", f"{uses_of_any(old):,}"),
        Row("comment:code in " + ", ".join(halls), "0.03", f"{remarks(files, *halls):.3f}", "0.08", "0.1"),
        Row("more than one in a cycle: files / folders", "0 / 0", cycles, "0 / 0", "0 / 0"),
        Row("calls from generate to newton_euler; merges of fixed joints", "16; 9", depth, "10; 2", "8; 1"),
        Row("first answer of a 7-joint arm from the cache", "0.46 s", f"{first:.2f} s", "0.2 s", "0.1 s"),
        Row("lines of the path of a stranger", "1,000", f"{sum(stranger_path().values()):,}", "900", "900"),
    ]


def main() -> None:
    files = {path: lines_of(path) for path in sorted(ROOT.rglob("*.py"))}
    print(f"{'':62}{'then':>12}{'now':>12}{'must':>10}{'aim':>10}{'without added':>16}")
    for row in rows(files):
        print(f"{row.said:62}{row.then:>12}{row.now:>12}{row.must:>10}{row.aim:>10}{row.before:>16}")
    print("\nadded since, by files of their own (decision 033): modules, lines of code")
    for room, places in ADDED.items():
        own = added_files(places)
        print(f"{room:62}{len(own):>12}{sum(files[path].code for path in own):>12,}")
    print("\nclass names of several meanings:", ", ".join(ambiguous_classes()) or "none", "\n")
    rooms: dict[str, Lines] = {}
    for path, found in files.items():
        room = path.relative_to(ROOT).parts[0] if path.parent != ROOT else "(root)"
        rooms[room] = rooms.get(room, Lines(0, 0, 0, 0)) + found
    print(f"{'room':14}{'lines':>8}{'code':>8}{'docstring:code':>16}{'comment:code':>14}")
    for room, found in [*rooms.items(), ("all", sum(files.values(), Lines(0, 0, 0, 0)))]:
        said, remarked = (part / max(found.code, 1) for part in (found.docstring, found.comment))
        print(f"{room:14}{found.all:8}{found.code:8}{said:16.2f}{remarked:14.3f}")
    sizes = sorted(found.all for found in files.values() if found.all)
    print(
        f"\nfiles {len(sizes)}, lines: median {median(sizes):.0f}, 90 % {sizes[len(sizes) * 9 // 10]}, most {sizes[-1]}"
    )
    folders = Counter(str(path.parent.relative_to(ROOT)) for path in files if path.name != "__init__.py")
    print("fullest folders:", ", ".join(f"{name} {count}" for name, count in folders.most_common(5)))
    print("\nthe path of a stranger")
    for name, count in stranger_path().items():
        print(f"{count:6}  {name}")


if __name__ == "__main__":
    main()
