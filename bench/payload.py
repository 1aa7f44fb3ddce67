"""Payloads weighed while a PUMA moves: encoders in steps, noisy torques, no accelerations.

    python bench/payload.py [SEEDS]

A payload of 2 to 5 kg at a random place in the tool is held along a random smooth motion, recorded at 1 kHz: positions
in encoder steps, velocities by differences of them through a low-pass, torques with noise of 1 % of their largest.
`settled` is the time after which the mass stays within 10 % of the batch's value, which is that of the whole recording;
`error` is that value's own, of the true mass.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import manipula as mp

SEEDS, SECONDS, RATE = int(sys.argv[1]) if len(sys.argv) > 1 else 20, 10.0, 1000.0
STEP, NOISE, SMOOTH = 1e-4, 0.01, 0.01  # rad; of the largest torque; s


def low_passed(values: Any) -> Any:
    """First order, as a controller would: velocities from an encoder are of no use without."""
    found, share = np.empty_like(values), 1 / (1 + SMOOTH * RATE)
    state = values[0]
    for k, row in enumerate(values):
        state = state + share * (row - state)
        found[k] = state
    return found


def recording(arm: mp.Robot, load: mp.Robot, rng: np.random.Generator) -> mp.Log:
    t = np.arange(round(SECONDS * RATE)) / RATE
    pace, phase = rng.uniform(0.8, 3.0, (2, arm.dof)), rng.uniform(0, 6.28, (2, arm.dof))
    size = rng.uniform(0.2, 0.5, (2, arm.dof))
    angle = pace * t[:, None, None] + phase
    q, qd = (size * np.sin(angle)).sum(1), (size * pace * np.cos(angle)).sum(1)
    tau = mp.Arm(load).inverse_dynamics(q, qd, -(size * pace**2 * np.sin(angle)).sum(1))
    noisy = tau + rng.normal(size=tau.shape) * NOISE * np.abs(tau).max(0)
    seen = STEP * np.round(q / STEP)
    speed = low_passed(np.diff(seen, axis=0, prepend=seen[:1]) * RATE)
    return mp.Log(t, seen, noisy, qd=speed)


def settled(masses: Any) -> float:
    """The last time that the mass was more than 10 % off."""
    off = np.flatnonzero(np.abs(masses / masses[-1] - 1) > 0.1)
    return float((off[-1] + 1) / RATE) if len(off) else 0.0


def main() -> None:
    arm = mp.load("puma560")
    for forgetting in (1.0, 0.9995):
        rows = []
        weigh = mp.PayloadEstimator(arm, sample=1 / RATE, forgetting=forgetting)
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            mass, place = rng.uniform(2, 5), rng.uniform(-0.1, 0.1, 3)
            weigh.reset()
            estimates = weigh.run(recording(arm, arm.with_payload(mass, tuple(map(float, place))), rng))
            rows.append((settled(estimates[:, weigh.names.index("m")]), weigh.mass / mass - 1))
        times, errors = np.abs(np.array(rows)).T
        print(
            f"forgetting {forgetting:g}, {SEEDS} seeds: settled after median {np.median(times):.2f} s "
            f"(quartiles {np.quantile(times, 0.25):.2f} … {np.quantile(times, 0.75):.2f}, worst {times.max():.2f}); "
            f"error of the mass: median {100 * np.median(errors):.1f} %, worst {100 * errors.max():.1f} %"
        )


if __name__ == "__main__":
    main()
