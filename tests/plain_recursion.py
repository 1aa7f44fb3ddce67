"""What each link of an arm does and bears, worked out anew: in the world's axes, on arrays, from the description alone.

Nothing of the package's models is used, so that a name can be held against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from manipula.mechanics.robot.description import Body, Cell, Robot, Steps
from manipula.mechanics.robot.values.parameter import float_of

Array = NDArray[np.float64]
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def values_of(robot: Robot, free: Mapping[str, float]) -> dict[str, float]:
    """Every name in use: the free ones as given, the others by the file's values."""
    found, pending = dict(free), {name: value for name, value in robot.values if name not in free}
    while pending:
        for name, value in list(pending.items()):
            try:
                found[name] = float_of(value, found)
                del pending[name]
            except KeyError:
                continue
    return found


def pose(kind: str, x: float) -> Array:
    """One elementary step as a 4×4 matrix."""
    T, axis = np.eye(4), "xyz".index(kind[1])
    if kind[0] == "t":
        T[axis, 3] = x
        return T
    a, b = (axis + 1) % 3, (axis + 2) % 3
    T[a, a] = T[b, b] = np.cos(x)
    T[b, a], T[a, b] = np.sin(x), -np.sin(x)
    return T


@dataclass
class Lump:
    """A body in the frame it is given in, and that frame seen from the moving link's."""

    at: Array
    mass: float
    com: Array
    tensor: Array  # about the centre of mass


@dataclass
class Moving:
    """A moving link: the way to its joint, the joint, the way on to its frame, what it carries."""

    before: Array
    kind: str
    direction: int
    offset: float
    after: Array
    lumps: list[Lump] = field(default_factory=list)


class Arm:
    """The moving links of a robot in numbers."""

    def __init__(self, robot: Robot, free: Mapping[str, float]) -> None:
        self.values = values_of(robot, free)
        self.links: list[Moving] = []
        gap = self.placed(robot.base)
        for joint in robot.joints:
            before, after = self.placed(joint.before), self.placed(joint.after)
            if joint.kind != "fixed":
                offset = self.number(joint.offset)
                self.links.append(Moving(gap @ before, joint.kind, joint.direction, offset, after))
                gap = np.eye(4)
            else:
                gap = gap @ before @ after
            if self.links:
                lumps = [Lump(gap, *self.body(body)) for body in [joint.body] if body is not None]
                lumps += [Lump(gap @ self.placed(held.at), *self.body(held.body)) for held in joint.carries]
                self.links[-1].lumps += lumps
        self.tool = gap @ self.placed(robot.tool)
        self.links[-1].lumps += [Lump(self.tool, *self.body(body)) for body in robot.payload]
        self.gravity = np.array([self.number(cell) for cell in robot.gravity])

    def number(self, cell: Cell) -> float:
        return float_of(cell.parameter, self.values)

    def placed(self, steps: Steps) -> Array:
        T = np.eye(4)
        for step in steps:
            T = T @ pose(step.kind, self.number(step.amount))
        return T

    def body(self, body: Body) -> tuple[float, Array, Array]:
        """(mass, centre, tensor about it)"""
        mass, given = self.number(body.mass), np.array([self.number(cell) for cell in body.centre])
        com = given if body.centre_is == "com" else np.divide(given, mass, where=given != 0, out=np.zeros(3))
        tensor = np.zeros((3, 3))
        for (i, j), cell in zip(PAIRS, body.inertia):
            tensor[i, j] = tensor[j, i] = self.number(cell)
        if body.inertia_is == "second_moment":
            tensor = np.trace(tensor) * np.eye(3) - tensor
        if body.inertia_is != "com":
            tensor = tensor - mass * (com @ com * np.eye(3) - np.outer(com, com))
        return mass, com, tensor

    def names(
        self, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float], wrench: Sequence[float] | None = None
    ) -> dict[str, float]:
        """w1_x, wd1_x, vd1_x, F1_x, N1_x, f1_x, n1_x …: link by link, in the axes of the link's frame."""
        given = np.zeros(6) if wrench is None else np.asarray(wrench, dtype=float)
        T, w, wd, a = np.eye(4), np.zeros(3), np.zeros(3), -self.gravity  # of the world's origin
        rows: list[dict[str, Array]] = []
        for link, x, v, u in zip(self.links, q, qd, qdd, strict=True):
            foot = T @ link.before
            axis, way = foot[:3, 2], link.direction
            turns = link.kind == "revolute"
            joint = foot @ pose("rz" if turns else "tz", link.offset + way * x)
            arm = joint[:3, 3] - T[:3, 3]
            a = a + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
            if turns:
                wd = wd + axis * way * u + np.cross(w, axis * way * v)
                w = w + axis * way * v
            else:
                a = a + 2 * np.cross(w, axis * way * v) + axis * way * u
            T = joint @ link.after
            lever = T[:3, 3] - joint[:3, 3]
            a = a + np.cross(wd, lever) + np.cross(w, np.cross(w, lever))
            rows.append({"T": T, "w": w, "wd": wd, "vd": a, **_wanted(T, w, wd, a, link.lumps)})
        tip = (T @ self.tool)[:3, 3]
        for i, row in enumerate(rows):
            here = row["T"][:3, 3]
            later = [(x, x["T"][:3, 3] - here) for x in rows[i:]]
            row["f"] = sum((x["F"] for x, _ in later), -given[:3])
            row["n"] = sum(
                (x["N"] + np.cross(p, x["F"]) for x, p in later), -given[3:] - np.cross(tip - here, given[:3])
            )
        return dict(_components(rows))


def _wanted(T: Array, w: Array, wd: Array, a: Array, lumps: Sequence[Lump]) -> dict[str, Array]:
    """The force and the moment about the link frame's origin that all its bodies together take."""
    F, N = np.zeros(3), np.zeros(3)
    for lump in lumps:
        at = T @ lump.at
        c = at[:3, :3] @ lump.com + at[:3, 3] - T[:3, 3]
        I = at[:3, :3] @ lump.tensor @ at[:3, :3].T
        force = lump.mass * (a + np.cross(wd, c) + np.cross(w, np.cross(w, c)))
        F, N = F + force, N + np.cross(c, force) + I @ wd + np.cross(w, I @ w)
    return {"F": F, "N": N}


def _components(rows: Sequence[Mapping[str, Array]]) -> Iterator[tuple[str, float]]:
    for number, row in enumerate(rows, 1):
        for letter in ("w", "wd", "vd", "F", "N", "f", "n"):
            own = row["T"][:3, :3].T @ row[letter]
            yield from ((f"{letter}{number}_{axis}", float(x)) for axis, x in zip("xyz", own))
