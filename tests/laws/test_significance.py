"""Significance: approximate, and says so. Every number of its report against another computation of it."""

from __future__ import annotations

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.errors import InputError
from manipula.parameters.significance import Motions, droppable, errors_of, weights
from tests.random_robots import random_robot
from tests.recordings import torques


def puma_motions() -> Motions:
    return Motions.of(mp.load("puma560"), velocity=1.0, acceleration=2.0, samples=256)


@pytest.mark.turn
def test_significance_keeps_to_its_tolerance_and_saves() -> None:
    report = api.significance("puma560", puma_motions(), 0.01)
    assert "APPROXIMATE" in str(report) and report.as_dict()["approximate"] is True
    assert report.dropped and report.operations_left < report.operations
    assert max(report.errors.relative_largest) < 0.02  # measured on samples that did not choose
    assert not set(report.dropped) & set(report.kept) and not set(report.zero) & set(report.weights)


@pytest.mark.turn
def test_the_approximate_model_errs_by_what_the_report_says() -> None:
    robot, motions = mp.load("puma560"), puma_motions()
    report = api.significance(robot, motions, 0.02)
    short = mp.Model(report.function).compile()
    values = dict(report.function.provenance.values)
    numbers = np.array([float(values[name]) for name in mp.Model(report.function).inputs["p"]])
    got = short(motions.q, motions.qd, motions.qdd, p=numbers)
    want = mp.generate(robot, "inverse_dynamics").compile()(motions.q, motions.qd, motions.qdd)
    lost = np.abs(got - want)[1::2].max(axis=0)
    np.testing.assert_allclose(lost, report.errors.largest, rtol=1e-6, atol=1e-9)


def test_every_number_of_the_report_from_other_models() -> None:
    """Shares of parameters by the compiled base regressor, of effects by Newton and Euler in their several motions,
    each in a joint's largest torque; errors by the torques that are missing."""
    arm = random_robot(13, joints="RPR")
    robot = mp.Robot.of(arm).with_friction({x: {"viscous": 0.3, "coulomb": 0.2} for x in arm.joint_names})
    motions = Motions.within([(-2, 2)] * arm.dof, velocity=2.0, acceleration=3.0, samples=128)
    report = api.significance(robot, motions, 0.1)
    given = motions.q, motions.qd, motions.qdd
    tau, bare, still = torques(robot, *given), robot.without("friction"), np.zeros_like(motions.q)
    peak = np.abs(tau).max(axis=0)
    parts = mp.Arm(robot, optimise="none").base_regressor(*given) * np.array(
        list(robot.base_parameters.values()), dtype=float
    )
    shares = dict(zip(robot.base_parameters, (np.abs(parts).max(axis=0) / peak[:, None]).max(axis=0)))
    assert report.weights == pytest.approx({x: shares[x] for x in report.weights}, rel=1e-9)
    effects = {
        "gravity": torques(bare, motions.q, still, still),
        "inertia": torques(bare.without("gravity"), motions.q, still, motions.qdd),
        "velocity": torques(bare.without("gravity"), motions.q, motions.qd, still),
        "friction": 0.3 * motions.qd + 0.2 * np.sign(motions.qd),
    }
    assert np.allclose(sum(effects.values()), tau)
    for effect, torque in effects.items():
        assert report.effects[effect] == pytest.approx(np.abs(torque).max(axis=0) / peak, rel=1e-9), effect
    gone = [list(robot.base_parameters).index(x) for x in report.dropped]
    lost, scale = parts[1::2][:, :, gone].sum(axis=2), np.abs(tau[1::2]).max(axis=0)
    assert gone and report.errors.largest == pytest.approx(np.abs(lost).max(axis=0))
    assert report.errors.relative_largest == pytest.approx(np.abs(lost).max(axis=0) / scale)
    assert report.errors.relative_rms == pytest.approx(np.sqrt((lost**2).mean(axis=0)) / scale)


