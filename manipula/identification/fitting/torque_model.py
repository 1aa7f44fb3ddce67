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
from manipula.generation.joining.together import generate_block
from manipula.generation.prepare import Prepared, prepare
from manipula.generation.request import Request
from manipula.identification.assembled import Columns, Moment
from manipula.identification.columns.column import Column
from manipula.identification.columns.inertial import INERTIAL
from manipula.identification.fitting.to_robot import robot_with
from manipula.identification.joint_model import GROUPS, TILT
from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.linear.joint_families import SLIDE, At, stopped
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.robot.description import Cell, RobotDescription
from manipula.mechanics.robot.values.parameter import number
from manipula.scalar import Maths, Next

Array = NDArray[np.float64]


def torque_function(source: Columns, columns: Sequence[Column], theta: Array) -> Function:
    """`source` has the formulas of the columns."""
    links = links_of(source, columns, theta)
    ways = source.ways() if any(c.family == TILT for c in columns) else []
    others = {f"lean{k}": _asked(_under(links, way), "gravity") for k, way in enumerate(ways)}
    block = _block(Terms(source, columns, theta), tuple(others))
    return generate_block(block, _asked(links, "inverse_dynamics"), others=others)


def links_of(source: Columns, columns: Sequence[Column], theta: Array) -> RobotDescription:
    """The robot of the inertial columns alone: no motors, no friction."""
    inertial = [c.family == INERTIAL for c in columns]
    return robot_with(source, [c for c, own in zip(columns, inertial) if own], theta[inertial])


def _asked(robot: RobotDescription, model: str) -> Prepared:
    return prepare(Request(robot, model))


def _under(robot: RobotDescription, gravity: Array) -> RobotDescription:
    x, y, z = (Cell(cell.name, number(float(value))) for cell, value in zip(robot.gravity, gravity))
    return replace(robot, gravity=(x, y, z))


def _block(terms: Terms, leaning: Sequence[str]) -> Block:
    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        rigid = call("inverse_dynamics", q=x["q"], qd=x["qd"], qdd=x["qdd"])["tau"]
        tilted = [call(f"{name}:gravity", q=x["q"])["g"] for name in leaning]
        stops = terms.stops(maths, x)
        more = terms.torque(maths, x, stops, rigid, tilted)
        return {"tau": [a + b for a, b in zip(rigid, more, strict=True)], **terms.after(x, stops)}

    calls = ("inverse_dynamics", *(f"{name}:gravity" for name in leaning))
    outputs = {"tau": Result("N·m, N", "joint torques or forces"), **terms.outputs}
    inputs = (*variables("q", "qd", "qdd"), *terms.ports)
    return Block("identified_torque", "the torque as identified", inputs, outputs, text, calls)


Stops = Mapping[Fraction, Sequence[Any]]


class Terms:
    """Columns beside the links' inertia, each with its value, as a text; the states of stop operators, and where every
    joint was a step ago, are ports."""

    def __init__(self, source: Columns, columns: Sequence[Column], theta: Array) -> None:
        places = {column.name: place for place, column in enumerate(source.columns)}
        self.source = source
        self.columns = [c for c in columns if c.family != INERTIAL]
        self.values = {
            places[c.name]: Fraction(repr(float(x))) for c, x in zip(columns, theta) if c.family != INERTIAL and x
        }
        radii = sorted({Fraction(c.family.partition(":")[2]) for c in columns if c.family in GROUPS["hysteresis"]})
        self.names = {radius: f"stop{k}" for k, radius in enumerate(radii, 1)}

    def torque(
        self, maths: Maths[Any], x: Given, stops: Stops, load: Sequence[Any] | None, leaning: Sequence[Any] = ()
    ) -> list[Any]:
        """Of every joint, which bears `load`."""
        pace = self._pace(maths)
        shares = {r: [w / (maths.number(r) * p) for w, p in zip(own, pace)] for r, own in stops.items()}
        widths = {letters: list(map(maths.number, own)) for letters, own in self.source.widths.items()}
        here = Moment(At(maths, x["q"], x["qd"], x.get("qdd", ()), pace, load, shares, widths), leaning)
        return [self._of_joint(here, j) for j in range(self.source.dof)]

    def _of_joint(self, here: Moment, j: int) -> Any:
        total: Any = 0
        for place, value in self.values.items():
            if j in self.source.columns[place].rows:
                total = total + here.at.maths.number(value) * self.source.shape(place, here, j)
        return total

    def _pace(self, maths: Maths[Any]) -> list[Any]:
        return [maths.number(Fraction(1) if joint.turns else SLIDE) for joint in self.source.joints]

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

    def stops(self, maths: Maths[Any], x: Given) -> dict[Fraction, list[Any]]:
        """What the stop operators are after this sample."""
        return {
            radius: [
                stopped(maths, before, now - past, maths.number(radius) * p)
                for before, now, past, p in zip(x[name], x["q"], x["q_before"], self._pace(maths))
            ]
            for radius, name in self.names.items()
        }

    def after(self, x: Given, stops: Stops) -> dict[str, Any]:
        found = {f"{self.names[radius]}_next": list(own) for radius, own in stops.items()}
        return {"q_before_next": list(x["q"]), **found} if self.names else {}
