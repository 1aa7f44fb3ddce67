"""Running the self-test of an emitted package, in every language whose tools are on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from runpy import run_path

import pytest

from tests.emitted import CC, STRICT, written
from tests.structured_text import RefusedText, project_from

CXX = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
WARNINGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic")
GFORTRAN = shutil.which("gfortran")
JAX_PYTHON = os.environ.get("MANIPULA_JAX_PYTHON") or (sys.executable if find_spec("jax") else None)

Done = subprocess.CompletedProcess[str]
Files = Mapping[str, str]

# CUDA's words for a plain C++ compiler: the threads of a block are threads, and memory is memory
SHIM = """
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>
#define __host__
#define __device__
#define __global__
#define __constant__
#define __shared__ static
#define __noinline__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__ __restrict
struct index_of { unsigned x; };
static thread_local index_of threadIdx = {0}, blockIdx = {0}, blockDim = {1};
struct meeting {
    std::mutex door;
    std::condition_variable bell;
    int waiting = 0, round = 0;
    void wait()
    {
        std::unique_lock<std::mutex> lock(door);
        const int mine = round;
        if (++waiting == 32) { waiting = 0; round++; bell.notify_all(); }
        else bell.wait(lock, [&] { return round != mine; });
    }
};
static meeting warps[32];
inline void __syncwarp() { warps[threadIdx.x/32].wait(); }
template <class Kernel> void every_thread(unsigned blocks, unsigned threads, Kernel kernel)
{
    for (unsigned block = 0; block < blocks; block++) {
        std::vector<std::thread> all;
        for (unsigned i = 0; i < threads; i++) {
            all.emplace_back([=] { threadIdx.x = i; blockIdx.x = block; blockDim.x = threads; kernel(); });
        }
        for (std::thread& one : all) one.join();
    }
}
template <class To, class From> inline To same_bits(From x)
{
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To y;
    std::memcpy(&y, &x, sizeof y);
    return y;
}
inline int __float_as_int(float x) { return same_bits<int>(x); }
inline float __int_as_float(int x) { return same_bits<float>(x); }
inline int __double2loint(double x) { return (int)same_bits<long long>(x); }
inline int __double2hiint(double x) { return (int)(same_bits<long long>(x) >> 32); }
inline double __hiloint2double(int high, int low)
{
    return same_bits<double>((long long)(((unsigned long long)(unsigned)high << 32) | (unsigned)low));
}
typedef int cudaError_t;
typedef int cudaStream_t;
static const int cudaSuccess = 0;
inline int cudaGetLastError() { return 0; }
inline int cudaDeviceSynchronize() { return 0; }
inline int cudaGetDeviceCount(int* count) { *count = 1; return 0; }
template <class T> int cudaMallocManaged(T** memory, std::size_t size)
{
    *memory = static_cast<T*>(std::malloc(size));
    return 0;
}
"""


def sh(folder: Path, *words: str | Path, **environment: str) -> Done:
    return subprocess.run(
        [str(word) for word in words],
        check=False, capture_output=True, text=True, cwd=folder, env={**os.environ, **environment},
    )  # fmt: skip


def built(folder: Path, *words: str | Path) -> Done:
    """Compile to `folder/program` and run it; a complaint of the compiler fails the test."""
    done = sh(folder, *words, "-o", "program")
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return sh(folder, folder / "program")


def ending(files: Files, suffix: str) -> str:
    return next(name for name in files if name.endswith(suffix))


def run_c(files: Files, folder: Path) -> Done:
    """Its test; where a package has another beside it that stands alone, that one first."""
    sources = [name for name in files if name.endswith(".c")]
    beside = [name for name in sources if "_nearest" in name]
    if beside:
        done = built(folder, str(CC), *STRICT, *beside, "-lm")
        assert done.returncode == 0, done.stdout + done.stderr
    rest = [name for name in sources if name not in beside]
    if not rest:
        return done
    return built(folder, str(CC), *STRICT, "-fopenmp-simd", "-DMANIPULA_SIMD", *rest, "-lm")


def run_casadi(files: Files, folder: Path) -> Done:
    """The interface is plain C: its test needs no CasADi."""
    return built(folder, str(CC), *STRICT, *(name for name in files if name.endswith(".c")), "-lm")


def run_each(tests: Sequence[str], run: Callable[[str], Done]) -> Done:
    """Every test of a package; the first that fails, or the last."""
    done = run(tests[0])
    for test in tests[1:] if done.returncode == 0 else ():
        done = run(test)
        if done.returncode:
            break
    return done


def run_cpp(files: Files, folder: Path) -> Done:
    tests = [name for name in files if name.endswith("_test.cpp")]
    return run_each(tests, lambda test: built(folder, str(CXX), *WARNINGS, test))


def host_text(text: str) -> str:
    """A text whose kernel launches are calls, one for every thread."""
    launch = r"(\w+<\w+(?:, \w+)?>)<<<(.*), (\d+), 0, stream>>>\(\s*([^;]*)\);"
    return re.sub(launch, r"every_thread(\2, \3, [&] { \1(\4); });", text)


def run_cuda(files: Files, folder: Path) -> Done:
    """On the host, thread after thread: a kernel launch becomes calls."""
    (folder / "shim.hpp").write_text(SHIM)
    for name in files:
        if name.endswith((".cuh", ".cu")):
            (folder / name).write_text(host_text(files[name]))
    words = ("-std=c++17", "-pthread", "-Wno-unused-function", "-include", "shim.hpp", "-x", "c++")
    return built(folder, str(CXX), *words, ending(files, "_test.cu"))


def run_fortran(files: Files, folder: Path) -> Done:
    """In either precision, each without a warning; arguments that are there for the signature's sake may be unused."""
    words = ("-std=f2018", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-dummy-argument")
    model = ending(files, "_test.f90").replace("_test.f90", ".f90")
    for kind in ("_single", ""):
        done = built(folder, str(GFORTRAN), *words, f"manipula_real{kind}.f90", model, ending(files, "_test.f90"))
        if done.returncode:
            return done
    return done


def run_javascript(files: Files, folder: Path) -> Done:
    tests = [name for name in files if name.endswith("_test.mjs")]
    return run_each(tests, lambda test: sh(folder, "node", test))


def run_jax(files: Files, folder: Path) -> Done:
    """Where this Python has JAX, in this process: loading it takes longer than any test."""
    if sys.executable != JAX_PYTHON:
        return sh(folder, str(JAX_PYTHON), ending(files, ".py"))
    return run_as_program(folder / ending(files, ".py"))


def run_as_program(path: Path) -> Done:
    """A Python file run as `__main__` in this process: its exit status and what it prints."""
    printed, complaints, status = StringIO(), StringIO(), 0
    with redirect_stdout(printed), redirect_stderr(complaints):
        try:
            run_path(str(path), run_name="__main__")
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
            complaints.write(end.code if isinstance(end.code, str) else "")
        except Exception:
            traceback.print_exc()
            status = 1
    return subprocess.CompletedProcess([str(path)], status, printed.getvalue(), complaints.getvalue())


def run_matlab(files: Files, folder: Path) -> Done:
    test = ending(files, "_test.m").removesuffix(".m")
    return sh(folder, "octave-cli", "--no-init-file", "--quiet", "--eval", test)


def run_python(files: Files, folder: Path) -> Done:
    return sh(folder, sys.executable, "-W", "ignore", ending(files, ".py"))


def run_rust(files: Files, folder: Path) -> Done:
    def run(crate: str) -> Done:
        features = () if crate.endswith("_nearest") else ("--features", "std")
        words = ("cargo", "test", "--offline", "--quiet", *features)
        return sh(folder / crate, *words, CARGO_TARGET_DIR=str(folder / "target"), RUSTFLAGS="-D warnings")

    return run_each([name.split("/")[0] for name in files if name.endswith("Cargo.toml")], run)


def run_ros2(files: Files, folder: Path) -> Done:
    """Its test by the compilers alone; `tests/units/test_controllers.py` builds packages by colcon."""
    package = folder / ending(files, "package.xml").removesuffix("/package.xml")
    source, test = ending(files, ".c"), ending(files, "_test.cpp")
    done = sh(folder, str(CC), *STRICT, "-I", package / "include", "-c", source, "-o", "model.o")
    assert done.returncode == 0, done.stderr
    return built(folder, str(CXX), *WARNINGS, "-I", package / "include", test, "model.o", "-lm")


SKETCH = """
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cstdlib>
using std::isnan;
static char said[9999];
static struct {
    void begin(long) {}
    void print(const char *text) { std::strcat(said, text); }
    void println(const char *text) { print(text); print("\\n"); }
} Serial;
void setup();
void loop();
int main() { setup(); loop(); std::fputs(said, stdout); return std::strstr(said, "passed") == nullptr; }
"""


def run_arduino(files: Files, folder: Path) -> Done:
    """The sketch on this machine, with a serial port that prints."""
    (folder / "shim.hpp").write_text(SKETCH)
    source, sketch = ending(files, ".c"), ending(files, ".ino")
    place = folder / Path(source).parent
    done = sh(folder, str(CC), *STRICT, "-I", place, "-c", source, "-o", "model.o")
    assert done.returncode == 0, done.stderr
    words = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-include", "shim.hpp", "-I", place)
    return built(folder, str(CXX), *words, "-x", "c++", sketch, "-x", "none", "model.o", "-lm")


S_FUNCTION = Path(__file__).parent / "s_function"  # what of Simulink's header is used, and a driver in its place


def run_simulink(files: Files, folder: Path) -> Done:
    """The test of its C; the S-function compiles without a warning. `tests/units/test_simulink.py` lets it step."""
    names = {ending: next(name for name in files if name.endswith(ending)) for ending in ("_sfun.c", "_test.c")}
    source = names["_test.c"].replace("_test.c", ".c")
    done = sh(folder, str(CC), *STRICT, "-I", S_FUNCTION, "-c", names["_sfun.c"], "-o", "sfun.o")
    assert done.returncode == 0, done.stderr
    return built(folder, str(CC), *STRICT, source, names["_test.c"], "-lm")


def run_st(files: Files, folder: Path) -> Done:
    """By our interpreter of the standard: the program's `passed` is the status."""
    name = ending(files, "_test.st").removesuffix(".st")
    try:
        program = project_from(files).instance(name)
        program.step()
    except RefusedText as error:
        return subprocess.CompletedProcess([name], 2, "", f"{name}: FAILED, {error}")
    holds = [x for text in files.values() for x in re.findall(r"\(\* (\d+: holds only where .*) \*\)", text)]
    verdict = "passed" if program["passed"] else f"FAILED, {program['failures']} entries; {'; '.join(holds)}"
    return subprocess.CompletedProcess([name], 0 if program["passed"] else 1, f"{name}: {verdict}", "")


@dataclass(frozen=True)
class Tool:
    """How a language is tested, and what its absence is called."""

    run: Callable[[Files, Path], Done]
    found: bool
    missing: str


TOOLS = {
    "arduino": Tool(run_arduino, CC is not None and CXX is not None, "no C and C++ compiler"),
    "c": Tool(run_c, CC is not None, "no C compiler"),
    "casadi": Tool(run_casadi, CC is not None, "no C compiler"),
    "cpp": Tool(run_cpp, CXX is not None, "no C++ compiler"),
    "cuda": Tool(run_cuda, CXX is not None, "no C++ compiler to run CUDA on the host"),
    "fortran": Tool(run_fortran, GFORTRAN is not None, "no gfortran"),
    "javascript": Tool(run_javascript, shutil.which("node") is not None, "no node"),
    "jax": Tool(run_jax, JAX_PYTHON is not None, "no jax in this Python (nor MANIPULA_JAX_PYTHON)"),
    "matlab": Tool(run_matlab, shutil.which("octave-cli") is not None, "no octave-cli"),
    "python": Tool(run_python, True, ""),
    "ros2": Tool(run_ros2, CC is not None and CXX is not None, "no C and C++ compiler"),
    "rust": Tool(run_rust, shutil.which("cargo") is not None, "no cargo"),
    "simulink": Tool(run_simulink, CC is not None, "no C compiler"),
    "st": Tool(run_st, True, ""),
}


def in_every_language(names: Sequence[str] = tuple(TOOLS)) -> list[object]:
    """The languages as parameters of a test, each skipped with its reason where its tools are missing."""
    return [
        pytest.param(name, marks=pytest.mark.skipif(not TOOLS[name].found, reason=f"{TOOLS[name].missing}: not run"))
        for name in names
    ]


def self_tested(language: str, files: Files, folder: Path) -> Done:
    """Write a package and run its own test."""
    written(files, folder)
    return TOOLS[language].run(files, folder)
