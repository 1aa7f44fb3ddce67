"""What was found, as a robot: inertia, motor inertia, the friction laws of a robot file, gravity that the base sees."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.function import Function
from manipula.errors import InputError, some_of
from manipula.generation.compose import generate_block
from manipula.generation.prepare import Prepared, Request, prepare
from manipula.identification.columns import INERTIAL, Column
from manipula.identification.data import Data
from manipula.identification.estimators.entropic import barrier, barrier_value, hessian
from manipula.identification.estimators.iv import instrumental
from manipula.identification.estimators.normal import Normal, solve_normal
from manipula.identification.estimators.output_error import information
from manipula.identification.estimators.prior import TEN, Prior, least_eigenvalue, pseudo_inertia
from manipula.identification.fit.errors import Errors, errors_of
from manipula.identification.joint_model import GROUPS, TILT, laws_in_file
from manipula.identification.torque_columns import Columns, Moment
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.linear.joint_families import SLIDE, At, stop_operator
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.robot.actuator import MOTOR
from manipula.mechanics.robot.bodies import with_standard
from manipula.mechanics.robot.description import Cell, Joint, RobotDescription, with_friction_values
from manipula.mechanics.robot.friction import linear_letters, without_negative_damping
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import number
from manipula.messages import Message
from manipula.scalar import Maths, Next

Array = NDArray[np.float64]
BASE = ("w0", "wd0", "a0")  # of a base that moves


def in_file(columns: Sequence[Column]) -> list[bool]:
    """Which columns a robot file can say."""
    return [bool(column.words) or column.family in (INERTIAL, TILT) for column in columns]


def robot_with(source: Columns, columns: Sequence[Column], theta: Array) -> RobotDescription:
    """The robot of these values; it has no friction that is not among the columns."""
    said = [(c, float(x)) for c, x, own in zip(columns, theta, in_file(columns)) if own]
    laws: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for column, value in said:
        if column.joint is not None and column.words:
            own = laws[source.joints[column.joint].name]
            for letters, factor in column.words.items():
                own[letters] += factor * value
            own |= {letters: float(x) for letters, x in column.widths.items()}
    ends = suffixes_of(source.robot).rows
    bodies = {c.name: number(value) for c, value in said if c.family == INERTIAL}
    moving = [(joint, end) for joint, end in zip(source.robot.joints, ends) if joint.kind != "fixed"]
    motors = {f"{MOTOR.letters}{end}": number(laws[joint.name].pop(MOTOR.letters, 0.0)) for joint, end in moving}

    def row(joint: Joint, end: str) -> Joint:
        friction = without_negative_damping(laws[joint.name])
        return (
            joint
            if joint.kind == "fixed"
            else with_friction_values(joint, end, {x: number(y) for x, y in friction.items()})
        )

    robot = _tilt_gravity(source, {c.name: value for c, value in said if c.family == TILT})
    bare = replace(robot, joints=tuple(map(row, robot.joints, ends)))
    return with_standard(bare, motors | bodies)


def left_out(data: Data, theta: Array, fitted: Errors) -> str:
    """A sentence on what of a fit no robot file can say, with what that costs; empty where a file says all of it."""
    said = np.array(in_file(data.columns))
    families = Counter(column.family for column, own in zip(data.columns, said) if not own)
    if not families:
        return ""
    error = errors_of(data, np.where(said, theta, 0.0)).whole
    return Message(
        "found.robot is without {families} ({count} values of found.extra), for which a file has no word: its error on "
        "the training is {error:.2f} %, that of found.torque {whole:.2f} %",
        some_of(list(families)), families.total(), error, fitted.whole,
    )  # fmt: skip


def forgotten_laws(data: Data) -> list[str]:
    """Sentences on friction laws of the robot's own file that the fit has no column for."""
    columned = {letters for column in data.columns for letters in column.words}
    present = laws_in_file(data.source.columns.joints, dict(data.robot.values))
    return [
        Message("found.robot is without friction.{law} of the robot's file: the fit has no column for it", law.key)
        for law in present
        if columned.isdisjoint(linear_letters(law))
    ]


