"""What an entry of the catalogue is: a model's inputs, outputs, methods, and what they need of a reduction.

A method is a function (chain, given) → {output: nested sequences of scalars}; `given` maps the input names to
sequences. The first method of a model is its plain text, against which every other is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from manipula.mechanics.robot.tree import Tree

Given = Mapping[str, Sequence[Any]]
Outputs = dict[str, Any]  # name → nested sequences of scalars
Method = Callable[[Tree, Given], Outputs]
FieldMethod = Callable[..., Outputs]  # (chain, given, what `acceleration_field` may choose of each link)
FIELD = "acceleration-field"  # the one method whose recursion has choices of its own
AUTOMATIC = "automatic"  # differentiates what another model's function has become by that method and all passes
RUNS, APART = "composite-runs", "merged-apart"
MOVING, ANALYTIC = "moving-bodies", "analytic"
BODIES = (MOVING, ANALYTIC)  # methods of `moving_bodies`
ON_JOINTS = (FIELD, RUNS, AUTOMATIC, APART, *BODIES)  # methods that want every link frame on its joint

TORQUES = frozenset({"torques"})
ENERGY = frozenset({"energy"})
FRAMES = frozenset({"frames"})
TOOL = frozenset({"tool"})


@dataclass(frozen=True)
class ModelEntry:
    """One entry. `outputs`: name → (unit, meaning). `needs`: what a reduction must preserve.

    `candidates` are the methods that "best" tries; none named means the first. A search for the fewest operations tries
    the `further` ones too, which pay for them with sines. `field`, where there is one, is the
    method "acceleration-field"; it wants its frames on the joints. `differentiates` names the model, with such a
    method, whose derivative this one is. `planned` completes an entry that depends on the arm, from the arm in numbers;
    `inverts` does so from the class of its inverse kinematics. `columns` names the columns of a regressor; of the
    ports named in `ranked` only those that are independent stay, and an input of size "base" is of these. `trees` are
    the methods that are right on robots that branch; whoever is not named there wants a serial arm. The plain method is
    always named. `wants` says what an arm must have for the model to exist, where that is more than inertia. `floating`
    is the file of `models/floating` with the model's form on a base that moves; without one it wants a fixed base.
    A `framed` model is about several frames, which a request names.
    """

    name: str
    doc: str
    inputs: tuple[str, ...]
    outputs: Mapping[str, tuple[str, str]]
    methods: Mapping[str, Method]
    needs: frozenset[str]
    takes_wrench: bool = False
    field: FieldMethod | None = None
    candidates: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    differentiates: str = ""
    planned: Callable[[ModelEntry, Tree], ModelEntry] | None = None
    inverts: Callable[..., ModelEntry] | None = None  # (entry, plan)
    columns: Callable[[Tree], list[str]] | None = None
    ranked: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    wants: str = ""
    floating: str = ""
    framed: bool = False

    @property
    def method_names(self) -> list[str]:
        """All of them, the plain one first."""
        field, automatic = [FIELD] if self.field else [], [AUTOMATIC] if self.differentiates else []
        return [*self.methods, *field, *automatic]

    def structure(self, method: str) -> Literal["tree", "chain"]:
        """What a method can be asked of; a pose's bracketing runs on the road to the tool, like all its ways."""
        return "tree" if method in self.trees or method not in self.method_names else "chain"


# What other books and libraries call the models and the laws: words that newcomers try.
#
# They are told as guesses; they are no names.

ALSO_CALLED = {
    "forward_kinematics": "pose", "direct_kinematics": "pose", "fk": "pose", "fkine": "pose", "t06": "pose",
    "ik": "inverse_kinematics", "ikine": "inverse_kinematics",
    "j": "jacobian", "jacob0": "jacobian", "geometric_jacobian": "jacobian", "jacobe": "jacobian_tool",
    "body_jacobian": "jacobian_tool",
    "id": "inverse_dynamics", "rnea": "inverse_dynamics", "rne": "inverse_dynamics", "torque": "inverse_dynamics",
    "torques": "inverse_dynamics", "tau": "inverse_dynamics", "dynamics": "inverse_dynamics",
    "fd": "forward_dynamics", "aba": "forward_dynamics", "direct_dynamics": "forward_dynamics",
    "m": "inertia_matrix", "mass_matrix": "inertia_matrix", "crba": "inertia_matrix", "mass": "inertia_matrix",
    "inertia": "inertia_matrix", "d": "inertia_matrix", "h": "inertia_matrix",
    "c": "coriolis_matrix", "centrifugal": "coriolis",
    "g": "gravity", "gravload": "gravity", "gravity_vector": "gravity", "gravity_torque": "gravity",
    "kinetic_energy": "energy", "potential_energy": "energy", "lagrangian": "energy",
    "lagrange": "lagrange_terms", "euler_lagrange": "lagrange_terms",
    "y": "regressor", "base_parameters": "base_regressor",
    "rotation": "orientation", "euler_angles": "orientation", "rpy": "orientation", "quaternion": "orientation",
}  # fmt: skip

LAWS_ALSO_CALLED = {
    "pd": "pd_gravity", "pd+": "pd_gravity", "pd_plus_gravity": "pd_gravity",
    "ctc": "computed_torque", "inverse_dynamics_control": "computed_torque",
    "feedback_linearization": "computed_torque",
    "feedback_linearisation": "computed_torque", "inverse_dynamics": "computed_torque",
    "smc": "sliding", "sliding_mode": "sliding", "osc": "operational_space", "khatib": "operational_space",
    "rac": "resolved_acceleration", "stiffness": "impedance", "cartesian_impedance": "impedance",
    "adaptive": "slotine_li", "observer": "momentum_observer",
}  # fmt: skip
