"""What a tool can reach: many random positions within the limits, seen from above and from a side, coloured by how
freely the tool can move there at best."""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.pages.plots.arm import DrawnMotion, corners, draw_arm, title_of
from manipula.pages.plots.canvas import Array, blank, framed

CELLS = 50  # along the longer side


def workspace_figure(motion: DrawnMotion, points: Array, freedom: Array) -> Any:
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
    for place, axes in zip(np.atleast_1d(figure.subplots(1, len(views))), views):
        metre = framed(place, low, high, axes)
        x, y = points[:, list(axes)].T
        cells = _cells(place, x, y, freedom, float((high - low).max()))
        draw_arm(place, motion, axes, metre)
        place.set_title("from the side" if up in axes else "from above", fontsize=10)
    figure.colorbar(cells, ax=figure.axes, label="manipulability of the tool's position, of the largest", shrink=0.8)
    figure.suptitle(f"Reach of {title_of(record)}, {len(points)} positions", fontsize=11)
    return figure


def _cells(place: Any, x: Array, y: Array, freedom: Array, wide: float) -> Any:
    """Of the positions in a small hexagon the freest."""
    grid = [max(int(CELLS * np.ptp(values) / max(wide, 1e-300) * share), 1) for values, share in ((x, 1.0), (y, 0.58))]
    cells = place.hexbin(
        x, y, freedom, gridsize=grid, reduce_C_function=np.max, mincnt=1, linewidths=0.2, vmin=0, vmax=1
    )
    cells.set_rasterized(True)  # thousands: a file of megabytes else
    return cells
