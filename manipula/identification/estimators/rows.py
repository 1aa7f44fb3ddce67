"""The rows behind the Gram matrices, for estimators that must see them: chunk by chunk, joint by joint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data
from manipula.identification.filters.motion import RecordedMotion

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Chunk:
    """Rows of one joint that the fit takes; `places` are the columns, among those of the data, that Y has."""

    joint: int
    places: NDArray[np.intp]
    Y: Array
    tau: Array


@dataclass(frozen=True)
class Pair(Chunk):
    """With Z, the same columns along another motion."""

    Z: Array


Rows = Iterator[Chunk]
Places = list[NDArray[np.intp]]


def fit_rows(data: Data) -> Rows:
    """Filtered as the Gram matrices are; no more than a chunk is held."""
    kept, places = _own(data)
    for motion in data.source.motions:
        fitted, tau = data.source.fitted(motion), motion.smoother(motion.tau)
        for rows, values in data.source.filtered(motion, data.load):
            for j, found in enumerate(values):
                used = fitted[rows, j]
                yield Chunk(j, places[j], found[used][:, kept[j]], tau[rows[used], j])


def paired_rows(data: Data, others: Sequence[RecordedMotion]) -> Iterator[Pair]:
    """Beside the rows those of other motions at the same times, where both move."""
    kept, places = _own(data)
    for motion, other in zip(data.source.motions, others, strict=True):
        fitted, tau = data.source.fitted(motion) & data.source.moving(other), motion.smoother(motion.tau)
        both = zip(data.source.filtered(motion, data.load), data.source.filtered(other, data.load))
        for (rows, values), (_, theirs) in both:
            for j, (found, seen) in enumerate(zip(values, theirs)):
                used = fitted[rows, j]
                Y, Z = found[used][:, kept[j]], seen[used][:, kept[j]]
                yield Pair(j, places[j], Y, tau[rows[used], j], Z)


def _own(data: Data) -> tuple[Places, Places]:
    """Of every joint which of its columns the data have, and where they are among those of the data."""
    columns = data.source.columns
    place = {int(k): i for i, k in enumerate(data.places)}
    own = [columns.own(j) for j in range(columns.dof)]
    kept = [np.array([k for k, old in enumerate(each) if int(old) in place], dtype=np.intp) for each in own]
    places = [np.array([place[int(each[k])] for k in some], dtype=np.intp) for each, some in zip(own, kept)]
    return kept, places
