"""The robots of `robot_plans` as URDF and MJCF: links in frames drawn anew, axes of any sign and length."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import degrees, radians
from typing import Any

import numpy as np

import manipula as mp
from tests.robot_plans import DOWN, Array, Mass, Plan, Row, moved, place_of, placed
from tests.robot_writers import EVERY, PAIRS, WORD, Pen, Writing, axis_in, between, gauge, number, seen_from, six_of


def tag(name: str, /, *inner: str, **attributes: Any) -> str:
    """An element; attributes that are None are left out."""
    given = "".join(f' {key}="{value}"' for key, value in attributes.items() if value is not None)
    return f"<{name}{given}/>\n" if not inner else f"<{name}{given}>\n{''.join(inner)}</{name}>\n"


def words(items: Any) -> str:
    return " ".join(number(x) for x in items)


def urdf(plan: Plan, rng: random.Random) -> Iterator[Writing]:
    """The offset is part of the origin, the direction of the axis."""
    if any(row.kind == "H" for row in plan.rows):
        return
    gauges, pen, parts = [gauge(rng, shifted=False) for _ in plan.rows], Pen(rng), list[str]()

    def origin(T: Array) -> str:
        six = six_of(T)
        for x in six[3:]:
            pen.look(x)
        return tag("origin", xyz=words(six[:3]), rpy=words(map(radians, six[3:])))

    def link(name: str, body: Mass | None) -> None:
        inner = []
        if body is not None:
            six = {f"i{pair}": number(x) for pair, x in zip(PAIRS, body.tensor)}
            at, mass = tag("origin", xyz=words(body.com)), tag("mass", value=number(body.mass))
            inner = [tag("inertial", at, mass, tag("inertia", **six))]
        parts.append(tag("link", *inner, name=name))

    def joint(name: str, kind: str, parent: str, child: str, at: Array, *motion: str) -> None:
        ends = tag("parent", link=parent), tag("child", link=child)
        parts.append(tag("joint", *ends, origin(at), *motion, name=name, type=kind))

    link("base_link", None)
    if any(plan.base):
        link("world", None)
        joint("stand", "fixed", "world", "base_link", placed(plan.base))
    for i, row in enumerate(plan.rows):
        link(row.link, row.body and seen_from(row.body, np.linalg.inv(gauges[i])))
        parent = plan.rows[row.parent].link if row.parent >= 0 else "base_link"
        kind = "continuous" if row.kind == "R" and row.limits is None else WORD[row.kind]
        at = between(plan, gauges, i, place_of(row) @ moved(row, 0))
        joint(row.name, kind, parent, row.link, at, *_urdf_motion(row, gauges[i], rng.choice((1, 0.5, 2))))
    link("tool0", plan.load)
    tool = np.linalg.inv(gauges[plan.tip]) @ placed(plan.tool)
    joint("flange", "fixed", plan.rows[plan.tip].link, "tool0", tool)
    text = tag("robot", *parts, name=plan.name)
    held = replace(plan.rows_with(lambda row: {"motor": Fraction(0), "constant": Fraction(0)}), gravity=DOWN)
    yield Writing("urdf", text, lambda: mp.Robot.from_text(text, "urdf", exact=pen.exact), held, bounded=EVERY)


def _urdf_motion(row: Row, G: Array, size: float) -> Iterator[str]:
    if row.kind == "F":
        return
    yield tag("axis", xyz=words(row.direction * size * x for x in axis_in(G)))
    yield tag("dynamics", damping=number(row.viscous), friction=number(row.coulomb))
    bounds: dict[str, Any] = {} if row.limits is None else dict(zip(("lower", "upper"), row.limits))
    said = {key: number(radians(x) if row.turns else x) for key, x in bounds.items()}
    said |= {key: number(x) for key, x in (("velocity", row.velocity), ("effort", row.effort)) if x is not None}
    if said:
        yield tag("limit", **said)
    if row.follow is not None:
        factor, constant = number(row.follow.factor), number(row.follow.constant)
        yield tag("mimic", joint=row.follow.lead, multiplier=factor, offset=constant)


def mjcf(plan: Plan, rng: random.Random) -> Iterator[Writing]:
    """Axes beside the origins of bodies, positions of reference, degrees or radians, couplings as equalities."""
    if any(row.kind == "H" for row in plan.rows):
        return
    text = _Mjcf(plan, rng).text()
    held = plan.rows_with(lambda row: {"constant": Fraction(0)})
    read = lambda: mp.Robot.from_text(text, "mjcf", exact=True)  # noqa: E731
    yield Writing("mjcf", text, read, held, bounded=("limits", "effort"))


class _Mjcf:
    def __init__(self, plan: Plan, rng: random.Random) -> None:
        self.plan, self.degree = plan, rng.random() < 0.5
        self.gauges = [gauge(rng, shifted=True) for _ in plan.rows]
        self.refs = [rng.choice((0.0, rng.randint(-40, 40) / 100)) if x.kind != "F" else 0.0 for x in plan.rows]

    def text(self) -> str:
        plan = self.plan
        bodies = (self.body(i) for i, row in enumerate(plan.rows) if row.parent < 0)
        compiler = tag("compiler", angle="degree" if self.degree else "radian")
        option = tag("option", gravity=words(plan.gravity))
        equality = tag("equality", *self.equalities(), "")
        return tag("mujoco", compiler, option, tag("worldbody", *bodies), equality, model=plan.name)

    def equalities(self) -> Iterator[str]:
        """y − y0 = c + k (x − x0), with both references."""
        refs = {row.name: ref for row, ref in zip(self.plan.rows, self.refs)}
        for row in self.plan.rows:
            if row.follow is not None:
                k = float(row.follow.factor)
                start = float(row.follow.constant) + k * refs[row.follow.lead] - refs[row.name]
                yield tag("joint", joint1=row.name, joint2=row.follow.lead, polycoef=words((start, k, 0.0, 0.0, 0.0)))

    def place(self, T: Array) -> dict[str, str]:
        return {"pos": words(map(float, T[:3, 3])), "quat": words(map(float, quaternion(T[:3, :3])))}

    def weight(self, body: Mass) -> str:
        xx, xy, xz, yy, yz, zz = body.tensor
        return tag("inertial", pos=words(body.com), mass=number(body.mass), fullinertia=words((xx, yy, zz, xy, xz, yz)))

    def body(self, i: int) -> str:
        plan, row, back = self.plan, self.plan.rows[i], np.linalg.inv(self.gauges[i])
        at = between(plan, self.gauges, i, place_of(row) @ moved(row, self.refs[i]))
        inner = [self.joint(i)] if row.kind != "F" else []
        inner += [self.weight(seen_from(row.body, back))] if row.body is not None else []
        if i == plan.tip:
            there = self.place(back @ placed(plan.tool))
            held = [] if plan.load is None else [self.weight(plan.load)]
            inner.append(tag("body" if held else "site", *held, name="tool0", **there))
        inner += [self.body(k) for k, x in enumerate(plan.rows) if x.parent == i]
        return tag("body", *inner, name=row.link, **self.place(placed(plan.base) @ at if row.parent < 0 else at))

    def joint(self, i: int) -> str:
        row, G = self.plan.rows[i], self.gauges[i]

        def angle(x: float) -> str:
            return number(degrees(x) if row.turns and self.degree else x)

        said = {"axis": words(row.direction * x for x in axis_in(G)), "pos": words(map(float, np.linalg.inv(G)[:3, 3]))}
        said |= {"ref": angle(self.refs[i]), "damping": number(row.viscous), "frictionloss": number(row.coulomb)}
        if row.limits is not None:
            low, high = (radians(x) if row.turns else float(x) for x in row.limits)
            said |= {"limited": "true", "range": f"{angle(low)} {angle(high)}"}
        if row.effort is not None:
            said["actuatorfrcrange"] = f"-{number(row.effort)} {number(row.effort)}"
        kind = "hinge" if row.kind == "R" else "slide"
        return tag("joint", name=row.name, type=kind, armature=number(row.motor), **said)


def quaternion(R: Array) -> list[float]:
    """w x y z, from the largest of the four: 4w² = 1 + trace, 4x² = 1 + 2R₀₀ − trace, …"""
    squares = np.array([1 + np.trace(R), *(1 + 2 * np.diag(R) - np.trace(R))])
    k = int(squares.argmax())
    four = np.zeros(4)
    four[k] = np.sqrt(squares[k]) / 2
    w = {1: R[2, 1] - R[1, 2], 2: R[0, 2] - R[2, 0], 3: R[1, 0] - R[0, 1]}
    for j in range(4):
        if j != k:
            four[j] = (w[j or k] if 0 in (j, k) else R[j - 1, k - 1] + R[k - 1, j - 1]) / (4 * four[k])
    return list(four)
