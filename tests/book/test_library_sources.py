"""The library against its sources: literal numbers as printed there, and the closed forms of the books."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import cos, sin
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from manipula.errors import ManipulaWarning
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot import library
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.parameter import float_of
from manipula.mechanics.spatial.floats import FLOATS
from tests.book.table_sources import BODIES, TABLES
from tests.book.test_book_arms import ARMS as BOOK_ARMS
from tests.book.urdf_sources import URDF_ARMS

FloatArray = NDArray[Any]
RNG = np.random.default_rng(560)


def load(name: str) -> RobotDescription:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        return robot_from_toml(library.text_of(name), f"{name}.toml")


def chain_of(name: str, **values: float) -> Tree:
    """The robot over floats; names without a value given here are 0.37, any value will do."""
    robot = load(name)
    return bind(robot, FLOATS, {free: values.get(free, 0.37) for free in robot.names()})


def poses(chain: Tree, q: Sequence[float]) -> list[FloatArray]:
    return [np.array(place.rows(), dtype=float) for place in frames(chain, list(q))]


def turn(axis: Sequence[float], angle: float) -> FloatArray:
    """Rodrigues."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    rotation: FloatArray = np.eye(3) + sin(angle) * k + (1 - cos(angle)) * k @ k
    return rotation


def placed(xyz: Sequence[float], rotation: FloatArray) -> FloatArray:
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = rotation, xyz
    return place


def roll_pitch_yaw(degrees: Sequence[float]) -> FloatArray:
    roll, pitch, yaw = np.radians(degrees)
    return turn((0, 0, 1), yaw) @ turn((0, 1, 0), pitch) @ turn((1, 0, 0), roll)


# --- arms that come from a URDF ------------------------------------------------------------------------------------


def urdf_poses(name: str, q: Sequence[float]) -> list[FloatArray]:
    """Every link frame of the URDF, then the tool."""
    at, found = np.eye(4), []
    for (xyz, rpy, axis), angle in zip(URDF_ARMS[name].joints, q):
        at = at @ placed(xyz, roll_pitch_yaw(rpy)) @ placed((0, 0, 0), turn(axis, angle))
        found.append(at)
    for xyz, rpy in URDF_ARMS[name].fixed:
        at = at @ placed(xyz, roll_pitch_yaw(rpy))
    return [*found, at]


def test_every_urdf_source_is_a_library_robot() -> None:
    assert set(URDF_ARMS) <= set(library.names())


@pytest.mark.parametrize("name", URDF_ARMS)
def test_tool_pose_is_the_urdfs(name: str) -> None:
    chain = chain_of(name)
    for q in RNG.uniform(-3, 3, (5, chain.dof)).tolist():
        np.testing.assert_allclose(poses(chain, q)[-1], urdf_poses(name, q)[-1], atol=1e-12)


@pytest.mark.parametrize("name", [name for name, arm in URDF_ARMS.items() if arm.bodies])
def test_bodies_are_the_urdfs(name: str) -> None:
    """Mass, centre of mass and inertia about the link frame's origin, all brought to the world."""
    chain = chain_of(name)
    q = RNG.uniform(-3, 3, chain.dof).tolist()
    for link, ours, theirs, body in zip(chain.links, poses(chain, q), urdf_poses(name, q), URDF_ARMS[name].bodies):
        mass, com, (xx, xy, xz, yy, yz, zz) = body
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert link.inertia.m == mass
        centre = np.array(link.inertia.s, dtype=float) / mass
        steiner = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        np.testing.assert_allclose((ours @ [*centre, 1])[:3], (theirs @ [*com, 1])[:3], atol=1e-12)
        R, S = ours[:3, :3], theirs[:3, :3]
        about_centre = np.array(link.inertia.I, dtype=float) - steiner
        np.testing.assert_allclose(R @ about_centre @ R.T, S @ tensor @ S.T, atol=1e-12)


def test_panda_rows_are_the_makers() -> None:
    """Franka Control Interface documentation: a and d of the table in Craig's convention, flange 0.107."""
    lengths = {step.amount.name: float_of(step.amount.parameter, {}) for j in load("panda").joints for step in j.before}
    assert [lengths[f"a{i}"] for i in range(1, 8)] == [0, 0, 0, 0.0825, -0.0825, 0, 0.088]


# --- arms that come from a DH table --------------------------------------------------------------------------------


def standard_row(theta: float, d: float, a: float, alpha: float) -> FloatArray:
    c, s, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


