"""Significance analysis: what an inverse dynamics may forget for a class of motions, and what that costs and saves.

Everything here is approximate and says so; exact counts are never mixed with these. The base parameters are the terms:
their contributions to the torques are sampled over the motions, those that never matter are dropped
(`tasks.significance`), and the operations of the model with and without them are counted in one and the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.expr.evaluate import ArrayMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.provenance import Provenance, Share
from manipula.algebra.optimise.passes import run_passes
from manipula.errors import InputError
from manipula.generation.arm_structure import ArmStructure
from manipula.generation.column_ranking import Ranking
from manipula.mechanics.models.dynamics.acceleration_field import torques
from manipula.mechanics.models.dynamics.choices import default_answers, field_choices, field_questions
from manipula.mechanics.models.dynamics.torque import actuator_torque
from manipula.mechanics.models.linear.base_parameters import chain_from_candidates
from manipula.mechanics.models.linear.base_regressor import base_regressor
from manipula.mechanics.robot.actuator import MOTOR
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.topology import refuse_loops, refuse_moving
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.parameter import float_of, names_of
from manipula.parameters.base import base_parameters_from
from manipula.support.text import html_table, plain_dict

# Which parts of a sum matter: drop what a class of motions does not feel, and measure what that costs.
#
# The torques are a sum of contributions, one for each parameter. Dropping is greedy: of all parameters the one whose
# loss leaves the smallest error goes first, as long as no joint's error at any sample passes the tolerance, a fraction
# of that joint's largest torque over all samples.

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """Of a model against the exact one, joint by joint; relative to the joint's largest torque."""

    largest: tuple[float, ...]
    rms: tuple[float, ...]
    relative_largest: tuple[float, ...]
    relative_rms: tuple[float, ...]


def peaks(tau: Array) -> Array:
    """Every joint's largest torque over the samples (…, dof); 1 where it never has any."""
    largest = np.abs(tau).max(axis=0)
    return np.where(largest > 0, largest, 1.0)


def weights(contributions: Array) -> Array:
    """(parameters,): the largest share each has in any joint's largest torque. `contributions` (samples, dof, n)."""
    scale = peaks(contributions.sum(axis=2))
    return (np.abs(contributions).max(axis=0) / scale[:, None]).max(axis=0)  # type: ignore[no-any-return]


def droppable(contributions: Array, tolerance: float) -> list[int]:
    """The parameters that may go together, in the order in which they go."""
    scale = peaks(contributions.sum(axis=2))
    shares = contributions / scale[None, :, None]
    lost = np.zeros(shares.shape[:2])
    left, gone = list(range(shares.shape[2])), list[int]()
    while left:
        errors = [np.abs(lost + shares[:, :, k]).max() for k in left]
        best = int(np.argmin(errors))
        if errors[best] > tolerance:
            break
        gone.append(left.pop(best))
        lost += shares[:, :, gone[-1]]
    return gone


def errors_of(contributions: Array, gone: list[int]) -> Errors:
    """What the torques lose without these parameters."""
    scale = peaks(contributions.sum(axis=2))
    lost = contributions[:, :, gone].sum(axis=2)
    largest, rms = np.abs(lost).max(axis=0), np.sqrt((lost**2).mean(axis=0))
    return Errors(*(tuple(map(float, x)) for x in (largest, rms, largest / scale, rms / scale)))


# A class of motions, as samples: what an approximate model has to be good for.

SAMPLES = 1024  # a power of two, as the sequence likes it


@dataclass(frozen=True, repr=False)
class Motions:
    """A class of motions: samples of q, q̇, q̈, each (samples, dof), SI."""

    q: Array
    qd: Array
    qdd: Array

    def __repr__(self) -> str:
        bounds = ", ".join(f"{low:.3g} … {high:.3g}" for low, high in zip(self.q.min(0)[:4], self.q.max(0)[:4]))
        more = ", …" if self.q.shape[1] > 4 else ""
        return f"<{len(self.q)} samples of motions of {self.q.shape[1]} joints: q in {bounds}{more}>"

    def as_dict(self) -> dict[str, object]:
        return plain_dict(vars(self))

    @classmethod
    def within(
        cls, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, samples: int = SAMPLES, seed: int = 1
    ) -> Motions:
        """Every motion in a box: positions between (low, high) of each joint, rates up to a bound of each joint.

        The samples are a Sobol sequence: they fill the box evenly, and the same seed gives the same ones.
        """
        low, high = np.asarray(position, dtype=float).reshape(-1, 2).T
        dof = len(low)
        rates, pushes = (np.broadcast_to(np.asarray(x, dtype=float), (dof,)) for x in (velocity, acceleration))
        from scipy.stats import qmc  # takes a second to load, and serves here alone

        unit = qmc.Sobol(3 * dof, seed=seed).random(samples)
        q = low + (high - low) * unit[:, :dof]
        return cls(q, rates * (2 * unit[:, dof : 2 * dof] - 1), pushes * (2 * unit[:, 2 * dof :] - 1))

    @classmethod
    def of(
        cls, robot: RobotDescription, velocity: ArrayLike, acceleration: ArrayLike, samples: int = SAMPLES
    ) -> Motions:
        """Every motion inside the joint limits of the file, a whole turn where a revolute joint has no limit."""
        values = {name: float_of(value, {}) for name, value in robot.values if not list(names_of(value))}
        boxes = [_box(joint, values, robot.name) for joint in robot.joints if joint.name in robot.joint_names]
        return cls.within(boxes, velocity, acceleration, samples)