def test_nothing_is_dropped_at_no_tolerance() -> None:
    report = api.significance("puma560", puma_motions(), 0.0)
    assert report.dropped == () and report.operations == report.operations_left


def test_significance_wants_numbers_and_fitting_motions() -> None:
    with pytest.raises(InputError, match="needs numbers"):
        api.significance("planar2r", Motions.within([(0, 1)] * 2, 1, 1, samples=8))
    with pytest.raises(InputError, match=r"q, qd, qdd of one shape"):
        api.significance("puma560", Motions.within([(0, 1)] * 2, 1, 1, samples=8))
    with pytest.raises(InputError, match="no limits"):
        Motions.of(mp.load("rp"), 1, 1)


@pytest.mark.parametrize("seed", range(7))
def test_parameters_go_one_by_one_the_least_felt_first(seed: int) -> None:
    """Every choice against all others at its turn, and the tolerance from both sides of the last error."""
    rng = np.random.default_rng(seed)
    parts = rng.normal(size=(9, 2, 6)) * 10.0 ** rng.uniform(-3, 0, 6)
    peak = np.abs(parts.sum(axis=2)).max(axis=0)

    def error(gone: list[int]) -> float:
        return float((np.abs(parts[:, :, gone].sum(axis=2)).max(axis=0) / peak).max())

    gone = droppable(parts, tolerance=0.3)
    assert gone and error(gone) <= 0.3 and len(gone) == len(set(gone)) < 6
    for k in range(len(gone)):
        others = [error([*gone[:k], other]) for other in set(range(6)) - set(gone[:k])]
        assert error(gone[: k + 1]) == pytest.approx(min(others))
    assert all(error([*gone, other]) > 0.3 for other in set(range(6)) - set(gone))
    last = max(error(gone[: k + 1]) for k in range(len(gone)))
    assert droppable(parts, last * (1 + 1e-9)) == gone and len(droppable(parts, last * (1 - 1e-9))) < len(gone)
    assert weights(parts) == pytest.approx([error([k]) for k in range(6)])


def test_a_joint_without_torque_has_no_share_in_it() -> None:
    parts = np.zeros((5, 2, 3))
    parts[:, 0, 1] = [-4, 1, 2, 3, 0]
    assert list(weights(parts)) == [0, 1, 0] and droppable(parts, 0.0) == [0, 2]
    assert errors_of(parts, [1]).largest == (4, 0) and errors_of(parts, [1]).relative_largest == (1, 0)
    assert errors_of(parts, [1]).rms == pytest.approx((np.sqrt(6), 0))


@pytest.mark.parametrize("box", [[(-3, -1), (2, 6)], [(1, 3), (-6, -2)]])
def test_motions_fill_their_box_to_every_side(box: list[tuple[float, float]]) -> None:
    """And its mirror image; rates reach their bound forwards and backwards, each joint's own."""
    motions = Motions.within(box, velocity=(1, 3), acceleration=(5, 2), samples=256, seed=4)
    sides = np.array([box, [(-1, 1), (-3, 3)], [(-5, 5), (-2, 2)]])
    for found, (low, high) in zip((motions.q, motions.qd, motions.qdd), sides.transpose(0, 2, 1)):
        assert found.shape == (256, 2) and (found >= low).all() and (found <= high).all()
        assert found.min(0) == pytest.approx(low, abs=0.05 * (high - low).max())
        assert found.max(0) == pytest.approx(high, abs=0.05 * (high - low).max())
        assert found.mean(0) == pytest.approx((low + high) / 2, abs=0.02 * (high - low).max())
    assert all((np.diff(np.sort(x[:, 0])) > 0).all() for x in (motions.q, motions.qd, motions.qdd))
    assert repr(motions).startswith("<256 samples of motions of 2 joints: q in ") and "…>" not in repr(motions)
    assert repr(Motions.within([(0, 1)] * 5, 1, 1, samples=8)).endswith(", …>")
    again = Motions.within(box, (1, 3), (5, 2), samples=256, seed=4)
    assert (again.q == motions.q).all() and (Motions.within(box, 1, 1, 256, seed=5).q != motions.q).any()


