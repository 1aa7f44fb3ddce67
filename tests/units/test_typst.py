"""Typst: what is printed has the value of the model, compiles whatever the names are, and looks like the LaTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.show.equations import Equations
from manipula.algebra.show.paper import Typst, typst_string
from manipula.algebra.simplify.tree import (
    Degrees,
    FormulaCall,
    FormulaNumber,
    Inverse,
    Symbol,
    Trig,
    power_of,
    product_of,
    sum_of,
)

A, B, Q = Symbol("a2", False), Symbol("d4", False), Symbol("q2", True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q1", "q_(1)"),
        ("qdd12", "dot.double(q)_(12)"),
        ("alpha3", "alpha_(3)"),
        ("Ixx2", 'I_(italic("xx2"))'),
        ("payload", '"payload"'),
        ("tool_mass", '"tool_mass"'),
        ("é1", '"é1"'),
        ('a"b\\', r'"a\"b\\"'),
    ],
)
def test_names(name: str, text: str) -> None:
    assert Typst().name(name) == text


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (product_of([A, Inverse(sum_of([A, B]))]), "frac(a_(2), a_(2) + d_(4))"),
        (power_of(sum_of([A, B]), 2), "(a_(2) + d_(4))^(2)"),
        (product_of([FormulaNumber(Fraction(-1, 3)), A]), "-frac(1, 3) thin a_(2)"),
        (FormulaCall("atan2", (A, Q)), 'op("atan2") (a_(2) comma q_(2))'),
        (FormulaCall("select", (FormulaCall("less", (A, B)), A, B)), 'cases(a_(2) & (a_(2) < d_(4)), d_(4) & "else")'),
        (Trig("sin", ((Q, 1), (Degrees(Fraction(30)), 1))), "sin(q_(2) + 30°)"),
    ],
)
def test_trees(tree: Any, text: str) -> None:
    assert Typst().text(tree) == text


def value(text: str, known: Mapping[str, float]) -> float:
    """What a printed formula is worth: its grammar is nearly Python's."""
    for name in sorted(known, key=len, reverse=True):
        text = text.replace(name, f"({known[name]!r})")
    text = text.replace(" thin ", "*").replace("^(", "**(")
    words = {"frac": lambda a, b: a / b, "sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "abs": abs}
    return float(eval(text, {"__builtins__": {}}, words))


@pytest.mark.parametrize("form", ["factored", "expanded"])
@pytest.mark.parametrize(
    ("robot", "model"),
    [("planar2r", "inverse_dynamics"), ("planar2r", "inertia_matrix"), ("stanford3", "pose"), ("scara", "jacobian")],
)
def test_a_printed_formula_has_the_value_of_the_model(robot: str, model: str, form: str) -> None:
    made = mp.generate(robot, model)
    draw = np.random.default_rng(5)
    given = {port: draw.uniform(0.3, 1.2, len(names)) for port, names in made.inputs.items()}
    printer = Typst()
    known = {printer.name(n): float(x) for port, names in made.inputs.items() for n, x in zip(names, given[port])}
    shown: Equations = made.equations(form)
    known |= {short: value(long, known) for short, long in shown.legend("typst")}
    printed = [value(right, known) for _, right in shown.texts("typst")]
    computed = made.compile()(*(given[port] for port in made.inputs))
    assert np.allclose(printed, np.ravel(computed), rtol=1e-12, atol=1e-12)


def compiled(source: str) -> bytes:
    typst = pytest.importorskip("typst", reason="the wheel typst is not installed")
    return bytes(typst.compile(source.encode(), format="svg"))


ODD = ("é1", 'x"y', "back\\slash", "#let", "$", "a,b", "a;b", "<l>", "sum", "in", "lambda", "θ", "x_y_z", "ab12cd")


def test_every_form_compiles_and_odd_names_do_no_harm() -> None:
    parts = [mp.generate("planar2r", model).typst(form, units=True, names=names)
             for model, form, names in (("pose", "factored", "file"), ("inverse_dynamics", "auxiliary", "file"),
                                        ("jacobian", "expanded", "book"), ("inverse_kinematics", "factored", "file"),
                                        ("friction", "factored", "file"))]  # fmt: skip
    odd = tuple(Symbol(name, False) for name in ODD)
    rows = [
        ((name, (1, place)), FormulaCall("atan2", (symbol, Q))) for name, symbol in zip(ODD, odd) for place in (1, 2)
    ]
    rows += [
        (("y", ()), FormulaCall(op, (A, B, Q)[:count]))
        for op, count in (("pow", 2), ("max", 2), ("select", 3), ("floor", 1))
    ]
    parts.append(Equations("factored", "typst", tuple(rows)).typst())
    text = compiled("#set page(width: auto, height: auto)\n" + "\n\n".join(parts))
    assert text.count(b"<use") > 300


def test_a_string_ends_where_it_should() -> None:
    assert typst_string('"#panic()\n') == '"\\"#panic() "'
    assert compiled(f"#set page(width: auto, height: auto)\n$ {typst_string(chr(34) + '); #panic(1)')} $")
