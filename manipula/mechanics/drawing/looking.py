"""From where an arm is looked at: which way is up, and where the eye is."""

from __future__ import annotations

import numpy as np

from manipula.mechanics.drawing.skeleton import BASE, Array, Skeleton, matrix

PARALLEL = 0.99  # the cosine of directions that count as the same
AZIMUTH, ELEVATION = -58.0, 20.0  # degrees: from the front and the right, from above
FLAT = (25.0, 12.0)  # of an arm that moves in one upright plane: away from the plane's normal, above the floor


def up_of(gravity: Array, known: bool) -> Array:
    """The axis of the world against gravity: z, unless it pulls mostly along another one, or up. A letter alone does
    not say whether it stands for a number below zero."""
    up, main = np.zeros(3), int(np.argmax(np.abs(gravity)))
    if abs(gravity[main]) < 1e-12 or (main == 2 and not known):
        main, gravity = 2, np.array([0.0, 0.0, -1.0])
    up[main] = -np.sign(gravity[main])
    return up


def towards(azimuth: float, elevation: float, up: Array) -> Array:
    """The direction so many degrees around `up` (from x towards y, where z is up) and above the floor."""
    main = int(np.argmax(np.abs(up)))
    e1 = np.eye(3)[(main + 1) % 3]
    a, e = np.radians(azimuth), np.radians(elevation)
    level = np.cos(a) * e1 + np.sin(a) * np.cross(up, e1)
    return np.asarray(np.cos(e) * level + np.sin(e) * up)


def eye_of(skeleton: Skeleton, up: Array) -> Array:
    """Where pictures are taken from: an arm in an upright plane is seen from before it."""
    normal = matrix(skeleton.base)[:3, 2]
    if not planar(skeleton) or abs(normal @ up) > 0.5:
        return towards(AZIMUTH, ELEVATION, up)
    e1 = towards(0.0, 0.0, up)
    around = np.degrees(np.arctan2(np.cross(up, e1) @ normal, e1 @ normal))
    return towards(float(around) + FLAT[0], FLAT[1], up)


def planar(skeleton: Skeleton) -> bool:
    """Do all joints turn about the base's z, or slide across it, whatever they do?"""
    turns: dict[int, Array] = {BASE: np.eye(3)}
    leans: list[tuple[float, float]] = []
    for i, joint in enumerate(skeleton.joints):
        here = turns[joint.parent] @ matrix(joint.before)[:3, :3]
        leans.append((joint.turn, abs(float(here[2, 2]))))
        turns[i] = here @ matrix(joint.after)[:3, :3]
    return any(turn for turn, _ in leans) and all(x > PARALLEL if turn else x < 0.1 for turn, x in leans)
