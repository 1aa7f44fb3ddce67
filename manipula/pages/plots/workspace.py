"""What a tool can reach: many random positions within the limits, seen from above and from a side, coloured by how
freely the tool moves there."""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.pages.plots.arm import Motion, corners, draw_arm, title_of
from manipula.pages.plots.canvas import Array, blank, framed


def workspace_figure(motion: Motion, points: Array, freedom: Array) -> Any:
    """`motion` is the arm as it is drawn in it, one row; `points` (count, 3) of the tool, `freedom` of each."""
    record = motion.record
    seen = np.concatenate([points, *(corner[None] for corner in corners(motion))])
    low, high = seen.min(axis=0), seen.max(axis=0)
    up = int(np.argmax(np.abs(record["up"])))
    first, second = sorted(i for i in range(3) if i != up)
    views = [(first, up), (first, second)]
    thin = np.ptp(points, axis=0) <= 1e-9 * record["size"]
    views = [view for view in views if not thin[list(view)].any()] or [(first, up)]
    figure = blank("arm.plot_workspace", (1.2 + 5.0 * len(views), 5.0))
    order = np.argsort(freedom)
    for place, axes in zip(np.atleast_1d(figure.subplots(1, len(views))), views):
        metre = framed(place, low, high, axes)
        dots = place.scatter(*points[order][:, list(axes)].T, c=freedom[order], s=3, cmap="viridis", linewidths=0)
        dots.set_rasterized(True)  # thousands of them: else a file of megabytes
        draw_arm(place, motion, axes, metre)
        place.set_title("from the side" if up in axes else "from above", fontsize=10)
    figure.colorbar(dots, ax=figure.axes, label="manipulability of the tool's position, of the largest", shrink=0.8)
    figure.suptitle(f"Reach of {title_of(record)}, {len(points)} positions", fontsize=11)
    return figure
