"""What making an arm inexactly does: every length and angle of its table off by a little, every mass and
centre of mass, and how far the tool is then from where it should be, and the torque of gravity from what is expected.

Errors are drawn from normal distributions, each entry its own. Geometry: the arm of calibration, in which
every entry of the table is a joint of its own, Hayati's angle between parallel axes among them. Torques: linear in the
standard parameters, δτ = Y(q)·δθ with δm = ε·m and δ(mr) = ε·mr + (1 + ε)·m·δr.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.calibration.error_joints import ENDS
from manipula.identification.calibration.geometry import Geometry
from manipula.mechanics.robot.topology import with_frame
from manipula.pages.page import section, table
from manipula.robot import Robot
from manipula.studies.cases.cases import Product
from manipula.studies.cases.values import Case
from manipula.studies.catalogue import entry
from manipula.studies.results.study_result import Study
from manipula.studies.work.job import arm, robot_from, text_from

Array = NDArray[np.float64]
SHOWN = 12


class Subject(NamedTuple):
    """An arm at some configurations: its geometry, its poses without errors, and its regressor at rest."""

    geometry: Geometry
    q: Array
    p: Array
    R: Array
    regressor: Array | None
    theta: dict[str, float]


@lru_cache(maxsize=8)
def _subject(text: str, q: tuple[tuple[float, ...], ...], weighs: bool) -> Subject:
    robot, at = robot_from(text), np.array(q)
    geometry = Geometry.of(robot)
    p, R = geometry.pose(at, np.zeros(len(geometry.entries)))
    still = np.zeros_like(at)
    Y = np.asarray(arm(robot).regressor(at, still, still)) if weighs else None
    # a standard parameter without a value has no error
    theta = {name: value or 0.0 for name, value in robot.standard_parameters.items()} if weighs else {}
    return Subject(geometry, at, p, R, Y, theta)


def sample_case(case: Case, rng: np.random.Generator) -> Case:
    """One arm as it may come out of the workshop."""
    weighs = case["mass"] > 0 or case["com"] > 0
    subject = _subject(text_from(case["robot"]), tuple(map(tuple, case["q"])), weighs)
    e = rng.normal(size=len(subject.geometry.entries)) * deviations(subject.geometry, case["length"], case["angle"])
    p, R = subject.geometry.pose(subject.q, e)
    away, turned = np.linalg.norm(p - subject.p, axis=-1), angle_between(subject.R, R)
    found = {"position": away.max(), "position_mean": away.mean(), "angle": turned.max()}
    if subject.regressor is None:
        return found
    wrong = subject.regressor @ inertial_errors(subject.theta, rng, case["mass"], case["com"])
    return {**found, "torque": np.abs(wrong).max()}


def deviations(geometry: Geometry, length: float, angle: float) -> Array:
    """Of every entry; base and tool are where they are."""
    return np.array([0.0 if x.part in ENDS else angle if x.turns else length for x in geometry.entries])


def angle_between(one: Array, other: Array) -> Array:
    """Of two rotations, rad: ‖R − R′‖ = 2√2·sin(φ/2), which small angles survive."""
    apart = np.linalg.norm(one - other, axis=(-2, -1))
    return np.asarray(2 * np.arcsin(np.clip(apart / np.sqrt(8), 0, 1)))


def inertial_errors(theta: dict[str, float], rng: np.random.Generator, mass: float, com: float) -> Array:
    """δθ: masses off by a share, centres of mass by a distance."""
    names, delta = list(theta), np.zeros(len(theta))
    for name in names:
        link = name.removeprefix("mx")
        if link == name:
            continue
        share, shift = rng.normal() * mass, rng.normal(size=3) * com
        m = theta[f"m{link}"]
        delta[names.index(f"m{link}")] = share * m
        for axis, moved in zip("xyz", shift):
            row = names.index(f"m{axis}{link}")
            delta[row] = share * theta[names[row]] + (1 + share) * m * moved
    return delta


FORM = (
    entry.StudySetting("count", "arms built", "count", begin=400),
    entry.StudySetting("length", "standard deviation of every length of the table", "number", "m", 1e-4),
    entry.StudySetting("angle", "standard deviation of every angle of the table", "number", "rad", 1e-4),
    entry.StudySetting("mass", "standard deviation of every mass, as a share of it", "number", "1", 0.0),
    entry.StudySetting("com", "standard deviation of every centre of mass, along each axis", "number", "m", 0.0),
    entry.StudySetting("poses", "configurations looked at, drawn within the limits", "count", begin=20),
    entry.StudySetting("q", "the configurations themselves", "written"),
)
COLUMNS = {
    "draw": entry.StudyColumn("number", "number of the arm built"),
    "position": entry.StudyColumn("m", "worst error of the tool's position"),
    "position_mean": entry.StudyColumn("m", "mean error of the tool's position"),
    "angle": entry.StudyColumn("rad", "worst error of the tool's orientation"),
    "torque": entry.StudyColumn("N·m or N", "worst error of the torque that gravity asks for"),
}


def plan(
    robot: Robot,
    count: int = 1000,
    length: float = 1e-4,
    angle: float = 1e-4,
    mass: float = 0.0,
    com: float = 0.0,
    q: object = None,
    poses: int = 20,
) -> entry.StudyPlan:
    """Standard deviations: `length` (m) and `angle` (rad) of the table's entries, `mass` as a share, `com` in m. `q`:
    configurations to look at; without them `poses` drawn within the limits."""
    how = {"length": length, "angle": angle, "mass": mass, "com": com}
    for name, value in how.items():
        entry.not_negative(name, value)
    if not any(how.values()):
        raise InputError("tolerances: length, angle, mass and com are all zero; expected one above it")
    robot = with_frame(robot)  # whose place is looked at
    at = entry.configurations(robot, q, entry.count_of("poses", poses, 10_000))
    Geometry.of(robot)  # a missing value is refused before anything is started
    if mass or com:
        arm(robot).model("regressor")
        arm(robot).model("gravity")
    return entry.StudyPlan(
        Product({"draw": range(entry.count_of("count", count))}), {"robot": robot, "q": at.tolist(), **how}
    )


def shares(robot: Robot, q: Array, length: float, angle: float) -> list[tuple[str, float, float]]:
    """Of the variance of the tool's position, to first order, what each entry makes: name, share, m a unit."""
    geometry = Geometry.of(robot)
    slopes = np.linalg.norm(geometry.slopes(q, np.zeros(len(geometry.entries)))[:, :3], axis=1)
    each = (slopes**2).mean(0) * deviations(geometry, length, angle) ** 2
    rows = [(x.name, y / each.sum(), float(np.sqrt(y))) for x, y in zip(geometry.entries, each) if y > 0]
    return sorted(rows, key=lambda row: -row[1])


def show(study: Study) -> list[str]:
    """What matters most, so that the money goes there."""
    given = study.shared
    rows = shares(given["robot"], np.array(given["q"]), given["length"], given["angle"])[:SHOWN]
    cells = [(name, f"{100 * share:.1f} %", f"{1e3 * sigma:.4g}") for name, share, sigma in rows]
    caption = "share of the variance of the tool's position, to first order, over the configurations"
    return (
        [section("What matters", table(caption, ("entry", "share", "standard deviation, mm"), cells))] if cells else []
    )


LINE = "how far off the tool is, and the torques, when lengths, angles, masses are not exact"
READY = entry.Ready("tolerances", LINE, sample_case, plan, show, form=FORM, columns=COLUMNS)
