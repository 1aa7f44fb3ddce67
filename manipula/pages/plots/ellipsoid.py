"""How freely a tool moves and how hard it can push, as ellipsoids.

Joint rates of length 1 move the tool's origin within  vᵀ (J Jᵀ)⁻¹ v ≤ 1;  joint efforts of length 1 hold forces within
fᵀ J Jᵀ f ≤ 1:  the same axes, the lengths σ and 1/σ of the singular values of J.

Source: T. Yoshikawa, "Manipulability of robotic mechanisms", International Journal of Robotics Research 4(2), 1985.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manipula.pages.plots.arm import DrawnMotion, corners, draw_arm, look_from, title_of
from manipula.pages.plots.canvas import Array, blank, framed

LENGTH = 0.22  # of the arm's size: the longest axis as it is drawn
SINGULAR = 1e-9  # of the largest singular value: nothing
COLOURS = {"velocity": "#0072b2", "force": "#d55e00"}


def ellipsoid_figure(motion: DrawnMotion, J: Array, units: tuple[str, str]) -> Any:
    """`J` (3, n) of the tool's origin; `units` of velocities and forces for a joint's unit."""
    axes = motion.plane()
    U, sigma, _ = np.linalg.svd(J)
    sigma = np.concatenate([sigma, np.zeros(3 - len(sigma))])
    figure = blank("arm.plot_ellipsoid", (6.6, 6.0))
    place = figure.add_subplot(projection="3d" if len(axes) == 3 else None)
    size = motion.record["size"]
    tool = motion.poses[-1][-1, :3, 3]
    low, high = corners(motion)
    metre = framed(place, np.minimum(low, tool - LENGTH * size), np.maximum(high, tool + LENGTH * size), axes)
    if len(axes) == 3:
        look_from(place, motion.record)
    draw_arm(place, motion, axes, metre)
    free = sigma > SINGULAR * max(float(sigma.max()), 1e-300)
    pushes = np.where(free, 1 / np.where(free, sigma, 1.0), np.inf)
    for (name, colour), lengths, unit in zip(COLOURS.items(), (sigma, pushes), units):
        _ellipsoid(place, tool, U, lengths, LENGTH * size, axes, colour, f"{name}: {_told(lengths, axes, U)} {unit}")
    figure.legend(loc="outside lower center", fontsize=8, title="half axes", title_fontsize=8)
    place.set_title(title_of(motion.record), fontsize=11)
    return figure


def _told(lengths: Array, axes: Sequence[int], U: Array) -> str:
    """In a plane without the axis that leaves it."""
    kept = [x for x, way in zip(lengths, U.T) if len(axes) == 3 or np.abs(way[list(axes)]).max() > 1e-6]
    return ", ".join("∞" if np.isinf(x) else f"{x:.3g}" for x in kept)


def _ellipsoid(
    place: Any, at: Array, U: Array, lengths: Array, longest: float, axes: Sequence[int], colour: str, label: str
) -> None:
    """Its longest finite axis is drawn as long as can be seen well; one without end twice as long."""
    finite = lengths[np.isfinite(lengths)]
    scale = longest / max(float(finite.max(initial=0.0)), 1e-300)
    drawn = np.where(np.isfinite(lengths), lengths * scale, 2 * longest)
    if len(axes) == 2:
        angle = np.linspace(0, 2 * np.pi, 121)
        kept = [k for k in range(3) if np.abs(U[list(axes), k]).max() > 1e-6][:2]
        ring = sum((np.outer(f(angle), drawn[k] * U[:, k]) for f, k in zip((np.cos, np.sin), kept)), np.zeros((121, 3)))
        x, y = (at + ring)[:, list(axes)].T
        place.plot(x, y, color=colour, linewidth=1.8, label=label, zorder=5)
        place.fill(x, y, color=colour, alpha=0.15, zorder=4)
        return
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 21), np.linspace(0, np.pi, 11))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1)
    x, y, z = np.moveaxis(at + (ball * drawn) @ U.T, -1, 0)
    place.plot_wireframe(x, y, z, color=colour, linewidth=0.5, alpha=0.8, label=label)
