"""What moves: the map from coordinates to joints, its transpose, rows that follow rows, limits, and steps."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from math import inf
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.entry import Block, Result, states, wire_blocks
from manipula.mechanics.models.integrate.discretisation import METHODS, discretise
from manipula.mechanics.models.integrate.sliding_motion import StepLimits as Stops
from manipula.mechanics.models.integrate.stick import stick_slip_step
from manipula.mechanics.robot.coordinates import Coordinate, Coordinates, coordinates_from, own_coordinate
from manipula.mechanics.spatial.floats import FLOATS
from manipula.scalar import Rate
from manipula.simulation.plant import stepping_of
from tests.laws.test_coupled import free_and_coupled

FACTORS = tuple(Fraction(p, q) for p in (-5, -2, -1, 1, 3) for q in (1, 2, 3, 4, 7, 12))
SEEDS = range(20)


def drawn(seed: int) -> tuple[Coordinates, dict[str, Coordinate]]:
    """Joints a, b, … of which some follow one, two or three of the others."""
    rng = random.Random(f"coordinates {seed}")
    names = "abcdefg"[: rng.randint(2, 7)]
    own = sorted(rng.sample(names, rng.randint(1, len(names) - 1)))
    follows = {
        name: Coordinate(
            tuple((x, rng.choice(FACTORS)) for x in rng.sample(own, rng.randint(1, min(3, len(own))))),
            rng.choice((Fraction(0), Fraction(-2, 5))),
            rng.choice((Fraction(0), Fraction(90))),
        )
        for name in names
        if name not in own
    }
    return coordinates_from((name, name in "ace", follows.get(name)) for name in names), follows


def exact(rng: random.Random, count: int) -> list[Fraction]:
    return [Fraction(rng.randint(-30, 30), rng.randint(1, 9)) for _ in range(count)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_map_and_its_transpose_are_adjoint(seed: int) -> None:
    """Power is the same in joints and in coordinates, exactly; so are M, J and rows of a regressor."""
    moves, rng = drawn(seed)[0], random.Random(seed)
    rates, efforts = exact(rng, len(moves)), exact(rng, len(moves.joints))
    assert sum(a * b for a, b in zip(efforts, moves.spread(rates), strict=True)) == sum(
        a * b for a, b in zip(moves.gather(efforts), rates, strict=True)
    )
    S, _ = moves.affine
    A = np.array(exact(rng, len(S) ** 2), dtype=float).reshape(len(S), len(S))
    for found, meant in (
        (moves.gather_columns(A), A @ S),
        (moves.gather_rows(A), S.T @ A),
        (moves.gather_both(A), S.T @ A @ S),
    ):
        np.testing.assert_allclose(np.array(found, dtype=float), meant, rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_positions_are_those_of_the_rows_as_written(seed: int) -> None:
    moves, follows = drawn(seed)
    q = dict(zip(moves.names, np.random.default_rng(seed).normal(size=len(moves)), strict=True))
    S, offsets = moves.affine
    for name, found in zip(moves.joints, S @ list(q.values()) + offsets, strict=True):
        row = follows.get(name, own_coordinate(name))
        turn = float(row.constant) + np.deg2rad(float(row.degrees))
        assert found == pytest.approx(sum(float(k) * q[lead] for lead, k in row.terms) + turn, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_names_columns_and_parts_say_the_same_map(seed: int) -> None:
    moves, follows = drawn(seed)
    assert moves.followers == [name for name in moves.joints if name in follows]
    assert moves.names == tuple(name for name in moves.joints if name not in follows)
    assert moves.turns == tuple(name in "ace" for name in moves.names)
    by_row = {(row.joint, c): k for row in moves.rows for c, k in row.terms}
    by_column = {(moves.joints[i], c): k for c, column in enumerate(moves.columns) for i, k in column}
    assert by_row == by_column
    again = coordinates_from((name, name in "ace", follows.get(name)) for name in moves.joints)
    assert again == moves and again.of(moves.joints) == moves
    parts = moves.in_parts
    times = [Fraction(k, n) for a, b in zip(moves.rows, parts.rows) for (_, k), (_, n) in zip(a.terms, b.terms)]
    assert len(set(times)) == 1 and all(type(n) is int for row in parts.rows for _, n in row.terms)


@pytest.mark.parametrize("seed", SEEDS)
def test_some_of_the_joints_keep_the_coordinates(seed: int) -> None:
    moves, rng = drawn(seed)[0], random.Random(seed)
    some = rng.sample(moves.joints, rng.randint(1, len(moves.joints)))
    left, rates = moves.of(some), exact(rng, len(moves))
    whole = dict(zip(moves.joints, moves.spread(rates), strict=True))
    assert left.names == moves.names and left.spread(rates) == [whole[name] for name in left.joints]
    still = [0 if c in left.effective else rate for c, rate in enumerate(rates)]
    assert not any(left.spread(still)) and len(left.gather([Fraction(1)] * len(left.joints))) == len(moves)


def test_followers_of_followers_compose() -> None:
    """c = 2/3 b + 0.1 + 30°, b = −3/4 a + 1/7, d = b − c: all by a."""
    b = Coordinate((("a", Fraction(-3, 4)),), Fraction(1, 7))
    c = Coordinate((("b", Fraction(2, 3)),), Fraction(1, 10), Fraction(30))
    d = own_coordinate("b") + -1 * own_coordinate("c")
    through = c.through({"b": b})
    assert through == Coordinate((("a", Fraction(-1, 2)),), Fraction(1, 10) + Fraction(2, 21), Fraction(30))
    last = d.through({"b": b, "c": through})
    assert last == Coordinate((("a", Fraction(-1, 4)),), Fraction(1, 21) - Fraction(1, 10), Fraction(-30))
    assert d.through({"c": c}).through({"b": b}) == last  # in whichever order
    assert c.through({}) == c and own_coordinate("b").through({"b": b}) == b
    two = coordinates_from((("a", True, None), ("b", True, b), ("c", True, through)))
    assert two.spread([Fraction(4)]) == [4, -3, -2] and two.gather([0, 4, 4]) == [-5]


@pytest.mark.parametrize("seed", SEEDS)
def test_composition_is_the_product_of_the_maps(seed: int) -> None:
    """Joints x follow joints that follow: S of all is S of the first times S of the second."""
    moves, follows = drawn(seed)
    rng = random.Random(f"composition {seed}")
    terms = tuple((name, rng.choice(FACTORS)) for name in rng.sample(moves.joints, rng.randint(1, len(moves.joints))))
    whole = Coordinate(terms, Fraction(1, 3)).through(follows)
    rates = exact(rng, len(moves))
    joints = dict(zip(moves.joints, moves.spread(rates), strict=True))
    own = dict(zip(moves.names, rates, strict=True))
    assert sum(k * own[name] for name, k in whole.terms) == sum(k * joints[name] for name, k in terms)


def test_a_sign_goes_with_one_coordinate_whatever_the_factor() -> None:
    rows = {"b": Coordinate((("a", Fraction(-5, 4)),)), "c": Coordinate((("a", Fraction(2)), ("d", Fraction(1, 2))))}
    moves = coordinates_from((name, True, rows.get(name)) for name in "abcd")
    assert moves.spread_signs([1, -1]) == [1, -1, Fraction(3, 2), -1]
    assert [row.way for row in moves.rows] == [1, -1, 0, 1]


def test_structural_factors_are_ints_over_any_scalar() -> None:
    rows = {"b": Coordinate((("a", Fraction(-1)), ("c", Fraction(1, 2))))}
    moves = coordinates_from((name, True, rows.get(name)) for name in "abc")
    assert [type(k) for row in moves.rows for _, k in row.terms] == [int, int, Fraction, int]


def test_limits_of_joints_that_follow_one_coordinate_narrow_it() -> None:
    """b = −2 a + 1 within −3 … 5 leaves a in −2 … 2; c follows two and d nothing alone."""
    rows = {
        "b": Coordinate((("a", Fraction(-2)),), Fraction(1)),
        "c": Coordinate((("a", Fraction(1)), ("d", Fraction(1)))),
        "e": Coordinate((("d", Fraction(0)),)),
    }
    moves = coordinates_from((name, True, rows.get(name)) for name in "abcde")
    low, high = moves.limits([-9, -3, -1, -inf, 0], [1.5, 5, 1, inf, 0])
    assert low.tolist() == [-2, -inf] and high.tolist() == [1.5, inf]


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_add_up_and_none_leaves_everything(seed: int) -> None:
    moves, rng = drawn(seed)[0], random.Random(seed)
    q, a, b = (exact(rng, len(moves)) for _ in range(3))
    assert moves.move(q, [0] * len(q)) == q
    assert moves.move(moves.move(q, a), b) == moves.move(q, moves.move(a, b))


class Halved(Coordinates):
    """Coordinates of which a step takes half: no others move so, and a text that adds positions up itself is found."""

    def move(self, q: list[float], step: list[float]) -> list[float]:  # type: ignore[override]
        return [a + b / 2 for a, b in zip(q, step, strict=True)]


def gliding(coordinates: Coordinates | None) -> Block:
    """q̇ = v, v̇ = 0, with what `stick_slip_step` reads besides."""

    def text(maths: object, call: object, x: dict[str, list[float]]) -> dict[str, object]:
        n = len(x["q"])
        told = {"inertia": np.eye(n).tolist(), "push": [0.0] * n, "low": [0.0] * n, "high": [0.0] * n}
        return {"q_rate": list(x["qd"]), "qd_rate": [0.0] * n, "friction": [0.0] * n, **told}

    outputs = {"q_rate": Result("", "", Rate("q")), "qd_rate": Result("", "", Rate("qd"))}
    return Block("gliding", "", states("q", "qd"), outputs, text, (), coordinates)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_integrators_advance_positions_by_their_coordinates(method: str) -> None:
    moves = coordinates_from((name, True, None) for name in "ab")
    state = {"q": [0.25, -1.0], "qd": [2.0, -4.0], "sample": [0.5]}
    for coordinates, share in ((None, 1.0), (moves, 1.0), (Halved(*vars(moves).values()), 0.5)):
        free = Stops((False,) * 2, (None,) * 2, ((None, None),) * 2)
        for step in (
            discretise(gliding(coordinates), method=method),
            stick_slip_step(gliding(coordinates), free, method),
        ):
            found = step.text(FLOATS, None, state)  # type: ignore[arg-type]
            assert found["q_next"] == pytest.approx([0.25 + share, -1 - 2 * share], abs=1e-15)
            assert found["qd_next"] == pytest.approx(state["qd"], abs=1e-15)


@pytest.mark.parametrize("plant", [True, False])
def test_the_step_of_a_robot_has_its_coordinates(plant: bool) -> None:
    robot = mp.Robot.of(free_and_coupled(1, serial=True)[1])
    stepping = stepping_of(mp.Plant(robot, friction="none", effort=None) if plant else robot, "rk4")
    assert stepping.arm.coordinates == robot.coordinates and stepping.step(stepping.arm).coordinates is not None


def test_rows_are_read_in_the_room_of_robots_alone() -> None:
    """Models, uses and screens ask `robot.coordinates`; who reads a joint's own row has forgotten the others."""
    root = Path(mp.__file__).parent
    outside = (path for path in root.rglob("*.py") if "mechanics/robot/" not in path.as_posix())
    read = [path for path in outside if re.search(r"(?<!self)\.coordinate\b", path.read_text(encoding="utf-8"))]
    assert not read and re.search(r"(?<!self)\.coordinate\b", (root / "mechanics/robot/bind.py").read_text())


def test_a_law_around_an_arm_moves_the_arm_s_coordinates() -> None:
    moves = coordinates_from((name, True, None) for name in "ab")
    assert (
        wire_blocks("loop", "", {"law": Block("law", "", (), {}, no_text), "arm": gliding(moves)}, {}).coordinates
        == moves
    )


def no_text(maths: object, call: object, x: object) -> dict[str, object]:
    return {}
