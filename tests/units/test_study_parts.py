"""Parts of studies against what they say: drives and ways of designs, gains, tolerances, forms, folders, fronts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.cases import cases
from manipula.studies.catalogue import design, entry, gains, tolerance, tune
from manipula.studies.designs import drives, tasks, verdict
from manipula.studies.results import store as stored
from manipula.studies.results.front import Front, front_of
from manipula.studies.results.store import Remaining, Store
from manipula.studies.work.worker import CaseBlock

# drives


def asked(tau: Any, a: Any, v: Any) -> drives.Asked:
    return drives.Asked(*([np.asarray(x, float)] for x in (tau, a, v)))


def test_a_drive_bears_the_torque_and_its_own_rotor() -> None:
    catalogue = [drives.Drive("a", 10.0, 5.0, 2.0, 0.5), drives.Drive("b", 4.0, np.inf, 8.0)]
    once = asked([1.0, -3.0], [2.0, -2.0], [1.0, -4.0])
    np.testing.assert_allclose(drives.uses_of(catalogue, once), [[0.4, np.sqrt(10) / 5, 2.0], [0.75, 0.0, 0.5]])
    twice = drives.Asked(*([*x, np.array([3.9, 0.0])] for x in once[:3]))
    np.testing.assert_allclose(drives.uses_of(catalogue, twice)[1], [0.975, 0.0, 0.5])
    choice = drives.choose_drive(catalogue, once, "mass")
    assert choice.drive == 1 and choice.worst == 0.75 and choice.what == "torque"


@pytest.mark.parametrize("by, best", [("mass", 1), ("price", 2)])
def test_the_lightest_or_cheapest_drive_that_holds(by: str, best: int) -> None:
    catalogue = [drives.Drive("weak", 1.0, 9, 9, 0, 0.1, 1.0), drives.Drive("light", 9, 9, 9, 0, 1.0, 5.0),
              drives.Drive("cheap", 9, 9, 9, 0, 2.0, 3.0), drives.Drive("equal", 9, 9, 9, 0, 1.0, 5.0),
              drives.Drive("dear", 9, 9, 9, 0, 1.0, 6.0), drives.Drive("heavy", 9, 9, 9, 0, 3.0, 3.0)]  # fmt: skip
    assert drives.choose_drive(catalogue, asked([2.0], [0.0], [1.0]), by).drive == best
    assert drives.choose_drive(catalogue[:1], asked([1.0], [0.0], [9.0]), by).drive == 0  # just held
    none = drives.choose_drive(catalogue, asked([20.0], [0.0], [90.0]), by)
    assert none.drive == -1 and none.worst == 10.0 and none.what == "speed"


def test_the_largest_speed_that_holds() -> None:
    assert verdict._fastest(lambda s: True) == 16.0
    for most in (1.0, 1.7, 5.0, 15.9):
        found = verdict._fastest(lambda s, most=most: s <= most)
        assert most / 1.001 <= found <= most


# ways


def test_a_motion_through_stops_begins_and_ends_at_rest() -> None:
    stops = np.array([[0.0, 1.0], [1.0, 1.0], [3.0, -1.0]])
    found = tasks.motion_through(stops, 2.0)
    count = len(found.q) // 2
    for leg in range(2):
        part = slice(leg * count, (leg + 1) * count)
        np.testing.assert_allclose(found.q[part][[0, -1]], stops[leg : leg + 2])
        np.testing.assert_allclose(found.qd[part][[0, -1]], 0, atol=1e-12)
        np.testing.assert_allclose(
            np.trapezoid(found.qd[part], dx=found.step, axis=0), stops[leg + 1] - stops[leg], rtol=1e-2
        )
        np.testing.assert_allclose(
            np.gradient(found.qd[part], found.step, axis=0)[2:-2], found.qdd[part][2:-2], atol=0.4
        )
    assert found.step * (count - 1) == pytest.approx(1.0)
    fast = found.faster(2.0)
    np.testing.assert_allclose(fast.qd, 2 * found.qd)
    np.testing.assert_allclose(fast.qdd, 4 * found.qdd)
    assert fast.step == found.step / 2 and fast.q is found.q
    rest = tasks.motion_through(stops[:1], 2.0)
    assert rest.step == 0.0 and not rest.qd.any() and not rest.qdd.any() and rest.q.shape == (1, 2)


def test_the_best_way_of_all_ways() -> None:
    """Against every way; a joint without ends takes the turn that is nearest."""
    rng = np.random.default_rng(2)
    answers = [rng.uniform(-3, 3, (k, 2)) for k in (3, 4, 2)]
    space = tasks.Space(np.array([-np.inf, -4.0]), np.array([np.inf, 4.0]), np.array([True, True]))

    def price(legs: np.ndarray) -> np.ndarray:
        return np.abs(np.diff(legs, axis=1)).sum((1, 2)) + 0.1 * legs[:, -1, 1] ** 2

    def cost(way: np.ndarray) -> float:
        return float(sum(price(way[None, k : k + 2])[0] for k in range(len(way) - 1)))

    found = tasks.best_way(answers, space, price)
    every = []
    for a in answers[0]:
        for b in answers[1]:
            for c in answers[2]:
                way = np.array([a, b, c])
                for k in (1, 2):
                    way[k, 0] += 2 * np.pi * np.round((way[k - 1, 0] - way[k, 0]) / (2 * np.pi))
                every.append(way)
    assert cost(found) == pytest.approx(min(map(cost, every)))
    one = tasks.best_way(answers[:1], space, lambda rows: rows[:, 0, 1])
    np.testing.assert_array_equal(one[0], answers[0][np.argmin(answers[0][:, 1])])


def test_configurations_that_are_one() -> None:
    rows = np.array([[0.0, 0.0], [0.0, 5e-4], [0.0, 2e-3], [1.0, 0.0], [1.0, 9e-4]])
    assert tasks._apart(rows).tolist() == [[0.0, 0.0], [0.0, 2e-3], [1.0, 0.0]]
    assert len(tasks._apart(np.arange(40.0)[:, None])) == 12 and tasks._apart(np.zeros((0, 2))).shape == (0, 2)
    space = tasks.Space(np.array([0.0, -np.inf]), np.array([1.0, np.inf]), np.array([True, True]))
    inside = tasks._inside(np.array([[0.0, 99.0], [1.0 + 5e-10, 0], [1.0 + 2e-9, 0], [-2e-9, 0]]), space)
    assert inside.tolist() == [True, True, False, False]
    np.testing.assert_allclose(tasks._plain_turns(np.array([[9.0, 9.0]]), space), [[9.0, 9.0 - 2 * np.pi]])
    starts = tasks.starts_in(space, 2.0)
    assert starts.shape == (32, 2) and starts[0].tolist() == [0.5, 0.0]
    assert (starts >= [0, -np.pi]).all() and (starts <= [1, np.pi]).all()


# gains


def study(**columns: Any) -> Any:
    table = {name: np.asarray(values) for name, values in columns.items()}
    count = len(next(iter(table.values())))
    rows = [{name: values[k] for name, values in table.items()} for k in range(count)]
    return SimpleNamespace(
        table=table, rows=rows, count=count, given=("kp",), shared={"law": "pd", "device": "cpu"}, units={}
    )


def test_the_best_gains_are_those_of_the_smallest_error() -> None:
    error = np.array([3.0, np.nan, 1.0, 2.0, *(9.0 + np.arange(10))])
    found = study(kp=np.arange(14.0), error=error, error_end=error / 2, torque=2 * error, stable=~np.isnan(error))
    assert [row["kp"] for row in gains.best(found)] == [2, 3, 0, 4, 5, 6, 7, 8, 9, 10]
    assert gains.best_row(found) == {"law": "pd", "best": found.rows[2], "device": "cpu"}
    lost = study(
        kp=[1.0, 2.0], error=[np.nan, np.nan], error_end=[np.nan] * 2, torque=[np.nan] * 2, stable=[False, False]
    )
    assert gains.best_row(lost)["best"] is None
    (part,) = gains.show(found)
    assert "the smallest rms errors" in part and part.count("<tr") == 11


def test_ranges_and_levels_of_gains() -> None:
    assert gains._range("kp", [1, 4.0]) == gains._range("kp", {"from": 1, "to": 4}) == {"from": 1.0, "to": 4.0}
    np.testing.assert_allclose(gains._levels({"kp": {"from": 1.0, "to": 4.0}}, 3)["kp"], [1, 2, 4])
    assert len(gains._levels({"kp": {"from": 1.0, "to": 4.0}}, 1)["kp"]) == 2
    for bad in ([4, 1], [1, 1], [1], 3, [1, 2, 3], [0, 1]):
        with pytest.raises(mp.InputError, match="gains: kp: "):
            gains._range("kp", bad)
    gains.refuse_long(1000.0, 1e-3)
    gains.refuse_long(1e-3, 1e-3)
    for seconds, told in ((1000.1, "1e+06 steps"), (5e-4, "0.5 steps")):
        with pytest.raises(
            mp.InputError, match=rf"{seconds:g} s are {told.replace('+', '[+]')} of 0.001 s; expected 1 to 1,000,000"
        ):
            gains.refuse_long(seconds, 1e-3)
    with pytest.raises(mp.InputError, match="gains: sample is no gain of pd; it is a setting of the study"):
        gains.refuse_ours("pd", {"kp": 1, "sample": 2})


def test_a_form_offers_laws_with_the_gains_that_must_be_given() -> None:
    found = gains.laws()
    assert "computed_torque" in found
    for law, ranges in found.items():
        must = [gain["name"] for gain in mp.api.law_gains(law) if gain["value"] is None]
        assert [x.name for x in ranges] == must and must
        assert all(
            x.unit == gain["unit"] for x, gain in zip(ranges, (g for g in mp.api.law_gains(law) if g["value"] is None))
        )


def test_rows_that_fit_in_memory() -> None:
    function = SimpleNamespace(outputs=[SimpleNamespace(shape=(3,)), SimpleNamespace(shape=(2, 2))])
    subject = gains.Subject(SimpleNamespace(function=function), 1000, np.zeros(3), 3)  # type: ignore[arg-type]
    assert subject.rows("cpu") == 2**26 // (8 * 1000 * 7) and subject.rows("cuda") == 2**31 // (8 * 1000 * 7)
    assert subject._replace(steps=10**9).rows("cpu") == 1
    assert gains._by_entry(np.array([1.0, 2.0]), 3).tolist() == [[1.0] * 3, [2.0] * 3]
    assert gains._by_entry(np.ones((2, 3)), 3).shape == (2, 3)


# tolerances


def test_torques_of_masses_that_are_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst error of gravity's torque, by the robot that the errors make."""
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    q = [[0.3, -0.4], [1.0, 0.5]]
    case = {"robot": arm, "q": q, "length": 0.0, "angle": 0.0, "mass": 0.1, "com": 0.02}
    found = tolerance.sample_case(case, np.random.default_rng(5))
    draws = np.random.default_rng(5)
    subject = tolerance._subject(tolerance.text_from(arm), tuple(map(tuple, q)), True)
    draws.normal(size=len(subject.geometry.entries))
    delta = tolerance.inertial_errors(dict(arm.standard_parameters), draws, 0.1, 0.02)
    theta = {name: (x or 0.0) + d for (name, x), d in zip(arm.standard_parameters.items(), delta)}
    wrong = mp.Arm(arm.with_standard_parameters(theta)).gravity(q) - mp.Arm(arm).gravity(q)
    assert found["torque"] == pytest.approx(np.abs(wrong).max(), rel=1e-9) and found["position"] == 0.0
    light = tolerance.sample_case({**case, "mass": 0.0, "com": 0.0, "length": 1e-3}, np.random.default_rng(5))
    assert "torque" not in light and light["position"] >= light["position_mean"] > 0 and light["angle"] < 1e-9
    turned = tolerance.sample_case({**case, "mass": 0.0, "com": 0.0, "angle": 1e-3}, np.random.default_rng(5))
    assert turned["angle"] > 0


