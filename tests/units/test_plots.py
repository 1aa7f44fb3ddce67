"""Figures of arms: units on every axis, nothing shown, and what is drawn is where the models say."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.drawing.record import drawing_of
from manipula.mechanics.drawing.skeleton import axes_of, freedom_of, jacobian_of, poses_of
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from manipula.simulation.balance import Rest
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot, random_tree
from tests.units.test_drawing import with_followers

pytest.importorskip("matplotlib")


def labels(place: Any) -> list[str]:
    return [getattr(place, f"get_{x}label")() for x in "xyz" if hasattr(place, f"get_{x}label")]


def arms() -> list[mp.Arm]:
    tilted = mp.Robot.from_dh(
        [("q1", 0.1, 0.4, 90), ("q2", 0.2, 0.3, 0), (0, "q3", 0, 0, "P")], angle="deg", name="$a_1$"
    )
    return [mp.Arm("planar2r"), mp.Arm(tilted), mp.Arm("rp")]


def kept() -> list[int]:
    """The figures that pyplot holds, which a window would show."""
    return list(sys.modules["matplotlib.pyplot"].get_fignums()) if "matplotlib.pyplot" in sys.modules else []


@pytest.mark.drawn("k")
@pytest.mark.parametrize("k", range(3))
def test_every_figure_of_an_arm_has_metres_on_its_axes(k: int) -> None:
    arm, before = arms()[k], kept()
    rows = np.linspace(np.zeros(arm.dof), np.full(arm.dof, 0.4), 9)
    figures = [arm.plot(rows, frames=True, names=True), arm.plot_ellipsoid(), arm.plot_workspace(200)]
    figures[k].draw_without_rendering()
    for figure in figures:
        drawn = [place for place in figure.axes if place.get_label() != "<colorbar>"]
        assert drawn
        for place in drawn:
            assert all(label.endswith("[m]") for label in labels(place)) and labels(place)
        title = figure.get_suptitle() or drawn[0].get_title()
        assert arm.robot.name in title.replace("\\$", "$")
    heads = [figure._suptitle or figure.axes[0].title for figure in figures]
    assert len({head.get_fontsize() for head in heads}) == 1, "titles of one size"
    assert kept() == before


def test_the_way_of_the_tool_is_that_of_the_models() -> None:
    arm = mp.Arm(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4))
    rows = np.linspace([0.1, 0.2], [0.9, 1.4], 12)
    place = arm.plot(rows).axes[0]
    (way,) = (line for line in place.lines if line.get_label() == "way of the tool")
    np.testing.assert_allclose(np.array(way.get_data()).T, arm.pose(rows)[:, :2, 3], atol=1e-12)
    assert not [line for line in arm.plot(rows, trail=False).axes[0].lines if line.get_label() == "way of the tool"]


@pytest.mark.parametrize("base", [(0, 0, 0), (2, -3, 0), (-4, 1, 0.5)])
def test_a_figure_is_as_large_as_the_arm_wherever_it_stands(base: tuple[float, float, float]) -> None:
    """All places of the arm and its foot below are within, and not much besides."""
    arm = mp.Arm(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4).with_base(xyz=base))
    place = arm.plot([[0.3, 0.4]]).axes[0]
    elbow = np.array(base[:2]) + 0.5 * np.array([np.cos(0.3), np.sin(0.3)])
    points = np.array([base[:2], elbow, arm.pose([0.3, 0.4])[:2, 3]])
    low, high = points.min(0), points.max(0)
    for (left, right), least, most in zip((place.get_xlim(), place.get_ylim()), low, high, strict=True):
        assert left < least and most < right
        assert right - left < 1.5 * float((high - low).max())


def test_the_velocity_of_the_tool_is_that_of_the_models() -> None:
    rng = np.random.default_rng(8)
    for seed in range(20):
        robot = random_robot(seed, screws=seed % 3 == 0) if seed % 2 else random_tree(seed)
        robot = with_followers(robot, seed) if seed % 5 == 0 else robot
        record = drawing_of(robot)
        q = rng.uniform(-2, 2, robot.dof)
        poses = poses_of(record, q)
        tree = merge_fixed(bind(robot, FLOATS, {}))
        rows = np.array(jacobian(tree, tree.coordinates.spread(list(q))), dtype=float)[:3]
        expected = np.array([tree.coordinates.gather(list(row)) for row in rows])
        found = jacobian_of(record, poses, axes_of(record, poses))
        np.testing.assert_allclose(found, expected, atol=1e-12 * max(1, np.abs(expected).max()), err_msg=robot.name)


def test_freedom_is_yoshikawas_measure_over_the_largest() -> None:
    J = np.random.default_rng(1).normal(size=(50, 3, 5))
    w = np.sqrt(np.linalg.det(J @ J.transpose(0, 2, 1)))
    np.testing.assert_allclose(freedom_of(J), w / w.max(), rtol=1e-12)
    assert freedom_of(np.zeros((4, 3, 2))).tolist() == [0, 0, 0, 0]


def test_ellipsoids_tell_their_half_axes() -> None:
    """At q2 = 90° of a 2R arm the columns of J are (−l2, l1) and (−l2, 0), whatever q1."""
    arm = mp.Arm(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4))
    (legend,) = arm.plot_ellipsoid([0.3, np.pi / 2]).legends
    sigma = np.linalg.svd([[-0.4, -0.4], [0.5, 0.0]], compute_uv=False)
    told = [text.get_text() for text in legend.get_texts()]
    assert told[0] == f"velocity: {sigma[0]:.3g}, {sigma[1]:.3g} m/s per rad/s"
    assert told[1] == f"force: {1 / sigma[0]:.3g}, {1 / sigma[1]:.3g} N per N·m"
    stretched = arm.plot_ellipsoid([0.3, 0.0]).legends[0].get_texts()[1].get_text()
    assert stretched.endswith("∞ N per N·m")


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("turn", [0.4, 1.9, -2.5])
def test_ellipsoids_are_what_the_jacobian_makes_of_a_ball(planar: bool, turn: float) -> None:
    """Velocities v = J q̇, |q̇| = 1, and forces with |Jᵀf| = 1, drawn to scale from the tool: xᵀ(JJᵀ)⁻¹x and xᵀJJᵀx are
    the same all over each surface."""
    arm = mp.Arm(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4)) if planar else mp.Arm("puma560")
    q = np.array([turn, 0.7, 0.5, 1.1, 0.9, 0.4])[: arm.robot.dof]
    (place,) = arm.plot_ellipsoid(q).axes
    J = arm.jacobian(q)[: 2 if planar else 3]
    tool = arm.pose(q)[: len(J), 3]
    if planar:
        drawn = {line.get_label().partition(":")[0]: np.array(line.get_data()) for line in place.lines}
    else:
        drawn = {c.get_label().partition(":")[0]: np.vstack(c._segments3d).T for c in place.collections}
    for name, form in (("velocity", np.linalg.inv(J @ J.T)), ("force", J @ J.T)):
        x = drawn[name].T - tool
        size = np.einsum("ki,ij,kj->k", x, form, x)
        np.testing.assert_allclose(size, size.mean(), rtol=1e-9)


WRONG = [("plot", [1.0]), ("plot", [[0.0, float("nan")]]), ("plot", "home"), ("plot_ellipsoid", [[0.0, 0.0]]),
         ("plot_workspace", 0), ("plot_workspace", True), ("plot_workspace", 1e3)]  # fmt: skip


@pytest.mark.parametrize(("verb", "given"), WRONG)
def test_what_is_wrong_is_told(verb: str, given: Any, whole: Sentences) -> None:
    with whole.raises(mp.InputError):
        getattr(mp.Arm("planar2r"), verb)(given)


@pytest.mark.parametrize("verb", ["plot", "plot_ellipsoid", "plot_workspace"])
def test_without_matplotlib_a_sentence_names_the_extra(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(mp.InputError, match=rf"arm\.{verb} needs matplotlib: pip install 'manipula\[plot\]'"):
        getattr(mp.Arm("planar2r"), verb)()


def test_counts_are_bars_with_their_totals() -> None:
    table = mp.count("planar2r", ["inverse_dynamics"])
    (place,) = table.plot("two links").axes
    totals = [int(text.get_text()) for text in place.texts]
    assert totals == [row.total for row in table]
    assert place.get_xlabel() == "operations a call" and place.get_title() == "two links"
    assert [label.get_text() for label in place.get_yticklabels()] == [row.method for row in table]


@pytest.mark.turn
@pytest.mark.usefixtures("kept_functions")
def test_a_run_shows_where_friction_holds_a_joint() -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    robot = robot.with_friction(theta1={"coulomb": 80}, theta2={"viscous": 0.1})
    run = mp.simulate(mp.Plant(robot, friction="stick", effort=None), start=[0.3, 0.2], until=0.05, step=1e-3)
    held = {rest.joint for rest in run.modes}
    assert held == {0}
    figure = run.plot()
    spans = [sum(type(patch).__name__ in ("Polygon", "Rectangle") for patch in place.patches) for place in figure.axes]
    assert spans[0] > 0 and spans[1] == 0
    assert "held by friction" in figure.get_suptitle()
    assert figure._repr_png_().startswith(b"\x89PNG")


@pytest.mark.turn
def test_every_figure_over_time_has_its_units_and_the_numbers_of_its_result() -> None:
    """Whatever shows something over time: seconds below, a quantity with its unit beside, the arrays as they are."""
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    law = mp.controller(robot, "pid", kp=100, ki=50, kd=20, tracking=5, limit=80, filter=0.01, sample=1e-3)
    run = mp.simulate(mp.Plant(robot, effort=None), law, mp.trajectory.quintic([0, 0], [1, -0.5], 0.05))
    (state,) = [name for name, values in run.state.items() if values.shape[-1] == 2][:1]
    motion = mp.excite(robot, seconds=2, harmonics=2, seeds=1)
    figures = {
        "run": (run.plot(), [run.q[:, 0], run.q[:, 1]]),
        "state": (run.plot(state=state), [run.state[state][:, 0], run.state[state][:, 1]]),
        "degrees": (run.plot(degrees=True), list(np.degrees(run.q).T)),
        "log": (mp.Log(run.t, run.q, run.tau).plot(), [*run.q.T, *run.tau.T]),
        "motion": (motion.plot(), []),
    }
    for name, (figure, curves) in figures.items():
        rows = {place.get_subplotspec().rowspan.stop for place in figure.axes}
        for place in figure.axes:
            assert place.get_ylabel().endswith("]") and " [" in place.get_ylabel(), name
            last = place.get_subplotspec().rowspan.stop == max(rows)
            assert place.get_xlabel() == ("time [s]" if last else ""), name
        drawn = [line.get_ydata() for place in figure.axes for line in place.get_lines()]
        for curve in curves:
            assert any(len(y) == len(curve) and np.allclose(y, curve) for y in drawn), name
        lines = [line for place in figure.axes for line in place.get_lines() if line.get_linestyle() != "None"]
        times = [line.get_xdata() for line in lines if len(line.get_xdata()) > 2]
        assert all(t[0] == 0 and np.all(np.diff(t) > 0) for t in times), name


def made_run(rows: int, reference: bool, elastic: bool) -> mp.Run:
    """A run of drawn numbers: a joint that turns, near its limit, one that slides, one that is far from its limit."""
    rng = np.random.default_rng(rows + 10 * reference + 20 * elastic)
    link = {"theta": 0, "d": 0.1, "a": 0.2, "alpha": 0.5, "mass": 1, "com": [0, 0, 0],
            "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)}  # fmt: skip
    robot = mp.Robot.from_dh(
        [{**link, "effort_limit": 12.0}, {**link, "type": "prismatic"}, {**link, "effort_limit": 500.0}], name="three"
    )
    batch = (rows,) if rows > 1 else ()
    q, qd, qdd, tau, *ref = rng.uniform(-3, 3, (7, *batch, 9, 3))
    t = np.cumsum(rng.uniform(0.1, 0.2, 9))
    state = {"integral": rng.uniform(-1, 1, (*batch, 9, 4)), "many": np.zeros((*batch, 9, 101))}
    if elastic:
        state |= {"motor": rng.uniform(-3, 3, (*batch, 9, 3)), "motor_rate": rng.uniform(-3, 3, (*batch, 9, 3))}
    modes = () if rows > 1 else (Rest(0, t[1], t[3]), Rest(2, t[0], t[2]), Rest(2, t[5], t[8]))
    about = {"law": "pid", "sample": 0.001, "step": 0.0005, "until": 2.5, "noise": None}
    return mp.Run(
        robot, t, q, qd, qdd, 3 * tau, Motion(*ref) if reference else None, state, 1.25e-7, True, about, modes
    )


@pytest.mark.drawn("degrees")
@pytest.mark.parametrize(
    "rows, reference, elastic", [(1, True, True), (1, True, False), (1, False, False), (25, True, True)]
)
@pytest.mark.parametrize("degrees", [False, True])
def test_a_figure_of_a_run_holds_every_row_limit_and_rest(
    rows: int, reference: bool, elastic: bool, degrees: bool
) -> None:
    """Lines and their strokes, limits where they are near, legends, and the times in which a joint rests."""
    run = made_run(rows, reference, elastic)
    figure = run.plot(degrees=degrees)
    units = [np.degrees(1) if degrees and turns else 1.0 for turns in (True, False, True)]
    angle = "deg" if degrees else "rad"
    wanted: list[tuple[str, Any, Any]] = [("position", run.q, run.ref and run.ref.q)]
    wanted += [("error", run.ref.q - run.q, None)] if run.ref else []
    wanted += [("motor − joint", run.state["motor"] - run.q, None)] if elastic else []
    wanted += [("torque", run.tau, None)]
    assert len(figure.axes) == 3 * len(wanted)
    for place, (j, (name, solid, dashed)) in zip(
        figure.axes, [(j, row) for row in wanted for j in range(3)], strict=True
    ):
        scale = 1.0 if name == "torque" else units[j]
        effort = "force [N]" if j == 1 else "torque [N·m]"
        assert place.get_ylabel() == (effort if name == "torque" else f"{name} [{'m' if j == 1 else angle}]")
        lines = [(line.get_linestyle(), line.get_ydata()) for line in place.lines if len(line.get_xdata()) == 9]
        for stroke, values in (("-", solid), ("--", dashed)):
            drawn = [y for kind, y in lines if kind == stroke]
            rows_of = [] if values is None else values[..., j].reshape(-1, 9)[:20]
            np.testing.assert_allclose(np.array(drawn).reshape(-1, 9), scale * np.array(rows_of).reshape(-1, 9))
        levels = sorted(y[0] for line in place.lines if len(y := line.get_ydata()) == 2)
        assert levels == ([-12.0, 12.0] if name == "torque" and j == 0 else [])
        legend = place.get_legend()
        assert (legend is not None) == (name == "position" and reference and rows == 1)
        assert legend is None or [x.get_text() for x in legend.get_texts()] == ["actual", "wanted"]
        boxes = [patch.get_path().get_extents(patch.get_patch_transform()) for patch in place.patches]
        spans = [(rest.since, rest.until) for rest in run.modes if rest.joint == j]
        np.testing.assert_allclose(np.ravel([(box.x0, box.x1) for box in boxes]), np.ravel(spans))
    assert figure.get_suptitle() == "three, pid" + ("; grey: held by friction or a stop" if rows == 1 else "")


@pytest.mark.parametrize("rows, reference", [(1, True), (3, False)])
def test_the_page_of_a_run_has_its_numbers(rows: int, reference: bool, tmp_path: Path) -> None:
    """Settings with their units, the largest values, the balance; a chart of every row and of every small state."""
    run = made_run(rows, reference, False)
    page = run.report(tmp_path / "run.html").read_text(encoding="utf-8")
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    for row in (["law", "pid"], ["sample [s]", "0.001"], ["step [s]", "0.0005"], ["until [s]", "2.5"]):
        assert row in cells
    assert "noise" not in page and "<title>Run of three" in page
    for j, name in enumerate(run.joints):
        q, speed, effort = run.q[..., j], np.abs(run.qd[..., j]), np.abs(run.tau[..., j])
        numbers = [q.min(), q.max(), speed.max(), effort.max()]
        numbers += [np.abs(run.ref.q - run.q)[..., j].max()] if run.ref else []
        shown = [f"{x:.6g}" for x in numbers]
        assert [name, "m" if j == 1 else "rad", *shown, *([] if reference else [""])] in cells
        brief = "".join(f"<td>{x:.4g}</td>" for x in numbers)
        assert brief in run._repr_html_()
    assert "the largest energy that took part: 1.2e-07." in page
    assert page.count("<svg") == 3 * (3 if reference else 2) + 1
    assert "integral [SI]" in page and "many" not in page


@pytest.mark.parametrize("name, seen", [("rp", ["from the side"]), ("stanford3", ["from the side", "from above"])])
def test_views_of_a_workspace_stand_side_by_side(name: str, seen: list[str]) -> None:
    """One above the other they would leave a wide sheet half empty."""
    figure = mp.Arm(name).plot_workspace(50)
    *views, bar = figure.axes
    boxes = [place.get_position() for place in views]
    assert bar.get_label() == "<colorbar>" and [place.get_title() for place in views] == seen
    assert all(a.x1 <= b.x0 and abs(a.y0 + a.y1 - b.y0 - b.y1) < 1e-6 for a, b in pairwise(boxes))
