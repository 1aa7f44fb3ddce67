"""The arms on which operation counts are compared: modified Denavit–Hartenberg, the last frame at the wrist centre."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import manipula as mp
from manipula.mechanics.robot.library import text_of

Row = tuple[Any, ...]

# theta, d, a, alpha (degrees), then "P" where the joint slides
TABLES: dict[str, Sequence[Row]] = {
    "puma": [
        ("q1", 0, 0, 0),
        ("q2", 0, 0, -90),
        ("q3", "d3", "a3", 0),
        ("q4", "d4", "a4", -90),
        ("q5", 0, 0, 90),
        ("q6", 0, 0, -90),
    ],
    "stanford": [
        ("q1", 0, 0, 0),
        ("q2", "d2", 0, -90),
        (0, "q3", 0, 90, "P"),
        ("q4", 0, 0, 0),
        ("q5", 0, 0, -90),
        ("q6", 0, 0, 90),
    ],
    "rx90": [
        ("q1", 0, 0, 0),
        ("q2", 0, 0, 90),
        ("q3", 0, "d3", 0),
        ("q4", "r4", 0, -90),
        ("q5", 0, 0, 90),
        ("q6", 0, 0, -90),
    ],
    "iiwa": [
        ("q1", 0, 0, 0),
        ("q2", 0, 0, -90),
        ("q3", "r3", 0, 90),
        ("q4", 0, 0, 90),
        ("q5", "r5", 0, -90),
        ("q6", 0, 0, -90),
        ("q7", 0, 0, 90),
    ],
    "stanford3": [("q1", 0, 0, 0), ("q2", "d2", 0, -90), (0, "q3", 0, 90, "P")],
}


def generic(name: str) -> mp.Robot:
    """Ten symbolic inertial parameters a link, gravity along −z."""
    robot = mp.Robot.from_dh(
        TABLES[name], convention="modified", columns="theta d a alpha", angle="deg", name=f"{name}_generic"
    )
    return robot.with_gravity(0, 0, "-g")


def planar() -> mp.Robot:
    """Two links in a vertical plane, generic."""
    rows = [("q1", 0, 0, 0), ("q2", 0, "l1", 0)]
    return mp.Robot.from_dh(
        rows, convention="modified", columns="theta d a alpha", angle="deg", name="planar_generic"
    ).with_gravity(0, "-g", 0)


# first moments that are not zero, link → axis; every link has a diagonal tensor about its frame's origin
SYMMETRIC: dict[str, Mapping[int, str]] = {
    "stanford": {2: "y", 3: "z", 4: "y", 5: "z", 6: "z"},
    "rx90": {2: "x", 3: "y", 4: "z", 5: "y", 6: "z"},
}


def symmetric(name: str, flange: str = "Iyy6") -> mp.Robot:
    """Links that are symmetric about two planes; the flange is a body of revolution if its two moments share a name."""
    joints = []
    for i, row in enumerate(TABLES[name], 1):
        theta, d, a, alpha = row[:4]
        yy = flange if i == 6 else f"Iyy{i}"
        moment = [f"m{axis}{i}" if SYMMETRIC[name].get(i) == axis else 0 for axis in "xyz"]
        joints.append(
            {
                "theta": 0 if str(theta).startswith("q") else theta,
                "d": 0 if str(d).startswith("q") else d,
                "a": a,
                "alpha": alpha,
                "type": "prismatic" if len(row) > 4 else "revolute",
                "first_moment": moment,
                "inertia": {"xx": f"Ixx{i}", "yy": yy, "zz": f"Izz{i}", "xy": 0, "xz": 0, "yz": 0},
                "inertia_about": "origin",
            }
        )
    shape = "symmetric" if flange == "Iyy6" else "symmetric_round"
    robot = mp.Robot.from_dh(joints, convention="modified", angle="deg", name=f"{name}_{shape}")
    return robot.with_gravity(0, 0, "-g")


def armstrong() -> mp.Robot:
    """Armstrong's zero pattern: the library's PUMA 560 without friction and motor inertia, every number a symbol."""
    return replace(mp.load("puma560").without("friction", "motor_inertia"), name="puma560_armstrong")


def armstrong_uneven() -> mp.Robot:
    """The same with a flange that is no body of revolution: Ixx6 and Iyy6 are two symbols."""
    text = text_of("puma560").replace('yy = "Ixx6"', 'yy = "Iyy6"').replace("Ixx6 =", "Iyy6 = 0.14e-3\nIxx6 =")
    return replace(mp.Robot.from_text(text).without("friction", "motor_inertia"), name="puma560_uneven")
