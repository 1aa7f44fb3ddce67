"""Emitted code refuses parameters under which it does not hold, in every language and every build."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import manipula
from manipula.algebra.emit.backend import emit
from tests.emitted import CC, STRICT, needs_cc, written
from tests.languages import CXX, GFORTRAN, JAX_PYTHON, SHIM, TOOLS, WARNINGS, built, host_text, in_every_language, sh

NAME = "planar2r_inverse_dynamics"
ORDER = ("l1", "l2", "m1", "m2", "g")  # the driver's; the function's own is read from it
GOOD, ZERO, SHORT, BRIEF = (
    {"l1": length, "l2": 0.4, "m1": 1.5, "m2": 0.5, "g": 9.81} for length in (0.5, 0.0, 1e-9, 2e-3)
)
SETS = (GOOD, ZERO, SHORT)


@pytest.fixture(scope="module")
def torque() -> manipula.Model:
    model = manipula.generate("planar2r", "inverse_dynamics")
    assert [str(condition) for condition in model.conditions] == ["|l1| > 1e-6·size"]
    return model


def ordered(model: manipula.Model, values: Mapping[str, float]) -> str:
    return ", ".join(repr(values[name]) for name in model.inputs["p"])


C_DRIVER = """
#include "planar2r_inverse_dynamics.h"
#include <stdio.h>
#define R(x) ((manipula_real)(x))
int main(void)
{
    const manipula_real sets[][5] = {SETS};
    const manipula_real q[2] = {R(0.3), R(0.4)}, qd[2] = {R(0.1), R(0.2)};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        manipula_real k[planar2r_inverse_dynamics_nk], tau[2];
        const int status = planar2r_inverse_dynamics_prepare(sets[i], k);
        planar2r_inverse_dynamics(q, qd, qd, k, tau);
        printf("%d %d %s\\n", status, tau[0] != tau[0], planar2r_inverse_dynamics_condition(status));
    }
    return 0;
}
"""


def c_answers(model: manipula.Model, folder: Path, *flags: str) -> list[str]:
    rows = [[f"R({values[name]!r})" for name in model.inputs["p"]] for values in (*SETS, BRIEF)]
    driver = C_DRIVER.replace("SETS", ", ".join(f"{{{', '.join(row)}}}" for row in rows))
    written({**emit(model.tape, "c", "1"), "driver.c": driver}, folder)
    done = built(folder, str(CC), *STRICT, *flags, f"{NAME}.c", "driver.c", "-lm")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


REFUSED = "1 1 |l1| > 1e-6*size"


@needs_cc
@pytest.mark.parametrize("flags", [(), ("-DNDEBUG", "-O3")])
def test_c_returns_a_status_in_every_build(torque: manipula.Model, flags: tuple[str, ...], tmp_path: Path) -> None:
    assert c_answers(torque, tmp_path, *flags) == ["0 0 ", REFUSED, REFUSED, "0 0 "]


@needs_cc
def test_c_asks_for_more_in_single_precision(torque: manipula.Model, tmp_path: Path) -> None:
    assert c_answers(torque, tmp_path, "-DMANIPULA_FLOAT", "-DNDEBUG") == ["0 0 ", REFUSED, REFUSED, REFUSED]


CPP_DRIVER = """
#include "planar2r_inverse_dynamics.hpp"
#include <cstdio>
template <class Real> void answer(const std::array<Real, 5>& p)
{
    try {
        const auto k = manipula::planar2r_inverse_dynamics_prepare(p);
        std::printf("fine %d\\n", int(k.size() > 0));
    } catch (const std::domain_error& error) {
        std::printf("%s\\n", error.what());
    }
}
int main()
{
CALLS
}
"""
SAID = "planar2r_inverse_dynamics holds only where |l1| > 1e-6*size"


@pytest.mark.turn
@pytest.mark.skipif(CXX is None, reason="no C++ compiler: not compiled")
def test_cpp_throws(torque: manipula.Model, tmp_path: Path) -> None:
    doubles = [f"    answer<double>({{{ordered(torque, values)}}});" for values in (*SETS, BRIEF)]
    floats = [f"    answer<float>({{{ordered(torque, values)}}});" for values in (GOOD, BRIEF)]
    driver = CPP_DRIVER.replace("CALLS", "\n".join(doubles + floats)).replace("e-09", "e-9")
    written({**emit(torque.tape, "cpp", "1"), "driver.cpp": driver}, tmp_path)
    done = built(tmp_path, str(CXX), *WARNINGS, "-Wno-narrowing", "-DNDEBUG", "driver.cpp")
    assert done.stdout.splitlines() == ["fine 1", SAID, SAID, "fine 1", "fine 1", SAID]


CUDA_DRIVER = """
#include "planar2r_inverse_dynamics.cuh"
#include <cstdio>
template <typename Real> void answer(Real l1, Real l2, Real m1, Real m2, Real g)
{
    const Real p[5] = {ORDER};
    planar2r_inverse_dynamics_work<Real> work;
    const int status = planar2r_inverse_dynamics_prepare<Real>(p, work.k);
    std::printf("%d %d\\n", status, work.k[0] != work.k[0]);
}
int main()
{
CALLS
}
"""


@pytest.mark.turn
@pytest.mark.skipif(CXX is None, reason="no C++ compiler to run CUDA on the host")
def test_cuda_returns_a_status(torque: manipula.Model, tmp_path: Path) -> None:
    rows = [("double", values) for values in (*SETS, BRIEF)] + [("float", GOOD), ("float", BRIEF)]
    calls = [f"    answer<{real}>({', '.join(repr(values[x]) for x in ORDER)});" for real, values in rows]
    driver = CUDA_DRIVER.replace("ORDER", ", ".join(torque.inputs["p"])).replace("CALLS", "\n".join(calls))
    files = {**emit(torque.tape, "cuda", "1"), "shim.hpp": SHIM, "driver.cpp": driver}
    written({name: host_text(text) for name, text in files.items()}, tmp_path)
    words = ("-std=c++17", "-pthread", "-Wno-unused-function", "-include", "shim.hpp", "driver.cpp")
    done = built(tmp_path, str(CXX), *words)
    assert done.stdout.split("\n")[:-1] == ["0 0", "1 1", "1 1", "0 0", "0 0", "1 1"]


JS_DRIVER = """
import { planar2r_inverse_dynamics_prepare as prepare } from "./planar2r_inverse_dynamics.mjs";
for (const p of [SETS]) {
  try {
    console.log(`fine ${prepare(p).length > 0}`);
  } catch (error) {
    console.log(error.message);
  }
}
"""


@pytest.mark.parametrize("language", in_every_language(["javascript"]))
def test_javascript_throws(language: str, torque: manipula.Model, tmp_path: Path) -> None:
    sets = ", ".join(f"[{ordered(torque, values)}]" for values in SETS)
    written({**emit(torque.tape, language, "1"), "driver.mjs": JS_DRIVER.replace("SETS", sets)}, tmp_path)
    assert sh(tmp_path, "node", "driver.mjs").stdout.splitlines() == ["fine true", SAID, SAID]


PYTHON_DRIVER = """
from MODULE import planar2r_inverse_dynamics_prepare as prepare
for p in SETS:
    try:
        print("fine", len(prepare(p)) > 0)
    except ValueError as error:
        print(error)
