"""The study of designs: every figure of a row is that of the robot it writes, asked by the public models; motors are
the lightest that hold; places are reached where geometry says so."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.api import to_text
from manipula.studies.designs.subject import open_parameters, with_beams
from manipula.studies.designs.tasks import SAMPLES
from tests.design_arms import (
    BOTH,
    FLAT,
    HOLD,
    MOTORS,
    SWING,
    WIDE,
    by_hand,
    check_row,
    drive_of,
    followed,
    use_of,
)
from tests.units.test_cli import folder

__all__ = ["folder"]  # every test in an empty folder


@pytest.mark.turn
def test_a_row_is_what_the_robot_it_writes_does() -> None:
    tasks = [SWING, HOLD]
    found = mp.studies.design(
        FLAT, vary=BOTH, tasks=tasks, motors=MOTORS, beam={"l1": 2.5, "l2": 1.5}, count=16, objectives=["mass", "price"]
    )
    feasible = np.flatnonzero(found.table["feasible"] == 1)
    assert 4 < len(feasible) < 17
    case = int(feasible[2])
    check_row(found, case, tasks)
    robot, row = found.robot(case), found.rows[case]
    chosen = [drive_of(row[f"motor{k}"]) for k in (1, 2)]
    beams = 2.5 * row["l1"] + 1.5 * row["l2"]
    assert row["mass"] == pytest.approx(1.0 + beams + sum(m["mass"] for m, _ in chosen))
    assert row["price"] == sum(m["price"] for m, _ in chosen)
    assert row["length"] == pytest.approx(row["l1"] + row["l2"])
    assert robot.standard_parameters["Ia1"] == pytest.approx(chosen[0][0]["inertia"] * chosen[0][1] ** 2)
    assert mp.load(mp.save(robot, "design.toml")).standard_parameters == pytest.approx(robot.standard_parameters)


@pytest.mark.parametrize("by", ["mass", "price"])
def test_motors_are_the_best_that_hold(by: str) -> None:
    """Every motor of the catalogue tried at every joint, from the tip on, by the equations of the planar arm."""
    found = mp.studies.design(FLAT, vary=WIDE, tasks=[SWING], motors=MOTORS, count=64, choose=by, objectives=["price"])
    motion, other = followed(SWING), "price" if by == "mass" else "mass"
    for row in found.rows:
        ridden, l1, l2 = 0.0, row["l1"], row["l2"]
        for joint in (1, 0):  # the second motor rides at the end of the first link, where the second joint is
            fit = []
            for motor in MOTORS:
                for N in motor["ratio"]:
                    rotors = [N**2 * motor["inertia"]] * 2
                    tau = by_hand(l1, 0.6 + ridden, l2, [(0.4, l2), (1.5, l2 + 0.1)], rotors, motion)
                    if use_of(motor, N, tau[:, joint], motion[1][:, joint]) <= 1:
                        fit.append((motor[by], motor[other], f"{motor['name']} ×{N}", motor["mass"]))
            if not fit:
                assert not row["feasible"] and f"joint {joint + 1} (theta" in row["reason"] and row["by"] > 1
                break
            best = min(fit)
            assert not row["feasible"] or row[f"motor{joint + 1}"] == best[2]
            ridden = best[3]
        else:
            assert row["feasible"]
            drives = [drive_of(row[f"motor{k}"]) for k in (1, 2)]
            rotors = [m["inertia"] * N**2 for m, N in drives]
            tau = by_hand(l1, 0.6 + drives[1][0]["mass"], l2, [(0.4, l2), (1.5, l2 + 0.1)], rotors, motion)
            assert row["torque"] == pytest.approx(np.abs(tau).max(0), rel=1e-9)
    assert 5 < (found.table["feasible"] == 1).sum() < 64


@pytest.mark.parametrize("draw", range(3))
def test_places_are_reached_where_geometry_says_so(draw: int) -> None:
    rng = np.random.default_rng(draw)
    places = rng.uniform(-0.9, 0.9, (2, 3)) * [1, 1, 0]
    robot = mp.load("planar2r")  # without masses: geometry alone
    found = mp.studies.design(robot, vary={"l1": [0.1, 0.9], "l2": [0.1, 0.9]}, tasks={"places": places, "duration": 1},
                              count=128, sample=("sobol", "latin")[draw % 2])  # fmt: skip
    assert list(found.shared["objectives"]) == ["length", "manipulability"] and "mass" not in found.table
    l1, l2, r = found.table["l1"], found.table["l2"], np.linalg.norm(places, axis=-1)[:, None]
    clear = (np.minimum(l1 + l2 - r, r - np.abs(l1 - l2)), 1e-3)
    wanted = (clear[0] > 0).all(0)
    sure = (np.abs(clear[0]) > clear[1]).all(0)
    assert ((found.table["feasible"] == 1) == wanted)[sure].all()
    # w = l1·l2·|sin q2| of the worse place, by the law of cosines
    sine = np.sqrt(np.maximum(0, 1 - ((r**2 - l1**2 - l2**2) / (2 * l1 * l2)) ** 2))
    assert found.table["manipulability"][wanted & sure] == pytest.approx(
        (l1 * l2 * sine).min(0)[wanted & sure], rel=1e-4
    )
    off = np.maximum(r - l1 - l2, np.abs(l1 - l2) - r)[0]
    lost = sure & (off > 0)
    assert found.table["by"][lost] == pytest.approx(off[lost], rel=1e-3)


@pytest.mark.parametrize("bends", [(1, -1), (-1,)])
def test_the_way_is_the_one_of_least_work(bends: tuple[int, ...]) -> None:
    """Both elbows at both places, or those that the limits allow: of all ways that which costs least, by hand."""
    text = to_text(FLAT).replace('a = "l2"', 'a = "l2"\nlimits = [-175, 0]') if len(bends) == 1 else to_text(FLAT)
    task = {"places": [[0.6, 0.1, 0], [0.2, 0.5, 0]], "duration": 0.8, "payload": 1.0}
    found = mp.studies.design(mp.Robot.from_text(text), vary={"l1": [0.4, 0.6], "l2": [0.3, 0.6]}, tasks=task, count=16)
    for row in found.rows:
        works, l1, l2 = list[float](), row["l1"], row["l2"]
        for a in elbows(0.6, 0.1, l1, l2, bends):
            for b in elbows(0.2, 0.5, l1, l2, bends):
                near = a + (b - a + np.pi) % (2 * np.pi) - np.pi
                motion = followed({"joints": [a, near], "duration": 0.8})
                tau = by_hand(l1, 0.6, l2, [(1.4, l2)], (0, 0), motion)
                works.append(np.abs(tau * motion[1]).sum() * 0.8 / (SAMPLES - 1))
        assert row["energy"] == pytest.approx(min(works), rel=1e-5)


def elbows(x: float, y: float, l1: float, l2: float, bends: tuple[int, ...]) -> list[Any]:
    """The answers of the planar arm."""
    bend = np.arccos((x**2 + y**2 - l1**2 - l2**2) / (2 * l1 * l2))
    return [
        np.array([np.arctan2(y, x) - np.arctan2(l2 * np.sin(b), l1 + l2 * np.cos(b)), b])
        for b in (sign * bend for sign in bends)
    ]


def test_the_shortest_time_is_at_a_limit() -> None:
    found = mp.studies.design(FLAT, vary=BOTH, tasks=[SWING, HOLD], motors=MOTORS, count=8,
                              objectives=["cycle_time", "mass"])  # fmt: skip
    fine = np.flatnonzero(found.table["feasible"] == 1)
    assert len(fine) > 3
    for case in fine:
        row, s = found.rows[int(case)], SWING["duration"] / found.table["cycle_time"][case]
        drives, (l1, l2) = [drive_of(row[f"motor{k}"]) for k in (1, 2)], (row["l1"], row["l2"])
        rotors, bodies = [m["inertia"] * N**2 for m, N in drives], [(0.4, l2), (1.5, l2 + 0.1)]
        for faster, holds in ((s, True), (1.003 * s, False)):
            motion = followed({**SWING, "duration": SWING["duration"] / faster})
            tau = by_hand(l1, 0.6 + drives[1][0]["mass"], l2, bodies, rotors, motion)
            use = [use_of(m, N, tau[:, k], motion[1][:, k]) for k, (m, N) in enumerate(drives)]
            assert (max(use) <= 1 + 1e-9) == holds


def rod_energy(robot: mp.Robot, q: Any, qd: Any, ends: Any) -> tuple[float, float]:
    """Kinetic and potential energy of rods: exactly those of masses at both ends and in the middle, 1 : 4 : 1."""
    h, kinetic, potential = 1e-6, 0.0, 0.0
    for rod, mass in enumerate(ends(q)[1]):
        points = [np.array(ends(q + s * h * qd)[0][rod]) for s in (-1, 1)]
        for share, weight in ((0.0, 1 / 6), (0.5, 4 / 6), (1.0, 1 / 6)):
            before, after = ((1 - share) * a + share * b for a, b in points)
            kinetic += 0.5 * weight * mass * np.sum(((after - before) / (2 * h)) ** 2)
            potential += weight * mass * 9.81 * (before + after)[2] / 2
    return kinetic, potential


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_beam_is_a_rod_between_its_joints(convention: str) -> None:
    rng = np.random.default_rng(3)
    still = {"mass": 0, "com": [0, 0, 0], "inertia": dict.fromkeys(("xx", "xy", "xz", "yy", "yz", "zz"), 0)}
    rows = [
        {"theta": 0, "d": f"d{k}x", "a": f"a{k}x", "alpha": float(rng.uniform(0.3, 1.2)), **still} for k in (1, 2, 3)
    ]
    robot = mp.Robot.from_dh(rows, convention=convention, name="rods")  # type: ignore[arg-type]
    lengths = {f"{x}{k}x": float(rng.uniform(0.2, 0.6)) for k in (1, 2, 3) for x in "ad"}
    density = {name: float(rng.uniform(1, 3)) for name in ("a2x", "d2x", "a3x", "d3x")}
    beamed = with_beams(open_parameters(robot, list(lengths)), density).with_parameters(**lengths)
    bare, arm = mp.Arm(robot.with_parameters(**lengths)), mp.Arm(beamed)

    def ends(q: Any) -> tuple[Any, list[float]]:
        frames, found = [np.eye(4), *bare.frames(q)[:3]], list[Any]()
        for k in (2, 3):
            before, after, a, d = frames[k - 1], frames[k], lengths[f"a{k}x"], lengths[f"d{k}x"]
            if convention == "standard":  # d along z before, then a along x after
                corner = before[:3, 3] + d * before[:3, 2]
                found += [(corner, after[:3, 3]), (before[:3, 3], corner)]
            else:  # a along x before, then d along z after
                corner = before[:3, 3] + a * before[:3, 0]
                found += [(before[:3, 3], corner), (corner, after[:3, 3])]
        return found, [density[f"{x}{k}x"] * lengths[f"{x}{k}x"] for k in (2, 3) for x in "ad"]

    q, qd = rng.normal(size=3), rng.normal(size=3)
    kinetic, potential = rod_energy(robot, q, qd, ends)
    assert arm.energy(q, qd) == pytest.approx((kinetic, potential), rel=1e-6)


def test_limits_of_the_file_count_where_no_motors_are_given() -> None:
    text = to_text(FLAT).replace('a = "l1"', 'a = "l1"\neffort_limit = 20\nvelocity_limit = 200\nlimits = [-90, 90]')
    robot = mp.Robot.from_text(text)
    found = mp.studies.design(robot, vary=BOTH, tasks=SWING, count=16, objectives=["use", "length"])
    motion = followed(SWING)
    for row in found.rows:
        tau = by_hand(row["l1"], 0.6, row["l2"], [(0.4, row["l2"]), (1.5, row["l2"] + 0.1)], (0, 0), motion)[:, 0]
        use = max(np.abs(tau).max() / 20, np.abs(motion[1][:, 0]).max() / np.radians(200))
        assert row["use" if row["feasible"] else "by"] == pytest.approx(use) and row["feasible"] == (use <= 1)
        assert row["feasible"] or row["reason"] == "joint 1 (theta1): torque over its limit"
    out = {"joints": [[0, 0], [2, 0]], "duration": 1}
    assert (
        mp.studies.design(robot, vary=BOTH, tasks=out, count=2, objectives=["length"]).table["reason"].tolist()
        == ["task 1, stop 2: outside the limits of joint 1"] * 2
    )


def drawn_arm(draw: int) -> tuple[mp.Robot, list[str]]:
    """One to three joints that turn or slide, by either convention, all inertias random, a fixed row among them."""
    rng = np.random.default_rng(draw)
    kinds = [str(rng.choice(["revolute", "prismatic"])) for _ in range(1 + draw % 3)]
    kinds.insert(int(rng.integers(len(kinds) + 1)), "fixed")
    rows, letters = [], list[str]()
    for k, kind in enumerate(kinds):
        letters += [f"reach{k}"]
        tensor = {"xx": 0.3, "yy": 0.4, "zz": 0.5, "xy": 0.01, "xz": 0.02, "yz": 0.03}
        row = {"type": kind, "theta": 0.3, "d": 0.2, "a": f"reach{k}", "alpha": float(rng.uniform(-2, 2)),
               "mass": float(rng.uniform(0, 2)), "com": rng.normal(0, 0.1, 3).tolist(), "inertia": tensor}  # fmt: skip
        rubs = {"friction": {"viscous": 0.1, "coulomb": 0.2}, "motor_inertia": 7.0}
        rows.append(row | (rubs if kind != "fixed" else {}))
    return mp.Robot.from_dh(rows, convention=("standard", "modified")[draw % 2], name="drawn"), letters


@pytest.mark.slow
@pytest.mark.parametrize("draw", range(10))
def test_arms_of_every_kind_do_what_is_told(draw: int) -> None:
    robot, letters = drawn_arm(draw)
    rng = np.random.default_rng(draw)
    stops = rng.uniform(-1, 1, (3, robot.dof)).tolist()
    tasks = [{"joints": stops, "duration": 1.5, "payload": 1.5, "com": [0.1, 0, 0.05]}]
    strong = [{"name": "X", "torque": 100, "speed": 1e4, "inertia": 1e-3, "mass": 1.7, "ratio": [20, 30]}]
    beam = {letters[-1]: 2.0, letters[0]: 1.0}
    found = mp.studies.design(
        robot, vary={x: [0.2, 0.6] for x in letters}, tasks=tasks, motors=strong, beam=beam, count=2
    )
    assert (found.table["feasible"] == 1).all()
    check_row(found, 1, tasks)
    masses = sum(x for name, x in found.robot(1).standard_parameters.items() if re.fullmatch(r"m(\d|_).*", name) and x)
    assert found.table["mass"][1] == pytest.approx(masses + 1.7 * (robot.dof - moved(robot)))


def moved(robot: mp.Robot) -> int:
    """Motors that ride on a link that moves: all but those of joints that stand on the base."""
    return robot.dof - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "letters"), [("puma560", ("a2", "d4")), ("panda", ("d3", "d5")), ("ur5e", ("a2", "a3"))]
)
def test_arms_of_six_and_seven_joints(name: str, letters: tuple[str, str]) -> None:
    """Designs beside the file's own arm reach its places where inverse kinematics of the robot that they write does."""
    robot, rng = mp.load(name), np.random.default_rng(5)
    arm = mp.Arm(robot)
    low, high = np.clip(np.array(arm.limits).T, -np.pi, np.pi)
    q = rng.uniform(low, high, (3, robot.dof))
    vary = {x: sorted([0.97 * robot.parameters[x], 1.03 * robot.parameters[x]]) for x in letters}  # type: ignore[operator]
    tasks = [{"places": pose, "payload": 0.5} for pose in arm.pose(q)]
    found = mp.studies.design(robot, vary=vary, tasks=tasks, count=4, objectives=["mass", "length"])
    for case, row in enumerate(found.rows):
        own = mp.Arm(found.robot(case))
        lost = [k for k, task in enumerate(tasks, 1) if not len(own.inverse_kinematics(task["places"]).q)]
        told = [f"task {k}: not reached" for k in lost[:1]]
        assert row["reason"] == (told[0] if told else "") or "over its limit" in row["reason"]
        assert bool(told) == row["reason"].endswith("not reached")
