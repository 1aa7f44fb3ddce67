"""The bodies of the links: mass, centre, and the uniform ellipsoid that has the same inertia."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from manipula.mechanics.drawing.names import Names
from manipula.mechanics.drawing.skeleton import BASE, Skeleton
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import Body, Cell, RobotDescription, cells_in
from manipula.mechanics.robot.reduce.chains import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.inertia import RigidBody

Told = dict[str, Any]
UNKNOWN: Told = {"mass": None, "com": None, "ellipsoid": None}


def bodies_of(robot: RobotDescription, skeleton: Skeleton, names: Names) -> list[Told]:
    """Of the base and of every link, without the payload; a body that depends on a stand-in is not told."""
    tree = merge_fixed(bind(replace(robot, payload=()), FLOATS, {}))
    open_links = {
        skeleton.stands[row]
        for row, joint in enumerate(robot.joints)
        if not names.known(cells_in((joint.body, joint.carries)))
    }
    open_links |= set() if names.known(cells_in(robot.ground)) else {BASE}
    bodies = [tree.ground, *(link.inertia for link in tree.links)]
    return [UNKNOWN if i in open_links else told(body) for i, body in enumerate(bodies, BASE)]


def told(body: RigidBody) -> Told:
    """A body without mass has neither a centre nor an ellipsoid, one that could not be has no ellipsoid."""
    mass = float(np.asarray(body.m, dtype=float))
    if not mass > 0.0:
        return {"mass": mass, "com": None, "ellipsoid": None}
    com = np.array(body.s, dtype=float) / mass
    about = np.array(body.K, dtype=float) - mass * np.outer(com, com)
    return {"mass": mass, "com": com.tolist(), "ellipsoid": _ellipsoid(about, com, mass)}


def _ellipsoid(second: Any, com: Any, mass: float) -> Told | None:
    """Second moments ∫r rᵀ dm about the centre are m/5·radius² along the axes of a uniform ellipsoid."""
    values, axes = np.linalg.eigh(second)
    if not np.isfinite(values).all() or values.min() < -1e-9 * max(float(values.max()), 1e-300):
        return None
    frame = np.eye(4)
    frame[:3, :3] = axes * np.sign(np.linalg.det(axes))
    frame[:3, 3] = com
    return {"frame": frame.tolist(), "radii": np.sqrt(5.0 * np.clip(values, 0.0, None) / mass).tolist()}


def payload_of(robot: RobotDescription, number: Callable[[Cell], float]) -> Told | None:
    """All that is held in the tool's frame, as one point; None where nothing is."""
    if not robot.payload:
        return None
    held = [(number(body.mass), _centre(body, number)) for body in robot.payload]
    mass = sum(m for m, _ in held)
    at = sum((m * c for m, c in held), np.zeros(3)) / mass if mass else held[0][1]
    return {"at": at.tolist(), "mass": mass}


def _centre(body: Body, number: Callable[[Cell], float]) -> Any:
    centre, mass = np.array([number(cell) for cell in body.centre]), number(body.mass)
    return centre if body.centre_is == "com" or not mass else centre / mass