def test_masses_and_centres_are_off_by_as_much_as_was_stated() -> None:
    """Over many draws: masses by a share of themselves, centres of mass by a distance along each axis."""
    theta, rng, mass, com = dict(mp.load("ur5e").standard_parameters), np.random.default_rng(0), 0.02, 1e-3
    names = list(theta)
    delta = np.array([tolerance.inertial_errors(theta, rng, mass, com) for _ in range(400)])
    for link in (name.removeprefix("mx") for name in names if name.startswith("mx")):
        m, s = theta[f"m{link}"], [theta[f"m{axis}{link}"] for axis in "xyz"]
        heavy = m + delta[:, names.index(f"m{link}")]
        assert np.std(heavy / m) == pytest.approx(mass, rel=0.15)
        for axis, first in zip("xyz", s):
            centre = (first + delta[:, names.index(f"m{axis}{link}")]) / heavy
            assert np.std(centre) == pytest.approx(com, rel=0.15)
            assert np.mean(centre) == pytest.approx(first / m, abs=5 * com / 20)
    rest = [i for i, name in enumerate(names) if name[:2] not in ("mx", "my", "mz") and f"mx{name[1:]}" not in theta]
    assert not delta[:, rest].any()


def test_the_angle_between_rotations() -> None:
    for angle in (0.0, 1e-9, 0.3, 3.0):
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        assert tolerance.angle_between(np.eye(3), R) == pytest.approx(angle, rel=1e-6, abs=1e-15)


