"""What a simulation refuses in its own rooms, and short runs by hand: one step, one arm of many, a torque in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import DivergenceError
from manipula.simulation.balance import _integral
from manipula.simulation.event_driven import integrate
from manipula.simulation.exact.drives import Rubbing
from manipula.simulation.exact.equations import refuse_times, rising_times, start_from
from manipula.simulation.runner import _above
from manipula.simulation.scenario import ReferenceTable, motion_from
from manipula.trajectories.time_scaling import fastest, path_of

tr = mp.trajectory
WEIGHT = '<inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/>'
REF = tr.quintic([0, 0], [1, -0.5], 0.5)


def arm() -> mp.Robot:
    return mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)


def two(behind: str, joint: str = "") -> mp.Robot:
    """Two bodies, j and k, and what a file of MuJoCo says behind them."""
    inner = f'<body name="c"><joint name="k" {joint}/>{WEIGHT}</body>'
    bodies = f'<body name="b">{WEIGHT}<joint name="j"/>{inner}</body>'
    return mp.Robot.from_text(f"<mujoco><worldbody>{bodies}</worldbody>{behind}</mujoco>", "mjcf")


FOLLOWS = '<equality><joint joint1="k" joint2="j"/></equality>'
SPANS = (
    '<tendon><fixed name="t" frictionloss="2"><joint joint="j" coef="1"/><joint joint="k" coef="1"/></fixed></tendon>'
)


def test_a_joint_that_follows_has_no_spring_and_no_friction_of_two_joints() -> None:
    with pytest.raises(
        mp.InputError, match=r"^joint 'k' follows others, so which spring drives it is not said; an arm"
    ):
        mp.Plant(two(FOLLOWS), effort=None, elastic=[100.0])
    with pytest.raises(mp.InputError, match=r"^joint 't': it rubs and follows 2 joints at once; without friction"):
        Rubbing(two(SPANS))
    loaded = two(FOLLOWS, 'frictionloss="1"').with_friction(j={"load": 0.1})
    with pytest.raises(mp.InputError, match=r"^robot: friction that follows the load is not simulated where joints"):
        Rubbing(loaded)


def test_a_start_is_between_the_stops() -> None:
    low, high = np.array([-1.0, -0.2]), np.array([1.0, 0.4])
    q, qd = start_from(([-1.0, 0.4], [2, 3]), ("a", "b"), low, high)  # on a stop is inside
    assert q.tolist() == [-1.0, 0.4] and qd.tolist() == [2, 3]
    assert start_from([0.5, 0], ("a", "b"), low, high)[1].tolist() == [0, 0]
    for wrong, told in (
        ([0, 0.5], "joint 'b' is at 0.5, outside its limits -0.2 … 0.4"),
        ([-1.25, 0], "joint 'a' is at -1.25, outside its limits -1 … 1"),
    ):
        with pytest.raises(mp.InputError, match=f"^start: {told}; stops=False lets it$"):
            start_from(wrong, ("a", "b"), low, high)
    for value, name in (([0, np.nan], "q"), ([0], "q"), (([0, 0], [1]), "qd")):
        with pytest.raises(mp.InputError, match=f"^start: {name}: expected 2 finite numbers, found"):
            start_from(value, ("a", "b"), low, high)
    with pytest.raises(mp.InputError, match=r"^start: q: expected 2 numbers, found 'here'"):
        start_from("here", ("a", "b"), low, high)


@pytest.mark.parametrize(
    "rtol, atol, longest", [(0.0, 1.0, 1.0), (1.0, 1.0, 1.0), (0.5, 0.0, 1.0), (0.5, 1.0, 0.0), (0.5, -1.0, 2.0)]
)
def test_tolerances_are_above_zero(rtol: float, atol: float, longest: float) -> None:
    refuse_times(0.0, 1.0, 0.5, 1e-9, 1e-3)
    with pytest.raises(mp.InputError, match=f"^rtol, atol, longest: .* found {rtol}, {atol}, {longest}$"):
        refuse_times(0.0, 1.0, rtol, atol, longest)
    for until in (1.0, 0.5, np.inf, np.nan):
        with pytest.raises(mp.InputError, match=f"^until: expected a time after 1 s, found {until}$"):
            refuse_times(1.0, until, 0.5, 1.0, 1.0)


def test_times_rise_from_the_start_to_the_end() -> None:
    assert rising_times([1, 1.5, 2], 1.0, 2.0).tolist() == [1, 1.5, 2]
    wrongs: list[Any] = [[], [[1.0]], [1, 1], [2, 1.5], [0.9, 1.5], [1.5, 2.1]]
    for wrong in wrongs:
        with pytest.raises(mp.InputError, match=r"^at: expected rising times from 1 to 2 s, found "):
            rising_times(wrong, 1.0, 2.0)


def test_loads_are_asked_for_by_name_and_of_motions_that_take_time() -> None:
    loads = mp.loads(arm(), REF)
    assert loads["theta2"] is loads[1] and repr(loads) == "<loads of planar2r: 2 joints along 0.5 s>"
    with pytest.raises(mp.InputError, match=r"^no joint is called 'elbow'; there are theta1, theta2$"):
        loads["elbow"]
    still = tr.trapezoid([1, 1], [1, 1], velocity=1, acceleration=1)
    with pytest.raises(mp.InputError, match=r"^loads: expected a motion that takes time, found 0\.0 s$"):
        mp.loads(arm(), still)


def test_a_truth_of_numpy_is_one() -> None:
    no: Any = np.bool_(False)
    assert mp.Plant(arm(), effort=None, elastic=no) == mp.Plant(arm(), effort=None, elastic=False)


def test_of_many_arms_the_one_that_runs_away_is_named() -> None:
    start = ([[0.1, 0.2]] * 3, [[0, 0], [0, 1e200], [0, 0]])
    with pytest.raises(DivergenceError) as told:
        mp.simulate(mp.Plant(arm(), effort=None), start=start, until=0.02, step=1e-2)
    said = str(told.value)
    assert said.startswith("joint 'theta") and "' of row 1 runs away at " in said
    assert said.endswith("take a shorter step than 0.01 s, another method than 'rk4', or other gains")


def test_steps_that_leave_much_are_counted_over_the_arms() -> None:
    with pytest.warns(mp.ManipulaWarning, match=r"^friction is solved to 0.5 in some step in 2 of 3 arms: take a sh"):
        assert _above("friction is solved", [np.array([0.1, 0.6, 0.2]), np.array([0.1, 0, 0.7])], 0.5).tolist() == [
            False,
            True,
            True,
        ]
    with pytest.warns(mp.ManipulaWarning, match=r"^friction is solved to 0.5 in some step: take a shorter step$"):
        assert _above("friction is solved", [np.array(0.1), np.array(0.6)], 0.5)
    assert not _above("friction is solved", [np.array(0.1), np.array(0.5)], 0.5)


def test_a_scenario_may_follow_points_or_a_table(tmp_path: Path) -> None:
    points = [[0.0, 0.0], [30.0, 0.5], [90.0, 0.2]]
    for times in (None, [0.0, 0.5, 2.0]):
        found = motion_from(ReferenceTable(kind="spline", points=points, times=times), [True, False], True, tmp_path)
        wanted = tr.spline(np.array(points) * [np.pi / 180, 1], times)
        assert found.duration == wanted.duration and np.allclose(found(0.4).q, wanted(0.4).q)
    (tmp_path / "motion.csv").write_text("t,q1,q2\n0,0,0\n0.5,0.1,0.2\n1,0.3,0.2\n1.5,0.3,0.1\n", encoding="utf-8")
    table = motion_from(ReferenceTable(kind="table", file="motion.csv"), [True, False], False, tmp_path)
    assert table.duration == 1.5 and np.allclose(table([0.5, 1.5]).q, [[0.1, 0.2], [0.3, 0.1]])
    with pytest.raises(mp.InputError, match=r"^reference: spline needs points$"):
        motion_from(ReferenceTable(kind="spline", times=[0.0, 1.0]), [True, False], False, tmp_path)
    with pytest.raises(mp.InputError, match=r"^reference: spline has no duration, velocity$"):
        motion_from(
            ReferenceTable(kind="spline", points=points, duration=1.0, velocity=2.0), [True, False], False, tmp_path
        )


def test_energy_of_a_run_of_two_times_is_a_trapezoid() -> None:
    t, power = np.array([0.5, 0.75]), np.array([[1.0, 3.0], [0.0, -8.0]])
    assert _integral(t, power).tolist() == [[0, 0.5], [0, -1.0]]
    with pytest.raises(DivergenceError, match=r"^the power of this run is not finite"):
        _integral(t, np.array([1.0, np.inf]))


@pytest.mark.turn
@pytest.mark.usefixtures("without_search")
def test_torques_in_python_and_parameters_given_are_the_run_of_numbers() -> None:
    """A function asked at every step of an arm whose masses are given by name, for one arm and for several."""
    robot, asked = mp.Plant(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, g=9.81), effort=None), list[float]()

    def torque(t: float, q: Any, qd: Any) -> Any:
        asked.append(t)
        return np.array([2.0, -1.0]) - 0.3 * np.asarray(qd) + 0.1 * np.asarray(q)

    options: Any = {"start": [0.3, 0.2], "until": 0.004, "step": 1e-3}
    want = mp.simulate(mp.Plant(arm(), effort=None), torque, **options)
    assert asked == pytest.approx([0, 1e-3, 2e-3, 3e-3, 4e-3])
    found = mp.simulate(robot, torque, **options, parameters={"m1": 3, "m2": 2})
    for name in ("q", "qd", "tau"):
        np.testing.assert_allclose(getattr(found, name), getattr(want, name), rtol=1e-12, atol=1e-14)
    lighter = mp.simulate(robot, torque, **options | {"start": [0.1, 0.4]}, parameters={"m1": 2.5, "m2": 2})
    many = options | {"start": [[0.3, 0.2], [0.1, 0.4]]}
    both = mp.simulate(robot, torque, **many, parameters={"m1": [3, 2.5], "m2": 2})
    np.testing.assert_allclose(both.q, [want.q, lighter.q], rtol=1e-12, atol=1e-14)


# from event to event


@pytest.mark.turn
def test_modes_are_what_changes_and_velocities_say_and_evaluations_are_counted() -> None:
    """Modes follow each other without a gap; what sticks or slips between them is a change; what rests has no rate."""
    robot = arm().with_friction(theta1={"coulomb": 4.0}, theta2={"coulomb": 1.0}).with_gravity(0, 0, 0)
    asked = 0

    def push(t: float, q: Any, qd: Any) -> Any:
        nonlocal asked
        asked += 1
        return np.array([5 * np.sin(7 * t), 1.6 * np.sin(13 * t)])

    course = integrate(
        mp.Plant(robot, effort=None), None, [0.3, 0.4], 1.7, since=0.2, push=push, rtol=1e-8, atol=1e-9, longest=0.05
    )
    assert len(course.modes) > 4 and {x for mode in course.modes for x in mode.resting} == {True, False}
    assert course.modes[0].since == 0.2 and course.modes[-1].until == course.t[-1] == 1.7
    resting = list(course.modes[0].resting)
    for one, other in zip(course.modes, course.modes[1:]):
        assert one.since < one.until == other.since and one.resting != other.resting
        for change in course.changes:
            if change.t == other.since and change.what in ("sticks", "slips"):
                resting[change.joint] = change.what == "sticks"
        assert tuple(resting) == other.resting
    for mode in course.modes:
        inside = (course.t > mode.since) & (course.t < mode.until)
        for j, rests in enumerate(mode.resting):
            assert not rests or (not course.qd[inside, j].any() and not course.qdd[inside, j].any())
            assert rests or course.qd[inside, j].all()
    # every evaluation asks for the push once; a row that is told asks twice and is not counted
    assert asked == course.evaluations + 2 * len(course.t)


# references


@pytest.mark.parametrize("wrong", ["fast", {}, [1, "x"]])
def test_a_limit_that_is_no_number(wrong: Any) -> None:
    with pytest.raises(mp.InputError, match=r"^trapezoid: velocity: expected a number or 2, one a joint, found "):
        tr.trapezoid([0, 0], [1, 1], velocity=wrong, acceleration=1)


def test_a_path_goes_somewhere() -> None:
    for ref in (tr.quintic([1, 2], [1, 2], 1), tr.spline([[1, 2], [1, 2], [1, 2]], [0, 1, 2])):
        with pytest.raises(mp.InputError, match=r"^plan: path: the start and the end are the same$"):
            path_of(ref, "plan")
    assert path_of(tr.quintic([1, 2], [1, 3], 1), "plan").length == 1.0  # one joint is enough


def test_tool_curves_start_and_end_at_one_pose() -> None:
    planar = mp.Arm(arm())
    poses = planar.pose(np.array([[0.1, 0.5], [0.2, 0.6]]))
    with pytest.raises(
        mp.InputError, match=r"^line: start: expected a pose \(4, 4\) or a configuration, found an array"
    ):
        tr.line(planar, poses, poses[0], duration=1)
    with pytest.raises(
        mp.InputError, match=r"^line: goal: expected a pose \(4, 4\) or a position \(3,\), found an arr"
    ):
        tr.line(planar, [0.1, 0.5], poses, duration=1)


def test_a_speed_outside_the_first_controllable_set_has_no_profile() -> None:
    """x' = 2u, |u| ≤ 1 over two intervals of 1: x(0) = 0 … 4 can stop at the end, 5 cannot."""
    n, m = 2, 1
    a, b = np.ones(n * 2 * m), np.zeros(n * 2 * m)
    low, high, top = -np.ones(n * 2 * m), np.ones(n * 2 * m), np.full(n + 1, 100.0)
    for start, said in ((0.0, -1), (4.0, -1), (5.0, -2), (-1.0, -2)):
        least, most, x, u = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1), np.zeros(n)
        assert fastest(n, m, np.ones(n), a, b, low, high, top, start, 0.0, least, most, x, u) == said
        if said == -1:
            assert x[[0, -1]].tolist() == [start, 0] and np.abs(u).max() <= 1 + 1e-12
            assert x[1] == pytest.approx(2.0)
