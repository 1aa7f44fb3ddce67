"""Robots whose base moves beside Pinocchio's free-flyer: operations, agreement, contacts, a flight of ten seconds.

    python bench/trees.py [FOLDER] [NAME …]      FOLDER: robots of example-robot-data, if that package is not installed

Every line is measured in this run. Agreement is the largest difference over the largest entry, at random states; that
of accelerations is divided by the condition of M. Operations are × and + of the functions that `optimise="fast"` finds.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import manipula as mp
from manipula.simulation.states import BaseState

Array = Any

ROBOTS = {
    "solo12": "solo_description/robots/solo12.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "a1": "a1_description/urdf/a1.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "anymal c": "anymal_c_simple_description/urdf/anymal.urdf",
    "b1": "b1_description/urdf/b1.urdf",
    "go1": "go1_description/urdf/go1.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "solo": "solo_description/robots/solo.urdf",
    "borinot": "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "anymal kinova": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "b1 z1": "b1_description/urdf/b1-z1.urdf",
    "alexander": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
    "alex": "alex_description/urdf/alex_nub_hands.urdf",
    "human": "human_description/robots/human.urdf",
    "icub": "icub_description/robots/icub_reduced.urdf",
    "romeo": "romeo_description/urdf/romeo_small.urdf",
    "simple humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}
WANTED = {"solo12": (1120, 690), "hyq": (1290, 800), "anymal": (1390, 905)}  # inverse dynamics, momentum
FIXED = {"solo12": 356, "anymal": 436, "allegro": 775}  # inverse dynamics on a base that stands still
ALLEGRO = "allegro_hand_description/urdf/allegro_left_hand.urdf"
STATES = 20
MANY = 18  # joints: of robots with more, models are compared as they are written, and few are counted
STARTS = 10  # of flights


def robots_folder() -> Path:
    """Of the installed package, which holds no Python."""
    spec = find_spec("example_robot_data")
    for root in [Path(spec.origin).parents[4] if spec and spec.origin else Path(sys.prefix), *map(Path, sys.path)]:
        found = root / "cmeel.prefix/share/example-robot-data/robots"
        if found.is_dir():
            return found
    raise SystemExit("example-robot-data is not installed: give the folder of its robots")


def bare_text(path: Path) -> str:
    """Without shapes, with limits that Pinocchio takes; a quarter turn of ten digits has all of them, as we read it."""
    root = ET.fromstring(path.read_bytes())
    for origin in root.iter("origin"):
        if "rpy" in origin.attrib:
            origin.set("rpy", " ".join(repr(whole_quarter(float(x))) for x in origin.attrib["rpy"].split()))
    for limit in root.iter("limit"):
        limit.set("effort", "1000")
        limit.set("velocity", "1000")
    for link in root.iter("link"):
        for tag in ("visual", "collision"):
            for element in link.findall(tag):
                link.remove(element)
    return ET.tostring(root, encoding="unicode")


def whole_quarter(angle: float) -> float:
    quarter = round(angle / (np.pi / 2)) * np.pi / 2
    return float(quarter if abs(angle - quarter) < 1e-4 else angle)


class Beside:
    """One robot in both."""

    def __init__(self, path: Path) -> None:
        text = bare_text(path)
        self.model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        self.model.armature[:] = 0
        self.data = self.model.createData()
        self.robot = mp.Robot.from_text(text, "urdf", base="free").without("friction")
        self.many = self.robot.dof > MANY
        self.arm = mp.Arm(self.robot, optimise="none" if self.many else "fast")
        self.names = list(self.robot.joint_names)
        joints = [self.model.joints[self.model.getJointId(name)] for name in self.names]
        self.order = np.array([*range(6), *(joint.idx_v for joint in joints)])
        self.joints = joints

    def angles(self, Q: Any) -> Any:
        """A continuous joint is a cosine and a sine there."""
        return np.array([np.arctan2(Q[j.idx_q + 1], Q[j.idx_q]) if j.nq == 2 else Q[j.idx_q] for j in self.joints])

    def errors(self) -> dict[str, float]:
        worst: dict[str, float] = {}
        rng = np.random.default_rng(0)
        for _ in range(STATES):
            for name, one, other, size in self.compare(rng):
                error = np.abs(np.asarray(one) - other).max() / max(np.abs(other).max(), 1e-9) / size
                worst[name] = max(worst.get(name, 0.0), float(error))
        return worst

    def compare(self, rng: np.random.Generator) -> Iterator[tuple[str, Any, Any, float]]:
        m, d, arm, order = self.model, self.data, self.arm, self.order
        Q = pin.randomConfiguration(m, -np.ones(m.nq), np.ones(m.nq))
        v, a = rng.normal(size=(2, m.nv))
        q, qd, qdd = self.angles(Q), v[order[6:]], a[order[6:]]
        R = pin.Quaternion(Q[3:7]).matrix()
        T, turn = np.block([[R, Q[:3, None]], [0, 0, 0, 1]]), np.kron(np.eye(2), R)
        v0, w0 = v[:3], v[3:6]
        tau = pin.rnea(m, d, Q, v, a)
        found = arm.inverse_dynamics(q, qd, qdd, base=(w0, a[3:6], a[:3] + np.cross(w0, v0) - R.T @ m.gravity.linear))
        yield "torques, wrench", np.r_[found.base_wrench, found.tau], tau[order], 1.0
        M = pin.crba(m, d, Q)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
        yield "M", arm.inertia_matrix(q), M, 1.0
        yield "gravity", arm.gravity(q, base=R), pin.computeGeneralizedGravity(m, d, Q)[order], 1.0
        yield "momentum", arm.momentum(q, qd, base=(v0, w0)), M @ v[order], 1.0
        centroidal = arm.centroidal_momentum(q, qd, base=(v0, w0))
        pin.computeCentroidalMomentum(m, d, Q, v)
        yield "h", turn @ centroidal.h, d.hg.vector, 1.0
        yield "A", turn @ centroidal.A, pin.ccrba(m, d, Q, v)[:, order], 1.0
        yield "rate of h", turn @ centroidal.bias, pin.dccrba(m, d, Q, v) @ v, 1.0
        yield "com", arm.centre_of_mass(q, base=T), pin.centerOfMass(m, d, Q), 1.0
        push = np.r_[np.zeros(6), tau[6:]]
        moved = arm.forward_dynamics(q, qd, push[order[6:]], base=(R, v0, w0))
        wanted = pin.aba(m, d, Q, v, push)[order]
        yield "accelerations", np.r_[moved.base_acceleration, moved.qdd], wanted, float(np.linalg.cond(M))
        frame = self.robot.link_names[-1]
        f, world = m.getFrameId(frame), pin.LOCAL_WORLD_ALIGNED
        yield "J", arm.jacobian(q, frame, base=R), pin.computeFrameJacobian(m, d, Q, f, world)[:, order], 1.0
        pin.forwardKinematics(m, d, Q, v, 0 * v)
        bias = pin.getFrameClassicalAcceleration(m, d, f, world).vector
        yield "bias of a frame", arm.tool_bias(q, qd, frame=frame, base=(R, v0, w0)), bias, 1.0

    def stance(self, feet: list[str]) -> float:
        """Accelerations and forces of held points, against the whole system solved by numpy from Pinocchio's parts."""
        m, d, order, rng = self.model, self.data, self.order, np.random.default_rng(1)
        Q = pin.randomConfiguration(m, -np.ones(m.nq), np.ones(m.nq))
        v, tau, world = rng.normal(size=m.nv), rng.normal(size=len(self.names)), pin.LOCAL_WORLD_ALIGNED
        M = pin.crba(m, d, Q)
        M = np.triu(M) + np.triu(M, 1).T
        h, ids = pin.nonLinearEffects(m, d, Q, v), [m.getFrameId(foot) for foot in feet]
        J = np.concatenate([pin.computeFrameJacobian(m, d, Q, f, world)[:3] for f in ids])
        pin.forwardKinematics(m, d, Q, v, 0 * v)
        bias = np.concatenate([pin.getFrameClassicalAcceleration(m, d, f, world).linear for f in ids])
        push = np.zeros(m.nv)
        push[order[6:]] = tau
        whole = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
        wanted = np.linalg.solve(whole, np.r_[push - h, -bias])
        base = (pin.Quaternion(Q[3:7]).matrix(), v[:3], v[3:6])
        hold = dict.fromkeys(feet, "point")
        found = self.arm.constrained_dynamics(self.angles(Q), v[order[6:]], tau, hold, base=base)
        ours = np.r_[found.base_acceleration, found.qdd, found.forces]
        return float(np.abs(ours - np.r_[wanted[: m.nv][order], wanted[m.nv :]]).max() / np.abs(wanted).max())

    def flights(self, method: str, seconds: float = 10.0, step: float = 1e-3) -> tuple[Array, Array]:
        """What energy and angular momentum lose, of their own size, without gravity, under which the energy of the fall
        would hide what the motion loses. The robot and its joints turn at a radian a second, without friction; legs
        that fold whirl faster, and the error of a step grows by the fourth power of that."""
        n, lost = len(self.names), []
        loop = mp.closed_loop(self.robot.with_gravity([0, 0, 0]), None, step=step, method=method)
        for seed in range(STARTS):
            rng = np.random.default_rng(seed)
            start = loop.start(q=rng.normal(size=n), qd=rng.normal(size=n), w0=rng.normal(size=3))
            end = loop.run(start, round(seconds / step), np.zeros(n), every=0).state
            (k0, h0), (k1, h1) = (self.kept(BaseState(*x)) for x in (start, end))
            lost.append((abs(k1 - k0) / k0, np.abs(h1 - h0).max() / np.abs(h0).max()))
        energy, momentum = np.sort(np.array(lost), axis=0).T
        return energy, momentum

    def kept(self, x: BaseState) -> tuple[float, Any]:
        energy = self.arm.energy(x.q, x.qd, base=(x.T0, x.v0, x.w0))
        h = self.arm.centroidal_momentum(x.q, x.qd, base=(x.v0, x.w0)).h
        return float(energy.kinetic), x.R0 @ h[3:]