def test_motions_keep_to_the_limits_of_the_file() -> None:
    text = """format = 1
    name = "limited"
    convention = "standard"
    angle = "deg"
    length = "mm"
    [values]
    stroke = 0.4
    """
    for kind, limits in (("revolute", "[-90, 30]"), ("prismatic", '[-200, "stroke"]'), ("revolute", "")):
        text += f"[[joint]]\ntype = '{kind}'\ntheta = 0\nd = 0\na = 100\nalpha = 90\n" + (
            limits and f"limits = {limits}\n"
        )
    motions = Motions.of(mp.Robot.from_text(text, "toml"), velocity=1, acceleration=1, samples=256)
    low, high = np.array([-np.pi / 2, -0.2, -np.pi]), np.array([np.pi / 6, 0.4, np.pi])
    assert (motions.q >= low).all() and (motions.q <= high).all()
    assert motions.q.min(0) == pytest.approx(low, rel=0.05) and motions.q.max(0) == pytest.approx(high, rel=0.05)


@pytest.mark.parametrize("tolerance", [0.0, 0.05, 0.4])
def test_the_report_prints_its_own_numbers(tolerance: float) -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    report = api.significance(robot, Motions.within([(-1, 2)] * 2, 1.5, 1, samples=32), tolerance)
    told = report.as_dict()
    few, many = len(report.dropped), len(report.dropped + report.kept)
    before, after = report.operations, report.operations_left
    shown = str(report).splitlines()
    assert shown[0] == f"planar2r: APPROXIMATE, 32 samples, tolerance {100 * tolerance:.2f}% of the largest torque"
    assert shown[1] == f"dropped {few} of {many}: {', '.join(told['dropped']) or 'nothing'}"
    assert shown[2] == f"zero by themselves: {', '.join(told['zero'])}" and set(report.zero) == {"my1", "my2"}
    assert shown[3].startswith(f"operations: {before} → {after} ({100 - round(100 * after / before)}% saved;")
    for k in range(2):
        joint, *numbers = shown[5 + k].replace("%", "").split()
        rows = [told["errors"][x][k] for x in ("largest", "rms", "relative_largest", "relative_rms")]
        assert joint == str(k + 1)
        assert list(map(float, numbers)) == pytest.approx([*rows[:2], 100 * rows[2], 100 * rows[3]], rel=1e-3, abs=1e-3)
    for line, (name, shares) in zip(shown[8:], report.effects.items(), strict=True):
        assert line.split() == [name, *(f"{100 * x:.1f}%" for x in shares)]
    assert f"{few} of {many} base parameters dropped, operations {before} → {after}" in repr(report)
    page = report._repr_html_()
    for name, share in report.weights.items():
        row = page.partition(f">{name}<")[2].partition("</tr>")[0]
        assert f"{100 * share:.3f}%" in row and ("dropped" in row) == (name in report.dropped)


@pytest.mark.parametrize("samples", [1, 2])
def test_two_samples_are_the_fewest(samples: int) -> None:
    """One chooses what goes, the other measures."""
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    motions = Motions.within([(-1, 1)] * 2, 1, 1, samples=samples)
    if samples == 2:
        assert api.significance(robot, motions, 0.01).samples == 2
        return
    with pytest.raises(InputError, match="samples ≥ 2, 2"):
        api.significance(robot, motions)


@pytest.mark.parametrize("tolerance", [-1e-9, 1.0, float("nan")])
def test_a_tolerance_is_a_fraction_below_one(tolerance: float) -> None:
    with pytest.raises(InputError, match="tolerance must be a fraction"):
        api.significance("puma560", puma_motions(), tolerance)
