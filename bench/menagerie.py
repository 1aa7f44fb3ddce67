"""MuJoCo files beside MuJoCo: python bench/menagerie.py FOLDER

Every file below the folder that is a model of its own (no scene, no part of one) and has no free joint is loaded, and
its inertia matrix, torques and poses are compared with MuJoCo's at random states. MuJoCo gets the same file without
meshes: their masses are what we do not compute. Springs, gravcomp and contacts, which we warn of, are left out there.
"""

from __future__ import annotations

import sys
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import manipula as mp
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.formats.mjcf.settings import paste_includes, xml_from_text
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS

Array = Any
STATES = 3
LOOKS = ("mesh", "hfield")
APART = ("asset", "contact", "sensor", "keyframe", "skin", "deformable", "visual", "statistic")


def whole(path: Path) -> ET.Element:
    """The file with what it includes; joints without a name have one, so that both sides call them the same."""
    root = xml_from_text(path.read_text(encoding="utf-8"))
    paste_includes(root, str(path))
    for number, joint in enumerate(root.iterfind(".//worldbody//joint")):
        joint.attrib.setdefault("name", f"unnamed_{number}")
    return root


def is_look(geom: ET.Element) -> bool:
    return geom.get("type") in LOOKS or any(key in geom.attrib for key in LOOKS)


def without_meshes(root: ET.Element) -> str:
    """The text for MuJoCo: no assets, and of geoms those that need none."""
    for outer in list(root.iter()):
        for child in list(outer):
            if child.tag in APART or (child.tag == "geom" and outer.tag != "default" and is_look(child)):
                outer.remove(child)
    for element in root.iter():
        for key in ("material", "texture"):
            element.attrib.pop(key, None)
        if element.tag == "geom" and element.get("type") == "mesh":
            del element.attrib["type"]
    return ET.tostring(root, encoding="unicode")


def fall_apart(root: ET.Element) -> str:
    """Why a file is not compared; "" where it is."""
    if root.tag != "mujoco" or root.find("worldbody") is None or root.find(".//worldbody//body") is None:
        return "no bodies"
    if root.find(".//worldbody//freejoint") is not None or root.find(".//joint[@type='free']") is not None:
        return "a free joint"
    return ""


def compared(robot: mp.Robot, text: str) -> tuple[float, float, float]:
    """The largest relative differences of M, torques and poses."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, tree = mujoco.MjData(model), merge_fixed(bind(robot, FLOATS, {}))
    C = np.array([tree.coordinates.spread(list(row)) for row in np.eye(robot.dof)], dtype=float).T
    moving = [joint for joint in robot.joints if joint.kind != "fixed"]
    rows = [k for k, joint in enumerate(moving) if joint.link]  # not those of tendons
    places = [model.joint(moving[k].name).dofadr[0] for k in rows]
    constants = [float(moving[k].coordinate.constant) if moving[k].coordinate else 0.0 for k in rows]
    S = np.zeros((model.nv, robot.dof))
    S[places] = C[rows]
    worst = np.zeros(3)
    for seed in range(STATES):
        q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, robot.dof))
        data.qpos[places], data.qvel[:] = C[rows] @ q + constants, S @ qd
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        resisting = data.qfrc_passive - data.qfrc_spring - data.qfrc_gravcomp
        rubbing = model.dof_frictionloss * np.sign(data.qvel) + tendon_friction(model, data)
        there = S.T @ (M @ (S @ qdd) + data.qfrc_bias - resisting + rubbing)
        found = C.T @ np.array(inverse_dynamics(tree, *((C @ x).tolist() for x in (q, qd, qdd))), dtype=float)
        own = C.T @ np.array(inertia_matrix(tree, (C @ q).tolist()), dtype=float) @ C
        worst = np.maximum(worst, (apart(own, S.T @ M @ S), apart(found, there), poses_apart(robot, tree, C @ q, data)))
    return float(worst[0]), float(worst[1]), float(worst[2])


def tendon_friction(model: Any, data: Any) -> Array:
    found = np.zeros(model.nv)
    for k in range(model.ntendon):
        if model.tendon_frictionloss[k]:
            row = np.zeros(model.nv)
            first = model.tendon_adr[k]
            for wrap in range(first, first + model.tendon_num[k]):
                row[model.jnt_dofadr[model.wrap_objid[wrap]]] += model.wrap_prm[wrap]
            found += row * model.tendon_frictionloss[k] * np.sign(row @ data.qvel)
    return found


def apart(found: Array, there: Array) -> float:
    return float(np.abs(found - there).max() / max(np.abs(there).max(), 1e-300))


def poses_apart(robot: mp.Robot, tree: Any, q: Array, data: Any) -> float:
    names = [joint.link for joint in robot.joints if joint.kind != "fixed"]
    worst = 0.0
    for name, place in zip(names, frames(tree, list(q))):
        try:
            body = data.body(name)
        except KeyError:  # a link between two joints of one body
            continue
        here = np.array(place.rows(), dtype=float)
        worst = max(worst, np.abs(here[:3, 3] - body.xpos).max(), np.abs(here[:3, :3] - body.xmat.reshape(3, 3)).max())
    return worst


def line(path: Path) -> str:
    root = whole(path)
    if why := fall_apart(root):
        return f"- {why}"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        mp.load(path)
        robot = mp.Robot.from_text(ET.tostring(root, encoding="unicode"), "mjcf", exact=True)
    M, tau, pose = compared(robot, without_meshes(root))
    return f"{robot.dof:3} joints  M {M:.1e}  torques {tau:.1e}  poses {pose:.1e}  {len(said)} warnings"


def main(folder: Path) -> None:
    for path in sorted(folder.rglob("*.xml")):
        if not path.stem.startswith("scene"):
            try:
                told = line(path)
            except (mp.ManipulaError, ValueError) as error:
                told = f"- {type(error).__name__}: {str(error).splitlines()[0][:160]}"
            print(f"{path.relative_to(folder).as_posix():45} {told}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
