"""Laned texts: one lane or many, the same bits; what is not laned is refused with its line."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from manipula.algebra.program.primitives import (
    Ints,
    Reals,
    atan2,
    complexes,
    exp,
    imag,
    number,
    real,
    reals,
    select,
    sin,
    sqrt,
    word,
)
from manipula.algebra.run.routines import Laned, compile_text
from manipula.errors import InputError
from tests.emitted import module_from
from tests.random_texts import SHAPE, WEIGHTS

SIZE = 6


@dataclass
class Memory:
    """What a law with memory keeps; reals differ from lane to lane, the count does not."""

    count: int
    level: float
    own: Annotated[Reals, 2]
    table: Reals


def positive(x: float) -> bool:
    return x > 0


def stepped(n: int, h: float, x: Reals, k: Ints, prepared: Reals, m: Memory) -> float:
    """Everything a laned text may do, a proved straight line among it."""
    y = reals(2)
    z = reals(1)
    w = complexes(2)
    guarded = n > 2 and x[n - 1] > 0.1
    SHAPE(x[1:], prepared, y, z)
    for i in range(n):
        x[i] = select(positive(x[i]) or guarded, x[i] + h * sin(y[0]), -x[i] / (1 + abs(y[1])))
        if i % 2 == 0:
            x[i] = min(x[i], 3.0) * WEIGHTS[i % 4]
        m.own[i % 2] += 1.0 if k[i] > 2 else h
    w[0] = number(x[0], h)
    w[1] = w[0] * w[0] / (w[0] + 2)
    m.count += n
    m.level = m.level + real(w[1]) + atan2(imag(w[1]), exp(-abs(h)))
    m.table[1] = sqrt(m.level * m.level + z[0])
    if n > 3:
        return m.level
    return float(guarded)


def given(lanes: int, seed: int) -> tuple[int, Any, Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    memory: Any = Memory(3, rng.normal(size=lanes), rng.normal(size=(2, lanes)), rng.normal(size=(3, lanes)))
    prepared = rng.normal(size=(SHAPE.offline_count, lanes))
    return 2 + seed % 4, rng.normal(size=lanes), rng.normal(size=(SIZE, lanes)), np.arange(SIZE), prepared, memory


def lane(args: tuple[Any, ...], i: int) -> tuple[Any, ...]:
    """One lane by itself, as arrays of one lane."""
    n, h, x, k, prepared, m = args
    memory = Memory(m.count, m.level[i : i + 1].copy(), m.own[:, i : i + 1].copy(), m.table[:, i : i + 1].copy())
    return n, h[i : i + 1].copy(), x[:, i : i + 1].copy(), k, prepared[:, i : i + 1].copy(), memory


def bits(result: Any, args: tuple[Any, ...]) -> list[Any]:
    _, _, x, _, _, m = args
    return [result, x, m.level, m.own, m.table]


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_lanes_agree_bit_by_bit(lanes: int) -> None:
    many, one = Laned(stepped, lanes), Laned(stepped, 1)
    for seed in range(6):
        together = given(lanes, seed)
        alone = [lane(together, i) for i in range(lanes)]
        wide = bits(many(*together), together)
        for i, args in enumerate(alone):
            for mine, other in zip(bits(one(*args), args), wide, strict=True):
                np.testing.assert_array_equal(np.asarray(mine)[..., 0], np.asarray(other)[..., i])
        assert together[-1].count == alone[0][-1].count == 3 + together[0]


def plain_texts(folder: Any) -> list[Callable[..., None]]:
    """Random laned texts of sums, products, quotients, roots and choices."""
    rng = random.Random(7)

    def value(depth: int) -> str:
        if depth == 0:
            return rng.choice(["a", "b", "x[0]", "x[i]", "x[n - 1]", "1.5", "W[i % 4]", "h"])
        p, q = value(depth - 1), value(depth - 1)
        forms = [f"({p} + {q})", f"({p} - {q})", f"({p} * {q})", f"({p} / (1.5 + abs({q})))", f"sqrt(abs({p}))"]
        forms += [f"select({p} < {q} or not {p} > 0.3, {p}, {q})", f"min({p}, {q})", f"max({p}, -{q})"]
        return rng.choice(forms)

    texts = []
    for which in range(8):
        lines = [f"        {rng.choice(['a', 'b', 'x[i]'])} = {value(3)} / 2" for _ in range(5)]
        head = [f"def laned_{which}(n: int, h: float, x: Reals) -> float:", "    a = h", "    b = x[1]"]
        texts.append("\n".join([*head, "    for i in range(n):", *lines, "    return a - b"]))
    source = "from manipula.algebra.program.primitives import *\nfrom tests.random_texts import WEIGHTS as W\n\n\n"
    module = module_from(source + "\n\n\n".join(texts), "laned_texts", folder)
    return [getattr(module, f"laned_{which}") for which in range(8)]


def test_lanes_have_the_bits_of_plain_python(tmp_path: Any) -> None:
    """Where every operation is rounded once, plain Python is the reference to the last bit."""
    for text in plain_texts(tmp_path):
        run = Laned(text, 4)
        rng = np.random.default_rng(3)
        h, x = rng.normal(size=4), rng.normal(size=(SIZE, 4))
        rows = [x[:, i].copy() for i in range(4)]
        wanted = [text(SIZE, float(h[i]), rows[i]) for i in range(4)]
        np.testing.assert_array_equal(run(SIZE, h, x), wanted)
        np.testing.assert_array_equal(x, np.stack(rows, axis=1))


def test_a_laned_text_is_a_text() -> None:
    n, h, x, k, prepared, m = given(1, 3)
    flat = Memory(m.count, float(m.level[0]), m.own[:, 0].copy(), m.table[:, 0].copy())
    result = compile_text(stepped)(n, float(h[0]), x[:, 0].copy(), k, prepared[:, 0].copy(), flat)
    args = given(1, 3)
    np.testing.assert_allclose(Laned(stepped, 1)(*args), result, rtol=1e-12)


def counted(n: int, on: bool, x: Reals, k: Ints) -> int:
    """Whole numbers, words and conditions that all lanes share, beside reals that differ."""
    m = select(n > 2, n, 7) + abs(n - 5)
    k[0] = int(n > 1) + max(m, 6) * 2
    x[0] = x[0] * m + float(word(n) >> 1)
    x[1] = float(x[1] > 0.2) + select(on, 2.0, n)
    common = n > 3
    if common and k[0] < 20:
        x[2] = -abs(x[2])
    x[1] = x[1] + 1 if common else x[1] / 3
    return m + int(n == 3)


def silent(n: int, x: Reals) -> None:
    x[0] = n


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_whole_numbers_are_common_to_all_lanes(lanes: int) -> None:
    run, quiet = Laned(counted, lanes), Laned(silent, lanes)
    for n in (-2, 0, 1, 2, 3, 4, 6):
        for on in (False, True):
            rng = np.random.default_rng(abs(n))
            x, k = rng.normal(size=(3, lanes)), np.zeros(1, dtype=np.int64)
            rows = [x[:, i].copy() for i in range(lanes)]
            own = [0]
            wanted = {counted(n, on, row, own) for row in rows}  # type: ignore[arg-type]
            assert {run(n, on, x, k)} == wanted and k.tolist() == own
            np.testing.assert_array_equal(x, np.stack(rows, axis=1))
            assert quiet(n, x) is None
            np.testing.assert_array_equal(x[0], np.full(lanes, n))


def flagged(n: int, x: Reals) -> bool:
    return n > 2


def turned(n: int, z: complex) -> float:
    return real(z)


@pytest.mark.parametrize("text", [flagged, turned])
def test_conditions_and_complex_numbers_of_a_lane_stand_in_arrays(text: Callable[..., Any]) -> None:
    with pytest.raises(InputError) as found:
        Laned(text, 2)
    name = text.__name__
    assert str(found.value) == f"test_lanes.py: {name}: a lane's conditions and complex numbers stand in arrays"


def waits(n: int, x: Reals) -> None:
    while x[0] > 1:
        x[0] = x[0] / 2


def leaves(n: int, x: Reals) -> None:
    for i in range(n):
        if i == 3:
            break
        x[i] = 0.0


def branches(n: int, x: Reals) -> None:
    if x[0] > 0:
        x[1] = 1.0


def chooses(n: int, x: Reals) -> None:
    x[0] = 1.0 if x[1] > 0 and n > 2 else 2.0


def hidden(n: int, x: Reals) -> None:
    near = x[0] < 1
    again = near or n > 3
    if again:
        x[0] = 1.0


def counts(n: int, x: Reals) -> None:
    for i in range(int(x[0])):
        x[1] = float(i)


def picks(n: int, x: Reals) -> None:
    x[select(x[0] > 0, 1, 2)] = 0.0


def truth(n: int, x: Reals) -> None:
    x[int(x[0] > 0)] = 0.0


def asked(n: int, x: Reals) -> None:
    if positive(x[0]):
        x[0] = 0.0


def calls(n: int, x: Reals) -> None:
    branches(n, x)


def prepares(n: int, x: Reals) -> None:
    SHAPE.prepare(x, x[3:], x[1:])


NOT_LANED = {
    waits: "`while` runs as long", leaves: "`break` leaves", branches: "an `if` by data", chooses: "`a if c else b`",
    hidden: "an `if` by data", counts: "made of data", picks: "chosen by data", truth: "made of data",
    asked: "an `if` by data", calls: "branches is not laned: an `if` by data", prepares: "`prepare` belongs before",
}  # fmt: skip


@pytest.mark.parametrize("text", NOT_LANED, ids=lambda text: text.__name__)
def test_what_is_not_laned_is_refused_with_its_line(text: Callable[..., Any]) -> None:
    first = text.__code__.co_firstlineno if text is not calls else branches.__code__.co_firstlineno
    with pytest.raises(InputError, match=NOT_LANED[text]) as found:
        Laned(text, 4)
    line = int(str(found.value).split("test_lanes.py:")[1].split(":")[0])
    assert first < line <= first + 4


def test_the_number_of_lanes_is_a_power_of_two() -> None:
    with pytest.raises(InputError, match="lanes: found 3"):
        Laned(stepped, 3)
