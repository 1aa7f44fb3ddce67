"""Which families of columns a recording asks for: forward, under the prior, by cross-validation over blocks of time.

A family is taken for all joints or for none. It is accepted when the error on the blocks left out falls by at least 2 %
and in at least 70 % of the blocks; the one that helps most goes first. All of it is done on Gram matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.columns.column import Column
from manipula.identification.estimators.entropic import from_the_prior, newton
from manipula.identification.estimators.normal import TELLABLE, Normal, normal_from
from manipula.identification.estimators.prior import Prior
from manipula.identification.gram import Grams

Array = NDArray[np.float64]
Indexes = NDArray[np.intp]
FALLS = 0.02  # by which the error must fall
MOST = 0.7  # of the blocks in which it must fall
HOPELESS = 0.002  # a family that helps less is not asked again
ENOUGH = 1e-4  # decrement² of a fit that is only compared


@dataclass(frozen=True)
class Choice:
    """A family that was looked at: the error on blocks left out, in % of the torque, with it and before."""

    family: str
    error: float
    before: float
    blocks: float  # share of the blocks that got better
    taken: bool


@dataclass(frozen=True)
class Selection:
    kept: Indexes  # columns
    choices: tuple[Choice, ...]
    errors: Array  # of the blocks, under the columns kept, in %


class Folds:
    """The data in the prior's coordinates, whole and block by block."""

    def __init__(self, grams: Grams, prior: Prior, weights: Array) -> None:
        T = prior.transform
        used = [b for b in range(len(grams.gram)) if grams.rows[b].sum() > 0]
        self.blocks = [normal_from(grams, weights, np.array([b])).in_coordinates(T) for b in used]
        self.whole = sum(self.blocks[1:], self.blocks[0])
        self.prior = prior

    def first(self, kept: Indexes) -> Array:
        """Coordinates of the fit to everything."""
        return from_the_prior(self.whole.subset(kept), self.prior.subset(kept), ENOUGH)

    def fitted(self, kept: Indexes, start: Array) -> Array:
        """The same, from near by."""
        return newton(self.whole.subset(kept), self.prior.subset(kept), self.prior.weight, start, ENOUGH)

    def squares(self, kept: Indexes, start: Array) -> Array:
        """Of every block the weighted squares that a fit to the other blocks leaves."""
        prior, found = self.prior.subset(kept), []
        for block in self.blocks:
            out = block.subset(kept)
            x = newton(self.whole.subset(kept) - out, prior, prior.weight, start, ENOUGH)
            found.append(max(out.cost(x), 0.0))
        return np.array(found)


def select(
    columns: Sequence[Column],
    grams: Grams,
    prior: Prior,
    weights: Array,
    always: Sequence[str],
    tell: Callable[[str], None] = lambda text: None,
) -> Selection:
    """`always` are the families to start from; those of them that the others explain already are left out, too."""
    folds = Folds(grams, prior, weights)
    kept = np.flatnonzero([column.family in always for column in columns])
    x = folds.first(kept)
    squares = folds.squares(kept, x)
    loudness = max(sum(block.c for block in folds.blocks), 1e-300)
    waiting = list(dict.fromkeys(c.family for c in columns if c.family not in always))
    choices: list[Choice] = []
    while waiting and len(folds.blocks) > 1:
        before = _error(squares, loudness)
        tried = [(family, *_tried(folds, columns, kept, x, family)) for family in waiting]
        looked = [(family, Choice(family, _error(s, loudness), before, float((s < squares).mean()), False), more, s)
                  for family, more, s in tried if len(more)]  # fmt: skip
        if not looked:
            break
        family, best, more, after = min(looked, key=lambda item: item[1].error)
        taken = [item for item in looked if _passes(item[1])]
        if not taken:
            choices += [choice for _, choice, *_ in looked]
            break
        family, best, more, after = min(taken, key=lambda item: item[1].error)
        choices.append(Choice(family, best.error, before, best.blocks, True))
        tell(f"{family}: {before:.2f} → {best.error:.2f} %")
        wider = np.sort(np.concatenate([kept, more]))
        x = folds.fitted(wider, _widened(prior, kept, wider, x))
        kept, squares = wider, after
        hopeless = {f for f, choice, *_ in looked if choice.error > before * (1 - HOPELESS)}
        choices += [choice for f, choice, *_ in looked if f in hopeless]
        waiting = [f for f in waiting if f != family and f not in hopeless]
    own = np.array([block.c for block in folds.blocks])
    return Selection(kept, tuple(choices), 100 * np.sqrt(squares / np.maximum(own, 1e-300)))


def _passes(choice: Choice) -> bool:
    return choice.error <= choice.before * (1 - FALLS) and choice.blocks >= MOST


def _error(squares: Array, loudness: float) -> float:
    return 100 * float(np.sqrt(squares.sum() / loudness))


def _tried(folds: Folds, columns: Sequence[Column], kept: Indexes, x: Array, family: str) -> tuple[Indexes, Array]:
    """A family's columns that are no sum of others, and the squares of the blocks with them."""
    own = np.flatnonzero([column.family == family for column in columns])
    more = independent(folds.whole, kept, own)
    if not len(more):
        return more, np.zeros(0)
    wider = np.sort(np.concatenate([kept, more]))
    return more, folds.squares(wider, _widened(folds.prior, kept, wider, x))


def _widened(prior: Prior, kept: Indexes, wider: Indexes, x: Array) -> Array:
    """Coordinates with room for new columns, which begin small."""
    whole = np.zeros(prior.size)
    whole[prior.positive] = 0.05
    whole[kept] = x
    return whole[wider]


def independent(normal: Normal, kept: Indexes, more: Indexes) -> Indexes:
    """Those of `more` that are not, to rounding, sums of the columns kept and of each other."""
    found: list[int] = []
    scale = np.sqrt(np.maximum(np.diag(normal.A), 0.0))
    scale[scale == 0] = 1.0
    A = normal.A / np.outer(scale, scale)
    base = list(kept)
    for k in more:
        inner = A[np.ix_(base, base)] + TELLABLE * np.eye(len(base))
        left = A[k, k] - A[k, base] @ np.linalg.solve(inner, A[base, k])
        if left > COLLINEAR * max(A[k, k], 1e-300) and A[k, k] > 0:
            found.append(int(k))
            base.append(int(k))
    return np.array(found, dtype=np.intp)


COLLINEAR = 1e-4  # of a column's square that the others must leave unexplained