# forms


def test_fields_of_a_form_and_back() -> None:
    """Cells have names and units; what begins in them comes back as the setting."""
    robot = mp.load("scara")

    def setting(kind: Any, unit: str = "", begin: Any = None) -> entry.StudySetting:
        return entry.StudySetting("x", "about", kind, unit, begin)

    def cells(kind: Any, unit: str = "") -> list[tuple[str, str]]:
        return [(cell.label, cell.unit) for cell in entry.cells_of(setting(kind, unit), robot)]

    assert cells("joints") == [("q1", "rad"), ("q2", "rad"), ("q3", "m"), ("q4", "rad")]
    assert cells("efforts") == [("q1", "N·m"), ("q2", "N·m"), ("q3", "N"), ("q4", "N·m")]
    assert cells("vector", "m") == [("x", "m"), ("y", "m"), ("z", "m")]
    assert cells("box", "m")[:3] == [("x from", "m"), ("x to", "m"), ("y from", "m")] and len(cells("box")) == 6
    assert cells("levels", "kg") == [("from", "kg"), ("to", "kg"), ("how many", "")]
    assert cells("count", "s") == cells("number", "s") == [("", "s")] and cells("flag") == []
    begins = {
        "count": (5, [5]), "number": (0.5, [0.5]), "joints": ([1, 2, 3, 4], [1, 2, 3, 4]),
        "levels": ({"from": 1, "to": 2, "count": 3}, [1, 2, 3]),
        "box": ([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), "vector": ([1, 2, 3], [1, 2, 3]),
    }  # fmt: skip
    for kind, (value, typed) in begins.items():
        one = setting(kind, begin=value)
        assert entry.initial_cells(one, robot) == typed
        assert entry.initial_cells(setting(kind, begin=lambda robot, value=value: value), robot) == typed
        assert entry.initial_cells(setting(kind), robot) == [None] * len(typed)
        assert entry.settings_from([one], {"x": typed}) == {"x": value}
        assert entry.settings_from([one], {"x": [None] * len(typed)}) == {}
    assert entry.settings_from([setting("flag")], {"x": True}) == {"x": True}
    for kind in ("written", "logs"):
        with pytest.raises(mp.UnknownNameError):
            entry.settings_from([setting(kind)], {"x": [1]})
    with pytest.raises(mp.InputError, match="x: expected the contents of its fields"):
        entry.settings_from([setting("number")], {"x": [0] * 1001})


# folders


def block(first: int, last: int, failed: tuple[int, ...] = ()) -> CaseBlock:
    cases = np.array([k for k in range(first, last) if k not in failed])
    return CaseBlock(cases, {"y": 2.0 * cases}, [(k, "bad") for k in failed])


def test_a_folder_keeps_what_has_come(tmp_path: Path) -> None:
    place = Store(tmp_path / "s", {"seed": 1})
    place.take(block(0, 3))
    place.take(block(0, 0))
    place.take(block(5, 8, (6,)))
    assert (place.stored, place.failed) == (6, 1) and not list(place.parts.iterdir())
    place.flush()
    place.take(block(8, 9))
    place.flush()
    place.flush()
    names = sorted(path.name for path in place.parts.iterdir())
    assert len(names) == 2 and names[0].startswith("000000000000-") and names[0].endswith("-0.npz")
    assert names[1].startswith("000000000008-") and names[1].endswith("-1.npz")
    again, seen = Store(tmp_path / "s", {"seed": 1}), list[CaseBlock]()
    assert again.finished_ranges(seen.append) == [(0, 3), (5, 8), (8, 9)] and (again.stored, again.failed) == (7, 1)
    assert seen[0].failed == [(6, "bad")] and seen[0].columns["y"].tolist() == [0, 2, 4, 10, 14]
    with pytest.raises(mp.InputError, match=r"the results of 3 cases are not there; run the study again"):
        stored._refuse_missing(again, 10)
    again.take(block(3, 5))
    again.flush()
    stored._refuse_missing(again, 9)
    with pytest.raises(mp.InputError, match="holds another study: its seed differs: 1, not 2"):
        Store(tmp_path / "s", {"seed": 2})


def test_what_is_left_of_a_study() -> None:
    left = Remaining(10, [(2, 4), (3, 5), (8, 9)])
    assert left.left == 6
    assert [left.take(2) for _ in range(4)] == [(0, 2), (5, 7), (7, 8), (9, 10)] and left.left == 0
    assert Remaining(3, []).take(9) == (0, 3) and Remaining(3, [(0, 3)]).left == 0
    assert (
        stored.ranges_of(np.array([5, 1, 2, 2, 9])) == [(1, 3), (5, 6), (9, 10)]
        and stored.ranges_of(np.zeros(0, int)) == []
    )


# fronts


def front(**objectives: str) -> Front:
    found = study(kp=[1.0, 2, 3, 4, 5], mass=[1.0, 2, 3, 4, 2], speed=[1.0, 3, 2, 5, 3], feasible=[1, 1, 1, 0, 1],
                  reason=["", "", "", "too slow", ""], word=list("abcde"))  # fmt: skip
    found.units = {"mass": "kg"}
    return front_of(found, objectives)


def finite(values: Any) -> list[float]:
    return [x for x in values if np.isfinite(x)]


def test_a_front_in_words_and_pictures() -> None:
    found = front(mass="least", speed="most")
    assert found.cases == (0, 1, 4) and found.feasible == 4 and found.reasons == (("too slow", 1),)
    assert found.headline == "front of 3 among 4 feasible of 5 cases: least mass, most speed"
    heads, rows = found.cells(2)
    assert heads == ("", "case", "kp", "mass, kg", "speed", "word")
    assert rows == [("0", "0", "1", "1", "1", "a"), ("1", "1", "2", "2", "3", "b")]
    (chart,) = found.charts()
    assert (chart.title, chart.x_label, chart.y_label) == ("speed over mass", "mass, kg", "speed")
    assert [line.name for line in chart.lines] == ["feasible", "", "front"]
    assert len(chart.x) == 4 + 3 + 3 and list(chart.x[:7]) == [1, 2, 3, 2, 1, 2, 2]
    assert finite(chart.lines[1].y) == [1.0, 1.0, 3.0]
    assert finite(chart.lines[2].y) == [1.0, 3.0, 3.0] and chart.lines[2].dot == 6.0
    most = front(mass="most", speed="least")
    assert finite(most.charts()[0].lines[1].y) == [1.0, 2.0, 2.0]
    assert len(front(mass="least", speed="most", kp="least").charts()) == 3
    with pytest.raises(mp.InputError, match="picture: two objectives make one, found one"):
        front(mass="least").picture()
    with pytest.raises(mp.InputError, match="front: column word is not numeric"):
        front(word="least")
    for bad in (3, -4, "0"):
        with pytest.raises(mp.InputError, match="the front has 3 rows, from 0 on; found"):
            found.robot(bad)  # type: ignore[arg-type]


def test_a_front_of_nothing_says_why() -> None:
    none = study(mass=[1.0, 2], feasible=[0, 0], reason=["weak", "weak"])
    assert front_of(none, {"mass": "least"}).headline == "none of 2 cases is feasible; most often (2): weak"
    assert str(front_of(study(mass=[np.nan, np.nan]), {"mass": "least"})) == "none of 2 cases has all of mass"


# words and settings


def tuned(**more: Any) -> tune.Tuned:
    plain: dict[str, Any] = {
        "law": "pd", "gains": {"kp": [100.123456, 2.0], "kd": 7.0}, "error": 0.0123456, "torque": 12.34567, "runs": 420,
        "history": (3.0, 1.0), "spread": {"kp": (1.0, 2.0)}, "edges": (), "study": None,
    }  # fmt: skip
    return tune.Tuned(**plain | more)


def test_tuned_gains_in_words() -> None:
    words = "pd: kp = [100.12, 2], kd = 7; rms error 0.01235, torque 12.35, after 420 runs"
    assert str(tuned()) == words
    assert str(tuned(edges=("kp", "kd"))) == f"{words}; at an end of its range: kp, kd"
    assert tuned().as_dict() == {
        "law": "pd", "gains": {"kp": [100.123456, 2.0], "kd": 7.0}, "error": 0.0123456, "torque": 12.34567, "runs": 420,
        "history": [3.0, 1.0], "spread": {"kp": [1.0, 2.0]}, "edges": [],
    }  # fmt: skip


def test_the_best_search_of_a_tuning() -> None:
    table = {
        "error": np.array([3.0, np.nan, 1.0]), "torque": np.array([1.0, np.nan, 2.0]), "runs": np.array([5, np.nan, 7]),
        "kp": np.array([[1.0, 9.0], [np.nan, np.nan], [4.0, 10.0]]),
        "history": np.array([[4.0, 3], [np.nan, np.nan], [2, 1]]),
    }  # fmt: skip
    rows = [{name: x[k] for name, x in table.items()} for k in range(3)]
    shared = {"law": "pd", "gains": ["kp"], "ranges": [(0.5, 10.0)]}
    done: Any = SimpleNamespace(table=table, rows=rows, shared=shared, failures=[SimpleNamespace(why="all ran away")])
    found = tune.best(done)
    assert found.gains == {"kp": [4.0, 10.0]} and (found.error, found.torque, found.runs) == (1.0, 2.0, 12)
    assert found.spread == {"kp": ([1.0, 9.0], [4.0, 10.0])} and found.history == (2.0, 1.0) and found.edges == ("kp",)
    shared["ranges"] = [(0.5, 20.0)]
    assert tune.best(done).edges == ()
    done.table = {**table, "error": np.full(3, np.nan)}
    with pytest.raises(mp.InputError, match="all ran away"):
        tune.best(done)


def test_configurations_within_limits() -> None:
    """An end that is not given is a turn, or two metres, from the other."""
    rows = [{"limits": [-30, 60]}, {}, {"type": "prismatic"}, {"type": "prismatic", "limits": [0.2, 0.5]}]
    robot = mp.Robot.from_dh([{"theta": 0, "d": 0.1, "a": 0.2, "alpha": 90, **row} for row in rows], angle="deg")
    drawn = entry.configurations(robot, None, 2000)
    low, high = drawn.min(0), drawn.max(0)
    np.testing.assert_allclose(low, [-np.pi / 6, -np.pi, -entry.SLIDE, 0.2], atol=0.02)
    np.testing.assert_allclose(high, [np.pi / 3, np.pi, entry.SLIDE, 0.5], atol=0.02)
    assert (low >= [-np.pi / 6, -np.pi, -entry.SLIDE, 0.2]).all() and (
        high <= [np.pi / 3, np.pi, entry.SLIDE, 0.5]
    ).all()
    np.testing.assert_array_equal(entry.configurations(robot, None, 3), entry.configurations(robot, None, 3))
    assert entry.configurations(robot, [1, 2, 3, 4], 9).tolist() == [[1, 2, 3, 4]]
    assert entry.configurations(robot, [[1, 2, 3, 4], [5, 6, 7, 8]], 9).shape == (2, 4)
    with pytest.raises(mp.InputError, match=r"q: expected 4 numbers, one a joint of robot, found \[1, 2\]"):
        entry.configurations(robot, [1, 2], 9)


def test_scales_of_ranges() -> None:
    assert cases._is_log("a", {"from": 1, "to": 2, "scale": "log"}, 1.0) and not cases._is_log("a", [0, 1], 0.0)
    with pytest.raises(mp.InputError, match="cases: a: scale: expected linear or log, found 'exp'"):
        cases._is_log("a", {"from": 1, "to": 2, "scale": "exp"}, 1.0)
    for low in (0.0, -1.0):
        with pytest.raises(mp.InputError, match=f"cases: a: a logarithmic range is above zero, found from {low:g}"):
            cases._is_log("a", {"scale": "log"}, low)
    with pytest.raises(mp.InputError, match=r"cases: a: expected the two ends of a range, found \[1\]"):
        cases._ends("a", [1])


def test_first_tasks_of_a_design() -> None:
    """Poses of six joints, places of fewer, joints of arms that are not searched."""
    scara = mp.load("scara").with_parameters(a1=0.3, a2=0.3, d4=0.2)
    for robot, shape in ((mp.load("puma560"), (4, 4)), (scara, (3,))):
        found = design.usual_tasks(robot)
        assert np.shape(found["places"])[1:] == shape and "joints" not in found and found["duration"] > 0
    screw = mp.Robot.from_dh([{"theta": 0, "d": 0, "a": 0.3, "alpha": 0}, {"theta": 0, "d": 0, "a": 0.2, "alpha": 0}])
    helical = replace(screw, joints=(screw.joints[0], replace(screw.joints[1], kind="helical")))
    assert "joints" in design.usual_tasks(helical) and "places" in design.usual_tasks(screw)


def test_a_first_motion_goes_a_step_on_in_the_unit_of_each_joint_or_back_where_there_is_no_room() -> None:
    row = {"theta": 0, "d": 0, "a": 0.3, "alpha": 0}
    kinds = [("revolute", None), ("prismatic", None), ("revolute", [-2, 0.1]), ("prismatic", [-1, 0.0])]
    rows = [{**row, "type": kind, **({} if ends is None else {"limits": ends})} for kind, ends in kinds]
    robot = mp.Robot.from_dh(rows, angle="rad")
    assert entry.start_of(robot) == [0, 0, 0, 0]
    turn, slide = entry.FIRST_TURN, entry.FIRST_SLIDE
    assert turn != slide and entry.goal_of(robot) == pytest.approx([turn, slide, -turn, -slide])
