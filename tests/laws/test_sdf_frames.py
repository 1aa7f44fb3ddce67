"""One robot by an SDF in many ways: poses and axes seen from anywhere, in degrees, in a turned model. All are the robot
that a URDF describes link by link."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.errors import ManipulaWarning

Pose = NDArray[np.float64]  # 4 × 4
INERTIA = (0.021, 0.023, 0.026, 0.001, -0.002, 0.003)  # xx yy zz xy xz yz
PAIRS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def drawn_pose(rng: np.random.Generator) -> Pose:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_rotvec(rng.uniform(-1, 1, 3)).as_matrix(), rng.uniform(-0.5, 0.5, 3)
    return T


def numbers(T: Pose, degrees: bool = False) -> str:
    rpy = Rotation.from_matrix(T[:3, :3]).as_euler("xyz", degrees=degrees)
    return " ".join(repr(float(x)) for x in (*T[:3, 3], *rpy))


class Drawn:
    """Poses of a base, two links and their joints in the model; axes in the joints' frames; the model in the world."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.model, self.base, *self.links = (drawn_pose(rng) for _ in range(4))
        self.joints = [drawn_pose(rng) for _ in self.links]
        self.axes = [np.round(rng.uniform(-1, 1, 3), 3) for _ in self.links]
        self.held = int(rng.integers(2))  # whether a joint holds the base to the world

    def urdf(self) -> mp.Robot:
        """The link's frame turns about an axis through the joint: a frame there between two fixed joints."""
        text, on = "<robot name='r'><link name='world'/>", "world"
        before = np.linalg.inv(self.model)
        for name, T, joint, axis in (("base", self.base, None, None), *zip("ab", self.links, self.joints, self.axes)):
            if joint is not None:
                turned = Rotation.align_vectors([axis / np.linalg.norm(axis)], [[0, 0, 1]])[0].as_matrix()
                there = joint.copy()
                there[:3, :3] = there[:3, :3] @ turned
                text += f"<link name='{name}_axis'/>" + _urdf_joint(f"j{name}", "continuous", on, f"{name}_axis",
                                                                     np.linalg.inv(before) @ there)  # fmt: skip
                on, before = f"{name}_axis", there
            text += (
                f"<link name='{name}'><inertial><origin xyz='.1 .2 .3' rpy='.1 .2 .3'/><mass value='1.5'/>"
                f"<inertia {' '.join(f'{k}={chr(34)}{x}{chr(34)}' for k, x in zip(PAIRS, INERTIA))}/></inertial></link>"
            )
            text += _urdf_joint(f"f{name}", "fixed", on, name, np.linalg.inv(before) @ T)
            on, before = name, T
        return mp.Robot.from_text(text + "</robot>", "urdf", exact=True)

    def sdf(self, way: str) -> mp.Robot:
        degrees = way == "degrees"
        frames = {"base": self.base, "a": self.links[0], "b": self.links[1], "": np.eye(4)}

        def pose(T: Pose, on: str) -> str:
            given = " relative_to='__model__'" if on == "model" else f" relative_to='{on}'" if on else ""
            given += " degrees='true'" if degrees else ""
            return f"<pose{given}>{numbers(np.linalg.inv(frames.get(on, np.eye(4))) @ T, degrees)}</pose>"

        text = (
            f"<sdf version='1.{4 if way == 'old' else 11}'><world name='w'><gravity>0 0 -9.81</gravity><model name='r'>"
        )
        text += f"<pose>{numbers(self.model)}</pose>"
        inertia = "".join(f"<{k}>{x}</{k}>" for k, x in zip(PAIRS, INERTIA))
        for name, on in (("base", ""), ("a", "base"), ("b", "a")):
            text += (
                f"<link name='{name}'>{pose(frames[name], on if way == 'relative' else '')}"
                "<inertial><pose>.1 .2 .3 .1 .2 .3</pose><mass>1.5</mass>"
                f"<inertia>{inertia}</inertia></inertial></link>"
            )
        if self.held:
            text += "<joint name='h' type='fixed'><parent>world</parent><child>base</child></joint>"
        for name, on, joint, axis in zip("ab", ("base", "a"), self.joints, self.axes):
            here = np.linalg.inv(frames[name]) @ joint
            where = pose(joint, "model") if way == "relative" else f"<pose>{numbers(here)}</pose>"
            if way == "frames":
                text += f"<frame name='at_{name}' attached_to='{name}'><pose>{numbers(here)}</pose></frame>"
                where = f"<pose relative_to='at_{name}'/>"
            seen = ""
            if way in ("relative", "old", "degrees"):
                axis, seen = joint[:3, :3] @ axis, "" if way == "old" else " expressed_in='__model__'"
            child = f"at_{name}" if way == "frames" else name
            text += (
                f"<joint name='j{name}' type='revolute'>{where}<parent>{on}</parent><child>{child}</child><axis>"
                f"<xyz{seen}>{' '.join(repr(float(x)) for x in axis)}</xyz></axis></joint>"
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            return mp.Robot.from_text(text + "</model></world></sdf>", "sdf", exact=True)


def _urdf_joint(name: str, kind: str, parent: str, child: str, T: Pose) -> str:
    xyz, rpy = numbers(T).split()[:3], numbers(T).split()[3:]
    return (
        f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>"
        f"<origin xyz='{' '.join(xyz)}' rpy='{' '.join(rpy)}'/><axis xyz='0 0 1'/></joint>"
    )


@pytest.mark.parametrize("way", ["plain", "relative", "degrees", "frames", "old"])
@pytest.mark.parametrize("seed", range(3))
def test_poses_and_axes_mean_the_same_from_anywhere(way: str, seed: int) -> None:
    drawn = Drawn(seed)
    wanted, found = (mp.Arm(x, optimise="none") for x in (drawn.urdf(), drawn.sdf(way)))
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, 2))
    np.testing.assert_allclose(found.pose(q), wanted.pose(q), atol=1e-12)
    np.testing.assert_allclose(found.inverse_dynamics(q, qd, qdd), wanted.inverse_dynamics(q, qd, qdd), atol=1e-10)
