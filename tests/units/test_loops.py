"""Texts with loops: plain Python, machine code and C mean the same."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manipula.algebra.emit.c.program import program_text, stack_bytes
from manipula.algebra.program.linear_algebra import (
    eigenvalues,
    factorised,
    inverse_size,
    largest,
    solved,
    solved_transposed,
)
from manipula.algebra.program.primitives import (
    Complexes,
    Ints,
    Number,
    Numbers,
    Reals,
    atan2,
    ceil,
    complexes,
    cos,
    exp,
    floor,
    imag,
    integers,
    like,
    log,
    number,
    real,
    reals,
    rint,
    sin,
    sqrt,
)  # fmt: skip
from manipula.algebra.program.reader import program
from manipula.algebra.run.routines import compile_text
from manipula.errors import InputError
from tests.emitted import needs_cc, shared

LIMIT = 3


def weighed(n: int, x: Numbers, factor: Number) -> Number:
    """A sum over real or complex numbers."""
    total = 0 * factor
    copy = like(x, 8)
    for i in range(n):
        copy[i] = x[i] * factor
        total += copy[i] / (1 + i)
    return total


def every_word(n: int, x: Reals, z: Complexes, k: Ints) -> float:
    """All statements and words at once."""
    work = reals(4)
    wide = complexes(4)
    count = integers(2)
    count[0] = 0
    i = n - 1
    while i >= 0 and x[i] > -5:
        if i == 1:
            i -= 1
            continue
        if x[i] > 100 or not i < 20:
            break
        count[0] += 1 if i % 2 == 0 else 2
        i -= 1
    for j in range(LIMIT, -1, -1):
        work[j] = (
            floor(x[j])
            - ceil(x[j] / 2)
            + rint(3 * x[j])
            + sqrt(abs(x[j]))
            + exp(-abs(x[j]))
            + log(2 + abs(x[j]))
            + atan2(x[j], 1 + j)
        )
        wide[j] = sin(z[j]) / cos(z[j]) - z[j] * number(0.5, -x[j]) + 2 * z[j] - z[j] / 3
    k[0] = count[0] + n // 2
    z[1] = -weighed(4, wide[0:], z[0])
    x[2] = weighed(3, work[1:], x[0])
    least: float = min(x[2], max(x[0], -x[1]))
    return least + real(z[1]) * imag(wide[2]) + abs(wide[3]) + (1.0 if real(z[0]) != imag(z[0]) else 0.0)


def given() -> tuple[int, Any, Any, Any]:
    rng = np.random.default_rng(2)
    return 6, rng.normal(size=6), rng.normal(size=6) + 1j * rng.normal(size=6), np.zeros(2, dtype=np.int64)


def from_c(entry: Callable[..., Any], folder: Path) -> Any:
    """The text as C, compiled here."""
    routines = program(entry)
    name = routines[-1].name
    text = program_text(routines).replace(f"static double {name}(", f"double {name}(")
    (folder / "text.c").write_text(f"#include <math.h>\n\n{text}\n")
    return getattr(shared(folder / "text.c"), name)


@needs_cc
def test_plain_python_machine_code_and_c_agree(tmp_path: Path) -> None:
    n, x, z, k = given()
    plain = every_word(n, x, z, k)
    n, x2, z2, k2 = given()
    assert compile_text(every_word)(n, x2, z2, k2) == pytest.approx(plain, rel=1e-13)
    n, x3, z3, k3 = given()
    code = from_c(every_word, tmp_path)
    code.argtypes, code.restype = [ctypes.c_int, *[ctypes.c_void_p] * 3], ctypes.c_double
    whole = k3.astype(np.int32)
    assert code(n, x3.ctypes.data, z3.ctypes.data, whole.ctypes.data) == pytest.approx(plain, rel=1e-13)
    for mine, other in ((x, x2), (z, z2), (x, x3), (z, z3), (k, k2), (k, whole)):
        np.testing.assert_allclose(mine, other, rtol=1e-13)


def comparison_of_texts(n: int, x: Reals) -> float:
    """A comparison of three has no translation."""
    return 1.0 if 0 < n < 3 else x[0]


def unknown_word(n: int, x: Reals) -> float:
    """Nor has a word that is not listed."""
    return float(np.sum(x[:n]))


@pytest.mark.parametrize("text", [comparison_of_texts, unknown_word])
def test_what_has_no_translation_is_refused(text: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=f"{text.__name__}: no translation for"):
        program(text)


def matrices() -> list[Any]:
    rng = np.random.default_rng(0)
    usual = [rng.normal(size=(n, n)) for n in (1, 2, 3, 8, 16, 24)]
    uneven = [A * 10 ** rng.uniform(-5, 5, (len(A), 1)) for A in usual]
    companion = np.eye(12, k=-1) + np.outer(rng.normal(size=12), np.eye(12)[11])
    turning = np.kron(np.diag([1.0, 2, 3]), np.array([[0.0, -1], [1, 0]]))
    return [*usual, *uneven, companion, turning, np.zeros((5, 5)), np.eye(6)[::-1].copy(), np.triu(usual[3])]


def test_eigenvalues() -> None:
    run = compile_text(eigenvalues)
    for A in matrices():
        n = len(A)
        re, im, work = np.empty(n), np.empty(n), A.copy()
        assert run(n, work, re, im) == 0
        want, slack = np.linalg.eigvals(A), 1e-11 * max(np.abs(A).max(), 1e-300)
        gap = np.abs((re + 1j * im)[:, None] - want)
        assert gap.min(0).max() <= slack and gap.min(1).max() <= slack
        pairs = np.flatnonzero(im > 0)
        np.testing.assert_array_equal(im[pairs + 1], -im[pairs])
        assert np.count_nonzero(im) == 2 * len(pairs)


def test_eigenvalues_in_plain_python() -> None:
    A = matrices()[3]
    re, im = np.empty(8), np.empty(8)
    assert eigenvalues(8, A.copy().ravel(), re, im) == 0
    np.testing.assert_allclose(np.sort(re), np.sort(np.linalg.eigvals(A).real), atol=1e-12)


@pytest.mark.parametrize("singular", [False, True])
def test_an_elimination_does_not_depend_on_units(singular: bool) -> None:
    """A matrix times a power of two has factors and pivots times it, to the last bit, and the same ratio of pivots."""
    A = np.random.default_rng(2).normal(size=(6, 6))
    A[5] = A[0] + A[1] if singular else A[5]
    found = []
    for scale in (2.0**-40, 1.0, 2.0**40):
        work, order = (A * scale).ravel(), np.empty(6, dtype=int)
        ratio = factorised(6, work, order)
        upper = np.triu(work.reshape(6, 6)) / scale
        found.append((ratio, *upper.ravel(), *np.tril(work.reshape(6, 6), -1).ravel(), *order))
        assert (ratio < 1e-14) == singular and np.abs(np.diag(upper)).min() >= 0.9e-16
    np.testing.assert_allclose(found, [found[1]] * 3, rtol=1e-12)


def test_eigenvalues_do_not_depend_on_units() -> None:
    """Rows times powers of two and columns through them: the same eigenvalues, not only to the largest entry."""
    dice, run = np.random.default_rng(1), compile_text(eigenvalues)
    for n in (3, 8, 16):
        A, powers = dice.normal(size=(n, n)), 2.0 ** dice.integers(-30, 31, n)
        for solve in (run, eigenvalues):
            re, im = np.empty(n), np.empty(n)
            assert solve(n, (A * powers[:, None] / powers).ravel(), re, im) == 0
            gap = np.abs((re + 1j * im)[:, None] - np.linalg.eigvals(A))
            assert gap.min(0).max() < 1e-12 * n and gap.min(1).max() < 1e-12 * n


def test_eigenvalues_of_what_is_not_finite_end() -> None:
    re, im = np.empty(4), np.empty(4)
    assert compile_text(eigenvalues)(4, np.full((4, 4), np.nan), re, im) > 0


@pytest.mark.parametrize("kind", [float, complex])
def test_linear_systems(kind: type) -> None:
    rng = np.random.default_rng(1)
    A = (rng.normal(size=(6, 6)) + 1j * rng.normal(size=(6, 6))).astype(complex)
    A = A if kind is complex else A.real.copy()
    B, order = A[:, :2].copy() + 1, np.empty(6, dtype=np.int64)
    LU, X, y = A.copy().ravel(), B.copy().ravel(), B[:, 0].copy()
    assert 0 < factorised(6, LU, order) <= 1
    solved(6, 2, LU, order, X)
    solved_transposed(6, LU, order, y)
    np.testing.assert_allclose(A @ X.reshape(6, 2), B, atol=1e-12)
    np.testing.assert_allclose(A.T @ y, B[:, 0], atol=1e-12)
    assert inverse_size(6, LU, order) == pytest.approx(np.abs(np.linalg.inv(A)).max())
    assert largest(6, y) == np.abs(y).max()


def test_a_singular_matrix_has_a_large_inverse() -> None:
    A, order = np.ones(9), np.empty(3, dtype=np.int64)
    assert factorised(3, A, order) == 0
    assert inverse_size(3, A, order) > 1e15


def test_stack_is_that_of_the_deepest_call() -> None:
    assert stack_bytes(program(every_word)) == 4 * 8 + 4 * 16 + 2 * 4 + 8 * 16
