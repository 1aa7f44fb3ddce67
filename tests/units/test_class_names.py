"""A class name that is public, or that another room imports, means one thing in the whole package."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

import manipula as mp
from tests.units.test_layers import ALL, room

CLASS = re.compile(r"^class (\w+)", re.M)  # as text: a tree of every file takes seconds
IMPORT = re.compile(r"^ *from manipula\.([\w.]+) import (\([^)]*\)|[^\n]*)", re.M)


def ambiguous(texts: Mapping[str, str], public: set[str]) -> dict[str, list[str]]:
    """Name → the modules with a class of this name, where there are several and others may ask which."""
    homes: dict[str, list[str]] = defaultdict(list)
    for module, text in texts.items():
        for name in CLASS.findall(text):
            homes[name].append(module)
    shared = public | {name for module, name, user in _imported(texts, homes) if room(module) != room(user)}
    return {name: places for name, places in homes.items() if len(places) > 1 and name in shared}


def _imported(texts: Mapping[str, str], homes: Mapping[str, list[str]]) -> list[tuple[str, str, str]]:
    """(module, name, who imports it), wherever the statement stands."""
    return [
        (module, name, user)
        for user, text in texts.items()
        for module, names in IMPORT.findall(text)
        for name in re.findall(r"\w+", re.sub(r"#[^\n]*", "", names))
        if module in homes.get(name, ())
    ]


def test_a_class_name_means_one_thing() -> None:
    assert ambiguous({name: path.read_text(encoding="utf-8") for name, path in ALL.items()}, set(mp.__all__)) == {}


def test_what_the_guard_sees() -> None:
    texts = {
        "algebra.tape": "class Line: ...",
        "pages.charts": "class Line: ...\nclass Step: ...",
        "pages.heat": "class Step: ...\nfrom manipula.pages.charts import Line",
    }
    assert ambiguous(texts, set()) == {}  # each in its own room
    assert ambiguous(texts, {"Step"}) == {"Step": ["pages.charts", "pages.heat"]}
    for names in ("Line", "Series, Line as L", "(\n        Series,\n        Line,  # of a chart\n    )"):
        user = f"def f():\n    from manipula.pages.charts import {names}\n    return Line"
        assert ambiguous({**texts, "studies.study_run": user}, set()) == {"Line": ["algebra.tape", "pages.charts"]}
