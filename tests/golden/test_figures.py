"""What small cases come to, figure by figure: a fit, a search or a study that changes its answer a little is still near
the truth, and no law of the tests sees it. A file of `figures` has every number and text of the results;
`pytest -n 0 tests/golden/test_figures.py --update` accepts what they are now: read the diff first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from types import BuiltinFunctionType
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.values.parameter import Num
from tests.design_arms import BOTH, FLAT, HOLD, MOTORS, SWING
from tests.golden.figures import EXACT, assert_golden, said
from tests.recordings import recording, torques, two_joints

pytestmark = pytest.mark.usefixtures("without_search")
Results = Iterator[tuple[str, Any]]

# identification

ARM = two_joints()
PLAIN = JointModel()


def _log(seed: int = 3, noise: float = 0.02, **more: Any) -> mp.Log:
    return recording(ARM, seed, seconds=3.0, noise=noise, **more)


def _positions(seed: int = 3, seconds: float = 4.0, **changes: Any) -> mp.Log:
    """As recorders give them: positions and torques alone, both rough."""
    log, rng = recording(ARM, seed, seconds=seconds, noise=0.03), np.random.default_rng(seed)
    return replace(log, q=log.q + 2e-4 * rng.normal(size=log.q.shape), qd=None, qdd=None, **changes)


def estimators() -> Results:
    for method in ("ols", "wls", "irls", "ridge", "tls", "entropic"):
        prior = None if method in ("ols", "wls", "irls", "tls") else "spheres" if method == "ridge" else "robot"
        known = mp.identify(ARM, _log(), model=PLAIN, filter=None, method=method, prior=prior, validate=_log(9, 0.0))
        yield method, known
    yield "report", known.as_dict()


def recorded_positions() -> Results:
    log = _positions()
    yield "auto", mp.identify(ARM, log, model=PLAIN, validate=_positions(9))
    q = _log(noise=0.0).q
    yield "iv", mp.identify(ARM, _positions(seconds=3.0, q_ref=q), model=PLAIN, method="iv", prior=None, filter=None)


def slips() -> Results:
    log = _log()
    assert log.tau is not None
    wrong = {
        "sign": replace(log, tau=log.tau * [1, -1]),
        "zero": replace(log, q=log.q + np.array([0.0, np.pi / 2])),
    }
    for name, one in wrong.items():
        found = mp.identify(ARM, one, model=PLAIN, filter=None, repair=name == "sign")
        yield name, {"warnings": found.warnings, "repairs": found.repairs, "theta": found.theta, "error": found.train}


def excited() -> Results:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=2, m2=1, g=9.81)
    limits = {"position": (-2, 2), "velocity": [2, 3], "acceleration": 9.0, "effort": 40.0}
    words: dict[str, Any] = {"seconds": 3, "harmonics": 2, "seeds": 1}
    yield "free", mp.excite(arm, **words)
    kept = mp.excite(
        arm, limits=limits, criterion="condition", box={"keep_out": ((0.8, 1), (-0.1, 0.1), (-1, 1))}, **words
    )
    yield "kept", kept
    yield "spline", mp.excite(arm, motion="spline", limits={"position": (-1, 2)}, **words)
    for name, motion in (("free", mp.excite(arm, **words)), ("kept", kept)):
        yield f"{name} motion", motion(np.linspace(0, motion.duration, 50))


def calibrated() -> Results:
    rows = [(0.1, 0.3, 0.02, 90), (0, 0.05, 0.4, 0), (0.2, -0.04, 0.3, 90)]
    arm = mp.Robot.from_dh([("q", *rest) for _, *rest in rows], angle="deg", name="three")
    built = mp.Robot.from_dh(
        [(off, d + 1e-3, a - 2e-3, alpha + 0.2) for off, d, a, alpha in rows], angle="deg", name="three"
    )
    rng = np.random.default_rng(5)
    q = rng.uniform(-2, 2, (40, 3))
    T = mp.Arm(built).pose(q)
    noise = rng.normal(0, 1e-5, (40, 3))
    points = T[:, :3, 3] + noise
    yield "pose", mp.calibrate(arm, q, np.concatenate([np.dstack([T[:, :3, :3], points[..., None]]), T[:, 3:]], 1))
    yield "points", mp.calibrate(arm, q, points, kind="points", loss="huber", validate=(q[:9], points[:9]))
    far = np.linalg.norm(points - [1.0, 0.5, 0.2], axis=1)
    yield "distance", mp.calibrate(arm, q, far, kind="distance", parameters="lengths", sigma=1e-5)


def weighed() -> Results:
    laden, log = ARM.with_payload(1.2, com=(0.05, 0.02, 0.1)), _log(noise=0.0)
    tau = torques(laden, log.q, log.qd, log.qdd)
    for name, words in (
        ("once", {}),
        ("forgetting", {"forgetting": 0.99, "noise": [0.5, 2.0]}),
        ("few", {"columns": ("m",)}),
    ):
        weigh = mp.PayloadEstimator(ARM, sample=0.01, **words)
        rows = weigh.run(replace(log, tau=tau))
        yield name, (rows, weigh.mass, weigh.theta, weigh.sigma, weigh.identifiable, weigh.samples)
    for method in ("least_squares", "gradient"):
        online = mp.OnlineEstimator(ARM, method=method)
        for k in range(0, 300, 10):
            online.update(log.q[k], log.qd[k], log.qdd[k], tau[k])  # type: ignore[index]
        yield method, (online.theta, online.sigma if method == "least_squares" else online.samples)


SCARA = mp.load("scara").with_parameters(a1=0.4, a2=0.3, d4=0.1)
BODY = {"mass": 0.5, "com": [0.1, 0, 0.2], "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)}
ROWS = ({"theta": "q1", "d": "l1", "a": "l2", "alpha": 90}, {"theta": "q2", "d": 0, "a": "l3", "alpha": 30})
BEAMS = mp.Robot.from_dh([row | BODY for row in ROWS], angle="deg", name="beams")
LIMITS = (Num(Fraction(0)), Num(Fraction(1, 2)))
BENT = mp.Robot.from_dh([("q", 0.1, 0.3, 70), ("q", 0.2, 0.4, 20), ("q", 0.05, 0.2, 0)], angle="deg", name="bent")


# inverse kinematics: every branch, what is said of it, and the nearest where none is


def _answers(arm: mp.Arm, T: Any, **words: Any) -> dict[str, Any]:
    """What can be asked of a result."""
    result = arm.inverse_kinematics(T, **words)
    return {name: getattr(result, name) for name in sorted(dir(type(result))) if _is_figure(type(result), name)}


def _is_figure(kind: type, name: str) -> bool:
    return not name.startswith("_") and not callable(getattr(kind, name))


def inverse() -> Results:
    rng = np.random.default_rng(2)
    arms = {"puma560": mp.Arm("puma560"), "scara": mp.Arm(SCARA), "bent": mp.Arm(BENT)}
    for name, arm in arms.items():
        q = rng.uniform(-1, 1, arm.dof)
        yield name, _answers(arm, arm.pose(q))
        yield f"{name} from {name}", _answers(arm, arm.pose(q), seed=q + 0.1)
        yield f"{name}, place", _answers(arm, arm.pose(q)[:3, 3], task="position", seed=q)
        yield f"{name}, rows", _answers(arm, arm.pose(rng.uniform(-1, 1, (3, arm.dof)))[0], tolerance=1e-4)
    from manipula.algebra.run.inverse import layout  # here: files that import it have careful machine code

    for name in ("puma560", "scara"):  # a closed form has a call of its own wherever there is machine code for it
        assert isinstance(arms[name].inverse_kinematics, BuiltinFunctionType) == (layout() is not None)
    puma = arms["puma560"]
    yield "wrist", _answers(puma, puma.pose([0.3, -0.4, 0.5, 0.2, 0.0, 0.7]))
    yield "shoulder", _answers(puma, puma.pose([0.3, -0.4, 0.5, 0.2, 0.6, 0.7]) @ np.diag([1.0, 1, 1, 1]))
    far = puma.pose(np.zeros(6)).copy()
    far[:3, 3] *= 3
    yield "far", _answers(puma, far)


def motions() -> Results:
    """References of time."""
    t, made = np.linspace(-0.1, 2.5, 40), mp.trajectory
    start, goal = [0.1, -0.4], [1.2, 0.5]
    every = {
        "quintic": made.quintic(start, goal, 2.0),
        "trapezoid": made.trapezoid(start, goal, velocity=[1.0, 0.6], acceleration=2.0),
        "short": made.trapezoid(start, goal, 2.0),
        "jerk": made.jerk_limited(start, goal, 1.0, [2.0, 1.5], 9.0),
        "spline": made.spline([start, [0.5, 0.5], goal, start], [0, 0.5, 1.2, 2.0]),
        "fifth": made.spline([start, [0.5, 0.5], goal], duration=2.0, degree=5),
        "fourier": made.fourier([[0.1, 0.2], [0.3, 0.1]], [[0.2, 0], [0.1, 0.3]], 0.5, q0=start),
    }
    for name, motion in every.items():
        yield name, (motion.duration, *motion(t))
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=2, m2=1, g=9.81)
    quick = made.time_optimal(arm, every["spline"], torque=[30.0, 12.0], velocity=4.0, acceleration=[20, 30], grid=60)
    yield "quick", (quick.duration, *quick(t))
    puma = mp.Arm("puma560")
    T = puma.pose([0.3, -0.4, 0.5, 0.2, 0.6, 0.7])
    there = T.copy()
    there[:3, 3] += [0.1, -0.05, 0.08]
    line = made.line(puma, T, there, velocity=0.2, acceleration=0.5)
    yield "line", (line.duration, *line(t))
    circle = made.circle(puma, T, T[:3, 3] + [0, 0.1, 0], [0, 0, 1], -0.8, 2.0, turning=True)
    yield "circle", (circle.duration, *circle(t))
    yield "loads", mp.loads(ARM, every["quintic"], wrench=[1, 2, 3, 0.1, 0.2, 0.3])


def runs() -> Results:
    ref = mp.trajectory.quintic([0.1, -0.4], [0.9, 0.5], 0.3)
    law = mp.controller(ARM, "computed_torque", kp=400, kd=40, sample=2e-3)
    words: dict[str, Any] = {"until": 0.3, "step": 1e-3}
    noisy = mp.Sensors(noise={"q": 1e-4, "qd": 1e-3}, resolution=2e-5, delay=1)
    event = mp.Event(0.1, payload=0.5)
    yield "exact", _run(mp.simulate(mp.Plant(ARM, effort=None), law, ref, **words))
    yield (
        "noisy",
        _run(mp.simulate(mp.Plant(ARM, effort=[30.0, 9.0]), law, ref, sensors=noisy, events=[event], seed=3, **words)),
    )
    for friction in ("smooth", "none"):
        yield (
            friction,
            _run(
                mp.simulate(
                    mp.Plant(ARM, friction=friction, effort=None), None, start=[0.3, 0.4], method="gauss4", **words
                )
            ),
        )  # type: ignore[arg-type]
    yield "events", _run(mp.simulate(ARM, None, start=([0.3, 0.4], [0.0, -1.0]), method="dop853", **words))


def more_runs() -> Results:
    """Plants that bend, stick and stop; many arms at once; the loop as one function."""
    words: dict[str, Any] = {"until": 0.1, "step": 1e-3}
    stopped = replace(ARM, joints=tuple(replace(x, limits=LIMITS) for x in ARM.joints))
    for name, plant in {
        "lugre": mp.Plant(ARM, friction="lugre", effort=None, sigma0=1e4, sigma1=50.0),
        "elastic": mp.Plant(ARM, elastic=2e3, backlash=[1e-3, 2e-3], effort=None),
        "stops": mp.Plant(mp.Robot.of(stopped), effort=None),
    }.items():
        yield name, said(lambda: _run(mp.simulate(plant, np.full((100, 2), 3.0), start=[0.3, 0.4], **words)))  # noqa: B023
    many = mp.simulate(mp.Plant(ARM, effort=None), start=np.array([[0.1, 0.2], [0.5, -0.4], [1.0, 2.0]]), **words)
    yield "many", _run(many)


def _run(run: mp.Run) -> dict[str, Any]:
    parts = ("t", "q", "qd", "qdd", "tau", "state", "balance", "modes", "warnings")
    return {name: getattr(run, name) for name in parts if hasattr(run, name)}


def studied() -> Results:
    flat = FLAT.with_parameters(l1=0.45, l2=0.4)
    found = {
        "workspace": mp.studies.workspace(flat, voxels=5),
        "tolerances": mp.studies.tolerances(flat, count=6),
        "payload": mp.studies.payload(ARM, goal=[1.0, 0.5], payloads=[0, 2], limits=[40, 15]),
        "design": mp.studies.design(
            FLAT, vary=BOTH, tasks=[SWING, HOLD], motors=MOTORS, beam={"l1": 2.5, "l2": 1.5}, count=8
        ),
        "beams": mp.studies.design(
            BEAMS,
            vary={"l1": [0.2, 0.4], "l2": [0.2, 0.5], "l3": [0.3, 0.6]},
            tasks=SWING,
            beam={"l1": 2, "l2": 1.5, "l3": 1},
            count=3,
            objectives=["mass", "length"],
        ),
        "gains": mp.studies.gains(flat, gains={"kp": [80, 200], "kd": [5, 30]}, goal=[1, 1], count=3, duration=0.1),
    }
    for name, study in found.items():
        yield name, {"columns": dict(study.table), "failures": study.failures, "shared": study.shared}
        yield f"{name}, told", str(study)


def of_parameters() -> Results:
    yield "base", mp.base_parameters(ARM)
    yield (
        "significance",
        mp.significance(ARM, mp.Motions.within([(-2, 2)] * 2, velocity=2.0, acceleration=3.0, samples=64), 0.05),
    )
    yield "reach", mp.reach(BENT)
    yield "singularities", (found := mp.singularities(SCARA))
    yield "singularities.latex", found.latex()


SEARCHED = 1e-2  # of what a search ends near: other versions of its library end elsewhere
CASES: dict[str, Callable[[], Results]] = {
    case.__name__: case
    for case in (
        estimators, recorded_positions, slips, excited, calibrated, weighed, inverse, motions, runs, studied,
        of_parameters, more_runs,
    )
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_result_is_the_golden_result(case: str, update: bool) -> None:
    hidden = {r"\S*/tmp\w*/": "FOLDER/"}
    assert_golden(case, CASES[case](), update, hidden, digits=SEARCHED if case == "excited" else EXACT)
