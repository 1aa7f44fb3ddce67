"""What an identification costs: python bench/identification_speed.py [short] [long] [jitter]

An iiwa14 with friction, positions rounded as encoders do, noise on torques, is recorded at 1 kHz: `short` for 25 s,
`long` for 1000 s (a million samples), `jitter` for 25 s with stamps that are late and gaps of 3 to 10 ms. Each is a
file that a fresh process reads and identifies from with the defaults, as somebody at a shell does. The table has
seconds of processors, of reading and of identifying; the largest memory of that process; the error on another motion.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import manipula as mp

RATE, COUNTS, NOISE, CHUNK = 1000.0, 2**19, 0.01, 50_000
MUST = {"short": (4.0, np.inf), "jitter": (np.inf, np.inf), "long": (20.0, 1000.0)}  # seconds, MB
SECONDS = {"short": 25.0, "jitter": 25.0, "long": 1000.0}


def arm() -> mp.Robot:
    robot = mp.load("iiwa14")
    laws = {name: {"viscous": 1.0 + 0.1 * k, "coulomb": 2.0 - 0.2 * k} for k, name in enumerate(robot.joint_names)}
    return robot.with_friction(**laws)


def record(path: Path, seconds: float, seed: int, jitter: bool) -> None:
    """Sums of three sines a joint, by parts, so that a long recording needs no memory."""
    robot = arm()
    rng, count, torque = np.random.default_rng(seed), int(seconds * RATE), mp.Arm(robot).inverse_dynamics
    size, pace, phase = rng.uniform(0.2, 0.5, (3, 7)), rng.uniform(0.5, 3, (3, 7)), rng.uniform(0, 6, (3, 7))
    t = np.arange(count) / RATE
    q, tau = np.empty((count, 7)), np.empty((count, 7))
    for first in range(0, count, CHUNK):
        rows = slice(first, first + CHUNK)
        angle = pace * t[rows, None, None] + phase
        sine, cosine = np.sin(angle), np.cos(angle)
        q[rows] = (size * sine).sum(1)
        tau[rows] = torque(q[rows], (size * pace * cosine).sum(1), -(size * pace**2 * sine).sum(1))
    tau += NOISE * np.sqrt((tau**2).mean(0)) * rng.normal(size=tau.shape)
    step = 2 * np.pi / COUNTS
    q, kept = np.round(q / step) * step, np.ones(count, bool)
    if jitter:
        t = t + np.minimum(rng.exponential(1e-4, count), 4e-4)
        for place in rng.integers(1000, count - 1000, 6):
            kept[place : place + rng.integers(2, 10)] = False
    np.savez(path, time=t[kept], position=q[kept], torque=tau[kept])


def identify(train: Path, check: Path) -> None:
    """In a process of its own."""
    robot, began = arm(), process_time()
    logs = [mp.read_log(path, robot, units={"q": "rad"}) for path in (train, check)]
    read = process_time()
    found = mp.identify(robot, logs[0])
    done = process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    told = {
        "read": read - began, "identify": done - read, "memory": memory,
        "error": found.error(logs[1]), "pieces": len(found.data.source.motions), "filter": found.filter[0],
    }  # fmt: skip
    print(json.dumps(told))


def main(names: list[str]) -> int:
    print("recording   read s  identify s   must     MB   must pieces  check %")
    with tempfile.TemporaryDirectory() as folder:
        check = Path(folder) / "check.npz"
        record(check, 10.0, 99, False)
        for name in names:
            train = Path(folder) / f"{name}.npz"
            record(train, SECONDS[name], 1, name == "jitter")
            words = [sys.executable, __file__, "--child", str(train), str(check)]
            found = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])
            seconds, memory = MUST[name]
            spent = f"{found['read']:7.2f} {found['identify']:11.2f} {seconds:6g} {found['memory']:6.0f} {memory:6g}"
            print(f"{name:10} {spent} {found['pieces']:6} {found['error']:8.3f}   {found['filter']}", flush=True)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        identify(*map(Path, sys.argv[2:4]))
    else:
        raise SystemExit(main(sys.argv[1:] or list(SECONDS)))
