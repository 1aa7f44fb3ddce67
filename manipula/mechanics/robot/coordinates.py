"""What moves: the coordinates of a robot, and the joints that move by them.

A joint has a coordinate of its own, or follows others: mimic fingers, belts, geared wrists, tendons. With the constant
factors S and offsets c,

    q_joint = S q + c        τ = Sᵀ τ_joint        so that power is the same:  τᵀ q̇ = τ_jointᵀ q̇_joint

`Coordinate` is a row of this map as a file gives it, exact and by names. `Coordinates` is the whole map, by places,
over any scalar; who asks how many coordinates there are, what they move, or where a step takes them, asks here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, lcm, pi
from typing import TYPE_CHECKING, Any, NamedTuple

from manipula.mechanics.spatial.vector import sum_of
from manipula.scalar import Scalar

if TYPE_CHECKING:  # reading a file needs no arrays
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Terms = tuple[tuple[int, Any], ...]  # coordinates by their places, each with its factor
Rows = list[list[Scalar]]


@dataclass(frozen=True)
class Coordinate:
    """A joint that moves by others' coordinates: its q is Σ factor·q of the joints named, and a constant, which is a
    number in SI and so many degrees: a quarter turn stays exact."""

    terms: tuple[tuple[str, Fraction], ...]
    constant: Fraction = Fraction(0)
    degrees: Fraction = Fraction(0)

    @property
    def shift(self) -> float:
        """The whole constant, SI."""
        return float(self.constant) + float(self.degrees) * pi / 180

    @property
    def leads(self) -> tuple[str, ...]:
        """The joints that it follows."""
        return tuple(name for name, _ in self.terms)

    def __add__(self, other: Coordinate) -> Coordinate:
        factors = dict(self.terms)
        for name, factor in other.terms:
            factors[name] = factors.get(name, Fraction(0)) + factor
        return Coordinate(tuple(factors.items()), self.constant + other.constant, self.degrees + other.degrees)

    def __rmul__(self, factor: Fraction | int) -> Coordinate:
        terms = tuple((name, factor * k) for name, k in self.terms)
        return Coordinate(terms, factor * self.constant, factor * self.degrees)

    def through(self, others: Mapping[str, Coordinate]) -> Coordinate:
        """Where a joint it follows follows others itself, by the coordinates of those."""
        total = Coordinate((), self.constant, self.degrees)
        for name, factor in self.terms:
            total = total + factor * others.get(name, own_coordinate(name))
        return total


def own_coordinate(name: str) -> Coordinate:
    """That of a joint that moves on its own."""
    return Coordinate(((name, Fraction(1)),))


class JointRow(NamedTuple):
    """How one joint moves: q_joint = Σ factor·q + offset."""

    joint: str
    terms: Terms
    way: int  # of a joint that moves by one coordinate: 1 the same way, −1 the other; 0 of one that moves by several
    offset: float = 0.0  # SI; the placements of a `Tree` contain it, and its rows do not


@dataclass(frozen=True)
class Coordinates:
    """The map from coordinates to joints. Structural factors, 0 and ±1, are ints, whatever the scalar."""

    names: tuple[str, ...]  # a coordinate has the name of the joint whose own it is
    turns: tuple[bool, ...]  # is it an angle? else a length
    rows: tuple[JointRow, ...]  # one a joint that moves, in the robot's order

    def __len__(self) -> int:
        return len(self.names)

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints that move."""
        return tuple(row.joint for row in self.rows)

    @property
    def followers(self) -> list[str]:
        """The joints that have no coordinate of their own."""
        return [name for name in self.joints if name not in self.names]

    @property
    def columns(self) -> list[list[tuple[int, Any]]]:
        """Of every coordinate the joints that it moves, by their places, each with its factor."""
        rows = [(i, dict(row.terms)) for i, row in enumerate(self.rows)]
        return [[(i, terms[c]) for i, terms in rows if terms.get(c)] for c in range(len(self))]

    @property
    def effective(self) -> list[int]:
        """The coordinates that move any joint, by their places."""
        return [c for c, joints in enumerate(self.columns) if joints]

    def of(self, joints: Collection[str]) -> Coordinates:
        """The same coordinates, and of the joints these alone."""
        return replace(self, rows=tuple(row for row in self.rows if row.joint in joints))

    def map_factors(self, change: Callable[[Any], Any]) -> Coordinates:
        """With other factors: over another scalar, in another unit."""
        rows = (row._replace(terms=tuple((c, change(k)) for c, k in row.terms)) for row in self.rows)
        return replace(self, rows=tuple(rows))

    # the map and its transpose, over any scalar

    def spread(self, values: Sequence[Scalar]) -> list[Scalar]:
        """S x: rates of the joints from those of the coordinates; positions too, counted from the offsets."""
        return [sum_of(k * values[c] for c, k in row.terms) for row in self.rows]

    def spread_signs(self, signs: Sequence[Scalar]) -> list[Scalar]:
        """Signs of the joints' rates from those of the coordinates: a joint that moves by one coordinate has that
        coordinate's, or its negative, whatever its factor."""
        mixed = self.spread(signs)
        return [signs[row.terms[0][0]] * row.way if row.way else x for row, x in zip(self.rows, mixed, strict=True)]

    def gather(self, efforts: Sequence[Scalar]) -> list[Scalar]:
        """Sᵀ y: what every coordinate feels of the efforts of its joints."""
        felt: Rows = [[] for _ in self.names]
        for row, effort in zip(self.rows, efforts, strict=True):
            for c, k in row.terms:
                felt[c].append(k * effort)
        return list(map(sum_of, felt))

    def gather_columns(self, matrix: Sequence[Sequence[Scalar]]) -> Rows:
        """A S of a matrix A that has a column a joint."""
        return [self.gather(row) for row in matrix]

    def gather_rows(self, matrix: Sequence[Sequence[Scalar]]) -> Rows:
        """Sᵀ A of a matrix A that has a row a joint."""
        return [list(row) for row in zip(*map(self.gather, zip(*matrix, strict=True)))]

    def gather_both(self, matrix: Sequence[Sequence[Scalar]]) -> Rows:
        """Sᵀ A S."""
        return self.gather_rows(self.gather_columns(matrix))

    def move(self, q: Sequence[Scalar], step: Sequence[Scalar]) -> list[Scalar]:
        """Positions after a small motion, a velocity times a time. Integrators advance positions by this alone."""
        return [a + b for a, b in zip(q, step, strict=True)]

    # in numbers

    @property
    def in_parts(self) -> Coordinates:
        """The same map from equal parts of the coordinates, as many as make all factors whole numbers."""
        parts = lcm(*(k.denominator for row in self.rows for _, k in row.terms))
        return self.map_factors(lambda k: int(k * parts))

    @property
    def affine(self) -> tuple[Array, Array]:
        """S and the offsets."""
        import numpy as np

        S = [self.map_factors(float).spread(unit) for unit in np.eye(len(self)).tolist()]
        return np.array(S, dtype=float).T, np.array([row.offset for row in self.rows])

    def limits(self, lower: Iterable[float], upper: Iterable[float]) -> tuple[Array, Array]:
        """Of every coordinate what the limits of the joints leave that move by it alone."""
        import numpy as np

        low, high = np.full(len(self), -inf), np.full(len(self), inf)
        for row, *ends in zip(self.rows, lower, upper, strict=True):
            if len(row.terms) == 1 and row.terms[0][1]:
                c, factor = row.terms[0]
                least, most = sorted((end - row.offset) / float(factor) for end in ends)
                low[c], high[c] = max(low[c], least), min(high[c], most)
        return low, high


def coordinates_from(joints: Iterable[tuple[str, bool, Coordinate | None]]) -> Coordinates:
    """Of the joints that move: name, whether it turns, and what it follows; None is a coordinate of its own."""
    every = list(joints)
    own = [(name, turns) for name, turns, follows in every if follows is None]
    place = {name: c for c, (name, _) in enumerate(own)}

    def row(name: str, follows: Coordinate | None) -> JointRow:
        if follows is None:
            return JointRow(name, ((place[name], 1),), 1)
        terms = tuple((place[lead], int(k) if k in (-1, 0, 1) else k) for lead, k in follows.terms)
        way = 0 if len(terms) != 1 else 1 if terms[0][1] > 0 else -1
        return JointRow(name, terms, way, follows.shift)

    rows = tuple(row(name, follows) for name, _, follows in every)
    return Coordinates(tuple(place), tuple(turns for _, turns in own), rows)
