"""One text, many ways to run it: plain Python, machine code, C and other languages, on the same inputs."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manipula.algebra.emit.backend import PROGRAMS, emit_program
from manipula.algebra.program.primitives import Ints, Reals, Words, reals
from manipula.algebra.program.reader import program
from manipula.algebra.program.tree import Routine
from manipula.algebra.run.routines import Mirror, compile_text
from manipula.errors import InputError, UnknownNameError
from tests.emitted import module_from, needs_cc, shared
from tests.languages import CXX, WARNINGS
from tests.random_texts import (
    HEAD,
    PRIMES,
    SHAPE,
    Store,
    bump,
    everything,
    given,
    neighbours,
    random_text,
    strides,
    waves,
)

DRAWN = range(9)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[Callable[..., float]]:
    """Texts with one signature: one by hand, many drawn."""
    source = HEAD + "\n\n".join(map(random_text, DRAWN))
    module = module_from(source, "drawn_texts", tmp_path_factory.mktemp("drawn"))
    return [everything, strides, waves, neighbours, *(getattr(module, f"drawn_{seed}") for seed in DRAWN)]


class Plain:
    """Arrays of Python's whole numbers: numpy's own would overflow where Python's do not."""

    def __init__(self, store: Store) -> None:
        vars(self).update(vars(store), marks=store.marks.astype(object))


@cache
def plainly(text: Callable[..., float], seed: int) -> list[Any]:
    n, x, k, w, s = given(seed)
    plain = Plain(s)
    k, w = k.astype(object), w.astype(object)
    result = text(n, x, k, w, plain)
    return [result, *x, *k, *w, *_members(plain)]


def _members(s: Any) -> list[Any]:
    return [s.count, s.level, s.seed, s.match, s.double, *s.own, *s.marks, *s.table]


def natively(run: Callable[..., float], seed: int) -> list[Any]:
    n, x, k, w, s = given(seed)
    result = run(n, x, k, w, s)
    return [result, *x, *k.tolist(), *w.tolist(), *_members(s)]


def same(mine: Sequence[Any], others: Sequence[Any]) -> None:
    """Whole numbers exactly, reals but for a few roundings (which sines and fused products have)."""
    assert len(mine) == len(others)
    for a, b in zip(mine, others, strict=True):
        assert a == b if isinstance(a, int) and isinstance(b, int) else b == pytest.approx(a, rel=1e-12, abs=1e-12)


def test_machine_code(texts: list[Callable[..., float]]) -> None:
    for text in texts:
        run = compile_text(text)
        for seed in range(4):
            same(plainly(text, seed), natively(run, seed))


@needs_cc
def test_c(texts: list[Callable[..., float]], tmp_path: Path) -> None:
    routines = program(*texts)
    names = [text.__name__ for text in texts]
    allowed = '#pragma GCC diagnostic ignored "-Wtautological-compare"'  # a drawn text may ask whether n == n
    text = emit_program(routines, "c", names, wide=True)
    (tmp_path / "texts.c").write_text(f"#include <math.h>\n{allowed}\n{text}\n")
    run_library(shared(tmp_path / "texts.c"), routines, texts)


def run_library(library: ctypes.CDLL, routines: Sequence[Routine], texts: Sequence[Callable[..., float]]) -> None:
    mirror = Mirror(next(r.structs["Store"] for r in routines if "Store" in r.structs))
    for text in texts:
        function = getattr(library, text.__name__)
        function.argtypes, function.restype = [ctypes.c_int64, *[ctypes.c_void_p] * 4], ctypes.c_double
        for seed in range(4):
            n, x, k, w, s = given(seed)
            image = mirror.image(s)
            result = function(n, x.ctypes.data, k.ctypes.data, w.ctypes.data, ctypes.addressof(image))
            mirror.restore(image, s)
            same(plainly(text, seed), [result, *x, *k.tolist(), *w.tolist(), *_members(s)])


def real_index(n: int, x: Reals) -> None:
    x[0.5 * n] = 1.0


def loop_ended(n: int, x: Reals) -> float:
    for i in range(n):
        x[i] = 0.0
    return x[i]


def own_loop(n: int, x: Reals) -> None:
    for i in range(n):
        i += 1
        x[i] = 0.0


def mixed(n: int, w: Words) -> int:
    return n + w[0]  # type: ignore[no-any-return]


def narrowed(n: int, x: Reals) -> int:
    n = x[0]
    return n + 1


def table_written(n: int, x: Reals) -> None:
    bump(PRIMES, n, 1)  # type: ignore[arg-type]


def grown(n: int, x: Reals) -> None:
    y = reals(n)
    x[0] = y[0]


def three(n: int, x: Reals) -> float:
    return max(x[0], x[1], x[2])  # type: ignore[no-any-return]


def skipped_change(n: int, k: Ints) -> int:
    return bump(k, 0, 1) + bump(k, 0, 2) if n > 3 else 0


def either_value(n: int, k: Ints) -> int:
    return n or k[0]


def keyword(n: int, k: Ints) -> int:
    return bump(k, 0, by=n)


