"""Random texts of the program form, and a few written by hand: what every way of running a text must agree on.

Each takes (n, x, k, w, s): a number, reals, whole numbers, words and a struct, changes them and returns a real number.
Whole numbers stay below 2**20, so that the texts also mean the same where whole numbers have 32 bits.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.program.primitives import (
    ALL,
    Ints,
    Number,
    Numbers,
    Reals,
    Word,
    Words,
    atan2,
    ceil,
    complexes,
    cos,
    exp,
    floor,
    high,
    imag,
    integers,
    like,
    log,
    number,
    real,
    reals,
    rint,
    select,
    sin,
    sqrt,
    word,
    words,
)  # fmt: skip
from manipula.algebra.program.tapes import Straight
from manipula.algebra.tape import Tape, tape_from_function

SIZE = 8
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
WEIGHTS = (0.5, -1.25, 3.0, 1e-3)
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)


@dataclass
class Store:
    """A struct with every sort of member."""

    count: int = 3
    level: float = 0.25
    seed: Word = 88172645463325252
    own: Annotated[Reals, 4] = field(default_factory=lambda: np.array([0.5, -0.5, 2.0, 1.0]))
    marks: Annotated[Ints, 3] = field(default_factory=lambda: np.array([1, -2, 3]))
    table: Reals = field(default_factory=lambda: np.linspace(-1.0, 1.0, SIZE))
    match: int = 7
    double: float = 0.5


def tape() -> Tape:
    """y = (a·x₀ + sin x₁ + cos(c·a), x₂·|b| − min(x₀, x₁)/a), z = √(x₀² + 1), with conditions on a."""
    graph = Graph()
    x = tuple(graph.symbol(f"x{i}", online=True) for i in range(3))
    a, b, c = (graph.symbol(name) for name in "abc")
    maths = ExprMaths(graph)
    first = a * x[0] + maths.sin(x[1]) + maths.cos(c * a)
    second = x[2] * maths.abs(b) - maths.minimum(x[0], x[1]) / a
    third = maths.sqrt(x[0] * x[0] + 1)
    ports = Input("x", x), Input("p", (a, b), role="parameter"), Input("g", (c,), role="setting")
    return tape_from_function(
        Function("shape", graph, ports, (Output("y", (2,), (first, second)), Output("z", (), (third,))))
    )


SHAPE = Straight(tape())


def bump(k: Ints, i: int, by: int) -> int:
    """Changes an array and says what stood there."""
    before = k[i]
    k[i] = (before + by) % 1009
    return before


def difference(a: int, b: int) -> int:
    return a - 2 * b


def spun(s: Store) -> Word:
    """Xorshift (Marsaglia 2003) on the struct's seed."""
    s.seed = (s.seed ^ (s.seed << 13)) & ALL
    s.seed ^= s.seed >> 7
    s.seed = (s.seed ^ (s.seed << 17)) & ALL
    return s.seed


def strides(n: int, x: Reals, k: Ints, w: Words, s: Store) -> float:
    """Ranges by steps of every size, both ways, from and to where no step ends; the order of what they visit counts."""
    seen = 0.0
    for i in range(1, SIZE, 2):
        seen = 3 * seen + x[i]
    for i in range(0, n + 1, 3):
        seen = 0.5 * seen + k[i] * x[i]
    for i in range(SIZE - 1, -1, -1):
        seen = 0.75 * seen - x[i]
    for i in range(SIZE - 1, 1, -2):
        seen = 1.25 * seen + x[i]
    for i in range(n, 0, -3):
        seen = 0.25 * seen + x[i] * k[i]
    for i in range(n, n, 2):
        seen += 1000.0 + i
    for i in range(0, n, -2):
        seen += 1000.0 + i
    s.level = seen
    return seen


def depth(k: Ints, at: int) -> int:
    """Calls itself."""
    return 0 if at >= SIZE - 1 else 1 + depth(k, at + 1 + k[at] % 2)