"""


@pytest.mark.turn
@pytest.mark.parametrize("language", in_every_language(["python", "jax"]))
def test_python_raises(language: str, torque: manipula.Model, tmp_path: Path) -> None:
    names = torque.inputs["p"]
    rows = [[values[name] for name in names] for values in SETS]
    sets = [*rows, [rows[0], rows[2], rows[0]]]  # one bad row among good ones
    files = emit(torque.tape, language, "1")
    module = next(name for name in files if name.endswith(".py")).removesuffix(".py")
    written({**files, "driver.py": PYTHON_DRIVER.replace("MODULE", module).replace("SETS", repr(sets))}, tmp_path)
    done = sh(tmp_path, str(JAX_PYTHON) if language == "jax" else sys.executable, "driver.py")
    assert done.stdout.splitlines() == ["fine True", SAID, SAID, SAID], done.stderr


RUST_DRIVER = """
use planar2r_inverse_dynamics::{prepare, Double, Single};

#[test]
fn answers() {
    let refused = Err("planar2r_inverse_dynamics holds only where |l1| > 1e-6*size");
    assert!(prepare::<Double>(&[GOOD]).is_ok());
    assert_eq!(prepare::<Double>(&[ZERO]), refused);
    assert_eq!(prepare::<Double>(&[SHORT]), refused);
    assert!(prepare::<Double>(&[BRIEF]).is_ok());
    assert!(prepare::<Single>(&[GOOD]).is_ok());
    assert!(prepare::<Single>(&[BRIEF]).is_err());
}
"""


@pytest.mark.parametrize("language", in_every_language(["rust"]))
def test_rust_returns_an_error(language: str, torque: manipula.Model, tmp_path: Path) -> None:
    driver = RUST_DRIVER
    for word, values in {"GOOD": GOOD, "ZERO": ZERO, "SHORT": SHORT, "BRIEF": BRIEF}.items():
        driver = driver.replace(word, ordered(torque, values))
    files = {**emit(torque.tape, language, "1"), f"{NAME}/tests/answers.rs": driver}
    written(files, tmp_path)
    words = ("cargo", "test", "--release", "--offline", "--quiet", "--features", "std", "--test", "answers")
    done = sh(tmp_path / NAME, *words, CARGO_TARGET_DIR=str(tmp_path / "target"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not TOOLS["matlab"].found, reason="no octave-cli: not run")
def test_octave_raises(torque: manipula.Model, tmp_path: Path) -> None:
    written(emit(torque.tape, "matlab", "1"), tmp_path)
    for values, refused in ((GOOD, False), (ZERO, True), (SHORT, True)):
        call = f"{NAME}_prepare([{ordered(torque, values)}]);"
        done = sh(tmp_path, "octave-cli", "--no-init-file", "--quiet", "--eval", call)
        assert (done.returncode != 0) is refused
        assert ("holds only where |l1|" in done.stderr) is refused


# files compiled for different precisions


@needs_cc
@pytest.mark.parametrize("model", ["inverse_dynamics", "inverse_kinematics"])
def test_a_float_model_and_a_double_caller_do_not_link(model: str, tmp_path: Path) -> None:
    robot = "cobra600" if model == "inverse_kinematics" else "planar2r"
    name = f"{robot}_{model}"
    written(emit(manipula.generate(robot, model).tape, "c", "1"), tmp_path)

    def compiled(file: str, *flags: str) -> str:
        words = [str(CC), "-std=c99", "-O0", *flags, "-c", f"{file}.c", "-o", f"{file}{len(flags)}.o"]
        subprocess.run(words, cwd=tmp_path, check=True)
        return f"{file}{len(flags)}.o"

    single, double = [compiled(name, *flags) for flags in (("-DMANIPULA_FLOAT",), ())]
    tests = [compiled(f"{name}_test", *flags) for flags in (("-DMANIPULA_FLOAT",), ())]
    for library, test in ((single, tests[1]), (double, tests[0])):
        done = sh(tmp_path, str(CC), library, test, "-lm", "-o", "mixed")
        assert done.returncode != 0
        assert f"undefined reference to `{name}" in done.stderr or name in done.stderr
    for library, test in ((single, tests[0]), (double, tests[1])):
        assert built(tmp_path, str(CC), library, test, "-lm").returncode == 0


FORTRAN_DRIVER = """program driver
    use manipula_real, only: wp
    use planar2r_inverse_dynamics_model
    implicit none
    real(wp) :: sets(5, 4), k(planar2r_inverse_dynamics_nk), tau(2)
    integer :: i, status

    sets = reshape([real(wp) :: SETS], [5, 4])
    do i = 1, 4
        call planar2r_inverse_dynamics_prepare(sets(:, i), k, status)
        call planar2r_inverse_dynamics([0.3_wp, 0.4_wp], [0.1_wp, 0.2_wp], [0.1_wp, 0.2_wp], k, tau)
        print "(i0, a, i0, 2a)", status, " ", merge(0, 1, tau(1) <= huge(1.0_wp)), " ", &
            planar2r_inverse_dynamics_condition(status)
    end do
end program
"""


@pytest.mark.parametrize("language", in_every_language(["fortran"]))
@pytest.mark.parametrize(("kind", "flags"), [("", ()), ("", ("-O3",)), ("_single", ("-O3",))])
def test_fortran_returns_a_status_in_every_build(
    torque: manipula.Model, kind: str, flags: tuple[str, ...], language: str, tmp_path: Path
) -> None:
    rows = [f"{values[name]!r}_wp" for values in (*SETS, BRIEF) for name in torque.inputs["p"]]
    driver = FORTRAN_DRIVER.replace("SETS", " &\n" + ", &\n".join(rows))
    written({**emit(torque.tape, language, "1"), "driver.f90": driver}, tmp_path)
    sources = (f"manipula_real{kind}.f90", f"{NAME}.f90", "driver.f90")
    done = built(tmp_path, str(GFORTRAN), "-std=f2018", *flags, *sources)
    answers = [line.rstrip() for line in done.stdout.splitlines()]
    assert answers == ["0 0", REFUSED, REFUSED, REFUSED if kind else "0 0"]
