"""The house in figures: how long the files are, what is said in them, how they hang together.

python bench/house.py. Ratios are symptoms, not aims: they show where to look. Code is what is left without docstrings,
comments and blank lines; an import cycle is the largest set of files that reach each other, imports in functions too.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.units.test_layers import ROOT, edges
from tests.units.test_reading import stranger_path

NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


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


def main() -> None:
    files = {path: lines_of(path) for path in sorted(ROOT.rglob("*.py"))}
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
    print(f"imports {sum(map(len, edges().values()))}, largest cycle {largest_cycle(edges())}")
    print("\nthe path of a stranger")
    for name, count in stranger_path().items():
        print(f"{count:6}  {name}")
    print(f"{sum(stranger_path().values()):6}  in all")


if __name__ == "__main__":
    main()
