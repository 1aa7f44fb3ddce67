"""Identification where the truth is known: python bench/identification_simulated.py [SEEDS]

A PUMA 560 moves for 10 s; its positions are rounded to 40,000 counts a turn, its torques carry noise in parts of their
rms, velocities are not recorded. `mp.identify` with its defaults; the file that it starts from, which is its prior, is
right or has masses that are 20 % off. The error is that of the model found, at exact states of the same motion and of
another one, 100·‖τ − τ̂‖/‖τ‖: best, median and worst of the seeds. `floor` is what the noise of the torques alone
leaves: the same torques beside exact positions, rates and accelerations, every sample, without a filter.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import manipula as mp
from tests.recordings import motion, torques

COUNTS, MUST = 40_000, 0.1
FLOOR = None  # in place of a guess


def exact(robot: mp.Robot, seed: int) -> mp.Log:
    t, q, qd, qdd = motion(robot.dof, seed, 10.0, 500.0, 1.0)
    return mp.Log(t, q, torques(robot, q, qd, qdd), qd, qdd)


def recorded(log: mp.Log, seed: int, noise: float) -> mp.Log:
    t, q, tau = log.t, log.q, np.asarray(log.tau)
    loud, step = np.sqrt((tau**2).mean(0)), 2 * np.pi / COUNTS
    tau = tau + noise * loud * np.random.default_rng(seed + 1).normal(size=tau.shape)
    return mp.Log(t, np.round(q / step) * step, tau)


def errors(robot: mp.Robot, guess: mp.Robot | None, seed: int, noise: float) -> list[float]:
    """Of the robot that was found, on the motion that was recorded, and on another."""
    same, other = exact(robot, seed), exact(robot, seed + 1000)
    log = recorded(same, seed, noise)
    if guess is FLOOR:
        log = mp.Log(same.t, same.q, log.tau, same.qd, same.qdd)
        found = mp.identify(robot, log, model=mp.JointModel(), filter=None).robot
    else:
        found = mp.identify(guess, log).robot
    told = [(torques(found, x.q, x.qd, x.qdd), x.tau) for x in (same, other)]
    return [100 * float(np.linalg.norm(ours - tau) / np.linalg.norm(tau)) for ours, tau in told]


def main(seeds: int) -> int:
    warnings.simplefilter("ignore", mp.ManipulaWarning)
    robot = mp.load("puma560")
    masses = {name: 1.2 * value for name, value in robot.parameters.items() if value and name in ("m2", "m3", "m4")}
    guesses = {"right": robot, "masses 20 % off": robot.with_parameters(**masses), "floor": FLOOR}
    print(f"PUMA 560, {COUNTS} counts a turn, {seeds} seeds, defaults: error % of the model's torques (must {MUST})")
    print(f"{'prior':16} {'noise %':>7}  {'same motion: best median worst':32} {'another: best median worst'}")
    for prior, guess in guesses.items():
        for noise in (0.001, 0.02):
            found = zip(*(errors(robot, guess, seed, noise) for seed in range(seeds)))
            told = [f"{min(x):.3f} {median(x):.3f} {max(x):.3f}" for x in found]
            print(f"{prior:16} {100 * noise:7g}  {told[0]:>30}   {told[1]:>26}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