def everything(n: int, x: Reals, k: Ints, w: Words, s: Store) -> float:
    """What the random texts do not reach: tapes, structs handed on, recursion, order, tables by argument."""
    kept = reals(4)
    y = reals(2)
    z = reals(1)
    bits = words(2)
    pair = integers(2)
    broken = SHAPE.prepare(s.own[2:], s.own, kept)
    SHAPE(x[1:], kept, y, z)
    pair[0], pair[1] = bump(k, 0, 5), bump(k, 0, 7)
    k[1] = 100 * bump(k, 2, 3) + bump(k, 2, 4) * k[2]
    k[3] += difference(bump(k, 3, 5), bump(k, 3, 7))
    bits[0], bits[1] = spun(s), spun(s)
    w[0] = (bits[0] * MIX[0] & ALL) ^ high(bits[1], MIX[n % 2])
    w[1] = (bits[0] - bits[1]) & ALL
    s.count += depth(k, 0) + pair[0] - pair[1] + broken
    s.marks[1] = s.count - 50
    for i in range(s.count % 5 + 1):
        s.count += 1
        s.table[i] = WEIGHTS[i % 4] * s.level
    s.level = weighted(3, WEIGHTS[1:]) + z[0]
    for i in range(n, -1, -2):
        if i in (1, 4):
            continue
        x[i] = select(x[i] > 0, sqrt(abs(x[i])), -x[i])
    x[0], x[1] = x[1], x[0] + y[0]
    s.match, s.double = s.match + 1, s.double * s.match
    return y[0] + y[1] + float(k[1]) + float(word(s.marks[1]) >> 60) + float(w[1] & 1023)


def weighted(n: int, table: Reals) -> float:
    """A table of constants as an argument."""
    total = 0.0
    for i in range(n):
        total += table[i] * PRIMES[i]
    return total


def scaled(n: int, x: Numbers, factor: Number) -> Number:
    """Over real or complex numbers."""
    total = 0 * factor
    copy = like(x, 4)
    for i in range(n):
        copy[i] = x[i] * factor - factor / (1 + i)
        total += copy[i] / (2 + x[i])
    return -total


def waves(n: int, x: Reals, k: Ints, w: Words, s: Store) -> float:
    """Complex numbers, and names that are words of other languages."""
    z = complexes(4)
    for loop in range(4):
        z[loop] = number(x[loop], x[loop + 1])
    fn = sin(z[0]) / (cos(z[1]) + 3) - 2 * z[2] + z[3] / 3
    z[1], z[2] = z[2] * z[3], -fn if abs(z[1]) > 1 else z[1] * number(0.5, -x[2])
    new = scaled(3, z[1:], fn)
    double = scaled(4, x[2:], 0.5)
    match = real(new) * imag(z[2])
    template, let = double - match, exp(-abs(match)) + log(2 + abs(double)) + atan2(match, double)
    var = floor(3 * template) + ceil(let) + rint(2.5 + k[0] % 2)
    x[0], x[1] = real(z[1]), imag(fn)
    return var + template + let + (1.0 if real(fn) != imag(fn) else 0.0)


def even(n: int, at: int) -> bool:
    """Calls its neighbour, which calls it."""
    return True if n == 0 else odd(n - 1, at + 1)


def odd(n: int, at: int) -> bool:
    return False if n == 0 else even(n - 1, at + 1)


def neighbours(n: int, x: Reals, k: Ints, w: Words, s: Store) -> float:
    """Texts that call each other."""
    return 1.0 if even(abs(k[0] % 7), 0) else 2.0


def given(seed: int) -> tuple[int, Any, Any, Any, Store]:
    rng = np.random.default_rng(seed)
    x, k = rng.normal(size=SIZE), rng.integers(-500, 500, SIZE)
    return 5, x, k, rng.integers(0, 2**64 - 1, SIZE, dtype=np.uint64), Store()


