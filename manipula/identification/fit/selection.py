"""Which families of columns a recording asks for: forward, under the prior, by cross-validation over blocks of time.

A family is taken for all joints or for none, and of a friction law one width. It is accepted when the error on the
blocks left out falls by at least 2 % and in at least 70 % of the blocks, and when it explains a thousandth of the
torque or more: what is less is the rest of the filter and of the smooth sign. The family whose columns help most, each,
goes first. All is done on Gram matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from manipula.identification.columns import Column
from manipula.identification.data import Grams
from manipula.identification.estimators.entropic import entropic_from, from_the_prior, newton
from manipula.identification.estimators.normal import TELLABLE, Normal, normal_from
from manipula.identification.estimators.prior import Prior

Array = NDArray[np.float64]
Indexes = NDArray[np.intp]
FALLS = 0.02  # by which the error must fall
NOTICED = 0.1  # % of the torque that a family must explain
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

    def error(self, squares: Array) -> float:
        """In % of the torque; never nothing, so that errors can be compared by their ratio."""
        return 100 * float(np.sqrt(max(squares.sum(), 1e-24 * self.whole.c) / max(self.whole.c, 1e-300)))

    def first(self, kept: Indexes) -> Array:
        """Coordinates of the fit to everything."""
        return from_the_prior(self.whole.subset(kept), self.prior.subset(kept), ENOUGH)

    def refit(self, kept: Indexes, start: Array) -> Array:
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


@dataclass(frozen=True)
class Look:
    """A family tried beside the columns kept: what it did, its columns, the squares of the blocks with it."""

    choice: Choice
    more: Indexes
    squares: Array

    @property
    def gain(self) -> float:
        """How far the error falls, for each new column: few that explain much go before many."""
        return float(np.log(self.choice.before / self.choice.error)) / len(self.more)


def select(
    columns: Sequence[Column],
    grams: Grams,
    prior: Prior,
    weights: Array,
    always: Sequence[str],
    tell: Callable[[str], None] = lambda text: None,
) -> Selection:
    """`always` are the families to start from. A family that does not help at all is not asked again."""
    folds = Folds(grams, prior, weights)
    kept = np.flatnonzero([column.family in always for column in columns])
    x = folds.first(kept)
    squares = folds.squares(kept, x)
    waiting = list(dict.fromkeys(c.family for c in columns if c.family not in always))
    choices: list[Choice] = []
    while waiting and len(folds.blocks) > 1:
        looks = [look for family in waiting if (look := _look(folds, columns, kept, x, squares, family))]
        passed = [look for look in looks if _passes(look.choice)]
        best = max(passed, key=lambda look: look.gain, default=None)
        gone = [
            look.choice for look in looks if best is None or look.choice.error > look.choice.before * (1 - HOPELESS)
        ]
        if best is not None:
            tell(f"{best.choice.family}: {best.choice.before:.2f} → {best.choice.error:.2f} %")
            choices.append(replace(best.choice, taken=True))
            wider = np.sort(np.concatenate([kept, best.more]))
            x = folds.refit(wider, _extend_coordinates(prior, kept, wider, x))
            kept, squares = wider, best.squares
        choices += gone
        settled = {choice.family for choice in choices} | _rivals(columns, best)
        waiting = [] if best is None else [family for family in waiting if family not in settled]
    own = np.array([block.c for block in folds.blocks])
    return Selection(kept, tuple(choices), 100 * np.sqrt(squares / np.maximum(own, 1e-300)))


def _rivals(columns: Sequence[Column], taken: Look | None) -> set[str]:
    """Families of the same friction law in other widths: a joint has one, as in a robot file."""
    own = set() if taken is None else {(columns[k].joint, x) for k in taken.more for x in columns[k].widths}
    return {column.family for column in columns for x in column.widths if (column.joint, x) in own}


def one_width(columns: Sequence[Column], normal: Normal, prior: Prior) -> list[str]:
    """The names of the columns with one width of every friction law, joint by joint the one that leaves least."""
    rivals: dict[tuple[int | None, str], list[str]] = {}
    for column in columns:
        for letters in column.widths:
            rivals.setdefault((column.joint, letters), []).append(column.family)
    chosen = {key: families[len(families) // 2] for key, families in rivals.items()}

    def columns_of_widths(widths: Mapping[tuple[int | None, str], str]) -> list[int]:
        return [k for k, c in enumerate(columns) if all(widths[c.joint, x] == c.family for x in c.widths)]

    def left(key: tuple[int | None, str], family: str) -> float:
        own = np.array(columns_of_widths(chosen | {key: family}))
        part = normal.subset(own)
        return part.cost(entropic_from(part, prior.subset(own)))

    for key, families in rivals.items():
        tried = dict.fromkeys(families)
        chosen[key] = min(tried, key=partial(left, key)) if len(tried) > 1 else families[0]
    return [columns[k].name for k in columns_of_widths(chosen)]


def _look(folds: Folds, columns: Sequence[Column], kept: Indexes, x: Array, squares: Array, family: str) -> Look | None:
    """None where all of the family's columns are sums of others."""
    own = np.flatnonzero([column.family == family for column in columns])
    more = independent(folds.whole, kept, own)
    if not len(more):
        return None
    wider = np.sort(np.concatenate([kept, more]))
    after = folds.squares(wider, _extend_coordinates(folds.prior, kept, wider, x))
    better = float((after < squares).mean())
    choice = Choice(family, folds.error(after), folds.error(squares), better, False)
    return Look(choice, more, after)


def _passes(choice: Choice) -> bool:
    falls = choice.error <= choice.before * (1 - FALLS) and choice.blocks >= MOST
    return falls and choice.before**2 - choice.error**2 >= NOTICED**2


def _extend_coordinates(prior: Prior, kept: Indexes, wider: Indexes, x: Array) -> Array:
    """Coordinates with room for new columns, which begin small."""
    whole = np.zeros(prior.size)
    whole[prior.positive] = 0.05
    whole[kept] = x
    return whole[wider]


def independent(normal: Normal, kept: Indexes, more: Indexes) -> Indexes:
    """Those of `more` that are not, to rounding, sums of the columns kept and of each other: by Cholesky's factor of
    the columns kept, a row longer with every column that is taken. Columns kept may be sums of each other, too, on a
    motion that shows little: the factor is pivoted, and ends where rounding of the Gram matrix begins."""
    scale = np.sqrt(np.maximum(np.diag(normal.A), 0.0))
    scale[scale == 0] = 1.0
    A = normal.A / np.outer(scale, scale)
    factor, order, rank, _ = dpstrf(A[np.ix_(kept, kept)], lower=1, tol=TELLABLE)
    base, found = [int(kept[k - 1]) for k in order[:rank]], list[int]()
    root = np.tril(factor[:rank, :rank])
    for k in more:
        row = solve_triangular(root, A[base, k], lower=True)
        left = A[k, k] - row @ row
        if left > COLLINEAR * max(A[k, k], 1e-300) and A[k, k] > 0:
            found.append(int(k))
            base.append(int(k))
            root = np.block([[root, np.zeros((len(row), 1))], [row, np.sqrt(left + TELLABLE)]])
    return np.array(found, dtype=np.intp)


COLLINEAR = 1e-4  # of a column's square that the others must leave unexplained
