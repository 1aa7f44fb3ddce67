"""Identification on recordings of others, which are no part of the project: `bench/identification.py FOLDER [WORD …]`.

FOLDER has `kuka_lwr4` (kuka_lwr4.urdf, measurements_1.npz … of FloBaRoID) and `kuka_kr300` (trajectory_A.mat … and
kinematics.json, of Robot_Identification by J. Weigand). The error is 100·‖τ − τ̂‖/‖τ‖, all joints stacked, over the
whole run; "moving" counts the samples of joints that move. Seconds are of one call of `mp.identify`, of processors and
of the clock, behind a least-squares fit that has the robot's functions compiled. At the end the entropic fit of the
LWR4+ by Newton's method beside the same problem by cvxpy and Clarabel. Words choose: `plain`, `identified`, `solver`;
`lwr4`, `kr300`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from scipy.io import loadmat

import manipula as mp
from manipula.identification.data import first_fit, gather
from manipula.identification.estimators.entropic import barrier_value, entropic_from
from manipula.identification.estimators.lmi import lmi_from
from manipula.identification.estimators.normal import Normal, normal_from
from manipula.identification.estimators.prior import Prior
from manipula.identification.fit.identification import fit_of

ARMS = ["lwr4", "kr300"]
Fit = Callable[[mp.Robot, list[mp.Log]], Callable[[mp.Log], tuple[float, float]]]
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
    """Without beginning and end. These recordings were smoothed before they were published: torques end at 2 Hz and
    positions at 3.5 Hz, and in the last 0.4 s the positions come to rest while the recorded velocities go on. A plain
    least-squares fit has the published 2.08 and 12.4 % where about 2.5 s are cut off; whole files have more."""
    return log.between(float(log.t[0]) + seconds, float(log.t[-1]) - seconds)


def plain(robot: mp.Robot, train: list[mp.Log]) -> Callable[[mp.Log], tuple[float, float]]:
    """Least squares with motor inertia, viscous and Coulomb friction and offsets: (error, moving) of a run."""
    theta = first_fit(gather(robot, train).fit)

    def judged(log: mp.Log) -> tuple[float, float]:
        data = gather(robot, log)
        pairs = list(zip(data.residuals(theta), data.torques, data.rows_in_motion))
        left = sum(float((x[flag] ** 2).sum()) for x, _, flag in pairs)
        moved = sum(float((tau[flag] ** 2).sum()) for _, tau, flag in pairs)
        return data.judge.error(theta), 100 * float(np.sqrt(left / moved))

    return judged


def identified(robot: mp.Robot, train: list[mp.Log]) -> Callable[[mp.Log], tuple[float, float]]:
    """`mp.identify` as it is."""
    found = mp.identify(robot, train)
    return lambda log: (found.error(log), found.error(log, moving=True))


def row(title: str, fit: Fit, arm: mp.Robot, train: list[mp.Log], validate: list[mp.Log]) -> None:
    plain(arm, train)  # its functions are compiled
    began, worked = perf_counter(), process_time()
    judge = fit(arm, train)
    seconds, busy = perf_counter() - began, process_time() - worked
    told = " / ".join("{:.2f} ({:.2f})".format(*judge(log)) for log in validate)
    print(f"{title:24}{fit.__name__:12}{told:34}{busy:6.1f} s of processors, {seconds:.1f} s", flush=True)


def solver(robot: mp.Robot, logs: list[mp.Log]) -> None:
    """The log-det prior by Newton's method and by Clarabel: time, and how far each objective is above the lower."""
    fit = fit_of(gather(robot, logs), "robot")
    normal = normal_from(fit.data.fit, fit.weights)
    print("\nlog-det prior: λ, objective above the lower one (Newton, Clarabel), seconds of processors and their ratio")
    for weight in (1e-2, 1.0, fit.time, 30.0):
        prior = fit.prior.with_weight(weight)
        own, fast = timed(entropic_from, normal, prior)
        exact, slow = timed(by_clarabel, normal, prior)
        values = [entropic_objective(normal, prior, theta) for theta in (own, exact)]
        above = "  ".join(f"{(value - min(values)) / max(abs(min(values)), 1e-300):8.1e}" for value in values)
        print(f"{weight:8.3g}   {above}   {fast:.3f} {slow:.3f}   1/{slow / fast:.0f}", flush=True)


def by_clarabel(normal: Normal, prior: Prior) -> Any:
    return lmi_from(normal, prior, prior.weight)


def timed(solve: Callable[[Normal, Prior], Any], normal: Normal, prior: Prior) -> tuple[Any, float]:
    """The result, and the least of three."""
    spent = []
    for _ in range(3):
        began = process_time()
        found = solve(normal, prior)
        spent.append(process_time() - began)
    return found, min(spent)


def entropic_objective(normal: Normal, prior: Prior, theta: Any) -> float:
    return normal.cost(theta) + prior.weight * barrier_value(prior, prior.coordinates(theta))


def main() -> None:
    folder, arms = Path(sys.argv[1]), [word for word in sys.argv[2:] if word in ARMS] or ARMS
    chosen = [word for word in sys.argv[2:] if word not in ARMS] or ["plain", "identified", "solver"]
    robot, runs = lwr4(folder / "kuka_lwr4")
    cut = {name: inner(log) for name, log in runs.items()}
    big, three = kr300(folder / "kuka_kr300")
    print("error % over the whole run (moving)")
    for title, arm, logs, train, validate in (
        ("LWR4+ 2+3 → 1", robot, runs, "23", "1"),
        ("LWR4+ 1+2 → 3", robot, runs, "12", "3"),
        ("LWR4+ 2+3 → 1, inner", robot, cut, "23", "1"),
        ("LWR4+ 1+2 → 3, inner", robot, cut, "12", "3"),
        ("KR300 A → B / C", big, three, "A", "BC"),
        ("KR300 A+C → B", big, three, "AC", "B"),
    ):
        for fit in (plain, identified):
            if fit.__name__ in chosen and ("lwr4" if arm is robot else "kr300") in arms:
                row(title, fit, arm, [logs[x] for x in train], [logs[x] for x in validate])
    if "solver" in chosen:
        solver(robot, [runs["2"], runs["3"]])


if __name__ == "__main__":
    main()
