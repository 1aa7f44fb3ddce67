"""Robots and recordings that the tests of the studio bring along, as people have them in their folders."""

from __future__ import annotations

from typing import Any

import numpy as np

import manipula as mp

LINKS = """<link name="base"/><link name="upper"><visual><geometry><mesh filename="package://bot/meshes/a.stl"/></geometry>
<material name="blue"><color rgba="0 0.2 0.8 1"/></material></visual></link>
<link name="fore"><visual><geometry><mesh filename="meshes/b.dae"/></geometry></visual></link>
<link name="hand"><visual><geometry><mesh filename="../../secret.stl"/></geometry></visual></link>"""
JOINTS = "".join(
    f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 {z}"/>'
    '<axis xyz="0 1 0"/></joint>'
    for name, parent, child, z in (("a", "base", "upper", 0.2), ("b", "upper", "fore", 1), ("c", "fore", "hand", 0.6))
)
URDF = f'<robot name="bot">{LINKS}{JOINTS}</robot>'

SCREWS = """format = 1\nname = "screws"\nconvention = "standard"\nangle = "deg"\nlength = "m"\n""" + "".join(
    f'[[joint]]\nname = "{name}"\ntype = "{kind}"\ntheta = 0\nd = 0.1\na = 0.3\nalpha = {alpha}\n{more}'
    for name, kind, alpha, more in (("a", "revolute", 30, ""), ("b", "helical", 0, "pitch = 0.02\n"))
)

NARROW = """format = 1\nname = "narrow"\nconvention = "standard"\nangle = "rad"\nlength = "m"\n""" + "".join(
    f'[[joint]]\nname = "{name}"\ntype = "revolute"\ntheta = 0\nd = 0\na = 0.4\nalpha = 0\n{more}'
    for name, more in (("a", ""), ("b", "limits = [0, 2]\n"))
)


def recorded(robot: Any, pace: float) -> mp.Log:
    t, k = np.arange(0, 5, 0.01)[:, None], pace * np.array([2.0, 3.1])
    q, qd = np.sin(k * t) + 0.3 * np.sin(2.3 * k * t), k * np.cos(k * t) + 0.69 * k * np.cos(2.3 * k * t)
    qdd = -k * k * (np.sin(k * t) + 1.587 * np.sin(2.3 * k * t))
    tau = mp.Arm(robot).inverse_dynamics(q, qd, qdd) + np.random.default_rng(1).normal(0, 0.05, q.shape)
    return mp.Log(t[:, 0], q, tau)
