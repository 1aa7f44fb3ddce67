"""Forms for people: written from the plain model in the letters of the file, and equal to what runs.

An optimised function may turn a frame until a moment is zero, which puts `atan2` and roots of parameters in it. None of
that is in a factored or expanded form, in LaTeX or in SymPy; and each is compared with the optimised function again
here, at points of the prime field and, where it has roots, at floats.
"""

from __future__ import annotations

import pickle
import random
from contextlib import suppress
from math import isclose
from typing import Any

import pytest

import manipula as mp
from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.expr.maths import topological
from manipula.algebra.simplify.tree import FormulaCall, FormulaTree, Symbol, evaluate_tree, leaves
from manipula.generation.results.model import Model
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.entry import ON_JOINTS
from manipula.mechanics.spatial.floats import FLOATS
from tests.formula_data import worth

TRICKS = {"atan2", "sqrt"}
FORMS = ("factored", "expanded")
SMALL = (
    "pose", "frames", "transforms", "jacobian", "jacobian_tool", "jacobian_dot", "inverse_dynamics", "newton_euler",
    "lagrange_terms", "inertia_matrix", "coriolis", "coriolis_matrix", "gravity", "friction_parts", "energy",
    "energy_regressor", "joint_wrenches", "regressor", "base_regressor",
)  # fmt: skip
ODD = ("x", "c1", "L_2", "beta", "S", "n0")  # names that mean something else, or nothing


def symbolic_arm(seed: int) -> mp.Robot:
    """2 to 4 rows, some fixed, sliding or screws; lengths, twists, masses, centres and tensors are letters."""
    rng = random.Random(seed)
    moving = rng.randint(1, 3)
    kinds = ["revolute"] * moving + [rng.choice(["prismatic", "fixed", "helical", "revolute"])]
    rng.shuffle(kinds)
    odd = rng.sample(ODD, len(kinds))
    rows = []
    for i, (kind, name) in enumerate(zip(kinds, odd), 1):
        a, d = rng.choice((0, f'"l{i}"', f'"{name}"')), rng.choice((0, 0, f'"d{i}"'))
        alpha = rng.choice((0, 0, 90, -90, f'"al{i}"'))
        rows.append(f'[[joint]]\ntype = "{kind}"\ntheta = 0\nd = {d}\na = {a}\nalpha = {alpha}\n')
        rows.append(f'pitch = "h{i}"\n' if kind == "helical" else "")
        rows.append(f'mass = "m{i}"\n' if kind == "fixed" else "")
    g = ", ".join(rng.choice(("0", '"-g"', "-9.81")) for _ in range(3))
    head = f'format = 1\nname = "arm{seed}"\nconvention = "standard"\nangle = "deg"\ngravity = [{g}]\n'
    return mp.Robot.from_text(head + "".join(rows))


def checked(model: Model, form: str, seed: int) -> list[FormulaTree]:
    """No root or angle of parameters in what is written, and the value of the optimised function.

    At floats; and in the field where the function has no roots.
    """
    printed, function = model.equations(form), model.function
    trees = [tree for _, tree in printed.lines]
    assert [(left, "".join(terms)) for left, terms in printed.summands("latex")] == printed.texts("latex")
    found = {leaf.op for leaf in leaves(trees) if isinstance(leaf, FormulaCall)} & TRICKS
    assert not found, (model.name, form, found)
    rng = random.Random(f"values {seed}")
    names = {name for names in model.inputs.values() for name in names}
    names |= {leaf.name for leaf in leaves(trees) if isinstance(leaf, Symbol)}
    symbols = {name: rng.uniform(0.3, 1.2) for name in sorted(names)}
    meant = [x for values in function(symbols, FLOATS).values() for x in values]
    for tree, value in zip(trees, meant, strict=True):
        assert isclose(evaluate_tree(tree, symbols, FLOATS), value, rel_tol=1e-8, abs_tol=1e-8)
    for terms, value in zip(printed.terms(), meant, strict=True):  # as a page computes with them
        assert isclose(sum(worth(term, symbols) for term in terms), value, rel_tol=1e-8, abs_tol=1e-8)
    if TRICKS.isdisjoint(node.op for node in topological(function.roots)):
        maths = FieldMaths(f"forms {seed}")
        drawn = {name: maths.symbol(name) for name in names}
        exact = [x.value for values in function(drawn, maths).values() for x in values]
        assert [evaluate_tree(tree, drawn, maths).value for tree in trees] == exact
    return trees


