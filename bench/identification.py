"""Identification on recordings of others, which are not part of the project: `bench/identification.py FOLDER`.

FOLDER has `kuka_lwr4` (kuka_lwr4.urdf, measurements_1.npz … of FloBaRoID) and `kuka_kr300` (trajectory_A.mat … and
kinematics.json, of Robot_Identification by J. Weigand). The error is 100·‖τ − τ̂‖/‖τ‖, all joints stacked, over the
whole run; "moving" counts the samples of joints that move.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.io import loadmat

import manipula as mp
from manipula.identification.data import Data
from manipula.identification.gathering import first_fit, gather

STROKE = 0.00096 / (np.pi * (0.055**2 - 0.030**2) / 4)  # m: the volume of the KR300's gas over its piston's area


def lwr4(folder: Path) -> tuple[mp.Robot, dict[str, mp.Log]]:
    robot = mp.load(folder / "kuka_lwr4.urdf")
    runs: dict[str, mp.Log] = {}
    for name in "123":
        with np.load(folder / f"measurements_{name}.npz") as found:
            runs[name] = mp.Log(found["times"], found["positions"], found["torques"])
    return robot, runs


def kr300(folder: Path) -> tuple[mp.Robot, dict[str, mp.Log]]:
    known = json.loads((folder / "kinematics.json").read_text())
    robot = mp.Robot.from_text(kr300_file(known))
    runs: dict[str, mp.Log] = {}
    for name in "ABC":
        rec = loadmat(folder / f"trajectory_{name}.mat", squeeze_me=True, struct_as_record=False)["rec"]
        q, torque = np.deg2rad(rec.act_pos_mot_deg.T), rec.act_torque_abs_nm.T * np.array(known["gear_ratio"])
        runs[name] = mp.Log(0.004 * np.arange(len(q)), q, torque)
    return robot, runs


def kr300_file(known: dict[str, Any]) -> str:
    """The robot file of the KR300: its table, the origin's numbers, the counterbalance of joint 2."""
    cad, rows = known["cad"], []
    for i in range(6):
        shift, alpha = known["q_shift_rad"][i], known["alpha_rad"][i]
        lines = ["[[joint]]", 'type = "revolute"', f'theta = "{round(shift / (np.pi / 2))}*pi/2"']
        lines += [f"d = {known['d'][i]}", f"a = {known['a'][i]}", f'alpha = "{round(alpha / (np.pi / 2))}*pi/2"']
        if i < 5:  # of link 6 nothing is known
            xx, yy, zz, xy, yz, xz = cad["inertia"][i]
            lines += [f"mass = {cad['mass'][i]}", f"com = {cad['com_m'][i]}"]
            lines += [f"inertia = {{ xx = {xx}, yy = {yy}, zz = {zz}, xy = {xy}, yz = {yz}, xz = {xz} }}"]
        if i == 1:
            angle = np.rad2deg(shift) - 90 + 95
            lines += [f"springs = [{{ radii = [0.8, 0.2], angle = {angle:g}, length = 0.6, stroke = {STROKE} }}]"]
        rows.append("\n".join(lines))
    head = 'format = 1\nname = "kr300"\nconvention = "standard"\nangle = "deg"\n[base]\nrpy = [180, 0, 0]\n'
    return head + "\n".join(rows)


def inner(log: mp.Log, seconds: float = 2.5) -> mp.Log:
    """Without the beginning and the end, where the LWR's controller and its own filters settle: so the published plain
    baseline (2.08 and 12.4 %) has them."""
    return log.between(float(log.t[0]) + seconds, float(log.t[-1]) - seconds)


def moving_error(data: Data, theta: Any) -> float:
    pairs = list(zip(data.residuals(theta), data.torques, data.moving))
    left = sum(float((x[flag] ** 2).sum()) for x, _, flag in pairs)
    return 100 * float(np.sqrt(left / sum(float((tau[flag] ** 2).sum()) for _, tau, flag in pairs)))


def plain(robot: mp.Robot, train: list[mp.Log], validate: mp.Log, filter: Any = "auto") -> tuple[float, float, float]:
    """(error, moving, seconds) of least squares with the plain columns."""
    began = perf_counter()
    data = gather(robot, train, filter=filter)
    theta = first_fit(data.fit)
    seconds, held = perf_counter() - began, gather(robot, validate, filter=filter, load=data.load)
    return held.judge.error(theta), moving_error(held, theta), seconds


def main() -> None:
    folder = Path(sys.argv[1])
    filter: Any = float(sys.argv[2]) if len(sys.argv) > 2 else "auto"
    robot, runs = lwr4(folder / "kuka_lwr4")
    print(f"{'':24}{'error %':>9}{'moving':>9}{'s':>7}")
    for title, (arm, logs), splits in (
        ("LWR4+", (robot, runs), (("23", "1"), ("12", "3"))),
        ("LWR4+ inner", (robot, {name: inner(log) for name, log in runs.items()}), (("23", "1"), ("12", "3"))),
        ("KR300", kr300(folder / "kuka_kr300"), (("A", "B"), ("A", "C"), ("AC", "B"))),
    ):
        for train, validate in splits:
            found = plain(arm, [logs[x] for x in train], logs[validate], filter)
            print(f"{title} {'+'.join(train)} → {validate}".ljust(24) + "{:9.2f}{:9.2f}{:7.1f}".format(*found))


if __name__ == "__main__":
    main()
