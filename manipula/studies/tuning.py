"""Gains of a law by search: differential evolution over simulated runs, a generation at a time in machine code.

R. Storn, K. Price, "Differential evolution – a simple and efficient heuristic for global optimization over continuous
spaces", Journal of Global Optimization 11 (1997); scipy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.api import load
from manipula.errors import InputError
from manipula.robot import Robot
from manipula.studies.ready import gains as rollouts
from manipula.studies.ready.settings import count_of, positive

Array = NDArray[np.float64]
UNSTABLE = 1e6  # what a run counts for that ran away


@dataclass(frozen=True)
class Tuned:
    """The gains found, what they give, and the best error after every generation."""

    law: str
    gains: dict[str, float]
    error: float
    torque: float
    runs: int
    history: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"law": self.law, "gains": self.gains, "error": self.error, "torque": self.torque, "runs": self.runs,
                "history": list(self.history)}  # fmt: skip

    def __str__(self) -> str:
        told = ", ".join(f"{name} = {value:.5g}" for name, value in self.gains.items())
        return f"{self.law}: {told}; rms error {self.error:.4g}, torque {self.torque:.4g}, after {self.runs} runs"


def tune(
    robot: Robot | str,
    *,
    torque: float | None = None,
    generations: int = 30,
    members: int = 24,
    seed: int = 0,
    **words: Any,
) -> Tuned:
    """The gains with the smallest rms error along a motion, among those whose largest torque is at most `torque`.

    `words` are the settings of `mp.studies.gains`: `law`, `gains={"kp": [50, 2000], …}`, `goal`, `duration`, `payload`
    … A search of `generations` by `members`; the same seed gives the same gains.

    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    >>> ranges = {"kp": [50, 2000], "kd": [5, 200]}
    >>> found = tune(arm, law="computed_torque", gains=ranges, goal=[1, -0.5], payload=1, generations=5, members=8)
    >>> found.error < 0.1
    True
    """
    from scipy.optimize import differential_evolution

    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed: expected a whole number of zero or more, found {seed!r:.40}")
    limit = np.inf if torque is None else positive("torque", torque)
    rounds, several = count_of("generations", generations, 10**6), count_of("members", members, 10**5)
    if several < 5:
        raise InputError(f"members: differential evolution needs 5 or more, found {members}")
    plan = rollouts.plan(load(robot) if isinstance(robot, str) else robot, count=1, **words)
    names, seen = plan.shared["gains"], list[float]()
    bounds = [tuple(np.log(plan.cases.ends(name))) for name in names]

    def wished(x: Array) -> Array:
        """(gains, members) → what each counts for."""
        found = _rolled(plan.shared, names, x.T)
        over = np.maximum(found["torque"] / limit - 1, 0) if np.isfinite(limit) else 0.0
        return np.asarray(np.where(found["stable"], found["error"] * (1 + 1e3 * over), UNSTABLE))

    word = "rng" if "rng" in signature(differential_evolution).parameters else "seed"
    low, high = np.array(bounds).T
    first = np.random.default_rng(seed).uniform(low, high, (several, len(names)))
    found = differential_evolution(
        wished, bounds, init=first, maxiter=rounds, tol=0, atol=0, polish=False, vectorized=True, updating="deferred",
        callback=lambda intermediate_result: seen.append(float(intermediate_result.fun)),
        **{word: np.random.default_rng(seed)},
    )  # fmt: skip
    best = _rolled(plan.shared, names, found.x[None])
    if not best["stable"][0]:
        raise InputError("gains: none of those tried is stable; expected ranges that hold stable ones")
    if best["torque"][0] > limit:
        raise InputError(f"torque: {best['torque'][0]:.4g} is the least found, above {limit:g}; take a slower motion")
    told = {name: float(np.exp(x)) for name, x in zip(names, found.x)}
    figures = float(best["error"][0]), float(best["torque"][0])
    return Tuned(plan.shared["law"], told, *figures, several * (found.nit + 1), tuple(seen))


def _rolled(shared: Any, names: list[str], logs: Array) -> dict[str, Any]:
    return dict(rollouts.rolled({**shared, **{name: np.exp(logs[:, k]) for k, name in enumerate(names)}}, None))
