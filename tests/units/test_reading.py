"""What a reader may rely on: every algorithm says where it comes from, every word of our own is in the glossary."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import manipula

ROOT = Path(manipula.__file__).parent
MODELS = ROOT / "mechanics" / "models"
# data, registries and what only hands on: nothing in them is an algorithm
_DATA = """control/laws dynamics/friction integrate/discretisation integrate/driven_arm integrate/motion
    inverse/candidates inverse/plan inverse/recording inverse/solving inverse/view motion/ports"""
NO_FORMULA = _DATA.split()
SOURCE = re.compile(r"Source: |[Dd]erived here|dissertation|UNICAMP")
FILES = [path for path in MODELS.rglob("*.py") if path.parent != MODELS and path.name != "__init__.py"]


def name(path: Path) -> str:
    return path.relative_to(MODELS).with_suffix("").as_posix()


@pytest.mark.parametrize("path", [path for path in FILES if name(path) not in NO_FORMULA], ids=name)
def test_an_algorithm_names_its_source(path: Path) -> None:
    head = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert SOURCE.search(head), f"{name(path)}: say at its head which book or paper it follows, or how it is derived"


def test_what_is_excused_is_there() -> None:
    assert set(NO_FORMULA) <= set(map(name, FILES))


def stranger_path() -> dict[str, int]:
    """The files CONTRIBUTING names, in their order, and the lines it asks to read of each: head and named parts."""
    told = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"^\d\. \[`([^`]+)`\]\([^)]*\): `([^`]+)`", told, re.MULTILINE)
    return {file: lines_of((ROOT / file).read_text(encoding="utf-8"), parts.split()) for file, parts in named}


def lines_of(text: str, parts: list[str]) -> int:
    if parts == ["all"]:
        return len(text.splitlines())
    head, *body = ast.parse(text).body
    spans = {node.name: node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assert set(parts) <= set(spans), f"CONTRIBUTING names {set(parts) - set(spans)}, which are not there any more"
    return sum((node.end_lineno or 0) - node.lineno + 1 for node in (head, *(spans[part] for part in parts)))


def test_the_path_for_strangers_is_short() -> None:
    path = stranger_path()
    assert len(path) == 7
    assert sum(path.values()) <= 900
