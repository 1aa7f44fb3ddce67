"""Every language: packages build without a warning, pass their self-test, and their self-test can fail."""

from __future__ import annotations

import ctypes
import ctypes.util
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import manipula
from manipula.algebra.emit.backend import emit, languages
from manipula.algebra.expr.provenance import Provenance
from tests.emitted import CC, array, called, module_from, needs_cc, python, shared, written
from tests.golden import planar
from tests.languages import CXX, JAX_PYTHON, TOOLS, WARNINGS, built, in_every_language, self_tested, sh
from tests.units.test_emit import awkward_tape, quotient

COMPUTING = [name for name in languages() if name != "latex"]


def test_every_language_is_tested() -> None:
    assert sorted(TOOLS) == sorted(COMPUTING)


@pytest.mark.turn
@pytest.mark.drawn("language", few=3)
@pytest.mark.parametrize("language", in_every_language())
def test_several_outputs_and_no_parameters(language: str, tmp_path: Path) -> None:
    done = self_tested(language, emit(planar.tip(), language, "1"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


# what a slip in the generator would look like: a sign, an index
SLIPS = {
    "arduino": ("arduino/planar_torque/src/planar_torque.c", "k[4] = l1*D3", "k[4] = l2*D3"),
    "c": ("planar_torque.c", "k[4] = l1*D3", "k[4] = l2*D3"),
    "casadi": ("planar_torque_casadi.h", "k[4] = l1*D3", "k[4] = l2*D3"),
    "cpp": ("planar_torque.hpp", "D22 - ", "D22 + "),
    "cuda": ("planar_torque.cuh", "tau[1] = P2 + ", "tau[1] = P2 - "),
    "fortran": ("planar_torque.f90", "D22 - ", "D22 + "),
    "javascript": ("planar_torque.mjs", "D22 - ", "D22 + "),
    "jax": ("planar_torque_jax.py", "D22 - ", "D22 + "),
    "matlab": ("planar_torque_prepared.m", "D22 - ", "D22 + "),
    "python": ("planar_torque.py", "D22 - ", "D22 + "),
    "ros2": ("ros2/planar_torque/src/planar_torque.c", "k[4] = l1*D3", "k[4] = l2*D3"),
    "rust": ("planar_torque/src/lib.rs", "D30 = D22 - ", "D30 = D22 + "),
    "simulink": ("simulink/planar_torque/planar_torque.c", "k[4] = l1*D3", "k[4] = l2*D3"),
    "st": ("planar_torque.st", "D22 - ", "D22 + "),
}


@pytest.mark.turn
@pytest.mark.drawn("language", few=3)
@pytest.mark.parametrize("language", in_every_language())
def test_the_self_test_catches_a_wrong_source(language: str, tmp_path: Path) -> None:
    files = emit(planar.torque(), language, "1")
    file, right, wrong = SLIPS[language]
    assert right in files[file]
    done = self_tested(language, {**files, file: files[file].replace(right, wrong)}, tmp_path)
    assert done.returncode != 0
    assert "FAILED" in done.stdout + done.stderr or "tau" in done.stdout + done.stderr


@pytest.mark.turn
@pytest.mark.drawn("language", few=2)
@pytest.mark.parametrize(
    "language", in_every_language(["cpp", "cuda", "fortran", "javascript", "matlab", "rust", "st"])
)
def test_awkward_names_and_notes(language: str, tmp_path: Path) -> None:
    tape = replace(awkward_tape(), provenance=Provenance('x */ int y; /* ??/ """ \\ end\nline %{ ${'))
    done = self_tested(language, emit(tape, language, "1"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


ZERO = [{"q": [1.0], "p": [2.0, 2.0]}]


@pytest.mark.turn
@pytest.mark.drawn("language", few=3)
@pytest.mark.parametrize("language", in_every_language([name for name in TOOLS if name not in ("c", "python")]))
def test_a_broken_condition_is_refused(language: str, tmp_path: Path) -> None:
    files = emit(quotient(), language, "1", ZERO)
    if language == "jax":  # inside jit nobody knows the numbers
        files = {name: text.replace("jax.jit(ratio)", "ratio") for name, text in files.items()}
    done = self_tested(language, files, tmp_path)
    assert done.returncode != 0
    assert "|a - b| > 1e-6" in done.stdout + done.stderr or language == "cuda"


@pytest.mark.parametrize("language", languages())
def test_every_package_says_how_to_use_it(language: str) -> None:
    files = emit(planar.torque(), language, "9.8.7")
    (text,) = (text for name, text in files.items() if name.rpartition("/")[2].startswith("README"))
    wanted = ["manipula 9.8.7", "rad/s^2", "joint accelerations", "shoulder, elbow", "l1, l2, m1, m2, g", "l1*l2 != 0"]
    wanted += ["## Signature", "## Example", "## Self-test", "by hand"]
    assert [piece for piece in wanted if piece not in text] == []
    assert text.isascii()
    assert text.endswith("\n")
    assert not re.search(r"\n\n\n", text)


@pytest.mark.parametrize("language", languages())
def test_two_models_share_a_folder(language: str) -> None:
    """Files of the same name have the same text."""
    first, second = emit(planar.torque(), language, "1"), emit(planar.tip(), language, "1")
    assert {name for name in first.keys() & second.keys() if first[name] != second[name]} == set()


def test_all_languages_share_a_folder() -> None:
    names = [name for language in languages() for name in emit(planar.torque(), language, "1")]
    assert len(names) == len(set(names))


# C: float, CMake, pkg-config


@needs_cc
def test_c_in_single_precision(tmp_path: Path) -> None:
    files = emit(planar.torque(), "c", "1")
    written(files, tmp_path)
    words = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wdouble-promotion", "-Wconversion")
    done = sh(tmp_path, str(CC), *words, "-DMANIPULA_FLOAT", "-c", "planar_torque.c")
    assert done.returncode == 0, done.stderr
    done = built(tmp_path, str(CC), "-std=c99", "-DMANIPULA_FLOAT", "planar_torque_test.c", "planar_torque.o", "-lm")
    assert done.returncode == 0, done.stdout
    assert float(done.stdout.split()[-1]) > 1e-9, "that was double"


@needs_cc
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake: the emitted CMakeLists.txt is not built")
def test_cmake_builds_tests_and_installs_models_of_two_robots(tmp_path: Path) -> None:
    """One folder a robot, one prefix for all: each model is a package, by its name and version."""
    prefix, robots = tmp_path / "installed", {"one": planar.torque(), "two": planar.tip()}
    for folder, tape in robots.items():
        written(emit(tape, "c", "1.2.3"), tmp_path / folder)
        cmake(
            tmp_path / folder,
            ("cmake", "-B", "build", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_LIBDIR=lib"),
            ("cmake", "--build", "build"),
            ("ctest", "--test-dir", "build", "--output-on-failure"),
            ("cmake", "--install", "build"),
        )
    assert (prefix / "include" / "planar_tip.h").exists()
    text = (prefix / "lib" / "pkgconfig" / "planar_torque.pc").read_text()
    assert f"prefix={prefix}" in text
    assert "Version: 1.2.3" in text
    assert "-lplanar_torque" in text
    user = tmp_path / "user"
    user.mkdir()
    (user / "main.c").write_text(
        '#include "planar_tip.h"\n#include "planar_torque.h"\nint main(void) { return planar_torque_np != 5; }\n'
    )
    listing = (
        "cmake_minimum_required(VERSION 3.13)\nproject(user LANGUAGES C)\nfind_package(planar_torque {0} REQUIRED)\n"
        "find_package(planar_tip 1 REQUIRED)\nadd_executable(user main.c)\n"
        "target_link_libraries(user PRIVATE manipula::planar_torque manipula::planar_tip)\n"
    )
    (user / "CMakeLists.txt").write_text(listing.format("1.2"))
    configured = ("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    cmake(user, configured, ("cmake", "--build", "build"), ("./build/user",))
    (user / "CMakeLists.txt").write_text(listing.format("2"))
    done = sh(user, *configured)
    assert done.returncode != 0
    assert "version: 1.2.3" in done.stderr


def cmake(folder: Path, *orders: tuple[str, ...]) -> None:
    for words in orders:
        done = sh(folder, *words)
        assert done.returncode == 0, done.stdout + done.stderr


@needs_cc
@pytest.mark.parametrize("n", [0, 1, 32, 77])
def test_a_batch_in_c_is_its_states_one_by_one(n: int, tmp_path: Path) -> None:
    written(emit(planar.tip(), "c", "1"), tmp_path)
    library = shared(tmp_path / "planar_tip.c")
    q = np.random.default_rng(1).uniform(-3, 3, (2, n))
    out = {"at": np.full((2, n), np.nan), "reach": np.full(n, np.nan), "facing": np.full(n, np.nan)}
    pointers = [values.ctypes.data_as(ctypes.c_void_p) for values in (q, np.zeros((2, n)), *out.values())]
    library["planar_tip_batch"](ctypes.c_size_t(n), *pointers)
    for i in range(n):
        one = called(library, "planar_tip", [array(q[:, i].tolist()), array([0.0, 0.0])], planar.tip().outputs)
        assert one == {name: value[..., i].ravel().tolist() for name, value in out.items()}


# C++: any scalar

DUAL = """
#include "planar_torque.hpp"
#include <cstdio>
struct Dual {
    double v, d;
    Dual() : v(0), d(0) {}
    Dual(double value, double slope = 0) : v(value), d(slope) {}
};
inline Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
inline Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
inline Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
inline Dual operator-(Dual a) { return {-a.v, -a.d}; }
inline bool operator<=(Dual a, Dual b) { return a.v <= b.v; }
inline Dual abs(Dual a) { return (a.v < 0) ? -a : a; }
inline Dual sin(Dual a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }
inline Dual cos(Dual a) { return {std::cos(a.v), -std::sin(a.v) * a.d}; }
int main()
{
    const std::array<Dual, 2> q{Dual(0.3, 1.0), Dual(0.4)}, qd{0.1, 0.2}, qdd{0.5, -0.3}, P{0.0, 0.0};
    const auto k = manipula::planar_torque_prepare<Dual>({0.9, 0.8, 2.0, 1.0, 9.81});
    const auto tau = manipula::planar_torque(q, qd, qdd, P, k);
    std::printf("%.15g %.15g\\n", tau[0].d, tau[1].d);
}
"""


@pytest.mark.skipif(CXX is None, reason="no C++ compiler: dual numbers are not tried")
def test_cpp_differentiates_itself_over_dual_numbers(tmp_path: Path) -> None:
    written({**emit(planar.torque(), "cpp", "1"), "dual.cpp": DUAL}, tmp_path)
    done = built(tmp_path, str(CXX), *WARNINGS, "dual.cpp")
    got = [float(word) for word in done.stdout.split()]
    module = module_from(emit(planar.torque(), "python", "1")["planar_torque.py"], "planar_torque", tmp_path)
    step = 1e-6
    ends = [
        module.planar_torque([0.3 + h, 0.4], [0.1, 0.2], [0.5, -0.3], [0, 0], [0.9, 0.8, 2, 1, 9.81])
        for h in (step, -step)
    ]
    assert got == pytest.approx(list((ends[0] - ends[1]) / (2 * step)), rel=1e-7)


# Rust without std, CUDA through its own compilers


@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo: the emitted crate is not built")
def test_rust_builds_without_the_standard_library(tmp_path: Path) -> None:
    written(emit(planar.tip(), "rust", "1"), tmp_path)
    done = sh(tmp_path / "planar_tip", "cargo", "build", "--offline", "--quiet", RUSTFLAGS="-D warnings")
    assert done.returncode == 0, done.stderr
    assert "no_std" in (tmp_path / "planar_tip" / "src" / "lib.rs").read_text()


# JAX


@pytest.mark.turn
@pytest.mark.skipif(JAX_PYTHON is None, reason="no jax in this Python (nor MANIPULA_JAX_PYTHON): not run")
def test_jax_functions_can_be_transformed(tmp_path: Path) -> None:
    written(emit(planar.torque(), "jax", "1"), tmp_path)
    script = """
import jax, jax.numpy as jnp
from planar_torque_jax import planar_torque as f
q, p = jnp.array([0.1, 0.2]), jnp.array([1.0, 1.0, 1.0, 1.0, 9.8])
assert jax.jit(jax.vmap(f, in_axes=(0, None, None, None, None)))(jnp.ones((4, 2)), q, q, q, p).shape == (4, 2)
assert f(jnp.ones((3, 1, 2)), jnp.ones((4, 2)), q, q, p).shape == (3, 4, 2)
inertia = jax.jacfwd(f, argnums=2)(q, q, q, q, p)
assert jnp.allclose(inertia, inertia.T)
"""
    done = subprocess.run([str(JAX_PYTHON), "-c", script], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


# LaTeX


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex: the emitted document is not set")
@pytest.mark.parametrize("make", [planar.torque, awkward_tape])
def test_latex_compiles(make: type, tmp_path: Path) -> None:
    tape = replace(make(), provenance=Provenance(r"50 % of {a_b} & \end{document} #$^~<>"))
    name = next(iter(written(emit(tape, "latex", "1"), tmp_path))).name
    done = sh(tmp_path, "pdflatex", "-interaction=nonstopmode", "-halt-on-error", name)
    assert done.returncode == 0, done.stdout[-2000:]


# the command line


@pytest.mark.turn
def test_the_command_writes_crates(tmp_path: Path) -> None:
    words = f"generate planar2r -m inverse_dynamics,pose -l rust,matlab -o {tmp_path}"
    python("-m", "manipula.cli", *words.split())
    for model in ("planar2r_inverse_dynamics", "planar2r_pose"):
        assert (tmp_path / model / "Cargo.toml").exists()
        assert (tmp_path / f"{model}.m").exists()


@pytest.mark.slow
@pytest.mark.parametrize("language", in_every_language())
def test_a_whole_robot(language: str, tmp_path: Path) -> None:
    tape = manipula.generate(manipula.load("puma560_symbolic"), "inverse_dynamics").tape
    done = self_tested(language, emit(tape, language, "1"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
