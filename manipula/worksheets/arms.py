"""Another arm for every student: other lengths, other axes, or other kinds of joints; the same seed, the same arms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.mechanics.robot.formats.registry import format_named
from manipula.mechanics.robot.values.parameter import float_of, floats_of
from manipula.robot import Robot

VARIATIONS = ("lengths", "axes", "joints")
MOST = 4  # joints of an arm that is drawn
TRIES = 300
IDLE = 80  # draws without an arm that is new
LENGTHS = [round(0.15 + 0.05 * k, 2) for k in range(12)]  # m
MASSES = [0.5 * k for k in range(1, 9)]  # kg


def student_arms(robot: Robot, seed: int, count: int, vary: str, is_solvable: Callable[[Robot], bool]) -> list[Robot]:
    """So many arms, no two alike, of each of which every question can be answered."""
    if vary not in VARIATIONS:
        raise UnknownNameError("variation of an arm", vary, VARIATIONS)
    if vary != "lengths" and robot.dof > MOST:
        raise InputError(
            "{name}: arms of up to {most} joints are drawn; this one has {dof}; use lengths",
            robot.name,
            MOST,
            robot.dof,
        )
    tried: set[str] = set()
    found: list[Robot] = []
    idle = 0
    drawn = _drawn(robot, Random(f"worksheet {seed}"), vary)
    for _, (key, arm) in zip(range(TRIES + 20 * count), drawn):
        named = Robot.of(replace(arm, name=f"{robot.name}_{len(found) + 1}"))
        if key not in tried and is_solvable(named):
            found.append(named)
        idle = 0 if key not in tried else idle + 1
        tried.add(key)
        if len(found) == count:
            return found
        if idle > IDLE:
            break
    raise InputError(
        "{name}: found {found} different arms for {count} students; ask fewer students or vary more", robot.name,
        len(found), count,
    )  # fmt: skip


def _drawn(robot: Robot, rng: Random, vary: str) -> Iterator[tuple[str, Robot]]:
    while True:
        try:
            key, arm = _with_lengths(robot, rng) if vary == "lengths" else _with_axes(robot, rng, vary == "joints")
        except ManipulaError:  # a draw that no arm can have
            continue
        yield key, arm


def _with_lengths(robot: Robot, rng: Random) -> tuple[str, Robot]:
    """Numbers for letters; a number that has a name changes by up to a fifth."""
    known = floats_of(dict(robot.values))
    chosen: dict[str, float] = {}
    for name, value in robot.parameters.items():
        if name in ("g", "gx", "gy", "gz"):
            chosen |= {name: 9.81} if value is None else {}
        elif value is None:
            chosen[name] = rng.choice(MASSES if name[:1] in ("m", "M") else LENGTHS)
        elif name[:1] in ("a", "d", "l", "L") and float(value):
            chosen[name] = round(float(value) * rng.uniform(0.8, 1.2), 3)
    return repr(sorted(chosen.items())), robot.with_parameters(**chosen) if chosen or known else robot


def _with_axes(robot: Robot, rng: Random, kinds: bool) -> tuple[str, Robot]:
    """Rows of the standard convention: letters or zeros for lengths, quarter turns for twists, point masses."""
    names = [joint.kind for joint in robot.joints if joint.kind != "fixed"]
    rows, flat = [], True
    for i in range(1, len(names) + 1):
        kind = rng.choice(("revolute", "revolute", "prismatic")) if kinds else names[i - 1]
        kind = kind if kind in ("revolute", "prismatic") else "revolute"
        alpha = rng.choice((0, 0, 90, -90)) if i < len(names) else 0
        flat = flat and alpha == 0 and kind == "revolute"
        turns = kind == "revolute"
        length = rng.choice(("a", "a", "d", "both"))
        a = f'"l{i}"' if length != "d" and turns else "0"
        d = f'"h{i}"' if length != "a" and turns else "0"
        rows.append((kind, d, a, alpha))
    gravity = '[0, "-g", 0]' if flat else '[0, 0, "-g"]'
    head = (
        f'format = 1\nname = "arm"\nconvention = "standard"\nangle = "deg"\ngravity = {gravity}\ninertia_default = 0\n'
    )
    body = "".join(
        f'[[joint]]\ntype = "{kind}"\ntheta = 0\nd = {d}\na = {a}\nalpha = {alpha}\nmass = "m{i}"\ncom = [0, 0, 0]\n'
        for i, (kind, d, a, alpha) in enumerate(rows, 1)
    )
    return repr(rows), Robot.of(format_named("toml").read(head + body))


def numbers_of(robot: Robot, rng: Random) -> dict[str, float]:
    """A value for every parameter: its own, or one that is drawn for a letter."""
    known = floats_of(dict(robot.values))
    found: dict[str, float] = {}
    for name, value in robot.parameters.items():
        if value is not None:
            found[name] = float(value)
        elif name in known:
            found[name] = float_of(dict(robot.values)[name], known)
        else:
            found[name] = 9.81 if name == "g" else rng.choice(MASSES if name[:1] == "m" else LENGTHS)
    return found