def _box(joint: Joint, values: dict[str, float], robot: str) -> tuple[float, float]:
    if joint.limits is None and not joint.turns:
        raise InputError(
            "{robot}: joint {name!r} has no limits; say how far it slides with Motions.within(…)", robot, joint.name
        )
    if joint.limits is None:
        return (-np.pi, np.pi)
    return (float_of(joint.limits[0], values), float_of(joint.limits[1], values))


@dataclass(frozen=True, repr=False)
class SignificanceReport:
    """What may be forgotten. All of it is approximate: it holds for the motions sampled, to the tolerance given."""

    robot: str
    tolerance: float
    samples: int
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    zero: tuple[str, ...]  # parameters that this arm's numbers make zero anyway; no loss and no saving
    weights: dict[str, float]  # the largest share of each parameter in a joint's largest torque
    effects: dict[str, tuple[float, ...]]  # the largest share of each effect in a joint's largest torque, by joint
    errors: Errors
    operations: int  # of the model with all its base parameters
    operations_left: int
    function: Function  # the approximate model

    def as_dict(self) -> dict[str, object]:
        told = {name: value for name, value in vars(self).items() if name not in ("function", "errors")}
        return plain_dict({"approximate": True, **told, "errors": vars(self.errors)})

    def __repr__(self) -> str:
        many = len(self.dropped) + len(self.kept)
        return (
            f"<significance of {self.robot}: APPROXIMATE to {self.tolerance:.2%}, {len(self.dropped)} of {many} base "
            f"parameters dropped, operations {self.operations} → {self.operations_left}; print(…) shows more>"
        )

    def _repr_html_(self) -> str:
        rows = [
            (name, f"{share:.3%}", "dropped" if name in self.dropped else "") for name, share in self.weights.items()
        ]
        return f"<p>{escape(repr(self))}</p>" + html_table(("parameter", "share in the largest torque", ""), rows)

    def __str__(self) -> str:
        left, whole, many = self.operations_left, self.operations, len(self.dropped) + len(self.kept)
        lines = [
            f"{self.robot}: APPROXIMATE, {self.samples} samples, tolerance {self.tolerance:.2%} of the largest torque",
            f"dropped {len(self.dropped)} of {many}: {', '.join(self.dropped) or 'nothing'}",
            f"zero by themselves: {', '.join(self.zero) or 'none'}",
            f"operations: {whole} → {left} ({(whole - left) / max(whole, 1):.0%} saved; mul + add of this model alone)",
            "joint   largest error      rms    of the largest torque: largest      rms",
        ]
        rows = zip(*vars(self.errors).values())
        lines += [f"{i:5}   {a:13.4g}{b:9.3g}{c:30.3%}{d:9.3%}" for i, (a, b, c, d) in enumerate(rows, 1)]
        lines += ["share of each effect in the largest torque, by joint:"]
        lines += [f"  {name:9}" + "".join(f"{x:8.1%}" for x in shares) for name, shares in self.effects.items()]
        return "\n".join(lines)


def significance_of(robot: RobotDescription, motions: Motions, tolerance: float = 0.01) -> SignificanceReport:
    """Drop the base parameters that these motions do not feel; measure on samples that were not used to choose them."""
    refuse_moving(robot, "significance")
    refuse_loops(robot, "significance")
    structure = ArmStructure(robot)
    if missing := structure.free:
        raise InputError(
            "{name}: significance needs numbers; no value for {missing}", robot.name, ", ".join(missing[:8])
        )
    _check(motions, robot, tolerance)
    found, values = structure.column_ranking, np.array(base_parameters_from(structure).values, dtype=float)
    alive = np.flatnonzero(values)
    names = [found.names[k] for k in alive]
    parts = contributions(robot, found, values, motions)[:, :, alive]
    gone = droppable(parts[0::2], tolerance)
    whole = dict(zip(names, map(float, values[alive])))
    left = {name: x for k, (name, x) in enumerate(whole.items()) if k not in gone}
    short = torque_function(robot, found, left)
    return SignificanceReport(
        robot.name,
        tolerance,
        len(parts),
        tuple(left),
        tuple(names[k] for k in gone),
        tuple(name for name in found.names if name not in whole),
        dict(zip(names, map(float, weights(parts)))),
        effects(robot, found, values, motions),
        errors_of(parts[1::2], gone),
        torque_function(robot, found, whole).cost.total,
        short.cost.total,
        short,
    )


