"""Tree[S] → Tree[S']: the same arm over another scalar. Structural zeros and ones stay ints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.dual import Dual, DualMaths
from manipula.mechanics.spatial.inertia import InertiaTensor, RigidBody
from manipula.mechanics.spatial.paired import Paired, PairedMaths
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import Matrix, Vector
from manipula.scalar import Maths

Change = Callable[[Any], Any]


def mapped(chain: Tree, change: Change, maths: Maths[Any]) -> Tree:
    """Every entry that is not an int goes through `change`."""

    def entry(x: Any) -> Any:
        return x if isinstance(x, int) else change(x)

    links = tuple(_link(link, entry) for link in chain.links)
    base, tool = _placement(chain.base, entry), _placement(chain.tool, entry)
    ground, gravity = _inertia(chain.ground, entry), _vector(chain.gravity, entry)
    couplings = None if chain.couplings is None else chain.couplings.mapped(entry)
    return Tree(links, gravity, maths, base, tool, ground, chain.tip, couplings)


def over_duals(chain: Tree) -> Tree:
    """The arm over dual numbers, its parameters constants: run a model on it to differentiate the model."""
    return mapped(chain, Dual, DualMaths(chain.maths))


def over_pairs(chain: Tree) -> Tree:
    """The arm over scalars that carry two rates at once: run a model on it to have its form in two velocities."""
    return mapped(chain, Paired, PairedMaths(chain.maths))


def _vector(a: Vector, entry: Change) -> Vector:
    return (entry(a[0]), entry(a[1]), entry(a[2]))


def _matrix(A: Matrix, entry: Change) -> Matrix:
    return (_vector(A[0], entry), _vector(A[1], entry), _vector(A[2], entry))


def _placement(at: Placement, entry: Change) -> Placement:
    return Placement(_matrix(at.R, entry), _vector(at.p, entry))


def _inertia(body: RigidBody, entry: Change) -> RigidBody:
    return RigidBody(entry(body.m), _vector(body.s, entry), InertiaTensor(_matrix(body.I, entry)))


def _link(link: Link, entry: Change) -> Link:
    return replace(
        link,
        kind=link.kind.mapped(entry),
        before=_placement(link.before, entry),
        offset=entry(link.offset),
        after=_placement(link.after, entry),
        inertia=_inertia(link.inertia, entry),
        actuator=link.actuator.mapped(entry),
        pace=entry(link.pace),
        parts=tuple(replace(x, at=_placement(x.at, entry), inertia=_inertia(x.inertia, entry)) for x in link.parts),
    )
