"""References at the door: what is accepted, what is refused and how; tables written and read back."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.golden.sentences import Sentences

tr = mp.trajectory
LINE = ([0.0, 1.0], [1.0, -0.5])


def test_times_of_any_shape() -> None:
    ref = tr.quintic(*LINE, 2)
    assert ref.dof == 2
    assert ref.duration == 2.0
    for t in (0.3, 1, [0.1, 0.2, 0.3], np.zeros((4, 3)), np.zeros(0)):
        motion = ref(t)
        assert all(x.shape == (*np.shape(t), 2) for x in motion)
        assert motion._fields == ("q", "qd", "qdd")
    assert np.array_equal(ref([[0.5, 1.5]]).q[0, 1], ref(1.5).q)
    assert np.isnan(ref(np.nan).q).all()


@pytest.mark.parametrize("given", [([0, 1], [1, 0]), ((0, 1), np.array([1, 0])), (range(2), [np.float32(1), 0])])
def test_lists_ints_and_arrays_are_the_same(given: Any) -> None:
    assert np.array_equal(tr.quintic(*given, 1)(0.3).q, tr.quintic([0.0, 1.0], [1.0, 0.0], 1.0)(0.3).q)


def test_a_number_is_an_arm_of_one_joint() -> None:
    assert tr.quintic(0, 1, 1)(1).q.tolist() == [1.0]
    assert tr.trapezoid(0, 1, velocity=1, acceleration=2).dof == 1


@pytest.mark.parametrize(
    "ref",
    [
        tr.quintic([1, 2], [1, 2], 1),
        tr.trapezoid([1, 2], [1, 2], 1),
        tr.trapezoid([1, 2], [1, 2], velocity=1, acceleration=1),
        tr.jerk_limited([1, 2], [1, 2], 1, 1, 1),
        tr.spline([[1, 2], [1, 2]]),
    ],
    ids=lambda ref: f"{ref.name}-{ref.duration}",
)
def test_nowhere_to_go_is_rest(ref: Any) -> None:
    motion = ref(np.linspace(-1, 2, 7))
    assert (motion.q == [1, 2]).all()
    assert not motion.qd.any() and not motion.qdd.any()
    assert ref.model.provenance.proof


def test_ruckig_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruckig", None)
    with pytest.raises(mp.InputError, match=re.escape("pip install 'manipula[plan]'")):
        tr.ruckig([0], [1], 1, 1, 1)


def test_ruckig_refuses_in_a_sentence() -> None:
    pytest.importorskip("ruckig")
    rest = tr.ruckig([1, 2], [1, 2], 1, 1, 1)
    assert rest.duration == 0
    assert (rest([0, 1]).q == [1, 2]).all()
    with pytest.raises(mp.InputError, match="qd0 is of 1 joints, q0 of 2"):
        tr.ruckig([0, 0], [1, 2], 1, 1, 1, qd0=[1])
    with pytest.raises(mp.InputError, match="ruckig: "):
        tr.ruckig([0], [1], 1, 1, 1, qd1=[5])


def test_a_joint_that_stays_does_not_move_a_bit() -> None:
    start = [0.1 + 0.2, 1.0]
    for ref in (tr.quintic(start, [start[0], 2], 1), tr.jerk_limited(start, [start[0], 2], 1, 2, 3)):
        assert (ref(np.linspace(0, ref.duration, 101)).q[:, 0] == start[0]).all()


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "sizes": (lambda: tr.quintic([0, 1], [0, 1, 2], 1), "q0 is of 2 joints and q1 of 3"),
    "nan": (lambda: tr.quintic([0, np.nan], [0, 1], 1), "entry 2 is nan"),
    "inf": (lambda: tr.quintic([0, 1], [np.inf, 1], 1), "entry 1 is inf"),
    "words": (lambda: tr.quintic("home", [1], 1), "expected a position for each joint, found 'home'"),
    "complex": (
        lambda: tr.quintic(np.array([1j]), [1], 1),
        "expected a position for each joint, found array([0.+1.j])",
    ),
    "no time": (lambda: tr.quintic(*LINE, 1)(None), "expected times in seconds, found None"),
    "matrix": (lambda: tr.quintic(np.zeros((2, 2)), [1, 1], 1), "an array of shape (2, 2)"),
    "nothing": (lambda: tr.quintic([], [], 1), "an array of shape (0,)"),
    "zero duration": (lambda: tr.quintic(*LINE, 0), "above 0, found 0"),
    "negative duration": (lambda: tr.quintic(*LINE, -1), "above 0, found -1"),
    "nan duration": (lambda: tr.quintic(*LINE, float("nan")), "above 0, found nan"),
    "duration of a word": (lambda: tr.quintic(*LINE, "1 s"), "found '1 s'"),
    "no limits": (lambda: tr.trapezoid(*LINE), "expected a duration, or a limit of acceleration"),
    "no acceleration": (lambda: tr.trapezoid(*LINE, velocity=1), "a limit of acceleration"),
    "limit 0": (lambda: tr.trapezoid(*LINE, velocity=[1, 0], acceleration=1), "a limit is above 0, found 0"),
    "limit nan": (lambda: tr.jerk_limited(*LINE, 1, np.nan, 1), "acceleration: a limit is above 0, found nan"),
    "limit sizes": (lambda: tr.jerk_limited(*LINE, 1, 1, [1, 2, 3]), "a number or 2, one a joint, found an array"),
    "no jerk": (lambda: tr.jerk_limited(*LINE, 1, 1, np.inf), "a finite limit of jerk"),
    "too short": (lambda: tr.trapezoid([0], [1], 0.5, velocity=2), "more than 0.5 s, found 0.5"),
    "one point": (lambda: tr.spline([[0, 1]]), "at least two points, found one"),
    "flat points": (lambda: tr.spline([0, 1, 2]), "expected an array (points, dof)"),
    "ragged": (lambda: tr.spline([[0, 1], [2]]), "expected an array (points, dof)"),
    "times": (lambda: tr.spline([[0], [1], [2]], [0, 1]), "2 times for 3 points"),
    "times back": (lambda: tr.spline([[0], [1], [2]], [0, 1, 0.5]), "must increase; 1 is followed by 0.5 (time 3)"),
    "times again": (lambda: tr.spline([[0], [1], [2]], [0, 1, 1]), "must increase"),
    "point again": (lambda: tr.spline([[0], [1], [1]]), "point 3 is point 2 again"),
    "degree": (lambda: tr.spline([[0], [1]], degree=4), "expected 3 or 5, found 4"),
    "ends": (lambda: tr.spline([[0], [1]], ends="free"), "Known: rest, natural"),
    "fourier shapes": (lambda: tr.fourier([[1, 2]], [[1]], 1), "a is of shape (1, 2) and b of (1, 1)"),
    "fourier flat": (lambda: tr.fourier([1], [1], 1), "expected an array (harmonics, dof)"),
    "fourier base": (lambda: tr.fourier([[1]], [[1]], 0), "base: expected a number of rad/s above 0"),
    "fourier q0": (lambda: tr.fourier([[1]], [[1]], 1, q0=[0, 0]), "q0 is of 2 joints, a and b of 1"),
    "table of one": (lambda: tr.table([0], [[1]]), "at least two samples"),
    "table rows": (lambda: tr.table([0, 1], [[1]]), "q has 1 rows, and there are 2 times"),
    "table joints": (lambda: tr.table([0, 1], [[1], [2]], [[1, 2], [1, 2]]), "qd or qdd is not"),
    "table without q": (lambda: tr.table([0, 1]), "expected positions q"),
    "time of a word": (lambda: tr.quintic(*LINE, 1)("now"), "expected times in seconds, found 'now'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(case: str, whole: Sentences) -> None:
    ask, said = REFUSED[case]
    with whole.raises(mp.InputError, match=re.escape(said)) as error:
        ask()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("dof", [1, 3, 11])
def test_a_table_is_written_and_read_back(tmp_path: Path, dof: int) -> None:
    rng = np.random.default_rng(dof)
    ref = tr.spline(rng.uniform(-1, 1, (4, dof)), degree=5, duration=3)
    path = ref.save(tmp_path / "ref.csv", step=0.01)
    assert path.read_text().splitlines()[0].startswith("t [s],q1 [rad or m],")
    back, times = tr.table(path), np.linspace(-1, 4, 333)
    assert back.duration == ref.duration
    assert back.block is None
    for mine, theirs in zip(ref(times), back(times)):
        assert np.allclose(mine, theirs, atol=1e-7)


@pytest.mark.parametrize("duration, step, rows", [(1, None, 1001), (1, 0.25, 5), (1, 0.3, 4), (1, 7.0, 2), (0, 0.1, 1)])
def test_a_saved_table_has_a_row_a_step(tmp_path: Path, duration: int, step: float | None, rows: int) -> None:
    """From the start to the end, evenly; the values as they are, a column each; a reference of no length is one row."""
    goal = LINE[1] if duration else LINE[0]
    ref = tr.quintic(*LINE, duration) if duration else tr.jerk_limited(LINE[0], LINE[0], 1, 1, 1)
    head, *lines = ref.save(tmp_path / "ref.csv", step).read_text(encoding="utf-8").splitlines()
    units = {"q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s² or m/s²"}
    assert head == ",".join(["t [s]", *(f"{x}{i} [{unit}]" for x, unit in units.items() for i in (1, 2))])
    table = np.array([[float(x) for x in line.split(",")] for line in lines])
    assert table.shape == (rows, 7)
    np.testing.assert_allclose(table[:, 0], np.linspace(0, duration, rows), atol=1e-15)
    np.testing.assert_array_equal(table[:, 1:], np.hstack(ref(table[:, 0])))
    assert table[-1, 1:3].tolist() == goal


def test_a_short_table_is_a_formula() -> None:
    times = np.linspace(0, 1, 21)
    assert tr.table(times, np.sin(times)[:, None]).block is not None
    longer = np.linspace(5, 6, 22)
    ref = tr.table(longer, np.sin(longer)[:, None])
    assert ref.block is None
    assert ref.duration == pytest.approx(1)
    assert np.abs(ref(0.4321).q - np.sin(5.4321)).max() < 1e-6


def test_velocities_at_the_ends_of_a_table_are_kept() -> None:
    ref = tr.table([0, 1, 2], [[0], [1], [0]], [[3], [0], [-2]])
    assert ref([0, 2]).qd[:, 0].tolist() == pytest.approx([3, -2])


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9])
def test_a_table_of_a_polynomial_is_that_polynomial(count: int) -> None:
    """Of degree three from four positions on, or with velocities; of degree five with accelerations as well."""
    rng = np.random.default_rng(count)
    times = np.cumsum(rng.uniform(0.2, 1.0, count))
    quintic = np.polynomial.Polynomial(rng.uniform(-1, 1, 6))
    cubic = np.polynomial.Polynomial(rng.uniform(-1, 1, 4))
    inside = np.linspace(times[0], times[-1], 41)

    def values(curve: Any, t: Any) -> list[Any]:
        return [np.stack([x(t), -2 * x(t)], axis=1) for x in (curve, curve.deriv(), curve.deriv(2))]

    known = {3: quintic, 2: cubic} | ({1: cubic} if count > 3 else {})
    for given, curve in known.items():
        ref = tr.table(times, *values(curve, times)[:given])
        for mine, theirs in zip(ref(inside - times[0]), values(curve, inside), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-9)
    short = tr.table(times, values(cubic, times)[0])
    np.testing.assert_allclose(short(times - times[0]).q, values(cubic, times)[0], atol=1e-12)
    if count < 4:  # too few for a cubic of their own: nothing bends at the ends
        np.testing.assert_allclose(short([0, times[-1] - times[0]]).qdd, 0, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: expected the columns t, q1"),
        ("t,q1\n", "no row of numbers"),
        ("t,q1\n0,1\n1,x\n", "line 3: expected numbers, found '1,x'"),
        ("t,q1\n0,1\n1\n", "line 3: 1 cells, and line 1 names 2"),
        ("t,q2\n0,1\n1,2\n", "line 1: expected the columns"),
        ("t,q1,speed\n0,1,2\n", "line 1: expected the columns"),
        ("t,q1,q2,qd1\n0,1,2,3\n1,2,3,4\n", "q is of 2 joints, and qd or qdd is not"),
        ("t,q1\n0,1\n0,2\n", "must increase"),
        ("t,q1\n0,nan\n1,2\n", "entry 1, 1 is nan"),
    ],
)
def test_a_broken_table_is_named(tmp_path: Path, text: str, said: str, whole: Sentences) -> None:
    (tmp_path / "ref.csv").write_text(text)
    with whole.raises(mp.InputError, match=re.escape(said)):
        tr.table(tmp_path / "ref.csv")
    with pytest.raises(mp.InputError, match=r"missing\.csv: cannot be read as a table of text "):
        tr.table(tmp_path / "missing.csv")


def test_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "ref.csv").write_text("q2 [rad],t [s],q1 [m]\n5,0,1\n6,1,2\n\n7,2,3\n")
    assert np.allclose(tr.table(tmp_path / "ref.csv")(1).q, [2, 6])


@pytest.mark.turn
def test_a_reference_is_told_in_a_line_without_what_it_is_made_of() -> None:
    arm = mp.Arm(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81))
    made = [
        tr.quintic(*LINE, 2),
        tr.trapezoid(*LINE, velocity=1, acceleration=2),
        tr.fourier([[0.1], [0.2]], [[0.3], [0.1]], 0.5),
        tr.spline([[0, 0], [1, 1], [0, 2]], [0, 1, 2]),
        tr.line(arm, arm.pose([0.1, 0.5]), arm.pose([0.2, 0.6]), 1.0, task="position"),
    ]
    for ref in made:
        text = repr(ref)
        assert "\n" not in text and "0x" not in text and len(text) < 120, text
        assert f"name={ref.name!r}" in text and f"dof={ref.dof}" in text and f"duration={ref.duration!r}" in text
