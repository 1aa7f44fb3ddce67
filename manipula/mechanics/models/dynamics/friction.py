"""Joint friction: the sum of the laws of each joint's actuator (`robot.actuators`), with sign(0) = 0.

A law may depend on the load of the joint, the torque the mechanism behind it asks for (motion, weight, contact). In
inverse dynamics that torque is known before friction is. Forward dynamics would have to know the acceleration first:
it refuses such a robot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.entry import TORQUES, ModelEntry
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.friction import Slip
from manipula.mechanics.robot.tree import Tree
from manipula.messages import Message
from manipula.scalar import Entries, Maths, Scalar

NO_FORWARD = Message("accelerations do not follow from torques in closed form")
NO_COLUMNS = Message("torques are not linear in the parameters")
NO_SUM = Message("the torques of its links do not add up")


def friction(
    chain: Tree, qd: Sequence[Scalar], loads: Sequence[Scalar] | None = None, slip: Sequence[Scalar] | None = None
) -> list[Scalar]:
    """The torque every joint loses; `loads` are the torques of the bare mechanism, `slip` as in `slips`."""
    return [link.actuator.friction(x) for link, x in zip(chain.links, slips(chain, qd, loads, slip))]


def slips(
    chain: Tree, qd: Sequence[Scalar], loads: Sequence[Scalar] | None = None, slip: Sequence[Scalar] | None = None
) -> list[Slip]:
    """How every joint slips. Where `slip` is given sat(slip) stands for sign(q̇): a control law's friction."""
    known = [None] * chain.dof if loads is None else loads
    ahead = [None] * chain.dof if slip is None else [saturate(chain.maths, x) for x in slip]
    return [Slip(rate, chain.maths, *about) for rate, *about in zip(qd, known, ahead, strict=True)]


def saturate(maths: Maths[Scalar], slip: Scalar) -> Scalar:
    """The number, held within ±1: a sign drawn out, in a tenth of the time that tanh takes."""
    held: Scalar = maths.minimum(maths.maximum(slip, -1), 1)
    return held


def refuse_loaded(chain: Tree, model: str) -> None:
    """Raises where the friction of a joint depends on its load and `model` cannot have it so."""
    for link in chain.links:
        if link.actuator.depends_on_load:
            keys = ", ".join(f"friction.{law.key}" for law in link.actuator.laws if law.loaded and not law.is_zero())
            raise InputError(
                "joint {name!r}: its friction depends on its load ({keys}), so {model}; take it from "
                'robot.without("friction"), or give the joint other laws',
                link.name,
                keys,
                model,
            )


# Friction in two parts: what is smooth, and what jumps where a joint turns back.
#
#     smooth      the laws without a jump, at q̇: viscous, offset
#     dry         the others, of a joint that moves the way w = ±1, at q̇; none of one that rests, w = 0
#
# The way is an input, so that dry friction can go on smoothly through q̇ = 0 while a simulation looks for that moment,
# and
# so that w = ±1 at q̇ = 0 is the torque at which a joint at rest gives way. Laws that follow the load are given the
# accelerations q̈ under which the joints bear it.
#
# Derived here from the laws themselves (`robot.actuators`), each with its own source.

Given = Mapping[str, Sequence[Scalar]]


def friction_apart(tree: Tree, x: Given) -> dict[str, Entries]:
    """Of every coordinate; a joint that follows others may rub smoothly alone."""
    rates, own = tree.coordinates.spread(x["qd"]), dict(zip(tree.coordinates.names, x["way"], strict=True))
    ahead = [own.get(link.name, 0) for link in tree.links]
    _refuse_dry_followers(tree)
    found: dict[bool, list[Scalar]] = {}
    for dry in (False, True):
        slips = (Slip(rate, tree.maths, load, way) for rate, load, way in zip(rates, _loads(tree, x), ahead))
        found[dry] = [
            sum(law.torque(slip) for law in link.actuator.laws if law.dry is dry)
            for link, slip in zip(tree.links, slips)
        ]
    return {"smooth": tree.coordinates.gather(found[False]), "dry": tree.coordinates.gather(found[True])}


def _loads(tree: Tree, x: Given) -> list[Any]:
    if not any(link.actuator.depends_on_load for link in tree.links):
        return [None] * tree.dof
    q, qd, qdd = (tree.coordinates.spread(x[name]) for name in ("q", "qd", "qdd"))
    return newton_euler(tree, q, qd, qdd).tau


def _refuse_dry_followers(tree: Tree) -> None:
    for link, row in zip(tree.links, tree.coordinates.rows, strict=True):
        if link.name in tree.coordinates.names or not any(law.dry and not law.is_zero() for law in link.actuator.laws):
            continue
        if len(row.terms) > 1:
            raise InputError(
                "joint {name!r}: it follows {count} joints at once and has dry friction; without that "
                "friction it can be simulated",
                link.name,
                len(row.terms),
            )
        raise InputError(
            "joint {name!r}: it follows others and has dry friction, which no fixed step holds; simulate it "
            'with method="dop853", or without that friction',
            link.name,
        )


ENTRIES = (
    ModelEntry(
        "friction_parts", "friction apart: what is smooth, and what can hold a joint", ("q", "qd", "qdd", "way"),
        {"smooth": (EFFORT, "viscous, offset"), "dry": (EFFORT, "of a joint that moves that way, none of one at rest")},
        {"laws": friction_apart}, TORQUES, trees=("laws",),
    ),
)  # fmt: skip
