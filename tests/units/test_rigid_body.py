"""One rigid body in its three forms: whatever is done to it, it is the body of the point masses it is made of."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from manipula.mechanics.spatial.inertia import (
    AxialMoments,
    InertiaTensor,
    Moments,
    RigidBody,
    Twist,
    axial_moments,
    body_from_com,
    momentum,
    rod,
    tensor_from_second_moments,
)
from manipula.mechanics.spatial.placement import Placement, turn_about
from manipula.mechanics.spatial.vector import (
    Vector,
    add,
    cross,
    matadd,
    matmul,
    outer,
    rotate,
    rotate_z,
    rotate_z_back,
    scale,
    transpose,
    turned_matrix,
)

Points = list[tuple[Any, Vector]]  # mass, place
FORMS: dict[str, Callable[[Any], Any]] = {
    "tensor": tensor_from_second_moments,
    "moments": Moments,
    "axial": axial_moments,
}
TURNS = ((Fraction(3, 5), Fraction(4, 5)), (Fraction(-5, 13), Fraction(12, 13)), (0, 1), (1, 0))


def draw(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(-9, 9), rng.randint(1, 5))


def vector(rng: random.Random) -> Vector:
    return (draw(rng), draw(rng), draw(rng))


def points(rng: random.Random) -> Points:
    return [(draw(rng), vector(rng)) for _ in range(rng.randint(0, 4))]


def body_of(masses: Points, form: str) -> RigidBody:
    """m = Σ m,  s = Σ m r,  K = Σ m r rᵀ"""
    m, s, K = Fraction(0), (0, 0, 0), ((0, 0, 0),) * 3
    for mass, r in masses:
        m, s, K = m + mass, add(s, scale(mass, r)), matadd(K, outer(scale(mass, r), r))
    return RigidBody(m, s, FORMS[form](K))


def numbers(body: RigidBody) -> tuple[Any, ...]:
    return body.m, tuple(body.s), body.I, body.K, body.J


def placement(rng: random.Random) -> Placement:
    at = Placement(p=vector(rng))
    for axis in "xyz":
        at = at @ turn_about(axis, *rng.choice(TURNS))
    return at


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(6))
def test_it_moves_as_its_points_do(form: str, seed: int) -> None:
    rng = random.Random(seed)
    masses, at, turn, shift = points(rng), placement(rng), rng.choice(TURNS), vector(rng)
    body = body_of(masses, form)
    seen = [(m, add(rotate(at.R, r), at.p)) for m, r in masses]
    spun = [(m, rotate_z(turn, r)) for m, r in masses]
    shifted = [(m, add(r, shift)) for m, r in masses]
    assert numbers(body.seen_from(at)) == numbers(body_of(seen, form))
    assert numbers(body.about_z(turn)) == numbers(body_of(spun, form))
    assert numbers(body.shift(shift)) == numbers(body_of(shifted, form))
    assert numbers(body.rotate(at.R)) == numbers(body.seen_from(Placement(at.R)))


@pytest.mark.parametrize("seed", range(4))
def test_bodies_of_any_two_forms_add(seed: int) -> None:
    rng = random.Random(seed)
    one, other = points(rng), points(rng)
    for a in FORMS:
        for b in FORMS:
            both = body_of(one, a) + body_of(other, b)
            assert numbers(both) == numbers(body_of(one + other, a))
            assert type(both.second) is type(body_of(one, a).second)


@pytest.mark.parametrize("form", FORMS)
def test_forms_are_views_of_one_body(form: str) -> None:
    body = body_of(points(random.Random(7)), form)
    assert isinstance(body.by_moments().second, Moments)
    assert isinstance(body.by_axial_moments().second, AxialMoments)
    assert numbers(body) == numbers(body.by_moments()) == numbers(body.by_axial_moments())


@pytest.mark.parametrize("form", FORMS)
def test_momentum_is_that_of_the_points(form: str) -> None:
    rng = random.Random(11)
    masses, twist = points(rng) or [(1, (1, 2, 3))], Twist(vector(rng), vector(rng))
    f: Vector = (0, 0, 0)
    n: Vector = (0, 0, 0)
    for m, r in masses:
        push = scale(m, add(twist.v, cross(twist.w, r)))
        f, n = add(f, push), add(n, cross(r, push))
    found = momentum(body_of(masses, form), twist)
    assert (found.f, found.n) == (f, n)


def test_from_the_centre_of_mass() -> None:
    """Two equal masses on a line, and a rod on z."""
    centre, half = (Fraction(1), Fraction(2), Fraction(3)), (0, 0, Fraction(1, 2))
    about = body_of([(1, half), (1, scale(-1, half))], "tensor")
    shifted = [(1, add(centre, half)), (1, add(centre, scale(-1, half)))]
    assert numbers(body_from_com(2, centre, about.I)) == numbers(body_of(shifted, "tensor"))
    assert rod(Fraction(1, 2)) == about.second == InertiaTensor(about.I)


@pytest.mark.parametrize("turn", TURNS)
def test_a_turn_about_z(turn: tuple[Any, Any]) -> None:
    rng = random.Random(3)
    A, a, R = (vector(rng), vector(rng), vector(rng)), vector(rng), turn_about("z", *turn).R
    assert rotate_z(turn, a) == rotate(R, a)
    assert rotate_z_back(turn, rotate_z(turn, a)) == a
    assert turned_matrix(turn, A) == matmul(matmul(R, A), transpose(R))
