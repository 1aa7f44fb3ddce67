"""A controlled arm in time, its loads, and drives for it."""

from pathlib import Path

import manipula as mp


def main(folder: Path) -> float:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    ref = mp.trajectory.quintic([0, 0], [1, -0.5], 0.2)
    law: mp.Law = mp.controller(arm, "computed_torque", kp=400, kd=40, sample=1e-3)
    run: mp.Run = mp.simulate(mp.Plant(arm, effort=None), law, ref, sensors=mp.Sensors())
    run.save(folder / "run.csv")
    loads = mp.loads(arm, run)
    shoulder = loads["theta1"]
    back = 0.0 if shoulder.motor is None else shoulder.motor.braking_energy
    return back + shoulder.torque_gear + max(x.torque_rms for x in loads)


def drives(folder: Path) -> list[str]:
    ref = mp.trajectory.quintic([0, 0], [1, -0.5], 0.2)
    chosen = mp.choose_drives(mp.loads("planar2r", ref), folder / "motors.csv", folder / "gears.csv", inertia_ratio=20)
    chosen.save_plot(folder / "drives.png")
    return [x.motor.name for x in chosen if x.holds] + [str(x) for x in chosen.refusals]
