"""A class name that is public, or that another room imports, means one thing in the whole package."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping

import manipula as mp
from tests.units.test_layers import ALL, room

Trees = Mapping[str, ast.Module]


def ambiguous(trees: Trees, public: set[str]) -> dict[str, list[str]]:
    """Name → the modules with a class of this name, where there are several and others may ask which."""
    homes: dict[str, list[str]] = defaultdict(list)
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)
    shared = public | {name for module, name, user in _imported(trees) if room(module) != room(user)}
    return {name: places for name, places in homes.items() if len(places) > 1 and name in shared}


def _imported(trees: Trees) -> list[tuple[str, str, str]]:
    """(module, name, who imports it), wherever the statement stands."""
    found = []
    for user, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("manipula."):
                module = (node.module or "").removeprefix("manipula.")
                classes = {x.name for x in trees[module].body if isinstance(x, ast.ClassDef)} if module in trees else ()
                found += [(module, alias.name, user) for alias in node.names if alias.name in classes]
    return found


def test_a_class_name_means_one_thing() -> None:
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in ALL.items()}
    assert ambiguous(trees, set(mp.__all__)) == {}


def test_what_the_guard_sees() -> None:
    texts = {
        "algebra.tape": "class Line: ...",
        "pages.charts": "class Line: ...\nclass Step: ...",
        "pages.heat": "class Step: ...\nfrom manipula.pages.charts import Line",
    }
    trees = {name: ast.parse(text) for name, text in texts.items()}
    assert ambiguous(trees, set()) == {}  # each in its own room
    assert ambiguous(trees, {"Step"}) == {"Step": ["pages.charts", "pages.heat"]}
    user = ast.parse("def f():\n    from manipula.pages.charts import Line\n    return Line")
    assert ambiguous({**trees, "studies.study_run": user}, set()) == {"Line": ["algebra.tape", "pages.charts"]}