@pytest.mark.parametrize("name", TABLES)
def test_frames_are_the_tables(name: str) -> None:
    kinds, rows = TABLES[name]
    chain = chain_of(name)
    q = RNG.uniform(-3, 3, chain.dof).tolist()
    at = np.eye(4)
    for kind, (theta, d, a, alpha), x, ours in zip(kinds, rows, q, poses(chain, q), strict=False):
        at = at @ (standard_row(theta + x, d, a, alpha) if kind == "R" else standard_row(theta, d + x, a, alpha))
        np.testing.assert_allclose(ours, at, atol=1e-12)


def test_every_numeric_robot_has_a_source_here() -> None:
    symbolic = {"planar2r", "rp", "stanford3", "puma560_symbolic", "scara", "rx90"}
    assert set(library.names()) == symbolic | set(TABLES) | set(URDF_ARMS) | set(BOOK_ARMS)


def test_universal_robots_weigh_what_the_maker_says() -> None:
    """The same article: masses of the e-series links, kg."""
    told = {
        "ur3e": [1.98, 3.4445, 1.437, 0.871, 0.805, 0.261],
        "ur5e": [3.761, 8.058, 2.846, 1.37, 1.3, 0.365],
        "ur10e": [7.369, 13.051, 3.989, 2.1, 1.98, 0.615],
    }
    assert {name: [link.inertia.m for link in chain_of(name).links] for name in told} == told


@pytest.mark.parametrize("name", BODIES)
def test_bodies_are_as_printed(name: str) -> None:
    robot = load(name)
    values = {"Ixx6": 0.15e-3} if name == "puma560" else {}  # the one name among these numbers
    assert {key: float_of(value, {}) for key, value in robot.values} == values
    for joint, (mass, com, tensor) in zip(robot.joints, BODIES[name], strict=True):
        assert joint.body is not None
        assert (joint.body.centre_is, joint.body.inertia_is) == ("com", "com")
        xx, xy, xz, yy, yz, zz = (float_of(cell.parameter, values) for cell in joint.body.inertia)
        assert float_of(joint.body.mass.parameter, {}) == mass
        assert tuple(float_of(cell.parameter, {}) for cell in joint.body.centre) == com
        assert (xx, yy, zz, xy, xz, yz) == tensor


def test_cylinders_lie_along_the_links() -> None:
    """The UR5's tensors are those of cylinders: (across, along, axis of the DH frame)."""
    cylinders = [
        (0.014972358333333331, 0.01040625, 1),
        (0.13388583541666665, 0.0151074, 0),
        (0.031216803515624995, 0.004095, 0),
        (0.002013889583333333, 0.0021942, 1),
        (0.0018310395833333333, 0.0021942, 1),
        (8.062475833333332e-05, 0.0001321171875, 2),
    ]
    for joint, (across, along, axis) in zip(load("ur5").joints, cylinders, strict=True):
        assert joint.body is not None
        moments = [float_of(joint.body.inertia[k].parameter, {}) for k in (0, 3, 5)]
        assert moments == pytest.approx([along if k == axis else across for k in range(3)], rel=1e-12)


def test_puma560_motors_are_referred_to_the_joints() -> None:
    """roboticstoolbox-python 1.5.0: Jm, G, B, Tc+ and Tc- at the motor; friction at the joint |G|(B|G| q' + Tc±)."""
    gear = np.array([-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686])
    inertia = np.array([200e-6] * 3 + [33e-6] * 3)
    viscous = np.array([1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6])
    plus = np.array([0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3])
    minus = -np.array([0.435, 0.071, 0.105, 16.9e-3, 14.5e-3, 10.5e-3])
    links = chain_of("puma560").links
    np.testing.assert_allclose([link.motor_inertia for link in links], inertia * gear**2, rtol=1e-14)
    for rate, dry in ((0.7, plus), (-0.7, minus)):
        ours = [x["fv"] * rate + x["fc"] * np.sign(rate) + x["fo"] for x in (link.actuator for link in links)]
        np.testing.assert_allclose(ours, np.abs(gear) * (viscous * np.abs(gear) * rate + dry), rtol=1e-13)


# --- closed forms --------------------------------------------------------------------------------------------------


