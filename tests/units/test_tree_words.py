"""Which link stands on which is known to `Tree` alone: no model reckons neighbours by counting."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import manipula

ROOT = Path(manipula.__file__).parent
ROOMS = ("mechanics/models", "generation")
BESIDE = ("mechanics/identities.py", "mechanics/robot/reduce.py")
# methods declared `chain`, and texts that run on the road to a frame only
SERIAL = {
    "mechanics/models/dynamics/moving_bodies.py",
    "mechanics/models/derivatives/analytic.py",
    "mechanics/models/kinematics/pose_ways.py",
    "mechanics/models/kinematics/pose_apart.py",
}
SERIAL_ROOM = "mechanics/models/inverse/"
WALKED = {"links", "motions", "joints", "moving", "rows", "bodies", "axes", "states", "frames", "loads"}


def test_no_model_counts_to_its_neighbour() -> None:
    found = [f"{path}:{line}: {what}" for path in _files() for line, what in _counted((ROOT / path).read_text())]
    assert not found, "\n".join(found)


def test_the_list_of_serial_texts_is_no_longer_than_it_must_be() -> None:
    idle = [path for path in SERIAL if not (ROOT / path).exists()]
    assert not idle


@pytest.mark.parametrize(
    "text",
    [
        "links[-1]",
        "chain.links[i - 1]",
        "chain.links[i + 1].before",
        "links[:k]",
        "chain.links[1:]",
        "moved.links[:-1]",
        "rows[i - 1]",
        "list(pairwise(chain.links))",
        "zip(chain.links, reversed(chain.links))",
    ],
)
def test_the_look_sees_it(text: str) -> None:
    assert list(_counted(text))


@pytest.mark.parametrize(
    "text",
    ["links[i]", "links[link.parent]", "body.s[(axis + 1) % 3]", "links[question.joint - 1]", "row[-1]", "x[:3]"],
)
def test_and_nothing_else(text: str) -> None:
    assert not list(_counted(text))


def _files() -> list[str]:
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")] + [ROOT / file for file in BESIDE]
    names = sorted(path.relative_to(ROOT).as_posix() for path in paths)
    return [name for name in names if name not in SERIAL and not name.startswith(SERIAL_ROOM)]


def _counted(text: str) -> Iterator[tuple[int, str]]:
    """Where a sequence of one entry a link is asked for a neighbour, an end or a part by its count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Subscript) and _name(node.value) in WALKED and _reckoned(node.slice):
            yield node.lineno, ast.unparse(node)
        if isinstance(node, ast.Call) and _name(node.func) in {"pairwise", "reversed"}:
            yield from ((node.lineno, ast.unparse(node)) for x in node.args if _name(x) == "links")


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def _reckoned(index: ast.expr) -> bool:
    match index:
        case ast.Slice() | ast.UnaryOp(ast.USub(), ast.Constant()):
            return True
        case ast.BinOp(ast.Name(), ast.Add() | ast.Sub(), ast.Constant()):  # `question.joint - 1` is a number from 1
            return True
    return False
