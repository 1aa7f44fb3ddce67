"""The rows behind the Gram matrices, for estimators that must see them: chunk by chunk, joint by joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Chunk:
    """Rows of one joint that the fit takes; `places` are the columns, among those of the data, that Y has."""

    joint: int
    places: NDArray[np.intp]
    Y: Array
    tau: Array


Rows = Iterator[Chunk]


def fit_rows(data: Data) -> Rows:
    """Filtered as the Gram matrices are; no more than a chunk is held."""
    columns = data.source.columns
    place = {int(k): i for i, k in enumerate(data.places)}
    own = [columns.own(j) for j in range(columns.dof)]
    kept = [np.array([k for k, old in enumerate(each) if int(old) in place], dtype=np.intp) for each in own]
    places = [np.array([place[int(each[k])] for k in some], dtype=np.intp) for each, some in zip(own, kept)]
    for motion in data.source.motions:
        fitted, tau = data.source.fitted(motion), motion.smoother(motion.tau)
        for rows, values in data.source.filtered(motion, data.load):
            for j, found in enumerate(values):
                used = fitted[rows, j]
                yield Chunk(j, places[j], found[used][:, kept[j]], tau[rows[used], j])
