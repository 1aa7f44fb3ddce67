"""Edges of small functions: what is exactly met, alone, empty or zero; scales and mirror images that change nothing."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.program.linear_algebra import factorised, solved
from manipula.algebra.show.printer import Printer
from manipula.algebra.simplify.tree import (
    FormulaCall,
    FormulaNumber,
    FormulaTree,
    Power,
    Symbol,
    Trig,
    product_of,
    sum_of,
)  # fmt: skip
from manipula.errors import InputError
from manipula.generation.levels import enough_for
from manipula.identification.calibration.result import independent, why
from manipula.identification.estimators.prior import RADIUS, THINNEST, _prior_bodies, least_eigenvalue, sphere
from manipula.identification.excitation.motions import _assumed_ranges, kept_limits, room_from
from manipula.ik.singular_factors import solve_factor
from manipula.ik.without_closed_form import best_of, distinct
from manipula.mechanics.drawing.solids import frame_along, plain
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.exact import cos_sin, is_quarter
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.values.angles import Angles
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, ParameterOp, float_of, parameter_from_text
from manipula.mechanics.spatial.floats import FLOATS
from manipula.recordings.cells import DAY, stamps_from
from manipula.recordings.columns import Place, _entries_by_number
from manipula.recordings.log import PERIODS
from manipula.recordings.words import Meaning
from tests.random_robots import random_robot

# linear algebra of texts


@pytest.mark.parametrize("scale", [2.0**-60, 2.0**-3, 1.0, 2.0**40])
def test_elimination_does_not_depend_on_the_unit(scale: float) -> None:
    rng = np.random.default_rng(4)
    for n in (1, 2, 5):
        A, b = rng.normal(size=(n, n)), rng.normal(size=(n, 2))
        plain_ratio, LU, order = (
            factorised(n, A.ravel().copy(), np.zeros(n, np.int64)),
            (scale * A).ravel(),
            np.zeros(n, np.int64),
        )
        assert factorised(n, LU, order) == pytest.approx(plain_ratio, rel=1e-12)
        assert abs(np.prod(np.diag(LU.reshape(n, n)) / scale)) == pytest.approx(abs(np.linalg.det(A)))
        x = b.ravel().copy()
        solved(n, 2, LU, order, x)
        np.testing.assert_allclose(x.reshape(n, 2) * scale, np.linalg.solve(A, b), rtol=1e-9)
    singular = scale * np.array([1.0, 2.0, 2.0, 4.0])
    assert factorised(2, singular, np.zeros(2, np.int64)) < 1e-15 and np.isfinite(singular).all()


# angles and numbers of files


@pytest.mark.parametrize("quarters", range(-5, 6))
def test_quarter_turns_are_exact_and_others_are_not(quarters: int) -> None:
    cos, sin = cos_sin(Deg(Fraction(90 * quarters)))
    exact = [round(math.cos(quarters * math.pi / 2)), round(math.sin(quarters * math.pi / 2))]
    assert [x.parameter for x in (cos, sin)] == [Num(Fraction(x)) for x in exact]
    for angle in (Num(Fraction(quarters)), Deg(Fraction(90 * quarters + 1)), ParameterOp("neg", (Name("a"),))):
        pair = [float_of(x.parameter, {"a": 0.7}) for x in cos_sin(angle)]
        value = float_of(angle, {"a": 0.7})
        assert pair == pytest.approx([math.cos(value), math.sin(value)])
        assert is_quarter(angle) == (angle == Num(Fraction(0)))


def test_powers_of_angles_and_of_nothing() -> None:
    a, b = Name("a"), Name("b")
    nothing = ParameterOp("-", (a, a))
    for base, exponent in [
        (x, n) for x in (a, ParameterOp("+", (a, b)), Num(Fraction(3)), nothing) for n in (-2, -1, 0, 1, 3)
    ]:
        power = ParameterOp("**", (base, Num(Fraction(exponent))))
        if base is nothing and exponent < 0:
            with pytest.raises(ZeroDivisionError, match="identically zero"):
                Angles({}).collect(power)
            continue
        for angle in (power, ParameterOp("*", (b, power)), ParameterOp("-", (power, b))):
            given = {"a": 0.7, "b": -1.3}
            plainly = float_of(base, given) ** exponent
            expected = plainly if angle is power else -1.3 * plainly if angle.op == "*" else plainly + 1.3
            assert float_of(Angles({}).collect(angle), given) == pytest.approx(expected)


def test_equal_products_have_one_form_as_far_as_powers_are_written_out() -> None:
    def form(text: str) -> Any:
        return Angles({}).form(parameter_from_text(text))

    for one, other in (
        ("a*b*a*a", "b*a**3"),
        ("(a*b)**2", "b**2*a**2"),
        ("a**60*a**40", "a**100"),
        ("a/a**4", "a**(-3)"),
    ):
        assert form(one) == form(other) and all(isinstance(atom, Name) for term in form(one) for atom, _ in term)
    for text in ("a**60*a**41", "a**(-60)/a**41"):
        assert form(text) == {frozenset({(parameter_from_text(text), 1)}): 1}


# times as text


def test_a_clock_passes_midnight_when_it_falls_by_more_than_half_a_day() -> None:
    hour = DAY // 24
    assert stamps_from(["23:00:00", "23:59:59.5", "00:00:01", "11:00:00"]) == [
        23 * hour, 24 * hour - 5 * 10**8, 24 * hour + 10**9, 35 * hour,
    ]  # fmt: skip
    assert stamps_from(["13:00:00", "01:00:00"]) == [13 * hour, hour]  # by half a day: not yet
    assert stamps_from(["13:00:00.000000001", "01:00:00"]) == [13 * hour + 1, 25 * hour]
    assert stamps_from(["20:00:00", "odd", "01:00:00"]) == [20 * hour, None, 25 * hour]
    assert stamps_from(["2026-01-02T23:00:00", "2026-01-02T01:00:00"]) == pytest.approx(
        [1767394800 * 10**9, 1767315600 * 10**9]
    )


# bodies


def test_the_edge_of_a_body_has_no_unit() -> None:
    rng = np.random.default_rng(1)
    root = np.tril(rng.normal(size=(4, 4)))
    P = root @ root.T
    for length, mass in ((1.0, 1.0), (1e-3, 1.0), (5.0, 0.01)):
        units = np.diag([length] * 3 + [1.0])
        assert least_eigenvalue(mass * units @ P @ units) == pytest.approx(least_eigenvalue(P))
    size = np.sqrt(np.trace(P[:3, :3]) / P[3, 3])
    units = np.diag([1 / size] * 3 + [1.0])
    assert least_eigenvalue(P) == pytest.approx(np.linalg.eigvalsh(units @ P @ units / P[3, 3])[0])
    odd = np.stack([P * np.outer([1, 1, 1, x], [1, 1, 1, x]) - y * np.eye(4) for x, y in ((0, 0), (0, 3), (1, 9))])
    np.testing.assert_allclose(least_eigenvalue(odd), np.linalg.eigvalsh(odd)[:, 0], atol=1e-12)  # no size: as they are


# calibration and excitation


def test_why_an_entry_is_left_as_it_was() -> None:
    names = ["a1", "a2", "a3", "a4", "a5", "a6"]
    shares = np.array([1.0, -2.0, 1e-7, 0.5, 1e-3, 3.0])
    every = range(6)
    assert why(every, np.zeros(6), names, "by this motion") == "moves nothing that is measured by this motion"
    assert why((), np.zeros(0), names, "") == "moves nothing that is measured"
    assert why(every, shares * [1, 0, 1, 0, 0, 0], names, "") == "does the same as a1"
    assert why((5, 3), np.array([1.0, 2.0]), names, "here") == "does the same as a6, a4 here"
    assert why((0, 1, 3, 5), np.ones(4), names, "here") == "does the same as a1, a2, a4, a6 here"
    assert why(every, shares, names, "here") == "does the same as a1, a2, a4, a5 … here"


def test_columns_are_taken_in_the_order_that_is_asked() -> None:
    rng = np.random.default_rng(0)
    J = rng.normal(size=(9, 5)) * [1, 1e3, 1, 1e-4, 1]
    J[:, 2], J[:, 4] = 2 * J[:, 0] - J[:, 1], 0
    taken, left = independent(J, range(5), 1e-8)
    assert taken == [0, 1, 3] and left.keys() == {2, 4}
    np.testing.assert_allclose(left[2], [2, -1], atol=1e-9)
    assert left[4].tolist() == [0, 0, 0]
    taken, left = independent(J, [4, 3, 2, 1, 0], 1e-8)
    assert taken == [3, 2, 1] and left[4].shape == (0,)
    np.testing.assert_allclose(left[0], [0, 0.5, 0.5], atol=1e-9)


def _limited(*pairs: tuple[str, Any]) -> mp.Robot:
    rows = [
        {"theta": 0, "d": 0, "a": 0.3, "alpha": 0, "type": kind, **({} if limits is None else {"limits": limits})}
        for kind, limits in pairs
    ]
    return mp.Robot.from_dh(rows, angle="rad", name="limited")


TURN, SLIDE = "revolute", "prismatic"


def test_ranges_of_a_motion_where_the_file_says_little() -> None:
    low, high = np.array([-1.0, -np.inf, -np.inf, -0.5]), np.array([np.inf, 2.0, np.inf, 0.5])
    known: Any = SimpleNamespace(lower=low, upper=high)
    names = [f"joint{k}" for k in range(1, 5)]
    for turns, wide, word in ((True, math.pi, "turn ±π rad"), (False, 1.0, "slide ±1 m")):
        notes = list[str]()
        lower, upper = _assumed_ranges(known, np.full(4, turns), names, notes)
        np.testing.assert_allclose(lower, [-1, 2 - 2 * wide, -wide, -0.5])
        np.testing.assert_allclose(upper, [2 * wide - 1, 2, wide, 0.5])
        assert notes == [
            f"joint3: no position limits in the file; a {word} is used",
            "joint1, joint2: one position limit in the file; 2π rad or 2 m from there are used",
        ]
    kept = kept_limits(_limited((TURN, None), (SLIDE, None)), None)
    np.testing.assert_allclose([kept.lower, kept.upper], [[-math.pi, -1], [math.pi, 1]])
    assert [note.partition(";")[0] for note in kept.notes] == [
        "joint1: no position limits in the file", "joint2: no position limits in the file",
        "all joints: no velocity limit in the file", "no acceleration limit is known",
    ]  # fmt: skip
    np.testing.assert_allclose(kept.middle, 0)
    np.testing.assert_allclose(kept.reach, 0.95 * kept.upper)
    kept = kept_limits(_limited((TURN, [-1, 3]), (SLIDE, [0, 2])), None)
    assert [*kept.lower, *kept.upper, *kept.middle] == [-1, 0, 3, 2, 1, 1] and "position" not in str(kept.notes)
    plainly = {"theta": 0, "d": 0, "a": 0.3, "alpha": 0}
    partly = kept_limits(mp.Robot.from_dh([plainly, {**plainly, "velocity_limit": 1.5}, plainly], angle="rad"), None)
    assert [note for note in partly.notes if "velocity" in note] == [
        "joint1, joint3: no velocity limit in the file; 2 rad/s or m/s is kept"
    ]
    assert partly.velocity.tolist() == [2, 1.5, 2]
    asked = {"position": [[-1, 1], [0, 2]], "velocity": 3, "acceleration": [4, 5], "effort": 6}
    kept = kept_limits(_limited((TURN, None), (SLIDE, None)), asked)
    assert not kept.notes and kept.asked == asked.keys()
    assert kept.as_dict() == {
        "position": [[-1, 1], [0, 2]],
        "velocity": [3, 3],
        "acceleration": [4, 5],
        "effort": [6, 6],
    }
    with pytest.raises(InputError, match=r"limits: joint2 has no room to move between 2 and 2$"):
        kept_limits(_limited((TURN, None), (SLIDE, None)), {"position": [[-1, 1], [2, 2]]})
    box = [[0, 1], [2, 3], [4, 5]]
    one, other = room_from(box), room_from({"keep_in": box, "keep_out": None})
    assert one is not None and one.without is not None and one.without.tolist() == box and np.isinf(one.within).all()
    assert other is not None and other.without is None and other.within.tolist() == box
    assert room_from(None) is None and room_from({"keep_in": None}) is None


# zeros of factors


def _value(tree: FormulaTree, given: dict[str, float]) -> float:
    """By hand, of the trees that solutions are made of."""
    kind = type(tree).__name__
    if kind == "FormulaNumber":
        return float(tree.value)  # type: ignore[union-attr]
    if kind == "Symbol":
        return math.pi if tree.name == "pi" else given[tree.name]  # type: ignore[union-attr]
    inner = getattr(tree, "terms", None) or getattr(tree, "factors", None) or getattr(tree, "arguments", None)
    if kind == "Sum":
        return sum(_value(x, given) for x in inner)
    if kind == "FormulaProduct":
        return math.prod(_value(x, given) for x in inner)
    if kind == "Power":
        return _value(tree.base, given) ** tree.exponent  # type: ignore[union-attr]
    if kind == "Inverse":
        return 1 / _value(next(iter(vars_of(tree))), given)
    name, *parts = vars_of(tree)
    return float(getattr(math, str(name))(*(_value(x, given) for x in parts[0])))


def vars_of(tree: Any) -> tuple[Any, ...]:
    return tuple(getattr(tree, name) for name in tree.__dataclass_fields__)


def test_the_zeros_of_a_factor_are_its_zeros() -> None:
    """A cos q + B sin q + C, as numbers and as letters: two zeros that are apart."""
    q = Symbol("q1", True)
    shapes = ((0, 3, 0), (2, 0, 0), (2, 3, 0), (0, 3, 2), (4, 0, -3), (2, 3, 1), (-2, 3, -1.5))
    for (A, B, C), lettered in product(shapes, (False, True)):
        given = {"u": A, "v": B, "w": C}
        letters = {name: Symbol(name, False) for name in given}
        parts = [letters[k] if lettered else FormulaNumber(Fraction(str(x))) for k, x in given.items() if x]
        trig = [Trig("cos", ((q, 1),))] * bool(A) + [Trig("sin", ((q, 1),))] * bool(B)
        terms = [product_of([x, y]) for x, y in zip(parts, trig, strict=False)] + parts[len(trig) :]
        found = solve_factor(sum_of(terms))
        assert found is not None and found[0] == q and len(found[1]) == 2
        zeros = [_value(x, given) for x in found[1]]
        for x in zeros:
            assert A * math.cos(x) + B * math.sin(x) + C == pytest.approx(0, abs=1e-12)
        assert abs(math.remainder(zeros[0] - zeros[1], 2 * math.pi)) > 1e-3
    slide = sum_of([product_of([FormulaNumber(Fraction(3)), q]), FormulaNumber(Fraction(-2))])
    solution = solve_factor(slide)
    assert solution is not None and [_value(x, {}) for x in solution[1]] == pytest.approx([2 / 3])


# the nearest of many ends


def test_the_best_end_has_plain_angles_where_its_limits_allow() -> None:
    turn = 2 * math.pi
    solver: Any = SimpleNamespace(
        turning=np.array([True, True, True, False]), low=np.array([-9.0, 5.0, -9, -9]), high=np.array([9.0, 9.0, -4, 9])
    )
    ends: Any = SimpleNamespace(
        distance=np.array([0.5, 0.2, 0.3]), q=np.array([[0.0] * 4, [7.0, 7.0, -7.0, 7.0], [1.0] * 4])
    )
    q, distance = best_of(solver, ends)
    np.testing.assert_allclose(q, [7 - turn, 7, -7, 7])
    assert distance == 0.2


# drawing


def test_frames_along_an_axis_are_rotations() -> None:
    rng = np.random.default_rng(3)
    for axis in (*np.eye(3), *-np.eye(3), *rng.normal(size=(6, 3))):
        T = frame_along(axis, (1, 2, 3))
        np.testing.assert_allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-12)
        assert np.linalg.det(T[:3, :3]) == pytest.approx(1) and T[3].tolist() == [0, 0, 0, 1] == [*T[3]]
        np.testing.assert_allclose(T[:3, 2], axis / np.linalg.norm(axis), atol=1e-12)
        near = np.eye(3)[0 if abs(T[0, 2]) < 0.9 else 1]
        assert T[:3, 0] @ near > 0 and abs(T[:3, 1] @ near) < 1e-12 and T[:3, 3].tolist() == [1, 2, 3]
        assert frame_along(axis)[:3, 3].tolist() == [0, 0, 0]
    assert plain([1.0, 1e-12, -2.00000000001]) == [1.0, 0.0, -2.0] and plain(0.0) == 0.0
    assert plain([1e-5, 123.4567894]) == [plain([1e-5, 123.4567894])[0], pytest.approx(123.456789, abs=1e-3)]


# printed forms


def test_brackets_stand_under_a_power_where_they_must() -> None:
    x, y = Symbol("x", False), Symbol("y", False)
    bare = {
        "x": x, "3": FormulaNumber(Fraction(3)), "sqrt(x)": FormulaCall("sqrt", (x,)),
        "atan2(x, y)": FormulaCall("atan2", (x, y)),
    }  # fmt: skip
    printer = Printer()
    for text, tree in bare.items():
        assert printer.text(tree) == text
        assert printer.text(Power(tree, 2)) == f"{text}{printer.text(Power(x, 2)).removeprefix('x')}"
        assert printer.text(product_of([y, tree])) in (f"y*{text}", f"{text}*y")
    for tree in (
        sum_of([x, y]),
        product_of([x, y]),
        FormulaNumber(Fraction(-2)),
        FormulaNumber(Fraction(1, 3)),
        Power(x, 3),
    ):
        assert printer.text(Power(tree, 2)).startswith(f"({printer.text(tree)})")


# configurations and columns


def test_configurations_that_are_the_same_are_counted_once() -> None:
    turning, turn = np.array([True, False]), 2 * math.pi
    q = np.array([[0.1, 0.2], [0.1 + turn, 0.2], [0.1, 0.2 + turn], [0.5, 0.2], [0.1 - turn, 0.2], [0.5, 0.2]])
    assert distinct(q, turning).tolist() == q[[0, 2, 3]].tolist()
    assert distinct(q[:1], turning).tolist() == q[:1].tolist() and len(distinct(q[:0], turning)) == 0
    assert distinct(q[:2], turning).tolist() == q[:1].tolist()


def test_a_head_is_read_by_every_number_in_it() -> None:
    meaning = Meaning("q", "rad", "position", ("axis", "1", "left", "2", "raw"))
    found = [*_entries_by_number(Place(3), meaning, "", True)]
    assert [(x.family, x.number) for x in found] == [
        (("axis", "#", "left", "2", "raw"), 1), (("axis", "1", "left", "#", "raw"), 2),
    ]  # fmt: skip
    assert {(x.place, x.quantity, x.unit, x.word, x.joint) for x in found} == {(Place(3), "q", "rad", "position", "")}
    wordy = Meaning("q", "rad", "position", ("left", "elbow"))
    assert not [*_entries_by_number(Place(3), wordy, "", True)]
    assert [x.joint for x in _entries_by_number(Place(3), wordy, "", False)] == ["left_elbow"]
    assert [x.joint for x in _entries_by_number(Place(3), wordy, "own", False)] == ["own"]


@pytest.mark.parametrize("reach", [0.0, 0.5, 2.0])
def test_a_believed_body_is_no_rod(reach: float) -> None:
    """Its mass and its centre stay; as thick as an arm of this reach has them."""
    names = ["Lxx", "Lxy", "Lxz", "Lyy", "Lyz", "Lzz", "mx", "my", "mz", "m"]
    columns: Any = [SimpleNamespace(name=name) for name in names]
    rod = dict(
        zip(names, (0.0, 0.0, 0.0, 1.5, 0.0, 1.5, 0.9, 0.0, 0.0, 3.0), strict=True)
    )  # along x, its middle at 0.3
    gram = np.eye(11)[None, None]
    grams: Any = SimpleNamespace(gram=gram)
    bodies = np.arange(10)[None]
    (P,) = _prior_bodies(columns, bodies, grams, "robot", rod, reach)
    radius = THINNEST * (reach or 1.0)
    assert P[3].tolist() == pytest.approx([0.9, 0, 0, 3.0])
    np.testing.assert_allclose(P[:3, :3], np.diag([1.5, 3 * radius**2, 3 * radius**2]), atol=1e-12)
    (ball,) = _prior_bodies(columns, bodies, grams, None, rod, reach)
    np.testing.assert_allclose(ball, sphere(ball[3, 3], RADIUS * (reach or 1.0)))
    assert _prior_bodies(columns, bodies, grams, "robot", {**rod, "m": -1.0}, reach)[0].tolist() == ball.tolist()
    assert _prior_bodies(columns, bodies, grams, "robot", {"m": 1.0}, reach)[0].tolist() == ball.tolist()


# bodies that ride on others


@pytest.mark.parametrize("seed", range(4))
def test_a_link_weighs_what_its_parts_weigh_where_they_are(seed: int) -> None:
    robot = mp.Robot.of(random_robot(seed, joints="RFFRF")).with_payload(1.5, com=(0.1, 0.2, 0.3))
    chain = merge_fixed(bind(robot, FLOATS, {}))
    assert sum(len(link.parts) for link in chain.links) > len(chain.links)
    for link in chain.links:
        parts = [part.inertia.seen_from(part.at) for part in link.parts]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        np.testing.assert_allclose(_entries(link.inertia), _entries(total), atol=1e-12)


def _entries(body: Any) -> list[float]:
    return [float(x) for x in (body.m, *body.s, *np.ravel(body.I))]


def test_powers_of_zero() -> None:
    assert [parameter_from_text(f"0**{n}") for n in (0, 1, 3)] == [Num(Fraction(1)), Num(Fraction(0)), Num(Fraction(0))]
    for text in ("0**(-1)", "0**(-100)", "1/0", "(1 - 1)**(-2)"):
        with pytest.raises(InputError, match="divides by zero"):
            parameter_from_text(text)
    assert parameter_from_text("2**100") == Num(Fraction(2**100)) and parameter_from_text("2**(-100)") == Num(
        Fraction(1, 2**100)
    )
    for text in ("2**101", "2**(-101)", "2**0.5"):
        with pytest.raises(InputError, match="an exponent must be a whole number of at most 100"):
            parameter_from_text(text)


# parts of a recording


def test_a_filter_takes_the_parts_that_are_long_beside_its_period() -> None:
    rate = 100.0
    t = np.concatenate([np.arange(0, 3, 1 / rate), 5 + np.arange(0, 1, 1 / rate)])
    log = mp.Log(t, np.sin(t)[:, None], np.cos(t)[:, None])
    assert [round(part.duration, 6) for part in log.parts()] == [2.99, 0.99]
    for cutoff in (0.5, 2.0, 2.9, 3.1, 4.0, 9.0, 50.0):
        long = [part.duration for part in log.parts() if part.duration >= PERIODS / cutoff]
        parts = log.parts_for(cutoff)
        assert [part.duration for part in parts] == (long or [2.99, 0.99]) or not long
        told = f"1 stretches shorter than {PERIODS:g} periods of the filter, {PERIODS / cutoff:.2g} s, are left out"
        assert [told in part.notes for part in parts] == [len(long) == 1] * len(parts)


# how long a search goes on


def test_a_search_of_much_is_no_longer_than_of_some() -> None:
    """Of few operations each gets as many moves; of many the moves, which then take longer, become fewer."""
    few, many = [1, 2, 50, 100], [2000, 20_000, 10**6]
    assert enough_for(0) == enough_for(1) > 0
    assert {enough_for(n) / n for n in few} == {enough_for(1)}
    taken = [n * enough_for(n) for n in many]
    assert max(taken) == pytest.approx(min(taken), rel=1e-4)
    assert all(n * enough_for(n) <= max(taken) for n in range(1, 1000))
