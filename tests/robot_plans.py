"""Robots drawn as plain numbers, and their mechanics by hand: what every way of writing a robot is held against.

A row's own frame is the joint's: N = N_parent · place · Rz(angle) Tz(shift), z the axis. Bodies are given in it.
Nothing of the package is used here. Torques are Newton and Euler in world axes about the world's origin, with screws:

    S = (z·turn, o×z·turn + z·slide)    A = A_parent + S q̈ + ad(V) S q̇    F = I (A − (0, g)) − adᵀ(V) I V    τ = Sᵀ ΣF

Source: R. Featherstone, Rigid Body Dynamics Algorithms, ch. 5.3 (in one frame).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import radians
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = tuple[Fraction, ...]
NONE = (Fraction(0),) * 6
DOWN = (Fraction(0), Fraction(0), Fraction("-9.81"))


@dataclass(frozen=True)
class Mass:
    """A body in its row's frame: mass, centre of mass, tensor about that (xx xy xz yy yz zz)."""

    mass: Fraction
    com: Numbers
    tensor: Numbers


@dataclass(frozen=True)
class Follow:
    """q = factor·q_lead + constant, SI."""

    lead: str
    factor: Fraction
    constant: Fraction


@dataclass(frozen=True)
class Row:
    """A joint: metres and degrees. `dh` is (alpha, a, theta, d) of the modified convention, offset included, where the
    place has that form; `place` is x y z roll pitch yaw of the joint's frame at offset 0."""

    name: str
    link: str
    kind: str  # R P H F
    parent: int  # a row, −1 the base
    place: Numbers
    dh: Numbers | None
    offset: Fraction
    direction: int
    body: Mass | None
    pitch: Fraction = Fraction(0)
    follow: Follow | None = None
    limits: tuple[Fraction, Fraction] | None = None
    velocity: Fraction | None = None
    effort: Fraction | None = None
    viscous: Fraction = Fraction(0)
    coulomb: Fraction = Fraction(0)
    constant: Fraction = Fraction(0)  # friction that does not depend on the velocity
    motor: Fraction = Fraction(0)

    @property
    def turns(self) -> bool:
        return self.kind in "RH"


@dataclass(frozen=True)
class Plan:
    """A robot. `base` and `tool` are x y z roll pitch yaw, the tool on the row `tip`."""

    name: str
    rows: tuple[Row, ...]
    base: Numbers
    tool: Numbers
    tip: int
    load: Mass | None
    gravity: Numbers

    @property
    def is_chain(self) -> bool:
        """Every row on the one before, the tool on the last."""
        last = len(self.rows) - 1
        return [row.parent for row in self.rows] == list(range(-1, last)) and self.tip == last

    def moves(self, i: int) -> bool:
        """Whether a joint moves row i."""
        return i >= 0 and (self.rows[i].kind != "F" or self.moves(self.rows[i].parent))

    @property
    def free(self) -> list[Row]:
        """The joints that have a coordinate of their own."""
        return [row for row in self.rows if row.kind != "F" and row.follow is None]

    def rows_with(self, change: Callable[[Row], dict[str, Any]]) -> Plan:
        return replace(self, rows=tuple(replace(row, **change(row)) for row in self.rows))


# drawing


def drawn_plan(seed: int) -> Plan:
    """Half of them serial arms of Denavit–Hartenberg rows, the rest placements, some of them trees."""
    rng = random.Random(f"plan {seed}")
    table, tree = rng.random() < 0.6, rng.random() < 0.3
    kinds = rng.choices("RPHF", (6, 3, 1 if rng.random() < 0.3 else 0, 1), k=rng.randint(1, 6))
    kinds[rng.randrange(len(kinds))] = rng.choice("RP")
    names = [
        f"{word}{i}"
        for i, word in enumerate(rng.sample(("waist", "arm", "elbow", "wrist", "roll", "hand"), len(kinds)))
    ]
    rows: list[Row] = []
    for i, kind in enumerate(kinds):
        parent = rng.randrange(-1, i) if tree and i and rng.random() < 0.5 else i - 1
        rows.append(_row(rng, names[i], kind, parent, table, rows))
    tip = len(rows) - 1 if not tree or rng.random() < 0.5 else rng.randrange(len(rows))
    base, tool = (_placement(rng) if rng.random() < 0.6 else NONE for _ in range(2))
    load = _mass(rng) if rng.random() < 0.3 else None
    gravity = DOWN if rng.random() < 0.5 else tuple(_decimal(rng, -9, 9, 2) for _ in range(3))
    plan = Plan(f"drawn{seed}", tuple(rows), base, tool, tip, load, gravity)
    moved = [i for i in range(len(rows)) if plan.moves(i)]
    return plan if not tree or tip in moved else replace(plan, tip=rng.choice(moved))