def operations(robot: mp.Robot, model: str) -> int:
    return mp.generate(robot, model).cost.total


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("names", nargs="*", default=list(ROBOTS))
    asked = parser.parse_args()
    folder = asked.folder or robots_folder()
    for name in (name for name in FIXED if name in asked.names or name == "allegro"):
        robot_on_stand = mp.Robot.from_text(bare_text(folder / ROBOTS.get(name, ALLEGRO)), "urdf")
        print(f"{name} on a stand: inverse_dynamics {operations(robot_on_stand, 'inverse_dynamics')} (≤ {FIXED[name]})")
    for name in asked.names:
        start = time.perf_counter()
        robot = Beside(folder / ROBOTS[name])
        errors = robot.errors()
        models = ("inverse_dynamics", "momentum", "inertia_matrix", "forward_dynamics", "centroidal_momentum")
        models = models[:2] if robot.many else models
        counts = {model: operations(robot.robot, model) for model in models}
        limits = dict(zip(models, WANTED.get(name, ())))
        shown = (f"{x} {n}" + (f" (≤ {limits[x]})" if x in limits else "") for x, n in counts.items())
        print(f"{name}, {len(robot.names)} joints: {', '.join(shown)}")
        print("  against the free-flyer: " + ", ".join(f"{what} {error:.0e}" for what, error in errors.items()))
        if name == "solo12":
            feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]
            print("  held feet: " + ", ".join(f"{n}: {robot.stance(feet[:n]):.0e}" for n in (4, 3, 2)))
            for method in ("rk4", "rk8"):
                lost = [f"{x[0]:.0e} … {np.median(x):.0e} … {x[-1]:.0e}" for x in robot.flights(method)]
                print(
                    f"  ten seconds in flight, {method}, least, median and most of {STARTS} starts: "
                    "energy {}, angular momentum {}".format(*lost)
                )
        print(f"  {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
