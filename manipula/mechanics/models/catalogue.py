"""The models a user can ask for, each loaded with its algorithm: an entry stands at the foot of the file it is about.

A file of models lists its entries as `ENTRIES`; `python -m tests.units.test_arm` writes the index below, and what type
checkers know of `Arm`, from all of them. A model of a user's own is registered: `MODELS.register(ModelEntry(…))`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from manipula.errors import InputError
from manipula.mechanics.models.entry import ModelEntry

ROOM = "manipula.mechanics.models"

# model → the file whose foot has its entry, in the order in which models are listed
HOMES = {
    "pose": "kinematics.pose_ways",
    "frames": "kinematics.pose",
    "transforms": "kinematics.pose",
    "orientation": "kinematics.orientation",
    "jacobian": "kinematics.jacobian",
    "jacobian_tool": "kinematics.jacobian",
    "jacobian_dot": "kinematics.jacobian",
    "axes": "kinematics.pose",
    "tool_velocity": "kinematics.jacobian",
    "tool_acceleration": "kinematics.jacobian",
    "manipulability": "kinematics.jacobian",
    "centre_of_mass": "dynamics.energy",
    "centre_of_mass_jacobian": "dynamics.energy",
    "inverse_dynamics": "lagrange.jacobian_dynamics",
    "newton_euler": "dynamics.torque",
    "lagrange_terms": "lagrange.terms",
    "inertia_matrix": "lagrange.jacobian_dynamics",
    "inertia_matrix_inverse": "dynamics.inertia_inverse",
    "coriolis": "dynamics.torque",
    "coriolis_matrix": "derivatives.analytic",
    "gravity": "dynamics.torque",
    "forward_dynamics": "dynamics.articulated_bodies",
    "inverse_dynamics_smooth": "dynamics.torque",
    "friction": "dynamics.torque",
    "tool_bias": "kinematics.jacobian",
    "momentum": "lagrange.momentum",
    "friction_parts": "dynamics.friction",
    "inverse_dynamics_derivatives": "derivatives.products",
    "forward_dynamics_derivatives": "derivatives.products",
    "inverse_dynamics_jvp": "derivatives.products",
    "inverse_dynamics_vjp": "derivatives.products",
    "forward_dynamics_jvp": "derivatives.products",
    "forward_dynamics_vjp": "derivatives.products",
    "operational_mobility": "dynamics.inertia_inverse",
    "operational_inertia": "dynamics.inertia_inverse",
    "energy": "dynamics.energy",
    "energy_regressor": "linear.regressor_carried",
    "joint_wrenches": "dynamics.torque",
    "regressor": "linear.regressor_carried",
    "base_regressor": "linear.base_regressor",
    "regressor_vjp": "linear.regressor_carried",
    "base_regressor_vjp": "linear.base_regressor",
    "two_velocity_dynamics": "linear.two_velocity",
    "two_velocity_regressor": "linear.two_velocity",
    "two_velocity_products": "linear.two_velocity",
    "base_inertia_matrix": "linear.two_velocity",
    "loaded_dynamics": "linear.two_velocity",
    "inverse_kinematics": "inverse.classify",
    "joint_motion": "closure.closed_models",
    "centroidal_momentum": "floating.centroidal",
    "closure": "closure.closed_models",
}


# models about several frames, which a request names: they are looked up, and not listed
FRAMED = dict.fromkeys(("frame_jacobians", "frame_biases", "constrained_dynamics"), "floating.frames")

# as the chapters of a textbook have them: the group of a model is the one that lists it
GROUPS = {
    "kinematics": (
        "pose", "frames", "transforms", "orientation", "axes", "inverse_kinematics", "jacobian", "jacobian_tool",
        "jacobian_dot", "tool_velocity", "tool_acceleration", "tool_bias", "manipulability", "joint_motion", "closure",
    ),
    "statics": ("gravity", "centre_of_mass", "centre_of_mass_jacobian", "joint_wrenches"),
    "dynamics": (
        "inverse_dynamics", "forward_dynamics", "newton_euler", "lagrange_terms", "inertia_matrix",
        "inertia_matrix_inverse", "coriolis", "coriolis_matrix", "energy", "momentum", "centroidal_momentum",
        "friction", "friction_parts", "inverse_dynamics_smooth", "inverse_dynamics_derivatives",
        "forward_dynamics_derivatives", "inverse_dynamics_jvp", "inverse_dynamics_vjp", "forward_dynamics_jvp",
        "forward_dynamics_vjp",
    ),
    "identification": (
        "regressor", "base_regressor", "energy_regressor", "regressor_vjp", "base_regressor_vjp", "base_inertia_matrix",
    ),
    "control": (
        "two_velocity_dynamics", "two_velocity_regressor", "two_velocity_products", "loaded_dynamics",
        "operational_inertia", "operational_mobility",
    ),
}  # fmt: skip


class ModelCatalogue(Mapping[str, ModelEntry]):
    """Entries by name. An algorithm is imported when its model is looked up: most programs use two or three."""

    def __init__(self, homes: Mapping[str, str], framed: Mapping[str, str] = FRAMED) -> None:
        self._homes, self._framed = dict(homes), framed
        self._entries: dict[str, ModelEntry] = {}

    def __getitem__(self, name: str) -> ModelEntry:
        if name not in self._entries:
            home = self._framed[name] if name in self._framed else self._homes[name]
            self._entries |= {entry.name: entry for entry in entries_of(home)}
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._homes or name in self._framed

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def register(self, entry: ModelEntry) -> None:
        """A further model, from now on: proved, compiled and a method of `Arm` like any other."""
        if entry.name in self._homes:
            raise InputError("model {name!r}: the catalogue has one of this name already", entry.name)
        self._homes[entry.name], self._entries[entry.name] = "", entry


def entries_of(home: str) -> tuple[ModelEntry, ...]:
    room = import_module(f"{ROOM}.{home}")
    entries: tuple[ModelEntry, ...] = room.ABOUT_FRAMES if home in FRAMED.values() else room.ENTRIES
    return entries


MODELS = ModelCatalogue(HOMES)