QUICK = (1, 2, 3, 4)


@pytest.mark.turn
@pytest.mark.parametrize(
    "seed", [*QUICK, *(pytest.param(s, marks=pytest.mark.slow) for s in range(60) if s not in QUICK)]
)
def test_forms_of_random_arms_are_those_of_a_book(seed: int) -> None:
    arm, rng = symbolic_arm(seed), random.Random(f"models {seed}")
    for name in rng.sample(SMALL, 3):
        model = mp.generate(arm, name)
        for form in FORMS:
            with suppress(mp.SizeError):
                checked(model, form, seed)


def turned() -> mp.Robot:
    """Two links whose mass lies anywhere: the optimised gravity turns the last one to its mass."""
    return mp.Robot.from_dh([(0, 0, "l1", 0), (0, 0, "l2", 0)], angle="deg").with_gravity(0, "-g", 0)


def test_gravity_of_two_links_is_printed_as_books_do() -> None:
    model = mp.generate(turned(), "gravity")
    assert not TRICKS.isdisjoint(node.op for node in topological(model.function.roots))  # else this shows nothing
    assert dict(model.equations("factored"))["g2"] == "g*m2*(c12*(l2 + rx2) - ry2*s12)"
    assert dict(model.equations("expanded"))["g2"] == "g*l2*m2*c12 + g*m2*rx2*c12 - g*m2*ry2*s12"
    assert "atan2" not in model.latex() and "sqrt" not in model.latex()
    assert "atan2" in str(model.equations("auxiliary"))  # what runs


def test_parts_of_a_model_and_several_at_once_are_plain_too() -> None:
    model = mp.generate(turned(), "gravity")
    assert str(model.only("g[2]").equations("factored")).startswith("g2 = g*m2*(c12*(l2 + rx2) - ry2*s12)\n")
    both = mp.generate(turned(), ["gravity", "jacobian"])
    assert dict(both.equations("factored"))["gravity_g2"] == "g*m2*(c12*(l2 + rx2) - ry2*s12)"
    assert dict(both.only("jacobian_J[1,2]").equations("factored"))["jacobian_J12"] == "-l2*s12"
    assert pickle.loads(pickle.dumps(both)).equations("factored").lines == both.equations("factored").lines


def test_wrench_and_frame_are_in_the_plain_form() -> None:
    pushed = mp.generate(turned(), "inverse_dynamics", wrench=True)
    assert "fx" in {leaf.name for leaf in leaves(checked(pushed, "factored", 1)) if isinstance(leaf, Symbol)}
    assert checked(pushed, "expanded", 1)


@pytest.mark.turn
@pytest.mark.parametrize("law", ["pd_gravity", "computed_torque"])
def test_a_law_is_written_around_plain_models(law: str) -> None:
    made = mp.controller(turned(), law, kp=9, kd=6, sample=1e-3)
    trees = checked(made, "factored", 2)
    assert [tree for _, tree in pickle.loads(pickle.dumps(made)).equations("factored").lines] == trees


def test_halves_of_a_split_are_written_as_they_are() -> None:
    """k1, k2 … are what runs; no book has them."""
    offline, online = mp.generate(turned(), "gravity").split()
    assert "k1" in str(online.equations("factored"))
    assert "atan2" in str(offline.equations("factored"))


@pytest.mark.turn
def test_sympy_has_sums_of_angles_and_no_tricks() -> None:
    sympy = pytest.importorskip("sympy")
    a1, a2, q1, q2 = sympy.symbols("a1 a2 q1 q2", real=True)
    J = mp.generate("scara", "jacobian").to_sympy()["J"]
    assert J[0, 0] == -a1 * sympy.sin(q1) - a2 * sympy.sin(q1 + q2)
    tau: Any = mp.generate("scara", "inverse_dynamics").to_sympy()["tau"]
    assert not tau.has(sympy.atan2) and not tau.has(sympy.sqrt)


def test_plain_texts_want_no_frames_moved() -> None:
    """The first method of a model runs on the arm as it is described."""
    assert all(next(iter(model.methods)) not in ON_JOINTS for model in MODELS.values())