def once(n: int, k: Ints) -> int:
    """How often a loop runs is asked once, though the answer changes something."""
    total = 0
    for i in range(bump(k, 0, 1) % n + 1):
        total += i + 1
    return 1000 * total + k[0]


def test_the_end_of_a_loop_is_computed_once() -> None:
    for first in range(7):
        k, own = (np.array([first, 0]) for _ in range(2))
        assert compile_text(once)(5, k) == once(5, own) and (k == own).all() and own[0] == first + 1


def real_at_last(n: int) -> float:
    """A whole number turns out to be real below the lines that hand it on: each reading learns of one more."""
    first = 1
    second = 2
    third = 3
    for i in range(n):
        third = second
        second = first
        first = first * 3 - i * 0.5
    return third + first / 8


def test_kinds_that_a_later_line_widens_are_widened_above() -> None:
    (routine,) = program(real_at_last)
    kinds = {name: routine.scalars[name] for name in ("first", "second", "third")}
    assert set(kinds.values()) == {"real"}, kinds
    assert [compile_text(real_at_last)(n) for n in range(6)] == [real_at_last(n) for n in range(6)]


def unknown_member(n: int, s: Store) -> float:
    return s.height  # type: ignore[attr-defined,no-any-return]


def otherwise(n: int, x: Reals) -> None:
    for i in range(n):
        if x[i] > 0:
            break
    else:
        x[0] = 1.0


REFUSED = {
    real_index: "an index is a whole number", loop_ended: "which has ended here", own_loop: "which alone changes it",
    mixed: "says which is meant", narrowed: "a real number where a whole number is needed",
    table_written: "PRIMES is a table of constants", grown: "a fixed number of entries", three: "max takes 2",
    skipped_change: "give what is called a name first", either_value: "`and` and `or` join comparisons",
    keyword: "no translation", unknown_member: "Store has count, level, seed, own, marks, table, match, double",
    otherwise: "no translation",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text.__name__)
def test_what_would_mean_something_else_is_refused(text: Callable[..., Any]) -> None:
    """With the file, the line and the text's name."""
    with pytest.raises(InputError, match=rf"test_program.py:\d+: {text.__name__}: .*{REFUSED[text]}"):
        program(text)


def scaled(by: float, size: int) -> Callable[..., None]:
    """A text per pair of numbers: those around it are constants."""

    def text(x: Reals) -> None:
        y = reals(size)
        for i in range(size):
            y[i] = by * x[i]
        for i in range(size):
            x[i] = y[size - 1 - i]

    return text


def test_texts_of_one_name_stay_apart() -> None:
    """Two closures in one program, and a text that calls both."""
    double, half = scaled(2.0, 3), scaled(0.5, 2)

    def both(x: Reals) -> None:
        double(x)
        half(x[1:])

    x = np.array([1.0, 2.0, 3.0])
    compile_text(both)(x)
    np.testing.assert_array_equal(x, [6.0, 1.0, 2.0])
    assert [routine.name for routine in program(both)] == ["text", "text_2", "both"]


def test_a_tape_that_breaks_its_condition_says_so() -> None:
    def status(p: Reals, k: Reals) -> int:
        return SHAPE.prepare(p, p[1:], k)

    for p in (np.array([2.0, 1.0]), np.array([0.0, 1.0]), np.array([np.nan, 1.0])):
        k, other = np.zeros(SHAPE.offline_count), np.zeros(SHAPE.offline_count)
        assert status(p, k) == compile_text(status)(p, other)
    assert status(np.array([0.0, 1.0]), np.zeros(SHAPE.offline_count)) == 1


# other languages: the same texts on the same inputs

SHIM = """#include <cmath>
#define __device__
#define __restrict__ __restrict
"""
NODE = """
import * as texts from "./texts.mjs";
import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync("cases.json", "utf8"));
const found = cases.map(([name, n, x, k, w, s]) => {
  const [X, K, W] = [Float64Array.from(x), Float64Array.from(k), BigUint64Array.from(w.map(BigInt))];
  const S = { ...s, seed: BigInt(s.seed) };
  for (const part of ["own", "marks", "table"]) S[part] = Float64Array.from(s[part]);
  const result = texts[name](n, X, K, W, S);
  const words = [...W].map(String);
  const numbers = [S.count, S.level, String(S.seed), S.match, S.double];
  return [result, [...X], [...K], words, numbers, [...S.own], [...S.marks], [...S.table]];
});
console.log(JSON.stringify(found));
"""


def library(language: str, text: str, names: Sequence[str], folder: Path) -> ctypes.CDLL:
    """The program as a shared library, through the language's compiler."""
    if language == "rust":
        source, command = folder / "texts.rs", ["rustc", "-O", "--crate-type", "cdylib", "-D", "warnings"]
    else:
        quiet = ["-Wno-tautological-compare", "-Wno-unused-function"]
        source, command = (
            folder / "texts.cpp",
            [str(CXX), *WARNINGS, *quiet, "-O1", "-ffp-contract=off", "-shared", "-fPIC"],
        )
        text = "\n".join([SHIM if language == "cuda" else "", text])
        for name in names:  # plain names in the library; the text itself is C++
            text = text.replace(f"double {name}(", f'extern "C" double {name}(', 1)
    source.write_text(text)
    done = subprocess.run([*command, source, "-o", folder / "texts.so"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "texts.so"))


