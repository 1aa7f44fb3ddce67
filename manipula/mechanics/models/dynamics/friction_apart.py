"""Friction in two parts: what is smooth, and what jumps where a joint turns back.

    smooth      the laws without a jump, at q̇: viscous, offset
    dry         the others, of a joint that moves the way w = ±1, at q̇; none of one that rests, w = 0

The way is an input, so that dry friction can go on smoothly through q̇ = 0 while a simulation looks for that moment, and
so that w = ±1 at q̇ = 0 is the torque at which a joint at rest gives way. Laws that follow the load are given the
accelerations q̈ under which the joints bear it.

Derived here from the laws themselves (`robot.actuators`), each with its own source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.robot.actuators.friction import Slip
from manipula.mechanics.robot.tree import Tree

Given = Mapping[str, Sequence[Any]]


def friction_apart(tree: Tree, x: Given) -> dict[str, Any]:
    """Of every coordinate; a joint that follows others may rub smoothly alone."""
    rates, own = tree.coordinates.spread(x["qd"]), dict(zip(tree.coordinates.names, x["way"], strict=True))
    ahead = [own.get(link.name, 0) for link in tree.links]
    _refuse_dry_followers(tree)
    found: dict[bool, list[Any]] = {}
    for dry in (False, True):
        slips = (Slip(rate, tree.maths, load, way) for rate, load, way in zip(rates, _loads(tree, x), ahead))
        found[dry] = [
            sum(law.torque(slip) for law in link.actuator.laws if law.dry is dry)
            for link, slip in zip(tree.links, slips)
        ]
    return {"smooth": tree.coordinates.gather(found[False]), "dry": tree.coordinates.gather(found[True])}


def _loads(tree: Tree, x: Given) -> list[Any]:
    if not any(link.actuator.loaded for link in tree.links):
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
