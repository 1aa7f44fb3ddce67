"""Forms for people without choices that are none for the robot: same values, fewer words."""

from __future__ import annotations

import itertools
import math
import random
import re
from fractions import Fraction

import pytest

import manipula as mp
from manipula.algebra.show.choices import in_cases, interval, simplify_choices
from manipula.algebra.simplify.factor import Factoriser
from manipula.algebra.simplify.tree import (
    FormulaCall,
    FormulaNumber,
    FormulaProduct,
    FormulaTree,
    Inverse,
    Power,
    Sum,
    Symbol,
    Trig,
    evaluate_tree,
    leaves,
    product_of,
    sum_of,
)
from manipula.mechanics.spatial.floats import FloatMaths

NAMES = ("a", "b", "q1")
LEAVES = [*(Symbol(name, name == "q1") for name in NAMES), Trig("cos", ((Symbol("q1", online=True), 1),))]


def drawn(draw: random.Random, depth: int) -> FormulaTree:
    """Any tree of the operations that are looked into."""
    if not depth or draw.random() < 0.15:
        return draw.choice(
            [*LEAVES, *(FormulaNumber(Fraction(draw.randint(-4, 9), draw.choice([1, 2, 9]))) for _ in range(4))]
        )
    parts = [drawn(draw, depth - 1) for _ in range(4)]
    match draw.choice(["sum", "product", "power", "inverse", "abs", "sqrt", "max", "min", "atan2", "select", "select"]):
        case "sum":
            return sum_of(parts[:2])
        case "product":
            return product_of(parts[:3])
        case "power":
            return Power(parts[0], draw.choice([2, 3, 4]))
        case "inverse":
            return Inverse(parts[0])
        case "select":
            return FormulaCall("select", (FormulaCall("less", (parts[0], parts[1])), parts[2], parts[3]))
        case ("abs" | "sqrt") as op:
            return FormulaCall(op, (parts[0],))
        case op:
            return FormulaCall(op, (parts[0], parts[1]))


def value_of(tree: FormulaTree, symbols: dict[str, float]) -> float:
    try:
        return float(evaluate_tree(tree, symbols, FloatMaths()))
    except (ZeroDivisionError, OverflowError):
        return math.nan


@pytest.mark.parametrize("seed", range(2))
def test_what_is_decided_has_the_same_value(seed: int) -> None:
    draw, changed = random.Random(seed), 0
    for _ in range(150):
        tree = drawn(draw, 4)
        short = simplify_choices(tree)
        for _ in range(2):
            symbols = {name: draw.uniform(-2, 2) for name in NAMES}
            meant = value_of(tree, symbols)
            if math.isfinite(meant):
                assert value_of(short, symbols) == pytest.approx(meant, rel=1e-9, abs=1e-9)
                assert value_of(simplify_choices(in_cases(tree)), symbols) == pytest.approx(meant, rel=1e-9, abs=1e-9)
                low, high = interval(tree)
                assert low - 1e-9 <= meant <= high + 1e-9
        changed += short != tree
    assert changed > 40


@pytest.mark.parametrize("seed", range(30))
def test_an_interval_is_no_wider_than_its_values(seed: int) -> None:
    """Of parts that have no symbol in common, each the whole of its own interval: both ends are values."""
    draw = random.Random(seed)
    reaches = [(draw.randint(-3, 3), draw.randint(1, 3)) for _ in range(2)]
    cosines = [Trig("cos", ((Symbol(f"q{i}", online=True), 1),)) for i in range(4)]
    x, y = (
        sum_of([FormulaNumber(Fraction(k)), product_of([FormulaNumber(Fraction(m)), c])])
        for (k, m), c in zip(reaches, cosines)
    )
    undecided = FormulaCall("less", (cosines[2], cosines[3]))
    trees = [
        sum_of([x, y]),
        product_of([x, y]),
        *(Power(x, n) for n in (2, 3, 4)),
        FormulaCall("select", (undecided, x, y)),
    ]
    at = [[0.0, math.pi, math.acos(max(-1.0, min(1.0, -k / m)))] for k, m in (*reaches, (0, 1), (0, 1))]
    states = [dict(zip(("q0", "q1", "q2", "q3"), state)) for state in itertools.product(*at)]
    for tree in (*trees, FormulaCall("max", (x, y)), FormulaCall("min", (x, y))):
        values = [value_of(tree, state) for state in states]
        assert tuple(map(float, interval(tree))) == pytest.approx((min(values), max(values)), abs=1e-9), tree


CONDITIONS = [FormulaCall("less", (LEAVES[0], other)) for other in LEAVES[1:3]]