def _check(motions: Motions, robot: RobotDescription, tolerance: float) -> None:
    shapes = {x.shape for x in (motions.q, motions.qd, motions.qdd)}
    if len(shapes) != 1 or motions.q.ndim != 2 or motions.q.shape[1] != robot.dof or len(motions.q) < 2:
        raise InputError("{name}: motions must be q, qd, qdd of one shape (samples ≥ 2, {dof})", robot.name, robot.dof)
    if not 0 <= tolerance < 1:
        raise InputError(
            "tolerance must be a fraction of the largest torque, 0 ≤ tolerance < 1, not {tolerance}", tolerance
        )


def contributions(robot: RobotDescription, found: Ranking, values: Array, motions: Motions) -> Array:
    """(samples, dof, parameters): what every base parameter adds to every torque."""
    chain = merge_fixed(bind(robot, ArrayMaths(), {}, "none"))
    q, qd, qdd = (chain.coordinates.spread(list(x.T)) for x in (motions.q, motions.qd, motions.qdd))
    rows = chain.coordinates.gather_rows(base_regressor(chain, q, qd, qdd))
    samples = len(motions.q)
    full: Array = np.stack([np.stack([_over(x, samples) for x in found.columns(row)], axis=1) for row in rows], axis=1)
    return full * values


def _over(entry: ArrayLike, samples: int) -> NDArray[np.float64]:
    return np.broadcast_to(np.asarray(entry, dtype=float), (samples,))


def effects(robot: RobotDescription, found: Ranking, values: Array, motions: Motions) -> dict[str, tuple[float, ...]]:
    """The largest share of gravity, acceleration, velocity and friction in each joint's largest torque."""
    rub = np.array([slot.of_actuator and slot.kind != MOTOR.letters for slot in found.base])

    def torque(qd: Array, qdd: Array, which: NDArray[np.bool_]) -> Array:
        return np.asarray(contributions(robot, found, values, Motions(motions.q, qd, qdd))[:, :, which].sum(axis=2))

    none = np.zeros_like(motions.qd)
    still = torque(none, none, ~rub)
    found_effects = {
        "gravity": still,
        "inertia": torque(none, motions.qdd, ~rub) - still,
        "velocity": torque(motions.qd, none, ~rub) - still,
        "friction": torque(motions.qd, none, rub),
    }
    scale = peaks(sum(found_effects.values(), np.zeros_like(still)))
    return {name: tuple(map(float, np.abs(tau).max(axis=0) / scale)) for name, tau in found_effects.items()}


def torque_function(robot: RobotDescription, found: Ranking, given: dict[str, float]) -> Function:
    """The inverse dynamics of an arm that has these base parameters and no others; each a parameter of the function."""
    graph = Graph()
    maths = ExprMaths(graph)
    q, qd, qdd = ([graph.symbol(f"{x}{i + 1}", online=True) for i in range(robot.dof)] for x in ("q", "qd", "qdd"))
    known = {name: graph.symbol(name) for name in given}
    slots: list[Any] = [0] * len(found.slots)
    for k, name, sign in zip(found.kept, found.names, found.signs):
        slots[k] = sign * known.get(name, 0)
    chain = chain_from_candidates(merge_fixed(bind(robot, maths, {}, "none")), slots)
    x, xd, xdd = map(chain.coordinates.spread, (q, qd, qdd))
    bare = torques(chain, x, xd, xdd, _choices(chain))
    tau = chain.coordinates.gather([a + b for a, b in zip(bare, actuator_torque(chain, xd, xdd, bare))])
    inputs = [Input("q", tuple(q)), Input("qd", tuple(qd)), Input("qdd", tuple(qdd))]
    if known:
        inputs.append(Input("p", tuple(known.values()), "SI", "base parameters kept", role="parameter"))
    kept = Share(len(given), len(found.names))
    origin = Provenance(robot.name, approximate=kept, values=tuple(given.items()))
    name = f"{robot.name}_approximate_inverse_dynamics"
    output = Output("tau", (robot.dof,), tuple(map(graph.expr, tau)))
    return run_passes(Function(name, graph, tuple(inputs), (output,), {}, origin))


def _choices(chain: Tree) -> Sequence[Any]:
    return field_choices(default_answers(chain, field_questions(chain)), chain.dof)
