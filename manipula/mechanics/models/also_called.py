"""What other books and libraries call the models and the laws: words that newcomers try.

They are told as guesses; they are no names.
"""

from __future__ import annotations

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
