"""The catalogue's entries about motion without forces: of the tool, or of any other frame in its place, and of the
centre of mass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manipula.mechanics.models.centroidal import centre_of_mass as centre
from manipula.mechanics.models.entry import ENERGY, FRAMES, TOOL, Given, ModelEntry
from manipula.mechanics.models.kinematics import jacobian, manipulability, pose
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import dot


def _velocity(chain: Tree, x: Given) -> dict[str, Any]:
    return {"v": [dot(row, x["qd"]) for row in jacobian.jacobian(chain, x["q"])]}


def _acceleration(chain: Tree, x: Given) -> dict[str, Any]:
    rows = zip(jacobian.jacobian(chain, x["q"]), jacobian.jacobian_dot(chain, x["q"], x["qd"]))
    return {"a": [dot(J, x["qdd"]) + dot(Jd, x["qd"]) for J, Jd in rows]}


def _acceleration_summed(chain: Tree, x: Given) -> dict[str, Any]:
    rows = zip(jacobian.jacobian(chain, x["q"]), jacobian.tool_bias(chain, x["q"], x["qd"]))
    return {"a": [dot(J, x["qdd"]) + bias for J, bias in rows]}


def _volumes(chain: Tree, x: Given) -> dict[str, Any]:
    return manipulability.manipulability(chain, x["q"])


def _of_moving_rows(model: ModelEntry, chain: Tree) -> ModelEntry:
    """Of an arm in numbers, without the rows in which it never moves."""
    rows = manipulability.moving_rows(chain)
    return replace(model, methods={"gram": lambda c, x: manipulability.manipulability(c, x["q"], rows)})


OF_FRAMES = (
    ModelEntry(
        "axes", "pose of every joint's own frame; it moves about or along +z", ("q",), {"T": ("1, m", "joints 1…n")},
        {"forward": lambda c, x: {"T": [at.rows() for at in pose.axes(c, x["q"])]}}, FRAMES, trees=("forward",),
    ),
    ModelEntry(
        "tool_velocity", "velocity of the tool, J·q̇, world axes", ("q", "qd"),
        {"v": ("m/s, rad/s", "linear, then angular")}, {"columns": _velocity}, TOOL, trees=("columns",),
    ),
    ModelEntry(
        "tool_acceleration", "acceleration of the tool, J·q̈ + J̇·q̇, world axes", ("q", "qd", "qdd"),
        {"a": ("m/s², rad/s²", "linear, then angular")},
        {"columns": _acceleration, "summed": _acceleration_summed}, TOOL, candidates=("summed",),
        trees=("columns", "summed"),
    ),
    ModelEntry(
        "manipulability", "how far the tool is from losing a freedom, √det(J·Jᵀ), of rows in which it moves", ("q",),
        {
            "w": ("mixed", "of the whole Jacobian"), "translation": ("m³, m² or m", "of the tool's position"),
            "rotation": ("1", "of its orientation"),
        },
        {"gram": _volumes}, TOOL, planned=_of_moving_rows, trees=("gram",),
    ),
    ModelEntry(
        "centre_of_mass", "centre of mass of the whole arm with its load, world axes", ("q",),
        {"com": ("m", "position")},
        {"first-moments": lambda c, x: {"com": centre.centre_of_mass(c, x["q"])}}, ENERGY, trees=("first-moments",),
        wants="a link with a mass",
    ),
    ModelEntry(
        "centre_of_mass_jacobian", "velocity of the centre of mass per joint velocity, world axes", ("q",),
        {"J": ("m/rad or 1", "3×n")},
        {"first-moments": lambda c, x: {"J": centre.centre_of_mass_jacobian(c, x["q"])}}, ENERGY,
        trees=("first-moments",), wants="a link with a mass",
    ),
)  # fmt: skip
