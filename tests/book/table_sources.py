"""Printed tables behind library robots: Denavit-Hartenberg rows and inertial numbers, as read in their sources."""

from __future__ import annotations

from math import pi

QUARTER = pi / 2
# name: (theta, d, a, alpha) of standard DH; R, P per joint
TABLES: dict[str, tuple[str, list[tuple[float, float, float, float]]]] = {
    # roboticstoolbox-python 1.5.0, models/DH
    "puma560": ("RRRRRR", [
        (0, 26.45 * 0.0254, 0, QUARTER), (0, 0, 0.4318, 0), (0, 0.15005, 0.0203, -QUARTER),
        (0, 0.4318, 0, QUARTER), (0, 0, 0, -QUARTER), (0, 0, 0, 0)]),
    "cobra600": ("RRPR", [(0, 0.387, 0.325, 0), (0, 0, 0.275, pi), (0, 0, 0, 0), (0, 0, 0, 0)]),
    "irb140": ("RRRRRR", [
        (0, 0.352, 0.07, -QUARTER), (0, 0, 0.36, 0), (0, 0, 0, -QUARTER),
        (0, 0.38, 0, QUARTER), (0, 0, 0, -QUARTER), (0, 0.065, 0, 0)]),
    "lwr4": ("RRRRRRR", [
        (0, 0, 0, QUARTER), (0, 0, 0, -QUARTER), (0, 0.4, 0, -QUARTER), (0, 0, 0, QUARTER),
        (0, 0.39, 0, QUARTER), (0, 0, 0, -QUARTER), (0, 0, 0, 0)]),
    "sawyer": ("RRRRRRR", [
        (0, 0.317, 0.081, -QUARTER), (0, 0.1925, 0, -QUARTER), (0, 0.4, 0, -QUARTER), (0, 0.1685, 0, -QUARTER),
        (0, 0.4, 0, -QUARTER), (0, 0.1363, 0, -QUARTER), (0, 0.13375, 0, 0)]),
    # Robotics Toolbox for MATLAB, mdl_stanford.m
    "stanford": ("RRPRRR", [
        (0, 0.412, 0, -QUARTER), (0, 0.154, 0, QUARTER), (-QUARTER, 0, 0, 0),
        (0, 0, 0, -QUARTER), (0, 0, 0, QUARTER), (0, 0.263, 0, 0)]),
    # PUC-Rio dissertation, table 4
    "pucrio": ("RRRRRR", [
        (0, 0, 0.10, QUARTER), (0, 0, 0.25, 0), (0, 0, 0, QUARTER),
        (0, 0.16, 0, -QUARTER), (0, 0, 0, QUARTER), (0, 0.05, 0, 0)]),
}  # fmt: skip
# d1, a2, a3, d4, d5, d6: Universal Robots, Parameters for calculations of kinematics and dynamics
UNIVERSAL = {
    "ur3": (0.1519, -0.24365, -0.21325, 0.11235, 0.08535, 0.0819),
    "ur5": (0.089159, -0.425, -0.39225, 0.10915, 0.09465, 0.0823),
    "ur10": (0.1273, -0.612, -0.5723, 0.163941, 0.1157, 0.0922),
    "ur3e": (0.15185, -0.24355, -0.2132, 0.13105, 0.08535, 0.0921),
    "ur5e": (0.1625, -0.425, -0.3922, 0.1333, 0.0997, 0.0996),
    "ur10e": (0.1807, -0.6127, -0.57155, 0.17415, 0.11985, 0.11655),
}
for _name, (_d1, _a2, _a3, _d4, _d5, _d6) in UNIVERSAL.items():
    TABLES[_name] = ("RRRRRR", [
        (0, _d1, 0, QUARTER), (0, 0, _a2, 0), (0, 0, _a3, 0),
        (0, _d4, 0, QUARTER), (0, _d5, 0, -QUARTER), (0, _d6, 0, 0)])  # fmt: skip

# mass, centre of mass, (xx, yy, zz, xy, xz, yz) about it, in the DH link frame
BODIES: dict[str, list[tuple[float, tuple[float, float, float], tuple[float, ...]]]] = {
    # roboticstoolbox-python 1.5.0, models/DH/Puma560.py
    "puma560": [
        (0, (0, 0, 0), (0, 0.35, 0, 0, 0, 0)),
        (17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539, 0, 0, 0)),
        (4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125, 0, 0, 0)),
        (0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3, 0, 0, 0)),
        (0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3, 0, 0, 0)),
        (0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3, 0, 0, 0)),
    ],
    # PUC-Rio dissertation, 6.56-6.73; of 6.63 the upper triangle
    "pucrio": [
        (12.1, (-0.027228, -0.047041, 0.041620), (0.1314, 0.1314, 0.0727, -0.0178, 0.0143, -0.0250)),
        (21.7, (-0.338365, 0.000378, -0.132453), (0.0626, 0.5190, 0.5418, 0.0028, -0.0050, -0.0002)),
        (3.69, (0.001933, -0.031652, -0.113306), (0.0222, 0.0196, 0.0059, 0.0002, 0, 0.0058)),
        (4.02, (-0.000103, 0.119374, 0.000103), (0.0281, 0.0044, 0.0260, 0, 0, 0)),
        (0.203, (0, 0.000257, 0.004616), (0.00010, 0.00012, 0.00011, 0, 0, 0)),
        (0.369, (0, 0, 0.012196), (0.00011, 0.00011, 0.00017, 0, 0, 0)),
    ],
    # Universal Robots, article 45257 (centres of mass); Universal_Robots_ROS2_Description, config/ur10e
    "ur10e": [
        (7.369, (0.021, 0, 0.027), (0.03408, 0.03529, 0.02156, 0.00002, -0.00425, 0.00008)),
        (13.051, (0.38, 0, 0.158), (0.02814, 0.77068, 0.76943, 0.00005, -0.01561, 0.00002)),
        (3.989, (0.24, 0, 0.068), (0.01014, 0.30928, 0.30646, 0.00008, 0.00916, 0)),
        (2.1, (0, 0.007, 0.018), (0.00296, 0.00222, 0.00258, -0.00001, 0, -0.00024)),
        (1.98, (0, 0.007, 0.018), (0.00296, 0.00222, 0.00258, -0.00001, 0, -0.00024)),
        (0.615, (0, 0, -0.026), (0.0004, 0.00041, 0.00034, 0, 0, 0)),
    ],
}