def _tilt_gravity(source: Columns, tilts: dict[str, float]) -> RobotDescription:
    """Under the gravity that a base which is not level sees; its frames stay, for torques do not tell its heading."""
    if not tilts:
        return source.robot
    lean = sum((angle * way for angle, way in zip(tilts.values(), source.ways())), source.inertial.gravity)
    x, y, z = (Cell(cell.name, number(float(g))) for cell, g in zip(source.robot.gravity, lean))
    return replace(source.robot, gravity=(x, y, z))


def eigenvalues_of(columns: Sequence[Column], theta: Array) -> Array:
    """Of every body the least eigenvalue of its pseudo-inertia, lengths in the body's own size."""
    ten = theta[[k for k, c in enumerate(columns) if c.family == INERTIAL]].reshape(-1, TEN)
    return least_eigenvalue(pseudo_inertia(ten)) if len(ten) else np.zeros(0)


def consistent(columns: Sequence[Column], theta: Array) -> bool:
    """Could masses and motors make this? Every pseudo-inertia positive definite, what cannot be negative is not."""
    bounded = all(x >= c.lower for c, x in zip(columns, theta) if c.lower is not None)
    return bounded and bool((eigenvalues_of(columns, theta) > 0).all())


# All of what was found as one function (q, q̇, q̈) → torques: the links, and every column beside them, proved.
#
#     τ = τ_links(q, q̇, q̈) + Σ value · shape(q, q̇, q̈, what the joints bear, gravity of a base that leans, stops)
#
# Friction is as it was fitted, tanh(q̇/w) for the sign. A stop operator (hysteresis) remembers: its value and the
# position
# of the step before are states, so that the function goes step by step.


def torque_function(source: Columns, columns: Sequence[Column], theta: Array) -> Function:
    """`source` has the formulas of the columns."""
    if source.closed is not None:
        raise InputError(
            "{robot}: found.torque is not made for robots with loops; mp.generate(found.robot, 'inverse_dynamics') has "
            "what a robot file can say", source.robot.name,
        )  # fmt: skip
    links = links_of(source, columns, theta)
    ways = source.ways() if any(c.family == TILT for c in columns) else []
    others = {f"lean{k}": _prepare_model(_under(links, way), "gravity") for k, way in enumerate(ways)}
    block = _block(Terms(source, columns, theta), tuple(others), bool(source.robot.moving))
    return generate_block(block, _prepare_model(links, "inverse_dynamics"), others=others)


def links_of(source: Columns, columns: Sequence[Column], theta: Array) -> RobotDescription:
    """The robot of the inertial columns alone: no motors, no friction."""
    inertial = [c.family == INERTIAL for c in columns]
    return robot_with(source, [c for c, own in zip(columns, inertial) if own], theta[inertial])


def _prepare_model(robot: RobotDescription, model: str) -> Prepared:
    return prepare(Request(robot, model))


def _under(robot: RobotDescription, gravity: Array) -> RobotDescription:
    x, y, z = (Cell(cell.name, number(float(value))) for cell, value in zip(robot.gravity, gravity))
    return replace(robot, gravity=(x, y, z))


