"""How formulas are written: drawn functions in every form and style. Each is proved equal to the function; these lines
say how short it is, in which order, under which names. `pytest -n 0 tests/golden/test_formulas.py --update` accepts
what is written now; read the diff first."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path

import pytest
from sympy.utilities.iterables import flatten

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.show import equations, to_sympy
from manipula.algebra.show.printer import Printer
from manipula.algebra.simplify import terms
from manipula.algebra.simplify.half_angles import trigonometric_factors
from manipula.errors import SizeError

FORMULAS = Path(__file__).with_name("formulas")
STYLES = ("text", "unicode", "latex", "typst")
LETTERS = ("theta", "d", "theta")


class Draw:
    """Functions of joint positions and rates, and of a robot's parameters."""

    def __init__(self, seed: int) -> None:
        self.dice, self.graph = random.Random(seed), Graph()
        self.maths = ExprMaths(self.graph)
        self.q, self.qd = ([self.graph.symbol(f"{name}{i}", online=True) for i in (1, 2, 3)] for name in ("q", "qd"))
        self.p = [self.graph.symbol(name) for name in ("a2", "d4", "m3", "Ixx2", "alpha3", "c1")]

    def angle(self) -> Expr:
        whole = self.dice.choice(self.q)
        for other in self.dice.sample(self.q, self.dice.randint(0, 2)):
            whole = whole + other if self.dice.random() < 0.7 else whole - other
        return whole if self.dice.random() < 0.8 else whole + self.p[4]

    def atom(self) -> Expr:
        turn = self.maths.cos if self.dice.random() < 0.5 else self.maths.sin
        choices = [turn(self.angle()), turn(self.angle()), self.dice.choice(self.p), self.dice.choice(self.qd)]
        return self.dice.choice(choices)

    def term(self) -> Expr:
        whole = self.maths.number(Fraction(self.dice.choice((1, 1, 1, -1, 2, -3, 5)), self.dice.choice((1, 1, 2, 7))))
        for _ in range(self.dice.randint(1, 3)):
            factor = self.atom()
            whole = whole * (factor if self.dice.random() < 0.8 else factor + self.atom())
            if self.dice.random() < 0.2:
                whole = whole * factor
        return self.graph.expr(whole)

    def sum(self, most: int = 4) -> Expr:
        whole = self.term()
        for _ in range(self.dice.randint(0, most)):
            whole = whole + self.term()
        return whole

    def turned(self) -> Expr:
        """Sines and cosines that fall together."""
        x, y, maths, k = self.angle(), self.angle(), self.maths, self.dice.choice(self.p)
        pairs = [
            maths.cos(x) * maths.cos(y) - maths.sin(x) * maths.sin(y), k * maths.sin(x) ** 2 + k * maths.cos(x) ** 2,
            maths.sin(x) * maths.cos(x) * 2 + k, k * (maths.cos(x) ** 2 - maths.sin(x) ** 2) + maths.cos(y),
            (1 - maths.cos(x) ** 2) * k + maths.sin(x) ** 2 * maths.cos(x),
        ]  # fmt: skip
        return self.dice.choice(pairs) + self.dice.choice((0, 1)) * self.term()

    def decided(self) -> Expr:
        """With operations that decide, or have no polynomial."""
        m, a, b = self.maths, self.sum(1), self.sum(0)
        made = [
            m.sqrt(a * a + b * b), m.abs(a) * b, m.atan2(a, b), m.maximum(a, 0) - m.minimum(b, self.p[0]),
            m.sign(b) * a,
            m.select(m.less(a, b), a + self.p[1], b), m.select(m.less(self.p[0], 0), -self.p[0], self.p[0]) * b,
            m.sqrt(self.p[0] ** 2) * a, m.abs(self.p[1] ** 2 + 1) + b, m.exp(-a) / self.p[0], m.tanh(b) * m.floor(a),
            m.select(m.less(m.abs(b), self.p[0]), m.sqrt(m.maximum(1 - b * b, 0)), 0), m.log(1 + a * a) ** 2,
        ]  # fmt: skip
        return self.graph.expr(self.dice.choice(made))

    def divided(self) -> Expr:
        bottom = self.dice.choice((self.p[0], self.p[0] * self.p[1], self.p[0] + self.p[2], self.maths.cos(self.q[1])))
        return self.sum(2) / bottom + self.dice.choice((0, 1)) * self.term() / self.p[2]

    def function(self, name: str, *rows: Expr) -> Function:
        shape = (2, len(rows) // 2) if len(rows) > 3 else (len(rows),)
        ports = (
            Input("q", tuple(self.q), "rad, joint 2: m", "positions"), Input("qd", tuple(self.qd), "rad/s", "rates"),
            Input("p", tuple(self.p), "SI", "parameters", role="parameter"),
        )  # fmt: skip
        return Function(
            name, self.graph, ports, (Output("tau", shape, rows, "N·m", "torques"), Output("c", (), rows[:1]))
        )


def drawn(seed: int) -> Function:
    draw = Draw(seed)
    ways = (draw.sum, draw.turned, draw.divided, draw.decided)
    count = 4 if seed % 3 == 0 else 2
    return draw.function(f"drawn_{seed}", *(ways[(seed + k) % 4]() for k in range(count)))


def written(seed: int) -> list[str]:
    function, lines = drawn(seed), []
    for form in ("auxiliary", "factored", "expanded"):
        letters, units = (LETTERS, True) if seed % 2 else ((), False)
        found = equations(function, form, "text", letters=letters, units=units)
        lines += [f"# {function.name}, {form}: {found.operations} operations", str(found), repr(found)]
        for style in STYLES[1:]:
            lines += [f"## {style}", str(replace(found, style=style))]
        lines += ["## inline", *found.inline_rows]
        rest = [found.terms(), found.as_dict(), found._repr_latex_(), found._repr_html_(), found.summands("latex")]
        lines += ["## as data and in a notebook", *(blake2b(repr(x).encode(), digest_size=8).hexdigest() for x in rest)]
    return [line for text in lines for line in text.split("\n")]


@pytest.mark.parametrize("number", range(14))
def test_a_formula_is_written_as_it_was(number: int, update: bool) -> None:
    place, said = FORMULAS / f"{number}.txt", written(number)
    if update:
        place.parent.mkdir(exist_ok=True)
        place.write_text("\n".join([*said, ""]), encoding="utf-8", newline="\n")
    assert said == place.read_text(encoding="utf-8").rstrip("\n").split("\n"), "if the change is meant: --update"


LIMITS = ("EXPANDED_TERMS", "FACTORED_TERMS", "SHORT_TERMS", "WRITTEN_OPERATIONS", "CALLS")


def limited(number: int) -> list[str]:
    """The forms, or why there is none."""
    lines = []
    for form in ("factored", "expanded"):
        try:
            lines += [f"# {form}", *str(equations(drawn(number), form)).split("\n")]
        except SizeError as error:
            lines.append(str(error))
    return lines


def factored(number: int) -> list[str]:
    """The factors of a product of sums."""
    draw = Draw(number)
    whole = draw.turned() * draw.sum(1) * draw.turned() * draw.maths.sin(draw.angle()) ** (number % 3)
    factors = trigonometric_factors(draw.graph.expr(whole))
    return [f"{Printer().text(tree)} ^ {times}" for tree, times in factors]


def test_a_formula_that_is_too_long_keeps_its_brackets_or_is_refused(
    update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With limits that these small ones reach, one step after the other."""
    said = [line for number in range(5) for line in (f"## factors, {number}", *factored(number))]
    for most in (2, 6, 20):
        for name in LIMITS:
            monkeypatch.setattr(terms, name, most * (5 if name == "WRITTEN_OPERATIONS" else 1))
        for number in range(6):
            said += [f"## {number}, {most} at most", *limited(number)]
    place = FORMULAS / "limited.txt"
    if update:
        place.write_text("\n".join([*said, ""]), encoding="utf-8", newline="\n")
    assert said == place.read_text(encoding="utf-8").rstrip("\n").split("\n"), "if the change is meant: --update"


def test_a_formula_of_sympy_has_the_same_value() -> None:
    """At a point, entry by entry, of functions of every kind."""
    for seed in range(4):
        function = drawn(seed)
        point = {name: 0.3 + 0.17 * k for k, name in enumerate(n for port in function.inputs for n in port.names)}
        want = function(point, ARRAYS)
        for port, found in to_sympy(function).items():
            flat = flatten([found])
            values = [complex(x.subs({s: point[s.name] for s in x.free_symbols})) for x in flat]
            assert values == pytest.approx([complex(float(x)) for x in want[port]], rel=1e-9)
