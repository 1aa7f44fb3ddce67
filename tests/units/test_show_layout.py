"""Equations on a page: matrices as matrices in every style, long ones by entries, displays that MathJax can hold."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from fractions import Fraction

import pytest

from manipula.algebra.show.equations import Equations
from manipula.algebra.show.layout import COLUMNS, Line, width
from manipula.algebra.show.paper import BUFFER, PAGES
from manipula.algebra.simplify.tree import ZERO, FormulaNumber, FormulaTree, Symbol, Trig, power_of, product_of, sum_of

Q = [Symbol(f"q{i}", True) for i in range(1, 13)]
LETTERS = [Symbol(name, False) for name in ("a2", "d4", "m1", "Ixx2", "payload")] + [Symbol("qd1", True)]


def random_tree(chance: random.Random, terms: int) -> FormulaTree:
    """A sum of products, now and then zero or a number."""
    if chance.random() < 0.3:
        return FormulaNumber(Fraction(chance.choice((0, 0, 1, -1))))
    angle = tuple((q, chance.choice((1, -1))) for q in sorted(chance.sample(Q, 2), key=lambda q: int(q.name[1:])))
    turned = Trig(chance.choice(("sin", "cos")), ((angle[0][0], 1), *angle[1:]))
    parts = [
        product_of([FormulaNumber(Fraction(chance.choice((-1, 1, 2)))), chance.choice(LETTERS), turned,
                    power_of(chance.choice(LETTERS), 2)])
        for _ in range(chance.randint(1, terms))
    ]  # fmt: skip
    return sum_of(parts)


def matrix(name: str, shape: tuple[int, ...], entries: Sequence[FormulaTree]) -> list[Line]:
    places = [(i + 1, j + 1) for i in range(shape[0]) for j in range(shape[1])]
    return [((name, place), tree) for place, tree in zip(places, entries, strict=True)]


def random_matrix(seed: int) -> tuple[list[Line], tuple[int, int]]:
    chance = random.Random(seed)
    shape = chance.randint(1, 4), chance.randint(1, 4)
    terms = chance.choice((1, 1, 2, 6))
    return matrix("A", shape, [random_tree(chance, terms) for _ in range(shape[0] * shape[1])]), shape


ANGLE = ((Q[0], 1), (Q[1], 1), (Q[3], -1))
TURN = [
    Trig("cos", ANGLE), product_of([FormulaNumber(Fraction(-1)), Trig("sin", ANGLE)]), ZERO,
    product_of([LETTERS[0], LETTERS[5]]),
]  # fmt: skip


def test_a_matrix_in_every_style() -> None:
    lines = matrix("T", (2, 2), TURN)
    assert str(Equations("factored", "text", tuple(lines))) == (
        "T = [c12m4  -s12m4]\n    [  0    a2*qd1]\nwith c12m4 = cos(q1 + q2 - q4), s12m4 = sin(q1 + q2 - q4)"
    )
    assert str(Equations("factored", "unicode", tuple(lines))) == (
        "T = ⎡c₁₂₋₄  −s₁₂₋₄⎤\n    ⎣  0    a₂·q̇₁ ⎦\nwith c₁₂₋₄ = cos(q₁ + q₂ − q₄), s₁₂₋₄ = sin(q₁ + q₂ − q₄)"
    )
    assert str(Equations("factored", "latex", tuple(lines))).startswith(
        "\\begin{aligned}\nT &= \\begin{bmatrix}\nc_{12-4} & -s_{12-4} \\\\\n0 & a_{2}\\,\\dot{q}_{1}\n\\end{bmatrix}"
    )


def test_the_abbreviation_of_an_auxiliary_equation_is_set_alike() -> None:
    """There c12m4 is a name with a line of its own."""
    line: Line = (("c12m4", ()), Trig("cos", ANGLE))
    for style, text in (("text", "c12m4"), ("unicode", "c₁₂₋₄"), ("latex", "c_{12-4}")):
        (left, right), *_ = Equations("auxiliary", style, (line,))
        assert left == right == text
    past_nine: Line = (("c1_12", ()), ZERO)
    assert [left for left, _ in Equations("auxiliary", "latex", (past_nine,))] == ["c_{1,12}"]


@pytest.mark.parametrize("style", ["text", "unicode"])
@pytest.mark.parametrize("seed", range(40))
def test_a_matrix_keeps_to_the_terminal_and_loses_no_entry(seed: int, style: str) -> None:
    lines, (rows, columns) = random_matrix(seed)
    found = Equations("expanded", style, tuple(lines))
    own = found.texts(style)
    shown = str(found).split("\nwith")[0].splitlines()
    if any(opening in shown[0] for opening in ("[A", "A[", "A₁")):  # entry by entry
        said = dict(line.split(" = ", 1) for line in shown)
        for left, right in own:
            assert said.get(left, "0") in (right, *(other for other, text in own if text == right))
        assert sum(line.endswith("elsewhere") for line in shown) == (sum(right == "0" for _, right in own) > 1)
    else:
        assert max(map(width, shown)) <= COLUMNS and len({width(line) for line in shown}) == 1
        cells = [re.split(r" {2,}", re.sub(r"^.*?[\[⎡⎢⎣] *| *[\]⎤⎥⎦]$", "", line)) for line in shown]
        assert [cell for row in cells for cell in row] == [right for _, right in own]
        assert (len(cells), len(cells[0])) == (rows, columns)


def test_an_entry_written_already_is_only_named() -> None:
    long = sum_of(
        [product_of([x, power_of(y, 2), Trig("cos", ((q, 1),))]) for x in LETTERS for y in LETTERS for q in Q]
    )
    found = Equations("expanded", "text", tuple(matrix("M", (2, 2), [long, LETTERS[0], long, ZERO])))
    assert str(found).splitlines()[1:4] == ["M[1,2] = a2", "M[2,1] = M[1,1]", "M[2,2] = 0"]
    assert dict(found)["M[2,1]"] == dict(found)["M[1,1]"]  # as data every entry is whole
    assert r"M_{2,1} &= M_{1,1}" in found.latex()


@pytest.mark.turn
@pytest.mark.parametrize("count", [1, 30, 300])
def test_displays_stay_below_the_buffer_of_mathjax(count: int) -> None:
    """Sums are broken between terms, displays between rows; nothing is lost."""
    chance = random.Random(count)
    lines: list[Line] = [((f"x{i}", ()), sum_of([random_tree(chance, 30), Q[0]])) for i in range(1, count + 1)]
    found = Equations("expanded", "latex", tuple(lines))
    shown = found._repr_latex_()
    if len(found.latex()) > PAGES + 10_000:
        assert shown is None and "300 equations" in str(found._repr_html_())
        return
    assert shown is not None and found._repr_html_() is None
    pieces = re.findall(r"\$\$\n(.*?)\n\$\$", shown, re.S)
    assert max(map(len, pieces)) < 5 * 1024
    joined = "".join(pieces).replace(r"\begin{aligned}", "").replace(r"\end{aligned}", "")
    rest = joined.split(r"&\text{with")[0]
    whole = rest.replace("\\\\\n", " ").replace(r"&\quad ", " ")
    for left, right in found:
        assert re.sub(r"\s", "", f"{left} &= {right}") in re.sub(r"\s", "", whole)


def test_a_formula_no_display_can_hold_says_so() -> None:
    giant = product_of([LETTERS[0], sum_of([product_of([x, q]) for x in LETTERS for q in Q for _ in range(9)])])
    shown = Equations("factored", "latex", ((("x", ()), giant),))._repr_latex_()
    assert shown is not None and len(shown) < BUFFER and "too long to be set" in shown


def test_at_a_prompt_short_equations_are_their_text_and_long_ones_a_line() -> None:
    short = Equations("factored", "text", tuple(matrix("T", (2, 2), TURN)))
    assert repr(short) == str(short)
    long = Equations("expanded", "text", tuple((("x", (i,)), Q[0]) for i in range(1, 80)))
    assert repr(long) == "<79 equations, expanded: x; 0 operations; print(…) writes them out>"
