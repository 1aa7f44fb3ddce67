"""`manipula rotation` and `manipula screws`: what they print, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from tests.units.test_cli import as_json, done, folder, refused

__all__ = ["folder"]  # every test in an empty folder


def test_one_rotation_in_every_form_from_every_form() -> None:
    euler = as_json("rotation", "--euler", "-10 20,30", "--sequence", "zyz", "--angle", "deg")
    assert np.allclose(euler["euler"][0], [-10, 20, 30]) and euler["unit"] == "deg"
    for form, values in {
        "--quaternion": euler["quaternion"], "--vector": euler["vector"], "--matrix": np.ravel(euler["matrix"]),
        "--axis-angle": [*euler["axis"], euler["angle"]],
    }.items():  # fmt: skip
        text = " ".join(map(repr, map(float, values)))
        same = as_json("rotation", form, text, "--sequence", "zyz", "--angle", "deg")
        assert np.allclose(same["matrix"], euler["matrix"], atol=1e-12) and np.allclose(same["euler"], euler["euler"])
    extrinsic = as_json("rotation", "--euler", "0.1 0.2 0.3", "--sequence", "xyz", "--axes", "extrinsic")
    expected = mp.rotation.matrix_from_euler([0.3, 0.2, 0.1], "zyx")
    assert np.allclose(extrinsic["matrix"], expected)


def test_text_pictures_and_derivations(folder: Path) -> None:
    said = done("rotation", "--vector", "0 0 1.5", "--position", "1 -2 3", "--picture", "frames.svg")
    assert "position" in said and "1  -2  3" in said and (folder / "frames.svg").read_text().startswith("<svg")
    steps = done("rotation", "--euler", "alpha beta 90deg", "--sequence", "zyz")
    assert "Rz(α)Ry(β)Rz(90°)" in steps and "independent computation" in steps
    assert "matriz" in done("rotation", "--euler", "a b c", "--lang", "pt")
    assert done("rotation", "--euler", "a b c", "--latex").startswith("\\section*")
    done("rotation", "--quaternion", "w x y z", "--position", "0 0 d", "-o", "steps.html")
    assert "<math>" in (folder / "steps.html").read_text(encoding="utf-8")
    assert as_json("rotation", "--euler", "a b c")["steps"]


def test_screw_axes_there_and_back(folder: Path) -> None:
    text = done("screws", "planar2r", "--symbolic", "all")
    assert "theta2  0  0  1  0  -l1  0" in text
    (folder / "axes.json").write_text(done("screws", "planar2r", "--symbolic", "all", "--json"), encoding="utf-8")
    assert done("screws", "axes.json", "-o", "arm.toml", "--name", "two") == "arm.toml\n"
    assert done("screws", "arm.toml") == text and as_json("show", "arm.toml")["name"] == "two"
    body = {key: x for key, x in json.loads((folder / "axes.json").read_text()).items() if key in ("body", "home")}
    (folder / "body.json").write_text(json.dumps(body))
    done("screws", "body.json", "-o", "again.toml")
    assert as_json("screws", "again.toml")["space"] == as_json("screws", "arm.toml")["space"]


REFUSED = {
    ("rotation",): "give the rotation in one form",
    ("rotation", "--vector", "0 0 1", "--quaternion", "1 0 0 0"): "give the rotation in one form",
    ("rotation", "--matrix", "1 2 3"): "matrix: found 3 entries, expected nine, or sixteen",
    ("rotation", "--axis-angle", "0 0 1"): "axis_angle: found 3 entries, expected four",
    ("rotation", "--vector", "0 0 1", "--latex"): "a derivation needs names in place of numbers",
    ("rotation", "--euler", "a b c", "--picture", "x.svg"): "a picture needs numbers",
    ("rotation", "--euler", "a b c", "--latex", "--typst"): "choose one of --latex and --typst",
    ("rotation", "--euler", "1 2 3", "--sequence", "zzx"): "no sequence of Euler angles is called 'zzx'",
    ("screws", "planar2r", "-o", "x.toml"): "-o writes the robot of a file of screw axes",
    ("screws", "axes.json"): "-o says which",
    ("screws", "axes.json", "-o", "x.toml"): "axes.json: cannot be read",
    ("screws", "list.json", "-o", "x.toml"): "list.json: expected the keys space (or body) and home",
    ("screws", "broken.json", "-o", "x.toml"): "broken.json: cannot be read",
}


@pytest.mark.parametrize("words", REFUSED)
def test_refusals_are_one_line(words: tuple[str, ...], folder: Path) -> None:
    (folder / "list.json").write_text("[1, 2]")
    (folder / "broken.json").write_text("{")
    assert REFUSED[words] in refused(*words)
