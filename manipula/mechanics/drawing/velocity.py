"""How the tool's origin moves with the coordinates, from the frames of a drawing alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manipula.mechanics.drawing.skeleton import BASE, Array


def jacobian_of(record: Mapping[str, Any], poses: Sequence[Array], axes: Sequence[Array]) -> Array:
    """(…, 3, dof), of joint i with axis z through o:  (turn z × (p − o) + slide z) · factor"""
    tool = poses[-1][..., :3, 3]
    found = np.zeros((*tool.shape, record["dof"]))
    i = record["tool"]["on"]
    while i != BASE:
        joint, z = record["joints"][i], axes[i][..., :3, 2]
        moved = joint["turn"] * np.cross(z, tool - axes[i][..., :3, 3]) + joint["slide"] * z
        for c, factor in joint["terms"]:
            found[..., c] += factor * moved
        i = joint["parent"]
    return found


def freedom_of(J: Array) -> Array:
    """(…,): √det J Jᵀ over the directions the tool can move in, each row of a whole over the largest of all."""
    sigma = np.linalg.svd(J, compute_uv=False)
    largest = float(sigma.max(initial=0.0))
    rank = max(int((sigma > 1e-9 * largest).sum(axis=-1).max(initial=0)), 1)
    product = sigma[..., :rank].prod(axis=-1)
    return np.asarray(product / max(float(product.max(initial=0.0)), 1e-300))
