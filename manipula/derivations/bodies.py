"""The links of an arm as bodies: mass, centre of mass and the tensor about it, as expressions of a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.derivations.board import DerivationBoard
from manipula.mechanics.robot.tree import Link
from manipula.mechanics.spatial.inertia import NOTHING, quotient
from manipula.mechanics.spatial.vector import Vec3, diagonal, dot, matsub, outer, scale
from manipula.scalar import Scalar


class Bodies:
    """The links with mass: m, the centre of mass c and the tensor about it, each in its link's frame."""

    def __init__(self, board: DerivationBoard, links: Sequence[Link]) -> None:
        self.board = board
        self.heavy = [i for i, link in enumerate(links) if not _is_weightless(link, board)]
        self.m = {i: links[i].inertia.m for i in self.heavy}
        self.c = {i: _centre(links[i], board) for i in self.heavy}
        self.I = {i: _about_centre(links[i], self.c[i], board) for i in self.heavy}

    def is_point(self, i: int) -> bool:
        """A mass without extent: its tensor is zero."""
        return all(is_zero(x, self.board) for row in self.I[i] for x in row)


def is_zero(x: Scalar, board: DerivationBoard) -> bool:
    return bool(board.graph.expr(x).value == 0)


def has_friction(link: Link, board: DerivationBoard) -> bool:
    return any(not is_zero(x, board) for law in link.actuator.laws for x in law.values)


def _is_weightless(link: Link, board: DerivationBoard) -> bool:
    body = link.inertia
    return body is NOTHING or all(is_zero(x, board) for x in (body.m, *body.s, *(x for row in body.I for x in row)))


def _centre(link: Link, board: DerivationBoard) -> Vec3:
    """c = s/m; of a body without mass but with first moments it is undefined."""
    body = link.inertia
    if all(is_zero(x, board) for x in body.s) or is_zero(body.m, board):
        return Vec3((0, 0, 0))
    return Vec3(tuple(0 if is_zero(x, board) else quotient(x, body.m) for x in body.s))


def _about_centre(link: Link, c: Vec3, board: DerivationBoard) -> Any:
    """I_c = I − m (c·c 1 − c cᵀ)"""
    body = link.inertia
    s = scale(body.m, c)
    found = matsub(body.I, matsub(diagonal(dot(c, s)), outer(c, s)))
    return tuple(tuple(0 if is_zero(x, board) else x for x in row) for row in found)


def column(v: Any) -> list[list[Scalar]]:
    return [[x] for x in v]