class Draw:
    """A random text; `lines` is its Python."""

    def __init__(self, seed: int) -> None:
        self.rng, self.names = random.Random(seed), 0

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def real(self, depth: int) -> str:
        if depth == 0:
            return self.pick("r1", "r2", f"x[{self.place()}]", repr(self.rng.uniform(-2, 2)), "s.level", "LEVEL")
        a, b = self.real(depth - 1), self.real(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / (2 + abs({b})))", f"sin({a})", f"sqrt(abs({a}))",
            f"min({a}, {b})", f"max({a}, {b})", f"({a} if {self.test(depth - 1)} else {b})",
            f"select({self.test(depth - 1)}, {a}, {b})", f"-{a}", f"float({self.whole(depth - 1)})",
            f"WEIGHTS[{self.place()} % 4]", f"cos({a})",
        )  # fmt: skip

    def whole(self, depth: int) -> str:
        if depth == 0:
            return self.pick("i1", "i2", f"k[{self.place()}]", str(self.rng.randint(-99, 99)), "n", "s.count % 77")
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} % 97 * ({b} % 89))", f"({a} // (3 + abs({b})))", f"({a} % -7)",
            f"({a} // -5)", f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})", f"({a} >> {self.rng.randint(0, 9)})",
            f"(({a} & 255) << {self.rng.randint(0, 9)})", f"~{a}", f"abs({a})", f"min({a}, {b})",
            f"({a} if {self.test(depth - 1)} else {b})", f"int({self.real(0)})", f"PRIMES[{self.place()}]",
            f"int({self.words(depth - 1)} & 1023)", f"({a} == {b}) + 1",
        )  # fmt: skip

    def words(self, depth: int) -> str:
        if depth == 0:
            return self.pick("w1", f"w[{self.place()}]", "s.seed", "0xFFFFFFFFFFFFFFFF", "word(12345)")
        a, b = self.words(depth - 1), self.words(depth - 1)
        return self.pick(
            f"(({a} + {b}) & ALL)", f"(({a} - {b}) & ALL)", f"(({a} * {b}) & ALL)", f"({a} ^ {b})", f"({a} | {b})",
            f"({a} >> {self.rng.randint(0, 63)})", f"(({a} << {self.rng.randint(0, 63)}) & ALL)",
            f"({a} // (1 + ({b} >> 1)))", f"({a} % (1 + ({b} >> 1)))", f"high(word({self.whole(0)}), {b})",
            f"word({self.whole(depth - 1)})",
        )  # fmt: skip

    def test(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("f1", "r1 < r2", "i1 >= i2", "i1 != 3", "i2 % 2 == 0", "word(i1) > w1")
        a, b = self.test(depth - 1), self.test(depth - 1)
        return self.pick(
            f"({a} and {b})", f"({a} or {b})", f"(not {a})", f"{self.whole(depth - 1)} in (1, i2, -4)",
            f"{self.whole(0)} not in (2, 3)", f"{self.real(depth - 1)} > {self.real(0)}",
        )  # fmt: skip

    def place(self) -> str:
        return self.pick("0", "3", "7", "i1 % 8", "(i2 - 5) % 8", "n", "k[2] & 7")

    def statement(self, depth: int, looping: bool) -> list[str]:
        plain = [
            [f"r{self.rng.randint(1, 2)} = sin({self.real(2)})"],
            [f"i{self.rng.randint(1, 2)} = {self.whole(2)} % 100003"],
            [f"w1 = {self.words(2)}"],
            [f"f1 = {self.test(2)}"],
            [f"x[{self.place()}] = 3 * sin({self.real(1)})"],
            [f"k[{self.place()}] = {self.whole(2)} % 1013"],
            [f"w[{self.place()}] = {self.words(1)}"],
            ["r1, r2 = r2, r1 + 1"],
            [f"i1, k[{self.place()}] = bump(k, {self.place()}, 7), i1 % 50"],
            [f"x[{self.place()}] *= cos({self.real(1)})"],
            [f"s.count, s.level = {self.whole(1)} % 31, sin({self.real(1)})"],
            [f"i2 = bump(k, 1, 3) + k[1] * bump(k, 1, {self.whole(0)} % 10)"],
            ["w1 = spun(s)"],
        ]
        if looping:
            plain.append([f"if {self.test(1)}:", f"    {self.pick('break', 'continue')}"])
        if depth == 0 or self.rng.random() < 0.6:
            return self.rng.choice(plain)
        inner = self.block(depth - 1, looping)
        if self.rng.random() < 0.4:
            return [f"if {self.test(1)}:", *inner, "else:", *self.block(depth - 1, looping)]
        self.names += 1
        count = self.names
        if self.rng.random() < 0.7:
            ends = self.pick("n", "3", "1, 7, 2", "5, -1, -1", "i1 % 4", "k[0] % 5")
            return [f"for j{count} in range({ends}):", *self.block(depth - 1, True), f"    r1 += j{count}"]
        return [f"t{count} = 0", f"while t{count} < 4:", f"    t{count} += 1", *self.block(depth - 1, True)]

    def block(self, depth: int, looping: bool) -> list[str]:
        return [f"    {line}" for _ in range(self.rng.randint(1, 4)) for line in self.statement(depth, looping)]


def random_text(seed: int) -> str:
    """The source of a module with one text, `drawn_SEED`."""
    draw = Draw(seed)
    body = [line for _ in range(6) for line in draw.block(2, False)]
    start = ["r1 = 0.5", "r2 = x[1]", "i1 = 4", "i2 = k[3] % 11", "w1 = w[2]", "f1 = n > 3"]
    return "\n".join(
        [f"def drawn_{seed}(n: int, x: Reals, k: Ints, w: Words, s: Store) -> float:", '    """Drawn."""',
         *(f"    {line}" for line in start), *body,
         "    return r1 + r2 + float(i1 - i2) + float(w1 & 4095) + (1.0 if f1 else 0.0)", ""]
    )  # fmt: skip


HEAD = """from manipula.algebra.program.primitives import *
from tests.random_texts import Store, bump, spun, PRIMES, WEIGHTS, MIX

LEVEL = 0.75

"""
