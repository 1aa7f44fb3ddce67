"""References: velocities and accelerations are the derivatives of the positions, limits are kept and reached, the ends
are those asked for, and the proved function computes what the text does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import manipula as mp
from manipula.algebra.emit import backend
from manipula.generation.compose import generate_formula
from manipula.mechanics.models.motion.profiles import TimeLaw
from manipula.simulation.trajectory import Trajectory
from tests.emitted import needs_cc, self_test

Floats = NDArray[np.float64]
Rng = np.random.Generator
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def _both(rng: Rng, dof: int) -> tuple[Floats, Floats]:
    """Two configurations; now and then a joint stays where it is."""
    q0, q1 = rng.uniform(-3, 3, (2, dof))
    return q0, np.where(rng.random(dof) < 0.2, q0, q1)


def _limits(rng: Rng, dof: int) -> list[Floats]:
    return list(10 ** rng.uniform(-1, 1, (3, dof)))


def _quintic(rng: Rng, dof: int) -> Trajectory:
    return mp.trajectory.quintic(*_both(rng, dof), float(10 ** rng.uniform(-1, 1)))


def _trapezoid(rng: Rng, dof: int) -> Trajectory:
    v, a, _ = _limits(rng, dof)
    return mp.trajectory.trapezoid(*_both(rng, dof), velocity=v, acceleration=a)


def _timed_trapezoid(rng: Rng, dof: int) -> Trajectory:
    return mp.trajectory.trapezoid(*_both(rng, dof), 1.7)


def _jerk_limited(rng: Rng, dof: int) -> Trajectory:
    return mp.trajectory.jerk_limited(*_both(rng, dof), *_limits(rng, dof))


def _spline(degree: int, ends: str) -> Callable[[Rng, int], Trajectory]:
    def make(rng: Rng, dof: int) -> Trajectory:
        points = rng.uniform(-3, 3, (int(rng.integers(2, 7)), dof))
        times = np.cumsum(rng.uniform(0.2, 1, len(points)))
        return mp.trajectory.spline(points, times, degree=degree, ends=ends)

    return make


def _table(rng: Rng, dof: int) -> Trajectory:
    times = np.cumsum(rng.uniform(0.2, 1, 30))
    return mp.trajectory.table(times, rng.uniform(-1, 1, (30, dof)))


def _full_table(rng: Rng, dof: int) -> Trajectory:
    times = np.cumsum(rng.uniform(0.2, 1, 5))
    return mp.trajectory.table(times, *rng.uniform(-1, 1, (3, 5, dof)))


def _fourier(rng: Rng, dof: int) -> Trajectory:
    a, b = rng.uniform(-1, 1, (2, int(rng.integers(1, 6)), dof))
    return mp.trajectory.fourier(a, b, float(rng.uniform(0.5, 4)), q0=rng.uniform(-1, 1, dof))


RESTING = [_quintic, _trapezoid, _timed_trapezoid, _jerk_limited, _spline(3, "rest"), _spline(5, "rest")]
ENDING = [*RESTING, _spline(3, "natural"), _spline(5, "natural"), _table, _full_table]
KINDS = [*ENDING, _fourier]


def references(makers: list[Callable[[Rng, int], Trajectory]], draws: int = 3) -> list[Trajectory]:
    return [
        make(rng, dof)
        for place, make in enumerate(makers)
        for rng in [np.random.default_rng(place)]
        for dof in [1, *rng.integers(2, 8, draws - 1).tolist()]
    ]


def switches(ref: Trajectory) -> Floats:
    """Where pieces meet."""
    ramp = ref.settings.get("ref_ramp", (0.0,))[0]
    bend = ref.settings.get("ref_jerk_time", (0.0,))[0]
    knots = ref.settings.get("ref_knot", getattr(getattr(ref.curve, "curves", [None])[0], "x", ()))
    early = np.array([0, bend, ramp / 2, ramp - bend, ramp, ref.duration / 2])
    found = np.unique(np.concatenate([early, ref.duration - early, np.asarray(knots), np.linspace(0, ref.duration, 9)]))
    return found[(found >= 0) & (found <= ref.duration)]


@pytest.mark.parametrize("ref", references(KINDS), ids=lambda ref: f"{ref.name}-{ref.dof}")
def test_velocity_and_acceleration_are_derivatives(ref: Trajectory) -> None:
    """Over every piece q and q̇ grow by the integrals of q̇ and q̈, by a rule that is exact for the polynomials."""
    ends = switches(ref)
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    inner = ref(middle[:, None] + half[:, None] * NODES)
    at = ref(ends)
    scale = max(float(np.abs(x).max()) for x in at) + float(np.abs(inner.qdd).max()) * ref.duration
    for lower, upper in ((at.q, inner.qd), (at.qd, inner.qdd)):
        grown = np.einsum("kni,n,k->ki", upper, WEIGHTS, half)
        assert np.allclose(np.diff(lower, axis=0), grown, atol=1e-11 * max(scale, 1), rtol=0)


@pytest.mark.parametrize("ref", references(ENDING), ids=lambda ref: f"{ref.name}-{ref.dof}")
def test_outside_its_time_a_reference_rests(ref: Trajectory) -> None:
    early, late = ref(-0.3), ref(ref.duration + 2)
    assert (early.q == ref(0).q).all()
    assert (late.q == ref(ref.duration).q).all()
    assert not np.any([early.qd, early.qdd, late.qd, late.qdd])
    assert np.abs(ref(ref.duration * (1 - 1e-9)).q - late.q).max() <= 1e-7 * (
        1 + np.abs(ref(np.linspace(0, ref.duration, 50)).qd).max()
    )


@pytest.mark.parametrize("ref", references(RESTING), ids=lambda ref: f"{ref.name}-{ref.dof}")
def test_it_starts_and_ends_at_rest(ref: Trajectory) -> None:
    scale = float(np.abs(ref(np.linspace(0, ref.duration, 50)).qd).max()) + 1e-300
    assert np.abs(ref([0, ref.duration]).qd).max() <= 1e-12 * scale


@pytest.mark.drawn("ref")
@pytest.mark.parametrize("ref", references(KINDS, 2), ids=lambda ref: f"{ref.name}-{ref.dof}")
def test_the_proved_function_computes_the_same(ref: Trajectory) -> None:
    if ref.block is None:
        with pytest.raises(mp.InputError, match="no formula"):
            ref.model  # noqa: B018
        return
    system = ref.model
    assert isinstance(system, mp.System)
    assert "identical" in system.provenance.proof
    times = np.sort(np.concatenate([np.linspace(-0.5, ref.duration + 0.5, 41), switches(ref)]))
    names = {name: x for port in ref.settings for name, x in zip(system.inputs[port], ref.settings[port], strict=True)}
    found = system.compile()(times[:, None], p=names)
    for mine, theirs in zip(ref(times), found, strict=True):
        assert np.allclose(mine, theirs, rtol=0, atol=1e-12 * max(float(np.abs(mine).max()), 1))


@pytest.mark.parametrize("seed", range(12))
def test_limits_are_kept_and_one_is_reached(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dof = int(rng.integers(1, 8))
    (q0, q1), (v, a, j) = _both(rng, dof), _limits(rng, dof)
    q1[0] = q0[0] + 1  # something moves
    for ref, bounds in (
        (mp.trajectory.trapezoid(q0, q1, velocity=v, acceleration=a), (v, a)),
        (mp.trajectory.jerk_limited(q0, q1, v, a, j), (v, a, j)),
    ):
        motion = ref(switches(ref))
        jerk = np.abs(np.diff(motion.qdd, axis=0)) / np.diff(switches(ref))[:, None]
        reached = [float((np.abs(x) / bound).max()) for x, bound in zip((motion.qd, motion.qdd, jerk), bounds)]
        assert max(reached) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_no_quicker_trapezoid_keeps_the_limits(seed: int) -> None:
    """The area under min(a t, v, a (T − t)) is below the way for any shorter T."""
    rng = np.random.default_rng(seed)
    v, a, way = (10 ** rng.uniform(-1, 1, 3)).tolist()
    ref = mp.trajectory.trapezoid([0], [way], velocity=v, acceleration=a)
    t = np.linspace(0, ref.duration, 20001)
    area = np.trapezoid(np.minimum(np.minimum(a * t, v), a * (ref.duration - t)), t)
    assert area == pytest.approx(way, rel=1e-6)
    longer = mp.trajectory.trapezoid([0], [way], 1.3 * ref.duration, velocity=v, acceleration=a)
    assert longer.duration == 1.3 * ref.duration
    assert np.abs(longer(t * 1.3).qd).max() <= v
    with pytest.raises(mp.InputError, match="limits ask for"):
        mp.trajectory.trapezoid([0], [way], 0.9 * ref.duration, velocity=v, acceleration=a)


def test_jerk_limited_takes_as_long_as_its_largest_velocity_asks_for() -> None:
    """Rest to rest the largest velocity decides: halved and halved until the way fits, as nobody would plan it."""
    rng = np.random.default_rng(11)
    for v, a, j, way in (10 ** rng.uniform([-1.5, -1.5, -1.5, -2], 1.5, (60, 4))).tolist():
        low, high = 0.0, v
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if middle * _ramp(middle, a, j) < way else (low, middle)
        ref = mp.trajectory.jerk_limited([0], [way], v, a, j)
        assert ref.duration == pytest.approx(_ramp(low, a, j) + way / low, rel=1e-9)


def _ramp(w: float, a: float, j: float) -> float:
    """Seconds from rest to the velocity w: constant jerk there and back, between them a if it is met."""
    return 2 * (w / j) ** 0.5 if w * j < a * a else w / a + a / j


@pytest.mark.parametrize("seed", range(60))
def test_jerk_limited_takes_the_least_time(seed: int) -> None:
    """ruckig solves the same problem by other means."""
    ruckig = pytest.importorskip("ruckig")
    rng = np.random.default_rng(seed)
    v, a, j, way = (10 ** rng.uniform([-1.5, -1.5, -1.5, -2], 1.5)).tolist()
    asked, found = ruckig.InputParameter(1), ruckig.Trajectory(1)
    asked.current_position, asked.target_position = [0.0], [-way]
    asked.max_velocity, asked.max_acceleration, asked.max_jerk = [v], [a], [j]
    ruckig.Ruckig(1).calculate(asked, found)
    ref = mp.trajectory.jerk_limited([0], [-way], v, a, j)
    assert ref.duration == pytest.approx(found.duration, rel=1e-12)
    times = np.linspace(0, ref.duration, 23)
    theirs = np.array([found.at_time(t) for t in times])[:, :2, 0]
    assert np.allclose(ref(times).q[:, 0], theirs[:, 0], atol=1e-8 * way)
    assert np.allclose(ref(times).qd[:, 0], theirs[:, 1], atol=1e-8 * v)


@pytest.mark.parametrize("seed", range(10))
def test_what_ruckig_plans_is_taken_over_exactly(seed: int) -> None:
    """Its own values at any time, as pieces of constant jerk, from states that break a limit, too."""
    ruckig = pytest.importorskip("ruckig")
    rng = np.random.default_rng(seed)
    dof = int(rng.integers(1, 8))
    (q0, q1), (v, a, j) = _both(rng, dof), list(10 ** rng.uniform(-0.5, 1, (3, dof)))
    qd0, qdd0, qd1 = (
        1.3 * v * rng.uniform(-1, 1, dof),
        0.9 * a * rng.uniform(-1, 1, dof),
        v * rng.uniform(-0.5, 0.5, dof),
    )
    asked, found = ruckig.InputParameter(dof), ruckig.Trajectory(dof)
    asked.current_position, asked.current_velocity, asked.current_acceleration = q0, qd0, qdd0
    asked.target_position, asked.target_velocity = q1, qd1
    asked.max_velocity, asked.max_acceleration, asked.max_jerk = v, a, j
    ruckig.Ruckig(dof).calculate(asked, found)
    ref = mp.trajectory.ruckig(q0, q1, v, a, j, qd0=qd0, qdd0=qdd0, qd1=qd1)
    assert ref.duration == found.duration
    times = np.linspace(0, ref.duration, 101)[:-1]
    for mine, theirs in zip(ref(times), np.moveaxis(np.array([found.at_time(t)[:3] for t in times]), 1, 0)):
        assert np.allclose(mine, theirs, atol=1e-8 * max(1, np.abs(theirs).max()))


def test_a_quintic_is_the_book_s() -> None:
    """Rest to rest in one second: a₃ = 10, a₄ = −15, a₅ = 6."""
    ref, t = mp.trajectory.quintic([0.0], [1.0], 1), np.linspace(0, 1, 11)
    assert np.allclose(ref(t).q[:, 0], 10 * t**3 - 15 * t**4 + 6 * t**5, atol=1e-15)
    assert np.allclose(ref(t).qdd[:, 0], 60 * t - 180 * t**2 + 120 * t**3, atol=1e-13)


@pytest.mark.parametrize("degree", [3, 5])
def test_a_spline_goes_through_its_points_smoothly(degree: int) -> None:
    rng = np.random.default_rng(degree)
    points, times = rng.uniform(-1, 1, (6, 3)), np.array([1, 1.5, 3, 3.2, 4, 6])
    ref = mp.trajectory.spline(points, times, degree=degree)
    assert ref.duration == 5
    assert (ref(times - 1).q == points).all()
    inner, tick = (times - 1)[1:-1], 1e-7
    for k, name in enumerate(("q", "qd", "qdd")):
        before, after = (np.asarray(ref(inner + way * tick)[k]) for way in (-1, 1))
        assert np.abs(after - before).max() < 1e-4, name


def test_a_fourier_series_is_periodic() -> None:
    ref = _fourier(np.random.default_rng(1), 4)
    times = np.linspace(-3, 3, 20)
    for one, other in zip(ref(times), ref(times + 3 * ref.duration)):
        assert np.allclose(one, other, atol=1e-12)
    a, b, base = [[1.0, 0.0]], [[0.0, 2.0]], 3.0
    motion = mp.trajectory.fourier(a, b, base, q0=[0.5, -0.5])(times)
    assert np.allclose(motion.q, np.stack([0.5 + np.sin(3 * times) / 3, -0.5 - 2 * np.cos(3 * times) / 3], -1))


@needs_cc
def test_it_is_emitted_as_c(tmp_path: Path) -> None:
    for ref in (_jerk_limited(np.random.default_rng(3), 3), _spline(5, "rest")(np.random.default_rng(5), 2)):
        done = self_test(backend.emit(ref.model.tape, "c", "0"), tmp_path / ref.name)
        assert done.returncode == 0, done.stdout


def test_an_error_in_the_text_is_found() -> None:
    """The proof holds the function against the text: one that computes anything else does not leave."""
    from manipula.mechanics.models.motion import profiles

    broken: list[int] = []

    def text(maths: object, t: object, given: object) -> object:
        broken.append(1)
        motion = profiles.QUINTIC.text(maths, t, given)  # type: ignore[arg-type]
        return motion if len(broken) == 1 else motion._replace(q=2 * motion.q)

    with pytest.raises(mp.ProofError, match="q_ref"):
        generate_formula(TimeLaw("quintic", "", (), text).block, 2)  # type: ignore[arg-type]