def _row(rng: random.Random, name: str, kind: str, parent: int, table: bool, before: list[Row]) -> Row:
    offset = _angle(rng) if kind in "RH" else _length(rng) if kind == "P" else Fraction(0)
    alpha, a, theta, d = _angle(rng), _length(rng), _angle(rng), _length(rng)
    dh, place = None, _placement(rng)
    if table:
        theta, d = offset if kind in "RH" else theta, offset if kind == "P" else d
        dh, place = (alpha, a, theta, d), ()
    row = Row(name, f"{name}_link", kind, parent, place, dh, offset, rng.choice((1, 1, -1)), None)
    if kind == "F":
        return replace(row, direction=1, body=_mass(rng) if rng.random() < 0.7 else None)
    leads = [x.name for x in before if x.kind != "F" and x.follow is None and x.turns == row.turns and x.kind != "H"]
    follow = None
    if leads and kind != "H" and rng.random() < 0.2:
        follow = Follow(rng.choice(leads), rng.choice((Fraction(1), Fraction(-2), Fraction(1, 2), Fraction(-1))),
                        rng.choice((Fraction(0), _decimal(rng, -1, 1, 2))))  # fmt: skip
    low = _decimal(rng, -170, 0, 1) if row.turns else _decimal(rng, -0.5, 0, 3)
    high = _decimal(rng, 1, 170, 1) if row.turns else _decimal(rng, 0.1, 0.5, 3)
    some = [_decimal(rng, 0.01, 2, 2) if rng.random() < 0.5 else Fraction(0) for _ in range(4)]
    return replace(
        row, follow=follow, body=_mass(rng), pitch=_decimal(rng, -0.2, 0.2, 3) if kind == "H" else Fraction(0),
        limits=(low, high) if rng.random() < 0.6 else None,
        velocity=_decimal(rng, 1, 5, 1) if rng.random() < 0.5 else None,
        effort=_decimal(rng, 1, 90, 1) if rng.random() < 0.5 else None,
        viscous=some[0], coulomb=some[1], constant=some[2], motor=some[3],
    )  # fmt: skip


def _mass(rng: random.Random) -> Mass:
    """Its second moments about the centre of mass are A Aᵀ."""
    A = [[_decimal(rng, 0.1, 0.4, 2) if i == j else _decimal(rng, -0.1, 0.1, 2) for j in range(3)] for i in range(3)]
    K = [[sum((x * y for x, y in zip(a, b)), Fraction(0)) for b in A] for a in A]
    trace = K[0][0] + K[1][1] + K[2][2]
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    tensor = tuple((trace if i == j else 0) - K[i][j] for i, j in pairs)
    return Mass(_decimal(rng, 0.5, 5, 2), tuple(_decimal(rng, -0.3, 0.3, 3) for _ in range(3)), tensor)


def _placement(rng: random.Random) -> Numbers:
    return (*(_length(rng) for _ in range(3)), *(_angle(rng) for _ in range(3)))


def _decimal(rng: random.Random, low: float, high: float, digits: int) -> Fraction:
    return Fraction(rng.randint(round(low * 10**digits), round(high * 10**digits)), 10**digits)


def _length(rng: random.Random) -> Fraction:
    return Fraction(0) if rng.random() < 0.3 else _decimal(rng, -0.6, 0.6, 3)


def _angle(rng: random.Random) -> Fraction:
    return Fraction(rng.choice((0, 0, 90, -90, 180))) if rng.random() < 0.5 else _decimal(rng, -170, 170, 1)


# geometry


def turn(axis: Any, degrees: float) -> Array:
    """Rodrigues' formula, 4×4; exact at quarter turns about x, y and z."""
    c, s = {0: (1.0, 0.0), 90: (0.0, 1.0), 180: (-1.0, 0.0), 270: (0.0, -1.0)}.get(
        degrees % 360, (np.cos(radians(degrees)), np.sin(radians(degrees)))
    )
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T = np.eye(4)
    T[:3, :3] = np.eye(3) + s * K + (1 - c) * K @ K
    return T


def shift(x: float, y: float, z: float) -> Array:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def placed(six: Numbers) -> Array:
    """Txyz Rz(yaw) Ry(pitch) Rx(roll)."""
    x, y, z, roll, pitch, yaw = map(float, six)
    return shift(x, y, z) @ turn((0, 0, 1), yaw) @ turn((0, 1, 0), pitch) @ turn((1, 0, 0), roll)


