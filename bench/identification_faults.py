"""Recordings with faults, and how sure identification is: python bench/identification_faults.py [PART …] [--count N]

Parts: `faults` (40 simulated faults, singly and in pairs, on 10 arms), `clean` (warnings of slips on 200 recordings
without one), `coverage` (95 % intervals of base parameters on 40 random arms of 2 to 7 joints), `payload` (95 %
intervals of 40 payloads on 5 arms whose friction is not the model's and whose drives are off by up to 5 %), `pairs`
(every two slips of a recording at once, named, and undone by repair=True). Without a part all are run; `--count N`
makes N cases of each. A fault counts as recognised where a warning or a refusal names it, and as harmless where the
model found predicts another motion within 1.2 times of the one from the clean recording.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import manipula as mp
from tests.recordings import motion, torques

RATE, SECONDS, NOISE, COUNTS = 200.0, 10.0, 0.01, 100_000
HARMLESS = 1.2
SLIPS = ("wrong sign", "swapped", "off by", "seem to be in", "mounted", "gravity seems", "turn with",
         "those of a motor", "other direction", "recorded from", "recorded shifted", "times as l")  # fmt: skip
Array = Any
Fault = tuple[str, Callable[["Case"], None], tuple[str, ...]]


class Case:
    """A recording to be spoilt."""

    def __init__(self, robot: mp.Robot, seed: int) -> None:
        self.robot, self.rng = robot, np.random.default_rng(seed)
        self.t, self.q, self.qd, self.qdd = motion(robot.dof, seed, SECONDS, RATE, 0.8)
        self.tau, self.given = torques(robot, self.q, self.qd, self.qdd), robot
        self.most, self.unit = np.full(robot.dof, np.inf), 1.0
        self.coupled: float | None = None
        self.plant, self.friction = robot, 0.0
        # the last joint's zero and direction are absorbed by its body: no torque shows them
        self.joint = int(self.rng.integers(1, robot.dof - 1)) if robot.dof > 2 else 1

    def real(self, q: Array, qd: Array, qdd: Array) -> Array:
        """What the arm itself asks for, its mounting and its coupled motors with it."""
        tau = torques(self.plant, q, qd, qdd)
        if self.coupled is None:
            return tau
        factor, size, (a, b) = self.coupled, self.friction, (self.robot.dof - 2, self.robot.dof - 1)
        omega, rate = qd[:, b] + factor * qd[:, a], qdd[:, b] + factor * qdd[:, a]
        more = size * (0.8 * np.sign(omega) + 0.3 * omega + 0.05 * rate)
        tau[:, a], tau[:, b] = tau[:, a] + factor * more, tau[:, b] + more
        return tau

    def again(self) -> None:
        self.tau = self.real(self.q, self.qd, self.qdd)

    def log(self) -> mp.Log:
        step, loud = 2 * np.pi / COUNTS, np.sqrt((self.tau**2).mean(0))
        tau = self.tau + NOISE * loud * self.rng.normal(size=self.tau.shape)
        return mp.Log(self.t, self.unit * np.round(self.q / step) * step, np.clip(tau, -self.most, self.most))


def arm(seed: int, joints: int) -> mp.Robot:
    """Axes across each other or parallel, links that grow lighter, friction and motors."""
    rng = np.random.default_rng(1000 + seed)
    rows = []
    for j in range(joints):
        mass, size = 12.0 * 0.6**j * rng.uniform(0.8, 1.2), 0.5 * 0.8**j
        second = mass * size**2 * rng.uniform(0.05, 0.12, 3)
        rows.append({
            "d": float(rng.uniform(0, 0.3)), "a": float(rng.uniform(0.1, size)),
            "alpha": float(rng.choice([-90, 0, 90])) if j else 90.0, "mass": float(mass),
            "com": [float(x) for x in rng.uniform(-0.4, 0.4, 3) * size],
            "inertia": {**dict(zip(("xx", "yy", "zz"), map(float, second))), "xy": 0, "xz": 0, "yz": 0},
        })  # fmt: skip
    robot = mp.Robot.from_dh(rows, angle="deg", name=f"arm{seed}")
    scale = [3.0 * 0.6**j for j in range(joints)]
    friction = {f"joint{j + 1}": {"viscous": float(2 * x), "coulomb": float(2 * x)} for j, x in enumerate(scale)}
    motors = {f"joint{j + 1}": float(0.3 * x) for j, x in enumerate(scale)}
    return robot.with_friction(**friction).with_motor_inertia(**motors)


# faults


def all_signs(case: Case) -> None:
    case.tau = -case.tau


def some_signs(case: Case) -> None:
    case.tau = case.tau.copy()
    case.tau[:, case.joint] *= -1


def swapped_torques(case: Case) -> None:
    order = _exchanged(case)
    case.tau = case.tau[:, order]


def swapped_columns(case: Case) -> None:
    order = _exchanged(case)
    case.tau, case.q = case.tau[:, order], case.q[:, order]


def _exchanged(case: Case) -> list[int]:
    order = list(range(case.robot.dof))
    order[case.joint], order[case.joint - 1] = case.joint - 1, case.joint
    return order


def zero_off(case: Case) -> None:
    case.q = case.q.copy()
    case.q[:, case.joint] += np.pi / 2


def degrees(case: Case) -> None:
    """A small motion in degrees looks like a large one in radians."""
    case.t, q, qd, qdd = motion(case.robot.dof, 5, SECONDS, RATE, 0.8)
    case.q, case.qd, case.qdd = 0.05 * q, 0.05 * qd, 0.05 * qdd
    case.again()
    case.unit = 180 / np.pi


def upside_down(case: Case) -> None:
    case.plant = case.robot.with_gravity(0, 0, 9.81)
    case.again()


def direction(case: Case) -> None:
    signs = np.ones(case.robot.dof)
    signs[case.joint] = -1
    case.q, case.tau = case.q * signs, case.tau * signs


def other_robot(case: Case) -> None:
    case.given = arm(77, case.robot.dof)


def coupled(case: Case, factor: float = 1.0) -> None:
    case.friction = case.friction or float(np.sqrt((case.tau[:, -1] ** 2).mean()))
    case.coupled = factor
    case.again()


def motor_angles(case: Case, factor: float = 1.0) -> None:
    K = np.eye(case.robot.dof)
    K[-1, -2] = factor
    case.q, case.tau = case.q @ K.T, case.tau @ np.linalg.inv(K)


def spikes(case: Case) -> None:
    case.tau = case.tau.copy()
    rows = case.rng.choice(len(case.t), 25, replace=False)
    case.tau[rows, case.rng.integers(0, case.robot.dof, 25)] += 20 * np.abs(case.tau).max()


def lost(case: Case) -> None:
    """Samples that the recorder repeated as zeros."""
    rows = case.rng.choice(len(case.t), 20, replace=False)
    case.q, case.tau = case.q.copy(), case.tau.copy()
    case.q[rows], case.tau[rows] = 0.0, 0.0


def saturated(case: Case) -> None:
    case.most = 0.7 * np.abs(case.tau).max(0)  # a drive clips its command, noise and all


def still(case: Case) -> None:
    for x, value in ((case.q, 0.3), (case.qd, 0.0), (case.qdd, 0.0)):
        x[:, case.joint] = value
    case.again()


def late(case: Case) -> None:
    case.tau = np.roll(case.tau, 4, axis=0)


def gain(case: Case) -> None:
    case.tau = case.tau.copy()
    case.tau[:, case.joint] *= 0.8


def jitter(case: Case) -> None:
    """Stamps are even, samples are not."""
    case.q = case.q + case.qd * case.rng.normal(0, 1e-4, (len(case.t), 1))


SINGLE: list[Fault] = [
    ("all torques inverted", all_signs, ("wrong sign",)),
    ("one torque inverted", some_signs, ("wrong sign", "other direction")),
    ("torques swapped", swapped_torques, ("swapped",)),
    ("columns swapped", swapped_columns, ("swapped",)),
    ("zero off by 90°", zero_off, ("off by",)),
    ("degrees, small motion", degrees, ("degrees", "rad")),
    ("upside down", upside_down, ("upside down", "gravity")),
    ("other direction", direction, ("other direction", "wrong sign")),
    ("another robot", other_robot, ("this robot", "no possible arm")),
    ("coupled wrist", coupled, ("turn with", "turns with")),
    ("angles of motors", motor_angles, ("motor",)),
    ("spikes", spikes, ("jump",)),
    ("lost samples", lost, ("jump",)),
    ("torque at its limit", saturated, ("limit",)),
    ("a joint at rest", still, ("never moves",)),
    ("late torques", late, ("later",)),
    ("drive gain", gain, ("gain",)),
    ("jitter", jitter, ("jitter",)),
]
PAIRS = [(1, 4), (0, 11), (2, 12), (9, 1), (6, 11), (15, 11), (4, 13), (3, 17), (10, 11), (16, 12), (8, 11), (5, 12)]


def cases(count: int) -> list[list[Fault]]:
    """Singles, then pairs, then singles on other arms."""
    found: list[list[Fault]] = [[one] for one in SINGLE]
    found += [[SINGLE[a], SINGLE[b]] for a, b in PAIRS]
    found += [[one] for one in SINGLE]
    return found[:count]


def held_out(case: Case, found: Any) -> float:
    t, q, qd, qdd = motion(case.robot.dof, 4242, 4.0, RATE, 0.8)
    tau = case.real(q, qd, qdd)
    predicted = replace(found, asked_filter=None, conversion=None).predict(mp.Log(t, q, tau, qd, qdd))
    return float(np.linalg.norm(predicted - tau) / np.linalg.norm(tau))


def _clean(robot: mp.Robot, seed: int) -> float:
    case = Case(robot, seed)
    return held_out(case, mp.identify(robot, case.log()))


def faults(count: int, start: int = 0) -> None:
    good, arms = 0, [arm(seed, 3 + seed % 4) for seed in range(10)]
    clean: dict[str, float] = {}
    for place, spoilt in list(enumerate(cases(count)))[start:]:
        robot = arms[place % len(arms)]
        if robot.name not in clean:
            clean[robot.name] = _clean(robot, place % len(arms))
        case, began = Case(robot, place % len(arms)), process_time()
        for _, spoil, _ in spoilt:
            spoil(case)
        words = [words for _, _, words in spoilt]
        try:
            found = mp.identify(case.given, case.log())
            text, error = " ".join(found.warnings), held_out(Case(robot, 0), found)
        except mp.ManipulaError as refused:
            text, error = str(refused), np.inf
        named = sum(any(word in text for word in each) for each in words)
        harmless = error <= HARMLESS * clean[robot.name] + 1e-3
        passed = bool(named) or harmless
        good += passed
        what = " + ".join(name for name, _, _ in spoilt)
        verdict = f"{named} of {len(words)} named" if named else "harmless" if harmless else "MISSED"
        print(f"{place + 1:3} {robot.name} {what:44} {verdict:14} {100 * error:8.2f} % held out, clean "
              f"{100 * clean[robot.name]:.2f}; {process_time() - began:.1f} s", flush=True)  # fmt: skip
        if not passed:
            print("      ", text[:300], flush=True)
    print(f"faults: {good} of {len(cases(count)) - start} recognised or harmless (must 36 of 40)")


def coupled_otherwise(case: Case) -> None:
    coupled(case, -0.6)


OF_ARMS = (degrees, upside_down, coupled, coupled_otherwise)  # another motion or another arm, not only other numbers

# in the order in which they act on an arm, its motors, its recorder
SLIPS_OF_RECORDINGS: list[tuple[str, Callable[[Case], None], str]] = [
    ("degrees, small motion", degrees, "in degrees"),
    ("upside down", upside_down, "upside down"),
    ("coupled wrist", coupled, "turn with"),
    ("coupled by −0.6", coupled_otherwise, "turn with"),
    ("angles of motors, 0.5", lambda case: motor_angles(case, 0.5), "those of a motor"),
    ("zero off by 90°", zero_off, "off by"),
    ("other direction", direction, "direction"),
    ("torques swapped", swapped_torques, "swapped"),
    ("columns swapped", swapped_columns, "swapped"),
    ("one torque inverted", some_signs, "wrong sign"),
    ("all torques inverted", all_signs, "wrong sign"),
]


def pairs(count: int, start: int = 0) -> None:
    """Two slips at once, undone by repair=True: the model found must predict another recording with the same slips as
    that of somebody who knew them does."""
    every = list(combinations(SLIPS_OF_RECORDINGS, 2))
    every = [every[int(k)] for k in np.linspace(0, len(every) - 1, min(count, len(every)))][start:]
    both = undone = 0
    for place, pair in enumerate(every, start):
        robot = arm(place % 10, 3 + place % 4)
        train, check = _twice(robot, place, [spoil for _, spoil, _ in pair])
        words, began = {word for _, _, word in pair}, process_time()
        try:
            found = mp.identify(robot, train.log(), repair=True)
            text, error = " ".join([*found.repairs, *found.warnings]), found.error(check.log())
        except mp.ManipulaError as refused:
            text, error = str(refused), np.inf
        spent, named = process_time() - began, sum(word in text for word in words)
        clean = _known(robot, place, [spoil for _, spoil, _ in pair])
        good = error <= HARMLESS * clean + 0.3
        both, undone = both + (named == len(words)), undone + good
        told = f"{named} of {len(words)} named, {'undone' if good else 'NOT undone'}"
        what = f"{pair[0][0]} + {pair[1][0]}"
        print(f"{place + 1:3} {robot.dof} joints {what:46} {told:26} {error:7.2f} % on another recording, {clean:.2f} "
              f"where known; {spent:.1f} s", flush=True)  # fmt: skip
        if not good:
            print("       ", text[:500], flush=True)
    print(f"pairs: of {len(every)} undone by repair {undone}, both named {both}")


def _twice(robot: mp.Robot, place: int, spoils: list[Callable[[Case], None]]) -> tuple[Case, Case]:
    """Two motions of one arm, with the same slips."""
    train, check = (Case(robot, seed) for seed in (place, 700 + place))
    check.joint = train.joint
    train.friction = check.friction = float(np.sqrt((train.tau[:, -1] ** 2).mean()))
    for case in (train, check):
        for spoil in spoils:
            spoil(case)
    return train, check


def _known(robot: mp.Robot, place: int, spoils: list[Callable[[Case], None]]) -> float:
    """The error of who declares mounting and coupling, and whose recorder made no slip."""
    train, check = _twice(robot, place, [spoil for spoil in spoils if spoil in OF_ARMS])
    train.unit = check.unit = 1.0
    names = robot.joint_names[-2:]
    factor = {} if train.coupled is None else {(names[0], names[1]): train.coupled}
    return float(mp.identify(train.plant, train.log(), coupling=factor).error(check.log()))


def false_alarms(count: int, start: int = 0) -> None:
    alarms = 0
    for seed in range(start, count):
        robot = arm(seed % 40, 2 + seed % 6)
        found = mp.identify(robot, Case(robot, 300 + seed).log(), model=mp.JointModel() if seed % 4 else "auto")
        said = [text for text in found.warnings if any(word in text for word in (*SLIPS, "jump", "gain", "later"))]
        alarms += bool(said)
        if said:
            print("   ", robot.name, said[0], flush=True)
    print(f"clean: {alarms} false alarms in {count - start} fits, {100 * alarms / (count - start):.1f} % (must 2 %)")


def coverage(count: int, start: int = 0) -> None:
    inside, total = 0, 0
    for seed in range(start, count):
        robot = arm(200 + seed, 2 + seed % 6)
        case = Case(robot, 500 + seed)
        found = mp.identify(robot, case.log())
        exact = mp.Log(case.t, case.q, case.tau, case.qd, case.qdd)
        model = mp.JointModel() if not found.choices else found.model
        truth = mp.identify(robot, exact, model=model, filter=None, method="wls", prior=None).base_parameters
        rows = [(row, truth[row.name]) for row in found.base_parameters if row.name in truth.names]
        known = [(own, true) for own, true in rows if np.isfinite(true.sigma) and np.isfinite(own.sigma)]
        hits = sum(abs(own.value - true.value) <= 1.96 * own.sigma for own, true in known)
        inside, total = inside + hits, total + len(known)
        print(f"    {robot.name}: {robot.dof} joints, {hits} of {len(known)}", flush=True)
    print(f"coverage of base parameters: {inside / max(total, 1):.3f} of {total} (must 0.93 … 0.97)")


def payload(count: int, start: int = 0) -> None:
    hits, widths = 0, []
    for k in range(start, count):
        robot, rng = arm(400 + k % 5, 4 + k % 3), np.random.default_rng(k)
        drives = rng.uniform(0.95, 1.05, robot.dof)
        wrong = {name: {"viscous": 0.0, "coulomb": 0.0} for name in robot.joint_names}
        t, q, qd, qdd = motion(robot.dof, 900 + k, SECONDS, RATE, 0.6)
        real = torques(robot, q, qd, qdd) + _stribeck(robot, qd, rng)
        log = mp.Log(t, q, drives * real + NOISE * np.abs(real).mean(0) * rng.normal(size=real.shape))
        model = mp.identify(robot.with_friction(**wrong), log, model=mp.JointModel())
        mass, at = float(rng.uniform(0.5, 4)), tuple(map(float, rng.uniform(-0.1, 0.1, 3)))
        t, q, qd, qdd = motion(robot.dof, 1900 + k, SECONDS, RATE, 0.6)
        real = torques(robot.with_payload(mass, at), q, qd, qdd) + _stribeck(robot, qd, rng)
        held = mp.Log(t, q, drives * real + NOISE * np.abs(real).mean(0) * rng.normal(size=real.shape))
        weigh = mp.PayloadEstimator(model)
        weigh.run(held)
        off, half = weigh.mass - mass, weigh.interval["m"]
        hits += abs(off) <= half
        widths.append(half / mass)
        print(f"    {robot.name}: {mass:.3f} kg, found {weigh.mass:.3f} ± {half:.3f}", flush=True)
    half_width = 100 * float(np.median(widths))
    share = hits / (count - start)
    print(f"coverage of payloads: {share:.3f} of {count - start} (must 0.90 … 0.98); half-width {half_width:.1f} %")


def _stribeck(robot: mp.Robot, qd: Array, rng: np.random.Generator) -> Array:
    """Friction that the model has no word for: other when slow."""
    size = np.array([1.0 * 0.6**j for j in range(robot.dof)]) * rng.uniform(0.5, 1.5, robot.dof)
    return size * np.exp(-((qd / 0.2) ** 2)) * np.tanh(qd / 0.01)


PARTS = {
    "faults": (faults, 40),
    "clean": (false_alarms, 200),
    "coverage": (coverage, 40),
    "payload": (payload, 40),
    "pairs": (pairs, 55),
}


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    given.add_argument("--count", type=int, default=0)
    given.add_argument("--start", type=int, default=0, help="the cases from this one on")
    asked = given.parse_args()
    warnings.simplefilter("ignore", mp.ManipulaWarning)
    for name in asked.parts or PARTS:
        part, usual = PARTS[name]
        part(asked.count or usual, asked.start)


if __name__ == "__main__":
    main()
