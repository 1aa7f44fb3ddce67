"""All of what was found as one function (q, q̇, q̈) → torques: the links, and every column beside them, proved.

    τ = τ_links(q, q̇, q̈) + Σ value · shape(q, q̇, q̈, what the joints bear, gravity of a base that leans, stops)

Friction is as it was fitted, tanh(q̇/w) for the sign. A stop operator (hysteresis) remembers: its value and the position
of the step before are states, so that the function goes step by step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.function import Function
from manipula.errors import InputError
from manipula.generation.joining.together import generate_block
from manipula.generation.prepare import Prepared, prepare
from manipula.generation.request import Request
from manipula.identification.assembled import TILT, Columns, Moment
from manipula.identification.columns.column import Column
from manipula.identification.columns.inertial import INERTIAL
from manipula.identification.fitting.to_robot import robot_with
from manipula.mechanics.models.block import Block, Call, Result, variables
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.linear.joint_families import SLIDE, At, stopped
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.robot.description import Cell, Robot
from manipula.mechanics.robot.values.parameter import number
from manipula.scalar import Maths, Next

Array = NDArray[np.float64]


def torque_function(source: Columns, columns: Sequence[Column], theta: Array) -> Function:
    """`source` has the formulas of the columns."""
    if any(column.family == "coupling" for column in columns):
        raise InputError("found.torque: columns of coupled motors have no formula there yet; found.predict has them")
    inertial = [c.family == INERTIAL for c in columns]
    links = robot_with(source, [c for c, own in zip(columns, inertial) if own], theta[inertial])
    leaning = [f"lean{k}" for k, column in enumerate(source.ways()) if _leans(columns)]
    others = {name: _asked(_under(links, way), "gravity") for name, way in zip(leaning, source.ways())}
    block = _block(source, columns, theta, leaning)
    return generate_block(block, _asked(links, "inverse_dynamics"), others=others)


def _leans(columns: Sequence[Column]) -> bool:
    return any(column.family == TILT for column in columns)


def _asked(robot: Robot, model: str) -> Prepared:
    return prepare(Request(robot, model))


def _under(robot: Robot, gravity: Array) -> Robot:
    x, y, z = (Cell(cell.name, number(float(value))) for cell, value in zip(robot.gravity, gravity))
    return replace(robot, gravity=(x, y, z))


def _block(source: Columns, columns: Sequence[Column], theta: Array, leaning: Sequence[str]) -> Block:
    places = {column.name: place for place, column in enumerate(source.columns)}
    values = {places[c.name]: Fraction(repr(float(x))) for c, x in zip(columns, theta) if c.family != INERTIAL}
    radii = {Fraction(c.family.partition(":")[2]) for c in columns if c.family.startswith("hysteresis:")}
    memory = _Memory(source, sorted(radii))

    def text(maths: Maths[Any], call: Call, x: Given) -> dict[str, Any]:
        rigid = call("inverse_dynamics", q=x["q"], qd=x["qd"], qdd=x["qdd"])["tau"]
        pace = [maths.number(Fraction(1) if joint.turns else SLIDE) for joint in source.joints]
        stops = memory.stops(maths, x, pace)
        shares = {r: [w / (maths.number(r) * p) for w, p in zip(own, pace)] for r, own in stops.items()}
        at = At(maths, x["q"], x["qd"], x["qdd"], pace, rigid, shares)
        tilted = [call(f"{name}:gravity", q=x["q"])["g"] for name in leaning]
        tau = [_torque(source, values, Moment(at, tilted), j, rigid[j]) for j in range(source.dof)]
        return {"tau": tau, **memory.after(x, stops)}

    calls = ("inverse_dynamics", *(f"{name}:gravity" for name in leaning))
    outputs = {"tau": Result("N·m, N", "joint torques or forces"), **memory.outputs}
    inputs = (*variables("q", "qd", "qdd"), *memory.ports)
    return Block("identified_torque", "the torque as identified", inputs, outputs, text, calls)


def _torque(source: Columns, values: Mapping[int, Fraction], here: Moment, j: int, rigid: Any) -> Any:
    """Of one joint."""
    total = rigid
    for place, value in values.items():
        if j in source.columns[place].rows and value:
            total = total + here.at.maths.number(value) * source.shape(place, here, j)
    return total


class _Memory:
    """The states of stop operators, and where every joint was a step ago."""

    def __init__(self, source: Columns, radii: Sequence[Fraction]) -> None:
        self.names = {radius: f"stop{k}" for k, radius in enumerate(radii, 1)}
        self.source = source

    @property
    def ports(self) -> tuple[PortKind, ...]:
        if not self.names:
            return ()
        before = PortKind("q_before", "rad, m", "joint positions a step ago", role="state")
        kinds = (
            PortKind(name, "rad, m", f"stop of radius {float(radius):g}", role="state", letter=f"{name}_")
            for radius, name in self.names.items()
        )
        return (before, *kinds)

    @property
    def outputs(self) -> dict[str, Result]:
        told = {port.name: port.doc for port in self.ports}
        return {f"{name}_next": Result("rad, m", f"{doc}, after the step", Next(name)) for name, doc in told.items()}

    def stops(self, maths: Maths[Any], x: Given, pace: Sequence[Any]) -> dict[Fraction, list[Any]]:
        return {
            radius: [
                stopped(maths, before, now - past, maths.number(radius) * p)
                for before, now, past, p in zip(x[name], x["q"], x["q_before"], pace)
            ]
            for radius, name in self.names.items()
        }

    def after(self, x: Given, stops: Mapping[Fraction, Sequence[Any]]) -> dict[str, Any]:
        found = {f"{self.names[radius]}_next": list(own) for radius, own in stops.items()}
        return {"q_before_next": list(x["q"]), **found} if self.names else {}
