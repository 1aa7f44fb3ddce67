"""Makes the recordings that come with the package: python bench/sample_recording.py [FOLDER]

A PUMA 560 follows a periodic motion under a computed-torque law, with friction that sticks. The arm is not quite that
of its file: the upper arm is 6 % heavier, the forearm 9 %. What the recorder does to it: stamps up to 0.3 ms late,
three pauses of some milliseconds in which samples are lost, encoders of 40,000 counts a turn, torques 1 ms late, with
noise, in steps of 0.02 N·m. Two motions: one to learn from, one to check by.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import manipula as mp

FOLDER = Path(__file__).parent.parent / "manipula" / "recordings" / "samples"
SECONDS, PERIOD, STEP, RATE = 12.0, 6.0, 1e-3, 360.0
COUNTS, LATE, DELAY, NOISE, DIGIT = 40_000, 1e-4, 1e-3, 0.006, 0.02
CENTRE = (0.0, 1.2, -1.2, 0.3, 0.2, 0.0)  # rad: within the limits, with the arm stretched out and folded
SIZE = (1.1, 0.75, 0.75, 1.0, 0.9, 1.2)  # rad


def arm() -> mp.Robot:
    robot = mp.load("puma560")
    value = robot.parameters
    masses = {"m2": 1.06 * float(value["m2"]), "m3": 1.09 * float(value["m3"])}
    return robot.with_parameters(**masses)


def motion(seed: int) -> mp.Trajectory:
    """Five harmonics of a period of 6 s, as large as the joints allow."""
    rng = np.random.default_rng(seed)
    base, waves = 2 * np.pi / PERIOD, rng.normal(size=(2, 5, 6))
    t = np.linspace(0, PERIOD, 600)
    moved = mp.trajectory.fourier(*waves, base)(t).q
    middle, half = (moved.max(0) + moved.min(0)) / 2, (moved.max(0) - moved.min(0)) / 2
    factors = np.array(SIZE) / half
    return mp.trajectory.fourier(*(waves * factors), base, q0=np.array(CENTRE) - middle * factors)


def recorded(run: mp.Run, seed: int) -> dict[str, np.ndarray]:
    """What the recorder writes: microseconds, degrees, N·m."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, SECONDS, 1 / RATE)
    q, tau = (
        np.stack([np.interp(t - late, run.t, x) for x in array.T], axis=1)
        for array, late in ((run.q, 0.0), (run.tau, DELAY))
    )
    loud = np.sqrt((tau**2).mean(0))
    tau = tau + NOISE * loud * rng.normal(size=tau.shape)
    stamps = t + np.minimum(rng.exponential(LATE, len(t)), 3 * LATE)
    kept = np.ones(len(t), bool)
    for place in rng.integers(200, len(t) - 200, 3):
        kept[place : place + rng.integers(1, 4)] = False
    turn = 360.0 / COUNTS
    return {
        "time_us": np.round(1e6 * stamps[kept]).astype(np.int32),
        "position_deg": (np.round(np.rad2deg(q[kept]) / turn) * turn).astype(np.float32),
        "torque_Nm": (np.round(tau[kept] / DIGIT) * DIGIT).astype(np.float32),
    }


def main(folder: Path) -> None:
    robot = arm()
    law = mp.controller(robot, "computed_torque", kp=400.0, kd=40.0, sample=STEP)
    for name, seed in (("puma560", 1), ("puma560-check", 2)):
        run = mp.simulate(mp.Plant(robot, friction="stick"), law, motion(seed), until=SECONDS, step=STEP)
        path = folder / f"{name}.npz"
        np.savez_compressed(path, **recorded(run, seed))
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