def tool(language: str) -> str | None:
    return {"rust": shutil.which("rustc"), "javascript": shutil.which("node"), "python": "python"}.get(language, CXX)


@pytest.mark.parametrize("language", ["cpp", "cuda", "rust"])
def test_compiled_languages(language: str, texts: list[Callable[..., float]], tmp_path: Path) -> None:
    if tool(language) is None:
        pytest.skip(f"no compiler for {language} on this machine: its programs are not run")
    routines, names = program(*texts), [text.__name__ for text in texts]
    wide = {} if language == "rust" else {"wide": True}
    made = library(language, emit_program(routines, language, names, **wide), names, tmp_path)
    run_library(made, routines, texts)


def test_javascript(texts: list[Callable[..., float]], tmp_path: Path) -> None:
    node = tool("javascript")
    if node is None:
        pytest.skip("no node on this machine: programs in JavaScript are not run")
    (tmp_path / "texts.mjs").write_text(emit_program(program(*texts), "javascript", [x.__name__ for x in texts]))
    (tmp_path / "run.mjs").write_text(NODE)
    tasks = [(text, seed) for text in texts for seed in range(4)]
    cases = []
    for text, seed in tasks:
        n, x, k, w, s = given(seed)
        store = {name: np.asarray(value).tolist() for name, value in vars(s).items()} | {"seed": str(s.seed)}
        cases.append([text.__name__, n, x.tolist(), k.tolist(), list(map(str, w)), store])
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    done = subprocess.run([node, "run.mjs"], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for (text, seed), (result, x, k, w, (count, level, state, *more), own, marks, table) in zip(
        tasks, json.loads(done.stdout), strict=True
    ):
        found = [result, *x, *k, *map(int, w), count, level, int(state), *more, *own, *marks, *table]
        same(plainly(text, seed), found)


def test_python_without_the_package(texts: list[Callable[..., float]], tmp_path: Path) -> None:
    source = emit_program(program(*texts), "python")
    assert "manipula" not in source
    module = module_from(source, "texts_alone", tmp_path)
    for text in texts:
        for seed in range(4):
            same(plainly(text, seed), plainly(getattr(module, text.__name__), seed))


def test_a_language_without_programs_is_named() -> None:
    with pytest.raises(UnknownNameError, match="matlab"):
        emit_program(program(bump), "matlab")


def test_c_says_when_32_bits_are_not_enough() -> None:
    def far(n: int) -> int:
        return n + 3_000_000_000

    with pytest.raises(InputError, match="more than 32 bits"):
        emit_program(program(far), "c")
    assert "3000000000" in emit_program(program(far), "c", wide=True)


def test_the_same_bytes_twice() -> None:
    first, again = program(everything, waves), program(everything, waves)
    for language in PROGRAMS:
        assert emit_program(first, language) == emit_program(again, language)


@pytest.mark.slow
@needs_cc
def test_many_drawn_texts(tmp_path: Path) -> None:
    seeds = range(1000, 1150)
    module = module_from(HEAD + "\n\n".join(map(random_text, seeds)), "many_drawn_texts", tmp_path)
    drawn = [getattr(module, f"drawn_{seed}") for seed in seeds]
    test_machine_code(drawn)
    test_c(drawn, tmp_path)


def test_a_text_without_source_is_refused() -> None:
    names: dict[str, Any] = {}
    exec("def typed(n: int) -> int:\n    return n\n", names)
    with pytest.raises(InputError, match="typed: its source cannot be read"):
        program(names["typed"])
    with pytest.raises(InputError, match="its source cannot be read"):
        program(lambda n: n)


MADE = """from dataclasses import make_dataclass
from typing import Annotated

from manipula.algebra.program.primitives import Reals


def made(size, *more):
    layout = make_dataclass("Gains", [("kp", Annotated[Reals, size]), ("total", float), ("steps", int), *more])

    def sums(g: layout, n: int) -> bool:
        g.total = 0.0
        for i in range(n):
            g.total += g.kp[i]
            g.steps += 1
        return g.total > 1

    return layout, sums
"""


def test_structs_may_be_made(tmp_path: Path) -> None:
    """A layout whose sizes are known at run time only."""
    module = module_from(MADE, "made_struct", tmp_path)
    layout, sums = module.made(3)
    gains = layout(np.array([0.5, 0.25, 0.75]), 0.0, 4)
    assert compile_text(sums)(gains, 3) is True
    assert (gains.total, gains.steps) == (1.5, 7)
    assert compile_text(sums)(gains, 2) is False
    for count in (0, 2, 4):
        with pytest.raises(AssertionError, match=f"kp has {count} entries"):
            compile_text(sums)(layout(np.zeros(count), 0.0, 0), 3)
    with pytest.raises(InputError, match=r"Gains\.on: found <class 'bool'>"):
        program(module.made(3, ("on", bool))[1])
    with pytest.raises(InputError, match=r"Gains\.kp: found"):
        program(module.made(0)[1])
