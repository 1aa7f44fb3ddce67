"""Names that mean something in a target language: parameters may bear them all the same, in every language."""

from __future__ import annotations

import keyword
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import manipula
from manipula.algebra.emit.backend import emit
from manipula.algebra.emit.c.spelling import RESERVED as C_WORDS
from manipula.algebra.emit.cpp import RESERVED as CPP_WORDS
from manipula.algebra.emit.ports import Namer, identifier
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Graph
from manipula.algebra.tape import Tape, tape_from_function
from tests.emitted import CC
from tests.languages import CXX, TOOLS, in_every_language, self_tested

MACROS = """
M_PI M_PI_2 M_E errno I complex NULL EOF INFINITY NAN HUGE_VAL HUGE assert stdin stdout stderr offsetof linux unix
isnan signbit FLT_EPSILON INT_MAX EINVAL L_tmpnam near far min max small TRUE FALSE R SIN COS SIMD TOLERANCE
"""
KEYWORDS = """
signed class double float int void auto register restrict inline bool true false and or not xor bitor compl template
typename namespace new delete this operator thread_local static_assert alignof constexpr nullptr concept requires
co_await self Self crate super async await let mut fn impl dyn trait loop match move ref where use type yield gen
union box Some None Ok Err Box Vec String Option arguments eval var function undefined null typeof instanceof
debugger with package interface static enum export import in of get set lambda None_ True_ end elseif endfunction
persistent parfor global otherwise nargin varargout pi eps Inf NaN ans i j k e
"""
LIBRARY = """
y0 y1 yn j0 j1 jn gamma lgamma sin sinf cos cosf sqrt sqrtf fabs atan2 atan2f abs exp log pow round floor div exit
printf main size_t std array result condition yes no x y n p q t Real real M Math Double Single Results prepare
evaluate PARAMETERS np jnp jax batch got broken text precise float32 print ValueError NamedTuple Infinity Number
RangeError sized zeros ones size error any all reshape isnan_ numel permute threadIdx blockIdx work status words
size tolerance signOf minOf select_of less_of chosen_of number add sub mul neg zero one core alloc test index time
read write clock
"""
NAMES = tuple(dict.fromkeys(f"{MACROS} {KEYWORDS} {LIBRARY} {' '.join(keyword.kwlist)}".split()))


def named_tape(names: tuple[str, ...] = NAMES) -> Tape:
    """Σ name·q1 + q1/name: each parameter is read on line and off line, and divides."""
    graph = Graph()
    q, parameters = graph.symbol("q1", online=True), [graph.symbol(f"_{name}") for name in names]
    total = graph.zero
    for x in parameters:
        total = total + x * q + 1 / x
    inputs = (Input("q", (q,)), Input("p", tuple(parameters), role="parameter"))
    tape = tape_from_function(Function("odd", graph, inputs, (Output("y", (), (total,)),)))
    return renamed(tape, dict(zip((f"_{name}" for name in names), names)))


def renamed(tape: Tape, names: dict[str, str]) -> Tape:
    """Slots under other names (q1 itself may be one of them, so the graph could not bear them all)."""
    ports = tuple(replace(p, names=tuple(names.get(x, x) for x in p.names)) for p in tape.inputs)
    taken = set(names.values())
    words = tuple(names.get(x) or (f"{x}_" if x in taken else x) for x in tape.names)
    return replace(tape, inputs=ports, names=words)


@pytest.mark.turn
@pytest.mark.drawn("language", few=2)
@pytest.mark.parametrize("language", in_every_language([name for name in TOOLS if name != "cuda"]))
def test_parameters_may_be_called_like_words_of_the_language(language: str, tmp_path: Path) -> None:
    assert len(NAMES) > 200
    done = self_tested(language, emit(named_tape(), language, "1"), tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


@pytest.mark.slow
@pytest.mark.parametrize("language", in_every_language(["cuda"]))
def test_parameters_may_be_called_like_words_of_cuda(language: str, tmp_path: Path) -> None:
    done = self_tested(language, emit(named_tape(), language, "1"), tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


def test_words_of_the_language_in_single_precision(tmp_path: Path) -> None:
    if CC is None:
        pytest.skip("no C compiler: not compiled")
    files = emit(named_tape(), "c", "1")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    command = [CC, "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-DMANIPULA_FLOAT", "odd.c", "odd_test.c", "-lm"]
    done = subprocess.run([*command, "-o", "odd"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert subprocess.run([str(tmp_path / "odd")], check=False).returncode == 0


HEADERS = {
    "c": ("math.h", "stddef.h", "stdio.h", "errno.h", "complex.h", "float.h", "limits.h", "assert.h"),
    "c++": ("array", "cmath", "cstddef", "limits", "stdexcept", "cstdio"),
}


@pytest.mark.parametrize(("language", "compiler", "words"), [("c", CC, C_WORDS), ("c++", CXX, CPP_WORDS)])
def test_no_macro_of_the_headers_becomes_a_name(language: str, compiler: str | None, words: frozenset[str]) -> None:
    if compiler is None:
        pytest.skip(f"no compiler of {language}: its macros are not known")
    text = "".join(f"#include <{header}>\n" for header in HEADERS[language])
    done = subprocess.run(
        [compiler, "-x", language, "-dM", "-E", "-"], input=text, capture_output=True, text=True, check=True
    )
    macros = {word for word in re.findall(r"^#define (\w+)", done.stdout, re.M) if not word.startswith("_")}
    assert len(macros) > 100
    assert sorted(macros & {Namer(words).name(macro) for macro in macros}) == []


def test_names_of_mechanics_stay_what_they_are() -> None:
    names = ["q1", "w3_x", "F5_z", "N2_y", "c23", "s2m3", "D12", "Ixx2", "m2", "MX6", "ZZ6R", "RL4", "L1", "L_1", "l_a"]
    names += ["A", "B", "W", "E1", "E12", "Ia3", "T12", "k1"]
    assert [identifier(name) for name in names] == names
    assert Namer(CPP_WORDS).names(names) == names


LENGTHS = ("M_PI", "errno", "self", "I", "gamma", "crate")


@pytest.mark.turn
@pytest.mark.parametrize("language", in_every_language(("cpp", "rust")))
def test_a_robot_may_have_such_lengths(language: str, tmp_path: Path) -> None:
    robot = manipula.Robot.from_dh([(0, 0, name, 90 * (i % 2)) for i, name in enumerate(LENGTHS)], angle="deg")
    model = manipula.generate(robot, "pose")
    assert set(model.inputs["p"]) == set(LENGTHS)
    done = self_tested(language, emit(model.tape, language, "1"), tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