def with_choices(draw: random.Random, depth: int) -> FormulaTree:
    """Choices by one of two conditions, below one another in every kind of tree."""
    if not depth:
        return draw.choice([*LEAVES, FormulaNumber(Fraction(2))])
    parts = [with_choices(draw, depth - 1) for _ in range(2)]
    match draw.choice(["select", "select", "sum", "product", "power", "inverse", "cos", "atan2"]):
        case "select":
            return FormulaCall("select", (draw.choice(CONDITIONS), *parts))
        case "sum":
            return sum_of(parts)
        case "product":
            return product_of(parts)
        case "power":
            return Power(parts[0], draw.choice([2, 3]))
        case "inverse":
            return Inverse(parts[0])
        case "cos":
            return Trig("cos", ((parts[0], 1),))
    return FormulaCall("atan2", tuple(parts))


def chosen_again(tree: FormulaTree, settled: frozenset[FormulaTree] = frozenset()) -> bool:
    """Is there a choice by a condition that a choice around it has settled?"""
    match tree:
        case FormulaCall("select", (condition, *sides)):
            return condition in settled or any(chosen_again(side, settled | {condition}) for side in sides)
        case FormulaCall(_, parts) | Sum(parts) | FormulaProduct(parts):
            return any(chosen_again(part, settled) for part in parts)
        case Power(inner, _) | Inverse(inner):
            return chosen_again(inner, settled)
        case Trig(_, angle):
            return any(chosen_again(leaf, settled) for leaf, _ in angle)
    return False


@pytest.mark.parametrize("seed", range(3))
def test_no_case_chooses_again_by_what_it_has_settled(seed: int) -> None:
    draw, before = random.Random(seed), 0
    for _ in range(150):
        tree = FormulaCall("select", (CONDITIONS[0], with_choices(draw, 4), with_choices(draw, 4)))
        short = in_cases(tree)
        before += chosen_again(tree)
        assert not chosen_again(short), tree
        symbols = {name: draw.uniform(-2, 2) for name in NAMES}
        meant = value_of(tree, symbols)
        assert not math.isfinite(meant) or value_of(short, symbols) == pytest.approx(meant, rel=1e-9, abs=1e-9)
    assert before > 40


def planar_or_scara(draw: random.Random) -> mp.Robot:
    """Arms that turn about z alone, up or down: most choices of their orientation are decided."""
    rows = [(0, draw.choice([0, f"h{i}"]), f"l{i}", draw.choice([0, 0, 180])) for i in range(1, draw.randint(3, 5))]
    slides = {"type": "prismatic", "theta": draw.choice([0, 90]), "d": 0, "a": 0, "alpha": 0}
    return mp.Robot.from_dh([*rows, *draw.choice([[], [slides]])], angle="deg", name="arm")


@pytest.mark.parametrize("seed", range(2))
def test_no_number_is_compared_with_a_number(seed: int) -> None:
    robot = planar_or_scara(random.Random(seed))
    for model in ("orientation", "manipulability"):
        found = mp.generate(robot, model).equations("factored")
        told = [x for x in leaves(right for _, right in found.lines) if isinstance(x, FormulaCall) and x.op != "sqrt"]
        assert not [x for x in told if all(isinstance(arg, FormulaNumber) for arg in x.args)]
        assert not re.search(r"/1\b|sqrt\(abs\(\d", str(found))


def test_orientation_of_a_scara_reads_as_on_paper() -> None:
    rows = [
        (0, "L0", "L1", 0),
        (0, 0, "L2", 180),
        {"type": "prismatic", "theta": 0, "d": 0, "a": 0, "alpha": 0},
        (0, "L4", 0, 0),
    ]
    robot = mp.Robot.from_dh(rows, angle="deg", name="scara")
    told = dict(mp.generate(robot, "orientation").equations("factored"))
    assert (told["rpy1"], told["rpy2"], told["rpy3"]) == ("pi", "0", "atan2(s12m4, c12m4)")
    told = dict(mp.generate(robot, "manipulability").equations("factored"))
    assert told == {"w": "abs(L1*L2*s2)", "translation": "abs(L1*L2*s2)", "rotation": "sqrt(3)"}


@pytest.mark.parametrize("seed", range(20))
def test_no_half_in_a_bracket_whose_double_stands_before_it(seed: int) -> None:
    """c·(2·a + b)·(…) is not written 2·c·(a + 0.5·b)·(…)"""
    draw = random.Random(seed)
    below = draw.choice([2, 2, 3, 4])
    others = {((2 + i, 1),): Fraction(draw.choice([1, -1, 2])) for i in range(draw.randint(2, 4))}
    terms = {tuple(sorted([(g, 1), *m])): c * k for m, c in others.items() for g, k in ((0, below), (1, 1))}
    terms[(9, 1),] = Fraction(1)
    tree = Factoriser([Symbol(f"x{i}", online=False) for i in range(10)]).factor(terms)
    assert all(x.value.denominator == 1 for x in _numbers(tree))


def _numbers(tree: FormulaTree) -> list[FormulaNumber]:
    parts = getattr(tree, "terms", None) or getattr(tree, "factors", None) or ()
    return [tree] if isinstance(tree, FormulaNumber) else [x for part in parts for x in _numbers(part)]