def test_planar2r_is_craigs() -> None:
    """Craig, equation 6.58: the two torques of the planar arm with point masses."""
    l1, l2, m1, m2, g = 0.7, 0.4, 3.1, 1.7, 9.8
    chain = chain_of("planar2r", l1=l1, l2=l2, m1=m1, m2=m2, g=g)
    (t1, t2), (v1, v2), (a1, a2) = q, qd, qdd = RNG.uniform(-2, 2, (3, 2)).tolist()
    c1, c2, s2, c12 = cos(t1), cos(t2), sin(t2), cos(t1 + t2)
    tau1 = (
        m2 * l2**2 * (a1 + a2) + m2 * l1 * l2 * c2 * (2 * a1 + a2) + (m1 + m2) * l1**2 * a1
        - m2 * l1 * l2 * s2 * v2**2 - 2 * m2 * l1 * l2 * s2 * v1 * v2 + m2 * l2 * g * c12 + (m1 + m2) * l1 * g * c1
    )  # fmt: skip
    tau2 = m2 * l1 * l2 * c2 * a1 + m2 * l1 * l2 * s2 * v1**2 + m2 * l2 * g * c12 + m2 * l2**2 * (a1 + a2)
    np.testing.assert_allclose(inverse_dynamics(chain, q, qd, qdd), [tau1, tau2], rtol=1e-12)


