"""Meshes are looked for below the robot's folder and nowhere else, whatever a robot file names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.drawing import meshes as bounds
from manipula.mechanics.drawing import visuals
from manipula.mechanics.drawing.collada import plain_mesh
from manipula.mechanics.drawing.meshes import locate_file
from tests.units.test_meshes import BODY, CORNERS, FACES, FILES, binary_stl, volume


@pytest.fixture
def land(tmp_path: Path) -> Path:
    """A workspace of packages, a folder without any, and something that is nobody's business."""
    for name in (
        "src/bot/urdf/bot.urdf", "src/bot/package.xml", "src/bot/meshes/a.stl", "src/hand/package.xml",
        "src/hand/meshes/a.stl", "src/loose/a.stl", "plain/urdf/arm.urdf", "plain/meshes/a b.stl", "alone/arm.urdf",
        "alone/a.stl", "alone/parts/a.stl", "secret/a.stl", "secret/b.stl", "src/loose/b.stl",
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(FILES["a.stl"])
    (tmp_path / "alone" / "link.stl").symlink_to(tmp_path / "secret" / "a.stl")
    (tmp_path / "alone" / "linked").symlink_to(tmp_path / "secret")
    return tmp_path


FOUND = [
    ("src/bot/urdf", "package://bot/meshes/a.stl", "src/bot/meshes/a.stl"),
    ("src/bot/urdf", "package://hand/meshes/a.stl", "src/hand/meshes/a.stl"),
    ("src/bot/urdf", "../meshes/a.stl", "src/bot/meshes/a.stl"),
    ("src/bot/urdf", "..\\meshes\\a.stl", "src/bot/meshes/a.stl"),
    ("plain/urdf", "package://whatever/meshes/a b.stl", "plain/meshes/a b.stl"),
    ("plain/urdf", "package://whatever/meshes/a%20b.stl", "plain/meshes/a b.stl"),
    ("plain/urdf", "../meshes/a b.stl", "plain/meshes/a b.stl"),
    ("plain/urdf", "package://all/robots/plain/meshes/a b.stl", "plain/meshes/a b.stl"),
    ("alone", "a.stl", "alone/a.stl"),
    ("alone", "parts/../parts/a.stl", "alone/parts/a.stl"),
    ("alone", "package://alone/a.stl", "alone/a.stl"),
    ("alone", "package://secret/a.stl", "alone/a.stl"),
    ("alone", "file://LAND/alone/a.stl", "alone/a.stl"),
]
LOST = [
    ("src/bot/urdf", "package://loose/a.stl"), ("src/bot/urdf", "../../loose/a.stl"),
    ("src/bot/urdf", "package://bot/../loose/b.stl"), ("src/bot/urdf", "package://bot/../../secret/b.stl"),
    ("src/bot/urdf", "package://../../secret/b.stl"), ("alone", "../secret/a.stl"), ("alone", "LAND/secret/a.stl"),
    ("alone", "file://LAND/secret/a.stl"), ("alone", "%2e%2e/secret/a.stl"), ("alone", "link.stl"),
    ("alone", "linked/a.stl"), ("alone", "package:///LAND/secret/b.stl"), ("alone", "package://secret/../../secret/b.stl"),
    ("alone", "http://127.0.0.1/a.stl"), ("alone", "parts"), ("alone", ""), ("alone", "nul.stl"),
]  # fmt: skip


def test_what_lies_in_the_package_is_found(land: Path) -> None:
    for folder, name, wanted in FOUND:
        assert locate_file(name.replace("LAND", str(land)), land / folder) == (land / wanted).resolve(), name


def test_nothing_outside_is_found(land: Path) -> None:
    for folder, name in LOST:
        assert locate_file(name.replace("LAND", str(land)), land / folder) is None, name
    for folder, name, wanted in FOUND:  # nor what lies outside a folder that was given
        within = land / folder
        found = locate_file(name.replace("LAND", str(land)), land / folder, within)
        assert (found is not None) == (land / wanted).is_relative_to(within), name


def looks(meshes: list[str]) -> str:
    ends = '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
    visuals = "".join(f"<visual><geometry>{mesh}</geometry></visual>" for mesh in meshes)
    return (
        f'<robot name="r"><link name="base"/><link name="arm">{BODY}{visuals}</link>'
        f'<joint name="turn" type="continuous">{ends}</joint></robot>'
    )


def drawn(folder: Path, meshes: list[str]) -> tuple[list[Any], list[str]]:
    (folder / "arm.urdf").write_text(looks(meshes))
    record = mp.drawing(mp.load(folder / "arm.urdf"), meshes=True)
    return [shape for shape in record["links"][1]["shapes"] if shape["kind"] == "mesh"], record["notes"]


def test_scales_of_any_sign_leave_the_outside_outside(land: Path) -> None:
    rng = np.random.default_rng(3)
    for _ in range(8):
        scale = rng.uniform(0.1, 2, 3) * rng.choice([-1, 1], 3)
        (shape,), notes = drawn(land / "alone", [f'<mesh filename="a.stl" scale="{" ".join(map(str, scale))}"/>'])
        inside = volume(plain_mesh(np.array(shape["vertices"]), np.array(shape["faces"])))
        assert inside == pytest.approx(abs(scale.prod()), rel=1e-3) and not notes


def test_what_cannot_be_drawn_is_told_and_the_solid_stays(land: Path) -> None:
    (land / "alone" / "nan.stl").write_bytes(binary_stl(CORNERS * np.nan, FACES))
    (land / "alone" / "none.stl").write_bytes(binary_stl(CORNERS, []))
    names = {
        "../secret/a.stl": "is not in the folder", "nan.stl": "no number", "none.stl": "no triangles",
        "a.step": "can be drawn", "x" * 5000 + ".stl": "cannot be read", "": "can be drawn",
    }  # fmt: skip
    tags = [f'<mesh filename="{name}"/>' for name in names]
    shapes, notes = drawn(land / "alone", [*tags, '<mesh filename="a.stl" scale="1 0 1"/>'])
    assert not shapes and len(notes) == len(tags) + 1
    for note, words in zip(notes, [*names.values(), "no zero"]):
        assert re.search(words, note) and len(note) < 400, note
    assert all(name[:200] in note for name, note in zip(names, notes))


def test_a_shape_without_its_sizes_is_told_and_the_others_are_drawn(land: Path) -> None:
    """Missing, too few, too many, a word, zero, negative, endless; of each kind of shape and of each attribute."""
    good = {"box": {"size": "1 2 3"}, "cylinder": {"radius": "1", "length": "2"}, "sphere": {"radius": "2"}}
    (land / "alone" / "arm.urdf").write_text(looks([f"<{tag} {words(own)}/>" for tag, own in good.items()]))
    assert mp.drawing(mp.load(land / "alone" / "arm.urdf"), meshes=True)["notes"] == []
    for tag, own in good.items():
        for name, text in own.items():
            count = len(text.split())
            for bad in (None, "", "1 2 3 4", "wide", "0" + text[1:], "-" + text, "inf" + text[1:]):
                rest = {key: value for key, value in own.items() if key != name}
                given = rest if bad is None else {**rest, name: bad}
                shapes, notes = drawn(land / "alone", [f"<{tag} {words(given)}/>", '<mesh filename="a.stl"/>'])
                said = f"link 'arm': <{tag}> {name}: found {bad!r}, expected {count} numbers"
                assert len(shapes) == 1 and [*map(str, notes)] == [said]


def words(given: dict[str, str]) -> str:
    return " ".join(f'{name}="{text}"' for name, text in given.items())


def test_there_is_an_end_to_what_is_read(land: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = '<mesh filename="a.stl"/>'
    monkeypatch.setattr(visuals, "MOST_FACES", 4 * 6)
    shapes, notes = drawn(land / "alone", [tag] * 9)
    assert len(shapes) == 6 and len(notes) == 3 and "left out" in notes[0]
    monkeypatch.setattr(visuals, "MOST_SHAPES", 2)
    assert len(drawn(land / "alone", [tag] * 9)[0]) == 2
    monkeypatch.setattr(bounds, "LARGEST", 100)
    shapes, notes = drawn(land / "alone", [tag])
    assert not shapes and "too large" in notes[0]


@pytest.mark.slow
def test_a_million_triangles(land: Path) -> None:
    """A file at the limit: read within seconds, drawn with few."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 800, endpoint=False), np.linspace(0.001, np.pi - 0.001, 750))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(749), np.arange(800), indexing="ij")
    a, b, c, d = (((i + di) * 800 + (j + dj) % 800).ravel() for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    facets = np.zeros(len(faces), dtype=[("n", "<f4", 3), ("c", "<f4", (3, 3)), ("r", "<u2")])
    facets["c"] = ball[faces]
    (land / "alone" / "big.stl").write_bytes(bytes(80) + len(faces).to_bytes(4, "little") + facets.tobytes())
    (shape,), notes = drawn(land / "alone", ['<mesh filename="big.stl"/>'])
    assert not notes and len(shape["faces"]) <= 4000
    inside = volume(plain_mesh(np.array(shape["vertices"]), np.array(shape["faces"])))
    assert inside == pytest.approx(4 / 3 * np.pi, rel=0.04)