def place_of(row: Row) -> Array:
    """The joint's frame at offset 0, seen from the parent row's."""
    if row.dh is None:
        return placed(row.place)
    alpha, a, theta, d = map(float, row.dh)
    head = turn((1, 0, 0), alpha) @ shift(a, 0, 0)
    slid = shift(0, 0, 0 if row.kind == "P" else d)
    return head @ (slid if row.turns else turn((0, 0, 1), theta) @ slid)


def moved(row: Row, x: float) -> Array:
    """The motion at the coordinate x, SI, the offset included."""
    x = row.direction * x
    if row.kind == "F":
        return np.eye(4)
    if row.kind == "P":
        return shift(0, 0, float(row.offset) + x)
    return turn((0, 0, 1), float(row.offset)) @ turn((0, 0, 1), np.degrees(x)) @ shift(0, 0, float(row.pitch) * x)


@dataclass(frozen=True)
class Answer:
    """The tool, the axes of the joints that move (in the direction of growing coordinates), the torques."""

    tool: Array
    axes: Array
    torques: Array


def answer(plan: Plan, q: Array, qd: Array, qdd: Array) -> Answer:
    """`q` has an entry for every free joint, in order."""
    at = dict(zip((row.name for row in plan.free), zip(q, qd, qdd)))
    frames, screws, states, forces = [], [], [], list[Array]()
    base, g = placed(plan.base), np.array([0, 0, 0, *map(float, plan.gravity)])
    for row in plan.rows:
        x, rate, accel = _coordinate(row, at)
        start = base if row.parent < 0 else frames[row.parent]
        T = start @ place_of(row) @ moved(row, x)
        z, o = row.direction * T[:3, 2], T[:3, 3]
        w = z * (row.turns and 1)
        slide = z * (1 if row.kind == "P" else float(row.pitch) if row.kind == "H" else 0)
        S = np.array([*w, *(np.cross(o, w) + slide)]) * (row.kind != "F")
        V0, A0 = (np.zeros(6), np.zeros(6)) if row.parent < 0 else states[row.parent]
        states.append((V0 + S * rate, A0 + S * accel + ad(V0) @ S * rate))
        frames.append(T)
        screws.append(S)
        forces.append(np.zeros(6) if row.body is None else _push(row.body, T, *states[-1], g))
    tool = frames[plan.tip] @ placed(plan.tool)
    if plan.load is not None:
        forces[plan.tip] = forces[plan.tip] + _push(plan.load, tool, *states[plan.tip], g)
    torques = dict.fromkeys(at, 0.0)
    for i in range(len(plan.rows) - 1, -1, -1):
        row, (_, rate, accel) = plan.rows[i], _coordinate(plan.rows[i], at)
        if row.parent >= 0:
            forces[row.parent] = forces[row.parent] + forces[i]
        if row.kind != "F":
            drive = float(row.motor) * accel + float(row.viscous) * rate + float(row.coulomb) * np.sign(rate)
            own = screws[i] @ forces[i] + drive + float(row.constant)
            lead, factor = (row.name, 1) if row.follow is None else (row.follow.lead, row.follow.factor)
            torques[lead] += float(factor) * own
    axes = [row.direction * frame[:3, 2] for row, frame in zip(plan.rows, frames) if row.kind != "F"]
    return Answer(tool, np.array(axes), np.array(list(torques.values())))


def _coordinate(row: Row, at: dict[str, Any]) -> tuple[float, float, float]:
    if row.kind == "F":
        return 0.0, 0.0, 0.0
    if row.follow is None:
        x, rate, accel = at[row.name]
        return x, rate, accel
    k = float(row.follow.factor)
    x, rate, accel = at[row.follow.lead]
    return k * x + float(row.follow.constant), k * rate, k * accel


def ad(V: Array) -> Array:
    """The motion product V × as a matrix."""
    W, U = cross(V[:3]), cross(V[3:])
    return np.block([[W, np.zeros((3, 3))], [U, W]])


def cross(v: Array) -> Array:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def tensor_of(body: Mass) -> Array:
    xx, xy, xz, yy, yz, zz = map(float, body.tensor)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _push(body: Mass, T: Array, V: Array, A: Array, g: Array) -> Array:
    """Moment about the world's origin, then force."""
    R, m = T[:3, :3], float(body.mass)
    C = cross(T[:3, 3] + R @ np.array(body.com, float))
    I = np.block([[R @ tensor_of(body) @ R.T + m * C @ C.T, m * C], [m * C.T, m * np.eye(3)]])
    force: Array = I @ (A - g) - ad(V).T @ (I @ V)
    return force