def test_rp_is_the_exercises() -> None:
    """The exercise's torques, with the external force F along x of the world at the rod's tip."""
    length, m2, inertia1, inertia2, g, force = 0.3, 2.3, 0.11, 0.07, 9.8, 4.2
    chain = chain_of("rp", l=length, m2=m2, I1z=inertia1, I2y=inertia2, g=g)
    (t1, d2), (v1, v2), (a1, a2) = q, qd, qdd = RNG.uniform(-2, 2, (3, 2)).tolist()
    r, c1, s1 = d2 - length, cos(t1), sin(t1)
    tau1 = force * s1 * d2 + m2 * r**2 * a1 + 2 * m2 * r * v1 * v2 + m2 * g * c1 * r + (inertia2 + inertia1) * a1
    tau2 = -force * c1 - m2 * r * v1**2 + m2 * a2 + m2 * g * s1
    ours = inverse_dynamics(chain, q, qd, qdd, [force, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(ours, [tau1, tau2], rtol=1e-12)


def inertia_matrix(chain: Tree, q: list[float]) -> FloatArray:
    """Column j: the torques of a unit acceleration of joint j, minus those of gravity."""
    n = chain.dof
    still: list[Any] = [0.0] * n
    held = np.array(inverse_dynamics(chain, q, still, still))
    return np.array([np.array(inverse_dynamics(chain, q, still, list(unit))) - held for unit in np.eye(n)]).T


def test_stanford3_is_the_dissertations() -> None:
    """Lopes da Silva, UNICAMP 1990: a11, a12, a13, a22, a23, a33 of the first three joints."""
    names = load("stanford3").names()
    assert " ".join(sorted(names)) == "I1 I2 I3 J1 J2 J3 K1 K2 K3 M1 M2 M3 Y1 Y2 Z1 Z3 d2 gz"
    v = dict(zip(names, RNG.uniform(0.2, 2, len(names)).tolist()))
    q = RNG.uniform(-2, 2, 3).tolist()
    c2, s2, d2, d3, z3, m3 = cos(q[1]), sin(q[1]), v["d2"], q[2], v["Z3"], v["M3"]
    a11 = (
        v["I1"] + v["K1"] + v["J2"] + v["J3"] + 2 * v["Y2"] * d2 + (v["M2"] + m3) * d2**2
        + (v["K2"] + v["K3"]) * s2**2 + (v["I2"] + v["I3"]) * c2**2 + s2**2 * d3 * (2 * z3 + m3 * d3)
    )  # fmt: skip
    a22 = v["I2"] + v["K2"] + v["I3"] + v["K3"] + 2 * z3 * d3 + m3 * d3**2
    a12, a13 = -c2 * d2 * (z3 + m3 * d3), -s2 * d2 * m3
    printed = [[a11, a12, a13], [a12, a22, 0], [a13, 0, m3]]
    np.testing.assert_allclose(inertia_matrix(chain_of("stanford3", **v), q), printed, atol=1e-12)


def test_puma560_symbolic_has_the_dissertations_geometry() -> None:
    """Lopes da Silva, appendix A1: T(1,7) by the auxiliary equations D[1]-D[37], fourth column."""
    a2, a3, d2, d4, d6 = 0.43, 0.02, 0.15, 0.44, 0.06
    chain = chain_of("puma560_symbolic", a2=a2, a3=a3, d2=d2, d4=d4, d6=d6)
    q = RNG.uniform(-3, 3, 6).tolist()
    (c1, c2, _, c4, c5, _), (s1, s2, _, s4, s5, _) = [cos(x) for x in q], [sin(x) for x in q]
    c23, s23 = cos(q[1] + q[2]), sin(q[1] + q[2])
    x3, y3, z3 = a2 * c1 * c2 - s1 * d2, a2 * s1 * c2 + c1 * d2, -a2 * s2
    x4, y4, z4 = x3 + c1 * (a3 * c23 + d4 * s23), y3 + s1 * (a3 * c23 + d4 * s23), z3 - a3 * s23 + d4 * c23
    w = (
        (c1 * c23 * c4 - s1 * s4) * s5 + c1 * s23 * c5,
        (s1 * c23 * c4 + c1 * s4) * s5 + s1 * s23 * c5,
        -s23 * c4 * s5 + c23 * c5,
    )
    tool = [x4 + d6 * w[0], y4 + d6 * w[1], z4 + d6 * w[2]]
    np.testing.assert_allclose(poses(chain, q)[-1][:3, 3], tool, atol=1e-12)
    np.testing.assert_allclose(poses(chain, q)[-1][:3, 2], w, atol=1e-12)


def test_puma560_symbolic_has_the_dissertations_parameters() -> None:
    """Appendix A1: the names of D[1]-D[79], and the inertia of link 1 about its frame's origin, no Steiner term."""
    robot = load("puma560_symbolic")
    inertial = [f"{x}{i}" for i in range(1, 7) for x in ("M", "Ixx", "Iyy", "Izz")]
    centres = ["rz1", "rx2", "rz3", "ry4", "rz5", "rz6"]
    assert sorted(robot.names()) == sorted([*inertial, *centres, "a2", "a3", "d2", "d4", "d6", "gz"])
    body = chain_of("puma560_symbolic", M1=3.0, rz1=0.5, Ixx1=0.7, Iyy1=0.8, Izz1=0.9).links[0].inertia
    assert (body.I[0][0], body.I[1][1], body.I[2][2]) == (0.7, 0.8, 0.9)
    assert list(body.s) == [0, 0, 1.5]


def test_pucrio_tool_is_the_dissertations() -> None:
    """PUC-Rio dissertation, chapter 6: 6.17-6.20, the tool's height and the last axis' vertical component."""
    a1, a2, d4, d6 = 0.10, 0.25, 0.16, 0.05
    q = RNG.uniform(-3, 3, 6).tolist()
    (c1, c2, _, c4, c5, _), (s1, s2, _, s4, s5, _) = [cos(x) for x in q], [sin(x) for x in q]
    c23, s23 = cos(q[1] + q[2]), sin(q[1] + q[2])
    reach = a1 + a2 * c2 + d4 * s23 + d6 * (c23 * c4 * s5 + s23 * c5)
    x, y = c1 * reach + d6 * s1 * s4 * s5, s1 * reach - d6 * c1 * s4 * s5
    z = a2 * s2 - d4 * c23 + d6 * (s23 * c4 * s5 - c23 * c5)
    ours = poses(chain_of("pucrio"), q)[-1]
    np.testing.assert_allclose(ours[:3, 3], [x, y, z], atol=1e-12)
    assert ours[2, 2] == pytest.approx(s23 * c4 * s5 - c23 * c5, abs=1e-12)


def test_rx90_is_khalil_and_dombres() -> None:
    """The pose of the wrist centre: D3 along the upper arm, RL4 along the forearm."""
    chain = chain_of("rx90", D3=0.45, RL4=0.55)
    q = RNG.uniform(-3, 3, 6).tolist()
    reach = 0.45 * cos(q[1]) - 0.55 * sin(q[1] + q[2])
    wrist = [reach * cos(q[0]), reach * sin(q[0]), 0.45 * sin(q[1]) + 0.55 * cos(q[1] + q[2])]
    np.testing.assert_allclose(poses(chain, q)[-1][:3, 3], wrist, atol=1e-12)


# --- effort limits ----------------------------------------------------------------------------------------------------

EFFORTS = {
    # Armstrong, Khatib, Burdick, ICRA 1986: maximum torques
    "puma560": (97.6, 186.4, 89.4, 24.2, 20.1, 21.3),
    # KUKA, Sensitive robotics LBR iiwa, page 30: maximum torques of A1 to A7
    "iiwa14": (320, 320, 176, 176, 110, 40, 40),
}


@pytest.mark.parametrize("name", EFFORTS)
def test_effort_limits_are_those_printed(name: str) -> None:
    limits = [joint.effort_limit for joint in load(name).joints]
    assert all(limit is not None for limit in limits)
    assert tuple(float_of(limit, {}) for limit in limits if limit is not None) == EFFORTS[name]
    assert "ffort limits" in (load(name).origin.source or "")
