"""One text, many ways to run it: plain Python, machine code, C and other languages, on the same inputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manipula.algebra.emit.c.program import program_text
from manipula.algebra.program.primitives import Ints, Reals, Words, reals
from manipula.algebra.program.reader import program
from manipula.algebra.run.routines import Mirror, compiled
from manipula.errors import InputError
from tests.emitted import module_from, needs_cc, shared
from tests.texts import HEAD, PRIMES, SHAPE, Store, bump, everything, given, random_text

DRAWN = range(14)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[Callable[..., float]]:
    """Texts with one signature: one by hand, many drawn."""
    source = HEAD + "\n\n".join(map(random_text, DRAWN))
    module = module_from(source, "drawn_texts", tmp_path_factory.mktemp("drawn"))
    return [everything, *(getattr(module, f"drawn_{seed}") for seed in DRAWN)]


class Plain:
    """Arrays of Python's whole numbers: numpy's own would overflow where Python's do not."""

    def __init__(self, store: Store) -> None:
        vars(self).update(vars(store), marks=store.marks.astype(object))


def plainly(text: Callable[..., float], seed: int) -> list[Any]:
    n, x, k, w, s = given(seed)
    plain = Plain(s)
    k, w = k.astype(object), w.astype(object)
    result = text(n, x, k, w, plain)
    return [result, *x, *k, *w, *_members(plain)]


def _members(s: Any) -> list[Any]:
    return [s.count, s.level, s.seed, *s.own, *s.marks, *s.table]


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
        run = compiled(text)
        for seed in range(4):
            same(plainly(text, seed), natively(run, seed))


@needs_cc
def test_c(texts: list[Callable[..., float]], tmp_path: Path) -> None:
    routines = program(*texts)
    names = [text.__name__ for text in texts]
    allowed = '#pragma GCC diagnostic ignored "-Wtautological-compare"'  # a drawn text may ask whether n == n
    text = program_text(routines, names, wide=True)
    (tmp_path / "texts.c").write_text(f"#include <math.h>\n{allowed}\n{text}\n")
    library = shared(tmp_path / "texts.c")
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
    keyword: "no translation", unknown_member: "Store has count, level, seed, own, marks, table",
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
    compiled(both)(x)
    np.testing.assert_array_equal(x, [6.0, 1.0, 2.0])
    assert [routine.name for routine in program(both)] == ["text", "text_2", "both"]


def test_a_tape_that_breaks_its_condition_says_so() -> None:
    def status(p: Reals, k: Reals) -> int:
        return SHAPE.prepare(p, p[1:], k)

    for p in (np.array([2.0, 1.0]), np.array([0.0, 1.0]), np.array([np.nan, 1.0])):
        k, other = np.zeros(SHAPE.kept), np.zeros(SHAPE.kept)
        assert status(p, k) == compiled(status)(p, other)
    assert status(np.array([0.0, 1.0]), np.zeros(SHAPE.kept)) == 1
