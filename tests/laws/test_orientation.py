"""Orientations and coordinates there and back, at and near every singularity; nothing leaks from an arm not taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.maths import ExprMaths, jacobian
from manipula.algebra.expr.node import Graph
from manipula.errors import UnknownNameError
from manipula.mechanics.models.kinematics import orientation
from manipula.mechanics.models.kinematics.orientation import (
    SEQUENCES,
    THREE_AXES,
    angles_from_matrix,
    matrix_from_angles,
    matrix_from_quaternion,
    quaternion_from_matrix,
)
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.vector import Matrix

TURN = st.floats(-math.pi, math.pi)
EXPONENT = st.sampled_from([0.0, *(10.0**k for k in range(-18, -3))])
NEAR = st.builds(
    lambda quarter, tiny, sign: quarter * math.pi / 2 + sign * tiny,
    st.integers(-2, 2),
    EXPONENT,
    st.sampled_from([-1, 1]),
)
ANGLE = TURN | NEAR
LENGTH = st.floats(-10, 10) | st.sampled_from([0.0, 1e-160, -1e-12, 1e-5])
NEAR_LOCK = 3e-12
QUICK = settings(deadline=None, max_examples=60)  # no clock in a test


def distance(A: Matrix, B: Matrix) -> float:
    return float(np.abs(np.array(A, dtype=float) - np.array(B, dtype=float)).max())


def lock_distance(sequence: str, middle: float) -> float:
    """How far the outer axes are from falling together."""
    return abs(math.cos(middle)) if sequence in THREE_AXES else abs(math.sin(middle))


def test_there_are_twelve_sequences() -> None:
    assert len(set(SEQUENCES)) == 12 and all(s[0] != s[1] != s[2] for s in SEQUENCES)


# Euler parameters


@QUICK
@given(st.tuples(ANGLE, ANGLE, ANGLE))
def test_quaternion_there_and_back(angles: tuple[float, float, float]) -> None:
    R = matrix_from_angles(angles, "zyz", FLOATS)
    e = quaternion_from_matrix(R, FLOATS)
    assert e[0] >= 0
    assert math.hypot(*e) == pytest.approx(1, abs=1e-14)
    assert distance(matrix_from_quaternion(e), R) < 1e-14


@QUICK
@given(st.tuples(*[st.floats(-1, 1)] * 4))
def test_quaternion_is_the_one_scipy_finds(e: tuple[float, float, float, float]) -> None:
    assume(math.hypot(*e) > 0.1)
    turn = Rotation.from_quat([*e[1:], e[0]])
    ours = quaternion_from_matrix(tuple(map(tuple, turn.as_matrix())), FLOATS)  # type: ignore[arg-type]
    x, y, z, w = turn.as_quat()
    assert min(np.abs(np.array(ours) - s * np.array([w, x, y, z])).max() for s in (1, -1)) < 1e-14


@pytest.mark.parametrize("axis", range(3))
def test_half_turns_have_a_positive_axis(axis: int) -> None:
    R = tuple(tuple((1 if i == axis else -1) if i == j else 0 for j in range(3)) for i in range(3))
    assert quaternion_from_matrix(R, FLOATS) == tuple(float(k == axis + 1) for k in range(4))  # type: ignore[arg-type]


# Euler angles


@pytest.mark.parametrize("sequence", SEQUENCES)
@QUICK
@given(angles=st.tuples(ANGLE, ANGLE, ANGLE))
def test_angles_there_and_back(sequence: str, angles: tuple[float, float, float]) -> None:
    R = matrix_from_angles(angles, sequence, FLOATS)
    found = angles_from_matrix(R, sequence, FLOATS)
    assert distance(matrix_from_angles(found, sequence, FLOATS), R) < NEAR_LOCK
    low, high = (-math.pi / 2, math.pi / 2) if sequence in THREE_AXES else (0, math.pi)
    assert low - 1e-15 <= found[1] <= high + 1e-15


@pytest.mark.parametrize("sequence", SEQUENCES)
@QUICK
@given(angles=st.tuples(TURN, TURN, TURN))
def test_angles_are_those_scipy_means(sequence: str, angles: tuple[float, float, float]) -> None:
    R = matrix_from_angles(angles, sequence, FLOATS)
    turn = Rotation.from_euler(sequence.upper(), angles)
    assert distance(R, turn.as_matrix()) < 1e-14
    assume(lock_distance(sequence, angles[1]) > 1e-3)
    gap = np.array(angles_from_matrix(R, sequence, FLOATS)) - turn.as_euler(sequence.upper())
    assert np.abs(np.remainder(gap + math.pi, 2 * math.pi) - math.pi).max() < 1e-11


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("side", [0, 1])
def test_at_gimbal_lock_the_first_angle_is_zero(sequence: str, side: int) -> None:
    middle = (math.pi / 2, -math.pi / 2)[side] if sequence in THREE_AXES else (0.0, math.pi)[side]
    R = matrix_from_angles((0.7, middle, 0.4), sequence, FLOATS)
    first, second, third = angles_from_matrix(R, sequence, FLOATS)
    assert first == 0 and second == pytest.approx(middle)
    assert min(abs(third - total) for total in (1.1, -0.3, 0.3)) < 1e-12


@QUICK
@given(st.tuples(ANGLE, ANGLE, ANGLE))
def test_bryant_and_roll_pitch_yaw(angles: tuple[float, float, float]) -> None:
    for sequence, found in (("XYZ", orientation.bryant_from_matrix), ("xyz", orientation.rpy_from_matrix)):
        R = Rotation.from_euler(sequence, angles).as_matrix()
        assert distance(Rotation.from_euler(sequence, found(R, FLOATS)).as_matrix(), R) < NEAR_LOCK


@pytest.mark.parametrize(
    ("sequence", "near"),
    [("xxz", "'zxz'"), ("xy", "'zxy'"), ("XYZ", "'xyz'"), ("xyzx", "'yzx'"), ("", "xyz, xzy, .*zyz")],
)
def test_an_unknown_sequence_names_a_near_one_or_all(sequence: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=near):
        matrix_from_angles((0, 0, 0), sequence, FLOATS)


# coordinates


@QUICK
@given(st.tuples(LENGTH, LENGTH, LENGTH))
def test_coordinates_there_and_back(p: tuple[float, float, float]) -> None:
    rho, phi, z = orientation.cylindrical_from_cartesian(p, FLOATS)
    assert rho >= 0 and z == p[2]
    assert (rho * math.cos(phi), rho * math.sin(phi), z) == pytest.approx(p, abs=1e-14)
    r, polar, azimuth = orientation.spherical_from_cartesian(p, FLOATS)
    assert r == pytest.approx(math.hypot(*p), rel=1e-14, abs=1e-149) and 0 <= polar <= math.pi and azimuth == phi
    assert (r * math.sin(polar), r * math.cos(polar)) == pytest.approx((rho, z), abs=1e-14)


def test_known_points() -> None:
    assert orientation.cylindrical_from_cartesian((0.0, 0.0, 2.0), FLOATS) == (0, 0, 2)
    assert orientation.cylindrical_from_cartesian((-0.0, 0.0, -0.0), FLOATS) == (0, 0, 0)
    assert orientation.spherical_from_cartesian((0.0, 0.0, 0.0), FLOATS) == (0, 0, 0)
    assert orientation.spherical_from_cartesian((0.0, 0.0, -3.0), FLOATS) == (3, math.pi, 0)
    assert orientation.spherical_from_cartesian((0.0, 2.0, 0.0), FLOATS) == pytest.approx((2, math.pi / 2, math.pi / 2))


# what must not leak


def functions() -> dict[str, Callable[[list[Any], Any], Any]]:
    def of_matrix(function: Callable[[Matrix, Any], Any]) -> Callable[[list[Any], Any], Any]:
        return lambda x, maths: function((tuple(x[:3]), tuple(x[3:6]), tuple(x[6:])), maths)

    angles = {s: of_matrix(lambda R, maths, s=s: angles_from_matrix(R, s, maths)) for s in SEQUENCES}  # type: ignore[misc]
    return {"quaternion": of_matrix(orientation.quaternion_from_matrix), **angles}


SINGULAR = [
    matrix_from_angles(x, "zyx", FLOATS) for x in ((0, 0, 0), (0.2, math.pi / 2, 0.3), (0, 0, math.pi), (math.pi, 0, 0))
]


@pytest.mark.parametrize("name", functions())
@pytest.mark.parametrize("R", SINGULAR)
def test_derivatives_of_orientations_are_finite_at_singular_places(name: str, R: Matrix) -> None:
    """Over expressions every arm is computed; a float division by zero or root of a negative would raise here."""
    check_slopes(functions()[name], [x for row in R for x in row])


@pytest.mark.parametrize("p", [[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [1e-200, 0.0, 0.0]])
@pytest.mark.parametrize("function", [orientation.cylindrical_from_cartesian, orientation.spherical_from_cartesian])
def test_derivatives_of_coordinates_are_finite_on_the_axis(function: Callable[..., Any], p: list[float]) -> None:
    check_slopes(function, p)


def check_slopes(function: Callable[[list[Any], Any], Any], point: list[float]) -> None:
    graph = Graph()
    symbols = [graph.symbol(f"x{k}", online=True) for k in range(len(point))]
    roots = list(function(list(symbols), ExprMaths(graph)))
    slopes = [entry for row in jacobian(roots, symbols) for entry in row]
    values = evaluate([*roots, *slopes], {f"x{k}": float(x) for k, x in enumerate(point)}, FLOATS)
    assert all(math.isfinite(value) for value in values)
    assert values[: len(roots)] == pytest.approx(list(function(point, FLOATS)), abs=1e-14)


@pytest.mark.parametrize("name", functions())
def test_nan_goes_in_and_comes_out(name: str) -> None:
    assert all(math.isnan(x) for x in functions()[name]([math.nan] * 9, FLOATS))


def test_nan_coordinates() -> None:
    for function in (orientation.cylindrical_from_cartesian, orientation.spherical_from_cartesian):
        assert all(math.isnan(x) for x in function((math.nan,) * 3, FLOATS))
