"""The motion of a base that moves, as a person gives it: one array, or a tuple of those that a model takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.errors import InputError
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message

MATRICES = {"R0": 3, "T0": 4}  # ports that are matrices, row by row
NEAR = 1e-6  # of an entry of RᵀR − 1: what is further off is no rotation


def base_inputs(robot: RobotDescription, model: str, ports: Sequence[str], base: Any) -> list[Any]:
    """The base's inputs of a model, from what was given as base=."""
    if not robot.moving:
        raise InputError("{name}: its base stands still, so {model} takes no base=", robot.name, model)
    if not ports:
        if base is not None:
            raise InputError("{name}: {model} does not depend on the base's motion; drop base=", robot.name, model)
        return []
    wanted = ports[0] if len(ports) == 1 else f"({', '.join(ports)})"
    if base is None:
        raise InputError("{name}: its base moves, so {model} needs base={wanted}", robot.name, model, wanted)
    given = [base] if len(ports) == 1 else base
    if not isinstance(given, list | tuple) or len(given) != len(ports):
        found = len(given) if isinstance(given, list | tuple) else Message("one array")
        raise InputError("{model}: expected base={wanted}, found {found}", model, wanted, found)
    return [_matrix(model, port, x) if port in MATRICES else x for port, x in zip(ports, given)]


def _matrix(model: str, port: str, value: ArrayLike) -> NDArray[np.float64]:
    """Row by row, its rotation checked."""
    size = MATRICES[port]
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("{model}: {port}: expected numbers, found {value!r:.60}", model, port, value) from None
    if array.shape[-2:] != (size, size):
        raise InputError(
            "{model}: {port}: expected a matrix (…, {size}, {size2}), found shape {shape}; "
            "mp.states.rotation makes one of a quaternion",
            model,
            port,
            size,
            size,
            str(array.shape),
        )
    R = array[..., :3, :3]
    error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
    if not (error <= NEAR and np.all(np.linalg.det(R) > 0)):
        raise InputError(
            "{model}: {port}: its rotation is not one: RᵀR is off by {error:.1e}", model, port, float(error)
        )
    return array.reshape(*array.shape[:-2], size * size)
