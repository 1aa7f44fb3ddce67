"""Designs with motors and gears of tables: a row says what `mp.loads` and `mp.choose_drives` say of its robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.design_arms import BOTH, FLAT, HOLD, NEAR, SWING
from tests.units.test_cli import done, folder

__all__ = ["folder"]  # every test in an empty folder

MOTORS = """name,rated torque [N·m],peak torque [N·m],rated speed [rpm],max speed [rpm],inertia [kg·cm2],mass [kg],price
A,0.1,0.3,3000,6000,0.03,0.3,100
B,0.32,0.95,3000,6000,0.12,0.7,130
C,0.64,1.9,3000,6000,0.26,1.1,170
D,1.3,3.8,3000,6000,0.9,1.9,260
"""
GEARS = """name,ratio,rated torque [Nm],peak torque [Nm],efficiency [%],inertia [kg·cm2],max input speed [rpm],mass [g]
G50,50,20,50,80,0.05,6000,400
G100,100,40,110,75,0.09,5500,600
G30,30,80,200,70,0.2,6000,1200
"""
LEG: dict[str, Any] = {"joints": [[0, 0], [1, -0.5]], "duration": 0.7}


@pytest.fixture
def tables(folder: Path) -> dict[str, Any]:
    (folder / "motors.csv").write_text(MOTORS, encoding="utf-8")
    (folder / "gears.csv").write_text(GEARS, encoding="utf-8")
    return {"motors": "motors.csv", "gears": str(folder / "gears.csv")}


def test_a_row_is_what_loads_says_of_its_robot(tables: dict[str, Any]) -> None:
    found = mp.studies.design(FLAT, vary=BOTH, tasks=LEG, choose="power", count=4, objectives=["mass"], **tables)
    motion = mp.trajectory.quintic(*LEG["joints"], LEG["duration"])
    for case in np.flatnonzero(found.table["feasible"] == 1).tolist():
        row, loads = found.rows[case], mp.loads(found.robot(case), motion)
        motors = [x.motor for x in loads]
        assert all(m is not None for m in motors)
        for name, values in {
            "motor_speed": [m.speed for m in motors if m],
            "motor_torque": [m.torque for m in motors if m],
            "motor_rms": [m.torque_rms for m in motors if m],
            "inertia_ratio": [m.inertia_ratio for m in motors if m],
            "gear_torque": [x.torque_gear for x in loads],
            "braking_energy": sum(m.braking_energy for m in motors if m),
            "energy": sum(m.energy + m.braking_energy for m in motors if m),
        }.items():
            # a leg has 41 samples, loads looks between its own two thousand
            assert row[name] == pytest.approx(values, rel=5e-3, abs=1e-3 * row["energy"]), name
    assert (found.table["feasible"] == 1).sum() > 2


@pytest.mark.turn
@pytest.mark.parametrize("by", ["power", "mass", "price"])
def test_the_pair_is_that_of_choose_drives(by: str, tables: dict[str, Any]) -> None:
    """Of the joint at the base, whose motor no other carries; the motor of the elbow rides on the first link."""
    given = {**tables, "inertia_ratio": 12}
    if by == "price":
        (Path("gears.csv")).write_text(GEARS.replace("mass [g]", "price"), encoding="utf-8")
    found = mp.studies.design(FLAT, vary=BOTH, tasks=LEG, choose=by, count=4, objectives=["mass"], **given)
    motion = mp.trajectory.quintic(*LEG["joints"], LEG["duration"])
    chosen = 0
    for case in np.flatnonzero(found.table["feasible"] == 1).tolist():
        plain = found.robot(case).without("motor_inertia")
        for joint, drive in enumerate(mp.choose_drives(mp.loads(plain, motion), by=by, **given), 1):
            assert drive.holds and found.rows[case][f"motor{joint}"] == drive.name
            chosen += 1
    assert chosen > 4


@pytest.mark.turn
def test_tasks_count_one_by_one_and_a_held_place_too(tables: dict[str, Any]) -> None:
    tasks = [SWING, HOLD]
    both = mp.studies.design(FLAT, vary=NEAR, tasks=tasks, choose="power", count=2, objectives=["energy"], **tables)
    for case, row in enumerate(both.rows):
        robot = both.robot(case).with_payload(1.5, com=[0.1, 0, 0.05])
        legs = zip(SWING["joints"], SWING["joints"][1:], strict=False)
        seconds = SWING["duration"] / 2
        swing = [mp.loads(robot, mp.trajectory.quintic(a, b, seconds)) for a, b in legs]
        held = mp.Arm(robot).gravity(HOLD["joints"])
        for j in range(2):
            motors = [x[j].motor for x in swing]
            rms = np.sqrt(np.mean([m.torque_rms**2 for m in motors if m]))
            gear = motors[0].gear if motors[0] else 0.0
            assert row["motor_rms"][j] == pytest.approx(max(rms, abs(held[j]) / gear), rel=5e-3)
            assert row["gear_torque"][j] >= abs(held[j]) * (1 - 1e-9)


def test_nothing_that_holds_is_named_with_its_criterion(tables: dict[str, Any]) -> None:
    given = {"vary": {"l1": [3.0, 4.0], "l2": [3.0, 4.0]}, "tasks": SWING, "count": 4, "objectives": ["mass"]}
    found = mp.studies.design(FLAT, **given, **tables)
    for row in found.rows:
        assert not row["feasible"] and row["by"] > 1
        assert row["reason"].startswith("joint 2 (theta2): no motor and gear hold; the nearest fail by their ")
    tight = mp.studies.design(FLAT, **{**given, "vary": NEAR}, inertia_ratio=0.01, **tables)
    assert {x["reason"].rpartition(" their ")[2] for x in tight.rows} == {"inertia ratio"}


def test_without_a_table_of_gears_the_robots_own_are_kept(tables: dict[str, Any]) -> None:
    with pytest.raises(mp.InputError, match="joint 'theta1' has no gear in the robot's file"):
        mp.studies.design(FLAT, vary=NEAR, tasks=LEG, motors=tables["motors"])
    case = mp.studies.design(FLAT, vary=NEAR, tasks=LEG, count=1, objectives=["mass"], **tables)
    own = case.robot(0)
    robot = own.with_parameters(**{name: case.rows[0][name] for name in ("l1", "l2") if name in own.names()})
    found = mp.studies.design(robot, vary={"m2": [0.1, 0.2]}, tasks=LEG, motors="motors.csv", choose="power", count=2)
    assert all(row["motor1"] in "ABCD" for row in found.rows if row["feasible"])


def test_a_study_file_names_tables_beside_it(folder: Path, tables: dict[str, Any]) -> None:
    (folder / "apart").mkdir()
    for name in ("motors.csv", "gears.csv"):
        (folder / name).rename(folder / "apart" / name)
    mp.save(FLAT, folder / "apart" / "arm.toml")
    (folder / "apart" / "study.toml").write_text(
        'format = 1\nstudy = "design"\nrobot = "arm.toml"\n[settings]\nmotors = "motors.csv"\ngears = "gears.csv"\n'
        'choose = "power"\ncount = 2\nvary = {l1 = [0.3, 0.4], l2 = [0.2, 0.3]}\n'
        "tasks = [{joints = [[0, 0], [1, -0.5]], duration = 0.7}]\n",
        encoding="utf-8",
    )
    text = done("study", "apart/study.toml")
    assert "2 cases" in text and "braking_energy" in text