def _block(terms: Terms, leaning: Sequence[str], moving: bool = False) -> Block:
    base = BASE if moving else ()

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        links = call("inverse_dynamics", **{name: x[name] for name in ("q", "qd", "qdd", *base)})
        rigid = links["tau"]
        tilted = [call(f"{name}:gravity", q=x["q"])["g"] for name in leaning]
        stops = terms.stops(maths, x)
        more = terms.torque(maths, x, stops, rigid, tilted)
        found = {"tau": [a + b for a, b in zip(rigid, more, strict=True)], **terms.after(x, stops)}
        return found | ({"base_wrench": links["base_wrench"]} if moving else {})

    calls = ("inverse_dynamics", *(f"{name}:gravity" for name in leaning))
    outputs = {"tau": Result("N·m, N", "joint torques or forces"), **terms.outputs}
    outputs |= {"base_wrench": Result("N, N·m", "force, then moment, that moves the base")} if moving else {}
    inputs = (*variables("q", "qd", "qdd", *base), *terms.ports)
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
                stop_operator(maths, before, now - past, maths.number(radius) * p)
                for before, now, past, p in zip(x[name], x["q"], x["q_before"], self._pace(maths))
            ]
            for radius, name in self.names.items()
        }

    def after(self, x: Given, stops: Stops) -> dict[str, Any]:
        found = {f"{self.names[radius]}_next": list(own) for radius, own in stops.items()}
        return {"q_before_next": list(x["q"]), **found} if self.names else {}


# What a fit does not know: the covariance of its parameters.
#
# Without a prior it is τ_int·(ΣwYᵀY)⁻¹, the Cramér–Rao bound of the rows, as many as are independent. Under the
# entropic
# prior it is the inverse curvature of the objective at its minimum (Laplace's approximation), which counts the prior:
#
#     S = T (A/τ_int + ½ ∇²bracket)⁻¹ Tᵀ        A in the prior's coordinates, the prior's weight λ being τ_int

BLIND = 1e-6  # of a direction's length that the data do not see


@dataclass(frozen=True)
class Spread:
    """The covariance of θ; `seen` projects on what the data show, θ scaled by `lengths`, or is None (all of it)."""

    covariance: Array
    seen: Array | None = None
    lengths: Array | None = None

    def sigma(self, directions: Array) -> Array:
        """Standard deviations of directions·θ; infinite where the data do not tell it."""
        squares = np.einsum("ik,kl,il->i", directions, self.covariance, directions)
        found = np.sqrt(np.maximum(squares, 0.0))
        return found if self.seen is None else np.where(self._identifiable(directions), found, np.inf)

    def _identifiable(self, directions: Array) -> NDArray[np.bool_]:
        assert self.seen is not None and self.lengths is not None
        felt = self.lengths > 0
        scaled = np.where(felt, directions / np.where(felt, self.lengths, 1.0), 0.0)
        blind = np.linalg.norm(scaled - scaled @ self.seen, axis=1) > BLIND * np.linalg.norm(scaled, axis=1)
        return np.asarray(~(blind | (np.abs(directions[:, ~felt]) > 0).any(axis=1) | ~np.abs(scaled).any(axis=1)))


def spread_of(normal: Normal, prior: Prior | None, theta: Array, time: float) -> Spread:
    """`time` is τ_int. A fit outside the cone of the prior has the spread of least squares."""
    if prior is not None and prior.weight > 0:
        x = prior.coordinates(theta)
        if np.isfinite(barrier_value(prior, x)):
            own = normal.in_coordinates(prior.transform)
            curvature = hessian(own.A / time, prior, barrier(prior, x)) / 2
            values, V = np.linalg.eigh(_firm(curvature))  # no factor of Cholesky where rounding has the last word
            root = prior.transform @ (V / np.sqrt(np.maximum(values, 1e-15 * values[-1])))
            return Spread(root @ root.T)
    found = solve_normal(normal)
    return Spread(time * found.inverse, found.seen, found.lengths)


def spread_of_instruments(data: Data, weights: Array, time: float) -> Spread:
    """Of the method `iv`: wider than that of least squares by what the instruments miss of the motion."""
    found = instrumental(data, weights)
    return Spread(time * found.covariance, found.seen, found.lengths)


def spread_of_outputs(data: Data, prior: Prior, theta: Array) -> Spread:
    """Of the method `output_error`, by the slopes of its simulations."""
    normal, own = information(data, prior, theta)
    return spread_of(normal, own, theta, own.weight)


def _firm(H: Array) -> Array:
    """Positive definite in spite of rounding."""
    return (H + H.T) / 2 + 1e-14 * np.max(np.diag(H)) * np.eye(len(H))
