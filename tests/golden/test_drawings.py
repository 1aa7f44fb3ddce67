"""Drawings, number for number: how an arm looks changes only when that is meant. `pytest tests/golden --update` accepts
the drawings of today; look at the arms first (`manipula show NAME --picture`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import manipula as mp

DRAWINGS = Path(__file__).parent / "drawings"

# two hands on a stem, a slide, a screw, a joint that follows another, a fixed one, a load, gravity not along z
HANDED = """
format = 1
name = "handed"
convention = "urdf"
angle = "rad"
length = "m"
gravity = [0, -9.81, 0]
[poses]
ready = [0.3, 0.2, 0.1, 0.4]
[[joint]]
name = "stem"
type = "revolute"
xyz = [0, 0, 0.4]
limits = [-2, 1]
mass = 4
com = [0.1, 0, 0.2]
inertia = { xx = 0.3, yy = 0.2, zz = 0.15, xy = 0.02, xz = 0, yz = 0 }
[[joint]]
name = "slide"
type = "prismatic"
xyz = [0.3, 0, 0.1]
rpy = [0, 1.2, 0]
limits = [0.1, 0.5]
[[joint]]
name = "plate"
type = "fixed"
xyz = [0, 0.1, 0]
[[joint]]
name = "screw"
type = "helical"
pitch = 0.05
xyz = [0.1, 0, 0.3]
rpy = [0.4, 0, 0]
limits = [-3, 3]
[[joint]]
name = "other"
type = "revolute"
parent = "stem"
xyz = [-0.3, 0, 0.2]
rpy = [-0.7, 0.2, 0]
[[joint]]
name = "follower"
type = "revolute"
parent = "other"
coordinate = "-0.5*other"
xyz = [0, 0, 0.3]
[tool]
xyz = [0, 0, 0.15]
rpy = [0, 0.3, 0]
"""

DRAWN: dict[str, Callable[[], mp.Robot]] = {
    name: lambda name=name: mp.load(name)  # type: ignore[misc]
    for name in ("planar2r", "puma560", "rp", "scara", "stanford")
}
DRAWN["handed"] = lambda: mp.Robot.from_text(HANDED, "toml").with_payload(mass=2, com=(0, 0.05, 0.1))


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and word of a record with the way to it."""
    if isinstance(part, dict | list):
        for key, item in part.items() if isinstance(part, dict) else enumerate(part):
            yield from leaves(item, f"{path}/{key}")
    else:
        yield path, float(f"{part:.7g}") if isinstance(part, float) else part


@pytest.mark.parametrize("name", list(DRAWN))
def test_a_drawing_is_the_golden_drawing(name: str, update: bool) -> None:
    found, place = dict(leaves(mp.drawing(DRAWN[name]()))), DRAWINGS / f"{name}.json"
    if update:
        place.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    golden = json.loads(place.read_text(encoding="utf-8"))
    assert found.keys() == golden.keys(), "if the change is meant: make golden, and look at the arm"
    size = golden["/size"]
    for path, value in golden.items():
        near = pytest.approx(value, rel=1e-5, abs=1e-5 * size) if isinstance(value, float) else value
        assert found[path] == near, path


def test_no_drawing_is_left_over() -> None:
    assert {path.stem for path in DRAWINGS.iterdir()} == set(DRAWN)
