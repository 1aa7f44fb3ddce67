"""The vocabulary of URDF: what is read, and what changes no model.

Source: the XML schema of urdfdom, the ROS wiki (urdf/XML), and what simulators put beside it.
"""

from __future__ import annotations

from manipula.mechanics.robot.formats.vocabulary import Element

LOOPS = ("constraint", "loop_joint")  # which would close a loop
WORDS: dict[str, Element | None] = {
    "robot": Element("name", "version type"),
    "link": Element("name", "type"),
    "inertial": Element(),
    "origin": Element("xyz rpy quat_xyzw"),  # the last is refused
    "mass": Element("value"),
    "inertia": Element("ixx ixy ixz iyy iyz izz"),
    "joint": Element("name type", "dont_collapse"),
    "parent": Element("link"),
    "child": Element("link"),
    "axis": Element("xyz"),
    "limit": Element("lower upper effort velocity", "acceleration deceleration jerk"),
    "dynamics": Element("damping friction"),
    "mimic": Element("joint multiplier offset"),
    **dict.fromkeys(("visual", "collision", "material", "calibration", "safety_controller", *LOOPS)),
    **dict.fromkeys(("gazebo", "transmission", "sensor", "ros2_control", "mujoco", "plugin", "contact")),
    **dict.fromkeys(("self_collision_checking", "collision_checking", "disable_collisions", "verbose")),
}
