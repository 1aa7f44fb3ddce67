"""The wrench on a base that moves and the torques as a matrix times the parameters: (base_wrench, tau) = Y π.

The columns of the base's bodies come first, then those of `linear.regressor`. A unit body's wrench is felt by the base
along six unit motions, as by the joints before it along theirs.

Source: as for `linear.regressor`; the base's rows are Ayusawa, Venture, Nakamura, "Identifiability and identification
of inertial parameters using the underactuated base-link dynamics for legged multibody systems", International Journal
of Robotics Research 33 (2014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from manipula.mechanics.models.dynamics.bodies import BASE_TWISTS, link_twists
from manipula.mechanics.models.dynamics.newton_euler import Moving, newton_euler
from manipula.mechanics.models.entry import FRAMES, Method, ModelEntry
from manipula.mechanics.models.floating.dynamics import motion_of
from manipula.mechanics.models.linear.base_parameters import columns as base_columns
from manipula.mechanics.models.linear.base_parameters import reduced_regressor
from manipula.mechanics.models.linear.base_regressor import base_regressor
from manipula.mechanics.models.linear.regressor import (
    BODY_NAMES,
    UNIT_BODIES,
    actuator_columns,
    columns,
    parts_of,
    unit_force,
    unit_in_link,
)
from manipula.mechanics.robot.reduce import massless
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import power
from manipula.scalar import Scalar


def regressor(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], base: Moving
) -> list[list[Scalar]]:
    """Y (6 + dof, 10 for every body of the base, 14·dof, 10 for every rider)"""
    motion = newton_euler(massless(chain), q, qd, qdd, base=base).motion
    rows = range(-6, chain.dof)
    Y: dict[int, list[Scalar]] = {i: [] for i in rows}
    for part in chain.ground_parts:
        for body in UNIT_BODIES:
            force = unit_force(unit_in_link(body, part), base)
            for i in rows:
                Y[i].append(power(BASE_TWISTS[i], force) if i < 0 else 0)
    motors = actuator_columns(chain, qd, qdd)
    twists = link_twists(chain, q, BASE_TWISTS)
    for l, (state, parts) in enumerate(zip(motion, parts_of(chain), strict=True)):
        forces = [unit_force(unit_in_link(body, part), state) for part in parts for body in UNIT_BODIES]
        for i in rows:
            felt = [power(twists[l][i], force) if i in twists[l] else 0 for force in forces]
            Y[i] += felt if i < 0 else map(chain.links[i].along_z, felt)
            Y[i] += [entry if l == i else 0 for entry in motors[l].values()]
    return [Y[i] for i in rows]


def floating_columns(chain: Tree) -> list[str]:
    """The parameter of every column."""
    return [f"{name}{part.suffix}" for part in chain.ground_parts for name in BODY_NAMES] + columns(chain)


def _given(text: Callable[..., list[list[Scalar]]]) -> Method:
    return lambda chain, x: {"Y": text(chain, x["q"], x["qd"], x["qdd"], motion_of(x))}


FORMS = {
    "regressor": ModelEntry(
        "regressor", "wrench on the base and torques per inertial parameter", ("q", "qd", "qdd", "w0", "wd0", "a0"),
        {"Y": ("various", "(base_wrench, tau) = Y · parameters")}, {"newton-euler": _given(regressor)}, FRAMES,
        columns=floating_columns, trees=("newton-euler",),
    ),
    "base_regressor": ModelEntry(
        "base_regressor", "wrench on the base and torques per base parameter", ("q", "qd", "qdd", "w0", "wd0", "a0"),
        {"Y": ("various", "(base_wrench, tau) = Y · base parameters")},
        {"newton-euler": _given(reduced_regressor), "field": _given(base_regressor)},
        FRAMES, candidates=("newton-euler", "field"), columns=base_columns, ranked=("Y",),
        trees=("newton-euler", "field"),
    ),
}  # fmt: skip
