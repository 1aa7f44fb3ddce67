"""Gains of a law by search: differential evolution over simulated runs, a generation at a time in machine code.

R. Storn, K. Price, "Differential evolution – a simple and efficient heuristic for global optimization over continuous
spaces", Journal of Global Optimization 11 (1997); scipy's. A case is a whole search with random numbers of its own:
what several searches agree on is no accident of one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.pages.charts import Chart, ChartLine
from manipula.pages.page import charts, section, table
from manipula.robot import Robot
from manipula.studies.cases.cases import Product, Sobol
from manipula.studies.cases.values import Case
from manipula.studies.catalogue import gains as rollouts
from manipula.studies.catalogue.entry import Ready, StudyColumn, StudyPlan, StudySetting, count_of, positive
from manipula.studies.results.study_result import Study

Array = NDArray[np.float64]
UNSTABLE = 1e6  # what a run counts for that ran away
OVER = 1e3  # how much dearer an error is for every share of the torque above the limit
NEAR = 0.01  # of a range, in logarithms: an end of it
SHOWN = 8  # searches of the picture
LEAST, EACH = 24, 4  # members: so many, or so many for every number that is searched


def search_case(case: Case, rng: np.random.Generator) -> Case:
    """One search: the gains, what they give, the runs it took, the best after every generation."""
    names, size, seen = case["gains"], case["size"], list[float]()
    found = _evolve(case, rng, seen)
    best = {name: value[0] for name, value in _rollout(case, names, found.x[None]).items()}
    _refuse(best, case["torque"])
    history = [*seen, *[float(found.fun)] * case["generations"]][: case["generations"]]
    told = {name: x if size > 1 else x[0] for name, x in zip(names, np.exp(found.x).reshape(len(names), size))}
    figures = {name: best[name] for name in ("error", "error_end", "torque")}
    return {**told, **figures, "runs": case["members"] * (found.nit + 1), "history": history}


def _evolve(case: Case, rng: np.random.Generator, seen: list[float]) -> Any:
    """The search in the logarithms of the gains."""
    from scipy.optimize import differential_evolution

    low, high = np.log(np.repeat(case["ranges"], case["size"], axis=0)).T
    word = "rng" if "rng" in signature(differential_evolution).parameters else "seed"
    try:
        return differential_evolution(
            lambda x: _objective_values(case, case["gains"], x.T), list(zip(low, high)), maxiter=case["generations"],
            init=rng.uniform(low, high, (case["members"], len(low))), tol=0, atol=0, polish=False, vectorized=True,
            updating="deferred", callback=lambda intermediate_result: seen.append(float(intermediate_result.fun)),
            **{word: rng},
        )  # fmt: skip
    except RuntimeError as error:  # in which scipy wraps what the function says
        raise error.__cause__ if isinstance(error.__cause__, InputError) else error from None


def _objective_values(case: Case, names: list[str], logs: Array) -> Array:
    """(members, numbers) → what each counts for: the smaller the better."""
    found, limit = _rollout(case, names, logs), case["torque"]
    over = np.maximum(found["torque"] / limit - 1, 0) if np.isfinite(limit) else 0.0
    return np.asarray(np.where(found["stable"], found["error"] * (1 + OVER * over), UNSTABLE))


def _rollout(case: Case, names: list[str], logs: Array) -> Case:
    each = np.exp(logs).reshape(len(logs), len(names), case["size"])
    rows = {name: each[:, k] if case["size"] > 1 else each[:, k, 0] for k, name in enumerate(names)}
    return dict(rollouts.rollout_cases({**case, **rows}, None))


def _refuse(best: Case, limit: float) -> None:
    if not best["stable"]:
        raise InputError("gains: none of those tried is stable; expected ranges that hold stable ones")
    if best["torque"] > limit:
        raise InputError(
            "torque: {best:.4g} is the least found, above {limit:g}; take a slower motion", best["torque"], limit
        )


_SAME = {setting.name: setting for setting in rollouts.FORM}
FORM = (
    *(_SAME[name] for name in ("law", "gains")),
    StudySetting("torque", "the most that a joint may give; left empty, anything", "number", "N·m or N"),
    StudySetting("by_joint", "every joint has gains of its own", "flag", begin=False),
    StudySetting("searches", "each with random numbers of its own", "count", begin=2),
    StudySetting("generations", "of every search", "count", begin=10),
    StudySetting("members", "of a generation; left empty, as many as the gains ask for", "count"),
    *(_SAME[name] for name in ("start", "goal", "duration", "settle", "payload", "sample", "settings", "device")),
)
COLUMNS = {
    "search": StudyColumn("number", "number of the search"),
    **{name: rollouts.COLUMNS[name] for name in ("error", "error_end", "torque")},
    "runs": StudyColumn("", "simulated runs that it took"),
    "history": StudyColumn("rad or m", "the smallest error after every generation"),
}


def plan(
    robot: Robot,
    law: str = "computed_torque",
    gains: object = None,
    goal: object = None,
    start: object = None,
    duration: float = 1.0,
    settle: float = 0.5,
    payload: float = 0.0,
    torque: float | None = None,
    by_joint: bool = False,
    searches: int = 4,
    generations: int = 30,
    members: int | None = None,
    sample: float = 1e-3,
    settings: Mapping[str, object] | None = None,
    device: str = "cpu",
) -> StudyPlan:
    """The smallest rms error among gains whose largest torque is at most `torque`; `by_joint`: every joint has gains of
    its own; so many `searches`, each of `generations` by `members`. The others are those of the study gains."""
    if not isinstance(by_joint, bool):
        raise InputError("by_joint: expected true or false, found {by_joint!r:.40}", by_joint)
    motion = (goal, start, duration, settle, payload)
    base = rollouts.plan(robot, law, gains, *motion, count=1, sample=sample, settings=settings, device=device)
    size = robot.dof if by_joint else 1
    numbers = len(base.shared["gains"]) * size
    several = max(LEAST, EACH * numbers) if members is None else count_of("members", members, 10**5)
    if several < 5:
        raise InputError("members: differential evolution needs 5 or more, found {members}", members)
    assert isinstance(base.cases, Sobol)  # no levels are given above
    ranges = [base.cases.ends(name) for name in base.shared["gains"]]
    how = {"generations": count_of("generations", generations, 10_000), "members": several, "size": size}
    limit = np.inf if torque is None else positive("torque", torque)
    cases = Product({"search": range(count_of("searches", searches, 10**6))})
    return StudyPlan(cases, {**base.shared, "ranges": ranges, **how, "torque": limit}, base.units)


@dataclass(frozen=True)
class Tuned:
    """The gains of the best search, what they give, the runs of all searches, and the best error after every
    generation. `spread`: by gain, the lowest and the highest of all searches, entry by entry. `edges`: the gains that
    lie at an end of their range, so that the range has chosen them, not the search."""

    law: str
    gains: Case
    error: float
    torque: float
    runs: int
    history: tuple[float, ...]
    spread: dict[str, tuple[Any, Any]]
    edges: tuple[str, ...]
    study: Study = field(compare=False, repr=False)

    def as_dict(self) -> Case:
        return {"law": self.law, "gains": self.gains, "error": self.error, "torque": self.torque, "runs": self.runs,
                "history": list(self.history), "spread": {name: list(x) for name, x in self.spread.items()},
                "edges": list(self.edges)}  # fmt: skip

    def __str__(self) -> str:
        told = ", ".join(f"{name} = {_few(value)}" for name, value in self.gains.items())
        edges = f"; at an end of its range: {', '.join(self.edges)}" if self.edges else ""
        figures = f"rms error {self.error:.4g}, torque {self.torque:.4g}, after {self.runs} runs"
        return f"{self.law}: {told}; {figures}{edges}"


def _few(value: list[float] | float) -> str:
    return f"[{', '.join(f'{x:.5g}' for x in value)}]" if isinstance(value, list) else f"{value:.5g}"


def best(study: Study) -> Tuned:
    """Of the searches that came to something; where none did, what the first says."""
    errors = study.table["error"] if "error" in study.table else np.empty(0)
    if not np.isfinite(errors).any():
        raise InputError(study.failures[0].why)
    names, row = study.shared["gains"], study.rows[int(np.nanargmin(errors))]
    found = {name: np.asarray(study.table[name])[np.isfinite(errors)] for name in names}
    return Tuned(
        study.shared["law"], {name: np.asarray(row[name]).tolist() for name in names}, row["error"], row["torque"],
        int(np.nansum(study.table["runs"])), tuple(row["history"].tolist()),
        {name: (x.min(0).tolist(), x.max(0).tolist()) for name, x in found.items()},
        tuple(name for name, ends in zip(names, study.shared["ranges"]) if _at_an_end(row[name], ends)), study,
    )  # fmt: skip


def _at_an_end(value: Array, ends: tuple[float, float]) -> bool:
    low, high = np.log(ends)
    away = np.abs(np.log(value) - np.array([[low], [high]]))
    return bool((away < NEAR * (high - low)).any())


def best_summary(study: Study) -> Case:
    found = best(study).as_dict()
    return {**{name: x for name, x in found.items() if name != "history"}, "device": study.shared["device"]}


def _logs(history: Array) -> list[float]:
    """Nothing is drawn of what ran away."""
    with np.errstate(all="ignore"):
        return list(np.log10(np.where(history < UNSTABLE, history, np.nan)).tolist())


def show(study: Study) -> list[str]:
    """What every search found, and how it came there."""
    names, rows = study.shared["gains"], [row for row in study.rows if "failure" not in row]
    if not rows:
        return []
    heads = ("search", *names, "error", "error_end", "torque")
    cells = [tuple(_few(np.asarray(row[name]).tolist()) for name in heads) for row in rows]
    lines = [ChartLine("", _logs(row["history"]), colour=k) for k, row in enumerate(rows[:SHOWN])]
    steps = list(range(1, len(rows[0]["history"]) + 1))
    picture = Chart("best of each search so far", "generation", "log10 of the rms error", steps, lines)
    limit = study.shared["torque"]
    caption = f"{study.shared['law']}: the gains of every search" + (
        f", torques to {limit:g}" if limit < np.inf else ""
    )
    return [section("Gains found", table(caption, heads, cells), charts([picture]))]


LINE = "a search for a law's gains: the smallest error whose torque stays below a limit"
READY = Ready("tune", LINE, search_case, plan, show, best_summary, form=FORM, columns=COLUMNS)
