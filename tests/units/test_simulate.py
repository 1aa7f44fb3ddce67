"""`simulate` at the door, and what a run can be turned into: wrong input has its sentence, a file its way back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import manipula as mp
from manipula.pages.charts import Chart, ChartLine
from manipula.simulation import plant_run
from manipula.support.text import plain

pytestmark = pytest.mark.usefixtures("kept_functions")

ARM = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
REF = mp.trajectory.quintic([0, 0], [0.5, -0.2], 0.05)
PLANT = mp.Plant(ARM, effort=None)
LIMITED = mp.Robot.from_dh(
    [{"theta": "q1", "d": 0, "a": 0.4, "alpha": 0, "limits": [-1, 1], "mass": 1, "com": [0, 0, 0],
      "inertia": {"zz": 0.1, "xx": 0.1, "yy": 0.1, "xy": 0, "xz": 0, "yz": 0}}],
)  # fmt: skip


@pytest.fixture(scope="module")
def law() -> mp.Law:
    return mp.controller(ARM, "pd_gravity", kp=100, kd=20, sample=1e-3)


@pytest.fixture(scope="module")
def run(law: mp.Law) -> mp.Run:
    return mp.simulate(PLANT, law, REF)


@pytest.mark.turn
def test_a_run_that_ends_before_its_reference_is_warned_of(law: mp.Law) -> None:
    with pytest.warns(mp.ManipulaWarning, match="ends at 0.02 s, before the reference does, at 0.05 s"):
        run = mp.simulate(PLANT, law, REF, until=0.02)
    assert run.t[-1] == 0.02


def test_a_run_that_diverges_names_joint_and_time() -> None:
    with pytest.raises(mp.errors.DivergenceError, match=r"joint 'theta[12]' runs away at 0\.\d+ s"):
        mp.simulate(PLANT, lambda t, q, qd: 1e4 * qd, start=([0.1, 0.1], [0.1, 0]), until=0.4)


def test_a_long_step_is_warned_of() -> None:
    with pytest.warns(mp.ManipulaWarning, match="take a shorter step than 0.05 s, or another method than 'euler'"):
        run = mp.simulate(ARM, start=[0.3, 0.2], until=1.0, step=0.05, method="euler")
    assert run.balance > 1e-4


def test_a_run_says_what_it_is(run: mp.Run) -> None:
    assert repr(run).startswith("<run of planar2r: 0 … 0.05 s in 51 samples, largest error 0.34, balance ")
    assert "<table>" in run._repr_html_() and "theta1" in run._repr_html_()
    data = json.loads(json.dumps(plain(run)))
    assert data["robot"] == "planar2r" and np.shape(data["q"]) == (51, 2) and data["about"]["law"] == "pd_gravity"
    assert [row["joint"] for row in run.peaks()] == ["theta1", "theta2"]
    np.testing.assert_array_equal(run.error, run.ref.q - run.q)


def test_one_step_in_every_is_kept(law: mp.Law, run: mp.Run) -> None:
    thin = mp.simulate(PLANT, law, REF, every=10)
    np.testing.assert_array_equal(thin.t, run.t[::10])
    for name in ("q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(thin, name), getattr(run, name)[::10])


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_a_log_is_read_back_to_the_last_bit(run: mp.Run, ending: str, tmp_path: Path) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    log = mp.read_log(run.save(tmp_path / f"run{ending}"), ARM)
    assert not log.notes and log.stated
    for name in ("t", "q", "qd", "qdd", "tau"):
        assert getattr(log, name).tobytes() == getattr(run, name).tobytes(), name
    np.testing.assert_array_equal(log.q_ref, run.ref.q)
    assert log.dof == 2


def test_a_batch_is_saved_as_an_archive(law: mp.Law, tmp_path: Path) -> None:
    many = mp.simulate(PLANT, law, start=np.zeros((3, 2)), until=0.01)
    with pytest.raises(mp.InputError, match="a table holds one arm"):
        many.save(tmp_path / "many.csv")
    log = mp.read_log(many.save(tmp_path / "many.npz"))
    np.testing.assert_array_equal(log.q, many.q)
    assert log.joints == ("theta1", "theta2")


def test_what_a_law_remembered_is_in_the_archive_of_a_batch(tmp_path: Path) -> None:
    law = mp.controller(PLANT.robot, "pid", kp=100, ki=50, kd=20, tracking=1, limit=100, filter=0.01, sample=1e-2)
    many = mp.simulate(PLANT, law, start=np.zeros((3, 2)), until=0.05)
    log = mp.read_log(many.save(tmp_path / "many.npz"))
    assert log.state.keys() == many.state.keys() != set()
    for name, values in many.state.items():
        np.testing.assert_array_equal(log.state[name], values)
    with pytest.raises(mp.InputError, match=r"log.plot draws one arm, found a batch of \(3,\): see log.rows"):
        log.plot()


def test_other_files_are_no_logs(run: mp.Run, tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"PK broken")
    with pytest.raises(mp.InputError, match="is no archive of arrays"):
        mp.read_log(tmp_path / "x.npz")
    with pytest.raises(mp.InputError, match="cannot be read"):
        mp.read_log(tmp_path / "y.csv")
    for attempt in (lambda: mp.read_log("log.xls"), lambda: run.save(tmp_path / "run.xls")):
        with pytest.raises(mp.UnknownNameError, match=r"no ending of a log is called '.xls'"):
            attempt()


def test_the_page_stands_alone(run: mp.Run, tmp_path: Path) -> None:
    page = run.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=|url\(|@import|<script", page)
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) == 6 and all(ElementTree.fromstring(picture) is not None for picture in pictures)
    assert "pd_gravity" in page and "theta2: torque" in page and "N·m" in page


def test_pictures_hold_their_lines_and_escape_their_names() -> None:
    rng = np.random.default_rng(1)
    for low, high in ((0.0, 1.0), (-3.0, -2.999), (5.0, 5.0), (-1e9, 1e9)):
        y = rng.uniform(low, high, 50).tolist()
        text = Chart("a < b & c", "x", "y", list(range(50)), [ChartLine("<i>", y)], [high]).svg()
        tree = ElementTree.fromstring(text)
        points = [p for e in tree.iter() if e.tag.endswith("polyline") for p in e.attrib["points"].split()]
        places = np.array([[float(x) for x in p.split(",")] for p in points])
        assert len(places) >= 50 and (places >= 0).all() and (places <= (460, 220)).all()


def test_the_figure_has_a_column_a_joint_with_units(run: mp.Run) -> None:
    pytest.importorskip("matplotlib")
    figure = run.plot(degrees=True)
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == [*["position [deg]"] * 2, *["error [deg]"] * 2, *["torque [N·m]"] * 2]
    assert [axes.get_title() for axes in figure.axes[:2]] == ["theta1", "theta2"]
    drawn = figure.axes[0].lines[0].get_ydata()
    np.testing.assert_allclose(drawn, np.degrees(run.q[:, 0]))


def test_without_matplotlib_a_plot_is_answered_by_a_sentence(run: mp.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(mp.InputError, match=r"run.plot needs matplotlib: pip install 'manipula\[plot\]'"):
        run.plot()


def test_what_a_law_remembered_is_drawn_and_on_the_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    gains: dict[str, Any] = {"kp": 90, "ki": 25, "kd": 15, "tracking": 15, "limit": 40, "filter": 4e-3}
    law = mp.controller(ARM, "pid", sample=1e-3, **gains)
    run = mp.simulate(mp.Plant(ARM, effort=None), law, start=[[0.3, 0.2], [0.1, 0.2]], until=0.02)
    (place,) = run.plot(state="integral").axes
    assert [x.get_label() for x in place.lines] == ["integral 1", "integral 2"]
    np.testing.assert_array_equal(place.lines[1].get_ydata(), run.state["integral"][0, :, 1])
    with pytest.raises(mp.UnknownNameError, match="no state of the law of this run is called 'theta'"):
        run.plot(state="theta")
    text = run.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert "What was remembered" in text and "sample [s]" in text


def test_a_peak_of_one_sample_is_drawn() -> None:
    y = [0.0] * 50_000
    y[31_111] = 7.0
    text = Chart("", "x", "y", list(range(50_000)), [ChartLine("", y)]).svg()
    assert text.count(f",{26.0:.1f}") >= 1 and len(text) < 60_000  # the upper edge is reached


@pytest.mark.turn
def test_loads_have_the_units_of_their_joints() -> None:
    heads, rows = mp.loads(ARM, mp.trajectory.quintic([0, 0], [1, 1], 1.0)).table()
    assert heads[1] == "torque [N·m]" and heads[-1] == "duty" and {len(row) for row in rows} == {len(heads)}
    slide = {"theta": 0, "a": 0, "alpha": 1.5, "type": "prismatic", "mass": 1, "com": [0, 0, 0], "d": 0.1,
             "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0), "effort_limit": 20}  # fmt: skip
    turn = {**slide, "type": "revolute", "effort_limit": 30}
    for joints, effort, speed in (([slide], "N", "m/s"), ([turn, slide], "N·m, N", "rad/s, m/s")):
        robot, n = mp.Robot.from_dh(joints), len(joints)
        heads, rows = mp.loads(robot, mp.trajectory.quintic([0] * n, [1] * n, 1.0)).table()
        assert (heads[1], heads[4], heads[-1]) == (f"torque [{effort}]", f"speed [{speed}]", "of limit")
        assert all(row[-1].endswith(" %") for row in rows)


class Stop:
    """Torques until a time, then Ctrl-C."""

    def __init__(self, until: float) -> None:
        self.until = until

    def __call__(self, t: float, q: Any, qd: Any) -> Any:
        if t >= self.until:
            raise KeyboardInterrupt
        return [0.0, 0.0]


@pytest.mark.turn
@pytest.mark.parametrize("method", ["gauss4", "rk4", "dop853"])
def test_ctrl_c_ends_a_run_with_what_there_is(method: str) -> None:
    run = mp.simulate(PLANT, Stop(0.0125), start=[0.3, 0.2], until=0.05, step=1e-3, method=method)
    assert not run.whole and "interrupted" in repr(run)
    assert run.t[0] == 0 and 0.001 < run.t[-1] < 0.0131 and len(run.t) == len(run.q) == len(run.tau) == len(run.qdd)
    free = mp.simulate(PLANT, start=[0.3, 0.2], until=0.05, method=method)
    np.testing.assert_allclose(run.q, free.q[: len(run.q)], rtol=1e-9)


def test_a_long_run_in_python_tells_how_far_it_is_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plant_run, "TOLD", 10)
    said: list[str] = []
    given: dict[str, Any] = {"start": [0.3, 0.2], "stages": True, "until": 0.021, "step": 1e-3, "tell": said.append}
    mp.simulate(PLANT, lambda t, q, qd: [0.0, 0.0], **given)
    assert 2 <= len(set(said)) == len(said) <= 5


def test_ctrl_c_where_a_function_is_asked_in_every_stage() -> None:
    given: dict[str, Any] = {"start": [0.3, 0.2], "until": 0.02, "step": 1e-3, "stages": True}
    run = mp.simulate(PLANT, Stop(0.0055), **given)
    assert not run.whole and 0.003 < run.t[-1] < 0.006
    np.testing.assert_allclose(run.q, mp.simulate(PLANT, Stop(1.0), **given).q[: len(run.q)], rtol=1e-12)
    with pytest.raises(KeyboardInterrupt):
        mp.simulate(PLANT, Stop(0.0), **given)


@pytest.mark.parametrize("stages", [False, True])
def test_two_samples_are_a_run_and_one_is_none(stages: bool) -> None:
    given: dict[str, Any] = {"start": [0.3, 0.2], "until": 0.02, "step": 1e-3, "stages": stages}
    lengths = []
    for until in (0.0, 0.0005, 0.0012, 0.0022, 0.0032):
        try:
            lengths.append(len(mp.simulate(PLANT, Stop(until), **given).t))
        except KeyboardInterrupt:
            lengths.append(0)
    assert lengths[0] == 0 and sorted({*lengths} - {0})[:2] == [2, 3]


def test_ctrl_c_after_an_event_keeps_what_was_before_it() -> None:
    run = mp.simulate(PLANT, start=[0.3, 0.2], until=0.05, events=[mp.Event(0.02, law=Stop(0.0))])
    assert not run.whole and run.t[-1] == 0.02
    with pytest.raises(KeyboardInterrupt):  # nothing to show
        mp.simulate(PLANT, Stop(0.0), start=[0.3, 0.2], until=0.05)


def test_an_arm_that_holds_its_start_is_driven_in_machine_code_by_what_is_held(law: mp.Law) -> None:
    """A long run of a law without a reference asks for no arrays along time; at rest, rounding is no loss of energy."""
    held = mp.simulate(PLANT, law, start=[[0.3, 0.2], [0.1, 0.0]], until=0.02)
    along = {"q_ref": held.q[:, :1].repeat(21, axis=1), "qd_ref": np.zeros((21, 2))}
    for row in (0, 1):
        again = mp.simulate(PLANT, law, {**along, "q_ref": along["q_ref"][row]}, start=held.q[row, 0], until=0.02)
        assert again.q.tobytes() == held.q[row].tobytes()


@pytest.mark.turn
def test_a_picture_has_an_ending_that_is_one(run: mp.Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert run.save_plot(tmp_path / "new" / "run.svg").read_text(encoding="utf-8").startswith("<?xml")
    for name in ("run.qqq", "run"):
        with pytest.raises(mp.InputError, match=r"expected a picture that ends in \.png"):
            run.save_plot(tmp_path / name)


OPTIONS: dict[str, tuple[Any, Any]] = {  # as written, and as kept
    "friction": ("lugre", "lugre"),
    "effort": ([5, 7.5], (5.0, 7.5)),
    "stops": (False, False),
    "width": (0.5, 0.5),
    "elastic": (300, (300.0, 300.0)),
    "backlash": (np.array([1e-3, 0]), (1e-3, 0.0)),
}


@pytest.mark.parametrize("names", [tuple(OPTIONS)[:k] for k in range(1, 7)] + [("effort", "width"), ("elastic",)])
def test_a_plant_is_what_it_was_given(names: tuple[str, ...]) -> None:
    """Numbers, lists and arrays are the same plant, which may be a key; its text and data have every option, once."""
    link = {"theta": 0, "d": 0, "a": 0.4, "alpha": 0, "mass": 1, "com": [0, 0, 0], "motor_inertia": 0.1,
            "inertia": dict.fromkeys(("xx", "yy", "zz"), 0.1), "friction": {"coulomb": 1.0}}  # fmt: skip
    robot = mp.Robot.from_dh([link, link], name="two")
    shared = {"effort": None, "sigma0": 2e4, "sigma1": 30} if "friction" in names else {"effort": None}
    plant = mp.Plant(robot, **(shared | {name: OPTIONS[name][0] for name in names}))
    again = mp.Plant(robot, **(shared | {name: OPTIONS[name][1] for name in names}))
    assert plant == again and hash(plant) == hash(again)
    other = mp.Plant(robot, **(shared | {name: OPTIONS[name][0] for name in names} | {"width": 0.7}))
    assert plant != other
    data, text = plant.as_dict(), repr(plant)
    assert json.loads(json.dumps(data)) == data and data["robot"] == robot.name
    for name, (_, kept) in OPTIONS.items():
        if name in names:
            assert data[name] == (list(kept) if isinstance(kept, tuple) else kept)
        assert (f" {name}={kept!r}" in text) == (name in names)
    assert text.startswith(f"<plant two: {'lugre' if 'friction' in names else 'stick'} friction, ")
    assert ("sigma0=(20000.0, 20000.0)" in text) == ("friction" in names)
    assert data["sigma1"] == ([30.0, 30.0] if "friction" in names else None)


@pytest.mark.parametrize(
    "names", [("payload",), ("wrench",), ("law",), ("payload", "law"), ("payload", "wrench", "law")]
)
def test_an_event_is_what_changes(names: tuple[str, ...]) -> None:
    def pull(t: float, q: Any, qd: Any) -> Any:
        return [0.0, 0.0]

    every: dict[str, Any] = {"payload": {"mass": 2, "com": [0, 0, 0.1]}, "wrench": [1, 2, 3, 4, 5, 6], "law": pull}
    given = {name: every[name] for name in names}
    event = mp.Event(t=0.25, **given)
    assert event.changes == names
    assert repr(event) == f"Event(t=0.25, {', '.join(f'{name}={value!r}' for name, value in given.items())})"
    assert event.as_dict() == {"t": 0.25, **given, **({"law": "pull"} if "law" in names else {})}
