"""Closed-form inverse kinematics as emitted code: C, C++, Rust and Python against the model's own text on arrays."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import distances
from tests.emitted import STRICT
from tests.languages import CC, CXX, WARNINGS, built, in_every_language, self_tested, sh

ARMS = ("puma560", "ur5", "stanford", "cobra600")
LANGUAGES = ("c", "cpp", "rust", "python")
POSES = 40

CPP = """#include <cstdio>
#include "{name}.hpp"
int main()
{{
    std::array<double, 16> T;
    for (;;) {{
        for (double& x : T) if (std::scanf("%lf", &x) != 1) return 0;
        const auto found = manipula::{name}(T);
        for (const auto& row : found.q) for (double x : row) std::printf("%.17g ", x);
        for (double x : found.valid) std::printf("%.17g ", x);
        for (double x : found.fit) std::printf("%.17g ", x);
        std::printf("%.17g %.17g\\n", found.calm, found.defect);
    }}
}}
"""
C = """#include <stdio.h>
#include "{name}.h"
int main(void)
{{
    double T[4][4], q[{branches}][{dof}], valid[{branches}], fit[{branches}], calm, defect;
    for (;;) {{
        for (int i = 0; i < 16; i++) if (scanf("%lf", &T[i / 4][i % 4]) != 1) return 0;
        {name}(T, q, valid, fit, &calm, &defect);
        for (int i = 0; i < {branches}; i++) for (int j = 0; j < {dof}; j++) printf("%.17g ", q[i][j]);
        for (int i = 0; i < {branches}; i++) printf("%.17g ", valid[i]);
        for (int i = 0; i < {branches}; i++) printf("%.17g ", fit[i]);
        printf("%.17g %.17g\\n", calm, defect);
    }}
}}
"""
RUST = """use std::io::Read;
use {name}::{{evaluate, Double}};
fn main() {{
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().map(|x| x.parse().unwrap()).collect();
    for rows in numbers.chunks(16) {{
        let mut T = [0.0; 16];
        T.copy_from_slice(rows);
        let found = evaluate::<Double>(&T);
        let mut all: Vec<f64> = found.q.concat();
        all.extend(found.valid);
        all.extend(found.fit);
        all.extend([found.calm, found.defect]);
        println!("{{}}", all.iter().map(|x| format!("{{x:e}}")).collect::<Vec<_>>().join(" "));
    }}
}}
"""


@lru_cache
def model_of(name: str) -> Any:
    return mp.generate(name, "inverse_kinematics")


@lru_cache
def solver_of(name: str) -> InverseSolver:
    return InverseSolver(numeric_chain(mp.load(name)))


def files_of(name: str, language: str, folder: Path) -> dict[str, str]:
    paths = model_of(name).emit(language, folder)
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}


def fed(folder: Path, program: Path | str, poses: Any, *words: str) -> Any:
    """Numbers in, numbers out: a row a pose."""
    (folder / "poses.txt").write_text(" ".join(map(repr, poses.ravel().tolist())))
    done = sh(folder, "sh", "-c", f"{program} {' '.join(words)} < {folder / 'poses.txt'}")
    assert done.returncode == 0, done.stderr
    return np.array([[float(x) for x in line.split()] for line in done.stdout.splitlines()])


def run_c(name: str, folder: Path, poses: Any) -> Any:
    files, model = files_of(name, "c", folder), model_of(name)
    branches, dof = model.outputs["q"]
    (folder / "main.c").write_text(C.format(name=model.name, branches=branches, dof=dof))
    source = next(file for file in files if file.endswith(".c") and not file.endswith("_test.c"))
    built(folder, str(CC), *STRICT, "main.c", source, "-lm")
    return fed(folder, folder / "program", poses)


def run_cpp(name: str, folder: Path, poses: Any) -> Any:
    files_of(name, "cpp", folder)
    (folder / "main.cpp").write_text(CPP.format(name=model_of(name).name))
    built(folder, str(CXX), *WARNINGS, "main.cpp")
    return fed(folder, folder / "program", poses)


def run_rust(name: str, folder: Path, poses: Any) -> Any:
    files_of(name, "rust", folder)
    crate = folder / model_of(name).name
    (crate / "examples").mkdir()
    (crate / "examples" / "main.rs").write_text("#![allow(non_snake_case)]\n" + RUST.format(name=model_of(name).name))
    words = ("run", "--offline", "--quiet", "--features", "std", "--example", "main", "--manifest-path")
    return fed(folder, "cargo", poses, *words, str(crate / "Cargo.toml"), "--target-dir", str(folder / "target"))


def run_python(name: str, folder: Path, poses: Any) -> Any:
    files = files_of(name, "python", folder)
    text = next(text for file, text in files.items() if file.endswith(".py"))
    space: dict[str, Any] = {"__name__": "emitted"}
    exec(compile(text, "emitted.py", "exec"), space)
    found = space[model_of(name).name](poses)
    parts = (found.q.reshape(len(poses), -1), found.valid, found.fit, found.calm[:, None], found.defect[:, None])
    return np.concatenate(parts, axis=1)


RUNS: dict[str, Callable[[str, Path, Any], Any]] = {"c": run_c, "cpp": run_cpp, "rust": run_rust, "python": run_python}


def assert_emitted(name: str, language: str, folder: Path) -> None:
    solver = solver_of(name)
    q = np.random.default_rng(6).uniform(-np.pi, np.pi, (POSES, solver.chain.dof))
    poses = solver.pose(q).reshape(-1, 16)
    out = RUNS[language](name, folder, poses)
    branches, dof = model_of(name).outputs["q"]
    assert out.shape == (POSES, branches * dof + 2 * branches + 2)
    answers, valid = out[:, : branches * dof].reshape(-1, branches, dof), out[:, branches * dof :][:, :branches] > 0
    true = solver.closed(poses)  # type: ignore[misc]
    np.testing.assert_array_equal(valid, true.valid > 0)
    np.testing.assert_allclose(out[:, -2], true.margin, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(distances(answers, true.q, solver.turning)[valid], 0, atol=1e-7)
    assert np.abs(solver.pose(answers) - poses.reshape(-1, 1, 4, 4))[valid].max() < 1e-9
    away = np.where(valid, distances(answers, q[:, None], solver.turning), np.inf)
    assert away.min(1).max() < 1e-6


@pytest.mark.parametrize("language", in_every_language(LANGUAGES))
def test_every_language_gives_the_same_branches(language: str, tmp_path: Path) -> None:
    assert_emitted("puma560", language, tmp_path)


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS[1:])
@pytest.mark.parametrize("language", in_every_language(("cpp", "python")))
def test_for_every_kind_of_arm(name: str, language: str, tmp_path: Path) -> None:
    assert_emitted(name, language, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS[1:])
@pytest.mark.parametrize("language", in_every_language(("c", "rust")))
def test_for_every_kind_of_arm_in_other_languages(name: str, language: str, tmp_path: Path) -> None:
    assert_emitted(name, language, tmp_path)


@pytest.mark.turn
@pytest.mark.drawn("language", few=2)
@pytest.mark.parametrize("language", in_every_language(LANGUAGES))
def test_the_package_tests_itself_on_poses_it_reaches(language: str, tmp_path: Path) -> None:
    files = files_of("pucrio", language, tmp_path)
    done = self_tested(language, files, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    text = next(text for file, text in files.items() if "README" in file)
    for words in ("5: shoulder -, elbow +, wrist +", "1 where the branch reaches the pose, else 0", r"\|fit\|"):
        assert words in text
    example = text.split("## Example")[1].split("0.0, 0.0, 0.0, 1.0")[0]
    numbers = re.findall(r"-?\d+\.\d+(?:e-?\d+)?", example)
    T = np.array([*map(float, numbers[-12:]), 0, 0, 0, 1.0]).reshape(4, 4)
    np.testing.assert_allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-12)
    assert len(solver_of("pucrio")(T).q) >= 4


@pytest.mark.turn
def test_the_header_names_the_branches(tmp_path: Path) -> None:
    header = next(text for file, text in files_of("ur5", "c", tmp_path).items() if file.endswith(".h"))
    assert "1: shoulder +, wrist +, elbow +;" in " ".join(header.replace(" * ", " ").split())
