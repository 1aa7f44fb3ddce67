"""Every model of every library robot as C: strict flags, no warning, self-test passed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.mechanics.models.inverse.classify import classify

CC = shutil.which("cc") or shutil.which("gcc")
FLAGS = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic"]

pytestmark = pytest.mark.skipif(CC is None, reason="no C compiler: emitted C is not compiled")


def self_test(model: mp.Model, folder: Path) -> None:
    sources = [str(path) for path in model.emit("c", folder) if path.suffix == ".c"]
    program = folder / "self_test"
    subprocess.run([str(CC), *FLAGS, "-I", str(folder), *sources, "-lm", "-o", str(program)], check=True)
    subprocess.run([str(program)], check=True, capture_output=True)


@pytest.mark.parametrize("model", ["pose", "inverse_dynamics", "lagrange_terms"])
def test_the_stanford_arm(model: str, tmp_path: Path) -> None:
    self_test(mp.generate("stanford3", model), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", mp.robots())
def test_every_model_of_every_library_robot(name: str, tmp_path: Path) -> None:
    for model in mp.models():
        if model != "inverse_kinematics" or has_closed_form(name):
            self_test(mp.generate(name, model), tmp_path / model)


def has_closed_form(name: str) -> bool:
    return classify(numeric_chain(mp.load(name))).has_closed_form
